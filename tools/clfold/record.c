#include "record.h"

#include "list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record record_begin(void)
{
    json_object *const object = json_object_new_object();

    return (struct record){ object, !object };
}

void record_add(struct record *record, const char *key, json_object *value)
{
    if (record->failed || !value ||
        json_object_object_add(record->object, key, value) != 0) {
        json_object_put(value);
        record->failed = true;
    }
}

void record_add_unknown(struct record *record, const char *key)
{
    /* null is NULL in this library */
    record->failed |=
        record->failed || json_object_object_add(record->object, key, NULL) != 0;
}

void record_add_text(struct record *record, const char *key, const char *text)
{
    if (text) {
        record_add(record, key, json_object_new_string(text));
    } else {
        record_add_unknown(record, key);
    }
}

void record_add_owned(struct record *record, const char *key, char *text)
{
    record_add_text(record, key, text);
    free(text);
}

void record_add_number(struct record *record, const char *key, uint64_t number)
{
    record_add(record, key, json_object_new_uint64(number));
}

void record_add_flag(struct record *record, const char *key, bool known, bool flag)
{
    if (known) {
        record_add(record, key, json_object_new_boolean(flag));
    } else {
        record_add_unknown(record, key);
    }
}

void record_add_seconds(struct record *record, double seconds)
{
    char text[32];

    snprintf(text, sizeof(text), "%.9f", seconds);
    record_add(record, "seconds", json_object_new_double_s(seconds, text));
}

json_object *record_take(struct record *record)
{
    json_object *const object = record->object;

    if (record->failed) {
        json_object_put(object);
    }
    return record->failed ? NULL : object;
}

static void print_bytes(uint64_t bytes)
{
    static const char *const units[] = { "bytes", "KiB", "MiB", "GiB" };
    int unit = 0;
    double value = (double)bytes;

    while (unit < 3 && value >= 1024) {
        value /= 1024;
        unit++;
    }
    /* 4 digits, for the next unit begins at 1024 */
    printf("%.4g %s\n", value, units[unit]);
}

static void print_key(const char *key)
{
    enum { WIDTH = 26 };
    int printed = 0;

    printf("     ");
    for (; key[printed]; printed++) {
        putchar(key[printed] == '_' ? ' ' : key[printed]);
    }
    printf("%*s", printed < WIDTH ? WIDTH - printed : 1, "");
}

bool record_print(struct record *record, struct message *message)
{
    static const char bytes[] = "global_memory max_allocation global_cache local_memory "
                                "scratch bytes_read bytes_written";

    json_object *const object = record_take(record);

    if (!object) {
        return message_set(message, "there is not enough memory");
    }
    json_object_object_foreach(object, key, value)
    {
        print_key(key);
        if (list_has_word(bytes, key) && value) {
            print_bytes(json_object_get_uint64(value));
        } else if (json_object_is_type(value, json_type_boolean)) {
            puts(json_object_get_boolean(value) ? "yes" : "no");
        } else {
            puts(value ? json_object_get_string(value) : "unknown");
        }
    }
    json_object_put(object);
    return true;
}

bool record_print_json(struct record *record, struct message *message)
{
    json_object *const object = record_take(record);

    return json_print(object, object, message);
}

bool json_print(json_object *object, bool complete, struct message *message)
{
    const int form = json_object_is_type(object, json_type_array)
                         ? JSON_C_TO_STRING_PRETTY
                         : JSON_C_TO_STRING_SPACED;
    const char *const text = complete ? json_object_to_json_string_ext(
                                            object, form | JSON_C_TO_STRING_NOSLASHESCAPE)
                                      : NULL;

    if (text) {
        puts(text);
    }
    json_object_put(object);
    return text || message_set(message, "there is not enough memory to print JSON");
}

enum { CELL = 64 };

/* "reduce_tiles_seconds" is, and so are all "terms". */
static bool is_seconds(const char *key)
{
    const char *const end = strstr(key, "seconds");

    return (end && !end[7]) || strcmp(key, "terms") == 0;
}

static const char *cell_of(char out[CELL], json_object *value, bool in_seconds)
{
    if (value && in_seconds) {
        snprintf(out, CELL, "%.4g ms", json_object_get_double(value) * 1e3);
    } else if (json_object_is_type(value, json_type_double)) {
        snprintf(out, CELL, "%.6g", json_object_get_double(value));
    } else {
        return value ? json_object_get_string(value) : "none or not known";
    }
    return out;
}

static bool is_inner(json_object *value)
{
    return json_object_is_type(value, json_type_object) ||
           json_object_is_type(value, json_type_array);
}

/* Of a column. */
static int width_of(json_object *rows, const char *key)
{
    size_t width = strlen(key);
    char text[CELL];

    for (size_t i = 0; i < json_object_array_length(rows); i++) {
        json_object *const value =
            json_object_object_get(json_object_array_get_idx(rows, i), key);
        const size_t length = strlen(cell_of(text, value, is_seconds(key)));
        width = length > width ? length : width;
    }
    return (int)width;
}

void json_print_table(json_object *rows, int indent)
{
    const size_t num = json_object_array_length(rows);
    char text[CELL];

    /* the first line has the keys */
    for (size_t i = 0; num > 0 && i <= num; i++) {
        int gap = indent;
        json_object_object_foreach(json_object_array_get_idx(rows, i ? i - 1 : 0), key,
                                   value)
        {
            if (!is_inner(value)) {
                const bool is_text = json_object_is_type(value, json_type_string);
                printf("%*s%*s", gap, "", (is_text ? -1 : 1) * width_of(rows, key),
                       i ? cell_of(text, value, is_seconds(key)) : key);
                gap = 2;
            }
        }
        putchar('\n');
    }
}

static void print_member(const char *key, json_object *value, int indent, bool in_seconds)
{
    enum { WIDTH = 28 };
    char text[CELL];

    if (!is_inner(value)) {
        printf("%*s%-*s %s\n", indent, "", WIDTH - indent, key,
               cell_of(text, value, in_seconds));
        return;
    }
    if (json_object_is_type(value, json_type_array) &&
        json_object_array_length(value) == 0) {
        return;
    }
    printf("%*s%s\n", indent, "", key);
    if (json_object_is_type(value, json_type_object)) {
        json_object_object_foreach(value, inner, member)
        {
            print_member(inner, member, indent + 2, is_seconds(key) || is_seconds(inner));
        }
    } else if (is_inner(json_object_array_get_idx(value, 0))) {
        json_print_table(value, indent + 2);
    } else {
        for (size_t i = 0; i < json_object_array_length(value); i++) {
            printf("%*s%s\n", indent + 2, "",
                   json_object_get_string(json_object_array_get_idx(value, i)));
        }
    }
}

void json_print_member(const char *key, json_object *value, int indent)
{
    print_member(key, value, indent, is_seconds(key));
}
