/*
 * gpu_texts FOLDER VENDOR OPERATIONS OPERATORS TYPES: writes the programs that a vendor's
 * GPUs would get, for tools/codegen to compile, and prints a line of JSON for each.
 *
 *   VENDOR       nvidia, amd or intel
 *   OPERATIONS   "reduce_tiles,reduce6,scan_lookback,scan_lanes", or all; "group_text" is
 *                a kernel that calls the functions which clfold_group_text() gives
 *   OPERATORS    "add,arg-min", or of `texts` below, or all
 *   TYPES        "f32,u8:u64": what is read, and what it is folded into; "text" of folds
 *                by text; or all
 *
 * The facts of the device are what such drivers tell, the tier what they are found to
 * have. Scans come twice, inclusive and exclusive; all come once for each candidate of
 * the policy, of which the first is what a device takes.
 */
#include "base/text.h"
#include "plan/assemble.h"
#include "plan/plan.h"
#include "plan/scalar.h"
#include "plan/user_fold.h"

#include <stdio.h>
#include <string.h>

static const struct vendor {
    const char *name;
    struct device_facts device;
    enum memory_tier tier;
} vendors[] = {
    {
        "nvidia",
        {
            .vendor = "NVIDIA Corporation",
            .name = "NVIDIA GPU",
            .platform = "NVIDIA CUDA",
            .max_group_size = 1024,
            .local_memory = 48 << 10,
        },
        MEMORY_PTX_64,
    },
    {
        "amd",
        {
            .vendor = "Advanced Micro Devices, Inc.",
            .name = "AMD GPU",
            .platform = "AMD Accelerated Parallel Processing",
            .max_group_size = 256,
            .local_memory = 64 << 10,
            .sub_groups = true,
        },
        MEMORY_SCOPED_64,
    },
    {
        "intel",
        {
            .vendor = "Intel(R) Corporation",
            .name = "Intel GPU",
            .platform = "Intel(R) OpenCL Graphics",
            .max_group_size = 1024,
            .local_memory = 64 << 10,
            .sub_groups = true,
        },
        MEMORY_SCOPED_64,
    },
};

static const struct site site = { NULL, "gpu_texts" };

/* Operators that are not built in. */
#define WORDS(num)                                                                       \
    "typedef struct { uint x[" #num "]; } words;\n"                                      \
    "words join(words a, words b)\n{\n"                                                  \
    "#pragma unroll\n    for (int i = 1; i < " #num "; ++i)\n"                           \
    "        a.x[i] = a.x[i] * b.x[0] + b.x[i];\n"                                       \
    "    a.x[0] *= b.x[0];\n    return a;\n}\n"

/* Streams' buffers, of which only the type counts here. */
static clfold_arg second[] = { CLFOLD_STREAM(CLFOLD_F32, y, NULL, 0),
                               CLFOLD_STREAM(CLFOLD_F32, z, NULL, 0) };

static const clfold_segments by_flags = { .by = CLFOLD_BY_FLAGS, .type = CLFOLD_U8 },
                             by_keys = { .by = CLFOLD_BY_KEYS, .type = CLFOLD_U32 },
                             by_offsets = { .by = CLFOLD_BY_OFFSETS, .type = CLFOLD_U32 };

