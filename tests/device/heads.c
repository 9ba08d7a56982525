/*
 * Scans by flags, keys and offsets, of every fold: operators of the library's and of the
 * caller's, with loads, results and stores, against the serial loop.
 */
#include "every_fold.h"
#include "lookback.h"
#include "subjects_of_text.h"
#include "test.h"

#include "base/platform.h"
#include "ops/context.h"

#define NUM(list) (sizeof(list) / sizeof((list)[0]))

/* ---- Every fold -------------------------------------------------------------------- */

/* The first two are those by which nothing is scanned. */
static const char *const algorithms[] = { "serial", "scan_single_group",
                                          "reduce_then_scan", "scan_lookback",
                                          "scan_chained" };

/* One program of a fold and a tile, by what the turn draws, and calls of many kinds. */
static void check(struct trial trial, size_t turn)
{
    static const size_t counts[] = { 0, 1000, 17, 1, 4999, 97 };
    const struct subject *s = trial.subject;
    /* With its head, of which an opaque item is a multiple. */
    const bool is_long = s && s->size > (s->fold.type_name ? 32 : 56);
    uint64_t seed = turn;
    const uint32_t by = CLFOLD_BY_FLAGS + (uint32_t)draw(&seed, 3);
    const size_t a = draw(&seed, NUM(algorithms));
    const bool has_identity = s ? s->identity != NULL : !is_arg(trial.op);
    /* The loop counts the index of an init of arg-min and its kin in the segment. */
    const bool may_have_init = s ? !s->fill || s->fill_init : has_identity;

    trial.by = by;
    trial.head_type = draw_head_type(by, &seed);
    trial.loose = by == CLFOLD_BY_KEYS && draw(&seed, 3) == 0;
    trial.operation = scan_of(draw(&seed, 2) && (has_identity || may_have_init));
    trial.algorithm =
        is_long && may_look_back(algorithms[a]) ? "reduce_then_scan" : algorithms[a];
    /* PoCL 3.1's compiler dies of these in blocks, of five components. */
    if (device.is_pocl && trial.plan.tile == TILE_GROUP &&
        may_look_back(trial.algorithm)) {
        trial.plan.anchor = 1;
    }
    trial.zones = true;
    trial.num_at = by == CLFOLD_BY_OFFSETS && turn % 2;
    trial.count_at = turn / 2 % 2;
    trial.may_refuse = device.is_rusticl;
    for (size_t c = a < 2 ? 0 : 1; c < NUM(counts); ++c) {
        trial.count = counts[c];
        trial.cut = (enum cuts)draw(&seed, NUM_CUTS);
        trial.bad = by == CLFOLD_BY_OFFSETS && draw(&seed, 2);
        trial.tells = trial.bad;
        trial.empty = by == CLFOLD_BY_OFFSETS && draw(&seed, 9) == 0 ? 1000000 : 0;
        trial.more = trial.num_at ? draw(&seed, 2000) >> draw(&seed, 12) : 0;
        trial.init = (enum init_from)draw(&seed, 3);
        trial.init = !may_have_init               ? INIT_NONE
                     : has_identity || trial.init ? trial.init
                                                  : INIT_HOST;
        trial.total = draw(&seed, 2) ? TOTAL_APART : TOTAL_NONE;
        check_somewhere(trial, &seed);
    }
}

static void test_texts(void **state)
{
    (void)state;
    every_fold_by_text(true, check);
}

static void test_operators(void **state)
{
    (void)state;
    every_operator(scan_tiles, SCAN_TILES, 3, check);
}

/* Sums whose highest bit stays where it is in all operands: in all elements, and not in
 * what is not there. */
COMBINE(add_marked, cl_uint, ((x[0] + y[0]) & INT32_MAX) | (x[0] & y[0] & 1u << 31));

/* Sums and their errors, exact here, and maps, whose results are structs; and an operator
 * that tells whether it was applied to anything else. */
