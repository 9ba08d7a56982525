/* The loops of a peer that are one text but for pragmas, and its main. Before this,
 * PEER_NAME and REORDERS are defined, and, as pragmas or as nothing, REDUCTION and SCAN
 * by an operator, SCANNED, which parts a scan's fold from its use, EACH of a map, ROWS
 * (`num` of them, also of segments) and the ROW in them by an operator, and DECLARED,
 * which makes a function of two items known as an operator. */
#include "peer.h"

#include <stdint.h>

/* by: the operator, as the pragmas know it. load: of x and y, where there are two
 * `inputs`. What follows is a op b. */
#define LOOPS(item, name, by, identity, inputs, load, ...)                               \
    static inline item name(item a, item b)                                              \
    {                                                                                    \
        return (item){ __VA_ARGS__ };                                                    \
    }                                                                                    \
    static inline item load_##name(const item *items, size_t i, size_t count)            \
    {                                                                                    \
        const item x = items[i], y = items[((inputs)-1) * count + i];                    \
        (void)y;                                                                         \
        return load;                                                                     \
    }                                                                                    \
    DECLARED(name, item, identity)                                                       \
    static void reduce_##name(const void *in, void *out, size_t count)                   \
    {                                                                                    \
        item fold = identity;                                                            \
        REDUCTION(by)                                                                    \
        for (size_t i = 0; i < count; i++) {                                             \
            fold = name(fold, load_##name(in, i, count));                                \
        }                                                                                \
        *(item *)out = fold;                                                             \
    }                                                                                    \
    static void scan_##name(const void *in, void *out, size_t count)                     \
    {                                                                                    \
        item *const folds = out;                                                         \
        item fold = identity;                                                            \
        SCAN(by) for (size_t i = 0; i < count; i++)                                      \
        {                                                                                \
            fold = name(fold, load_##name(in, i, count));                                \
            SCANNED                                                                      \
            folds[i] = fold;                                                             \
        }                                                                                \
    }                                                                                    \
    static void segments_##name(const void *in, void *out, size_t count)                 \
    {                                                                                    \
        const size_t *const offsets = peer_offsets;                                      \
        item *const folds = out;                                                         \
        size_t num = (count - 1) / PEER_SEGMENT + 1;                                     \
        ROWS for (size_t part = 0; part < num; part++)                                   \
        {                                                                                \
            item fold = identity;                                                        \
            for (size_t i = offsets[part]; i < offsets[part + 1]; i++) {                 \
                fold = name(fold, load_##name(in, i, count));                            \
                folds[i] = fold;                                                         \
            }                                                                            \
        }                                                                                \
    }                                                                                    \
    static void map_##name(const void *in, void *out, size_t count)                      \
    {                                                                                    \
        item *const items = out;                                                         \
        EACH for (size_t i = 0; i < count; i++)                                          \
        {                                                                                \
            items[i] = load_##name(in, i, count);                                        \
        }                                                                                \
    }                                                                                    \
    static void rows_##name(const void *in, void *out, size_t count)                     \
    {                                                                                    \
        item *const folds = out;                                                         \
        size_t num = (count - 1) / PEER_ROW + 1;                                         \
        ROWS for (size_t row = 0; row < num; row++)                                      \
        {                                                                                \
            const size_t first = row * PEER_ROW, left = count - first;                   \
            const size_t last = first + (left < PEER_ROW ? left : PEER_ROW);             \
            item fold = identity;                                                        \
            ROW(by)                                                                      \
            for (size_t i = first; i < last; i++) {                                      \
                fold = name(fold, load_##name(in, i, count));                            \
            }                                                                            \
            folds[row] = fold;                                                           \
        }                                                                                \
    }                                                                                    \
    static void offsets_##name(const void *in, void *out, size_t count)                  \
    {                                                                                    \
        const uint32_t *const ends = peer_ends;                                          \
        item *const folds = out;                                                         \
        size_t num = peer_segments;                                                      \
        ROWS for (size_t part = 0; part < num; part++)                                   \
        {                                                                                \
            const size_t last = ends[part + 1];                                          \
            item fold = identity;                                                        \
            ROW(by)                                                                      \
            for (size_t i = ends[part]; i < last; i++) {                                 \
                fold = name(fold, load_##name(in, i, count));                            \
            }                                                                            \
            folds[part] = fold;                                                          \
        }                                                                                \
    }

#define PAIR_LOOPS(item, name, ...)                                                      \
    LOOPS(item, name, name, ((item){ 1, 0 }), 1, x, __VA_ARGS__)
#define SUM_LOOPS(type, name, inputs, load) LOOPS(type, name, +, 0, inputs, load, a + b)

#define ALL_LOOPS(type, suffix)                                                          \
    typedef struct {                                                                     \
        type x, y;                                                                       \
    } pair_##suffix;                                                                     \
    SUM_LOOPS(type, add_##suffix, 1, x)                                                  \
    SUM_LOOPS(type, squares_##suffix, 1, PEER_SQUARES_OF)                                \
    SUM_LOOPS(type, dot_##suffix, 2, PEER_DOT_OF)                                        \
    SUM_LOOPS(type, above_##suffix, 1, PEER_ABOVE_OF)                                    \
    PAIR_LOOPS(pair_##suffix, dual_##suffix, PEER_DUAL_OF)                               \
    PAIR_LOOPS(pair_##suffix, affine_##suffix, PEER_AFFINE_OF)

ALL_LOOPS(float, f32)
ALL_LOOPS(int32_t, i32)
ALL_LOOPS(double, f64)
ALL_LOOPS(int64_t, i64)

#define OF_TYPE(name)                                                                    \
    {                                                                                    \
        {                                                                                \
            reduce_##name, scan_##name, segments_##name, map_##name, rows_##name,        \
                offsets_##name                                                           \
        }                                                                                \
    }
#define OF_TYPES(by)                                                                     \
    {                                                                                    \
        [PEER_F32] = OF_TYPE(by##_f32), [PEER_I32] = OF_TYPE(by##_i32),                  \
        [PEER_F64] = OF_TYPE(by##_f64), [PEER_I64] = OF_TYPE(by##_i64),                  \
    }

int main(int argc, char **argv)
{
    const struct peer_loops loops[PEER_OPERATORS][PEER_TYPES] = {
        [PEER_ADD] = OF_TYPES(add),       [PEER_DUAL] = OF_TYPES(dual),
        [PEER_AFFINE] = OF_TYPES(affine), [PEER_SQUARES] = OF_TYPES(squares),
        [PEER_DOT] = OF_TYPES(dot),       [PEER_ABOVE] = OF_TYPES(above),
    };

    return peer_loops_main(argc, argv, PEER_NAME, REORDERS, loops);
}
