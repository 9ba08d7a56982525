/*
 * mutant ALGORITHM [few]: folds by this algorithm, or by all rungs, and compares as every
 * other test does. Built once for each fault of mutate.py, with its kernels in the place
 * of the library's. Ends with 1 and a sentence at the first result that is wrong.
 *
 * few: what Oclgrind can simulate in a second or two.
 */
#include "device.h"
#include "fold_check.h"

#include <stdio.h>
#include <string.h>

/* An item too few, too many or of another kind shows in one of them. */
static const struct fold_case subjects[] = {
    { .op = CLFOLD_ADD, .pair = { CLFOLD_I32, CLFOLD_I32 } },
    { .op = CLFOLD_MIN, .pair = { CLFOLD_F32, CLFOLD_F32 } },
    { .op = CLFOLD_MAX, .pair = { CLFOLD_I32, CLFOLD_I32 } },
    { .op = CLFOLD_MUL, .pair = { CLFOLD_U32, CLFOLD_U32 } },
};

/* Powers of two and others, below and above a sub-group of 32. */
static const uint32_t groups[] = { 16, 50, 64, 96, 256 };

/* Returns whether all results were right. */
static bool run(clfold_context *context, const struct device *device,
                const struct fold_case *subject, const char *algorithm, uint32_t group,
                bool few)
{
    const size_t counts[] = { 1,         group - 1,     group,         group + 1,
                              2 * group, 3 * group + 5, 7 * group - 3, 20 * group + 7 };

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]) - 2 * few; ++i) {
        struct fold_case fold = *subject;
        char why[1024];

        fold.algorithm = algorithm;
        fold.plan = (struct plan_override){ .group_size = group, .max_groups = 3 };
        fold.count = counts[i];
        fold.offset = i % 3;
        fold.zone = true;
        fold.seed = i + 1;
        if (!fold_check(context, device, device->queue, &fold, why, sizeof(why))) {
            printf("wrong: %s\n", why);
            return false;
        }
    }
    return true;
}

static bool run_all(clfold_context *context, const struct device *device,
                    const char *algorithm, bool few)
{
    bool right = true;

    for (size_t s = 0; right && s < sizeof(subjects) / sizeof(subjects[0]); ++s) {
        for (size_t g = s % 2; right && g < sizeof(groups) / sizeof(groups[0]);
             g += few ? 2 : 1) {
            right = run(context, device, &subjects[s], algorithm, groups[g], few);
        }
    }
    return right;
}

int main(int argc, char **argv)
{
    struct device device;
    clfold_context *context;
    bool few = argc > 2 && strcmp(argv[2], "few") == 0, right = true;

    if (argc < 2 || argc > 3 || (argc == 3 && !few)) {
        fprintf(stderr, "usage: mutant ALGORITHM [few]\n");
        return 2;
    }
    device_init(&device);
    if (clfold_context_create(&context, device.context, device.id, NULL)) {
        fprintf(stderr, "mutant: %s\n", clfold_last_error());
        return 2;
    }
    if (strcmp(argv[1], "all") != 0) {
        right = run_all(context, &device, argv[1], few);
    }
    for (int rung = 0; right && strcmp(argv[1], "all") == 0 && rung < 7; ++rung) {
        char name[16];
        snprintf(name, sizeof(name), "reduce%d", rung);
        right = run_all(context, &device, name, few);
    }
    clfold_stats stats;
    if (clfold_context_stats(context, &stats) || stats.failed_builds > 0) {
        /* A fault that is no kernel proves nothing. */
        fprintf(stderr, "mutant: a program does not build\n");
        return 2;
    }
    clfold_context_destroy(&context);
    device_finish(&device);
    if (right) {
        printf("all right\n");
    }
    return right ? 0 : 1;
}
