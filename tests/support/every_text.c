#include "every_text.h"

#include "oracle.h"
#include "plans.h"

#include "ops/internal.h"
#include "plan/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct visitor {
    void (*visit)(void *user, const char *name, const char *text);
    void *user;
    struct use use; /* of programs by a shape */
};

static void visit_text(const struct visitor *visitor, const char *name, struct text *text)
{
    if (text->failed || strstr(text->bytes, "#error \"assemble: ")) {
        fprintf(stderr, "%s: no text\n", name);
        exit(1);
    }
    visitor->visit(visitor->user, name, text->bytes);
    clfold_text_finish(text);
}

static void visit_shape(const struct visitor *visitor, const struct monoid *monoid,
                        const struct shape *shape, const char *class)
{
    struct text text = { 0 };
    char name[192];

    snprintf(name, sizeof(name), "%s_%s_%s_%s_%s_%s",
             clfold_algorithm_name(shape->algorithm), monoid->name, name_of(monoid->in),
             name_of(monoid->type), clfold_tile_name(shape->tile.kind), class);
    clfold_assemble(&text, monoid, shape);
    visit_text(visitor, name, &text);
}

static const struct site site = { NULL, "every_text" };

static bool make(struct monoid *monoid, clfold_op op, clfold_type type, clfold_type in)
{
    return clfold_monoid_init(monoid, &site, op, type, in) == CLFOLD_OK;
}

struct monoid affine_monoid(clfold_type type)
{
    struct monoid monoid;

    make(&monoid, CLFOLD_AFFINE, type, type);
    return monoid;
}

/* A fold of a caller's, by a name of the visitor's. */
struct user_monoid {
    struct monoid monoid;
    struct component_names names;
    char name[64];
};

static void make_user(struct user_monoid *user, const clfold_fold *fold, const char *kind,
                      size_t number)
{
    if (clfold_monoid_user(&user->monoid, &site, fold, &user->names)) {
        abort();
    }
    snprintf(user->name, sizeof(user->name), "%s-%zu", kind, number);
    user->monoid.name = user->name;
}

#define GPU_FACTS                                                                        \
    .vendor = "", .name = "", .max_group_size = 1024, .local_memory = 48 << 10
#define CPU_FACTS                                                                        \
    .cpu = true, .vendor = "", .name = "", .max_group_size = 4096, .local_memory = 1 << 20
enum { CPU, GPU, PLAIN_CPU, SUB_GROUPS };
static const struct device_facts devices[] = {
    [CPU] = { CPU_FACTS, .platform = "Portable Computing Language" },
    [GPU] = { GPU_FACTS },
    [PLAIN_CPU] = { CPU_FACTS }, /* its compiler is not known for builtins */
    [SUB_GROUPS] = { GPU_FACTS, .sub_groups = true },
};
static const char *const device_names[] = { "cpu", "gpu", "plain-cpu", "sub-groups" };

/* The tiles that the job's device would take: its first only, or each. */
static void visit_job(const struct visitor *visitor, struct job job, bool each,
                      const char *class)
{
    struct candidate candidates[CLFOLD_MAX_CANDIDATES];

    job.use = visitor->use;
    const uint32_t num = job_candidates(&job, candidates);
    for (uint32_t i = 0; i < (each ? num : 1); ++i) {
        visit_shape(visitor, job.monoid, &candidates[i].shape, class);
    }
}

/* Of a reduction or a map, on the first devices. */
static void visit_tiles(const struct visitor *visitor, const struct monoid *monoid,
                        enum algorithm algorithm, bool each)
{
    const clfold_operation operation =
        algorithm == MAP_TILES ? CLFOLD_MAP : CLFOLD_REDUCE;

    for (size_t d = CPU; d < (each ? 3 : 2); ++d) {
        visit_job(visitor, job_of(operation, algorithm, monoid, &devices[d], NULL), each,
                  device_names[d]);
    }
}

