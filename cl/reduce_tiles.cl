/*
 * reduce_tiles: out[s] = init op the elements of segment s, a whole input or a row, from
 * the left.
 *
 * A group folds a run of neighbours, tile by tile from the left. What is one run is done;
 * else the runs' partials are folded again, from the left or in a tree that keeps order:
 * in a second launch, a group for each segment, or by the last group of the first one,
 * if the input is whole. Where a device limits what a work-item may do in one launch,
 * runs are short and partials many, and more launches fold runs of these.
 *
 *   elements    . . . . . . .  | . . . . . . .  | . . .   runs, tile by tile; many rows
 *   partials         p0               p1            p2      are a run each
 *   out                      p0 op p1 op p2
 *
 *   groups      0: p0, leaves    2: p2, leaves    1: p1, is the last, and folds p0 p1 p2
 *
 * Partials lie in memory in their order, so bits do not depend on which group is last. It
 * waits for nobody.
 *
 * needs: contract.cl, count.cl, segments.cl, fold_run.cl, partials.cl, tile.cl
 * needs if CLFOLD_FENCES: memory.cl
 */
#if CLFOLD_FENCES

/* Whether all other groups have left their partials, which can be read then; `left` is
 * zero when a launch begins, and when it ends. Launches take turns with two, and each
 * clears the other one: a count that a launch has spoilt is right the next time. */
static bool clfold_is_last_group(clfold_word_pointer left)
{
    bool is_last;

    clfold_release();
    is_last = clfold_add(left, 1) + 1 == get_num_groups(0);
    if (is_last) {
        clfold_acquire();
        clfold_write(left, 0);
    }
    return is_last;
}

#endif

CLFOLD_KERNEL void
clfold_reduce_tiles(global const CLFOLD_IN *in, ulong in_offset, ulong most_count,
                    ulong length, ulong runs, ulong run, ulong most_num_runs, ulong each,
                    uint ahead, global clfold_item *partials, ulong to, uint is_last,
                    uint joins, uint turn, global CLFOLD_OUT *out, ulong out_offset,
                    CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    CLFOLD_TILE_MEMORY(memory);
    const ulong count = clfold_true_count(most_count CLFOLD_PASS);
    const ulong num_runs = clfold_true_runs(most_num_runs, count, run, 0, 1);
    const ulong first = get_group_id(0) * each;
    uint left = (uint)(min(first + each, num_runs) - min(first, num_runs));

    for (ulong i = first; left > 0; ++i, --left) {
        const clfold_run r = clfold_nth_run(i, count, 1, length, runs, run, 0);
        clfold_fold_run(in, in_offset, r.begin, r.begin + r.items, ahead,
                        memory CLFOLD_PASS);
        if (get_local_id(0) == 0)
            clfold_keep(memory[CLFOLD_KEPT], r.items == 0, i, is_last != 0,
                        partials + to, out, out_offset, CLFOLD_INIT_ARGS CLFOLD_PASS);
    }
#if CLFOLD_FENCES
    CLFOLD_SHARED(uint, num);
    const clfold_word_pointer counters = (clfold_word_pointer)partials;
    if (get_local_id(0) == 0) {
        if (joins && first == 0)
            clfold_write(counters + 1 - turn, 0);
        *num = joins && clfold_is_last_group(counters + turn) ? (uint)num_runs : 0;
    }
    clfold_tile_sync();
    /* Called in any case, as tile_group.cl says. */
    clfold_tile_fold_items(partials + to, CLFOLD_COUNT_AT && count == 0 ? 0 : *num,
                           memory CLFOLD_PASS);
    if (get_local_id(0) == 0 && *num > 0)
        clfold_keep(memory[0], CLFOLD_COUNT_AT && count == 0, 0, true, partials, out,
                    out_offset, CLFOLD_INIT_ARGS CLFOLD_PASS);
#endif
}

/* A group takes a run of partials. */
CLFOLD_KERNEL void
clfold_reduce_partials(global clfold_item *scratch, ulong from, ulong to,
                       ulong most_count, ulong length, ulong runs, ulong run,
                       ulong most_num_runs, uint is_last, global CLFOLD_OUT *out,
                       ulong out_offset, CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    CLFOLD_TILE_MEMORY(memory);
    const ulong count = clfold_true_count(most_count CLFOLD_PASS);
    const ulong num_runs = clfold_true_runs(most_num_runs, count, run, 0, 1);
    const ulong i = get_group_id(0);
    const clfold_run r = clfold_nth_run(i, count, 1, length, runs, run, 0);

    clfold_tile_fold_items(scratch + from + r.begin, i < num_runs ? (uint)r.items : 0,
                           memory CLFOLD_PASS);
    if (get_local_id(0) == 0 && i < num_runs)
        clfold_keep(memory[0], CLFOLD_COUNT_AT && r.items == 0, i, is_last != 0,
                    scratch + to, out, out_offset, CLFOLD_INIT_ARGS CLFOLD_PASS);
}
