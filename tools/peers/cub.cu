// CUB's DeviceReduce, DeviceSegmentedReduce, DeviceScan, DeviceSelect, DevicePartition and
// DeviceRunLengthEncode, on a CUDA device: --device takes its number, `gpu`, or a part of its name.
// CUB documents that its reductions need a commutative operator.
#include "peer.h"

#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

struct set {
    void *in, *out;
    std::uint32_t *keys; // of segments
};

const struct peer_job *job;
std::vector<set> sets;
void *scratch;
std::size_t scratch_bytes;

void require(cudaError_t status, const char *call)
{
    if (status != cudaSuccess) {
        peer_fail("%s: %s", call, cudaGetErrorString(status));
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

void select_device()
{
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);

    if (status != cudaSuccess || count == 0) {
        peer_end("no_device", "%s", status != cudaSuccess ? cudaGetErrorString(status)
                                                   : "there is no CUDA device");
    }
    for (int i = 0; i < count; ++i) {
        cudaDeviceProp properties;
        require(cudaGetDeviceProperties(&properties, i), "cudaGetDeviceProperties");
        if (is_selected(job->device, i, properties.name)) {
            require(cudaSetDevice(i), "cudaSetDevice");
            peer_runs_on(properties.name, -1);
            return;
        }
    }
    peer_end("no_device", "no CUDA device is %s", job->device);
}

template <typename T> struct pair {
    T x, y;
};

struct dual {
    template <typename Item> __host__ __device__ Item operator()(Item a, Item b) const
    {
        return { PEER_DUAL_OF };
    }
};

struct affine {
    template <typename Item> __host__ __device__ Item operator()(Item a, Item b) const
    {
        return { PEER_AFFINE_OF };
    }
};

template <typename T, typename By>
cudaError_t fold_pairs(const set &s, void *temp, std::size_t &bytes, By by)
{
    const pair<T> *const in = static_cast<const pair<T> *>(s.in);
    pair<T> *const out = static_cast<pair<T> *>(s.out);

    if (job->op == PEER_SEGMENTS) {
        return cub::DeviceScan::InclusiveScanByKey(temp, bytes, s.keys, in, out, by,
                                                   job->count);
    }
    if (job->op == PEER_SCAN) {
        return cub::DeviceScan::InclusiveScan(temp, bytes, in, out, by, job->count);
    }
    return cub::DeviceReduce::Reduce(temp, bytes, in, out, job->count, by, pair<T>{ 1, 0 });
}

// Where a row begins.
struct row_start {
    std::size_t count;
    __host__ __device__ std::int64_t operator()(std::size_t row) const
    {
        const std::size_t at = row * PEER_ROW;
        return static_cast<std::int64_t>(at < count ? at : count);
    }
};

template <typename T> struct is_above {
    T above;
    __host__ __device__ bool operator()(const T &x) const
    {
        return x > above;
    }
};

// A sum of keys; cub::Sum has other names in later versions.
struct plus {
    template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const
    {
        return a + b;
    }
};

template <typename T> cudaError_t select(const set &s, void *temp, std::size_t &bytes)
{
    const T *const in = static_cast<const T *>(s.in);
    T *const out = static_cast<T *>(s.out);
    char *const base = static_cast<char *>(s.out), *const also = base + job->also_at;
    auto *const num = reinterpret_cast<unsigned long long *>(base + job->num_at);
    const is_above<T> by{ static_cast<T>(job->above) };
    const int count = static_cast<int>(job->count); // older versions take no more

    switch (job->op) {
    case PEER_SELECT:
        return cub::DeviceSelect::If(temp, bytes, in, out, num, count, by);
    case PEER_PARTITION: // the others come from the end on, in `read` turned
        return cub::DevicePartition::If(temp, bytes, in, out, num, count, by);
    case PEER_UNIQUE:
        return cub::DeviceSelect::Unique(temp, bytes, in, out, num, count);
    case PEER_RLE:
        return cub::DeviceRunLengthEncode::Encode(
            temp, bytes, in, out, reinterpret_cast<unsigned long long *>(also), num, count);
    default:
        return cub::DeviceReduce::ReduceByKey(
            temp, bytes,
            reinterpret_cast<const std::uint32_t *>(static_cast<const char *>(s.in) +
                                                    job->flags_at),
            reinterpret_cast<std::uint32_t *>(also), in, out, num, plus(), count);
    }
}

template <typename T> cudaError_t call_type(const set &s, void *temp, std::size_t &bytes)
{
    const T *const in = static_cast<const T *>(s.in);
    T *const out = static_cast<T *>(s.out);

    if (job->op > PEER_OFFSETS) {
        return select<T>(s, temp, bytes);
    }
    switch (job->combine) {
    case PEER_DUAL:
        return fold_pairs<T>(s, temp, bytes, dual());
    case PEER_AFFINE:
        return fold_pairs<T>(s, temp, bytes, affine());
    default:
        if (job->op == PEER_SEGMENTS) {
            return cub::DeviceScan::InclusiveSumByKey(temp, bytes, s.keys, in, out,
                                                      job->count);
        }
        if (job->op == PEER_ROWS) {
            const auto starts = thrust::make_transform_iterator(
                thrust::counting_iterator<std::size_t>(0), row_start{ job->count });
            return cub::DeviceSegmentedReduce::Sum(
                temp, bytes, in, out, (job->count + PEER_ROW - 1) / PEER_ROW, starts,
                starts + 1);
        }
        if (job->op == PEER_OFFSETS) {
            const std::uint32_t *const starts = reinterpret_cast<const std::uint32_t *>(
                static_cast<const char *>(s.in) + job->flags_at);
            return cub::DeviceSegmentedReduce::Sum(temp, bytes, in, out, job->segments,
                                                   starts, starts + 1);
        }
        return job->op == PEER_SCAN
                   ? cub::DeviceScan::InclusiveSum(temp, bytes, in, out, job->count)
                   : cub::DeviceReduce::Sum(temp, bytes, in, out, job->count);
    }
}

// With temp nullptr it only tells the bytes.
cudaError_t call_cub(const set &s, void *temp, std::size_t &bytes)
{
    switch (job->type) {
    case PEER_F32:
        return call_type<float>(s, temp, bytes);
    case PEER_I32:
        return call_type<std::int32_t>(s, temp, bytes);
    case PEER_F64:
        return call_type<double>(s, temp, bytes);
    default:
        return call_type<std::int64_t>(s, temp, bytes);
    }
}

void open(const struct peer_job *new_job, const void *data)
{
    job = new_job;
    if (job->op == PEER_MAP || job->combine > PEER_AFFINE) {
        peer_end("unsupported", "this program has no loads and maps of CUB's yet");
    }
    if (job->op > PEER_SEGMENTS && job->combine != PEER_ADD) {
        peer_end("unsupported", "this program sums rows and offsets of CUB's only");
    }
    if (job->op > PEER_OFFSETS && job->count > INT32_MAX) {
        peer_end("unsupported", "this program selects up to 2^31 elements");
    }
    select_device();
    sets.resize(job->sets);
    std::vector<std::uint32_t> keys(job->op == PEER_SEGMENTS ? job->count : 0);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i] = static_cast<std::uint32_t>(i / PEER_SEGMENT);
    }
    for (set &s : sets) {
        require(cudaMalloc(&s.in, job->in_bytes), "cudaMalloc");
        require(cudaMalloc(&s.out, job->out_bytes), "cudaMalloc");
        require(cudaMemcpy(s.in, data, job->in_bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
        require(cudaMemset(s.out, 0, job->out_bytes), "cudaMemset");
        if (!keys.empty()) {
            const std::size_t bytes = keys.size() * sizeof(keys[0]);
            require(cudaMalloc(&s.keys, bytes), "cudaMalloc");
            require(cudaMemcpy(s.keys, keys.data(), bytes, cudaMemcpyHostToDevice),
                    "cudaMemcpy");
        }
    }
    require(call_cub(sets[0], nullptr, scratch_bytes), "the size of scratch");
    require(cudaMalloc(&scratch, scratch_bytes), "cudaMalloc");
}

void call(std::size_t set)
{
    require(call_cub(sets[set], scratch, scratch_bytes), "the call");
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

void read(std::size_t set, void *to)
{
    require(cudaMemcpy(to, sets[set].out, job->out_bytes, cudaMemcpyDeviceToHost),
            "cudaMemcpy");
    if (job->op == PEER_PARTITION) {
        char *const base = static_cast<char *>(to), *const also = base + job->also_at;
        std::uint64_t num;
        std::memcpy(&num, base + job->num_at, sizeof(num));
        for (std::size_t i = 0; i < job->count - num; ++i) {
            std::memcpy(also + i * job->item, base + (job->count - 1 - i) * job->item,
                        job->item);
        }
    }
}

void close()
{
    for (const set &s : sets) {
        cudaFree(s.in);
        cudaFree(s.out);
        cudaFree(s.keys);
    }
    cudaFree(scratch);
}

} // namespace

int main(int argc, char **argv)
{
    const struct peer peer = { "cub", true, open, call, read, close };

    return peer_main(argc, argv, &peer);
}
