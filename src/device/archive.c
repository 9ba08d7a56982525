#include "device/archive.h"

#include "base/entry.h"
#include "base/file.h"
#include "base/host.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- Drivers ----------------------------------------------------------------------- */

/* What a driver gains if its programs are kept, and how the variables begin that change
 * its code, not those of devices, workers, caches. docs/first-call.md has both. */
struct driver {
    const char *platform; /* NULL: any other */
    const char *variables[20];
    const char *loss; /* why keeping gains nothing; NULL: it gains */
    const char *off; /* a variable that, switched off, makes it gain after all; or NULL */
    /* Fetching a binary compiles kernels, and the process may abort if another thread
     * launches one at that time. */
    bool saves_last;
};

static const struct driver drivers[] = {
    { .platform = "Portable Computing Language",
      .variables = { "POCL_ARGS_", "POCL_BINARY_SPECIALIZE_WG", "POCL_BITCODE_FINALIZER",
                     "POCL_BUILDING", "POCL_CUDA_GPU_ARCH", "POCL_EXTRA_BUILD_FLAGS",
                     "POCL_FORCE_PARALLEL_OUTER_LOOP", "POCL_FULL_REPLICATION_THRESHOLD",
                     "POCL_IGNORE_CL_STD", "POCL_KERNELLIB_NAME", "POCL_LLVM_CPU_NAME",
                     "POCL_MAX_WORK_GROUP_SIZE", "POCL_PATH_", "POCL_VECTORIZER_",
                     "POCL_WILOOPS_", "POCL_WORK_GROUP_" },
      .loss = "the driver keeps them itself",
      .off = "POCL_KERNEL_CACHE",
      .saves_last = true },
    { .platform = "Intel(R) OpenCL",
      .variables = { "CL_CONFIG_CPU_EXPENSIVE_MEM_OPT",
                     "CL_CONFIG_CPU_FORCE_MAX_WORK_GROUP_SIZE",
                     "CL_CONFIG_CPU_FORCE_PRIVATE_MEM_SIZE",
                     "CL_CONFIG_CPU_FORCE_WORK_GROUP_SIZE",
                     "CL_CONFIG_CPU_O0_VECTORIZATION",
                     "CL_CONFIG_CPU_REQD_SUB_GROUP_SIZE",
                     "CL_CONFIG_CPU_RT_LOOP_UNROLL_FACTOR",
                     "CL_CONFIG_CPU_STREAMING_ALWAYS",
                     "CL_CONFIG_CPU_SUB_GROUP_CONSTRUCTION", "CL_CONFIG_CPU_TARGET_ARCH",
                     "CL_CONFIG_CPU_VECTORIZER_MODE", "CL_CONFIG_LLVM_OPTIONS",
                     "CL_CONFIG_LTO_PM", "CL_CONFIG_REPLACE_IR_", "CL_CONFIG_STACK_",
                     "CL_CONFIG_USE_FAST_RELAXED_MATH", "CL_CONFIG_USE_VECTORIZER" } },
    { .platform = "rusticl", .loss = "the driver loads one no faster than it builds it" },
    { .variables = { "AMD_DEBUG", "AMD_OCL_BUILD_OPTIONS", "AMD_OCL_LINK_OPTIONS",
                     "AMD_OCL_SUBST_OBJFILE", "CLOVER_EXTRA_", "GPU_ENABLE_WAVE32_MODE",
                     "GPU_ENABLE_WGP_MODE", "GPU_MAX_WORKGROUP_SIZE",
                     "HSA_OVERRIDE_GFX_VERSION", "HSA_XNACK", "IGC_", "NEOReadDebugKeys",
                     "R600_DEBUG" } },
};

static const struct driver *driver_of(const char *platform)
{
    const struct driver *driver = drivers;

    while (driver->platform && strcmp(driver->platform, platform) != 0) {
        ++driver;
    }
    return driver;
}

/* ---- Facts ------------------------------------------------------------------------- */

void clfold_archive_print_fact(struct text *text, const char *name, const char *value)
{
    /* With its length, a value cannot be taken for the next fact. */
    clfold_text_print(text, "%s, %zu: %s\n", name, strlen(value), value);
}

