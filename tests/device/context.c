/* A context's state: programs found by content, statistics, the log, and the calls ahead
 * of time. verify_every, what a warm call must not do, sub-devices, and what is reserved
 * where the device stops work-items in long loops. */
#include "calls.h"
#include "lookback.h"
#include "subjects_of_text.h"
#include "test.h"

#include <clfold/experimental.h>
#include "base/platform.h"
#include "ops/context.h"
#include "ops/internal.h"

#include <math.h>
#include <time.h>

#define COUNT 5000

static cl_mem in, out;
static cl_float values[COUNT];
static const unsigned char nothing[256]; /* of what is reserved */

static const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };
static const clfold_fold greatest = { .op = CLFOLD_MAX, .type = CLFOLD_F32 };

struct journal {
    int errors, warnings, others;
    char last[5000];
    clfold_context *ctx; /* to call from inside the log */
};

static void keep(void *user, int level, const char *message)
{
    struct journal *journal = user;
    clfold_stats stats;

    journal->errors += level == CLFOLD_LOG_ERROR;
    journal->warnings += level == CLFOLD_LOG_WARNING;
    journal->others += level > CLFOLD_LOG_WARNING;
    snprintf(journal->last, sizeof(journal->last), "%s", message);
    /* A log callback may call clfold: no lock is held. */
    if (journal->ctx) {
        assert_ok(clfold_context_stats(journal->ctx, &stats));
        clfold_context_trim(journal->ctx);
    }
}

static clfold_context *context(const clfold_context_params *params)
{
    clfold_context *made = NULL;

    assert_ok(clfold_context_create(&made, device.context, device.id, params));
    assert_non_null(made);
    return made;
}

/* Each test begins with a plain context; some take another one. */
static void begin_with(const clfold_context_params *params)
{
    clfold_context_destroy(&ctx);
    assert_null(ctx);
    ctx = context(params);
}

static int begin(void **state)
{
    begin_with(NULL);
    return 0;
}

static clfold_stats stats_now(void)
{
    clfold_stats stats;

    memset(&stats, 0xff, sizeof(stats));
    assert_ok(clfold_context_stats(ctx, &stats));
    return stats;
}

static void reduce(const clfold_fold *fold, size_t count)
{
    assert_ok(call_operation(CLFOLD_REDUCE, fold, in, 0, out, 0, count));
}

/* `fold` by an operation, of COUNT elements. */
static clfold_report explain(clfold_operation operation, const clfold_fold *fold)
{
    clfold_report report;

    memset(&report, 0xff, sizeof(report));
    assert_ok(clfold_explain(ctx, operation, fold, COUNT, NULL, &report));
    return report;
}

/* Equal folds share a program, whatever else differs; other types and operators do not.
 */
static void test_found_by_content(void **state)
{
    const cl_float init = 2;
    clfold_fold named = sum;

    named.name = "another";
    named.in = CLFOLD_F32;
    named.init = &init;
    named.init_size = sizeof(init);
    named.algorithm = "reduce_tiles";
    reduce(&sum, COUNT);
    reduce(&named, 3);
    reduce(&sum, 0);
    clfold_stats stats = stats_now();
    assert_int_equal(stats.calls, 3);
    assert_int_equal(stats.misses, 1);
    assert_int_equal(stats.hits, 2);
    assert_int_equal(stats.builds, 1);
    assert_int_equal(stats.failed_builds, 0);
    assert_true(stats.build_ns > 0);
    assert_int_equal(stats.disk_hits, 0);
    assert_memory_equal(stats.reserved, nothing, sizeof(stats.reserved));
    reduce(&greatest, COUNT);
    assert_int_equal(stats_now().builds, 2);

    /* A forced tile changes the program. */
    const struct debug small = { .tile_elements = 100, .max_groups = 3 };
    clfold_context_override(ctx, &small);
    reduce(&sum, COUNT);
    assert_int_equal(stats_now().builds, 3);
    clfold_context_override(ctx, NULL);
    reduce(&sum, COUNT);
    assert_int_equal(stats_now().builds, 3);
}

/* ---- on_launch --------------------------------------------------------------------- */

