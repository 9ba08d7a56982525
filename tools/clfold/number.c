#include "number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* IEEE 754 binary16: sign, 5 bits of exponent, 10 of fraction. */
static float half_to_float(cl_half bits)
{
    const unsigned exponent = (bits >> 10) & 0x1f, fraction = bits & 0x3ff;
    float magnitude;

    if (exponent == 0x1f) {
        magnitude = fraction ? NAN : INFINITY;
    } else if (exponent == 0) {
        magnitude = ldexpf((float)fraction, -24);
    } else {
        magnitude = ldexpf((float)(fraction | 0x400), (int)exponent - 25);
    }
    return bits & 0x8000 ? -magnitude : magnitude;
}

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
        return (double)half_to_float(half);
    case CLFOLD_F32:
        memcpy(&single, value, sizeof(single));
        return (double)single;
    default:
        memcpy(&wide, value, sizeof(wide));
        return wide;
    }
}