static void visit_rungs(const struct visitor *visitor, const struct monoid *monoid)
{
    for (enum algorithm rung = REDUCE_0; rung <= REDUCE_6; ++rung) {
        struct job job = job_of(CLFOLD_REDUCE, rung, monoid, &devices[GPU], NULL);
        if (clfold_plan_choose(&job, &site, clfold_algorithm_name(rung)) == CLFOLD_OK) {
            visit_job(visitor, job, false, "gpu");
        }
    }
}

/* Of each operation. */
static void visit_serial(const struct visitor *visitor, const struct monoid *monoid)
{
    static const char *const kinds[] = { "reduce", "inclusive", "exclusive", "reduce" };

    for (int i = 0; i < 4; ++i) {
        const clfold_operation operation =
            i == 3 ? CLFOLD_REDUCE : CLFOLD_REDUCE + (clfold_operation)i;
        visit_job(visitor,
                  job_of(operation, i == 3 ? SERIAL_PIECES : SERIAL, monoid,
                         &devices[GPU], NULL),
                  false, kinds[i]);
    }
}

/* By lanes, by a device's first tile or each. */
static void visit_segments(const struct visitor *visitor, const struct monoid *monoid,
                           bool each)
{
    static const struct {
        clfold_operation operation;
        enum algorithm algorithm;
        const char *classes[2];
    } ways[] = {
        { CLFOLD_REDUCE, REDUCE_LANES, { "cpu", "gpu" } },
        { CLFOLD_EXCLUSIVE_SCAN, SCAN_LANES, { "cpu", "gpu" } },
        /* An inclusive scan knows the item before only for what is written. */
        { CLFOLD_INCLUSIVE_SCAN, SCAN_LANES, { "inclusive-cpu", "inclusive-gpu" } },
    };
    const size_t num_ways = monoid->accuracy == CLFOLD_REPRODUCIBLE ? 1
                            : clfold_monoid_converts(monoid)        ? 3
                                                                    : 2;

    for (size_t i = 0; i < 2 * num_ways; ++i) {
        struct job job = job_of(ways[i / 2].operation, ways[i / 2].algorithm, monoid,
                                &devices[i % 2], NULL);
        job.segments.rows = (struct rows){ 1, 3 };
        visit_job(visitor, job, each, ways[i / 2].classes[i % 2]);
    }
}

/* A kind of scan: look-back by a tier, others by none. */
struct scan {
    enum algorithm algorithm;
    bool exclusive, traced;
    enum memory_tier tier;
};

static void visit_scan(const struct visitor *visitor, const struct monoid *monoid,
                       size_t device, struct scan scan, bool each)
{
    struct job job =
        job_of(scan.exclusive ? CLFOLD_EXCLUSIVE_SCAN : CLFOLD_INCLUSIVE_SCAN,
               scan.algorithm, monoid, &devices[device], NULL);
    char class[96];

    /* It combines what is written. */
    if (scan.algorithm == SCAN_THEN_PROPAGATE && clfold_monoid_converts(monoid)) {
        return;
    }
    job.verdict = (struct verdict){ scan.tier, true, clfold_memory(scan.tier)->fences };
    job.traced = scan.traced;
    snprintf(class, sizeof(class), "%s_%s_%s%s",
             device_names[device == PLAIN_CPU ? CPU : device],
             scan.exclusive ? "exclusive" : "inclusive", clfold_memory(scan.tier)->name,
             scan.traced ? "_traced" : "");
    visit_job(visitor, job, each, class);
}

#define NUM_SCANS (SCAN_CHAINED + 1 - SCAN_SINGLE_GROUP)

/* By a device's first tile: devices, strategies, kinds and tiers take turns. */
static void visit_scans(const struct visitor *visitor, const struct monoid *monoid)
{
    static uint32_t turn;
    struct scan scan = { .algorithm = SCAN_SINGLE_GROUP + turn / 4 % NUM_SCANS,
                         .exclusive = turn / 2 % 2 };

    scan.tier = clfold_looks_back(scan.algorithm) ? 1 + turn % (CLFOLD_MEMORY_TIERS - 1)
                                                  : MEMORY_NONE;
    visit_scan(visitor, monoid, turn % 2, scan, false);
    ++turn;
}

