/*
 * Scans by tiles of one work-item: what scans need of tile_vector beside its fold. As all
 * tiles do it:
 *
 *   clfold_tile_aggregate   the fold of a tile
 *   clfold_tile_load        all that a scan needs of it; CLFOLD_TILE_LOADS is 1 where
 *                           that is the fold, and 0 where it is nothing
 *   clfold_tile_scan        the scan of the tile that was folded or loaded last, with the
 *                           prefix in kept[CLFOLD_PREFIX] in front
 *   clfold_tile_propagate   puts that prefix in front of what was scanned without
 *   clfold_tile_total       the fold, after the first; for work-item 0
 *   clfold_tile_sync        what work-items wrote to the room is seen by all
 *
 * An item is prefix op (its scan inside the tile), a left fold of log-step scans of 16
 * neighbours; but a tile's last item is the next tile's prefix, kept[CLFOLD_NEXT]. So the
 * fold may associate otherwise, as is cheapest.
 *
 *   elements  x0 ... x15 | x16 ... x31 | ...       in a register each
 *   scanned   x0 ... 0-15  x16 ... 16-31 ...       four steps, clfold_scan_lanes
 *   local     x0 ... 0-15  0-16 ... 0-31 ...       the left chain's carry in front
 *   items     p local                              the tile's prefix in front
 *
 * Stores are aligned to 64 bytes, since the strategies cut tiles there; a buffer that is
 * not (CL_MEM_USE_HOST_PTR) takes unaligned ones and gets the same bits.
 */

typedef struct {
    clfold_item items[1];
    CLFOLD_ROOM_MEMBERS
} clfold_room;

typedef private clfold_room *clfold_room_pointer;

#define CLFOLD_TILE_ROOM(room)                                                           \
    private clfold_room clfold_rooms;                                                    \
    private clfold_room *const room = &clfold_rooms

#define clfold_tile_sync()

static void clfold_tile_aggregate(global const CLFOLD_IN *in, ulong begin, ulong index,
                                  uint count, clfold_room_pointer room)
{
    clfold_tile_fold(in, begin, index, count, room->items);
}

#define CLFOLD_TILE_LOADS 0
#define clfold_tile_load(in, begin, index, count, room)

static clfold_item clfold_tile_total(const clfold_room *room, uint count)
{
    return room->items[0];
}

/*
 * The inclusive scan of the lanes. Lanes that are not there yet repeat lanes that are,
 * and what came of them is not taken, so the operator sees nothing but elements.
 *
 *   x                x0   x1   x2   x3   x4 ...
 *   x moved by 1     x0   x0   x1   x2   x3 ...
 *   combined         -    01   12   23   34 ...
 *   by 2             x0   01   012  0123 1234 ...     then by 4 and by 8
 */
