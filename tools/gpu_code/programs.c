#include "programs.h"

#include "base/text.h"
#include "plan/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct site site = { NULL, "programs" };

/* ---- Devices ----------------------------------------------------------------------- */

#define CPU_FACTS            .cpu = true, .max_group_size = 4096, .local_memory = 1 << 20
#define GPU_FACTS(most, kib) .max_group_size = (most), .local_memory = (kib) << 10
#define UNKNOWN              .vendor = "", .name = ""

const struct listed_device listed_devices[LISTED_DEVICES] = {
    { "cpu", { CPU_FACTS, UNKNOWN, .platform = "Portable Computing Language" }, 0 },
    { "gpu", { GPU_FACTS(1024, 48), UNKNOWN }, 0 },
    { "plain-cpu",
      { CPU_FACTS, UNKNOWN },
      0 }, /* its compiler is not known for builtins */
    { "sub-groups", { GPU_FACTS(1024, 48), UNKNOWN, .sub_groups = true }, 0 },
    { "nvidia",
      { GPU_FACTS(1024, 48), .vendor = "NVIDIA Corporation", .name = "NVIDIA GPU",
        .platform = "NVIDIA CUDA" },
      MEMORY_PTX_64 },
    { "amd",
      { GPU_FACTS(256, 64), .vendor = "Advanced Micro Devices, Inc.", .name = "AMD GPU",
        .platform = "AMD Accelerated Parallel Processing", .sub_groups = true },
      MEMORY_SCOPED_64 },
    { "intel",
      { GPU_FACTS(1024, 64), .vendor = "Intel(R) Corporation", .name = "Intel GPU",
        .platform = "Intel(R) OpenCL Graphics", .sub_groups = true },
      MEMORY_SCOPED_64 },
};

/* ---- Folds ------------------------------------------------------------------------- */

#define FOLD(called, ...)                                                                \
    {                                                                                    \
        .name = (called), __VA_ARGS__                                                    \
    }
#define OF(t)              .type = CLFOLD_##t
#define IN(t)              .in = CLFOLD_##t
#define OUT(t)             .out = CLFOLD_##t
#define OP(o, t)           .op = CLFOLD_##o, OF(t)
#define ACCURACY(a)        .accuracy = CLFOLD_##a
#define STREAMS(from, num) .args = streams + (from), .num_args = (num)
#define STRUCT(called, size, text)                                                       \
    .type_name = (called), .type_size = (size), .source = (text)

#define WORDS(num)                                                                       \
    STRUCT("words", 4 * (num),                                                           \
           "typedef struct { uint x[" #num "]; } words;\n"                               \
           "words join(words a, words b)\n{\n"                                           \
           "#pragma unroll\n    for (int i = 1; i < " #num "; ++i)\n"                    \
           "        a.x[i] = a.x[i] * b.x[0] + b.x[i];\n"                                \
           "    a.x[0] *= b.x[0];\n    return a;\n}\n"),                                 \
        .combine = "join(a, b)"

/* Of streams' buffers only the type counts. */
static const clfold_arg streams[] = { { .name = "y", .element = CLFOLD_F32 },
                                      { .name = "z", .element = CLFOLD_F32 } },
                        values[] = { { .type = "uint", .name = "m" },
                                     { .type = "global const pair *", .name = "table" } };

static const clfold_segments flags = { .by = CLFOLD_BY_FLAGS, OF(U8) },
                             keys = { .by = CLFOLD_BY_KEYS, OF(U32) },
                             offsets = { .by = CLFOLD_BY_OFFSETS, OF(U32) };

/* Built-in operators with all that is asked of others; those of a caller's, of one size,
 * of several, of a struct, with arguments; selects and maps; and segments. */
