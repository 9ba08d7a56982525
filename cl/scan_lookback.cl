/*
 * scan_lookback: one launch, every element read and written once. A group folds a tile,
 * publishes the total, and looks back over the tiles before it to the nearest that has
 * its prefix; forward from there it folds totals, which makes its own prefix.
 *
 *   tile          0    1    2    3    4    5    6    7
 *   state         P    A    A    P    A    P    X    A
 *   tile 5 looks                 <----+                    P3 t4, and t5 behind it: P5
 *   tile 7 looks                                <----+     6 is not there: polls
 *
 * Tiles are taken by ticket, in the order in which groups really start, so what a tile
 * waits for has been started. And no group waits for ever: after `spins` looks at a tile
 * that is not there it folds that tile itself, publishes its total, and goes on. Totals
 * are the same bits whoever folds them, and so are prefixes: they are folded forward, in
 * the association of scan_tiles.cl, wherever the look-back ended.
 *
 * In place an owner may have overwritten what a helper folds. It publishes before it
 * writes, with a fence between, so a helper that still finds nothing published, behind a
 * fence of its own, has read what was there: nobody waits, and no word is claimed.
 *
 * scan_chained, CLFOLD_CHAINED, publishes no totals but those, just before it writes in
 * place: each tile waits for the one before it, and only what helpers publish is looked
 * back over.
 *
 * D. Merrill, M. Garland: Single-pass Parallel Prefix Scan with Decoupled Look-back.
 * NVIDIA NVR-2016-002, 2016. T. Smith, R. Levien, J. Owens: Decoupled Fallback: A
 * Portable Single-Pass GPU Scan. SPAA 2025.
 */

/* How a walk over tiles ended, beside at one that is CLFOLD_RUNNING. */
#define CLFOLD_INVALID 0
#define CLFOLD_CUT     3 /* at one that takes no account of what is before it */
#define CLFOLD_LOW     4 /* where it was to end */

/*
 * A window of CLFOLD_WINDOW tiles is looked at at once: by the first sub-group, a tile by
 * each work-item, or by one work-item, which first reads a word of each slot, so that the
 * reads are under way together.
 */
#if CLFOLD_WINDOW_SUB_GROUP
#define CLFOLD_LOOKS         (get_sub_group_id() == 0)
#define CLFOLD_LANE          get_sub_group_local_id()
#define CLFOLD_LANES         min(get_sub_group_size(), (uint)CLFOLD_WINDOW)
#define CLFOLD_LEAST(x)      sub_group_reduce_min((uint)(x))
#define CLFOLD_SAID(x, lane) sub_group_broadcast((uint)(x), lane)
#define CLFOLD_WINDOW_SYNC() sub_group_barrier(CLK_LOCAL_MEM_FENCE)
#else
#define CLFOLD_LOOKS         (get_local_id(0) == 0)
#define CLFOLD_LANE          0u
#define CLFOLD_LANES         ((uint)CLFOLD_WINDOW)
#define CLFOLD_SAID(x, lane) (x)
#endif

/* What scan_trace.cl adds, which has functions of these names. */
#if !CLFOLD_TRACE
#define CLFOLD_TRACE_PARAMS
#define CLFOLD_TRACE_ARGS
#define clfold_is_blocked(t) false
#define clfold_at_start(room, words, t)
#define clfold_at_poll(room)
#define clfold_at_depth(room, tiles)
#define clfold_at_total(room, words, t, x)
#define clfold_at_prefix(room, words, t)
#define clfold_at_output(room, words, t, in_place)
#define clfold_at_end(words)
#endif

#define CLFOLD_EPOCH(room) clfold_epoch_of((room)->ticket)

#define CLFOLD_WORDS_PARAMS                                                              \
    volatile global clfold_word *words, ulong capacity, uint spins, uint in_place

/* Whether somebody has published the total of tile x already, for a helper in place: then
 * what it folded may be part of the output. */
static bool clfold_is_published(clfold_word_pointer words, ulong x, uint epoch,
                                uint in_place)
{
#if CLFOLD_FENCES
    clfold_item item;

    if (in_place) {
        clfold_acquire();
        return clfold_look(words, x, CLFOLD_AGGREGATE, epoch, &item);
    }
#endif
    return false;
}

