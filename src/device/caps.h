/* The facts that clfold queries from a device, once for each context. */
#ifndef CLFOLD_DEVICE_CAPS_H
#define CLFOLD_DEVICE_CAPS_H

#include "base/text.h"
#include "plan/memory.h"
#include "plan/policy.h"

struct caps {
    char name[128], vendor[128], platform[128];
    char driver[128];    /* its version */
    const char *options; /* of a build: "-cl-std=CL3.0" */
    bool fp64, fp16;
    bool truncates; /* f32 is rounded to zero, as the embedded profile allows */
    bool offered[CLFOLD_MEMORY_TIERS];
    bool fences; /* acquire and release of device scope, by OpenCL's own means */
    struct device_facts facts;
};

clfold_status clfold_caps_init(struct caps *caps, const struct site *site,
                               cl_device_id device);

/* Rejects a type that the device lacks; 0, none, is fine. */
clfold_status clfold_caps_check_type(const struct caps *caps, const struct site *site,
                                     const char *field, clfold_type type);

/* Rejects sums that must be rounded to nearest, where the device does not. */
clfold_status clfold_caps_check_accuracy(const struct caps *caps, const struct site *site,
                                         uint32_t accuracy);

/* Appends a string that OpenCL gives, of the platform, or else of the device. */
cl_int clfold_caps_print(struct text *text, cl_platform_id platform, cl_device_id device,
                         cl_uint what);

#endif
