#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PLATFORMS 16
#define MAX_DEVICES   16

static void skip(const char *why)
{
    fprintf(stderr, "skipped: %s\n", why);
    exit(EXIT_SKIP);
}

static void require(cl_int status, const char *call)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s failed (%s)\n", call, clfold_status_name(status));
        exit(1);
    }
}

/* Counts devices over platforms in the order that OpenCL lists them. */
static bool select_device(struct device *device, long wanted)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint num_platforms = 0;

    if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &num_platforms) != CL_SUCCESS) {
        return false;
    }
    for (cl_uint p = 0; p < num_platforms && p < MAX_PLATFORMS; ++p) {
        cl_device_id devices[MAX_DEVICES];
        cl_uint num_devices = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices,
                           &num_devices) != CL_SUCCESS) {
            continue;
        }
        if (wanted < (long)num_devices) {
            device->platform = platforms[p];
            device->id = devices[wanted];
            return true;
        }
        wanted -= (long)num_devices;
    }
    return false;
}

static bool has_extension(cl_device_id id, const char *wanted)
{
    size_t size = 0;
    bool found = false;

    clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, 0, NULL, &size);
    char *names = calloc(size + 1, 1);
    if (names) {
        clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, size, names, NULL);
        found = strstr(names, wanted) != NULL;
    }
    free(names);
    return found;
}

bool device_has(const struct device *device, clfold_type type)
{
    return type == CLFOLD_F64   ? device->has_f64
           : type == CLFOLD_F16 ? device->has_f16
                                : true;
}

bool device_folds(const struct device *device, clfold_type in, clfold_type type)
{
    return device_has(device, type) && (in == CLFOLD_F16 || device_has(device, in));
}

bool device_has_groups(void)
{
    const char *groups = getenv("CLFOLD_TEST_GROUPS");

    return !groups || strcmp(groups, "0") != 0;
}

void device_need_groups(void)
{
    if (!device_has_groups()) {
        skip("the driver fails at work-groups, see tests/driver_faults.py");
    }
}

enum level test_level(void)
{
    const char *name = getenv("CLFOLD_TEST_LEVEL");

    return !name || !*name             ? LEVEL_QUICK
           : strcmp(name, "full") == 0 ? LEVEL_FULL
                                       : LEVEL_WIDE;
}

static bool device_takes_all(const struct device *device)
{
    const enum level all =
        device->is_intel || device->is_rusticl ? LEVEL_FULL : LEVEL_WIDE;

    return test_level() >= all;
}

bool device_takes(const struct device *device, size_t turn)
{
    bool is_even = true; /* in the sequence of Thue and Morse, in step with no loop */

    for (; turn > 0; turn &= turn - 1) {
        is_even = !is_even;
    }

    return device_takes_all(device) || is_even != device->is_intel;
}

cl_command_queue device_queue(const struct device *device,
                              cl_command_queue_properties properties)
{
    cl_int status;
    cl_command_queue queue =
        clCreateCommandQueue(device->context, device->id, properties, &status);

    return status == CL_SUCCESS ? queue : NULL;
}

void device_no_vectors(void)
{
    setenv("CL_CONFIG_USE_VECTORIZER", "False", 0);
}

void device_init(struct device *device)
{
    const char *wanted = getenv("CLFOLD_TEST_DEVICE");
    char platform[128] = "", name[128] = "", driver[128] = "";
    cl_device_fp_config f64 = 0;
    cl_device_type type = 0;
    cl_int status;

    memset(device, 0, sizeof(*device));
    if (!select_device(device, wanted ? strtol(wanted, NULL, 10) : 0)) {
        skip(wanted ? "CLFOLD_TEST_DEVICE names no OpenCL device" : "no OpenCL device");
    }
    require(clGetPlatformInfo(device->platform, CL_PLATFORM_NAME, sizeof(platform) - 1,
                              platform, NULL),
            "clGetPlatformInfo");
    require(clGetDeviceInfo(device->id, CL_DEVICE_NAME, sizeof(name) - 1, name, NULL),
            "clGetDeviceInfo");
    clGetDeviceInfo(device->id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(f64), &f64, NULL);
    snprintf(device->name, sizeof(device->name), "%s: %s", platform, name);
    device->is_pocl = strstr(platform, "Portable Computing Language") != NULL;
    device->is_intel = strstr(platform, "Intel(R) OpenCL") != NULL;
    require(clGetDeviceInfo(device->id, CL_DEVICE_TYPE, sizeof(type), &type, NULL),
            "clGetDeviceInfo");
    device->is_known =
        (device->is_pocl || device->is_intel) && (type & CL_DEVICE_TYPE_CPU);
    device->is_rusticl = strstr(platform, "rusticl") && strstr(name, "llvmpipe");
    require(
        clGetDeviceInfo(device->id, CL_DRIVER_VERSION, sizeof(driver) - 1, driver, NULL),
        "clGetDeviceInfo");
    device->ends_loops = device->is_rusticl && strtol(driver, NULL, 10) < 25;
    device->has_f64 = f64 != 0;
    device->has_f16 = has_extension(device->id, "cl_khr_fp16");
    device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &status);
    require(status, "clCreateContext");
    device->queue = device_queue(device, 0);
    require(device->queue ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE,
            "clCreateCommandQueue");
    device->disorder = device_queue(device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

void device_init_for_lookback(struct device *device)
{
    device_init(device);
    if (device->ends_loops) {
        skip("scans do not look back on the device");
    }
}

/* PoCL's workers may compile until the end of the process, and die of its end. */
void device_finish(struct device *device)
{
    if (device->disorder) {
        clFinish(device->disorder);
        clReleaseCommandQueue(device->disorder);
    }
    clFinish(device->queue);
    clReleaseCommandQueue(device->queue);
    clReleaseContext(device->context);
}

clfold_status device_context(clfold_context **out, const struct device *device,
                             const clfold_context_params *params)
{
    clfold_context_params own = params ? *params : (clfold_context_params){ 0 };
    const char *folder = getenv("CLFOLD_TEST_CACHE");
    char programs[4096];

    if (folder && *folder &&
        (size_t)snprintf(programs, sizeof(programs), "%s/programs", folder) <
            sizeof(programs)) {
        own.cache_folder = programs;
        own.cache_limit = 1 << 30;
    }
    return clfold_context_create(out, device->context, device->id, &own);
}
