/*
 * Operators of the caller's: components of one size, of several, structs that only OpenCL
 * C knows, arguments; in every operation, by every algorithm, on every tile, against a
 * loop on the host. All are exact, and most do not commute.
 */
#define CLFOLD_EXPERIMENTAL
#include "one_context.h"
#include "test.h"

#include "base/platform.h"
#include "base/random.h"
#include "ops/context.h"
#include "ops/internal.h"
#include "plan/operation.h"

#define MOST_SIZE 256
#define MOST      5000
#define ZONE      16 /* elements on either side of the results */

/* ---- The folds --------------------------------------------------------------------- */

struct subject {
    clfold_fold fold;
    size_t size;          /* of an element and of a result */
    const void *identity; /* NULL: there is none */
    void (*combine)(void *out, const void *a, const void *b);
    uint32_t least, most; /* each word of a random element, as `word` says */
    size_t word;
    bool (*same)(const void *a, const void *b); /* NULL: byte for byte */
    bool differs;                               /* at 16 lanes, so it runs on scalars */
};

static void combine_affine(void *out, const void *a, const void *b)
{
    const cl_uint *x = a, *y = b;
    const cl_uint r[2] = { x[0] * y[0], x[1] * y[0] + y[1] };

    memcpy(out, r, sizeof(r));
}

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
    cl_uint r[MOST_SIZE / 4];

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

/* ---- One call ---------------------------------------------------------------------- */

static unsigned char elements[MOST * MOST_SIZE], found[(MOST + 2 * ZONE) * MOST_SIZE];
static unsigned char expected[MOST * MOST_SIZE];

struct trial {
    const struct subject *subject;
    clfold_operation operation;
    size_t count, in_offset, out_offset;
    bool in_place, has_init;
    size_t width, length; /* of segments; 0: there are none */
    enum tile_kind tile;  /* for messages */
};

static void fill(const struct subject *subject, size_t count)
{
    size_t word = subject->word ? subject->word : 4;
    uint64_t random = 7;

    for (size_t i = 0; i < count * subject->size; i += word) {
        uint64_t spread = (uint64_t)subject->most - subject->least + 1;
        cl_uint x = subject->least + (cl_uint)((next_random(&random) >> 32) % spread);
        memcpy(elements + i, &x, word);
    }
}

/* The loop on the host over `length` elements that are `width` apart; the fold of them
 * goes to `at` of a reduction. */
static void expect_one(const struct trial *trial, size_t first, size_t width,
                       size_t length, size_t at)
{
    const struct subject *s = trial->subject;
    unsigned char total[MOST_SIZE], next[MOST_SIZE];
    bool any = trial->has_init || s->identity != NULL;

    if (any) {
        memcpy(total, trial->has_init ? elements : s->identity, s->size);
    }
    for (size_t k = 0, i = first; k < length; ++k, i += width) {
        const unsigned char *x = elements + i * s->size;
        if (any) {
            s->combine(next, total, x);
        } else {
            memcpy(next, x, s->size);
        }
        if (trial->operation != CLFOLD_REDUCE) {
            memcpy(expected + i * s->size,
                   trial->operation == CLFOLD_EXCLUSIVE_SCAN ? total : next, s->size);
        }
        memcpy(total, next, s->size);
        any = true;
    }
    if (trial->operation == CLFOLD_REDUCE) {
        memcpy(expected + at * s->size, total, s->size);
    }
}

/* Returns the number of results. */
static size_t expect(const struct trial *trial)
{
    const size_t width = trial->width, block = width * trial->length;
    size_t num = 0;

    if (width == 0) {
        expect_one(trial, 0, 1, trial->count, 0);
        num = 1;
    }
    for (size_t first = 0; width > 0 && first < trial->count; first += block) {
        const size_t rest = trial->count - first;
        for (size_t j = 0; j < width; ++j, ++num) {
            expect_one(trial, first + j, width,
                       width == 1 && rest < trial->length ? rest : trial->length, num);
        }
    }
    return trial->operation == CLFOLD_REDUCE ? num : trial->count;
}

