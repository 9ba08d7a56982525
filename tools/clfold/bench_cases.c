#include "bench_cases.h"

#include "types.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    clfold_op op;
    uint32_t accuracy;
} folds[BENCH_FOLDS] = {
    [BENCH_ADD] = { "add", CLFOLD_ADD, 0 },
    [BENCH_MIN] = { "min", CLFOLD_MIN, 0 },
    [BENCH_MAX] = { "max", CLFOLD_MAX, 0 },
    [BENCH_ARG_MIN] = { "arg-min", CLFOLD_ARG_MIN, 0 },
    [BENCH_COMPENSATED] = { "compensated", CLFOLD_ADD, CLFOLD_COMPENSATED },
    [BENCH_REPRODUCIBLE] = { "reproducible", CLFOLD_ADD, CLFOLD_REPRODUCIBLE },
};

/* What is measured if no types are named. */
#define REDUCE CLFOLD_REDUCE
#define SCAN   CLFOLD_INCLUSIVE_SCAN
static const struct bench_case usual[] = {
    { REDUCE, BENCH_ADD, CLFOLD_F32, CLFOLD_F32 },
    { REDUCE, BENCH_ADD, CLFOLD_F64, CLFOLD_F64 },
    { REDUCE, BENCH_ADD, CLFOLD_I32, CLFOLD_I32 },
    { REDUCE, BENCH_ADD, CLFOLD_I64, CLFOLD_I64 },
    { REDUCE, BENCH_ADD, CLFOLD_U8, CLFOLD_U64 },
    { REDUCE, BENCH_ADD, CLFOLD_I16, CLFOLD_I64 },
    { REDUCE, BENCH_ADD, CLFOLD_F32, CLFOLD_F64 },
    { REDUCE, BENCH_MIN, CLFOLD_F32, CLFOLD_F32 },
    { REDUCE, BENCH_MAX, CLFOLD_F32, CLFOLD_F32 },
    { REDUCE, BENCH_ARG_MIN, CLFOLD_F32, CLFOLD_F32 },
    { REDUCE, BENCH_COMPENSATED, CLFOLD_F32, CLFOLD_F32 },
    { REDUCE, BENCH_REPRODUCIBLE, CLFOLD_F32, CLFOLD_F32 },
    { SCAN, BENCH_ADD, CLFOLD_F32, CLFOLD_F32 },
    { SCAN, BENCH_ADD, CLFOLD_F64, CLFOLD_F64 },
    { SCAN, BENCH_ADD, CLFOLD_I32, CLFOLD_I32 },
    { SCAN, BENCH_ADD, CLFOLD_I64, CLFOLD_I64 },
    { SCAN, BENCH_ADD, CLFOLD_U8, CLFOLD_U32 },
    { SCAN, BENCH_MAX, CLFOLD_F32, CLFOLD_F32 },
};
enum { NUM_USUAL = sizeof(usual) / sizeof(usual[0]) };

/* ---- What a user names ---- */

bool bench_read_operation(struct bench_wish *wish, const char *text,
                          struct message *message)
{
    if (strcmp(text, "all") == 0) {
        wish->operation = 0;
    } else if (strcmp(text, "reduce") == 0) {
        wish->operation = CLFOLD_REDUCE;
    } else if (strcmp(text, "scan") == 0) {
        wish->operation = CLFOLD_INCLUSIVE_SCAN;
    } else {
        return message_set(message, "--op %.200s: the operations are reduce, scan, all",
                           text);
    }
    return true;
}

/* Others lose bits, and their sums would depend on the order. */
static bool is_exact(const struct type_pair *pair)
{
    return type_is_float(pair->in) == type_is_float(pair->type) &&
           type_size(pair->in) <= type_size(pair->type);
}

bool bench_read_types(struct bench_wish *wish, const char *text, struct message *message)
{
    wish->types.num = 0;
    wish->all_types = strcmp(text, "all") == 0;
    if (!wish->all_types && !list_read_types(&wish->types, text, message)) {
        return false;
    }
    for (size_t i = 0; i < wish->types.num; i++) {
        const struct type_pair *const pair = &wish->types.each[i];
        if (!is_exact(pair)) {
            return message_set(message,
                               "--types %.200s: %s is not folded in %s here; the "
                               "second type must be of the same kind, and not narrower",
                               text, type_name(pair->in), type_name(pair->type));
        }
    }
    return true;
}

