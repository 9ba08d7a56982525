/* The checks of clfold_tune, but for its file. */
#ifndef CLFOLD_OPS_TUNE_H
#define CLFOLD_OPS_TUNE_H

#include "ops/context.h"
#include "ops/internal.h"

clfold_status clfold_tune_check(const struct site *site, clfold_context *context,
                                const struct tune_request *request,
                                const struct monoid **monoid);

#endif
