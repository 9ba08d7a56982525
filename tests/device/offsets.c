/*
 * Reductions by offsets, and by flags and keys, which become offsets, of every fold:
 * operators of the library's and of the caller's, with loads and results, all accuracies,
 * against the serial loop. Pieces are as small as tiles, so that segments lie across
 * many.
 */
#include "every_fold.h"
#include "subjects_of_text.h"
#include "test.h"

#include "base/platform.h"
#include "ops/context.h"

#define NUM(list) (sizeof(list) / sizeof((list)[0]))

/* ---- Every fold -------------------------------------------------------------------- */

/* One program of a fold and a tile, and calls of many kinds. Where offsets are wrong no
 * result is known, but nothing else may be written. */
static void check_by(struct trial trial, uint32_t by, size_t turn)
{
    static const size_t counts[] = { 1000, 17, 4999, 0, 1, 97, 3001 };
    const struct subject *s = trial.subject;
    const bool are_offsets = by == CLFOLD_BY_OFFSETS;
    uint64_t seed = turn + 1;
    const bool has_identity = s ? s->identity != NULL : !is_arg(trial.op);
    /* The loop counts the index of an init of arg-min and its kin in the segment. */
    const bool may_have_init = s ? !s->fill || s->fill_init : has_identity;

    /* Mesa 22.3's compiler crashes at four components of one type. */
    if (device.is_rusticl && s && strstr(s->fold.name, "matrix")) {
        return;
    }
    trial.operation = CLFOLD_REDUCE;
    trial.by = by;
    trial.head_type = draw_head_type(by, &seed);
    trial.loose = by == CLFOLD_BY_KEYS && draw(&seed, 3) == 0;
    trial.algorithm = draw(&seed, 2) ? "reduce_offsets" : NULL;
    trial.zones = true;
    trial.may_refuse = device.is_rusticl;
    trial.num_at = are_offsets && turn % 2;
    trial.tells = are_offsets && turn / 2 % 2;
    trial.count_at = turn / 4 % 2;
    for (size_t c = 0; c < NUM(counts); ++c) {
        trial.count = counts[c];
        trial.cut = (enum cuts)draw(&seed, NUM_CUTS);
        trial.bad = are_offsets && draw(&seed, 6) == 0;
        trial.bound = are_offsets ? BOUND_NONE : (enum bound)draw(&seed, NUM_BOUNDS);
        trial.lists = !are_offsets && draw(&seed, 3);
        trial.unknown = trial.bad;
        trial.empty = draw(&seed, 20) == 0 ? 100000 : 0;
        trial.more =
            trial.num_at && draw(&seed, 3) ? draw(&seed, 3000) >> draw(&seed, 12) : 0;
        trial.init = may_have_init ? (enum init_from)draw(&seed, 3) : INIT_NONE;
        trial.init = trial.bad && !has_identity && !trial.init ? INIT_HOST : trial.init;
        trial.in_offset = draw(&seed, 3);
        trial.out_offset = draw(&seed, 4);
        trial.plan.max_groups = (uint32_t)draw(&seed, 3) * 2;
        trial.disorder = draw(&seed, 4) == 0;
        trial.seed = seed;
        trial.spare = trial_spare(&trial);
        if (trial.bad && !has_identity && !may_have_init) {
            continue;
        }
        if (!trial_check(&trial, NULL) && !are_offsets && !device.is_rusticl) {
            fail_msg("refused: %s", clfold_last_error());
        }
    }
}

static void check(struct trial trial, size_t turn)
{
    check_by(trial,
             turn % 3 < 2   ? CLFOLD_BY_OFFSETS
             : turn / 3 % 3 ? CLFOLD_BY_KEYS
                            : CLFOLD_BY_FLAGS,
             turn);
}

static void test_all_texts(void **state)
{
    (void)state;
    every_fold_by_text(false, check);
}

static void test_all_operators(void **state)
{
    (void)state;
    every_operator(trial_tiles, NUM_TRIAL_TILES, 1, check);
}

static void test_accuracies(void **state)
{
    static const struct subject sums[] = {
        { FOLD(.name = "compensated", SUM_OF(CLFOLD_F32), .accuracy = CLFOLD_COMPENSATED),
          ON_F32 },
        { FOLD(.name = "reproducible", SUM_OF(CLFOLD_F32),
               .accuracy = CLFOLD_REPRODUCIBLE),
          ON_F32 },
    };

    (void)state;
    for (size_t i = 0; i < NUM(sums); ++i) {
        for (size_t t = 0; t < NUM_TRIAL_TILES; ++t) {
            if (policy_has_tile(trial_tiles[t].tile)) {
                const struct trial trial = { .subject = &sums[i],
                                             .plan = trial_tiles[t] };
                for (uint32_t by = CLFOLD_BY_FLAGS; by <= CLFOLD_BY_OFFSETS; ++by) {
                    check_by(trial, by, 10 * i + t);
                }
            }
        }
    }
}

