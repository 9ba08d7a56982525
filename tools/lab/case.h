/*
 * The case that a program in C or C++ is compiled for, by macros: what is done, its
 * types, what is loaded for an element, the condition, and the operator.
 *
 *   CASE_REDUCE, _SCAN, _MAP, _SELECT   one of them is 1
 *   CASE_IN, _Y, _T, _HEADS             types: of `in`, the stream y, items, and heads
 *   CASE_LOAD, _KEEP, _OP, _START       texts of x, y, i, n; and of a, b; the identity
 *   CASE_PAIR, _OP_X, _OP_Y             items are pairs of T, and CASE_START is "1, 0"
 *   CASE_LENGTH, _COLUMNS               of rows and of matrices; or 0
 *   CASE_BY_FLAGS, _BY_KEYS, _BY_OFFSETS; CASE_BY: one of these; CASE_EXCLUSIVE
 *   CASE_STREAM, _KEEPS, _RUNS, _ALSO   there is y, a condition, runs, a second output
 *   CASE_PLUS, _REORDERS                the operator is +; it may fold in any order
 *   CASE_PLAIN, _LOADS_I, _KEEPS_X      a load is x, or has i; a condition has x alone
 */
#ifndef CLFOLD_LAB_CASE_H
#define CLFOLD_LAB_CASE_H

#include "program.h"

#ifdef __cplusplus
#include <cmath>
#else
#include <tgmath.h>
#endif

#ifdef __CUDACC__
#define CASE_ON __host__ __device__
#else
#define CASE_ON
#endif
#define CASE_TEXT(...)  CASE_TEXT_(__VA_ARGS__)
#define CASE_TEXT_(...) #__VA_ARGS__

typedef CASE_IN case_x;
typedef CASE_Y case_y;
typedef CASE_T case_scalar;
typedef CASE_HEADS case_head;
#if CASE_BY_KEYS
typedef case_head case_key;
#else
typedef uint32_t case_key; /* the number of a segment */
#endif
#if CASE_PAIR
typedef struct {
    CASE_T x, y;
} case_item;
typedef case_item case_element;
#else
typedef case_scalar case_item;
typedef case_x case_element;
#endif
#if CASE_KEEPS
typedef case_item case_other;
#elif CASE_RUNS
typedef uint64_t case_other;
#else
typedef case_head case_other;
#endif

CASE_ON static inline case_item case_load(case_element x, case_y y, size_t i, size_t n)
{
    (void)y, (void)i, (void)n;
    return (case_item)(CASE_LOAD);
}

CASE_ON static inline bool case_keep(case_element x, case_y y, size_t i, size_t n)
{
    (void)x, (void)y, (void)i, (void)n;
    return (CASE_KEEP) != 0;
}

CASE_ON static inline case_item case_fold(case_item a, case_item b)
{
#if CASE_PAIR
    const case_item fold = { (case_scalar)(CASE_OP_X), (case_scalar)(CASE_OP_Y) };
    return fold;
#else
    return (case_item)(CASE_OP);
#endif
}

CASE_ON static inline case_item case_start(void)
{
    const case_item start = { CASE_START };
    return start;
}

/* Where the array of that name is in a set, of that type. */
#define CASE_IN_OF(type, set, name)  ((type *)lab_data.sets[set].in[lab_in(name)])
#define CASE_OUT_OF(type, set, name) ((type *)lab_data.sets[set].out[lab_out(name)])

/* While data are taken: their heads, and how many there are. */
static inline const case_head *case_heads(size_t *num)
{
    const struct lab_array *const array = &lab_data.in[lab_in("heads")];

    *num = array->size / sizeof(case_head);
    return (const case_head *)array->bytes;
}

/* The number of each element's segment, by flags or offsets. Returns whether any is
 * empty. */
static inline bool case_number(uint32_t *numbers)
{
    size_t num, k = 0;
    const case_head *const heads = case_heads(&num);
    bool any_empty = false;

    for (size_t i = 0; i < lab_data.count; i++) {
#if CASE_BY_OFFSETS
        for (; heads[k + 1] <= i; k++) {
            any_empty = any_empty || heads[k] == heads[k + 1];
        }
#else
        k += i > 0 && heads[i] != 0;
#endif
        numbers[i] = (uint32_t)k;
    }
    return any_empty || (CASE_BY_OFFSETS && k + 2 < num);
}

#endif
