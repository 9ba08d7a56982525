/*
 * The distance of two vectors, and where they differ, each in one pass over both.
 *
 *     cc -o distance distance.c $(pkg-config --cflags --libs clfold)
 *     ./distance
 */
#include "example.h"

#define COUNT 1000

/* *distance becomes the root of the sum of (x - y)^2, and differs[i] 1 where they do. */
static bool compare(clfold_context *ctx, cl_command_queue queue, cl_mem x, cl_mem other,
                    cl_mem differs, cl_float *distance)
{
    const clfold_arg args[] = { CLFOLD_STREAM(CLFOLD_F32, y, other, 0) };
    const clfold_fold norm = { .op = CLFOLD_ADD,
                               .type = CLFOLD_F32,
                               .load = "(x - y) * (x - y)",
                               .result = "sqrt(item)",
                               .args = args,
                               .num_args = 1 };
    const clfold_fold flags = { .type = CLFOLD_F32,
                                .out = CLFOLD_U8,
                                .result = "x != y ? 1 : 0",
                                .args = args,
                                .num_args = 1 };

    return clfold_ok(
               clfold_map(ctx, queue, &flags, x, 0, differs, 0, COUNT, 0, NULL, NULL)) &&
           clfold_ok(clfold_reduce_host(ctx, queue, &norm, x, 0, COUNT, distance,
                                        sizeof(*distance)));
}

int main(void)
{
    struct example e = example_open();
    cl_float x[COUNT], y[COUNT], distance = 0;
    cl_uchar flags[COUNT] = { 0 };
    unsigned num = 0;

    for (size_t i = 0; i < COUNT; ++i) {
        x[i] = (cl_float)i / 4;
        y[i] = x[i] + (i % 10 == 3 ? 2 : 0);
    }
    cl_mem buffers[3] = { NULL };
    clfold_context *ctx = NULL; /* made once a program, not once a call */
    bool done = e.queue && (buffers[0] = example_buffer(&e, sizeof(x), x)) &&
                (buffers[1] = example_buffer(&e, sizeof(y), y)) &&
                (buffers[2] = example_buffer(&e, sizeof(flags), flags)) &&
                clfold_ok(clfold_context_create(&ctx, e.context, e.device, NULL)) &&
                compare(ctx, e.queue, buffers[0], buffers[1], buffers[2], &distance) &&
                example_fetch(&e, buffers[2], sizeof(flags), flags);
    for (size_t i = 0; i < COUNT; ++i) {
        num += flags[i];
    }
    if (done) {
        printf("distance %g, %u of %d differ\n", (double)distance, num, COUNT);
    }
    clfold_context_destroy(&ctx);
    for (size_t i = 0; i < 3; ++i) {
        example_release(buffers[i]);
    }
    example_close(&e);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
