/* Tuning: its effect on policies, its text form, and texts that are not valid. */
#include "test.h"

#include "base/text.h"
#include "plan/tuning.h"

#include "plans.h"

#define FIRST "clfold tuning 4\n"
#define KEY   "clfold 100; Some platform; A device, 2 on a line; 3.1 x=y"
#define OTHER "clfold 100; Some platform; Another device; 3.1"

static const struct device_facts cpu = { .cpu = true,
                                         .vendor = "any",
                                         .name = "any",
                                         .max_group_size = 4096,
                                         .local_memory = 1 << 18,
                                         .platform = "Portable Computing Language" };
static const struct device_facts gpu = { .vendor = "any",
                                         .name = "any",
                                         .max_group_size = 256,
                                         .local_memory = 1 << 15,
                                         .platform = "other" };

static const struct site site = { NULL, "test" };

static clfold_status read_for(struct tuning *tuning, const char *text,
                              const struct device_facts *device, char *why)
{
    return clfold_tuning_read(tuning, text, strlen(text), KEY, device, why);
}

/* ---- The text ---------------------------------------------------------------------- */

static bool is_equal(const struct tuned_numbers *a, const struct tuned_numbers *b)
{
    bool equal = a->set == b->set;

    for (int i = 0; i < CLFOLD_TUNED; ++i) {
        equal = equal &&
                (!clfold_numbers_have(a, (enum tuned)i) || a->values[i] == b->values[i]);
    }
    return equal;
}

/* Fold `i` of 13 x 33 of an operation: all operators, types, accuracies, cuts, and
 * classes of counts and lengths. */
static struct tuning_fold fold_number(clfold_operation o, uint32_t i)
{
    const bool is_map = o == CLFOLD_MAP;
    struct tuning_fold fold = { .operation = o,
                                .op = is_map ? 0 : CLFOLD_ADD + i % 13,
                                .in = CLFOLD_I8 + i % 11,
                                .type = CLFOLD_I8 + i % 7,
                                .count_class = i / 13 };

    if (fold.op == CLFOLD_ADD && i % 2) {
        fold.type = CLFOLD_F32 + i / 13 % 2;
        fold.accuracy = CLFOLD_COMPENSATED + (o == CLFOLD_REDUCE ? i % 4 / 2 : 0);
    }
    if (!is_map && i % 5) {
        fold.cut = CUT_ROWS + i % 3;
        fold.length_class = fold.count_class / (1 + i % 2);
    }
    return fold;
}

/* Every fold and every number comes back as it went. */
static void test_round_trip(void **state)
{
    struct text text = { 0 };
    struct tuning tuning;
    char why[CLFOLD_TUNING_WHY];
    size_t rows = 0;

    (void)state;
    for (clfold_operation o = CLFOLD_REDUCE; o <= CLFOLD_MAP; ++o) {
        for (uint32_t i = 0; clfold_operation_row(o) && i < 13 * 33; ++i) {
            const struct tuning_fold fold = fold_number(o, i);
            struct tuned_numbers numbers = { 0 };
            clfold_numbers_put(&numbers, TUNED_TILE, TILE_VECTOR + i % 2);
            clfold_numbers_put(&numbers, TUNED_TILE_BYTES, 256 + i);
            for (int n = TUNED_GROUPS; n < CLFOLD_TUNED && i % 3; ++n) {
                if (clfold_tuned_of((enum tuned)n, clfold_tuning_family(&fold))) {
                    clfold_numbers_put(&numbers, (enum tuned)n, i + 1);
                }
            }
            char row[CLFOLD_TUNING_LINE];
            clfold_tuning_print(row, KEY, &fold, &numbers);
            clfold_text_print(&text, "%s", rows == 0 ? row : row + strlen(FIRST));
            assert_false(text.failed);
            ++rows;
            if (i % 50 == 0) {
                const struct tuned_numbers *found;
                assert_int_equal(read_for(&tuning, text.bytes, &cpu, why), CLFOLD_OK);
                assert_int_equal(tuning.num, rows);
                found = clfold_tuning_find(&tuning, &fold);
                assert_non_null(found);
                assert_true(is_equal(found, &numbers));
                clfold_tuning_finish(&tuning);
            }
        }
    }
    clfold_text_finish(&text);
}

