/*
 * Common to all scans by tiles: where tiles begin, and how prefixes are made.
 *
 * Tiles are the runs of segments.cl, of a whole input or of rows. Of a whole input they
 * end where the output's element offset is a multiple of 64 bytes, so the first one may
 * be short, by `lead` elements; rows have no lead, so equal rows have equal bits.
 *
 *   output    . . . . | . . a b c | d e f g h i | j k l m n o | p q . .
 *   tiles                 0             1             2          3         lead = 3
 *
 * The prefix of a tile, in one association for all strategies: totals are folded from the
 * left in blocks of CLFOLD_ANCHOR tiles, after the fold of all before the block, its
 * anchor. Tiles are counted from their row's first.
 *
 *   totals      t0 t1  t2  t3  | t4 t5  t6  t7  | t8          CLFOLD_ANCHOR = 4
 *   partial     -  t0  01  02  | -  t4  45  46  | -
 *   prefix      a  at0 a01 a02 | b  bt4 b45 b46 | c           a = init, b = (a02) t3
 *
 * The last item of a tile is the next one's prefix, and the last tile's is prefix op
 * total, as an anchor is: so an exclusive scan is the inclusive one moved by one place,
 * bit for bit. CLFOLD_ANCHOR 1 is the plain left fold.
 *
 * needs: contract.cl, segments.cl
 */

/* Passes a strategy's values to a tile. */
#define CLFOLD_ROOM_MEMBERS                                                              \
    clfold_item prefix; /* of the tile that is scanned */                                \
    clfold_item next;   /* its last item, and the next tile's prefix */                  \
    uint folds_next;    /* the scan folds the next tile: CLFOLD_TILE_AHEAD */

/* A scan keeps the item before the one that it folds. */
#define CLFOLD_KEEPS_BEFORE                                                              \
    (CLFOLD_EXCLUSIVE || CLFOLD_WRITES_PREV || CLFOLD_KEEPS_PREV)

/* How `count` elements are cut into tiles; and of a kernel, num_runs in all. */
#define CLFOLD_TILES_PARAMS ulong count, ulong length, ulong runs, ulong lead
#define CLFOLD_TILES        count, length, runs, lead
#define CLFOLD_BOUNDS_PARAMS                                                             \
    ulong most_count, ulong length, ulong runs, ulong lead, ulong most_num_runs

static clfold_run clfold_nth_tile(ulong t, CLFOLD_TILES_PARAMS)
{
    return clfold_nth_run(t, count, 1, length, runs, CLFOLD_TILE, lead);
}

/* The input, of which a group takes `each` tiles. If CLFOLD_PREFETCH is 1, memory is
 * prefetched `ahead` elements before it is folded: a multiple of 16, at most a tile. */
#define CLFOLD_SCAN_PARAMS                                                               \
    global const CLFOLD_IN *in, ulong in_offset, CLFOLD_BOUNDS_PARAMS, ulong each,       \
        uint ahead

/* Of clfold_tile_scan: elements from `begin` on, which is `index` from in_offset, go to
 * out_begin and on; `next` is the first of the tile that follows. */
#define CLFOLD_TILE_SCAN_PARAMS                                                          \
    global const CLFOLD_IN *in, ulong begin, ulong index, uint count, ulong next,        \
        global CLFOLD_OUT *out, ulong out_begin, bool has_prefix, bool stream,           \
        uint ahead, clfold_room_pointer room

#define CLFOLD_OUT_PARAMS global CLFOLD_OUT *out, ulong out_offset, uint stream
