/* What compares the two widths of each text about an element: see widths.cl. */
#include "plan/widths_text.h"

#include "plan/operator_text.h"
#include "plan/scalar.h"
#include "plan/text_values.h"

/* Values clfold_d0, clfold_d1, ... for the parameters' parts. */
static void append_draws(struct text *text, const struct monoid *monoid,
                         const struct parameter *parameters, uint32_t num)
{
    uint32_t d = 0;

    for (uint32_t p = 0; p < num; ++p) {
        for (uint32_t k = 0; k < clfold_parameter_parts(&parameters[p]); ++k, ++d) {
            const char *type = clfold_parameter_type(monoid, &parameters[p], k);
            clfold_text_print(text,
                              "    union { %s16 v; %s s[16]; } clfold_d%u;\n"
                              "    for (uint k = 0; k < 16; ++k)\n"
                              "        clfold_d%u.s[k] = CLFOLD_DRAW_%s(state);\n",
                              type, type, d, d, type);
        }
    }
}

/* A text whose two widths are compared. */
struct compared {
    const char *text, *name; /* "LOAD"; "loaded", what it gives: `num` fields */
    const struct uses *uses;
    bool has_item;
    uint32_t num;
    struct field (*of)(const struct monoid *monoid, uint32_t k);
};

/* A call on what was drawn: `part` is "v", or "s[k]". */
static void append_drawn_call(struct text *text, const struct monoid *monoid,
                              const struct compared *of, const char *suffix,
                              const char *part)
{
    const struct uses *uses = of->uses;
    struct parameter parameters[CLFOLD_MAX_PARAMETERS];
    uint32_t num = clfold_list_parameters(parameters, monoid, uses, of->has_item), d = 0,
             next = 0;

    for (uint32_t p = 0; p < num; ++p) {
        const struct parameter *one = &parameters[p];
        bool bare = clfold_parameter_parts(one) == 1;
        clfold_text_print(text, "    %s%s clfold_p%u%s;\n", one->type, suffix, p, suffix);
        for (uint32_t k = 0; k < clfold_parameter_parts(one); ++k, ++d) {
            clfold_text_print(text, "    clfold_p%u%s%s%s = clfold_d%u.%s;\n", p, suffix,
                              bare ? "" : ".", bare ? "" : one->of(monoid, k).name, d,
                              part);
        }
    }
    clfold_text_print(text, "    const clfold_%s%s l%s = clfold_text_%s%s(", of->name,
                      suffix, suffix, of->text, suffix);
    for (; next < num && parameters[next].of; ++next) {
        clfold_text_print(text, "clfold_p%u%s, ", next, suffix);
    }
    clfold_text_print(text, suffix[0] ? "clfold_indices(i), (ulong16)(i + 16)"
                                      : "i + k, i + 16");
    if (uses->segment) {
        clfold_text_print(text, suffix[0]
                                    ? ", clfold_indices(i) / 5, clfold_indices(i) %% 5"
                                    : ", (i + k) / 5, (i + k) %% 5");
    }
    for (uint32_t k = 0; k < monoid->num_args; ++k) {
        if (!(uses->args & 1u << k)) {
            continue;
        }
        if (monoid->arg_elements[k]) {
            clfold_text_print(text, ", clfold_p%u%s", next++, suffix);
        } else {
            clfold_text_print(text, ", clfold_arg_%u", k);
        }
    }
    clfold_text_print(text, ");\n");
}

static void append_comparison(struct text *text, const struct monoid *monoid,
                              struct compared compared)
{
    /* Which width an element meets depends on the cut. */
    bool is_exact = !compared.has_item && monoid->accuracy == CLFOLD_REPRODUCIBLE;
    struct parameter parameters[CLFOLD_MAX_PARAMETERS];

    clfold_text_print(text,
                      "static void clfold_compare_%s(ulong *state, global ulong "
                      "*out CLFOLD_WITH)\n{\n"
                      "    const ulong i = clfold_random(state) >> 32;\n",
                      compared.name);
    append_draws(
        text, monoid, parameters,
        clfold_list_parameters(parameters, monoid, compared.uses, compared.has_item));
    append_drawn_call(text, monoid, &compared, "16", "v");
    for (uint32_t k = 0; k < compared.num; ++k) {
        struct field field = compared.of(monoid, k);
        const char *type = clfold_cl_name(field.type);
        clfold_text_print(text,
                          "    union { %s16 v; %s s[16]; } r%u;\n    r%u.v = l16.%s;\n",
                          type, type, k, k, field.name);
    }
    clfold_text_print(text, "    for (uint k = 0; k < 16; ++k) {\n");
    append_drawn_call(text, monoid, &compared, "", "s[k]");
    for (uint32_t k = 0; k < compared.num; ++k) {
        struct field field = compared.of(monoid, k);
        const struct scalar *scalar = clfold_scalar(field.type);
        clfold_text_print(text,
                          "    { clfold_%s s = l, v; v.%s = r%u.s[k];\n"
                          "    CLFOLD_COMPARE(%s, %s, CLFOLD_OF_%s + %u, %s) }\n",
                          compared.name, field.name, k, scalar->cl, field.name,
                          compared.text, k,
                          scalar->is_float && !is_exact ? "CLFOLD_ULPS" : "0");
    }
    clfold_text_print(text, "    }\n}\n");
}

static bool compares(const char *text, const struct uses *uses)
{
    return text && !uses->lanes;
}

void clfold_append_compared(struct text *text, const struct monoid *monoid)
{
    clfold_text_print(text,
                      "#define CLFOLD_COMPARE_LOADED %d\n"
                      "#define CLFOLD_COMPARE_WRITTEN %d\n"
                      "#define CLFOLD_COMPARE_KEPT %d\n",
                      compares(monoid->load, &monoid->loads),
                      compares(monoid->result, &monoid->writes),
                      compares(monoid->keep, &monoid->keeps));
}

void clfold_append_comparisons(struct text *text, const struct monoid *monoid)
{
    if (compares(monoid->load, &monoid->loads)) {
        append_comparison(text, monoid,
                          (struct compared){ "LOAD", "loaded", &monoid->loads, false,
                                             clfold_num_loaded(monoid),
                                             clfold_loaded_field });
    }
    if (compares(monoid->result, &monoid->writes)) {
        append_comparison(text, monoid,
                          (struct compared){ "RESULT", "written", &monoid->writes, true,
                                             clfold_num_written(monoid),
                                             clfold_written_field });
    }
    if (compares(monoid->keep, &monoid->keeps)) {
        append_comparison(text, monoid,
                          (struct compared){ "KEEP", "kept", &monoid->keeps, true, 1,
                                             clfold_kept_field });
    }
}
