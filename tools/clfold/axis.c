#include "axis.h"

/* The header was read, so the product is below 2^63, but for a shape with a 0. */
static uint64_t multiply(uint64_t a, uint64_t b)
{
    return b > 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

bool axis_init(struct axis *axis, const struct npy_shape *shape, int named,
               struct message *message)
{
    const int num = shape->num;
    const int k = named < 0 ? named + num : named;

    if (num > NPY_DIMENSIONS) {
        return message_set(message, "has %d dimensions, and --axis takes %d at most", num,
                           NPY_DIMENSIONS);
    }
    if (k < 0 || k >= num) {
        return num == 0
                   ? message_set(message, "has no dimensions, so there is no axis %d",
                                 named)
                   : message_set(message,
                                 "has %d dimension%s, so --axis is from %d to %d, not %d",
                                 num, num > 1 ? "s" : "", -num, num - 1, named);
    }
    *axis = (struct axis){ 1, shape->sizes[k], 1, { .num = num - 1 } };
    for (int i = 0; i < num; i++) {
        uint64_t *const part = i < k ? &axis->outer : &axis->inner;
        if (i != k) {
            *part = multiply(*part, shape->sizes[i]);
            axis->rest.sizes[i < k ? i : i - 1] = shape->sizes[i];
        }
    }
    return true;
}

uint64_t axis_results(const struct axis *axis)
{
    return multiply(axis->outer, axis->inner);
}

clfold_segments axis_segments(const struct axis *axis)
{
    return axis->inner == 1 ? (clfold_segments){ .by = CLFOLD_BY_LENGTH,
                                                 .length = (size_t)axis->length }
                            : (clfold_segments){ .by = CLFOLD_BY_COLUMNS,
                                                 .columns = (size_t)axis->inner,
                                                 .length = (size_t)axis->length };
}

uint64_t axis_index(const struct axis *axis, uint64_t element)
{
    return element / axis->inner % axis->length;
}
