/*
 * The item of a reproducible sum: its bits depend on which elements there are, and on
 * nothing else. Demmel and Nguyen, "Parallel Reproducible Summation" (2015), keep sums in
 * bins; here they are integers, so that every sum is exact.
 *
 * All numbers share one grid of bins, each CLFOLD_BIN_BITS wide. Bin j holds numbers of
 * less than 2^(CLFOLD_BIN_BITS - 1) of its units, 2^(CLFOLD_BIN_BITS j - CLFOLD_BIAS +
 * 1). A number is cut where bins end; each part is rounded to nearest, so that the next
 * one has a sign of its own:
 *
 *   bins       j + 1  |    j    |  j - 1  |  j - 2  |  j - 3
 *   x            0       x0         x1        x2        left out      x = x0 + x1 + x2
 *   y            0        0         y0        y1        y2
 *   x and y             x0       x1 + y0   x2 + y1                    y2 is left out
 *
 * The highest bin that an element needs decides which three are kept. What an element
 * adds to a bin depends on that element alone, so any order gives the same three sums. A
 * sum is high 2^CLFOLD_BIN_BITS + low, with 0 <= low < 2^CLFOLD_BIN_BITS.
 *
 * Infinities and NaNs have a bin above all others, in which sum 0 counts the ones that
 * may be +infinity, and sum 1 those that may be -infinity; a NaN is in both. Zeros and
 * subnormals are no elements at all.
 */
#define CLFOLD_BINS 3
#if CLFOLD_OUT_SIZE == 4
#define CLFOLD_BIN_BITS 18
#define CLFOLD_DIGITS   24
#define CLFOLD_BIAS     127
typedef int clfold_bits;
typedef uint clfold_digits;
#define clfold_as_bits   as_int
#define clfold_as_number as_float
#define CLFOLD_QUIET_NAN 0x7fc00000
#else
#define CLFOLD_BIN_BITS  40
#define CLFOLD_DIGITS    53
#define CLFOLD_BIAS      1023
typedef long clfold_bits;
typedef ulong clfold_digits;
#define clfold_as_bits   as_long
#define clfold_as_number as_double
#define CLFOLD_QUIET_NAN 0x7ff8000000000000
#endif
typedef $result clfold_number;

#define CLFOLD_BIN_MASK    (((ulong)1 << CLFOLD_BIN_BITS) - 1)
#define CLFOLD_SPECIAL_BIN 1000

/* Bits: all but the sign, those of the least normal number, and of infinity. */
#define CLFOLD_MAGNITUDE (~((clfold_bits)1 << (8 * sizeof(clfold_number) - 1)))
#define CLFOLD_LEAST     ((clfold_bits)1 << (CLFOLD_DIGITS - 1))
#define CLFOLD_INFINITY  ((clfold_bits)(2 * CLFOLD_BIAS + 1) << (CLFOLD_DIGITS - 1))

typedef struct {
    long high[CLFOLD_BINS];
    clfold_digits low[CLFOLD_BINS];
    clfold_bits bin; /* of the first sum */
} clfold_binned;

/* Where many are cut at once a stage is a number. */
#if CLFOLD_NUMBERS
#define convert_clfold_opaque(x) clfold_binned_of(x)
#else
#define convert_clfold_opaque(x) (x)
#endif

/* 2^e, a normal number. */
#define CLFOLD_POWER(e)                                                                  \
    clfold_as_number((clfold_bits)(CLFOLD_BIAS + (e)) << (CLFOLD_DIGITS - 1))

/* The factor that makes the unit of a bin 1: it is never subnormal. */
#define CLFOLD_BIN_SCALE(bin)                                                            \
    CLFOLD_POWER(CLFOLD_BIAS - 1 - (clfold_bits)(bin)*CLFOLD_BIN_BITS)

/* x is rounded to units of the bin k below the one whose unit is 1: next to this number,
 * 1.5 2^e, floats lie so far apart. */
#define CLFOLD_ROUNDER(k)                                                                \
    ((clfold_number)1.5f * CLFOLD_POWER(CLFOLD_DIGITS - 1 - (k)*CLFOLD_BIN_BITS))
#define CLFOLD_ROUND(x, k) (((x) + CLFOLD_ROUNDER(k)) - CLFOLD_ROUNDER(k))

/* The bin of a number from its bits without the sign. */
static clfold_bits clfold_bin_of(clfold_bits magnitude)
{
    return magnitude >= CLFOLD_INFINITY
               ? CLFOLD_SPECIAL_BIN
               : (magnitude >> (CLFOLD_DIGITS - 1)) / CLFOLD_BIN_BITS;
}

static clfold_binned clfold_binned_zero(void)
{
    const clfold_binned zero = { { 0, 0, 0 }, { 0, 0, 0 }, 0 };

    return zero;
}

static void clfold_put_sum(clfold_binned *r, uint k, long sum)
{
    r->high[k] = sum >> CLFOLD_BIN_BITS;
    r->low[k] = (clfold_digits)(sum & CLFOLD_BIN_MASK);
}

