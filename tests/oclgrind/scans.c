/*
 * scans [segments | results] [TILE]
 * scans probe
 *
 * What drive.py runs under Oclgrind of the scans: every kernel of each strategy, over
 * tiles, kinds, operators, counts, offsets, inits and totals. TILE, such as tile_group:
 * this kind only; segments, results: rows and columns, or texts about elements; probe:
 * the probe of look-back's memory; none of them: a user's operator as well. The buffers
 * end where the elements do, so that Oclgrind sees an access beyond them.
 */
#define CLFOLD_EXPERIMENTAL
#include "every_text.h"
#include "order_check.h"
#include "prefix_check.h"

#include "ops/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What each of them is there for:
 *
 *   tile_vector of 16     one vector, or the lead of less than one
 *   tile_vector of 36     vectors and what is left of one
 *   tile_vector of 128    folded ahead
 *   groups of 6           no power of two, six elements each
 *   groups of 40          more than 32 items in local memory, where padding begins
 *   groups of 1           one work-item for all
 *   blocks of 4, of 3     tiles, of whose blocks each work-item takes its own
 */
static const struct debug tiles[] = {
    { .tile = TILE_VECTOR, .tile_elements = 16, .max_groups = 2, .anchor = 4 },
    { .tile = TILE_VECTOR, .tile_elements = 36, .max_groups = 3 },
    { .tile = TILE_VECTOR, .tile_elements = 128, .max_groups = 2 },
    { .tile = TILE_GROUP,
      .tile_elements = 36,
      .group_size = 6,
      .max_groups = 2,
      .anchor = 3 },
    { .tile = TILE_GROUP, .tile_elements = 80, .group_size = 40, .max_groups = 2 },
    { .tile = TILE_GROUP, .tile_elements = 32, .group_size = 1, .max_groups = 3 },
};

static const struct {
    clfold_op op;
    struct pair pair;
} folds[] = {
    { CLFOLD_ADD, { CLFOLD_F32, CLFOLD_F32 } },
    { CLFOLD_ADD, { CLFOLD_U8, CLFOLD_U64 } },
    { CLFOLD_ARG_MIN, { CLFOLD_F32, CLFOLD_F32 } },
    { CLFOLD_MIN_MAX, { CLFOLD_I16, CLFOLD_I16 } },
};
#define NUM_FOLDS (sizeof(folds) / sizeof(folds[0]))

static struct device device;
static clfold_context *ctx;
static unsigned num, wrong;

/* By one tier or the other, each of which Oclgrind has; with no spins, or so few that it
 * can simulate them. Serial in one launch: where buffers were released before, Oclgrind
 * takes what a launch hands to the next for uninitialized. */
static struct debug held_up(const struct debug *plan, size_t algorithm, size_t turn)
{
    struct debug with = *plan;

    if (strcmp(order_algorithms[algorithm], "serial") == 0) {
        with.tile_elements = 0;
    }

    with.tier = turn % 2 ? MEMORY_LEGACY_32 : MEMORY_LEGACY_64;
    with.spins = 1 + (turn % 3 == 2 ? 3 : 0);
    return with;
}

static void scan_fold(const struct debug *plan, size_t fold, size_t algorithm,
                      bool exclusive)
{
    const size_t tile = plan->tile_elements, counts[] = { 1, tile, 5 * tile + 1 };

    for (size_t c = 0; c < 3; ++c) {
        struct prefix_case scan = { .op = folds[fold].op,
                                    .pair = folds[fold].pair,
                                    .algorithm = order_algorithms[algorithm],
                                    .plan =
                                        held_up(plan, algorithm, c + fold + algorithm),
                                    .exclusive = exclusive,
                                    .count = counts[c],
                                    .in_offset = c,
                                    .out_offset = c * 3 % 5,
                                    .in_place = fold == 0 && c == 2,
                                    .init = (enum init_from)((c + fold) % 2 + 1),
                                    .total = (enum total_to)((c + algorithm) % 3),
                                    .tight = true,
                                    .seed = c + 1 };
        char why[1024];
        scan.init = exclusive || c != 1 ? scan.init : INIT_NONE;
        ++num;
        if (!prefix_check(ctx, &device, device.queue, &scan, NULL, why, sizeof(why))) {
            ++wrong;
            fprintf(stderr, "calls: %s\n", why);
        }
    }
}

