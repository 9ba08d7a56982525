#include "plan/load_text.h"

#include "plan/operator_text.h"
#include "plan/scalar.h"

#include <stdio.h>
#include <string.h>

/* ---- Elements ---------------------------------------------------------------------- */

/* Halves that are read as F32 are bits: there may be no vector of halves. */
bool clfold_reads_halves(const struct monoid *monoid)
{
    return monoid->in == CLFOLD_F16 && monoid->value != CLFOLD_F16;
}

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

    if (is_loaded && !monoid->loaded) {
        snprintf(scalar, sizeof(scalar), "l.%s", component->name);
        load = LOAD_PLAIN;
    } else if (is_loaded) {
        snprintf(scalar, sizeof(scalar), "l.s%u", component->scalar);
    } else if (monoid->in_struct) {
        snprintf(scalar, sizeof(scalar), "s[0].%s", component->name);
    } else {
        print_scalar(scalar, monoid, component->scalar, is_wide);
    }
    switch (load) {
    case LOAD_PLAIN:
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
        snprintf(source, CLFOLD_SOURCE_SIZE, "(%s%s)(%d)",
                 clfold_cl_name(component->stage), width, load == LOAD_ONE);
        break;
    case LOAD_NEUTRAL:
        snprintf(source, CLFOLD_SOURCE_SIZE, "(%s%s)(%s)",
                 clfold_cl_name(component->stage), width, component->neutral);
        break;
    case LOAD_BINNED:
        snprintf(source, CLFOLD_SOURCE_SIZE, "%s(convert_%s%s(%s))",
                 is_wide ? "" : "clfold_binned_of", clfold_cl_name(component->result),
                 width, scalar);
        break;
    case LOAD_POSITION:
        snprintf(source, CLFOLD_SOURCE_SIZE, is_wide ? "clfold_places(j)" : "j");
        break;
    }
}

/* ---- What a load sees and gives ---------------------------------------------------- */

struct field {
    const char *name;
    clfold_type type; /* 0: opaque */
};

static uint32_t num_fields(const struct monoid *monoid)
{
    return monoid->x_is_item ? monoid->num_components : monoid->num_scalars;
}

/* Member k of x. */
static struct field field_of(const struct monoid *monoid, uint32_t k)
{
    static const char *const names[] = { "x", "y", "z", "w" };
    const struct component *component = &monoid->components[k];

    return monoid->x_is_item ? (struct field){ component->name, component->result }
                             : (struct field){ names[k], monoid->value };
}

/* Member k of what the text gives. */
static struct field loaded_of(const struct monoid *monoid, uint32_t k)
{
    static const char *const names[] = { "s0", "s1", "s2", "s3" };

    return monoid->loaded ? (struct field){ names[k], monoid->loaded }
                          : (struct field){ monoid->components[k].name,
                                            monoid->components[k].stage };
}

static uint32_t num_loaded(const struct monoid *monoid)
{
    return monoid->loaded ? monoid->num_loaded : monoid->num_components;
}

/* A stream of halves is one of F32. */
static const char *stream_name(clfold_type element)
{
    return clfold_cl_name(element == CLFOLD_F16 ? CLFOLD_F32 : element);
}

/* x itself where it has one member: "x"; else "x.a". */
static void print_member(char member[CLFOLD_NAME_SIZE + 8], const struct monoid *monoid,
                         const char *x, uint32_t k)
{
    bool bare = num_fields(monoid) == 1;

    snprintf(member, CLFOLD_NAME_SIZE + 8, "%s%s%s", x, bare ? "" : ".",
             bare ? "" : field_of(monoid, k).name);
}

void clfold_print_x(char x[CLFOLD_NAME_SIZE + 8], const struct monoid *monoid, uint32_t k)
{
    print_member(x, monoid, "x", k);
}

/* ---- The contract ------------------------------------------------------------------ */

/* Statements that make x of the scalars s[0], s[1], ... */
static void append_fill(struct text *text, const struct monoid *monoid, bool is_wide)
{
    char member[CLFOLD_NAME_SIZE + 8], scalar[CLFOLD_SOURCE_SIZE / 2];

    clfold_text_print(text, "#define CLFOLD_FILL_X%s(x, s)", is_wide ? "16" : "");
    for (uint32_t k = 0; !monoid->x_is_item && k < monoid->num_scalars; ++k) {
        print_member(member, monoid, "(x)", k);
        print_scalar(scalar, monoid, k, is_wide);
        clfold_text_print(text, " %s = %s;", member, scalar);
    }
    clfold_text_print(text, "\n");
}

