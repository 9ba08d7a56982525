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
        { "# 1\n2 #3\n 4# 5,6\r\n7", { 2, 4, 7 }, 3 },
        { "1, # and\n2\n#", { 1, 2 }, 2 },
        { "##\n#\n", { 0 }, 0 },
        { "\"1\", \"2\" \"-3\"\n\"4\"#\"", { 1, 2, -3, 4 }, 4 },
        { "\n\n10 \n\n\n +20,-30,32767 \n-32768", { 10, 20, -30, 32767, -32768 }, 5 },
    };
    struct text text;
    struct message message;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const size_t size = 2 * cases[i].count, length = strlen(cases[i].text);
        for (size_t piece = 1; piece <= length + 1; piece++) {
            text_init(&text, CLFOLD_I16);
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
        { ",", CLFOLD_I8, "line 1, byte 1: a comma with no number before it" },
        { ",1", CLFOLD_I8, "line 1, byte 1: a comma with no number before it" },
        { "\n \t,1", CLFOLD_I8, "line 2, byte 3: a comma with no number before it" },
        { "1,,2", CLFOLD_I8, "line 1, byte 3: a comma with no number before it" },
        { "1, \r\n ,2", CLFOLD_I8, "line 2, byte 2: a comma with no number before it" },
        { "1,", CLFOLD_I8, "line 1, byte 2: a comma with no number after it" },
        { "1\n2 , \n\n", CLFOLD_I8, "line 2, byte 3: a comma with no number after it" },
        { "x", CLFOLD_U64, "line 1, byte 1: \"x\" is not a valid number of type u64" },
        { "1 2\n\n  3 4x 5", CLFOLD_F32,
          "line 3, byte 5: \"4x\" is not a valid number of type f32" },
        { "1 2\r\n3 4.5\r\n", CLFOLD_I32,
          "line 2, byte 3: \"4.5\" is not a valid number of type i32" },
        { "1 2\n3 1e9", CLFOLD_F16,
          "line 2, byte 3: \"1e9\" is out of the range of f16" },
        { "1,-129,3", CLFOLD_I8, "line 1, byte 3: \"-129\" is out of the range of i8" },
        { "1;2", CLFOLD_U8, "line 1, byte 1: \"1;2\" is not a valid number of type u8" },
        { "1# a\n1,,", CLFOLD_U8, "line 2, byte 3: a comma with no number before it" },
        { "\"1\n", CLFOLD_U8, "line 1, byte 1: a quote that is not closed" },
        { "1 \"2\"3", CLFOLD_U8, "line 1, byte 6: text after a closing quote" },
        { "\"1,234\"", CLFOLD_I16,
          "line 1, byte 1: \"1,234\" is not a valid number of type i16" },
        { "\"\"", CLFOLD_I16, "line 1, byte 1: \"\" is not a valid number of type i16" },
        { "\xef\xbb\xbf"
          "1",
          CLFOLD_U8,
          "line 1, byte 1: \"\xef\xbb\xbf"
          "1\" is not a valid number of type u8" },
        { "000000000000000000000000000000000000000000000000000000000000", CLFOLD_U8,
          NULL },
        { "00000000000000000000000000000000000000000000000000000000000000000000000000x",
          CLFOLD_U8,
          "line 1, byte 1: "
          "\"000000000000000000000000000000000000000000000000000000000000"
          "...\" is not a valid number of type u8" },
    };
    struct text text;
    struct message message;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const size_t length = strlen(cases[i].text);
        for (size_t piece = 1; piece <= length; piece++) {
            text_init(&text, cases[i].type);
            const bool done = feed(&text, cases[i].text, length, piece, &message);
            assert_int_equal(done, !cases[i].sentence);
            if (!done) {
                assert_string_equal(message.text, cases[i].sentence);
            }
            text_finish(&text);
        }
    }

    text_init(&text, CLFOLD_U8);
    assert_false(feed(&text, "1 2\0003", 5, 5, &message));
    assert_string_equal(message.text,
                        "line 1, byte 3: \"2?3\" is not a valid number of type u8");
    text_finish(&text);
}

