/*
 * Look-back: a group hands over the total of its tile and gets the tile's prefix. It does
 * not depend on the tile's kind or room, nor on what a total is the fold of. Totals are
 * published in the words of descriptor.cl, and folded into `so_far`, see scan_totals.cl.
 *
 * Tiles are counted from the first of their row, whose slots all these are given: so
 * look-back ends at a row's first tile as at that of a whole input.
 *
 *   clfold_begin       begins tile t: channel->tile is t, whose total is wanted first
 *   clfold_hand_over   publishes the total of channel->tile
 *   clfold_look_back   sets channel->has_prefix: all tiles before t are taken, so
 *                      clfold_prefix returns the prefix. Or a tile before t has not
 *                      shown up, and is channel->tile: fold it for its owner, hand over
 *                      its total, and look back again
 *   clfold_end         ends t, just before its output is written
 *
 * Work-item 0 calls these, but CLFOLD_IS_LOOKING says which look back, a window of tiles
 * at a time, see look_window.cl. The group synchronises between them.
 *
 * A tile folds its own block first, and publishes that before it waits for the anchor. So
 * what tiles wait for one after the other is one hop a block.
 *
 * needs: contract.cl, memory.cl, descriptor.cl, look_window.cl, scan_totals.cl
 * needs: shared.cl
 * needs if CLFOLD_TRACE: scan_trace.cl
 * names: CLFOLD_ANCHOR, CLFOLD_CHAINED, CLFOLD_FENCES, CLFOLD_LOOKERS, CLFOLD_TRACE
 * names: CLFOLD_WINDOW, clfold_combine
 */
/* What scan_trace.cl records. */
#if CLFOLD_TRACE
#define CLFOLD_TRACED(statement) statement
#else
#define CLFOLD_TRACED(statement)
#define CLFOLD_TRACE_PARAMS
#define CLFOLD_TRACE_ARGS
#endif

/* For one work-item a walk is cheap, and a CPU's groups are few: it only looks once. */
#define CLFOLD_WAITS (CLFOLD_LOOKERS ? 4096u : 0u)

typedef struct {
    clfold_item window[CLFOLD_WINDOW];
    clfold_item init; /* before the first tile, if has_init */
    clfold_item own;  /* the tile's own total */
    ulong tile;       /* whose total is wanted: its own, or one that is missing */
    clfold_word_pointer counters; /* here, so that it takes no registers */
    uint has_init, epoch, spins, in_place, has_prefix;
    uint waits; /* looks at the anchor, after the first, that may find nothing */
#if CLFOLD_TRACE
    clfold_word_pointer words;
    ulong first;    /* tile of the row, of all tiles */
    uint polls;     /* looks at windows and at the anchor */
    uint depth;     /* tiles between its own and where look-back ended */
    uint fallbacks; /* tiles folded for others */
    ulong helped;   /* which these are: bit i is its own - 1 - i */
#endif
} clfold_channel;

typedef CLFOLD_SPACE clfold_channel *clfold_channel_pointer;

/* What a walk saw: the last tile that it passed, and the state of the one below, at which
 * it ended; or CLFOLD_MISSING, and the tile that is not there. */
typedef struct {
    uint state;
    ulong tile;
    uint kept; /* tiles from this one on whose totals the walk left in the window */
} clfold_seen;

/* Walks down from tile `from` - 1 over tiles that have totals, to `low` at most. Each
 * round moves on or counts as a spin. */
static clfold_seen clfold_walk(clfold_channel_pointer channel, clfold_word_pointer slots,
                               ulong low, ulong from, bool in_block CLFOLD_WITH)
{
    const uint epoch = channel->epoch, spins = channel->spins;
    clfold_item item = clfold_taken(channel->own);
    uint good = 0;
    clfold_seen seen;

    seen.state = CLFOLD_MISSING;
    seen.tile = from;
    for (uint polls = 0; polls <= spins && seen.state == CLFOLD_MISSING;) {
        uint found = CLFOLD_LOW;
        good = 0;
        if (seen.tile > low)
            good = clfold_look_down(slots, low, seen.tile, epoch, in_block, &found,
                                    &item CLFOLD_PASS);
        CLFOLD_TRACED(if (CLFOLD_LANE == 0) ++channel->polls);
        seen.tile -= good;
        if (good < CLFOLD_LANES)
            seen.state = found;
        polls = good > 0 ? 0 : polls + 1;
    }
    seen.tile -= seen.state == CLFOLD_MISSING;
    seen.kept = clfold_keep(channel->window, good, item);
    return seen;
}

/* Takes tile seen.tile - 1, at which a walk ended, or init before the first; for one
 * work-item. */
