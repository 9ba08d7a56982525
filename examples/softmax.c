/*
 * Softmax of each row of a matrix: exp(x - most) / sum, where most is the row's greatest
 * element, and sum that of the row's exp(x - most). One reduction of the rows finds both,
 * as Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018) do:
 *
 *     row          1      3      2
 *     loaded       1 1    3 1    2 1      most, and sum of exp(x - most), of x alone
 *     of two       3 1.14        2 1      the smaller's sum times exp(difference)
 *     of all       3 1.50                 so the row becomes 0.09 0.67 0.24
 *
 * A map that looks up each element's row then writes the quotients over the elements. A
 * loop on the host must find the same but for rounding. For little-endian hosts.
 *
 *     cc -o softmax softmax.c $(pkg-config --cflags --libs clfold) -lm
 *     ./softmax IN OUT COLUMNS      files of finite f32, row by row
 */
#include "example.h"

#include <math.h>

static const char combine[] =
    CLFOLD_HERE "{ fmax(a.most, b.most),\n"
                "  pick(a.most > b.most, a.sum, b.sum) +\n"
                "  pick(a.most > b.most, b.sum, a.sum) * exp(-fabs(a.most - b.most)) }";
static const char quotient[] = "exp(x - rows[i / columns].x) / rows[i / columns].y";

static bool softmax(const struct example *e, cl_float *x, cl_float *found, size_t num,
                    cl_ulong columns)
{
    const clfold_segments segments = { .by = CLFOLD_BY_LENGTH,
                                       .length = (size_t)columns };
    cl_mem elements = example_buffer(e, num * sizeof(*x), x);
    cl_mem rows = example_buffer(e, num / columns * sizeof(cl_float2), NULL);
    const clfold_arg args[] = { CLFOLD_BUFFER("global const float2 *", rows, rows),
                                CLFOLD_VALUE("ulong", columns, columns) };
    const clfold_fold sums = { .components = "float most; float sum",
                               .in = CLFOLD_F32,
                               .load = "{ x, 1 }",
                               .combine = combine,
                               .flags = CLFOLD_COMMUTATIVE,
                               .segments = &segments };
    const clfold_fold quotients = {
        .type = CLFOLD_F32, .result = quotient, .args = args, .num_args = 2
    };
    clfold_context *ctx = NULL; /* made once a program, not once a call */
    const bool done =
        elements && rows &&
        clfold_ok(clfold_context_create(&ctx, e->context, e->device, NULL)) &&
        clfold_ok(clfold_reduce(ctx, e->queue, &sums, elements, 0, rows, 0, num, 0, NULL,
                                NULL)) &&
        clfold_ok(clfold_map(ctx, e->queue, &quotients, elements, 0, elements, 0, num, 0,
                             NULL, NULL)) &&
        example_fetch(e, elements, num * sizeof(*x), found);

    clfold_context_destroy(&ctx);
    example_release(rows);
    example_release(elements);
    return done;
}

/* Puts the softmax that was found in the place of its row. */
static bool replace(cl_float *x, const cl_float *found, size_t columns)
{
    double most = -INFINITY, sum = 0;
    bool right = true;

    for (size_t i = 0; i < columns; ++i) {
        most = fmax(most, (double)x[i]);
    }
    for (size_t i = 0; i < columns; ++i) {
        sum += exp((double)x[i] - most);
    }
    for (size_t i = 0; i < columns; ++i) {
        const double expected = exp((double)x[i] - most) / sum;
        x[i] = found[i];
        right &= fabs((double)x[i] - expected) <= 1e-5 * expected + 1e-30;
    }
    if (!right) {
        fprintf(stderr, "a row's softmax is wrong\n");
    }
    return right;
}

static bool run(const struct example *e, cl_float *x, size_t num, size_t columns)
{
    cl_float *const found = example_zeros(num, sizeof(*x));
    bool done = found && softmax(e, x, found, num, columns);

    for (size_t i = 0; done && i < num; i += columns) {
        done = replace(x + i, found + i, columns);
    }
    free(found);
    return done;
}

int main(int argc, char **argv)
{
    const size_t columns = argc == 4 ? example_number(argv[3]) : 0;
    example_usage(columns > 0, "softmax IN OUT COLUMNS");
    size_t size;
    void *const x = example_read(argv[1], &size);
    struct example e = example_open();
    bool done = false;

    if (x && size / 4 % columns + size % 4 > 0) {
        fprintf(stderr, "%s: %zu bytes, not rows of %zu f32\n", argv[1], size, columns);
    } else if (x && e.queue && run(&e, x, size / 4, columns)) {
        FILE *const file = fopen(argv[2], "wb");
        const bool is_written = file && fwrite(x, 1, size, file) == size;
        done = file && fclose(file) == 0 && is_written;
        if (done) {
            printf("%zu rows\n", size / 4 / columns);
        } else {
            perror(argv[2]);
        }
    }
    example_close(&e);
    free(x);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
