#include "part_subjects.h"

#include "one_context.h"
#include "test.h"

#define U32    .op = CLFOLD_ADD, .type = CLFOLD_U32
#define F32    .op = CLFOLD_ADD, .type = CLFOLD_F32
#define AFFINE .components = "uint a; uint b", .combine = "{ a.a * b.a, a.b * b.a + b.b }"
const struct part_subject part_subjects[] = {
    { "add", { U32 }, REDUCED | WITH_INIT },
    { "add in u64", { .op = CLFOLD_ADD, .type = CLFOLD_U64, .in = CLFOLD_U8 }, REDUCED },
    { "mul", { .op = CLFOLD_MUL, .type = CLFOLD_I32 }, REDUCED },
    { "min", { .op = CLFOLD_MIN, .type = CLFOLD_I16 }, REDUCED },
    { "max", { .op = CLFOLD_MAX, .type = CLFOLD_F32 }, REDUCED },
    { "and", { .op = CLFOLD_BIT_AND, .type = CLFOLD_U8 }, REDUCED },
    { "or", { .op = CLFOLD_BIT_OR, .type = CLFOLD_U64 }, REDUCED },
    { "xor", { .op = CLFOLD_BIT_XOR, .type = CLFOLD_U16 }, REDUCED },
    { "logical and", { .op = CLFOLD_LOGICAL_AND, .type = CLFOLD_U8 }, REDUCED },
    { "logical or", { .op = CLFOLD_LOGICAL_OR, .type = CLFOLD_I8 }, REDUCED },
    { "arg-min", { .op = CLFOLD_ARG_MIN, .type = CLFOLD_U8 }, REDUCED },
    { "arg-max", { .op = CLFOLD_ARG_MAX, .type = CLFOLD_I16 }, REDUCED },
    { "arg-min-max", { .op = CLFOLD_ARG_MIN_MAX, .type = CLFOLD_U8 }, REDUCED },
    { "min-max", { .op = CLFOLD_MIN_MAX, .type = CLFOLD_I32 }, REDUCED },
    { "affine, built in", { .op = CLFOLD_AFFINE, .type = CLFOLD_U32 }, REDUCED },
    { "matrix", { .op = CLFOLD_MATRIX_2X2, .type = CLFOLD_U32 }, REDUCED },
    { "affine", { AFFINE, .identity = "{ 1, 0 }" }, REDUCED },
    { "affine without identity", { AFFINE }, REDUCED },
    { "load of i and n", { U32, .load = "x * to_u32(i) + to_u32(n)" }, REDUCED },
    { "result of i", { U32, .result = "item + 3 * to_u32(i)" }, 0 },
    { "compensated", { F32, .accuracy = CLFOLD_COMPENSATED }, REDUCED | ROUNDED },
    { "reproducible", { F32, .accuracy = CLFOLD_REPRODUCIBLE }, REDUCED },
    { "f32", { F32 }, REDUCED | ROUNDED },
    { "moments", { .op = CLFOLD_MOMENTS, .type = CLFOLD_F32 }, REDUCED | ROUNDED },
    { "opaque",
      { .type_name = "uint2",
        .type_size = 8,
        .combine = "(uint2)(a.x * b.x, a.y * b.x + b.y)" },
      REDUCED },
    { "flags", { U32 }, BY_FLAGS },
    { "flags, init", { U32 }, BY_FLAGS | WITH_INIT },
    { "keys", { U32 }, BY_KEYS },
    { "keys, init", { U32 }, BY_KEYS | WITH_INIT },
    { "keys, affine", { AFFINE }, BY_KEYS },
    { "offsets", { U32 }, BY_OFFSETS },
    { "offsets, affine", { AFFINE }, BY_OFFSETS },
    { "flags, affine", { AFFINE }, BY_FLAGS },
    { "flags, compensated", { F32, .accuracy = CLFOLD_COMPENSATED }, ROUNDED | BY_FLAGS },
    { "load with args", { U32, .load = "x * factor + weight" }, REDUCED | WITH_ARGS },
    { "result with args", { U32, .result = "item * factor + weight" }, WITH_ARGS },
    { "result of one", { U32, .result = "item * factor" }, REDUCED | WITH_ARGS },
    { "init_at", { U32 }, REDUCED | WITH_INIT_AT },
    { "keys by a text",
      { U32, .flags = CLFOLD_PARTIAL,
        .equal = CLFOLD_HERE "a / factor == b / factor // by division" },
      BY_KEYS | WITH_ARGS },
    { "keys by a function",
      { U32,
        .source = "bool alike(uchar a, uchar b)\n{\n    return (a & 6) == (b & 6);\n}",
        .equal = "alike(a,\n b)" },
      BY_KEYS },
    { "keys of halves", { U32 }, BY_KEYS | HALF_KEYS },
    { "keys of halves by a text",
      { U32, .equal = "a == b || a > b" },
      BY_KEYS | HALF_KEYS },
};
const size_t num_part_subjects = sizeof(part_subjects) / sizeof(part_subjects[0]);

bool part_subject_has(const struct part_subject *subject, clfold_operation operation)
{
    const clfold_fold *fold = &subject->fold;
    const bool is_arg = fold->op >= CLFOLD_ARG_MIN && fold->op <= CLFOLD_ARG_MIN_MAX;

    if (operation == CLFOLD_REDUCE) {
        return (subject->is & REDUCED) != 0;
    }
    return fold->accuracy != CLFOLD_REPRODUCIBLE &&
           (operation == CLFOLD_INCLUSIVE_SCAN ||
            ((fold->op || fold->identity) && !is_arg));
}

