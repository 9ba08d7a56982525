/*
 * Scans by tiles of one work-item: the part of tile_vector that only scans need. All
 * tiles have this interface:
 *
 *   clfold_tile_aggregate   the fold of a tile
 *   clfold_tile_load        all that a scan needs of it; CLFOLD_TILE_LOADS is 1 where
 *                           that is the fold, and 0 where it is nothing
 *   clfold_tile_scan        the scan of the tile that was folded or loaded last, after
 *                           the prefix in room->prefix
 *   clfold_tile_propagate   combines results of a scan without prefix with it: in
 *                           tile_propagate.cl
 *   clfold_tile_total       the fold, after the first; for work-item 0
 *
 * An item is prefix op (its scan inside the tile), a left fold of log-step scans of 16;
 * but a tile's last item is the next tile's prefix, room->next. So the fold may use the
 * cheapest association.
 *
 *   elements  x0 ... x15 | x16 ... x31 | ...       in a register each
 *   scanned   x0 ... 0-15  x16 ... 16-31 ...       four steps, clfold_scan_lanes
 *   local     x0 ... 0-15  0-16 ... 0-31 ...       the left chain's carry in front
 *   items     p local                              the tile's prefix in front
 *
 * CLFOLD_TILE_AHEAD: if room->folds_next is set, a tile's scan also prefetches and folds
 * the next tile, and leaves the fold as if that had been folded; both are whole then. So
 * reads and stores are under way all the time.
 *
 *   scan of tile t     0 ------------------------------------------> end
 *   asks for next      0 ------------------------------------------> end
 *   folds next                   0 --------------------------> | --> end
 *                        ahead                                       from the caches
 *
 * Stores are aligned to 64 bytes, since the strategies cut tiles there; a buffer that is
 * not (CL_MEM_USE_HOST_PTR) takes unaligned ones and gets the same bits.
 *
 * needs: contract.cl, element.cl, scan_tiles.cl, segments.cl, tile_vector.cl
 * needs: tile_vector_write.cl, vectors.cl, write.cl
 * needs if CLFOLD_HEADS: heads.cl
 * needs if CLFOLD_KEEPS_SCAN: emit_kept.cl
 */

typedef struct {
    clfold_item items[1];
    CLFOLD_ROOM_MEMBERS
} clfold_room;

typedef CLFOLD_SPACE clfold_room *clfold_room_pointer;

static void clfold_tile_aggregate(global const CLFOLD_IN *in, ulong begin, ulong index,
                                  uint count, clfold_room_pointer room CLFOLD_WITH)
{
    clfold_tile_fold(in, begin, index, count, 0, room->items CLFOLD_PASS);
}

/* Four sums of 16 lanes each, see clfold_fold_vectors. */
#ifndef CLFOLD_TILE_AHEAD
#define CLFOLD_TILE_AHEAD                                                                \
    (CLFOLD_COMMUTATIVE && CLFOLD_NEUTRAL && CLFOLD_TILE % 64 == 0 && CLFOLD_TILE >= 128)
#endif

#define CLFOLD_TILE_LOADS 0
#define clfold_tile_load(...)

static clfold_item clfold_tile_total(const clfold_room *room, uint count)
{
    return room->items[0];
}

#if CLFOLD_RARE
/*
 * A tile with nothing rare in it or before it is combined in the usual way. min and max
 * of floats must return a NaN, which costs a mask for each combine; CPUs have few masks
 * under way, so this costs 40 % of the speed. The tile's last item shows it: anything
 * rare makes it rare. Heads are rare, too, but of 16 elements each: where none starts a
 * segment, they go on with the one that is under way.
 */
#define CLFOLD_OP_STAGE16(usual, a, b)                                                   \
    ((usual) ? clfold_usual_stage16(a, b CLFOLD_PASS)                                    \
             : clfold_combine_stage16(a, b CLFOLD_PASS))
#define CLFOLD_OP16(usual, a, b)                                                         \
    ((usual) ? clfold_usual16(a, b CLFOLD_PASS) : clfold_combine16(a, b CLFOLD_PASS))
