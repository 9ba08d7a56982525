/* src/plan without a device: struct sizes, scalars, monoids, and the program text. Plans:
 * plan.c, choices.c. */
#include <clfold/experimental.h>
#include "every_text.h"
#include "oracle.h"
#include "test.h"

#include "base/number.h"
#include "plan/memory.h"
#include "plan/scalar.h"

#include <math.h>

static const struct site site = { NULL, "monoid" };

/* Frozen under a soname. */
static void test_struct_sizes(void **state)
{
    if (sizeof(void *) != 8) {
        skip();
    }
    assert_int_equal(sizeof(clfold_fold), 384);
    assert_int_equal(sizeof(clfold_context_params), 168);
    assert_int_equal(sizeof(clfold_segments), 88);
    assert_int_equal(sizeof(clfold_part), 112);
    assert_int_equal(sizeof(clfold_arg), 80);
    assert_int_equal(sizeof(clfold_indexed), 16);
    assert_int_equal(sizeof(clfold_place), 16);
    assert_int_equal(sizeof(clfold_stats), 128);
    assert_int_equal(sizeof(clfold_report), 384);
    assert_int_equal(sizeof(clfold_launch), 64);
    assert_int_equal(sizeof(clfold_placement), 56);
    assert_int_equal(sizeof(clfold_field), 88);
    assert_int_equal(sizeof(clfold_layout), 440);
    assert_int_equal(offsetof(clfold_fold, algorithm), 208);
    assert_int_equal(offsetof(clfold_fold, components), 40);
    assert_int_equal(offsetof(clfold_fold, cuts), 88);
    assert_int_equal(offsetof(clfold_context_params, load_verdict), 72);
}

#define OF(name, scalar) .op = CLFOLD_##name, .type = CLFOLD_##scalar