bool bench_read_folds(struct bench_wish *wish, const char *text, struct message *message)
{
    const char *rest = text;
    char name[LIST_WORD];

    wish->folds = 0;
    while (list_next(&rest, name)) {
        int fold = 0;
        while (fold < BENCH_FOLDS && strcmp(folds[fold].name, name) != 0) {
            fold++;
        }
        if (fold == BENCH_FOLDS) {
            return message_set(message, "--folds %.200s: a list of " BENCH_FOLD_NAMES,
                               text);
        }
        wish->folds |= 1u << fold;
    }
    return true;
}

/* ---- What there is ---- */

static bool exists(const struct bench_case *one)
{
    const bool reduces_only =
        one->fold == BENCH_ARG_MIN || one->fold == BENCH_REPRODUCIBLE;
    const bool has_accuracy = one->type == CLFOLD_F32 || one->type == CLFOLD_F64;

    return (!reduces_only || one->operation == REDUCE) &&
           (!folds[one->fold].accuracy || has_accuracy);
}

static bool wants(const struct bench_wish *wish, const struct bench_case *one)
{
    return exists(one) && (!wish->operation || wish->operation == one->operation) &&
           (!wish->folds || wish->folds & 1u << one->fold);
}

static size_t choose_usual(const struct bench_wish *wish, bool fp64,
                           struct bench_case *cases)
{
    size_t num = 0;

    for (size_t i = 0; i < NUM_USUAL; i++) {
        if (wants(wish, &usual[i]) && (fp64 || usual[i].type != CLFOLD_F64)) {
            cases[num++] = usual[i];
        }
    }
    return num;
}

size_t bench_choose_cases(const struct bench_wish *wish, bool fp16, bool fp64,
                          struct bench_case cases[BENCH_MOST_CASES])
{
    struct bench_wish named = *wish;
    size_t num = 0;

    if (!wish->all_types && wish->types.num == 0) {
        return choose_usual(wish, fp64, cases);
    }
    for (clfold_type type = CLFOLD_I8; wish->all_types && type <= CLFOLD_F64; type++) {
        if ((fp16 || type != CLFOLD_F16) && (fp64 || type != CLFOLD_F64)) {
            named.types.each[named.types.num++] = (struct type_pair){ type, type };
        }
    }
    for (clfold_operation operation = REDUCE; operation <= SCAN; operation++) {
        for (int fold = 0; fold < BENCH_FOLDS; fold++) {
            for (size_t i = 0; i < named.types.num; i++) {
                const struct bench_case one = { operation, (enum bench_fold)fold,
                                                named.types.each[i].in,
                                                named.types.each[i].type };
                if (wants(&named, &one)) {
                    cases[num++] = one;
                }
            }
        }
    }
    return num;
}

size_t bench_choose_counts(size_t min, size_t max, size_t counts[BENCH_MOST_COUNTS])
{
    size_t num = 0;

    for (size_t count = min; count < max; count *= 4) {
        counts[num++] = count;
        if (count > max / 4) {
            break;
        }
    }
    counts[num++] = max;
    return num;
}

/* ---- One of them ---- */

const char *bench_operation_name(clfold_operation operation)
{
    return operation == CLFOLD_REDUCE ? "reduce" : "scan";
}

const char *bench_fold_name(enum bench_fold fold)
{
    return folds[fold].name;
}

bool bench_fold_adds(enum bench_fold fold)
{
    return folds[fold].op == CLFOLD_ADD;
}

void bench_print_type(char out[BENCH_TYPE_TEXT], const struct bench_case *one)
{
    if (one->in == one->type) {
        snprintf(out, BENCH_TYPE_TEXT, "%s", type_name(one->type));
    } else {
        snprintf(out, BENCH_TYPE_TEXT, "%s:%s", type_name(one->in), type_name(one->type));
    }
}

clfold_fold bench_fold_of(const struct bench_case *one)
{
    return (clfold_fold){ .op = folds[one->fold].op,
                          .accuracy = folds[one->fold].accuracy,
                          .type = one->type,
                          .in = one->in == one->type ? 0 : one->in };
}

size_t bench_in_size(const struct bench_case *one)
{
    return type_size(one->in);
}

size_t bench_out_size(const struct bench_case *one)
{
    return one->fold == BENCH_ARG_MIN ? sizeof(clfold_indexed) : type_size(one->type);
}

uint64_t bench_bytes(const struct bench_case *one, uint64_t count)
{
    const bool is_scan = one->operation != CLFOLD_REDUCE;

    return count * (bench_in_size(one) + (is_scan ? bench_out_size(one) : 0));
}