struct launches {
    clfold_operation operation;
    uint64_t call;
    const struct algorithm_row *row;
    cl_command_queue queue;
    uint32_t num, num_launches;
    uint64_t bytes_read, bytes_written;
    cl_event last; /* retained by the call's own event */
};

static void take_launch(void *user, const clfold_launch *launch)
{
    struct launches *launches = user;
    cl_command_queue queue = NULL;
    bool known = false;

    assert_int_equal(launch->call, launches->call);
    assert_int_equal(launch->operation, launches->operation);
    assert_int_equal(launch->index, launches->num);
    assert_int_equal(launch->num_launches, launches->num_launches);
    assert_string_equal(launch->fold, "launched");
    for (uint32_t k = 0; k < launches->row->num_kernels; ++k) {
        known |= strcmp(launch->kernel, launches->row->kernels[k]) == 0;
    }
    assert_true(known);
    assert_int_equal(clGetEventInfo(launch->event, CL_EVENT_COMMAND_QUEUE, sizeof(queue),
                                    &queue, NULL),
                     CL_SUCCESS);
    assert_ptr_equal(queue, launches->queue);
    launches->last = launch->event;
    ++launches->num;
    launches->bytes_read += launch->bytes_read;
    launches->bytes_written += launch->bytes_written;
}

/* Every kernel of every algorithm, as explain foretells it, also of a result for the
 * host. The call's event is that of its last kernel. */
static void test_launches(void **state)
{
    struct launches launches = { 0 };
    const clfold_context_params params = { .on_launch = take_launch, .user = &launches };
    const struct debug small = { .tile_elements = 64, .max_groups = 7 };
    uint32_t most = 0;

    begin_with(&params);
    clfold_context_override(ctx, &small);
    for (int i = 0; i < CALL_MAP * CLFOLD_ALGORITHMS; ++i) {
        const struct call_row *call = &call_rows[i % CALL_MAP]; /* and those before it */
        const struct algorithm_row *row =
            clfold_algorithm_row((enum algorithm)(i / CALL_MAP));
        const bool is_other =
            row->family != clfold_operation_row(call->operation)->family;
        const clfold_fold fold = { .name = "launched",
                                   .op = CLFOLD_ADD,
                                   .type = CLFOLD_F32,
                                   .algorithm = row->name };
        cl_event event = NULL;
        cl_float result;
        if (is_other || clfold_prepare(ctx, call->operation, &fold, COUNT, NULL) ==
                            CLFOLD_ERROR_UNSUPPORTED) {
            assert_true(is_other || row->looks_back);
            continue;
        }
        const clfold_report report = explain(call->operation, &fold);
        launches = (struct launches){
            .operation = call->operation,
            .call = stats_now().calls + 1,
            .row = row,
            .queue = i / CALL_MAP % 2 && device.disorder ? device.disorder : device.queue,
            .num_launches = (uint32_t)report.num_launches,
        };
        assert_ok(call->make(&(struct call){ .context = ctx,
                                             .queue = launches.queue,
                                             .fold = &fold,
                                             .in = in,
                                             .out = out,
                                             .count = COUNT,
                                             .event = &event,
                                             .result = &result,
                                             .result_size = sizeof(result) }));
        assert_int_equal(clFinish(launches.queue), CL_SUCCESS);
        assert_int_equal(launches.num, report.num_launches);
        assert_int_equal(launches.bytes_read, report.bytes_read);
        assert_int_equal(launches.bytes_written, report.bytes_written);
        most = launches.num > most ? launches.num : most;
        if (call->has & HAS_OUT) {
            assert_ptr_equal(event, launches.last);
            clReleaseEvent(event);
        }
    }
    assert_true(most > 2);
}

/* Work that was enqueued completes after its context is gone. */
static void test_destroy_does_not_wait(void **state)
{
    const struct debug many = { .tile_elements = 100, .max_groups = 20 };
    cl_int status;
    cl_event gate = clCreateUserEvent(device.context, &status), event = NULL;
    cl_float result = -1, expected;
    const struct pair pair = { CLFOLD_F32, CLFOLD_F32 };

    assert_int_equal(status, CL_SUCCESS);
    clfold_context_override(ctx, &many);
    assert_ok(
        clfold_reduce(ctx, device.queue, &sum, in, 0, out, 0, COUNT, 1, &gate, &event));
    clfold_context_destroy(&ctx);
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
    load_buffer(out, 0, 4, &result);
    oracle_fold(CLFOLD_ADD, pair, values, COUNT, NULL, &expected, NULL);
    assert_true(result == expected);
    clReleaseEvent(event);
    clReleaseEvent(gate);
}

