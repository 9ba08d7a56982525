/* Values that the host reads back. */
#ifndef CLFOLD_OPS_READ_H
#define CLFOLD_OPS_READ_H

#include "base/error.h"

#include <CL/cl.h>

/* A read that blocks: offset and size are in bytes, wait events as in OpenCL. */
clfold_status clfold_read(const struct site *site, cl_command_queue queue, cl_mem mem,
                          size_t offset, size_t size, void *host, cl_uint num_wait,
                          const cl_event *wait);

#endif
