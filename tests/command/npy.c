/* The .npy header: every form that numpy writes, and every way to be wrong. */
#include "npy.h"
#include "types.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER(descr, shape)                                                             \
    "{'descr': " descr ", 'fortran_order': False, 'shape': " shape "}"
#define DTYPE(name) HEADER("'" name "'", "(1,)")

/* In memory of its exact size, so that an address sanitizer sees a read beyond it. */
static bool read_text(const char *text, size_t length, struct npy *npy,
                      struct message *message)
{
    char *const copy = malloc(length ? length : 1);

    assert_non_null(copy);
    memcpy(copy, text, length);
    strcpy(message->text, "untouched");
    *npy = (struct npy){ 0 };
    const bool done = npy_read_text(copy, length, npy, message);
    free(copy);
    return done;
}

static void accepted(void **state)
{
    static const struct {
        const char *text;
        clfold_type type;
        uint64_t count;
    } cases[] = {
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }    \n", CLFOLD_F32,
          3 },
        { HEADER("'<f8'", "()"), CLFOLD_F64, 1 },
        { HEADER("'<f2'", "(2, 3, 4)"), CLFOLD_F16, 24 },
        { HEADER("'|i1'", "(0,)"), CLFOLD_I8, 0 },
        { HEADER("'|u1'", "(5, 0, 7)"), CLFOLD_U8, 0 },
        { HEADER("'>u1'", "(5,)"), CLFOLD_U8, 5 },
        { HEADER("'<i2'", "(5,)"), CLFOLD_I16, 5 },
        { HEADER("'<u2'", "(5,)"), CLFOLD_U16, 5 },
        { HEADER("'<i4'", "(5,)"), CLFOLD_I32, 5 },
        { HEADER("'<u4'", "(5,)"), CLFOLD_U32, 5 },
        { HEADER("'<i8'", "(5,)"), CLFOLD_I64, 5 },
        { HEADER("'<u8'", "(5,)"), CLFOLD_U64, 5 },
        { HEADER("'|b1'", "(5,)"), CLFOLD_U8, 5 },
        { HEADER("'f4'", "(5,)"), CLFOLD_F32, 5 },
        { HEADER("'=f4'", "(5,)"), CLFOLD_F32, 5 },
        /* any order of keys, quotes and space */
        { "{\"shape\":(2,2),\"fortran_order\":False,\"descr\":\"<f4\"}", CLFOLD_F32, 4 },
        { " { 'shape' :\t( 2 , 2 , ) , 'fortran_order' : False , 'descr' : '<f4' } \n",
          CLFOLD_F32, 4 },
        /* Python 2 */
        { HEADER("'<f4'", "(3L, 4L)"), CLFOLD_F32, 12 },
        /* Fortran order of what has one long dimension is C order */
        { "{'descr': '<f4', 'fortran_order': True, 'shape': (3,), }", CLFOLD_F32, 3 },
        { "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 3, 1), }", CLFOLD_F32,
          3 },
        { "{'descr': '<f4', 'fortran_order': True, 'shape': (), }", CLFOLD_F32, 1 },
        /* 2^63 - 8 bytes */
        { HEADER("'<f8'", "(1152921504606846975,)"), CLFOLD_F64, 1152921504606846975u },
    };
    struct npy npy;
    struct message message;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (!read_text(cases[i].text, strlen(cases[i].text), &npy, &message)) {
            fail_msg("%s: %s", cases[i].text, message.text);
        }
        assert_int_equal(npy.type, cases[i].type);
        assert_int_equal(npy.is_bool, strstr(cases[i].text, "b1") != NULL);
        assert_int_equal(npy.count, cases[i].count);
        assert_int_equal(npy.bytes, cases[i].count * type_size(cases[i].type));
    }
}

