#include <clfold/experimental.h>
#include "plan/monoid.h"

#include "base/size.h"
#include "plan/scalar.h"

#include <string.h>

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

static const struct {
    const char *enumerator, *name;
    bool integers_only;
} ops[] = {
    [CLFOLD_ADD] = { "CLFOLD_ADD", "add", false },
    [CLFOLD_MUL] = { "CLFOLD_MUL", "mul", false },
    [CLFOLD_MIN] = { "CLFOLD_MIN", "min", false },
    [CLFOLD_MAX] = { "CLFOLD_MAX", "max", false },
    [CLFOLD_BIT_AND] = { "CLFOLD_BIT_AND", "bit-and", true },
    [CLFOLD_BIT_OR] = { "CLFOLD_BIT_OR", "bit-or", true },
    [CLFOLD_BIT_XOR] = { "CLFOLD_BIT_XOR", "bit-xor", true },
    [CLFOLD_LOGICAL_AND] = { "CLFOLD_LOGICAL_AND", "logical-and", false },
    [CLFOLD_LOGICAL_OR] = { "CLFOLD_LOGICAL_OR", "logical-or", false },
    [CLFOLD_ARG_MIN] = { "CLFOLD_ARG_MIN", "arg-min", false },
    [CLFOLD_ARG_MAX] = { "CLFOLD_ARG_MAX", "arg-max", false },
    [CLFOLD_ARG_MIN_MAX] = { "CLFOLD_ARG_MIN_MAX", "arg-min-max", false },
    [CLFOLD_MIN_MAX] = { "CLFOLD_MIN_MAX", "min-max", false },
    [CLFOLD_MOMENTS] = { "CLFOLD_MOMENTS", "moments", false },
    [CLFOLD_AFFINE] = { "CLFOLD_AFFINE", "affine", false },
    [CLFOLD_MATRIX_2X2] = { "CLFOLD_MATRIX_2X2", "matrix-2x2", false },
};

const char *clfold_op_name(clfold_op op)
{
    return op >= CLFOLD_ADD && op <= CLFOLD_MATRIX_2X2 ? ops[op].name : NULL;
}

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
static void set_sum(struct monoid *monoid, const char *combine, const char *identity)
{
    const struct scalar *in = clfold_scalar(monoid->in);
    const struct scalar *type = clfold_scalar(monoid->type);
    clfold_type item = type->is_float ? monoid->type : clfold_integer(type->size, false);
    struct component v = clfold_plain("v", item, combine, identity);

    v.result = monoid->type;
    /* 0 and -0 are 0. */
    v.neutral = type->is_float && strcmp(identity, "0") == 0 ? "-0.0f" : identity;
    if (monoid->type == CLFOLD_F16) {
        v.stage = CLFOLD_F32;
        v.load = monoid->in == CLFOLD_F16 ? LOAD_PLAIN : LOAD_CONVERTED;
    } else if (strcmp(monoid->name, "add") == 0 && !type->is_float && type->size == 8 &&
               in->size < 4) {
        uint32_t values = 1u << (8 * in->size);
        v.stage = clfold_integer(4, in->is_signed);
        monoid->stage_limit =
            in->is_signed ? INT32_MAX / (values / 2) : UINT32_MAX / (values - 1);
    }
    monoid->components[0] = v;
}

/* Where the conversion keeps the order of elements, the extreme is found before it. */
static struct component extreme(const struct monoid *monoid, const char *name,
                                const char *combine, const char *usual,
                                const char *identity)
{
    const struct scalar *type = clfold_scalar(monoid->type);
    bool keeps_order = type->is_float || clfold_type_holds(monoid->type, monoid->in);
    struct component x = clfold_plain(name, monoid->type, combine, identity);

    x.stage = keeps_order ? monoid->value : monoid->type;
    x.neutral = strcmp(identity, type->lowest) == 0 ? clfold_scalar(x.stage)->lowest
                                                    : clfold_scalar(x.stage)->highest;
    x.usual = usual;
    return x;
}

