/* A call that is a part of a larger one: its carries, and what may not be in parts. */
#ifndef CLFOLD_OPS_PART_H
#define CLFOLD_OPS_PART_H

#include "ops/check.h"
#include "ops/request.h"

/* Init counts in the first part; a carry takes its place in others. */
void clfold_part_set(struct request *request, const clfold_part *part, bool is_lifted);

/* What needs neither buffers nor a queue, so that clfold_prepare checks it too. */
clfold_status clfold_part_check(const struct request *request, const struct site *site);

#endif
