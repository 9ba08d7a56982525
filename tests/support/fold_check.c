#define CLFOLD_EXPERIMENTAL
#include "fold_check.h"

#include "one_context.h"
#include "test.h"

#include "base/platform.h"
#include "base/random.h"
#include "ops/context.h"
#include "ops/internal.h"
#include "plan/operation.h"

/* ---- One call ---------------------------------------------------------------------- */

#define ZONE 16 /* elements on either side of the results */

static unsigned char elements[FOLD_CHECK_COUNT * FOLD_CHECK_SIZE];
static unsigned char found[(FOLD_CHECK_COUNT + 2 * ZONE) * FOLD_CHECK_SIZE];
static unsigned char expected[FOLD_CHECK_COUNT * FOLD_CHECK_SIZE];
static unsigned char last[FOLD_CHECK_SIZE]; /* the total of the last segment */

static size_t in_size_of(const struct subject *subject)
{
    return subject->in_size ? subject->in_size : subject->size;
}

static size_t out_size_of(const struct subject *subject)
{
    return subject->out_size ? subject->out_size : subject->size;
}

struct trial {
    const struct subject *subject;
    clfold_operation operation;
    size_t count, in_offset, out_offset;
    bool in_place, has_init, has_total;
    size_t width, length; /* of segments; 0: there are none */
    enum tile_kind tile;  /* for messages */
};

static void fill(const struct subject *subject, size_t count)
{
    size_t word = subject->word ? subject->word : 4;
    uint64_t random = 7;

    for (size_t i = 0; i < count * in_size_of(subject); i += word) {
        uint64_t spread = (uint64_t)subject->most - subject->least + 1;
        cl_uint x = subject->least + (cl_uint)((next_random(&random) >> 32) % spread);
        cl_float real = (cl_float)(cl_int)x;
        memcpy(elements + i, subject->is_real ? (void *)&real : &x, word);
    }
}

/* What is written for an item, and where. */
static void give(const struct trial *trial, const void *item, const void *prev, size_t i,
                 size_t at)
{
    const struct subject *s = trial->subject;
    unsigned char *out;

    at = s->place && trial->operation != CLFOLD_REDUCE ? s->place(i, trial->count) : at;
    out = expected + at * out_size_of(s);
    if (s->write) {
        s->write(out, item, prev, elements, i, trial->count);
    } else {
        memcpy(out, item, s->size);
    }
}

/* The loop on the host over `length` elements that are `width` apart; the fold of them
 * goes to `at` of a reduction. */
static void expect_one(const struct trial *trial, size_t first, size_t width,
                       size_t length, size_t at)
{
    const struct subject *s = trial->subject;
    unsigned char total[FOLD_CHECK_SIZE], next[FOLD_CHECK_SIZE], x[FOLD_CHECK_SIZE];
    bool any = trial->has_init || s->identity != NULL;

    if (any) {
        memcpy(total, trial->has_init ? elements : s->identity, s->size);
    }
    for (size_t k = 0, i = first; k < length; ++k, i += width) {
        if (s->load) {
            s->load(x, elements, i, trial->count);
        } else {
            memcpy(x, elements + i * s->size, s->size);
        }
        if (any && !s->is_map) {
            s->combine(next, total, x);
        } else {
            memcpy(next, x, s->size);
        }
        if (s->is_map) {
            give(trial, next, next, i, i);
        } else if (trial->operation != CLFOLD_REDUCE) {
            give(trial, trial->operation == CLFOLD_EXCLUSIVE_SCAN ? total : next, total,
                 i, i);
        }
        memcpy(total, next, s->size);
        any = true;
    }
    if (trial->operation == CLFOLD_REDUCE) {
        give(trial, total, total, at, at);
    }
    memcpy(last, total, s->size);
}

