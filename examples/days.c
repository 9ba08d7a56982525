/*
 * Running totals of a log's bytes, which start at 0 again each day, month or year. The
 * key of a line is its date: a scan by keys finds by itself where a day starts.
 *
 *     2026-11-25 07:01 start       day 20261125    bytes 23    total 23
 *     2026-11-25 09:30 stop            20261125          22          45
 *     2026-11-26 07:02 start           20261126          23          23
 *
 * The totals are compared with those of a loop.
 *
 *     cc -o days days.c $(pkg-config --cflags --libs clfold)
 *     ./days LOG [LETTERS]     of YYYY-MM-DD: 10 for days (default), 7 months, 4 years
 */
#include "example.h"

#include <string.h>

/* Finds the day of each line, which is the number that the digits among its first letters
 * make, and its bytes. Returns the number of lines. */
static size_t read_lines(const char *text, size_t letters, cl_uint *days, cl_uint *bytes)
{
    size_t num = 0;

    for (const char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        days[num] = 0;
        for (const char *at = line; at < end && at < line + letters; ++at) {
            const bool is_digit = *at >= '0' && *at <= '9';
            days[num] = is_digit ? 10 * days[num] + (cl_uint)(*at - '0') : days[num];
        }
        bytes[num++] = (cl_uint)(end - line);
    }
    return num;
}

static bool run(const struct example *e, cl_uint *days, cl_uint *bytes, size_t num,
                cl_ulong *totals)
{
    cl_mem day = example_buffer(e, num * sizeof(*days), days);
    cl_mem in = example_buffer(e, num * sizeof(*bytes), bytes);
    cl_mem out = example_buffer(e, num * sizeof(*totals), NULL);
    const clfold_segments by_day = { .by = CLFOLD_BY_KEYS,
                                     .type = CLFOLD_U32,
                                     .mem = day };
    const clfold_fold sum = {
        .op = CLFOLD_ADD, .type = CLFOLD_U64, .in = CLFOLD_U32, .segments = &by_day
    };
    clfold_context *ctx = NULL; /* made once a program, not once a call */
    const bool done =
        day && in && out &&
        clfold_ok(clfold_context_create(&ctx, e->context, e->device, NULL)) &&
        clfold_ok(clfold_inclusive_scan(ctx, e->queue, &sum, in, 0, out, 0, num, 0, NULL,
                                        NULL)) &&
        example_fetch(e, out, num * sizeof(*totals), totals);

    clfold_context_destroy(&ctx);
    example_release(out);
    example_release(in);
    example_release(day);
    return done;
}

static bool are_right(const cl_uint *days, const cl_uint *bytes, const cl_ulong *totals,
                      size_t num)
{
    cl_ulong total = 0;
    bool right = true;

    for (size_t i = 0; i < num; ++i) {
        total = (i > 0 && days[i] == days[i - 1] ? total : 0) + bytes[i];
        right &= totals[i] == total;
    }
    return right;
}

static void print_days(const cl_uint *days, const cl_ulong *totals, size_t num)
{
    for (size_t i = 0; i < num; ++i) {
        if (i + 1 == num || days[i + 1] != days[i]) {
            printf("%u: %llu bytes\n", days[i], (unsigned long long)totals[i]);
        }
    }
}

int main(int argc, char **argv)
{
    const size_t letters = argc == 3 ? example_number(argv[2]) : 10;
    example_usage((argc == 2 || argc == 3) && letters > 0, "days LOG [LETTERS]");
    size_t size;
    void *const text = example_read(argv[1], &size);
    cl_uint *const days = example_zeros(size + 1, sizeof(*days));
    cl_uint *const bytes = example_zeros(size + 1, sizeof(*bytes));
    cl_ulong *const totals = example_zeros(size + 1, sizeof(*totals));
    struct example e = example_open();
    bool done = false;

    if (text && days && bytes && totals && e.queue) {
        const size_t num = read_lines(text, letters, days, bytes);
        done = run(&e, days, bytes, num, totals);
        if (done && !are_right(days, bytes, totals, num)) {
            fprintf(stderr, "a loop finds other totals\n");
            done = false;
        }
        if (done) {
            print_days(days, totals, num);
        }
    }
    example_close(&e);
    free(totals);
    free(bytes);
    free(days);
    free(text);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
