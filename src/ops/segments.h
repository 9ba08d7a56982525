/* The segments of a fold: rows and columns. */
#ifndef CLFOLD_OPS_SEGMENTS_H
#define CLFOLD_OPS_SEGMENTS_H

#include "base/error.h"
#include "plan/segments.h"

#include <clfold/clfold.h>

/* Checks a fold's segments, which may be NULL, and what `count` they cut; *out is what a
 * plan takes, where none is longer than all elements. */
clfold_status clfold_check_segments(const struct site *site,
                                    const clfold_segments *segments, uint64_t count,
                                    struct segments *given, struct segments *out);

/* Checks segments by flags, keys or offsets as far as no call is needed. */
clfold_status clfold_check_heads(const struct site *site,
                                 const clfold_segments *segments);

#endif