/* Returns the number of results. */
static size_t expect(const struct trial *trial)
{
    const size_t width = trial->width, block = width * trial->length;
    size_t num = 0;

    if (width == 0 || trial->count == 0) {
        expect_one(trial, 0, 1, trial->count, 0);
        num = width == 0;
    }
    for (size_t first = 0; width > 0 && first < trial->count; first += block) {
        const size_t rest = trial->count - first;
        for (size_t j = 0; j < width; ++j, ++num) {
            expect_one(trial, first + j, width,
                       width == 1 && rest < trial->length ? rest : trial->length, num);
        }
    }
    return trial->operation == CLFOLD_REDUCE ? num : trial->count;
}

static bool is_same(const struct subject *s, const void *a, const void *b)
{
    return s->same && !s->out_size ? s->same(a, b) : memcmp(a, b, out_size_of(s)) == 0;
}

static clfold_status call(const struct trial *trial, const clfold_fold *fold, cl_mem in,
                          cl_mem out)
{
    return call_operation(trial->operation, fold, in, trial->in_offset, out,
                          trial->out_offset, trial->count);
}

/* The total of a scan is an item, whatever is written. */
static void check_total(const struct trial *trial, cl_mem total)
{
    const struct subject *s = trial->subject;
    unsigned char places[2 * FOLD_CHECK_SIZE];
    const unsigned char *at = places + s->size;

    assert_int_equal(clEnqueueReadBuffer(device.queue, total, CL_TRUE, 0, 2 * s->size,
                                         places, 0, NULL, NULL),
                     CL_SUCCESS);
    for (size_t k = 0; k < s->size; ++k) {
        assert_int_equal(places[k], COLOUR);
    }
    if (s->same ? !s->same(at, last) : memcmp(at, last, s->size) != 0) {
        fail_msg("%s, operation %u of %zu, %zu by %zu: the total is wrong", s->fold.name,
                 trial->operation, trial->count, trial->length, trial->width);
    }
}

/* Runs the call, compares its results, and the bytes around them with what they were.
 * Returns false if the algorithm cannot do it. */
static bool run(const struct trial *trial, const char *algorithm)
{
    const struct subject *s = trial->subject;
    size_t in_size = in_size_of(s), out_size = out_size_of(s), num;
    size_t room = (trial->count + 2 * ZONE) * out_size;
    const clfold_segments segments = {
        .by = trial->width == 1 ? CLFOLD_BY_LENGTH : CLFOLD_BY_STRIDE,
        .num = trial->width == 1 ? trial->length : trial->width,
        .length = trial->width == 1 ? 0 : trial->length,
    };
    clfold_fold fold = s->fold;
    cl_mem in = coloured_buffer((trial->count + 2 * ZONE) * in_size);
    cl_mem out = trial->in_place ? in : coloured_buffer(room);
    cl_mem total = coloured_buffer(2 * s->size);
    clfold_status status;

    fold.segments = trial->width > 0 ? &segments : NULL;
    fold.algorithm = algorithm;
    if (trial->has_init) {
        fold.init = elements;
        fold.init_size = s->size;
    }
    if (trial->has_total) {
        fold.total_at = (clfold_place){ total, 1 };
    }
    if (trial->count > 0) {
        assert_int_equal(
            clEnqueueWriteBuffer(device.queue, in, CL_TRUE, trial->in_offset * in_size,
                                 trial->count * in_size, elements, 0, NULL, NULL),
            CL_SUCCESS);
    }
    status = call(trial, &fold, in, out);
    if (algorithm && s->size > 64 && trial->count > 0 &&
        (strcmp(algorithm, "scan_lookback") == 0 ||
         strcmp(algorithm, "scan_chained") == 0)) {
        assert_int_equal(status, CLFOLD_ERROR_UNSUPPORTED);
    }
    /* A compiler whose vectors differ, as rusticl's do for keys of two sizes. */
    if (status == CLFOLD_ERROR_BUILD && trial->tile == TILE_VECTOR &&
        strstr(clfold_last_error(), " gives ")) {
        status = CLFOLD_ERROR_UNSUPPORTED;
    }
    if (status != CLFOLD_ERROR_UNSUPPORTED && status != CLFOLD_OK) {
        fail_msg("%s by %s: %s", fold.name, algorithm, clfold_last_error());
    }
    assert_int_equal(
        clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, room, found, 0, NULL, NULL),
        CL_SUCCESS);
    num = expect(trial);
    for (size_t i = 0; status == CLFOLD_OK && i < room / out_size; ++i) {
        const unsigned char *at = found + i * out_size;
        bool is_result = i >= trial->out_offset && i < trial->out_offset + num;
        bool is_good =
            !is_result || is_same(s, at, expected + (i - trial->out_offset) * out_size);
        for (size_t k = 0; !is_result && !trial->in_place && k < out_size; ++k) {
            is_good &= at[k] == COLOUR;
        }
        if (!is_good) {
            fail_msg(
                "%s, %s, operation %u of %zu, %zu by %zu, by %s, from %zu to %zu%s%s: "
                "result %zu",
                fold.name, trial->tile ? clfold_tile_name(trial->tile) : "usual tile",
                trial->operation, trial->count, trial->length, trial->width, algorithm,
                trial->in_offset, trial->out_offset, trial->has_init ? ", with init" : "",
                trial->in_place ? ", in place" : "", i - trial->out_offset);
        }
    }
    if (status == CLFOLD_OK && trial->has_total) {
        check_total(trial, total);
    }
    clReleaseMemObject(total);
    clReleaseMemObject(in);
    if (!trial->in_place) {
        clReleaseMemObject(out);
    }
    return status == CLFOLD_OK;
}

