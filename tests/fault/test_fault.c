/*
 * Every OpenCL call, every allocation and every file operation that a function makes
 * fails once. Then the function either returns that failure or works without the call,
 * for a reason that `is_tolerated` names. Nothing leaks, what it failed to write is as it
 * was, and the same call works afterwards. A trial makes the call, and compares its
 * results.
 */
#include <clfold/experimental.h>
#include "alloc_spy.h"
#include "fixture.h"
#include "lookback.h"
#include "sweep.h"
#include "write_file.h"

#include "base/folder.h"
#include "base/memory.h"
#include "ops/context.h"

#include <unistd.h>

enum event { NO_EVENT, EVENT, WAIT }; /* WAIT: for the gate, and an event too */

/* One function under fire, with the trial's call or instead of it. */
struct scenario {
    const char *name;
    struct trial trial;
    enum event event;
    clfold_context_params params;
    void (*before)(const struct call *call);        /* NULL: nothing, so it is cold */
    clfold_status (*fire)(const struct call *call); /* NULL: the call */
    void (*check)(const struct call *call);         /* after it has succeeded */
    uint64_t least[NUM_WAYS];                       /* of its operations fail */
    uint64_t most;                                  /* 0: all */
    bool limits_half; /* a block of half a call makes no room under the limit */
    bool is_kept; /* in a folder, which no failure of a file or of the driver spoils */
    /* Calls that must have been among those that failed; the second, if there is
     * scratch. */
    const char *calls[20], *scratch[4];
    const char *files[16]; /* and operations on files */
};

static struct {
    const struct scenario *scenario;
    enum way way;
    uint64_t number; /* of the operation that fails */
    struct clspy_shot shot;
    clfold_operation operation;
    clfold_status status;
    cl_event gate; /* a user event that calls may wait for */
    cl_event event;
    bool has_scratch;
    cl_long result; /* on the host */
    clfold_context *other;
    clfold_report report;
    int loads, saves; /* of verdicts */
} run;

/* Each process has names of its own. */
static char tuning_file[64], folder[64];

/* ---- What is fired at -------------------------------------------------------------- */

static clfold_status fire_call(const struct call *call)
{
    return forward(run.operation, call);
}

/* Another context; its end can fail as well. */
static clfold_status create(const clfold_context_params *params)
{
    clfold_context *other = NULL;
    const clfold_status status = context_open(&other, params);

    assert_int_equal(other == NULL, status != CLFOLD_OK);
    clfold_context_destroy(&other);
    return status;
}

static clfold_status fire_create(const struct call *call)
{
    (void)call;
    return create(NULL);
}

static clfold_status fire_create_tuned(const struct call *call)
{
    const clfold_context_params params = { .tuning_file = tuning_file };

    (void)call;
    return create(&params);
}

/* A context's life, which keeps its program in the folder. */
static clfold_status fire_kept(const struct call *call)
{
    const clfold_context_params params = { .cache_folder = folder,
                                           .log_level = CLFOLD_LOG_DEBUG };
    struct call own = *call;
    clfold_status status = context_open(&own.context, &params);

    if (status == CLFOLD_OK) {
        status = forward_alone(run.operation, &own);
        clfold_context_destroy(&own.context);
    }
    return status;
}

static clfold_status fire_host(const struct call *call)
{
    return clfold_reduce_host(call->context, call->queue, call->fold, call->in,
                              call->in_offset, call->count, &run.result,
                              sizeof(run.result));
}

static clfold_status fire_prepare(const struct call *call)
{
    return clfold_prepare(call->context, run.operation, call->fold, call->count, NULL);
}

/* As many as look-back is chosen for. */
static clfold_status fire_prepare_lookback(const struct call *call)
{
    return clfold_prepare(call->context, run.operation, call->fold, (size_t)1 << 24,
                          NULL);
}

static clfold_status fire_explain(const struct call *call)
{
    return clfold_explain(call->context, run.operation, call->fold, call->count, NULL,
                          &run.report);
}

static clfold_status fire_explain_all(const struct call *call)
{
    clfold_tuning_row row;
    clfold_lookback known;
    clfold_status status = fire_explain(call);

    status = status ? status
                    : clfold_explain_tuning(call->context, run.operation, call->fold,
                                            call->count, &row);
    return status ? status : clfold_explain_lookback(call->context, CL_FALSE, &known);
}

/* A probe that fails leaves what the caller keeps to be asked for. */
static clfold_status fire_explain_lookback(const struct call *call)
{
    clfold_lookback known = { .why = "mine" };
    const clfold_status status = clfold_explain_lookback(call->context, CL_TRUE, &known);

    if (status) {
        assert_string_equal(known.why, "mine");
        assert_int_equal(run.loads, 0);
        assert_ok(clfold_explain_lookback(call->context, CL_FALSE, &known));
        assert_int_equal(run.loads, 1);
        assert_true(!known.tier && !known.why);
    }
    return status;
}

