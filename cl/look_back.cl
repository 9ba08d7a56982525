/*
 * Look-back: a group hands over the total of its tile and gets the tile's prefix. Totals
 * are published in the words of descriptor.cl, and folded into `so_far`, see
 * scan_totals.cl. Tiles are counted from the first of their row, whose slots all these
 * are given: so look-back ends at a row's first tile as at that of a whole input.
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
 * at a time. The group synchronises between them. A tile folds its own block first, and
 * publishes that before it waits for the anchor, so tiles wait for one hop a block.
 *
 * needs: contract.cl, memory.cl, descriptor.cl, segments.cl, scan_totals.cl
 * needs if CLFOLD_TRACE: scan_trace.cl
 */
/*
 * The window: what CLFOLD_WINDOW tiles have published is read together: by one work-item,
 * which first reads a word of each slot, so that the reads are under way at once; or by
 * the first sub-group, a tile by each of its work-items, or by a warp in PTX, since
 * NVIDIA's devices offer no sub-groups.
 *
 *   tiles                 8   9  10  11  12  13  14   pos = 14
 *   clfold_look_down          <- X   A   A   A        3 have totals, 10 is missing
 *   clfold_fetch_window   A   A  -->                  from tile 8 on, once they are there
 */
#if CLFOLD_LOOKERS == 2

#define CLFOLD_IS_LOOKING          (get_local_id(0) < CLFOLD_WARP)
#define CLFOLD_LANE                ((uint)get_local_id(0))
#define CLFOLD_LANES               min(CLFOLD_WARP, (uint)CLFOLD_WINDOW)
#define CLFOLD_LEAST(x)            clfold_least(x)
#define CLFOLD_BROADCAST(x, lane)  clfold_broadcast(x, lane)
#define CLFOLD_WINDOW_SYNC()       clfold_warp_sync()

#define CLFOLD_WARP 32u

static uint clfold_least(uint mine)
{
    uint x = mine, other;

#pragma unroll
    for (uint step = CLFOLD_WARP / 2; step > 0; step /= 2) {
        asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;"
                     : "=r"(other)
                     : "r"(x), "r"(step)
                     : "memory");
        x = min(x, other);
    }
    return x;
}

static uint clfold_broadcast(uint x, uint lane)
{
    uint y;

    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;"
                 : "=r"(y)
                 : "r"(x), "r"(lane)
                 : "memory");
    return y;
}

static void clfold_warp_sync(void)
{
    asm volatile("bar.warp.sync 0xffffffff;" : : : "memory");
}

#elif CLFOLD_LOOKERS == 1
#define CLFOLD_IS_LOOKING          (get_sub_group_id() == 0)
#define CLFOLD_LANE                get_sub_group_local_id()
#define CLFOLD_LANES               min(get_sub_group_size(), (uint)CLFOLD_WINDOW)
#define CLFOLD_LEAST(x)            sub_group_reduce_min((uint)(x))
#define CLFOLD_BROADCAST(x, lane)  sub_group_broadcast((uint)(x), lane)
#define CLFOLD_WINDOW_SYNC()       sub_group_barrier(CLK_LOCAL_MEM_FENCE)
#else
#define CLFOLD_IS_LOOKING          (get_local_id(0) == 0)
#define CLFOLD_LANE                0u
#define CLFOLD_LANES               ((uint)CLFOLD_WINDOW)
#define CLFOLD_BROADCAST(x, lane)  (x)
#endif

/* What a look finds, besides CLFOLD_AGGREGATE and CLFOLD_RUNNING. */
#define CLFOLD_MISSING 0
#define CLFOLD_STOP    4 /* nothing before the tile counts */
#define CLFOLD_LOW     5 /* the walk reached its end */

/* What a look at tile x finds, and its item. Of other blocks only the last one's running
 * item is useful. */
