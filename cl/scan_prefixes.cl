/*
 * The middle launch of the strategies that keep a total for each run: turns the totals of
 * a segment into prefixes, in place, as scan_tiles.cl draws it. A work-item takes a block
 * at a time, and one for each segment makes the anchors from the left.
 *
 *   items     totals, prefixes . . . | carry | of the next segment . . . | anchors . . .
 *             one a run, and one more         (columns: `width` apart)    one a block,
 *                                                              where blocks have two runs
 *
 * A group takes `each` segments. A launch takes `num_blocks` blocks of each, and passes
 * the carry on.
 *
 * needs: contract.cl, count.cl, segments.cl, element.cl
 */
/* Where the item of run i is, where a segment has one more than runs. */
static ulong clfold_item_place(ulong i, ulong width, ulong runs)
{
    return i < runs * width ? i : i + i / (runs * width) * width;
}

/* The items of a segment, and where its anchors are. */
typedef struct {
    global clfold_item *items, *anchors;
    ulong runs;
} clfold_totals;

static clfold_totals clfold_totals_of(global clfold_item *items, ulong s,
                                      ulong num_segments, ulong num_runs,
                                      CLFOLD_CUT_PARAMS)
{
    const ulong block = width == 1 ? s : s / width, column = s - block * width;
    const ulong begin = block * length * width + column;
    clfold_totals totals;

    totals.runs =
        width == 1 ? (min(length, count - begin) + lead + run - 1) / run : runs;
    totals.items = items + block * (runs + 1) * width + column;
    totals.anchors = CLFOLD_ANCHOR == 1
                         ? totals.items
                         : items + num_runs + num_segments +
                               s * ((runs + CLFOLD_ANCHOR - 1) / CLFOLD_ANCHOR);
    return totals;
}
#define CLFOLD_TOTALS_OF(s)                                                              \
    clfold_totals_of(items, s, num_segments, num_runs, CLFOLD_CUT)

CLFOLD_KERNEL void
clfold_scan_prefixes(global clfold_item *items, ulong most_count, ulong width,
                     ulong length, ulong runs, ulong run, ulong lead, ulong num_runs,
                     ulong most_num_segments, ulong each, ulong first_block,
                     ulong num_blocks, CLFOLD_TOTAL_PARAMS,
                     CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    const ulong count = clfold_true_count(most_count CLFOLD_PASS);
    const ulong num_segments = clfold_true_runs(most_num_segments, count, run, lead, 0);
    const uint l = (uint)get_local_id(0);
    const ulong from = get_group_id(0) * each, to = min(from + each, num_segments);
#if CLFOLD_ANCHOR > 1
    const ulong blocks =
        min(num_blocks, (runs + CLFOLD_ANCHOR - 1) / CLFOLD_ANCHOR - first_block);

    /* The prefix of the last run of each block. In memory, not in a variable: Intel's
     * CPU runtime 2026.2 vectorises that loop and reorders a sum of floats. */
    for (ulong i = from * blocks + l; i < to * blocks; i += CLFOLD_GROUP_SIZE) {
        const clfold_totals totals = CLFOLD_TOTALS_OF(i / blocks);
        const ulong b = first_block + i % blocks, begin = b * CLFOLD_ANCHOR;
        const ulong last = min(begin + CLFOLD_ANCHOR, totals.runs) - 1;
        if (begin >= totals.runs)
            continue;
        totals.anchors[b] = totals.items[begin];
        for (ulong t = begin + 1; t < last; ++t)
            totals.anchors[b] =
                clfold_combine(totals.anchors[b], totals.items[t] CLFOLD_PASS);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
#endif
    if (CLFOLD_COUNT_AT && num_segments == 0 && first_block == 0 && l == 0)
        clfold_finish(clfold_init(CLFOLD_INIT_ARGS), !clfold_init_from, has_total,
                      total_out, total_index CLFOLD_PASS);
    for (ulong s = from + l; s < to; s += CLFOLD_GROUP_SIZE) {
        const clfold_totals totals = CLFOLD_TOTALS_OF(s);
        const ulong stop = min((first_block + num_blocks) * CLFOLD_ANCHOR, totals.runs);
        const ulong step = CLFOLD_ANCHOR > 1 ? 1 : width;
        clfold_item carry = clfold_init(CLFOLD_INIT_ARGS);
        if (first_block > 0)
            carry = clfold_taken(totals.items[totals.runs * step]);
        for (ulong begin = first_block * CLFOLD_ANCHOR; begin < stop;
             begin += CLFOLD_ANCHOR) {
            global clfold_item *const anchor =
                totals.anchors + begin / CLFOLD_ANCHOR * step;
            const ulong last = min(begin + CLFOLD_ANCHOR, totals.runs) - 1;
            const clfold_item before = clfold_taken(carry);
            bool empty = begin == 0 && !clfold_init_from;
            if (last > begin) {
                const clfold_item total = clfold_taken(*anchor);
                carry = clfold_taken(empty ? total
                                           : clfold_combine(carry, total CLFOLD_PASS));
                empty = false;
            }
            const clfold_item total = clfold_taken(totals.items[last * step]);
            carry =
                clfold_taken(empty ? total : clfold_combine(carry, total CLFOLD_PASS));
            *anchor = before;
        }
        totals.items[totals.runs * step] = carry;
        if (s + 1 == num_segments && stop == totals.runs)
            clfold_finish(carry, false, has_total, total_out, total_index CLFOLD_PASS);
    }
#if CLFOLD_ANCHOR > 1
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (ulong i = from * blocks + l; i < to * blocks; i += CLFOLD_GROUP_SIZE) {
        const clfold_totals totals = CLFOLD_TOTALS_OF(i / blocks);
        const ulong b = first_block + i % blocks, begin = b * CLFOLD_ANCHOR;
        const ulong stop = min(begin + CLFOLD_ANCHOR, totals.runs);
        if (begin >= totals.runs)
            continue;
        const bool has_anchor = b > 0 || clfold_init_from;
        const clfold_item anchor = clfold_taken(totals.anchors[b]);
        clfold_item partial = clfold_taken(totals.items[begin]);
        totals.items[begin] = anchor;
        for (ulong t = begin + 1; t < stop; ++t) {
            const clfold_item total = clfold_taken(totals.items[t]);
            totals.items[t] = clfold_taken(
                has_anchor ? clfold_combine(anchor, partial CLFOLD_PASS) : partial);
            partial = clfold_combine(partial, total CLFOLD_PASS);
        }
    }
#endif
}
