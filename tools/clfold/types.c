#include <clfold/experimental.h>
#include "types.h"

#include <string.h>

clfold_type type_parse(const char *name)
{
    for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; type++) {
        if (strcmp(clfold_type_name(type), name) == 0) {
            return type;
        }
    }
    return 0;
}

clfold_op op_parse(const char *name)
{
    if (strcmp(name, "sum") == 0) {
        return CLFOLD_ADD;
    }
    if (strcmp(name, "prod") == 0) {
        return CLFOLD_MUL;
    }
    for (clfold_op op = CLFOLD_ADD; op <= CLFOLD_MATRIX_2X2; op++) {
        if (strcmp(clfold_op_name(op), name) == 0) {
            return op;
        }
    }
    return 0;
}

/* Equal, where `name` may have hyphens for underscores. */
static bool same_name(const char *algorithm, const char *name)
{
    while (*algorithm && (*algorithm == *name || (*algorithm == '_' && *name == '-'))) {
        algorithm++;
        name++;
    }
    return *algorithm == *name;
}

static const char *without_scan(const char *name)
{
    const bool has = strncmp(name, "scan_", 5) == 0 || strncmp(name, "scan-", 5) == 0;

    return name + (has ? 5 : 0);
}

bool algorithm_parse(const char *name, clfold_operation operation, const char **algorithm)
{
    const bool of_scan = scan_kind(operation) || operation == CLFOLD_SELECT;

    for (uint32_t i = 0; (*algorithm = clfold_operation_algorithm(operation, i)); i++) {
        if (of_scan ? same_name(without_scan(*algorithm), without_scan(name))
                    : same_name(*algorithm, name)) {
            return true;
        }
    }
    return strcmp(name, "auto") == 0;
}

const char *accuracy_name(uint32_t accuracy)
{
    static const char *const names[] = { "deterministic", "compensated", "reproducible" };

    return accuracy <= CLFOLD_REPRODUCIBLE ? names[accuracy] : NULL;
}

bool accuracy_parse(const char *name, uint32_t *accuracy)
{
    *accuracy = CLFOLD_DETERMINISTIC;
    while (accuracy_name(*accuracy) && strcmp(accuracy_name(*accuracy), name) != 0) {
        ++*accuracy;
    }
    return accuracy_name(*accuracy) != NULL;
}

const char *scan_kind(clfold_operation operation)
{
    return operation == CLFOLD_INCLUSIVE_SCAN   ? "inclusive"
           : operation == CLFOLD_EXCLUSIVE_SCAN ? "exclusive"
                                                : NULL;
}

bool operation_folds(clfold_operation operation)
{
    return operation == CLFOLD_REDUCE || scan_kind(operation);
}

const char *library_sentence(void)
{
    const char *const error = clfold_last_error(), *const end = strstr(error, ": ");

    return end ? end + 2 : error;
}

static bool is_repeated(const char *log, const char *line, size_t length)
{
    for (const char *at = log; at < line; at += strcspn(at, "\n") + 1) {
        if (strcspn(at, "\n") == length && memcmp(at, line, length) == 0) {
            return true;
        }
    }
    return false;
}

void sentence_once(char *to, const char *sentence)
{
    static const char begin[] = " does not build: ";
    const char *const found = strstr(sentence, begin);
    const char *const log = found ? found + strlen(begin) : sentence + strlen(sentence);
    const char *status = strrchr(log, '('), *line = log;
    bool keeps = true;

    status = status ? status : log + strlen(log);
    memcpy(to, sentence, (size_t)(log - sentence));
    to += log - sentence;
    for (size_t length; line < status; line += length) {
        const char *const error = strstr(line, "error: ");
        length = strcspn(line, "\n");
        if (error && error < line + length) {
            keeps = !is_repeated(log, line, length);
        }
        length += line[length] == '\n';
        length = line + length < status ? length : (size_t)(status - line);
        if (keeps) {
            memcpy(to, line, length);
            to += length;
        }
    }
    strcpy(to, status);
}

clfold_type type_find(char kind, unsigned long size)
{
    for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; type++) {
        if (clfold_type_name(type)[0] == kind && clfold_type_size(type) == size) {
            return type;
        }
    }
    return 0;
}

enum type_class type_class(clfold_type type)
{
    switch (type) {
    case CLFOLD_I8:
    case CLFOLD_I16:
    case CLFOLD_I32:
    case CLFOLD_I64:
        return TYPE_SIGNED;
    case CLFOLD_F16:
    case CLFOLD_F32:
    case CLFOLD_F64:
        return TYPE_FLOAT;
    default:
        return TYPE_UNSIGNED;
    }
}

bool type_is_float(clfold_type type)
{
    return type_class(type) == TYPE_FLOAT;
}

clfold_type type_accumulator(clfold_op op, clfold_type element)
{
    const bool adds = op == CLFOLD_ADD || op == CLFOLD_MUL;
    const enum type_class class = type_class(element);

    if (op == CLFOLD_MOMENTS) {
        return class != TYPE_FLOAT     ? CLFOLD_F64
               : element == CLFOLD_F16 ? CLFOLD_F32
                                       : element;
    }
    return !adds || class == TYPE_FLOAT ? element
           : class == TYPE_SIGNED       ? CLFOLD_I64
                                        : CLFOLD_U64;
}

struct op_result op_result(clfold_op op)
{
    return (struct op_result){ op >= CLFOLD_ARG_MIN && op <= CLFOLD_ARG_MIN_MAX,
                               op >= CLFOLD_MOMENTS && op <= CLFOLD_MATRIX_2X2,
                               op == CLFOLD_ARG_MIN_MAX || op == CLFOLD_MIN_MAX ? 2 : 1 };
}

bool op_takes_nothing(clfold_op op)
{
    return op != CLFOLD_MIN && op != CLFOLD_MAX &&
           (op < CLFOLD_ARG_MIN || op_result(op).is_named);
}

bool op_takes_any_order(clfold_op op)
{
    return op && op < CLFOLD_AFFINE && !op_result(op).position;
}
