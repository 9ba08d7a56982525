/* The loops of a peer that are one text but for pragmas, and its main. Before this,
 * PEER_NAME and REORDERS are defined, and, as pragmas or as nothing, REDUCTION and SCAN
 * by an operator, SCANNED, which parts a scan's fold from its use, and DECLARED, which
 * makes a function of two items known as an operator. */
#include "peer.h"

#include <stdint.h>

/* by: the operator, as the pragmas know it. What follows `identity` is a op b. */
#define LOOPS(item, name, by, identity, ...)                                             \
    static inline item name(item a, item b)                                              \
    {                                                                                    \
        return (item){ __VA_ARGS__ };                                                    \
    }                                                                                    \
    DECLARED(name, item, identity)                                                       \
    static void reduce_##name(const void *in, void *out, size_t count)                   \
    {                                                                                    \
        const item *const items = in;                                                    \
        item fold = identity;                                                            \
        REDUCTION(by)                                                                    \
        for (size_t i = 0; i < count; i++) {                                             \
            fold = name(fold, items[i]);                                                 \
        }                                                                                \
        *(item *)out = fold;                                                             \
    }                                                                                    \
    static void scan_##name(const void *in, void *out, size_t count)                     \
    {                                                                                    \
        const item *const items = in;                                                    \
        item *const folds = out;                                                         \
        item fold = identity;                                                            \
        SCAN(by) for (size_t i = 0; i < count; i++)                                      \
        {                                                                                \
            fold = name(fold, items[i]);                                                 \
            SCANNED                                                                      \
            folds[i] = fold;                                                             \
        }                                                                                \
    }

#define PAIR_LOOPS(item, name, ...) LOOPS(item, name, name, ((item){ 1, 0 }), __VA_ARGS__)

#define ALL_LOOPS(type, suffix)                                                          \
    typedef struct {                                                                     \
        type x, y;                                                                       \
    } pair_##suffix;                                                                     \
    LOOPS(type, add_##suffix, +, 0, a + b)                                               \
    PAIR_LOOPS(pair_##suffix, dual_##suffix, PEER_DUAL_OF)                               \
    PAIR_LOOPS(pair_##suffix, affine_##suffix, PEER_AFFINE_OF)

ALL_LOOPS(float, f32)
ALL_LOOPS(int32_t, i32)
ALL_LOOPS(double, f64)
ALL_LOOPS(int64_t, i64)

#define OF_TYPES(by)                                                                     \
    {                                                                                    \
        [PEER_F32] = { reduce_##by##_f32, scan_##by##_f32 },                             \
        [PEER_I32] = { reduce_##by##_i32, scan_##by##_i32 },                             \
        [PEER_F64] = { reduce_##by##_f64, scan_##by##_f64 },                             \
        [PEER_I64] = { reduce_##by##_i64, scan_##by##_i64 },                             \
    }

int main(int argc, char **argv)
{
    const struct peer_loops loops[PEER_OPERATORS][PEER_TYPES] = {
        [PEER_ADD] = OF_TYPES(add),
        [PEER_DUAL] = OF_TYPES(dual),
        [PEER_AFFINE] = OF_TYPES(affine),
    };

    return peer_loops_main(argc, argv, PEER_NAME, REORDERS, loops);
}
