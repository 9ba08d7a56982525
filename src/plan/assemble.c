#include "plan/assemble.h"

#include "base/platform.h"
#include "plan/contract.h"
#include "plan/lanes.h"
#include "plan/load_text.h"
#include "plan/operator_text.h"
#include "plan/widths_text.h"

#include <stdio.h>
#include <string.h>

/* ---- Files and what they need ------------------------------------------------------ */

#define MAX_PARTS 128

/* A program, and the parts that it has: files of cl/, and functions of the fold's. */
struct program {
    struct text *text;
    const struct monoid *monoid;
    const struct shape *shape;
    bool has_stage, has_item16, cuts, rare, counts; /* by its contract */
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

static void begin_program(struct program *program)
{
    clfold_append_contract(program->text, program->monoid, program->shape);
    program->has_stage = !holds(program, "CLFOLD_NUMBERS");
    program->has_item16 = holds(program, "CLFOLD_ITEM16");
    program->cuts = holds(program, "CLFOLD_CUTS");
    program->rare = holds(program, "CLFOLD_RARE");
    program->counts =
        clfold_monoid_counts(program->monoid) &&
        clfold_algorithm_row(program->shape->algorithm)->family == FAMILY_SCAN;
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

/* Appends a function of the fold's, or a type, if the fold has it and it is new. Returns
 * whether `name` is one. */
static bool append_function(struct program *program, const char *name)
{
    const struct monoid *monoid = program->monoid;
    if (!monoid) {
        return false;
    }
    const bool is_vector = program->shape->tile.kind == TILE_VECTOR;
    const bool has_texts = monoid->load || monoid->result || monoid->keep;
    const bool loads_wide = is_vector && monoid->load && !monoid->loads.lanes;
    const bool writes = clfold_monoid_converts(monoid);
    const bool writes_wide = is_vector && writes && !monoid->writes.lanes;
    const bool keeps_wide = is_vector && monoid->keep && !monoid->keeps.lanes;
    const bool has_stage = program->has_stage, has_item16 = program->has_item16;
    const bool cuts = program->cuts, rare = program->rare;
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
        { "clfold_rounded16", monoid->rounded && has_item16, clfold_append_rounded,
          "16" },
        { "clfold_combine", !program->counts, clfold_append_combine, NULL },
        { "clfold_combine_stage", has_stage, clfold_append_combine, NULL },
        { "clfold_combine_stage16", has_stage && is_vector, clfold_append_combine, NULL },
        { "clfold_extend_stage16", has_stage && is_vector, clfold_append_combine, NULL },
        { "clfold_usual_stage16", rare, clfold_append_combine, NULL },
        { "clfold_combine16", has_item16, clfold_append_combine, NULL },
        { "clfold_usual16", rare, clfold_append_combine, NULL },
        { "clfold_cuts", cuts, clfold_append_condition, NULL },
        { "clfold_any_cuts", cuts, clfold_append_condition, NULL },
        { "clfold_cuts_item", clfold_monoid_cuts(monoid), clfold_append_condition, NULL },
        { "clfold_is_rare", rare && monoid->rare, clfold_append_condition, NULL },
    };

    for (size_t i = 0; i < CLFOLD_LENGTH(functions); ++i) {
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

/* What the tile's kind decides. */
static const struct {
    const char *stem;   /* of its files, "tile.cl" and its kin in heads */
    const char *counts; /* "tile_scan.cl" of a scan that counts what is kept */
    bool numbers[2];    /* stages of an item with a file are numbers; by lanes */
} tiles[] = {
    [TILE_NONE] = { "none", "none", { false, false } },
    [TILE_VECTOR] = { "tile_vector", "tile_lone_select.cl", { true, true } },
    [TILE_GROUP] = { "tile_group", "tile_group_select.cl", { true, false } },
    [TILE_ITEM] = { "tile_item", "tile_lone_select.cl", { false, false } },
};

/* The file that a head means: "tile_scan.cl" is of the tile's kind, "item.cl" of the
 * fold's item. NULL: there is none, as where there is no fold. */
static const struct clfold_kernel_text *file_of(const struct program *program,
                                                const char *word)
{
    const struct clfold_kernel_text *file = find_file(word);
    char name[64] = "";

    if (file || !program->monoid) {
        return file;
    }
    const enum tile_kind kind = program->shape->tile.kind;
    const char *stem = strncmp(word, "tile", 4) == 0   ? tiles[kind].stem
                       : strncmp(word, "item", 4) == 0 ? program->monoid->item_file
                                                       : NULL;
    if (clfold_monoid_counts(program->monoid) && strcmp(word, "tile_scan.cl") == 0) {
        return find_file(tiles[kind].counts);
    }
    if (stem) {
        snprintf(name, sizeof(name), "%s%s", stem, word + 4);
    }
    return find_file(name);
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
    clfold_append_lines(program->text, file, program->monoid);
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
}

void clfold_assemble(struct text *text, const struct monoid *monoid,
                     const struct shape *shape)
{
    struct program program = { .text = text, .monoid = monoid, .shape = shape };
    struct monoid of_numbers, counts;

    if (monoid->item_file &&
        tiles[shape->tile.kind].numbers[clfold_by_lanes(shape->algorithm)]) {
        of_numbers = *monoid;
        of_numbers.components[0].stage = monoid->type;
        of_numbers.components[0].load = LOAD_CONVERTED;
        program.monoid = &of_numbers;
    }
    begin_program(&program);
    if (program.counts) {
        append_counts(&program, &counts);
    }
    append_part(&program, clfold_algorithm_row(shape->algorithm)->file);
    if (shape->algorithm == WIDTHS) {
        static const char *const texts[] = { "CLFOLD_VALUE",   "CLFOLD_VALUE16",
                                             "clfold_written", "clfold_written16",
                                             "clfold_kept",    "clfold_kept16" };
        for (size_t i = 0; i < CLFOLD_LENGTH(texts); ++i) {
            append_function(&program, texts[i]);
        }
        clfold_append_comparisons(text, program.monoid);
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

    begin_program(&program);
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

    clfold_append_probe_contract(text, tier, fences, said);
    append_part(&program, "memory.cl");
    if (instead) {
        clfold_text_append(text, instead, strlen(instead));
    }
    append_part(&program, "probe.cl");
}
