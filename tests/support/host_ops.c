#include "host_ops.h"

#include <string.h>

cl_uint u32_of(const void *elements, size_t i)
{
    cl_uint x;

    memcpy(&x, (const unsigned char *)elements + 4 * i, 4);
    return x;
}

cl_float f32_of(const void *elements, size_t i)
{
    cl_float x;

    memcpy(&x, (const unsigned char *)elements + 4 * i, 4);
    return x;
}

void add_u32(void *out, const void *a, const void *b)
{
    const cl_uint sum = u32_of(a, 0) + u32_of(b, 0);

    memcpy(out, &sum, 4);
}

void add_f32(void *out, const void *a, const void *b)
{
    const cl_float sum = f32_of(a, 0) + f32_of(b, 0);

    memcpy(out, &sum, 4);
}

void combine_affine(void *out, const void *a, const void *b)
{
    const cl_uint *x = a, *y = b;
    const cl_uint r[2] = { x[0] * y[0], x[1] * y[0] + y[1] };

    memcpy(out, r, sizeof(r));
}

void combine_padded(void *out, const void *a, const void *b)
{
    const struct padded *x = a, *y = b;
    struct padded r = { x->sum + y->sum, y->last };

    memmove(out, &r, sizeof(r));
}

bool same_padded(const void *a, const void *b)
{
    const struct padded *x = a, *y = b;

    return x->sum == y->sum && x->last == y->last;
}
