/* Every program text that can be emitted: for the dump that lint compiles, and for tests
 * that look at the texts themselves. */
#ifndef CLFOLD_TESTS_EVERY_TEXT_H
#define CLFOLD_TESTS_EVERY_TEXT_H

#include "plan/user_fold.h"
#include "plan/plan.h"

/* Calls `visit` with a name, "reduce_tiles_add_f32_f64_tile_vector_cpu", and the text:
 * each operator on each type, each pair of types, each tile, each rung, each scan of a
 * group. */
void every_text(void (*visit)(void *user, const char *name, const char *text),
                void *user);

#endif