/* The value is finished. */
static void take_fact(struct text *text, const char *name, struct text *value)
{
    clfold_archive_print_fact(text, name, value->bytes ? value->bytes : "");
    text->failed |= value->failed;
    clfold_text_finish(value);
}

/* All that decides what a driver makes of a text. */
static cl_int print_facts(struct text *text, cl_device_id device, const struct caps *caps)
{
    static const struct {
        const char *name;
        cl_uint what;
        bool of_platform;
    } strings[] = {
        { "platform", CL_PLATFORM_NAME, true },
        { "platform version", CL_PLATFORM_VERSION, true },
        { "device", CL_DEVICE_NAME, false },
        { "vendor", CL_DEVICE_VENDOR, false },
        { "device version", CL_DEVICE_VERSION, false },
        { "driver", CL_DRIVER_VERSION, false },
    };
    struct text value = { 0 };
    cl_platform_id platform = NULL;
    cl_uint bits = 0;
    cl_int status =
        clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL);

    for (size_t i = 0; !status && i < CLFOLD_LENGTH(strings); ++i) {
        status = clfold_caps_print(&value, strings[i].of_platform ? platform : NULL,
                                   device, strings[i].what);
        take_fact(text, strings[i].name, &value);
    }
    if (status || (status = clGetDeviceInfo(device, CL_DEVICE_ADDRESS_BITS, sizeof(bits),
                                            &bits, NULL))) {
        return status;
    }
    clfold_text_print(&value, "%u", bits);
    take_fact(text, "address bits", &value);
    clfold_text_print(&value, "%d", CLFOLD_VERSION);
    take_fact(text, "clfold", &value);
    clfold_text_print(&value, "%s", caps->options);
    take_fact(text, "options", &value);
    if (caps->facts.cpu) {
        /* Without it, a folder that two machines share might serve the wrong one. */
        clfold_host_print_cpu(&value, CLFOLD_HOST_CPUS);
        status = value.length > 0 || value.failed ? CL_SUCCESS : CL_INVALID_DEVICE;
    }
    take_fact(text, "CPU", &value);
    clfold_host_print_environment(&value, driver_of(caps->platform)->variables);
    take_fact(text, "environment", &value);
    return !status && text->failed ? CL_OUT_OF_HOST_MEMORY : status;
}

/* ---- The archive ------------------------------------------------------------------- */

#define DEFAULT_LIMIT (UINT64_C(256) << 20)

/* Why programs of the device are not kept; NULL: they are. */
static const char *obstacle(cl_device_id device, const struct driver *driver)
{
    cl_device_id parent = NULL;

    if (driver->loss && !(driver->off && clfold_host_is_off(driver->off))) {
        return driver->loss;
    }
    /* Drivers disagree on the device that a sub-device's program belongs to. */
    return clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof(parent), &parent,
                           NULL) == CL_SUCCESS &&
                   parent
               ? "the device is a sub-device"
               : NULL;
}

clfold_status clfold_archive_init(struct archive *archive, const struct site *site,
                                  cl_device_id device, const struct caps *caps,
                                  const clfold_context_params *params)
{
    const struct driver *driver = driver_of(caps->platform);
    const char *why;
    char reason[CLFOLD_FILE_WHY];
    cl_int status, error;

    *archive = (struct archive){
        .folder = { -1 },
        .saves_last = driver->saves_last,
        .limit = params->cache_limit ? params->cache_limit : DEFAULT_LIMIT,
        .load = params->load_program,
        .save = params->save_program,
        .user = params->user,
    };
    if (!params->cache_folder && !params->load_program && !params->save_program) {
        return CLFOLD_OK;
    }
    if ((why = obstacle(device, driver))) {
        clfold_log(site->log, CLFOLD_LOG_DEBUG, "programs are not kept: %s", why);
        return CLFOLD_OK;
    }
    if (params->cache_folder &&
        (error = clfold_folder_open(&archive->folder, params->cache_folder, 1))) {
        clfold_file_why(error, reason);
        clfold_log(site->log, CLFOLD_LOG_WARNING, "cache_folder %.300s is not used: %s",
                   params->cache_folder, reason);
        return CLFOLD_OK;
    }
    archive->is_open = true;
    archive->is_fed = params->cache_folder || params->save_program;
    status = print_facts(&archive->facts, device, caps);
    if (status == CL_SUCCESS) {
        return CLFOLD_OK;
    }
    clfold_archive_finish(archive);
    if (status == CL_OUT_OF_HOST_MEMORY) {
        return clfold_fail(site, status, "no memory for the key of kept programs");
    }
    clfold_log(site->log, CLFOLD_LOG_WARNING,
               "programs are not kept: the facts for their keys cannot be read (%s)",
               clfold_status_name(status));
    return CLFOLD_OK;
}

