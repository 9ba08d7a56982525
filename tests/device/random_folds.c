/*
 * Random operators, see random_fold.h, in random calls by random algorithms, on each kind
 * of tile, and selects of their elements by random conditions, against the loop on the
 * host.
 */
#include <clfold/experimental.h>
#include "clspy.h"
#include "lookback.h"
#include "random_fold.h"
#include "select_trial.h"
#include "test.h"

#include "ops/context.h"
#include "plan/scalar.h"

#define SEED  1
#define FOLDS 10 /* on a device */
#define WAYS  3  /* of each: by an algorithm on a tile */
#define CALLS 12 /* of each way */
#define MOST  8000
#define ZONE  16 /* of offsets */

static uint64_t below(uint64_t *random, uint64_t n)
{
    return (next_random(random) >> 16) % n;
}

/* Whether each call is made twice, first with scratch that is one word again and again,
 * of any magnitude, before each launch, as if the launches before had not run. Any result
 * is right then, but nothing outside the call's buffers is touched. */
static bool spoils;

static void spoil(void)
{
    static uint64_t random = SEED;

    for (const struct block *b = ctx->scratch.blocks; b; b = b->next) {
        const uint64_t bits = next_random(&random) >> 40, drawn = next_random(&random);
        const cl_ulong word = (bits & 64 ? drawn : UINT64_MAX) >> bits % 64;
        assert_true(!b->lent ||
                    clEnqueueFillBuffer(device.queue, b->mem, &word, sizeof(word), 0,
                                        b->size / sizeof(word) * sizeof(word), 0, NULL,
                                        NULL) == CL_SUCCESS);
    }
}

struct way {
    const char *algorithm; /* NULL: the policy's */
    struct debug plan;
};

/* A wrong result shows the fold as well. Returns whether the call could be made. */
static bool judge(const struct random_fold *fold, enum trial_end end, const char *why)
{
    if (end == TRIAL_WRONG) {
        struct text text = { 0 };
        if (fold) {
            random_fold_print(fold, &text);
        }
        fail_msg("%s\n%s", why, fold ? text.bytes : "");
    }
    return end == TRIAL_RIGHT;
}

static bool check(const struct random_fold *fold, const struct trial *drawn)
{
    struct trial trial = *drawn;
    bool is_right = false;
    char why[1024];

    trial.disorder &= !spoils;
    for (int again = spoils; again >= 0; --again) {
        trial.unknown = again;
        trial.zones |= again;
        clspy_before_launch(again ? spoil : NULL);
        is_right = judge(fold, trial_run(&trial, NULL, why, sizeof(why)), why);
    }
    return is_right;
}

/* ---- A fold ------------------------------------------------------------------------ */

static bool has_tile(const struct random_fold *fold, enum tile_kind tile)
{
    return policy_has_tile(tile) &&
           (tile != TILE_VECTOR ||
            !(fold->fold.type_name || (fold->fold.flags & CLFOLD_PARTIAL)));
}

/* Padding after part k. */
static size_t gap_after(const struct random_fold *fold, unsigned k)
{
    size_t next = k + 1 < fold->num_parts ? fold->parts[k + 1].offset : fold->size;

    return next - fold->parts[k].offset - size_of(fold->parts[k].type);
}

static unsigned parts_of_size(const struct random_fold *fold, size_t size)
{
    unsigned num = 0;

    for (unsigned k = 0; k < fold->num_parts; ++k) {
        num += size_of(fold->parts[k].type) == size;
    }
    return num;
}

static bool has_gap(const struct random_fold *fold)
{
    size_t gaps = 0;

    for (unsigned k = 0; k < fold->num_parts; ++k) {
        gaps += fold->fold.type_name || k + 1 < fold->num_parts ? gap_after(fold, k) : 0;
    }
    return gaps > 0;
}

