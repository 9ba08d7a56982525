/*
 * Lanes of a work-item, scalar by scalar, with the interface that all tiles' lanes have:
 *
 *   CLFOLD_BUNDLE        the memory of CLFOLD_TILE lanes, which a group shares
 *   clfold_lanes_place   which run each lane takes
 *   clfold_lanes_fold    folds the runs from the left
 *   clfold_lanes_stage   the fold of a lane, for the work-item of that lane,
 *   clfold_lanes_total   and as an item
 *   clfold_lanes_scan    scans the runs, after the prefixes that the strategy sets:
 *                        prefix[l], if has_prefix[l]
 *
 * Lanes are folded in step, so that one waits while the others go on.
 */
typedef struct {
    ulong begin[CLFOLD_TILE], items[CLFOLD_TILE];
    clfold_stage sums[CLFOLD_TILE];
#ifdef CLFOLD_SCAN
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

static clfold_item clfold_lanes_total(clfold_bundle_pointer bundle, uint l)
{
    return clfold_empty(clfold_lanes_stage(bundle, l), bundle->begin[l]);
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
#endif
