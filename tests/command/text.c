/* Numbers in text: each number, how they are separated, and where what is wrong is. */
#include "number.h"
#include "text.h"
#include "types.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- One number ---- */

static void check_number(clfold_type type, const char *text, const char *expected)
{
    unsigned char value[8 + 1];
    char back[NUMBER_TEXT];

    memset(value, 0xa5, sizeof(value));
    const enum number_parsed parsed = number_parse(value, type, text);
    if (strcmp(expected, "none") == 0 || strcmp(expected, "range") == 0) {
        if (parsed != (*expected == 'n' ? NUMBER_NONE : NUMBER_RANGE)) {
            fail_msg("%s \"%s\": %d, and not %s", type_name(type), text, (int)parsed,
                     expected);
        }
        return;
    }
    if (parsed != NUMBER_READ) {
        fail_msg("%s \"%s\": %d, and not read", type_name(type), text, (int)parsed);
    }
    number_print(back, type, value);
    if (strcmp(back, expected) != 0) {
        fail_msg("%s \"%s\" is %s, and not %s", type_name(type), text, back, expected);
    }
    assert_int_equal(value[type_size(type)], 0xa5);
}

static void integers(void **state)
{
    static const struct {
        clfold_type type;
        const char *below, *least, *greatest, *above;
    } limits[] = {
        { CLFOLD_I8, "-129", "-128", "127", "128" },
        { CLFOLD_U8, "-1", "0", "255", "256" },
        { CLFOLD_I16, "-32769", "-32768", "32767", "32768" },
        { CLFOLD_U16, "-1", "0", "65535", "65536" },
        { CLFOLD_I32, "-2147483649", "-2147483648", "2147483647", "2147483648" },
        { CLFOLD_U32, "-1", "0", "4294967295", "4294967296" },
        { CLFOLD_I64, "-9223372036854775809", "-9223372036854775808",
          "9223372036854775807", "9223372036854775808" },
        { CLFOLD_U64, "-1", "0", "18446744073709551615", "18446744073709551616" },
    };
    static const char *const none[] = {
        "",
        "-",
        "+",
        "--1",
        "+-1",
        "1-",
        "1.",
        "1.0",
        ".1",
        "1e3",
        "0x1",
        "1L",
        "1u",
        "1_0",
        "a",
        "inf",
        "nan",
        " 1",
        "1 ",
        "1\n",
        "1,2",
        "1;2",
        "\xb2",
        "1\x7f",
        "'1'",
        "1'",
        "/",
        ":",
        "99999999999999999999x",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        const clfold_type type = limits[i].type;
        check_number(type, limits[i].below, "range");
        check_number(type, limits[i].least, limits[i].least);
        check_number(type, limits[i].greatest, limits[i].greatest);
        check_number(type, limits[i].above, "range");
        check_number(type, "184467440737095516160", "range");
        check_number(type, "-99999999999999999999999999", "range");
        check_number(type, "36893488147419103233", "range"); /* 1 in 64 bits */
        check_number(type, "+7", "7");
        check_number(type, "-0", "0");
        check_number(type, "00000000000000000000000000000000042", "42");
        check_number(type, "-7", type_class(type) == TYPE_SIGNED ? "-7" : "range");
        for (size_t n = 0; n < sizeof(none) / sizeof(none[0]); n++) {
            check_number(type, none[n], "none");
        }
    }
}

