/*
 * Results of 16 elements at once: the part of tile_vector for what writes many.
 *
 *   items     y0 ... y15, a vector a component
 *   written   what a text of the fold's makes of them, or they themselves
 *   out       their scalars side by side
 *
 * needs: contract.cl, element.cl, vectors.cl
 * needs if CLFOLD_HEADS: heads.cl
 */
#if CLFOLD_ITEM16

static clfold_item16 clfold_spread(clfold_folded x)
{
    clfold_item16 y;

    y.$name = ($item16)(x.$name);
    return y;
}

/* Stores 64 bytes or less, past the caches where `stream` says so: that wants a multiple
 * of the vector's size. Else in halves: PoCL's vstore16 is three stores, and Intel's
 * compiler merges two stores into one that is not past the caches. */
#if CLFOLD_STREAM
typedef CLFOLD_CELLS_HALF clfold_half_anywhere
    __attribute__((aligned(sizeof(CLFOLD_OUT))));
#endif

static void clfold_put_line(CLFOLD_CELLS x, global CLFOLD_OUT *to, bool stream)
{
#if CLFOLD_STREAM
    if (stream) {
        __builtin_nontemporal_store(x, (global CLFOLD_CELLS *)to);
        return;
    }
    ((global clfold_half_anywhere *)to)[0] = x.lo;
    ((global clfold_half_anywhere *)to)[1] = x.hi;
#else
    CLFOLD_CELLS_VSTORE(x, 0, to);
#endif
}

static void clfold_put_cells(CLFOLD_CELL16 x, global CLFOLD_OUT *to, bool stream)
{
#if CLFOLD_CELLS_SIZE == 16
    clfold_put_line(x, to, stream);
#else
    clfold_put_line(x.lo, to, stream);
    clfold_put_line(x.hi, to + 8, stream);
#endif
}

#if CLFOLD_OUT_SCALARS > 1
/* The components of result k, of vectors c. */
#define CLFOLD_TWO(k)   c[0].s##k, c[1].s##k
#define CLFOLD_THREE(k) CLFOLD_TWO(k), c[2].s##k
#define CLFOLD_FOUR(k)  CLFOLD_THREE(k), c[3].s##k
#define CLFOLD_OF_4(num, k, l, m, n)                                                     \
    CLFOLD_##num(k), CLFOLD_##num(l), CLFOLD_##num(m), CLFOLD_##num(n)
#endif

/* 16 elements of the output at `index`, of a vector for each of their scalars. */
static void clfold_store_cells16(const CLFOLD_CELL16 c[CLFOLD_OUT_SCALARS],
                                 global CLFOLD_OUT *out, ulong index, bool stream)
{
    global CLFOLD_OUT *to = out + index * CLFOLD_OUT_SCALARS;

#if CLFOLD_OUT_SCALARS == 1
    clfold_put_cells(c[0], to, stream);
#elif CLFOLD_OUT_SCALARS == 2
    clfold_put_cells(
        (CLFOLD_CELL16)(CLFOLD_OF_4(TWO, 0, 1, 2, 3), CLFOLD_OF_4(TWO, 4, 5, 6, 7)), to,
        stream);
    clfold_put_cells(
        (CLFOLD_CELL16)(CLFOLD_OF_4(TWO, 8, 9, a, b), CLFOLD_OF_4(TWO, c, d, e, f)),
        to + 16, stream);
#elif CLFOLD_OUT_SCALARS == 3
    clfold_put_cells(
        (CLFOLD_CELL16)(CLFOLD_OF_4(THREE, 0, 1, 2, 3), CLFOLD_THREE(4), c[0].s5), to,
        stream);
    clfold_put_cells((CLFOLD_CELL16)(c[1].s5, c[2].s5, CLFOLD_OF_4(THREE, 6, 7, 8, 9),
                                     c[0].sa, c[1].sa),
                     to + 16, stream);
    clfold_put_cells(
        (CLFOLD_CELL16)(c[2].sa, CLFOLD_THREE(b), CLFOLD_OF_4(THREE, c, d, e, f)),
        to + 32, stream);
#else
    clfold_put_cells((CLFOLD_CELL16)(CLFOLD_OF_4(FOUR, 0, 1, 2, 3)), to, stream);
    clfold_put_cells((CLFOLD_CELL16)(CLFOLD_OF_4(FOUR, 4, 5, 6, 7)), to + 16, stream);
    clfold_put_cells((CLFOLD_CELL16)(CLFOLD_OF_4(FOUR, 8, 9, a, b)), to + 32, stream);
    clfold_put_cells((CLFOLD_CELL16)(CLFOLD_OF_4(FOUR, c, d, e, f)), to + 48, stream);
#endif
}