static void test_wide_items(void **state)
{
    static const struct subject compensated = {
        FOLD(.name = "compensated", SUM_OF(CLFOLD_F32), .accuracy = CLFOLD_COMPENSATED),
        ON_F32,
    };
    struct subject marked = {
        FOLD(.name = "marked", .type = CLFOLD_U32,
             .combine = "((a + b) & 0x7fffffffu) | (a & b & 0x80000000u)"),
        .size = 4,
        .combine = add_marked,
        .least = 1u << 31,
        WORDS,
    };

    (void)state;
    for (size_t t = 1; t < NUM_TRIAL_TILES; ++t) {
        const struct debug plan = trial_tiles[t];
        if (policy_has_tile(plan.tile)) {
            marked.fold.flags = plan.tile == TILE_VECTOR ? 0 : CLFOLD_PARTIAL;
            check((struct trial){ .subject = &compensated, .plan = plan }, 10 * t);
            check((struct trial){ .subject = &affine, .plan = plan }, 10 * t + 1);
            check((struct trial){ .subject = &marked, .plan = plan }, 10 * t + 2);
        }
    }
}

/* ---- Float bits -------------------------------------------------------------------- */

static void test_bits(void **state)
{
    static cl_float results[2][5000];

    (void)state;
    for (size_t t = 1; t < NUM_TRIAL_TILES; ++t) {
        for (size_t a = 1; policy_has_tile(trial_tiles[t].tile) && a < 4; ++a) {
            const struct trial trial = {
                .op = CLFOLD_ADD,
                .pair = { CLFOLD_F32, CLFOLD_F32 },
                .operation = CLFOLD_INCLUSIVE_SCAN,
                .algorithm = algorithms[a],
                .plan = trial_tiles[t],
                .count = 4999,
                .by = CLFOLD_BY_FLAGS,
                .head_type = CLFOLD_U8,
                .depth = 5000,
                .total = TOTAL_APART,
                .may_refuse = device.is_rusticl,
                .seed = t,
            };
            if (trial_check(&trial, results[a > 1])) {
                assert_memory_equal(results[0], results[a > 1], sizeof(results[0]));
            }
        }
    }
}

/* ---- Places ------------------------------------------------------------------------ */

/* A group loads rows of several elements together, each of which knows its place. Few
 * values, so that the first of the greatest is not alone. */
static void test_places(void **state)
{
    static const clfold_op ops[] = { CLFOLD_ARG_MAX, CLFOLD_ARG_MIN };

    (void)state;
    for (size_t i = 0; policy_has_tile(TILE_GROUP) && i < NUM(ops); ++i) {
        const struct trial trial = {
            .op = ops[i],
            .pair = { CLFOLD_I8, CLFOLD_I8 },
            .operation = CLFOLD_INCLUSIVE_SCAN,
            .algorithm = "scan_single_group",
            .plan = { .tile = TILE_GROUP, .tile_elements = 320, .group_size = 8 },
            .count = 1999,
            .by = CLFOLD_BY_FLAGS,
            .head_type = CLFOLD_U8,
            .depth = 5000,
            .may_refuse = device.is_rusticl,
            .seed = i,
        };
        trial_check(&trial, NULL);
    }
}

/* ---- What is told, and refused ----------------------------------------------------- */

static void test_report(void **state)
{
    clfold_segments segments = { .by = CLFOLD_BY_OFFSETS, .type = CLFOLD_U32, .num = 9 };
    clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_F32, .segments = &segments };
    const clfold_fold four = { CLFOLD_MATRIX_2X2, CLFOLD_U8, .segments = &segments };
    const struct subject *s = operator_subjects;
    clfold_report report;

    (void)state;
    assert_ok(clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &fold, 100, NULL, &report));
    assert_int_equal(report.num_launches, 3);
    assert_non_null(
        strstr(report.reason, "segments by offsets, which it turns into bits"));
    assert_true(report.scratch_bytes > 0);
    segments = (clfold_segments){ .by = CLFOLD_BY_KEYS, .type = CLFOLD_U16 };
    assert_ok(clfold_explain(ctx, CLFOLD_EXCLUSIVE_SCAN, &fold, 100, NULL, &report));
    assert_int_equal(report.bytes_read, 100 * (4 + 2));
    assert_non_null(strstr(report.reason, "segments by keys"));
    assert_ok(clfold_prepare(ctx, CLFOLD_EXCLUSIVE_SCAN, &fold, 100, NULL));
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

