/*
 * Traces and tests scan_lookback.cl; in no other program. Per tile:
 *
 *   started, aggregate, prefix   when it was begun, and when each was published
 *   ticket, depth                its own; tiles between it and where its look-back ended
 *   polls, fallbacks             looks at windows and anchors; tiles folded for others
 *   folded                       which these are: bit i is tile - 1 - i
 *
 * Times are of a cycle counter where the compiler has one, else of a logical clock, a
 * word that every note counts up.
 *
 * For tests, groups are delayed. No delay may change a bit of a result:
 *
 *   block_every   N: every Nth tile never publishes anything; in place it waits for a
 *                 helper to do so, not for ever, and publishes just before it writes
 *   seed          not 0: delays before a total is published, a prefix, and the output
 *   holds         for each tile two events, before its fold and before its prefix is
 *                 published: 0, or 1 + 2 * tile for its total and 2 + 2 * tile for its
 *                 prefix; waits for it, not for ever
 *   folded        0: how many tiles were folded for others; then group << 32 | tile
 *
 * needs: contract.cl, memory.cl, descriptor.cl
 * names: CLFOLD_CYCLES
 */
typedef struct {
    ulong started, aggregate, prefix;
    uint ticket, depth, polls, fallbacks;
    ulong folded;
} clfold_tile_trace;

#define CLFOLD_TRACE_PARAMS                                                              \
    , uint block_every, uint seed, uint has_holds, global const uint *holds,             \
        global clfold_tile_trace *trace, global ulong *folded, ulong folded_room

#define CLFOLD_TRACE_ARGS                                                                \
    , block_every, seed, has_holds, holds, trace, folded, folded_room

/* A wait ends after this number of looks: enough for another tile to finish, and for a
 * tile whose helper may not come. */
#define CLFOLD_PATIENCE (1u << 20)
#define CLFOLD_HOPE     (1u << 10)

static ulong clfold_clock(clfold_word_pointer words)
{
#if CLFOLD_CYCLES
    return __builtin_readcyclecounter();
#else
    return clfold_add(words + CLFOLD_CLOCK, 1);
#endif
}

static void clfold_delay(clfold_word_pointer words, uint seed, ulong t, uint point)
{
    uint hash = seed ^ (uint)t * 0x9e3779b9u ^ point * 0x85ebca6bu;

    hash = (hash ^ hash >> 15) * 0x2c1b3c6du;
    hash = (hash ^ hash >> 12) * 0x297a2d39u;
    hash ^= hash >> 15;
    /* Mostly none, sometimes long. */
    if (seed > 0 && hash % 4 == 0) {
        for (uint i = 0; i < hash / 4 % 4096; ++i)
            clfold_read(words + CLFOLD_CLOCK);
    }
}

static void clfold_wait(clfold_word_pointer words, ulong tile, uint state, uint epoch,
                        uint looks)
{
    const clfold_word_pointer slots = clfold_slots_from(words, 0);
    clfold_item item;

    for (uint i = 0; i < looks; ++i) {
        if (clfold_look(slots, tile, state, epoch, &item))
            break;
    }
}

static void clfold_hold(clfold_word_pointer words, uint event, uint epoch)
{
    if (event > 0)
        clfold_wait(words, (event - 1) / 2, CLFOLD_AGGREGATE + (event - 1) % 2, epoch,
                    CLFOLD_PATIENCE);
}

static void clfold_log_fold(clfold_word_pointer words, global ulong *folded,
                            ulong folded_room, ulong tile)
{
    const ulong place = 1 + clfold_add(words + CLFOLD_LOG, 1);

    if (place < folded_room)
        folded[place] = (ulong)get_group_id(0) << 32 | tile;
}

/* ---- What the kernel says; one work-item does -------------------------------------- */

static bool clfold_is_blocked(ulong t CLFOLD_TRACE_PARAMS)
{
    return block_every > 0 && t % block_every == block_every - 1;
}

static void clfold_at_start(clfold_word_pointer words, uint epoch,
                            ulong t CLFOLD_TRACE_PARAMS)
{
    if (has_holds)
        clfold_hold(words, holds[2 * t], epoch);
    trace[t].started = clfold_clock(words);
}

static void clfold_at_total(clfold_word_pointer words, ulong t CLFOLD_TRACE_PARAMS)
{
    clfold_delay(words, seed, t, 0);
    trace[t].aggregate = clfold_clock(words);
}

static void clfold_at_fallback(clfold_word_pointer words, ulong x CLFOLD_TRACE_PARAMS)
{
    clfold_log_fold(words, folded, folded_room, x);
}

static void clfold_at_running(clfold_word_pointer words, uint epoch,
                              ulong t CLFOLD_TRACE_PARAMS)
{
    clfold_delay(words, seed, t, 1);
    if (has_holds)
        clfold_hold(words, holds[2 * t + 1], epoch);
    trace[t].prefix = clfold_clock(words);
}

static void clfold_at_prefix(clfold_word_pointer words, ulong t, uint depth, uint polls,
                             uint fallbacks, ulong helped CLFOLD_TRACE_PARAMS)
{
    trace[t].ticket = (uint)t;
    trace[t].depth = depth;
    trace[t].polls = polls;
    trace[t].fallbacks = fallbacks;
    trace[t].folded = helped;
}

static void clfold_at_output(clfold_word_pointer words, uint epoch, ulong t,
                             clfold_item own, uint in_place CLFOLD_TRACE_PARAMS)
{
    if (in_place && clfold_is_blocked(t CLFOLD_TRACE_ARGS)) {
        clfold_wait(words, t, CLFOLD_AGGREGATE, epoch, CLFOLD_HOPE);
        clfold_publish(clfold_slots_from(words, t), 0, CLFOLD_AGGREGATE, epoch, own);
        clfold_release();
    }
    clfold_delay(words, seed, t, 2);
}

static void clfold_at_end(clfold_word_pointer words CLFOLD_TRACE_PARAMS)
{
    if (folded_room > 0)
        folded[0] = clfold_read(words + CLFOLD_LOG);
}
