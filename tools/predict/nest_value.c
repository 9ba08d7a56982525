/* The values of expressions, for all work-items of a sub-group at once. */
#include "nest_run.h"

#include <stdlib.h>
#include <string.h>

uint64_t run_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

void run_set(struct run *run, int slot, int64_t number)
{
    for (int i = 0; i < run->lanes->width; i++) {
        run->slots[slot][i] = number;
    }
}

int run_bits(uint64_t mask)
{
    int num = 0;

    for (; mask; mask &= mask - 1) {
        num++;
    }
    return num;
}

int64_t run_divide(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t multiply(int64_t a, int64_t b)
{
    const double product = (double)a * (double)b;

    return product <= NEST_MOST_VALUE && product >= -NEST_MOST_VALUE
               ? a * b
               : NEST_MOST_VALUE + 1;
}

static int64_t power(int64_t base, int64_t exponent)
{
    int64_t product = 1;

    exponent = base <= 1 && exponent > 2 ? 2 - exponent % 2 : exponent; /* the same */
    for (; exponent > 0 && product <= NEST_MOST_VALUE; exponent--) {
        product = multiply(product, base);
    }
    return product;
}

static int64_t log2_up(int64_t a)
{
    int64_t log = 0;

    while (log < 62 && INT64_C(1) << log < a) {
        log++;
    }
    return log;
}

/* What makes no sense is beyond NEST_MOST_VALUE, as what is too large. */
static int64_t compute_one(enum node_kind kind, int64_t a, int64_t b)
{
    static const int64_t wrong = NEST_MOST_VALUE + 1;

    switch (kind) {
    case NODE_POWER:
        return b < 0 || a < -1 ? wrong : power(a, b);
    case NODE_DIVIDE:
        return b == 0 ? wrong : run_divide(a, b);
    case NODE_MODULO:
        return b == 0 ? wrong : a - run_divide(a, b) * b;
    case NODE_CEIL:
        return b == 0 ? wrong : -run_divide(-a, b);
    case NODE_SHIFT_LEFT:
        return b < 0 || b > 52 || llabs(a) > NEST_MOST_VALUE >> b ? wrong
                                                                  : a * (INT64_C(1) << b);
    case NODE_SHIFT_RIGHT:
        return b < 0 ? wrong : b > 53 ? -(a < 0) : run_divide(a, INT64_C(1) << b);
    case NODE_LOG2:
        return a < 1 ? wrong : log2_up(a);
    default:
        return wrong;
    }
}

/* Loops that compilers make vectors of. */
#define EACH(expression)                                                                 \
    for (int i = 0; i < num; i++) {                                                      \
        out[i] = (expression);                                                           \
    }                                                                                    \
    break

static void compute(enum node_kind kind, int num, const int64_t *a, const int64_t *b,
                    int64_t *out)
{
    switch (kind) {
    case NODE_ADD:
        EACH(a[i] + b[i]);
    case NODE_SUBTRACT:
        EACH(a[i] - b[i]);
    case NODE_MULTIPLY:
        EACH(multiply(a[i], b[i]));
    case NODE_LESS:
        EACH(a[i] < b[i]);
    case NODE_LESS_EQUAL:
        EACH(a[i] <= b[i]);
    case NODE_EQUAL:
        EACH(a[i] == b[i]);
    case NODE_DIFFERS:
        EACH(a[i] != b[i]);
    case NODE_AND:
        EACH(a[i] && b[i]);
    case NODE_OR:
        EACH(a[i] || b[i]);
    case NODE_NOT:
        EACH(!a[i]);
    case NODE_MIN:
        EACH(a[i] < b[i] ? a[i] : b[i]);
    case NODE_MAX:
        EACH(a[i] > b[i] ? a[i] : b[i]);
    default:
        EACH(compute_one(kind, a[i], b[i]));
    }
}

void run_sign(struct run *run, int num, const int64_t *a, const int64_t *b, uint64_t mask)
{
    uint64_t less = 0, equal = 0;

    for (int i = 0; i < num; i++) {
        less |= (uint64_t)(a[i] < b[i]) << i;
        equal |= (uint64_t)(a[i] == b[i]) << i;
    }
    run->outcome.signature =
        run_mix(run_mix(run->outcome.signature, less & mask), equal & mask);
}

/* Whether one that is seen is beyond NEST_MOST_VALUE. Such are 0 from now on. */
static bool has_wrong(int num, int64_t *values, uint64_t seen)
{
    uint64_t high = 0;
    bool is_wrong = false;

    for (int i = 0; i < num; i++) {
        high |= (uint64_t)(values[i] + NEST_MOST_VALUE - 1) >> 54; /* quick, few pass */
    }
    for (int i = 0; i < num && high; i++) {
        if (values[i] > NEST_MOST_VALUE || values[i] < -NEST_MOST_VALUE) {
            is_wrong |= seen >> i & 1;
            values[i] = 0;
        }
    }
    return is_wrong;
}

/* The values of `num` work-items, or of one for all: in `out`, or where they are. */
static const int64_t *values_of(struct run *run, int index, int num, uint64_t mask,
                                lane_values out)
{
    static const lane_values zeros;
    const struct nest_node *const node = &run->nest->nodes[index];
    const int own = node->is_uniform ? 1 : num;
    const uint64_t seen = node->is_uniform ? mask != 0 : mask;
    const int64_t *a, *b = zeros;
    lane_values left, right;

    if (node->kind == NODE_NAME) {
        return run->slots[node->value];
    }
    if (node->kind == NODE_NUMBER) {
        out[0] = node->value;
    } else {
        a = values_of(run, node->left, own, mask, left);
        if (node->right != NEST_NONE) {
            b = values_of(run, node->right, own, mask, right);
        }
        compute(node->kind, own, a, b, out);
        if (has_wrong(own, out, seen)) {
            RUN_FAIL(
                run, node,
                "this is above 2^53, or a division by 0, or a logarithm of less than 1");
        }
        if (node->kind == NODE_AND || node->kind == NODE_OR) {
            run_sign(run, own, a, zeros, seen);
            run_sign(run, own, b, zeros, seen);
        } else if (node->kind >= NODE_LESS || node->kind == NODE_MIN ||
                   node->kind == NODE_MAX) {
            run_sign(run, own, a, b, seen);
        }
    }
    for (int i = own; i < num; i++) {
        out[i] = out[0];
    }
    return out;
}

void run_value(struct run *run, int index, uint64_t mask, lane_values out)
{
    const int num = run->lanes->width;
    const int64_t *const values = values_of(run, index, num, mask, out);

    memmove(out, values, (size_t)num * sizeof(*out));
}

int64_t run_constant(struct run *run, int index)
{
    lane_values out;

    return values_of(run, index, 1, 1, out)[0];
}