/* Folds that are drawn again, see docs/devices.md: Mesa 22.3 compiles padding between
 * components wrongly, and all of a type of the source; it crashes at four parts of one
 * size, and crashes at several bytes or takes the wrong ones. */
static bool is_fault_of_compiler(const struct random_fold *fold)
{
    size_t size = size_of(fold->parts[0].type);

    return device.is_rusticl && (has_gap(fold) || parts_of_size(fold, size) == 4 ||
                                 parts_of_size(fold, 1) > 1);
}

/* Faults in groups, which no CPU's policy has: PoCL 3.1's compiler dies of some scans,
 * Intel's 2026.22 takes the wrong one of two structs in exclusive ones, and Mesa's makes
 * wrong code for three shorts. Propagating, Intel's takes a comparison for a maximum. */
static bool is_known_fault(const struct random_fold *fold, const struct way *way,
                           clfold_operation operation)
{
    const bool is_scan = operation != CLFOLD_REDUCE;

    if (device.is_intel && way->algorithm && parts_of_size(fold, 2) > 0 &&
        strcmp(way->algorithm, "scan_then_propagate") == 0) {
        return true;
    }
    return policy_tile(way->plan.tile) == TILE_GROUP &&
           ((device.is_pocl && is_scan &&
             (may_look_back(way->algorithm) || fold->num_parts > 2)) ||
            (device.is_intel && operation == CLFOLD_EXCLUSIVE_SCAN &&
             fold->fold.type_name) ||
            (device.is_rusticl && parts_of_size(fold, 2) == 3));
}

static struct debug draw_plan(const struct random_fold *fold, uint64_t *random)
{
    struct debug plan = { 0 };

    do {
        plan.tile = (enum tile_kind)(TILE_VECTOR + below(random, 3));
    } while (!has_tile(fold, plan.tile) ||
             (spoils && device.is_pocl && plan.tile == TILE_GROUP));
    plan.tile_elements = 16 + (uint32_t)below(random, below(random, 2) ? 100 : 600);
    plan.group_size = plan.tile == TILE_GROUP ? 2 + (uint32_t)below(random, 63) : 0;
    plan.max_groups = 2 + (uint32_t)below(random, 6);
    plan.anchor = (uint32_t)below(random, 5);
    return plan;
}

/* The first is the policy's. */
static void draw_way(struct way *way, const struct random_fold *fold,
                     clfold_operation operation, bool is_policy, uint64_t *random)
{
    enum family family = clfold_operation_row(operation)->family;
    const struct algorithm_row *row;
    enum algorithm algorithm;

    memset(way, 0, sizeof(*way));
    if (is_policy) {
        return;
    }
    do {
        algorithm = (enum algorithm)below(random, SERIAL);
        row = clfold_algorithm_row(algorithm);
        way->algorithm = row->name;
        way->plan = draw_plan(fold, random);
    } while (row->family != family ||
             (row->reorders && !(fold->fold.flags & CLFOLD_COMMUTATIVE)) ||
             is_known_fault(fold, way, operation));
    if (row->is_rung) {
        way->plan = (struct debug){ .group_size = 2 + (uint32_t)below(random, 127),
                                    .max_groups = 2 + (uint32_t)below(random, 6) };
    }
}

static struct trial draw_trial(const struct random_fold *fold, clfold_operation operation,
                               const struct way *way, uint64_t *random)
{
    const bool each = operation != CLFOLD_REDUCE;
    const size_t tile = way->plan.tile_elements;
    struct trial trial = { .subject = random_fold_subject(fold),
                           .operation = operation,
                           .may_refuse = device.is_rusticl };

    trial.count = below(random, MOST) >> below(random, 12);
    if (tile && below(random, 3) == 0) {
        trial.count = tile * (1 + below(random, 4)) - 1 + below(random, 3);
    }
    trial.in_offset = below(random, ZONE);
    trial.out_offset = below(random, ZONE);
    trial.disorder = below(random, 4) == 0;
    trial.init = below(random, 3) == 0 ? INIT_HOST : INIT_NONE;
    trial.total = each && below(random, 2) ? TOTAL_APART : TOTAL_NONE;
    if (!fold->has_identity && (operation == CLFOLD_EXCLUSIVE_SCAN || trial.count == 0)) {
        trial.init = INIT_HOST;
    }
    trial.in_place = each && below(random, 4) == 0 && fold->in_size == fold->size;
    trial.seed = next_random(random);
    return trial;
}

