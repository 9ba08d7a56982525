#include "describe.h"

#include "list.h"

#include <CL/cl_ext.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy_text(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}

static bool ask(cl_device_id device, cl_device_info what, void *value, size_t size)
{
    return clGetDeviceInfo(device, what, size, value, NULL) == CL_SUCCESS;
}

static void add_uint(struct record *record, const char *key, cl_device_id device,
                     cl_device_info what)
{
    cl_uint value = 0;
    const bool known = ask(device, what, &value, sizeof(value));

    record_add(record, key, FIELD_NUMBER, known, value);
}

static void add_size(struct record *record, const char *key, cl_device_id device,
                     cl_device_info what)
{
    size_t value = 0;
    const bool known = ask(device, what, &value, sizeof(value));

    record_add(record, key, FIELD_NUMBER, known, value);
}

static void add_bytes(struct record *record, const char *key, cl_device_id device,
                      cl_device_info what)
{
    cl_ulong value = 0;
    const bool known = ask(device, what, &value, sizeof(value));

    record_add(record, key, FIELD_BYTES, known, value);
}

static void add_flag(struct record *record, const char *key, cl_device_id device,
                     cl_device_info what)
{
    cl_bool value = CL_FALSE;
    const bool known = ask(device, what, &value, sizeof(value));

    record_add(record, key, FIELD_FLAG, known, value != CL_FALSE);
}

static char *type_word(cl_device_type type)
{
    static const struct {
        cl_device_type bit;
        const char *word;
    } words[] = {
        { CL_DEVICE_TYPE_GPU, "gpu" },
        { CL_DEVICE_TYPE_CPU, "cpu" },
        { CL_DEVICE_TYPE_ACCELERATOR, "accelerator" },
        { CL_DEVICE_TYPE_CUSTOM, "custom" },
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (type & words[i].bit) {
            return copy_text(words[i].word);
        }
    }
    return NULL;
}

/* 300 for "OpenCL 3.0 ..."; 0: unknown. */
static int version_number(const char *text, const char *format)
{
    int major = 0, minor = 0;

    if (!text || sscanf(text, format, &major, &minor) != 2) {
        return 0;
    }
    return major * 100 + minor * 10;
}

/* The newest OpenCL C. From 3.0 on, CL_DEVICE_OPENCL_C_VERSION answers 1.2 for the sake
 * of old programs, so use the list. */
static char *newest_opencl_c(cl_device_id device, int version)
{
    cl_version newest = 0;
    size_t size = 0;
    char text[32];

    if (version < 300) {
        return device_text(device, CL_DEVICE_OPENCL_C_VERSION);
    }
    if (clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, 0, NULL, &size) !=
        CL_SUCCESS) {
        return NULL;
    }
    cl_name_version *versions = calloc(1, size + sizeof(*versions));
    if (versions && ask(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, versions, size)) {
        for (size_t i = 0; i < size / sizeof(*versions); i++) {
            newest = versions[i].version > newest ? versions[i].version : newest;
        }
    }
    free(versions);
    if (!newest) {
        return NULL;
    }
    snprintf(text, sizeof(text), "OpenCL C %u.%u", CL_VERSION_MAJOR(newest),
             CL_VERSION_MINOR(newest));
    return copy_text(text);
}

static void add_identity(struct record *record, const struct device *device, int version)
{
    cl_device_id const id = device->id;

    record_add_text(record, "platform",
                    platform_text(device->platform, CL_PLATFORM_NAME));
    record_add_text(record, "platform_version",
                    platform_text(device->platform, CL_PLATFORM_VERSION));
    record_add_text(record, "vendor", device_text(id, CL_DEVICE_VENDOR));
    record_add_text(record, "type", type_word(device->type));
    record_add_text(record, "device_version", device_text(id, CL_DEVICE_VERSION));
    record_add_text(record, "driver_version", device_text(id, CL_DRIVER_VERSION));
    record_add_text(record, "opencl_c_version", newest_opencl_c(id, version));
    record_add_text(record, "profile", device_text(id, CL_DEVICE_PROFILE));
    add_flag(record, "available", id, CL_DEVICE_AVAILABLE);
    add_flag(record, "compiler_available", id, CL_DEVICE_COMPILER_AVAILABLE);
}