static void clfold_start(clfold_channel_pointer channel, clfold_running_pointer so_far,
                         clfold_seen seen)
{
    const clfold_item item = clfold_taken(channel->window[CLFOLD_LANES - 1]);

    so_far->has_before = seen.tile == 0 ? channel->has_init
                                        : seen.state != CLFOLD_LOW &&
                                              seen.tile % CLFOLD_ANCHOR == 0;
    if (so_far->has_before)
        so_far->before = clfold_taken(seen.tile == 0 ? channel->init : item);
    else if (seen.state != CLFOLD_LOW)
        so_far->partial = clfold_taken(item);
}

/* Takes the first `num` totals of the window, of tiles x and on; for one work-item. The
 * fold stays in registers up to a block's end. */
static void clfold_take_window(clfold_channel_pointer channel,
                               clfold_running_pointer so_far, ulong x,
                               uint num CLFOLD_WITH)
{
    for (uint i = 0; i < num; ++i) {
        const uint place = (uint)((x + i) % CLFOLD_ANCHOR);
        const uint end = min(num, i + CLFOLD_ANCHOR - 1 - place);
        if (i < end) {
            clfold_item partial = clfold_taken(so_far->partial);
            if (place == 0)
                partial = clfold_taken(channel->window[i++]);
#pragma unroll 4
            for (; i < end; ++i)
                partial = clfold_combine(partial, clfold_taken(channel->window[i])
                                                      CLFOLD_PASS);
            so_far->partial = clfold_taken(partial);
        }
        if (i < num)
            clfold_take(so_far, x + i, clfold_taken(channel->window[i]) CLFOLD_PASS);
    }
}

/* Takes the tiles from where the walk ended to stop - 1, a window at a time. Returns what
 * the walk saw; or what is missing, which in memory that passed the probe nothing is. */
static clfold_seen clfold_take_tiles(clfold_channel_pointer channel,
                                     clfold_running_pointer so_far,
                                     clfold_word_pointer slots, clfold_seen seen,
                                     ulong stop CLFOLD_WITH)
{
    const bool first = CLFOLD_LANE == 0;
    const uint lanes = CLFOLD_LANES;

    if (first)
        clfold_start(channel, so_far, seen);
    CLFOLD_WINDOW_SYNC();
    uint num = seen.kept;
    for (ulong x = seen.tile; x < stop; x += num) {
        if (x > seen.tile || seen.kept == 0) {
            num = (uint)min((ulong)lanes, stop - x);
            const uint good =
                clfold_fetch_window(channel->window, slots, x, num, channel->epoch);
            if (good < num) {
                seen.state = CLFOLD_MISSING;
                seen.tile = x + good;
                return seen;
            }
        }
        if (first)
            clfold_take_window(channel, so_far, x, num CLFOLD_PASS);
        CLFOLD_WINDOW_SYNC();
    }
    return seen;
}

/* Publishes what later tiles take from t, and leaves the tiles before t taken; for one
 * work-item. */
static void clfold_publish_running(clfold_channel_pointer channel,
                                   clfold_running_pointer so_far,
                                   clfold_word_pointer slots,
                                   ulong t CLFOLD_TRACE_PARAMS CLFOLD_WITH)
{
    const clfold_item before = clfold_taken(so_far->before);
    const clfold_item partial = clfold_taken(so_far->partial);
    const uint has_before = so_far->has_before;

    CLFOLD_TRACED(trace[channel->first + t].prefix = clfold_clock(channel->words));
    clfold_take(so_far, t, clfold_taken(channel->own) CLFOLD_PASS);
    clfold_publish(slots, t, CLFOLD_RUNNING, channel->epoch,
                   (t + 1) % CLFOLD_ANCHOR == 0 ? so_far->before : so_far->partial);
    if ((t + 1) % CLFOLD_ANCHOR == 0) {
        if (has_before)
            so_far->before = clfold_taken(before);
        so_far->has_before = has_before;
    } else if (t % CLFOLD_ANCHOR > 0)
        so_far->partial = clfold_taken(partial);
}

/* Waits for the anchor, tile block - 1, for channel->waits looks. It is there soon unless
 * its group is held up, and to walk past it, over a whole block, takes longer. */
static bool clfold_await_anchor(clfold_channel_pointer channel,
                                clfold_running_pointer so_far, clfold_word_pointer slots,
                                ulong block)
{
    bool there = false;
    clfold_item item;

    if (CLFOLD_LANE == 0) {
        for (uint looks = 0; looks <= channel->waits && !there; ++looks) {
            there = clfold_look(slots, block - 1, CLFOLD_RUNNING, channel->epoch, &item);
            CLFOLD_TRACED(++channel->polls);
        }
        if (there)
            so_far->before = clfold_taken(item);
        so_far->has_before = there;
        channel->waits = 0;
    }
    return CLFOLD_BROADCAST(there, 0);
}

static void clfold_begin(clfold_channel_pointer channel, clfold_word_pointer words,
                         ulong t, ulong row CLFOLD_TRACE_PARAMS)
{
    CLFOLD_TRACED(channel->words = words);
    CLFOLD_TRACED(channel->first = row);
    channel->tile = t;
    channel->has_prefix = false;
    channel->waits = CLFOLD_ANCHOR > 1 ? min(channel->spins, CLFOLD_WAITS) : 0;
    CLFOLD_TRACED(channel->polls = channel->fallbacks = channel->helped = 0);
    CLFOLD_TRACED(trace[row + t].started = clfold_clock(words));
}

