/*
 * Folds of runs are folded again, and go to another area of the scratch, or in the last
 * launch, where each segment is one run, to the output. A work-item takes a run.
 *
 * needs: contract.cl, segments.cl, write.cl
 * names: clfold_combine
 */

/* What becomes of the fold of run i; in the last launch that is segment i. */
static void clfold_keep(clfold_item total, ulong i, bool is_last, global clfold_item *to,
                        global CLFOLD_OUT *out, ulong out_offset,
                        CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    if (is_last)
        clfold_reduce_end(total, false, i, out, out_offset + i,
                          CLFOLD_INIT_ARGS CLFOLD_PASS);
    else
        to[i] = total;
}

CLFOLD_KERNEL void
clfold_segment_partials(global clfold_item *scratch, ulong from, ulong to,
                        CLFOLD_CUT_PARAMS, ulong num_runs, ulong each, uint is_last,
                        global CLFOLD_OUT *out, ulong out_offset,
                        CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    const ulong first = get_group_id(0) * each * CLFOLD_GROUP_SIZE;
    const ulong stop = min(first + each * CLFOLD_GROUP_SIZE, num_runs);

    for (ulong i = first + get_local_id(0); i < stop; i += CLFOLD_GROUP_SIZE) {
        const clfold_run r = clfold_nth_run(i, CLFOLD_CUT);
        global const clfold_item *items = scratch + from + r.begin;
        clfold_item total = clfold_taken(items[0]);
        for (ulong k = 1; k < r.items; ++k)
            total =
                clfold_combine(total, clfold_taken(items[k * width]) CLFOLD_PASS);
        clfold_keep(total, i, is_last != 0, scratch + to, out, out_offset,
                    CLFOLD_INIT_ARGS CLFOLD_PASS);
    }
}