/* All that a scan may be; traced ones by one tier of each size of words. */
static void visit_all_scans(const struct visitor *visitor, const struct monoid *monoid)
{
    static const size_t on[] = { CPU, GPU, SUB_GROUPS };

    for (uint32_t i = 0; i < 2 * 3 * NUM_SCANS; ++i) {
        struct scan scan = { .algorithm = SCAN_SINGLE_GROUP + i / 6,
                             .exclusive = i / 3 % 2 };
        const size_t device = on[i % 3];
        if (!clfold_looks_back(scan.algorithm)) {
            if (device != SUB_GROUPS) {
                visit_scan(visitor, monoid, device, scan, true);
            }
            continue;
        }
        for (scan.tier = MEMORY_SCOPED_64; scan.tier < CLFOLD_MEMORY_TIERS; ++scan.tier) {
            visit_scan(visitor, monoid, device, scan, true);
        }
        scan.tier = i % 2 ? MEMORY_LEGACY_32 : MEMORY_SCOPED_64;
        scan.traced = true;
        visit_scan(visitor, monoid, device, scan, true);
    }
}

/* Reductions of a whole, serial folds and, where there are any, all scans. */
static void visit_wholes(const struct visitor *visitor, const struct monoid *monoid)
{
    visit_tiles(visitor, monoid, REDUCE_TILES, true);
    visit_rungs(visitor, monoid);
    visit_serial(visitor, monoid);
    if (monoid->accuracy != CLFOLD_REPRODUCIBLE) {
        visit_all_scans(visitor, monoid);
    }
}

/* By look-back and two launches, for all devices. */
static void visit_selects(const struct visitor *visitor)
{
    static const size_t on[] = { CPU, GPU, SUB_GROUPS, PLAIN_CPU };
    const clfold_fold folds[] = {
        { .type = CLFOLD_F32, .keep = "x > 0" },
        { .type = CLFOLD_U8, .keep = "to_u32(x) & 1" },
        { .type = CLFOLD_F64, .in = CLFOLD_F16, .out = CLFOLD_F32, .keep = "item < 2" },
        { .type = CLFOLD_U64,
          .in = CLFOLD_F32,
          .load = "i + to_u64(x)",
          .keep = "x > 2.0f" },
        { .components = "uint a, b",
          .result = "{ item.b, x.a }",
          .keep = "item.a > x.b" },
        { .components = "ulong sum; uint last",
          .keep = "i == 0 || in[i - 1].sum != x.sum" },
        { .type_name = "float4", .type_size = 16, .keep = "x.x < item.y" },
        { .type = CLFOLD_F32, .store = "out[n - 1 - at] = item;", .keep = "x != 0" },
        { .type = CLFOLD_F32, .same = "a == b" },
        { .components = "ulong sum; uint last", .same = "a.last == b.last" },
    };

    for (size_t i = 0; i < sizeof(folds) / sizeof(folds[0]); ++i) {
        struct user_monoid user;
        make_user(&user, &folds[i], "select", i);
        for (size_t d = 0; d < 2 * sizeof(on) / sizeof(on[0]); ++d) {
            const struct scan scan = {
                .algorithm = d % 2 ? REDUCE_THEN_SCAN : SCAN_LOOKBACK,
                .tier = d % 2 ? MEMORY_NONE : MEMORY_SCOPED_64,
            };
            visit_scan(visitor, &user.monoid, on[d / 2], scan, true);
        }
    }
}

