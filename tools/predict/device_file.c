#include "device_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE_NAME(NUMBER, name) #name
const char *const device_number_names[DEVICE_NUMBERS] = { DEVICE_LIST(DEVICE_NAME) };

bool device_knows(const struct device *device, enum device_number number)
{
    return device->numbers[number].is_known;
}

bool device_is_cpu(const struct device *device)
{
    return device_knows(device, DEVICE_REGION);
}

double device_number(const struct device *device, enum device_number number)
{
    return device->numbers[number].value;
}

/* "1555 nominal   the data sheet" */
static bool read_value(struct device_value *value, const char *text, int line,
                       struct nest_error *error)
{
    char number[32] = "", source[32] = "", *stop;
    int rest = 0;

    sscanf(text, "%31s %n%31s %n", number, &rest, source, &rest);
    value->value = strtod(number, &stop);
    if (stop == number || *stop || !(value->value >= 0 && value->value <= 1e15)) {
        return nest_refuse(error, line, 1, "%s is not a number from 0 to 1e15", number);
    }
    if (strcmp(source, "measured") != 0 && strcmp(source, "queried") != 0 &&
        strcmp(source, "nominal") != 0) {
        return nest_refuse(error, line, 1,
                           "after the number stands measured, queried or nominal");
    }
    snprintf(value->source, sizeof(value->source), "%s%s%.90s", source,
             text[rest] ? ": " : "", text + rest);
    value->is_known = true;
    return true;
}

static bool read_line(struct device *device, const char *text, int line,
                      struct nest_error *error)
{
    char word[32] = "#";
    int i = 0, rest = 0;

    sscanf(text, "%31s %n", word, &rest);
    while (i < DEVICE_NUMBERS && strcmp(word, device_number_names[i]) != 0) {
        i++;
    }
    if (i < DEVICE_NUMBERS) {
        return device->numbers[i].is_known
                   ? nest_refuse(error, line, 1, "%s is given twice", word)
                   : read_value(&device->numbers[i], text + rest, line, error);
    }
    if (strcmp(word, "name") == 0) {
        snprintf(device->name, sizeof(device->name), "%.*s", DEVICE_TEXT - 1,
                 text + rest);
    }
    return *word == '#' || strcmp(word, "name") == 0 ||
           nest_refuse(error, line, 1, "devices have no %s", word);
}

static bool check(const struct device *device, int line, struct nest_error *error)
{
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
    for (; text < end; line++) {
        const char *const found = memchr(text, '\n', (size_t)(end - text));
        const char *const stop = found ? found : end;
        char copy[256];
        snprintf(copy, sizeof(copy), "%.*s", stop - text < 255 ? (int)(stop - text) : 255,
                 text);
        if (!read_line(device, copy, line, error)) {
            return false;
        }
        text = found ? found + 1 : end;
    }
    return check(device, line, error);
}
