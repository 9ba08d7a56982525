/* Tuning: its text form, and texts that are not valid. Its effect on plans: choices.c. */
#include "test.h"

#include "base/text.h"
#include "plan/tuning.h"

#define FIRST "clfold tuning 5\n"
#define KEY   "Some platform; A device, 2 on a line; 3.1 x=y"
#define ON    " on " KEY "\n"
#define OTHER "Some platform; Another device; 3.1"

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

/* ---- Rows -------------------------------------------------------------------------- */

/* By tile_bytes; 0: none. */
static uint64_t find(const struct tuning *tuning, clfold_operation operation,
                     uint32_t element, uint32_t count_class)
{
    const struct tuning_call call = { operation, element, count_class };
    const struct tuned_numbers *found = clfold_tuning_find(tuning, &call);

    return found ? found->values[TUNED_TILE_BYTES] : 0;
}

/* A row for each operation, size and some classes, with every number that it may have. */
static void test_numbers(void **state)
{
    static const struct {
        clfold_operation operation;
        const char *name, *numbers;
        uint32_t set;
    } rows[] = {
        { CLFOLD_REDUCE, "reduce", "lane_bytes=3", 1 << TUNED_LANE_BYTES },
        { CLFOLD_INCLUSIVE_SCAN, "scan", "anchor=3 stream_bytes=3 groups=3",
          1 << TUNED_ANCHOR | 1 << TUNED_STREAM_BYTES | 1 << TUNED_GROUPS },
        { CLFOLD_SELECT, "select", "group_size=3 tile=tile_group",
          1 << TUNED_GROUP_SIZE },
        { CLFOLD_MAP, "map", "ahead_bytes=3", 1 << TUNED_AHEAD_BYTES },
    };
    static const uint32_t sizes[] = { 1, 4, 65536 }, classes[] = { 0, 1, 31, 32 };
    enum { NUM = 4 * 3 * 4 };
    struct text text = { 0 };
    struct tuning tuning;
    char why[CLFOLD_TUNING_WHY];

    clfold_text_print(&text, FIRST);
    for (uint32_t i = 0; i < NUM; ++i) {
        const uint32_t c = classes[i / 12];
        clfold_text_print(&text, "%s %u 2^%u..2^%u tile_bytes=%u %s" ON, rows[i % 4].name,
                          sizes[i / 4 % 3], c ? 2 * c - 1 : 0, 2 * c + 1, 256 + i,
                          rows[i % 4].numbers);
    }
    assert_int_equal(read_for(&tuning, text.bytes, &cpu, why), CLFOLD_OK);
    assert_int_equal(tuning.num, NUM);
    for (uint32_t i = 0; i < NUM; ++i) {
        const clfold_operation operation = rows[i % 4].operation;
        const struct tuned_numbers *numbers = &tuning.rows[i].numbers;
        assert_int_equal(find(&tuning, operation, sizes[i / 4 % 3], classes[i / 12]),
                         256 + i);
        assert_int_equal(numbers->set, rows[i % 4].set | 1 << TUNED_TILE_BYTES);
        assert_int_equal(numbers->tile, operation == CLFOLD_SELECT ? TILE_GROUP : 0);
        for (int n = TUNED_TILE_BYTES + 1; n < CLFOLD_TUNED; ++n) {
            assert_int_equal(numbers->values[n], numbers->set >> n & 1 ? 3 : 0);
        }
        assert_false(numbers->is_own);
    }
    assert_int_equal(find(&tuning, CLFOLD_REDUCE, 2, 1), 0);
    assert_int_equal(find(&tuning, CLFOLD_EXCLUSIVE_SCAN, 4, 1), 0);
    clfold_tuning_finish(&tuning);
    assert_int_equal(find(&tuning, CLFOLD_REDUCE, 4, 1), 0);
    clfold_text_finish(&text);
}

