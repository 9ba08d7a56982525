#include "ops/program.h"

#include "ops/widths.h"

clfold_status clfold_program_choose(clfold_context *context, const struct site *site,
                                    const struct request *request,
                                    const struct candidate *candidates, uint32_t num,
                                    uint32_t *chosen, struct program **program)
{
    struct interned *fold = request->fold;
    clfold_status status = CLFOLD_ERROR_BUILD;
    bool found = true;

    *program = NULL;
    for (uint32_t i = 0; i < num && status == CLFOLD_ERROR_BUILD; ++i) {
        if (candidates[i].shape.tile.kind == TILE_VECTOR) {
            clfold_status checked = clfold_widths_check(context, site, request);
            if (checked) {
                return checked;
            }
        }
        if (clfold_widths_forbid(fold, &candidates[i])) {
            continue;
        }
        status = clfold_cache_find(&context->cache, site, fold, &candidates[i].shape,
                                   program, &found);
        *chosen = i;
    }
    clfold_cache_count(&context->cache, found && status == CLFOLD_OK);
    return status;
}

uint32_t clfold_program_foresee(clfold_context *context, const struct interned *fold,
                                const struct candidate *candidates, uint32_t num,
                                struct program **program, bool *fails)
{
    uint32_t i = 0;

    for (;; ++i) {
        *program = NULL;
        *fails = clfold_widths_forbid(fold, &candidates[i]) ||
                 clfold_cache_peek(&context->cache, fold, &candidates[i].shape,
                                   program) == PROGRAM_FAILED;
        if (!*fails || i + 1 == num) {
            return i;
        }
    }
}