static void set_extremes(struct monoid *monoid, clfold_op op)
{
    const struct scalar *type = clfold_scalar(monoid->type);
    bool real = type->is_float;
    struct component *components = monoid->components;

    monoid->rare = !real ? NULL : op == CLFOLD_MIN_MAX ? "b.least != b.least" : "b != b";
    if (op == CLFOLD_MIN) {
        components[0] = extreme(monoid, "v", real ? LEAST("a", "b") : "min(a, b)",
                                LESS("a", "b"), type->highest);
    } else if (op == CLFOLD_MAX) {
        components[0] = extreme(monoid, "v", real ? GREATEST("a", "b") : "max(a, b)",
                                MORE("a", "b"), type->lowest);
    } else {
        monoid->num_components = 2;
        components[0] = extreme(
            monoid, "least", real ? LEAST("a.least", "b.least") : "min(a.least, b.least)",
            LESS("a.least", "b.least"), type->highest);
        components[1] = extreme(monoid, "greatest",
                                real ? GREATEST("a.greatest", "b.greatest")
                                     : "max(a.greatest, b.greatest)",
                                MORE("a.greatest", "b.greatest"), type->lowest);
    }
}

/* Bits are folded in the narrower type: widening copies the sign bit or adds zeros, which
 * all three operators let through. */
static void set_bits(struct monoid *monoid, const char *combine, const char *identity)
{
    bool widens = clfold_scalar(monoid->type)->size >= clfold_scalar(monoid->in)->size;

    monoid->components[0] = clfold_plain("v", monoid->type, combine, identity);
    monoid->components[0].stage = widens ? monoid->in : monoid->type;
}

/* A relation of vectors is a signed integer of its operands' size. */
static void set_truth(struct monoid *monoid, const char *combine, const char *identity)
{
    struct component truth = clfold_plain("v", monoid->type, combine, identity);

    truth.stage = clfold_integer(clfold_scalar(monoid->value)->size, true);
    truth.load = LOAD_TRUTH;
    monoid->components[0] = truth;
}

/* An index and its value. `?:` on vectors wants condition and choices of one size, so
 * narrow values are staged in 32 bits and the position is as wide as the value. */
static void set_arg(struct component pair[2], const struct monoid *monoid,
                    const char *index, const char *value, const char *const texts[4][2])
{
    bool holds = clfold_type_holds(monoid->type, monoid->in);
    bool real = clfold_scalar(monoid->type)->is_float;
    const struct scalar *base = clfold_scalar(holds ? monoid->value : monoid->type);
    size_t size = base->size == 8 ? 8 : 4;
    clfold_type stage = !base->is_float ? clfold_integer(size, base->is_signed)
                        : size == 8     ? CLFOLD_F64
                                        : CLFOLD_F32;

    pair[0] = clfold_plain(index, CLFOLD_U64, texts[real][0], NULL);
    pair[0].stage = clfold_integer(size, false);
    pair[0].load = LOAD_POSITION;
    pair[0].extend = texts[2 + real][0];
    pair[1] = clfold_plain(value, monoid->type, texts[real][1], NULL);
    pair[1].stage = stage;
    pair[1].load = holds || stage == monoid->type ? LOAD_PLAIN : LOAD_CONVERTED;
    pair[1].extend = texts[2 + real][1];
}

