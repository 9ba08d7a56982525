#include "plan/contract.h"

#include "plan/load_text.h"
#include "plan/operator_text.h"
#include "plan/scalar.h"
#include "plan/widths_text.h"

#include <stdio.h>
#include <string.h>

/* ---- Macros ------------------------------------------------------------------------ */

/* An integer of as many bits, by vectors of which lanes are chosen. */
static const char *mask_name(clfold_type type)
{
    const struct scalar *scalar = clfold_scalar(type);

    return scalar ? clfold_cl_name(clfold_integer(scalar->size, true)) : "";
}

/* Words of 16 bytes, or less, that make up `bytes`. Returns the bytes of one. */
static uint32_t word_of(uint32_t bytes, const char **type)
{
    static const char *const types[] = {
        [1] = "uchar", [2] = "ushort", [4] = "uint", [8] = "uint2", [16] = "uint4"
    };
    uint32_t word = 16;

    while (bytes % word != 0) {
        word /= 2;
    }
    *type = types[word];
    return word;
}

/* A chunk is a vector, but for structs and for three scalars, which have none. Rows of a
 * scan are of chunks of results, and where there are structs, of their words. */
static void append_chunks(struct text *text, const struct monoid *monoid)
{
    const uint32_t size = (uint32_t)clfold_monoid_in_size(monoid);
    const uint32_t out_size = (uint32_t)clfold_monoid_out_size(monoid);
    const uint32_t chunk = clfold_monoid_chunk(monoid);
    const struct scalar *cell = monoid->out_struct ? NULL : clfold_scalar(monoid->cell);
    const uint32_t cells = cell ? 16 / (uint32_t)cell->size : 1;
    /* clang for NVIDIA stores 16 bytes that it put together by twos of 8. */
    const bool whole = cell && cell->size > 1;
    const char *word, *out_word;
    uint32_t align = chunk * size;

    if (monoid->in_struct || monoid->num_scalars == 3) {
        const uint32_t bytes = align;
        align = word_of(bytes, &word);
        clfold_text_print(text,
                          "typedef struct {\n    %s words[%u];\n} clfold_words;\n"
                          "#define CLFOLD_CHUNK_VECTOR clfold_words\n",
                          word, bytes / align);
    } else {
        clfold_text_print(text, "#define CLFOLD_CHUNK_VECTOR %s%u\n",
                          clfold_in_name(monoid), chunk * monoid->num_scalars);
    }
    const uint32_t words = size / word_of(size, &word);
    const uint32_t out_words = out_size / word_of(out_size, &out_word);
    clfold_text_print(
        text,
        "#define CLFOLD_CHUNK %u\n#define CLFOLD_CHUNK_SCALARS %u\n"
        "#define CLFOLD_CHUNK_ALIGN %u\n"
        "#define CLFOLD_WORD %s\n#define CLFOLD_WORDS %u\n"
        "#define CLFOLD_OUT_WORD %s\n#define CLFOLD_OUT_WORDS %u\n"
        "#define CLFOLD_OUT_CHUNK_VECTOR %s%u\n#define CLFOLD_OUT_CHUNK %u\n",
        chunk, chunk * monoid->num_scalars, align, word, words, out_word, out_words,
        whole ? cell->cl : "uint", whole ? cells : 4, cells);
}

/* Parameters for a result that is given, or arguments that pass them on. */
static void append_given(struct text *text, const struct monoid *monoid,
                         const char *macro, const char *name, bool typed)
{
    clfold_text_print(
        text, "#define %s %sclfold_%s_from, %sclfold_%s_at, %sclfold_%s_index", macro,
        typed ? "uint " : "", name, typed ? "global const uchar *" : "", name,
        typed ? "ulong " : "", name);
    for (uint32_t k = 0; k < clfold_monoid_num_results(monoid); ++k) {
        clfold_type type = clfold_monoid_result_type(monoid, k);
        clfold_text_print(text, ", %s%s%s_%s", typed ? clfold_cl_name(type) : "",
                          typed ? " " : "", name, clfold_monoid_result_name(monoid, k));
    }
    clfold_text_print(text, "\n");
}

