#include <clfold/experimental.h>
#include "plan/monoid.h"

#include "plan/scalar.h"

/* ---- The operators' texts ---------------------------------------------------------- */

/* A NaN on either side is the result. Three instructions: LLVM makes one of the inner
 * choice, and joins the outer one to it unless what they choose differs. */
#define LESS(a, b)     b " < " a " ? " b " : " a
#define MORE(a, b)     b " > " a " ? " b " : " a
#define LEAST(a, b)    b " != " b " ? " b " + " b " : " LESS(a, b)
#define GREATEST(a, b) b " != " b " ? " b " + " b " : " MORE(a, b)

/* b goes before a: by value, by index among equals. For floats a NaN goes before all
 * numbers. */
#define INT_BEFORE(value, order, index)                                                  \
    "((b." value " " order " a." value ") | ((b." value " == a." value ") & (b." index   \
    " < a." index ")))"
#define REAL_BEFORE(value, order, index)                                                 \
    "((b." value " " order " a." value ") | ((b." value " != b." value ") & (a." value   \
    " == a." value ")) | (((b." value " == a." value ") | ((b." value " != b." value     \
    ") & (a." value " != a." value "))) & (b." index " < a." index ")))"
#define PICK(before, name) before " ? b." name " : a." name

/* Where all of a is before b, a's index comes first among equals: a tile's lanes take
 * their elements in this order. Two comparisons for floats, not six, which arg-min waited
 * for: see tile_vector.cl. */
#define INT_STAYS(value, order) "(a." value " " order "= b." value ")"
#define REAL_STAYS(value, order)                                                         \
    "(" INT_STAYS(value, order) " | (a." value " != a." value "))"
#define STAY(stays, name) stays " ? a." name " : b." name

/* Eight texts: the index and the value, of integers and of floats; and the same where all
 * of a is before b. */
#define ARG_TEXTS(index, value, order)                                                   \
    {                                                                                    \
        { PICK(INT_BEFORE(value, order, index), index),                                  \
          PICK(INT_BEFORE(value, order, index), value) },                                \
            { PICK(REAL_BEFORE(value, order, index), index),                             \
              PICK(REAL_BEFORE(value, order, index), value) },                           \
            { STAY(INT_STAYS(value, order), index),                                      \
              STAY(INT_STAYS(value, order), value) },                                    \
            { STAY(REAL_STAYS(value, order), index),                                     \
              STAY(REAL_STAYS(value, order), value) },                                   \
    }

static const char *const arg_min_texts[4][2] = ARG_TEXTS("index", "value", "<");
static const char *const arg_max_texts[4][2] = ARG_TEXTS("index", "value", ">");
static const char *const least_texts[4][2] = ARG_TEXTS("min_index", "min_value", "<");
static const char *const greatest_texts[4][2] = ARG_TEXTS("max_index", "max_value", ">");

/* ---- The operators ----------------------------------------------------------------- */

/* A row of the operators' table, which comes after what makes their monoids. */
struct op_row {
    const char *enumerator, *name;
    void (*set)(struct monoid *monoid, const struct op_row *row);
    const char *combine, *identity;            /* of all components */
    const char *fields[CLFOLD_MAX_COMPONENTS]; /* of indices or tuples */
    const char *rare;                          /* of floats */
    bool integers_only;
};

struct component clfold_plain(const char *name, clfold_type type, const char *combine,
                              const char *identity)
{
    return (struct component){
        .name = name,
        .result = type,
        .item = type,
        .stage = type,
        .combine = combine,
        .identity = identity,
        .neutral = identity,
    };
}

