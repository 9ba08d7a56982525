/*
 * Scans by lanes of a work-item, one result at a time, with the interface that
 * tile_item_lanes.cl describes.
 */
static void clfold_lanes_scan(global const CLFOLD_IN *in, ulong in_offset, uint num,
                              ulong width, ulong run, global CLFOLD_OUT *out,
                              ulong out_offset, bool stream,
                              clfold_bundle_pointer bundle CLFOLD_WITH)
{
    for (ulong i = 0; i < run; ++i) {
        for (uint l = 0; l < num; ++l) {
            if (i >= bundle->items[l])
                continue;
            const ulong to = out_offset + bundle->begin[l] + i * width;
            const clfold_stage before = clfold_lanes_stage(bundle, l);
            const clfold_stage x =
                clfold_lane_step(in, in_offset, l, i, width, bundle CLFOLD_PASS);
            if (CLFOLD_EXCLUSIVE && i == 0)
                clfold_store(clfold_lane_first(l, bundle CLFOLD_PASS), out, to);
            else
                clfold_store(clfold_lane_item(CLFOLD_EXCLUSIVE ? before : x, l,
                                              bundle CLFOLD_PASS),
                             out, to);
        }
    }
}
