/* What needs no context: a fold as a value, its layout, an operation's algorithms. */
#include <clfold/experimental.h>
#include "ops/check.h"
#include "plan/user_fold.h"

#include <stdio.h>

clfold_fold clfold_builtin(clfold_op op, clfold_type type)
{
    return (clfold_fold){ .op = op, .type = type };
}

static clfold_status make_monoid(struct monoid *monoid, const struct site *site,
                                 const clfold_fold *fold, uint64_t bits,
                                 struct component_names *names)
{
    clfold_status status;

    if (!clfold_fold_is_plain(fold, bits)) {
        return clfold_monoid_user(monoid, site, fold, names);
    }
    status = clfold_monoid_init(monoid, site, fold->op, fold->type,
                                fold->in ? fold->in : fold->type);
    return status ? status : clfold_monoid_set_accuracy(monoid, site, fold->accuracy);
}

clfold_status clfold_fold_layout(const clfold_fold *fold, clfold_layout *layout)
{
    struct site site = clfold_site(NULL, fold, "clfold_fold_layout");
    struct component_names names;
    struct monoid monoid;
    clfold_status status;
    uint64_t bits;

    if (!fold || !layout) {
        return REJECT(&site, "%s is NULL", fold ? "layout" : "fold");
    }
    if ((status = clfold_check_content(&site, 0, fold, &bits)) ||
        (status = make_monoid(&monoid, &site, fold, bits, &names)) ||
        (status = clfold_check_values(&site, fold, &monoid))) {
        return status;
    }
    *layout = (clfold_layout){
        .in_size = clfold_monoid_in_size(&monoid),
        .out_size = clfold_monoid_out_size(&monoid),
        .num_fields = clfold_monoid_num_results(&monoid),
        .carry_size = clfold_monoid_carry_size(&monoid),
    };
    for (uint32_t k = 0; k < layout->num_fields; ++k) {
        clfold_field *field = &layout->fields[k];
        field->type = clfold_monoid_result_type(&monoid, k);
        field->offset = clfold_monoid_out_offset(&monoid, k);
        field->size = clfold_monoid_result_size(&monoid, k);
        snprintf(field->name, sizeof(field->name), "%s",
                 clfold_monoid_result_name(&monoid, k));
    }
    return CLFOLD_OK;
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
