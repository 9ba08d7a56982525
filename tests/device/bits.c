/* Prints the bits of float folds and scans, for tests/device/same_bits.py to compare
 * between numbers of workers and with those of earlier versions; each call is made twice,
 * and must give the same bits. The first line has the driver, the second one how many
 * floats a vector of the device has, and the third how many compute units it shows. */
#include "device.h"
#include "oracle.h"
#include "test.h"

#include "ops/context.h"
#include "ops/internal.h"

static void print_fold(const struct device *device, clfold_context *ctx, cl_mem in,
                       clfold_op op, struct pair pair, const char *algorithm,
                       size_t offset, size_t count)
{
    const clfold_fold fold = {
        .op = op, .type = pair.type, .in = pair.in, .algorithm = algorithm
    };
    unsigned char result[8], again[8];
    size_t size = size_of(pair.type);

    if (clfold_reduce_host(ctx, device->queue, &fold, in, offset, count, result, size) ||
        clfold_reduce_host(ctx, device->queue, &fold, in, offset, count, again, size)) {
        fprintf(stderr, "%s\n", clfold_last_error());
        exit(1);
    }
    printf("%s of %s into %s, %zu from %zu, by %s:", op == CLFOLD_ADD ? "sum" : "product",
           name_of(pair.in), name_of(pair.type), count, offset,
           algorithm ? algorithm : "policy");
    for (size_t i = 0; i < size; ++i) {
        printf(" %02x", result[i]);
    }
    printf("%s\n", memcmp(result, again, size) == 0 ? "" : ", but not again");
}

/* FNV-1a: any bit that changes shows. */
static uint64_t hash_of(const unsigned char *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* All items and the total, whose bits no strategy may change. */
static uint64_t scan_bits(const struct device *device, clfold_context *ctx, cl_mem in,
                          const clfold_fold *fold, bool exclusive, size_t offset,
                          size_t count)
{
    cl_mem out = fold->total_out.mem;
    size_t size = size_of(fold->type), bytes = (count + 1) * size;
    unsigned char *results = malloc(bytes);

    if (!results ||
        (exclusive ? clfold_exclusive_scan : clfold_inclusive_scan)(
            ctx, device->queue, fold, in, offset, out, offset, count, 0, NULL, NULL) ||
        clEnqueueReadBuffer(device->queue, out, CL_TRUE, offset * size, bytes, results, 0,
                            NULL, NULL) != CL_SUCCESS) {
        fprintf(stderr, "%s\n", clfold_last_error());
        exit(1);
    }
    uint64_t hash = hash_of(results, bytes);
    free(results);
    return hash;
}

/* A strategy is of one kind, so that it has one program: scan_bits.c has the other. */
static void print_scans(const struct device *device, clfold_context *ctx, cl_mem in,
                        cl_mem out, struct pair pair)
{
    const char *const algorithms[] = { "scan_single_group", "scan_then_propagate",
                                       "reduce_then_scan", NULL };
    const size_t counts[] = { 100, 1500007 };

    for (size_t i = 0; i < 2 * 4; ++i) {
        size_t a = i % 4, count = counts[i / 4], offset = (a + 2 * (i / 4)) % 3 * 5;
        const clfold_fold fold = { .op = CLFOLD_ADD,
                                   .type = pair.type,
                                   .in = pair.in,
                                   .algorithm = algorithms[a],
                                   .total_out = { out, offset + count } };
        uint64_t hash = scan_bits(device, ctx, in, &fold, a % 2, offset, count);
        printf("%s scan of %s into %s, %zu from %zu, by %s: %016llx%s\n",
               a % 2 ? "exclusive" : "inclusive", name_of(pair.in), name_of(pair.type),
               count, offset, algorithms[a] ? algorithms[a] : "policy",
               (unsigned long long)hash,
               scan_bits(device, ctx, in, &fold, a % 2, offset, count) == hash
                   ? ""
                   : ", but not again");
    }
}

/* The rungs of the ladder, each by an operator of its own turn, and of one type: other
 * types do not change the order. */
static void print_rungs(const struct device *device, clfold_context *ctx, cl_mem in,
                        struct pair pair)
{
    const char *const rungs[] = { "reduce0", "reduce1", "reduce2", "reduce3",
                                  "reduce4", "reduce5", "reduce6" };

    for (size_t r = 0; r < sizeof(rungs) / sizeof(rungs[0]); ++r) {
        print_fold(device, ctx, in, r % 2 ? CLFOLD_MUL : CLFOLD_ADD, pair, rungs[r], r,
                   r % 2 ? 100 : 131073);
    }
}

int main(void)
{
    const size_t counts[] = { 1, 100, 16384, 131072, 131073, 1000003, 5000011 };
    const size_t most = 5000011 + 17;
    char driver[128] = "";
    const enum tile_kind kinds[] = { TILE_VECTOR, TILE_GROUP };
    struct device device;
    clfold_context *ctx = NULL;
    cl_uint units = 0, width = 0;

    device_init(&device);
    clGetDeviceInfo(device.id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL);
    clGetDeviceInfo(device.id, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof(width), &width,
                    NULL);
    clGetDeviceInfo(device.id, CL_DRIVER_VERSION, sizeof(driver) - 1, driver, NULL);
    printf("driver %s\nwidth %u\nunits %u\n", driver, width, units);
    if (device_context(&ctx, &device, NULL)) {
        fprintf(stderr, "%s\n", clfold_last_error());
        return 1;
    }
    /* Tiles, and so the bits of scans, follow the cache of the machine; not here. */
    ctx->caps.facts.cache_bytes = 0;
    for (size_t p = 4; p < NUM_PAIRS; ++p) {
        struct pair pair = all_pairs[p];
        size_t bytes = most * size_of(pair.in);
        void *data = malloc(bytes);
        cl_int status;
        if (!device.has_f64 && (pair.in == CLFOLD_F64 || pair.type == CLFOLD_F64)) {
            free(data);
            continue;
        }
        if (!data) {
            return 1;
        }
        fill(data, pair.in, most, FILL_ROUNDING, p);
        cl_mem in =
            clCreateBuffer(device.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                           data, &status);
        free(data);
        cl_mem out = NULL;
        if (status == CL_SUCCESS) {
            out = clCreateBuffer(device.context, CL_MEM_READ_WRITE,
                                 most * size_of(pair.type), NULL, &status);
        }
        if (status != CL_SUCCESS) {
            return 1;
        }
        for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); ++k) {
            const struct debug override = { .tile = kinds[k] };
            clfold_context_override(ctx, &override);
            for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c) {
                print_fold(&device, ctx, in, CLFOLD_ADD, pair, NULL, c % 2 ? 17 : 0,
                           counts[c]);
            }
            if (k == p % 2) {
                print_fold(&device, ctx, in, CLFOLD_MUL, pair, NULL, 3, 100);
            }
            print_scans(&device, ctx, in, out, pair);
        }
        clfold_context_override(ctx, NULL);
        if (p == 4) {
            print_rungs(&device, ctx, in, pair);
        }
        clReleaseMemObject(in);
        clReleaseMemObject(out);
    }
    clfold_context_destroy(&ctx);
    device_finish(&device);
    return 0;
}
