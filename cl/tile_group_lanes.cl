/*
 * Lanes of a work-group, one a work-item, with the interface of tile_item_lanes.cl. A
 * group loads CLFOLD_STEP items of each lane into local memory, so that neighbours load
 * what is side by side: along columns from lane to lane, along rows from item to item.
 *
 *   columns   by work-item 0 1 2     rows   by work-item 0 1 2 0     STEP = 4, GROUP = 3
 *   item 0    lane 0 1 2               lane 0   item 0 1 2 3
 *   item 1    lane 0 1 2               lane 1   item 0 1 2 3
 *
 * All that outlives a barrier is in local memory, as in tile_group.cl.
 *
 * needs: contract.cl, element.cl, segments.cl
 */
typedef union {
    clfold_stage stage;
    clfold_item item;
} clfold_slot_of_lane;

typedef struct {
    ulong begin[CLFOLD_GROUP_SIZE], items[CLFOLD_GROUP_SIZE];
    clfold_stage sums[CLFOLD_GROUP_SIZE];
#if CLFOLD_SCAN
    clfold_item prefix[CLFOLD_GROUP_SIZE];
    uint has_prefix[CLFOLD_GROUP_SIZE];
#endif
    clfold_slot_of_lane slots[CLFOLD_GROUP_SIZE * (CLFOLD_STEP + 1)];
} clfold_bundle;

typedef local clfold_bundle *clfold_bundle_pointer;

#define CLFOLD_BUNDLE(bundle)                                                            \
    local clfold_bundle bundle##_local;                                                  \
    const clfold_bundle_pointer bundle = &bundle##_local

static void clfold_lanes_place(ulong first, uint num, CLFOLD_CUT_PARAMS,
                               clfold_bundle_pointer bundle)
{
    const uint l = (uint)get_local_id(0);

    if (l < num) {
        const clfold_run r = clfold_nth_run(first + l, CLFOLD_CUT);
        bundle->begin[l] = r.begin;
        bundle->items[l] = r.items;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* A group loads `steps` items of each lane at once, a power of two, from i0 on, so far as
 * there are any. */
static uint clfold_lane_steps(ulong run, ulong i0)
{
    const uint num = (uint)min((ulong)CLFOLD_STEP, run - i0);

    return 1u << (32 - clz(num - 1)) % 32;
}

/* Of element k of these that a work-item loads, the lane, and which of its items. */
static uint clfold_lane_of(uint k, ulong width, uint steps)
{
    const uint l = (uint)get_local_id(0);

    return width < CLFOLD_STEP ? (k * CLFOLD_GROUP_SIZE + l) >> (31 - clz(steps)) : l;
}

static uint clfold_item_of_lane(uint k, ulong width, uint steps)
{
    const uint l = (uint)get_local_id(0);

    return width < CLFOLD_STEP ? (k * CLFOLD_GROUP_SIZE + l) & (steps - 1) : k;
}

/* Where item i of those that lie in local memory is. */
#define CLFOLD_SLOT_OF(lane, i) ((lane) * (CLFOLD_STEP + 1) + (i))

/* Elements that a work-item has under way at once; long ones take many registers. */
#define CLFOLD_LANE_LOADS (sizeof(clfold_stage) <= 8 ? 4 : 1)

/* They go to their slots. Loads and stores are under no condition, so that several loads
 * are under way: where there is no such lane or item the last one is loaded again, and
 * goes to the slot that this work-item's lane has in excess. Returns how many items that
 * lane has. */
static uint clfold_lanes_load(global const CLFOLD_IN *in, ulong in_offset, uint num,
                              ulong width, ulong run, ulong i0,
                              clfold_bundle_pointer bundle CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0), steps = clfold_lane_steps(run, i0);

    for (uint k0 = 0; k0 < steps; k0 += CLFOLD_LANE_LOADS) {
        clfold_stage x[CLFOLD_LANE_LOADS];
#pragma unroll
        for (uint k = 0; k < CLFOLD_LANE_LOADS; ++k) {
            const uint lane = min(clfold_lane_of(k0 + k, width, steps), num - 1);
            const uint i = min((uint)i0 + clfold_item_of_lane(k0 + k, width, steps),
                               (uint)bundle->items[lane] - 1);
            x[k] = clfold_load(in, in_offset + bundle->begin[lane],
                               i * (uint)width CLFOLD_PASS);
        }
#pragma unroll
        for (uint k = 0; k < CLFOLD_LANE_LOADS; ++k) {
            const uint lane = clfold_lane_of(k0 + k, width, steps);
            const uint i = clfold_item_of_lane(k0 + k, width, steps);
            const bool has = k0 + k < steps && lane < num &&
                             i0 + i < bundle->items[min(lane, num - 1)];
            bundle->slots[has ? CLFOLD_SLOT_OF(lane, i) : CLFOLD_SLOT_OF(l, CLFOLD_STEP)]
                .stage = x[k];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return l < num && i0 < bundle->items[l]
               ? (uint)min((ulong)steps, bundle->items[l] - i0)
               : 0;
}

static void clfold_lanes_fold(global const CLFOLD_IN *in, ulong in_offset, uint num,
                              ulong width, ulong run,
                              clfold_bundle_pointer bundle CLFOLD_WITH)
{
    for (ulong i0 = 0; i0 < run; i0 += CLFOLD_STEP) {
        const uint mine =
            clfold_lanes_load(in, in_offset, num, width, run, i0, bundle CLFOLD_PASS);
        const uint l = (uint)get_local_id(0);
        for (uint i = 0; i < mine; ++i) {
            const clfold_stage x = bundle->slots[CLFOLD_SLOT_OF(l, i)].stage;
            if (i0 + i == 0)
                bundle->sums[l] = x;
            else
                bundle->sums[l] = clfold_combine_stage(bundle->sums[l], x CLFOLD_PASS);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

static clfold_stage clfold_lanes_stage(clfold_bundle_pointer bundle, uint l)
{
    return bundle->sums[l];
}
