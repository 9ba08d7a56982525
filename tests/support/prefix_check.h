/* One scan or reduction on the device against the oracle, for tests and for what breaks
 * kernels on purpose: a wrong result is an answer here, no failure. */
#ifndef CLFOLD_TESTS_PREFIX_CHECK_H
#define CLFOLD_TESTS_PREFIX_CHECK_H

#include "device.h"
#include "oracle.h"

#include "ops/internal.h"

enum init_from { INIT_NONE, INIT_HOST, INIT_DEVICE };
enum total_to { TOTAL_NONE, TOTAL_APART, TOTAL_BEHIND /* out[count] */ };

/* The zero of a field is the plainest. */
struct prefix_case {
    clfold_op op;
    struct pair pair;
    const char *algorithm; /* NULL: the policy's */
    struct debug plan;
    bool exclusive, reduces; /* neither: an inclusive scan */
    size_t count, in_offset, out_offset;
    bool in_place; /* both at in_offset; elements and results are of one size */
    bool zones;    /* 64 elements more before both */
    enum init_from init;
    enum total_to total;
    bool nan; /* among the elements, where the buffer's type has one */
    /* Rounding data, each item within the bound of this number of roundings; 0: exact. */
    double depth;
    /* Buffers over memory of the host that begins so many bytes past a multiple of 64;
     * with `host` false, the driver's own. */
    bool host;
    size_t in_shift, out_shift;
    bool tight;    /* buffers end with the last element */
    uint64_t seed; /* of the data */
};

/* "exclusive arg-min of 100 u8 into u64 by scan_then_propagate, tile_group of 64 ..." */
void prefix_print(const struct prefix_case *scan, char *text, size_t size);

/*
 * Folds data of fill_fold, and compares items, total and status. The input lies between
 * elements that would show in the result, and must stay as it was unless it is scanned in
 * place; results lie between bytes that must stay, and so does init. Returns false with a
 * sentence in `why` if anything is otherwise. `results`, if not NULL, gets the items, and
 * the total after them. Sets the context's override.
 */
bool prefix_check(clfold_context *context, const struct device *device,
                  cl_command_queue queue, const struct prefix_case *scan, void *results,
                  char *why, size_t why_size);

#endif
