/*
 * The only writer of program text. A program is
 *
 *   #define lines    the contract, which docs/kernels.md lists
 *   files of cl/     the algorithm's, after all files that it needs, as their heads say
 *   functions        of the fold, each before the first file that names it
 *
 * and every part begins with #line, so that a build log names its true file.
 */
#ifndef CLFOLD_PLAN_ASSEMBLE_H
#define CLFOLD_PLAN_ASSEMBLE_H

#include "base/text.h"
#include "plan/job.h"

/* Appends the text; text->failed is set if memory ran out. A file, a macro or a word that
 * does not exist becomes an #error that names it. */
void clfold_assemble(struct text *text, const struct monoid *monoid,
                     const struct shape *shape);

/* What clfold_group_text() hands out: group_text.cl, with the prefix in its names. */
void clfold_assemble_group(struct text *text, const struct monoid *monoid,
                           uint32_t group_size, const char *platform, const char *prefix);

/* The probe's two kernels, clfold_probe_words and clfold_probe_turns, on a memory tier.
 * `said`: words a round; `instead`: text after memory.cl, for tests; or NULL. */
void clfold_assemble_probe(struct text *text, enum memory_tier tier, bool fences,
                           uint32_t said, const char *instead);

#endif
