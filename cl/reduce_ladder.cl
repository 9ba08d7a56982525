/*
 * reduce0 to reduce6: the ladder by which reductions are taught. Each rung follows the
 * one that it improves, and works for every count and every group size from 2.
 *
 * After Harris, "Optimizing Parallel Reduction in CUDA" (2007), and Kloeckner's OpenCL
 * lecture (2010), which number the rungs alike. docs/ladder.md counts what they cost:
 * steps of sub-groups, those in which some lanes idle ("mixed"), and accesses to local
 * memory that are repeated because lanes met in a bank ("replays"). G is the group's
 * size. Each rung has 1 + log2 G barriers. First launches have n / G groups, from reduce3
 * on n / 2G, and of reduce6 at most what a device holds at once.
 *
 * How all rungs differ from the published ones:
 *
 *   - A step is guarded by the number of items (`live`), so nothing is padded.
 *   - A barrier ends every step. The published reduce4 to reduce6 leave it out for the
 *     last 32 work-items and trust `volatile` and lanes in lock step, which OpenCL never
 *     promises.
 *   - G is a constant in every rung, since compilers have been seen to break barriers in
 *     loops whose trip count they do not know. What reduce5 gains is that no loop is
 *     left, so compilers are asked not to unroll those of the others.
 *
 * The first launch reads elements of `in`, later ones the items that groups have left in
 * `scratch`.
 *
 * needs: contract.cl, count.cl, element.cl, partials.cl
 */

/* A launch's input. */
typedef struct {
    global const CLFOLD_IN *in;
    ulong offset;
    global const clfold_item *items; /* the input of later launches */
    uint is_first;
    ulong count;
} clfold_source;

/* A group's result, and where a launch leaves it. */
#define CLFOLD_RUNG_PARAMS                                                               \
    global const CLFOLD_IN *in, ulong in_offset, global clfold_item *scratch,            \
        ulong from, ulong to, uint is_first, ulong most_count,                           \
        global CLFOLD_OUT *out, ulong out_offset, CLFOLD_INIT_PARAMS

#define CLFOLD_RUNG_ARGS                                                                 \
    in, in_offset, scratch, from, to, is_first, most_count, out, out_offset,             \
        CLFOLD_INIT_ARGS

static clfold_source clfold_source_of(CLFOLD_RUNG_PARAMS CLFOLD_WITH)
{
    const ulong count = clfold_true_count(most_count CLFOLD_PASS);
    const clfold_source source = { in, in_offset, scratch + from, is_first, count };

    return source;
}

/* A group's item x[0], if it has any: the result, where no other group is there, or a
 * partial. */
static void clfold_leave(local const clfold_item *x, bool has_items, ulong count,
                         CLFOLD_RUNG_PARAMS CLFOLD_WITH)
{
    if (get_local_id(0) > 0)
        return;
    if (get_num_groups(0) == 1)
        clfold_reduce_end(x[0], count == 0, 0, out, out_offset,
                          CLFOLD_INIT_ARGS CLFOLD_PASS);
    else if (!CLFOLD_COUNT_AT || has_items)
        scratch[to + get_group_id(0)] = x[0];
}

#if CLFOLD_RUNG < 6
/* Item i of the launch's input. */
static clfold_item clfold_get(const clfold_source *source, ulong i CLFOLD_WITH)
{
    if (!source->is_first)
        return source->items[i];
    return clfold_empty(clfold_load(source->in, source->offset + i, 0 CLFOLD_PASS),
                        i CLFOLD_PASS);
}
#endif

/* The number of items of a group, `most` at most, from item `first` on. */
static uint clfold_live(const clfold_source *source, ulong first, uint most)
{
    return first < source->count ? (uint)min((ulong)most, source->count - first) : 0;
}

/* x[to] becomes x[to] op x[from]. */
static void clfold_join(local clfold_item *x, uint to, uint from CLFOLD_WITH)
{
    x[to] = clfold_combine(x[to], x[from] CLFOLD_PASS);
}

