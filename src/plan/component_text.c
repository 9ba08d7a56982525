/* The components of a fold of the caller's, as it declares them. */
#include "plan/user_fold.h"
#include "plan/user_text.h"

#include <string.h>

#define BLANKS " \t\r\n"

static clfold_status reject_components(const struct site *site, const char *components,
                                       const char *at, const char *why)
{
    return REJECT(site, "components: %s at character %zu of \"%s\"", why,
                  (size_t)(at - components) + 1, components);
}

/* A name of a component, and a type before it unless a comma goes on with the last. */
static const char *take_component(const char **at, struct component *component,
                                  clfold_type *type, char name[CLFOLD_NAME_SIZE])
{
    size_t length;

    *at += strspn(*at, BLANKS);
    if (*type == 0) {
        length = clfold_name_length(*at);
        *type = clfold_name_type(*at, length);
        if (*type == 0) {
            return "not a scalar type of OpenCL C, such as uint or float,";
        }
        *at += length;
        *at += strspn(*at, BLANKS);
    }
    length = clfold_name_length(*at);
    if (length == 0) {
        return "no name";
    }
    if (length >= CLFOLD_NAME_SIZE) {
        return "a name of more than 63 characters";
    }
    if (clfold_name_is_clfolds(*at)) {
        return "a name that is reserved";
    }
    if (clfold_name_is_cl(*at, length)) {
        const char *next = *at + length;
        const bool is_type = clfold_name_type(*at, length) &&
                             clfold_name_length(next + strspn(next, BLANKS)) > 0;
        return is_type ? "a type, before which a \";\" goes," : CLFOLD_IS_CL;
    }
    memcpy(name, *at, length);
    name[length] = '\0';
    *component = clfold_plain(name, *type, NULL, NULL);
    return NULL;
}

clfold_status clfold_read_components(struct monoid *monoid, const struct site *site,
                                     const char *components,
                                     struct component_names *names)
{
    const char *at = components, *why;
    clfold_type type = 0;
    uint32_t num = 0;
    bool more = components != NULL;

    while (more) {
        const char *start = at + strspn(at, BLANKS);
        if (num == CLFOLD_MAX_COMPONENTS) {
            return reject_components(site, components, start, "a fifth component");
        }
        if ((why =
                 take_component(&at, &monoid->components[num], &type, names->of[num]))) {
            return reject_components(site, components, at, why);
        }
        for (uint32_t k = 0; k < num; ++k) {
            if (strcmp(names->of[k], names->of[num]) == 0) {
                return reject_components(site, components, at, "a name that is taken");
            }
        }
        at += clfold_name_length(at);
        at += strspn(at, BLANKS);
        ++num;
        if (*at == ';') {
            type = 0;
        } else if (*at != ',' && *at != '\0') {
            return reject_components(site, components, at,
                                     "neither a comma nor a semicolon");
        }
        more = *at == ',' || (*at == ';' && at[1 + strspn(at + 1, BLANKS)] != '\0');
        at += *at != '\0';
    }
    monoid->num_components = num;
    return CLFOLD_OK;
}
