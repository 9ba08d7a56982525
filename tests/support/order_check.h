/* One scan or reduction by a monoid in internal form against a loop on the host. All
 * scalars and components take 32 bits. */
#ifndef CLFOLD_TESTS_ORDER_CHECK_H
#define CLFOLD_TESTS_ORDER_CHECK_H

#include "device.h"

#include "ops/internal.h"

#define ORDER_WIDTH 4 /* components at most */

/* An element's scalars, or any item; floats as their bits. */
struct value {
    cl_uint parts[ORDER_WIDTH];
};

cl_float as_real(cl_uint bits);
cl_uint as_bits(cl_float real);

struct order_case {
    const struct monoid *monoid; /* an identity is "0" or "1" */
    struct value (*combine)(struct value a, struct value b);
    /* Of `count` elements; no values: the loop on the host knows nothing. */
    const struct value *scalars, *values;
    const struct value *init; /* NULL: none */
    struct debug plan;
    const char *algorithm;   /* NULL: the policy's */
    bool exclusive, reduces; /* neither: an inclusive scan */
    bool disorder;
    bool tight;              /* buffers end with the last element */
    const cl_uint *expected; /* instead of what the loop gives, if not NULL */
    size_t count, in_offset, out_offset;
};

/* Compares bit for bit, and the bytes around the results with what they were. Returns
 * false with a sentence in `why` if anything is otherwise. `results`, if not NULL, gets
 * the results. Sets the context's override. */
bool order_check(clfold_context *context, const struct device *device,
                 const struct order_case *scan, cl_uint *results, char *why,
                 size_t why_size);

#define ORDER_TILES      6
#define ORDER_ALGORITHMS 6
/* The policy's tile of each kind, and a small one of each in blocks, the group's of lanes
 * that are no power of two. */
extern const struct debug order_tiles[ORDER_TILES];
extern const char *const order_algorithms[ORDER_ALGORITHMS];

/* Elements of this tile, only approximate if it is the policy's. */
size_t order_tile_size(size_t tile);

#endif
