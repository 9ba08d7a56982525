/* What clfold asks of a driver, and how it takes the answers: builds that fail, builds
 * that are made once, scratch that cannot be had, devices that lack something or lie. */
#include <clfold/experimental.h>
#include "alloc_spy.h"
#include "fixture.h"
#include "sweep.h"

#include "ops/context.h"
#include "ops/internal.h"

#include <limits.h>
#include <pthread.h>

#define THREADS       4
#define TILES_OF_CPUS 3 /* that their policies try in turn */

static const clfold_fold sum_f64 = { .op = CLFOLD_ADD, .type = CLFOLD_F64 };

static struct clspy_live live;
static int64_t blocks;

/* Instead of the context that is open. */
static void reopen(const clfold_context_params *params)
{
    clfold_context_destroy(&ctx);
    assert_ok(context_open(&ctx, params));
}

/* Each test has a context, with which all that it has made must go. */
static int begin(void **state)
{
    (void)state;
    clspy_reset();
    log_clear();
    live = clspy_live();
    blocks = alloc_spy_live();
    reopen(NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    clfold_context_destroy(&ctx);
    assert_string_equal(clspy_leaks(&live), "");
    assert_int_equal(alloc_spy_live(), blocks);
    return 0;
}

static clfold_status reduce(void)
{
    cl_long result = POISON;
    clfold_status status = clfold_reduce_host(ctx, device.queue, &sum, input, 0, COUNT,
                                              &result, sizeof(result));

    assert_int_equal(result, status ? POISON : expected);
    return status;
}

/* ---- Builds ------------------------------------------------------------------------ */

static void fail_builds(int num, cl_int code)
{
    for (int i = 1; i <= num; ++i) {
        clspy_arm("clBuildProgram", (uint64_t)i, code);
    }
}

/* Look-back that does not build in any tile gives way to reduce_then_scan, for good; but
 * not where it was asked for by name. */
static void test_no_lookback(void **state)
{
    struct trial trial = { .operation = CLFOLD_INCLUSIVE_SCAN, INTS(1 << 17) };
    clfold_report report;
    struct findings findings;
    const char *failed = NULL;
    char why[1024];
    bool is_known;

    (void)state;
    /* Probes have builds of their own, and come before those that fail. */
    assert_int_equal(clfold_context_findings(ctx, true, &findings, &is_known, &failed),
                     CL_SUCCESS);
    assert_ok(clfold_explain(ctx, trial.operation, &sum, trial.count, NULL, &report));
    if (strcmp(report.algorithm, "scan_lookback") == 0) {
        const uint64_t probed = clspy_calls("clBuildProgram");
        fail_builds(TILES_OF_CPUS, CL_BUILD_PROGRAM_FAILURE);
        for (int i = 0; i < 2; ++i) {
            trial_check(&trial, NULL);
            assert_int_equal(clspy_calls("clBuildProgram"), probed + TILES_OF_CPUS + 1);
            assert_false(log_has(CLFOLD_LOG_ERROR, "", ""));
        }
        assert_true(clspy_disarm().fired);
        assert_ok(clfold_explain(ctx, trial.operation, &sum, trial.count, NULL, &report));
        assert_string_equal(report.algorithm, "reduce_then_scan");
        trial.algorithm = "scan_lookback";
        assert_int_equal(trial_run(&trial, NULL, why, sizeof(why)), TRIAL_WRONG);
        assert_non_null(strstr(why, "CLFOLD_ERROR_BUILD"));
        assert_non_null(strstr(why, "does not build"));
    } else {
        print_message("%s scans by %s\n", device.name, report.algorithm);
    }
}

/* A tile that does not build gives way to one of other size, of which there are too many:
 * more than there are tickets in a word of 32 bits. */
static void test_too_many_next_tiles(void **state)
{
    const struct trial trial = { .operation = CLFOLD_INCLUSIVE_SCAN,
                                 .op = CLFOLD_ADD,
                                 .pair = { CLFOLD_I32, CLFOLD_I32 },
                                 .count = 3 << 19,
                                 .plan = { .tile_elements = 7,
                                           .group_size = 4,
                                           .tier = MEMORY_LEGACY_32,
                                           .spins = 1 } };

    (void)state;
    fail_builds(1, CL_BUILD_PROGRAM_FAILURE);
    trial_check(&trial, NULL);
    assert_true(clspy_disarm().fired);
    assert_false(log_has(CLFOLD_LOG_ERROR, "", ""));
}

/* So it does in a trace, whose tiles are counted once it is built: nothing is recorded
 * after the last. */
static void test_trace_next_tile(void **state)
{
    enum { MANY = 1 << 17, ROOM = 1 << 10 };
    static clfold_tile_trace tiles[ROOM];
    clfold_fold fold = { .op = CLFOLD_ADD,
                         .type = CLFOLD_I32,
                         .algorithm = "scan_lookback" };
    size_t num = 0;
    cl_mem mem = coloured_buffer(8 * MANY);

    (void)state;
    clfold_context_override(ctx, NULL);
    if (clfold_prepare(ctx, CLFOLD_INCLUSIVE_SCAN, &fold, MANY, NULL) == CLFOLD_OK) {
        clspy_reset();
        fail_builds(1, CL_BUILD_PROGRAM_FAILURE);
        assert_ok(clfold_trace(ctx, device.queue, &fold, mem, 0, mem, MANY, MANY, tiles,
                               ROOM, &num));
        assert_true(clspy_disarm().fired);
        for (size_t t = 0; t < ROOM; ++t) {
            assert_int_equal(tiles[t].prefix != 0, t < num);
        }
    } else {
        print_message("%s has no look-back\n", device.name);
    }
    clReleaseMemObject(mem);
}

/* One kind of tile that does not build is replaced by the other, for good, and
 * clfold_explain says so. */
static void test_next_tile(void **state)
{
    clfold_report before, after;
    clfold_stats stats;

    (void)state;
    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &sum, COUNT, NULL, &before));
    fail_builds(1, CL_BUILD_PROGRAM_FAILURE);
    assert_ok(reduce());
    assert_true(clspy_disarm().fired);
    assert_int_equal(clspy_calls("clBuildProgram"), 2);
    assert_true(log_has(CLFOLD_LOG_WARNING, "does not build", ""));
    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &sum, COUNT, NULL, &after));
    assert_null(strstr(before.reason, "does not build"));
    assert_non_null(strstr(after.reason, "does not build"));
    /* Told once; later calls succeed without a word, and find their program. */
    log_clear();
    assert_refused(clfold_reduce_host(ctx, device.queue, NULL, NULL, 0, 0, NULL, 0),
                   CLFOLD_ERROR_ARGUMENT, "fold is NULL");
    assert_ok(reduce());
    assert_non_null(strstr(clfold_last_error(), "fold is NULL"));
    assert_false(log_has(CLFOLD_LOG_WARNING, "does not build", ""));
    assert_false(log_has(CLFOLD_LOG_ERROR, "does not build", ""));
    assert_int_equal(clspy_calls("clBuildProgram"), 2);
    assert_ok(clfold_context_stats(ctx, &stats));
    assert_int_equal(stats.builds, 2);
    assert_int_equal(stats.failed_builds, 1);
    assert_int_equal(stats.misses, 1);
    assert_int_equal(stats.hits, 1);
}

