/*
 * Running products of complex numbers, by an operator of the program's own.
 *
 *     factors     w   w   w   w        w = exp(2 pi i / n)
 *     products    w   w^2 w^3 w^4      n steps round the unit circle, and back to 1
 *
 *     cc -o complex complex.c $(pkg-config --cflags --libs clfold) -lm
 *     ./complex
 */
#include "example.h"

#include <math.h>

#define NUM 1000

static const clfold_fold product = {
    .name = "complex product",
    .components = "float re; float im",
    .combine = "{ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re }",
    .identity = "{ 1, 0 }",
    .flags = CLFOLD_COMMUTATIVE,
};

static bool run(const struct example *e, cl_float *factors, cl_float *products)
{
    const size_t bytes = 2 * NUM * sizeof(cl_float);
    cl_mem mem = example_buffer(e, bytes, factors);
    clfold_context *ctx = NULL; /* made once a program, not once a call */
    const bool done =
        mem && clfold_ok(clfold_context_create(&ctx, e->context, e->device, NULL)) &&
        clfold_ok(clfold_inclusive_scan(ctx, e->queue, &product, mem, 0, mem, 0, NUM, 0,
                                        NULL, NULL)) &&
        example_fetch(e, mem, bytes, products);

    clfold_context_destroy(&ctx);
    example_release(mem);
    return done;
}

int main(void)
{
    static cl_float factors[2 * NUM], products[2 * NUM];
    const double step = 2 * acos(-1) / NUM;
    struct example e = example_open();
    double worst = 0;
    bool done;

    for (size_t i = 0; i < NUM; ++i) {
        factors[2 * i] = (cl_float)cos(step);
        factors[2 * i + 1] = (cl_float)sin(step);
    }
    done = e.queue && run(&e, factors, products);
    for (size_t i = 0; done && i < NUM; ++i) {
        const double angle = step * (double)(i + 1);
        worst = fmax(
            worst, hypot(products[2 * i] - cos(angle), products[2 * i + 1] - sin(angle)));
    }
    if (done) {
        printf("%d products, %s the circle\n", NUM, worst < 1e-3 ? "on" : "off");
    }
    example_close(&e);
    return done && worst < 1e-3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