/* Where segments start, and what stands before each: see heads.cl. */
static void append_heads(struct text *text, const struct monoid *monoid,
                         const struct shape *shape)
{
    const struct use *use = &shape->use;

    clfold_text_print(text, "#define CLFOLD_HEADS %u\n", monoid->lifted ? use->way : 0);
    if (!use->heads) {
        return;
    }
    const bool are_halves = use->heads == CLFOLD_F16;
    const char *key = are_halves ? "float" : clfold_cl_name(use->heads);
    const char *mask = mask_name(are_halves ? CLFOLD_F32 : use->heads);
    clfold_text_print(text,
                      "#define CLFOLD_WAY %u\n#define CLFOLD_FINDS_PLACES %d\n"
                      "#define CLFOLD_KEY %s\n#define CLFOLD_KEY16 %s16\n"
                      "#define CLFOLD_MASK %s\n#define CLFOLD_MASK16 %s16\n"
                      "#define CLFOLD_READ_KEY(i, p) %s\n"
                      "#define CLFOLD_READ_KEY16 %s\n#define CLFOLD_KEY_EQUAL %d\n",
                      use->way, shape->algorithm == FIND_PLACES, key, key, mask, mask,
                      are_halves ? "vload_half(i, p)" : "(p)[i]",
                      are_halves ? "vload_half16" : "vload16", monoid->equal != NULL);
    const char *cell = are_halves ? "half" : key;
    clfold_text_print(
        text,
        "#define CLFOLD_KEY_CELL %s\n#define CLFOLD_HEADS_CELL %s%s\n"
        "#define CLFOLD_KEY_BITS %s\n",
        cell, monoid->keeps_scan ? "" : "const ", cell,
        clfold_cl_name(clfold_integer(clfold_scalar(use->heads)->size, false)));
    if (!monoid->lifted) {
        return;
    }
    const char *head = clfold_cl_name(monoid->components[monoid->num_components].stage);
    clfold_text_print(text,
                      "#define CLFOLD_HEAD16 %s16\n"
                      "#define CLFOLD_TO_HEADS(x) convert_%s16(x)\n",
                      head, head);
    append_given(text, monoid, "CLFOLD_START_PARAMS", "start", true);
    append_given(text, monoid, "CLFOLD_START_ARGS", "start", false);
}

static void append_extension(struct text *text, const struct monoid *monoid,
                             const struct use *use, clfold_type type, const char *name)
{
    if (clfold_monoid_uses(monoid, type) || (use->heads == type && type != CLFOLD_F16)) {
        clfold_text_print(text,
                          "#ifdef %s\n#pragma OPENCL EXTENSION %s : enable\n#endif\n",
                          name, name);
    }
}

static void append_tile(struct text *text, const struct monoid *monoid,
                        const struct shape *shape)
{
    const struct tile_shape *tile = &shape->tile;

    clfold_text_print(text,
                      "#define CLFOLD_GROUP_SIZE %u\n"
                      "#define CLFOLD_KERNEL kernel %s"
                      "__attribute__((reqd_work_group_size(CLFOLD_GROUP_SIZE, 1, 1)))\n"
                      "#define CLFOLD_TILE %uu\n#define CLFOLD_TILE_VECTOR %d\n"
                      "#define CLFOLD_TILE_GROUP %d\n#define CLFOLD_IN16 %s16\n"
                      "#define CLFOLD_PREFETCH %d\n#define CLFOLD_LOADS_32 %u\n",
                      tile->group_size,
                      shape->single ? "__attribute__((intel_vec_len_hint(1))) " : "",
                      tile->elements, tile->kind == TILE_VECTOR, tile->kind == TILE_GROUP,
                      clfold_in_name(monoid), shape->prefetch, shape->loads_32);
    if (tile->kind == TILE_GROUP) {
        append_chunks(text, monoid);
        clfold_text_print(text, "#define CLFOLD_GROUP_SCAN %d\n", (int)shape->group_scan);
    }
}

