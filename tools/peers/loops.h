/* The loops of a peer that are one text but for pragmas, and its main. Before this,
 * PEER_NAME and REORDERS are defined, and, as pragmas or as nothing, REDUCTION and SCAN
 * by an operator, SCANNED, which parts a scan's fold from its use, EACH of a map, ROWS
 * (`num` of them, also of segments) and the ROW in them by an operator, and DECLARED,
 * which makes a function of two items known as an operator. Selects are done in PARTS,
 * EACH_PART by itself. */
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

/* ---- Selects: branchless, in parts that begin where a run does ---- */

enum { MOST_PARTS = 256 };

/* From `first` to before `last`. Counts what is kept, or writes it from number `num` to
 * before `end`, where another part's may begin. Returns the number after it. */
typedef size_t part_loop(const void *in, void *out, size_t first, size_t last, size_t num,
                         size_t end);
/* Whether a run begins at i > 0. */
typedef bool part_head(const void *in, size_t i);

static void select_in_parts(const void *in, void *out, size_t count, part_head *head,
                            part_loop *counts, part_loop *writes)
{
    const int parts = PARTS < MOST_PARTS ? PARTS : MOST_PARTS;
    size_t nums[MOST_PARTS + 1] = { 0 }, begins[MOST_PARTS + 1] = { 0 };

    for (int k = 1; k <= parts; k++) {
        begins[k] = k == parts ? count : count / (size_t)parts * (size_t)k;
        while (begins[k] < count && begins[k] > 0 && !head(in, begins[k])) {
            begins[k]++;
        }
    }
    nums[1] = SIZE_MAX; /* one part alone has no end */
    EACH_PART for (int k = 0; k < parts; k++)
    {
        if (parts > 1) {
            nums[k + 1] = counts(in, out, begins[k], begins[k + 1], 0, SIZE_MAX);
        }
    }
    for (int k = 1; k < parts; k++) {
        nums[k + 1] += nums[k];
    }
    size_t ends[MOST_PARTS] = { 0 };
    EACH_PART for (int k = 0; k < parts; k++)
    {
        ends[k] = writes(in, out, begins[k], begins[k + 1], nums[k], nums[k + 1]);
    }
    *peer_num = ends[parts - 1];
}

static bool head_always(const void *in, size_t i)
{
    (void)in;
    (void)i;
    return true;
}

static bool head_key(const void *in, size_t i)
{
    (void)in;
    return peer_keys[i] != peer_keys[i - 1];
}

/* A loop over a part, of `kept` and `also`: while `going`, the text. */
#define PART_LOOP(type, other, name, going, rest, ...)                                   \
    static size_t name(const void *in, void *out, size_t first, size_t last, size_t num, \
                       size_t end)                                                       \
    {                                                                                    \
        const type *const items = in;                                                    \
        type *const kept = out;                                                          \
        other *const also = peer_also;                                                   \
        const type above = (type)peer_above;                                             \
        size_t start = first, i = first;                                                 \
        type sum = 0;                                                                    \
        (void)kept, (void)also, (void)above, (void)start, (void)sum, (void)end;          \
        for (; i < last && (going); i++) {                                               \
            const type x = items[i];                                                     \
            __VA_ARGS__                                                                  \
        }                                                                                \
        for (; i < last; i++) {                                                          \
            const type x = items[i];                                                     \
            rest;                                                                        \
            (void)x;                                                                     \
        }                                                                                \
        return num;                                                                      \
    }
