/*
 * The bounding box of a cloud of points, as a reduction over a type that only OpenCL C
 * knows: a struct with arrays, and a function that joins two of them.
 *
 *     points      x y z, each a box of its own      low = high = the point
 *     result      low x y z, high x y z             of all
 *
 *     cc -o boxes boxes.c $(pkg-config --cflags --libs clfold)
 *     ./boxes
 */
#include "example.h"

#define NUM 100000

struct box {
    cl_float low[3], high[3];
};

static const clfold_fold bounds = {
    .name = "bounds",
    .type_name = "struct box",
    .type_size = sizeof(struct box),
    .source = CLFOLD_HERE "struct box { float low[3], high[3]; };\n"
                          "struct box join(struct box a, struct box b)\n"
                          "{\n"
                          "#pragma unroll\n"
                          "    for (int k = 0; k < 3; ++k) {\n"
                          "        a.low[k] = fmin(a.low[k], b.low[k]);\n"
                          "        a.high[k] = fmax(a.high[k], b.high[k]);\n"
                          "    }\n"
                          "    return a;\n"
                          "}\n",
    .combine = "join(a, b)",
    .flags = CLFOLD_COMMUTATIVE,
};

/* A ball of radius 1 round (2, 3, 4), from a small generator. */
static void make_points(struct box *boxes)
{
    const cl_float centre[3] = { 2, 3, 4 };
    cl_uint random = 1;

    for (size_t i = 0; i < NUM;) {
        cl_float point[3], length = 0;
        for (int k = 0; k < 3; ++k) {
            random = random * 1664525 + 1013904223;
            point[k] = (cl_float)(random >> 8) / 8388608 - 1;
            length += point[k] * point[k];
        }
        for (int k = 0; k < 3; ++k) {
            boxes[i].low[k] = boxes[i].high[k] = centre[k] + point[k];
        }
        i += length <= 1;
    }
}

static bool run(const struct example *e, struct box *boxes, struct box *box)
{
    cl_mem mem = example_buffer(e, NUM * sizeof(*boxes), boxes);
    clfold_context *ctx = NULL; /* made once a program, not once a call */
    const bool done =
        mem && clfold_ok(clfold_context_create(&ctx, e->context, e->device, NULL)) &&
        clfold_ok(
            clfold_reduce_host(ctx, e->queue, &bounds, mem, 0, NUM, box, sizeof(*box)));

    clfold_context_destroy(&ctx);
    example_release(mem);
    return done;
}

int main(void)
{
    static struct box boxes[NUM];
    struct example e = example_open();
    struct box box;
    bool done;

    make_points(boxes);
    done = e.queue && run(&e, boxes, &box);
    for (int k = 0; done && k < 3; ++k) {
        printf("%c from %.1f to %.1f\n", 'x' + k, (double)box.low[k],
               (double)box.high[k]);
    }
    example_close(&e);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
