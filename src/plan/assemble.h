/*
 * The only writer of program text. A program is
 *
 *   #define lines          the contract of cl/contract.cl
 *   contract.cl            checks it, and makes the types
 *   the operator           the monoid's text, a function a width
 *   result.cl              how a result is written
 *   tile_vector.cl or tile_group.cl, and reduce_tiles.cl; or reduce_ladder.cl
 *
 * and every part begins with #line, so that a build log names its true file.
 */
#ifndef CLFOLD_PLAN_ASSEMBLE_H
#define CLFOLD_PLAN_ASSEMBLE_H

#include "base/text.h"
#include "plan/monoid.h"
#include "plan/reduce_plan.h"

/* Appends the text; text->failed tells of memory that ran out. */
void clfold_assemble_reduce(struct text *text, const struct monoid *monoid,
                            const struct reduce_shape *shape);

#endif