/* Arguments of a call of the text: at element i, or at i and the 15 after it. */
static void append_arguments(struct text *text, const struct monoid *monoid, bool is_wide)
{
    for (uint32_t k = 0; k < monoid->num_args; ++k) {
        clfold_type element = monoid->arg_elements[k];
        if (!element) {
            clfold_text_print(text, ", clfold_arg_%u", k);
        } else if (element == CLFOLD_F16) {
            clfold_text_print(text,
                              ", vload_half%s(0, clfold_arg_%u + clfold_at_%u + (i))",
                              is_wide ? "16" : "", k, k);
        } else if (is_wide) {
            clfold_text_print(
                text, ", CLFOLD_VLOAD_FROM(%s, clfold_arg_%u + clfold_at_%u + (i))",
                stream_name(element), k, k);
        } else {
            clfold_text_print(text, ", clfold_arg_%u[clfold_at_%u + (i)]", k, k);
        }
    }
}

static void append_call(struct text *text, const struct monoid *monoid, bool is_wide)
{
    clfold_text_print(text, "#define CLFOLD_LOAD_CALL%s(x, s, i) clfold_text_load%s(",
                      is_wide ? "16" : "", is_wide ? "16" : "");
    clfold_text_print(text, "%s", monoid->reads_x ? "x, " : "");
    if (monoid->reads_in && !is_wide) {
        clfold_text_print(text, "(global const CLFOLD_IN_X *)(s) - (i), ");
    }
    clfold_text_print(text, is_wide ? "clfold_indices(i), clfold_n" : "i, clfold_n");
    append_arguments(text, monoid, is_wide);
    clfold_text_print(text, ")\n");
}

static void append_asks(struct text *text, const struct monoid *monoid)
{
    clfold_text_print(text, "#define CLFOLD_ASK_STREAMS(i, num)");
    for (uint32_t k = 0; k < monoid->num_args; ++k) {
        clfold_type element = monoid->arg_elements[k];
        if (element) {
            clfold_text_print(text,
                              " clfold_ask_bytes((ulong)(clfold_arg_%u + clfold_at_%u + "
                              "(i)), (num) * %zu);",
                              k, k, clfold_scalar(element)->size);
        }
    }
    clfold_text_print(text, "\n");
}

void clfold_append_load_contract(struct text *text, const struct monoid *monoid)
{
    bool bare = num_fields(monoid) == 1;

    if (!monoid->load) {
        return;
    }
    clfold_text_print(text,
                      "#define CLFOLD_LOAD 1\n#define CLFOLD_LOAD_LANES %d\n"
                      "#define CLFOLD_READS_X %d\n#define CLFOLD_X_ITEM %d\n",
                      monoid->loads_lanes, monoid->reads_x, monoid->x_is_item);
    for (int is_wide = 0; is_wide < 2; ++is_wide) {
        const char *width = is_wide ? "16" : "";
        clfold_text_print(text, "#define CLFOLD_X%s %s%s\n", width,
                          bare ? clfold_cl_name(field_of(monoid, 0).type) : "clfold_x",
                          width);
        append_fill(text, monoid, is_wide);
        append_call(text, monoid, is_wide);
    }
    clfold_text_print(text, "#define CLFOLD_IN_X %s\n",
                      clfold_reads_halves(monoid) && bare ? "half" : "CLFOLD_X");
    append_asks(text, monoid);
}

/* ---- The text ---------------------------------------------------------------------- */

static void append_struct(struct text *text, const struct monoid *monoid, bool is_x,
                          const char *suffix)
{
    uint32_t num = is_x ? num_fields(monoid) : num_loaded(monoid);

    clfold_text_print(text, "typedef struct {\n");
    for (uint32_t k = 0; k < num; ++k) {
        struct field field = is_x ? field_of(monoid, k) : loaded_of(monoid, k);
        clfold_text_print(text, "    %s%s %s;\n", clfold_cl_name(field.type), suffix,
                          field.name);
    }
    clfold_text_print(text, "} clfold_%s%s;\n", is_x ? "x" : "loaded", suffix);
}

static void append_head(struct text *text, const struct monoid *monoid,
                        const char *suffix)
{
    bool is_wide = suffix[0] != '\0';

    clfold_text_print(text, "static clfold_loaded%s clfold_text_load%s(", suffix, suffix);
    if (monoid->reads_x) {
        clfold_text_print(text, "CLFOLD_X%s x, ", suffix);
    }
    if (monoid->reads_in && !is_wide) {
        clfold_text_print(text, "global const CLFOLD_IN_X *in, ");
    }
    clfold_text_print(text, "ulong%s i, ulong n", suffix);
    for (uint32_t k = 0; k < monoid->num_args; ++k) {
        if (monoid->arg_elements[k]) {
            clfold_text_print(text, ", %s%s %s", stream_name(monoid->arg_elements[k]),
                              suffix, monoid->arg_names[k]);
        } else {
            clfold_text_print(text, ", %s %s", monoid->arg_types[k],
                              monoid->arg_names[k]);
        }
    }
    clfold_text_print(text, ")\n{\n");
}

