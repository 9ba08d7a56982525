/*
 * The channel between tiles: a group publishes the total of its tile, see descriptor.cl,
 * and receives its prefix. It does not depend on the tile's kind or room. Totals are
 * folded into `so_far`, see scan_totals.cl.
 *
 *   clfold_receive   looks back from tile t: { CLFOLD_RECEIVED, where it ended }, and all
 *                    tiles before t are taken; or { CLFOLD_MISSING, tile }, which has
 *                    not shown up: publish its total and receive again
 *
 * CLFOLD_WINDOW tiles are read together: by the first sub-group, a tile by each
 * work-item, or by one work-item, which first reads a word of each slot, so that the
 * reads are under way at once.
 */
#if CLFOLD_WINDOW_SUB_GROUP
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

typedef struct {
    clfold_item window[CLFOLD_WINDOW];
    clfold_item init; /* before the first tile, if has_init */
    uint has_init, epoch, spins;
#if CLFOLD_TRACE
    uint polls; /* looks at windows */
#endif
} clfold_channel;

typedef CLFOLD_SPACE clfold_channel *clfold_channel_pointer;

/*
 * What a look found, and where:
 *
 *   CLFOLD_MISSING    the tile that is not there
 *   CLFOLD_RECEIVED   the tile at which look-back ended
 *   of a walk         the last tile that it passed; the one below is in this state
 */
typedef struct {
    uint state;
    ulong tile;
} clfold_seen;

#define CLFOLD_MISSING  0
#define CLFOLD_RECEIVED 3
#define CLFOLD_CUT      4 /* nothing before the tile counts */
#define CLFOLD_LOW      5 /* the walk reached its end */

/* What a look at tile x finds. Running tiles of other blocks are only useful at the end
 * of a block. */
static uint clfold_look_at(clfold_word_pointer words, ulong x, uint epoch,
                           bool in_block CLFOLD_WITH)
{
    const clfold_slot_words running = clfold_see(words, x, CLFOLD_RUNNING);
    const clfold_slot_words total = clfold_see(words, x, CLFOLD_AGGREGATE);
    clfold_item item;

    if ((in_block || (x + 1) % CLFOLD_ANCHOR == 0) &&
        clfold_was_there(&running, CLFOLD_RUNNING, epoch, &item))
        return CLFOLD_RUNNING;
    if (!clfold_was_there(&total, CLFOLD_AGGREGATE, epoch, &item))
        return CLFOLD_MISSING;
#if CLFOLD_CUTS_ITEM
    if (clfold_cuts_item(item CLFOLD_PASS))
        return CLFOLD_CUT;
#endif
    return CLFOLD_AGGREGATE;
}

#if CLFOLD_WINDOW_SUB_GROUP

/* Looks at the tiles below pos, down to `low`: how many have totals in a row, and what
 * the next one is. */
static uint clfold_look_down(clfold_word_pointer words, ulong low, ulong pos, uint epoch,
                             bool in_block, uint *found CLFOLD_WITH)
{
    const uint lane = CLFOLD_LANE;
    const uint lanes = CLFOLD_LANES;

    *found = CLFOLD_LOW;
    if (lane < lanes && lane < pos - low)
        *found = clfold_look_at(words, pos - 1 - lane, epoch, in_block CLFOLD_PASS);
    const uint good =
        CLFOLD_LEAST(*found == CLFOLD_AGGREGATE ? lanes : min(lane, lanes));
    if (good < lanes)
        *found = CLFOLD_BROADCAST(*found, good);
    return good;
}

/* Reads the totals of tiles x to x + num - 1 into the window; returns how many are there.
 */
static uint clfold_fetch_window(clfold_channel_pointer channel, clfold_word_pointer words,
                                ulong x, uint num)
{
    const uint lane = CLFOLD_LANE;
    bool there = true;
    clfold_item item;

    if (lane < num) {
        there = clfold_look(words, x + lane, CLFOLD_AGGREGATE, channel->epoch, &item);
        if (there)
            channel->window[lane] = item;
    }
    const uint good = CLFOLD_LEAST(there ? CLFOLD_LANES : lane);
    CLFOLD_WINDOW_SYNC();
    return good;
}

