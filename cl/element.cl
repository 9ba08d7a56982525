/*
 * What is folded of an element, and below, the results of items. An element:
 *
 *   in         ... s ...          the buffer; a text may read any of it
 *   x          the element        as its scalars, or as the components
 *   l          a load's values    of x, i, the streams at i, ...
 *   stage      the components     of these, or of the scalars
 *
 * `i` counts from in_offset, which is clfold_origin in the buffer.
 *
 * needs: contract.cl, count.cl
 * needs if CLFOLD_HEADS: heads.cl
 * needs if CLFOLD_TEXT_SEGMENTS: text_segments.cl
 * needs if CLFOLD_TEXT_OFFSETS: text_segments.cl
 */
#if CLFOLD_LOADS_X || CLFOLD_WRITES_X || CLFOLD_KEEPS_X

static CLFOLD_X clfold_x_of(global const CLFOLD_IN *s)
{
    CLFOLD_X x;

#if CLFOLD_X_ITEM
    $x = convert_$result($load);
#else
    CLFOLD_FILL_X(x, s);
#endif
    return x;
}

#endif

#if CLFOLD_LOADS_SEGMENT
#define CLFOLD_OWN_PARAM , const clfold_segment CLFOLD_OWN
#else
#define CLFOLD_OWN_PARAM
#define clfold_load_own clfold_load
#endif

#if CLFOLD_REVERSE

/* Where the element at `at` is, if a scan takes the last of each segment first. The last
 * row may be short. */
static ulong clfold_mirrored(ulong at CLFOLD_WITH)
{
    const ulong i = at - clfold_origin, n = clfold_true_n(clfold_n CLFOLD_PASS);
#if CLFOLD_TEXT_SEGMENTS
    const ulong rank = clfold_segment_of(i CLFOLD_PASS).rank;
    const ulong length =
        clfold_width == 1 ? min(clfold_length, n - (i - rank)) : clfold_length;

    return at + (length - 1 - 2 * rank) * clfold_width;
#else
    return clfold_origin + n - 1 - i;
#endif
}
#define CLFOLD_AT(at) clfold_mirrored(at CLFOLD_PASS)
#define CLFOLD_OWN    before_mirror
#else
#define CLFOLD_AT(at) (at)
#define CLFOLD_OWN    own
#endif

/* The element at position j, counted from element `begin`, of segment `own`. */
static clfold_stage clfold_load_own(global const CLFOLD_IN *in, ulong begin,
                                    uint j CLFOLD_OWN_PARAM CLFOLD_WITH)
{
    const ulong at = CLFOLD_AT(begin + j);
    global const CLFOLD_IN *s = in + at * CLFOLD_SCALARS;
    clfold_stage r;

#if CLFOLD_LOAD
    const ulong i = at - clfold_origin;
#if CLFOLD_REVERSE && CLFOLD_LOADS_SEGMENT
    const clfold_segment own = clfold_segment_of(i CLFOLD_PASS);
#endif
#if CLFOLD_LOADS_X
    const CLFOLD_X x = clfold_x_of(s);
#endif
    const clfold_loaded l = CLFOLD_LOAD_CALL(x, s, i);
    (void)s; /* which not all loads read */
    r.$name = convert_$stage($loaded);
#else
    r.$name = convert_$stage($load);
#endif
    return r;
}

#if CLFOLD_LOADS_SEGMENT
static clfold_stage clfold_load(global const CLFOLD_IN *in, ulong begin,
                                uint j CLFOLD_WITH)
{
    const ulong i = begin + j - clfold_origin;

    return clfold_load_own(in, begin, j,
                           clfold_segment_of(CLFOLD_LOAD_INDEX(i) CLFOLD_PASS)
                               CLFOLD_PASS);
}
#endif

/*
 * Results in the caller's form, and the operands of a fold that are not elements:
 *
 *   item     parts as they are folded              { float sum, error; int head }
 *   named    what the caller knows of it, by name  { float v }
 *   result   a cell for each                       | v |     0 above what is narrower
 */
typedef struct {
    $result $name;
} clfold_named;

typedef struct {
    CLFOLD_CELL cells[CLFOLD_OUT_CELLS];
} clfold_result;

static clfold_named clfold_named_of(clfold_folded x)
{
    clfold_named named;

    named.$name = convert_$result($made);
    return named;
}

