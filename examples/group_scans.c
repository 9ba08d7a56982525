/*
 * Scans inside a work-group, timed side by side: the textbook's two, and the library's,
 * which clfold_group_text gives to kernels of our own. They are in group_scans.cl, and a
 * loop checks them. Each group scans its numbers:
 *
 *     in      1  2  3  4 |  5  6  7  8 |  9            groups of 4
 *     out     1  3  6 10 |  5 11 18 26 |  9
 *
 *     cc -o group_scans group_scans.c $(pkg-config --cflags --libs clfold)
 *     ./group_scans group_scans.cl GROUP COUNT        256 4000000, say
 */
#include "example.h"

#include <clfold/experimental.h>

#include <time.h>

/* The program: the functions of a sum, and then the kernels. NULL on failure. */
static cl_program build(const struct example *e, const unsigned char *kernels,
                        size_t group)
{
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_U32 };
    static char text[1 << 17]; /* the functions take about half of it */
    size_t size;
    clfold_context *ctx = NULL;
    const bool done =
        clfold_ok(clfold_context_create(&ctx, e->context, e->device, NULL)) &&
        clfold_ok(clfold_group_text(ctx, &sum, "sum", group, text, sizeof(text), &size));

    clfold_context_destroy(&ctx);
    if (done) {
        snprintf(text + size - 1, sizeof(text) - size, "#define GROUP %zu\n%s", group,
                 (const char *)kernels);
    }
    return done ? example_program(e, text) : NULL;
}

/* Prints the shortest of five runs, in milliseconds. */
static bool launch(const struct example *e, cl_kernel kernel, const char *name,
                   size_t group, size_t num)
{
    const size_t global = (num + group - 1) / group * group;
    struct timespec begin, end;
    double best = 1e30;

    for (int k = 0; k < 5; ++k) {
        timespec_get(&begin, TIME_UTC);
        if (!opencl_ok(clEnqueueNDRangeKernel(e->queue, kernel, 1, NULL, &global, &group,
                                              0, NULL, NULL),
                       name) ||
            !opencl_ok(clFinish(e->queue), name)) {
            return false;
        }
        timespec_get(&end, TIME_UTC);
        const double taken = 1e3 * (double)(end.tv_sec - begin.tv_sec) +
                             1e-6 * (double)(end.tv_nsec - begin.tv_nsec);
        best = taken < best ? taken : best;
    }
    return printf("%-14s %.3f ms\n", name, best) > 0;
}

/* `numbers` are those that are scanned, and after them the results. */
static bool is_right(const cl_uint *numbers, size_t group, size_t num)
{
    cl_uint sum = 0;

    for (size_t i = 0; i < num; ++i) {
        sum = i % group == 0 ? numbers[i] : sum + numbers[i];
        if (numbers[num + i] != sum) {
            fprintf(stderr, "sum %zu is %u, not %u\n", i, numbers[num + i], sum);
            return false;
        }
    }
    return true;
}

static bool run(const struct example *e, cl_program program, size_t group, cl_uint num)
{
    const char *const names[] = { "hillis_steele", "blelloch", "library" };
    const size_t bytes = num * sizeof(cl_uint);
    cl_uint *const numbers = example_zeros(num, 2 * sizeof(cl_uint));
    bool done = numbers;

    for (cl_uint i = 0; done && i < num; ++i) {
        numbers[i] = i * 2654435761u;
    }
    cl_mem in = example_buffer(e, bytes, numbers), out = example_buffer(e, bytes, NULL);
    for (int k = 0; done && k < 3; ++k) {
        cl_kernel kernel = clCreateKernel(program, names[k], NULL);
        done = in && out && kernel && !clSetKernelArg(kernel, 0, sizeof(in), &in) &&
               !clSetKernelArg(kernel, 1, sizeof(out), &out) &&
               !clSetKernelArg(kernel, 2, sizeof(num), &num) &&
               launch(e, kernel, names[k], group, num) &&
               example_fetch(e, out, bytes, numbers + num) &&
               is_right(numbers, group, num);
        example_release_kernel(kernel);
    }
    example_release(out);
    example_release(in);
    free(numbers);
    return done;
}

int main(int argc, char **argv)
{
    const size_t group = argc == 4 ? example_number(argv[2]) : 0;
    const size_t num = argc == 4 ? example_number(argv[3]) : 0;
    example_usage(group > 0 && num > 0 && num < 1 << 30,
                  "group_scans group_scans.cl GROUP COUNT");
    size_t size;
    unsigned char *const kernels = example_read(argv[1], &size);
    struct example e = example_open();
    cl_program program = kernels && e.queue ? build(&e, kernels, group) : NULL;
    const bool done = program && run(&e, program, group, (cl_uint)num);

    example_release_program(program);
    example_close(&e);
    free(kernels);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
