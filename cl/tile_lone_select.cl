/*
 * Selects by tiles of one work-item, 16 elements at a time, or where there are no vectors
 * element by element, with the interface that tile_vector_scan.cl describes: to scan is
 * to write what is kept after the prefix.
 *
 *   in     a b c d e f g h i j k l m n o p | ...     16 elements, of which some are kept
 *   row    . . . | b d e i n                         go to the end of a row in the cache;
 *   out    . . . | b d e i n ...                     lines of it that are full are stored
 *
 * An element goes where the next one that is kept will, so no branch depends on it. The
 * row begins where a vector of the output does; only at the tile's ends are elements
 * stored one by one, and none past them. A row of 4 KiB is in the first cache.
 *
 * needs: contract.cl, counts.cl, element.cl, keep.cl, scan_tiles.cl, segments.cl
 * needs if CLFOLD_TILE_VECTOR: compress.cl, tile_vector_write.cl, vectors.cl
 */
/* How many of elements first to count - 1 are kept, and `so_far`; `index` is that of
 * element 0. */
static clfold_item clfold_count_lone(clfold_item so_far,
                                         global const CLFOLD_IN *in, ulong begin,
                                         ulong index, uint first, uint count CLFOLD_WITH)
{
    ulong kept = so_far.kept, start = 0;

#if CLFOLD_KEEPS_RUNS
    start = so_far.start;
#endif
    for (uint j = first; j < count; ++j) {
        const clfold_stage e = clfold_load(in, begin, j CLFOLD_PASS);
        const bool holds = clfold_holds(e, in, begin, j CLFOLD_PASS);
        kept += holds;
        start = holds ? index + j : start;
    }
    return clfold_kept_of(kept, start);
}

/*
 * Writes those of a tile of `count`, the first one as its p of `before`, and the others,
 * one by one.
 *
 *   in        x0  x1  x2  x3  x4  x5         kept: x0 x3 x4
 *   out[p]    x0  x1  x2  x3  x4  -
 *   p          0   1   1   1   2   3         a share's end is not passed
 */
static void clfold_select_lone(global const CLFOLD_IN *in, ulong begin, ulong index,
                               uint first, uint count, uint before, ulong begun,
                               clfold_share share, global CLFOLD_OUT *out CLFOLD_WITH)
{
    uint p = before;
    ulong start = begun;

    for (uint j = first; j < count; ++j) {
        const clfold_stage e = clfold_load(in, begin, j CLFOLD_PASS);
        const bool holds = clfold_holds(e, in, begin, j CLFOLD_PASS);
        if (CLFOLD_MAKES_ALL ? p < share.kept : holds)
            clfold_put_element(e, in, begin, j, out, share.at + p CLFOLD_PASS);
        if (clfold_has_rest && (CLFOLD_MAKES_ALL ? j - p < count - share.kept : !holds))
            clfold_put_element(e, in, begin, j, clfold_rest,
                               share.rest + j - p CLFOLD_PASS);
        if (CLFOLD_KEEPS_RUNS && holds)
            clfold_put_length(share.at + p, index + j - start CLFOLD_PASS);
        start = holds ? index + j : start;
        p += holds;
    }
}

typedef struct {
    clfold_item items[1];
    CLFOLD_ROOM_MEMBERS
} clfold_room;

typedef CLFOLD_SPACE clfold_room *clfold_room_pointer;

#if CLFOLD_KEEP16

/* Elements that are counted in bytes at once: none wraps around. */
#define CLFOLD_COUNTED (127 * 16)

static clfold_item clfold_count_vectors(global const CLFOLD_IN *in, ulong begin,
                                            ulong index, uint count CLFOLD_WITH)
{
    uint16 kept = 0;
    union { uint16 v; uint s[16]; } lanes;
    union { char16 v; ulong2 bits; char s[16]; } last;
    uint j = 0, of_last = 0;

    last.v = 0;
    while (j < count) {
        const uint stop = min(count, j + CLFOLD_COUNTED);
        char16 some = 0;
        for (; j < stop; j += 16) {
            const char16 holds = clfold_holds16(
                clfold_load16(in, begin, j CLFOLD_PASS), in, begin, j CLFOLD_PASS);
            some += holds;
#if CLFOLD_KEEPS_RUNS
            union { char16 v; ulong2 bits; } any;
            any.v = holds;
            if (any.bits.x | any.bits.y) {
                last.v = holds;
                of_last = j;
            }
#endif
        }
        kept += convert_uint16(convert_int16(-some));
    }
    lanes.v = kept;
    for (uint k = 1; k < 16; ++k)
        lanes.s[0] += lanes.s[k];
#if CLFOLD_KEEPS_RUNS
    uint lane = 0;
    for (uint k = 0; k < 16; ++k)
        lane = last.s[k] ? k : lane;
    of_last += lane;
#endif
    return clfold_kept_of(lanes.s[0], index + of_last);
}

