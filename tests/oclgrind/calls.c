/*
 * What drive.py runs under Oclgrind:
 *
 *   calls reduce|scans|segments|results|heads|offsets|selects [TILE]
 *                     every kernel of these, over tiles, operators, counts, offsets,
 *                     inits and totals. TILE, such as tile_group: this kind only
 *   calls ladder      the same for reduce0 to reduce6, over group sizes
 *   calls user        a user's operator, whose two widths are compared first
 *   calls probe       the probe of look-back's memory
 *   calls plant NAME  a kernel with the mistake of that name, to be reported
 *
 * The buffers end where the elements do, so that Oclgrind sees an access beyond them.
 */
#include <clfold/experimental.h>
#include "test.h"
#include "trial.h"

#include "ops/context.h"

static unsigned num, wrong;

static void check(int status, const char *call)
{
    if (status) {
        fprintf(stderr, "calls: %s gave %s; %s\n", call, clfold_status_name(status),
                clfold_last_error());
        exit(1);
    }
}

static void run(struct trial trial)
{
    char why[1024] = "was refused";

    trial.tight = true;
    trial.seed = ++num;
    if (trial_run(&trial, NULL, why, sizeof(why)) != TRIAL_RIGHT) {
        ++wrong;
        fprintf(stderr, "calls: %s\n", why);
    }
}

/* ---- Reductions -------------------------------------------------------------------- */

static const struct trial reductions[] = {
    { .op = CLFOLD_ADD, .pair = { CLFOLD_U8, CLFOLD_U64 } },
    { .op = CLFOLD_ADD, .pair = { CLFOLD_I32, CLFOLD_I32 } },
    { .op = CLFOLD_MAX, .pair = { CLFOLD_I32, CLFOLD_I32 } },
    { .op = CLFOLD_ADD, .pair = { CLFOLD_F32, CLFOLD_F32 } },
    { .op = CLFOLD_ADD, .pair = { CLFOLD_F64, CLFOLD_F64 } },
    { .subject = &affine },
};
#define NUM_REDUCTIONS (sizeof(reductions) / sizeof(reductions[0]))

static struct trial reduction(size_t k, const char *algorithm, const struct debug *plan)
{
    struct trial trial = reductions[k];

    trial.operation = CLFOLD_REDUCE;
    trial.algorithm = algorithm;
    trial.plan = *plan;
    return trial;
}

/*
 * What each of them is there for:
 *
 *   tile_vector of 64     the steps of 16; of 256 the four accumulators; of 1024 the 256
 *                         at a time of an operator that is not commutative
 *   groups of 1           a row of loads under way, for u8 too
 *   groups of 6           no power of two: the guards of the tree
 *   groups of 40          more than 32 items in local memory, where padding begins, and
 *                         fewer chunks than work-items
 */
static const struct debug fold_tiles[] = {
    { .tile = TILE_VECTOR, .tile_elements = 64, .group_size = 1 },
    { .tile = TILE_VECTOR, .tile_elements = 256, .group_size = 1 },
    { .tile = TILE_VECTOR, .tile_elements = 1024, .group_size = 1 },
    { .tile = TILE_GROUP, .tile_elements = 64, .group_size = 6 },
    { .tile = TILE_GROUP, .tile_elements = 256, .group_size = 1 },
    { .tile = TILE_GROUP, .tile_elements = 256, .group_size = 8 },
    { .tile = TILE_GROUP, .tile_elements = 64, .group_size = 40 },
    { .tile = TILE_GROUP, .tile_elements = 1024, .group_size = 40 },
};

/*
 *   at most   count          clfold_reduce_
 *      4      tile - 1       single
 *      4      tile           single
 *      4      3 tile + 1     tiles, one tile a group, and partials of 4
 *      2      3 tile + 1     tiles, two tiles a group, and partials of 2
 *      1      3 tile + 1     single, four tiles in turn
 *      9      8 tile + 1     tiles, and partials: more of them than work-items
 *      4      0, 1           single
 */