static const clfold_fold texts[] = {
    { .name = "add-by-flags",
      .op = CLFOLD_ADD,
      .type = CLFOLD_F32,
      .segments = &by_flags },
    { .name = "mean-by-keys",
      .op = CLFOLD_MOMENTS,
      .type = CLFOLD_F32,
      .segments = &by_keys },
    { .name = "affine-by-offsets",
      .op = CLFOLD_AFFINE,
      .type = CLFOLD_F32,
      .segments = &by_offsets },
    { .name = "dot",
      .op = CLFOLD_ADD,
      .type = CLFOLD_F32,
      .load = "x * y",
      .args = second,
      .num_args = 1 },
    { .name = "average",
      .in = CLFOLD_F32,
      .components = "float a; float b",
      .combine = "{ a.a * b.a, a.b * b.a + b.b }",
      .identity = "{ 1, 0 }",
      .load = "{ 0.75f, 0.25f * x }" },
    { .name = "compensated",
      .op = CLFOLD_ADD,
      .type = CLFOLD_F32,
      .accuracy = CLFOLD_COMPENSATED },
    { .name = "reproducible",
      .op = CLFOLD_ADD,
      .type = CLFOLD_F32,
      .accuracy = CLFOLD_REPRODUCIBLE },
    { .name = "add-in-order", .type = CLFOLD_F32, .combine = "a + b" },
    { .name = "segments",
      .components = "float v; uint f",
      .combine = "{ pick(truth(b.f & 1), b.v, a.v + b.v), a.f | b.f }" },
    { .name = "words-5",
      .type_name = "words",
      .type_size = 20,
      .source = WORDS(5),
      .combine = "join(a, b)" },
    { .name = "words-16",
      .type_name = "words",
      .type_size = 64,
      .source = WORDS(16),
      .combine = "join(a, b)" },
    { .name = "words-16-commutative",
      .type_name = "words",
      .type_size = 64,
      .source = WORDS(16),
      .combine = "join(a, b)",
      .flags = CLFOLD_COMMUTATIVE },
    { .name = "norm",
      .op = CLFOLD_ADD,
      .type = CLFOLD_F32,
      .load = "x * x",
      .result = "sqrt(item)" },
    { .name = "running-mean",
      .op = CLFOLD_ADD,
      .type = CLFOLD_F32,
      .result = "item / to_f32(i + 1)" },
    { .name = "flag-rises",
      .op = CLFOLD_BIT_OR,
      .type = CLFOLD_U32,
      .out = CLFOLD_U8,
      .result = "to_u8(item & ~prev)" },
    { .name = "sum-of-what",
      .op = CLFOLD_ADD,
      .type = CLFOLD_F32,
      .out = CLFOLD_F32,
      .out_scalars = 2,
      .result = "{ item, x }" },
    { .name = "scatter",
      .op = CLFOLD_ADD,
      .type = CLFOLD_U32,
      .in = CLFOLD_U8,
      .store = "if (x) out[item - 1] = i;" },
    { .name = "map-blend",
      .type = CLFOLD_F32,
      .load = "x + y * z",
      .args = second,
      .num_args = 2 },
    { .name = "map-flags",
      .type = CLFOLD_F32,
      .out = CLFOLD_U8,
      .result = "to_u8(x > 3 ? 1 : 0)" },
    { .name = "map-polar",
      .components = "float r; float w",
      .in = CLFOLD_F32,
      .in_scalars = 2,
      .load = "{ hypot(x.x, x.y), x.x * y }",
      .args = second,
      .num_args = 1 },
    { .name = "map-widen",
      .type = CLFOLD_U32,
      .in = CLFOLD_U8,
      .in_scalars = 4,
      .out = CLFOLD_F32,
      .out_scalars = 2,
      .load = "to_u32(x.x) + to_u32(x.y)",
      .result = "{ to_f32(item), to_f32(x.z) }" },
    { .name = "map-store", .type = CLFOLD_F32, .store = "out[n - 1 - i] = item;" },
    { .name = "select-above", .type = CLFOLD_F32, .keep = "x > 3" },
    { .name = "select-bytes", .type = CLFOLD_U8, .keep = "to_u32(x) & 1" },
    { .name = "select-places",
      .type = CLFOLD_U64,
      .in = CLFOLD_F32,
      .load = "i",
      .keep = "x > y",
      .args = second,
      .num_args = 1 },
    { .name = "select-runs", .type = CLFOLD_F32, .same = "a == b" },
    { .name = "select-pairs",
      .components = "float r; float w",
      .result = "{ item.w, item.r }",
      .keep = "x.r < x.w" },
    { .name = "select-sums",
      .op = CLFOLD_ADD,
      .type = CLFOLD_U32,
      .keep = "(item ^ prev) & 64" },
    { .name = "select-fields",
      .op = CLFOLD_BIT_XOR,
      .type = CLFOLD_U8,
      .in = CLFOLD_U8,
      .out = CLFOLD_U64,
      .load = "x == 34",
      .keep = "x == 44 && item == 0",
      .result = "i" },
};

