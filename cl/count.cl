/*
 * The true number of elements, where it is in memory: what the call says is a bound then.
 * A kernel limits its count, and the runs that are cut of it, before all else:
 *
 *   bound     . . . . | . . . . | . . . . | . .     grids, scratch, and how runs are cut
 *   count     . . . . | . . .                       2 runs are left
 *
 * `least` runs are left of no elements: 1 where an empty run has a result. Elements of
 * later launches are folds of CLFOLD_WITH's clfold_unit each. A count of 0 stays 0, and
 * memory is not read: a rehearsal has none.
 *
 * names: CLFOLD_COUNT_AT
 */
#if CLFOLD_COUNT_AT
#define CLFOLD_LIMIT_COUNT(count)                                                        \
    do {                                                                                 \
        if ((count) > 0) {                                                               \
            clfold_n = min(clfold_n, clfold_count_at[clfold_count_index]);               \
            count = min(count, clfold_n / clfold_unit + (clfold_n % clfold_unit > 0));   \
        }                                                                                \
    } while (0)
#define CLFOLD_LIMIT_RUNS(count, num_runs, run, lead, least)                             \
    do {                                                                                 \
        CLFOLD_LIMIT_COUNT(count);                                                       \
        num_runs = min(num_runs, (count) > 0 ? ((count) + (lead) + (run) - 1) / (run)    \
                                             : (ulong)(least));                          \
    } while (0)
#else
#define CLFOLD_LIMIT_COUNT(count)                            (void)0
#define CLFOLD_LIMIT_RUNS(count, num_runs, run, lead, least) (void)0
#endif
