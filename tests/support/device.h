/*
 * The OpenCL device under test. The runner (tests/run_devices.py) starts one process for
 * each device and names it in CLFOLD_TEST_DEVICE: its number among all devices that this
 * process sees. Without it the first one is taken.
 */
#ifndef CLFOLD_TESTS_DEVICE_H
#define CLFOLD_TESTS_DEVICE_H

#include <clfold/clfold.h>

#include <stdbool.h>

struct device {
    cl_platform_id platform;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;    /* in order */
    cl_command_queue disorder; /* out of order; NULL where the device has none */
    char name[256];            /* "platform: device" */
    bool is_pocl, is_intel, is_rusticl, has_f64, has_f16;
    bool is_known;   /* the library trusts its memory without a probe */
    bool ends_loops; /* it stops work-items that run long loops: no look-back there */
};

/* Exit status of a test that cannot run here, as Meson and Automake know it. */
#define EXIT_SKIP 77

/* Opens the device, or ends the process: with EXIT_SKIP and a sentence where there is
 * none. */
void device_init(struct device *device);

/* The same, and where there is one over which scans do not look back. */
void device_init_for_lookback(struct device *device);
void device_finish(struct device *device);

/* A context on the device that keeps programs in $CLFOLD_TEST_CACHE/programs, if that is
 * set: not for tests of the cache, of what a call builds, or of failures. `params` may be
 * NULL, and names no folder. */
clfold_status device_context(clfold_context **out, const struct device *device,
                             const clfold_context_params *params);

bool device_has(const struct device *device, clfold_type type);

/* Whether elements of type `in` are folded in `type`: halves are, in a wider one. */
bool device_folds(const struct device *device, clfold_type in, clfold_type type);

/* Whether plans may force work-groups; else they take the policy's tile. */
bool device_has_groups(void);
void device_need_groups(void); /* ends a test that cannot run here */

/* How much is tested: what CLFOLD_TEST_LEVEL in the environment says. */
enum level { LEVEL_QUICK, LEVEL_WIDE, LEVEL_FULL };
enum level test_level(void);

/* Whether the device takes turn `turn` of a list of programs. At the level full all
 * devices take all, and at wide all but Intel's compiler and Mesa's; else they take about
 * half, Intel's not the same as the others. */
bool device_takes(const struct device *device, size_t turn);

/* Intel's compiler makes wrong code of some work-groups as vectors, which clfold takes on
 * no CPU. It makes none after this call, which stands before the first of OpenCL. */
void device_no_vectors(void);

/* A queue of its own; the caller's to release. */
cl_command_queue device_queue(const struct device *device,
                              cl_command_queue_properties properties);

#endif
