/* Prints the bits of float folds and scans, for tests/device/same_bits.py to compare
 * between numbers of workers and with those of earlier versions; each call is made twice,
 * and must give the same bits. The first line has the driver, the second one how many
 * floats a vector of the device has, and the third how many compute units it shows. */
#include "test.h"
#include "trial.h"

#include "ops/context.h"

#define MOST ((size_t)5000011 + 17)

static unsigned char *data; /* of all trials, from element 0 of the buffer on */

/* FNV-1a: any bit that changes shows. */
static uint64_t hash_of(const unsigned char *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* A fold's result; of a scan's items and total, whose bits no strategy may change, a
 * hash. */
static void print_bits(struct trial trial)
{
    const size_t size = size_of(trial.pair.type);
    const bool scans = trial_scans(&trial);
    const size_t bytes = scans ? (trial.count + 1) * size : size;
    unsigned char *results = calloc(2, bytes), *again = results + bytes;

    trial.out_offset = scans ? trial.in_offset : 0;
    trial.total = scans ? TOTAL_BEHIND : TOTAL_NONE;
    trial.elements = data + trial.in_offset * size_of(trial.pair.in);
    trial.unknown = true;
    assert_non_null(results);
    trial_check(&trial, results);
    trial_check(&trial, again);
    printf("%s of %s into %s, %zu from %zu, by %s:",
           trial.operation == CLFOLD_INCLUSIVE_SCAN   ? "inclusive scan"
           : trial.operation == CLFOLD_EXCLUSIVE_SCAN ? "exclusive scan"
           : trial.op == CLFOLD_ADD                   ? "sum"
                                                      : "product",
           name_of(trial.pair.in), name_of(trial.pair.type), trial.count, trial.in_offset,
           trial.algorithm ? trial.algorithm : "policy");
    if (scans) {
        printf(" %016llx", (unsigned long long)hash_of(results, bytes));
    }
    for (size_t i = 0; i < size && !scans; ++i) {
        printf(" %02x", results[i]);
    }
    printf("%s\n", memcmp(results, again, bytes) == 0 ? "" : ", but not again");
    free(results);
}

/* Of one kind of tile. A strategy is of one kind of scan, so that it has one program:
 * scan_bits.c has the other. */
static void print_kind(struct trial trial, bool has_product)
{
    static const size_t counts[] = { 1, 100, 16384, 131072, 131073, 1000003, 5000011 };
    static const char *const algorithms[] = { "scan_single_group", "scan_then_propagate",
                                              "reduce_then_scan", NULL };

    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c) {
        trial.count = counts[c];
        trial.in_offset = c % 2 ? 17 : 0;
        print_bits(trial);
    }
    if (has_product) {
        trial.op = CLFOLD_MUL;
        trial.count = 100;
        trial.in_offset = 3;
        print_bits(trial);
        trial.op = CLFOLD_ADD;
    }
    for (size_t i = 0; i < 2 * 4; ++i) {
        trial.algorithm = algorithms[i % 4];
        trial.operation = scan_of(i % 2);
        trial.count = i / 4 ? 1500007 : 100;
        trial.in_offset = (i % 4 + 2 * (i / 4)) % 3 * 5;
        print_bits(trial);
    }
}

/* The rungs of the ladder, each by an operator of its own turn, and of one type: other
 * types do not change the order. */
static void print_rungs(struct trial trial)
{
    static const char *const rungs[] = { "reduce0", "reduce1", "reduce2", "reduce3",
                                         "reduce4", "reduce5", "reduce6" };

    for (size_t r = 0; r < sizeof(rungs) / sizeof(rungs[0]); ++r) {
        trial.op = r % 2 ? CLFOLD_MUL : CLFOLD_ADD;
        trial.algorithm = rungs[r];
        trial.in_offset = r;
        trial.count = r % 2 ? 100 : 131073;
        print_bits(trial);
    }
}

int main(void)
{
    cl_uint units = 0, width = 0;
    char driver[128] = "";

    assert_ok(open_context(NULL));
    clGetDeviceInfo(device.id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL);
    clGetDeviceInfo(device.id, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof(width), &width,
                    NULL);
    clGetDeviceInfo(device.id, CL_DRIVER_VERSION, sizeof(driver) - 1, driver, NULL);
    printf("driver %s\nwidth %u\nunits %u\n", driver, width, units);
    /* Tiles, and so the bits of scans, follow the cache of the machine; not here. */
    ctx->caps.facts.cache_bytes = 0;
    data = malloc(MOST * sizeof(cl_ulong));
    assert_non_null(data);
    for (size_t p = 4; p < NUM_PAIRS; ++p) {
        struct trial trial = { .operation = CLFOLD_REDUCE,
                               .op = CLFOLD_ADD,
                               .pair = all_pairs[p] };
        if (!device.has_f64 &&
            (trial.pair.in == CLFOLD_F64 || trial.pair.type == CLFOLD_F64)) {
            continue;
        }
        fill(data, trial.pair.in, MOST, FILL_ROUNDING, p);
        for (size_t k = 0; k < 2; ++k) {
            trial.plan.tile = k ? TILE_GROUP : TILE_VECTOR;
            print_kind(trial, k == p % 2);
        }
        trial.plan.tile = TILE_NONE;
        if (p == 4) {
            print_rungs(trial);
        }
    }
    free(data);
    return close_context(NULL);
}