static void reduce_tile(size_t k, const struct debug *tile)
{
    const size_t size = tile->tile_elements;
    const struct {
        uint32_t groups;
        size_t count;
    } cases[] = {
        { 4, size - 1 },
        { 4, size },
        { 4, 3 * size + 1 },
        { 2, 3 * size + 1 },
        { 1, 3 * size + 1 },
        { 9, 8 * size + 1 },
        { 4, 0 },
        { 4, 1 },
    };

    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); ++i) {
        struct trial trial = reduction(k, "reduce_tiles", tile);
        trial.plan.max_groups = cases[i / 2].groups;
        trial.count = cases[i / 2].count;
        trial.in_offset = trial.out_offset = i % 2 * 3;
        trial.init = i % 4 == 1 ? INIT_HOST : INIT_NONE;
        run(trial);
        if (k % 2) {
            trial.count_at = true;
            trial.spare = i % 3 * size + i % 2;
            run(trial);
        }
    }
}

/*
 * Simulates a device whose work-items take at most FEW_ELEMENTS in a launch: then the
 * partials are enough for several groups. `count` elements take three launches or more.
 */
#define FEW_ELEMENTS 8

static void reduce_in_launches(size_t k, const char *algorithm, const struct debug *plan,
                               size_t count)
{
    const struct trial trial = reduction(k, algorithm, plan);
    const clfold_fold fold = { .op = trial.subject ? CLFOLD_AFFINE : trial.op,
                               .type = trial.subject ? CLFOLD_U32 : trial.pair.type,
                               .algorithm = algorithm };
    clfold_report report;

    ctx->caps.facts.most_elements = FEW_ELEMENTS;
    clfold_context_override(ctx, plan);
    check(clfold_explain(ctx, CLFOLD_REDUCE, &fold, count, NULL, &report),
          "clfold_explain");
    if (report.num_launches < 3) {
        fprintf(stderr, "calls: %s, count %zu: %zu launches, less than 3\n", algorithm,
                count, (size_t)report.num_launches);
        ++wrong;
    }
    for (size_t offset = 0; offset <= 3; offset += 3) {
        struct trial at = trial;
        at.count = count;
        at.in_offset = at.out_offset = offset;
        at.init = offset ? INIT_HOST : INIT_NONE;
        run(at);
        at.count_at = true;
        at.spare = count - 100;
        at.count = offset ? 100 : 0;
        run(at);
    }
    ctx->caps.facts.most_elements = 0;
}

static void reduce_all(const char *kind)
{
    /* Tiles of 64 by either kind; i32 add, and an operator that keeps order. */
    static const struct debug in_launches[] = {
        { .tile = TILE_VECTOR, .tile_elements = 64 },
        { .tile = TILE_GROUP, .tile_elements = 64, .group_size = 6 },
    };

    for (size_t t = 0; t < sizeof(fold_tiles) / sizeof(fold_tiles[0]); ++t) {
        for (size_t k = 0; k < NUM_REDUCTIONS; ++k) {
            if (!kind || strcmp(kind, clfold_tile_name(fold_tiles[t].tile)) == 0) {
                reduce_tile(k, &fold_tiles[t]);
            }
        }
    }
    ctx->verify_every = 1;
    for (size_t k = 0; k < NUM_REDUCTIONS; ++k) {
        struct trial trial = reduction(k, "reduce_tiles", &fold_tiles[kind ? 3 : 0]);
        trial.count = 300;
        trial.in_offset = k % 2 * 3;
        run(trial);
    }
    ctx->verify_every = 0;
    for (size_t t = 0; t < 2; ++t) {
        for (size_t k = 1; k < NUM_REDUCTIONS; k += NUM_REDUCTIONS - 2) {
            if (!kind || strcmp(kind, clfold_tile_name(in_launches[t].tile)) == 0) {
                reduce_in_launches(k, "reduce_tiles", &in_launches[t], t ? 9999 : 5000);
            }
        }
    }
}

/* Groups of a power of two and of none, of less than a sub-group and of more than 64,
 * which reduce4 begins with a loop for. */
static const uint32_t rung_groups[] = { 2, 6, 8, 40, 96 };

/* Counts of less than a group, of a short second, and of several launches; reduce6 by at
 * most three groups. Operators in turn: the rungs touch memory alike for all of them. */