/* Float bits do not depend on how many groups there are, nor on what else is written. */
static void test_bits(void **state)
{
    static cl_float results[2][3 * 4999 + 8];

    (void)state;
    for (size_t t = 1; t < NUM_TRIAL_TILES; ++t) {
        for (uint32_t groups = 0; policy_has_tile(trial_tiles[t].tile) && groups < 6;
             groups += 5) {
            struct trial trial = {
                .op = CLFOLD_ADD,
                .pair = { CLFOLD_F32, CLFOLD_F32 },
                .operation = CLFOLD_REDUCE,
                .plan = trial_tiles[t],
                .count = 4999,
                .by = CLFOLD_BY_OFFSETS,
                .head_type = CLFOLD_U32,
                .depth = 5000,
                .unknown = true,
                .seed = t,
            };
            trial.plan.max_groups = groups;
            trial.by = t % 2 ? CLFOLD_BY_OFFSETS : CLFOLD_BY_KEYS;
            trial.lists = t % 2 == 0 && groups > 0;
            assert_true(trial_check(&trial, results[groups > 0]));
        }
        assert_memory_equal(results[0], results[1], sizeof(results[0]));
    }
}

/* ---- What texts see ---------------------------------------------------------------- */

#define MOST  5000
#define EMPTY 300

/* Offsets of segments of 0 to `longest` elements, with many empty ones in a row, or by
 * next_length() for 0, that end `rest` before the count; returns how many segments there
 * are. */
static size_t draw_offsets(uint64_t *offsets, size_t count, size_t rest, size_t longest,
                           uint64_t *seed)
{
    size_t num = 0, end = count > 20 ? (size_t)draw(seed, 20) : 0;
    struct lengths lengths = { .seed = *seed, .most = count };

    offsets[0] = end;
    while (end < count - rest && num < MOST) {
        size_t length = longest == 0                 ? next_length(&lengths)
                        : num % (EMPTY + 50) < EMPTY ? 0
                                                     : draw(seed, longest + 1);
        length = length < count - rest - end ? length : count - rest - end;
        end += length;
        offsets[++num] = end;
    }
    return num;
}

/* Maps, of which `in` has an element for each segment, and sums, whose loads see the
 * segment of each element and its place there. */
static const struct {
    clfold_operation operation;
    clfold_fold fold;
} name_cases[] = {
    { CLFOLD_MAP, { .type = CLFOLD_U64, .load = "in[segment] + rank" } },
    { CLFOLD_MAP, { .type = CLFOLD_U64, .load = "1", .result = "segment * 77 + rank" } },
    { CLFOLD_MAP, { .type = CLFOLD_U64, .load = "segment" } },
    { CLFOLD_MAP, { .type = CLFOLD_U64, .load = "x + i" } },
    { CLFOLD_REDUCE,
      { .op = CLFOLD_ADD, .type = CLFOLD_U64, .load = "x * segment + rank" } },
    { CLFOLD_REDUCE,
      { .op = CLFOLD_ADD,
        .type = CLFOLD_U64,
        .load = "in[i] ^ rank",
        .result = "item + segment" } },
};

static cl_ulong element(size_t i)
{
    return (cl_ulong)i * 13 + 5;
}

static cl_ulong named(size_t c, size_t i, size_t segment, size_t rank)
{
    const cl_ulong values[] = {
        element(segment) + rank, segment * 77 + rank,         segment,
        element(i) + i,          element(i) * segment + rank, element(i) ^ rank
    };

    return values[c];
}

/* Case c on `count` elements of which some are past the last offset; with num_at the call
 * mostly says more segments than there are. */
