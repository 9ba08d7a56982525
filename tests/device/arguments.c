/* Every argument that is refused: the status, and a sentence that names it. A refused
 * call leaves its output alone and *event NULL. */
#include "device.h"
#include "every_text.h"
#include "test.h"

#include "ops/internal.h"

#define COUNT 1000

static struct device device;
static clfold_context *ctx;
static cl_mem in, out;

static const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };

static cl_mem buffer(cl_context context, cl_mem_flags flags, size_t bytes)
{
    cl_int status;
    cl_mem mem = clCreateBuffer(context, flags, bytes, NULL, &status);

    assert_int_equal(status, CL_SUCCESS);
    return mem;
}

/* One refused clfold_reduce, and the same through clfold_reduce_host where that has the
 * argument. */
#define refuse_fold(fold, status, words)                                                 \
    do {                                                                                 \
        cl_event event_ = (cl_event)&device;                                             \
        cl_float result_ = 5;                                                            \
        assert_refused(clfold_reduce(ctx, device.queue, &(fold), in, 0, out, 0, COUNT,   \
                                     0, NULL, &event_),                                  \
                       status, words);                                                   \
        assert_null(event_);                                                             \
        assert_refused(clfold_reduce_host(ctx, device.queue, &(fold), in, 0, COUNT,      \
                                          &result_, sizeof(result_)),                    \
                       status, words);                                                   \
        assert_true(result_ == 5);                                                       \
        assert_refused(clfold_prepare(ctx, CLFOLD_REDUCE, &(fold), COUNT), status,       \
                       words);                                                           \
        clfold_report report_;                                                           \
        assert_refused(clfold_explain(ctx, CLFOLD_REDUCE, &(fold), COUNT, &report_),     \
                       status, words);                                                   \
    } while (0)

#define refuse_reduce(queue, in, in_offset, out, out_offset, count, num_wait, wait,      \
                      status, words)                                                     \
    do {                                                                                 \
        cl_event event_ = (cl_event)&device;                                             \
        assert_refused(clfold_reduce(ctx, queue, &sum, in, in_offset, out, out_offset,   \
                                     count, num_wait, wait, &event_),                    \
                       status, words);                                                   \
        assert_null(event_);                                                             \
    } while (0)

static void test_null(void **state)
{
    clfold_context *none = NULL;
    clfold_stats stats;
    cl_float result;

    (void)state;
    assert_refused(
        clfold_reduce(NULL, device.queue, &sum, in, 0, out, 0, 1, 0, NULL, NULL),
        CLFOLD_ERROR_ARGUMENT, "context is NULL");
    assert_refused(
        clfold_reduce(ctx, device.queue, NULL, in, 0, out, 0, 1, 0, NULL, NULL),
        CLFOLD_ERROR_ARGUMENT, "fold is NULL");
    refuse_reduce(NULL, in, 0, out, 0, 1, 0, NULL, CLFOLD_ERROR_ARGUMENT,
                  "queue is NULL");
    refuse_reduce(device.queue, NULL, 0, out, 0, 1, 0, NULL, CLFOLD_ERROR_ARGUMENT,
                  "in is NULL");
    refuse_reduce(device.queue, in, 0, NULL, 0, 1, 0, NULL, CLFOLD_ERROR_ARGUMENT,
                  "out is NULL");
    assert_refused(clfold_reduce_host(ctx, device.queue, &sum, in, 0, 1, NULL, 4),
                   CLFOLD_ERROR_ARGUMENT, "result is NULL");
    assert_refused(clfold_reduce_host(ctx, device.queue, &sum, in, 0, 1, &result, 8),
                   CLFOLD_ERROR_ARGUMENT, "result_size 8 bytes is not the 4 of add, f32");
    assert_refused(clfold_context_stats(NULL, &stats), CLFOLD_ERROR_ARGUMENT, "context");
    assert_refused(clfold_context_stats(ctx, NULL), CLFOLD_ERROR_ARGUMENT, "out is NULL");
    assert_refused(clfold_explain(ctx, CLFOLD_REDUCE, &sum, 1, NULL),
                   CLFOLD_ERROR_ARGUMENT, "out is NULL");
    assert_refused(clfold_context_create(NULL, device.context, device.id, NULL),
                   CLFOLD_ERROR_ARGUMENT, "out is NULL");
    assert_refused(clfold_context_create(&none, NULL, device.id, NULL),
                   CLFOLD_ERROR_ARGUMENT, "context is NULL");
    assert_null(none);
    assert_refused(clfold_context_create(&none, device.context, NULL, NULL),
                   CLFOLD_ERROR_ARGUMENT, "device is NULL");
    clfold_context_destroy(NULL);
    clfold_context_destroy(&none);
    clfold_context_trim(NULL);
}

