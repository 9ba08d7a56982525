/*
 * Scans by lanes of a work-item in vectors of 16, as tile_vector_lanes.cl folds them.
 * Items are combined with prefixes and stored 16 at a time where CLFOLD_ITEM16 is 1.
 *
 * needs: contract.cl, element.cl, lane_items.cl, scan_tiles.cl
 * needs: tile_vector_lanes.cl, tile_vector_write.cl, vectors.cl
 * names: clfold_combine16, clfold_combine_stage, clfold_combine_stage16, clfold_identity
 * names: CLFOLD_CELLS_SIZE
 */
#if CLFOLD_ITEM16
/* The items of folds whose positions count from `base`, after the prefix, if there is
 * one. */
static clfold_item16 clfold_lane_items16(clfold_stage16 x, ulong base, bool has_prefix,
                                         clfold_item16 prefix CLFOLD_WITH)
{
    clfold_item16 y;

    y.$name = convert_$item16(x.$name)$plus_base;
    if (has_prefix)
        y = clfold_combine16(prefix, y CLFOLD_PASS);
    return y;
}

/* Whether stores from there on may go past the caches. All of a line take one way: bytes
 * of which one vector in four did took ten times as long. */
static bool clfold_may_stream(global const CLFOLD_OUT *out, ulong index)
{
    return (ulong)(out + index * CLFOLD_OUT_SCALARS) %
               (CLFOLD_CELLS_SIZE * sizeof(CLFOLD_OUT)) ==
           0;
}
#endif

/* Short rows, 16 elements at a time; lane 0 has the prefix of all. */
static void clfold_scan_short_rows(global const CLFOLD_IN *in, ulong begin, uint length,
                                   uint count, global CLFOLD_OUT *out, ulong to,
                                   bool stream, clfold_bundle_pointer bundle CLFOLD_WITH)
{
    const ulong base = bundle->begin[0];
    int16 place = clfold_first_places(length);
    clfold_stage total;
    uint j = 0;

    if (count >= 16) {
        clfold_stage16 so_far = clfold_load16(in, begin, 0 CLFOLD_PASS);
#if CLFOLD_ITEM16
        const bool has_prefix = bundle->has_prefix[0] != 0;
        const clfold_item16 prefix = clfold_spread(clfold_taken(bundle->prefix[0]));
        const clfold_item16 first =
            clfold_spread(clfold_lane_first(0, bundle CLFOLD_PASS));
#endif
        for (; j + 16 <= count; j += 16) {
            const clfold_stage16 x =
                clfold_scan_row_lanes(clfold_load16(in, begin, j CLFOLD_PASS), place,
                                      length, so_far CLFOLD_PASS);
            clfold_stage16 z;
            z.$name = x.$name.s00123456789abcde;
            z.$name.s0 = so_far.$name.sf;
#if CLFOLD_ITEM16
            clfold_item16 y, before = first;
#if CLFOLD_KEEPS_BEFORE
            before = clfold_lane_items16(z, base, has_prefix, prefix CLFOLD_PASS);
            before.$name = convert_$choice16(place == 0) ? first.$name : before.$name;
#endif
#if CLFOLD_EXCLUSIVE
            y = before;
#else
            y = clfold_lane_items16(x, base, has_prefix, prefix CLFOLD_PASS);
#endif
            clfold_emit16(y, before, in + (begin + j) * CLFOLD_SCALARS, base + j, out,
                          to + j, stream && clfold_may_stream(out, to + j) CLFOLD_PASS);
#else
            const clfold_lanes lanes = clfold_lanes_of(x), befores = clfold_lanes_of(z);
            for (uint k = 0; k < 16; ++k)
                clfold_lane_emit(clfold_lane(&lanes, k), clfold_lane(&befores, k),
                                 (j + k) % length == 0, 0,
                                 in + (begin + j + k) * CLFOLD_SCALARS, base + j + k, out,
                                 to + j + k, bundle CLFOLD_PASS);
#endif
            so_far.$name = ($stage16)(x.$name.sf);
            place = clfold_next_places(place, length);
        }
        total.$name = so_far.$name.sf;
    }
    for (; j < count; ++j) {
        const clfold_stage before = total;
        total = clfold_load(in, begin, j CLFOLD_PASS);
        if (j % length > 0)
            total = clfold_combine_stage(before, total CLFOLD_PASS);
        clfold_lane_emit(total, before, j % length == 0, 0,
                         in + (begin + j) * CLFOLD_SCALARS, base + j, out, to + j,
                         bundle CLFOLD_PASS);
    }
    /* For the total, of the last row. */
    const uint last = (count - 1) / length;
    bundle->sums[last / 16].$name.s[last % 16] = total.$name;
}