static bool is_same(const struct subject *s, const void *a, const void *b)
{
    return s->same ? s->same(a, b) : memcmp(a, b, s->size) == 0;
}

static clfold_status call(const struct trial *trial, const clfold_fold *fold, cl_mem in,
                          cl_mem out)
{
    clfold_status (*const calls[])(clfold_context *, cl_command_queue,
                                   const clfold_fold *, cl_mem, size_t, cl_mem, size_t,
                                   size_t, cl_uint, const cl_event *, cl_event *) = {
        [CLFOLD_REDUCE] = clfold_reduce,
        [CLFOLD_INCLUSIVE_SCAN] = clfold_inclusive_scan,
        [CLFOLD_EXCLUSIVE_SCAN] = clfold_exclusive_scan,
    };

    return calls[trial->operation](ctx, device.queue, fold, in, trial->in_offset, out,
                                   trial->out_offset, trial->count, 0, NULL, NULL);
}

static cl_mem buffer(size_t size)
{
    const cl_uchar colour = 0xa5;
    cl_int status;
    cl_mem mem = clCreateBuffer(device.context, CL_MEM_READ_WRITE, size, NULL, &status);

    assert_int_equal(status, CL_SUCCESS);
    assert_int_equal(
        clEnqueueFillBuffer(device.queue, mem, &colour, 1, 0, size, 0, NULL, NULL),
        CL_SUCCESS);
    return mem;
}

/* Runs the call, compares its results, and the bytes around them with what they were.
 * Returns false if the algorithm cannot do it. */
static bool run(const struct trial *trial, const char *algorithm)
{
    const struct subject *s = trial->subject;
    size_t room = (trial->count + 2 * ZONE) * s->size, num;
    const clfold_segments segments = {
        .by = trial->width == 1 ? CLFOLD_BY_LENGTH : CLFOLD_BY_STRIDE,
        .num = trial->width == 1 ? trial->length : trial->width,
        .length = trial->width == 1 ? 0 : trial->length,
    };
    clfold_fold fold = s->fold;
    cl_mem in = buffer(room), out = trial->in_place ? in : buffer(room);
    clfold_status status;

    fold.segments = trial->width > 0 ? &segments : NULL;
    fold.algorithm = algorithm;
    if (trial->has_init) {
        fold.init = elements;
        fold.init_size = s->size;
    }
    if (trial->count > 0) {
        assert_int_equal(
            clEnqueueWriteBuffer(device.queue, in, CL_TRUE, trial->in_offset * s->size,
                                 trial->count * s->size, elements, 0, NULL, NULL),
            CL_SUCCESS);
    }
    status = call(trial, &fold, in, out);
    if (algorithm && s->size > 64 && trial->count > 0 &&
        (strcmp(algorithm, "scan_lookback") == 0 ||
         strcmp(algorithm, "scan_chained") == 0)) {
        assert_int_equal(status, CLFOLD_ERROR_UNSUPPORTED);
    }
    /* A compiler whose vectors differ, as rusticl's do for keys of two sizes. */
    if (status == CLFOLD_ERROR_BUILD && trial->tile == TILE_VECTOR &&
        strstr(clfold_last_error(), "combine gives")) {
        status = CLFOLD_ERROR_UNSUPPORTED;
    }
    if (status != CLFOLD_ERROR_UNSUPPORTED && status != CLFOLD_OK) {
        fail_msg("%s by %s: %s", fold.name, algorithm, clfold_last_error());
    }
    assert_int_equal(
        clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, room, found, 0, NULL, NULL),
        CL_SUCCESS);
    num = expect(trial);
    for (size_t i = 0; status == CLFOLD_OK && i < room / s->size; ++i) {
        const unsigned char *at = found + i * s->size;
        bool is_result = i >= trial->out_offset && i < trial->out_offset + num;
        bool is_good =
            !is_result || is_same(s, at, expected + (i - trial->out_offset) * s->size);
        for (size_t k = 0; !is_result && !trial->in_place && k < s->size; ++k) {
            is_good &= at[k] == 0xa5;
        }
        if (!is_good) {
            fail_msg(
                "%s, %s, operation %u of %zu, %zu by %zu, by %s, from %zu to %zu%s%s: "
                "result %zu",
                fold.name, clfold_tile_name(trial->tile), trial->operation, trial->count,
                trial->length, trial->width, algorithm, trial->in_offset,
                trial->out_offset, trial->has_init ? ", with init" : "",
                trial->in_place ? ", in place" : "", i - trial->out_offset);
        }
    }
    clReleaseMemObject(in);
    if (!trial->in_place) {
        clReleaseMemObject(out);
    }
    return status == CLFOLD_OK;
}

