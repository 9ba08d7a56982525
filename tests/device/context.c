/* A context's state: programs found by content, statistics, the log, and the calls ahead
 * of time. verify_every, what a warm call must not do, and sub-devices. */
#include "device.h"
#include "lookback.h"
#include "oracle.h"
#include "test.h"

#include <clfold/experimental.h>
#include "ops/context.h"
#include "ops/internal.h"

#include <math.h>

#define COUNT 5000

static struct device device;
static cl_mem in, out;
static cl_float values[COUNT];

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
    clfold_context *ctx = NULL;

    assert_ok(clfold_context_create(&ctx, device.context, device.id, params));
    assert_non_null(ctx);
    return ctx;
}

static clfold_stats stats_of(clfold_context *ctx)
{
    clfold_stats stats;

    memset(&stats, 0xff, sizeof(stats));
    assert_ok(clfold_context_stats(ctx, &stats));
    return stats;
}

static void reduce(clfold_context *ctx, const clfold_fold *fold, size_t count)
{
    assert_ok(
        clfold_reduce(ctx, device.queue, fold, in, 0, out, 0, count, 0, NULL, NULL));
}

/* Equal folds share a program, whatever else differs; other types and operators do not.
 */
static void test_found_by_content(void **state)
{
    clfold_context *ctx = context(NULL);
    const cl_float init = 2;
    clfold_fold named = sum;

    (void)state;
    named.name = "another";
    named.in = CLFOLD_F32;
    named.init = &init;
    named.init_size = sizeof(init);
    named.algorithm = "reduce_tiles";
    reduce(ctx, &sum, COUNT);
    reduce(ctx, &named, 3);
    reduce(ctx, &sum, 0);
    clfold_stats stats = stats_of(ctx);
    assert_int_equal(stats.calls, 3);
    assert_int_equal(stats.misses, 1);
    assert_int_equal(stats.hits, 2);
    assert_int_equal(stats.builds, 1);
    assert_int_equal(stats.failed_builds, 0);
    assert_true(stats.build_ns > 0);
    assert_int_equal(stats.disk_hits, 0);
    for (size_t i = 0; i < sizeof(stats.reserved) / sizeof(stats.reserved[0]); ++i) {
        assert_int_equal(stats.reserved[i], 0);
    }
    reduce(ctx, &greatest, COUNT);
    assert_int_equal(stats_of(ctx).builds, 2);

    /* A forced tile changes the program. */
    const struct debug small = { .tile_elements = 100, .max_groups = 3 };
    clfold_context_override(ctx, &small);
    reduce(ctx, &sum, COUNT);
    assert_int_equal(stats_of(ctx).builds, 3);
    clfold_context_override(ctx, NULL);
    reduce(ctx, &sum, COUNT);
    assert_int_equal(stats_of(ctx).builds, 3);
    clfold_context_destroy(&ctx);
    assert_null(ctx);
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

/* The call's event is that of its last kernel. */
static clfold_status run_launched(clfold_context *ctx, const clfold_fold *fold,
                                  const struct launches *launches)
{
    clfold_status (*const calls[])(clfold_context *, cl_command_queue,
                                   const clfold_fold *, cl_mem, size_t, cl_mem, size_t,
                                   size_t, cl_uint, const cl_event *, cl_event *) = {
        [CLFOLD_REDUCE] = clfold_reduce,
        [CLFOLD_INCLUSIVE_SCAN] = clfold_inclusive_scan,
        [CLFOLD_EXCLUSIVE_SCAN] = clfold_exclusive_scan,
    };
    cl_event event = NULL;
    cl_int status;
    cl_mem results = clCreateBuffer(device.context, CL_MEM_READ_WRITE,
                                    COUNT * sizeof(cl_float), NULL, &status);

    assert_int_equal(status, CL_SUCCESS);
    status = calls[launches->operation](ctx, launches->queue, fold, in, 0, results, 0,
                                        COUNT, 0, NULL, &event);
    if (status == CLFOLD_OK) {
        assert_ptr_equal(event, launches->last);
        clReleaseEvent(event);
    }
    clReleaseMemObject(results);
    return status;
}

static uint64_t next_call(clfold_context *ctx)
{
    clfold_stats stats;

    assert_ok(clfold_context_stats(ctx, &stats));
    return stats.calls + 1;
}

/* Every kernel of every algorithm, as explain foretells it. */
static void test_launches(void **state)
{
    struct launches launches = { 0 };
    const clfold_context_params params = { .on_launch = take_launch, .user = &launches };
    const struct debug small = { .tile_elements = 64, .max_groups = 7 };
    clfold_context *ctx = context(&params);
    uint32_t most = 0;

    (void)state;
    clfold_context_override(ctx, &small);
    for (int i = 0; i < 3 * CLFOLD_ALGORITHMS; ++i) {
        clfold_operation operation = CLFOLD_REDUCE + (clfold_operation)(i % 3);
        const struct algorithm_row *row = clfold_algorithm_row((enum algorithm)(i / 3));
        const clfold_fold fold = { .name = "launched",
                                   .op = CLFOLD_ADD,
                                   .type = CLFOLD_F32,
                                   .algorithm = row->name };
        clfold_report report;
        if (row->family != clfold_operation_row(operation)->family ||
            clfold_prepare(ctx, operation, &fold, COUNT, NULL) ==
                CLFOLD_ERROR_UNSUPPORTED) {
            assert_true(row->family != clfold_operation_row(operation)->family ||
                        row->looks_back);
            continue;
        }
        assert_ok(clfold_explain(ctx, operation, &fold, COUNT, NULL, &report));
        launches = (struct launches){
            .operation = operation,
            .call = next_call(ctx),
            .row = row,
            .queue = i / 3 % 2 && device.disorder ? device.disorder : device.queue,
            .num_launches = (uint32_t)report.num_launches,
        };
        assert_ok(run_launched(ctx, &fold, &launches));
        assert_int_equal(launches.num, report.num_launches);
        assert_int_equal(launches.bytes_read, report.bytes_read);
        assert_int_equal(launches.bytes_written, report.bytes_written);
        most = launches.num > most ? launches.num : most;
    }
    assert_true(most > 2);
    /* A result for the host comes by the same launches. */
    const clfold_fold fold = { .name = "launched", .op = CLFOLD_ADD, .type = CLFOLD_F32 };
    clfold_report report;
    cl_float result;
    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &fold, COUNT, NULL, &report));
    launches = (struct launches){ .operation = CLFOLD_REDUCE,
                                  .call = next_call(ctx),
                                  .row = clfold_algorithm_row(REDUCE_TILES),
                                  .queue = device.queue,
                                  .num_launches = (uint32_t)report.num_launches };
    assert_ok(clfold_reduce_host(ctx, device.queue, &fold, in, 0, COUNT, &result, 4));
    assert_int_equal(launches.num, report.num_launches);
    if (device.disorder) {
        assert_int_equal(clFinish(device.disorder), CL_SUCCESS);
    }
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    clfold_context_destroy(&ctx);
}

