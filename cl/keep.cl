/*
 * What a select keeps of elements, and what it writes of those: by the fold's texts, of
 * one element, or of 16.
 *
 *   in       x0  x1  x2  x3  x4 ...     load     e0  e1  e2  e3  e4 ...
 *   holds     1   0   0   1   1         result   r0          r3  r4
 *
 * Whoever asks whether an element is kept has loaded it. Of runs the first is kept, by a
 * condition on neighbours.
 *
 * needs: contract.cl, element.cl, write.cl
 * needs if CLFOLD_TILE_VECTOR: tile_vector_write.cl, vectors.cl
 */
/* Whether element begin + j, loaded as e, is kept. */
static bool clfold_holds(clfold_stage e, global const CLFOLD_IN *in, ulong begin,
                         uint j CLFOLD_WITH)
{
    const ulong i = begin + j - clfold_origin;
    const CLFOLD_VALUE item = clfold_value_of(clfold_empty(e, 0 CLFOLD_PASS));
#if CLFOLD_KEEPS_X
    const CLFOLD_X x = clfold_x_of(in + (begin + j) * CLFOLD_SCALARS);
#endif
#if CLFOLD_KEEPS_RUNS
    const clfold_stage before = clfold_load(in, begin + j - (i > 0), 0 CLFOLD_PASS);
    const CLFOLD_VALUE prev = clfold_value_of(clfold_empty(before, 0 CLFOLD_PASS));
#endif
    const clfold_kept kept =
        CLFOLD_KEEP_CALL(item, prev, x, in + (begin + j) * CLFOLD_SCALARS, i);

#if CLFOLD_KEEPS_RUNS
    return i == 0 || kept.kept == 0;
#else
    return kept.kept != 0;
#endif
}

/* Writes it to element `index` of the output. */
static void clfold_put_element(clfold_stage e, global const CLFOLD_IN *in, ulong begin,
                               uint j, global CLFOLD_OUT *out, ulong index CLFOLD_WITH)
{
    const clfold_folded y = clfold_empty(e, 0 CLFOLD_PASS);

    clfold_emit(y, y, in + (begin + j) * CLFOLD_SCALARS, begin + j - clfold_origin, out,
                index CLFOLD_PASS);
}

/* Whether there are vectors of all this. */
#define CLFOLD_KEEP16 (CLFOLD_ITEM16 && !CLFOLD_KEEP_LANES)

#if CLFOLD_KEEP16

static clfold_item16 clfold_item16_of(clfold_stage16 e)
{
    clfold_item16 y;

    y.$name = convert_$item16(e.$name);
    return y;
}

/* -1 in each lane that is kept, else 0. */
static char16 clfold_holds16(clfold_stage16 e, global const CLFOLD_IN *in, ulong begin,
                             uint j CLFOLD_WITH)
{
    const ulong i = begin + j - clfold_origin;
    const CLFOLD_VALUE16 item = clfold_value16_of(clfold_item16_of(e));
#if CLFOLD_KEEPS_X
    const CLFOLD_X16 x = clfold_x16_of(in + (begin + j) * CLFOLD_SCALARS);
#endif
#if CLFOLD_KEEPS_RUNS
    clfold_stage16 before;
    if (i == 0) {
        before.$name = e.$name.s00123456789abcde;
    } else
        before = clfold_load16(in, begin + j - 1, 0 CLFOLD_PASS);
    const CLFOLD_VALUE16 prev = clfold_value16_of(clfold_item16_of(before));
#endif
    const clfold_kept16 kept =
        CLFOLD_KEEP_CALL16(item, prev, x, in + (begin + j) * CLFOLD_SCALARS, i);
    char16 holds = CLFOLD_KEEPS_RUNS ? ~kept.kept : kept.kept;

#if CLFOLD_KEEPS_RUNS
    /* Of all: Mesa 22.3's compiler crashes where one lane is set. */
    holds |= (char16)(i == 0 ? -1 : 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
#endif
    return holds;
}

/* What is written of 16. */
static void clfold_make_elements16(clfold_stage16 e, global const CLFOLD_IN *in,
                                   ulong begin, uint j, clfold_cells16 *made CLFOLD_WITH)
{
    const clfold_item16 y = clfold_item16_of(e);

    clfold_make16(y, y, in + (begin + j) * CLFOLD_SCALARS, begin + j - clfold_origin,
                  made CLFOLD_PASS);
}

#endif
