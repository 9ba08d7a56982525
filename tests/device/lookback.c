/*
 * Look-back held up in every way that held_up.cl knows: blocked groups, delays, few spins
 * and none, epochs that wrap around. No delay may change a bit of reduce_then_scan's
 * results, each missing tile is folded once by a group, and the traces show that the
 * delays did happen.
 */
#include <clfold/experimental.h>

#include "held_up.h"
#include "lookback.h"
#include "subjects_of_text.h"
#include "test.h"

#include "ops/context.h"
#include "plan/plan.h"

/* ---- Subjects ---------------------------------------------------------------------- */

/* Factors are about one, or sums of them grow too fast. */
static void fill_maps(void *maps, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < 2 * count; ++i) {
        const cl_float real = (cl_float)(next_random(&seed) >> 40) * 0x1p-24F;
        ((cl_float *)maps)[i] = i % 2 ? real - 0.5F : 0.9F + 0.2F * real;
    }
}

static void fill_map(void *map, uint64_t seed)
{
    fill_maps(map, 1, seed);
}

static const struct subject affine_f32 = {
    .fold = { .name = "affine f32", .op = CLFOLD_AFFINE, .type = CLFOLD_F32 },
    .size = 2 * sizeof(cl_float),
    .fill = fill_maps,
    .fill_init = fill_map,
};

/* Heads of each kind, by the seed; sums that round. */
#define CUT_TILE 16
static void fill_cut(void *elements, size_t count, uint64_t seed)
{
    fill_segments(elements, count, true, (enum heads)(seed % NUM_HEADS), CUT_TILE, true);
}

static const struct subject cut_f32 = {
    .fold = { .name = "f32 with cuts",
              .components = "float v; float f",
              .combine = "{ b.f != 0 ? b.v : a.v + b.v, b.f != 0 ? b.f : a.f }",
              .identity = "{ -0.0f, 0 }",
              .cuts = "b.f != 0" },
    .size = 2 * sizeof(cl_float),
    .fill = fill_cut,
};

/* Sums of floats round, within the bound of any order. */
#define MOST             (1 << 18) /* elements, the longest */
#define ADD_OF(in, type) .op = CLFOLD_ADD, .pair = { in, type }
#define FLOATS(type)     ADD_OF(type, type), .depth = MOST

/* What is scanned; the last in segments, of which each tile has a head by flags, and of
 * which each has some tiles in rows. */
static const struct {
    const char *name;
    struct trial scan;
} subjects[] = {
    { "f32", { FLOATS(CLFOLD_F32) } },
    { "affine f32", { .subject = &affine_f32, .unknown = true } },
    { "i32", { ADD_OF(CLFOLD_I32, CLFOLD_I32) } },
    { "u8 into u64", { ADD_OF(CLFOLD_U8, CLFOLD_U64) } },
    { "f64", { FLOATS(CLFOLD_F64) } },
    { "affine u32", { .subject = &affine } },
    { "arg-min-max of i64",
      { .op = CLFOLD_ARG_MIN_MAX, .pair = { CLFOLD_I64, CLFOLD_I64 } } },
    { "f32 by flags",
      { FLOATS(CLFOLD_F32), .by = CLFOLD_BY_FLAGS, .head_type = CLFOLD_U8,
        .cut = CUT_AT_TILES } },
    { "f32 in rows", { FLOATS(CLFOLD_F32), .width = 1, .length = 1100 } },
};
#define NUM_SUBJECTS (sizeof(subjects) / sizeof(subjects[0]))

/* ---- Runs -------------------------------------------------------------------------- */

#define MOST_TILES 600
#define FOLDED     (MOST_TILES * 20)

/* One call, and what holds it up. */
struct look {
    struct trial scan;
    uint32_t block_every, seed;
};

/* What the device has of a trace. */
struct trace {
    struct held_up head;
    clfold_tile_trace records[MOST_TILES];
    cl_ulong folded[FOLDED];
};

/* Results, the total after them, and the trace: of reduce_then_scan, and of the last look
 * at the same elements. */
static struct outcome {
    unsigned char bytes[4 * MOST + MAX_RESULT];
    struct trace trace;
    size_t num_tiles;
} expected, found;

