// A peer: CUB's DeviceReduce, DeviceSegmentedReduce, DeviceScan, DeviceSelect, DevicePartition,
// DeviceRunLengthEncode and DeviceFor, on a CUDA device: --device takes its number,
// `gpu`, or a part of its name. CUB documents that its reductions need a commutative operator.
#define CASE_ON __host__ __device__
#include "case.h"

#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

namespace {

struct set {
    void *in[LAB_ARRAYS], *out[LAB_ARRAYS];
};

const lab_data *data;
std::vector<set> sets;
std::uint32_t *keys; // of segments by flags that are scanned or folded
void *scratch, *unused; // unused: for keys that the driver does not want
unsigned long long *num_unused;
std::size_t scratch_bytes;

void require(cudaError_t status, const char *call)
{
    if (status != cudaSuccess) {
        lab_fail("%s: %s", call, cudaGetErrorString(status));
    }
}

bool is_selected(const char *selector, int index, const char *name)
{
    if (!selector || std::strcmp(selector, "gpu") == 0) {
        return true;
    }
    if (selector[0] && std::strspn(selector, "0123456789") == std::strlen(selector)) {
        return std::atoi(selector) == index;
    }
    return std::strstr(name, selector) != nullptr;
}

void open(const char *selector)
{
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);

    if (status != cudaSuccess || count == 0) {
        lab_end("no_device", "%s", status != cudaSuccess ? cudaGetErrorString(status)
                                                  : "there is no CUDA device");
    }
    for (int i = 0; i < count; ++i) {
        cudaDeviceProp properties;
        require(cudaGetDeviceProperties(&properties, i), "cudaGetDeviceProperties");
        if (is_selected(selector, i, properties.name)) {
            require(cudaSetDevice(i), "cudaSetDevice");
            lab_runs_on(properties.name, -1, "CUDA", "", false);
            return;
        }
    }
    lab_end("no_device", "no CUDA device is %s", selector);
}

struct combine {
    __host__ __device__ case_item operator()(const case_item &a, const case_item &b) const
    {
        return case_fold(a, b);
    }
};

struct keep {
    __host__ __device__ bool operator()(const case_element &x) const
    {
        return case_keep(x, 0, 0, 0);
    }
};

// What is loaded for an element, by its place.
struct loaded {
    const case_element *in;
    const case_y *ys;
    std::size_t n;
    __host__ __device__ case_item operator()(std::size_t i) const
    {
        return case_load(in[i], CASE_STREAM ? ys[i] : case_y(0), i, n);
    }
};

// Where a row begins.
struct row_start {
    std::size_t n, length;
    __host__ __device__ std::int64_t operator()(std::size_t row) const
    {
        const std::size_t at = row * length;
        return static_cast<std::int64_t>(at < n ? at : n);
    }
};

struct row_of {
    std::size_t length;
    __host__ __device__ std::size_t operator()(std::size_t i) const
    {
        return i / length;
    }
};

template <typename Items> struct mapped {
    Items x;
    case_item *out;
    __device__ void operator()(std::size_t i) const
    {
        out[i] = x[i];
    }
};

template <typename F> auto counted(F of)
{
    return thrust::make_transform_iterator(thrust::counting_iterator<std::size_t>(0), of);
}

constexpr bool is_plain = CASE_TEXT(CASE_LOAD)[0] == 'x' && !CASE_TEXT(CASE_LOAD)[1] &&
                          std::is_same<case_element, case_item>::value;

template <typename T> T *in_of(const set &s, const char *name)
{
    const lab_array *const array = lab_in(data, name);
    return array ? static_cast<T *>(s.in[array - data->in]) : nullptr;
}

template <typename T> T *out_of(const set &s, const char *name, void *otherwise = nullptr)
{
    const lab_array *const array = lab_out(data, name);
    return static_cast<T *>(array ? s.out[array - data->out] : otherwise);
}

