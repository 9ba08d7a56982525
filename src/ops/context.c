#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, for 1.2 devices */
#include <clfold/experimental.h>
#include "ops/context.h"

#include "base/host.h"
#include "base/memory.h"

uint32_t clfold_version(void)
{
    return CLFOLD_VERSION;
}

/* Where the caller names no number of programs of users' folds. */
#define CLFOLD_MAX_PROGRAMS 256

static clfold_status check_params(const struct site *site,
                                  const clfold_context_params *params)
{
    const char *folder = params->cache_folder;
    bool has_callback = params->load_program || params->save_program;
    clfold_status status = CHECK_RESERVED(site, "params", params);

    if (status) {
        return status;
    }
    if (params->log_level < 0 || params->log_level > CLFOLD_LOG_DEBUG) {
        return REJECT(site, "params: log_level %d is not a valid level",
                      params->log_level);
    }
    if (folder && folder[0] == '\0') {
        return REJECT(site, "params: cache_folder is empty");
    }
    if (folder && has_callback) {
        return REJECT(site, "params: cache_folder is \"%s\", but %s is not NULL", folder,
                      params->load_program ? "load_program" : "save_program");
    }
    if (!folder && params->cache_limit != 0) {
        return REJECT(site, "params: cache_limit is %llu, but cache_folder is NULL",
                      (unsigned long long)params->cache_limit);
    }
    return CLFOLD_OK;
}

static bool is_listed(const cl_device_id *devices, size_t num, cl_device_id device)
{
    bool found = false;

    for (size_t i = 0; i < num; ++i) {
        found |= devices[i] == device;
    }
    return found;
}

/*
 * Whether `device` is a part of a listed one on which the cl_context makes queues: of a
 * cl_context made for sub-devices, PoCL 3.1 lists their parents.
 */
static bool is_part(const cl_device_id *devices, size_t num, cl_context context,
                    cl_device_id device)
{
    cl_device_id parent = device;
    cl_command_queue queue = NULL;
    cl_int status = CL_SUCCESS;

    while (status == CL_SUCCESS && parent && !is_listed(devices, num, parent)) {
        status = clGetDeviceInfo(parent, CL_DEVICE_PARENT_DEVICE, sizeof(parent), &parent,
                                 NULL);
    }
    if (status == CL_SUCCESS && parent) {
        queue = clCreateCommandQueue(context, device, 0, &status);
    }
    if (queue) {
        clReleaseCommandQueue(queue);
    }
    return queue != NULL;
}

static clfold_status check_device(const struct site *site, cl_context context,
                                  cl_device_id device)
{
    size_t size = 0, num;
    cl_int status = clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &size);
    cl_device_id *devices = NULL;
    bool found = false;

    if (status == CL_SUCCESS) {
        devices = clfold_alloc(size);
        status = devices
                     ? clGetContextInfo(context, CL_CONTEXT_DEVICES, size, devices, NULL)
                     : CL_OUT_OF_HOST_MEMORY;
    }
    if (status == CL_SUCCESS) {
        num = size / sizeof(*devices);
        found = is_listed(devices, num, device) || is_part(devices, num, context, device);
    }
    clfold_free(devices);
    if (status != CL_SUCCESS) {
        return clfold_fail_call(site, status, "clGetContextInfo");
    }
    return found ? CLFOLD_OK
                 : REJECT(site, "device %p is not a device of the cl_context",
                          (void *)device);
}

static clfold_status read_environment(struct clfold_context *ctx, const struct site *site)
{
    const char *name = clfold_environment(CLFOLD_SCAN_VARIABLE);
    enum algorithm algorithm;

    if (name && !clfold_algorithm_named(name, FAMILY_SCAN, &algorithm)) {
        return REJECT(site,
                      "the environment variable " CLFOLD_SCAN_VARIABLE
                      " is \"%s\", which is not a scan algorithm",
                      name);
    }
    ctx->scan = name ? clfold_algorithm_row(algorithm) : NULL;
    return CLFOLD_OK;
}

/* Undoes all that clfold_context_create has done so far. */
static void destroy(struct clfold_context *ctx)
{
    clfold_lock_finish(&ctx->knowledge.lock);
    clfold_tuning_finish(&ctx->file);
    clfold_tuning_finish(&ctx->own);
    clfold_scratch_finish(&ctx->scratch, &ctx->log);
    clfold_cache_finish(&ctx->cache, &ctx->log);
    clfold_archive_finish(&ctx->archive);
    clfold_folds_finish(&ctx->folds);
    CLFOLD_RELEASE(&ctx->log, Device, ctx->device);
    CLFOLD_RELEASE(&ctx->log, Context, ctx->context);
    clfold_free(ctx);
}

