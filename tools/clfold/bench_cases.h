/*
 * What `clfold bench` measures: an operation, a fold and the types. Which of them a user
 * wants, and which there are.
 */
#ifndef CLFOLD_COMMAND_BENCH_CASES_H
#define CLFOLD_COMMAND_BENCH_CASES_H

#include "list.h"
#include "message.h"

#include <clfold/clfold.h>

#include <stddef.h>
#include <stdint.h>

/* For messages and help. */
#define BENCH_FOLD_NAMES "add min max arg-min compensated reproducible"

/* The last two are sums of another accuracy. */
enum bench_fold {
    BENCH_ADD,
    BENCH_MIN,
    BENCH_MAX,
    BENCH_ARG_MIN,
    BENCH_COMPENSATED,
    BENCH_REPRODUCIBLE,
    BENCH_FOLDS
};

struct bench_case {
    clfold_operation operation; /* CLFOLD_REDUCE or CLFOLD_INCLUSIVE_SCAN */
    enum bench_fold fold;
    clfold_type in, type; /* of the elements, and what they are folded in */
};

enum { BENCH_MOST_CASES = 2 * BENCH_FOLDS * LIST_MOST_TYPES };

/* What a user names. All zero: what is measured if nothing is named. */
struct bench_wish {
    clfold_operation operation; /* 0: both */
    unsigned folds;             /* a bit each, 1 << BENCH_ADD; 0: all */
    bool all_types;             /* that the device has */
    struct type_list types;
};

/* "reduce", "scan" or "all"; "f32,u8:u64" or "all"; "add,min". The sentence of a failure
 * names the option. */
bool bench_read_operation(struct bench_wish *wish, const char *text,
                          struct message *message);
bool bench_read_types(struct bench_wish *wish, const char *text, struct message *message);
bool bench_read_folds(struct bench_wish *wish, const char *text, struct message *message);

/* Writes the cases and returns how many there are. Types that were not named are left out
 * where the device lacks them. */
size_t bench_choose_cases(const struct bench_wish *wish, bool fp16, bool fp64,
                          struct bench_case cases[BENCH_MOST_CASES]);

enum { BENCH_MOST_COUNTS = 34 };

/* min, then four times the one before, and max last; returns how many. 0 < min <= max. */
size_t bench_choose_counts(size_t min, size_t max, size_t counts[BENCH_MOST_COUNTS]);

const char *bench_operation_name(clfold_operation operation);
const char *bench_fold_name(enum bench_fold fold);
bool bench_fold_adds(enum bench_fold fold);

enum { BENCH_TYPE_TEXT = 16 };

/* "f32", "u8:u64". */
void bench_print_type(char out[BENCH_TYPE_TEXT], const struct bench_case *one);

/* As the library takes it. */
clfold_fold bench_fold_of(const struct bench_case *one);

/* In bytes, of one element and of one result. */
size_t bench_in_size(const struct bench_case *one);
size_t bench_out_size(const struct bench_case *one);

/* What the operation must read and write: a reduction n, a scan n and n. */
uint64_t bench_bytes(const struct bench_case *one, uint64_t count);

#endif
