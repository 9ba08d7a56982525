/*
 * Scans by tiles of a work-group, with the interface that tile_vector_scan.cl describes.
 *
 *   elements in global memory     read in rows: work-item l takes l, l + G, l + 2G, ...
 *   slots in local memory         one an element, and one in K more against conflicts
 *   work-item l                   K neighbours, from l K on: folded, scanned later
 *   items in local memory         one a work-item: group_scan.cl scans them
 *   slots                         overwritten by the results, each by its work-item
 *   results in global memory      written in rows
 *
 * Elements lie in the slots between the two visits, not in registers: PoCL 3.1 may loop
 * endlessly if an item is private across a barrier. Code between barriers is loops, never
 * in one `if`, which PoCL 3.1 lost after the barrier that ends the group's scan.
 *
 * A read under a condition must have a valid address without it too: both CPU runtimes
 * may hoist the read for all work-items, and read items[l - 1] for work-item 0 as well.
 *
 * Rows are of 16 bytes a work-item where the tile is of whole chunks and the address
 * allows, else of scalars; of structs they are of the widest words that these are made
 * of. Barriers a tile: 3 and those of the group's scan, 2 to propagate.
 *
 * needs: contract.cl, element.cl, group_scan.cl, scan_tiles.cl, segments.cl, write.cl
 * needs if CLFOLD_KEEPS_SCAN: emit_kept.cl
 */

/* Elements of a work-item, and its place for element i of the tile. */
#define CLFOLD_RUN         (CLFOLD_TILE / CLFOLD_GROUP_SIZE)
#define CLFOLD_SLOT(i)     ((i) + (i) / CLFOLD_RUN)
#define CLFOLD_LIVE(count) (((count) + CLFOLD_RUN - 1) / CLFOLD_RUN)

/* Elements of a run that are folded or scanned in one round of a loop: few enough for two
 * rounds, else compilers guard each. They put the rest of a short run in a loop of its
 * own; PoCL 3.1's compiler crashes with two places that scan. */
#if CLFOLD_RUN > 8 && CLFOLD_RUN % 8 == 0
#define CLFOLD_UNROLLED 8
#elif CLFOLD_RUN > 4 && CLFOLD_RUN % 4 == 0
#define CLFOLD_UNROLLED 4
#elif CLFOLD_RUN > 2 && CLFOLD_RUN % 2 == 0
#define CLFOLD_UNROLLED 2
#else
#define CLFOLD_UNROLLED 1
#endif

typedef union {
#if CLFOLD_KEEPS_STAGES
    clfold_stage loaded;
#else
    CLFOLD_IN in[CLFOLD_SCALARS];
#endif
#if CLFOLD_KEEPS_ITEMS
    clfold_item item; /* of which a text makes what is written */
#else
    clfold_result out;
#endif
#if CLFOLD_IN_STRUCT && !CLFOLD_KEEPS_STAGES
    CLFOLD_WORD words[CLFOLD_WORDS];
#endif
#if CLFOLD_OUT_STRUCT && !CLFOLD_KEEPS_ITEMS
    CLFOLD_OUT_WORD out_words[CLFOLD_OUT_WORDS];
#endif
} clfold_slot_parts;

/* Aligned so that parts of 4 bytes are read and written together. */
typedef clfold_slot_parts clfold_slot
    __attribute__((aligned(sizeof(clfold_slot_parts) % 16 == 0  ? 16
                           : sizeof(clfold_slot_parts) % 8 == 0 ? 8
                           : sizeof(clfold_slot_parts) % 4 == 0 ? 4
                           : sizeof(clfold_slot_parts) % 2 == 0 ? 2
                                                                : 1)));

typedef struct {
    clfold_item items[CLFOLD_SCAN_ITEMS];
    CLFOLD_ROOM_MEMBERS
    clfold_slot slots[CLFOLD_SLOT(CLFOLD_TILE)];
} clfold_room;

typedef CLFOLD_SPACE clfold_room *clfold_room_pointer;

/* ---- Rows -------------------------------------------------------------------------- */

/* Chunks or words that a work-item has under way at once, at most. */
#define CLFOLD_LOADS 4

#if CLFOLD_KEEPS_STAGES

