/*
 * What drive.py runs under Oclgrind. Three forms:
 *
 *   calls reduce [TILE]   every kernel of reduce_tiles, over tiles, types, counts and
 *                         offsets; each result is compared with a loop on the host.
 *                         TILE, such as tile_group: this kind only
 *   calls ladder          the same for reduce0 to reduce6, over group sizes
 *   calls plant NAME      a kernel with the mistake of that name, to be reported
 *
 * The buffers are exactly as long as the call says, so that Oclgrind sees an access
 * beyond them. All values are whole numbers that every type here holds exactly, in any
 * grouping: the bits must be equal, for floats too.
 */
/* The queue is made by the call that OpenCL 1.2, which Oclgrind is, has. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include "base/random.h"
#include "ops/context.h"
#include "ops/internal.h"
#include "plan/scalar.h"

#include <clfold/clfold.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct device {
    cl_platform_id platform;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
};

static void check(int status, const char *call)
{
    if (status) {
        fprintf(stderr, "calls: %s gave %s; %s\n", call, clfold_status_name(status),
                clfold_last_error());
        exit(1);
    }
}

/* Without Oclgrind the program would prove nothing, so any other device is rejected. */
static void device_init(struct device *device)
{
    char name[64] = "";
    cl_int status;

    check(clGetPlatformIDs(1, &device->platform, NULL), "clGetPlatformIDs");
    check(clGetPlatformInfo(device->platform, CL_PLATFORM_NAME, sizeof(name), name, NULL),
          "clGetPlatformInfo");
    if (strcmp(name, "Oclgrind") != 0) {
        fprintf(stderr, "calls: the platform is \"%s\"; run this under Oclgrind\n", name);
        exit(1);
    }
    check(clGetDeviceIDs(device->platform, CL_DEVICE_TYPE_ALL, 1, &device->id, NULL),
          "clGetDeviceIDs");
    device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &status);
    check(status, "clCreateContext");
    device->queue = clCreateCommandQueue(device->context, device->id, 0, &status);
    check(status, "clCreateCommandQueue");
}

static void device_finish(struct device *device)
{
    clReleaseCommandQueue(device->queue);
    clReleaseContext(device->context);
}

static cl_mem new_buffer(const struct device *device, size_t size, void *bytes)
{
    cl_int status;
    cl_mem mem =
        clCreateBuffer(device->context, CL_MEM_COPY_HOST_PTR, size, bytes, &status);

    check(status, "clCreateBuffer");
    return mem;
}

/* ---- Reductions -------------------------------------------------------------------- */

/* Both are done modulo 2^64, so the host needs one type only. */
struct value {
    int64_t a, b;
};

