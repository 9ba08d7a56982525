/*
 * A sparse matrix times a vector: the entries of a row are a segment, by CSR offsets.
 *
 *     1 . 2      offsets     0     2 2       5     the second row is empty
 *     . . .      columns     0   2   0  1  2
 *     3 4 5      values      1   2   3  4  5
 *                v           v0  v2  v0 v1 v2      times values, and added in each row
 *
 * The vector is 1/n, 2/n, ... 1. Prints the product, a number a line. A loop must find
 * the same but for rounding.
 *
 *     cc -o spmv spmv.c $(pkg-config --cflags --libs clfold) -lm
 *     ./spmv MATRIX.mtx
 */
#include "matrix_market.h"

#include <math.h>

static bool multiply(const struct example *e, const struct matrix *m, cl_float *v,
                     cl_float *product)
{
    const size_t num = m->offsets[m->num_rows], bytes = m->num_rows * sizeof(*product);
    cl_mem values = example_buffer(e, num * sizeof(*m->values), m->values);
    cl_mem columns = example_buffer(e, num * sizeof(*m->columns), m->columns);
    cl_mem offsets = example_buffer(e, bytes + sizeof(*m->offsets), m->offsets);
    cl_mem vector = example_buffer(e, m->num_columns * sizeof(*v), v);
    cl_mem out = example_buffer(e, bytes, NULL);
    const clfold_arg args[] = { CLFOLD_STREAM(CLFOLD_U32, column, columns, 0),
                                CLFOLD_BUFFER("global const float *", v, vector) };
    const clfold_segments rows = {
        .by = CLFOLD_BY_OFFSETS, .type = CLFOLD_U32, .mem = offsets, .num = m->num_rows
    };
    const clfold_fold sums = { .op = CLFOLD_ADD,
                               .type = CLFOLD_F32,
                               .load = "x * v[column]",
                               .flags = CLFOLD_PARTIAL, /* v has no other columns */
                               .args = args,
                               .num_args = 2,
                               .segments = &rows };
    clfold_context *ctx = NULL; /* made once a program, not once a call */
    const bool done =
        values && columns && offsets && vector && out &&
        clfold_ok(clfold_context_create(&ctx, e->context, e->device, NULL)) &&
        clfold_ok(
            clfold_reduce(ctx, e->queue, &sums, values, 0, out, 0, num, 0, NULL, NULL)) &&
        example_fetch(e, out, bytes, product);

    clfold_context_destroy(&ctx);
    example_release(out);
    example_release(vector);
    example_release(offsets);
    example_release(columns);
    example_release(values);
    return done;
}

static bool are_right(const struct matrix *m, const cl_float *v, const cl_float *product)
{
    bool right = true;

    for (size_t row = 0; row < m->num_rows; ++row) {
        double sum = 0, size = 0;
        for (cl_uint at = m->offsets[row]; at < m->offsets[row + 1]; ++at) {
            const double term = (double)m->values[at] * (double)v[m->columns[at]];
            sum += term;
            size += fabs(term);
        }
        right &= fabs((double)product[row] - sum) <= 1e-5 * size;
    }
    return right;
}

int main(int argc, char **argv)
{
    example_usage(argc == 2, "spmv MATRIX.mtx");
    struct matrix m;
    const bool is_read = matrix_read(&m, argv[1]);
    cl_float *const v = example_zeros(m.num_columns, sizeof(*v));
    cl_float *const product = example_zeros(m.num_rows, sizeof(*product));
    struct example e = example_open();
    bool done = false;

    if (is_read && v && product && e.queue) {
        for (size_t i = 0; i < m.num_columns; ++i) {
            v[i] = (cl_float)(i + 1) / (cl_float)m.num_columns;
        }
        done = multiply(&e, &m, v, product);
        if (done && !are_right(&m, v, product)) {
            fprintf(stderr, "a loop finds another product\n");
            done = false;
        }
    }
    for (size_t row = 0; done && row < m.num_rows; ++row) {
        printf("%.9g\n", (double)product[row]);
    }
    example_close(&e);
    free(product);
    free(v);
    matrix_free(&m);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
