/*
 * Short segments, as many as end in a window of 256 elements. Each lane of 16 has 16
 * neighbours of these, and is scanned down its rows, anew after each end. Then what lies
 * before a lane's first end gets the fold before the lane, and results are picked where
 * segments end:
 *
 *   elements   a b c . d e f g h .      dots are ends; of two lanes
 *   rows       a   f                    a      f
 *              b   g                    ab     fg
 *              c . h .                  abc .  fgh .
 *              d                        d
 *              e                        de            de op f, de op fg, de op fgh
 *   picked     abc, defgh
 *
 * So lengths decide nothing by branches.
 *
 * needs: contract.cl, element.cl, offsets.cl, vector_stretches.cl, vectors.cl
 * needs: partials.cl
 * needs if CLFOLD_ITEM16: tile_vector_write.cl
 */
#define CLFOLD_WINDOW  256u
#define CLFOLD_WINDOWS (!CLFOLD_NUMBERS && CLFOLD_STAGE_LIMIT >= CLFOLD_WINDOW)

#if CLFOLD_WINDOWS

/* How many segments must end in a window. */
#define CLFOLD_MANY 5u

/* Row r has the elements r, 16 + r, 32 + r, ... */
typedef struct {
    union { $stage16 v[16]; $stage s[CLFOLD_WINDOW]; } $name;
} clfold_window;

/* -1 where a segment ends. */
typedef union {
    char16 v[16];
    char s[CLFOLD_WINDOW];
} clfold_window_ends;

/* Where the segments end, 16 of them a vector. */
typedef union {
    uchar16 v[16];
    uchar s[256];
} clfold_window_places;

typedef union {
    uint16 v;
    uint s[16];
} clfold_lengths;

/* 16 vectors one after the other become one of each 16th element, in order. */
#define CLFOLD_TURN_8(type16, s, a, b, c, d, e, f, g, h, far)                            \
    CLFOLD_PART(type16, s[a], s[(a) + (far)]);                                           \
    CLFOLD_PART(type16, s[b], s[(b) + (far)]);                                           \
    CLFOLD_PART(type16, s[c], s[(c) + (far)]);                                           \
    CLFOLD_PART(type16, s[d], s[(d) + (far)]);                                           \
    CLFOLD_PART(type16, s[e], s[(e) + (far)]);                                           \
    CLFOLD_PART(type16, s[f], s[(f) + (far)]);                                           \
    CLFOLD_PART(type16, s[g], s[(g) + (far)]);                                           \
    CLFOLD_PART(type16, s[h], s[(h) + (far)])
#define CLFOLD_TURN(type16, s)                                                           \
    do {                                                                                 \
        CLFOLD_TURN_8(type16, s, 0, 2, 4, 6, 8, 10, 12, 14, 1);                          \
        CLFOLD_TURN_8(type16, s, 0, 1, 4, 5, 8, 9, 12, 13, 2);                           \
        CLFOLD_TURN_8(type16, s, 0, 1, 2, 3, 8, 9, 10, 11, 4);                           \
        CLFOLD_TURN_8(type16, s, 0, 1, 2, 3, 4, 5, 6, 7, 8);                             \
    } while (0)

/* The scan of the elements from `begin` on. */
static void clfold_scan_window(global const CLFOLD_IN *in, ulong begin,
                               const clfold_window_ends *ends,
                               clfold_window *window CLFOLD_WITH)
{
    const char16 lasts = ends->v[15];
    char16 first = lasts.s00123456789abcde, any;
    clfold_stage16 x, so_far, before;

#pragma unroll
    for (uint l = 0; l < 16; ++l) {
        x = clfold_load16(in, begin, 16 * l CLFOLD_PASS);
        window->$name.v[l] = x.$name;
    }
    CLFOLD_TURN($stage16, window->$name.v);
    so_far.$name = window->$name.v[0];
    first.s0 = -1;
    any = first;
#pragma unroll
    for (uint r = 1; r < 16; ++r) {
        const char16 head = ends->v[r - 1];
        x.$name = window->$name.v[r];
        so_far = clfold_choose16(convert_int16(head), x,
                                 clfold_combine_stage16(so_far, x CLFOLD_PASS));
        window->$name.v[r] = so_far.$name;
        any |= head;
    }
    so_far = clfold_scan_stretches(so_far, clfold_stretch_places(convert_int16(any)),
                                   15 CLFOLD_PASS);
    before.$name = so_far.$name.s00123456789abcde;
    any = first;
#pragma unroll
    for (uint r = 0; r < 16; ++r) {
        x.$name = window->$name.v[r];
        x = clfold_choose16(convert_int16(any), x,
                            clfold_combine_stage16(before, x CLFOLD_PASS));
        window->$name.v[r] = x.$name;
        any |= ends->v[r];
    }
}

