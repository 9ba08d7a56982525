/*
 * A tile is a work-group's: each work-item folds its elements in registers, one item each
 * goes through a tree in local memory. For GPUs; works for any group size and any device.
 *
 * A work-item loads chunks: CLFOLD_CHUNK elements, 16 bytes, at element offsets that are
 * multiples of a chunk. Where the buffer itself is aligned that is one vector load, four
 * of them under way at once; else the same elements are loaded one by one and folded in
 * the same order: association follows from element offsets, never from addresses. The
 * slow way stays out of the fast loop, where it would cost predicated loads.
 *
 *   elements   . . . . | . . a b | c d e f | ... | y z . . | . . . .     tile: a to z
 *   chunks               0         1               n - 1
 *   work-item l loads chunks l, l + G, l + 2G, ... (coalesced)
 *   commutative: and folds them on its own
 *   in order:    and folds each one; its run of neighbours, the folds of chunks l R to
 *                l R + R - 1, it takes from local memory
 *
 *   in order, G = 3, R = 2    0   1   2   3   4   5   6      by work-items 0 1 2 0 1 2 0
 *   runs                      01      23      456            the last may have one more
 *
 * Local memory: an item for each work-item or chunk, padded against bank conflicts, in
 * runs of even length and in the tree; and one for the strategy. Barriers a tile: 1 +
 * ceil(log8 G), more for long items, 2 by warps, and one more in order, all in uniform
 * control flow.
 *
 * No item is private across a barrier, nor passed to or from a function that has one, and
 * no barrier is under a condition: with either of these, and items of several scalars,
 * trees of PoCL 3.1 did not end.
 *
 * needs: contract.cl, element.cl
 * needs if CLFOLD_NUMBERS: item_numbers.cl
 */

/* Folds in a run, and the last one that is put aside: a tile that begins inside a chunk
 * has a chunk more. */
#if CLFOLD_COMMUTATIVE
#define CLFOLD_RUN  1
#define CLFOLD_LAST (CLFOLD_GROUP_SIZE - 1)
#else
#define CLFOLD_RUN  ((CLFOLD_TILE - 1) / CLFOLD_CHUNK / CLFOLD_GROUP_SIZE + 1)
#define CLFOLD_LAST (CLFOLD_GROUP_SIZE * CLFOLD_RUN)
#endif

/* The place of fold c, and of the tree's item i, where run i is. One is left free after
 * as many as 32 banks of 4 bytes hold, of long ones after 32; reduce_plan.c knows. */
#define CLFOLD_BANKED (sizeof(clfold_item) <= 16 ? 128 / (uint)sizeof(clfold_item) : 32u)
#define CLFOLD_PLACE(c)                                                                  \
    ((c) + (1 - CLFOLD_RUN % 2) * ((c) / CLFOLD_RUN) + (c) / CLFOLD_RUN / CLFOLD_BANKED)
#define CLFOLD_TREE(i) CLFOLD_PLACE((i)*CLFOLD_RUN)

typedef local clfold_item *clfold_memory;
#define CLFOLD_TILE_MEMORY(memory) local clfold_item memory[CLFOLD_KEPT + 1]

/* Where the strategy may keep an item; only work-item 0 does. */
#define CLFOLD_KEPT (CLFOLD_PLACE(CLFOLD_LAST) + 1)

#if CLFOLD_LOAD

/* A chunk is one element, which a text of the fold's loads. */
typedef clfold_stage clfold_chunk;
#define CLFOLD_LOADS          (CLFOLD_NUMBERS ? 16u : 4u)
#define clfold_is_aligned(in) true
#define CLFOLD_LOAD_CHUNK(chunk, chunks, in, begin, j)                                   \
    chunk = clfold_load(in, begin, j CLFOLD_PASS)

#else

/* Chunks that a work-item has under way at once: registers are for other things, too. */
#define CLFOLD_LOADS                                                                     \
    (sizeof(clfold_chunk) <= 16 ? 4u : sizeof(clfold_chunk) <= 32 ? 2u : 1u)

/* Loaded as one, taken apart in registers: a union, since a vstore to private memory
 * becomes a call under OpenCL C 2.0 on some compilers (clang 19 for AMD). */
typedef union {
    CLFOLD_CHUNK_VECTOR vector;
    CLFOLD_IN scalars[CLFOLD_CHUNK_SCALARS];
} clfold_chunk;

#define clfold_is_aligned(in) ((ulong)(in) % CLFOLD_CHUNK_ALIGN == 0)

/* Chunk j of the tile whose first chunk is where `chunks` points. */
#define CLFOLD_LOAD_CHUNK(chunk, chunks, in, begin, j) (chunk).vector = (chunks)[j]