/* ---- Lines, columns and separators ---- */

/* What is read of the text by the form, as numbers with a space after each, or the
 * sentence of the failure, where 2:3 is for line 2, byte 3; pieces have every size, and
 * their numbers are taken away. */
static void check_form(const char *bytes, struct text_form form, const char *expected)
{
    const size_t length = strlen(bytes);
    struct text text;
    struct message message;
    char sentence[256];
    unsigned line, column;
    int end = 0;

    if (sscanf(expected, "%u:%u %n", &line, &column, &end) == 2) {
        snprintf(sentence, sizeof(sentence), "line %u, byte %u: %s", line, column,
                 expected + end);
        expected = sentence;
    }
    for (size_t piece = 1; piece <= length + 1; piece++) {
        char got[1024] = "", *at = got;
        bool done = true;
        text_init(&text, CLFOLD_I16);
        text.form = form;
        for (size_t i = 0; i <= length && done; i += piece) {
            const size_t rest = length - i;
            done = text_feed(&text, bytes + i, rest < piece ? rest : piece, &message) &&
                   (rest > piece || text_end(&text, &message));
            for (size_t k = 0; k < text.size; k += 2) {
                int16_t value;
                memcpy(&value, text.data + k, 2);
                at += sprintf(at, "%d ", value);
            }
            text.size = 0;
            if (rest <= piece) {
                break;
            }
        }
        if (strcmp(done ? got : message.text, expected) != 0) {
            fail_msg("\"%s\" in pieces of %zu: \"%s\", and not \"%s\"", bytes, piece,
                     done ? got : message.text, expected);
        }
        text_finish(&text);
    }
}

#define COLUMN(n) .column = #n, .field = n