static clfold_binned clfold_binned_of(clfold_number x)
{
    const clfold_bits magnitude = clfold_as_bits(x) & CLFOLD_MAGNITUDE;
    clfold_binned r = clfold_binned_zero();
    clfold_number rest;

    if (magnitude < CLFOLD_LEAST)
        return r;
    r.bin = clfold_bin_of(magnitude);
    if (r.bin == CLFOLD_SPECIAL_BIN) {
        r.low[0] = !(x < 0);
        r.low[1] = !(x > 0);
        return r;
    }
    rest = x * CLFOLD_BIN_SCALE(r.bin);
#pragma unroll
    for (int k = 0; k < CLFOLD_BINS; ++k) {
        const clfold_number part = CLFOLD_ROUND(rest, k);
        const long units = convert_long(part * CLFOLD_POWER(k * CLFOLD_BIN_BITS));
        rest -= part;
        clfold_put_sum(&r, k, units);
    }
    return r;
}

static clfold_binned clfold_binned_merge(clfold_binned a, clfold_binned b)
{
    clfold_binned sum = a.bin < b.bin ? b : a, less = a.bin < b.bin ? a : b;

#pragma unroll
    for (int s = 0; s < CLFOLD_BINS; ++s) {
        const bool moves = less.bin + s < sum.bin;
#pragma unroll
        for (int k = CLFOLD_BINS - 1; k >= 0; --k) {
            less.high[k] = !moves ? less.high[k] : k > 0 ? less.high[max(k - 1, 0)] : 0;
            less.low[k] = !moves ? less.low[k] : k > 0 ? less.low[max(k - 1, 0)] : 0;
        }
    }
#pragma unroll
    for (int k = 0; k < CLFOLD_BINS; ++k) {
        const clfold_digits low = sum.low[k] + less.low[k];
        sum.high[k] += less.high[k] + (long)(low >> CLFOLD_BIN_BITS);
        sum.low[k] = low & (clfold_digits)CLFOLD_BIN_MASK;
    }
    return sum;
}

/* `sign` times the sums, with all that is carried in the first one. */
static clfold_binned clfold_binned_carry(clfold_binned x, long sign)
{
    long carry = 0;

#pragma unroll
    for (int k = CLFOLD_BINS - 1; k >= 0; --k) {
        const long low = sign * (long)x.low[k] + carry;
        carry = sign * x.high[k] + (low >> CLFOLD_BIN_BITS);
        x.high[k] = 0;
        x.low[k] = (clfold_digits)(low & CLFOLD_BIN_MASK);
    }
    x.high[0] = carry;
    return x;
}

/* The number of `digits` 2^exponent of a bin's units, and `rest` if there is more below:
 * rounded to nearest even; 0 for what is subnormal. */
static clfold_bits clfold_rounded_bits(ulong all, bool rest, long shift)
{
    const int surplus = max(64 - (int)clz(all) - CLFOLD_DIGITS, 0);
    const ulong tail = all & (((ulong)1 << surplus) - 1);
    const ulong half_unit = ((ulong)1 << surplus) / 2;

    ulong digits = all >> surplus;

    if (all == 0)
        return 0;
    if (surplus > 0 &&
        (tail > half_unit || (tail == half_unit && (rest || (digits & 1)))))
        ++digits;
    /* One digit more than there is room for: a power of two. */
    const int left = (int)clz(digits) - (64 - CLFOLD_DIGITS);
    digits = left < 0 ? digits >> 1 : digits << left;
    const long exponent = shift + surplus - left + CLFOLD_DIGITS;
    if (exponent < 1)
        return 0;
    return exponent > 2 * CLFOLD_BIAS
               ? CLFOLD_INFINITY
               : (clfold_bits)(((ulong)exponent << (CLFOLD_DIGITS - 1)) |
                               (digits & (((ulong)1 << (CLFOLD_DIGITS - 1)) - 1)));
}

/* The sum of what is kept, rounded once. */
static clfold_number clfold_binned_value(clfold_binned sum)
{
    clfold_binned x = sum;
    long exponent = (long)(x.bin - (CLFOLD_BINS - 1)) * CLFOLD_BIN_BITS;
    bool is_negative, rest = false;
    ulong digits;

    if (x.bin == CLFOLD_SPECIAL_BIN) {
        const bool up = (x.high[0] | x.low[0]) != 0, down = (x.high[1] | x.low[1]) != 0;
        return up && down ? clfold_as_number((clfold_bits)CLFOLD_QUIET_NAN)
               : up       ? clfold_as_number(CLFOLD_INFINITY)
                          : -clfold_as_number(CLFOLD_INFINITY);
    }
    x = clfold_binned_carry(x, 1);
    is_negative = x.high[0] < 0;
    if (is_negative)
        x = clfold_binned_carry(x, -1);
    digits = (ulong)x.high[0];
#pragma unroll
    for (int k = 0; k < CLFOLD_BINS; ++k) {
        const int room = min((int)clz(digits), CLFOLD_BIN_BITS);
        const int cut = CLFOLD_BIN_BITS - room;
        rest |= (x.low[k] & (((ulong)1 << cut) - 1)) != 0;
        digits = digits << room | (ulong)x.low[k] >> cut;
        exponent += cut;
    }
    const clfold_number value =
        clfold_as_number(clfold_rounded_bits(digits, rest, exponent));
    return is_negative && value != 0 ? -value : value;
}
