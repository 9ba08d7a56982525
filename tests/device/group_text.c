/*
 * Functions of a work-group in a kernel of the caller's: every fold of the subjects and
 * built-in operators, in groups of many sizes of which the last is partial, against a
 * loop on the host.
 *
 * And both scans of group_scan.cl, over sizes of groups. The one by sub-groups, which
 * functions for callers do not have, takes the place of the other in their text. It runs
 * as the device has sub-groups, in each size that may be asked for, with and without
 * shuffles, and on every device with those that the text makes of barriers, in sizes that
 * no device here has.
 */
#include <clfold/experimental.h>
#include "one_context.h"
#include "subjects_of_text.h"
#include "test.h"

#include "base/text.h"
#include "ops/context.h"

#define FIRST      5  /* elements before those that are folded */
#define ZONE       64 /* bytes after what is written */
#define MOST_GROUP 8192
#define MOST       (3 * MOST_GROUP)

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
    return trial_element_size(&(struct trial){ .subject = s });
}

/* ---- The kernel -------------------------------------------------------------------- */

static const char kernel_text[] =
    "#ifndef ATTRIBUTES\n"
    "#define ATTRIBUTES\n"
    "#endif\n"
    "kernel ATTRIBUTES void own(global const t_in *in, global t_out *inclusive,\n"
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
    "#if HAS_IDENTITY && !SUB_GROUPS\n"
    "    prev = t_group_exclusive_scan(x, num, &room ARGS);\n"
    "    if (l < num)\n"
    "        t_write(prev, prev, IN, exclusive, i ARGS);\n"
    "#endif\n"
    "    if (l < num)\n"
    "        t_write(y, prev, IN, inclusive, i ARGS);\n"
    "#if !SUB_GROUPS\n"
    "    y = t_group_reduce(x, num, &room ARGS);\n"
    "    if (l < num)\n"
    "        t_write(y, y, IN, reduced, i ARGS);\n"
    "#endif\n"
    "}\n";

/* Text before the functions where they scan by sub-groups, else NULL. Then the kernel has
 * one scan, as PoCL 3.1's compiler dies of a function that has a barrier, is called more
 * than once, and does not ask to be inlined: clfold_scan_section. */
static const char *front;

static void scan_by_sub_groups(char *functions)
{
    static const char kind[] = "#define t_CLFOLD_GROUP_SCAN ";
    char *const at = strstr(functions, kind);

    assert_non_null(at);
    at[strlen(kind)] = '0' + GROUP_SCAN_SUB_GROUP;
}

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

static char *group_text(const clfold_fold *fold, const char *name, size_t group_size)
{
    size_t needed = 0, again = 0;
    clfold_status status =
        clfold_group_text(ctx, fold, name, group_size, NULL, 0, &needed);

    if (status == CLFOLD_ERROR_UNSUPPORTED) {
        return NULL; /* the device has no such type */
    }
    assert_int_equal(status, CLFOLD_OK);
    char *text = malloc(needed);
    assert_non_null(text);
    text[0] = '\0';
    assert_refused(
        clfold_group_text(ctx, fold, name, group_size, text, needed - 1, &again),
        CLFOLD_ERROR_RANGE, "is less than the");
    assert_true(again == needed && !text[0]);
    assert_ok(clfold_group_text(ctx, fold, name, group_size, text, needed, NULL));
    assert_int_equal(strlen(text) + 1, needed);
    return text;
}

/* NULL, with the compiler's log, if there is no program. */
static cl_kernel compile(const struct subject *s, const char *functions, char *log,
                         size_t log_size)
{
    const clfold_fold *fold = &s->fold;
    const bool has_place = fold->load || fold->result || fold->store ||
                           (fold->out && fold->out != fold->type);
    struct text text = { 0 };
    cl_kernel kernel = NULL;
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
        device.context, 3, (const char *[]){ front ? front : "", functions, text.bytes },
        NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    clfold_text_finish(&text);
    if (clBuildProgram(program, 1, &device.id, front ? ctx->caps.options : "", NULL,
                       NULL)) {
        clGetProgramBuildInfo(program, device.id, CL_PROGRAM_BUILD_LOG, log_size, log,
                              NULL);
    } else {
        kernel = clCreateKernel(program, "own", &status);
        assert_int_equal(status, CL_SUCCESS);
    }
    clReleaseProgram(program);
    return kernel;
}

static cl_kernel build(const struct subject *s, const char *functions)
{
    char log[4096] = "";
    cl_kernel kernel = compile(s, functions, log, sizeof(log));

    if (!kernel) {
        fail_msg("%s: no program\n%s\n%s", s->fold.name, front ? front : "", log);
    }
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

static unsigned char elements[(FIRST + MOST) * MAX_ITEM], items[MOST_GROUP + 1][MAX_ITEM],
    expected[NUM_OUT][MOST * MAX_ITEM + ZONE], found[MOST * MAX_ITEM + ZONE];

static size_t size_of_out(const struct subject *s, int out)
{
    return out == PLACES ? sizeof(cl_uint)
                         : trial_result_size(&(struct trial){ .subject = s });
}

static void write_host(const struct subject *s, int out, const void *item,
                       const void *prev, size_t i, size_t n)
{
    const unsigned char *from = elements + FIRST * in_size(s);
    unsigned char *to =
        expected[out] + (s->place ? s->place(i, n) : i) * size_of_out(s, out);

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
    static cl_uint places[MOST_GROUP];
    cl_uint kept = 0;
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
        if (!front) {
            write_host(s, REDUCED, items[num], items[num], begin + k, n);
        }
        if (!front && s->identity) {
            write_host(s, EXCLUSIVE, items[k], items[k], begin + k, n);
        }
    }
}