static cl_mem trace_mem;

/* An inclusive scan of whole tiles, without spins. */
static struct look look_over(const struct trial *scan, struct debug plan,
                             enum memory_tier tier, size_t num_tiles)
{
    struct look look = { .scan = *scan };

    look.scan.operation = CLFOLD_INCLUSIVE_SCAN;
    look.scan.algorithm = "scan_lookback";
    look.scan.count = num_tiles * plan.tile_elements;
    look.scan.plan = plan;
    look.scan.plan.tier = tier;
    look.scan.plan.spins = 1;
    return look;
}

static void print_look(const struct look *look, char *text, size_t size)
{
    trial_print(&look->scan, text, size);
    snprintf(text + strlen(text), size - strlen(text),
             ", window %u, every %u blocked, %d spins, delays %u", look->scan.plan.window,
             look->block_every, (int)look->scan.plan.spins - 1, look->seed);
}

/* Traced if it looks back, and then only rejected for a valid reason. Returns false in
 * this case. */
static bool run(const struct look *look, struct outcome *outcome)
{
    struct trial scan = look->scan;
    struct debug *plan = &scan.plan;
    struct trace *trace = &outcome->trace;
    /* Work-items have a run each, all of one length. */
    const size_t each = plan->group_size ? plan->group_size : 1;
    const size_t tile = plan->tile_elements / each * each;
    const size_t length = scan.length ? scan.length : scan.count;
    const size_t rows = scan.length ? scan.count / length + 1 : 1;

    outcome->num_tiles = rows * ((length + tile - 1) / tile) + 1;
    assert_true(outcome->num_tiles <= MOST_TILES);
    assert_true(scan.count * trial_result_size(&scan) <=
                sizeof(outcome->bytes) - MAX_RESULT);
    *trace = (struct trace){ .head = { .block_every = look->block_every,
                                       .seed = look->seed,
                                       .num_tiles = MOST_TILES,
                                       .folded_room = FOLDED } };
    write_buffer(trace_mem, 0, offsetof(struct trace, folded), trace);
    scan.in_offset = scan.in_place ? scan.out_offset : 0;
    if (may_look_back(scan.algorithm)) {
        plan->trace = trace_mem;
        scan.may_refuse = true;
        scan.unknown = true; /* but to the caller, who has the bits */
    }
    if (!trial_check(&scan, outcome->bytes)) {
        assert_true(is_due_refusal(&device, scan.algorithm, plan, scan.in_place,
                                   CLFOLD_ERROR_UNSUPPORTED));
        return false;
    }
    load_buffer(trace_mem, 0, sizeof(*trace), trace);
    return true;
}

static void run_plainly(const struct look *look)
{
    struct look plain = *look;

    plain.scan.algorithm = "reduce_then_scan";
    run(&plain, &expected);
}

static int compare_folded(const void *a, const void *b)
{
    cl_ulong x = *(const cl_ulong *)a, y = *(const cl_ulong *)b;

    return x < y ? -1 : x > y;
}

/* As many tiles say that they folded one for it as the log does, if all are near. */
static void check_helpers(const char *text, size_t num)
{
    for (size_t x = 0; x < found.num_tiles; ++x) {
        size_t helpers = 0, logged = 0;
        for (size_t t = x + 1; t < found.num_tiles && t <= x + 64; ++t) {
            helpers += found.trace.records[t].folded >> (t - x - 1) & 1;
        }
        for (size_t i = 0; i < num; ++i) {
            logged += (cl_uint)found.trace.folded[i] == x;
        }
        if (helpers > logged || (found.num_tiles <= 65 && helpers < logged)) {
            fail_msg("%s: %zu tiles say they folded tile %zu, %zu logged", text, helpers,
                     x, logged);
        }
    }
}

