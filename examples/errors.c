/*
 * What an error looks like. clfold checks a call before it enqueues anything: a call with
 * a wrong argument changes nothing, and one sentence names the argument and its value.
 * This program makes such a call on purpose, and then the right one.
 *
 *     cc -o errors errors.c $(pkg-config --cflags --libs clfold)
 *     ./errors
 */
#include "example.h"

#define COUNT 1000

static bool show(const struct example *e, clfold_context *ctx, cl_mem x)
{
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_F32, .name = "sum" };
    cl_float result = -1;

    /* The buffer holds COUNT elements. */
    const clfold_status status =
        clfold_reduce_host(ctx, e->queue, &sum, x, 0, 2 * COUNT, &result, sizeof(result));
    if (status != CLFOLD_ERROR_RANGE) {
        fprintf(stderr, "the wrong count returned %s\n", clfold_status_name(status));
        return false;
    }
    printf("With a wrong count, on purpose, clfold says:\n    %s\n", clfold_last_error());
    printf("The result is still %g.\n", (double)result);

    const bool done = clfold_ok(
        clfold_reduce_host(ctx, e->queue, &sum, x, 0, COUNT, &result, sizeof(result)));
    if (done) {
        printf("With the right count it is %.9g.\n", (double)result);
    }
    return done;
}

int main(void)
{
    struct example e = example_open();
    cl_float values[COUNT];
    clfold_context *ctx = NULL; /* made once a program, not once a call */

    for (size_t i = 0; i < COUNT; ++i) {
        values[i] = (cl_float)i / 4;
    }
    cl_mem x = e.queue ? example_buffer(&e, sizeof(values), values) : NULL;
    const bool done = x &&
                      clfold_ok(clfold_context_create(&ctx, e.context, e.device, NULL)) &&
                      show(&e, ctx, x);
    clfold_context_destroy(&ctx);
    example_release(x);
    example_close(&e);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
