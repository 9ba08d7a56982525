/* The segments of a fold. */
#ifndef CLFOLD_OPS_SEGMENTS_H
#define CLFOLD_OPS_SEGMENTS_H

#include "ops/request.h"

/* Checks rows and columns with the count that they cut, and sets the job's segments; the
 * fold's use is set. */
clfold_status clfold_segments_set(struct request *request, const struct site *site,
                                  clfold_context *context, const clfold_segments *given);

/* Checks segments by flags, keys or offsets as far as no call is needed. */
clfold_status clfold_check_heads(const struct site *site,
                                 const clfold_segments *segments);

#endif
