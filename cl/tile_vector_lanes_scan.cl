/*
 * Scans by lanes of a work-item in vectors of 16, as tile_vector_lanes.cl folds them.
 * Items are combined with prefixes and stored 16 at a time where CLFOLD_ITEM16 is 1.
 *
 * needs: contract.cl, element.cl, lane_items.cl, scan_tiles.cl
 * needs: tile_vector_lanes.cl, tile_vector_write.cl, vectors.cl
 */
#if CLFOLD_ITEM16
/* The items of folds whose positions count from `base`, after the prefix, if there is
 * one. */
static clfold_item16 clfold_lane_items16(clfold_stage16 x, ulong base, bool has_prefix,
                                         clfold_item16 prefix CLFOLD_WITH)
{
    clfold_item16 y;

    y.$name = convert_$item16(x.$name)$plus_base;
    if (has_prefix)
        y = clfold_combine16(prefix, y CLFOLD_PASS);
    return y;
}

/* Writes what is made of 16 folds x, from element `s` on, and of those before them,
 * unless they are the first. */
static void clfold_lanes_emit16(clfold_stage16 x, clfold_stage16 before, bool is_first,
                                ulong base, bool has_prefix, clfold_item16 prefix,
                                global const CLFOLD_IN *s, ulong i,
                                global CLFOLD_OUT *out, ulong index,
                                bool streams CLFOLD_WITH)
{
    clfold_item16 prev = prefix;

    if (CLFOLD_KEEPS_BEFORE && !is_first)
        prev = clfold_lane_items16(before, base, has_prefix, prefix CLFOLD_PASS);
    const clfold_item16 y =
        CLFOLD_EXCLUSIVE
            ? prev
            : clfold_lane_items16(x, base, has_prefix, prefix CLFOLD_PASS);
    clfold_emit16(y, prev, s, i, out, index, streams CLFOLD_PASS);
}

/* Whether stores from there on may go past the caches. All of a line take one way: bytes
 * of which one vector in four did took ten times as long. */
static bool clfold_may_stream(global const CLFOLD_OUT *out, ulong index)
{
    return (ulong)(out + index * CLFOLD_OUT_SCALARS) %
               (CLFOLD_CELLS_SIZE * sizeof(CLFOLD_OUT)) ==
           0;
}
#endif

/* The same one by one, of folds k to stop - 1, which are of lanes l to l + width - 1 in
 * turn. */
static void clfold_lanes_emit(clfold_stage16 x, clfold_stage16 before, bool is_first,
                              uint first, uint stop, uint l, uint width,
                              global const CLFOLD_IN *s, ulong i, global CLFOLD_OUT *out,
                              ulong index, clfold_bundle_pointer bundle CLFOLD_WITH)
{
    const clfold_lanes lanes = clfold_lanes_of(x), befores = clfold_lanes_of(before);

    for (uint k = first; k < stop; ++k)
        clfold_lane_emit(clfold_lane(&lanes, k), clfold_lane(&befores, k), is_first,
                         l + k % width, s + k * CLFOLD_SCALARS, i + k, out, index + k,
                         bundle CLFOLD_PASS);
}