/* What a look at tile x finds. Running tiles of other blocks are of use only where they
 * end one. */
static uint clfold_look_at(clfold_word_pointer words, ulong x, uint epoch, bool in_block)
{
    clfold_item item;

    if ((in_block || (x + 1) % CLFOLD_ANCHOR == 0) &&
        clfold_look(words, x, CLFOLD_RUNNING, epoch, &item))
        return CLFOLD_RUNNING;
    if (!clfold_look(words, x, CLFOLD_AGGREGATE, epoch, &item))
        return CLFOLD_INVALID;
#if CLFOLD_CUTS_ITEM
    if (clfold_cuts_item(item))
        return CLFOLD_CUT;
#endif
    return CLFOLD_AGGREGATE;
}

#if CLFOLD_WINDOW_SUB_GROUP

/* Looks at the tiles below pos, to `low` at most: how many of them have totals, one after
 * the other, and what is found behind those. */
static uint clfold_look_down(clfold_word_pointer words, ulong low, ulong pos, uint epoch,
                             bool in_block, uint *found)
{
    const uint lane = CLFOLD_LANE;
    const uint lanes = CLFOLD_LANES;

    *found = CLFOLD_LOW;
    if (lane < lanes && lane < pos - low)
        *found = clfold_look_at(words, pos - 1 - lane, epoch, in_block);
    const uint good =
        CLFOLD_LEAST(*found == CLFOLD_AGGREGATE ? lanes : min(lane, lanes));
    if (good < lanes)
        *found = CLFOLD_SAID(*found, good);
    return good;
}

/* The totals of tiles x to x + num - 1 to the window; how many of them are there. */
static uint clfold_fetch_window(clfold_room_pointer room, clfold_word_pointer words,
                                ulong x, uint num, uint epoch)
{
    const uint lane = CLFOLD_LANE;
    bool there = true;
    clfold_item item;

    if (lane < num) {
        there = clfold_look(words, x + lane, CLFOLD_AGGREGATE, epoch, &item);
        if (there)
            room->window[lane] = item;
    }
    const uint good = CLFOLD_LEAST(there ? CLFOLD_LANES : lane);
    CLFOLD_WINDOW_SYNC();
    return good;
}

#else

/* The same of what was read of the tile: a slot of one word is there or it is not, and
 * only longer ones are read again. */
static uint clfold_found(clfold_word_pointer words, ulong x, uint epoch, bool in_block,
                         clfold_word total, clfold_word running)
{
    const bool ends = (in_block || (x + 1) % CLFOLD_ANCHOR == 0) &&
                      clfold_is_tagged(running, epoch, CLFOLD_RUNNING);
    const bool there = clfold_is_tagged(total, epoch, CLFOLD_AGGREGATE);

    if (!ends && !there)
        return CLFOLD_INVALID;
    if (CLFOLD_ITEM_WORDS > 1 || CLFOLD_CUTS_ITEM)
        return clfold_look_at(words, x, epoch, in_block);
    return ends ? CLFOLD_RUNNING : CLFOLD_AGGREGATE;
}

static uint clfold_look_down(clfold_word_pointer words, ulong low, ulong pos, uint epoch,
                             bool in_block, uint *found)
{
    const uint num = (uint)min((ulong)CLFOLD_WINDOW, pos - low);
    clfold_word totals[CLFOLD_WINDOW], runnings[CLFOLD_WINDOW];
    uint good = 0;

    /* Below `low` the lowest once more: it may be read. */
#pragma unroll
    for (uint k = 0; k < CLFOLD_WINDOW; ++k) {
        const ulong x = pos - low > k ? pos - 1 - k : low;
        totals[k] = clfold_read(clfold_slot_of(words, x, CLFOLD_AGGREGATE));
        runnings[k] = clfold_read(clfold_slot_of(words, x, CLFOLD_RUNNING));
    }
    *found = CLFOLD_AGGREGATE;
#pragma unroll
    for (uint k = 0; k < CLFOLD_WINDOW; ++k) {
        if (good == k && k < num) {
            *found = clfold_found(words, pos - 1 - k, epoch, in_block, totals[k],
                                  runnings[k]);
            good += *found == CLFOLD_AGGREGATE;
        }
    }
    if (good == num && num < CLFOLD_WINDOW)
        *found = CLFOLD_LOW;
    return good;
}

