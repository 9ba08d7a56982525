/*
 * scan_lanes: scans each segment from the left, side by side with its neighbours, as
 * reduce_lanes folds them. Long segments are cut into runs: these are folded, the folds
 * become prefixes, and then each run is scanned with its prefix.
 *
 * An item is the prefix combined with the fold inside the run, the last of which has the
 * bits that the first launch folded. They do not depend on where lanes are.
 *
 * needs: contract.cl, lane_items.cl, element.cl, scan_prefixes.cl, scan_tiles.cl
 * needs: segments.cl, tile_lanes.cl, tile_lanes_scan.cl
 */
CLFOLD_KERNEL void
clfold_lanes_aggregates(CLFOLD_BUNDLES_PARAMS, global clfold_item *items CLFOLD_WITH)
{
    CLFOLD_BUNDLE(bundle);
    ulong b = get_group_id(0) * each, end = b + each, first;
    uint num;

    while (b < end && (num = clfold_bundle_place(b++, line, part, CLFOLD_CUT, num_runs,
                                                 &first, bundle)) > 0) {
        clfold_lanes_fold(in, in_offset, num, width, run, bundle CLFOLD_PASS);
        for (uint l = (uint)get_local_id(0); l < num; l += CLFOLD_GROUP_SIZE)
            items[clfold_item_place(first + l, width, runs)] =
                clfold_lanes_total(bundle, l CLFOLD_PASS);
    }
}

CLFOLD_KERNEL void
clfold_scan_bundles(CLFOLD_BUNDLES_PARAMS,
                    global const clfold_item *items, CLFOLD_OUT_PARAMS,
                    CLFOLD_TOTAL_PARAMS, CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    CLFOLD_BUNDLE(bundle);
    ulong b = get_group_id(0) * each, end = b + each, first;
    uint num;
    const clfold_item init = clfold_init(CLFOLD_INIT_ARGS);

    if (num_runs == 0 && has_total && get_local_id(0) == 0)
        clfold_finish(init, !clfold_init_from, has_total, total_out,
                      total_index CLFOLD_PASS);
    while (b < end && (num = clfold_bundle_place(b++, line, part, CLFOLD_CUT, num_runs,
                                                 &first, bundle)) > 0) {
        for (uint l = (uint)get_local_id(0); l < num; l += CLFOLD_GROUP_SIZE) {
            bundle->has_prefix[l] = clfold_init_from != 0;
            bundle->prefix[l] = init;
        }
        /* A loop of its own, since divisions cost more than a short row. */
        for (uint l = (uint)get_local_id(0); runs > 1 && l < num;
             l += CLFOLD_GROUP_SIZE) {
            if ((first + l) / width % runs > 0) {
                bundle->has_prefix[l] = true;
                bundle->prefix[l] = items[clfold_item_place(first + l, width, runs)];
            }
        }
        clfold_lanes_scan(in, in_offset, num, width, run, out, out_offset, stream != 0,
                          bundle CLFOLD_PASS);
        /* Of the last segment. */
        for (uint l = (uint)get_local_id(0);
             runs == 1 && has_total && first + num == num_runs && l < num;
             l += CLFOLD_GROUP_SIZE) {
            if (l + 1 == num)
                clfold_store(clfold_lane_item(clfold_lanes_stage(bundle, l), l,
                                              bundle CLFOLD_PASS),
                             total_out, total_index);
        }
    }
}
