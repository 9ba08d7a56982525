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
#include <boost/compute/buffer.hpp>
#include <boost/compute/command_queue.hpp>
#include <boost/compute/function.hpp>
#include <boost/compute/functional/operator.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>
#include <boost/compute/iterator/counting_iterator.hpp>
#include <boost/compute/type_traits/make_vector_type.hpp>
#include <boost/compute/type_traits/type_name.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <type_traits>
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
#ifndef CASE_BY_KEYS
#define CASE_BY_KEYS 0
#endif
#ifndef CASE_REDUCE
#define CASE_REDUCE 0
#endif
#if CASE_BY_KEYS
using key = case_head;
#else
using key = compute::uint_;
#endif

constexpr bool has_word(const char *text, char word)
{
    for (char before = ' '; *text; before = *text++) {
        const bool inside = (before >= 'a' && before <= 'z') || before == '_';
        const bool goes_on = (text[1] >= 'a' && text[1] <= 'z') || text[1] == '_';
        if (*text == word && !inside && !goes_on) {
            return true;
        }
    }
    return false;
}

constexpr const char *load_text = CASE_TEXT(CASE_LOAD), *keep_text = CASE_TEXT(CASE_KEEP);
constexpr bool load_has_y = has_word(load_text, 'y'),
               load_has_i = has_word(load_text, 'i');
constexpr bool is_plain =
    load_text[0] == 'x' && !load_text[1] && std::is_same<item, element>::value;
const struct lab_data *data;
std::uint64_t num_made; // by the last call
cl_mem keys, keys_out;  // of segments by flags or offsets: the number of each element's
bool leaves_empty;

template <typename T> compute::buffer_iterator<T> at(cl_mem memory, std::size_t place = 0)
{
    return compute::make_buffer_iterator<T>(compute::buffer(memory), place);
}

cl_mem in_of(std::size_t set, const char *name)
{
    const lab_array *const array = lab_in(data, name);
    return array ? lab_opencl.sets[set].in[array - data->in] : nullptr;
}

cl_mem out_of(std::size_t set, const char *name)
{
    const lab_array *const array = lab_out(data, name);
    return array ? lab_opencl.sets[set].out[array - data->out] : nullptr;
}

template <typename Result, typename... Arguments>
auto function(const char *name, const std::string &arguments, const std::string &of)
{
    const std::string type =
        std::is_same<Result, bool>::value ? "bool" : compute::type_name<Result>();
    const std::string n =
        "const ulong n = " + std::to_string(data->count) + "; (void)n; ";
    return compute::make_function_from_source<Result(Arguments...)>(
        name, type + " " + name + "(" + arguments + ") { " + n + "return (" + type +
                  ")(" + of + "); }");
}

[[maybe_unused]] auto combine()
{
#if CASE_PLUS
    return compute::plus<item>();
#else
#if CASE_PAIR
    const char *const of = CASE_TEXT(CASE_OP_X) ", " CASE_TEXT(CASE_OP_Y);
#else
    const char *const of = CASE_TEXT(CASE_OP);
#endif
    const std::string type = compute::type_name<item>();
    return function<item, item, item>("combine", type + " a, " + type + " b", of);
#endif
}

// With what is loaded for x alone, or for x and y, or x and i.
template <typename Unary, typename Binary>
void load(std::size_t set, Unary &&unary, Binary &&binary)
{
    const std::string x = std::string(compute::type_name<element>()) + " x";
    if constexpr (load_has_y) {
        const std::string y = std::string(", ") + compute::type_name<case_y>() + " y";
        binary(at<case_y>(in_of(set, "y")),
               function<item, element, case_y>("loaded", x + y, load_text));
    } else if constexpr (load_has_i) {
        binary(compute::make_counting_iterator<compute::ulong_>(0),
               function<item, element, compute::ulong_>("loaded", x + ", ulong i",
                                                        load_text));
    } else {
        unary(function<item, element>("loaded", x, load_text));
    }
}

