/*
 * Scans by lanes of a work-group, as tile_group_lanes.cl folds them. Items lie in the
 * slots until the group writes them, as it has loaded; and the item before a lane's first
 * slot in its last one, so that each lies in the slot before, around the end:
 *
 *   slots    0   1   2   3   4        STEP = 4
 *   items    i   i+1 i+2 i+3 i-1
 *
 * needs: contract.cl, lane_items.cl, tile_group_lanes.cl, write.cl
 */
#define CLFOLD_SLOT_BEFORE(lane, i)                                                      \
    CLFOLD_SLOT_OF(lane, ((i) + CLFOLD_STEP) % (CLFOLD_STEP + 1))

static void clfold_lanes_scan(CLFOLD_LANES_SCAN_PARAMS CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);

    for (ulong i0 = 0; i0 < run; i0 += CLFOLD_STEP) {
        const uint mine =
            clfold_lanes_load(in, in_offset, num, width, run, i0, bundle CLFOLD_PASS);
        if (!CLFOLD_EXCLUSIVE && CLFOLD_WRITES_PREV && mine > 0)
            bundle->slots[CLFOLD_SLOT_BEFORE(l, 0)].item =
                clfold_lane_before(bundle->sums[l], i0 == 0, l, bundle CLFOLD_PASS);
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
            if (lane < num && i0 + i < bundle->items[lane]) {
                const ulong at = bundle->begin[lane] + (i0 + i) * width;
                const clfold_item y =
                    clfold_taken(bundle->slots[CLFOLD_SLOT_OF(lane, i)].item);
                clfold_item before = y;
                if (!CLFOLD_EXCLUSIVE && CLFOLD_WRITES_PREV)
                    before =
                        clfold_taken(bundle->slots[CLFOLD_SLOT_BEFORE(lane, i)].item);
                clfold_emit(y, before, in + (in_offset + at) * CLFOLD_SCALARS, at, out,
                            out_offset + at CLFOLD_PASS);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
