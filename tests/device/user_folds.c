/*
 * Operators of the caller's: components of one size, of several, structs that only OpenCL
 * C knows, arguments; in every operation, by every algorithm, on every tile, against a
 * loop on the host. All are exact, and most do not commute.
 */
#include "ways.h"
#include "host_ops.h"
#include "one_context.h"
#include "test.h"

/* ---- The folds --------------------------------------------------------------------- */

/* The last two of them, and the least of all. */
static void combine_triple(void *out, const void *a, const void *b)
{
    const cl_ushort *x = a, *y = b;
    const cl_ushort r[3] = { (cl_ushort)(x[0] * y[0]), (cl_ushort)(x[1] * y[0] + y[1]),
                             x[2] < y[2] ? x[2] : y[2] };

    memcpy(out, r, sizeof(r));
}

struct mixed {
    cl_ulong sum;
    cl_uint last;
    cl_ushort most;
};

static void combine_mixed(void *out, const void *a, const void *b)
{
    const struct mixed *x = a, *y = b;
    struct mixed r = { x->sum + y->sum, y->last ? y->last : x->last,
                       x->most > y->most ? x->most : y->most };

    memcpy(out, &r, sizeof(r));
}

static bool same_mixed(const void *a, const void *b)
{
    const struct mixed *x = a, *y = b;

    return x->sum == y->sum && x->last == y->last && x->most == y->most;
}

/* The value of the greatest key, the first of equals. */
struct keyed {
    cl_ulong value;
    cl_uint key;
};

static void combine_keyed(void *out, const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    memmove(out, y->key > x->key ? y : x, sizeof(*x));
}

static bool same_keyed(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    return x->value == y->value && x->key == y->key;
}

static void combine_segment(void *out, const void *a, const void *b)
{
    const cl_uint *x = a, *y = b;
    const cl_uint r[2] = { y[1] & 1 ? y[0] : x[0] + y[0], y[1] & 1 ? y[1] : x[1] | y[1] };

    memcpy(out, r, sizeof(r));
}

struct narrow {
    cl_int v;
    cl_uchar f;
};

static void combine_narrow(void *out, const void *a, const void *b)
{
    const struct narrow *x = a, *y = b;
    struct narrow r = { y->f ? y->v : (cl_int)((cl_uint)x->v + (cl_uint)y->v),
                        y->f ? y->f : x->f };

    memcpy(out, &r, sizeof(r));
}

static bool same_narrow(const void *a, const void *b)
{
    const struct narrow *x = a, *y = b;

    return x->v == y->v && x->f == y->f;
}

static void combine_matrix(void *out, const void *a, const void *b)
{
    const cl_uchar *x = a, *y = b;
    const cl_uchar r[4] = { (cl_uchar)(x[0] * y[0] + x[1] * y[2]),
                            (cl_uchar)(x[0] * y[1] + x[1] * y[3]),
                            (cl_uchar)(x[2] * y[0] + x[3] * y[2]),
                            (cl_uchar)(x[2] * y[1] + x[3] * y[3]) };

    memcpy(out, r, sizeof(r));
}

static void combine_last(void *out, const void *a, const void *b)
{
    (void)a;
    memmove(out, b, sizeof(cl_ulong));
}

/* x[0] multiplies, the others are added: `num` of them. */
static void combine_words(void *out, const void *a, const void *b, size_t num)
{
    const cl_uint *x = a, *y = b;
    cl_uint r[MAX_ITEM / 4];

    r[0] = x[0] * y[0];
    for (size_t i = 1; i < num; ++i) {
        r[i] = x[i] * y[0] + y[i];
    }
    memcpy(out, r, num * 4);
}

static void combine_5(void *out, const void *a, const void *b)
{
    combine_words(out, a, b, 5);
}

static void combine_16(void *out, const void *a, const void *b)
{
    combine_words(out, a, b, 16);
}

static void combine_18(void *out, const void *a, const void *b)
{
    combine_words(out, a, b, 18);
}

static void combine_64(void *out, const void *a, const void *b)
{
    combine_words(out, a, b, 64);
}

/* A function on two states, a bit each. */
static void combine_states(void *out, const void *a, const void *b)
{
    const cl_uchar *x = a, *y = b;
    cl_uchar r = (cl_uchar)((*y >> (*x & 1) & 1) | (*y >> (*x >> 1 & 1) & 1) << 1);

    memcpy(out, &r, 1);
}

