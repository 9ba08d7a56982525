#include "plan/assemble.h"

#include "plan/kernel_texts.h"
#include "plan/scalar.h"

#include <stdio.h>
#include <string.h>

/* A width at which the operator is compiled. */
struct width {
    const char *type, *function; /* "clfold_stage16", "clfold_combine_stage16" */
    const char *suffix;          /* after the scalar's name: "16" */
    bool stage;                  /* of the component's stage, else of its type */
    bool extend;                 /* the operator where all of a is before b */
    bool usual;                  /* where nothing is rare */
};

static const struct width item = { "clfold_item", "clfold_combine", "", false, false,
                                   false };
static const struct width stage = {
    "clfold_stage", "clfold_combine_stage", "", true, false, false
};
static const struct width stage16 = {
    "clfold_stage16", "clfold_combine_stage16", "16", true, false, false
};
static const struct width extend16 = {
    "clfold_stage16", "clfold_extend_stage16", "16", true, true, false
};
static const struct width item16 = {
    "clfold_item16", "clfold_combine16", "16", false, false, false
};
static const struct width usual_stage16 = {
    "clfold_stage16", "clfold_usual_stage16", "16", true, false, true
};
static const struct width usual16 = {
    "clfold_item16", "clfold_usual16", "16", false, false, true
};

static const char *cl_name(clfold_type type)
{
    return clfold_scalar(type)->cl;
}

/* Halves that are read as F32 are bits: there may be no vector of halves. */
static bool reads_halves(const struct monoid *monoid)
{
    return monoid->in == CLFOLD_F16 && monoid->value != CLFOLD_F16;
}

static const char *in_name(const struct monoid *monoid)
{
    return reads_halves(monoid) ? "ushort" : cl_name(monoid->in);
}

/* ---- Lines of kernels -------------------------------------------------------------- */

#define LOAD_SIZE 128

/* A component's source: a scalar of an element, or a vector of 16 of these. */
static void print_load(char load[LOAD_SIZE], const struct monoid *monoid,
                       const struct component *component, bool is_wide)
{
    const char *width = is_wide ? "16" : "";
    char scalar[LOAD_SIZE / 2];

    if (reads_halves(monoid)) {
        snprintf(scalar, sizeof(scalar), "clfold_read_half%s(s[%u])", width,
                 component->scalar);
    } else {
        snprintf(scalar, sizeof(scalar), "s[%u]", component->scalar);
    }
    switch (component->load) {
    case LOAD_PLAIN:
        snprintf(load, LOAD_SIZE, "%s", scalar);
        break;
    case LOAD_CONVERTED:
        snprintf(load, LOAD_SIZE, "convert_%s%s(%s)", cl_name(component->result), width,
                 scalar);
        break;
    case LOAD_TRUTH:
        /* A relation is 1 for scalars and -1 for vectors. */
        snprintf(load, LOAD_SIZE, "%s(%s != (%s)0)", is_wide ? "-" : "", scalar,
                 cl_name(monoid->value));
        break;
    case LOAD_POSITION:
        snprintf(load, LOAD_SIZE, is_wide ? "clfold_places(j)" : "j");
        break;
    }
}

