/* The scalar types that the header enumerates, as hosts, devices and people see them. */
#ifndef CLFOLD_PLAN_SCALAR_H
#define CLFOLD_PLAN_SCALAR_H

#include <clfold/clfold.h>

#include <stdbool.h>

struct scalar {
    const char *name;   /* "f32" */
    const char *cl;     /* "float" */
    const char *lowest; /* its least value in OpenCL C, an identity of max */
    size_t size;        /* in bytes */
    bool is_float;
};

/* NULL for what is no type. */
const struct scalar *clfold_scalar(clfold_type type);

/* Its name, or "an unknown type". */
const char *clfold_type_name(clfold_type type);

#endif