static void test_enumerators(void **state)
{
    clfold_fold fold = sum;

    (void)state;
    fold.op = 0;
    refuse_fold(fold, CLFOLD_ERROR_ARGUMENT, "op 0");
    fold.op = 99;
    refuse_fold(fold, CLFOLD_ERROR_ARGUMENT, "op 99");
    for (clfold_op op = CLFOLD_MIN_MAX + 1; op <= CLFOLD_MATRIX_2X2; ++op) {
        fold.op = op;
        refuse_fold(fold, CLFOLD_ERROR_UNSUPPORTED, "op CLFOLD_");
    }
    for (clfold_op op = CLFOLD_BIT_AND; op <= CLFOLD_BIT_XOR; ++op) {
        fold.op = op;
        refuse_fold(fold, CLFOLD_ERROR_ARGUMENT, "folds integers, and type is f32");
    }
    fold = sum;
    fold.type = 0;
    refuse_fold(fold, CLFOLD_ERROR_ARGUMENT, "type 0");
    fold.type = 99;
    refuse_fold(fold, CLFOLD_ERROR_ARGUMENT, "type 99");
    fold = sum;
    fold.in = 99;
    refuse_fold(fold, CLFOLD_ERROR_ARGUMENT, "in 99");
    fold.in = CLFOLD_F32;
    fold.type = CLFOLD_I64;
    refuse_fold(fold, CLFOLD_ERROR_UNSUPPORTED, "type i64 folded from in f32");
    fold = sum;
    fold.out = 99;
    refuse_fold(fold, CLFOLD_ERROR_ARGUMENT, "out 99");
    fold.out = CLFOLD_I32;
    refuse_fold(fold, CLFOLD_ERROR_UNSUPPORTED, "out i32");
    fold = sum;
    fold.accuracy = 99;
    refuse_fold(fold, CLFOLD_ERROR_ARGUMENT, "accuracy 99");
    fold = sum;
    fold.flags = 4;
    refuse_fold(fold, CLFOLD_ERROR_ARGUMENT, "flags 0x4");
    for (size_t i = 0; i < sizeof(fold.reserved) / sizeof(fold.reserved[0]); ++i) {
        fold = sum;
        fold.reserved[i] = 1;
        refuse_fold(fold, CLFOLD_ERROR_ARGUMENT, "reserved[");
    }
    assert_refused(clfold_prepare(ctx, 0, &sum, 1), CLFOLD_ERROR_ARGUMENT, "operation 0");
    assert_refused(clfold_prepare(ctx, 99, &sum, 1), CLFOLD_ERROR_ARGUMENT,
                   "operation 99");
    assert_refused(clfold_prepare(ctx, CLFOLD_UNIQUE, &sum, 1), CLFOLD_ERROR_UNSUPPORTED,
                   "operation");
}

