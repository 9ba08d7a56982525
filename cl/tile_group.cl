/*
 * A tile is a work-group's: each work-item folds its elements in registers, one item each
 * goes through a tree in local memory. For GPUs; works for any group size and any device.
 *
 * A work-item loads chunks: CLFOLD_CHUNK elements, 16 bytes, at element offsets that are
 * multiples of a chunk. Where the buffer itself is aligned that is one vector load, four
 * of them under way at once; else the same elements are loaded one by one and folded in
 * the same order: association follows from element offsets, never from addresses. The
 * slow way stays out of the fast loop: merged into it, ptxas put four predicated loads
 * beside each vector load.
 *
 *   elements   . . . . | . . a b | c d e f | ... | y z . . | . . . .     tile: a to z
 *   chunks               0         1               n - 1
 *   commutative: work-item l takes chunks l, l + G, l + 2G, ... (coalesced)
 *   in order:    work-item l takes chunks l k to l k + k - 1, k = ceil(n / G)
 *
 * Local memory: an item for each work-item, element i at i + i / 32, which keeps the tree
 * free of bank conflicts, and one for the strategy. Barriers a tile: 1 + ceil(log8 G),
 * more for long items, all in uniform control flow.
 *
 * No item is private across a barrier, nor passed to or from a function that has one, and
 * no barrier is under a condition: with either of these, and items of several scalars,
 * trees of PoCL 3.1 did not end.
 */

#define CLFOLD_PADDED(i) ((i) + (i) / 32)

typedef local clfold_item *clfold_memory;
#define CLFOLD_TILE_MEMORY(memory)                                                       \
    local clfold_item memory[CLFOLD_PADDED(CLFOLD_GROUP_SIZE - 1) + 2]

/* Where the strategy may keep an item; only work-item 0 does. */
#define CLFOLD_KEPT (CLFOLD_PADDED(CLFOLD_GROUP_SIZE - 1) + 1)

/* Chunks that a work-item has under way at once. */
#define CLFOLD_LOADS 4

/* Loaded as one, taken apart in registers: a union, since a vstore to private memory
 * becomes a call under OpenCL C 2.0 on some compilers (clang 19 for AMD). */
typedef union {
    CLFOLD_CHUNK_VECTOR vector;
    CLFOLD_IN scalars[CLFOLD_CHUNK_SCALARS];
} clfold_chunk;

static clfold_chunk clfold_load_chunk(global const CLFOLD_IN *in, ulong base)
{
    clfold_chunk chunk;

    chunk.vector = *(global const CLFOLD_CHUNK_VECTOR *)(in + base * CLFOLD_SCALARS);
    return chunk;
}

/* The chunk's first element is at position j. */
static clfold_stage clfold_fold_chunk(const clfold_chunk *chunk, uint j CLFOLD_WITH)
{
    clfold_stage total, r;

#pragma unroll
    for (uint i = 0; i < CLFOLD_CHUNK; ++i, ++j) {
        const CLFOLD_IN *s = chunk->scalars + i * CLFOLD_SCALARS;
        r.$name = convert_$stage($load);
        total = i == 0 ? r : clfold_combine_stage(total, r CLFOLD_PASS);
    }
    return total;
}

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

/*
 * The tree over the items of work-items 0 to live - 1, in order:
 *
 *   i     0   1   2   3   4   5   6          live = 7
 *         01      23      45      6          item i and the one 1 after it
 *         0123            456                2 after it
 *         0123456                            4 after it
 *
 * Three levels are one step of a work-item, between two barriers: it takes CLFOLD_RADIX
 * items, which lie s apart, in registers; of long ones it takes fewer. The result is left
 * in memory[0], for work-item 0 alone: others may be in the next tile already. With the
 * guards any group size and any `live` work; nothing relies on lanes in lock step.
 */
#define CLFOLD_RADIX                                                                     \
    (sizeof(clfold_item) <= 8 ? 8u : sizeof(clfold_item) <= 16 ? 4u : 2u)

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
                x[k] = memory[CLFOLD_PADDED(min(i + k * s, live - 1))];