/* Appends a line for component k; contract.cl lists the words that it replaces. */
static void append_line(struct text *text, const char *line, const char *stop,
                        const struct monoid *monoid, uint32_t k)
{
    const struct component *component = &monoid->components[k];
    char number[16], load[LOAD_SIZE], wide_load[LOAD_SIZE];
    const struct {
        const char *name, *text;
    } words[] = {
        { "$k", number },
        { "$name", component->name },
        { "$stage", cl_name(component->stage) },
        { "$item", cl_name(component->item) },
        { "$result", cl_name(component->result) },
        { "$load", load },
        { "$wide_load", wide_load },
        { "$plus_base", component->load == LOAD_POSITION ? " + base" : "" },
        { "$is_true", component->load == LOAD_TRUTH ? " != 0" : "" },
        { "$neutral", component->neutral ? component->neutral : "" },
    };
    const size_t num = sizeof(words) / sizeof(words[0]);
    const char *at;

    snprintf(number, sizeof(number), "%u", k);
    print_load(load, monoid, component, false);
    print_load(wide_load, monoid, component, true);
    while ((at = memchr(line, '$', (size_t)(stop - line)))) {
        size_t w = 0;
        while (w < num && strncmp(at, words[w].name, strlen(words[w].name)) != 0) {
            ++w;
        }
        if (w == num) {
            const int length = 1 + (int)strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_");
            clfold_text_print(
                text, "\n#error \"assemble: %.*s is not a word of contract.cl\"\n",
                length, at);
            return;
        }
        clfold_text_append(text, line, (size_t)(at - line));
        clfold_text_append(text, words[w].text, strlen(words[w].text));
        line = at + strlen(words[w].name);
    }
    clfold_text_append(text, line, (size_t)(stop - line));
}

/* Appends a file of cl/. Lines about a component are repeated for each one. */
static void append_file(struct text *text, const char *name, const struct monoid *monoid)
{
    const struct clfold_kernel_text *file = clfold_kernel_texts;
    unsigned number = 1;

    while (file->name && strcmp(file->name, name) != 0) {
        ++file;
    }
    if (!file->name) {
        clfold_text_print(text, "#error \"assemble: there is no file %s\"\n", name);
        return;
    }
    clfold_text_print(text, "#line 1 \"%s\"\n", name);
    for (const char *line = file->text, *end = line + file->length, *next; line < end;
         line = next) {
        next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next + 1 : end;
        uint32_t times = 0;
        if (!monoid || !memchr(line, '$', (size_t)(next - line))) {
            clfold_text_append(text, line, (size_t)(next - line));
        } else {
            for (; times < monoid->num_components; ++times) {
                append_line(text, line, next, monoid, times);
            }
        }
        ++number;
        if (times > 1) {
            clfold_text_print(text, "#line %u\n", number);
        }
    }
}

/* ---- The operator ------------------------------------------------------------------ */

/* One width of the operator. With one component its text uses a and b themselves. */
static void append_combine(struct text *text, const struct monoid *monoid,
                           const struct width *width)
{
    const struct component *components = monoid->components;
    bool bare = monoid->num_components == 1;

    clfold_text_print(text, "static %s %s(%s %s, %s %s)\n{\n    %s clfold_r;\n",
                      width->type, width->function, width->type, bare ? "clfold_a" : "a",
                      width->type, bare ? "clfold_b" : "b", width->type);
    if (bare) {
        const char *name = components[0].name;
        const char *type =
            cl_name(width->stage ? components[0].stage : components[0].item);
        clfold_text_print(text, "    const %s%s a = clfold_a.%s, b = clfold_b.%s;\n",
                          type, width->suffix, name, name);
    }
    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        bool own = width->extend && components[k].extend;
        clfold_text_print(text, "    clfold_r.%s =\n#line 1 \"combine\"\n%s\n;\n",
                          components[k].name,
                          own            ? components[k].extend
                          : width->usual ? components[k].usual
                                         : components[k].combine);
    }
    clfold_text_print(text, "    return clfold_r;\n}\n");
}

static void append_identity(struct text *text, const struct monoid *monoid)
{
    clfold_text_print(text, "static clfold_item clfold_identity(void)\n{\n"
                            "    clfold_item clfold_r;\n");
    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        clfold_text_print(text, "    clfold_r.%s =\n#line 1 \"identity\"\n%s\n;\n",
                          monoid->components[k].name, monoid->components[k].identity);
    }
    clfold_text_print(text, "    return clfold_r;\n}\n");
}

/* A chunk is 16 bytes, the widest load of a GPU's work-item, or an element of more: at
 * least two scalars, and one element of two or of four f64. */