void make_set(std::size_t set)
{
    compute::command_queue queue(lab_opencl.queue); // retained, and released again
    const auto x = at<element>(in_of(set, "in"));
    const auto end = x + static_cast<std::ptrdiff_t>(data->count);
    const auto out = at<item>(out_of(set, "out"));
    [[maybe_unused]] auto last = out;

#if CASE_MAP
    if constexpr (is_plain) {
        compute::copy(x, end, out, queue);
    } else {
        load(
            set, [&](auto of) { compute::transform(x, end, out, of, queue); },
            [&](auto y, auto of) { compute::transform(x, end, y, out, of, queue); });
    }
#elif CASE_SCAN && CASE_EXCLUSIVE && !CASE_PAIR
    compute::exclusive_scan(x, end, out, case_start(), combine(), queue);
#elif CASE_SCAN
    compute::inclusive_scan(x, end, out, combine(), queue);
#elif CASE_SELECT && CASE_RUNS
    last = compute::unique_copy(x, end, out, queue);
#elif CASE_SELECT
    const auto keeps = function<bool, element>(
        "keeps", std::string(compute::type_name<element>()) + " x", keep_text);
#if CASE_ALSO
    const auto also = at<item>(out_of(set, "also"));
    last = compute::partition_copy(x, end, out, also, keeps, queue).first;
#else
    last = compute::copy_if(x, end, out, keeps, queue);
#endif
#elif CASE_BY_KEYS || CASE_BY_FLAGS || CASE_BY_OFFSETS
    const auto first = at<key>(CASE_BY_KEYS ? in_of(set, "heads") : keys);
    const cl_mem also = out_of(set, "also");
    last = compute::reduce_by_key(first, first + static_cast<std::ptrdiff_t>(data->count),
                                  x, at<key>(also ? also : keys_out), out, combine(),
                                  compute::equal_to<key>(), queue)
               .second;
#else
    if constexpr (is_plain) {
        compute::reduce(x, end, out, combine(), queue);
    } else {
        load(
            set,
            [&](auto of) {
                compute::transform_reduce(x, end, out, of, combine(), queue);
            },
            [&](auto y, auto of) {
                compute::transform_reduce(x, end, y, out, of, combine(), queue);
            });
    }
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

bool call(unsigned, const char *, int, char **)
{
#if CASE_COLUMNS || (CASE_LENGTH && CASE_REDUCE)
    return lab_refuse("it has no reduction of rows or columns");
#elif CASE_SCAN && (CASE_LENGTH || CASE_BY_FLAGS || CASE_BY_KEYS || CASE_BY_OFFSETS)
    return lab_refuse("it has no segmented scan");
#elif CASE_RUNS && CASE_ALSO
    return lab_refuse("it has no lengths of runs");
#else
    if (!is_plain && (CASE_KEEPS || CASE_RUNS || lab_in(data, "heads"))) {
        return lab_refuse(
            "its selects and its reduction by keys are of what memory holds");
    }
#if CASE_SCAN
    if (!is_plain || (CASE_EXCLUSIVE && std::is_class<case_item>::value)) {
        return lab_refuse("its scans are of what memory holds");
    }
#endif
    if ((load_has_y && load_has_i) || has_word(keep_text, 'y') ||
        has_word(keep_text, 'i')) {
        return lab_refuse("this program has no such text of Boost.Compute's yet");
    }
    return !leaves_empty || lab_refuse("its reduction by keys has no empty segments");
#endif
}

void take(const struct lab_data *all)
{
    data = all;
    lab_opencl_data(all);
#if CASE_REDUCE && (CASE_BY_FLAGS || CASE_BY_OFFSETS || CASE_BY_KEYS)
    const lab_array *const array = lab_in(data, "heads");
    const case_head *const heads = static_cast<const case_head *>(array->bytes);
    std::vector<key> numbers(data->count);
#if CASE_BY_OFFSETS
    const std::size_t num = array->size / sizeof(*heads) - 1;
    leaves_empty = false;
    for (std::size_t k = 0; k < num; k++) {
        leaves_empty = leaves_empty || heads[k] == heads[k + 1];
        std::fill(numbers.begin() + heads[k], numbers.begin() + heads[k + 1],
                  static_cast<key>(k));
    }
#elif CASE_BY_FLAGS
    for (std::size_t i = 1; i < data->count; i++) {
        numbers[i] = numbers[i - 1] + (heads[i] != 0);
    }
#endif
    const std::size_t bytes = data->count * sizeof(key);
    keys_out = lab_opencl_create(bytes);
    keys = lab_opencl_create(bytes);
    lab_opencl_require(clEnqueueWriteBuffer(lab_opencl.queue, keys, CL_TRUE, 0, bytes,
                                            numbers.data(), 0, nullptr, nullptr),
                       "clEnqueueWriteBuffer");
#endif
}

void read(std::size_t set, std::size_t out, void *to)
{
    if (std::strcmp(data->out[out].name, "num") == 0) {
        std::memcpy(to, &num_made, sizeof(num_made));
    } else {
        lab_opencl_read(set, out, to);
    }
}

} // namespace

int main(int argc, char **argv)
{
    struct lab_program program = {};

    program.name = "boost_compute";
    program.open = lab_opencl_open;
    program.data = take;
    program.call = call;
    program.make = make;
    program.spoil = lab_opencl_spoil;
    program.read = read;
    return lab_main(argc, argv, &program);
}
