/* The snippets of the API reference, one for each function, between two marks with its
 * name, by which the header's comments include it. */
#include <clfold/experimental.h>
#include "one_context.h"
#include "test.h"

#include "ops/context.h"

static cl_command_queue queue;
static cl_mem in, out, num;

/* `mem` begins with these elements. */
#define assert_holds(mem, ...)                                                           \
    do {                                                                                 \
        const cl_uint expected[] = { __VA_ARGS__ };                                      \
        cl_uint found[sizeof(expected) / sizeof(cl_uint)];                               \
        load_buffer(mem, 0, sizeof(found), found);                                       \
        assert_memory_equal(found, expected, sizeof(found));                             \
    } while (0)

/* ---- Status ------------------------------------------------------------------------ */

static void test_status(void **state)
{
    /* [clfold_status_name] */
    clfold_status status =
        clfold_reduce(ctx, queue, NULL, in, 0, out, 0, 8, 0, NULL, NULL);
    if (status != CLFOLD_OK) {
        printf("clfold: %s\n", clfold_status_name(status));
    }
    assert_string_equal(clfold_status_name(status), "CLFOLD_ERROR_ARGUMENT");
    assert_string_equal(clfold_status_name(CL_OUT_OF_RESOURCES), "CL_OUT_OF_RESOURCES");
    /* [clfold_status_name] */
    /* [clfold_version] */
    /* A program that is built with one version may run with another. */
    if (clfold_version() < CLFOLD_VERSION) {
        fail_msg("clfold %u is too old", (unsigned)clfold_version());
    }
    /* [clfold_version] */
    assert_int_equal(clfold_version(), CLFOLD_VERSION);
    /* [clfold_last_error] */
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_U32, .name = "sum" };

    /* `in` has 8 elements, not 9. */
    assert_int_equal(clfold_reduce(ctx, queue, &sum, in, 0, out, 0, 9, 0, NULL, NULL),
                     CLFOLD_ERROR_RANGE);
    assert_string_equal(clfold_last_error(),
                        "sum: in holds 8 elements of u32, but in_offset 0 + count 9 is "
                        "past its end (CLFOLD_ERROR_RANGE)");
    /* [clfold_last_error] */
}

/* ---- Context ----------------------------------------------------------------------- */

/* [clfold_context_create] */
static void print_log(void *user, int level, const char *message)
{
    fprintf(user, "%s: %s\n", level == CLFOLD_LOG_ERROR ? "error" : "note", message);
}

static clfold_context *create(cl_context context, cl_device_id id)
{
    const clfold_context_params params = { .log = print_log,
                                           .user = stderr,
                                           .scratch_limit = 64 << 20 };
    clfold_context *made;

    assert_ok(clfold_context_create(&made, context, id, &params));
    return made;
}
/* [clfold_context_create] */

static void test_contexts(void **state)
{
    clfold_context *mine = create(device.context, device.id);

    /* [clfold_context_destroy] */
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_U32 };

    assert_ok(clfold_reduce(mine, queue, &sum, in, 0, out, 0, 8, 0, NULL, NULL));
    clfold_context_destroy(&mine); /* does not wait: the reduction still completes */
    assert_null(mine);
    assert_holds(out, 31);
    /* [clfold_context_destroy] */
    /* [clfold_context_stats] */
    const clfold_fold largest = { .op = CLFOLD_MAX, .type = CLFOLD_U32 };
    clfold_stats before, after;

    assert_ok(clfold_prepare(ctx, CLFOLD_REDUCE, &largest, 8, NULL));
    assert_ok(clfold_context_stats(ctx, &before));
    assert_ok(clfold_reduce(ctx, queue, &largest, in, 0, out, 0, 8, 0, NULL, NULL));
    assert_ok(clfold_context_stats(ctx, &after));
    assert_int_equal(after.calls, before.calls + 1);
    assert_int_equal(after.builds, before.builds); /* the program was there */
    /* [clfold_context_stats] */
}

static void test_context_trim(void **state)
{
    /* [clfold_context_trim] */
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_U32 };
    clfold_stats stats;
    cl_uint result;

    assert_ok(clfold_reduce_host(ctx, queue, &sum, in, 0, 8, &result, sizeof(result)));
    clfold_context_trim(ctx); /* before a phase in which the program folds nothing */
    assert_ok(clfold_context_stats(ctx, &stats));
    assert_int_equal(stats.scratch_bytes, 0);
    /* [clfold_context_trim] */
}