static clfold_status fire_destroy(const struct call *call)
{
    (void)call;
    clfold_context_destroy(&run.other);
    return CLFOLD_OK;
}

static clfold_status fire_trim(const struct call *call)
{
    clfold_context_trim(call->context);
    return CLFOLD_OK;
}

/* ---- Before ------------------------------------------------------------------------ */

static void warm(const struct call *call)
{
    assert_ok(run.scenario->fire == fire_host ? fire_host(call)
                                              : forward_alone(run.operation, call));
    run.result = POISON;
    assert_int_equal(clFinish(call->queue), CL_SUCCESS);
}

static void warm_with_open_gate(const struct call *call)
{
    warm(call);
    assert_int_equal(clSetUserEventStatus(run.gate, CL_COMPLETE), CL_SUCCESS);
}

/* So few elements for a work-item that one launch does not do for a single group; but not
 * more launches than can fail one after the other in good time. */
static void limit_tiles(const struct call *call)
{
    uint64_t most = 32;

    do {
        call->context->caps.facts.most_elements = most;
        most *= 2;
        assert_ok(fire_explain(call));
    } while (run.report.num_launches > 15);
    warm(call);
}

/* And enough tiles that their prefixes take more than one launch. */
static void limit_prefixes(const struct call *call)
{
    static const struct debug small = { .tile_elements = 16, .max_groups = 50 };

    clfold_context_override(call->context, &small);
    limit_tiles(call);
}

static void use_another_queue(const struct call *call)
{
    struct call other = *call;

    other.queue = call->queue == device.queue ? device.disorder : device.queue;
    if (other.queue) {
        warm(&other);
    }
}

/* Another queue holds all scratch that a limit allows. */
static void use_all_scratch(const struct call *call)
{
    const struct call reduction = { .context = call->context,
                                    .queue = call->queue,
                                    .fold = &sum,
                                    .in = input,
                                    .out = output,
                                    .count = COUNT };
    const clfold_operation operation = run.operation;

    clfold_context_override(call->context, &twenty_groups);
    run.operation = CLFOLD_REDUCE;
    use_another_queue(&reduction);
    run.operation = operation;
}

/* Blocks, kernels, events and both queues are held. */
static void warm_all(const struct call *call)
{
    warm(call);
    use_another_queue(call);
}

static void warm_another(const struct call *call)
{
    struct call own = *call;

    assert_ok(context_open(&run.other, NULL));
    own.context = run.other;
    warm_all(&own);
}

/* The last group folds what all have left, where memory has fences. */
static void join_groups(const struct call *call)
{
    static const struct debug joined = { .tile_elements = 1024, .max_groups = 50 };

    clfold_context_override(call->context, &joined);
}

/* The queue's block of scratch is in use until the gate opens. */
static void use_a_block(const struct call *call)
{
    struct call other = *call;

    other.out = output;
    other.out_offset = 1;
    other.num_wait = 1;
    other.wait = &run.gate;
    other.event = NULL;
    assert_ok(forward(run.operation, &other));
}

static size_t count_load(void *user, const char *key, void *verdict, size_t size)
{
    (void)user, (void)key, (void)verdict, (void)size;
    ++run.loads;
    return 0;
}

static void count_save(void *user, const char *key, const void *verdict, size_t size)
{
    (void)user, (void)key, (void)verdict, (void)size;
    ++run.saves;
}

/* Devices that need no probe are probed as well, always by the same calls. */
static void probe_once(const struct call *call)
{
    static const struct debug probes = { .probes = 1,
                                         .tile_elements = 512,
                                         .spins = 1 + 8 };

    clfold_context_override(call->context, &probes);
}

/* With a row of another device, so that it is read and not used. */
static void write_tuning(const struct call *call)
{
    static const char text[] = "clfold tuning 5\n"
                               "reduce 4 2^13..2^15 groups=7 on another device\n";

    (void)call;
    write_file(tuning_file, text, strlen(text));
}

static void clear_folder(const struct call *call)
{
    struct folder files;
    struct folder_file *list;
    size_t num;

    (void)call;
    assert_int_equal(clfold_folder_open(&files, folder, 1), 0);
    assert_int_equal(clfold_folder_list(&files, &list, &num), 0);
    while (num-- > 0) {
        assert_int_equal(clfold_folder_remove(&files, list[num].name), 0);
    }
    clfold_free(list);
    clfold_folder_close(&files);
    assert_int_equal(rmdir(folder), 0); /* no part of a file is left */
}

static void fill_folder(const struct call *call)
{
    clear_folder(call);
    assert_ok(fire_kept(call));
}

/* ---- After success ----------------------------------------------------------------- */

/* What the device takes at once was not enough. */
static void check_long_scan(const struct call *call)
{
    assert_ok(fire_explain(call));
    assert_true(run.report.num_launches > (run.report.num_groups == 1 ? 1 : 3));
}

