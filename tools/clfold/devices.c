/* The command `devices`: what a device is, and what decides which kernels it runs. */
#include "commands.h"
#include "list.h"
#include "record.h"
#include "session.h"
#include "verdicts.h"

#include <clfold/experimental.h>

#include <CL/cl_ext.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What a driver tells ---- */

/* A query that it does not answer is unknown; nothing fails. */
static bool ask(cl_device_id device, cl_device_info what, void *value, size_t size)
{
    return clGetDeviceInfo(device, what, size, value, NULL) == CL_SUCCESS;
}

/* An answer that is a number, of any size. */
static void add_number(struct record *record, const char *key, cl_device_id device,
                       cl_device_info what)
{
    union {
        cl_uint u32;
        cl_ulong u64;
    } value = { 0 };
    size_t size = 0;

    if (clGetDeviceInfo(device, what, sizeof(value), &value, &size) == CL_SUCCESS) {
        record_add_number(record, key, size == sizeof(value.u32) ? value.u32 : value.u64);
    } else {
        record_add_unknown(record, key);
    }
}

static void add_flag(struct record *record, const char *key, cl_device_id device,
                     cl_device_info what)
{
    cl_bool value = CL_FALSE;
    const bool known = ask(device, what, &value, sizeof(value));

    record_add_flag(record, key, known, value != CL_FALSE);
}

static void add_text(struct record *record, const char *key, cl_device_id device,
                     cl_device_info what)
{
    record_add_owned(record, key, device_text(device, what));
}

static const char *type_word(cl_device_type type)
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
            return words[i].word;
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
static void add_opencl_c(struct record *record, cl_device_id device, int version)
{
    cl_name_version versions[64] = { { 0 } };
    cl_version newest = 0;
    char text[32];

    if (version < 300) {
        add_text(record, "opencl_c_version", device, CL_DEVICE_OPENCL_C_VERSION);
        return;
    }
    ask(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, versions, sizeof(versions));
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        newest = versions[i].version > newest ? versions[i].version : newest;
    }
    snprintf(text, sizeof(text), "OpenCL C %u.%u", CL_VERSION_MAJOR(newest),
             CL_VERSION_MINOR(newest));
    record_add_text(record, "opencl_c_version", newest ? text : NULL);
}

static void add_identity(struct record *record, const struct device *device, int version)
{
    cl_device_id const id = device->id;

    record_add_owned(record, "platform",
                     platform_text(device->platform, CL_PLATFORM_NAME));
    record_add_owned(record, "platform_version",
                     platform_text(device->platform, CL_PLATFORM_VERSION));
    add_text(record, "vendor", id, CL_DEVICE_VENDOR);
    record_add_text(record, "type", type_word(device->type));
    add_text(record, "device_version", id, CL_DEVICE_VERSION);
    add_text(record, "driver_version", id, CL_DRIVER_VERSION);
    add_opencl_c(record, id, version);
    add_text(record, "profile", id, CL_DEVICE_PROFILE);
    add_flag(record, "available", id, CL_DEVICE_AVAILABLE);
    add_flag(record, "compiler_available", id, CL_DEVICE_COMPILER_AVAILABLE);
}

