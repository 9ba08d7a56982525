/* Every argument that scans refuse: the status, a sentence that names it, an output that
 * stays as it was, and *event NULL. What all calls share is in arguments.c as well. */
#include "device.h"
#include "lookback.h"
#include "order_check.h"
#include "test.h"

#define COUNT 1000

static struct device device;
static clfold_context *ctx;
static cl_mem in, out, spare; /* COUNT floats, COUNT + 1, 64 */

static const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };
static const clfold_fold least = { .op = CLFOLD_ARG_MIN, .type = CLFOLD_F32 };

typedef clfold_status scan_function(clfold_context *context, cl_command_queue queue,
                                    const clfold_fold *fold, cl_mem in, size_t in_offset,
                                    cl_mem out, size_t out_offset, size_t count,
                                    cl_uint num_wait, const cl_event *wait,
                                    cl_event *event);

static scan_function *const scans[] = { clfold_inclusive_scan, clfold_exclusive_scan };
static const char *const names[] = { "clfold_inclusive_scan", "clfold_exclusive_scan" };
static const clfold_operation operations[] = { CLFOLD_INCLUSIVE_SCAN,
                                               CLFOLD_EXCLUSIVE_SCAN };

static cl_mem buffer(cl_context context, cl_mem_flags flags, size_t bytes)
{
    cl_int status;
    cl_mem mem = clCreateBuffer(context, flags, bytes, NULL, &status);

    assert_int_equal(status, CL_SUCCESS);
    return mem;
}

/* So that a kernel that ran would show. */
static void paint(cl_mem mem, size_t bytes)
{
    const cl_uint colour = 0xa5a5a5a5;

    assert_int_equal(clEnqueueFillBuffer(device.queue, mem, &colour, sizeof(colour), 0,
                                         bytes, 0, NULL, NULL),
                     CL_SUCCESS);
}

static void assert_painted(cl_mem mem, size_t num)
{
    cl_uint found[COUNT + 1];

    assert_int_equal(
        clEnqueueReadBuffer(device.queue, mem, CL_TRUE, 0, num * 4, found, 0, NULL, NULL),
        CL_SUCCESS);
    for (size_t i = 0; i < num; ++i) {
        assert_int_equal(found[i], 0xa5a5a5a5);
    }
}

#define refuse(k, queue, fold, in, in_offset, out, out_offset, count, num_wait, wait,    \
               status, words)                                                            \
    do {                                                                                 \
        cl_event event_ = (cl_event)&device;                                             \
        assert_refused(scans[k](ctx, queue, fold, in, in_offset, out, out_offset, count, \
                                num_wait, wait, &event_),                                \
                       status, words);                                                   \
        assert_null(event_);                                                             \
    } while (0)

/* By both, over the whole of `in` and `out`, and beforehand. */
#define refuse_fold(fold, status, words)                                                 \
    for (size_t k_ = 0; k_ < 2; ++k_) {                                                  \
        clfold_report report_;                                                           \
        refuse(k_, device.queue, &(fold), in, 0, out, 0, COUNT, 0, NULL, status, words); \
        assert_refused(clfold_prepare(ctx, operations[k_], &(fold), COUNT), status,      \
                       words);                                                           \
        assert_refused(clfold_explain(ctx, operations[k_], &(fold), COUNT, &report_),    \
                       status, words);                                                   \
    }

/* By both, where only a call has the argument. */
#define refuse_call(queue, fold, in, in_offset, out, out_offset, count, status, words)   \
    for (size_t k_ = 0; k_ < 2; ++k_) {                                                  \
        refuse(k_, queue, &(fold), in, in_offset, out, out_offset, count, 0, NULL,       \
               status, words);                                                           \
    }

