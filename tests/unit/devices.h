/* Two devices that no row of a policy names, and vendors. */
#ifndef CLFOLD_TESTS_DEVICES_H
#define CLFOLD_TESTS_DEVICES_H

#include "plan/plan.h"

static const struct device_facts cpu = {
    .cpu = true,
    .vendor = "vendor",
    .name = "name",
    .max_group_size = 4096,
    .local_memory = 1 << 20,
};
static const struct device_facts gpu = {
    .vendor = "vendor",
    .name = "name",
    .max_group_size = 1024,
    .local_memory = 48 << 10,
};

/* Vendors of GPUs, as drivers name them, and whose row of the policies is theirs. */
static const struct {
    const char *vendor, *row;
} vendors[] = {
    { "NVIDIA Corporation", "nvidia" },
    { "Advanced Micro Devices, Inc.", "amd" },
    { "AMD", "amd" },
    { "Intel(R) Corporation", "intel" },
    { "House", "any" },
};
enum { NUM_VENDORS = sizeof(vendors) / sizeof(vendors[0]) };

#endif
