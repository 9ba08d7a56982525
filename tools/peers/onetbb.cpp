// oneTBB's parallel_reduce and parallel_scan, which keep the order, and parallel_for, on all
// cores.
#include "peer.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace {

using range = tbb::blocked_range<std::size_t>;

// load: the item of an element.
template <typename T> struct add {
    using item = T;
    static constexpr T start = 0;
    static T load(const T *items, std::size_t i, std::size_t)
    {
        return items[i];
    }
    T operator()(T a, T b) const
    {
        return a + b;
    }
};

template <typename T> struct squares : add<T> {
    static T load(const T *items, std::size_t i, std::size_t)
    {
        const T x = items[i];
        return PEER_SQUARES_OF;
    }
};

template <typename T> struct dot : add<T> {
    static T load(const T *items, std::size_t i, std::size_t count)
    {
        const T x = items[i], y = items[count + i];
        return PEER_DOT_OF;
    }
};

template <typename T> struct above : add<T> {
    static T load(const T *items, std::size_t i, std::size_t)
    {
        const T x = items[i];
        return PEER_ABOVE_OF;
    }
};

template <typename T> struct pair {
    T x, y;
};

template <typename T> struct pairs {
    using item = pair<T>;
    static constexpr item start = { 1, 0 };
    static item load(const item *items, std::size_t i, std::size_t)
    {
        return items[i];
    }
};

template <typename T> struct dual : pairs<T> {
    using item = pair<T>;
    item operator()(item a, item b) const
    {
        return { PEER_DUAL_OF };
    }
};

template <typename T> struct affine : pairs<T> {
    using item = pair<T>;
    item operator()(item a, item b) const
    {
        return { PEER_AFFINE_OF };
    }
};

// Of a part, onto what is before it.
template <typename By>
typename By::item fold_of(By by, const typename By::item *items, std::size_t count,
                          const range &part, typename By::item before)
{
    const std::size_t end = part.end();

    if constexpr (std::is_arithmetic<typename By::item>::value) {
        typename By::item sum = 0;

#pragma omp simd reduction(+ : sum)
        for (std::size_t i = part.begin(); i < end; ++i) {
            sum += By::load(items, i, count);
        }
        return before + sum;
    } else {
        for (std::size_t i = part.begin(); i < end; ++i) {
            before = by(before, By::load(items, i, count));
        }
        return before;
    }
}

template <typename By> void reduce(const void *in, void *out, std::size_t count)
{
    using item = typename By::item;
    const item *const items = static_cast<const item *>(in);

    *static_cast<item *>(out) = tbb::parallel_reduce(
        range(0, count), By::start,
        [=](const range &part, item before) {
            return fold_of(By(), items, count, part, before);
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
                return fold_of(By(), items, count, part, fold);
            }
            const std::size_t end = part.end();
            for (std::size_t i = part.begin(); i < end; ++i) {
                fold = By()(fold, By::load(items, i, count));
                folds[i] = fold;
            }
            return fold;
        },
        By());
}

template <typename By> void segments(const void *in, void *out, std::size_t count)
{
    using item = typename By::item;
    struct headed {
        item fold;
        bool head; // a segment starts in it
    };
    const item *const items = static_cast<const item *>(in);
    const unsigned char *const flags = peer_flags;
    item *const folds = static_cast<item *>(out);

    tbb::parallel_scan(
        range(0, count), headed{ By::start, false },
        [=](const range &part, headed sum, bool is_final) {
            const std::size_t end = part.end();
            for (std::size_t i = part.begin(); i < end; ++i) {
                const item x = By::load(items, i, count);
                sum.head = sum.head || flags[i];
                sum.fold = flags[i] ? x : By()(sum.fold, x);
                if (is_final) {
                    folds[i] = sum.fold;
                }
            }
            return sum;
        },
        [](const headed &a, const headed &b) {
            return b.head ? b : headed{ By()(a.fold, b.fold), a.head };
        });
}

template <typename By> void map(const void *in, void *out, std::size_t count)
{
    using item = typename By::item;
    const item *const items = static_cast<const item *>(in);
    item *const results = static_cast<item *>(out);

    tbb::parallel_for(range(0, count), [=](const range &part) {
        const std::size_t end = part.end();
        for (std::size_t i = part.begin(); i < end; ++i) {
            results[i] = By::load(items, i, count);
        }
    });
}

template <typename By> void rows(const void *in, void *out, std::size_t count)
{
    using item = typename By::item;
    const item *const items = static_cast<const item *>(in);
    item *const folds = static_cast<item *>(out);

    tbb::parallel_for(std::size_t{ 0 }, (count - 1) / PEER_ROW + 1, [=](std::size_t row) {
        const std::size_t first = row * PEER_ROW;
        const range part(first, std::min<std::size_t>(first + PEER_ROW, count));
        folds[row] = fold_of(By(), items, count, part, By::start);
    });
}