void clfold_archive_finish(struct archive *archive)
{
    if (archive->is_open) {
        clfold_folder_close(&archive->folder);
    }
    clfold_text_finish(&archive->facts);
    archive->is_open = archive->is_fed = false;
}

/* ---- Loading ----------------------------------------------------------------------- */

static bool print_key(struct text *key, const struct archive *archive,
                      const struct text *source)
{
    clfold_text_append(key, archive->facts.bytes, archive->facts.length);
    clfold_text_append(key, source->bytes, source->length);
    return !key->failed;
}

/* Both name the program to whoever stores it. */
static void print_name(char name[CLFOLD_FOLDER_NAME], const struct archive *archive,
                       const struct text *key)
{
    clfold_entry_name(name, key->bytes, key->length);
    if (archive->folder.file >= 0) {
        strcat(name, CLFOLD_FOLDER_END);
    }
}

/* By the caller's callback. */
static int ask(const struct archive *archive, const char *name, char **bytes,
               size_t *length)
{
    size_t size = archive->load ? archive->load(archive->user, name, NULL, 0) : 0;

    *bytes = NULL;
    if (size == 0) {
        return ENOENT;
    }
    if (size > CLFOLD_ENTRY_LIMIT) {
        return EFBIG;
    }
    *bytes = clfold_alloc(size);
    if (!*bytes) {
        return ENOMEM;
    }
    *length = archive->load(archive->user, name, *bytes, size);
    /* A shorter one is damaged, which shows. */
    *length = *length < size ? *length : size;
    return 0;
}

static cl_program create(cl_context context, cl_device_id device, const char *options,
                         const struct entry *entry, char note[CLFOLD_ARCHIVE_NOTE])
{
    const size_t length = entry->program_length;
    const unsigned char *bytes = entry->program;
    cl_int taken = CL_SUCCESS, status;
    cl_program program =
        clCreateProgramWithBinary(context, 1, &device, &length, &bytes, &taken, &status);
    const char *call = "clCreateProgramWithBinary";

    status = status ? status : taken;
    if (status == CL_SUCCESS) {
        call = "clBuildProgram";
        status = clBuildProgram(program, 1, &device, options, NULL, NULL);
    }
    if (status == CL_SUCCESS) {
        return program;
    }
    if (program) {
        clReleaseProgram(program);
    }
    snprintf(note, CLFOLD_ARCHIVE_NOTE, "%s failed (%s)", call,
             clfold_status_name(status));
    return NULL;
}

/* Takes an entry apart, if it is the key's. */
static bool read_entry(struct entry *entry, const struct text *key, const char *bytes,
                       size_t length, char note[CLFOLD_ARCHIVE_NOTE])
{
    const char *why = clfold_entry_read(entry, bytes, length);

    if (!why && (entry->key_length != key->length ||
                 memcmp(entry->key, key->bytes, key->length) != 0)) {
        why = "it is another program's";
    }
    if (why) {
        snprintf(note, CLFOLD_ARCHIVE_NOTE, "%s", why);
    }
    return !why;
}