/* No group folds a tile twice that is not its own. */
static void check_folded(const char *text)
{
    cl_ulong *folded = found.trace.folded;
    size_t num = found.trace.head.num_folded, fallbacks = 0;

    if (num > FOLDED) {
        fail_msg("%s: %zu tiles folded for others", text, num);
    }
    qsort(folded, num, sizeof(*folded), compare_folded);
    for (size_t i = 1; i < num; ++i) {
        if (folded[i] == folded[i - 1]) {
            fail_msg("%s: group %u folded tile %u twice", text,
                     (cl_uint)(folded[i] >> 32), (cl_uint)folded[i]);
        }
    }
    for (size_t t = 0; t < found.num_tiles; ++t) {
        fallbacks += found.trace.records[t].fallbacks;
    }
    if (fallbacks != num) {
        fail_msg("%s: %zu fallbacks traced, %zu logged", text, fallbacks, num);
    }
    check_helpers(text, num);
}

/* After run_plainly(). Returns false where it was rejected. */
static bool check_run(const struct look *look)
{
    const size_t size = trial_result_size(&look->scan);
    const size_t num = look->scan.count + (look->scan.total != TOTAL_NONE);
    char text[1024];

    print_look(look, text, sizeof(text));
    if (!run(look, &found)) {
        return false;
    }
    for (size_t i = 0; i < num; ++i) {
        if (memcmp(expected.bytes + i * size, found.bytes + i * size, size) != 0) {
            fail_msg("%s: result %zu differs", text, i);
        }
    }
    check_folded(text);
    return true;
}

/* ---- Blocked groups ---------------------------------------------------------------- */

#define TILES_OF(kind, elements, size, groups)                                           \
    {                                                                                    \
        .tile = kind, .tile_elements = elements, .group_size = size,                     \
        .max_groups = groups                                                             \
    }

static const struct debug tiles[] = {
    TILES_OF(TILE_VECTOR, 16, 0, 9),   TILES_OF(TILE_VECTOR, 128, 0, 7),
    TILES_OF(TILE_VECTOR, 100, 0, 70), TILES_OF(TILE_GROUP, 100, 6, 5),
    TILES_OF(TILE_GROUP, 256, 64, 16), TILES_OF(TILE_GROUP, 16, 4, 17),
};
#define NUM_TILES (sizeof(tiles) / sizeof(tiles[0]))

static const uint32_t windows[] = { 1, 3, 32 };

/* More than one window. */
#define TILES_HERE 70

static size_t num_refused, num_run, helped_in_place;

static void check_look(const struct look *look)
{
    if (!check_run(look)) {
        ++num_refused;
        return;
    }
    ++num_run;
    /* Nothing before a tile that has a head matters. */
    for (size_t t = 0; look->scan.by && t < found.num_tiles; ++t) {
        assert_int_equal(found.trace.records[t].depth, 0);
    }
    if (look->scan.in_place) {
        helped_in_place += found.trace.head.num_folded;
    } else if (look->block_every > 0 && found.trace.head.num_folded == 0) {
        char text[1024];
        print_look(look, text, sizeof(text));
        fail_msg("%s: no tile was folded for another", text);
    }
}

/* Blocked groups at each rate, by each bound, apart and in place. */
static void check_blocked(struct look *look)
{
    const uint32_t rates[] = { 0, 2, 3, 4 };
    const bool can_be_in_place =
        trial_element_size(&look->scan) == trial_result_size(&look->scan);

    run_plainly(look);
    for (size_t k = 0; k < 4 * 2 * 2; ++k) {
        look->block_every = rates[k % 4];
        look->scan.plan.spins = k / 4 % 2 ? 1 + 5 : 1;
        look->scan.in_place = k / 8;
        look->seed = k % 3 == 2 ? (uint32_t)k : 0;
        if (!look->scan.in_place || can_be_in_place) {
            check_look(look);
        }
    }
    /* The policy's spins. */
    look->scan.plan.spins = 0;
    look->scan.in_place = false;
    look->block_every = 3;
    check_look(look);
}

/* That whose looks take longest, and so what waits for so many of them. */
static enum memory_tier slow_tier(void)
{
    return has_tier(&device, MEMORY_LEGACY_64) ? MEMORY_LEGACY_64 : best_tier(&device);
}

static enum memory_tier tier_here(size_t turn)
{
    enum memory_tier has[CLFOLD_MEMORY_TIERS] = { MEMORY_NONE };
    size_t num = 0;

    for (enum memory_tier tier = MEMORY_SCOPED_64; tier < CLFOLD_MEMORY_TIERS; ++tier) {
        if (has_tier(&device, tier)) {
            has[num++] = tier;
        }
    }
    assert_true(num > 0);
    return has[turn % num];
}

