/* The program of a call, among the candidates that would do. */
#ifndef CLFOLD_OPS_PROGRAM_H
#define CLFOLD_OPS_PROGRAM_H

#include "ops/context.h"

/* Finds or builds the first program that builds; *chosen is its number. With
 * CLFOLD_ERROR_BUILD there is none: the caller reports that by clfold_program_error of
 * the last one, unless it knows another way. */
clfold_status clfold_program_choose(clfold_context *context, const struct site *site,
                                    const struct interned *fold,
                                    const struct candidate *candidates, uint32_t num,
                                    uint32_t *chosen, struct program **program);

/* The number of the first program that is not known not to build, or of the last; and
 * whether that fails too. *program is it if that is known, else NULL. Counts nothing. */
uint32_t clfold_program_foresee(clfold_context *context, const struct interned *fold,
                                const struct candidate *candidates, uint32_t num,
                                struct program **program, bool *fails);

#endif