/* Of what was given: what an item became has lost the rest of it. */
static clfold_folded clfold_item_named(clfold_named given)
{
#if CLFOLD_ROUNDED
    const CLFOLD_CELL s[1] = { given.v };
    clfold_stage x;
    clfold_folded y;

    x.$name = convert_$stage($given);
    y.$name = convert_$item(x.$name);
    return y;
#else
    clfold_folded x;

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

static clfold_folded clfold_item_of(clfold_result r)
{
    clfold_cell_parts parts[CLFOLD_OUT_CELLS];
    clfold_named named;

    for (uint k = 0; k < CLFOLD_OUT_CELLS; ++k)
        parts[k].whole = r.cells[k];
    named.$name = convert_$result(CLFOLD_MEMBER(parts, $k, $name));
    return clfold_item_named(named);
}

/* Structs go by members: Intel's compiler (2026.22) copies half of one. */
static void clfold_store_named(clfold_named named, global CLFOLD_CELL *out, ulong index)
{
#if CLFOLD_OUT_STRUCT
    global clfold_cell_parts *parts = (global clfold_cell_parts *)(out + index);

    CLFOLD_MEMBER(parts, $k, $name) = convert_$result(named.$name);
#else
    const clfold_result r = clfold_cells_of(named);

    for (uint k = 0; k < CLFOLD_OUT_CELLS; ++k)
        out[index * CLFOLD_OUT_CELLS + k] = r.cells[k];
#endif
}

static void clfold_store(clfold_folded x, global CLFOLD_CELL *out, ulong index)
{
    clfold_store_named(clfold_named_of(x), out, index);
}

/* By members: Intel's compiler (2026.22) copies half of a struct. */
static clfold_folded clfold_fetch(global const CLFOLD_CELL *out, ulong index)
{
    global const clfold_cell_parts *parts =
        (global const clfold_cell_parts *)(out + index * CLFOLD_OUT_CELLS);
    clfold_named named;

    named.$name = convert_$result(CLFOLD_MEMBER(parts, $k, $name));
    return clfold_item_named(named);
}

#if CLFOLD_IN_PART

/* A carry is the item of all elements up to a place, without a head. */
static clfold_folded clfold_carry_in(global const uchar *from)
{
    global const clfold_carry *carry = (global const clfold_carry *)from;
    clfold_folded x;

    CLFOLD_CARRY_COPY(x, (*carry));
#if CLFOLD_HEADS
    x.clfold_head = 0;
#endif
    return x;
}

static void clfold_carry_store(clfold_folded x CLFOLD_WITH)
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

/* The operand before the first element: none, a value from the host, 1, or a result or a
 * carry in device memory. Where there is none `clfold_init_at` is any buffer. */
#define CLFOLD_INIT_PLACE 2
#define CLFOLD_INIT_CARRY 3 /* of the elements before this part of a call */

#if !CLFOLD_COUNTS

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

#if CLFOLD_HEADS
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
    const bool has_init = clfold_start_from != 0;
    clfold_item start = clfold_init(CLFOLD_START_ARGS), item = x;

    if (!has_init)
        start = clfold_or_identity(x, starts CLFOLD_PASS);
    item.clfold_head = 0;
    if (has_init && !starts)
        start = clfold_combine(start, item CLFOLD_PASS);
    return start;
}
#else
#define clfold_with_start(x, ...) (x)
#endif

/* Stores the total of a scan, if it is wanted, and of a part the carry; for one
 * work-item. It includes init, or is the identity if there are no elements. */
static void clfold_finish(clfold_item total, bool empty, CLFOLD_TOTAL_PARAMS CLFOLD_WITH)
{
    const clfold_item y = clfold_or_identity(total, empty CLFOLD_PASS);

    if (!empty)
        clfold_carry_store(total CLFOLD_PASS);
    clfold_key_store(clfold_count CLFOLD_PASS);
    /* That of a select by a scan's items is how many are kept: find_heads.cl. */
    if (CLFOLD_KEEPS_SCAN || !has_total)
        return;
    if (!(CLFOLD_HEADS || CLFOLD_HAS_IDENTITY) && empty)
        return;
    clfold_store(clfold_with_start(y, empty CLFOLD_PASS), total_out, total_index);
}

#endif
