/* The scalar types that the header enumerates, as hosts, devices and people see them. */
#ifndef CLFOLD_PLAN_SCALAR_H
#define CLFOLD_PLAN_SCALAR_H

#include <clfold/clfold.h>

#include <stdbool.h>

struct scalar {
    const char *name;             /* "f32" */
    const char *cl;               /* "float" */
    const char *lowest, *highest; /* in OpenCL C: the identities of max and min */
    size_t size;                  /* in bytes */
    bool is_float, is_signed;
};

/* NULL if it is not a valid type. */
const struct scalar *clfold_scalar(clfold_type type);

/* Its name, or "an unknown type". */
const char *clfold_scalar_name(clfold_type type);

/* False where it is not a valid type. */
static inline bool clfold_is_float(clfold_type type)
{
    const struct scalar *scalar = clfold_scalar(type);

    return scalar && scalar->is_float;
}

/* The integer type of so many bytes. */
clfold_type clfold_integer(size_t size, bool is_signed);

/* Whether every value of `from` is one of `to`. */
bool clfold_type_holds(clfold_type to, clfold_type from);

#endif
