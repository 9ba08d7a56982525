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
 * needs: contract.cl, element.cl, scan_tiles.cl, segments.cl, tile_item.cl, write.cl
 * needs if CLFOLD_KEEPS_SCAN: emit_kept.cl
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

static void clfold_tile_scan(CLFOLD_TILE_SCAN_PARAMS CLFOLD_WITH)
{
    const uint run = count / CLFOLD_RUNS;
    clfold_stage x[CLFOLD_RUNS];
    clfold_item before[CLFOLD_RUNS];

    before[0] = clfold_or_identity(room->prefix, !has_prefix CLFOLD_PASS);
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
            before[k].$name = y.$name;
        }
    }
    for (uint k = 1; CLFOLD_EXCLUSIVE && run > 0 && k < CLFOLD_RUNS; ++k)
        clfold_emit(before[k - 1], before[k - 1],
                     in + (begin + k * run) * CLFOLD_SCALARS, index + k * run, out,
                     out_begin + k * run CLFOLD_PASS);
    if (run > 0)
        before[0] = before[CLFOLD_RUNS - 1];
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
        before[0] = y;
    }
}
