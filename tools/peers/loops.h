/* The loops of a peer that are one text but for pragmas, and its main. Before this,
 * PEER_NAME, and REDUCTION, SCAN and SCANNED (which parts a scan's sum from its use) are
 * defined, as pragmas or as nothing. */
#include "peer.h"

#include <stdint.h>

#define LOOPS(type, name)                                                                \
    static void reduce_##name(const void *in, void *out, size_t count)                   \
    {                                                                                    \
        const type *const items = in;                                                    \
        type sum = 0;                                                                    \
        REDUCTION                                                                        \
        for (size_t i = 0; i < count; i++) {                                             \
            sum += items[i];                                                             \
        }                                                                                \
        *(type *)out = sum;                                                              \
    }                                                                                    \
    static void scan_##name(const void *in, void *out, size_t count)                     \
    {                                                                                    \
        const type *const items = in;                                                    \
        type *const sums = out;                                                          \
        type sum = 0;                                                                    \
        SCAN for (size_t i = 0; i < count; i++)                                          \
        {                                                                                \
            sum += items[i];                                                             \
            SCANNED                                                                      \
            sums[i] = sum;                                                               \
        }                                                                                \
    }

LOOPS(float, f32)
LOOPS(int32_t, i32)
LOOPS(double, f64)
LOOPS(int64_t, i64)

int main(int argc, char **argv)
{
    const struct peer_loops loops[PEER_TYPES] = {
        [PEER_F32] = { reduce_f32, scan_f32 },
        [PEER_I32] = { reduce_i32, scan_i32 },
        [PEER_F64] = { reduce_f64, scan_f64 },
        [PEER_I64] = { reduce_i64, scan_i64 },
    };

    return peer_loops_main(argc, argv, PEER_NAME, loops);
}
