/* Operators on the host that folds of tests are compared with: `out` of a and b, which
 * may be one of them; and elements of buffers in bytes, at any address. */
#ifndef CLFOLD_TESTS_HOST_OPS_H
#define CLFOLD_TESTS_HOST_OPS_H

#include <CL/cl.h>

#include <stdbool.h>
#include <stddef.h>

cl_uint u32_of(const void *elements, size_t i);
cl_float f32_of(const void *elements, size_t i);

void add_u32(void *out, const void *a, const void *b);
void add_f32(void *out, const void *a, const void *b);

/* x -> a x + b on uint, which does not commute. */
void combine_affine(void *out, const void *a, const void *b);

/* Sum, and the last; with padding. */
struct padded {
    cl_ulong sum;
    cl_uint last;
};
void combine_padded(void *out, const void *a, const void *b);
bool same_padded(const void *a, const void *b);

#endif
