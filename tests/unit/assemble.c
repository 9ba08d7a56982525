/* The text names a word or a file that does not exist; that is not a lack of memory. The
 * kernels are this program's own. */
#include "test.h"

#include "plan/assemble.h"
#include "plan/kernel_texts.h"

static const char words[] = "int $name;\nint $nothing;\nint $item x;\n";

const struct clfold_kernel_text clfold_kernel_texts[] = {
    { "contract.cl", words, sizeof(words) - 1 },
    { 0 },
};

static void names(void **state)
{
    const struct site site = { 0 };
    struct monoid monoid;
    struct text text = { 0 };

    (void)state;
    assert_ok(clfold_monoid_init(&monoid, &site, CLFOLD_ADD, CLFOLD_I32, CLFOLD_I32));
    clfold_assemble_group_scan(&text, &monoid, GROUP_SCAN_RAKING, 8);
    assert_false(text.failed);
    assert_non_null(strstr(text.bytes, "int v;\n"));
    assert_non_null(strstr(text.bytes, "\n#error \"assemble: $nothing is not a word"));
    assert_non_null(strstr(text.bytes, "int uint x;\n"));
    assert_non_null(
        strstr(text.bytes, "\n#error \"assemble: there is no file group_scan.cl"));
    clfold_text_finish(&text);
}

TEST_MAIN("assemble", NULL, NULL, cmocka_unit_test(names))