/* A row's key is the device's, or its first words; the longest counts. */
static void test_keys(void **state)
{
    static const struct {
        const char *keys[3];
        uint64_t found; /* the tile_bytes are 256 for the first, ... */
    } cases[] = {
        { { "CPU A 25 97; P" }, 256 },
        { { "CPU A 25 97" }, 256 },
        { { "CPU A 25" }, 256 },
        { { "CPU" }, 256 },
        { { "CPU A 2" }, 0 },
        { { "CPU A 25 9" }, 0 },
        { { "CPU A 25 97;" }, 256 },
        { { "CPU A 25 97; P2" }, 0 },
        { { "CPU A 25 97; P; x" }, 0 },
        { { "A 25" }, 0 },
        { { "CPU A 25", "CPU A 25 97; P", "CPU" }, 257 },
        { { "CPU A", "CPU A 26 97; P", "CPU A 25" }, 258 },
        { { "CPU A", "CPU A", "CPU" }, 257 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        struct text text = { 0 };
        struct tuning tuning;
        char why[CLFOLD_TUNING_WHY];
        clfold_text_print(&text, FIRST);
        for (int k = 0; k < 3 && cases[i].keys[k]; ++k) {
            clfold_text_print(&text, "map 4 2^1..2^3 tile_bytes=%d on %s\n", 256 + k,
                              cases[i].keys[k]);
        }
        assert_int_equal(clfold_tuning_read(&tuning, text.bytes, text.length,
                                            "CPU A 25 97; P", &cpu, why),
                         CLFOLD_OK);
        if (find(&tuning, CLFOLD_MAP, 4, 1) != cases[i].found) {
            fail_msg("%s", text.bytes);
        }
        clfold_tuning_finish(&tuning);
        clfold_text_finish(&text);
    }
}

/* The library's own rows are valid on any device, and known as its own. */
static void test_own(void **state)
{
    const char *text = clfold_tuning_own, *key;
    char why[CLFOLD_TUNING_WHY], other[CLFOLD_TUNING_LINE];
    struct tuning tuning;

    for (const char *line = text; (key = strstr(line, " on ")); line = key) {
        key += strlen(" on ");
        snprintf(other, sizeof(other), "%.*s", (int)strcspn(key, "\n"), key);
        assert_int_equal(
            clfold_tuning_read(&tuning, text, strlen(text), other, NULL, why), CLFOLD_OK);
        assert_true(tuning.num > 0 && tuning.rows[0].numbers.is_own);
        clfold_tuning_finish(&tuning);
    }
    assert_int_equal(clfold_tuning_read(&tuning, text, strlen(text), KEY, &gpu, why),
                     CLFOLD_OK);
    assert_int_equal(tuning.num, 0);
}

/* What a call is known by. */
static void test_call(void **state)
{
    struct monoid monoid;

    assert_ok(clfold_monoid_init(&monoid, &site, CLFOLD_ADD, CLFOLD_F64, CLFOLD_U16));
    for (uint32_t c = 0; c <= 32; ++c) {
        const uint64_t counts[] = { c ? UINT64_C(1) << (2 * c - 1) : 0,
                                    c < 32 ? (UINT64_C(1) << (2 * c + 1)) - 1
                                           : UINT64_MAX };
        for (int i = 0; i < 2; ++i) {
            struct job job = { .operation = CLFOLD_REDUCE + (c + (unsigned)i) % 5,
                               .monoid = &monoid,
                               .count = counts[i] };
            const struct tuning_call call = clfold_tuning_call(&job);
            assert_int_equal(call.count_class, c);
            assert_int_equal(call.element, clfold_monoid_in_size(&monoid));
            assert_int_equal(call.operation, job.operation == CLFOLD_EXCLUSIVE_SCAN
                                                 ? CLFOLD_INCLUSIVE_SCAN
                                                 : job.operation);
        }
    }
}

/* ---- Rejected texts ---------------------------------------------------------------- */

static const struct {
    const char *text, *why;
} refused[] = {
    { "", "does not begin with \"clfold tuning 5\"" },
    { "clfold tuning", "does not begin with" },
    { "clfold tuning 5", "its version is not" },
    { "clfold tuning 4\nreduce add f32:f32 2^1..2^3 groups=1 on x\n",
      "its version is not 5; remove it and run clfold tune again" },
    { "clfold tuning 50\n", "its version is not" },
    { "clfold tuning 5\r\n", "its version is not" },
    { " clfold tuning 5\n", "does not begin with" },
    { "clfold verdict 1\n", "does not begin with" },
    { "\x7f\x45LF\n", "does not begin with" },
#define CALL "reduce 4 2^1..2^3 "
#define row(text, why)                                                                   \
    {                                                                                    \
        FIRST text, "line 2: " why                                                       \
    }
    row("\n", "unknown operation "),
    row("# mine\n", "unknown operation #"),
    row("reduces 4 2^1..2^3 groups=1" ON, "unknown operation reduces"),
    row("exclusive_scan 4 2^1..2^3 groups=1" ON, "unknown operation exclusive_scan"),
    row("reduce add f32:f32 2^1..2^3 groups=1" ON, "invalid bytes of an element: add"),
    row("reduce 0 2^1..2^3 groups=1" ON, "invalid bytes of an element: 0"),
    row("reduce 04 2^1..2^3 groups=1" ON, "invalid bytes of an element: 04"),
    row("reduce 65537 2^1..2^3 groups=1" ON, "invalid bytes of an element: 65537"),
    row("reduce 4 2^1..2^2 groups=1" ON, "invalid range of counts: 2^1..2^2"),
    row("reduce 4 2^2..2^4 groups=1" ON, "invalid range of counts"),
    row("reduce 4 2^1..2^5 groups=1" ON, "invalid range of counts"),
    row("reduce 4 2^65..2^67 groups=1" ON, "invalid range of counts"),
    row("reduce 4 2^01..2^3 groups=1" ON, "invalid range of counts"),
    row("reduce 4 8 groups=1" ON, "invalid range of counts: 8"),
    row(CALL "on " KEY "\n", "no number"),
    row(CALL "groups=1\n", "invalid or repeated: groups=1"),
    row(CALL "groups=1 on \n", "no device"),
    row(CALL "groups=1 " KEY "\n", "unknown number Some"),
    row(CALL "group=1" ON, "unknown number group=1"),
    row(CALL "groups 1" ON, "unknown number groups"),
    row(CALL "groups=" ON, "invalid or repeated: groups="),
    row(CALL "groups=-1" ON, "invalid or repeated: groups=-1"),
    row(CALL "groups=1.5" ON, "invalid or repeated: groups=1.5"),
    row(CALL "groups=01" ON, "invalid or repeated: groups=01"),
    row(CALL "groups=18446744073709551616" ON, "invalid or repeated: groups=18446744"),
    row(CALL "groups=1 groups=1" ON, "invalid or repeated: groups=1"),
    row(CALL "tile=tile_item tile=tile_item" ON, "invalid or repeated: tile=tile_item"),
    row(CALL "tile=tile" ON, "invalid or repeated: tile=tile"),
    row(CALL "tile=work-group" ON, "invalid or repeated: tile=work-group"),
    row(CALL "groups=0" ON, "groups 0 is not from 1 to 1048576"),
    row(CALL "groups=1048577" ON, "groups 1048577 is not from 1 to 1048576"),
    row(CALL "tile_bytes=255" ON, "tile_bytes 255 is not from 256 to 67108864"),
    row(CALL "tile_bytes=67108865" ON, "tile_bytes 67108865 is not from"),
    row(CALL "tile=tile_vector group_size=2" ON, "group_size 2 is not from 1 to 1"),
    row(CALL "anchor=1" ON, "anchor does not apply to a reduce"),
    row(CALL "stream_bytes=0" ON, "stream_bytes does not apply to a reduce"),
    row(CALL "ahead_bytes=1048577" ON, "ahead_bytes 1048577 is not from 0 to 1048576"),
    row("scan 4 2^1..2^3 lane_bytes=1" ON, "lane_bytes does not apply to a scan"),
    row("scan 4 2^1..2^3 anchor=0" ON, "anchor 0 is not from 1"),
    row("map 4 2^1..2^3 anchor=1" ON, "anchor does not apply to a map"),
    row(CALL "groups=1 on " KEY, "it has no newline at its end"),
    row(CALL "groups=1 on \tx\n", "it is not plain text"),
    row(CALL "groups=1\x7f" ON, "it is not plain text"),
    /* another device's row is checked too */
    row("reduce 4 2^1..2^3 groups=0 on " OTHER "\n", "groups 0 is not from"),
};

static void test_refused(void **state)
{
    struct tuning tuning;
    char why[CLFOLD_TUNING_WHY];

    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); ++i) {
        clfold_status status = read_for(&tuning, refused[i].text, &cpu, why);
        if (status != CLFOLD_ERROR_DATA || tuning.num != 0 || tuning.rows) {
            fail_msg("taken: %s", refused[i].text);
        }
        if (!strstr(why, refused[i].why)) {
            fail_msg("\"%s\" does not say \"%s\"", why, refused[i].why);
        }
    }
}

