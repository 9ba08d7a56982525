// A peer: oneTBB's parallel_reduce and parallel_scan, which keep the order, and parallel_for, on
// all cores.
#if CASE_COLUMNS
#define UNSUPPORTED "this program has no columns of oneTBB's yet"
#endif
#include "host.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>

#include <functional>

namespace {

using range = tbb::blocked_range<std::size_t>;

// Of a part, onto what is before it.
[[maybe_unused]] case_item fold_of(CASE_ARRAYS, const range &part, case_item before)
{
    const std::size_t end = part.end();

#if CASE_PLUS
    case_item sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = part.begin(); i < end; ++i) {
        sum += LOAD(i);
    }
    return before + sum;
#else
    for (std::size_t i = part.begin(); i < end; ++i) {
        before = case_fold(before, LOAD(i));
    }
    return before;
#endif
}

// Writes the scan of a part. Returns its fold.
[[maybe_unused]] case_item scan_of(CASE_ARRAYS, const range &part, case_item fold)
{
    const std::size_t end = part.end();

    for (std::size_t i = part.begin(); i < end; ++i) {
        const case_item before = fold;
        fold = case_fold(fold, LOAD(i));
        out[i] = CASE_EXCLUSIVE ? before : fold;
    }
    return fold;
}

} // namespace

#if CASE_SELECT && CASE_KEEPS
static std::size_t case_make(CASE_ARRAYS)
{
    return tbb::parallel_scan(
        range(0, n), std::size_t{ 0 },
        [=](const range &part, std::size_t num, bool is_final) {
            const std::size_t end = part.end();
            if (!is_final) {
                for (std::size_t i = part.begin(); i < end; ++i) {
                    num += KEEP(i);
                }
                return num;
            }
            // A part may not write over the next one's first, so it branches.
            for (std::size_t i = part.begin(); i < end; ++i) {
                if (KEEP(i)) {
                    out[num++] = LOAD(i);
                } else if (CASE_ALSO) {
                    also[i - num] = LOAD(i);
                }
            }
            return num;
        },
        std::plus<std::size_t>());
}

#elif CASE_SELECT || (CASE_REDUCE && (CASE_BY_FLAGS || CASE_BY_KEYS))
// Each run or segment is written where it ends. Its length, or the fold of it so far.
struct run {
    std::size_t num, length;
    case_item fold;
};

static std::size_t case_make(CASE_ARRAYS)
{
    return tbb::parallel_scan(
               range(0, n), run{ 0, 0, case_start() },
               [=](const range &part, run sum, bool is_final) {
                   const std::size_t end = part.end();
                   for (std::size_t i = part.begin(); i < end; ++i) {
                       sum.length++;
                       sum.fold = CASE_RUNS ? LOAD(i) : case_fold(sum.fold, LOAD(i));
                       if (i + 1 == n || ENDS(i)) {
                           if (is_final) {
                               out[sum.num] = sum.fold;
                           }
                           if (is_final && CASE_ALSO) {
                               also[sum.num] = static_cast<case_other>(
                                   CASE_RUNS ? sum.length : heads[i]);
                           }
                           sum = { sum.num + 1, 0, case_start() };
                       }
                   }
                   return sum;
               },
               [](const run &a, const run &b) {
                   return b.num ? run{ a.num + b.num, b.length, b.fold }
                                : run{ a.num, a.length + b.length,
                                       CASE_RUNS ? b.fold : case_fold(a.fold, b.fold) };
               })
        .num;
}

#elif CASE_SCAN && (CASE_BY_FLAGS || CASE_BY_KEYS)
struct headed {
    case_item fold;
    bool head; // a segment starts in it
};

static std::size_t case_make(CASE_ARRAYS)
{
    tbb::parallel_scan(
        range(0, n), headed{ case_start(), false },
        [=](const range &part, headed sum, bool is_final) {
            const std::size_t end = part.end();
            for (std::size_t i = part.begin(); i < end; ++i) {
                const bool begins = i == 0 || ENDS(i - 1);
                const case_item before = begins ? case_start() : sum.fold;
                sum = { case_fold(before, LOAD(i)), sum.head || begins };
                if (is_final) {
                    out[i] = CASE_EXCLUSIVE ? before : sum.fold;
                }
            }
            return sum;
        },
        [](const headed &a, const headed &b) {
            return b.head ? b : headed{ case_fold(a.fold, b.fold), a.head };
        });
    return n;
}

#else
static std::size_t case_make(CASE_ARRAYS)
{
#if CASE_LENGTH || CASE_BY_OFFSETS
    tbb::parallel_for(range(0, case_segments), [=](const range &parts) {
        for (std::size_t k = parts.begin(); k < parts.end(); ++k) {
            const range part(BEGIN(k), END(k));
#if CASE_SCAN
            scan_of(CASE_THESE, part, case_start());
#else
            out[k] = fold_of(CASE_THESE, part, case_start());
#endif
        }
    });
#elif CASE_MAP
    tbb::parallel_for(range(0, n), [=](const range &part) {
        const std::size_t end = part.end();
        for (std::size_t i = part.begin(); i < end; ++i) {
            out[i] = LOAD(i);
        }
    });
#elif CASE_SCAN
    tbb::parallel_scan(
        range(0, n), case_start(),
        [=](const range &part, case_item fold, bool is_final) {
            return is_final ? scan_of(CASE_THESE, part, fold)
                            : fold_of(CASE_THESE, part, fold);
        },
        case_fold);
#else
    *out = tbb::parallel_reduce(
        range(0, n), case_start(),
        [=](const range &part, case_item fold) {
            return fold_of(CASE_THESE, part, fold);
        },
        case_fold);
#endif
    return n;
}
#endif

int main(int argc, char **argv)
{
    return case_main(argc, argv, "onetbb");
}