static void forms(void **state)
{
    static const struct {
        const char *text;
        struct text_form form;
        const char *expected;
    } cases[] = {
        /* lines that are skipped, whatever is in them */
        { "a\n\"b\n1\n2", { .skip = 2 }, "1 2 " },
        { "a\r\n1\r\n", { .skip = 1 }, "1 " },
        { "a\n", { .skip = 1 }, "" },
        { "a", { .skip = 1 }, "" },
        { "", { .skip = 1 }, "has 0 lines, and --skip 1 needs as many" },
        { "a\n", { .skip = 2 }, "has 1 line, and --skip 2 needs as many" },
        { "a\nb", { .skip = 3 }, "has 2 lines, and --skip 3 needs as many" },
        { "a\nx", { .skip = 1 }, "2:1 \"x\" is not a valid number of type i16" },

        /* a separator: lines end, and white space round a number does not count */
        { "1;2\n3 ; 4\r\n\n # c;\n\"5\";6 # d", { .separator = ';' }, "1 2 3 4 5 6 " },
        { "1\t2\n3\t4", { .separator = '\t' }, "1 2 3 4 " },
        { "1 2\n3 4", { .separator = ' ' }, "1 2 3 4 " },
        { "1,2\n3", { .separator = ',' }, "1 2 3 " },
        { "1 2;3",
          { .separator = ';' },
          "1:1 \"1 2\" is not a valid number of type i16" },
        { "1,2;3",
          { .separator = ';' },
          "1:1 \"1,2\" is not a valid number of type i16" },
        { "1;;2", { .separator = ';' }, "1:3 a separator with no number before it" },
        { "1\n;2", { .separator = ';' }, "2:1 a separator with no number before it" },
        { "1; \n2", { .separator = ';' }, "1:2 a separator with no number after it" },
        { "1;2;", { .separator = ';' }, "1:4 a separator with no number after it" },
        { "\"1\" 2;3", { .separator = ';' }, "1:5 text after a closing quote" },

        /* a column by its number */
        { "a,1\nb,2", { COLUMN(2) }, "1 2 " },
        { "1 a\n\n2\n 3 , b#\n#", { COLUMN(1) }, "1 2 3 " },
        { "a,,1,\n , ,2", { COLUMN(3) }, "1 2 " },
        { "h\n\"a,\"\"\n#\", 1 #\n\"\",\"2\"\r\n",
          { .skip = 1, .separator = ',', COLUMN(2) },
          "1 2 " },
        { "New York;1\nab\"c;2", { .separator = ';', COLUMN(2) }, "1 2 " },
        { "a,2020\n1,2\n",
          { COLUMN(2020) },
          "line 1: has 2 of the 2020 fields that --column 2020 needs; --column =2020 "
          "takes the one of that name" },
        { "1;2;3\n4;5\n",
          { .separator = ';', COLUMN(3) },
          "line 2: has 2 of the 3 fields that --column 3 needs" },
        { "1;\"a\nb\";3\n\n\"4\n\";5\n",
          { .separator = ';', COLUMN(3) },
          "line 4: has 2 of the 3 fields that --column 3 needs" },
        { "1 2\n3 # 4",
          { COLUMN(2) },
          "line 2: has 1 of the 2 fields that --column 2 needs" },
        { "1,,3", { COLUMN(2) }, "1:3 --column 2 is empty" },
        { "1,2\n3,\n", { COLUMN(2) }, "2:2 --column 2 is empty" },
        { "1,2\n,3", { COLUMN(1) }, "2:1 --column 1 is empty" },
        { "1,x\n", { COLUMN(2) }, "1:3 \"x\" is not a valid number of type i16" },
        { "1,\"2\n3", { COLUMN(1) }, "1:3 a quote that is not closed" },
        { "", { COLUMN(2) }, "" },

        /* a column by its name */
        { "a,b\n1,2\n3,4", { .column = "b" }, "2 4 " },
        { "x\n# made\n\n a b # c\n1 2", { .skip = 1, .column = "a" }, "1 " },
        { "\"a;\"\"b\n\" ; c\n1;2", { .separator = ';', .column = "a;\"b\n" }, "1 " },
        { "a b;c\n1;2", { .separator = ';', .column = "a b" }, "1 " },
        { ",a,\n1,2,3", { .column = "a" }, "2 " },
        { "a,b,", { .column = "b" }, "" },
        { "2,1\n3,4", { .column = "=1" }, "4 " },
        { "=1,1\n3,4", { .column = "==1" }, "3 " },
        { "a,b\n1,2",
          { .column = "c" },
          "line 1: has no column with the name c; its names are a, b" },
        { "a,b\n1,2",
          { .column = "=2" },
          "line 1: has no column with the name 2; its names are a, b" },
        { ",\"B\nb\",\n",
          { .column = "B" },
          "line 1: has no column with the name B; its names are B b" },
        { ",,\n", { .column = "c" }, "line 1: has no column with the name c" },
        { "1\n#\na\n",
          { .skip = 1, .column = "c" },
          "line 3: has no column with the name c; its names are a" },
        { "b,a,b\n1,2,3",
          { .column = "b" },
          "line 1: columns 1 and 3 are both named b; give --column one of the numbers" },
        { "a,b\n1\n",
          { .column = "b" },
          "line 2: has 1 of the 2 fields that --column b needs" },
        { "a,b\n1,\n", { .column = "b" }, "2:2 --column b is empty" },
        { "#\n\n", { .column = "b" }, "has no header for --column b" },
        { "", { .column = "b" }, "has no header for --column b" },

        /* missing fields, of whose bits an i16 has none; lines end */
        { "1,,2,NA N/A \"\",3", { .missing = MISSING_SKIP }, "1 2 3 " },
        { ",1,\n,\n\n# ,\n2,#\n", { .missing = MISSING_SKIP }, "1 2 " },
        { ",1,\n,\n\n# ,\n2,#\n", { .missing = MISSING_NAN }, "0 1 0 0 0 2 0 " },
        { "1; ; NA ;2;", { .separator = ';', .missing = MISSING_NAN }, "1 0 0 2 0 " },
        { "a,NA\nNA,1\n,\n\n3,N/A\n4,\"\"\nx, NA # c\n5,6",
          { .column = "NA", .missing = MISSING_SKIP },
          "1 6 " },
        { "1,\n,2\n3,4", { COLUMN(1), .missing = MISSING_NAN }, "1 0 3 " },
        { "1 na",
          { .missing = MISSING_SKIP },
          "1:3 \"na\" is not a valid number of type i16" },
        { "1 NAN",
          { .missing = MISSING_NAN },
          "1:3 \"NAN\" is not a valid number of type i16" },
        { "1\n2,3",
          { COLUMN(2), .missing = MISSING_SKIP },
          "line 1: has 1 of the 2 fields that --column 2 needs; --column =2 takes the "
          "one of that name" },
        { "1 NA", { 0 }, "1:3 \"NA\" is not a valid number of type i16" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_form(cases[i].text, cases[i].form, cases[i].expected);
    }
}

/* Long names, and many, are cut where they cannot break a character. */
static void names(void **state)
{
    char header[4096], expected[1024], *at = header;

    (void)state;
    at = stpcpy(at, "0123456789012345678901234567890123456789,"
                    "01234567890123456789012345678901234567\xe2\x82\xac+");
    for (int i = 0; i < 300; i++) {
        at += sprintf(at, ",n%d", i);
    }
    strcpy(at, "\n");
    at = stpcpy(expected, "line 1: has no column with the name n; its names are "
                          "0123456789012345678901234567890123456789, "
                          "01234567890123456789012345678901234567...");
    for (int i = 0; i < 79; i++) {
        at += sprintf(at, ", n%d", i);
    }
    strcpy(at, " and 221 more");
    check_form(header, (struct text_form){ .column = "n" }, expected);
}

/* Of elements of three numbers, all that have a missing one are left out. */
static void skipped_elements(void **state)
{
    static const char bytes[] = "1 2 3 NA 4 5\n6 NA 7\n\n8 9\n10, 11,,12,13 14,15";
    static const int16_t expected[] = { 1, 2, 3, 8, 9, 10, 13, 14, 15 };
    struct message message;

    (void)state;
    for (size_t piece = 1; piece <= sizeof(bytes); piece++) {
        int16_t got[16];
        size_t size = 0;
        struct text text;
        text_init(&text, CLFOLD_I16);
        text.form.missing = MISSING_SKIP;
        text.numbers = 3;
        for (size_t i = 0; i < sizeof(bytes) - 1; i += piece) {
            const size_t rest = sizeof(bytes) - 1 - i;
            assert_true(
                text_feed(&text, bytes + i, rest < piece ? rest : piece, &message));
            size += text_take(&text, (char *)got + size, sizeof(got) - size);
        }
        assert_true(text_end(&text, &message));
        size += text_take(&text, (char *)got + size, sizeof(got) - size);
        assert_int_equal(size, sizeof(expected));
        assert_memory_equal(got, expected, size);
        text_finish(&text);
    }
}

/* Only what is kept has a length that matters. */
static void long_fields(void **state)
{
    static char line[3 * TEXT_WORD];
    struct text_form form = { .column = "2", .field = 2 };

    (void)state;
    memset(line, 'a', 2 * TEXT_WORD);
    strcpy(line + 2 * TEXT_WORD, ",7");
    check_form(line + TEXT_WORD - 1, form, "7 ");
    strcpy(line + TEXT_WORD, ",b\n1,2");
    form = (struct text_form){ .column = "b" };
    check_form(line, form, "2 ");
    memmove(line + 1, line, TEXT_WORD + 10);
    check_form(line, form,
               "line 1, byte 1: "
               "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...\" "
               "is too long for a name");
}

/* Every comma with exactly three digits after it; the place is the first one's. */
static void thousands(void **state)
{
    static const struct {
        const char *text;
        struct text_form form;
        const char *place; /* NULL: no warning */
    } cases[] = {
        { "1,234", { 0 }, "line 1, byte 2: " },
        { "5\n61,234.5 7\n1,234,567\n", { 0 }, "line 2, byte 3: " },
        { "1,234#,1\n", { 0 }, "line 1, byte 2: " },
        { "a,1\n1,234\n", { .skip = 1 }, "line 2, byte 2: " },
        { "1 2,345", { .column = "1", .field = 1 }, "line 1, byte 4: " },
        { "1 2 3", { 0 }, NULL },
        { "1,234 5,67", { 0 }, NULL },
        { "1,2345", { 0 }, NULL },
        { "1,234,5", { 0 }, NULL },
        { "1, 234", { 0 }, NULL },
        { "1,23\n4,567", { 0 }, NULL },
        { "1,234", { .separator = ',' }, NULL },
        { "1;234", { .separator = ';' }, NULL },
        { "a,b\n1,234", { .column = "b" }, NULL },
        { "\"1,234\" 5", { .column = "2", .field = 2 }, NULL },
        { "1 # 1,234\n", { 0 }, NULL },
    };
    struct text text;
    struct message message;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const size_t length = strlen(cases[i].text);
        for (size_t piece = 1; piece <= length; piece++) {
            text_init(&text, CLFOLD_F64);
            text.form = cases[i].form;
            assert_true(feed(&text, cases[i].text, length, piece, &message));
            if (text_warning(&text, &message) != (cases[i].place != NULL)) {
                fail_msg("\"%s\": a warning or none", cases[i].text);
            }
            if (cases[i].place) {
                assert_memory_equal(message.text, cases[i].place, strlen(cases[i].place));
                assert_non_null(strstr(message.text, "may separate thousands"));
            }
            text_finish(&text);
        }
    }
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
    text_init(&text, CLFOLD_F64);
    assert_true(feed(&text, word, TEXT_WORD, 1000, &message));
    memcpy(&value, text.data, sizeof(value));
    assert_true(value == 1);
    text_finish(&text);

    text_init(&text, CLFOLD_F64);
    assert_false(feed(&text, word, TEXT_WORD + 1, 1000, &message));
    assert_string_equal(
        message.text,
        "line 1, byte 1: \"1.0000000000000000000000000000000000000000000000000000000000"
        "...\" is longer than any number of type f64");
    text_finish(&text);

    /* the longest that any double is */
    const int length = snprintf(word, sizeof(word), "-%.1074f", DBL_MAX);
    assert_true(length > 1000 && length < TEXT_WORD);
    text_init(&text, CLFOLD_F64);
    assert_true(feed(&text, word, (size_t)length, 7, &message));
    memcpy(&value, text.data, sizeof(value));
    assert_true(value == -DBL_MAX);
    text_finish(&text);
}

/* Every type, more than the first memory holds. Numbers are taken in parts, and later
 * ones go on from there. */
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

        text_init(&text, type);
        if (!feed(&text, bytes, 3 * COUNT, 4096, &message)) {
            fail_msg("%s: %s", type_name(type), message.text);
        }
        assert_int_equal(text.size, COUNT * size);
        for (size_t i = 0, got; i < COUNT; i += got) {
            char values[997 * 8];
            got = text_take(&text, values, 997 * size) / size;
            assert_int_equal(got, COUNT - i < 997 ? COUNT - i : 997);
            for (size_t j = 0; j < got; j++) {
                number_print(number, type, values + j * size);
                const long digit = (long)((i + j) % 10);
                assert_int_equal(strtol(number, NULL, 10), digit % 5 ? digit : 0);
            }
        }
        assert_int_equal(text_take(&text, number, size), 0);
        assert_true(feed(&text, "7 ", 2, 1, &message));
        assert_int_equal(text_take(&text, number, 8), size);
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
        cmocka_unit_test(forms),      cmocka_unit_test(long_fields),
        cmocka_unit_test(thousands),  cmocka_unit_test(growing),
        cmocka_unit_test(names),      cmocka_unit_test(skipped_elements),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
