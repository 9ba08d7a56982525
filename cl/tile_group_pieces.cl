/*
 * A piece's segments by a group, in blocks of as many elements and ends for each
 * work-item. So lengths decide nothing: a work-item folds what it has, anew after each
 * end, and a scan gives those with an end the fold of what lies before.
 *
 *   block          a b | c d e . f g | h . . i    dots are ends; 4 places a work-item
 *   work-item      0             1             2
 *                  a b c d       e . f g       h . . i
 *   slots before   0: abcd       e, fg         h          each where its last element was
 *   after          0: abcd       abcde, fg     fgh, i open
 *
 * (abcd and e are of one segment, as are fg and h.) What is open at a block's end is
 * carried to the next one. Where a segment has a whole block or more to come, the tile's
 * fold takes these elements: they need no ends.
 *
 * needs: contract.cl, element.cl, fold_run.cl, offsets.cl, tile.cl, partials.cl
 * needs if CLFOLD_NUMBERS: tile_group_segments.cl
 */
#if !CLFOLD_NUMBERS

/* An element, and then the fold of a segment's part that ends with it. */
typedef union {
    clfold_stage stage;
    clfold_item item;
} clfold_piece_slot;

/* Places of a work-item, which has about 192 bytes for them, as the host knows: an odd
 * number, against bank conflicts, and of at most a tile. On an H100 288 bytes take 1.2 to
 * 1.3 times as long, 96 as much as 1.1 times, and 48 twice. */
#define CLFOLD_FITTING (192 / (sizeof(clfold_piece_slot) + sizeof(ushort)))
#define CLFOLD_OF_TILE (CLFOLD_TILE / CLFOLD_GROUP_SIZE)
#define CLFOLD_MOST    (CLFOLD_FITTING < CLFOLD_OF_TILE ? CLFOLD_FITTING : CLFOLD_OF_TILE)
#define CLFOLD_ODD     (CLFOLD_MOST > 1 ? (CLFOLD_MOST - 1) | 1 : 1)
#define CLFOLD_EACH                                                                      \
    (uint)(CLFOLD_ODD < CLFOLD_STAGE_LIMIT ? CLFOLD_ODD : CLFOLD_STAGE_LIMIT)
#define CLFOLD_PLACES  (CLFOLD_GROUP_SIZE * CLFOLD_EACH)

/* Ends are numbers of elements of the block. The tile's fold has the same memory. */
typedef struct {
    clfold_item carry;
    union {
        clfold_item memory[CLFOLD_KEPT + 1];
        struct {
            clfold_piece_slot slots[CLFOLD_PLACES];
            ushort ends[CLFOLD_PLACES];
        } block;
    } as;
} clfold_piece_places;

typedef local clfold_piece_places *clfold_piece_room;
#define CLFOLD_PIECE_ROOM(memory, room)                                                  \
    local clfold_piece_places room##_local;                                              \
    const clfold_piece_room room = &room##_local;                                        \
    const clfold_memory memory = room->as.memory

/* How many ends lie before place p of a block. */
static uint clfold_ends_before(uint p, uint items, uint num_ends,
                               clfold_piece_room room)
{
    uint low = p - min(p, items), high = min(p, num_ends);

    while (low < high) {
        const uint i = low + (high - low) / 2;
        if (room->as.block.ends[i] + i < p)
            low = i + 1;
        else
            high = i;
    }
    return low;
}

/* The place after the last of the first i ends. */
static uint clfold_place_behind(uint i, clfold_piece_room room)
{
    return i > 0 ? room->as.block.ends[i - 1] + i : 0;
}

/*
 * Reads a block of `places`, of which at most `most` are ends, from `from` on: the first
 * ends and all elements that there can be, at once, and then more ends, if there are.
 * Returns how many there are.
 */
static uint clfold_read_block(global const CLFOLD_IN *in, ulong in_offset,
                              clfold_spot from, uint places, uint most, uint elements,
                              CLFOLD_OFFSETS_PARAMS, clfold_piece_room room CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);
    ulong end = 0;
    uint seen = 0;
    bool is_more = true;

    if (l < most)
        end = clfold_offset(from.segment + l + 1, CLFOLD_OFFSETS);