/* Elements that a work-item has under way at once. */
#define CLFOLD_STAGES                                                                    \
    (sizeof(clfold_stage) <= 4    ? 8u                                                   \
     : sizeof(clfold_stage) <= 16 ? 4u                                                   \
     : sizeof(clfold_stage) <= 32 ? 2u                                                   \
                                  : 1u)

/* Elements are what is loaded of them. */
static void clfold_read_rows(global const CLFOLD_IN *in, ulong begin, uint count,
                             clfold_room_pointer room CLFOLD_WITH)
{
    const uint step = CLFOLD_GROUP_SIZE;

    /* Past the end it is the last again, which is safe. One place loads, since PoCL 3.1's
     * compiler mixes up two; and by parts, since rusticl's (Mesa 22.3) does structs of
     * bytes in an array. */
    for (uint i = (uint)get_local_id(0); i < count; i += CLFOLD_STAGES * step) {
        clfold_stage row[CLFOLD_STAGES];
#pragma unroll
        for (uint k = 0; k < CLFOLD_STAGES; ++k) {
            const clfold_stage e =
                clfold_load(in, begin, min(i + k * step, count - 1) CLFOLD_PASS);
            row[k].$name = e.$name;
        }
#pragma unroll
        for (uint k = 0; k < CLFOLD_STAGES; ++k) {
            if (i + k * step < count) {
                local clfold_stage *to = &room->slots[CLFOLD_SLOT(i + k * step)].loaded;
                to->$name = row[k].$name;
            }
        }
    }
}

#elif CLFOLD_IN_STRUCT

/* Word w of the tile to its slot. */
#define CLFOLD_PUT_WORD(room, word, w)                                                   \
    (room)->slots[CLFOLD_SLOT((w) / CLFOLD_WORDS)].words[(w) % CLFOLD_WORDS] = (word)

static void clfold_read_rows(global const CLFOLD_IN *in, ulong begin, uint count,
                             clfold_room_pointer room CLFOLD_WITH)
{
    global const CLFOLD_WORD *from = (global const CLFOLD_WORD *)(in + begin);
    const uint num = (ulong)from % sizeof(CLFOLD_WORD) == 0 ? count * CLFOLD_WORDS : 0;
    uint w = (uint)get_local_id(0);

    for (; w + (CLFOLD_LOADS - 1) * CLFOLD_GROUP_SIZE < num;
         w += CLFOLD_LOADS * CLFOLD_GROUP_SIZE) {
        CLFOLD_WORD row[CLFOLD_LOADS];
#pragma unroll
        for (uint k = 0; k < CLFOLD_LOADS; ++k)
            row[k] = from[w + k * CLFOLD_GROUP_SIZE];
#pragma unroll
        for (uint k = 0; k < CLFOLD_LOADS; ++k)
            CLFOLD_PUT_WORD(room, row[k], w + k * CLFOLD_GROUP_SIZE);
    }
    for (; w < num; w += CLFOLD_GROUP_SIZE)
        CLFOLD_PUT_WORD(room, from[w], w);
    for (uint i = num > 0 ? count : (uint)get_local_id(0); i < count;
         i += CLFOLD_GROUP_SIZE)
        room->slots[CLFOLD_SLOT(i)].in[0] = in[begin + i];
}

#else

typedef union {
    CLFOLD_CHUNK_VECTOR vector;
    CLFOLD_IN scalars[CLFOLD_CHUNK_SCALARS];
} clfold_chunk;

/* Chunks of a whole tile that a work-item reads, 0 where they are not the same for all,
 * and how many of these it has under way at once: registers are for more than loads. */
#if CLFOLD_TILE % (CLFOLD_GROUP_SIZE * CLFOLD_CHUNK) == 0
#define CLFOLD_ROWS (CLFOLD_TILE / CLFOLD_GROUP_SIZE / CLFOLD_CHUNK)
#else
#define CLFOLD_ROWS 0
#endif
#define CLFOLD_ROW_LOADS (CLFOLD_ROWS % 4 == 0 ? 4 : CLFOLD_ROWS % 2 == 0 ? 2 : 1)

/* Chunk c of the tile to its slots. A macro: PoCL 3.1 lost an element where two places
 * called a function with the address of their chunk. */
