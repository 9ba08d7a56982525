/*
 * Every OpenCL call and every allocation that a function makes fails once. Then the
 * function either returns that failure or works without the call, for a reason that
 * `is_tolerated` names. Nothing leaks, and the context still works.
 */
#include <clfold/experimental.h>
#include "alloc_spy.h"
#include "clspy.h"
#include "fixture.h"
#include "write_file.h"

#include "ops/context.h"
#include "ops/internal.h"

#include <unistd.h>

#define MAX_CALLS 500

struct run {
    const struct scenario *scenario;
    clfold_context *ctx;
    cl_command_queue queue;
    cl_event gate; /* a user event that calls may wait for */
    cl_event event;
    cl_long result; /* on the host */
    clfold_report report;
    clfold_stats stats;
    const char *failed; /* the function, or "nothing" */
};

enum order { IN_ORDER, OUT_OF_ORDER };
enum event { NO_EVENT, EVENT, WAIT }; /* WAIT: for the gate, and an event too */

/* One function under fire. */
struct scenario {
    const char *name;
    clfold_operation operation; /* 0: none, and so no result */
    enum order order;
    const char *algorithm;
    const clfold_fold *fold; /* NULL: the sum of longs */
    size_t count;            /* 0: COUNT */
    enum event event;
    clfold_context_params params;
    void (*before)(struct run *run);        /* makes it warm; NULL: cold */
    clfold_status (*fire)(struct run *run); /* NULL: the operation */
    void (*check)(struct run *run);         /* after success; NULL: of its result */
    bool makes_context, takes_context;
    size_t least_allocs;
    uint64_t most; /* of its calls fail; 0: all */
    /* Calls that must have been among those that failed. */
    const char *calls[16];
};

/* ---- What is fired at -------------------------------------------------------------- */

/* A text that may be wrong in vectors is not compared, so it makes nothing more. */
static const clfold_fold with_result = { .op = CLFOLD_ADD,
                                         .type = CLFOLD_I64,
                                         .in = CLFOLD_I32,
                                         .result = "item + 0 * x",
                                         .flags = CLFOLD_PARTIAL };

static clfold_status fire_create(struct run *run)
{
    return context_open(&run->ctx, NULL);
}

/* With a row of another device, so that it is read and not used. Each process has a file
 * of its own. */
static char tuning_file[64];
#define TUNING                                                                           \
    "clfold tuning 5\n"                                                                  \
    "reduce 4 2^13..2^15 groups=7 on another device\n"

static clfold_status fire_create_tuned(struct run *run)
{
    const clfold_context_params params = { .tuning_file = tuning_file };

    return context_open(&run->ctx, &params);
}

/* A scan by a fold with a result writes no sum that is a long. */
static bool is_summed(const struct scenario *scenario)
{
    return scenario->operation == CLFOLD_REDUCE || !scenario->fold ||
           scenario->fold == &with_result;
}

static clfold_fold fold_of(const struct scenario *scenario)
{
    clfold_fold fold = scenario->fold ? *scenario->fold : sum;

    fold.algorithm = scenario->algorithm;
    fold.segments = fold.segments ? fold.segments : segments_for(scenario->algorithm);
    if (scenario->operation == CLFOLD_INCLUSIVE_SCAN && is_summed(scenario)) {
        fold.total_out.mem = output;
    }
    return fold;
}

/* The scenario's operation by this fold; `warms`: without event or wait. */
static clfold_status call(struct run *run, const clfold_fold *fold, bool warms)
{
    const struct scenario *scenario = run->scenario;

    return make_call(run->ctx, run->queue, scenario->operation, fold,
                     scenario->count ? scenario->count : COUNT,
                     !warms && scenario->event == WAIT ? &run->gate : NULL,
                     warms || !scenario->event ? NULL : &run->event);
}

static clfold_status fire_call(struct run *run)
{
    const clfold_fold fold = fold_of(run->scenario);

    return call(run, &fold, false);
}

static clfold_status fire_host(struct run *run)
{
    return clfold_reduce_host(run->ctx, run->queue, &sum, input, 0, COUNT, &run->result,
                              sizeof(run->result));
}

static clfold_status fire_prepare(struct run *run)
{
    const clfold_fold fold = fold_of(run->scenario);

    return clfold_prepare(run->ctx, run->scenario->operation, &fold, COUNT, NULL);
}