#pragma unroll 16
    for (uint j = l; j < elements; j += CLFOLD_GROUP_SIZE)
        room->as.block.slots[j].stage =
            clfold_load(in, in_offset + from.element, j CLFOLD_PASS);
    while (seen < most && is_more) {
        if (seen > 0 && seen + l < most)
            end = clfold_offset(from.segment + seen + l + 1, CLFOLD_OFFSETS);
        if (seen + l < most)
            room->as.block.ends[seen + l] =
                (ushort)(end > from.element ? min(end - from.element, (ulong)places) : 0);
        barrier(CLK_LOCAL_MEM_FENCE);
        seen = min(most, seen + CLFOLD_GROUP_SIZE);
        is_more = room->as.block.ends[seen - 1] + seen <= places;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return clfold_ends_before(places, places, seen, room);
}

/* Folds the places of this work-item, of which the first has `i` ends before it; returns
 * how many ends lie before the place after the last. */
static uint clfold_fold_places(ulong base, uint before, uint items, uint num_ends,
                               clfold_piece_room room CLFOLD_WITH)
{
    const uint first = (uint)get_local_id(0) * CLFOLD_EACH;
    const uint stop = min(first + CLFOLD_EACH, items + num_ends);
    uint end = before < num_ends ? room->as.block.ends[before] : CLFOLD_PLACES;
    uint i = before, j = first - i, num = 0;
    clfold_stage total;

    while (i + j < stop) {
        if (end <= j) {
            if (num > 0)
                room->as.block.slots[j - 1].item = clfold_empty(total, base CLFOLD_PASS);
            num = 0;
            ++i;
            end = i < num_ends ? room->as.block.ends[i] : CLFOLD_PLACES;
        } else {
            const clfold_stage x = room->as.block.slots[j].stage;
            if (num > 0)
                total = clfold_combine_stage(total, x CLFOLD_PASS);
            else
                total = x;
            ++num;
            ++j;
        }
    }
    if (num > 0)
        room->as.block.slots[j - 1].item = clfold_empty(total, base CLFOLD_PASS);
    return i;
}

/*
 * Combines what work-items have left open with what those before have of it: in step d
 * with that of the last work-item of the d before, where the segment begins there or
 * before. Between the two there are no ends, so each has CLFOLD_EACH elements.
 */
