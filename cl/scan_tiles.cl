/*
 * Common to all scans by tiles: where tiles begin, and how prefixes are made.
 *
 * Tiles end where the output's element offset is a multiple of 64 bytes, so the first one
 * may be short, by `lead` elements.
 *
 *   output    . . . . | . . a b c | d e f g h i | j k l m n o | p q . .
 *   tiles                 0             1             2          3         lead = 3
 *
 * The prefix of a tile, in one association for all strategies: totals are folded from the
 * left in blocks of CLFOLD_ANCHOR tiles, after the fold of all before the block, its
 * anchor.
 *
 *   totals      t0 t1  t2  t3  | t4 t5  t6  t7  | t8          CLFOLD_ANCHOR = 4
 *   partial     -  t0  01  02  | -  t4  45  46  | -
 *   prefix      a  at0 a01 a02 | b  bt4 b45 b46 | c           a = init, b = (a02) t3
 *
 * The last item of a tile is the next one's prefix, and the last tile's is prefix op
 * total, as an anchor is: so an exclusive scan is the inclusive one moved by one place,
 * bit for bit. CLFOLD_ANCHOR 1 is the plain left fold.
 *
 * needs: contract.cl
 */

/* Passes a strategy's values to a tile. */
#define CLFOLD_ROOM_MEMBERS                                                              \
    clfold_item prefix; /* of the tile that is scanned */                                \
    clfold_item next;   /* its last item, and the next tile's prefix */                  \
    uint folds_next;    /* the scan folds the next tile: CLFOLD_TILE_AHEAD */

/* A scan keeps the item before the one that it folds. */
#define CLFOLD_KEEPS_BEFORE (CLFOLD_EXCLUSIVE || CLFOLD_WRITES_PREV)

/* Memory that the work-items of a group share: CLFOLD_SPACE is private where a
 * group is one work-item, else local. */
#define CLFOLD_SHARED(type, name)                                                        \
    CLFOLD_SPACE type name##_shared;                                                     \
    CLFOLD_SPACE type *const name = &name##_shared

static ulong clfold_tile_begin(ulong t, ulong lead)
{
    return t == 0 ? 0 : t * CLFOLD_TILE - lead;
}

static uint clfold_tile_count(ulong t, ulong lead, ulong count)
{
    return (uint)(min((t + 1) * CLFOLD_TILE - lead, count) - clfold_tile_begin(t, lead));
}

/* The input: `count` elements in tiles, of which a group takes `run`. If CLFOLD_PREFETCH
 * is 1, memory is prefetched `ahead` elements before it is folded: a multiple of 16, at
 * most a tile. */
#define CLFOLD_SCAN_PARAMS                                                               \
    global const CLFOLD_IN *in, ulong in_offset, ulong count, ulong lead,                \
        ulong num_tiles, ulong run, uint ahead

#define CLFOLD_OUT_PARAMS global CLFOLD_OUT *out, ulong out_offset, uint stream
