/* Every argument that is rejected, by every call that has it: the status, a sentence that
 * names the call, the argument and its value, an output that stays as it was, and *event
 * NULL. */
#include "calls.h"
#include "lookback.h"
#include "one_context.h"
#include "test.h"

#define COUNT 1000

static cl_mem in, out, spare;        /* COUNT floats, COUNT + 1, 64 */
static unsigned char on_host[4 * 8]; /* the result of calls that have one */

static const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };
static const clfold_fold least = { .op = CLFOLD_ARG_MIN, .type = CLFOLD_F32 };
static const clfold_fold wide = { .op = CLFOLD_ADD, .type = CLFOLD_I64, .in = CLFOLD_I8 };

static cl_mem buffer(cl_context context, cl_mem_flags flags, size_t bytes)
{
    cl_int status;
    cl_mem mem = clCreateBuffer(context, flags, bytes, NULL, &status);

    assert_int_equal(status, CL_SUCCESS);
    return mem;
}

/* ---- What a call may not write ----------------------------------------------------- */

static void paint_buffer(cl_mem mem, size_t bytes)
{
    const cl_uint colour = 0xa5a5a5a5;

    assert_int_equal(clEnqueueFillBuffer(device.queue, mem, &colour, sizeof(colour), 0,
                                         bytes, 0, NULL, NULL),
                     CL_SUCCESS);
}

static void paint(void)
{
    paint_buffer(out, (COUNT + 1) * 4);
    paint_buffer(spare, 64 * 4);
    memset(on_host, 0xa5, sizeof(on_host));
}

static void assert_painted_buffer(cl_mem mem, size_t num)
{
    cl_uint found[COUNT + 1];

    assert_int_equal(
        clEnqueueReadBuffer(device.queue, mem, CL_TRUE, 0, num * 4, found, 0, NULL, NULL),
        CL_SUCCESS);
    for (size_t i = 0; i < num; ++i) {
        assert_int_equal(found[i], 0xa5a5a5a5);
    }
}

static void assert_painted(void)
{
    assert_painted_buffer(out, COUNT + 1);
    assert_painted_buffer(spare, 64);
}

/* ---- Rejected and accepted calls --------------------------------------------------- */

static struct call sound_call(const clfold_fold *fold)
{
    return (struct call){ .context = ctx,
                          .queue = device.queue,
                          .fold = fold,
                          .in = in,
                          .out = out,
                          .count = COUNT,
                          .result = on_host,
                          .result_size = 4 };
}

static void assert_words(const char *who, clfold_status found, clfold_status status,
                         const char *words, int line)
{
    const char *error = clfold_last_error(), *name = clfold_status_name(status);

    if (found != status) {
        fail_msg("line %d, %s: %s instead of %s", line, who, clfold_status_name(found),
                 name);
    }
    if (strncmp(error, who, strlen(who)) != 0 || !strstr(error, words) ||
        !strstr(error, name)) {
        fail_msg("line %d: \"%s\" does not name %s and \"%s\"", line, error, who, words);
    }
}

/* `before`: by clfold_prepare and clfold_explain as well. */
static void assert_rejected(const struct call_row *row, struct call call, bool before,
                            clfold_status status, const char *words, int line)
{
    cl_event event = (cl_event)&device;
    const char *name = call.fold ? call.fold->name : NULL;
    clfold_report report;

    call.event = &event;
    assert_words(name ? name : row->name, row->make(&call), status, words, line);
    assert_true((row->has & HAS_OUT) ? event == NULL : event == (cl_event)&device);
    for (size_t i = 0; i < sizeof(on_host); ++i) {
        assert_int_equal(on_host[i], 0xa5);
    }
    if (before) {
        const clfold_fold fold = fold_for(row->operation, call.fold);
        assert_words("clfold_prepare",
                     clfold_prepare(ctx, row->operation, &fold, call.count, NULL), status,
                     words, line);
        assert_words(
            "clfold_explain",
            clfold_explain(ctx, row->operation, &fold, call.count, NULL, &report), status,
            words, line);
    }
}

static void assert_accepted(const struct call_row *row, const struct call *call)
{
    assert_painted();
    assert_ok(row->make(call));
    paint();
}

/* For each call that has `of`: what `then` says of `call`, which is sound but for the
 * assignments to it and to its `fold`, a sum. */
#define with_calls(needs, then, ...)                                                     \
    for_calls(row, needs)                                                                \
    {                                                                                    \
        clfold_fold fold = sum;                                                          \
        struct call call = sound_call(&fold);                                            \
        __VA_ARGS__;                                                                     \
        then;                                                                            \
    }

