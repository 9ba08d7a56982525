// A peer: Boost.Compute's reduce, transform_reduce, transform, inclusive_scan, exclusive_scan,
// reduce_by_key, copy_if, partition_copy and unique_copy, on the OpenCL device: addition is its
// own, the other operators and all texts are custom functions.
#include "case.h"
#include "opencl.h"

#include <boost/compute/algorithm/copy.hpp>
#include <boost/compute/algorithm/copy_if.hpp>
#include <boost/compute/algorithm/exclusive_scan.hpp>
#include <boost/compute/algorithm/inclusive_scan.hpp>
#include <boost/compute/algorithm/partition_copy.hpp>
#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/algorithm/reduce_by_key.hpp>
#include <boost/compute/algorithm/transform.hpp>
#include <boost/compute/algorithm/transform_reduce.hpp>
#include <boost/compute/algorithm/unique_copy.hpp>
#include <boost/compute/function.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>
#include <boost/compute/iterator/counting_iterator.hpp>

#include <exception>
#include <string>
#include <vector>

namespace compute = boost::compute;

namespace {

#if CASE_PAIR
using item = compute::make_vector_type<CASE_T, 2>::type;
using element = item;
#else
using item = case_scalar;
using element = case_x;
#endif

std::uint64_t num_made; // by the last call
cl_mem keys, keys_out;  // of segments by flags or offsets: the number of each element's
bool leaves_empty;

template <typename T> compute::buffer_iterator<T> at(void *memory)
{
    return compute::make_buffer_iterator<T>(compute::buffer(static_cast<cl_mem>(memory)));
}

template <typename Result, typename... Arguments>
auto function(const char *name, const std::string &arguments, const char *of)
{
    const std::string type = compute::type_name<Result>(),
                      n = "const ulong n = " + std::to_string(lab_data.count) + "; ";
    return compute::make_function_from_source<Result(Arguments...)>(
        name, type + " " + name + "(" + arguments + ") { " + n + "return (" + type +
                  ")(" + of + "); }");
}

[[maybe_unused]] auto combine()
{
#if CASE_PLUS
    return compute::plus<item>();
#else
    const std::string type = compute::type_name<item>();
    return function<item, item, item>(
        "combine", type + " a, " + type + " b",
        CASE_PAIR ? CASE_TEXT(CASE_OP_X) ", " CASE_TEXT(CASE_OP_Y) : CASE_TEXT(CASE_OP));
#endif
}

// What is loaded for x and y, or else i.
#if CASE_STREAM
using second = case_y;
#define SECOND(set) at<second>(CASE_IN_OF(void, set, "y"))
#else
using second = compute::ulong_;
#define SECOND(set) compute::make_counting_iterator<second>(0)
#endif

[[maybe_unused]] auto load()
{
    const std::string x = compute::type_name<element>(), y = compute::type_name<second>();
    return function<item, element, second>(
        "loaded", x + " x, " + y + (CASE_STREAM ? " y" : " i"), CASE_TEXT(CASE_LOAD));
}

void make_set(std::size_t set)
{
    compute::command_queue queue(lab_opencl.queue); // retained, and released again
    const auto x = at<element>(CASE_IN_OF(void, set, "in"));
    const auto end = x + static_cast<std::ptrdiff_t>(lab_data.count);
    const auto out = at<item>(CASE_OUT_OF(void, set, "out"));
    [[maybe_unused]] void *const also = CASE_OUT_OF(void, set, "also");
    [[maybe_unused]] auto last = out;

#if CASE_SCAN && CASE_EXCLUSIVE && !CASE_PAIR
    compute::exclusive_scan(x, end, out, case_start(), combine(), queue);
#elif CASE_SCAN
    compute::inclusive_scan(x, end, out, combine(), queue);
#elif CASE_RUNS
    last = compute::unique_copy(x, end, out, queue);
#elif CASE_SELECT
    const std::string type = compute::type_name<element>();
    const auto keeps =
        function<int, element>("keeps", type + " x", "(" CASE_TEXT(CASE_KEEP) ") != 0");
#if CASE_ALSO
    last = compute::partition_copy(x, end, out, at<item>(also), keeps, queue).first;
#else
    last = compute::copy_if(x, end, out, keeps, queue);
#endif
#elif CASE_BY
    const auto first = at<case_key>(CASE_BY_KEYS ? CASE_IN_OF(void, set, "heads") : keys);
    last =
        compute::reduce_by_key(first, first + static_cast<std::ptrdiff_t>(lab_data.count),
                               x, at<case_key>(also ? also : keys_out), out, combine(),
                               compute::equal_to<case_key>(), queue)
            .second;
#elif CASE_MAP && CASE_PLAIN
    compute::copy(x, end, out, queue);
#elif CASE_MAP
    compute::transform(x, end, SECOND(set), out, load(), queue);
#elif CASE_PLAIN
    compute::reduce(x, end, out, combine(), queue);
#else
    compute::transform_reduce(x, end, SECOND(set), out, load(), combine(), queue);
#endif
    queue.finish();
    num_made = static_cast<std::uint64_t>(last - out);
}

void make(unsigned, std::size_t set)
{
    try {
        make_set(set);
    } catch (const std::exception &error) {
        lab_fail("%s", error.what());
    }
}

void settle(std::size_t set)
{
    if (void *const num = CASE_OUT_OF(void, set, "num")) {
        lab_opencl_memory.write(num, &num_made, sizeof(num_made));
    }
}

bool call(unsigned, const char *, int, char **)
{
    const char *const why =
        CASE_COLUMNS || (CASE_LENGTH && CASE_REDUCE)
            ? "it has no reduction of rows or columns"
        : CASE_SCAN && (CASE_LENGTH || CASE_BY) ? "it has no segmented scan"
        : CASE_RUNS && CASE_ALSO                ? "it has no lengths of runs"
        : (CASE_SELECT || CASE_SCAN || CASE_BY) && (!CASE_PLAIN || !CASE_KEEPS_X)
            ? "its scans, selects and reduction by keys are of what memory holds"
        : CASE_SCAN && CASE_EXCLUSIVE && CASE_PAIR ? "it has no exclusive scan of pairs"
        : CASE_STREAM && CASE_LOADS_I
            ? "this program has no such text of Boost.Compute's yet"
        : leaves_empty ? "its reduction by keys has no empty segments"
                       : nullptr;
    return !why || lab_refuse("%s", why);
}

void take()
{
#if CASE_REDUCE && CASE_BY
    const std::size_t bytes = lab_data.count * sizeof(case_key);
    for (cl_mem *one : { &keys, &keys_out }) {
        if (*one) {
            lab_opencl_memory.release(*one);
        }
        *one = static_cast<cl_mem>(lab_opencl_memory.create(bytes));
    }
#if !CASE_BY_KEYS
    std::vector<case_key> numbers(lab_data.count);
    leaves_empty = case_number(numbers.data());
    lab_opencl_memory.write(keys, numbers.data(), bytes);
#endif
#endif
}

} // namespace

int main(int argc, char **argv)
{
    const lab_program program = {
        .name = "boost_compute",
        .call = call,
        .make = make,
        .memory = &lab_opencl_memory,
        .open = lab_opencl_open,
        .data = take,
        .settle = settle,
    };

    return lab_main(argc, argv, &program);
}
