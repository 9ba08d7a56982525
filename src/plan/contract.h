/* The part of a program that docs/kernels.md lists: macros of the host, and words
 * with a dollar sign in files of cl/. */
#ifndef CLFOLD_PLAN_CONTRACT_H
#define CLFOLD_PLAN_CONTRACT_H

#include "plan/kernel_texts.h"
#include "plan/plan.h"

/* The macros of a program; and the probe's, of which `said` are words a round. */
void clfold_append_contract(struct text *text, const struct monoid *monoid,
                            const struct shape *shape);
void clfold_append_probe_contract(struct text *text, enum memory_tier tier, bool fences,
                                  uint32_t said);

/* A file; lines about a component are repeated for each one. `monoid`: NULL: no lines
 * are. */
void clfold_append_lines(struct text *text, const struct clfold_kernel_text *file,
                         const struct monoid *monoid);

#endif
