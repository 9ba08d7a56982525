/*
 * The only writer of program text. A program is
 *
 *   #define lines          the contract of cl/contract.cl
 *   contract.cl            checks it, and makes the types
 *   the operator           the monoid's text, a function a width
 *   result.cl              how a result is written
 *   reductions: tile_vector.cl or tile_group.cl, and reduce_tiles.cl; or reduce_ladder.cl
 *   scans: scan_tiles.cl, tile_vector.cl and tile_vector_scan.cl or group_scan.cl and
 *       tile_group_scan.cl, scan_prefixes.cl or scan_totals.cl, for look-back memory.cl,
 *       descriptor.cl, scan_trace.cl if traced, look_window.cl, look_back.cl, and the
 *       strategy's file
 *   the probe, without an operator: memory.cl and probe.cl
 *
 * and every part begins with #line, so that a build log names its true file.
 */
#ifndef CLFOLD_PLAN_ASSEMBLE_H
#define CLFOLD_PLAN_ASSEMBLE_H

#include "base/text.h"
#include "plan/monoid.h"
#include "plan/plan.h"

/* Appends the text; text->failed is set if memory ran out. A file or a word that does not
 * exist becomes an #error that names it. */
void clfold_assemble(struct text *text, const struct monoid *monoid,
                     const struct shape *shape);

/* The probe's two kernels, clfold_probe_words and clfold_probe_turns, on a memory tier.
 * `said`: words a round; `instead`: text after memory.cl, for tests; or NULL. */
void clfold_assemble_probe(struct text *text, enum memory_tier tier, bool fences,
                           uint32_t said, const char *instead);

/* One kernel, clfold_group_scans(global const clfold_item *in, global clfold_item *out,
 * ulong count): each group scans its items alone, for tests and benches. */
void clfold_assemble_group_scan(struct text *text, const struct monoid *monoid,
                                enum group_scan kind, uint32_t group_size);

#endif
