/* The data of oracle.h. */
#include "oracle.h"

#include <math.h>
#include <string.h>

static bool chance(uint64_t *state, double probability)
{
    return (double)(next_random(state) >> 11) < probability * 9007199254740992.0;
}

static struct number integer(uint64_t x)
{
    return (struct number){ .integer = x, .real = (long double)(int64_t)x };
}

static struct number real(long double x)
{
    return (struct number){ .real = x };
}

static void put(clfold_type type, void *data, size_t i, struct number x)
{
    write_number(type, x, (unsigned char *)data + i * size_of(type));
}

/* ---- Not for any one operator ------------------------------------------------------ */

static double real_at(uint64_t random, enum fill how)
{
    if (how == FILL_EXACT) {
        return (double)((int)(random % 257) - 128) / 4;
    }
    /* Signs and some ten binades: order shows in the last bits. */
    double unit = (double)(random >> 11) / 9007199254740992.0;
    return (random & 1 ? -1 : 1) * ldexp(1 + unit, (int)(random >> 1) % 10);
}

void fill(void *data, clfold_type type, size_t count, enum fill how, uint64_t seed)
{
    for (size_t i = 0; i < count; ++i) {
        uint64_t random = next_random(&seed);
        put(type, data, i,
            is_float(type) ? real((long double)real_at(random, how))
                           : integer(random >> (64 - 8 * size_of(type))));
    }
}

/* ---- Sums and products ------------------------------------------------------------- */

/* Steps that a float adds up without rounding, beside an init of up to 100 in quarters of
 * a step. */
static long exact_steps(clfold_type type)
{
    return type == CLFOLD_F16 ? 1900 : type == CLFOLD_F32 ? 1L << 20 : 1L << 40;
}

/* Steps of a quarter, or of 1 where a quarter is no element or too fine. */
static void fill_float_sum(void *data, struct pair pair, size_t count, uint64_t *state)
{
    bool whole = !is_float(pair.in) || pair.type == CLFOLD_F16;
    long left = exact_steps(pair.type);
    long most = left / (long)(count > 0 ? count : 1);
    long double step = whole ? 1 : 0.25L;
    /* Where there are more elements than steps, only some are not 0. */
    double density = most > 0 ? 0.9 : (double)left / (double)count;

    most = most < 1 ? 1 : most > 100 ? 100 : most;
    for (size_t i = 0; i < count; ++i) {
        long x = chance(state, density) ? 1 + (long)below(state, (uint64_t)most) : 0;
        bool minus = is_signed(pair.in) && below(state, 2);
        x = x <= left ? x : 0;
        left -= x;
        /* -0 as well */
        put(pair.in, data, i,
            is_float(pair.in) ? real((minus ? -1 : 1) * step * x)
                              : integer((uint64_t)(minus ? -x : x)));
    }
}

static void fill_float_product(void *data, struct pair pair, size_t count,
                               uint64_t *state)
{
    const int binades = pair.type == CLFOLD_F16   ? 12
                        : pair.type == CLFOLD_F32 ? 100
                                                  : 900;
    int up = binades, down = is_float(pair.in) ? binades : 0;
    double density = count > 2 * (size_t)binades ? binades / (double)count : 0.5;

    for (size_t i = 0; i < count; ++i) {
        int step = chance(state, density) ? 1 + (int)below(state, 2) : 0;
        bool is_down = below(state, 2);
        int *left = is_down ? &down : &up;
        step = step <= *left ? step : 0;
        *left -= step;
        long double x = ldexpl(1, is_down ? -step : step);
        if (is_signed(pair.in) && below(state, 2)) {
            x = -x;
        }
        put(pair.in, data, i,
            is_float(pair.in) ? real(x) : integer((uint64_t)(int64_t)x));
    }
}

/* ---- Bits and truth ---------------------------------------------------------------- */

/* An end, a power of two or one less, or anywhere: where groups and lanes meet. */
static size_t some_place(size_t count, uint64_t *state)
{
    size_t place = 0;

    switch (below(state, 4)) {
    case 0:
        return 0;
    case 1:
        return count - 1;
    case 2:
        place = ((size_t)1 << below(state, 17)) - below(state, 2);
        return place < count ? place : count - 1;
    default:
        return (size_t)below(state, count);
    }
}

static void fill_bits(void *data, clfold_op op, clfold_type in, size_t count,
                      uint64_t *state)
{
    uint64_t most = op == CLFOLD_BIT_AND ? UINT64_MAX : 0;
    size_t exceptions = (size_t)below(state, 9);

    for (size_t i = 0; i < count; ++i) {
        put(in, data, i, integer(op == CLFOLD_BIT_XOR ? next_random(state) : most));
    }
    for (size_t k = 0; op != CLFOLD_BIT_XOR && count > 0 && k < exceptions; ++k) {
        uint64_t bit = UINT64_C(1) << below(state, 8 * size_of(in));
        put(in, data, some_place(count, state), integer(most ^ bit));
    }
}

