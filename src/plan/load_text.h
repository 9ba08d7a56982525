/*
 * The texts about one element, at both widths: from an element of the buffer to a stage,
 * and from an item to what is written. A caller's expression is a function of values.
 *
 *   element     x; streams y, ...     by element.cl, and 16 at once by vectors.cl
 *   loaded      clfold_text_LOAD      of x, y, ...: the components, or scalars for them
 *   stage       components of that
 *   item        item, prev            as the caller knows them, clfold_value
 *   written     clfold_text_RESULT    of these and x, y, ...: by write.cl
 */
#ifndef CLFOLD_PLAN_LOAD_TEXT_H
#define CLFOLD_PLAN_LOAD_TEXT_H

#include "plan/operator_text.h"
#include "plan/user_fold.h"

#define CLFOLD_SOURCE_SIZE 256

/* What a component is of an element in the buffer, s, or of the `loaded` values, l; or of
 * 16. */
void clfold_print_source(char source[CLFOLD_SOURCE_SIZE], const struct monoid *monoid,
                         const struct component *component, bool is_loaded, bool is_wide);

/* "x", or "x.a" where it has more members than one. */
void clfold_print_x(char x[CLFOLD_NAME_SIZE + 8], const struct monoid *monoid,
                    uint32_t k);

/* "value", or "value.a". */
void clfold_print_value(char value[CLFOLD_NAME_SIZE + 8], const struct monoid *monoid,
                        uint32_t k);

/* Whether halves are read as F32; and the type of scalars in the buffer. */
static inline bool clfold_reads_halves(const struct monoid *monoid)
{
    return monoid->in == CLFOLD_F16 && monoid->value != CLFOLD_F16;
}

const char *clfold_in_name(const struct monoid *monoid);

/* CLFOLD_LOAD, CLFOLD_WRITES and what belongs to them. */
void clfold_append_element_contract(struct text *text, const struct monoid *monoid,
                                    const struct use *use);

clfold_append clfold_append_element;   /* clfold_x, if an element has several members */
clfold_append clfold_append_load;      /* clfold_loaded and clfold_text_LOAD */
clfold_append clfold_append_value;     /* clfold_value, if an item has several members */
clfold_append clfold_append_own_value; /* what an item is for the caller's own kernels */
clfold_append clfold_append_keep;      /* clfold_kept and clfold_text_KEEP */
clfold_append clfold_append_result;    /* clfold_written and clfold_text_RESULT */

#endif
