/*
 * mutant ALGORITHM: folds or scans by this algorithm, and compares as every other test
 * does. Linked once for each fault of mutate.py, whose kernels replace the library's.
 * Ends with 1 and a sentence at the first result that is wrong.
 */
#include "device.h"
#include "every_text.h"
#include "order_check.h"
#include "prefix_check.h"

#include <stdio.h>
#include <string.h>

/* An item too few, too many or of another kind shows in one of them. */
static const struct prefix_case subjects[] = {
    { .op = CLFOLD_ADD, .pair = { CLFOLD_I32, CLFOLD_I32 } },
    { .op = CLFOLD_MIN, .pair = { CLFOLD_F32, CLFOLD_F32 } },
    { .op = CLFOLD_MAX, .pair = { CLFOLD_I32, CLFOLD_I32 } },
    { .op = CLFOLD_MUL, .pair = { CLFOLD_U32, CLFOLD_U32 } },
};

/* Powers of two and others, below and above a sub-group of 32. */
static const uint32_t groups[] = { 16, 50, 64, 96, 256 };

/* Returns whether all results were right. */
static bool run(clfold_context *context, const struct device *device,
                const struct prefix_case *subject, const char *algorithm, uint32_t group)
{
    const size_t counts[] = { 1, group - 1, group, group + 1, 2 * group, 3 * group + 5 };

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); ++i) {
        struct prefix_case fold = *subject;
        char why[1024];

        fold.reduces = true;
        fold.algorithm = algorithm;
        fold.plan = (struct debug){ .group_size = group, .max_groups = 3 };
        fold.count = counts[i];
        fold.in_offset = i % 3;
        fold.zones = true;
        fold.seed = i + 1;
        if (!prefix_check(context, device, device->queue, &fold, NULL, why,
                          sizeof(why))) {
            printf("wrong: %s\n", why);
            return false;
        }
    }
    return true;
}

static bool run_all(clfold_context *context, const struct device *device,
                    const char *algorithm)
{
    bool right = true;

    for (size_t s = 0; right && s < sizeof(subjects) / sizeof(subjects[0]); ++s) {
        for (size_t g = s % 2; right && g < sizeof(groups) / sizeof(groups[0]); g += 2) {
            right = run(context, device, &subjects[s], algorithm, groups[g]);
        }
    }
    return right;
}

/* ---- Scans ------------------------------------------------------------------------- */

static const struct debug tiles[] = {
    { .tile = TILE_VECTOR, .tile_elements = 528, .max_groups = 3 },
    { .tile = TILE_GROUP, .tile_elements = 100, .group_size = 6, .max_groups = 3 },
    { .tile = TILE_VECTOR, .tile_elements = 64, .max_groups = 3 },
    { .tile = TILE_GROUP, .tile_elements = 256, .group_size = 64, .max_groups = 3 },
};

static struct value after(struct value a, struct value b)
{
    return (struct value){ { a.parts[0] * b.parts[0],
                             a.parts[1] * b.parts[0] + b.parts[1] } };
}

/* Affine maps, which do not commute; constant ones cut. */
static bool scan_affine(clfold_context *context, const struct device *device,
                        const char *algorithm, const struct debug *plan, bool exclusive)
{
    enum { MOST = 3000 };
    static struct value elements[MOST];
    struct monoid monoid = affine_monoid(CLFOLD_U32);
    struct order_case scan = { .monoid = &monoid,
                               .combine = after,
                               .scalars = elements,
                               .values = elements,
                               .plan = *plan,
                               .algorithm = algorithm,
                               .exclusive = exclusive,
                               .count = plan->tile_elements * 5 + 3,
                               .out_offset = 3 };
    char why[1024];
    bool right;

    monoid.cuts = "b.a == 0";
    for (cl_uint i = 0; i < MOST; ++i) {
        elements[i] = (struct value){ { i % 397 == 390 ? 0 : 2 * i + 3, i * i + 7 } };
    }
    right = order_check(context, device, &scan, NULL, why, sizeof(why));
    if (!right) {
        printf("wrong: %s\n", why);
    }
    return right;
}

static bool scan_plain(clfold_context *context, const struct device *device,
                       const char *algorithm, const struct debug *plan, bool exclusive)
{
    struct prefix_case scan = { .op = CLFOLD_ADD,
                                .pair = { CLFOLD_I32, CLFOLD_I32 },
                                .algorithm = algorithm,
                                .plan = *plan,
                                .exclusive = exclusive,
                                .count = plan->tile_elements * 3 + 1,
                                .in_offset = 1,
                                .zones = true,
                                .total = TOTAL_BEHIND };
    char why[1024];
    bool right =
        prefix_check(context, device, device->queue, &scan, NULL, why, sizeof(why));

    if (!right) {
        printf("wrong: %s\n", why);
    }
    return right;
}

static bool scan_all(clfold_context *context, const struct device *device,
                     const char *algorithm)
{
    /* Oclgrind has a race or a bad value to find in a work-group's tile only, and crashes
     * on the other's shuffles if it is to look for values. */
    bool few = strstr(device->name, "Oclgrind"), right = true;

    for (size_t t = few; right && t < (few ? 2 : sizeof(tiles) / sizeof(tiles[0])); ++t) {
        for (int exclusive = 0; right && exclusive < 2; ++exclusive) {
            right = scan_affine(context, device, algorithm, &tiles[t], exclusive) &&
                    scan_plain(context, device, algorithm, &tiles[t], exclusive);
        }
    }
    return right;
}

int main(int argc, char **argv)
{
    struct device device;
    clfold_context *context;
    bool right;

    if (argc != 2) {
        fprintf(stderr, "usage: mutant ALGORITHM\n");
        return 2;
    }
    device_init(&device);
    if (clfold_context_create(&context, device.context, device.id, NULL)) {
        fprintf(stderr, "mutant: %s\n", clfold_last_error());
        return 2;
    }
    right = strstr(argv[1], "scan") ? scan_all(context, &device, argv[1])
                                    : run_all(context, &device, argv[1]);
    clfold_context_destroy(&context);
    device_finish(&device);
    if (right) {
        printf("all right\n");
    }
    return right ? 0 : 1;
}