const clfold_fold listed_folds[] = {
    FOLD("add", OP(ADD, U64), IN(U8)),
    FOLD("max", OP(MAX, F32), IN(F16)),
    FOLD("min-max", OP(MIN_MAX, I16), IN(U8)),
    FOLD("arg-min-max", OP(ARG_MIN_MAX, U64), IN(U8)),
    FOLD("affine", OP(AFFINE, I32)),
    FOLD("affine-with-cuts", .components = "float a; float b",
         .combine = "{ a.a * b.a, a.b * b.a + b.b }", .identity = "{ 1, 0 }",
         .cuts = "b.a == 0"),
    FOLD("compensated-add", OP(ADD, F32), IN(F16), ACCURACY(COMPENSATED)),
    FOLD("reproducible-add", OP(ADD, F32), IN(F16), ACCURACY(REPRODUCIBLE)),
    FOLD("reproducible-add", OP(ADD, F64), ACCURACY(REPRODUCIBLE)),
    FOLD("user-0", .components = "int v; uint f",
         .combine = "{ pick(truth(b.f), b.v, a.v + b.v), a.f | b.f }",
         .identity = "{ 0, 0 }", .cuts = "b.f"),
    FOLD("user-1", .components = "ushort a, b, c",
         .combine = "{ min(a.a, b.a), a.b + b.b, b.c }"),
    FOLD("user-2", .components = "ulong n; float mean; uchar c",
         .combine = "{ a.n + b.n, fmax(a.mean, b.mean), b.c }",
         .identity = "{ 0, -INFINITY, 0 }", .flags = CLFOLD_COMMUTATIVE),
    FOLD("user-3", STRUCT("struct words", 64, "struct words { uint x[16]; };"),
         .combine = "b", .identity = "{ { 1 } }"),
    FOLD("user-4", OF(U32), IN(U8), .source = "typedef struct { uint x, y; } pair;",
         .combine = "(a * b + table[0].x) % m", .identity = "table[1].y", .args = values,
         .num_args = 2),
    FOLD("user-5", OP(ADD, F32), IN(F16), .load = "x * y", .out_scalars = 2,
         .result = "{ item - prev, to_f32(i) + x }", STREAMS(0, 1)),
    FOLD("user-6", STRUCT("uint2", 8, NULL), .combine = "a * b", .identity = "(uint2)(1)",
         .store = "if (i > 0)\n    out[i - 1] = item * prev + in[i];"),
    FOLD("user-7", OP(ARG_MAX, U32), OUT(F16), .result = "to_f32(item.index)"),
    FOLD("user-8", OP(ADD, F32), IN(F16), ACCURACY(COMPENSATED), .load = "x * y",
         .out_scalars = 2, .result = "{ item, prev }", STREAMS(0, 1)),
    FOLD("reproducible-user-9", OP(ADD, F32), IN(F16), ACCURACY(REPRODUCIBLE),
         .load = "x * y", .result = "sqrt(item)", STREAMS(0, 1)),
    FOLD("reproducible-user-10", OP(ADD, F32), ACCURACY(REPRODUCIBLE),
         .load = "i > 0 ? x - in[i - 1] : x", .store = "out[i + 1] = item;"),

    FOLD("select-above", OF(F32), .keep = "x > 3"),
    FOLD("select-bytes", OF(U8), .keep = "to_u32(x) & 1"),
    FOLD("select-2", OF(F64), IN(F16), OUT(F32), .keep = "item < 2"),
    FOLD("select-places", OF(U64), IN(F32), .load = "i + to_u64(x)", .keep = "x > y",
         STREAMS(0, 1)),
    FOLD("select-pairs", .components = "uint a, b", .result = "{ item.b, x.a }",
         .keep = "item.a > x.b"),
    FOLD("select-5", .components = "ulong sum; uint last",
         .keep = "i == 0 || in[i - 1].sum != x.sum"),
    FOLD("select-6", STRUCT("float4", 16, NULL), .keep = "x.x < item.y"),
    FOLD("select-7", OF(F32), .store = "out[n - 1 - at] = item;", .keep = "x != 0"),
    FOLD("select-runs", OF(F32), .same = "a == b"),
    FOLD("select-9", .components = "ulong sum; uint last", .same = "a.last == b.last"),
    FOLD("select-sums", OP(ADD, U32), .keep = "(item ^ prev) & 64"),
    FOLD("scan-select-1", OP(MAX, F32), .keep = "item == x", .store = "out[at] = i;"),
    FOLD("scan-select-2", .components = "ulong n; float mean",
         .combine = "{ a.n + b.n, fmax(a.mean, b.mean) }", .identity = "{ 0, -INFINITY }",
         .keep = "item.n % 2", .result = "{ i, x.mean }"),

    FOLD("select-fields", OP(BIT_XOR, U8), IN(U8), OUT(U64), .load = "x == 34",
         .keep = "x == 44 && item == 0", .result = "i"),
    FOLD("dot", OP(ADD, F32), .load = "x * y", STREAMS(0, 1)),
    FOLD("average", IN(F32), .components = "float a; float b",
         .combine = "{ a.a * b.a, a.b * b.a + b.b }", .identity = "{ 1, 0 }",
         .load = "{ 0.75f, 0.25f * x }"),
    FOLD("compensated", OP(ADD, F32), ACCURACY(COMPENSATED)),
    FOLD("reproducible", OP(ADD, F32), ACCURACY(REPRODUCIBLE)),
    FOLD("add-in-order", OF(F32), .combine = "a + b"),
    FOLD("segments", .components = "float v; uint f",
         .combine = "{ pick(truth(b.f & 1), b.v, a.v + b.v), a.f | b.f }"),
    FOLD("words-5", WORDS(5)),
    FOLD("words-16", WORDS(16)),
    FOLD("words-16-commutative", WORDS(16), .flags = CLFOLD_COMMUTATIVE),
    FOLD("norm", OP(ADD, F32), .load = "x * x", .result = "sqrt(item)"),
    FOLD("running-mean", OP(ADD, F32), .result = "item / to_f32(i + 1)"),
    FOLD("flag-rises", OP(BIT_OR, U32), OUT(U8), .result = "to_u8(item & ~prev)"),
    FOLD("sum-of-what", OP(ADD, F32), OUT(F32), .out_scalars = 2,
         .result = "{ item, x }"),
    FOLD("scatter", OP(ADD, U32), IN(U8), .store = "if (x) out[item - 1] = i;"),

    FOLD("map-blend", OF(F32), .load = "x + y * z", STREAMS(0, 2)),
    FOLD("map-flags", OF(F32), OUT(U8), .result = "to_u8(x > 3 ? 1 : 0)"),
    FOLD("map-polar", .components = "float r; float w", IN(F32), .in_scalars = 2,
         .load = "{ hypot(x.x, x.y), x.x * y }", STREAMS(0, 1)),
    FOLD("map-widen", OF(U32), IN(U8), .in_scalars = 4, OUT(F32), .out_scalars = 2,
         .load = "to_u32(x.x) + to_u32(x.y)", .result = "{ to_f32(item), to_f32(x.z) }"),
    FOLD("map-store", OF(F32), .store = "out[n - 1 - i] = item;"),

    FOLD("add-by-flags", OP(ADD, F32), .segments = &flags),
    FOLD("mean-by-keys", OP(MOMENTS, F32), .segments = &keys),
    FOLD("affine-by-offsets", OP(AFFINE, F32), .segments = &offsets),
};
const size_t num_listed_folds = sizeof(listed_folds) / sizeof(listed_folds[0]);