static uint clfold_fetch_window(clfold_room_pointer room, clfold_word_pointer words,
                                ulong x, uint num, uint epoch)
{
    clfold_item item;
    uint good = 0;

#pragma unroll
    for (uint k = 0; k < CLFOLD_WINDOW; ++k) {
        if (good == k && k < num &&
            clfold_look(words, x + k, CLFOLD_AGGREGATE, epoch, &item)) {
            room->window[k] = clfold_taken(item);
            ++good;
        }
    }
    return good;
}

#define CLFOLD_WINDOW_SYNC()

#endif

/* Goes down from tile *pos - 1 over tiles that have totals, to `low` at most; *pos is
 * then the last of them, and the tile before it what the walk ended at. Each round either
 * moves on or is one of `spins`. */
static uint clfold_walk(clfold_room_pointer room, clfold_word_pointer words, ulong low,
                        ulong *pos, uint spins, bool in_block)
{
    for (uint polls = 0; polls <= spins;) {
        uint found = CLFOLD_LOW, good = 0;
        if (*pos > low)
            good =
                clfold_look_down(words, low, *pos, CLFOLD_EPOCH(room), in_block, &found);
        if (CLFOLD_LANE == 0) {
            clfold_at_poll(room);
        }
        *pos -= good;
        if (good < CLFOLD_LANES && found != CLFOLD_INVALID)
            return found;
        polls = good > 0 ? 0 : polls + 1;
    }
    return CLFOLD_INVALID;
}

/* Takes the totals of tiles first to stop - 1, a window at a time; or finds that one is
 * not there, which no memory does that passed the probe. */
static bool clfold_take_tiles(clfold_room_pointer room, clfold_word_pointer words,
                              ulong first, ulong stop)
{
    const uint lane = CLFOLD_LANE;
    const uint lanes = CLFOLD_LANES;

    for (ulong x = first; x < stop; x += lanes) {
        const uint num = (uint)min((ulong)lanes, stop - x);
        const uint good = clfold_fetch_window(room, words, x, num, CLFOLD_EPOCH(room));
        if (good < num) {
            if (lane == 0)
                room->missing = x + good + 1;
            return false;
        }
        if (lane == 0) {
            for (uint i = 0; i < num; ++i)
                clfold_take(room, x + i, room->window[i]);
        }
        CLFOLD_WINDOW_SYNC();
    }
    return true;
}

/* Has tile pos - 1 taken, as a walk that ended there found it; one work-item does. False
 * as in clfold_take_tiles: another one of the window has seen what this one does not. */
static bool clfold_start(clfold_room_pointer room, clfold_word_pointer words, ulong pos,
                         uint found)
{
    const uint state = found == CLFOLD_RUNNING ? CLFOLD_RUNNING : CLFOLD_AGGREGATE;
    clfold_item item;

    if (found == CLFOLD_LOW)
        return true;
    if (!clfold_look(words, pos - 1, state, CLFOLD_EPOCH(room), &item)) {
        room->missing = pos;
        return false;
    }
    if (pos % CLFOLD_ANCHOR == 0) {
        room->kept[CLFOLD_BEFORE] = clfold_taken(item);
        room->has_before = true;
    } else
        room->kept[CLFOLD_PARTIAL] = clfold_taken(item);
    return true;
}

/*
 * The prefix of tile t to kept[CLFOLD_PREFIX]; or, where a tile has not shown up, that
 * tile and 1 to `missing`. First the tiles of its own block, then those before it.
 *
 *   blocks of 4      8   9  10  11 | 12  13  14   t = 15
 *   walks                    R <------ A   A   A          or  12 is R: ends there first
 *   takes            before: R11     12, 13, 14
 */