/* The call after clfold_prepare makes nothing. */
static void check_prepared(const struct call *call)
{
    static const char *const functions[] = { "clBuildProgram", "clCreateKernel",
                                             "clCreateBuffer" };
    uint64_t made[3];

    for (size_t i = 0; i < 3; ++i) {
        made[i] = clspy_calls(functions[i]);
    }
    warm(call);
    for (size_t i = 0; i < 3; ++i) {
        assert_int_equal(clspy_calls(functions[i]), made[i]);
    }
}

static void check_explained(const struct call *call)
{
    (void)call;
    assert_string_equal(run.report.algorithm, "reduce_tiles");
    assert_int_equal(run.report.num_launches, 2);
}

static void check_trimmed(const struct call *call)
{
    clfold_stats stats;

    assert_ok(clfold_context_stats(call->context, &stats));
    assert_int_equal(stats.scratch_bytes, 0);
}

/* What is left in the folder is whole, and serves. */
static void check_kept(const struct call *call)
{
    log_clear();
    assert_ok(fire_kept(call));
    assert_false(log_has(CLFOLD_LOG_DEBUG, "rebuilt", ""));
    clear_folder(call);
}

/* ---- The sweep --------------------------------------------------------------------- */

static bool is_release(const struct clspy_shot *shot)
{
    return strncmp(shot->function, "clRelease", strlen("clRelease")) == 0;
}

/* A probe that failed, where another strategy takes over, for this context only. */
static bool is_probe(const struct clspy_shot *shot, const char *code)
{
    bool is_alloc = strcmp(shot->function, "clfold_alloc") == 0;

    return log_has(CLFOLD_LOG_WARNING, "probing memory for look-back", code) &&
           log_has(CLFOLD_LOG_WARNING, is_alloc ? "" : shot->function, code) &&
           (run.scenario->fire || /* which may stop before any tier */
            log_has(CLFOLD_LOG_WARNING, "dropped: does not", "")) &&
           run.saves == 0;
}

/* Whether a block of scratch was asked for its last event's state. */
static bool is_block_query(const struct clspy_shot *shot)
{
    return strcmp(shot->function, "clGetEventInfo") == 0 &&
           shot->param == CL_EVENT_COMMAND_EXECUTION_STATUS;
}

/* Whether a driver does not take its own binary. */
static bool is_load(const struct clspy_shot *shot)
{
    return run.scenario->before == fill_folder &&
           (strcmp(shot->function, "clCreateProgramWithBinary") == 0 ||
            strcmp(shot->function, "clBuildProgram") == 0 ||
            strcmp(shot->function, "clCreateKernel") == 0);
}

/* Operations on files without which nothing is kept, so that the log says it. */
static bool is_needed(const char *function)
{
    static const char *const needed[] = { "mkdir", "write", "fsync", "renameat" };
    bool found = false;

    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); ++i) {
        found |= strcmp(function, needed[i]) == 0;
    }
    return found;
}

/* The failures that a function may do without, and what the log must say of them. */
static bool is_tolerated(const struct clspy_shot *shot)
{
    const char *code = clfold_status_name(shot->code);

    if (run.way == OF_FILES) {
        return !is_needed(shot->function) || log_has(CLFOLD_LOG_DEBUG, "", "No space") ||
               log_has(CLFOLD_LOG_WARNING, "", "No space");
    }
    if (run.scenario->is_kept) {
        return !is_load(shot) ||
               log_has(CLFOLD_LOG_DEBUG, "a kept program is rebuilt", code);
    }
    if (is_release(shot)) {
        return log_has(CLFOLD_LOG_ERROR, shot->function, code);
    }
    /* The other kind of tile takes over. */
    if (strcmp(shot->function, "clBuildProgram") == 0 &&
        shot->code == CL_BUILD_PROGRAM_FAILURE) {
        return log_has(CLFOLD_LOG_WARNING, "does not build", "") ||
               log_has(CLFOLD_LOG_WARNING, "does not compile for vectors", "");
    }
    if (is_probe(shot, code)) {
        return true;
    }
    /* Optional queries, which the extensions' names stand in for. */
    if (strcmp(shot->function, "clGetDeviceInfo") == 0) {
        return shot->param == CL_DEVICE_DOUBLE_FP_CONFIG ||
               shot->param == CL_DEVICE_MAX_NUM_SUB_GROUPS;
    }
    /* A block of which nothing is known counts as used. */
    return is_block_query(shot);
}

/* A program that does not build is given up for good, where no other tile takes over. */
static bool has_no_other_tile(void)
{
    const char *const algorithm = run.scenario->trial.algorithm;

    return algorithm && strcmp(algorithm, "reduce6") == 0;
}

