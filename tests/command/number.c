/* Numbers as text: read back, they are the same; and no shorter text would be. */
#include "number.h"
#include "random.h"

#include "test.h"

#include <inttypes.h>
#include <math.h>
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

static bool reads_back(const char *text, clfold_type type, uint64_t bits)
{
    uint64_t back = 0;

    if (type == CLFOLD_F32) {
        memcpy(&back, &(float){ strtof(text, NULL) }, sizeof(float));
    } else {
        memcpy(&back, &(double){ strtod(text, NULL) }, sizeof(double));
    }
    return back == bits;
}

/* The f32 or f64 of these bits. */
static void check_float(clfold_type type, uint64_t bits)
{
    const uint32_t narrow = (uint32_t)bits;
    char text[NUMBER_TEXT], shorter[64];
    double value;
    float single;

    memcpy(&value, &bits, sizeof(value));
    if (type == CLFOLD_F32) {
        memcpy(&single, &narrow, sizeof(single));
        value = (double)single;
    }
    number_print(text, type, type == CLFOLD_F32 ? (void *)&single : (void *)&value);
    if (isnan(value)) {
        assert_string_equal(text, "nan");
        return;
    }
    if (!reads_back(text, type, bits)) {
        fail_msg("%016" PRIx64 " is printed as %s", bits, text);
    }
    const int digits = isinf(value) ? 0 : significant_digits(text);
    snprintf(shorter, sizeof(shorter), "%.*e", digits > 1 ? digits - 2 : 0, value);
    if (digits > 1 && reads_back(shorter, type, bits)) {
        fail_msg("%016" PRIx64 " is printed as %s, and %s is it too", bits, text,
                 shorter);
    }
}

/* Around each power of two, and any bits; the last are subnormal. */
static void round_trip(void **state)
{
    (void)state;
    for (uint64_t exponent = 0; exponent < 4096; exponent++) {
        for (int i = -1; i <= 1; i++) {
            check_float(CLFOLD_F32, (uint32_t)(exponent << 23) + (uint32_t)i);
            check_float(CLFOLD_F64, (exponent << 52) + (uint64_t)i);
        }
    }
    for (int i = 0; i < 300000; i++) {
        const uint64_t bits = next_random(&random_state);
        check_float(CLFOLD_F32, bits >> 32);
        check_float(CLFOLD_F32, bits & 0x807fffff);
        if (i < 100000) {
            check_float(CLFOLD_F64, bits);
            check_float(CLFOLD_F64, bits & 0x800fffffffffffffu);
        }
    }
}

static double half_value(unsigned bits)
{
    const unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;

    return exponent == 0 ? fraction * 0x1p-24
                         : (fraction + 1024.0) * exp2((double)exponent - 25);
}

/* What is read of a text, with a sign; 0x7c00: it is out of range. */
static void check_half(const char *magnitude, unsigned expected)
{
    for (unsigned minus = 0; minus < 2; minus++) {
        char text[160];
        cl_half value = 0;
        snprintf(text, sizeof(text), "%s%s", minus ? "-" : "", magnitude);
        const enum number_parsed parsed = number_parse(&value, CLFOLD_F16, text);
        if (expected == 0x7c00
                ? parsed != NUMBER_RANGE
                : parsed != NUMBER_READ || value != (expected | minus << 15)) {
            fail_msg("f16 \"%s\" is %04x (%d), and not %04x", text, value, (int)parsed,
                     expected);
        }
    }
}

/* Every f16, the middle between it and the next one, and what is so near to that middle
 * on either side that an f64 does not tell them apart. */
static void every_half(void **state)
{
    char exact[NUMBER_TEXT], with_sign[NUMBER_TEXT];

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

        number_print(exact, CLFOLD_F16, &(cl_half){ (cl_half)bits });
        number_print(with_sign, CLFOLD_F16, &(cl_half){ (cl_half)(bits | 0x8000) });
        assert_true(strtof(exact, NULL) == here && with_sign[0] == '-');
        assert_true(bits == 0 || strcmp(with_sign + 1, exact) == 0);
        check_half(exact, bits);
        check_half(below, bits);
        check_half(middle, bits + (bits & 1));
        check_half(above, bits + 1);
    }
    for (unsigned bits = 0x7c00; bits < 0x10000; bits += bits == 0x7fff ? 0x7c01 : 1) {
        number_print(exact, CLFOLD_F16, &(cl_half){ (cl_half)bits });
        assert_string_equal(exact, bits & 1023 ? "nan" : bits >> 15 ? "-inf" : "inf");
    }
}

static int draw_seed(void **state)
{
    const char *const given = getenv("CLFOLD_TEST_SEED");

    (void)state;
    random_state = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    printf("# CLFOLD_TEST_SEED=%" PRIu64 "\n", random_state);
    return 0;
}

TEST_MAIN("number", draw_seed, NULL, cmocka_unit_test(round_trip),
          cmocka_unit_test(every_half))
