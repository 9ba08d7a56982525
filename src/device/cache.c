#include "device/cache.h"

#include "base/hash.h"
#include "base/lines.h"
#include "base/memory.h"
#include "plan/assemble.h"

#include <string.h>

/* ---- Programs ---------------------------------------------------------------------- */

_Static_assert(sizeof(struct shape) % sizeof(uint32_t) == 0, "a shape is words");

static struct program **bucket_of(struct cache *cache, const struct interned *fold,
                                  const struct shape *shape)
{
    uint64_t hash = clfold_hash(CLFOLD_HASH_START, &fold->id, 1);

    hash = clfold_hash(hash, (const uint32_t *)shape, sizeof(*shape) / sizeof(uint32_t));
    return &cache->buckets[hash % CLFOLD_BUCKETS];
}

/* The link to the program, or to where it belongs. */
static struct program **lookup(struct cache *cache, const struct interned *fold,
                               const struct shape *shape)
{
    struct program **link = bucket_of(cache, fold, shape);

    while (*link && ((*link)->fold != fold ||
                     memcmp(&(*link)->shape, shape, sizeof(*shape)) != 0)) {
        link = &(*link)->peer;
    }
    return link;
}

static struct program *insert(struct cache *cache, struct program **link,
                              const struct interned *fold, const struct shape *shape)
{
    struct program *program = clfold_alloc(sizeof(*program));

    if (program) {
        program->fold = fold;
        program->shape = *shape;
        program->row = clfold_algorithm_row(shape->algorithm);
        program->next = cache->programs;
        cache->programs = program;
        *link = program;
        atomic_fetch_add(&cache->num_users, fold->is_user);
    }
    return program;
}

static void get_build_log(struct text *text, const char *source, cl_program program,
                          cl_device_id device)
{
    size_t size = 0;
    char *log = NULL;

    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) !=
            CL_SUCCESS ||
        !(log = clfold_alloc(size + 1)) ||
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL) !=
            CL_SUCCESS) {
        clfold_text_print(text, "the driver gave no build log");
    } else {
        clfold_lines_append(text, source, log);
    }
    clfold_free(log);
}

/* The outcome of a build. It is logged only after waiting threads are released, since a
 * log callback may call clfold, even with the same fold. */
struct outcome {
    clfold_status status; /* passing, but for CLFOLD_OK and CL_BUILD_PROGRAM_FAILURE */
    const char *failed;   /* the call, or the missing resource */
    cl_program program;
    cl_int released; /* by clReleaseProgram, of one that does not build */
    struct text log; /* the compiler's, of CL_BUILD_PROGRAM_FAILURE */
    uint64_t ns;
};

/* Compiles without the lock held. */
static void build(const struct cache *cache, const struct program *program,
                  struct outcome *outcome)
{
    struct text text = { 0 };
    uint64_t start;

    clfold_assemble(&text, &program->fold->monoid, &program->shape);
    if (text.failed) {
        outcome->status = CL_OUT_OF_HOST_MEMORY;
        outcome->failed = "assembling the program's text";
        goto done;
    }
    outcome->program = clCreateProgramWithSource(
        cache->context, 1, (const char **)&text.bytes, &text.length, &outcome->status);
    if (outcome->status != CL_SUCCESS) {
        outcome->program = NULL;
        outcome->failed = "clCreateProgramWithSource";
        goto done;
    }
    start = clfold_clock_ns();
    outcome->status =
        clBuildProgram(outcome->program, 1, &cache->device, cache->options, NULL, NULL);
    outcome->ns = clfold_clock_ns() - start;
    if (outcome->status == CL_BUILD_PROGRAM_FAILURE) {
        get_build_log(&outcome->log, text.bytes, outcome->program, cache->device);
    }
    if (outcome->status != CL_SUCCESS) {
        outcome->failed = "clBuildProgram";
        outcome->released = clReleaseProgram(outcome->program);
        outcome->program = NULL;
    }
done:
    clfold_text_finish(&text);
}