/* Two numbers each, also in Fortran order, whose dimensions are those of the pairs. */
static void complex_numbers(void **state)
{
    static const struct npy_shape shape = { 2, { 3, 4 } };
    static const clfold_layout pairs = { .num_fields = 2 };
    unsigned char header[NPY_MOST_WRITTEN];
    char text[100];
    struct npy npy;
    struct message message;

    (void)state;
    for (clfold_type type = CLFOLD_F32; type <= CLFOLD_F64; type++) {
        const size_t size = 2 * type_size(type);
        snprintf(text, sizeof(text),
                 "{'descr': 'c%zu', 'fortran_order': True, 'shape': (3, 4)}", size);
        assert_true(read_text(text, strlen(text), &npy, &message));
        assert_true(npy.is_complex);
        assert_int_equal(npy.type, type);
        assert_int_equal(npy.element, size);
        assert_int_equal(npy.bytes, 12 * size);
        assert_int_equal(npy.last, 2);
        assert_int_equal(npy.num_dimensions, 2);
        const size_t length = npy_write(header, type, &pairs, true, &shape);
        assert_true(read_text((const char *)header + NPY_PREFIX + 2,
                              length - NPY_PREFIX - 2, &npy, &message));
        assert_true(npy.is_complex && npy.type == type && npy.bytes == 12 * size);
    }
}

/* Only what has more than one byte has an order. */
static void byte_orders(void **state)
{
    const uint16_t one = 1;
    const bool little = *(const unsigned char *)&one == 1;
    static const char *const kinds[] = { "i1", "u1", "i2", "u2", "i4", "u4",
                                         "i8", "u8", "f2", "f4", "f8" };
    static const char orders[] = "<>=|";
    char text[100];
    struct npy npy;
    struct message message;

    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        for (const char *order = orders; *order; order++) {
            snprintf(text, sizeof(text), HEADER("'%c%s'", "(2,)"), *order, kinds[i]);
            assert_true(read_text(text, strlen(text), &npy, &message));
            assert_int_equal(npy.type,
                             type_find(kinds[i][0], (unsigned long)(kinds[i][1] - '0')));
            const bool swapped = kinds[i][1] != '1' && *order == (little ? '>' : '<');
            if (npy.swapped != swapped) {
                fail_msg("%s: swapped is %d", text, npy.swapped);
            }
        }
    }
}

