#ifndef CLFOLD_PLAN_WIDTHS_TEXT_H
#define CLFOLD_PLAN_WIDTHS_TEXT_H

#include "base/text.h"
#include "plan/monoid.h"

/* Whether there are clfold_compare_loaded and its kin, of widths.cl; and these. */
void clfold_append_compared(struct text *text, const struct monoid *monoid);
void clfold_append_comparisons(struct text *text, const struct monoid *monoid);

#endif