/* What this version lacks is named, one field at a time. */
static void test_later_fields(void **state)
{
    const clfold_segments segments = { .by = CLFOLD_BY_LENGTH, .num = 4 };
    const clfold_arg arg = { 0 };
    const struct {
        const char *field;
        clfold_fold fold;
    } later[] = {
        { "accuracy", { .accuracy = CLFOLD_COMPENSATED } },
        { "CLFOLD_COMMUTATIVE", { .flags = CLFOLD_COMMUTATIVE } },
        { "CLFOLD_CHECKED", { .flags = CLFOLD_CHECKED } },
        { "type_name", { .type_name = "float4" } },
        { "type_size", { .type_size = 16 } },
        { "source", { .source = CLFOLD_HERE } },
        { "combine", { .combine = "a + b" } },
        { "identity", { .identity = "0" } },
        { "load", { .load = "in[i]" } },
        { "store", { .store = "out[i] = item" } },
        { "keep", { .keep = "x > 0" } },
        { "args", { .args = &arg } },
        { "num_args", { .num_args = 1 } },
        { "segments", { .segments = &segments } },
        { "count_at", { .count_at = { in, 0 } } },
        { "components", { .components = "float a" } },
        { "cuts", { .cuts = "b.f" } },
        { "algorithm \"reduce7\"", { .algorithm = "reduce7" } },
        { "algorithm \"\"", { .algorithm = "" } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); ++i) {
        clfold_fold fold = later[i].fold;
        fold.op = CLFOLD_ADD;
        fold.type = CLFOLD_F32;
        refuse_fold(fold, CLFOLD_ERROR_UNSUPPORTED, later[i].field);
    }
    clfold_fold named = sum;
    cl_float result;
    named.algorithm = "reduce_tiles";
    assert_ok(clfold_reduce_host(ctx, device.queue, &named, in, 0, 1, &result, 4));
}

/* Nothing needs no buffer, and overlaps with nothing. */
static void test_nothing(void **state)
{
    const clfold_fold wide = { .op = CLFOLD_ADD, .type = CLFOLD_F64, .in = CLFOLD_F32 };
    cl_float result = 1;

    (void)state;
    assert_ok(clfold_reduce_host(ctx, device.queue, &sum, NULL, 0, 0, &result, 4));
    assert_true(result == 0);
    assert_ok(clfold_reduce(ctx, device.queue, &sum, NULL, 7, out, 0, 0, 0, NULL, NULL));
    refuse_reduce(device.queue, NULL, 0, out, 0, 1, 0, NULL, CLFOLD_ERROR_ARGUMENT,
                  "in is NULL");
    if (device.has_f64) {
        assert_ok(
            clfold_reduce(ctx, device.queue, &wide, out, 3, out, 1, 0, 0, NULL, NULL));
    }
}

/* An operator that does not commute is refused by the rungs that reorder. */
static void test_rungs(void **state)
{
    const struct monoid affine = affine_monoid(CLFOLD_F32);

    (void)state;
    for (int rung = 0; rung < 7; ++rung) {
        char name[8], words[64];
        snprintf(name, sizeof(name), "reduce%d", rung);
        snprintf(words, sizeof(words), "affine: algorithm \"%s\" reorders", name);
        clfold_status status = clfold_reduce_monoid(ctx, device.queue, &affine, name, in,
                                                    0, out, 0, 0, NULL, 0, NULL, NULL);
        assert_int_equal(status, rung < 2 ? CLFOLD_OK : CLFOLD_ERROR_UNSUPPORTED);
        if (rung >= 2) {
            assert_non_null(strstr(clfold_last_error(), words));
        }
    }
}

