/*
 * Scans by lanes of a work-item in vectors of 16, as tile_vector_lanes.cl folds them.
 * Items are combined with prefixes and stored 16 at a time where CLFOLD_ITEM16 is 1.
 */
#if CLFOLD_ITEM16
/* The items of folds whose positions count from `base`. */
static clfold_item16 clfold_items16(clfold_stage16 x, ulong base)
{
    clfold_item16 y;

    y.$name = convert_$item16(x.$name)$plus_base;
    return y;
}

static bool clfold_is_line(global const CLFOLD_OUT *out, ulong index)
{
    return (ulong)(out + index * CLFOLD_OUT_CELLS) % 64 == 0;
}
#endif

/* Short rows, 16 elements at a time; lane 0 has the prefix of all. */
static void clfold_scan_short_rows(global const CLFOLD_IN *in, ulong begin, uint length,
                                   uint count, global CLFOLD_OUT *out, ulong to,
                                   bool stream, clfold_bundle_pointer bundle CLFOLD_WITH)
{
    int16 place = clfold_first_places(length);
    clfold_stage total;
    uint j = 0;

    if (count >= 16) {
        clfold_stage16 so_far = clfold_load16(in, begin, 0 CLFOLD_PASS);
#if CLFOLD_ITEM16
        const clfold_item16 prefix = clfold_spread(clfold_taken(bundle->prefix[0]));
        const clfold_item first = clfold_lane_first(0, bundle CLFOLD_PASS);
#endif
        for (; j + 16 <= count; j += 16) {
            const clfold_stage16 x =
                clfold_scan_row_lanes(clfold_load16(in, begin, j CLFOLD_PASS), place,
                                      length, so_far CLFOLD_PASS);
            clfold_stage16 z = x;
#if CLFOLD_EXCLUSIVE
            z.$name = x.$name.s00123456789abcde;
            z.$name.s0 = so_far.$name.sf;
#endif
#if CLFOLD_ITEM16
            clfold_item16 y = clfold_items16(z, bundle->begin[0]);
            if (bundle->has_prefix[0])
                y = clfold_combine16(prefix, y CLFOLD_PASS);
#if CLFOLD_EXCLUSIVE
            y.$name = convert_$choice16(place == 0) ? ($item16)(first.$name) : y.$name;
#endif
            clfold_store16(y, out, to + j, stream && clfold_is_line(out, to + j));
#else
            const clfold_lanes lanes = clfold_lanes_of(z);
            for (uint k = 0; k < 16; ++k) {
                if (CLFOLD_EXCLUSIVE && (j + k) % length == 0)
                    clfold_store(clfold_lane_first(0, bundle CLFOLD_PASS), out,
                                 to + j + k);
                else
                    clfold_store(
                        clfold_lane_item(clfold_lane(&lanes, k), 0, bundle CLFOLD_PASS),
                        out, to + j + k);
            }
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
        if (CLFOLD_EXCLUSIVE && j % length == 0)
            clfold_store(clfold_lane_first(0, bundle CLFOLD_PASS), out, to + j);
        else
            clfold_store(clfold_lane_item(CLFOLD_EXCLUSIVE ? before : total, 0,
                                          bundle CLFOLD_PASS),
                         out, to + j);
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
#if CLFOLD_ITEM16
    const bool has_prefix = bundle->has_prefix[l] != 0;
    clfold_item16 prefix[CLFOLD_VECTORS];

    for (uint v = 0; v < vectors; ++v) {
        private const clfold_item *own = bundle->prefix + l + v * 16;
        prefix[v].$name = CLFOLD_GATHER($item16, own, $name);
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
#if CLFOLD_EXCLUSIVE
            if (i == 0) {
                for (uint k = 0; k < 16; ++k)
                    clfold_store(clfold_lane_first(l + v * 16 + k, bundle CLFOLD_PASS),
                                 out, at + k);
                continue;
            }
            x = before;
#endif
#if CLFOLD_ITEM16
            clfold_item16 y = clfold_items16(x, bundle->begin[l]);
            if (has_prefix)
                y = clfold_combine16(prefix[v], y CLFOLD_PASS);
            clfold_store16(y, out, at, stream && clfold_is_line(out, at));
#else
            const clfold_lanes lanes = clfold_lanes_of(x);
            for (uint k = 0; k < 16; ++k)
                clfold_store(clfold_lane_item(clfold_lane(&lanes, k), l + v * 16 + k,
                                              bundle CLFOLD_PASS),
                             out, at + k);
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
            const ulong to = out_offset + bundle->begin[l + k] + i * width;
            const clfold_stage before = s[k];
            s[k] = clfold_load(in, in_offset + bundle->begin[l + k],
                               (uint)(i * width) CLFOLD_PASS);
            if (i > 0)
                s[k] = clfold_combine_stage(before, s[k] CLFOLD_PASS);
            if (CLFOLD_EXCLUSIVE && i == 0)
                clfold_store(clfold_lane_first(l + k, bundle CLFOLD_PASS), out, to);
            else
                clfold_store(clfold_lane_item(CLFOLD_EXCLUSIVE ? before : s[k], l + k,
                                              bundle CLFOLD_PASS),
                             out, to);
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
