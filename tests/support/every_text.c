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

static const struct site site = { NULL, "every_text" };

/* ---- Folds ------------------------------------------------------------------------- */

static const clfold_arg args[] = {
    { .type = "uint", .name = "m" },
    { .type = "global const pair *", .name = "table" },
    { .name = "y", .element = CLFOLD_F32 },
};

/* Built-in operators with all that is asked of others; then those of a caller's, of one
 * size, of several, of a struct, with arguments; and selects. */
static const clfold_fold folds[] = {
    { .name = "add", .op = CLFOLD_ADD, .type = CLFOLD_U64, .in = CLFOLD_U8 },
    { .name = "max", .op = CLFOLD_MAX, .type = CLFOLD_F32, .in = CLFOLD_F16 },
    { .name = "min-max", .op = CLFOLD_MIN_MAX, .type = CLFOLD_I16, .in = CLFOLD_U8 },
    { .name = "arg-min-max",
      .op = CLFOLD_ARG_MIN_MAX,
      .type = CLFOLD_U64,
      .in = CLFOLD_U8 },
    { .name = "affine", .op = CLFOLD_AFFINE, .type = CLFOLD_I32 },
    { .name = "affine-with-cuts",
      .components = "float a; float b",
      .combine = "{ a.a * b.a, a.b * b.a + b.b }",
      .identity = "{ 1, 0 }",
      .cuts = "b.a == 0" },
    { .name = "compensated-add",
      .op = CLFOLD_ADD,
      .type = CLFOLD_F32,
      .in = CLFOLD_F16,
      .accuracy = CLFOLD_COMPENSATED },
    { .name = "reproducible-add",
      .op = CLFOLD_ADD,
      .type = CLFOLD_F32,
      .in = CLFOLD_F16,
      .accuracy = CLFOLD_REPRODUCIBLE },
    { .name = "reproducible-add",
      .op = CLFOLD_ADD,
      .type = CLFOLD_F64,
      .accuracy = CLFOLD_REPRODUCIBLE },
    { .name = "user-0",
      .components = "int v; uint f",
      .combine = "{ pick(truth(b.f), b.v, a.v + b.v), a.f | b.f }",
      .identity = "{ 0, 0 }",
      .cuts = "b.f" },
    { .name = "user-1",
      .components = "ushort a, b, c",
      .combine = "{ min(a.a, b.a), a.b + b.b, b.c }" },
    { .name = "user-2",
      .components = "ulong n; float mean; uchar c",
      .combine = "{ a.n + b.n, fmax(a.mean, b.mean), b.c }",
      .identity = "{ 0, -INFINITY, 0 }",
      .flags = CLFOLD_COMMUTATIVE },
    { .name = "user-3",
      .type_name = "struct words",
      .type_size = 64,
      .source = "struct words { uint x[16]; };",
      .combine = "b",
      .identity = "{ { 1 } }" },
    { .name = "user-4",
      .type = CLFOLD_U32,
      .in = CLFOLD_U8,
      .source = "typedef struct { uint x, y; } pair;",
      .combine = "(a * b + table[0].x) % m",
      .identity = "table[1].y",
      .args = args,
      .num_args = 2 },
    { .name = "user-5",
      .op = CLFOLD_ADD,
      .type = CLFOLD_F32,
      .in = CLFOLD_F16,
      .load = "x * y",
      .out_scalars = 2,
      .result = "{ item - prev, to_f32(i) + x }",
      .args = args + 2,
      .num_args = 1 },
    { .name = "user-6",
      .type_name = "uint2",
      .type_size = 8,
      .combine = "a * b",
      .identity = "(uint2)(1)",
      .store = "if (i > 0)\n    out[i - 1] = item * prev + in[i];" },
    { .name = "user-7",
      .op = CLFOLD_ARG_MAX,
      .type = CLFOLD_U32,
      .out = CLFOLD_F16,
      .result = "to_f32(item.index)" },
    { .name = "user-8",
      .op = CLFOLD_ADD,
      .type = CLFOLD_F32,
      .in = CLFOLD_F16,
      .accuracy = CLFOLD_COMPENSATED,
      .load = "x * y",
      .out_scalars = 2,
      .result = "{ item, prev }",
      .args = args + 2,
      .num_args = 1 },
    { .name = "reproducible-user-9",
      .op = CLFOLD_ADD,
      .type = CLFOLD_F32,
      .in = CLFOLD_F16,
      .accuracy = CLFOLD_REPRODUCIBLE,
      .load = "x * y",
      .result = "sqrt(item)",
      .args = args + 2,
      .num_args = 1 },
    { .name = "reproducible-user-10",
      .op = CLFOLD_ADD,
      .type = CLFOLD_F32,
      .accuracy = CLFOLD_REPRODUCIBLE,
      .load = "i > 0 ? x - in[i - 1] : x",
      .store = "out[i + 1] = item;" },

    { .name = "select-0", .type = CLFOLD_F32, .keep = "x > 0" },
    { .name = "select-1", .type = CLFOLD_U8, .keep = "to_u32(x) & 1" },
    { .name = "select-2",
      .type = CLFOLD_F64,
      .in = CLFOLD_F16,
      .out = CLFOLD_F32,
      .keep = "item < 2" },
    { .name = "select-3",
      .type = CLFOLD_U64,
      .in = CLFOLD_F32,
      .load = "i + to_u64(x)",
      .keep = "x > 2.0f" },
    { .name = "select-4",
      .components = "uint a, b",
      .result = "{ item.b, x.a }",
      .keep = "item.a > x.b" },
    { .name = "select-5",
      .components = "ulong sum; uint last",
      .keep = "i == 0 || in[i - 1].sum != x.sum" },
    { .name = "select-6",
      .type_name = "float4",
      .type_size = 16,
      .keep = "x.x < item.y" },
    { .name = "select-7",
      .type = CLFOLD_F32,
      .store = "out[n - 1 - at] = item;",
      .keep = "x != 0" },
    { .name = "select-8", .type = CLFOLD_F32, .same = "a == b" },
    { .name = "select-9",
      .components = "ulong sum; uint last",
      .same = "a.last == b.last" },
    { .name = "scan-select-0",
      .op = CLFOLD_ADD,
      .type = CLFOLD_U32,
      .keep = "(item ^ prev) & 64" },
    { .name = "scan-select-1",
      .op = CLFOLD_MAX,
      .type = CLFOLD_F32,
      .keep = "item == x",
      .store = "out[at] = i;" },
    { .name = "scan-select-2",
      .components = "ulong n; float mean",
      .combine = "{ a.n + b.n, fmax(a.mean, b.mean) }",
      .identity = "{ 0, -INFINITY }",
      .keep = "item.n % 2",
      .result = "{ i, x.mean }" },
};
#define NUM_FOLDS (sizeof(folds) / sizeof(folds[0]))

