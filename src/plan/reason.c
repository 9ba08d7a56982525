#include "plan/reason.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

_Static_assert(CLFOLD_REASON_SIZE == sizeof(((clfold_report *)0)->reason), "one size");

/* ---- Sentences --------------------------------------------------------------------- */

struct sentence {
    char *text;
    size_t length;
    const struct reason *reason; /* what it says */
    const struct stage *stage;   /* the main one */
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
static void add_tile(struct sentence *sentence, const char *separator)
{
    const struct stage *stage = sentence->stage;
    const char *tile = clfold_tile_name(stage->shape.tile.kind);
    const char *dropped = sentence->reason->dropped;
    const char *since = dropped ? ", since " : "", *why = dropped ? dropped : "";

    if (strcmp(stage->row, "tuned") == 0) {
        add(sentence, "%s%s by the tuning file%s%s", separator, tile, since, why);
    } else {
        add(sentence, "%s%s by policy \"%s\"%s%s", separator, tile, stage->row, since,
            why);
    }
}

/* ---- Segments ---------------------------------------------------------------------- */

static bool is_cut(const struct stage *stage)
{
    return stage->kind == TAKES_ROWS || stage->kind == TAKES_COLUMNS;
}

/* How many, if there are any. */
static void add_segments(struct sentence *sentence)
{
    const struct cut *cut = &sentence->stage->cut;

    if (is_cut(sentence->stage)) {
        add(sentence, "%llu %s%s of %llu item%s, ", (unsigned long long)cut->num_segments,
            sentence->stage->kind == TAKES_ROWS ? "row" : "column",
            plural(cut->num_segments), (unsigned long long)cut->segments.length,
            plural(cut->segments.length));
    }
}

static void add_lanes(struct sentence *sentence)
{
    const struct stage *stage = sentence->stage;

    add(sentence, "a lane each, %u side by side", stage->shape.tile.elements);
    if (stage->cut.runs > 1) {
        add(sentence, ", cut into runs of %llu", (unsigned long long)stage->cut.run);
    }
}

/* The policy's choice, where it did not decide. */
static void add_policy(struct sentence *sentence)
{
    const struct reason *reason = sentence->reason;

    if (reason->chooser != CHOSEN_BY_POLICY &&
        reason->policy != sentence->stage->shape.algorithm) {
        add(sentence, "; the policy takes %s", clfold_algorithm_name(reason->policy));
    }
}

/* ---- Reductions -------------------------------------------------------------------- */

static void add_groups(struct sentence *sentence)
{
    const struct stage *stage = sentence->stage;
    const struct grid *grid = &stage->grid;

    add(sentence, ": %llu group%s of lanes with %llu item%s each",
        (unsigned long long)stage->num_groups, plural(stage->num_groups),
        (unsigned long long)grid->items, plural(grid->items));
    if (grid->cut) {
        add(sentence, ", the most at once here");
    }
    if (stage->joins) {
        add(sentence, ", in one launch, whose last group folds their partials");
    } else if (stage->num_launches == 1) {
        add(sentence, ", in one launch");
    } else if (stage->num_launches == 2) {
        add(sentence, ", and a launch that folds their partials");
    } else {
        add(sentence, ", and %u launches that fold their partials",
            stage->num_launches - 1);
    }
}

static void add_reduction(struct sentence *sentence)
{
    const struct reason *reason = sentence->reason;
    const struct stage *stage = sentence->stage;
    const uint32_t group_size = stage->shape.tile.group_size;
    bool is_rung = clfold_algorithm_row(stage->shape.algorithm)->is_rung;
    const bool found = reason->by < CLFOLD_BY_OFFSETS;

    add(sentence, "%s", chosen[reason->chooser]);
    add_segments(sentence);
    if (stage->shape.algorithm == REDUCE_LANES) {
        add_lanes(sentence);
    } else if (stage->kind == TAKES_OFFSETS) {
        add(sentence, "%s%llu segments by %s, in %llu piece%s of %llu elements and ends",
            found ? "up to " : "", (unsigned long long)stage->cut.num_segments,
            clfold_way_name(reason->by), (unsigned long long)stage->cut.num_runs,
            plural(stage->cut.num_runs), (unsigned long long)stage->cut.run);
        if (found) {
            add(sentence, ", once their offsets are found");
        }
    } else if (!stage->has_grid) {
        add(sentence,
            "%llu item%s a work-item, so every launch leaves a partial for each group of "
            "%u until one is left",
            (unsigned long long)stage->items, plural(stage->items), group_size);
    } else {
        if (is_rung) {
            add(sentence, "groups of %u", group_size);
        } else {
            add_tile(sentence, "");
        }
        add_groups(sentence);
    }
    add_policy(sentence);
    if (!is_rung && !stage->has_grid) {
        add_tile(sentence, "; ");
    }
    if (!reason->monoid->commutative) {
        add(sentence, "; order is kept, since %s does not commute", reason->monoid->name);
    }
    if (stage->has_grid && !is_cut(stage)) {
        /* Brent's rule in numbers. */
        add(sentence, "; %llu lanes fill the device, each for %llu item%s or more",
            (unsigned long long)stage->grid.saturating,
            (unsigned long long)stage->grid.least, plural(stage->grid.least));
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
static void add_fate(struct sentence *sentence)
{
    const struct findings *findings = sentence->reason->findings;

    if (!findings || sentence->reason->obstacle != OBSTACLE_TIER) {
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

static void add_cause(struct sentence *sentence)
{
    const struct reason *reason = sentence->reason;
    enum algorithm algorithm = sentence->stage->shape.algorithm;
    bool is_whole = !is_cut(sentence->stage);

    if (sentence->stage->count == 0) {
        add(sentence, "there is nothing to scan: ");
    } else if (reason->chooser != CHOSEN_BY_POLICY) {
        return;
    } else if (algorithm == SCAN_SINGLE_GROUP) {
        add(sentence, is_whole ? "the count is small: " : "many or small: ");
    } else if (reason->obstacle == OBSTACLE_NONE) {
        add(sentence, is_whole ? "the count is large: " : "few and long: ");
    } else {
        add(sentence, "look-back is out, %s", clfold_obstacle_text(reason->obstacle));
        add_fate(sentence);
        add(sentence, ": ");
    }
}

static void add_method(struct sentence *sentence)
{
    const struct stage *stage = sentence->stage;
    enum algorithm algorithm = stage->shape.algorithm;

    if (algorithm == SCAN_SINGLE_GROUP && is_cut(stage)) {
        add(sentence, "one group takes all tiles of a row in turn");
    } else if (algorithm == SCAN_SINGLE_GROUP && stage->num_launches > 1) {
        add(sentence, "one group takes all tiles in turn, in %u launches",
            stage->num_launches);
    } else {
        add(sentence, "%s", methods[algorithm]);
    }
    if (stage->shape.window > 1) {
        add(sentence, ", %u at a time", stage->shape.window);
    }
    if (clfold_looks_back(algorithm) && sentence->reason->unproven) {
        add(sentence, ", if a probe finds memory for it");
    }
}

/* How segments are given. */
static void add_heads(struct sentence *sentence)
{
    const uint32_t heads = sentence->stage->shape.use.way;

    if (heads) {
        add(sentence, "; segments by %s, %s", clfold_way_name(heads),
            heads == CLFOLD_BY_OFFSETS ? "which it turns into bits"
                                       : "which it reads beside the elements");
    }
}

static void add_scan(struct sentence *sentence)
{
    const struct reason *reason = sentence->reason;
    const struct stage *stage = sentence->stage;
    double in = (double)stage->count * stage->read_size;

    add(sentence, "%s", stage->count > 0 ? chosen[reason->chooser] : "");
    add_segments(sentence);
    if (stage->shape.algorithm == SCAN_LANES) {
        add_lanes(sentence);
    } else {
        add_cause(sentence);
        add_method(sentence);
    }
    add_policy(sentence);
    add_tile(sentence, "; ");
    add_heads(sentence);
    if (reason->monoid->keeps_scan) {
        add(sentence, "; what is kept is found first, and written %s",
            reason->monoid->writes_places ? "without a scan" : "by a second scan");
    }
    /* A call in place takes another algorithm, or fails. */
    if (clfold_looks_back(stage->shape.algorithm) && !reason->unproven &&
        !stage->shape.fences) {
        add(sentence, "; in place %s, lacking fences",
            reason->chooser == CHOSEN_BY_POLICY ? clfold_algorithm_name(REDUCE_THEN_SCAN)
                                                : "rejected");
    }
    if (in > 0) {
        add(sentence, "; moves %.2f times the input", (double)reason->moved / in);
    }
}

/* ---- Maps -------------------------------------------------------------------------- */

static void add_map(struct sentence *sentence)
{
    add(sentence, "%s%s, %llu a group", chosen[sentence->reason->chooser],
        clfold_operation_row(sentence->reason->operation)->takes,
        (unsigned long long)sentence->stage->cut.run);
    add_tile(sentence, "; ");
}

/* ---- By one work-item -------------------------------------------------------------- */

static void add_serial(struct sentence *sentence)
{
    const struct reason *reason = sentence->reason;
    uint32_t num = sentence->stage->num_launches;

    add(sentence, "%sone work-item takes all elements in turn, in %u launch%s",
        chosen[reason->chooser], num, num == 1 ? "" : "es");
    add(sentence, "; the policy takes %s", clfold_algorithm_name(reason->policy));
    add_heads(sentence);
}

static void (*const adders[])(struct sentence *sentence) = {
    [FAMILY_REDUCE] = add_reduction,
    [FAMILY_SCAN] = add_scan,
    [FAMILY_ANY] = add_serial,
    [FAMILY_MAP] = add_map,
};

void clfold_reason(char text[CLFOLD_REASON_SIZE], const struct reason *reason)
{
    const struct plan *plan = reason->plan;
    const struct shape *main = &clfold_plan_main(plan)->shape;
    struct sentence sentence = { text, 0, reason, clfold_plan_main(plan) };

    text[0] = '\0';
    adders[clfold_algorithm_row(main->algorithm)->family](&sentence);
    if (plan->num_stages > 1) {
        const bool are_more = plan->num_stages > 2;
        add(&sentence, "; stages %s, %s%s%s",
            clfold_algorithm_name(plan->stages[0].shape.algorithm),
            clfold_algorithm_name(plan->stages[1].shape.algorithm), are_more ? ", " : "",
            are_more ? clfold_algorithm_name(plan->stages[2].shape.algorithm) : "");
    }
    if (clfold_use_has(&main->use, FACET_COUNT_AT)) {
        add(&sentence, "; the count is a bound");
    }
}
