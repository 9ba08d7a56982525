/* Counts of kernels against closed forms and published profiles, and of strided accesses
 * against enumeration. */
#include "nests.h"

/* What is counted: accesses, or what COUNT_ cells are of. */
enum what { LOADS, STORES, LOCAL_LOADS, LOCAL_STORES, LOCAL, ALL };

/* The first launch of a nest, whose groups do all the same. */
struct counted {
    struct nest *nest;
    struct nest_counts counts;
    const struct nest_launch *launch;
};

/* By its name, of a text that the command carries, or the text. */
static struct counted count_text(const char *text, int bytes, int banks,
                                 const struct nest_setting *settings, int num)
{
    struct counted out = { .nest = strchr(text, ' ') ? read_text(text)
                                   : bytes == 8      ? read_as_doubles(text)
                                                     : read_named(text) };

    out.counts = count_with(out.nest, 32, banks, settings, num);
    out.launch = &out.counts.launches[0];
    return out;
}

static void finish(struct counted *counted)
{
    nest_counts_finish(&counted->counts);
    free(counted->nest);
}

/* Of one group. */
static uint64_t cell_of(const struct counted *counted, enum what what, int cell)
{
    const struct nest_launch *const launch = counted->launch;
    uint64_t sum = 0;

    if (what == ALL) {
        sum = launch->all[cell];
    } else {
        for (int is_store = 0; is_store < 2; is_store++) {
            const bool is_local = what >= LOCAL_LOADS;
            if (what == LOCAL || (what == STORES || what == LOCAL_STORES) == is_store) {
                sum += nest_accesses(counted->nest, launch, is_local, is_store,
                                     (enum access_cell)cell);
            }
        }
    }
    assert_int_equal(sum % launch->num_groups, 0);
    return sum / launch->num_groups;
}

/* W sub-groups; A pairs of a step and a sub-group with work in it. */
static void rungs_have_their_closed_forms(void **state)
{
    (void)state;
    for (uint64_t group = 64; group <= 1024; group *= 2) {
        const struct nest_setting settings[] = { { "n", 1 << 20 },
                                                 { "B", (int64_t)group } };
        const uint64_t w = group / 32, log = (uint64_t)__builtin_ctzll(group);
        for (int i = 0; i <= 5; i++) {
            const char name[] = { 'r', 'e', 'd', 'u', 'c', 'e', (char)('0' + i), 0 };
            const bool is_late = i >= 3; /* which read twice */
            const uint64_t a = i == 0 ? 6 * w - 1 : w + 4;
            const struct {
                enum what what;
                int cell;
                uint64_t value;
            } rows[] = {
                { LOADS, ACCESS_REQUESTS, is_late ? 2 * w : w },
                { ALL, COUNT_OP_ITEMS + OP_SIMPLE, is_late ? 2 * group - 1 : group - 1 },
                { ALL, COUNT_OPS + OP_SIMPLE, a },
                { ALL, COUNT_DIVERGENT, i == 0 ? 6 * w : 6 },
                { ALL, COUNT_BARRIER_ITEMS, group * (1 + log) },
                { LOCAL_STORES, ACCESS_REQUESTS, w + a },
                { LOCAL_LOADS, ACCESS_REQUESTS, 2 * a + 1 },
                { LOCAL, ACCESS_EXTRA, i == 1 ? 15 * (w - 1) : 0 },
                { LOADS, ACCESS_SECTORS, 4 * w },
                { STORES, ACCESS_REQUESTS, 1 },
            };
            struct counted rung = count_text(name, 4, 32, settings, 2);
            assert_int_equal(rung.launch->num_groups, (1 << (20 - is_late)) / group);
            for (size_t k = 0; k < (is_late ? 2 : sizeof(rows) / sizeof(rows[0])); k++) {
                assert_int_equal(cell_of(&rung, rows[k].what, rows[k].cell),
                                 rows[k].value);
            }
            finish(&rung);
        }
    }
}

