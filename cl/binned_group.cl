/*
 * The tile of a group for binned.cl: a work-item cuts many numbers at once, from the bin
 * of the greatest, and sums their parts as binned_vector.cl does. Any order will do, so
 * chunks are those that the buffer has in whole, and what is left is taken one by one:
 *
 *   elements   . a b | c d e f | ... | u v w x | y z .      tile: a to z
 *   chunks             0         1     n - 1                 by work-items 0, 1, ... 0
 *   one by one   a b                             y z
 *
 * All are taken one by one where a text loads them, and where the buffer is not aligned.
 *
 * needs: contract.cl, load.cl, binned.cl, tile_group.cl
 * names: CLFOLD_CHUNK, CLFOLD_CHUNK_VECTOR
 */
#if CLFOLD_LOAD
#define CLFOLD_AT_ONCE 16u
#else
#define CLFOLD_AT_ONCE (CLFOLD_LOADS * CLFOLD_CHUNK)
#endif

typedef struct {
    clfold_number s[CLFOLD_AT_ONCE];
} clfold_numbers;

/* Subnormals are no elements. */
static clfold_number clfold_without_subnormals(clfold_number x)
{
    return (clfold_as_bits(x) & CLFOLD_MAGNITUDE) < CLFOLD_LEAST ? 0 : x;
}

/* The units of part k, of the bits of all numbers. */
static clfold_bits clfold_units(clfold_digits bits, uint k)
{
    return (clfold_bits)(bits - (clfold_digits)CLFOLD_AT_ONCE *
                                    (clfold_digits)clfold_as_bits(CLFOLD_ROUNDER(k)));
}

static clfold_binned clfold_cut_finite(const clfold_numbers *numbers, clfold_bits bin)
{
/* Products with a power of two are exact, so nothing depends on it. */
#pragma OPENCL FP_CONTRACT ON
    const clfold_number scale = CLFOLD_BIN_SCALE(bin);
    clfold_digits part0 = 0, part1 = 0, part2 = 0;
    clfold_binned r;

#pragma unroll
    for (uint i = 0; i < CLFOLD_AT_ONCE; ++i) {
        clfold_number x = clfold_without_subnormals(numbers->s[i]);
        clfold_number near = x * scale + CLFOLD_ROUNDER(0);
        part0 += (clfold_digits)clfold_as_bits(near);
        x = x * scale - (near - CLFOLD_ROUNDER(0));
        near = x + CLFOLD_ROUNDER(1);
        part1 += (clfold_digits)clfold_as_bits(near);
        x -= near - CLFOLD_ROUNDER(1);
        near = x + CLFOLD_ROUNDER(2);
        part2 += (clfold_digits)clfold_as_bits(near);
    }
    r.bin = bin;
    clfold_put_sum(&r, 0, clfold_units(part0, 0));
    clfold_put_sum(&r, 1, clfold_units(part1, 1));
    clfold_put_sum(&r, 2, clfold_units(part2, 2));
    return r;
}

/* Beside infinities and NaNs nothing else counts. */
static clfold_binned clfold_cut_special(const clfold_numbers *numbers)
{
    long up = 0, down = 0;
    clfold_binned r;

#pragma unroll
    for (uint i = 0; i < CLFOLD_AT_ONCE; ++i) {
        const clfold_number x = numbers->s[i];
        const bool is_special =
            (clfold_as_bits(x) & CLFOLD_MAGNITUDE) >= CLFOLD_INFINITY;
        up += is_special && !(x < 0);
        down += is_special && !(x > 0);
    }
    r.bin = CLFOLD_SPECIAL_BIN;
    clfold_put_sum(&r, 0, up);
    clfold_put_sum(&r, 1, down);
    clfold_put_sum(&r, 2, 0);
    return r;
}

