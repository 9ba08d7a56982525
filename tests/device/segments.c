/*
 * Rows and columns of built-in operators, by every algorithm on every tile, against the
 * oracle's fold of each. Operators of the caller's: user_folds.c. What a call rejects:
 * test_rejected, here.
 */
#include "one_context.h"
#include "oracle.h"
#include "test.h"

#include "base/platform.h"
#include "ops/context.h"
#include "ops/internal.h"

#define MOST 6000
#define ZONE 16 /* elements on either side */

static unsigned char elements[(MOST + 2 * ZONE) * 8], row[MOST * 8];
static unsigned char expected[(MOST + 1) * MAX_RESULT],
    found[(MOST + 2 * ZONE) * MAX_RESULT];

static uint64_t seed;

struct trial {
    clfold_op op;
    struct pair pair;
    size_t count, width, length, in_offset, out_offset;
    const char *algorithm;
    enum tile_kind tile;
};

static size_t num_segments(const struct trial *trial)
{
    return (trial->count + trial->length - 1) / trial->length;
}

/* Elements of segment s; the last row may be short. */
static size_t gather(const struct trial *trial, size_t s, size_t *first)
{
    const size_t size = size_of(trial->pair.in);
    size_t length = trial->length;

    *first = s / trial->width * trial->width * length + s % trial->width;
    if (trial->width == 1 && trial->count - *first < length) {
        length = trial->count - *first;
    }
    for (size_t i = 0; i < length; ++i) {
        memcpy(row + i * size,
               elements + (trial->in_offset + *first + i * trial->width) * size, size);
    }
    return length;
}

/* The index of an arg-value counts from in_offset, not in its segment. */
static void move_index(const struct trial *trial, size_t first, unsigned char *result)
{
    for (size_t at = 0;
         is_arg(trial->op) && at < result_size(trial->op, trial->pair.type);
         at += sizeof(clfold_arg_value)) {
        clfold_arg_value value;
        memcpy(&value, result + at, sizeof(value));
        value.index = first + value.index * trial->width;
        memcpy(result + at, &value, sizeof(value));
    }
}

static clfold_segments segments_of(const struct trial *trial)
{
    return trial->width == 1
               ? (clfold_segments){ .by = CLFOLD_BY_LENGTH, .num = trial->length }
               : (clfold_segments){ .by = CLFOLD_BY_STRIDE,
                                    .num = trial->width,
                                    .length = trial->length };
}

/* Each third input offset has an init from the host, each fourth one in device memory. An
 * index would take part in ties. */
static bool has_init(const struct trial *trial)
{
    return trial->in_offset >= 3 && !is_arg(trial->op);
}

/* `places` holds results: the last of ZONE has init, where it is not the host's. */
static void set_init(const struct trial *trial, clfold_fold *fold, cl_mem places,
                     const unsigned char init[MAX_RESULT])
{
    const size_t result = result_size(trial->op, trial->pair.type);

    if (has_init(trial) && trial->in_offset == 3) {
        fold->init = init;
        fold->init_size = result;
    } else if (has_init(trial)) {
        fold->init_at = (clfold_place){ places, ZONE - 1 };
        assert_int_equal(clEnqueueWriteBuffer(device.queue, places, CL_TRUE,
                                              (ZONE - 1) * result, result, init, 0, NULL,
                                              NULL),
                         CL_SUCCESS);
    }
}

static void read_back(cl_mem mem, void *to, size_t size)
{
    assert_int_equal(
        clEnqueueReadBuffer(device.queue, mem, CL_TRUE, 0, size, to, 0, NULL, NULL),
        CL_SUCCESS);
}

/* The input is as it was, but for results in place. */
static void check_in(cl_mem in, size_t size)
{
    static unsigned char now[sizeof(elements)];

    read_back(in, now, size);
    assert_memory_equal(now, elements, size);
}