#else

/* The same from the word that was read: a slot of one word is there or not, and only
 * longer ones are read again. */
static uint clfold_found(clfold_word_pointer words, ulong x, uint epoch, bool in_block,
                         clfold_word total, clfold_word running CLFOLD_WITH)
{
    const bool ends = (in_block || (x + 1) % CLFOLD_ANCHOR == 0) &&
                      clfold_is_tagged(running, epoch, CLFOLD_RUNNING);
    const bool there = clfold_is_tagged(total, epoch, CLFOLD_AGGREGATE);

    if (!ends && !there)
        return CLFOLD_MISSING;
    if (CLFOLD_ITEM_WORDS > 1 || CLFOLD_CUTS_ITEM)
        return clfold_look_at(words, x, epoch, in_block CLFOLD_PASS);
    return ends ? CLFOLD_RUNNING : CLFOLD_AGGREGATE;
}

static uint clfold_look_down(clfold_word_pointer words, ulong low, ulong pos, uint epoch,
                             bool in_block, uint *found CLFOLD_WITH)
{
    const uint num = (uint)min((ulong)CLFOLD_WINDOW, pos - low);
    clfold_word totals[CLFOLD_WINDOW], runnings[CLFOLD_WINDOW];
    uint good = 0;

    /* Below `low` reads the lowest again, which is safe. */
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
                                  runnings[k] CLFOLD_PASS);
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

static uint clfold_fetch_window(clfold_channel_pointer channel, clfold_word_pointer words,
                                ulong x, uint num)
{
    clfold_slot_words totals[CLFOLD_FETCHED];
    clfold_item item;
    uint good = 0;

    for (uint from = 0; from < num && good == from; from += CLFOLD_FETCHED) {
        /* Past `num` reads the last again, which is safe. */
#pragma unroll
        for (uint k = 0; k < CLFOLD_FETCHED; ++k)
            totals[k] =
                clfold_see(words, x + min(from + k, num - 1), CLFOLD_AGGREGATE);
#pragma unroll
        for (uint k = 0; k < CLFOLD_FETCHED; ++k) {
            if (good == from + k && good < num &&
                clfold_was_there(&totals[k], CLFOLD_AGGREGATE, channel->epoch, &item)) {
                channel->window[good] = clfold_taken(item);
                ++good;
            }
        }
    }
    return good;
}

#define CLFOLD_WINDOW_SYNC()

#endif

/* Walks down from tile `from` - 1 over tiles that have totals, to `low` at most. Returns
 * the last of them, and what was seen before it. Each round moves on or counts as a spin.
 */
static clfold_seen clfold_walk(clfold_channel_pointer channel, clfold_word_pointer words,
                               ulong low, ulong from, bool in_block CLFOLD_WITH)
{
    const uint epoch = channel->epoch, spins = channel->spins;
    clfold_seen seen;

    seen.state = CLFOLD_MISSING;
    seen.tile = from;
    for (uint polls = 0; polls <= spins && seen.state == CLFOLD_MISSING;) {
        uint found = CLFOLD_LOW, good = 0;
        if (seen.tile > low)
            good = clfold_look_down(words, low, seen.tile, epoch, in_block,
                                    &found CLFOLD_PASS);
#if CLFOLD_TRACE
        if (CLFOLD_LANE == 0)
            ++channel->polls;
#endif
        seen.tile -= good;
        if (good < CLFOLD_LANES)
            seen.state = found;
        polls = good > 0 ? 0 : polls + 1;
    }
    return seen;
}

/* Takes tile seen.tile - 1, at which a walk ended; for one work-item. False if it is not
 * there: another work-item of the window saw it, and this one does not. */
