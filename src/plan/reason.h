/*
 * Why a call is done as it is, for people: what clfold_explain says of a plan.
 *
 *   asked for by name: tiles are folded, then scanned with their prefixes; the policy
 *   takes scan_lookback; tile_vector by policy "cpu"; moves 3.00 times the input
 *
 * A sentence is made of parts, what matters most in front. A part that has no room is
 * left out whole, so nothing is ever cut; with the numbers of real calls all have room.
 */
#ifndef CLFOLD_PLAN_REASON_H
#define CLFOLD_PLAN_REASON_H

#include "plan/plan.h"
#include "plan/verdict.h"

/* That of clfold_report.reason. */
#define CLFOLD_REASON_SIZE 256

/* Who chose the algorithm. */
enum chooser { CHOSEN_BY_POLICY, CHOSEN_BY_NAME, CHOSEN_BY_VARIABLE };

struct reason {
    const struct plan *plan;
    uint64_t moved; /* bytes, by clfold_plan_bytes */
    const struct monoid *monoid;
    enum chooser chooser;
    enum algorithm policy; /* what it takes; asked only where it did not choose */
    bool dropped;          /* a better tile does not build */
    /* Of look-back. */
    enum obstacle obstacle;          /* that the policy's look-back met */
    bool unproven;                   /* the device was not probed yet */
    const struct findings *findings; /* NULL where nobody asked */
};
void clfold_reason(char text[CLFOLD_REASON_SIZE], const struct reason *reason);

#endif