/* Integer sums into 64 bits are kept in 32 as long as they fit; f16 is summed in f32. */
static void set_sum(struct monoid *monoid, const struct op_row *row)
{
    const struct scalar *in = clfold_scalar(monoid->in);
    const struct scalar *type = clfold_scalar(monoid->type);
    const bool adds = monoid->op == CLFOLD_ADD;
    clfold_type item = type->is_float ? monoid->type : clfold_integer(type->size, false);
    struct component v = clfold_plain("v", item, row->combine, row->identity);

    v.result = monoid->type;
    /* 0 and -0 are 0. */
    v.neutral = type->is_float && adds ? "-0.0f" : row->identity;
    if (monoid->type == CLFOLD_F16) {
        v.stage = CLFOLD_F32;
        v.load = monoid->in == CLFOLD_F16 ? LOAD_PLAIN : LOAD_CONVERTED;
    } else if (adds && !type->is_float && type->size == 8 && in->size < 4) {
        uint32_t values = 1u << (8 * in->size);
        v.stage = clfold_integer(4, in->is_signed);
        monoid->stage_limit =
            in->is_signed ? INT32_MAX / (values / 2) : UINT32_MAX / (values - 1);
    }
    monoid->components[0] = v;
}

/* Of each extreme: the combine of integers, that of floats, and where no NaN is. */
#define MINIMUM(a, b) "min(" a ", " b ")", LEAST(a, b), LESS(a, b)
#define MAXIMUM(a, b) "max(" a ", " b ")", GREATEST(a, b), MORE(a, b)
static const struct {
    clfold_op op;
    bool is_least;
    const char *name, *of_integers, *of_floats, *usual;
} extremes[] = {
    { CLFOLD_MIN, true, "v", MINIMUM("a", "b") },
    { CLFOLD_MAX, false, "v", MAXIMUM("a", "b") },
    { CLFOLD_MIN_MAX, true, "least", MINIMUM("a.least", "b.least") },
    { CLFOLD_MIN_MAX, false, "greatest", MAXIMUM("a.greatest", "b.greatest") },
};

/* Where the conversion keeps the order of elements, an extreme is found before it. */
static void set_extremes(struct monoid *monoid, const struct op_row *row)
{
    const struct scalar *type = clfold_scalar(monoid->type), *stage;
    bool keeps_order = type->is_float || clfold_type_holds(monoid->type, monoid->in);
    uint32_t num = 0;

    for (size_t i = 0; i < CLFOLD_LENGTH(extremes); ++i) {
        if (extremes[i].op == monoid->op) {
            bool is_least = extremes[i].is_least;
            struct component x = clfold_plain(extremes[i].name, monoid->type,
                                              type->is_float ? extremes[i].of_floats
                                                             : extremes[i].of_integers,
                                              is_least ? type->highest : type->lowest);
            x.stage = keeps_order ? monoid->value : monoid->type;
            stage = clfold_scalar(x.stage);
            x.neutral = is_least ? stage->highest : stage->lowest;
            x.usual = extremes[i].usual;
            monoid->components[num++] = x;
        }
    }
    monoid->num_components = num;
    monoid->rare = type->is_float ? row->rare : NULL;
}

/* Bits are folded in the narrower type: widening copies the sign bit or adds zeros, which
 * all three operators let through. */
static void set_bits(struct monoid *monoid, const struct op_row *row)
{
    bool widens = clfold_scalar(monoid->type)->size >= clfold_scalar(monoid->in)->size;

    monoid->components[0] = clfold_plain("v", monoid->type, row->combine, row->identity);
    monoid->components[0].stage = widens ? monoid->in : monoid->type;
}

/* A relation of vectors is a signed integer of its operands' size. */
static void set_truth(struct monoid *monoid, const struct op_row *row)
{
    struct component truth = clfold_plain("v", monoid->type, row->combine, row->identity);

    truth.stage = clfold_integer(clfold_scalar(monoid->value)->size, true);
    truth.load = LOAD_TRUTH;
    monoid->components[0] = truth;
}

/* An index and its value. `?:` on vectors wants condition and choices of one size, so
 * narrow values are staged in 32 bits and the position is as wide as the value. */