/* Some of the scans, in turn inclusive and exclusive. */
static void visit_ways(const struct visitor *visitor, const struct monoid *monoid,
                       uint32_t turn)
{
    static const enum algorithm ways[] = { SCAN_SINGLE_GROUP, REDUCE_THEN_SCAN,
                                           SCAN_LOOKBACK };

    for (uint32_t i = 0; i < 2 * sizeof(ways) / sizeof(ways[0]); ++i) {
        struct scan scan = { .algorithm = ways[i / 2], .exclusive = (turn + i / 2) % 2 };
        scan.tier = clfold_looks_back(scan.algorithm) ? MEMORY_SCOPED_64 : MEMORY_NONE;
        visit_scan(visitor, monoid, i % 2, scan, true);
    }
    if (!monoid->keep) {
        visit_serial(visitor, monoid);
    }
}

/* By flags, keys and offsets in turn. */
static void visit_lifted(const struct visitor *visitor, struct monoid monoid)
{
    static const clfold_type types[] = { CLFOLD_U8, CLFOLD_F16, CLFOLD_U32 };
    static uint32_t turn;
    const uint32_t by = CLFOLD_BY_FLAGS + turn++ % 3;
    char name[64];

    snprintf(name, sizeof(name), "%s-by-%s", monoid.name, clfold_way_name(by));
    monoid.name = name;
    struct visitor lifted = *visitor;
    lifted.use.way = by;
    lifted.use.heads = types[by - CLFOLD_BY_FLAGS];
    monoid.equal = by == CLFOLD_BY_KEYS && turn % 2 ? "fabs(a - b) < 1" : NULL;
    clfold_monoid_lift(&monoid);
    visit_ways(&lifted, &monoid, turn);
}

/* The stages about heads of a job, by each tile of a device; others are visited above. */
static void visit_heads(const struct visitor *visitor, const struct job *job,
                        const char *of)
{
    struct monoid shared;
    struct candidate candidates[CLFOLD_MAX_CANDIDATES];
    const uint32_t num = job_candidates(job, candidates);

    make(&shared, CLFOLD_SHARED_OP, CLFOLD_SHARED_TYPE, CLFOLD_SHARED_TYPE);
    for (uint32_t i = 0; i < num; ++i) {
        const struct plan plan = plan_of(*job, &candidates[i], 1 << 20);
        for (uint32_t s = 0; s < plan.num_stages; ++s) {
            const struct stage *stage = &plan.stages[s];
            struct text text = { 0 };
            char name[128];
            if (s == plan.main || stage->shape.algorithm == job->algorithm) {
                continue;
            }
            snprintf(name, sizeof(name), "%s_%s_%s_%s",
                     clfold_algorithm_name(stage->shape.algorithm), of,
                     clfold_tile_name(candidates[i].shape.tile.kind),
                     job->device->cpu ? "cpu" : "gpu");
            clfold_assemble(&text, stage->is_shared ? &shared : job->monoid,
                            &stage->shape);
            visit_text(visitor, name, &text);
        }
    }
}

/* Of reductions by flags and keys of each type, with and without an equal; of scans and
 * reductions by offsets; and of selects by a scan's items, whose programs are visited,
 * too. */
