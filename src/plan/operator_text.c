#include "plan/operator_text.h"

#include "plan/scalar.h"

#include <string.h>

/* A form in which elements are combined. */
struct width {
    const char *type, *function;
    const char *suffix; /* after the scalar's name: "16" */
    bool stage;         /* of the component's stage, else of its type */
    bool extend;        /* the operator where all of a is before b */
    bool usual;         /* where nothing is rare */
};

static const struct width widths[] = {
    { "clfold_item", "clfold_combine", "", .stage = false },
    { "clfold_stage", "clfold_combine_stage", "", .stage = true },
    { "clfold_stage16", "clfold_combine_stage16", "16", .stage = true },
    { "clfold_stage16", "clfold_extend_stage16", "16", .stage = true, .extend = true },
    { "clfold_stage16", "clfold_usual_stage16", "16", .stage = true, .usual = true },
    { "clfold_item16", "clfold_combine16", "16", .stage = false },
    { "clfold_item16", "clfold_usual16", "16", .stage = false, .usual = true },
};
static const struct width *const item = &widths[0];

static const struct width *width_of(const char *function)
{
    const struct width *width = widths;

    while (strcmp(width->function, function) != 0) {
        ++width;
    }
    return width;
}

const char *clfold_cl_name(clfold_type type)
{
    const struct scalar *scalar = clfold_scalar(type);

    return scalar ? scalar->cl : "clfold_opaque";
}

static clfold_type type_of(const struct component *component, const struct width *width)
{
    return width->stage ? component->stage : component->item;
}

/* ---- Arguments --------------------------------------------------------------------- */