static void clfold_look_back(clfold_room_pointer room, clfold_word_pointer words, ulong t,
                             uint spins, bool has_init)
{
    const ulong block = t - t % CLFOLD_ANCHOR;
    const bool first = CLFOLD_LANE == 0;
    ulong inner = t, outer = block;
    uint inner_end = CLFOLD_LOW, outer_end = CLFOLD_LOW;

    if (first) {
        room->missing = 0;
        room->has_before = false;
    }
    /* One place calls the walk and one takes tiles, here and below: with two PoCL 3.1's
     * compiler dies. */
    for (uint part = CLFOLD_ANCHOR > 1 ? 0 : 1; part < 2; ++part) {
        ulong pos = part == 0 ? t : block;
        const uint end = clfold_walk(room, words, part == 0 ? block : 0, &pos, spins,
                                     part == 0);
        if (end == CLFOLD_INVALID) {
            if (first)
                room->missing = pos;
            return;
        }
        inner = part == 0 ? pos : inner;
        inner_end = part == 0 ? end : inner_end;
        outer = part == 0 ? outer : pos;
        outer_end = part == 0 ? outer_end : end;
        if (part == 0 && end == CLFOLD_CUT)
            break;
    }
    if (first && inner_end != CLFOLD_CUT && outer_end == CLFOLD_LOW && has_init) {
        room->kept[CLFOLD_BEFORE] = room->kept[CLFOLD_INIT];
        room->has_before = true;
    }
    for (uint part = inner_end == CLFOLD_CUT ? 1 : 0; part < (CLFOLD_ANCHOR > 1 ? 2 : 1);
         ++part) {
        const ulong pos = part == 0 ? outer : inner;
        bool starts = true;
        if (first)
            starts = clfold_start(room, words, pos, part == 0 ? outer_end : inner_end);
        if (!CLFOLD_SAID(starts, 0) ||
            !clfold_take_tiles(room, words, pos, part == 0 ? block : t))
            return;
    }
    if (first && (t > 0 || has_init))
        room->kept[CLFOLD_PREFIX] = clfold_prefix(room, t);
    if (first) {
        clfold_at_depth(room, t - (inner_end == CLFOLD_LOW ? outer : inner));
    }
}

/* What comes of the total of tile x, for tile t; one work-item does. */
static void clfold_tell(clfold_room_pointer room, clfold_word_pointer words, ulong t,
                        ulong x, clfold_item total, uint in_place, bool publishes)
{
    const uint epoch = CLFOLD_EPOCH(room);

    if (room->is_found)
        room->missing = 0;
    else if (x != t) {
        if (!clfold_is_published(words, x, epoch, in_place))
            clfold_publish(words, x, CLFOLD_AGGREGATE, epoch, total);
    } else {
        room->kept[CLFOLD_OWN] = total;
        if (publishes)
            clfold_publish(words, t, CLFOLD_AGGREGATE, epoch, total);
    }
}

/* Publishes the tiles up to t, whose prefix is found, and in place what helpers must see
 * before anything is written; one work-item does. */
static void clfold_tell_prefix(clfold_room_pointer room, clfold_word_pointer words,
                               ulong t, uint in_place, bool publishes)
{
    const bool is_anchor = (t + 1) % CLFOLD_ANCHOR == 0;

    if (publishes)
        clfold_publish(words, t, CLFOLD_RUNNING, CLFOLD_EPOCH(room),
                       room->kept[is_anchor ? CLFOLD_BEFORE : CLFOLD_PARTIAL]);
#if CLFOLD_FENCES
    if (in_place) {
#if CLFOLD_CHAINED
        if (publishes)
            clfold_publish(words, t, CLFOLD_AGGREGATE, CLFOLD_EPOCH(room),
                           room->kept[CLFOLD_OWN]);
#endif
        clfold_release();
    }
#endif
}

