#include "user_fold.h"

#include "input.h"
#include "number.h"
#include "types.h"

#include <ctype.h>
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
    const enum number_parsed parsed = number_parse(&user->values[k], type, equals + 1);
    if (parsed != NUMBER_READ) {
        return message_set(message, "--arg %.200s: %.100s %s %s", text, equals + 1,
                           number_fault(parsed), word);
    }
    user->args[k] = (clfold_arg){ .type = word,
                                  .name = blank + 1,
                                  .size = clfold_type_size(type),
                                  .value = &user->values[k] };
    return true;
}

/* Elements show when the file is opened, and memory when there is a device. */
static bool read_file(struct user_fold *user, size_t k, bool is_stream, const char *text,
                      struct message *message)
{
    char *const word = user->words[k], *const equals = strchr(word, '=');

    if (!equals || equals == word || !equals[1]) {
        return message_set(message, "--%s %.4096s: is not of the form NAME=FILE.npy",
                           is_stream ? "stream" : "arg-file", text);
    }
    *equals = '\0';
    user->files[k] = equals + 1;
    user->args[k] = (clfold_arg){ .type = is_stream ? NULL : "global const void *",
                                  .name = word,
                                  .element = is_stream ? CLFOLD_U8 : 0 };
    return true;
}

static bool read_args(struct user_fold *user, const struct fold_args *args,
                      struct message *message)
{
    for (size_t k = 0; k < args->num; k++) {
        const enum fold_arg_kind kind = args->kinds[k];
        const char *const text = args->texts[k];
        if (!(user->words[k] = strdup(text))) {
            return message_set(message, "there is not enough memory for an argument");
        }
        if (!(kind == ARG_VALUE
                  ? read_value(user, k, text, message)
                  : read_file(user, k, kind == ARG_STREAM, text, message))) {
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

/* Most options have the names of the fields. */
bool user_fold_refuse(const clfold_fold *fold, struct message *message)
{
    static const struct {
        const char *field, *option; /* NULL: the same, with - for _ */
    } names[] = {
        { "combine", NULL },    { "identity", NULL },
        { "cuts", NULL },       { "components", NULL },
        { "type_name", NULL },  { "type_size", NULL },
        { "source", NULL },     { "load", NULL },
        { "in_scalars", NULL }, { "result", NULL },
        { "out", NULL },        { "out_scalars", NULL },
        { "store", NULL },      { "same", NULL },
        { "keep", "where" },    { "flags: CLFOLD_COMMUTATIVE", "commutative" },
        { "args", "arg" },      { "flags: CLFOLD_PARTIAL", "partial" },
    };
    const char *const sentence = library_sentence();
    char option[16] = "";
    size_t skipped = 0;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const size_t length = strlen(names[i].field);
        const char *const rest = sentence + length;
        if (strncmp(sentence, names[i].field, length) == 0 && strchr(" :", *rest) &&
            strncmp(rest, " and ", 5) != 0) {
            snprintf(option, sizeof(option), "--%s",
                     names[i].option ? names[i].option : names[i].field);
            skipped = length + strspn(rest, " :");
        }
    }
    if (strchr(option, '_')) {
        *strchr(option, '_') = '-';
    }
    const char *const subject = skipped                        ? option
                                : strstr(sentence, " as out ") ? "--out"
                                : fold->combine                ? "the operator"
                                                               : "";
    return message_set(message, "%s%s%s", subject, *subject ? ": " : "",
                       sentence + skipped);
}

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                              "0123456789";

/* Where a word stands in a text, be it in a comment or as a member's name, or NULL. */
static const char *find_word(const char *text, const char *word)
{
    while (text && *text) {
        const size_t length = strspn(text, letters);
        if (length == strlen(word) && memcmp(text, word, length) == 0) {
            return text;
        }
        text += length > 0 ? length : 1;
    }
    return NULL;
}

/* A macro of the source may use it for the text. */
static bool may_use(const clfold_fold *fold, const char *text, const char *word)
{
    return text && (find_word(text, word) || find_word(fold->source, word));
}

/* What makes the input one piece, as the start of a sentence. */
static void find_whole(struct user_fold *user)
{
    const clfold_fold *const fold = &user->fold;

    user->whole = fold->store ? "--store may write any element, those"
                  : may_use(fold, fold->load, "in")   ? "--load may use in, that"
                  : may_use(fold, fold->result, "in") ? "--result may use in, that"
                  : may_use(fold, fold->keep, "in")   ? "--where may use in, that"
                                                      : NULL;
    const bool uses_x =
        may_use(fold, fold->load, "x") || may_use(fold, fold->result, "x");
    const bool by_segment =
        may_use(fold, fold->load, "segment") || may_use(fold, fold->result, "segment") ||
        may_use(fold, fold->load, "rank") || may_use(fold, fold->result, "rank");
    user->repeats = fold->load && user->whole && !fold->store && !uses_x && by_segment;
    for (size_t k = 0; k < fold->num_args; k++) {
        user->repeats = user->repeats && !fold->args[k].element;
    }
    user->counted = may_use(fold, fold->load, "n")     ? "--load may use n, that"
                    : may_use(fold, fold->result, "n") ? "--result may use n, that"
                    : may_use(fold, fold->keep, "n")   ? "--where may use n, that"
                                                       : user->whole;
}

/* What is written: some numbers of one type, or the item. */
static void set_written(struct user_fold *user)
{
    static const char *const names[] = { "x", "y", "z", "w" };
    const clfold_fold *const fold = &user->fold;
    const clfold_type type = fold->out ? fold->out : fold->out_scalars ? fold->type : 0;
    clfold_layout *const written = &user->written;

    const bool by_text = fold->result || fold->store;

    user->converts = by_text || fold->out || fold->out_scalars;
    *written = user->layout;
    if (type) {
        written->num_fields = fold->out_scalars ? fold->out_scalars
                              : by_text         ? 1
                                                : user->layout.num_fields;
        written->out_size = written->num_fields * clfold_type_size(type);
        for (uint32_t k = 0; k < written->num_fields; k++) {
            clfold_field *const field = &written->fields[k];
            field->type = type;
            field->size = clfold_type_size(type);
            field->offset = k * field->size;
            if (by_text) {
                strcpy(field->name, names[k]);
            }
        }
    }
    user->written_scalar = op_result(fold->op).position && !type ? 0 : scalar_of(written);
}

/* In the fold's own type; what is too large for it is too large for the library. */
static uint32_t number_of(size_t number)
{
    return (uint32_t)(number < UINT32_MAX ? number : UINT32_MAX);
}

bool user_fold_init(struct user_fold *user, const struct fold_texts *texts,
                    const clfold_fold *basis, struct message *message)
{
    *user = (struct user_fold){ .fold = *basis };
    user->fold.name = texts->combine  ? "the operator"
                      : texts->load   ? "the load"
                      : texts->result ? "the result"
                      : texts->store  ? "the store"
                      : texts->keep   ? "the condition"
                      : texts->same   ? "the comparison"
                                      : NULL;
    user->fold.in_scalars = number_of(texts->in_scalars);
    user->fold.out_scalars = number_of(texts->out_scalars);
    user->fold.out = texts->out;
    user->fold.flags = (texts->commutative ? CLFOLD_COMMUTATIVE : 0) |
                       (texts->partial ? CLFOLD_PARTIAL : 0);
    user->fold.components = texts->components;
    user->fold.type_name = texts->type_name;
    user->fold.type_size = texts->type_size;
    user->fold.combine = texts->combine;
    user->fold.identity = texts->identity;
    user->fold.cuts = texts->cuts;
    user->fold.load = texts->load;
    user->fold.result = texts->result;
    user->fold.store = texts->store;
    user->fold.keep = texts->keep;
    user->fold.same = texts->same;
    user->out_length = texts->out_length;
    if ((texts->source && !read_source(user, texts->source, message)) ||
        !read_args(user, &texts->args, message)) {
        return false;
    }
    if (clfold_fold_layout(&user->fold, &user->layout) != CLFOLD_OK) {
        return user_fold_refuse(&user->fold, message);
    }
    user->scalar = op_result(basis->op).position ? 0 : scalar_of(&user->layout);
    set_written(user);
    find_whole(user);
    return true;
}

struct fold_texts fold_texts_of_operator(const struct fold_texts *texts)
{
    struct fold_texts rest = *texts;

    rest.load = rest.result = rest.store = rest.keep = rest.same = NULL;
    rest.in_scalars = rest.out_scalars = rest.out_length = rest.args.num = 0;
    rest.out = 0;
    for (size_t k = 0; k < texts->args.num; k++) {
        if (texts->args.kinds[k] != ARG_STREAM) {
            rest.args.kinds[rest.args.num] = texts->args.kinds[k];
            rest.args.texts[rest.args.num++] = texts->args.texts[k];
        }
    }
    return rest;
}

/* ---- Hints ---- */

/* Names the first integer of a value, as a text does, "item" or "item.count"; false: it
 * has none. */
static bool name_integer(const struct user_fold *user, const char *value, char *name,
                         size_t size)
{
    const clfold_fold *const fold = &user->fold;
    const clfold_layout *const layout = &user->layout;

    if (*value == 'x' && (fold->in || fold->in_scalars)) {
        snprintf(name, size, "%s%s", value, fold->in_scalars > 1 ? ".x" : "");
        return !type_is_float(fold->in ? fold->in : fold->type);
    }
    const bool is_named = fold->components || layout->num_fields > 1;
    for (uint32_t k = 0; k < layout->num_fields; k++) {
        const clfold_field *const field = &layout->fields[k];
        if (field->type && !type_is_float(field->type)) {
            snprintf(name, size, "%s%s%s", value, is_named ? "." : "",
                     is_named ? field->name : "");
            return true;
        }
    }
    return false;
}

/* The next place of a text in a compiler's log, "load:2:5", or NULL. */
static const char *find_place(const char *log, const char *text)
{
    const size_t length = strlen(text);

    while ((log = strstr(log, text)) &&
           !(log[length] == ':' && isdigit((unsigned char)log[length + 1]))) {
        log += length;
    }
    return log;
}

/* Whether an error of `text` is that no function takes what it is given, in the words of
 * Clang, which all drivers have. */
static bool lacks_function(const char *log, const char *text)
{
    for (const char *at = log; (at = find_place(at, text)); at++) {
        const char *const end = at + strcspn(at, "\n");
        const char *const ambiguous = strstr(at, " is ambiguous");
        const char *const none = strstr(at, "no matching function");
        if ((ambiguous && ambiguous < end) || (none && none < end)) {
            return true;
        }
    }
    return false;
}

/* The field of a value of several, as a text has it, or NULL. */
static const char *field_name(const struct user_fold *user, const char *value, uint32_t k)
{
    static const char *const scalars[] = { "x", "y", "z", "w" };
    const clfold_fold *const fold = &user->fold;
    const clfold_layout *const layout = &user->layout;
    const bool of_scalars = *value == 'x' && (fold->in_scalars || fold->in),
               /* an element that an operator makes several numbers of */
        is_number = *value == 'x' && layout->in_size == layout->fields[0].size;
    const uint32_t num = of_scalars  ? fold->in_scalars
                         : is_number ? 0
                                     : layout->num_fields;

    return num < 2 || k >= num ? NULL : of_scalars ? scalars[k] : layout->fields[k].name;
}

/* Whether a text uses such a value as a whole, or by what is not a field. */
static bool uses_whole(const struct user_fold *user, const char *text, const char *value)
{
    const char *name = NULL;

    for (const char *at = text; (at = find_word(at, value));) {
        const bool is_member = at > text && at[-1] == '.';
        at += strlen(value) + strspn(at + strlen(value), " \t\r\n");
        const char *const member = *at ? at + 1 + strspn(at + 1, " \t\r\n") : at;
        const size_t length = *at == '.' ? strspn(member, letters) : 0;
        uint32_t k = 0;
        while ((name = field_name(user, value, k)) &&
               !(strlen(name) == length && memcmp(name, member, length) == 0)) {
            k++;
        }
        if (!is_member && !name) {
            return true;
        }
    }
    return false;
}

/* Always false. */
static bool hint_at_float(const struct user_fold *user, const char *text,
                          const char *name, clfold_type real, struct message *message)
{
    const clfold_fold *const fold = &user->fold;
    const bool is_load = strcmp(text, "load") == 0;
    const clfold_type given = is_load ? fold->type : fold->out;
    const bool is_kept = given && type_is_float(given);
    const char *const type = clfold_type_name(is_kept ? given : real);
    const char *const option =
        is_load ? (fold->op || fold->combine ? "acc" : "type") : "out";

    char kept[64] = "";

    if (!is_kept && (is_load ? given != 0 : strcmp(text, "result") == 0)) {
        snprintf(kept, sizeof(kept), ", and --%s %s if the fraction counts", option,
                 type);
    }
    return message_hint(message,
                        "%s is an integer, and a function of floats does not take it: "
                        "write to_%s(%s)%s",
                        name, type, name, kept);
}

bool user_fold_hint(const struct user_fold *user, clfold_type real, const char *sentence,
                    struct message *message)
{
    const clfold_fold *const fold = &user->fold;
    const char *const written = fold->result ? fold->result : fold->store;
    const char *const item = find_word(written, "item") ? "item" : "x";
    const struct {
        const char *name, *text, *value;
    } texts[] = {
        { "load", fold->load, "x" },
        { "combine", fold->combine, "a" },
        { "cuts", fold->cuts, "b" },
        { "result", fold->result, item },
        { "store", fold->store, item },
        { "same", fold->same, "a" },
        { "keep", fold->keep, find_word(fold->keep, "item") ? "item" : "x" },
    };
    const bool is_struct = !fold->in && !fold->in_scalars && !fold->type,
               is_file = fold->load && strstr(sentence, ": holds no elements of ");
    char names[5 * 64] = "";

    for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
        const char *const value = texts[k].value, *name;
        if (lacks_function(sentence, texts[k].name) &&
            name_integer(user, value, names, sizeof(names))) {
            return hint_at_float(user, texts[k].name, names, real, message);
        }
        const bool is_load = k == 0 && is_struct;
        if (!(k == 0 && is_file) && !find_place(sentence, texts[k].name)) {
            continue;
        }
        if (is_load && !fold->components) {
            snprintf(names, sizeof(names), "is a %.64s", fold->type_name);
        } else if (field_name(user, value, 0) && uses_whole(user, texts[k].text, value)) {
            size_t at = (size_t)sprintf(names, "has the fields ");
            for (uint32_t i = 0; (name = field_name(user, value, i)); i++) {
                at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s.%s",
                                       !i                               ? ""
                                       : field_name(user, value, i + 1) ? ", "
                                                                        : " and ",
                                       value, name);
            }
        } else {
            continue;
        }
        return message_hint(message, "%s %s%s", value, names,
                            is_load ? "; with --in-scalars 1 it is a number of the file"
                                    : "");
    }
    return false;
}

