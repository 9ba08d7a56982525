/*
 * Items of a bundle's lanes, whatever the tile: the fold of a lane, and of a scan also
 * what becomes of it after the prefix that the strategy has set, and what is written.
 *
 * needs: contract.cl, element.cl, segments.cl, tile_lanes.cl, write.cl
 */
/*
 * The first run of bundle b. A line are the runs of a bundle, or one row of many columns,
 * which is cut into parts: the last one takes a rest of less than 16 columns, too.
 */
static ulong clfold_bundle_first(ulong b, ulong line, ulong part)
{
    if (line <= part)
        return b * line;
    const ulong parts = (line + part - 16) / part;
    return b / parts * line + b % parts * part;
}

/* Of a kernel by lanes: a group takes `each` bundles. */
#define CLFOLD_BUNDLES_PARAMS                                                            \
    global const CLFOLD_IN *in, ulong in_offset, CLFOLD_CUT_PARAMS, ulong num_runs,      \
        ulong line, ulong part, ulong each, uint ahead

/* Places the runs of bundle b, from *first on; returns how many, 0 past the last. */
static uint clfold_bundle_place(ulong b, ulong line, ulong part, CLFOLD_CUT_PARAMS,
                                ulong num_runs, ulong *first,
                                clfold_bundle_pointer bundle)
{
    uint num;

    *first = clfold_bundle_first(b, line, part);
    if (*first >= num_runs)
        return 0;
    num = (uint)(min(clfold_bundle_first(b + 1, line, part), num_runs) - *first);
    clfold_lanes_place(*first, num, CLFOLD_CUT, bundle);
    return num;
}

static clfold_item clfold_lanes_total(clfold_bundle_pointer bundle,
                                      uint l CLFOLD_WITH)
{
#if CLFOLD_NUMBERS
    return bundle->sums[l];
#else
    return clfold_empty(clfold_lanes_stage(bundle, l), bundle->begin[l] CLFOLD_PASS);
#endif
}

#if CLFOLD_SCAN

/* Of clfold_lanes_scan: the first `num` lanes of a bundle, in runs of `run` items. */
#define CLFOLD_LANES_SCAN_PARAMS                                                         \
    global const CLFOLD_IN *in, ulong in_offset, uint num, ulong width, ulong run,       \
        global CLFOLD_OUT *out, ulong out_offset, bool stream,                           \
        clfold_bundle_pointer bundle

/* What a fold of lane l's is, with the prefix before it. */
static clfold_item clfold_lane_item(clfold_stage x, uint l,
                                    clfold_bundle_pointer bundle CLFOLD_WITH)
{
    clfold_item y = clfold_empty(x, bundle->begin[l] CLFOLD_PASS);

    if (bundle->has_prefix[l])
        y = clfold_combine(clfold_taken(bundle->prefix[l]), y CLFOLD_PASS);
    return y;
}

/* The item before lane l's first one. */
static clfold_item clfold_lane_first(uint l, clfold_bundle_pointer bundle CLFOLD_WITH)
{
    return clfold_or_identity(clfold_taken(bundle->prefix[l]),
                              !bundle->has_prefix[l] CLFOLD_PASS);
}

/* The item before an element of lane l, of the fold before it, unless it is the first. */
static clfold_item clfold_lane_before(clfold_stage before, bool is_first, uint l,
                                      clfold_bundle_pointer bundle CLFOLD_WITH)
{
    if (is_first)
        return clfold_lane_first(l, bundle CLFOLD_PASS);
    return clfold_lane_item(before, l, bundle CLFOLD_PASS);
}

/* Writes what is made of element i of the input, which is at s, in lane l: of the fold up
 * to it, and of that `before` it. */
static void clfold_lane_emit(clfold_stage total, clfold_stage before, bool is_first,
                             uint l, global const CLFOLD_IN *s, ulong i,
                             global CLFOLD_OUT *out, ulong index,
                             clfold_bundle_pointer bundle CLFOLD_WITH)
{
    clfold_item y, prev;

    if (CLFOLD_EXCLUSIVE || CLFOLD_WRITES_PREV)
        prev = clfold_lane_before(before, is_first, l, bundle CLFOLD_PASS);
    y = CLFOLD_EXCLUSIVE ? prev : clfold_lane_item(total, l, bundle CLFOLD_PASS);
    clfold_emit(y, CLFOLD_WRITES_PREV ? prev : y, s, i, out, index CLFOLD_PASS);
}

#endif
