/*
 * Selects by tiles of a work-group, with the interface that tile_vector_scan.cl
 * describes: to scan is to write what is kept after the prefix.
 *
 *   elements in global memory     loaded in rows: work-item l takes l, l + G, l + 2G, ...
 *   flags in local memory         whether an element is kept
 *   work-item l                   counts the flags of K neighbours, from l K on
 *   items in local memory         one a work-item: group_scan.cl scans them
 *   places in local memory        which elements are kept, in order, then the others
 *   results in global memory      written in rows: neighbours by neighbours
 *
 * What is kept is loaded again, from a cache, so that local memory does not limit a tile:
 * what look-back costs is by tiles. Flags of a run are apart by a word more, against bank
 * conflicts. Barriers a tile: 3 and those of the group's scan.
 *
 * needs: contract.cl, counts.cl, element.cl, group_scan.cl, keep.cl, scan_tiles.cl
 * needs: segments.cl
 */
#define CLFOLD_RUN         (CLFOLD_TILE / CLFOLD_GROUP_SIZE)
#define CLFOLD_FLAG(i)     ((i) + (i) / CLFOLD_RUN * 4)
#define CLFOLD_LIVE(count) (((count) + CLFOLD_RUN - 1) / CLFOLD_RUN)

/* From the flag of element i to that of one `rows` times the group after it. */
#define CLFOLD_FLAG_AFTER(i, rows)                                                       \
    (CLFOLD_GROUP_SIZE % CLFOLD_RUN == 0 ? CLFOLD_FLAG(rows)                             \
                                         : CLFOLD_FLAG((i) + (rows)) - CLFOLD_FLAG(i))

/* Elements that a work-item has under way at once: in one block, without a condition. Of
 * runs there are two for each. */
#define CLFOLD_LOADS                                                                     \
    (sizeof(clfold_stage) <= 4    ? CLFOLD_KEEPS_RUNS ? 4u : 8u                          \
     : sizeof(clfold_stage) <= 16 ? 4u                                                   \
     : sizeof(clfold_stage) <= 32 ? 2u                                                   \
                                  : 1u)

#if CLFOLD_TILE > 65536
#error "tile_group_select: CLFOLD_TILE must be at most 65536"
#endif

typedef struct {
    clfold_item items[CLFOLD_SCAN_ITEMS];
    CLFOLD_ROOM_MEMBERS
    ushort places[CLFOLD_TILE];
    uchar flags[CLFOLD_FLAG(CLFOLD_TILE)];
} clfold_room;

typedef CLFOLD_SPACE clfold_room *clfold_room_pointer;

/* Elements of this work-item's run in a tile of `count`. */
static uint clfold_run_of(uint count)
{
    const uint first = (uint)get_local_id(0) * CLFOLD_RUN;

    return first < count ? min((uint)CLFOLD_RUN, count - first) : 0;
}

/* Whether element i of the tile is kept. */
static bool clfold_holds_at(global const CLFOLD_IN *in, ulong begin, uint i CLFOLD_WITH)
{
    return clfold_holds(clfold_load(in, begin, i CLFOLD_PASS), in, begin, i CLFOLD_PASS);
}

static void clfold_tile_aggregate(global const CLFOLD_IN *in, ulong begin, ulong index,
                                  uint count, clfold_room_pointer room CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0), num = clfold_run_of(count);
    const uint step = CLFOLD_GROUP_SIZE;
    uint i = l;

    /* Constants are added to what is of 64 bits and cannot wrap: they cost nothing. No
     * stage knows its place in the tile, since a select that counts has no operator. */
    for (; i + (CLFOLD_LOADS - 1) * step < count; i += CLFOLD_LOADS * step) {
        local uchar *flags = room->flags + CLFOLD_FLAG(i);
        uchar holds[CLFOLD_LOADS];
#pragma unroll
        for (uint k = 0; k < CLFOLD_LOADS; ++k)
            holds[k] = clfold_holds_at(in, begin + i, k * step CLFOLD_PASS);
#pragma unroll
        for (uint k = 0; k < CLFOLD_LOADS; ++k)
            flags[CLFOLD_FLAG_AFTER(i, k * step)] = holds[k];
    }
    for (; i < count; i += step)
        room->flags[CLFOLD_FLAG(i)] = clfold_holds_at(in, begin, i CLFOLD_PASS);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (num > 0) {
        local const uchar *flags = room->flags + CLFOLD_FLAG(l * CLFOLD_RUN);
        uint kept = 0, last = 0;
#pragma unroll 4
        for (uint k = 0; k < num; ++k) {
            kept += flags[k];
            last = flags[k] ? k : last;
        }
        room->items[clfold_scan_place(l)] =
            clfold_kept_of(kept, index + l * CLFOLD_RUN + last);
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

static void clfold_tile_scan(CLFOLD_TILE_SCAN_PARAMS CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0), num = clfold_run_of(count);
    const uint step = CLFOLD_GROUP_SIZE;
    const ulong before = room->items[clfold_scan_result(max(l, 1u) - 1)].kept;
    const uint total = (uint)room->items[clfold_scan_result(CLFOLD_LIVE(count) - 1)].kept;
    const clfold_share share =
        clfold_share_of(index, has_prefix, room->prefix, room->next CLFOLD_PASS);
    local const uchar *flags = room->flags + CLFOLD_FLAG(l * CLFOLD_RUN);
    uint p = l > 0 ? (uint)before : 0;

    if (clfold_has_rest) {
        uint q = total + l * CLFOLD_RUN - p;
#pragma unroll 4
        for (uint k = 0; k < num; ++k)
            room->places[flags[k] ? p++ : q++] = (ushort)(l * CLFOLD_RUN + k);
    } else {
#pragma unroll 4
        for (uint k = 0; k < num; ++k)
            if (flags[k])
                room->places[p++] = (ushort)(l * CLFOLD_RUN + k);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    /* What is kept, then the rest. Past the end it is the last again, which is safe. */
    for (uint part = 0; part < (clfold_has_rest ? 2 : 1); ++part) {
        const uint first = part == 0 ? 0 : total, stop = part == 0 ? total : count;
        global CLFOLD_OUT *to = part == 0 ? out : clfold_rest;
        const ulong at = part == 0 ? share.at : share.rest - total;
        for (uint i = first + l; i < stop; i += CLFOLD_LOADS * step) {
            clfold_stage e[CLFOLD_LOADS];
            uint places[CLFOLD_LOADS];
#pragma unroll
            for (uint k = 0; k < CLFOLD_LOADS; ++k) {
                places[k] = room->places[min(i + k * step, stop - 1)];
                e[k] = clfold_load(in, begin, places[k] CLFOLD_PASS);
            }
#pragma unroll
            for (uint k = 0; k < CLFOLD_LOADS; ++k) {
                const uint n = i + k * step;
                if (n < stop) {
                    clfold_put_element(e[k], in, begin, places[k], to,
                                       at + i + k * step CLFOLD_PASS);
#if CLFOLD_KEEPS_RUNS
                    const ulong start =
                        n == 0 ? share.start : index + room->places[max(n, 1u) - 1];
                    if (part == 0)
                        clfold_put_length(at + n, index + places[k] - start CLFOLD_PASS);
#endif
                }
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