/* As clfold_reduce_end(), of 16 segments from s on; positions count from `base`. */
static void clfold_end_16(clfold_stage16 x, ulong base, clfold_lengths lengths, ulong s,
                          global CLFOLD_OUT *out, ulong out_offset,
                          CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
#if CLFOLD_ITEM16
    clfold_item16 y, none;

    y.$name = convert_$item16(x.$name) $plus_base;
    if (clfold_init_from) {
        none = clfold_spread(clfold_init(CLFOLD_INIT_ARGS));
        y.$name = !!convert_$choice16(lengths.v == 0) ? none.$name : y.$name;
        y = clfold_combine16(none, y CLFOLD_PASS);
    }
#if CLFOLD_HAS_IDENTITY
    else
        none = clfold_spread(clfold_identity(CLFOLD_PASS_ONLY));
#endif
    y.$name = !!convert_$choice16(lengths.v == 0) ? none.$name : y.$name;
    clfold_emit_items16(y, y, 0, s, out, out_offset + s, false CLFOLD_PASS);
#else
    const clfold_lanes lanes = clfold_lanes_of(x);

    for (uint k = 0; k < 16; ++k)
        clfold_reduce_end(clfold_empty(clfold_lane(&lanes, k), base CLFOLD_PASS),
                          lengths.s[k] == 0, s + k, out, out_offset + s + k,
                          CLFOLD_INIT_ARGS CLFOLD_PASS);
#endif
}

static uint clfold_sum_16(uint16 x)
{
    const uint8 a = x.lo + x.hi;
    const uint4 b = a.lo + a.hi;

    return b.s0 + b.s1 + b.s2 + b.s3;
}

/* 16 stops from `from` on, less `start`. */
static uint16 clfold_stops(global const CLFOLD_OFFSET *from, ulong start)
{
    const ulong16 stops = convert_ulong16(vload16(0, from)) - start;

    /* Not of a scalar, which Oclgrind 21.10 takes for a vector. */
    return convert_uint16(min(stops, (ulong16)(CLFOLD_WINDOW + 1)));
}

/* Marks the ends of segments in a window, of which `room`, a multiple of 16, may be
 * looked at; returns how many there are. What does not end there marks the last place,
 * after which the window has nothing. */
static uint clfold_mark_ends(global const CLFOLD_OFFSET *stops, ulong start, ulong room,
                             clfold_window_places *places, clfold_window_ends *ends)
{
    uint ended = 0, some;

    for (uint r = 0; r < 16; ++r)
        ends->v[r] = 0;
    do {
        const uint16 stop = clfold_stops(stops + ended, start);
        const uint16 outside = as_uint16(stop > CLFOLD_WINDOW);
        const uchar *at = places->s + ended;
        places->v[ended / 16] = rotate(convert_uchar16((stop - 1) | outside), (uchar16)4);
#pragma unroll
        for (uint k = 0; k < 16; ++k)
            ends->s[at[k]] = -1;
        some = 16 + (uint)clfold_sum_16(outside);
        ended += some;
    } while (some == 16 && ended < min(room, (ulong)256));
    return ended;
}

/*
 * The segments from s on, before `last`, that end in a window; returns how many there
 * are, or 0 if these are few. Results are written 16 at a time: the last of them may not
 * be right, and are written again by the next window. A statement is not run twice.
 */
static uint clfold_take_window(global const CLFOLD_IN *in, ulong in_offset, ulong s,
                               ulong last, CLFOLD_OFFSETS_PARAMS, global CLFOLD_OUT *out,
                               ulong out_offset, CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    const ulong start = offsets[offsets_at + s], room = (last - s) / 16 * 16;
    global const CLFOLD_OFFSET *stops = offsets + offsets_at + s + 1;
    clfold_window_places places;
    clfold_window_ends ends;
    clfold_window window;
    uint ended, from = 0;

    if (start > count || count - start < CLFOLD_WINDOW || room == 0 ||
        stops[CLFOLD_MANY - 1] - start > CLFOLD_WINDOW)
        return 0;
    ended = clfold_mark_ends(stops, start, room, &places, &ends);
    ended = CLFOLD_STORES ? ended / 16 * 16 : ended;
    if (ended > 0)
        clfold_scan_window(in, in_offset + start, &ends, &window CLFOLD_PASS);
    for (uint k = 0; k < ended; k += 16) {
        const uint16 stop = clfold_stops(stops + k, start);
        const uchar *at = places.s + k;
        uint16 before = stop.s00123456789abcde;
        clfold_lengths lengths;
        clfold_lanes lanes;
        clfold_stage16 x;

        before.s0 = from;
        from = stop.sf;
        lengths.v = stop - before;
        /* Volatile, since gathers are slower. */
#pragma unroll
        for (uint j = 0; j < 16; ++j) {
            lanes.$name.s[j] = ((volatile const $stage *)window.$name.s)[at[j]];
        }
        x.$name = lanes.$name.v;
        clfold_end_16(x, start, lengths, s + k, out, out_offset,
                      CLFOLD_INIT_ARGS CLFOLD_PASS);
    }
    return ended;
}

#endif
