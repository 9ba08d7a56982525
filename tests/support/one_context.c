#include "one_context.h"
#include "test.h"

#include "ops/context.h"

struct device device;
clfold_context *ctx;

int open_context(void **state)
{
    (void)state;
    device_init(&device);
    return device_context(&ctx, &device, NULL);
}

bool policy_has_tile(enum tile_kind tile)
{
    struct policy policies[CLFOLD_MAX_CANDIDATES];
    const uint32_t num = clfold_policies(&ctx->caps.facts, FAMILY_REDUCE, 4, policies);
    bool found = tile == TILE_NONE;

    for (uint32_t i = 0; i < num; ++i) {
        found |= policies[i].tile == tile && (tile != TILE_GROUP || device_has_groups());
    }
    return found;
}

enum tile_kind policy_tile(enum tile_kind forced)
{
    struct policy policies[CLFOLD_MAX_CANDIDATES];

    clfold_policies(&ctx->caps.facts, FAMILY_REDUCE, 4, policies);
    return forced == TILE_NONE ? policies[0].tile : forced;
}

int close_context(void **state)
{
    (void)state;
    clfold_context_destroy(&ctx);
    device_finish(&device);
    return 0;
}

cl_mem coloured_buffer(size_t size)
{
    const cl_uchar colour = COLOUR;
    cl_int status;
    cl_mem mem = clCreateBuffer(device.context, CL_MEM_READ_WRITE, size, NULL, &status);

    assert_int_equal(status, CL_SUCCESS);
    assert_int_equal(
        clEnqueueFillBuffer(device.queue, mem, &colour, 1, 0, size, 0, NULL, NULL),
        CL_SUCCESS);
    return mem;
}

cl_mem copied_buffer(const void *data, size_t size)
{
    cl_int status;
    cl_mem mem = clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                size, (void *)(uintptr_t)data, &status);

    assert_int_equal(status, CL_SUCCESS);
    return mem;
}

void write_buffer(cl_mem mem, size_t offset, size_t size, const void *data)
{
    if (size > 0) {
        assert_int_equal(clEnqueueWriteBuffer(device.queue, mem, CL_TRUE, offset, size,
                                              data, 0, NULL, NULL),
                         CL_SUCCESS);
    }
}

void load_buffer(cl_mem mem, size_t offset, size_t size, void *data)
{
    if (size > 0) {
        assert_int_equal(clEnqueueReadBuffer(device.queue, mem, CL_TRUE, offset, size,
                                             data, 0, NULL, NULL),
                         CL_SUCCESS);
    }
}

clfold_status call_operation(clfold_operation operation, const clfold_fold *fold,
                             cl_mem in, size_t in_offset, cl_mem out, size_t out_offset,
                             size_t count)
{
    clfold_status (*const calls[])(clfold_context *, cl_command_queue,
                                   const clfold_fold *, cl_mem, size_t, cl_mem, size_t,
                                   size_t, cl_uint, const cl_event *, cl_event *) = {
        [CLFOLD_REDUCE] = clfold_reduce,
        [CLFOLD_INCLUSIVE_SCAN] = clfold_inclusive_scan,
        [CLFOLD_EXCLUSIVE_SCAN] = clfold_exclusive_scan,
        [CLFOLD_MAP] = clfold_map,
        [CLFOLD_SELECT] = clfold_select,
    };

    return calls[operation](ctx, device.queue, fold, in, in_offset, out, out_offset,
                            count, 0, NULL, NULL);
}