static uint64_t random_state = 1;

uint32_t part_random(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % limit);
}

static unsigned char data[PART_COUNT * PART_BYTES];
static cl_ushort weights[PART_COUNT], halves[PART_COUNT];
static unsigned char flags[PART_COUNT], keys[PART_COUNT];
static cl_uint offsets[PART_COUNT + 1];
static size_t num_segments;

/* Bytes that any number may be made of; floats are small and finite. Segments have 100
 * elements on average, in each of the three ways. */
void part_data_fill(const struct part_subject *subject)
{
    const bool are_floats = subject->fold.type == CLFOLD_F32;

    for (size_t i = 0; i < sizeof(data); ++i) {
        data[i] = (unsigned char)part_random(256);
    }
    for (size_t i = 0; are_floats && i < PART_COUNT; ++i) {
        const float x = (float)part_random(1000000) / 7 - 60000;
        memcpy(data + i * sizeof(x), &x, sizeof(x));
    }
    num_segments = 0;
    for (size_t i = 0; i < PART_COUNT; ++i) {
        weights[i] = (cl_ushort)part_random(65536);
        flags[i] = i == 0 || part_random(100) == 0;
        keys[i] = (unsigned char)(i > 0 ? keys[i - 1] + flags[i] : 7);
        halves[i] = (cl_ushort)(0x3c00 + keys[i]);
        if (flags[i]) {
            offsets[num_segments++] = (cl_uint)i;
        }
    }
    offsets[num_segments] = PART_COUNT;
}

/* A buffer of all elements; those before `from` and from `to` on are not copied. */
static cl_mem cut_buffer(const void *all, size_t size, size_t from, size_t to)
{
    cl_mem mem = coloured_buffer(PART_COUNT * size);

    write_buffer(mem, from * size, (to - from) * size,
                 (const unsigned char *)all + from * size);
    return mem;
}

void part_call_open(struct part_call *call, const struct part_subject *subject,
                    size_t from, size_t to)
{
    static const cl_uint seven = 7;
    const unsigned is = subject->is;
    clfold_segments *segments = &call->segments;

    memset(call, 0, sizeof(*call));
    call->fold = subject->fold;
    if (is & WITH_INIT) {
        call->fold.init = &seven;
        call->fold.init_size = sizeof(seven);
    }
    if (is & WITH_INIT_AT) {
        call->fold.init_at.mem = copied_buffer(&seven, sizeof(seven));
    }
    if (is & WITH_ARGS) {
        const clfold_arg args[2] = { CLFOLD_VALUE("uint", factor, seven),
                                     CLFOLD_STREAM(CLFOLD_U16, weight,
                                                   cut_buffer(weights, 2, from, to), 0) };
        memcpy(call->args, args, sizeof(args));
        call->fold.args = call->args;
        call->fold.num_args = call->fold.load || call->fold.result ? 2 : 1;
    }
    if (is & (BY_FLAGS | BY_KEYS | BY_OFFSETS)) {
        segments->by = is & BY_FLAGS  ? CLFOLD_BY_FLAGS
                       : is & BY_KEYS ? CLFOLD_BY_KEYS
                                      : CLFOLD_BY_OFFSETS;
        segments->type = is & BY_OFFSETS  ? CLFOLD_U32
                         : is & HALF_KEYS ? CLFOLD_F16
                                          : CLFOLD_U8;
        segments->mem = is & BY_FLAGS    ? cut_buffer(flags, 1, from, to)
                        : is & HALF_KEYS ? cut_buffer(halves, 2, from, to)
                        : is & BY_KEYS   ? cut_buffer(keys, 1, from, to)
                                         : copied_buffer(offsets, sizeof(offsets));
        segments->num = is & BY_OFFSETS ? num_segments : 0;
        call->fold.segments = segments;
    }
    assert_ok(clfold_fold_layout(&call->fold, &call->layout));
    call->in = cut_buffer(data, call->layout.in_size, from, to);
}

void part_call_move(struct part_call *call, size_t first, size_t count)
{
    const size_t at = count > 0 ? first : PART_COUNT;

    call->segments.offset = call->segments.by == CLFOLD_BY_OFFSETS ? 0 : at;
    call->args[1].offset = at;
}

void part_call_close(struct part_call *call)
{
    const cl_mem mems[] = { call->in, call->segments.mem, call->args[1].mem,
                            call->fold.init_at.mem };

    for (size_t k = 0; k < sizeof(mems) / sizeof(mems[0]); ++k) {
        if (mems[k]) {
            clReleaseMemObject(mems[k]);
        }
    }
}

size_t part_difference(const struct part_subject *subject, const unsigned char *a,
                       const unsigned char *b, size_t size)
{
    for (size_t i = 0; i < size; ++i) {
        float x, y;
        memcpy(&x, a + i / 4 * 4, 4);
        memcpy(&y, b + i / 4 * 4, 4);
        if (a[i] != b[i] &&
            !((subject->is & ROUNDED) && (x - y) * (x - y) <= 1e-6f * (1e6f + x * x))) {
            return i;
        }
    }
    return size;
}
