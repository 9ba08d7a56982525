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

/* Members of x, of what a load gives, of an item, what is written, whether it is kept. */
uint32_t clfold_num_x(const struct monoid *monoid);
uint32_t clfold_num_loaded(const struct monoid *monoid);
uint32_t clfold_num_written(const struct monoid *monoid);
struct field clfold_x_field(const struct monoid *monoid, uint32_t k);
struct field clfold_loaded_field(const struct monoid *monoid, uint32_t k);
struct field clfold_value_field(const struct monoid *monoid, uint32_t k);
struct field clfold_written_field(const struct monoid *monoid, uint32_t k);
struct field clfold_kept_field(const struct monoid *monoid, uint32_t k);

const char *clfold_stream_name(clfold_type element);

/* A parameter of a text: a struct of `num` fields, or one value. */
struct parameter {
    const char *name, *type; /* NULL: a struct's is CLFOLD_X or CLFOLD_VALUE */
    uint32_t num;
    struct field (*of)(const struct monoid *monoid, uint32_t k);
};

#define CLFOLD_MAX_PARAMETERS (3 + CLFOLD_MAX_ARGS)

/* The parameters of a text that uses these; returns how many. */
uint32_t clfold_list_parameters(struct parameter parameters[CLFOLD_MAX_PARAMETERS],
                                const struct monoid *monoid, const struct uses *uses,
                                bool has_item);
/* The type of part k of a parameter, and how many there are. */
const char *clfold_parameter_type(const struct monoid *monoid, const struct parameter *p,
                                  uint32_t k);
uint32_t clfold_parameter_parts(const struct parameter *p);

#endif
