/*
 * Scans by lanes of a work-item, one result at a time, with the interface that
 * tile_item_lanes.cl describes.
 *
 * needs: contract.cl, lane_items.cl, tile_item_lanes.cl
 */
static void clfold_lanes_scan(CLFOLD_LANES_SCAN_PARAMS CLFOLD_WITH)
{
    for (ulong i = 0; i < run; ++i) {
        for (uint l = 0; l < num; ++l) {
            if (i >= bundle->items[l])
                continue;
            const ulong at = bundle->begin[l] + i * width;
            const clfold_stage before = clfold_lanes_stage(bundle, l);
            const clfold_stage x =
                clfold_lane_step(in, in_offset, l, i, width, bundle CLFOLD_PASS);
            clfold_lane_emit(x, before, i == 0, l, in + (in_offset + at) * CLFOLD_SCALARS,
                             at, out, out_offset + at, bundle CLFOLD_PASS);
        }
    }
}