static int64_t wrap_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t wrap_mul(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static struct value add(struct value x, struct value y)
{
    return (struct value){ wrap_add(x.a, y.a), 0 };
}

static struct value max(struct value x, struct value y)
{
    return (struct value){ x.a > y.a ? x.a : y.a, 0 };
}

/* t -> a t + b, first x and then y */
static struct value after(struct value x, struct value y)
{
    return (struct value){ wrap_mul(x.a, y.a), wrap_add(wrap_mul(x.b, y.a), y.b) };
}

struct subject {
    const char *name;
    clfold_op op; /* 0: affine, by clfold_reduce_monoid */
    clfold_type in, type;
    struct value (*combine)(struct value x, struct value y);
    int64_t low, high; /* of the elements */
    struct value identity;
};

static const struct subject subjects[] = {
    { "u8 add into u64", CLFOLD_ADD, CLFOLD_U8, CLFOLD_U64, add, 0, 255, { 0, 0 } },
    { "i32 add",
      CLFOLD_ADD,
      CLFOLD_I32,
      CLFOLD_I32,
      add,
      INT32_MIN,
      INT32_MAX,
      { 0, 0 } },
    { "i32 max", CLFOLD_MAX, CLFOLD_I32, CLFOLD_I32, max, -999, 999, { INT32_MIN, 0 } },
    { "f32 add", CLFOLD_ADD, CLFOLD_F32, CLFOLD_F32, add, -999, 999, { 0, 0 } },
    { "f64 add", CLFOLD_ADD, CLFOLD_F64, CLFOLD_F64, add, -999, 999, { 0, 0 } },
    { "f32 affine", 0, CLFOLD_F32, CLFOLD_F32, after, -9, 9, { 1, 0 } },
    { "i32 affine", 0, CLFOLD_I32, CLFOLD_I32, after, INT32_MIN, INT32_MAX, { 1, 0 } },
};

static struct monoid affine(clfold_type type)
{
    return (struct monoid){
        .name = "affine",
        .in = type,
        .type = type,
        .cell = type,
        .num_scalars = 2,
        .num_components = 2,
        .has_identity = true,
        .stage_limit = UINT64_MAX,
        .components = { { "a", type, type, type, LOAD_PLAIN, "a.a * b.a", "1" },
                        { "b", type, type, type, LOAD_PLAIN, "a.b * b.a + b.b", "0",
                          1 } },
    };
}

static int64_t draw(uint64_t *state, int64_t low, int64_t high)
{
    return low + (int64_t)(next_random(state) % ((uint64_t)(high - low) + 1));
}

/* A float map has a = 1 or -1, so that b keeps exact; an integer's may be any odd one. */
static struct value draw_value(uint64_t *state, const struct subject *subject)
{
    struct value value = { draw(state, subject->low, subject->high), 0 };

    if (!subject->op) {
        value.b = value.a;
        value.a = draw(state, 0, 1) ? 1 : -1;
        if (subject->type == CLFOLD_I32) {
            value.a = wrap_add(wrap_mul(draw(state, 0, INT32_MAX), 2), value.a);
        }
    }
    return value;
}

/* `value` as a scalar of that type, wrapped around; returns where the next one goes. */
static unsigned char *put_scalar(unsigned char *at, clfold_type type, int64_t value)
{
    size_t size = clfold_scalar(type)->size;
    cl_float f32 = (cl_float)value;
    cl_double f64 = (cl_double)value;
    const void *bytes = &value; /* the low end comes first: little-endian hosts only */

    if (type == CLFOLD_F32) {
        bytes = &f32;
    } else if (type == CLFOLD_F64) {
        bytes = &f64;
    }
    memcpy(at, bytes, size);
    return at + size;
}

static unsigned char *put_value(unsigned char *at, const struct subject *subject,
                                clfold_type type, struct value value)
{
    at = put_scalar(at, type, value.a);
    return subject->op ? at : put_scalar(at, type, value.b);
}

struct sizes {
    size_t count, offset; /* one offset for in and out */
    bool init;
    const char *algorithm;
};

/* One call. Returns whether out holds what the host found, and what stood before it. */
static bool reduce(const struct device *device, clfold_context *context,
                   const struct subject *subject, const struct sizes *sizes)
{
    struct monoid monoid = affine(subject->type);
    size_t scalars = subject->op ? 1 : 2;
    size_t in_size = clfold_scalar(subject->in)->size * scalars;
    size_t out_size = clfold_scalar(subject->type)->size * scalars;
    size_t in_bytes = (sizes->offset + sizes->count) * in_size;
    size_t out_bytes = (sizes->offset + 1) * out_size;
    unsigned char *in = malloc(in_bytes + 1), *out = malloc(out_bytes);
    unsigned char *expected = malloc(out_bytes), *at = in;
    unsigned char init_bytes[16];
    struct value total = subject->identity;
    uint64_t state = sizes->count * 8 + sizes->offset;
    bool any = sizes->init, equal;

    if (!in || !out || !expected) {
        fprintf(stderr, "calls: out of memory\n");
        exit(1);
    }
    if (sizes->init) {
        total = draw_value(&state, subject);
        put_value(init_bytes, subject, subject->type, total);
    }
    for (size_t i = 0; i < sizes->offset + sizes->count; ++i) {
        struct value x = draw_value(&state, subject);
        at = put_value(at, subject, subject->in, x);
        if (i >= sizes->offset) {
            total = any ? subject->combine(total, x) : x;
            any = true;
        }
    }
    memset(out, 0xa5, out_bytes);
    memcpy(expected, out, out_bytes);
    put_value(expected + sizes->offset * out_size, subject, subject->type, total);

    cl_mem in_mem = new_buffer(device, in_bytes > 0 ? in_bytes : 1, in);
    cl_mem out_mem = new_buffer(device, out_bytes, out);
    if (subject->op) {
        clfold_fold fold = {
            .op = subject->op,
            .type = subject->type,
            .in = subject->in,
            .init = sizes->init ? init_bytes : NULL,
            .init_size = sizes->init ? out_size : 0,
            .algorithm = sizes->algorithm,
        };
        check(clfold_reduce(context, device->queue, &fold, in_mem, sizes->offset, out_mem,
                            sizes->offset, sizes->count, 0, NULL, NULL),
              "clfold_reduce");
    } else {
        check(clfold_reduce_monoid(context, device->queue, &monoid, sizes->algorithm,
                                   in_mem, sizes->offset, out_mem, sizes->offset,
                                   sizes->count, sizes->init ? init_bytes : NULL, 0, NULL,
                                   NULL),
              "clfold_reduce_monoid");
    }
    check(clEnqueueReadBuffer(device->queue, out_mem, CL_TRUE, 0, out_bytes, out, 0, NULL,
                              NULL),
          "clEnqueueReadBuffer");
    equal = memcmp(out, expected, out_bytes) == 0;
    clReleaseMemObject(in_mem);
    clReleaseMemObject(out_mem);
    free(in);
    free(out);
    free(expected);
    return equal;
}

/*
 * What each of them is there for:
 *
 *   tile_vector of 64     the steps of 16; of 256 the four accumulators; of 1024 the 256
 *                         at a time of an operator that is not commutative
 *   groups of 1           a row of loads under way, for u8 too
 *   groups of 6           no power of two: the guards of the tree
 *   groups of 40          more than 32 items in local memory, where padding begins, and
 *                         fewer chunks than work-items
 */
static const struct debug tiles[] = {
    { .tile = TILE_VECTOR, .tile_elements = 64, .group_size = 1 },
    { .tile = TILE_VECTOR, .tile_elements = 256, .group_size = 1 },
    { .tile = TILE_VECTOR, .tile_elements = 1024, .group_size = 1 },
    { .tile = TILE_GROUP, .tile_elements = 64, .group_size = 6 },
    { .tile = TILE_GROUP, .tile_elements = 256, .group_size = 1 },
    { .tile = TILE_GROUP, .tile_elements = 256, .group_size = 8 },
    { .tile = TILE_GROUP, .tile_elements = 64, .group_size = 40 },
    { .tile = TILE_GROUP, .tile_elements = 1024, .group_size = 40 },
};

/*
 * Returns how many calls were wrong.
 *
 *   at most   count          clfold_reduce_
 *      4      tile - 1       single
 *      4      tile           single
 *      4      3 tile + 1     tiles, one tile a group, and partials of 4
 *      2      3 tile + 1     tiles, two tiles a group, and partials of 2
 *      1      3 tile + 1     single, four tiles in turn
 *      9      8 tile + 1     tiles, and partials: more of them than work-items
 *      4      0, 1           single
 */
static unsigned reduce_tile(const struct device *device, clfold_context *context,
                            const struct subject *subject, const struct debug *tile,
                            unsigned *num)
{
    const size_t size = tile->tile_elements;
    const struct {
        uint32_t groups;
        size_t count;
    } cases[] = {
        { 4, size - 1 },
        { 4, size },
        { 4, 3 * size + 1 },
        { 2, 3 * size + 1 },
        { 1, 3 * size + 1 },
        { 9, 8 * size + 1 },
        { 4, 0 },
        { 4, 1 },
    };
    unsigned wrong = 0;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        struct debug override = *tile;
        override.max_groups = cases[i].groups;
        clfold_context_override(context, &override);
        for (size_t offset = 0; offset <= 3; offset += 3) {
            struct sizes sizes = { cases[i].count, offset, offset > 0 && i % 2 == 0,
                                   "reduce_tiles" };
            ++*num;
            if (!reduce(device, context, subject, &sizes)) {
                ++wrong;
                fprintf(stderr,
                        "calls: %s, %s of %zu, groups of %" PRIu32 ", at most %" PRIu32
                        " groups, count %zu, offset %zu: not the host's result\n",
                        subject->name, clfold_tile_name(tile->tile), size,
                        tile->group_size, override.max_groups, sizes.count, offset);
            }
        }
    }
    return wrong;
}