static void report_runs(void)
{
    print_message("%zu runs, %zu refused, %zu tiles helped in place\n", num_run,
                  num_refused, helped_in_place);
    assert_true(num_run > 0);
    num_run = num_refused = helped_in_place = 0;
}

/* The first subject on each tile, others on one of each kind. Sums of s and t below are
 * such that each of their values meets each of the others', and both kinds of tile. */
static void test_subject(void **state)
{
    const size_t s = (size_t)(uintptr_t)*state;
    const struct trial *scan = &subjects[s].scan;
    const uint32_t anchors[] = { 1, 3, 4 };

    if (scan->pair.type && !device_has(&device, scan->pair.type)) {
        print_message("%s has no %s\n", device.name, name_of(scan->pair.type));
        skip();
    }
    for (size_t t = s == 0 ? 0 : (s + 2) % 3; t < NUM_TILES; t += s == 0 ? 1 : 3) {
        const bool turn = (s + t / 3) % 2;
        struct look look = look_over(scan, tiles[t], tier_here(s + t), TILES_HERE);
        struct debug *plan = &look.scan.plan;
        plan->anchor = anchors[(s + t + t / 3) % 3];
        /* PoCL 3.1's compiler dies of a group's tiles in blocks, of items so wide. */
        if (device.is_pocl && is_arg(scan->op) && plan->tile == TILE_GROUP) {
            plan->anchor = 1;
        }
        plan->window = windows[(2 * s + t / 2) % 3];
        if (scan->by) {
            plan->tile_elements = 100; /* none without a head */
        }
        look.scan.operation = scan_of(turn);
        look.scan.init = (s + t + t / 2) % 2 || is_arg(scan->op) ? INIT_HOST : INIT_NONE;
        look.scan.total = (s + t + t / 3) % 2 ? TOTAL_BEHIND : TOTAL_NONE;
        look.scan.count = TILES_HERE * plan->tile_elements - 5;
        look.scan.out_offset = s * t % 17;
        look.scan.seed = s + t;
        look.scan.algorithm = t % 2 ? "scan_chained" : "scan_lookback";
        check_blocked(&look);
    }
    report_runs();
}

/* ---- Delays ------------------------------------------------------------------------ */

#define SEEDS 1000

/* Sums that round, by one program, with every delay between what groups publish: if
 * totals were folded in the order in which they are found, the bits would differ. */
static void test_seeds(void **state)
{
    struct look look =
        look_over(&subjects[0].scan, tiles[0], slow_tier(), (size_t)2 * TILES_HERE);
    size_t depths = 0, fallbacks = 0, late = 0;

    look.scan.total = TOTAL_BEHIND;
    /* PoCL gives a worker no less than 32 groups at once. */
    look.scan.plan.max_groups = MOST_TILES;
    look.scan.plan.anchor = 1;
    run_plainly(&look);
    for (uint32_t seed = 1; seed <= SEEDS; ++seed) {
        look.seed = seed;
        look.scan.plan.spins = 1 + (seed % 4 == 0 ? 0 : seed % 4 == 1 ? 200 : 1 << 12);
        look.block_every = seed % 5 == 0 ? 2 + seed % 3 : 0;
        assert_true(check_run(&look));
        for (size_t t = 0; t < found.num_tiles; ++t) {
            depths += found.trace.records[t].depth;
            fallbacks += found.trace.records[t].fallbacks;
            late += t >= 20 && found.trace.records[t].started > 0 &&
                    found.trace.records[t - 20].started > found.trace.records[t].started;
        }
    }
    print_message("mean depth %.2f, %.2f fallbacks a run\n",
                  (double)depths / SEEDS / (double)(2 * TILES_HERE),
                  (double)fallbacks / SEEDS);
    assert_true(depths > 0 && fallbacks > 0);
    /* Tiles are taken in the order in which groups start, whatever their numbers. */
    print_message("%zu tiles began after one 20 further on\n", late);
    assert_true(late < SEEDS);
    /* What may wait as long as it takes, does: no tile is folded for another. */
    look.scan.plan.spins = 1u << 30;
    look.block_every = 0;
    for (look.seed = 1; look.seed <= 200; ++look.seed) {
        assert_true(check_run(&look));
        assert_int_equal(found.trace.head.num_folded, 0);
    }
}

