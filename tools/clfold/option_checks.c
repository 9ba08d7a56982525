/* What a command line must be as a whole, and what becomes of it. */
#include "number.h"
#include "options_table.h"
#include "output_file.h"
#include "types.h"
#include "writer.h"

#include <string.h>

/* Which names are right depends on the operation. */
static bool check_algorithm(struct options *options, struct message *message)
{
    static const char *const names[] = { [CLFOLD_REDUCE] = REDUCE_ALGORITHM_NAMES,
                                         [CLFOLD_INCLUSIVE_SCAN] = SCAN_ALGORITHM_NAMES,
                                         [CLFOLD_EXCLUSIVE_SCAN] = SCAN_ALGORITHM_NAMES,
                                         [CLFOLD_MAP] = MAP_ALGORITHM_NAMES,
                                         [CLFOLD_SELECT] = SELECT_ALGORITHM_NAMES };
    const char *const text = options->algorithm;

    return !text || algorithm_parse(text, options->operation, &options->algorithm) ||
           message_set(message, "--%s %.200s: the %s are %s", options->algorithm_option,
                       text,
                       options->operation == CLFOLD_REDUCE ? "kernels" : "algorithms",
                       names[options->operation]);
}

static bool check_operation(struct options *options, const char *name,
                            struct message *message)
{
    static const char *const names[] = { [CLFOLD_REDUCE] = "reduce",
                                         [CLFOLD_INCLUSIVE_SCAN] = "scan",
                                         [CLFOLD_EXCLUSIVE_SCAN] = "",
                                         [CLFOLD_MAP] = "map",
                                         [CLFOLD_SELECT] = "select" };
    clfold_operation operation = CLFOLD_REDUCE;

    while (operation <= CLFOLD_SELECT && strcmp(name, names[operation]) != 0) {
        operation++;
    }
    if (operation > CLFOLD_SELECT) {
        return options_refuse_operands(ACTION_EXPLAIN, name, message);
    }
    if (operation != CLFOLD_INCLUSIVE_SCAN &&
        (options->inclusive || options->exclusive)) {
        return message_set(message,
                           "--inclusive and --exclusive go with explain scan, "
                           "not with explain %s",
                           name);
    }
    if (!options->op && operation_folds(operation)) {
        options->op = CLFOLD_ADD;
    }
    options->operation = options->exclusive ? CLFOLD_EXCLUSIVE_SCAN : operation;
    return true;
}

const char *options_op(const struct options *options)
{
    return options->mean ? "mean" : clfold_op_name(options->op);
}

bool options_init(const struct options *options, clfold_fold *fold, clfold_indexed *init,
                  struct message *message)
{
    if (!options->init) {
        return true;
    }
    fold->init = &init->value;
    fold->init_size = clfold_type_size(fold->type);
    const enum number_parsed parsed =
        number_parse(&init->value, fold->type, options->init);
    return parsed == NUMBER_READ ||
           message_set(message, "--init %.200s: %s %s", options->init,
                       number_fault(parsed), clfold_type_name(fold->type));
}

/* What is the command's own, and not the library's. */
static bool check_op(const struct options *options, struct message *message)
{
    const struct op_result form = op_result(options->op);
    const bool has_init = options->init && (options->mean || form.num > 1 ||
                                            form.position || form.is_named);
    const char *const other = has_init                                     ? "init"
                              : !options->mean                             ? NULL
                              : options->fold.result                       ? "result"
                              : options->fold.out                          ? "out"
                              : options->acc && options->acc != CLFOLD_F64 ? "acc"
                                                                           : NULL;

    return !other || message_set(message, "--%s does not go with --op %s", other,
                                 options_op(options));
}

static bool is_struct(const struct fold_texts *texts)
{
    return texts->components || texts->type_name;
}