/* ---- Calls ------------------------------------------------------------------------- */

static void test_calls(void **state)
{
    /* [clfold_reduce] */
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_U32 };
    cl_event summed;
    cl_uint result;

    /* The sum of in[2] to in[5] goes to out[0]. */
    assert_ok(clfold_reduce(ctx, queue, &sum, in, 2, out, 0, 4, 0, NULL, &summed));
    assert_int_equal(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(result), &result,
                                         1, &summed, NULL),
                     CL_SUCCESS);
    clReleaseEvent(summed);
    assert_int_equal(result, 4 + 1 + 5 + 9);
    /* [clfold_reduce] */
    /* [clfold_inclusive_scan] */
    const cl_uint so_far = 4;
    const clfold_fold largest = {
        .op = CLFOLD_MAX, .type = CLFOLD_U32, .init = &so_far, .init_size = sizeof(so_far)
    };

    assert_ok(
        clfold_inclusive_scan(ctx, queue, &largest, in, 0, out, 0, 8, 0, NULL, NULL));
    assert_holds(out, 4, 4, 4, 4, 5, 9, 9, 9);
    /* [clfold_inclusive_scan] */
    /* [clfold_map] */
    const clfold_fold flag = { .type = CLFOLD_U32, .result = "x > 3 ? 1 : 0" };

    assert_ok(clfold_map(ctx, queue, &flag, in, 0, out, 0, 8, 0, NULL, NULL));
    assert_holds(out, 0, 0, 1, 0, 1, 1, 0, 1);
    /* [clfold_map] */
    /* [clfold_select] */
    const clfold_fold large = { .type = CLFOLD_U32,
                                .keep = "x > 3",
                                .num_out = { num, 0 } };

    assert_ok(clfold_select(ctx, queue, &large, in, 0, out, 0, 8, 0, NULL, NULL));
    assert_holds(out, 4, 5, 9, 6);
    /* [clfold_select] */
    assert_holds(num, 4, 0);
}

static void test_segments(void **state)
{
    /* [clfold_segments] */
    /* Two rows of 4, or four columns of 2:
     *
     *   3 1 4 1
     *   5 9 2 6 */
    const clfold_segments rows = { .by = CLFOLD_BY_LENGTH, .length = 4 };
    const clfold_segments columns = { .by = CLFOLD_BY_COLUMNS,
                                      .columns = 4,
                                      .length = 2 };
    clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_U32, .segments = &rows };

    assert_ok(clfold_reduce(ctx, queue, &sum, in, 0, out, 0, 8, 0, NULL, NULL));
    assert_holds(out, 9, 22);
    sum.segments = &columns;
    assert_ok(clfold_reduce(ctx, queue, &sum, in, 0, out, 0, 8, 0, NULL, NULL));
    assert_holds(out, 8, 10, 6, 7);
    /* [clfold_segments] */
    /* [clfold_segments_keys] */
    /* Runs of odd and even numbers, of which there are not more than four:
     *
     *   3 1   4   1 5 9   2 6 */
    const clfold_segments runs = {
        .by = CLFOLD_BY_KEYS, .type = CLFOLD_U32, .mem = in, .num = 4
    };
    const clfold_fold sums = { .op = CLFOLD_ADD,
                               .type = CLFOLD_U32,
                               .segments = &runs,
                               .equal = "(a & 1) == (b & 1)",
                               .keys_out = { out, 4 },
                               .num_out = { num, 0 } };

    assert_ok(clfold_reduce(ctx, queue, &sums, in, 0, out, 0, 8, 0, NULL, NULL));
    assert_holds(out, 4, 4, 15, 8, /* keys: */ 3, 4, 1, 2);
    /* [clfold_segments_keys] */
    assert_holds(num, 4, 0);
}

static void test_part(void **state)
{
    /* [clfold_part] */
    /* A scan of 8 elements as two calls: the second goes on from the first's carry. */
    cl_mem carry = clCreateBuffer(device.context, CL_MEM_READ_WRITE, 4, NULL, NULL);
    clfold_part part = { .first = 0, .whole = 8, .carry_out = { carry, 0 } };
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_U32, .part = &part };

    assert_ok(clfold_inclusive_scan(ctx, queue, &sum, in, 0, out, 0, 5, 0, NULL, NULL));
    part = (clfold_part){ .first = 5, .whole = 8, .carry_at = { carry, 0 } };
    assert_ok(clfold_inclusive_scan(ctx, queue, &sum, in, 5, out, 5, 3, 0, NULL, NULL));
    assert_holds(out, 3, 4, 8, 9, 14, 23, 25, 31);
    /* [clfold_part] */
    clReleaseMemObject(carry);
}

