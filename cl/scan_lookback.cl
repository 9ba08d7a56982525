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
 * Tiles are taken by ticket, in the order in which groups really start, so the tiles that
 * a tile waits for have started. And no group waits endlessly: after `spins` looks at a
 * tile that is not there it folds that tile itself, publishes its total, and goes on.
 * Totals are the same bits whoever folds them, and so are prefixes: they are folded
 * forward, in the association of scan_tiles.cl, wherever the look-back ended.
 *
 * In place an owner may have overwritten what a helper folds. It publishes before it
 * writes, with a fence between, so a helper that still finds nothing published, after a
 * fence of its own, has read the input: no group waits, and no word is claimed.
 *
 * scan_chained, CLFOLD_CHAINED, publishes totals only in place, just before it writes:
 * each tile waits for the one before it, and looks back only over totals of helpers.
 *
 * Tiles communicate through the channel of look_back.cl.
 *
 * D. Merrill, M. Garland: Single-pass Parallel Prefix Scan with Decoupled Look-back.
 * NVIDIA NVR-2016-002, 2016. T. Smith, R. Levien, J. Owens: Decoupled Fallback: A
 * Portable Single-Pass GPU Scan. SPAA 2025.
 */

#define CLFOLD_WORDS_PARAMS                                                              \
    volatile global clfold_word *words, ulong capacity, uint spins, uint in_place

/* What the work-items of a group share about its current tile. */
typedef struct {
    ulong ticket, upcoming; /* its own, and the next one's */
    ulong tile;             /* that is folded next */
    uint state;             /* the reason: its total is CLFOLD_MISSING, or CLFOLD_LOST */
    uint fallbacks;         /* tiles folded for others */
#if CLFOLD_TRACE
    uint depth;   /* tiles between its own and where look-back ended */
    ulong helped; /* the tiles folded for others: bit i is its own - 1 - i */
#endif
} clfold_progress;

typedef CLFOLD_SPACE clfold_progress *clfold_progress_pointer;

/* The tile's own total in the room was overwritten by tiles folded for others. */
#define CLFOLD_LOST 6

/* The next action, from what was received for tile t. */
static void clfold_next_step(clfold_progress_pointer at, ulong t, clfold_seen seen)
{
    const bool is_lost = CLFOLD_TILE_LOADS ? at->fallbacks > 0 : false;

    at->state = seen.state == CLFOLD_RECEIVED && is_lost ? CLFOLD_LOST : seen.state;
    at->tile = seen.state == CLFOLD_RECEIVED ? t : seen.tile;
#if CLFOLD_TRACE
    at->depth = (uint)(t - seen.tile);
#endif
}

/*
 * The fallback: publishes the total of tile x, which is missing, unless another group
 * has. In place it checks again: the folded data may be output if the owner has published
 * since.
 */
static void clfold_publish_for(clfold_word_pointer words, uint epoch, ulong x,
                               clfold_item total, uint in_place)
{
#if CLFOLD_FENCES
    clfold_item item;

    if (in_place) {
        clfold_acquire();
        if (clfold_look(words, x, CLFOLD_AGGREGATE, epoch, &item))
            return;
    }
#endif
    clfold_publish(words, x, CLFOLD_AGGREGATE, epoch, total);
}

/* In place, what helpers must see before any output is written; for one work-item. */
static void clfold_before_output(clfold_channel_pointer channel,
                                 clfold_word_pointer words, ulong t, uint in_place)
{
#if CLFOLD_FENCES
    if (in_place) {
#if CLFOLD_CHAINED
        if (channel->publishes)
            clfold_publish(words, t, CLFOLD_AGGREGATE, channel->epoch, channel->own);
#endif
        clfold_release();
    }
#endif
}

