/* The probe of look-back's memory: tiers that work are taken, broken ones dropped with
 * their reasons, and the findings are kept. And clfold_trace by what was found. */
#include <clfold/experimental.h>
#include "lookback.h"
#include "one_context.h"
#include "test.h"

#include "device/probe.h"
#include "ops/context.h"
#include "ops/internal.h"

#include <pthread.h>

#define COUNT 5000

enum { RIGHT, TORN, LOST, NOT_BUILT, KINDS };

/* What writes in place of the tier: one half of a word, a while, and the other half; or
 * nothing. */
static const char *const kinds[KINDS] = {
    [TORN] = "static void broken_write(clfold_word_pointer p, clfold_word w)\n"
             "{\n"
             "    volatile global clfold_half *const halves =\n"
             "        (volatile global clfold_half *)p;\n"
             "    halves[1] = (clfold_half)(w >> CLFOLD_HALF_BITS);\n"
             "    for (uint i = 0; i < 1000; ++i)\n"
             "        clfold_read(p);\n"
             "    halves[0] = (clfold_half)w;\n"
             "}\n"
             "#define clfold_write broken_write\n",
    [LOST] = "#define clfold_write(p, w)\n",
    [NOT_BUILT] = "#error \"broken, as a test asks for\"\n",
};

static cl_mem ones, out;

/* ---- A context that tells what it says, and a scan --------------------------------- */

static struct kept {
    char line[CLFOLD_VERDICT_SIZE], key[512];
    size_t size;
    unsigned loads, saves, warnings;
    char probe_log[CLFOLD_VERDICT_SIZE + 100]; /* of a probe */
} kept;

static void keep_message(void *user, int level, const char *message)
{
    (void)user;
    kept.warnings += level <= CLFOLD_LOG_WARNING;
    if (strncmp(message, "probed ", strlen("probed ")) == 0) {
        snprintf(kept.probe_log, sizeof(kept.probe_log), "%s", message);
    }
}

static size_t load(void *user, const char *key, void *verdict, size_t size)
{
    (void)user;
    ++kept.loads;
    snprintf(kept.key, sizeof(kept.key), "%s", key);
    assert_true(size >= kept.size);
    memcpy(verdict, kept.line, kept.size);
    return kept.size;
}

static void save(void *user, const char *key, const void *verdict, size_t size)
{
    (void)user;
    ++kept.saves;
    snprintf(kept.key, sizeof(kept.key), "%s", key);
    assert_true(size < sizeof(kept.line));
    memcpy(kept.line, verdict, size);
    kept.line[size] = '\0';
    kept.size = size;
}

/* Probed though it is known; tiles so small that look-back is done everywhere. */
static const struct debug probed = { .probes = 8, .tile_elements = 512, .spins = 1 + 8 };
static struct debug override; /* of a test; at first `probed` */

/* A context that knows what is in `kept`. */
static void open_known(void)
{
    const clfold_context_params params = { .log = keep_message,
                                           .log_level = CLFOLD_LOG_INFO,
                                           .load_verdict = load,
                                           .save_verdict = save };

    clfold_context_destroy(&ctx);
    assert_ok(clfold_context_create(&ctx, device.context, device.id, &params));
    clfold_context_override(ctx, &override);
}

/* Before each test: nothing is known. */
static int begin(void **state)
{
    kept = (struct kept){ 0 };
    override = probed;
    open_known();
    return 0;
}

static clfold_status scan(cl_command_queue queue, cl_mem to, const char *algorithm)
{
    const clfold_fold sum = { .op = CLFOLD_ADD,
                              .type = CLFOLD_I32,
                              .algorithm = algorithm };

    return clfold_inclusive_scan(ctx, queue, &sum, ones, 0, to, 0, COUNT, 0, NULL, NULL);
}

static void assert_scans(const char *algorithm)
{
    static cl_int results[COUNT];

    assert_ok(scan(device.queue, out, algorithm));
    load_buffer(out, 0, sizeof(results), results);
    for (int i = 0; i < COUNT; ++i) {
        assert_int_equal(results[i], i + 1);
    }
}

static struct findings findings_now(void)
{
    struct findings findings;
    const char *failed = NULL;
    bool known;

    assert_int_equal(clfold_context_findings(ctx, false, &findings, &known, &failed),
                     CL_SUCCESS);
    assert_true(known);
    return findings;
}

/* ---- A tier at a time -------------------------------------------------------------- */

struct tried {
    enum tier_fate fate;
    bool fair;
    uint64_t met;
    double ms;
};