/* A result of 16 bytes, in the buffer, on the host, and as init. */
static void test_arg_sizes(void **state)
{
    clfold_fold fold = { .op = CLFOLD_ARG_MIN, .type = CLFOLD_F32 };
    const clfold_arg_value init = { .index = 0 };
    clfold_arg_value result[2];
    cl_int status;
    cl_mem small = clCreateBuffer(device.context, CL_MEM_READ_WRITE, 31, NULL, &status);

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    assert_refused(clfold_reduce_host(ctx, device.queue, &fold, in, 0, 1, result, 4),
                   CLFOLD_ERROR_ARGUMENT, "result_size 4 bytes is not the 16 of arg-min");
    assert_refused(
        clfold_reduce(ctx, device.queue, &fold, in, 0, small, 1, 1, 0, NULL, NULL),
        CLFOLD_ERROR_RANGE, "out holds 1 results of arg-min, f32, out_offset 1");
    fold.init = &init;
    fold.init_size = 4;
    refuse_fold(fold, CLFOLD_ERROR_ARGUMENT,
                "init_size 4 bytes is not the 16 of arg-min");
    fold = (clfold_fold){ .op = CLFOLD_ARG_MIN_MAX, .type = CLFOLD_F32 };
    assert_refused(clfold_reduce_host(ctx, device.queue, &fold, in, 0, 0, result, 32),
                   CLFOLD_ERROR_EMPTY, "arg-min-max");
    assert_refused(clfold_reduce_host(ctx, device.queue, &fold, in, 0, 1, result, 16),
                   CLFOLD_ERROR_ARGUMENT, "is not the 32 of arg-min-max");
    clReleaseMemObject(small);
}

static void test_init(void **state)
{
    const cl_float value = 1;
    clfold_fold fold = sum;

    (void)state;
    fold.init = &value;
    refuse_fold(fold, CLFOLD_ERROR_ARGUMENT, "init_size 0");
    fold.init_size = 8;
    refuse_fold(fold, CLFOLD_ERROR_ARGUMENT, "init_size 8");
    fold.init = NULL;
    refuse_fold(fold, CLFOLD_ERROR_ARGUMENT, "init_size is 8");
}

static void test_ranges(void **state)
{
    (void)state;
    refuse_reduce(device.queue, in, 0, out, 0, COUNT + 1, 0, NULL, CLFOLD_ERROR_RANGE,
                  "in holds 1000 elements of f32, in_offset 0 + count 1001");
    refuse_reduce(device.queue, in, 1, out, 0, COUNT, 0, NULL, CLFOLD_ERROR_RANGE,
                  "in_offset 1 + count 1000");
    refuse_reduce(device.queue, in, COUNT + 1, out, 0, 0, 0, NULL, CLFOLD_ERROR_RANGE,
                  "in_offset 1001 + count 0");
    refuse_reduce(device.queue, in, SIZE_MAX, out, 0, 2, 0, NULL, CLFOLD_ERROR_RANGE,
                  "overflows");
    refuse_reduce(device.queue, in, SIZE_MAX / 4, out, 0, 1, 0, NULL, CLFOLD_ERROR_RANGE,
                  "past its end");
    refuse_reduce(device.queue, in, 0, out, 4, COUNT, 0, NULL, CLFOLD_ERROR_RANGE,
                  "out holds 4 elements of f32, out_offset 4");
    refuse_reduce(device.queue, in, 0, out, SIZE_MAX, COUNT, 0, NULL, CLFOLD_ERROR_RANGE,
                  "out_offset");
    /* More bytes than there can be. */
    clfold_report report;
    assert_refused(clfold_explain(ctx, CLFOLD_REDUCE, &sum, SIZE_MAX, &report),
                   CLFOLD_ERROR_RANGE, "count 18446744073709551615 of 4 bytes each");
    assert_refused(clfold_prepare(ctx, CLFOLD_REDUCE, &sum, SIZE_MAX / 2),
                   CLFOLD_ERROR_RANGE, "overflows");
    /* 1000 floats are 500 doubles. */
    const clfold_fold doubles = { .op = CLFOLD_ADD, .type = CLFOLD_F64 };
    if (device.has_f64) {
        assert_refused(
            clfold_reduce(ctx, device.queue, &doubles, in, 0, out, 0, 501, 0, NULL, NULL),
            CLFOLD_ERROR_RANGE, "in holds 500 elements of f64");
    }
}