#else
#define CLFOLD_OP_STAGE16(usual, a, b) clfold_combine_stage16(a, b CLFOLD_PASS)
#define CLFOLD_OP16(usual, a, b)       clfold_combine16(a, b CLFOLD_PASS)
#endif
#if CLFOLD_RARE && CLFOLD_BUILTINS
/* So that `usual` is a constant. Oclgrind cannot run inlined functions of structs. */
#define CLFOLD_INLINE __attribute__((always_inline))
#else
#define CLFOLD_INLINE
#endif

#if CLFOLD_NEUTRAL

static clfold_stage16 clfold_neutral16(CLFOLD_WITH_ONLY)
{
    clfold_stage16 x;

    x.$name = ($stage16)(($stage)($neutral));
    return x;
}

/*
 * The inclusive scan of the lanes, n being neutral. To move by a swizzle, and set lanes
 * then, is fast on both PoCL 3.1 and Intel's CPU runtime.
 *
 *   x                x0   x1   x2   x3   x4 ...
 *   x moved by 1     n    x0   x1   x2   x3 ...
 *   combined         0    01   12   23   34 ...
 *   by 2             0    01   012  0123 1234 ...     then by 4 and by 8
 */
CLFOLD_INLINE static clfold_stage16 clfold_scan_lanes(clfold_stage16 x,
                                                      bool usual CLFOLD_WITH)
{
    clfold_stage16 y;

    y.$name = x.$name.s00123456789abcde;
    y.$name.s0 = ($stage)($neutral);
    x = CLFOLD_OP_STAGE16(usual, y, x);
    y.$name = x.$name.s010123456789abcd;
    y.$name.s01 = ($stage2)(($stage)($neutral));
    x = CLFOLD_OP_STAGE16(usual, y, x);
    y.$name = x.$name.s01230123456789ab;
    y.$name.s0123 = ($stage4)(($stage)($neutral));
    x = CLFOLD_OP_STAGE16(usual, y, x);
    y.$name = x.$name.s0123456701234567;
    y.$name.lo = ($stage8)(($stage)($neutral));
    return CLFOLD_OP_STAGE16(usual, y, x);
}

#else

/*
 * The inclusive scan of the lanes without a neutral value. Missing lanes repeat others
 * and their results are not used, so the operator sees only elements.
 *
 *   x                x0   x1   x2   x3   x4 ...
 *   x moved by 1     x0   x0   x1   x2   x3 ...
 *   combined         -    01   12   23   34 ...
 *   by 2             x0   01   012  0123 1234 ...     then by 4 and by 8
 */
CLFOLD_INLINE static clfold_stage16 clfold_scan_lanes(clfold_stage16 x,
                                                      bool usual CLFOLD_WITH)
{
    clfold_stage16 y;

    y.$name = x.$name.s00123456789abcde;
    y = CLFOLD_OP_STAGE16(usual, y, x);
    x.$name = ($stage16)(x.$name.s0, y.$name.s1, y.$name.s23, y.$name.s4567, y.$name.hi);
    y.$name = x.$name.s010123456789abcd;
    y = CLFOLD_OP_STAGE16(usual, y, x);
    x.$name = ($stage16)(x.$name.s01, y.$name.s23, y.$name.s4567, y.$name.hi);
    y.$name = x.$name.s01230123456789ab;
    y = CLFOLD_OP_STAGE16(usual, y, x);
    x.$name = ($stage16)(x.$name.s0123, y.$name.s4567, y.$name.hi);
    y.$name = x.$name.s0123456701234567;
    y = CLFOLD_OP_STAGE16(usual, y, x);
    x.$name = ($stage16)(x.$name.lo, y.$name.hi);
    return x;
}

#endif

/* The scan of 16 elements, x, from position j on. `so_far` has in all lanes the fold of
 * the elements before them, or the neutral value, or is unset without one; then the fold
 * up to the last. */
CLFOLD_INLINE static clfold_stage16 clfold_scan_16(clfold_stage16 x, uint j,
                                                   clfold_stage16 *so_far,
                                                   bool usual CLFOLD_WITH)
{
    clfold_stage16 last;

    x = clfold_scan_lanes(x, usual CLFOLD_PASS);
#if CLFOLD_RARE && CLFOLD_HEADS
    if (usual)
        x.clfold_head = 0; /* as it was */
#endif
    last.$name = ($stage16)(x.$name.sf);
    if (CLFOLD_NEUTRAL || j > 0) {
        x = CLFOLD_OP_STAGE16(usual, *so_far, x);
        last = CLFOLD_OP_STAGE16(usual, *so_far, last);
    }
    *so_far = last;
    return x;
}

