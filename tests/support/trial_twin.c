/* Sums that round: how far they may be off, and a call that must have the same bits. */
#include "trial_run.h"
#include "trial_text.h"

#include <clfold/experimental.h>
#include <math.h>
#include <string.h>

bool run_rounds(const struct trial *trial)
{
    return trial->rounds || trial->depth > 0;
}

/* Additions in a tile, of a work-item and of its group, and one a tile; by lanes, one a
 * work-item, or by offsets perhaps as many as there are elements. */
double run_depth(const struct run *run)
{
    const struct trial *trial = run->trial;
    const clfold_report *report = &run->report;
    const double count = (double)trial->count, most = count + (double)trial->spare;
    const double tile = (double)report->tile, group = (double)report->group_size;
    const bool is_group = policy_tile(trial->plan.tile) == TILE_GROUP && group > 1;
    const bool by_lanes = strstr(report->algorithm, "_lanes") != NULL;

    if (trial->depth > 0) {
        return trial->depth;
    }
    if (tile == 0 || strcmp(report->algorithm, "serial") == 0 || trial_finds(trial) ||
        (trial->by && trial_reduces(trial))) {
        return 64 + count;
    }
    const double depth = (is_group ? tile / group + group : tile / 4) + most / tile +
                         (by_lanes ? (double)trial->length : 0);
    return 64 + fmin(depth, count);
}

/* ---- The same bits ----------------------------------------------------------------- */

/* One in a program, so that there are not too many. */
static uint64_t seed_of(const struct trial *trial)
{
    return trial->plan.tile_elements + trial->plan.max_groups + trial->plan.anchor;
}

static bool twin_scan(const struct trial *trial, struct trial *twin)
{
    const uint64_t seed = seed_of(trial);

    if (trial->width || trial->plan.tile == TILE_NONE || trial_is_by(trial, "serial")) {
        return false;
    }
    if (!trial->by) {
        twin->operation = scan_of(seed % 2);
        twin->reverse = false;
        twin->mirrored = trial->reverse;
    }
    twin->total = TOTAL_APART;
    twin->in_place = !trial->in_place && trial->in_offset == trial->out_offset;
    twin->host = false;
    twin->in_shift = twin->out_shift = 0;
    twin->out_offset = trial->in_place ? trial->in_offset : trial->out_offset;
    for (size_t k = 0; k < SCAN_ALGORITHMS; ++k) {
        twin->algorithm = scan_algorithms[(seed / 2 + k) % SCAN_ALGORITHMS];
        if (strcmp(twin->algorithm, "serial") != 0 &&
            !trial_is_by(trial, twin->algorithm)) {
            twin->in_place &= trial_element_size(twin) == trial_result_size(twin);
            if (trial_is_valid(twin) && !left_out(twin)) {
                return true;
            }
        }
    }
    return false;
}

bool trial_twin(const struct trial *trial, struct trial *twin)
{
    *twin = *trial;
    twin->unknown = true;
    twin->disorder = !trial->disorder;
    twin->may_refuse = false;
    if (trial->unknown || trial->accuracy == CLFOLD_REPRODUCIBLE || trial->count == 0) {
        return false;
    }
    if (trial_scans(trial)) {
        return twin_scan(trial, twin);
    }
    twin->plan.max_groups = trial->plan.max_groups + 3;
    twin->lists = trial_finds(trial) && !trial->lists;
    return trial_reduces(trial) && trial->by && trial->plan.tile && trial_is_valid(twin);
}

/* What k elements give, in the order of the scan; NULL: that was not written. */
static const unsigned char *item_of(const struct run *run, size_t k)
{
    const struct trial *trial = run->trial;
    const bool is_exclusive = trial->operation == CLFOLD_EXCLUSIVE_SCAN;
    const struct store *out = run_out(run);

    if (is_exclusive ? k == trial->count : k == 0) {
        return is_exclusive && trial->total ? run_total(run) : NULL;
    }
    k -= !is_exclusive;
    return store_at(out, out->after, trial->reverse ? trial->count - 1 - k : k);
}

bool run_same_bits(const struct run *run, const struct run *twin, size_t *at)
{
    const size_t size = run->result, count = run->trial->count;
    const struct store *out = run_out(run), *other = run_out(twin);

    if (!trial_scans(run->trial)) {
        for (*at = 0; *at < run->num; ++*at) {
            if (memcmp(store_at(out, out->after, *at), store_at(other, other->after, *at),
                       size) != 0) {
                return false;
            }
        }
        return true;
    }
    for (*at = 0; *at <= count; ++*at) {
        const unsigned char *a = item_of(run, *at), *b = item_of(twin, *at);
        if (a && b && memcmp(a, b, size) != 0) {
            return false;
        }
    }
    return !run->trial->total || memcmp(run_total(run), run_total(twin), size) == 0;
}