static void test_wait_list(void **state)
{
    cl_event none = NULL;

    (void)state;
    refuse_reduce(device.queue, in, 0, out, 0, 1, 1, NULL, CLFOLD_ERROR_ARGUMENT,
                  "num_wait is 1");
    refuse_reduce(device.queue, in, 0, out, 0, 1, 0, &none, CLFOLD_ERROR_ARGUMENT,
                  "num_wait is 0");
    refuse_reduce(device.queue, in, 0, out, 0, 1, 1, &none, CLFOLD_ERROR_ARGUMENT,
                  "wait[0]");
}

static void test_foreign_objects(void **state)
{
    cl_int status;
    cl_context other = clCreateContext(NULL, 1, &device.id, NULL, NULL, &status);

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    struct device there = device;
    there.context = other;
    cl_command_queue queue = device_queue(&there, 0);
    cl_mem mem = buffer(other, CL_MEM_READ_WRITE, COUNT * 4);
    refuse_reduce(queue, in, 0, out, 0, 1, 0, NULL, CLFOLD_ERROR_ARGUMENT,
                  "of another cl_context");
    refuse_reduce(device.queue, mem, 0, out, 0, 1, 0, NULL, CLFOLD_ERROR_ARGUMENT,
                  "of another cl_context");
    refuse_reduce(device.queue, in, 0, mem, 0, 1, 0, NULL, CLFOLD_ERROR_ARGUMENT,
                  "of another cl_context");
    cl_event events[2] = { clCreateUserEvent(device.context, &status), NULL };
    assert_int_equal(status, CL_SUCCESS);
    events[1] = clCreateUserEvent(other, &status);
    assert_int_equal(status, CL_SUCCESS);
    refuse_reduce(device.queue, in, 0, out, 0, 1, 2, events, CLFOLD_ERROR_ARGUMENT,
                  "wait[1]");
    refuse_reduce(device.queue, in, 0, out, 0, 0, 1, &events[1], CLFOLD_ERROR_ARGUMENT,
                  "is of another cl_context");
    for (int i = 0; i < 2; ++i) {
        clSetUserEventStatus(events[i], CL_COMPLETE);
        clReleaseEvent(events[i]);
    }
    clReleaseMemObject(mem);
    clReleaseCommandQueue(queue);
    clReleaseContext(other);
}

/* Whether the device can be split, before a call of it is made: rusticl (Mesa 22.3)
 * cannot, and leaves clCreateSubDevices out, where the loader then jumps to nowhere. */
static bool can_be_split(cl_device_id id)
{
    cl_device_partition_property ways[8] = { 0 };
    size_t size = 0;
    bool equally = false;

    if (clGetDeviceInfo(id, CL_DEVICE_PARTITION_PROPERTIES, sizeof(ways), ways, &size)) {
        return false;
    }
    for (size_t i = 0; i < size / sizeof(ways[0]); ++i) {
        equally |= ways[i] == CL_DEVICE_PARTITION_EQUALLY;
    }
    return equally;
}

#define MOST_PARTS 64

/* Splits the device into compute units, or skips the test. */
static cl_uint split(cl_device_id parts[MOST_PARTS])
{
    const cl_device_partition_property by_one[] = { CL_DEVICE_PARTITION_EQUALLY, 1, 0 };
    cl_uint num = 0;

    if (!can_be_split(device.id) ||
        clCreateSubDevices(device.id, by_one, 0, NULL, &num) != CL_SUCCESS || num < 1 ||
        num > MOST_PARTS ||
        clCreateSubDevices(device.id, by_one, num, parts, NULL) != CL_SUCCESS) {
        print_message("%s cannot be split\n", device.name);
        skip();
    }
    return num;
}

static void release_parts(cl_device_id parts[MOST_PARTS], cl_uint num)
{
    for (cl_uint i = 0; i < num; ++i) {
        clReleaseDevice(parts[i]);
    }
}