static clfold_status fire_explain(struct run *run)
{
    return clfold_explain(run->ctx, CLFOLD_REDUCE, &sum, COUNT, NULL, &run->report);
}

static clfold_status fire_explain_tuning(struct run *run)
{
    clfold_tuning_row row;

    return clfold_explain_tuning(run->ctx, CLFOLD_REDUCE, &sum, COUNT, &row);
}

static clfold_status fire_explain_lookback(struct run *run)
{
    clfold_lookback known;

    return clfold_explain_lookback(run->ctx, CL_FALSE, &known);
}

/* Look-back by name, whose tiers are probed. */
static clfold_status fire_lookback(struct run *run)
{
    const clfold_fold fold = { .op = CLFOLD_ADD,
                               .type = CLFOLD_I64,
                               .in = CLFOLD_I32,
                               .algorithm = "scan_lookback" };

    return clfold_inclusive_scan(run->ctx, run->queue, &fold, input, 0, output, 0, 2, 0,
                                 NULL, NULL);
}

/* As many as look-back is chosen for. */
static clfold_status fire_prepare_lookback(struct run *run)
{
    return clfold_prepare(run->ctx, CLFOLD_INCLUSIVE_SCAN, &sum, (size_t)1 << 24, NULL);
}

static clfold_status fire_stats(struct run *run)
{
    return clfold_context_stats(run->ctx, &run->stats);
}

static clfold_status fire_trim(struct run *run)
{
    clfold_context_trim(run->ctx);
    return CLFOLD_OK;
}

static clfold_status fire_destroy(struct run *run)
{
    clfold_context_destroy(&run->ctx);
    return CLFOLD_OK;
}

/* ---- Before ------------------------------------------------------------------------ */

static void open_gate(struct run *run)
{
    assert_int_equal(clSetUserEventStatus(run->gate, CL_COMPLETE), CL_SUCCESS);
}

static void warm(struct run *run)
{
    const clfold_fold fold = fold_of(run->scenario);

    if (run->scenario->algorithm) {
        assert_ok(call(run, &fold, true));
        assert_int_equal(clFinish(run->queue), CL_SUCCESS);
    } else {
        assert_works(run->ctx, run->queue);
    }
}

static void warm_with_open_gate(struct run *run)
{
    warm(run);
    open_gate(run);
}

/* So few elements for a work-item that one launch does not do for a single group; but not
 * more launches than can fail one after the other in good time. */
static void limit_tiles(struct run *run)
{
    const clfold_fold fold = fold_of(run->scenario);
    uint64_t most = 32;
    clfold_report report;

    do {
        run->ctx->caps.facts.most_elements = most;
        most *= 2;
        assert_ok(
            clfold_explain(run->ctx, CLFOLD_INCLUSIVE_SCAN, &fold, COUNT, NULL, &report));
    } while (report.num_launches > 40);
    warm(run);
}

/* And enough tiles that their prefixes take more than one launch. */
static void limit_prefixes(struct run *run)
{
    static const struct debug small = { .tile_elements = 16, .max_groups = 50 };

    clfold_context_override(run->ctx, &small);
    limit_tiles(run);
}

/* Blocks, kernels, events and both queues are held. */
static void warm_all(struct run *run)
{
    assert_works(run->ctx, device.queue);
    if (device.disorder) {
        assert_works(run->ctx, device.disorder);
    }
}

/* The last group folds what all have left, where memory has fences. */
static void join_groups(struct run *run)
{
    static const struct debug tiles = { .tile_elements = 1024, .max_groups = 50 };

    clfold_context_override(run->ctx, &tiles);
}

/* The queue's block of scratch is in use until the gate opens. */
static void use_a_block(struct run *run)
{
    assert_ok(clfold_reduce(run->ctx, run->queue, &sum, input, 0, output, 1, COUNT, 1,
                            &run->gate, NULL));
}

/* Another queue holds all scratch that the limit allows. */
static void use_scratch_elsewhere(struct run *run)
{
    cl_command_queue other = run->queue == device.queue ? device.disorder : device.queue;

    clfold_context_override(run->ctx, &twenty_groups);
    assert_ok(
        clfold_reduce(run->ctx, other, &sum, input, 0, output, 0, COUNT, 0, NULL, NULL));
    assert_int_equal(clFinish(other), CL_SUCCESS);
}