/*
 * Simulates a device whose work-items take at most FEW_ELEMENTS in a launch: then the
 * partials are enough for several groups. `count` elements take three launches or more.
 */
#define FEW_ELEMENTS 8

static unsigned reduce_in_launches(const struct device *device, clfold_context *context,
                                   const struct subject *subject,
                                   const struct debug *override, const char *algorithm,
                                   size_t count, unsigned *num)
{
    const struct sizes sizes = { count, 3, true, algorithm };
    unsigned wrong = 0;

    context->caps.facts.most_elements = FEW_ELEMENTS;
    clfold_context_override(context, override);
    if (subject->op) {
        const clfold_fold fold = { .op = subject->op,
                                   .type = subject->type,
                                   .in = subject->in,
                                   .algorithm = algorithm };
        clfold_report report;
        check(clfold_explain(context, CLFOLD_REDUCE, &fold, count, NULL, &report),
              "clfold_explain");
        if (report.num_launches < 3) {
            fprintf(stderr, "calls: %s, count %zu: %zu launches, less than 3\n",
                    subject->name, count, (size_t)report.num_launches);
            ++wrong;
        }
    }
    ++*num;
    if (!reduce(device, context, subject, &sizes)) {
        fprintf(stderr, "calls: %s by %s in launches, count %zu: not the host's result\n",
                subject->name, algorithm, count);
        ++wrong;
    }
    context->caps.facts.most_elements = 0;
    return wrong;
}