kernel __attribute__((reqd_work_group_size(CLFOLD_GROUP_SIZE, 1, 1))) void
clfold_scan_lookback(CLFOLD_SCAN_PARAMS, CLFOLD_WORDS_PARAMS, CLFOLD_OUT_PARAMS,
                     CLFOLD_TOTAL_PARAMS, CLFOLD_INIT_PARAMS CLFOLD_TRACE_PARAMS)
{
    CLFOLD_TILE_ROOM(room);
    const bool has_init = clfold_init_from != 0;
    const ulong taken = get_group_id(0) * run;
    const ulong rounds = min(run, num_tiles - min(taken, num_tiles));

    if (get_local_id(0) == 0) {
        room->kept[CLFOLD_INIT] = clfold_init(CLFOLD_INIT_ARGS);
        room->folds_next = false;
        if (rounds > 0)
            room->ticket = clfold_draw(words);
    }
    clfold_tile_sync();
    for (ulong round = 0; round < rounds; ++round) {
        const ulong t = clfold_tile_of(room->ticket);
        const bool draws = round + 1 < rounds;
        const bool is_blocked = clfold_is_blocked(t CLFOLD_TRACE_ARGS);
        const bool publishes = CLFOLD_CHAINED ? false : !is_blocked;

        /* Tiles are folded one after the other: this one, those that nobody else
         * publishes, and this one once more where they took its place in the room. */
        if (get_local_id(0) == 0) {
            room->missing = t + 1;
            room->is_found = false;
            clfold_at_start(room, words, t CLFOLD_TRACE_ARGS);
            room->upcoming = draws ? clfold_draw(words) : room->ticket;
        }
        clfold_tile_sync();
        for (ulong left = t + 2; left > 0 && room->missing > 0; --left) {
            const ulong x = room->missing - 1;
            const ulong begin = clfold_tile_begin(x, lead);
            const uint size = clfold_tile_count(x, lead, count);
            if (!(CLFOLD_TILE_AHEAD && x == t && room->folds_next))
                clfold_tile_aggregate(in, in_offset + begin, begin, size, room);
            /* PoCL 3.1 loses what one work-item does behind the barrier that ends the
             * group's scan, where a barrier follows. */
            clfold_tile_sync();
            if (get_local_id(0) == 0) {
                clfold_at_total(room, words, t, x CLFOLD_TRACE_ARGS);
                clfold_tell(room, words, t, x, clfold_tile_total(room, size), in_place,
                            publishes);
            }
            clfold_tile_sync();
            if (CLFOLD_LOOKS && !room->is_found)
                clfold_look_back(room, words, t, spins, has_init);
            clfold_tile_sync();
            if (CLFOLD_TILE_LOADS && get_local_id(0) == 0 && room->missing == 0 &&
                x != t) {
                room->missing = t + 1;
                room->is_found = true;
            }
            clfold_tile_sync();
        }
        const ulong begin = clfold_tile_begin(t, lead);
        const uint size = clfold_tile_count(t, lead, count);
        if (get_local_id(0) == 0) {
            const bool is_last = t + 1 == num_tiles;
            clfold_take_own(room, t, t > 0 || has_init, is_last);
            if (is_last && has_total)
                clfold_store(room->kept[CLFOLD_NEXT], total_out, total_index);
            clfold_at_prefix(room, words, t CLFOLD_TRACE_ARGS);
            clfold_tell_prefix(room, words, t, in_place, !is_blocked);
            clfold_at_output(room, words, t, in_place CLFOLD_TRACE_ARGS);
            room->ticket = room->upcoming;
        }
        clfold_tile_sync();
        const ulong after = clfold_tile_of(room->ticket);
        const ulong next = clfold_tile_begin(after, lead);
        if (CLFOLD_TILE_AHEAD)
            room->folds_next = draws && size == CLFOLD_TILE &&
                               clfold_tile_count(after, lead, count) == CLFOLD_TILE;
        clfold_tile_scan(in, in_offset + begin, begin, size, in_offset + next, out,
                         out_offset + begin, t > 0 || has_init, stream != 0, room);
    }
    if (get_local_id(0) == 0 && clfold_is_last(words)) {
        clfold_at_end(words CLFOLD_TRACE_ARGS);
        clfold_renew(words, capacity);
    }
}