/* prepare moves all of the cost: what follows builds and allocates nothing. */
static void test_prepare(void **state)
{
    const size_t large = (size_t)1 << 26;
    clfold_report report;

    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &sum, large, NULL, &report));
    assert_int_equal(stats_now().builds, 0);
    assert_ok(clfold_prepare(ctx, CLFOLD_REDUCE, &sum, large, NULL));
    clfold_stats stats = stats_now();
    assert_int_equal(stats.builds, 1);
    assert_true(stats.scratch_bytes >= report.scratch_bytes);
    const struct debug none = { 0 };
    clfold_context_override(ctx, &none);
    reduce(&sum, COUNT);
    assert_int_equal(stats_now().builds, 1);
    assert_int_equal(stats_now().hits, 1);
    assert_int_equal(stats_now().scratch_bytes, stats.scratch_bytes);
    assert_ok(clfold_prepare(ctx, CLFOLD_REDUCE, &sum, 0, NULL));
    assert_int_equal(stats_now().builds, 1);
}

static void test_explain(void **state)
{
    const struct debug tiles = {
        .tile = TILE_GROUP, .tile_elements = 128, .group_size = 16, .max_groups = 10
    };
    struct policy reduce[CLFOLD_MAX_CANDIDATES], scan[CLFOLD_MAX_CANDIDATES];
    clfold_report report;

    clfold_policies(&ctx->caps.facts, FAMILY_REDUCE, 4, reduce);
    clfold_policies(&ctx->caps.facts, FAMILY_SCAN, 4, scan);
    __real_clfold_context_override(ctx, &tiles); /* groups that none has to build */
    report = explain(CLFOLD_REDUCE, &sum);
    assert_string_equal(report.algorithm, "reduce_tiles");
    assert_int_equal(report.tile, 128);
    assert_int_equal(report.group_size, 16);
    assert_int_equal(report.num_groups, 10); /* 160 lanes of 32 elements */
    assert_int_equal(report.items, 32);
    const bool joins = clfold_context_settled(ctx, false).fences;
    assert_true(joins || !device.is_pocl || !ctx->caps.facts.cpu);
    assert_int_equal(report.num_launches, joins ? 1 : 2);
    assert_int_equal(report.scratch_bytes, joins ? 64 + 40 : 40);
    assert_int_equal(report.bytes_read, COUNT * 4 + 40);
    assert_int_equal(report.bytes_written, 4 + 40);
    assert_non_null(strstr(report.reason, "tile_group"));
    assert_non_null(strstr(report.reason, "160 lanes"));
    assert_non_null(strstr(report.reason, "10 groups of lanes with 32 items each"));
    assert_string_equal(report.policy, reduce[0].row);
    cl_uint units = 0;
    clGetDeviceInfo(device.id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL);
    assert_true(units > 0);
    assert_int_equal(ctx->caps.facts.units, units);
    assert_memory_equal(report.reserved, nothing, sizeof(report.reserved));
    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &sum, 100, NULL, &report));
    assert_int_equal(report.num_launches, 1);
    assert_int_equal(report.scratch_bytes, 0);
    assert_ok(clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &sum, 100, NULL, &report));
    assert_string_equal(report.policy, scan[0].row);
    const clfold_fold rung = { .op = CLFOLD_ADD,
                               .type = CLFOLD_F32,
                               .algorithm = "reduce6" };
    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &rung, 100, NULL, &report));
    assert_null(report.policy);
    clfold_stats stats = stats_now();
    assert_int_equal(stats.builds, 0);
    assert_int_equal(stats.calls, 0);
}

