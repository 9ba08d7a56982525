#!/usr/bin/env python3
"""mutate.py FAULT DIR INPUT...: writes the inputs with a fault in them.

DIR/FAULT_kernels.c is what tools/embed makes of the .cl files among INPUT, DIR/FAULT_NAME.c a
copy of each NAME.c among them; those that the fault is of have it.

The faults of reductions are those of the published kernels (the lectures after Harris), each
put back into ours; those of scans are what is easily got wrong. Every piece of text that a fault
replaces must stand in its file just as often as is said here, so that a fault cannot vanish when
a kernel changes.

mutate.py --list prints the faults, a line each: its name, the algorithm that shows it, and the
files that it is in, with commas; --files all files that have one.
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
        x[l] = clfold_get(&source, g * CLFOLD_GROUP_SIZE + l CLFOLD_PASS);
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
LADDER, REDUCE_PLAN, TILES = "reduce_ladder.cl", "reduce_plan.c", "reduce_tiles.cl"
VECTOR, VECTOR_SCAN, GROUP_SCAN = "tile_vector.cl", "tile_vector_scan.cl", "tile_group_scan.cl"
SCAN_AND_WRITE = """\
    clfold_scan_mine(index, count, has_prefix, room CLFOLD_PASS);
    barrier(CLK_LOCAL_MEM_FENCE);
"""
SCAN_AND_WRITE_AT_ONCE = """\
    clfold_scan_mine(index, count, has_prefix, room CLFOLD_PASS);
