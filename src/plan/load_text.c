#include "plan/load_text.h"

#include "plan/operator_text.h"
#include "plan/scalar.h"
#include "plan/text_values.h"
#include "plan/user_text.h"

#include <stdio.h>
#include <string.h>

/* ---- Elements ---------------------------------------------------------------------- */

/* Halves that are read as F32 are bits: there may be no vector of halves. */
const char *clfold_in_name(const struct monoid *monoid)
{
    return monoid->in_struct             ? "clfold_element"
           : clfold_reads_halves(monoid) ? "ushort"
                                         : clfold_cl_name(monoid->in);
}

/* Scalar k of an element in the buffer, or of 16. */
static void print_scalar(char scalar[CLFOLD_SOURCE_SIZE / 2], const struct monoid *monoid,
                         uint32_t k, bool is_wide)
{
    if (clfold_reads_halves(monoid)) {
        snprintf(scalar, CLFOLD_SOURCE_SIZE / 2, "clfold_read_half%s(s[%u])",
                 is_wide ? "16" : "", k);
    } else {
        snprintf(scalar, CLFOLD_SOURCE_SIZE / 2, "s[%u]", k);
    }
}

void clfold_print_source(char source[CLFOLD_SOURCE_SIZE], const struct monoid *monoid,
                         const struct component *component, bool is_loaded, bool is_wide)
{
    const char *width = is_wide ? "16" : "";
    char scalar[CLFOLD_SOURCE_SIZE / 2];
    enum load load = component->load;

    if (load == LOAD_HEAD) {
        snprintf(scalar, sizeof(scalar), "clfold_head%s(begin + j - clfold_origin%s",
                 is_wide ? "s16" : "", " CLFOLD_PASS)");
    } else if (is_loaded && !monoid->loaded) {
        snprintf(scalar, sizeof(scalar), "l.%s", component->name);
        load = LOAD_PLAIN;
    } else if (is_loaded) {
        snprintf(scalar, sizeof(scalar), "l.s%u", component->scalar);
    } else if (monoid->in_struct && is_wide) {
        snprintf(scalar, sizeof(scalar), "CLFOLD_GATHER(%s16, from, %s)",
                 clfold_cl_name(component->stage), component->name);
    } else if (monoid->in_struct) {
        snprintf(scalar, sizeof(scalar), "s[0].%s", component->name);
    } else {
        print_scalar(scalar, monoid, component->scalar, is_wide);
    }
    switch (load) {
    case LOAD_PLAIN:
    case LOAD_HEAD:
        snprintf(source, CLFOLD_SOURCE_SIZE, "%s", scalar);
        break;
    case LOAD_CONVERTED:
        snprintf(source, CLFOLD_SOURCE_SIZE, "convert_%s%s(%s)",
                 clfold_cl_name(component->result), width, scalar);
        break;
    case LOAD_TRUTH:
        /* A relation is 1 for scalars and -1 for vectors. */
        snprintf(source, CLFOLD_SOURCE_SIZE, "%s(%s != (%s)0)", is_wide ? "-" : "",
                 scalar, clfold_cl_name(is_loaded ? monoid->loaded : monoid->value));
        break;
    case LOAD_BITS:
        snprintf(source, CLFOLD_SOURCE_SIZE, "as_%s%s(%s)",
                 clfold_cl_name(component->item), width, scalar);
        break;
    case LOAD_ONE:
    case LOAD_ZERO:
    case LOAD_NEUTRAL:
        snprintf(source, CLFOLD_SOURCE_SIZE, "(%s%s)(%s)",
                 clfold_cl_name(component->stage), width,
                 load == LOAD_ONE    ? "1"
                 : load == LOAD_ZERO ? "0"
                                     : component->neutral);
        break;
    case LOAD_BINNED:
        snprintf(source, CLFOLD_SOURCE_SIZE, "clfold_binned_of(convert_%s(%s))",
                 clfold_cl_name(component->result), scalar);
        break;
    case LOAD_POSITION:
        snprintf(source, CLFOLD_SOURCE_SIZE, is_wide ? "clfold_places(j)" : "j");
        break;
    }
}

