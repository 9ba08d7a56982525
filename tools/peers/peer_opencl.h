/* What the peers on OpenCL share: the device that the user selects, and the buffers. */
#ifndef CLFOLD_PEERS_PEER_OPENCL_H
#define CLFOLD_PEERS_PEER_OPENCL_H

#include "peer.h"

#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

struct peer_set {
    cl_mem in, out;
};

struct peer_opencl {
    const struct peer_job *job;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* in order */
    struct peer_set *sets;
};

/* The device is selected as by the command clfold. */
void peer_opencl_open(struct peer_opencl *opencl, const struct peer_job *job,
                      const void *data);
void peer_opencl_read(const struct peer_opencl *opencl, size_t set, void *to);
void peer_opencl_finish(const struct peer_opencl *opencl);
void peer_opencl_close(struct peer_opencl *opencl);

#ifdef __cplusplus
}
#endif

#endif
