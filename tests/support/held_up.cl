/*
 * Holds groups of a traced scan_lookback.cl up: hold_up.py puts calls of these functions
 * into its text. The first record is not a tile's but says how, and after the records
 * there are two events a tile and a log, see held_up.h. No delay may change a bit of a
 * result:
 *
 *   block_every   N: every Nth tile never publishes anything; in place it waits for a
 *                 helper to do so, not for ever, and publishes just before it writes
 *   seed          not 0: delays before a total is published, a prefix, and the output
 *   has_holds     for each tile two events, before its fold and before its prefix is
 *                 published: 0, or 1 + 2 * tile for its total and 2 + 2 * tile for its
 *                 prefix; waits for it, not for ever
 *   num_folded    how many tiles were folded for others; the log has group << 32 | tile
 */
typedef struct {
    uint block_every, seed, has_holds, num_tiles, num_folded, folded_room, unused[6];
} clfold_held;

typedef global clfold_tile_trace *clfold_records;

/* A wait ends after this number of looks: enough for another tile to finish, and for a
 * tile whose helper may not come. */
#define CLFOLD_PATIENCE (1u << 20)
#define CLFOLD_HOPE     (1u << 10)

static global clfold_held *clfold_head_of(clfold_records trace)
{
    return (global clfold_held *)(trace - 1);
}

static bool clfold_is_blocked(ulong t, clfold_records trace)
{
    const uint every = clfold_head_of(trace)->block_every;

    return every > 0 && t % every == every - 1;
}

static void clfold_delay(clfold_word_pointer words, ulong t, uint point,
                         clfold_records trace)
{
    const uint seed = clfold_head_of(trace)->seed;
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

static void clfold_hold(clfold_word_pointer words, ulong t, uint point, uint epoch,
                        clfold_records trace)
{
    const global clfold_held *head = clfold_head_of(trace);
    const global uint *holds = (const global uint *)(trace + head->num_tiles);
    const uint event = head->has_holds ? holds[2 * t + point] : 0;

    if (event > 0)
        clfold_wait(words, (event - 1) / 2, CLFOLD_AGGREGATE + (event - 1) % 2, epoch,
                    CLFOLD_PATIENCE);
}

static void clfold_log_fold(ulong tile, clfold_records trace)
{
    global clfold_held *head = clfold_head_of(trace);
    global ulong *log = (global ulong *)(trace + head->num_tiles) + head->num_tiles;
    const uint place = atomic_inc((volatile global uint *)&head->num_folded);

    if (place < head->folded_room)
        log[place] = (ulong)get_group_id(0) << 32 | tile;
}

/* In place, where t's group never publishes until it has to. */
static void clfold_await_helper(clfold_word_pointer words, uint epoch, ulong t,
                                clfold_item own)
{
    clfold_wait(words, t, CLFOLD_AGGREGATE, epoch, CLFOLD_HOPE);
    clfold_publish(clfold_slots_from(words, t), 0, CLFOLD_AGGREGATE, epoch, own);
    clfold_release();
}