#define CLFOLD_PUT_CHUNK(room, chunk, c)                                                 \
    for (uint s = 0; s < CLFOLD_CHUNK_SCALARS; ++s)                                      \
        (room)                                                                           \
            ->slots[CLFOLD_SLOT((c)*CLFOLD_CHUNK + s / CLFOLD_SCALARS)]                  \
            .in[s % CLFOLD_SCALARS] = (chunk).scalars[s];

/* The chunks of a whole tile. */
static void clfold_read_tile(global const CLFOLD_CHUNK_VECTOR *chunks,
                             clfold_room_pointer room)
{
    for (uint c = (uint)get_local_id(0); c < CLFOLD_TILE / CLFOLD_CHUNK;
         c += CLFOLD_ROW_LOADS * CLFOLD_GROUP_SIZE) {
        clfold_chunk row[CLFOLD_ROW_LOADS];
#pragma unroll
        for (uint k = 0; k < CLFOLD_ROW_LOADS; ++k)
            row[k].vector = chunks[c + k * CLFOLD_GROUP_SIZE];
#pragma unroll
        for (uint k = 0; k < CLFOLD_ROW_LOADS; ++k) {
#pragma unroll
            CLFOLD_PUT_CHUNK(room, row[k], c + k * CLFOLD_GROUP_SIZE)
        }
    }
}

static void clfold_read_rows(global const CLFOLD_IN *in, ulong begin, uint count,
                             clfold_room_pointer room CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);
    global const CLFOLD_IN *from = in + begin * CLFOLD_SCALARS;
    global const CLFOLD_CHUNK_VECTOR *chunks = (global const CLFOLD_CHUNK_VECTOR *)from;
    const bool aligned = (ulong)from % CLFOLD_CHUNK_ALIGN == 0;

    if (CLFOLD_ROWS > 0 && count == CLFOLD_TILE && aligned)
        clfold_read_tile(chunks, room);
    else if (count % CLFOLD_CHUNK == 0 && aligned) {
        for (uint c = l; c < count / CLFOLD_CHUNK; c += CLFOLD_GROUP_SIZE) {
            clfold_chunk chunk;
            chunk.vector = chunks[c];
#pragma unroll
            CLFOLD_PUT_CHUNK(room, chunk, c)
        }
    } else {
        for (uint i = l; i < count * CLFOLD_SCALARS; i += CLFOLD_GROUP_SIZE)
            room->slots[CLFOLD_SLOT(i / CLFOLD_SCALARS)].in[i % CLFOLD_SCALARS] = from[i];
    }
}

#endif

/* Of clfold_write_rows: the results of a tile, which are in the slots. */
#define CLFOLD_ROWS_PARAMS                                                               \
    global const CLFOLD_IN *in, ulong begin, ulong index, global CLFOLD_OUT *out,        \
        ulong out_begin, uint count, bool has_prefix, clfold_room_pointer room

#if CLFOLD_KEEPS_ITEMS

/* An item that goes out. */
#define CLFOLD_KEEP(slot, y) ((slot)->item = (y))

/* Each by a work-item: neighbours read and write side by side. */
static void clfold_write_rows(CLFOLD_ROWS_PARAMS CLFOLD_WITH)
{
    for (uint i = (uint)get_local_id(0); i < count; i += CLFOLD_GROUP_SIZE) {
        const clfold_item y = clfold_taken(room->slots[CLFOLD_SLOT(i)].item);
        clfold_item before = y;
#if CLFOLD_KEEPS_BEFORE && !CLFOLD_EXCLUSIVE
        before = clfold_taken(room->slots[CLFOLD_SLOT(max(i, 1u) - 1)].item);
        if (i == 0)
            before = clfold_or_identity(has_prefix ? clfold_taken(room->prefix) : y,
                                        !has_prefix CLFOLD_PASS);
#endif
        clfold_emit(y, before, in + (begin + i) * CLFOLD_SCALARS, index + i, out,
                    out_begin + i CLFOLD_PASS);
    }
}

#elif CLFOLD_OUT_STRUCT

#define CLFOLD_KEEP(slot, y) ((slot)->out = clfold_cells_of(clfold_named_of(y)))
#define CLFOLD_OUT_RESULTS   0