static void check_names(size_t c, size_t count, size_t longest, clfold_type type,
                        bool num_at, uint64_t seed)
{
    static uint64_t offsets[2 * MOST + 1];
    static cl_uint narrow[2 * MOST + 1];
    static cl_ulong elements[2 * MOST], expected[2 * MOST], found[2 * MOST];
    const bool is_map = name_cases[c].operation == CLFOLD_MAP;
    const size_t num = draw_offsets(offsets, count, count / 7, longest, &seed);
    const size_t more = num_at ? seed % 5 * 70 : 0;
    /* A map's `in` ends with the segments, where its texts do not use x. */
    const size_t num_in = c == 0 ? num + more : count;
    const cl_ulong number[] = { 0, more > 0 ? num : num + seed };
    const bool is_wide = type == CLFOLD_U64;
    clfold_segments segments = { .by = CLFOLD_BY_OFFSETS,
                                 .type = type,
                                 .num = num + more };
    clfold_fold fold = name_cases[c].fold;

    memset(expected, COLOUR, sizeof(expected));
    for (size_t i = 0; i < num_in; ++i) {
        elements[i] = element(i);
    }
    for (size_t s = 0; s <= num + more; ++s) {
        offsets[s] = s > num ? seed % 2 * count : offsets[s];
        narrow[s] = (cl_uint)offsets[s];
    }
    for (size_t s = 0; s < num; ++s) {
        cl_ulong sum = 0;
        for (size_t i = offsets[s]; i < offsets[s + 1]; ++i) {
            sum += named(c, i, s, i - offsets[s]);
            if (is_map) {
                expected[i] = named(c, i, s, i - offsets[s]);
            }
        }
        if (!is_map) {
            expected[s] = sum + (c == 5 ? s : 0);
        }
    }
    cl_mem in = copied_buffer(elements, (num_in > 0 ? num_in : 1) * 8);
    cl_mem out = coloured_buffer(sizeof(expected));
    segments.mem = copied_buffer(is_wide ? (void *)offsets : (void *)narrow,
                                 (num + more + 1) * (is_wide ? 8 : 4));
    segments.num_at =
        (clfold_place){ num_at ? copied_buffer(number, sizeof(number)) : NULL, num_at };
    fold.segments = &segments;
    assert_ok(call_operation(name_cases[c].operation, &fold, in, 0, out, 0, count));
    assert_int_equal(clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, sizeof(found),
                                         found, 0, NULL, NULL),
                     CL_SUCCESS);
    for (size_t i = 0; i < 2 * MOST; ++i) {
        if (found[i] != expected[i]) {
            fail_msg("case %zu, count %zu, %zu segments, result %zu: %llu, not %llu", c,
                     count, num, i, (unsigned long long)found[i],
                     (unsigned long long)expected[i]);
        }
    }
    if (num_at) {
        clReleaseMemObject(segments.num_at.mem);
    }
    clReleaseMemObject(segments.mem);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

static void test_names(void **state)
{
    static const size_t counts[] = { 0, 1, 17, 1000, MOST },
                        lengths[] = { 1, 4, 20, 900, 0, 0 };

    (void)state;
    for (size_t k = 0; k < NUM(name_cases) * NUM_TRIAL_TILES; ++k) {
        const size_t c = k / NUM_TRIAL_TILES, t = k % NUM_TRIAL_TILES;
        if (!policy_has_tile(trial_tiles[t].tile) || (t > 0 && (c + t) % 2) ||
            (name_cases[c].operation == CLFOLD_REDUCE &&
             clfold_platform_miscopies(ctx->caps.facts.platform))) {
            continue;
        }
        clfold_context_override(ctx, &trial_tiles[t]);
        for (size_t i = 0; i < NUM(counts) * NUM(lengths); ++i) {
            check_names(c, counts[i % NUM(counts)], lengths[i / NUM(counts)],
                        c % 2 ? CLFOLD_U32 : CLFOLD_U64, t > 0, k * 100 + i + 1);
        }
        clfold_context_override(ctx, NULL);
    }
}

/* Offsets past the end, of which sums with 16 and more overflow: nothing is written, but
 * that the first one is wrong. */