static void test_text(void **state)
{
    struct tuning_fold fold = { .operation = CLFOLD_INCLUSIVE_SCAN,
                                .op = CLFOLD_MAX,
                                .in = CLFOLD_U8,
                                .type = CLFOLD_U64,
                                .count_class = 13 };
    const struct tuning_fold map = {
        .operation = CLFOLD_MAP, .in = CLFOLD_F32, .type = CLFOLD_U8, .count_class = 1
    };
    struct tuned_numbers numbers = { 0 };
    char text[CLFOLD_TUNING_LINE];

    (void)state;
    clfold_numbers_put(&numbers, TUNED_TILE, TILE_GROUP);
    clfold_numbers_put(&numbers, TUNED_ANCHOR, 4);
    clfold_numbers_put(&numbers, TUNED_STREAM_BYTES, 0);
    const size_t length = clfold_tuning_print(text, KEY, &fold, &numbers);
    assert_int_equal(length, strlen(text));
    assert_string_equal(text,
                        FIRST "inclusive_scan max u8:u64 2^25..2^27 tile=tile_group "
                              "anchor=4 stream_bytes=0 on " KEY "\n");
    fold.op = CLFOLD_ADD;
    fold.type = CLFOLD_F64;
    fold.accuracy = CLFOLD_COMPENSATED;
    fold.cut = CUT_COLUMNS;
    fold.length_class = 0;
    clfold_tuning_print_fold(text, &fold);
    assert_string_equal(
        text, "inclusive_scan add u8:f64 compensated columns 2^0..2^1 2^25..2^27");
    clfold_tuning_print_fold(text, &map);
    assert_string_equal(text, "map f32:u8 2^1..2^3");
}

#define ROW_A "reduce add f32:f32 2^1..2^3 tile_bytes=256 on " KEY "\n"
#define ROW_B "reduce add f32:f32 2^1..2^3 groups=7 tile_bytes=300 on " OTHER "\n"
#define ROW_D "reduce add f32:f32 compensated 2^1..2^3 tile_bytes=1024 on " KEY "\n"
#define ROW_E "reduce add f32:f32 rows 2^0..2^1 2^1..2^3 tile_bytes=2048 on " KEY "\n"
#define ROW_F "map f32:f32 2^1..2^3 tile_bytes=4096 on " KEY "\n"
#define ROW_C "reduce min f32:f32 2^1..2^3 tile_bytes=512 on " KEY "\n"

static void test_find(void **state)
{
    const struct tuning_fold first = { .operation = CLFOLD_REDUCE,
                                       .op = CLFOLD_ADD,
                                       .in = CLFOLD_F32,
                                       .type = CLFOLD_F32,
                                       .count_class = 1 };
    struct tuning tuning = { 0 };
    char why[CLFOLD_TUNING_WHY];

    (void)state;
    assert_null(clfold_tuning_find(&tuning, &first));
    assert_int_equal(read_for(&tuning, FIRST ROW_B, &cpu, why), CLFOLD_OK);
    assert_int_equal(tuning.num, 0);
    assert_int_equal(
        read_for(&tuning, FIRST ROW_F ROW_C ROW_B ROW_E ROW_A ROW_D, &cpu, why),
        CLFOLD_OK);
    assert_int_equal(tuning.num, 5);
    /* The first's row by tile_bytes, 0: none; and the same where one of its members, or
     * two, have another value. */
#define FIND(bytes, ...)                                                                 \
    do {                                                                                 \
        struct tuning_fold fold = first;                                                 \
        __VA_ARGS__;                                                                     \
        const struct tuned_numbers *found = clfold_tuning_find(&tuning, &fold);          \
        assert_int_equal(found ? found->values[TUNED_TILE_BYTES] : 0, bytes);            \
    } while (0)
    FIND(256, (void)0);
    FIND(0, fold.count_class = 2);
    FIND(0, fold.operation = CLFOLD_EXCLUSIVE_SCAN);
    FIND(0, fold.in = CLFOLD_F16);
    FIND(0, fold.type = CLFOLD_F64);
    FIND(512, fold.op = CLFOLD_MIN);
    FIND(1024, fold.accuracy = CLFOLD_COMPENSATED);
    FIND(0, fold.accuracy = CLFOLD_REPRODUCIBLE);
    FIND(2048, fold.cut = CUT_ROWS);
    FIND(0, fold.cut = CUT_ROWS, fold.length_class = 1);
    FIND(0, fold.cut = CUT_SHORT_ROWS);
    FIND(4096, fold.operation = CLFOLD_MAP, fold.op = 0);
#undef FIND
    clfold_tuning_finish(&tuning);
}