/* How the bytes of a file become items, and these text. */
static bool check_form(const struct options *options, struct message *message)
{
    const struct fold_texts *const fold = &options->fold;
    const struct out_option *const out = &options->outs[OUT_RESULTS];
    const bool is_opaque = fold->type_name && !fold->out,
               prints = options->action == ACTION_REDUCE && !out->path,
               writes = out->path && out->format == FORMAT_TEXT;

    if (is_opaque && (prints || writes)) {
        return message_set(message,
                           "%.4096s: only the source knows what a %.200s means, so it is "
                           "not written as text",
                           prints ? "standard output" : out->path, fold->type_name);
    }
    if (options_folds_numbers(options)) {
        return !options->raw_size ||
               message_set(message,
                           "--raw %zu: a number of bytes goes with --components or "
                           "--type-name",
                           options->raw_size);
    }
    if (options->format == FORMAT_NPY || options->action == ACTION_EXPLAIN ||
        options->action == ACTION_CHECK_FOLD) {
        return true;
    }
    const clfold_fold basis = options_fold(options, 0);
    struct fold_texts texts = *fold;
    struct user_fold user;
    texts.source = NULL; /* it is read once: it may be a pipe */
    bool done = user_fold_init(&user, &texts, &basis, message);
    if (done && options->raw_size && options->raw_size != user.layout.in_size) {
        done = message_set(message, "--raw %zu: an element has %zu bytes",
                           options->raw_size, user.layout.in_size);
    } else if (done && !options->raw_size && user.scalar != options->element) {
        done = message_set(message, "--%s %s: the numbers of an element are not of it",
                           options->raw ? "raw" : "text",
                           clfold_type_name(options->element));
    }
    user_fold_finish(&user);
    return done;
}

#define NAME_ENDS "%s %.4096s: its name must end in .npy, in .bin for raw data or in .txt"

/* A file that is written, if there is one; what is written into as it is may have any
 * name. */
static bool check_out(const struct options *options, const char *option,
                      struct out_option *out, struct message *message)
{
    if (!out->path) {
        return true;
    }
    out->path = strcmp(out->path, "/dev/stdout") == 0 ? "-" : out->path;
    if (writer_format(out->path, &out->format)) {
        return true;
    }
    out->format = options->format;
    if (options->json && strcmp(out->path, "-") == 0) {
        return message_set(
            message, "--json and %s - both go to standard output: name a file", option);
    }
    return output_file_is_direct(out->path) ||
           message_set(message, NAME_ENDS ", or be - for standard output", option,
                       out->path);
}

/* All files that are written, and no two of one name. */
static bool check_outs(struct options *options, struct message *message)
{
    const enum action action = options->action;
    const char *const names[OUTS] = {
        [OUT_RESULTS] = action == ACTION_REDUCE ? "--output"
                        : action == ACTION_RLE  ? "VALUES"
                                                : "OUT",
        [OUT_KEYS] = "--keys-out",
        [OUT_ALSO] = action == ACTION_REDUCE   ? "--lengths-out"
                     : action == ACTION_SELECT ? "--rest"
                     : action == ACTION_UNIQUE ? "--lengths"
                                               : "LENGTHS",
    };
    struct out_option *const outs = options->outs;

    for (int i = 0; i < OUTS; i++) {
        if (!check_out(options, names[i], &outs[i], message)) {
            return false;
        }
        for (int k = 0; k < i; k++) {
            if (outs[i].path && outs[k].path &&
                output_file_is_same(outs[i].path, outs[k].path)) {
                return message_set(message, "%s and %s name one file, %.4096s", names[k],
                                   names[i], outs[i].path);
            }
        }
    }
    /* Results of segments are an array, which is printed as one is written. */
    if (outs->path || !(options->axis.is_given || options->flags || options->keys ||
                        options->offsets)) {
        return true;
    }
    *outs = (struct out_option){ "-", FORMAT_TEXT };
    return !options->json ||
           message_set(message,
                       "--json needs --output here: JSON has the shape of the results "
                       "only");
}

/* A command that reads a file. */
static bool check_reading(struct options *options, char **operands,
                          struct message *message)
{
    const enum action action = options->action;

