#include "plan/reason.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

_Static_assert(CLFOLD_REASON_SIZE == sizeof(((clfold_report *)0)->reason), "one size");

/* ---- Sentences --------------------------------------------------------------------- */

struct sentence {
    char *text;
    size_t length;
};

/* Appends a part, or leaves it out if it does not fit. */
CLFOLD_PRINTF(2, 3)
static void add(struct sentence *sentence, const char *format, ...)
{
    char part[CLFOLD_REASON_SIZE];
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(part, sizeof(part), format, args);
    va_end(args);
    if (length > 0 && sentence->length + (size_t)length < CLFOLD_REASON_SIZE) {
        memcpy(sentence->text + sentence->length, part, (size_t)length + 1);
        sentence->length += (size_t)length;
    }
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static const char *const chosen[] = {
    [CHOSEN_BY_POLICY] = "",
    [CHOSEN_BY_NAME] = "asked for by name: ",
    [CHOSEN_BY_VARIABLE] = "named by CLFOLD_SCAN: ",
};

/* The tile, and where its numbers come from. */
static void add_tile(struct sentence *sentence, const char *separator,
                     enum tile_kind kind, const char *row, const char *dropped)
{
    const char *since = dropped ? ", since " : "", *why = dropped ? dropped : "";

    if (strcmp(row, "tuned") == 0) {
        add(sentence, "%s%s by the tuning file%s%s", separator, clfold_tile_name(kind),
            since, why);
    } else {
        add(sentence, "%s%s by policy \"%s\"%s%s", separator, clfold_tile_name(kind), row,
            since, why);
    }
}

/* ---- Segments ---------------------------------------------------------------------- */

static bool is_cut(const struct plan *plan)
{
    return plan->kind == TAKES_ROWS || plan->kind == TAKES_COLUMNS;
}

/* How many, if there are any. */
static void add_segments(struct sentence *sentence, const struct plan *plan)
{
    const struct cut *cut = &plan->cut;

    if (is_cut(plan)) {
        add(sentence, "%llu %s%s of %llu item%s, ", (unsigned long long)cut->num_segments,
            plan->kind == TAKES_ROWS ? "row" : "column", plural(cut->num_segments),
            (unsigned long long)cut->segments.length, plural(cut->segments.length));
    }
}

static void add_lanes(struct sentence *sentence, const struct plan *plan)
{
    add(sentence, "a lane each, %u side by side", plan->shape.tile.elements);
    if (plan->cut.runs > 1) {
        add(sentence, ", cut into runs of %llu", (unsigned long long)plan->cut.run);
    }
}

/* The policy's choice, where it did not decide. */
static void add_policy(struct sentence *sentence, const struct reason *reason)
{
    if (reason->chooser != CHOSEN_BY_POLICY &&
        reason->policy != reason->plan->shape.algorithm) {
        add(sentence, "; the policy takes %s", clfold_algorithm_name(reason->policy));
    }
}

/* ---- Reductions -------------------------------------------------------------------- */

static void add_launches(struct sentence *sentence, const struct plan *plan)
{
    if (plan->joins) {
        add(sentence, ", in one launch, whose last group folds their partials");
    } else if (plan->num_launches == 1) {
        add(sentence, ", in one launch");
    } else if (plan->num_launches == 2) {
        add(sentence, ", and a launch that folds their partials");
    } else {
        add(sentence, ", and %u launches that fold their partials",
            plan->num_launches - 1);
    }
}

static void add_groups(struct sentence *sentence, const struct plan *plan)
{
    const struct grid *grid = &plan->grid;

    add(sentence, ": %llu group%s of lanes with %llu item%s each",
        (unsigned long long)plan->num_groups, plural(plan->num_groups),
        (unsigned long long)grid->items, plural(grid->items));
    if (grid->cut) {
        add(sentence, ", the most at once here");
    }
    add_launches(sentence, plan);
}

static void add_reduction(struct sentence *sentence, const struct reason *reason)
{
    const struct plan *plan = reason->plan;
    const struct tile_shape *tile = &plan->shape.tile;
    bool is_rung = clfold_algorithm_row(plan->shape.algorithm)->is_rung;

    add(sentence, "%s", chosen[reason->chooser]);
    add_segments(sentence, plan);
    if (plan->shape.algorithm == REDUCE_LANES) {
        add_lanes(sentence, plan);
    } else if (plan->kind == TAKES_OFFSETS) {
        add(sentence, "%s%llu segments by %s, in %llu piece%s of %llu elements and ends",
            plan->shape.use.found ? "up to " : "",
            (unsigned long long)plan->cut.num_segments, clfold_use_way(&plan->shape.use),
            (unsigned long long)plan->cut.num_runs, plural(plan->cut.num_runs),
            (unsigned long long)plan->cut.run);
        if (plan->shape.use.found) {
            add(sentence, ", once their offsets are found");
        }
    } else if (!plan->has_grid) {
        add(sentence,
            "%llu item%s a work-item, so every launch leaves a partial for each group of "
            "%u until one is left",
            (unsigned long long)plan->items, plural(plan->items), tile->group_size);
    } else {
        if (is_rung) {
            add(sentence, "groups of %u", tile->group_size);
        } else {
            add_tile(sentence, "", tile->kind, plan->row, reason->dropped);
        }
        add_groups(sentence, plan);
    }
    add_policy(sentence, reason);
    if (!is_rung && !plan->has_grid) {
        add_tile(sentence, "; ", tile->kind, plan->row, reason->dropped);
    }
    if (!reason->monoid->commutative) {
        add(sentence, "; order is kept, since %s does not commute", reason->monoid->name);
    }
    if (plan->has_grid && !is_cut(plan)) {
        /* Brent's rule in numbers. */
        add(sentence, "; %llu lanes fill the device, each for %llu item%s or more",
            (unsigned long long)plan->grid.saturating,
            (unsigned long long)plan->grid.least, plural(plan->grid.least));
    }
}

/* ---- Scans ------------------------------------------------------------------------- */

static const char *const methods[CLFOLD_ALGORITHMS] = {
    [SCAN_SINGLE_GROUP] = "one group takes all tiles in turn, in one launch",
    [SCAN_THEN_PROPAGATE] = "tiles are scanned, then combined with their prefixes",
    [REDUCE_THEN_SCAN] = "tiles are folded, then scanned with their prefixes",
    [SCAN_LOOKBACK] = "in one launch tiles look back for prefixes",
    [SCAN_CHAINED] = "in one launch tiles wait for the one before",
};

/* The result of the probe for the best tier that was tried. */
static void add_fate(struct sentence *sentence, const struct reason *reason)
{
    const struct findings *findings = reason->findings;

    if (!findings || reason->obstacle != OBSTACLE_TIER) {
        return;
    }
    for (int t = MEMORY_NONE + 1; t < CLFOLD_MEMORY_TIERS; ++t) {
        if (findings->fates[t] > FATE_NOT_OFFERED) {
            add(sentence, " (%s %s)", clfold_memory((enum memory_tier)t)->name,
                clfold_fate_name(findings->fates[t]));
            return;
        }
    }
    add(sentence, " (it offers none)");
}

static void add_cause(struct sentence *sentence, const struct reason *reason)
{
    enum algorithm algorithm = reason->plan->shape.algorithm;
    bool is_whole = !is_cut(reason->plan);

    if (reason->plan->count == 0) {
        add(sentence, "there is nothing to scan: ");
    } else if (reason->chooser != CHOSEN_BY_POLICY) {
        return;
    } else if (algorithm == SCAN_SINGLE_GROUP) {
        add(sentence, is_whole ? "the count is small: " : "many or small: ");
    } else if (reason->obstacle == OBSTACLE_NONE) {
        add(sentence, is_whole ? "the count is large: " : "few and long: ");
    } else {
        add(sentence, "look-back is out, %s", clfold_obstacle_text(reason->obstacle));
        add_fate(sentence, reason);
        add(sentence, ": ");
    }
}

static void add_method(struct sentence *sentence, const struct reason *reason)
{
    const struct plan *plan = reason->plan;
    enum algorithm algorithm = plan->shape.algorithm;

    if (algorithm == SCAN_SINGLE_GROUP && is_cut(plan)) {
        add(sentence, "one group takes all tiles of a row in turn");
    } else if (algorithm == SCAN_SINGLE_GROUP && plan->num_launches > 1) {
        add(sentence, "one group takes all tiles in turn, in %u launches",
            plan->num_launches);
    } else {
        add(sentence, "%s", methods[algorithm]);
    }
    if (plan->shape.window > 1) {
        add(sentence, ", %u at a time", plan->shape.window);
    }
    if (clfold_looks_back(algorithm) && reason->unproven) {
        add(sentence, ", if a probe finds memory for it");
    }
}

/* Whether a call in place takes another algorithm, or fails. */
static bool differs_in_place(const struct reason *reason)
{
    return clfold_looks_back(reason->plan->shape.algorithm) && !reason->unproven &&
           !reason->plan->shape.fences;
}

/* How segments are given. */
static void add_heads(struct sentence *sentence, const struct reason *reason)
{
    const uint32_t heads = reason->plan->shape.use.lifted;

    if (heads) {
        add(sentence, "; segments by %s, %s", clfold_way_name(heads),
            heads == CLFOLD_BY_OFFSETS ? "which it turns into bits"
                                       : "which it reads beside the elements");
    }
}

static void add_kept(struct sentence *sentence, const struct reason *reason)
{
    if (reason->monoid->keeps_scan) {
        add(sentence, "; what is kept is found first, and written %s",
            reason->monoid->writes_places ? "without a scan" : "by a second scan");
    }
}

static void add_scan(struct sentence *sentence, const struct reason *reason)
{
    const struct plan *plan = reason->plan;
    double in = (double)plan->count * plan->read_size;

    add(sentence, "%s", plan->count > 0 ? chosen[reason->chooser] : "");
    add_segments(sentence, plan);
    if (plan->shape.algorithm == SCAN_LANES) {
        add_lanes(sentence, plan);
    } else {
        add_cause(sentence, reason);
        add_method(sentence, reason);
    }
    add_policy(sentence, reason);
    add_tile(sentence, "; ", plan->shape.tile.kind, plan->row, reason->dropped);
    add_heads(sentence, reason);
    add_kept(sentence, reason);
    if (differs_in_place(reason)) {
        add(sentence, "; in place %s, lacking fences",
            reason->chooser == CHOSEN_BY_POLICY ? clfold_algorithm_name(REDUCE_THEN_SCAN)
                                                : "rejected");
    }
    if (in > 0) {
        add(sentence, "; moves %.2f times the input", (double)reason->moved / in);
    }
}

/* ---- Maps -------------------------------------------------------------------------- */

static void add_map(struct sentence *sentence, const struct reason *reason)
{
    const struct plan *plan = reason->plan;

    add(sentence, "%seach element by itself, %llu a group", chosen[reason->chooser],
        (unsigned long long)plan->cut.run);
    add_tile(sentence, "; ", plan->shape.tile.kind, plan->row, reason->dropped);
}

/* ---- By one work-item -------------------------------------------------------------- */

static void add_serial(struct sentence *sentence, const struct reason *reason)
{
    uint32_t num = reason->plan->num_launches;

    add(sentence, "%sone work-item takes all elements in turn, in %u launch%s",
        chosen[reason->chooser], num, num == 1 ? "" : "es");
    add(sentence, "; the policy takes %s", clfold_algorithm_name(reason->policy));
    add_heads(sentence, reason);
}

static void (*const adders[])(struct sentence *sentence, const struct reason *reason) = {
    [FAMILY_REDUCE] = add_reduction,
    [FAMILY_SCAN] = add_scan,
    [FAMILY_ANY] = add_serial,
    [FAMILY_MAP] = add_map,
};

void clfold_reason(char text[CLFOLD_REASON_SIZE], const struct reason *reason)
{
    struct sentence sentence = { .text = text };

    text[0] = '\0';
    adders[clfold_algorithm_row(reason->plan->shape.algorithm)->family](&sentence,
                                                                        reason);
    if (clfold_use_has(&reason->plan->shape.use, FACET_COUNT_AT)) {
        add(&sentence, "; the count is a bound");
    }
}