/* i32 add and an operator that keeps order, tiles of 64 by either kind. */
static unsigned reduce_tiles_in_launches(const struct device *device,
                                         clfold_context *context, const char *kind,
                                         unsigned *num)
{
    const struct debug vector = { .tile = TILE_VECTOR, .tile_elements = 64 };
    const struct debug group = { .tile = TILE_GROUP,
                                 .tile_elements = 64,
                                 .group_size = 6 };
    const struct subject *const chosen[] = { &subjects[1], &subjects[6] };
    unsigned wrong = 0;

    for (size_t s = 0; s < 2; ++s) {
        if (!kind || strcmp(kind, "tile_vector") == 0) {
            wrong += reduce_in_launches(device, context, chosen[s], &vector,
                                        "reduce_tiles", 5000, num);
        }
        if (!kind || strcmp(kind, "tile_group") == 0) {
            wrong += reduce_in_launches(device, context, chosen[s], &group,
                                        "reduce_tiles", 9999, num);
        }
    }
    return wrong;
}

/* `kind` NULL: both. */
static int reduce_all(const struct device *device, const char *kind)
{
    clfold_context *context;
    unsigned num = 0, wrong = 0;

    check(clfold_context_create(&context, device->context, device->id, NULL),
          "clfold_context_create");
    for (size_t t = 0; t < sizeof(tiles) / sizeof(tiles[0]); ++t) {
        if (kind && strcmp(kind, clfold_tile_name(tiles[t].tile)) != 0) {
            continue;
        }
        for (size_t s = 0; s < sizeof(subjects) / sizeof(subjects[0]); ++s) {
            wrong += reduce_tile(device, context, &subjects[s], &tiles[t], &num);
        }
    }
    wrong += reduce_tiles_in_launches(device, context, kind, &num);
    clfold_context_destroy(&context);
    printf("calls: %u reductions, %u wrong\n", num, wrong);
    return num == 0 || wrong > 0;
}

/* Groups of a power of two and of none, of less than a sub-group and of more than 64,
 * which reduce4 begins with a loop for. */
static const uint32_t rung_groups[] = { 2, 6, 8, 40, 96 };

/* One rung over counts of less than a group, of a short second, and of several launches;
 * reduce6 by at most three groups. Returns how many calls were wrong. */
static unsigned reduce_rung(const struct device *device, clfold_context *context,
                            const struct subject *subject, int rung, uint32_t group,
                            unsigned *num)
{
    const struct debug override = { .group_size = group, .max_groups = 3 };
    const size_t counts[] = {
        0, 1, group - 1, group, group + 1, 2 * group + 1, 6 * group * group / 5 + 3
    };
    char name[16];
    unsigned wrong = 0;

    snprintf(name, sizeof(name), "reduce%d", rung);
    clfold_context_override(context, &override);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); ++i) {
        struct sizes sizes = { counts[i], i % 2 * 3, i % 3 == 0, name };
        if (counts[i] > 1000) {
            sizes.count = 1000 + group;
        }
        ++*num;
        if (!reduce(device, context, subject, &sizes)) {
            ++wrong;
            fprintf(stderr,
                    "calls: %s by %s in groups of %" PRIu32
                    ", count %zu: not the host's result\n",
                    subject->name, name, group, sizes.count);
        }
    }
    return wrong;
}