#if CLFOLD_WRITES || CLFOLD_SELECTS

static CLFOLD_VALUE16 clfold_value16_of(clfold_item16 x)
{
    CLFOLD_VALUE16 value;

    $value = convert_$result16($wide_made);
    return value;
}

#endif

/* What is written for 16 items: a vector for each scalar of an element of the output. */
typedef union {
    CLFOLD_CELL16 cells[CLFOLD_OUT_SCALARS];
#if CLFOLD_WRITES && !CLFOLD_OUT_ITEM
    clfold_written16 all;
#endif
} clfold_cells16;

static void clfold_make16(clfold_item16 y, clfold_item16 before,
                          global const CLFOLD_IN *s, ulong i,
                          clfold_cells16 *made CLFOLD_WITH)
{
#if CLFOLD_WRITES
    const CLFOLD_VALUE16 item = clfold_value16_of(y);
#if CLFOLD_WRITES_PREV
    const CLFOLD_VALUE16 prev = clfold_value16_of(before);
#endif
#if CLFOLD_WRITES_X
    const CLFOLD_X16 x = clfold_x16_of(s);
#endif

#if CLFOLD_OUT_ITEM
    const clfold_written16 all = CLFOLD_RESULT_CALL16(out, item, prev, x, s, i);
    made->cells[$k] = CLFOLD_AS_CELL16(convert_$result16(all.$name));
#else
    made->all = CLFOLD_RESULT_CALL16(out, item, prev, x, s, i);
#endif
#else
    clfold_item16 x = y;
    made->cells[$k] = CLFOLD_AS_CELL16(convert_$result16($wide_made));
#endif
}

static void clfold_emit_items16(clfold_item16 y, clfold_item16 before,
                                global const CLFOLD_IN *s, ulong i,
                                global CLFOLD_OUT *out, ulong index,
                                bool stream CLFOLD_WITH)
{
    clfold_cells16 made;

    clfold_make16(y, before, s, i, &made CLFOLD_PASS);
    clfold_store_cells16(made.cells, out, index, stream);
}

#if CLFOLD_HEADS

/* clfold_with_start() of 16 items, which may start a segment each if `may_start`. */
static clfold_item16 clfold_with_start16(clfold_item16 own, bool may_start,
                                         ulong i CLFOLD_WITH)
{
    const bool has_init = clfold_start_from != 0;
    clfold_item16 x = own;
    const clfold_item16 start = clfold_spread(
        clfold_or_identity(clfold_init(CLFOLD_START_ARGS), !has_init CLFOLD_PASS));

    if (has_init) {
        x.clfold_head = 0;
        x = clfold_combine16(start, x CLFOLD_PASS);
    }
    if (may_start) {
        const CLFOLD_HEAD16 starts = clfold_heads16(i CLFOLD_PASS);
        x.$name = !!convert_$choice16(starts) ? start.$name : x.$name;
    }
    return x;
}

static void clfold_emit16(clfold_item16 y, clfold_item16 before,
                          global const CLFOLD_IN *s, ulong i, global CLFOLD_OUT *out,
                          ulong index, bool stream CLFOLD_WITH)
{
    clfold_item16 prev = before;

#if CLFOLD_WRITES_PREV
    prev = clfold_with_start16(before, true, i CLFOLD_PASS);
#endif
    clfold_emit_items16(clfold_with_start16(y, CLFOLD_EXCLUSIVE, i CLFOLD_PASS), prev, s,
                        i, out, index, stream CLFOLD_PASS);
}

#elif !CLFOLD_KEEPS_SCAN
#define clfold_emit16 clfold_emit_items16
#endif

#endif