/* Contexts do not know each other, and can be made again. */
static void test_contexts_come_and_go(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        clfold_context *first = context(NULL), *second = context(NULL);
        cl_float a = 0, b = 0;
        assert_ok(clfold_reduce_host(first, device.queue, &sum, in, 0, COUNT, &a, 4));
        clfold_context_destroy(&first);
        assert_ok(clfold_reduce_host(second, device.queue, &sum, in, 0, COUNT, &b, 4));
        assert_true(a == b);
        clfold_context_destroy(&second);
    }
}

/* Work that was enqueued completes after its context is gone. */
static void test_destroy_does_not_wait(void **state)
{
    clfold_context *ctx = context(NULL);
    const struct debug many = { .tile_elements = 100, .max_groups = 20 };
    cl_int status;
    cl_event gate = clCreateUserEvent(device.context, &status), event = NULL;
    cl_float result = -1, expected;
    const struct pair pair = { CLFOLD_F32, CLFOLD_F32 };

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    clfold_context_override(ctx, &many);
    assert_ok(
        clfold_reduce(ctx, device.queue, &sum, in, 0, out, 0, COUNT, 1, &gate, &event));
    clfold_context_destroy(&ctx);
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
    clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, 4, &result, 0, NULL, NULL);
    oracle_fold(CLFOLD_ADD, pair, values, COUNT, NULL, &expected, NULL);
    assert_true(result == expected);
    clReleaseEvent(event);
    clReleaseEvent(gate);
}