/* clang-format off */
#define OWN(group, type, kind, name, member)                                             \
    { OWN_##group, type, "clfold_" #name, { CLFOLD_PARAM(kind, member, 0) } }
const struct own_param clfold_own_params[] = {
    OWN(PLACE, "ulong", ULONG, origin, in_offset),
    OWN(PLACE, "ulong", ULONG, n, n),
    OWN(SELECT, "ulong", ULONG, out_begin, out_offset),
    OWN(SELECT, "global CLFOLD_OUT *", BUFFER, rest, rest),
    OWN(SELECT, "ulong", ULONG, rest_at, rest_at),
    OWN(SELECT, "uint", UINT, has_rest, has_rest),
    OWN(PLACES, "uint", UINT, has_places, has_places),
    OWN(PLACES, "global const uint *", BUFFER, kept_bits, bits),
    OWN(PLACES, "ulong", ULONG, kept_bits_at, bits_at),
    OWN(PLACES, "global const ulong *", BUFFER, kept_before, offsets),
    OWN(PLACES, "ulong", ULONG, kept_before_at, offsets_at),
    OWN(RUNS, "global ulong *", BUFFER, run_lengths, lengths),
    OWN(RUNS, "ulong", ULONG, run_lengths_at, lengths_at),
    OWN(RUNS, "uint", UINT, has_lengths, has_lengths),
    OWN(RUNS, "ulong", ULONG, runs_end, call_count),
    OWN(SEGMENT, "ulong", ULONG, width, segments.width),
    OWN(SEGMENT, "ulong", ULONG, length, segments.length),
    OWN(OFFSETS, "global const CLFOLD_OFFSET *", BUFFER, offsets, offsets),
    OWN(OFFSETS, "ulong", ULONG, offsets_at, offsets_at),
    OWN(OFFSETS, "ulong", ULONG, num_segments, call_segments),
    OWN(OFFSETS, "ulong", ULONG, near, near),
    OWN(NUM, "global const ulong *", BUFFER, num_at, num_at),
    OWN(NUM, "ulong", ULONG, num_index, num_index),
    OWN(COUNT, "global const ulong *", BUFFER, count_at, count_at),
    OWN(COUNT, "ulong", ULONG, count_index, count_index),
    OWN(COUNT, "ulong", ULONG, unit, unit),
    OWN(PART, "ulong", ULONG, first, call_first),
    OWN(PART, "global uchar *", BUFFER, carry_out, carry_out),
    OWN(PART, "ulong", ULONG, carry_index, carry_index),
    OWN(PART, "uint", UINT, has_carry, has_carry),
    OWN(HEADS, "global CLFOLD_HEADS_CELL *", BUFFER, heads, heads),
    OWN(HEADS, "ulong", ULONG, heads_at, heads_at),
    OWN(KEYS, "ulong", ULONG, count, call_count),
    OWN(KEYS, "global const CLFOLD_KEY_CELL *", BUFFER, key_at, key_at),
    OWN(KEYS, "ulong", ULONG, key_at_index, key_at_index),
    OWN(KEYS, "uint", UINT, has_key_at, has_key_at),
    OWN(KEYS, "global CLFOLD_KEY_CELL *", BUFFER, key_out, key_out),
    OWN(KEYS, "ulong", ULONG, key_out_index, key_out_index),
    OWN(KEYS, "uint", UINT, has_key_out, has_key_out),
    { 0 },
};
/* clang-format on */

uint32_t clfold_own_groups(const struct monoid *monoid, const struct use *use)
{
    const bool in_part = clfold_use_has(use, FACET_PART);
    const bool counts = clfold_use_has(use, FACET_COUNT_AT);

    return (clfold_monoid_has_place(monoid) || counts ? OWN_PLACE : 0) |
           (counts ? OWN_COUNT : 0) |
           (clfold_use_has(use, FACET_HEADS)     ? OWN_OFFSETS
            : clfold_monoid_uses_segment(monoid) ? OWN_SEGMENT
                                                 : 0) |
           (in_part ? OWN_PART : 0) | (use->heads ? OWN_HEADS : 0) |
           (in_part && use->way == CLFOLD_BY_KEYS ? OWN_KEYS : 0) |
           (clfold_use_has(use, FACET_NUM_AT) ? OWN_NUM : 0) |
           (monoid->keep ? OWN_SELECT : 0) | (monoid->keeps_runs ? OWN_RUNS : 0) |
           (monoid->keeps_scan ? OWN_PLACES : 0);
}

/* The caller's arguments have names of theirs in functions that are made of texts, and
 * numbers elsewhere. */
enum form { PARAMS_NAMED, PARAMS, ARGUMENTS };

/* A stream is a pointer and an offset. */
static void append_caller(struct text *text, const struct monoid *monoid, enum form form,
                          uint32_t i)
{
    if (monoid->arg_elements[i] && form != ARGUMENTS) {
        clfold_text_print(text, "global const %s *clfold_arg_%u, ulong clfold_at_%u",
                          clfold_cl_name(monoid->arg_elements[i]), i, i);
    } else if (monoid->arg_elements[i]) {
        clfold_text_print(text, "clfold_arg_%u, clfold_at_%u", i, i);
    } else if (form == PARAMS_NAMED) {
        clfold_text_print(text, "%s %s", monoid->arg_types[i], monoid->arg_names[i]);
    } else {
        clfold_text_print(text, "%s clfold_arg_%u",
                          form == PARAMS ? monoid->arg_types[i] : "", i);
    }
}

/* The caller's and the fold's own, with `before` in front of the first. */
static void append_params(struct text *text, const struct monoid *monoid, uint32_t groups,
                          enum form form, const char *before)
{
    for (uint32_t i = 0; i < monoid->num_args; ++i, before = ", ") {
        clfold_text_print(text, "%s", before);
        append_caller(text, monoid, form, i);
    }
    for (const struct own_param *own = clfold_own_params; own->type; ++own) {
        if (groups & own->group) {
            clfold_text_print(text, "%s%s %s", before, form == ARGUMENTS ? "" : own->type,
                              own->name);
            before = ", ";
        }
    }
    if (monoid->lifted) {
        clfold_text_print(text, form == ARGUMENTS ? ", CLFOLD_START_ARGS"
                                                  : ", CLFOLD_START_PARAMS");
    }
}

void clfold_append_with(struct text *text, const struct monoid *monoid,
                        const struct use *use)
{
    static const struct {
        const char *macro, *before;
        enum form form;
    } macros[] = {
        { "CLFOLD_WITH", " , ", PARAMS },
        { "CLFOLD_WITH_ONLY", " ", PARAMS },
        { "CLFOLD_PASS", " , ", ARGUMENTS },
        { "CLFOLD_PASS_ONLY", " ", ARGUMENTS },
        { "CLFOLD_NAMED", " , ", PARAMS_NAMED },
        { "CLFOLD_NAMED_ONLY", " ", PARAMS_NAMED },
    };
    const uint32_t groups = clfold_own_groups(monoid, use);

    for (size_t i = 0; i < CLFOLD_LENGTH(macros); ++i) {
        const bool is_only = macros[i].before[1] == '\0';
        const bool is_void = is_only && macros[i].form != ARGUMENTS &&
                             monoid->num_args == 0 && groups == 0;
        clfold_text_print(text, "#define %s", macros[i].macro);
        append_params(text, monoid, groups, macros[i].form, macros[i].before);
        clfold_text_print(text, is_void ? " void\n" : "\n");
    }
}

/* ---- Names and source -------------------------------------------------------------- */

/* What CLFOLD_TO and CLFOLD_PICK are at a width. */
void clfold_append_forms(struct text *text, const struct monoid *monoid,
                         const char *suffix)
{
    bool is_wide = suffix[0] != '\0';

    if (!clfold_monoid_has_text(monoid)) {
        return;
    }
    clfold_text_print(text,
                      "#undef CLFOLD_TO\n#undef CLFOLD_PICK\n"
                      "#define CLFOLD_TO(type, x) convert_##type%s\n"
                      "#define CLFOLD_PICK(c, a, b) %s\n",
                      is_wide ? "##16(clfold_wide16(x))" : "(x)",
                      is_wide ? "clfold_pick16(c, a, b)" : "((c) ? (a) : (b))");
}

/* Whether texts have vectors of the type: of a component, or of what a load sees. */
static bool has_vectors(const struct monoid *monoid, clfold_type type)
{
    bool has =
        (monoid->load && monoid->loaded == type) ||
        ((monoid->load || monoid->result || monoid->keep) && monoid->value == type) ||
        (monoid->result &&
         (monoid->out == CLFOLD_F16 ? CLFOLD_F32 : monoid->out) == type);

    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        has |= monoid->components[k].stage == type;
        has |= (monoid->result || monoid->keep) && monoid->components[k].result == type;
    }
    for (uint32_t k = 0; k < monoid->num_args; ++k) {
        clfold_type element = monoid->arg_elements[k];
        has |= element && type == (element == CLFOLD_F16 ? CLFOLD_F32 : element);
    }
    return has;
}

