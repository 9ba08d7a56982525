/* What is written, byte for byte, in each format and type. */
#include "writer.h"
#include "npy.h"
#include "number.h"
#include "types.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void names(void **state)
{
    static const struct {
        const char *name;
        enum file_format format;
    } right[] = {
        { "a.npy", FORMAT_NPY },     { "a.bin", FORMAT_RAW },
        { "a.txt", FORMAT_TEXT },    { ".npy", FORMAT_NPY },
        { "x/y.z.bin", FORMAT_RAW }, { "a.npy.txt", FORMAT_TEXT },
    };
    static const char *const wrong[] = { "",      "npy",     "a.npz", "a.npy ", "a.raw",
                                         "a.TXT", "a.npy/b", "txt.a", "-" };
    enum file_format format = FORMAT_NPY;

    (void)state;
    for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
        assert_true(writer_format(right[i].name, &format));
        assert_int_equal(format, right[i].format);
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_false(writer_format(wrong[i], &format));
    }
}

/* The bytes that `count` numbers become, in two portions; to free. */
static char *write_all(enum file_format format, clfold_type type, const void *data,
                       size_t count, size_t *size)
{
    char *bytes = NULL;
    const size_t half = count / 2;
    struct writer writer = {
        open_memstream(&bytes, size), format, type, NULL, false, NULL, 0
    };

    assert_non_null(writer.stream);
    assert_true(writer_begin(&writer, count));
    assert_true(writer_put(&writer, data, half));
    assert_true(
        writer_put(&writer, (const char *)data + half * type_size(type), count - half));
    assert_int_equal(fclose(writer.stream), 0);
    return bytes;
}

static void raw_and_npy(void **state)
{
    unsigned char data[3 * 8], header[NPY_MOST_WRITTEN];

    (void)state;
    for (size_t i = 0; i < sizeof(data); i++) {
        data[i] = (unsigned char)(250 - 7 * i);
    }
    for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; type++) {
        for (size_t count = 0; count <= 3; count += 3) {
            const size_t data_size = count * type_size(type);
            size_t size;
            char *bytes = write_all(FORMAT_RAW, type, data, count, &size);
            assert_int_equal(size, data_size);
            assert_memory_equal(bytes, data, data_size);
            free(bytes);
            bytes = write_all(FORMAT_NPY, type, data, count, &size);
            npy_write(header, type, NULL, false, &(struct npy_shape){ 1, { count } });
            assert_int_equal(size, NPY_WRITTEN + data_size);
            assert_memory_equal(bytes, header, NPY_WRITTEN);
            assert_memory_equal(bytes + NPY_WRITTEN, data, data_size);
            free(bytes);
        }
    }
}

static void check_text(clfold_type type, const void *data, size_t count,
                       const char *expected)
{
    size_t size;
    char *const bytes = write_all(FORMAT_TEXT, type, data, count, &size);

    assert_int_equal(size, strlen(expected));
    assert_memory_equal(bytes, expected, size);
    free(bytes);
}

static void text(void **state)
{
    static const int8_t i8[] = { -128, 0, 127 };
    static const uint64_t u64[] = { UINT64_MAX, 1 };
    static const float f32[] = { 0.1f, -1e30f, 3 };
    static const double f64[] = { 0.1, 1e300 };
    static const cl_half f16[] = { 0x3c00, 0x7c00, 0xfbff };

    (void)state;
    check_text(CLFOLD_I8, i8, 3, "-128\n0\n127\n");
    check_text(CLFOLD_U64, u64, 2, "18446744073709551615\n1\n");
    check_text(CLFOLD_F32, f32, 3, "0.1\n-1e+30\n3\n");
    check_text(CLFOLD_F64, f64, 2, "0.1\n1e+300\n");
    check_text(CLFOLD_F16, f16, 3, "1\ninf\n-65504\n");
    check_text(CLFOLD_F32, f32, 0, "");
}

