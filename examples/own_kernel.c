/*
 * A kernel of our own that uses a fold inside its work-groups. It reads a file once, in
 * blocks of 256 bytes, and writes of each block where its lines end and where its
 * greatest byte is, for which calls of clfold would read the file twice.
 *
 *     block     a  z  \n b  \n            a group, a byte for each work-item
 *     ends      2  4                      places by a select of the group
 *     greatest  1                         by its reduction, an arg-max
 *
 * A loop on the host must find the same.
 *
 *     cc -o own_kernel own_kernel.c $(pkg-config --cflags --libs clfold)
 *     ./own_kernel FILE
 */
#include "example.h"

#include <clfold/experimental.h>

#include <string.h>

#define BLOCK 256
#define ENTRY (2 + BLOCK) /* numbers of a block: how many ends, the greatest, the ends */

static const char kernel_text[] =
    "kernel void look(global const uchar *file, uint size, global uint *index)\n"
    "{\n"
    "    local top_room room;\n"
    "    const uint begin = get_group_id(0) * get_local_size(0);\n"
    "    const uint num = min((uint)get_local_size(0), size - begin);\n"
    "    const uint l = get_local_id(0), i = begin + min(l, num - 1);\n"
    "    global uint *const entry = index + get_group_id(0) * (2 + get_local_size(0));\n"
    "    const bool is_end = l < num && file[i] == '\\n';\n"
    "    const top_value own = { i, file[i] };\n"
    "    uint kept;\n"
    "    const uint place = top_group_select(is_end, num, &room, &kept);\n"
    "    const top_value top = top_group_reduce(own, num, &room);\n"
    "    if (l == 0)\n"
    "        vstore2((uint2)(kept, top.index), 0, entry);\n"
    "    if (is_end)\n"
    "        entry[2 + place] = i;\n"
    "}\n";

/* The program: the functions of the fold, and then the kernel. NULL on failure. */
static cl_program build(const struct example *e)
{
    const clfold_fold top = { .op = CLFOLD_ARG_MAX, .type = CLFOLD_U8 };
    static char text[1 << 17]; /* the functions take about half of it */
    clfold_context *ctx = NULL;
    const bool done =
        clfold_ok(clfold_context_create(&ctx, e->context, e->device, NULL)) &&
        clfold_ok(clfold_group_text(ctx, &top, "top", BLOCK, text,
                                    sizeof(text) - sizeof(kernel_text), NULL));

    clfold_context_destroy(&ctx);
    return done ? example_program(e, strcat(text, kernel_text)) : NULL;
}

static bool check(const unsigned char *file, size_t size, const cl_uint *entry)
{
    size_t lines = 0;

    for (size_t begin = 0; begin < size; begin += BLOCK, entry += ENTRY) {
        size_t top = begin, num = 0;
        bool right = true;
        for (size_t i = begin; i < size && i < begin + BLOCK; ++i) {
            top = file[i] > file[top] ? i : top;
            right = right && (file[i] != '\n' || entry[2 + num++] == i);
        }
        if (!right || entry[0] != num || entry[1] != top) {
            fprintf(stderr, "the block at byte %zu is wrong\n", begin);
            return false;
        }
        lines += num;
    }
    printf("%zu blocks, %zu line ends\n", (size + BLOCK - 1) / BLOCK, lines);
    return true;
}

static bool look(const struct example *e, unsigned char *file, size_t size)
{
    const size_t blocks = (size + BLOCK - 1) / BLOCK, local = BLOCK;
    const size_t global = blocks * BLOCK, bytes = blocks * ENTRY * sizeof(cl_uint);
    const cl_uint num = (cl_uint)size;
    cl_program program = build(e);
    cl_kernel kernel = program ? clCreateKernel(program, "look", NULL) : NULL;
    cl_mem in = example_buffer(e, size, file), out = example_buffer(e, bytes, NULL);
    cl_uint *const index = example_zeros(blocks, ENTRY * sizeof(*index));
    bool done = kernel && in && out && index &&
                !clSetKernelArg(kernel, 0, sizeof(in), &in) &&
                !clSetKernelArg(kernel, 1, sizeof(num), &num) &&
                !clSetKernelArg(kernel, 2, sizeof(out), &out);

    if (done && size > 0) {
        done = opencl_ok(clEnqueueNDRangeKernel(e->queue, kernel, 1, NULL, &global,
                                                &local, 0, NULL, NULL),
                         "look");
    }
    done = done && example_fetch(e, out, bytes, index) && check(file, size, index);
    free(index);
    example_release(out);
    example_release(in);
    example_release_kernel(kernel);
    example_release_program(program);
    return done;
}

int main(int argc, char **argv)
{
    example_usage(argc == 2, "own_kernel FILE");
    size_t size;
    unsigned char *const file = example_read(argv[1], &size);
    struct example e = example_open();
    const bool done =
        file && size <= UINT32_MAX - BLOCK && e.queue && look(&e, file, size);

    example_close(&e);
    free(file);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