/* ---- Texts ------------------------------------------------------------------------- */

const char *whole_text(const char *name, const struct text *text)
{
    if (text->failed || strstr(text->bytes, "#error \"assemble: ")) {
        fprintf(stderr, "%s: no text\n", name);
        exit(1);
    }
    return text->bytes;
}

static void visit_text(const struct visitor *visitor, struct program *program,
                       struct text *text)
{
    program->text = whole_text(program->call->name, text);
    visitor->visit(visitor->user, program);
    clfold_text_finish(text);
}

/* As requests make it. */
static struct job job_of(const struct call *call, const struct monoid *monoid,
                         uint64_t bits)
{
    const clfold_segments *given = call->fold.segments;
    struct job job = {
        .operation = call->operation,
        .monoid = monoid,
        .device = call->device,
        .count = 1 << 26,
        .use = clfold_use_of(&call->fold, monoid, bits),
        .verdict = { call->tier, true, clfold_memory(call->tier)->fences },
        .traced = call->traced,
    };

    if (given && given->by <= CLFOLD_BY_OFFSETS) {
        const bool finds = given->by != CLFOLD_BY_OFFSETS && !clfold_facets_lift(bits);
        job.use.offsets = finds ? call->places : job.use.offsets;
        job.segments = (struct segments){ .by = given->by,
                                          .type = given->type,
                                          .num = 1 << 10,
                                          .num_offsets = 1 << 10,
                                          .found = finds,
                                          .finds_bad = call->finds_bad,
                                          .lists = call->fold.lengths_out.mem != NULL };
    } else if (given) {
        job.segments.rows =
            (struct rows){ given->columns ? given->columns : 1, given->length };
        job.segments.given = job.segments.rows;
    }
    return job;
}