static void visit_stages(const struct visitor *visitor)
{
    static const uint32_t facets[] = { 0, 1u << FACET_COUNT_AT, 1u << FACET_NUM_AT,
                                       1u << FACET_PART };
    const clfold_fold selects[] = {
        { .op = CLFOLD_ADD, .type = CLFOLD_U32, .keep = "(item ^ prev) & 64" },
        { .op = CLFOLD_MAX,
          .type = CLFOLD_F32,
          .keep = "item == x",
          .store = "out[at] = i;" },
        { .components = "ulong n; float mean",
          .combine = "{ a.n + b.n, fmax(a.mean, b.mean) }",
          .identity = "{ 0, -INFINITY }",
          .keep = "item.n % 2",
          .result = "{ i, x.mean }" },
    };
    struct monoid monoid;
    char name[64];

    for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; ++type) {
        for (uint32_t i = 0; i < 3 * 3 * 2; ++i) {
            const bool has_equal = i / 9;
            make(&monoid, CLFOLD_ADD, CLFOLD_F32, CLFOLD_F32);
            struct job job =
                job_of(CLFOLD_REDUCE, REDUCE_OFFSETS, &monoid, &devices[i % 3], NULL);
            const uint32_t by = CLFOLD_BY_FLAGS + i / 3 % 3;
            if (has_equal && by != CLFOLD_BY_KEYS) {
                continue;
            }
            monoid.equal = has_equal ? "fabs(to_f32(a) - to_f32(b)) < 1" : NULL;
            job.use.facets = facets[i % (by == CLFOLD_BY_OFFSETS ? 4 : 2)];
            job.use.offsets = by == CLFOLD_BY_OFFSETS ? type : CLFOLD_U64;
            job.segments = (struct segments){ .by = by,
                                              .type = type,
                                              .num_offsets = 1 << 10,
                                              .found = by != CLFOLD_BY_OFFSETS,
                                              .finds_bad = by == CLFOLD_BY_OFFSETS,
                                              .lists = true };
            if (by == CLFOLD_BY_OFFSETS && type != CLFOLD_U32 && type != CLFOLD_U64) {
                continue;
            }
            snprintf(name, sizeof(name), "%s%s-%s-%u", clfold_way_name(by),
                     has_equal ? "-equal" : "", name_of(type), i % 3);
            visit_heads(visitor, &job, name);
        }
    }
    for (size_t i = 0; i < sizeof(selects) / sizeof(selects[0]); ++i) {
        struct visitor of_select = *visitor;
        struct user_monoid user;
        make_user(&user, &selects[i], "scan-select", i);
        of_select.use.heads = CLFOLD_I8;
        visit_ways(&of_select, &user.monoid, (uint32_t)i);
        for (size_t d = CPU; d < 3; ++d) {
            struct job job =
                job_of(CLFOLD_SELECT, REDUCE_THEN_SCAN, &user.monoid, &devices[d], NULL);
            job.use = of_select.use;
            job.use.facets = facets[d % 2];
            visit_heads(visitor, &job, user.name);
        }
    }
}

/* From the right. */
static void visit_reversed(const struct visitor *visitor, clfold_fold fold,
                           const char *of)
{
    const clfold_segments segments = { .by = CLFOLD_BY_KEYS };
    struct visitor reversed = *visitor;
    struct user_monoid user;
    static uint32_t turn;

    reversed.use.facets = UINT32_C(1) << FACET_REVERSE;
    fold.flags |= CLFOLD_REVERSE;
    for (int by_keys = 0; by_keys < 2; ++by_keys) {
        fold.segments = by_keys ? &segments : NULL;
        make_user(&user, &fold, "", 0);
        snprintf(user.name, sizeof(user.name), "reverse-%s", of);
        if (by_keys) {
            visit_lifted(&reversed, user.monoid);
        } else {
            visit_ways(&reversed, &user.monoid, turn++);
        }
    }
}

/* Functions for a caller's kernel, of which the program has none. */
static void visit_group_text(const struct visitor *visitor, const struct monoid *monoid)
{
    struct text text = { 0 };
    char name[128];

    snprintf(name, sizeof(name), "group_text_%s_%s_%s", monoid->name, name_of(monoid->in),
             name_of(monoid->type));
    clfold_assemble_group(&text, monoid, 50,
                          monoid->commutative ? devices[CPU].platform : "rusticl", "t");
    visit_text(visitor, name, &text);
}

/* Three words a round, as probe.c has it. */
static void visit_probes(const struct visitor *visitor)
{
    for (enum memory_tier tier = MEMORY_SCOPED_64; tier < CLFOLD_MEMORY_TIERS; ++tier) {
        struct text text = { 0 };
        char name[64];
        snprintf(name, sizeof(name), "probe_%s", clfold_memory(tier)->name);
        clfold_assemble_probe(&text, tier, clfold_memory(tier)->fences, 3, NULL);
        visit_text(visitor, name, &text);
    }
}