/* ---- What a load sees and gives ---------------------------------------------------- */

/* "x" itself where it has one member, else "x.a". */
static void print_member(char member[CLFOLD_NAME_SIZE + 8], const char *x, uint32_t num,
                         struct field field)
{
    snprintf(member, CLFOLD_NAME_SIZE + 8, num == 1 ? "%s%.0s" : "%s.%s", x, field.name);
}

void clfold_print_value(char value[CLFOLD_NAME_SIZE + 8], const struct monoid *monoid,
                        uint32_t k)
{
    print_member(value, "value", clfold_monoid_num_results(monoid),
                 clfold_value_field(monoid, k));
}

void clfold_print_x(char x[CLFOLD_NAME_SIZE + 8], const struct monoid *monoid, uint32_t k)
{
    print_member(x, "x", clfold_num_x(monoid),
                 clfold_x_field(monoid, k < clfold_num_x(monoid) ? k : 0));
}

/* ---- The contract ------------------------------------------------------------------ */

/* Statements that make x of the scalars s[0], s[1], ... */
static void append_fill(struct text *text, const struct monoid *monoid, bool is_wide)
{
    char member[CLFOLD_NAME_SIZE + 8], scalar[CLFOLD_SOURCE_SIZE / 2];

    clfold_text_print(text, "#define CLFOLD_FILL_X%s(x, s)", is_wide ? "16" : "");
    for (uint32_t k = 0; !monoid->x_is_item && k < monoid->num_scalars; ++k) {
        print_member(member, "(x)", clfold_num_x(monoid), clfold_x_field(monoid, k));
        print_scalar(scalar, monoid, k, is_wide);
        clfold_text_print(text, " %s = %s;", member, scalar);
    }
    clfold_text_print(text, "\n");
}

/* Arguments that the text uses: at element i, or at i and the 15 after it. */
static void append_arguments(struct text *text, const struct monoid *monoid,
                             const struct uses *uses, bool is_wide)
{
    for (uint32_t k = 0; k < monoid->num_args; ++k) {
        clfold_type element = monoid->arg_elements[k];
        if (!(uses->args & 1u << k)) {
            continue;
        }
        if (!element) {
            clfold_text_print(text, ", clfold_arg_%u", k);
        } else if (element == CLFOLD_F16) {
            clfold_text_print(text,
                              ", vload_half%s(0, clfold_arg_%u + clfold_at_%u + (i))",
                              is_wide ? "16" : "", k, k);
        } else if (is_wide) {
            clfold_text_print(
                text, ", CLFOLD_VLOAD_FROM(%s, clfold_arg_%u + clfold_at_%u + (i))",
                clfold_stream_name(element), k, k);
        } else {
            clfold_text_print(text, ", clfold_arg_%u[clfold_at_%u + (i)]", k, k);
        }
    }
}

/* The call of a text: `own` are the macro's parameters besides x, s and i, and `passed`
 * those of them that the text takes. */
static void append_call(struct text *text, const struct monoid *monoid, int which,
                        const char *own, const char *passed, bool is_wide)
{
    const struct element_text of = clfold_element_text(monoid, which);
    const struct uses *uses = of.uses;
    const char *name = of.name, *width = is_wide ? "16" : "";

    clfold_text_print(text, "#define CLFOLD_%s_CALL%s(%sx, s, i) clfold_text_%s%s(%s%s%s",
                      name, width, own, name, width, passed, uses->x ? "x, " : "",
                      uses->in && !is_wide ? "(global const CLFOLD_IN_X *)(s) - (i), "
                                           : "");
    clfold_text_print(text,
                      is_wide ? "clfold_indices(CLFOLD_%s_INDEX(i)), (ulong16)("
                                "clfold_true_n(clfold_n CLFOLD_PASS))"
                              : "CLFOLD_%s_INDEX(i), clfold_true_n(clfold_n CLFOLD_PASS)",
                      name);
    if (uses->segment) {
        clfold_text_print(text,
                          ", CLFOLD_%s_SEGMENT%s(i).segment, CLFOLD_%s_SEGMENT%s(i).rank",
                          name, width, name, width);
    }
    append_arguments(text, monoid, uses, is_wide);
    clfold_text_print(text, ")\n");
}

