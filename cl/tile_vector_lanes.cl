/*
 * Lanes of a work-item in vectors of 16, with the interface of tile_item_lanes.cl.
 *
 *   short rows           one after the other as they lie in memory, 16 elements at a
 *                        time: a scan of the lanes that begins anew at each row
 *   columns              16 side by side: one load for an item of each
 *   narrow columns,      lane by lane
 *   and at ends
 *
 * A bundle of columns goes from row to row, so that it reads neighbouring lines: as many
 * vectors at once as lie side by side, which is a stretch.
 *
 * needs: contract.cl, element.cl, segments.cl, vectors.cl
 * needs if CLFOLD_NUMBERS: item_numbers.cl
 * names: CLFOLD_NUMBERS, clfold_combine_stage, clfold_combine_stage16
 */
#define CLFOLD_VECTORS (CLFOLD_TILE / 16)

/* Rows of columns that are asked for before they are folded, where that can be done:
 * neighbouring lines of a row are few, and the next row is far. */
#define CLFOLD_ROWS_AHEAD 4

/* Elements of a short row, at most: 16 rows are as many vectors. */
#define CLFOLD_SHORT 64

typedef struct {
    ulong begin[CLFOLD_TILE]; /* from which the lane's positions count */
    uint are_rows;
    ulong elements;             /* of all rows */
    ulong items[CLFOLD_TILE];   /* of columns; of a vector side by side, in its first */
    uint stretch[CLFOLD_VECTORS]; /* vectors from here on that lie side by side, or 0 */
#if CLFOLD_NUMBERS
    clfold_item sums[CLFOLD_TILE];
#else
    clfold_lanes sums[CLFOLD_VECTORS];
#endif
#if CLFOLD_SCAN
    clfold_item prefix[CLFOLD_TILE];
    uint has_prefix[CLFOLD_TILE];
#endif
} clfold_bundle;

typedef private clfold_bundle *clfold_bundle_pointer;

#define CLFOLD_BUNDLE(bundle)                                                            \
    clfold_bundle bundle##_private;                                                      \
    clfold_bundle_pointer bundle = &bundle##_private

static void clfold_lanes_place(ulong first, uint num, CLFOLD_CUT_PARAMS,
                               clfold_bundle_pointer bundle)
{
    const clfold_run head = clfold_nth_run(first, CLFOLD_CUT);
    const clfold_run tail = clfold_nth_run(first + num - 1, CLFOLD_CUT);

    bundle->are_rows =
        !CLFOLD_NUMBERS && width == 1 && runs == 1 && length <= CLFOLD_SHORT;
    bundle->elements = tail.begin + tail.items - head.begin;
    if (bundle->are_rows) {
        for (uint l = 0; l < num; ++l)
            bundle->begin[l] = head.begin;
        return;
    }
    for (uint l = 0; l < num;) {
        const clfold_run a = clfold_nth_run(first + l, CLFOLD_CUT);
        /* Runs of one number lie side by side. */
        const ulong beside = width - a.begin % width;
        const uint vectors = (uint)min((ulong)(num - l), beside) / 16;
        bundle->stretch[l / 16] = vectors;
        if (vectors > 0) {
            for (uint k = 0; k < vectors * 16; ++k)
                bundle->begin[l + k] = a.begin;
            bundle->items[l] = a.items;
            l += vectors * 16;
            continue;
        }
        for (uint k = 0; k < 16 && l < num; ++k, ++l) {
            const clfold_run r = clfold_nth_run(first + l, CLFOLD_CUT);
            bundle->begin[l] = r.begin;
            bundle->items[l] = r.items;
        }
    }
}

#if !CLFOLD_NUMBERS

/* ---- Short rows -------------------------------------------------------------------- */

typedef struct {
    union { $stage16 v[CLFOLD_SHORT]; $stage s[16 * CLFOLD_SHORT]; } $name;
} clfold_row_folds;

static clfold_stage16 clfold_choose16(int16 c, clfold_stage16 a, clfold_stage16 b)
{
    clfold_stage16 r;

    r.$name = convert_$mask16(c) ? a.$name : b.$name;
    return r;
}

/*
 * The inclusive scan of lanes that begins anew where a row does. `place` is a lane's
 * place in its row, so_far has in all lanes the fold up to the vector before, or any
 * element where there is none. Results of lanes that take nothing are not used, so the
 * operator sees only elements.
 *
 *   rows of 3      a1 a2 b0 b1 b2 c0 c1 ...
 *   place           1  2  0  1  2  0  1
 *   here            0  1  0  1  2  0  1             in its row and in this vector
 *   by 1            1 12 b0 01 12 c0 01             where here >= 1
 *   by 2            1 12 b0 01 02 c0 01             where here >= 2, and so on
 *   before         01 02 b0 01 02 c0 01             so_far, where the row began before
 */