    options->file = operands[0];
    options->format = options->raw || options->raw_size ? FORMAT_RAW
                      : options->text                   ? FORMAT_TEXT
                                                        : FORMAT_NPY;
    options->element = options->raw ? options->raw : options->text;
    options->operation = action == ACTION_REDUCE ? CLFOLD_REDUCE
                         : action == ACTION_SCAN && options->exclusive
                             ? CLFOLD_EXCLUSIVE_SCAN
                         : action == ACTION_SCAN ? CLFOLD_INCLUSIVE_SCAN
                         : action == ACTION_MAP || action == ACTION_UNRLE ? CLFOLD_MAP
                                                                          : CLFOLD_SELECT;
    if (action != ACTION_REDUCE) {
        options->outs[OUT_RESULTS].path = operands[action == ACTION_UNRLE ? 2 : 1];
    }
    if (action == ACTION_RLE) {
        options->outs[OUT_ALSO].path = operands[2];
    }
    if (action == ACTION_UNRLE) {
        options->lengths = operands[1];
        options->fold.load = "in[segment]";
        if (!writer_format(options->lengths, &options->lengths_format)) {
            return message_set(message, NAME_ENDS, "LENGTHS", options->lengths);
        }
    }
    if (action == ACTION_SELECT && !options->fold.keep) {
        return message_set(message, "select needs --where, or --fold with where");
    }
    if (action == ACTION_UNIQUE && !options->fold.same && options->fold.type_name) {
        return message_set(message,
                           "--type-name needs --same: only the source knows which %.200s "
                           "are equal",
                           options->fold.type_name);
    }
    if (options->text_form.missing == MISSING_NAN && !type_is_float(options->text)) {
        return message_set(message,
                           "--missing nan needs a type of floats, and --text is %s",
                           clfold_type_name(options->text));
    }
    return check_algorithm(options, message) && check_op(options, message) &&
           check_outs(options, message) && check_form(options, message);
}

/* ---- All commands ---- */

static bool check_cache(struct options *options, const char *name,
                        struct message *message)
{
    static const char *const names[] = { "list", "verify", "clear" };

    for (int i = CACHE_LIST; i <= CACHE_CLEAR; i++) {
        if (strcmp(name, names[i]) == 0) {
            options->cache = (enum cache_action)i;
            return i == CACHE_LIST || !options->json ||
                   message_set(message, "--json goes with cache list, not with cache %s",
                               name);
        }
    }
    return options_refuse_operands(ACTION_CACHE, name, message);
}

bool options_check(struct options *options, char **operands, struct message *message)
{
    switch (options->action) {
    case ACTION_REDUCE:
    case ACTION_SCAN:
    case ACTION_MAP:
    case ACTION_SELECT:
    case ACTION_UNIQUE:
    case ACTION_RLE:
    case ACTION_UNRLE:
        return check_reading(options, operands, message);
    case ACTION_EXPLAIN:
        return check_operation(options, operands[0], message) &&
               check_algorithm(options, message);
    case ACTION_CHECK_FOLD:
        return options->fold.combine ||
               message_set(message, "check-fold needs --combine or --fold");
    case ACTION_CACHE:
        return check_cache(options, operands[0], message);
    case ACTION_HELP:
        options->help = true;
        options->action = ACTION_NONE;
        return !operands[0] || options_read_action(options, operands[0], message);
    default:
        return true;
    }
}

/* ---- What follows from it ---- */

bool options_folds_numbers(const struct options *options)
{
    return !is_struct(&options->fold) || options->fold.in_scalars > 0;
}

clfold_fold options_fold(const struct options *options, clfold_type element)
{
    const struct fold_texts *const texts = &options->fold;
    const clfold_op op = texts->combine ? 0 : options->op; /* a map has none */
    const clfold_type acc = options->acc       ? options->acc
                            : is_struct(texts) ? 0
                            : options->mean    ? CLFOLD_F64
                                               : type_accumulator(op, element);

    /* A load sees numbers as the file has them. */
    return (clfold_fold){ .op = op,
                          .type = acc,
                          .in = acc == element && !texts->load ? 0 : element,
                          .accuracy = options->accuracy,
                          .algorithm = options->algorithm };
}

bool options_segments(const struct options *options, clfold_segments *segments,
                      size_t *count)
{
    const size_t columns = options->columns;

    *segments = options->by.segments;
    if (options->rows) {
        segments->by = CLFOLD_BY_LENGTH;
        segments->length = options->rows;
    } else if (columns) {
        segments->by = CLFOLD_BY_COLUMNS;
        segments->columns = columns;
        segments->length = *count / columns;
        segments->length += *count % columns > 0 && segments->length < SIZE_MAX / columns;
        *count = segments->length * columns;
        segments->length += *count == 0; /* none of any length */
    }
    return segments->by != 0;
}