// With temp nullptr it only tells the bytes.
cudaError_t call_cub(const set &s, void *temp, std::size_t &bytes)
{
    const std::size_t n = data->count;
    const case_element *const in = in_of<case_element>(s, "in");
    [[maybe_unused]] const case_head *const heads = in_of<case_head>(s, "heads");
    case_item *const out = out_of<case_item>(s, "out");
    [[maybe_unused]] auto *const num = out_of<unsigned long long>(s, "num", num_unused);
    [[maybe_unused]] const auto x = [&] {
        if constexpr (is_plain) {
            return in;
        } else {
            return counted(loaded{ in, in_of<case_y>(s, "y"), n });
        }
    }();
#if CASE_SCAN
#if CASE_LENGTH
    const auto key = counted(row_of{ CASE_LENGTH });
#elif CASE_BY_KEYS
    const auto key = heads;
#else
    const auto key = keys;
#endif
    (void)key;
#if CASE_LENGTH || CASE_BY_KEYS || CASE_BY_FLAGS || CASE_BY_OFFSETS
#if CASE_EXCLUSIVE
    return cub::DeviceScan::ExclusiveScanByKey(temp, bytes, key, x, out, combine(),
                                               case_start(), n);
#elif CASE_PLUS
    return cub::DeviceScan::InclusiveSumByKey(temp, bytes, key, x, out, n);
#else
    return cub::DeviceScan::InclusiveScanByKey(temp, bytes, key, x, out, combine(), n);
#endif
#elif CASE_EXCLUSIVE
    return cub::DeviceScan::ExclusiveScan(temp, bytes, x, out, combine(), case_start(), n);
#elif CASE_PLUS
    return cub::DeviceScan::InclusiveSum(temp, bytes, x, out, n);
#else
    return cub::DeviceScan::InclusiveScan(temp, bytes, x, out, combine(), n);
#endif
#elif CASE_SELECT
    const int count = static_cast<int>(n); // older versions take no more
#if CASE_RUNS && CASE_ALSO
    return cub::DeviceRunLengthEncode::Encode(temp, bytes, in, out,
                                              out_of<unsigned long long>(s, "also"), num, count);
#elif CASE_RUNS
    return cub::DeviceSelect::Unique(temp, bytes, in, out, num, count);
#elif CASE_ALSO // the others come from the end on, in `read` turned
    return cub::DevicePartition::If(temp, bytes, in, out, num, count, keep());
#else
    return cub::DeviceSelect::If(temp, bytes, in, out, num, count, keep());
#endif
#elif CASE_MAP
    bytes = 1;
    return temp ? cub::DeviceFor::Bulk(n, mapped<std::remove_const_t<decltype(x)>>{ x, out })
                : cudaSuccess;
#elif CASE_LENGTH || CASE_BY_OFFSETS
#if CASE_LENGTH
    const auto starts = counted(row_start{ n, CASE_LENGTH });
#else
    const auto starts = heads;
#endif
    const std::size_t parts = lab_out(data, "out")->size / sizeof(case_item);
#if CASE_PLUS
    return cub::DeviceSegmentedReduce::Sum(temp, bytes, x, out, parts, starts, starts + 1);
#else
    return cub::DeviceSegmentedReduce::Reduce(temp, bytes, x, out, parts, starts, starts + 1,
                                              combine(), case_start());
#endif
#elif CASE_BY_KEYS || CASE_BY_FLAGS
#if CASE_BY_KEYS
    const auto key = heads;
    auto *const also = out_of<case_head>(s, "also", unused);
#else
    const auto key = keys;
    auto *const also = static_cast<std::uint32_t *>(unused);
#endif
    return cub::DeviceReduce::ReduceByKey(temp, bytes, key, also, x, out, num, combine(),
                                          static_cast<int>(n));
#elif CASE_PLUS
    return cub::DeviceReduce::Sum(temp, bytes, x, out, n);
#else
    return cub::DeviceReduce::Reduce(temp, bytes, x, out, n, combine(), case_start());
#endif
}