/* A queue of another device: a sub-device stands in for one. */
static void test_foreign_device(void **state)
{
    cl_device_id parts[MOST_PARTS] = { NULL };
    cl_uint num = split(parts);
    cl_device_id both[] = { device.id, parts[0] };
    cl_int status;
    cl_context context = clCreateContext(NULL, 2, both, NULL, NULL, &status);

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    struct device part = device;
    part.context = context;
    part.id = parts[0];
    cl_command_queue queue = device_queue(&part, 0);
    clfold_context *whole = NULL;
    cl_mem mem = buffer(context, CL_MEM_READ_WRITE, 64);
    assert_ok(clfold_context_create(&whole, context, device.id, NULL));
    assert_refused(clfold_reduce(whole, queue, &sum, mem, 0, mem, 0, 1, 0, NULL, NULL),
                   CLFOLD_ERROR_ARGUMENT, "of another device");
    clfold_context_destroy(&whole);
    clReleaseMemObject(mem);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    release_parts(parts, num);
}

/* Folds the elements 0, 1, 2 ... on a sub-device, through a queue of the cl_context. */
static void fold_on_part(cl_context context, cl_device_id part)
{
    struct device there = device;
    cl_int values[COUNT], scanned[COUNT], total = 0;
    const clfold_fold add = { .op = CLFOLD_ADD, .type = CLFOLD_I32 };
    clfold_context *folds = NULL;

    there.context = context;
    there.id = part;
    cl_command_queue queue = device_queue(&there, 0);
    cl_mem mem = buffer(context, CL_MEM_READ_WRITE, sizeof(values));
    for (int i = 0; i < COUNT; ++i) {
        values[i] = i;
    }
    assert_int_equal(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, sizeof(values), values,
                                          0, NULL, NULL),
                     CL_SUCCESS);
    assert_ok(clfold_context_create(&folds, context, part, NULL));
    assert_ok(clfold_reduce_host(folds, queue, &add, mem, 0, COUNT, &total, 4));
    assert_int_equal(total, COUNT * (COUNT - 1) / 2);
    assert_ok(
        clfold_inclusive_scan(folds, queue, &add, mem, 0, mem, 0, COUNT, 0, NULL, NULL));
    assert_int_equal(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(scanned), scanned,
                                         0, NULL, NULL),
                     CL_SUCCESS);
    for (int i = 0; i < COUNT; ++i) {
        assert_int_equal(scanned[i], i * (i + 1) / 2);
    }
    clfold_context_destroy(&folds);
    clReleaseMemObject(mem);
    clReleaseCommandQueue(queue);
}

/* Sub-devices that have run kernels, and their cl_context, are released at the end: a
 * worker of PoCL 3.1 may still look at them when its command is complete. */
static cl_device_id worked[MOST_PARTS];
static cl_uint num_worked;
static cl_context own;

/* Of a cl_context made for a sub-device, PoCL lists the parent. A sub-device of a listed
 * device serves where the cl_context can make a queue on it. */