static void check_reduce(const struct trial *trial)
{
    const size_t size = size_of(trial->pair.in);
    const size_t result = result_size(trial->op, trial->pair.type);
    const size_t num = num_segments(trial), room = num + 2 * ZONE;
    const clfold_segments segments = segments_of(trial);
    clfold_fold fold = { .op = trial->op,
                         .in = trial->pair.in,
                         .type = trial->pair.type,
                         .segments = &segments,
                         .algorithm = trial->algorithm };
    unsigned char init[MAX_RESULT];
    cl_mem in, out, places = coloured_buffer(ZONE * MAX_RESULT);

    poison_fold(elements, trial->op, trial->pair, trial->count + 2 * ZONE);
    fill_fold(elements + trial->in_offset * size, trial->op, trial->pair, trial->count, 0,
              ++seed);
    fill_init(init, trial->op, trial->pair, elements, 1, seed);
    set_init(trial, &fold, places, init);
    in = copied_buffer(elements, (trial->count + 2 * ZONE) * size);
    out = coloured_buffer(room * result);
    assert_ok(clfold_reduce(ctx, device.queue, &fold, in, trial->in_offset, out,
                            trial->out_offset, trial->count, 0, NULL, NULL));
    read_back(out, found, room * result);
    check_in(in, (trial->count + 2 * ZONE) * size);
    for (size_t i = 0; i < room * result; ++i) {
        if ((i < trial->out_offset * result || i >= (trial->out_offset + num) * result) &&
            found[i] != COLOUR) {
            fail_msg("byte %zu outside of the output was written", i);
        }
    }
    for (size_t s = 0; s < num; ++s) {
        const unsigned char *at = found + (trial->out_offset + s) * result;
        size_t first, length = gather(trial, s, &first);
        char texts[2][128];
        assert_true(oracle_fold(trial->op, trial->pair, row, length,
                                has_init(trial) ? init : NULL, expected, NULL));
        move_index(trial, first, expected);
        if (!same_result(trial->op, trial->pair.type, expected, at)) {
            print_result(trial->op, trial->pair.type, expected, texts[0], 128);
            print_result(trial->op, trial->pair.type, at, texts[1], 128);
            fail_msg(
                "%s of %s into %s, %zu elements, %zu by %zu, by %s, tile %d, from %zu "
                "to %zu: result %zu is %s, not %s",
                name_of_op(trial->op), name_of(trial->pair.in), name_of(trial->pair.type),
                trial->count, trial->length, trial->width,
                trial->algorithm ? trial->algorithm : "policy", trial->tile,
                trial->in_offset, trial->out_offset, s, texts[1], texts[0]);
        }
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(places);
}

/* An inclusive and an exclusive scan, one of them in place, with the total. */
static void check_scan(const struct trial *trial)
{
    const size_t size = size_of(trial->pair.in);
    const size_t result = result_size(trial->op, trial->pair.type);
    const size_t num = num_segments(trial), room = trial->count + 2 * ZONE;
    const clfold_segments segments = segments_of(trial);
    unsigned char totals[ZONE * MAX_RESULT], init[MAX_RESULT];
    bool exclusive = trial->out_offset == 1 && !is_arg(trial->op);
    bool in_place = trial->out_offset == 2 && size == result;
    size_t out_offset = in_place ? trial->in_offset : trial->out_offset;
    clfold_fold fold = { .op = trial->op,
                         .in = trial->pair.in,
                         .type = trial->pair.type,
                         .segments = &segments,
                         .algorithm = trial->algorithm };
    cl_mem in, out, places = coloured_buffer(sizeof(totals));

    poison_fold(elements, trial->op, trial->pair, room);
    fill_fold(elements + trial->in_offset * size, trial->op, trial->pair, trial->count, 0,
              ++seed);
    fill_init(init, trial->op, trial->pair, elements, 1, seed);
    set_init(trial, &fold, places, init);
    fold.total_at = (clfold_place){ places, 1 };
    in = copied_buffer(elements, room * size);
    out = in_place ? in : coloured_buffer(room * result);
    assert_ok((exclusive ? clfold_exclusive_scan : clfold_inclusive_scan)(
        ctx, device.queue, &fold, in, trial->in_offset, out, out_offset, trial->count, 0,
        NULL, NULL));
    read_back(out, found, room * result);
    read_back(places, totals, sizeof(totals));
    if (!in_place) {
        check_in(in, room * size);
    }
    for (size_t i = 0; i < (ZONE - 1) * result; ++i) {
        if (i / result != 1 && totals[i] != COLOUR) {
            fail_msg("byte %zu beside the total was written", i);
        }
    }
    for (size_t i = 0; i < room * result; ++i) {
        bool is_output =
            i >= out_offset * result && i < (out_offset + trial->count) * result;
        if (!is_output && found[i] != (in_place ? elements[i] : COLOUR)) {
            fail_msg("byte %zu outside of the output was written", i);
        }
    }
    for (size_t s = 0; s < num; ++s) {
        size_t first, length = gather(trial, s, &first);
        unsigned char last[MAX_RESULT];
        assert_true(oracle_scan(trial->op, trial->pair, exclusive, row, length,
                                has_init(trial) ? init : NULL, expected, last, NULL));
        for (size_t i = 0; i <= length; ++i) {
            unsigned char *want = i < length ? expected + i * result : last;
            const unsigned char *at =
                i < length ? found + (out_offset + first + i * trial->width) * result
                           : totals + result;
            char texts[2][128];
            move_index(trial, first, want);
            if ((i == length && s + 1 < num) ||
                same_result(trial->op, trial->pair.type, want, at)) {
                continue;
            }
            print_result(trial->op, trial->pair.type, want, texts[0], 128);
            print_result(trial->op, trial->pair.type, at, texts[1], 128);
            fail_msg(
                "%s scan of %s, %s into %s, %zu elements, %zu by %zu, by %s, tile %d, "
                "from %zu to %zu%s%s: item %zu of segment %zu is %s, not %s",
                exclusive ? "exclusive" : "inclusive", name_of_op(trial->op),
                name_of(trial->pair.in), name_of(trial->pair.type), trial->count,
                trial->length, trial->width,
                trial->algorithm ? trial->algorithm : "policy", trial->tile,
                trial->in_offset, out_offset, in_place ? ", in place" : "",
                has_init(trial) ? ", with init" : "", i, s, texts[1], texts[0]);
        }
    }
    clReleaseMemObject(in);
    clReleaseMemObject(places);
    if (!in_place) {
        clReleaseMemObject(out);
    }
}

/* ---- All of them ------------------------------------------------------------------- */

static const struct debug tiles[] = {
    { 0 },
    { .tile = TILE_VECTOR, .tile_elements = 64, .max_groups = 5 },
    { .tile = TILE_ITEM, .tile_elements = 50, .max_groups = 5 },
    { .tile = TILE_GROUP, .tile_elements = 64, .group_size = 8, .max_groups = 4 },
};
#define NUM_TILES (sizeof(tiles) / sizeof(tiles[0]))

static const struct {
    clfold_op op;
    struct pair pair;
} folds[] = {
    { CLFOLD_ADD, { CLFOLD_F32, CLFOLD_F32 } },
    { CLFOLD_ADD, { CLFOLD_U8, CLFOLD_U64 } },
    { CLFOLD_ARG_MIN, { CLFOLD_F32, CLFOLD_F32 } },
    { CLFOLD_MIN_MAX, { CLFOLD_I16, CLFOLD_I16 } },
    { CLFOLD_MAX, { CLFOLD_F32, CLFOLD_F32 } },
    { CLFOLD_ARG_MIN_MAX, { CLFOLD_I64, CLFOLD_I64 } },
    { CLFOLD_LOGICAL_OR, { CLFOLD_I8, CLFOLD_U32 } },
};
#define NUM_FOLDS (sizeof(folds) / sizeof(folds[0]))

/* Boundaries of vectors, tiles, bundles and runs; of lengths and of numbers. */
static const size_t sizes[] = {
    1, 2, 3, 4, 5, 15, 16, 17, 48, 63, 64, 65, 127, 257, 1009
};
#define NUM_SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void check_sizes(struct trial trial, void (*check)(const struct trial *trial))
{
    for (size_t i = 0; i < NUM_SIZES * NUM_SIZES; ++i) {
        const size_t length = sizes[i % NUM_SIZES], num = sizes[i / NUM_SIZES];
        if (length * num > MOST) {
            continue;
        }
        trial.in_offset = i % 5;
        trial.out_offset = i % 3;
        trial.length = length;
        /* Rows, the last of which may be short; columns, in one block or two. */
        trial.width = 1;
        trial.count = length * num - (length > 1 ? i % (length - 1) : 0);
        check(&trial);
        if (trial.algorithm && strstr(trial.algorithm, "rows")) {
            continue;
        }
        trial.width = num;
        trial.count = length * num * (length * num * 2 > MOST ? 1 : 1 + i % 2);
        if (num > 1) {
            check(&trial);
        }
    }
}

static void check_all(const char *const algorithms[3],
                      void (*check)(const struct trial *trial))
{
    for (size_t f = 0; f < NUM_FOLDS; ++f) {
        for (size_t t = 0; t < NUM_TILES; ++t) {
            if (!policy_has_tile(tiles[t].tile) ||
                (tiles[t].tile == TILE_VECTOR &&
                 clfold_platform_miscopies(ctx->caps.facts.platform))) {
                continue; /* lanes are no vectors there */
            }
            clfold_context_override(ctx, t > 0 ? &tiles[t] : NULL);
            for (size_t a = 0; a < 3; ++a) {
                struct trial trial = { .op = folds[f].op,
                                       .pair = folds[f].pair,
                                       .algorithm = algorithms[a],
                                       .tile = tiles[t].tile };
                /* Builds take most of the time. */
                if ((f < 3 && t > 0) || (f + t) % 3 == a) {
                    check_sizes(trial, check);
                }
            }
        }
    }
    clfold_context_override(ctx, NULL);
}

static void test_reduce(void **state)
{
    const char *const algorithms[] = { NULL, "reduce_lanes", "reduce_rows" };

    (void)state;
    check_all(algorithms, check_reduce);
}

static void test_scan(void **state)
{
    const char *const algorithms[] = { NULL, "scan_lanes", "scan_rows" };

    (void)state;
    check_all(algorithms, check_scan);
}

/* ---- What is rejected -------------------------------------------------------------- */

static void test_rejected(void **state)
{
    cl_int status;
    cl_mem mem = clCreateBuffer(device.context, CL_MEM_READ_WRITE, 4000, NULL, &status);
    const struct {
        clfold_segments segments;
        size_t count;
        clfold_status status;
        const char *words;
    } cases[] = {
        { { .by = 0, .num = 3 }, 12, CLFOLD_ERROR_ARGUMENT, "by 0" },
        { { .by = 6, .num = 3 }, 12, CLFOLD_ERROR_ARGUMENT, "by 6" },
        { { .by = CLFOLD_BY_FLAGS, .num = 3 }, 12, CLFOLD_ERROR_UNSUPPORTED, "BY_FLAGS" },
        { { .by = CLFOLD_BY_KEYS, .num = 3 }, 12, CLFOLD_ERROR_UNSUPPORTED, "BY_KEYS" },
        { { .by = CLFOLD_BY_OFFSETS }, 12, CLFOLD_ERROR_UNSUPPORTED, "BY_OFFSETS" },
        { { .by = CLFOLD_BY_LENGTH }, 12, CLFOLD_ERROR_ARGUMENT, "num is 0" },
        { { .by = CLFOLD_BY_LENGTH, .num = 3, .length = 2 },
          12,
          CLFOLD_ERROR_ARGUMENT,
          "length is 2" },
        { { .by = CLFOLD_BY_STRIDE, .length = 3 },
          12,
          CLFOLD_ERROR_ARGUMENT,
          "num is 0" },
        { { .by = CLFOLD_BY_STRIDE, .num = 3 },
          12,
          CLFOLD_ERROR_ARGUMENT,
          "length is 0" },
        { { .by = CLFOLD_BY_STRIDE, .num = 3, .length = 5 },
          12,
          CLFOLD_ERROR_ARGUMENT,
          "count 12 is not a multiple" },
        { { .by = CLFOLD_BY_STRIDE, .num = SIZE_MAX, .length = SIZE_MAX },
          12,
          CLFOLD_ERROR_ARGUMENT,
          "count 12 is not a multiple" },
        { { .by = CLFOLD_BY_LENGTH, .num = 3, .type = CLFOLD_U32 },
          12,
          CLFOLD_ERROR_ARGUMENT,
          "type 6" },
        { { .by = CLFOLD_BY_LENGTH, .num = 3, .mem = mem },
          12,
          CLFOLD_ERROR_ARGUMENT,
          "mem" },
        { { .by = CLFOLD_BY_LENGTH, .num = 3, .offset = 7 },
          12,
          CLFOLD_ERROR_ARGUMENT,
          "offset 7" },
        { { .by = CLFOLD_BY_LENGTH, .num = 3, .num_at = { mem, 0 } },
          12,
          CLFOLD_ERROR_UNSUPPORTED,
          "num_at" },
        { { .by = CLFOLD_BY_LENGTH, .num = 3, .keys_out = { mem, 0 } },
          12,
          CLFOLD_ERROR_UNSUPPORTED,
          "keys_out" },
        { { .by = CLFOLD_BY_LENGTH, .num = 3, .lengths_out = { mem, 0 } },
          12,
          CLFOLD_ERROR_UNSUPPORTED,
          "lengths_out" },
        { { .by = CLFOLD_BY_LENGTH, .num = 3, .num_out = { NULL, 1 } },
          12,
          CLFOLD_ERROR_UNSUPPORTED,
          "num_out" },
        { { .by = CLFOLD_BY_LENGTH, .num = 3, .reserved = { 0, 1 } },
          12,
          CLFOLD_ERROR_ARGUMENT,
          "segments: reserved[1]" },
        /* 500 results of the input's first half would overwrite its second. */
        { { .by = CLFOLD_BY_LENGTH, .num = 1 }, 500, CLFOLD_ERROR_OVERLAP, "overlaps" },
        { { .by = CLFOLD_BY_LENGTH, .num = 1 }, 1000, CLFOLD_ERROR_RANGE, "out" },
    };
    const clfold_segments columns = { .by = CLFOLD_BY_STRIDE, .num = 3, .length = 4 };
    clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_U32 };
    cl_uint result;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        fold.segments = &cases[i].segments;
        assert_refused(clfold_reduce(ctx, device.queue, &fold, mem, 0, mem, 400,
                                     cases[i].count, 0, NULL, NULL),
                       cases[i].status, cases[i].words);
    }
    fold.segments = &columns;
    fold.algorithm = "reduce_rows";
    assert_refused(
        clfold_reduce(ctx, device.queue, &fold, mem, 0, mem, 400, 12, 0, NULL, NULL),
        CLFOLD_ERROR_UNSUPPORTED, "takes rows");
    fold.algorithm = "reduce_tiles";
    assert_refused(
        clfold_reduce(ctx, device.queue, &fold, mem, 0, mem, 400, 12, 0, NULL, NULL),
        CLFOLD_ERROR_UNSUPPORTED, "reduce_tiles");
    fold.algorithm = NULL;
    /* The first result would overwrite what other segments read. */
    assert_refused(
        clfold_reduce(ctx, device.queue, &fold, mem, 0, mem, 0, 12, 0, NULL, NULL),
        CLFOLD_ERROR_OVERLAP, "out");
    fold.init_at = (clfold_place){ mem, 401 };
    assert_refused(
        clfold_reduce(ctx, device.queue, &fold, mem, 0, mem, 400, 12, 0, NULL, NULL),
        CLFOLD_ERROR_OVERLAP, "init_at");
    fold.init_at = (clfold_place){ NULL, 0 };
    /* A total is the last segment's, and init is every segment's. */
    fold.total_at = fold.init_at = (clfold_place){ mem, 900 };
    assert_refused(clfold_inclusive_scan(ctx, device.queue, &fold, mem, 0, mem, 400, 12,
                                         0, NULL, NULL),
                   CLFOLD_ERROR_OVERLAP, "total_at");
    fold.segments = NULL;
    assert_ok(clfold_inclusive_scan(ctx, device.queue, &fold, mem, 0, mem, 400, 12, 0,
                                    NULL, NULL));
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    fold.segments = &columns;
    fold.total_at = (clfold_place){ mem, 411 };
    assert_refused(clfold_inclusive_scan(ctx, device.queue, &fold, mem, 0, mem, 400, 12,
                                         0, NULL, NULL),
                   CLFOLD_ERROR_OVERLAP, "total_at");
    fold.total_at = fold.init_at = (clfold_place){ NULL, 0 };
    assert_refused(
        clfold_reduce_host(ctx, device.queue, &fold, mem, 0, 12, &result, sizeof(result)),
        CLFOLD_ERROR_UNSUPPORTED, "segments");
    /* No segment has no result, so none needs an identity. */
    fold.op = CLFOLD_ARG_MIN;
    assert_ok(
        clfold_reduce(ctx, device.queue, &fold, NULL, 0, NULL, 0, 0, 0, NULL, NULL));
    clReleaseMemObject(mem);
}