static clfold_stage16 clfold_scan_row_lanes(clfold_stage16 x, int16 place, uint length,
                                            clfold_stage16 so_far CLFOLD_WITH)
{
    const int16 lane = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const int16 here = min(place, lane);
    clfold_stage16 y;

    if (length > 1) {
        y.$name = x.$name.s00123456789abcde;
        x = clfold_choose16(here >= 1, clfold_combine_stage16(y, x CLFOLD_PASS), x);
    }
    if (length > 2) {
        y.$name = x.$name.s010123456789abcd;
        x = clfold_choose16(here >= 2, clfold_combine_stage16(y, x CLFOLD_PASS), x);
    }
    if (length > 4) {
        y.$name = x.$name.s01230123456789ab;
        x = clfold_choose16(here >= 4, clfold_combine_stage16(y, x CLFOLD_PASS), x);
    }
    if (length > 8) {
        y.$name = x.$name.s0123456701234567;
        x = clfold_choose16(here >= 8, clfold_combine_stage16(y, x CLFOLD_PASS), x);
    }
    y = clfold_combine_stage16(so_far, x CLFOLD_PASS);
    return clfold_choose16(place > lane, y, x);
}

static int16 clfold_first_places(uint length)
{
    return convert_int16(clfold_places(0) % length);
}

/* Places 16 elements later. */
static int16 clfold_next_places(int16 place, uint length)
{
    place += (int)(16 % length);
    return place - ((place >= (int)length) & (int16)((int)length));
}

/* Of 16 rows of n elements the last one. */
#define CLFOLD_ROW_ENDS(type16, s, n)                                                    \
    (type16)((s)[n - 1], (s)[2 * n - 1], (s)[3 * n - 1], (s)[4 * n - 1], (s)[5 * n - 1], \
             (s)[6 * n - 1], (s)[7 * n - 1], (s)[8 * n - 1], (s)[9 * n - 1],             \
             (s)[10 * n - 1], (s)[11 * n - 1], (s)[12 * n - 1], (s)[13 * n - 1],         \
             (s)[14 * n - 1], (s)[15 * n - 1], (s)[16 * n - 1])

/* Rows of `count` elements in all, 16 of them at a time. */
static void clfold_fold_short_rows(global const CLFOLD_IN *in, ulong begin, uint length,
                                   uint count, clfold_bundle_pointer bundle CLFOLD_WITH)
{
    const int16 places = clfold_first_places(length);
    uint j = 0, l = 0;

    for (; j + 16 * length <= count; j += 16 * length, l += 16) {
        int16 place = places;
        clfold_row_folds folds;
        clfold_stage16 so_far = clfold_load16(in, begin, j CLFOLD_PASS);
        for (uint v = 0; v < length; ++v) {
            const clfold_stage16 x = clfold_scan_row_lanes(
                clfold_load16(in, begin, j + v * 16 CLFOLD_PASS), place, length,
                so_far CLFOLD_PASS);
            folds.$name.v[v] = x.$name;
            so_far.$name = ($stage16)(x.$name.sf);
            place = clfold_next_places(place, length);
        }
        bundle->sums[l / 16].$name.v = CLFOLD_ROW_ENDS($stage16, folds.$name.s, length);
    }
    for (; j < count; j += length, ++l) {
        clfold_stage total = clfold_load(in, begin, j CLFOLD_PASS);
        for (uint i = j + 1; i < min(j + length, count); ++i)
            total = clfold_combine_stage(
                total, clfold_load(in, begin, i CLFOLD_PASS) CLFOLD_PASS);
        bundle->sums[l / 16].$name.s[l % 16] = total.$name;
    }
}

/* ---- Columns ----------------------------------------------------------------------- */

/* Columns from lane l on, `vectors` of them side by side. */
static void clfold_fold_columns(global const CLFOLD_IN *in, ulong begin, ulong width,
                                ulong items, uint vectors, uint l,
                                clfold_bundle_pointer bundle CLFOLD_WITH)
{
    private clfold_lanes *sums = bundle->sums + l / 16;

    for (uint v = 0; v < vectors; ++v) {
        const clfold_stage16 x = clfold_load16(in, begin, v * 16 CLFOLD_PASS);
        sums[v].$name.v = x.$name;
    }
    for (ulong i = 1; i < items; ++i) {
        const uint j = (uint)(i * width);
        for (uint v = 0; v < vectors; ++v) {
            clfold_stage16 x;
            clfold_ask(in, begin + j + v * 16 + CLFOLD_ROWS_AHEAD * width,
                       16 CLFOLD_PASS);
            x.$name = sums[v].$name.v;
            x = clfold_combine_stage16(
                x, clfold_load16(in, begin, j + v * 16 CLFOLD_PASS) CLFOLD_PASS);
            sums[v].$name.v = x.$name;
        }
    }
}