/* Among others what the conversion to `type` would make a zero. */
static struct number some_true(struct pair pair, unsigned flags, uint64_t *state)
{
    unsigned bits = 8 * (unsigned)size_of(pair.in);

    if (is_float(pair.in)) {
        switch (below(state, flags & FILL_NAN ? 4 : 3)) {
        case 0:
            return real(1);
        case 1: /* below the least f16, or f32 */
            return real(pair.in == CLFOLD_F64   ? 1e-300L
                        : pair.in == CLFOLD_F32 ? 1e-30L
                                                : 0x1p-14L);
        case 2:
            return real((long double)real_at(next_random(state), FILL_ROUNDING));
        default:
            return real((long double)NAN);
        }
    }
    switch (below(state, 3)) {
    case 0:
        return integer(1);
    case 1:
        return integer(UINT64_C(1) << (bits - 1));
    default:
        return integer(UINT64_C(1) << below(state, bits));
    }
}

static struct number some_false(struct pair pair, uint64_t *state)
{
    return is_float(pair.in) ? real(below(state, 2) ? -0.0L : 0) : integer(0);
}

static void fill_truth(void *data, clfold_op op, struct pair pair, size_t count,
                       unsigned flags, uint64_t *state)
{
    bool mostly = op == CLFOLD_LOGICAL_AND;
    const size_t choice[] = { 0, 0, 1, 1, 3 };
    size_t exceptions = choice[below(state, 5)];

    for (size_t i = 0; i < count; ++i) {
        put(pair.in, data, i,
            mostly ? some_true(pair, flags, state) : some_false(pair, state));
    }
    for (size_t k = 0; count > 0 && k < exceptions; ++k) {
        put(pair.in, data, some_place(count, state),
            mostly ? some_false(pair, state) : some_true(pair, flags, state));
    }
}

/* ---- Extremes ---------------------------------------------------------------------- */

#define POOL 8

static struct number some_value(struct pair pair, uint64_t *state)
{
    uint64_t random = next_random(state);
    long double unit = 1 + (long double)(random >> 40) / 0x1p24L;
    int shift = (int)below(state, 64);

    if (!is_float(pair.in)) {
        /* All magnitudes, and near neighbours that a float may make equal. */
        return integer((uint64_t)((int64_t)random >> shift));
    }
    if (below(state, 8) == 0) {
        return real(random & 1 ? -0.0L : 0);
    }
    /* No f16 that is not normal; some that f16 cannot hold. */
    return real((random & 1 ? -1 : 1) * ldexpl(unit, shift % 28 - 10));
}

static int by_value(struct pair pair, struct number a, struct number b)
{
    return compare_numbers(pair.type, convert_number(pair, a), convert_number(pair, b));
}

static struct number stored(clfold_type type, struct number x)
{
    unsigned char bytes[8];

    write_number(type, x, bytes);
    return read_number(type, bytes);
}

static void fill_extremes(void *data, struct pair pair, size_t count, uint64_t *state)
{
    struct number pool[POOL] = { { 0 } };
    size_t ends = 1 + (size_t)below(state, 3);

    for (size_t k = 0; k < POOL; ++k) {
        struct number x = some_value(pair, state);
        if (k % 2 == 1 && !is_float(pair.in)) {
            x = integer(pool[k - 1].integer ^ (1 + below(state, 3)));
        } else if (k % 2 == 1) {
            x = real(pool[k - 1].real * (1 + ldexpl((long double)below(state, 3), -50)));
        }
        pool[k] = stored(pair.in, x);
    }
    /* In order, so that the ends of the pool are rare and what lies between is common. */
    for (size_t k = 1; k < POOL; ++k) {
        for (size_t j = k; j > 0 && by_value(pair, pool[j - 1], pool[j]) > 0; --j) {
            struct number x = pool[j];
            pool[j] = pool[j - 1];
            pool[j - 1] = x;
        }
    }
    for (size_t i = 0; i < count; ++i) {
        put(pair.in, data, i, pool[2 + below(state, POOL - 4)]);
    }
    for (size_t k = 0; count > 0 && k < ends; ++k) {
        put(pair.in, data, some_place(count, state), pool[below(state, 2)]);
        put(pair.in, data, some_place(count, state), pool[POOL - 1 - below(state, 2)]);
    }
}

/* ---- By operator ------------------------------------------------------------------- */

