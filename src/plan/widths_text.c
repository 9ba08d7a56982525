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

/* A call on what was drawn: `part` is "v", or "s[k]". */
static void append_drawn_call(struct text *text, const struct monoid *monoid,
                              const struct element_text *of, const char *suffix,
                              const char *part)
{
    const struct uses *uses = of->uses;
    struct parameter parameters[CLFOLD_MAX_PARAMETERS];
    uint32_t num = clfold_list_parameters(parameters, monoid, uses), d = 0, next = 0;

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
    clfold_text_print(text, "    const clfold_%s%s l%s = clfold_text_%s%s(", of->gives,
                      suffix, suffix, of->name, suffix);
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
                              const struct element_text *of)
{
    /* Which width an element meets depends on the cut. */
    bool is_exact = of->uses == &monoid->loads && monoid->accuracy == CLFOLD_REPRODUCIBLE;
    struct parameter parameters[CLFOLD_MAX_PARAMETERS];

    clfold_text_print(text,
                      "static void clfold_compare_%s(ulong *state, global ulong "
                      "*out CLFOLD_WITH)\n{\n"
                      "    const ulong i = clfold_random(state) >> 32;\n",
                      of->gives);
    append_draws(text, monoid, parameters,
                 clfold_list_parameters(parameters, monoid, of->uses));
    append_drawn_call(text, monoid, of, "16", "v");
    for (uint32_t k = 0; k < of->num; ++k) {
        struct field field = of->of(monoid, k);
        const char *type = clfold_cl_name(field.type);
        clfold_text_print(text,
                          "    union { %s16 v; %s s[16]; } r%u;\n    r%u.v = l16.%s;\n",
                          type, type, k, k, field.name);
    }
    clfold_text_print(text, "    for (uint k = 0; k < 16; ++k) {\n");
    append_drawn_call(text, monoid, of, "", "s[k]");
    for (uint32_t k = 0; k < of->num; ++k) {
        struct field field = of->of(monoid, k);
        const struct scalar *scalar = clfold_scalar(field.type);
        clfold_text_print(text,
                          "    { clfold_%s s = l, v; v.%s = r%u.s[k];\n"
                          "    CLFOLD_COMPARE(%s, %s, CLFOLD_OF_%s + %u, %s) }\n",
                          of->gives, field.name, k, scalar->cl, field.name, of->name, k,
                          scalar->is_float && !is_exact ? "CLFOLD_ULPS" : "0");
    }
    clfold_text_print(text, "    }\n}\n");
}

static bool compares(const struct element_text *of)
{
    return of->text && !of->uses->lanes;
}

void clfold_append_compared(struct text *text, const struct monoid *monoid)
{
    static const char *const names[NUM_TEXTS] = { "LOADED", "WRITTEN", "KEPT" };

    for (int i = 0; i < NUM_TEXTS; ++i) {
        const struct element_text of = clfold_element_text(monoid, i);
        clfold_text_print(text, "#define CLFOLD_COMPARE_%s %d\n", names[i],
                          compares(&of));
    }
}

void clfold_append_comparisons(struct text *text, const struct monoid *monoid)
{
    for (int i = 0; i < NUM_TEXTS; ++i) {
        const struct element_text of = clfold_element_text(monoid, i);
        if (compares(&of)) {
            append_comparison(text, monoid, &of);
        }
    }
}
