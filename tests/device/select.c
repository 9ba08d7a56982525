/*
 * Selects against a serial loop on the host, see select_trial.h: every load and result of
 * the texts that other tests have, every type, conditions on all that a text sees; tiles,
 * algorithms, sizes, offsets, shares that are kept; and what is rejected.
 */
#include "every_fold.h"
#include "lookback.h"
#include "select_trial.h"
#include "subjects_of_text.h"
#include "test.h"

#define NUM(list) (sizeof(list) / sizeof((list)[0]))

static void check(const struct select_trial *trial)
{
    char why[1024];

    if (select_trial_run(trial, why, sizeof(why)) == TRIAL_WRONG) {
        fail_msg("%s", why);
    }
}

/* One program of a fold and a tile, and calls of many kinds. What fits into a tile would
 * take another program, that of a single group. */
static void check_many(struct select_trial trial, size_t turn)
{
    static const size_t counts[] = { 4900, 1009, 191, 113, 112, 111, 101, 100, 99, 97,
                                     96,   49,   48,  47,  17,  16,  15,  1,   0 };
    static const cl_ulong levels[] = { 128, 3, 256, 250, 0 };
    const bool may_fit =
        !trial.algorithm || strcmp(trial.algorithm, "scan_single_group") == 0;

    trial.seed = turn + 1;
    trial.count_at = turn / 2 % 2;
    for (size_t c = 0; c < NUM(counts); ++c) {
        trial.count = counts[c];
        trial.level = levels[(c + turn) % NUM(levels)];
        trial.in_offset = draw(&trial.seed, 3);
        trial.out_offset = draw(&trial.seed, 20);
        trial.disorder = draw(&trial.seed, 4) == 0;
        trial.spare = trial.count_at ? draw(&trial.seed, 3) * draw(&trial.seed, 50) : 0;
        trial.first = !trial.count_at && trial.seed % 2 ? 1000 + trial.in_offset : 0;
        trial.rest = trial.seed % 3 > 0;
        trial.lengths = trial.seed % 4 > 0;
        trial.init = trial.seed % 5 > 2;
        if (may_fit || counts[c] + trial.spare > trial.plan.tile_elements) {
            check(&trial);
        }
    }
}

/* A fold in vectors, which compile the texts at both widths, and on another tile, which
 * folds without vectors always take; by each algorithm in turn. */
static void check_tiles(const struct subject *subject, struct condition condition,
                        bool in_vectors, bool on_other, size_t turn)
{
    static const char *const algorithms[] = { "scan_lookback", "reduce_then_scan",
                                              "scan_single_group", "scan_chained" };
    const struct debug *vector = &trial_tiles[1], *other = &trial_tiles[2 + turn % 2];
    struct select_trial trial = { .subject = subject, .condition = condition };
    const bool has_vectors = subject_runs_on(subject, vector);

    if (in_vectors && has_vectors && device_takes(&device, turn)) {
        trial.plan = *vector;
        trial.algorithm = algorithms[turn % 4];
        check_many(trial, turn);
    }
    if ((on_other || !has_vectors) && subject_runs_on(subject, other) &&
        device_takes(&device, turn + 1)) {
        trial.plan = *other;
        trial.algorithm = algorithms[(turn / 2 + 1) % 4];
        check_many(trial, turn + 1);
    }
}

/* ---- Folds ------------------------------------------------------------------------- */

/* Elements as they are. */
static void test_all_types(void **state)
{
    (void)state;
    for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; ++type) {
        const struct subject plain = {
            .fold = { .name = name_of(type), .type = type },
            .size = size_of(type),
            .most = UINT32_MAX,
        };
        if (device_has(&device, type)) {
            check_tiles(&plain, keep_by_index, true, true, type);
        }
    }
}

/* Folds that are maps without their operator, or scans with it, one in two; their stores
 * know no place. */