template <typename By> void by_offsets(const void *in, void *out, std::size_t count)
{
    using item = typename By::item;
    const item *const items = static_cast<const item *>(in);
    const std::uint32_t *const ends = peer_ends;
    item *const folds = static_cast<item *>(out);

    tbb::parallel_for(range(0, peer_segments), [=](const range &parts) {
        for (std::size_t i = parts.begin(); i < parts.end(); ++i) {
            const range part(ends[i], ends[i + 1]);
            folds[i] = fold_of(By(), items, count, part, By::start);
        }
    });
}

// Where what is kept goes, or the others.
template <typename T, bool both> void select(const void *in, void *out, std::size_t count)
{
    const T *const items = static_cast<const T *>(in);
    T *const kept = static_cast<T *>(out), *const rest = static_cast<T *>(peer_also);
    const T above = static_cast<T>(peer_above);

    *peer_num = tbb::parallel_scan(
        range(0, count), std::size_t{ 0 },
        [=](const range &part, std::size_t num, bool is_final) {
            const std::size_t end = part.end();
            if (!is_final) {
                for (std::size_t i = part.begin(); i < end; ++i) {
                    num += items[i] > above;
                }
                return num;
            }
            // A part may not write over the next one's first, so it branches.
            for (std::size_t i = part.begin(); i < end; ++i) {
                if (items[i] > above) {
                    kept[num++] = items[i];
                } else if (both) {
                    rest[i - num] = items[i];
                }
            }
            return num;
        },
        std::plus<std::size_t>());
}

// Runs of equal `of`: each is written where it ends. `fold` is of the run so far.
template <typename F> struct run {
    std::size_t num;
    F fold;
};

template <typename F, typename Of, typename Load, typename Write>
void runs(const Of *of, std::size_t count, Load load, Write write)
{
    *peer_num = tbb::parallel_scan(
                    range(0, count), run<F>{ 0, 0 },
                    [=](const range &part, run<F> sum, bool is_final) {
                        const std::size_t end = part.end();
                        for (std::size_t i = part.begin(); i < end; ++i) {
                            sum.fold += load(i);
                            if (i + 1 == count || of[i] != of[i + 1]) {
                                if (is_final) {
                                    write(sum.num, sum.fold, i);
                                }
                                sum = { sum.num + 1, 0 };
                            }
                        }
                        return sum;
                    },
                    [](const run<F> &a, const run<F> &b) {
                        return run<F>{ a.num + b.num, b.num ? b.fold : a.fold + b.fold };
                    })
                    .num;
}

template <typename T, bool has_lengths>
void unique(const void *in, void *out, std::size_t count)
{
    const T *const items = static_cast<const T *>(in);
    T *const kept = static_cast<T *>(out);
    std::uint64_t *const lengths = static_cast<std::uint64_t *>(peer_also);

    runs<std::size_t>(
        items, count, [](std::size_t) { return std::size_t{ 1 }; },
        [=](std::size_t num, std::size_t length, std::size_t i) {
            kept[num] = items[i];
            if (has_lengths) {
                lengths[num] = length;
            }
        });
}

template <typename T> void by_keys(const void *in, void *out, std::size_t count)
{
    const T *const items = static_cast<const T *>(in);
    T *const sums = static_cast<T *>(out);
    const std::uint32_t *const keys = peer_keys;
    std::uint32_t *const keys_out = static_cast<std::uint32_t *>(peer_also);

    runs<T>(
        keys, count, [=](std::size_t i) { return items[i]; },
        [=](std::size_t num, T sum, std::size_t i) {
            sums[num] = sum;
            keys_out[num] = keys[i];
        });
}

template <typename By>
constexpr struct peer_loops loops_of = { { reduce<By>, scan<By>, segments<By>, map<By>,
                                           rows<By>, by_offsets<By> } };

template <typename T> void list_selects(struct peer_loops &loops)
{
    loops.of[PEER_SELECT] = select<T, false>;
    loops.of[PEER_PARTITION] = select<T, true>;
    loops.of[PEER_UNIQUE] = unique<T, false>;
    loops.of[PEER_RLE] = unique<T, true>;
    loops.of[PEER_KEYS] = by_keys<T>;
}

template <template <typename> class By> void list(struct peer_loops *loops)
{
    loops[PEER_F32] = loops_of<By<float>>;
    loops[PEER_I32] = loops_of<By<std::int32_t>>;
    loops[PEER_F64] = loops_of<By<double>>;
    loops[PEER_I64] = loops_of<By<std::int64_t>>;
}

} // namespace

int main(int argc, char **argv)
{
    struct peer_loops loops[PEER_OPERATORS][PEER_TYPES];

    list<add>(loops[PEER_ADD]);
    list<dual>(loops[PEER_DUAL]);
    list<affine>(loops[PEER_AFFINE]);
    list_selects<float>(loops[PEER_ADD][PEER_F32]);
    list_selects<std::int32_t>(loops[PEER_ADD][PEER_I32]);
    list_selects<double>(loops[PEER_ADD][PEER_F64]);
    list_selects<std::int64_t>(loops[PEER_ADD][PEER_I64]);
    list<squares>(loops[PEER_SQUARES]);
    list<dot>(loops[PEER_DOT]);
    list<above>(loops[PEER_ABOVE]);
    return peer_loops_main(argc, argv, "onetbb", false, loops);
}
