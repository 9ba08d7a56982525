/* The program of a call, among the candidates that would do. */
#ifndef CLFOLD_OPS_PROGRAM_H
#define CLFOLD_OPS_PROGRAM_H

#include "ops/chain.h"
#include "ops/context.h"

/* What a program is made of. Everything that changes its text is in its key: the monoid,
 * the tile and the numbers. */
struct program_spec {
    const struct monoid *monoid;
    struct tile_shape tile;
    clfold_operation operation;
    uint32_t algorithm;
    uint32_t variant[3]; /* what else the text depends on */
    void (*assemble)(struct text *text, const void *data);
    const void *data; /* with the monoid and the shape */
    const char *const *names;
    uint32_t num_kernels;
};

/* Finds or builds the first program that builds; *chosen is its number. With
 * CLFOLD_ERROR_BUILD there is none: the caller tells so by clfold_program_error of the
 * last one, unless it knows another way. */
clfold_status clfold_program_choose(clfold_context *context, const struct site *site,
                                    const struct program_spec *specs, uint32_t num,
                                    uint32_t *chosen, struct program **program);

/* The number of the first program that is not known not to build, or of the last; and
 * whether that fails too. *program is it if that is known, else NULL. Counts nothing. */
uint32_t clfold_program_foresee(clfold_context *context, const struct program_spec *specs,
                                uint32_t num, struct program **program, bool *fails);

/* What a call enqueues, once its program is there: `launch` has kernels and, for
 * scratch_bytes above 0, scratch of its own. */
struct launches {
    clfold_status (*launch)(struct chain *chain, const void *call, const void *plan,
                            struct kernels *kernels, const struct block *scratch,
                            bool wants_event);
    const void *call, *plan; /* as `launch` knows them */
    enum scratch_kind scratch_kind;
    size_t scratch_bytes;
};

/* Enqueues them. *event, if asked for, is the last one's, and the caller's. */
clfold_status clfold_program_launch(clfold_context *context, struct program *program,
                                    struct chain *chain, const struct launches *launches,
                                    cl_event *event);

#endif
