/* Internals that tests and benches use; not exported. */
#ifndef CLFOLD_OPS_INTERNAL_H
#define CLFOLD_OPS_INTERNAL_H

#include "plan/debug.h"
#include "plan/monoid.h"
#include "plan/plan.h"

/* Forces settings from the next call on; NULL: none. They stay the caller's, and must not
 * change. No other thread may use the context meanwhile. */
void clfold_context_override(clfold_context *context, const struct debug *debug);

/* clfold_reduce with a monoid in its internal form: elements are num_scalars scalars side
 * by side, a result is num_components cells, and so is `init`, a host value or NULL.
 * Offsets and counts are in elements. */
clfold_status clfold_reduce_monoid(clfold_context *context, cl_command_queue queue,
                                   const struct monoid *monoid, const char *algorithm,
                                   cl_mem in, size_t in_offset, cl_mem out,
                                   size_t out_offset, size_t count, const void *init,
                                   cl_uint num_wait, const cl_event *wait,
                                   cl_event *event);

/* A scan in the same form; results are stored side by side. */
clfold_status clfold_scan_monoid(clfold_context *context, cl_command_queue queue,
                                 const struct monoid *monoid, const char *algorithm,
                                 bool exclusive, cl_mem in, size_t in_offset, cl_mem out,
                                 size_t out_offset, size_t count, const void *init,
                                 cl_uint num_wait, const cl_event *wait, cl_event *event);

#endif
