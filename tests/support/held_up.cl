/*
 * Holds groups of a traced scan_lookback.cl up: hold_up.py puts calls of these functions
 * into its text. The first record is not a tile's but says how, and after the records
 * there is a log, see device/lookback.c. No delay may change a bit of a
 * result:
 *
 *   block_every   N: every Nth tile never publishes anything; in place it waits for a
 *                 helper to do so, not for ever, and publishes just before it writes
 *   seed          not 0: delays before a total is published, a prefix, and the output
 *   num_folded    how many tiles were folded for others; the log has group << 32 | tile
 */
typedef struct {
    uint block_every, seed, num_tiles, num_folded, folded_room, unused[7];
} clfold_held;

typedef global clfold_tile_trace *clfold_records;

/* A wait ends after this number of looks, as a tile's helper may not come. */
#define CLFOLD_HOPE (1u << 10)

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

static void clfold_log_fold(ulong tile, clfold_records trace)
{
    global clfold_held *head = clfold_head_of(trace);
    global ulong *log = (global ulong *)(trace + head->num_tiles);
    const uint place = atomic_inc((volatile global uint *)&head->num_folded);

    if (place < head->folded_room)
        log[place] = (ulong)get_group_id(0) << 32 | tile;
}

/* In place, where t's group never publishes until it has to. */
static void clfold_await_helper(clfold_word_pointer words, uint epoch, ulong t,
                                clfold_item own)
{
    const clfold_word_pointer slots = clfold_slots_from(words, 0);
    clfold_item item;

    for (uint i = 0; i < CLFOLD_HOPE; ++i) {
        if (clfold_look(slots, t, CLFOLD_AGGREGATE, epoch, &item))
            break;
    }
    clfold_publish(clfold_slots_from(words, t), 0, CLFOLD_AGGREGATE, epoch, own);
    clfold_release();
}
