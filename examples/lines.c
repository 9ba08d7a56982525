/*
 * An index of the lines of a text, made on the device: the byte where each line starts.
 *
 *     text        a  b \n \n  c  d \n
 *     flags       1  0  0  1  1  0  0      1 where a line starts; by a kernel of our own
 *     ranks       0  1  1  1  2  3  3      the exclusive scan: lines that start before
 *     starts      0  3  4                  starts[ranks[i]] = i for each flag, by another
 *
 *     cc -o lines lines.c $(pkg-config --cflags --libs clfold)
 *     ./lines FILE [NUMBER]      prints that line of the file, or else the last one
 */
#include "example.h"

static const char source[] =
    "kernel void mark(global const uchar *text, global uchar *flags)\n"
    "{\n"
    "    const size_t i = get_global_id(0);\n"
    "    flags[i] = i == 0 || text[i - 1] == '\\n';\n"
    "}\n"
    "kernel void place(global const uchar *flags, global const ulong *ranks,\n"
    "                  global ulong *starts)\n"
    "{\n"
    "    const size_t i = get_global_id(0);\n"
    "    if (flags[i])\n"
    "        starts[ranks[i]] = i;\n"
    "}\n";

enum { TEXT, FLAGS, RANKS, STARTS, TOTAL, NUM_BUFFERS };

/* Enqueues a kernel of `program`, whose arguments are buffers, with `size` work-items. */
static bool launch(const struct example *e, cl_program program, const char *name,
                   const cl_mem *args, cl_uint num_args, size_t size)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);

    for (cl_uint i = 0; status == CL_SUCCESS && i < num_args; ++i) {
        status = clSetKernelArg(kernel, i, sizeof(cl_mem), &args[i]);
    }
    if (status == CL_SUCCESS) {
        status =
            clEnqueueNDRangeKernel(e->queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL);
    }
    example_release_kernel(kernel);
    return opencl_ok(status, name);
}

/* Prints the wanted line if there is one. Fails if the host finds another start. */
static bool print(const unsigned char *text, size_t size, const cl_ulong *starts,
                  size_t num, size_t wanted)
{
    size_t line = 0;

    for (size_t i = 0; i < size; ++i) {
        if ((i == 0 || text[i - 1] == '\n') && (line == num || starts[line++] != i)) {
            fprintf(stderr, "the start at byte %zu is missing\n", i);
            return false;
        }
    }
    printf("%zu lines\n", num);
    if (wanted <= num) {
        const size_t start = starts[wanted - 1],
                     end = wanted < num ? starts[wanted] : size;
        printf("line %zu starts at byte %zu: %.*s\n", wanted, start,
               (int)(end - start - (text[end - 1] == '\n')), (const char *)text + start);
    }
    return line == num;
}

/* `wanted` 0 is the last line. */
static bool run(const struct example *e, unsigned char *text, size_t size, size_t wanted)
{
    cl_mem mem[NUM_BUFFERS] = { [TEXT] = example_buffer(e, size, text),
                                [FLAGS] = example_buffer(e, size, NULL),
                                [RANKS] = example_buffer(e, size * 8, NULL),
                                [TOTAL] = example_buffer(e, 8, NULL) };
    const clfold_fold count = { .op = CLFOLD_ADD,
                                .in = CLFOLD_U8,
                                .type = CLFOLD_U64,
                                .total_out = { mem[TOTAL], 0 } };
    cl_program program = example_program(e, source);
    clfold_context *ctx = NULL; /* made once a program, not once a call */
    cl_ulong num = 0, *starts = NULL;
    bool done = mem[TEXT] && mem[FLAGS] && mem[RANKS] && mem[TOTAL] && program &&
                clfold_ok(clfold_context_create(&ctx, e->context, e->device, NULL)) &&
                launch(e, program, "mark", &mem[TEXT], 2, size) &&
                clfold_ok(clfold_exclusive_scan(ctx, e->queue, &count, mem[FLAGS], 0,
                                                mem[RANKS], 0, size, 0, NULL, NULL)) &&
                example_fetch(e, mem[TOTAL], sizeof(num), &num);

    /* The scan's total is the number of lines, and so the size of the index. */
    done = done && (mem[STARTS] = example_buffer(e, num * 8, NULL)) &&
           (starts = example_zeros(num, 8)) &&
           launch(e, program, "place", &mem[FLAGS], 3, size) &&
           example_fetch(e, mem[STARTS], num * 8, starts) &&
           print(text, size, starts, num, wanted > 0 ? wanted : num);
    free(starts);
    clfold_context_destroy(&ctx);
    example_release_program(program);
    for (int i = 0; i < NUM_BUFFERS; ++i) {
        example_release(mem[i]);
    }
    return done;
}

int main(int argc, char **argv)
{
    const size_t wanted = argc == 3 ? example_number(argv[2]) : 0;
    example_usage(argc == 2 || wanted > 0, "lines FILE [NUMBER]");
    size_t size;
    unsigned char *const text = example_read(argv[1], &size);
    struct example e = example_open();
    const bool done = text && e.queue &&
                      (size > 0 ? run(&e, text, size, wanted) : puts("0 lines") >= 0);

    example_close(&e);
    free(text);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