/* Of scans by offsets and keys. */
static void test_explain_heads(void **state)
{
    clfold_segments segments = { .by = CLFOLD_BY_OFFSETS, .type = CLFOLD_U32, .num = 9 };
    clfold_fold fold = sum;
    const clfold_fold four = { CLFOLD_MATRIX_2X2, CLFOLD_U8, .segments = &segments };
    const struct subject *s = operator_subjects;
    clfold_report report;

    fold.segments = &segments;
    assert_ok(clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &fold, 100, NULL, &report));
    assert_int_equal(report.num_launches, 3);
    assert_non_null(
        strstr(report.reason, "segments by offsets, which it turns into bits"));
    assert_true(report.scratch_bytes > 0);
    segments = (clfold_segments){ .by = CLFOLD_BY_KEYS, .type = CLFOLD_U16 };
    assert_ok(clfold_explain(ctx, CLFOLD_EXCLUSIVE_SCAN, &fold, 100, NULL, &report));
    assert_int_equal(report.bytes_read, 100 * (4 + 2));
    assert_non_null(strstr(report.reason, "segments by keys"));
    const clfold_status status =
        clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &four, 100, NULL, &report);
    if (clfold_platform_miscopies(ctx->caps.facts.platform)) {
        assert_refused(status, CLFOLD_ERROR_UNSUPPORTED, "add a component to the 4 of");
    } else {
        assert_ok(status);
    }
    while (strcmp(s->fold.name, "16 words") != 0) {
        ++s;
    }
    fold = s->fold;
    fold.segments = &segments;
    assert_ok(clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &fold, 1 << 24, NULL, &report));
    assert_string_equal(report.algorithm, "reduce_then_scan");
    assert_non_null(strstr(report.reason, device.ends_loops ? "loops" : "64 bytes"));
}

/* trim gives scratch and kernel objects back, and programs stay. */
static void test_trim(void **state)
{
    const struct debug many = { .tile_elements = 100, .max_groups = 20 };

    clfold_context_override(ctx, &many);
    for (int i = 0; i < 3; ++i) {
        reduce(&sum, COUNT);
        assert_true(stats_now().scratch_bytes > 0);
        assert_non_null(ctx->cache.programs->idle);
        clfold_context_trim(ctx);
        assert_int_equal(stats_now().scratch_bytes, 0);
        assert_null(ctx->cache.programs->idle);
        assert_int_equal(stats_now().builds, 1);
    }
}

/* The log gets what last_error gets, at its level; a level of 0 means warnings. Of
 * elements without segments by offsets it gets one line. */
static void test_log(void **state)
{
    struct journal journal = { 0 };
    const clfold_context_params params = { .log = keep, .user = &journal };
    const clfold_segments no = { .by = CLFOLD_BY_OFFSETS, .type = CLFOLD_U32, .mem = in };
    clfold_fold forgotten = sum;

    begin_with(&params);
    journal.ctx = ctx;
    forgotten.segments = &no;
    assert_refused(call_operation(CLFOLD_REDUCE, &sum, in, 0, out, 0, COUNT + 1),
                   CLFOLD_ERROR_RANGE, "in_offset");
    assert_int_equal(journal.errors, 1);
    assert_string_equal(journal.last, clfold_last_error());
    reduce(&sum, COUNT);
    assert_int_equal(journal.errors, 1);
    reduce(&forgotten, 0);
    assert_int_equal(journal.warnings, 0);
    for (int turn = 0; turn < 2; ++turn) {
        reduce(&forgotten, COUNT);
        assert_int_equal(journal.warnings, 1);
        assert_non_null(strstr(journal.last, "segments: num is 0"));
    }
    clfold_set_error(ctx, CLFOLD_ERROR_DATA, NULL, NULL);
    assert_string_equal(clfold_last_error(),
                        "clfold_set_error: sentence is NULL (CLFOLD_ERROR_DATA)");
    clfold_log_line(ctx, CLFOLD_LOG_WARNING, NULL);
    assert_string_equal(journal.last, "clfold_log_line: line is NULL");
    journal.ctx = NULL;
    begin_with(NULL);
    assert_int_equal(journal.errors + journal.warnings + journal.others, 4);
}

/* A monoid whose text does not compile: reported with the compiler's log and the line of
 * the text, remembered, and never built again. The policy's candidates are all tried. */