#if CLFOLD_RUNG < 3
/* Puts item l of the group into x[l], if it exists. Returns the number of live ones. */
static uint clfold_load_one(const clfold_source *source, local clfold_item *x,
                            uint l CLFOLD_WITH)
{
    const ulong first = get_group_id(0) * CLFOLD_GROUP_SIZE;
    const uint live = clfold_live(source, first, CLFOLD_GROUP_SIZE);

    if (l < live)
        x[l] = clfold_get(source, first + l CLFOLD_PASS);
    barrier(CLK_LOCAL_MEM_FENCE);
    return live;
}
#endif

/* ---- reduce0: neighbours first ----------------------------------------------------- */

/*
 * Step s = 1, 2, 4, ...: work-item l acts if 2s divides l.
 *
 *   x     10  1   8 -1   0 -2   3  5         G = 8, add
 *   s=1   11      7     -2      8            l = 0, 2, 4, 6
 *   s=2   18              6                  l = 0, 4
 *   s=4   24                                 l = 0
 *
 * Keeps the order of operands. Its workers are spread over all sub-groups, so nearly
 * every step is issued for all of them, and every one is mixed; and it divides.
 */
#if CLFOLD_RUNG == 0
CLFOLD_KERNEL void
clfold_reduce0(CLFOLD_RUNG_PARAMS CLFOLD_WITH)
{
    local clfold_item x[CLFOLD_GROUP_SIZE];
    const uint l = (uint)get_local_id(0);
    const clfold_source source = clfold_source_of(CLFOLD_RUNG_ARGS CLFOLD_PASS);
    const uint live = clfold_load_one(&source, x, l CLFOLD_PASS);

#pragma unroll 1
    for (uint s = 1; s < CLFOLD_GROUP_SIZE; s *= 2) {
        if (l % (2 * s) == 0 && l + s < live)
            clfold_join(x, l, l + s CLFOLD_PASS);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    clfold_leave(x, live > 0, source.count, CLFOLD_RUNG_ARGS CLFOLD_PASS);
}
#endif

/* ---- reduce1: the same pairs by the first work-items ------------------------------- */

/*
 * Step s = 1, 2, 4, ...: work-item l joins x[2sl] and x[2sl + s].
 *
 *   x     10  1   8 -1   0 -2   3  5         G = 8
 *   s=1   11      7     -2      8            l = 0, 1, 2, 3
 *   s=2   18              6                  l = 0, 1
 *   s=4   24                                 l = 0
 *
 * Cures reduce0's modulo and its mixed sub-groups: workers are the first ones. But they
 * now read 2s apart and meet in the banks: the replays cost just what the idle lanes of
 * reduce0 did, 141 turns of local memory either way for G = 256.
 */
#if CLFOLD_RUNG == 1
CLFOLD_KERNEL void
clfold_reduce1(CLFOLD_RUNG_PARAMS CLFOLD_WITH)
{
    local clfold_item x[CLFOLD_GROUP_SIZE];
    const uint l = (uint)get_local_id(0);
    const clfold_source source = clfold_source_of(CLFOLD_RUNG_ARGS CLFOLD_PASS);
    const uint live = clfold_load_one(&source, x, l CLFOLD_PASS);

#pragma unroll 1
    for (uint s = 1; s < CLFOLD_GROUP_SIZE; s *= 2) {
        const uint i = 2 * s * l;
        if (i + s < live)
            clfold_join(x, i, i + s CLFOLD_PASS);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    clfold_leave(x, live > 0, source.count, CLFOLD_RUNG_ARGS CLFOLD_PASS);
}
#endif

/* ---- reduce2: halves --------------------------------------------------------------- */

/*
 * Step s = P/2, ..., 2, 1 (P: G rounded up to a power of two): work-item l joins x[l] and
 * x[l + s].
 *
 *   x     10  1  8 -1  0 -2  3  5            G = 8
 *   s=4   10 -1 11  4                        l = 0, 1, 2, 3
 *   s=2   21  3                              l = 0, 1
 *   s=1   24                                 l = 0
 *
 * Cures reduce1's bank conflicts: neighbours read neighbours. From here on items change
 * places (a e c g b f d h), so the operator must commute.
 */
#if CLFOLD_RUNG == 2
CLFOLD_KERNEL void
clfold_reduce2(CLFOLD_RUNG_PARAMS CLFOLD_WITH)
{
    local clfold_item x[CLFOLD_GROUP_SIZE];
    const uint l = (uint)get_local_id(0);
    const clfold_source source = clfold_source_of(CLFOLD_RUNG_ARGS CLFOLD_PASS);
    const uint live = clfold_load_one(&source, x, l CLFOLD_PASS);

#pragma unroll 1
    for (uint s = CLFOLD_GROUP_POWER / 2; s > 0; s /= 2) {
        if (l < s && l + s < live)
            clfold_join(x, l, l + s CLFOLD_PASS);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    clfold_leave(x, live > 0, source.count, CLFOLD_RUNG_ARGS CLFOLD_PASS);
}
#endif

/* ---- reduce3: a first step while loading ------------------------------------------- */

#if CLFOLD_RUNG >= 3 && CLFOLD_RUNG <= 5
/* Puts in[first + l] op in[first + G + l], as far as these exist, into x[l]. Returns the
 * number of live items. */
static uint clfold_load_two(const clfold_source *source, local clfold_item *x,
                            uint l CLFOLD_WITH)
{
    const ulong first = get_group_id(0) * 2 * CLFOLD_GROUP_SIZE;
    const uint live = clfold_live(source, first, CLFOLD_GROUP_SIZE);

    if (l < live) {
        clfold_item mine = clfold_get(source, first + l CLFOLD_PASS);
        if (first + CLFOLD_GROUP_SIZE + l < source->count)
            mine =
                clfold_combine(mine, clfold_get(source, first + CLFOLD_GROUP_SIZE +
                                                            l CLFOLD_PASS) CLFOLD_PASS);
        x[l] = mine;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return live;
}
#endif

/*
 * A group takes 2G items; each work-item joins two of them on their way in.
 *
 *   in    10  1  8 -1  0 -2  3  5 | -2 -3  2  7  0 11  0  2       G = 8
 *   x      8 -2 10  6  0  9  3  7                                 l = 0 ... 7
 *   then as reduce2
 *
 * Cures reduce2's idling: there half of the work-items do nothing but load. Half as many
 * groups, barriers and accesses to local memory for the same items.
 */
#if CLFOLD_RUNG == 3
CLFOLD_KERNEL void
clfold_reduce3(CLFOLD_RUNG_PARAMS CLFOLD_WITH)
{
    local clfold_item x[CLFOLD_GROUP_SIZE];
    const uint l = (uint)get_local_id(0);
    const clfold_source source = clfold_source_of(CLFOLD_RUNG_ARGS CLFOLD_PASS);
    const uint live = clfold_load_two(&source, x, l CLFOLD_PASS);

#pragma unroll 1
    for (uint s = CLFOLD_GROUP_POWER / 2; s > 0; s /= 2) {
        if (l < s && l + s < live)
            clfold_join(x, l, l + s CLFOLD_PASS);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    clfold_leave(x, live > 0, source.count, CLFOLD_RUNG_ARGS CLFOLD_PASS);
}
#endif

/* ---- reduce4: the last six steps in a straight line -------------------------------- */

/* One step. Every step needs the guard: without it work-item l writes x[l] while
 * work-item l - s reads it, even with barriers. */
#define CLFOLD_STEP(x, l, live, s)                                                       \
    if (l < (s) && l + (s) < live)                                                       \
        clfold_join(x, l, l + (s) CLFOLD_PASS);                                          \
    barrier(CLK_LOCAL_MEM_FENCE)

/*
 *   s = P/2 ... 64   in a loop, as reduce3
 *   s = 32 ... 1     six steps written out
 *
 * Cures the loop's overhead where there is least work in a step. The published one drops
 * the barriers of these six steps as well, for 32 work-items that it assumes to run in
 * lock step; then 65,536 ones sum to 7,168 on today's CPU runtimes.
 */
#if CLFOLD_RUNG == 4
CLFOLD_KERNEL void
clfold_reduce4(CLFOLD_RUNG_PARAMS CLFOLD_WITH)
{
    local clfold_item x[CLFOLD_GROUP_SIZE];
    const uint l = (uint)get_local_id(0);
    const clfold_source source = clfold_source_of(CLFOLD_RUNG_ARGS CLFOLD_PASS);
    const uint live = clfold_load_two(&source, x, l CLFOLD_PASS);

#pragma unroll 1
    for (uint s = CLFOLD_GROUP_POWER / 2; s > 32; s /= 2) {
        CLFOLD_STEP(x, l, live, s);
    }
    CLFOLD_STEP(x, l, live, 32);
    CLFOLD_STEP(x, l, live, 16);
    CLFOLD_STEP(x, l, live, 8);
    CLFOLD_STEP(x, l, live, 4);
    CLFOLD_STEP(x, l, live, 2);
    CLFOLD_STEP(x, l, live, 1);
    clfold_leave(x, live > 0, source.count, CLFOLD_RUNG_ARGS CLFOLD_PASS);
}
#endif

/* ---- reduce5: all steps in a straight line ----------------------------------------- */

#if CLFOLD_RUNG >= 5
/* A step that a smaller G does not need is removed at compile time. */
#define CLFOLD_TREE_STEP(x, l, live, s)                                                  \
    if (CLFOLD_GROUP_POWER > (s)) {                                                      \
        CLFOLD_STEP(x, l, live, s);                                                      \
    }

/* The tree of reduce2 over x[0] to x[live - 1], for any G up to 8192. */
static void clfold_tree(local clfold_item *x, uint l, uint live CLFOLD_WITH)
{
    CLFOLD_TREE_STEP(x, l, live, 4096);
    CLFOLD_TREE_STEP(x, l, live, 2048);
    CLFOLD_TREE_STEP(x, l, live, 1024);
    CLFOLD_TREE_STEP(x, l, live, 512);
    CLFOLD_TREE_STEP(x, l, live, 256);
    CLFOLD_TREE_STEP(x, l, live, 128);
    CLFOLD_TREE_STEP(x, l, live, 64);
    CLFOLD_TREE_STEP(x, l, live, 32);
    CLFOLD_TREE_STEP(x, l, live, 16);
    CLFOLD_TREE_STEP(x, l, live, 8);
    CLFOLD_TREE_STEP(x, l, live, 4);
    CLFOLD_TREE_STEP(x, l, live, 2);
    CLFOLD_STEP(x, l, live, 1);
}
#endif

/*
 *   s = P/2 ... 1    all written out
 *
 * Removes the rest of the loop.
 */
#if CLFOLD_RUNG == 5
CLFOLD_KERNEL void
clfold_reduce5(CLFOLD_RUNG_PARAMS CLFOLD_WITH)
{
    local clfold_item x[CLFOLD_GROUP_SIZE];
    const uint l = (uint)get_local_id(0);
    const clfold_source source = clfold_source_of(CLFOLD_RUNG_ARGS CLFOLD_PASS);
    const uint live = clfold_load_two(&source, x, l CLFOLD_PASS);

    clfold_tree(x, l, live CLFOLD_PASS);
    clfold_leave(x, live > 0, source.count, CLFOLD_RUNG_ARGS CLFOLD_PASS);
}
#endif

/* ---- reduce6: many items in sequence, then the tree -------------------------------- */

#if CLFOLD_RUNG == 6

/* Elements i and i + G, as far as these exist, at positions counted from `base`. */
static clfold_stage clfold_load_pair(const clfold_source *source, ulong base,
                                     ulong i CLFOLD_WITH)
{
    const uint j = (uint)(i - base);
    clfold_stage mine = clfold_load(source->in, source->offset + base, j CLFOLD_PASS);

    if (i + CLFOLD_GROUP_SIZE < source->count)
        mine = clfold_combine_stage(mine, clfold_load(source->in, source->offset + base,
                                                      j + CLFOLD_GROUP_SIZE CLFOLD_PASS)
                                              CLFOLD_PASS);
    return mine;
}

/* Elements first and first + G, and so on in steps of `stride`: at least one. A stage is
 * emptied before it has taken too many, or is too far from its base. */
static clfold_item clfold_fold_strided(const clfold_source *source, ulong first,
                                       ulong stride CLFOLD_WITH)
{
    const ulong far = (0xffffffffUL - CLFOLD_GROUP_SIZE) / stride;
    const ulong reach = min((ulong)CLFOLD_STAGE_LIMIT / 2, far) * stride;
    clfold_item total;

    for (ulong base = first; base < source->count; base += reach) {
        const ulong stop = min(base + reach, source->count);
        clfold_stage mine = clfold_load_pair(source, base, base CLFOLD_PASS);
        for (ulong i = base + stride; i < stop; i += stride)
            mine = clfold_combine_stage(
                mine, clfold_load_pair(source, base, i CLFOLD_PASS) CLFOLD_PASS);
        const clfold_item x = clfold_empty(mine, base CLFOLD_PASS);
        total = base == first ? x : clfold_combine(total, x CLFOLD_PASS);
    }
    return total;
}

/* Items first, first + stride, and so on: at least one. */
static clfold_item clfold_fold_items(const clfold_source *source, ulong first,
                                     ulong stride CLFOLD_WITH)
{
    clfold_item total = source->items[first];

    for (ulong i = first + stride; i < source->count; i += stride)
        total = clfold_combine(total, source->items[i] CLFOLD_PASS);
    return total;
}

/*
 * NG groups for any count: each work-item folds k items in a register, then the tree.
 *
 *   in    | 2G of group 0 | 2G of group 1 | ... | 2G of group 0 | 2G of group 1 | ...
 *           l     l + G                           l     l + G
 *
 * Cures the tree's cost: with k items a work-item the tree's share of the work is 1 / k,
 * and groups need not be started anew for every 2G items. NG and k follow Brent's theorem
 * (src/plan/grid.h). A second launch, of one group, folds the NG partials; where a device
 * limits what a work-item may do in one launch, NG is larger, and launches may be more.
 */
CLFOLD_KERNEL void
clfold_reduce6(CLFOLD_RUNG_PARAMS CLFOLD_WITH)
{
    local clfold_item x[CLFOLD_GROUP_SIZE];
    const uint l = (uint)get_local_id(0);
    const ulong g = get_group_id(0);
    const clfold_source source = clfold_source_of(CLFOLD_RUNG_ARGS CLFOLD_PASS);
    const uint wide = (is_first ? 2 : 1) * CLFOLD_GROUP_SIZE;
    const ulong first = g * wide, stride = get_num_groups(0) * wide;
    const uint live = clfold_live(&source, first, CLFOLD_GROUP_SIZE);

    if (l < live)
        x[l] = is_first ? clfold_fold_strided(&source, first + l, stride CLFOLD_PASS)
                        : clfold_fold_items(&source, first + l, stride CLFOLD_PASS);
    barrier(CLK_LOCAL_MEM_FENCE);
    clfold_tree(x, l, live CLFOLD_PASS);
    clfold_leave(x, live > 0, source.count, CLFOLD_RUNG_ARGS CLFOLD_PASS);
}
#endif
