/* Internals that tests and benches use; not exported. */
#ifndef CLFOLD_OPS_INTERNAL_H
#define CLFOLD_OPS_INTERNAL_H

#include "plan/debug.h"

/* Forces settings from the next call on; NULL: none. They stay the caller's, and must not
 * change. No other thread may use the context meanwhile. */
void clfold_context_override(clfold_context *context, const struct debug *debug);

#endif