static void refused(void **state)
{
    static const struct {
        const char *text, *part; /* of the sentence */
    } cases[] = {
        { "", "ends where {" },
        { "[]", "{ belongs before \"[]\"" },
        { "{", "ends where a key" },
        { "{}", "without key 'descr'" },
        { "{'descr': '<f4', 'shape': (1,)}", "without key 'fortran_order'" },
        { "{'descr': '<f4', 'fortran_order': False}", "without key 'shape'" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}",
          "an unknown key 'x'" },
        { HEADER("'<f4', 'descr': '<f4'", "(1,)"), "a second key 'descr'" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", "the end" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
          "ends where a comma" },
        { "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}", "a comma" },
        { "{'descr' '<f4'}", "a colon" },
        { "{'descr': <f4}", "a dtype" },
        { "{'descr': '<f4}", "a dtype" },
        { "{'descr': '<f4\n'}", "a dtype" },
        { "{'descr': '<\\x664'}", "a dtype" },
        { "{'descr': 4}", "a dtype" },
        { "{descr: '<f4'}", "a key" },
        { "{'fortran_order': 0}", "True or False" },
        { "{'fortran_order': false}", "True or False" },
        { "{'shape': 3}", "a shape" },
        { "{'shape': [3]}", "a shape" },
        { "{'shape': (3)}", "a comma" },
        { "{'shape': (3 4)}", "a comma" },
        { "{'shape': (3, 4 5)}", "a comma" },
        { "{'shape': (,)}", "a dimension" },
        { "{'shape': (3,,)}", "a dimension" },
        { "{'shape': (3.5,)}", "a comma" },
        { "{'shape': (0x10,)}", "a comma" },
        { "{'shape': (None,)}", "a dimension" },
        { "{'shape': (", "a dimension" },
        { "{'shape': (3, ", "a dimension" },
        { "{'shape': (-1,)}", "negative" },
        { "{'shape': (3, -9223372036854775808)}", "negative" },
        { "{'shape': (99999999999999999999999999,)}", "above 2^64" },
        { "{'shape': (18446744073709551616,)}", "above 2^64" },
        /* overflows, seen in elements, in bytes, and behind a dimension of 0 */
        { HEADER("'<f4'", "(4294967296, 4294967296)"), "more than 2^63 bytes" },
        { HEADER("'<f4'", "(4611686018427387904,)"), "more than 2^63 bytes" },
        { HEADER("'<f8'", "(1152921504606846976,)"), "more than 2^63 bytes" },
        { HEADER("'|u1'", "(9223372036854775808,)"), "more than 2^63 bytes" },
        { HEADER("'<f4'", "(0, 4294967296, 4294967296)"), "more than 2^63 bytes" },
        /* dtypes */
        { DTYPE("|b2"), "dtype '|b2', and only b1, " },
        { DTYPE("|b"), "dtype '|b', and" },
        { DTYPE("|b8"), "dtype '|b8', and" },
        { DTYPE("<c4"), "'<c4', and only b1, " },
        { DTYPE("<c32"), "'<c32', and only b1, " },
        { DTYPE("|O"), "'|O' (object)" },
        { DTYPE("|S5"), "'|S5' (byte string)" },
        { DTYPE("<U5"), "'<U5' (text)" },
        { DTYPE("|V8"), "'|V8' (void" },
        { DTYPE("<M8[ns]"), "(time)" },
        { DTYPE("<x4"), "'<x4' (unknown)" },
        { DTYPE(""), "dtype '' (unknown)" },
        { DTYPE("<"), "dtype '<' (unknown)" },
        { DTYPE("<f"), "dtype '<f', and only" },
        { DTYPE("<f16"), "dtype '<f16', and" },
        { DTYPE("<f1"), "dtype '<f1', and" },
        { DTYPE("<i3"), "dtype '<i3', and" },
        { DTYPE("<i0"), "dtype '<i0', and" },
        { DTYPE("<i04"), "dtype '<i04', and" },
        { DTYPE("<i4x"), "dtype '<i4x', and" },
        { DTYPE("<i4294967300"), "and only" },
        { DTYPE("<i18446744073709551620"), "and only" },
        { HEADER("[('x', '<f4'), ('y]', '<i4')]", "(1,)"),
          "structured dtype [('x', '<f4'), ('y]', '<i4')], and" },
        { "{'descr': [('x', '<f4'), ('y", "structured dtype" },
        { "{'descr': [", "structured dtype" },
        { "{'descr': (('<f4', (2,)))", "structured dtype" },
    };
    struct npy npy;
    struct message message;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (read_text(cases[i].text, strlen(cases[i].text), &npy, &message)) {
            fail_msg("%s was read", cases[i].text);
        }
        if (!strstr(message.text, cases[i].part)) {
            fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].text, message.text,
                     cases[i].part);
        }
    }
}

/* Every shorter text, every text with one other byte: no crash, and a sentence. */
static void damaged(void **state)
{
    static const char text[] = "{'descr': [('a', '<f4')], 'descr': '<f4', "
                               "'fortran_order': False, 'shape': (3, 4)}";
    static const char whole[] =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }  \n";
    const char *const texts[] = { text, whole };
    struct npy npy;
    struct message message;
    int accepted_count = 0;

    (void)state;
    for (size_t t = 0; t < 2; t++) {
        const size_t length = strlen(texts[t]);
        for (size_t i = 0; i < length; i++) {
            if (read_text(texts[t], i, &npy, &message)) {
                /* only the space at the end may be missing */
                assert_int_equal(t, 1);
                assert_int_equal(npy.count, 12);
            }
            char copy[sizeof(text) + sizeof(whole)];
            memcpy(copy, texts[t], length);
            for (int byte = 0; byte < 256; byte++) {
                copy[i] = (char)byte;
                if (read_text(copy, length, &npy, &message)) {
                    accepted_count++;
                    const size_t size = type_size(npy.type) << npy.is_complex;
                    assert_int_equal(npy.bytes, npy.count * size);
                } else {
                    assert_string_not_equal(message.text, "untouched");
                    assert_null(strchr(message.text, '\n'));
                }
            }
        }
    }
    /* the bytes as they were, other digits, other kinds: some are right */
    assert_true(accepted_count > (int)strlen(whole));
}

