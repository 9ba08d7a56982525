/*
 * Many numbers at once for binned.cl. They are cut from one bin on, and the parts of all
 * summed without carries:
 *
 *   numbers    x0 x1 x2 ...      a vector of 16 each where the tile has vectors: `some`
 *   bin        of the greatest
 *   part 0     the sum of each x rounded to that bin's units; for each lane
 *   part 1     ... of the rest, rounded to those of the bin below
 *   part 2     ... and of the next one
 *
 * Next to 1.5 2^e the bits of a float count units, so parts are summed as integers: those
 * bits, less as many times those of 1.5 2^e, modulo 2^32 or 2^64. A part is at most
 * 2^(CLFOLD_BIN_BITS - 1) units, so CLFOLD_MOST_CUTS of them fit for F32.
 *
 *   clfold_take_numbers   sums those that a work-item of a group has in registers
 *   clfold_take_run       sums a run of elements, 16 at once, block by block. If a block
 *                         has a greater number than was seen before, it is done again
 *                         from that one's bin
 *   clfold_lane_sums      sums of 16 runs side by side, each from a bin of its own:
 *                         _init, _take a block, _end; blocks are done again likewise
 *
 * needs: contract.cl, element.cl, binned.cl
 * needs if CLFOLD_TILE_VECTOR: vectors.cl
 */
#define CLFOLD_MOST_CUTS 8192u

#if CLFOLD_TILE_VECTOR
#define CLFOLD_SOME(type) type##16
#else
#define CLFOLD_SOME(type) type
#endif
#if CLFOLD_OUT_SIZE == 4
typedef CLFOLD_SOME(int) clfold_some_bits;
typedef CLFOLD_SOME(uint) clfold_some_digits;
#define clfold_as_some_bits   CLFOLD_SOME(as_int)
#define clfold_as_some_digits CLFOLD_SOME(as_uint)
#define CLFOLD_SOME_OF_BITS   CLFOLD_SOME(as_float)
#else
typedef CLFOLD_SOME(long) clfold_some_bits;
typedef CLFOLD_SOME(ulong) clfold_some_digits;
#define clfold_as_some_bits   CLFOLD_SOME(as_long)
#define clfold_as_some_digits CLFOLD_SOME(as_ulong)
#define CLFOLD_SOME_OF_BITS   CLFOLD_SOME(as_double)
#endif
typedef CLFOLD_SOME($result) clfold_some;

/* The bits of the parts. */
typedef struct {
    clfold_some_digits part0, part1, part2;
} clfold_parts;

/* Subnormals are no elements. */
static clfold_some clfold_without_subnormals(clfold_some x)
{
    const clfold_some_bits bits = clfold_as_some_bits(x);

#if CLFOLD_TILE_VECTOR
    return CLFOLD_SOME_OF_BITS(bits & ((bits & CLFOLD_MAGNITUDE) >= CLFOLD_LEAST));
#else
    return (bits & CLFOLD_MAGNITUDE) >= CLFOLD_LEAST ? x : 0;
#endif
}

/* Adds the parts of some numbers, cut from the bins that `scale` belongs to. */
static void clfold_cut(clfold_some x, clfold_some scale, private clfold_parts *parts)
{
/* Products with a power of two are exact, so nothing depends on it. */
#pragma OPENCL FP_CONTRACT ON
    clfold_some near = x * scale + CLFOLD_ROUNDER(0);

    parts->part0 += clfold_as_some_digits(near);
    clfold_some rest = x * scale - (near - CLFOLD_ROUNDER(0));
    near = rest + CLFOLD_ROUNDER(1);
    parts->part1 += clfold_as_some_digits(near);
    rest -= near - CLFOLD_ROUNDER(1);
    near = rest + CLFOLD_ROUNDER(2);
    parts->part2 += clfold_as_some_digits(near);
}

/* The units of part k, of the bits of `num` numbers. */
static clfold_some_bits clfold_units(clfold_some_digits bits, uint k, uint num)
{
    const clfold_digits none = (clfold_digits)clfold_as_bits(CLFOLD_ROUNDER(k));

    return clfold_as_some_bits(bits - num * none);
}