static void set_args(struct monoid *monoid, clfold_op op)
{
    monoid->has_identity = false;
    monoid->cell = CLFOLD_U64;
    monoid->num_components = op == CLFOLD_ARG_MIN_MAX ? 4 : 2;
    /* A position must fit 32 bits. */
    monoid->stage_limit = UINT32_MAX;
    if (op == CLFOLD_ARG_MIN_MAX) {
        set_arg(monoid->components, monoid, "min_index", "min_value", least_texts);
        set_arg(monoid->components + 2, monoid, "max_index", "max_value", greatest_texts);
    } else {
        set_arg(monoid->components, monoid, "index", "value",
                op == CLFOLD_ARG_MIN ? arg_min_texts : arg_max_texts);
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
static void set_moments(struct monoid *monoid)
{
    clfold_type type = monoid->type;

    monoid->combine = type == CLFOLD_F32 ? MERGE("to_f32") : MERGE("to_f64");
    monoid->identity = "{ 0, 0, 0 }";
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
static void set_tuple(struct monoid *monoid, const char *const *names, uint32_t num,
                      const char *combine, const char *identity)
{
    const struct scalar *type = clfold_scalar(monoid->type);
    clfold_type item = type->is_float ? monoid->type : clfold_integer(type->size, false);

    monoid->commutative = false;
    monoid->combine = combine;
    monoid->identity = identity;
    monoid->num_scalars = monoid->num_components = num;
    for (uint32_t k = 0; k < num; ++k) {
        struct component *component = &monoid->components[k];
        *component = clfold_plain(names[k], item, NULL, NULL);
        component->result = monoid->type;
        component->load = monoid->in == monoid->type ? LOAD_PLAIN : LOAD_CONVERTED;
        component->scalar = k;
    }
}

static void set_components(struct monoid *monoid, clfold_op op)
{
    switch (op) {
    case CLFOLD_ADD:
        set_sum(monoid, "a + b", "0");
        break;
    case CLFOLD_MUL:
        set_sum(monoid, "a * b", "1");
        break;
    case CLFOLD_MIN:
    case CLFOLD_MAX:
    case CLFOLD_MIN_MAX:
        set_extremes(monoid, op);
        break;
    case CLFOLD_BIT_AND:
        set_bits(monoid, "a & b", "-1");
        break;
    case CLFOLD_BIT_OR:
        set_bits(monoid, "a | b", "0");
        break;
    case CLFOLD_BIT_XOR:
        set_bits(monoid, "a ^ b", "0");
        break;
    case CLFOLD_LOGICAL_AND:
        set_truth(monoid, "min(a, b)", "1");
        break;
    case CLFOLD_LOGICAL_OR:
        set_truth(monoid, "max(a, b)", "0");
        break;
    case CLFOLD_MOMENTS:
        set_moments(monoid);
        break;
    case CLFOLD_AFFINE:
        set_tuple(monoid, (const char *const[]){ "a", "b" }, 2,
                  "{ a.a * b.a, a.b * b.a + b.b }", "{ 1, 0 }");
        break;
    case CLFOLD_MATRIX_2X2:
        set_tuple(monoid, (const char *const[]){ "m00", "m01", "m10", "m11" }, 4,
                  "{ a.m00 * b.m00 + a.m01 * b.m10, a.m00 * b.m01 + a.m01 * b.m11, "
                  "a.m10 * b.m00 + a.m11 * b.m10, a.m10 * b.m01 + a.m11 * b.m11 }",
                  "{ 1, 0, 0, 1 }");
        break;
    default:
        set_args(monoid, op);
    }
}

clfold_status clfold_monoid_init(struct monoid *monoid, const struct site *site,
                                 clfold_op op, clfold_type type, clfold_type in)
{
    if (op < CLFOLD_ADD || op > CLFOLD_MATRIX_2X2) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT, "op %u is not a valid operator",
                           op);
    }
    if (!clfold_scalar(type)) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT, "type %u is not a valid type",
                           type);
    }
    if (!clfold_scalar(in)) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT, "in %u is not a valid type", in);
    }
    if (ops[op].integers_only && clfold_scalar(type)->is_float) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "op %s folds integers only, but type is %s",
                           ops[op].enumerator, clfold_scalar_name(type));
    }
    if (op == CLFOLD_MOMENTS && type != CLFOLD_F32 && type != CLFOLD_F64) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "op %s folds f32 and f64 only, but type is %s",
                           ops[op].enumerator, clfold_scalar_name(type));
    }
    if (clfold_scalar(in)->is_float && !clfold_scalar(type)->is_float) {
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                           "in %s cannot be folded as type %s: floats need a float type",
                           clfold_scalar_name(in), clfold_scalar_name(type));
    }
    *monoid = (struct monoid){
        .name = ops[op].name,
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
    set_components(monoid, op);
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

const char *clfold_accuracy_name(uint32_t accuracy)
{
    static const char *const names[] = { "deterministic", "compensated", "reproducible" };

    return accuracy <= CLFOLD_REPRODUCIBLE ? names[accuracy] : NULL;
}

clfold_status clfold_monoid_set_accuracy(struct monoid *monoid, const struct site *site,
                                         uint32_t accuracy)
{
    const char *name = clfold_accuracy_name(accuracy);

    if (accuracy == CLFOLD_DETERMINISTIC) {
        return CLFOLD_OK;
    }
    if (!name) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT, "accuracy %u is unknown",
                           accuracy);
    }
    if (monoid->op != CLFOLD_ADD) {
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                           "accuracy %s is for sums, but op is %s", name, monoid->name);
    }
    if (monoid->type != CLFOLD_F32 && monoid->type != CLFOLD_F64) {
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                           "accuracy %s is for sums of f32 and f64, but type is %s", name,
                           clfold_scalar_name(monoid->type));
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

    return by < sizeof(names) / sizeof(names[0]) ? names[by] : NULL;
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

