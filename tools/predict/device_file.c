#include "device_file.h"

#include <stdlib.h>
#include <string.h>

const char *const device_number_names[DEVICE_NUMBERS] = {
    "width",
    "banks",
    "units",
    "clock",
    "issue",
    "replays",
    "bandwidth",
    "latency",
    "l2",
    "l2_bandwidth",
    "l2_latency",
    "local_latency",
    "alu_latency",
    "barrier",
    "call",
    "launch",
    "sub_groups",
    "groups",
    "registers",
    "register_parts",
    "register_unit",
    "registers_by_group",
    "sub_group_unit",
    "most_registers",
    "local",
    "local_unit",
    "local_reserved",
    "departure_coalesced",
    "departure_uncoalesced",
    "issue_cycles",
};

double device_number(const struct device *device, enum device_number number)
{
    return device->numbers[number].value;
}

/* The word at *at, of `length` bytes; moves past it and the spaces after it. */
static const char *next_word(const char **at, const char *end, int *length)
{
    const char *const word = *at;

    while (*at < end && **at != ' ') {
        ++*at;
    }
    *length = (int)(*at - word);
    while (*at < end && **at == ' ') {
        ++*at;
    }
    return word;
}

static bool is_word(const char *word, int length, const char *other)
{
    return (size_t)length == strlen(other) && memcmp(word, other, (size_t)length) == 0;
}

static bool read_value(struct device_value *value, const char *at, const char *end,
                       int line, struct nest_error *error)
{
    static const char *const sources[] = { "measured", "queried", "nominal" };
    char number[32], *stop;
    int length;
    const char *word = next_word(&at, end, &length);

    snprintf(number, sizeof(number), "%.*s", length < 31 ? length : 31, word);
    value->value = strtod(number, &stop);
    if (length == 0 || *stop || !(value->value >= 0 && value->value <= 1e15)) {
        return nest_refuse(error, line, 1, "%s is not a number from 0 to 1e15", number);
    }
    word = next_word(&at, end, &length);
    for (int i = 0; i < 3; i++) {
        if (is_word(word, length, sources[i])) {
            const int rest = end - at < 100 ? (int)(end - at) : 100;
            snprintf(value->source, sizeof(value->source), "%s%s%.*s", sources[i],
                     rest ? ": " : "", rest, at);
            value->is_known = true;
            return true;
        }
    }
    return nest_refuse(error, line, 1,
                       "after the number stands measured, queried or nominal");
}

static bool read_line(struct device *device, const char *at, const char *end, int line,
                      struct nest_error *error)
{
    int length;
    const char *const word = next_word(&at, end, &length);

    if (length == 0 || *word == '#') {
        return true;
    }
    if (is_word(word, length, "name")) {
        snprintf(device->name, sizeof(device->name), "%.*s",
                 end - at < 100 ? (int)(end - at) : 100, at);
        return true;
    }
    for (int i = 0; i < DEVICE_NUMBERS; i++) {
        if (is_word(word, length, device_number_names[i])) {
            return (!device->numbers[i].is_known ||
                    nest_refuse(error, line, 1, "%s is given twice",
                                device_number_names[i])) &&
                   read_value(&device->numbers[i], at, end, line, error);
        }
    }
    return nest_refuse(error, line, 1, "devices have no %.*s", length < 40 ? length : 40,
                       word);
}

static bool check(const struct device *device, int line, struct nest_error *error)
{
    /* Whole numbers, some with a least and a most. */
    static const struct {
        enum device_number number;
        double least, most;
    } needs[] = {
        { DEVICE_WIDTH, 1, 64 },         { DEVICE_BANKS, 1, 64 },
        { DEVICE_UNITS, 1, 1e6 },        { DEVICE_CLOCK, 1e-3, 1e3 },
        { DEVICE_BANDWIDTH, 1e-3, 1e6 },
    };

    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        const struct device_value *const value = &device->numbers[needs[i].number];
        if (!value->is_known || value->value < needs[i].least ||
            value->value > needs[i].most) {
            return nest_refuse(error, line, 1, "a device needs a %s from %g to %g",
                               device_number_names[needs[i].number], needs[i].least,
                               needs[i].most);
        }
    }
    return true;
}

bool device_read(struct device *device, const char *text, size_t size,
                 struct nest_error *error)
{
    const char *const end = text + size;
    int line = 1;

    *device = (struct device){ 0 };
    for (const char *at = text; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        while (at < stop && *at == ' ') {
            at++;
        }
        if (!read_line(device, at, stop, line, error)) {
            return false;
        }
        at = stop < end ? stop + 1 : end;
    }
    return check(device, line, error);
}