#define MODULUS 65521u
static const cl_uint modulus = MODULUS;
static const struct {
    cl_uint a, b;
} ones = { 1, 0 };
static cl_mem table; /* MODULUS at [2] */

static void combine_modulo(void *out, const void *a, const void *b)
{
    const cl_uint *x = a, *y = b;
    const cl_uint r[2] = { x[0] * y[0] % MODULUS, (x[1] * y[0] + y[1]) % MODULUS };

    memcpy(out, r, sizeof(r));
}

#define WORDS(num)                                                                       \
    CLFOLD_HERE "struct words { uint x[" #num "]; };\n"                                  \
                "struct words join(struct words a, struct words b)\n{\n"                 \
                "    for (int i = 1; i < " #num "; ++i)\n"                               \
                "        a.x[i] = a.x[i] * b.x[0] + b.x[i];\n"                           \
                "    a.x[0] *= b.x[0];\n    return a;\n}\n"

static clfold_arg args[3];

static const cl_uint one_0[2] = { 1, 0 };
static const cl_uchar unit[4] = { 1, 0, 0, 1 };
static const struct mixed nothing;
static const cl_uchar same_states = 2;

static const struct subject subjects[] = {
    { .fold = { .name = "affine",
                .components = "uint a; uint b",
                .combine = "{ a.a * b.a, a.b * b.a + b.b }",
                .identity = "{ 1, 0 }" },
      .size = 8,
      .identity = one_0,
      .combine = combine_affine,
      .most = UINT32_MAX },
    { .fold = { .name = "affine without identity",
                .components = "uint a, b",
                .combine = CLFOLD_HERE "{ a.a * b.a, a.b * b.a + b.b }" },
      .size = 8,
      .combine = combine_affine,
      .most = UINT32_MAX },
    { .fold = { .name = "built-in affine", .op = CLFOLD_AFFINE, .type = CLFOLD_I32 },
      .size = 8,
      .identity = one_0,
      .combine = combine_affine,
      .most = UINT32_MAX },
    { .fold = { .name = "built-in matrix", .op = CLFOLD_MATRIX_2X2, .type = CLFOLD_U8 },
      .size = 4,
      .identity = unit,
      .combine = combine_matrix,
      .most = 255,
      .word = 1 },
    { .fold = { .name = "triple",
                .components = "ushort a, b; ushort c",
                .combine = "{ a.a * b.a, a.b * b.a + b.b, min(a.c, b.c) }" },
      .size = 6,
      .combine = combine_triple,
      .most = 65535,
      .word = 2 },
    { .fold = { .name = "matrix",
                .components = "uchar a, b, c, d",
                .combine = "{ a.a * b.a + a.b * b.c, a.a * b.b + a.b * b.d,\n"
                           "  a.c * b.a + a.d * b.c, a.c * b.b + a.d * b.d }",
                .identity = "{ 1, 0, 0, 1 }" },
      .size = 4,
      .identity = unit,
      .combine = combine_matrix,
      .most = 255,
      .word = 1 },
    { .fold = { .name = "mixed",
                .components = "ulong sum; uint last; ushort most",
                .combine = "{ a.sum + b.sum, pick(truth(b.last), b.last, a.last),\n"
                           "  max(a.most, b.most) }",
                .identity = "{ 0, 0, 0 }" },
      .size = 16,
      .identity = &nothing,
      .combine = combine_mixed,
      .most = UINT32_MAX,
      .same = same_mixed },
    { .fold = { .name = "keyed",
                .components = "ulong value; uint key",
                .combine =
                    "{ pick(b.key > a.key, b.value, a.value), max(a.key, b.key) }" },
      .size = 16,
      .combine = combine_keyed,
      .most = 5000,
      .same = same_keyed },
    { .fold = { .name = "segments",
                .components = "int v; uint f",
                .combine = "{ pick(truth(b.f & 1), b.v, a.v + b.v), "
                           "pick(truth(b.f & 1), b.f, a.f | b.f) }",
                .identity = "{ 0, 0 }",
                .cuts = "b.f & 1" },
      .size = 8,
      .identity = &nothing,
      .combine = combine_segment,
      .most = 40 },
    { .fold = { .name = "segments by bytes",
                .components = "int v; uchar f",
                .combine = "{ pick(truth(b.f), b.v, a.v + b.v),\n"
                           "  pick(truth(b.f), b.f, a.f) }",
                .identity = "{ 0, 0 }",
                .cuts = "truth(b.f)" },
      .size = 8,
      .identity = &nothing,
      .combine = combine_narrow,
      .most = 40,
      .same = same_narrow },
    { .fold = { .name = "segments, by sign at 16",
                .components = "int v; uint f",
                .combine = "{ b.f & 1 ? b.v : a.v + b.v, "
                           "b.f & 1 ? b.f : a.f | b.f }" },
      .size = 8,
      .combine = combine_segment,
      .most = 40,
      .differs = true },
    { .fold = { .name = "last", .type = CLFOLD_U64, .combine = "b" },
      .size = 8,
      .combine = combine_last,
      .most = UINT32_MAX },
    { .fold = { .name = "states",
                .type_name = "states",
                .type_size = 1,
                .source = "typedef uchar states; /* a bit for each */",
                .combine = "(b >> (a & 1) & 1) | (b >> (a >> 1 & 1) & 1) << 1",
                .identity = "2" },
      .size = 1,
      .identity = &same_states,
      .combine = combine_states,
      .most = 3,
      .word = 1 },
    { .fold = { .name = "five words",
                .type_name = "struct words",
                .type_size = 20,
                .source = WORDS(5),
                .combine = "join(a, b)" },
      .size = 20,
      .combine = combine_5,
      .most = UINT32_MAX },
    { .fold = { .name = "sixteen words",
                .type_name = "struct words",
                .type_size = 64,
                .source = WORDS(16),
                .combine = "join(a, b)" },
      .size = 64,
      .combine = combine_16,
      .most = UINT32_MAX },
    { .fold = { .name = "eighteen words",
                .type_name = "struct words",
                .type_size = 72,
                .source = WORDS(18),
                .combine = "join(a, b)" },
      .size = 72,
      .combine = combine_18,
      .most = UINT32_MAX },
    { .fold = { .name = "sixty-four words",
                .type_name = "struct words",
                .type_size = 256,
                .source = WORDS(64),
                .combine = "join(a, b)" },
      .size = 256,
      .combine = combine_64,
      .most = UINT32_MAX },
    { .fold = { .name = "modulo",
                .source = "typedef struct { uint a, b; } pair;",
                .components = "uint a; uint b",
                .combine = "{ a.a * b.a % m, (a.b * b.a + b.b) % primes[2] }",
                .identity = "{ ones.a, ones.b }",
                .flags = CLFOLD_PARTIAL,
                .args = args,
                .num_args = 3 },
      .size = 8,
      .identity = one_0,
      .combine = combine_modulo,
      .most = 65520 },
};
#define NUM_SUBJECTS (sizeof(subjects) / sizeof(subjects[0]))