static void test_null(void **state)
{
    const cl_event none = NULL;
    cl_int status;
    cl_context other = clCreateContext(NULL, 1, &device.id, NULL, NULL, &status);
    cl_event foreign = clCreateUserEvent(other, &status);

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    for (size_t k = 0; k < 2; ++k) {
        assert_refused(
            scans[k](NULL, device.queue, &sum, in, 0, out, 0, 1, 0, NULL, NULL),
            CLFOLD_ERROR_ARGUMENT, "context is NULL");
        assert_non_null(strstr(clfold_last_error(), names[k]));
        refuse(k, device.queue, NULL, in, 0, out, 0, 1, 0, NULL, CLFOLD_ERROR_ARGUMENT,
               "fold is NULL");
        refuse(k, NULL, &sum, in, 0, out, 0, 1, 0, NULL, CLFOLD_ERROR_ARGUMENT,
               "queue is NULL");
        refuse(k, device.queue, &sum, NULL, 0, out, 0, 1, 0, NULL, CLFOLD_ERROR_ARGUMENT,
               "in is NULL");
        refuse(k, device.queue, &sum, in, 0, NULL, 0, 1, 0, NULL, CLFOLD_ERROR_ARGUMENT,
               "out is NULL");
        refuse(k, device.queue, &sum, in, 0, out, 0, 1, 1, NULL, CLFOLD_ERROR_ARGUMENT,
               "num_wait is 1");
        refuse(k, device.queue, &sum, in, 0, out, 0, 1, 1, &none, CLFOLD_ERROR_ARGUMENT,
               "wait[0] is NULL");
        refuse(k, device.queue, &sum, in, 0, out, 0, 1, 1, &foreign,
               CLFOLD_ERROR_ARGUMENT, "is of another cl_context");
        /* Nothing needs no buffer. */
        assert_ok(scans[k](ctx, device.queue, &sum, NULL, 0, NULL, 0, 0, 0, NULL, NULL));
        assert_ok(scans[k](ctx, device.queue, &sum, in, 3, in, 2, 0, 0, NULL, NULL));
    }
    clSetUserEventStatus(foreign, CL_COMPLETE);
    clReleaseEvent(foreign);
    clReleaseContext(other);
}

static void test_fold(void **state)
{
    clfold_fold fold = sum;

    (void)state;
    fold.op = 99;
    refuse_fold(fold, CLFOLD_ERROR_ARGUMENT, "op 99");
    fold.op = CLFOLD_MOMENTS;
    refuse_fold(fold, CLFOLD_ERROR_UNSUPPORTED, "CLFOLD_MOMENTS");
    fold.op = CLFOLD_BIT_OR;
    refuse_fold(fold, CLFOLD_ERROR_ARGUMENT, "folds integers, and type is f32");
    fold = sum;
    fold.type = CLFOLD_I32;
    fold.in = CLFOLD_F32;
    refuse_fold(fold, CLFOLD_ERROR_UNSUPPORTED, "type i32 folded from in f32");
    fold = sum;
    fold.out = CLFOLD_I32;
    refuse_fold(fold, CLFOLD_ERROR_UNSUPPORTED, "out i32");
    fold = sum;
    fold.reserved[0] = 1;
    refuse_fold(fold, CLFOLD_ERROR_ARGUMENT, "reserved[");
    fold = sum;
    fold.cuts = "b.f != 0";
    refuse_fold(fold, CLFOLD_ERROR_UNSUPPORTED, "cuts");
    fold = sum;
    fold.count_at.mem = spare;
    refuse_fold(fold, CLFOLD_ERROR_UNSUPPORTED, "count_at");
}

static void test_algorithms(void **state)
{
    const char *const wrong[] = { "reduce_tiles",       "reduce0",
                                  "lookback",           "single_group",
                                  "scan_single_group ", "" };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        clfold_fold fold = sum;
        char words[64];
        fold.algorithm = wrong[i];
        snprintf(words, sizeof(words), "algorithm \"%s\"", wrong[i]);
        refuse_fold(fold, CLFOLD_ERROR_UNSUPPORTED, words);
        /* For nothing as well. */
        refuse_call(device.queue, fold, in, 0, out, 0, 0, CLFOLD_ERROR_UNSUPPORTED,
                    words);
    }
    for (size_t i = 0; i < ORDER_ALGORITHMS; ++i) {
        const struct debug none = { 0 };
        clfold_fold fold = sum;
        clfold_report report;
        fold.algorithm = order_algorithms[i];
        clfold_status status =
            clfold_explain(ctx, CLFOLD_EXCLUSIVE_SCAN, &fold, COUNT, &report);
        if (!is_due_refusal(&device, fold.algorithm, &none, false, status)) {
            assert_ok(status);
            assert_string_equal(report.algorithm, order_algorithms[i]);
        }
        assert_refused(clfold_explain(ctx, CLFOLD_REDUCE, &fold, COUNT, &report),
                       CLFOLD_ERROR_UNSUPPORTED, order_algorithms[i]);
    }
}