static void reduce_ladder(const char *kind)
{
    const struct debug twos = { .group_size = 2 };
    char name[16];

    (void)kind;
    for (size_t i = 0; i < 7 * 5 * NUM_REDUCTIONS; ++i) {
        const size_t rung = i / 5 / NUM_REDUCTIONS, g = i / NUM_REDUCTIONS % 5;
        const size_t group = rung_groups[g], k = i % NUM_REDUCTIONS;
        const size_t many = 6 * group * group / 5 + 3;
        const size_t counts[] = { 0,
                                  1,
                                  group - 1,
                                  group,
                                  group + 1,
                                  2 * group + 1,
                                  many > 1000 ? 1000 + group : many };
        const struct debug plan = { .group_size = rung_groups[g], .max_groups = 3 };
        if ((g + rung + k) % 2 || (reductions[k].subject && rung > 1)) {
            continue; /* which reorders */
        }
        snprintf(name, sizeof(name), "reduce%zu", rung);
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c) {
            struct trial trial = reduction(k, name, &plan);
            trial.count = counts[c];
            trial.in_offset = trial.out_offset = c % 2 * 3;
            trial.init = c % 3 == 0 ? INIT_HOST : INIT_NONE;
            trial.count_at = g == 1 + rung % 2;
            trial.spare = trial.count_at ? c * group : 0;
            run(trial);
        }
    }
    reduce_in_launches(1, "reduce6", &twos, 9999);
}

/* ---- Scans ------------------------------------------------------------------------- */

/*
 * What each of them is there for:
 *
 *   tile_vector of 16     one vector, or the lead of less than one
 *   tile_vector of 36     vectors and what is left of one
 *   tile_vector of 128    folded ahead
 *   groups of 6           no power of two, six elements each
 *   groups of 40          more than 32 items in local memory, where padding begins
 *   groups of 1           one work-item for all
 *   blocks of 4, of 3     tiles, of whose blocks each work-item takes its own
 */
static const struct debug tiles[] = {
    { .tile = TILE_VECTOR, .tile_elements = 16, .max_groups = 2, .anchor = 4 },
    { .tile = TILE_VECTOR, .tile_elements = 36, .max_groups = 3 },
    { .tile = TILE_VECTOR, .tile_elements = 128, .max_groups = 2 },
    { .tile = TILE_GROUP,
      .tile_elements = 36,
      .group_size = 6,
      .max_groups = 2,
      .anchor = 3 },
    { .tile = TILE_GROUP, .tile_elements = 80, .group_size = 40, .max_groups = 2 },
    { .tile = TILE_GROUP, .tile_elements = 32, .group_size = 1, .max_groups = 3 },
};
#define NUM_TILES (sizeof(tiles) / sizeof(tiles[0]))

static const struct trial scans[] = {
    { .op = CLFOLD_ADD, .pair = { CLFOLD_F32, CLFOLD_F32 } },
    { .op = CLFOLD_ADD, .pair = { CLFOLD_U8, CLFOLD_U64 } },
    { .op = CLFOLD_ARG_MIN, .pair = { CLFOLD_F32, CLFOLD_F32 } },
    { .op = CLFOLD_MIN_MAX, .pair = { CLFOLD_I16, CLFOLD_I16 } },
};
#define NUM_SCANS (sizeof(scans) / sizeof(scans[0]))

/* By one tier or the other, each of which Oclgrind has; with no spins, or so few that it
 * can simulate them. */
static struct debug held_up(const struct debug *plan, size_t turn)
{
    struct debug with = *plan;

    with.tier = turn % 2 ? MEMORY_LEGACY_32 : MEMORY_LEGACY_64;
    with.spins = 1 + (turn % 3 == 2 ? 3 : 0);
    return with;
}

