/*
 * mutant ALGORITHM: folds or scans by this algorithm, and compares as every other test
 * does. Linked once for each fault of mutate.py, whose kernels replace the library's.
 * Ends with 1 and a sentence at the first result that is wrong.
 */
#include "test.h"
#include "trial.h"

/* Ends the program at a wrong result. */
static void run(struct trial trial, const char *algorithm, size_t seed)
{
    char why[1024] = "was refused";

    trial.algorithm = algorithm;
    trial.zones = true;
    trial.seed = seed;
    if (trial_run(&trial, NULL, why, sizeof(why)) != TRIAL_RIGHT) {
        printf("wrong: %s\n", why);
        exit(1);
    }
}

/* An item too few, too many or of another kind shows in one of them. */
static const struct trial folds[] = {
    { .op = CLFOLD_ADD, .pair = { CLFOLD_I32, CLFOLD_I32 } },
    { .op = CLFOLD_MIN, .pair = { CLFOLD_F32, CLFOLD_F32 } },
    { .op = CLFOLD_MAX, .pair = { CLFOLD_I32, CLFOLD_I32 } },
    { .op = CLFOLD_MUL, .pair = { CLFOLD_U32, CLFOLD_U32 } },
};

/* Powers of two and others, below and above a sub-group of 32. */
static const uint32_t groups[] = { 16, 50, 64, 96, 256 };

static void reduce_all(const char *algorithm)
{
    for (size_t i = 0; i < 4 * 5 * 6; ++i) {
        const size_t f = i / 30, g = i / 6 % 5, group = groups[g];
        const size_t counts[] = {
            1, group - 1, group, group + 1, 2 * group, 3 * group + 5
        };
        struct trial fold = folds[f];
        fold.operation = CLFOLD_REDUCE;
        fold.plan = (struct debug){ .group_size = groups[g], .max_groups = 3 };
        fold.count = counts[i % 6];
        fold.in_offset = i % 3;
        if (f % 2 == g % 2) {
            run(fold, algorithm, i % 6 + 1);
        }
    }
}

static const struct debug tiles[] = {
    { .tile = TILE_VECTOR, .tile_elements = 528, .max_groups = 3 },
    { .tile = TILE_GROUP, .tile_elements = 100, .group_size = 6, .max_groups = 3 },
    { .tile = TILE_VECTOR, .tile_elements = 64, .max_groups = 3 },
    { .tile = TILE_GROUP, .tile_elements = 256, .group_size = 64, .max_groups = 3 },
};

/* Affine maps, which do not commute, and of which constant ones cut; and plain sums. */
static void scan_all(const char *algorithm)
{
    /* Oclgrind has a race or a bad value to find in a work-group's tile only, and crashes
     * on the other's shuffles if it is to look for values. */
    const bool few = strstr(device.name, "Oclgrind");

    for (size_t i = few ? 2 : 0; i < (few ? 4 : 8); ++i) {
        const struct debug *plan = &tiles[i / 2];
        run((struct trial){ .subject = &affine_with_cuts,
                            .operation = scan_of(i % 2),
                            .plan = *plan,
                            .count = plan->tile_elements * 5 + 3,
                            .out_offset = 3 },
            algorithm, i);
        run((struct trial){ .op = CLFOLD_ADD,
                            .pair = { CLFOLD_I32, CLFOLD_I32 },
                            .operation = scan_of(i % 2),
                            .plan = *plan,
                            .count = plan->tile_elements * 3 + 1,
                            .in_offset = 1,
                            .total = TOTAL_BEHIND },
            algorithm, i);
    }
}

/* By flags of four bytes, by keys, and by offsets, of which some are wrong; and by flags
 * with NaN. */
static void scan_segments(const char *algorithm)
{
    static const clfold_type types[] = { CLFOLD_I32, CLFOLD_U16, CLFOLD_U32 };
    const bool few = strstr(device.name, "Oclgrind");

    (void)algorithm;
    for (size_t i = 0; i < 30; ++i) {
        const struct debug *plan = &tiles[few ? 1 + 2 * (i / 6 % 2) : i / 6 % 4];
        const uint32_t by = CLFOLD_BY_FLAGS + (uint32_t)(i < 24 ? i % 3 : 0);
        run((struct trial){ .op = folds[i / 24].op,
                            .pair = folds[i / 24].pair,
                            .nan = i >= 24,
                            .operation = scan_of(i % 2),
                            .plan = *plan,
                            .count = plan->tile_elements * 3 + 1,
                            .by = by,
                            .head_type = types[by - CLFOLD_BY_FLAGS],
                            .bad = by == CLFOLD_BY_OFFSETS,
                            .tells = by == CLFOLD_BY_OFFSETS,
                            .init = i % 6 < 3 ? INIT_NONE : INIT_HOST,
                            .total = TOTAL_APART },
            few ? "scan_single_group" : "reduce_then_scan", i);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: mutant ALGORITHM\n");
        return 2;
    }
    if (open_context(NULL)) {
        fprintf(stderr, "mutant: %s\n", clfold_last_error());
        return 2;
    }
    (strstr(argv[1], "heads")  ? scan_segments
     : strstr(argv[1], "scan") ? scan_all
                               : reduce_all)(argv[1]);
    close_context(NULL);
    printf("all right\n");
    return 0;
}
