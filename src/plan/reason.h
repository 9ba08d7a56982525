/*
 * Explains a plan in a sentence, for clfold_explain.
 *
 *   asked for by name: tiles are folded, then scanned with their prefixes; the policy
 *   takes scan_lookback; tile_vector by policy "cpu"; moves 3.00 times the input
 *
 * A sentence is made of parts, the most important first. A part that does not fit is left
 * out, so none is ever cut; in real calls all fit.
 */
#ifndef CLFOLD_PLAN_REASON_H
#define CLFOLD_PLAN_REASON_H

#include "plan/plan.h"
#include "plan/verdict.h"

/* That of clfold_report.reason. */
#define CLFOLD_REASON_SIZE 256

/* What chose the algorithm. */
enum chooser { CHOSEN_BY_POLICY, CHOSEN_BY_NAME, CHOSEN_BY_VARIABLE };

struct reason {
    const struct plan *plan;
    uint64_t moved; /* bytes, by clfold_plan_bytes */
    const struct monoid *monoid;
    clfold_operation operation;
    uint32_t by; /* CLFOLD_BY_FLAGS, ...: how segments are given that are not uniform */
    enum chooser chooser;
    enum algorithm policy; /* the policy's choice; set only where it did not decide */
    const char *dropped;   /* why a better tile is not used; NULL: there is none */
    /* Of look-back. */
    enum obstacle obstacle;          /* that the policy's look-back met */
    bool unproven;                   /* the device was not probed yet */
    const struct findings *findings; /* NULL if they were not fetched */
};
void clfold_reason(char text[CLFOLD_REASON_SIZE], const struct reason *reason);

#endif
