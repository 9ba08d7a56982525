#include "user_fold.h"

#include "number.h"
#include "types.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Arguments ---- */

static const struct {
    const char *name;
    clfold_type type;
} words_of_types[] = {
    { "char", CLFOLD_I8 },    { "uchar", CLFOLD_U8 },   { "short", CLFOLD_I16 },
    { "ushort", CLFOLD_U16 }, { "int", CLFOLD_I32 },    { "uint", CLFOLD_U32 },
    { "long", CLFOLD_I64 },   { "ulong", CLFOLD_U64 },  { "half", CLFOLD_F16 },
    { "float", CLFOLD_F32 },  { "double", CLFOLD_F64 },
};
enum { NUM_WORDS = sizeof(words_of_types) / sizeof(words_of_types[0]) };

const char *user_fold_word(clfold_type type)
{
    size_t i = 0;

    while (words_of_types[i].type != type) {
        i++;
    }
    return words_of_types[i].name;
}

/* "float alpha=0.1": the words are cut at the last blank before =, and there. */
static bool read_value(struct user_fold *user, size_t k, const char *text,
                       struct message *message)
{
    char *const word = user->words[k], *const equals = strchr(word, '=');
    char *const blank = equals ? memchr(word, ' ', (size_t)(equals - word)) : NULL;
    clfold_type type = 0;

    if (!blank || blank + 1 == equals) {
        return message_set(message, "--arg %.200s: is not of the form TYPE NAME=NUMBER",
                           text);
    }
    *blank = *equals = '\0';
    for (size_t i = 0; i < NUM_WORDS; i++) {
        if (strcmp(words_of_types[i].name, word) == 0) {
            type = words_of_types[i].type;
        }
    }
    if (!type) {
        return message_set(message,
                           "--arg %.200s: the types are char, uchar, short, ushort, int, "
                           "uint, long, ulong, half, float and double",
                           text);
    }
    switch (number_parse(&user->values[k], type, equals + 1)) {
    case NUMBER_NONE:
        return message_set(message, "--arg %.200s: %.100s is not a valid number", text,
                           equals + 1);
    case NUMBER_RANGE:
        return message_set(message, "--arg %.200s: %.100s is out of the range of %s",
                           text, equals + 1, word);
    case NUMBER_READ:
        break;
    }
    user->args[k] = (clfold_arg){ .type = word,
                                  .name = blank + 1,
                                  .size = type_size(type),
                                  .value = &user->values[k] };
    return true;
}

static bool read_file(struct user_fold *user, size_t k, const char *text,
                      struct message *message)
{
    char *const word = user->words[k], *const equals = strchr(word, '=');

    if (!equals || equals == word || !equals[1]) {
        return message_set(message,
                           "--arg-file %.4096s: is not of the form NAME=FILE.npy", text);
    }
    *equals = '\0';
    user->files[k] = equals + 1;
    /* Its elements show when it is opened, and its memory when there is a device. */
    user->args[k] = (clfold_arg){ .type = "global const void *", .name = word };
    return true;
}

static bool read_args(struct user_fold *user, const struct fold_args *args,
                      struct message *message)
{
    for (size_t k = 0; k < args->num; k++) {
        if (!(user->words[k] = strdup(args->texts[k]))) {
            return message_set(message, "there is not enough memory for an argument");
        }
        if (!(args->is_file[k] ? read_file : read_value)(user, k, args->texts[k],
                                                         message)) {
            return false;
        }
    }
    user->fold.args = args->num > 0 ? user->args : NULL;
    user->fold.num_args = args->num;
    return true;
}

/* ---- The fold ---- */

/* The whole of a file, after a line that names it in a compiler's errors. */
static bool read_source(struct user_fold *user, const char *path, struct message *message)
{
    FILE *const file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    const bool read = file && (getdelim(&text, &room, '\0', file) >= 0 || !ferror(file));

    if (!read) {
        message_set(message, "--source %.4096s: %s", path, strerror(errno));
    } else if ((user->source = malloc(strlen(path) + (text ? strlen(text) : 0) + 32))) {
        sprintf(user->source, "#line 1 \"%s\"\n%s\n", path, text ? text : "");
    } else {
        message_set(message, "--source %.4096s: there is not enough memory", path);
    }
    free(text);
    if (file) {
        fclose(file);
    }
    user->fold.source = user->source;
    return user->source != NULL;
}

/* The type of all fields, if they lie side by side; else 0. */
static clfold_type scalar_of(const clfold_layout *layout)
{
    const clfold_type type = layout->fields[0].type;

    for (uint32_t k = 0; k < layout->num_fields; k++) {
        if (layout->fields[k].type != type) {
            return 0;
        }
    }
    return type;
}

/* The library speaks of the fold's fields, whose options have the same names. */
static bool refuse_texts(struct message *message)
{
    static const char *const names[] = { "combine",   "identity",  "cuts",  "components",
                                         "type_name", "type_size", "source" };
    const char *const sentence = library_sentence();
    char option[16] = "";
    size_t skipped = 0;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(sentence, names[i], length) == 0 && strchr(" :", sentence[length])) {
            snprintf(option, sizeof(option), "--%s", names[i]);
            skipped = length + strspn(sentence + length, " :");
        }
    }
    if (strchr(option, '_')) {
        *strchr(option, '_') = '-';
    }
    return message_set(message, "%s: %s", skipped ? option : "the operator",
                       sentence + skipped);
}

bool user_fold_init(struct user_fold *user, const struct fold_texts *texts,
                    clfold_type element, struct message *message)
{
    const bool is_scalar = !texts->components && !texts->type_name;

    *user = (struct user_fold){
        .fold = { .name = "the operator",
                  .type = is_scalar ? element : 0,
                  .flags = (texts->commutative ? CLFOLD_COMMUTATIVE : 0) |
                           (texts->partial ? CLFOLD_PARTIAL : 0),
                  .components = texts->components,
                  .type_name = texts->type_name,
                  .type_size = texts->type_size,
                  .combine = texts->combine,
                  .identity = texts->identity,
                  .cuts = texts->cuts },
    };
    if ((texts->source && !read_source(user, texts->source, message)) ||
        !read_args(user, &texts->args, message)) {
        return false;
    }
    if (is_scalar && !element) {
        return true;
    }
    if (clfold_fold_layout(&user->fold, &user->layout) != CLFOLD_OK) {
        return refuse_texts(message);
    }
    user->scalar = scalar_of(&user->layout);
    return true;
}

bool user_fold_describe(struct user_fold *user, const clfold_fold *built_in,
                        struct message *message)
{
    if (clfold_fold_layout(built_in, &user->layout) != CLFOLD_OK) {
        return message_set(message, "%s", library_sentence());
    }
    user->scalar = op_result(built_in->op).position ? 0 : scalar_of(&user->layout);
    return true;
}

void user_fold_finish(struct user_fold *user)
{
    for (size_t k = 0; k < FOLD_MOST_ARGS; k++) {
        if (user->args[k].mem) {
            clReleaseMemObject(user->args[k].mem);
        }
        free(user->words[k]);
    }
    free(user->source);
    *user = (struct user_fold){ 0 };
}