static void floats(void **state)
{
    static const struct {
        const char *text, *f16, *f32, *f64;
    } cases[] = {
        { "0", "0", "0", "0" },
        { "-0", "-0.0", "-0.0", "-0.0" },
        { "1", "1", "1", "1" },
        { "+1.5", "1.5", "1.5", "1.5" },
        { "-.5", "-0.5", "-0.5", "-0.5" },
        { "2.", "2", "2", "2" },
        { "1e3", "1000", "1000", "1000" },
        { "1E+3", "1000", "1000", "1000" },
        { "25e-2", "0.25", "0.25", "0.25" },
        { "0.0000001e7", "1", "1", "1" },
        { "0e999999999999999999999", "0", "0", "0" },
        { "65504", "65504", "65504", "65504" },
        { "65519.9999999999999999999999999999", "65504", "65520", "65520" },
        { "65520", "range", "65520", "65520" },
        { "-65520", "range", "-65520", "-65520" },
        { "3.4028235e38", "range", "3.4028235e+38", "3.4028235e+38" },
        { "3.5e38", "range", "range", "3.5e+38" },
        { "-1.7976931348623157e308", "range", "range", "-1.7976931348623157e+308" },
        { "1.8e308", "range", "range", "range" },
        { "-1e999999999999999999999", "range", "range", "range" },
        /* too small: subnormal, then zero, with its sign */
        { "1e-45", "0", "1e-45", "1e-45" },
        { "5e-324", "0", "0", "5e-324" },
        { "-1e-400", "-0.0", "-0.0", "-0.0" },
        { "1e-999999999999999999999", "0", "0", "0" },
        { "6e-8", "5.9604645e-08", "6e-08", "6e-08" },
        /* rounded through f64 this would be 1, the even one */
        { "1.000000059604644775390625000000001", "1", "1.0000001", "1.0000000596046448" },
        { "inf", "inf", "inf", "inf" },
        { "-inf", "-inf", "-inf", "-inf" },
        { "+INF", "inf", "inf", "inf" },
        { "Infinity", "inf", "inf", "inf" },
        { "nan", "nan", "nan", "nan" },
        { "-NaN", "nan", "nan", "nan" },
    };
    static const char *const none[] = {
        "",      "-",     "+",      ".",    "-.",    "e3",    ".e3",  "1e",   "1e+",
        "1e1.5", "1.2.3", "1f",     "1.0f", "0x1",   "0x1p3", "0X.8", "infi", "in",
        "infin", "nan()", "nan(1)", "nano", "--1",   "+-1",   "- 1",  "1 ",   " 1",
        "1d3",   "1,5",   "NA",     "null", "1e3e3", "\xb2",  "1_0",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_number(CLFOLD_F16, cases[i].text, cases[i].f16);
        check_number(CLFOLD_F32, cases[i].text, cases[i].f32);
        check_number(CLFOLD_F64, cases[i].text, cases[i].f64);
    }
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        check_number(CLFOLD_F16, none[i], "none");
        check_number(CLFOLD_F32, none[i], "none");
        check_number(CLFOLD_F64, none[i], "none");
    }
}

static double half_value(unsigned bits)
{
    const unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;

    return exponent == 0 ? fraction * 0x1p-24
                         : (fraction + 1024.0) * exp2((double)exponent - 25);
}

static void check_half(const char *sign, const char *magnitude, unsigned expected)
{
    char text[128];
    cl_half value = 0;

    snprintf(text, sizeof(text), "%s%s", sign, magnitude);
    expected |= *sign == '-' ? 0x8000 : 0;
    const enum number_parsed parsed = number_parse(&value, CLFOLD_F16, text);
    if ((expected & 0x7fff) == 0x7c00 ? parsed != NUMBER_RANGE
                                      : parsed != NUMBER_READ || value != expected) {
        fail_msg("f16 \"%s\" is %04x (%d), and not %04x", text, value, (int)parsed,
                 expected);
    }
}

/* Every f16, the middle between it and the next one, and what is so near to that middle
 * on either side that an f64 does not tell them apart. */
static void every_half(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 0x7c00; bits++) {
        const double here = half_value(bits);
        const double next = bits == 0x7bff ? 65536 : half_value(bits + 1);
        char middle[128], above[160], below[160];

        /* 25 places are exact, being those of 2^-25 */
        snprintf(middle, sizeof(middle), "%.25f", (here + next) / 2);
        snprintf(above, sizeof(above), "%s00000000000000001", middle);
        snprintf(below, sizeof(below), "%s99999999999999999", middle);
        char *digit = below + strlen(middle) - 1;
        for (; *digit == '0' || *digit == '.'; digit--) {
            *digit = *digit == '.' ? '.' : '9';
        }
        --*digit;

        char exact[NUMBER_TEXT];
        const cl_half half = (cl_half)bits;
        number_print(exact, CLFOLD_F16, &half);
        for (int minus = 0; minus < 2; minus++) {
            const char *const sign = minus ? "-" : "";
            check_half(sign, exact, bits);
            check_half(sign, below, bits);
            check_half(sign, middle, bits + (bits & 1));
            check_half(sign, above, bits + 1);
        }
    }
}