static void assert_failed(clfold_status status)
{
    const char *const name = run.scenario->name, *const message = clfold_last_error();
    const struct clspy_shot *const shot = &run.shot;
    char tail[64];
    /* A block of which nothing is known makes no room under a limit. */
    bool is_query = is_block_query(shot);
    /* The probe's only tier. */
    const char *fate =
        shot->code == CL_BUILD_PROGRAM_FAILURE ? "does not build" : "does not run";
    bool is_tier = status == CLFOLD_ERROR_UNSUPPORTED && strstr(message, fate) != NULL;
    bool is_build = shot->code == CL_BUILD_PROGRAM_FAILURE && has_no_other_tile();
    clfold_status code = is_query   ? CL_MEM_OBJECT_ALLOCATION_FAILURE
                         : is_tier  ? CLFOLD_ERROR_UNSUPPORTED
                         : is_build ? CLFOLD_ERROR_BUILD
                                    : shot->code;
    size_t length =
        (size_t)snprintf(tail, sizeof(tail), " (%s)", clfold_status_name(code));

    if (run.way == OF_FILES || is_load(shot)) {
        fail_msg("%s: %s failed the call: %s", name, shot->function, message);
    }
    if (status != code) {
        fail_msg("%s: %s failed with %s, the call returned %s: %s", name, shot->function,
                 clfold_status_name(shot->code), clfold_status_name(status), message);
    }
    if (is_release(shot)) {
        fail_msg("%s: the call failed for %s", name, shot->function);
    }
    if (strlen(message) < length ||
        strcmp(message + strlen(message) - length, tail) != 0) {
        fail_msg("%s: %s: \"%s\" does not end in \"%s\"", name, shot->function, message,
                 tail);
    }
    /* Lack of memory may be the library's own as well. */
    if (code == shot->code && code != CL_OUT_OF_HOST_MEMORY &&
        !strstr(message, shot->function)) {
        fail_msg("%s: \"%s\" does not name %s", name, message, shot->function);
    }
    if (!run.scenario->params.scratch_limit && strstr(message, "scratch_limit")) {
        fail_msg("%s: \"%s\", and there is none", name, message);
    }
    if (!log_has(CLFOLD_LOG_ERROR, message, "")) {
        fail_msg("%s: %s: the log lacks \"%s\"", name, shot->function, message);
    }
    if (run.scenario->event && run.event) {
        fail_msg("%s: %s: the event is not NULL", name, shot->function);
    }
    if (run.result != POISON) {
        fail_msg("%s: %s: the result is not as it was", name, shot->function);
    }
}

/* Of an argument that could not be set the sentence says which one it is. */
static void name_argument(struct clspy_shot *shot)
{
    static const char *const names[][2] = {
        { ": in: clSetKernelArg failed", "clSetKernelArg of in" },
        { ": out: clSetKernelArg failed", "clSetKernelArg of out" },
    };

    if (strcmp(shot->function, "clSetKernelArg") == 0) {
        const char *const failed = strstr(clfold_last_error(), ": clSetKernelArg failed");
        assert_true(failed && failed[-1] != ':' && failed[-1] != ' ');
        for (int i = 0; i < 2; ++i) {
            if (strstr(clfold_last_error(), names[i][0])) {
                shot->function = names[i][1];
            }
        }
    }
}

/* All that a call may make; not events, which are the queue's own. */
static uint64_t made(void)
{
    return clspy_calls("clCreate*") + clspy_calls("clBuildProgram") +
           clspy_calls("clRetainCommandQueue") + alloc_spy_calls();
}

static void assert_succeeded(uint64_t things)
{
    const struct scenario *const scenario = run.scenario;
    const struct clspy_shot *const shot = &run.shot;

    if (shot->fired && !is_tolerated(shot)) {
        fail_msg("%s: %s failed with %s (asked for 0x%x), and nobody said so",
                 scenario->name, shot->function, clfold_status_name(shot->code),
                 shot->param);
    }
    if (!shot->fired) {
        assert_int_equal(log_count(CLFOLD_LOG_ERROR), 0);
        assert_int_equal(run.saves, scenario->before == probe_once);
    }
    if (!shot->fired && scenario->before == warm && !scenario->params.verify_every) {
        assert_int_equal(things, 0); /* a warm call makes nothing */
    }
    if (scenario->event && !scenario->fire) {
        assert_non_null(run.event);
    }
}

/* What all buffers of the call hold, one after the other; to be freed. */
static unsigned char *contents(const struct call *call, size_t *size)
{
    const clfold_fold *const fold = call->fold;
    const cl_mem mems[] = { call->in,
                            call->out,
                            fold->total_out.mem,
                            fold->init_at.mem,
                            fold->count_at.mem,
                            fold->keys_out.mem,
                            fold->lengths_out.mem,
                            fold->num_out.mem,
                            fold->segments ? fold->segments->mem : NULL };
    unsigned char *bytes = NULL;

    *size = 0;
    for (size_t i = 0; i < sizeof(mems) / sizeof(mems[0]); ++i) {
        size_t more = 0;
        if (!mems[i]) {
            continue;
        }
        clGetMemObjectInfo(mems[i], CL_MEM_SIZE, sizeof(more), &more, NULL);
        unsigned char *longer = realloc(bytes, *size + more);
        assert_non_null(longer);
        bytes = longer;
        assert_int_equal(clEnqueueReadBuffer(device.queue, mems[i], CL_TRUE, 0, more,
                                             bytes + *size, 0, NULL, NULL),
                         CL_SUCCESS);
        *size += more;
    }
    return bytes;
}