static void append_asks(struct text *text, const struct monoid *monoid,
                        const struct use *use)
{
    uint32_t used = monoid->loads.args | monoid->writes.args | monoid->keeps.args;

    clfold_text_print(text, "#define CLFOLD_ASK_STREAMS(i, num)");
    for (uint32_t k = 0; k < monoid->num_args; ++k) {
        clfold_type element = monoid->arg_elements[k];
        if (element && used & 1u << k) {
            clfold_text_print(text,
                              " clfold_ask_bytes((ulong)(clfold_arg_%u + clfold_at_%u + "
                              "(i)), (num) * %zu);",
                              k, k, clfold_scalar(element)->size);
        }
    }
    if (use->way && use->way != CLFOLD_BY_OFFSETS) {
        clfold_text_print(text,
                          " clfold_ask_bytes((ulong)(clfold_heads + clfold_heads_at + "
                          "(i)), (num) * %zu);",
                          clfold_scalar(use->heads)->size);
    }
    clfold_text_print(text, "\n");
}

/* What texts see of an element. */
static void append_x(struct text *text, const struct monoid *monoid)
{
    bool bare = clfold_num_x(monoid) == 1;

    clfold_text_print(text, "#define CLFOLD_X_ITEM %d\n", monoid->x_is_item);
    for (int is_wide = 0; is_wide < 2; ++is_wide) {
        const char *width = is_wide ? "16" : "";
        clfold_text_print(
            text, "#define CLFOLD_X%s %s%s\n", width,
            bare ? clfold_cl_name(clfold_x_field(monoid, 0).type) : "clfold_x", width);
        append_fill(text, monoid, is_wide);
    }
    clfold_text_print(text, "#define CLFOLD_IN_X %s\n",
                      clfold_reads_halves(monoid) && bare ? "half" : "CLFOLD_X");
}

/* What a result's text sees of an item: one value, or a struct. */
static const char *value_name(const struct monoid *monoid)
{
    return clfold_monoid_num_results(monoid) > 1
               ? "clfold_value"
               : clfold_cl_name(clfold_monoid_result_type(monoid, 0));
}

/* What a statement's `out` points to. */
static const char *pointed_name(const struct monoid *monoid)
{
    return clfold_num_written(monoid) > 1 ? "clfold_written"
           : monoid->out == CLFOLD_F16
               ? "half"
               : clfold_cl_name(clfold_written_field(monoid, 0).type);
}

/* What it gives, and where that goes. */
static void append_written(struct text *text, const struct monoid *monoid)
{
    const struct uses *uses = &monoid->writes;

    clfold_text_print(
        text,
        "#define CLFOLD_WRITE_LANES %d\n#define CLFOLD_STORES %d\n"
        "#define CLFOLD_WRITES_X %d\n"
        "#define CLFOLD_OUT_ITEM %d\n#define CLFOLD_OUT_HALF %d\n"
        "#define CLFOLD_OUT_VALUE %s\n#define CLFOLD_OUT_X %s\n",
        uses->lanes, monoid->stores, uses->x, !monoid->out, monoid->out == CLFOLD_F16,
        clfold_cl_name(clfold_written_field(monoid, 0).type), pointed_name(monoid));
    for (int is_wide = 0; is_wide < 2; ++is_wide) {
        const char *width = is_wide ? "16" : "";
        clfold_text_print(text, "#define CLFOLD_VALUE%s %s%s\n", width,
                          value_name(monoid), width);
        append_call(text, monoid, TEXT_RESULT, "out, item, prev, ",
                    uses->at         ? "out, item, clfold_place, "
                    : monoid->stores ? uses->prev ? "out, item, prev, " : "out, item, "
                    : uses->prev     ? "item, prev, "
                                     : "item, ",
                    is_wide);
    }
}