void fill_fold(void *data, clfold_op op, struct pair pair, size_t count, unsigned flags,
               uint64_t seed)
{
    uint64_t state = seed;

    switch (op) {
    case CLFOLD_ADD:
    case CLFOLD_MUL:
        if (is_float(pair.type) && op == CLFOLD_ADD) {
            fill_float_sum(data, pair, count, &state);
        } else if (is_float(pair.type)) {
            fill_float_product(data, pair, count, &state);
        } else {
            for (size_t i = 0; i < count; ++i) {
                put(pair.in, data, i,
                    integer(next_random(&state) | (op == CLFOLD_MUL ? 1 : 0)));
            }
        }
        break;
    case CLFOLD_BIT_AND:
    case CLFOLD_BIT_OR:
    case CLFOLD_BIT_XOR:
        fill_bits(data, op, pair.in, count, &state);
        break;
    case CLFOLD_LOGICAL_AND:
    case CLFOLD_LOGICAL_OR:
        fill_truth(data, op, pair, count, flags, &state);
        return;
    default:
        fill_extremes(data, pair, count, &state);
    }
    if (flags & FILL_NAN && is_float(pair.in) && count > 0) {
        put(pair.in, data, some_place(count, &state), real((long double)NAN));
        put(pair.in, data, some_place(count, &state), real((long double)NAN));
    }
}

void fill_init(void *init, clfold_op op, struct pair pair, const void *data, size_t count,
               uint64_t seed)
{
    const struct pair same = { pair.type, pair.type };
    unsigned char *bytes = init;
    unsigned char values[2 * 8], won[MAX_RESULT];
    uint64_t state = ~seed;
    size_t size = size_of(pair.type);
    bool ties = op >= CLFOLD_ARG_MIN && count > 0 && below(&state, 2);

    fill_fold(values, op, same, 2, 0, state);
    if (!is_arg(op)) {
        memcpy(bytes, values, result_size(op, pair.type));
        if (ties) {
            oracle_fold(op, pair, data, count, NULL, bytes, NULL);
        }
        return;
    }
    memset(bytes, 0xb7, result_size(op, pair.type));
    if (ties) {
        oracle_fold(op, pair, data, count, NULL, won, NULL);
    }
    for (size_t k = 0; k < result_size(op, pair.type) / 16; ++k) {
        uint64_t index = next_random(&state) >> below(&state, 64);
        if (ties) {
            uint64_t place;
            memcpy(&place, won + 16 * k, sizeof(place));
            index = below(&state, 2) ? place + below(&state, 3) : place / 2;
            memcpy(values + k * size, won + 16 * k + 8, size);
        }
        memcpy(bytes + 16 * k, &index, sizeof(index));
        memcpy(bytes + 16 * k + 8, values + k * size, size);
    }
}

/* The extreme of `in` once it is converted: `sign` 1 for the least. */
static struct number worst(struct pair pair, int sign)
{
    struct number best = { 0 };

    if (is_float(pair.in)) {
        return real((long double)NAN);
    }
    for (unsigned bit = 7; bit < 64; bit += 8) {
        const uint64_t patterns[] = { (UINT64_C(1) << bit) - 1, UINT64_C(1) << bit,
                                      UINT64_C(2) * (UINT64_C(1) << bit) - 1 };
        for (size_t k = 0; k < 3; ++k) {
            struct number x = stored(pair.in, integer(patterns[k]));
            best = sign * by_value(pair, x, best) < 0 ? x : best;
        }
    }
    return best;
}

void poison_fold(void *data, clfold_op op, struct pair pair, size_t count)
{
    struct number poison[2];

    poison[0] = is_float(pair.in) ? real((long double)NAN) : integer(0);
    poison[1] = poison[0];
    switch (op) {
    case CLFOLD_MIN:
    case CLFOLD_ARG_MIN:
        poison[0] = poison[1] = worst(pair, 1);
        break;
    case CLFOLD_MAX:
    case CLFOLD_ARG_MAX:
        poison[0] = poison[1] = worst(pair, -1);
        break;
    case CLFOLD_MIN_MAX:
    case CLFOLD_ARG_MIN_MAX:
        poison[0] = worst(pair, 1);
        poison[1] = worst(pair, -1);
        break;
    case CLFOLD_ADD:
    case CLFOLD_BIT_OR:
    case CLFOLD_BIT_XOR:
    case CLFOLD_LOGICAL_OR:
        /* Odd ones and not alike, so that two do not cancel out. */
        if (!is_float(pair.in)) {
            poison[0] = integer(UINT64_C(0x6d6d6d6d6d6d6d6d));
            poison[1] = integer(UINT64_C(0x1313131313131313));
        }
        break;
    case CLFOLD_LOGICAL_AND: /* to which a NaN is true */
        poison[0] = poison[1] = (struct number){ 0 };
        break;
    default: /* MUL, BIT_AND: 0 */
        break;
    }
    for (size_t i = 0; i < count; ++i) {
        put(pair.in, data, i, poison[i % 2]);
    }
}