/* The others of a part end where the kept ones of all before and it leave off. */
#define NOT_FULL (num < end && i - num < last - end)
#define SELECT_LOOP(name, suffix, head, counts)                                          \
    static void name##_##suffix(const void *in, void *out, size_t count)                 \
    {                                                                                    \
        select_in_parts(in, out, count, head, counts, name##_part_##suffix);             \
    }
#define IS_LAST(of) (i + 1 == last || (of)[i] != (of)[i + 1])

#define SELECT_LOOPS(type, suffix)                                                       \
    static bool head_##suffix(const void *in, size_t i)                                  \
    {                                                                                    \
        return ((const type *)in)[i] != ((const type *)in)[i - 1];                       \
    }                                                                                    \
    PART_LOOP(type, type, above_count_##suffix, true, , num += x > above;)               \
    PART_LOOP(type, type, runs_count_##suffix, true, , num += (size_t)IS_LAST(items);    \
              (void)x;)                                                                  \
    PART_LOOP(type, type, keys_count_##suffix, true, ,                                   \
              num += (size_t)IS_LAST(peer_keys);                                         \
              (void)x;)                                                                  \
    PART_LOOP(type, type, select_part_##suffix,                                          \
              num<end, , kept[num] = x; num += x> above;)                                \
    PART_LOOP(type, type, partition_part_##suffix, NOT_FULL,                             \
              *(x > above ? &kept[num++] : &also[i - num]) = x, kept[num] = x;           \
              also[i - num] = x; num += x > above;)                                      \
    PART_LOOP(type, type, unique_part_##suffix, true, , kept[num] = x;                   \
              num += (size_t)IS_LAST(items);)                                            \
    PART_LOOP(type, uint64_t, rle_part_##suffix, true, , kept[num] = x;                  \
              also[num] = i + 1 - start; const bool ends = IS_LAST(items);               \
              start = ends ? i + 1 : start; num += ends;)                                \
    PART_LOOP(type, uint32_t, keys_part_##suffix, true, , sum += x; kept[num] = sum;     \
              also[num] = peer_keys[i]; const bool ends = IS_LAST(peer_keys);            \
              sum = ends ? 0 : sum; num += ends;)                                        \
    SELECT_LOOP(select, suffix, head_always, above_count_##suffix)                       \
    SELECT_LOOP(partition, suffix, head_always, above_count_##suffix)                    \
    SELECT_LOOP(unique, suffix, head_##suffix, runs_count_##suffix)                      \
    SELECT_LOOP(rle, suffix, head_##suffix, runs_count_##suffix)                         \
    SELECT_LOOP(keys, suffix, head_key, keys_count_##suffix)

#define ALL_LOOPS(type, suffix)                                                          \
    typedef struct {                                                                     \
        type x, y;                                                                       \
    } pair_##suffix;                                                                     \
    SELECT_LOOPS(type, suffix)                                                           \
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
#define SET_SELECTS(type, suffix)                                                        \
    loops[PEER_ADD][type].of[PEER_SELECT] = select_##suffix;                             \
    loops[PEER_ADD][type].of[PEER_PARTITION] = partition_##suffix;                       \
    loops[PEER_ADD][type].of[PEER_UNIQUE] = unique_##suffix;                             \
    loops[PEER_ADD][type].of[PEER_RLE] = rle_##suffix;                                   \
    loops[PEER_ADD][type].of[PEER_KEYS] = keys_##suffix;
#define OF_TYPES(by)                                                                     \
    {                                                                                    \
        [PEER_F32] = OF_TYPE(by##_f32), [PEER_I32] = OF_TYPE(by##_i32),                  \
        [PEER_F64] = OF_TYPE(by##_f64), [PEER_I64] = OF_TYPE(by##_i64),                  \
    }

int main(int argc, char **argv)
{
    struct peer_loops loops[PEER_OPERATORS][PEER_TYPES] = {
        [PEER_ADD] = OF_TYPES(add),       [PEER_DUAL] = OF_TYPES(dual),
        [PEER_AFFINE] = OF_TYPES(affine), [PEER_SQUARES] = OF_TYPES(squares),
        [PEER_DOT] = OF_TYPES(dot),       [PEER_ABOVE] = OF_TYPES(above),
    };

    SET_SELECTS(PEER_F32, f32)
    SET_SELECTS(PEER_I32, i32)
    SET_SELECTS(PEER_F64, f64)
    SET_SELECTS(PEER_I64, i64)
    return peer_loops_main(argc, argv, PEER_NAME, REORDERS, loops);
}