/* What a condition sees by which elements are kept. */
static void append_kept(struct text *text, const struct monoid *monoid)
{
    const struct uses *uses = &monoid->keeps;

    clfold_text_print(text,
                      "#define CLFOLD_SELECTS %d\n#define CLFOLD_KEEP_LANES %d\n"
                      "#define CLFOLD_KEEPS_X %d\n#define CLFOLD_KEEPS_SCAN %d\n"
                      "#define CLFOLD_KEEPS_PREV %d\n",
                      monoid->keep != NULL, uses->lanes, uses->x, monoid->keeps_scan,
                      monoid->keeps_scan && uses->prev);
    if (!monoid->keep) {
        return;
    }
    clfold_text_print(text,
                      "#define CLFOLD_MAKES_ALL %d\n#define CLFOLD_KEEPS_RUNS %d\n"
                      "#define CLFOLD_KEEP_INDEX(i) CLFOLD_LOAD_INDEX(i)\n"
                      "#define CLFOLD_KEEP_SEGMENT(i) "
                      "clfold_segment_of(CLFOLD_LOAD_INDEX(i) CLFOLD_PASS)\n"
                      "#define CLFOLD_KEEP_SEGMENT16(i) "
                      "clfold_segment16_of(CLFOLD_LOAD_INDEX(i) CLFOLD_PASS)\n",
                      !monoid->stores && !(monoid->is_scalar && monoid->result),
                      monoid->keeps_runs);
    for (int is_wide = 0; is_wide < 2; ++is_wide) {
        append_call(text, monoid, TEXT_KEEP, "item, prev, ",
                    uses->prev ? "item, prev, " : "item, ", is_wide);
    }
}

void clfold_append_element_contract(struct text *text, const struct monoid *monoid,
                                    const struct use *use)
{
    clfold_text_print(text,
                      "#define CLFOLD_LOAD %d\n#define CLFOLD_WRITES %d\n"
                      "#define CLFOLD_WRITES_PREV %d\n#define CLFOLD_READS_IN %d\n"
                      "#define CLFOLD_LOAD_LANES %d\n#define CLFOLD_LOADS_X %d\n"
                      "#define CLFOLD_LOADS_SEGMENT %d\n",
                      monoid->load != NULL, clfold_monoid_converts(monoid),
                      monoid->writes.prev, clfold_monoid_reads_in(monoid),
                      monoid->loads.lanes, monoid->loads.x, monoid->loads.segment);
    append_asks(text, monoid, use);
    append_x(text, monoid);
    append_call(text, monoid, TEXT_LOAD, "", "", false);
    append_call(text, monoid, TEXT_LOAD, "", "", true);
    append_written(text, monoid);
    append_kept(text, monoid);
}

/* ---- The texts --------------------------------------------------------------------- */

/* A struct of fields that `of` names. */
static void append_struct(struct text *text, const struct monoid *monoid,
                          const char *name, uint32_t num,
                          struct field (*of)(const struct monoid *monoid, uint32_t k),
                          const char *suffix)
{
    clfold_text_print(text, "typedef struct {\n");
    for (uint32_t k = 0; k < num; ++k) {
        struct field field = of(monoid, k);
        clfold_text_print(text, "    %s%s %s;\n", clfold_cl_name(field.type), suffix,
                          field.name);
    }
    clfold_text_print(text, "} clfold_%s%s;\n", name, suffix);
}

/* The parameters that all texts have, after their own. */
static void append_params(struct text *text, const struct monoid *monoid,
                          const struct uses *uses, const char *suffix)
{
    if (uses->x) {
        clfold_text_print(text, "CLFOLD_X%s x, ", suffix);
    }
    clfold_text_print(text, "%sulong%s i, ulong%s n",
                      uses->in && !suffix[0] ? "global const CLFOLD_IN_X *in, " : "",
                      suffix, suffix);
    if (uses->segment) {
        clfold_text_print(text, ", ulong%s segment, ulong%s rank", suffix, suffix);
    }
    for (uint32_t k = 0; k < monoid->num_args; ++k) {
        const clfold_type element = monoid->arg_elements[k];
        if (uses->args & 1u << k) {
            clfold_text_print(text, ", %s%s %s",
                              element ? clfold_stream_name(element)
                                      : monoid->arg_types[k],
                              element ? suffix : "", monoid->arg_names[k]);
        }
    }
    clfold_text_print(text, ")\n{\n");
}

