/*
 * Segments: neighbouring elements, or those that are `width` apart, that are folded one
 * by one. Rows are segments of width 1.
 *
 *   blocks      | a b c  d e f  g h i  j k l | m n o  p q r  ...      width 3, length 4
 *   segments    a d g j,  b e h k,  c f i l,  m p ...
 *   runs of 2   a d  b e  c f  g j  h k  i l  m p ...                 one after the other
 *
 * A segment is cut into `runs` runs of `run` elements, of which the last may be short. A
 * run has a number among all of them, by which neighbours in memory are neighbours. The
 * last row may be short, too: its missing runs would be the last of all, and their
 * numbers do not exist.
 *
 * The folds of runs, in the order of their numbers, are elements again, in segments of
 * the same width, of length `runs`. So one description serves every launch.
 */
#define CLFOLD_CUT_PARAMS ulong count, ulong width, ulong length, ulong runs, ulong run
#define CLFOLD_CUT        count, width, length, runs, run

typedef struct {
    ulong begin;   /* its first element */
    ulong items;   /* how many, `width` apart */
    ulong number;  /* among that one's runs */
} clfold_run;

static clfold_run clfold_nth_run(ulong i, CLFOLD_CUT_PARAMS)
{
    const ulong above = i / width, column = i - above * width;
    const ulong block = runs == 1 ? above : above / runs;
    clfold_run r;

    r.number = above - block * runs;
    r.begin = (block * length + r.number * run) * width + column;
    r.items = min(run, length - r.number * run);
    if (width == 1)
        r.items = min(r.items, count - r.begin);
    return r;
}

/* Runs of the segment that begins at element `begin`. */
static ulong clfold_runs_of(ulong begin, CLFOLD_CUT_PARAMS)
{
    return width == 1 ? (min(length, count - begin) + run - 1) / run : runs;
}
