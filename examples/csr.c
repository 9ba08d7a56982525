/*
 * CSR offsets from row lengths, by an exclusive scan. The rows are the lines of a text:
 *
 *     lengths     4  0  2  5        words in each line
 *     offsets     0  4  4  6 11     line i has words offsets[i] to offsets[i + 1] - 1
 *
 * The scan writes all offsets but the last, and total_at puts the total there. The text
 * is the file that the command line names, or else clfold's license.
 */
#include "example.h"

#include <ctype.h>
#include <stdbool.h>

static size_t count_lines(FILE *text)
{
    size_t num = 0;
    int c, last = '\n';

    while ((c = getc(text)) != EOF) {
        num += c == '\n';
        last = c;
    }
    rewind(text);
    return num + (last != '\n');
}

static void count_words(FILE *text, cl_uint *lengths, size_t num_lines)
{
    bool in_word = false;
    int c;

    for (size_t line = 0; line < num_lines && (c = getc(text)) != EOF;) {
        lengths[line] += !isspace(c) && !in_word;
        in_word = !isspace(c);
        line += c == '\n';
    }
}

static clfold_status find_offsets(const struct example *e, cl_mem lengths, cl_mem offsets,
                                  size_t num_rows)
{
    const clfold_fold fold = { .op = CLFOLD_ADD,
                               .type = CLFOLD_U32,
                               .total_at = { offsets, num_rows } };
    clfold_context *ctx = NULL; /* a real program creates it once, not once a call */
    clfold_status status = clfold_context_create(&ctx, e->context, e->device, NULL);

    if (status == CLFOLD_OK) {
        status = clfold_exclusive_scan(ctx, e->queue, &fold, lengths, 0, offsets, 0,
                                       num_rows, 0, NULL, NULL);
    }
    if (status != CLFOLD_OK) {
        fprintf(stderr, "%s\n", clfold_last_error());
    }
    clfold_context_destroy(&ctx); /* the enqueued scan still completes */
    return status;
}

static bool is_right(const cl_uint *lengths, const cl_uint *offsets, size_t num_rows)
{
    bool right = offsets[0] == 0;

    for (size_t i = 0; right && i < num_rows; ++i) {
        right = offsets[i + 1] - offsets[i] == lengths[i];
    }
    return right;
}

static void print(const cl_uint *offsets, size_t num_lines)
{
    size_t longest = 0;

    for (size_t i = 1; i < num_lines; ++i) {
        if (offsets[i + 1] - offsets[i] > offsets[longest + 1] - offsets[longest]) {
            longest = i;
        }
    }
    printf("%zu lines, %u words\n", num_lines, offsets[num_lines]);
    if (num_lines > 0) {
        printf("line %zu has the most: words %u to %u\n", longest + 1,
               offsets[longest] + 1, offsets[longest + 1]);
    }
}

int main(int argc, char **argv)
{
    const char *const path = argc > 1 ? argv[1] : LICENSE_FILE;
    FILE *const text = fopen(path, "r");
    if (!text) {
        perror(path);
        return EXIT_FAILURE;
    }
    const size_t num = count_lines(text), bytes = (num + 1) * sizeof(cl_uint);
    cl_uint *const lengths = calloc(1, bytes), *const offsets = calloc(1, bytes);
    bool done = false;
    if (lengths && offsets) {
        struct example e = example_open();
        count_words(text, lengths, num);
        cl_mem in = example_buffer(&e, bytes, lengths);
        cl_mem out = example_buffer(&e, bytes, NULL);
        done = find_offsets(&e, in, out, num) == CLFOLD_OK &&
               clEnqueueReadBuffer(e.queue, out, CL_TRUE, 0, bytes, offsets, 0, NULL,
                                   NULL) == CL_SUCCESS &&
               is_right(lengths, offsets, num);
        clReleaseMemObject(in);
        clReleaseMemObject(out);
        example_close(&e);
    }
    if (done) {
        print(offsets, num);
    } else {
        fprintf(stderr, "there are no right offsets\n");
    }
    free(lengths);
    free(offsets);
    fclose(text);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
