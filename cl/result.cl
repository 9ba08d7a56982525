/*
 * Results in the caller's form, and the operands of a fold that are not elements.
 *
 *   item     parts as they are folded              { float sum, error; int head }
 *   named    what the caller knows of it, by name  { float v }
 *   result   a cell for each                       | v |     0 above what is narrower
 *
 * An item may be more than its result: a sum and its error, a value and a head.
 *
 * needs: contract.cl
 * needs if CLFOLD_HEADS: heads.cl
 * names: CLFOLD_CARRY_COPY, CLFOLD_CARRY_SIZE, CLFOLD_IN_PART, CLFOLD_ROUNDED
 * names: clfold_carry, clfold_combine, clfold_identity, clfold_rounded
 * names if CLFOLD_HEADS: CLFOLD_KEY_CELL, CLFOLD_START_ARGS
 */
typedef struct {
    $result $name;
} clfold_named;

typedef struct {
    CLFOLD_CELL cells[CLFOLD_OUT_CELLS];
} clfold_result;

static clfold_named clfold_named_of(clfold_item x)
{
    clfold_named named;

    named.$name = convert_$result($made);
    return named;
}

/* Of what was given: what an item became has lost the rest of it. */
static clfold_item clfold_item_named(clfold_named given)
{
#if CLFOLD_ROUNDED
    const CLFOLD_CELL s[1] = { given.v };
    clfold_stage x;

    x.$name = convert_$stage($given);
    clfold_item y;

    y.$name = convert_$item(x.$name);
    return y;
#else
    clfold_item x;

    x.$name = convert_$item($given);
    return x;
#endif
}

/* A result's part in a cell: a member of the only one, or the first bytes of its own. */
typedef union {
    CLFOLD_CELL whole;
#if CLFOLD_OUT_STRUCT
#define CLFOLD_MEMBER(cells, k, name) cells[0].whole.name
#else
#define CLFOLD_MEMBER(cells, k, name) cells[k].name
    $result $name;
#endif
} clfold_cell_parts;

static clfold_result clfold_cells_of(clfold_named named)
{
    clfold_cell_parts parts[CLFOLD_OUT_CELLS];
    clfold_result r;

#if !CLFOLD_OUT_STRUCT
    for (uint k = 0; k < CLFOLD_OUT_CELLS; ++k)
        parts[k].whole = 0;
#endif
    CLFOLD_MEMBER(parts, $k, $name) = convert_$result(named.$name);
    for (uint k = 0; k < CLFOLD_OUT_CELLS; ++k)
        r.cells[k] = parts[k].whole;
    return r;
}

static clfold_named clfold_named_in(clfold_result r)
{
    clfold_cell_parts parts[CLFOLD_OUT_CELLS];
    clfold_named named;

    for (uint k = 0; k < CLFOLD_OUT_CELLS; ++k)
        parts[k].whole = r.cells[k];
    named.$name = convert_$result(CLFOLD_MEMBER(parts, $k, $name));
    return named;
}

static clfold_result clfold_result_of(clfold_item x)
{
    return clfold_cells_of(clfold_named_of(x));
}

static clfold_item clfold_item_of(clfold_result r)
{
    return clfold_item_named(clfold_named_in(r));
}

static void clfold_store_named(clfold_named named, global CLFOLD_CELL *out, ulong index)
{
    const clfold_result r = clfold_cells_of(named);

    for (uint k = 0; k < CLFOLD_OUT_CELLS; ++k)
        out[index * CLFOLD_OUT_CELLS + k] = r.cells[k];
}

static void clfold_store(clfold_item x, global CLFOLD_CELL *out, ulong index)
{
    clfold_store_named(clfold_named_of(x), out, index);
}

static clfold_item clfold_fetch(global const CLFOLD_CELL *out, ulong index)
{
    clfold_result r;

    for (uint k = 0; k < CLFOLD_OUT_CELLS; ++k)
        r.cells[k] = out[index * CLFOLD_OUT_CELLS + k];
    return clfold_item_of(r);
}

#if CLFOLD_IN_PART

/* A carry is the item of all elements up to a place, without a head. */
static clfold_item clfold_carry_in(global const uchar *from)
{
    global const clfold_carry *carry = (global const clfold_carry *)from;
    clfold_item x;

    CLFOLD_CARRY_COPY(x, (*carry));
#if CLFOLD_HEADS
    x.clfold_head = 0;
#endif
    return x;
}