/* ---- Many ---- */

/* In pieces of `piece` bytes, each in memory of its exact size. */
static bool feed(struct text *text, const char *bytes, size_t size, size_t piece,
                 struct message *message)
{
    bool done = true;

    for (size_t at = 0, length; at < size && done; at += length) {
        length = size - at < piece ? size - at : piece;
        char *const copy = malloc(length);
        assert_non_null(copy);
        memcpy(copy, bytes + at, length);
        done = text_feed(text, copy, length, message);
        free(copy);
    }
    return done && text_end(text, message);
}

static void separators(void **state)
{
    static const struct {
        const char *text;
        int16_t numbers[5];
        size_t count;
    } cases[] = {
        { "", { 0 }, 0 },
        { " \t\r\n\v\f\n", { 0 }, 0 },
        { "1", { 1 }, 1 },
        { "1\n", { 1 }, 1 },
        { "  -1", { -1 }, 1 },
        { "1 2", { 1, 2 }, 2 },
        { "1,2", { 1, 2 }, 2 },
        { "1 ,2", { 1, 2 }, 2 },
        { "1, 2", { 1, 2 }, 2 },
        { "1\t\v,\f 2", { 1, 2 }, 2 },
        { "1,\n2", { 1, 2 }, 2 },
        { "1\n,2", { 1, 2 }, 2 },
        { "1\r\n2\r\n3\r\n", { 1, 2, 3 }, 3 },
        { "1,2\r\n3,4\r\n", { 1, 2, 3, 4 }, 4 },
        { "1\r2\r\r3", { 1, 2, 3 }, 3 },
        { "\n\n10 \n\n\n +20,-30,32767 \n-32768", { 10, 20, -30, 32767, -32768 }, 5 },
    };
    struct text text;
    struct message message;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const size_t size = 2 * cases[i].count, length = strlen(cases[i].text);
        for (size_t piece = 1; piece <= length + 1; piece++) {
            text_init(&text, CLFOLD_I16, size);
            if (!feed(&text, cases[i].text, length, piece, &message)) {
                fail_msg("\"%s\": %s", cases[i].text, message.text);
            }
            assert_int_equal(text.size, size);
            if (size > 0) {
                assert_memory_equal(text.data, cases[i].numbers, size);
            }
            text_finish(&text);
        }
    }
}

static void refused(void **state)
{
    static const struct {
        const char *text;
        clfold_type type;
        const char *sentence;
    } cases[] = {
        { ",", CLFOLD_I8, "line 1, column 1: a comma with no number before it" },
        { ",1", CLFOLD_I8, "line 1, column 1: a comma with no number before it" },
        { "\n \t,1", CLFOLD_I8, "line 2, column 3: a comma with no number before it" },
        { "1,,2", CLFOLD_I8, "line 1, column 3: a comma with no number before it" },
        { "1, \r\n ,2", CLFOLD_I8, "line 2, column 2: a comma with no number before it" },
        { "1,", CLFOLD_I8, "line 1, column 2: a comma with no number after it" },
        { "1\n2 , \n\n", CLFOLD_I8, "line 2, column 3: a comma with no number after it" },
        { "x", CLFOLD_U64, "line 1, column 1: \"x\" is no number of type u64" },
        { "1 2\n\n  3 4x 5", CLFOLD_F32,
          "line 3, column 5: \"4x\" is no number of type f32" },
        { "1 2\r\n3 4.5\r\n", CLFOLD_I32,
          "line 2, column 3: \"4.5\" is no number of type i32" },
        { "1 2\n3 1e9", CLFOLD_F16,
          "line 2, column 3: \"1e9\" is out of the range of f16" },
        { "1,-129,3", CLFOLD_I8, "line 1, column 3: \"-129\" is out of the range of i8" },
        { "1;2", CLFOLD_U8, "line 1, column 1: \"1;2\" is no number of type u8" },
        { "# a\n1", CLFOLD_U8, "line 1, column 1: \"#\" is no number of type u8" },
        { "\xef\xbb\xbf"
          "1",
          CLFOLD_U8,
          "line 1, column 1: \"\xef\xbb\xbf"
          "1\" is no number of type u8" },
        { "000000000000000000000000000000000000000000000000000000000000", CLFOLD_U8,
          NULL },
        { "00000000000000000000000000000000000000000000000000000000000000000000000000x",
          CLFOLD_U8,
          "line 1, column 1: "
          "\"000000000000000000000000000000000000000000000000000000000000"
          "...\" is no number of type u8" },
    };
    struct text text;
    struct message message;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const size_t length = strlen(cases[i].text);
        for (size_t piece = 1; piece <= length; piece++) {
            text_init(&text, cases[i].type, 1000);
            const bool done = feed(&text, cases[i].text, length, piece, &message);
            assert_int_equal(done, !cases[i].sentence);
            if (!done) {
                assert_string_equal(message.text, cases[i].sentence);
            }
            text_finish(&text);
        }
    }

    text_init(&text, CLFOLD_U8, 1000);
    assert_false(feed(&text, "1 2\0003", 5, 5, &message));
    assert_string_equal(message.text,
                        "line 1, column 3: \"2?3\" is no number of type u8");
    text_finish(&text);
}

