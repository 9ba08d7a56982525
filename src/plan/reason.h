/*
 * Why a call is done as it is, for people: what clfold_explain says of a plan.
 *
 *   asked for by name: tiles are folded, then scanned behind their prefixes; the policy
 *   takes scan_lookback; tile_vector by policy "cpu"; moves 3.00 times the input
 *
 * A sentence is made of parts, what matters most in front. A part that has no room is
 * left out whole, so nothing is ever cut; with the numbers of real calls all have room.
 */
#ifndef CLFOLD_PLAN_REASON_H
#define CLFOLD_PLAN_REASON_H

#include "plan/reduce_plan.h"
#include "plan/scan_plan.h"
#include "plan/verdict.h"

/* That of clfold_report.reason. */
#define CLFOLD_REASON_SIZE 256

/* Who chose the algorithm. */
enum chooser { CHOSEN_BY_POLICY, CHOSEN_BY_NAME, CHOSEN_BY_VARIABLE };

struct reduce_reason {
    const struct reduce_plan *plan;
    const struct monoid *monoid;
    enum chooser chooser;
    bool dropped; /* a better tile does not build */
};
void clfold_reduce_reason(char reason[CLFOLD_REASON_SIZE],
                          const struct reduce_reason *of);

struct scan_reason {
    const struct scan_plan *plan;
    const struct monoid *monoid;
    uint64_t count;
    enum chooser chooser;
    enum scan_algorithm policy; /* what it takes; asked only where it did not choose */
    bool dropped;
    /* Of look-back. */
    const char *given_up; /* why it is not, where the policy wanted it; or NULL */
    bool unproven;        /* the device was not probed yet */
    const struct findings *findings; /* NULL where nobody asked */
};
void clfold_scan_reason(char reason[CLFOLD_REASON_SIZE], const struct scan_reason *of);

#endif
