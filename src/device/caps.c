#include "device/caps.h"

#include "base/memory.h"
#include "plan/scalar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cl_int clfold_caps_print(struct text *text, cl_platform_id platform, cl_device_id device,
                         cl_uint what)
{
    size_t size = 0;
    char *string = NULL;
    cl_int status = platform ? clGetPlatformInfo(platform, what, 0, NULL, &size)
                             : clGetDeviceInfo(device, what, 0, NULL, &size);

    if (status == CL_SUCCESS && !(string = clfold_alloc(size + 1))) {
        status = CL_OUT_OF_HOST_MEMORY;
    }
    if (status == CL_SUCCESS) {
        status = platform ? clGetPlatformInfo(platform, what, size, string, NULL)
                          : clGetDeviceInfo(device, what, size, string, NULL);
    }
    if (status == CL_SUCCESS) {
        clfold_text_print(text, "%s", string);
    }
    clfold_free(string);
    return status;
}

/* A string longer than `size` is cut: names are for policies and people. */
static clfold_status get_string(const struct site *site, cl_platform_id platform,
                                cl_device_id device, cl_uint what, char *string,
                                size_t size)
{
    struct text text = { 0 };
    cl_int status = clfold_caps_print(&text, platform, device, what);

    snprintf(string, size, "%s", text.bytes ? text.bytes : "");
    status = status == CL_SUCCESS && text.failed ? CL_OUT_OF_HOST_MEMORY : status;
    clfold_text_finish(&text);
    return clfold_fail_call(site, status,
                            platform ? "clGetPlatformInfo" : "clGetDeviceInfo");
}

/* Of a device, into a variable or an array of the right type. */
#define VALUE(what, to)                                                                  \
    clfold_fail_call(site, clGetDeviceInfo(device, what, sizeof(to), &(to), NULL),       \
                     "clGetDeviceInfo")
#define STRING(what, to) get_string(site, NULL, device, what, to, sizeof(to))

/* The newest OpenCL C that the device is sure to compile. A 3.0 device has 3.0, whatever
 * CL_DEVICE_OPENCL_C_VERSION says: that query answers 1.2 for the sake of old programs.
 */
static const char *newest_std(const char *device_version)
{
    int major = 0, minor = 0;

    if (sscanf(device_version, "OpenCL %d.%d", &major, &minor) != 2) {
        return NULL;
    }
    return major >= 3                 ? "-cl-std=CL3.0"
           : major == 2               ? "-cl-std=CL2.0"
           : major == 1 && minor >= 2 ? "-cl-std=CL1.2"
                                      : NULL;
}

/* From 3.0 on sub-groups are a language feature with a query; in 2.x they are an
 * extension. */
static bool has_sub_groups(cl_device_id device, const char *options,
                           const char *extensions)
{
    cl_uint most = 0;

    if (strcmp(options, "-cl-std=CL3.0") == 0 &&
        clGetDeviceInfo(device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof(most), &most,
                        NULL) == CL_SUCCESS &&
        most > 0) {
        return true;
    }
    return strcmp(options, "-cl-std=CL1.2") != 0 &&
           strstr(extensions, "cl_khr_subgroups") != NULL;
}

/* llvmpipe under rusticl stops a work-item, without an error, when the loops that it went
 * through come to 65,535 rounds in all (Mesa 22.3; LP_MAX_TGSI_LOOP_ITERATIONS). An
 * element takes fewer than 127 rounds in every kernel. Mesa 25.0 ran 19,440,000 rounds;
 * those between are untried. RUSTICL_DEVICE_TYPE may call it a GPU. */
static uint64_t most_elements(const struct device_facts *facts, const char *driver)
{
    bool is_llvmpipe = facts->cpu || strstr(facts->name, "llvmpipe");

    return strcmp(facts->platform, "rusticl") == 0 && is_llvmpipe && atoi(driver) < 25
               ? 512
               : 0;
}

/* From the device's own claims; the probe finds out whether they hold. OpenCL C 2.0 has
 * atomics of device scope, and fences that acquire and release there; from 3.0 on both
 * are optional. */