clfold_status clfold_program_error(const struct program *program, const struct site *site)
{
    return clfold_fail(site, CLFOLD_ERROR_BUILD, "the program does not build: %s",
                       program->log.bytes ? program->log.bytes : "no memory for the log");
}

/* Builds the program, whose state is BUILDING. Releases the lock meanwhile. */
static clfold_status build_here(struct cache *cache, const struct site *site,
                                struct program *program)
{
    struct outcome outcome = { 0 };

    clfold_lock_give(&cache->lock);
    build(cache, program, &outcome);
    clfold_lock_take(&cache->lock);
    ++cache->builds;
    cache->build_ns += outcome.ns;
    cache->failed_builds += outcome.status != CLFOLD_OK;
    program->program = outcome.program;
    program->log = outcome.log;
    program->state = outcome.status == CLFOLD_OK                  ? PROGRAM_READY
                     : outcome.status == CL_BUILD_PROGRAM_FAILURE ? PROGRAM_FAILED
                                                                  : PROGRAM_EMPTY;
    clfold_lock_wake(&cache->lock);
    clfold_lock_give(&cache->lock);
    clfold_log_call(site->log, outcome.released, "clReleaseProgram");
    if (outcome.status == CL_BUILD_PROGRAM_FAILURE) {
        /* The program and its log stay as they are from here on. */
        clfold_log(site->log, CLFOLD_LOG_WARNING, "%s: a program does not build: %s",
                   site->who, program->log.bytes ? program->log.bytes : "");
    } else if (outcome.status != CLFOLD_OK) {
        clfold_fail_call(site, outcome.status, outcome.failed);
    }
    clfold_lock_take(&cache->lock);
    return outcome.status == CL_BUILD_PROGRAM_FAILURE ? CLFOLD_ERROR_BUILD
                                                      : outcome.status;
}

clfold_status clfold_cache_find(struct cache *cache, const struct site *site,
                                const struct interned *fold, const struct shape *shape,
                                struct program **out, bool *found)
{
    clfold_status status = CLFOLD_OK;

    clfold_lock_take(&cache->lock);
    struct program **link = lookup(cache, fold, shape), *program = *link;
    if (!program || program->state == PROGRAM_EMPTY ||
        program->state == PROGRAM_BUILDING) {
        *found = false;
    }
    if (!program && !(program = insert(cache, link, fold, shape))) {
        clfold_lock_give(&cache->lock);
        return clfold_fail(site, CL_OUT_OF_HOST_MEMORY, "no memory for the kernel cache");
    }
    while (program->state == PROGRAM_BUILDING) {
        clfold_lock_wait(&cache->lock);
    }
    if (program->state == PROGRAM_EMPTY) {
        program->state = PROGRAM_BUILDING;
        status = build_here(cache, site, program);
    } else if (program->state == PROGRAM_FAILED) {
        status = CLFOLD_ERROR_BUILD;
    }
    clfold_lock_give(&cache->lock);
    *out = program;
    return status;
}

void clfold_cache_count(struct cache *cache, bool hit)
{
    atomic_fetch_add_explicit(hit ? &cache->hits : &cache->misses, 1,
                              memory_order_relaxed);
}

enum program_state clfold_cache_peek(struct cache *cache, const struct interned *fold,
                                     const struct shape *shape, struct program **out)
{
    enum program_state state = PROGRAM_EMPTY;

    clfold_lock_take(&cache->lock);
    struct program *program = *lookup(cache, fold, shape);
    if (program && program->state >= PROGRAM_READY) {
        state = program->state;
    }
    clfold_lock_give(&cache->lock);
    *out = state == PROGRAM_EMPTY ? NULL : program;
    return state;
}

/* ---- Kernels ----------------------------------------------------------------------- */