/* ---- All of them ------------------------------------------------------------------- */

static const struct debug tiles[] = {
    { 0 },
    { .tile = TILE_VECTOR,
      .tile_elements = 48,
      .max_groups = 5,
      .stream_bytes = 1,
      .anchor = 4 },
    { .tile = TILE_ITEM, .tile_elements = 50, .max_groups = 5, .anchor = 4 },
    { .tile = TILE_GROUP,
      .tile_elements = 100,
      .group_size = 6,
      .max_groups = 4,
      .anchor = 3 },
};
#define NUM_TILES (sizeof(tiles) / sizeof(tiles[0]))

static void check_counts(const struct subject *subject, clfold_operation operation,
                         const char *algorithm, enum tile_kind tile, unsigned turn)
{
    static const size_t counts[] = { 1000, 1, 99, 17, 0, 4999 };
    bool needs_init = operation == CLFOLD_EXCLUSIVE_SCAN && !subject->identity;

    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c, ++turn) {
        struct trial trial = {
            .subject = subject,
            .operation = operation,
            .count = counts[c],
            .in_offset = turn % 3,
            .out_offset = turn % 4,
            .has_init = !subject->is_map && (needs_init || turn % 3 == 1),
            .tile = tile,
        };
        if (trial.count == 0 && !subject->identity && !subject->is_map) {
            trial.has_init = true;
        }
        if (operation != CLFOLD_REDUCE && turn % 5 == 2 && !subject->reads_others &&
            in_size_of(subject) == out_size_of(subject)) {
            trial.in_place = true;
            trial.out_offset = trial.in_offset;
        }
        if (!run(&trial, algorithm) && !trial.in_place) {
            return;
        }
    }
}

