/*
 * Lanes of a work-item, scalar by scalar, with the interface that all tiles' lanes have:
 *
 *   CLFOLD_BUNDLE        the memory of CLFOLD_TILE lanes, which a group shares
 *   clfold_lanes_place   which run each lane takes
 *   clfold_lanes_fold    folds the runs from the left
 *   clfold_lanes_stage   the fold of a lane, for the work-item of that lane,
 *   clfold_lanes_total   and as an item, in lane_items.cl
 *   clfold_lanes_scan    in tile_item_lanes_scan.cl: scans the runs, after the prefixes
 *                        that the strategy sets: prefix[l], if has_prefix[l]
 *
 * Lanes are folded in step, so that one waits while the others go on.
 *
 * needs: contract.cl, element.cl, segments.cl
 */
typedef struct {
    ulong begin[CLFOLD_TILE], items[CLFOLD_TILE];
    clfold_stage sums[CLFOLD_TILE];
#if CLFOLD_SCAN
    clfold_item prefix[CLFOLD_TILE];
    uint has_prefix[CLFOLD_TILE];
#endif
} clfold_bundle;

typedef private clfold_bundle *clfold_bundle_pointer;

#define CLFOLD_BUNDLE(bundle)                                                            \
    clfold_bundle bundle##_private;                                                      \
    clfold_bundle_pointer bundle = &bundle##_private

static void clfold_lanes_place(ulong first, uint num, CLFOLD_CUT_PARAMS,
                               clfold_bundle_pointer bundle)
{
    for (uint l = 0; l < num; ++l) {
        const clfold_run r = clfold_nth_run(first + l, CLFOLD_CUT);
        bundle->begin[l] = r.begin;
        bundle->items[l] = r.items;
    }
}

/* Item i of lane l, which is loaded, and what is before it. */
static clfold_stage clfold_lane_step(global const CLFOLD_IN *in, ulong in_offset, uint l,
                                     ulong i, ulong width,
                                     clfold_bundle_pointer bundle CLFOLD_WITH)
{
    const clfold_stage x =
        clfold_load(in, in_offset + bundle->begin[l], (uint)(i * width) CLFOLD_PASS);
    clfold_stage total = x;

    if (i > 0) {
        clfold_stage before;
        before.$name = bundle->sums[l].$name;
        total = clfold_combine_stage(before, x CLFOLD_PASS);
    }
    bundle->sums[l].$name = total.$name;
    return total;
}

static void clfold_lanes_fold(global const CLFOLD_IN *in, ulong in_offset, uint num,
                              ulong width, ulong run,
                              clfold_bundle_pointer bundle CLFOLD_WITH)
{
    for (ulong i = 0; i < run; ++i) {
        for (uint l = 0; l < num; ++l) {
            if (i < bundle->items[l])
                clfold_lane_step(in, in_offset, l, i, width, bundle CLFOLD_PASS);
        }
    }
}

static clfold_stage clfold_lanes_stage(clfold_bundle_pointer bundle, uint l)
{
    clfold_stage x;

    x.$name = bundle->sums[l].$name;
    return x;
}