static void append_chunk(struct text *text, const struct monoid *monoid)
{
    uint32_t size = (uint32_t)clfold_monoid_in_size(monoid);
    uint32_t chunk = size < 16 ? 16 / size : 1;
    uint32_t scalars = chunk * monoid->num_scalars;

    clfold_text_print(text, "#define CLFOLD_TILE_GROUP 1\n#define CLFOLD_CHUNK %u\n",
                      chunk);
    clfold_text_print(text, "#define CLFOLD_CHUNK_SCALARS %u\n", scalars);
    clfold_text_print(text, "#define CLFOLD_CHUNK_VECTOR %s%u\n", in_name(monoid),
                      scalars);
}

/* The kernels' parameters for init, and the arguments that pass them on. */
static void append_init(struct text *text, const struct monoid *monoid)
{
    clfold_text_print(text, "#define CLFOLD_INIT_PARAMS uint clfold_init_from, "
                            "global const CLFOLD_CELL *clfold_init_at, "
                            "ulong clfold_init_index");
    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        clfold_text_print(text, ", %s init_%s", cl_name(monoid->components[k].result),
                          monoid->components[k].name);
    }
    clfold_text_print(text, "\n#define CLFOLD_INIT_ARGS clfold_init_from, "
                            "clfold_init_at, clfold_init_index");
    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        clfold_text_print(text, ", init_%s", monoid->components[k].name);
    }
    clfold_text_print(text, "\n");
}

static void append_extension(struct text *text, const struct monoid *monoid,
                             clfold_type type, const char *name)
{
    if (clfold_monoid_uses(monoid, type)) {
        clfold_text_print(text,
                          "#ifdef %s\n#pragma OPENCL EXTENSION %s : enable\n#endif\n",
                          name, name);
    }
}

static void append_tile(struct text *text, const struct monoid *monoid,
                        const struct shape *shape)
{
    const struct tile_shape *tile = &shape->tile;
    uint32_t power = 2;

    while (power < tile->group_size) {
        power *= 2;
    }
    clfold_text_print(text, "#define CLFOLD_GROUP_SIZE %u\n", tile->group_size);
    clfold_text_print(text, "#define CLFOLD_GROUP_POWER %u\n", power);
    if (tile->kind != TILE_NONE) {
        clfold_text_print(text, "#define CLFOLD_TILE %uu\n", tile->elements);
    }
    if (tile->kind == TILE_VECTOR) {
        clfold_text_print(text,
                          "#define CLFOLD_TILE_VECTOR 1\n#define CLFOLD_IN16 %s16\n",
                          in_name(monoid));
        clfold_text_print(text, "#define CLFOLD_PREFETCH %d\n", shape->prefetch);
    } else if (tile->kind == TILE_GROUP) {
        append_chunk(text, monoid);
    }
}

/* Folds that keep order may stop where the operator cuts; a group's tile does not. */
static bool uses_cuts(const struct monoid *monoid, const struct tile_shape *tile)
{
    return monoid->cuts && !monoid->commutative && tile->kind == TILE_VECTOR;
}

/* A condition on b: of one, or of any of 16. */
static void append_condition(struct text *text, const struct monoid *monoid,
                             const char *condition, const char *line,
                             const char *function, const struct width *width)
{
    const struct component *first = &monoid->components[0];
    bool bare = monoid->num_components == 1;

    clfold_text_print(text, "static bool %s(%s %s)\n{\n", function, width->type,
                      bare ? "clfold_b" : "b");
    if (bare) {
        clfold_text_print(text, "    const %s%s b = clfold_b.%s;\n",
                          cl_name(width->stage ? first->stage : first->item),
                          width->suffix, first->name);
    }
    clfold_text_print(text, "    return %s(\n#line 1 \"%s\"\n%s\n);\n}\n",
                      width->suffix[0] == '\0' ? "" : "any", line, condition);
}

static void append_cuts(struct text *text, const struct monoid *monoid,
                        const char *function, const struct width *width)
{
    append_condition(text, monoid, monoid->cuts, "cuts", function, width);
}

