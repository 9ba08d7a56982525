/*
 * The end of a reduction: what every kernel does that writes a result.
 *
 *   item       components as they are folded           { ulong index; float value }
 *   result     as the caller has them, a cell for each    ulong        float, 0 above it
 */

/* How the kernels that write the result take init. */
#define CLFOLD_INIT_PARAM(k, name, stage, item, result) , result init_##name
#define CLFOLD_INIT_SET(k, name, stage, item, result)                                    \
    init.name = convert_##item(CLFOLD_INIT_##k(init_##name));

/* Puts init in front, or takes the identity for what is empty, and stores the result: one
 * work-item does. An empty fold without either stores nothing: the host refuses such a
 * call. */
static void clfold_finish(clfold_item total, bool empty, bool has_init, clfold_item init,
                          global CLFOLD_CELL *out, ulong out_offset)
{
    if (has_init)
        total = empty ? init : clfold_combine(init, total);
    else if (empty) {
#if CLFOLD_HAS_IDENTITY
        total = clfold_identity();
#else
        return;
#endif
    }
    /* A cell may be wider than its component; the rest of it is 0. */
#define CLFOLD_STORE(k, name, stage, item, result)                                       \
    {                                                                                    \
        union {                                                                          \
            CLFOLD_CELL whole;                                                           \
            result value;                                                                \
        } cell;                                                                          \
        cell.whole = 0;                                                                  \
        cell.value = convert_##result(total.name);                                       \
        out[out_offset * CLFOLD_COMPONENTS + k] = cell.whole;                            \
    }
    CLFOLD_EACH(CLFOLD_STORE)
}
