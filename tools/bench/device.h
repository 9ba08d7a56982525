/* What the benches share: a device, runs in turn. */
#ifndef CLFOLD_BENCH_DEVICE_H
#define CLFOLD_BENCH_DEVICE_H

#include "../clfold/session.h"
#include "device/caps.h"

struct bench_device {
    const char *who; /* the program's name, for messages */
    struct caps caps;
    struct session session;
};

/* Says what failed; false. */
bool bench_complain(const struct bench_device *device, const char *what, cl_int status);

/* Opens a session with the device that the only argument selects, or the first one.
 * Returns 0, or the exit status, having said why; the session is to be closed. */
int bench_device_open(struct bench_device *device, int argc, char **argv);

/* A buffer of zeros, or NULL, having said why. */
cl_mem bench_buffer(const struct bench_device *device, size_t bytes);

/* A kernel of a program, or NULL, having said why. */
cl_kernel bench_kernel(const struct bench_device *device, const char *text,
                       const char *name);

/* A kernel that copies f32, past the caches where it can, or NULL, having said why; and
 * its launch, for a multiple of 16384 elements. */
cl_kernel bench_copy_kernel(const struct bench_device *device, cl_mem in, cl_mem out);
cl_int bench_enqueue_copy(cl_command_queue queue, cl_kernel copy, size_t count);

/* The steps of a bench; `bench` is its own struct, whose first member is the device. A
 * step that fails has printed why. */
struct bench_steps {
    bool (*open)(void *bench);
    bool (*run)(void *bench, int run); /* all cases in turn; run -1 is not counted */
    void (*print)(void *bench);
    void (*close)(void *bench);
};

/* Opens the device, takes the steps, and closes it. Returns the exit status. */
int bench_main(void *bench, const struct bench_steps *steps, int runs, int argc,
               char **argv);

#endif