/* An item goes out as it is folded, or one later: for element i, which is at s. */
static void clfold_put(clfold_item x, clfold_item *before, global const CLFOLD_IN *s,
                       ulong i, global CLFOLD_OUT *out, ulong index CLFOLD_WITH)
{
    clfold_emit(CLFOLD_EXCLUSIVE ? *before : x, *before, s, i, out, index CLFOLD_PASS);
    *before = x;
}

#if CLFOLD_ITEM16

CLFOLD_INLINE static void clfold_put16(clfold_stage16 x, ulong base, bool has_prefix,
                         const clfold_item *prefix, bool is_last, const clfold_item *last,
                         clfold_item *before, global const CLFOLD_IN *s, ulong i,
                         global CLFOLD_OUT *out, ulong index, bool stream,
                         bool usual CLFOLD_WITH)
{
    clfold_item16 y;

    y.$name = convert_$item16(x.$name)$plus_base;
    if (has_prefix)
        y = CLFOLD_OP16(usual, clfold_spread(*prefix), y);
    if (is_last) {
        y.$name.sf = last->$name;
    }
    clfold_item16 z = y;
#if CLFOLD_KEEPS_BEFORE
    z.$name = y.$name.s00123456789abcde;
    z.$name.s0 = before->$name;
    before->$name = y.$name.sf;
#endif
    clfold_emit16(CLFOLD_EXCLUSIVE ? z : y, z, s, i, out, index, stream CLFOLD_PASS);
}

#else

/* The components of an item differ in size, so they cannot be chosen by one condition. */
static void clfold_put16(clfold_stage16 x, ulong base, bool has_prefix,
                         const clfold_item *prefix, bool is_last, const clfold_item *last,
                         clfold_item *before, global const CLFOLD_IN *s, ulong i,
                         global CLFOLD_OUT *out, ulong index, bool stream,
                         bool usual CLFOLD_WITH)
{
    const clfold_lanes lanes = clfold_lanes_of(x);

    for (uint k = 0; k < 16; ++k) {
        clfold_item y = clfold_empty(clfold_lane(&lanes, k), base CLFOLD_PASS);
        if (is_last && k == 15)
            y = *last;
        else if (has_prefix)
            y = clfold_combine(*prefix, y CLFOLD_PASS);
        clfold_put(y, before, s + k * CLFOLD_SCALARS, i + k, out, index + k CLFOLD_PASS);
    }
}

#endif

#if CLFOLD_TILE_AHEAD

/* The accumulators of clfold_fold_vectors. The next 16 elements go to the first. */
typedef struct {
    clfold_stage16 x, y, z, w;
} clfold_sums;

static clfold_sums clfold_add16(clfold_sums before, clfold_stage16 x CLFOLD_WITH)
{
    const clfold_stage16 first = clfold_combine_stage16(before.x, x CLFOLD_PASS);
    const clfold_sums sums = { before.y, before.z, before.w, first };

    return sums;
}

#else
typedef uint clfold_sums; /* there are none */
#endif

/* Scans the first elements, a multiple of 16, and folds elements of the tile at `next`
 * into `sums`, as many as are likely to have arrived. `before`, of an exclusive scan, is
 * the item that goes out next. State is not kept in one struct: rusticl (Mesa 22.3) loses
 * writes through a pointer to a member that is a struct. */
