/*
 * The middle launch of scans whose segments are cut into runs: turns the folds of a
 * segment's runs into prefixes, in place, a segment for each work-item.
 *
 *   items of a segment, `width` apart      t0   t1   t2   -
 *   become                                 i    it0  i01  i012       i = init
 *
 * The one after the last run's is the carry, too: a launch takes `num` runs of each
 * segment from `first` on.
 *
 * needs: contract.cl, result.cl, segments.cl
 * names: clfold_combine
 */

/* Where the item of run i is: a segment has one more than runs. */
static ulong clfold_item_place(ulong i, CLFOLD_CUT_PARAMS)
{
    return runs == 1 ? 0 : i + i / (runs * width) * width;
}

CLFOLD_KERNEL void
clfold_segment_prefixes(global clfold_item *items, CLFOLD_CUT_PARAMS, ulong num_segments,
                        ulong first, ulong num, CLFOLD_TOTAL_PARAMS,
                        CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    const ulong s = get_group_id(0) * CLFOLD_GROUP_SIZE + get_local_id(0);

    if (s < num_segments) {
        const ulong block = s / width, column = s - block * width;
        const ulong mine = clfold_runs_of(block * length * width + column, CLFOLD_CUT);
        global clfold_item *own = items + block * (runs + 1) * width + column;
        const ulong stop = min(first + num, mine);
        clfold_item carry = clfold_init(CLFOLD_INIT_ARGS);
        bool has = first > 0 || clfold_init_from;
        if (first > 0)
            carry = clfold_taken(own[mine * width]);
        for (ulong r = first; r < stop; ++r) {
            const clfold_item total = clfold_taken(own[r * width]);
            if (has) {
                own[r * width] = carry;
                carry = clfold_taken(clfold_combine(carry, total CLFOLD_PASS));
            } else
                carry = total;
            has = true;
        }
        own[mine * width] = carry;
        if (has_total && s + 1 == num_segments && stop == mine)
            clfold_store(carry, total_out, total_index);
    }
}