#define ROW_A "reduce 4 2^1..2^3 tile_bytes=256 on " KEY "\n"
#define ROW_B "reduce 8 2^1..2^3 tile_bytes=512 on " KEY "\n"

/* NUL bytes, lines as long as may be, and files that are cut. */
static void test_boundaries(void **state)
{
    static const char row[] = FIRST CALL "groups=1 on ", rows[] = FIRST ROW_A ROW_B;
    char text[2 * CLFOLD_TUNING_LINE], why[CLFOLD_TUNING_WHY];
    struct tuning tuning;

    for (size_t more = 0; more < 3; ++more) {
        size_t line = sizeof(FIRST) - 1 + CLFOLD_TUNING_LINE - 2 + more;
        memset(text, 'x', sizeof(text));
        memcpy(text, row, sizeof(row) - 1);
        text[line] = '\n';
        assert_int_equal(clfold_tuning_read(&tuning, text, line + 1, KEY, &cpu, why),
                         more < 2 ? CLFOLD_OK : CLFOLD_ERROR_DATA);
        assert_true(more < 2 || strstr(why, "line 2: it is too long"));
    }
    /* Each prefix of a file is one without its last rows, or none. */
    for (size_t i = 0; i < sizeof(rows); ++i) {
        bool whole = i > 0 && rows[i - 1] == '\n';
        assert_int_equal(clfold_tuning_read(&tuning, rows, i, KEY, &cpu, why),
                         whole ? CLFOLD_OK : CLFOLD_ERROR_DATA);
        clfold_tuning_finish(&tuning);
        memcpy(text, rows, sizeof(rows));
        text[i] = '\0';
        assert_int_equal(clfold_tuning_read(&tuning, text, sizeof(rows), KEY, &cpu, why),
                         CLFOLD_ERROR_DATA);
    }
}

/* Numbers that one device may have and another may not: there the row does not serve. */
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

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        const bool expected[] = { cases[i].on_cpu, cases[i].on_gpu };
        const struct device_facts *const devices[] = { &cpu, &gpu };
        char text[512], why[CLFOLD_TUNING_WHY];
        struct tuning tuning;
        snprintf(text, sizeof(text), FIRST "scan 4 2^1..2^3 %s" ON, cases[i].numbers);
        for (int d = 0; d < 2; ++d) {
            assert_int_equal(read_for(&tuning, text, devices[d], why), CLFOLD_OK);
            if (tuning.num != expected[d]) {
                fail_msg("%s on device %d", cases[i].numbers, d);
            }
            clfold_tuning_finish(&tuning);
        }
    }
}

TEST_MAIN("tuning", NULL, NULL, cmocka_unit_test(test_numbers),
          cmocka_unit_test(test_keys), cmocka_unit_test(test_own),
          cmocka_unit_test(test_call), cmocka_unit_test(test_refused),
          cmocka_unit_test(test_boundaries), cmocka_unit_test(test_device))