#define RUNS_IN_PLACE      300
#define MOST_RUNS_IN_PLACE 6000

/* Helpers fold long tiles that their owners overwrite meanwhile; runs go on until there
 * are any, where groups run side by side. */
static void test_in_place(void **state)
{
    const struct debug plan = TILES_OF(TILE_VECTOR, 512, 0, MOST_TILES);
    struct look look = look_over(&subjects[0].scan, plan, best_tier(&device), MOST / 512);
    size_t helped = 0;

    if (!has_fences(&device, look.scan.plan.tier)) {
        print_message("%s: none in place\n", device.name);
        skip();
    }
    run_plainly(&look);
    look.scan.in_place = true;
    for (uint32_t seed = 1;
         seed <= RUNS_IN_PLACE ||
         (seed <= MOST_RUNS_IN_PLACE && helped == 0 && groups_meet(&device));
         ++seed) {
        look.seed = seed;
        look.block_every = seed % 3 == 0 ? 2 : 0;
        assert_true(check_run(&look));
        helped += found.trace.head.num_folded;
    }
    print_message("%zu tiles folded for others\n", helped);
    assert_true(helped > 0 || !groups_meet(&device));
}

/* Where folds may stop, look-back does so at once, and goes on to the next prefix
 * where there are no heads; all strategies give the same bits. */
static void test_cuts(void **state)
{
    static const char *const algorithms[] = { "scan_lookback", "scan_single_group",
                                              "scan_then_propagate" };
    const struct trial scan = { .subject = &cut_f32, .unknown = true };

    for (size_t k = 0; k < 2 * NUM_HEADS * 3; ++k) {
        const enum heads heads = (enum heads)(k / 3 % NUM_HEADS);
        struct look look =
            look_over(&scan, tiles[k / 3 / NUM_HEADS ? 5 : 0], best_tier(&device), 10);
        cl_uint depths = 0;
        look.scan.seed = heads;
        look.block_every = 2;
        run_plainly(&look);
        look.scan.algorithm = algorithms[k % 3];
        assert_true(check_run(&look));
        for (size_t t = 2; t < 10; t += 2) {
            depths += found.trace.records[t].depth;
        }
        assert_true(heads == NO_HEADS && k % 3 == 0 ? depths >= 4
                    : heads == TILE_HEADS           ? depths == 0
                                                    : true);
    }
}

/* ---- Epochs ------------------------------------------------------------------------ */

static struct look look_by_20(enum memory_tier tier)
{
    struct look look = look_over(&subjects[2].scan, tiles[0], tier, 2);

    look.scan.plan.max_groups = 20;
    return look;
}

/* The scan of call i: other data each time, and every second time groups that never
 * publish, whose words of a call before must not be taken for theirs. */
static void check_call(struct look *look, size_t num_tiles, size_t i)
{
    look->scan.count = num_tiles * look->scan.plan.tile_elements - i % 7;
    look->scan.seed = i;
    look->block_every = i % 2 ? 2 : 0;
    run_plainly(look);
    assert_true(check_run(look));
}

static void test_wrap(void **state)
{
    const size_t tiles_of_call[] = { 20, 3, 17, 1, 20, 9, 2, 20, 13 };

    for (enum memory_tier tier = MEMORY_SCOPED_64; tier < CLFOLD_MEMORY_TIERS; ++tier) {
        struct look look = look_by_20(tier);
        uint32_t bits = clfold_memory(tier)->word_bits == 64 ? 30 : 14;
        if (!has_tier(&device, tier)) {
            continue;
        }
        look.scan.plan.spins = 1 + 2;
        look.scan.plan.first_epoch = (1u << bits) - 20;
        clfold_context_trim(ctx);
        for (size_t i = 0; i < 40; ++i) {
            check_call(&look, tiles_of_call[i % 9], i);
        }
        print_message("%s: 20 calls on either side of 2^%u\n", clfold_memory(tier)->name,
                      bits);
    }
    clfold_context_trim(ctx);
}

/* All 2^14 epochs of words of 32 bits: what the first call left must be cleared when its
 * epoch is there again, though no call in between came so far. */