static void check_subjects(const struct subject *s, struct condition condition,
                           size_t turn)
{
    for (; s->size > 0; ++s, ++turn) {
        const bool fits =
            condition.scans ? s->combine != NULL : s->fold.op <= CLFOLD_LOGICAL_OR;
        if (fits && !s->place && turn % 2) {
            check_tiles(s, condition, turn % 4 == 1, turn % 4 == 3, turn / 2);
        }
    }
}

static void test_all_texts(void **state)
{
    (void)state;
    subject_args_init();
    check_subjects(load_subjects, keep_by_index, 100);
    check_subjects(result_subjects, keep_by_index, 203);
    subject_args_finish();
}

static void test_scans(void **state)
{
    (void)state;
    subject_args_init();
    check_subjects(operator_subjects, scan_by_index, 301);
    check_subjects(load_subjects, scan_by_index, 403);
    check_subjects(result_subjects, scan_by_index, 500);
    subject_args_finish();
}

/* ---- Conditions -------------------------------------------------------------------- */

static bool above_2(const unsigned char *e, size_t i, size_t n)
{
    (void)n;
    return f32_of(e, i) > 2;
}

static bool is_odd(const unsigned char *e, size_t i, size_t n)
{
    (void)n;
    return e[i] & 1;
}

static bool is_some(const unsigned char *e, size_t i, size_t n)
{
    (void)n;
    return u32_of(e, i) != 0;
}

static bool is_sum_even(const unsigned char *e, size_t i, size_t n)
{
    return (u32_of(e, 2 * i) + u32_of(e, 2 * i + 1) + n) % 2 == 0;
}

static bool is_long(const unsigned char *e, size_t i, size_t n)
{
    (void)n;
    return u32_of(e, 4 * i) < u32_of(e, 4 * i + 3);
}

static bool rises(const unsigned char *e, size_t i, size_t n)
{
    (void)n;
    return i == 0 || u32_of(e, i - 1) < u32_of(e, i);
}

static bool is_above_y(const unsigned char *e, size_t i, size_t n)
{
    (void)n;
    return f32_of(e, i) > stream_y[STREAM_LAG + i];
}

static bool is_large(const unsigned char *e, size_t i, size_t n)
{
    (void)n;
    return u32_of(e, i) % 16 > 5;
}

LOAD(load_quotient, cl_uint, u32_of(e, i));
LOAD(load_i, cl_ulong, i);
LOAD(load_sixteenth, cl_uint, u32_of(e, i) % 16);
WRITE(write_quotient, cl_uint, 1000000 / u32_of(item, 0));

static const struct subject floats = { FOLD(.name = "floats", .type = CLFOLD_F32),
                                       .size = 4, .most = 4, .is_real = true };
static const struct subject bytes = { FOLD(.name = "bytes", .type = CLFOLD_U8), .size = 1,
                                      BYTES };
static const struct subject words = { FOLD(.name = "words", .type = CLFOLD_U32),
                                      .size = 4, .most = 7 };
static const struct subject indices = { FOLD(.name = "indices", .type = CLFOLD_U64,
                                             .in = CLFOLD_F32, .load = "i"),
                                        .size = 8,
                                        .in_size = 4,
                                        .most = 4,
                                        .is_real = true,
                                        .load = load_i };
static const struct subject quotients = { FOLD(.name = "quotients", .type = CLFOLD_U32,
                                               .result = "1000000 / item",
                                               .flags = CLFOLD_PARTIAL),
                                          .size = 4, .most = 3, .load = load_quotient,
                                          .write = write_quotient };
static const struct subject sixteenths = { FOLD(.name = "sixteenths", .type = CLFOLD_U32,
                                                .load = "x % 16"),
                                           .size = 4, WORDS, .load = load_sixteenth };
static const struct subject pairs = { FOLD(.name = "pairs", .components = "uint a, b"),
                                      .size = 8, WORDS };
