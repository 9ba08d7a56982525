/*
 * reduce_lanes: folds each segment by itself, side by side with its neighbours: short
 * rows and columns. Long segments are cut into runs, whose folds are folded again.
 *
 *   columns    a b c d ...    lane k takes column k    rows   a b c   lane k takes row k
 *              e f g h                                        d e f
 *              i j k l                                        ...
 *
 *   fold       a e i      b f j      ...                      a b c   d e f   ...
 *
 * A group takes `each` bundles of runs. How lanes are loaded is the tile's.
 *
 * needs: contract.cl, lane_items.cl, partials.cl, segments.cl, tile_lanes.cl, write.cl
 */
CLFOLD_KERNEL void
clfold_reduce_lanes(CLFOLD_BUNDLES_PARAMS,
                    global clfold_item *partials, uint is_last,
                    global CLFOLD_OUT *out, ulong out_offset,
                    CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    CLFOLD_BUNDLE(bundle);
    ulong b = get_group_id(0) * each, end = b + each, first;
    uint num;

    while (b < end && (num = clfold_bundle_place(b++, line, part, CLFOLD_CUT, num_runs,
                                                 &first, bundle)) > 0) {
        clfold_lanes_fold(in, in_offset, num, width, run, bundle CLFOLD_PASS);
        /* The common case is a short loop. */
        if (is_last && !clfold_init_from) {
            for (uint l = (uint)get_local_id(0); l < num; l += CLFOLD_GROUP_SIZE)
                clfold_emit(clfold_lanes_total(bundle, l CLFOLD_PASS),
                            clfold_lanes_total(bundle, l CLFOLD_PASS), 0, first + l, out,
                            out_offset + first + l CLFOLD_PASS);
            continue;
        }
        for (uint l = (uint)get_local_id(0); l < num; l += CLFOLD_GROUP_SIZE)
            clfold_keep(clfold_lanes_total(bundle, l CLFOLD_PASS), false, first + l,
                        is_last != 0, partials, out, out_offset,
                        CLFOLD_INIT_ARGS CLFOLD_PASS);
    }
}

/* A work-item takes a run of partials. */
CLFOLD_KERNEL void
clfold_lanes_partials(global clfold_item *scratch, ulong from, ulong to,
                      CLFOLD_CUT_PARAMS, ulong num_runs, uint is_last,
                      global CLFOLD_OUT *out, ulong out_offset,
                      CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    const ulong i = get_group_id(0) * CLFOLD_GROUP_SIZE + get_local_id(0);

    if (i < num_runs) {
        const clfold_run r = clfold_nth_run(i, CLFOLD_CUT);
        global const clfold_item *items = scratch + from + r.begin;
        clfold_item total = clfold_taken(items[0]);
        for (ulong k = 1; k < r.items; ++k)
            total = clfold_combine(total, clfold_taken(items[k * width]) CLFOLD_PASS);
        clfold_keep(total, false, i, is_last != 0, scratch + to, out, out_offset,
                    CLFOLD_INIT_ARGS CLFOLD_PASS);
    }
}
