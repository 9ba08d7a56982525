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

static uint32_t draw(uint64_t *seed, uint64_t num)
{
    return (uint32_t)((next_random(seed) >> 20) % num);
}

/* A call of the fold by each tile that the device would take, or its first only; nothing
 * where the library rejects it. Half of the calls are of a whole, and half have nothing
 * besides. With `offsets` it is a reduction of segments one by one. */
static bool visit_call(const struct visitor *visitor, const clfold_fold *given,
                       bool offsets, bool each, uint64_t *seed)
{
    static const clfold_type flags[] = { CLFOLD_U8, CLFOLD_I64, CLFOLD_U16 };
    static const clfold_part part = { 0 };
    const cl_mem any = (cl_mem)(uintptr_t)extras; /* that is not NULL */
    clfold_segments segments = { 0 };
    struct call call = { .fold = *given, .places = CLFOLD_U64 };
    clfold_fold *const fold = &call.fold;
    char name[96];

    call.operation = CLFOLD_REDUCE + draw(seed, 5);
    const uint32_t by = draw(seed, 2) ? draw(seed, CLFOLD_BY_COLUMNS + 1) : 0;
    call.device = &listed_devices[draw(seed, TESTED_DEVICES)].facts;
    const uint32_t extra = draw(seed, 2) ? draw(seed, NUM_EXTRAS) : NOTHING;
    call.traced = draw(seed, 8) == 0;
    const bool equal = draw(seed, 2);
    call.algorithm = (enum algorithm)draw(seed, MAP_TILES + 1);
    call.tier = draw(seed, 3) ? draw(seed, CLFOLD_MEMORY_TIERS) : MEMORY_NONE;
    if (offsets) {
        call.operation = CLFOLD_REDUCE;
        call.algorithm = REDUCE_OFFSETS;
        call.tier = MEMORY_NONE;
    }
    const bool reduces = call.operation == CLFOLD_REDUCE;
    segments.by = by;
    segments.type = by == CLFOLD_BY_FLAGS ? flags[draw(seed, 3)]
                    : by == CLFOLD_BY_KEYS
                        ? CLFOLD_I8 + draw(seed, reduces ? CLFOLD_F64 : CLFOLD_F32)
                    : by == CLFOLD_BY_OFFSETS ? CLFOLD_U32 + 2 * draw(seed, 2)
                                              : 0;
    segments.mem = segments.type ? any : NULL;
    segments.length = segments.type ? 0 : 3;
    segments.columns = by == CLFOLD_BY_COLUMNS ? 40 : 0;
    segments.num_at.mem = extra == NUMBERED ? any : NULL;
    call.finds_bad = by == CLFOLD_BY_OFFSETS;
    fold->segments = by ? &segments : NULL;
    fold->part = extra == PART ? &part : NULL;
    fold->flags |= extra == REVERSED ? CLFOLD_REVERSE : 0;
    fold->count_at.mem = extra == COUNTED ? any : NULL;
    fold->lengths_out.mem = extra == LISTED ? any : NULL;
    fold->equal =
        by == CLFOLD_BY_KEYS && equal ? "fabs(to_f32(a) - to_f32(b)) < 1" : NULL;
    if (call.operation == CLFOLD_MAP && fold->op <= CLFOLD_LOGICAL_OR) {
        fold->op = 0;
        fold->accuracy = 0;
        fold->combine = fold->identity = fold->cuts = NULL;
    }
    call.name = name;
    snprintf(name, sizeof(name), "%s%s%s%s", given->name, by ? "-by-" : "",
             by ? clfold_way_name(by) : "", extras[extra]);
    const bool looks_back = clfold_looks_back(call.algorithm);
    return (call.tier != MEMORY_NONE) == looks_back && (!call.traced || looks_back) &&
           list_call(&call, each, visitor);
}

/* So many calls that there are, and some of those that segments have for themselves: not
 * of reproducible sums, where clang warns of an item that is passed on and not read. */
static void visit_fold(const struct visitor *visitor, const clfold_fold *fold,
                       size_t calls, bool each, uint64_t seed)
{
    for (size_t left = calls; left > 0;) {
        left -= visit_call(visitor, fold, false, each, &seed);
    }
    for (size_t i = 0; fold->accuracy != CLFOLD_REPRODUCIBLE && i < calls / 4; ++i) {
        visit_call(visitor, fold, true, each, &seed);
    }
}

/* Functions for a caller's kernel, of which the program has none. */
static void visit_group(const struct visitor *visitor, const clfold_fold *fold)
{
    const bool builtins = fold->flags & CLFOLD_COMMUTATIVE || fold->op;
    const struct call call = { .name = fold->name,
                               .fold = *fold,
                               .device = &listed_devices[builtins ? 0 : 1].facts };

    list_group(&call, 50, visitor);
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
static void visit_pairs(const struct visitor *visitor)
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
                visit_fold(visitor, &fold, in == type ? 7 : 5, false, seed);
            }
        }
    }
}

/* The programs that docs/program.md shows. */
static void visit_page(const struct visitor *visitor)
{
    struct call call = { .name = "add",
                         .fold = { .op = CLFOLD_ADD, .type = CLFOLD_F32 },
                         .operation = CLFOLD_REDUCE,
                         .algorithm = REDUCE_TILES,
                         .device = &listed_devices[0].facts };

    list_call(&call, false, visitor);
    call.fold.in = CLFOLD_I32;
    call.operation = CLFOLD_INCLUSIVE_SCAN;
    call.algorithm = SCAN_LOOKBACK;
    call.tier = MEMORY_LEGACY_64;
    list_call(&call, false, visitor);
}

void every_text(void (*visit)(void *user, const char *name, const char *text), void *user)
{
    struct every every = { visit, user };
    const struct visitor visitor = { visit_program, &every };

    visit_probes(&every);
    visit_page(&visitor);
    visit_pairs(&visitor);
    for (size_t i = 0; i < num_listed_folds; ++i) {
        if (!listed_folds[i].segments) {
            visit_fold(&visitor, &listed_folds[i], i < TESTED_FOLDS ? 60 : 20, true,
                       i + 1);
            visit_group(&visitor, &listed_folds[i]);
        }
    }
}
