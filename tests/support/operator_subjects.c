/* Operators of the caller's: components of one size, of several, structs that only OpenCL
 * C knows, arguments; and what all tables of subjects share. */
#include "subjects_of_text.h"

#include "one_context.h"

/* ---- Shared ------------------------------------------------------------------------ */

cl_float stream_y[MOST_ELEMENTS + STREAM_LAG];
cl_half stream_h[MOST_ELEMENTS + STREAM_LAG];
cl_uchar stream_w[MOST_ELEMENTS + STREAM_LAG];
clfold_arg subject_args[NUM_ARGS];

const cl_ulong zeros[2];
const cl_uint one_0[2] = { 1, 0 };

void subject_args_init(void)
{
    static const cl_uint factor = FACTOR, modulus = MODULUS, primes[] = { 2, 3, MODULUS };
    cl_uint table[16];

    for (size_t i = 0; i < MOST_ELEMENTS + STREAM_LAG; ++i) {
        stream_y[i] = (cl_float)(i * 7 % 5);
        stream_w[i] = (cl_uchar)(i * i % 251);
        stream_h[i] = i % 3 ? 0x3c00 : 0x4000; /* 1, 2 */
    }
    for (cl_uint i = 0; i < 16; ++i) {
        table[i] = table_value(i);
    }
    const clfold_arg all[NUM_ARGS] = {
        [ARG_Y] = CLFOLD_STREAM(CLFOLD_F32, y, copied_buffer(stream_y, sizeof(stream_y)),
                                STREAM_LAG),
        [ARG_FACTOR] = CLFOLD_VALUE("uint", factor, factor),
        [ARG_H] = CLFOLD_STREAM(CLFOLD_F16, h, copied_buffer(stream_h, sizeof(stream_h)),
                                STREAM_LAG),
        [ARG_W] = CLFOLD_STREAM(CLFOLD_U8, w, copied_buffer(stream_w, sizeof(stream_w)),
                                STREAM_LAG),
        [ARG_TABLE] = CLFOLD_BUFFER("global const uint *", table,
                                    copied_buffer(table, sizeof(table))),
        [ARG_M] = CLFOLD_VALUE("uint", m, modulus),
        [ARG_PRIMES] = CLFOLD_BUFFER("global const uint *", primes,
                                     copied_buffer(primes, sizeof(primes))),
        [ARG_ONES] = CLFOLD_VALUE("pair", ones, one_0),
    };
    memcpy(subject_args, all, sizeof(all));
}

void subject_args_finish(void)
{
    for (size_t i = 0; i < NUM_ARGS; ++i) {
        if (subject_args[i].mem) {
            clReleaseMemObject(subject_args[i].mem);
        }
    }
}

/* ---- Operators on the host --------------------------------------------------------- */

struct mixed {
    cl_ulong sum;
    cl_uint last;
    cl_ushort most;
};
struct keyed { /* the value of the greatest key, the first of equals */
    cl_ulong value;
    cl_uint key;
};
struct narrow {
    cl_int v;
    cl_uchar f;
};

COMBINE(join_triple, cl_ushort, (cl_ushort)(x[0] * y[0]), (cl_ushort)(x[1] * y[0] + y[1]),
        x[2] < y[2] ? x[2] : y[2]);
COMBINE(join_mixed, struct mixed,
        { x->sum + y->sum, y->last ? y->last : x->last,
          x->most > y->most ? x->most : y->most });
SAME(same_mixed, struct mixed,
     x->sum == y->sum && x->last == y->last && x->most == y->most);
COMBINE(join_keyed, struct keyed, y->key > x->key ? *y : *x);
SAME(same_keyed, struct keyed, x->value == y->value && x->key == y->key);
COMBINE(join_segment, cl_uint, y[1] & 1 ? y[0] : x[0] + y[0],
        y[1] & 1 ? y[1] : x[1] | y[1]);