/* Gives the trial the event that the call gave, or one of all that is in the queue. */
static void hand_over(const struct call *call)
{
    if (run.scenario->fire == fire_host) {
        assert_int_equal(clEnqueueWriteBuffer(call->queue, call->out, CL_TRUE,
                                              call->out_offset * sizeof(run.result),
                                              sizeof(run.result), &run.result, 0, NULL,
                                              NULL),
                         CL_SUCCESS);
    }
    *call->event = run.event;
    if (!run.scenario->event) {
        assert_int_equal(clEnqueueMarkerWithWaitList(call->queue, 0, NULL, call->event),
                         CL_SUCCESS);
    }
}

/* Fires while the trial's call is on its way. */
static clfold_status fire(clfold_operation operation, const struct call *theirs)
{
    const struct scenario *const scenario = run.scenario;
    struct call call = *theirs;
    size_t size;

    if (!theirs->event) { /* a part of a call, before its last one */
        return forward(operation, theirs);
    }
    on_call = NULL;
    run.operation = operation;
    call.event = scenario->event ? &run.event : NULL;
    call.num_wait = scenario->event == WAIT;
    call.wait = call.num_wait ? &run.gate : NULL;
    if (scenario->before) {
        scenario->before(&call);
    }
    unsigned char *const before = contents(&call, &size);
    log_clear();
    /* So that an old sentence is not taken for the new one. */
    clfold_context_create(NULL, NULL, NULL, NULL);

    uint64_t launches = clspy_calls("clEnqueueNDRangeKernel"), things = made();
    fault_arm(run.way, run.number);
    clfold_status status = (scenario->fire ? scenario->fire : fire_call)(&call);
    run.shot = fault_disarm(run.way);
    run.status = status;
    things = made() - things;
    launches = clspy_calls("clEnqueueNDRangeKernel") - launches;
    launches -= strcmp(run.shot.function, "clEnqueueNDRangeKernel") == 0;
    if (status == CLFOLD_OK) {
        assert_succeeded(things);
    } else if (run.shot.fired) {
        assert_failed(status);
        name_argument(&run.shot);
    }
    /* What fails before the first kernel has changed nothing. */
    if (status && launches == 0) {
        unsigned char *const after = contents(&call, &size);
        if (memcmp(before, after, size) != 0) {
            fail_msg("%s: %s: a buffer is not as it was", scenario->name,
                     run.shot.function);
        }
        free(after);
    }
    free(before);
    /* What has launched half of it uses its block until the gate opens; but a block goes
     * if its event cannot be kept. */
    const bool is_half = status && launches > 0 && scenario->limits_half &&
                         strcmp(run.shot.function, "clRetainEvent") != 0;
    const struct block *b = call.context->scratch.blocks;
    bool is_used = !is_half || b;
    for (; is_half && b; b = b->next) {
        cl_int state = CL_COMPLETE;
        is_used &= b->last && clGetEventInfo(b->last, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                             sizeof(state), &state, NULL) == CL_SUCCESS;
        is_used &= state > CL_COMPLETE;
    }
    /* Rejected where it is open already. */
    clSetUserEventStatus(run.gate, CL_COMPLETE);
    assert_int_equal(clFinish(call.queue), CL_SUCCESS);
    assert_true(is_used);
    if (status && !run.shot.fired) {
        on_call = fire; /* by another algorithm, or the trial fails */
        return status;
    }
    if (status == CLFOLD_OK && scenario->check) {
        scenario->check(&call);
    }
    if (status == CLFOLD_ERROR_BUILD) {
        clfold_context_destroy(&ctx);
        assert_ok(context_open(&ctx, &scenario->params));
        call.context = ctx;
    }
    call.event = theirs->event;
    if (status == CLFOLD_OK && (!scenario->fire || scenario->fire == fire_host)) {
        hand_over(&call);
        return CLFOLD_OK;
    }
    call.num_wait = 0;
    call.wait = NULL;
    return forward(operation, &call);
}

static struct clspy_shot shoot_once(enum way way, uint64_t number)
{
    const struct scenario *const scenario = run.scenario;
    cl_int status;

