// Boost.Compute's reduce and inclusive_scan, on the OpenCL device.
#include "peer_opencl.h"

#include <boost/compute/algorithm/inclusive_scan.hpp>
#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/buffer.hpp>
#include <boost/compute/command_queue.hpp>
#include <boost/compute/functional/operator.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>

#include <exception>

namespace compute = boost::compute;

namespace {

struct peer_opencl opencl;

void open(const struct peer_job *job, const void *data)
{
    peer_opencl_open(&opencl, job, data);
}

template <typename T> void call_type(std::size_t set)
{
    // They retain what they wrap, and release that again.
    compute::command_queue queue(opencl.queue);
    const compute::buffer in(opencl.sets[set].in), out(opencl.sets[set].out);
    const auto first = compute::make_buffer_iterator<T>(in, 0);
    const auto last = compute::make_buffer_iterator<T>(in, opencl.job->count);
    const auto result = compute::make_buffer_iterator<T>(out, 0);

    if (opencl.job->scan) {
        compute::inclusive_scan(first, last, result, compute::plus<T>(), queue);
    } else {
        compute::reduce(first, last, result, compute::plus<T>(), queue);
    }
    queue.finish();
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
    const struct peer peer = { "boost_compute", open, call, read, close };

    return peer_main(argc, argv, &peer);
}
