/*
 * clfold from C++17: objects that release themselves, and exceptions that carry clfold's
 * message. The record lines of a text, each longer than all before it, by a running
 * maximum of the lines' lengths:
 *
 *     lengths     4  2  4  7  0
 *     maximum     4  4  4  7  7     an inclusive scan; it grows at lines 1 and 4
 *
 *     c++ -std=c++17 -o cpp cpp.cpp $(pkg-config --cflags --libs clfold)
 *     ./cpp FILE
 */
#define CL_TARGET_OPENCL_VERSION          300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS // for clCreateCommandQueue
#include <clfold/clfold.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

// OpenCL handles that release themselves.
template <auto release> struct Release {
    template <typename T> void operator()(T *object) const
    {
        release(object);
    }
};
template <typename T, auto release>
using Handle = std::unique_ptr<std::remove_pointer_t<T>, Release<release>>;
using Context = Handle<cl_context, clReleaseContext>;
using Queue = Handle<cl_command_queue, clReleaseCommandQueue>;
using Buffer = Handle<cl_mem, clReleaseMemObject>;

static void destroy(clfold_context *ctx)
{
    clfold_context_destroy(&ctx);
}
using Folds = Handle<clfold_context *, destroy>;

static void check(clfold_status status)
{
    if (status != CLFOLD_OK) {
        throw std::runtime_error(clfold_last_error());
    }
}

static void check(cl_int status, const char *call)
{
    if (status != CL_SUCCESS) {
        throw std::runtime_error(std::string(call) + ": " + clfold_status_name(status));
    }
}

class Device {
    cl_device_id device = nullptr;
    Context context; // released last
    Queue queue;
    Folds folds;

  public:
    Device()
    {
        cl_platform_id platform; // the first one, with its first device
        check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
        check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr),
              "clGetDeviceIDs");
        cl_int status;
        context.reset(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status));
        check(status, "clCreateContext");
        queue.reset(clCreateCommandQueue(context.get(), device, 0, &status));
        check(status, "clCreateCommandQueue");
        clfold_context *ctx = nullptr;
        check(clfold_context_create(&ctx, context.get(), device, nullptr));
        folds.reset(ctx);
    }

    // values[i] becomes the greatest of values[0] to values[i]. There must be one.
    void running_maximum(std::vector<cl_uint> &values) const
    {
        const std::size_t bytes = values.size() * sizeof(cl_uint);
        const clfold_fold maximum = clfold_builtin(CLFOLD_MAX, CLFOLD_U32);
        cl_int status;
        const Buffer mem(clCreateBuffer(context.get(), CL_MEM_COPY_HOST_PTR, bytes,
                                        values.data(), &status));
        check(status, "clCreateBuffer");
        check(clfold_inclusive_scan(folds.get(), queue.get(), &maximum, mem.get(), 0,
                                    mem.get(), 0, values.size(), 0, nullptr, nullptr));
        check(clEnqueueReadBuffer(queue.get(), mem.get(), CL_TRUE, 0, bytes,
                                  values.data(), 0, nullptr, nullptr),
              "clEnqueueReadBuffer");
    }
};

int main(int argc, char **argv)
try {
    if (argc != 2) {
        throw std::runtime_error("usage: cpp FILE");
    }
    std::ifstream text(argv[1]);
    std::vector<cl_uint> greatest{ 0 }; // before line 1
    for (std::string line; std::getline(text, line);) {
        greatest.push_back(static_cast<cl_uint>(line.size()));
    }
    if (!text.eof()) {
        throw std::runtime_error(std::string(argv[1]) + " cannot be read");
    }
    Device().running_maximum(greatest);
    for (std::size_t i = 1; i < greatest.size(); ++i) {
        if (greatest[i] > greatest[i - 1]) {
            std::cout << "line " << i << " has " << greatest[i] << " bytes\n";
        }
    }
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