/* Of built-in operators: `in` may be 0, which is the type that is folded. */
static void test_layouts(void **state)
{
    static const struct {
        clfold_fold fold;
        size_t in_size, out_size;
        const char *fields; /* with offsets */
    } cases[] = {
        { { OF(ADD, U64), .in = CLFOLD_U8 }, 1, 8, "u64 v 0" },
        { { OF(ADD, F32), .accuracy = CLFOLD_COMPENSATED }, 4, 4, "f32 v 0" },
        { { OF(ADD, F64), .accuracy = CLFOLD_REPRODUCIBLE }, 8, 8, "f64 v 0" },
        { { OF(MIN_MAX, I16) }, 2, 4, "i16 least 0, i16 greatest 2" },
        { { OF(ARG_MIN, F32) }, 4, 16, "u64 index 0, f32 value 8" },
        { { OF(MOMENTS, F32) }, 4, 16, "u64 count 0, f32 mean 8, f32 m2 12" },
        { { OF(MOMENTS, F64), .in = CLFOLD_I8 },
          1,
          24,
          "u64 count 0, f64 mean 8, f64 m2 16" },
        { { OF(AFFINE, I32) }, 8, 8, "i32 a 0, i32 b 4" },
        { { OF(MATRIX_2X2, F64), .in = CLFOLD_F32 },
          16,
          32,
          "f64 m00 0, f64 m01 8, f64 m10 16, f64 m11 24" },
        { { OF(ADD, U64), .in = CLFOLD_F32, .in_scalars = 3,
            .load = "to_u64(x.x + x.z)" },
          12,
          8,
          "u64 v 0" },
        { { OF(AFFINE, F32), .in = CLFOLD_I16, .load = "{ 1, to_f32(x) }" },
          2,
          8,
          "f32 a 0, f32 b 4" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        clfold_layout layout;
        char fields[128] = "";
        assert_ok(clfold_fold_layout(&cases[i].fold, &layout));
        assert_int_equal(layout.in_size, cases[i].in_size);
        assert_int_equal(layout.out_size, cases[i].out_size);
        for (uint32_t k = 0; k < layout.num_fields; ++k) {
            const clfold_field *field = &layout.fields[k];
            assert_int_equal(field->size, clfold_type_size(field->type));
            sprintf(fields + strlen(fields), "%s%s %s %zu", k > 0 ? ", " : "",
                    clfold_type_name(field->type), field->name, field->offset);
        }
        assert_string_equal(fields, cases[i].fields);
    }
}

static void test_monoids(void **state)
{
    struct monoid monoid;

    assert_ok(clfold_monoid_init(&monoid, &site, CLFOLD_ADD, CLFOLD_U64, CLFOLD_U8));
    assert_int_equal(monoid.components[0].stage, CLFOLD_U32);
    /* So many bytes of 255 still fit a uint, one more does not. */
    assert_true(monoid.stage_limit * 255 <= UINT32_MAX);
    assert_true((monoid.stage_limit + 1) * 255 > UINT32_MAX);
    assert_int_equal(clfold_monoid_in_size(&monoid), 1);
    assert_int_equal(clfold_monoid_out_size(&monoid), 8);
    assert_ok(clfold_monoid_init(&monoid, &site, CLFOLD_MAX, CLFOLD_F64, CLFOLD_F32));
    assert_int_equal(monoid.components[0].stage, CLFOLD_F32);
    assert_true(clfold_monoid_uses(&monoid, CLFOLD_F64));
    assert_false(clfold_monoid_uses(&monoid, CLFOLD_I32));
    /* As OpenCL C lays a struct out. */
    monoid.num_components = 3;
    monoid.components[0].item = CLFOLD_U8;
    monoid.components[1].item = CLFOLD_F64;
    monoid.components[2].item = CLFOLD_I16;
    assert_int_equal(clfold_monoid_item_size(&monoid), 24);
}

/* The host's numbers have the sizes and signs of the table; each type at its ends. */
static void test_numbers(void **state)
{
    for (clfold_type type = CLFOLD_I8; type < CLFOLD_F16; ++type) {
        const struct scalar *row = clfold_scalar(type);
        uint64_t high = UINT64_C(1) << (8 * row->size - 1), all = high | (high - 1);
        struct host_number least = { row->is_signed ? ~(high - 1) : 0, 0 };
        struct host_number most = { row->is_signed ? high - 1 : all, 0 };
        unsigned char bytes[8];

        memset(bytes, 0xff, sizeof(bytes));
        assert_true(clfold_number_wrap(type, most.integer) == most.integer);
        assert_true(clfold_number_wrap(type, most.integer + 1) == least.integer);
        assert_true(clfold_number_wrap(type, least.integer - 1) == most.integer);
        assert_true(clfold_number_read(type, bytes).integer ==
                    (row->is_signed ? UINT64_MAX : all));
        assert_true(clfold_number_is_less(type, least, most));
        assert_false(clfold_number_is_less(type, most, least));
        assert_false(clfold_number_is_less(type, most, most));
        assert_true(clfold_number_is_same(type, most, most));
        assert_false(clfold_number_is_same(type, least, most));
    }
    for (clfold_type type = CLFOLD_F16; type <= CLFOLD_F64; ++type) {
        const cl_half half = 0xc000;
        const cl_float single = -2;
        const cl_double real = -2;
        const void *at = type == CLFOLD_F16   ? (const void *)&half
                         : type == CLFOLD_F32 ? (const void *)&single
                                              : &real;
        const struct host_number two = clfold_number_read(type, at), nan = { 0, NAN };
        assert_true(two.real == -2 && two.integer == 0);
        assert_true(clfold_number_wrap(type, 5) == 0);
        assert_true(clfold_number_is_less(type, two, (struct host_number){ 0, -1 }));
        assert_true(clfold_number_is_same(type, nan, nan));
        assert_false(clfold_number_is_same(type, nan, two));
        assert_false(clfold_number_is_less(type, nan, two));
    }
}

/* What the header promises of numbers that are not in the tables; and each algorithm has
 * its place, serial in the lists of both families. */
static void test_names(void **state)
{
    uint32_t num = 0;

    assert_null(clfold_type_name(0));
    assert_null(clfold_type_name(CLFOLD_F64 + 1));
    assert_null(clfold_type_name(UINT32_MAX));
    assert_int_equal(clfold_type_size(UINT32_MAX), 0);
    assert_string_equal(clfold_type_name(CLFOLD_F32), "f32");
    assert_null(clfold_op_name(0));
    assert_null(clfold_op_name(CLFOLD_MATRIX_2X2 + 1));
    assert_string_equal(clfold_op_name(CLFOLD_MATRIX_2X2), "matrix-2x2");
    for (int scans = 0; scans < 2; ++scans) {
        const clfold_operation operation = scans ? CLFOLD_EXCLUSIVE_SCAN : CLFOLD_REDUCE;
        const char *name;
        enum algorithm which;
        num -= (uint32_t)scans;
        for (uint32_t i = 0; (name = clfold_operation_algorithm(operation, i)); ++i) {
            assert_true(clfold_algorithm_named(
                name, clfold_operation_row(operation)->family, &which));
            assert_true(which == SERIAL || which == (enum algorithm)num);
            ++num;
        }
        assert_int_equal(which, SERIAL);
    }
    assert_int_equal(num, CLFOLD_ALGORITHMS);
    assert_null(clfold_operation_algorithm(CLFOLD_REDUCE, UINT32_MAX));
    assert_null(clfold_operation_algorithm(0, 0));
    assert_null(clfold_operation_algorithm(CLFOLD_SELECT + 1, 0));
}

/* Every stage holds what a tile can put into it, for every operator and pair of types. */
static void test_stages(void **state)
{
    size_t made = 0, staged = 0;

    for (clfold_op op = CLFOLD_ADD; op <= CLFOLD_MIN_MAX; ++op) {
        for (clfold_type in = CLFOLD_I8; in <= CLFOLD_F64; ++in) {
            for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; ++type) {
                struct monoid monoid;
                if (clfold_monoid_init(&monoid, &site, op, type, in)) {
                    continue;
                }
                ++made;
                for (uint32_t k = 0; k < monoid.num_components; ++k) {
                    const struct component *component = &monoid.components[k];
                    const struct scalar *stage = clfold_scalar(component->stage);
                    staged += component->stage != component->item;
                    assert_non_null(component->combine);
                    assert_int_equal(clfold_scalar(component->item)->size,
                                     clfold_scalar(component->result)->size);
                    /* What overflows is unsigned. */
                    assert_true((op != CLFOLD_ADD && op != CLFOLD_MUL) ||
                                clfold_scalar(type)->is_float ||
                                !clfold_scalar(component->item)->is_signed);
                    assert_int_equal(component->identity == NULL, !monoid.has_identity);
                    if (component->load == LOAD_POSITION) {
                        /* As wide as its value, for `?:` on vectors. */
                        const struct scalar *value = clfold_scalar(component[1].stage);
                        assert_int_equal(stage->size, value->size);
                        assert_true(monoid.stage_limit <= UINT32_MAX);
                    }
                    if (op == CLFOLD_ADD && component->stage != component->item &&
                        type != CLFOLD_F16) {
                        uint64_t most = UINT64_C(1) << (8 * clfold_scalar(in)->size);
                        most = stage->is_signed ? most / 2 : most - 1;
                        uint64_t room = stage->is_signed ? INT32_MAX : UINT32_MAX;
                        assert_true(monoid.stage_limit * most <= room);
                        assert_true((monoid.stage_limit + 1) * most > room);
                    }
                }
            }
        }
    }
    /* 94 pairs of types: 64 of integers, 8 x 3 into floats, 9 of floats less none. */
    assert_int_equal(made, 10 * (64 + 24 + 9) + 3 * 64);
    assert_true(staged > 200);
}