static void test_part(void **state)
{
    const cl_device_id *parts = worked;
    struct device there = device;
    clfold_context *none = NULL;
    cl_int status;
    cl_device_id listed = NULL;

    (void)state;
    num_worked = split(worked);
    own = clCreateContext(NULL, 1, &parts[0], NULL, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    fold_on_part(own, parts[0]);
    assert_int_equal(
        clGetContextInfo(own, CL_CONTEXT_DEVICES, sizeof(listed), &listed, NULL),
        CL_SUCCESS);
    if (listed == parts[0]) {
        assert_refused(clfold_context_create(&none, own, device.id, NULL),
                       CLFOLD_ERROR_ARGUMENT, "not a device of the cl_context");
        assert_null(none);
    }
    there.id = parts[0];
    cl_command_queue queue = device_queue(&there, 0);
    if (queue) {
        clReleaseCommandQueue(queue);
        fold_on_part(device.context, parts[0]);
    } else {
        assert_refused(clfold_context_create(&none, device.context, parts[0], NULL),
                       CLFOLD_ERROR_ARGUMENT, "not a device of the cl_context");
        assert_null(none);
    }
}

static void test_access(void **state)
{
    cl_mem write_only = buffer(device.context, CL_MEM_WRITE_ONLY, COUNT * 4);
    cl_mem read_only = buffer(device.context, CL_MEM_READ_ONLY, COUNT * 4);
    const cl_image_format format = { CL_R, CL_FLOAT };
    const cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D,
                                 .image_width = 8,
                                 .image_height = 8 };
    cl_int status;

    (void)state;
    refuse_reduce(device.queue, write_only, 0, out, 0, 1, 0, NULL, CLFOLD_ERROR_ARGUMENT,
                  "write-only");
    refuse_reduce(device.queue, in, 0, read_only, 0, 1, 0, NULL, CLFOLD_ERROR_ARGUMENT,
                  "read-only");
    cl_mem image =
        clCreateImage(device.context, CL_MEM_READ_WRITE, &format, &desc, NULL, &status);
    if (status == CL_SUCCESS) {
        refuse_reduce(device.queue, image, 0, out, 0, 1, 0, NULL, CLFOLD_ERROR_ARGUMENT,
                      "no buffer");
        clReleaseMemObject(image);
    }
    clReleaseMemObject(write_only);
    clReleaseMemObject(read_only);
}

/* In place means the same byte; any other overlap is refused, between sub-buffers too. */
static void test_overlap(void **state)
{
    cl_uint align_bits = 0;
    cl_int status;

    (void)state;
    refuse_reduce(device.queue, in, 0, in, 1, COUNT, 0, NULL, CLFOLD_ERROR_OVERLAP,
                  "out, bytes 4 to 7, overlaps in, bytes 0 to 3999");
    refuse_reduce(device.queue, in, 1, in, COUNT - 1, COUNT - 1, 0, NULL,
                  CLFOLD_ERROR_OVERLAP, "overlaps");
    assert_ok(
        clfold_reduce(ctx, device.queue, &sum, in, 1, in, 0, COUNT - 1, 0, NULL, NULL));
    assert_ok(clfold_reduce(ctx, device.queue, &sum, in, 0, in, COUNT - 1, COUNT - 1, 0,
                            NULL, NULL));
    assert_ok(clfold_reduce(ctx, device.queue, &sum, in, 5, in, 5, 10, 0, NULL, NULL));

    clGetDeviceInfo(device.id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(align_bits),
                    &align_bits, NULL);
    size_t align = align_bits / 8;
    cl_mem parent = buffer(device.context, CL_MEM_READ_WRITE, 4 * align);
    const cl_buffer_region low = { 0, 3 * align }, high = { align, 3 * align };
    cl_mem left = clCreateSubBuffer(parent, CL_MEM_READ_WRITE,
                                    CL_BUFFER_CREATE_TYPE_REGION, &low, &status);
    assert_int_equal(status, CL_SUCCESS);
    cl_mem right = clCreateSubBuffer(parent, CL_MEM_READ_WRITE,
                                     CL_BUFFER_CREATE_TYPE_REGION, &high, &status);
    assert_int_equal(status, CL_SUCCESS);
    size_t floats = align / 4;
    refuse_reduce(device.queue, left, 0, right, 1, 3 * floats, 0, NULL,
                  CLFOLD_ERROR_OVERLAP, "overlaps");
    refuse_reduce(device.queue, right, 0, left, 2 * floats, 3 * floats, 0, NULL,
                  CLFOLD_ERROR_OVERLAP, "overlaps");
    refuse_reduce(device.queue, parent, 0, right, 1, 4 * floats, 0, NULL,
                  CLFOLD_ERROR_OVERLAP, "overlaps");
    /* The same byte by two names, and runs that do not meet. */
    assert_ok(clfold_reduce(ctx, device.queue, &sum, left, floats, right, 0, floats, 0,
                            NULL, NULL));
    assert_ok(clfold_reduce(ctx, device.queue, &sum, left, 0, right, floats, floats, 0,
                            NULL, NULL));
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    clReleaseMemObject(left);
    clReleaseMemObject(right);
    clReleaseMemObject(parent);
}

