/*
 * gpu_texts VENDOR OPERATIONS OPERATORS TYPES: prints the programs that a vendor's GPUs
 * would get, for tools/codegen to compile, each after a line of JSON about it.
 *
 *   VENDOR       nvidia, amd or intel
 *   OPERATIONS   "reduce_tiles,reduce6,scan_lookback,scan_lanes", or all; "group_text" is
 *                a kernel that calls the functions which clfold_group_text() gives
 *   OPERATORS    "add,arg-min", or of the folds of programs.c, or all
 *   TYPES        "f32,u8:u64": what is read, and what it is folded into; "text" of folds
 *                by text; or all
 *
 * Scans come twice, inclusive and exclusive.
 */
#include "programs.h"

#include "plan/scalar.h"

#include <stdio.h>
#include <string.h>

struct request {
    const char *operations, *operators, *types;
    const struct listed_device *vendor;
    size_t written;
};

/* Whether `name` is among "a,b,c", or all are asked for. */
static bool is_asked(const char *list, const char *name)
{
    char names[4096], one[64];

    snprintf(names, sizeof(names), ",%s,", list);
    snprintf(one, sizeof(one), ",%s,", name);
    return strcmp(list, "all") == 0 || strstr(names, one);
}

/* Buffers of which an element is read for each item. */
static uint32_t num_inputs(const struct monoid *monoid)
{
    uint32_t num = clfold_monoid_reads_in(monoid);

    for (uint32_t k = 0; k < monoid->num_args; ++k) {
        num += monoid->arg_elements[k] && (monoid->loads.args & 1u << k);
    }
    return num;
}

/* Bytes of local memory in which a group's tile has an element: as it is loaded, what of
 * that is folded, and what a scan leaves. */
struct slots {
    size_t loaded, folded, scanned;
};

static struct slots slots_of(const struct monoid *monoid)
{
    const size_t item = clfold_monoid_item_size(monoid);
    size_t stage = 0;
    struct slots slots = { clfold_monoid_in_size(monoid), 0, item };

    for (uint32_t k = 0; k < clfold_monoid_num_parts(monoid); ++k) {
        stage +=
            monoid->type_name ? item : clfold_scalar(monoid->components[k].stage)->size;
    }
    if (clfold_monoid_keeps_stages(monoid)) {
        slots.loaded = stage;
    }
    slots.folded = slots.loaded;
    if (!clfold_monoid_converts(monoid) && !monoid->lifted) {
        slots.scanned = clfold_monoid_out_size(monoid);
    }
    if (clfold_monoid_counts(monoid)) { /* by a flag, which becomes a place */
        slots = (struct slots){ sizeof(cl_uchar), sizeof(cl_uchar), sizeof(cl_ushort) };
    }
    return slots;
}

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

static void write_program(void *user, const struct program *program)
{
    struct request *request = user;
    const struct monoid *monoid = program->monoid;
    const struct plan *plan = program->plan;
    const struct stage *const main = clfold_plan_main(plan);
    const struct slots slots = slots_of(monoid);
    const char *const vendor = request->vendor->name;
    const bool is_exclusive = program->candidate->shape.exclusive;
    const bool is_plain = monoid->type && !monoid->load;
    const char *const in = is_plain ? clfold_scalar_name(monoid->in) : "text";
    const char *const type = is_plain ? clfold_scalar_name(monoid->type) : "text";
    const char *const operation = program->call->operation
                                      ? clfold_algorithm_name(program->call->algorithm)
                                      : "group_text";

    /* A stage again has the program of the first. */
    if (program->stage > plan->main &&
        plan->stages[program->stage].shape.algorithm == main->shape.algorithm) {
        return;
    }
    printf("{\"name\": \"%s_%s%s_%s_%s_%s_%c\", \"vendor\": \"%s\", "
           "\"operation\": \"%s\", \"exclusive\": %s, \"op\": \"%s\", \"in\": \"%s\", "
           "\"type\": \"%s\", \"sizes\": [%zu, %zu], \"read\": %u, "
           "\"slots\": [%zu, %zu, %zu], \"inputs\": %u, \"commutative\": %s, "
           "\"loads\": %s, \"writes\": %s, \"group_size\": %u}\n%s",
           vendor, operation, is_exclusive ? "_exclusive" : "", monoid->name, in, type,
           (int)('a' + program->stage), vendor, operation, truth(is_exclusive),
           monoid->name, in, type, clfold_monoid_in_size(monoid),
           clfold_monoid_out_size(monoid), main->read_size, slots.loaded, slots.folded,
           slots.scanned, num_inputs(monoid), truth(monoid->commutative),
           truth(monoid->load || monoid->lifted),
           truth(clfold_monoid_converts(monoid) || monoid->lifted),
           program->candidate->shape.tile.group_size, program->text);
    ++request->written;
}