/* ---- All of them ------------------------------------------------------------------- */

static const struct debug tiles[] = {
    { 0 },
    { .tile = TILE_VECTOR, .tile_elements = 48, .max_groups = 5, .anchor = 4 },
    { .tile = TILE_ITEM, .tile_elements = 50, .max_groups = 5, .anchor = 4 },
    { .tile = TILE_GROUP,
      .tile_elements = 100,
      .group_size = 6,
      .max_groups = 4,
      .anchor = 3 },
};
#define NUM_TILES (sizeof(tiles) / sizeof(tiles[0]))

static void check_counts(const struct subject *subject, clfold_operation operation,
                         const char *algorithm, enum tile_kind tile, unsigned turn)
{
    static const size_t counts[] = { 1000, 1, 99, 17, 0, 4999 };
    bool needs_init = operation == CLFOLD_EXCLUSIVE_SCAN && !subject->identity;

    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c, ++turn) {
        struct trial trial = {
            .subject = subject,
            .operation = operation,
            .count = counts[c],
            .in_offset = turn % 3,
            .out_offset = turn % 4,
            .has_init = needs_init || turn % 3 == 1,
            .tile = tile,
        };
        if (trial.count == 0 && !subject->identity) {
            trial.has_init = true;
        }
        if (operation != CLFOLD_REDUCE && turn % 5 == 2) {
            trial.in_place = true;
            trial.out_offset = trial.in_offset;
        }
        if (!run(&trial, algorithm) && !trial.in_place) {
            return;
        }
    }
}

/* Rows and columns, short and long, few and many. */
static void check_segments(const struct subject *subject, clfold_operation operation,
                           enum tile_kind tile, unsigned turn)
{
    static const struct {
        size_t count, width, length;
        const char *algorithm;
    } shapes[] = {
        { 1000, 1, 3, "lanes" },   { 1000, 1, 17, "lanes" },  { 999, 1, 300, "lanes" },
        { 4900, 2, 350, "lanes" }, { 4995, 5, 3, "lanes" },   { 4998, 34, 49, "lanes" },
        { 4992, 16, 2, "lanes" },  { 4998, 833, 2, "lanes" }, { 1000, 1, 1, "lanes" },
        { 1000, 1, 3, "rows" },    { 4999, 1, 100, "rows" },  { 4999, 1, 4999, "rows" },
        { 4999, 1, 64, NULL },     { 4998, 98, 51, NULL },    { 0, 1, 3, NULL },
        { 4999, 1, 3, NULL },
    };
    bool needs_init = operation == CLFOLD_EXCLUSIVE_SCAN && !subject->identity;
    bool by_rows = turn % 3 == 0;

