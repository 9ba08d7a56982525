/*
 * What is kept of 16 numbers, in front of a row in private memory: what follows it there
 * is not kept by anybody.
 *
 *   numbers   a b c d e ...
 *   holds     0 1 0 1 1 ...      -1 or 0
 *   row       b d e . . ...      3 are kept
 *
 * One by one, each goes where the next one that is kept will, so that no branch depends
 * on it. Processors with AVX-512 have an instruction, with which selects on a Cascade
 * Lake take 0.4 to 0.8 of the time. Intel's CPU runtime compiles to SPIR first, so it
 * does not offer that, but shuffle() by a table of lanes is one there: 0.6 to 0.8. On
 * PoCL shuffle() is slower than one by one.
 */
#if CLFOLD_BUILTINS && defined(__AVX512F__)

typedef char clfold_bytes16 __attribute__((vector_size(16)));
typedef int clfold_ints16 __attribute__((vector_size(64)));
typedef long clfold_longs8 __attribute__((vector_size(64)));

static uint clfold_mask_of(char16 holds)
{
    union { char16 v; clfold_bytes16 bytes; } as;

    as.v = holds;
    return (uint)__builtin_ia32_pmovmskb128(as.bytes);
}

static clfold_ints16 clfold_compress4(clfold_ints16 x, uint mask)
{
    return __builtin_ia32_compresssi512_mask(x, x, (ushort)mask);
}

static clfold_longs8 clfold_compress8(clfold_longs8 x, uint mask)
{
    return __builtin_ia32_compressdi512_mask(x, x, (uchar)mask);
}

/* A function that puts what is kept of 16 into a row, and returns how many these are. */
#define CLFOLD_COMPRESSES(name, type, type16)                                            \
    static uint name(type *row, type16 x, char16 holds)                                  \
    {                                                                                    \
        const uint mask = clfold_mask_of(holds);                                         \
        union { type16 v; type s[16]; clfold_ints16 ints; clfold_longs8 longs[2]; } as;  \
        uint p = 0;                                                                      \
        as.v = x;                                                                        \
        if (sizeof(type) == 4) {                                                         \
            as.ints = clfold_compress4(as.ints, mask);                                   \
            vstore16(as.v, 0, row);                                                      \
            return popcount(mask);                                                       \
        }                                                                                \
        if (sizeof(type) == 8) {                                                         \
            const uint low = popcount(mask & 255);                                       \
            as.longs[0] = clfold_compress8(as.longs[0], mask & 255);                     \
            as.longs[1] = clfold_compress8(as.longs[1], mask >> 8);                      \
            vstore8(as.v.lo, 0, row);                                                    \
            vstore8(as.v.hi, 0, row + low);                                              \
            return popcount(mask);                                                       \
        }                                                                                \
        _Pragma("unroll") for (uint k = 0; k < 16; ++k) {                                \
            row[p] = as.s[k];                                                            \
            p += mask >> k & 1;                                                          \
        }                                                                                \
        return p;                                                                        \
    }
#else

#if CLFOLD_BUILTINS && defined(__SPIR64__)

/* Of 8 lanes that are -1 or 0, a bit each. */
static uint clfold_bits_of(ulong lanes)
{
    return (uint)((lanes & 0x8040201008040201ul) * 0x0101010101010101ul >> 56);
}

/* The lanes that are kept of 4, a byte each, by their bits. */
constant uint clfold_kept_of_4[16] = { 0,      0,        1,        0x0100,
                                       2,      0x0200,   0x0201,   0x020100,
                                       3,      0x0300,   0x0301,   0x030100,
                                       0x0302, 0x030200, 0x030201, 0x03020100 };

/* The same of 8: those of the lower 4, and behind them those of the upper. */
static uchar8 clfold_kept_of_8(uint bits)
{
    const uint low = bits & 15, high = bits >> 4;

    return as_uchar8(clfold_kept_of_4[low] | (ulong)(clfold_kept_of_4[high] + 0x04040404)
                                                 << 8 * popcount(low));
}

/* Puts what is kept of two vectors of 8 into a row, and returns how many these are. */
#define CLFOLD_SHUFFLES(row, lanes, type, holds)                                         \
    do {                                                                                 \
        uint num = 0;                                                                    \
        _Pragma("unroll") for (uint k = 0; k < 2; ++k) {                                 \
            const uint bits = clfold_bits_of(k == 0 ? (holds).x : (holds).y);            \
            vstore8(shuffle((lanes)[k], convert_##type##8(clfold_kept_of_8(bits))), 0,   \
                    (type *)(row) + num);                                                \
            num += popcount(bits);                                                       \
        }                                                                                \
        return num;                                                                      \
    } while (0)
#else
#define CLFOLD_SHUFFLES(row, lanes, type, holds) (void)0
#endif

#define CLFOLD_COMPRESSES(name, type, type16)                                            \
    static uint name(type *row, type16 x, char16 holds)                                  \
    {                                                                                    \
        union { type16 v; type s[16]; uint8 ints[2]; ulong8 longs[2]; } as;              \
        union { char16 v; ulong2 bits; char s[16]; } kept;                               \
        uint p = 0;                                                                      \
        as.v = x;                                                                        \
        kept.v = holds;                                                                  \
        if ((kept.bits.x & kept.bits.y) == ~0ul) {                                       \
            vstore16(x, 0, row);                                                         \
            return 16;                                                                   \
        }                                                                                \
        if (sizeof(type) == 4)                                                           \
            CLFOLD_SHUFFLES(row, as.ints, uint, kept.bits);                              \
        if (sizeof(type) == 8)                                                           \
            CLFOLD_SHUFFLES(row, as.longs, ulong, kept.bits);                            \
        _Pragma("unroll") for (uint k = 0; k < 16; ++k) {                                \
            row[p] = as.s[k];                                                            \
            p += kept.s[k] & 1;                                                          \
        }                                                                                \
        return p;                                                                        \
    }
#endif
