/*
 * The probe of a memory tier, on memory.cl alone. It tests two things on groups that run
 * at the same time: whether a word that one writes reaches another, and whole, and
 * whether they make progress while they wait for each other. Roles go by ticket, since
 * runtimes on CPUs hand groups out in contiguous chunks. Every wait is bounded, all waits
 * of a work-item together by a number of looks; after the launch the host checks that all
 * words are there.
 *
 *   word    a number in the upper half, what follows from it in the lower: a torn one is
 *           known by that. Zeroed memory is number 0
 *   told    what a group tells the host: whether it came to its end, wrong words seen,
 *           waits that ended well, waits in vain, and what plain loads read
 *
 * needs: memory.cl
 */
#define CLFOLD_LINE_WORDS (512 / CLFOLD_WORD_BITS)

#define CLFOLD_ENDED   0
#define CLFOLD_WRONG   1
#define CLFOLD_MET     2
#define CLFOLD_IN_VAIN 3
#define CLFOLD_PLAIN   4
#define CLFOLD_REPORT_WORDS    5

typedef struct {
    uint left; /* looks */
    uint wrong, met, in_vain;
} clfold_watch;

static clfold_word clfold_numbered(uint number)
{
    const clfold_half upper = (clfold_half)number;

    return ((clfold_word)upper << CLFOLD_HALF_BITS) | (clfold_half)(upper * 0x9e3779b1u);
}

static uint clfold_number_of(clfold_word w)
{
    return (uint)(w >> CLFOLD_HALF_BITS);
}

/* Looks until the word has reached `number`, or no look is left. */
static bool clfold_await(clfold_word_pointer p, uint number, clfold_watch *watch)
{
    bool there = false;

    for (uint looks = watch->left; looks > 0 && !there; --looks) {
        const clfold_word w = clfold_read(p);
        const bool whole = w == clfold_numbered(clfold_number_of(w));
        there = whole && clfold_number_of(w) >= number;
        watch->wrong += !whole;
        --watch->left;
    }
    return there;
}

static void clfold_report(global uint *reports, uint ticket, const clfold_watch *watch,
                        uint plain)
{
    global uint *const mine = reports + CLFOLD_REPORT_WORDS * ticket;

    mine[CLFOLD_WRONG] = watch->wrong;
    mine[CLFOLD_MET] = watch->met;
    mine[CLFOLD_IN_VAIN] = watch->in_vain;
    mine[CLFOLD_PLAIN] = plain;
    mine[CLFOLD_ENDED] = 1;
}

/*
 * Pairs of groups, many of them: on CPUs the first ones end before a second worker wakes
 * up. The even ticket writes ("says") CLFOLD_SAID words a round, and waits until they are
 * heard; with one worker no group hears them yet, so waits in vain do not count. The odd
 * one first makes a plain load of the next word, which no group writes: that brings a
 * line into its cache, which is stale once the words are said. It waits for them, and
 * says that it heard them.
 *
 *   words   ticket | pair 0: said, heard | pair 1: said, heard | ...   a line each
 */
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
clfold_probe_words(volatile global clfold_word *words, global uint *reports, uint rounds,
                   uint looks, uint looks_heard)
{
    const uint ticket = (uint)clfold_add(words, 1);
    const bool says = ticket % 2 == 0;
    clfold_word_pointer said = words + (ulong)CLFOLD_LINE_WORDS * (1 + ticket / 2 * 2);
    clfold_word_pointer heard = said + CLFOLD_LINE_WORDS;
    clfold_watch watch = { says ? looks_heard : looks, 0, 0, 0 };
    uint plain = 0;

    for (uint r = 1; r <= rounds; ++r) {
        if (says) {
            for (uint i = 0; i < CLFOLD_SAID; ++i)
                clfold_write(said + i, clfold_numbered(r));
            watch.met += clfold_await(heard, r, &watch);
        } else {
            /* The compiler must assume another address each time. */
            plain += (uint)((const global clfold_word *)said)[CLFOLD_SAID + (r >> 24)];
            for (uint i = 0; i < CLFOLD_SAID; ++i)
                watch.in_vain += !clfold_await(said + i, r, &watch);
            clfold_write(heard, clfold_numbered(r));
        }
    }
    clfold_report(reports, ticket, &watch, plain);
}

/*
 * A chain: each group waits for the word of the ticket before its own.
 *
 *   words   ticket | a word each
 */
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
clfold_probe_turns(volatile global clfold_word *words, global uint *reports, uint looks)
{
    const uint ticket = (uint)clfold_add(words, 1);
    clfold_word_pointer mine = words + CLFOLD_LINE_WORDS + ticket;
    clfold_watch watch = { looks, 0, 0, 0 };

    if (ticket > 0)
        watch.in_vain = !clfold_await(mine - 1, ticket, &watch);
    clfold_write(mine, clfold_numbered(ticket + 1));
    clfold_report(reports, ticket, &watch, 0);
}
