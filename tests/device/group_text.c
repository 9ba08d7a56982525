/*
 * Functions of a work-group in a kernel of the caller's: every fold of the subjects and
 * built-in operators, in groups of many sizes of which the last is partial, against a
 * loop on the host; and what clfold_group_text rejects.
 */
#include <clfold/experimental.h>
#include "one_context.h"
#include "subjects_of_text.h"
#include "test.h"

#include "base/text.h"

#define FIRST 5  /* elements before those that are folded */
#define ZONE  64 /* bytes after what is written */
#define MOST  (3 * 256)

/* ---- Folds ------------------------------------------------------------------------- */

COMBINE(add_i8, cl_char, (cl_char)(x[0] + y[0]));
COMBINE(max_f16, cl_half, x[0] > y[0] ? x[0] : y[0]); /* above 0 */
COMBINE(add_f64, cl_double, x[0] + y[0]);
COMBINE(join_ends, cl_uint, x[0]<y[0] ? x[0] : y[0], x[1]> y[1] ? x[1] : y[1]);
LOAD(load_f64, cl_double, (cl_double)f32_of(e, i));
LOAD(load_ends, cl_uint, u32_of(e, i), u32_of(e, i));

static const cl_half lowest = 0xfc00; /* minus infinity */
static const cl_uint no_ends[] = { UINT32_MAX, 0 };

static const struct subject built_ins[] = {
    SUBJECT(FOLD(.name = "i8", SUM_OF(CLFOLD_I8)), .size = 1, .identity = zeros,
            .combine = add_i8, BYTES),
    SUBJECT(FOLD(.name = "f16", .op = CLFOLD_MAX, .type = CLFOLD_F16), .size = 2,
            .identity = &lowest, .combine = max_f16, .word = 2, .least = 0x3c00,
            .most = 0x6400),
    SUBJECT(FOLD(.name = "f64", SUM_OF(CLFOLD_F64), .in = CLFOLD_F32), .size = 8,
            .in_size = 4, .identity = zeros, .combine = add_f64, .load = load_f64,
            .most = 1000, .is_real = true),
    SUBJECT(FOLD(.name = "min-max", .op = CLFOLD_MIN_MAX, .type = CLFOLD_U32), .size = 8,
            .in_size = 4, .identity = no_ends, .combine = join_ends, .load = load_ends,
            WORDS),
    { .size = 0 },
};

static size_t in_size(const struct subject *s)
{
    return s->in_size ? s->in_size : s->size;
}

static size_t out_size(const struct subject *s)
{
    return s->out_size ? s->out_size : s->size;
}

/* ---- The kernel -------------------------------------------------------------------- */

static const char kernel_text[] =
    "kernel void own(global const t_in *in, global t_out *inclusive,\n"
    "                global t_out *exclusive, global t_out *reduced,\n"
    "                global uint *places, ulong first, ulong n PARAMS)\n"
    "{\n"
    "    local t_room room;\n"
    "    const uint l = (uint)get_local_id(0), size = (uint)get_local_size(0);\n"
    "    const ulong begin = get_group_id(0) * (ulong)size;\n"
    "    const uint num = (uint)min((ulong)size, n - begin);\n"
    "    const ulong i = begin + min(l, num - 1);\n"
    "    uint kept;\n"
    "    const uint place =\n"
    "        t_group_select(i % 3 != 1, num, &room, &kept ARGS);\n"
    "    if (l < num)\n"
    "        places[i] = place + 1000 * kept;\n"
    "    t_value x = t_load(IN, i ARGS);\n"
    "    t_value prev = x;\n"
    "    t_value y = t_group_inclusive_scan(x, num, &room ARGS);\n"
    "#if HAS_IDENTITY\n"
    "    prev = t_group_exclusive_scan(x, num, &room ARGS);\n"
    "    if (l < num)\n"
    "        t_write(prev, prev, IN, exclusive, i ARGS);\n"
    "#endif\n"
    "    if (l < num)\n"
    "        t_write(y, prev, IN, inclusive, i ARGS);\n"
    "    y = t_group_reduce(x, num, &room ARGS);\n"
    "    if (l < num)\n"
    "        t_write(y, y, IN, reduced, i ARGS);\n"
    "}\n";

