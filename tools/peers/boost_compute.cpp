// Boost.Compute's reduce, transform_reduce, transform, inclusive_scan, reduce_by_key, copy_if,
// partition_copy and unique_copy, on the OpenCL device: addition is its own, the other operators
// and what is added are custom functions.
#include "peer_opencl.h"

#include <boost/compute/algorithm/copy.hpp>
#include <boost/compute/algorithm/copy_if.hpp>
#include <boost/compute/algorithm/inclusive_scan.hpp>
#include <boost/compute/algorithm/partition_copy.hpp>
#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/algorithm/reduce_by_key.hpp>
#include <boost/compute/algorithm/transform.hpp>
#include <boost/compute/algorithm/transform_reduce.hpp>
#include <boost/compute/algorithm/unique_copy.hpp>
#include <boost/compute/buffer.hpp>
#include <boost/compute/command_queue.hpp>
#include <boost/compute/function.hpp>
#include <boost/compute/functional/operator.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>

#include <boost/compute/type_traits/make_vector_type.hpp>
#include <boost/compute/type_traits/type_name.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

namespace compute = boost::compute;

namespace {

struct peer_opencl opencl;
std::uint64_t num_kept; // by the last call
cl_mem keys, keys_out; // of segments by offsets: the number of each element's

void make_keys(const void *flags)
{
    const std::uint32_t *const offsets = static_cast<const std::uint32_t *>(flags);
    const bool are_keys = opencl.job->op == PEER_KEYS;
    std::vector<cl_uint> numbers(offsets, offsets + (are_keys ? opencl.job->count : 0));
    cl_int status[2];

    numbers.resize(opencl.job->count);
    for (std::size_t part = 0; !are_keys && part < opencl.job->segments; part++) {
        std::fill(numbers.begin() + offsets[part], numbers.begin() + offsets[part + 1],
                  static_cast<cl_uint>(part));
    }
    keys = clCreateBuffer(opencl.context, CL_MEM_COPY_HOST_PTR, numbers.size() * 4,
                          numbers.data(), &status[0]);
    keys_out =
        clCreateBuffer(opencl.context, 0, numbers.size() * 4, nullptr, &status[1]);
    if (status[0] || status[1]) {
        peer_fail("no buffers for keys");
    }
}

void open(const struct peer_job *job, const void *data)
{
    if (job->op == PEER_ROWS) {
        peer_end("unsupported", "it has no reduction of rows");
    }
    if (job->op == PEER_SEGMENTS) {
        peer_end("unsupported", "it has no segmented scan");
    }
    if (job->op == PEER_RLE) {
        peer_end("unsupported", "it has no lengths of runs");
    }
    if (job->op == PEER_SCAN && job->combine > PEER_AFFINE) {
        peer_end("unsupported", "its scans are of what memory holds");
    }
    if (job->op == PEER_OFFSETS && (job->leaves_empty || job->combine != PEER_ADD)) {
        peer_end("unsupported", job->leaves_empty
                                    ? "its reduction by keys has no empty segments"
                                    : "this program has no other operators by keys yet");
    }
    peer_opencl_open(&opencl, job, data);
    if (job->op == PEER_OFFSETS || job->op == PEER_KEYS) {
        make_keys(static_cast<const char *>(data) + job->flags_at);
    }
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

template <typename T> compute::buffer_iterator<T> fold_segments(std::size_t set)
{
    compute::command_queue queue(opencl.queue);
    const compute::buffer in(opencl.sets[set].in), out(opencl.sets[set].out);
    const compute::buffer of(keys), to(keys_out);

    const auto ends = compute::reduce_by_key(
        compute::make_buffer_iterator<compute::uint_>(of, 0),
        compute::make_buffer_iterator<compute::uint_>(of, opencl.job->count),
        compute::make_buffer_iterator<T>(in, 0),
        compute::make_buffer_iterator<compute::uint_>(to, 0),
        compute::make_buffer_iterator<T>(out, 0), compute::plus<T>(),
        compute::equal_to<compute::uint_>(), queue);
    queue.finish();
    return ends.second;
}

// All tell the host how many there are.
template <typename T> void select(std::size_t set)
{
    const peer_job *const job = opencl.job;
    compute::command_queue queue(opencl.queue);
    const compute::buffer in(opencl.sets[set].in), out(opencl.sets[set].out);
    const auto x = compute::make_buffer_iterator<T>(in, 0);
    const auto end = compute::make_buffer_iterator<T>(in, job->count);
    const auto kept = compute::make_buffer_iterator<T>(out, 0);
    const std::string type = compute::type_name<T>();
    const auto is_above = compute::make_function_from_source<bool(T)>(
        "is_above", "bool is_above(" + type + " x) { return x > " +
                        std::to_string(job->above) + "; }");
    auto last = kept;

    if (job->op == PEER_SELECT) {
        last = compute::copy_if(x, end, kept, is_above, queue);
    } else if (job->op == PEER_PARTITION) {
        const auto rest = compute::make_buffer_iterator<T>(out, job->also_at / sizeof(T));
        last = compute::partition_copy(x, end, kept, rest, is_above, queue).first;
    } else if (job->op == PEER_UNIQUE) {
        last = compute::unique_copy(x, end, kept, queue);
    } else {
        last = fold_segments<T>(set);
    }
    queue.finish();
    num_kept = static_cast<std::uint64_t>(last - kept);
}

template <typename T> void call_type(std::size_t set)
{
    if (opencl.job->op > PEER_OFFSETS) {
        return select<T>(set);
    }
    if (opencl.job->op == PEER_OFFSETS) {
        fold_segments<T>(set);
        return;
    }
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
    if (opencl.job->op > PEER_OFFSETS) {
        std::memcpy(static_cast<char *>(to) + opencl.job->num_at, &num_kept,
                    sizeof(num_kept));
    }
    if (opencl.job->op == PEER_KEYS &&
        clEnqueueReadBuffer(opencl.queue, keys_out, CL_TRUE, 0, num_kept * 4,
                            static_cast<char *>(to) + opencl.job->also_at, 0, nullptr,
                            nullptr)) {
        peer_fail("the keys cannot be read");
    }
}

void close()
{
    if (keys) {
        clReleaseMemObject(keys);
        clReleaseMemObject(keys_out);
    }
    peer_opencl_close(&opencl);
}

} // namespace

int main(int argc, char **argv)
{
    const struct peer peer = { "boost_compute", false, open, call, read, close };

    return peer_main(argc, argv, &peer);
}