static void append_silence(struct text *text)
{
    /* PoCL counts warnings on standard error. The test for a NaN is the same text where
     * the operands are integers; programs take of a file what they need; a loop may be
     * too long to unroll; CPUs without registers for a vector of 16 pass it to functions
     * in another way; and initialisers of the caller's leave out the head. */
    clfold_text_print(text,
                      "#ifdef __clang__\n"
                      "#pragma clang diagnostic ignored \"-Wtautological-compare\"\n"
                      "#pragma clang diagnostic ignored \"-Wunused-function\"\n"
                      "#pragma clang diagnostic ignored \"-Wpass-failed\"\n"
                      "#pragma clang diagnostic ignored "
                      "\"-Wmissing-field-initializers\"\n"
                      "#if __has_warning(\"-Wpsabi\")\n"
                      "#pragma clang diagnostic ignored \"-Wpsabi\"\n"
                      "#endif\n#endif\n");
}

/* What is in memory, what a part of a larger call knows of it, and the segment of what a
 * text is about: an element's, or of a reduction the result. */
static void append_place(struct text *text, const struct monoid *monoid,
                         const struct shape *shape)
{
    const enum family family = clfold_algorithm_row(shape->algorithm)->family;
    const bool of_segments = family == FAMILY_REDUCE ||
                             (family == FAMILY_ANY && !shape->each) ||
                             shape->algorithm == SERIAL_PIECES;
    const char *index =
        clfold_use_has(&shape->use, FACET_PART) ? "((i) + clfold_first)" : "i";

    clfold_use_append(text, &shape->use);
    clfold_text_print(
        text,
        "#define CLFOLD_LOAD_INDEX(i) %s\n#define CLFOLD_RESULT_INDEX(i) %s\n"
        "#define CLFOLD_CARRY_SIZE %zu\n#define CLFOLD_CARRY_COPY(to, from) do {",
        index, of_segments ? "i" : index, clfold_monoid_carry_size(monoid));
    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        const char *name = monoid->components[k].name;
        clfold_text_print(text, " to.%s = from.%s;", name, name);
    }
    clfold_text_print(
        text,
        " } while (0)\n#define CLFOLD_TEXT_SEGMENTS %d\n"
        "#define CLFOLD_LOAD_SEGMENT(i) own\n#define CLFOLD_LOAD_SEGMENT16(i) own\n"
        "#define CLFOLD_RESULT_SEGMENT(i) %s\n#define CLFOLD_RESULT_SEGMENT16(i) %s\n",
        clfold_monoid_uses_segment(monoid),
        of_segments ? "((clfold_segment){ CLFOLD_RESULT_INDEX(i), 0 })"
                    : "clfold_segment_of(CLFOLD_RESULT_INDEX(i) CLFOLD_PASS)",
        of_segments ? "((clfold_segment16){ clfold_indices(CLFOLD_RESULT_INDEX(i)), 0 })"
                    : "clfold_segment16_of(CLFOLD_RESULT_INDEX(i) CLFOLD_PASS)");
}

/* How 16 items are stored, and whether every component has a neutral value, before the
 * first lanes. */
static void append_cells(struct text *text, const struct monoid *monoid, bool has_item16)
{
    const clfold_type out = monoid->out ? monoid->out : monoid->cell;
    const uint32_t cells = has_item16 && clfold_scalar(out)->size == 8 ? 8 : 16;
    const char *cell = clfold_cl_name(out);
    bool is_neutral = monoid->identity || !monoid->combine;

    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        is_neutral &= monoid->identity || monoid->components[k].neutral;
    }
    clfold_text_print(text,
                      "#define CLFOLD_ITEM16 %d\n#define CLFOLD_CELLS_SIZE %u\n"
                      "#define CLFOLD_CELL16 %s16\n#define CLFOLD_AS_CELL16 as_%s16\n"
                      "#define CLFOLD_CELLS %s%u\n#define CLFOLD_CELLS_HALF %s%u\n"
                      "#define CLFOLD_CELLS_VSTORE vstore%u\n#define CLFOLD_NEUTRAL %d\n",
                      has_item16, cells, cell, cell, cell, cells, cell, cells / 2, cells,
                      is_neutral);
}

static void append_memory(struct text *text, enum memory_tier tier)
{
    const struct memory *memory = clfold_memory(tier);

    clfold_text_print(text, "%s#define CLFOLD_MEMORY %u\n#define CLFOLD_WORD_BITS %u\n",
                      memory->extensions, memory->means, memory->word_bits);
}

