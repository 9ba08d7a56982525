// Boost.Compute's reduce, transform_reduce, transform and inclusive_scan, on the OpenCL device:
// addition is its own, the other operators and what is added are custom functions.
#include "peer_opencl.h"

#include <boost/compute/algorithm/copy.hpp>
#include <boost/compute/algorithm/inclusive_scan.hpp>
#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/algorithm/transform.hpp>
#include <boost/compute/algorithm/transform_reduce.hpp>
#include <boost/compute/buffer.hpp>
#include <boost/compute/command_queue.hpp>
#include <boost/compute/function.hpp>
#include <boost/compute/functional/operator.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>

#include <boost/compute/type_traits/make_vector_type.hpp>
#include <boost/compute/type_traits/type_name.hpp>

#include <exception>
#include <string>

namespace compute = boost::compute;

namespace {

struct peer_opencl opencl;

void open(const struct peer_job *job, const void *data)
{
    if (job->op == PEER_ROWS) {
        peer_end("unsupported", "it has no reduction of rows");
    }
    if (job->op == PEER_SEGMENTS) {
        peer_end("unsupported", "it has no segmented scan");
    }
    if (job->op == PEER_SCAN && job->combine > PEER_AFFINE) {
        peer_end("unsupported", "its scans are of what memory holds");
    }
    peer_opencl_open(&opencl, job, data);
}

template <typename Item, typename Operator> void fold(std::size_t set, Operator combine)
{
    // They retain what they wrap, and release that again.
    compute::command_queue queue(opencl.queue);
    const compute::buffer in(opencl.sets[set].in), out(opencl.sets[set].out);
    const auto first = compute::make_buffer_iterator<Item>(in, 0);
    const auto last = compute::make_buffer_iterator<Item>(in, opencl.job->count);
    const auto result = compute::make_buffer_iterator<Item>(out, 0);

    if (opencl.job->op == PEER_MAP) {
        compute::copy(first, last, result, queue);
    } else if (opencl.job->op == PEER_SCAN) {
        compute::inclusive_scan(first, last, result, combine, queue);
    } else {
        compute::reduce(first, last, result, combine, queue);
    }
    queue.finish();
}

template <typename T> void add_loaded(std::size_t set, const char *name, const char *of)
{
    compute::command_queue queue(opencl.queue);
    const compute::buffer in(opencl.sets[set].in), out(opencl.sets[set].out);
    const auto x = compute::make_buffer_iterator<T>(in, 0);
    const auto end = compute::make_buffer_iterator<T>(in, opencl.job->count);
    const auto result = compute::make_buffer_iterator<T>(out, 0);
    const bool dot = opencl.job->combine == PEER_DOT, map = opencl.job->op == PEER_MAP;
    const std::string type = compute::type_name<T>();
    const std::string source = type + " " + name + "(" + type + " x" +
                               (dot ? ", " + type + " y" : "") + ") { return " + of +
                               "; }";

    if (dot) {
        const auto load = compute::make_function_from_source<T(T, T)>(name, source);
        if (map) {
            compute::transform(x, end, end, result, load, queue);
        } else {
            compute::transform_reduce(x, end, end, result, load, compute::plus<T>(),
                                      queue);
        }
    } else {
        const auto load = compute::make_function_from_source<T(T)>(name, source);
        if (map) {
            compute::transform(x, end, result, load, queue);
        } else {
            compute::transform_reduce(x, end, result, load, compute::plus<T>(), queue);
        }
    }
    queue.finish();
}

template <typename Item>
void fold_pairs(std::size_t set, const char *name, const char *of)
{
    const std::string type = compute::type_name<Item>();
    const std::string source = type + " " + name + "(" + type + " a, " + type +
                               " b) { return (" + type + ")(" + of + "); }";

    fold<Item>(set, compute::make_function_from_source<Item(Item, Item)>(name, source));
}

template <typename T> void call_type(std::size_t set)
{
    using pair = typename compute::make_vector_type<T, 2>::type;

    switch (opencl.job->combine) {
    case PEER_DUAL:
        return fold_pairs<pair>(set, "dual", PEER_TEXT(PEER_DUAL_OF));
    case PEER_AFFINE:
        return fold_pairs<pair>(set, "affine", PEER_TEXT(PEER_AFFINE_OF));
    case PEER_SQUARES:
        return add_loaded<T>(set, "squares", PEER_TEXT(PEER_SQUARES_OF));
    case PEER_DOT:
        return add_loaded<T>(set, "products", PEER_TEXT(PEER_DOT_OF));
    case PEER_ABOVE:
        return add_loaded<T>(set, "above", PEER_TEXT(PEER_ABOVE_OF));
    default:
        return fold<T>(set, compute::plus<T>());
    }
}

void call(std::size_t set)
{
    try {
        switch (opencl.job->type) {
        case PEER_F32:
            return call_type<compute::float_>(set);
        case PEER_I32:
            return call_type<compute::int_>(set);
        case PEER_F64:
            return call_type<compute::double_>(set);
        default:
            return call_type<compute::long_>(set);
        }
    } catch (const std::exception &error) {
        peer_fail("%s", error.what());
    }
}

void read(std::size_t set, void *to)
{
    peer_opencl_read(&opencl, set, to);
}

void close()
{
    peer_opencl_close(&opencl);
}

} // namespace

int main(int argc, char **argv)
{
    const struct peer peer = { "boost_compute", false, open, call, read, close };

    return peer_main(argc, argv, &peer);
}