/* ---- Calls ------------------------------------------------------------------------- */

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

enum extra { NOTHING, COUNTED, PART, REVERSED, NUMBERED, LISTED, NUM_EXTRAS };
static const char *const extras[] = { "",         "-counted",  "-part",
                                      "-reverse", "-numbered", "-listed" };

struct asked {
    clfold_operation operation;
    enum algorithm algorithm;
    uint32_t by, device;
    clfold_type heads;
    enum extra extra;
    enum memory_tier tier;
    bool traced, equal;
};

static cl_mem any(void)
{
    return (cl_mem)(uintptr_t)devices; /* that is not NULL */
}

/* The fold as the call has it. */
static clfold_fold fold_of(const clfold_fold *given, const struct asked *asked,
                           clfold_segments *segments, const clfold_part *part)
{
    clfold_fold fold = *given;

    *segments = (clfold_segments){ .by = asked->by,
                                   .type = asked->heads,
                                   .mem = asked->heads ? any() : NULL,
                                   .length = asked->heads ? 0 : 3,
                                   .columns = asked->by == CLFOLD_BY_COLUMNS ? 40 : 0 };
    fold.segments = asked->by ? segments : NULL;
    fold.part = asked->extra == PART ? part : NULL;
    fold.flags |= asked->extra == REVERSED ? CLFOLD_REVERSE : 0;
    fold.count_at.mem = asked->extra == COUNTED ? any() : NULL;
    fold.lengths_out.mem = asked->extra == LISTED ? any() : NULL;
    segments->num_at.mem = asked->extra == NUMBERED ? any() : NULL;
    fold.equal = asked->by == CLFOLD_BY_KEYS && asked->equal
                     ? "fabs(to_f32(a) - to_f32(b)) < 1"
                     : NULL;
    if (asked->operation == CLFOLD_MAP && fold.op <= CLFOLD_LOGICAL_OR) {
        fold.op = 0;
        fold.accuracy = 0;
        fold.combine = fold.identity = fold.cuts = NULL;
    }
    return fold;
}

