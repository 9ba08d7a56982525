/*
 * Scans from the right, of every fold: operators of the library's and of the caller's,
 * with loads, results and stores, of whole inputs, rows, columns and segments by flags,
 * keys and offsets, against the serial loop; and their float bits against those of a scan
 * of the reversed elements.
 */
#include "every_fold.h"
#include "lookback.h"
#include "subjects_of_text.h"
#include "test.h"

#include "base/platform.h"

#include <stdlib.h>

#define NUM(list) (sizeof(list) / sizeof((list)[0]))

/* ---- Every fold -------------------------------------------------------------------- */

static const char *const algorithms[] = { "serial",           "scan_single_group",
                                          "reduce_then_scan", "scan_lookback",
                                          "scan_chained",     "scan_lanes" };
enum { LANES = NUM(algorithms) - 1, WHOLE = 0, ROWS = CLFOLD_BY_LENGTH };

static const size_t lengths[] = { 1, 3, 7, 16, 17, 64, 100, 333 };

/* What the scan is cut into, of about `count` elements. */
static void cut(struct trial *trial, uint32_t by, size_t count, uint64_t *seed)
{
    const size_t length = lengths[draw(seed, NUM(lengths))];

    trial->count = count;
    trial->width = 0;
    trial->cut = (enum cuts)draw(seed, NUM_CUTS);
    trial->bad = trial->tells = by == CLFOLD_BY_OFFSETS && draw(seed, 2);
    if (by == ROWS) {
        trial->width = 1;
        trial->length = length; /* the last one ends short */
    } else if (by == CLFOLD_BY_COLUMNS) {
        trial->width = 2 + draw(seed, draw(seed, 2) ? 70 : 14);
        trial->length = length;
        trial->count = (count / (trial->width * length) + (count > 0)) * length;
        trial->count *= trial->width;
        if (trial->count > MOST_ELEMENTS) {
            trial->length = MOST_ELEMENTS / trial->width;
            trial->count = trial->length * trial->width;
        }
    }
}

