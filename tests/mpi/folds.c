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

    cuts[0] = 0;
    for (int k = 1; k < num_ranks; ++k) {
        const size_t few = part_random(12), any = part_random(PART_COUNT);
        const size_t cut = way == AT_RANDOM       ? any
                           : way == IN_THE_MIDDLE ? (k <= num_ranks / 2 ? 0 : count)
                           : way == SHORT_FIRST   ? few
                           : way == SHORT_LAST    ? count - few
                                                  : 0;
        int at = k;
        for (; cuts[at - 1] > cut; --at) {
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
    assert_all(at == size, "%s, %s: byte %zu of %zu differs", subject->name, what, at,
               size);
}

/* One cut of one call; scans of IN_THE_MIDDLE are in place. Beside the results nothing
 * is written. `status` is that of the call on one device. */
static void check_cut(const struct part_subject *subject, int kind, int way,
                      const struct part_call *all, clfold_operation operation,
                      clfold_status status)
{
    const bool is_scan = operation != CLFOLD_REDUCE;
    const size_t size = all->layout.out_size;
    const int root = way % num_ranks;
    size_t cuts[MAX_RANKS + 1];
    struct part_call mine;
    char what[100];

    make_cuts(way, cuts);
    const size_t first = cuts[rank], end = cuts[rank + 1], count = end - first;
    const size_t num = is_scan ? count : kind == ALLREDUCE || rank == root;
    snprintf(what, sizeof(what), "call %d, cut %d, from %zu on %zu", kind, way, first,
             count);
    part_call_open(&mine, subject, first, first + count);
    part_call_move(&mine, first, count);
    const bool in_place = is_scan && way == IN_THE_MIDDLE && size == all->layout.in_size;
    const size_t zone = in_place ? 0 : 1, bytes = (PART_COUNT + 2 * zone) * size;
    cl_mem out = in_place ? mine.in : coloured_buffer(bytes);
    cl_mem total = coloured_buffer(3 * size);
    mine.fold.total_out = (clfold_place){ is_scan ? total : NULL, is_scan };
    struct rank_call call = rank_call(kind, &mine.fold, mine.in, out, count);
    call.root = root;
    call.in_offset = first;
    call.out_offset = is_scan ? first + zone : (size_t)rank;
    read_bytes(out, bytes, expected);
    if (status == CLFOLD_OK) {
        memcpy(expected + call.out_offset * size, whole + (is_scan ? first * size : 0),
               num * size);
    }
    call.out = num > 0 || is_scan ? out : NULL;
    const clfold_status made = make_rank_call(&call);
    assert_all(made == status, "%s, %s: %s", subject->name, what, clfold_last_error());
    check_buffer(subject, out, bytes, what);
    if (kind == INCLUSIVE && !subject->fold.result) {
        memset(expected, COLOUR, 3 * size);
        memcpy(expected + size, whole + (end > 0 ? end - 1 : 0) * size,
               end > 0 ? size : 0);
        check_buffer(subject, total, 3 * size, "total_out");
    }
    clReleaseMemObject(total);
    if (!in_place) {
        clReleaseMemObject(out);
    }
    part_call_close(&mine);
}

static void check_subject(const struct part_subject *subject, int kind)
{
    const clfold_operation operation = kind == INCLUSIVE   ? CLFOLD_INCLUSIVE_SCAN
                                       : kind == EXCLUSIVE ? CLFOLD_EXCLUSIVE_SCAN
                                                           : CLFOLD_REDUCE;
    struct part_call all;

    if (!part_subject_has(subject, operation) || (subject->is & BY_OFFSETS)) {
        return;
    }
    part_data_fill(subject);
    part_call_open(&all, subject, 0, PART_COUNT);
    cl_mem out = coloured_buffer(sizeof(whole));
    clfold_status status = CLFOLD_OK;
    for (int way = 0; way < NUM_WAYS; ++way) {
        if (way == 0 || way == NONE) {
            status = call_operation(operation, &all.fold, all.in, 0, out, 0,
                                    way == NONE ? 0 : PART_COUNT);
            read_bytes(out, sizeof(whole), whole);
            assert_all(!status || way == NONE, "%s", clfold_last_error());
        }
        check_cut(subject, kind, way, &all, operation, status);
    }
    clReleaseMemObject(out);
    part_call_close(&all);
}

/* Each number of ranks takes a quarter of them, and three ranks take all where the
 * compiler is quick. */
void test_subjects(void)
{
    const bool is_all = num_ranks == 3 && (device.is_intel || test_level() == LEVEL_FULL);

    for (size_t s = 0; s < num_part_subjects; ++s) {
        for (int kind = 0; kind < NUM_KINDS; ++kind) {
            if (is_all || (s + (size_t)num_ranks) % 4 == 0) {
                check_subject(&part_subjects[s], kind);
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
        const clfold_fold fold = { SUM, .segments = &segments };
        cl_mem in = copied_buffer(x[rank], sizeof(x[rank]));
        const struct rank_call call =
            rank_call(exclusive ? EXCLUSIVE : INCLUSIVE, &fold, in, spare, counts[rank]);
        assert_call(&call);
        read_bytes(spare, sizeof(told), told);
        assert_all(memcmp(told, right[rank], counts[rank] * sizeof(told[0])) == 0,
                   "round %d: %u, %u", round, told[0], told[1]);
        clReleaseMemObject(in);
        clReleaseMemObject(segments.mem);
    }
}