static void set_arg(struct component pair[2], const struct monoid *monoid,
                    const char *const names[2], const char *const texts[4][2])
{
    bool holds = clfold_type_holds(monoid->type, monoid->in);
    bool real = clfold_scalar(monoid->type)->is_float;
    const struct scalar *base = clfold_scalar(holds ? monoid->value : monoid->type);
    size_t size = base->size == 8 ? 8 : 4;
    clfold_type stage = !base->is_float ? clfold_integer(size, base->is_signed)
                        : size == 8     ? CLFOLD_F64
                                        : CLFOLD_F32;

    pair[0] = clfold_plain(names[0], CLFOLD_U64, texts[real][0], NULL);
    pair[0].stage = clfold_integer(size, false);
    pair[0].load = LOAD_POSITION;
    pair[0].extend = texts[2 + real][0];
    pair[1] = clfold_plain(names[1], monoid->type, texts[real][1], NULL);
    pair[1].stage = stage;
    pair[1].load = holds || stage == monoid->type ? LOAD_PLAIN : LOAD_CONVERTED;
    pair[1].extend = texts[2 + real][1];
}

static void set_args(struct monoid *monoid, const struct op_row *row)
{
    const bool are_both = monoid->op == CLFOLD_ARG_MIN_MAX;

    monoid->has_identity = false;
    monoid->cell = CLFOLD_U64;
    monoid->num_components = are_both ? 4 : 2;
    /* A position must fit 32 bits. */
    monoid->stage_limit = UINT32_MAX;
    set_arg(monoid->components, monoid, row->fields,
            are_both                       ? least_texts
            : monoid->op == CLFOLD_ARG_MIN ? arg_min_texts
                                           : arg_max_texts);
    if (are_both) {
        set_arg(monoid->components + 2, monoid, row->fields + 2, greatest_texts);
    }
}

/* Chan, Golub and LeVeque merge two sets by the mean's shift, b.mean - a.mean, and the
 * share of b in both. At most one of the sets is empty. */
#define SHIFT       "(b.mean - a.mean)"
#define SHARE(to_t) "(" to_t "(b.count) / " to_t "(a.count + b.count))"
#define MERGE(to_t)                                                                      \
    "{ a.count + b.count, a.mean + " SHIFT                                               \
    " * " SHARE(to_t) ", a.m2 + b.m2 + " SHIFT " * " SHIFT " * (" to_t                   \
                      "(a.count) * " SHARE(to_t) ") }"

/* The count is staged in 32 bits. */
static void set_moments(struct monoid *monoid, const struct op_row *row)
{
    clfold_type type = monoid->type;

    monoid->combine = type == CLFOLD_F32 ? MERGE("to_f32") : MERGE("to_f64");
    monoid->identity = row->identity;
    monoid->num_components = 3;
    monoid->cell = CLFOLD_U64;
    monoid->out_struct = type == CLFOLD_F32;
    monoid->stage_limit = UINT32_MAX;
    monoid->components[0] = clfold_plain("count", CLFOLD_U64, NULL, NULL);
    monoid->components[0].stage = CLFOLD_U32;
    monoid->components[0].load = LOAD_ONE;
    monoid->components[1] = clfold_plain("mean", type, NULL, NULL);
    monoid->components[2] = clfold_plain("m2", type, NULL, NULL);
    monoid->components[2].load = LOAD_ZERO;
}

/* Elements of several scalars of one type, which are the components. */
static void set_tuple(struct monoid *monoid, const struct op_row *row)
{
    const struct scalar *type = clfold_scalar(monoid->type);
    clfold_type item = type->is_float ? monoid->type : clfold_integer(type->size, false);
    uint32_t num = 0;

    for (; num < CLFOLD_MAX_COMPONENTS && row->fields[num]; ++num) {
        struct component *component = &monoid->components[num];
        *component = clfold_plain(row->fields[num], item, NULL, NULL);
        component->result = monoid->type;
        component->load = monoid->in == monoid->type ? LOAD_PLAIN : LOAD_CONVERTED;
        component->scalar = num;
    }
    monoid->commutative = false;
    monoid->combine = row->combine;
    monoid->identity = row->identity;
    monoid->num_scalars = monoid->num_components = num;
}

