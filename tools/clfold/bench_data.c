#include "bench_data.h"

#include "number.h"
#include "random.h"
#include "types.h"

#include "base/number.h"

#include <string.h>

/* ---- Elements ---- */

static uint64_t random_at(uint64_t i)
{
    uint64_t state = i * CLFOLD_RANDOM_STEP;

    return next_random(&state);
}

/* From -2 to 2 in quarters. */
static double quarters(uint64_t random)
{
    return ((double)((random >> 32) * 17 >> 32) - 8) / 4;
}

/* f16 holds sums up to 2^11 quarters, eight times what 2^16 elements of a quarter make,
 * so of more elements than that all others are 0. */
static double half_value(uint64_t random, uint64_t count)
{
    const uint64_t dense =
        count <= 1 << 16 ? UINT64_MAX : (UINT64_C(1) << 48) / count << 32;

    return random >> 16 << 16 > dense ? 0 : random & 1 ? 0.25 : -0.25;
}

/* Any multiple of 1/4 in as many bits as the type has for it: no order rounds when
 * nothing is added, and few elements are equal. */
static double any_real(int bits, uint64_t random)
{
    return ((double)(random >> (64 - bits)) - (double)(UINT64_C(1) << (bits - 1))) / 4;
}

/* Any normal number. */
static uint16_t any_half(uint64_t random)
{
    return (uint16_t)((random & 0x83ff) | (1 + (random >> 32) % 30) << 10);
}

#define MAKE(type, value)                                                                \
    for (size_t i = 0; i < num; i++) {                                                   \
        const uint64_t random = random_at(first + i);                                    \
        ((type *)to)[i] = (type)(value);                                                 \
    }                                                                                    \
    break

void bench_data_make(const struct bench_case *one, uint64_t count, uint64_t first,
                     size_t num, void *to)
{
    const bool adds = bench_fold_adds(one->fold);

    switch (one->in) {
    case CLFOLD_F16:
        MAKE(uint16_t,
             adds ? clfold_double_to_half(half_value(random, count)) : any_half(random));
    case CLFOLD_F32:
        MAKE(float, adds ? quarters(random) : any_real(24, random));
    case CLFOLD_F64:
        MAKE(double, adds ? quarters(random) : any_real(53, random));
    default:
        break;
    }
    switch (type_is_float(one->in) ? 0 : type_size(one->in)) {
    case 1:
        MAKE(uint8_t, random);
    case 2:
        MAKE(uint16_t, random);
    case 4:
        MAKE(uint32_t, random);
    case 8:
        MAKE(uint64_t, random);
    default:
        break;
    }
}

/* ---- Wide forms ---- */

#define WIDEN_BITS(type)                                                                 \
    for (size_t i = 0; i < num; i++) {                                                   \
        to->bits[i] = (uint64_t)((const type *)from)[i];                                 \
    }                                                                                    \
    break

#define WIDEN_REALS(type)                                                                \
    for (size_t i = 0; i < num; i++) {                                                   \
        to->reals[i] = (double)((const type *)from)[i];                                  \
    }                                                                                    \
    break

static void widen(clfold_type type, const void *from, size_t num, struct bench_chunk *to)
{
    switch (type) {
    case CLFOLD_I8:
        WIDEN_BITS(int8_t);
    case CLFOLD_U8:
        WIDEN_BITS(uint8_t);
    case CLFOLD_I16:
        WIDEN_BITS(int16_t);
    case CLFOLD_U16:
        WIDEN_BITS(uint16_t);
    case CLFOLD_I32:
        WIDEN_BITS(int32_t);
    case CLFOLD_U32:
        WIDEN_BITS(uint32_t);
    case CLFOLD_I64:
    case CLFOLD_U64:
        WIDEN_BITS(uint64_t);
    case CLFOLD_F32:
        WIDEN_REALS(float);
    case CLFOLD_F64:
        WIDEN_REALS(double);
    default: /* CLFOLD_F16 */
        for (size_t i = 0; i < num; i++) {
            to->reals[i] = clfold_half_to_double(((const uint16_t *)from)[i]);
        }
        break;
    }
}

/* ---- Folds: `elements` become what the host has after each ---- */

