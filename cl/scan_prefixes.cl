/*
 * The middle launch of the strategies that keep a total for each tile: turns totals into
 * prefixes, in place, as scan_tiles.cl draws it. One group does, a work-item a block at a
 * time, and work-item 0 alone makes the anchors from the left.
 *
 *   items    totals, prefixes . . . | carry | anchors . . .
 *            num_tiles                 1     one a block, where blocks have two tiles
 *
 * A launch takes `num_blocks` blocks, and passes the carry on.
 *
 * needs: contract.cl, result.cl, tile_scan.cl
 * names: CLFOLD_ANCHOR, clfold_combine
 */
/* The prefixes of tile t and of the next one, for its scan. */
static void clfold_keep_prefixes(global const clfold_item *items, ulong t,
                                 clfold_room_pointer room)
{
    room->prefix = items[t];
    room->next = items[t + 1];
}

CLFOLD_KERNEL void
clfold_scan_prefixes(global clfold_item *items, ulong num_tiles, ulong first_block,
                     ulong num_blocks, CLFOLD_TOTAL_PARAMS,
                     CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    const ulong stop_block = min(first_block + num_blocks,
                                 (num_tiles + CLFOLD_ANCHOR - 1) / CLFOLD_ANCHOR);
#if CLFOLD_ANCHOR > 1
    const uint l = (uint)get_local_id(0);
    global clfold_item *const anchors = items + num_tiles + 1;

    /* The prefix of the last tile of each block. In memory, not in a variable: Intel's
     * CPU runtime 2026.2 vectorises that loop and reorders a sum of floats. */
    for (ulong b = first_block + l; b < stop_block; b += CLFOLD_GROUP_SIZE) {
        const ulong begin = b * CLFOLD_ANCHOR;
        const ulong last = min(begin + CLFOLD_ANCHOR, num_tiles) - 1;
        anchors[b] = items[begin];
        for (ulong t = begin + 1; t < last; ++t)
            anchors[b] = clfold_combine(anchors[b], items[t] CLFOLD_PASS);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
#else
    global clfold_item *const anchors = items;
#endif
    if (get_local_id(0) == 0) {
        clfold_item carry = clfold_init(CLFOLD_INIT_ARGS);
        if (first_block > 0)
            carry = clfold_taken(items[num_tiles]);
        for (ulong b = first_block; b < stop_block; ++b) {
            const ulong begin = b * CLFOLD_ANCHOR;
            const ulong last = min(begin + CLFOLD_ANCHOR, num_tiles) - 1;
            const clfold_item anchor = clfold_taken(carry);
            bool empty = b == 0 && !clfold_init_from;
            if (last > begin) {
                const clfold_item total = clfold_taken(anchors[b]);
                carry = clfold_taken(empty ? total
                                           : clfold_combine(carry, total CLFOLD_PASS));
                empty = false;
            }
            const clfold_item total = clfold_taken(items[last]);
            carry =
                clfold_taken(empty ? total : clfold_combine(carry, total CLFOLD_PASS));
            anchors[b] = anchor;
        }
        items[num_tiles] = carry;
        if (stop_block * CLFOLD_ANCHOR >= num_tiles)
            clfold_finish(carry, false, has_total, total_out, total_index CLFOLD_PASS);
    }
#if CLFOLD_ANCHOR > 1
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (ulong b = first_block + l; b < stop_block; b += CLFOLD_GROUP_SIZE) {
        const ulong begin = b * CLFOLD_ANCHOR;
        const ulong stop = min(begin + CLFOLD_ANCHOR, num_tiles);
        const bool has_anchor = b > 0 || clfold_init_from;
        const clfold_item anchor = clfold_taken(anchors[b]);
        clfold_item partial = clfold_taken(items[begin]);
        items[begin] = anchor;
        for (ulong t = begin + 1; t < stop; ++t) {
            const clfold_item total = clfold_taken(items[t]);
            items[t] = clfold_taken(
                has_anchor ? clfold_combine(anchor, partial CLFOLD_PASS) : partial);
            partial = clfold_combine(partial, total CLFOLD_PASS);
        }
    }
#endif
}
