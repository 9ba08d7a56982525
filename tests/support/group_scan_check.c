#include "group_scan_check.h"

#include "oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ITEM 16
#define ZONE     4096 /* bytes, or what the device aligns sub-buffers to */

/* ---- Subjects ---------------------------------------------------------------------- */

/* Each in the layout that OpenCL C gives clfold_item. */
struct mixed {
    cl_ulong sum;
    cl_float least;
    cl_ushort bits;
    cl_uchar greatest;
};

struct affine {
    cl_uint a, b;
};

struct matrix {
    cl_uint a, b, c, d;
};

struct interval {
    cl_uint first, last;
};

static const struct monoid mixed_monoid = {
    .name = "mixed",
    .in = CLFOLD_U8,
    .type = CLFOLD_U64,
    .cell = CLFOLD_U64,
    .num_scalars = 1,
    .num_components = 4,
    .commutative = true,
    .stage_limit = UINT64_MAX,
    .components = { { .name = "sum",
                      .result = CLFOLD_U64,
                      .item = CLFOLD_U64,
                      .stage = CLFOLD_U64,
                      .combine = "a.sum + b.sum" },
                    { .name = "least",
                      .result = CLFOLD_F32,
                      .item = CLFOLD_F32,
                      .stage = CLFOLD_F32,
                      .combine = "a.least < b.least ? a.least : b.least" },
                    { .name = "bits",
                      .result = CLFOLD_U16,
                      .item = CLFOLD_U16,
                      .stage = CLFOLD_U16,
                      .combine = "a.bits | b.bits" },
                    { .name = "greatest",
                      .result = CLFOLD_U8,
                      .item = CLFOLD_U8,
                      .stage = CLFOLD_U8,
                      .combine = "a.greatest > b.greatest ? a.greatest : b.greatest" } },
};

#define U32_COMPONENT(component, text)                                                   \
    {                                                                                    \
        .name = component, .result = CLFOLD_U32, .item = CLFOLD_U32,                     \
        .stage = CLFOLD_U32, .combine = text                                             \
    }
#define U32_MONOID(monoid, components_)                                                  \
    .name = monoid, .in = CLFOLD_U32, .type = CLFOLD_U32, .cell = CLFOLD_U32,            \
    .num_scalars = 1, .num_components = components_, .stage_limit = UINT64_MAX

/* t -> a t + b, the first applied first */
static const struct monoid affine_u32 = {
    U32_MONOID("affine", 2),
    .components = { U32_COMPONENT("a", "a.a * b.a"),
                    U32_COMPONENT("b", "a.b * b.a + b.b") },
};

static const struct monoid matrix_monoid = {
    U32_MONOID("matrix", 4),
    .components = { U32_COMPONENT("a", "a.a * b.a + a.b * b.c"),
                    U32_COMPONENT("b", "a.a * b.b + a.b * b.d"),
                    U32_COMPONENT("c", "a.c * b.a + a.d * b.c"),
                    U32_COMPONENT("d", "a.c * b.b + a.d * b.d") },
};

static const struct monoid interval_monoid = {
    U32_MONOID("interval", 2),
    .components = { U32_COMPONENT("first",
                                  "a.last + 1u == b.first ? a.first : 0xffffffffu"),
                    U32_COMPONENT("last",
                                  "a.last + 1u == b.first ? b.last : 0xfffffff0u") },
};

static const struct {
    const char *name;
    const struct monoid *monoid; /* NULL: built in, CLFOLD_ADD of `type` */
    clfold_type type;
    size_t size;
} subjects[NUM_SCAN_SUBJECTS] = {
    [SCAN_ADD_I32] = { "i32 add", NULL, CLFOLD_I32, sizeof(cl_int) },
    [SCAN_ADD_F32] = { "f32 add", NULL, CLFOLD_F32, sizeof(cl_float) },
    [SCAN_MIXED] = { "mixed", &mixed_monoid, CLFOLD_U64, sizeof(struct mixed) },
    [SCAN_AFFINE] = { "affine", &affine_u32, CLFOLD_U32, sizeof(struct affine) },
    [SCAN_MATRIX] = { "matrix", &matrix_monoid, CLFOLD_U32, sizeof(struct matrix) },
    [SCAN_INTERVAL] = { "interval", &interval_monoid, CLFOLD_U32,
                        sizeof(struct interval) },
};