    run.way = way;
    run.number = number;
    run.shot = (struct clspy_shot){ 0 };
    run.result = POISON;
    run.loads = run.saves = 0;
    run.event = (cl_event)&run;
    run.gate = clCreateUserEvent(device.context, &status);
    assert_int_equal(status, CL_SUCCESS);
    assert_ok(context_open(&ctx, &scenario->params));
    on_call = fire;
    trial_check(&scenario->trial, NULL);
    for (const struct block *b = ctx->scratch.blocks; b; b = b->next) {
        assert_false(b->lent);
    }
    run.has_scratch = ctx->scratch.blocks != NULL;
    if (run.status == CLFOLD_OK) { /* else it has been made again */
        trial_check(&scenario->trial, NULL);
    }
    clfold_context_destroy(&ctx);
    clReleaseEvent(run.gate);
    return run.shot;
}

static bool keeps_programs(void)
{
    const clfold_context_params params = { .cache_folder = folder };

    assert_ok(context_open(&ctx, &params));
    const bool keeps = ctx->archive.is_open;
    clfold_context_destroy(&ctx);
    return keeps;
}

/* What a driver or a build of the library lacks. */
static const char *left_out(const struct scenario *scenario)
{
    const struct trial *const trial = &scenario->trial;
    const bool needs_disorder = trial->disorder || scenario->before == use_all_scratch;
    const bool looks_back = trial->algorithm && may_look_back(trial->algorithm);

    return needs_disorder && !device.disorder       ? "it has no out-of-order queue"
           : scenario->is_kept && !keeps_programs() ? "its programs are not kept"
           : (looks_back || scenario->before == probe_once) && device.ends_loops
               ? "it does not look back"
           : trial->accuracy == CLFOLD_COMPENSATED && !device_has_groups()
               ? "what a failed build leaves are groups"
               : NULL;
}

/* What a test is told: a scenario, and what fails. */
struct aim {
    const struct scenario *scenario;
    enum way way;
};

static void sweep_aim(void **state)
{
    const struct aim *const aim = *state;
    const struct scenario *const scenario = aim->scenario;
    const enum way way = aim->way;
    const char *seen[25] = { NULL };
    size_t num = 0;

    if (left_out(scenario)) {
        print_message("%s: %s\n", device.name, left_out(scenario));
        skip();
    }
    run.scenario = scenario;
    shoot_once(way, UINT32_MAX); /* nothing fails */
    for (; way == OF_CALLS && num < 20 && scenario->calls[num]; ++num) {
        seen[num] = scenario->calls[num];
    }
    for (size_t i = 0; way == OF_CALLS && run.has_scratch && i < 4; ++i) {
        seen[num + i] = scenario->scratch[i];
    }
    if (way == OF_FILES) {
        memcpy(seen, scenario->files, sizeof(scenario->files));
    }
    sweep(scenario->name, way, shoot_once, scenario->least[way], scenario->most, seen);
}

/* ---- The scenarios ----------------------------------------------------------------- */

#define CHECKS "clGetCommandQueueInfo", "clGetMemObjectInfo"
#define BUILDS "clCreateProgramWithSource", "clBuildProgram", "clCreateKernel"
#define MAKES  "clCreateBuffer", "clRetainCommandQueue"
#define SETS   "clSetKernelArg of in", "clSetKernelArg of out"
#define RUNS   SETS, "clEnqueueNDRangeKernel"
#define EVENTS "clRetainEvent", "clReleaseEvent", "clGetEventInfo"
#define PREPARES                                                                         \
    "clCreateBuffer", "clCreateCommandQueue", "clFinish", "clReleaseCommandQueue"
#define READS     "clEnqueueReadBuffer", "clWaitForEvents"
#define FREES     "clReleaseKernel", "clReleaseMemObject", "clReleaseCommandQueue"
#define ALLOCS(n) .least = { 0, (n) }

/* What is done with each call of the fixture's. An allocation each is of the program, its
 * key, its text and its kernels. */
static const struct scenario modes[] = {
    { "cold", ALLOCS(4), .calls = { CHECKS, BUILDS, RUNS }, .scratch = { MAKES } },
    { "warm, out of order", .trial.disorder = true, .event = WAIT, .before = warm,
      .calls = { CHECKS, RUNS }, .scratch = { EVENTS } },
    { "warm", .event = WAIT, .before = warm, .calls = { CHECKS, RUNS } },
    { "cold, out of order", .trial.disorder = true, .event = WAIT, ALLOCS(4),
      .calls = { CHECKS, BUILDS, RUNS }, .scratch = { MAKES, "clRetainEvent" } },
    { "prepare", .fire = fire_prepare, .check = check_prepared, ALLOCS(5),
      .calls = { BUILDS, RUNS, PREPARES } },
};
enum { NUM_MODES = sizeof(modes) / sizeof(modes[0]) };

#define IN_ORDER .trial = { .operation = CLFOLD_REDUCE, INTS(COUNT) }
#define DISORDER .trial = { .operation = CLFOLD_REDUCE, INTS(COUNT), .disorder = true }
#define SCAN(by, ...)                                                                    \
    .trial = { .operation = CLFOLD_INCLUSIVE_SCAN, .algorithm = (by), __VA_ARGS__ }
