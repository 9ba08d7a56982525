/*
 * What clfold_tune folds: buffers of its own, whose calls lie side by side, so that a
 * call does not find its elements in the caches:
 *
 *   in    | call 0 | call 1 | ... |      each as long as a call's elements, rounded up
 *   out   | call 0 | call 1 | ... |      a reduction's are as long as a line
 *
 * Elements are such that no order of combining them rounds: results of any two policies
 * are the same bits, of floats too.
 */
#ifndef CLFOLD_OPS_TUNE_DATA_H
#define CLFOLD_OPS_TUNE_DATA_H

#include "ops/context.h"

struct tune_data {
    const struct site *site;
    cl_command_queue queue;
    cl_mem in, out;
    size_t in_stride, out_stride; /* in elements, from a call to the next */
    size_t in_size, out_size;     /* of an element, in bytes */
    size_t results;               /* of a call */
    size_t calls;
};

/* How much there will be, but no buffers: CLFOLD_ERROR_RANGE if the device has no memory
 * for calls on `count` elements. */
clfold_status clfold_tune_data_lay_out(struct tune_data *data, const struct site *site,
                                       const clfold_context *context,
                                       clfold_operation operation,
                                       const struct monoid *monoid, size_t count);

/* That, and the buffers. */
clfold_status clfold_tune_data_init(struct tune_data *data, const struct site *site,
                                    const clfold_context *context, cl_command_queue queue,
                                    clfold_operation operation,
                                    const struct monoid *monoid, size_t count);

/* Zeroed data too. */
void clfold_tune_data_finish(struct tune_data *data);

/* Makes sure that the results of call 0 are not those of an earlier one. */
clfold_status clfold_tune_data_spoil(const struct tune_data *data);

/* A hash of them; blocks. */
clfold_status clfold_tune_data_hash(const struct tune_data *data, uint64_t *hash);

#endif
