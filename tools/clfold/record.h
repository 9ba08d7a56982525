/* The facts about one thing, in order; printed for people or as JSON. */
#ifndef CLFOLD_COMMAND_RECORD_H
#define CLFOLD_COMMAND_RECORD_H

#include "message.h"

#include <json-c/json.h>

#include <stdbool.h>
#include <stdint.h>

enum field_kind {
    FIELD_UNKNOWN, /* null */
    FIELD_TEXT,
    FIELD_NUMBER,
    FIELD_BYTES, /* a person reads MiB */
    FIELD_FLAG
};

struct field {
    const char *key; /* of JSON; a person reads spaces for its underlines */
    enum field_kind kind;
    char *text;
    uint64_t number;
};

enum { RECORD_FIELDS = 40 };

struct record {
    struct field fields[RECORD_FIELDS];
    int count;
};

/* Takes the text, which was allocated. NULL: unknown. */
void record_add_text(struct record *record, const char *key, char *text);
/* known false: unknown. */
void record_add(struct record *record, const char *key, enum field_kind kind, bool known,
                uint64_t number);
void record_finish(struct record *record);

/* One line a field, on standard output. */
void record_print(const struct record *record);

/* NULL when memory ran out. */
json_object *record_json(const struct record *record);

/* Adds `value`, which it takes, unless it is NULL: then false. */
bool json_put(json_object *object, const char *key, json_object *value);

/* Prints `object`, which it takes, in one line. `complete` false: there was no memory for
 * all of it. */
bool json_print(json_object *object, bool complete, struct message *message);

/* For people: a member with what is in it, below its key, unless it is an empty array;
 * and objects as rows, with the members of the first that have nothing in them. Seconds
 * are printed as ms. */
void json_print_member(const char *key, json_object *value, int indent);
void json_print_table(json_object *rows, int indent);

#endif
