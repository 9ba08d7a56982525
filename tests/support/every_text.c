#include "every_text.h"

#include "../../tools/gpu_code/programs.h"

#include "ops/internal.h"
#include "oracle.h"
#include "plan/assemble.h"

#include <stdio.h>

struct every {
    void (*visit)(void *user, const char *name, const char *text);
    void *user;
};

/* ---- Calls ------------------------------------------------------------------------- */

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
    return (cl_mem)(uintptr_t)extras; /* that is not NULL */
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

/* Named by its algorithm, fold, tile and device, and what the call is; stages about heads
 * know the type of these. */
static void visit_program(void *user, const struct program *program)
{
    const struct every *every = user;
    const struct call *call = program->call;
    const struct monoid *monoid = program->monoid;
    const struct stage *stage = &program->plan->stages[program->stage];
    const clfold_segments *heads = call->fold.segments;
    const bool is_main = stage->shape.algorithm == call->algorithm;
    const struct listed_device *device = listed_devices;
    char fold[96], class[64] = "", name[256];

    while (&device->facts != call->device) {
        ++device;
    }
    if (is_main || !call->operation) {
        snprintf(fold, sizeof(fold), "%s_%s_%s", monoid->name, name_of(monoid->in),
                 name_of(monoid->type));
    } else {
        snprintf(fold, sizeof(fold), "%s-%s%s",
                 stage->is_shared ? heads ? clfold_way_name(heads->by) : "none"
                                  : monoid->name,
                 name_of(heads ? heads->type : 0), monoid->equal ? "-equal" : "");
    }
    if (call->operation > CLFOLD_REDUCE && is_main) {
        snprintf(class, sizeof(class), "_%s_%s%s",
                 clfold_operation_row(call->operation)->name,
                 clfold_memory(call->tier)->name, call->traced ? "_traced" : "");
    }
    if (call->operation) {
        snprintf(name, sizeof(name), "%s_%s_%s_%s%s",
                 clfold_algorithm_name(stage->shape.algorithm), fold,
                 clfold_tile_name(stage->shape.tile.kind), device->name, class);
    } else {
        snprintf(name, sizeof(name), "group_text_%s", fold);
    }
    every->visit(every->user, name, program->text);
}

/* By each tile that the device would take, or its first only; nothing where the library
 * rejects the call. */
static bool visit_call(struct every *every, const clfold_fold *given,
                       const struct asked *asked, bool each)
{
    const clfold_part part = { 0 };
    const struct visitor visitor = { visit_program, every };
    clfold_segments segments;
    char name[96];
    const struct call call = {
        .name = name,
        .fold = fold_of(given, asked, &segments, &part),
        .operation = asked->operation,
        .algorithm = asked->algorithm,
        .device = &listed_devices[asked->device].facts,
        .tier = asked->tier,
        .places = CLFOLD_U64,
        .traced = asked->traced,
        .finds_bad = asked->by == CLFOLD_BY_OFFSETS,
    };

    snprintf(name, sizeof(name), "%s%s%s%s", given->name, asked->by ? "-by-" : "",
             asked->by ? clfold_way_name(asked->by) : "", extras[asked->extra]);
    return (asked->tier != MEMORY_NONE) == clfold_looks_back(asked->algorithm) &&
           (!asked->traced || clfold_looks_back(asked->algorithm)) &&
           list_call(&call, each, &visitor);
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
                           .device = draw(seed, TESTED_DEVICES),
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

/* So many calls that there are, and some of those that segments have for themselves. */
static void visit_fold(struct every *every, const clfold_fold *fold, size_t calls,
                       bool each, uint64_t seed)
{
    for (size_t left = calls; left > 0;) {
        const struct asked asked = draw_asked(&seed);
        left -= visit_call(every, fold, &asked, each);
    }
    for (size_t i = 0; i < calls / 4; ++i) {
        struct asked asked = draw_asked(&seed);
        asked.operation = CLFOLD_REDUCE;
        asked.algorithm = REDUCE_OFFSETS;
        asked.tier = MEMORY_NONE;
        visit_call(every, fold, &asked, each);
    }
}

/* Functions for a caller's kernel, of which the program has none. */
static void visit_group(struct every *every, const clfold_fold *fold)
{
    const bool builtins = fold->flags & CLFOLD_COMMUTATIVE || fold->op;
    const struct visitor visitor = { visit_program, every };
    const struct call call = { .name = fold->name,
                               .fold = *fold,
                               .device = &listed_devices[builtins ? 0 : 1].facts };

    list_group(&call, 50, &visitor);
}

/* ---- Texts that are no call's ------------------------------------------------------ */

/* Three words a round, as probe.c has it. */
static void visit_probes(const struct every *every)
{
    for (enum memory_tier tier = MEMORY_SCOPED_64; tier < CLFOLD_MEMORY_TIERS; ++tier) {
        struct text text = { 0 };
        char name[64];
        snprintf(name, sizeof(name), "probe_%s", clfold_memory(tier)->name);
        clfold_assemble_probe(&text, tier, clfold_memory(tier)->fences, 3, NULL);
        every->visit(every->user, name, whole_text(name, &text));
        clfold_text_finish(&text);
    }
}

/* Every type with each operator, and each pair of types with one of them in turn. */
static void visit_pairs(struct every *every)
{
    const struct site site = { NULL, "every_text" };

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
                visit_fold(every, &fold, in == type ? 7 : 5, false, seed);
            }
        }
    }
}

/* The programs that docs/program.md shows. */
static void visit_page(struct every *every)
{
    const clfold_fold sum = { .name = "add", .op = CLFOLD_ADD, .type = CLFOLD_F32 };
    const clfold_fold scan = {
        .name = "add", .op = CLFOLD_ADD, .type = CLFOLD_F32, .in = CLFOLD_I32
    };
    const struct asked sums = { .operation = CLFOLD_REDUCE, .algorithm = REDUCE_TILES };
    const struct asked scans = { .operation = CLFOLD_INCLUSIVE_SCAN,
                                 .algorithm = SCAN_LOOKBACK,
                                 .tier = MEMORY_LEGACY_64 };

    visit_call(every, &sum, &sums, false);
    visit_call(every, &scan, &scans, false);
}

void every_text(void (*visit)(void *user, const char *name, const char *text), void *user)
{
    struct every every = { .visit = visit, .user = user };

    visit_probes(&every);
    visit_page(&every);
    visit_pairs(&every);
    for (size_t i = 0; i < num_listed_folds; ++i) {
        if (!listed_folds[i].segments) {
            visit_fold(&every, &listed_folds[i], i < TESTED_FOLDS ? 60 : 20, true, i + 1);
            visit_group(&every, &listed_folds[i]);
        }
    }
}