const char *scan_subject_name(unsigned subject)
{
    return subjects[subject].name;
}

size_t scan_item_size(unsigned subject)
{
    return subjects[subject].size;
}

/* Item `i`, in zeroed memory. Floats are quarters, so that any sum of them is exact. */
static void draw(unsigned subject, uint64_t *state, size_t i, void *item)
{
    const uint64_t x = next_random(state);
    const cl_uint low = (cl_uint)x, high = (cl_uint)(x >> 32);

    switch (subject) {
    case SCAN_ADD_I32:
        memcpy(item, &low, sizeof(low));
        break;
    case SCAN_ADD_F32:
        *(cl_float *)item = (cl_float)((int)(low % 2001) - 1000) / 4;
        break;
    case SCAN_MIXED: {
        struct mixed *mixed = item;
        mixed->sum = x;
        mixed->least = -(cl_float)i / 4 + (cl_float)(low % 100);
        mixed->bits = (cl_ushort)(1u << high % 16);
        mixed->greatest = (cl_uchar)(low >> 24);
        break;
    }
    case SCAN_AFFINE:
        /* Odd, so that no product vanishes. */
        *(struct affine *)item = (struct affine){ low | 1, high };
        break;
    case SCAN_MATRIX:
        *(struct matrix *)item = (struct matrix){ low | 1, high & ~1u, high >> 3, 1 };
        break;
    default:
        *(struct interval *)item = (struct interval){ (cl_uint)i, (cl_uint)i };
    }
}

/* *total = *total op *x */
static void join(unsigned subject, void *total, const void *x)
{
    switch (subject) {
    case SCAN_ADD_I32:
        *(cl_uint *)total += *(const cl_uint *)x;
        break;
    case SCAN_ADD_F32:
        *(cl_float *)total += *(const cl_float *)x;
        break;
    case SCAN_MIXED: {
        struct mixed *a = total;
        const struct mixed *b = x;
        a->sum += b->sum;
        a->least = a->least < b->least ? a->least : b->least;
        a->bits |= b->bits;
        a->greatest = a->greatest > b->greatest ? a->greatest : b->greatest;
        break;
    }
    case SCAN_AFFINE: {
        struct affine *a = total;
        const struct affine *b = x;
        *a = (struct affine){ a->a * b->a, a->b * b->a + b->b };
        break;
    }
    case SCAN_MATRIX: {
        struct matrix *a = total;
        const struct matrix *b = x;
        *a = (struct matrix){ a->a * b->a + a->b * b->c, a->a * b->b + a->b * b->d,
                              a->c * b->a + a->d * b->c, a->c * b->b + a->d * b->d };
        break;
    }
    default:
        ((struct interval *)total)->last = ((const struct interval *)x)->last;
    }
}

/* Without the padding between components, which need not be copied. */
static bool same(unsigned subject, const void *expected, const void *found)
{
    if (subject == SCAN_MIXED) {
        const struct mixed *a = expected, *b = found;
        return a->sum == b->sum && a->least == b->least && a->bits == b->bits &&
               a->greatest == b->greatest;
    }
    return memcmp(expected, found, subjects[subject].size) == 0;
}

void scan_front(char *front, size_t front_size, unsigned size)
{
    snprintf(front, front_size,
             "#ifndef __opencl_c_subgroups\n"
             "#define __opencl_c_subgroups 1\n"
             "#endif\n"
             "#define CLFOLD_NO_SHUFFLES 1\n"
             "#define get_max_sub_group_size() %uu\n"
             "#define get_sub_group_id() ((uint)get_local_id(0) / %uu)\n"
             "#define get_sub_group_local_id() ((uint)get_local_id(0) %% %uu)\n"
             "#define sub_group_barrier(flags) %s\n",
             size, size, size, size == 1 ? "" : "barrier(flags)");
}