/* ---- Sizes ------------------------------------------------------------------------- */

static size_t size_of(const struct monoid *monoid, clfold_type type)
{
    return type ? clfold_scalar(type)->size : monoid->type_size;
}

/* What a scalar of so many bytes is aligned to, or a type that only OpenCL C knows: that
 * is a power of two which divides the size. */
static size_t alignment_of(size_t size)
{
    return size & (~size + 1);
}

/* Where member `last` of a struct begins; its end where that is their number. */
static size_t struct_offset(const struct monoid *monoid, bool items, uint32_t last)
{
    const uint32_t num = items ? clfold_monoid_num_parts(monoid) : monoid->num_components;
    size_t end = 0, widest = 1;

    for (uint32_t k = 0; k <= last; ++k) {
        const struct component *component = &monoid->components[k];
        if (k == num) {
            return clfold_size_round_up(end, widest);
        }
        size_t size = size_of(monoid, items ? component->item : component->result);
        size_t alignment = alignment_of(size);
        end = clfold_size_round_up(end, alignment) + (k < last ? size : 0);
        widest = alignment > widest ? alignment : widest;
    }
    return end;
}

uint32_t clfold_monoid_num_parts(const struct monoid *monoid)
{
    return monoid->num_components + monoid->lifted;
}

bool clfold_monoid_cuts(const struct monoid *monoid)
{
    return monoid->cuts || monoid->lifted;
}

uint32_t clfold_chunk_elements(size_t size)
{
    uint32_t chunk = 1;

    while (chunk * size % 16 != 0) {
        chunk *= 2;
    }
    return chunk * size > 64 ? 1 : chunk;
}

size_t clfold_monoid_in_size(const struct monoid *monoid)
{
    return monoid->in_struct ? struct_offset(monoid, false, monoid->num_components)
                             : clfold_scalar(monoid->in)->size * monoid->num_scalars;
}

bool clfold_monoid_has_text(const struct monoid *monoid)
{
    return monoid->combine || monoid->load || monoid->result || monoid->equal ||
           monoid->keep;
}

bool clfold_monoid_converts(const struct monoid *monoid)
{
    return monoid->result || monoid->out;
}

bool clfold_monoid_is_plain(const struct monoid *monoid)
{
    return monoid->op != 0 && !monoid->load && !monoid->lifted &&
           !clfold_monoid_converts(monoid);
}

bool clfold_monoid_keeps_stages(const struct monoid *monoid)
{
    return monoid->load || monoid->lifted;
}

bool clfold_monoid_has_place(const struct monoid *monoid)
{
    return clfold_monoid_keeps_stages(monoid) || clfold_monoid_converts(monoid) ||
           monoid->keep;
}

bool clfold_monoid_uses_segment(const struct monoid *monoid)
{
    return monoid->loads.segment || monoid->writes.segment || monoid->keeps.segment;
}

bool clfold_monoid_reads_in(const struct monoid *monoid)
{
    const struct uses *loads = &monoid->loads, *writes = &monoid->writes,
                      *keeps = &monoid->keeps;

    return !monoid->load || loads->x || loads->in || writes->x || writes->in ||
           keeps->x || keeps->in;
}