/* Mesa 22.3's compiler ends with a segmentation fault at four components of one type. */
static bool crashes(const struct subject *subject)
{
    return device.ends_loops && strstr(subject->fold.name, "matrix");
}

static void test_subject(void **state)
{
    const unsigned which = (unsigned)(uintptr_t)*state;

    if (crashes(&subjects[which])) {
        skip();
    }
    ways_check(&subjects[which], which);
    ways_check_segments(&subjects[which], which);
}

static int set_up(void **state)
{
    const cl_uint primes[] = { 2, 3, MODULUS };
    cl_int status;

    if (open_context(state)) {
        return -1;
    }
    table = clCreateBuffer(device.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                           sizeof(primes), (void *)(uintptr_t)primes, &status);
    const clfold_arg all[] = { CLFOLD_VALUE("uint", m, modulus),
                               CLFOLD_BUFFER("global const uint *", primes, table),
                               CLFOLD_VALUE("pair", ones, ones) };
    memcpy(args, all, sizeof(args));
    return status;
}

static int tear_down(void **state)
{
    clReleaseMemObject(table);
    return close_context(state);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[NUM_SUBJECTS];

    for (size_t i = 0; i < NUM_SUBJECTS; ++i) {
        tests[i] = (struct CMUnitTest){ .name = subjects[i].fold.name,
                                        .test_func = test_subject,
                                        .initial_state = (void *)(uintptr_t)i };
    }
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests_name("user_folds", tests, set_up, tear_down);
}
