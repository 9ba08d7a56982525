/*
 * The sum of a buffer of floats.
 *
 *     cc -o sum sum.c $(pkg-config --cflags --libs clfold)
 *     ./sum
 */
#include "example.h"

#define COUNT 1000

static bool print_sum(cl_context context, cl_device_id device, cl_command_queue queue,
                      cl_mem x, size_t count)
{
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_F32, .name = "sum" };
    cl_float result = 0;
    clfold_context *ctx = NULL; /* made once a program, not once a call */
    clfold_status status = clfold_context_create(&ctx, context, device, NULL);

    if (status == CLFOLD_OK) {
        status =
            clfold_reduce_host(ctx, queue, &sum, x, 0, count, &result, sizeof(result));
    }
    if (status == CLFOLD_OK) {
        printf("%.9g\n", (double)result);
    } else {
        fprintf(stderr, "%s\n", clfold_last_error());
    }
    clfold_context_destroy(&ctx);
    return status == CLFOLD_OK;
}

int main(void)
{
    struct example e = example_open();
    cl_float values[COUNT];

    for (size_t i = 0; i < COUNT; ++i) {
        values[i] = (cl_float)i / 4;
    }
    cl_mem x = e.queue ? example_buffer(&e, sizeof(values), values) : NULL;
    const bool done = x && print_sum(e.context, e.device, e.queue, x, COUNT);
    example_release(x);
    example_close(&e);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
