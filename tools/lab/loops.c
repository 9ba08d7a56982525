/* A peer: the loop that anyone writes first. As the compiler makes it, by one thread; or
 * with -fopenmp by OpenMP's reduction, which combines what its threads have in any order,
 * and its scan (`inscan`, OpenMP 5.0), on all cores. */
#if defined(_OPENMP) && CASE_REDUCE && !CASE_REORDERS && !CASE_COLUMNS
#define UNSUPPORTED "it reduces in any order, and the operator does not commute"
#endif
#include "host.h"

#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#define NAME         "openmp"
#define PRAGMA(text) _Pragma(#text)
#define PARTS        omp_get_max_threads()
#else
#define NAME "loop"
#define PRAGMA(text)
#define PARTS 1
#endif
/* clang-format off: it takes what is between the parentheses for C */
#if CASE_PLUS
#define BY +
#else
#define BY folded
PRAGMA(omp declare reduction(folded:case_item
                             : omp_out = case_fold(omp_out, omp_in))
           initializer(omp_priv = case_start()))
#endif
#define REDUCTION(by) PRAGMA(omp parallel for simd reduction(by : fold))
#define SCAN(by) PRAGMA(omp parallel for simd reduction(inscan, by : fold))
#define SEGMENT(by) PRAGMA(omp simd reduction(by : fold))
/* clang-format on */

#if CASE_SELECT || (CASE_REDUCE && (CASE_BY_KEYS || CASE_BY_FLAGS))
/* Branchless, from number `num` to before `end`, where another part's may begin. Returns
 * the number after it. */
static size_t write_part(CASE_ARRAYS, size_t first, size_t last, size_t num, size_t end)
{
    size_t i = first;

#if CASE_KEEPS
    /* The others of a part end where the kept ones of all before and it leave off. */
    for (; i < last && num < end && (!CASE_ALSO || i - num < last - end); i++) {
        out[num] = LOAD(i);
        if (CASE_ALSO) {
            also[i - num] = LOAD(i);
        }
        num += KEEP(i);
    }
    for (; CASE_ALSO && i < last; i++) {
        *(KEEP(i) ? &out[num++] : &also[i - num]) = LOAD(i);
    }
#else
    case_item fold = case_start();
    for (size_t start = first; i < last; i++) {
        fold = CASE_RUNS ? LOAD(i) : case_fold(fold, LOAD(i));
        out[num] = fold;
        if (CASE_ALSO) {
            also[num] = (case_other)(CASE_RUNS ? i + 1 - start : heads[i]);
        }
        const bool ends = i + 1 == last || ENDS(i);
        fold = ends ? case_start() : fold;
        start = ends ? i + 1 : start;
        num += ends;
    }
#endif
    return num;
}

#ifndef _OPENMP
static size_t case_make(CASE_ARRAYS)
{
    return write_part(CASE_THESE, 0, n, 0, SIZE_MAX);
}
#else
/* In parts that begin where a run does. */
static size_t case_make(CASE_ARRAYS)
{
    enum { MOST = 256 };
    const int parts = PARTS < MOST ? PARTS : MOST;
    size_t nums[MOST + 1] = { 0 }, firsts[MOST + 1] = { 0 };

    for (int k = 1; k <= parts; k++) {
        firsts[k] = k == parts ? n : n / (size_t)parts * (size_t)k;
        while (firsts[k] < n && firsts[k] > 0 && !ENDS(firsts[k] - 1)) {
            firsts[k]++;
        }
    }
    PRAGMA(omp parallel for)
    for (int k = 0; k < parts; k++) {
        const size_t last = firsts[k + 1];
        size_t num = !CASE_KEEPS && firsts[k] < last;
        for (size_t i = firsts[k]; i + !CASE_KEEPS < last; i++) {
            num += (size_t)(CASE_KEEPS ? KEEP(i) : ENDS(i));
        }
        nums[k + 1] = num;
    }
    for (int k = 1; k < parts; k++) {
        nums[k + 1] += nums[k];
    }
    PRAGMA(omp parallel for)
    for (int k = 0; k < parts; k++) {
        write_part(CASE_THESE, firsts[k], firsts[k + 1], nums[k], nums[k + 1]);
    }
    return nums[parts];
}
#endif
#elif CASE_COLUMNS
/* In strips of columns, whose rows lie in the caches. */
static size_t case_make(CASE_ARRAYS)
{
    enum { COLUMNS = CASE_COLUMNS, MOST = 1024 };
    const size_t share = (COLUMNS - 1) / (size_t)PARTS + 1;
    const size_t strip = share < 16 ? 16 : share < MOST ? share : MOST;

    PRAGMA(omp parallel for)
    for (size_t first = 0; first < COLUMNS; first += strip) {
        const size_t num = COLUMNS - first < strip ? COLUMNS - first : strip;
        case_item folds[MOST];
        for (size_t c = 0; c < num; c++) {
            folds[c] = case_start();
        }
        for (size_t i = first; i < n; i += COLUMNS) {
            PRAGMA(omp simd)
            for (size_t c = 0; c < num; c++) {
                const case_item before = folds[c];
                folds[c] = case_fold(before, LOAD(i + c));
#if CASE_SCAN
                out[i + c] = CASE_EXCLUSIVE ? before : folds[c];
#endif
            }
        }
#if !CASE_SCAN
        memcpy(out + first, folds, num * sizeof(*folds));
#endif
    }
    return COLUMNS;
}

#else
static size_t case_make(CASE_ARRAYS)
{
#if CASE_LENGTH || CASE_BY
    const size_t num = case_segments;
    PRAGMA(omp parallel for)
    for (size_t k = 0; k < num; k++) {
        const size_t last = END(k);
        case_item fold = case_start();
#if !CASE_SCAN
        SEGMENT(BY)
#endif
        for (size_t i = BEGIN(k); i < last; i++) {
            const case_item before = fold;
            fold = case_fold(before, LOAD(i));
            if (CASE_SCAN) {
                out[i] = CASE_EXCLUSIVE ? before : fold;
            }
        }
        if (!CASE_SCAN) {
            out[k] = fold;
        }
    }
#else
    case_item fold = case_start();
#if CASE_MAP
    PRAGMA(omp parallel for simd)
    for (size_t i = 0; i < n; i++) {
        out[i] = LOAD(i);
    }
#elif CASE_REDUCE
    REDUCTION(BY)
    for (size_t i = 0; i < n; i++) {
        fold = case_fold(fold, LOAD(i));
    }
    *out = fold;
#elif CASE_EXCLUSIVE
    SCAN(BY)
    for (size_t i = 0; i < n; i++) {
        out[i] = fold;
        PRAGMA(omp scan exclusive(fold))
        fold = case_fold(fold, LOAD(i));
    }
#else
    SCAN(BY)
    for (size_t i = 0; i < n; i++) {
        fold = case_fold(fold, LOAD(i));
        PRAGMA(omp scan inclusive(fold))
        out[i] = fold;
    }
#endif
#endif
    return n;
}
#endif

int main(int argc, char **argv)
{
    return case_main(argc, argv, NAME);
}