static void destroy_kernels(struct kernels *kernels, const struct log *log)
{
    for (uint32_t i = 0; i < CLFOLD_MAX_KERNELS; ++i) {
        if (kernels->kernels[i]) {
            clfold_log_call(log, clReleaseKernel(kernels->kernels[i]), "clReleaseKernel");
        }
    }
    clfold_free(kernels);
}

static void destroy_list(struct kernels *all, const struct log *log)
{
    while (all) {
        struct kernels *kernels = all;
        all = kernels->next;
        destroy_kernels(kernels, log);
    }
}

clfold_status clfold_program_take(struct cache *cache, const struct site *site,
                                  struct program *program, struct kernels **out)
{
    clfold_lock_take(&cache->lock);
    struct kernels *kernels = program->idle;
    if (kernels) {
        program->idle = kernels->next;
    }
    clfold_lock_give(&cache->lock);
    if (kernels) {
        *out = kernels;
        return CLFOLD_OK;
    }

    kernels = clfold_alloc(sizeof(*kernels));
    if (!kernels) {
        return clfold_fail(site, CL_OUT_OF_HOST_MEMORY, "no memory for kernel objects");
    }
    for (uint32_t i = 0; i < program->row->num_kernels; ++i) {
        cl_int status = CL_SUCCESS;
        cl_kernel kernel =
            clCreateKernel(program->program, program->row->kernels[i], &status);
        if (status != CL_SUCCESS) {
            clfold_fail_call(site, status, "clCreateKernel");
            destroy_kernels(kernels, site->log);
            return status;
        }
        kernels->kernels[i] = kernel;
    }
    *out = kernels;
    return CLFOLD_OK;
}

void clfold_program_give(struct cache *cache, struct program *program,
                         struct kernels *kernels)
{
    clfold_lock_take(&cache->lock);
    kernels->next = program->idle;
    program->idle = kernels;
    clfold_lock_give(&cache->lock);
}

/* ---- The cache --------------------------------------------------------------------- */

clfold_status clfold_cache_init(struct cache *cache, const struct site *site,
                                cl_context context, cl_device_id device,
                                const char *options)
{
    *cache = (struct cache){ .context = context, .device = device, .options = options };
    return clfold_lock_init(&cache->lock)
               ? CLFOLD_OK
               : clfold_fail(site, CL_OUT_OF_HOST_MEMORY, "no room for a lock");
}

void clfold_cache_trim(struct cache *cache, const struct log *log)
{
    struct kernels *all = NULL;

    clfold_lock_take(&cache->lock);
    for (struct program *p = cache->programs; p; p = p->next) {
        while (p->idle) {
            struct kernels *kernels = p->idle;
            p->idle = kernels->next;
            kernels->next = all;
            all = kernels;
        }
    }
    clfold_lock_give(&cache->lock);
    destroy_list(all, log);
}

static void destroy_programs(struct program *programs, const struct log *log)
{
    while (programs) {
        struct program *program = programs;
        programs = program->next;
        destroy_list(program->idle, log);
        if (program->program) {
            clfold_log_call(log, clReleaseProgram(program->program), "clReleaseProgram");
        }
        clfold_text_finish(&program->log);
        clfold_free(program);
    }
}

void clfold_cache_drop(struct cache *cache, const struct log *log,
                       const struct interned *fold)
{
    struct program *dropped = NULL;

    clfold_lock_take(&cache->lock);
    for (struct program **link = &cache->programs; *link;) {
        struct program *program = *link;
        if (program->fold != fold) {
            link = &program->next;
            continue;
        }
        *lookup(cache, fold, &program->shape) = program->peer;
        *link = program->next;
        program->next = dropped;
        dropped = program;
        atomic_fetch_sub(&cache->num_users, fold->is_user);
    }
    clfold_lock_give(&cache->lock);
    destroy_programs(dropped, log);
}

void clfold_cache_finish(struct cache *cache, const struct log *log)
{
    destroy_programs(cache->programs, log);
    clfold_lock_finish(&cache->lock);
}