static struct tried try_looks(enum memory_tier tier, uint8_t kind, uint32_t looks)
{
    const char *broken[CLFOLD_MEMORY_TIERS] = { NULL };
    struct probe probe = { .context = device.context,
                           .device = device.id,
                           .caps = &ctx->caps,
                           .looks = looks,
                           .broken = broken };
    struct tried tried;

    broken[tier] = kinds[kind];
    assert_int_equal(clfold_probe_tier(&probe, tier, &tried.fate, &tried.fair),
                     CL_SUCCESS);
    assert_null(probe.released);
    tried.met = probe.met;
    tried.ms = (double)probe.launch_ns / 1e6;
    return tried;
}

static struct tried try_tier(enum memory_tier tier, uint8_t kind)
{
    return try_looks(tier, kind, 0);
}

/* A torn word is seen only at the right time, so groups must meet; on a busy machine they
 * do in about one try of ten. */
static int most_tries(void)
{
    return groups_meet(&device) ? 400 : 40;
}

static void assert_torn(enum memory_tier tier)
{
    uint64_t met = 0;
    int tries = 0;
    struct tried tried;

    do {
        tried = try_tier(tier, TORN);
        met += tried.met;
        ++tries;
    } while (tried.fate == FATE_TAKEN && tries < most_tries());
    print_message("%s: %s, try %d\n", clfold_memory(tier)->name,
                  clfold_fate_name(tried.fate), tries);
    if (tried.fate != FATE_TORN && (groups_meet(&device) || tried.fate != FATE_TAKEN)) {
        fail_msg("%s: torn words: %s, though groups met %llu times",
                 clfold_memory(tier)->name, clfold_fate_name(tried.fate),
                 (unsigned long long)met);
    }
}

/* Each alone, offered or not; and each that is offered broken in each way. */
static void test_tiers(void **state)
{
    for (enum memory_tier t = MEMORY_NONE + 1; t < CLFOLD_MEMORY_TIERS; ++t) {
        const struct tried tried = try_tier(t, RIGHT);
        print_message("%s: %s%s, launches took %.2f ms\n", clfold_memory(t)->name,
                      clfold_fate_name(tried.fate), tried.fair ? ", fair" : "", tried.ms);
        if (tried.fate != FATE_TAKEN &&
            (ctx->caps.offered[t] || tried.fate != FATE_NOT_BUILT)) {
            fail_msg("%s: %s", clfold_memory(t)->name, clfold_fate_name(tried.fate));
        }
        if (ctx->caps.offered[t]) {
            assert_torn(t);
            assert_int_equal(try_tier(t, LOST).fate, FATE_LOST);
            assert_int_equal(try_tier(t, NOT_BUILT).fate, FATE_NOT_BUILT);
        }
    }
}

/* One look at what one waits for: waits in vain drop no tier. */
static void test_in_vain(void **state)
{
    for (enum memory_tier t = MEMORY_NONE + 1; t < CLFOLD_MEMORY_TIERS; ++t) {
        if (ctx->caps.offered[t]) {
            struct tried tried = try_looks(t, RIGHT, 1);
            assert_int_equal(tried.fate, FATE_TAKEN);
            assert_false(tried.fair);
        }
    }
}

/* ---- Contexts ---------------------------------------------------------------------- */

static int offered_behind(int tier)
{
    do {
        ++tier;
    } while (tier < CLFOLD_MEMORY_TIERS && !ctx->caps.offered[tier]);
    return tier < CLFOLD_MEMORY_TIERS ? tier : MEMORY_NONE;
}

static void break_all(void)
{
    for (int tier = 0; tier < CLFOLD_MEMORY_TIERS; ++tier) {
        override.broken[tier] = kinds[NOT_BUILT];
    }
}

/* The best tier is broken, in a way: the next is taken, if there is one. */
static void check_next(uint8_t kind, enum tier_fate fate)
{
    begin(NULL);
    int best = offered_behind(MEMORY_NONE);
    int next = kind == RIGHT ? best : offered_behind(best);
    bool fences = next != MEMORY_NONE &&
                  clfold_memory_fences((enum memory_tier)next, ctx->caps.fences);

    override.broken[best] = kinds[kind];
    if (next == MEMORY_NONE) {
        clfold_status status = scan(device.queue, out, "scan_lookback");
        assert_int_equal(status, findings_now().verdict.tier == MEMORY_NONE
                                     ? CLFOLD_ERROR_UNSUPPORTED
                                     : CLFOLD_OK);
    } else {
        assert_scans("scan_lookback");
    }
    assert_scans(NULL);
    const struct findings findings = findings_now();
    assert_int_equal(kept.saves, 1);
    assert_non_null(strstr(kept.probe_log, kept.line));
    print_message("%s\n", kept.probe_log);
    assert_int_equal(findings.verdict.tier, next);
    assert_int_equal(findings.fates[best], fate);
    assert_int_equal(findings.verdict.fences, fences);
}