#define ROW(op, ...) [CLFOLD_##op] = { .enumerator = "CLFOLD_" #op, __VA_ARGS__ }
static const struct op_row operators[] = {
    ROW(ADD, "add", set_sum, "a + b", "0"),
    ROW(MUL, "mul", set_sum, "a * b", "1"),
    ROW(MIN, "min", set_extremes, .rare = "b != b"),
    ROW(MAX, "max", set_extremes, .rare = "b != b"),
    ROW(BIT_AND, "bit-and", set_bits, "a & b", "-1", .integers_only = true),
    ROW(BIT_OR, "bit-or", set_bits, "a | b", "0", .integers_only = true),
    ROW(BIT_XOR, "bit-xor", set_bits, "a ^ b", "0", .integers_only = true),
    ROW(LOGICAL_AND, "logical-and", set_truth, "min(a, b)", "1"),
    ROW(LOGICAL_OR, "logical-or", set_truth, "max(a, b)", "0"),
    ROW(ARG_MIN, "arg-min", set_args, .fields = { "index", "value" }),
    ROW(ARG_MAX, "arg-max", set_args, .fields = { "index", "value" }),
    ROW(ARG_MIN_MAX, "arg-min-max", set_args,
        .fields = { "min_index", "min_value", "max_index", "max_value" }),
    ROW(MIN_MAX, "min-max", set_extremes, .rare = "b.least != b.least"),
    ROW(MOMENTS, "moments", set_moments, .identity = "{ 0, 0, 0 }"),
    ROW(AFFINE, "affine", set_tuple, "{ a.a * b.a, a.b * b.a + b.b }", "{ 1, 0 }",
        { "a", "b" }),
    ROW(MATRIX_2X2, "matrix-2x2", set_tuple,
        "{ a.m00 * b.m00 + a.m01 * b.m10, a.m00 * b.m01 + a.m01 * b.m11, "
        "a.m10 * b.m00 + a.m11 * b.m10, a.m10 * b.m01 + a.m11 * b.m11 }",
        "{ 1, 0, 0, 1 }", { "m00", "m01", "m10", "m11" }),
};

const char *clfold_op_name(clfold_op op)
{
    return op >= CLFOLD_ADD && op <= CLFOLD_MATRIX_2X2 ? operators[op].name : NULL;
}

clfold_status clfold_monoid_init(struct monoid *monoid, const struct site *site,
                                 clfold_op op, clfold_type type, clfold_type in)
{
    if (op < CLFOLD_ADD || op > CLFOLD_MATRIX_2X2) {
        return REJECT(site, "op %u is not a valid operator", op);
    }
    if (!clfold_scalar(type)) {
        return REJECT(site, "type %u is not a valid type", type);
    }
    const struct op_row *row = &operators[op];
    if (row->integers_only && clfold_scalar(type)->is_float) {
        return REJECT(site, "op %s folds integers only, but type is %s", row->enumerator,
                      clfold_scalar_name(type));
    }
    if (op == CLFOLD_MOMENTS && type != CLFOLD_F32 && type != CLFOLD_F64) {
        return REJECT(site, "op %s folds f32 and f64 only, but type is %s",
                      row->enumerator, clfold_scalar_name(type));
    }
    if (clfold_scalar(in)->is_float && !clfold_scalar(type)->is_float) {
        return UNSUPPORTED(site,
                           "in %s cannot be folded as type %s: floats need a float type",
                           clfold_scalar_name(in), clfold_scalar_name(type));
    }
    *monoid = (struct monoid){
        .name = row->name,
        .op = op,
        .in = in,
        .value = in == CLFOLD_F16 && type != CLFOLD_F16 ? CLFOLD_F32 : in,
        .type = type,
        .cell = type,
        .num_scalars = 1,
        .num_components = 1,
        .commutative = true,
        .has_identity = true,
        .stage_limit = UINT64_MAX,
    };
    row->set(monoid, row);
    return CLFOLD_OK;
}

/* ---- Accuracy ---------------------------------------------------------------------- */

/* The rounding error of a.sum + b.sum, which is itself a float: Knuth, "The Art of
 * Computer Programming", volume 2, section 4.2.2, theorem B, whichever is the greater. */
#define SUM  "(a.sum + b.sum)"
#define OF_B "(" SUM " - a.sum)"
#define LOST "((a.sum - (" SUM " - " OF_B ")) + (b.sum - " OF_B "))"

