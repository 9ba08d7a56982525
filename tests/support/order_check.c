#include "order_check.h"

#include "test.h"

#define ZONE 64 /* elements on either side */

const char *const order_algorithms[ORDER_ALGORITHMS] = { "scan_single_group",
                                                         "scan_then_propagate",
                                                         "reduce_then_scan" };

const struct plan_override order_tiles[ORDER_TILES] = {
    { .tile = TILE_VECTOR },
    { .tile = TILE_GROUP },
    { .tile = TILE_VECTOR, .tile_elements = 16, .max_groups = 5 },
    { .tile = TILE_GROUP, .tile_elements = 16, .group_size = 4, .max_groups = 3 },
    { .tile = TILE_VECTOR, .tile_elements = 100, .max_groups = 2 },
    { .tile = TILE_GROUP, .tile_elements = 100, .group_size = 6, .max_groups = 4 },
    { .tile = TILE_GROUP, .tile_elements = 256, .group_size = 64, .max_groups = 7 },
};

size_t order_tile_size(size_t tile)
{
    return order_tiles[tile].tile_elements ? order_tiles[tile].tile_elements : 4096;
}

cl_float as_real(cl_uint bits)
{
    cl_float real;

    memcpy(&real, &bits, sizeof(real));
    return real;
}

cl_uint as_bits(cl_float real)
{
    cl_uint bits;

    memcpy(&bits, &real, sizeof(bits));
    return bits;
}

static void fail_case(const struct order_case *scan, const char *what)
{
    fail_msg("%s %s of %zu by %s, %s of %u, %u work-items, from %zu to %zu%s: %s",
             scan->exclusive ? "exclusive" : "inclusive", scan->monoid->name, scan->count,
             scan->algorithm, clfold_tile_name(scan->plan.tile), scan->plan.tile_elements,
             scan->plan.group_size, scan->in_offset, scan->out_offset,
             scan->init ? ", with init" : "", what);
}

static cl_mem buffer_of(const struct device *device, const cl_uint *bytes, size_t num)
{
    cl_int status;
    cl_mem mem = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                num * sizeof(*bytes), (void *)(uintptr_t)bytes, &status);

    assert_int_equal(status, CL_SUCCESS);
    return mem;
}

/* Scalars of nothing that would do no harm, around the elements. */
static cl_uint *input_of(const struct order_case *scan, size_t *num)
{
    size_t width = scan->monoid->num_scalars;
    *num = (scan->in_offset + scan->count + (scan->tight ? 0 : ZONE)) * width;
    cl_uint *in = malloc(*num * sizeof(*in));

    assert_non_null(in);
    memset(in, 0x5b, *num * sizeof(*in));
    for (size_t i = 0; i < scan->count; ++i) {
        memcpy(in + (scan->in_offset + i) * width, scan->scalars[i].of, width * 4);
    }
    return in;
}

/* The loop on the host. */
static void expect(const struct order_case *scan, cl_uint *out)
{
    size_t width = scan->monoid->num_components;
    struct value total = { { 0 } };
    bool any = scan->init != NULL;

    if (scan->init) {
        total = *scan->init;
    }
    for (size_t k = 0; k < width && !any && scan->monoid->has_identity; ++k) {
        const struct component *part = &scan->monoid->components[k];
        cl_uint one = part->result == CLFOLD_F32 ? as_bits(1) : 1;
        total.of[k] = strcmp(part->identity, "1") == 0 ? one : 0;
    }
    for (size_t i = 0; i < scan->count; ++i) {
        struct value next = any ? scan->combine(total, scan->values[i]) : scan->values[i];
        memcpy(out + i * width, scan->exclusive ? total.of : next.of, width * 4);
        total = next;
        any = true;
    }
}

static void check_items(const struct order_case *scan, const cl_uint *expected,
                        const cl_uint *found, size_t num)
{
    size_t width = scan->monoid->num_components;
    size_t from = scan->out_offset * width, behind = from + scan->count * width;

    for (size_t k = 0; k < num; ++k) {
        cl_uint wanted = k < from || k >= behind ? 0xa5a5a5a5 : expected[k - from];
        if (found[k] != wanted) {
            char what[160];
            snprintf(what, sizeof(what), "component %zu of result %ld is 0x%x, not 0x%x",
                     k % width, (long)(k / width) - (long)scan->out_offset, found[k],
                     wanted);
            fail_case(scan, what);
        }
    }
}

void order_check(clfold_context *context, const struct device *device,
                 const struct order_case *scan)
{
    cl_command_queue queue =
        scan->disorder && device->disorder ? device->disorder : device->queue;
    size_t width = scan->monoid->num_components, in_num;
    size_t out_num = (scan->out_offset + scan->count + (scan->tight ? 0 : ZONE)) * width;
    cl_uint *in = input_of(scan, &in_num);
    cl_uint *out = malloc(out_num * sizeof(*out));
    cl_uint *expected = malloc((scan->count * width + 1) * sizeof(*expected));
    cl_event event = NULL;

    assert_non_null(out);
    assert_non_null(expected);
    memset(out, 0xa5, out_num * sizeof(*out));
    cl_mem in_mem = buffer_of(device, in, in_num),
           out_mem = buffer_of(device, out, out_num);
    clfold_context_override(context, &scan->plan);
    clfold_status status = clfold_scan_monoid(
        context, queue, scan->monoid, scan->algorithm, scan->exclusive, in_mem,
        scan->in_offset, out_mem, scan->out_offset, scan->count,
        scan->init ? scan->init->of : NULL, 0, NULL, &event);
    if (status) {
        fail_case(scan, clfold_last_error());
    }
    expect(scan, expected);
    assert_int_equal(clEnqueueReadBuffer(queue, out_mem, CL_TRUE, 0, out_num * 4, out, 1,
                                         &event, NULL),
                     CL_SUCCESS);
    check_items(scan, expected, out, out_num);
    clReleaseEvent(event);
    clReleaseMemObject(in_mem);
    clReleaseMemObject(out_mem);
    free(in);
    free(out);
    free(expected);
}