static void test_classes(void **state)
{
    (void)state;
    assert_int_equal(clfold_count_class(0), 0);
    assert_int_equal(clfold_count_class(1), 0);
    for (uint32_t c = 1; c < 32; ++c) {
        assert_int_equal(clfold_count_class(UINT64_C(1) << (2 * c - 1)), c);
        assert_int_equal(clfold_count_class(UINT64_C(1) << (2 * c)), c);
        assert_int_equal(clfold_count_class((UINT64_C(1) << (2 * c + 1)) - 1), c);
    }
    assert_int_equal(clfold_count_class(UINT64_MAX), 32);
}

/* ---- Rejected texts ---------------------------------------------------------------- */

static const struct {
    const char *text, *why;
} refused[] = {
    { "", "does not begin with" },
    { "clfold tuning", "does not begin with" },
    { "clfold tuning 4", "its version is not" },
    { "clfold tuning 1\n", "its version is not" },
    { "clfold tuning 40\n", "its version is not" },
    { "clfold tuning 4\r\n", "its version is not" },
    { " clfold tuning 4\n", "does not begin with" },
    { "clfold verdict 1\n", "does not begin with" },
    { "\x7f\x45LF\n", "does not begin with" },
#define FOLD "reduce add f32:f32 2^1..2^3 "
#define ON   " on " KEY "\n"
#define row(text, why)                                                                   \
    {                                                                                    \
        FIRST text, "line 2: " why                                                       \
    }
    row("\n", "unknown operation "),
    row("# mine\n", "unknown operation #"),
    row("fold add f32:f32 2^1..2^3 groups=1" ON, "unknown operation fold"),
    row("select add f32:f32 2^1..2^3 groups=1" ON, "unknown operation select"),
    row("reduce sum f32:f32 2^1..2^3 groups=1" ON, "unknown operator sum"),
    row("reduce linear f32:f32 2^1..2^3 groups=1" ON, "unknown operator linear"),
    row("reduce add f31:f32 2^1..2^3 groups=1" ON, "unknown type: f31"),
    row("reduce add f32 2^1..2^3 groups=1" ON, "unknown type: f32"),
    row("reduce add f32:f320 2^1..2^3 groups=1" ON, "unknown type: f320"),
    row("reduce add f32:f32 2^1..2^2 groups=1" ON, "invalid range of counts: 2^1..2^2"),
    row("reduce add f32:f32 2^2..2^4 groups=1" ON, "invalid range of counts"),
    row("reduce add f32:f32 2^1..2^5 groups=1" ON, "invalid range of counts"),
    row("reduce add f32:f32 2^65..2^67 groups=1" ON, "invalid range of counts"),
    row("reduce add f32:f32 2^01..2^3 groups=1" ON, "invalid range of counts"),
    row("reduce add f32:f32 8 groups=1" ON, "invalid range of counts"),
    row("reduce max f32:f32 compensated 2^1..2^3 groups=1" ON,
        "there is no such fold that is compensated"),
    row("reduce add f32:i32 compensated 2^1..2^3 groups=1" ON,
        "there is no such fold that is compensated"),
    row("inclusive_scan add f32:f32 reproducible 2^1..2^3 groups=1" ON,
        "there is no such fold that is reproducible"),
    row("reduce add f32:f32 columns 2^3..2^5 2^1..2^3 groups=1" ON,
        "segments are longer than the count"),
    row("reduce add f32:f32 deterministic 2^1..2^3 groups=1" ON,
        "invalid range of counts: deterministic"),
    row("reduce add f32:f32 rows compensated 2^1..2^3 groups=1" ON,
        "invalid range of lengths: compensated"),
    row("reduce add f32:f32 rows 2^1..2^3 groups=1" ON,
        "invalid range of counts: groups"),
    row("reduce add f32:f32 rows 2^1..2^2 2^1..2^3 groups=1" ON,
        "invalid range of lengths: 2^1..2^2"),
    row("reduce add f32:f32 rows 2^1..2^3 2^1..2^3 stream_bytes=1" ON,
        "stream_bytes does not apply to a reduction"),
    row("map add f32:f32 2^1..2^3 groups=1" ON, "unknown type: add"),
    row("map f32:f32 rows 2^1..2^3 2^1..2^3 groups=1" ON,
        "invalid range of counts: rows"),
    row("map f32:f32 2^1..2^3 lane_bytes=1" ON, "lane_bytes does not apply to a map"),
    row(FOLD "on " KEY "\n", "no number"),
    row(FOLD "groups=1\n", "invalid value: groups=1"),
    row(FOLD "groups=1 on \n", "no device"),
    row(FOLD "groups=1 " KEY "\n", "unknown number clfold"),
    row(FOLD "group=1" ON, "unknown number group=1"),
    row(FOLD "groups 1" ON, "unknown number groups"),
    row(FOLD "groups=" ON, "invalid value: groups="),
    row(FOLD "groups=-1" ON, "invalid value: groups=-1"),
    row(FOLD "groups=1.5" ON, "invalid value: groups=1.5"),
    row(FOLD "groups=01" ON, "invalid value: groups=01"),
    row(FOLD "groups=18446744073709551616" ON, "invalid value: groups=18446744"),
    row(FOLD "groups=1 groups=1" ON, "a second groups=1"),
    row(FOLD "groups=0" ON, "groups 0 is less than 1"),
    row(FOLD "groups=1048577" ON, "groups 1048577 is more than 1048576"),
    row(FOLD "tile_bytes=0" ON, "tile_bytes 0 is less than 256"),
    row(FOLD "tile_bytes=255" ON, "tile_bytes 255 is less than 256"),
    row(FOLD "tile_bytes=67108865" ON, "tile_bytes 67108865 is more than 67108864"),
    row(FOLD "group_size=0" ON, "group_size 0 is less than 1"),
    row(FOLD "tile=tile" ON, "invalid value: tile=tile"),
    row(FOLD "tile=work-group" ON, "invalid value: tile=work-group"),
    row(FOLD "tile=tile_vector group_size=2" ON, "group_size 2 is more than 1"),
    row(FOLD "anchor=1" ON, "anchor does not apply to a reduction"),
    row(FOLD "stream_bytes=0" ON, "stream_bytes does not apply to a reduction"),
    row(FOLD "ahead_bytes=1048577" ON, "ahead_bytes 1048577 is more than 1048576"),
    row("inclusive_scan add f32:f32 2^1..2^3 lane_bytes=1" ON,
        "lane_bytes does not apply to a scan"),
    row("inclusive_scan add f32:f32 2^1..2^3 anchor=0" ON, "anchor 0 is less than 1"),
    row("inclusive_scan add f32:f32 2^1..2^3 prefetch=1" ON, "unknown number prefetch=1"),
    row(FOLD "groups=1 on " KEY, "it has no newline at its end"),
    row(FOLD "groups=1 on \tx\n", "it is not plain text"),
    row(FOLD "groups=1\x7f" ON, "it is not plain text"),
    row(FOLD "groups=1" ON FOLD "groups=2" ON, ""),
    /* the device's */
    row(FOLD "group_size=4097" ON, "group_size 4097 is more than 4096, the device's"),
    /* another device's row is checked too */
    row("reduce add f32:f32 2^1..2^3 groups=0 on " OTHER "\n", "groups 0 is less"),
};