struct seen {
    size_t texts, groups, f16, f64;
};

/* All names of clfold's have the caller's prefix, but for those in quotes. */
static void check_prefixes(const char *text)
{
    for (const char *at = text; (at = strstr(at, "clfold_")); ++at) {
        assert_int_equal(at[-1], '_');
    }
    for (const char *at = text; (at = strstr(at, "CLFOLD_")); ++at) {
        assert_true(at[-1] == '_' || strncmp(at, "CLFOLD_GROUP_SIZE must", 22) == 0);
    }
}

/* That all is there that texts need, compilers say; that a file needs no more than it
 * uses, lint; that functions are there if a file names them, assemble.c. */
static void check_text(void *user, const char *name, const char *text)
{
    struct seen *seen = user;
    bool halves = strstr(name, "_f16_f32_") || strstr(name, "_f16_f64_");
    bool f16 = strstr(name, "f16") && !halves, f64 = strstr(name, "f64");
    const struct {
        const char *part;
        bool is_there;
    } parts[] = {
        { "#pragma OPENCL FP_CONTRACT OFF", true },
        /* An extension is asked for where it is used only. */
        { "cl_khr_fp64 : enable", f64 },
        { "cl_khr_fp16 : enable", f16 },
        { "#define CLFOLD_IN_HALF 1\n", halves },
    };

    ++seen->texts;
    seen->f16 += f16;
    seen->f64 += f64;
    if (strstr(name, "group_text_")) {
        ++seen->groups;
        check_prefixes(text);
        return;
    }
    if (strstr(name, "probe_") || strstr(name, "_heads_")) {
        return; /* nothing is folded, and a name has the type of flags */
    }
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); ++i) {
        if ((strstr(text, parts[i].part) != NULL) != parts[i].is_there) {
            fail_msg("%s %s %s", name, parts[i].is_there ? "lacks" : "has",
                     parts[i].part);
        }
    }
}