static bool clfold_start(clfold_channel_pointer channel, clfold_running_pointer so_far,
                         clfold_word_pointer words, clfold_seen seen)
{
    const uint state = seen.state == CLFOLD_RUNNING ? CLFOLD_RUNNING : CLFOLD_AGGREGATE;
    clfold_item item;

    if (seen.state == CLFOLD_LOW)
        return true;
    if (!clfold_look(words, seen.tile - 1, state, channel->epoch, &item))
        return false;
    if (seen.tile % CLFOLD_ANCHOR == 0) {
        so_far->before = clfold_taken(item);
        so_far->has_before = true;
    } else
        so_far->partial = clfold_taken(item);
    return true;
}

/* Takes the totals of tiles from where the walk ended to stop - 1, a window at a time;
 * returns the tile after the last that was there. In memory that passed the probe none is
 * missing. */
static ulong clfold_take_tiles(clfold_channel_pointer channel,
                               clfold_running_pointer so_far, clfold_word_pointer words,
                               clfold_seen seen, ulong stop CLFOLD_WITH)
{
    const bool first = CLFOLD_LANE == 0;
    const uint lanes = CLFOLD_LANES;
    bool starts = true;

    if (first)
        starts = clfold_start(channel, so_far, words, seen);
    if (!CLFOLD_BROADCAST(starts, 0))
        return seen.tile - 1;
    for (ulong x = seen.tile; x < stop; x += lanes) {
        const uint num = (uint)min((ulong)lanes, stop - x);
        const uint good = clfold_fetch_window(channel, words, x, num);
        if (good < num)
            return x + good;
        if (first) {
            for (uint i = 0; i < num; ++i)
                clfold_take(so_far, x + i, channel->window[i] CLFOLD_PASS);
        }
        CLFOLD_WINDOW_SYNC();
    }
    return stop;
}

/*
 * First looks at the tiles of t's own block, then at those before it.
 *
 *   blocks of 4      8   9  10  11 | 12  13  14   t = 15
 *   walks                    R <------ A   A   A          or  12 is R: ends there first
 *   takes            before: R11     12, 13, 14
 */
static clfold_seen clfold_receive(clfold_channel_pointer channel,
                                  clfold_running_pointer so_far,
                                  clfold_word_pointer words, ulong t CLFOLD_WITH)
{
    const ulong block = t - t % CLFOLD_ANCHOR;
    const bool first = CLFOLD_LANE == 0;
    clfold_seen inner, outer, seen;

    inner.state = CLFOLD_LOW;
    inner.tile = t;
    outer.state = CLFOLD_LOW;
    outer.tile = block;
    /* One place calls the walk and one takes tiles, here and below: with two, PoCL 3.1's
     * compiler crashes. */
    for (uint part = CLFOLD_ANCHOR > 1 ? 0 : 1; part < 2; ++part) {
        seen = clfold_walk(channel, words, part == 0 ? block : 0,
                           part == 0 ? t : block, part == 0 CLFOLD_PASS);
        if (seen.state == CLFOLD_MISSING) {
            --seen.tile;
            return seen;
        }
        inner.state = part == 0 ? seen.state : inner.state;
        inner.tile = part == 0 ? seen.tile : inner.tile;
        outer.state = part == 0 ? outer.state : seen.state;
        outer.tile = part == 0 ? outer.tile : seen.tile;
        if (part == 0 && seen.state == CLFOLD_CUT)
            break;
    }
    if (first) {
        so_far->has_before = inner.state != CLFOLD_CUT && outer.state == CLFOLD_LOW &&
                             channel->has_init;
        if (so_far->has_before)
            so_far->before = channel->init;
    }
    const uint parts = CLFOLD_ANCHOR > 1 ? 2 : 1;
    for (uint part = inner.state == CLFOLD_CUT ? 1 : 0; part < parts; ++part) {
        const ulong stop = part == 0 ? block : t;
        seen.state = part == 0 ? outer.state : inner.state;
        seen.tile = part == 0 ? outer.tile : inner.tile;
        const ulong end =
            clfold_take_tiles(channel, so_far, words, seen, stop CLFOLD_PASS);
        if (end < stop) {
            seen.state = CLFOLD_MISSING;
            seen.tile = end;
            return seen;
        }
    }
    seen.state = CLFOLD_RECEIVED;
    seen.tile = inner.state == CLFOLD_LOW ? outer.tile : inner.tile;
    return seen;
}