/* Neither identity nor init: an exclusive scan has no first item, and nothing no total.
 */
static void test_no_identity(void **state)
{
    const clfold_arg_value init = { .index = 7 };
    clfold_fold fold = least;
    cl_mem places = buffer(device.context, CL_MEM_READ_WRITE, 16 * (COUNT + 1));

    (void)state;
    for (size_t count = 0; count <= 10; count += 10) {
        refuse(1, device.queue, &least, in, 0, places, 0, count, 0, NULL,
               CLFOLD_ERROR_ARGUMENT, "arg-min, which has no identity, needs init");
    }
    assert_ok(clfold_inclusive_scan(ctx, device.queue, &least, in, 0, places, 0, 10, 0,
                                    NULL, NULL));
    assert_ok(clfold_inclusive_scan(ctx, device.queue, &least, in, 0, places, 0, 0, 0,
                                    NULL, NULL));
    fold.total_at = (clfold_place){ places, COUNT };
    refuse(0, device.queue, &fold, in, 0, places, 0, 0, 0, NULL, CLFOLD_ERROR_EMPTY,
           "total_at");
    fold.init_at = (clfold_place){ places, COUNT };
    for (size_t k = 0; k < 2; ++k) {
        assert_ok(
            scans[k](ctx, device.queue, &fold, in, 0, places, 0, 10, 0, NULL, NULL));
        assert_ok(scans[k](ctx, device.queue, &fold, in, 0, places, 0, 0, 0, NULL, NULL));
    }
    fold.init_at = (clfold_place){ NULL, 0 };
    fold.init = &init;
    fold.init_size = sizeof(init);
    assert_ok(clfold_exclusive_scan(ctx, device.queue, &fold, in, 0, places, 0, 0, 0,
                                    NULL, NULL));
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    clReleaseMemObject(places);
}

static void test_init(void **state)
{
    const cl_float value = 1;
    clfold_fold fold = sum;
    cl_mem write_only = buffer(device.context, CL_MEM_WRITE_ONLY, 64);

    (void)state;
    fold.init = &value;
    refuse_fold(fold, CLFOLD_ERROR_ARGUMENT, "init_size 0");
    fold.init_size = 8;
    refuse_fold(fold, CLFOLD_ERROR_ARGUMENT, "init_size 8");
    fold.init_size = 4;
    fold.init_at.mem = spare;
    refuse_call(device.queue, fold, in, 0, out, 0, COUNT, CLFOLD_ERROR_ARGUMENT,
                "are both given");
    fold.init = NULL;
    fold.init_size = 0;
    fold.init_at = (clfold_place){ NULL, 3 };
    refuse_call(device.queue, fold, in, 0, out, 0, COUNT, CLFOLD_ERROR_ARGUMENT,
                "init_at: mem is NULL, but offset is 3");
    fold.init_at = (clfold_place){ spare, 64 };
    refuse_call(device.queue, fold, in, 0, out, 0, COUNT, CLFOLD_ERROR_RANGE,
                "init_at holds 64 elements of f32, init_at.offset 64");
    fold.init_at = (clfold_place){ spare, SIZE_MAX };
    refuse_call(device.queue, fold, in, 0, out, 0, COUNT, CLFOLD_ERROR_RANGE, "init_at");
    fold.init_at = (clfold_place){ write_only, 0 };
    refuse_call(device.queue, fold, in, 0, out, 0, COUNT, CLFOLD_ERROR_ARGUMENT,
                "init_at");
    fold.init_at = (clfold_place){ out, 5 };
    refuse_call(device.queue, fold, in, 0, out, 0, COUNT, CLFOLD_ERROR_OVERLAP,
                "init_at");
    clReleaseMemObject(write_only);
}

