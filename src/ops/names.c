/* The names and sizes that the header promises, from the tables of plan/. */
#include <clfold/experimental.h>
#include "plan/operation.h"
#include "plan/scalar.h"

#include <stddef.h>

const char *clfold_type_name(clfold_type type)
{
    const struct scalar *scalar = clfold_scalar(type);

    return scalar ? scalar->name : NULL;
}

size_t clfold_type_size(clfold_type type)
{
    const struct scalar *scalar = clfold_scalar(type);

    return scalar ? scalar->size : 0;
}

const char *clfold_operation_algorithm(clfold_operation operation, uint32_t index)
{
    const struct operation *row = clfold_operation_row(operation);

    for (int a = 0; row && a <= MAP_TILES; ++a) {
        if (clfold_algorithm_serves((enum algorithm)a, row->family) &&
            clfold_algorithm_takes((enum algorithm)a, TAKES_WHOLE) &&
            (!row->selects || clfold_algorithm_row((enum algorithm)a)->selects) &&
            index-- == 0) {
            return clfold_algorithm_name((enum algorithm)a);
        }
    }
    return NULL;
}