static struct value join(struct value a, struct value b)
{
    return (struct value){ { a.parts[0] * b.parts[0],
                             a.parts[1] * b.parts[0] + b.parts[1] } };
}

/* Affine maps, which a constant one cuts. */
static void scan_affine(const struct debug *plan, size_t algorithm, bool exclusive)
{
    enum { MOST = 200 };
    char why[1024];
    struct monoid monoid = affine_monoid(CLFOLD_U32);
    struct value elements[MOST];
    struct order_case scan = { .monoid = &monoid,
                               .combine = join,
                               .scalars = elements,
                               .values = elements,
                               .plan = held_up(plan, algorithm, algorithm + exclusive),
                               .algorithm = order_algorithms[algorithm],
                               .exclusive = exclusive,
                               .count = MOST,
                               .in_offset = 1,
                               .out_offset = 3,
                               .tight = true };

    monoid.cuts = "b.a == 0";
    for (cl_uint i = 0; i < MOST; ++i) {
        elements[i] = (struct value){ { i % 23 == 5 ? 0 : 2 * i + 3, i + 7 } };
    }
    ++num;
    if (!order_check(ctx, &device, &scan, NULL, why, sizeof(why))) {
        ++wrong;
        fprintf(stderr, "calls: %s\n", why);
    }
}

/* An operator of the caller's, whose two widths are compared first. */
static void scan_user(void)
{
    enum { COUNT = 100 };
    const clfold_fold fold = { .components = "uint a; uint b",
                               .combine = "{ a.a * b.a, a.b * b.a + b.b }",
                               .identity = "{ 1, 0 }" };
    cl_uint maps[COUNT][2], found[COUNT][2] = { 0 }, a = 1, b = 0;
    bool is_right = true;
    cl_int status;
    cl_mem mem;

    for (cl_uint i = 0; i < COUNT; ++i) {
        maps[i][0] = 2 * i + 3;
        maps[i][1] = i + 7;
    }
    clfold_context_override(ctx, NULL);
    mem = clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                         sizeof(maps), maps, &status);
    status = clfold_inclusive_scan(ctx, device.queue, &fold, mem, 0, mem, 0, COUNT, 0,
                                   NULL, NULL);
    is_right = status == CLFOLD_OK &&
               clEnqueueReadBuffer(device.queue, mem, CL_TRUE, 0, sizeof(found), found, 0,
                                   NULL, NULL) == CL_SUCCESS;
    for (cl_uint i = 0; i < COUNT; ++i) {
        a *= maps[i][0];
        b = b * maps[i][0] + maps[i][1];
        is_right &= found[i][0] == a && found[i][1] == b;
    }
    clReleaseMemObject(mem);
    ++num;
    if (!is_right) {
        ++wrong;
        fprintf(stderr, "calls: a user's fold: %s\n", clfold_last_error());
    }
}