"""

COUNTS, LONE = "counts.cl", "select_lone.cl"
LONE_SELECT, GROUP_SELECT = "tile_lone_select.cl", "tile_group_select.cl"
FIND_HEADS, WRITE_KEPT = "find_heads.cl", "write_kept.cl"
LOOKBACK, CHANNEL, WINDOW = "scan_lookback.cl", "look_back.cl", "look_window.cl"
DESCRIPTOR = "descriptor.cl"
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

# name: algorithm, or what of device/lookback.c shows it, then file, how often, what, by what
FAULTS = {
    # Nothing is wrong, and every algorithm that shows a fault must show none here.
    "none": ("any", []),
    # 65,536 ones sum to 7,168: no OpenCL promises that 32 work-items run in lock step.
    "lock_step_tail": ("reduce4", [(LADDER, 1, SIX_STEPS, LOCK_STEP)]),
    # The cure that is not one: barriers, but work-item l writes while l - s reads.
    "barriers_without_lane_guards": (
        "reduce5",
        [(LADDER, 1, "    if (l < (s) && l + (s) < live) ",
          "    if (l + (s) < live)            ")],
    ),
    # Loses G - 2^floor(log2 G) items.
    "group_size_not_a_power_of_two": (
        "reduce2", [(LADDER, 3, "uint s = CLFOLD_GROUP_POWER / 2;",
                     "uint s = CLFOLD_GROUP_SIZE / 2;")],
    ),
    # Reads beyond the group's items.
    "neighbour_not_there": (
        "reduce0", [(LADDER, 1, "if (l % (2 * s) == 0 && l + s < live)",
                     "if (l % (2 * s) == 0)")],
    ),
    # Printed braces put the barrier after the loop.
    "barrier_behind_the_loop": (
        "reduce1", [(LADDER, 1, REDUCE1_STEP, REDUCE1_STEP_BARRIER_BEHIND)],
    ),
    # out[local size] instead of out[group]: all groups write one element.
    "wrong_output_index": (
        "reduce2", [(LADDER, 1, "scratch[to + get_group_id(0)] = x[0]",
                     "scratch[to + CLFOLD_GROUP_SIZE] = x[0]")],
    ),
    # One group more than there are items for.
    "empty_last_group": (
        "reduce6",
        [(REDUCE_PLAN, 1, "bundles = plan->cut.num_runs;",
          "bundles = ++plan->cut.num_runs;")],
    ),
    # 0 where there is no item: wrong for min, max, mul, and without an identity.
    "padding_with_0": (
        "reduce2",
        [(LADDER, 3, LOAD_ONE, LOAD_OR_ZERO),
         (LADDER, 2, "if (l < s && l + s < live)",
          "if (l < s && l + s < CLFOLD_GROUP_SIZE)")],
    ),
    # The second of two loads reads past the end.
    "load_without_bound": (
        "reduce3", [(LADDER, 1, "if (first + CLFOLD_GROUP_SIZE + l < source->count)",
                     "if (1)")],
    ),
    # Rows are written while other work-items still scan theirs.
    "scan_barrier_lost": (
        "scan_single_group", [(GROUP_SCAN, 1, SCAN_AND_WRITE, SCAN_AND_WRITE_AT_ONCE)],
    ),
    # Right for every operator that commutes.
    "scan_prefix_behind": (
        "reduce_then_scan",
        [(VECTOR_SCAN, 1, "CLFOLD_OP16(usual, clfold_spread(*prefix), y)",
          "CLFOLD_OP16(usual, y, clfold_spread(*prefix))"),
         (GROUP_SCAN, 1, "y = clfold_combine(prefix, y CLFOLD_PASS)",
          "y = clfold_combine(y, prefix CLFOLD_PASS)")],
    ),
    # Folds from after the 16 elements with the last head, as if it ended its segment.
    "cut_taken_as_inclusive": (
        "reduce_then_scan", [(VECTOR, 2, "return i - 16;", "return min(i, count - 16);")],
    ),
    # Segments by flags, keys and offsets. A tile's total does not say that one starts in it.
    "heads_dropped_at_the_edge_of_a_tile": (
        "heads", [(VECTOR, 1, "    memory[0] = clfold_empty(total, index CLFOLD_PASS);\n",
                   "    memory[0] = clfold_empty(total, index CLFOLD_PASS);\n" + NO_HEAD),
                  (GROUP_SCAN, 1, "_scan_place(l)] = clfold_empty(mine, index CLFOLD_PASS);\n",
                   "_scan_place(l)] = clfold_empty(mine, index CLFOLD_PASS);\n"
                   "#if CLFOLD_HEADS\nroom->items[clfold_scan_place(l)].clfold_head = 0;\n"
                   "#endif\n")],
    ),
    # An exclusive scan gives a segment's first element the fold of the one before.
    "heads_leak_of_an_exclusive_scan": (
        "heads", [("write.cl", 1, "&& clfold_head(i CLFOLD_PASS) != 0;", "&& false;"),
                  ("tile_vector_write.cl", 1, "    if (may_start) {", "    if (false) {")],
    ),
    "heads_init_once_too_often": (
        "heads", [("result.cl", 1, "if (has_init && !starts)", "if (has_init)"),
                  ("tile_vector_write.cl", 1, "    if (may_start) {",
                   "    if (has_init)\n        start = clfold_combine16(start, start "
                   "CLFOLD_PASS);\n    if (may_start) {")],
    ),
    "heads_flag_of_the_wrong_width": (
        "heads", [("heads.cl", 1, "mask = b != (CLFOLD_KEY)0;",
                   "mask = (b & (CLFOLD_KEY)0xff) != (CLFOLD_KEY)0;"),
                  ("heads.cl", 1, "is_head |= b != 0;", "is_head |= (char)b != 0;")],
    ),
    # An element of a row has the place of another's.
    "heads_place_in_a_row": (
        "heads/test_places",
        [(GROUP_SCAN, 1, "clfold_load(in, begin, min(i + k * step, count - 1) CLFOLD_PASS);",
          "clfold_load(in, begin + i, min(k * step, count - 1 - i) CLFOLD_PASS);")],
    ),
    # Where no segment starts, a NaN is taken for a number.
    "heads_hide_a_nan": (
        "heads", [("operator_text.c", 1, "width->usual && !monoid->lifted",
                   "width->usual && components[k].usual")],
    ),
    # Scans from the right: a short last row is taken for a whole one; heads are off by one.
    "reverse_of_a_short_row": (
        "reverse/test_operators",
        [("element.cl", 1, "min(clfold_length, clfold_n - (i - rank))", "clfold_length")],
    ),
    "reverse_heads_off_by_one": (
        "reverse/test_operators",
        [("heads.cl", 1, "clfold_head(clfold_n - i CLFOLD_PASS);",
          "clfold_head(clfold_n - 1 - i CLFOLD_PASS);")],
    ),
    # Keys are compared within 16 lanes only.
    "heads_lost_between_vectors": (
        "heads", [("heads.cl", 1, "        a.s0 = clfold_key_before(i CLFOLD_PASS);", ";")],
    ),
    "heads_of_offsets_outside": (
        "heads", [("mark_heads.cl", 1,
                    "if (!CLFOLD_MARKS(at, num_words) || (k > 0 && at == before))",
                   "if (k > 0 && at == before)")],
    ),
    # Nothing is known of the elements of an empty part, and of its keys those before it.
    "parts_carry_of_nothing": (
        "parts/test_parts", [("result.cl", 1, "    if (!empty)\n        clfold_carry_store",
                              "        clfold_carry_store")],
    ),
    "parts_key_of_an_empty_one": (
        "parts/test_parts", [("result.cl", 1, "    if (count == 0)\n        from = clfold_key_at",
                              "    if (false)\n        from = clfold_key_at")],
    ),
    "parts_offsets_from_zero": (
        "parts/test_parts", [("mark_heads.cl", 1, "CLFOLD_MARKED(at) ((at) - clfold_first)",
                              "CLFOLD_MARKED(at) (at)")],
    ),
    "parts_carries_but_the_last": (
        "parts/test_carries", [("serial.cl", 1, "(in_offset + (i)) * CLFOLD_CARRY_SIZE",
                                "(in_offset + min(i, count - 2)) * CLFOLD_CARRY_SIZE")],
    ),
    # Lanes that are not there yet are joined as if they were.
    "scan_lanes_not_neutral": (
        "reduce_then_scan",
        [(VECTOR_SCAN, 1, "    y.$name.s01 = ($stage2)(($stage)($neutral));\n",
          "    ;\n")],
    ),
    # In place, what a vector of columns stores is loaded again: by the last one of its row, and
    # by the next steps.
    "columns_stored_before_the_rest": (
        "segments/test_scan",
        [("tile_vector_lanes_scan.cl", 1, "clfold_scan_vector(last, ",
          "clfold_scan_vector(clfold_load16(in, begin, row + num - 16 CLFOLD_PASS), ")],
    ),
    "columns_element_seen_twice": (
        "segments/test_in_place",
        [("tile_vector_lanes_scan.cl", 1, "!CLFOLD_WRITES_X || again == 0", "true")],
    ),
    "columns_stored_past_a_step": (
        "segments/test_scan",
        [("tile_vector_lanes_scan.cl", 1, "(more && !CLFOLD_WRITES_X)", "!CLFOLD_WRITES_X")],
    ),
    # A lane of a step takes the row above alone.
    "columns_windows_of_a_row": (
        "segments/test_scan",
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
        "offsets/test_all_operators",
        [("offsets.cl", 1, "if (clfold_offset(s + 1, CLFOLD_OFFSETS) + s < n)",
          "if (clfold_offset(s + 1, CLFOLD_OFFSETS) + s <= n)")],
    ),
    "offsets_open_lost": (
        "offsets/test_all_operators",
        [("share.cl", 1, "*(share.open ? open : begun) = total;", "*begun = total;")],
    ),
    "offsets_two_pieces": (
        "offsets/test_all_operators",
        [("reduce_offsets.cl", 1, "(uint)(p - (share.start + s) / run)", "1u")],
    ),
    # A length is given to the segment before.
    "found_length_of_the_next": (
        "offsets/test_all_operators",
        [(FIND_HEADS, 1, "offsets[offsets_at + s + 1] - start;",
          "offsets[offsets_at + min(s + 2, counts[0])] - offsets[offsets_at + s + 1];")],
    ),
    # Heads of the groups before are not counted.
    "found_by_each_group": (
        "offsets/test_all_operators",
        [(FIND_HEADS, 1, "        counts[1 + g] = before;", "        counts[1 + g] = 0;")],
    ),
    "offsets_lanes_of_others": (
        "offsets/test_all_operators",
        [("tile_vector_pieces.cl", 1, "clfold_choose16(rights < (int)num, ",
          "clfold_choose16(rights < 16, ")],
    ),
    # An empty segment at a piece's edge is taken for one that began before; one that ends past a
    # window for one that ends in it; and those past num_at are written.
    "offsets_empty_at_an_edge": (
        "offsets/test_all_operators",
        [("offsets.cl", 1, "share.begun = share.start + s < from.element + from.segment;",
          "share.begun = share.start + s < from.element + from.segment + "
          "(clfold_offset(s + 1, CLFOLD_OFFSETS) == share.start);")],
    ),
    "offsets_past_a_window": (
        "offsets/test_all_operators",
        [("tile_vector_windows.cl", 1, "some = 16 + (uint)clfold_sum_16(outside);",
          "some = 16;")],
    ),
    "offsets_past_num_at": (
        "offsets/test_all_operators",
        [("reduce_offsets.cl", 1, "    CLFOLD_LIMIT_NUM(num, 0);\n    CLFOLD_LIMIT_COUNT(count);\n"
          "#if", "    CLFOLD_LIMIT_COUNT(count);\n#if")],
    ),
    # A count in memory that is read, but not for partials of groups that had no elements; and not
    # for the totals of tiles, so that the total is of what these hold.
    "count_at_not_of_partials": (
        "reduce/test_affine",
        [(TILES, 1, "    CLFOLD_LIMIT_RUNS(count, num_runs, run, 0, 1);\n    const ulong i = ",
          "    const ulong i = ")],
    ),
    "count_at_not_of_prefixes": (
        "sizes/test_anchors",
        [("scan_prefixes.cl", 1,
          "    CLFOLD_LIMIT_RUNS(count, num_segments, run, lead, 0);\n", "")],
    ),
    # The next tile is folded beside the scan of this one, but for what was asked for last.
    "scan_ahead_not_ended": (
        "lookback/f32",
        [(VECTOR_SCAN, 1, "j = CLFOLD_TILE - ahead; j < CLFOLD_TILE", "j = 0; j < 0")],
    ),
    # A window of tiles, each of which is the first.
    "lookback_window_of_one_tile": (
        "lookback/test_seeds",
        [(WINDOW, 1, "clfold_see(slots, x + min(from + k, num - 1), ", "clfold_see(slots, x, ")],
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
        [(WINDOW, 1, "window[good - 1 - lane] =", "window[lane] =")],
    ),
    # The item at which a sub-group's walk ended, of the work-item beside the one that saw it.
    "lookback_item_of_a_neighbour": (
        "lookback/f32",
        [(WINDOW, 1, "else if (lane == good)", "else if (lane == good + 1)")],
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
        "lookback/test_snapshot",
        [(LOOKBACK, 1, "epoch = clfold_draw_tile(channel, CLFOLD_TILES, num_runs, next);",
          "epoch = clfold_draw_tile(channel, CLFOLD_TILES, num_runs, next), next->tile = taken, "
          "next->run = clfold_nth_tile(taken, CLFOLD_TILES);"),
         (LOOKBACK, 1, "    clfold_draw_tile(channel, CLFOLD_TILES, num_runs, next);",
          "    clfold_draw_tile(channel, CLFOLD_TILES, num_runs, next), next->tile = "
          "own->tile + 1, next->run = clfold_nth_tile(next->tile, CLFOLD_TILES);")],
    ),
    # Look-back goes on into the row before.
    "lookback_past_a_row": (
        "segments/test_scan",
        [(LOOKBACK, 1, "return clfold_epoch_of(ticket);",
          "drawn->run.number = drawn->tile;\n    return clfold_epoch_of(ticket);")],
    ),
    # The last group folds partials in the order in which groups left them, or too early.
    "reduce_joins_out_of_order": (
        "reduce/test_affine",
        [(TILES, 1, "[CLFOLD_KEPT], r.items == 0, i, is_last != 0", "[CLFOLD_KEPT], r.items == 0, "
          "joins ? num_runs - 1 - i : i, is_last != 0")],
    ),
    "reduce_joins_too_early": (
        "reduce/test_affine",
        [(TILES, 1, "clfold_add(left, 1) + 1 == get_num_groups(0)",
          "clfold_add(left, 1) + 2 == get_num_groups(0)")],
    ),
    # Runs of all rows are taken for those of the first.
    "rows_as_one": (
        "segments/test_scan",
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
        "select/test_all_types", [(LONE, 1, "kept += holds;", "kept += holds && j + 1 < count;")],
    ),
    "select_count_wraps": (
        "select/test_policy",
        [(LONE_SELECT, 1, "CLFOLD_COUNTED (127 * 16)", "CLFOLD_COUNTED (255 * 16)")],
    ),
    "select_past_its_part": (
        "select/test_all_types",
        [(LONE, 1, "if (CLFOLD_MAKES_ALL ? p < share.kept : holds)",
          "if (CLFOLD_MAKES_ALL || holds)")],
    ),
    "select_row_past_its_part": (
        "select/test_all_types",
        [(LONE_SELECT, 1, "stop = min(j + 16, p) *", "stop = (j + 16) *")],
    ),
    "select_unstable": (
        "select/test_all_types",
        [(LONE_SELECT, 1, "+ n] = cells.s[n][k];", "+ n] = cells.s[n][15 - k];"),
         (LONE_SELECT, 1, "p += kept.s[k] & 1;", "p += kept.s[15 - k] & 1;"),
         (GROUP_SELECT, 1, "flags[k] ? p++", "flags[k] ? total - 1 - p++"),
         (GROUP_SELECT, 1, "places[p++] =", "places[total - 1 - p++] =")],
    ),
    # An element's neighbours in a row of the group are taken for it.
    "select_row_of_one": (
        "select/test_all_types",
        [(GROUP_SELECT, 1, "room->places[min(i + k * step, stop - 1)]", "room->places[i]")],
    ),
    # The others of a tile from its end on.
    "select_rest_mirrored": (
        "select/test_all_types",
        [(LONE, 1, "share.rest + j - p CLFOLD_PASS",
          "share.rest + count - share.kept - 1 - (j - p) CLFOLD_PASS"),
         (GROUP_SELECT, 1, ": q++] =", ": count + total - 1 - q++] =")],
    ),
    # A run's length is written for the next one, or is that of what a tile has of it.
    "select_length_of_the_next_run": (
        "select/test_all_conditions",
        [(COUNTS, 1, "index - clfold_out_begin - 1] =", "index - clfold_out_begin] =")],
    ),
    "select_length_within_a_tile": (
        "select/test_all_conditions", [(COUNTS, 1, "start = prefix.start;", "start = index;")],
    ),
    # By a scan's items: the condition sees the item before, a place counts the element itself, and
    # the others begin a word late.
    "select_of_the_item_before": (
        "select/test_all_conditions",
        [(WRITE_KEPT, 1, "CLFOLD_VALUE item = clfold_value_of(y);",
          "CLFOLD_VALUE item = clfold_value_of(before);"),
         (WRITE_KEPT, 1, "CLFOLD_VALUE16 item = clfold_value16_of(y);",
          "CLFOLD_VALUE16 item = clfold_value16_of(before);")],
    ),
    "select_place_off_by_one": (
        "select/test_scans",
        [(WRITE_KEPT, 1, "popcount(word & ((1u << k) - 1))", "popcount(word & (1u << k))")],
    ),
    "select_words_counted_late": (
        "select/test_scans",
        [(FIND_HEADS, 1, "offsets[offsets_at + i / 32] = s;",
          "offsets[offsets_at + i / 32] = s + popcount(word);")],
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
            print(fault, FAULTS[fault][0], ",".join(files_of(fault)) or "any")
        return 0
    if arguments == ["--files"]:
        print("\n".join(sorted({file for fault in FAULTS for file in files_of(fault)})))
        return 0
    if len(arguments) < 3 or arguments[0] not in FAULTS:
        print("mutate.py: usage: mutate.py FAULT DIR INPUT...", file=sys.stderr)
        return 2
    fault, folder, *inputs = arguments
    table = embed.table_of([path for path in inputs if path.endswith(".cl")])
    for name, data in table.items():
        table[name] = mutated(fault, name, data.decode("ascii")).encode("ascii")
    texts = {"kernels.c": embed.c_source(held_up(table))}
    for path in inputs:
        if path.endswith(".c"):
            with open(path, encoding="ascii") as file:
                name = os.path.basename(path)
                texts[name] = mutated(fault, name, file.read())
    for name, text in texts.items():
        embed.write(os.path.join(folder, f"{fault}_{name}"), text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