static const struct subject stored = { FOLD(.name = "stored", .type = CLFOLD_F32,
                                            .store = "out[at] = item;"),
                                       .size = 4, .most = 4, .is_real = true };
static const struct subject opaque = {
    FOLD(.name = "opaque", .type_name = "uint4", .type_size = 16), .size = 16, WORDS
};
static const struct subject padded = {
    FOLD(.name = "padded", .components = "ulong sum; uint last"),
    .size = sizeof(struct padded), .most = 7, .same = same_padded
};
static struct subject with_stream = { FOLD(.name = "with a stream", .type = CLFOLD_F32),
                                      .size = 4, .most = 20, .is_real = true };

static bool is_last_some(const unsigned char *e, size_t i, size_t n)
{
    (void)n;
    return ((const struct padded *)(const void *)e)[i].last > 2;
}

/* Runs of elements with the same key. */
#define STARTS(name, key)                                                                \
    static bool name(const unsigned char *e, size_t i, size_t n)                         \
    {                                                                                    \
        const size_t before = i > 0 ? i - 1 : 0, here = i;                               \
        (void)n;                                                                         \
        i = before;                                                                      \
        const cl_uint a = (key);                                                         \
        i = here;                                                                        \
        return i == 0 || a != (key);                                                     \
    }                                                                                    \
    struct subject

STARTS(starts_floats, (cl_uint)f32_of(e, i));
STARTS(starts_bytes, e[i]);
STARTS(starts_words, u32_of(e, i) / 4);
STARTS(starts_sixteenths, (u32_of(e, i) % 16 > 5));
STARTS(starts_pairs, u32_of(e, 2 * i) >> 31);
STARTS(starts_opaque, u32_of(e, 4 * i) % 3);
STARTS(starts_padded, ((const struct padded *)(const void *)e)[i].last);

/* By items of a scan. */
#define BY_ITEM(name, holds)                                                             \
    static bool name(const void *item, const void *prev, const unsigned char *e,         \
                     size_t i)                                                           \
    {                                                                                    \
        (void)item, (void)prev, (void)e, (void)i;                                        \
        return holds;                                                                    \
    }                                                                                    \
    struct subject

BY_ITEM(is_third, u32_of(item, 0) % 3 == 0);
BY_ITEM(crosses, (u32_of(item, 0) ^ u32_of(prev, 0)) & 4);
BY_ITEM(grows, u32_of(e, i) > 3 && u32_of(item, 0) > u32_of(prev, 0));
BY_ITEM(is_inside, *(const cl_uchar *)item);
BY_ITEM(is_64, *(const cl_uchar *)item & 64);
BY_ITEM(is_odd_map, (u32_of(item, 0) ^ u32_of(prev, 1)) & 1);
BY_ITEM(is_above, f32_of(item, 0) > 2);
BY_ITEM(is_above_stream, f32_of(item, 0) > 100 * stream_y[STREAM_LAG + i]);
BY_ITEM(is_some_padded, ((const struct padded *)item)->last > 2);

static const cl_float least_f32 = -CL_INFINITY;
COMBINE(xor_u8, cl_uchar, x[0] ^ y[0]);
COMBINE(most_f32, cl_float, x[0] < y[0] ? y[0] : x[0]);
COMBINE(last_u8, cl_uchar, y[0] | (x[0] & 0));
LOAD(load_parity, cl_uchar, e[i] & 1);

static const struct subject sums = { FOLD(.name = "sums", SUM), ON_U32, WORDS };
static const struct subject sum_stored = {
    FOLD(.name = "stored sums", SUM, .store = "out[at] = item;"), ON_U32, WORDS
};
static const struct subject parities = { FOLD(.name = "parities", .op = CLFOLD_BIT_XOR,
                                              .type = CLFOLD_U8, .in = CLFOLD_U8,
                                              .load = "x & (uchar)1"),
                                         .size = 1,
                                         BYTES,
                                         .load = load_parity,
                                         .identity = zeros,
                                         .combine = xor_u8 };