struct request {
    const char *folder, *operations, *operators, *types;
    const struct vendor *vendor;
    struct segments segments; /* of the operator */
    size_t written;
};

/* Whether `name` is among "a,b,c", or all are asked for. */
static bool is_asked(const char *list, const char *name)
{
    size_t length = strlen(name);
    const char *at = list;

    if (strcmp(list, "all") == 0) {
        return true;
    }
    while ((at = strstr(at, name)) != NULL) {
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
        at += length;
    }
    return false;
}

/* One program's facts that the request does not have. */
struct program {
    const char *operation, *row;
    const struct monoid *monoid;
    const struct tile_shape *tile;
    uint32_t candidate, stage, read; /* bytes of an element */
    bool exclusive;
};

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

static bool write_program(struct request *request, const struct program *program,
                          struct text *text)
{
    const struct monoid *monoid = program->monoid;
    const struct slots slots = slots_of(monoid);
    char name[256], path[4096];
    FILE *file = NULL;
    bool ok = !text->failed;

    bool is_plain = monoid->type && !monoid->load;
    const char *const in = is_plain ? clfold_scalar_name(monoid->in) : "text";
    const char *const type = is_plain ? clfold_scalar_name(monoid->type) : "text";

    snprintf(name, sizeof(name), "%s_%s%s_%s_%s_%s_%u%c.cl", request->vendor->name,
             program->operation, program->exclusive ? "_exclusive" : "", monoid->name, in,
             type, program->candidate, (int)('a' + program->stage));
    snprintf(path, sizeof(path), "%s/%s", request->folder, name);
    if (ok) {
        file = fopen(path, "w");
        ok = file && fwrite(text->bytes, 1, text->length, file) == text->length;
    }
    if (file && fclose(file) != 0) {
        ok = false;
    }
    clfold_text_finish(text);
    if (!ok) {
        fprintf(stderr, "gpu_texts: cannot write %s\n", path);
        return false;
    }
    printf("{\"file\": \"%s\", \"vendor\": \"%s\", \"operation\": \"%s\", "
           "\"exclusive\": %s, \"op\": \"%s\", \"in\": \"%s\", \"type\": \"%s\", "
           "\"row\": \"%s\", \"candidate\": %u, \"tile\": \"%s\", \"elements\": %u, "
           "\"sizes\": [%zu, %zu], \"read\": %u, \"slots\": [%zu, %zu, %zu], "
           "\"inputs\": %u, \"commutative\": %s, "
           "\"loads\": %s, \"writes\": %s, \"group_size\": %u}\n",
           name, request->vendor->name, program->operation,
           program->exclusive ? "true" : "false", monoid->name, in, type, program->row,
           program->candidate, clfold_tile_name(program->tile->kind),
           program->tile->elements, clfold_monoid_in_size(monoid),
           clfold_monoid_out_size(monoid), program->read, slots.loaded, slots.folded,
           slots.scanned, num_inputs(monoid), monoid->commutative ? "true" : "false",
           monoid->load || monoid->lifted ? "true" : "false",
           clfold_monoid_converts(monoid) || monoid->lifted ? "true" : "false",
           program->tile->group_size);
    ++request->written;
    return true;
}

/* The programs of one operation by one algorithm. */
static bool write_algorithm(struct request *request, const struct monoid *monoid,
                            const struct use *use, clfold_operation operation,
                            enum algorithm algorithm)
{
    const char *name = clfold_algorithm_name(algorithm);
    struct candidate candidates[CLFOLD_MAX_CANDIDATES];
    struct job job = {
        .operation = operation,
        .monoid = monoid,
        .device = &request->vendor->device,
        .count = 1 << 26,
        .use = *use,
        .segments = request->segments,
        .verdict = { request->vendor->tier, true, true },
    };
    struct monoid shared;
    uint32_t num;
    bool ok = clfold_monoid_init(&shared, &site, CLFOLD_SHARED_OP, CLFOLD_SHARED_TYPE,
                                 CLFOLD_SHARED_TYPE) == CLFOLD_OK;