static struct {
    int calls;
    clfold_status inner;
} reentrant;

static void reduce_inside(void *user, int level, const char *message)
{
    (void)user;
    (void)level;
    (void)message;
    if (++reentrant.calls == 1) {
        reentrant.inner = reduce();
    }
}

/* A log callback may fold what has just failed to build: no thread is waiting any more.
 */
static void test_log_reduces(void **state)
{
    const clfold_context_params params = { .log = reduce_inside };

    (void)state;
    clfold_context_destroy(&ctx);
    assert_ok(clfold_context_create(&ctx, device.context, device.id, &params));
    reentrant.calls = 0;
    reentrant.inner = CLFOLD_ERROR_BUILD;
    fail_builds(1, CL_BUILD_PROGRAM_FAILURE);
    assert_ok(reduce());
    assert_int_equal(reentrant.calls, 1);
    assert_int_equal(reentrant.inner, CLFOLD_OK);
}

/* What builds that fail leave in the log. */
static const char planted[] = "error: planted at line 7";

static void plant_log(void)
{
    clspy_answer("clGetProgramBuildInfo", CL_PROGRAM_BUILD_LOG, planted, sizeof(planted));
}

/* With no tile left, the compiler's log comes back, also from the calls after. */
static void test_no_tile(void **state)
{
    (void)state;
    plant_log();
    fail_builds(TILES_OF_CPUS, CL_BUILD_PROGRAM_FAILURE);
    assert_refused(reduce(), CLFOLD_ERROR_BUILD, planted);
    assert_int_equal(clspy_calls("clBuildProgram"), TILES_OF_CPUS);
    assert_true(log_has(CLFOLD_LOG_WARNING, planted, ""));
    clspy_disarm();
    for (int i = 0; i < 2; ++i) {
        assert_refused(reduce(), CLFOLD_ERROR_BUILD, planted);
    }
    assert_refused(clfold_prepare(ctx, CLFOLD_REDUCE, &sum, COUNT, NULL),
                   CLFOLD_ERROR_BUILD, planted);
    assert_int_equal(clspy_calls("clBuildProgram"), TILES_OF_CPUS);
    /* Another fold has programs of its own. */
    const clfold_fold max = { .op = CLFOLD_MAX, .type = CLFOLD_I32 };
    cl_int greatest = 0;
    assert_ok(clfold_reduce_host(ctx, device.queue, &max, input, 0, COUNT, &greatest,
                                 sizeof(greatest)));
}

