/*
 * The vectors of a tile of binned.cl: 16 numbers are cut at once, and the parts summed in
 * floats, which is exact for the elements of a block.
 *
 *   elements   x0 ... x15 | x16 ... x31 | ...            a block
 *   bin        of the greatest that was seen; if the block has a greater one, it is done
 *              again with that one's
 *   part 0     16 sums     of x rounded to that bin's units
 *   part 1     16 sums     of the rest, rounded to those of the bin below
 *   part 2     16 sums     ... and of the next one
 *
 * Next to 1.5 2^e the bits of a float count units, so parts are summed as integers: those
 * bits, less as many times those of 1.5 2^e, modulo 2^32 or 2^64. A part is at most
 * 2^(CLFOLD_BIN_BITS - 1) units, so 2^13 of them fit for F32.
 *
 * needs: contract.cl, load.cl, binned.cl, tile_vector.cl, vectors.cl
 */
#define CLFOLD_BLOCK 2048u

/* Of the numbers that are looked at first. */
#define CLFOLD_FIRST_LOOK 128u

#if CLFOLD_OUT_SIZE == 4
typedef int16 clfold_bits16;
typedef uint16 clfold_digits16;
#define clfold_as_bits16   as_int16
#define clfold_as_digits16 as_uint16
#define clfold_as_number16 as_float16
#else
typedef long16 clfold_bits16;
typedef ulong16 clfold_digits16;
#define clfold_as_bits16   as_long16
#define clfold_as_digits16 as_ulong16
#define clfold_as_number16 as_double16
#endif

typedef union {
    clfold_bits16 v;
    clfold_bits s[16];
} clfold_bits_lanes;

/* The greatest of 16 numbers without a sign, as bits. */
static clfold_bits clfold_greatest(clfold_bits16 x)
{
    const clfold_bits_lanes lanes = { x };
    clfold_bits greatest = 0;

    for (uint i = 0; i < 16; ++i)
        greatest = max(greatest, lanes.s[i]);
    return greatest;
}

/* Of numbers in each lane, the bits of their parts. */
typedef struct {
    clfold_digits16 part0, part1, part2;
} clfold_cuts;

/* Adds the parts of 16 numbers, cut from the bins that `scale` belongs to. */
static void clfold_cut16(clfold_number16 x, clfold_number16 scale,
                         private clfold_cuts *cuts)
{
/* Products with a power of two are exact, so nothing depends on it. */
#pragma OPENCL FP_CONTRACT ON
    clfold_number16 near = x * scale + CLFOLD_ROUNDER(0);

    cuts->part0 += clfold_as_digits16(near);
    x = x * scale - (near - CLFOLD_ROUNDER(0));
    near = x + CLFOLD_ROUNDER(1);
    cuts->part1 += clfold_as_digits16(near);
    x -= near - CLFOLD_ROUNDER(1);
    near = x + CLFOLD_ROUNDER(2);
    cuts->part2 += clfold_as_digits16(near);
}

/* The units of part k in each lane, of the bits of `num` numbers. */
static clfold_bits_lanes clfold_units(clfold_digits16 bits, uint k, uint num)
{
    const clfold_digits none = (clfold_digits)clfold_as_bits(CLFOLD_ROUNDER(k));
    const clfold_bits_lanes lanes = { clfold_as_bits16(bits - num * none) };

    return lanes;
}

static long clfold_sum_of_lanes(clfold_bits_lanes lanes)
{
    long sum = 0;

    for (uint i = 0; i < 16; ++i)
        sum += lanes.s[i];
    return sum;
}

/* Elements from `first` to `stop` - 1, cut from `bin` on; if they need a greater bin, the
 * result has that one, and its sums are of no use. With `drops` subnormals are made 0,
 * which otherwise are too small to matter. */
