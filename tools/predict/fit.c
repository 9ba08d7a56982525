#include "fit.h"

static int64_t round_up(int64_t value, int64_t unit)
{
    return unit > 1 ? (value + unit - 1) / unit * unit : value;
}

static int64_t whole(const struct device *device, enum device_number number)
{
    return (int64_t)device_number(device, number);
}

static void bound(struct fit *fit, int64_t groups, const char *limit)
{
    if (!fit->limit || groups < fit->groups) {
        fit->groups = groups;
        fit->limit = limit;
    }
}

/*
 * Sub-groups take whole units of registers from the part of the unit that they run on, or
 * a group takes whole units for all of its sub-groups:
 *
 *   parts   | w0 w4 | w1 w5 | w2 .. | w3 .. |     four schedulers, 16384 registers each
 */
static int64_t by_registers(const struct device *device, int64_t sub_groups,
                            int64_t registers)
{
    const int64_t all = whole(device, DEVICE_REGISTERS);
    const int64_t unit = whole(device, DEVICE_REGISTER_UNIT);
    const int64_t rounded = round_up(sub_groups, whole(device, DEVICE_SUB_GROUP_UNIT));
    const int64_t given = whole(device, DEVICE_REGISTER_PARTS);
    const int64_t parts = given > 0 ? given : 1;
    const int64_t width = whole(device, DEVICE_WIDTH);
    const int64_t most = whole(device, DEVICE_MOST_REGISTERS);

    if (most > 0 && registers > most) {
        return 0;
    }
    if (whole(device, DEVICE_REGISTERS_BY_GROUP)) {
        return all / round_up(rounded * registers * width, unit);
    }
    const int64_t each = round_up(registers * width, unit);
    return each * rounded > all ? 0 : parts * (all / parts / each) / sub_groups;
}

struct fit fit_groups(const struct device *device, int64_t num_items, int64_t registers,
                      int64_t local_bytes)
{
    const int64_t width = whole(device, DEVICE_WIDTH);
    const int64_t sub_groups = (num_items + width - 1) / width;
    const int64_t local = round_up(local_bytes + whole(device, DEVICE_LOCAL_RESERVED),
                                   whole(device, DEVICE_LOCAL_UNIT));
    struct fit fit = { 0 };

    if (device->numbers[DEVICE_SUB_GROUPS].is_known) {
        bound(&fit, whole(device, DEVICE_SUB_GROUPS) / sub_groups, "sub-groups");
    }
    if (device->numbers[DEVICE_GROUPS].is_known) {
        bound(&fit, whole(device, DEVICE_GROUPS), "groups");
    }
    if (device->numbers[DEVICE_REGISTERS].is_known && registers > 0) {
        bound(&fit, by_registers(device, sub_groups, registers), "registers");
    }
    if (device->numbers[DEVICE_LOCAL].is_known && local > 0) {
        bound(&fit, whole(device, DEVICE_LOCAL) / local, "local memory");
    }
    if (!fit.limit) {
        bound(&fit, 1, "nothing that is known");
    }
    fit.sub_groups = fit.groups * sub_groups;
    return fit;
}