/* What the algorithm is, and what it may use. */
static void append_algorithm(struct text *text, const struct monoid *monoid,
                             const struct shape *shape)
{
    const struct algorithm_row *row = clfold_algorithm_row(shape->algorithm);

    append_memory(text, shape->tier);
    if (row->looks_back) {
        clfold_text_print(text,
                          "#define CLFOLD_CHAINED %d\n#define CLFOLD_WINDOW %u\n"
                          "#define CLFOLD_LOOKERS %d\n#define CLFOLD_TRACE %d\n"
                          "#define CLFOLD_CYCLES %d\n#define CLFOLD_CUTS_ITEM %d\n",
                          row->chained, shape->window, (int)shape->lookers, shape->traced,
                          shape->builtins, clfold_monoid_cuts(monoid));
    }
    if (row->is_rung) {
        uint32_t power = 2;
        while (power < shape->tile.group_size) {
            power *= 2;
        }
        clfold_text_print(text, "#define CLFOLD_RUNG %d\n#define CLFOLD_GROUP_POWER %u\n",
                          (int)(shape->algorithm - REDUCE_0), power);
    }
    if (shape->algorithm == SCAN_SINGLE_GROUP) {
        clfold_text_print(text, "#define CLFOLD_RESUMES %u\n", shape->resumes);
    }
    if (shape->use.offsets) {
        clfold_text_print(text, "#define CLFOLD_OFFSET %s\n",
                          clfold_cl_name(shape->use.offsets));
    }
    if (shape->algorithm == SERIAL || shape->algorithm == SERIAL_PIECES) {
        clfold_text_print(text,
                          "#define CLFOLD_OF_PIECES %d\n#define CLFOLD_EACH %u\n"
                          "#define CLFOLD_OF_CARRIES %u\n",
                          shape->algorithm == SERIAL_PIECES, shape->each, shape->carries);
    }
    if (shape->step > 0) {
        clfold_text_print(text, "#define CLFOLD_STEP %u\n", shape->step);
    }
    clfold_text_print(text,
                      "#define CLFOLD_SCAN %d\n#define CLFOLD_EXCLUSIVE %u\n"
                      "#define CLFOLD_ANCHOR %u\n#define CLFOLD_BUILTINS %u\n"
                      "#define CLFOLD_STREAM %u\n#define CLFOLD_FENCES %u\n",
                      row->family == FAMILY_SCAN, shape->exclusive, shape->anchor,
                      shape->builtins, shape->stream, shape->fences);
}