    for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); ++k, ++turn) {
        /* Builds take most of the time, so a tile's programs are of one algorithm. */
        const char *ours = tile == TILE_NONE ? NULL : by_rows ? "rows" : "lanes";
        char algorithm[32];
        struct trial trial = {
            .subject = subject,
            .operation = operation,
            .count = shapes[k].count,
            .width = shapes[k].width,
            .length = shapes[k].length,
            .in_offset = turn % 3,
            .out_offset = turn % 4,
            .has_init = needs_init || turn % 3 == 1,
            .tile = tile,
        };
        if (!shapes[k].algorithm != !ours ||
            (ours && strcmp(shapes[k].algorithm, ours) != 0)) {
            continue;
        }
        if (operation != CLFOLD_REDUCE && turn % 5 == 2) {
            trial.in_place = true;
            trial.out_offset = trial.in_offset;
        }
        snprintf(algorithm, sizeof(algorithm), "%s_%s",
                 operation == CLFOLD_REDUCE ? "reduce" : "scan",
                 shapes[k].algorithm ? shapes[k].algorithm : "");
        if (!run(&trial, shapes[k].algorithm ? algorithm : NULL) &&
            !strstr(clfold_last_error(), "combine gives")) {
            fail_msg("%s: %s", subject->fold.name, clfold_last_error());
        }
    }
}

/* The program of a tile that the fold cannot have is not there: explain says so. For
 * groups that scan three shorts Mesa 22.3 makes wrong code; its policy takes other tiles.
 */
static bool has_tile(const struct subject *subject, const struct debug *tile)
{
    const clfold_fold *fold = &subject->fold;

    if (tile->tile == TILE_GROUP && ctx->caps.facts.most_elements &&
        strcmp(fold->name, "triple") == 0) {
        return false;
    }

    return tile->tile != TILE_VECTOR ||
           !(fold->type_name || (fold->flags & CLFOLD_PARTIAL) || subject->differs);
}

/* Every algorithm of an operation in turn; builds take most of the time. */
static const char *algorithm_of(clfold_operation operation, unsigned turn)
{
    uint32_t num = 0;

    while (clfold_operation_algorithm(operation, num)) {
        ++num;
    }
    return num > 0 ? clfold_operation_algorithm(operation, turn % num) : NULL;
}

static void check_subject(size_t which)
{
    const struct subject *subject = &subjects[which];
    unsigned turn = (unsigned)which;

    fill(subject, MOST);
    for (size_t t = 0; t < NUM_TILES; ++t) {
        if (!has_tile(subject, &tiles[t])) {
            continue;
        }
        clfold_context_override(ctx, t > 0 ? &tiles[t] : NULL);
        for (clfold_operation o = CLFOLD_REDUCE; o <= CLFOLD_EXCLUSIVE_SCAN; ++o) {
            const enum tile_kind tile = tiles[t].tile;
            if (t == 0) {
                check_counts(subject, o, NULL, tile, ++turn);
            }
            ++turn;
            check_counts(subject, o, algorithm_of(o, turn), tile, turn);
            ++turn;
            /* There lanes are no vectors. */
            if (tile != TILE_VECTOR ||
                !clfold_platform_miscopies(ctx->caps.facts.platform)) {
                check_segments(subject, o, tile, turn);
            }
        }
    }
    clfold_context_override(ctx, NULL);
}

/* Compilers that end with a segmentation fault: Mesa 22.3 at four components of one type,
 * Intel's 2026.22 at an exclusive scan that drops all but its last operand. */
static bool crashes(const struct subject *subject)
{
    char platform[64] = "";

    clGetPlatformInfo(device.platform, CL_PLATFORM_NAME, sizeof(platform), platform,
                      NULL);
    return (strcmp(platform, "rusticl") == 0 && strstr(subject->fold.name, "matrix")) ||
           (strstr(platform, "Intel") && strcmp(subject->fold.name, "last") == 0);
}

static void test_subject(void **state)
{
    if (crashes(&subjects[(uintptr_t)*state])) {
        skip();
    }
    check_subject((size_t)(uintptr_t)*state);
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