static void test_build_failure(void **state)
{
    struct journal journal = { 0 };
    const clfold_context_params params = { .log = keep, .user = &journal };
    const clfold_fold broken = { .type = CLFOLD_F32, .combine = "a + undeclared_name" };

    begin_with(&params);
    journal.ctx = ctx;
    const int tiles = ctx->caps.facts.cpu ? 3 : 2;
    for (int i = 0; i < 2; ++i) {
        assert_refused(call_operation(CLFOLD_REDUCE, &broken, in, 0, out, 0, COUNT),
                       CLFOLD_ERROR_BUILD, "undeclared_name");
        clfold_stats stats = stats_now();
        assert_int_equal(stats.builds, tiles);
        assert_int_equal(stats.failed_builds, tiles);
        assert_int_equal(journal.warnings, tiles);
    }
    assert_non_null(strstr(clfold_last_error(), "combine"));
    /* The context still works. */
    reduce(&sum, COUNT);
    begin_with(NULL);
}

/* NaN and infinities are verified too; right calls of all other kinds: trials.c. */
static void test_verify(void **state)
{
    const clfold_context_params params = { .verify_every = 1 };
    const cl_float specials[] = { (cl_float)NAN, (cl_float)INFINITY,
                                  -(cl_float)INFINITY };
    cl_float result;

    begin_with(&params);
    for (size_t k = 0; k < 2 * 3; ++k) {
        write_buffer(out, 0, sizeof(*specials), &specials[k / 2]);
        assert_ok(clfold_reduce_host(ctx, device.queue, k % 2 ? &greatest : &sum, out, 0,
                                     2, &result, 4));
    }
}

/* A wrong result is found: the key of "add" is made to find the program of "max". */
static void test_verify_finds(void **state)
{
    const clfold_context_params params = { .verify_every = 2 };
    struct journal journal = { 0 };
    cl_float result = 7;
    cl_event event = (cl_event)&journal;

    begin_with(&params);
    reduce(&greatest, COUNT);
    reduce(&sum, COUNT);
    /* The newest program and the oldest, of add and max: swapped without the cache's
     * knowledge. */
    struct program *add = ctx->cache.programs, *max = add;
    while (max->next) {
        max = max->next;
    }
    cl_program program = add->program;
    clfold_context_trim(ctx);
    add->program = max->program;
    max->program = program;
    reduce(&sum, COUNT); /* not checked */
    assert_refused(
        clfold_reduce(ctx, device.queue, &sum, in, 0, out, 0, COUNT, 0, NULL, &event),
        CLFOLD_ERROR_DATA, "verify: v is ");
    assert_null(event);
    reduce(&sum, COUNT);
    assert_refused(clfold_reduce_host(ctx, device.queue, &sum, in, 0, COUNT, &result, 4),
                   CLFOLD_ERROR_DATA, "verify");
    assert_true(result == 7);
}

/* CLFOLD_SCAN names the algorithm of scans that name none; a context reads it once. */
static void test_environment(void **state)
{
    const clfold_fold named = { .op = CLFOLD_ADD,
                                .type = CLFOLD_F32,
                                .algorithm = "reduce_then_scan" };
    /* Look-back is sure to be there on devices that are known. */
    const size_t num = device.is_known ? SCAN_ALGORITHMS : SCAN_ALGORITHMS - 2;
    const char *const usual = explain(CLFOLD_INCLUSIVE_SCAN, &sum).algorithm;
    clfold_context *const plain = ctx, *none;

    for (size_t i = 0; i < num; ++i) {
        assert_int_equal(setenv("CLFOLD_SCAN", scan_algorithms[i], 1), 0);
        ctx = context(NULL);
        assert_int_equal(unsetenv("CLFOLD_SCAN"), 0);
        assert_string_equal(explain(CLFOLD_INCLUSIVE_SCAN, &sum).algorithm,
                            scan_algorithms[i]);
        assert_string_equal(explain(CLFOLD_INCLUSIVE_SCAN, &named).algorithm,
                            "reduce_then_scan");
        assert_string_equal(explain(CLFOLD_REDUCE, &sum).algorithm, "reduce_tiles");
        /* The name counts with the scan itself, too: its program is another one. */
        clfold_fold same = sum;
        assert_ok(call_operation(CLFOLD_INCLUSIVE_SCAN, &same, in, 0, out, 0, 16));
        uint64_t builds = stats_now().builds;
        same.algorithm = scan_algorithms[i];
        assert_ok(call_operation(CLFOLD_INCLUSIVE_SCAN, &same, in, 0, out, 0, 16));
        assert_int_equal(stats_now().builds, builds);
        assert_int_equal(clFinish(device.queue), CL_SUCCESS);
        clfold_context_destroy(&ctx);
    }
    ctx = plain;
    setenv("CLFOLD_SCAN", "scan_by_magic", 1);
    assert_refused(clfold_context_create(&none, device.context, device.id, NULL),
                   CLFOLD_ERROR_ARGUMENT, "CLFOLD_SCAN is \"scan_by_magic\"");
    assert_null(none);
    /* A context reads it but once. */
    assert_string_equal(explain(CLFOLD_INCLUSIVE_SCAN, &sum).algorithm, usual);
    setenv("CLFOLD_SCAN", "", 1);
    begin_with(NULL);
    unsetenv("CLFOLD_SCAN");
    assert_string_equal(explain(CLFOLD_INCLUSIVE_SCAN, &sum).algorithm, usual);
}