static bool propagates(const struct way *way)
{
    return way->algorithm && strcmp(way->algorithm, "scan_then_propagate") == 0;
}

/* By each way, in its turn by calls that fit it. */
static size_t check_fold(const struct random_fold *fold, clfold_operation operation,
                         bool by_serial, uint64_t random)
{
    struct way ways[WAYS];
    const bool count_at = random >> 40 & 1;
    const bool reverse = operation != CLFOLD_REDUCE && random >> 41 & 1;
    size_t num = 0;

    for (size_t w = 0; w < WAYS; ++w) {
        draw_way(&ways[w], fold, operation, w == 0, &random);
    }
    if (by_serial) {
        ways[WAYS - 1] = (struct way){ .algorithm = "serial" };
    }
    for (size_t c = 0; c < CALLS; ++c) {
        struct trial drawn =
            draw_trial(fold, operation, &ways[1 + c % (WAYS - 1)], &random);
        drawn.count_at = count_at;
        drawn.reverse = reverse;
        drawn.spare = trial_spare(&drawn);
        drawn.init = count_at && !fold->has_identity ? INIT_HOST : drawn.init;
        for (size_t w = 0; w < WAYS; ++w) {
            struct trial trial = drawn;
            trial.algorithm = ways[w].algorithm;
            trial.plan = ways[w].plan;
            num += !is_known_fault(fold, &ways[w], operation) &&
                   !(reverse && propagates(&ways[w])) && check(fold, &trial);
        }
    }
    return num;
}

/* Reductions of segments whose lengths are drawn as well, by offsets, flags or keys, and
 * by the policy's tile or a drawn one. */
static size_t check_segments(const struct random_fold *fold, uint64_t random)
{
    struct way way = { .algorithm = "reduce_offsets" };
    const uint32_t by = CLFOLD_BY_FLAGS + (uint32_t)below(&random, 3);
    const bool are_offsets = by == CLFOLD_BY_OFFSETS, is_narrow = below(&random, 2);
    const bool num_at = are_offsets && below(&random, 2);
    const bool tells = are_offsets && below(&random, 2);
    size_t num = 0;

    if (below(&random, 3)) {
        way.plan = draw_plan(fold, &random);
    }
    for (size_t c = 0; c < 2 * CALLS; ++c) {
        struct trial trial = draw_trial(fold, CLFOLD_REDUCE, &way, &random);
        trial.algorithm = way.algorithm;
        trial.plan = way.plan;
        trial.by = by;
        trial.head_type = is_narrow ? CLFOLD_U32 : CLFOLD_U64;
        trial.cut = below(&random, 3) ? CUT_DRAWN : (enum cuts)below(&random, NUM_CUTS);
        trial.num_at = num_at;
        trial.more = num_at ? below(&random, 500) >> below(&random, 10) : 0;
        trial.tells = tells;
        trial.bound = are_offsets ? BOUND_NONE : (enum bound)below(&random, NUM_BOUNDS);
        trial.lists = !are_offsets && below(&random, 2);
        trial.zones = true;
        trial.init = fold->has_identity || !are_offsets ? trial.init : INIT_HOST;
        num += !is_known_fault(fold, &way, CLFOLD_REDUCE) && check(fold, &trial);
    }
    return num;
}

/* ---- Selects ----------------------------------------------------------------------- */