/* Each operator by each strategy, and affine maps, which a constant one cuts. */
static void scan_tile(const struct debug *plan, size_t t)
{
    const size_t tile = plan->tile_elements, counts[] = { 1, tile, 5 * tile + 1 };

    for (size_t i = 0; i < SCAN_ALGORITHMS * NUM_SCANS * 3; ++i) {
        const size_t a = i / 3 / NUM_SCANS, f = i / 3 % NUM_SCANS, c = i % 3;
        const bool exclusive = (t + a + f + f / 2) % 2;
        struct trial scan = scans[f];
        scan.operation = scan_of(exclusive);
        scan.algorithm = scan_algorithms[a];
        scan.plan = held_up(plan, c + f + a);
        scan.count = counts[c];
        scan.in_offset = c;
        scan.out_offset = c * 3 % 5;
        scan.in_place = f == 0 && c == 2;
        scan.init = exclusive || c != 1 ? (enum init_from)((c + f) % 2 + 1) : INIT_NONE;
        scan.total = (enum total_to)((c + a) % 3);
        run(scan);
        if (f == a % 2) {
            scan.count_at = true;
            scan.spare = (1 + c) * tile + f;
            scan.count = c == 0 ? 0 : scan.count;
            run(scan);
        }
    }
    for (size_t a = 0; a < SCAN_ALGORITHMS; ++a) {
        run((struct trial){ .subject = &affine_with_cuts,
                            .operation = scan_of(t % 2),
                            .algorithm = scan_algorithms[a],
                            .plan = held_up(plan, a + t % 2),
                            .count = 200,
                            .in_offset = 1,
                            .out_offset = 3 });
    }
}

static void scan_user(const char *kind)
{
    (void)kind;
    run((struct trial){ .subject = &affine_with_cuts,
                        .operation = CLFOLD_INCLUSIVE_SCAN,
                        .count = 100,
                        .in_place = true });
}

/* ---- Rows, columns, and results ---------------------------------------------------- */

static const struct cut_shape {
    size_t count, width, length;
    const char *scan; /* by tiles; NULL: by lanes */
} shapes[] = {
    { 300, 1, 3, NULL },
    { 700, 2, 350, NULL },
    { 680, 34, 20, NULL },
    { 720, 1, 720, NULL },
    { 300, 1, 100, "scan_single_group" },
    { 300, 1, 30, "reduce_then_scan" },
    { 720, 1, 720, "reduce_then_scan" },
    { 720, 1, 360, "scan_lookback" },
    { 720, 1, 100, "scan_lookback" },
};
#define NUM_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static void run_shape(const struct subject *subject, clfold_operation operation,
                      const struct cut_shape *shape, const struct debug *plan)
{
    const bool reduces = operation == CLFOLD_REDUCE;
    const char *name = shape->scan ? reduces ? "reduce_tiles" : shape->scan
                       : reduces   ? "reduce_lanes"
                                   : "scan_lanes";

    run((struct trial){ .subject = subject,
                        .operation = operation,
                        .algorithm = name,
                        .plan = held_up(plan, shape->length),
                        .count = shape->count,
                        .width = shape->width,
                        .length = shape->length,
                        .in_offset = shape->length % 2,
                        .out_offset = 3 });
}

static void fold_segments(const struct debug *plan, size_t t)
{
    (void)t;
    for (size_t i = 0; i < 3 * NUM_SHAPES; ++i) {
        run_shape(&affine_with_cuts, CLFOLD_REDUCE + (clfold_operation)(i / NUM_SHAPES),
                  &shapes[i % NUM_SHAPES], plan);
    }
}

static void add(void *out, const void *a, const void *b)
{
    *(cl_uint *)out = *(const cl_uint *)a + *(const cl_uint *)b;
}

static void load_next(void *out, const unsigned char *elements, size_t i, size_t n)
{
    (void)n;
    *(cl_uint *)out = ((const cl_uint *)elements)[i] + 1;
}

/* Of the element, its index, and the item before. */
static void write_all(void *out, const void *item, const void *prev,
                      const unsigned char *elements, size_t i, size_t n)
{
    (void)n;
    *(cl_uint *)out = 2 * *(const cl_uint *)item + *(const cl_uint *)prev +
                      ((const cl_uint *)elements)[i] + (cl_uint)i;
}

/* Texts about elements: a map, and scans that also write of the item before, of all
 * elements or of rows and columns. */