#define CLFOLD_ROW 512

typedef union {
    CLFOLD_CELL16 v[(CLFOLD_ROW / 16 + 1) * CLFOLD_OUT_SCALARS];
    CLFOLD_OUT s[(CLFOLD_ROW + 16) * CLFOLD_OUT_SCALARS];
} clfold_row;

#if CLFOLD_OUT_SCALARS == 1
CLFOLD_COMPRESSES(clfold_compress_cells, CLFOLD_OUT, CLFOLD_CELL16)
#endif

/* Adds what is kept of 16 to a row of `before` elements; returns how many it has then. */
static uint clfold_push16(clfold_row *row, uint before, const clfold_cells16 *made,
                          char16 holds)
{
#if CLFOLD_OUT_SCALARS == 1
    return before + clfold_compress_cells(row->s + before, made->cells[0], holds);
#else
    union { char16 v; char s[16]; } kept;
    union { CLFOLD_CELL16 v[CLFOLD_OUT_SCALARS];
            CLFOLD_OUT s[CLFOLD_OUT_SCALARS][16]; } cells;
    uint p = before;

    kept.v = holds;
    for (uint n = 0; n < CLFOLD_OUT_SCALARS; ++n)
        cells.v[n] = made->cells[n];
#pragma unroll
    for (uint k = 0; k < 16; ++k) {
#pragma unroll
        for (uint n = 0; n < CLFOLD_OUT_SCALARS; ++n)
            row->s[p * CLFOLD_OUT_SCALARS + n] = cells.s[n][k];
        p += kept.s[k] & 1;
    }
    return p;
#endif
}

/* Stores elements `first` to p - 1 of a row, which begins at `to`. */
static void clfold_put_row(const clfold_row *row, uint first, uint p,
                           global CLFOLD_OUT *to, bool stream)
{
    for (uint j = 0; j < p; j += 16) {
        if (j >= first && j + 16 <= p) {
            for (uint n = 0; n < CLFOLD_OUT_SCALARS; ++n)
                clfold_put_cells(row->v[j / 16 * CLFOLD_OUT_SCALARS + n],
                                 to + j * CLFOLD_OUT_SCALARS + 16 * n, stream);
        } else {
            const uint stop = min(j + 16, p) * CLFOLD_OUT_SCALARS;
            for (uint s = max(j, first) * CLFOLD_OUT_SCALARS; s < stop; ++s)
                to[s] = row->s[s];
        }
    }
}

/* Where a row goes. Apart from it, so that this is in registers. */
typedef struct {
    global CLFOLD_OUT *to; /* the row's first element */
    uint first, p;         /* those of it that there are */
    bool stream;
} clfold_writer;

static void clfold_begin_writer(clfold_writer *writer, global CLFOLD_OUT *out, ulong at,
                                bool stream)
{
    writer->first = writer->p = at % 16;
    writer->to = out + (at - writer->first) * CLFOLD_OUT_SCALARS;
    writer->stream = stream && (ulong)writer->to % sizeof(CLFOLD_CELLS) == 0;
}

/* Adds what is kept of 16, and stores the row if it is full. */
static void clfold_write16(clfold_writer *writer, clfold_row *row,
                           const clfold_cells16 *made, char16 holds)
{
    writer->p = clfold_push16(row, writer->p, made, holds);
    if (writer->p >= CLFOLD_ROW) {
        clfold_put_row(row, writer->first, CLFOLD_ROW, writer->to, writer->stream);
        for (uint n = 0; n < CLFOLD_OUT_SCALARS; ++n)
            row->v[n] = row->v[CLFOLD_ROW / 16 * CLFOLD_OUT_SCALARS + n];
        writer->to += CLFOLD_ROW * CLFOLD_OUT_SCALARS;
        writer->p -= CLFOLD_ROW;
        writer->first = 0;
    }
}

#if CLFOLD_KEEPS_RUNS

CLFOLD_COMPRESSES(clfold_compress_starts, uint, uint16)

/* Where runs start in a tile, beside the row of their first elements; and where the last
 * one starts whose next is not known yet. */
typedef struct {
    ulong last;
    uint row[CLFOLD_ROW + 16];
} clfold_starts;

/* Writes the lengths of the runs before those at `first` to p - 1 of a row, which begins
 * at `index` of the output. */
static void clfold_put_lengths(clfold_starts *starts, uint first, uint p, ulong index,
                               ulong begin CLFOLD_WITH)
{
    uint k = first + 1;

    if (p <= first)
        return;
    clfold_put_length(index + first,
                      begin + starts->row[first] - starts->last CLFOLD_PASS);
    for (; k + 16 <= p; k += 16)
        vstore16(convert_ulong16(vload16(0, starts->row + k) -
                                 vload16(0, starts->row + k - 1)),
                 0,
                 clfold_run_lengths + clfold_run_lengths_at + index + k - 1 -
                     clfold_out_begin);
    for (; k < p; ++k)
        clfold_put_length(index + k, starts->row[k] - starts->row[k - 1] CLFOLD_PASS);
    starts->last = begin + starts->row[p - 1];
}

