// A peer: CUB's functions for a whole device, on a CUDA device: --device takes its number, `gpu`,
// or a part of its name. CUB documents that its reductions need a commutative operator.
#include "case.h"

#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

case_key *keys;              // the number of each element's segment, by flags or offsets
void *scratch, *unused; // unused: for keys and numbers that the driver does not want
std::size_t scratch_bytes;

void require(cudaError_t status, const char *call)
{
    if (status != cudaSuccess) {
        lab_fail("%s: %s", call, cudaGetErrorString(status));
    }
}

void open(const char *device)
{
    const std::string selector = device ? device : "gpu";
    cudaDeviceProp properties;
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);

    for (int i = 0; status == cudaSuccess && i < count; ++i) {
        require(cudaGetDeviceProperties(&properties, i), "cudaGetDeviceProperties");
        if (selector == "gpu" || selector == std::to_string(i) ||
            std::strstr(properties.name, selector.c_str())) {
            require(cudaSetDevice(i), "cudaSetDevice");
            lab_runs_on(properties.name, -1, "CUDA", "", false);
            return;
        }
    }
    lab_end("no_device", "%s",
            status ? cudaGetErrorString(status) : "no CUDA device has that name or number");
}

void *create(std::size_t bytes)
{
    void *memory;

    require(cudaMalloc(&memory, bytes + 1), "cudaMalloc");
    return memory;
}

void release(void *memory)
{
    require(cudaFree(memory), "cudaFree");
}