/* Rows and columns, short and long, few and many. */
static void check_segments(const struct subject *subject, clfold_operation operation,
                           enum tile_kind tile, bool by_rows, unsigned turn)
{
    static const struct {
        size_t count, width, length;
        const char *algorithm;
    } shapes[] = {
        { 1000, 1, 3, "lanes" },   { 1000, 1, 17, "lanes" },  { 999, 1, 300, "lanes" },
        { 4900, 2, 350, "lanes" }, { 4995, 5, 3, "lanes" },   { 4998, 34, 49, "lanes" },
        { 4992, 16, 2, "lanes" },  { 4998, 833, 2, "lanes" }, { 1000, 1, 1, "lanes" },
        { 1000, 1, 3, "rows" },    { 4999, 1, 100, "rows" },  { 4999, 1, 4999, "rows" },
        { 960, 1, 48, "rows" },    { 1000, 1, 50, "rows" },   { 100, 1, 1, "rows" },
        { 4999, 1, 64, NULL },     { 4998, 98, 51, NULL },    { 0, 1, 3, NULL },
        { 4999, 1, 3, NULL },
    };
    bool needs_init = operation == CLFOLD_EXCLUSIVE_SCAN && !subject->identity;

    for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); ++k, ++turn) {
        /* Builds take most of the time, so a tile's programs are of one algorithm. */
        const char *ours = tile == TILE_NONE ? NULL : by_rows ? "rows" : "lanes";
        char algorithm[32];
        struct trial trial = {
            .subject = subject,
            .operation = operation,
            .count = shapes[k].count,
            .width = shapes[k].width,
            .length = shapes[k].length,
            .in_offset = turn % 3,
            .out_offset = turn % 4,
            .has_init = needs_init || turn % 3 == 1,
            .tile = tile,
        };
        trial.has_total = operation != CLFOLD_REDUCE &&
                          (trial.count > 0 || subject->identity || trial.has_init);
        if (!shapes[k].algorithm != !ours ||
            (ours && strcmp(shapes[k].algorithm, ours) != 0)) {
            continue;
        }
        if (operation != CLFOLD_REDUCE && turn % 5 == 2 && !subject->reads_others &&
            in_size_of(subject) == out_size_of(subject)) {
            trial.in_place = true;
            trial.out_offset = trial.in_offset;
        }
        snprintf(algorithm, sizeof(algorithm), "%s_%s",
                 operation == CLFOLD_REDUCE ? "reduce" : "scan",
                 shapes[k].algorithm ? shapes[k].algorithm : "");
        if (!run(&trial, shapes[k].algorithm ? algorithm : NULL) &&
            !strstr(clfold_last_error(), " gives ") &&
            !strstr(clfold_last_error(), "cuts loops short")) {
            fail_msg("%s: %s", subject->fold.name, clfold_last_error());
        }
    }
}

/* Groups of a GPU's policy, of which PoCL 3.1 makes wrong code in some scans, see
 * docs/devices.md. */
static bool is_miscompiled(const struct subject *subject, const struct debug *tile)
{
    static const char *const names[] = { "triple", "own type", "four of all" };
    bool named = false;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        named |= strcmp(subject->fold.name, names[i]) == 0;
    }
    return named && device.is_pocl && tile->tile == TILE_NONE &&
           policy_tile(TILE_NONE) == TILE_GROUP;
}

/* The program of a tile that the fold cannot have is not there: explain says so. For
 * groups that scan three shorts Mesa 22.3 makes wrong code; its policy takes other tiles.
 */
static bool has_tile(const struct subject *subject, const struct debug *tile)
{
    const clfold_fold *fold = &subject->fold;

    if (is_miscompiled(subject, tile)) {
        return false;
    }

    if (tile->tile == TILE_GROUP && ctx->caps.facts.most_elements &&
        strcmp(fold->name, "triple") == 0) {
        return false;
    }
    return policy_has_tile(tile->tile) &&
           (tile->tile != TILE_VECTOR ||
            !(fold->type_name || (fold->flags & CLFOLD_PARTIAL) || subject->differs));
}

/* Every algorithm of an operation in turn; builds take most of the time. */
static const char *algorithm_of(clfold_operation operation, unsigned turn)
{
    uint32_t num = 0;

    while (clfold_operation_algorithm(operation, num)) {
        ++num;
    }
    return num > 0 ? clfold_operation_algorithm(operation, turn % num) : NULL;
}

