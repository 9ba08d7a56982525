/*
 * scan_lookback: one launch, every element read and written once. A group folds a tile,
 * publishes the total, and looks back over the tiles before it to the nearest that has
 * its prefix; forward from there it folds totals, which makes its own prefix.
 *
 *   tile          0    1    2    3    4    5    6    7
 *   state         P    A    A    P    A    P    X    A
 *   tile 5 looks                 <----+                    P3 t4, and t5 after it: P5
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
 * fence of its own, has read the input.
 *
 * scan_chained, CLFOLD_CHAINED, publishes totals only in place, just before it writes:
 * each tile waits for the one before it, and looks back only over totals of helpers.
 *
 * D. Merrill, M. Garland: Single-pass Parallel Prefix Scan with Decoupled Look-back.
 * NVIDIA NVR-2016-002, 2016. T. Smith, R. Levien, J. Owens: Decoupled Fallback: A
 * Portable Single-Pass GPU Scan. SPAA 2025.
 *
 * needs: contract.cl, count.cl, segments.cl, memory.cl, descriptor.cl, look_back.cl
 * needs: element.cl
 * needs: scan_tiles.cl, scan_totals.cl, tile_scan.cl
 */

#define CLFOLD_WORDS_PARAMS                                                              \
    volatile global clfold_word *words, ulong capacity, uint turn, uint spins,           \
        uint in_place

/* A tile that was drawn, of all tiles, and its run; one work-item finds them for all. */
typedef struct {
    ulong tile;
    clfold_run run;
} clfold_drawn;

typedef CLFOLD_SPACE clfold_drawn *clfold_drawn_pointer;

/* Draws a tile; returns the epoch. Tickets of words that are spoilt may be past all. */
static uint clfold_draw_tile(clfold_channel_pointer channel, CLFOLD_TILES_PARAMS,
                             ulong num_runs, clfold_drawn_pointer drawn)
{
    const clfold_word ticket = clfold_add(channel->counters + CLFOLD_TICKET, 1);
    const ulong tile = clfold_tile_of(ticket);

    drawn->tile = tile < num_runs ? tile : 0;
    drawn->run = clfold_nth_tile(drawn->tile, CLFOLD_TILES);
    return clfold_epoch_of(ticket);
}

/* Finds the prefix of tile t, counted from its row's first: folds t, hands over the
 * total, and looks back; and does the same with each tile that look-back misses, at most
 * t of them. Where the tile's scan needs the fold in the room, t is folded again after
 * them. One place folds: PoCL 3.1's compiler crashes with two. */
static void clfold_find_prefix(global const CLFOLD_IN *in, ulong in_offset,
                               CLFOLD_TILES_PARAMS, clfold_drawn_pointer own,
                               clfold_drawn_pointer wanted, clfold_room_pointer room,
                               clfold_running_pointer so_far,
                               clfold_channel_pointer channel,
                               clfold_word_pointer slots CLFOLD_TRACE_PARAMS CLFOLD_WITH)
{
    const ulong t = own->run.number;
    bool is_ready = false;

    for (ulong left = t + 2; left > 0 && !is_ready; --left) {
        const bool is_own = wanted->tile == own->tile;
        const uint num = (uint)wanted->run.items;
        if (!(CLFOLD_TILE_AHEAD && is_own && room->folds_next))
            clfold_tile_aggregate(in, in_offset + wanted->run.begin, wanted->run.begin,
                                  num, room CLFOLD_PASS);
        /* PoCL 3.1 loses what one work-item does between the barrier that ends the
         * group's scan and the next one. */
        clfold_tile_sync();
        if (get_local_id(0) == 0 && !channel->has_prefix)
            clfold_hand_over(channel, slots, t,
                             clfold_tile_total(room, num) CLFOLD_TRACE_ARGS);
        clfold_tile_sync();
        if (CLFOLD_IS_LOOKING && !CLFOLD_BROADCAST(channel->has_prefix, 0)) {
            clfold_look_back(channel, so_far, slots, t CLFOLD_TRACE_ARGS CLFOLD_PASS);
            if (CLFOLD_LANE == 0) {
                wanted->tile = own->tile - t + channel->tile;
                wanted->run = own->run;
                if (channel->tile != t)
                    wanted->run = clfold_nth_tile(wanted->tile, CLFOLD_TILES);
            }
        }
        clfold_tile_sync();
        is_ready = !(CLFOLD_TILE_LOADS && !is_own) && channel->has_prefix;
    }
}