COMBINE(join_narrow, struct narrow,
        { y->f ? y->v : (cl_int)((cl_uint)x->v + (cl_uint)y->v), y->f ? y->f : x->f });
SAME(same_narrow, struct narrow, x->v == y->v && x->f == y->f);
COMBINE(join_matrix, cl_uchar, (cl_uchar)(x[0] * y[0] + x[1] * y[2]),
        (cl_uchar)(x[0] * y[1] + x[1] * y[3]), (cl_uchar)(x[2] * y[0] + x[3] * y[2]),
        (cl_uchar)(x[2] * y[1] + x[3] * y[3]));
COMBINE(join_last, cl_ulong, ((void)x, y[0]));
/* A function on two states, a bit each. */
COMBINE(join_states, cl_uchar,
        (cl_uchar)((y[0] >> (x[0] & 1) & 1) | (y[0] >> (x[0] >> 1 & 1) & 1) << 1));
COMBINE(join_modulo, cl_uint, x[0] * y[0] % MODULUS, (x[1] * y[0] + y[1]) % MODULUS);

/* x[0] multiplies, the others are added: `num` of them. */
static void join_words(void *out, const void *a, const void *b, size_t num)
{
    const cl_uint *x = a, *y = b;
    cl_uint r[MAX_ITEM / 4];

    r[0] = x[0] * y[0];
    for (size_t i = 1; i < num; ++i) {
        r[i] = x[i] * y[0] + y[i];
    }
    memcpy(out, r, num * 4);
}

/* ---- The folds --------------------------------------------------------------------- */

#define OF_WORDS(num)                                                                    \
    static void join_##num(void *out, const void *a, const void *b)                      \
    {                                                                                    \
        join_words(out, a, b, num);                                                      \
    }                                                                                    \
    struct subject
OF_WORDS(5);
OF_WORDS(16);
OF_WORDS(18);
OF_WORDS(64);