static void test_fold_carries(void **state)
{
    /* [clfold_fold_carries] */
    /* Two parts, in any order or at once; their carries make the sum of 8 elements. */
    cl_mem carries = clCreateBuffer(device.context, CL_MEM_READ_WRITE, 8, NULL, NULL);
    clfold_part part = { .first = 5, .carry_out = { carries, 1 } };
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_U32, .part = &part };

    assert_ok(clfold_reduce(ctx, queue, &sum, in, 5, out, 0, 3, 0, NULL, NULL));
    part = (clfold_part){ .first = 0, .carry_out = { carries, 0 } };
    assert_ok(clfold_reduce(ctx, queue, &sum, in, 0, out, 0, 5, 0, NULL, NULL));
    assert_ok(
        clfold_fold_carries(ctx, queue, &sum, carries, 0, carries, 0, 2, 0, NULL, NULL));
    part = (clfold_part){ .first = 8, .carry_at = { carries, 0 } };
    assert_ok(clfold_reduce(ctx, queue, &sum, in, 8, out, 0, 0, 0, NULL, NULL));
    assert_holds(out, 31);
    /* [clfold_fold_carries] */
    clReleaseMemObject(carries);
}

static void test_messages(void **state)
{
    clfold_context *loud;
    const clfold_context_params params = { .log = print_log, .user = stderr };

    assert_ok(device_context(&loud, &device, &params));
    /* [clfold_set_error] */
    assert_int_equal(
        clfold_set_error(loud, CLFOLD_ERROR_DATA, "my_sum", "line 3 has no number"),
        CLFOLD_ERROR_DATA);
    assert_string_equal(clfold_last_error(),
                        "my_sum: line 3 has no number (CLFOLD_ERROR_DATA)");
    /* [clfold_set_error] */
    /* [clfold_log_line] */
    clfold_log_line(loud, CLFOLD_LOG_WARNING, "my_sum: the file has no lines");
    /* [clfold_log_line] */
    clfold_context_destroy(&loud);
    /* [clfold_check_call] */
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_U32 };

    /* `in` has eight elements. */
    assert_int_equal(
        clfold_check_call(ctx, CLFOLD_REDUCE, queue, &sum, in, 5, out, 0, 4, 0, NULL),
        CLFOLD_ERROR_RANGE);
    /* [clfold_check_call] */
    assert_int_equal(clfold_check_call(ctx, 99, queue, &sum, in, 0, out, 0, 4, 0, NULL),
                     CLFOLD_ERROR_ARGUMENT);
    assert_ok(
        clfold_check_call(ctx, CLFOLD_REDUCE, queue, &sum, in, 4, out, 0, 4, 0, NULL));
}

static void test_group_text(void **state)
{
    if (!device_has_groups()) {
        skip();
    }
    /* [clfold_group_text] */
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_U32 };
    const char *const kernel_text =
        "kernel void before(global const uint *x, global uint *y)\n"
        "{\n"
        "    local sum_room room;\n"
        "    const size_t i = get_global_id(0);\n"
        "    y[i] = sum_group_exclusive_scan(x[i], get_local_size(0), &room);\n"
        "}\n";
    size_t size;

    assert_ok(clfold_group_text(ctx, &sum, "sum", 4, NULL, 0, &size));
    char *const text = malloc(size);
    assert_ok(clfold_group_text(ctx, &sum, "sum", 4, text, size, NULL));
    const char *texts[] = { text, kernel_text };
    cl_program program = clCreateProgramWithSource(device.context, 2, texts, NULL, NULL);
    /* [clfold_group_text] */
    const size_t global = 8, local = 4;
    assert_int_equal(clBuildProgram(program, 1, &device.id, "", NULL, NULL), CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(program, "before", NULL);
    clSetKernelArg(kernel, 0, sizeof(in), &in);
    clSetKernelArg(kernel, 1, sizeof(out), &out);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    assert_holds(out, 0, 3, 4, 8, 0, 5, 14, 16);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    free(text);
}