static clfold_binned clfold_cut_block(global const CLFOLD_IN *in, ulong begin, uint first,
                                      uint stop, clfold_bits bin, bool drops CLFOLD_WITH)
{
    const clfold_number scale = CLFOLD_BIN_SCALE(bin);
    const uint num = (stop - first) / 16;
    clfold_cuts cuts = { 0, 0, 0 };
    clfold_bits16 greatest = 0;
    clfold_binned r;

    for (uint i = first; i < stop; i += 16) {
        clfold_number16 x = clfold_load16(in, begin, i CLFOLD_PASS).$name;
        const clfold_bits16 magnitude = clfold_as_bits16(x) & CLFOLD_MAGNITUDE;
        greatest = max(greatest, magnitude);
        if (drops)
            x = clfold_as_number16(clfold_as_bits16(x) & (magnitude >= CLFOLD_LEAST));
        clfold_cut16(x, scale, &cuts);
    }
    r.bin = max(bin, clfold_bin_of(clfold_greatest(greatest)));
    if (r.bin == bin) {
        clfold_put_sum(&r, 0, clfold_sum_of_lanes(clfold_units(cuts.part0, 0, num)));
        clfold_put_sum(&r, 1, clfold_sum_of_lanes(clfold_units(cuts.part1, 1, num)));
        clfold_put_sum(&r, 2, clfold_sum_of_lanes(clfold_units(cuts.part2, 2, num)));
    }
    return r;
}

/* From this bin on half a unit of the third bin is more than any subnormal. */
#define CLFOLD_BIN_DROPS 3

static clfold_binned clfold_fold_block(global const CLFOLD_IN *in, ulong begin,
                                       uint first, uint stop, clfold_bits bin CLFOLD_WITH)
{
    return bin < CLFOLD_BIN_DROPS
               ? clfold_cut_block(in, begin, first, stop, bin, true CLFOLD_PASS)
               : clfold_cut_block(in, begin, first, stop, bin, false CLFOLD_PASS);
}

/* The bin that the elements before `stop` need. */
static clfold_bits clfold_look(global const CLFOLD_IN *in, ulong begin,
                               uint stop CLFOLD_WITH)
{
    clfold_bits16 greatest = 0;

    for (uint i = 0; i < stop; i += 16)
        greatest = max(greatest,
                       clfold_as_bits16(clfold_load16(in, begin, i CLFOLD_PASS).$name) &
                           CLFOLD_MAGNITUDE);
    return clfold_bin_of(clfold_greatest(greatest));
}

/* Elements from `first` to `stop` - 1, one by one, after a total. */
static clfold_binned clfold_fold_ones(clfold_binned total, global const CLFOLD_IN *in,
                                      ulong begin, uint first, uint stop CLFOLD_WITH)
{
    for (uint i = first; i < stop; ++i)
        total = clfold_binned_merge(
            total, clfold_binned_of(clfold_load(in, begin, i CLFOLD_PASS).$name));
    return total;
}

/* The elements from begin on, a multiple of 16. */
static clfold_binned clfold_fold_vectors(global const CLFOLD_IN *in, ulong begin,
                                         uint count CLFOLD_WITH)
{
    clfold_bits bin = clfold_look(in, begin, min(count, CLFOLD_FIRST_LOOK) CLFOLD_PASS);
    clfold_binned total = clfold_binned_zero();

    for (uint i = 0; i < count; i += CLFOLD_BLOCK) {
        const uint stop = min(i + CLFOLD_BLOCK, count);
        clfold_binned block;
        if (bin < CLFOLD_SPECIAL_BIN) {
            block = clfold_fold_block(in, begin, i, stop, bin CLFOLD_PASS);
            if (block.bin > bin && block.bin < CLFOLD_SPECIAL_BIN)
                block = clfold_fold_block(in, begin, i, stop, block.bin CLFOLD_PASS);
            bin = block.bin;
        }
        if (bin < CLFOLD_SPECIAL_BIN)
            total = clfold_binned_merge(total, block);
        else
            total = clfold_fold_ones(total, in, begin, i, stop CLFOLD_PASS);
    }
    return total;
}

/* As in tile_vector.cl. */
static void clfold_tile_fold(global const CLFOLD_IN *in, ulong begin, ulong index,
                             uint count, uint ahead, clfold_memory memory CLFOLD_WITH)
{
    const uint whole = count / 16 * 16;

    memory[0].$name = clfold_fold_ones(clfold_fold_vectors(in, begin, whole CLFOLD_PASS),
                                       in, begin, whole, count CLFOLD_PASS);
}