/* All programs of a fold; those of plain elements where it has no segments of its own. */
static void write_fold(struct request *request, const clfold_fold *fold)
{
    static const clfold_segments rows = { .by = CLFOLD_BY_LENGTH, .length = 1 << 12 },
                                 offsets = { .by = CLFOLD_BY_OFFSETS,
                                             .type = CLFOLD_U32 };
    const struct visitor visitor = { write_program, request };
    struct call call = { .name = fold->name,
                         .fold = *fold,
                         .device = &request->vendor->facts,
                         .tier = request->vendor->tier,
                         .places = CLFOLD_U32 };

    for (int a = 0; a <= REDUCE_OFFSETS; ++a) {
        const enum algorithm algorithm = (enum algorithm)a;
        const enum family family = clfold_algorithm_row(algorithm)->family;
        const bool by_rows = clfold_algorithm_takes(algorithm, TAKES_ROWS) &&
                             !clfold_algorithm_takes(algorithm, TAKES_WHOLE);
        call.algorithm = algorithm;
        call.fold.segments = fold->segments                ? fold->segments
                             : by_rows                     ? &rows
                             : algorithm == REDUCE_OFFSETS ? &offsets
                                                           : NULL;
        for (call.operation = CLFOLD_REDUCE; call.operation <= CLFOLD_SELECT;
             ++call.operation) {
            const struct operation *row = clfold_operation_row(call.operation);
            if (row && row->family == family &&
                is_asked(request->operations, clfold_algorithm_name(algorithm))) {
                list_call(&call, false, &visitor);
            }
        }
    }
    call.operation = 0;
    call.fold.segments = NULL;
    if (!fold->segments && is_asked(request->operations, "group_text")) {
        list_group(&call, 256, &visitor);
    }
}

/* "f32", or "u8:u64" where it is folded into another. */
static bool asks_for_types(const struct request *request, clfold_type in,
                           clfold_type type)
{
    char name[16];

    snprintf(name, sizeof(name), in == type ? "%s" : "%s:%s", clfold_scalar_name(in),
             clfold_scalar_name(type));
    return is_asked(request->types, name);
}

static void write_all(struct request *request)
{
    static const struct site site = { NULL, "gpu_texts" };

    for (size_t i = 0; is_asked(request->types, "text") && i < num_listed_folds; ++i) {
        if (is_asked(request->operators, listed_folds[i].name)) {
            write_fold(request, &listed_folds[i]);
        }
    }
    for (clfold_op op = CLFOLD_ADD; op <= CLFOLD_MATRIX_2X2; ++op) {
        for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; ++type) {
            for (clfold_type in = CLFOLD_I8; in <= CLFOLD_F64; ++in) {
                clfold_fold fold = { .op = op, .type = type, .in = in };
                struct monoid monoid;
                if (asks_for_types(request, in, type) &&
                    clfold_monoid_init(&monoid, &site, op, type, in) == CLFOLD_OK &&
                    is_asked(request->operators, fold.name = monoid.name)) {
                    write_fold(request, &fold);
                }
            }
        }
    }
}

int main(int argc, char **argv)
{
    struct request request = { 0 };

    for (size_t i = TESTED_DEVICES; argc == 5 && i < LISTED_DEVICES; ++i) {
        if (strcmp(argv[1], listed_devices[i].name) == 0) {
            request.vendor = &listed_devices[i];
        }
    }
    if (!request.vendor) {
        fprintf(stderr, "usage: gpu_texts nvidia|amd|intel OPERATIONS OPERATORS TYPES\n");
        return 2;
    }
    request.operations = argv[2];
    request.operators = argv[3];
    request.types = argv[4];
    write_all(&request);
    if (request.written == 0) {
        fprintf(stderr,
                "gpu_texts: no program is of operations %s, operators %s, types %s\n",
                request.operations, request.operators, request.types);
        return 2;
    }
    return 0;
}