static void test_far(void **state)
{
    static const uint64_t offsets[] = { UINT64_MAX, UINT64_MAX };
    static unsigned char found[8192];
    cl_mem in = coloured_buffer(8192), out = coloured_buffer(8192);
    cl_mem bad = coloured_buffer(16);
    cl_ulong told[2];
    const clfold_segments segments = { .by = CLFOLD_BY_OFFSETS,
                                       .type = CLFOLD_U64,
                                       .mem = copied_buffer(offsets, sizeof(offsets)),
                                       .num = 1 };
    const clfold_fold fold = {
        .type = CLFOLD_U32, .load = "rank", .segments = &segments, .bad_out = { bad, 0 }
    };

    (void)state;
    for (size_t t = 0; t < NUM_TRIAL_TILES; ++t) {
        if (policy_has_tile(trial_tiles[t].tile)) {
            clfold_context_override(ctx, &trial_tiles[t]);
            assert_ok(call_operation(CLFOLD_MAP, &fold, in, 0, out, 500, 1000));
            assert_int_equal(clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0,
                                                 sizeof(found), found, 0, NULL, NULL),
                             CL_SUCCESS);
            for (size_t i = 0; i < sizeof(found); ++i) {
                assert_int_equal(found[i], COLOUR);
            }
            assert_int_equal(clEnqueueReadBuffer(device.queue, bad, CL_TRUE, 0,
                                                 sizeof(told), told, 0, NULL, NULL),
                             CL_SUCCESS);
            assert_true(told[0] == 0 && told[1] == UINT64_MAX);
        }
    }
    clfold_context_override(ctx, NULL);
    clReleaseMemObject(bad);
    clReleaseMemObject(segments.mem);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* How many segments there are is written behind a gate that opens when all calls are
 * made: none waits for it on the host. */
static void test_unread(void **state)
{
    static const cl_uint offsets[] = { 0, 3, 3, 7, 90, 90, 90 };
    static const cl_ulong three = 3;
    cl_mem mem = copied_buffer(offsets, sizeof(offsets)), in = coloured_buffer(400);
    const clfold_segments segments = { .by = CLFOLD_BY_OFFSETS,
                                       .type = CLFOLD_U32,
                                       .mem = mem,
                                       .num = NUM(offsets) - 1,
                                       .num_at = { coloured_buffer(16), 1 } };
    const clfold_fold folds[] = {
        { .op = CLFOLD_ADD, .type = CLFOLD_U32, .load = "1", .segments = &segments },
        { .type = CLFOLD_U32, .load = "segment + 1", .segments = &segments },
    };
    static const cl_uint expected[][8] = { { 3, 0, 4 }, { 1, 1, 1, 3, 3, 3, 3 } };
    static const size_t num[] = { 3, 7 };
    cl_command_queue queue = device.disorder ? device.disorder : device.queue;
    cl_mem outs[] = { coloured_buffer(800), coloured_buffer(800) };
    cl_event written, done[2];
    cl_int status;
    cl_event gate = clCreateUserEvent(device.context, &status);

    (void)state;
    assert_int_equal(clEnqueueWriteBuffer(queue, segments.num_at.mem, CL_FALSE, 8, 8,
                                          &three, 1, &gate, &written),
                     CL_SUCCESS);
    assert_ok(clfold_reduce(ctx, queue, &folds[0], in, 0, outs[0], 1, 100, 1, &written,
                            &done[0]));
    assert_ok(
        clfold_map(ctx, queue, &folds[1], in, 0, outs[1], 1, 100, 1, &written, &done[1]));
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    for (size_t k = 0; k < 2; ++k) {
        cl_uint found[100], wanted[100];
        memset(wanted, COLOUR, sizeof(wanted));
        memcpy(wanted + 1, expected[k], num[k] * sizeof(cl_uint));
        assert_int_equal(clEnqueueReadBuffer(queue, outs[k], CL_TRUE, 0, sizeof(found),
                                             found, 1, &done[k], NULL),
                         CL_SUCCESS);
        assert_memory_equal(found, wanted, sizeof(found));
        clReleaseEvent(done[k]);
        clReleaseMemObject(outs[k]);
    }
    clReleaseEvent(written);
    clReleaseEvent(gate);
    clReleaseMemObject(segments.num_at.mem);
    clReleaseMemObject(in);
    clReleaseMemObject(mem);
}

/* ---- What is told, and refused ----------------------------------------------------- */

static void test_report(void **state)
{
    clfold_segments segments = { .by = CLFOLD_BY_OFFSETS, .type = CLFOLD_U32, .num = 9 };
    const clfold_fold fold = { .op = CLFOLD_ADD,
                               .type = CLFOLD_F32,
                               .segments = &segments };
    clfold_report report;

    (void)state;
    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &fold, 1 << 20, NULL, &report));
    assert_string_equal(report.algorithm, "reduce_offsets");
    assert_int_equal(report.num_launches, 2);
    assert_non_null(strstr(report.reason, "9 segments by offsets, in "));
    assert_ok(clfold_prepare(ctx, CLFOLD_REDUCE, &fold, 1 << 20, NULL));
    segments = (clfold_segments){ .by = CLFOLD_BY_KEYS, .type = CLFOLD_U16, .num = 7 };
    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &fold, 1 << 20, NULL, &report));
    assert_string_equal(report.algorithm, "reduce_offsets");
    assert_int_equal(report.num_launches, 5);
    assert_true(report.bytes_read >= (1 << 20) * (4 + 2));
    assert_non_null(strstr(report.reason, "up to 7 segments by keys, in "));
    assert_ok(clfold_prepare(ctx, CLFOLD_REDUCE, &fold, 1 << 20, NULL));
}

