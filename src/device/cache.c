#include "device/cache.h"

#include "base/hash.h"
#include "base/lines.h"
#include "base/memory.h"
#include "plan/assemble.h"

#include <stdio.h>
#include <string.h>

/* ---- Kernels ----------------------------------------------------------------------- */

static void destroy_kernels(struct kernels *all, const struct log *log)
{
    while (all) {
        struct kernels *kernels = all;
        all = kernels->next;
        for (uint32_t i = 0; i < CLFOLD_MAX_KERNELS; ++i) {
            CLFOLD_RELEASE(log, Kernel, kernels->kernels[i]);
        }
        clfold_free(kernels);
    }
}

/* One of each name; NULL, and *status says why. */
static struct kernels *make_kernels(const struct program *program, cl_int *status)
{
    const struct algorithm_row *row = clfold_algorithm_row(program->shape.algorithm);
    struct kernels *kernels = clfold_alloc(sizeof(*kernels));

    *status = kernels ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; *status == CL_SUCCESS && i < row->num_kernels; ++i) {
        cl_kernel kernel = clCreateKernel(program->program, row->kernels[i], status);
        if (*status == CL_SUCCESS) {
            kernels->of = program;
            kernels->kernels[i] = kernel;
            kernels->params[i] = clfold_kernel_params(row->kernels[i]);
        }
    }
    if (*status != CL_SUCCESS) {
        destroy_kernels(kernels, NULL);
        kernels = NULL;
    }
    return kernels;
}

/* ---- Programs ---------------------------------------------------------------------- */

/* The link to the program, or to where it belongs. */
static struct program **lookup(struct cache *cache, const struct interned *fold,
                               const struct shape *shape)
{
    uint64_t hash = clfold_hash(CLFOLD_HASH_START, &fold->id, 1);
    struct program **link;

    hash = clfold_hash(hash, (const uint32_t *)shape, CLFOLD_SHAPE_WORDS);
    link = &cache->buckets[hash % CLFOLD_BUCKETS];
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
    const cl_program_build_info what = CL_PROGRAM_BUILD_LOG;
    size_t size = 0;
    char *log = NULL;

    if (clGetProgramBuildInfo(program, device, what, 0, NULL, &size) ||
        !(log = clfold_alloc(size + 1)) ||
        clGetProgramBuildInfo(program, device, what, size, log, NULL) || !log[0]) {
        clfold_text_print(text, "the driver gave no build log");
    } else {
        clfold_lines_append(text, source, log);
    }
    clfold_free(log);
}

/* The outcome of a build, which sets the program and the compiler's log itself: nobody
 * looks at these meanwhile. It is logged only after waiting threads are released, since a
 * log callback may call clfold, even with the same fold. */
struct outcome {
    clfold_status status;    /* passing, but for CLFOLD_OK and CL_BUILD_PROGRAM_FAILURE */
    const char *failed;      /* the call, or the missing resource */
    struct kernels *kernels; /* of a program that was loaded: they are there */
    cl_int released;         /* by clReleaseProgram, of one that does not build */
    char note[CLFOLD_ARCHIVE_NOTE]; /* the archive's */
    uint64_t ns;
};

/* From the archive. A program without its kernels is a defect like others. */
static void load(const struct cache *cache, struct program *program,
                 const struct text *text, struct outcome *outcome)
{
    uint64_t start = clfold_clock_ns();
    cl_int status = CL_SUCCESS;

    program->program = clfold_archive_load(cache->archive, cache->context, cache->device,
                                           cache->options, text, outcome->note);
    if (program->program) {
        outcome->kernels = make_kernels(program, &status);
    }
    if (program->program && !outcome->kernels) {
        snprintf(outcome->note, sizeof(outcome->note),
                 "a kept program is rebuilt: its kernels cannot be made (%s)",
                 clfold_status_name(status));
        clReleaseProgram(program->program);
        program->program = NULL;
    }
    outcome->ns = clfold_clock_ns() - start;
}