/*
 * An item is { sum, error }: the sum as it is without, and the sum of all its rounding
 * errors, which Ogita, Rump and Oishi, "Accurate Sum and Dot Product" (2005), add in the
 * end. Elements have the error -0, which compilers drop.
 *
 * An infinite sum has a NaN as its error, and a sum of -0 the error 0: both are results
 * without it.
 */
static void set_compensated(struct monoid *monoid)
{
    struct component sum = clfold_plain("sum", monoid->type, "a.sum + b.sum", "0");
    struct component error;

    sum.neutral = "-0.0f";
    error = sum;
    error.name = "error";
    error.load = LOAD_NEUTRAL;
    error.combine = "(a.error + b.error) + " LOST;
    monoid->num_components = 2;
    monoid->components[0] = sum;
    monoid->components[1] = error;
    monoid->rounded = "((item.error != 0) & (item.sum + item.error == item.sum + "
                      "item.error)) ? item.sum + item.error : item.sum";
}

/* An item is what binned.cl says: three sums of integers, and the place of the first. */
static void set_reproducible(struct monoid *monoid)
{
    size_t size = clfold_scalar(monoid->type)->size;

    monoid->item_file = "binned";
    monoid->type_name = "clfold_binned";
    monoid->type_size = 3 * sizeof(int64_t) + 4 * size;
    monoid->components[0] = (struct component){
        .name = "v",
        .result = monoid->type,
        .load = LOAD_BINNED,
        .combine = "clfold_binned_merge(a, b)",
        .identity = "clfold_binned_zero()",
    };
    monoid->rounded = "clfold_binned_value(item.v)";
}

clfold_status clfold_monoid_set_accuracy(struct monoid *monoid, const struct site *site,
                                         uint32_t accuracy)
{
    const char *name = accuracy == CLFOLD_COMPENSATED ? "compensated" : "reproducible";

    if (accuracy == CLFOLD_DETERMINISTIC) {
        return CLFOLD_OK;
    }
    if (monoid->op != CLFOLD_ADD) {
        return UNSUPPORTED(site, "accuracy %s is for sums, but op is %s", name,
                           monoid->name);
    }
    if (monoid->type != CLFOLD_F32 && monoid->type != CLFOLD_F64) {
        return UNSUPPORTED(site, "accuracy %s is for sums of f32 and f64, but type is %s",
                           name, clfold_scalar_name(monoid->type));
    }
    monoid->accuracy = accuracy;
    if (accuracy == CLFOLD_COMPENSATED) {
        set_compensated(monoid);
    } else {
        set_reproducible(monoid);
    }
    return CLFOLD_OK;
}

/* ---- Segments ---------------------------------------------------------------------- */

const char *clfold_way_name(uint32_t by)
{
    static const char *const names[] = {
        [CLFOLD_BY_FLAGS] = "flags",     [CLFOLD_BY_KEYS] = "keys",
        [CLFOLD_BY_OFFSETS] = "offsets", [CLFOLD_BY_LENGTH] = "length",
        [CLFOLD_BY_COLUMNS] = "columns",
    };

    return by < CLFOLD_LENGTH(names) ? names[by] : NULL;
}

/* A signed integer of as many bits: one condition serves it and its neighbour. */
static clfold_type head_beside(clfold_type type)
{
    return type ? clfold_integer(clfold_scalar(type)->size, true) : CLFOLD_I8;
}

void clfold_monoid_lift(struct monoid *monoid)
{
    const struct component *last = &monoid->components[monoid->num_components - 1];

    monoid->lifted = true;
    monoid->commutative = false;
    monoid->rare = NULL; /* a head may hide it */
    monoid->components[monoid->num_components] = (struct component){
        .name = "clfold_head",
        .item = head_beside(last->item),
        .stage = head_beside(last->stage),
        .load = LOAD_HEAD,
        .neutral = "0",
    };
}

const char *clfold_monoid_form(const struct monoid *monoid)
{
    return monoid->type ? clfold_scalar_name(monoid->type) : monoid->form;
}