/* Only what C order would read otherwise tells its dimensions. */
static void fortran_order(void **state)
{
    static const struct {
        const char *text;
        uint64_t count;
        int num_dimensions;
        uint64_t shape[4];
    } cases[] = {
        { "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", 6, 2, { 2, 3 } },
        { "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 4, 1, 2, 3, 1)}",
          24,
          3,
          { 4, 2, 3 } },
        { "{'shape': (3, 2), 'fortran_order': True, 'descr': '>u1'}", 6, 2, { 3, 2 } },
        { HEADER("'<f4'", "(2, 3)"), 6, 0, { 0 } },
        { "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 3)}", 3, 0, { 0 } },
        { "{'descr': '<f4', 'fortran_order': True, 'shape': ()}", 1, 0, { 0 } },
        { "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 0, 3)}", 0, 0, { 0 } },
    };
    char text[1024] = "{'descr': '|u1', 'fortran_order': True, 'shape': (";
    struct npy npy;
    struct message message;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_true(read_text(cases[i].text, strlen(cases[i].text), &npy, &message));
        assert_int_equal(npy.count, cases[i].count);
        assert_int_equal(npy.num_dimensions, cases[i].num_dimensions);
        for (int d = 0; d < npy.num_dimensions; d++) {
            assert_int_equal(npy.shape[d], cases[i].shape[d]);
        }
    }
    /* the most that 63 bits hold, and more than there is room for */
    for (int d = 0; d < 62; d++) {
        strcat(text, "2, 1, ");
    }
    const size_t length = strlen(text);
    strcat(text, ")}");
    assert_true(read_text(text, strlen(text), &npy, &message));
    assert_int_equal(npy.num_dimensions, 62);
    assert_int_equal(npy.count, (uint64_t)1 << 62);
    strcpy(text + length, "2, 2, 2, 2)}");
    assert_false(read_text(text, strlen(text), &npy, &message));
    assert_non_null(strstr(message.text, "2^63"));
}

/* What is written reads back, and begins its data where they are aligned. */
static void written(void **state)
{
    static const uint64_t counts[] = { 0, 1, 1000, INT64_MAX / 8 };
    unsigned char header[NPY_MOST_WRITTEN];
    struct npy npy;
    struct message message;
    size_t length_bytes, length;

    (void)state;
    assert_int_equal(NPY_WRITTEN % 64, 0);
    for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; type++) {
        for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
            const struct npy_shape line = { 1, { counts[i] } };
            assert_int_equal(npy_write(header, type, NULL, false, &line), NPY_WRITTEN);
            assert_true(npy_read_prefix(header, &length_bytes, &message));
            assert_int_equal(length_bytes, 2);
            assert_true(npy_read_length(header + NPY_PREFIX, 2, &length, &message));
            assert_int_equal(NPY_PREFIX + 2 + length, NPY_WRITTEN);
            assert_int_equal(header[NPY_WRITTEN - 1], '\n');
            assert_true(
                read_text((char *)header + NPY_PREFIX + 2, length, &npy, &message));
            assert_int_equal(npy.type, type);
            assert_int_equal(npy.count, counts[i]);
            assert_false(npy.swapped);
            assert_int_equal(npy.num_dimensions, 0);
        }
    }
    npy_write(header, CLFOLD_U8, NULL, false, &(struct npy_shape){ 1, { 12 } });
    assert_memory_equal(header + NPY_PREFIX + 2,
                        "{'descr': '|u1', 'fortran_order': False, 'shape': (12,), }  ",
                        60);
}

