/*
 * CSR offsets from row lengths, by an exclusive scan. The rows are the lines of a text:
 *
 *     lengths     4  0  2  5        words in each line
 *     offsets     0  4  4  6 11     line i has words offsets[i] to offsets[i + 1] - 1
 *
 * The scan writes all offsets but the last, and total_out puts the total there.
 *
 *     cc -o csr csr.c $(pkg-config --cflags --libs clfold)
 *     ./csr FILE
 */
#include "example.h"

#include <ctype.h>

static size_t count_lines(const unsigned char *text, size_t size)
{
    size_t num = size > 0 && text[size - 1] != '\n'; /* the last line may lack its end */

    for (size_t i = 0; i < size; ++i) {
        num += text[i] == '\n';
    }
    return num;
}

static void count_words(const unsigned char *text, size_t size, cl_uint *lengths)
{
    bool in_word = false;

    for (size_t i = 0, line = 0; i < size; ++i) {
        lengths[line] += !isspace(text[i]) && !in_word;
        in_word = !isspace(text[i]);
        line += text[i] == '\n';
    }
}

static clfold_status find_offsets(clfold_context *ctx, cl_command_queue queue,
                                  cl_mem lengths, cl_mem offsets, size_t num_rows)
{
    const clfold_fold fold = { .op = CLFOLD_ADD,
                               .type = CLFOLD_U32,
                               .total_out = { offsets, num_rows } };

    return clfold_exclusive_scan(ctx, queue, &fold, lengths, 0, offsets, 0, num_rows, 0,
                                 NULL, NULL);
}

/* Fills in offsets[0] to offsets[num]. */
static bool run(const struct example *e, cl_uint *lengths, cl_uint *offsets, size_t num)
{
    const size_t bytes = (num + 1) * sizeof(cl_uint);
    cl_mem in = example_buffer(e, bytes, lengths);
    cl_mem out = example_buffer(e, bytes, NULL);
    clfold_context *ctx = NULL; /* made once a program, not once a call */
    const bool done =
        in && out &&
        clfold_ok(clfold_context_create(&ctx, e->context, e->device, NULL)) &&
        clfold_ok(find_offsets(ctx, e->queue, in, out, num)) &&
        example_fetch(e, out, bytes, offsets);

    clfold_context_destroy(&ctx);
    example_release(out);
    example_release(in);
    return done;
}

static bool are_right(const cl_uint *lengths, const cl_uint *offsets, size_t num)
{
    bool right = offsets[0] == 0;

    for (size_t i = 0; right && i < num; ++i) {
        right = offsets[i + 1] - offsets[i] == lengths[i];
    }
    if (!right) {
        fprintf(stderr, "an offset is wrong\n");
    }
    return right;
}

static void print(const cl_uint *lengths, const cl_uint *offsets, size_t num)
{
    size_t longest = 0;

    for (size_t i = 1; i < num; ++i) {
        longest = lengths[i] > lengths[longest] ? i : longest;
    }
    printf("%zu lines, %u words\n", num, offsets[num]);
    if (offsets[num] > 0) {
        printf("line %zu has the most: words %u to %u\n", longest + 1,
               offsets[longest] + 1, offsets[longest + 1]);
    }
}

int main(int argc, char **argv)
{
    example_usage(argc == 2, "csr FILE");
    size_t size;
    unsigned char *const text = example_read(argv[1], &size);
    const size_t num = text ? count_lines(text, size) : 0;
    cl_uint *const lengths = example_zeros(num + 1, sizeof(cl_uint));
    cl_uint *const offsets = example_zeros(num + 1, sizeof(cl_uint));
    struct example e = example_open();
    bool done = false;

    if (text && lengths && offsets && e.queue) {
        count_words(text, size, lengths);
        done = run(&e, lengths, offsets, num) && are_right(lengths, offsets, num);
    }
    if (done) {
        print(lengths, offsets, num);
    }
    example_close(&e);
    free(offsets);
    free(lengths);
    free(text);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