/* prepare moves all of the cost: what follows builds and allocates nothing. */
static void test_prepare(void **state)
{
    clfold_context *ctx = context(NULL);
    const size_t large = (size_t)1 << 26;
    clfold_report report;

    (void)state;
    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &sum, large, NULL, &report));
    assert_int_equal(stats_of(ctx).builds, 0);
    assert_ok(clfold_prepare(ctx, CLFOLD_REDUCE, &sum, large, NULL));
    clfold_stats stats = stats_of(ctx);
    assert_int_equal(stats.builds, 1);
    assert_true(stats.scratch_bytes >= report.scratch_bytes);
    const struct debug none = { 0 };
    clfold_context_override(ctx, &none);
    reduce(ctx, &sum, COUNT);
    assert_int_equal(stats_of(ctx).builds, 1);
    assert_int_equal(stats_of(ctx).hits, 1);
    assert_int_equal(stats_of(ctx).scratch_bytes, stats.scratch_bytes);
    assert_ok(clfold_prepare(ctx, CLFOLD_REDUCE, &sum, 0, NULL));
    assert_int_equal(stats_of(ctx).builds, 1);
    clfold_context_destroy(&ctx);
}

static void test_explain(void **state)
{
    clfold_context *ctx = context(NULL);
    const struct debug tiles = {
        .tile = TILE_GROUP, .tile_elements = 128, .group_size = 16, .max_groups = 10
    };
    struct policy reduce[CLFOLD_MAX_CANDIDATES], scan[CLFOLD_MAX_CANDIDATES];
    clfold_report report;

    (void)state;
    clfold_policies(&ctx->caps.facts, FAMILY_REDUCE, 4, reduce);
    clfold_policies(&ctx->caps.facts, FAMILY_SCAN, 4, scan);
    memset(&report, 0xff, sizeof(report));
    __real_clfold_context_override(ctx, &tiles); /* groups that none has to build */
    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &sum, COUNT, NULL, &report));
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
    for (size_t i = 0; i < sizeof(report.reserved) / sizeof(report.reserved[0]); ++i) {
        assert_int_equal(report.reserved[i], 0);
    }
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
    clfold_stats stats = stats_of(ctx);
    assert_int_equal(stats.builds, 0);
    assert_int_equal(stats.calls, 0);
    clfold_context_destroy(&ctx);
}

/* A tile that is forced, and that the fold cannot have: each call says so. */
static void test_no_tile(void **state)
{
    static const struct debug vector = { .tile = TILE_VECTOR, .tile_elements = 64 };
    static const char words[] = "has no tile_vector for combine";
    const clfold_fold plain = { .name = "plain",
                                .type = CLFOLD_I32,
                                .combine = "a + b",
                                .identity = "0",
                                .flags = CLFOLD_PARTIAL };
    clfold_context *ctx = context(NULL);
    clfold_report report;
    cl_int result;

    (void)state;
    clfold_context_override(ctx, &vector);
    for (clfold_operation o = CLFOLD_REDUCE; o <= CLFOLD_EXCLUSIVE_SCAN; ++o) {
        assert_refused(clfold_prepare(ctx, o, &plain, COUNT, NULL),
                       CLFOLD_ERROR_UNSUPPORTED, words);
        assert_refused(clfold_explain(ctx, o, &plain, COUNT, NULL, &report),
                       CLFOLD_ERROR_UNSUPPORTED, words);
    }
    assert_refused(clfold_reduce_host(ctx, device.queue, &plain, in, 0, COUNT, &result,
                                      sizeof(result)),
                   CLFOLD_ERROR_UNSUPPORTED, words);
    assert_int_equal(stats_of(ctx).builds, 0);
    clfold_context_override(ctx, NULL);
    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &plain, COUNT, NULL, &report));
    clfold_context_destroy(&ctx);
}

/* trim gives scratch and kernel objects back, and programs stay. */
static void test_trim(void **state)
{
    clfold_context *ctx = context(NULL);
    const struct debug many = { .tile_elements = 100, .max_groups = 20 };

    (void)state;
    clfold_context_override(ctx, &many);
    for (int i = 0; i < 3; ++i) {
        reduce(ctx, &sum, COUNT);
        assert_true(stats_of(ctx).scratch_bytes > 0);
        assert_non_null(ctx->cache.programs->idle);
        clfold_context_trim(ctx);
        assert_int_equal(stats_of(ctx).scratch_bytes, 0);
        assert_null(ctx->cache.programs->idle);
        assert_int_equal(stats_of(ctx).builds, 1);
    }
    clfold_context_destroy(&ctx);
}