static void add_memory(struct record *record, cl_device_id id)
{
    cl_device_local_mem_type kind = CL_NONE;

    add_number(record, "global_memory", id, CL_DEVICE_GLOBAL_MEM_SIZE);
    add_number(record, "max_allocation", id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    add_number(record, "global_cache", id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    add_number(record, "local_memory", id, CL_DEVICE_LOCAL_MEM_SIZE);
    /* On a CPU local memory is plain memory: what suits a GPU only costs time there. */
    const bool known = ask(id, CL_DEVICE_LOCAL_MEM_TYPE, &kind, sizeof(kind));
    record_add_flag(record, "dedicated_local_memory", known, kind == CL_LOCAL);
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

    record_add_flag(record, "device_scope_atomics", known,
                    (atomics & CL_DEVICE_ATOMIC_SCOPE_DEVICE) != 0);
    record_add_flag(record, "acquire_release_atomics", known,
                    (atomics & CL_DEVICE_ATOMIC_ORDER_ACQ_REL) != 0);

    known = version > 0 &&
            (version < 300 || ask(id, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
                                  &collectives, sizeof(collectives)));
    record_add_flag(record, "work_group_collectives", known, collectives != CL_FALSE);

    /* The count, where the version has it; 0 and no extension means: none. */
    if (version >= 210) {
        ask(id, CL_DEVICE_MAX_NUM_SUB_GROUPS, &sub_groups, sizeof(sub_groups));
    }
    record_add_flag(record, "sub_groups", extensions || sub_groups > 0,
                    sub_groups > 0 || list_has_word(extensions, "cl_khr_subgroups") ||
                        list_has_word(extensions, "cl_intel_subgroups"));
}

static void add_capabilities(struct record *record, cl_device_id id, int version)
{
    char *const extensions = device_text(id, CL_DEVICE_EXTENSIONS);
    cl_device_fp_config fp64 = 0;
    cl_command_queue_properties queue = 0;

    add_number(record, "compute_units", id, CL_DEVICE_MAX_COMPUTE_UNITS);
    add_number(record, "max_work_group_size", id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    add_number(record, "address_bits", id, CL_DEVICE_ADDRESS_BITS);
    add_flag(record, "little_endian", id, CL_DEVICE_ENDIAN_LITTLE);

    /* Before 1.2 there is only the extension's name. */
    bool known = ask(id, CL_DEVICE_DOUBLE_FP_CONFIG, &fp64, sizeof(fp64));
    record_add_flag(record, "fp64", known || extensions,
                    fp64 != 0 || list_has_word(extensions, "cl_khr_fp64"));
    record_add_flag(record, "fp16", extensions != NULL,
                    list_has_word(extensions, "cl_khr_fp16"));
    record_add_flag(record, "int64_atomics", extensions != NULL,
                    list_has_word(extensions, "cl_khr_int64_base_atomics") &&
                        list_has_word(extensions, "cl_khr_int64_extended_atomics"));
    add_since_2(record, id, version, extensions);

    known = ask(id, CL_DEVICE_QUEUE_PROPERTIES, &queue, sizeof(queue));
    record_add_flag(record, "out_of_order_queues", known,
                    (queue & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0);
    free(extensions);
}

static void describe(const struct device *device, size_t index, struct record *record)
{
    char *const text = device_text(device->id, CL_DEVICE_VERSION);
    const int version = version_number(text, "OpenCL %d.%d");

    free(text);
    record_add_number(record, "index", index);
    record_add_text(record, "name", device->name);
    add_identity(record, device, version);
    add_memory(record, device->id);
    add_capabilities(record, device->id, version);
}

/* ---- Look-back ---- */

struct listing {
    bool probes, failed;
    struct message *message; /* why the first probe that failed did */
};

enum { WORDS_SIZE = 512 };

/* "tier legacy_64, fair yes, fences no; scoped_64 dropped: does not build" */
static void print_lookback(char words[WORDS_SIZE], const clfold_lookback *known)
{
    const char *const answers[] = { "no", "yes" };
    int length = known->why     ? snprintf(words, WORDS_SIZE, "none: %s", known->why)
                 : !known->tier ? snprintf(words, WORDS_SIZE, "not probed")
                                : snprintf(words, WORDS_SIZE,
                                           "tier %s, fair %s, fences %s", known->tier,
                                           answers[known->fair], answers[known->fences]);

    for (int i = 0; known->dropped[i]; i++) {
        length += snprintf(words + length, WORDS_SIZE - (size_t)length,
                           "; %s dropped: %s", known->dropped[i], known->reasons[i]);
    }
}

/* What is known, or what a probe finds, of a device's look-back. */
static bool find_lookback(const struct device *device, bool probes,
                          clfold_lookback *known, struct message *message)
{
    const clfold_context_params params = { .load_verdict = verdicts_load,
                                           .save_verdict = verdicts_save };
    const cl_context_properties properties[] = { CL_CONTEXT_PLATFORM,
                                                 (cl_context_properties)device->platform,
                                                 0 };
    clfold_context *context = NULL;
    cl_int error;
    cl_context cl = clCreateContext(properties, 1, &device->id, NULL, NULL, &error);

    if (error != CL_SUCCESS) {
        return device_refuse(message, "clCreateContext", error);
    }
    clfold_status status = clfold_context_create(&context, cl, device->id, &params);
    if (status == CLFOLD_OK) {
        status = clfold_explain_lookback(context, probes, known);
    }
    const bool done = status == CLFOLD_OK || session_refuse(status, message);
    clfold_context_destroy(&context);
    clReleaseContext(cl);
    return done;
}

/* By which memory a scan's groups look back. */
static void add_verdict(struct record *record, const struct device *device, size_t index,
                        struct listing *listing)
{
    char words[WORDS_SIZE], name[48];
    clfold_lookback known = { 0 };
    struct message message;
    const bool found = find_lookback(device, listing->probes, &known, &message);

    print_lookback(words, &known);
    /* A probe that fails is the command's own error. */
    record_add_text(record, "look_back_memory",
                    found              ? words
                    : !listing->probes ? message.text
                                       : NULL);
    if (!found && listing->probes && !listing->failed) {
        listing->failed = true;
        snprintf(name, sizeof(name), "probe of device %zu", index);
        *listing->message = message;
        message_prefix(listing->message, name);
    }
}

/* ---- The list ---- */

static struct record record_of(const struct device *device, size_t index,
                               struct listing *listing)
{
    struct record record = record_begin();

    describe(device, index, &record);
    add_verdict(&record, device, index, listing);
    return record;
}

/*
 * platform Portable Computing Language (OpenCL 3.0 PoCL 3.1 ...)
 *   0  pthread-skylake-avx512
 *      vendor                    AuthenticAMD
 */
static void print_device(const struct device *device, size_t index,
                         struct listing *listing)
{
    static const char *const said[] = { "index", "name", "platform", "platform_version" };
    struct record record = record_of(device, index, listing);

    printf("  %zu  %s\n", index, device->name ? device->name : "a device without a name");
    for (int i = 0; i < 4 && !record.failed; i++) {
        json_object_object_del(record.object, said[i]);
    }
    listing->failed |= !record_print(&record, listing->message);
}

static void print_platform(const struct device_list *list, cl_platform_id platform,
                           struct listing *listing)
{
    char *const name = platform_text(platform, CL_PLATFORM_NAME);
    char *const version = platform_text(platform, CL_PLATFORM_VERSION);
    bool empty = true;

    printf("platform %s (%s)\n", name ? name : "without a name",
           version ? version : "version unknown");
    for (size_t i = 0; i < list->num_devices; i++) {
        if (list->devices[i].platform == platform) {
            print_device(&list->devices[i], i, listing);
            empty = false;
        }
    }
    if (empty) {
        puts("  no device");
    }
    free(name);
    free(version);
}

static json_object *json_devices(const struct device_list *list, struct listing *listing)
{
    json_object *array = json_object_new_array();

    for (size_t i = 0; array && i < list->num_devices; i++) {
        struct record record = record_of(&list->devices[i], i, listing);
        json_object *const object = record_take(&record);
        if (!object || json_object_array_add(array, object) != 0) {
            json_object_put(object);
            json_object_put(array);
            array = NULL;
        }
    }
    return array;
}

bool command_devices(const struct options *options, struct message *message)
{
    struct listing listing = { .probes = options->probe, .message = message };
    struct device_list list;
    bool done = true;

    if (!device_list_init(&list, message)) {
        return false;
    }
    if (options->json) {
        json_object *const array = json_devices(&list, &listing);
        done = json_print(array, array, message);
    } else if (list.num_platforms == 0) {
        /* An answer, not a failure: the list is empty. */
        puts("no OpenCL platform");
    } else {
        for (cl_uint i = 0; i < list.num_platforms; i++) {
            print_platform(&list, list.platforms[i], &listing);
        }
    }
    if (!options->json && list.num_devices == 0) {
        puts("There is no OpenCL device; " DEVICE_NONE);
    }
    device_list_finish(&list);
    return done && !listing.failed;
}
