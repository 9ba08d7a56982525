/*
 * Scans by tiles of one work-item, scalar by scalar, with the interface that
 * tile_vector_scan.cl describes. The runs of tile_item.cl are scanned in step, each from
 * the fold of the runs before it:
 *
 *   elements   a b c d e | f g h i j | ...
 *   local      a           abcde op f          a left fold in a run
 *   items      p local                         the tile's prefix in front
 *
 * The tile's last item is room->next. An exclusive scan stores an item one place later,
 * and the first of a run once the run before it has ended.
 *
 * needs: contract.cl, element.cl, result.cl, scan_tiles.cl, shared.cl, tile_item.cl
 * needs: write.cl
 * needs if CLFOLD_KEEPS_SCAN: write_kept.cl
 * names: clfold_combine, clfold_combine_stage, clfold_identity
 */
typedef struct {
    clfold_item items[1];
    clfold_stage fronts[CLFOLD_RUNS];
    CLFOLD_ROOM_MEMBERS
} clfold_room;

typedef CLFOLD_SPACE clfold_room *clfold_room_pointer;

static void clfold_tile_aggregate(global const CLFOLD_IN *in, ulong begin, ulong index,
                                  uint count, clfold_room_pointer room CLFOLD_WITH)
{
    clfold_fold_fronts(in, begin, index, count, room->fronts, room->items CLFOLD_PASS);
}

#define CLFOLD_TILE_LOADS 1
#define CLFOLD_TILE_AHEAD 0
#define clfold_tile_load clfold_tile_aggregate

static clfold_item clfold_tile_total(const clfold_room *room, uint count)
{
    return room->items[0];
}

/* The item of a fold inside the tile. */
static clfold_item clfold_item_at(clfold_stage local_fold, ulong index, bool is_last,
                                  bool has_prefix, const clfold_room *room CLFOLD_WITH)
{
    clfold_item y = clfold_empty(local_fold, index CLFOLD_PASS);

    if (is_last)
        y = room->next;
    else if (has_prefix)
        y = clfold_combine(room->prefix, y CLFOLD_PASS);
    return y;
}

static void clfold_tile_scan(global const CLFOLD_IN *in, ulong begin, ulong index,
                             uint count, ulong next, global CLFOLD_OUT *out,
                             ulong out_begin, bool has_prefix, bool stream, uint ahead,
                             clfold_room_pointer room CLFOLD_WITH)
{
    const uint run = count / CLFOLD_RUNS;
    clfold_stage x[CLFOLD_RUNS];
    clfold_item before[CLFOLD_RUNS];

    before[0] = room->prefix;
#if CLFOLD_KEEPS_BEFORE && CLFOLD_HAS_IDENTITY
    if (!has_prefix)
        before[0] = clfold_identity(CLFOLD_PASS_ONLY);
#endif
    for (uint i = 0; i < run; ++i) {
#pragma unroll
        for (uint k = 0; k < CLFOLD_RUNS; ++k) {
            const uint j = k * run + i;
            const clfold_stage e = clfold_load(in, begin, j CLFOLD_PASS);
            const clfold_stage f =
                j == 0 ? e
                       : clfold_combine_stage(i == 0 ? room->fronts[k] : x[k],
                                              e CLFOLD_PASS);
            x[k].$name = f.$name;
            const clfold_item y = clfold_item_at(f, index, j + 1 == count, has_prefix,
                                                 room CLFOLD_PASS);
            if (!CLFOLD_EXCLUSIVE || i > 0 || k == 0)
                clfold_emit(CLFOLD_EXCLUSIVE ? before[k] : y, before[k],
                             in + (begin + j) * CLFOLD_SCALARS, index + j, out,
                             out_begin + j CLFOLD_PASS);
#if CLFOLD_KEEPS_BEFORE
            before[k].$name = y.$name;
#endif
        }
    }
#if CLFOLD_EXCLUSIVE
    for (uint k = 1; run > 0 && k < CLFOLD_RUNS; ++k)
        clfold_emit(before[k - 1], before[k - 1],
                     in + (begin + k * run) * CLFOLD_SCALARS, index + k * run, out,
                     out_begin + k * run CLFOLD_PASS);
    if (run > 0)
        before[0] = before[CLFOLD_RUNS - 1];
#endif
    for (uint j = run * CLFOLD_RUNS; j < count; ++j) {
        const clfold_stage e = clfold_load(in, begin, j CLFOLD_PASS);
        x[0] = j == 0 ? e
                      : clfold_combine_stage(
                            j == run * CLFOLD_RUNS ? x[CLFOLD_RUNS - 1] : x[0],
                            e CLFOLD_PASS);
        const clfold_item y = clfold_item_at(x[0], index, j + 1 == count, has_prefix,
                                             room CLFOLD_PASS);
        clfold_emit(CLFOLD_EXCLUSIVE ? before[0] : y, before[0],
                     in + (begin + j) * CLFOLD_SCALARS, index + j, out,
                     out_begin + j CLFOLD_PASS);
#if CLFOLD_KEEPS_BEFORE
        before[0] = y;
#endif
    }
}

/* Written items are not results to go on with. */
#if !CLFOLD_KEEPS_ITEMS

static void clfold_tile_propagate(global CLFOLD_OUT *out, ulong out_begin, uint count,
                                  bool stream, clfold_room_pointer room CLFOLD_WITH)
{
    uint j = 0;

    /* The one that is the prefix itself stands apart: with a condition in the loop
     * Intel's compiler (2026.2) wrote the last struct of 64 bytes elsewhere, too. */
#if CLFOLD_EXCLUSIVE
    clfold_store(room->prefix, out, out_begin);
    j = 1;
#else
    --count;
#endif
    for (; j < count; ++j)
        clfold_store(clfold_combine(room->prefix,
                                    clfold_fetch(out, out_begin + j) CLFOLD_PASS),
                     out, out_begin + j);
#if !CLFOLD_EXCLUSIVE
    clfold_store(room->next, out, out_begin + count);
#endif
}

#endif
