/* One fold on the device against the oracle, for tests and for what breaks kernels on
 * purpose: a wrong result is an answer here, no failure. */
#ifndef CLFOLD_TESTS_FOLD_CHECK_H
#define CLFOLD_TESTS_FOLD_CHECK_H

#include "device.h"
#include "oracle.h"

#include "ops/internal.h"

/* The zero of a field is the plainest. */
struct fold_case {
    clfold_op op;
    struct pair pair;
    const char *algorithm; /* NULL: the policy's */
    struct debug plan;     /* how it is forced; `group_size` is a rung's too */
    size_t count, offset, out_offset;
    bool zone;      /* 64 elements of poison before `offset` */
    bool init, nan; /* a NaN among the elements, where the buffer's type has one */
    uint64_t seed;  /* of the data */
};

/* "arg-min of 100 u8 into u64 by reduce3 in groups of 50, from element 3" */
void fold_print(const struct fold_case *fold, char *text, size_t size);

/*
 * Folds data of fill_fold, and compares. The input lies between elements that would show
 * in the result, and must stay as it was; the result lies between bytes that must stay.
 * Returns false with a sentence in `why` if anything is otherwise. Sets the context's
 * override.
 */
bool fold_check(clfold_context *context, const struct device *device,
                cl_command_queue queue, const struct fold_case *fold, char *why,
                size_t why_size);

#endif
