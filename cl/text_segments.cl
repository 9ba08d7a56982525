/*
 * The segment of what a text is about, and the place in it. Segments are rows, or blocks
 * of clfold_width columns of clfold_length elements each, or begin at offsets:
 *
 *   width 3, length 2     0  1  2     segment   rank   0  0  0
 *                         0  1  2                      1  1  1
 *                         3  4  5                      0  0  0
 *
 * needs: contract.cl, count.cl
 */
#if CLFOLD_TEXT_OFFSETS

static ulong clfold_start_of(ulong s CLFOLD_WITH)
{
    return clfold_offsets[clfold_offsets_at + s];
}

#endif

#if CLFOLD_TEXT_SEGMENTS

typedef struct {
    ulong segment, rank;
} clfold_segment;

#if CLFOLD_TEXT_OFFSETS

/* The last segment that starts at i or before, by steps that double, and then by halves.
 * Elements past the last offset are of the last segment. */
static clfold_segment clfold_segment_from(ulong near, ulong i CLFOLD_WITH)
{
    const ulong num = clfold_true_num(clfold_num_segments CLFOLD_PASS);
    ulong low = near, step = 1, high;
    clfold_segment r;

    while (low + step < num &&
           clfold_start_of(low + step CLFOLD_PASS) <= i) {
        low += step;
        step *= 2;
    }
    high = min(low + step, num);
    while (low + 1 < high) {
        const ulong middle = low + (high - low) / 2;
        if (clfold_start_of(middle CLFOLD_PASS) <= i)
            low = middle;
        else
            high = middle;
    }
    r.segment = low;
    r.rank = i - clfold_start_of(low CLFOLD_PASS);
    return r;
}

static clfold_segment clfold_segment_of(ulong i CLFOLD_WITH)
{
    return clfold_segment_from(clfold_near, i CLFOLD_PASS);
}

#else

static clfold_segment clfold_segment_of(ulong i CLFOLD_WITH)
{
    const ulong block = i / (clfold_width * clfold_length);
    const ulong rest = i - block * (clfold_width * clfold_length);
    clfold_segment r;

    r.rank = clfold_width == 1 ? rest : rest / clfold_width;
    r.segment = block * clfold_width + rest - r.rank * clfold_width;
    return r;
}

#endif

#endif
