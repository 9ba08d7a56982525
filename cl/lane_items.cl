/*
 * Items of a bundle's lanes, whatever the tile: the fold of a lane, and of a scan also
 * what becomes of it after the prefix that the strategy has set.
 */
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

#endif