static void test_next(void **state)
{
    check_next(RIGHT, FATE_TAKEN);
    check_next(LOST, FATE_LOST);
    check_next(NOT_BUILT, FATE_NOT_BUILT);
}

/* No tier is left. */
static void test_none(void **state)
{
    clfold_report report;
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_I32 };
    const clfold_fold named = { .op = CLFOLD_ADD,
                                .type = CLFOLD_I32,
                                .algorithm = "scan_chained" };

    for (int t = MEMORY_NONE + 1; t < CLFOLD_MEMORY_TIERS; ++t) {
        override.broken[t] = kinds[t % 2 ? LOST : NOT_BUILT];
    }
    assert_scans(NULL);
    for (int t = MEMORY_NONE + 1; t < CLFOLD_MEMORY_TIERS; ++t) {
        char why[128];
        snprintf(why, sizeof(why), "%s: %s", clfold_memory((enum memory_tier)t)->name,
                 clfold_fate_name(!ctx->caps.offered[t] ? FATE_NOT_OFFERED
                                  : t % 2               ? FATE_LOST
                                                        : FATE_NOT_BUILT));
        assert_refused(scan(device.queue, out, "scan_lookback"), CLFOLD_ERROR_UNSUPPORTED,
                       why);
        assert_refused(clfold_prepare(ctx, CLFOLD_INCLUSIVE_SCAN, &named, COUNT, NULL),
                       CLFOLD_ERROR_UNSUPPORTED, why);
    }
    assert_ok(
        clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &sum, (size_t)1 << 26, NULL, &report));
    assert_string_equal(report.algorithm, "reduce_then_scan");
    assert_int_equal(findings_now().verdict.tier, MEMORY_NONE);
    assert_int_equal(kept.saves, 1);
}

/* A known device is not probed, and load_verdict is not called; many elements are scanned
 * by look-back there, unless an algorithm is named. */
static void test_known(void **state)
{
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };
    clfold_report report;
    clfold_lookback known;

    clfold_context_override(ctx, NULL);
    assert_ok(clfold_explain_lookback(ctx, CL_FALSE, &known));
    assert_int_equal(known.tier != NULL, device.is_known);
    assert_int_equal(kept.loads, device.is_known ? 0 : 1);
    assert_int_equal(kept.saves, 0);
    assert_ok(
        clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &sum, (size_t)1 << 26, NULL, &report));
    if (device.is_known) {
        assert_string_equal(report.algorithm, "scan_lookback");
    }
    kept = (struct kept){ 0 };
    override.probes = 0;
    open_known();
    assert_scans("scan_lookback");
    assert_int_equal(kept.loads, device.is_known ? 0 : 1);
    assert_int_equal(kept.saves, device.is_known ? 0 : 1);
    assert_int_equal(strlen(kept.probe_log) > 0, !device.is_known);
}

/* ---- clfold_explain_lookback ------------------------------------------------------- */

/* As the line that is saved has it; "": nothing is known. */
static const char *explain_now(cl_bool probe)
{
    static char line[CLFOLD_VERDICT_SIZE];
    static const unsigned char nothing[sizeof(clfold_lookback)];
    clfold_lookback known;
    size_t length = 0;

    memset(&known, 0xa5, sizeof(known));
    assert_ok(clfold_explain_lookback(ctx, probe, &known));
    assert_null(known.why);
    line[0] = '\0';
    if (known.tier) {
        length = (size_t)snprintf(
            line, sizeof(line), "clfold verdict 1: tier %s, fair %s, fences %s",
            known.tier, known.fair ? "yes" : "no", known.fences ? "yes" : "no");
    }
    for (int i = 0; known.dropped[i]; ++i) {
        length +=
            (size_t)snprintf(line + length, sizeof(line) - length, "; %s dropped: %s",
                             known.dropped[i], known.reasons[i]);
    }
    assert_memory_equal(known.reserved, nothing, sizeof(known.reserved));
    return line;
}

