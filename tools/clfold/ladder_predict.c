/* What the model of GPUs says of the ladder's kernels. */
#include "ladder.h"
#include "predict_nest.h"
#include "types.h"

/* Of one of two groups that are full, or of the one that has two elements for each of its
 * work-items. Besides its tree, each sub-group stores once, and one loads once. */
static bool count_tree(struct ladder_tree *tree, const char *rung, size_t group_size,
                       const struct nest_lanes *lanes, struct message *message)
{
    const struct nest_setting settings[] = { { "n", 2 * (int64_t)group_size },
                                             { "B", (int64_t)group_size } };
    struct predict_nest nest;
    const bool done = predict_nest(&nest, rung, lanes, settings, 2, message);

    if (done) {
        const struct nest_launch *const launch = &nest.counts.launches[0];
        const uint64_t *const all = launch->all, num = launch->num_groups;
        const uint64_t sub_groups = all[COUNT_SUB_GROUPS] / num;
        tree->barriers = all[COUNT_BARRIERS] / all[COUNT_SUB_GROUPS];
        tree->steps = tree->barriers - 1;
        tree->busy = nest_accesses(nest.nest, launch, true, true, ACCESS_REQUESTS) / num -
                     sub_groups;
        tree->mixed = all[COUNT_DIVERGENT] / num - (group_size > 1);
        tree->replays = nest_all_accesses(nest.nest, launch, true, ACCESS_EXTRA) / num;
        tree->cycles = nest_all_accesses(nest.nest, launch, true, ACCESS_PASSES) / num -
                       sub_groups - 1;
    }
    predict_nest_finish(&nest);
    return done;
}

/* `alike`: with the groups of the device at hand, else with those of the nests. */
static bool predict_cell(struct ladder *ladder, size_t row, size_t rung,
                         const struct device *device, bool alike, struct message *message)
{
    const clfold_report *const report = &ladder->reports[rung];
    const struct nest_lanes lanes = predict_lanes(device);
    const bool is_auto = !ladder_rungs[rung].algorithm;
    const bool is_cpu = device_is_cpu(device);
    const struct nest_setting settings[] = {
        { "n", (int64_t)ladder->counts[row] },
        { "T", (int64_t)type_size(ladder->type) },
        { is_auto ? "K" : "B", (int64_t)(is_auto ? report->items : report->group_size) },
        { "G", (int64_t)report->num_groups },
    };
    /* reduce6 alone has a number of groups, and auto's nest is as simple on CPUs only */
    const int num = !alike || (is_auto && !is_cpu) ? 2 : rung == NUM_RUNGS - 2 ? 4 : 3;
    struct ladder_cell *const cell = &ladder->cells[row][rung];
    struct predict_nest nest;
    struct nest_time time = { 0 };
    const bool done =
        predict_nest(&nest, is_auto ? predict_tiles(device) : report->algorithm, &lanes,
                     settings, num, message) &&
        predict_time(&nest, device, &time, message);

    cell->predicted = time.seconds;
    for (int i = 0; done && i < nest.counts.num; i++) {
        cell->sectors +=
            nest_all_accesses(nest.nest, &nest.counts.launches[i], false, ACCESS_SECTORS);
    }
    predict_nest_finish(&nest);
    return done;
}

bool ladder_predict(struct ladder *ladder, const char *device_name, bool is_cpu,
                    struct message *message)
{
    struct nest_lanes lanes = { .width = 32, .banks = 32 };
    struct device device;
    bool alike = false;

    if (device_name) {
        if (!predict_device(&device, device_name, message)) {
            return false;
        }
        lanes = predict_lanes(&device);
        alike = is_cpu == device_is_cpu(&device);
        snprintf(ladder->predicted, sizeof(ladder->predicted), "%s", device.name);
    }
    for (size_t i = 0; i < NUM_RUNGS; i++) {
        if (ladder_rungs[i].algorithm &&
            !count_tree(&ladder->trees[i], ladder_rungs[i].algorithm,
                        ladder->reports[i].group_size, &lanes, message)) {
            return false;
        }
        for (size_t row = 0; device_name && row < ladder->num_counts; row++) {
            if (!predict_cell(ladder, row, i, &device, alike, message)) {
                return false;
            }
        }
    }
    return true;
}