/* What C promotes part k of a parameter to, by name. */
static const char *promoted(const struct monoid *monoid, const struct parameter *p,
                            uint32_t k)
{
    const char *const type = clfold_parameter_type(monoid, p, k);
    const clfold_type scalar = clfold_name_type(type, strlen(type));

    return scalar && scalar <= CLFOLD_U16 ? "int" : type;
}

/* C promotes narrow integers, but not vectors of them, with which a number of the text's
 * own does not compile: `x > 3` of bytes. So the text sees vectors of ints instead: the
 * parameters get other names in the function's head, and theirs in its body. */
static void append_promotions(struct text *text, const struct monoid *monoid,
                              const struct element_text *of, const char *suffix,
                              bool in_body)
{
    struct parameter all[CLFOLD_MAX_PARAMETERS];
    const bool promotes = suffix[0] && of->text && !monoid->source &&
                          !strchr(of->text, '{') && clfold_user_text_promotes(of->text);
    uint32_t num = clfold_list_parameters(all, monoid, of->uses);

    for (const struct parameter *p = all; promotes && p < all + num; ++p) {
        const bool bare = clfold_parameter_parts(p) == 1;
        bool is_narrow = false;
        for (uint32_t k = 0; k < clfold_parameter_parts(p); ++k) {
            is_narrow |=
                strcmp(promoted(monoid, p, k), clfold_parameter_type(monoid, p, k)) != 0;
        }
        if (is_narrow && !in_body) {
            clfold_text_print(text, "#define %s clfold_narrow_%s\n", p->name, p->name);
        } else if (is_narrow) {
            clfold_text_print(text, "#undef %s\n    const %s", p->name,
                              bare ? "int16 " : "struct { ");
            for (uint32_t k = 0; !bare && k < p->num; ++k) {
                clfold_text_print(text, "%s16 %s; ", promoted(monoid, p, k),
                                  p->of(monoid, k).name);
            }
            clfold_text_print(
                text, bare ? "%s = convert_int16(clfold_narrow_%s);\n" : "} %s = {%.0s",
                p->name, p->name);
            for (uint32_t k = 0; !bare && k < p->num; ++k) {
                clfold_text_print(text, " convert_%s16(clfold_narrow_%s.%s)%s",
                                  promoted(monoid, p, k), p->name, p->of(monoid, k).name,
                                  k + 1 < p->num ? "," : " };\n");
            }
        }
    }
}

/* The head of a text's function, and before it the struct that it gives. */
static void append_head(struct text *text, const struct monoid *monoid,
                        const struct element_text *of, const char *suffix)
{
    const bool has_item = of->uses != &monoid->loads;
    const uint32_t num_items = has_item ? 1u + of->uses->prev : 0;
    struct parameter all[CLFOLD_MAX_PARAMETERS];

    clfold_append_forms(text, monoid, suffix);
    append_struct(text, monoid, of->gives, of->num, of->of, suffix);
    append_promotions(text, monoid, of, suffix, false);
    if (monoid->stores && of->uses == &monoid->writes) {
        clfold_text_print(text,
                          "static void clfold_text_RESULT(global CLFOLD_OUT_X *out, ");
    } else {
        clfold_text_print(text, "static clfold_%s%s clfold_text_%s%s(", of->gives, suffix,
                          of->name, suffix);
    }
    clfold_list_parameters(all, monoid, of->uses);
    for (uint32_t i = 0; i < num_items; ++i) {
        clfold_text_print(text, "%s%s %s, ", all[i].type, suffix, all[i].name);
    }
    if (of->uses->at) {
        clfold_text_print(text, "ulong at, ");
    }
    append_params(text, monoid, of->uses, suffix);
    append_promotions(text, monoid, of, suffix, true);
}

/* The value of the text, an initialiser, as a struct. C converts one number by itself,
 * but not 16, so these are converted, unless they are in braces. */