static void build_text(const struct cache *cache, struct program *program,
                       const struct text *text, struct outcome *outcome)
{
    uint64_t start;

    program->program = clCreateProgramWithSource(
        cache->context, 1, (const char **)&text->bytes, &text->length, &outcome->status);
    if (outcome->status != CL_SUCCESS) {
        program->program = NULL;
        outcome->failed = "clCreateProgramWithSource";
        return;
    }
    start = clfold_clock_ns();
    outcome->status =
        clBuildProgram(program->program, 1, &cache->device, cache->options, NULL, NULL);
    outcome->ns = clfold_clock_ns() - start;
    if (outcome->status == CL_BUILD_PROGRAM_FAILURE) {
        get_build_log(&program->log, text->bytes, program->program, cache->device);
    }
    if (outcome->status != CL_SUCCESS) {
        outcome->failed = "clBuildProgram";
        outcome->released = clReleaseProgram(program->program);
        program->program = NULL;
    }
}

/* Loads or compiles, without the lock held. */
static void build(const struct cache *cache, struct program *program,
                  struct outcome *outcome)
{
    struct text text = { 0 };

    clfold_assemble(&text, &program->fold->monoid, &program->shape);
    if (text.failed) {
        outcome->status = CL_OUT_OF_HOST_MEMORY;
        outcome->failed = "assembling the program's text";
    } else {
        if (cache->archive->is_open) {
            load(cache, program, &text, outcome);
        }
        if (!program->program) {
            build_text(cache, program, &text, outcome);
        }
    }
    clfold_text_finish(&text);
}

clfold_status clfold_program_error(const struct program *program, const struct site *site)
{
    return clfold_fail(site, CLFOLD_ERROR_BUILD, "the program does not build: %s",
                       program->log.bytes ? clfold_lines_error(program->log.bytes)
                                          : "no memory for the log");
}

/* Builds the program, whose state is BUILDING. Releases the lock meanwhile. */
static clfold_status build_here(struct cache *cache, const struct site *site,
                                struct program *program)
{
    struct outcome outcome = { 0 };

    clfold_lock_give(&cache->lock);
    build(cache, program, &outcome);
    bool loaded = outcome.kernels != NULL;
    clfold_lock_take(&cache->lock);
    cache->builds += !loaded;
    cache->loads += loaded;
    *(loaded ? &cache->load_ns : &cache->build_ns) += outcome.ns;
    cache->failed_builds += outcome.status != CLFOLD_OK;
    program->idle = outcome.kernels;
    program->is_kept = loaded;
    program->state = outcome.status == CLFOLD_OK                  ? PROGRAM_READY
                     : outcome.status == CL_BUILD_PROGRAM_FAILURE ? PROGRAM_FAILED
                                                                  : PROGRAM_EMPTY;
    clfold_lock_wake(&cache->lock);
    clfold_lock_give(&cache->lock);
    clfold_log_call(site->log, outcome.released, "clReleaseProgram");
    if (outcome.note[0] != '\0') {
        clfold_log(site->log, CLFOLD_LOG_DEBUG, "%s: %s", site->who, outcome.note);
    }
    if (outcome.status == CL_BUILD_PROGRAM_FAILURE) {
        /* The program and its log stay as they are from here on. */
        clfold_log(site->log, CLFOLD_LOG_WARNING, "%s: %s: %s", site->who,
                   program->shape.algorithm == WIDTHS
                       ? "runs on scalars, since it does not compile for vectors"
                       : "a program does not build",
                   program->log.bytes ? program->log.bytes : "");
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
    clfold_lock_take(&cache->lock);
    struct program *program = *lookup(cache, fold, shape);
    *out = program && program->state >= PROGRAM_READY ? program : NULL;
    enum program_state state = *out ? program->state : PROGRAM_EMPTY;
    clfold_lock_give(&cache->lock);
    return state;
}

/* ---- Lending kernels --------------------------------------------------------------- */

clfold_status clfold_program_take(struct cache *cache, const struct site *site,
                                  struct program *program, struct kernels **out)
{
    cl_int status = CL_SUCCESS;