static void write_results(const struct debug *plan, size_t t)
{
    static const char *const algorithms[] = { "scan_single_group", "reduce_then_scan",
                                              "scan_lookback", NULL };
    static const size_t counts[] = { 1, 37, 200 };
    static const cl_uint zero = 0;
    static struct subject scan = { .fold = { .name = "results",
                                             .op = CLFOLD_ADD,
                                             .type = CLFOLD_U32,
                                             .load = "x + 1",
                                             .result =
                                                 "2 * item + prev + x + to_u32(i)" },
                                   .size = sizeof(cl_uint),
                                   .identity = &zero,
                                   .combine = add,
                                   .load = load_next,
                                   .write = write_all,
                                   .most = 1 << 20 };
    static struct subject map;

    map = scan;
    map.fold.op = 0;
    map.is_map = true;
    for (size_t i = 0; i < 3 * 4; ++i) {
        const bool is_map = !algorithms[i / 3];
        const bool counts_at = is_map || i == t;
        for (size_t spare = 0; spare <= (counts_at ? 150 : 0); spare += 150) {
            run((struct trial){ .subject = is_map ? &map : &scan,
                                .operation = is_map ? CLFOLD_MAP : CLFOLD_INCLUSIVE_SCAN,
                                .algorithm = algorithms[i / 3],
                                .plan = *plan,
                                .count = counts[i % 3],
                                .count_at = spare > 0,
                                .spare = spare,
                                .in_offset = 1,
                                .out_offset = 3 });
        }
    }
    for (size_t i = 0; i < NUM_SHAPES; ++i) {
        run_shape(&scan, CLFOLD_INCLUSIVE_SCAN, &shapes[i], plan);
    }
}

/* Segments by flags, keys and offsets, of which some are wrong. */
static void scan_heads(const struct debug *plan, size_t t)
{
    static const clfold_type types[] = { CLFOLD_U8, CLFOLD_U16, CLFOLD_U32 };
    static const size_t algorithms[] = { 0, 1, 3, 4 }; /* of scan_algorithms */

    for (size_t i = 0; i < 3 * 4; ++i) {
        const char *algorithm = scan_algorithms[algorithms[i % 4]];
        struct trial trial = scans[(i + t) % NUM_SCANS];
        trial.operation = scan_of(i % 2 && trial.op != CLFOLD_ARG_MIN);
        trial.algorithm = algorithm;
        trial.plan = held_up(plan, i);
        trial.count = i % 5 ? 3 * plan->tile_elements + 7 : 100;
        trial.in_offset = i % 3;
        trial.by = CLFOLD_BY_FLAGS + (uint32_t)(i / 4);
        trial.head_type = types[i / 4];
        trial.bad = trial.tells = i / 4 == 2;
        trial.num_at = i / 4 == 2 && t % 2;
        trial.more = trial.num_at ? i : 0;
        trial.init = trial.op == CLFOLD_ARG_MIN ? INIT_NONE : (enum init_from)(i % 3);
        trial.total = i % 2 ? TOTAL_APART : TOTAL_NONE;
        trial.count_at = (i + t) % 5 == 0 && (i % 2 == 0 || trial.op != CLFOLD_ARG_MIN);
        trial.spare = trial.count_at ? plan->tile_elements + i : 0;
        run(trial);
    }
}

/* Reductions by offsets, and by flags and keys: pieces of a tile each, and several a
 * group; and a map that looks for each element's segment. None are out of order, since
 * work-items race for what such leave. */
static void by_offsets(const struct debug *plan, size_t t)
{
    static const struct subject map = {
        .fold = { .name = "map", .type = CLFOLD_U32, .load = "x + to_u32(rank - rank)" },
        .size = 4,
        .is_map = true,
        .most = 1 << 20
    };

    for (size_t i = 0; i < 3 * NUM_REDUCTIONS; ++i) {
        struct trial trial = reduction(i / 3, "reduce_offsets", plan);
        trial.plan.max_groups = i % 2 ? 2 : 0;
        trial.count = i % 3 == 0 ? plan->tile_elements / 2 : 5 * plan->tile_elements + 7;
        trial.in_offset = trial.out_offset = i % 3;
        trial.by = CLFOLD_BY_OFFSETS;
        trial.head_type = (i + t) % 2 ? CLFOLD_U32 : CLFOLD_U64;
        trial.num_at = (i / 3 + t) % 2;
        trial.more = trial.num_at ? i % 3 * 40 : 0;
        trial.tells = (i / 6 + t) % 2;
        if (i % 9 == 2 || i % 9 == 4) {
            trial.by = i % 9 == 2 ? CLFOLD_BY_FLAGS : CLFOLD_BY_KEYS;
            trial.bound = (enum bound)((i + t) % NUM_BOUNDS);
            trial.lists = t % 2;
            trial.tells = trial.num_at = false;
            trial.more = 0;
        }
        if (i % 9 == 8) {
            trial.subject = &map;
            trial.operation = CLFOLD_MAP;
            trial.algorithm = NULL;
        }
        trial.cut = (enum cuts)((i + t) % NUM_CUTS);
        trial.init = i % 9 == 8 ? INIT_NONE : (enum init_from)((i + t) % 3);
        trial.count_at = (i + t) % 4 == 0;
        trial.spare = trial.count_at ? plan->tile_elements + i : 0;
        run(trial);
    }
}