static void test_refused(void **state)
{
    struct tuning tuning;
    char why[CLFOLD_TUNING_WHY];

    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); ++i) {
        clfold_status status = read_for(&tuning, refused[i].text, &cpu, why);
        bool twice = strstr(refused[i].text, "groups=2 on ") != NULL;
        if (status != CLFOLD_ERROR_DATA || tuning.num != 0 || tuning.rows) {
            fail_msg("taken: %s", refused[i].text);
        }
        if (!strstr(why, twice ? "two rows serve reduce add f32:f32 2^1..2^3"
                               : refused[i].why)) {
            fail_msg("\"%s\" does not say \"%s\"", why, refused[i].why);
        }
    }
}

/* NUL bytes, and lines and files as long as may be. */
static void test_boundaries(void **state)
{
    static const char row[] = FIRST FOLD "groups=1 on ";
    char text[2 * CLFOLD_TUNING_LINE], why[CLFOLD_TUNING_WHY];
    struct tuning tuning;

    (void)state;
    for (size_t more = 0; more < 3; ++more) {
        size_t line = sizeof(FIRST) - 1 + CLFOLD_TUNING_LINE - 2 + more;
        memset(text, 'x', sizeof(text));
        memcpy(text, row, sizeof(row) - 1);
        text[line] = '\n';
        assert_int_equal(clfold_tuning_read(&tuning, text, line + 1, KEY, &cpu, why),
                         more < 2 ? CLFOLD_OK : CLFOLD_ERROR_DATA);
        assert_true(more < 2 || strstr(why, "line 2: it is too long"));
    }
    for (size_t i = 0; i < sizeof(FIRST ROW_A) - 1; ++i) {
        memcpy(text, FIRST ROW_A, sizeof(FIRST ROW_A));
        text[i] = '\0';
        assert_int_equal(
            clfold_tuning_read(&tuning, text, sizeof(FIRST ROW_A) - 1, KEY, &cpu, why),
            CLFOLD_ERROR_DATA);
    }
}