    clfold_lock_take(&cache->lock);
    *out = program->idle;
    if (*out) {
        program->idle = (*out)->next;
    }
    clfold_lock_give(&cache->lock);
    if (!*out) {
        *out = make_kernels(program, &status);
    }
    return *out ? CLFOLD_OK
           : status == CL_OUT_OF_HOST_MEMORY
               ? clfold_fail(site, status, "no memory for kernel objects")
               : clfold_fail_call(site, status, "clCreateKernel");
}

void clfold_program_give(struct cache *cache, struct program *program,
                         struct kernels *kernels)
{
    clfold_lock_take(&cache->lock);
    kernels->next = program->idle;
    program->idle = kernels;
    clfold_lock_give(&cache->lock);
}

/* ---- Saving ------------------------------------------------------------------------ */

/* Without the lock; the program is not dropped meanwhile. */
static bool save(const struct cache *cache, const struct program *program,
                 char note[CLFOLD_ARCHIVE_NOTE])
{
    struct text text = { 0 };
    bool saved = false;

    snprintf(note, CLFOLD_ARCHIVE_NOTE, "a program is not kept: no memory for its text");
    clfold_assemble(&text, &program->fold->monoid, &program->shape);
    if (!text.failed) {
        saved = clfold_archive_save(cache->archive, cache->device, program->program,
                                    &text, note);
    }
    clfold_text_finish(&text);
    return saved;
}

/* Saves the first program that the archive lacks and that was not tried since `round`
 * began; false: there is none. A log callback may call clfold, so it is called last. */
static bool save_next(struct cache *cache, const struct log *log,
                      const struct interned *fold, uint64_t round)
{
    char note[CLFOLD_ARCHIVE_NOTE];
    struct program *p;
    bool saved;

    clfold_lock_take(&cache->lock);
    for (p = cache->programs; p; p = p->next) {
        if ((!fold || p->fold == fold) && p->state == PROGRAM_READY && !p->is_kept &&
            !p->saving && p->round < round) {
            break;
        }
    }
    if (!p) {
        clfold_lock_give(&cache->lock);
        return false;
    }
    p->saving = true;
    p->round = round;
    clfold_lock_give(&cache->lock);
    saved = save(cache, p, note);
    clfold_lock_take(&cache->lock);
    p->saving = false;
    p->is_kept = saved;
    cache->saves += saved;
    clfold_lock_wake(&cache->lock);
    clfold_lock_give(&cache->lock);
    if (!saved) {
        clfold_log(log, CLFOLD_LOG_DEBUG, "%s", note);
    }
    return true;
}

static void save_all(struct cache *cache, const struct log *log,
                     const struct interned *fold)
{
    uint64_t round;
    bool any = false;

    clfold_lock_take(&cache->lock);
    round = ++cache->rounds;
    clfold_lock_give(&cache->lock);
    while (save_next(cache, log, fold, round)) {
        any = true;
    }
    if (any) {
        clfold_archive_tidy(cache->archive);
    }
}

void clfold_cache_save(struct cache *cache, const struct log *log,
                       const struct interned *fold)
{
    if (cache->archive->is_fed && !cache->archive->saves_last) {
        save_all(cache, log, fold);
    }
}

/* ---- The cache --------------------------------------------------------------------- */

bool clfold_cache_init(struct cache *cache, cl_context context, cl_device_id device,
                       const char *options, const struct archive *archive)
{
    *cache = (struct cache){
        .context = context, .device = device, .options = options, .archive = archive
    };
    return clfold_lock_init(&cache->lock);
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
    destroy_kernels(all, log);
}

static void destroy_programs(struct program *programs, const struct log *log)
{
    while (programs) {
        struct program *program = programs;
        programs = program->next;
        destroy_kernels(program->idle, log);
        CLFOLD_RELEASE(log, Program, program->program);
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
        if (program->saving) {
            /* The list may be another one afterwards. */
            clfold_lock_wait(&cache->lock);
            link = &cache->programs;
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
    if (cache->programs && cache->archive->is_fed) {
        save_all(cache, log, NULL);
    }
    destroy_programs(cache->programs, log);
    clfold_lock_finish(&cache->lock);
}