#define PROBED                                                                           \
    .params = { .load_verdict = count_load, .save_verdict = count_save },                \
    .before = probe_once
#define VERIFIED .params = { .verify_every = 1 }

static const struct scenario others[] = {
    { "create", IN_ORDER, .fire = fire_create,
      ALLOCS(6), /* the list of devices, four strings, the context */
      .calls = { "clGetContextInfo", "clRetainContext", "clRetainDevice",
                 "clGetDeviceInfo" } },
    { "create with a tuning file", IN_ORDER, .before = write_tuning,
      .fire = fire_create_tuned, ALLOCS(8), /* the file's text and rows too */
      .calls = { "clGetContextInfo", "clGetDeviceInfo" } },
    { "reduce, by the last group", DISORDER, WAIT, .before = join_groups, ALLOCS(5),
      .calls = { CHECKS, BUILDS, MAKES, RUNS, "clRetainEvent" } },
    { "reduce beside a block in use", DISORDER, WAIT, .before = use_a_block, ALLOCS(1),
      .calls = { "clGetEventInfo", MAKES, "clRetainEvent", "clReleaseEvent" } },
    { "reduce with scratch of another queue", DISORDER, EVENT,
      .params = { .scratch_limit = 200 }, .before = use_all_scratch, ALLOCS(1),
      .calls = { "clGetEventInfo", "clReleaseEvent", "clReleaseCommandQueue",
                 "clReleaseMemObject", MAKES } },
    { "reduce under a limit", IN_ORDER, WAIT, .params = { .scratch_limit = 1000 },
      .before = warm, .limits_half = true, .calls = { CHECKS, RUNS, "clReleaseEvent" } },
    { "reduce_host, cold", IN_ORDER, .fire = fire_host, ALLOCS(6),
      .calls = { CHECKS, BUILDS, MAKES, RUNS, READS, "clReleaseEvent" } },
    { "reduce_host, warm", IN_ORDER, .before = warm, .fire = fire_host,
      .calls = { CHECKS, RUNS, READS, "clReleaseEvent" } },
    { "reduce_host, cold, out of order", DISORDER, .fire = fire_host, ALLOCS(6),
      .calls = { CHECKS, BUILDS, MAKES, RUNS, READS, "clReleaseEvent",
                 "clEnqueueBarrierWithWaitList", "clRetainEvent" } },
    { "reduce_host, warm, out of order", DISORDER, .before = warm, .fire = fire_host,
      .calls = { CHECKS, RUNS, READS, EVENTS, "clEnqueueBarrierWithWaitList" } },
    { "reduce, verified", IN_ORDER, VERIFIED, .before = warm,
      .calls = { CHECKS, RUNS, READS, "clReleaseEvent" } },
    { "reduce, verified, out of order", DISORDER, WAIT, VERIFIED,
      .before = warm_with_open_gate, .calls = { CHECKS, RUNS, READS, "clRetainEvent" } },
    { "reduce_host, verified, out of order", DISORDER, VERIFIED, .before = warm,
      .fire = fire_host, .calls = { CHECKS, RUNS, READS, "clRetainEvent" } },
    { "reduce_then_scan, prefixes in many launches",
      SCAN("reduce_then_scan", INTS(COUNT), .disorder = true), WAIT,
      .before = limit_prefixes, .check = check_long_scan,
      .calls = { CHECKS, RUNS, EVENTS } },
    { "scan_single_group, in many launches",
      SCAN("scan_single_group", INTS(COUNT), .disorder = true), WAIT,
      .before = limit_tiles, .check = check_long_scan, .calls = { CHECKS, RUNS } },
    /* The result's block, that of totals and that of bits fit if the reduction's goes. */
    { "prepare a scan by offsets under a limit",
      SCAN("reduce_then_scan", INTS(COUNT), .by = CLFOLD_BY_OFFSETS,
           .head_type = CLFOLD_U32, .disorder = true),
      .params = { .scratch_limit = 2900 }, .before = use_all_scratch,
      .fire = fire_prepare, .check = check_prepared, ALLOCS(5),
      .calls = { BUILDS, RUNS, PREPARES, "clGetEventInfo", "clReleaseEvent",
                 "clReleaseMemObject" } },
    { "scan, probed", SCAN("scan_lookback", INTS(2)), PROBED,
      ALLOCS(10), /* a text, and memory of four launches, besides the scan's */
      .calls = { CHECKS, BUILDS, MAKES, RUNS, FREES, "clGetDeviceInfo",
                 "clCreateCommandQueue", "clEnqueueReadBuffer", "clReleaseProgram" } },
    { "prepare of a scan, probed", SCAN(NULL, INTS(2)), PROBED,
      .fire = fire_prepare_lookback, ALLOCS(10),
      .most = 30, /* the probe is done by then, and the rest takes long to build */
      .calls = { BUILDS, "clEnqueueNDRangeKernel", "clCreateBuffer",
                 "clCreateCommandQueue", "clEnqueueReadBuffer" } },
    { "explain look-back, probed", SCAN(NULL, INTS(2)), PROBED,
      .fire = fire_explain_lookback, .calls = { "clCreateBuffer", "clBuildProgram" } },
    { "explain, its tuning and look-back", IN_ORDER, .fire = fire_explain_all,
      .check = check_explained },
    { "trim", IN_ORDER, .before = warm_all, .fire = fire_trim, .check = check_trimmed,
      .calls = { FREES } },
    { "destroy", IN_ORDER, .before = warm_another, .fire = fire_destroy,
      .calls = { FREES, "clReleaseProgram", "clReleaseDevice", "clReleaseContext" } },
    { "a kept program", IN_ORDER, .is_kept = true, .before = clear_folder,
      .fire = fire_kept, .check = check_kept, .least = { 40, 15, 15 },
      .files = { "open", "openat", "write", "fsync", "fstat", "fstatat", "mkdir",
                 "renameat", "close", "fdopendir", "readdir" } },
    { "a kept program, loaded", IN_ORDER, .is_kept = true, .before = fill_folder,
      .fire = fire_kept, .check = check_kept, .least = { 40, 15, 8 },
      .files = { "open", "openat", "read", "fstat", "utimensat", "close" } },
};
enum { NUM_OTHERS = sizeof(others) / sizeof(others[0]) };

