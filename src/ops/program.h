/* Chooses the program of a call among its candidates. */
#ifndef CLFOLD_OPS_PROGRAM_H
#define CLFOLD_OPS_PROGRAM_H

#include "ops/request.h"

/* Finds or builds the first program that builds of the candidates, of which there is at
 * least one; *chosen is its number. A user's fold whose widths differ has none on
 * vectors. CLFOLD_ERROR_BUILD: none builds; the caller reports clfold_program_error of
 * the last one, unless it has another algorithm; there is no program if the only one is
 * out because of its widths. */
clfold_status clfold_program_choose(clfold_context *context, const struct site *site,
                                    const struct request *request,
                                    const struct candidate *candidates, uint32_t num,
                                    uint32_t *chosen, struct program **program);

/* The number of the first program that has not failed to build, or of the last one, and
 * whether that fails too. *program is NULL if it was not built yet. Counts nothing. */
uint32_t clfold_program_foresee(clfold_context *context, const struct interned *fold,
                                const struct candidate *candidates, uint32_t num,
                                struct program **program, bool *fails);

#endif