/* Published profiles: of the GTX 460, 18,764 sub-groups of a unit, which are 4,691
 * groups, with divergent branches of rung 0, where the compiler predicated nothing; of
 * the GTX 295 and Fermi, 32,768 groups. As doubles rung 1 has 232 conflicts there, which
 * are not reproduced. Then closed forms, and the table in cl/group_scan.cl, where the
 * last item becomes the identity between the two sweeps. */
static void profiles_are_reproduced(void **state)
{
    static const char misaligned[] = "kernel k launch groups = 10 size = 32 "
                                     "array a f32[320] global offset 4 load a[32*g + t]";
    /* 16 bytes are four words, and a single bank serves one after the other */
    static const char in_a_bank[] = "kernel k launch groups = 1 size = 32 "
                                    "array x f32[128] local load x[4*t] wide 4";
    static const struct {
        const char *text;
        struct nest_setting settings[2];
        int bytes, banks;
        enum what what;
        int cell;
        uint64_t value;
    } rows[] = {
#define RUNG(rung, n, group, bytes)                                                      \
    "reduce" #rung, { { "n", n }, { "B", group } }, bytes, 32
        { RUNG(1, 1 << 22, 128, 4), LOCAL, ACCESS_EXTRA, 211095 / 4691 },
        { RUNG(0, 1 << 22, 128, 4), ALL, COUNT_DIVERGENT, 112344 / 4681 },
        { RUNG(0, 1 << 23, 256, 8), LOCAL_STORES, ACCESS_REQUESTS, 1802240 / 32768 },
        { RUNG(0, 1 << 23, 256, 8), LOCAL_LOADS, ACCESS_REQUESTS, 3112960 / 32768 },
        { RUNG(0, 1 << 23, 256, 8), ALL, COUNT_DIVERGENT, 52464 / 1093 },
        { RUNG(0, 1 << 23, 256, 8), LOADS, ACCESS_LINES, 52432 / 3277 },
        { RUNG(0, 1 << 23, 256, 8), LOADS, ACCESS_REQUESTS, 8744 / 1093 },
        { RUNG(1, 1 << 23, 256, 4), LOCAL_STORES, ACCESS_REQUESTS, 655360 / 32768 },
        { RUNG(1, 1 << 23, 256, 4), LOCAL_LOADS, ACCESS_REQUESTS, 819200 / 32768 },
        { RUNG(1, 1 << 23, 256, 4), ALL, COUNT_DIVERGENT, 6558 / 1093 },
        { RUNG(1, 1 << 23, 256, 8), LOCAL, ACCESS_EXTRA, 180 },
        /* 64 turns of the loop, the first of which stands before it, by 1,024 groups */
        { RUNG(6, 1 << 25, 256, 4), LOADS, ACCESS_REQUESTS, 64 * 2 * 8 },
        { misaligned, { { 0 } }, 4, 32, LOADS, ACCESS_LINES, 2 },
        { misaligned, { { 0 } }, 4, 32, LOADS, ACCESS_SECTORS, 5 },
        { in_a_bank, { { 0 } }, 4, 1, LOCAL_LOADS, ACCESS_PASSES, 32 * 4 },
        { "hillis_steele", { { "B", 256 } }, 4, 32, LOCAL_STORES, ACCESS_REQUESTS, 64 },
        { "hillis_steele", { { "B", 256 } }, 4, 32, LOCAL, ACCESS_REQUESTS, 185 },
        { "hillis_steele", { { "B", 256 } }, 4, 32, LOCAL, ACCESS_EXTRA, 0 },
        { "hillis_steele", { { "B", 256 } }, 4, 32, ALL, COUNT_BARRIER_ITEMS, 8 * 256 },
#define BLELLOCH(group, padding) "blelloch", { { "B", group }, { "P", padding } }, 4, 32
        { BLELLOCH(256, 0), LOCAL, ACCESS_EXTRA, 35 * 15 },
        { BLELLOCH(512, 0), LOCAL, ACCESS_EXTRA, 35 * 31 },
        { BLELLOCH(512, 0), LOCAL, ACCESS_REQUESTS, 252 + 1 },
        { BLELLOCH(512, 0), ALL, COUNT_BARRIER_ITEMS, 512 * 2 * 10 },
        { BLELLOCH(512, 1), LOCAL, ACCESS_EXTRA, 0 },
        { "group_raking", { { 0 } }, 4, 32, ALL, COUNT_OP_ITEMS + OP_SIMPLE, 730 },
        { "group_raking", { { 0 } }, 4, 32, ALL, COUNT_BARRIER_ITEMS, 3 * 256 },
        { "group_raking", { { 0 } }, 4, 32, LOCAL, ACCESS_EXTRA, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct nest_setting *const settings = rows[i].settings;
        const int num = (settings[0].name != NULL) + (settings[1].name != NULL);
        struct counted one =
            count_text(rows[i].text, rows[i].bytes, rows[i].banks, settings, num);
        const uint64_t got = cell_of(&one, rows[i].what, rows[i].cell);
        if (got != rows[i].value) {
            fail_msg("row %zu, %s: %llu", i, rows[i].text, (unsigned long long)got);
        }
        finish(&one);
    }
}

/* Formula (4) of the thesis next to what is touched by one sub-group's loads of 4 bytes;
 * random.c counts lines of strides without a formula. */
static void strides_are_as_enumerated(void **state)
{
    struct device device;
    int wrong = 0;

    (void)state;
    read_device(&device, "8800gtx");
    for (int stride = 1; stride <= 64; stride++) {
        char text[256];
        snprintf(text, sizeof(text),
                 "kernel k launch groups = 1 size = 32 array a f32[2^20] global "
                 "load a[%d*t]",
                 stride);
        struct nest *const nest = read_text(text);
        struct nest_counts counts = count_with(nest, 32, 32, NULL, 0);
        const struct nest_launch *const launch = &counts.launches[0];
        const double lines = (double)launch->accesses[0][ACCESS_LINES];
        const double formula = thesis_count(nest, launch, &device, true).transactions[0];
        assert_true(formula <= lines && lines / formula <= 1.94);
        assert_true(formula == lines || stride < 32);
        wrong += formula != lines;
        nest_counts_finish(&counts);
        free(nest);
    }
    assert_int_equal(wrong, 21);
}

/* Each work-item reads a row of 32, so each line is asked for 32 times: a cache that
 * holds a line for each work-item of a group fetches it once, a smaller one each time. */
static void cache_keeps_what_was_used_last(void **state)
{
    struct nest *const nest =
        read_text("kernel k launch groups = 9 size = 128 array a f32[9*128*32] global "
                  "for k = 0 .. 31 { load a[32*(128*g + t) + k] }");

    (void)state;
    for (int kib = 16; kib <= 48; kib += 16) {
        const struct nest_lanes lanes = { 32, 32, kib * 1024 };
        struct nest_counts counts;
        struct nest_error error = { 0 };
        assert_true(nest_count(&counts, nest, &lanes, NULL, 0, &error));
        assert_int_equal(counts.launches[0].looked_up, 128 * 32);
        assert_int_equal(counts.launches[0].missed, 128);
        assert_int_equal(counts.launches[0].accesses[0][ACCESS_LINES], 9 * 128 * 32);
        nest_counts_finish(&counts);
    }
    const struct nest_lanes small = { 32, 32, 31 * NEST_LINE };
    struct nest_counts counts;
    struct nest_error error = { 0 };
    assert_true(nest_count(&counts, nest, &small, NULL, 0, &error));
    assert_int_equal(counts.launches[0].missed, 128 * 32);
    nest_counts_finish(&counts);
    free(nest);
}

TEST_MAIN("predict count", NULL, NULL, cmocka_unit_test(rungs_have_their_closed_forms),
          cmocka_unit_test(profiles_are_reproduced),
          cmocka_unit_test(strides_are_as_enumerated),
          cmocka_unit_test(cache_keeps_what_was_used_last))