static void clfold_write_rows(CLFOLD_ROWS_PARAMS CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);
    global CLFOLD_OUT_WORD *to = (global CLFOLD_OUT_WORD *)(out + out_begin);
    const uint num = (ulong)to % sizeof(CLFOLD_OUT_WORD) == 0 ? count : 0;

    for (uint w = l; w < num * CLFOLD_OUT_WORDS; w += CLFOLD_GROUP_SIZE)
        to[w] = room->slots[CLFOLD_SLOT(w / CLFOLD_OUT_WORDS)]
                    .out_words[w % CLFOLD_OUT_WORDS];
    for (uint i = num + l; i < count; i += CLFOLD_GROUP_SIZE) {
        out[out_begin + i].$name = room->slots[CLFOLD_SLOT(i)].out.cells[0].$name;
    }
}

#else

#define CLFOLD_KEEP(slot, y) ((slot)->out = clfold_cells_of(clfold_named_of(y)))

typedef union {
    CLFOLD_OUT_CHUNK_VECTOR vector;
    CLFOLD_CELL cells[CLFOLD_OUT_CHUNK];
} clfold_out_chunk;

/* Results that lie in one such chunk; 0 where one fills it, or they do not. With more
 * cells PoCL 3.1's compiler crashes, or propagates wrongly. */
#if CLFOLD_OUT_CELLS <= 2 && CLFOLD_OUT_CHUNK % CLFOLD_OUT_CELLS == 0 &&                 \
    CLFOLD_OUT_CHUNK > CLFOLD_OUT_CELLS
#define CLFOLD_OUT_RESULTS (CLFOLD_OUT_CHUNK / CLFOLD_OUT_CELLS)
#else
#define CLFOLD_OUT_RESULTS 0
#endif

/* Cell i of the results, of all components one after the other. */
static CLFOLD_CELL clfold_cell(clfold_room_pointer room, uint i)
{
    return room->slots[CLFOLD_SLOT(i / CLFOLD_OUT_CELLS)].out.cells[i % CLFOLD_OUT_CELLS];
}

/* 16 bytes of cells as one. Cells of one byte by words: clang for NVIDIA stores a vector
 * of 16 bytes in four parts, but one of four words as one. */
static CLFOLD_OUT_CHUNK_VECTOR clfold_pack(const CLFOLD_CELL *cells)
{
#if CLFOLD_OUT_CHUNK == 16 && !CLFOLD_OUT_STRUCT
    union {
        uint word;
        CLFOLD_CELL cells[4];
    } part[4];

#pragma unroll
    for (uint k = 0; k < CLFOLD_OUT_CHUNK; ++k)
        part[k / 4].cells[k % 4] = cells[k];
    return (uint4)(part[0].word, part[1].word, part[2].word, part[3].word);
#else
    clfold_out_chunk chunk;

#pragma unroll
    for (uint k = 0; k < CLFOLD_OUT_CHUNK; ++k)
        chunk.cells[k] = cells[k];
    return chunk.vector;
#endif
}

/* Results lie in the buffer as they do in the slots: a run of cells. */
static void clfold_write_rows(CLFOLD_ROWS_PARAMS CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);
    const uint num = count * CLFOLD_OUT_CELLS;
    global CLFOLD_CELL *to = out + out_begin * CLFOLD_OUT_CELLS;

    if (num % CLFOLD_OUT_CHUNK == 0 && (ulong)to % 16 == 0) {
        for (uint c = l; c < num / CLFOLD_OUT_CHUNK; c += CLFOLD_GROUP_SIZE) {
            CLFOLD_CELL cells[CLFOLD_OUT_CHUNK];
#pragma unroll
            for (uint k = 0; k < CLFOLD_OUT_CHUNK; ++k)
                cells[k] = clfold_cell(room, c * CLFOLD_OUT_CHUNK + k);
            ((global CLFOLD_OUT_CHUNK_VECTOR *)to)[c] = clfold_pack(cells);
        }
    } else {
        for (uint i = l; i < num; i += CLFOLD_GROUP_SIZE)
            to[i] = clfold_cell(room, i);
    }
}

#endif

/* ---- Tiles ------------------------------------------------------------------------- */

/* Elements of this work-item's run in a tile of `count`. */
static uint clfold_run_of(uint count)
{
    const uint first = (uint)get_local_id(0) * CLFOLD_RUN;

    return first < count ? min((uint)CLFOLD_RUN, count - first) : 0;
}

