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

void order_to_c(void *out, const void *in, size_t size, const uint64_t *shape,
                int num_dimensions)
{
    size_t index[ORDER_DIMENSIONS] = { 0 }, stride[ORDER_DIMENSIONS], count = 1;
    const int last = num_dimensions - 1;
    unsigned char *to = out;

    for (int i = 0; i < num_dimensions; i++) {
        stride[i] = count;
        count *= (size_t)shape[i];
    }
    const size_t row = (size_t)shape[last];
    for (size_t done = 0, at = 0; done < count; done += row) {
        const unsigned char *const from = (const unsigned char *)in + at * size;
        switch (size) {
        case 1:
            copy_row(to, from, 1, stride[last], row);
            break;
        case 2:
            copy_row(to, from, 2, stride[last], row);
            break;
        case 4:
            copy_row(to, from, 4, stride[last], row);
            break;
        default:
            copy_row(to, from, 8, stride[last], row);
            break;
        }
        to += row * size;
        /* the next row: the indices but the last count up, from the right */
        for (int i = last - 1; i >= 0; i--) {
            at += stride[i];
            if (++index[i] < shape[i]) {
                break;
            }
            at -= stride[i] * index[i];
            index[i] = 0;
        }
    }
}