/* A job as requests make it. */
static struct job job_for(const struct asked *asked, const struct monoid *monoid,
                          const clfold_fold *fold, uint64_t bits)
{
    struct job job = job_of(asked->operation, 0, monoid, &devices[asked->device], NULL);
    const bool finds =
        asked->heads && asked->by != CLFOLD_BY_OFFSETS && !clfold_facets_lift(bits);

    job.count = 1 << 20;
    job.use = clfold_use_of(fold, monoid, bits);
    job.use.offsets = finds ? CLFOLD_U64 : job.use.offsets;
    job.traced = asked->traced;
    job.verdict =
        (struct verdict){ asked->tier, true, clfold_memory(asked->tier)->fences };
    if (asked->heads) {
        job.segments = (struct segments){ .by = asked->by,
                                          .type = asked->heads,
                                          .num = 1 << 10,
                                          .num_offsets = 1 << 10,
                                          .found = finds,
                                          .finds_bad = asked->by == CLFOLD_BY_OFFSETS,
                                          .lists = asked->extra == LISTED };
    } else if (asked->by) {
        job.segments.rows =
            (struct rows){ fold->segments->columns ? fold->segments->columns : 1, 3 };
        job.segments.given = job.segments.rows;
    }
    return job;
}

/* The stages of a plan: those about heads know the type of these. */
static void visit_plan(const struct visitor *visitor, const struct asked *asked,
                       const struct job *job, const struct candidate *candidate)
{
    const struct plan plan = plan_of(*job, candidate, job->count);
    const struct monoid *const monoid = job->monoid;
    struct monoid shared;

    clfold_monoid_init(&shared, &site, CLFOLD_SHARED_OP, CLFOLD_SHARED_TYPE,
                       CLFOLD_SHARED_TYPE);
    for (uint32_t s = 0; s < plan.num_stages; ++s) {
        const struct stage *const stage = &plan.stages[s];
        const struct shape *const shape = &stage->shape;
        const bool is_main = shape->algorithm == job->algorithm;
        struct text text = { 0 };
        char fold[96], class[64] = "", name[256];
        if (is_main) {
            snprintf(fold, sizeof(fold), "%s_%s_%s", monoid->name, name_of(monoid->in),
                     name_of(monoid->type));
        } else {
            snprintf(fold, sizeof(fold), "%s-%s%s",
                     stage->is_shared ? clfold_way_name(asked->by) : monoid->name,
                     name_of(asked->heads), monoid->equal ? "-equal" : "");
        }
        if (asked->operation != CLFOLD_REDUCE && is_main) {
            snprintf(class, sizeof(class), "_%s_%s%s",
                     clfold_operation_row(asked->operation)->name,
                     clfold_memory(asked->tier)->name, asked->traced ? "_traced" : "");
        }
        snprintf(name, sizeof(name), "%s_%s_%s_%s%s",
                 clfold_algorithm_name(shape->algorithm), fold,
                 clfold_tile_name(shape->tile.kind), device_names[asked->device], class);
        clfold_assemble(&text, stage->is_shared ? &shared : monoid, shape);
        visit_text(visitor, name, &text);
    }
}

/* By each tile that the device would take, or its first only; nothing where the library
 * rejects the call. */
static bool visit_call(const struct visitor *visitor, const clfold_fold *given,
                       const struct asked *asked, bool each)
{
    const clfold_part part = { 0 };
    struct candidate candidates[CLFOLD_MAX_CANDIDATES];
    struct component_names names;
    struct monoid monoid;
    clfold_segments segments;
    uint32_t num;
    const clfold_fold fold = fold_of(given, asked, &segments, &part);
    uint64_t bits = clfold_facets_of(&fold);
    char name[96];

    bits |= clfold_facets_call(&fold, bits, asked->operation) | (uint64_t)asked->traced
                                                                    << TRAIT_TRACE;
    if (clfold_facets_check(&site, bits) ||
        clfold_monoid_user(&monoid, &site, &fold, &names)) {
        return false;
    }
    snprintf(name, sizeof(name), "%s%s%s%s", given->name, asked->by ? "-by-" : "",
             asked->by ? clfold_way_name(asked->by) : "", extras[asked->extra]);
    monoid.name = name;
    if (clfold_facets_lift(bits)) {
        clfold_monoid_lift(&monoid);
    }
    struct job job = job_for(asked, &monoid, &fold, bits);
    const bool in_pieces =
        asked->algorithm == SERIAL_PIECES && !asked->by &&
        asked->operation == CLFOLD_REDUCE; /* as results are verified */
    if (clfold_plan_choose(
            &job, &site, clfold_algorithm_name(in_pieces ? SERIAL : asked->algorithm)) ||
        (asked->tier != MEMORY_NONE) != clfold_looks_back(asked->algorithm) ||
        (asked->traced && !clfold_looks_back(asked->algorithm))) {
        return false;
    }
    job.algorithm = asked->algorithm;
    if (clfold_plan_candidates(&job, &site, candidates, &num)) {
        return false;
    }
    for (uint32_t i = 0; i < (each ? num : 1); ++i) {
        visit_plan(visitor, asked, &job, &candidates[i]);
    }
    return true;
}