/* Element j of the tile, which is in that slot. */
static clfold_stage clfold_slot_load(local const clfold_slot *slot, uint j)
{
#if CLFOLD_KEEPS_STAGES
    return slot->loaded;
#else
    local const CLFOLD_IN *s = slot->in;
    clfold_stage r;

    r.$name = convert_$stage($load);
    return r;
#endif
}

static void clfold_tile_aggregate(global const CLFOLD_IN *in, ulong begin, ulong index,
                                  uint count, clfold_room_pointer room CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0), first = l * CLFOLD_RUN;
    const uint num = clfold_run_of(count);

    clfold_read_rows(in, begin, count, room CLFOLD_PASS);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (num > 0) {
        local const clfold_slot *run = room->slots + CLFOLD_SLOT(first);
        clfold_stage mine;
#pragma unroll CLFOLD_UNROLLED
        for (uint i = 0; i < num; ++i) {
            const clfold_stage x = clfold_slot_load(run + i, first + i);
            mine = i == 0 ? x : clfold_combine_stage(mine, x CLFOLD_PASS);
        }
        room->items[clfold_scan_place(l)] = clfold_empty(mine, index CLFOLD_PASS);
    }
    clfold_group_scan(CLFOLD_LIVE(count), room->items CLFOLD_PASS);
}

#define CLFOLD_TILE_LOADS 1
#define CLFOLD_TILE_AHEAD 0
#define clfold_tile_load clfold_tile_aggregate

static clfold_item clfold_tile_total(clfold_room_pointer room, uint count)
{
    return room->items[clfold_scan_result(CLFOLD_LIVE(count) - 1)];
}

/* Scans the run of this work-item in its slots, after the fold that group_scan.cl left.
 */
static void clfold_scan_mine(ulong index, uint count, bool has_prefix,
                             clfold_room_pointer room CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0), first = l * CLFOLD_RUN;
    const uint num = clfold_run_of(count);
    local clfold_slot *run = room->slots + CLFOLD_SLOT(first);
    /* The fold of the runs before this one; any value for work-item 0. */
    const clfold_item front =
        clfold_taken(room->items[clfold_scan_result(max(l, 1u) - 1)]);
    const clfold_item prefix = clfold_taken(room->prefix);
    clfold_item before = front;
    clfold_stage mine;

    if (CLFOLD_EXCLUSIVE && l == 0)
        before = clfold_or_identity(has_prefix ? prefix : front, !has_prefix CLFOLD_PASS);
    else if (CLFOLD_EXCLUSIVE && num > 0 && has_prefix)
        before = clfold_combine(prefix, front CLFOLD_PASS);
#pragma unroll CLFOLD_UNROLLED
    for (uint i = 0; i < num; ++i) {
        const clfold_stage x = clfold_slot_load(run + i, first + i);
        mine = i == 0 ? x : clfold_combine_stage(mine, x CLFOLD_PASS);
        clfold_item y = clfold_empty(mine, index CLFOLD_PASS);
        if (l > 0)
            y = clfold_combine(front, y CLFOLD_PASS);
        if (has_prefix)
            y = clfold_combine(prefix, y CLFOLD_PASS);
        CLFOLD_KEEP(run + i, CLFOLD_EXCLUSIVE ? before : y);
        before = y;
    }
    /* The last one is the group scan's: the next run begins with its bits. */
    if (!CLFOLD_EXCLUSIVE && num > 0) {
        clfold_item last = clfold_taken(room->items[clfold_scan_result(l)]);
        if (first + num == count)
            last = clfold_taken(room->next);
        else if (has_prefix)
            last = clfold_combine(prefix, last CLFOLD_PASS);
        CLFOLD_KEEP(run + num - 1, last);
    }
}

static void clfold_tile_scan(CLFOLD_TILE_SCAN_PARAMS CLFOLD_WITH)
{
    clfold_scan_mine(index, count, has_prefix, room CLFOLD_PASS);
    barrier(CLK_LOCAL_MEM_FENCE);
    clfold_write_rows(in, begin, index, out, out_begin, count, has_prefix,
                      room CLFOLD_PASS);
    barrier(CLK_LOCAL_MEM_FENCE);
}
