/* The parts of ranks give what one call on one device gives: all forms of folds, however
 * the array is cut. */
#include "part_subjects.h"
#include "ranks.h"

/* ---- All subjects ------------------------------------------------------------------ */

enum { AT_RANDOM, IN_THE_MIDDLE, SHORT_FIRST, SHORT_LAST, NONE, NUM_WAYS };

/* Rank k's part is from cuts[k] to cuts[k + 1]; short ones are often empty. */
static void make_cuts(int way, size_t cuts[MAX_RANKS + 1])
{
    const size_t count = way == NONE ? 0 : PART_COUNT;

    memset(cuts, 0, (MAX_RANKS + 1) * sizeof(cuts[0]));
    for (int k = 1; k < num_ranks; ++k) {
        const size_t some = part_random(12), any = part_random(PART_COUNT);
        size_t cut = way == AT_RANDOM       ? any
                     : way == IN_THE_MIDDLE ? (k <= num_ranks / 2 ? 0 : count)
                     : way == SHORT_FIRST   ? some
                     : way == SHORT_LAST    ? count - some
                                            : 0;
        int at = k;
        for (; at > 1 && cuts[at - 1] > cut; --at) {
            cuts[at] = cuts[at - 1];
        }
        cuts[at] = cut;
    }
    cuts[num_ranks] = count;
}

static unsigned char whole[PART_COUNT * PART_BYTES];
static unsigned char expected[(PART_COUNT + 2) * PART_BYTES], got[sizeof(expected)];

/* Whether a buffer has become `expected`. */
static void check_buffer(const struct part_subject *subject, cl_mem mem, size_t size,
                         const char *what)
{
    read_bytes(mem, size, got);
    const size_t at = part_difference(subject, expected, got, size);
    assert_all(at == size, "%s, %s: byte %zu of %zu is %u, not %u", subject->name, what,
               at, size, at < size ? got[at] : 0, at < size ? expected[at] : 0);
}

/* What all elements up to `end` give, from one call: in total_out, at 1. */
static cl_mem make_total(struct part_call *all, clfold_operation operation, size_t end)
{
    const clfold_part part = { .whole = PART_COUNT };
    cl_mem mem = coloured_buffer(3 * all->layout.out_size);
    cl_mem out = coloured_buffer(PART_COUNT * all->layout.out_size);
    clfold_fold fold = all->fold;

    fold.part = &part;
    fold.total_out = (clfold_place){ mem, 1 };
    const clfold_status status =
        end > 0 ? call_operation(operation, &fold, all->in, 0, out, 0, end) : CLFOLD_OK;
    assert_all(status == CLFOLD_OK, "total: %s", clfold_last_error());
    clReleaseMemObject(out);
    return mem;
}

/* One cut of one call; scans of IN_THE_MIDDLE are in place. Beside the results nothing
 * is written. */
static void check_cut(const struct part_subject *subject, int kind, int way,
                      struct part_call *all, clfold_status whole_status)
{
    const clfold_operation operation = operation_of(kind);
    const bool is_scan = operation != CLFOLD_REDUCE;
    const size_t size = all->layout.out_size;
    size_t cuts[MAX_RANKS + 1];
    struct part_call mine;
    char what[100];

    make_cuts(way, cuts);
    const size_t first = cuts[rank], count = cuts[rank + 1] - first;
    const int root = way % num_ranks;
    const bool has_result = is_scan || kind == ALLREDUCE || rank == root;
    part_call_open(&mine, subject, first, first + count);
    part_call_move(&mine, first, count);
    const bool in_place = is_scan && way == IN_THE_MIDDLE && size == all->layout.in_size;
    const size_t spare = in_place ? 0 : 1;
    const size_t bytes = (PART_COUNT + 2 * spare) * size;
    const size_t at = is_scan ? first + spare : (size_t)rank;
    cl_mem out = in_place ? mine.in : has_result ? coloured_buffer(bytes) : NULL;
    cl_mem total = is_scan ? coloured_buffer(3 * size) : NULL;
    mine.fold.total_out = (clfold_place){ total, is_scan };
    struct rank_call call = rank_call(kind, &mine.fold, mine.in, out, count);
    call.root = root;
    call.in_offset = first;
    call.out_offset = at;
    if (out) {
        read_bytes(out, bytes, expected);
    }
    const clfold_status status = make_rank_call(&call);
    snprintf(what, sizeof(what), "call %d, cut %d, from %zu to %zu", kind, way, first,
             first + count);
    assert_all(status == whole_status, "%s, %s: %s", subject->name, what,
               clfold_last_error());
    if (has_result && status == CLFOLD_OK) {
        memcpy(expected + at * size, whole + (is_scan ? first * size : 0),
               is_scan ? count * size : size);
    }
    check_buffer(subject, out ? out : mine.in, out ? bytes : 0, what);
    if (is_scan) {
        cl_mem right = make_total(all, operation, cuts[rank + 1]);
        read_bytes(right, 3 * size, expected);
        clReleaseMemObject(right);
        check_buffer(subject, total, 3 * size, "total_out");
        clReleaseMemObject(total);
    }
    if (out && !in_place) {
        clReleaseMemObject(out);
    }
    part_call_close(&mine);
}