/* What is in memory, and parts. */
static void visit_placed(struct visitor visitor, enum facet facet, const char *name)
{
    struct monoid monoid;

    make(&monoid, CLFOLD_MAX, CLFOLD_F32, CLFOLD_F16);
    monoid.name = name;
    visitor.use.facets = UINT32_C(1) << facet;
    visit_tiles(&visitor, &monoid, REDUCE_TILES, true);
    visit_serial(&visitor, &monoid);
    visit_all_scans(&visitor, &monoid);
    visit_lifted(&visitor, monoid);
}

/* Folds of a caller's: of one size, of several, of a struct, with arguments. */
static void visit_user_folds(const struct visitor *visitor)
{
    static const clfold_arg args[] = {
        { .type = "uint", .name = "m" },
        { .type = "global const pair *", .name = "table" },
        { .name = "y", .element = CLFOLD_F32 },
    };
    const clfold_fold folds[] = {
        { .components = "int v; uint f",
          .combine = "{ pick(truth(b.f), b.v, a.v + b.v), a.f | b.f }",
          .identity = "{ 0, 0 }",
          .cuts = "b.f" },
        { .components = "ushort a, b, c",
          .combine = "{ min(a.a, b.a), a.b + b.b, b.c }" },
        { .components = "ulong n; float mean; uchar c",
          .combine = "{ a.n + b.n, fmax(a.mean, b.mean), b.c }",
          .identity = "{ 0, -INFINITY, 0 }",
          .flags = CLFOLD_COMMUTATIVE },
        { .type_name = "struct words",
          .type_size = 64,
          .source = "struct words { uint x[16]; };",
          .combine = "b",
          .identity = "{ { 1 } }" },
        { .type = CLFOLD_U32,
          .in = CLFOLD_U8,
          .source = "typedef struct { uint x, y; } pair;",
          .combine = "(a * b + table[0].x) % m",
          .identity = "table[1].y",
          .args = args,
          .num_args = 2 },
        { .op = CLFOLD_ADD,
          .type = CLFOLD_F32,
          .in = CLFOLD_F16,
          .load = "x * y",
          .out_scalars = 2,
          .result = "{ item - prev, to_f32(i) + x }",
          .args = args + 2,
          .num_args = 1 },
        { .type_name = "uint2",
          .type_size = 8,
          .combine = "a * b",
          .identity = "(uint2)(1)",
          .store = "if (i > 0)\n    out[i - 1] = item * prev + in[i];" },
        { .op = CLFOLD_ARG_MAX,
          .type = CLFOLD_U32,
          .out = CLFOLD_F16,
          .result = "to_f32(item.index)" },
        { .op = CLFOLD_ADD,
          .type = CLFOLD_F32,
          .in = CLFOLD_F16,
          .accuracy = CLFOLD_COMPENSATED,
          .load = "x * y",
          .out_scalars = 2,
          .result = "{ item, prev }",
          .args = args + 2,
          .num_args = 1 },
        { .op = CLFOLD_ADD,
          .type = CLFOLD_F32,
          .in = CLFOLD_F16,
          .accuracy = CLFOLD_REPRODUCIBLE,
          .load = "x * y",
          .result = "sqrt(item)",
          .args = args + 2,
          .num_args = 1 },
        { .op = CLFOLD_ADD,
          .type = CLFOLD_F32,
          .accuracy = CLFOLD_REPRODUCIBLE,
          .load = "i > 0 ? x - in[i - 1] : x",
          .store = "out[i + 1] = item;" },
    };

    for (size_t i = 0; i < sizeof(folds) / sizeof(folds[0]); ++i) {
        const bool is_binned = folds[i].accuracy == CLFOLD_REPRODUCIBLE;
        struct user_monoid user;
        make_user(&user, &folds[i], is_binned ? "reproducible-user" : "user", i);
        visit_segments(visitor, &user.monoid, true);
        visit_wholes(visitor, &user.monoid);
        if (is_binned) {
            continue; /* it is for reductions */
        }
        if (!folds[i].accuracy) {
            visit_group_text(visitor, &user.monoid);
        }
        if (clfold_monoid_converts(&user.monoid) && !folds[i].accuracy) {
            visit_tiles(visitor, &user.monoid, MAP_TILES, true);
        }
        visit_lifted(visitor, user.monoid);
        if (folds[i].op < CLFOLD_ARG_MIN || folds[i].op > CLFOLD_ARG_MIN_MAX) {
            visit_reversed(visitor, folds[i], user.name);
        }
    }
}