static void test_scan_and_host(void **state)
{
    /* [clfold_exclusive_scan] */
    /* Lengths of rows become the offsets of CSR; out[8] gets the total. */
    const clfold_fold sum = { .op = CLFOLD_ADD,
                              .type = CLFOLD_U32,
                              .total_out = { out, 8 } };

    assert_ok(clfold_exclusive_scan(ctx, queue, &sum, in, 0, out, 0, 8, 0, NULL, NULL));
    assert_holds(out, 0, 3, 4, 8, 9, 14, 23, 25, 31);
    /* [clfold_exclusive_scan] */
    /* [clfold_reduce_host] */
    const clfold_fold least = { .op = CLFOLD_ARG_MIN, .type = CLFOLD_U32 };
    clfold_indexed result;

    assert_ok(clfold_reduce_host(ctx, queue, &least, in, 0, 8, &result, sizeof(result)));
    assert_int_equal(result.value.u32, 1);
    assert_int_equal(result.index, 1); /* the first of two ones */
    /* [clfold_reduce_host] */
}

/* ---- Beforehand -------------------------------------------------------------------- */

static void test_beforehand(void **state)
{
    /* [clfold_prepare] */
    const clfold_fold product = { .op = CLFOLD_MUL, .type = CLFOLD_U32 };
    clfold_stats stats;

    /* When the program starts, so that no call builds anything later. */
    assert_ok(clfold_prepare(ctx, CLFOLD_REDUCE, &product, 1000000, NULL));
    assert_ok(clfold_context_stats(ctx, &stats));
    assert_true(stats.builds > 0);
    /* [clfold_prepare] */
    /* [clfold_explain] */
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };
    clfold_report report;

    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &sum, 1000000, NULL, &report));
    printf("%s, %zu launches: %s\n", report.algorithm, report.num_launches,
           report.reason);
    assert_string_equal(report.algorithm, "reduce_tiles");
    assert_true(report.bytes_read >= 4000000);
    /* [clfold_explain] */
}

/* ---- Experimental ------------------------------------------------------------------ */

static void test_trace(void **state)
{
    /* [clfold_trace] */
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_U32 };
    clfold_tile_trace tile;
    size_t num_tiles = 0;
    clfold_status status =
        clfold_trace(ctx, queue, &sum, in, 0, out, 0, 8, &tile, 1, &num_tiles);

    if (status == CLFOLD_ERROR_UNSUPPORTED) {
        printf("no look-back: %s\n", clfold_last_error());
    } else {
        assert_ok(status);
        assert_int_equal(num_tiles, 1);
        assert_int_equal(tile.depth, 0); /* the first tile looks back at none */
        assert_holds(out, 3, 4, 8, 9, 14, 23, 25, 31);
    }
    /* [clfold_trace] */
    assert_true(status == CLFOLD_OK || !device.is_known);
}

static void test_explain_tuning(void **state)
{
    /* [clfold_explain_tuning] */
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };
    clfold_tuning_row row;

    assert_ok(clfold_explain_tuning(ctx, CLFOLD_REDUCE, &sum, 1 << 20, &row));
    assert_string_equal(row.operation, "reduce");
    assert_int_equal(row.element_bytes, 4);
    assert_int_equal(row.count_class, 10); /* from 2^19 on and below 2^21 */
    printf("%s of %d bytes, %d groups\n", row.tile, (int)row.tile_bytes, (int)row.groups);
    /* [clfold_explain_tuning] */
}

static void test_explain_text(void **state)
{
    /* [clfold_explain_text] */
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };
    size_t size;

    assert_ok(
        clfold_explain_text(ctx, CLFOLD_REDUCE, &sum, 1 << 20, NULL, 0, NULL, 0, &size));
    char *const text = malloc(size);
    assert_ok(clfold_explain_text(ctx, CLFOLD_REDUCE, &sum, 1 << 20, NULL, 0, text, size,
                                  NULL));
    assert_non_null(strstr(text, "#line 1 \"reduce_tiles.cl\""));
    /* [clfold_explain_text] */
    const char *texts = text;
    cl_program program = clCreateProgramWithSource(device.context, 1, &texts, NULL, NULL);
    assert_int_equal(strlen(text), size - 1);
    assert_int_equal(
        clBuildProgram(program, 1, &device.id, ctx->caps.options, NULL, NULL),
        CL_SUCCESS);
    clReleaseProgram(program);
    free(text);
}

