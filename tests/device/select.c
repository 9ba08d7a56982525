/*
 * Selects: in parts, and what explain says. That they give what a serial loop gives:
 * trials.c; what is rejected: rejections.c.
 */
#include "subjects_of_text.h"
#include "test.h"

#define COUNT 20011

/* A scan's select in parts, each of which takes the carry from where it leaves its own,
 * is that of the whole; with items that are written, and places alone. */
static void test_parts(void **state)
{
    static const char *const algorithms[] = { "scan_lookback", "reduce_then_scan",
                                              "scan_single_group" };
    static cl_uint addends[COUNT];
    static cl_ulong expected[COUNT], found[COUNT];
    uint64_t seed = 7;

    for (size_t i = 0; i < COUNT; ++i) {
        addends[i] = (cl_uint)draw(&seed, 1000);
    }
    const cl_mem in = copied_buffer(addends, sizeof(addends));
    for (size_t a = 0; a < 6; ++a) {
        const cl_mem out = coloured_buffer(sizeof(found));
        const cl_mem memory = coloured_buffer(2 * sizeof(cl_ulong)); /* number, carry */
        const cl_uint init = 5;
        clfold_part part = { .whole = COUNT, .carry_out = { memory, 2 } };
        clfold_fold fold = {
            .op = CLFOLD_ADD,
            .type = CLFOLD_U32,
            .keep = "(item ^ prev) & 512",
            .out = CLFOLD_U64,
            .result = a % 2 ? "i" : "to_u64(item) << 32 | to_u64(prev)",
            .init = &init,
            .init_size = sizeof(init),
            .num_out = { memory, 0 },
            .algorithm = algorithms[a / 2],
        };
        cl_ulong num = 0, more, kept = 0;
        const clfold_status status =
            call_operation(CLFOLD_SELECT, &fold, in, 0, out, 0, COUNT);
        const bool has = !(status == CLFOLD_ERROR_UNSUPPORTED && a < 2);
        assert_true(!has || status == CLFOLD_OK);
        load_buffer(memory, 0, has ? sizeof(num) : 0, &num);
        load_buffer(out, 0, sizeof(expected), expected);
        write_buffer(out, 0, num * sizeof(*found), found); /* zeros in their place */
        fold.part = &part;
        for (size_t count; has && part.first < COUNT; part.first += count) {
            part.carry_at =
                (clfold_place){ part.first > 0 ? memory : NULL, part.first > 0 ? 2 : 0 };
            count = 1 + draw(&seed, 5000);
            count = count < COUNT - part.first ? count : COUNT - (size_t)part.first;
            assert_ok(call_operation(CLFOLD_SELECT, &fold, in, (size_t)part.first, out,
                                     (size_t)kept, count));
            load_buffer(memory, 0, sizeof(more), &more);
            kept += more;
        }
        assert_true(kept == num && (num > 0) == has);
        load_buffer(out, 0, sizeof(found), found);
        assert_memory_equal(found, expected, sizeof(found));
        memset(found, 0, sizeof(found));
        clReleaseMemObject(out);
        clReleaseMemObject(memory);
    }
    clReleaseMemObject(in);
}

/* A select's algorithm; and of one that scans: its launches, those that are left out
 * where no item is written, and that a call after prepare builds nothing. */
static void test_policy(void **state)
{
    const clfold_fold select = { .type = CLFOLD_U32, .keep = "x" };
    clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_U32, .keep = "item & 1" };
    const cl_mem in = coloured_buffer(5000 * 4), out = coloured_buffer(5000 * 4);
    clfold_stats before, after;
    clfold_report report;

    assert_ok(clfold_explain(ctx, CLFOLD_SELECT, &select, 1 << 24, NULL, &report));
    assert_string_equal(report.algorithm,
                        device.ends_loops ? "reduce_then_scan" : "scan_lookback");
    assert_ok(clfold_prepare(ctx, CLFOLD_SELECT, &select, 1 << 20, NULL));
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
        assert_ok(call_operation(CLFOLD_SELECT, &fold, in, 0, out, 0, 5000));
        assert_ok(clfold_context_stats(ctx, &after));
        assert_int_equal(after.builds, before.builds);
    }
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

TEST_MAIN("select", open_context, close_context, cmocka_unit_test(test_parts),
          cmocka_unit_test(test_policy))