/* Retains what the context uses, and makes its parts. */
static clfold_status init_parts(struct clfold_context *ctx, const struct site *site,
                                cl_context context, cl_device_id device,
                                const clfold_context_params *params)
{
    clfold_status status;

    if ((status = clRetainContext(context)) != CL_SUCCESS) {
        return clfold_fail_call(site, status, "clRetainContext");
    }
    ctx->context = context;
    if ((status = clRetainDevice(device)) != CL_SUCCESS) {
        return clfold_fail_call(site, status, "clRetainDevice");
    }
    ctx->device = device;
    if ((status = clfold_archive_init(&ctx->archive, site, device, &ctx->caps, params))) {
        return status;
    }
    if (!clfold_folds_init(&ctx->folds) ||
        !clfold_cache_init(&ctx->cache, context, device, ctx->caps.options,
                           &ctx->archive) ||
        !clfold_scratch_init(&ctx->scratch, context, params->scratch_limit) ||
        !clfold_knowledge_init(&ctx->knowledge, &ctx->caps)) {
        return clfold_fail(site, CL_OUT_OF_HOST_MEMORY, "no room for a lock");
    }
    return clfold_folds_built_in(&ctx->folds, site, &ctx->caps, CLFOLD_SHARED_OP,
                                 CLFOLD_SHARED_TYPE, CLFOLD_SHARED_TYPE, 0, &ctx->shared);
}

clfold_status clfold_context_create(clfold_context **out, cl_context context,
                                    cl_device_id device,
                                    const clfold_context_params *params)
{
    static const clfold_context_params defaults;
    const clfold_context_params *p = params ? params : &defaults;
    struct log log = { p->log, p->user,
                       p->log_level ? p->log_level : CLFOLD_LOG_WARNING };
    struct site site = { &log, "clfold_context_create" };
    struct clfold_context *ctx;
    clfold_status status;

    if (!out) {
        return REJECT(&site, "out is NULL");
    }
    *out = NULL;
    if (!context || !device) {
        return REJECT(&site, "%s is NULL", context ? "device" : "context");
    }
    if ((status = check_params(&site, p)) ||
        (status = check_device(&site, context, device))) {
        return status;
    }
    ctx = clfold_alloc(sizeof(*ctx));
    if (!ctx) {
        return clfold_fail(&site, CL_OUT_OF_HOST_MEMORY, "no memory for a context");
    }
    ctx->log = log;
    site.log = &ctx->log;
    ctx->on_launch = p->on_launch;
    ctx->verify_every = p->verify_every;
    ctx->max_programs = p->max_programs ? p->max_programs : CLFOLD_MAX_PROGRAMS;
    ctx->load_verdict = p->load_verdict;
    ctx->save_verdict = p->save_verdict;
    /* The version first: clRetainDevice came with OpenCL 1.2. */
    if ((status = read_environment(ctx, &site)) ||
        (status = clfold_caps_init(&ctx->caps, &site, device)) ||
        (status = clfold_tuning_load(ctx, &site, p->tuning_file)) ||
        (status = init_parts(ctx, &site, context, device, p))) {
        destroy(ctx);
        return status;
    }
    *out = ctx;
    return CLFOLD_OK;
}

void clfold_context_destroy(clfold_context **context)
{
    if (context && *context) {
        destroy(*context);
        *context = NULL;
    }
}

void clfold_context_trim(clfold_context *context)
{
    if (context) {
        clfold_cache_save(&context->cache, &context->log, NULL);
        clfold_scratch_trim(&context->scratch, &context->log);
        clfold_cache_trim(&context->cache, &context->log);
    }
}

void clfold_context_shrink(clfold_context *context, uint32_t most)
{
    struct folds *folds = &context->folds;
    struct interned *fold;

    while ((atomic_load(&folds->num_users) > most ||
            atomic_load(&context->cache.num_users) > most) &&
           (fold = clfold_folds_evict(folds))) {
        clfold_cache_drop(&context->cache, &context->log, fold);
        clfold_free(fold);
    }
}

clfold_status clfold_context_stats(clfold_context *context, clfold_stats *out)
{
    struct site site = { context ? &context->log : NULL, "clfold_context_stats" };

    if (!context || !out) {
        return REJECT(&site, "%s is NULL", context ? "out" : "context");
    }
    struct cache *cache = &context->cache;
    *out = (clfold_stats){
        .calls = atomic_load(&context->calls),
        .scratch_bytes = clfold_scratch_held(&context->scratch),
    };
    clfold_lock_take(&cache->lock);
    out->hits = cache->hits;
    out->misses = cache->misses;
    out->builds = cache->builds;
    out->failed_builds = cache->failed_builds;
    out->build_ns = cache->build_ns;
    out->disk_hits = cache->loads;
    out->disk_saves = cache->saves;
    out->load_ns = cache->load_ns;
    clfold_lock_give(&cache->lock);
    return CLFOLD_OK;
}

/* ---- For libraries on top ------------------------------------------------------- */

clfold_status clfold_set_error(const clfold_context *context, clfold_status status,
                               const char *who, const char *sentence)
{
    const struct site site = { .log = context ? &context->log : NULL,
                               .who = who ? who : "clfold_set_error" };

    return clfold_fail(&site, status, "%s", sentence ? sentence : "sentence is NULL");
}

void clfold_log_line(const clfold_context *context, int level, const char *line)
{
    clfold_log(context ? &context->log : NULL, level, "%s",
               line ? line : "clfold_log_line: line is NULL");
}
