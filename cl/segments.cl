/*
 * Runs: what one group, or one lane, folds at a time; and memory that the work-items of
 * a group share. The input is cut into segments, and these into runs:
 *
 *   whole       | a b c d e f g h i j k |            one segment; its first run may lack
 *   runs of 4     b c d  e f g h  i j k              `lead` elements, here 1
 *
 *   rows        | a b c d e | f g h i j | k l |      segments of neighbours, length 5;
 *   runs of 3     a b c  d e  f g h  i j  k l        the last one may be short
 *
 *   columns     | a b c  d e f  g h i | j k l ...    segments in blocks, whose elements
 *   segments      a d g,  b e h,  c f i,  j ...      are `width` apart: width 3, length 3
 *   runs of 2     a d  b e  c f  g  h  i  j ...      one after the other
 *
 * A segment is cut into `runs` runs of `run` elements, of which the last may be short. A
 * run has a number among all of them, by which neighbours in memory are neighbours. Of a
 * short row the missing runs would be the last of all, and their numbers do not exist.
 *
 * The folds of runs, in the order of their numbers, are elements again, in segments of
 * the same width, of length `runs`. So one description serves every launch.
 *
 * needs: contract.cl
 */
#define CLFOLD_CUT_PARAMS                                                                \
    ulong count, ulong width, ulong length, ulong runs, ulong run, ulong lead
#define CLFOLD_CUT count, width, length, runs, run, lead

typedef struct {
    ulong begin;   /* its first element */
    ulong items;   /* how many, `width` apart */
    ulong number;  /* among that one's runs */
} clfold_run;

static clfold_run clfold_nth_run(ulong i, CLFOLD_CUT_PARAMS)
{
    const ulong above = width == 1 ? i : i / width, column = i - above * width;
    /* Without a division where there is one segment, or one run of each. */
    const ulong block = runs == 1 ? above : above < runs ? 0 : above / runs;
    const ulong number = above - block * runs;
    const ulong first = number > 0 ? number * run - lead : 0;
    clfold_run r;

    r.number = number;
    r.begin = (block * length + first) * width + column;
    r.items = min((number + 1) * run - lead, length) - first;
    if (width == 1)
        r.items = min(r.items, count - r.begin);
    return r;
}

/* CLFOLD_SHARED, in a kernel: `name` points to one in memory that the group shares, which
 * is private where a tile is one work-item's. After clfold_tile_sync() all see what was
 * written there; where memory has fences, that of one then stands for all. */
#if CLFOLD_TILE_GROUP
#define CLFOLD_SPACE local
#if CLFOLD_FENCES
#define clfold_tile_sync() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#else
#define clfold_tile_sync() barrier(CLK_LOCAL_MEM_FENCE)
#endif
#else
#define CLFOLD_SPACE private
#define clfold_tile_sync()
#endif

#define CLFOLD_SHARED(type, name)                                                        \
    CLFOLD_SPACE type name##_shared;                                                     \
    CLFOLD_SPACE type *const name = &name##_shared