/* ---- Short loops ------------------------------------------------------------------- */

/* Nothing is probed where the device stops work-items in long loops, as rusticl on
 * llvmpipe, and no scan looks back. That such devices give right results: trials.c,
 * which treats every device as such a one, and has calls that take long in pinned.txt. */
static void test_no_look_back(void **state)
{
    clfold_lookback known;

    assert_int_equal(ctx->caps.facts.most_elements, device.ends_loops ? 512 : 0);
    ctx->caps.facts.most_elements = 64;
    for (cl_bool probe = CL_FALSE; probe <= CL_TRUE; ++probe) {
        assert_ok(clfold_explain_lookback(ctx, probe, &known));
        assert_string_equal(known.tier, "none");
        assert_string_equal(known.why, "the device stops work-items that run long loops");
        assert_null(known.dropped[0]);
    }
}

/* What is reserved there for a count serves every smaller one. Reductions of so few
 * that the last launches have many partials to fold, and scans of so few that a launch
 * scans some tiles, and takes the prefixes of some. */
static void test_short_loops(void **state)
{
    static const struct debug plans[] = {
        { .tile = TILE_VECTOR, .tile_elements = 32, .anchor = 4, .max_groups = 9 },
        { .tile = TILE_GROUP, .tile_elements = 36, .group_size = 6, .anchor = 3 },
        { .group_size = 2, .max_groups = 3 },
    };
    static const struct {
        const char *algorithm;
        size_t plan;
    } ways[] = { { NULL, 0 },
                 { NULL, 1 },
                 { "reduce6", 2 }, /* the last reduction */
                 { "serial", 0 },
                 { "scan_single_group", 0 },
                 { "scan_then_propagate", 1 },
                 { "reduce_then_scan", 1 } };
    const size_t most = 200000;
    cl_mem elements = coloured_buffer(most * 4);
    cl_float result;

    for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); ++w) {
        const bool scans = w > 2; /* in place */
        const clfold_operation operation = scans ? CLFOLD_INCLUSIVE_SCAN : CLFOLD_REDUCE;
        clfold_fold fold = greatest;
        fold.algorithm = ways[w].algorithm;
        begin_with(NULL);
        ctx->caps.facts.most_elements = scans ? 32 : 64;
        clfold_context_override(ctx, &plans[ways[w].plan]);
        assert_ok(clfold_prepare(ctx, operation, &fold, scans ? 30011 : most, NULL));
        const clfold_stats before = stats_now();
        for (size_t count = scans ? 30011 : most; count > 0; count /= 3) {
            assert_ok(call_operation(operation, &fold, elements, 0,
                                     scans ? elements : out, 0, count));
            if (!scans) {
                assert_ok(clfold_reduce_host(ctx, device.queue, &fold, elements, 0, count,
                                             &result, sizeof(result)));
            }
            assert_int_equal(clFinish(device.queue), CL_SUCCESS);
        }
        assert_int_equal(before.builds, stats_now().builds);
        assert_int_equal(before.scratch_bytes, stats_now().scratch_bytes);
    }
    clReleaseMemObject(elements);
}

/* ---- Sub-devices ------------------------------------------------------------------- */