/* A build that fails for another reason than the text: the sentence names the call, and
 * the next time it is tried again. */
static void test_again(void **state)
{
    static const cl_int codes[] = { CL_OUT_OF_HOST_MEMORY, CL_COMPILER_NOT_AVAILABLE,
                                    CL_INVALID_BUILD_OPTIONS };

    (void)state;
    for (int i = 0; i < 3; ++i) {
        reopen(NULL);
        clspy_reset();
        clspy_arm("clBuildProgram", 1, codes[i]);
        assert_refused(reduce(), codes[i], "clBuildProgram");
        assert_true(clspy_disarm().fired);
        assert_int_equal(clspy_calls("clBuildProgram"), 1);
        assert_ok(reduce());
        assert_int_equal(clspy_calls("clBuildProgram"), 2);
    }
    clfold_context_trim(ctx);
    /* Warm, the only allocation is the block. */
    alloc_spy_arm(1);
    assert_refused(reduce(), CL_OUT_OF_HOST_MEMORY, "no memory on the host for it");
    assert_true(alloc_spy_disarm());
}

/* A thousand texts, of which none compiles, and some that do: neither the process nor the
 * driver's objects grow. */
static void test_thousand_texts(void **state)
{
    const clfold_context_params params = { .max_programs = 16 };
    struct clspy_live half = { 0 };
    int64_t half_blocks = 0;
    char text[64];
    clfold_fold fold = { .type = CLFOLD_I64,
                         .in = CLFOLD_I32,
                         .combine = text,
                         .flags = CLFOLD_PARTIAL,
                         .algorithm = "serial" };
    cl_long result;

    (void)state;
    clfold_context_destroy(&ctx);
    assert_ok(clfold_context_create(&ctx, device.context, device.id, &params));
    for (int i = 1; i <= 1000; ++i) {
        const bool compiles = i % 50 == 0;
        snprintf(text, sizeof(text), "a + b + 0 * %d", i);
        if (!compiles) {
            fail_builds(1, CL_BUILD_PROGRAM_FAILURE);
        }
        assert_int_equal(clfold_reduce_host(ctx, device.queue, &fold, input, 0, 16,
                                            &result, sizeof(result)),
                         compiles ? CLFOLD_OK : CLFOLD_ERROR_BUILD);
        clspy_disarm();
        log_clear();
        if (i == 500) {
            half = clspy_live();
            half_blocks = alloc_spy_live();
        }
    }
    assert_string_equal(clspy_leaks(&half), "");
    assert_int_equal(alloc_spy_live(), half_blocks);
}

/* A log that cannot be read is not a failure of its own. Each build's log takes two
 * calls, and the call returns the words of the last build: its are number 5 and 6. */
