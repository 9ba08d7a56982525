/*
 * Segments by offsets, cut into pieces that are equally long, whatever the segments'
 * lengths. A piece is so many places of the elements merged with the segments' ends:
 *
 *   offsets     0 3 3 8            a b c   none   d e f g h
 *   places      a b c | | d e f g h |
 *   pieces of 4 a b c | . | d e f . g h |
 *
 * Where a place lies is found by binary search (merge path: Odeh, Green and others, 2012;
 * Merrill and Garland, 2016). Offsets past the elements count as their end. Those that do
 * not ascend may give any segments, but none outside the elements.
 *
 * needs: contract.cl, partials.cl
 */
#define CLFOLD_OFFSETS_PARAMS                                                            \
    ulong count, global const CLFOLD_OFFSET *offsets, ulong offsets_at, ulong num
#define CLFOLD_OFFSETS count, offsets, offsets_at, num

/* In a block: texts search a segment from s on, which is not past it. */
#if CLFOLD_TEXT_OFFSETS
#define CLFOLD_NEAR(s) const ulong clfold_near = (s)
#else
#define CLFOLD_NEAR(s)
#endif

/* Of a kernel, as count.cl says. */
#define CLFOLD_MOST_PARAMS                                                               \
    ulong most_count, global const CLFOLD_OFFSET *offsets, ulong offsets_at,             \
        ulong most_num

/* What lies before a place: segments that have ended, and elements. */
typedef struct {
    ulong segment, element;
} clfold_spot;

/* Where segment s begins, and the one before it ends. */
static ulong clfold_offset(ulong s, CLFOLD_OFFSETS_PARAMS)
{
    return min((ulong)offsets[offsets_at + s], count);
}

static clfold_spot clfold_nth_spot(ulong n, CLFOLD_OFFSETS_PARAMS)
{
    clfold_spot place;
    ulong low = 0, high = num;

    while (low < high) {
        const ulong s = low + (high - low) / 2;
        if (clfold_offset(s + 1, CLFOLD_OFFSETS) + s < n)
            low = s + 1;
        else
            high = s;
    }
    place.segment = low;
    place.element = n - low;
    return place;
}

/*
 * What a piece, from one place to another, has of segment s: it may have begun before,
 * and it may go on.
 */
typedef struct {
    ulong start, first, items;
    uint begun, open;
} clfold_share;

static clfold_share clfold_share_of(ulong s, clfold_spot from, clfold_spot to,
                                    CLFOLD_OFFSETS_PARAMS)
{
    clfold_share share;
    ulong stop;

    share.start = clfold_offset(s, CLFOLD_OFFSETS);
    share.begun = share.start + s < from.element + from.segment;
    share.first = max(share.start, from.element);
    share.open = s == to.segment;
    stop = to.element;
    if (!share.open)
        stop = min(stop, clfold_offset(s + 1, CLFOLD_OFFSETS));
    share.items = stop > share.first ? stop - share.first : 0;
    return share;
}

/* The fold of a piece's share of segment s is the result, or an item of the segment that
 * is open at the piece's end, or of that which has begun before. */
static void clfold_keep_share(clfold_item total, ulong s, clfold_share share,
                              global clfold_item *open, global clfold_item *begun,
                              global CLFOLD_OUT *out, ulong out_offset,
                              CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    if (!share.open && !share.begun)
        clfold_reduce_end(total, share.items == 0, s, out, out_offset + s,
                          CLFOLD_INIT_ARGS CLFOLD_PASS);
    else if (share.items > 0)
        *(share.open ? open : begun) = total;
}

/* Of clfold_take_piece, which folds the segments of the piece between two places. What
 * begins before it goes to *begun, what goes on after it to *open. */
#define CLFOLD_PIECE_PARAMS                                                              \
    global const CLFOLD_IN *in, ulong in_offset, clfold_spot from, clfold_spot to,       \
        CLFOLD_OFFSETS_PARAMS, uint ahead, global clfold_item *open,                     \
        global clfold_item *begun, global CLFOLD_OUT *out, ulong out_offset
