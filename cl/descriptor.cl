/*
 * Descriptors: what tiles publish while others still run. A tile has two slots of words
 * that each carry their own state and epoch, so that neither fences nor a launch that
 * clears them are needed: a slot is there when all its words are.
 *
 *   words   ticket | left | ticket | left | clock | -        a line of 64 bytes each
 *           tile 0: aggregate, running | tile 1: aggregate, running | ...
 *
 *   word of 64 bits   epoch 30 | state 2 | 32 bits of the item
 *           32 bits   epoch 14 | state 2 | 16 bits of the item
 *
 *   state   0 invalid, as zeroed memory is; 1 aggregate: the tile's total; 2 running: the
 *           tiles up to this one, see scan_totals.cl
 *   ticket's word of 64 bits   epoch 32 | ticket 32
 *                    32 bits   epoch 14 | ticket 18
 *
 * The epoch counts launches in memory, as a recorded launch may run again. The last group
 * to leave increments it, and clears a few words, from where the last launch stopped: no
 * old one may be left when the epoch wraps around. Launches take turns with the tickets
 * and counts, and each resets the other two, whatever a launch that failed has left.
 *
 * needs: contract.cl, memory.cl
 */
#define CLFOLD_LINE_WORDS  (512 / CLFOLD_WORD_BITS)
#define CLFOLD_TICKET      0
#define CLFOLD_LEFT        CLFOLD_LINE_WORDS
#define CLFOLD_CLOCK       (4 * CLFOLD_LINE_WORDS)
#define CLFOLD_DESCRIPTORS (6 * CLFOLD_LINE_WORDS)

#if CLFOLD_WORD_BITS == 64
#define CLFOLD_TICKET_BITS 32
#define CLFOLD_EPOCH_BITS  30
#else
#define CLFOLD_TICKET_BITS 18
#define CLFOLD_EPOCH_BITS  14
#endif

#define CLFOLD_AGGREGATE 1
#define CLFOLD_RUNNING   2

#define CLFOLD_ITEM_WORDS                                                                \
    ((sizeof(clfold_item) + sizeof(clfold_half) - 1) / sizeof(clfold_half))

/* Loops over the halves are unrolled, so that they are in registers. */
typedef union {
    clfold_item item;
    clfold_half halves[CLFOLD_ITEM_WORDS];
} clfold_packed;

/* The slots of tiles from `tile` on. What reads and publishes tiles counts them from the
 * first of their row, whose slots it is given. */
static clfold_word_pointer clfold_slots_from(clfold_word_pointer words, ulong tile)
{
    return words + CLFOLD_DESCRIPTORS + 2 * tile * CLFOLD_ITEM_WORDS;
}

static clfold_word_pointer clfold_slot_of(clfold_word_pointer slots, ulong tile,
                                          uint state)
{
    return slots + (2 * tile + state - CLFOLD_AGGREGATE) * CLFOLD_ITEM_WORDS;
}

static clfold_word clfold_tag(uint epoch, uint state)
{
    return (((clfold_word)epoch << 2) | state) << CLFOLD_HALF_BITS;
}

static void clfold_publish(clfold_word_pointer slots, ulong tile, uint state, uint epoch,
                           clfold_item item)
{
    clfold_word_pointer slot = clfold_slot_of(slots, tile, state);
    clfold_packed packed;

#pragma unroll
    for (uint i = 0; i < CLFOLD_ITEM_WORDS; ++i)
        packed.halves[i] = 0;
    /* One by one, so that padding stays zero whichever group publishes. */
    packed.item.$name = item.$name;
#pragma unroll
    for (uint i = 0; i < CLFOLD_ITEM_WORDS; ++i)
        clfold_write(slot + i, clfold_tag(epoch, state) | packed.halves[i]);
}

static bool clfold_is_tagged(clfold_word w, uint epoch, uint state)
{
    return w >> CLFOLD_HALF_BITS == clfold_tag(epoch, state) >> CLFOLD_HALF_BITS;
}

/* The words of a slot, read one after the other: all are under way at once. */
typedef struct {
    clfold_word words[CLFOLD_ITEM_WORDS];
} clfold_slot_words;

static clfold_slot_words clfold_see(clfold_word_pointer slots, ulong tile, uint state)
{
    clfold_word_pointer slot = clfold_slot_of(slots, tile, state);
    clfold_slot_words seen;

#pragma unroll
    for (uint i = 0; i < CLFOLD_ITEM_WORDS; ++i)
        seen.words[i] = clfold_read(slot + i);
    return seen;
}

/* Whether the slot was there. If so, *item is what it held; else it is unchanged. */
static bool clfold_was_there(const clfold_slot_words *seen, uint state, uint epoch,
                             clfold_item *item)
{
    clfold_packed packed;
    bool there = true;

#pragma unroll
    for (uint i = 0; i < CLFOLD_ITEM_WORDS; ++i) {
        there = there && clfold_is_tagged(seen->words[i], epoch, state);
        packed.halves[i] = (clfold_half)seen->words[i];
    }
    if (there)
        *item = packed.item;
    return there;
}

static bool clfold_look(clfold_word_pointer slots, ulong tile, uint state, uint epoch,
                        clfold_item *item)
{
    const clfold_slot_words seen = clfold_see(slots, tile, state);

    return clfold_was_there(&seen, state, epoch, item);
}

/* The ticket and the count of a turn, 0 or 1. */
static clfold_word_pointer clfold_counters(clfold_word_pointer words, uint turn)
{
    return words + turn * 2 * CLFOLD_LINE_WORDS;
}

/* A ticket has the next tile of this launch, and the epoch. */
static ulong clfold_tile_of(clfold_word ticket)
{
    return ticket & (((clfold_word)1 << CLFOLD_TICKET_BITS) - 1);
}

static uint clfold_epoch_of(clfold_word ticket)
{
    return (uint)(ticket >> CLFOLD_TICKET_BITS) & ((1u << CLFOLD_EPOCH_BITS) - 1);
}

/* Whether this group, which has no more to do, is the last one; for one work-item. */
static bool clfold_is_last(clfold_word_pointer counters)
{
    return clfold_add(counters + CLFOLD_LEFT, 1) + 1 == get_num_groups(0);
}

static ulong clfold_epochs(clfold_word_pointer counters)
{
    return clfold_read(counters + CLFOLD_TICKET) >> CLFOLD_TICKET_BITS;
}

/* Sets the counters for the epoch after `epoch`. */
static void clfold_reset(clfold_word_pointer counters, ulong epoch)
{
    clfold_write(counters + CLFOLD_LEFT, 0);
    clfold_write(counters + CLFOLD_TICKET,
                 (clfold_word)(epoch + 1) << CLFOLD_TICKET_BITS);
}

/* Prepares the words for the next launch, and clears some of `capacity` words, all that
 * may ever be used after the lines; for the last group. */
static void clfold_renew(clfold_word_pointer words, clfold_word_pointer counters,
                         ulong capacity)
{
    const ulong epoch = clfold_epochs(counters);
    const ulong times = (ulong)1 << (CLFOLD_EPOCH_BITS - 1);
    const ulong each = capacity / times + 1;
    const ulong first = epoch % times * each;

    for (ulong i = first; i < min(first + each, capacity); ++i)
        clfold_write(words + CLFOLD_DESCRIPTORS + i, 0);
    clfold_write(words + CLFOLD_CLOCK, 0);
    clfold_reset(counters, epoch);
}