static uint clfold_look_at(clfold_word_pointer slots, ulong x, uint epoch, bool in_block,
                           clfold_item *item CLFOLD_WITH)
{
    const clfold_slot_words running = clfold_see(slots, x, CLFOLD_RUNNING);
    const clfold_slot_words total = clfold_see(slots, x, CLFOLD_AGGREGATE);

    if ((in_block || (x + 1) % CLFOLD_ANCHOR == 0) &&
        clfold_was_there(&running, CLFOLD_RUNNING, epoch, item))
        return CLFOLD_RUNNING;
    if (!clfold_was_there(&total, CLFOLD_AGGREGATE, epoch, item))
        return CLFOLD_MISSING;
#if CLFOLD_CUTS_ITEM
    if (clfold_cuts_item(*item CLFOLD_PASS))
        return CLFOLD_STOP;
#endif
    return CLFOLD_AGGREGATE;
}

#if CLFOLD_LOOKERS

/* Looks at the tiles below pos, down to `low`: how many have totals in a row, and what
 * the next one is. `item` is what this work-item saw. */
static uint clfold_look_down(clfold_word_pointer slots, ulong low, ulong pos, uint epoch,
                             bool in_block, uint *found, clfold_item *item CLFOLD_WITH)
{
    const uint lane = CLFOLD_LANE;
    const uint lanes = CLFOLD_LANES;

    *found = CLFOLD_LOW;
    if (lane < lanes && lane < pos - low)
        *found = clfold_look_at(slots, pos - 1 - lane, epoch, in_block, item CLFOLD_PASS);
    const uint good =
        CLFOLD_LEAST(*found == CLFOLD_AGGREGATE ? lanes : min(lane, lanes));
    if (good < lanes)
        *found = CLFOLD_BROADCAST(*found, good);
    return good;
}

/* Leaves what the last look saw in the window: the totals, forward, and in the last place
 * the item at which the walk ended. Returns how many totals; that place is free, since
 * the walk ended before it. */
static uint clfold_keep(CLFOLD_SPACE clfold_item *window, uint good, clfold_item item)
{
    const uint lane = CLFOLD_LANE;

    if (lane < good)
        window[good - 1 - lane] = clfold_taken(item);
    else if (lane == good)
        window[CLFOLD_LANES - 1] = clfold_taken(item);
    CLFOLD_WINDOW_SYNC();
    return good;
}

/* Reads the totals of tiles x to x + num - 1 into the window; returns how many are there.
 */
static uint clfold_fetch_window(CLFOLD_SPACE clfold_item *window,
                                clfold_word_pointer slots, ulong x, uint num, uint epoch)
{
    const uint lane = CLFOLD_LANE;
    bool there = true;
    clfold_item item;

    if (lane < num) {
        there = clfold_look(slots, x + lane, CLFOLD_AGGREGATE, epoch, &item);
        if (there)
            window[lane] = item;
    }
    const uint good = CLFOLD_LEAST(there ? CLFOLD_LANES : lane);
    CLFOLD_WINDOW_SYNC();
    return good;
}

#else

/* The same from the word that was read: a slot of one word is there or not, and only
 * longer ones are read again. */
static uint clfold_found(clfold_word_pointer slots, ulong x, uint epoch, bool in_block,
                         clfold_word total, clfold_word running,
                         clfold_item *item CLFOLD_WITH)
{
    const bool ends = (in_block || (x + 1) % CLFOLD_ANCHOR == 0) &&
                      clfold_is_tagged(running, epoch, CLFOLD_RUNNING);
    const bool there = clfold_is_tagged(total, epoch, CLFOLD_AGGREGATE);
    clfold_packed packed;

    if (!ends && !there)
        return CLFOLD_MISSING;
    if (CLFOLD_ITEM_WORDS > 1 || CLFOLD_CUTS_ITEM)
        return clfold_look_at(slots, x, epoch, in_block, item CLFOLD_PASS);
    packed.halves[0] = (clfold_half)(ends ? running : total);
    *item = packed.item;
    return ends ? CLFOLD_RUNNING : CLFOLD_AGGREGATE;
}

