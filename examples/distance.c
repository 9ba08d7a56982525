/*
 * The distance of two vectors, where they differ, and where each row of 100 elements
 * differs most, each in one pass over both. An arg-max of rows gives the index in the
 * whole vector, as 903; a result makes of it the place in the row, 3.
 *
 *     cc -o distance distance.c $(pkg-config --cflags --libs clfold)
 *     ./distance
 */
#include "example.h"

#define COUNT 1000
#define ROW   100
#define ROWS  (COUNT / ROW)

/* *distance becomes the root of the sum of (x - y)^2, differs[i] 1 where they do, and
 * places[k] where row k has the first of its greatest differences. */
static bool compare(clfold_context *ctx, cl_command_queue queue, cl_mem x, cl_mem other,
                    cl_mem differs, cl_mem places, cl_float *distance)
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
    const cl_ulong row = ROW;
    const clfold_arg both[] = { args[0], CLFOLD_VALUE("ulong", row, row) };
    const clfold_segments rows = { .by = CLFOLD_BY_LENGTH, .length = ROW };
    const clfold_fold farthest = { .op = CLFOLD_ARG_MAX,
                                   .type = CLFOLD_F32,
                                   .load = "fabs(x - y)",
                                   .out = CLFOLD_U32,
                                   .result = "to_u32(item.index - segment * row)",
                                   .args = both,
                                   .num_args = 2,
                                   .segments = &rows };

    return clfold_ok(clfold_reduce(ctx, queue, &farthest, x, 0, places, 0, COUNT, 0, NULL,
                                   NULL)) &&
           clfold_ok(
               clfold_map(ctx, queue, &flags, x, 0, differs, 0, COUNT, 0, NULL, NULL)) &&
           clfold_ok(clfold_reduce_host(ctx, queue, &norm, x, 0, COUNT, distance,
                                        sizeof(*distance)));
}

int main(void)
{
    struct example e = example_open();
    cl_float x[COUNT], y[COUNT], distance = 0;
    cl_uchar flags[COUNT] = { 0 };
    cl_uint places[ROWS] = { 0 };
    unsigned num = 0;

    for (size_t i = 0; i < COUNT; ++i) {
        x[i] = (cl_float)i / 4;
        y[i] = x[i] + (i % 10 == 3 ? 2 : 0);
    }
    cl_mem buffers[4] = { NULL };
    clfold_context *ctx = NULL; /* made once a program, not once a call */
    bool done = e.queue && (buffers[0] = example_buffer(&e, sizeof(x), x)) &&
                (buffers[1] = example_buffer(&e, sizeof(y), y)) &&
                (buffers[2] = example_buffer(&e, sizeof(flags), flags)) &&
                (buffers[3] = example_buffer(&e, sizeof(places), places)) &&
                clfold_ok(clfold_context_create(&ctx, e.context, e.device, NULL)) &&
                compare(ctx, e.queue, buffers[0], buffers[1], buffers[2], buffers[3],
                        &distance) &&
                example_fetch(&e, buffers[2], sizeof(flags), flags) &&
                example_fetch(&e, buffers[3], sizeof(places), places);
    for (size_t i = 0; i < COUNT; ++i) {
        num += flags[i];
    }
    if (done) {
        printf("distance %g, %u of %d differ, row %d most at %u\n", (double)distance, num,
               COUNT, ROWS - 1, places[ROWS - 1]);
    }
    clfold_context_destroy(&ctx);
    for (size_t i = 0; i < 4; ++i) {
        example_release(buffers[i]);
    }
    example_close(&e);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
