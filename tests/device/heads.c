/* What explain says of scans by flags, keys and offsets. That they give what a serial
 * loop gives, and the same float bits by each strategy: trials.c. */
#include "subjects_of_text.h"
#include "test.h"

#include "base/platform.h"
#include "ops/context.h"

static void test_report(void **state)
{
    clfold_segments segments = { .by = CLFOLD_BY_OFFSETS, .type = CLFOLD_U32, .num = 9 };
    clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_F32, .segments = &segments };
    const clfold_fold four = { CLFOLD_MATRIX_2X2, CLFOLD_U8, .segments = &segments };
    const struct subject *s = operator_subjects;
    clfold_report report;

    (void)state;
    assert_ok(clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &fold, 100, NULL, &report));
    assert_int_equal(report.num_launches, 3);
    assert_non_null(
        strstr(report.reason, "segments by offsets, which it turns into bits"));
    assert_true(report.scratch_bytes > 0);
    segments = (clfold_segments){ .by = CLFOLD_BY_KEYS, .type = CLFOLD_U16 };
    assert_ok(clfold_explain(ctx, CLFOLD_EXCLUSIVE_SCAN, &fold, 100, NULL, &report));
    assert_int_equal(report.bytes_read, 100 * (4 + 2));
    assert_non_null(strstr(report.reason, "segments by keys"));
    assert_ok(clfold_prepare(ctx, CLFOLD_EXCLUSIVE_SCAN, &fold, 100, NULL));
    const clfold_status status =
        clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &four, 100, NULL, &report);
    if (clfold_platform_miscopies(ctx->caps.facts.platform)) {
        assert_refused(status, CLFOLD_ERROR_UNSUPPORTED, "add a component to the 4 of");
    } else {
        assert_ok(status);
    }
    while (strcmp(s->fold.name, "16 words") != 0) {
        ++s;
    }
    fold = s->fold;
    fold.segments = &segments;
    assert_ok(clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &fold, 1 << 24, NULL, &report));
    assert_string_equal(report.algorithm, "reduce_then_scan");
    assert_non_null(strstr(report.reason, device.ends_loops ? "loops" : "64 bytes"));
}

TEST_MAIN("heads", open_context, close_context, cmocka_unit_test(test_report))