static void test_texts(void **state)
{
    struct seen seen = { 0 };

    every_text(check_text, &seen);
    assert_true(seen.texts > 6000 && seen.f16 > 30 && seen.f64 > 30);
    assert_int_equal(seen.groups, 26);
}

/* A lifted monoid has one part more, of its neighbour's size, and nothing rare. */
static void test_lifted(void **state)
{
    static const struct {
        clfold_op op;
        clfold_type type, in;
        size_t item;
        clfold_type head, stage;
    } cases[] = {
        { CLFOLD_ADD, CLFOLD_F32, CLFOLD_F32, 8, CLFOLD_I32, CLFOLD_I32 },
        { CLFOLD_ADD, CLFOLD_U64, CLFOLD_U8, 16, CLFOLD_I64, CLFOLD_I32 },
        { CLFOLD_MIN, CLFOLD_U8, CLFOLD_U8, 2, CLFOLD_I8, CLFOLD_I8 },
        { CLFOLD_MIN_MAX, CLFOLD_F64, CLFOLD_F64, 24, CLFOLD_I64, CLFOLD_I64 },
        { CLFOLD_ARG_MAX, CLFOLD_F32, CLFOLD_F32, 16, CLFOLD_I32, CLFOLD_I32 },
        { CLFOLD_MOMENTS, CLFOLD_F32, CLFOLD_F32, 24, CLFOLD_I32, CLFOLD_I32 },
    };
    struct monoid monoid;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        const struct component *head;
        assert_ok(
            clfold_monoid_init(&monoid, &site, cases[i].op, cases[i].type, cases[i].in));
        const size_t result = clfold_monoid_out_size(&monoid);
        const uint32_t num = monoid.num_components;
        head = &monoid.components[num];
        clfold_monoid_lift(&monoid);
        assert_int_equal(clfold_monoid_item_size(&monoid), cases[i].item);
        assert_int_equal(clfold_monoid_out_size(&monoid), result);
        assert_int_equal(clfold_monoid_num_results(&monoid), num);
        assert_int_equal(clfold_monoid_num_parts(&monoid), num + 1);
        assert_int_equal(head->item, cases[i].head);
        assert_int_equal(head->stage, cases[i].stage);
        assert_null(monoid.rare);
        assert_false(monoid.commutative);
        assert_true(clfold_monoid_cuts(&monoid));
    }
}

TEST_MAIN("monoid", NULL, NULL, cmocka_unit_test(test_struct_sizes),
          cmocka_unit_test(test_lifted), cmocka_unit_test(test_layouts),
          cmocka_unit_test(test_monoids), cmocka_unit_test(test_names),
          cmocka_unit_test(test_numbers), cmocka_unit_test(test_stages),
          cmocka_unit_test(test_texts))