/* Each prefix of a file is one without its last rows, or none. */
static void test_cut(void **state)
{
    static const char text[] = FIRST ROW_A ROW_C;
    char why[CLFOLD_TUNING_WHY];
    struct tuning tuning;

    (void)state;
    for (size_t i = 0; i < sizeof(text); ++i) {
        bool whole = i > 0 && text[i - 1] == '\n';
        assert_int_equal(clfold_tuning_read(&tuning, text, i, KEY, &cpu, why),
                         whole ? CLFOLD_OK : CLFOLD_ERROR_DATA);
        clfold_tuning_finish(&tuning);
    }
}

/* Numbers that one device may have and another may not. */
static void test_device(void **state)
{
    static const struct {
        const char *numbers;
        bool on_cpu, on_gpu;
    } cases[] = {
        { "group_size=256", true, true },  { "group_size=257", true, false },
        { "ahead_bytes=1", true, false },  { "ahead_bytes=0", true, true },
        { "stream_bytes=1", true, false }, { "stream_bytes=0", true, true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        const bool expected[] = { cases[i].on_cpu, cases[i].on_gpu };
        const struct device_facts *const devices[] = { &cpu, &gpu };
        char text[512], why[CLFOLD_TUNING_WHY];
        struct tuning tuning;
        snprintf(text, sizeof(text), FIRST "inclusive_scan add f32:f32 2^1..2^3 %s" ON,
                 cases[i].numbers);
        for (int d = 0; d < 2; ++d) {
            if ((read_for(&tuning, text, devices[d], why) == CLFOLD_OK) != expected[d]) {
                fail_msg("%s on device %d", cases[i].numbers, d);
            }
            clfold_tuning_finish(&tuning);
        }
    }
}

/* ---- Policies ---------------------------------------------------------------------- */

/* A policy's own numbers change nothing but its name. */
static void test_policy_itself(void **state)
{
    const struct device_facts *const devices[] = { &cpu, &gpu };

    (void)state;
    for (int i = 0; i < 4; ++i) {
        enum family family = i % 2 ? FAMILY_SCAN : FAMILY_REDUCE;
        const struct device_facts *device = devices[i / 2];
        struct policy before[CLFOLD_MAX_CANDIDATES], after[CLFOLD_MAX_CANDIDATES];
        uint32_t num = clfold_policies(device, family, 4, before);
        struct tuned_numbers numbers, again;
        char why[CLFOLD_TUNING_WHY];
        clfold_policies(device, family, 4, after);
        clfold_numbers_of(&numbers, family, &before[0]);
        assert_true(clfold_numbers_legal(&numbers, family, device, why));
        clfold_numbers_apply(&numbers, after, num);
        clfold_numbers_of(&again, family, &after[0]);
        assert_true(is_equal(&numbers, &again));
        assert_string_equal(after[0].row, "tuned");
        assert_memory_equal(&after[1], &before[1], sizeof(after[1]));
        clfold_numbers_apply(NULL, after, num);
        assert_string_equal(after[0].row, "tuned");
    }
}

/* Another tile moves its candidate to the front. */
static void test_other_tile(void **state)
{
    struct policy before[CLFOLD_MAX_CANDIDATES], after[CLFOLD_MAX_CANDIDATES];
    struct tuned_numbers numbers = { 0 };
    uint32_t num = clfold_policies(&cpu, FAMILY_REDUCE, 4, before);

    (void)state;
    clfold_policies(&cpu, FAMILY_REDUCE, 4, after);
    assert_int_equal(before[0].tile, TILE_VECTOR);
    assert_int_equal(before[1].tile, TILE_ITEM);
    assert_int_equal(before[2].tile, TILE_GROUP);
    clfold_numbers_put(&numbers, TUNED_TILE, TILE_GROUP);
    clfold_numbers_put(&numbers, TUNED_GROUPS, 77);
    clfold_numbers_apply(&numbers, after, num);
    assert_int_equal(after[0].tile, TILE_GROUP);
    assert_int_equal(after[0].tile_bytes, before[2].tile_bytes);
    assert_int_equal(after[0].group_size, before[2].group_size);
    assert_int_equal(after[0].groups, 77);
    assert_int_equal(after[1].tile, TILE_VECTOR);
    assert_string_equal(after[1].row, before[0].row);
}

/* Segments, and maps. */
static void check_others(const struct monoid *monoid, const struct device_facts *device,
                         const struct tuned_numbers *numbers)
{
    static const struct {
        clfold_operation operation;
        enum algorithm algorithm;
        struct segments segments;
    } others[] = {
        { CLFOLD_REDUCE, REDUCE_TILES, { 1, 300 } },
        { CLFOLD_REDUCE, REDUCE_LANES, { 64, 300 } },
        { CLFOLD_INCLUSIVE_SCAN, SCAN_LOOKBACK, { 1, 300 } },
        { CLFOLD_EXCLUSIVE_SCAN, SCAN_LANES, { 64, 300 } },
        { CLFOLD_MAP, MAP_TILES, { 0, 0 } },
    };

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); ++i) {
        struct job job =
            job_of(others[i].operation, others[i].algorithm, monoid, device, NULL);
        struct candidate all[CLFOLD_MAX_CANDIDATES];
        job.segments = others[i].segments;
        job.tuned = numbers;
        job_candidates(&job, all);
        assert_in_range(all[0].shape.tile.elements, 1, UINT32_MAX);
        assert_in_range(all[0].shape.tile.group_size, 1, device->max_group_size);
        const struct plan plan = plan_of(job, &all[0], 300 * 64 * 20);
        assert_in_range(plan.num_groups, 1, UINT32_MAX);
        assert_string_equal(plan.row, all[0].shape.tile.kind ==
                                              (enum tile_kind)numbers->values[TUNED_TILE]
                                          ? "tuned"
                                          : "cpu");
    }
}

