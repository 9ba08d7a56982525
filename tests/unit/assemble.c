/* A file or a head names a word, a file or a macro that does not exist; that is not a
 * lack of memory. The kernels are this program's own. */
#include "test.h"

#include "plan/assemble.h"
#include "plan/kernel_texts.h"

static const char words[] = "int $name;\nint $nothing;\nint $item x;\n";
static const char none[] = "";

static const struct clfold_kernel_need needs_words[] = { { "CLFOLD_IN", NULL },
                                                         { "clfold_opaque", NULL },
                                                         { 0 } };
static const struct clfold_kernel_need needs[] = {
    { "contract.cl", NULL },
    { "tile.cl", NULL },
    { "contract.cl", NULL },
    { "group_scan.cl", NULL },
    { "never.cl", "CLFOLD_HEADS" },
    { "CLFOLD_NEVER", "CLFOLD_NOTHING" },
    { "clfold_combine", NULL },
    { "CLFOLD_TIL", NULL },
    { "clfold_combine_all", NULL },
    { "always.cl", "CLFOLD_SCALARS" },
    { 0 },
};
/* A file that needs what needs it. */
static const struct clfold_kernel_need needs_itself[] = { { "serial.cl", NULL }, { 0 } };

const struct clfold_kernel_text clfold_kernel_texts[] = {
    { "contract.cl", words, sizeof(words) - 1, needs_words },
    { "serial.cl", none, 0, needs },
    { "tile_group.cl", none, 0, needs_itself },
    { 0 },
};

static unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;

    for (; (text = strstr(text, part)); ++text) {
        ++count;
    }
    return count;
}

static void names(void **state)
{
    const struct site site = { 0 };
    const struct shape shape = { .algorithm = SERIAL, .tile = { TILE_GROUP, 8, 8 } };
    struct monoid monoid;
    struct text text = { 0 };

    assert_ok(clfold_monoid_init(&monoid, &site, CLFOLD_ADD, CLFOLD_I32, CLFOLD_I32));
    clfold_assemble(&text, &monoid, &shape);
    assert_false(text.failed);
    assert_non_null(strstr(text.bytes, "int v;\n"));
    assert_non_null(strstr(text.bytes, "\n#error \"assemble: $nothing is not a word"));
    assert_non_null(strstr(text.bytes, "int uint x;\n"));
    assert_int_equal(count_of(text.bytes, "#line 1 \"contract.cl\""), 1);
    assert_int_equal(count_of(text.bytes, "#line 1 \"tile_group.cl\""), 1);
    assert_int_equal(count_of(text.bytes, "clfold_item clfold_combine("), 1);
    assert_null(strstr(text.bytes, "never.cl"));
    assert_null(strstr(text.bytes, "CLFOLD_NEVER"));
    static const char *const faults[] = {
        "assemble: there is no file group_scan.cl",
        "assemble: there is no file always.cl",
        "serial.cl: CLFOLD_TIL is not defined",
        "serial.cl: clfold_combine_all is not defined",
    };
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); ++i) {
        char line[128];
        snprintf(line, sizeof(line), "\n#error \"%s\"\n", faults[i]);
        assert_int_equal(count_of(text.bytes, line), 1);
    }
    assert_int_equal(count_of(text.bytes, "#error"), 5);
    clfold_text_finish(&text);
}

TEST_MAIN("assemble", NULL, NULL, cmocka_unit_test(names))
