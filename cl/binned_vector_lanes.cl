/*
 * The lanes of tile_vector_lanes.cl, for binned.cl: 16 of them are cut at once, each from
 * a bin of its own.
 *
 *   lanes      a b c d ...     CLFOLD_DEPTH items of each: a block
 *              e f g h
 *   bin        of each lane's greatest item; if a block has a greater one, what was cut
 *              goes to the lanes' sums, and the block is done again with that one's
 *   cuts       a+e b+f ...     the parts, as in binned_vector.cl
 *
 * Lanes that do not lie side by side are put so in private memory, with 0 where there is
 * no item, which adds nothing.
 *
 * needs: contract.cl, load.cl, binned.cl, binned_vector.cl
 * needs: tile_vector_lanes.cl, vectors.cl
 * names: clfold_cuts
 */
#define CLFOLD_DEPTH 8u

/* Numbers whose parts fit; see binned_vector.cl. */
#define CLFOLD_MOST_CUTS 8192u

typedef union {
    clfold_number16 v;
    clfold_number s[16];
} clfold_number_lanes;

typedef struct {
    clfold_cuts cuts;
    uint num;      /* of numbers in each lane */
    uint has_sums; /* 1 if there are any but what was cut */
    clfold_number16 scale;
    clfold_bits16 limit; /* the least that needs a greater bin */
    clfold_bits_lanes bin;
} clfold_lane_cuts;

static void clfold_lane_cuts_init(private clfold_lane_cuts *of)
{
    of->cuts.part0 = of->cuts.part1 = of->cuts.part2 = 0;
    of->num = of->has_sums = 0;
    of->scale = CLFOLD_BIN_SCALE(0);
    of->limit = (clfold_bits)CLFOLD_BIN_BITS << (CLFOLD_DIGITS - 1);
    of->bin.v = 0;
}

/* Moves what was cut to the lanes' sums. */
static void clfold_cuts_end(private clfold_lane_cuts *of, private clfold_item *sums)
{
    const clfold_bits_lanes first = clfold_units(of->cuts.part0, 0, of->num);
    const clfold_bits_lanes second = clfold_units(of->cuts.part1, 1, of->num);
    const clfold_bits_lanes third = clfold_units(of->cuts.part2, 2, of->num);

    for (uint k = 0; k < 16; ++k) {
        clfold_binned r;
        r.bin = of->bin.s[k];
        clfold_put_sum(&r, 0, first.s[k]);
        clfold_put_sum(&r, 1, second.s[k]);
        clfold_put_sum(&r, 2, third.s[k]);
        sums[k].$name = of->has_sums ? clfold_binned_merge(sums[k].$name, r) : r;
    }
    of->cuts.part0 = of->cuts.part1 = of->cuts.part2 = 0;
    of->num = 0;
    of->has_sums = 1;
}

/* The bins of the greatest numbers that were seen, and what depends on them. */
static void clfold_set_bins(private clfold_lane_cuts *of, clfold_bits_lanes greatest)
{
    clfold_number_lanes scale;
    clfold_bits_lanes limit;

    for (uint k = 0; k < 16; ++k) {
        const clfold_bits bin = max(of->bin.s[k], clfold_bin_of(greatest.s[k]));
        const clfold_bits next = (bin + 1) * CLFOLD_BIN_BITS;
        of->bin.s[k] = bin;
        scale.s[k] = CLFOLD_BIN_SCALE(bin);
        limit.s[k] = min(next, (clfold_bits)(2 * CLFOLD_BIAS + 1)) << (CLFOLD_DIGITS - 1);
    }
    of->scale = scale.v;
    of->limit = limit.v;
}

/* A block: `num` items of 16 lanes side by side, `width` apart, or those in `block`. */
typedef struct {
    ulong begin;
    ulong width;
    uint first, num; /* the first one's position */
  private
    const clfold_number_lanes *block; /* NULL: they are in `in` */
} clfold_lane_block;

static clfold_number16 clfold_block_item(global const CLFOLD_IN *in, clfold_lane_block b,
                                         uint k CLFOLD_WITH)
{
    const uint j = b.first + (uint)(k * b.width);

    if (b.block)
        return b.block[k].v;
    clfold_ask(in, b.begin + j + CLFOLD_DEPTH * b.width, 16 CLFOLD_PASS);
    return clfold_load16(in, b.begin, j CLFOLD_PASS).$name;
}

