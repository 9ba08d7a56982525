#include "plan/assemble.h"

#include "plan/kernel_texts.h"
#include "plan/load_text.h"
#include "plan/operator_text.h"
#include "plan/scalar.h"

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

static bool is_float(clfold_type type)
{
    const struct scalar *scalar = clfold_scalar(type);

    return scalar && scalar->is_float;
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
        { "$plus_base", component->load != LOAD_POSITION ? ""
                        : monoid->in_part                ? " + base + clfold_first"
                                                         : " + base" },
        { "$is_true", component->load == LOAD_TRUTH ? " != 0" : "" },
        { "$neutral", neutral },
        { "$mask", mask_name(component->stage) },
        { "$choice", mask_name(component->item) },
        { "$ulps", is_float(component->stage) ? "CLFOLD_ULPS" : "0" },
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

    if (clfold_monoid_keeps_stages(monoid)) {
        align = 1; /* elements are loaded one by one */
    } else if (monoid->in_struct || monoid->num_scalars == 3) {
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
                      "#define CLFOLD_TILE_GROUP 1\n#define CLFOLD_CHUNK %u\n"
                      "#define CLFOLD_CHUNK_SCALARS %u\n#define CLFOLD_CHUNK_ALIGN %u\n",
                      chunk, chunk * monoid->num_scalars, align);
}