static void check_subject(const struct part_subject *subject, int kind)
{
    const clfold_operation operation = operation_of(kind);
    struct part_call all;
    cl_mem out;

    part_data_fill(subject);
    part_call_open(&all, subject, 0, PART_COUNT);
    const size_t size =
        (operation == CLFOLD_REDUCE ? 1 : PART_COUNT) * all.layout.out_size;
    for (int way = 0; way < NUM_WAYS; ++way) {
        if (way == 0 || way == NONE) {
            out = coloured_buffer(size);
            const clfold_status status = call_operation(
                operation, &all.fold, all.in, 0, out, 0, way == NONE ? 0 : PART_COUNT);
            read_bytes(out, size, whole);
            clReleaseMemObject(out);
            assert_all(way == NONE || status == CLFOLD_OK, "%s", clfold_last_error());
            check_cut(subject, kind, way, &all, status);
        } else {
            check_cut(subject, kind, way, &all, CLFOLD_OK);
        }
    }
    part_call_close(&all);
}

/* Three ranks take all subjects, others some. */
void test_subjects(void)
{
    for (size_t s = 0; s < num_part_subjects; ++s) {
        const struct part_subject *subject = &part_subjects[s];
        const bool is_turn = num_ranks == 3 || (s + (size_t)num_ranks) % 4 == 0;
        for (int kind = 0; kind < NUM_KINDS; ++kind) {
            if (is_turn && !(subject->is & BY_OFFSETS) &&
                part_subject_has(subject, operation_of(kind))) {
                check_subject(subject, kind);
            }
        }
    }
}

/* ---- Segments over many ranks ------------------------------------------------------ */

/* Parts of at most 2 elements, so that segments span several, keys meet across empty
 * ones, and heads are often a part's first element. */
void test_heads(void)
{
    enum { MOST = 2, ROUNDS = 60 };

    for (int round = 0; round < ROUNDS; ++round) {
        const bool by_keys = round % 2, exclusive = round / 2 % 2;
        cl_uint x[MAX_RANKS][MOST], right[MAX_RANKS][MOST], told[MOST], sum = 0;
        unsigned char heads[MAX_RANKS][MOST], key = 1;
        size_t counts[MAX_RANKS];
        for (int r = 0; r < num_ranks; ++r) {
            counts[r] = part_random(MOST + 1);
            for (size_t i = 0; i < MOST; ++i) {
                const bool is_head = part_random(4) == 0;
                x[r][i] = part_random(1000);
                heads[r][i] = by_keys ? key ^ is_head : is_head;
                if (i < counts[r]) {
                    key ^= is_head;
                    sum = is_head ? 0 : sum;
                    right[r][i] = exclusive ? sum : sum + x[r][i];
                    sum += x[r][i];
                }
            }
        }
        const clfold_segments segments = { .by =
                                               by_keys ? CLFOLD_BY_KEYS : CLFOLD_BY_FLAGS,
                                           .type = CLFOLD_U8,
                                           .mem = copied_buffer(heads[rank], MOST) };
        const clfold_fold fold = { .op = CLFOLD_ADD,
                                   .type = CLFOLD_U32,
                                   .segments = &segments };
        cl_mem in = copied_buffer(x[rank], sizeof(x[rank]));
        cl_mem out = coloured_buffer(sizeof(told));
        const struct rank_call call =
            rank_call(exclusive ? EXCLUSIVE : INCLUSIVE, &fold, in, out, counts[rank]);
        const clfold_status status = make_rank_call(&call);
        read_bytes(out, sizeof(told), told);
        assert_all(status == CLFOLD_OK, "%s", clfold_last_error());
        assert_all(memcmp(told, right[rank], counts[rank] * sizeof(told[0])) == 0,
                   "round %d: %u, %u", round, told[0], told[1]);
        clReleaseMemObject(in);
        clReleaseMemObject(out);
        clReleaseMemObject(segments.mem);
    }
}

/* ---- A long part ------------------------------------------------------------------- */

/* Millions of elements on one rank, and few on the others. */
void test_long_part(void)
{
    const size_t most = 3000000;
    const bool is_long = rank == num_ranks / 2;
    const size_t count = is_long ? most : 5;
    const size_t first = 5 * (size_t)rank + (rank > num_ranks / 2 ? most - 5 : 0);
    const clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_U64, .in = CLFOLD_U8 };
    cl_mem in = coloured_buffer(count), out = coloured_buffer(count * 8);
    cl_ulong *told = calloc(count, sizeof(*told));
    const struct rank_call call = rank_call(INCLUSIVE, &fold, in, out, count);
    const clfold_status status = make_rank_call(&call);
    size_t wrong = 0;

    assert_all(told && status == CLFOLD_OK, "%s", clfold_last_error());
    read_bytes(out, count * sizeof(*told), told);
    for (size_t i = 0; i < count; ++i) {
        wrong += told[i] != COLOUR * (cl_ulong)(first + i + 1);
    }
    assert_all(wrong == 0, "%zu of %zu are wrong", wrong, count);
    free(told);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}