/* Short rows, 16 elements at a time; lane 0 has the prefix of all. */
static void clfold_scan_short_rows(global const CLFOLD_IN *in, ulong begin, uint length,
                                   uint count, global CLFOLD_OUT *out, ulong to,
                                   bool stream, clfold_bundle_pointer bundle CLFOLD_WITH)
{
    const ulong base = bundle->begin[0];
    int16 place = clfold_first_places(length);
    clfold_stage total;
    uint j = 0;

    if (count >= 16) {
        clfold_stage16 so_far = clfold_load16(in, begin, 0 CLFOLD_PASS);
#if CLFOLD_ITEM16
        const bool has_prefix = bundle->has_prefix[0] != 0;
        const clfold_item16 prefix = clfold_spread(clfold_taken(bundle->prefix[0]));
        const clfold_item16 first =
            clfold_spread(clfold_lane_first(0, bundle CLFOLD_PASS));
#endif
        for (; j + 16 <= count; j += 16) {
            const clfold_stage16 x =
                clfold_scan_row_lanes(clfold_load16(in, begin, j CLFOLD_PASS), place,
                                      length, so_far CLFOLD_PASS);
            clfold_stage16 z;
            z.$name = x.$name.s00123456789abcde;
            z.$name.s0 = so_far.$name.sf;
#if CLFOLD_ITEM16
            clfold_item16 y, before = first;
#if CLFOLD_KEEPS_BEFORE
            before = clfold_lane_items16(z, base, has_prefix, prefix CLFOLD_PASS);
            before.$name = convert_$choice16(place == 0) ? first.$name : before.$name;
#endif
            y = CLFOLD_EXCLUSIVE
                    ? before
                    : clfold_lane_items16(x, base, has_prefix, prefix CLFOLD_PASS);
            clfold_emit16(y, before, in + (begin + j) * CLFOLD_SCALARS, base + j, out,
                          to + j, stream && clfold_may_stream(out, to + j) CLFOLD_PASS);
#else
            const clfold_lanes lanes = clfold_lanes_of(x), befores = clfold_lanes_of(z);
            for (uint k = 0; k < 16; ++k)
                clfold_lane_emit(clfold_lane(&lanes, k), clfold_lane(&befores, k),
                                 (j + k) % length == 0, 0,
                                 in + (begin + j + k) * CLFOLD_SCALARS, base + j + k, out,
                                 to + j + k, bundle CLFOLD_PASS);
#endif
            so_far.$name = ($stage16)(x.$name.sf);
            place = clfold_next_places(place, length);
        }
        total.$name = so_far.$name.sf;
    }
    for (; j < count; ++j) {
        const clfold_stage before = total;
        total = clfold_load(in, begin, j CLFOLD_PASS);
        if (j % length > 0)
            total = clfold_combine_stage(before, total CLFOLD_PASS);
        clfold_lane_emit(total, before, j % length == 0, 0,
                         in + (begin + j) * CLFOLD_SCALARS, base + j, out, to + j,
                         bundle CLFOLD_PASS);
    }
    /* For the total, of the last row. */
    const uint last = (count - 1) / length;
    bundle->sums[last / 16].$name.s[last % 16] = total.$name;
}

#if !CLFOLD_ITEM16
typedef uint clfold_item16; /* not used */
#endif

typedef struct {
    ulong begin, base, to; /* the first element, its position, where its item goes */
    uint l;
    bool has_prefix, streams;
} clfold_lane_columns;

/* Element j of 16 columns, whose fold is *sum; the first `again` were written before. */
static void clfold_scan_vector(clfold_stage16 own, bool is_first, uint j, uint first,
                               uint again, private clfold_stage16 *sum,
                               private const clfold_item16 *prefix,
                               global const CLFOLD_IN *in, global CLFOLD_OUT *out,
                               const clfold_lane_columns *c,
                               clfold_bundle_pointer bundle CLFOLD_WITH)
{
    const clfold_stage16 before = *sum;
    global const CLFOLD_IN *s = in + (c->begin + j) * CLFOLD_SCALARS;
    const clfold_stage16 x =
        is_first ? own : clfold_combine_stage16(before, own CLFOLD_PASS);

    *sum = x;
#if CLFOLD_ITEM16
    if (!CLFOLD_WRITES_X || again == 0) {
        clfold_lanes_emit16(x, before, is_first, c->base, c->has_prefix, *prefix, s,
                            c->base + j, out, c->to + j, c->streams CLFOLD_PASS);
        return;
    }
#endif
    clfold_lanes_emit(x, before, is_first, again, 16, c->l + first, 16, s, c->base + j,
                      out, c->to + j, bundle CLFOLD_PASS);
}

/* 16 columns or more from lane l on, `num` of them side by side. A row's rest takes
 * columns of the vector before again. It is loaded before that is stored, which may be in
 * the same place; and a text that sees the element has none that was seen before. */