/* Rows of a scan: of chunks of results, and where there are structs, of their words. */
static void append_rows(struct text *text, const struct monoid *monoid)
{
    uint32_t out_size = (uint32_t)clfold_monoid_out_size(monoid);
    const char *type;

    if (monoid->in_struct && !clfold_monoid_keeps_stages(monoid)) {
        uint32_t in_size = (uint32_t)clfold_monoid_in_size(monoid);
        uint32_t word = word_of(in_size, &type);
        clfold_text_print(text, "#define CLFOLD_WORD %s\n#define CLFOLD_WORDS %u\n", type,
                          in_size / word);
    }
    if (clfold_monoid_keeps_items(monoid)) {
        return; /* results are written one by one */
    }
    if (monoid->out_struct) {
        uint32_t word = word_of(out_size, &type);
        clfold_text_print(text,
                          "#define CLFOLD_OUT_WORD %s\n#define CLFOLD_OUT_WORDS %u\n",
                          type, out_size / word);
    } else {
        uint32_t size = (uint32_t)clfold_scalar(monoid->cell)->size;
        /* clang for NVIDIA stores 16 bytes that it put together by twos of 8. */
        clfold_text_print(text, "#define CLFOLD_OUT_CHUNK_VECTOR %s%u\n",
                          size == 1 ? "uint" : clfold_cl_name(monoid->cell),
                          size == 1 ? 4 : 16 / size);
        clfold_text_print(text, "#define CLFOLD_OUT_CHUNK %u\n", 16 / size);
    }
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
static void append_heads(struct text *text, const struct monoid *monoid)
{
    clfold_text_print(text, "#define CLFOLD_HEADS %u\n", monoid->heads);
    if (!monoid->heads) {
        return;
    }
    const bool are_bits = monoid->heads == CLFOLD_BY_OFFSETS;
    const bool are_halves = monoid->head_type == CLFOLD_F16;
    const char *key = are_halves ? "float" : clfold_cl_name(monoid->head_type);
    const char *head = clfold_cl_name(monoid->components[monoid->num_components].stage);
    const char *mask = mask_name(are_bits || are_halves ? CLFOLD_F32 : monoid->head_type);
    clfold_text_print(text,
                      "#define CLFOLD_HEAD %s\n#define CLFOLD_HEAD16 %s16\n"
                      "#define CLFOLD_TO_HEADS(x) convert_%s16(x)\n"
                      "#define CLFOLD_KEY %s\n#define CLFOLD_KEY16 %s16\n"
                      "#define CLFOLD_MASK %s\n#define CLFOLD_MASK16 %s16\n"
                      "#define CLFOLD_READ_KEY(i, p) %s\n"
                      "#define CLFOLD_READ_KEY16 %s\n#define CLFOLD_KEY_EQUAL %d\n",
                      head, head, head, key, key, mask, mask,
                      are_halves ? "vload_half(i, p)" : "(p)[i]",
                      are_halves ? "vload_half16" : "vload16", monoid->equal != NULL);
    append_given(text, monoid, "CLFOLD_START_PARAMS", "start", true);
    append_given(text, monoid, "CLFOLD_START_ARGS", "start", false);
    const char *cell = are_bits ? "uint" : are_halves ? "half" : key;
    clfold_text_print(text,
                      "#define CLFOLD_KEY_CELL %s\n#define CLFOLD_HEADS_CELL %s%s\n",
                      cell, are_bits ? "" : "const ", cell);
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
    clfold_text_print(text,
                      "#define CLFOLD_KERNEL kernel %s"
                      "__attribute__((reqd_work_group_size(CLFOLD_GROUP_SIZE, 1, 1)))\n",
                      shape->single ? "__attribute__((intel_vec_len_hint(1))) " : "");
    if (tile->kind != TILE_NONE) {
        clfold_text_print(text, "#define CLFOLD_TILE %uu\n", tile->elements);
    }
    if (tile->kind == TILE_VECTOR) {
        clfold_text_print(text, "#define CLFOLD_TILE_VECTOR 1\n");
        if (!monoid->in_struct) {
            clfold_text_print(text, "#define CLFOLD_IN16 %s16\n", clfold_in_name(monoid));
        }
        clfold_text_print(text, "#define CLFOLD_PREFETCH %d\n", shape->prefetch);
    } else if (tile->kind == TILE_ITEM) {
        clfold_text_print(text, "#define CLFOLD_TILE_ITEM 1\n");
    } else if (tile->kind == TILE_GROUP) {
        append_chunk(text, monoid);
    }
}

/* Folds that keep order may stop where the operator cuts; a group's tile does not. */
static bool uses_cuts(const struct monoid *monoid, const struct tile_shape *tile)
{
    return monoid->cuts && !monoid->heads && !monoid->commutative &&
           tile->kind == TILE_VECTOR;
}

static void append_silence(struct text *text)
{
    /* PoCL counts warnings on standard error. The test for a NaN is the same text where
     * the operands are integers; programs take of a file what they need; CPUs without
     * registers for a vector of 16 pass it to functions in another way; and initialisers
     * of the caller's leave out the head. */
    clfold_text_print(text,
                      "#ifdef __clang__\n"
                      "#pragma clang diagnostic ignored \"-Wtautological-compare\"\n"
                      "#pragma clang diagnostic ignored \"-Wunused-function\"\n"
                      "#pragma clang diagnostic ignored "
                      "\"-Wmissing-field-initializers\"\n"
                      "#if __has_warning(\"-Wpsabi\")\n"
                      "#pragma clang diagnostic ignored \"-Wpsabi\"\n"
                      "#endif\n#endif\n");
}

/* What folds many numbers at once in such a tile; NULL: there is none. */
static const char *numbers_file(const struct monoid *monoid,
                                const struct tile_shape *tile)
{
    return tile->kind == TILE_VECTOR  ? monoid->vector_file
           : tile->kind == TILE_GROUP ? monoid->group_file
                                      : NULL;
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

/* Whether results are of segments instead of elements. */
static bool reduces(const struct shape *shape)
{
    enum family family = clfold_algorithm_row(shape->algorithm)->family;

    return family == FAMILY_REDUCE || family == FAMILY_REDUCE_SEGMENTS ||
           (family == FAMILY_ANY && !shape->each);
}

/* What a part of a larger call knows of it. */
static void append_part(struct text *text, const struct monoid *monoid,
                        const struct shape *shape)
{
    const char *index = monoid->in_part ? "((i) + clfold_first)" : "i";

    clfold_text_print(text, "#define CLFOLD_IN_PART %d\n", monoid->in_part);
    if (clfold_monoid_has_place(monoid) || monoid->heads) {
        clfold_text_print(text,
                          "#define CLFOLD_LOAD_INDEX(i) %s\n"
                          "#define CLFOLD_RESULT_INDEX(i) %s\n",
                          index, reduces(shape) ? "i" : index);
    }
    if (!monoid->in_part) {
        return;
    }
    clfold_text_print(text,
                      "#define CLFOLD_CARRY_SIZE %zu\n#define CLFOLD_CARRY_COPY(to, "
                      "from) do {",
                      clfold_monoid_carry_size(monoid));
    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        const char *name = monoid->components[k].name;
        clfold_text_print(text, " to.%s = from.%s;", name, name);
    }
    clfold_text_print(text, " } while (0)\n");
}

/* The form of a carry, once its types are known. */
static void append_carry(struct text *text, const struct monoid *monoid)
{
    if (monoid->in_part) {
        clfold_text_print(text, "typedef struct {\n");
        for (uint32_t k = 0; k < monoid->num_components; ++k) {
            clfold_text_print(text, "    %s %s;\n",
                              clfold_cl_name(monoid->components[k].item),
                              monoid->components[k].name);
        }
        clfold_text_print(text, "} clfold_carry;\n");
    }
}

/* The segment of what a text is about: an element's, or of a reduction the result. */
static void append_text_segments(struct text *text, const struct shape *shape)
{
    clfold_text_print(
        text, "#define CLFOLD_TEXT_SEGMENTS 1\n"
              "#define CLFOLD_LOAD_SEGMENT(i) clfold_segment_of(i CLFOLD_PASS)\n"
              "#define CLFOLD_LOAD_SEGMENT16(i) clfold_segment16_of(i CLFOLD_PASS)\n");
    clfold_text_print(
        text, reduces(shape)
                  ? "#define CLFOLD_RESULT_SEGMENT(i) ((clfold_segment){ i, 0 })\n"
                    "#define CLFOLD_RESULT_SEGMENT16(i) "
                    "((clfold_segment16){ clfold_indices(i), 0 })\n"
                  : "#define CLFOLD_RESULT_SEGMENT(i) CLFOLD_LOAD_SEGMENT(i)\n"
                    "#define CLFOLD_RESULT_SEGMENT16(i) CLFOLD_LOAD_SEGMENT16(i)\n");
}

static void append_contract(struct text *text, const struct monoid *monoid,
                            const struct shape *shape)
{
    /* Contraction is on by default, and would change x * x + c between programs. */
    clfold_text_print(text, "#pragma OPENCL FP_CONTRACT OFF\n");
    append_silence(text);
    append_extension(text, monoid, CLFOLD_F64, "cl_khr_fp64");
    append_extension(text, monoid, CLFOLD_F16, "cl_khr_fp16");
    clfold_text_print(text, "#define CLFOLD_IN %s\n", clfold_in_name(monoid));
    clfold_text_print(text, "#define CLFOLD_IN_HALF %d\n", clfold_reads_halves(monoid));
    clfold_text_print(text, "#define CLFOLD_SCALARS %u\n", monoid->num_scalars);
    clfold_text_print(text, "#define CLFOLD_COMPONENTS %u\n", monoid->num_components);
    clfold_text_print(text, "#define CLFOLD_IN_STRUCT %d\n#define CLFOLD_OUT_STRUCT %d\n",
                      monoid->in_struct, monoid->out_struct);
    clfold_text_print(text, "#define CLFOLD_OPAQUE %d\n", monoid->type_name != NULL);
    clfold_text_print(text, "#define CLFOLD_NUMBERS %d\n", is_of_numbers(monoid));
    append_tail(text, "CLFOLD_TAIL", shape->tail || (monoid->type_name && monoid->heads),
                clfold_monoid_tail(monoid, true));
    append_tail(text, "CLFOLD_RESULT_TAIL", shape->tail,
                clfold_monoid_tail(monoid, false));
    clfold_text_print(text, "#define CLFOLD_OUT_CELLS %u\n#define CLFOLD_OUT_SIZE %zu\n",
                      monoid->out_struct ? 1 : clfold_monoid_num_results(monoid),
                      clfold_monoid_out_size(monoid));
    clfold_text_print(text, "#define CLFOLD_CELL %s\n",
                      monoid->out_struct ? "clfold_element"
                                         : clfold_cl_name(monoid->cell));
    clfold_text_print(text, "#define CLFOLD_ROUNDED %d\n", monoid->rounded != NULL);
    clfold_append_with(text, monoid);
    append_heads(text, monoid);
    clfold_append_element_contract(text, monoid);
    append_part(text, monoid, shape);
    if (clfold_monoid_uses_segment(monoid)) {
        append_text_segments(text, shape);
    }
    append_out(text, monoid);
    append_given(text, monoid, "CLFOLD_INIT_PARAMS", "init", true);
    append_given(text, monoid, "CLFOLD_INIT_ARGS", "init", false);
    clfold_text_print(text, "#define CLFOLD_COMMUTATIVE %d\n", monoid->commutative);
    clfold_text_print(text, "#define CLFOLD_HAS_IDENTITY %d\n", monoid->has_identity);
    clfold_text_print(text, "#define CLFOLD_CUTS %d\n", uses_cuts(monoid, &shape->tile));
    clfold_text_print(
        text, "#define CLFOLD_STAGE_LIMIT %uu\n",
        (uint32_t)(monoid->stage_limit < UINT32_MAX ? monoid->stage_limit : UINT32_MAX));
    append_tile(text, monoid, shape);
}

/* What texts see of an element, and what is folded of it. */
static void append_element(struct text *text, const struct monoid *monoid, bool is_vector)
{
    const struct uses *loads = &monoid->loads, *writes = &monoid->writes;
    bool loads_wide = is_vector && monoid->load && !loads->lanes;

    if (monoid->load || monoid->result) {
        clfold_append_element(text, monoid, "");
        append_file(text, "element.cl", monoid);
    }
    if (loads_wide || (is_vector && monoid->result && !writes->lanes)) {
        clfold_append_element(text, monoid, "16");
    }
    if (monoid->load) {
        clfold_append_load(text, monoid, "");
        append_file(text, "load.cl", monoid);
    }
    if (loads_wide) {
        clfold_append_load(text, monoid, "16");
    }
}

/* The operator, at the widths that the program needs; it follows the contract. */
static void append_operator(struct text *text, const struct monoid *monoid,
                            const struct tile_shape *tile,
                            const struct width *const *widths, uint32_t num_widths)
{
    bool is_vector = tile->kind == TILE_VECTOR;

    if (clfold_monoid_has_text(monoid)) {
        append_file(text, "user_names.cl", monoid);
    }
    if (monoid->item_file) {
        append_file(text, monoid->item_file, monoid);
    }
    if (clfold_monoid_has_text(monoid) || monoid->item_file) {
        clfold_append_source(text, monoid, is_vector);
    }
    if (monoid->heads) {
        clfold_append_equal(text, monoid);
        append_file(text, "heads.cl", NULL);
    }
    append_file(text, "contract.cl", monoid);
    append_element(text, monoid, is_vector);
    for (uint32_t i = 0; i < num_widths; ++i) {
        clfold_append_combine(text, monoid, widths[i]);
    }
    clfold_append_identity(text, monoid);
    if (is_vector && !is_of_numbers(monoid)) {
        clfold_append_extend(text, monoid);
    }
    clfold_append_rounded(text, monoid, &clfold_width_item);
    if (uses_cuts(monoid, tile)) {
        clfold_append_condition(text, monoid, monoid->cuts, "cuts", "clfold_cuts",
                                &clfold_width_stage);
        clfold_append_condition(text, monoid, monoid->cuts, "cuts", "clfold_any_cuts",
                                &clfold_width_stage16);
    }
    append_carry(text, monoid);
    append_file(text, "result.cl", monoid);
    if (clfold_monoid_converts(monoid)) {
        clfold_append_result(text, monoid, "");
        if (is_vector && !monoid->writes.lanes) {
            clfold_append_result(text, monoid, "16");
        }
    }
    append_file(text, "write.cl", monoid);
    if (is_vector) {
        append_file(text, "vectors.cl", monoid);
    }
}

/* A file of the tile's: "tile_vector" and `end`. */
static void append_tile_file(struct text *text, const struct monoid *monoid,
                             const struct tile_shape *tile, const char *end)
{
    char name[32];

    snprintf(name, sizeof(name), "%s%s", clfold_tile_name(tile->kind), end);
    append_file(text, name, monoid);
}

/* The tile of a reduction, and what folds its elements to a type without vectors. */
static void append_tile_fold(struct text *text, const struct monoid *monoid,
                             const struct tile_shape *tile)
{
    append_tile_file(text, monoid, tile, ".cl");
    if (is_of_numbers(monoid)) {
        append_file(text, numbers_file(monoid, tile), monoid);
    }
}

/* Items, stages and vectors of these; numbers that become items are not combined. */
static uint32_t num_tile_widths(const struct monoid *monoid,
                                const struct tile_shape *tile)
{
    return is_of_numbers(monoid) ? 1 : tile->kind == TILE_VECTOR ? 3 : 2;
}

static void assemble_reduce(struct text *text, const struct monoid *monoid,
                            const struct shape *shape)
{
    const struct width *const widths[] = { &clfold_width_item, &clfold_width_stage,
                                           &clfold_width_stage16 };
    const struct algorithm_row *row = clfold_algorithm_row(shape->algorithm);
    bool is_tile = !row->is_rung;

    append_contract(text, monoid, shape);
    if (!is_tile) {
        clfold_text_print(text, "#define CLFOLD_RUNG %d\n",
                          (int)(shape->algorithm - REDUCE_0));
    }
    append_operator(text, monoid, &shape->tile, widths,
                    row->items == 0 ? num_tile_widths(monoid, &shape->tile) : 1);
    if (is_tile) {
        append_tile_fold(text, monoid, &shape->tile);
        append_file(text, "fold_run.cl", monoid);
    }
    append_file(text, row->file, monoid);
}

/* ---- Segments ---------------------------------------------------------------------- */

/* The lanes of a tile; those of vectors load as its elements are loaded. */
static void append_lanes(struct text *text, const struct monoid *monoid,
                         const struct shape *shape)
{
    append_file(text, "segments.cl", monoid);
    if (shape->tile.kind == TILE_GROUP) {
        clfold_text_print(text, "#define CLFOLD_STEP %u\n", shape->step);
    }
    append_tile_file(text, monoid, &shape->tile, "_lanes.cl");
    append_file(text,
                shape->tile.kind == TILE_VECTOR && monoid->lanes_file ? monoid->lanes_file
                                                                      : "lane_items.cl",
                monoid);
    if (clfold_algorithm_row(shape->algorithm)->family == FAMILY_SCAN_SEGMENTS) {
        append_tile_file(text, monoid, &shape->tile, "_lanes_scan.cl");
    }
}

static void assemble_reduce_segments(struct text *text, const struct monoid *monoid,
                                     const struct shape *shape)
{
    const struct width *const widths[] = { &clfold_width_item, &clfold_width_stage,
                                           &clfold_width_stage16 };
    bool is_vector = shape->tile.kind == TILE_VECTOR;
    bool by_lanes = shape->algorithm == REDUCE_LANES;

    append_contract(text, monoid, shape);
    append_operator(text, monoid, &shape->tile, widths,
                    num_tile_widths(monoid, &shape->tile));
    if (!by_lanes || is_vector) {
        append_tile_fold(text, monoid, &shape->tile);
    }
    if (by_lanes) {
        append_lanes(text, monoid, shape);
    } else {
        append_file(text, "fold_run.cl", monoid);
        append_file(text, "segments.cl", monoid);
    }
    append_file(text, "segment_partials.cl", monoid);
    append_file(text, clfold_algorithm_row(shape->algorithm)->file, monoid);
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

/* Vectors are combined in the usual way where nothing is rare, as heads are. */
static bool uses_rare(const struct monoid *monoid, const struct tile_shape *tile)
{
    return (monoid->rare || monoid->heads) && tile->kind == TILE_VECTOR &&
           clfold_monoid_has_item16(monoid);
}

/* How 16 items are stored. */
static void append_cells(struct text *text, const struct monoid *monoid)
{
    bool has = clfold_monoid_has_item16(monoid);

    clfold_text_print(text, "#define CLFOLD_ITEM16 %d\n", has);
    if (has) {
        clfold_type out = monoid->out ? monoid->out : monoid->cell;
        const char *cell = clfold_cl_name(out);
        uint32_t cells = clfold_scalar(out)->size == 8 ? 8 : 16;
        clfold_text_print(text, "#define CLFOLD_CELL16 %s16\n", cell);
        clfold_text_print(text, "#define CLFOLD_AS_CELL16 as_%s16\n", cell);
        clfold_text_print(text, "#define CLFOLD_CELLS %s%u\n", cell, cells);
        clfold_text_print(text, "#define CLFOLD_CELLS_HALF %s%u\n", cell, cells / 2);
        clfold_text_print(text, "#define CLFOLD_CELLS_SIZE %u\n", cells);
        clfold_text_print(text, "#define CLFOLD_CELLS_VSTORE vstore%u\n", cells);
    }
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

static void append_scan(struct text *text, const struct monoid *monoid,
                        const struct shape *shape)
{
    if (clfold_looks_back(shape->algorithm)) {
        append_memory(text, shape->tier, shape->fences);
        clfold_text_print(text, "#define CLFOLD_CHAINED %d\n",
                          shape->algorithm == SCAN_CHAINED);
        clfold_text_print(text, "#define CLFOLD_WINDOW %u\n", shape->window);
        clfold_text_print(text, "#define CLFOLD_LOOKERS %d\n", (int)shape->lookers);
        clfold_text_print(text, "#define CLFOLD_TRACE %d\n#define CLFOLD_CYCLES %d\n",
                          shape->traced, shape->builtins);
        clfold_text_print(text, "#define CLFOLD_CUTS_ITEM %d\n",
                          clfold_monoid_cuts(monoid));
    }
    clfold_text_print(text, "#define CLFOLD_SCAN 1\n#define CLFOLD_EXCLUSIVE %d\n",
                      shape->exclusive);
    clfold_text_print(text, "#define CLFOLD_ANCHOR %u\n", shape->anchor);
    clfold_text_print(text, "#define CLFOLD_BUILTINS %d\n", shape->builtins);
    clfold_text_print(text, "#define CLFOLD_STREAM %d\n", shape->stream);
    if (shape->tile.kind == TILE_GROUP) {
        clfold_text_print(text, "#define CLFOLD_GROUP_SCAN %d\n", (int)shape->group_scan);
        append_rows(text, monoid);
        return;
    }
    if (shape->tile.kind == TILE_ITEM) {
        return;
    }
    append_cells(text, monoid);
    clfold_text_print(text, "#define CLFOLD_RARE %d\n", uses_rare(monoid, &shape->tile));
    append_neutral(text, monoid);
}

static void append_scan_operator(struct text *text, const struct monoid *monoid,
                                 const struct shape *shape)
{
    const struct width *const widths[] = { &clfold_width_item, &clfold_width_stage,
                                           &clfold_width_stage16, &clfold_width_item16 };
    bool is_vector = shape->tile.kind == TILE_VECTOR;

    append_contract(text, monoid, shape);
    append_scan(text, monoid, shape);
    append_operator(text, monoid, &shape->tile, widths,
                    !is_vector                         ? 2
                    : clfold_monoid_has_item16(monoid) ? 4
                                                       : 3);
    if (clfold_looks_back(shape->algorithm) && clfold_monoid_cuts(monoid)) {
        clfold_append_condition(text, monoid, monoid->cuts, "cuts", "clfold_cuts_item",
                                &clfold_width_item);
    }
    if (uses_rare(monoid, &shape->tile)) {
        if (monoid->rare) {
            clfold_append_condition(text, monoid, monoid->rare, "rare", "clfold_is_rare",
                                    &clfold_width_item);
        }
        clfold_append_combine(text, monoid, &clfold_width_usual_stage16);
        clfold_append_combine(text, monoid, &clfold_width_usual16);
    }
    if (is_vector && clfold_monoid_has_item16(monoid)) {
        clfold_append_rounded(text, monoid, &clfold_width_item16);
    }
    append_file(text, "scan_tiles.cl", monoid);
}

static void append_scan_tile(struct text *text, const struct monoid *monoid,
                             const struct shape *shape)
{
    if (shape->tile.kind == TILE_GROUP) {
        append_file(text, "group_scan.cl", monoid);
    } else {
        append_tile_file(text, monoid, &shape->tile, ".cl");
    }
    if (shape->tile.kind == TILE_VECTOR) {
        append_file(text, "tile_vector_write.cl", monoid);
    }
    append_tile_file(text, monoid, &shape->tile, "_scan.cl");
}

static void assemble_scan(struct text *text, const struct monoid *monoid,
                          const struct shape *shape)
{
    append_scan_operator(text, monoid, shape);
    append_scan_tile(text, monoid, shape);
    if (shape->algorithm == SCAN_THEN_PROPAGATE || shape->algorithm == REDUCE_THEN_SCAN) {
        append_file(text, "scan_prefixes.cl", monoid);
    } else {
        append_file(text, "scan_totals.cl", monoid);
    }
    if (clfold_looks_back(shape->algorithm)) {
        append_file(text, "memory.cl", monoid);
        append_file(text, "descriptor.cl", monoid);
        if (shape->traced) {
            append_file(text, "scan_trace.cl", monoid);
        }
        append_file(text, "look_window.cl", monoid);
        append_file(text, "look_back.cl", monoid);
    }
    append_file(text, clfold_algorithm_row(shape->algorithm)->file, monoid);
}

static void assemble_scan_segments(struct text *text, const struct monoid *monoid,
                                   const struct shape *shape)
{
    bool by_lanes = shape->algorithm == SCAN_LANES;

    append_scan_operator(text, monoid, shape);
    if (!by_lanes || shape->tile.kind == TILE_VECTOR) {
        append_scan_tile(text, monoid, shape);
    }
    if (by_lanes) {
        append_lanes(text, monoid, shape);
    } else {
        append_file(text, "scan_totals.cl", monoid);
        append_file(text, "segments.cl", monoid);
    }
    append_file(text, "segment_prefixes.cl", monoid);
    append_file(text, clfold_algorithm_row(shape->algorithm)->file, monoid);
}

static void assemble_map(struct text *text, const struct monoid *monoid,
                         const struct shape *shape)
{
    const struct width *const widths[] = { &clfold_width_item, &clfold_width_stage };
    bool is_vector = shape->tile.kind == TILE_VECTOR;

    append_contract(text, monoid, shape);
    clfold_text_print(text, "#define CLFOLD_BUILTINS %d\n#define CLFOLD_STREAM %d\n",
                      shape->builtins, shape->stream);
    if (is_vector) {
        append_cells(text, monoid);
    }
    append_operator(text, monoid, &shape->tile, widths, 2);
    if (is_vector) {
        append_file(text, "tile_vector_write.cl", monoid);
    }
    append_file(text, clfold_algorithm_row(shape->algorithm)->file, monoid);
}

static void assemble_serial(struct text *text, const struct monoid *monoid,
                            const struct shape *shape)
{
    const struct width *const widths[] = { &clfold_width_item };

    append_contract(text, monoid, shape);
    clfold_text_print(text,
                      "#define CLFOLD_SERIAL 1\n#define CLFOLD_EACH %u\n"
                      "#define CLFOLD_EXCLUSIVE %u\n#define CLFOLD_OF_CARRIES %u\n",
                      shape->each, shape->exclusive, shape->carries);
    append_operator(text, monoid, &shape->tile, widths, 1);
    append_file(text, clfold_algorithm_row(shape->algorithm)->file, monoid);
}

static void assemble_widths(struct text *text, const struct monoid *monoid,
                            const struct shape *shape)
{
    const struct width *const widths[] = { &clfold_width_item, &clfold_width_stage,
                                           &clfold_width_stage16 };

    append_contract(text, monoid, shape);
    append_operator(text, monoid, &shape->tile, widths,
                    num_tile_widths(monoid, &shape->tile));
    append_tile_fold(text, monoid, &shape->tile);
    clfold_append_compared(text, monoid);
    append_file(text, clfold_algorithm_row(shape->algorithm)->file, monoid);
    clfold_append_comparisons(text, monoid);
}

static void (*const assemblers[])(struct text *text, const struct monoid *monoid,
                                  const struct shape *shape) = {
    [FAMILY_REDUCE] = assemble_reduce,
    [FAMILY_SCAN] = assemble_scan,
    [FAMILY_ANY] = assemble_serial,
    [FAMILY_WIDTHS] = assemble_widths,
    [FAMILY_REDUCE_SEGMENTS] = assemble_reduce_segments,
    [FAMILY_SCAN_SEGMENTS] = assemble_scan_segments,
    [FAMILY_MAP] = assemble_map,
};

void clfold_assemble(struct text *text, const struct monoid *monoid,
                     const struct shape *shape)
{
    const bool by_lanes =
        shape->algorithm == REDUCE_LANES || shape->algorithm == SCAN_LANES;
    struct monoid of_numbers;

    if (numbers_file(monoid, &shape->tile) &&
        !(by_lanes && shape->tile.kind == TILE_GROUP)) {
        of_numbers = *monoid;
        of_numbers.components[0].stage = monoid->type;
        of_numbers.components[0].load = LOAD_CONVERTED;
        monoid = &of_numbers;
    }
    assemblers[clfold_algorithm_row(shape->algorithm)->family](text, monoid, shape);
    if (monoid->heads == CLFOLD_BY_OFFSETS && shape->algorithm != WIDTHS) {
        append_file(text, "mark_heads.cl", NULL);
    }
}

void clfold_assemble_group_scan(struct text *text, const struct monoid *monoid,
                                enum group_scan kind, uint32_t group_size)
{
    /* The contract needs a tile; here it is all that a group scans. */
    const struct shape shape = { .tile = { TILE_GROUP, group_size, group_size } };

    append_contract(text, monoid, &shape);
    clfold_text_print(text, "#define CLFOLD_GROUP_SCAN %d\n", (int)kind);
    append_file(text, "contract.cl", monoid);
    clfold_append_combine(text, monoid, &clfold_width_item);
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