static clfold_binned clfold_add_numbers(clfold_binned total,
                                        const clfold_numbers *numbers)
{
    clfold_bits greatest = 0;

#pragma unroll
    for (uint i = 0; i < CLFOLD_AT_ONCE; ++i)
        greatest = max(greatest, (clfold_bits)(clfold_as_bits(numbers->s[i]) &
                                               CLFOLD_MAGNITUDE));
    return clfold_binned_merge(
        total, greatest < CLFOLD_INFINITY
                   ? clfold_cut_finite(numbers, clfold_bin_of(greatest))
                   : clfold_cut_special(numbers));
}

/* Elements from `first` to `stop` - 1, one by one. */
static clfold_binned clfold_add_ones(clfold_binned total, global const CLFOLD_IN *in,
                                     ulong begin, uint first, uint stop CLFOLD_WITH)
{
    const uint step = CLFOLD_GROUP_SIZE;

    for (uint j = first + (uint)get_local_id(0); j < stop; j += CLFOLD_AT_ONCE * step) {
        clfold_numbers numbers;
#pragma unroll
        for (uint i = 0; i < CLFOLD_AT_ONCE; ++i) {
            const uint k = j + i * step;
            numbers.s[i] =
                k < stop ? clfold_load(in, begin, k CLFOLD_PASS).$name : (clfold_number)0;
        }
        total = clfold_add_numbers(total, &numbers);
    }
    return total;
}

#if CLFOLD_LOAD

static clfold_binned clfold_add_tile(global const CLFOLD_IN *in, ulong begin,
                                     uint count CLFOLD_WITH)
{
    return clfold_add_ones(clfold_binned_zero(), in, begin, 0, count CLFOLD_PASS);
}

#else

static clfold_binned clfold_add_tile(global const CLFOLD_IN *in, ulong begin,
                                     uint count CLFOLD_WITH)
{
    const uint row = CLFOLD_LOADS * CLFOLD_GROUP_SIZE; /* chunks */
    const uint head =
        min(count, (uint)(CLFOLD_CHUNK - 1 - (begin + CLFOLD_CHUNK - 1) % CLFOLD_CHUNK));
    const uint rows =
        clfold_is_aligned(in) ? (count - head) / CLFOLD_CHUNK / row : 0;
    const uint tail = head + rows * row * CLFOLD_CHUNK;
    global const CLFOLD_CHUNK_VECTOR *chunks =
        (global const CLFOLD_CHUNK_VECTOR *)(in + (begin + head) * CLFOLD_SCALARS);
    clfold_binned total = clfold_binned_zero();

    for (uint r = 0; r < rows; ++r) {
        clfold_chunk some[CLFOLD_LOADS];
        clfold_numbers numbers;
#pragma unroll
        for (uint k = 0; k < CLFOLD_LOADS; ++k)
            CLFOLD_LOAD_CHUNK(some[k], chunks, in, begin,
                              r * row + k * CLFOLD_GROUP_SIZE + get_local_id(0));
#pragma unroll
        for (uint i = 0; i < CLFOLD_AT_ONCE; ++i) {
            const CLFOLD_IN *s =
                some[i / CLFOLD_CHUNK].scalars + i % CLFOLD_CHUNK * CLFOLD_SCALARS;
            numbers.s[i] = convert_$stage($load);
        }
        total = clfold_add_numbers(total, &numbers);
    }
    if (rows == 0)
        return clfold_add_ones(total, in, begin, 0, count CLFOLD_PASS);
    total = clfold_add_ones(total, in, begin, 0, head CLFOLD_PASS);
    return clfold_add_ones(total, in, begin, tail, count CLFOLD_PASS);
}

#endif

/* As in tile_group.cl. */
static void clfold_tile_fold(global const CLFOLD_IN *in, ulong begin, ulong index,
                             uint count, uint ahead, clfold_memory memory CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);

    memory[CLFOLD_TREE(l)].$name = clfold_add_tile(in, begin, count CLFOLD_PASS);
    clfold_group_join(min(count, (uint)CLFOLD_GROUP_SIZE), memory CLFOLD_PASS);
}
