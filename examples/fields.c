/*
 * Where the fields of a CSV text end, in one call: a scan of its quotes says which commas
 * and line ends are inside quotes, and a select keeps the places of the others.
 *
 *     text      a , " b , c " " d " \n e , f \n
 *     quotes    . . 1 . . . 1 1 . 1 .  . . . .       exclusive or
 *     scan      0 0 1 1 1 1 0 1 1 0 0  0 0 0 0       1 is inside
 *     kept        1                 10   12  14      the places where a field ends
 *
 * A quote inside quotes is doubled, as in RFC 4180, so it leaves and enters again. Prints
 * how many records and fields there are, and one field of one record, from 1 on.
 *
 *     cc -o fields fields.c $(pkg-config --cflags --libs clfold)
 *     ./fields FILE [RECORD FIELD]
 */
#include "example.h"

/* 34 is a quote, 44 a comma, 10 the end of a line. In vectors a relation is -1, hence the
 * `& 1`, and a number has the type of what it is compared with. */
static const clfold_fold fields = {
    .name = "fields",
    .op = CLFOLD_BIT_XOR,
    .type = CLFOLD_U8,
    .in = CLFOLD_U8,
    .load = "to_u8(x == to_u8(34)) & to_u8(1)",
    .keep = "((x == to_u8(44)) | (x == to_u8(10))) & (item == to_u8(0))",
    .out = CLFOLD_U32,
    .result = "to_u32(i)",
};

/* Gets the places where fields end, to be freed, and how many these are. */
static cl_uint *find(const struct example *e, unsigned char *text, size_t size,
                     cl_ulong *num)
{
    cl_mem in = example_buffer(e, size, text), out = example_buffer(e, size * 4, NULL);
    cl_mem number = example_buffer(e, sizeof(*num), NULL);
    clfold_context *ctx = NULL; /* made once a program, not once a call */
    clfold_fold fold = fields;
    cl_uint *ends = NULL;

    fold.num_out = (clfold_place){ number, 0 };
    if (in && out && number &&
        clfold_ok(clfold_context_create(&ctx, e->context, e->device, NULL)) &&
        clfold_ok(
            clfold_select(ctx, e->queue, &fold, in, 0, out, 0, size, 0, NULL, NULL)) &&
        example_fetch(e, number, sizeof(*num), num) &&
        (ends = example_zeros((size_t)*num, sizeof(*ends))) &&
        !example_fetch(e, out, (size_t)*num * sizeof(*ends), ends)) {
        free(ends);
        ends = NULL;
    }
    clfold_context_destroy(&ctx);
    example_release(in);
    example_release(out);
    example_release(number);
    return ends;
}

/* Prints what there is, and the field if it is there. */
static void print(const unsigned char *text, const cl_uint *ends, cl_ulong num,
                  size_t record, size_t field)
{
    size_t records = 0, of_record = 0;
    cl_uint start = 0;

    for (cl_ulong k = 0; k < num; ++k) {
        ++of_record;
        if (records + 1 == record && of_record == field) {
            printf("record %zu, field %zu: %.*s\n", record, field, (int)(ends[k] - start),
                   (const char *)text + start);
        }
        if (text[ends[k]] == '\n') {
            ++records;
            of_record = 0;
        }
        start = ends[k] + 1;
    }
    printf("%zu records, %llu fields\n", records, (unsigned long long)num);
}

int main(int argc, char **argv)
{
    const size_t record = argc == 4 ? example_number(argv[2]) : 0;
    const size_t field = argc == 4 ? example_number(argv[3]) : 0;
    example_usage(argc == 2 || (record > 0 && field > 0), "fields FILE [RECORD FIELD]");
    size_t size;
    unsigned char *text = example_read(argv[1], &size);
    struct example e = example_open();
    cl_uint *ends = NULL;
    cl_ulong num = 0;

    if (text && size > 0 && text[size - 1] != '\n') {
        text[size++] = '\n'; /* in place of the NUL: the last line may lack its end */
    }
    if (text && size > UINT32_MAX) {
        fprintf(stderr, "%s: %zu bytes are more than this example indexes\n", argv[1],
                size);
    } else if (text && e.queue && (ends = find(&e, text, size, &num))) {
        print(text, ends, num, record, field);
    }
    const bool done = ends != NULL;
    example_close(&e);
    free(ends);
    free(text);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