static void test_no_log(void **state)
{
    (void)state;
    plant_log();
    for (uint64_t call = 5; call <= 7; ++call) {
        reopen(NULL);
        fail_builds(TILES_OF_CPUS, CL_BUILD_PROGRAM_FAILURE);
        clspy_arm("clGetProgramBuildInfo", call, 0);
        assert_refused(reduce(), CLFOLD_ERROR_BUILD,
                       call < 7 ? "the driver gave no build log" : planted);
        clspy_disarm();
    }
    for (size_t size = 0; size <= 2; ++size) {
        clspy_answer("clGetProgramBuildInfo", CL_PROGRAM_BUILD_LOG, "\0", size);
        reopen(NULL);
        fail_builds(TILES_OF_CPUS, CL_BUILD_PROGRAM_FAILURE);
        assert_refused(reduce(), CLFOLD_ERROR_BUILD, "the driver gave no build log");
        clspy_disarm();
    }
}

/* No memory for the log, wherever: still CLFOLD_ERROR_BUILD or CL_OUT_OF_HOST_MEMORY, and
 * nothing leaks. */
static int as_build, as_memory;

static struct clspy_shot shoot_log(enum way way, uint64_t number)
{
    reopen(NULL);
    fail_builds(TILES_OF_CPUS, CL_BUILD_PROGRAM_FAILURE);
    fault_arm(way, number);
    const clfold_status status = reduce();
    const struct clspy_shot shot = fault_disarm(way);
    clspy_disarm();
    log_clear();
    assert_true(status == CLFOLD_ERROR_BUILD ||
                (shot.fired && status == CL_OUT_OF_HOST_MEMORY));
    as_build += shot.fired && status == CLFOLD_ERROR_BUILD;
    as_memory += shot.fired && status == CL_OUT_OF_HOST_MEMORY;
    clfold_context_destroy(&ctx);
    return shot;
}

static void test_no_memory_for_log(void **state)
{
    (void)state;
    plant_log();
    clfold_context_destroy(&ctx);
    sweep("no memory for the log", OF_ALLOCATIONS, shoot_log, 0, 0, NULL);
    assert_true(as_build >= 2 * TILES_OF_CPUS); /* each time the log and its copy */
    assert_true(as_memory >= 6);
}

struct thread {
    pthread_t thread;
    clfold_context *ctx;
    pthread_barrier_t *start;
    clfold_status status;
    cl_long result;
    cl_command_queue queue;
};

static void *reduce_cold(void *user)
{
    struct thread *thread = user;

    pthread_barrier_wait(thread->start);
    thread->status = clfold_reduce_host(thread->ctx, thread->queue, &sum, input, 0, COUNT,
                                        &thread->result, sizeof(thread->result));
    return NULL;
}

/* `builds_fail` of the builds fail in passing: whoever waited tries again. */
static void build_by_threads(int builds_fail, uint64_t builds)
{
    struct thread threads[THREADS];
    pthread_barrier_t start;
    int failed = 0;

    reopen(NULL);
    clspy_reset();
    fail_builds(builds_fail, CL_OUT_OF_HOST_MEMORY);
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (size_t i = 0; i < THREADS; ++i) {
        threads[i] = (struct thread){ .ctx = ctx, .start = &start };
        threads[i].queue = device_queue(&device, 0);
        assert_non_null(threads[i].queue);
        assert_int_equal(
            pthread_create(&threads[i].thread, NULL, reduce_cold, &threads[i]), 0);
    }
    for (size_t i = 0; i < THREADS; ++i) {
        pthread_join(threads[i].thread, NULL);
        failed += threads[i].status == CL_OUT_OF_HOST_MEMORY;
        if (threads[i].status == CLFOLD_OK) {
            assert_int_equal(threads[i].result, expected);
        }
        clReleaseCommandQueue(threads[i].queue);
    }
    pthread_barrier_destroy(&start);
    clspy_disarm();
    assert_int_equal(failed, builds_fail);
    assert_int_equal(clspy_calls("clBuildProgram"), builds);
}

static void test_threads_build_once(void **state)
{
    (void)state;
    build_by_threads(0, 1);
    build_by_threads(2, 3);
}

/* ---- Scratch ----------------------------------------------------------------------- */