static void append_silence(struct text *text)
{
    /* PoCL counts warnings on standard error. The test for a NaN is the same text where
     * the operands are integers; programs take of a file what they need; and CPUs without
     * registers for a vector of 16 pass it to functions in another way. */
    clfold_text_print(text,
                      "#ifdef __clang__\n"
                      "#pragma clang diagnostic ignored \"-Wtautological-compare\"\n"
                      "#pragma clang diagnostic ignored \"-Wunused-function\"\n"
                      "#pragma clang diagnostic ignored \"-Wpsabi\"\n"
                      "#endif\n");
}

static void append_contract(struct text *text, const struct monoid *monoid,
                            const struct shape *shape)
{
    /* Contraction is on by default, and would change x * x + c between programs. */
    clfold_text_print(text, "#pragma OPENCL FP_CONTRACT OFF\n");
    append_silence(text);
    append_extension(text, monoid, CLFOLD_F64, "cl_khr_fp64");
    append_extension(text, monoid, CLFOLD_F16, "cl_khr_fp16");
    clfold_text_print(text, "#define CLFOLD_IN %s\n", in_name(monoid));
    clfold_text_print(text, "#define CLFOLD_IN_HALF %d\n", reads_halves(monoid));
    clfold_text_print(text, "#define CLFOLD_SCALARS %u\n", monoid->num_scalars);
    clfold_text_print(text, "#define CLFOLD_COMPONENTS %u\n", monoid->num_components);
    clfold_text_print(text, "#define CLFOLD_CELL %s\n", cl_name(monoid->cell));
    append_init(text, monoid);
    clfold_text_print(text, "#define CLFOLD_COMMUTATIVE %d\n", monoid->commutative);
    clfold_text_print(text, "#define CLFOLD_HAS_IDENTITY %d\n", monoid->has_identity);
    clfold_text_print(text, "#define CLFOLD_CUTS %d\n", uses_cuts(monoid, &shape->tile));
    clfold_text_print(
        text, "#define CLFOLD_STAGE_LIMIT %uu\n",
        (uint32_t)(monoid->stage_limit < UINT32_MAX ? monoid->stage_limit : UINT32_MAX));
    append_tile(text, monoid, shape);
}

/* The operator for lanes that take elements from the left; mostly the usual one. */
static void append_extend(struct text *text, const struct monoid *monoid)
{
    bool own = false;

    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        own |= monoid->components[k].extend != NULL;
    }
    if (own) {
        append_combine(text, monoid, &extend16);
    } else {
        clfold_text_print(text, "#define %s %s\n", extend16.function, stage16.function);
    }
}

/* The operator, at the widths that the program needs; it follows the contract. */
static void append_operator(struct text *text, const struct monoid *monoid,
                            const struct tile_shape *tile,
                            const struct width *const *widths, uint32_t num_widths)
{
    append_file(text, "contract.cl", monoid);
    for (uint32_t i = 0; i < num_widths; ++i) {
        append_combine(text, monoid, widths[i]);
    }
    if (monoid->has_identity) {
        append_identity(text, monoid);
    }
    if (tile->kind == TILE_VECTOR) {
        append_extend(text, monoid);
    }
    if (uses_cuts(monoid, tile)) {
        append_cuts(text, monoid, "clfold_cuts", &stage);
        append_cuts(text, monoid, "clfold_any_cuts", &stage16);
    }
    append_file(text, "result.cl", monoid);
}

static void assemble_reduce(struct text *text, const struct monoid *monoid,
                            const struct shape *shape)
{
    const struct width *const widths[] = { &item, &stage, &stage16 };
    bool is_vector = shape->tile.kind == TILE_VECTOR;
    const struct algorithm_row *row = clfold_algorithm_row(shape->algorithm);
    bool is_tile = !row->is_rung;

    append_contract(text, monoid, shape);
    if (!is_tile) {
        clfold_text_print(text, "#define CLFOLD_RUNG %d\n",
                          (int)(shape->algorithm - REDUCE_0));
    }
    append_operator(text, monoid, &shape->tile, widths,
                    is_vector         ? 3
                    : row->items == 0 ? 2
                                      : 1);
    if (is_tile) {
        append_file(text, is_vector ? "tile_vector.cl" : "tile_group.cl", monoid);
    }
    append_file(text, row->file, monoid);
}