    /* Of any width and length: programs are the same. */
    if (clfold_algorithm_takes(algorithm, TAKES_ROWS) &&
        !clfold_algorithm_takes(algorithm, TAKES_WHOLE)) {
        job.segments.rows = (struct rows){ 1, 1 << 12 };
    }
    if (algorithm == REDUCE_OFFSETS) {
        job.use.offsets = CLFOLD_U32;
        job.segments.num_offsets = 1 << 20;
    }
    if (!is_asked(request->operations, name) || clfold_plan_choose(&job, &site, name)) {
        return true;
    }
    ok = ok && clfold_plan_candidates(&job, &site, candidates, &num) == CLFOLD_OK;
    for (uint32_t i = 0; ok && i < num; ++i) {
        struct plan plan;
        clfold_plan_init(&plan, &job, &candidates[i]);
        for (uint32_t k = 0; ok && k < plan.num_stages; ++k) {
            const struct stage *stage = &plan.stages[k];
            const struct program program = {
                .operation = name,
                .read = clfold_plan_main(&plan)->read_size,
                .row = candidates[i].policy.row,
                .monoid = monoid,
                .tile = &candidates[i].shape.tile,
                .candidate = i,
                .stage = k,
                .exclusive = candidates[i].shape.exclusive,
            };
            /* A stage again has the program of the first. */
            if (k > plan.main && stage->shape.algorithm == algorithm) {
                continue;
            }
            struct text text = { 0 };
            clfold_assemble(&text, stage->is_shared ? &shared : monoid, &stage->shape);
            ok = write_program(request, &program, &text);
        }
    }
    return ok;
}

/* As the checks of a call have it: without an operator it is a map, heads are for scans,
 * what finds segments is a reduction by offsets, and a result of a reduction has no
 * element. Results of scans by lanes are left out. */
static bool can_be(const struct monoid *monoid, bool found, bool is_map,
                   const struct operation *operation, enum algorithm algorithm)
{
    const enum family family = operation->family;

    if (monoid->keep || operation->selects) {
        return monoid->keep && operation->selects &&
               clfold_algorithm_row(algorithm)->selects;
    }
    return is_map == (family == FAMILY_MAP) && (!found || algorithm == REDUCE_OFFSETS) &&
           (!monoid->lifted || (family == FAMILY_SCAN && algorithm != SCAN_LANES)) &&
           !(algorithm == SCAN_LANES && clfold_monoid_converts(monoid)) &&
           (family == FAMILY_SCAN || is_map ||
            !(monoid->writes.x || monoid->writes.prev));
}

/* What a caller's kernel may do with a fold's functions. */
static bool write_group(struct request *request, const struct monoid *monoid)
{
    static const char kernel[] =
        "kernel void group_text(global const t_in *in, global t_out *out, uint num\n"
        "                       t_CLFOLD_WITH)\n"
        "{\n"
        "    local t_room room;\n"
        "    const ulong i = get_global_id(0);\n"
        "    uint kept;\n"
        "    t_value x = t_load(in, i t_CLFOLD_PASS);\n"
        "    t_value y = t_group_inclusive_scan(x, num, &room t_CLFOLD_PASS);\n"
        "    x = t_group_reduce(x, num, &room t_CLFOLD_PASS);\n"
        "    const uint l = t_group_select(i % 3 > 0, num, &room, &kept t_CLFOLD_PASS);\n"
        "    t_write(x, y, in, out, i - get_local_id(0) + (l < kept ? l : 0) "
        "t_CLFOLD_PASS);\n"
        "}\n";
    const struct tile_shape tile = { TILE_GROUP, 256, 256 };
    const struct program program = {
        .operation = "group_text",
        .row = "",
        .read = (uint32_t)clfold_monoid_read_size(monoid),
        .monoid = monoid,
        .tile = &tile,
    };
    struct text text = { 0 };

    if (!is_asked(request->operations, program.operation) || monoid->accuracy) {
        return true;
    }
    clfold_assemble_group(&text, monoid, tile.group_size,
                          request->vendor->device.platform, "t");
    clfold_text_print(&text, "%s", kernel);
    return write_program(request, &program, &text);
}