/* Affine maps in rows or columns, in each operation. */
static void fold_segments(size_t count, size_t width, size_t length,
                          const char *algorithm)
{
    enum { MOST = 720 };
    static cl_uint maps[MOST][2], found[MOST][2];
    const clfold_segments segments = {
        .by = width == 1 ? CLFOLD_BY_LENGTH : CLFOLD_BY_STRIDE,
        .num = width == 1 ? length : width,
        .length = width == 1 ? 0 : length,
    };

    for (cl_uint i = 0; i < MOST; ++i) {
        maps[i][0] = 2 * i + 3;
        maps[i][1] = i + 7;
    }
    for (clfold_operation o = CLFOLD_REDUCE; o <= CLFOLD_EXCLUSIVE_SCAN; ++o) {
        char name[32];
        clfold_fold fold = { .components = "uint a; uint b",
                             .combine = "{ a.a * b.a, a.b * b.a + b.b }",
                             .identity = "{ 1, 0 }",
                             .segments = &segments,
                             .algorithm = name };
        cl_int status;
        cl_mem in = clCreateBuffer(device.context, CL_MEM_COPY_HOST_PTR, sizeof(maps),
                                   maps, &status);
        cl_mem out = clCreateBuffer(device.context, 0, sizeof(found), NULL, &status);
        snprintf(name, sizeof(name), "%s_%s", o == CLFOLD_REDUCE ? "reduce" : "scan",
                 algorithm);
        status = (o == CLFOLD_REDUCE           ? clfold_reduce
                  : o == CLFOLD_INCLUSIVE_SCAN ? clfold_inclusive_scan
                                               : clfold_exclusive_scan)(
            ctx, device.queue, &fold, in, 0, out, 0, count, 0, NULL, NULL);
        bool is_right = status == CLFOLD_OK &&
                        clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, sizeof(found),
                                            found, 0, NULL, NULL) == CL_SUCCESS;
        for (size_t s = 0; s < count / length; ++s) {
            const size_t first = s / width * width * length + s % width;
            cl_uint a = 1, b = 0;
            for (size_t k = 0, i = first; k < length; ++k, i += width) {
                bool is_exclusive = o == CLFOLD_EXCLUSIVE_SCAN;
                is_right &= !is_exclusive || (found[i][0] == a && found[i][1] == b);
                a *= maps[i][0];
                b = b * maps[i][0] + maps[i][1];
                is_right &=
                    o != CLFOLD_INCLUSIVE_SCAN || (found[i][0] == a && found[i][1] == b);
            }
            is_right &= o != CLFOLD_REDUCE || (found[s][0] == a && found[s][1] == b);
        }
        clReleaseMemObject(in);
        clReleaseMemObject(out);
        ++num;
        if (!is_right) {
            ++wrong;
            fprintf(stderr, "calls: %s of %zu by %zu: %s\n", name, length, width,
                    status ? clfold_last_error() : "wrong");
        }
    }
}

static void fold_all_segments(void)
{
    fold_segments(300, 1, 3, "lanes");
    fold_segments(700, 2, 350, "lanes");
    fold_segments(680, 34, 20, "lanes");
    fold_segments(720, 1, 720, "lanes");
    fold_segments(300, 1, 100, "rows");
    fold_segments(300, 1, 30, "rows");
    fold_segments(720, 1, 720, "rows");
}

/* Texts about elements: a map, and scans that also write of the item before, of all
 * elements or of rows and columns. */