/* Whatever a file says, the shapes are such as the device takes. */
static void test_shapes(void **state)
{
    struct device_facts limited = cpu;
    const struct device_facts *const devices[] = { &cpu, &gpu, &limited };
    const struct verdict verdict = { MEMORY_SCOPED_64, true, true };

    (void)state;
    limited.platform = "rusticl";
    limited.most_elements = 512;
    for (uint32_t i = 0; i < 3 * 2 * 3 * 3 * 2; ++i) {
        const struct device_facts *device = devices[i % 3];
        struct tuned_numbers numbers = { 0 };
        struct candidate reduce[CLFOLD_MAX_CANDIDATES], scan[CLFOLD_MAX_CANDIDATES];
        struct monoid monoid;
        const bool vector = i / 3 % 2 == 0;
        clfold_numbers_put(&numbers, TUNED_TILE, vector ? TILE_VECTOR : TILE_GROUP);
        clfold_numbers_put(&numbers, TUNED_TILE_BYTES,
                           (const uint64_t[]){ 256, 1000, 64 << 20 }[i / 6 % 3]);
        clfold_numbers_put(&numbers, TUNED_GROUP_SIZE,
                           vector ? 1 : (const uint64_t[]){ 1, 33, 65536 }[i / 18 % 3]);
        assert_ok(clfold_monoid_init(&monoid, &site,
                                     i / 54 ? CLFOLD_ARG_MIN_MAX : CLFOLD_ADD, CLFOLD_F64,
                                     CLFOLD_F64));
        struct job job = job_of(CLFOLD_REDUCE, REDUCE_TILES, &monoid, device, NULL);
        job.tuned = &numbers;
        job_candidates(&job, reduce);
        assert_int_equal(reduce[0].shape.tile.kind, numbers.values[TUNED_TILE]);
        assert_in_range(reduce[0].shape.tile.elements, 1, UINT32_MAX);
        assert_in_range(reduce[0].shape.tile.group_size, 1, device->max_group_size);
        assert_true(vector ||
                    reduce[0].shape.tile.group_size * clfold_monoid_item_size(&monoid) <=
                        device->local_memory);
        if (i / 54) {
            continue; /* scans store no such results */
        }
        job = job_of(CLFOLD_INCLUSIVE_SCAN, REDUCE_THEN_SCAN, &monoid, device, NULL);
        job.tuned = &numbers;
        job.verdict = verdict;
        job.out_offset = 3;
        job_candidates(&job, scan);
        assert_int_equal(scan[0].shape.tile.kind, numbers.values[TUNED_TILE]);
        assert_in_range(scan[0].shape.tile.elements, 1, UINT32_MAX);
        assert_in_range(scan[0].shape.tile.group_size, 1, device->max_group_size);
        assert_int_equal(scan[0].shape.tile.elements % scan[0].shape.tile.group_size, 0);
        assert_true(vector || scan[0].shape.tile.elements * 8 <= device->local_memory);
        if (device->most_elements) {
            assert_in_range(scan[0].shape.tile.elements / scan[0].shape.tile.group_size,
                            1, device->most_elements);
        }
        const struct plan plan = plan_of(job, &scan[0], 1 << 20);
        assert_true(plan.cut.num_runs * scan[0].shape.tile.elements >= 1 << 20);
        assert_string_equal(plan.row, "tuned");
        check_others(&monoid, device, &numbers);
    }
}

TEST_MAIN("tuning", NULL, NULL, cmocka_unit_test(test_round_trip),
          cmocka_unit_test(test_text), cmocka_unit_test(test_find),
          cmocka_unit_test(test_classes), cmocka_unit_test(test_refused),
          cmocka_unit_test(test_boundaries), cmocka_unit_test(test_cut),
          cmocka_unit_test(test_device), cmocka_unit_test(test_policy_itself),
          cmocka_unit_test(test_other_tile), cmocka_unit_test(test_shapes))
