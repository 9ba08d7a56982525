/* A fold as a value. */
#include "ops/check.h"
#include "plan/user_fold.h"

#include <stdio.h>

clfold_fold clfold_builtin(clfold_op op, clfold_type type)
{
    return (clfold_fold){ .op = op, .type = type };
}

static clfold_status make_monoid(struct monoid *monoid, const struct site *site,
                                 const clfold_fold *fold, struct component_names *names)
{
    return fold->op && !fold->load
               ? clfold_monoid_init(monoid, site, fold->op, fold->type,
                                    fold->in ? fold->in : fold->type)
               : clfold_monoid_user(monoid, site, fold, names);
}

clfold_status clfold_fold_layout(const clfold_fold *fold, clfold_layout *layout)
{
    struct site site = clfold_site(NULL, fold, "clfold_fold_layout");
    struct component_names names;
    struct monoid monoid;
    clfold_status status;

    if (!fold || !layout) {
        return clfold_fail(&site, CLFOLD_ERROR_ARGUMENT, "%s is NULL",
                           fold ? "layout" : "fold");
    }
    if ((status = make_monoid(&monoid, &site, fold, &names))) {
        return status;
    }
    *layout = (clfold_layout){
        .in_size = clfold_monoid_in_size(&monoid),
        .out_size = clfold_monoid_out_size(&monoid),
        .num_fields = monoid.num_components,
    };
    for (uint32_t k = 0; k < monoid.num_components; ++k) {
        clfold_field *field = &layout->fields[k];
        field->type = monoid.components[k].result;
        field->offset = clfold_monoid_out_offset(&monoid, k);
        field->size = clfold_monoid_result_size(&monoid, k);
        snprintf(field->name, sizeof(field->name), "%s", monoid.components[k].name);
    }
    return CLFOLD_OK;
}
