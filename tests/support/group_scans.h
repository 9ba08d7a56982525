/* Scans inside a work-group, each alone, for tests and a bench: those of
 * cl/group_scan.cl, and the textbook's two of group_scans.cl. */
#ifndef CLFOLD_TESTS_GROUP_SCANS_H
#define CLFOLD_TESTS_GROUP_SCANS_H

#include "base/text.h"
#include "plan/monoid.h"
#include "plan/policy.h"

#include <stdint.h>

#define GROUP_SCAN_HILLIS_STEELE ((enum group_scan)(GROUP_SCAN_SUB_GROUP + 1))
#define GROUP_SCAN_BLELLOCH      ((enum group_scan)(GROUP_SCAN_SUB_GROUP + 2))

/* "raking", "sub_group", "hillis_steele", "blelloch". */
const char *group_scan_name(enum group_scan kind);

/* One kernel, clfold_group_scans(global const clfold_item *in, global clfold_item *out,
 * ulong count): each group scans its items alone. */
void assemble_group_scan(struct text *text, const struct monoid *monoid,
                         enum group_scan kind, uint32_t group_size);

#endif
