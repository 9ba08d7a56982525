/*
 * The case that a program in C or C++ is compiled for, by the macros that docs/lab.md
 * lists: its types, what is loaded for an element, the condition, and the operator.
 */
#ifndef CLFOLD_LAB_CASE_H
#define CLFOLD_LAB_CASE_H

#include "program.h"

#ifdef __cplusplus
#include <cmath>
#else
#include <tgmath.h>
#endif

/* What the driver may leave out. */
#ifndef CASE_LOAD
#define CASE_LOAD x
#endif
#ifndef CASE_OP
#define CASE_OP a + b
#endif
#ifndef CASE_START
#define CASE_START 0
#endif
#ifndef CASE_Y /* the type of the stream y */
#define CASE_Y CASE_IN
#endif
#ifndef CASE_HEADS
#define CASE_HEADS uint8_t
#endif
#ifdef CASE_KEEP
#define CASE_KEEPS 1
#else
#define CASE_KEEPS 0
#define CASE_KEEP  1
#endif
#ifndef CASE_RUNS
#define CASE_RUNS 0
#endif
#ifndef CASE_ALSO
#define CASE_ALSO 0
#endif
#ifndef CASE_EXCLUSIVE /* 1: a scan is */
#define CASE_EXCLUSIVE 0
#endif
#ifndef CASE_ON /* where functions run, for CUDA */
#define CASE_ON
#endif
#define CASE_TEXT(...)  CASE_TEXT_(__VA_ARGS__)
#define CASE_TEXT_(...) #__VA_ARGS__

typedef CASE_IN case_x;
typedef CASE_Y case_y;
typedef CASE_T case_scalar;
typedef CASE_HEADS case_head;
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

/* The identity. CASE_START of pairs is both members: "1, 0". */
CASE_ON static inline case_item case_start(void)
{
    const case_item start = { CASE_START };
    return start;
}

#endif