CLFOLD_KERNEL void
clfold_scan_lookback(CLFOLD_SCAN_PARAMS, CLFOLD_WORDS_PARAMS, CLFOLD_OUT_PARAMS,
                     CLFOLD_TOTAL_PARAMS,
                     CLFOLD_INIT_PARAMS CLFOLD_TRACE_PARAMS CLFOLD_WITH)
{
    CLFOLD_SHARED(clfold_room, room);
    CLFOLD_SHARED(clfold_running, so_far);
    CLFOLD_SHARED(clfold_channel, channel);
    CLFOLD_SHARED(clfold_drawn, own);
    CLFOLD_SHARED(clfold_drawn, wanted); /* own, or one that look-back misses */
    CLFOLD_SHARED(clfold_drawn, next);   /* the next own, once own has begun */
    const ulong count = clfold_true_count(most_count CLFOLD_PASS);
    const ulong num_runs = clfold_true_runs(most_num_runs, count, CLFOLD_TILE, lead, 0);
    const ulong taken = get_group_id(0) * each;
    const ulong rounds = min(each, num_runs - min(taken, num_runs));

    if (get_local_id(0) == 0) {
        channel->counters = clfold_counters(words, turn);
        if (taken == 0)
            clfold_reset(clfold_counters(words, 1 - turn),
                         clfold_epochs(channel->counters));
        room->folds_next = false;
        channel->init = clfold_init(CLFOLD_INIT_ARGS);
        channel->has_init = clfold_init_from != 0;
        channel->spins = spins;
        channel->in_place = in_place;
        if (CLFOLD_COUNT_AT && num_runs == 0 && taken == 0)
            clfold_finish(channel->init, !clfold_init_from, has_total, total_out,
                          total_index CLFOLD_PASS);
        if (rounds > 0)
            channel->epoch = clfold_draw_tile(channel, CLFOLD_TILES, num_runs, next);
    }
    /* Else PoCL 3.1 loses what one work-item does before the loop. */
    clfold_tile_sync();
    for (ulong round = 0; round < rounds; ++round) {
        const bool draws = round + 1 < rounds;
        if (get_local_id(0) == 0) {
            *own = *wanted = *next;
            clfold_begin(channel, words, own->run.number,
                         own->tile - own->run.number CLFOLD_TRACE_ARGS);
            if (draws)
                clfold_draw_tile(channel, CLFOLD_TILES, num_runs, next);
        }
        clfold_tile_sync();
        const clfold_word_pointer slots =
            clfold_slots_from(words, own->tile - own->run.number);
        clfold_find_prefix(in, in_offset, CLFOLD_TILES, own, wanted, room, so_far,
                           channel, slots CLFOLD_TRACE_ARGS CLFOLD_PASS);
        const bool has_prefix = own->run.number > 0 || clfold_init_from;
        if (get_local_id(0) == 0) {
            const ulong t = own->run.number;
            const bool is_end = own->tile + 1 == num_runs;
            if (has_prefix)
                room->prefix = clfold_prefix(so_far, t CLFOLD_PASS);
            clfold_take_own(so_far, room, t, channel->own, has_prefix,
                            is_end || t + 1 == runs CLFOLD_PASS);
            if (is_end)
                clfold_finish(room->next, false, has_total, total_out,
                              total_index CLFOLD_PASS);
            clfold_end(channel, slots, t CLFOLD_TRACE_ARGS);
        }
        clfold_tile_sync();
        const ulong begin = own->run.begin;
        const uint size = (uint)own->run.items;
        if (CLFOLD_TILE_AHEAD)
            room->folds_next =
                draws && size == CLFOLD_TILE && next->run.items == CLFOLD_TILE;
        clfold_tile_scan(in, in_offset + begin, begin, size, in_offset + next->run.begin,
                         out, out_offset + begin, has_prefix, stream != 0, ahead,
                         room CLFOLD_PASS);
    }
    if (get_local_id(0) == 0 && clfold_is_last(channel->counters))
        clfold_renew(words, channel->counters, capacity);
}
