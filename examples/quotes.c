/*
 * Which characters of a CSV text are inside quotes, without a loop over the text: each
 * character is a function on the two states of a parser, outside and inside, and the scan
 * composes them. Composition is associative and does not commute.
 *
 *     text        a , " b , c " , d
 *     function    = = x = = = x = =       = keeps the state, x changes it
 *     state       . . i i i i . . .       of the composition, applied to "outside"
 *
 * A function is a byte with a bit for each state: bit s is the state after s. A comma is
 * a separator where the state is outside. Without FILE the text is a small table.
 *
 *     cc -o quotes quotes.c $(pkg-config --cflags --libs clfold)
 *     ./quotes [FILE]
 */
#include "example.h"

#include <string.h>

static const char table[] =
    "name,note\n\"Smith, J.\",\"says \"\"hi, you\"\"\"\nLee,none\n";

static const clfold_fold composition = {
    .name = "composition",
    .type_name = "function",
    .type_size = 1,
    .source = CLFOLD_HERE "typedef uchar function;\n",
    /* bit s of the result: b, applied to what a makes of s */
    .combine = "(b >> (a & 1) & 1) | (b >> (a >> 1 & 1) & 1) << 1",
    .identity = "2",
};

enum { KEEPS = 2, CHANGES = 1 };

static bool run(const struct example *e, unsigned char *functions, size_t num)
{
    cl_mem mem = example_buffer(e, num, functions);
    clfold_context *ctx = NULL; /* made once a program, not once a call */
    const bool done =
        mem && clfold_ok(clfold_context_create(&ctx, e->context, e->device, NULL)) &&
        clfold_ok(clfold_inclusive_scan(ctx, e->queue, &composition, mem, 0, mem, 0, num,
                                        0, NULL, NULL)) &&
        example_fetch(e, mem, num, functions);

    clfold_context_destroy(&ctx);
    example_release(mem);
    return done;
}

int main(int argc, char **argv)
{
    example_usage(argc < 3, "quotes [FILE]");
    size_t size = strlen(table), commas = 0, quoted = 0;
    unsigned char *read = argc > 1 ? example_read(argv[1], &size) : NULL;
    const unsigned char *text = read ? read : (const unsigned char *)table;
    unsigned char *const states = example_zeros(size, 1);
    struct example e = example_open();
    bool done = (argc < 2 || read) && states && e.queue;

    for (size_t i = 0; done && i < size; ++i) {
        states[i] = text[i] == '"' ? CHANGES : KEEPS;
    }
    done = done && run(&e, states, size);
    for (size_t i = 0; done && i < size; ++i) {
        const bool is_inside = states[i] & 1; /* what becomes of "outside" */
        quoted += text[i] == ',' && is_inside;
        commas += text[i] == ',' && !is_inside;
    }
    if (done) {
        printf("%zu separators, and %zu commas inside quotes\n", commas, quoted);
    }
    example_close(&e);
    free(states);
    free(read);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