/* Cuts a block; returns the greatest numbers, without their signs. */
static clfold_bits_lanes clfold_cut_items(global const CLFOLD_IN *in, clfold_lane_block b,
                                          clfold_number16 scale,
                                          private clfold_cuts *cuts CLFOLD_WITH)
{
    clfold_bits_lanes greatest = { 0 };
    clfold_cuts sums = *cuts;

    for (uint k = 0; k < b.num; ++k) {
        const clfold_bits16 bits =
            clfold_as_bits16(clfold_block_item(in, b, k CLFOLD_PASS));
        const clfold_bits16 magnitude = bits & CLFOLD_MAGNITUDE;
        greatest.v = max(greatest.v, magnitude);
        clfold_cut16(clfold_as_number16(bits & (magnitude >= CLFOLD_LEAST)), scale,
                     &sums);
    }
    *cuts = sums;
    return greatest;
}

/* Takes a block to what was cut of its lanes, or to their sums. */
static void clfold_take_block(global const CLFOLD_IN *in, clfold_lane_block b,
                              private clfold_lane_cuts *of,
                              private clfold_item *sums CLFOLD_WITH)
{
    clfold_cuts cuts = of->cuts;
    const clfold_bits_lanes greatest =
        clfold_cut_items(in, b, of->scale, &cuts CLFOLD_PASS);

    if (of->num + b.num > CLFOLD_MOST_CUTS || any(greatest.v >= of->limit)) {
        if (of->num > 0 || any(greatest.v >= CLFOLD_INFINITY))
            clfold_cuts_end(of, sums);
        if (any(greatest.v >= CLFOLD_INFINITY)) {
            for (uint k = 0; k < b.num; ++k) {
                const clfold_number_lanes x = { clfold_block_item(in, b, k CLFOLD_PASS) };
                for (uint l = 0; l < 16; ++l)
                    sums[l].$name =
                        clfold_binned_merge(sums[l].$name, clfold_binned_of(x.s[l]));
            }
            return;
        }
        clfold_set_bins(of, greatest);
        cuts = of->cuts;
        clfold_cut_items(in, b, of->scale, &cuts CLFOLD_PASS);
    }
    of->cuts = cuts;
    of->num += b.num;
}

/* Columns from lane l on, `vectors` of them side by side. */
static void clfold_fold_columns(global const CLFOLD_IN *in, ulong begin, ulong width,
                                ulong items, uint vectors, uint l,
                                clfold_bundle_pointer bundle CLFOLD_WITH)
{
  private
    clfold_item *const sums = bundle->sums + l;
    clfold_lane_cuts cuts[CLFOLD_VECTORS];

    for (uint v = 0; v < vectors; ++v)
        clfold_lane_cuts_init(&cuts[v]);
    for (ulong i = 0; i < items; i += CLFOLD_DEPTH) {
        for (uint v = 0; v < vectors; ++v) {
            const clfold_lane_block b = { begin, width, (uint)(i * width) + v * 16,
                                          (uint)min((ulong)CLFOLD_DEPTH, items - i), 0 };
            clfold_take_block(in, b, &cuts[v], sums + v * 16 CLFOLD_PASS);
        }
    }
    for (uint v = 0; v < vectors; ++v)
        clfold_cuts_end(&cuts[v], sums + v * 16);
}

/* Up to 16 lanes from l on, of items that lie anywhere. */
static void clfold_fold_lanes(global const CLFOLD_IN *in, ulong in_offset, uint l,
                              uint num, ulong width, ulong run,
                              clfold_bundle_pointer bundle CLFOLD_WITH)
{
    clfold_number_lanes block[CLFOLD_DEPTH];
    clfold_lane_cuts cuts;

    clfold_lane_cuts_init(&cuts);
    for (ulong i = 0; i < run; i += CLFOLD_DEPTH) {
        const uint depth = (uint)min((ulong)CLFOLD_DEPTH, run - i);
        for (uint d = 0; d < depth; ++d)
            block[d].v = 0;
        for (uint k = 0; k < num; ++k) {
            const ulong begin = in_offset + bundle->begin[l + k];
            for (uint d = 0; d < depth && i + d < bundle->items[l + k]; ++d) {
                const uint j = (uint)((i + d) * width);
                block[d].s[k] = clfold_load(in, begin, j CLFOLD_PASS).$name;
            }
        }
        const clfold_lane_block b = { 0, 0, 0, depth, block };
        clfold_take_block(in, b, &cuts, bundle->sums + l CLFOLD_PASS);
    }
    clfold_cuts_end(&cuts, bundle->sums + l);
}

static clfold_item clfold_lanes_total(clfold_bundle_pointer bundle,
                                      uint l CLFOLD_WITH)
{
    return bundle->sums[l];
}