void bench_data_begin(struct bench_data *data, const struct bench_case *one,
                      uint64_t count)
{
    data->one = *one;
    data->count = count;
    data->index = data->bits = data->least_index = 0;
    data->real = 0;
    data->num_wrong = data->first_wrong = 0;
}

/* A flag of bit 63 turns the order of two's complement into that of unsigned numbers. */
static uint64_t order_of(clfold_type type, uint64_t bits)
{
    return bits ^ (type_class(type) == TYPE_SIGNED ? UINT64_C(1) << 63 : 0);
}

static void fold_bits(struct bench_data *data, size_t num)
{
    uint64_t *const bits = data->elements.bits;
    const clfold_type type = data->one.type;
    const bool greatest = data->one.fold == BENCH_MAX;
    uint64_t total = data->index ? data->bits : clfold_number_wrap(type, bits[0]);

    for (size_t i = 0; i < num; i++) {
        const uint64_t item = clfold_number_wrap(type, bits[i]);
        const uint64_t a = order_of(type, item), b = order_of(type, total);
        /* the first of equals stays */
        if (greatest ? a > b : a < b) {
            total = item;
            data->least_index = data->index + i;
        }
        bits[i] = total;
    }
    data->bits = total;
}

static void fold_reals(struct bench_data *data, size_t num)
{
    double *const reals = data->elements.reals;
    const bool greatest = data->one.fold == BENCH_MAX;
    double total = data->index ? data->real : reals[0];

    for (size_t i = 0; i < num; i++) {
        if (greatest ? reals[i] > total : reals[i] < total) {
            total = reals[i];
            data->least_index = data->index + i;
        }
        reals[i] = total;
    }
    data->real = total;
}

static void add_bits(struct bench_data *data, size_t num)
{
    uint64_t *const bits = data->elements.bits;
    uint64_t total = data->bits;

    for (size_t i = 0; i < num; i++) {
        total += bits[i];
        bits[i] = clfold_number_wrap(data->one.type, total);
    }
    data->bits = total;
}

static void add_reals(struct bench_data *data, size_t num)
{
    double *const reals = data->elements.reals;
    double total = data->real;

    for (size_t i = 0; i < num; i++) {
        reals[i] = total += reals[i];
    }
    data->real = total;
}

static void fold(struct bench_data *data, size_t num)
{
    const bool real = type_is_float(data->one.type);

    if (bench_fold_adds(data->one.fold)) {
        (real ? add_reals : add_bits)(data, num);
    } else {
        (real ? fold_reals : fold_bits)(data, num);
    }
}

static void compare(struct bench_data *data, size_t num)
{
    const bool real = type_is_float(data->one.type);

    for (size_t i = 0; i < num; i++) {
        const bool same = real ? data->elements.reals[i] == data->results.reals[i]
                               : data->elements.bits[i] == data->results.bits[i];
        if (!same && data->num_wrong++ == 0) {
            data->first_wrong = data->index + i;
        }
    }
}

void bench_data_next(struct bench_data *data, const void *results, size_t num)
{
    const char *from = results;
    uint64_t made[BENCH_CHUNK] = { 0 }; /* as wide as any type */

    for (size_t piece; num > 0; num -= piece) {
        piece = num < BENCH_CHUNK ? num : BENCH_CHUNK;
        bench_data_make(&data->one, data->count, data->index, piece, made);
        widen(data->one.in, made, piece, &data->elements);
        fold(data, piece);
        if (from) {
            widen(data->one.type, from, piece, &data->results);
            compare(data, piece);
            from += piece * bench_out_size(&data->one);
        }
        data->index += piece;
    }
}

bool bench_data_agrees(struct bench_data *data, const void *result)
{
    const bool has_index = data->one.fold == BENCH_ARG_MIN;
    const clfold_type type = data->one.type;
    struct bench_chunk *const results = &data->results;
    clfold_indexed pair = { 0 };

    memcpy(&pair, result, bench_out_size(&data->one));
    widen(type, has_index ? (const void *)&pair.value : (const void *)&pair, 1, results);
    const bool same = type_is_float(type)
                          ? results->reals[0] == data->real
                          : results->bits[0] == clfold_number_wrap(type, data->bits);
    return same && (!has_index || pair.index == data->least_index);
}