/* Columns from lane l on, `vectors` of them side by side. */
static void clfold_scan_columns(global const CLFOLD_IN *in, ulong begin, ulong width,
                                ulong items, uint vectors, uint l,
                                global CLFOLD_OUT *out, ulong to, bool stream,
                                clfold_bundle_pointer bundle CLFOLD_WITH)
{
    private clfold_lanes *sums = bundle->sums + l / 16;
    const ulong base = bundle->begin[l];
#if CLFOLD_ITEM16
    const bool has_prefix = bundle->has_prefix[l] != 0;
    clfold_item16 prefix[CLFOLD_VECTORS]; /* or what is before the first items */

    for (uint v = 0; v < vectors; ++v) {
        private const clfold_item *own = bundle->prefix + l + v * 16;
        prefix[v].$name = CLFOLD_GATHER($item16, own, $name);
#if CLFOLD_KEEPS_BEFORE && CLFOLD_HAS_IDENTITY
        if (!has_prefix)
            prefix[v] = clfold_spread(clfold_identity(CLFOLD_PASS_ONLY));
#endif
    }
#endif
    for (ulong i = 0; i < items; ++i) {
        const uint j = (uint)(i * width);
        for (uint v = 0; v < vectors; ++v) {
            const ulong at = to + j + v * 16;
            clfold_ask(in, begin + j + v * 16 + CLFOLD_ROWS_AHEAD * width,
                       16 CLFOLD_PASS);
            clfold_stage16 x = clfold_load16(in, begin, j + v * 16 CLFOLD_PASS), before;
            before.$name = sums[v].$name.v;
            if (i > 0)
                x = clfold_combine_stage16(before, x CLFOLD_PASS);
            sums[v].$name.v = x.$name;
#if CLFOLD_ITEM16
            clfold_item16 y, prev = prefix[v];
#if CLFOLD_KEEPS_BEFORE
            if (i > 0)
                prev = clfold_lane_items16(before, base, has_prefix,
                                           prefix[v] CLFOLD_PASS);
#endif
#if CLFOLD_EXCLUSIVE
            y = prev;
#else
            y = clfold_lane_items16(x, base, has_prefix, prefix[v] CLFOLD_PASS);
#endif
            clfold_emit16(y, prev, in + (begin + j + v * 16) * CLFOLD_SCALARS,
                          base + j + v * 16, out, at,
                          stream && clfold_may_stream(out, at) CLFOLD_PASS);
#else
            const clfold_lanes lanes = clfold_lanes_of(x),
                               befores = clfold_lanes_of(before);
            for (uint k = 0; k < 16; ++k)
                clfold_lane_emit(clfold_lane(&lanes, k), clfold_lane(&befores, k), i == 0,
                                 l + v * 16 + k,
                                 in + (begin + j + v * 16 + k) * CLFOLD_SCALARS,
                                 base + j + v * 16 + k, out, at + k, bundle CLFOLD_PASS);
#endif
        }
    }
}

/* Up to 16 lanes one by one, in step. */
static void clfold_scan_single_lanes(global const CLFOLD_IN *in, ulong in_offset, uint l,
                                     uint num, ulong width, ulong run,
                                     global CLFOLD_OUT *out, ulong out_offset,
                                     clfold_bundle_pointer bundle CLFOLD_WITH)
{
    clfold_stage s[16];

    for (ulong i = 0; i < run; ++i) {
        for (uint k = 0; k < num; ++k) {
            if (i >= bundle->items[l + k])
                continue;
            const ulong at = bundle->begin[l + k] + i * width;
            const clfold_stage before = s[k];
            s[k] = clfold_load(in, in_offset + bundle->begin[l + k],
                               (uint)(i * width) CLFOLD_PASS);
            if (i > 0)
                s[k] = clfold_combine_stage(before, s[k] CLFOLD_PASS);
            clfold_lane_emit(s[k], before, i == 0, l + k,
                             in + (in_offset + at) * CLFOLD_SCALARS, at, out,
                             out_offset + at, bundle CLFOLD_PASS);
        }
    }
    for (uint k = 0; k < num; ++k) {
        bundle->sums[l / 16].$name.s[k] = s[k].$name;
    }
}

static void clfold_lanes_scan(global const CLFOLD_IN *in, ulong in_offset, uint num,
                              ulong width, ulong run, global CLFOLD_OUT *out,
                              ulong out_offset, bool stream,
                              clfold_bundle_pointer bundle CLFOLD_WITH)
{
    if (bundle->are_rows) {
        clfold_scan_short_rows(in, in_offset + bundle->begin[0], (uint)run,
                               (uint)bundle->elements, out,
                               out_offset + bundle->begin[0], stream, bundle CLFOLD_PASS);
        return;
    }
    for (uint l = 0; l < num;) {
        const uint vectors = bundle->stretch[l / 16];
        if (vectors > 0)
            clfold_scan_columns(in, in_offset + bundle->begin[l], width, bundle->items[l],
                                vectors, l, out, out_offset + bundle->begin[l], stream,
                                bundle CLFOLD_PASS);
        else
            clfold_scan_single_lanes(in, in_offset, l, min(16u, num - l), width, run, out,
                                     out_offset, bundle CLFOLD_PASS);
        l += vectors > 0 ? vectors * 16 : 16;
    }
}