static const struct subject lasts = { FOLD(.name = "lasts", .type = CLFOLD_U8,
                                           .combine = "b"),
                                      .size = 1, BYTES, .combine = last_u8 };
static const struct subject maps = { FOLD(.name = "maps", PAIRS), ON_PAIRS, WORDS };
static const struct subject most = { FOLD(.name = "most", .op = CLFOLD_MAX,
                                          .type = CLFOLD_F32),
                                     .size = 4,
                                     .most = 4,
                                     .is_real = true,
                                     .identity = &least_f32,
                                     .combine = most_f32 };
static struct subject sum_of_stream = {
    FOLD(.name = "sums and a stream", SUM_OF(CLFOLD_F32)), ON_F32
};
static const struct subject sums_of_padded = { FOLD(.name = "sums of structs", PADDED,
                                                    .identity = "{ 0, 0 }"),
                                               ON_PADDED, .identity = zeros, .most = 7 };

static void fill_flat(void *elements, size_t count, uint64_t seed)
{
    unsigned char *e = elements;

    for (size_t i = 0; i < count; ++i) {
        e[i] = (unsigned char)(i / (1 + seed % 700));
    }
}

static const struct subject flat = { FOLD(.name = "long runs", .type = CLFOLD_U8),
                                     .size = 1, .fill = fill_flat };

static const struct {
    const struct subject *subject;
    struct condition condition;
} conditions[] = {
    { &floats, { "x > 2", .keeps = above_2 } },
    { &floats, { "item > 2.0f", .keeps = above_2 } },
    { &bytes, { "to_i32(x) & 1", .keeps = is_odd } },
    { &bytes, { "x & 1", .keeps = is_odd } },
    { &words, { "x", .keeps = is_some } },
    { &words, { "(x != 0) & (to_u32(i) < to_u32(n))", .keeps = is_some } },
    { &words, { "i == 0 || in[i - 1] < x", .keeps = rises } },
    { &indices, { "x > 2", .keeps = above_2 } },
    { &quotients, { "x != 0", .keeps = is_some } },
    { &sixteenths, { "item > 5", .keeps = is_large } },
    { &pairs, { "(x.a + x.b + to_u32(n)) % 2 == 0", .keeps = is_sum_even } },
    { &pairs, { "(item.a + item.b + to_u32(n)) % 2 == 0", .keeps = is_sum_even } },
    { &stored, { "x > 2", .keeps = above_2 } },
    { &opaque, { "x.x < x.w", .keeps = is_long } },
    { &padded, { "x.last > 2", .keeps = is_last_some } },
    { &padded, { "item.last > 2", .keeps = is_last_some } },
    { &with_stream, { "x > y", .keeps = is_above_y } },
    { &floats, { "a == b", .keeps = starts_floats, .are_runs = true } },
    { &bytes, { "!(a != b)", .keeps = starts_bytes, .are_runs = true } },
    { &bytes, { "a + 1 == b + 1", .keeps = starts_bytes, .are_runs = true } },
    { &words,
      { "to_u32(a) / 4 == to_u32(b) / 4", .keeps = starts_words, .are_runs = true } },
    { &sixteenths,
      { "(a > 5) == (b > 5)", .keeps = starts_sixteenths, .are_runs = true } },
    { &pairs, { "(a.a >> 31) == (b.a >> 31)", .keeps = starts_pairs, .are_runs = true } },
    { &opaque, { "a.x % 3 == b.x % 3", .keeps = starts_opaque, .are_runs = true } },
    { &padded, { "a.last == b.last", .keeps = starts_padded, .are_runs = true } },
    { &flat, { "a == b", .keeps = starts_bytes, .are_runs = true } },
    { &sums, { "item % 3u == 0", .scans = true, .keeps_item = is_third } },
    { &sums, { "(item ^ prev) & 4", .scans = true, .keeps_item = crosses } },
    { &sums, { "x > 3 && item > prev", .scans = true, .keeps_item = grows } },
    { &parities, { "to_i32(item)", .scans = true, .keeps_item = is_inside } },
    { &lasts, { "to_u32(item) & 64", .scans = true, .keeps_item = is_64 } },
    { &maps, { "(item.a ^ prev.b) & 1", .scans = true, .keeps_item = is_odd_map } },
    { &most, { "item > 2.0f", .scans = true, .keeps_item = is_above } },
    { &sum_stored, { "item % 3 == 0", .scans = true, .keeps_item = is_third } },
    { &sum_of_stream,
      { "item > 100 * y", .scans = true, .keeps_item = is_above_stream } },
    { &sums_of_padded, { "item.last > 2", .scans = true, .keeps_item = is_some_padded } },
};