static clfold_status get_tiers(struct caps *caps, const struct site *site,
                               cl_device_id device, const char *extensions)
{
    const cl_device_atomic_capabilities wanted =
        CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_DEVICE;
    cl_device_atomic_capabilities memory = 0, fence = 0;
    bool base = strstr(extensions, "cl_khr_int64_base_atomics") != NULL;
    bool extended = strstr(extensions, "cl_khr_int64_extended_atomics") != NULL;
    clfold_status status;

    if (strcmp(caps->options, "-cl-std=CL2.0") == 0) {
        memory = fence = wanted;
    } else if (strcmp(caps->options, "-cl-std=CL3.0") == 0 &&
               ((status = VALUE(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, memory)) ||
                (status = VALUE(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, fence)))) {
        return status;
    }
    const bool scoped = (memory & CL_DEVICE_ATOMIC_SCOPE_DEVICE) != 0;
    caps->fences = (fence & wanted) == wanted;
    caps->offered[MEMORY_SCOPED_64] = scoped && base && extended;
    caps->offered[MEMORY_PTX_64] = strstr(extensions, "cl_nv_device_attribute_query") ||
                                   strstr(extensions, "cl_nv_pragma_unroll");
    caps->offered[MEMORY_LEGACY_64] = base;
    caps->offered[MEMORY_SCOPED_32] = scoped;
    caps->offered[MEMORY_LEGACY_32] = true;
    return CLFOLD_OK;
}

clfold_status clfold_caps_init(struct caps *caps, const struct site *site,
                               cl_device_id device)
{
    cl_platform_id platform = NULL;
    cl_device_type type = 0;
    cl_ulong local_memory = 0;
    cl_device_fp_config fp64 = 0, fp32 = 0;
    char version[64];
    char extensions[8192];
    clfold_status status;

    *caps = (struct caps){ 0 };
    if ((status = STRING(CL_DEVICE_NAME, caps->name)) ||
        (status = STRING(CL_DEVICE_VENDOR, caps->vendor)) ||
        (status = STRING(CL_DRIVER_VERSION, caps->driver)) ||
        (status = STRING(CL_DEVICE_VERSION, version)) ||
        (status = STRING(CL_DEVICE_EXTENSIONS, extensions)) ||
        (status = VALUE(CL_DEVICE_PLATFORM, platform)) ||
        (status = get_string(site, platform, device, CL_PLATFORM_NAME, caps->platform,
                             sizeof(caps->platform))) ||
        (status = VALUE(CL_DEVICE_TYPE, type)) ||
        (status = VALUE(CL_DEVICE_SINGLE_FP_CONFIG, fp32)) ||
        (status = VALUE(CL_DEVICE_MAX_WORK_GROUP_SIZE, caps->facts.max_group_size)) ||
        (status = VALUE(CL_DEVICE_LOCAL_MEM_SIZE, local_memory)) ||
        (status = VALUE(CL_DEVICE_MAX_COMPUTE_UNITS, caps->facts.units)) ||
        (status = VALUE(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, caps->facts.cache_bytes))) {
        return status;
    }
    caps->options = newest_std(version);
    if (!caps->options) {
        return UNSUPPORTED(site, "device %s has version \"%s\", clfold needs OpenCL 1.2",
                           caps->name, version);
    }
    /* The query is optional in 1.2: use the extension's name. */
    if (clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(fp64), &fp64, NULL) !=
        CL_SUCCESS) {
        fp64 = 0;
    }
    caps->fp64 = fp64 != 0 || strstr(extensions, "cl_khr_fp64");
    caps->truncates = !(fp32 & CL_FP_ROUND_TO_NEAREST);
    caps->fp16 = strstr(extensions, "cl_khr_fp16") != NULL;
    caps->facts.sub_groups = has_sub_groups(device, caps->options, extensions);
    if ((status = get_tiers(caps, site, device, extensions))) {
        return status;
    }
    caps->facts.cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    caps->facts.vendor = caps->vendor;
    caps->facts.name = caps->name;
    caps->facts.platform = caps->platform;
    caps->facts.local_memory = (size_t)local_memory;
    caps->facts.most_elements = most_elements(&caps->facts, caps->driver);
    return CLFOLD_OK;
}

clfold_status clfold_caps_check_type(const struct caps *caps, const struct site *site,
                                     const char *field, clfold_type type)
{
    if ((type == CLFOLD_F64 && !caps->fp64) || (type == CLFOLD_F16 && !caps->fp16)) {
        return UNSUPPORTED(site, "%s %s: device %s has no %s%s", field,
                           clfold_scalar_name(type), caps->name, clfold_scalar_name(type),
                           type == CLFOLD_F16 ? "; such data can be folded in f32" : "");
    }
    return CLFOLD_OK;
}

clfold_status clfold_caps_check_accuracy(const struct caps *caps, const struct site *site,
                                         uint32_t accuracy)
{
    if (accuracy == CLFOLD_REPRODUCIBLE && caps->truncates) {
        return UNSUPPORTED(site,
                           "accuracy reproducible: device %s does not round to nearest",
                           caps->name);
    }
    return CLFOLD_OK;
}
