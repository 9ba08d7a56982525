/*
 * The mean of a column of a table for each year, with which its rows begin. Rows without
 * a number there are left out. Only the device knows how many rows are left: the means
 * take the count that a select has written, and the host reads nothing in between.
 *
 *     years     1990  1990  1990  1991  1991
 *     numbers      2     -     4     -     7
 *     selects   1990        1990        1991      num_out 3
 *                  2           4           7
 *     means     1990     3        1991     7      count_at 3, num_out 2
 *
 *     cc -o means means.c $(pkg-config --cflags --libs clfold) -lm
 *     ./means TABLE.csv COLUMN      the first column is 1
 */
#include "example.h"

#include <math.h>
#include <string.h>

/* Takes a line that begins with a year. Returns how many there are. */
static size_t read_rows(const char *text, size_t column, cl_uint *years, cl_float *x)
{
    size_t num = 0;

    while (*text) {
        const char *const end = text + strcspn(text, "\n");
        const bool is_row = strspn(text, "0123456789") == 4;
        years[num] = is_row ? (cl_uint)strtoul(text, NULL, 10) : 0;
        for (size_t i = 1; i < column && text < end; ++i) {
            text += strcspn(text, ",\n");
            text += *text == ',';
        }
        char *rest;
        x[num] = strtof(text, &rest);
        x[num] = rest > text && rest <= end ? x[num] : NAN;
        num += is_row;
        text = end + (*end == '\n');
    }
    return num;
}

enum { YEARS, NUMBERS, KEPT_YEARS, KEPT, MEAN_YEARS, MEANS, COUNTS, BUFFERS };

/* Of `num` rows. *x gets the means, *years theirs, and counts how many rows and means. */
static bool run(const struct example *e, size_t num, cl_uint *years, cl_float *x,
                cl_ulong counts[2])
{
    void *const data[BUFFERS] = { [YEARS] = years, [NUMBERS] = x };
    cl_mem mem[BUFFERS];
    clfold_context *ctx = NULL; /* made once a program, not once a call */
    bool done = clfold_ok(clfold_context_create(&ctx, e->context, e->device, NULL));

    for (int i = 0; i < BUFFERS; ++i) {
        mem[i] = example_buffer(e, i == COUNTS ? 16 : num * sizeof(*x), data[i]);
        done = done && mem[i];
    }
    const clfold_arg number = CLFOLD_STREAM(CLFOLD_F32, number, mem[NUMBERS], 0);
    const clfold_fold keep = { .type = CLFOLD_F32, .keep = "isfinite(x)" };
    const clfold_fold keep_year = { .type = CLFOLD_U32,
                                    .keep = "isfinite(number)",
                                    .args = &number,
                                    .num_args = 1,
                                    .num_out = { mem[COUNTS], 0 } };
    const clfold_segments by_year = { .by = CLFOLD_BY_KEYS,
                                      .type = CLFOLD_U32,
                                      .mem = mem[KEPT_YEARS] };
    const clfold_fold mean = { .components = "float sum; float num",
                               .load = "{ x, 1 }",
                               .in = CLFOLD_F32,
                               .combine = "{ a.sum + b.sum, a.num + b.num }",
                               .identity = "{ 0, 0 }",
                               .result = "item.sum / item.num",
                               .out = CLFOLD_F32,
                               .segments = &by_year,
                               .count_at = { mem[COUNTS], 0 },
                               .keys_out = { mem[MEAN_YEARS], 0 },
                               .num_out = { mem[COUNTS], 1 } };
    done = done &&
           clfold_ok(clfold_select(ctx, e->queue, &keep, mem[NUMBERS], 0, mem[KEPT], 0,
                                   num, 0, NULL, NULL)) &&
           clfold_ok(clfold_select(ctx, e->queue, &keep_year, mem[YEARS], 0,
                                   mem[KEPT_YEARS], 0, num, 0, NULL, NULL)) &&
           clfold_ok(clfold_reduce(ctx, e->queue, &mean, mem[KEPT], 0, mem[MEANS], 0, num,
                                   0, NULL, NULL)) &&
           example_fetch(e, mem[COUNTS], 16, counts) &&
           example_fetch(e, mem[MEAN_YEARS], counts[1] * sizeof(*years), years) &&
           example_fetch(e, mem[MEANS], counts[1] * sizeof(*x), x);
    clfold_context_destroy(&ctx);
    for (int i = 0; i < BUFFERS; ++i) {
        example_release(mem[i]);
    }
    return done;
}

int main(int argc, char **argv)
{
    const size_t column = argc == 3 ? example_number(argv[2]) : 0;
    example_usage(column > 0, "means TABLE.csv COLUMN");
    size_t size;
    void *const text = example_read(argv[1], &size);
    cl_uint *const years = example_zeros(size + 1, sizeof(*years));
    cl_float *const x = example_zeros(size + 1, sizeof(*x));
    struct example e = example_open();
    cl_ulong counts[2] = { 0 };
    const bool done = text && years && x && e.queue &&
                      run(&e, read_rows(text, column, years, x), years, x, counts);

    for (size_t i = 0; done && i < counts[1]; ++i) {
        printf("%u: %.6g\n", years[i], (double)x[i]);
    }
    if (done) {
        printf("%llu numbers\n", (unsigned long long)counts[0]);
    }
    example_close(&e);
    free(x);
    free(years);
    free(text);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
