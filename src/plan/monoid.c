#include "plan/monoid.h"

#include "base/size.h"
#include "plan/scalar.h"

static const char *const op_names[] = {
    [CLFOLD_ADD] = "CLFOLD_ADD",
    [CLFOLD_MUL] = "CLFOLD_MUL",
    [CLFOLD_MIN] = "CLFOLD_MIN",
    [CLFOLD_MAX] = "CLFOLD_MAX",
    [CLFOLD_BIT_AND] = "CLFOLD_BIT_AND",
    [CLFOLD_BIT_OR] = "CLFOLD_BIT_OR",
    [CLFOLD_BIT_XOR] = "CLFOLD_BIT_XOR",
    [CLFOLD_LOGICAL_AND] = "CLFOLD_LOGICAL_AND",
    [CLFOLD_LOGICAL_OR] = "CLFOLD_LOGICAL_OR",
    [CLFOLD_ARG_MIN] = "CLFOLD_ARG_MIN",
    [CLFOLD_ARG_MAX] = "CLFOLD_ARG_MAX",
    [CLFOLD_ARG_MIN_MAX] = "CLFOLD_ARG_MIN_MAX",
    [CLFOLD_MIN_MAX] = "CLFOLD_MIN_MAX",
    [CLFOLD_MOMENTS] = "CLFOLD_MOMENTS",
    [CLFOLD_AFFINE] = "CLFOLD_AFFINE",
    [CLFOLD_MATRIX_2X2] = "CLFOLD_MATRIX_2X2",
};

/* The pairs that this version folds, for every operator that it has. */
static const struct {
    clfold_type in, type;
} pairs[] = {
    { CLFOLD_I32, CLFOLD_I32 }, { CLFOLD_I32, CLFOLD_I64 }, { CLFOLD_U8, CLFOLD_U8 },
    { CLFOLD_U8, CLFOLD_U64 },  { CLFOLD_F32, CLFOLD_F32 }, { CLFOLD_F32, CLFOLD_F64 },
    { CLFOLD_F64, CLFOLD_F64 },
};

const char *clfold_op_name(clfold_op op)
{
    return op >= CLFOLD_ADD && op <= CLFOLD_MATRIX_2X2 ? op_names[op]
                                                       : "an unknown operator";
}

static bool is_pair(clfold_type in, clfold_type type)
{
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); ++i) {
        if (pairs[i].in == in && pairs[i].type == type) {
            return true;
        }
    }
    return false;
}

clfold_status clfold_monoid_init(struct monoid *monoid, const struct site *site,
                                 clfold_op op, clfold_type type, clfold_type in)
{
    if (op < CLFOLD_ADD || op > CLFOLD_MATRIX_2X2) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT, "op %u is no operator", op);
    }
    if (!clfold_scalar(type)) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT, "type %u is no type", type);
    }
    if (!clfold_scalar(in)) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT, "in %u is no type", in);
    }
    if (op != CLFOLD_ADD && op != CLFOLD_MAX) {
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED, "op %s is not in this version",
                           clfold_op_name(op));
    }
    if (!is_pair(in, type)) {
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                           "type %s folded from in %s is not in this version",
                           clfold_type_name(type), clfold_type_name(in));
    }
    *monoid = (struct monoid){
        .in = in,
        .num_components = 1,
        .commutative = true,
        .has_identity = true,
        .stage_limit = UINT64_MAX,
        .components = { { .name = "v", .type = type, .stage = type } },
    };
    struct component *v = &monoid->components[0];
    if (op == CLFOLD_ADD) {
        monoid->name = "add";
        v->combine = "a + b";
        v->identity = "0";
        if (in == CLFOLD_U8 && type == CLFOLD_U64) {
            v->stage = CLFOLD_U32;
            monoid->stage_limit = UINT32_MAX / UINT8_MAX;
        }
    } else {
        /* The greatest element is an element: no need to widen before it is found. */
        monoid->name = "max";
        v->stage = in;
        v->combine =
            clfold_scalar(type)->is_float ? "((a >= b) | (a != a)) ? a : b" : "max(a, b)";
        v->identity = clfold_scalar(type)->lowest;
    }
    return CLFOLD_OK;
}

size_t clfold_monoid_in_size(const struct monoid *monoid)
{
    return clfold_scalar(monoid->in)->size * monoid->num_components;
}

size_t clfold_monoid_out_size(const struct monoid *monoid)
{
    return clfold_scalar(monoid->components[0].type)->size * monoid->num_components;
}

size_t clfold_monoid_item_size(const struct monoid *monoid)
{
    size_t end = 0, widest = 1;

    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        size_t size = clfold_scalar(monoid->components[k].type)->size;
        end = clfold_size_round_up(end, size) + size;
        widest = size > widest ? size : widest;
    }
    return clfold_size_round_up(end, widest);
}

bool clfold_monoid_uses(const struct monoid *monoid, clfold_type type)
{
    bool uses = monoid->in == type;

    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        uses |= monoid->components[k].type == type || monoid->components[k].stage == type;
    }
    return uses;
}