static void test_names(void **state)
{
    /* [clfold_explain_lookback] */
    clfold_lookback known;

    assert_ok(clfold_explain_lookback(ctx, CL_FALSE, &known));
    printf("look-back: %s\n", known.tier ? known.tier : "not probed yet");
    for (int i = 0; known.dropped[i]; ++i) {
        printf("%s dropped: %s\n", known.dropped[i], known.reasons[i]);
    }
    /* [clfold_explain_lookback] */
    assert_true(known.tier || !known.dropped[0]);
    clfold_type type;
    clfold_op op;
    uint32_t num_names = 0;

    /* [clfold_type_name] */
    const char *wanted = "f32"; /* what a person typed */

    for (type = CLFOLD_I8; clfold_type_name(type); ++type) {
        if (strcmp(clfold_type_name(type), wanted) == 0) {
            break;
        }
    }
    assert_int_equal(type, CLFOLD_F32);
    /* [clfold_type_name] */
    /* [clfold_type_size] */
    assert_int_equal(clfold_type_size(CLFOLD_F32), sizeof(cl_float));
    assert_int_equal(clfold_type_size(0), 0); /* not a type */
    /* [clfold_type_size] */
    /* [clfold_op_name] */
    for (op = CLFOLD_ADD; clfold_op_name(op); ++op) {
        printf("%s\n", clfold_op_name(op));
    }
    assert_string_equal(clfold_op_name(CLFOLD_ARG_MIN), "arg-min");
    /* [clfold_op_name] */
    assert_true(op > CLFOLD_MIN_MAX);
    /* [clfold_operation_algorithm] */
    const char *name;

    for (uint32_t i = 0; (name = clfold_operation_algorithm(CLFOLD_EXCLUSIVE_SCAN, i));
         ++i) {
        printf("%s\n", name);
        num_names = i + 1;
    }
    assert_int_equal(num_names, 6);
    /* [clfold_operation_algorithm] */
    /* [clfold_fold_layout] */
    const clfold_fold affine = { .components = "float a; float b",
                                 .combine = "{ a.a * b.a, a.b * b.a + b.b }" };
    clfold_layout layout;

    assert_ok(clfold_fold_layout(&affine, &layout));
    for (uint32_t k = 0; k < layout.num_fields; ++k) {
        printf("%s %s at %zu\n", clfold_type_name(layout.fields[k].type),
               layout.fields[k].name, layout.fields[k].offset);
    }
    assert_int_equal(layout.out_size, 2 * sizeof(cl_float));
    /* [clfold_fold_layout] */
    /* [clfold_builtin] */
    clfold_fold sum = clfold_builtin(CLFOLD_ADD, CLFOLD_U64);
    cl_ulong result;

    sum.in = CLFOLD_U32; /* the elements of `in`; they are summed in 64 bits */
    assert_ok(clfold_reduce_host(ctx, queue, &sum, in, 0, 8, &result, sizeof(result)));
    assert_int_equal(result, 31);
    /* [clfold_builtin] */
}

static int open_buffers(void **state)
{
    cl_uint values[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
    unsetenv("CLFOLD_TEST_CACHE"); /* two snippets count builds */
    const int status = open_context(state);

    queue = device.queue;
    in = copied_buffer(values, sizeof(values));
    out = coloured_buffer(sizeof(values) + 4);
    num = coloured_buffer(sizeof(cl_ulong));
    return status;
}

static int close_buffers(void **state)
{
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(num);
    return close_context(state);
}

TEST_MAIN("snippets", open_buffers, close_buffers, cmocka_unit_test(test_status),
          cmocka_unit_test(test_contexts), cmocka_unit_test(test_context_trim),
          cmocka_unit_test(test_calls), cmocka_unit_test(test_segments),
          cmocka_unit_test(test_part), cmocka_unit_test(test_fold_carries),
          cmocka_unit_test(test_messages), cmocka_unit_test(test_group_text),
          cmocka_unit_test(test_scan_and_host), cmocka_unit_test(test_beforehand),
          cmocka_unit_test(test_trace), cmocka_unit_test(test_explain_tuning),
          cmocka_unit_test(test_explain_text), cmocka_unit_test(test_names))
