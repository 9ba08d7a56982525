/*
 * Lanes of a work-item in vectors of 16, with the interface of tile_item_lanes.cl.
 *
 *   short rows         one after the other as they lie in memory, 16 elements at a time:
 *                      a scan of the lanes that begins anew at each row
 *   wide columns       16 side by side: one load for an item of each. The last vector of
 *                      a row takes what is left, and columns of the one before again
 *   16 columns and     16 elements at a time as they lie in memory, a vector of as many
 *   fewer, long rows   rows as it can hold
 *   of numbers         lane by lane where not 16 are side by side
 *
 * A bundle of columns goes from row to row, so that it reads neighbouring lines: all that
 * lie side by side, which are a stretch.
 *
 * needs: contract.cl, element.cl, segments.cl, vector_stretches.cl, vectors.cl
 * needs if CLFOLD_NUMBERS: item_numbers.cl
 */
/* The last part of a line has up to 15 lanes more. */
#define CLFOLD_LANES   (CLFOLD_TILE + 16)
#define CLFOLD_VECTORS (CLFOLD_LANES / 16)

/* Rows of columns from one that is folded to one that is asked for, where that can be
 * done: the next piece of a row is far. The pieces are 4 KiB of floats. */
#define CLFOLD_ROWS_AHEAD(vectors) max(1u, 64 / (vectors))

/* Elements of a short row, at most: 16 rows are as many vectors. */
#define CLFOLD_SHORT 64

typedef struct {
    ulong begin[CLFOLD_LANES]; /* from which the lane's positions count */
    uint are_rows;
    ulong elements;            /* of all rows */
    ulong items[CLFOLD_LANES]; /* of columns; of a stretch in its first */
#if CLFOLD_NUMBERS
    uint stretch[CLFOLD_VECTORS]; /* vectors from here on that lie side by side, or 0 */
    clfold_item sums[CLFOLD_LANES];
#else
    clfold_lanes sums[CLFOLD_VECTORS];
#endif
#if CLFOLD_SCAN
    clfold_item prefix[CLFOLD_LANES];
    uint has_prefix[CLFOLD_LANES];
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
        const uint beside = (uint)min((ulong)(num - l), width - a.begin % width);
#if CLFOLD_NUMBERS
        const uint lanes = beside / 16 * 16;
        bundle->stretch[l / 16] = lanes / 16;
        for (uint k = 0; lanes == 0 && k < 16 && l < num; ++k, ++l) {
            const clfold_run r = clfold_nth_run(first + l, CLFOLD_CUT);
            bundle->begin[l] = r.begin;
            bundle->items[l] = r.items;
        }
#else
        const uint lanes = beside;
#endif
        if (lanes > 0)
            bundle->items[l] = a.items;
        for (uint k = 0; k < lanes; ++k)
            bundle->begin[l + k] = a.begin;
        l += lanes;
    }
}

#if !CLFOLD_NUMBERS

/* ---- Short rows -------------------------------------------------------------------- */

typedef struct {
    union { $stage16 v[CLFOLD_SHORT]; $stage s[16 * CLFOLD_SHORT]; } $name;
} clfold_row_folds;

/*
 * The inclusive scan of lanes that begins anew where a row does. `place` is a lane's
 * place in its row, so_far has in all lanes the fold up to the vector before, or any
 * element where there is none.
 *
 *   rows of 3      a1 a2 b0 b1 b2 c0 c1 ...
 *   place           1  2  0  1  2  0  1
 *   in stretches    1 12 b0 01 02 c0 01
 *   before         01 02 b0 01 02 c0 01             so_far, where the row began before
 */
static clfold_stage16 clfold_scan_row_lanes(clfold_stage16 own, int16 place, uint length,
                                            clfold_stage16 so_far CLFOLD_WITH)
{
    const int16 lane = as_int16(clfold_places(0));
    const clfold_stage16 x =
        clfold_scan_stretches(own, min(place, lane), length - 1 CLFOLD_PASS);

    return clfold_choose16(place > lane,
                           clfold_combine_stage16(so_far, x CLFOLD_PASS), x);
}

static int16 clfold_first_places(uint length)
{
    return convert_int16(clfold_places(0) % length);
}