/* What a condition asks of an item's part, or of an element that is converted. */
static struct asked {
    const struct random_fold *fold;
    clfold_type type;
    size_t offset;
    bool of_x, of_element, is_equal; /* to `than`; else greater */
    struct number than;
} asked;

static bool is_as_asked(const unsigned char *number)
{
    const int order =
        compare_numbers(asked.type, read_number(asked.type, number), asked.than);

    return asked.is_equal ? order == 0 : order > 0;
}

static bool holds(const unsigned char *elements, size_t i, size_t n)
{
    const size_t size = asked.fold->in_size ? asked.fold->in_size : asked.fold->size;
    unsigned char item[MAX_ITEM];

    if (asked.of_element) {
        return is_as_asked(elements + i * size);
    }
    random_fold_subject(asked.fold)->load(item, elements, i, n);
    return is_as_asked(item + asked.offset);
}

/* Of a scan's items. */
static bool item_holds(const void *item, const void *prev, const unsigned char *elements,
                       size_t i)
{
    (void)prev;
    return asked.of_x ? holds(elements, i, 0)
                      : is_as_asked((const unsigned char *)item + asked.offset);
}

/* Neighbours are equal where the same holds of both. */
static bool starts_run(const unsigned char *elements, size_t i, size_t n)
{
    return i == 0 || holds(elements, i - 1, n) != holds(elements, i, n);
}

/* Of a value that elements have. `text` is the condition's, to be finished. */
static struct condition draw_condition(const struct random_fold *fold, struct text *text,
                                       uint64_t *random)
{
    static const char *const parts[] = { ".p", ".q", ".r", ".s" };
    const bool is_bare = fold->num_parts == 1 && !fold->fold.type_name;
    const struct subject *subject = random_fold_subject(fold);
    const unsigned k = (unsigned)below(random, fold->num_parts);
    const bool are_runs = below(random, 2), of_x = !are_runs && below(random, 2);
    const bool scans = !are_runs && below(random, 2);
    const char *const names[] = { are_runs ? "a" : of_x ? "x" : "item", "b" };
    unsigned char element[MAX_ITEM], item[MAX_ITEM];

    asked = (struct asked){ .fold = fold,
                            .type = fold->parts[k].type,
                            .offset = fold->parts[k].offset,
                            .of_x = of_x,
                            .of_element = of_x && fold->fold.in,
                            .is_equal = below(random, 4) == 0 };
    subject->fill(element, 1, next_random(random));
    subject->load(item, element, 0, 1);
    asked.than = read_number(asked.type, item + asked.offset);
    if (asked.of_element) {
        asked.type = fold->fold.in;
        asked.than = read_number(asked.type, element);
    }
    for (int side = 0; side < (are_runs ? 2 : 1); ++side) {
        clfold_text_print(text, "%s(%s%s", side ? " == " : "", names[side],
                          is_bare ? "" : parts[k]);
        clfold_text_print(text, asked.is_equal ? " == (%s)" : " > (%s)",
                          clfold_scalar(asked.type)->cl);
        random_number_print(text, asked.type, asked.than);
        clfold_text_print(text, ")");
    }
    return (struct condition){ text->bytes, are_runs ? starts_run : holds, are_runs,
                               scans, scans ? item_holds : NULL };
}