static void test_whole_cycle(void **state)
{
    enum memory_tier tier = MEMORY_SCOPED_32;

    while (tier < CLFOLD_MEMORY_TIERS && !has_tier(&device, tier)) {
        ++tier;
    }
    if (tier == CLFOLD_MEMORY_TIERS) {
        print_message("%s: no words of 32 bits\n", device.name);
        skip();
    }
    struct look look = look_by_20(tier);
    struct trial few = look.scan; /* untraced, as others run it */
    clfold_context_trim(ctx);
    check_call(&look, 20, 0);
    for (size_t i = 0; i < (1 << 14) - 1; ++i) {
        trial_check(&few, NULL);
    }
    check_call(&look, 20, 1);
    clfold_context_trim(ctx);
}

/* A launch that was recorded runs again as it was, with no argument set anew, since the
 * epoch is in its memory: here the kernel object of an earlier call. */
static void test_replayed(void **state)
{
    enum { TILES = 20, REPLAYS = 50 };
    const clfold_fold fold = { .op = CLFOLD_ADD,
                               .type = CLFOLD_F32,
                               .algorithm = "scan_lookback" };
    struct debug plan = TILES_OF(TILE_VECTOR, 16, 0, 7);
    const size_t local = 1, count = (size_t)TILES * 16;
    cl_float wanted[TILES * 16], is[TILES * 16], poison = -1;
    clfold_context *own = NULL;
    clfold_report report;

    plan.spins = 1;
    plan.tier = best_tier(&device);
    fill(is, CLFOLD_F32, count, FILL_ROUNDING, 3);
    cl_mem in_mem = copied_buffer(is, sizeof(is));
    cl_mem out_mem = coloured_buffer(sizeof(is));
    assert_ok(clfold_context_create(&own, device.context, device.id, NULL));
    clfold_context_override(own, &plan);
    assert_ok(clfold_inclusive_scan(own, device.queue, &fold, in_mem, 0, out_mem, 0,
                                    count, 0, NULL, NULL));
    load_buffer(out_mem, 0, sizeof(wanted), wanted);
    assert_ok(clfold_explain(own, CLFOLD_INCLUSIVE_SCAN, &fold, count, NULL, &report));
    assert_null(own->cache.programs->next);
    for (int i = 0; i < REPLAYS; ++i) {
        const size_t global = report.num_groups;
        cl_kernel kernel = own->cache.programs->idle->kernels[0];
        assert_int_equal(clEnqueueFillBuffer(device.queue, out_mem, &poison, 4, 0,
                                             sizeof(is), 0, NULL, NULL),
                         CL_SUCCESS);
        assert_int_equal(clEnqueueNDRangeKernel(device.queue, kernel, 1, NULL, &global,
                                                &local, 0, NULL, NULL),
                         CL_SUCCESS);
        load_buffer(out_mem, 0, sizeof(is), is);
        assert_memory_equal(is, wanted, sizeof(is));
    }
    clfold_context_destroy(&own);
    clReleaseMemObject(in_mem);
    clReleaseMemObject(out_mem);
}

/* ---- The group --------------------------------------------------------------------- */

static int open_device(void **state)
{
    device_init_for_lookback(&device);
    trace_mem = coloured_buffer(sizeof(struct trace));
    return device_context(&ctx, &device, NULL);
}

static int close_device(void **state)
{
    clReleaseMemObject(trace_mem);
    return close_context(state);
}

/* An argument is a pattern of test names; after a '-', of those to leave out. */
int main(int argc, char **argv)
{
    struct CMUnitTest tests[6 + NUM_SUBJECTS] = {
        cmocka_unit_test(test_cuts),        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_in_place),    cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_whole_cycle), cmocka_unit_test(test_replayed)
    };
    size_t num = 6;

    for (size_t s = 0; s < NUM_SUBJECTS; ++s) {
        tests[num++] = (struct CMUnitTest){ .name = subjects[s].name,
                                            .test_func = test_subject,
                                            .initial_state = (void *)(uintptr_t)s };
    }
    filter_tests(argc, argv);
    return cmocka_run_group_tests_name("lookback", tests, open_device, close_device);
}