static void long_words(void **state)
{
    char word[TEXT_WORD + 1];
    struct text text;
    struct message message;
    double value;

    (void)state;
    memset(word, '0', sizeof(word));
    word[0] = word[TEXT_WORD - 1] = '1';
    word[1] = '.';
    text_init(&text, CLFOLD_F64, 8);
    assert_true(feed(&text, word, TEXT_WORD, 1000, &message));
    memcpy(&value, text.data, sizeof(value));
    assert_true(value == 1);
    text_finish(&text);

    text_init(&text, CLFOLD_F64, 8);
    assert_false(feed(&text, word, TEXT_WORD + 1, 1000, &message));
    assert_string_equal(
        message.text,
        "line 1, column 1: \"1.0000000000000000000000000000000000000000000000000000000000"
        "...\" is longer than any number of type f64");
    text_finish(&text);

    /* the longest that any double is */
    const int length = snprintf(word, sizeof(word), "-%.1074f", DBL_MAX);
    assert_true(length > 1000 && length < TEXT_WORD);
    text_init(&text, CLFOLD_F64, 8);
    assert_true(feed(&text, word, (size_t)length, 7, &message));
    memcpy(&value, text.data, sizeof(value));
    assert_true(value == -DBL_MAX);
    text_finish(&text);
}

/* Every type, more than the first memory holds; the limit is held to the byte. */
static void growing(void **state)
{
    enum { COUNT = 300000 };
    char *const bytes = malloc(3 * COUNT);
    struct text text;
    struct message message;

    (void)state;
    assert_non_null(bytes);
    for (size_t i = 0; i < COUNT; i++) {
        bytes[3 * i] = i % 5 ? '+' : '-';
        bytes[3 * i + 1] = i % 5 ? (char)('0' + i % 10) : '0';
        bytes[3 * i + 2] = i % 3 ? '\n' : ',';
    }
    bytes[3 * COUNT - 1] = '\n';
    for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; type++) {
        const size_t size = type_size(type);
        char number[NUMBER_TEXT];

        text_init(&text, type, COUNT * size);
        if (!feed(&text, bytes, 3 * COUNT, 4096, &message)) {
            fail_msg("%s: %s", type_name(type), message.text);
        }
        assert_int_equal(text.size, COUNT * size);
        for (size_t i = 0; i < COUNT; i += 997) {
            number_print(number, type, text.data + i * size);
            assert_int_equal(strtol(number, NULL, 10), i % 5 ? (long)(i % 10) : 0);
        }
        text_finish(&text);

        text_init(&text, type, COUNT * size - 1);
        assert_false(feed(&text, bytes, 3 * COUNT, 4096, &message));
        char sentence[200];
        snprintf(sentence, sizeof(sentence),
                 "holds more than the %zu bytes of %s that the device takes in one "
                 "buffer",
                 COUNT * size - 1, type_name(type));
        assert_string_equal(message.text, sentence);
        text_finish(&text);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),   cmocka_unit_test(floats),
        cmocka_unit_test(every_half), cmocka_unit_test(separators),
        cmocka_unit_test(refused),    cmocka_unit_test(long_words),
        cmocka_unit_test(growing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