void clfold_append_contract(struct text *text, const struct monoid *monoid,
                            const struct shape *shape)
{
    const bool is_vector = shape->tile.kind == TILE_VECTOR;
    const bool has_item16 = is_vector && clfold_monoid_has_item16(monoid);
    const bool has_tail[] = { shape->tail,
                              shape->tail || (monoid->type_name && monoid->lifted) };
    char tails[2][48] = { "", "" }; /* of a result, of an item */

    for (int i = 0; i < 2; ++i) {
        if (has_tail[i] && clfold_monoid_tail(monoid, i) > 0) {
            snprintf(tails[i], sizeof(tails[i]), " uchar clfold_tail[%zu];",
                     clfold_monoid_tail(monoid, i));
        }
    }
    /* Contraction is on by default, and would change x * x + c between programs. */
    clfold_text_print(text, "#pragma OPENCL FP_CONTRACT OFF\n");
    append_silence(text);
    append_extension(text, monoid, &shape->use, CLFOLD_F64, "cl_khr_fp64");
    append_extension(text, monoid, &shape->use, CLFOLD_F16, "cl_khr_fp16");
    /* Stages that are numbers become a type that OpenCL C does not combine. */
    clfold_text_print(
        text,
        "#define CLFOLD_IN %s\n#define CLFOLD_IN_HALF %d\n"
        "#define CLFOLD_SCALARS %u\n#define CLFOLD_COMPONENTS %u\n"
        "#define CLFOLD_IN_STRUCT %d\n#define CLFOLD_OUT_STRUCT %d\n"
        "#define CLFOLD_OPAQUE %d\n#define CLFOLD_NUMBERS %d\n"
        "#define CLFOLD_TEXTS %d\n#define CLFOLD_ITEM_FILE %d\n"
        "#define CLFOLD_TAIL%s\n#define CLFOLD_RESULT_TAIL%s\n"
        "#define CLFOLD_OUT_CELLS %u\n#define CLFOLD_OUT_SIZE %zu\n"
        "#define CLFOLD_CELL %s\n#define CLFOLD_ROUNDED %d\n",
        clfold_in_name(monoid), clfold_reads_halves(monoid), monoid->num_scalars,
        monoid->num_components, monoid->in_struct, monoid->out_struct,
        monoid->type_name != NULL, monoid->type_name && monoid->components[0].stage,
        clfold_monoid_has_text(monoid), monoid->item_file != NULL, tails[1], tails[0],
        monoid->out_struct ? 1 : clfold_monoid_num_results(monoid),
        clfold_monoid_out_size(monoid),
        monoid->out_struct ? "clfold_element" : clfold_cl_name(monoid->cell),
        monoid->rounded != NULL);
    clfold_append_with(text, monoid, &shape->use);
    append_heads(text, monoid, shape);
    clfold_append_element_contract(text, monoid, &shape->use);
    append_place(text, monoid, shape);
    if (monoid->out) {
        clfold_text_print(text, "#define CLFOLD_OUT %s\n#define CLFOLD_OUT_SCALARS %u\n",
                          clfold_cl_name(monoid->out), monoid->num_out);
    } else {
        clfold_text_print(text, "#define CLFOLD_OUT CLFOLD_CELL\n"
                                "#define CLFOLD_OUT_SCALARS CLFOLD_OUT_CELLS\n");
    }
    append_given(text, monoid, "CLFOLD_INIT_PARAMS", "init", true);
    append_given(text, monoid, "CLFOLD_INIT_ARGS", "init", false);
    /* Folds that keep order may stop where the operator cuts; a group's tile does not.
     * Vectors are combined in the usual way where nothing is rare, as heads are. */
    clfold_text_print(
        text,
        "#define CLFOLD_COMMUTATIVE %d\n#define CLFOLD_HAS_IDENTITY %d\n"
        "#define CLFOLD_CUTS %d\n#define CLFOLD_RARE %d\n"
        "#define CLFOLD_STAGE_LIMIT %uu\n",
        monoid->commutative, monoid->has_identity,
        is_vector && monoid->cuts && !monoid->lifted && !monoid->commutative,
        has_item16 && (monoid->rare || monoid->lifted),
        (uint32_t)(monoid->stage_limit < UINT32_MAX ? monoid->stage_limit : UINT32_MAX));
    append_tile(text, monoid, shape);
    append_cells(text, monoid, has_item16);
    append_algorithm(text, monoid, shape);
    clfold_append_forms(text, monoid, "");
    if (shape->algorithm == WIDTHS) {
        clfold_append_compared(text, monoid);
    }
}

void clfold_append_probe_contract(struct text *text, enum memory_tier tier, bool fences,
                                  uint32_t said)
{
    append_silence(text);
    append_memory(text, tier);
    clfold_text_print(text, "#define CLFOLD_FENCES %d\n#define CLFOLD_SAID %u\n", fences,
                      said);
}

/* ---- Lines of kernels -------------------------------------------------------------- */

/* What a component is of a result that was given, which holds nothing else. */
static void print_given(char given[CLFOLD_SOURCE_SIZE], const struct monoid *monoid,
                        const struct component *component)
{
    struct monoid of_result = *monoid;

    of_result.in = of_result.value = monoid->type;
    if (component->load == LOAD_HEAD) {
        snprintf(given, CLFOLD_SOURCE_SIZE, "0");
    } else if (monoid->rounded) {
        clfold_print_source(given, &of_result, component, false, false);
    } else {
        snprintf(given, CLFOLD_SOURCE_SIZE, "given.%s", component->name);
    }
}

struct word {
    const char *name, *text;
};

/* Appends a line with the texts of these words. */
static void append_words(struct text *text, const char *line, const char *stop,
                         const struct word *words, size_t num)
{
    const char *at;

    while ((at = memchr(line, '$', (size_t)(stop - line)))) {
        size_t w = 0;
        while (w < num && strncmp(at, words[w].name, strlen(words[w].name)) != 0) {
            ++w;
        }
        if (w == num) {
            const int length = 1 + (int)strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_");
            clfold_text_print(
                text, "\n#error \"assemble: %.*s is not a word of docs/kernels.md\"\n",
                length, at);
            return;
        }
        clfold_text_append(text, line, (size_t)(at - line));
        clfold_text_append(text, words[w].text, strlen(words[w].text));
        line = at + strlen(words[w].name);
    }
    clfold_text_append(text, line, (size_t)(stop - line));
}

