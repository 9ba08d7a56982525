#include "order.h"

#include <string.h>

/* Inlined with a `size` that the compiler knows. */
static inline void copy_row(unsigned char *out, const unsigned char *in, size_t size,
                            size_t stride, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        memcpy(out + i * size, in + i * stride * size, size);
    }
}

void order_init(struct order *order, const uint64_t *shape, int num_dimensions)
{
    size_t count = 1;

    *order = (struct order){ .num_dimensions = num_dimensions };
    for (int i = 0; i < num_dimensions; i++) {
        order->shape[i] = (size_t)shape[i];
        order->stride[i] = count;
        count *= order->shape[i];
    }
}

/* Past a part of a row; after its end the indices before the last one count up. */
static void advance(struct order *order, size_t row)
{
    int i = order->num_dimensions - 1;

    order->index[i] += row;
    order->at += row * order->stride[i];
    for (; i > 0 && order->index[i] == order->shape[i]; i--) {
        order->at += order->stride[i - 1] - order->index[i] * order->stride[i];
        order->index[i] = 0;
        order->index[i - 1]++;
    }
}

void order_next(struct order *order, void *out, const void *in, size_t size, size_t count)
{
    const int last = order->num_dimensions - 1;
    const size_t stride = order->stride[last];
    unsigned char *to = out;

    for (size_t row; count > 0; count -= row) {
        const unsigned char *const from = (const unsigned char *)in + order->at * size;
        row = order->shape[last] - order->index[last];
        row = row < count ? row : count;
        switch (size) {
        case 1:
            copy_row(to, from, 1, stride, row);
            break;
        case 2:
            copy_row(to, from, 2, stride, row);
            break;
        case 4:
            copy_row(to, from, 4, stride, row);
            break;
        case 8:
            copy_row(to, from, 8, stride, row);
            break;
        default:
            copy_row(to, from, size, stride, row);
            break;
        }
        to += row * size;
        advance(order, row);
    }
}
