/* What read_limit's parts share. It uses nothing of clfold but its clock. */
#ifndef NATIVE_H
#define NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum type { TYPE_U8, TYPE_I32, TYPE_I64, TYPE_U64, TYPE_F32, TYPE_F64, NUM_TYPES };

struct fold {
    enum type type; /* of the data */
    enum type acc;  /* of the result */
    bool max;       /* otherwise the sum */
};

struct total {
    double real;      /* where the result is a float */
    uint64_t integer; /* where it is not: sign-extended, modulo 2^64 */
};

/* loops.c: the loop whose speed is the limit. */
struct total loop_fold(const struct fold *fold, const void *data, size_t count);
/* Zeroes memory on all threads, so that it lies near all cores alike. */
void loop_touch(void *data, size_t bytes);

/* exact.c: the serial fold that a result is held against. */
struct exact {
    struct total total;
    double absolute; /* floats: the sum of |x| */
    double range;    /* floats: of the prefix sums, 0 among them */
    bool finite;     /* no nan and no infinity among the data */
};
struct exact exact_fold(const struct fold *fold, const void *data, size_t count);
/* Whether `value`, which was folded in fold->acc, can be the result. */
bool exact_agrees(const struct exact *exact, const struct fold *fold, size_t count,
                  const struct total *value);
/* `integer` as it is in a variable of the type, sign-extended. */
uint64_t exact_wrap(enum type type, uint64_t integer);

#endif
