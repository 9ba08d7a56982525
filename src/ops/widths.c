/* Whether a user's fold may run on vectors: its two widths are compared on the device. */
#include "ops/widths.h"

#include "base/number.h"
#include "base/platform.h"
#include "ops/chain.h"
#include "plan/scalar.h"

#include <stdio.h>
#include <string.h>

/* What the kernel finds. */
struct difference {
    cl_ulong num, component;
    cl_long scalar, vector; /* floats in the order of their bits */
};

/* Runs the kernel on a queue of its own, and waits. */
static clfold_status compare(const struct request *request, struct kernels *kernels,
                             struct difference *found)
{
    struct request own = *request;
    struct chain chain = { .request = &own };
    struct launch launch = {
        .num_groups = 1,
        .segments = clfold_segments_or_one(request->job.segments.given),
    };
    cl_int status = clfold_own_queue(&own);

    if (status) {
        return status;
    }
    own.init = (struct init){ 0 };
    launch.out = clCreateBuffer(own.context->context, CL_MEM_READ_WRITE, sizeof(*found),
                                NULL, &status);
    if (status != CL_SUCCESS) {
        status = clfold_fail_call(own.site, status, "clCreateBuffer");
    } else {
        clfold_launch_bind(&launch, 0, NULL);
        status = clfold_chain_launch(&chain, kernels, &launch, false);
        if (status == CLFOLD_OK) {
            status = clfold_read(&own, launch.out, 0, sizeof(*found), found, NULL);
        }
        CLFOLD_RELEASE(own.site->log, MemObject, launch.out);
    }
    CLFOLD_RELEASE(own.site->log, CommandQueue, own.queue);
    return status;
}

/* A value from its bits. */
static void print_value(char *text, size_t size, clfold_type type, cl_long ordered)
{
    const struct scalar *scalar = clfold_scalar(type);
    const cl_long least = scalar->size == 2   ? INT16_MIN
                          : scalar->size == 4 ? INT32_MIN
                                              : INT64_MIN;
    const cl_long bits = ordered < 0 ? least - ordered : ordered;
    const uint16_t half = (uint16_t)bits;
    const uint32_t word = (uint32_t)bits;
    const void *real = scalar->size == 2   ? (const void *)&half
                       : scalar->size == 4 ? (const void *)&word
                                           : &bits;
    const struct host_number integer = { .integer = (uint64_t)ordered };

    clfold_number_print(text, size, type,
                        scalar->is_float ? clfold_number_read(type, real) : integer);
}

/* Where the numbers of what a load, a result and a condition give begin: CLFOLD_OF_LOAD
 * and its kin of widths.cl. */
enum { OF_COMBINE = 0, OF_LOAD = 8, OF_RESULT = 16, OF_KEEP = 24 };

/* A value that differs: whose, of which type, and its name where there are several. */
struct differing {
    const char *text, *name;
    clfold_type type;
};

static struct differing find(const struct monoid *monoid, uint32_t number)
{
    const struct component *component =
        &monoid->components[number % OF_LOAD % CLFOLD_MAX_PARTS];
    bool named = monoid->num_components > 1;

    if (number >= OF_KEEP) {
        return (struct differing){ monoid->keeps_runs ? "same" : "keep", NULL,
                                   CLFOLD_I8 };
    }
    if (number >= OF_RESULT) {
        clfold_type type = monoid->out
                               ? monoid->out
                               : clfold_monoid_result_type(monoid, number - OF_RESULT);
        named &= !monoid->out && !monoid->rounded;
        return (struct differing){ "result", named ? component->name : NULL, type };
    }
    if (number >= OF_LOAD && monoid->loaded) {
        return (struct differing){ "load", NULL, monoid->loaded };
    }
    return (struct differing){ number >= OF_LOAD ? "load" : "combine",
                               named ? component->name : NULL, component->stage };
}

static void describe(char why[CLFOLD_WHY_SIZE], const struct monoid *monoid,
                     const struct difference *found)
{
    struct differing it = find(monoid, (uint32_t)found->component);
    char scalar[40], vector[40];

    print_value(scalar, sizeof(scalar), it.type, found->scalar);
    print_value(vector, sizeof(vector), it.type, found->vector);
    snprintf(why, CLFOLD_WHY_SIZE, "%s gives %s%s%s as a scalar and %s in a vector",
             it.text, it.name ? it.name : "", it.name ? " " : "", scalar, vector);
}

/* The first error of a compiler's log, without its end of line. */
static void take_error(char why[CLFOLD_WHY_SIZE], const struct program *program)
{
    const char *log = program->log.bytes ? program->log.bytes : "";
    const char *error = strstr(log, "error: ");
    int length;

    error = error ? error + 7 : log;
    length = (int)strcspn(error, "\r\n");
    if (snprintf(why, CLFOLD_WHY_SIZE, "it does not compile for vectors: %.*s", length,
                 error) >= CLFOLD_WHY_SIZE) {
        memcpy(why + CLFOLD_WHY_SIZE - 4, "...", 4);
    }
}

/* Compares once; the first thread's finding stays. */
static clfold_status find_out(const struct request *request)
{
    clfold_context *context = request->context;
    const struct site *site = request->site;
    const struct shape shape = {
        .algorithm = WIDTHS,
        .tile = { TILE_VECTOR, 16, 1 },
        .use = request->job.use,
        .tail = clfold_platform_miscopies(context->caps.facts.platform),
        .single = clfold_platform_vectorizes(context->caps.facts.platform),
    };
    struct interned *fold = request->fold;
    struct difference found = { 0 };
    char why[CLFOLD_WHY_SIZE] = "";
    struct program *program;
    struct kernels *kernels;
    bool cached = true, differs, is_first;
    clfold_status status =
        clfold_cache_find(&context->cache, site, fold, &shape, &program, &cached);

    if (status == CLFOLD_ERROR_BUILD) {
        take_error(why, program);
    } else if (status == CLFOLD_OK &&
               (status = clfold_program_take(&context->cache, site, program, &kernels)) ==
                   CLFOLD_OK) {
        status = compare(request, kernels, &found);
        clfold_program_give(&context->cache, program, kernels);
    }
    if (status && status != CLFOLD_ERROR_BUILD) {
        return status;
    }
    differs = status == CLFOLD_ERROR_BUILD || found.num > 0;
    if (found.num > 0) {
        describe(why, &fold->monoid, &found);
    }
    clfold_lock_take(&context->folds.lock);
    is_first = atomic_load(&fold->widths) == WIDTHS_UNKNOWN;
    if (is_first) {
        memcpy(fold->why, why, sizeof(why));
        atomic_store(&fold->widths, differs ? WIDTHS_DIFFER : WIDTHS_AGREE);
    }
    clfold_lock_give(&context->folds.lock);
    if (is_first && found.num > 0) {
        clfold_log(site->log, CLFOLD_LOG_WARNING, "%s: runs on scalars: %s", site->who,
                   why);
    }
    return CLFOLD_OK;
}

clfold_status clfold_widths_check(const struct request *request)
{
    struct interned *fold = request->fold;

    return fold->is_user && clfold_monoid_has_text(&fold->monoid) &&
                   atomic_load(&fold->widths) == WIDTHS_UNKNOWN
               ? find_out(request)
               : CLFOLD_OK;
}