static size_t check_selects(const struct random_fold *fold, uint64_t random)
{
    struct text text = { 0 };
    struct select_trial trial = { .subject = random_fold_subject(fold),
                                  .condition = draw_condition(fold, &text, &random),
                                  .may_refuse = device.is_rusticl };
    const struct algorithm_row *row;
    struct way way;
    size_t num = 0;

    if (below(&random, 3)) {
        do {
            row = clfold_algorithm_row((enum algorithm)below(&random, SERIAL));
            way = (struct way){ row->name, draw_plan(fold, &random) };
        } while (!row->selects || (trial.condition.scans &&
                                   is_known_fault(fold, &way, CLFOLD_INCLUSIVE_SCAN)));
        trial.algorithm = way.algorithm;
        trial.plan = way.plan;
    }
    for (size_t c = 0; c < 2 * CALLS; ++c) {
        char why[1024];
        trial.count = below(&random, MOST) >> below(&random, 12);
        trial.in_offset = below(&random, ZONE);
        trial.out_offset = below(&random, ZONE);
        trial.disorder = below(&random, 4) == 0 && !spoils;
        trial.rest = below(&random, 2);
        trial.lengths = below(&random, 2);
        trial.seed = next_random(&random);
        for (int again = spoils; again >= 0; --again) {
            trial.unknown = again;
            clspy_before_launch(again ? spoil : NULL);
            num += judge(fold, select_trial_run(&trial, why, sizeof(why)), why);
        }
    }
    clfold_text_finish(&text);
    return num;
}

/* The argument's value is its buffer's element 1. */
static cl_mem new_table(struct random_fold *fold)
{
    unsigned char values[16] = { 0 };
    cl_mem table;

    memcpy(values + size_of(fold->has_arg ? fold->arg_type : CLFOLD_U64), fold->arg_value,
           8);
    table = copied_buffer(values, sizeof(values));
    if (fold->arg_is_buffer) {
        fold->arg.mem = table;
    }
    return table;
}

/* CLFOLD_TEST_SEED draws others. It is not the time that draws: new operators find new
 * faults of compilers, and a change shall be judged by what it changes. */
static void test_property(void **state)
{
    static struct random_fold fold;
    const char *named = getenv("CLFOLD_TEST_SEED");
    uint64_t random = named ? strtoull(named, NULL, 0) : SEED;
    size_t num = 0, num_folds = 0;

    spoils = *state != NULL;
    const size_t most = spoils ? FOLDS / 2 : FOLDS;
    while (num_folds < most) {
        const clfold_operation operation =
            CLFOLD_REDUCE + (clfold_operation)below(&random, 3);
        random_fold_init(&fold, next_random(&random), device.has_f16, device.has_f64);
        if (!is_fault_of_compiler(&fold)) {
            cl_mem table = new_table(&fold);
            num += check_fold(&fold, operation, num_folds % 4 == 0, next_random(&random));
            num += check_segments(&fold, random);
            for (int k = 0; k < (spoils ? 5 : 1); ++k) {
                num += check_selects(&fold, k > 0 ? next_random(&random) : random);
            }
            clReleaseMemObject(table);
            ++num_folds;
        }
        random_fold_finish(&fold);
    }
    print_message("%zu folds, %zu calls\n", most, num);
    assert_true(num > most * CALLS);
}

/* Each operation and kind of segments: none, flags, keys, offsets, rows, columns. */
static void test_spoilt_calls(void **state)
{
    (void)state;
    spoils = true;
    for (unsigned k = 0; k < 3 * 6; ++k) {
        const unsigned by = k / 3;
        struct trial trial = { .op = CLFOLD_ADD, .pair = { CLFOLD_U32, CLFOLD_U32 } };
        trial.operation = CLFOLD_REDUCE + (clfold_operation)(k % 3);
        trial.plan = (struct debug){ .tile_elements = 64, .max_groups = 5 };
        trial.count = 4900;
        trial.by = by <= CLFOLD_BY_OFFSETS ? by : 0;
        trial.head_type = CLFOLD_U32;
        trial.tells = by == CLFOLD_BY_OFFSETS;
        trial.lists = trial_reduces(&trial) && trial.by && !trial.tells;
        trial.width = by < 4 ? 0 : by == 4 ? 1 : 7;
        trial.length = 700;
        check(NULL, &trial);
    }
}

TEST_MAIN("random_folds", open_context, close_context, cmocka_unit_test(test_property),
          cmocka_unit_test(test_spoilt_calls),
          { .name = "test_spoilt", .test_func = test_property, .initial_state = &spoils })