static void test_total(void **state)
{
    clfold_fold fold = sum;
    cl_mem read_only = buffer(device.context, CL_MEM_READ_ONLY, 64);

    (void)state;
    fold.total_at = (clfold_place){ NULL, 2 };
    refuse_call(device.queue, fold, in, 0, out, 0, COUNT, CLFOLD_ERROR_ARGUMENT,
                "total_at: mem is NULL, but offset is 2");
    fold.total_at = (clfold_place){ spare, 64 };
    refuse_call(device.queue, fold, in, 0, out, 0, COUNT, CLFOLD_ERROR_RANGE,
                "total_at holds 64 elements of f32, total_at.offset 64");
    fold.total_at = (clfold_place){ read_only, 0 };
    refuse_call(device.queue, fold, in, 0, out, 0, COUNT, CLFOLD_ERROR_ARGUMENT,
                "total_at");
    /* In the input, in the output, and beside them. */
    fold.total_at = (clfold_place){ in, COUNT - 1 };
    refuse_call(device.queue, fold, in, 0, out, 0, COUNT, CLFOLD_ERROR_OVERLAP,
                "total_at, bytes 3996 to 3999, overlaps in");
    refuse_call(device.queue, fold, in, 0, in, 0, COUNT, CLFOLD_ERROR_OVERLAP,
                "total_at");
    fold.total_at = (clfold_place){ out, COUNT - 1 };
    refuse_call(device.queue, fold, in, 0, out, 0, COUNT, CLFOLD_ERROR_OVERLAP,
                "total_at, bytes 3996 to 3999, overlaps out");
    fold.total_at = (clfold_place){ out, 0 };
    refuse_call(device.queue, fold, in, 0, out, 0, COUNT, CLFOLD_ERROR_OVERLAP,
                "total_at");
    assert_painted(out, COUNT + 1);
    for (size_t k = 0; k < 2; ++k) {
        fold.total_at = (clfold_place){ out, 0 };
        assert_ok(
            scans[k](ctx, device.queue, &fold, in, 0, out, 1, COUNT, 0, NULL, NULL));
        fold.total_at = (clfold_place){ out, COUNT };
        assert_ok(
            scans[k](ctx, device.queue, &fold, in, 0, out, 0, COUNT, 0, NULL, NULL));
        fold.total_at = (clfold_place){ in, COUNT - 1 };
        assert_ok(
            scans[k](ctx, device.queue, &fold, in, 0, out, 0, COUNT - 1, 0, NULL, NULL));
    }
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    paint(out, (COUNT + 1) * 4);
    clReleaseMemObject(read_only);
}

static void test_ranges(void **state)
{
    const clfold_fold wide = { .op = CLFOLD_ADD, .type = CLFOLD_I64, .in = CLFOLD_I8 };

    (void)state;
    refuse_call(device.queue, sum, in, 0, out, 0, COUNT + 1, CLFOLD_ERROR_RANGE,
                "in holds 1000 elements of f32, in_offset 0 + count 1001");
    refuse_call(device.queue, sum, in, 1, out, 0, COUNT, CLFOLD_ERROR_RANGE,
                "in_offset 1 + count 1000");
    refuse_call(device.queue, sum, in, 0, out, 2, COUNT, CLFOLD_ERROR_RANGE,
                "out holds 1001 elements of f32, out_offset 2 + count 1000");
    refuse_call(device.queue, least, in, 0, out, 0, 251, CLFOLD_ERROR_RANGE,
                "out holds 250 results of arg-min");
    /* The results are wider than the elements. */
    refuse_call(device.queue, wide, in, 0, out, 0, 501, CLFOLD_ERROR_RANGE,
                "out holds 500 elements of i64");
    refuse_call(device.queue, sum, in, SIZE_MAX, out, 0, 2, CLFOLD_ERROR_RANGE,
                "overflows");
    refuse_call(device.queue, sum, in, 0, out, SIZE_MAX, 2, CLFOLD_ERROR_RANGE,
                "out_offset");
    for (size_t k = 0; k < 2; ++k) {
        clfold_report report;
        assert_refused(clfold_explain(ctx, operations[k], &sum, SIZE_MAX, &report),
                       CLFOLD_ERROR_RANGE, "count 18446744073709551615 of 4 bytes each");
        /* Of the wider of both. */
        assert_refused(clfold_prepare(ctx, operations[k], &wide, SIZE_MAX / 4),
                       CLFOLD_ERROR_RANGE, "of 8 bytes each overflows");
    }
}