/* The choice in vectors, for a relation of the size of any type that there is; a load
 * also has i, of 8 bytes. */
static void append_pick16(struct text *text, const struct monoid *monoid)
{
    unsigned sizes = monoid->load || monoid->result || monoid->keep ? 8 : 0;

    for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; ++type) {
        sizes |= has_vectors(monoid, type) ? (unsigned)clfold_scalar(type)->size : 0;
    }
    for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; ++type) {
        const char *name = clfold_cl_name(type);
        for (unsigned size = 1; has_vectors(monoid, type) && size <= 8; size *= 2) {
            if (sizes & size) {
                clfold_text_print(
                    text,
                    "static %s16 __attribute__((overloadable)) clfold_pick16(%s16 c, "
                    "%s16 a, %s16 b)\n{\n    return convert_%s16(c) ? a : b;\n}\n",
                    name, clfold_cl_name(clfold_integer(size, true)), name, name,
                    clfold_cl_name(clfold_integer(clfold_scalar(type)->size, true)));
            }
        }
    }
}

/* What is converted in vectors: a vector, or a number, such as an argument, as 16 of it.
 * Any text may go by way of double where the device has it. */
static void append_wide16(struct text *text, const struct monoid *monoid)
{
    for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; ++type) {
        const char *const name = clfold_cl_name(type);
        const bool is_double = type == CLFOLD_F64;
        if (type == CLFOLD_F16 && !clfold_monoid_uses(monoid, type)) {
            continue;
        }
        clfold_text_print(text, "%s", is_double ? "#ifdef cl_khr_fp64\n" : "");
        for (int is_wide = 0; is_wide < 2; ++is_wide) {
            clfold_text_print(text,
                              "static %s16 __attribute__((overloadable)) "
                              "clfold_wide16(%s%s x)\n{\n    return x;\n}\n",
                              name, name, is_wide ? "16" : "");
        }
        clfold_text_print(text, "%s", is_double ? "#endif\n" : "");
    }
}

