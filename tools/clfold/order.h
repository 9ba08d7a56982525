/* Fortran order into C order. */
#ifndef CLFOLD_COMMAND_ORDER_H
#define CLFOLD_COMMAND_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* As many dimensions above 1 as fit 64 bits. */
enum { ORDER_DIMENSIONS = 63 };

/*
 * Writes an array of Fortran order, whose first index runs fastest, so that its last one
 * does. shape (2, 3):
 *
 *     in     00 10 01 11 02 12
 *     out    00 01 02 10 11 12
 *
 * An element has `size` bytes, 1, 2, 4 or 8; no dimension is 0.
 */
void order_to_c(void *out, const void *in, size_t size, const uint64_t *shape,
                int num_dimensions);

#endif