static void clfold_scan_columns(global const CLFOLD_IN *in, ulong begin, ulong width,
                                ulong items, uint num, uint l, global CLFOLD_OUT *out,
                                ulong to, bool stream,
                                clfold_bundle_pointer bundle CLFOLD_WITH)
{
    const uint whole = num / 16, rest = num % 16, vectors = whole + (rest > 0);
    clfold_lane_columns c = { begin, bundle->begin[l], to, l, false, false };
    clfold_stage16 sums[CLFOLD_VECTORS];
    clfold_item16 prefix[CLFOLD_VECTORS]; /* or what is before the first items */
#if CLFOLD_ITEM16
    c.has_prefix = bundle->has_prefix[l] != 0;
    c.streams = stream && width % 16 == 0 && clfold_may_stream(out, to);

    for (uint v = 0; v < vectors; ++v) {
        private const clfold_item *own = bundle->prefix + l + min(v * 16, num - 16);
        prefix[v].$name = CLFOLD_GATHER($item16, own, $name);
#if CLFOLD_KEEPS_BEFORE && CLFOLD_HAS_IDENTITY
        if (!c.has_prefix)
            prefix[v] = clfold_spread(clfold_identity(CLFOLD_PASS_ONLY));
#endif
    }
#endif
    for (ulong i = 0; i < items; ++i) {
        const uint row = (uint)(i * width);
        const ulong ahead = clfold_ahead(i, items, width, num);
        clfold_stage16 last;
        if (rest > 0)
            last = clfold_load16(in, begin, row + num - 16 CLFOLD_PASS);
        for (uint v = 0; v < whole; ++v) {
            clfold_ask(in, begin + row + v * 16 + ahead, 16 CLFOLD_PASS);
            clfold_scan_vector(clfold_load16(in, begin, row + v * 16 CLFOLD_PASS), i == 0,
                               row + v * 16, v * 16, 0, &sums[v], prefix + v, in,
                               out, &c, bundle CLFOLD_PASS);
        }
        if (rest > 0) {
            clfold_ask(in, begin + row + num - 16 + ahead, 16 CLFOLD_PASS);
            clfold_scan_vector(last, i == 0, row + num - 16, num - 16, 16 - rest,
                               &sums[whole], prefix + whole, in, out, &c,
                               bundle CLFOLD_PASS);
        }
    }
    for (uint v = 0; v < vectors; ++v)
        clfold_keep_lanes(sums[v], v * 16 - min(v * 16, num - 16), min(16u, num - v * 16),
                          l + v * 16, bundle);
}

#if CLFOLD_KEEPS_BEFORE
typedef struct {
    union { $stage16 v[2]; $stage s[32]; } $name;
} clfold_two_steps;

/* The folds a row before those of x, from which the last step's are `above`. */
static clfold_stage16 clfold_row_before(clfold_stage16 above, clfold_stage16 x,
                                        uint width, uint step)
{
    clfold_two_steps two;
    clfold_stage16 y;

    two.$name.v[0] = above.$name;
    vstore16(x.$name, 0, two.$name.s + step);
    y.$name = vload16(0, two.$name.s + step - width);
    return y;
}
#endif

/* Element j of few columns, whose lane of a step is k. */
static void clfold_scan_step_lane(global const CLFOLD_IN *in, ulong begin, uint j, uint k,
                                  uint width, uint step, clfold_lanes *lanes, uint l,
                                  global CLFOLD_OUT *out, ulong to,
                                  clfold_bundle_pointer bundle CLFOLD_WITH)
{
    const clfold_stage before =
        clfold_lane(lanes, (k < width ? k + step : k) - width);

    clfold_step_lane(in, begin, j, k, width, step, lanes CLFOLD_PASS);
    clfold_lane_emit(clfold_lane(lanes, k), before, j < width, l + k % width,
                     in + (begin + j) * CLFOLD_SCALARS, bundle->begin[l] + j, out, to + j,
                     bundle CLFOLD_PASS);
}