static void test_all_conditions(void **state)
{
    (void)state;
    subject_args_init();
    with_stream.fold.args = &subject_args[ARG_Y];
    with_stream.fold.num_args = 1;
    sum_of_stream.fold.args = &subject_args[ARG_Y];
    sum_of_stream.fold.num_args = 1;
    for (size_t c = 0; c < NUM(conditions); ++c) {
        check_tiles(conditions[c].subject, conditions[c].condition, true, c % 4 > 1, c);
    }
    subject_args_finish();
}

/* ---- Parts ------------------------------------------------------------------------- */

#define NUM_WORDS 20011

static void get(cl_mem mem, void *to, size_t size)
{
    if (size > 0) {
        assert_int_equal(
            clEnqueueReadBuffer(device.queue, mem, CL_TRUE, 0, size, to, 0, NULL, NULL),
            CL_SUCCESS);
    }
}

/* A scan's select in parts, each of which takes the carry from where it leaves its own,
 * is that of the whole; with items that are written, and places alone. */
static void test_parts(void **state)
{
    static const char *const algorithms[] = { "scan_lookback", "reduce_then_scan",
                                              "scan_single_group" };
    static cl_uint addends[NUM_WORDS];
    static cl_ulong expected[NUM_WORDS], found[NUM_WORDS];

    (void)state;
    uint64_t seed = 7;
    for (size_t i = 0; i < NUM_WORDS; ++i) {
        addends[i] = (cl_uint)draw(&seed, 1000);
    }
    for (size_t a = 0; a < 2 * NUM(algorithms); ++a) {
        const cl_mem in = copied_buffer(addends, sizeof(addends));
        const cl_mem out = coloured_buffer(sizeof(found));
        const cl_mem memory = coloured_buffer(2 * sizeof(cl_ulong)); /* number, carry */
        const bool of_places = a % 2;
        cl_uint sum = 5;
        size_t num = 0, kept = 0;
        for (size_t i = 0; i < NUM_WORDS; ++i) {
            const cl_uint prev = sum;
            sum += addends[i];
            if ((sum ^ prev) & 512) {
                expected[num++] = of_places ? i : (cl_ulong)sum << 32 | prev;
            }
        }
        const cl_uint init = 5;
        for (size_t first = 0, count; first < NUM_WORDS; first += count) {
            clfold_part part = { .first = first,
                                 .whole = NUM_WORDS,
                                 .carry_at = { first > 0 ? memory : NULL,
                                               first > 0 ? 2 : 0 },
                                 .carry_out = { memory, 2 } };
            const clfold_fold fold = {
                .op = CLFOLD_ADD,
                .type = CLFOLD_U32,
                .keep = "(item ^ prev) & 512",
                .out = CLFOLD_U64,
                .result = of_places ? "i" : "to_u64(item) << 32 | to_u64(prev)",
                .init = &init,
                .init_size = sizeof(init),
                .num_out = { memory, 0 },
                .part = &part,
                .algorithm = algorithms[a / 2],
            };
            cl_ulong more;
            count = 1 + draw(&seed, 5000);
            count = count < NUM_WORDS - first ? count : NUM_WORDS - first;
            const clfold_status status = clfold_select(
                ctx, device.queue, &fold, in, first, out, kept, count, 0, NULL, NULL);
            if (status == CLFOLD_ERROR_UNSUPPORTED && may_look_back(algorithms[a / 2])) {
                num = 0;
                break;
            }
            assert_ok(status);
            get(memory, &more, sizeof(more));
            kept += more;
        }
        assert_int_equal(kept, num);
        get(out, found, num * sizeof(*found));
        assert_memory_equal(found, expected, num * sizeof(*found));
        clReleaseMemObject(in);
        clReleaseMemObject(out);
        clReleaseMemObject(memory);
    }
}