static bool starts_run(const unsigned char *elements, size_t i, size_t n)
{
    const cl_uint *x = (const void *)elements;

    (void)n;
    return i == 0 || x[i - 1] / 3 != x[i] / 3;
}

static bool is_not_zero(const void *item, const void *prev, const unsigned char *elements,
                        size_t i)
{
    (void)item, (void)prev;
    return ((const cl_uint *)(const void *)elements)[i] != 0;
}

static void add_words(void *out, const void *a, const void *b)
{
    *(cl_uint *)out = *(const cl_uint *)a + *(const cl_uint *)b;
}

static void write_place(void *out, const void *item, const void *prev,
                        const unsigned char *elements, size_t i, size_t n)
{
    const cl_ulong place = i;

    (void)item, (void)prev, (void)elements, (void)n;
    memcpy(out, &place, sizeof(place));
}

/* What is kept, the others, and runs with their lengths; of a type, of two components
 * that are written one by one, and by a scan's items, which are written or not. */
static void selects(const struct debug *plan, size_t t)
{
    static const char *const algorithms[] = { "scan_single_group", "reduce_then_scan",
                                              "scan_lookback", "scan_chained" };
    static const cl_ulong levels[] = { 128, 3, 256 };
    static const struct subject words = { .fold = { .name = "words", .type = CLFOLD_U32 },
                                          .size = 4,
                                          .most = 9 };
    static const struct subject pairs = {
        .fold = { .name = "pairs", .components = "uint a, b" }, .size = 8, .most = 9
    };
    static const struct condition starts = { "a / (uint)3 == b / (uint)3",
                                             .keeps = starts_run, .are_runs = true };
    static const struct condition grows = { "item != prev", .scans = true,
                                            .keeps_item = is_not_zero };
    static const cl_uint zero = 0;
    static const struct subject sums = {
        .fold = { .name = "sums", .op = CLFOLD_ADD, .type = CLFOLD_U32 },
        .size = 4,
        .most = 9,
        .identity = &zero,
        .combine = add_words
    };
    static const struct subject places = { .fold = { .name = "places",
                                                     .op = CLFOLD_ADD,
                                                     .type = CLFOLD_U32,
                                                     .result = "i",
                                                     .out = CLFOLD_U64 },
                                           .size = 4,
                                           .most = 9,
                                           .identity = &zero,
                                           .combine = add_words,
                                           .out_size = 8,
                                           .write = write_place };
    const struct {
        const struct subject *subject;
        const struct condition *condition;
    } kinds[] = {
        { &words, &keep_by_index }, { &pairs, &keep_by_index }, { &words, &starts },
        { &sums, &grows },          { &places, &grows },
    };

    for (size_t i = 0; i < 5 * 4; ++i) {
        const char *algorithm = algorithms[i / 5];
        run((struct trial){
            .operation = CLFOLD_SELECT,
            .subject = kinds[i % 5].subject,
            .condition = kinds[i % 5].condition,
            .algorithm = algorithm,
            .plan = held_up(plan, i),
            .count = (i + t) % 5 ? 3 * plan->tile_elements + 7 : plan->tile_elements,
            .in_offset = i % 3,
            .out_offset = (i + t) % 4,
            .level = levels[(i + t) % 3],
            .rest = (i + t) % 2,
            .lists = i % 2,
        });
    }
}

/* Of look-back's memory. */
static void probe(const char *kind)
{
    clfold_lookback known = { 0 };

    (void)kind;
    check(clfold_explain_lookback(ctx, CL_TRUE, &known), "the probe");
    printf("calls: %s\n", known.tier ? known.tier : "no tier");
    ++num;
    wrong += !known.tier || strcmp(known.tier, "legacy_64") != 0;
}

/* ---- Planted mistakes -------------------------------------------------------------- */

