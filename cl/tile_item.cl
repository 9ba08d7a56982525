/*
 * A tile is one work-item's, scalar by scalar: for CPU devices, where a type has no
 * vectors or the operator's text is not the same in them. Always keeps order.
 *
 * Neighbouring runs are folded in step, so that one waits while the others go on: a lone
 * chain of float adds takes four cycles an element.
 *
 *   elements   a b c d e | f g h i j | k l m n o | p q r s t | u v      count = 22
 *   in step    a           f           k           p                    runs of 5
 *              ab          fg          kl          pq
 *              ...
 *   joined     abcde op fghij op klmno op pqrst, then op u op v
 *
 * needs: contract.cl, element.cl
 */
#if CLFOLD_WRITES_PREV || CLFOLD_KEEPS_PREV
#define CLFOLD_RUNS 1 /* what is before a run is known when it is folded */
#else
#define CLFOLD_RUNS 4
#endif

typedef private clfold_item *clfold_memory;
#define CLFOLD_TILE_MEMORY(memory) private clfold_item memory[2]
#define CLFOLD_KEPT 1

/* Folds the runs of a tile of `count` elements, at least CLFOLD_RUNS. Arrays get
 * structs by parts, also in scans: of whole ones rusticl (Mesa 25.0) keeps the last. */
static void clfold_fold_runs(global const CLFOLD_IN *in, ulong begin, uint run,
                             clfold_stage folds[CLFOLD_RUNS] CLFOLD_WITH)
{
#pragma unroll
    for (uint k = 0; k < CLFOLD_RUNS; ++k) {
        const clfold_stage x = clfold_load(in, begin, k * run CLFOLD_PASS);
        folds[k].$name = x.$name;
    }
    for (uint i = 1; i < run; ++i) {
#pragma unroll
        for (uint k = 0; k < CLFOLD_RUNS; ++k) {
            const clfold_stage x = clfold_combine_stage(
                folds[k], clfold_load(in, begin, k * run + i CLFOLD_PASS) CLFOLD_PASS);
            folds[k].$name = x.$name;
        }
    }
}

/* The fold of elements begin to begin + count - 1, for 1 <= count <= CLFOLD_TILE. `index`
 * is what `begin` counts from in_offset. The result is left in memory[0]; fronts[k] is
 * the fold of the runs before run k, from 1 on, if there are runs. */
static void clfold_fold_fronts(global const CLFOLD_IN *in, ulong begin, ulong index,
                               uint count, clfold_stage fronts[CLFOLD_RUNS],
                               clfold_memory memory CLFOLD_WITH)
{
    const uint run = count / CLFOLD_RUNS;
    clfold_stage folds[CLFOLD_RUNS], total;
    uint j = run * CLFOLD_RUNS;

    if (run > 0) {
        clfold_fold_runs(in, begin, run, folds CLFOLD_PASS);
        total = folds[0];
        for (uint k = 1; k < CLFOLD_RUNS; ++k) {
            fronts[k].$name = total.$name;
            total = clfold_combine_stage(total, folds[k] CLFOLD_PASS);
        }
    } else
        total = clfold_load(in, begin, j++ CLFOLD_PASS);
    for (; j < count; ++j)
        total = clfold_combine_stage(total,
                                     clfold_load(in, begin, j CLFOLD_PASS) CLFOLD_PASS);
    memory[0] = clfold_empty(total, index CLFOLD_PASS);
}

static void clfold_tile_fold(global const CLFOLD_IN *in, ulong begin, ulong index,
                             uint count, uint ahead, clfold_memory memory CLFOLD_WITH)
{
    clfold_stage fronts[CLFOLD_RUNS];

    clfold_fold_fronts(in, begin, index, count, fronts, memory CLFOLD_PASS);
}

#if !CLFOLD_SCAN

/* The fold of the first `num` items. */
static void clfold_tile_fold_items(global const clfold_item *items, uint num,
                                   clfold_memory memory CLFOLD_WITH)
{
    for (uint i = 0; i < num; ++i)
        memory[0] =
            i == 0 ? items[0] : clfold_combine(memory[0], items[i] CLFOLD_PASS);
}

#endif
