/* Two devices that no row of a policy names, and nothing overridden. */
#ifndef CLFOLD_TESTS_DEVICES_H
#define CLFOLD_TESTS_DEVICES_H

#include "plan/reduce_plan.h"

static const struct plan_override none;
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

#endif
