#!/usr/bin/env python3
"""mutate.py FAULT OUTPUT.c INPUT...: writes those of the inputs that have the fault, with it.

INPUT... are all of cl/ and src/. Files of src/ are known by folder and name, plan/reduce_plan.c,
and those of cl/, which go into one table, by name.

The faults of reductions are those of the published kernels (the lectures after Harris), each
put back into ours; those of scans are what is easily got wrong. Every piece of text that a fault
replaces must stand in its file just as often as is said here, so that a fault cannot vanish when
a file changes.

mutate.py --list prints the faults, a line each: its name, what shows it, and the files that it is
in, with commas; --files all files that have one.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from hold_up import embed, held_up  # pylint: disable=wrong-import-position

# The last six steps as they were printed: no barriers, all 32 work-items in each.
LOCK_STEP = """\
    if (l < 32) {
        if (l + 32 < live) clfold_join(x, l, l + 32 CLFOLD_PASS);
        if (l + 16 < live) clfold_join(x, l, l + 16 CLFOLD_PASS);
        if (l + 8 < live) clfold_join(x, l, l + 8 CLFOLD_PASS);
        if (l + 4 < live) clfold_join(x, l, l + 4 CLFOLD_PASS);
        if (l + 2 < live) clfold_join(x, l, l + 2 CLFOLD_PASS);
        if (l + 1 < live) clfold_join(x, l, l + 1 CLFOLD_PASS);
    }
"""
SIX_STEPS = "".join(f"    CLFOLD_STEP(x, l, live, {s});\n" for s in (32, 16, 8, 4, 2, 1))
LOAD_ONE = """\
    if (l < live)
        x[l] = clfold_get(source, first + l CLFOLD_PASS);
"""
LOAD_OR_ZERO = """\
    const clfold_item zero = { 0 };
    x[l] = zero;
""" + LOAD_ONE
REDUCE1_STEP = """\
        if (i + s < live)
            clfold_join(x, i, i + s CLFOLD_PASS);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
"""
REDUCE1_STEP_BARRIER_BEHIND = """\
        if (i + s < live)
            clfold_join(x, i, i + s CLFOLD_PASS);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
"""
NO_HEAD = "#if CLFOLD_HEADS\n    memory[0].clfold_head = 0;\n#endif\n"
LADDER, TILES, REDUCE_PLAN = "reduce_ladder.cl", "reduce_tiles.cl", "plan/reduce_plan.c"
VECTOR, VECTOR_SCAN, GROUP_SCAN = "tile_vector.cl", "tile_vector_scan.cl", "tile_group_scan.cl"
SCAN_AND_WRITE = """\
    clfold_scan_mine(index, count, has_prefix, room CLFOLD_PASS);
    barrier(CLK_LOCAL_MEM_FENCE);
"""
SCAN_AND_WRITE_AT_ONCE = """\
    clfold_scan_mine(index, count, has_prefix, room CLFOLD_PASS);
