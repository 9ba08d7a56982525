/*
 * The search for better numbers: pure, since it asks its world for the time and for the
 * cost of a call.
 *
 *   default --duel--> starts --duels--> descent, a number at a time --> final duel
 *
 * A duel times two sets of numbers in turns, as pair.h has it. The descent takes what
 * looks a little better in a few rounds. The best candidate replaces the default only if
 * it wins a final duel of many rounds by more than noise.
 */
#ifndef CLFOLD_COMMAND_TUNE_SEARCH_H
#define CLFOLD_COMMAND_TUNE_SEARCH_H

#include "pair.h"
#include "tune_row.h"

/* What may be tried. */
struct tune_space {
    /* bytes of output of the least count of the class and of the greatest, for
     * stream_bytes */
    uint64_t least_bytes, most_bytes;
    struct tuned_numbers policy; /* the default's */
};

enum { TUNE_VALUES = 24 };

/* The values of a number worth a try beside others, ascending, among them the one that
 * `at` has; returns how many there are. Fewer than two: there is nothing to choose.
 * `prepare` rejects values that the device does not take. */
uint32_t tune_values(const struct tune_space *space, const struct tuned_numbers *at,
                     enum tuned which, uint64_t values[TUNE_VALUES]);

/* The functions that the search calls. `numbers` without any in their set are the
 * default. */
struct tune_world {
    void *user;
    /* Seconds of a clock. */
    double (*now)(void *user);
    /* Gets ready to time these numbers, which may take a build; false: they will not do,
     * or make no other call than `than`, if that is not NULL. */
    bool (*prepare)(void *user, const struct tuned_numbers *numbers,
                    const struct tuned_numbers *than);
    /* The seconds of one call; negative: it failed. */
    double (*time)(void *user, const struct tuned_numbers *numbers);
    /* Whether the result is the default's. */
    bool (*check)(void *user, const struct tuned_numbers *numbers);
};

enum tune_outcome {
    TUNE_UNDECIDED, /* there was no time to try anything */
    TUNE_DEFAULT,   /* nothing is better */
    TUNE_NOISE,     /* nothing is known to be better: noise leaves it open */
    TUNE_BETTER,
    TUNE_FAILED /* the default's own call failed */
};

enum { TUNE_SOME = 10 };

struct tune_result {
    enum tune_outcome outcome;
    struct tuned_numbers policy;  /* the default's */
    struct tuned_numbers numbers; /* of TUNE_BETTER */
    /* medians, of the final duel where there was one; 0: not timed */
    double default_seconds, tuned_seconds;
    struct pair_ratio ratio; /* of the final duel; zero: there was none */
    double enough; /* seconds, of all, in which about TUNE_SOME sets could be tried */
    uint32_t tried, wrong; /* sets of numbers; `wrong` gave another result */
    bool previous_tried;
};

/* Whether the fold's row is the result's from now on, or none. False: there was no time
 * to try anything, so that a row that is there, even one that another process has put
 * there meanwhile, has not lost to anything, and stays. */
bool tune_decided(const struct tune_result *result);

/* Searches for at most `seconds`, unless the default's first calls take longer.
 * `previous`, the result of an earlier search, and `hint`, the best numbers of a similar
 * fold, are tried first, and `other`, the policy's other candidate, after the descent.
 * NULL: there is none. */
void tune_search(struct tune_result *result, const struct tune_world *world,
                 const struct tune_space *space, const struct tuned_numbers *previous,
                 const struct tuned_numbers *hint, const struct tuned_numbers *other,
                 double seconds);

#endif