static void compare(const struct subject *s, int out, size_t count, size_t group,
                    cl_mem mem)
{
    const size_t size = size_of_out(s, out), bytes = count * size + ZONE;
    const bool is_item = s->same && out != PLACES && size == s->size;

    load_buffer(mem, 0, bytes, found);
    for (size_t i = 0; i < count; ++i) {
        const unsigned char *a = expected[out] + i * size, *b = found + i * size;
        if (is_item ? !s->same(a, b) : memcmp(a, b, size) != 0) {
            fail_msg("%s of %s: item %zu of %zu is wrong in groups of %zu\n%s",
                     out_names[out], s->fold.name, i, count, group, front ? front : "");
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
    for (int k = 0; k < NUM_OUT; ++k) {
        memset(expected[k], COLOUR, count * size_of_out(s, k) + ZONE);
    }
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

/* Mesa 22.3's compiler dies of four components of one type. */
static bool crashes(const struct subject *subject)
{
    return device.is_rusticl && strstr(subject->fold.name, "matrix");
}

/* In groups of the bound, the last of 1, 2, all but one or all; and in some of less. */
static void check_in(const struct subject *s, size_t bound)
{
    const size_t last[] = { 1, 2, bound - 1, bound }, group = (bound + 1) / 2;
    char *const functions = crashes(s) ? NULL : group_text(&s->fold, "t", bound);

    if (functions) {
        if (front) {
            scan_by_sub_groups(functions);
        }
        cl_kernel kernel = build(s, functions);
        for (size_t k = 0; k < sizeof(last) / sizeof(last[0]); ++k) {
            if (last[k] > 0 && last[k] <= bound) {
                run(s, kernel, 2 * bound + last[k], bound);
            }
        }
        run(s, kernel, 3 * group - (group > 1), group);
        clReleaseKernel(kernel);
    }
    free(functions);
}

/* The subjects of a table. Two groups of the bound and part of a third are at most MOST
 * elements. */
static void test_subjects(void **state)
{
    static const size_t bounds[] = { 7,  256, 1,  48, 3,   100, 32,
                                     50, 250, 31, 2,  128, 33,  64 };
    const struct subject *const subjects = *state;
    const size_t most = ctx->caps.facts.max_group_size;

    for (size_t k = 0; subjects[k].size > 0; ++k) {
        if (!subjects[k].is_map && (k <= 3 || device_takes(&device, k))) {
            check_in(&subjects[k], bounds[k % 14] < most ? bounds[k % 14] : most);
        }
    }
}

/* ---- Sizes of groups and sub-groups ------------------------------------------------ */

/* In groups of this size, or the largest whose items local memory holds twice. */
static void check_size(const struct subject *s, size_t size)
{
    size_t most = ctx->caps.facts.max_group_size;

    most = most < MOST_GROUP ? most : MOST_GROUP;
    while (2 * most * s->size > ctx->caps.facts.local_memory) {
        most /= 2;
    }
    check_in(s, size > 0 && size < most ? size : most);
}

/* Two folds in one program, each by a name of its own; and the largest group, of maps,
 * which show any wrong pair. */
static void test_two(void **state)
{
    char *const functions = group_text(&built_ins[0].fold, "t", 8);
    char *const others = group_text(&operator_subjects[0].fold, "u", 8);

    front = others;
    cl_kernel kernel = build(&built_ins[0], functions);
    front = NULL;
    run(&built_ins[0], kernel, 17, 8);
    clReleaseKernel(kernel);
    free(functions);
    free(others);
    check_size(&affine, 0);
}

/* 0 is the largest; with the last four each size of sub-groups is tried that may be asked
 * for. */
static const size_t sizes[] = {
    0, 31, 50, 128, 250, 1, 2, 3, 16, 32, 33, 7, 64, 100, 256
};
#define NUM_SIZES (sizeof(sizes) / sizeof(sizes[0]))

/* What the kernel is told, and how many values a run of t_group_select has, which counts
 * in the room of a scan by raking. */
#define BY_SUB_GROUPS "#define SUB_GROUPS 1\n#define t_CLFOLD_SCAN_RUN 3\n"

static int scan_by_raking(void **state)
{
    front = NULL;
    return 0;
}

/* The sizes that may be asked for, up to 16 of them, after 0, which stands for none. */
static size_t list_asked(size_t *asked)
{
    static size_t all[8192]; /* PoCL 7.1 has 0 to 4095 */
    static char extensions[8192];
    size_t bytes = 0, num = 0;

    clGetDeviceInfo(device.id, CL_DEVICE_EXTENSIONS, sizeof(extensions) - 1, extensions,
                    NULL);
    if (strstr(extensions, "cl_intel_required_subgroup_size")) {
        /* CL_DEVICE_SUB_GROUP_SIZES_INTEL */
        assert_int_equal(clGetDeviceInfo(device.id, 0x4108, sizeof(all), all, &bytes),
                         CL_SUCCESS);
        num = bytes / sizeof(*all) < 16 ? bytes / sizeof(*all) : 16;
    }
    asked[0] = 0;
    for (size_t i = 1; i <= num; ++i) {
        asked[i] = all[i * (bytes / sizeof(*all)) / num - 1];
    }
    return num + 1;
}

/* With either kind of shuffle and without; where the context says that there are none,
 * the compiler says so as well. */
static void test_scan_own_sub_groups(void **state)
{
    static const char *const forms[] = { "", "#undef cl_khr_subgroup_shuffle_relative\n",
                                         "#define t_CLFOLD_NO_SHUFFLES 1\n" };
    static char text[512];
    size_t asked[17];

    if (!ctx->caps.facts.sub_groups) {
        char *const functions = group_text(&affine.fold, "t", 16), log[4096] = "";
        front = BY_SUB_GROUPS;
        scan_by_sub_groups(functions);
        assert_null(compile(&affine, functions, log, sizeof(log)));
        assert_non_null(strstr(log, "has no sub-groups"));
        free(functions);
        return;
    }
    front = text;
    for (size_t k = list_asked(asked); k-- > 0;) {
        for (size_t i = asked[k] > 0 ? NUM_SIZES - 4 : 0; i < NUM_SIZES; ++i) {
            snprintf(
                text, sizeof(text),
                "#define ASKED %zu\n"
                "#if ASKED\n"
                "#define ATTRIBUTES __attribute__((intel_reqd_sub_group_size(ASKED)))\n"
                "#endif\n%s%s",
                asked[k], forms[(i + 2 * k) % 3], BY_SUB_GROUPS);
            check_size((i + k) % 2 ? &operator_subjects[i] : &affine, sizes[i]);
        }
    }
}

/* Sub-groups made by the text: W neighbours, that wait for the whole group where they
 * should wait for each other, which is as much; those of one do not wait, so that a
 * barrier of the group that is missing shows. */
static void make_sub_groups(unsigned size)
{
    static char text[512];

    snprintf(text, sizeof(text),
             "#ifndef __opencl_c_subgroups\n"
             "#define __opencl_c_subgroups 1\n"
             "#endif\n"
             "#define t_CLFOLD_NO_SHUFFLES 1\n"
             "#define get_max_sub_group_size() %uu\n"
             "#define get_sub_group_id() ((uint)get_local_id(0) / %uu)\n"
             "#define get_sub_group_local_id() ((uint)get_local_id(0) %% %uu)\n"
             "#define sub_group_barrier(flags) %s\n%s",
             size, size, size, size == 1 ? "" : "barrier(flags)", BY_SUB_GROUPS);
    front = text;
}

/* 65 and more are several sections. */
static void test_scan_made_sub_groups(void **state)
{
    static const struct {
        unsigned group, sub_group;
    } shapes[] = {
        { 33, 3 },   { 1, 1 },    { 50, 50 },   { 7, 1 },      { 256, 16 },
        { 130, 65 }, { 50, 7 },   { 100, 100 }, { 128, 4096 }, { 100, 33 },
        { 100, 31 }, { 250, 96 }, { 64, 32 },
    };

    for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); ++i) {
        make_sub_groups(shapes[i].sub_group);
        if (device_takes(&device, i)) {
            check_size(i % 2 ? &operator_subjects[i] : &affine, shapes[i].group);
        }
    }
}

/* Small groups, for runs of a driver in its other manners too. */
static void test_few(void **state)
{
    static const unsigned groups[] = { 3, 16, 33 };

    for (unsigned i = 0; i < sizeof(groups) / sizeof(groups[0]); ++i) {
        scan_by_raking(state);
        check_size(i % 2 ? &operator_subjects[4] : &affine, groups[i]);
        make_sub_groups(7);
        check_size(i % 2 ? &operator_subjects[4] : &affine, groups[i]);
    }
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

#define OF(test, table)                                                                  \
    {                                                                                    \
        .name = test, .test_func = test_subjects,                                        \
        .initial_state = (void *)(uintptr_t)(table)                                      \
    }
#define BY_RAKING(test) cmocka_unit_test_teardown(test, scan_by_raking)
TEST_MAIN("group_text", set_up, tear_down, OF("test_built_ins", built_ins),
          OF("test_operators", operator_subjects), OF("test_loads", load_subjects),
          OF("test_results", result_subjects), cmocka_unit_test(test_two),
          BY_RAKING(test_scan_own_sub_groups), BY_RAKING(test_scan_made_sub_groups),
          BY_RAKING(test_few))