static void print_args(struct text *text, const clfold_fold *fold, bool are_params)
{
    clfold_text_print(text, "#define %s ", are_params ? "PARAMS" : "ARGS");
    for (size_t k = 0; k < fold->num_args; ++k) {
        const clfold_arg *arg = &fold->args[k];
        static const char *const types[] = {
            [CLFOLD_F32] = "float", [CLFOLD_F16] = "half", [CLFOLD_U8] = "uchar"
        };
        if (!are_params) {
            clfold_text_print(text, arg->element ? ", a%zu, at%zu" : ", a%zu", k, k);
        } else if (arg->element) {
            clfold_text_print(text, ", global const %s *a%zu, ulong at%zu",
                              types[arg->element], k, k);
        } else {
            clfold_text_print(text, ", %s a%zu", arg->type, k);
        }
    }
}

static char *group_text(const clfold_fold *fold, size_t group_size)
{
    size_t needed = 0;
    clfold_status status =
        clfold_group_text(ctx, fold, "t", group_size, NULL, 0, &needed);

    if (status == CLFOLD_ERROR_UNSUPPORTED) {
        return NULL; /* the device has no such type */
    }
    assert_int_equal(status, CLFOLD_OK);
    char *text = malloc(needed);
    assert_non_null(text);
    assert_ok(clfold_group_text(ctx, fold, "t", group_size, text, needed, NULL));
    assert_int_equal(strlen(text) + 1, needed);
    return text;
}

