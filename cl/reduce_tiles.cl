/*
 * reduce_tiles: out[0] = init op in[0] op ... op in[count - 1], from offsets on.
 *
 * Each group folds a run of neighbouring elements, tile by tile from the left; a second
 * launch, of one group, folds the groups' partials, again from the left or in a tree that
 * keeps order. Small counts take one launch of one group. Where a device limits what a
 * work-item may do in one launch, runs are short and partials many, and more launches
 * fold runs of partials into fewer ones.
 *
 *   elements    0 ...          | ...            | ... count - 1
 *   tiles       . . . . . . .  | . . . . . . .  | . . .   a run's last is short
 *   partials         p0               p1            p2           clfold_reduce_tiles
 *   out                      p0 op p1 op p2                      clfold_reduce_partials
 *
 * Written on the tile interface alone: barriers and local memory are the tile's. The runs
 * start at in_offset.
 *
 * needs: contract.cl, fold_run.cl, tile.cl, write.cl
 */

CLFOLD_KERNEL void
clfold_reduce_single(global const CLFOLD_IN *in, ulong in_offset, ulong count,
                     uint ahead, global CLFOLD_OUT *out, ulong out_offset,
                     CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    CLFOLD_TILE_MEMORY(memory);

    clfold_fold_run(in, in_offset, 0, count, ahead, memory CLFOLD_PASS);
    if (get_local_id(0) == 0)
        clfold_reduce_end(memory[CLFOLD_KEPT], count == 0, 0, out, out_offset,
                          CLFOLD_INIT_ARGS CLFOLD_PASS);
}

CLFOLD_KERNEL void
clfold_reduce_tiles(global const CLFOLD_IN *in, ulong in_offset, ulong count,
                    uint ahead, ulong run, global clfold_item *partials CLFOLD_WITH)
{
    CLFOLD_TILE_MEMORY(memory);
    const ulong first = get_group_id(0) * run;

    clfold_fold_run(in, in_offset, first, min(first + run, count), ahead,
                    memory CLFOLD_PASS);
    if (get_local_id(0) == 0 && first < count)
        partials[get_group_id(0)] = memory[CLFOLD_KEPT];
}

CLFOLD_KERNEL void
clfold_reduce_partials(global clfold_item *scratch, ulong from, ulong to, ulong num,
                       ulong run, global CLFOLD_OUT *out, ulong out_offset,
                       CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    CLFOLD_TILE_MEMORY(memory);
    const ulong first = get_group_id(0) * run;

    clfold_tile_fold_items(scratch + from + first, (uint)min(run, num - first),
                           memory CLFOLD_PASS);
    if (get_local_id(0) == 0 && get_num_groups(0) == 1)
        clfold_reduce_end(memory[0], num == 0, 0, out, out_offset,
                          CLFOLD_INIT_ARGS CLFOLD_PASS);
    else if (get_local_id(0) == 0)
        scratch[to + get_group_id(0)] = memory[0];
}