/* ---- Scans ------------------------------------------------------------------------- */

static void append_memory(struct text *text, enum memory_tier tier, bool fences)
{
    const struct memory *memory = clfold_memory(tier);

    clfold_text_print(text, "%s#define CLFOLD_MEMORY %u\n", memory->extensions,
                      memory->means);
    clfold_text_print(text, "#define CLFOLD_WORD_BITS %u\n", memory->word_bits);
    clfold_text_print(text, "#define CLFOLD_FENCES %d\n", fences);
}

/* Vectors are combined in the usual way where nothing is rare. */
static bool uses_rare(const struct monoid *monoid, const struct tile_shape *tile)
{
    return monoid->rare && tile->kind == TILE_VECTOR && clfold_monoid_has_item16(monoid);
}

/* The neutral value before the first lanes, if every component has one. */
static void append_neutral(struct text *text, const struct monoid *monoid)
{
    bool has = true;

    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        has &= monoid->components[k].neutral != NULL;
    }
    clfold_text_print(text, "#define CLFOLD_NEUTRAL %d\n", has);
}

static void append_scan(struct text *text, const struct monoid *monoid,
                        const struct shape *shape)
{
    const char *cell = cl_name(monoid->cell);
    uint32_t size = (uint32_t)clfold_scalar(monoid->cell)->size;
    uint32_t cells = size == 8 ? 8 : 16;

    if (clfold_looks_back(shape->algorithm)) {
        append_memory(text, shape->tier, shape->fences);
        clfold_text_print(text, "#define CLFOLD_CHAINED %d\n",
                          shape->algorithm == SCAN_CHAINED);
        clfold_text_print(text, "#define CLFOLD_WINDOW %u\n", shape->window);
        clfold_text_print(text, "#define CLFOLD_WINDOW_SUB_GROUP %d\n",
                          shape->window > 1 && shape->tile.kind == TILE_GROUP &&
                              shape->group_scan == GROUP_SCAN_SUB_GROUP);
        clfold_text_print(text, "#define CLFOLD_TRACE %d\n#define CLFOLD_CYCLES %d\n",
                          shape->traced, shape->builtins);
        clfold_text_print(text, "#define CLFOLD_CUTS_ITEM %d\n", monoid->cuts != NULL);
    }
    clfold_text_print(text, "#define CLFOLD_SCAN 1\n#define CLFOLD_EXCLUSIVE %d\n",
                      shape->exclusive);
    clfold_text_print(text, "#define CLFOLD_ANCHOR %u\n", shape->anchor);
    clfold_text_print(text, "#define CLFOLD_BUILTINS %d\n", shape->builtins);
    clfold_text_print(text, "#define CLFOLD_STREAM %d\n", shape->stream);
    if (shape->tile.kind == TILE_GROUP) {
        clfold_text_print(text, "#define CLFOLD_GROUP_SCAN %d\n", (int)shape->group_scan);
        clfold_text_print(text, "#define CLFOLD_OUT_CHUNK %u\n", 16 / size);
        /* clang for NVIDIA stores 16 bytes that it put together by twos of 8. */
        clfold_text_print(text, "#define CLFOLD_OUT_CHUNK_VECTOR %s%u\n",
                          size == 1 ? "uint" : cell, size == 1 ? 4 : 16 / size);
        return;
    }
    clfold_text_print(text, "#define CLFOLD_CELL16 %s16\n", cell);
    clfold_text_print(text, "#define CLFOLD_AS_CELL16 as_%s16\n", cell);
    clfold_text_print(text, "#define CLFOLD_CELLS %s%u\n", cell, cells);
    clfold_text_print(text, "#define CLFOLD_CELLS_HALF %s%u\n", cell, cells / 2);
    clfold_text_print(text, "#define CLFOLD_CELLS_SIZE %u\n", cells);
    clfold_text_print(text, "#define CLFOLD_CELLS_VSTORE vstore%u\n", cells);
    clfold_text_print(text, "#define CLFOLD_ITEM16 %d\n",
                      clfold_monoid_has_item16(monoid));
    clfold_text_print(text, "#define CLFOLD_RARE %d\n", uses_rare(monoid, &shape->tile));
    append_neutral(text, monoid);
}

