/*
 * The true numbers of elements and of segments, where they are in memory: what the call
 * says are bounds then. A kernel's parameter most_count is such a bound; the host knows
 * it as `count`:
 *
 *   bound     . . . . | . . . . | . . . . | . .     grids, scratch, and how runs are cut
 *   count     . . . . | . . .                       2 runs are left
 *
 * Of a bound of 0 memory is not read: a rehearsal has none.
 *
 * needs: contract.cl
 */
/* Of clfold_n: elements of the call. */
static ulong clfold_true_n(ulong most CLFOLD_WITH)
{
#if CLFOLD_COUNT_AT
    return most > 0 ? min(most, clfold_count_at[clfold_count_index]) : 0;
#else
    return most;
#endif
}

/* Of segments by offsets. */
static ulong clfold_true_num(ulong most CLFOLD_WITH)
{
#if CLFOLD_NUM_AT
    return most > 0 ? min(most, clfold_num_at[clfold_num_index]) : 0;
#else
    return most;
#endif
}

/* Of a launch's elements, each the fold of clfold_unit of the call's. */
static ulong clfold_true_count(ulong most CLFOLD_WITH)
{
#if CLFOLD_COUNT_AT
    const ulong n = most > 0 ? clfold_true_n(clfold_n CLFOLD_PASS) : 0;

    return n > 0 ? min(most, n / clfold_unit + (n % clfold_unit > 0)) : 0;
#else
    return most;
#endif
}

/* Of the runs that `count` elements are cut into; `least` of none: 1 where an empty run
 * has a result. */
static ulong clfold_true_runs(ulong most, ulong count, ulong run, ulong lead, ulong least)
{
    return CLFOLD_COUNT_AT ? min(most, count > 0 ? (count + lead + run - 1) / run : least)
                           : most;
}
