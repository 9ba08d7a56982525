/* The program of a call, among the candidates that would do. */
#ifndef CLFOLD_OPS_PROGRAM_H
#define CLFOLD_OPS_PROGRAM_H

#include "ops/context.h"

/* What a program is made of. Everything that changes its text is in its key: the monoid,
 * the tile and the numbers. */
struct program_spec {
    const struct monoid *monoid;
    struct tile_shape tile;
    clfold_operation operation;
    uint32_t algorithm;
    uint32_t variant[2]; /* what else the text depends on */
    void (*assemble)(struct text *text, const void *data);
    const void *data; /* with the monoid and the shape */
    const char *const *names;
    uint32_t num_kernels;
};

/* Finds or builds the first program that builds; *chosen is its number. With none the
 * last one's failure is the call's. */
clfold_status clfold_program_choose(clfold_context *context, const struct site *site,
                                    const struct program_spec *specs, uint32_t num,
                                    uint32_t *chosen, struct program **program);

/* The number of the first program that is not known not to build, or of the last. */
uint32_t clfold_program_foresee(clfold_context *context, const struct program_spec *specs,
                                uint32_t num);

#endif