static bool make_monoid(unsigned subject, struct monoid *monoid)
{
    const struct site site = { NULL, "scan_check" };

    if (subjects[subject].monoid) {
        *monoid = *subjects[subject].monoid;
        return true;
    }
    return clfold_monoid_init(monoid, &site, CLFOLD_ADD, subjects[subject].type,
                              subjects[subject].type) == CLFOLD_OK;
}

/* ---- The device's side ------------------------------------------------------------- */

/* A buffer of `size` bytes with a zone before and after it, or without. */
struct zoned {
    cl_mem whole, part;
    size_t zone, size;
};

static void zoned_finish(struct zoned *zoned)
{
    if (zoned->part && zoned->part != zoned->whole) {
        clReleaseMemObject(zoned->part);
    }
    if (zoned->whole) {
        clReleaseMemObject(zoned->whole);
    }
}

static bool zoned_init(struct zoned *zoned, const struct device *device, bool zones,
                       size_t size, const void *content)
{
    cl_uint align = 0; /* in bits */
    cl_int status = CL_SUCCESS;

    *zoned = (struct zoned){ .size = size };
    if (zones) {
        clGetDeviceInfo(device->id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(align), &align,
                        NULL);
        zoned->zone = align / 8 > ZONE ? align / 8 : ZONE;
    }
    const size_t all = size + 2 * zoned->zone;
    unsigned char *bytes = malloc(all);
    if (!bytes) {
        return false;
    }
    memset(bytes, 0xa5, all);
    if (content) {
        memcpy(bytes + zoned->zone, content, size);
    }
    zoned->whole =
        clCreateBuffer(device->context, CL_MEM_COPY_HOST_PTR, all, bytes, NULL);
    free(bytes);
    zoned->part = zoned->whole;
    if (zoned->whole && zones) {
        const cl_buffer_region region = { zoned->zone, size };
        zoned->part = clCreateSubBuffer(zoned->whole, 0, CL_BUFFER_CREATE_TYPE_REGION,
                                        &region, &status);
    }
    if (!zoned->whole || status != CL_SUCCESS) {
        zoned_finish(zoned);
        return false;
    }
    return true;
}

/* Reads the part into `content`. Returns false with a sentence if that failed, or the
 * zones are not as they were. */
static bool zoned_read(const struct zoned *zoned, const struct device *device,
                       void *content, char *why, size_t why_size)
{
    const size_t all = zoned->size + 2 * zoned->zone;
    unsigned char *bytes = malloc(all);
    bool good = bytes && clEnqueueReadBuffer(device->queue, zoned->whole, CL_TRUE, 0, all,
                                             bytes, 0, NULL, NULL) == CL_SUCCESS;

    if (!good) {
        snprintf(why, why_size, "the results cannot be read");
    }
    for (size_t i = 0; good && i < all; ++i) {
        if ((i < zoned->zone || i >= zoned->zone + zoned->size) && bytes[i] != 0xa5) {
            snprintf(why, why_size, "byte %td of the output was written to",
                     (ptrdiff_t)(i - zoned->zone));
            good = false;
        }
    }
    if (good) {
        memcpy(content, bytes + zoned->zone, zoned->size);
    }
    free(bytes);
    return good;
}

static cl_program build(const struct device *device, const char *options,
                        const struct scan_case *scan, char *why, size_t why_size)
{
    struct monoid monoid;
    struct text text = { 0 };
    cl_program program = NULL;
    cl_int status = CL_OUT_OF_HOST_MEMORY;

    if (scan->front) {
        clfold_text_print(&text, "%s", scan->front);
    }
    if (make_monoid(scan->subject, &monoid)) {
        assemble_group_scan(&text, &monoid, scan->kind, scan->group_size);
        if (!text.failed) {
            program = clCreateProgramWithSource(
                device->context, 1, (const char *[]){ text.bytes }, NULL, &status);
        }
    }
    if (program) {
        status = clBuildProgram(program, 1, &device->id, options, NULL, NULL);
    }
    clfold_text_finish(&text);
    if (status != CL_SUCCESS) {
        char log[2048] = "";
        if (program) {
            clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, sizeof(log),
                                  log, NULL);
            clReleaseProgram(program);
        }
        snprintf(why, why_size, "no program: %d\n%s", status, log);
        return NULL;
    }
    return program;
}