void every_text(void (*visit)(void *user, const char *name, const char *text), void *user)
{
    const struct visitor visitor = { .visit = visit, .user = user };
    struct monoid monoid;

    visit_probes(&visitor);
    for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; ++type) {
        for (clfold_op op = CLFOLD_ADD; op <= CLFOLD_MATRIX_2X2; ++op) {
            if (make(&monoid, op, type, type)) {
                visit_tiles(&visitor, &monoid, REDUCE_TILES, op == CLFOLD_ADD);
                visit_segments(&visitor, &monoid, op == CLFOLD_ADD);
                visit_scans(&visitor, &monoid);
            }
        }
        /* Each pair once, with the operators in turn. */
        for (clfold_type in = CLFOLD_I8; in <= CLFOLD_F64; ++in) {
            clfold_op op = CLFOLD_ADD + (type * 5 + in * 3) % CLFOLD_MIN_MAX;
            if (in != type && make(&monoid, op, type, in)) {
                visit_tiles(&visitor, &monoid, REDUCE_TILES, false);
                visit_scans(&visitor, &monoid);
            }
        }
    }
    const clfold_op staged[] = { CLFOLD_ADD, CLFOLD_MAX, CLFOLD_ARG_MIN_MAX };
    for (size_t i = 0; i < sizeof(staged) / sizeof(staged[0]); ++i) {
        make(&monoid, staged[i], CLFOLD_U64, CLFOLD_U8);
        visit_wholes(&visitor, &monoid);
        visit_lifted(&visitor, monoid);
        visit_group_text(&visitor, &monoid);
    }
    make(&monoid, CLFOLD_ADD, CLFOLD_F32, CLFOLD_F16);
    clfold_monoid_set_accuracy(&monoid, NULL, CLFOLD_COMPENSATED);
    monoid.name = "compensated-add";
    visit_segments(&visitor, &monoid, true);
    visit_wholes(&visitor, &monoid);
    visit_lifted(&visitor, monoid);
    for (clfold_type type = CLFOLD_F32; type <= CLFOLD_F64; ++type) {
        make(&monoid, CLFOLD_ADD, type, type == CLFOLD_F32 ? CLFOLD_F16 : type);
        clfold_monoid_set_accuracy(&monoid, NULL, CLFOLD_REPRODUCIBLE);
        monoid.name = "reproducible-add";
        visit_segments(&visitor, &monoid, true);
        visit_wholes(&visitor, &monoid);
    }
    const clfold_fold extremes = { .op = CLFOLD_MIN_MAX,
                                   .type = CLFOLD_I16,
                                   .in = CLFOLD_U8 };
    visit_reversed(&visitor, extremes, "min-max");
    const clfold_type types[] = { CLFOLD_I32, CLFOLD_F32 };
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
        monoid = affine_monoid(types[i]);
        visit_wholes(&visitor, &monoid);
        monoid.name = "affine-with-cuts";
        monoid.cuts = "b.a == 0";
        visit_all_scans(&visitor, &monoid);
        monoid.name = "affine";
    }
    visit_placed(visitor, FACET_COUNT_AT, "counted");
    visit_placed(visitor, FACET_PART, "part");
    visit_user_folds(&visitor);
    visit_selects(&visitor);
    visit_stages(&visitor);
}
