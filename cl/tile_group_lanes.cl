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
 */
typedef union {
    clfold_stage stage;
    clfold_item item;
} clfold_slot_of_lane;

typedef struct {
    ulong begin[CLFOLD_GROUP_SIZE], items[CLFOLD_GROUP_SIZE];
    clfold_stage sums[CLFOLD_GROUP_SIZE];
#ifdef CLFOLD_SCAN
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

/* Of element e of what a group loads at once: the lane, and which of its items. */
static uint clfold_lane_of(uint e, ulong width)
{
    return width < CLFOLD_STEP ? e / CLFOLD_STEP : e % CLFOLD_GROUP_SIZE;
}

static uint clfold_item_of_lane(uint e, ulong width)
{
    return width < CLFOLD_STEP ? e % CLFOLD_STEP : e / CLFOLD_GROUP_SIZE;
}

/* Where item i of those that lie in local memory is. */
#define CLFOLD_SLOT_OF(lane, i) ((lane) * (CLFOLD_STEP + 1) + (i))

/* Items i0 to i0 + CLFOLD_STEP - 1 of each lane to their slots. */
static void clfold_lanes_load(global const CLFOLD_IN *in, ulong in_offset, uint num,
                              ulong width, ulong i0,
                              clfold_bundle_pointer bundle CLFOLD_WITH)
{
    for (uint e = (uint)get_local_id(0); e < CLFOLD_GROUP_SIZE * CLFOLD_STEP;
         e += CLFOLD_GROUP_SIZE) {
        const uint lane = clfold_lane_of(e, width), i = clfold_item_of_lane(e, width);
        if (lane < num && i0 + i < bundle->items[lane])
            bundle->slots[CLFOLD_SLOT_OF(lane, i)].stage =
                clfold_load(in, in_offset + bundle->begin[lane],
                            (uint)((i0 + i) * width) CLFOLD_PASS);
    }
}

static void clfold_lanes_fold(global const CLFOLD_IN *in, ulong in_offset, uint num,
                              ulong width, ulong run,
                              clfold_bundle_pointer bundle CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);

    for (ulong i0 = 0; i0 < run; i0 += CLFOLD_STEP) {
        clfold_lanes_load(in, in_offset, num, width, i0, bundle CLFOLD_PASS);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; l < num && i < CLFOLD_STEP && i0 + i < bundle->items[l]; ++i) {
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

static clfold_item clfold_lanes_total(clfold_bundle_pointer bundle, uint l)
{
    return clfold_empty(bundle->sums[l], bundle->begin[l]);
}

#ifdef CLFOLD_SCAN

/* What a fold of lane l's is, with the prefix before it. */
static clfold_item clfold_lane_item(clfold_stage x, uint l,
                                    clfold_bundle_pointer bundle CLFOLD_WITH)
{
    clfold_item y = clfold_empty(x, bundle->begin[l]);

    if (bundle->has_prefix[l])
        y = clfold_combine(clfold_taken(bundle->prefix[l]), y CLFOLD_PASS);
    return y;
}

/* The first item of an exclusive scan of lane l. */
static clfold_item clfold_lane_first(uint l, clfold_bundle_pointer bundle CLFOLD_WITH)
{
    clfold_item y = clfold_taken(bundle->prefix[l]);

#if CLFOLD_HAS_IDENTITY
    if (!bundle->has_prefix[l])
        y = clfold_identity(CLFOLD_PASS_ONLY);
#endif
    return y;
}

/* Results lie in the slots until the group writes them, as it has loaded. */
static void clfold_lanes_scan(global const CLFOLD_IN *in, ulong in_offset, uint num,
                              ulong width, ulong run, global CLFOLD_OUT *out,
                              ulong out_offset, bool stream,
                              clfold_bundle_pointer bundle CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);

    for (ulong i0 = 0; i0 < run; i0 += CLFOLD_STEP) {
        clfold_lanes_load(in, in_offset, num, width, i0, bundle CLFOLD_PASS);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; l < num && i < CLFOLD_STEP && i0 + i < bundle->items[l]; ++i) {
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
        for (uint e = l; e < CLFOLD_GROUP_SIZE * CLFOLD_STEP; e += CLFOLD_GROUP_SIZE) {
            const uint lane = clfold_lane_of(e, width), i = clfold_item_of_lane(e, width);
            if (lane < num && i0 + i < bundle->items[lane])
                clfold_store(bundle->slots[CLFOLD_SLOT_OF(lane, i)].item, out,
                             out_offset + bundle->begin[lane] + (i0 + i) * width);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#endif