/* Places 16 elements later. */
static int16 clfold_next_places(int16 before, uint length)
{
    const int16 place = before + (int)(16 % length);

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

/* Lanes of a vector, at the end of a run. */
static void clfold_keep_lanes(clfold_stage16 x, uint first, uint num, uint l,
                              clfold_bundle_pointer bundle)
{
    const clfold_lanes lanes = clfold_lanes_of(x);

    for (uint k = 0; k < num; ++k) {
        bundle->sums[(l + k) / 16].$name.s[(l + k) % 16] = lanes.$name.s[first + k];
    }
}

/* From row i of `num` columns to one that is asked for; at the end to one of the columns
 * beside them, which come next. */
static ulong clfold_ahead(ulong i, ulong items, ulong width, uint num)
{
    const uint rows = CLFOLD_ROWS_AHEAD((num + 15) / 16);

    return i + rows < items ? rows * width : num - (items - rows) * width;
}

/* A row of 16 columns from position j on, or four as a tree, after *sum. */
static void clfold_fold_vector(global const CLFOLD_IN *in, ulong begin, uint j,
                               uint width, ulong ahead, bool four,
                               private clfold_stage16 *sum CLFOLD_WITH)
{
    clfold_stage16 x[4];

#pragma unroll
    for (uint r = 0; r < (four ? 4 : 1); ++r) {
        clfold_ask(in, begin + j + r * width + ahead, 16 CLFOLD_PASS);
        x[r] = clfold_load16(in, begin, j + r * width CLFOLD_PASS);
    }
    if (four)
        x[0] = clfold_combine_stage16(clfold_combine_stage16(x[0], x[1] CLFOLD_PASS),
                                      clfold_combine_stage16(x[2], x[3] CLFOLD_PASS)
                                          CLFOLD_PASS);
    *sum = clfold_combine_stage16(*sum, x[0] CLFOLD_PASS);
}

/* 16 columns or more from lane l on, `num` of them side by side. */
static void clfold_fold_columns(global const CLFOLD_IN *in, ulong begin, ulong width,
                                ulong items, uint num, uint l,
                                clfold_bundle_pointer bundle CLFOLD_WITH)
{
    const uint whole = num / 16, vectors = (num + 15) / 16;
    clfold_stage16 sums[CLFOLD_VECTORS];

    for (uint v = 0; v < vectors; ++v)
        sums[v] = clfold_load16(in, begin, min(v * 16, num - 16) CLFOLD_PASS);
    for (ulong i = 1; i < items;) {
        /* Sums are in memory, so four rows are folded before these take part. A scan's
         * last item is its total, so it folds as it scans. */
        const bool four = !CLFOLD_SCAN && vectors <= 4 && i + 4 <= items;
        const ulong ahead = clfold_ahead(i, items, width, num);
        const uint j = (uint)(i * width);
        for (uint v = 0; v < whole; ++v)
            clfold_fold_vector(in, begin, j + v * 16, (uint)width, ahead, four,
                               &sums[v] CLFOLD_PASS);
        if (whole < vectors)
            clfold_fold_vector(in, begin, j + num - 16, (uint)width, ahead, four,
                               &sums[whole] CLFOLD_PASS);
        i += four ? 4 : 1;
    }
    for (uint v = 0; v < vectors; ++v)
        clfold_keep_lanes(sums[v], v * 16 - min(v * 16, num - 16), min(16u, num - v * 16),
                          l + v * 16, bundle);
}

/* ---- Few columns, and long rows ---------------------------------------------------- */

/*
 * A step is as many rows as a vector can hold, and what it holds besides is not used.
 * Steps of 15 elements of 3 columns:
 *
 *   elements      a0 b0 c0 a1 b1 c1 a2 b2 ... c4 | a5 b5 c5 a6 ...
 *   in any order  lane by lane; at the end those of a column
 *   in order      a0 b0 c0 a01 b01 c01 a02 ...     the first step, lane by lane
 *   window        a15 b15 c15 a26 b26 c26 ...      the fold of each element and the four
 *                                                  above it
 *   combined      a05 b05 c05 a06 b06 c06 ...      all up to each element
 *
 * The last step or two go element by element, as a scan takes them.
 */
#define CLFOLD_STEP_OF(width) (16 / (width) * (width))

/* The folds of the elements from j on and those above each: a step of them. */
static clfold_stage16 clfold_window16(global const CLFOLD_IN *in, ulong begin, uint j,
                                      uint width, uint step CLFOLD_WITH)
{
    uint at = j + width - step;
    clfold_stage16 x = clfold_load16(in, begin, at CLFOLD_PASS);

    while (at < j) {
        at += width;
        x = clfold_combine_stage16(x, clfold_load16(in, begin, at CLFOLD_PASS)
                                          CLFOLD_PASS);
    }
    return x;
}

/* Lane `k` of a step becomes the fold up to element j, after that of a row before. */
static void clfold_step_lane(global const CLFOLD_IN *in, ulong begin, uint j, uint k,
                             uint width, uint step, clfold_lanes *lanes CLFOLD_WITH)
{
    clfold_stage x = clfold_load(in, begin, j CLFOLD_PASS);

    if (j >= width)
        x = clfold_combine_stage(
            clfold_lane(lanes, (k < width ? k + step : k) - width), x CLFOLD_PASS);
    lanes->$name.s[k] = x.$name;
}

/* Lanes that no element has yet, so that the operator sees nothing else. */
static void clfold_step_fill(uint step, clfold_lanes *lanes)
{
    for (uint k = step; k < 16; ++k) {
        lanes->$name.s[k] = lanes->$name.s[0];
    }
}

/* The last row's lanes, after `count` elements. */
static void clfold_step_end(const clfold_lanes *lanes, uint width, uint step, uint count,
                            uint l, clfold_bundle_pointer bundle)
{
    for (uint k = 0; k < width; ++k) {
        const uint at = (count - width + k) % step;
        bundle->sums[(l + k) / 16].$name.s[(l + k) % 16] = lanes->$name.s[at];
    }
}

/* `count` elements of `width` columns, 16 or fewer, from lane l on. */
static void clfold_fold_narrow(global const CLFOLD_IN *in, ulong begin, uint width,
                               uint count, uint l,
                               clfold_bundle_pointer bundle CLFOLD_WITH)
{
    const uint step = CLFOLD_STEP_OF(width);
    clfold_lanes lanes;
    uint j = 0;

#if CLFOLD_COMMUTATIVE && !CLFOLD_SCAN
    if (count >= 16) {
        clfold_stage16 x = clfold_load16(in, begin, 0 CLFOLD_PASS);
        for (j = step; count - j >= 16; j += step)
            x = clfold_combine_stage16(x, clfold_load16(in, begin, j CLFOLD_PASS)
                                              CLFOLD_PASS);
        lanes = clfold_lanes_of(x);
        for (uint k = width; k < step; ++k) {
            const clfold_stage y =
                clfold_combine_stage(clfold_lane(&lanes, k - width),
                                     clfold_lane(&lanes, k) CLFOLD_PASS);
            lanes.$name.s[k] = y.$name;
        }
    }
#else
    for (; j < min(step, count); ++j)
        clfold_step_lane(in, begin, j, j, width, step, &lanes CLFOLD_PASS);
    if (count - j >= step + 16) {
        clfold_step_fill(step, &lanes);
        clfold_stage16 x;
        x.$name = lanes.$name.v;
        for (; count - j >= step + 16; j += step)
            x = clfold_combine_stage16(
                x, clfold_window16(in, begin, j, width, step CLFOLD_PASS) CLFOLD_PASS);
        lanes = clfold_lanes_of(x);
    }
#endif
    for (uint k = 0; j + k < count; ++k)
        clfold_step_lane(in, begin, j + k, k % step, width, step, &lanes CLFOLD_PASS);
    clfold_step_end(&lanes, width, step, count, l, bundle);
}

#else

/* ---- Lanes of numbers -------------------------------------------------------------- */

/* Columns from lane l on, `vectors` of them side by side. */
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

/* Up to 16 lanes one by one, in step. They are put side by side, with 0 where there is no
 * item. */
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

#if CLFOLD_NUMBERS

static void clfold_lanes_fold(global const CLFOLD_IN *in, ulong in_offset, uint num,
                              ulong width, ulong run,
                              clfold_bundle_pointer bundle CLFOLD_WITH)
{
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

#else

static void clfold_lanes_fold(global const CLFOLD_IN *in, ulong in_offset, uint num,
                              ulong width, ulong run,
                              clfold_bundle_pointer bundle CLFOLD_WITH)
{
    const uint beside = (uint)min((ulong)num, width);

    if (bundle->are_rows) {
        clfold_fold_short_rows(in, in_offset + bundle->begin[0], (uint)run,
                               (uint)bundle->elements, bundle CLFOLD_PASS);
        return;
    }
    for (uint l = 0; l < num; l += beside) {
        const ulong begin = in_offset + bundle->begin[l], items = bundle->items[l];
        if (width > 16)
            clfold_fold_columns(in, begin, width, items, beside, l, bundle CLFOLD_PASS);
        else
            clfold_fold_narrow(in, begin, beside, (uint)items * beside, l,
                               bundle CLFOLD_PASS);
    }
}

static clfold_stage clfold_lanes_stage(clfold_bundle_pointer bundle, uint l)
{
    clfold_stage x;

    x.$name = bundle->sums[l / 16].$name.s[l % 16];
    return x;
}

#endif