static void write_results(size_t count, size_t width, size_t length,
                          const char *algorithm)
{
    enum { MOST = 720, IN = 1, OUT = 3 };
    static cl_uint values[MOST + IN], found[MOST];
    const clfold_segments segments = {
        .by = width == 1 ? CLFOLD_BY_LENGTH : CLFOLD_BY_STRIDE,
        .num = width == 1 ? length : width,
        .length = width == 1 ? 0 : length,
    };
    const clfold_fold fold = { .op = algorithm ? CLFOLD_ADD : 0,
                               .type = CLFOLD_U32,
                               .load = "x + 1",
                               .result = "2 * item + prev + x + to_u32(i)",
                               .segments = length < count ? &segments : NULL,
                               .algorithm = algorithm };
    cl_int status;
    cl_mem in, out;
    bool is_right;

    for (cl_uint i = 0; i < MOST + IN; ++i) {
        values[i] = i * i + 7;
    }
    in = clCreateBuffer(device.context, CL_MEM_COPY_HOST_PTR, (count + IN) * 4, values,
                        &status);
    out = clCreateBuffer(device.context, 0, (count + OUT) * 4, NULL, &status);
    status = (algorithm ? clfold_inclusive_scan : clfold_map)(
        ctx, device.queue, &fold, in, IN, out, OUT, count, 0, NULL, NULL);
    is_right = status == CLFOLD_OK &&
               clEnqueueReadBuffer(device.queue, out, CL_TRUE, OUT * 4, count * 4, found,
                                   0, NULL, NULL) == CL_SUCCESS;
    for (size_t s = 0; s < count / length; ++s) {
        size_t i = s / width * width * length + s % width;
        cl_uint item = 0;
        for (size_t k = 0; k < length; ++k, i += width) {
            const cl_uint x = values[IN + i], prev = algorithm ? item : x + 1;
            item = algorithm ? item + x + 1 : x + 1;
            is_right &= found[i] == 2 * item + prev + x + (cl_uint)i;
        }
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    ++num;
    if (!is_right) {
        ++wrong;
        fprintf(stderr, "calls: results of %zu, %zu by %zu, by %s: %s\n", count, length,
                width, algorithm ? algorithm : "map_tiles",
                status ? clfold_last_error() : "wrong");
    }
}

static void write_all_results(void)
{
    static const char *const algorithms[] = { NULL, "scan_single_group",
                                              "reduce_then_scan", "scan_lookback" };

    for (size_t a = 0; a < sizeof(algorithms) / sizeof(algorithms[0]); ++a) {
        write_results(1, 1, 1, algorithms[a]);
        write_results(37, 1, 37, algorithms[a]);
        write_results(200, 1, 200, algorithms[a]);
    }
    write_results(300, 1, 3, "scan_lanes");
    write_results(700, 2, 350, "scan_lanes");
    write_results(680, 34, 20, "scan_lanes");
    write_results(300, 1, 30, "scan_rows");
    write_results(720, 1, 360, "scan_rows");
}

/* Of look-back's memory. */
static int probe(void)
{
    char words[512] = "";
    bool is_right = clfold_lookback_text(ctx, CL_TRUE, words, sizeof(words)) == 0 &&
                    strncmp(words, "tier legacy_64, ", strlen("tier legacy_64, ")) == 0;

    printf("calls: %s\n", words);
    clfold_context_destroy(&ctx);
    device_finish(&device);
    return !is_right;
}

int main(int argc, char **argv)
{
    device_init(&device);
    if (!strstr(device.name, "Oclgrind")) {
        fprintf(stderr, "calls: the device is \"%s\"; run this under Oclgrind\n",
                device.name);
        return 1;
    }
    if (clfold_context_create(&ctx, device.context, device.id, NULL)) {
        fprintf(stderr, "calls: %s\n", clfold_last_error());
        return 1;
    }
    if (argc > 1 && strcmp(argv[1], "probe") == 0) {
        return probe();
    }
    const bool in_segments = argc > 1 && strcmp(argv[1], "segments") == 0;
    const bool are_results = argc > 1 && strcmp(argv[1], "results") == 0;
    const int first = 1 + (in_segments || are_results);
    const char *tile = argc > first ? argv[first] : NULL;

    for (size_t t = 0; t < sizeof(tiles) / sizeof(tiles[0]); ++t) {
        if (tile && strcmp(tile, clfold_tile_name(tiles[t].tile)) != 0) {
            continue;
        }
        if (in_segments) {
            clfold_context_override(ctx, &tiles[t]);
            fold_all_segments();
            continue;
        }
        if (are_results) {
            clfold_context_override(ctx, &tiles[t]);
            write_all_results();
            continue;
        }
        for (size_t a = 0; a < ORDER_ALGORITHMS; ++a) {
            for (size_t f = 0; f < NUM_FOLDS; ++f) {
                scan_fold(&tiles[t], f, a, (t + a + f + f / 2) % 2);
            }
            scan_affine(&tiles[t], a, t % 2);
        }
    }
    if (argc == 1) {
        scan_user();
    }
    clfold_context_destroy(&ctx);
    printf("calls: %u scans, %u wrong\n", num, wrong);
    device_finish(&device);
    return num == 0 || wrong > 0;
}
