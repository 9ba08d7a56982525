/*
 * Selects by tiles of one work-item, element by element, with the interface that
 * tile_vector_scan.cl describes: to scan is to write what is kept after the prefix.
 *
 * needs: contract.cl, counts.cl, scan_tiles.cl, select_lone.cl, shared.cl
 */
typedef struct {
    clfold_item items[1];
    CLFOLD_ROOM_MEMBERS
} clfold_room;

typedef CLFOLD_SPACE clfold_room *clfold_room_pointer;

static void clfold_tile_aggregate(global const CLFOLD_IN *in, ulong begin, ulong index,
                                  uint count, clfold_room_pointer room CLFOLD_WITH)
{
    room->items[0] = clfold_count_lone(clfold_kept_of(0, 0), in, begin, index, 0,
                                       count CLFOLD_PASS);
}

#define CLFOLD_TILE_LOADS 0
#define CLFOLD_TILE_AHEAD 0

static void clfold_tile_load(global const CLFOLD_IN *in, ulong begin, ulong index,
                             uint count, clfold_room_pointer room CLFOLD_WITH)
{
}

static clfold_item clfold_tile_total(const clfold_room *room, uint count)
{
    return room->items[0];
}

static void clfold_tile_scan(global const CLFOLD_IN *in, ulong begin, ulong index,
                             uint count, ulong next, global CLFOLD_OUT *out,
                             ulong out_begin, bool has_prefix, bool stream, uint ahead,
                             clfold_room_pointer room CLFOLD_WITH)
{
    const clfold_share share =
        clfold_share_of(index, has_prefix, room->prefix, room->next CLFOLD_PASS);

    clfold_select_lone(in, begin, index, 0, count, 0, share.start, share,
                       out CLFOLD_PASS);
}