static void clfold_carry_store(clfold_item x CLFOLD_WITH)
{
    if (clfold_has_carry) {
        global clfold_carry *carry =
            (global clfold_carry *)(clfold_carry_out +
                                    clfold_carry_index * CLFOLD_CARRY_SIZE);
        CLFOLD_CARRY_COPY((*carry), x);
    }
}

#else
#define clfold_carry_store(...)
#endif

#if CLFOLD_IN_PART && CLFOLD_HEADS == 2

/* The last key of the part, or where it is empty the one before it. */
static void clfold_key_store(ulong count CLFOLD_WITH)
{
    global const CLFOLD_KEY_CELL *from = clfold_heads + clfold_heads_at + count - 1;

    if (count == 0)
        from = clfold_key_at + clfold_key_at_index;
    if (clfold_has_key_out && (count > 0 || clfold_has_key_at)) {
        global uchar *to = (global uchar *)(clfold_key_out + clfold_key_out_index);
        for (uint k = 0; k < sizeof(CLFOLD_KEY_CELL); ++k)
            to[k] = ((global const uchar *)from)[k];
    }
}

#else
#define clfold_key_store(...)
#endif

/* Of a scan: the place of the total, if it is wanted. */
#define CLFOLD_TOTAL_PARAMS                                                              \
    uint has_total, global CLFOLD_CELL *total_out, ulong total_index

/*
 * The operand before the first element: none, a value from the host, 1, or a result or a
 * carry in device memory. Where there is none `clfold_init_at` is any buffer.
 */
#define CLFOLD_INIT_PLACE 2
#define CLFOLD_INIT_CARRY 3 /* of the elements before this part of a call */

/* The item of init, if there is one. */
static clfold_item clfold_init(CLFOLD_INIT_PARAMS)
{
    clfold_named given;

#if CLFOLD_IN_PART
    if (clfold_init_from == CLFOLD_INIT_CARRY)
        return clfold_carry_in(clfold_init_at + clfold_init_index * CLFOLD_CARRY_SIZE);
#endif
    given.$name = convert_$result(init_$name);
    clfold_item init = clfold_item_named(given);
    if (clfold_init_from == CLFOLD_INIT_PLACE)
        init = clfold_fetch((global const CLFOLD_CELL *)clfold_init_at,
                            clfold_init_index);
    init.$name = init.$name$is_true;
    return init;
}

/* x or, where it is `empty`, the identity if there is one. */
static clfold_item clfold_or_identity(clfold_item x, bool empty CLFOLD_WITH)
{
#if CLFOLD_HAS_IDENTITY
    if (empty)
        return clfold_identity(CLFOLD_PASS_ONLY);
#endif
    return x;
}

/*
 * x, the fold of a segment's elements, with what stands before these. Init stands before
 * each segment of a scan, so it is no part of x. And where a segment starts after x, x is
 * another one's. No parameter is assigned to: on rusticl the caller's struct changes.
 *
 *   x            a    ab   |   c    cd
 *   inclusive   ia   iab       ic   icd
 *   exclusive    i   ia        i    ic        starts at the first of each
 */
static clfold_item clfold_with_start(clfold_item x, bool starts CLFOLD_WITH)
{
#if CLFOLD_HEADS
    const bool has_init = clfold_start_from != 0;
    clfold_item start = clfold_init(CLFOLD_START_ARGS), item = x;

    if (!has_init)
        start = clfold_or_identity(x, starts CLFOLD_PASS);
    item.clfold_head = 0;
    if (has_init && !starts)
        start = clfold_combine(start, item CLFOLD_PASS);
    return start;
#else
    return x;
#endif
}

/* Stores the total of a scan, if it is wanted, and of a part the carry; for one
 * work-item. It includes init, or is the identity if there are no elements. An empty fold
 * without either is rejected by the host. */
static void clfold_finish(clfold_item total, bool empty, CLFOLD_TOTAL_PARAMS CLFOLD_WITH)
{
    const clfold_item y = clfold_or_identity(total, empty CLFOLD_PASS);

    if (!empty)
        clfold_carry_store(total CLFOLD_PASS);
    clfold_key_store(clfold_count CLFOLD_PASS);
    if (!has_total)
        return;
#if !CLFOLD_HEADS
    if (!CLFOLD_HAS_IDENTITY && empty)
        return;
#endif
#if !CLFOLD_KEEPS_SCAN /* its total is how many are kept: find_heads.cl */
    clfold_store(clfold_with_start(y, empty CLFOLD_PASS), total_out, total_index);
#endif
}