cl_program clfold_archive_load(const struct archive *archive, cl_context context,
                               cl_device_id device, const char *options,
                               const struct text *source, char note[CLFOLD_ARCHIVE_NOTE])
{
    char name[CLFOLD_FOLDER_NAME], why[CLFOLD_ARCHIVE_NOTE] = "";
    struct text key = { 0 };
    struct entry entry;
    cl_program program = NULL;
    char *bytes = NULL;
    size_t length = 0;
    int error = ENOMEM;

    if (print_key(&key, archive, source)) {
        print_name(name, archive, &key);
        error = archive->folder.file >= 0
                    ? clfold_folder_read(&archive->folder, name, CLFOLD_ENTRY_LIMIT,
                                         &bytes, &length)
                    : ask(archive, name, &bytes, &length);
    }
    if (error != 0 && error != ENOENT) {
        clfold_file_why(error, why);
    }
    if (error == 0 && read_entry(&entry, &key, bytes, length, why)) {
        program = create(context, device, options, &entry, why);
    }
    if (why[0] != '\0') {
        snprintf(note, CLFOLD_ARCHIVE_NOTE, "a kept program is rebuilt: %.200s", why);
    }
    clfold_free(bytes);
    clfold_text_finish(&key);
    return program;
}

/* ---- Saving ------------------------------------------------------------------------ */

/* An entry with the program's binary, which is fetched into it. */
static cl_int fetch(cl_program program, cl_device_id device, const struct text *key,
                    char **entry, size_t *length)
{
    enum { MOST = 64 };
    cl_device_id devices[MOST];
    size_t sizes[MOST] = { 0 };
    unsigned char *binaries[MOST] = { NULL };
    cl_uint num = 0, at = 0;
    cl_int status;

#define INFO(what, num, to)                                                              \
    clGetProgramInfo(program, CL_PROGRAM_##what, (num) * sizeof(*(to)), to, NULL)
    if ((status = INFO(NUM_DEVICES, 1, &num)) ||
        (num > MOST && (status = CL_OUT_OF_RESOURCES)) ||
        (status = INFO(DEVICES, num, devices)) ||
        (status = INFO(BINARY_SIZES, num, sizes))) {
        return status;
    }
    while (at < num && devices[at] != device) {
        ++at;
    }
    if (at == num || sizes[at] == 0 || sizes[at] > CLFOLD_ENTRY_LIMIT / 2) {
        return CL_INVALID_BINARY;
    }
    *entry =
        clfold_entry_create(key->bytes, key->length, sizes[at], &binaries[at], length);
    if (!*entry) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    /* Drivers write no binary where the pointer is NULL. */
    status = INFO(BINARIES, num, binaries);
#undef INFO
    clfold_entry_seal(*entry, *length);
    return status;
}

/* By the folder or the callback. Returns what the functions of base/file.h do. */
static int put(const struct archive *archive, const struct text *key, const char *entry,
               size_t length)
{
    char name[CLFOLD_FOLDER_NAME];

    print_name(name, archive, key);
    if (archive->folder.file < 0) {
        archive->save(archive->user, name, entry, length);
        return 0;
    }
    if (length > archive->limit) {
        return EFBIG;
    }
    return clfold_folder_write(&archive->folder, name, entry, length);
}

bool clfold_archive_save(const struct archive *archive, cl_device_id device,
                         cl_program program, const struct text *source,
                         char note[CLFOLD_ARCHIVE_NOTE])
{
    char why[CLFOLD_FILE_WHY] = "";
    struct text key = { 0 };
    char *entry = NULL;
    size_t length;
    cl_int status = CL_OUT_OF_HOST_MEMORY;
    int error = 0;

    if (print_key(&key, archive, source)) {
        status = fetch(program, device, &key, &entry, &length);
    }
    if (status != CL_SUCCESS) {
        snprintf(why, sizeof(why), "its binary cannot be fetched (%s)",
                 clfold_status_name(status));
    } else if ((error = put(archive, &key, entry, length))) {
        clfold_file_why(error, why);
    }
    if (why[0] != '\0') {
        snprintf(note, CLFOLD_ARCHIVE_NOTE, "a program is not kept: %s", why);
    }
    clfold_free(entry);
    clfold_text_finish(&key);
    return why[0] == '\0';
}

void clfold_archive_tidy(const struct archive *archive)
{
    /* A failure does no harm: the next save tries again. */
    if (archive->folder.file >= 0) {
        (void)clfold_folder_shrink(&archive->folder, archive->limit, NULL);
    }
}
