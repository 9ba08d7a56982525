/*
 * reduce_tiles: out[0] = init op in[0] op ... op in[count - 1], from offsets on.
 *
 * Each group folds a run of neighbouring tiles from the left; a second launch, of one
 * group, folds the groups' partials, again from the left or in a tree that keeps order.
 * Small counts take one launch of one group.
 *
 *   tiles       0 1 2 | 3 4 5 | 6 7        tiles_per_group = 3
 *   partials      p0      p1     p2        clfold_reduce_tiles
 *   out          p0 op p1 op p2            clfold_reduce_partials
 *
 * Written on the tile interface alone: barriers and local memory are the tile's. The tile
 * grid starts at in_offset.
 */

#define CLFOLD_INIT_PARAM(k, name, stage, item) , item init_##name
#define CLFOLD_INIT_SET(k, name, stage, item) init.name = init_##name;

/* The fold of tiles first to stop - 1, at least one. Work-item 0 gets the result. */
static clfold_item clfold_fold_run(global const CLFOLD_IN *in, ulong in_offset,
                                   ulong count, ulong first, ulong stop,
                                   clfold_memory memory)
{
    clfold_item total;

    for (ulong t = first; t < stop; ++t) {
        const ulong begin = t * CLFOLD_TILE;
        const uint size = (uint)min((ulong)CLFOLD_TILE, count - begin);
        clfold_item x = clfold_tile_fold(in, in_offset + begin, size, memory);
        if (get_local_id(0) == 0)
            total = t == first ? x : clfold_combine(total, x);
    }
    return total;
}

/* Puts init in front, or takes the identity for what is empty, and stores the result. An
 * empty fold without either stores nothing: the host refuses such a call. */
static void clfold_finish(clfold_item total, bool empty, bool has_init, clfold_item init,
                          global CLFOLD_OUT *out, ulong out_offset)
{
    if (get_local_id(0) != 0)
        return;
    if (has_init)
        total = empty ? init : clfold_combine(init, total);
    else if (empty) {
#if CLFOLD_HAS_IDENTITY
        total = clfold_identity();
#else
        return;
#endif
    }
#define CLFOLD_STORE(k, name, stage, item)                                               \
    out[out_offset * CLFOLD_COMPONENTS + k] = total.name;
    CLFOLD_EACH(CLFOLD_STORE)
}

kernel __attribute__((reqd_work_group_size(CLFOLD_GROUP_SIZE, 1, 1))) void
clfold_reduce_single(global const CLFOLD_IN *in, ulong in_offset, ulong count,
                     global CLFOLD_OUT *out, ulong out_offset,
                     uint has_init CLFOLD_EACH(CLFOLD_INIT_PARAM))
{
    CLFOLD_TILE_MEMORY(memory);
    clfold_item total, init;

    CLFOLD_EACH(CLFOLD_INIT_SET)
    if (count > 0) {
        const ulong tiles = (count + CLFOLD_TILE - 1) / CLFOLD_TILE;
        total = clfold_fold_run(in, in_offset, count, 0, tiles, memory);
    }
    clfold_finish(total, count == 0, has_init != 0, init, out, out_offset);
}

kernel __attribute__((reqd_work_group_size(CLFOLD_GROUP_SIZE, 1, 1))) void
clfold_reduce_tiles(global const CLFOLD_IN *in, ulong in_offset, ulong count,
                    ulong tiles_per_group, global clfold_item *partials)
{
    CLFOLD_TILE_MEMORY(memory);
    const ulong tiles = (count + CLFOLD_TILE - 1) / CLFOLD_TILE;
    const ulong first = get_group_id(0) * tiles_per_group;

    if (first < tiles) {
        const ulong stop = min(first + tiles_per_group, tiles);
        clfold_item total = clfold_fold_run(in, in_offset, count, first, stop, memory);
        if (get_local_id(0) == 0)
            partials[get_group_id(0)] = total;
    }
}

kernel __attribute__((reqd_work_group_size(CLFOLD_GROUP_SIZE, 1, 1))) void
clfold_reduce_partials(global const clfold_item *partials, uint num,
                       global CLFOLD_OUT *out, ulong out_offset,
                       uint has_init CLFOLD_EACH(CLFOLD_INIT_PARAM))
{
    CLFOLD_TILE_MEMORY(memory);
    clfold_item total, init;

    CLFOLD_EACH(CLFOLD_INIT_SET)
    if (num > 0)
        total = clfold_tile_fold_items(partials, num, memory);
    clfold_finish(total, num == 0, has_init != 0, init, out, out_offset);
}
