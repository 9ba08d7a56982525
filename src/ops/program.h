/* The programs of a call: of the first of its candidates that has them all. */
#ifndef CLFOLD_OPS_PROGRAM_H
#define CLFOLD_OPS_PROGRAM_H

#include "ops/state.h"

/* What is found for a call: a plan, and the programs of its stages. */
struct planned {
    struct plan plan;
    struct program *programs[CLFOLD_MAX_STAGES]; /* NULL: it was not built yet */
    const struct program *failed;                /* one that does not build, or NULL */
    uint32_t dropped;         /* candidates that are known to fail, before the plan's */
    struct findings findings; /* of look-back */
};

/* Whose programs a stage's are. */
const struct interned *clfold_program_fold(const struct request *request,
                                           const struct stage *stage);

/* Plans by the first candidate whose programs build, of which there is at least one; the
 * plan is the first one's already. A user's fold whose widths differ has none on vectors.
 * CLFOLD_ERROR_BUILD: none builds; the caller reports clfold_program_error of the failed
 * one, unless it has another algorithm; there is none if the only candidate is out by its
 * widths. */
clfold_status clfold_program_choose(const struct request *request,
                                    const struct candidate *candidates, uint32_t num,
                                    struct planned *planned);

/* Plans by the first candidate whose programs have not failed to build, or by the last
 * one. PROGRAM_READY: all are there; PROGRAM_EMPTY: not all; PROGRAM_FAILED: the last one
 * fails, too. Counts nothing, builds nothing. */
enum program_state clfold_program_foresee(const struct request *request,
                                          const struct candidate *candidates,
                                          uint32_t num, struct planned *planned);

#endif