static uint32_t draw(uint64_t *seed, uint64_t num)
{
    return (uint32_t)((next_random(seed) >> 20) % num);
}

/* Half of the calls are of a whole, and half have nothing besides. */
static struct asked draw_asked(uint64_t *seed)
{
    static const clfold_type flags[] = { CLFOLD_U8, CLFOLD_I64, CLFOLD_U16 };
    struct asked asked = { .operation = CLFOLD_REDUCE + draw(seed, 5),
                           .by = draw(seed, 2) ? draw(seed, CLFOLD_BY_COLUMNS + 1) : 0,
                           .device = draw(seed, 4),
                           .extra = draw(seed, 2) ? draw(seed, NUM_EXTRAS) : NOTHING,
                           .equal = draw(seed, 2),
                           .traced = draw(seed, 8) == 0 };

    asked.algorithm = (enum algorithm)draw(seed, MAP_TILES + 1);
    asked.tier = draw(seed, 3) ? draw(seed, CLFOLD_MEMORY_TIERS) : MEMORY_NONE;
    asked.heads =
        asked.by == CLFOLD_BY_FLAGS ? flags[draw(seed, 3)]
        : asked.by == CLFOLD_BY_KEYS
            ? CLFOLD_I8 +
                  draw(seed, asked.operation == CLFOLD_REDUCE ? CLFOLD_F64 : CLFOLD_F32)
        : asked.by == CLFOLD_BY_OFFSETS ? CLFOLD_U32 + 2 * draw(seed, 2)
                                        : 0;
    return asked;
}

/* So many calls that there are. */
static void visit_fold(const struct visitor *visitor, const clfold_fold *fold,
                       size_t calls, bool each, uint64_t seed)
{
    while (calls > 0) {
        const struct asked asked = draw_asked(&seed);
        calls -= visit_call(visitor, fold, &asked, each);
    }
}

/* ---- Texts that are no call's ------------------------------------------------------ */
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

/* Every type with each operator, and each pair of types with one of them in turn. */
static void visit_pairs(const struct visitor *visitor)
{
    for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; ++type) {
        for (clfold_type in = CLFOLD_I8; in <= CLFOLD_F64; ++in) {
            for (clfold_op op = CLFOLD_ADD; op <= CLFOLD_MATRIX_2X2; ++op) {
                const uint64_t seed = (op * 16u + type) * 16u + in + 1;
                clfold_fold fold = { .op = op, .type = type, .in = in };
                struct monoid monoid;
                if ((in != type &&
                     op != CLFOLD_ADD + (type * 5 + in * 3) % CLFOLD_MIN_MAX) ||
                    clfold_monoid_init(&monoid, &site, op, type, in)) {
                    continue;
                }
                fold.name = monoid.name;
                visit_fold(visitor, &fold, in == type ? 7 : 5, false, seed);
            }
        }
    }
}

/* The programs that docs/program.md shows. */
static void visit_page(const struct visitor *visitor)
{
    const clfold_fold sum = { .name = "add", .op = CLFOLD_ADD, .type = CLFOLD_F32 };
    const clfold_fold scan = {
        .name = "add", .op = CLFOLD_ADD, .type = CLFOLD_F32, .in = CLFOLD_I32
    };
    const struct asked sums = { .operation = CLFOLD_REDUCE, .algorithm = REDUCE_TILES };
    const struct asked scans = { .operation = CLFOLD_INCLUSIVE_SCAN,
                                 .algorithm = SCAN_LOOKBACK,
                                 .tier = MEMORY_LEGACY_64 };

    visit_call(visitor, &sum, &sums, false);
    visit_call(visitor, &scan, &scans, false);
}

void every_text(void (*visit)(void *user, const char *name, const char *text), void *user)
{
    const struct visitor visitor = { .visit = visit, .user = user };

    visit_probes(&visitor);
    visit_page(&visitor);
    visit_pairs(&visitor);
    for (size_t i = 0; i < NUM_FOLDS; ++i) {
        struct component_names names;
        struct monoid monoid;
        visit_fold(&visitor, &folds[i], 60, true, i + 1);
        if (!folds[i].accuracy && !folds[i].keep && !folds[i].same &&
            clfold_monoid_user(&monoid, &site, &folds[i], &names) == CLFOLD_OK) {
            monoid.name = folds[i].name;
            visit_group_text(&visitor, &monoid);
        }
    }
}
