/* The device under test and one context on it, for programs that need no more. */
#ifndef CLFOLD_TESTS_ONE_CONTEXT_H
#define CLFOLD_TESTS_ONE_CONTEXT_H

#include "device.h"

#include "plan/policy.h"

extern struct device device;
extern clfold_context *ctx;

/* cmocka's fixture for a group of tests. */
int open_context(void **state);
int close_context(void **state);

/* Whether the device's policy has the tile, so that it may be forced: GPUs' have no
 * TILE_ITEM, and some drivers no TILE_GROUP to trust. TILE_NONE: the policy's first. */
bool policy_has_tile(enum tile_kind tile);

/* The tile that is taken where this one is forced: TILE_NONE is the policy's first. */
enum tile_kind policy_tile(enum tile_kind forced);

/* A buffer whose bytes are all COLOUR. */
#define COLOUR 0xa5
cl_mem coloured_buffer(size_t size);

/* A buffer that holds a copy of the data. */
cl_mem copied_buffer(const void *data, size_t size);

/* Copies `size` bytes, or none, to `offset` bytes from the buffer's start. */
void write_buffer(cl_mem mem, size_t offset, size_t size, const void *data);

/* And what stands there. */
void load_buffer(cl_mem mem, size_t offset, size_t size, void *data);

/* The call of an operation on the device's queue. */
clfold_status call_operation(clfold_operation operation, const clfold_fold *fold,
                             cl_mem in, size_t in_offset, cl_mem out, size_t out_offset,
                             size_t count);

#endif
