#include "plan/grid.h"

#include "base/size.h"

static uint64_t log2_up(uint64_t n)
{
    uint64_t bits = 0;

    while (bits < 63 && UINT64_C(1) << bits < n) {
        ++bits;
    }
    return bits;
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
    return clfold_div_up(n, to) * to;
}

void clfold_grid_init(struct grid *grid, const struct grid_rule *rule, uint64_t count)
{
    uint64_t logarithm = log2_up(count);
    uint64_t least = logarithm > rule->least_items ? logarithm : rule->least_items;
    uint64_t lanes, groups;

    grid->cut = false;
    grid->saturating = rule->full * rule->lanes;
    grid->least = round_up(least > 0 ? least : 1, rule->vector);
    lanes = clfold_div_up(count, grid->least);
    lanes = lanes < grid->saturating ? lanes : grid->saturating;
    groups = lanes > 0 ? clfold_div_up(lanes, rule->lanes) : 1;
    grid->items = round_up(clfold_div_up(count, groups * rule->lanes), rule->vector);
    if (rule->most_items > 0 && grid->items > rule->most_items) {
        grid->items = rule->most_items;
        grid->cut = true;
    }
    /* Rounding items up may have left the last groups without any. */
    grid->groups = count > 0 ? clfold_div_up(count, rule->lanes * grid->items) : 1;
}