CLFOLD_INLINE static void
clfold_scan_vectors(global const CLFOLD_IN *in, ulong begin, ulong index, uint count,
                    ulong next, bool folds, uint ahead, global CLFOLD_OUT *out,
                    ulong out_begin, bool has_prefix, bool stream,
                    const clfold_room *room, clfold_stage16 *so_far, clfold_item *before,
                    clfold_sums *sums, bool usual CLFOLD_WITH)
{
    const uint whole = count / 16 * 16;
    const clfold_item prefix = room->prefix;
    const clfold_item last = room->next;
    bool continues = has_prefix; /* what the prefix ends with */

    for (uint j = 0; j < whole; j += 16) {
        clfold_ask(in, next + j, 16 CLFOLD_PASS);
#if CLFOLD_TILE_AHEAD
        if (folds && j >= ahead)
            *sums = clfold_add16(*sums, clfold_load16(in, next, j - ahead CLFOLD_PASS)
                                            CLFOLD_PASS);
#endif
        clfold_stage16 x = clfold_load16(in, begin, j CLFOLD_PASS);
        global const CLFOLD_IN *s = in + (begin + j) * CLFOLD_SCALARS;
#if CLFOLD_RARE && CLFOLD_HEADS
        if (!clfold_any_head(index + j CLFOLD_PASS)) {
            x = clfold_scan_16(x, j, so_far, true CLFOLD_PASS);
            clfold_put16(x, index, continues, &prefix, j + 16 == count, &last, before, s,
                         index + j, out, out_begin + j, stream, true CLFOLD_PASS);
            continue;
        }
#endif
        x = clfold_scan_16(x, j, so_far, usual CLFOLD_PASS);
        clfold_put16(x, index, continues, &prefix, j + 16 == count, &last, before, s,
                     index + j, out, out_begin + j, stream, usual CLFOLD_PASS);
#if CLFOLD_RARE && CLFOLD_HEADS
        continues = false;
#endif
    }
}

static void clfold_tile_scan(CLFOLD_TILE_SCAN_PARAMS CLFOLD_WITH)
{
    const uint whole = count / 16 * 16;
    const clfold_item prefix = room->prefix;
    const clfold_item last = room->next;
    const bool folds = room->folds_next != 0;
    clfold_item before = clfold_or_identity(prefix, !has_prefix CLFOLD_PASS);
    clfold_stage so_far;
    clfold_stage16 so_far16;
    clfold_sums sums;

#if CLFOLD_NEUTRAL
    so_far16 = clfold_neutral16(CLFOLD_PASS_ONLY);
#endif
#if CLFOLD_TILE_AHEAD
    sums.x = sums.y = sums.z = sums.w = so_far16;
#endif
    const bool past =
        stream && (ulong)(out + out_begin * CLFOLD_OUT_SCALARS) % 64 == 0;
#if CLFOLD_RARE && !CLFOLD_HEADS
    if (!clfold_is_rare(last CLFOLD_PASS))
        clfold_scan_vectors(in, begin, index, count, next, folds, ahead, out, out_begin,
                            has_prefix, past, room, &so_far16, &before, &sums,
                            true CLFOLD_PASS);
    else
#endif
        clfold_scan_vectors(in, begin, index, count, next, folds, ahead, out, out_begin,
                            has_prefix, past, room, &so_far16, &before, &sums,
                            false CLFOLD_PASS);
#if CLFOLD_TILE_AHEAD
    if (folds) {
        for (uint j = CLFOLD_TILE - ahead; j < CLFOLD_TILE; j += 16)
            sums = clfold_add16(sums, clfold_load16(in, next, j CLFOLD_PASS) CLFOLD_PASS);
        const clfold_stage16 all =
            clfold_combine_stage16(clfold_combine_stage16(sums.x, sums.y CLFOLD_PASS),
                                   clfold_combine_stage16(sums.z, sums.w CLFOLD_PASS)
                                       CLFOLD_PASS);
        room->items[0] =
            clfold_empty(clfold_join(all CLFOLD_PASS), next - begin + index CLFOLD_PASS);
    }
#endif
    if (whole > 0) {
        so_far.$name = so_far16.$name.sf;
    }
    for (uint j = whole; j < count; ++j) {
        const clfold_stage x = clfold_load(in, begin, j CLFOLD_PASS);
        so_far = j == 0 ? x : clfold_combine_stage(so_far, x CLFOLD_PASS);
        clfold_item y = clfold_empty(so_far, index CLFOLD_PASS);
        if (j + 1 == count)
            y = last;
        else if (has_prefix)
            y = clfold_combine(prefix, y CLFOLD_PASS);
        clfold_put(y, &before, in + (begin + j) * CLFOLD_SCALARS, index + j, out,
                   out_begin + j CLFOLD_PASS);
    }
}