"""

COUNTS, LONE = "counts.cl", "tile_lone_select.cl"
GROUP_SELECT = "tile_group_select.cl"
FIND_HEADS, EMIT_KEPT = "find_heads.cl", "emit_kept.cl"
LOOKBACK, CHANNEL = "scan_lookback.cl", "look_back.cl"
DESCRIPTOR = "descriptor.cl"
CHECK, FACET, FOLDS, MONOID = "ops/check.c", "plan/facet.c", "device/folds.c", "plan/monoid.c"
PLAN, RUN, SCRATCH = "plan/plan.c", "ops/run.c", "device/scratch.c"
RELEASE_REDUCED = """\
    CLFOLD_RELEASE(site->log, Event, reduced);
    if (status) {
        clfold_scratch_drop"""
RELEASE_FAILED = """\
    if (status) {
        CLFOLD_RELEASE(site->log, Event, reduced);
        clfold_scratch_drop"""
GIVE_NOTHING = """\
    memcpy(result, bytes, result_size);
    /* Nothing uses the block any more. */
    return clfold_scratch_give(scratch, site, block, NULL);
"""
GIVE_REDUCED = """\
    memcpy(result, bytes, result_size);
    status = clfold_scratch_give(scratch, site, block, reduced);
    CLFOLD_RELEASE(site->log, Event, reduced);
    return status;
"""
TAKE_TOTALS = """\
            clfold_take_window(channel, so_far, x, num CLFOLD_PASS);
"""
JOIN_TOTALS = """\
            for (uint i = 0; i < num; ++i) {
                sum = any ? clfold_combine(sum, channel->window[i] CLFOLD_PASS)
                          : channel->window[i];
                any = true;
            }
"""
END_OF_TAKE = """\
        CLFOLD_WINDOW_SYNC();
    }
    return seen;
"""
TAKE_OWN = """\
    clfold_take(so_far, t, clfold_taken(channel->own) CLFOLD_PASS);
"""
THERE = """\
    return w >> CLFOLD_HALF_BITS == clfold_tag(epoch, state) >> CLFOLD_HALF_BITS;
"""

# name: what shows it, PROGRAM/TEST of tests/device or tests/fault, or simulated/ and words of
# trials; then file, how often, what, by what
FAULTS = {
    # Nothing is wrong, and all words that show a fault must show none here.
    "none": ("simulated/any", [(LADDER, 0, "a fault", "")]),
    # 65,536 ones sum to 7,168: no OpenCL promises that 32 work-items run in lock step.
    "lock_step_tail": ("simulated/algorithm=reduce4", [(LADDER, 1, SIX_STEPS, LOCK_STEP)]),
    # The cure that is not one: barriers, but work-item l writes while l - s reads.
    "barriers_without_lane_guards": (
        "simulated/algorithm=reduce5",
        [(LADDER, 1, "    if (l < (s) && l + (s) < live) ",
          "    if (l + (s) < live)            ")],
    ),
    # Loses G - 2^floor(log2 G) items.
    "group_size_not_a_power_of_two": (
        "simulated/algorithm=reduce2",
        [(LADDER, 3, "uint s = CLFOLD_GROUP_POWER / 2;", "uint s = CLFOLD_GROUP_SIZE / 2;")],
    ),
    # Reads beyond the group's items.
    "neighbour_not_there": (
        "simulated/algorithm=reduce0",
        [(LADDER, 1, "if (l % (2 * s) == 0 && l + s < live)", "if (l % (2 * s) == 0)")],
    ),
    # Printed braces put the barrier after the loop.
    "barrier_behind_the_loop": (
        "simulated/algorithm=reduce1",
        [(LADDER, 1, REDUCE1_STEP, REDUCE1_STEP_BARRIER_BEHIND)],
    ),
    # out[local size] instead of out[group]: all groups write one element.
    "wrong_output_index": (
        "simulated/algorithm=reduce2",
        [(LADDER, 1, "scratch[to + get_group_id(0)] = x[0]",
          "scratch[to + CLFOLD_GROUP_SIZE] = x[0]")],
    ),
    # One group more than there are items for.
    "empty_last_group": (
        "simulated/algorithm=reduce6",
        [(REDUCE_PLAN, 1, "bundles = stage->cut.num_runs;",
          "bundles = ++stage->cut.num_runs;")],
    ),
    # 0 where there is no item: wrong for min, max, mul, and without an identity.
    "padding_with_0": (
        "simulated/algorithm=reduce2",
        [(LADDER, 1, LOAD_ONE, LOAD_OR_ZERO),
         (LADDER, 2, "if (l < s && l + s < live)",
          "if (l < s && l + s < CLFOLD_GROUP_SIZE)")],
    ),
    # The second of two loads reads past the end.
    "load_without_bound": (
        "simulated/algorithm=reduce3",
        [(LADDER, 1, "if (first + CLFOLD_GROUP_SIZE + l < source->count)", "if (1)")],
    ),
    # Rows are written while other work-items still scan theirs.
    "scan_barrier_lost": (
        "simulated/algorithm=scan_single_group,tile=tile_group",
        [(GROUP_SCAN, 1, SCAN_AND_WRITE, SCAN_AND_WRITE_AT_ONCE)],
    ),
    # Right for every operator that commutes.
    "scan_prefix_behind": (
        "simulated/algorithm=reduce_then_scan,fold=affine_by_text",
        [(VECTOR_SCAN, 1, "CLFOLD_OP16(usual, clfold_spread(*prefix), y)",
          "CLFOLD_OP16(usual, y, clfold_spread(*prefix))"),
         (GROUP_SCAN, 1, "y = clfold_combine(prefix, y CLFOLD_PASS)",
          "y = clfold_combine(y, prefix CLFOLD_PASS)")],
    ),
    # Folds from after the 16 elements with the last head, as if it ended its segment.
    "cut_taken_as_inclusive": (
        "simulated/fold=affine_by_text,tile=tile_vector",
        [(VECTOR, 2, "return i - 16;", "return min(i, count - 16);")],
    ),
    # Segments by flags, keys and offsets. A tile's total does not say that one starts in it.
    "heads_dropped_at_the_edge_of_a_tile": (
        "simulated/operation=inclusive_scan,by=flags,algorithm=reduce_then_scan",
        [(VECTOR, 1, "    memory[0] = clfold_empty(total, index CLFOLD_PASS);\n",
          "    memory[0] = clfold_empty(total, index CLFOLD_PASS);\n" + NO_HEAD),
         (GROUP_SCAN, 1, "_scan_place(l)] = clfold_empty(mine, index CLFOLD_PASS);\n",
          "_scan_place(l)] = clfold_empty(mine, index CLFOLD_PASS);\n"
          "#if CLFOLD_HEADS\nroom->items[clfold_scan_place(l)].clfold_head = 0;\n#endif\n")],
    ),
    # An exclusive scan gives a segment's first element the fold of the one before.
    "heads_leak_of_an_exclusive_scan": (
        "simulated/operation=exclusive_scan,by=flags",
        [("write.cl", 1, "&& clfold_head(i CLFOLD_PASS) != 0;", "&& false;"),
         ("tile_vector_write.cl", 1, "    if (may_start) {", "    if (false) {")],
    ),
    "heads_init_once_too_often": (
        "simulated/operation=exclusive_scan,by=flags,init=host",
        [("element.cl", 1, "if (has_init && !starts)", "if (has_init)"),
         ("tile_vector_write.cl", 1, "    if (may_start) {",
          "    if (has_init)\n        start = clfold_combine16(start, start "
          "CLFOLD_PASS);\n    if (may_start) {")],
    ),
    "heads_flag_of_the_wrong_width": (
        "simulated/operation=inclusive_scan,by=flags,head_type=i32",
        [("heads.cl", 1, "mask = b != (CLFOLD_KEY)0;",
          "mask = (b & (CLFOLD_KEY)0xff) != (CLFOLD_KEY)0;"),
         ("heads.cl", 1, "is_head |= b != 0;", "is_head |= (char)b != 0;")],
    ),
    # An element of a row has the place of another's.
    "heads_place_in_a_row": (
        "trials/test_pinned",
        [(GROUP_SCAN, 1, "clfold_load(in, begin, min(i + k * step, count - 1) CLFOLD_PASS);",
          "clfold_load(in, begin + i, min(k * step, count - 1 - i) CLFOLD_PASS);")],
    ),
    # Where no segment starts, a NaN is taken for a number.
    "heads_hide_a_nan": (
        "simulated/operation=inclusive_scan,op=min,in=f32,type=f32,by=flags,head_type=i32,nan=1,"
        "count=200,tile=tile_vector,tile_elements=64,algorithm=reduce_then_scan,seed=5",
        [("plan/operator_text.c", 1, "width->usual && !monoid->lifted",
          "width->usual && components[k].usual")],
    ),
    # Scans from the right: a short last row is taken for a whole one; heads are off by one.
    "reverse_of_a_short_row": (
        "trials/reverse=1,width=1",
        [("element.cl", 1, "min(clfold_length, n - (i - rank))", "clfold_length")],
    ),
    "reverse_heads_off_by_one": (
        "trials/reverse=1,by=flags",
        [("heads.cl", 1, "clfold_head_from_left(n - i CLFOLD_PASS);",
          "clfold_head_from_left(n - 1 - i CLFOLD_PASS);")],
    ),
    # Keys are compared within 16 lanes only.
    "heads_lost_between_vectors": (
        "simulated/by=keys,tile=tile_vector",
        [("heads.cl", 1, "        a.s0 = clfold_key_before(i CLFOLD_PASS);", ";")],
    ),
    "heads_of_offsets_outside": (
        "simulated/by=offsets,tells=1",
        [("mark_heads.cl", 1, "!CLFOLD_MARKS(at, n, num_words) ||", "")],
    ),
    # Nothing is known of the elements of an empty part, and of its keys those before it.
    "parts_carry_of_nothing": (
        "parts/test_prepared", [("element.cl", 1, "    if (!empty)\n        clfold_carry_store",
                                 "        clfold_carry_store")],
    ),
    "parts_key_of_an_empty_one": (
        "trials/parts=1,by=keys",
        [("element.cl", 1, "    if (count == 0)\n        from = clfold_key_at",
          "    if (false)\n        from = clfold_key_at")],
    ),
    "parts_offsets_from_zero": (
        "trials/parts=1,by=offsets",
        [("mark_heads.cl", 1, "CLFOLD_MARKED(at) ((at) - clfold_first)",
          "CLFOLD_MARKED(at) (at)")],
    ),
    "parts_carries_but_the_last": (
        "trials/parts=1,operation=reduce",
        [("serial.cl", 1, "(in_offset + (i)) * CLFOLD_CARRY_SIZE",
          "(in_offset + min(i, count - 2)) * CLFOLD_CARRY_SIZE")],
    ),
    # Lanes that are not there yet are joined as if they were.
    "scan_lanes_not_neutral": (
        "simulated/algorithm=reduce_then_scan,tile=tile_vector",
        [(VECTOR_SCAN, 1, "    y.$name.s01 = ($stage2)(($stage)($neutral));\n",
          "    ;\n")],
    ),
    # In place, what a vector of columns stores is loaded again: by the last one of its row, and
    # by the next steps.
    "columns_stored_before_the_rest": (
        "trials/algorithm=scan_lanes,tile=tile_vector",
        [("tile_vector_lanes_scan.cl", 1, "clfold_scan_vector(last, ",
          "clfold_scan_vector(clfold_load16(in, begin, row + num - 16 CLFOLD_PASS), ")],
    ),
    "columns_element_seen_twice": (
        "segments/test_in_place",
        [("tile_vector_lanes_scan.cl", 1, "!CLFOLD_WRITES_X || again == 0", "true")],
    ),
    "columns_stored_past_a_step": (
        "trials/algorithm=scan_lanes,tile=tile_vector",
        [("tile_vector_lanes_scan.cl", 1, "(more && !CLFOLD_WRITES_X)", "!CLFOLD_WRITES_X")],
    ),
    # A lane of a step takes the row above alone.
    "columns_windows_of_a_row": (
        "trials/algorithm=reduce_lanes,tile=tile_vector",
        [("tile_vector_lanes.cl", 1, "    uint at = j + width - step;\n", "    uint at = j;\n")],
    ),
    # What precedes a run is not what its elements were scanned to.
    "columns_totals_in_another_order": (
        "segments/test_totals",
        [("tile_vector_lanes.cl", 1, "#if CLFOLD_COMMUTATIVE && !CLFOLD_SCAN\n",
          "#if CLFOLD_COMMUTATIVE\n")],
    ),
    # Segments by offsets: an end is in two pieces, what is open at a piece's end is lost, and of
    # a segment in three pieces the first is.
    "offsets_end_twice": (
        "trials/operation=reduce,by=offsets",
        [("offsets.cl", 1, "if (clfold_offset(s + 1, CLFOLD_OFFSETS) + s < n)",
          "if (clfold_offset(s + 1, CLFOLD_OFFSETS) + s <= n)")],
    ),
    "offsets_open_lost": (
        "trials/operation=reduce,by=offsets",
        [("offsets.cl", 1, "*(share.open ? open : begun) = total;", "*begun = total;")],
    ),
    "offsets_two_pieces": (
        "trials/operation=reduce,by=offsets",
        [("reduce_offsets.cl", 1, "(uint)(p - (share.start + s) / run)", "1u")],
    ),
    # A length is given to the segment before.
    "found_length_of_the_next": (
        "trials/operation=reduce,by=keys,lists=1",
        [(FIND_HEADS, 1, "offsets[offsets_at + s + 1] - start;",
          "offsets[offsets_at + min(s + 2, counts[0])] - offsets[offsets_at + s + 1];")],
    ),
    # Heads of the groups before are not counted.
    "found_by_each_group": (
        "trials/operation=reduce,by=flags",
        [(FIND_HEADS, 1, "        counts[1 + g] = before;", "        counts[1 + g] = 0;")],
    ),
    "offsets_lanes_of_others": (
        "trials/operation=reduce,by=offsets,tile=tile_vector",
        [("tile_vector_pieces.cl", 1, "clfold_choose16(rights < (int)n, ",
          "clfold_choose16(rights < 16, ")],
    ),
    # An empty segment at a piece's edge is taken for one that began before; one that ends past a
    # window for one that ends in it; and those past num_at are written.
    "offsets_empty_at_an_edge": (
        "trials/operation=reduce,by=offsets",
        [("offsets.cl", 1, "share.begun = share.start + s < from.element + from.segment;",
          "share.begun = share.start + s < from.element + from.segment + "
          "(clfold_offset(s + 1, CLFOLD_OFFSETS) == share.start);")],
    ),
    "offsets_past_a_window": (
        "trials/operation=reduce,by=offsets,tile=tile_vector",
        [("tile_vector_windows.cl", 1, "some = 16 + (uint)clfold_sum_16(outside);",
          "some = 16;")],
    ),
    "offsets_past_num_at": (
        "trials/operation=reduce,by=offsets,num_at=1",
        [("reduce_offsets.cl", 1, "clfold_true_num(most_num CLFOLD_PASS);\n    const ulong begin",
          "most_num;\n    const ulong begin")],
    ),
    # A count in memory that is read, but not for partials of groups that had no elements; and not
    # for the totals of tiles, so that the total is of what these hold.
    "count_at_not_of_partials": (
        "trials/operation=reduce,count_at=1",
        [(TILES, 1, "    const ulong count = clfold_true_count(most_count CLFOLD_PASS);\n"
          "    const ulong num_runs = clfold_true_runs(most_num_runs, count, run, 0, 1);\n"
          "    const ulong i = ",
          "    const ulong count = most_count, num_runs = most_num_runs;\n    const ulong i = ")],
    ),
    "count_at_not_of_prefixes": (
        "trials/algorithm=reduce_then_scan,count_at=1",
        [("scan_prefixes.cl", 1,
          "clfold_true_count(most_count CLFOLD_PASS);\n    const ulong num_segments = "
          "clfold_true_runs(most_num_segments, count, run, lead, 0);\n",
          "most_count, num_segments = most_num_segments;\n")],
    ),
    # The next tile is folded beside the scan of this one, but for what was asked for last.
    "scan_ahead_not_ended": (
        "lookback/f32",
        [(VECTOR_SCAN, 1, "j = CLFOLD_TILE - ahead; j < CLFOLD_TILE", "j = 0; j < 0")],
    ),
    # A window of tiles, each of which is the first.
    "lookback_window_of_one_tile": (
        "lookback/test_seeds",
        [(CHANNEL, 1, "clfold_see(slots, x + min(from + k, num - 1), ", "clfold_see(slots, x, ")],
    ),
    # No tile waits for another.
    "lookback_impatient": (
        "lookback/test_seeds",
        [(CHANNEL, 1, "polls <= spins", "polls <= 0")],
    ),
    # Without the end of a block.
    "lookback_end_of_a_block_skipped": (
        "lookback/f32",
        [(CHANNEL, 1, "        if (i < num)\n            clfold_take(so_far, x + i",
          "        if (i < num && (x + i + 1) % CLFOLD_ANCHOR > 0)\n"
          "            clfold_take(so_far, x + i")],
    ),
    # Totals found on the way are joined with each other before the prefix that precedes them:
    # the bits depend on where the look-back ended.
    "lookback_not_forward": (
        "lookback/test_seeds",
        [(CHANNEL, 1, "    for (ulong x = seen.tile; x < stop; x += num) {\n",
          "    clfold_item sum;\n    bool any = false;\n"
          "    for (ulong x = seen.tile; x < stop; x += num) {\n"),
         (CHANNEL, 1, TAKE_TOTALS, JOIN_TOTALS),
         (CHANNEL, 1, END_OF_TAKE,
          END_OF_TAKE.replace("return", "if (first && any)\n"
          "        clfold_take(so_far, stop - 1, sum CLFOLD_PASS);\n    return"))],
    ),
    # Totals that a sub-group keeps of its last look, in the order in which it looked.
    "lookback_kept_backward": (
        "lookback/f32",
        [(CHANNEL, 1, "window[good - 1 - lane] =", "window[lane] =")],
    ),
    # The item at which a sub-group's walk ended, of the work-item beside the one that saw it.
    "lookback_item_of_a_neighbour": (
        "lookback/f32",
        [(CHANNEL, 1, "else if (lane == good)", "else if (lane == good + 1)")],
    ),
    # A running total that lacks its own tile.
    "lookback_prefix_too_early": (
        "lookback/f32",
        [(CHANNEL, 1, TAKE_OWN, "")],
    ),
    # A tile folded for another, by the own one's length.
    "lookback_fallback_of_wrong_length": (
        "lookback/f32",
        [(LOOKBACK, 1, "uint num = (uint)wanted->run.items", "uint num = (uint)own->run.items")],
    ),
    # What was left by an earlier call is taken.
    "lookback_epoch_not_compared": (
        "lookback/test_wrap",
        [(DESCRIPTOR, 1, THERE,
          "    return (w >> CLFOLD_HALF_BITS & 3) == state;\n")],
    ),
    "lookback_one_epoch": (
        "lookback/test_wrap",
        [(DESCRIPTOR, 1, "(clfold_word)(epoch + 1) << CLFOLD_TICKET_BITS",
          "(clfold_word)epoch << CLFOLD_TICKET_BITS")],
    ),
    "lookback_nothing_cleared": (
        "lookback/test_whole_cycle",
        [(DESCRIPTOR, 1, "clfold_write(words + CLFOLD_DESCRIPTORS + i, 0);", ";")],
    ),
    # A helper in place publishes what it has folded of a tile that is overwritten already.
    "lookback_in_place_not_asked_again": (
        "lookback/test_in_place",
        [(CHANNEL, 1, "clfold_look(slots, x, CLFOLD_AGGREGATE, channel->epoch, &item)", "false")],
    ),
    # Groups need not start in the order of their numbers.
    "lookback_group_for_ticket": (
        "lookback/test_seeds",
        [(LOOKBACK, 1, "epoch = clfold_draw_tile(channel, CLFOLD_TILES, num_runs, next);",
          "epoch = clfold_draw_tile(channel, CLFOLD_TILES, num_runs, next), next->tile = taken, "
          "next->run = clfold_nth_tile(taken, CLFOLD_TILES);"),
         (LOOKBACK, 1, "    clfold_draw_tile(channel, CLFOLD_TILES, num_runs, next);",
          "    clfold_draw_tile(channel, CLFOLD_TILES, num_runs, next), next->tile = "
          "own->tile + 1, next->run = clfold_nth_tile(next->tile, CLFOLD_TILES);")],
    ),
    # Look-back goes on into the row before.
    "lookback_past_a_row": (
        "trials/algorithm=scan_lookback,width=1",
        [(LOOKBACK, 1, "return clfold_epoch_of(ticket);",
          "drawn->run.number = drawn->tile;\n    return clfold_epoch_of(ticket);")],
    ),
    # The last group folds partials in the order in which groups left them, or too early.
    "reduce_joins_out_of_order": (
        "trials/operation=reduce,fold=affine",
        [(TILES, 1, "[CLFOLD_KEPT], r.items == 0, i, is_last != 0", "[CLFOLD_KEPT], r.items == 0, "
          "joins ? num_runs - 1 - i : i, is_last != 0")],
    ),
    "reduce_joins_too_early": (
        "trials/operation=reduce,fold=affine",
        [(TILES, 1, "clfold_add(left, 1) + 1 == get_num_groups(0)",
          "clfold_add(left, 1) + 2 == get_num_groups(0)")],
    ),
    # Runs of all rows are taken for those of the first.
    "rows_as_one": (
        "trials/width=1",
        [("segments.cl", 1, "runs == 1 ? above : above < runs ? 0 : above / runs;", "0;")],
    ),
    # Functions for a caller's kernel: an exclusive scan has the value itself, and what is kept is
    # counted before it is known.
    "group_text_exclusive_as_inclusive": (
        "group_text/test_operators",
        [("group_text.cl", 1, "min(max(l, 1u), num) - 1", "min(l, num - 1)")],
    ),
    "group_text_counts_too_early": (
        "group_text/test_operators",
        [("group_text.cl", 1, "        room->counts[l] = keep ? 1 : 0;\n"
          "    barrier(CLK_LOCAL_MEM_FENCE);\n", "        room->counts[l] = keep ? 1 : 0;\n")],
    ),
    # Selects. A tile's last element is not counted; a byte counts to more than it holds; what goes
    # past a tile's part is the next one's.
    "select_count_off_by_one": (
        "trials/operation=select", [(LONE, 1, "kept += holds;", "kept += holds && j + 1 < count;")],
    ),
    "select_count_wraps": (
        "trials/test_pinned",
        [(LONE, 1, "CLFOLD_COUNTED (127 * 16)", "CLFOLD_COUNTED (255 * 16)")],
    ),
    "select_past_its_part": (
        "trials/operation=select",
        [(LONE, 1, "if (CLFOLD_MAKES_ALL ? p < share.kept : holds)",
          "if (CLFOLD_MAKES_ALL || holds)")],
    ),
    "select_row_past_its_part": (
        "trials/operation=select",
        [(LONE, 1, "stop = min(j + 16, p) *", "stop = (j + 16) *")],
    ),
    "select_unstable": (
        "trials/operation=select",
        [(LONE, 1, "+ n] = cells.s[n][k];", "+ n] = cells.s[n][15 - k];"),
         (LONE, 1, "p += kept.s[k] & 1;", "p += kept.s[15 - k] & 1;"),
         (GROUP_SELECT, 1, "flags[k] ? p++", "flags[k] ? total - 1 - p++"),
         (GROUP_SELECT, 1, "places[p++] =", "places[total - 1 - p++] =")],
    ),
    # An element's neighbours in a row of the group are taken for it.
    "select_row_of_one": (
        "trials/operation=select,tile=tile_group",
        [(GROUP_SELECT, 1, "room->places[min(i + k * step, stop - 1)]", "room->places[i]")],
    ),
    # The others of a tile from its end on.
    "select_rest_mirrored": (
        "trials/operation=select,rest=1",
        [(LONE, 1, "share.rest + j - p CLFOLD_PASS",
          "share.rest + count - share.kept - 1 - (j - p) CLFOLD_PASS"),
         (GROUP_SELECT, 1, ": q++] =", ": count + total - 1 - q++] =")],
    ),
    # A run's length is written for the next one, or is that of what a tile has of it.
    "select_length_of_the_next_run": (
        "trials/operation=select,lists=1",
        [(COUNTS, 1, "index - clfold_out_begin - 1] =", "index - clfold_out_begin] =")],
    ),
    "select_length_within_a_tile": (
        "trials/operation=select,lists=1", [(COUNTS, 1, "start = prefix.start;", "start = index;")],
    ),
    # By a scan's items: the condition sees the item before, a place counts the element itself, and
    # the others begin a word late.
    "select_of_the_item_before": (
        "trials/operation=select",
        [(EMIT_KEPT, 1, "CLFOLD_VALUE item = clfold_value_of(y);",
          "CLFOLD_VALUE item = clfold_value_of(before);"),
         (EMIT_KEPT, 1, "CLFOLD_VALUE16 item = clfold_value16_of(y);",
          "CLFOLD_VALUE16 item = clfold_value16_of(before);")],
    ),
    "select_place_off_by_one": (
        "trials/operation=select",
        [(EMIT_KEPT, 1, "popcount(word & ((1u << k) - 1))", "popcount(word & (1u << k))")],
    ),
    "select_words_counted_late": (
        "trials/operation=select",
        [(FIND_HEADS, 1, "offsets[offsets_at + i / 32] = s;",
          "offsets[offsets_at + i / 32] = s + popcount(word);")],
    ),
    # One for each program of tests/device, which others find by luck, if at all.
    #
    # A reproducible sum of columns counts more numbers in 32 bits than these hold.
    "binned_cuts_overflow": (
        "accuracy/test_long_columns",
        [("binned_numbers.cl", 1, "CLFOLD_MOST_CUTS 8192u", "CLFOLD_MOST_CUTS 32768u")],
    ),
    # A sub-buffer counts as if it began where its buffer does.
    "overlap_of_sub_buffers_at_0": (
        "rejections/test_rows",
        [(CHECK, 1, "span->begin = origin + span->offset", "span->begin = span->offset")],
    ),
    # The first call is verified, not every Nth.
    "verify_every_counts_from_0": (
        "context/test_verify_finds",
        [("ops/call.c", 1, "(atomic_fetch_add(&context->verifiable, 1) + 1)",
          "atomic_fetch_add(&context->verifiable, 1)")],
    ),
    # The least of u32 as i32 is found before the conversion, which changes the order.
    "extremes_by_size_alone": (
        "trials/op=min",
        [(MONOID, 1, "clfold_type_holds(monoid->type, monoid->in);\n    uint32_t num",
          "type->size >= clfold_scalar(monoid->in)->size;\n    uint32_t num")],
    ),
    # A report counts elements that no text reads.
    "read_size_of_an_x_unread": (
        "user_texts/test_widths",
        [("plan/monoid_sizes.c", 1, "!monoid->load || loads->x ||", "true ||")],
    ),
    # An exclusive scan's result text is told the first place of its tile at a run's begin.
    "item_runs_index_of_the_tile": (
        "trials/operation=exclusive_scan,tile=tile_item,fold=backwards",
        [("tile_item_scan.cl", 1, "CLFOLD_SCALARS, index + k * run, out,",
          "CLFOLD_SCALARS, index, out,")],
    ),
    # Of a sub-group of more than 32 the second section scans from its own lane on.
    "sub_group_of_one_section": (
        "group_text/test_scan_made_sub_groups",
        [("group_scan.cl", 1, "get_sub_group_local_id() % 32;", "get_sub_group_local_id();")],
    ),
    # A result's prev is its item.
    "group_text_prev_is_the_item": (
        "group_text/test_results",
        [("group_text.cl", 1, "clfold_of_value(prev),", "clfold_of_value(item),")],
    ),
    # Of 16 elements that lie in two words of bits the heads of the second are lost.
    "heads_of_the_next_word": (
        "trials/operation=inclusive_scan,by=offsets",
        [("heads.cl", 1, "(words[0] | (ulong)words[1] << 32) >> i % 32", "words[0] >> i % 32")],
    ),
    # In blocks, the first one of a later launch over prefixes has no anchor.
    "prefixes_of_a_launch_alone": (
        "trials/test_with_short_loops,algorithm=reduce_then_scan,anchor=4",
        [("scan_prefixes.cl", 1, "has_anchor = b > 0 ||", "has_anchor = i % blocks > 0 ||")],
    ),
    # A tile's record names another tile than the one that it folded.
    "lookback_record_of_the_next": (
        "lookback/test_seeds", [(CHANNEL, 1, "1 << (t - x - 1) : 0", "1 << (t - x) : 0")],
    ),
    # Where nothing else is given, lengths_out is accepted by any call.
    "facets_lengths_are_plain": (
        "matrix/docs/matrix.md",
        [(FACET, 1, "IS(WHOLE) | IS(PLACES);", "IS(WHOLE) | IS(PLACES) | B(LENGTHS_OUT);")],
    ),
    # Of 2^16 elements and more in a tile, the count and the mean are of fewer.
    "moments_of_short_counts": (
        "moments/test_large",
        [(MONOID, 1, "components[0].stage = CLFOLD_U32;\n    monoid->components[0].load",
          "components[0].stage = CLFOLD_U16;\n    monoid->components[0].load")],
    ),
    # The first offset is counted as wrong where it is not 0.
    "offsets_first_is_bad": (
        "trials/by=offsets,tells=1",
        [("mark_heads.cl", 1, "at < before)", "at < before || (k == 0 && at > 0))")],
    ),
    # A part that is the last, short row has the number of a row of its own length.
    "part_rows_of_its_own": (
        "parts/test_places",
        [(RUN, 1, "clfold_segments_or_one(request->job.segments.given)",
          "clfold_segments_or_one(request->job.segments.rows)")],
    ),
    # Groups that waited in vain count as fair.
    "probe_fair_in_vain": (
        "probe/test_in_vain",
        [("device/probe.c", 1, "*fair = !trial.in_vain && *fate", "*fair = *fate")],
    ),
    # A call takes a block that another queue's kernels still use.
    "scratch_of_another_queue": (
        "queues/test_two_queues",
        [(SCRATCH, 1, "(b->queue && b->queue != queue) || ", "")],
    ),
    # After a call that has spoilt the counter of groups none is the last, and there is no result.
    "reduce_counter_not_cleared": (
        "trials/test_with_spoilt_scratch,algorithm=reduce_tiles,op=add",
        [(TILES, 1, "if (joins && first == 0)", "if (false)")],
    ),
    # An identity of +0 takes part, so a sum of -0 is +0.
    "sum_from_0": (
        "sizes/test_negative_zero",
        [("partials.cl", 1, "        init = total;",
          "        init = CLFOLD_HAS_IDENTITY ? clfold_combine(clfold_or_identity(total, true "
          "CLFOLD_PASS), total CLFOLD_PASS) : total;")],
    ),
    # From the right, a result's x is the element that is as far from the left.
    "reverse_of_another_x": (
        "trials/reverse=1,fold=neighbour",
        [("write.cl", 1, "s + (long)(to - i) * CLFOLD_SCALARS, to,", "s, to,")],
    ),
    # The last item of a tile has other bits than the next tile's prefix.
    "propagate_the_last_as_others": (
        "scan_bits/test_same_bits",
        [("tile_group_propagate.cl", 1, "!CLFOLD_EXCLUSIVE && i + 1 == count", "false")],
    ),
    # Look-back goes on where nothing before a tile counts.
    "lookback_past_a_cut": (
        "lookback/test_cuts",
        [("plan/contract.c", 1, "clfold_monoid_cuts(monoid));", "false);")],
    ),
    # The rest of a row of columns, less than a vector, is another bundle's too.
    "bundles_of_a_rest": (
        "trials/algorithm=scan_lanes,width=2,tile=tile_vector",
        [("lane_items.cl", 1, "(line + part - 16) / part", "(line + part - 1) / part")],
    ),
    # A select by a scan's items in a part gives its carry before it has read the one before it.
    "select_carry_given_twice": (
        "select/test_parts",
        [(PLAN, 1, "flags->has_carry = keeps_prefixes || job->monoid->writes_places;",
          "flags->has_carry = true;")],
    ),
    # Sums of bytes in a long tile of a scan wrap at 2^32.
    "scan_tile_past_a_stage": (
        "sizes/test_stage_limit",
        [("plan/scan_plan.c", 1,
          "clfold_least(most_elements(job->device), job->monoid->stage_limit);",
          "most_elements(job->device);")],
    ),
    # The sentence does not name who failed.
    "set_error_of_its_own": (
        "snippets/test_messages",
        [("ops/context.c", 1, 'who ? who : "clfold_set_error"', '"clfold_set_error"')],
    ),
    # A thread takes a program that another one still builds.
    "cache_does_not_wait": (
        "threads/test_threads",
        [("device/cache.c", 1, "while (program->state == PROGRAM_BUILDING)", "while (false)")],
    ),
    # The last record is written past the end.
    "trace_one_too_few": (
        "probe/test_trace_refused",
        [("ops/trace.c", 1, "if (!tiles || capacity < num)", "if (!tiles || capacity + 1 < num)")],
    ),
    # A file's rows come after the library's own.
    "tuning_own_rows_first": (
        "tune/test_own",
        [("ops/tuning.c", 1, "clfold_tuning_find(&context->file, &call);\n",
          "clfold_tuning_find(&context->own, &call);\n"),
         ("ops/tuning.c", 1, "numbers : clfold_tuning_find(&context->own",
          "numbers : clfold_tuning_find(&context->file")],
    ),
    # The program that was used last is dropped first.
    "folds_newest_evicted": (
        "user_texts/test_programs",
        [(FOLDS, 1, "fold->used < oldest->used", "fold->used > oldest->used")],
    ),
    # `in` may not be NULL where no text reads it.
    "in_wanted_unread": (
        "user_texts/test_unread",
        [("ops/request.c", 1, "!reads    ? 0\n", "false ? 0\n")],
    ),
    # A right sum of terms that cancel is called wrong.
    "verify_without_terms": (
        "verify/test_rounding",
        [("ops/verify.c", 1, "expectation->terms + fmax(", "fmax(")],
    ),
    # What commits have mended once, but for faults that are none in today's code: 4d6bc79 and
    # 2cd6141, since PoCL 3.1 makes right code of today's tree with a private item, and of tiles
    # that read their prefix anew; and two of d6a4ea5's, as a rehearsal writes no scratch that a
    # failed one could leave to others, and no call waits for a block of scratch in use.
    #
    # 8688ab6: rusticl of Mesa 22.3 copies components with gaps wrongly.
    "folds_with_gaps": (
        "user_texts/test_gaps",
        [(FOLDS, 1, "offset != end && clfold_platform_miscopies(caps->facts.platform)", "false")],
    ),
    # d6a4ea5: a call that has written its result fails, and a limit of scratch is lost to rounding.
    "host_result_before_the_end": (
        "fault/calls:?reduce_host,?warm,*",
        [("ops/call.c", 1, RELEASE_REDUCED, RELEASE_FAILED),
         ("ops/call.c", 1, GIVE_NOTHING, GIVE_REDUCED)],
    ),
    "scratch_rounded_under_a_limit": (
        "driver/test_scratch_limit",
        [(SCRATCH, 1, "scratch->limit > 0 ? size : class_of(size)", "class_of(size)")],
    ),
    # db8f29a: an unknown type of elements, and layouts of folds that are not checked.
    "enumerators_but_in": (
        "rejections/test_rows",
        [(CHECK, 1, '{ fold->in, CLFOLD_F64, "in", "not a valid type" },', "")],
    ),
    "layout_unchecked": (
        "rejections/test_rows",
        [("ops/fold.c", 1, "(status = clfold_check_content(&site, 0, fold, &bits))",
          "((bits = clfold_facets_of(fold)), false)")],
    ),
}  # fmt: skip


def files_of(fault):
    return sorted({file for file, *_ in FAULTS[fault][1]})


def mutated(fault, name, text):
    for file, times, old, new in FAULTS[fault][1]:
        if file == name:
            found = text.count(old)
            if found != times:
                sys.exit(f"mutate.py: {fault}: stands {found} times in {name}, not {times}: {old}")
            text = text.replace(old, new)
    return text


def main(arguments):
    if arguments == ["--list"]:
        for fault in FAULTS:
            print(fault, FAULTS[fault][0], ",".join(files_of(fault)))
        return 0
    if arguments == ["--files"]:
        print("\n".join(sorted({file for fault in FAULTS for file in files_of(fault)})))
        return 0
    if len(arguments) < 3 or arguments[0] not in FAULTS:
        print("mutate.py: usage: mutate.py FAULT OUTPUT.c INPUT...", file=sys.stderr)
        return 2
    fault, output, *inputs = arguments
    paths = {"/".join(path.split("/")[-1 if path.endswith(".cl") else -2:]): path
             for path in inputs}
    text = ""
    if any(file.endswith(".cl") for file in files_of(fault)):
        table = embed.table_of([path for path in inputs if path.endswith(".cl")])
        for name, data in table.items():
            table[name] = mutated(fault, name, data.decode("ascii")).encode("ascii")
        text = embed.c_source(held_up(table))
    for name in files_of(fault):
        if name.endswith(".c"):
            with open(paths[name], encoding="ascii") as file:
                text += mutated(fault, name, file.read())
    with open(output, "w", encoding="ascii") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
