/* Fortran order into C order. */
#ifndef CLFOLD_COMMAND_ORDER_H
#define CLFOLD_COMMAND_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* As many dimensions above 1 as fit 64 bits. */
enum { ORDER_DIMENSIONS = 63 };

/* A place in an array of Fortran order, which moves as in C order. */
struct order {
    int num_dimensions;
    size_t shape[ORDER_DIMENSIONS], stride[ORDER_DIMENSIONS];
    size_t index[ORDER_DIMENSIONS], at; /* of the next element; `at` in the array */
};

/* At the first element. No dimension is 0. */
void order_init(struct order *order, const uint64_t *shape, int num_dimensions);

/*
 * Writes the next `count` elements of an array of Fortran order, whose first index runs
 * fastest, so that its last one does. shape (2, 3):
 *
 *     in     00 10 01 11 02 12
 *     out    00 01 02 10 11 12
 *
 * `in` is the whole array; an element has `size` bytes.
 */
void order_next(struct order *order, void *out, const void *in, size_t size,
                size_t count);

#endif