/* Of no dimension, of several, and of elements that are a dimension more. */
static void written_shapes(void **state)
{
    static const struct {
        struct npy_shape shape;
        uint32_t more;
        const char *text;
    } cases[] = {
        { { 0 }, 0, "()" },
        { { 0 }, 2, "(2,)" },
        { { 1, { 0 } }, 2, "(0, 2)" },
        { { 2, { 3, 0 } }, 0, "(3, 0)" },
        { { 8, { 1, 2, 3, 4, 5, 6, 7, 8 } }, 4, "(1, 2, 3, 4, 5, 6, 7, 8, 4)" },
    };
    unsigned char header[NPY_MOST_WRITTEN];
    struct npy npy;
    struct message message;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct npy_shape *const shape = &cases[i].shape;
        const clfold_layout layout = { .num_fields = cases[i].more };
        const size_t size =
            npy_write(header, CLFOLD_I16, cases[i].more ? &layout : NULL, false, shape);
        char text[128];
        assert_int_equal(size % 64, 0);
        snprintf(text, sizeof(text),
                 "{'descr': '<i2', 'fortran_order': False, "
                 "'shape': %s, }  ",
                 cases[i].text);
        assert_memory_equal(header + NPY_PREFIX + 2, text, strlen(text));
        assert_true(read_text((char *)header + NPY_PREFIX + 2, size - NPY_PREFIX - 2,
                              &npy, &message));
        assert_int_equal(npy.all.num, shape->num + (cases[i].more > 0));
        for (int k = 0; k < shape->num; k++) {
            assert_int_equal(npy.all.sizes[k], shape->sizes[k]);
        }
    }
}

static void prefixes(void **state)
{
    struct message message;
    size_t length_bytes = 0;
    unsigned char prefix[] = "\x93NUMPY\x01";

    (void)state;
    assert_true(npy_read_prefix(prefix, &length_bytes, &message));
    assert_int_equal(length_bytes, 2);
    prefix[6] = 2;
    assert_true(npy_read_prefix(prefix, &length_bytes, &message));
    assert_int_equal(length_bytes, 4);
    prefix[6] = 3;
    assert_true(npy_read_prefix(prefix, &length_bytes, &message));
    assert_int_equal(length_bytes, 4);

    static const unsigned char versions[][2] = {
        { 0, 0 }, { 4, 0 }, { 1, 1 }, { 255, 255 }
    };
    for (size_t i = 0; i < 4; i++) {
        memcpy(prefix + 6, versions[i], 2);
        assert_false(npy_read_prefix(prefix, &length_bytes, &message));
        assert_non_null(strstr(message.text, "version"));
    }
    memcpy(prefix + 6, "\x01", 2);
    for (size_t i = 0; i < 6; i++) {
        prefix[i] ^= 1;
        assert_false(npy_read_prefix(prefix, &length_bytes, &message));
        assert_non_null(strstr(message.text, "not an .npy file"));
        prefix[i] ^= 1;
    }
}

static void lengths(void **state)
{
    struct message message;
    size_t length = 0;

    (void)state;
    assert_true(npy_read_length((const unsigned char *)"\x76\x01", 2, &length, &message));
    assert_int_equal(length, 0x176);
    assert_true(npy_read_length((const unsigned char *)"\xff\xff", 2, &length, &message));
    assert_int_equal(length, 0xffff);
    assert_true(
        npy_read_length((const unsigned char *)"\0\0\x01\0", 4, &length, &message));
    assert_int_equal(length, NPY_MAX_TEXT);
    assert_false(
        npy_read_length((const unsigned char *)"\x01\0\x01\0", 4, &length, &message));
    assert_non_null(strstr(message.text, "65537"));
    assert_false(
        npy_read_length((const unsigned char *)"\xff\xff\xff\xff", 4, &length, &message));
    assert_non_null(strstr(message.text, "4294967295 bytes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted),        cmocka_unit_test(byte_orders),
        cmocka_unit_test(complex_numbers), cmocka_unit_test(refused),
        cmocka_unit_test(damaged),         cmocka_unit_test(prefixes),
        cmocka_unit_test(lengths),         cmocka_unit_test(written),
        cmocka_unit_test(written_shapes),  cmocka_unit_test(fortran_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
