/* Every fold of the library's and of the caller's, on tiles, for a check of its own. */
#ifndef CLFOLD_TESTS_EVERY_FOLD_H
#define CLFOLD_TESTS_EVERY_FOLD_H

#include "trial.h"

/* Of a trial that has its fold and tile; `turn` is another one for each. */
typedef void check_fold(struct trial trial, size_t turn);

/* Operators on pairs that take turns, on these tiles: one in `each` of them all. */
void every_operator(const struct debug *tiles, size_t num_tiles, size_t each,
                    check_fold *check);

/* Folds by text on small tiles, one in three; without `of_elements`, only those whose
 * results belong to no element. */
void every_fold_by_text(bool of_elements, check_fold *check);

/* Whether a fold of the caller's runs on a tile. */
bool subject_runs_on(const struct subject *subject, const struct debug *tile);

/* A number below `num`. */
static inline size_t draw(uint64_t *seed, size_t num)
{
    return (next_random(seed) >> 20) % num;
}

/* A type of flags, keys or offsets that the device has. */
clfold_type draw_head_type(uint32_t by, uint64_t *seed);

/* Checks the trial at offsets that are drawn, in place where it can be. */
void check_somewhere(struct trial trial, uint64_t *seed);

#endif