/* Adds the starts of what is kept of 16 from j on to a row of p, from `index` on. */
static void clfold_note_starts(clfold_starts *starts, uint first, uint p, char16 holds,
                               uint j, ulong index, ulong begin CLFOLD_WITH)
{
    const uint16 lanes = (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const uint stop = p + clfold_compress_starts(starts->row + p, j + lanes, holds);

    if (stop >= CLFOLD_ROW) {
        clfold_put_lengths(starts, first, CLFOLD_ROW, index, begin CLFOLD_PASS);
        for (uint k = 0; k < 16; ++k)
            starts->row[k] = starts->row[CLFOLD_ROW + k];
    }
}

#endif

/* Writes what is kept of the first elements, a multiple of 16, and the others, and asks
 * for the tile at `next`; returns how many are kept. *start is where the last run
 * starts. */
static uint clfold_select_vectors(global const CLFOLD_IN *in, ulong begin, ulong index,
                                  uint count, ulong next, clfold_share share,
                                  ulong *start, global CLFOLD_OUT *out,
                                  bool stream CLFOLD_WITH)
{
    const bool has_rest = clfold_has_rest != 0;
    clfold_writer kept, rest;
    clfold_row kept_row, rest_row;
#if CLFOLD_KEEPS_RUNS
    clfold_starts starts;
    starts.last = share.start;
#endif

    clfold_begin_writer(&kept, out, share.at, stream);
    clfold_begin_writer(&rest, clfold_rest, share.rest, stream);
    for (uint j = 0; j < count; j += 16) {
        union { char16 v; ulong2 bits; } holds;
        clfold_ask(in, next + j, 16 CLFOLD_PASS);
        const clfold_stage16 e = clfold_load16(in, begin, j CLFOLD_PASS);
        holds.v = clfold_holds16(e, in, begin, j CLFOLD_PASS);
        if (!has_rest && (holds.bits.x | holds.bits.y) == 0)
            continue;
        clfold_cells16 made;
        clfold_make_elements16(e, in, begin, j, &made CLFOLD_PASS);
#if CLFOLD_KEEPS_RUNS
        if (clfold_has_lengths)
            clfold_note_starts(&starts, kept.first, kept.p, holds.v, j,
                               (ulong)(kept.to - out) / CLFOLD_OUT_SCALARS,
                               index CLFOLD_PASS);
#endif
        clfold_write16(&kept, &kept_row, &made, holds.v);
        if (has_rest)
            clfold_write16(&rest, &rest_row, &made, ~holds.v);
    }
    clfold_put_row(&kept_row, kept.first, kept.p, kept.to, kept.stream);
#if CLFOLD_KEEPS_RUNS
    if (clfold_has_lengths) {
        clfold_put_lengths(&starts, kept.first, kept.p,
                           (ulong)(kept.to - out) / CLFOLD_OUT_SCALARS,
                           index CLFOLD_PASS);
        *start = starts.last;
    }
#endif
    if (has_rest)
        clfold_put_row(&rest_row, rest.first, rest.p, rest.to, rest.stream);
    return (uint)((ulong)(kept.to - out) / CLFOLD_OUT_SCALARS + kept.p - share.at);
}

#endif

static void clfold_tile_aggregate(global const CLFOLD_IN *in, ulong begin, ulong index,
                                  uint count, clfold_room_pointer room CLFOLD_WITH)
{
    clfold_item kept = clfold_kept_of(0, 0);
    uint j = 0;

#if CLFOLD_KEEP16
    j = count / 16 * 16;
    kept = clfold_count_vectors(in, begin, index, j CLFOLD_PASS);
#endif
    room->items[0] = clfold_count_lone(kept, in, begin, index, j, count CLFOLD_PASS);
}

#define CLFOLD_TILE_LOADS 0
#define CLFOLD_TILE_AHEAD 0
#define clfold_tile_load(...)

static clfold_item clfold_tile_total(const clfold_room *room, uint count)
{
    return room->items[0];
}

static void clfold_tile_scan(CLFOLD_TILE_SCAN_PARAMS CLFOLD_WITH)
{
    const clfold_share share =
        clfold_share_of(index, has_prefix, room->prefix, room->next CLFOLD_PASS);
    ulong start = share.start;
    uint j = 0, p = 0;

#if CLFOLD_KEEP16
    j = count / 16 * 16;
    p = clfold_select_vectors(in, begin, index, j, next, share, &start, out,
                              stream CLFOLD_PASS);
#endif
    clfold_select_lone(in, begin, index, j, count, p, start, share, out CLFOLD_PASS);
}
