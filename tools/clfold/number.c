#include "number.h"

#include "types.h"

#include "base/half.h"

#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/*
 * A decimal of FLT_DIG (DBL_DIG) digits survives the way through a normal float (double)
 * and back, so where a short decimal exists, "%.6g" ("%.15g") prints it: with fewer
 * digits one only loses, "1e+02" for 100. Subnormal numbers have fewer digits, so they
 * are tried from one digit on.
 */
static void print_double(char out[NUMBER_TEXT], double value, bool single)
{
    const bool subnormal = fpclassify(value) == FP_SUBNORMAL ||
                           (single && fpclassify((float)value) == FP_SUBNORMAL);
    const int first = subnormal ? 1 : single ? 6 : 15, last = single ? 9 : 17;

    if (isnan(value)) {
        strcpy(out, "nan");
        return;
    }
    if (isinf(value)) {
        strcpy(out, value < 0 ? "-inf" : "inf");
        return;
    }
    if (value == 0) {
        /* In JSON "-0" is an integer, and integers have no negative zero. */
        strcpy(out, signbit(value) ? "-0.0" : "0");
        return;
    }
    for (int digits = first; digits <= last; digits++) {
        snprintf(out, NUMBER_TEXT, "%.*g", digits, value);
        /* Through double a float could be rounded twice. */
        if (single ? strtof(out, NULL) == (float)value : strtod(out, NULL) == value) {
            return;
        }
    }
}

void number_print(char out[NUMBER_TEXT], clfold_type type, const void *value)
{
    clfold_arg_value item = { 0 };

    switch (type) {
    case CLFOLD_I8:
        memcpy(&item.value.i8, value, sizeof(item.value.i8));
        snprintf(out, NUMBER_TEXT, "%d", item.value.i8);
        break;
    case CLFOLD_U8:
        memcpy(&item.value.u8, value, sizeof(item.value.u8));
        snprintf(out, NUMBER_TEXT, "%u", item.value.u8);
        break;
    case CLFOLD_I16:
        memcpy(&item.value.i16, value, sizeof(item.value.i16));
        snprintf(out, NUMBER_TEXT, "%d", item.value.i16);
        break;
    case CLFOLD_U16:
        memcpy(&item.value.u16, value, sizeof(item.value.u16));
        snprintf(out, NUMBER_TEXT, "%u", item.value.u16);
        break;
    case CLFOLD_I32:
        memcpy(&item.value.i32, value, sizeof(item.value.i32));
        snprintf(out, NUMBER_TEXT, "%" PRId32, item.value.i32);
        break;
    case CLFOLD_U32:
        memcpy(&item.value.u32, value, sizeof(item.value.u32));
        snprintf(out, NUMBER_TEXT, "%" PRIu32, item.value.u32);
        break;
    case CLFOLD_I64:
        memcpy(&item.value.i64, value, sizeof(item.value.i64));
        snprintf(out, NUMBER_TEXT, "%" PRId64, (int64_t)item.value.i64);
        break;
    case CLFOLD_U64:
        memcpy(&item.value.u64, value, sizeof(item.value.u64));
        snprintf(out, NUMBER_TEXT, "%" PRIu64, (uint64_t)item.value.u64);
        break;
    default:
        print_double(out, number_double(type, value), type != CLFOLD_F64);
        break;
    }
}

double number_double(clfold_type type, const void *value)
{
    cl_half half;
    float single;
    double wide = 0;

    switch (type) {
    case CLFOLD_F16:
        memcpy(&half, value, sizeof(half));
        return clfold_half_to_double(half);
    case CLFOLD_F32:
        memcpy(&single, value, sizeof(single));
        return (double)single;
    default:
        memcpy(&wide, value, sizeof(wide));
        return wide;
    }
}

