/* Counts as a person writes them. */
#include "count.h"

#include "test.h"

static void parsed(void **state)
{
    static const struct {
        const char *text;
        uint64_t count;
    } cases[] = {
        { "0", 0 },
        { "7", 7 },
        { "007", 7 },
        { "1000", 1000 },
        { "18446744073709551615", UINT64_MAX },
        { "2^0", 1 },
        { "2^26", 67108864 },
        { "2^63", UINT64_C(9223372036854775808) },
        { "3^4", 81 },
        { "0^0", 1 },
        { "0^5", 0 },
        { "1^99999999999999999", 1 },
        { "0^99999999999999999", 0 },
        { "1e6", 1000000 },
        { "25e0", 25 },
        { "1e19", UINT64_C(10000000000000000000) },
        { "0e99999999999999999", 0 },
        { "1Ki", 1024 },
        { "64Mi", 67108864 },
        { "3Gi", UINT64_C(3221225472) },
        { "0Gi", 0 },
        { "17179869183Gi", UINT64_C(18446744072635809792) },
        { "2Ti", UINT64_C(2199023255552) },
        { "16777215Ti", UINT64_C(18446742974197923840) },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t count = 99;
        if (!count_parse(cases[i].text, &count) || count != cases[i].count) {
            fail_msg("%s gives %llu", cases[i].text, (unsigned long long)count);
        }
    }
}

static void refused(void **state)
{
    static const char *const cases[] = {
        "",
        " ",
        "x",
        "-1",
        "+1",
        " 1",
        "1 ",
        "1.5",
        "0x10",
        "1e",
        "e6",
        "1e-1",
        "1e+6",
        "1.5e6",
        "1E6",
        "2^",
        "^2",
        "2^-1",
        "2^3^2",
        "2^1e3",
        "1e2Ki",
        "2^10Ki",
        "1K",
        "1ki",
        "1KiB",
        "1Pi",
        "1TiB",
        "Ki",
        "1Ki ",
        "1MiKi",
        "18446744073709551616",
        "99999999999999999999999",
        "2^64",
        "2^99999999999999999",
        "10^20",
        "1e20",
        "2e19",
        "17179869184Gi",
        "16777216Ti",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t count;
        if (count_parse(cases[i], &count)) {
            fail_msg("\"%s\" gives %llu", cases[i], (unsigned long long)count);
        }
    }
}

static void printed(void **state)
{
    static const struct {
        uint64_t count;
        const char *text;
    } cases[] = {
        { 0, "0" },
        { 1, "1" },
        { 512, "512" },
        { 1024, "2^10" },
        { 1025, "1025" },
        { 33554432, "2^25" },
        { UINT64_C(1) << 63, "2^63" },
        { UINT64_MAX, "18446744073709551615" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[COUNT_TEXT];
        count_print(text, cases[i].count);
        assert_string_equal(text, cases[i].text);
    }
}

TEST_MAIN("count", NULL, NULL, cmocka_unit_test(parsed), cmocka_unit_test(refused),
          cmocka_unit_test(printed))