static void clfold_join_places(uint i, uint stop_ends, uint places,
                               clfold_piece_room room CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0), first = l * CLFOLD_EACH;
    const uint stop = min(first + CLFOLD_EACH, places);
    const uint start = clfold_place_behind(i, room);
    const bool is_whole = first < places && i == stop_ends;
    local clfold_piece_slot *slots = room->as.block.slots;

    for (uint d = 1; d < CLFOLD_GROUP_SIZE; d *= 2) {
        const uint m = (l & ~(2 * d - 1)) + d - 1;
        if ((l & d) != 0 && is_whole && start < (m + 1) * CLFOLD_EACH)
            slots[stop - i - 1].item =
                clfold_combine(slots[first - i - (l - 1 - m) * CLFOLD_EACH - 1].item,
                               slots[stop - i - 1].item CLFOLD_PASS);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    /* And so what ends first in a work-item. */
    if (stop_ends > i && room->as.block.ends[i] > first - i && start < first)
        slots[room->as.block.ends[i] - 1].item =
            clfold_combine(slots[first - i - 1].item,
                           slots[room->as.block.ends[i] - 1].item CLFOLD_PASS);
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* The results of the segments that end in a block. The first may have a carry, and may
 * have begun before the piece. */
static void clfold_write_ends(clfold_spot from, uint num_ends, bool has_carry,
                              bool has_begun, global clfold_item *begun,
                              global CLFOLD_OUT *out, ulong out_offset,
                              clfold_piece_room room, CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    for (uint i = (uint)get_local_id(0); i < num_ends; i += CLFOLD_GROUP_SIZE) {
        const uint end = room->as.block.ends[i];
        const bool has_items = end > (i > 0 ? room->as.block.ends[i - 1] : 0);
        const bool carries = i == 0 && has_carry;
        clfold_item total;
        if (has_items)
            total = clfold_taken(room->as.block.slots[end - 1].item);
        if (carries && has_items)
            total = clfold_combine(room->carry, total CLFOLD_PASS);
        else if (carries)
            total = clfold_taken(room->carry);
        if (i > 0 || !has_begun)
            clfold_reduce_end(total, !has_items && !carries, from.segment + i, out,
                              out_offset + from.segment + i,
                              CLFOLD_INIT_ARGS CLFOLD_PASS);
        else if (has_items || carries)
            *begun = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Adds an item to what is carried; work-item 0 does. */
static void clfold_carry_on(bool has_carry, clfold_item x,
                            clfold_piece_room room CLFOLD_WITH)
{
    if (has_carry)
        room->carry = clfold_combine(room->carry, x CLFOLD_PASS);
    else
        room->carry = x;
}

/* Elements that come before the segment's or the piece's end, if they fill a block. */
static ulong clfold_long_run(clfold_spot from, clfold_spot to, CLFOLD_OFFSETS_PARAMS)
{
    ulong stop = to.element;

    if (from.segment < to.segment)
        stop = min(stop, clfold_offset(from.segment + 1, CLFOLD_OFFSETS));
    return stop >= from.element + CLFOLD_PLACES ? stop - from.element : 0;
}

static void clfold_take_piece(CLFOLD_PIECE_PARAMS, clfold_memory memory,
                              clfold_piece_room room, CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);
    clfold_spot at = from, last = to;
    bool has_begun = clfold_share_of(at.segment, at, last, CLFOLD_OFFSETS).begun;
    bool has_carry = false;
    ulong end;

    at.element = max(at.element, clfold_offset(0, CLFOLD_OFFSETS));
    last.element = min(last.element, clfold_offset(num, CLFOLD_OFFSETS));
    end = last.segment + last.element;
    while (at.segment + at.element < end) {
        CLFOLD_NEAR(at.segment);
        const ulong run = clfold_long_run(at, last, CLFOLD_OFFSETS);
        clfold_fold_run(in, in_offset, at.element, at.element + run, ahead,
                        memory CLFOLD_PASS);
        if (l == 0 && run > 0)
            clfold_carry_on(has_carry, memory[CLFOLD_KEPT], room CLFOLD_PASS);
        has_carry = has_carry || run > 0;
        at.element += run;
        barrier(CLK_LOCAL_MEM_FENCE);

        const uint places =
            (uint)min(end - at.segment - at.element, (ulong)CLFOLD_PLACES);
        const uint num_ends = clfold_read_block(
            in, in_offset, at, places,
            (uint)min(last.segment - at.segment, (ulong)places),
            (uint)min(max(last.element, at.element) - at.element, (ulong)places),
            CLFOLD_OFFSETS, room CLFOLD_PASS);
        const uint items = places - num_ends;
        const uint i =
            clfold_ends_before(min(l * CLFOLD_EACH, places), items, num_ends, room);
        const uint stop_ends =
            clfold_fold_places(at.element, i, items, num_ends, room CLFOLD_PASS);
        barrier(CLK_LOCAL_MEM_FENCE);
        clfold_join_places(i, stop_ends, places, room CLFOLD_PASS);
        clfold_write_ends(at, num_ends, has_carry, has_begun, begun, out, out_offset,
                          room, CLFOLD_INIT_ARGS CLFOLD_PASS);
        const bool is_open = clfold_place_behind(num_ends, room) < places;
        has_carry = has_carry && num_ends == 0;
        if (l == 0 && is_open)
            clfold_carry_on(has_carry, room->as.block.slots[items - 1].item,
                            room CLFOLD_PASS);
        has_carry = has_carry || is_open;
        has_begun = has_begun && num_ends == 0;
        at.segment += num_ends;
        at.element += items;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0 && has_carry)
        *open = clfold_taken(room->carry);
}

#endif