void clfold_append_source(struct text *text, const struct monoid *monoid,
                          const char *suffix)
{
    clfold_append_forms(text, monoid, "");
    if (suffix[0]) {
        append_pick16(text, monoid);
        append_wide16(text, monoid);
    }
    if (monoid->source) {
        clfold_text_print(text, "#line 1 \"source\"\n%s\n", monoid->source);
    }
    if (monoid->type_name) {
        clfold_text_print(text,
                          "#line 1 \"type_name\"\ntypedef %s clfold_opaque;\n%s"
                          "#line 1 \"type_size\"\n"
                          "typedef char type_size_is_the_sizeof_type_name"
                          "[sizeof(clfold_opaque) == %zu ? 1 : -1];\n",
                          monoid->type_name,
                          monoid->item_file ? ""
                                            : "#define convert_clfold_opaque(x) (x)\n",
                          monoid->type_size);
    }
}

/* ---- The operator ------------------------------------------------------------------ */

static void append_head(struct text *text, const struct monoid *monoid,
                        const struct width *width, bool has_a)
{
    bool bare = monoid->num_components == 1;

    clfold_text_print(text, "(");
    if (has_a) {
        clfold_text_print(text, "%s %s, ", width->type, bare ? "clfold_a" : "a");
    }
    clfold_text_print(text, "%s %s", width->type, bare ? "clfold_b" : "b");
    clfold_text_print(text, " CLFOLD_NAMED)\n{\n");
    /* With one component a text uses a and b themselves. */
    if (bare) {
        const struct component *v = &monoid->components[0];
        clfold_text_print(text, "    const %s%s ", clfold_cl_name(type_of(v, width)),
                          width->suffix);
        if (has_a) {
            clfold_text_print(text, "a = clfold_a.%s, ", v->name);
        }
        clfold_text_print(text, "b = clfold_b.%s;\n", v->name);
    }
    /* A caller's text may leave one out. */
    if (bare && monoid->combine) {
        clfold_text_print(text, "    %s(void)b;\n", has_a ? "(void)a, " : "");
    }
}

/* clfold_r: from an initialiser, which is one for the value if there is only one, or from
 * a text for each component. */
static void append_value(struct text *text, const struct monoid *monoid,
                         const struct width *width, const char *line,
                         const char *initialiser, const char *const *each)
{
    const struct component *v = &monoid->components[0];

    if (!initialiser) {
        clfold_text_print(text, "    %s clfold_r;\n", width->type);
        for (uint32_t k = 0; k < monoid->num_components; ++k) {
            clfold_text_print(text, "    clfold_r.%s =\n#line 1 \"%s\"\n%s\n;\n",
                              v[k].name, line, each[k]);
        }
    } else if (monoid->num_components > 1) {
        clfold_text_print(text, "    %s clfold_r =\n#line 1 \"%s\"\n%s\n;\n", width->type,
                          line, initialiser);
    } else {
        clfold_text_print(text,
                          "    %s clfold_r;\n    %s%s clfold_v =\n#line 1 \"%s\"\n%s\n;\n"
                          "    clfold_r.%s = clfold_v;\n",
                          width->type, clfold_cl_name(type_of(v, width)), width->suffix,
                          line, initialiser, v->name);
    }
}

/* b alone, where a segment starts in it; in the usual case none does. rusticl takes an
 * int of -1 that became a long for positive, so heads are compared with 0. */
static void append_cut(struct text *text, const struct monoid *monoid,
                       const struct width *width)
{
    const char *of = monoid->num_components == 1 ? "clfold_" : "";
    const struct component *head = &monoid->components[monoid->num_components];
    size_t head_size = clfold_scalar(type_of(head, width))->size;

    for (uint32_t k = 0; !width->usual && k < monoid->num_components; ++k) {
        const struct component *component = &monoid->components[k];
        const struct scalar *scalar = clfold_scalar(type_of(component, width));
        bool converts = width->suffix[0] && scalar && scalar->size != head_size;
        clfold_text_print(
            text, "    clfold_r.%s = !!%s%s%s%sb.%s%s ? %sb.%s : clfold_r.%s;\n",
            component->name, converts ? "convert_" : "",
            converts ? clfold_cl_name(clfold_integer(scalar->size, true)) : "",
            converts ? "16(" : "", of, head->name, converts ? ")" : "", of,
            component->name, component->name);
    }
    clfold_text_print(text, "    clfold_r.%s = %sa.%s | %sb.%s;\n", head->name, of,
                      head->name, of, head->name);
}