static bool write_monoid(struct request *request, const struct monoid *monoid,
                         const struct use *use, bool is_map)
{
    bool ok = true;

    for (int a = 0; ok && a <= REDUCE_OFFSETS; ++a) {
        for (clfold_operation o = CLFOLD_REDUCE; ok && o <= CLFOLD_SELECT; ++o) {
            const enum family family = clfold_algorithm_row((enum algorithm)a)->family;
            const struct operation *const row = clfold_operation_row(o);
            if (row && family == row->family &&
                can_be(monoid, request->segments.found, is_map, row, (enum algorithm)a)) {
                ok = write_algorithm(request, monoid, use, o, (enum algorithm)a);
            }
        }
    }
    if (ok && !is_map && !monoid->lifted && !request->segments.found) {
        ok = write_group(request, monoid);
    }
    return ok;
}

/* "f32", or "u8:u64" where it is folded into another. */
static bool asks_for_types(const struct request *request, clfold_type in,
                           clfold_type type)
{
    char name[16];

    if (in == type) {
        return is_asked(request->types, clfold_scalar_name(in));
    }
    snprintf(name, sizeof(name), "%s:%s", clfold_scalar_name(in),
             clfold_scalar_name(type));
    return is_asked(request->types, name);
}

static struct use use_of(const clfold_fold *fold, const struct monoid *monoid,
                         clfold_operation operation)
{
    const uint64_t bits = clfold_facets_of(fold);

    return clfold_use_of(fold, monoid, bits | clfold_facets_call(fold, bits, operation));
}

static bool write_texts(struct request *request)
{
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i) {
        struct component_names names;
        struct monoid monoid;
        if (!is_asked(request->operators, texts[i].name)) {
            continue;
        }
        if (clfold_monoid_user(&monoid, &site, &texts[i], &names) != CLFOLD_OK) {
            fprintf(stderr, "gpu_texts: %s\n", clfold_last_error());
            return false;
        }
        monoid.name = texts[i].name;
        const bool is_map = !texts[i].op && !texts[i].combine;
        const clfold_segments *segments = texts[i].segments;
        struct use use = use_of(&texts[i], &monoid, CLFOLD_REDUCE);
        request->segments = (struct segments){ .found = true };
        if (segments) {
            request->segments.by = segments->by;
            request->segments.type = segments->type;
        }
        if (segments && segments->by < CLFOLD_BY_OFFSETS &&
            !write_monoid(request, &monoid, &use, false)) {
            return false;
        }
        request->segments.found = false;
        use = use_of(&texts[i], &monoid, CLFOLD_INCLUSIVE_SCAN);
        if (use.way) {
            clfold_monoid_lift(&monoid);
        }
        if (!write_monoid(request, &monoid, &use, is_map)) {
            return false;
        }
    }
    return true;
}

static bool write_all(struct request *request)
{
    static const struct use none;
    struct monoid monoid;

    if (is_asked(request->types, "text") && !write_texts(request)) {
        return false;
    }
    request->segments = (struct segments){ 0 };
    for (clfold_op op = CLFOLD_ADD; op <= CLFOLD_MATRIX_2X2; ++op) {
        for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; ++type) {
            for (clfold_type in = CLFOLD_I8; in <= CLFOLD_F64; ++in) {
                if (asks_for_types(request, in, type) &&
                    clfold_monoid_init(&monoid, &site, op, type, in) == CLFOLD_OK &&
                    is_asked(request->operators, monoid.name) &&
                    !write_monoid(request, &monoid, &none, false)) {
                    return false;
                }
            }
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct request request = { 0 };

    for (size_t i = 0; argc == 6 && i < sizeof(vendors) / sizeof(vendors[0]); ++i) {
        if (strcmp(argv[2], vendors[i].name) == 0) {
            request.vendor = &vendors[i];
        }
    }
    if (!request.vendor) {
        fprintf(stderr, "usage: gpu_texts FOLDER nvidia|amd|intel OPERATIONS OPERATORS "
                        "TYPES\n");
        return 2;
    }
    request.folder = argv[1];
    request.operations = argv[3];
    request.operators = argv[4];
    request.types = argv[5];
    if (!write_all(&request)) {
        return 1;
    }
    if (request.written == 0) {
        fprintf(stderr,
                "gpu_texts: no program is of operations %s, operators %s, types "
                "%s\n",
                request.operations, request.operators, request.types);
        return 2;
    }
    return 0;
}