static void put_bits(void *value, size_t size, uint64_t bits)
{
    const uint8_t bits8 = (uint8_t)bits;
    const uint16_t bits16 = (uint16_t)bits;
    const uint32_t bits32 = (uint32_t)bits;

    memcpy(value,
           size == 1   ? (const void *)&bits8
           : size == 2 ? (const void *)&bits16
           : size == 4 ? (const void *)&bits32
                       : (const void *)&bits,
           size);
}

static enum number_parsed parse_integer(void *value, clfold_type type, const char *text)
{
    const bool negative = *text == '-', is_signed = type_class(type) == TYPE_SIGNED;
    const size_t size = type_size(type);
    uint64_t magnitude = 0, most = UINT64_MAX >> (64 - 8 * size + is_signed);
    bool overflow = false;

    text += *text == '-' || *text == '+';
    if (!*text) {
        return NUMBER_NONE;
    }
    for (; *text; text++) {
        if (*text < '0' || *text > '9') {
            return NUMBER_NONE;
        }
        const unsigned digit = (unsigned)(*text - '0');
        overflow = overflow || magnitude > (UINT64_MAX - digit) / 10;
        magnitude = magnitude * 10 + digit;
    }
    if (negative) {
        most = is_signed ? most + 1 : 0;
    }
    if (overflow || magnitude > most) {
        return NUMBER_RANGE;
    }
    put_bits(value, size, negative ? 0 - magnitude : magnitude);
    return NUMBER_READ;
}

static bool is_special(const char *text)
{
    return strcasecmp(text, "inf") == 0 || strcasecmp(text, "infinity") == 0 ||
           strcasecmp(text, "nan") == 0;
}

/* Digits with at most one point among them, and an exponent. */
static bool is_decimal(const char *text)
{
    static const char digits[] = "0123456789";
    size_t count = strspn(text, digits);

    text += count;
    if (*text == '.') {
        const size_t fraction = strspn(++text, digits);
        text += fraction;
        count += fraction;
    }
    if (count > 0 && (*text == 'e' || *text == 'E')) {
        text++;
        text += *text == '-' || *text == '+';
        count = strspn(text, digits);
        text += count;
    }
    return count > 0 && !*text;
}

static double parse_rounded(const char *text, int rounding)
{
    const int before = fegetround();

    fesetround(rounding);
    const double value = strtod(text, NULL);
    fesetround(before);
    return value;
}

/*
 * There is no strtod for f16, and rounding first to f64 and then to f16 is wrong where
 * the first step lands on the middle of two f16. So the first step rounds to odd: it cuts
 * off, and where that lost something it sets the last bit, far below those of an f16, so
 * that the value is on its side of every middle.
 */
static double parse_to_odd(const char *text)
{
    const double low = parse_rounded(text, FE_DOWNWARD);
    const double high = parse_rounded(text, FE_UPWARD);
    double value = fabs(low) < fabs(high) ? low : high;
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    bits |= low < high;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static enum number_parsed parse_float(void *value, clfold_type type, const char *text)
{
    const char *const magnitude = text + (*text == '-' || *text == '+');
    const bool special = is_special(magnitude);
    double wide;

    if (!special && !is_decimal(magnitude)) {
        return NUMBER_NONE;
    }
    if (type == CLFOLD_F16) {
        const cl_half half = clfold_double_to_half(parse_to_odd(text));
        memcpy(value, &half, sizeof(half));
        wide = clfold_half_to_double(half);
    } else if (type == CLFOLD_F32) {
        const float single = strtof(text, NULL);
        memcpy(value, &single, sizeof(single));
        wide = (double)single;
    } else {
        wide = strtod(text, NULL);
        memcpy(value, &wide, sizeof(wide));
    }
    return !special && isinf(wide) ? NUMBER_RANGE : NUMBER_READ;
}

enum number_parsed number_parse(void *value, clfold_type type, const char *text)
{
    return type_is_float(type) ? parse_float(value, type, text)
                               : parse_integer(value, type, text);
}