#endif

/*
 * The tree over the items of work-items 0 to live - 1, in order:
 *
 *   i     0   1   2   3   4   5   6          live = 7
 *         01      23      45      6          item i and the one 1 after it
 *         0123            456                2 after it
 *         0123456                            4 after it
 *
 * Three levels are one step of a work-item, between two barriers: it takes CLFOLD_RADIX
 * items, which lie s apart, in registers; of long ones it takes fewer. With the guards
 * any group size and any `live` work; nothing relies on lanes in lock step.
 *
 * On NVIDIA's devices, where look-back is in PTX too, five levels are a warp's, which
 * hands items over in registers. The tree is the same, and so are the bits.
 *
 * The result is left in memory[0], for work-item 0 alone: others may be in the next tile
 * already.
 */
#define CLFOLD_RADIX                                                                     \
    (sizeof(clfold_item) <= 8 ? 8u : sizeof(clfold_item) <= 16 ? 4u : 2u)

#if CLFOLD_MEMORY == 2 && CLFOLD_GROUP_SIZE % 32 == 0

#define CLFOLD_WARP 32u

/* The item of the work-item that is `distance` after this one in its warp. */
static clfold_item clfold_item_after(clfold_item x, uint distance)
{
    union {
        clfold_item item;
        uint words[(sizeof(clfold_item) + 3) / 4];
    } other;

    other.item = x;
#pragma unroll
    for (uint w = 0; w < (sizeof(clfold_item) + 3) / 4; ++w)
        asm volatile("shfl.sync.down.b32 %0, %1, %2, 31, 0xffffffff;"
                     : "=r"(other.words[w])
                     : "r"(other.words[w]), "r"(distance)
                     : "memory");
    return other.item;
}

static void clfold_group_join(uint live, clfold_memory memory CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0), first = l - l % CLFOLD_WARP;

    /* Of work-item l it is item s l. In the first round that is its own, which it has put
     * there itself. */
