/*
 * Count, mean, variance and range of a column of a table. CLFOLD_MOMENTS takes one pass
 * for the first three: it merges the moments of runs of numbers, and loses no digits
 * where the mean is far from 0, as a sum of squares does.
 *
 *     name,x       numbers     3 5 7
 *     first,3      a run's     count, mean, m2 = the sum of (x - mean)^2
 *     second,      3 5         2  4  2
 *     third,5      7           1  7  0
 *     last,7       merged      3  5  8      variance 8 / 3
 *
 * Cells that are not finite numbers are left out. A loop that goes over the numbers twice
 * must find the same but for rounding.
 *
 *     cc -o statistics statistics.c $(pkg-config --cflags --libs clfold) -lm
 *     ./statistics TABLE.csv [COLUMN]      the first column is 1
 */
#include "example.h"

#include <math.h>
#include <string.h>

struct moments {
    cl_ulong count;
    cl_float mean, m2;
};

/* Takes the numbers of a column from the text. Returns how many there are. */
static size_t read_column(const char *text, size_t column, cl_float *numbers)
{
    size_t num = 0;

    while (*text) {
        const char *const end = text + strcspn(text, "\n");
        for (size_t i = 1; i < column && text < end; ++i) {
            text += strcspn(text, ",\n");
            text += *text == ',';
        }
        char *rest;
        numbers[num] = strtof(text, &rest);
        num += rest > text && rest <= end && strchr(",\r\n", *rest) &&
               isfinite(numbers[num]);
        text = end + (*end == '\n');
    }
    return num;
}

static bool run(const struct example *e, cl_float *numbers, size_t num,
                struct moments *moments, cl_float2 *range)
{
    const clfold_fold merge = { .op = CLFOLD_MOMENTS, .type = CLFOLD_F32 };
    const clfold_fold widen = { .op = CLFOLD_MIN_MAX, .type = CLFOLD_F32 };
    cl_mem mem = example_buffer(e, num * sizeof(*numbers), numbers);
    clfold_context *ctx = NULL; /* made once a program, not once a call */
    const bool done =
        mem && clfold_ok(clfold_context_create(&ctx, e->context, e->device, NULL)) &&
        clfold_ok(clfold_reduce_host(ctx, e->queue, &merge, mem, 0, num, moments,
                                     sizeof(*moments))) &&
        clfold_ok(clfold_reduce_host(ctx, e->queue, &widen, mem, 0, num, range,
                                     sizeof(*range)));

    clfold_context_destroy(&ctx);
    example_release(mem);
    return done;
}

/* Rounding takes digits of the greatest number. */
static bool are_right(const struct moments *found, const cl_float2 *range,
                      const cl_float *x, size_t num)
{
    double mean = 0, m2 = 0, low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < num; ++i) {
        mean += (double)x[i] / (double)num;
        low = fmin(low, (double)x[i]);
        high = fmax(high, (double)x[i]);
    }
    for (size_t i = 0; i < num; ++i) {
        m2 += ((double)x[i] - mean) * ((double)x[i] - mean);
    }
    const double error = num > 0 ? 1e-5 * fmax(fabs(low), fabs(high)) : 0;
    return found->count == num && (double)range->s[0] == low &&
           (double)range->s[1] == high && fabs((double)found->mean - mean) <= error &&
           fabs(sqrt((double)found->m2) - sqrt(m2)) <= error * sqrt((double)num);
}

int main(int argc, char **argv)
{
    const size_t column = argc == 3 ? example_number(argv[2]) : 1;
    example_usage((argc == 2 || argc == 3) && column > 0,
                  "statistics TABLE.csv [COLUMN]");
    size_t size;
    void *const text = example_read(argv[1], &size);
    cl_float *const numbers = example_zeros(size / 2 + 1, sizeof(*numbers));
    struct example e = example_open();
    struct moments moments = { 0 };
    cl_float2 range = { { 0 } };
    bool done = false;

    if (text && numbers && e.queue) {
        const size_t num = read_column(text, column, numbers);
        done = run(&e, numbers, num, &moments, &range);
        if (done && !are_right(&moments, &range, numbers, num)) {
            fprintf(stderr, "two passes find another result\n");
            done = false;
        }
    }
    if (done) {
        const double n = (double)moments.count,
                     variance = (double)moments.m2 / fmax(n, 1);
        printf("%.0f numbers, mean %.5g, variance %.5g, from %.5g to %.5g\n", n,
               (double)moments.mean, variance, (double)range.s[0], (double)range.s[1]);
    }
    example_close(&e);
    free(numbers);
    free(text);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