static void test_overlap(void **state)
{
    const clfold_fold wide = { .op = CLFOLD_ADD, .type = CLFOLD_I64, .in = CLFOLD_I32 };
    const clfold_fold narrow = { .op = CLFOLD_ADD, .type = CLFOLD_I16, .in = CLFOLD_I32 };
    cl_uint align_bits = 0;
    cl_int status;

    (void)state;
    refuse_call(device.queue, sum, in, 0, in, 1, COUNT - 1, CLFOLD_ERROR_OVERLAP,
                "out, bytes 4 to 3999, overlaps in, bytes 0 to 3995");
    refuse_call(device.queue, sum, in, 1, in, 0, COUNT - 1, CLFOLD_ERROR_OVERLAP,
                "overlaps");
    refuse_call(device.queue, sum, in, 0, in, 499, 500, CLFOLD_ERROR_OVERLAP, "overlaps");
    /* In place with elements of another size: each result falls on other elements. */
    refuse_call(device.queue, wide, in, 0, in, 0, 500, CLFOLD_ERROR_OVERLAP,
                "out is in the place of in, with elements of 8 bytes for 4");
    refuse_call(device.queue, narrow, in, 0, in, 0, 500, CLFOLD_ERROR_OVERLAP,
                "with elements of 2 bytes for 4");
    refuse_call(device.queue, wide, in, 0, in, 0, 1, CLFOLD_ERROR_OVERLAP,
                "in the place");

    clGetDeviceInfo(device.id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(align_bits),
                    &align_bits, NULL);
    size_t align = align_bits / 8, floats = align / 4;
    cl_mem parent = buffer(device.context, CL_MEM_READ_WRITE, 4 * align);
    const cl_buffer_region low = { 0, 3 * align }, high = { align, 3 * align };
    cl_mem left = clCreateSubBuffer(parent, CL_MEM_READ_WRITE,
                                    CL_BUFFER_CREATE_TYPE_REGION, &low, &status);
    assert_int_equal(status, CL_SUCCESS);
    cl_mem right = clCreateSubBuffer(parent, CL_MEM_READ_WRITE,
                                     CL_BUFFER_CREATE_TYPE_REGION, &high, &status);
    assert_int_equal(status, CL_SUCCESS);
    refuse_call(device.queue, sum, left, 0, right, 0, 2 * floats, CLFOLD_ERROR_OVERLAP,
                "overlaps");
    refuse_call(device.queue, sum, right, 0, parent, 0, 2 * floats, CLFOLD_ERROR_OVERLAP,
                "overlaps");
    clfold_fold fold = sum;
    fold.total_at = (clfold_place){ right, 0 };
    refuse_call(device.queue, fold, left, 0, out, 0, floats + 1, CLFOLD_ERROR_OVERLAP,
                "total_at");
    fold.total_at = (clfold_place){ NULL, 0 };
    fold.init_at = (clfold_place){ left, floats };
    refuse_call(device.queue, fold, spare, 0, right, 0, 1, CLFOLD_ERROR_OVERLAP,
                "init_at");
    /* The same byte by two names, and runs that do not meet. */
    for (size_t k = 0; k < 2; ++k) {
        assert_ok(scans[k](ctx, device.queue, &sum, left, floats, right, 0, floats, 0,
                           NULL, NULL));
        assert_ok(
            scans[k](ctx, device.queue, &sum, left, 0, right, 0, floats, 0, NULL, NULL));
        assert_ok(scans[k](ctx, device.queue, &sum, in, 0, in, 500, 500, 0, NULL, NULL));
    }
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    clReleaseMemObject(left);
    clReleaseMemObject(right);
    clReleaseMemObject(parent);
}