bool call(unsigned, const char *, int, char **)
{
#if CASE_COLUMNS
    return lab_refuse("this program has no columns of CUB's yet");
#elif CASE_REDUCE && !CASE_REORDERS
    return lab_refuse("it reduces in any order, and the operator does not commute");
#elif CASE_SELECT
    if (!is_plain || data->count > INT32_MAX) {
        return lab_refuse("this program selects up to 2^31 elements that memory holds");
    }
#endif
    require(call_cub(sets[0], nullptr, scratch_bytes), "the size of scratch");
    cudaFree(scratch);
    require(cudaMalloc(&scratch, scratch_bytes), "cudaMalloc");
    return true;
}

void *allocate(std::size_t bytes, const void *from)
{
    void *memory;

    require(cudaMalloc(&memory, bytes + 1), "cudaMalloc");
    require(from ? cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice)
                 : cudaMemset(memory, 0, bytes + 1),
            "cudaMemcpy");
    return memory;
}

void take(const lab_data *all)
{
    data = all;
    for (const set &s : sets) {
        std::for_each(s.in, s.in + LAB_ARRAYS, cudaFree);
        std::for_each(s.out, s.out + LAB_ARRAYS, cudaFree);
    }
    cudaFree(keys);
    cudaFree(unused);
    sets.assign(data->sets, set{});
    for (set &s : sets) {
        for (std::size_t k = 0; k < data->num_in; ++k) {
            s.in[k] = allocate(data->in[k].size, data->in[k].bytes);
        }
        for (std::size_t k = 0; k < data->num_out; ++k) {
            s.out[k] = allocate(data->out[k].size, nullptr);
        }
    }
    unused = allocate(data->count * 8, nullptr);
    num_unused = static_cast<unsigned long long *>(allocate(8, nullptr));
    std::vector<std::uint32_t> numbers(data->count);
#if CASE_BY_FLAGS || (CASE_SCAN && CASE_BY_OFFSETS)
    const lab_array *const array = lab_in(data, "heads");
    const case_head *const heads = static_cast<const case_head *>(array->bytes);
#if CASE_BY_OFFSETS
    for (std::size_t k = 0; k + 1 < array->size / sizeof(*heads); ++k) {
        std::fill(numbers.begin() + heads[k], numbers.begin() + heads[k + 1], std::uint32_t(k));
    }
#else
    for (std::size_t i = 1; i < numbers.size(); ++i) {
        numbers[i] = numbers[i - 1] + (heads[i] != 0);
    }
#endif
#endif
    keys = static_cast<std::uint32_t *>(allocate(numbers.size() * 4, numbers.data()));
}

void make(unsigned, std::size_t index)
{
    require(call_cub(sets[index], scratch, scratch_bytes), "the call");
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

void spoil(std::size_t index, unsigned char byte)
{
    for (std::size_t k = 0; k < data->num_out; ++k) {
        require(cudaMemset(sets[index].out[k], byte, data->out[k].size), "cudaMemset");
    }
}

void read(std::size_t index, std::size_t out, void *to)
{
    const void *from = sets[index].out[out];
    const std::size_t size = data->out[out].size;

#if CASE_KEEPS && CASE_ALSO
    if (std::strcmp(data->out[out].name, "also") == 0) {
        std::vector<case_item> items(data->count);
        require(cudaMemcpy(items.data(), out_of<void>(sets[index], "out"),
                           items.size() * sizeof(case_item), cudaMemcpyDeviceToHost),
                "cudaMemcpy");
        std::reverse(items.begin(), items.end()); // the others, and then what is kept
        std::memcpy(to, items.data(), std::min(size, items.size() * sizeof(case_item)));
        return;
    }
#endif
    require(cudaMemcpy(to, from, size, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

} // namespace

int main(int argc, char **argv)
{
    struct lab_program program = {};

    program.name = "cub";
    program.open = open;
    program.data = take;
    program.call = call;
    program.make = make;
    program.spoil = spoil;
    program.read = read;
    return lab_main(argc, argv, &program);
}
