/* Numbers as text: read back, they are the same; and no shorter text would be. */
#include "number.h"
#include "random.h"

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
#include <time.h>

static uint64_t random_state;

static int significant_digits(const char *text)
{
    int digits = 0, zeros = 0;

    for (; *text && *text != 'e'; text++) {
        if (*text == '0') {
            zeros += digits > 0;
        } else if (*text >= '1' && *text <= '9') {
            digits += zeros + 1;
            zeros = 0;
        }
    }
    return digits;
}

static void check_f32(uint32_t bits)
{
    char text[NUMBER_TEXT], shorter[64];
    float value, back;

    memcpy(&value, &bits, sizeof(value));
    number_print(text, CLFOLD_F32, &value);
    if (isnan(value)) {
        assert_string_equal(text, "nan");
        return;
    }
    back = strtof(text, NULL);
    if (memcmp(&back, &value, sizeof(value)) != 0) {
        fail_msg("f32 %08" PRIx32 " is printed as %s", bits, text);
    }
    if (isinf(value)) {
        return;
    }
    const int digits = significant_digits(text);
    if (digits > 1) {
        snprintf(shorter, sizeof(shorter), "%.*e", digits - 2, (double)value);
        if (strtof(shorter, NULL) == value) {
            fail_msg("f32 %08" PRIx32 " is printed as %s, and %s is it too", bits, text,
                     shorter);
        }
    }
}

static void check_f64(uint64_t bits)
{
    char text[NUMBER_TEXT], shorter[64];
    double value, back;

    memcpy(&value, &bits, sizeof(value));
    number_print(text, CLFOLD_F64, &value);
    if (isnan(value)) {
        assert_string_equal(text, "nan");
        return;
    }
    back = strtod(text, NULL);
    if (memcmp(&back, &value, sizeof(value)) != 0) {
        fail_msg("f64 %016" PRIx64 " is printed as %s", bits, text);
    }
    if (isinf(value)) {
        return;
    }
    const int digits = significant_digits(text);
    if (digits > 1) {
        snprintf(shorter, sizeof(shorter), "%.*e", digits - 2, value);
        if (strtod(shorter, NULL) == value) {
            fail_msg("f64 %016" PRIx64 " is printed as %s, and %s is it too", bits, text,
                     shorter);
        }
    }
}

static void round_trip_f32(void **state)
{
    (void)state;
    for (uint32_t exponent = 0; exponent < 512; exponent++) {
        check_f32(exponent << 23);
        check_f32((exponent << 23) + 1);
        check_f32((exponent << 23) - 1);
    }
    for (int i = 0; i < 300000; i++) {
        check_f32((uint32_t)next_random(&random_state));
        check_f32((uint32_t)next_random(&random_state) & 0x807fffff); /* subnormal */
    }
}

static void round_trip_f64(void **state)
{
    (void)state;
    for (uint64_t exponent = 0; exponent < 4096; exponent++) {
        check_f64(exponent << 52);
        check_f64((exponent << 52) + 1);
        check_f64((exponent << 52) - 1);
    }
    for (int i = 0; i < 100000; i++) {
        check_f64(next_random(&random_state));
        check_f64(next_random(&random_state) & 0x800fffffffffffffu);
    }
}

/* All of them: by hand, sign * fraction * 2^exponent in exact doubles. */
static void round_trip_f16(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 65536; bits++) {
        const cl_half half = (cl_half)bits;
        const unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
        double expected = exponent == 0
                              ? fraction * 0x1p-24
                              : (fraction + 1024.0) * exp2((double)exponent - 25);
        char text[NUMBER_TEXT];

        number_print(text, CLFOLD_F16, &half);
        if (exponent == 31) {
            assert_string_equal(text, fraction ? "nan" : bits >> 15 ? "-inf" : "inf");
            continue;
        }
        expected = bits >> 15 ? -expected : expected;
        if (strtof(text, NULL) != expected ||
            (signbit(strtod(text, NULL)) != 0) != (bits >> 15 != 0)) {
            fail_msg("f16 %04x is printed as %s", bits, text);
        }
    }
}

static void check_text(clfold_type type, const void *value, const char *expected)
{
    char text[NUMBER_TEXT];

    number_print(text, type, value);
    assert_string_equal(text, expected);
}

static void as_people_write_them(void **state)
{
    static const struct {
        double value;
        const char *f32, *f64;
    } cases[] = {
        { 0, "0", "0" },
        { -0.0, "-0.0", "-0.0" },
        { 1, "1", "1" },
        { -1.5, "-1.5", "-1.5" },
        { 100, "100", "100" },
        { 0.1, "0.1", "0.1" },
        { 16777216, "16777216", "16777216" },
        { 1e300, "inf", "1e+300" },
        { (double)FLT_MAX, "3.4028235e+38", "3.4028234663852886e+38" },
        { (double)FLT_TRUE_MIN, "1e-45", "1.401298464324817e-45" },
        { DBL_MAX, "inf", "1.7976931348623157e+308" },
        { DBL_TRUE_MIN, "0", "5e-324" },
        { (double)INFINITY, "inf", "inf" },
        { -(double)INFINITY, "-inf", "-inf" },
        { (double)NAN, "nan", "nan" },
        { -(double)NAN, "nan", "nan" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const double wide = cases[i].value;
        const float single = (float)wide;
        check_text(CLFOLD_F32, &single, cases[i].f32);
        check_text(CLFOLD_F64, &wide, cases[i].f64);
    }
}

static void integers(void **state)
{
    (void)state;
    check_text(CLFOLD_I8, &(cl_char){ INT8_MIN }, "-128");
    check_text(CLFOLD_U8, &(cl_uchar){ UINT8_MAX }, "255");
    check_text(CLFOLD_I16, &(cl_short){ INT16_MIN }, "-32768");
    check_text(CLFOLD_U16, &(cl_ushort){ UINT16_MAX }, "65535");
    check_text(CLFOLD_I32, &(cl_int){ INT32_MIN }, "-2147483648");
    check_text(CLFOLD_I32, &(cl_int){ INT32_MAX }, "2147483647");
    check_text(CLFOLD_U32, &(cl_uint){ UINT32_MAX }, "4294967295");
    check_text(CLFOLD_I64, &(cl_long){ INT64_MIN }, "-9223372036854775808");
    check_text(CLFOLD_I64, &(cl_long){ INT64_MAX }, "9223372036854775807");
    check_text(CLFOLD_U64, &(cl_ulong){ UINT64_MAX }, "18446744073709551615");
    check_text(CLFOLD_U64, &(cl_ulong){ 0 }, "0");
}

int main(void)
{
    const char *const given = getenv("CLFOLD_TEST_SEED");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip_f32),       cmocka_unit_test(round_trip_f64),
        cmocka_unit_test(round_trip_f16),       cmocka_unit_test(integers),
        cmocka_unit_test(as_people_write_them),
    };

    random_state = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    printf("# CLFOLD_TEST_SEED=%" PRIu64 "\n", random_state);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
