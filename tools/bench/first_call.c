/*
 * bench_first_call DEVICE CASE [FOLDER]: one process that folds once, as a program's
 * first call, with programs kept in FOLDER or in memory only. Prints in nanoseconds the
 * time of the result and of the end, by CLOCK_MONOTONIC, and what building and loading
 * took; then the programs built and loaded. The script first-call runs it.
 */
#include "device.h"

#include "base/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 1 << 20 };

static const struct {
    const char *name;
    clfold_status (*call)(clfold_context *, cl_command_queue, const clfold_fold *, cl_mem,
                          size_t, cl_mem, size_t, size_t, cl_uint, const cl_event *,
                          cl_event *);
    clfold_fold fold;
    bool by_keys; /* of u32, which are the elements */
} cases[] = {
#define CASE(title, function, ...)                                                       \
    .name = (title), .call = (function), .fold = { __VA_ARGS__ }
    { CASE("sum", clfold_reduce, .op = CLFOLD_ADD, .type = CLFOLD_F32) },
    { CASE("scan", clfold_inclusive_scan, .op = CLFOLD_ADD, .type = CLFOLD_F32) },
    { CASE("text", clfold_reduce, .op = CLFOLD_ADD, .type = CLFOLD_F32, .load = "x * x",
           .result = "sqrt(item)") },
    { CASE("select", clfold_select, .type = CLFOLD_F32, .keep = "x > 3") },
    { CASE("keys", clfold_reduce, .op = CLFOLD_ADD, .type = CLFOLD_F32),
      .by_keys = true },
    { CASE("kept", clfold_select, .op = CLFOLD_ADD, .type = CLFOLD_F32,
           .keep = "item > 3") },
};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static bool fold(const struct bench_device *device, clfold_context *context, size_t which,
                 cl_mem in, cl_mem out)
{
    const clfold_segments keys = { .by = CLFOLD_BY_KEYS, .type = CLFOLD_U32, .mem = in };
    cl_command_queue queue = device->session.queue;
    clfold_fold fold = cases[which].fold;

    fold.segments = cases[which].by_keys ? &keys : NULL;
    clfold_status status =
        cases[which].call(context, queue, &fold, in, 0, out, 0, COUNT, 0, NULL, NULL);

    status = status ? status : clFinish(queue);
    return status == CLFOLD_OK || bench_complain(device, clfold_last_error(), status);
}

static bool run(const struct bench_device *device, size_t which, const char *folder)
{
    const clfold_context_params params = { .cache_folder = folder };
    const struct session *session = &device->session;
    cl_mem in = bench_buffer(device, COUNT * sizeof(cl_float));
    cl_mem out = bench_buffer(device, COUNT * sizeof(cl_float));
    clfold_context *context = NULL;
    clfold_stats stats;
    bool good = in && out;

    if (good &&
        clfold_context_create(&context, session->cl, session->device->id, &params)) {
        good = bench_complain(device, clfold_last_error(), 0);
    }
    good = good && fold(device, context, which, in, out);
    uint64_t result = clfold_clock_ns();
    good = good && clfold_context_stats(context, &stats) == CLFOLD_OK;
    clfold_context_destroy(&context); /* saves what was built */
    if (good) {
        printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
               "\n",
               result, clfold_clock_ns(), stats.build_ns, stats.load_ns, stats.builds,
               stats.disk_hits);
    }
    if (in) {
        clReleaseMemObject(in);
    }
    if (out) {
        clReleaseMemObject(out);
    }
    return good;
}

int main(int argc, char **argv)
{
    struct bench_device device = { .who = "bench_first_call" };
    size_t which = 0;
    int status;

    while (argc >= 3 && which < CASES && strcmp(cases[which].name, argv[2]) != 0) {
        ++which;
    }
    if (argc < 3 || argc > 4 || which == CASES) {
        fprintf(stderr, "usage: %s DEVICE sum|scan|text|select|keys|kept [FOLDER]\n",
                device.who);
        return 2;
    }
    status = bench_device_open(&device, 2, argv);
    if (status == 0) {
        status = !run(&device, which, argv[3]);
    }
    session_close(&device.session);
    return status;
}