/* Subjects in turn: the rungs touch memory alike for all of them. */
static int reduce_ladder(const struct device *device)
{
    const struct debug twos = { .group_size = 2 };
    const size_t num_subjects = sizeof(subjects) / sizeof(subjects[0]);
    clfold_context *context;
    unsigned num = 0, wrong = 0;

    check(clfold_context_create(&context, device->context, device->id, NULL),
          "clfold_context_create");
    for (int rung = 0; rung < 7; ++rung) {
        for (size_t g = 0; g < sizeof(rung_groups) / sizeof(rung_groups[0]); ++g) {
            for (size_t s = (g + (size_t)rung) % 2; s < num_subjects; s += 2) {
                if (subjects[s].op || rung < 2) {
                    wrong += reduce_rung(device, context, &subjects[s], rung,
                                         rung_groups[g], &num);
                }
            }
        }
    }
    wrong +=
        reduce_in_launches(device, context, &subjects[1], &twos, "reduce6", 9999, &num);
    clfold_context_destroy(&context);
    printf("calls: %u reductions, %u wrong\n", num, wrong);
    return num == 0 || wrong > 0;
}

/* ---- Planted mistakes -------------------------------------------------------------- */

/* Launched with two groups of 8, `data` holds 16. */
static const struct plant {
    const char *name, *source;
} plants[] = {
    { "local-race", "kernel void plant(global int *data)\n"
                    "{\n"
                    "    local int x[8];\n"
                    "    const uint l = get_local_id(0);\n"
                    "    x[l] = (int)l;\n"
                    "    data[get_global_id(0)] = x[(l + 1) % 8];\n"
                    "}\n" },
    { "global-race", "kernel void plant(global int *data)\n"
                     "{\n"
                     "    data[get_local_id(0)] = (int)get_group_id(0);\n"
                     "}\n" },
    { "read-overrun", "kernel void plant(global int *data)\n"
                      "{\n"
                      "    const uint i = get_global_id(0);\n"
                      "    data[i] = i < 15 ? 1 : data[i + 1];\n"
                      "}\n" },
    { "write-overrun", "kernel void plant(global int *data)\n"
                       "{\n"
                       "    data[get_global_id(0) + 1] = 1;\n"
                       "}\n" },
    { "uninitialised", "kernel void plant(global int *data)\n"
                       "{\n"
                       "    local int x[8];\n"
                       "    data[get_global_id(0)] = x[get_local_id(0)];\n"
                       "}\n" },
    { NULL, NULL },
};

static int run_plant(const struct device *device, const char *name)
{
    const struct plant *plant = plants;
    const size_t global = 16, local = 8;
    cl_int data[16] = { 0 }, status;

    while (plant->name && strcmp(plant->name, name) != 0) {
        ++plant;
    }
    if (!plant->name) {
        fprintf(stderr, "calls: there is no plant \"%s\"\n", name);
        return 2;
    }
    cl_program program = clCreateProgramWithSource(
        device->context, 1, (const char *[]){ plant->source }, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device->id, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "plant", &status);
    check(status, "clCreateKernel");
    cl_mem mem = new_buffer(device, sizeof(data), data);
    check(clSetKernelArg(kernel, 0, sizeof(mem), &mem), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &global, &local, 0, NULL,
                                 NULL),
          "clEnqueueNDRangeKernel");
    check(clFinish(device->queue), "clFinish");
    clReleaseMemObject(mem);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return 0;
}

int main(int argc, char **argv)
{
    struct device device;
    bool is_reduce = argc >= 2 && argc <= 3 && strcmp(argv[1], "reduce") == 0;
    bool is_ladder = argc == 2 && strcmp(argv[1], "ladder") == 0;
    bool is_plant = argc == 3 && strcmp(argv[1], "plant") == 0;
    int result;

    if (!is_reduce && !is_ladder && !is_plant) {
        fprintf(stderr, "usage: calls reduce [TILE] | calls ladder | calls plant NAME\n");
        return 2;
    }
    device_init(&device);
    result = is_reduce   ? reduce_all(&device, argv[2])
             : is_ladder ? reduce_ladder(&device)
                         : run_plant(&device, argv[2]);
    device_finish(&device);
    return result;
}
