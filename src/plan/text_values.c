#include "plan/text_values.h"

#include "plan/operator_text.h"

static const char *const scalars[] = { "x", "y", "z", "w" };

struct field clfold_x_field(const struct monoid *monoid, uint32_t k)
{
    const struct component *component = &monoid->components[k];

    return monoid->x_is_item ? (struct field){ component->name, component->result }
                             : (struct field){ scalars[k], monoid->value };
}

struct field clfold_loaded_field(const struct monoid *monoid, uint32_t k)
{
    static const char *const names[] = { "s0", "s1", "s2", "s3" };

    return monoid->loaded ? (struct field){ names[k], monoid->loaded }
                          : (struct field){ monoid->components[k].name,
                                            monoid->components[k].stage };
}

struct field clfold_value_field(const struct monoid *monoid, uint32_t k)
{
    return (struct field){ clfold_monoid_result_name(monoid, k),
                           clfold_monoid_result_type(monoid, k) };
}

/* Halves are written from F32. */
struct field clfold_written_field(const struct monoid *monoid, uint32_t k)
{
    return monoid->out
               ? (struct field){ scalars[k],
                                 monoid->out == CLFOLD_F16 ? CLFOLD_F32 : monoid->out }
               : clfold_value_field(monoid, k);
}

/* A stream of halves is one of F32. */
const char *clfold_stream_name(clfold_type element)
{
    return clfold_cl_name(element == CLFOLD_F16 ? CLFOLD_F32 : element);
}

/* Whether an item is kept, as -1 or 0: a byte, whatever it is compared with. */
static struct field kept_field(const struct monoid *monoid, uint32_t k)
{
    (void)monoid, (void)k;
    return (struct field){ "kept", CLFOLD_I8 };
}

struct element_text clfold_element_text(const struct monoid *monoid, int which)
{
    const struct element_text texts[NUM_TEXTS] = {
        { "LOAD", "loaded", "load", monoid->load, &monoid->loads,
          clfold_num_loaded(monoid), clfold_loaded_field },
        { "RESULT", "written", monoid->stores ? "store" : "result", monoid->result,
          &monoid->writes, clfold_num_written(monoid), clfold_written_field },
        { "KEEP", "kept", monoid->keeps_runs ? "same" : "keep", monoid->keep,
          &monoid->keeps, 1, kept_field },
    };

    return texts[which];
}

uint32_t clfold_list_parameters(struct parameter parameters[CLFOLD_MAX_PARAMETERS],
                                const struct monoid *monoid, const struct uses *uses)
{
    uint32_t num = 0;
    const bool has_item = uses != &monoid->loads;
    const bool are_runs = monoid->keeps_runs && uses == &monoid->keeps;

    if (has_item) {
        parameters[num++] =
            (struct parameter){ are_runs ? "b" : "item", "CLFOLD_VALUE",
                                clfold_monoid_num_results(monoid), clfold_value_field };
    }
    if (has_item && uses->prev) {
        parameters[num++] =
            (struct parameter){ are_runs ? "a" : "prev", "CLFOLD_VALUE",
                                clfold_monoid_num_results(monoid), clfold_value_field };
    }
    if (uses->x) {
        parameters[num++] =
            (struct parameter){ "x", "CLFOLD_X", clfold_num_x(monoid), clfold_x_field };
    }
    for (uint32_t k = 0; k < monoid->num_args; ++k) {
        if (monoid->arg_elements[k] && uses->args & 1u << k) {
            parameters[num++] = (struct parameter){
                .name = monoid->arg_names[k],
                .type = clfold_stream_name(monoid->arg_elements[k]),
            };
        }
    }
    return num;
}

const char *clfold_parameter_type(const struct monoid *monoid, const struct parameter *p,
                                  uint32_t k)
{
    return p->of ? clfold_cl_name(p->of(monoid, k).type) : p->type;
}