bool list_call(const struct call *call, bool each, const struct visitor *visitor)
{
    struct candidate candidates[CLFOLD_MAX_CANDIDATES];
    struct component_names names;
    struct monoid monoid, shared;
    uint64_t bits = clfold_facets_of(&call->fold);
    uint32_t num;

    bits |= clfold_facets_call(&call->fold, bits, call->operation) |
            (uint64_t)call->traced << TRAIT_TRACE;
    if (clfold_facets_check(&site, bits) ||
        clfold_monoid_user(&monoid, &site, &call->fold, &names)) {
        return false;
    }
    monoid.name = call->name;
    if (clfold_facets_lift(bits)) {
        clfold_monoid_lift(&monoid);
    }
    struct job job = job_of(call, &monoid, bits);
    const bool in_pieces = call->algorithm == SERIAL_PIECES && !call->fold.segments &&
                           call->operation == CLFOLD_REDUCE; /* as results are verified */
    if (clfold_plan_choose(&job, &site,
                           clfold_algorithm_name(in_pieces ? SERIAL : call->algorithm))) {
        return false;
    }
    job.algorithm = call->algorithm;
    if (clfold_monoid_init(&shared, &site, CLFOLD_SHARED_OP, CLFOLD_SHARED_TYPE,
                           CLFOLD_SHARED_TYPE) ||
        clfold_plan_candidates(&job, &site, candidates, &num)) {
        return false;
    }
    for (uint32_t i = 0; i < (each ? num : 1); ++i) {
        struct plan plan;
        clfold_plan_init(&plan, &job, &candidates[i]);
        for (uint32_t s = 0; s < plan.num_stages; ++s) {
            const struct stage *const stage = &plan.stages[s];
            struct program program = { call, &monoid, &candidates[i], &plan, s, NULL };
            struct text text = { 0 };
            clfold_assemble(&text, stage->is_shared ? &shared : &monoid, &stage->shape);
            visit_text(visitor, &program, &text);
        }
    }
    return true;
}

bool list_group(const struct call *call, uint32_t size, const struct visitor *visitor)
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
    const struct candidate candidate = {
        .policy.row = "",
        .shape.tile = { TILE_GROUP, size, size },
    };
    struct component_names names;
    struct monoid monoid;
    struct text text = { 0 };

    if (call->fold.accuracy || call->fold.keep || call->fold.same ||
        !(call->fold.op || call->fold.combine) ||
        clfold_monoid_user(&monoid, &site, &call->fold, &names)) {
        return false;
    }
    monoid.name = call->name;
    const struct plan plan = {
        .num_stages = 1,
        .stages[0].read_size = (uint32_t)clfold_monoid_read_size(&monoid),
    };
    struct program program = { call, &monoid, &candidate, &plan, 0, NULL };
    clfold_assemble_group(&text, &monoid, size, call->device->platform, "t");
    clfold_text_print(&text, "%s", kernel);
    visit_text(visitor, &program, &text);
    return true;
}
