/* What the benches share: an OpenCL device by number, runs in turn. */
#ifndef CLFOLD_BENCH_DEVICE_H
#define CLFOLD_BENCH_DEVICE_H

#include "device/caps.h"

#include <CL/cl.h>

struct bench_device {
    const char *who; /* the program's name, for messages */
    struct caps caps;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
};

/* Says what failed; false. */
bool bench_complain(const struct bench_device *device, const char *what, cl_int status);

/* Opens the device whose number is the only argument, or number 0. Returns the exit
 * status where it cannot, having said why, and 0 else. */
int bench_device_open(struct bench_device *device, int argc, char **argv);
void bench_device_close(struct bench_device *device);

/* A buffer of zeros, or NULL, having said why. */
cl_mem bench_buffer(const struct bench_device *device, size_t bytes);

/* What a bench does; `bench` is its own struct, whose first member is the device. What
 * fails has said why. */
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
