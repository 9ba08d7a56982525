/*
 * A reduction that the host does not wait for: the mean byte of a file.
 *
 *     write the bytes -> event -> clfold_reduce -> event -> read the sum
 *
 *     cc -o event event.c $(pkg-config --cflags --libs clfold)
 *     ./event FILE
 */
#include "example.h"

static clfold_status enqueue_sum(clfold_context *ctx, const struct example *e,
                                 cl_mem bytes, cl_mem total, size_t count,
                                 const cl_event *written, cl_event *summed)
{
    const clfold_fold sum = { .op = CLFOLD_ADD, .in = CLFOLD_U8, .type = CLFOLD_U64 };

    return clfold_reduce(ctx, e->queue, &sum, bytes, 0, total, 0, count, 1, written,
                         summed);
}

static bool print_mean(const struct example *e, const unsigned char *data, size_t count)
{
    cl_mem bytes = example_buffer(e, count, NULL);
    cl_mem total = example_buffer(e, sizeof(cl_ulong), NULL);
    clfold_context *ctx = NULL; /* made once a program, not once a call */
    cl_event written = NULL, summed = NULL;
    cl_ulong sum = 0;
    bool done = bytes && total &&
                clfold_ok(clfold_context_create(&ctx, e->context, e->device, NULL)) &&
                opencl_ok(clEnqueueWriteBuffer(e->queue, bytes, CL_FALSE, 0, count, data,
                                               0, NULL, &written),
                          "clEnqueueWriteBuffer") &&
                clfold_ok(enqueue_sum(ctx, e, bytes, total, count, &written, &summed));

    /* Nothing has waited so far: a program with more to do would do it here. */
    done = done && opencl_ok(clEnqueueReadBuffer(e->queue, total, CL_TRUE, 0, sizeof(sum),
                                                 &sum, 1, &summed, NULL),
                             "clEnqueueReadBuffer");
    if (done) {
        printf("%zu bytes, mean %.3f\n", count, (double)sum / (double)count);
    }
    clFinish(e->queue); /* after a failure the write may still read `data` */
    example_release_event(summed);
    example_release_event(written);
    clfold_context_destroy(&ctx);
    example_release(total);
    example_release(bytes);
    return done;
}

int main(int argc, char **argv)
{
    example_usage(argc == 2, "event FILE");
    size_t count;
    unsigned char *const data = example_read(argv[1], &count);
    struct example e = example_open();
    bool done = false;

    if (data && count == 0) {
        fprintf(stderr, "%s is empty, so it has no mean\n", argv[1]);
    } else if (data && e.queue) {
        done = print_mean(&e, data, count);
    }
    example_close(&e);
    free(data);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