#define accept(needs, ...) with_calls(needs, assert_accepted(row, &call), __VA_ARGS__)

#define reject(needs, status, words, ...)                                                \
    with_calls(                                                                          \
        needs,                                                                           \
        assert_rejected(row, call, false, CLFOLD_ERROR_##status, words, __LINE__),       \
        __VA_ARGS__)

/* What the fold says, which calls beforehand are given too. */
#define reject_fold(needs, status, words, ...)                                           \
    with_calls(needs,                                                                    \
               assert_rejected(row, call, true, CLFOLD_ERROR_##status, words, __LINE__), \
               __VA_ARGS__)

/* ---- What all calls have ----------------------------------------------------------- */

/* A call for each operation of this version, and none for another. */
static void test_table(void **state)
{
    (void)state;
    for (clfold_operation o = 0; o <= CLFOLD_SELECT + 1; ++o) {
        const struct operation *operation = clfold_operation_row(o);
        size_t found = 0;
        for_calls(row, HAS_OUT)
        {
            found += row->operation == o && operation &&
                     strcmp(row->name + strlen("clfold_"), operation->name) == 0;
        }
        assert_int_equal(found, operation != NULL);
    }
}

static void test_null(void **state)
{
    (void)state;
    reject(0, ARGUMENT, "context is NULL", call.context = NULL);
    reject(0, ARGUMENT, "fold is NULL", call.fold = NULL);
    reject(0, ARGUMENT, "queue is NULL", call.queue = NULL);
    reject(0, ARGUMENT, "in is NULL", call.in = NULL, call.count = 1);
    reject(HAS_OUT, ARGUMENT, "out is NULL", call.out = NULL);
    reject(HAS_RESULT, ARGUMENT, "result is NULL", call.result = NULL);
    assert_refused(clfold_explain(ctx, CLFOLD_REDUCE, &sum, 1, NULL, NULL),
                   CLFOLD_ERROR_ARGUMENT, "out is NULL");
}

static void test_enumerators(void **state)
{
    (void)state;
    reject_fold(HAS_OPERATOR, ARGUMENT, "op is 0 and combine is NULL", fold.op = 0);
    reject_fold(HAS_OPERATOR, ARGUMENT, "op 99", fold.op = 99);
    reject_fold(HAS_OPERATOR, ARGUMENT, "folds f32 and f64 only, but type is u32",
                fold.op = CLFOLD_MOMENTS, fold.type = CLFOLD_U32);
    for (clfold_op op = CLFOLD_BIT_AND; op <= CLFOLD_BIT_XOR; ++op) {
        reject_fold(HAS_OPERATOR, ARGUMENT, "folds integers only, but type is f32",
                    fold.op = op);
    }
    reject_fold(HAS_OPERATOR, ARGUMENT, "type 0", fold.type = 0);
    reject_fold(0, ARGUMENT, "type 99", fold.type = 99);
    reject_fold(0, ARGUMENT, "in 99", fold.in = 99);
    reject_fold(0, UNSUPPORTED, "in f32 cannot be folded as type i64",
                fold.in = CLFOLD_F32, fold.type = CLFOLD_I64);
    reject_fold(0, ARGUMENT, "out 99", fold.out = 99);
    reject_fold(0, UNSUPPORTED, "out i32", fold.out = CLFOLD_I32);
    reject_fold(HAS_OPERATOR, ARGUMENT, "accuracy 99", fold.accuracy = 99);
    reject_fold(0, ARGUMENT, "flags 0x8", fold.flags = 8);
    for (size_t i = 0; i < sizeof(sum.reserved) / sizeof(sum.reserved[0]); ++i) {
        char words[16];
        snprintf(words, sizeof(words), "reserved[%zu]", i);
        reject_fold(0, ARGUMENT, words, fold.reserved[i] = 1);
    }
    assert_refused(clfold_prepare(ctx, 0, &sum, 1, NULL), CLFOLD_ERROR_ARGUMENT,
                   "operation 0");
    assert_refused(clfold_prepare(ctx, 99, &sum, 1, NULL), CLFOLD_ERROR_ARGUMENT,
                   "operation 99");
}

/* What belongs to a fold by combine is named, one field at a time. */
static void test_fields_of_texts(void **state)
{
    const clfold_arg arg = { 0 };
    const struct {
        const char *field;
        clfold_fold fold;
    } texts[] = {
        { "flags", { .flags = CLFOLD_COMMUTATIVE } },
        { "type_name", { .type_name = "float4" } },
        { "type_size", { .type_size = 16 } },
        { "source", { .source = CLFOLD_HERE } },
        { "combine", { .combine = "a + b" } },
        { "identity", { .identity = "0" } },
        { "args", { .args = &arg } },
        { "num_args", { .num_args = 1 } },
        { "components", { .components = "float a" } },
        { "cuts", { .cuts = "b.f != 0" } },
        { "equal", { .equal = "a == b" } },
        { "same", { .same = "a == b" } },
        { "bad_out", { .bad_out = { spare, 0 } } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i) {
        reject_fold(HAS_OPERATOR, ARGUMENT, texts[i].field, fold = texts[i].fold,
                    fold.op = sum.op, fold.type = sum.type);
    }
}

/* Names of none, and those of the other family; for nothing as well. */
static void test_algorithms(void **state)
{
    const char *const wrong[] = { "reduce7",      "reduce_tile",        "lookback",
                                  "single_group", "scan_single_group ", "" };
    char words[64];

    (void)state;
    for (size_t i = 0; i < 2 * sizeof(wrong) / sizeof(wrong[0]); ++i) {
        snprintf(words, sizeof(words), "algorithm \"%s\"", wrong[i / 2]);
        reject_fold(0, UNSUPPORTED, words, fold.algorithm = wrong[i / 2],
                    call.count = i % 2 ? COUNT : 0);
    }
    for (int a = 0; a < CLFOLD_ALGORITHMS; ++a) {
        const struct algorithm_row *algorithm = clfold_algorithm_row((enum algorithm)a);
        const struct debug none = { 0 };
        clfold_fold named = sum;
        clfold_report report;
        named.algorithm = algorithm->name;
        snprintf(words, sizeof(words), "algorithm \"%s\"", algorithm->name);
        for_calls(row, 0)
        {
            const struct operation *operation = clfold_operation_row(row->operation);
            if (!clfold_algorithm_serves((enum algorithm)a, operation->family) ||
                (operation->selects && !algorithm->selects)) {
                struct call call = sound_call(&named);
                assert_rejected(row, call, true, CLFOLD_ERROR_UNSUPPORTED, words,
                                __LINE__);
                continue;
            }
            const clfold_fold own = fold_for(row->operation, &named);
            clfold_status status =
                clfold_explain(ctx, row->operation, &own, COUNT, NULL, &report);
            if (!is_due_refusal(&device, named.algorithm, &none, false, status)) {
                assert_ok(status);
                assert_string_equal(report.algorithm, named.algorithm);
            }
        }
    }
}

/* Nothing needs no buffer, and overlaps with nothing. */
static void test_nothing(void **state)
{
    const cl_float zero = 0;

    (void)state;
    accept(HAS_OUT, call.in = NULL, call.in_offset = 7, call.count = 0);
    accept(HAS_ITEMS, call.in = call.out = NULL, call.count = 0);
    accept(HAS_OUT, call.in = out, call.in_offset = 3, call.out_offset = 2,
           call.count = 0);
    for_calls(row, HAS_RESULT)
    {
        struct call call = sound_call(&sum);
        call.in = NULL;
        call.count = 0;
        assert_ok(row->make(&call));
        assert_memory_equal(on_host, &zero, sizeof(zero));
        memset(on_host, 0xa5, sizeof(on_host));
    }
}

/* A result of 16 bytes, in the buffer, on the host, and as init. */
static void test_sizes(void **state)
{
    const clfold_indexed init = { .index = 0 };

    (void)state;
    reject(HAS_RESULT, ARGUMENT, "result_size is 8 bytes, but add of f32 needs 4",
           call.result_size = 8);
    reject(HAS_RESULT, ARGUMENT, "add of f32, written as f64 needs 8",
           fold.out = CLFOLD_F64);
    reject(HAS_RESULT, ARGUMENT, "result_size is 4 bytes, but arg-min of f32 needs 16",
           fold = least);
    reject(HAS_RESULT, ARGUMENT, "but arg-min-max of f32 needs 32",
           fold.op = CLFOLD_ARG_MIN_MAX, call.result_size = 16);
    reject(HAS_OUT | HAS_OPERATOR, RANGE,
           "out holds 250 results of arg-min, f32, but out_offset 250", fold = least,
           call.out_offset = 250, call.count = 1);
    reject(HAS_ITEMS | HAS_OPERATOR, RANGE, "out holds 250 results of arg-min",
           fold = least, call.count = 251);
    reject_fold(HAS_OPERATOR, ARGUMENT,
                "init_size is 4 bytes, but arg-min of f32 needs 16", fold = least,
                fold.init = &init, fold.init_size = 4);
}

/* Neither identity nor init: nothing has no fold, and an exclusive scan no first item. */
static void test_no_identity(void **state)
{
    const clfold_indexed init = { .index = 7 };
    cl_mem places = buffer(device.context, CL_MEM_READ_WRITE, 16 * (COUNT + 1));

    (void)state;
    reject(HAS_ONE, EMPTY, "count is 0, and arg-min has neither", fold = least,
           call.out = places, call.count = 0, call.result_size = 16);
    reject(HAS_ONE, EMPTY, "arg-min-max", fold.op = CLFOLD_ARG_MIN_MAX, call.out = places,
           call.count = 0, call.result_size = 32);
    reject(HAS_ITEMS | HAS_OPERATOR, EMPTY, "total_out has no value", fold = least,
           fold.total_out.mem = places, call.out = NULL, call.count = 0);
    for (size_t count = 0; count <= 10; count += 10) {
        reject(HAS_FIRST | HAS_OPERATOR, ARGUMENT,
               "arg-min, which has no identity, needs init", fold = least,
               call.out = places, call.count = count);
        for_calls(row, HAS_ITEMS | HAS_OPERATOR)
        {
            clfold_fold fold = least;
            struct call call = sound_call(&fold);
            call.out = places;
            call.count = count;
            if (!(row->has & HAS_FIRST)) {
                assert_ok(row->make(&call));
            }
            fold.init = &init;
            fold.init_size = sizeof(init);
            assert_ok(row->make(&call));
            fold.init = NULL;
            fold.init_size = 0;
            fold.total_out = fold.init_at = (clfold_place){ places, COUNT };
            assert_ok(row->make(&call));
        }
    }
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    clReleaseMemObject(places);
}

static void test_init(void **state)
{
    const cl_float value = 1;
    cl_mem write_only = buffer(device.context, CL_MEM_WRITE_ONLY, 64);

    (void)state;
    reject_fold(HAS_OPERATOR, ARGUMENT, "init_size is 0", fold.init = &value);
    reject_fold(HAS_OPERATOR, ARGUMENT, "init_size is 8", fold.init = &value,
                fold.init_size = 8);
    reject_fold(HAS_OPERATOR, ARGUMENT, "init_size is 8", fold.init_size = 8);
    reject(HAS_OPERATOR, ARGUMENT, "are both given", fold.init = &value,
           fold.init_size = 4, fold.init_at.mem = spare);
    reject(HAS_OPERATOR, ARGUMENT, "init_at: mem is NULL, but offset is 3",
           fold.init_at.offset = 3);
    reject(HAS_OPERATOR, RANGE, "init_at holds 64 elements of f32, but init_at.offset 64",
           fold.init_at = (clfold_place){ spare, 64 });
    reject(HAS_OPERATOR, RANGE, "init_at", fold.init_at.mem = spare,
           fold.init_at.offset = SIZE_MAX);
    reject(HAS_OPERATOR, ARGUMENT, "init_at", fold.init_at.mem = write_only);
    reject(HAS_ITEMS | HAS_OPERATOR, OVERLAP, "init_at",
           fold.init_at = (clfold_place){ out, 5 });
    accept(HAS_OUT | HAS_ONE | HAS_OPERATOR, fold.init_at.mem = out);
    clReleaseMemObject(write_only);
}

static void test_ranges(void **state)
{
    clfold_report report;

    (void)state;
    reject(0, RANGE,
           "in holds 1000 elements of f32, but in_offset 0 + count 1001 is past its end",
           call.count = COUNT + 1);
    reject(0, RANGE, "in_offset 1 + count 1000", call.in_offset = 1);
    reject(0, RANGE, "in_offset 1001 + count 0", call.in_offset = COUNT + 1,
           call.count = 0);
    reject(0, RANGE, "in_offset 18446744073709551615 + count 2 overflows",
           call.in_offset = SIZE_MAX, call.count = 2);
    reject(0, RANGE, "past its end", call.in_offset = SIZE_MAX / 4, call.count = 1);
    /* 1000 floats are 500 longs. */
    reject(0, RANGE, "in holds 500 elements of i64", fold.type = CLFOLD_I64,
           call.count = 501, call.result_size = 8);
    reject(HAS_OUT, RANGE, "out_offset 18446744073709551615", call.out_offset = SIZE_MAX);
    reject(HAS_OUT, RANGE, "out holds 1001 elements of f32, but out_offset 1001",
           call.out_offset = COUNT + 1);
    reject(HAS_ITEMS, RANGE, "out_offset 2 + count 1000", call.out_offset = 2);
    /* The results are wider than the elements. */
    reject(HAS_OUT | HAS_OPERATOR, RANGE,
           "out holds 500 elements of i64, but out_offset 500", fold = wide,
           call.out_offset = 500, call.count = 1);
    reject(HAS_ITEMS | HAS_OPERATOR, RANGE, "out holds 500 elements of i64", fold = wide,
           call.count = 501);
    /* More bytes than there can be, of elements and of results. */
    for_calls(row, HAS_OUT)
    {
        const clfold_fold narrow = fold_for(row->operation, &sum);
        const clfold_fold other = fold_for(row->operation, &wide);
        assert_refused(
            clfold_explain(ctx, row->operation, &narrow, SIZE_MAX, NULL, &report),
            CLFOLD_ERROR_RANGE, "count 18446744073709551615 of 4 bytes each overflows");
        assert_refused(clfold_prepare(ctx, row->operation, &narrow, SIZE_MAX / 2, NULL),
                       CLFOLD_ERROR_RANGE, "of 4 bytes each overflows");
        assert_refused(clfold_prepare(ctx, row->operation, &other, SIZE_MAX / 4, NULL),
                       CLFOLD_ERROR_RANGE, "of 8 bytes each overflows");
    }
}

static void test_wait_list(void **state)
{
    const cl_event none = NULL;

    (void)state;
    reject(HAS_OUT, ARGUMENT, "num_wait is 1", call.num_wait = 1);
    reject(HAS_OUT, ARGUMENT, "num_wait is 0", call.wait = &none);
    reject(HAS_OUT, ARGUMENT, "wait[0] is NULL", call.num_wait = 1, call.wait = &none);
}

static void test_foreign_objects(void **state)
{
    const char *const words = "belongs to another cl_context";
    cl_int status;
    cl_context other = clCreateContext(NULL, 1, &device.id, NULL, NULL, &status);

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    struct device there = device;
    there.context = other;
    cl_command_queue queue = device_queue(&there, 0);
    cl_mem mem = buffer(other, CL_MEM_READ_WRITE, COUNT * 4);
    cl_event events[2] = { clCreateUserEvent(device.context, &status), NULL };
    assert_int_equal(status, CL_SUCCESS);
    events[1] = clCreateUserEvent(other, &status);
    assert_int_equal(status, CL_SUCCESS);
    reject(0, ARGUMENT, words, call.queue = queue);
    reject(0, ARGUMENT, ": in ", call.in = mem);
    reject(0, ARGUMENT, words, call.in = mem);
    reject(HAS_OPERATOR, ARGUMENT, "init_at ", fold.init_at.mem = mem);
    reject(HAS_OUT, ARGUMENT, ": out ", call.out = mem);
    reject(HAS_OUT, ARGUMENT, words, call.out = mem);
    reject(HAS_ITEMS | HAS_OPERATOR, ARGUMENT, "total_out ", fold.total_out.mem = mem);
    reject(HAS_OUT, ARGUMENT, "wait[1]", call.num_wait = 2, call.wait = events);
    for (size_t count = 0; count < 2; ++count) {
        reject(HAS_OUT, ARGUMENT, words, call.num_wait = 1, call.wait = events + 1,
               call.count = count);
    }
    for (int i = 0; i < 2; ++i) {
        clSetUserEventStatus(events[i], CL_COMPLETE);
        clReleaseEvent(events[i]);
    }
    clReleaseMemObject(mem);
    clReleaseCommandQueue(queue);
    clReleaseContext(other);
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
    reject(0, ARGUMENT, "write-only", call.in = write_only);
    reject(HAS_OUT, ARGUMENT, "read-only", call.out = read_only);
    cl_mem image =
        clCreateImage(device.context, CL_MEM_READ_WRITE, &format, &desc, NULL, &status);
    if (status == CL_SUCCESS) {
        reject(0, ARGUMENT, "is not a buffer", call.in = image);
        clReleaseMemObject(image);
    }
    clReleaseMemObject(write_only);
    clReleaseMemObject(read_only);
}

/* In place means the same byte, of elements as wide as results; any other overlap is
 * rejected, and of selects this one too. */
static void test_overlap(void **state)
{
    (void)state;
    reject(HAS_OUT | HAS_ONE, OVERLAP, "out, bytes 4 to 7, overlaps in, bytes 0 to 3999",
           call.out = in, call.out_offset = 1);
    reject(HAS_OUT | HAS_ONE, OVERLAP, "overlaps", call.out = in, call.in_offset = 1,
           call.out_offset = COUNT - 1, call.count = COUNT - 1);
    accept(HAS_OUT | HAS_ONE, call.out = in, call.in_offset = 1, call.count = COUNT - 1);
    accept(HAS_OUT | HAS_ONE, call.out = in, call.out_offset = COUNT - 1,
           call.count = COUNT - 1);
    accept(HAS_PLACE, call.out = in, call.in_offset = call.out_offset = 5,
           call.count = 10);
    reject(HAS_KEPT, OVERLAP, "a select cannot be in place", call.out = in);
    reject(HAS_ITEMS, OVERLAP, "out, bytes 4 to 3999, overlaps in, bytes 0 to 3995",
           call.out = in, call.out_offset = 1, call.count = COUNT - 1);
    reject(HAS_ITEMS, OVERLAP, "overlaps", call.out = in, call.in_offset = 1,
           call.count = COUNT - 1);
    reject(HAS_ITEMS, OVERLAP, "overlaps", call.out = in, call.out_offset = 499,
           call.count = 500);
    accept(HAS_ITEMS, call.out = in, call.out_offset = 500, call.count = 500);
    /* Each result falls on other elements. */
    reject(HAS_ITEMS, OVERLAP,
           "out starts where in does, but its elements have 8 bytes, not 4",
           fold.type = CLFOLD_I64, fold.in = CLFOLD_I32, call.out = in, call.count = 500);
    reject(HAS_ITEMS, OVERLAP, "but its elements have 2 bytes, not 4",
           fold.type = CLFOLD_I16, fold.in = CLFOLD_I32, call.out = in, call.count = 500);
    reject(HAS_ITEMS, OVERLAP, "out starts where", fold.type = CLFOLD_I64,
           fold.in = CLFOLD_I32, call.out = in, call.count = 1);
}

/* Between sub-buffers of one parent, too. */
static void test_sub_buffers(void **state)
{
    cl_uint align_bits = 0;
    cl_int status;

    (void)state;
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
    reject(HAS_OUT, OVERLAP, "overlaps", call.in = left, call.out = right,
           call.out_offset = 1, call.count = 2 * floats - 1);
    reject(HAS_OUT, OVERLAP, "overlaps", call.in = right, call.out = left,
           call.out_offset = 2 * floats - 1, call.count = floats);
    reject(HAS_OUT, OVERLAP, "overlaps", call.in = parent, call.out = right,
           call.out_offset = 1, call.count = 2 * floats);
    reject(HAS_ITEMS | HAS_OPERATOR, OVERLAP, "total_out",
           fold.total_out = (clfold_place){ right, 0 }, call.in = left,
           call.count = floats + 1);
    reject(HAS_ITEMS | HAS_OPERATOR, OVERLAP, "init_at", fold.init_at.mem = left,
           fold.init_at.offset = floats, call.in = spare, call.out = right,
           call.count = 1);
    /* The same byte by two names, and runs that do not meet. */
    accept(HAS_PLACE, call.in = left, call.in_offset = floats, call.out = right,
           call.count = floats);
    accept(HAS_OUT, call.in = left, call.out = right, call.count = floats);
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    clReleaseMemObject(left);
    clReleaseMemObject(right);
    clReleaseMemObject(parent);
}

/* Messages begin with a fold's name, so that one of many calls is found. */
static void test_name(void **state)
{
    (void)state;
    reject(0, RANGE,
           "mean height: in holds 1000 elements of f32, but in_offset 0 + count 2000 is "
           "past "
           "its end",
           fold.name = "mean height", call.count = 2000);
}

/* ---- What one operation has -------------------------------------------------------- */

/* A reduction's total is out. */
static void test_total(void **state)
{
    cl_mem read_only = buffer(device.context, CL_MEM_READ_ONLY, 64);

    (void)state;
    reject_fold(HAS_ONE, ARGUMENT, "is only for scans", fold.total_out.mem = spare);
    reject_fold(HAS_ONE, ARGUMENT, "total_out", fold.total_out.offset = 2);
    reject(HAS_ITEMS | HAS_OPERATOR, ARGUMENT, "total_out: mem is NULL, but offset is 2",
           fold.total_out.offset = 2);
    reject(HAS_ITEMS | HAS_OPERATOR, RANGE,
           "total_out holds 64 elements of f32, but total_out.offset 64",
           fold.total_out = (clfold_place){ spare, 64 });
    reject(HAS_ITEMS | HAS_OPERATOR, ARGUMENT, "total_out",
           fold.total_out.mem = read_only);
    /* In the input, in the output, and outside both. */
    reject(HAS_ITEMS | HAS_OPERATOR, OVERLAP,
           "total_out, bytes 3996 to 3999, overlaps in",
           fold.total_out = (clfold_place){ in, COUNT - 1 });
    reject(HAS_ITEMS | HAS_OPERATOR, OVERLAP, "total_out",
           fold.total_out = (clfold_place){ in, COUNT - 1 }, call.out = in);
    reject(HAS_ITEMS | HAS_OPERATOR, OVERLAP,
           "total_out, bytes 3996 to 3999, overlaps out",
           fold.total_out = (clfold_place){ out, COUNT - 1 });
    reject(HAS_ITEMS | HAS_OPERATOR, OVERLAP, "total_out", fold.total_out.mem = out);
    accept(HAS_ITEMS | HAS_OPERATOR, fold.total_out.mem = out, call.out_offset = 1);
    accept(HAS_ITEMS | HAS_OPERATOR, fold.total_out = (clfold_place){ out, COUNT });
    accept(HAS_ITEMS | HAS_OPERATOR, fold.total_out = (clfold_place){ in, COUNT - 1 },
           call.count = COUNT - 1);
    clReleaseMemObject(read_only);
}

/* Where the count is in memory. There is more than the call says, in what is accepted. */
static void test_count(void **state)
{
    const clfold_segments rows = { .by = CLFOLD_BY_LENGTH, .length = 10 };
    const clfold_segments columns = { .by = CLFOLD_BY_COLUMNS,
                                      .length = 10,
                                      .columns = 5 };
    const clfold_part part = { .whole = COUNT };
    cl_mem write_only = buffer(device.context, CL_MEM_WRITE_ONLY, 64);
    cl_mem places = buffer(device.context, CL_MEM_READ_WRITE, 16 * (COUNT + 1));

    (void)state;
    reject(0, ARGUMENT, "count_at: mem is NULL, but offset is 2",
           fold.count_at.offset = 2);
    reject(0, RANGE, "count_at holds 32 elements of u64, but count_at.offset 32",
           fold.count_at = (clfold_place){ spare, 32 });
    reject(0, RANGE, "count_at.offset 1844",
           fold.count_at = (clfold_place){ spare, SIZE_MAX });
    reject(0, ARGUMENT, "count_at", fold.count_at.mem = write_only);
    reject(HAS_OUT, OVERLAP, "out, bytes 0 to 3", fold.count_at.mem = out);
    reject(HAS_OUT, OVERLAP, " overlaps count_at, bytes 8 to 15",
           fold.count_at = (clfold_place){ out, 1 }, call.out_offset = 3,
           call.count = COUNT - 3);
    reject(HAS_ITEMS | HAS_OPERATOR, OVERLAP, "total_out, bytes 12 to 15, overlaps",
           fold.count_at = (clfold_place){ spare, 1 },
           fold.total_out = (clfold_place){ spare, 3 });
    reject(HAS_KEPT, OVERLAP, "num_out, bytes 8 to 15, overlaps",
           fold.count_at = fold.num_out = (clfold_place){ spare, 1 });
    reject_fold(HAS_PLACE, UNSUPPORTED, "the host must know how many rows",
                fold.count_at.mem = spare, fold.segments = &rows);
    reject_fold(HAS_PLACE, UNSUPPORTED, "the host must know how many rows",
                fold.count_at.mem = spare, fold.segments = &columns);
    reject_fold(HAS_PLACE, UNSUPPORTED,
                "count_at is given, but the host must know the count of a part",
                fold.count_at.mem = spare, fold.part = &part);
    reject(HAS_ONE, ARGUMENT,
           "count_at may hold 0, and arg-min has neither identity nor init", fold = least,
           fold.count_at.mem = spare, call.out = places, call.result_size = 16);
    reject(HAS_ITEMS | HAS_OPERATOR, ARGUMENT,
           "count_at may hold 0, so total_out has no value: arg-min has neither",
           fold = least, fold.count_at.mem = spare, call.out = places,
           fold.total_out = (clfold_place){ places, COUNT });
    accept(0, fold.count_at = (clfold_place){ spare, 31 });
    accept(HAS_OPERATOR, fold.count_at = fold.init_at = (clfold_place){ spare, 0 });
    accept(0, fold.count_at = (clfold_place){ in, 1 });
    clReleaseMemObject(places);
    clReleaseMemObject(write_only);
}

/* An operator that does not commute is rejected by the rungs that reorder. */
static void test_rungs(void **state)
{
    clfold_fold affine = { .op = CLFOLD_AFFINE, .type = CLFOLD_F32 };

    (void)state;
    for (int rung = 2; rung < 7; ++rung) {
        char name[8], words[64];
        snprintf(name, sizeof(name), "reduce%d", rung);
        snprintf(words, sizeof(words), "algorithm \"%s\" reorders", name);
        affine.algorithm = name;
        assert_refused(
            clfold_reduce(ctx, device.queue, &affine, in, 0, out, 0, 0, 0, NULL, NULL),
            CLFOLD_ERROR_UNSUPPORTED, words);
    }
}

/* ---- Contexts and their devices ---------------------------------------------------- */

static void test_context(void **state)
{
    clfold_context *none = NULL;
    clfold_context_params params = { 0 };
    clfold_stats stats;

    (void)state;
    assert_refused(clfold_context_stats(NULL, &stats), CLFOLD_ERROR_ARGUMENT, "context");
    assert_refused(clfold_context_stats(ctx, NULL), CLFOLD_ERROR_ARGUMENT, "out is NULL");
    assert_refused(clfold_context_create(NULL, device.context, device.id, NULL),
                   CLFOLD_ERROR_ARGUMENT, "out is NULL");
    assert_refused(clfold_context_create(&none, NULL, device.id, NULL),
                   CLFOLD_ERROR_ARGUMENT, "context is NULL");
    assert_refused(clfold_context_create(&none, device.context, NULL, NULL),
                   CLFOLD_ERROR_ARGUMENT, "device is NULL");
    for (size_t i = 0; i < sizeof(params.reserved) / sizeof(params.reserved[0]); ++i) {
        params.reserved[i] = 1;
        assert_refused(clfold_context_create(&none, device.context, device.id, &params),
                       CLFOLD_ERROR_ARGUMENT, "reserved[");
        params.reserved[i] = 0;
    }
    params.log_level = 9;
    assert_refused(clfold_context_create(&none, device.context, device.id, &params),
                   CLFOLD_ERROR_ARGUMENT, "log_level 9");
    params = (clfold_context_params){ .cache_folder = "" };
    assert_refused(clfold_context_create(&none, device.context, device.id, &params),
                   CLFOLD_ERROR_ARGUMENT, "cache_folder is empty");
    params = (clfold_context_params){ .cache_limit = 7 };
    assert_refused(clfold_context_create(&none, device.context, device.id, &params),
                   CLFOLD_ERROR_ARGUMENT, "cache_limit is 7");
    assert_null(none);
    clfold_context_destroy(NULL);
    clfold_context_destroy(&none);
    clfold_context_trim(NULL);
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
    reject(0, ARGUMENT, "belongs to another device", call.context = whole,
           call.queue = queue, call.in = call.out = mem, call.count = 1);
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

static int open_device(void **state)
{
    int status = open_context(state);

    in = buffer(device.context, CL_MEM_READ_WRITE, COUNT * 4);
    out = buffer(device.context, CL_MEM_READ_WRITE, (COUNT + 1) * 4);
    spare = buffer(device.context, CL_MEM_READ_WRITE, 64 * 4);
    paint_buffer(in, COUNT * 4);
    return status;
}

static int begin(void **state)
{
    (void)state;
    paint();
    return 0;
}

/* A rejected call has written nothing. */
static int end(void **state)
{
    (void)state;
    assert_painted();
    return 0;
}

static int close_device(void **state)
{
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(spare);
    if (own) {
        clReleaseContext(own);
    }
    release_parts(worked, num_worked);
    return close_context(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

TEST_MAIN("arguments", open_device, close_device, TEST(test_table), TEST(test_null),
          TEST(test_enumerators), TEST(test_fields_of_texts), TEST(test_algorithms),
          TEST(test_nothing), TEST(test_sizes), TEST(test_no_identity), TEST(test_init),
          TEST(test_ranges), TEST(test_wait_list), TEST(test_foreign_objects),
          TEST(test_access), TEST(test_overlap), TEST(test_sub_buffers), TEST(test_name),
          TEST(test_total), TEST(test_count), TEST(test_rungs), TEST(test_context),
          TEST(test_foreign_device), TEST(test_part))
