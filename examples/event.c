/*
 * A reduction that the host does not wait for: the mean byte of a file.
 *
 *     write the bytes -> event -> clfold_reduce -> event -> read the sum
 *
 * The file is the one that the command line names, or else clfold's license.
 */
#include "example.h"

#define MOST ((size_t)1 << 20) /* bytes that are read */

static clfold_status enqueue_sum(clfold_context *ctx, const struct example *e,
                                 cl_mem bytes, cl_mem total, size_t count,
                                 const cl_event *written, cl_event *summed)
{
    const clfold_fold sum = { .op = CLFOLD_ADD, .in = CLFOLD_U8, .type = CLFOLD_U64 };

    return clfold_reduce(ctx, e->queue, &sum, bytes, 0, total, 0, count, 1, written,
                         summed);
}

static int print_mean(const struct example *e, const unsigned char *data, size_t count)
{
    cl_mem bytes = example_buffer(e, MOST, NULL);
    cl_mem total = example_buffer(e, sizeof(cl_ulong), NULL);
    cl_event written = NULL, summed = NULL;
    cl_ulong sum = 0;
    clfold_context *ctx = NULL; /* a real program creates it once, not once a call */
    int status = clfold_context_create(&ctx, e->context, e->device, NULL);

    if (status == CLFOLD_OK) {
        status = clEnqueueWriteBuffer(e->queue, bytes, CL_FALSE, 0, count, data, 0, NULL,
                                      &written);
    }
    if (status == CLFOLD_OK) {
        status = enqueue_sum(ctx, e, bytes, total, count, &written, &summed);
    }
    /* Nothing has waited so far: a real program does other work here. */
    if (status == CLFOLD_OK) {
        status = clEnqueueReadBuffer(e->queue, total, CL_TRUE, 0, sizeof(sum), &sum, 1,
                                     &summed, NULL);
    }
    if (status == CLFOLD_OK) {
        printf("%zu bytes, mean %.3f\n", count, (double)sum / (double)count);
    } else {
        fprintf(stderr, "%s: %s\n", clfold_status_name(status), clfold_last_error());
    }
    if (summed) {
        clReleaseEvent(summed);
    }
    if (written) {
        clReleaseEvent(written);
    }
    clfold_context_destroy(&ctx);
    clReleaseMemObject(total);
    clReleaseMemObject(bytes);
    return status == CLFOLD_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    static unsigned char data[MOST];
    const char *const path = argc > 1 ? argv[1] : LICENSE_FILE;
    FILE *const file = fopen(path, "rb");

    if (!file) {
        perror(path);
        return EXIT_FAILURE;
    }
    const size_t count = fread(data, 1, MOST, file);
    fclose(file);
    if (count == 0) {
        fprintf(stderr, "%s is empty, and has no mean\n", path);
        return EXIT_FAILURE;
    }
    struct example e = example_open();
    const int status = print_mean(&e, data, count);
    example_close(&e);
    return status;
}
