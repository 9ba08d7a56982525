#include "record.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct field *add(struct record *record, const char *key)
{
    assert(record->count < RECORD_FIELDS);
    struct field *const field = &record->fields[record->count++];
    *field = (struct field){ .key = key };
    return field;
}

void record_add_text(struct record *record, const char *key, char *text)
{
    struct field *const field = add(record, key);

    field->kind = text ? FIELD_TEXT : FIELD_UNKNOWN;
    field->text = text;
}

void record_add(struct record *record, const char *key, enum field_kind kind, bool known,
                uint64_t number)
{
    struct field *const field = add(record, key);

    field->kind = known ? kind : FIELD_UNKNOWN;
    field->number = number;
}

void record_finish(struct record *record)
{
    for (int i = 0; i < record->count; i++) {
        free(record->fields[i].text);
    }
    *record = (struct record){ 0 };
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
    printf("%.4g %s", value, units[unit]);
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

void record_print(const struct record *record)
{
    for (int i = 0; i < record->count; i++) {
        const struct field *const field = &record->fields[i];

        print_key(field->key);
        switch (field->kind) {
        case FIELD_UNKNOWN:
            fputs("unknown", stdout);
            break;
        case FIELD_TEXT:
            fputs(field->text, stdout);
            break;
        case FIELD_NUMBER:
            printf("%" PRIu64, field->number);
            break;
        case FIELD_BYTES:
            print_bytes(field->number);
            break;
        case FIELD_FLAG:
            fputs(field->number ? "yes" : "no", stdout);
            break;
        }
        putchar('\n');
    }
}

bool json_put(json_object *object, const char *key, json_object *value)
{
    if (!value) {
        return false;
    }
    if (json_object_object_add(object, key, value) != 0) {
        json_object_put(value);
        return false;
    }
    return true;
}

static bool put_field(json_object *object, const struct field *field)
{
    switch (field->kind) {
    case FIELD_UNKNOWN:
        /* null is NULL in this library */
        return json_object_object_add(object, field->key, NULL) == 0;
    case FIELD_TEXT:
        return json_put(object, field->key, json_object_new_string(field->text));
    case FIELD_NUMBER:
    case FIELD_BYTES:
        return json_put(object, field->key, json_object_new_uint64(field->number));
    case FIELD_FLAG:
        return json_put(object, field->key, json_object_new_boolean(field->number != 0));
    }
    return false;
}

json_object *record_json(const struct record *record)
{
    json_object *object = json_object_new_object();

    for (int i = 0; object && i < record->count; i++) {
        if (!put_field(object, &record->fields[i])) {
            json_object_put(object);
            object = NULL;
        }
    }
    return object;
}

bool json_print(json_object *object, bool complete, struct message *message)
{
    const char *const text =
        complete ? json_object_to_json_string_ext(
                       object, JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE)
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