CLFOLD_KERNEL void
clfold_scan_lookback(CLFOLD_SCAN_PARAMS, CLFOLD_WORDS_PARAMS, CLFOLD_OUT_PARAMS,
                     CLFOLD_TOTAL_PARAMS,
                     CLFOLD_INIT_PARAMS CLFOLD_TRACE_PARAMS CLFOLD_WITH)
{
    CLFOLD_SHARED(clfold_room, room);
    CLFOLD_SHARED(clfold_running, so_far);
    CLFOLD_SHARED(clfold_channel, channel);
    CLFOLD_SHARED(clfold_progress, at);
    const bool has_init = clfold_init_from != 0;
    const ulong taken = get_group_id(0) * run;
    const ulong rounds = min(run, num_tiles - min(taken, num_tiles));

    if (get_local_id(0) == 0) {
        room->folds_next = false;
        channel->init = clfold_init(CLFOLD_INIT_ARGS);
        channel->has_init = has_init;
        channel->spins = spins;
        if (rounds > 0) {
            at->ticket = clfold_draw(words);
            channel->epoch = clfold_epoch_of(at->ticket);
        }
    }
    clfold_tile_sync();
    for (ulong round = 0; round < rounds; ++round) {
        const ulong t = clfold_tile_of(at->ticket);
        const bool draws = round + 1 < rounds;

        if (get_local_id(0) == 0) {
            at->tile = t;
            at->state = CLFOLD_MISSING;
            at->fallbacks = 0;
            channel->publishes = !clfold_is_blocked(t CLFOLD_TRACE_ARGS);
            channel->waits = CLFOLD_ANCHOR > 1 ? min(spins, CLFOLD_WAITS) : 0;
#if CLFOLD_TRACE
            channel->polls = 0;
            at->helped = 0;
#endif
            clfold_at_start(words, channel->epoch, t CLFOLD_TRACE_ARGS);
            at->upcoming = draws ? clfold_draw(words) : at->ticket;
        }
        clfold_tile_sync();
        /* This tile's total, then those that nobody else publishes, and this tile again
         * where they took its place in the room. One place folds: PoCL 3.1's compiler
         * crashes with two. No more than t are missing, and each is published once. */
        for (ulong left = t + 2;
             left > 0 && (at->state == CLFOLD_MISSING || at->state == CLFOLD_LOST);
             --left) {
            const ulong x = at->tile;
            const ulong first = clfold_tile_begin(x, lead);
            const uint num = clfold_tile_count(x, lead, count);
            if (!(CLFOLD_TILE_AHEAD && x == t && room->folds_next))
                clfold_tile_aggregate(in, in_offset + first, first, num,
                                      room CLFOLD_PASS);
            /* PoCL 3.1 loses what one work-item does between the barrier that ends the
             * group's scan and the next one. */
            clfold_tile_sync();
            if (get_local_id(0) == 0 && at->state == CLFOLD_MISSING) {
                const clfold_item total = clfold_tile_total(room, num);
                if (x == t) {
                    clfold_at_total(words, t CLFOLD_TRACE_ARGS);
                    channel->own = total;
                    if (!CLFOLD_CHAINED && channel->publishes)
                        clfold_publish(words, t, CLFOLD_AGGREGATE, channel->epoch, total);
                } else {
                    ++at->fallbacks;
#if CLFOLD_TRACE
                    at->helped |= t - x <= 64 ? (ulong)1 << (t - x - 1) : 0;
#endif
                    clfold_at_fallback(words, x CLFOLD_TRACE_ARGS);
                    clfold_publish_for(words, channel->epoch, x, total, in_place);
                }
            }
            clfold_tile_sync();
            if (CLFOLD_IS_LOOKING && CLFOLD_BROADCAST(at->state, 0) == CLFOLD_MISSING) {
                const clfold_seen seen = clfold_receive(
                    channel, so_far, words, t CLFOLD_TRACE_ARGS CLFOLD_PASS);
                if (CLFOLD_LANE == 0)
                    clfold_next_step(at, t, seen);
            } else if (get_local_id(0) == 0)
                at->state = CLFOLD_RECEIVED;
            clfold_tile_sync();
        }
        if (get_local_id(0) == 0) {
            const bool is_last = t + 1 == num_tiles;
            const bool has_prefix = t > 0 || has_init;
            if (has_prefix)
                room->prefix = clfold_prefix(so_far, t CLFOLD_PASS);
            clfold_take_own(so_far, room, t, channel->own, has_prefix,
                            is_last CLFOLD_PASS);
            if (is_last)
                clfold_finish(room->next, false, has_total, total_out,
                              total_index CLFOLD_PASS);
            clfold_before_output(channel, words, t, in_place);
            clfold_at_prefix(words, t, at->depth, channel->polls, at->fallbacks,
                             at->helped CLFOLD_TRACE_ARGS);
            clfold_at_output(words, channel->epoch, t, channel->own,
                             in_place CLFOLD_TRACE_ARGS);
            at->ticket = at->upcoming;
        }
        clfold_tile_sync();
        const ulong begin = clfold_tile_begin(t, lead);
        const uint size = clfold_tile_count(t, lead, count);
        const ulong after = clfold_tile_of(at->ticket);
        const ulong next = clfold_tile_begin(after, lead);
        if (CLFOLD_TILE_AHEAD)
            room->folds_next = draws && size == CLFOLD_TILE &&
                               clfold_tile_count(after, lead, count) == CLFOLD_TILE;
        clfold_tile_scan(in, in_offset + begin, begin, size, in_offset + next, out,
                         out_offset + begin, t > 0 || has_init, stream != 0, ahead,
                         room CLFOLD_PASS);
    }
    if (get_local_id(0) == 0 && clfold_is_last(words)) {
        clfold_at_end(words CLFOLD_TRACE_ARGS);
        clfold_renew(words, capacity);
    }
}
