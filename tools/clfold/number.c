#include "number.h"

#include "types.h"

#include "base/number.h"

#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- In memory --------------------------------------------------------------------- */

void number_write(clfold_type type, struct host_number number, void *at)
{
    const size_t size = clfold_type_size(type);
    clfold_indexed x;

    if (type == CLFOLD_F16) {
        x.value.f16 = clfold_double_to_half(number.real);
    } else if (type == CLFOLD_F32) {
        x.value.f32 = (float)number.real;
    } else if (type == CLFOLD_F64) {
        x.value.f64 = number.real;
    } else if (size == 1) {
        x.value.u8 = (uint8_t)number.integer;
    } else if (size == 2) {
        x.value.u16 = (uint16_t)number.integer;
    } else if (size == 4) {
        x.value.u32 = (uint32_t)number.integer;
    } else {
        x.value.u64 = number.integer;
    }
    memcpy(at, &x.value, size);
}

/* ---- As text ----------------------------------------------------------------------- */

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
    const struct host_number number = clfold_number_read(type, value);

    switch (type_class(type)) {
    case TYPE_FLOAT:
        print_double(out, number.real, type != CLFOLD_F64);
        break;
    case TYPE_SIGNED:
        snprintf(out, NUMBER_TEXT, "%" PRId64, (int64_t)number.integer);
        break;
    default:
        snprintf(out, NUMBER_TEXT, "%" PRIu64, number.integer);
        break;
    }
}

static enum number_parsed parse_integer(void *value, clfold_type type, const char *text)
{
    const bool negative = *text == '-', is_signed = type_class(type) == TYPE_SIGNED;
    const size_t size = clfold_type_size(type);
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
    const uint64_t integer = negative ? 0 - magnitude : magnitude;
    number_write(type, (struct host_number){ .integer = integer }, value);
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
    struct host_number number = { 0 };

    if (!special && !is_decimal(magnitude)) {
        return NUMBER_NONE;
    }
    number.real = type == CLFOLD_F16   ? parse_to_odd(text)
                  : type == CLFOLD_F32 ? (double)strtof(text, NULL)
                                       : strtod(text, NULL);
    number_write(type, number, value);
    return !special && isinf(clfold_number_read(type, value).real) ? NUMBER_RANGE
                                                                   : NUMBER_READ;
}

enum number_parsed number_parse(void *value, clfold_type type, const char *text)
{
    return type_is_float(type) ? parse_float(value, type, text)
                               : parse_integer(value, type, text);
}

const char *number_fault(enum number_parsed parsed)
{
    return parsed == NUMBER_NONE ? "is not a valid number of type"
                                 : "is out of the range of";
}