/* Publishes the total of tile x, which was missing, unless another group has. In place it
 * looks again: what was folded may be output, if the owner has published since. */
static void clfold_help(clfold_channel_pointer channel, clfold_word_pointer slots,
                        ulong x, clfold_item total)
{
    bool is_there = false;
    clfold_item item;

    if (CLFOLD_FENCES && channel->in_place) {
        clfold_acquire();
        is_there = clfold_look(slots, x, CLFOLD_AGGREGATE, channel->epoch, &item);
    }
    if (!is_there)
        clfold_publish(slots, x, CLFOLD_AGGREGATE, channel->epoch, total);
}

static void clfold_hand_over(clfold_channel_pointer channel, clfold_word_pointer slots,
                             ulong t, clfold_item total CLFOLD_TRACE_PARAMS)
{
    const ulong x = channel->tile;

    if (x == t) {
        CLFOLD_TRACED(trace[channel->first + t].aggregate = clfold_clock(channel->words));
        channel->own = total;
        if (!CLFOLD_CHAINED)
            clfold_publish(slots, t, CLFOLD_AGGREGATE, channel->epoch, total);
    } else {
        CLFOLD_TRACED(++channel->fallbacks);
        CLFOLD_TRACED(channel->helped |= t - x <= 64 ? (ulong)1 << (t - x - 1) : 0);
        clfold_help(channel, slots, x, total);
    }
}

/*
 * First takes the tiles of t's own block, then those before it.
 *
 *   blocks of 4      8   9  10  11 | 12  13  14   t = 15
 *   walks                            <-- A   A   A        or  13 is R: ends there
 *   takes, partial                   12, 13, 14
 *   walks                    R <---|
 *   takes, before           R11
 */
static void clfold_look_back(clfold_channel_pointer channel,
                             clfold_running_pointer so_far, clfold_word_pointer slots,
                             ulong t CLFOLD_TRACE_PARAMS CLFOLD_WITH)
{
    const ulong block = t - t % CLFOLD_ANCHOR;
    const bool first = CLFOLD_LANE == 0;
    const bool is_last = (t + 1) % CLFOLD_ANCHOR == 0;
    clfold_item partial = clfold_taken(channel->own);
    clfold_seen inner, seen;

    inner.state = CLFOLD_LOW;
    inner.tile = t;
    seen = inner;
    /* One place walks, one takes tiles and one publishes: with two, PoCL 3.1's compiler
     * crashes. */
    for (uint part = CLFOLD_ANCHOR > 1 ? 0 : 1; part < 2 && inner.state != CLFOLD_STOP;
         ++part) {
        const ulong stop = part == 0 ? t : block;
        if (part == 1 && block > 0 &&
            clfold_await_anchor(channel, so_far, slots, block)) {
            seen.tile = block;
        } else {
            seen = clfold_walk(channel, slots, part == 0 ? block : 0, stop,
                               part == 0 CLFOLD_PASS);
            if (seen.state != CLFOLD_MISSING)
                seen = clfold_take_tiles(channel, so_far, slots, seen, stop CLFOLD_PASS);
            if (seen.state == CLFOLD_MISSING)
                break;
        }
        inner = part == 0 ? seen : inner;
        if (first && t > block) {
            if (part == 0)
                partial = clfold_taken(so_far->partial);
            else
                so_far->partial = clfold_taken(partial);
        }
        if (first && (part == 1) == (is_last && inner.state != CLFOLD_STOP))
            clfold_publish_running(channel, so_far, slots,
                                   t CLFOLD_TRACE_ARGS CLFOLD_PASS);
    }
    if (first) {
        channel->has_prefix = seen.state != CLFOLD_MISSING;
        channel->tile = channel->has_prefix ? t : seen.tile;
        CLFOLD_TRACED(channel->depth = (uint)(t - (inner.state == CLFOLD_LOW ? seen.tile
                                                                 : inner.tile)));
    }
}

/* Before t's output is written: in place, helpers must see what was published. */
static void clfold_end(clfold_channel_pointer channel, clfold_word_pointer slots,
                       ulong t CLFOLD_TRACE_PARAMS)
{
    if (CLFOLD_FENCES && channel->in_place) {
        if (CLFOLD_CHAINED)
            clfold_publish(slots, t, CLFOLD_AGGREGATE, channel->epoch, channel->own);
        clfold_release();
    }
#if CLFOLD_TRACE
    trace += channel->first + t;
    trace->ticket = (uint)(channel->first + t);
    trace->depth = channel->depth;
    trace->polls = channel->polls;
    trace->fallbacks = channel->fallbacks;
    trace->folded = channel->helped;
#endif
}
