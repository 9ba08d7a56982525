/* The facts about one thing, in order; printed for people or as JSON. */
#ifndef CLFOLD_COMMAND_RECORD_H
#define CLFOLD_COMMAND_RECORD_H

#include "message.h"

#include <json-c/json.h>

#include <stdbool.h>
#include <stdint.h>

struct record {
    json_object *object;
    bool failed; /* there was no memory for all of it */
};

struct record record_begin(void);

/* Takes the value; NULL: there was no memory for it. */
void record_add(struct record *record, const char *key, json_object *value);
void record_add_unknown(struct record *record, const char *key);
/* NULL: unknown. The second frees the text. */
void record_add_text(struct record *record, const char *key, const char *text);
void record_add_owned(struct record *record, const char *key, char *text);
void record_add_number(struct record *record, const char *key, uint64_t number);
void record_add_flag(struct record *record, const char *key, bool known, bool flag);
/* "seconds" */
void record_add_seconds(struct record *record, double seconds);

/* These three end the record. For people: a line a fact, bytes as MiB, and spaces for
 * underlines in keys; or JSON in one line; or the object, or NULL. */
bool record_print(struct record *record, struct message *message);
bool record_print_json(struct record *record, struct message *message);
json_object *record_take(struct record *record);

/* Prints `object`, which it takes, in one line, but an array in many. `complete` false:
 * there was no memory for all of it. */
bool json_print(json_object *object, bool complete, struct message *message);

/* For people: a member with what is in it, below its key, unless it is an empty array;
 * and objects as rows, with the members of the first that have nothing in them. Seconds
 * are printed as ms. */
void json_print_member(const char *key, json_object *value, int indent);
void json_print_table(json_object *rows, int indent);

#endif