/* Devices that need no probe are probed as well, always by the same calls. */
static void probe_once(struct run *run)
{
    static const struct debug probes = { .probes = 1,
                                         .tile_elements = 512,
                                         .spins = 1 + 8 };

    clfold_context_override(run->ctx, &probes);
}

static void write_tuning(struct run *run)
{
    (void)run;
    write_file(tuning_file, TUNING, strlen(TUNING));
}

/* ---- After success ----------------------------------------------------------------- */

static void check_result(struct run *run)
{
    const struct scenario *scenario = run->scenario;
    const cl_long right = scenario->count == 1 ? prefixes[0] : expected;

    if (scenario->operation == CLFOLD_MAP) {
        assert_mapped(run->failed);
        return;
    }
    if (is_summed(scenario)) {
        cl_long result = scenario->fire == fire_host ? run->result : read_output();
        if (result != right) {
            fail_msg("after %s failed, the result is %lld instead of %lld", run->failed,
                     (long long)result, (long long)right);
        }
    }
    if (scenario->operation == CLFOLD_INCLUSIVE_SCAN) {
        assert_scanned(run->failed);
    }
}

static void check_first(struct run *run)
{
    (void)run;
    assert_int_equal(read_output(), prefixes[0]);
}

/* What the device takes at once was not enough. */
static void check_long_scan(struct run *run)
{
    const clfold_fold fold = fold_of(run->scenario);
    clfold_report report;

    check_result(run);
    assert_ok(
        clfold_explain(run->ctx, CLFOLD_INCLUSIVE_SCAN, &fold, COUNT, NULL, &report));
    assert_true(report.num_launches > (report.num_groups == 1 ? 1 : 3));
}

/* The call after clfold_prepare makes nothing. */
static void check_prepared(struct run *run)
{
    static const char *const functions[] = { "clBuildProgram", "clCreateKernel",
                                             "clCreateBuffer" };
    uint64_t calls[3];

    for (size_t i = 0; i < 3; ++i) {
        calls[i] = clspy_calls(functions[i]);
    }
    assert_ok(fire_call(run));
    for (size_t i = 0; i < 3; ++i) {
        assert_int_equal(clspy_calls(functions[i]), calls[i]);
    }
    assert_int_equal(clFinish(run->queue), CL_SUCCESS);
    check_result(run);
}

static void check_explained(struct run *run)
{
    assert_string_equal(run->report.algorithm, "reduce_tiles");
    assert_int_equal(run->report.num_launches, 2);
}

static void check_stats(struct run *run)
{
    assert_int_equal(run->stats.calls, 1);
    assert_int_equal(run->stats.builds, 1);
}

static void check_trimmed(struct run *run)
{
    clfold_stats stats;

    assert_ok(clfold_context_stats(run->ctx, &stats));
    assert_int_equal(stats.scratch_bytes, 0);
}

/* ---- The sweep --------------------------------------------------------------------- */

static bool is_release(const struct clspy_shot *shot)
{
    return strncmp(shot->function, "clRelease", strlen("clRelease")) == 0;
}

/* A probe that failed, where another strategy takes over. */
static bool is_probe(const struct clspy_shot *shot, const char *code)
{
    bool is_alloc = strcmp(shot->function, "clfold_alloc") == 0;

    return log_has(CLFOLD_LOG_WARNING, "probing memory for look-back", code) &&
           log_has(CLFOLD_LOG_WARNING, is_alloc ? "" : shot->function, code);
}

/* Whether a block of scratch was asked for its last event's state. */
static bool is_block_query(const struct clspy_shot *shot)
{
    return strcmp(shot->function, "clGetEventInfo") == 0 &&
           shot->param == CL_EVENT_COMMAND_EXECUTION_STATUS;
}