void clfold_append_load(struct text *text, const struct monoid *monoid,
                        const char *suffix)
{
    const struct field first = loaded_of(monoid, 0);

    if (num_fields(monoid) > 1) {
        append_struct(text, monoid, true, suffix);
    }
    append_struct(text, monoid, false, suffix);
    clfold_append_forms(text, monoid, suffix);
    append_head(text, monoid, suffix);
    if (num_loaded(monoid) > 1) {
        clfold_text_print(text,
                          "#line 1 \"load\"\n    clfold_loaded%s clfold_l =\n"
                          "#line 1 \"load\"\n%s\n;\n",
                          suffix, monoid->load);
    } else {
        clfold_text_print(
            text,
            "    clfold_loaded%s clfold_l;\n#line 1 \"load\"\n"
            "    %s%s clfold_v =\n#line 1 \"load\"\n%s\n;\n    clfold_l.%s = clfold_v;\n",
            suffix, clfold_cl_name(first.type), suffix, monoid->load, first.name);
    }
    clfold_text_print(text, "    return clfold_l;\n}\n");
}

/* ---- Its two widths ---------------------------------------------------------------- */

/* Values d0, d1, ... for the members of x, then for streams. */
static void append_draws(struct text *text, const struct monoid *monoid)
{
    uint32_t fields = monoid->reads_x ? num_fields(monoid) : 0, num = 0;
    const char *types[CLFOLD_MAX_COMPONENTS + CLFOLD_MAX_ARGS];

    for (uint32_t k = 0; k < fields; ++k) {
        types[num++] = clfold_cl_name(field_of(monoid, k).type);
    }
    for (uint32_t k = 0; k < monoid->num_args; ++k) {
        if (monoid->arg_elements[k]) {
            types[num++] = stream_name(monoid->arg_elements[k]);
        }
    }
    for (uint32_t k = 0; k < num; ++k) {
        clfold_text_print(text, "    union { %s16 v; %s s[16]; } d%u;\n", types[k],
                          types[k], k);
    }
    clfold_text_print(text, "    for (uint k = 0; k < 16; ++k) {\n");
    for (uint32_t k = 0; k < num; ++k) {
        clfold_text_print(text, "        d%u.s[k] = CLFOLD_DRAW_%s(state);\n", k,
                          types[k]);
    }
    clfold_text_print(text, "    }\n");
}

/* A call on what was drawn: `part` is "v", or "s[k]". */
static void append_drawn_call(struct text *text, const struct monoid *monoid,
                              const char *suffix, const char *part)
{
    uint32_t fields = monoid->reads_x ? num_fields(monoid) : 0, next = fields;
    char member[CLFOLD_NAME_SIZE + 8];

    if (fields > 0) {
        clfold_text_print(text, "CLFOLD_X%s x%s;\n", suffix, suffix);
    }
    for (uint32_t k = 0; k < fields; ++k) {
        print_member(member, monoid, suffix[0] ? "x16" : "x", k);
        clfold_text_print(text, "    %s = d%u.%s;\n", member, k, part);
    }
    clfold_text_print(text, "    const clfold_loaded%s l%s = clfold_text_load%s(", suffix,
                      suffix, suffix);
    if (fields > 0) {
        clfold_text_print(text, "x%s, ", suffix);
    }
    clfold_text_print(text, suffix[0] ? "clfold_indices(i), i + 16" : "i + k, i + 16");
    for (uint32_t k = 0; k < monoid->num_args; ++k) {
        if (monoid->arg_elements[k]) {
            clfold_text_print(text, ", d%u.%s", next++, part);
        } else {
            clfold_text_print(text, ", clfold_arg_%u", k);
        }
    }
    clfold_text_print(text, ");\n");
}

void clfold_append_load_comparison(struct text *text, const struct monoid *monoid)
{
    uint32_t num = num_loaded(monoid);

    clfold_text_print(text, "static void clfold_compare_load(ulong *state, global ulong "
                            "*out CLFOLD_WITH)\n{\n"
                            "    const ulong i = clfold_random(state) >> 32;\n");
    append_draws(text, monoid);
    clfold_text_print(text, "    ");
    append_drawn_call(text, monoid, "16", "v");
    for (uint32_t k = 0; k < num; ++k) {
        struct field field = loaded_of(monoid, k);
        const char *type = clfold_cl_name(field.type);
        clfold_text_print(text,
                          "    union { %s16 v; %s s[16]; } r%u;\n    r%u.v = l16.%s;\n",
                          type, type, k, k, field.name);
    }
    clfold_text_print(text, "    for (uint k = 0; k < 16; ++k) {\n    ");
    append_drawn_call(text, monoid, "", "s[k]");
    for (uint32_t k = 0; k < num; ++k) {
        struct field field = loaded_of(monoid, k);
        const struct scalar *scalar = clfold_scalar(field.type);
        clfold_text_print(text,
                          "    { clfold_loaded s = l, v; v.%s = r%u.s[k];\n"
                          "    CLFOLD_COMPARE(%s, %s, CLFOLD_OF_LOAD + %u, %s) }\n",
                          field.name, k, scalar->cl, field.name, k,
                          scalar->is_float ? "CLFOLD_ULPS" : "0");
    }
    clfold_text_print(text, "    }\n}\n");
}
