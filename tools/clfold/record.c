#include "record.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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
