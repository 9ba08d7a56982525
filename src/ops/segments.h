/* The segments of a call; and a call that is a part of a larger one: its carries, and
 * what may not be in parts. */
#ifndef CLFOLD_OPS_SEGMENTS_H
#define CLFOLD_OPS_SEGMENTS_H

#include "ops/state.h"

/* Checks rows and columns with the count that they cut, and sets the job's segments; the
 * fold's use is set. */
clfold_status clfold_segments_set(struct request *request, const clfold_segments *given);

/* Init counts in the first part; a carry takes its place in others. */
void clfold_part_set(struct request *request, const clfold_part *part, bool is_lifted);

/* What needs neither buffers nor a queue, so that clfold_prepare checks it too. */
clfold_status clfold_part_check(const struct request *request);

#endif