/* By what is changed of a call that is right. */
static void test_rejected(void **state)
{
    const cl_mem mem = coloured_buffer(4096), out = coloured_buffer(4096);
    const cl_mem in = coloured_buffer(4096);
    const struct {
        clfold_segments segments;
        clfold_fold fold; /* but for its operator, type and segments */
        clfold_operation operation;
        clfold_status status;
        const char *said;
    } wrong[] = {
#define BY(how, scalar, ...)                                                             \
    { .by = CLFOLD_BY_##how, .type = CLFOLD_##scalar, .mem = mem, __VA_ARGS__ }
#define SAYS(code, words) .status = CLFOLD_ERROR_##code, .said = (words)
        { BY(FLAGS, F32, 0), SAYS(ARGUMENT, "type f32, but flags are integers") },
        { BY(OFFSETS, I32, 0), SAYS(ARGUMENT, "type i32, but offsets are u32 or u64") },
        { { .by = CLFOLD_BY_KEYS }, SAYS(ARGUMENT, "type 0 of the keys") },
        { { .by = CLFOLD_BY_KEYS, .type = 99 }, SAYS(ARGUMENT, "type 99 of the keys") },
        { BY(FLAGS, U8, 0, 3), SAYS(ARGUMENT, "num is given") },
        { BY(FLAGS, U8, .num_at = { in, 0 }), SAYS(ARGUMENT, "num_at is given") },
        { BY(OFFSETS, U32, 0, 0, 4), SAYS(ARGUMENT, "length is given") },
        { BY(OFFSETS, U32, 0, SIZE_MAX), SAYS(RANGE, "num 18446744073709551615 over") },
        { BY(OFFSETS, U32, 0, 1024), SAYS(RANGE, "segments: mem holds 1024 elements") },
        { BY(FLAGS, U8, 4000), SAYS(RANGE, "offset 4000 + count 100") },
        { { .by = CLFOLD_BY_FLAGS, .type = CLFOLD_U8 }, SAYS(ARGUMENT, "mem is NULL") },
        { { CLFOLD_BY_FLAGS, CLFOLD_U8, .mem = out }, SAYS(OVERLAP, "segments: mem") },
        { BY(FLAGS, U8, 0), .fold.total_out = { mem, 0 }, SAYS(OVERLAP, "total_out") },
        { BY(FLAGS, U8, 0), .fold.bad_out = { mem, 0 },
          SAYS(ARGUMENT, "no segments by off") },
        { BY(OFFSETS, U32, 0, 3), .fold.bad_out = { mem, 0 }, SAYS(OVERLAP, "bad_out") },
        { BY(OFFSETS, U32, 0, 3), .fold.bad_out = { out, 0 }, SAYS(OVERLAP, "bad_out") },
        { BY(OFFSETS, U32, 0, 3), .fold.bad_out = { out, 511 }, SAYS(RANGE, "bad_out") },
        { BY(OFFSETS, U32, 0, 3), .fold.bad_out = { NULL, 2 },
          SAYS(ARGUMENT, "offset is 2") },
        { BY(FLAGS, U8, 0), .fold.equal = "a == b",
          SAYS(ARGUMENT, "no segments by keys") },
        { BY(KEYS, U8, 0), .fold.equal = "a == b)", SAYS(ARGUMENT, "equal") },
        { BY(FLAGS, U8, 0), .fold.algorithm = "scan_then_propagate",
          SAYS(UNSUPPORTED, "where segments start") },
        { BY(FLAGS, U8, 0), .fold.algorithm = "scan_lanes",
          SAYS(UNSUPPORTED, "scan_lanes") },
        { BY(KEYS, U8, .reserved = { 0, 1 }), SAYS(ARGUMENT, "segments: reserved[1]") },
    };

    (void)state;
    for (size_t i = 0; i < NUM(wrong); ++i) {
        clfold_fold fold = wrong[i].fold;
        fold.op = CLFOLD_ADD;
        fold.type = CLFOLD_U32;
        fold.segments = &wrong[i].segments;
        const clfold_status status =
            call_operation(wrong[i].operation ? CLFOLD_REDUCE : CLFOLD_INCLUSIVE_SCAN,
                           &fold, in, 0, out, 0, 100);
        assert_refused(status, wrong[i].status, wrong[i].said);
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(mem);
}

TEST_MAIN("heads", open_context, close_context, cmocka_unit_test(test_operators),
          cmocka_unit_test(test_wide_items), cmocka_unit_test(test_texts),
          cmocka_unit_test(test_bits), cmocka_unit_test(test_places),
          cmocka_unit_test(test_report), cmocka_unit_test(test_rejected))