static uint clfold_look_down(clfold_word_pointer slots, ulong low, ulong pos, uint epoch,
                             bool in_block, uint *found, clfold_item *item CLFOLD_WITH)
{
    const uint num = (uint)min((ulong)CLFOLD_WINDOW, pos - low);
    clfold_word totals[CLFOLD_WINDOW], runnings[CLFOLD_WINDOW];
    uint good = 0;

    /* Below `low` reads the lowest again, which is safe. */
#pragma unroll
    for (uint k = 0; k < CLFOLD_WINDOW; ++k) {
        const ulong x = pos - low > k ? pos - 1 - k : low;
        totals[k] = clfold_read(clfold_slot_of(slots, x, CLFOLD_AGGREGATE));
        runnings[k] = clfold_read(clfold_slot_of(slots, x, CLFOLD_RUNNING));
    }
    *found = CLFOLD_AGGREGATE;
#pragma unroll
    for (uint k = 0; k < CLFOLD_WINDOW; ++k) {
        if (good == k && k < num) {
            *found = clfold_found(slots, pos - 1 - k, epoch, in_block, totals[k],
                                  runnings[k], item CLFOLD_PASS);
            good += *found == CLFOLD_AGGREGATE;
        }
    }
    if (good == num && num < CLFOLD_WINDOW)
        *found = CLFOLD_LOW;
    return good;
}

/* Tiles whose totals are under way at once: one if totals are long, since there are
 * registers for no more. */
#define CLFOLD_FETCHED (CLFOLD_ITEM_WORDS > 2 ? 1 : CLFOLD_WINDOW)

static uint clfold_fetch_window(CLFOLD_SPACE clfold_item *window,
                                clfold_word_pointer slots, ulong x, uint num, uint epoch)
{
    clfold_slot_words totals[CLFOLD_FETCHED];
    clfold_item item;
    uint good = 0;

    for (uint from = 0; from < num && good == from; from += CLFOLD_FETCHED) {
        /* Past `num` reads the last again, which is safe. */
#pragma unroll
        for (uint k = 0; k < CLFOLD_FETCHED; ++k)
            totals[k] =
                clfold_see(slots, x + min(from + k, num - 1), CLFOLD_AGGREGATE);
#pragma unroll
        for (uint k = 0; k < CLFOLD_FETCHED; ++k) {
            if (good == from + k && good < num &&
                clfold_was_there(&totals[k], CLFOLD_AGGREGATE, epoch, &item)) {
                window[good] = clfold_taken(item);
                ++good;
            }
        }
    }
    return good;
}

/* Totals are fetched on the way forward. */
static uint clfold_keep(CLFOLD_SPACE clfold_item *window, uint good, clfold_item item)
{
    window[CLFOLD_LANES - 1] = clfold_taken(item);
    return 0;
}

#define CLFOLD_WINDOW_SYNC()

#endif

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

/* What a walk saw. */
typedef struct {
    uint state; /* of the tile at which it ended, or CLFOLD_MISSING */
    ulong tile; /* the last one that it passed, or that is not there */
    uint kept;  /* tiles from this one on whose totals the walk left in the window */
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
 * the walk saw; or what is missing, as nothing is in memory that passed the probe. */
static clfold_seen clfold_take_tiles(clfold_channel_pointer channel,
                                     clfold_running_pointer so_far,
                                     clfold_word_pointer slots, clfold_seen walked,
                                     ulong stop CLFOLD_WITH)
{
    const bool first = CLFOLD_LANE == 0;
    const uint lanes = CLFOLD_LANES;
    clfold_seen seen = walked;

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

/* Waits for the anchor, tile block - 1, for channel->waits looks: to walk past it, over a
 * whole block, takes longer. */
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
    CLFOLD_TRACED(channel->words = words; channel->first = row);
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
    /* With two places that walk, take tiles or publish, PoCL 3.1's compiler crashes. */
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
    global clfold_tile_trace *const row = trace + channel->first + t;
    row->ticket = (uint)(channel->first + t);
    row->depth = channel->depth;
    row->polls = channel->polls;
    row->fallbacks = channel->fallbacks;
    row->folded = channel->helped;
#endif
}