/* ---- What is rejected -------------------------------------------------------------- */

static void test_rejected(void **state)
{
    const cl_mem in = coloured_buffer(4096), out = coloured_buffer(8192);
    const cl_mem coloured = coloured_buffer(8);
    const clfold_segments rows = { .by = CLFOLD_BY_LENGTH, .length = 10 };
    const clfold_part part = { .first = 3 }, carries = { .carry_at = { in, 0 } };
    const cl_uint none = 0;
    const struct {
        clfold_fold fold;
        cl_mem out;
        size_t count;
        clfold_status status;
        const char *said;
    } wrong[] = {
#define SELECT(...)       { .type = CLFOLD_U32, .keep = "x", __VA_ARGS__ }
#define SAYS(code, words) .status = CLFOLD_ERROR_##code, .said = (words)
        { { .type = CLFOLD_U32 }, out, 9, SAYS(ARGUMENT, "keep and same are NULL") },
        { { .type = CLFOLD_U32, .equal = "a == b" },
          out,
          9,
          SAYS(ARGUMENT, "equal is given, but there are no segments by keys") },
        { { .type = CLFOLD_U32, .same = "a == b", .equal = "a == b" },
          out,
          9,
          SAYS(ARGUMENT, "equal is given, but there are no segments by keys") },
        { { .type = CLFOLD_U32, .same = "a == b", .op = CLFOLD_ADD },
          out,
          9,
          SAYS(ARGUMENT, "op is given, but a select by same has no operator") },
        { { .type = CLFOLD_U32, .same = "a == b", .combine = "a + b" },
          out,
          9,
          SAYS(ARGUMENT, "combine is given, but a select by same has no operator") },
        { SELECT(.init = &none, .init_size = 4), out, 9,
          SAYS(ARGUMENT, "init is given, but a select without op or combine has no") },
        { { .type = CLFOLD_U32, .combine = "min(a, b)", .keep = "prev" },
          out,
          9,
          SAYS(ARGUMENT, "keep uses prev, of which the first element has none") },
        { SELECT(.segments = &rows), out, 9, SAYS(UNSUPPORTED, "segments are given") },
        { { .type = CLFOLD_U32, .keep = "in[0]", .part = &part },
          out,
          9,
          SAYS(ARGUMENT, "keep uses in, but a part") },
        { { .type = CLFOLD_U32, .keep = "n", .part = &part },
          out,
          9,
          SAYS(ARGUMENT, "whole is 0, but keep uses n") },
        { SELECT(.part = &carries), out, 9,
          SAYS(ARGUMENT, "a select without an operator carries nothing") },
        { SELECT(.total_out = { in, 0 }), out, 9, SAYS(ARGUMENT, "total_out") },
        { SELECT(.same = "a == b"), out, 9,
          SAYS(ARGUMENT, "keep and same are both given") },
        { { .type = CLFOLD_U32, .same = "a == b)" }, out, 9, SAYS(ARGUMENT, "same: a") },
        { { .type = CLFOLD_U32, .same = "a, b" },
          out,
          9,
          SAYS(ARGUMENT, "same: 2 expressions") },
        { { .type = CLFOLD_U32, .keep = "x;" },
          out,
          9,
          SAYS(ARGUMENT, "keep: a semicolon") },
        { { .type = CLFOLD_U32, .keep = "" }, out, 9, SAYS(ARGUMENT, "keep is empty") },
        { { .type = CLFOLD_U32, .keep = "x, x" },
          out,
          9,
          SAYS(ARGUMENT, "keep: 2 expressions") },
        { SELECT(.algorithm = "scan_then_propagate"), out, 9,
          SAYS(UNSUPPORTED,
               "\"scan_then_propagate\" is not in this version, which selects") },
        { SELECT(.algorithm = "serial"), out, 9, SAYS(UNSUPPORTED, "\"serial\"") },
        { SELECT(0), in, 9, SAYS(OVERLAP, "a select cannot be in place, as") },
        { SELECT(.out = CLFOLD_U64), out, 1025, SAYS(RANGE, "count 1025") },
        { SELECT(.num_out = { out, 1 }), out, 9, SAYS(OVERLAP, "num_out") },
        { SELECT(.rest_out = { out, 8 }), out, 9, SAYS(OVERLAP, "rest_out") },
        { SELECT(.rest_out = { in, 0 }), out, 9, SAYS(OVERLAP, "rest_out") },
        { SELECT(.rest_out = { out, 2040 }), out, 9, SAYS(RANGE, "rest_out holds 2048") },
        { SELECT(.rest_out = { out, 100 }, .num_out = { out, 54 }), out, 9,
          SAYS(OVERLAP, "rest_out") },
        { SELECT(.rest_out = { out, 100 }, .store = "out[at] = x;"), out, 9,
          SAYS(ARGUMENT, "rest_out is given, but a store") },
        { SELECT(.rest_out = { NULL, 1 }), out, 9,
          SAYS(ARGUMENT, "rest_out: mem is NULL") },
        { SELECT(.lengths_out = { out, 100 }), out, 9,
          SAYS(ARGUMENT, "lengths_out is given, but only runs") },
        { { .type = CLFOLD_U32, .same = "a == b", .lengths_out = { out, 1020 } },
          out,
          9,
          SAYS(RANGE, "lengths_out holds 1024 elements of u64") },
        { { .type = CLFOLD_U32, .same = "a == b", .lengths_out = { out, 4 } },
          out,
          9,
          SAYS(OVERLAP, "lengths_out") },
        { SELECT(.num_out = { in, 4 }), out, 9, SAYS(OVERLAP, "num_out") },
        { SELECT(.num_out = { out, 1024 }), out, 9,
          SAYS(RANGE, "num_out holds 1024 elements of u64") },
        { { .op = CLFOLD_ADD,
            .type = CLFOLD_U64,
            .keep = "x",
            .init_at = { coloured, 0 },
            .num_out = { coloured, 0 } },
          out,
          9,
          SAYS(OVERLAP, "num_out") },
        { SELECT(.num_out = { NULL, 3 }), out, 9,
          SAYS(ARGUMENT, "num_out: mem is NULL, but offset is 3") },
    };
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_U32, .keep = "x" };
    const clfold_fold runs = { .op = CLFOLD_ADD, .type = CLFOLD_U32, .same = "a == b" };
    const clfold_fold map = { .type = CLFOLD_U32, .same = "a == b" };
    const clfold_fold num = { .op = CLFOLD_ADD,
                              .type = CLFOLD_U32,
                              .num_out = { out, 9 } };
    const clfold_fold select = { .type = CLFOLD_U32, .keep = "x" };
    const clfold_placement in_place = { .in_place = CL_TRUE };

    (void)state;
    for (size_t i = 0; i < NUM(wrong); ++i) {
        assert_refused(call_operation(CLFOLD_SELECT, &wrong[i].fold, in, 0, wrong[i].out,
                                      0, wrong[i].count),
                       wrong[i].status, wrong[i].said);
    }
    for (clfold_operation o = CLFOLD_REDUCE; o <= CLFOLD_EXCLUSIVE_SCAN; ++o) {
        assert_refused(call_operation(o, &sum, in, 0, out, 0, 9), CLFOLD_ERROR_ARGUMENT,
                       "keep is given, but the operation is");
        assert_refused(call_operation(o, &runs, in, 0, out, 0, 9), CLFOLD_ERROR_ARGUMENT,
                       "same is given, but the operation is");
        assert_refused(call_operation(o, &num, in, 0, out, 0, 9), CLFOLD_ERROR_ARGUMENT,
                       "num_out is given, but the operation is");
    }
    assert_refused(call_operation(CLFOLD_MAP, &map, in, 0, out, 0, 9),
                   CLFOLD_ERROR_ARGUMENT,
                   "same is given, but the operation is a map, which keeps all");
    assert_refused(clfold_prepare(ctx, CLFOLD_SELECT, &select, 9, &in_place),
                   CLFOLD_ERROR_OVERLAP, "in_place is set");
    clReleaseMemObject(coloured);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* A select that scans: its launches, those that are left out where no item is written,
 * and that a call after prepare builds nothing. */