/* Whether the operation is for the subject at all. */
static bool is_for(const struct subject *subject, clfold_operation operation)
{
    if (subject->is_map || operation == CLFOLD_MAP) {
        return subject->is_map && operation == CLFOLD_MAP;
    }
    return operation != CLFOLD_REDUCE || !subject->writes_of_element;
}

/* Builds take most of the time, so each tile has one operation in turn. */
static void check_operation(const struct subject *subject, clfold_operation operation,
                            unsigned first, unsigned t, unsigned turn)
{
    const enum tile_kind tile = tiles[t].tile;

    if ((first + t + operation) % 3 != 0 && !subject->is_map) {
        return;
    }
    if (t == 0) {
        check_counts(subject, operation, NULL, tile, turn - 2);
    }
    check_counts(subject, operation, algorithm_of(operation, turn - 1), tile, turn - 1);
}

void fold_check(const struct subject *subject, unsigned first)
{
    static const clfold_operation operations[] = { CLFOLD_REDUCE, CLFOLD_INCLUSIVE_SCAN,
                                                   CLFOLD_EXCLUSIVE_SCAN, CLFOLD_MAP };
    unsigned turn = first;

    fill(subject, FOLD_CHECK_COUNT);
    for (unsigned t = 0; t < NUM_TILES; ++t) {
        if (!has_tile(subject, &tiles[t])) {
            continue;
        }
        clfold_context_override(ctx, t > 0 ? &tiles[t] : NULL);
        for (size_t o = 0; o < sizeof(operations) / sizeof(operations[0]); ++o) {
            turn += operations[o] != CLFOLD_MAP || subject->is_map ? 3 : 0;
            if (is_for(subject, operations[o])) {
                check_operation(subject, operations[o], first, t, turn);
            }
        }
    }
    clfold_context_override(ctx, NULL);
}

/* Whether the device's compiler makes right code of a subject's segments by a tile.
 * Intel's makes vectors of a group's work-items: that takes minutes, and is wrong where a
 * load uses no element. clfold folds by groups on no CPU. */
static bool has_segments(const struct subject *subject, const struct debug *tile)
{
    return has_tile(subject, tile) && !(tile->tile == TILE_GROUP && device.is_intel) &&
           !(tile->tile == TILE_VECTOR &&
             clfold_platform_miscopies(ctx->caps.facts.platform));
}

void fold_check_segments(const struct subject *subject, unsigned first)
{
    fill(subject, FOLD_CHECK_COUNT);
    for (unsigned t = 0; t < NUM_TILES; ++t) {
        /* Half of the tiles, and one operation each. */
        const clfold_operation o = CLFOLD_REDUCE + (first + t / 2) % 3;
        if (has_segments(subject, &tiles[t]) && (first + t) % 2 == 0) {
            clfold_context_override(ctx, t > 0 ? &tiles[t] : NULL);
            check_segments(subject, o, tiles[t].tile, (first + t) / 2 % 2 != 0,
                           first + t);
        }
    }
    clfold_context_override(ctx, NULL);
}

void fold_check_segment_scans(const struct subject *subject, unsigned first)
{
    fill(subject, FOLD_CHECK_COUNT);
    for (unsigned t = 0; t < NUM_TILES; ++t) {
        clfold_context_override(ctx, t > 0 ? &tiles[t] : NULL);
        /* The policy's tiles by its algorithm, others by lanes and rows: by both where a
         * text speaks of elements, else by one in turn. */
        for (unsigned by_rows = 0; by_rows < (t > 0 ? 2 : 1); ++by_rows) {
            const unsigned turn = first + t + by_rows * (first / 2);
            const bool is_next = subject->writes_of_element || (first + t) % 2 == by_rows;
            if ((t == 0 || is_next) && has_segments(subject, &tiles[t])) {
                check_segments(subject, CLFOLD_INCLUSIVE_SCAN + turn % 2, tiles[t].tile,
                               by_rows, turn);
            }
        }
    }
    clfold_context_override(ctx, NULL);
}