/* The log gets what last_error gets, at its level; a level of 0 means warnings. Of
 * elements without segments by offsets it gets one line. */
static void test_log(void **state)
{
    struct journal journal = { 0 };
    const clfold_context_params params = { .log = keep, .user = &journal };
    const clfold_segments no = { .by = CLFOLD_BY_OFFSETS, .type = CLFOLD_U32, .mem = in };
    clfold_fold forgotten = sum;
    clfold_context *ctx = context(&params);

    (void)state;
    journal.ctx = ctx;
    forgotten.segments = &no;
    assert_refused(
        clfold_reduce(ctx, device.queue, &sum, in, 0, out, 0, COUNT + 1, 0, NULL, NULL),
        CLFOLD_ERROR_RANGE, "in_offset");
    assert_int_equal(journal.errors, 1);
    assert_string_equal(journal.last, clfold_last_error());
    reduce(ctx, &sum, COUNT);
    assert_int_equal(journal.errors, 1);
    reduce(ctx, &forgotten, 0);
    assert_int_equal(journal.warnings, 0);
    for (int turn = 0; turn < 2; ++turn) {
        reduce(ctx, &forgotten, COUNT);
        assert_int_equal(journal.warnings, 1);
        assert_non_null(strstr(journal.last, "segments: num is 0"));
    }
    clfold_set_error(ctx, CLFOLD_ERROR_DATA, NULL, NULL);
    assert_string_equal(clfold_last_error(),
                        "clfold_set_error: sentence is NULL (CLFOLD_ERROR_DATA)");
    clfold_log_line(ctx, CLFOLD_LOG_WARNING, NULL);
    assert_string_equal(journal.last, "clfold_log_line: line is NULL");
    journal.ctx = NULL;
    clfold_context_destroy(&ctx);
    assert_int_equal(journal.errors + journal.warnings + journal.others, 4);
}

/* A monoid whose text does not compile: reported with the compiler's log and the line of
 * the text, remembered, and never built again. The policy's candidates are all tried. */
static void test_build_failure(void **state)
{
    struct journal journal = { 0 };
    const clfold_context_params params = { .log = keep, .user = &journal };
    clfold_context *ctx = context(&params);
    const int tiles = ctx->caps.facts.cpu ? 3 : 2;
    const clfold_fold broken = { .type = CLFOLD_F32, .combine = "a + undeclared_name" };

    (void)state;
    journal.ctx = ctx;
    for (int i = 0; i < 2; ++i) {
        assert_refused(clfold_reduce(ctx, device.queue, &broken, in, 0, out, 0, COUNT, 0,
                                     NULL, NULL),
                       CLFOLD_ERROR_BUILD, "undeclared_name");
        clfold_stats stats = stats_of(ctx);
        assert_int_equal(stats.builds, tiles);
        assert_int_equal(stats.failed_builds, tiles);
        assert_int_equal(journal.warnings, tiles);
    }
    assert_non_null(strstr(clfold_last_error(), "combine"));
    /* The context still works. */
    reduce(ctx, &sum, COUNT);
    journal.ctx = NULL;
    clfold_context_destroy(&ctx);
}

/* Each call is checked, and right ones pass: integers, sums that round, NaN, infinities,
 * init, empty, in place. */
