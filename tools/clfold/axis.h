/*
 * The axis along which an array is folded. It divides the shape into three numbers:
 *
 *     shape (2, 3, 4, 5), axis 1      outer 2, length 3, inner 4 * 5
 *
 * so that in C order, neighbours along the axis are `inner` elements apart: rows where
 * that is 1, else columns in `outer` blocks.
 */
#ifndef CLFOLD_COMMAND_AXIS_H
#define CLFOLD_COMMAND_AXIS_H

#include "message.h"
#include "npy.h"

#include <clfold/clfold.h>

#include <stdbool.h>
#include <stdint.h>

/* As named. */
struct axis_option {
    bool is_given;
    int axis; /* below 0: from the last one back */
};

struct axis {
    uint64_t outer, length, inner;
    struct npy_shape rest; /* the shape without the axis */
};

/* Of elements in an array of `shape`. On failure the sentence has the array as its
 * subject. */
bool axis_init(struct axis *axis, const struct npy_shape *shape, int named,
               struct message *message);

/* How many elements the shape without the axis has. */
uint64_t axis_results(const struct axis *axis);

/* For a fold along the axis; it must not be called for an array without elements. */
clfold_segments axis_segments(const struct axis *axis);

/* The index along the axis of an element of the array. */
uint64_t axis_index(const struct axis *axis, uint64_t element);

#endif