/* ---- Ahead of time ----------------------------------------------------------------- */

/* A call after clfold_prepare builds nothing and needs no more scratch, also on fewer
 * elements; explain says what it does. */
static void test_prepare(void **state)
{
    static const struct {
        clfold_segments segments;
        const char *words; /* of the reason */
    } all[] = {
        /* First, as no other builds then what its short rows take. */
        { { .by = CLFOLD_BY_LENGTH, .num = 5000 }, "row" },
        { { .by = CLFOLD_BY_LENGTH, .num = 3 }, "row" },
        { { .by = CLFOLD_BY_STRIDE, .num = 2, .length = 5000 }, "column" },
    };
    cl_mem in = coloured_buffer(40000), out = coloured_buffer(40000);

    (void)state;
    for (size_t i = 0; i < 9; ++i) {
        const clfold_operation o = CLFOLD_REDUCE + (clfold_operation)(i / 3);
        const clfold_fold fold = { .op = CLFOLD_ADD,
                                   .type = CLFOLD_I32,
                                   .segments = &all[i % 3].segments };
        const bool is_scan = o != CLFOLD_REDUCE;
        clfold_stats before, after;
        clfold_report report;
        /* Nothing is left of other calls. */
        assert_int_equal(clFinish(device.queue), CL_SUCCESS);
        clfold_context_trim(ctx);
        assert_ok(clfold_prepare(ctx, o, &fold, 10000, NULL));
        assert_ok(clfold_context_stats(ctx, &before));
        /* Columns come as a whole. */
        for (size_t count = 10000; count > 0; count = i % 3 == 2 ? 0 : count / 10) {
            assert_ok(call_operation(o, &fold, in, 0, out, 0, count));
        }
        assert_ok(clfold_context_stats(ctx, &after));
        assert_int_equal(before.builds, after.builds);
        assert_int_equal(before.disk_hits, after.disk_hits);
        assert_int_equal(before.scratch_bytes, after.scratch_bytes);
        assert_ok(clfold_explain(ctx, o, &fold, 10000, NULL, &report));
        assert_true(report.bytes_read >= 40000);
        assert_true(report.bytes_written >= (is_scan ? 40000 : 4));
        assert_memory_equal(report.algorithm, is_scan ? "scan_" : "reduce_", 5);
        assert_non_null(strstr(report.reason, all[i % 3].words));
        assert_true(report.num_launches == 1 || report.scratch_bytes > 0);
    }
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_rejected),
        cmocka_unit_test(test_prepare),
    };

    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests_name("segments", tests, open_context, close_context);
}