static void test_verify(void **state)
{
    const clfold_context_params params = { .verify_every = 1 };
    clfold_context *ctx = context(&params);
    const clfold_op ops[] = { CLFOLD_ADD, CLFOLD_MAX };
    const struct debug many = { .tile_elements = 300, .max_groups = 7 };

    (void)state;
    for (size_t p = 0; p < NUM_PAIRS; ++p) {
        struct pair pair = all_pairs[p];
        unsigned char data[COUNT * 8], init[8], result[8];
        cl_int status;
        if (!device.has_f64 && (pair.in == CLFOLD_F64 || pair.type == CLFOLD_F64)) {
            continue;
        }
        fill(data, pair.in, COUNT, FILL_ROUNDING, p);
        memset(init, 0x3f, sizeof(init));
        cl_mem mem =
            clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                           COUNT * size_of(pair.in), data, &status);
        assert_int_equal(status, CL_SUCCESS);
        for (size_t o = 0; o < 2; ++o) {
            clfold_fold fold = { .op = ops[o], .type = pair.type, .in = pair.in };
            clfold_context_override(ctx, o ? &many : NULL);
            assert_ok(clfold_reduce_host(ctx, device.queue, &fold, mem, 3, COUNT - 3,
                                         result, size_of(pair.type)));
            assert_ok(clfold_reduce_host(ctx, device.queue, &fold, mem, 0, 0, result,
                                         size_of(pair.type)));
            fold.init = init;
            fold.init_size = size_of(pair.type);
            assert_ok(clfold_reduce_host(ctx, device.queue, &fold, mem, 0, COUNT, result,
                                         size_of(pair.type)));
            assert_ok(clfold_reduce_host(ctx, device.queue, &fold, mem, 0, 0, result,
                                         size_of(pair.type)));
            if (pair.in == pair.type) {
                assert_ok(clfold_reduce(ctx, device.queue, &fold, mem, 0, mem, 0, COUNT,
                                        0, NULL, NULL));
            }
        }
        clReleaseMemObject(mem);
    }
    for (size_t s = 0; s < 3; ++s) {
        const cl_float specials[] = { (cl_float)NAN, (cl_float)INFINITY,
                                      -(cl_float)INFINITY };
        cl_float result;
        clEnqueueWriteBuffer(device.queue, out, CL_TRUE, 0, 4, &specials[s], 0, NULL,
                             NULL);
        assert_ok(clfold_reduce_host(ctx, device.queue, &sum, out, 0, 2, &result, 4));
        assert_ok(
            clfold_reduce_host(ctx, device.queue, &greatest, out, 0, 2, &result, 4));
    }
    clfold_context_destroy(&ctx);
}

/* A wrong result is found: the key of "add" is made to find the program of "max". */
static void test_verify_finds(void **state)
{
    const clfold_context_params params = { .verify_every = 2 };
    struct journal journal = { 0 };
    clfold_context *ctx = context(&params);
    cl_float result = 7;
    cl_event event = (cl_event)&journal;

    (void)state;
    reduce(ctx, &greatest, COUNT);
    reduce(ctx, &sum, COUNT);
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
    reduce(ctx, &sum, COUNT); /* not checked */
    assert_refused(
        clfold_reduce(ctx, device.queue, &sum, in, 0, out, 0, COUNT, 0, NULL, &event),
        CLFOLD_ERROR_DATA, "verify: v is ");
    assert_null(event);
    reduce(ctx, &sum, COUNT);
    assert_refused(clfold_reduce_host(ctx, device.queue, &sum, in, 0, COUNT, &result, 4),
                   CLFOLD_ERROR_DATA, "verify");
    assert_true(result == 7);
    clfold_context_destroy(&ctx);
}

/* CLFOLD_SCAN names the algorithm of scans that name none; a context reads it once. */
static void test_environment(void **state)
{
    const clfold_fold named = { .op = CLFOLD_ADD,
                                .type = CLFOLD_F32,
                                .algorithm = "reduce_then_scan" };
    /* Look-back is sure to be there on devices that are known. */
    const char *const algorithms[] = {
        "serial",           "scan_single_group", "scan_then_propagate",
        "reduce_then_scan", "scan_lookback",     "scan_chained"
    };
    const size_t num = device.is_known ? 6 : 4;
    clfold_context *ctx = context(NULL), *none;
    clfold_report report;
    char usual[64];

    (void)state;
    assert_ok(clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &sum, COUNT, NULL, &report));
    snprintf(usual, sizeof(usual), "%s", report.algorithm);
    for (size_t i = 0; i < num; ++i) {
        clfold_context *other;
        assert_int_equal(setenv("CLFOLD_SCAN", algorithms[i], 1), 0);
        other = context(NULL);
        assert_int_equal(unsetenv("CLFOLD_SCAN"), 0);
        assert_ok(
            clfold_explain(other, CLFOLD_INCLUSIVE_SCAN, &sum, COUNT, NULL, &report));
        assert_string_equal(report.algorithm, algorithms[i]);
        assert_ok(
            clfold_explain(other, CLFOLD_INCLUSIVE_SCAN, &named, COUNT, NULL, &report));
        assert_string_equal(report.algorithm, "reduce_then_scan");
        assert_ok(clfold_explain(other, CLFOLD_REDUCE, &sum, COUNT, NULL, &report));
        assert_string_equal(report.algorithm, "reduce_tiles");
        assert_ok(clfold_prepare(other, CLFOLD_EXCLUSIVE_SCAN, &sum, COUNT, NULL));
        assert_int_equal(stats_of(other).builds, 1); /* none for few elements */
        /* The name counts with the scan itself, too: its program is another one. */
        assert_ok(clfold_inclusive_scan(other, device.queue, &sum, in, 0, out, 0, 16, 0,
                                        NULL, NULL));
        uint64_t builds = stats_of(other).builds;
        clfold_fold same = sum;
        same.algorithm = algorithms[i];
        assert_ok(clfold_inclusive_scan(other, device.queue, &same, in, 0, out, 0, 16, 0,
                                        NULL, NULL));
        assert_int_equal(stats_of(other).builds, builds);
        assert_int_equal(clFinish(device.queue), CL_SUCCESS);
        clfold_context_destroy(&other);
    }
    setenv("CLFOLD_SCAN", "scan_by_magic", 1);
    assert_refused(clfold_context_create(&none, device.context, device.id, NULL),
                   CLFOLD_ERROR_ARGUMENT, "CLFOLD_SCAN is \"scan_by_magic\"");
    assert_null(none);
    /* A context reads it but once. */
    assert_ok(clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &sum, COUNT, NULL, &report));
    assert_string_equal(report.algorithm, usual);
    clfold_context_destroy(&ctx);
    setenv("CLFOLD_SCAN", "", 1);
    ctx = context(NULL);
    unsetenv("CLFOLD_SCAN");
    assert_ok(clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &sum, COUNT, NULL, &report));
    assert_string_equal(report.algorithm, usual);
    clfold_context_destroy(&ctx);
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
    bool equally = false;

    clGetDeviceInfo(device.id, CL_DEVICE_PARTITION_PROPERTIES, sizeof(ways), ways, NULL);
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); ++i) {
        equally |= ways[i] == CL_DEVICE_PARTITION_EQUALLY;
    }
    return equally;
}