/* Each call is swept in one way, cold or warm, in order or out of order, and some are
 * prepared; at the level wide in two ways, and at full in all. */
static bool is_taken(size_t call, size_t mode)
{
    static const char *const prepared[] = { "reduce",           "reduce_lanes",
                                            "reduce_then_scan", "scan_lanes",
                                            "scan by offsets",  "reduce by keys" };
    const enum level level = test_level();
    bool is_turn = level == LEVEL_FULL || mode == call % 4 ||
                   (level == LEVEL_WIDE && mode == (call + 1) % 4);

    for (size_t i = 0; mode == NUM_MODES - 1 && i < 6; ++i) {
        is_turn |= strcmp(prepared[i], calls[call].name) == 0;
    }
    return calls[call].trial.count > 0 && is_turn;
}

#define MOST_SCENARIOS (64 * NUM_MODES + NUM_OTHERS)
#define MOST_TESTS     (NUM_WAYS * MOST_SCENARIOS)

/* PoCL, which is open by now, keeps programs itself; the library must not see it. */
static int begin(void **state)
{
    return fixture_init(state) || setenv("POCL_KERNEL_CACHE", "0", 1);
}

/* test_fault ["PATTERN"]: only the sweeps whose names fit, as "calls: reduce*". */
int main(int argc, char **argv)
{
    static const char *const ways[NUM_WAYS] = { "calls", "allocations", "files" };
    static struct aim aims[MOST_TESTS];
    static struct scenario scenarios[MOST_SCENARIOS];
    static char texts[MOST_SCENARIOS][64], names[MOST_TESTS][80];
    static struct CMUnitTest tests[MOST_TESTS];
    size_t num = 0, num_tests = 0;

    for (size_t i = 0; i < num_calls * NUM_MODES; ++i) {
        const size_t mode = i % NUM_MODES, call = i / NUM_MODES;
        if (is_taken(call, mode)) {
            snprintf(texts[num], sizeof(texts[num]), "%s, %s", calls[call].name,
                     modes[mode].name);
            scenarios[num] = modes[mode];
            scenarios[num].name = texts[num];
            scenarios[num].trial = calls[call].trial;
            scenarios[num++].trial.disorder = modes[mode].trial.disorder;
        }
    }
    for (size_t i = 0; i < NUM_OTHERS; ++i) {
        scenarios[num++] = others[i];
    }
    for (size_t i = 0; i < num * NUM_WAYS; ++i) {
        const struct scenario *const scenario = &scenarios[i / NUM_WAYS];
        const enum way way = (enum way)(i % NUM_WAYS);
        if (way != OF_FILES || scenario->least[OF_FILES] > 0) {
            snprintf(names[i], sizeof(names[i]), "%s: %s", ways[way], scenario->name);
            aims[i] = (struct aim){ scenario, way };
            tests[num_tests++] =
                (struct CMUnitTest){ names[i], sweep_aim, NULL, NULL, &aims[i] };
        }
    }
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    clspy_keep_binaries(); /* each failure has a context of its own, which builds anew */
    snprintf(tuning_file, sizeof(tuning_file), "clfold-fault-%ld", (long)getpid());
    snprintf(folder, sizeof(folder), "clfold-fault-%ld.d", (long)getpid());
    int failed =
        _cmocka_run_group_tests("fault", tests, num_tests, begin, fixture_finish);
    unlink(tuning_file);
    rmdir(folder);
    return failed;
}
