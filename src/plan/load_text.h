/*
 * The text of a load, from an element of the buffer to a stage: what the components are
 * of an element, and a caller's own expression of it, at both widths.
 *
 *   element     x; streams y, ...     by load.cl, and 16 at once by load_vector.cl
 *   loaded      clfold_text_load: the caller's expression, a function of values
 *   stage       components of that
 */
#ifndef CLFOLD_PLAN_LOAD_TEXT_H
#define CLFOLD_PLAN_LOAD_TEXT_H

#include "base/text.h"
#include "plan/user_fold.h"

#define CLFOLD_SOURCE_SIZE 256

/* What a component is of an element in the buffer, s, or of the `loaded` values, l; or of
 * 16. */
void clfold_print_source(char source[CLFOLD_SOURCE_SIZE], const struct monoid *monoid,
                         const struct component *component, bool is_loaded, bool is_wide);

/* "x", or "x.a" where it has more members than one. */
void clfold_print_x(char x[CLFOLD_NAME_SIZE + 8], const struct monoid *monoid,
                    uint32_t k);

/* Whether halves are read as F32; and the type of scalars in the buffer. */
bool clfold_reads_halves(const struct monoid *monoid);
const char *clfold_in_name(const struct monoid *monoid);

/* CLFOLD_LOAD and its kin; nothing where there is no load. */
void clfold_append_load_contract(struct text *text, const struct monoid *monoid);

/* clfold_x, clfold_loaded and clfold_text_load, with the suffix "" or "16". */
void clfold_append_load(struct text *text, const struct monoid *monoid,
                        const char *suffix);

/* clfold_compare_load, of widths.cl. */
void clfold_append_load_comparison(struct text *text, const struct monoid *monoid);

#endif
