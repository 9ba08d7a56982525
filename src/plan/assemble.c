#include "plan/assemble.h"

#include "base/platform.h"
#include "plan/kernel_texts.h"
#include "plan/lanes.h"
#include "plan/load_text.h"
#include "plan/operator_text.h"
#include "plan/scalar.h"
#include "plan/widths_text.h"

#include <stdio.h>
#include <string.h>

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

/* What part k of a result is of an item x, or of 16. */
static void print_made(char made[CLFOLD_SOURCE_SIZE], const struct monoid *monoid,
                       uint32_t k, const char *width)
{
    if (monoid->rounded) {
        snprintf(made, CLFOLD_SOURCE_SIZE, "clfold_rounded%s(x)", width);
    } else {
        snprintf(made, CLFOLD_SOURCE_SIZE, "x.%s", clfold_monoid_result_name(monoid, k));
    }
}

/* An integer of as many bits, by vectors of which lanes are chosen. */
static const char *mask_name(clfold_type type)
{
    const struct scalar *scalar = clfold_scalar(type);

    return scalar ? clfold_cl_name(clfold_integer(scalar->size, true)) : "";
}

static void print_neutral(char neutral[CLFOLD_SOURCE_SIZE], const struct monoid *monoid,
                          const struct component *component)
{
    if (monoid->identity && component->load != LOAD_HEAD) {
        snprintf(neutral, CLFOLD_SOURCE_SIZE, "clfold_identity(CLFOLD_PASS_ONLY).%s",
                 component->name);
    } else {
        snprintf(neutral, CLFOLD_SOURCE_SIZE, "%s",
                 component->neutral ? component->neutral : "");
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

/* Appends a line for part k of an item, or of a result; contract.cl lists the words that
 * it replaces. */
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
    for (int i = 0; i < 4; ++i) {
        clfold_print_source(sources[i / 2][i % 2], monoid, component, i / 2, i % 2);
    }
    clfold_print_x(x, monoid, k);
    clfold_print_value(value, monoid, k);
    print_given(given, monoid, component);
    print_made(made[0], monoid, k, "");
    print_made(made[1], monoid, k, "16");
    print_neutral(neutral, monoid, component);
    append_words(text, line, stop, words, sizeof(words) / sizeof(words[0]));
}

/* Lines about a component are repeated for each one. */
static void append_lines(struct text *text, const struct clfold_kernel_text *file,
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

/* ---- The contract ------------------------------------------------------------------ */

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

/* A chunk is a vector, but for structs and for three scalars, which have none. */
static void append_chunk(struct text *text, const struct monoid *monoid)
{
    uint32_t size = (uint32_t)clfold_monoid_in_size(monoid);
    uint32_t chunk = clfold_monoid_chunk(monoid), align = chunk * size;
    const char *type;

    if (monoid->in_struct || monoid->num_scalars == 3) {
        uint32_t bytes = align;
        align = word_of(bytes, &type);
        clfold_text_print(text, "typedef struct {\n    %s words[%u];\n} clfold_words;\n",
                          type, bytes / align);
        clfold_text_print(text, "#define CLFOLD_CHUNK_VECTOR clfold_words\n");
    } else {
        clfold_text_print(text, "#define CLFOLD_CHUNK_VECTOR %s%u\n",
                          clfold_in_name(monoid), chunk * monoid->num_scalars);
    }
    clfold_text_print(text,
                      "#define CLFOLD_CHUNK %u\n"
                      "#define CLFOLD_CHUNK_SCALARS %u\n#define CLFOLD_CHUNK_ALIGN %u\n",
                      chunk, chunk * monoid->num_scalars, align);
}

/* Rows of a scan: of chunks of results, and where there are structs, of their words. */
static void append_rows(struct text *text, const struct monoid *monoid)
{
    const uint32_t in_size = (uint32_t)clfold_monoid_in_size(monoid);
    const uint32_t out_size = (uint32_t)clfold_monoid_out_size(monoid);
    const struct scalar *cell = monoid->out_struct ? NULL : clfold_scalar(monoid->cell);
    /* clang for NVIDIA stores 16 bytes that it put together by twos of 8. */
    const bool by_four = !cell || cell->size == 1;
    const char *in_word, *out_word;
    const uint32_t in_bytes = word_of(in_size, &in_word);
    const uint32_t out_bytes = word_of(out_size, &out_word);

    clfold_text_print(text,
                      "#define CLFOLD_WORD %s\n#define CLFOLD_WORDS %u\n"
                      "#define CLFOLD_OUT_WORD %s\n#define CLFOLD_OUT_WORDS %u\n"
                      "#define CLFOLD_OUT_CHUNK_VECTOR %s%u\n"
                      "#define CLFOLD_OUT_CHUNK %u\n",
                      in_word, in_size / in_bytes, out_word, out_size / out_bytes,
                      by_four ? "uint" : cell->cl,
                      by_four ? 4 : 16 / (uint32_t)cell->size,
                      cell ? 16 / (uint32_t)cell->size : 1);
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
                         const struct use *use)
{
    const uint32_t way = use->lifted ? use->lifted : use->found;

    clfold_text_print(text, "#define CLFOLD_HEADS %u\n", use->lifted);
    if (!way) {
        return;
    }
    const bool are_bits = use->lifted == CLFOLD_BY_OFFSETS;
    const bool are_halves = use->heads == CLFOLD_F16;
    const char *key = are_halves ? "float" : clfold_cl_name(use->heads);
    const char *mask = mask_name(are_bits || are_halves ? CLFOLD_F32 : use->heads);
    clfold_text_print(text,
                      "#define CLFOLD_WAY %u\n"
                      "#define CLFOLD_KEY %s\n#define CLFOLD_KEY16 %s16\n"
                      "#define CLFOLD_MASK %s\n#define CLFOLD_MASK16 %s16\n"
                      "#define CLFOLD_READ_KEY(i, p) %s\n"
                      "#define CLFOLD_READ_KEY16 %s\n#define CLFOLD_KEY_EQUAL %d\n",
                      way, key, key, mask, mask,
                      are_halves ? "vload_half(i, p)" : "(p)[i]",
                      are_halves ? "vload_half16" : "vload16", monoid->equal != NULL);
    const char *cell = are_bits ? "uint" : are_halves ? "half" : key;
    clfold_text_print(text,
                      "#define CLFOLD_KEY_CELL %s\n#define CLFOLD_HEADS_CELL %s%s\n",
                      cell, are_bits || monoid->keeps_scan ? "" : "const ", cell);
    if (monoid->keeps_scan) {
        clfold_text_print(text, "#define CLFOLD_OFFSET ulong\n");
    }
    if (use->found) {
        clfold_text_print(
            text, "#define CLFOLD_KEY_BITS %s\n",
            clfold_cl_name(clfold_integer(clfold_scalar(use->heads)->size, false)));
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

/* What an element of the output is made of: the cells of a result, or scalars. */
static void append_out(struct text *text, const struct monoid *monoid)
{
    clfold_text_print(text, "#define CLFOLD_OUT %s\n#define CLFOLD_OUT_SCALARS %s",
                      monoid->out ? clfold_cl_name(monoid->out) : "CLFOLD_CELL",
                      monoid->out ? "" : "CLFOLD_OUT_CELLS\n");
    if (monoid->out) {
        clfold_text_print(text, "%u\n", monoid->num_out);
    }
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
    uint32_t power = 2;

    while (power < tile->group_size) {
        power *= 2;
    }
    clfold_text_print(text,
                      "#define CLFOLD_GROUP_SIZE %u\n#define CLFOLD_GROUP_POWER %u\n"
                      "#define CLFOLD_KERNEL kernel %s"
                      "__attribute__((reqd_work_group_size(CLFOLD_GROUP_SIZE, 1, 1)))\n"
                      "#define CLFOLD_TILE %uu\n#define CLFOLD_TILE_VECTOR %d\n"
                      "#define CLFOLD_TILE_GROUP %d\n#define CLFOLD_IN16 %s16\n"
                      "#define CLFOLD_PREFETCH %d\n#define CLFOLD_LOADS_32 %u\n",
                      tile->group_size, power,
                      shape->single ? "__attribute__((intel_vec_len_hint(1))) " : "",
                      tile->elements, tile->kind == TILE_VECTOR, tile->kind == TILE_GROUP,
                      clfold_in_name(monoid), shape->prefetch, shape->loads_32);
    if (tile->kind == TILE_GROUP) {
        append_chunk(text, monoid);
        append_rows(text, monoid);
        clfold_text_print(text, "#define CLFOLD_GROUP_SCAN %d\n", (int)shape->group_scan);
    }
}

/* Folds that keep order may stop where the operator cuts; a group's tile does not. */
static bool uses_cuts(const struct monoid *monoid, const struct tile_shape *tile)
{
    return monoid->cuts && !monoid->lifted && !monoid->commutative &&
           tile->kind == TILE_VECTOR;
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

/* Whether stages are numbers, which become a type that OpenCL C does not combine. */
static bool is_of_numbers(const struct monoid *monoid)
{
    return monoid->type_name && monoid->components[0].stage;
}

static void append_tail(struct text *text, const char *name, bool is_member, size_t tail)
{
    clfold_text_print(text, "#define %s", name);
    if (is_member && tail > 0) {
        clfold_text_print(text, " uchar clfold_tail[%zu];", tail);
    }
    clfold_text_print(text, "\n");
}

static enum family family_of(const struct shape *shape)
{
    return clfold_algorithm_row(shape->algorithm)->family;
}

/* Whether results are of segments instead of elements. */
static bool reduces(const struct shape *shape)
{
    const enum family family = family_of(shape);

    return family == FAMILY_REDUCE || (family == FAMILY_ANY && !shape->each) ||
           shape->algorithm == SERIAL_PIECES;
}

/* Whether the count is in memory, and what a part of a larger call knows of it. */
static void append_place(struct text *text, const struct monoid *monoid,
                         const struct shape *shape)
{
    const char *index =
        clfold_use_has(&shape->use, FACET_PART) ? "((i) + clfold_first)" : "i";

    clfold_use_append(text, &shape->use);
    clfold_text_print(
        text,
        "#define CLFOLD_LOAD_INDEX(i) %s\n#define CLFOLD_RESULT_INDEX(i) %s\n"
        "#define CLFOLD_CARRY_SIZE %zu\n#define CLFOLD_CARRY_COPY(to, "
        "from) do {",
        index, reduces(shape) ? "i" : index, clfold_monoid_carry_size(monoid));
    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        const char *name = monoid->components[k].name;
        clfold_text_print(text, " to.%s = from.%s;", name, name);
    }
    clfold_text_print(text, " } while (0)\n");
}

/* The form of a carry, once its types are known. */
static void append_carry(struct text *text, const struct monoid *monoid,
                         const char *suffix)
{
    (void)suffix;
    clfold_text_print(text, "typedef struct {\n");
    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        clfold_text_print(text, "    %s %s;\n",
                          clfold_cl_name(monoid->components[k].item),
                          monoid->components[k].name);
    }
    clfold_text_print(text,
                      "} clfold_carry;\ntypedef char clfold_carry_is_as_the_host_has_it"
                      "[sizeof(clfold_carry) == CLFOLD_CARRY_SIZE ? 1 : -1];\n");
}

/* The segment of what a text is about: an element's, or of a reduction the result. */
static void append_text_segments(struct text *text, const struct monoid *monoid,
                                 const struct shape *shape)
{
    clfold_text_print(
        text,
        "#define CLFOLD_TEXT_SEGMENTS %d\n"
        "#define CLFOLD_LOAD_SEGMENT(i) own\n#define CLFOLD_LOAD_SEGMENT16(i) own\n"
        "#define CLFOLD_RESULT_SEGMENT(i) %s\n#define CLFOLD_RESULT_SEGMENT16(i) %s\n",
        clfold_monoid_uses_segment(monoid),
        reduces(shape) ? "((clfold_segment){ CLFOLD_RESULT_INDEX(i), 0 })"
                       : "clfold_segment_of(CLFOLD_RESULT_INDEX(i) CLFOLD_PASS)",
        reduces(shape)
            ? "((clfold_segment16){ clfold_indices(CLFOLD_RESULT_INDEX(i)), 0 })"
            : "clfold_segment16_of(CLFOLD_RESULT_INDEX(i) CLFOLD_PASS)");
}

static bool has_item16(const struct monoid *monoid, const struct tile_shape *tile)
{
    return tile->kind == TILE_VECTOR && clfold_monoid_has_item16(monoid);
}

/* Vectors are combined in the usual way where nothing is rare, as heads are. */
static bool uses_rare(const struct monoid *monoid, const struct tile_shape *tile)
{
    return (monoid->rare || monoid->lifted) && has_item16(monoid, tile);
}

/* How 16 items are stored. */
static void append_cells(struct text *text, const struct monoid *monoid,
                         const struct tile_shape *tile)
{
    const bool has = has_item16(monoid, tile);
    const clfold_type out = monoid->out ? monoid->out : monoid->cell;
    const uint32_t cells = has && clfold_scalar(out)->size == 8 ? 8 : 16;
    const char *cell = clfold_cl_name(out);

    clfold_text_print(text,
                      "#define CLFOLD_ITEM16 %d\n#define CLFOLD_CELLS_SIZE %u\n"
                      "#define CLFOLD_CELL16 %s16\n#define CLFOLD_AS_CELL16 as_%s16\n"
                      "#define CLFOLD_CELLS %s%u\n#define CLFOLD_CELLS_HALF %s%u\n"
                      "#define CLFOLD_CELLS_VSTORE vstore%u\n",
                      has, cells, cell, cell, cell, cells, cell, cells / 2, cells);
}

/* The neutral value before the first lanes, if every component has one. */
static void append_neutral(struct text *text, const struct monoid *monoid)
{
    bool has = monoid->identity || !monoid->combine;

    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        has &= monoid->identity || monoid->components[k].neutral;
    }
    clfold_text_print(text, "#define CLFOLD_NEUTRAL %d\n", has);
}

static void append_memory(struct text *text, enum memory_tier tier)
{
    const struct memory *memory = clfold_memory(tier);

    clfold_text_print(text, "%s#define CLFOLD_MEMORY %u\n#define CLFOLD_WORD_BITS %u\n",
                      memory->extensions, memory->means, memory->word_bits);
}

/* What limits a number to what is in memory, where it is there; 0 stays 0 unread. */
static void append_limit(struct text *text, const char *macro, const char *name, bool has)
{
    clfold_text_print(text, "#define CLFOLD_LIMIT_%s(most, more) ", macro);
    clfold_text_print(text,
                      has ? "most = most > 0 ? min(most - (more), clfold_%s_at"
                            "[clfold_%s_index]) + (more) : 0\n"
                          : "(void)0\n",
                      name, name);
}

/* What the algorithm is, and what it may use. */
static void append_algorithm(struct text *text, const struct monoid *monoid,
                             const struct shape *shape)
{
    const enum family family = family_of(shape);

    append_memory(text, shape->tier);
    if (clfold_looks_back(shape->algorithm)) {
        clfold_text_print(text,
                          "#define CLFOLD_CHAINED %d\n#define CLFOLD_WINDOW %u\n"
                          "#define CLFOLD_LOOKERS %d\n#define CLFOLD_TRACE %d\n"
                          "#define CLFOLD_CYCLES %d\n#define CLFOLD_CUTS_ITEM %d\n",
                          clfold_algorithm_row(shape->algorithm)->chained, shape->window,
                          (int)shape->lookers, shape->traced, shape->builtins,
                          clfold_monoid_cuts(monoid));
    }
    if (clfold_algorithm_row(shape->algorithm)->is_rung) {
        clfold_text_print(text, "#define CLFOLD_RUNG %d\n",
                          (int)(shape->algorithm - REDUCE_0));
    }
    const struct use *use = &shape->use;
    const clfold_type offset =
        use->lifted == CLFOLD_BY_OFFSETS ? use->heads : use->offsets;
    if (offset) {
        clfold_text_print(text, "#define CLFOLD_OFFSET %s\n", clfold_cl_name(offset));
        append_limit(text, "NUM", "num", clfold_use_has(use, FACET_NUM_AT));
    }
    if (shape->algorithm == SERIAL || shape->algorithm == SERIAL_PIECES) {
        clfold_text_print(text, "#define CLFOLD_OF_PIECES %d\n",
                          shape->algorithm == SERIAL_PIECES);
    }
    if (shape->step > 0) {
        clfold_text_print(text, "#define CLFOLD_STEP %u\n", shape->step);
    }
    clfold_text_print(text,
                      "#define CLFOLD_SCAN %d\n#define CLFOLD_EACH %u\n"
                      "#define CLFOLD_EXCLUSIVE %u\n#define CLFOLD_ANCHOR %u\n"
                      "#define CLFOLD_BUILTINS %u\n#define CLFOLD_STREAM %u\n"
                      "#define CLFOLD_FENCES %u\n#define CLFOLD_OF_CARRIES %u\n"
                      "#define CLFOLD_RESUMES %u\n",
                      family == FAMILY_SCAN, shape->each, shape->exclusive, shape->anchor,
                      shape->builtins, shape->stream, shape->fences, shape->carries,
                      shape->resumes);
}

static void append_contract(struct text *text, const struct monoid *monoid,
                            const struct shape *shape)
{
    /* Contraction is on by default, and would change x * x + c between programs. */
    clfold_text_print(text, "#pragma OPENCL FP_CONTRACT OFF\n");
    append_silence(text);
    append_extension(text, monoid, &shape->use, CLFOLD_F64, "cl_khr_fp64");
    append_extension(text, monoid, &shape->use, CLFOLD_F16, "cl_khr_fp16");
    clfold_text_print(text,
                      "#define CLFOLD_IN %s\n#define CLFOLD_IN_HALF %d\n"
                      "#define CLFOLD_SCALARS %u\n#define CLFOLD_COMPONENTS %u\n"
                      "#define CLFOLD_IN_STRUCT %d\n#define CLFOLD_OUT_STRUCT %d\n"
                      "#define CLFOLD_OPAQUE %d\n#define CLFOLD_NUMBERS %d\n"
                      "#define CLFOLD_TEXTS %d\n#define CLFOLD_ITEM_FILE %d\n",
                      clfold_in_name(monoid), clfold_reads_halves(monoid),
                      monoid->num_scalars, monoid->num_components, monoid->in_struct,
                      monoid->out_struct, monoid->type_name != NULL,
                      is_of_numbers(monoid), clfold_monoid_has_text(monoid),
                      monoid->item_file != NULL);
    append_tail(text, "CLFOLD_TAIL", shape->tail || (monoid->type_name && monoid->lifted),
                clfold_monoid_tail(monoid, true));
    append_tail(text, "CLFOLD_RESULT_TAIL", shape->tail,
                clfold_monoid_tail(monoid, false));
    clfold_text_print(text,
                      "#define CLFOLD_OUT_CELLS %u\n#define CLFOLD_OUT_SIZE %zu\n"
                      "#define CLFOLD_CELL %s\n#define CLFOLD_ROUNDED %d\n",
                      monoid->out_struct ? 1 : clfold_monoid_num_results(monoid),
                      clfold_monoid_out_size(monoid),
                      monoid->out_struct ? "clfold_element"
                                         : clfold_cl_name(monoid->cell),
                      monoid->rounded != NULL);
    clfold_append_with(text, monoid, &shape->use);
    append_heads(text, monoid, &shape->use);
    clfold_append_element_contract(text, monoid, &shape->use);
    append_place(text, monoid, shape);
    append_text_segments(text, monoid, shape);
    append_out(text, monoid);
    append_given(text, monoid, "CLFOLD_INIT_PARAMS", "init", true);
    append_given(text, monoid, "CLFOLD_INIT_ARGS", "init", false);
    clfold_text_print(
        text,
        "#define CLFOLD_COMMUTATIVE %d\n#define CLFOLD_HAS_IDENTITY %d\n"
        "#define CLFOLD_CUTS %d\n#define CLFOLD_RARE %d\n"
        "#define CLFOLD_STAGE_LIMIT %uu\n",
        monoid->commutative, monoid->has_identity, uses_cuts(monoid, &shape->tile),
        uses_rare(monoid, &shape->tile),
        (uint32_t)(monoid->stage_limit < UINT32_MAX ? monoid->stage_limit : UINT32_MAX));
    append_tile(text, monoid, shape);
    append_cells(text, monoid, &shape->tile);
    append_neutral(text, monoid);
    append_algorithm(text, monoid, shape);
    clfold_append_forms(text, monoid, "");
    if (shape->algorithm == WIDTHS) {
        clfold_append_compared(text, monoid);
    }
}

/* ---- Files and what they need ------------------------------------------------------ */

#define MAX_PARTS 128

/* A program, and the parts that it has: files of cl/, and functions of the fold's. */
struct program {
    struct text *text;
    const struct monoid *monoid;
    const struct shape *shape;
    const char *parts[MAX_PARTS];
    uint32_t num_parts;
};

/* Whether it is a new part. */
static bool begin_part(struct program *program, const char *name)
{
    for (uint32_t i = 0; i < program->num_parts; ++i) {
        if (strcmp(program->parts[i], name) == 0) {
            return false;
        }
    }
    if (program->num_parts == MAX_PARTS) {
        clfold_text_print(program->text, "#error \"assemble: too many parts\"\n");
        return false;
    }
    program->parts[program->num_parts++] = name;
    return true;
}

/* What follows a macro's name where the program defines it; NULL: it does not. */
static const char *definition(const struct program *program, const char *macro)
{
    static const char define[] = "#define ";
    const size_t length = strlen(macro), start = sizeof(define) - 1;
    const char *at = program->text->bytes;
    const char *const end = at ? at + program->text->length : NULL;

    /* Line by line: strstr of sanitizers measures the whole text each time. */
    while (at && at < end) {
        if (strncmp(at, define, start) == 0 && strncmp(at + start, macro, length) == 0 &&
            strchr(" (\n", at[start + length])) {
            return at + start + length;
        }
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : end;
    }
    return NULL;
}

/* Whether a condition in a file's head holds. */
static bool holds(const struct program *program, const char *macro)
{
    const char *value = definition(program, macro);

    return value && value[0] == ' ' && value[1] != '0';
}

/* Appends a function of the fold's, or a type, if the fold has it and it is new. Returns
 * whether `name` is one. */
static bool append_function(struct program *program, const char *name)
{
    const struct monoid *monoid = program->monoid;
    if (!monoid) {
        return false;
    }
    const struct tile_shape *tile = &program->shape->tile;
    const bool is_vector = tile->kind == TILE_VECTOR;
    const bool has_texts = monoid->load || monoid->result || monoid->keep;
    const bool has_stage = !is_of_numbers(monoid);
    const bool loads_wide = is_vector && monoid->load && !monoid->loads.lanes;
    const bool writes = clfold_monoid_converts(monoid);
    const bool writes_wide = is_vector && writes && !monoid->writes.lanes;
    const bool keeps_wide = is_vector && monoid->keep && !monoid->keeps.lanes;
    const bool cuts = uses_cuts(monoid, tile), rare = uses_rare(monoid, tile);
    const struct {
        const char *name;
        bool exists;
        void (*append)(struct text *text, const struct monoid *monoid, const char *which);
        const char *which; /* the width, or NULL: by its name */
    } functions[] = {
        { "clfold_opaque", clfold_monoid_has_text(monoid) || monoid->item_file,
          clfold_append_source, is_vector ? "16" : "" },
        { "clfold_equal", monoid->equal, clfold_append_equal, "" },
        { "CLFOLD_X", has_texts, clfold_append_element, "" },
        { "CLFOLD_X16", loads_wide || (writes_wide && monoid->result) || keeps_wide,
          clfold_append_element, "16" },
        { "CLFOLD_VALUE", writes || monoid->keep, clfold_append_value, "" },
        { "CLFOLD_VALUE16", writes_wide || keeps_wide, clfold_append_value, "16" },
        { "clfold_own_value", true, clfold_append_own_value, "" },
        { "clfold_kept", monoid->keep, clfold_append_keep, "" },
        { "clfold_kept16", keeps_wide, clfold_append_keep, "16" },
        { "clfold_loaded", monoid->load, clfold_append_load, "" },
        { "clfold_loaded16", loads_wide, clfold_append_load, "16" },
        { "clfold_written", writes, clfold_append_result, "" },
        { "clfold_written16", writes_wide, clfold_append_result, "16" },
        { "clfold_carry", clfold_use_has(&program->shape->use, FACET_PART), append_carry,
          "" },
        { "clfold_identity", monoid->has_identity, clfold_append_identity, "" },
        { "clfold_rounded", monoid->rounded, clfold_append_rounded, "" },
        { "clfold_rounded16", monoid->rounded && has_item16(monoid, tile),
          clfold_append_rounded, "16" },
        { "clfold_combine", true, clfold_append_combine, NULL },
        { "clfold_combine_stage", has_stage, clfold_append_combine, NULL },
        { "clfold_combine_stage16", has_stage && is_vector, clfold_append_combine, NULL },
        { "clfold_extend_stage16", has_stage && is_vector, clfold_append_combine, NULL },
        { "clfold_usual_stage16", rare, clfold_append_combine, NULL },
        { "clfold_combine16", has_item16(monoid, tile), clfold_append_combine, NULL },
        { "clfold_usual16", rare, clfold_append_combine, NULL },
        { "clfold_cuts", cuts, clfold_append_condition, NULL },
        { "clfold_any_cuts", cuts, clfold_append_condition, NULL },
        { "clfold_cuts_item", clfold_monoid_cuts(monoid), clfold_append_condition, NULL },
        { "clfold_is_rare", rare && monoid->rare, clfold_append_condition, NULL },
    };
    const size_t num = sizeof(functions) / sizeof(functions[0]);

    for (size_t i = 0; i < num; ++i) {
        const char *which = functions[i].which ? functions[i].which : functions[i].name;
        if (strcmp(functions[i].name, name) == 0) {
            if (functions[i].exists && begin_part(program, functions[i].name)) {
                functions[i].append(program->text, monoid, which);
            }
            return true;
        }
    }
    return false;
}

static const struct clfold_kernel_text *find_file(const char *name)
{
    const struct clfold_kernel_text *file = clfold_kernel_texts;

    while (file->name && strcmp(file->name, name) != 0) {
        ++file;
    }
    return file->name ? file : NULL;
}

/* The file that a head means: "tile_scan.cl" is of the tile's kind, and where a scan
 * counts what is kept the tile's select, "item.cl" of the fold's item. NULL: there is
 * none, as where there is no fold. */
static const struct clfold_kernel_text *file_of(const struct program *program,
                                                const char *word)
{
    const struct clfold_kernel_text *file = find_file(word);
    const bool is_tile = strncmp(word, "tile", 4) == 0;
    char name[64];

    if (!file && program->monoid && (is_tile || strncmp(word, "item", 4) == 0)) {
        const enum tile_kind kind = program->shape->tile.kind;
        const bool selects =
            clfold_monoid_counts(program->monoid) && strcmp(word, "tile_scan.cl") == 0;
        snprintf(name, sizeof(name), "%s%s",
                 selects && clfold_tile_is_lone(kind) ? "tile_lone"
                 : is_tile                            ? clfold_tile_name(kind)
                                                      : program->monoid->item_file,
                 selects ? "_select.cl" : word + 4);
        file = find_file(name);
    }
    return file;
}

/* Appends a file, after what its head says that it needs, each part once. */
static void append_part(struct program *program, const char *word)
{
    const struct clfold_kernel_text *file = file_of(program, word);

    if (!file) {
        clfold_text_print(program->text, "#error \"assemble: there is no file %s\"\n",
                          word);
        return;
    }
    if (!begin_part(program, file->name)) {
        return;
    }
    for (const struct clfold_kernel_need *need = file->needs; need->word; ++need) {
        if (need->condition && !holds(program, need->condition)) {
            continue;
        }
        if (strchr(need->word, '.')) {
            append_part(program, need->word);
        } else if (!append_function(program, need->word) &&
                   !definition(program, need->word)) {
            clfold_text_print(program->text, "#error \"%s: %s is not defined\"\n",
                              file->name, need->word);
        }
    }
    append_lines(program->text, file, program->monoid);
}

/* What is folded is made of elements and written; what is scanned is how many are kept,
 * a number with its lines. Its files have the fold's own parts before them. */
static void append_counts(struct program *program, struct monoid *counts)
{
    append_part(program, "keep.cl");
    *counts = *program->monoid;
    counts->num_components = counts->keeps_runs ? 2 : 1;
    counts->components[0] = clfold_plain("kept", CLFOLD_U64, NULL, NULL);
    counts->components[1] = clfold_plain("start", CLFOLD_U64, NULL, NULL);
    program->monoid = counts;
    append_part(program, "counts.cl");
    clfold_text_print(program->text, "#define clfold_item clfold_num_kept\n"
                                     "#define clfold_init clfold_no_count\n"
                                     "#define clfold_taken clfold_count_taken\n"
                                     "#define clfold_combine clfold_add_counts\n"
                                     "#define clfold_finish clfold_put_count\n");
}

void clfold_assemble(struct text *text, const struct monoid *monoid,
                     const struct shape *shape)
{
    struct program program = { .text = text, .monoid = monoid, .shape = shape };
    const bool by_lanes = clfold_by_lanes(shape->algorithm);
    struct monoid of_numbers, counts;

    if (monoid->item_file && (shape->tile.kind == TILE_VECTOR ||
                              (shape->tile.kind == TILE_GROUP && !by_lanes))) {
        of_numbers = *monoid;
        of_numbers.components[0].stage = monoid->type;
        of_numbers.components[0].load = LOAD_CONVERTED;
        program.monoid = &of_numbers;
    }
    append_contract(text, program.monoid, shape);
    if (clfold_monoid_counts(monoid) && family_of(shape) == FAMILY_SCAN) {
        append_counts(&program, &counts);
    }
    append_part(&program, clfold_algorithm_row(shape->algorithm)->file);
    if (shape->algorithm == WIDTHS) {
        static const char *const texts[] = { "CLFOLD_VALUE",   "CLFOLD_VALUE16",
                                             "clfold_written", "clfold_written16",
                                             "clfold_kept",    "clfold_kept16" };
        for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i) {
            append_function(&program, texts[i]);
        }
        clfold_append_comparisons(text, program.monoid);
    } else if (shape->use.lifted == CLFOLD_BY_OFFSETS ||
               clfold_use_has(&shape->use, FACET_BAD_OUT)) {
        append_part(&program, "mark_heads.cl");
    } else if (shape->use.found) {
        append_part(&program, "find_heads.cl");
    }
}

/* ---- Texts for a caller's kernels -------------------------------------------------- */

/* Appends `from` with the prefix in the place of clfold_own, and before all other names
 * of clfold's. What is in quotes, as a file's name, stays. */
static void append_prefixed(struct text *text, const char *from, const char *prefix)
{
    static const char *const names[] = { "clfold_own", "clfold_", "CLFOLD_" };
    bool quoted = false;

    for (const char *at = from; *at; ++at) {
        uint32_t k = 0;
        quoted = *at != '\n' && quoted ^ (*at == '"');
        while (k < 3 && (quoted || strncmp(at, names[k], strlen(names[k])) != 0)) {
            ++k;
        }
        if (k < 3) {
            clfold_text_append(text, from, (size_t)(at - from));
            clfold_text_print(text, k == 0 ? "%s" : "%s_", prefix);
            from = k == 0 ? at + strlen(names[0]) : at;
            at += strlen(names[k]) - 1;
        }
    }
    clfold_text_append(text, from, strlen(from));
}

void clfold_assemble_group(struct text *text, const struct monoid *monoid,
                           uint32_t group_size, const char *platform, const char *prefix)
{
    const struct shape shape = { .algorithm = SCAN_SINGLE_GROUP,
                                 .tile = { TILE_GROUP, group_size, group_size },
                                 .tail = clfold_platform_miscopies(platform),
                                 .group_scan = GROUP_SCAN_RAKING };
    struct text whole = { 0 };
    struct program program = { .text = &whole, .monoid = monoid, .shape = &shape };

    append_contract(&whole, monoid, &shape);
    clfold_text_print(
        &whole, "#define CLFOLD_INLINE%s\n",
        clfold_platform_inlines(platform) ? " __attribute__((always_inline))" : "");
    append_part(&program, "group_text.cl");
    clfold_text_print(text, "#ifdef __clang__\n#pragma clang diagnostic push\n#endif\n");
    if (whole.failed) {
        text->failed = true;
    } else {
        append_prefixed(text, whole.bytes, prefix);
    }
    clfold_text_finish(&whole);
    clfold_text_print(text, "#ifdef __clang__\n#pragma clang diagnostic pop\n#endif\n"
                            "#pragma OPENCL FP_CONTRACT DEFAULT\n#line 1 \"kernel\"\n");
}

/* ---- The probe --------------------------------------------------------------------- */

void clfold_assemble_probe(struct text *text, enum memory_tier tier, bool fences,
                           uint32_t said, const char *instead)
{
    struct program program = { .text = text };

    append_silence(text);
    append_memory(text, tier);
    clfold_text_print(text, "#define CLFOLD_FENCES %d\n#define CLFOLD_SAID %u\n", fences,
                      said);
    append_part(&program, "memory.cl");
    if (instead) {
        clfold_text_append(text, instead, strlen(instead));
    }
    append_part(&program, "probe.cl");
}
