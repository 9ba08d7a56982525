/* What is written as text, byte for byte, of each type. The rows are in writer.txt; numpy
 * reads the other formats of what the rows of the command write. */
#include "writer.h"
#include "npy.h"
#include "number.h"
#include "rows.h"
#include "types.h"

/* The bytes that the elements become, in two portions, of which the first has so many; to
 * free. */
static char *write_all(struct writer writer, const unsigned char *data, size_t count,
                       size_t first, size_t *size)
{
    const size_t element = writer_element(&writer);
    char *bytes = NULL;

    writer.stream = open_memstream(&bytes, size);
    assert_non_null(writer.stream);
    assert_true(writer_begin(&writer, count));
    assert_true(writer_put(&writer, data, first));
    assert_true(writer_put(&writer, data + first * element, count - first));
    assert_int_equal(fclose(writer.stream), 0);
    return bytes;
}

/* Numbers become text, which is shown. The section has the type, and a shape of theirs or
 * "pairs" or both: u8 2,2 pairs. */
static bool show_write(char shown[ROWS_LINE], const char *words, const char *input)
{
    static const clfold_layout pairs = {
        .out_size = 2,
        .num_fields = 2,
        .fields = { { .type = CLFOLD_U8 }, { .type = CLFOLD_U8, .offset = 1 } }
    };
    char name[8], line[256], *numbers[ROWS_WORDS];
    struct npy_shape shape = { 0 };
    int end = 0;

    sscanf(words, "%7s%n", name, &end);
    const clfold_type type = type_parse(name);
    const bool has_shape = words[end] && strcmp(words + end, " pairs") != 0;
    struct writer writer = { .type = type,
                             .format = FORMAT_TEXT,
                             .layout = strstr(words, "pairs") ? &pairs : NULL,
                             .shape = has_shape ? &shape : NULL };
    const char *at = words + end;
    char *next = NULL;
    for (uint64_t one; has_shape && (one = strtoull(at + 1, &next, 10), next > at + 1);) {
        shape.sizes[shape.num++] = one;
        at = next;
    }
    const size_t bytes_each = clfold_type_size(type);
    unsigned char data[ROWS_WORDS * 8];
    snprintf(line, sizeof(line), "%s", input);
    const size_t num = (size_t)rows_cut(line, numbers);
    const size_t count = writer.layout ? num / 2 : num;
    for (size_t i = 0; i < num; i++) {
        assert_int_equal(number_parse(data + i * bytes_each, type, numbers[i]),
                         NUMBER_READ);
    }
    for (size_t first = 0; first <= count; first++) {
        size_t size;
        char *text = write_all(writer, data, count, first, &size);
        assert_true(first == 0 || strcmp(shown, text) == 0);
        strcpy(shown, text);
        free(text);
    }
    /* a header is as long before its count is known */
    unsigned char header[NPY_MOST_WRITTEN];
    struct npy_shape whole = has_shape ? shape : (struct npy_shape){ 1, { count } };
    const size_t length = npy_write(header, type, writer.layout, false, &whole);
    for (int d = 0; d < whole.num; d++) {
        whole.sizes[d] = INT64_MAX / 8;
    }
    assert_int_equal(npy_write(header, type, writer.layout, false, &whole), length);
    assert_int_equal(length % 64, 0);
    assert_int_equal(header[length - 1], '\n');
    return true;
}

static void rows(void **state)
{
    static const struct rows_kind kinds[] = { { "write", show_write, false, false } };

    (void)state;
    rows_check_file(ROWS, kinds, 1);
}

TEST_MAIN("writer", NULL, NULL, cmocka_unit_test(rows))
