/* The OpenCL platforms and devices of this machine. */
#ifndef CLFOLD_COMMAND_DEVICE_H
#define CLFOLD_COMMAND_DEVICE_H

#include "message.h"

#include <CL/cl.h>

#include <stddef.h>

struct device {
    cl_platform_id platform;
    cl_device_id id;
    cl_device_type type;
    char *name; /* without space around it */
};

/* Devices are ordered by platform; their places are the indices that a user gives. */
struct device_list {
    cl_platform_id *platforms;
    cl_uint num_platforms;
    struct device *devices;
    size_t num_devices;
};

/* An empty list where there is no OpenCL. */
bool device_list_init(struct device_list *list, struct message *message);
void device_list_finish(struct device_list *list);

/* What the user can do where there is no device. */
#define DEVICE_NONE                                                                      \
    "check that an OpenCL driver is installed, and that HOME is a folder that you may "  \
    "write, since PoCL keeps its cache there"

/* By index, gpu, cpu, or a part of a name, as --device says; NULL: the first GPU, else
 * the first device. The device belongs to the list. */
const struct device *device_select(const struct device_list *list, const char *selector,
                                   struct message *message);

/* What the driver tells as text, without space around it; the caller's to free. NULL
 * where it tells nothing. */
char *device_text(cl_device_id device, cl_device_info what);
char *platform_text(cl_platform_id platform, cl_platform_info what);

/* Always false: "WHAT failed: CL_..." */
bool device_refuse(struct message *message, const char *what, cl_int error);

#endif