/* Launched with two groups of 8, `data` holds 16. */
static const struct plant {
    const char *name, *source;
} plants[] = {
    { "local-race", "kernel void plant(global int *data)\n"
                    "{\n"
                    "    local int x[8];\n"
                    "    const uint l = get_local_id(0);\n"
                    "    x[l] = (int)l;\n"
                    "    data[get_global_id(0)] = x[(l + 1) % 8];\n"
                    "}\n" },
    { "global-race", "kernel void plant(global int *data)\n"
                     "{\n"
                     "    data[get_local_id(0)] = (int)get_group_id(0);\n"
                     "}\n" },
    { "read-overrun", "kernel void plant(global int *data)\n"
                      "{\n"
                      "    const uint i = get_global_id(0);\n"
                      "    data[i] = i < 15 ? 1 : data[i + 1];\n"
                      "}\n" },
    { "write-overrun", "kernel void plant(global int *data)\n"
                       "{\n"
                       "    data[get_global_id(0) + 1] = 1;\n"
                       "}\n" },
    { "uninitialised", "kernel void plant(global int *data)\n"
                       "{\n"
                       "    local int x[8];\n"
                       "    data[get_global_id(0)] = x[get_local_id(0)];\n"
                       "}\n" },
    { NULL, NULL },
};

static int run_plant(const char *name)
{
    const struct plant *plant = plants;
    const size_t global = 16, local = 8;
    cl_int data[16] = { 0 }, status;

    while (plant->name && strcmp(plant->name, name) != 0) {
        ++plant;
    }
    if (!plant->name) {
        fprintf(stderr, "calls: there is no plant \"%s\"\n", name);
        return 2;
    }
    cl_program program = clCreateProgramWithSource(
        device.context, 1, (const char *[]){ plant->source }, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device.id, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "plant", &status);
    check(status, "clCreateKernel");
    cl_mem mem =
        clCreateBuffer(device.context, CL_MEM_COPY_HOST_PTR, sizeof(data), data, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof(mem), &mem), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(device.queue, kernel, 1, NULL, &global, &local, 0, NULL,
                                 NULL),
          "clEnqueueNDRangeKernel");
    check(clFinish(device.queue), "clFinish");
    clReleaseMemObject(mem);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return 0;
}

/* ---- The command line -------------------------------------------------------------- */

static const struct part {
    const char *name;
    void (*run)(const char *kind);                           /* for all tiles, or */
    void (*run_tile)(const struct debug *plan, size_t tile); /* for each of `tiles` */
} parts[] = {
    { "reduce", reduce_all, NULL },
    { "ladder", reduce_ladder, NULL },
    { "scans", NULL, scan_tile },
    { "segments", NULL, fold_segments },
    { "results", NULL, write_results },
    { "user", scan_user, NULL },
    { "probe", probe, NULL },
    { "heads", NULL, scan_heads },
    { "offsets", NULL, by_offsets },
    { "selects", NULL, selects },
    { NULL, NULL, NULL },
};

static void run_part(const struct part *part, const char *kind)
{
    if (part->run) {
        part->run(kind);
    }
    for (size_t t = 0; part->run_tile && t < NUM_TILES; ++t) {
        if (!kind || strcmp(kind, clfold_tile_name(tiles[t].tile)) == 0) {
            part->run_tile(&tiles[t], t);
        }
    }
}

int main(int argc, char **argv)
{
    const struct part *part = parts;
    int status;

    check(open_context(NULL), "clfold_context_create");
    /* Without Oclgrind the program would prove nothing. */
    if (!strstr(device.name, "Oclgrind")) {
        fprintf(stderr, "calls: the device is \"%s\"; run this under Oclgrind\n",
                device.name);
        return 1;
    }
    if (argc == 3 && strcmp(argv[1], "plant") == 0) {
        status = run_plant(argv[2]);
    } else {
        while (part->name && (argc < 2 || strcmp(part->name, argv[1]) != 0)) {
            ++part;
        }
        if (!part->name || argc > 3) {
            fprintf(stderr, "usage: calls PART [TILE] | calls plant NAME\n");
            return 2;
        }
        run_part(part, argv[2]);
        printf("calls: %u calls, %u wrong\n", num, wrong);
        status = num == 0 || wrong > 0;
    }
    close_context(NULL);
    return status;
}