static void add_memory(struct record *record, cl_device_id id)
{
    cl_device_local_mem_type kind = CL_NONE;

    add_bytes(record, "global_memory", id, CL_DEVICE_GLOBAL_MEM_SIZE);
    add_bytes(record, "max_allocation", id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    add_bytes(record, "global_cache", id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    add_bytes(record, "local_memory", id, CL_DEVICE_LOCAL_MEM_SIZE);
    /* On a CPU local memory is plain memory: what suits a GPU only costs time there. */
    const bool known = ask(id, CL_DEVICE_LOCAL_MEM_TYPE, &kind, sizeof(kind));
    record_add(record, "dedicated_local_memory", FIELD_FLAG, known, kind == CL_LOCAL);
}

/* What OpenCL 2.x requires and 3.0 has queries for; before 2.0 there is neither. */
static void add_since_2(struct record *record, cl_device_id id, int version,
                        const char *extensions)
{
    cl_device_atomic_capabilities atomics = 0;
    cl_bool collectives = version >= 200;
    cl_uint sub_groups = 0;
    bool known = version >= 300 &&
                 ask(id, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, &atomics, sizeof(atomics));

    record_add(record, "device_scope_atomics", FIELD_FLAG, known,
               (atomics & CL_DEVICE_ATOMIC_SCOPE_DEVICE) != 0);
    record_add(record, "acquire_release_atomics", FIELD_FLAG, known,
               (atomics & CL_DEVICE_ATOMIC_ORDER_ACQ_REL) != 0);

    known = version > 0 &&
            (version < 300 || ask(id, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
                                  &collectives, sizeof(collectives)));
    record_add(record, "work_group_collectives", FIELD_FLAG, known,
               collectives != CL_FALSE);

    /* The count, where the version has it; 0 and no extension means: none. */
    if (version >= 210) {
        ask(id, CL_DEVICE_MAX_NUM_SUB_GROUPS, &sub_groups, sizeof(sub_groups));
    }
    record_add(record, "sub_groups", FIELD_FLAG, extensions || sub_groups > 0,
               sub_groups > 0 || list_has_word(extensions, "cl_khr_subgroups") ||
                   list_has_word(extensions, "cl_intel_subgroups"));
}

static void add_capabilities(struct record *record, cl_device_id id, int version)
{
    char *const extensions = device_text(id, CL_DEVICE_EXTENSIONS);
    cl_device_fp_config fp64 = 0;
    cl_command_queue_properties queue = 0;

    add_uint(record, "compute_units", id, CL_DEVICE_MAX_COMPUTE_UNITS);
    add_size(record, "max_work_group_size", id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    add_uint(record, "address_bits", id, CL_DEVICE_ADDRESS_BITS);
    add_flag(record, "little_endian", id, CL_DEVICE_ENDIAN_LITTLE);

    /* Before 1.2 there is only the extension's name. */
    bool known = ask(id, CL_DEVICE_DOUBLE_FP_CONFIG, &fp64, sizeof(fp64));
    record_add(record, "fp64", FIELD_FLAG, known || extensions,
               fp64 != 0 || list_has_word(extensions, "cl_khr_fp64"));
    record_add(record, "fp16", FIELD_FLAG, extensions != NULL,
               list_has_word(extensions, "cl_khr_fp16"));
    record_add(record, "int64_atomics", FIELD_FLAG, extensions != NULL,
               list_has_word(extensions, "cl_khr_int64_base_atomics") &&
                   list_has_word(extensions, "cl_khr_int64_extended_atomics"));
    add_since_2(record, id, version, extensions);

    known = ask(id, CL_DEVICE_QUEUE_PROPERTIES, &queue, sizeof(queue));
    record_add(record, "out_of_order_queues", FIELD_FLAG, known,
               (queue & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0);
    free(extensions);
}

void describe_device(const struct device *device, size_t index, struct record *record)
{
    char *const text = device_text(device->id, CL_DEVICE_VERSION);
    const int version = version_number(text, "OpenCL %d.%d");

    free(text);
    record_add(record, "index", FIELD_NUMBER, true, index);
    record_add_text(record, "name", device->name ? copy_text(device->name) : NULL);
    add_identity(record, device, version);
    add_memory(record, device->id);
    add_capabilities(record, device->id, version);
}