/* Appends a line for part k of an item, or of a result; docs/kernels.md lists the words
 * that it replaces. */
static void append_line(struct text *text, const char *line, const char *stop,
                        const struct monoid *monoid, uint32_t k, bool of_results)
{
    const struct component *component = &monoid->components[k];
    char number[16], neutral[CLFOLD_SOURCE_SIZE];
    char made[2][CLFOLD_SOURCE_SIZE];
    char x[CLFOLD_NAME_SIZE + 8], value[CLFOLD_NAME_SIZE + 8];
    char sources[2][2][CLFOLD_SOURCE_SIZE]; /* loaded, wide */
    char given[CLFOLD_SOURCE_SIZE];
    const struct word words[] = {
        { "$k", number },
        { "$name", of_results ? clfold_monoid_result_name(monoid, k) : component->name },
        { "$stage", clfold_cl_name(component->stage) },
        { "$item", clfold_cl_name(component->item) },
        { "$result",
          of_results ? clfold_cl_name(clfold_monoid_result_type(monoid, k)) : NULL },
        { "$made", made[0] },
        { "$wide_made", made[1] },
        { "$loaded", sources[1][0] },
        { "$wide_loaded", sources[1][1] },
        { "$load", sources[0][0] },
        { "$wide_load", sources[0][1] },
        { "$x", x },
        { "$value", value },
        { "$given", given },
        { "$plus_base",
          component->load == LOAD_POSITION ? " + CLFOLD_LOAD_INDEX(base)" : "" },
        { "$is_true", component->load == LOAD_TRUTH ? " != 0" : "" },
        { "$neutral", neutral },
        { "$mask", mask_name(component->stage) },
        { "$choice", mask_name(component->item) },
        { "$ulps", clfold_is_float(component->stage) ? "CLFOLD_ULPS" : "0" },
    };

    snprintf(number, sizeof(number), "%u", k);
    for (int wide = 0; wide < 2; ++wide) {
        clfold_print_source(sources[0][wide], monoid, component, false, wide);
        clfold_print_source(sources[1][wide], monoid, component, true, wide);
        snprintf(made[wide], sizeof(made[wide]),
                 monoid->rounded ? "clfold_rounded%s(x)" : "x.%s",
                 !monoid->rounded ? clfold_monoid_result_name(monoid, k)
                 : wide           ? "16"
                                  : "");
    }
    clfold_print_x(x, monoid, k);
    clfold_print_value(value, monoid, k);
    print_given(given, monoid, component);
    if (monoid->identity && component->load != LOAD_HEAD) {
        snprintf(neutral, sizeof(neutral), "clfold_identity(CLFOLD_PASS_ONLY).%s",
                 component->name);
    } else {
        snprintf(neutral, sizeof(neutral), "%s",
                 component->neutral ? component->neutral : "");
    }
    append_words(text, line, stop, words, CLFOLD_LENGTH(words));
}

void clfold_append_lines(struct text *text, const struct clfold_kernel_text *file,
                         const struct monoid *monoid)
{
    unsigned number = 1;

    clfold_text_print(text, "#line 1 \"%s\"\n", file->name);
    for (const char *line = file->text, *end = line + file->length, *next; line < end;
         line = next) {
        next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next + 1 : end;
        uint32_t times = 0;
        if (!monoid || !memchr(line, '$', (size_t)(next - line))) {
            clfold_text_append(text, line, (size_t)(next - line));
        } else {
            const char *result = strstr(line, "$result");
            const bool of_results = result && result < next;
            const uint32_t num = of_results ? clfold_monoid_num_results(monoid)
                                            : clfold_monoid_num_parts(monoid);
            for (; times < num; ++times) {
                append_line(text, line, next, monoid, times, of_results);
            }
        }
        ++number;
        if (times > 1) {
            clfold_text_print(text, "#line %u\n", number);
        }
    }
}