#if CLFOLD_TILE_GROUP

/* Numbers that a work-item adds at once; a text loads one at a time. */
#define CLFOLD_AT_ONCE (CLFOLD_LOAD ? 16u : 4 * CLFOLD_CHUNK)

typedef struct {
    clfold_number s[CLFOLD_AT_ONCE];
} clfold_numbers;

static clfold_binned clfold_cut_finite(const clfold_numbers *numbers, clfold_bits bin)
{
    clfold_parts parts = { 0, 0, 0 };
    clfold_binned r;

#pragma unroll
    for (uint i = 0; i < CLFOLD_AT_ONCE; ++i)
        clfold_cut(clfold_without_subnormals(numbers->s[i]), CLFOLD_BIN_SCALE(bin),
                   &parts);
    r.bin = bin;
    clfold_put_sum(&r, 0, clfold_units(parts.part0, 0, CLFOLD_AT_ONCE));
    clfold_put_sum(&r, 1, clfold_units(parts.part1, 1, CLFOLD_AT_ONCE));
    clfold_put_sum(&r, 2, clfold_units(parts.part2, 2, CLFOLD_AT_ONCE));
    return r;
}

/* Beside infinities and NaNs nothing else counts. */
static clfold_binned clfold_cut_special(const clfold_numbers *numbers)
{
    clfold_binned r = clfold_binned_zero();

    r.bin = CLFOLD_SPECIAL_BIN;
#pragma unroll
    for (uint i = 0; i < CLFOLD_AT_ONCE; ++i) {
        const clfold_number x = numbers->s[i];
        const bool is_special =
            (clfold_as_bits(x) & CLFOLD_MAGNITUDE) >= CLFOLD_INFINITY;
        r.low[0] += is_special && !(x < 0);
        r.low[1] += is_special && !(x > 0);
    }
    return r;
}

static clfold_item clfold_take_numbers(const clfold_numbers *numbers)
{
    clfold_bits greatest = 0;
    clfold_item sum;

#pragma unroll
    for (uint i = 0; i < CLFOLD_AT_ONCE; ++i)
        greatest = max(greatest, (clfold_bits)(clfold_as_bits(numbers->s[i]) &
                                               CLFOLD_MAGNITUDE));
    sum.$name = greatest < CLFOLD_INFINITY
                    ? clfold_cut_finite(numbers, clfold_bin_of(greatest))
                    : clfold_cut_special(numbers);
    return sum;
}

#else

typedef union {
    clfold_some_bits v;
    clfold_bits s[16];
} clfold_bits_lanes;

typedef union {
    clfold_some v;
    clfold_number s[16];
} clfold_number_lanes;

/* From this bin on half a unit of the third bin is more than any subnormal. */
#define CLFOLD_BIN_DROPS 3

/* Cuts some numbers, unless they are subnormal, and keeps the greatest without signs. */
static void clfold_take(clfold_some x, clfold_some scale, bool drops,
                        private clfold_some_bits *greatest, private clfold_parts *parts)
{
    *greatest = max(*greatest, clfold_as_some_bits(x) & CLFOLD_MAGNITUDE);
    clfold_cut(drops ? clfold_without_subnormals(x) : x, scale, parts);
}

/* ---- A run ------------------------------------------------------------------------- */

/* Numbers of a run that are looked at first, and those of a block. */
#define CLFOLD_FIRST_LOOK 128u
#define CLFOLD_BLOCK      2048u

static clfold_bits clfold_greatest_bin(clfold_some_bits x)
{
    const clfold_bits_lanes lanes = { x };
    clfold_bits greatest = 0;

    for (uint i = 0; i < 16; ++i)
        greatest = max(greatest, lanes.s[i]);
    return clfold_bin_of(greatest);
}

static long clfold_sum_of_lanes(clfold_some_bits units)
{
    const clfold_bits_lanes lanes = { units };
    long sum = 0;

    for (uint i = 0; i < 16; ++i)
        sum += lanes.s[i];
    return sum;
}

/* Elements from `first` to `stop` - 1, cut from `bin` on; if they need a greater bin, the
 * result has that one, and its sums are of no use. */