/* The least limit that a call fits under, and all above it, are enough. */
static void test_scratch_limit(void **state)
{
    /* Where loops are ended there are twice as many groups. */
    const uint64_t least = device.ends_loops ? 336 : 176;
    const uint64_t limits[] = { least, 1000, 4095, 4096, 4200, 4300, 8192, 100000 };

    (void)state;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); ++i) {
        const clfold_context_params params = { .scratch_limit = limits[i] };
        clfold_stats stats;
        reopen(&params);
        for (int round = 0; round < 2; ++round) {
            if (reduce()) {
                fail_msg("limit %llu: %s", (unsigned long long)limits[i],
                         clfold_last_error());
            }
            assert_ok(clfold_context_stats(ctx, &stats));
            assert_true(stats.scratch_bytes <= limits[i]);
        }
    }
}

/* A block whose last event has failed serves the next call: nothing will run because of
 * it. */
static void test_failed_event(void **state)
{
    const cl_int failed = CL_OUT_OF_RESOURCES;

    (void)state;
    if (device.disorder) {
        clfold_context_override(ctx, &twenty_groups);
        assert_works(ctx, device.disorder);
        assert_non_null(ctx->scratch.blocks);
        clspy_answer("clGetEventInfo", CL_EVENT_COMMAND_EXECUTION_STATUS, &failed,
                     sizeof(failed));
        const uint64_t made = clspy_calls("clCreateBuffer");
        assert_works(ctx, device.disorder);
        assert_int_equal(clspy_calls("clCreateBuffer"), made);
    }
}

/* ---- Devices ----------------------------------------------------------------------- */

/* The version that the device really has, 300 for 3.0; before any answer. */
static int real_version(void)
{
    char text[256];
    int major = 0, minor = 0;

    assert_int_equal(
        clGetDeviceInfo(device.id, CL_DEVICE_VERSION, sizeof(text), text, NULL),
        CL_SUCCESS);
    assert_int_equal(sscanf(text, "OpenCL %d.%d", &major, &minor), 2);
    return 100 * major + 10 * minor;
}

/* Told an older version, the device does the same work in the older language, where it is
 * sure to have that; before OpenCL 1.2 there is no clRetainDevice. */
static void test_older_works(void **state)
{
    static const struct {
        const char *version, *options; /* NULL: rejected */
        int runs;                      /* on devices of that version */
    } cases[] = {
        { "OpenCL 1.0 x", NULL, 0 },
        { "OpenCL 1.1 x", NULL, 0 },
        { "OpenGL 4", NULL, 0 },
        { "OpenCL 1.2 x", "-cl-std=CL1.2", 120 },
        { "OpenCL 2.0 x", "-cl-std=CL2.0", INT_MAX },
        { "OpenCL 2.1 x", "-cl-std=CL2.0", INT_MAX },
        { "OpenCL 3.0 x", "-cl-std=CL3.0", 300 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        clspy_reset();
        const bool runs = real_version() >= cases[i].runs;
        clspy_answer("clGetDeviceInfo", CL_DEVICE_VERSION, cases[i].version,
                     strlen(cases[i].version) + 1);
        if (!cases[i].options) {
            clfold_context_destroy(&ctx);
            assert_refused(context_open(&ctx, NULL), CLFOLD_ERROR_UNSUPPORTED,
                           cases[i].version);
            assert_int_equal(clspy_calls("clRetainDevice"), 0);
            continue;
        }
        reopen(NULL);
        if (runs) {
            assert_ok(reduce());
            if (device.disorder) {
                assert_works(ctx, device.disorder);
            }
            /* As planned, not by the fallback for a program that does not build. */
            assert_int_equal(clspy_calls("clBuildProgram"), 1);
        } else {
            fail_builds(1, CL_OUT_OF_HOST_MEMORY);
            assert_refused(reduce(), CL_OUT_OF_HOST_MEMORY, "clBuildProgram");
            clspy_disarm();
        }
        assert_string_equal(clspy_build_options(), cases[i].options);
    }
}

/* As a GPU, with a limit on the work-items of a group: the plan keeps to it, and the sums
 * stay right. Vendors and their rows: unit/plan.c. */
static void test_small_groups(void **state)
{
    static const char vendor[] = "NVIDIA Corporation";
    const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
    clfold_report report;
    size_t real = 0;

    (void)state;
    assert_int_equal(clGetDeviceInfo(device.id, CL_DEVICE_MAX_WORK_GROUP_SIZE,
                                     sizeof(real), &real, NULL),
                     CL_SUCCESS);
    for (size_t most = 1; most <= 512 && most <= real; most *= 2) {
        clspy_reset();
        clspy_answer("clGetDeviceInfo", CL_DEVICE_TYPE, &gpu, sizeof(gpu));
        clspy_answer("clGetDeviceInfo", CL_DEVICE_VENDOR, vendor, sizeof(vendor));
        clspy_answer("clGetDeviceInfo", CL_DEVICE_MAX_WORK_GROUP_SIZE, &most,
                     sizeof(most));
        reopen(NULL);
        assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &sum, COUNT, NULL, &report));
        assert_non_null(strstr(report.reason, "tile_group by policy \"nvidia\""));
        assert_in_range(report.group_size, 1, most);
        assert_ok(reduce());
        assert_int_equal(clspy_calls("clBuildProgram"), 1);
    }
}