/* The failures that a function may do without, and what the log must say of them. */
static bool is_tolerated(const struct clspy_shot *shot)
{
    const char *code = clfold_status_name(shot->code);

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

static void assert_failed(const struct run *run, const struct scenario *scenario,
                          const struct clspy_shot *shot, clfold_status status,
                          uint64_t launches)
{
    char tail[64];
    const char *message = clfold_last_error();
    /* A block of which nothing is known makes no room under a limit. */
    bool is_query = is_block_query(shot);
    /* The probe's only tier. */
    const char *fate =
        shot->code == CL_BUILD_PROGRAM_FAILURE ? "does not build" : "does not run";
    bool is_tier = status == CLFOLD_ERROR_UNSUPPORTED && strstr(message, fate) != NULL;
    clfold_status code = is_query  ? CL_MEM_OBJECT_ALLOCATION_FAILURE
                         : is_tier ? CLFOLD_ERROR_UNSUPPORTED
                                   : shot->code;
    size_t length =
        (size_t)snprintf(tail, sizeof(tail), " (%s)", clfold_status_name(code));

    if (status != code) {
        fail_msg("%s: %s failed with %s, the call returned %s: %s", scenario->name,
                 shot->function, clfold_status_name(shot->code),
                 clfold_status_name(status), message);
    }
    if (is_release(shot)) {
        fail_msg("%s: the call failed for %s", scenario->name, shot->function);
    }
    if (strlen(message) < length ||
        strcmp(message + strlen(message) - length, tail) != 0) {
        fail_msg("%s: %s: \"%s\" does not end in \"%s\"", scenario->name, shot->function,
                 message, tail);
    }
    if (!log_has(CLFOLD_LOG_ERROR, message, "")) {
        fail_msg("%s: %s: the log lacks \"%s\"", scenario->name, shot->function, message);
    }
    if (scenario->event && run->event) {
        fail_msg("%s: %s: the event is not NULL", scenario->name, shot->function);
    }
    if (run->result != POISON) {
        fail_msg("%s: %s: the result is not as it was", scenario->name, shot->function);
    }
    /* What fails before the first kernel has changed nothing. */
    if (launches == 0 && (read_output() != POISON || !items_are_poison())) {
        fail_msg("%s: %s: the output is not as it was", scenario->name, shot->function);
    }
}

static void still_works(struct run *run, const struct scenario *scenario)
{
    const bool is_scan = scenario->operation == CLFOLD_INCLUSIVE_SCAN;
    cl_long result = POISON;
    clfold_status status;

    for (const struct block *b = run->ctx->scratch.blocks; b; b = b->next) {
        assert_false(b->lent);
    }
    /* Under a limit one block is all that there is sure to be room for. */
    if (is_scan || scenario->params.scratch_limit) {
        clfold_fold fold = sum;
        fold.algorithm = scenario->algorithm;
        fold.segments = segments_for(scenario->algorithm);
        fold.total_out.mem = is_scan ? output : NULL;
        poison_output();
        status = call(run, &fold, true);
        assert_int_equal(clFinish(run->queue), CL_SUCCESS);
        result = read_output();
        if (is_scan) {
            assert_scanned(run->failed);
        }
    } else {
        status = clfold_reduce_host(run->ctx, run->queue, &sum, input, 0, COUNT, &result,
                                    sizeof(result));
    }
    if (status || result != expected) {
        fail_msg("%s: after %s failed, a sum is %lld instead of %lld (%s)",
                 scenario->name, run->failed, (long long)result, (long long)expected,
                 clfold_status_name(status));
    }
}

/* All that a call may make; not events, which are the queue's own. */
static uint64_t made(void)
{
    return clspy_calls("clCreate*") + clspy_calls("clBuildProgram") +
           clspy_calls("clRetainCommandQueue") + alloc_spy_calls();
}

/* Fails call number `number`, and returns what it was. */
static struct clspy_shot shoot(const struct scenario *scenario, uint64_t number,
                               bool allocs)
{
    struct run run = { scenario, .result = POISON, .event = (cl_event)&run };
    struct clspy_live before = clspy_live();
    int64_t blocks = alloc_spy_live();
    struct clspy_shot shot = { 0 };
    clfold_status (*fire)(struct run * run) = scenario->fire ? scenario->fire : fire_call;
    cl_int status;

    run.queue = scenario->order == IN_ORDER ? device.queue : device.disorder;
    run.gate = clCreateUserEvent(device.context, &status);
    assert_int_equal(status, CL_SUCCESS);
    if (!scenario->makes_context) {
        assert_ok(context_open(&run.ctx, &scenario->params));
    }
    if (scenario->before) {
        scenario->before(&run);
    }
    poison_output();
    log_clear();
    /* So that an old sentence is not taken for the new one. */
    clfold_context_create(NULL, NULL, NULL, NULL);

    uint64_t launches = clspy_calls("clEnqueueNDRangeKernel"), things = made();
    if (allocs) {
        alloc_spy_arm(number);
        status = fire(&run);
        shot.fired = alloc_spy_disarm();
        shot.function = "clfold_alloc";
        shot.code = CL_OUT_OF_HOST_MEMORY;
    } else {
        clspy_arm(NULL, number, 0);
        status = fire(&run);
        shot = clspy_disarm();
    }
    things = made() - things;
    run.failed = shot.fired ? shot.function : "nothing";
    launches = clspy_calls("clEnqueueNDRangeKernel") - launches;
    if (shot.fired && strcmp(shot.function, "clEnqueueNDRangeKernel") == 0) {
        --launches;
    }

    /* Refused where it is open already. */
    clSetUserEventStatus(run.gate, CL_COMPLETE);
    assert_int_equal(clFinish(run.queue), CL_SUCCESS);
    if (status == CLFOLD_OK) {
        if (shot.fired && !is_tolerated(&shot)) {
            fail_msg("%s: %s failed with %s (asked for 0x%x), and nobody said so",
                     scenario->name, shot.function, clfold_status_name(shot.code),
                     shot.param);
        }
        if (!shot.fired) {
            assert_int_equal(log_count(CLFOLD_LOG_ERROR), 0);
            if (scenario->before == warm && !scenario->params.verify_every) {
                assert_int_equal(things, 0); /* a warm call makes nothing */
            }
        }
        if (scenario->event) {
            assert_non_null(run.event);
            assert_int_equal(clWaitForEvents(1, &run.event), CL_SUCCESS);
            clReleaseEvent(run.event);
        }
        if (scenario->check) {
            scenario->check(&run);
        } else if (scenario->operation) {
            check_result(&run);
        }
    } else {
        if (!shot.fired) {
            fail_msg("%s: %s", scenario->name, clfold_last_error());
        }
        assert_failed(&run, scenario, &shot, status, launches);
    }

    if (scenario->makes_context && status) {
        assert_null(run.ctx);
    } else if (!scenario->takes_context) {
        still_works(&run, scenario);
        clfold_context_destroy(&run.ctx);
    }
    clReleaseEvent(run.gate);
    if (clspy_leaks(&before)[0] || alloc_spy_live() != blocks) {
        fail_msg("%s: after %s number %llu failed: %s; blocks %+lld", scenario->name,
                 run.failed, (unsigned long long)number, clspy_leaks(&before),
                 (long long)(alloc_spy_live() - blocks));
    }
    return shot;
}

static void sweep(const struct scenario *scenario, bool allocs)
{
    bool seen[16] = { false };
    uint64_t number = 1;

    if (scenario->order == OUT_OF_ORDER && !device.disorder) {
        print_message("%s has no out-of-order queue\n", device.name);
        skip();
    }
    if (scenario->fold == &compensated && !device_has_groups()) {
        print_message("%s: what a failed build leaves are groups\n", device.name);
        skip();
    }
    if (scenario->before == probe_once && device.ends_loops) {
        print_message("%s does not look back\n", device.name);
        skip();
    }
    for (; scenario->most == 0 || number <= scenario->most; ++number) {
        struct clspy_shot shot = shoot(scenario, number, allocs);
        if (!shot.fired) {
            break;
        }
        assert_true(number < MAX_CALLS);
        for (size_t i = 0; i < 16 && scenario->calls[i]; ++i) {
            seen[i] |= !allocs && strcmp(scenario->calls[i], shot.function) == 0;
        }
    }
    print_message("%s: %llu failed one by one\n", scenario->name,
                  (unsigned long long)number - 1);
    if (allocs) {
        assert_true(number - 1 >= scenario->least_allocs);
        return;
    }
    for (size_t i = 0; i < 16 && scenario->calls[i]; ++i) {
        if (!seen[i]) {
            fail_msg("%s: %s was not among the calls", scenario->name,
                     scenario->calls[i]);
        }
    }
}

static void sweep_calls(void **state)
{
    sweep(*state, false);
}

static void sweep_allocs(void **state)
{
    sweep(*state, true);
}

/* ---- The scenarios ----------------------------------------------------------------- */

#define CHECKS "clGetCommandQueueInfo", "clGetMemObjectInfo"
#define BUILDS "clCreateProgramWithSource", "clBuildProgram", "clCreateKernel"
#define MAKES  "clCreateBuffer", "clRetainCommandQueue"
#define RUNS   "clSetKernelArg", "clEnqueueNDRangeKernel"
#define EVENTS "clRetainEvent", "clReleaseEvent", "clGetEventInfo"
#define COLD(...)                                                                        \
    .least_allocs = 5, /* program, key, text, kernels, scratch */                        \
        .calls = { CHECKS, BUILDS, MAKES, RUNS, __VA_ARGS__ }
#define WARM(...) .calls = { CHECKS, RUNS, __VA_ARGS__ }
#define PREPARES                                                                         \
    "clCreateBuffer", "clCreateCommandQueue", "clFinish", "clReleaseCommandQueue"
#define READS "clEnqueueReadBuffer", "clWaitForEvents"

static const struct scenario scenarios[] = {
    { "create", .fire = fire_create, .makes_context = true,
      .least_allocs = 6, /* the list of devices, four strings, the context */
      .calls = { "clGetContextInfo", "clRetainContext", "clRetainDevice",
                 "clGetDeviceInfo" } },
    { "create with a tuning file", .before = write_tuning, .fire = fire_create_tuned,
      .makes_context = true, .least_allocs = 8, /* the file's text and rows too */
      .calls = { "clGetContextInfo", "clGetDeviceInfo" } },
    { "reduce, cold", CLFOLD_REDUCE, COLD() },
    { "reduce, cold, out of order", CLFOLD_REDUCE, .order = OUT_OF_ORDER, .event = WAIT,
      COLD("clRetainEvent", "clReleaseEvent") },
    { "reduce, warm", CLFOLD_REDUCE, .before = warm, .event = EVENT, WARM() },
    { "reduce, warm, out of order", CLFOLD_REDUCE, .order = OUT_OF_ORDER, .before = warm,
      .event = WAIT, WARM(EVENTS) },
    { "reduce, by the last group, out of order", CLFOLD_REDUCE, .order = OUT_OF_ORDER,
      .before = join_groups, .event = WAIT, COLD("clRetainEvent") },
    { "reduce, one launch", CLFOLD_REDUCE, .order = OUT_OF_ORDER, .before = warm,
      .count = 1, .event = WAIT, WARM() },
    { "reduce beside a block in use", CLFOLD_REDUCE, .order = OUT_OF_ORDER,
      .before = use_a_block, .event = WAIT, .least_allocs = 1,
      .calls = { "clGetEventInfo", "clCreateBuffer", "clRetainCommandQueue",
                 "clRetainEvent", "clReleaseEvent" } },
    { "reduce with scratch of another queue", CLFOLD_REDUCE, .order = OUT_OF_ORDER,
      .params = { .scratch_limit = 200 }, .before = use_scratch_elsewhere, .event = EVENT,
      .least_allocs = 1,
      .calls = { "clGetEventInfo", "clReleaseEvent", "clReleaseCommandQueue",
                 "clReleaseMemObject", MAKES } },
    { "reduce_host, cold", CLFOLD_REDUCE, .fire = fire_host, .least_allocs = 6,
      .calls = { CHECKS, BUILDS, MAKES, RUNS, READS, "clReleaseEvent" } },
    { "reduce_host, warm", CLFOLD_REDUCE, .before = warm, .fire = fire_host,
      WARM(READS, "clReleaseEvent") },
    { "reduce_host, cold, out of order", CLFOLD_REDUCE, .order = OUT_OF_ORDER,
      .fire = fire_host, .least_allocs = 6,
      .calls = { CHECKS, BUILDS, MAKES, RUNS, READS, "clReleaseEvent",
                 "clEnqueueBarrierWithWaitList", "clRetainEvent" } },
    { "reduce_host, warm, out of order", CLFOLD_REDUCE, .order = OUT_OF_ORDER,
      .before = warm, .fire = fire_host,
      WARM(READS, "clReleaseEvent", "clEnqueueBarrierWithWaitList", "clRetainEvent",
           "clGetEventInfo") },
    { "reduce, verified", CLFOLD_REDUCE, .params = { .verify_every = 1 }, .before = warm,
      WARM(READS, "clReleaseEvent") },
    { "reduce, verified, out of order", CLFOLD_REDUCE, .order = OUT_OF_ORDER,
      .params = { .verify_every = 1 }, .before = warm_with_open_gate, .event = WAIT,
      WARM(READS, "clRetainEvent") },
    { "reduce_host, verified, out of order", CLFOLD_REDUCE, .order = OUT_OF_ORDER,
      .params = { .verify_every = 1 }, .before = warm, .fire = fire_host,
      WARM(READS, "clRetainEvent") },
    { "reduce_then_scan, cold", CLFOLD_INCLUSIVE_SCAN, .algorithm = "reduce_then_scan",
      COLD() },
    { "reduce_then_scan, warm, out of order", CLFOLD_INCLUSIVE_SCAN,
      .order = OUT_OF_ORDER, .algorithm = "reduce_then_scan", .before = warm,
      .event = WAIT, WARM(EVENTS) },
    { "reduce_then_scan, prefixes in many launches", CLFOLD_INCLUSIVE_SCAN,
      .order = OUT_OF_ORDER, .algorithm = "reduce_then_scan", .before = limit_prefixes,
      .event = WAIT, .check = check_long_scan, WARM(EVENTS) },
    { "scan_then_propagate, cold, out of order", CLFOLD_INCLUSIVE_SCAN,
      .order = OUT_OF_ORDER, .algorithm = "scan_then_propagate", .event = WAIT,
      COLD("clRetainEvent", "clReleaseEvent") },
    { "scan_then_propagate, warm", CLFOLD_INCLUSIVE_SCAN,
      .algorithm = "scan_then_propagate", .before = warm, .event = WAIT, WARM() },
    { "scan_single_group, cold", CLFOLD_INCLUSIVE_SCAN, .algorithm = "scan_single_group",
      .event = WAIT, .least_allocs = 4, /* no scratch */
      .calls = { CHECKS, BUILDS, RUNS } },
    { "scan_single_group, warm, out of order", CLFOLD_INCLUSIVE_SCAN,
      .order = OUT_OF_ORDER, .algorithm = "scan_single_group", .before = warm,
      WARM("clReleaseEvent") },
    { "scan_single_group, in many launches", CLFOLD_INCLUSIVE_SCAN, .order = OUT_OF_ORDER,
      .algorithm = "scan_single_group", .before = limit_tiles, .event = WAIT,
      .check = check_long_scan, WARM(EVENTS) },
    { "scan with a result, cold", CLFOLD_INCLUSIVE_SCAN, .algorithm = "reduce_then_scan",
      .fold = &with_result, COLD() },
    { "scan_lanes with a result, cold", CLFOLD_INCLUSIVE_SCAN, .algorithm = "scan_lanes",
      .fold = &with_result, COLD() },
    { "compensated sum, cold", CLFOLD_REDUCE, .fold = &compensated, COLD() },
    { "compensated scan, cold", CLFOLD_INCLUSIVE_SCAN, .algorithm = "reduce_then_scan",
      .fold = &compensated, COLD() },
    { "scan by offsets, cold, out of order", CLFOLD_INCLUSIVE_SCAN, .order = OUT_OF_ORDER,
      .algorithm = "reduce_then_scan", .fold = &by_offsets, .event = WAIT,
      COLD("clRetainEvent", "clReleaseEvent") },
    { "prepare a scan by offsets", CLFOLD_INCLUSIVE_SCAN, .fold = &by_offsets,
      .algorithm = "reduce_then_scan", .fire = fire_prepare, .check = check_prepared,
      .least_allocs = 5, .calls = { BUILDS, RUNS, PREPARES } },
    /* The result's block, that of totals and that of bits fit if the reduction's goes. */
    { "prepare a scan by offsets under a limit", CLFOLD_INCLUSIVE_SCAN,
      .order = OUT_OF_ORDER, .params = { .scratch_limit = 2900 },
      .before = use_scratch_elsewhere, .fold = &by_offsets,
      .algorithm = "reduce_then_scan", .fire = fire_prepare, .check = check_prepared,
      .least_allocs = 5,
      .calls = { BUILDS, RUNS, PREPARES, "clGetEventInfo", "clReleaseEvent",
                 "clReleaseMemObject" } },
    { "reproducible sum, cold", CLFOLD_REDUCE, .fold = &reproducible, COLD() },
    { "reproducible lanes, cold", CLFOLD_REDUCE, .algorithm = "reduce_lanes",
      .fold = &reproducible, COLD() },
    { "map, cold", CLFOLD_MAP, .least_allocs = 4, /* no scratch */
      .calls = { CHECKS, BUILDS, RUNS } },
    { "reduce_lanes, warm, out of order", CLFOLD_REDUCE, .order = OUT_OF_ORDER,
      .before = warm, .algorithm = "reduce_lanes", .event = WAIT, WARM(EVENTS) },
    { "scan_lanes, cold, out of order", CLFOLD_INCLUSIVE_SCAN, .order = OUT_OF_ORDER,
      .algorithm = "scan_lanes", .event = WAIT, COLD("clRetainEvent", "clReleaseEvent") },
    { "scan_lanes, warm", CLFOLD_INCLUSIVE_SCAN, .algorithm = "scan_lanes",
      .before = warm, WARM() },
    { "prepare lanes", CLFOLD_REDUCE, .algorithm = "reduce_lanes", .fire = fire_prepare,
      .check = check_prepared, .least_allocs = 5, .calls = { BUILDS, RUNS, PREPARES } },
    { "prepare a scan of lanes", CLFOLD_INCLUSIVE_SCAN, .algorithm = "scan_lanes",
      .fire = fire_prepare, .check = check_prepared, .least_allocs = 5,
      .calls = { BUILDS, RUNS, PREPARES } },
    { "prepare a scan", CLFOLD_INCLUSIVE_SCAN, .algorithm = "reduce_then_scan",
      .fire = fire_prepare, .check = check_prepared, .least_allocs = 5,
      .calls = { BUILDS, RUNS, PREPARES } },
    { "prepare", CLFOLD_REDUCE, .fire = fire_prepare, .check = check_prepared,
      .least_allocs = 5, .calls = { BUILDS, RUNS, PREPARES } },
    { "scan, probed", .before = probe_once, .fire = fire_lookback, .check = check_first,

      .least_allocs = 10, /* a text, and memory of four launches, besides the scan's */
      .calls = { CHECKS, BUILDS, MAKES, RUNS, "clGetDeviceInfo", "clCreateCommandQueue",
                 "clEnqueueReadBuffer", "clReleaseKernel", "clReleaseProgram",
                 "clReleaseMemObject", "clReleaseCommandQueue" } },
    { "prepare of a scan, probed", .before = probe_once, .fire = fire_prepare_lookback,
      .least_allocs = 10,
      .most = 30, /* the probe is done by then, and the rest takes long to build */
      .calls = { BUILDS, RUNS, "clCreateBuffer", "clCreateCommandQueue",
                 "clEnqueueReadBuffer" } },
    { "explain", .fire = fire_explain, .check = check_explained },
    { "explain tuning", .fire = fire_explain_tuning },
    { "explain look-back", .fire = fire_explain_lookback },
    { "stats", .before = warm, .fire = fire_stats, .check = check_stats },
    { "trim", .before = warm_all, .fire = fire_trim, .check = check_trimmed,
      .calls = { "clReleaseKernel", "clReleaseMemObject", "clReleaseCommandQueue" } },
    { "destroy", .before = warm_all, .fire = fire_destroy, .takes_context = true,
      .calls = { "clReleaseKernel", "clReleaseMemObject", "clReleaseCommandQueue",
                 "clReleaseProgram", "clReleaseDevice", "clReleaseContext" } },
};

#define NUM_SCENARIOS (sizeof(scenarios) / sizeof(scenarios[0]))

/* test_fault ["PATTERN"]: only the sweeps whose names fit, as "calls: reduce*". */
int main(int argc, char **argv)
{
    static char names[2 * NUM_SCENARIOS][64];
    struct CMUnitTest tests[2 * NUM_SCENARIOS];

    for (size_t i = 0; i < 2 * NUM_SCENARIOS; ++i) {
        const struct scenario *scenario = &scenarios[i / 2];
        snprintf(names[i], sizeof(names[i]), "%s: %s", i % 2 ? "allocations" : "calls",
                 scenario->name);
        tests[i] = (struct CMUnitTest){
            .name = names[i],
            .test_func = i % 2 ? sweep_allocs : sweep_calls,
            .initial_state = (void *)(uintptr_t)scenario,
        };
    }
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    clspy_keep_binaries(); /* each failure has a context of its own, which builds anew */
    snprintf(tuning_file, sizeof(tuning_file), "clfold-fault-%ld", (long)getpid());
    int failed =
        cmocka_run_group_tests_name("fault", tests, fixture_init, fixture_finish);
    unlink(tuning_file);
    return failed;
}