/* Arrays, and elements of two numbers, in portions that end inside rows. */
static void text_of_arrays(void **state)
{
    static const uint8_t data[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    static const clfold_layout pairs = {
        .out_size = 2,
        .num_fields = 2,
        .fields = { { .type = CLFOLD_U8 }, { .type = CLFOLD_U8, .offset = 1 } }
    };
    static const struct {
        struct npy_shape shape;
        const clfold_layout *layout;
        const char *text;
    } cases[] = {
        { { 0, { 0 } }, NULL, "0\n" },
        { { 1, { 3 } }, NULL, "0\n1\n2\n" },
        { { 2, { 2, 3 } }, NULL, "0 1 2\n3 4 5\n" },
        { { 2, { 3, 1 } }, NULL, "0\n1\n2\n" },
        { { 2, { 0, 3 } }, NULL, "" },
        { { 3, { 2, 1, 3 } }, NULL, "0 1 2\n\n3 4 5\n" },
        { { 4, { 2, 2, 1, 2 } }, NULL, "0 1\n\n2 3\n\n\n4 5\n\n6 7\n" },
        { { 0, { 0 } }, &pairs, "0 1\n" },
        { { 1, { 2 } }, &pairs, "0 1\n2 3\n" },
        { { 2, { 2, 2 } }, &pairs, "0 1\n2 3\n\n4 5\n6 7\n" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct npy_shape *const shape = &cases[i].shape;
        const size_t element = cases[i].layout ? 2 : 1;
        size_t count = 1, size;
        char *bytes = NULL;
        struct writer writer = { .stream = open_memstream(&bytes, &size),
                                 .format = FORMAT_TEXT,
                                 .type = CLFOLD_U8,
                                 .layout = cases[i].layout,
                                 .shape = shape };
        for (int d = 0; d < shape->num; d++) {
            count *= shape->sizes[d];
        }
        assert_true(writer_put(&writer, data, count / 2));
        assert_true(writer_put(&writer, data + count / 2 * element, count - count / 2));
        assert_int_equal(fclose(writer.stream), 0);
        assert_string_equal(bytes, cases[i].text);
        free(bytes);
    }
}

/* Bits that no short decimal has come back through number_parse. */
static void text_reads_back(void **state)
{
    double data[100];
    uint64_t bits = 0x3ff123456789abcd;
    size_t size;

    (void)state;
    for (size_t i = 0; i < 100; i++) {
        bits += 0x0003456789abcdef;
        memcpy(&data[i], &bits, sizeof(bits));
    }
    char *const bytes = write_all(FORMAT_TEXT, CLFOLD_F64, data, 100, &size);
    char *line = bytes;
    for (size_t i = 0; i < 100; i++) {
        double value;
        char *const end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        assert_int_equal(number_parse(&value, CLFOLD_F64, line), NUMBER_READ);
        assert_memory_equal(&value, &data[i], sizeof(value));
        line = end + 1;
    }
    assert_ptr_equal(line, bytes + size);
    free(bytes);
}

static void full(void **state)
{
    static const uint32_t data[4];

    (void)state;
    for (enum file_format format = FORMAT_NPY; format <= FORMAT_TEXT; format++) {
        struct writer writer = { .stream = fopen("/dev/full", "w"),
                                 .format = format,
                                 .type = CLFOLD_U32 };
        if (!writer.stream) {
            skip();
        }
        setvbuf(writer.stream, NULL, _IONBF, 0);
        errno = 0;
        if (format == FORMAT_NPY) {
            assert_false(writer_begin(&writer, 4));
        } else {
            assert_true(writer_begin(&writer, 4));
        }
        assert_false(writer_put(&writer, data, 4));
        assert_int_equal(errno, ENOSPC);
        fclose(writer.stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names), cmocka_unit_test(raw_and_npy),
        cmocka_unit_test(text),  cmocka_unit_test(text_reads_back),
        cmocka_unit_test(full),  cmocka_unit_test(text_of_arrays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
