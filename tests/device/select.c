/*
 * Selects: in parts, and what explain says. That they give what a serial loop gives:
 * trials.c; what is rejected: rejections.c.
 */
#include "lookback.h"
#include "subjects_of_text.h"
#include "test.h"

#define NUM(list) (sizeof(list) / sizeof((list)[0]))

/* ---- Parts ------------------------------------------------------------------------- */

#define NUM_WORDS 20011

/* A scan's select in parts, each of which takes the carry from where it leaves its own,
 * is that of the whole; with items that are written, and places alone. */
static void test_parts(void **state)
{
    static const char *const algorithms[] = { "scan_lookback", "reduce_then_scan",
                                              "scan_single_group" };
    static cl_uint addends[NUM_WORDS];
    static cl_ulong expected[NUM_WORDS], found[NUM_WORDS];

    uint64_t seed = 7;
    for (size_t i = 0; i < NUM_WORDS; ++i) {
        addends[i] = (cl_uint)draw(&seed, 1000);
    }
    for (size_t a = 0; a < 2 * NUM(algorithms); ++a) {
        const cl_mem in = copied_buffer(addends, sizeof(addends));
        const cl_mem out = coloured_buffer(sizeof(found));
        const cl_mem memory = coloured_buffer(2 * sizeof(cl_ulong)); /* number, carry */
        const bool of_places = a % 2;
        cl_uint sum = 5;
        size_t num = 0, kept = 0;
        for (size_t i = 0; i < NUM_WORDS; ++i) {
            const cl_uint prev = sum;
            sum += addends[i];
            if ((sum ^ prev) & 512) {
                expected[num++] = of_places ? i : (cl_ulong)sum << 32 | prev;
            }
        }
        const cl_uint init = 5;
        for (size_t first = 0, count; first < NUM_WORDS; first += count) {
            clfold_part part = { .first = first,
                                 .whole = NUM_WORDS,
                                 .carry_at = { first > 0 ? memory : NULL,
                                               first > 0 ? 2 : 0 },
                                 .carry_out = { memory, 2 } };
            const clfold_fold fold = {
                .op = CLFOLD_ADD,
                .type = CLFOLD_U32,
                .keep = "(item ^ prev) & 512",
                .out = CLFOLD_U64,
                .result = of_places ? "i" : "to_u64(item) << 32 | to_u64(prev)",
                .init = &init,
                .init_size = sizeof(init),
                .num_out = { memory, 0 },
                .part = &part,
                .algorithm = algorithms[a / 2],
            };
            cl_ulong more;
            count = 1 + draw(&seed, 5000);
            count = count < NUM_WORDS - first ? count : NUM_WORDS - first;
            const clfold_status status = clfold_select(
                ctx, device.queue, &fold, in, first, out, kept, count, 0, NULL, NULL);
            if (status == CLFOLD_ERROR_UNSUPPORTED && may_look_back(algorithms[a / 2])) {
                num = 0;
                break;
            }
            assert_ok(status);
            load_buffer(memory, 0, sizeof(more), &more);
            kept += more;
        }
        assert_int_equal(kept, num);
        load_buffer(out, 0, num * sizeof(*found), found);
        assert_memory_equal(found, expected, num * sizeof(*found));
        clReleaseMemObject(in);
        clReleaseMemObject(out);
        clReleaseMemObject(memory);
    }
}

/* A select that scans: its launches, those that are left out where no item is written,
 * and that a call after prepare builds nothing. */
static void check_scans(void)
{
    const cl_mem in = coloured_buffer(5000 * 4), out = coloured_buffer(5000 * 4);
    clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_U32, .keep = "item & 1" };
    clfold_stats before, after;
    clfold_report report;

    for (int k = 0; k < 4; ++k) {
        const bool of_places = k % 2, in_passes = k / 2;
        fold.result = of_places ? "x + 1u" : NULL;
        fold.algorithm = in_passes ? "reduce_then_scan" : "scan_single_group";
        assert_ok(clfold_explain(ctx, CLFOLD_SELECT, &fold, 5000, NULL, &report));
        assert_non_null(strstr(report.reason, of_places ? "written without a scan"
                                                        : "written by a second scan"));
        if (!device.ends_loops) {
            assert_int_equal(report.num_launches, (in_passes ? 3 : 1) + 3 + 1);
        }
        assert_ok(clfold_prepare(ctx, CLFOLD_SELECT, &fold, 5000, NULL));
        assert_ok(clfold_context_stats(ctx, &before));
        assert_ok(
            clfold_select(ctx, device.queue, &fold, in, 0, out, 0, 5000, 0, NULL, NULL));
        assert_ok(clfold_context_stats(ctx, &after));
        assert_int_equal(after.builds, before.builds);
    }
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

static void test_policy(void **state)
{
    const clfold_fold select = { .type = CLFOLD_U32, .keep = "x" };
    clfold_report report;

    assert_ok(clfold_explain(ctx, CLFOLD_SELECT, &select, 1 << 24, NULL, &report));
    assert_string_equal(report.algorithm,
                        device.ends_loops ? "reduce_then_scan" : "scan_lookback");
    assert_ok(clfold_prepare(ctx, CLFOLD_SELECT, &select, 1 << 20, NULL));
    check_scans();
}

TEST_MAIN("select", open_context, close_context, cmocka_unit_test(test_parts),
          cmocka_unit_test(test_policy))