/* Up to 16 lanes one by one, in step. */
static void clfold_fold_lanes(global const CLFOLD_IN *in, ulong in_offset, uint l,
                              uint num, ulong width, ulong run,
                              clfold_bundle_pointer bundle CLFOLD_WITH)
{
    clfold_stage s[16];

    for (uint k = 0; k < num; ++k)
        s[k] = clfold_load(in, in_offset + bundle->begin[l + k], 0 CLFOLD_PASS);
    for (ulong i = 1; i < run; ++i) {
        for (uint k = 0; k < num; ++k) {
            if (i < bundle->items[l + k])
                s[k] = clfold_combine_stage(
                    s[k], clfold_load(in, in_offset + bundle->begin[l + k],
                                      (uint)(i * width) CLFOLD_PASS) CLFOLD_PASS);
        }
    }
    for (uint k = 0; k < num; ++k) {
        bundle->sums[l / 16].$name.s[k] = s[k].$name;
    }
}

#else

/* ---- Lanes of numbers -------------------------------------------------------------- */

/* As above. */
static void clfold_fold_columns(global const CLFOLD_IN *in, ulong begin, ulong width,
                                ulong items, uint vectors, uint l,
                                clfold_bundle_pointer bundle CLFOLD_WITH)
{
    private clfold_item *const folds = bundle->sums + l;
    clfold_lane_sums sums[CLFOLD_VECTORS];

    for (uint v = 0; v < vectors; ++v)
        clfold_lane_sums_init(&sums[v]);
    for (ulong i = 0; i < items; i += CLFOLD_DEPTH) {
        for (uint v = 0; v < vectors; ++v) {
            const clfold_numbers block = {
                begin, width, (uint)(i * width) + v * 16,
                (uint)min((ulong)CLFOLD_DEPTH, items - i), 0
            };
            clfold_lane_sums_take(in, block, &sums[v], folds + v * 16 CLFOLD_PASS);
        }
    }
    for (uint v = 0; v < vectors; ++v)
        clfold_lane_sums_end(&sums[v], folds + v * 16);
}

/* As above. They are put side by side, with 0 where there is no item. */
static void clfold_fold_lanes(global const CLFOLD_IN *in, ulong in_offset, uint l,
                              uint num, ulong width, ulong run,
                              clfold_bundle_pointer bundle CLFOLD_WITH)
{
    clfold_number_lanes numbers[CLFOLD_DEPTH];
    clfold_lane_sums sums;

    clfold_lane_sums_init(&sums);
    for (ulong i = 0; i < run; i += CLFOLD_DEPTH) {
        const uint depth = (uint)min((ulong)CLFOLD_DEPTH, run - i);
        for (uint d = 0; d < depth; ++d)
            numbers[d].v = 0;
        for (uint k = 0; k < num; ++k) {
            const ulong begin = in_offset + bundle->begin[l + k];
            for (uint d = 0; d < depth && i + d < bundle->items[l + k]; ++d) {
                const uint j = (uint)((i + d) * width);
                numbers[d].s[k] = clfold_load(in, begin, j CLFOLD_PASS).$name;
            }
        }
        const clfold_numbers block = { 0, 0, 0, depth, numbers };
        clfold_lane_sums_take(in, block, &sums, bundle->sums + l CLFOLD_PASS);
    }
    clfold_lane_sums_end(&sums, bundle->sums + l);
}

#endif

static void clfold_lanes_fold(global const CLFOLD_IN *in, ulong in_offset, uint num,
                              ulong width, ulong run,
                              clfold_bundle_pointer bundle CLFOLD_WITH)
{
#if !CLFOLD_NUMBERS
    if (bundle->are_rows) {
        clfold_fold_short_rows(in, in_offset + bundle->begin[0], (uint)run,
                               (uint)bundle->elements, bundle CLFOLD_PASS);
        return;
    }
#endif
    for (uint l = 0; l < num;) {
        const uint vectors = bundle->stretch[l / 16];
        if (vectors > 0)
            clfold_fold_columns(in, in_offset + bundle->begin[l], width, bundle->items[l],
                                vectors, l, bundle CLFOLD_PASS);
        else
            clfold_fold_lanes(in, in_offset, l, min(16u, num - l), width, run,
                              bundle CLFOLD_PASS);
        l += vectors > 0 ? vectors * 16 : 16;
    }
}

#if !CLFOLD_NUMBERS

static clfold_stage clfold_lanes_stage(clfold_bundle_pointer bundle, uint l)
{
    clfold_stage x;

    x.$name = bundle->sums[l / 16].$name.s[l % 16];
    return x;
}

#endif
