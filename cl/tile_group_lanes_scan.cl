/*
 * Scans by lanes of a work-group, as tile_group_lanes.cl folds them. Results lie in the
 * slots until the group writes them, as it has loaded.
 */
static void clfold_lanes_scan(global const CLFOLD_IN *in, ulong in_offset, uint num,
                              ulong width, ulong run, global CLFOLD_OUT *out,
                              ulong out_offset, bool stream,
                              clfold_bundle_pointer bundle CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);

    for (ulong i0 = 0; i0 < run; i0 += CLFOLD_STEP) {
        const uint mine =
            clfold_lanes_load(in, in_offset, num, width, run, i0, bundle CLFOLD_PASS);
        for (uint i = 0; i < mine; ++i) {
            local clfold_slot_of_lane *slot = &bundle->slots[CLFOLD_SLOT_OF(l, i)];
            const clfold_stage before = bundle->sums[l];
            clfold_stage x = slot->stage;
            if (i0 + i > 0)
                x = clfold_combine_stage(before, x CLFOLD_PASS);
            bundle->sums[l] = x;
            if (CLFOLD_EXCLUSIVE && i0 + i == 0)
                slot->item = clfold_lane_first(l, bundle CLFOLD_PASS);
            else
                slot->item = clfold_lane_item(CLFOLD_EXCLUSIVE ? before : x, l,
                                              bundle CLFOLD_PASS);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint steps = clfold_lane_steps(run, i0);
        for (uint k = 0; k < steps; ++k) {
            const uint lane = clfold_lane_of(k, width, steps);
            const uint i = clfold_item_of_lane(k, width, steps);
            if (lane < num && i0 + i < bundle->items[lane])
                clfold_store(bundle->slots[CLFOLD_SLOT_OF(lane, i)].item, out,
                             out_offset + bundle->begin[lane] + (i0 + i) * width);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
