// oneTBB's parallel_reduce and parallel_scan, on all cores.
#include "peer.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>

#include <cstdint>
#include <functional>

namespace {

using range = tbb::blocked_range<std::size_t>;

// Of a part, onto what is before it.
template <typename T> T sum_of(const T *items, const range &part, T before)
{
    const std::size_t end = part.end();
    T sum = 0;

#pragma omp simd reduction(+ : sum)
    for (std::size_t i = part.begin(); i < end; ++i) {
        sum += items[i];
    }
    return before + sum;
}

template <typename T> void reduce(const void *in, void *out, std::size_t count)
{
    const T *const items = static_cast<const T *>(in);

    *static_cast<T *>(out) = tbb::parallel_reduce(
        range(0, count), T(0),
        [=](const range &part, T before) { return sum_of(items, part, before); },
        std::plus<T>());
}

template <typename T> void scan(const void *in, void *out, std::size_t count)
{
    const T *const items = static_cast<const T *>(in);
    T *const sums = static_cast<T *>(out);

    tbb::parallel_scan(
        range(0, count), T(0),
        [=](const range &part, T sum, bool is_final) {
            if (!is_final) {
                return sum_of(items, part, sum);
            }
            const std::size_t end = part.end();
            for (std::size_t i = part.begin(); i < end; ++i) {
                sum += items[i];
                sums[i] = sum;
            }
            return sum;
        },
        std::plus<T>());
}

} // namespace

int main(int argc, char **argv)
{
    // by peer_type
    const struct peer_loops loops[PEER_TYPES] = {
        { reduce<float>, scan<float> },
        { reduce<std::int32_t>, scan<std::int32_t> },
        { reduce<double>, scan<double> },
        { reduce<std::int64_t>, scan<std::int64_t> },
    };

    return peer_loops_main(argc, argv, "onetbb", loops);
}