/* One program of a fold and a tile, by what the turn draws, and calls of many kinds. */
static void check(struct trial trial, size_t turn)
{
    const struct subject *s = trial.subject;
    const size_t tile = trial.plan.tile_elements ? trial.plan.tile_elements : 64;
    const size_t counts[] = { 0,    1,        2,    15,   17,           tile - 1,
                              tile, tile + 1, 4999, 1009, 4 * tile - 1, 5 * tile };
    const bool is_long = s && s->size > (s->fold.type_name ? 32 : 56);
    uint64_t seed = turn;
    const uint32_t by = (uint32_t)draw(&seed, CLFOLD_BY_COLUMNS + 1);
    const bool are_lanes = by == CLFOLD_BY_COLUMNS || (by == ROWS && draw(&seed, 2));
    /* Rows have no "serial". */
    const size_t a = are_lanes    ? LANES
                     : by == ROWS ? 1 + draw(&seed, LANES - 1)
                                  : draw(&seed, LANES);
    const bool has_identity = s ? s->identity != NULL : true;
    const bool may_have_init = !s || !s->fill || s->fill_init;

    if (s ? s->fold.op >= CLFOLD_ARG_MIN && s->fold.op <= CLFOLD_ARG_MIN_MAX
          : is_arg(trial.op)) {
        return;
    }
    trial.reverse = true;
    trial.operation = scan_of(draw(&seed, 2) && (has_identity || may_have_init));
    trial.algorithm = draw(&seed, 5) == 0                       ? NULL
                      : is_long && may_look_back(algorithms[a]) ? "reduce_then_scan"
                                                                : algorithms[a];
    if (by && by < ROWS) {
        trial.by = by;
        trial.head_type = draw_head_type(by, &seed);
        trial.loose = by == CLFOLD_BY_KEYS && draw(&seed, 3) == 0;
        trial.num_at = by == CLFOLD_BY_OFFSETS && turn % 2;
        /* PoCL 3.1's compiler dies of these in blocks, of five components. */
        if (device.is_pocl && trial.plan.tile == TILE_GROUP && trial.algorithm &&
            may_look_back(trial.algorithm)) {
            trial.plan.anchor = 1;
        }
    }
    trial.zones = true;
    trial.count_at = by < ROWS && turn / 2 % 2;
    trial.may_refuse = device.is_rusticl;
    for (size_t c = 0; c < NUM(counts); ++c) {
        cut(&trial, by, counts[c], &seed);
        trial.more = trial.num_at ? draw(&seed, 2000) >> draw(&seed, 12) : 0;
        trial.init = (enum init_from)draw(&seed, 3);
        trial.init = !may_have_init ? INIT_NONE : trial.init;
        trial.total = draw(&seed, 2) ? TOTAL_APART : TOTAL_NONE;
        if (!has_identity && !trial.init && (trial.count == 0 || trial.count_at)) {
            trial.total = TOTAL_NONE;
        }
        if (!has_identity && !trial.init && trial.operation == CLFOLD_EXCLUSIVE_SCAN) {
            trial.init = INIT_HOST;
        }
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

/* One fold by all kinds of segments: its texts know of rows or not. It comes first, so
 * that no other has made the fold for rows. */
static void test_forms(void **state)
{
    static const uint32_t ways[] = { WHOLE, ROWS, CLFOLD_BY_OFFSETS, CLFOLD_BY_COLUMNS,
                                     WHOLE };
    uint64_t seed = 1;

    (void)state;
    for (size_t w = 0; w < NUM(ways); ++w) {
        struct trial trial = { .op = CLFOLD_ADD,
                               .pair = { CLFOLD_U16, CLFOLD_U64 },
                               .operation = CLFOLD_INCLUSIVE_SCAN,
                               .reverse = true,
                               .by = ways[w] == CLFOLD_BY_OFFSETS ? ways[w] : 0,
                               .head_type = CLFOLD_U32,
                               .zones = true,
                               .may_refuse = device.is_rusticl };
        cut(&trial, ways[w], 1009, &seed);
        check_somewhere(trial, &seed);
    }
}

/* ---- The places that texts see ----------------------------------------------------- */

/* Of element i of rows or columns. */
struct place {
    size_t segment, rank;
};

static struct place place_of(size_t i, size_t width, size_t length)
{
    const size_t block = i / (width * length), rest = i % (width * length);

    return (struct place){ block * width + rest % width, rest / width };
}

static void test_segment_and_rank(void **state)
{
    enum { COUNT = 16 * 5 * 40 };
    static cl_uint values[COUNT], found[COUNT];
    static const char *const names[] = { NULL, "scan_lanes", "reduce_then_scan" };
    const size_t widths[] = { 1, 5, 16 };
    cl_mem in, out = coloured_buffer(sizeof(found));

    (void)state;
    for (cl_uint i = 0; i < COUNT; ++i) {
        values[i] = i * 2654435761u;
    }
    in = copied_buffer(values, sizeof(values));
    for (size_t k = 0; k < NUM(widths) * NUM(names) * NUM_TRIAL_TILES; ++k) {
        const size_t width = widths[k % NUM(widths)], length = width > 1 ? 20 : 33;
        const size_t count = width > 1 ? COUNT : COUNT - 5;
        const struct debug *plan = &trial_tiles[k / NUM(widths) / NUM(names)];
        const clfold_segments segments = { .by = width > 1 ? CLFOLD_BY_COLUMNS
                                                           : CLFOLD_BY_LENGTH,
                                           .columns = width > 1 ? width : 0,
                                           .length = length };
        const clfold_fold fold = { .op = CLFOLD_ADD,
                                   .type = CLFOLD_U32,
                                   .flags = CLFOLD_REVERSE,
                                   .segments = &segments,
                                   .algorithm = names[k / NUM(widths) % NUM(names)],
                                   .load = "(x ^ in[i]) + to_u32(segment * 1000 + rank)",
                                   .result =
                                       "item * 7 + to_u32(segment + 3 * rank) + x" };
        if (!policy_has_tile(plan->tile) || (width > 1 && k / NUM(widths) % 3 == 2)) {
            continue;
        }
        clfold_context_override(ctx, plan);
        assert_ok(call_operation(CLFOLD_INCLUSIVE_SCAN, &fold, in, 0, out, 0, count));
        assert_int_equal(clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, count * 4,
                                             found, 0, NULL, NULL),
                         CL_SUCCESS);
        for (size_t i = 0; i < count; ++i) {
            const struct place p = place_of(i, width, length);
            cl_uint item = 0;
            for (size_t r = p.rank, e = i; r < length && e < count; ++r, e += width) {
                item += (cl_uint)(p.segment * 1000 + r);
            }
            assert_int_equal(found[i],
                             item * 7 + (cl_uint)(p.segment + 3 * p.rank) + values[i]);
        }
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* ---- Float bits -------------------------------------------------------------------- */

/* Those of the same scan of the reversed elements. */
static void test_bits(void **state)
{
    enum { COUNT = 20011 };
    static cl_float values[COUNT], reversed[COUNT], there[COUNT + 1], back[COUNT + 1];

    (void)state;
    for (size_t i = 0; i < COUNT; ++i) {
        values[i] = (cl_float)(i * 2654435761u % 16777213) * 0x1p-20f - 8;
        reversed[COUNT - 1 - i] = values[i];
    }
    for (size_t k = 0; k < SCAN_TILES * LANES; ++k) {
        struct trial trial = { .op = CLFOLD_ADD,
                               .pair = { CLFOLD_F32, CLFOLD_F32 },
                               .operation = scan_of(k % 2),
                               .algorithm = algorithms[k % LANES],
                               .plan = scan_tiles[k / LANES],
                               .count = COUNT,
                               .total = TOTAL_APART,
                               .depth = COUNT,
                               .may_refuse = device.is_rusticl };
        const struct subject sum = { FOLD(.name = "sum", SUM_OF(CLFOLD_F32)), ON_F32 };
        if (!policy_has_tile(trial.plan.tile)) {
            continue;
        }
        trial.subject = &sum; /* whose elements a trial may have */
        trial.depth = 0;
        trial.unknown = true;
        trial.elements = reversed;
        const bool runs = trial_check(&trial, there);
        trial.elements = values;
        trial.reverse = true;
        if (runs && trial_check(&trial, back)) {
            for (size_t i = 0; i < COUNT; ++i) {
                assert_memory_equal(&back[i], &there[COUNT - 1 - i], sizeof(back[i]));
            }
            assert_memory_equal(&back[COUNT], &there[COUNT], sizeof(back[COUNT]));
        }
    }
}

/* ---- What is refused --------------------------------------------------------------- */

static void test_refused(void **state)
{
    const clfold_part part = { .whole = 16 };
    const struct {
        clfold_operation operation;
        clfold_fold fold;
        clfold_status status;
        const char *what;
    } cases[] = {
        { CLFOLD_REDUCE, { SUM }, CLFOLD_ERROR_ARGUMENT, "is only for scans" },
        { CLFOLD_MAP, { .type = CLFOLD_U32 }, CLFOLD_ERROR_ARGUMENT, "only for scans" },
        { CLFOLD_INCLUSIVE_SCAN,
          { SUM, .part = &part },
          CLFOLD_ERROR_UNSUPPORTED,
          "flags: CLFOLD_REVERSE is given, but a part has none in this version" },
        { CLFOLD_INCLUSIVE_SCAN,
          { .op = CLFOLD_ARG_MAX, .type = CLFOLD_U32 },
          CLFOLD_ERROR_UNSUPPORTED,
          "operators that give places have none" },
        { CLFOLD_INCLUSIVE_SCAN,
          { SUM, .algorithm = "scan_then_propagate" },
          CLFOLD_ERROR_UNSUPPORTED,
          "combines results, which a scan from the right writes elsewhere" },
    };
    const cl_mem mem = coloured_buffer(1024);

    (void)state;
    for (size_t i = 0; i < NUM(cases); ++i) {
        clfold_fold fold = cases[i].fold;
        fold.flags = CLFOLD_REVERSE;
        assert_int_equal(call_operation(cases[i].operation, &fold, mem, 0, mem, 128, 16),
                         cases[i].status);
        if (!strstr(clfold_last_error(), cases[i].what)) {
            fail_msg("\"%s\" is not in \"%s\"", cases[i].what, clfold_last_error());
        }
    }
    clReleaseMemObject(mem);
}

TEST_MAIN("reverse", open_context, close_context, cmocka_unit_test(test_forms),
          cmocka_unit_test(test_refused), cmocka_unit_test(test_segment_and_rank),
          cmocka_unit_test(test_bits), cmocka_unit_test(test_texts),
          cmocka_unit_test(test_operators))
