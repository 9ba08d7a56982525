/* The two widths of a user's texts. */
#ifndef CLFOLD_OPS_WIDTHS_H
#define CLFOLD_OPS_WIDTHS_H

#include "ops/state.h"

/* Finds out whether a user's fold gives the same at both widths, once for each fold. The
 * fold's `widths` and `why` say so. */
clfold_status clfold_widths_check(const struct request *request);

/* Whether the fold is known not to run on this tile. */
static inline bool clfold_widths_forbid(const struct interned *fold,
                                        const struct candidate *candidate)
{
    return candidate->shape.tile.kind == TILE_VECTOR && fold->is_user &&
           atomic_load(&fold->widths) == WIDTHS_DIFFER;
}

#endif