static void test_objects(void **state)
{
    cl_int status;
    cl_context other = clCreateContext(NULL, 1, &device.id, NULL, NULL, &status);
    struct device there = device;
    clfold_fold fold = sum;

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    there.context = other;
    cl_command_queue queue = device_queue(&there, 0);
    cl_mem mem = buffer(other, CL_MEM_READ_WRITE, COUNT * 4);
    cl_mem write_only = buffer(device.context, CL_MEM_WRITE_ONLY, COUNT * 4);
    cl_mem read_only = buffer(device.context, CL_MEM_READ_ONLY, COUNT * 4);
    refuse_call(queue, sum, in, 0, out, 0, 1, CLFOLD_ERROR_ARGUMENT,
                "of another cl_context");
    refuse_call(device.queue, sum, mem, 0, out, 0, 1, CLFOLD_ERROR_ARGUMENT, "in ");
    refuse_call(device.queue, sum, in, 0, mem, 0, 1, CLFOLD_ERROR_ARGUMENT, "out ");
    fold.total_at.mem = mem;
    refuse_call(device.queue, fold, in, 0, out, 0, 1, CLFOLD_ERROR_ARGUMENT, "total_at ");
    fold = sum;
    fold.init_at.mem = mem;
    refuse_call(device.queue, fold, in, 0, out, 0, 1, CLFOLD_ERROR_ARGUMENT, "init_at ");
    refuse_call(device.queue, sum, write_only, 0, out, 0, 1, CLFOLD_ERROR_ARGUMENT,
                "write-only");
    refuse_call(device.queue, sum, in, 0, read_only, 0, 1, CLFOLD_ERROR_ARGUMENT,
                "read-only");
    clReleaseMemObject(read_only);
    clReleaseMemObject(write_only);
    clReleaseMemObject(mem);
    clReleaseCommandQueue(queue);
    clReleaseContext(other);
}

static int begin(void **state)
{
    (void)state;
    paint(out, (COUNT + 1) * 4);
    paint(spare, 64 * 4);
    return 0;
}

static int open_device(void **state)
{
    (void)state;
    device_init(&device);
    in = buffer(device.context, CL_MEM_READ_WRITE, COUNT * 4);
    out = buffer(device.context, CL_MEM_READ_WRITE, (COUNT + 1) * 4);
    spare = buffer(device.context, CL_MEM_READ_WRITE, 64 * 4);
    paint(in, COUNT * 4);
    return clfold_context_create(&ctx, device.context, device.id, NULL);
}

/* A refused call has written nothing. */
static int end(void **state)
{
    (void)state;
    assert_painted(out, COUNT + 1);
    assert_painted(spare, 64);
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    clfold_context_destroy(&ctx);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(spare);
    device_finish(&device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_null, begin, end),
        cmocka_unit_test_setup_teardown(test_fold, begin, end),
        cmocka_unit_test_setup_teardown(test_algorithms, begin, end),
        cmocka_unit_test_setup_teardown(test_no_identity, begin, end),
        cmocka_unit_test_setup_teardown(test_init, begin, end),
        cmocka_unit_test_setup_teardown(test_total, begin, end),
        cmocka_unit_test_setup_teardown(test_ranges, begin, end),
        cmocka_unit_test_setup_teardown(test_overlap, begin, end),
        cmocka_unit_test_setup_teardown(test_objects, begin, end),
    };

    return cmocka_run_group_tests_name("scan_arguments", tests, open_device,
                                       close_device);
}