/* By what is changed of a call that is right. */
static void test_rejected(void **state)
{
    const cl_mem mem = coloured_buffer(4096), out = coloured_buffer(8192),
                 total = coloured_buffer(64), in = coloured_buffer(4096);
    const clfold_part part = { .whole = 100 };
    const struct {
        clfold_fold fold; /* but for its segments */
        size_t num;
        clfold_place num_at;
        clfold_operation operation;
        clfold_status status;
        const char *said;
        uint32_t by; /* 0: offsets */
    } wrong[] = {
#define ADD(...)          { .op = CLFOLD_ADD, .type = CLFOLD_U32, __VA_ARGS__ }
#define SAYS(code, words) .status = CLFOLD_ERROR_##code, .said = (words)
        { ADD(0), 5000, SAYS(RANGE, "results 5000") },
        { ADD(0), 1024, SAYS(RANGE, "segments: mem holds 1024 elements") },
        { ADD(0),
          3,
          { out, 1 },
          SAYS(OVERLAP, "out, bytes 0 to 11, overlaps segments: num_at") },
        { ADD(0), 3, { mem, 512 }, SAYS(RANGE, "segments: num_at holds 512 elements") },
        { ADD(0), 3, { mem, SIZE_MAX }, SAYS(RANGE, "num_at.offset 1844") },
        { ADD(0),
          3,
          { NULL, 2 },
          SAYS(ARGUMENT, "num_at: mem is NULL, but offset is 2") },
        { ADD(.total_out = { total, 0 }),
          3,
          { total, 0 },
          .operation = CLFOLD_INCLUSIVE_SCAN,
          SAYS(OVERLAP, "total_out, bytes") },
        { { .op = CLFOLD_ARG_MIN, .type = CLFOLD_U32 },
          3,
          SAYS(ARGUMENT, "may be empty, and arg-min has neither") },
        { ADD(.result = "rank"), 3, SAYS(ARGUMENT, "result uses rank") },
        { ADD(.bad_out = { mem, 0 }), 3, SAYS(OVERLAP, "bad_out, bytes 0 to 15, over") },
        { ADD(.algorithm = "reduce_tiles"), 3,
          SAYS(UNSUPPORTED, "\"reduce_tiles\" does not take segments by offsets") },
        { ADD(.algorithm = "reduce_lanes"), 3,
          SAYS(UNSUPPORTED, "\"reduce_lanes\" does not take segments by offsets") },
        { ADD(.part = &part), 3, SAYS(UNSUPPORTED, "a reduction of segments has none") },
        { { .type = CLFOLD_U32, .part = &part },
          3,
          .operation = CLFOLD_MAP,
          SAYS(UNSUPPORTED, "a map by offsets has none") },
        { { .type = CLFOLD_U32, .bad_out = { out, 0 } },
          3,
          .operation = CLFOLD_MAP,
          SAYS(OVERLAP, "bad_out, bytes 0 to 15, overlaps out") },
        { { .type = CLFOLD_U32, .load = "in[segment]" },
          1025,
          .operation = CLFOLD_MAP,
          SAYS(RANGE, "in holds 1024 elements of u32, but in_offset 0 + segments 1025") },
#define KEYS  .by = CLFOLD_BY_KEYS
#define FLAGS .by = CLFOLD_BY_FLAGS
        { ADD(.num_out = { mem, 0 }), KEYS, SAYS(OVERLAP, "num_out, bytes 0 to 7") },
        { ADD(.num_out = { out, 3 }), KEYS, SAYS(OVERLAP, "num_out, bytes 24 to 31") },
        { ADD(.num_out = { total, 8 }), KEYS, SAYS(RANGE, "num_out holds 8 elements") },
        { ADD(.num_out = { NULL, 8 }), KEYS, SAYS(ARGUMENT, "num_out: mem is NULL") },
        { ADD(.keys_out = { in, 0 }), KEYS, SAYS(OVERLAP, "keys_out, bytes 0 to 399") },
        { ADD(.keys_out = { mem, 0 }), KEYS, SAYS(OVERLAP, "keys_out, bytes 0 to 399") },
        { ADD(.keys_out = { out, 8 }), 9, KEYS, SAYS(OVERLAP, "keys_out") },
        { ADD(.keys_out = { total, 8 }), 9, KEYS,
          SAYS(RANGE,
               "keys_out holds 16 elements of u32, but keys_out.offset 8 + results") },
        { ADD(.keys_out = { NULL, 1 }), KEYS, SAYS(ARGUMENT, "keys_out: mem is NULL") },
        { ADD(.keys_out = { total, 0 }), FLAGS,
          SAYS(ARGUMENT, "not a reduction by keys") },
        { ADD(.keys_out = { total, 0 }), 3, SAYS(ARGUMENT, "not a reduction by keys") },
        { ADD(.keys_out = { total, 0 }), .operation = CLFOLD_INCLUSIVE_SCAN, KEYS,
          SAYS(ARGUMENT, "not a reduction by keys") },
        { ADD(.keys_out = { total, 0 }, .num_out = { total, 1 }), 9, KEYS,
          SAYS(OVERLAP, "num_out") },
        { ADD(.keys_out = { total, 0 }, .lengths_out = { total, 1 }), 5, KEYS,
          SAYS(OVERLAP, "lengths_out") },
        { ADD(.lengths_out = { out, 1 }), 9, FLAGS, SAYS(OVERLAP, "lengths_out") },
        { ADD(.lengths_out = { total, 0 }), FLAGS,
          SAYS(RANGE, "lengths_out holds 8 elements of u64") },
        { ADD(.lengths_out = { total, 0 }), 3,
          SAYS(ARGUMENT, "lengths_out is given, but the operation is a reduction") },
        { ADD(.rest_out = { total, 0 }), KEYS, SAYS(ARGUMENT, "rest_out is given") },
        { ADD(.total_out = { total, 0 }), KEYS, SAYS(ARGUMENT, "only for scans") },
        { ADD(.bad_out = { total, 0 }), KEYS, SAYS(ARGUMENT, "no segments by offsets") },
        { ADD(.keep = "x"), KEYS, SAYS(ARGUMENT, "keep is given") },
        { ADD(.equal = "a == b"), FLAGS, SAYS(ARGUMENT, "no segments by keys") },
        { ADD(0), SIZE_MAX, FLAGS, SAYS(RANGE, "num 18446744073709551615 overflows") },
        { ADD(0), 3, { total, 0 }, FLAGS, SAYS(ARGUMENT, "num_at is given") },
        { ADD(.init_at = { out, 99 }), KEYS, SAYS(OVERLAP, "init_at") },
        { ADD(.load = "segment"), KEYS, SAYS(ARGUMENT, "segments by keys do not have") },
        { ADD(.part = &part), KEYS,
          SAYS(UNSUPPORTED, "a reduction of segments has none") },
        { ADD(.algorithm = "reduce_tiles"), KEYS,
          SAYS(UNSUPPORTED, "does not take segments by keys") },
        { ADD(.algorithm = "serial"), FLAGS, SAYS(UNSUPPORTED, "\"serial\"") },
        { { .type = CLFOLD_U32 },
          .operation = CLFOLD_MAP,
          KEYS,
          SAYS(UNSUPPORTED, "those by keys are for scans") },
    };

    (void)state;
    for (size_t i = 0; i < NUM(wrong); ++i) {
        const uint32_t by = wrong[i].by ? wrong[i].by : CLFOLD_BY_OFFSETS;
        const clfold_segments segments = { .by = by,
                                           .type = CLFOLD_U32,
                                           .mem = mem,
                                           .num = wrong[i].num,
                                           .num_at = wrong[i].num_at };
        clfold_fold fold = wrong[i].fold;
        fold.segments = &segments;
        assert_refused(
            call_operation(wrong[i].operation ? wrong[i].operation : CLFOLD_REDUCE, &fold,
                           in, 0, out, 0, 100),
            wrong[i].status, wrong[i].said);
    }
    clReleaseMemObject(in);
    clReleaseMemObject(mem);
    clReleaseMemObject(out);
    clReleaseMemObject(total);
}

TEST_MAIN("offsets", open_context, close_context, cmocka_unit_test(test_all_operators),
          cmocka_unit_test(test_all_texts), cmocka_unit_test(test_accuracies),
          cmocka_unit_test(test_bits), cmocka_unit_test(test_names),
          cmocka_unit_test(test_far), cmocka_unit_test(test_unread),
          cmocka_unit_test(test_report), cmocka_unit_test(test_rejected))