/* Whether there is f64, a query says, and in OpenCL 1.2 an extension's name. */
static void test_f64(void **state)
{
    static const char *const extensions[] = {
        "cl_khr_global_int32_base_atomics", "cl_khr_fp64 cl_khr_global_int32_base_atomics"
    };
    const cl_device_fp_config none = 0;

    (void)state;
    for (int has = 0; has < 1 + device.has_f64; ++has) {
        clspy_reset();
        clspy_answer("clGetDeviceInfo", CL_DEVICE_DOUBLE_FP_CONFIG, &none, sizeof(none));
        clspy_answer("clGetDeviceInfo", CL_DEVICE_EXTENSIONS, extensions[has],
                     strlen(extensions[has]) + 1);
        reopen(NULL);
        clspy_arm("clBuildProgram", 1, CL_OUT_OF_RESOURCES);
        assert_refused(clfold_prepare(ctx, CLFOLD_REDUCE, &sum_f64, 1, NULL),
                       has ? CL_OUT_OF_RESOURCES : CLFOLD_ERROR_UNSUPPORTED,
                       has ? "clBuildProgram" : "type f64");
        assert_int_equal(clspy_disarm().fired, has);
        assert_ok(reduce()); /* of integers */
    }
}

static int launches_until_null;

static void count_launch(void)
{
    if (--launches_until_null == 0) {
        clspy_null_device(true);
    }
}

/* A device that says it has done everything and has done nothing, from the launch on that
 * verify_every checks. */
static void test_verify_catches(void **state)
{
    const clfold_context_params verify = { .verify_every = 1 };
    const cl_long init = 5;
    const clfold_fold from_five = {
        .op = CLFOLD_ADD,
        .type = CLFOLD_I64,
        .in = CLFOLD_I32,
        .init = &init,
        .init_size = sizeof(init),
    };
    cl_long result = POISON;
    cl_event event = (cl_event)&result;

    (void)state;
    reopen(&verify);
    assert_works(ctx, device.queue);
    clspy_before_launch(count_launch);
    launches_until_null = 3; /* pieces, their items, the call's own */
    assert_refused(clfold_reduce_host(ctx, device.queue, &from_five, input, 0, COUNT,
                                      &result, sizeof(result)),
                   CLFOLD_ERROR_DATA, "verify: v is 0, and ");
    assert_int_equal(result, POISON);
    clspy_null_device(false);
    launches_until_null = 3;
    assert_refused(clfold_reduce(ctx, device.queue, &from_five, input, 0, output, 0,
                                 COUNT, 0, NULL, &event),
                   CLFOLD_ERROR_DATA, "verify: v is 0, and ");
    assert_null(event);
    clspy_null_device(false);
    clspy_before_launch(NULL);
    assert_works(ctx, device.queue);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

/* test_driver ["PATTERN"]: only these tests. */
TEST_MAIN("driver", fixture_init, fixture_finish, TEST(test_next_tile),
          TEST(test_log_reduces), TEST(test_no_tile), TEST(test_no_lookback),
          TEST(test_too_many_next_tiles), TEST(test_trace_next_tile), TEST(test_again),
          TEST(test_thousand_texts), TEST(test_no_log), TEST(test_no_memory_for_log),
          TEST(test_threads_build_once), TEST(test_scratch_limit),
          TEST(test_failed_event), TEST(test_older_works), TEST(test_small_groups),
          TEST(test_f64), TEST(test_verify_catches))
