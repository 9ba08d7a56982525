/*
 * A program on the host's memory that is compiled for one case: all of it but the call,
 * which it defines as case_make. UNSUPPORTED is defined before this if there is none.
 */
#ifndef CLFOLD_LAB_HOST_H
#define CLFOLD_LAB_HOST_H

#include "case.h"

#include <stdlib.h>

/* What a call knows of a set; and a loop of element i. */
#define CASE_ARRAYS                                                                      \
    size_t n, const case_element *in, const case_y *ys, const case_head *heads,          \
        case_item *__restrict out, case_other *__restrict also
#define CASE_THESE n, in, ys, heads, out, also
#if CASE_STREAM
#define CASE_OF(i) in[i], ys[i], i, n
#else
#define CASE_OF(i) in[i], 0, i, n
#endif
#define LOAD(i) case_load(CASE_OF(i))
#define KEEP(i) case_keep(CASE_OF(i))

/* Segment k, of so many, is from BEGIN to before END, where their number is known. */
static size_t case_segments, *case_begins;
#if CASE_LENGTH
#define BEGIN(k) ((k) * (size_t)CASE_LENGTH)
#define END(k)   (n - BEGIN(k) < CASE_LENGTH ? n : BEGIN(k) + CASE_LENGTH)
#elif CASE_BY_OFFSETS
#define BEGIN(k) ((size_t)heads[k])
#define END(k)   ((size_t)heads[(k) + 1])
#else
#define BEGIN(k) case_begins[k]
#define END(k)   case_begins[(k) + 1]
#endif
/* Whether another segment or run of neighbours begins after i. */
#if CASE_RUNS
#define ENDS(i) (in[i] != in[(i) + 1])
#elif CASE_BY_KEYS
#define ENDS(i) (heads[i] != heads[(i) + 1])
#elif CASE_BY_FLAGS
#define ENDS(i) (heads[(i) + 1] != 0)
#else
#define ENDS(i) true
#endif

/* Returns how many it has kept or written. */
static size_t case_make(CASE_ARRAYS);

static void case_make_set(unsigned id, size_t set)
{
    uint64_t *const num = CASE_OUT_OF(uint64_t, set, "num");
    const size_t made = case_make(
        lab_data.count, CASE_IN_OF(case_element, set, "in"), CASE_IN_OF(case_y, set, "y"),
        CASE_IN_OF(case_head, set, "heads"), CASE_OUT_OF(case_item, set, "out"),
        CASE_OUT_OF(case_other, set, "also"));

    (void)id;
    if (num) {
        *num = made;
    }
}

static void case_take(void)
{
#if CASE_LENGTH
    case_segments = (lab_data.count + CASE_LENGTH - 1) / CASE_LENGTH;
#elif CASE_BY_OFFSETS
    (void)case_heads(&case_segments);
    case_segments--;
#elif CASE_BY_FLAGS || CASE_BY_KEYS
    const case_head *const heads = case_heads(&case_segments);
    free(case_begins);
    case_begins = (size_t *)lab_allocate((lab_data.count + 1) * sizeof(*case_begins));
    case_segments = 0;
    for (size_t i = 0; i < lab_data.count; i++) {
        if (i == 0 || ENDS(i - 1)) {
            case_begins[case_segments++] = i;
        }
    }
    case_begins[case_segments] = lab_data.count;
#endif
}

static bool case_call(unsigned id, const char *tuning, int num_words, char **words)
{
    (void)id, (void)tuning, (void)num_words, (void)words;
#ifdef UNSUPPORTED
    return lab_refuse(UNSUPPORTED);
#else
    return true;
#endif
}

static int case_main(int argc, char **argv, const char *name)
{
    static struct lab_program program;

    program.name = name;
    program.call = case_call;
    program.make = case_make_set;
    program.data = case_take;
    return lab_main(argc, argv, &program);
}

#endif