/* What is told is what is saved. */
static void test_explain(void **state)
{
    explain_now(CL_FALSE);
    assert_string_equal(explain_now(CL_FALSE), "");
    assert_int_equal(kept.loads, 1);
    assert_int_equal(kept.saves, 0);
    assert_scans("scan_lookback");
    assert_int_equal(kept.saves, 1);
    assert_string_equal(explain_now(CL_FALSE), kept.line);

    /* A new probe replaces the known verdict, and is kept. */
    explain_now(CL_TRUE);
    assert_int_equal(kept.saves, 2);
    break_all();
    assert_non_null(strstr(explain_now(CL_TRUE), "tier none, "));
    assert_int_equal(kept.saves, 3);
    assert_string_equal(explain_now(CL_FALSE), kept.line);
    assert_int_equal(findings_now().verdict.tier, MEMORY_NONE);
    assert_int_equal(kept.loads, 1);
    assert_int_equal(kept.saves, 3);
}

/* ---- The callbacks ----------------------------------------------------------------- */

static void test_callbacks(void **state)
{
    const clfold_fold named = { .op = CLFOLD_ADD,
                                .type = CLFOLD_I32,
                                .algorithm = "scan_lookback" };
    clfold_report report;

    assert_int_equal(kept.loads, 0);
    for (int i = 0; i < 2; ++i) {
        assert_ok(
            clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &named, COUNT, NULL, &report));
        assert_non_null(strstr(report.reason, "if a probe finds memory for it"));
        assert_int_equal(kept.loads, 1);
        assert_int_equal(kept.saves, 0);
    }
    assert_non_null(strstr(kept.key, ctx->caps.name));
    assert_non_null(strstr(kept.key, ctx->caps.driver));
    assert_non_null(strstr(kept.key, ctx->caps.platform));
    assert_ok(clfold_prepare(ctx, CLFOLD_INCLUSIVE_SCAN, &named, COUNT, NULL));
    assert_scans("scan_lookback");
    assert_scans("scan_chained");
    assert_ok(clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &named, COUNT, NULL, &report));
    assert_null(strstr(report.reason, "if a probe finds memory for it"));
    assert_int_equal(kept.loads, 1);
    assert_int_equal(kept.saves, 1);
    assert_int_equal(kept.warnings, 0);

    /* What was kept is believed: a probe would find no tier. */
    break_all();
    kept.loads = kept.saves = 0;
    kept.probe_log[0] = '\0';
    open_known();
    assert_scans("scan_lookback");
    assert_scans("scan_lookback");
    assert_int_equal(kept.loads, 1);
    assert_int_equal(kept.saves, 0);
    assert_int_equal(kept.warnings, 0);
    assert_string_equal(kept.probe_log, "");
}

/* A line that is not a verdict is reported, and the device probed. */
static void test_damaged(void **state)
{
    static const char *const lines[] = {
        "x",
        /* Well formed, but for another device: no device has the second with fences. */
        "clfold verdict 1: tier ptx_64, fair yes, fences yes; scoped_64 dropped: does "
        "not build",
        "clfold verdict 1: tier legacy_32, fair yes, fences yes; scoped_64 dropped: does "
        "not build; ptx_64 dropped: does not build; legacy_64 dropped: does not build; "
        "scoped_32 dropped: does not build",
    };

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); ++i) {
        begin(state);
        if (i == 1 && ctx->caps.offered[MEMORY_PTX_64]) {
            continue;
        }
        kept.size = strlen(lines[i]);
        snprintf(kept.line, sizeof(kept.line), "%s", lines[i]);
        assert_scans("scan_lookback");
        assert_int_equal(kept.warnings, 1);
        assert_int_equal(kept.loads, 1);
        assert_int_equal(kept.saves, 1);
        assert_string_not_equal(kept.line, lines[i]);
    }
}

/* Threads that come at the same time: one probes, the others wait for it. */
struct thread {
    pthread_t id;
    cl_command_queue queue;
    cl_mem out;
    clfold_status status;
};

static void *run_thread(void *user)
{
    struct thread *thread = user;

    thread->status = scan(thread->queue, thread->out, "scan_lookback");
    return NULL;
}

static void test_threads(void **state)
{
    struct thread threads[4];

    for (int i = 0; i < 4; ++i) {
        threads[i] = (struct thread){ .queue = device_queue(&device, 0),
                                      .out = coloured_buffer(COUNT * 4) };
        assert_non_null(threads[i].queue);
    }
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(pthread_create(&threads[i].id, NULL, run_thread, &threads[i]),
                         0);
    }
    for (int i = 0; i < 4; ++i) {
        pthread_join(threads[i].id, NULL);
        clFinish(threads[i].queue);
        assert_int_equal(threads[i].status, CLFOLD_OK);
        clReleaseMemObject(threads[i].out);
        clReleaseCommandQueue(threads[i].queue);
    }
    assert_int_equal(kept.loads, 1);
    assert_int_equal(kept.saves, 1);
}