/*
 * `count` elements of `width` columns, 16 or fewer, from lane l on.
 *
 * A vector also stores what it holds besides its step, and the next one stores that
 * again. Both buffers may be one, so what comes next is loaded first. The last vector,
 * and those of a text that sees the element, store no more than the step.
 */
static void clfold_scan_narrow(global const CLFOLD_IN *in, ulong begin, uint width,
                               uint count, uint l, global CLFOLD_OUT *out, ulong to,
                               bool stream, clfold_bundle_pointer bundle CLFOLD_WITH)
{
    const uint step = CLFOLD_STEP_OF(width);
    const ulong base = bundle->begin[l];
    bool more = count >= 2 * step + 16;
    clfold_lanes lanes;
    clfold_stage16 window;
    uint j = 0;

    if (more)
        window = clfold_window16(in, begin, step, width, step CLFOLD_PASS);
    for (; j < min(step, count); ++j)
        clfold_scan_step_lane(in, begin, j, j, width, step, &lanes, l, out, to,
                              bundle CLFOLD_PASS);
    if (more) {
        clfold_stage16 x;
#if CLFOLD_ITEM16
        const bool has_prefix = bundle->has_prefix[l] != 0;
        const bool streams = stream && step == 16 && clfold_may_stream(out, to);
        clfold_item prefixes[16];
        clfold_item16 prefix;
        for (uint k = 0; k < 16; ++k)
            prefixes[k] = bundle->prefix[l + k % width];
        prefix.$name = CLFOLD_GATHER($item16, prefixes, $name);
#endif
        clfold_step_fill(step, &lanes);
        x.$name = lanes.$name.v;
        for (; more; j += step) {
            clfold_stage16 before = x;
            x = clfold_combine_stage16(x, window CLFOLD_PASS);
            more = count - j >= 2 * step + 16;
            if (more)
                window = clfold_window16(in, begin, j + step, width, step CLFOLD_PASS);
#if CLFOLD_KEEPS_BEFORE
            before = clfold_row_before(before, x, width, step);
#endif
            global const CLFOLD_IN *s = in + (begin + j) * CLFOLD_SCALARS;
#if CLFOLD_ITEM16
            if (step == 16 || (more && !CLFOLD_WRITES_X)) {
                clfold_lanes_emit16(x, before, false, base, has_prefix, prefix, s,
                                    base + j, out, to + j, streams CLFOLD_PASS);
                continue;
            }
#endif
            clfold_lanes_emit(x, before, false, 0, step, l, width, s, base + j, out,
                              to + j, bundle CLFOLD_PASS);
        }
        lanes = clfold_lanes_of(x);
    }
    for (uint k = 0; j + k < count; ++k)
        clfold_scan_step_lane(in, begin, j + k, k % step, width, step, &lanes, l, out, to,
                              bundle CLFOLD_PASS);
    clfold_step_end(&lanes, width, step, count, l, bundle);
}

static void clfold_lanes_scan(CLFOLD_LANES_SCAN_PARAMS CLFOLD_WITH)
{
    const uint beside = (uint)min((ulong)num, width);

    if (bundle->are_rows) {
        clfold_scan_short_rows(in, in_offset + bundle->begin[0], (uint)run,
                               (uint)bundle->elements, out,
                               out_offset + bundle->begin[0], stream, bundle CLFOLD_PASS);
        return;
    }
    for (uint l = 0; l < num; l += beside) {
        const ulong begin = bundle->begin[l], items = bundle->items[l];
        if (width > 16)
            clfold_scan_columns(in, in_offset + begin, width, items, beside, l, out,
                                out_offset + begin, stream, bundle CLFOLD_PASS);
        else
            clfold_scan_narrow(in, in_offset + begin, beside, (uint)items * beside, l,
                               out, out_offset + begin, stream, bundle CLFOLD_PASS);
    }
}