static void test_params(void **state)
{
    clfold_context *none = NULL;
    clfold_context_params params = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(params.reserved) / sizeof(params.reserved[0]); ++i) {
        params.reserved[i] = 1;
        assert_refused(clfold_context_create(&none, device.context, device.id, &params),
                       CLFOLD_ERROR_ARGUMENT, "reserved[");
        params.reserved[i] = 0;
    }
    params.log_level = 9;
    assert_refused(clfold_context_create(&none, device.context, device.id, &params),
                   CLFOLD_ERROR_ARGUMENT, "log_level 9");
    params.log_level = 0;
    params.cache_folder = "folder";
    assert_refused(clfold_context_create(&none, device.context, device.id, &params),
                   CLFOLD_ERROR_UNSUPPORTED, "cache_folder");
    params.cache_folder = NULL;
    params.cache_limit = 1;
    assert_refused(clfold_context_create(&none, device.context, device.id, &params),
                   CLFOLD_ERROR_UNSUPPORTED, "cache_limit");
    assert_null(none);
}

static void test_later_calls(void **state)
{
    (void)state;
#define refuse_later(name, ...)                                                          \
    assert_refused(name(ctx, device.queue, &sum, __VA_ARGS__), CLFOLD_ERROR_UNSUPPORTED, \
                   #name)
    refuse_later(clfold_select, in, 0, out, 0, out, 1, 1, 0, NULL, NULL);
    refuse_later(clfold_partition, in, 0, out, 0, out, 1, 1, 0, NULL, NULL);
    refuse_later(clfold_unique, in, 0, out, 0, out, 1, 1, 0, NULL, NULL);
    refuse_later(clfold_run_length_encode, in, 0, out, 0, out, 0, out, 0, 1, 0, NULL,
                 NULL);
    refuse_later(clfold_run_length_decode, in, 0, out, 0, out, 0, 1, 1, 0, NULL, NULL);
}

/* A fold's name stands in front, so that one of many calls is found. */
static void test_name(void **state)
{
    clfold_fold fold = sum;

    (void)state;
    fold.name = "mean height";
    assert_refused(
        clfold_reduce(ctx, device.queue, &fold, in, 0, out, 0, 2000, 0, NULL, NULL),
        CLFOLD_ERROR_RANGE,
        "mean height: in holds 1000 elements of f32, "
        "in_offset 0 + count 2000 is past its end");
}

static int open_device(void **state)
{
    (void)state;
    device_init(&device);
    in = buffer(device.context, CL_MEM_READ_WRITE, COUNT * 4);
    out = buffer(device.context, CL_MEM_READ_WRITE, 16);
    return clfold_context_create(&ctx, device.context, device.id, NULL);
}

static int close_device(void **state)
{
    (void)state;
    clfold_context_destroy(&ctx);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    if (own) {
        clReleaseContext(own);
    }
    release_parts(worked, num_worked);
    device_finish(&device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null),           cmocka_unit_test(test_enumerators),
        cmocka_unit_test(test_later_fields),   cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_rungs),          cmocka_unit_test(test_arg_sizes),
        cmocka_unit_test(test_init),           cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_wait_list),      cmocka_unit_test(test_foreign_objects),
        cmocka_unit_test(test_foreign_device), cmocka_unit_test(test_part),
        cmocka_unit_test(test_access),         cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_params),         cmocka_unit_test(test_later_calls),
        cmocka_unit_test(test_name),
    };

    return cmocka_run_group_tests_name("arguments", tests, open_device, close_device);
}
