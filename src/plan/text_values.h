/*
 * The values that texts about an element see and give: how many members each has, their
 * names and types.
 */
#ifndef CLFOLD_PLAN_TEXT_VALUES_H
#define CLFOLD_PLAN_TEXT_VALUES_H

#include "plan/monoid.h"

struct field {
    const char *name;
    clfold_type type; /* 0: opaque */
};

/* Members of x, of what a load gives, of an item, what is written. */
static inline uint32_t clfold_num_x(const struct monoid *monoid)
{
    return monoid->x_is_item ? monoid->num_components : monoid->num_scalars;
}

static inline uint32_t clfold_num_loaded(const struct monoid *monoid)
{
    return monoid->loaded ? monoid->num_loaded : monoid->num_components;
}

static inline uint32_t clfold_num_written(const struct monoid *monoid)
{
    return monoid->out ? monoid->num_out : clfold_monoid_num_results(monoid);
}

/* Member k of these; an item is as a result's text sees it. */
struct field clfold_x_field(const struct monoid *monoid, uint32_t k);
struct field clfold_loaded_field(const struct monoid *monoid, uint32_t k);
struct field clfold_value_field(const struct monoid *monoid, uint32_t k);
struct field clfold_written_field(const struct monoid *monoid, uint32_t k);

const char *clfold_stream_name(clfold_type element);

/* A text about an element: the function clfold_text_LOAD, which gives a clfold_loaded. */
struct element_text {
    const char *name, *gives; /* "LOAD", "loaded" */
    const char *line, *text;  /* "load", and the caller's; NULL: there is none */
    const struct uses *uses;
    uint32_t num; /* fields of what it gives */
    struct field (*of)(const struct monoid *monoid, uint32_t k);
};
enum { TEXT_LOAD, TEXT_RESULT, TEXT_KEEP, NUM_TEXTS };
struct element_text clfold_element_text(const struct monoid *monoid, int which);

/* A parameter of a text: a struct of `num` fields, or one value. */
struct parameter {
    const char *name, *type;
    uint32_t num;
    struct field (*of)(const struct monoid *monoid, uint32_t k); /* NULL: a stream's */
};

#define CLFOLD_MAX_PARAMETERS (3 + CLFOLD_MAX_ARGS)

/* The parameters of a text: items, x, streams; returns how many. */
uint32_t clfold_list_parameters(struct parameter parameters[CLFOLD_MAX_PARAMETERS],
                                const struct monoid *monoid, const struct uses *uses);
/* The type of part k of a parameter, and how many there are. */
const char *clfold_parameter_type(const struct monoid *monoid, const struct parameter *p,
                                  uint32_t k);
static inline uint32_t clfold_parameter_parts(const struct parameter *p)
{
    return p->of ? p->num : 1;
}

#endif