size_t clfold_monoid_read_size(const struct monoid *monoid)
{
    size_t size = clfold_monoid_reads_in(monoid) ? clfold_monoid_in_size(monoid) : 0;

    for (uint32_t i = 0; i < monoid->num_args; ++i) {
        size +=
            monoid->arg_elements[i] ? clfold_scalar(monoid->arg_elements[i])->size : 0;
    }
    return size;
}

uint32_t clfold_monoid_chunk(const struct monoid *monoid)
{
    return clfold_monoid_keeps_stages(monoid)
               ? 1
               : clfold_chunk_elements(clfold_monoid_in_size(monoid));
}

uint32_t clfold_monoid_num_results(const struct monoid *monoid)
{
    return monoid->rounded ? 1 : monoid->num_components;
}

size_t clfold_monoid_out_size(const struct monoid *monoid)
{
    return clfold_monoid_out_offset(monoid, clfold_monoid_num_results(monoid));
}

size_t clfold_monoid_written_size(const struct monoid *monoid)
{
    return monoid->out ? clfold_scalar(monoid->out)->size * monoid->num_out
                       : clfold_monoid_out_size(monoid);
}

size_t clfold_monoid_item_size(const struct monoid *monoid)
{
    return struct_offset(monoid, true, clfold_monoid_num_parts(monoid));
}

size_t clfold_monoid_scanned_size(const struct monoid *monoid)
{
    return monoid->keeps_runs             ? 2 * sizeof(cl_ulong)
           : clfold_monoid_counts(monoid) ? sizeof(cl_ulong)
                                          : clfold_monoid_item_size(monoid);
}

size_t clfold_monoid_carry_size(const struct monoid *monoid)
{
    struct monoid plain = *monoid;

    plain.lifted = false;
    return clfold_monoid_item_size(&plain);
}

size_t clfold_monoid_tail(const struct monoid *monoid, bool of_item)
{
    uint32_t num = of_item ? clfold_monoid_num_parts(monoid) : monoid->num_components;
    const struct component *last = &monoid->components[num - 1];

    return struct_offset(monoid, of_item, num) - struct_offset(monoid, of_item, num - 1) -
           size_of(monoid, of_item ? last->item : last->result);
}

size_t clfold_monoid_out_offset(const struct monoid *monoid, uint32_t k)
{
    return monoid->out_struct ? struct_offset(monoid, false, k)
                              : clfold_scalar(monoid->cell)->size * k;
}

clfold_type clfold_monoid_result_type(const struct monoid *monoid, uint32_t k)
{
    return monoid->rounded ? monoid->type : monoid->components[k].result;
}

size_t clfold_monoid_result_size(const struct monoid *monoid, uint32_t k)
{
    return size_of(monoid, clfold_monoid_result_type(monoid, k));
}

const char *clfold_monoid_result_name(const struct monoid *monoid, uint32_t k)
{
    return monoid->rounded ? "v" : monoid->components[k].name;
}

bool clfold_monoid_has_item16(const struct monoid *monoid)
{
    bool same = !monoid->is_scalar && !monoid->out_struct && !monoid->type_name &&
                !monoid->writes.lanes && !(monoid->keeps_scan && monoid->keeps.lanes);

    for (uint32_t k = 0; same && k < monoid->num_components; ++k) {
        same = clfold_scalar(monoid->components[k].item)->size ==
               clfold_scalar(monoid->cell)->size;
    }
    return same;
}

bool clfold_monoid_uses(const struct monoid *monoid, clfold_type type)
{
    bool uses = monoid->value == type || monoid->cell == type || monoid->loaded == type ||
                (monoid->out == type && type != CLFOLD_F16);

    for (uint32_t i = 0; i < monoid->num_args; ++i) {
        /* Halves are read as F32. */
        uses |= type != CLFOLD_F16 && monoid->arg_elements[i] == type;
    }
    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        uses |= monoid->components[k].item == type || monoid->components[k].stage == type;
    }
    return uses;
}