static bool launch(const struct device *device, cl_kernel kernel,
                   const struct scan_case *scan, const struct zoned *in,
                   const struct zoned *out, size_t count, char *why, size_t why_size)
{
    const size_t local = scan->group_size;
    const size_t global = (count + local - 1) / local * local;
    const cl_ulong number = count;
    cl_int status;

    if ((status = clSetKernelArg(kernel, 0, sizeof(cl_mem), &in->part)) ||
        (status = clSetKernelArg(kernel, 1, sizeof(cl_mem), &out->part)) ||
        (status = clSetKernelArg(kernel, 2, sizeof(number), &number)) ||
        (status = clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &global, &local,
                                         0, NULL, NULL)) ||
        (status = clFinish(device->queue))) {
        snprintf(why, why_size, "%zu items: not launched, %d", count, status);
        return false;
    }
    return true;
}

/* The groups' scans, by a loop. */
static void scan_host(const struct scan_case *scan, const unsigned char *in, size_t count,
                      unsigned char *expected)
{
    const size_t size = subjects[scan->subject].size;
    union {
        unsigned char bytes[MAX_ITEM];
        cl_ulong aligned;
    } total;

    for (size_t i = 0; i < count; ++i) {
        if (i % scan->group_size == 0) {
            memcpy(total.bytes, in + i * size, size);
        } else {
            join(scan->subject, total.bytes, in + i * size);
        }
        memcpy(expected + i * size, total.bytes, size);
    }
}

/* `in`, `expected` and `found` hold `count` items each. */
static bool run(const struct device *device, cl_kernel kernel,
                const struct scan_case *scan, unsigned char *in, unsigned char *expected,
                unsigned char *found, size_t count, char *why, size_t why_size)
{
    const size_t size = subjects[scan->subject].size;
    struct zoned in_mem = { 0 }, out_mem = { 0 };
    uint64_t state = count;
    bool good = false;

    memset(in, 0, count * size);
    for (size_t i = 0; i < count; ++i) {
        draw(scan->subject, &state, i, in + i * size);
    }
    scan_host(scan, in, count, expected);
    if (!zoned_init(&in_mem, device, scan->zones, count * size, in) ||
        !zoned_init(&out_mem, device, scan->zones, count * size, NULL)) {
        snprintf(why, why_size, "%zu items: no buffers", count);
    } else {
        good = launch(device, kernel, scan, &in_mem, &out_mem, count, why, why_size) &&
               zoned_read(&out_mem, device, found, why, why_size);
    }
    for (size_t i = 0; good && i < count; ++i) {
        if (!same(scan->subject, expected + i * size, found + i * size)) {
            snprintf(why, why_size, "%zu items: item %zu is wrong, item %zu of its group",
                     count, i, i % scan->group_size);
            good = false;
        }
    }
    zoned_finish(&in_mem);
    zoned_finish(&out_mem);
    return good;
}

bool scan_check(const struct device *device, const char *options,
                const struct scan_case *scan, char *why, size_t why_size)
{
    const size_t group = scan->group_size, size = subjects[scan->subject].size;
    const size_t last[] = { 1, 2, group - 1, group };
    unsigned char *items = malloc(9 * group * size);
    cl_program program = build(device, options, scan, why, why_size);
    cl_kernel kernel =
        program ? clCreateKernel(program, "clfold_group_scans", NULL) : NULL;
    bool good = items && kernel;

    if (program && !good) {
        snprintf(why, why_size, "no kernel, or no memory");
    }
    for (size_t i = 0; good && i < sizeof(last) / sizeof(last[0]); ++i) {
        if (last[i] > 0 && last[i] <= group) {
            good = run(device, kernel, scan, items, items + 3 * group * size,
                       items + 6 * group * size, 2 * group + last[i], why, why_size);
        }
    }
    if (kernel) {
        clReleaseKernel(kernel);
    }
    if (program) {
        clReleaseProgram(program);
    }
    free(items);
    return good;
}