static void check_scans(void)
{
    const cl_mem in = coloured_buffer(5000 * 4), out = coloured_buffer(5000 * 4);
    clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_U32, .keep = "item & 1" };
    clfold_stats before, after;
    clfold_report report;

    for (int k = 0; k < 4; ++k) {
        const bool of_places = k % 2, in_passes = k / 2;
        fold.result = of_places ? "x + 1u" : NULL;
        fold.algorithm = in_passes ? "reduce_then_scan" : "scan_single_group";
        assert_ok(clfold_explain(ctx, CLFOLD_SELECT, &fold, 5000, NULL, &report));
        assert_non_null(strstr(report.reason, of_places ? "written without a scan"
                                                        : "written by a second scan"));
        if (!device.ends_loops) {
            assert_int_equal(report.num_launches, (in_passes ? 3 : 1) + 3 + 1);
        }
        assert_ok(clfold_prepare(ctx, CLFOLD_SELECT, &fold, 5000, NULL));
        assert_ok(clfold_context_stats(ctx, &before));
        assert_ok(
            clfold_select(ctx, device.queue, &fold, in, 0, out, 0, 5000, 0, NULL, NULL));
        assert_ok(clfold_context_stats(ctx, &after));
        assert_int_equal(after.builds, before.builds);
    }
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

