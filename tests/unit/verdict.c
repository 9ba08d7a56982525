/* The text form of verdicts. The devices that need none: choices.c. */
#include "test.h"

#include "plan/verdict.h"

static void print(const struct findings *findings, char line[CLFOLD_VERDICT_SIZE])
{
    size_t length = clfold_verdict_print(line, findings);

    assert_true(length < CLFOLD_VERDICT_SIZE);
    assert_int_equal(length, strlen(line));
}

static bool read(const char *line)
{
    struct findings findings;

    return clfold_verdict_read(&findings, line, strlen(line));
}

/* A verdict that the probe could give: all before `taken` are dropped. */
static struct findings findings_of(int taken, int fate, bool fair, bool fences)
{
    struct findings findings = { .verdict = { (enum memory_tier)taken, fair, fences } };

    for (int t = MEMORY_NONE + 1; t < CLFOLD_MEMORY_TIERS; ++t) {
        int dropped = FATE_NOT_OFFERED + (fate + t) % (FATE_LOST - FATE_NOT_OFFERED + 1);
        findings.fates[t] = taken == MEMORY_NONE || t < taken ? (enum tier_fate)dropped
                            : t == taken                      ? FATE_TAKEN
                                                              : FATE_UNTRIED;
    }
    return findings;
}

static void test_round_trip(void **state)
{
    size_t longest = 0;

    for (int i = 0; i < CLFOLD_MEMORY_TIERS * 4 * 4; ++i) {
        int taken = i / 16;
        bool some = taken != MEMORY_NONE;
        const struct findings findings =
            findings_of(taken, i % 4, some && i & 4, some && i & 8);
        struct findings back;
        char line[CLFOLD_VERDICT_SIZE];
        print(&findings, line);
        longest = strlen(line) > longest ? strlen(line) : longest;
        if (!clfold_verdict_read(&back, line, strlen(line))) {
            fail_msg("not read: %s", line);
        }
        assert_memory_equal(&back, &findings, sizeof(back));
    }
    print_message("# at most %zu bytes\n", longest);
}

static void test_text(void **state)
{
    const struct findings findings = findings_of(MEMORY_LEGACY_64, 0, true, false);
    char line[CLFOLD_VERDICT_SIZE];

    print(&findings, line);
    assert_string_equal(line, "clfold verdict 1: tier legacy_64, fair yes, fences no; "
                              "scoped_64 dropped: does not build; ptx_64 dropped: words "
                              "arrive torn");
    assert_true(read("clfold verdict 1: tier scoped_64, fair no, fences yes"));
}

/* Each byte changed, left out and doubled, and each length: no other line is taken. */
static void test_damaged(void **state)
{
    const struct findings findings = findings_of(MEMORY_SCOPED_32, 1, true, true);
    char line[CLFOLD_VERDICT_SIZE], other[CLFOLD_VERDICT_SIZE];
    size_t length, taken = 0;

    print(&findings, line);
    length = strlen(line);
    for (size_t i = 0; i < length; ++i) {
        struct findings back;
        /* A verdict cut before its next tier. */
        taken += clfold_verdict_read(&back, line, i);
        for (int c = 0; c < 256; ++c) {
            memcpy(other, line, length + 1);
            other[i] = (char)c;
            bool same = other[i] == line[i];
            if (clfold_verdict_read(&back, other, length) != same) {
                fail_msg("byte %zu is %d: \"%s\"", i, c, other);
            }
        }
        memcpy(other, line, i);
        memcpy(other + i, line + i + 1, length - i);
        assert_false(clfold_verdict_read(&back, other, length - 1));
        memcpy(other, line, i + 1);
        memcpy(other + i + 1, line + i, length - i + 1);
        assert_false(clfold_verdict_read(&back, other, length + 1));
    }
    assert_int_equal(taken, 0);
}

#define TIER(words) "clfold verdict 1: tier " words
#define DROP(tier)  "; " tier " dropped: does not build"
static void test_foreign(void **state)
{
    static const char *const lines[] = {
        "",
        TIER("scoped_64, fair yes, fences yes\n"),
        " " TIER("scoped_64, fair yes, fences yes"),
        "clfold verdict 2: tier scoped_64, fair yes, fences yes",
        TIER("scoped_64, fair yes"),
        TIER("scoped_64, fair maybe, fences yes"),
        TIER("scoped_16, fair yes, fences yes"),
        TIER("scoped_64, fair yes, fences yes; "),
        /* a tier before it that was not dropped, or one after it that was */
        TIER("ptx_64, fair yes, fences yes"),
        TIER("scoped_64, fair yes, fences yes") DROP("ptx_64"),
        /* the tier itself, one twice, another order, a fate that drops nothing */
        TIER("scoped_64, fair yes, fences yes") DROP("scoped_64"),
        TIER("ptx_64, fair yes, fences yes") DROP("scoped_64") DROP("scoped_64"),
        TIER("legacy_64, fair yes, fences no") DROP("ptx_64") DROP("scoped_64"),
        TIER("ptx_64, fair yes, fences yes; scoped_64 dropped: taken"),
        TIER("ptx_64, fair yes, fences yes") DROP("none"),
        /* none has neither */
        TIER("none, fair no, fences no"),
        TIER("none, fair yes, fences no") DROP("scoped_64") DROP("ptx_64")
            DROP("legacy_64") DROP("scoped_32") DROP("legacy_32"),
    };
    char large[2 * CLFOLD_VERDICT_SIZE];
    struct findings findings;

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); ++i) {
        if (read(lines[i])) {
            fail_msg("taken: \"%s\"", lines[i]);
        }
    }
    memset(large, ';', sizeof(large));
    assert_false(clfold_verdict_read(&findings, large, sizeof(large)));
    assert_false(clfold_verdict_read(&findings, large, CLFOLD_VERDICT_SIZE));
    /* A NUL inside, and at the end. */
    assert_false(clfold_verdict_read(
        &findings, "clfold verdict 1: tier scoped_64, fair no, fences yes\0", 54));
}

static void test_reasons(void **state)
{
    const struct findings findings = findings_of(MEMORY_LEGACY_64, 2, true, false);
    char reasons[CLFOLD_VERDICT_SIZE];

    clfold_verdict_reasons(reasons, &findings);
    assert_string_equal(reasons,
                        "scoped_64: words do not arrive, ptx_64: not offered by the "
                        "device");
}

TEST_MAIN("verdict", NULL, NULL, cmocka_unit_test(test_round_trip),
          cmocka_unit_test(test_text), cmocka_unit_test(test_damaged),
          cmocka_unit_test(test_foreign), cmocka_unit_test(test_reasons))