void clfold_append_combine(struct text *text, const struct monoid *monoid,
                           const char *function)
{
    const struct component *components = monoid->components;
    const struct width *width = width_of(function);
    const char *each[CLFOLD_MAX_COMPONENTS];

    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        bool own = width->extend && components[k].extend;
        each[k] = own                               ? components[k].extend
                  : width->usual && !monoid->lifted ? components[k].usual
                                                    : components[k].combine;
    }
    clfold_append_forms(text, monoid, width->suffix);
    clfold_text_print(text, "static %s %s", width->type, width->function);
    append_head(text, monoid, width, true);
    append_value(text, monoid, width, "combine", monoid->combine, each);
    if (monoid->lifted) {
        append_cut(text, monoid, width);
    }
    clfold_text_print(text, "    return clfold_r;\n}\n");
}

void clfold_append_identity(struct text *text, const struct monoid *monoid,
                            const char *suffix)
{
    const char *each[CLFOLD_MAX_COMPONENTS];

    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        each[k] = monoid->components[k].identity;
    }
    clfold_append_forms(text, monoid, suffix);
    clfold_text_print(text, "static clfold_item clfold_identity(CLFOLD_NAMED_ONLY)\n{\n");
    append_value(text, monoid, item, "identity", monoid->identity, each);
    clfold_text_print(text, "%s    return clfold_r;\n}\n",
                      monoid->lifted ? "    clfold_r.clfold_head = 0;\n" : "");
}

void clfold_append_condition(struct text *text, const struct monoid *monoid,
                             const char *function)
{
    /* It is asked beside this operator. */
    const bool is_wide = strcmp(function, "clfold_any_cuts") == 0;
    const bool of_stage = is_wide || strcmp(function, "clfold_cuts") == 0;
    const struct width *width = width_of(is_wide    ? "clfold_combine_stage16"
                                         : of_stage ? "clfold_combine_stage"
                                                    : "clfold_combine");
    const bool is_rare = strcmp(function, "clfold_is_rare") == 0;
    const char *condition = is_rare ? monoid->rare : monoid->cuts;
    clfold_append_forms(text, monoid, width->suffix);
    clfold_text_print(text, "static bool %s", function);
    append_head(text, monoid, width, false);
    /* any() asks for signs, which a flag of 1 has not. */
    clfold_text_print(text, "    return %s(\n#line 1 \"%s\"\n%s\n)%s%s;\n}\n",
                      is_wide ? "any(!!(" : "", is_rare ? "rare" : "cuts",
                      condition ? condition : "(void)b, false", is_wide ? "))" : "",
                      !monoid->lifted               ? ""
                      : monoid->num_components == 1 ? " || clfold_b.clfold_head"
                                                    : " || b.clfold_head");
}

/* Whether two keys are the same, by the caller's text. */
void clfold_append_equal(struct text *text, const struct monoid *monoid,
                         const char *suffix)
{
    clfold_append_forms(text, monoid, suffix);
    clfold_text_print(
        text,
        "static bool clfold_equal(CLFOLD_KEY a, CLFOLD_KEY b CLFOLD_NAMED)\n"
        "{\n    return\n#line 1 \"equal\"\n%s\n;\n}\n",
        monoid->equal);
}

void clfold_append_rounded(struct text *text, const struct monoid *monoid,
                           const char *suffix)
{
    clfold_append_forms(text, monoid, suffix);
    clfold_text_print(text,
                      "static %s%s clfold_rounded%s(clfold_item%s item)\n{\n    return\n"
                      "#line 1 \"rounded\"\n%s\n;\n}\n",
                      clfold_cl_name(monoid->type), suffix, suffix, suffix,
                      monoid->rounded);
}