/* Those that have run kernels, and their cl_context, are released at the end: a worker of
 * PoCL 3.1 may still look at them when its command is complete. */
static cl_device_id parts[64];
static cl_uint num_parts;
static cl_context own;

/* Whether the device can be split, before a call of it is made: rusticl (Mesa 22.3)
 * cannot, and leaves clCreateSubDevices out, where the loader then jumps to nowhere. */
static bool can_be_split(void)
{
    cl_device_partition_property ways[8] = { 0 };
    size_t i = 0;

    clGetDeviceInfo(device.id, CL_DEVICE_PARTITION_PROPERTIES, sizeof(ways), ways, NULL);
    while (i < 8 && ways[i] != CL_DEVICE_PARTITION_EQUALLY) {
        ++i;
    }
    return i < 8;
}

/* A scan on the first part, through a queue of the cl_context. */
static void fold_on_part(cl_context owner)
{
    const struct trial trial = { .op = CLFOLD_ADD,
                                 .pair = { CLFOLD_I32, CLFOLD_I32 },
                                 .operation = CLFOLD_INCLUSIVE_SCAN,
                                 .count = 1000,
                                 .in_place = true };
    const struct device whole = device;
    clfold_context *const usual = ctx;

    device.context = owner;
    device.id = parts[0];
    device.queue = device_queue(&device, 0);
    ctx = context(NULL);
    assert_true(trial_check(&trial, NULL));
    clfold_context_destroy(&ctx);
    clReleaseCommandQueue(device.queue);
    device = whole;
    ctx = usual;
}

/* PoCL lists the parent device for a cl_context that was made for a sub-device. A
 * sub-device of a listed device serves where the cl_context can make a queue on it. */
static void test_part(void **state)
{
    static const char words[] = "not a device of the cl_context";
    const cl_device_partition_property by_one[] = { CL_DEVICE_PARTITION_EQUALLY, 1, 0 };
    struct device there = device;
    clfold_context *none = NULL;
    cl_device_id listed = NULL;
    cl_int status;

    if (!can_be_split() ||
        clCreateSubDevices(device.id, by_one, 64, parts, &num_parts) != CL_SUCCESS) {
        num_parts = 0;
        print_message("%s cannot be split\n", device.name);
        skip();
    }
    own = clCreateContext(NULL, 1, &parts[0], NULL, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    fold_on_part(own);
    assert_int_equal(
        clGetContextInfo(own, CL_CONTEXT_DEVICES, sizeof(listed), &listed, NULL),
        CL_SUCCESS);
    if (listed == parts[0]) {
        assert_refused(clfold_context_create(&none, own, device.id, NULL),
                       CLFOLD_ERROR_ARGUMENT, words);
        assert_null(none);
    }
    there.id = parts[0];
    cl_command_queue queue = device_queue(&there, 0);
    if (queue) {
        clReleaseCommandQueue(queue);
        fold_on_part(device.context);
    } else {
        assert_refused(clfold_context_create(&none, device.context, parts[0], NULL),
                       CLFOLD_ERROR_ARGUMENT, words);
        assert_null(none);
    }
}

/* ------------------------------------------------------------------------------------ */

static int open_device(void **state)
{
    device_init(&device);
    fill(values, CLFOLD_F32, COUNT, FILL_EXACT, 11);
    in = copied_buffer(values, sizeof(values));
    out = coloured_buffer(sizeof(values));
    return 0;
}

static int close_device(void **state)
{
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    if (own) {
        clReleaseContext(own);
        /* A worker of PoCL may still be at the part's last command. */
        nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
    }
    for (cl_uint i = 0; i < num_parts; ++i) {
        clReleaseDevice(parts[i]);
    }
    return close_context(state);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

TEST_MAIN("context", open_device, close_device, TEST(test_found_by_content),
          TEST(test_launches), TEST(test_destroy_does_not_wait), TEST(test_prepare),
          TEST(test_explain), TEST(test_explain_heads), TEST(test_trim), TEST(test_log),
          TEST(test_build_failure), TEST(test_verify), TEST(test_verify_finds),
          TEST(test_environment), TEST(test_no_look_back), TEST(test_short_loops),
          TEST(test_part))