void copy(void *to, const void *from, std::size_t bytes)
{
    require(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
}

const lab_memory memory = { create, release, copy, copy };

template <typename F> auto counted(F of)
{
    return thrust::make_transform_iterator(thrust::counting_iterator<std::size_t>(0), of);
}

template <typename T> T *out_or_unused(std::size_t set, const char *name)
{
    return lab_out(name) < LAB_ARRAYS ? CASE_OUT_OF(T, set, name) : static_cast<T *>(unused);
}

// With temp nullptr it only tells the bytes. Older versions take an int's count.
cudaError_t call_cub(std::size_t set, void *temp, std::size_t &bytes)
{
    const std::size_t n = lab_data.count;
    const auto *const in = CASE_IN_OF(case_element, set, "in");
    auto *const out = CASE_OUT_OF(case_item, set, "out");
    auto *const num = out_or_unused<unsigned long long>(set, "num");
    const int count = static_cast<int>(n);
#if CASE_PLUS
    const cuda::std::plus<> fold;
#else
    const auto fold = [] CASE_ON(case_item a, case_item b) { return case_fold(a, b); };
#endif
#if CASE_PLAIN
    const auto x = in;
#else
    const auto *const ys = CASE_IN_OF(case_y, set, "y");
    const auto x = counted([=] CASE_ON(std::size_t i) {
        return case_load(in[i], CASE_STREAM ? ys[i] : case_y(0), i, n);
    });
#endif
#if CASE_BY_KEYS || (CASE_REDUCE && CASE_BY_OFFSETS)
    const auto heads = CASE_IN_OF(const case_head, set, "heads");
#elif CASE_LENGTH && CASE_REDUCE
    const auto start = [=] CASE_ON(size_t k) { return k * CASE_LENGTH < n ? k * CASE_LENGTH : n; };
    const auto heads = counted(start);
#elif CASE_LENGTH
    const auto heads = counted([] CASE_ON(std::size_t i) { return i / CASE_LENGTH; });
#elif CASE_BY
    const auto heads = keys;
#endif
#if CASE_SCAN && (CASE_LENGTH || CASE_BY) && CASE_EXCLUSIVE
    return cub::DeviceScan::ExclusiveScanByKey(temp, bytes, heads, x, out, fold, case_start(), n);
#elif CASE_SCAN && (CASE_LENGTH || CASE_BY)
    return cub::DeviceScan::InclusiveScanByKey(temp, bytes, heads, x, out, fold, n);
#elif CASE_SCAN && CASE_EXCLUSIVE
    return cub::DeviceScan::ExclusiveScan(temp, bytes, x, out, fold, case_start(), n);
#elif CASE_SCAN
    return cub::DeviceScan::InclusiveScan(temp, bytes, x, out, fold, n);
#elif CASE_RUNS && CASE_ALSO
    auto *const lengths = CASE_OUT_OF(unsigned long long, set, "also");
    return cub::DeviceRunLengthEncode::Encode(temp, bytes, in, out, lengths, num, count);
#elif CASE_RUNS
    return cub::DeviceSelect::Unique(temp, bytes, in, out, num, count);
#elif CASE_SELECT
    const auto keeps = [] CASE_ON(case_element one) { return case_keep(one, 0, 0, 0); };
#if CASE_ALSO // the others come from the end on, which `settle` turns
    return cub::DevicePartition::If(temp, bytes, in, out, num, count, keeps);
#else
    return cub::DeviceSelect::If(temp, bytes, in, out, num, count, keeps);
#endif
#elif CASE_MAP
    bytes = 1;
    const auto put = [=] __device__(std::size_t i) { out[i] = x[i]; };
    return temp ? cub::DeviceFor::Bulk(n, put) : cudaSuccess;
#elif CASE_LENGTH || CASE_BY_OFFSETS
    const std::size_t parts = lab_data.out[lab_out("out")].size / sizeof(case_item);
    return cub::DeviceSegmentedReduce::Reduce(temp, bytes, x, out, parts, heads, heads + 1, fold,
                                              case_start());
#elif CASE_BY
    auto *const also = out_or_unused<case_key>(set, "also");
    return cub::DeviceReduce::ReduceByKey(temp, bytes, heads, also, x, out, num, fold, count);
#else
    return cub::DeviceReduce::Reduce(temp, bytes, x, out, n, fold, case_start());
#endif
}

bool call(unsigned, const char *, int, char **)
{
    const char *const why =
        CASE_COLUMNS                    ? "this program has no columns of CUB's yet"
        : CASE_REDUCE && !CASE_REORDERS ? "it folds in any order, and the operator does not commute"
        : CASE_SELECT && !(CASE_PLAIN && CASE_KEEPS_X)
            ? "this program selects what memory holds, by conditions of it alone"
        : (CASE_SELECT || CASE_BY) && lab_data.count > INT32_MAX
            ? "this program has such calls of 2^31 elements at most"
            : nullptr;

    if (!why) {
        require(call_cub(0, nullptr, scratch_bytes), "the size of scratch");
        release(scratch);
        scratch = create(scratch_bytes);
    }
    return !why || lab_refuse("%s", why);
}

void make(unsigned, std::size_t set)
{
    require(call_cub(set, scratch, scratch_bytes), "the call");
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

void take()
{
    release(keys);
    release(unused);
    keys = static_cast<case_key *>(create(lab_data.count * sizeof(case_key)));
    unused = create(lab_data.count * 8 + 8);
#if CASE_BY_FLAGS || CASE_BY_OFFSETS
    std::vector<case_key> numbers(lab_data.count);
    case_number(numbers.data());
    copy(keys, numbers.data(), numbers.size() * sizeof(case_key));
#endif
}

void settle(std::size_t set)
{
#if CASE_KEEPS && CASE_ALSO
    std::vector<case_item> items(lab_data.count);
    copy(items.data(), CASE_OUT_OF(void, set, "out"), items.size() * sizeof(case_item));
    std::reverse(items.begin(), items.end()); // the others, and then what is kept
    copy(CASE_OUT_OF(void, set, "also"), items.data(), items.size() * sizeof(case_item));
#endif
}

} // namespace

int main(int argc, char **argv)
{
    const lab_program program = { "cub", call,    make,    &memory, open,
                                  take,  nullptr, nullptr, settle };

    return lab_main(argc, argv, &program);
}