static void test_policy(void **state)
{
    const clfold_fold select = { .type = CLFOLD_U32, .keep = "x" };
    struct select_trial trial = { .subject = &words,
                                  .condition = { "x", .keeps = is_some } };
    clfold_report report;

    (void)state;
    assert_ok(clfold_explain(ctx, CLFOLD_SELECT, &select, 1 << 24, NULL, &report));
    assert_string_equal(report.algorithm,
                        device.ends_loops ? "reduce_then_scan" : "scan_lookback");
    assert_ok(clfold_prepare(ctx, CLFOLD_SELECT, &select, 1 << 20, NULL));
    check_scans();
    check_many(trial, 0);
    for (size_t t = 0; t < SCAN_TILES; ++t) {
        if (!scan_tiles[t].tile_elements && policy_has_tile(scan_tiles[t].tile)) {
            trial.plan = scan_tiles[t];
            trial.algorithm = "scan_single_group";
            check_many(trial, t);
        }
    }
}

TEST_MAIN("select", open_context, close_context, cmocka_unit_test(test_all_types),
          cmocka_unit_test(test_all_conditions), cmocka_unit_test(test_all_texts),
          cmocka_unit_test(test_scans), cmocka_unit_test(test_parts),
          cmocka_unit_test(test_rejected), cmocka_unit_test(test_policy))
