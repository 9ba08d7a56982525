// oneTBB's parallel_reduce and parallel_scan, on all cores, which keep the order.
#include "peer.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>

#include <cstdint>

namespace {

using range = tbb::blocked_range<std::size_t>;

template <typename T> struct add {
    using item = T;
    static constexpr T start = 0;
    T operator()(T a, T b) const
    {
        return a + b;
    }
};

template <typename T> struct pair {
    T x, y;
};

template <typename T> struct dual {
    using item = pair<T>;
    static constexpr item start = { 1, 0 };
    item operator()(item a, item b) const
    {
        return { PEER_DUAL_OF };
    }
};

template <typename T> struct affine {
    using item = pair<T>;
    static constexpr item start = { 1, 0 };
    item operator()(item a, item b) const
    {
        return { PEER_AFFINE_OF };
    }
};

// Of a part, onto what is before it.
template <typename By>
typename By::item fold_of(By by, const typename By::item *items, const range &part,
                          typename By::item before)
{
    const std::size_t end = part.end();

    for (std::size_t i = part.begin(); i < end; ++i) {
        before = by(before, items[i]);
    }
    return before;
}

template <typename T> T fold_of(add<T>, const T *items, const range &part, T before)
{
    const std::size_t end = part.end();
    T sum = 0;

#pragma omp simd reduction(+ : sum)
    for (std::size_t i = part.begin(); i < end; ++i) {
        sum += items[i];
    }
    return before + sum;
}

template <typename By> void reduce(const void *in, void *out, std::size_t count)
{
    using item = typename By::item;
    const item *const items = static_cast<const item *>(in);

    *static_cast<item *>(out) = tbb::parallel_reduce(
        range(0, count), By::start,
        [=](const range &part, item before) {
            return fold_of(By(), items, part, before);
        },
        By());
}

template <typename By> void scan(const void *in, void *out, std::size_t count)
{
    using item = typename By::item;
    const item *const items = static_cast<const item *>(in);
    item *const folds = static_cast<item *>(out);

    tbb::parallel_scan(
        range(0, count), By::start,
        [=](const range &part, item fold, bool is_final) {
            if (!is_final) {
                return fold_of(By(), items, part, fold);
            }
            const std::size_t end = part.end();
            for (std::size_t i = part.begin(); i < end; ++i) {
                fold = By()(fold, items[i]);
                folds[i] = fold;
            }
            return fold;
        },
        By());
}

template <template <typename> class By> void list(struct peer_loops *loops)
{
    loops[PEER_F32] = { reduce<By<float>>, scan<By<float>> };
    loops[PEER_I32] = { reduce<By<std::int32_t>>, scan<By<std::int32_t>> };
    loops[PEER_F64] = { reduce<By<double>>, scan<By<double>> };
    loops[PEER_I64] = { reduce<By<std::int64_t>>, scan<By<std::int64_t>> };
}

} // namespace

int main(int argc, char **argv)
{
    struct peer_loops loops[PEER_OPERATORS][PEER_TYPES];

    list<add>(loops[PEER_ADD]);
    list<dual>(loops[PEER_DUAL]);
    list<affine>(loops[PEER_AFFINE]);
    return peer_loops_main(argc, argv, "onetbb", false, loops);
}