#pragma unroll
            for (uint d = 1; d < CLFOLD_RADIX; d *= 2) {
#pragma unroll
                for (uint k = 0; k < CLFOLD_RADIX; k += 2 * d) {
                    if (i + (k + d) * s < live)
                        x[k] = clfold_combine(x[k], x[k + d] CLFOLD_PASS);
                }
            }
            memory[CLFOLD_PADDED(i)] = x[0];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* The fold of elements begin to begin + count - 1, for 1 <= count <= CLFOLD_TILE. `index`
 * is what `begin` counts from in_offset. All work-items must call it; work-item 0 finds
 * the result in memory[0]. */
static void clfold_tile_fold(global const CLFOLD_IN *in, ulong begin, ulong index,
                             uint count, uint ahead, clfold_memory memory CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);
    const bool aligned = (ulong)in % CLFOLD_CHUNK_ALIGN == 0;
    const ulong end = begin + count;
    const ulong first = begin / CLFOLD_CHUNK;
    const uint chunks = (uint)((end + CLFOLD_CHUNK - 1) / CLFOLD_CHUNK - first);
#if CLFOLD_COMMUTATIVE
    const uint step = CLFOLD_GROUP_SIZE;
    const uint live = min((uint)CLFOLD_GROUP_SIZE, chunks);
    const uint stop = chunks;
    const uint start = l;
#else
    const uint step = 1;
    const uint each = (chunks + CLFOLD_GROUP_SIZE - 1) / CLFOLD_GROUP_SIZE;
    const uint live = (chunks + each - 1) / each;
    const uint stop = min(l * each + each, chunks);
    const uint start = l * each;
#endif

    if (l < live) {
        /* Chunks below `whole` end inside the tile, and only the first begins before. */
        const uint whole = min(stop, (uint)(end / CLFOLD_CHUNK - first));
        const uint skipped = (uint)(begin - first * CLFOLD_CHUNK);
        global const CLFOLD_CHUNK_VECTOR *chunk_of =
            (global const CLFOLD_CHUNK_VECTOR *)(in +
                                                 first * CLFOLD_CHUNK * CLFOLD_SCALARS);
        clfold_stage total;
        uint j = start;
        if (j == 0 && skipped > 0) {
            total = clfold_fold_part(in, first * CLFOLD_CHUNK, begin, end CLFOLD_PASS);
            j += step;
        }
        for (; aligned && j + (CLFOLD_LOADS - 1) * step < whole;
             j += CLFOLD_LOADS * step) {
            clfold_chunk row[CLFOLD_LOADS];
#pragma unroll
            for (uint k = 0; k < CLFOLD_LOADS; ++k)
                row[k].vector = chunk_of[j + k * step];
#pragma unroll
            for (uint k = 0; k < CLFOLD_LOADS; ++k) {
                const clfold_stage x = clfold_fold_chunk(
                    &row[k], (j + k * step) * CLFOLD_CHUNK - skipped CLFOLD_PASS);
                total =
                    k == 0 && j == start ? x : clfold_combine_stage(total, x CLFOLD_PASS);
            }
        }
        for (; aligned && j < whole; j += step) {
            const clfold_chunk chunk = clfold_load_chunk(in, (first + j) * CLFOLD_CHUNK);
            const clfold_stage x =
                clfold_fold_chunk(&chunk, j * CLFOLD_CHUNK - skipped CLFOLD_PASS);
            total = j == start ? x : clfold_combine_stage(total, x CLFOLD_PASS);
        }
        for (; j < stop; j += step) {
            const clfold_stage x =
                clfold_fold_part(in, (first + j) * CLFOLD_CHUNK, begin, end CLFOLD_PASS);
            total = j == start ? x : clfold_combine_stage(total, x CLFOLD_PASS);
        }
        memory[CLFOLD_PADDED(l)] = clfold_empty(total, index);
    }
    clfold_group_join(live, memory CLFOLD_PASS);
}

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
        memory[CLFOLD_PADDED(l)] = mine;
    }
    clfold_group_join(live, memory CLFOLD_PASS);
}