#pragma unroll
    for (uint s = 1; s < CLFOLD_GROUP_SIZE; s *= CLFOLD_WARP) {
        const uint num = (live + s - 1) / s;
        if (first < num) {
            const uint left = max(min(num, first + CLFOLD_WARP), l) - l;
            clfold_item x = memory[CLFOLD_TREE(left > 0 ? s * l : l)];
#pragma unroll
            for (uint d = 1; d < CLFOLD_WARP; d *= 2) {
                if (d * s < CLFOLD_GROUP_SIZE) {
                    const clfold_item y = clfold_item_after(x, d);
                    if (d < left)
                        x = clfold_combine(x, y CLFOLD_PASS);
                }
            }
            if (l == first)
                memory[CLFOLD_TREE(s * l)] = x;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#else

static void clfold_group_join(uint live, clfold_memory memory CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);

    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 1; s < CLFOLD_GROUP_SIZE; s *= CLFOLD_RADIX) {
        const uint i = CLFOLD_RADIX * s * l;
        if (i + s < live) {
            clfold_item x[CLFOLD_RADIX];
#pragma unroll
            for (uint k = 0; k < CLFOLD_RADIX; ++k)
                x[k] = memory[CLFOLD_TREE(min(i + k * s, live - 1))];
#pragma unroll
            for (uint d = 1; d < CLFOLD_RADIX; d *= 2) {
#pragma unroll
                for (uint k = 0; k < CLFOLD_RADIX; k += 2 * d) {
                    if (i + (k + d) * s < live)
                        x[k] = clfold_combine(x[k], x[k + d] CLFOLD_PASS);
                }
            }
            memory[CLFOLD_TREE(i)] = x[0];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#endif

#if CLFOLD_NUMBERS

/* Adds elements one by one, but for the `left_out` ones after `head`. */
static clfold_item clfold_add_ones(clfold_item so_far, global const CLFOLD_IN *in,
                                   ulong begin, uint head, uint left_out,
                                   uint count CLFOLD_WITH)
{
    const uint step = CLFOLD_GROUP_SIZE, num = count - left_out;
    clfold_item total = so_far;

    for (uint j = (uint)get_local_id(0); j < num; j += CLFOLD_AT_ONCE * step) {
        clfold_numbers numbers;
#pragma unroll
        for (uint i = 0; i < CLFOLD_AT_ONCE; ++i) {
            const uint k = j + i * step;
            const uint at = k < head ? k : k + left_out;
            numbers.s[i] = k < num ? clfold_load(in, begin, at CLFOLD_PASS).$name : 0;
        }
        total = clfold_combine(total, clfold_take_numbers(&numbers) CLFOLD_PASS);
    }
    return total;
}

/*
 * As below. Any order will do, so chunks are those that the buffer has in whole, and what
 * is left is taken one by one, as all is where the buffer is not aligned:
 *
 *   elements   . a b | c d e f | ... | u v w x | y z .      tile: a to z
 *   chunks             0         1     n - 1                 by work-items 0, 1, ... 0
 *   one by one   a b                             y z
 */
static void clfold_tile_fold(global const CLFOLD_IN *in, ulong begin, ulong index,
                             uint count, uint ahead, clfold_memory memory CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0), step = CLFOLD_GROUP_SIZE;
    const uint row = CLFOLD_LOADS * step; /* chunks */
    const uint head =
        min(count, (uint)(CLFOLD_CHUNK - 1 - (begin + CLFOLD_CHUNK - 1) % CLFOLD_CHUNK));
    const uint rows = clfold_is_aligned(in) ? (count - head) / CLFOLD_CHUNK / row : 0;
#if !CLFOLD_LOAD
    global const CLFOLD_CHUNK_VECTOR *chunks =
        (global const CLFOLD_CHUNK_VECTOR *)(in + (begin + head) * CLFOLD_SCALARS);
#endif
    clfold_item total = clfold_identity(CLFOLD_PASS_ONLY);

    for (uint r = 0; r < rows; ++r) {
        clfold_chunk some[CLFOLD_LOADS];
        clfold_numbers numbers;
#pragma unroll
        for (uint k = 0; k < CLFOLD_LOADS; ++k)
            CLFOLD_LOAD_CHUNK(some[k], chunks, in, begin, r * row + k * step + l);
#pragma unroll
        for (uint i = 0; i < CLFOLD_AT_ONCE; ++i) {
#if CLFOLD_LOAD
            numbers.s[i] = some[i].$name;
#else
            const CLFOLD_IN *s =
                some[i / CLFOLD_CHUNK].scalars + i % CLFOLD_CHUNK * CLFOLD_SCALARS;
            numbers.s[i] = convert_$stage($load);
#endif
        }
        total = clfold_combine(total, clfold_take_numbers(&numbers) CLFOLD_PASS);
    }
    memory[CLFOLD_TREE(l)] = clfold_add_ones(
        total, in, begin, head, rows * row * CLFOLD_CHUNK, count CLFOLD_PASS);
    clfold_group_join(min(count, step), memory CLFOLD_PASS);
}

#else

#if CLFOLD_LOAD
#define CLFOLD_FOLD_CHUNK(chunk, j) (chunk)
#else
#define CLFOLD_FOLD_CHUNK(chunk, j) clfold_fold_chunk(&(chunk), j CLFOLD_PASS)
static clfold_stage clfold_fold_chunk(const clfold_chunk *chunk, uint first CLFOLD_WITH)
{
    clfold_stage total, r;

#pragma unroll
    for (uint i = 0, j = first; i < CLFOLD_CHUNK; ++i, ++j) {
        const CLFOLD_IN *s = chunk->scalars + i * CLFOLD_SCALARS;
        r.$name = convert_$stage($load);
        total = i == 0 ? r : clfold_combine_stage(total, r CLFOLD_PASS);
    }
    return total;
}
#endif

/* The part of the chunk at element `base` that belongs to the tile, begin to end - 1. */
static clfold_stage clfold_fold_part(global const CLFOLD_IN *in, ulong base, ulong begin,
                                     ulong end CLFOLD_WITH)
{
    uint j = (uint)(max(base, begin) - begin);
    const uint stop = (uint)(min(base + CLFOLD_CHUNK, end) - begin);
    clfold_stage total = clfold_load(in, begin, j CLFOLD_PASS);

    while (++j < stop)
        total = clfold_combine_stage(total,
                                     clfold_load(in, begin, j CLFOLD_PASS) CLFOLD_PASS);
    return total;
}

/* What becomes of the fold x of chunk j, which is the work-item's first or not. */
#if CLFOLD_COMMUTATIVE
#define CLFOLD_TAKE(is_first, j, x)                                                      \
    total = (is_first) ? (x) : clfold_combine_stage(total, x CLFOLD_PASS)
#else
#define CLFOLD_TAKE(is_first, j, x)                                                      \
    memory[CLFOLD_PLACE(j)] = clfold_empty(x, index CLFOLD_PASS)

/* Folds the run of work-item l, of `chunks` folds in all, into its first. */
static void clfold_fold_chunks(uint l, uint live, uint chunks,
                               clfold_memory memory CLFOLD_WITH)
{
    const uint first = l * CLFOLD_RUN;
    const uint stop = l + 1 < live ? first + CLFOLD_RUN : chunks;
    clfold_item mine = clfold_taken(memory[CLFOLD_PLACE(first)]);

    for (uint j = first + 1; j < stop; ++j)
        mine = clfold_combine(mine, memory[CLFOLD_PLACE(j)] CLFOLD_PASS);
    memory[CLFOLD_PLACE(first)] = mine;
}
#endif

/* The fold of elements begin to begin + count - 1, for 1 <= count <= CLFOLD_TILE. `index`
 * is what `begin` counts from in_offset. All work-items must call it; work-item 0 finds
 * the result in memory[0]. */
static void clfold_tile_fold(global const CLFOLD_IN *in, ulong begin, ulong index,
                             uint count, uint ahead, clfold_memory memory CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);
    const uint step = CLFOLD_GROUP_SIZE;
    const bool aligned = clfold_is_aligned(in);
    const ulong end = begin + count;
    const ulong first = begin / CLFOLD_CHUNK;
    const uint chunks = (uint)((end + CLFOLD_CHUNK - 1) / CLFOLD_CHUNK - first);
    const uint live =
        min((uint)CLFOLD_GROUP_SIZE, (chunks + CLFOLD_RUN - 1) / CLFOLD_RUN);

    if (l < min((uint)CLFOLD_GROUP_SIZE, chunks)) {
        /* Chunks below `whole` end inside the tile, and only the first begins before. */
        const uint whole = (uint)(end / CLFOLD_CHUNK - first);
        const uint skipped = (uint)(begin - first * CLFOLD_CHUNK);
#if !CLFOLD_LOAD
        global const CLFOLD_CHUNK_VECTOR *chunk_of =
            (global const CLFOLD_CHUNK_VECTOR *)(in +
                                                 first * CLFOLD_CHUNK * CLFOLD_SCALARS);
#endif
#if CLFOLD_COMMUTATIVE
        clfold_stage total;
#endif
        uint j = l;
        if (j == 0 && skipped > 0) {
            const clfold_stage x =
                clfold_fold_part(in, first * CLFOLD_CHUNK, begin, end CLFOLD_PASS);
            CLFOLD_TAKE(true, 0, x);
            j += step;
        }
        for (; aligned && j + (CLFOLD_LOADS - 1) * step < whole;
             j += CLFOLD_LOADS * step) {
            clfold_chunk row[CLFOLD_LOADS];
#pragma unroll
            for (uint k = 0; k < CLFOLD_LOADS; ++k)
                CLFOLD_LOAD_CHUNK(row[k], chunk_of, in, begin, j + k * step);
#pragma unroll
            for (uint k = 0; k < CLFOLD_LOADS; ++k) {
                const clfold_stage x =
                    CLFOLD_FOLD_CHUNK(row[k], (j + k * step) * CLFOLD_CHUNK - skipped);
                CLFOLD_TAKE(k == 0 && j == l, j + k * step, x);
            }
        }
        for (; aligned && j < whole; j += step) {
            clfold_chunk chunk;
            CLFOLD_LOAD_CHUNK(chunk, chunk_of, in, begin, j);
            const clfold_stage x = CLFOLD_FOLD_CHUNK(chunk, j * CLFOLD_CHUNK - skipped);
            CLFOLD_TAKE(j == l, j, x);
        }
        for (; j < chunks; j += step) {
            const clfold_stage x =
                clfold_fold_part(in, (first + j) * CLFOLD_CHUNK, begin, end CLFOLD_PASS);
            CLFOLD_TAKE(j == l, j, x);
        }
#if CLFOLD_COMMUTATIVE
        memory[CLFOLD_TREE(l)] = clfold_empty(total, index CLFOLD_PASS);
#endif
    }
#if !CLFOLD_COMMUTATIVE
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < live)
        clfold_fold_chunks(l, live, chunks, memory CLFOLD_PASS);
#endif
    clfold_group_join(live, memory CLFOLD_PASS);
}

#endif

/* The fold of the first `num` items: a run of neighbours for each work-item. Called for 0
 * items as well: PoCL 3.1 made endless loops of barriers under a condition, even one that
 * is the same for all. */
static void clfold_tile_fold_items(global const clfold_item *items, uint num,
                                   clfold_memory memory CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);
    const uint each = max((num + CLFOLD_GROUP_SIZE - 1) / CLFOLD_GROUP_SIZE, 1u);
    const uint live = (num + each - 1) / each;

    if (l < live) {
        const uint stop = min(l * each + each, num);
        clfold_item mine = clfold_taken(items[l * each]);
#pragma unroll 8
        for (uint i = l * each + 1; i < stop; ++i)
            mine = clfold_combine(mine, items[i] CLFOLD_PASS);
        memory[CLFOLD_TREE(l)] = mine;
    }
    clfold_group_join(live, memory CLFOLD_PASS);
}