static void append_value(struct text *text, const struct monoid *monoid,
                         const struct element_text *of, const char *suffix)
{
    if (of->num > 1) {
        clfold_text_print(text,
                          "#line 1 \"%s\"\n    clfold_%s%s clfold_l =\n"
                          "#line 1 \"%s\"\n%s\n;\n",
                          of->line, of->gives, suffix, of->line, of->text);
    } else {
        const bool converts = suffix[0] && !strchr(of->text, '{');
        const struct field first = of->of(monoid, 0);
        const char *const scalar = clfold_cl_name(first.type);
        clfold_text_print(text,
                          "    clfold_%s%s clfold_l;\n#line 1 \"%s\"\n"
                          "    %s%s clfold_v =\n#line 1 \"%s\"\n%s\n;\n",
                          of->gives, suffix, of->line, converts ? "__auto_type" : scalar,
                          converts ? "" : suffix, of->line, of->text);
        clfold_text_print(text,
                          converts ? "    clfold_l.%s = CLFOLD_TO(%s, clfold_v);\n"
                                   : "    clfold_l.%s = clfold_v;\n",
                          first.name, scalar);
    }
    clfold_text_print(text, "    return clfold_l;\n}\n");
}

void clfold_append_element(struct text *text, const struct monoid *monoid,
                           const char *suffix)
{
    clfold_append_forms(text, monoid, suffix);
    if (clfold_num_x(monoid) > 1) {
        append_struct(text, monoid, "x", clfold_num_x(monoid), clfold_x_field, suffix);
    }
}

void clfold_append_load(struct text *text, const struct monoid *monoid,
                        const char *suffix)
{
    const struct element_text of = clfold_element_text(monoid, TEXT_LOAD);

    append_head(text, monoid, &of, suffix);
    append_value(text, monoid, &of, suffix);
}

/* A conversion from the item, where there is no text. */
static void append_conversion(struct text *text, const struct monoid *monoid,
                              const char *suffix)
{
    char item[CLFOLD_NAME_SIZE + 8];

    clfold_text_print(text, "    clfold_written%s clfold_l;\n", suffix);
    for (uint32_t k = 0; k < monoid->num_out; ++k) {
        const struct field field = clfold_written_field(monoid, k);
        print_member(item, "item", clfold_monoid_num_results(monoid),
                     clfold_value_field(monoid, k));
        clfold_text_print(text, "    clfold_l.%s = convert_%s%s(%s);\n", field.name,
                          clfold_cl_name(field.type), suffix, item);
    }
    clfold_text_print(text, "    return clfold_l;\n}\n");
}

void clfold_append_value(struct text *text, const struct monoid *monoid,
                         const char *suffix)
{
    if (clfold_monoid_num_results(monoid) > 1) {
        append_struct(text, monoid, "value", clfold_monoid_num_results(monoid),
                      clfold_value_field, suffix);
    }
}

void clfold_append_own_value(struct text *text, const struct monoid *monoid,
                             const char *suffix)
{
    if (clfold_monoid_num_results(monoid) > 1) {
        append_struct(text, monoid, "own_value", clfold_monoid_num_results(monoid),
                      clfold_value_field, suffix);
    } else {
        clfold_text_print(text, "typedef %s clfold_own_value;\n", value_name(monoid));
    }
}

void clfold_append_keep(struct text *text, const struct monoid *monoid,
                        const char *suffix)
{
    const struct element_text of = clfold_element_text(monoid, TEXT_KEEP);

    append_head(text, monoid, &of, suffix);
    clfold_text_print(text,
                      "    clfold_kept%s clfold_l;\n    clfold_l.kept = %s!!%s(\n"
                      "#line 1 \"%s\"\n%s\n)%s;\n    return clfold_l;\n}\n",
                      suffix, suffix[0] ? "convert_char16(" : "-",
                      suffix[0] ? "clfold_wide16" : "", of.line, of.text,
                      suffix[0] ? ")" : "");
}

void clfold_append_result(struct text *text, const struct monoid *monoid,
                          const char *suffix)
{
    const struct element_text of = clfold_element_text(monoid, TEXT_RESULT);

    append_head(text, monoid, &of, suffix);
    if (!of.text) {
        append_conversion(text, monoid, suffix);
    } else if (monoid->stores) {
        clfold_text_print(text, "#line 1 \"store\"\n%s\n;\n}\n", of.text);
    } else {
        append_value(text, monoid, &of, suffix);
    }
}
