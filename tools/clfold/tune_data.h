/*
 * What `clfold tune` folds: buffers whose calls lie side by side, so that a call does not
 * find its elements in the caches:
 *
 *   in    | call 0 | call 1 | ... |      each as long as a call's elements, rounded up
 *   out   | call 0 | call 1 | ... |      as long as its results, rounded up
 *
 * Elements are such that no order of combining them rounds: results of any two sets of
 * numbers are the same bits, of floats too.
 */
#ifndef CLFOLD_COMMAND_TUNE_DATA_H
#define CLFOLD_COMMAND_TUNE_DATA_H

#include "session.h"

#include <clfold/clfold.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* They stay from fold to fold: the system takes longer to find memory than to fill it. */
struct tune_buffers {
    struct tune_buffer {
        cl_mem mem;
        size_t bytes;
    } in, out;
};

struct tune_data {
    const struct session *session;
    cl_mem in, out;               /* of the buffers */
    size_t in_stride, out_stride; /* in elements, from a call to the next */
    size_t in_size, out_size;     /* of an element, in bytes */
    size_t results;               /* of a call */
    size_t calls;
};

/* What a fold reads, and what it writes. */
clfold_type tune_in_type(const clfold_fold *fold);
clfold_type tune_out_type(const clfold_fold *fold);

/* How much there will be, `bytes` in all or one call's if that is more, but no buffers.
 * CLFOLD_ERROR_RANGE: the device has no memory for calls on `count` elements, which must
 * be such as clfold_explain takes. */
clfold_status tune_data_lay_out(struct tune_data *data, const struct session *session,
                                clfold_operation operation, const clfold_fold *fold,
                                size_t count, uint64_t bytes, struct message *message);

/* Fills the buffers, which become larger if they must. Close them on failure too. */
bool tune_data_open(struct tune_data *data, struct tune_buffers *buffers,
                    const clfold_fold *fold, struct message *message);

/* Zeroed ones too. */
void tune_buffers_close(struct tune_buffers *buffers);

/* Makes sure that the results of call 0 are not those of an earlier one. */
bool tune_data_spoil(const struct tune_data *data, struct message *message);

/* A hash of them; blocks. */
bool tune_data_hash(const struct tune_data *data, uint64_t *hash,
                    struct message *message);

#endif