#define STRUCT_OF(num)                                                                   \
    SUBJECT(FOLD(.name = #num " words", .type_name = "struct words",                     \
                 .type_size = 4 * (num), .combine = "join(a, b)",                        \
                 .source = CLFOLD_HERE                                                   \
                 "struct words { uint x[" #num "]; };\n"                                 \
                 "struct words join(struct words a, struct words b)\n{\n"                \
                 "    for (int i = 1; i < " #num "; ++i)\n"                              \
                 "        a.x[i] = a.x[i] * b.x[0] + b.x[i];\n"                          \
                 "    a.x[0] *= b.x[0];\n    return a;\n}\n"),                           \
            .size = 4 * (num), .combine = join_##num, WORDS)

static const cl_uchar unit[4] = { 1, 0, 0, 1 }, same_states = 2;

/* Sums whose highest bit stays where it is in all operands: in all elements, and not in
 * what is not there. */
COMBINE(add_marked, cl_uint, ((x[0] + y[0]) & INT32_MAX) | (x[0] & y[0] & 1u << 31));

const struct subject operator_subjects[] = {
    SUBJECT(FOLD(.name = "affine", PAIRS), ON_PAIRS, WORDS),
    SUBJECT(FOLD(.name = "built-in matrix", .op = CLFOLD_MATRIX_2X2, .type = CLFOLD_U8),
            .size = 4, .identity = unit, .combine = join_matrix, BYTES),
    SUBJECT(FOLD(.name = "triple", .components = "ushort a, b; ushort c",
                 .combine = "{ a.a * b.a, a.b * b.a + b.b, min(a.c, b.c) }"),
            .size = 6, .combine = join_triple, .most = 65535, .word = 2),
    SUBJECT(FOLD(.name = "matrix", .components = "uchar a, b, c, d",
                 .combine = "{ a.a * b.a + a.b * b.c, a.a * b.b + a.b * b.d,\n"
                            "  a.c * b.a + a.d * b.c, a.c * b.b + a.d * b.d }",
                 .identity = "{ 1, 0, 0, 1 }"),
            .size = 4, .identity = unit, .combine = join_matrix, BYTES),
    SUBJECT(FOLD(.name = "mixed", .components = "ulong sum; uint last; ushort most",
                 .combine = "{ a.sum + b.sum, pick(truth(b.last), b.last, a.last),\n"
                            "  max(a.most, b.most) }",
                 .identity = "{ 0, 0, 0 }"),
            .size = 16, .identity = zeros, .combine = join_mixed, WORDS,
            .same = same_mixed),
    SUBJECT(FOLD(.name = "keyed", .components = "ulong value; uint key",
                 .combine = "{ pick(b.key > a.key, b.value, a.value), "
                            "max(a.key, b.key) }"),
            .size = 16, .combine = join_keyed, .most = 5000, .same = same_keyed),
    SUBJECT(FOLD(.name = "segments", .components = "int v; uint f",
                 .combine = "{ pick(truth(b.f & 1), b.v, a.v + b.v), "
                            "pick(truth(b.f & 1), b.f, a.f | b.f) }",
                 .identity = "{ 0, 0 }", .cuts = "b.f & 1"),
            .size = 8, .identity = zeros, .combine = join_segment, .most = 40),
    SUBJECT(FOLD(.name = "segments by bytes", .components = "int v; uchar f",
                 .combine = "{ pick(truth(b.f), b.v, a.v + b.v),\n"
                            "  pick(truth(b.f), b.f, a.f) }",
                 .identity = "{ 0, 0 }", .cuts = "truth(b.f)"),
            .size = 8, .identity = zeros, .combine = join_narrow, .most = 40,
            .same = same_narrow),
    SUBJECT(FOLD(.name = "segments, by sign at 16", .components = "int v; uint f",
                 .combine = "{ b.f & 1 ? b.v : a.v + b.v, b.f & 1 ? b.f : a.f | b.f }"),
            .size = 8, .combine = join_segment, .most = 40, .differs = true),
    SUBJECT(FOLD(.name = "last", .type = CLFOLD_U64, .combine = "b"), .size = 8,
            .combine = join_last, WORDS),
    SUBJECT(FOLD(.name = "states", .type_name = "states", .type_size = 1,
                 .source = "typedef uchar states; /* a bit for each */",
                 .combine = "(b >> (a & 1) & 1) | (b >> (a >> 1 & 1) & 1) << 1",
                 .identity = "2"),
            .size = 1, .identity = &same_states, .combine = join_states, .most = 3,
            .word = 1),
    STRUCT_OF(5),
    STRUCT_OF(16),
    STRUCT_OF(18),
    STRUCT_OF(64),
    SUBJECT(FOLD(.name = "modulo", .source = "typedef struct { uint a, b; } pair;",
                 .components = "uint a; uint b",
                 .combine = "{ a.a * b.a % m, (a.b * b.a + b.b) % primes[2] }",
                 .identity = "{ ones.a, ones.b }", .flags = CLFOLD_PARTIAL,
                 ARGS(ARG_M, 3)),
            .size = 8, .identity = one_0, .combine = join_modulo, .most = 65520),
    SUBJECT(
        FOLD(.name = "compensated", SUM_OF(CLFOLD_F32), .accuracy = CLFOLD_COMPENSATED),
        ON_F32),
    SUBJECT(
        FOLD(.name = "reproducible", SUM_OF(CLFOLD_F32), .accuracy = CLFOLD_REPRODUCIBLE),
        ON_F32),
    /* It tells whether it was applied to anything but elements. */
    SUBJECT(FOLD(.name = "marked", .type = CLFOLD_U32,
                 .combine = "((a + b) & 0x7fffffffu) | (a & b & 0x80000000u)"),
            .size = 4, .combine = add_marked, .least = 1u << 31, WORDS),
    { .size = 0 },
};