static clfold_binned clfold_cut_block(global const CLFOLD_IN *in, ulong begin, uint first,
                                      uint stop, clfold_bits bin, bool drops CLFOLD_WITH)
{
    const clfold_number scale = CLFOLD_BIN_SCALE(bin);
    const uint num = (stop - first) / 16;
    clfold_parts parts = { 0, 0, 0 };
    clfold_some_bits greatest = 0;
    clfold_binned r;

    for (uint i = first; i < stop; i += 16)
        clfold_take(clfold_load16(in, begin, i CLFOLD_PASS).$name, scale, drops,
                    &greatest, &parts);
    r.bin = max(bin, clfold_greatest_bin(greatest));
    if (r.bin == bin) {
        clfold_put_sum(&r, 0, clfold_sum_of_lanes(clfold_units(parts.part0, 0, num)));
        clfold_put_sum(&r, 1, clfold_sum_of_lanes(clfold_units(parts.part1, 1, num)));
        clfold_put_sum(&r, 2, clfold_sum_of_lanes(clfold_units(parts.part2, 2, num)));
    }
    return r;
}

static clfold_binned clfold_fold_block(global const CLFOLD_IN *in, ulong begin,
                                       uint first, uint stop, clfold_bits bin CLFOLD_WITH)
{
    return bin < CLFOLD_BIN_DROPS
               ? clfold_cut_block(in, begin, first, stop, bin, true CLFOLD_PASS)
               : clfold_cut_block(in, begin, first, stop, bin, false CLFOLD_PASS);
}

/* Elements from `first` to `stop` - 1, one by one, after a total. */
static clfold_binned clfold_fold_ones(clfold_binned so_far, global const CLFOLD_IN *in,
                                      ulong begin, uint first, uint stop CLFOLD_WITH)
{
    clfold_binned total = so_far;

    for (uint i = first; i < stop; ++i)
        total = clfold_binned_merge(
            total, clfold_binned_of(clfold_load(in, begin, i CLFOLD_PASS).$name));
    return total;
}

static clfold_opaque clfold_take_run(global const CLFOLD_IN *in, ulong begin,
                                     uint count CLFOLD_WITH)
{
    const uint whole = count / 16 * 16;
    clfold_some_bits greatest = 0;
    clfold_binned total = clfold_binned_zero();

    for (uint i = 0; i < min(whole, CLFOLD_FIRST_LOOK); i += 16)
        greatest =
            max(greatest,
                clfold_as_some_bits(clfold_load16(in, begin, i CLFOLD_PASS).$name) &
                    CLFOLD_MAGNITUDE);
    clfold_bits bin = clfold_greatest_bin(greatest);
    bin = bin < CLFOLD_SPECIAL_BIN ? bin : 0;
    for (uint i = 0; i < whole; i += CLFOLD_BLOCK) {
        const uint stop = min(i + CLFOLD_BLOCK, whole);
        clfold_binned block = clfold_fold_block(in, begin, i, stop, bin CLFOLD_PASS);
        if (block.bin > bin && block.bin < CLFOLD_SPECIAL_BIN) {
            bin = block.bin;
            block = clfold_fold_block(in, begin, i, stop, bin CLFOLD_PASS);
        }
        if (block.bin < CLFOLD_SPECIAL_BIN)
            total = clfold_binned_merge(total, block);
        else
            total = clfold_fold_ones(total, in, begin, i, stop CLFOLD_PASS);
    }
    return clfold_fold_ones(total, in, begin, whole, count CLFOLD_PASS);
}

/* ---- Lanes ------------------------------------------------------------------------- */

/* Items of each lane that are taken together. */
#define CLFOLD_DEPTH 8u

/* A block: `num` items of 16 lanes side by side, `width` apart, or those in `block`. */
typedef struct {
    ulong begin, width;
    uint first, num; /* the first one's position */
  private
    const clfold_number_lanes *block; /* NULL: they are in `in` */
} clfold_numbers;