static clfold_stage16 clfold_scan_lanes(clfold_stage16 x)
{
    clfold_stage16 y;

#define CLFOLD_MOVE_1(k, name, stage, item, result) y.name = x.name.s00123456789abcde;
#define CLFOLD_KEEP_1(k, name, stage, item, result)                                      \
    x.name = (stage##16)(x.name.s0, y.name.s1, y.name.s23, y.name.s4567, y.name.hi);
    CLFOLD_EACH(CLFOLD_MOVE_1)
    y = clfold_combine_stage16(y, x);
    CLFOLD_EACH(CLFOLD_KEEP_1)
#define CLFOLD_MOVE_2(k, name, stage, item, result) y.name = x.name.s010123456789abcd;
#define CLFOLD_KEEP_2(k, name, stage, item, result)                                      \
    x.name = (stage##16)(x.name.s01, y.name.s23, y.name.s4567, y.name.hi);
    CLFOLD_EACH(CLFOLD_MOVE_2)
    y = clfold_combine_stage16(y, x);
    CLFOLD_EACH(CLFOLD_KEEP_2)
#define CLFOLD_MOVE_4(k, name, stage, item, result) y.name = x.name.s01230123456789ab;
#define CLFOLD_KEEP_4(k, name, stage, item, result)                                      \
    x.name = (stage##16)(x.name.s0123, y.name.s4567, y.name.hi);
    CLFOLD_EACH(CLFOLD_MOVE_4)
    y = clfold_combine_stage16(y, x);
    CLFOLD_EACH(CLFOLD_KEEP_4)
#define CLFOLD_MOVE_8(k, name, stage, item, result) y.name = x.name.s0123456701234567;
#define CLFOLD_KEEP_8(k, name, stage, item, result)                                      \
    x.name = (stage##16)(x.name.lo, y.name.hi);
    CLFOLD_EACH(CLFOLD_MOVE_8)
    y = clfold_combine_stage16(y, x);
    CLFOLD_EACH(CLFOLD_KEEP_8)
    return x;
}

/* The scan of 16 elements from position j on. `so_far` has in all lanes the fold of the
 * elements in front of them, if j > 0, and then the fold up to the last. */
static clfold_stage16 clfold_scan_16(global const CLFOLD_IN *in, ulong begin, uint j,
                                     clfold_stage16 *so_far)
{
    clfold_stage16 x = clfold_scan_lanes(clfold_load16(in, begin, j)), last;

#define CLFOLD_LAST_LANE(k, name, stage, item, result) last.name = (stage##16)(x.name.sf);
    CLFOLD_EACH(CLFOLD_LAST_LANE)
    if (j > 0) {
        x = clfold_combine_stage16(*so_far, x);
        last = clfold_combine_stage16(*so_far, last);
    }
    *so_far = last;
    return x;
}

/* Items go out as they are folded, or one later. */
static void clfold_put(clfold_item x, clfold_item *before, global CLFOLD_CELL *out,
                       ulong index)
{
#if CLFOLD_EXCLUSIVE
    clfold_store(*before, out, index);
    *before = x;
#else
    clfold_store(x, out, index);
#endif
}

#if CLFOLD_ITEM16

/* Stores 64 bytes or less, past the caches where `stream` says so: that wants a multiple
 * of the vector's size. */
static void clfold_write(CLFOLD_CELLS x, global CLFOLD_CELL *to, bool stream)
{
#if CLFOLD_STREAM
    if (stream) {
        __builtin_nontemporal_store(x, (global CLFOLD_CELLS *)to);
        return;
    }
#endif
    CLFOLD_CELLS_VSTORE(x, 0, to);
}

static void clfold_write16(CLFOLD_CELL16 x, global CLFOLD_CELL *to, bool stream)
{
#if CLFOLD_CELLS_SIZE == 16
    clfold_write(x, to, stream);
#else
    clfold_write(x.lo, to, stream);
    clfold_write(x.hi, to + 8, stream);
#endif
}

/* 16 results at `index`. */
static void clfold_store16(clfold_item16 x, global CLFOLD_CELL *out, ulong index,
                           bool stream)
{
    global CLFOLD_CELL *to = out + index * CLFOLD_COMPONENTS;
    CLFOLD_CELL16 c[CLFOLD_COMPONENTS];

#define CLFOLD_CELL16_OF(k, name, stage, item, result)                                   \
    c[k] = CLFOLD_AS_CELL16(convert_##result##16(x.name));
    CLFOLD_EACH(CLFOLD_CELL16_OF)
#if CLFOLD_COMPONENTS == 1
    clfold_write16(c[0], to, stream);
#else
    clfold_write16((CLFOLD_CELL16)(c[0].s0, c[1].s0, c[0].s1, c[1].s1, c[0].s2, c[1].s2,
                                   c[0].s3, c[1].s3, c[0].s4, c[1].s4, c[0].s5, c[1].s5,
                                   c[0].s6, c[1].s6, c[0].s7, c[1].s7),
                   to, stream);
    clfold_write16((CLFOLD_CELL16)(c[0].s8, c[1].s8, c[0].s9, c[1].s9, c[0].sa, c[1].sa,
                                   c[0].sb, c[1].sb, c[0].sc, c[1].sc, c[0].sd, c[1].sd,
                                   c[0].se, c[1].se, c[0].sf, c[1].sf),
                   to + 16, stream);
#endif
}

static clfold_item16 clfold_spread(clfold_item x)
{
    clfold_item16 y;
#define CLFOLD_SPREAD_ITEM(k, name, stage, item, result) y.name = (item##16)(x.name);
    CLFOLD_EACH(CLFOLD_SPREAD_ITEM)
    return y;
}

static void clfold_put16(clfold_stage16 x, ulong base, bool has_prefix,
                         const clfold_item *prefix, bool is_last, const clfold_item *last,
                         clfold_item *before, global CLFOLD_CELL *out, ulong index,
                         bool stream)
{
    clfold_item16 y;

#define CLFOLD_EMPTY16(k, name, stage, item, result)                                     \
    y.name = CLFOLD_EMPTY16_##k(x.name, base);
    CLFOLD_EACH(CLFOLD_EMPTY16)
    if (has_prefix)
        y = clfold_combine16(clfold_spread(*prefix), y);
#define CLFOLD_SET_LAST(k, name, stage, item, result) y.name.sf = last->name;
    if (is_last) {
        CLFOLD_EACH(CLFOLD_SET_LAST)
    }
#if CLFOLD_EXCLUSIVE
    clfold_item16 z;
#define CLFOLD_DELAY(k, name, stage, item, result)                                       \
    z.name = (item##16)(before->name, y.name.s01234567, y.name.s89ab, y.name.scd,        \
                        y.name.se);                                                      \
    before->name = y.name.sf;
    CLFOLD_EACH(CLFOLD_DELAY)
    y = z;
#endif
    clfold_store16(y, out, index, stream);
}

#else

/* The components of an item differ in size, so they cannot be chosen by one condition. */
static void clfold_put16(clfold_stage16 x, ulong base, bool has_prefix,
                         const clfold_item *prefix, bool is_last, const clfold_item *last,
                         clfold_item *before, global CLFOLD_CELL *out, ulong index,
                         bool stream)
{
    const clfold_lanes lanes = clfold_lanes_of(x);

    for (uint k = 0; k < 16; ++k) {
        clfold_item y = clfold_empty(clfold_lane(&lanes, k), base);
        if (is_last && k == 15)
            y = *last;
        else if (has_prefix)
            y = clfold_combine(*prefix, y);
        clfold_put(y, before, out, index + k);
    }
}

#endif

static void clfold_tile_scan(global const CLFOLD_IN *in, ulong begin, ulong index,
                             uint count, ulong next,
                             global CLFOLD_CELL *out, ulong out_begin, bool has_prefix,
                             bool stream, clfold_room_pointer room)
{
    const uint whole = count / 16 * 16;
    const clfold_item prefix = room->kept[CLFOLD_PREFIX];
    const clfold_item last = room->kept[CLFOLD_NEXT];
    clfold_item before = prefix;
    clfold_stage so_far; clfold_stage16 so_far16;

#if CLFOLD_EXCLUSIVE && CLFOLD_HAS_IDENTITY
    if (!has_prefix)
        before = clfold_identity();
#endif
    stream = stream && (ulong)(out + out_begin * CLFOLD_COMPONENTS) % 64 == 0;
    for (uint j = 0; j < whole; j += 16) {
#if CLFOLD_PREFETCH
        __builtin_prefetch((const void *)(ulong)(in + (next + j) * CLFOLD_SCALARS), 0, 3);
#endif
        const clfold_stage16 x = clfold_scan_16(in, begin, j, &so_far16);
        clfold_put16(x, index, has_prefix, &prefix, j + 16 == count, &last, &before, out,
                     out_begin + j, stream);
    }
    if (whole > 0) {
#define CLFOLD_NARROW(k, name, stage, item, result) so_far.name = so_far16.name.sf;
        CLFOLD_EACH(CLFOLD_NARROW)
    }
    for (uint j = whole; j < count; ++j) {
        const clfold_stage x = clfold_load(in, begin, j);
        so_far = j == 0 ? x : clfold_combine_stage(so_far, x);
        clfold_item y = clfold_empty(so_far, index);
        if (j + 1 == count)
            y = last;
        else if (has_prefix)
            y = clfold_combine(prefix, y);
        clfold_put(y, &before, out, out_begin + j);
    }
}

#if CLFOLD_ITEM16

/* What clfold_store16 stored at `index`. */
static clfold_item16 clfold_fetch16(global const CLFOLD_CELL *out, ulong index)
{
    global const CLFOLD_CELL *from = out + index * CLFOLD_COMPONENTS;
    CLFOLD_CELL16 c[CLFOLD_COMPONENTS];
    clfold_item16 x;

#if CLFOLD_COMPONENTS == 1
    c[0] = vload16(0, from);
#else
    const CLFOLD_CELL16 lo = vload16(0, from), hi = vload16(1, from);
    c[0] = (CLFOLD_CELL16)(lo.even, hi.even);
    c[1] = (CLFOLD_CELL16)(lo.odd, hi.odd);
#endif
#define CLFOLD_ITEM16_OF(k, name, stage, item, result)                                   \
    x.name = convert_##item##16(as_##result##16(c[k]));
    CLFOLD_EACH(CLFOLD_ITEM16_OF)
    return x;
}

#endif

static void clfold_tile_propagate(global CLFOLD_CELL *out, ulong out_begin, uint count,
                                  bool stream, clfold_room_pointer room)
{
    const clfold_item prefix = room->kept[CLFOLD_PREFIX];
    const clfold_item last = room->kept[CLFOLD_NEXT];
    uint j = 0;

    stream = stream && (ulong)(out + out_begin * CLFOLD_COMPONENTS) % 64 == 0;
#if CLFOLD_ITEM16
    const clfold_item16 prefix16 = clfold_spread(prefix);
    for (; j + 16 <= count; j += 16) {
        clfold_item16 x = clfold_fetch16(out, out_begin + j);
        x = clfold_combine16(prefix16, x);
#if CLFOLD_EXCLUSIVE
#define CLFOLD_FIRST_IS_PREFIX(k, name, stage, item, result) x.name.s0 = prefix.name;
        if (j == 0) {
            CLFOLD_EACH(CLFOLD_FIRST_IS_PREFIX)
        }
#else
#define CLFOLD_LAST_IS_NEXT(k, name, stage, item, result) x.name.sf = last.name;
        if (j + 16 == count) {
            CLFOLD_EACH(CLFOLD_LAST_IS_NEXT)
        }
#endif
        clfold_store16(x, out, out_begin + j, stream);
    }
#endif
    for (; j < count; ++j) {
        if (CLFOLD_EXCLUSIVE && j == 0)
            clfold_store(prefix, out, out_begin);
        else if (!CLFOLD_EXCLUSIVE && j + 1 == count)
            clfold_store(last, out, out_begin + j);
        else
            clfold_store(clfold_combine(prefix, clfold_fetch(out, out_begin + j)), out,
                         out_begin + j);
    }
}