static void assemble_scan(struct text *text, const struct monoid *monoid,
                          const struct shape *shape)
{
    const struct width *const widths[] = { &item, &stage, &stage16, &item16 };
    bool is_vector = shape->tile.kind == TILE_VECTOR;

    append_contract(text, monoid, shape);
    append_scan(text, monoid, shape);
    append_operator(text, monoid, &shape->tile, widths,
                    !is_vector                         ? 2
                    : clfold_monoid_has_item16(monoid) ? 4
                                                       : 3);
    if (clfold_looks_back(shape->algorithm) && monoid->cuts) {
        append_cuts(text, monoid, "clfold_cuts_item", &item);
    }
    if (uses_rare(monoid, &shape->tile)) {
        append_condition(text, monoid, monoid->rare, "rare", "clfold_is_rare", &item);
        append_combine(text, monoid, &usual_stage16);
        append_combine(text, monoid, &usual16);
    }
    append_file(text, "scan_tiles.cl", monoid);
    if (is_vector) {
        append_file(text, "tile_vector.cl", monoid);
        append_file(text, "tile_vector_scan.cl", monoid);
    } else {
        append_file(text, "group_scan.cl", monoid);
        append_file(text, "tile_group_scan.cl", monoid);
    }
    if (shape->algorithm == SCAN_THEN_PROPAGATE || shape->algorithm == REDUCE_THEN_SCAN) {
        append_file(text, "scan_prefixes.cl", monoid);
    } else {
        append_file(text, "scan_totals.cl", monoid);
    }
    if (clfold_looks_back(shape->algorithm)) {
        append_file(text, "memory.cl", monoid);
        append_file(text, "descriptor.cl", monoid);
        append_file(text, "look_back.cl", monoid);
        if (shape->traced) {
            append_file(text, "scan_trace.cl", monoid);
        }
    }
    append_file(text, clfold_algorithm_row(shape->algorithm)->file, monoid);
}

static void (*const assemblers[])(struct text *text, const struct monoid *monoid,
                                  const struct shape *shape) = {
    [FAMILY_REDUCE] = assemble_reduce,
    [FAMILY_SCAN] = assemble_scan,
};

void clfold_assemble(struct text *text, const struct monoid *monoid,
                     const struct shape *shape)
{
    assemblers[clfold_algorithm_row(shape->algorithm)->family](text, monoid, shape);
}

void clfold_assemble_group_scan(struct text *text, const struct monoid *monoid,
                                enum group_scan kind, uint32_t group_size)
{
    /* The contract needs a tile; here it is all that a group scans. */
    const struct shape shape = { .tile = { TILE_GROUP, group_size, group_size } };

    append_contract(text, monoid, &shape);
    clfold_text_print(text, "#define CLFOLD_GROUP_SCAN %d\n", (int)kind);
    append_file(text, "contract.cl", monoid);
    append_combine(text, monoid, &item);
    append_file(text, "group_scan.cl", monoid);
    append_file(text, "group_scans.cl", monoid);
}

/* ---- The probe --------------------------------------------------------------------- */

void clfold_assemble_probe(struct text *text, enum memory_tier tier, bool fences,
                           uint32_t said, const char *instead)
{
    append_silence(text);
    append_memory(text, tier, fences);
    clfold_text_print(text, "#define CLFOLD_SAID %u\n", said);
    append_file(text, "memory.cl", NULL);
    if (instead) {
        clfold_text_append(text, instead, strlen(instead));
    }
    append_file(text, "probe.cl", NULL);
}
