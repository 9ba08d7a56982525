/*
 * A call that is a part of a larger one: its carries, and what may not be in parts.
 */
#ifndef CLFOLD_OPS_PART_H
#define CLFOLD_OPS_PART_H

#include "ops/check.h"
#include "ops/request.h"

/* Init counts in the first part; a carry takes its place in others. */
void clfold_part_set(struct request *request, const clfold_part *part, bool is_lifted);

clfold_status clfold_part_check(const struct request *request, const struct site *site,
                                const clfold_context *context, const struct span *in,
                                const struct span *out, const struct span *heads);

/* What a call writes besides `out`, if it has a place: that may overlap only init, where
 * `with_init` says so. */
clfold_status clfold_check_place(const struct request *request, const struct site *site,
                                 const clfold_context *context, const struct span *in,
                                 const struct span *out, const struct span *heads,
                                 struct span *place, enum overlap with_init);

#endif