static cl_kernel build(const struct subject *s, const char *functions)
{
    const clfold_fold *fold = &s->fold;
    const bool has_place = fold->load || fold->result || fold->store ||
                           (fold->out && fold->out != fold->type);
    struct text text = { 0 };
    char log[4096] = "";
    cl_int status;

    print_args(&text, fold, true);
    clfold_text_print(&text, "\n");
    print_args(&text, fold, false);
    clfold_text_print(
        &text, "%s\n#define HAS_IDENTITY %d\n#define IN %s\n#define IN_SIZE %zu\n%s",
        has_place ? ", first, n" : "", s->identity != NULL,
        has_place ? "in"
                  : "(global const t_in *)((global const uchar *)in + first * IN_SIZE)",
        in_size(s), kernel_text);
    assert_false(text.failed);
    cl_program program = clCreateProgramWithSource(
        device.context, 2, (const char *[]){ functions, text.bytes }, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    if ((status = clBuildProgram(program, 1, &device.id, "", NULL, NULL))) {
        clGetProgramBuildInfo(program, device.id, CL_PROGRAM_BUILD_LOG, sizeof(log), log,
                              NULL);
        fail_msg("%s: %d\n%s", fold->name, status, log);
    }
    cl_kernel kernel = clCreateKernel(program, "own", &status);
    assert_int_equal(status, CL_SUCCESS);
    clReleaseProgram(program);
    clfold_text_finish(&text);
    return kernel;
}

static void set(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    assert_int_equal(clSetKernelArg(kernel, index, size, value), CL_SUCCESS);
}

static void set_args(cl_kernel kernel, const clfold_fold *fold)
{
    cl_uint index = 7;

    for (size_t k = 0; k < fold->num_args; ++k) {
        const clfold_arg *arg = &fold->args[k];
        set(kernel, index++, arg->mem ? sizeof(cl_mem) : arg->size,
            arg->mem ? &arg->mem : arg->value);
        if (arg->element) {
            const cl_ulong at = arg->offset;
            set(kernel, index++, sizeof(at), &at);
        }
    }
}

/* ---- Runs -------------------------------------------------------------------------- */

enum { INCLUSIVE, EXCLUSIVE, REDUCED, PLACES, NUM_OUT };
static const char *const out_names[] = { "inclusive", "exclusive", "reduced", "places" };

static unsigned char elements[(FIRST + MOST) * MAX_ITEM], items[MOST + 1][MAX_ITEM],
    expected[NUM_OUT][MOST * MAX_ITEM + ZONE], found[MOST * MAX_ITEM + ZONE];

static size_t size_of_out(const struct subject *s, int out)
{
    return out == PLACES ? sizeof(cl_uint) : out_size(s);
}

static void write_host(const struct subject *s, int out, const void *item,
                       const void *prev, size_t i, size_t n)
{
    const unsigned char *from = elements + FIRST * in_size(s);
    unsigned char *to = expected[out] + (s->place ? s->place(i, n) : i) * out_size(s);

    if (s->write) {
        s->write(to, item, prev, from, i, n);
    } else {
        memcpy(to, item, s->size);
    }
}

/* Of elements begin to begin + num - 1: items[k] is the fold of k of them. */
static void expect_group(const struct subject *s, size_t begin, size_t num, size_t n)
{
    const unsigned char *from = elements + FIRST * in_size(s);
    cl_uint kept = 0, places[MOST];
    cl_ulong item[MAX_ITEM / 8];

    if (s->identity) {
        memcpy(items[0], s->identity, s->size);
    }
    for (size_t k = 0; k < num; ++k) {
        places[k] = kept;
        kept += (begin + k) % 3 != 1;
        if (s->load) {
            s->load(item, from, begin + k, n);
        } else {
            memcpy(item, from + (begin + k) * s->size, s->size);
        }
        if (k > 0) {
            s->combine(items[k + 1], items[k], item);
        } else {
            memcpy(items[1], item, s->size);
        }
    }
    for (size_t k = 0; k < num; ++k) {
        const cl_uint both = places[k] + 1000 * kept;
        memcpy(expected[PLACES] + (begin + k) * sizeof(both), &both, sizeof(both));
        write_host(s, INCLUSIVE, items[k + 1], items[k], begin + k, n);
        write_host(s, REDUCED, items[num], items[num], begin + k, n);
        if (s->identity) {
            write_host(s, EXCLUSIVE, items[k], items[k], begin + k, n);
        }
    }
}

static void compare(const struct subject *s, int out, size_t count, size_t group,
                    cl_mem mem)
{
    const size_t size = size_of_out(s, out), bytes = count * size + ZONE;
    const bool is_item = s->same && out != PLACES && size == s->size;

    assert_int_equal(
        clEnqueueReadBuffer(device.queue, mem, CL_TRUE, 0, bytes, found, 0, NULL, NULL),
        CL_SUCCESS);
    for (size_t i = 0; i < count; ++i) {
        const unsigned char *a = expected[out] + i * size, *b = found + i * size;
        if (is_item ? !s->same(a, b) : memcmp(a, b, size) != 0) {
            fail_msg("%s of %s: item %zu of %zu is wrong in groups of %zu",
                     out_names[out], s->fold.name, i, count, group);
        }
    }
    assert_memory_equal(expected[out] + count * size, found + count * size, ZONE);
}

static void run(const struct subject *s, cl_kernel kernel, size_t count, size_t group)
{
    const size_t global = (count + group - 1) / group * group;
    const cl_ulong first = FIRST, n = count;
    cl_mem in, out[NUM_OUT];

    subject_fill(s, elements, FIRST + count, count);
    memset(expected, COLOUR, sizeof(expected));
    for (size_t begin = 0; begin < count; begin += group) {
        expect_group(s, begin, begin + group < count ? group : count - begin, count);
    }
    in = copied_buffer(elements, (FIRST + count) * in_size(s));
    set(kernel, 0, sizeof(in), &in);
    for (int k = 0; k < NUM_OUT; ++k) {
        out[k] = coloured_buffer(count * size_of_out(s, k) + ZONE);
        set(kernel, (cl_uint)k + 1, sizeof(out[k]), &out[k]);
    }
    set(kernel, 5, sizeof(first), &first);
    set(kernel, 6, sizeof(n), &n);
    set_args(kernel, &s->fold);
    assert_int_equal(clEnqueueNDRangeKernel(device.queue, kernel, 1, NULL, &global,
                                            &group, 0, NULL, NULL),
                     CL_SUCCESS);
    for (int k = 0; k < NUM_OUT; ++k) {
        compare(s, k, count, group, out[k]);
        clReleaseMemObject(out[k]);
    }
    clReleaseMemObject(in);
}

static size_t most_group(void)
{
    size_t most;

    assert_int_equal(clGetDeviceInfo(device.id, CL_DEVICE_MAX_WORK_GROUP_SIZE,
                                     sizeof(most), &most, NULL),
                     CL_SUCCESS);
    return most;
}

/* Mesa 22.3's compiler dies of four components of one type. */
static bool crashes(const struct subject *subject)
{
    return device.is_rusticl && strstr(subject->fold.name, "matrix");
}

/* Groups of the bound in turn, and of some less; the last one is of 1, or all but 1. */
static void check(const struct subject *subjects)
{
    static const size_t bounds[] = { 7, 256, 1, 48, 3, 100, 32, 2, 64 };

    for (size_t k = 0; subjects[k].size > 0; ++k) {
        const struct subject *s = &subjects[k];
        const size_t wanted = bounds[k % 9], most = most_group();
        const size_t bound = wanted < most ? wanted : most, group = (bound + 1) / 2;
        if (s->is_map || crashes(s) || (k > 3 && !device_takes(&device, k))) {
            continue;
        }
        char *const functions = group_text(&s->fold, bound);
        if (functions) {
            cl_kernel kernel = build(s, functions);
            run(s, kernel, 2 * bound + 1, bound);
            run(s, kernel, 3 * group - (group > 1), group);
            clReleaseKernel(kernel);
        }
        free(functions);
    }
}

static void test_built_ins(void **state)
{
    (void)state;
    check(built_ins);
}

static void test_operators(void **state)
{
    (void)state;
    check(operator_subjects);
}

static void test_loads(void **state)
{
    (void)state;
    check(load_subjects);
}

static void test_results(void **state)
{
    (void)state;
    check(result_subjects);
}

/* Two folds in one program, each by a name of its own. */
static void test_two(void **state)
{
    const clfold_fold maps = operator_subjects[0].fold;
    char *const functions = group_text(&built_ins[0].fold, 8);
    struct text text = { 0 };
    size_t size, needed;

    (void)state;
    assert_ok(clfold_group_text(ctx, &maps, "u", 8, NULL, 0, &size));
    char *const others = calloc(1, size);
    assert_non_null(others);
    assert_refused(clfold_group_text(ctx, &maps, "u", 8, others, size - 1, &needed),
                   CLFOLD_ERROR_RANGE, "is less than the");
    assert_true(needed == size && !others[0]);
    assert_ok(clfold_group_text(ctx, &maps, "u", 8, others, size, &needed));
    clfold_text_print(&text, "%s%s", others, functions);
    cl_kernel kernel = build(&built_ins[0], text.bytes);
    run(&built_ins[0], kernel, 17, 8);
    clReleaseKernel(kernel);
    clfold_text_finish(&text);
    free(functions);
    free(others);
}

static void test_rejected(void **state)
{
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };
    const clfold_segments rows = { .by = CLFOLD_BY_LENGTH, .length = 3 };
    const clfold_part part = { .whole = 9 };
    const cl_float init = 1;
    cl_mem mem = coloured_buffer(64);
    const struct {
        const char *words;
        clfold_status status;
        clfold_fold fold;
    } folds[] = {
#define F32(...) { .type = CLFOLD_F32, __VA_ARGS__ }
        { "the fold has no operator", CLFOLD_ERROR_ARGUMENT, F32(.load = "x") },
        { "keep is given", CLFOLD_ERROR_ARGUMENT,
          F32(.op = CLFOLD_ADD, .keep = "x > 0") },
        { "combine: a bracket", CLFOLD_ERROR_ARGUMENT, F32(.combine = "(a + b") },
        { "accuracy is given", CLFOLD_ERROR_UNSUPPORTED,
          F32(.op = CLFOLD_ADD, .accuracy = CLFOLD_COMPENSATED) },
        { "reproducible is for reductions", CLFOLD_ERROR_UNSUPPORTED,
          F32(.op = CLFOLD_ADD, .accuracy = CLFOLD_REPRODUCIBLE) },
        { "segments are given", CLFOLD_ERROR_UNSUPPORTED,
          F32(.op = CLFOLD_ADD, .segments = &rows) },
        { "part is given", CLFOLD_ERROR_UNSUPPORTED,
          F32(.op = CLFOLD_ADD, .part = &part) },
        { "init is given", CLFOLD_ERROR_UNSUPPORTED,
          F32(.op = CLFOLD_ADD, .init = &init, .init_size = 4) },
        { "init_at is given", CLFOLD_ERROR_UNSUPPORTED,
          F32(.op = CLFOLD_ADD, .init_at = { mem, 0 }) },
        { "count_at is given", CLFOLD_ERROR_UNSUPPORTED,
          F32(.op = CLFOLD_ADD, .count_at = { mem, 0 }) },
        { "total_out is given", CLFOLD_ERROR_UNSUPPORTED,
          F32(.op = CLFOLD_ADD, .total_out = { mem, 0 }) },
#undef F32
    };
    const char *const prefixes[] = {
        NULL, "", "1st", "a b", "sum\n", "a_name_that_has_33_letters_in_it_"
    };
    char text[16];
    size_t needed = 3;

    (void)state;
    for (size_t i = 0; i < sizeof(folds) / sizeof(folds[0]); ++i) {
        assert_refused(clfold_group_text(ctx, &folds[i].fold, "t", 8, NULL, 0, &needed),
                       folds[i].status, folds[i].words);
    }
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); ++i) {
        assert_refused(clfold_group_text(ctx, &sum, prefixes[i], 8, NULL, 0, &needed),
                       CLFOLD_ERROR_ARGUMENT, "prefix \"");
    }
    assert_refused(clfold_group_text(NULL, &sum, "t", 8, NULL, 0, &needed),
                   CLFOLD_ERROR_ARGUMENT, "context is NULL");
    assert_refused(clfold_group_text(ctx, NULL, "t", 8, NULL, 0, &needed),
                   CLFOLD_ERROR_ARGUMENT, "fold is NULL");
    assert_refused(clfold_group_text(ctx, &sum, "t", 0, NULL, 0, &needed),
                   CLFOLD_ERROR_RANGE, "group_size 0");
    assert_refused(clfold_group_text(ctx, &sum, "t", most_group() + 1, NULL, 0, &needed),
                   CLFOLD_ERROR_RANGE, "group_size");
    assert_refused(clfold_group_text(ctx, &sum, "t", 8, NULL, 1, &needed),
                   CLFOLD_ERROR_ARGUMENT, "text is NULL, but size is 1");
    assert_refused(clfold_group_text(ctx, &sum, "t", 8, text, 0, &needed),
                   CLFOLD_ERROR_ARGUMENT, "text is given, but size is 0");
    assert_int_equal(needed, 3);
    clReleaseMemObject(mem);
}

static int set_up(void **state)
{
    device_need_groups();
    const int failed = open_context(state);

    subject_args_init();
    return failed;
}

static int tear_down(void **state)
{
    subject_args_finish();
    return close_context(state);
}

TEST_MAIN("group_text", set_up, tear_down, cmocka_unit_test(test_built_ins),
          cmocka_unit_test(test_operators), cmocka_unit_test(test_loads),
          cmocka_unit_test(test_results), cmocka_unit_test(test_two),
          cmocka_unit_test(test_rejected))