static clfold_some clfold_some_at(global const CLFOLD_IN *in, clfold_numbers numbers,
                                  uint k CLFOLD_WITH)
{
    const uint j = numbers.first + (uint)(k * numbers.width);

    if (numbers.block)
        return numbers.block[k].v;
    clfold_ask(in, numbers.begin + j + CLFOLD_DEPTH * numbers.width, 16 CLFOLD_PASS);
    return clfold_load16(in, numbers.begin, j CLFOLD_PASS).$name;
}

typedef struct {
    clfold_parts parts;
    uint num;      /* of numbers in each lane */
    uint has_sums; /* 1 if there are any but the parts */
    clfold_some scale;
    clfold_some_bits limit; /* the least that needs a greater bin */
    clfold_bits_lanes bin;
} clfold_lane_sums;

static void clfold_lane_sums_init(private clfold_lane_sums *of)
{
    of->parts.part0 = of->parts.part1 = of->parts.part2 = 0;
    of->num = of->has_sums = 0;
    of->scale = CLFOLD_BIN_SCALE(0);
    of->limit = (clfold_bits)CLFOLD_BIN_BITS << (CLFOLD_DIGITS - 1);
    of->bin.v = 0;
}

/* Moves the parts to the lanes' items. */
static void clfold_lane_sums_end(private clfold_lane_sums *of, private clfold_item *items)
{
    const clfold_bits_lanes first = { clfold_units(of->parts.part0, 0, of->num) };
    const clfold_bits_lanes second = { clfold_units(of->parts.part1, 1, of->num) };
    const clfold_bits_lanes third = { clfold_units(of->parts.part2, 2, of->num) };

    for (uint k = 0; k < 16; ++k) {
        clfold_binned r;
        r.bin = of->bin.s[k];
        clfold_put_sum(&r, 0, first.s[k]);
        clfold_put_sum(&r, 1, second.s[k]);
        clfold_put_sum(&r, 2, third.s[k]);
        items[k].$name = of->has_sums ? clfold_binned_merge(items[k].$name, r) : r;
    }
    of->parts.part0 = of->parts.part1 = of->parts.part2 = 0;
    of->num = 0;
    of->has_sums = 1;
}

/* The bins of the greatest numbers that were seen, and what depends on them. */
static void clfold_set_bins(private clfold_lane_sums *of, clfold_bits_lanes greatest)
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

/* Cuts a block; returns the greatest numbers, without their signs. */
static clfold_bits_lanes clfold_cut_numbers(global const CLFOLD_IN *in,
                                            clfold_numbers numbers, clfold_some scale,
                                            private clfold_parts *parts CLFOLD_WITH)
{
    clfold_bits_lanes greatest = { 0 };
    clfold_parts sums = *parts;

    for (uint k = 0; k < numbers.num; ++k)
        clfold_take(clfold_some_at(in, numbers, k CLFOLD_PASS), scale, true, &greatest.v,
                    &sums);
    *parts = sums;
    return greatest;
}

/* Takes a block, to the parts or to the items. */
static void clfold_lane_sums_take(global const CLFOLD_IN *in, clfold_numbers numbers,
                             private clfold_lane_sums *of,
                             private clfold_item *items CLFOLD_WITH)
{
    clfold_parts parts = of->parts;
    const clfold_bits_lanes greatest =
        clfold_cut_numbers(in, numbers, of->scale, &parts CLFOLD_PASS);

    if (of->num + numbers.num > CLFOLD_MOST_CUTS || any(greatest.v >= of->limit)) {
        const bool has_special = any(greatest.v >= CLFOLD_INFINITY);
        if (of->num > 0 || has_special)
            clfold_lane_sums_end(of, items);
        for (uint k = 0; has_special && k < numbers.num; ++k) {
            const clfold_number_lanes x = { clfold_some_at(in, numbers, k CLFOLD_PASS) };
            for (uint l = 0; l < 16; ++l)
                items[l].$name =
                    clfold_binned_merge(items[l].$name, clfold_binned_of(x.s[l]));
        }
        if (has_special)
            return;
        clfold_set_bins(of, greatest);
        parts = of->parts;
        clfold_cut_numbers(in, numbers, of->scale, &parts CLFOLD_PASS);
    }
    of->parts = parts;
    of->num += numbers.num;
}

#endif