/* Folds the elements 0, 1, 2 ... on the first part, through a queue of the cl_context. */
static void fold_on_part(cl_context context)
{
    const clfold_fold add = { .op = CLFOLD_ADD, .type = CLFOLD_I32 };
    struct device there = device;
    cl_int numbers[1000], total = 0, status;
    clfold_context *folds = NULL;

    there.context = context;
    there.id = parts[0];
    cl_command_queue queue = device_queue(&there, 0);
    for (int i = 0; i < 1000; ++i) {
        numbers[i] = i;
    }
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                sizeof(numbers), numbers, &status);
    assert_int_equal(status, CL_SUCCESS);
    assert_ok(clfold_context_create(&folds, context, parts[0], NULL));
    assert_ok(clfold_reduce_host(folds, queue, &add, mem, 0, 1000, &total, 4));
    assert_int_equal(total, 1000 * 999 / 2);
    assert_ok(
        clfold_inclusive_scan(folds, queue, &add, mem, 0, mem, 0, 1000, 0, NULL, NULL));
    assert_int_equal(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(numbers), numbers,
                                         0, NULL, NULL),
                     CL_SUCCESS);
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(numbers[i], i * (i + 1) / 2);
    }
    clfold_context_destroy(&folds);
    clReleaseMemObject(mem);
    clReleaseCommandQueue(queue);
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

    (void)state;
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
    cl_int status;

    (void)state;
    device_init(&device);
    fill(values, CLFOLD_F32, COUNT, FILL_EXACT, 11);
    in = clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                        sizeof(values), values, &status);
    out = clCreateBuffer(device.context, CL_MEM_READ_WRITE, 64, NULL, &status);
    return in && out ? 0 : -1;
}

static int close_device(void **state)
{
    (void)state;
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    if (own) {
        clReleaseContext(own);
    }
    for (cl_uint i = 0; i < num_parts; ++i) {
        clReleaseDevice(parts[i]);
    }
    device_finish(&device);
    return 0;
}

TEST_MAIN("context", open_device, close_device, cmocka_unit_test(test_found_by_content),
          cmocka_unit_test(test_launches), cmocka_unit_test(test_contexts_come_and_go),
          cmocka_unit_test(test_destroy_does_not_wait), cmocka_unit_test(test_prepare),
          cmocka_unit_test(test_explain), cmocka_unit_test(test_no_tile),
          cmocka_unit_test(test_trim), cmocka_unit_test(test_log),
          cmocka_unit_test(test_build_failure), cmocka_unit_test(test_verify),
          cmocka_unit_test(test_verify_finds), cmocka_unit_test(test_environment),
          cmocka_unit_test(test_part))
