/*
 * What is written for an item: the item, as a result, or what a text of the fold's makes
 * of it.
 *
 *   item, prev   items           the fold up to an element, and before it
 *   value        item, prev      as the caller knows them
 *   written      the text's      of these, x, i, the streams at i, ...
 *   out          ... | ...       CLFOLD_OUT_SCALARS scalars, or an item's cells
 *
 * needs: contract.cl, element.cl
 * needs if CLFOLD_HEADS: heads.cl
 */
/* The item y, and the one before it, of element i, which is at `s`, go to element `index`
 * of the output. A reduction has no element: `s` is any pointer. */
#define CLFOLD_EMIT_PARAMS                                                               \
    clfold_folded y, clfold_folded before, global const CLFOLD_IN *s, ulong i,           \
        global CLFOLD_OUT *out, ulong index

#if CLFOLD_WRITES || CLFOLD_SELECTS

static CLFOLD_VALUE clfold_value_of(clfold_folded x)
{
    CLFOLD_VALUE value;

    $value = convert_$result($made);
    return value;
}

#endif

#if CLFOLD_WRITES

#if !CLFOLD_STORES

/* Puts a value into element `index`. */
static void clfold_put_written(clfold_written w, global CLFOLD_OUT *out, ulong index)
{
#if CLFOLD_OUT_ITEM
    clfold_named named;
    named.$name = convert_$result(w.$name);
    clfold_store_named(named, out, index);
#else
    union {
        clfold_written all;
        CLFOLD_OUT_VALUE scalars[CLFOLD_OUT_SCALARS];
    } as;

    as.all = w;
    for (uint k = 0; k < CLFOLD_OUT_SCALARS; ++k) {
#if CLFOLD_OUT_HALF
        vstore_half(as.scalars[k], index * CLFOLD_OUT_SCALARS + k, out);
#else
        out[index * CLFOLD_OUT_SCALARS + k] = as.scalars[k];
#endif
    }
#endif
}

#endif

#if CLFOLD_STORES
static void clfold_emit_items(CLFOLD_EMIT_PARAMS CLFOLD_WITH)
#else
static clfold_written clfold_make(clfold_folded y, clfold_folded before,
                                  global const CLFOLD_IN *s, ulong i CLFOLD_WITH)
#endif
{
    const CLFOLD_VALUE item = clfold_value_of(y);
#if CLFOLD_WRITES_PREV
    const CLFOLD_VALUE prev = clfold_value_of(before);
#endif
#if CLFOLD_WRITES_X
    const CLFOLD_X x = clfold_x_of(s);
#endif

#if CLFOLD_STORES
    /* The caller's out[i] is element `index`, or of what is kept out[at]. */
#if CLFOLD_SELECTS
    const ulong clfold_place = index - clfold_out_begin;
#else
    const ulong clfold_place = i;
#endif
    global CLFOLD_OUT_X *const first =
        (global CLFOLD_OUT_X *)(out + (index - clfold_place) * CLFOLD_OUT_SCALARS);
    CLFOLD_RESULT_CALL(first, item, prev, x, s, i);
#else
    return CLFOLD_RESULT_CALL(out, item, prev, x, s, i);
#endif
}

#if !CLFOLD_STORES

static void clfold_emit_items(CLFOLD_EMIT_PARAMS CLFOLD_WITH)
{
    clfold_put_written(clfold_make(y, before, s, i CLFOLD_PASS), out, index);
}

#endif

#else

static void clfold_emit_items(CLFOLD_EMIT_PARAMS CLFOLD_WITH)
{
    clfold_store(y, out, index);
}

#endif

#if CLFOLD_REVERSE

static void clfold_emit_mirrored(CLFOLD_EMIT_PARAMS CLFOLD_WITH)
{
    const ulong to = CLFOLD_AT(clfold_origin + i) - clfold_origin;

    clfold_emit_items(y, before, s + (long)(to - i) * CLFOLD_SCALARS, to, out,
                      index + (to - i) CLFOLD_PASS);
}
#define clfold_emit_items clfold_emit_mirrored
#endif

#if CLFOLD_HEADS

static void clfold_emit(CLFOLD_EMIT_PARAMS CLFOLD_WITH)
{
    const bool starts =
        (CLFOLD_EXCLUSIVE || CLFOLD_WRITES_PREV) && clfold_head(i CLFOLD_PASS) != 0;

    const clfold_item item =
        clfold_with_start(y, CLFOLD_EXCLUSIVE && starts CLFOLD_PASS);
    const clfold_item prev =
        CLFOLD_WRITES_PREV ? clfold_with_start(before, starts CLFOLD_PASS) : before;

    clfold_emit_items(item, prev, s, i, out, index CLFOLD_PASS);
}

#elif !CLFOLD_KEEPS_SCAN
#define clfold_emit clfold_emit_items
#endif
