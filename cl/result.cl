/*
 * Results in the caller's form, and the operands of a fold that are not elements.
 *
 *   item       components as they are folded           { ulong index; float value }
 *   result     as the caller has them, a cell for each    ulong        float, 0 above it
 *
 * Where CLFOLD_ROUNDED is 1 a result is one cell, made of all components.
 */
typedef struct {
    CLFOLD_CELL cells[CLFOLD_OUT_CELLS];
} clfold_result;

#if CLFOLD_OUT_STRUCT

static clfold_result clfold_result_of(clfold_item x)
{
    clfold_result r;

    r.cells[0].$name = convert_$result(x.$name);
    return r;
}

static clfold_item clfold_item_of(clfold_result r)
{
    clfold_item x;

    x.$name = convert_$item(r.cells[0].$name);
    return x;
}

#elif CLFOLD_ROUNDED

static clfold_result clfold_result_of(clfold_item x)
{
    clfold_result r;

    r.cells[0] = clfold_rounded(x);
    return r;
}

/* Of a result that was given: one that an item became has lost the rest of it. */
static clfold_item clfold_item_of(clfold_result r)
{
    const CLFOLD_CELL *s = r.cells;
    clfold_stage x;

    x.$name = convert_$stage($lift);
    return clfold_empty(x, 0);
}

#else

/* A cell may be wider than its component; the rest of it is 0. */
typedef union {
    CLFOLD_CELL whole;
    $result $name;
} clfold_cell_parts;

static clfold_result clfold_result_of(clfold_item x)
{
    clfold_cell_parts parts[CLFOLD_COMPONENTS];
    clfold_result r;

    parts[$k].whole = 0;
    parts[$k].$name = convert_$result(x.$name);
    r.cells[$k] = parts[$k].whole;
    return r;
}

static clfold_item clfold_item_of(clfold_result r)
{
    clfold_cell_parts parts[CLFOLD_COMPONENTS];
    clfold_item x;

    parts[$k].whole = r.cells[$k];
    x.$name = convert_$item(parts[$k].$name);
    return x;
}

#endif

static void clfold_store(clfold_item x, global CLFOLD_CELL *out, ulong index)
{
    const clfold_result r = clfold_result_of(x);

    for (uint k = 0; k < CLFOLD_OUT_CELLS; ++k)
        out[index * CLFOLD_OUT_CELLS + k] = r.cells[k];
}

static clfold_item clfold_fetch(global const CLFOLD_CELL *out, ulong index)
{
    clfold_result r;

    for (uint k = 0; k < CLFOLD_OUT_CELLS; ++k)
        r.cells[k] = out[index * CLFOLD_OUT_CELLS + k];
    return clfold_item_of(r);
}

/* Of a scan: the place of the total, if it is wanted. */
#define CLFOLD_TOTAL_PARAMS                                                              \
    uint has_total, global CLFOLD_CELL *total_out, ulong total_index

/*
 * The operand before the first element: none, a value from the host, or a result in
 * device memory. Where there is none `clfold_init_at` is any buffer.
 */
#define CLFOLD_INIT_VALUE 1
#define CLFOLD_INIT_PLACE 2

/* The item of init, if there is one. */
static clfold_item clfold_init(CLFOLD_INIT_PARAMS)
{
    clfold_item init;

#if CLFOLD_ROUNDED
    const clfold_result given = { { init_v } };
    init = clfold_item_of(given);
#else
    init.$name = convert_$item(init_$name);
#endif
    if (clfold_init_from == CLFOLD_INIT_PLACE)
        init = clfold_fetch(clfold_init_at, clfold_init_index);
    init.$name = init.$name$is_true;
    return init;
}

/* x or, where it is `empty`, the identity if there is one. */
static clfold_item clfold_or_identity(clfold_item x, bool empty CLFOLD_WITH)
{
#if CLFOLD_HAS_IDENTITY
    if (empty)
        x = clfold_identity(CLFOLD_PASS_ONLY);
#endif
    return x;
}

/* Stores a total, which includes init, or the identity if there are no elements; for one
 * work-item. An empty fold without either stores nothing: the host rejects it. */
static void clfold_finish(clfold_item total, bool empty, global CLFOLD_CELL *out,
                          ulong index CLFOLD_WITH)
{
    if (CLFOLD_HAS_IDENTITY || !empty)
        clfold_store(clfold_or_identity(total, empty CLFOLD_PASS), out, index);
}
