#include "ops/program.h"

#include "ops/widths.h"

const struct interned *clfold_program_fold(const struct request *request,
                                           const struct stage *stage)
{
    return stage->is_shared ? request->context->shared : request->fold;
}

/* Of a plan's stages, all or up to one that fails. */
static clfold_status find_all(const struct request *request, struct planned *planned,
                              bool *found)
{
    clfold_status status = CLFOLD_OK;

    for (uint32_t s = 0; status == CLFOLD_OK && s < planned->plan.num_stages; ++s) {
        const struct stage *stage = &planned->plan.stages[s];
        status = clfold_cache_find(&request->context->cache, request->site,
                                   clfold_program_fold(request, stage), &stage->shape,
                                   &planned->programs[s], found);
        planned->failed = status == CLFOLD_ERROR_BUILD ? planned->programs[s] : NULL;
    }
    return status;
}

clfold_status clfold_program_choose(const struct request *request,
                                    const struct candidate *candidates, uint32_t num,
                                    struct planned *planned)
{
    clfold_status status = CLFOLD_ERROR_BUILD, checked;
    bool found = true;

    for (uint32_t i = 0; i < num && status == CLFOLD_ERROR_BUILD; ++i) {
        if (candidates[i].shape.tile.kind == TILE_VECTOR &&
            (checked = clfold_widths_check(request))) {
            return checked;
        }
        if (clfold_widths_forbid(request->fold, &candidates[i])) {
            continue;
        }
        /* Tiles that do not build are replaced by others. */
        if (i > 0) {
            clfold_plan_init(&planned->plan, &request->job, &candidates[i]);
        }
        status = find_all(request, planned, &found);
    }
    clfold_cache_count(&request->context->cache, found && status == CLFOLD_OK);
    return status;
}

enum program_state clfold_program_foresee(const struct request *request,
                                          const struct candidate *candidates,
                                          uint32_t num, struct planned *planned)
{
    enum program_state all;

    for (uint32_t i = 0;; ++i) {
        clfold_plan_init(&planned->plan, &request->job, &candidates[i]);
        planned->dropped = i;
        planned->failed = NULL;
        all = clfold_widths_forbid(request->fold, &candidates[i]) ? PROGRAM_FAILED
                                                                  : PROGRAM_READY;
        for (uint32_t s = 0; all != PROGRAM_FAILED && s < planned->plan.num_stages; ++s) {
            const struct stage *stage = &planned->plan.stages[s];
            const enum program_state one = clfold_cache_peek(
                &request->context->cache, clfold_program_fold(request, stage),
                &stage->shape, &planned->programs[s]);
            all = one == PROGRAM_READY ? all : one;
            planned->failed = one == PROGRAM_FAILED ? planned->programs[s] : NULL;
        }
        if (all != PROGRAM_FAILED || i + 1 == num) {
            return all;
        }
    }
}
