/*
 * Counts, which are the items that a select scans. Strategies and look-back do not know
 * what items are. What elements are folded into, and written as, is a clfold_folded.
 *
 *   kept      1 0 0 1 | 1 1 0 1 | 0 0 1 0
 *   totals       2         3         1
 *   prefixes     0         2         5         where a tile's elements go
 *   starts       3         7        10         of runs: where the last one starts
 *
 * needs: contract.cl, count.cl, element.cl
 */
typedef struct {
    ulong kept;
#if CLFOLD_KEEPS_RUNS
    ulong start; /* of the last run, if any is kept */
#endif
} clfold_item;

static clfold_item clfold_kept_of(ulong kept, ulong start)
{
    clfold_item x;

    x.kept = kept;
#if CLFOLD_KEEPS_RUNS
    x.start = start;
#endif
    return x;
}

static clfold_item clfold_init(CLFOLD_INIT_PARAMS)
{
    return clfold_kept_of(0, 0);
}

static clfold_item clfold_taken(clfold_item x)
{
    return x;
}

/* No parameter is assigned to: on rusticl the caller's struct changes. */
static clfold_item clfold_combine(clfold_item a, clfold_item b CLFOLD_WITH)
{
#if CLFOLD_KEEPS_RUNS
    return clfold_kept_of(a.kept + b.kept, b.kept > 0 ? b.start : a.start);
#else
    return clfold_kept_of(a.kept + b.kept, 0);
#endif
}

/* Writes how many are kept, if that is wanted, and the last run's length, if there may be
 * as many runs; for one work-item. */
static void clfold_finish(clfold_item total, bool empty, CLFOLD_TOTAL_PARAMS CLFOLD_WITH)
{
    if (has_total)
        ((global ulong *)total_out)[total_index] = total.kept;
#if CLFOLD_KEEPS_RUNS
    if (clfold_has_lengths && total.kept - 1 < clfold_runs_end)
        clfold_run_lengths[clfold_run_lengths_at + total.kept - 1] =
            min(clfold_runs_end, clfold_true_n(clfold_n CLFOLD_PASS)) - total.start;
#endif
}

/* The part of a tile that is kept, of the others, and of runs. */
typedef struct {
    ulong at;    /* where the first one goes in the output */
    ulong rest;  /* where the first of the others goes */
    ulong start; /* where the run starts that is before the first */
    uint kept;   /* how many are kept */
} clfold_share;

/* Of a tile at element `index`, after the prefix if there is one, whose last item is
 * given. No more are kept before it than there are elements, whatever is in memory. */
static clfold_share clfold_share_of(ulong index, bool has_prefix, clfold_item prefix,
                                    clfold_item next CLFOLD_WITH)
{
    const ulong before = has_prefix ? min(prefix.kept, index) : 0;
    clfold_share share;

    share.at = clfold_out_begin + before;
    share.rest = clfold_rest_at + index - before;
    share.kept = (uint)(next.kept - before);
    share.start = 0;
#if CLFOLD_KEEPS_RUNS
    share.start = prefix.start;
#endif
    return share;
}

/* Writes the length of the run before the one whose first element goes to `index`, and
 * starts at element i; the first of all has none. */
static void clfold_put_length(ulong index, ulong length CLFOLD_WITH)
{
#if CLFOLD_KEEPS_RUNS
    if (clfold_has_lengths && index > clfold_out_begin)
        clfold_run_lengths[clfold_run_lengths_at + index - clfold_out_begin - 1] =
            length;
#endif
}