/* ---- clfold_trace ------------------------------------------------------------------ */

#define TILE  64
#define TILES 8
#define FEW   (TILES * TILE - 5)

/* A context by the best tier, on small tiles. */
static void begin_trace(void)
{
    const struct debug small = {
        .tile = TILE_VECTOR, .tile_elements = TILE, .max_groups = TILES, .spins = 1
    };

    override = with_tier(&device, small);
    open_known();
}

/* The results of the scan, which lookback.c compares bit by bit, and a record of each
 * tile. */
static void test_trace(void **state)
{
    static const char *const algorithms[] = { NULL, "scan_lookback", "scan_chained" };
    cl_int found[FEW + 1];

    begin_trace();
    for (size_t a = 0; a < 3; ++a) {
        const clfold_fold sum = { .op = CLFOLD_ADD,
                                  .type = CLFOLD_I32,
                                  .algorithm = algorithms[a] };
        clfold_tile_trace tiles[TILES] = { 0 };
        size_t num = 0;
        memset(found, COLOUR, sizeof(found));
        write_buffer(out, 0, sizeof(found), found);
        /* The number of tiles alone: nothing is scanned. */
        assert_ok(
            clfold_trace(ctx, device.queue, &sum, ones, 0, out, 0, FEW, NULL, 0, &num));
        assert_int_equal(num, TILES);
        load_buffer(out, 0, sizeof(found), found);
        for (int i = 0; i < FEW; ++i) {
            assert_int_equal(found[i], found[FEW]);
        }
        assert_ok(clfold_trace(ctx, device.queue, &sum, ones, 0, out, 0, FEW, tiles,
                               TILES, &num));
        load_buffer(out, 0, sizeof(found), found);
        for (int i = 0; i < FEW; ++i) {
            assert_int_equal(found[i], i + 1);
        }
        assert_int_equal(num, TILES);
        for (size_t t = 0; t < num; ++t) {
            assert_true(tiles[t].started < tiles[t].aggregate &&
                        tiles[t].aggregate < tiles[t].prefix);
            assert_int_equal(tiles[t].ticket, t);
            assert_true(tiles[t].depth <= t && tiles[t].fallbacks <= t);
            assert_true(t == 0 || tiles[t].polls > 0);
        }
        assert_ok(
            clfold_trace(ctx, device.queue, &sum, ones, 0, out, 0, 0, NULL, 0, &num));
        assert_int_equal(num, 0);
    }
}

/* What else it rejects: rejections.c. */
static void test_trace_refused(void **state)
{
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_I32 };
    clfold_tile_trace tiles[TILES];
    size_t num = 0;

    begin_trace();
#define refuse(status, words, ...)                                                       \
    assert_refused(clfold_trace(ctx, __VA_ARGS__, &num), CLFOLD_ERROR_##status, words)
    refuse(ARGUMENT, "queue is NULL", NULL, &sum, ones, 0, out, 0, FEW, tiles, TILES);
    refuse(ARGUMENT, "in is NULL", device.queue, &sum, NULL, 0, out, 0, FEW, tiles,
           TILES);
    refuse(ARGUMENT, "tiles is NULL, but capacity is 8", device.queue, &sum, ones, 0, out,
           0, FEW, NULL, TILES);
    refuse(RANGE, "capacity 7 is less than the 8 tiles", device.queue, &sum, ones, 0, out,
           0, FEW, tiles, TILES - 1);
    refuse(RANGE, "is past its end", device.queue, &sum, ones, 0, out, 71 * TILE, FEW,
           tiles, TILES);
}

static int open_device(void **state)
{
    static cl_int values[COUNT];

    device_init_for_lookback(&device);
    for (int i = 0; i < COUNT; ++i) {
        values[i] = 1;
    }
    ones = copied_buffer(values, sizeof(values));
    out = coloured_buffer(sizeof(values));
    return 0;
}

static int close_device(void **state)
{
    clReleaseMemObject(ones);
    clReleaseMemObject(out);
    return close_context(state);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

TEST_MAIN("probe", open_device, close_device, TEST(test_tiers), TEST(test_in_vain),
          TEST(test_next), TEST(test_none), TEST(test_known), TEST(test_explain),
          TEST(test_callbacks), TEST(test_damaged), TEST(test_threads), TEST(test_trace),
          TEST(test_trace_refused))