struct scalar_cause user_fold_cause(const clfold_report *report)
{
    static const char since[] = ", since ";
    struct scalar_cause cause = { "" };
    const char *const policy = strstr(report->reason, " by policy \""),
                      *const file = strstr(report->reason, " by the tuning file");
    const char *const tile = policy ? policy : file;
    const char *const found = tile ? strstr(tile, since) : NULL;

    /* "..., since WHY; ..." or "..., since WHY: 4 groups ..." */
    if (report->widths == CLFOLD_WIDTHS_DIFFER && found) {
        const char *const begin = found + strlen(since), *end = begin;
        while (*end && strncmp(end, "; ", 2) != 0 &&
               !(strncmp(end, ": ", 2) == 0 && isdigit((unsigned char)end[2]))) {
            end++;
        }
        snprintf(cause.text, sizeof(cause.text), "%.*s", (int)(end - begin), begin);
    }
    return cause;
}

void user_fold_finish(struct user_fold *user)
{
    for (size_t k = 0; k < FOLD_MOST_ARGS; k++) {
        if (user->args[k].mem && !user->streams[k]) {
            clReleaseMemObject(user->args[k].mem);
        }
        if (user->streams[k]) {
            input_close(user->streams[k]);
            free(user->streams[k]);
        }
        free(user->words[k]);
    }
    free(user->source);
    *user = (struct user_fold){ 0 };
}
