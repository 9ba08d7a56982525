#include "order_check.h"

#include "lookback.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZONE 64 /* elements on either side */

const char *const order_algorithms[ORDER_ALGORITHMS] = {
    "scan_single_group", "serial",        "scan_then_propagate",
    "reduce_then_scan",  "scan_lookback", "scan_chained"
};

const struct debug order_tiles[ORDER_TILES] = {
    { .tile = TILE_VECTOR },
    { .tile = TILE_GROUP },
    { .tile = TILE_VECTOR, .tile_elements = 16, .max_groups = 5, .anchor = 4 },
    { .tile = TILE_GROUP,
      .tile_elements = 100,
      .group_size = 6,
      .max_groups = 4,
      .anchor = 3 },
    { .tile = TILE_ITEM },
    { .tile = TILE_ITEM, .tile_elements = 22, .max_groups = 5, .anchor = 4 },
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

static bool explain(const struct order_case *scan, const char *what, char *why,
                    size_t why_size)
{
    snprintf(
        why, why_size,
        "%s %s of %zu by %s, %s of %u, %u work-items, anchor %u, from %zu to %zu%s: %s",
        scan->reduces     ? "reduced"
        : scan->exclusive ? "exclusive"
                          : "inclusive",
        scan->monoid->name, scan->count, scan->algorithm ? scan->algorithm : "policy",
        clfold_tile_name(scan->plan.tile), scan->plan.tile_elements,
        scan->plan.group_size, scan->plan.anchor, scan->in_offset, scan->out_offset,
        scan->init ? ", with init" : "", what);
    return false;
}

static cl_mem buffer_of(const struct device *device, const cl_uint *bytes, size_t num)
{
    cl_int status;
    cl_mem mem = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                num * sizeof(*bytes), (void *)(uintptr_t)bytes, &status);

    return status == CL_SUCCESS ? mem : NULL;
}

/* Around the elements are scalars that would show. */
static void fill_input(const struct order_case *scan, cl_uint *in, size_t num)
{
    size_t width = scan->monoid->num_scalars;

    memset(in, 0x5b, num * sizeof(*in));
    for (size_t i = 0; i < scan->count; ++i) {
        memcpy(in + (scan->in_offset + i) * width, scan->scalars[i].parts, width * 4);
    }
}

static size_t num_results(const struct order_case *scan)
{
    return scan->reduces ? 1 : scan->count;
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
        total.parts[k] = strcmp(part->identity, "1") == 0 ? one : 0;
    }
    for (size_t i = 0; i < scan->count; ++i) {
        struct value next = any ? scan->combine(total, scan->values[i]) : scan->values[i];
        if (!scan->reduces) {
            memcpy(out + i * width, scan->exclusive ? total.parts : next.parts,
                   width * 4);
        }
        total = next;
        any = true;
    }
    if (scan->reduces) {
        memcpy(out, total.parts, width * 4);
    }
}

static bool compare(const struct order_case *scan, const cl_uint *expected,
                    const cl_uint *found, size_t num, char *why, size_t why_size)
{
    size_t width = scan->monoid->num_components;
    size_t from = scan->out_offset * width, behind = from + num_results(scan) * width;

    for (size_t k = 0; k < num; ++k) {
        cl_uint wanted = k < from || k >= behind ? 0xa5a5a5a5 : expected[k - from];
        if (found[k] != wanted) {
            char what[160];
            snprintf(what, sizeof(what), "component %zu of result %ld is 0x%x, not 0x%x",
                     k % width, (long)(k / width) - (long)scan->out_offset, found[k],
                     wanted);
            return explain(scan, what, why, why_size);
        }
    }
    return true;
}

struct run {
    cl_uint *in, *out, *expected;
    size_t in_num, out_num, num; /* scalars; `num` of the results */
    cl_mem in_mem, out_mem;
};

static bool run_init(struct run *run, const struct device *device,
                     const struct order_case *scan)
{
    size_t zone = scan->tight ? 0 : ZONE;

    run->num = num_results(scan) * scan->monoid->num_components;
    run->in_num = (scan->in_offset + scan->count + zone) * scan->monoid->num_scalars;
    run->out_num =
        (scan->out_offset + num_results(scan) + zone) * scan->monoid->num_components;
    run->in = malloc(run->in_num * sizeof(*run->in));
    run->out = malloc(run->out_num * sizeof(*run->out));
    run->expected = malloc((run->num + 1) * sizeof(*run->expected));
    if (!run->in || !run->out || !run->expected) {
        return false;
    }
    fill_input(scan, run->in, run->in_num);
    memset(run->out, 0xa5, run->out_num * sizeof(*run->out));
    run->in_mem = buffer_of(device, run->in, run->in_num);
    run->out_mem = buffer_of(device, run->out, run->out_num);
    return run->in_mem && run->out_mem;
}

static void run_finish(struct run *run)
{
    if (run->in_mem) {
        clReleaseMemObject(run->in_mem);
    }
    if (run->out_mem) {
        clReleaseMemObject(run->out_mem);
    }
    free(run->in);
    free(run->out);
    free(run->expected);
}

static clfold_status enqueue(clfold_context *context, const struct device *device,
                             const struct order_case *scan, struct run *run)
{
    cl_command_queue queue =
        scan->disorder && device->disorder ? device->disorder : device->queue;
    static struct debug plan; /* which the context keeps */
    const char *algorithm = scan->algorithm;
    const cl_uint *init = scan->init ? scan->init->parts : NULL;
    cl_event event = NULL;
    clfold_status status = CLFOLD_OK;

    plan = !scan->reduces && may_look_back(scan->algorithm)
               ? with_tier(device, scan->plan)
               : scan->plan;
    clfold_context_override(context, &plan);
    for (int again = 0; again < 2; ++again) {
        status = scan->reduces
                     ? clfold_reduce_monoid(context, queue, scan->monoid, algorithm,
                                            run->in_mem, scan->in_offset, run->out_mem,
                                            scan->out_offset, scan->count, init, 0, NULL,
                                            &event)
                     : clfold_scan_monoid(context, queue, scan->monoid, algorithm,
                                          scan->exclusive, run->in_mem, scan->in_offset,
                                          run->out_mem, scan->out_offset, scan->count,
                                          init, 0, NULL, &event);
        if (!is_due_refusal(device, algorithm, &plan, false, status)) {
            break;
        }
        algorithm = LOOKBACK_INSTEAD;
    }
    if (status == CLFOLD_OK) {
        status = clEnqueueReadBuffer(queue, run->out_mem, CL_TRUE, 0, run->out_num * 4,
                                     run->out, 1, &event, NULL);
        clReleaseEvent(event);
    }
    return status;
}

bool order_check(clfold_context *context, const struct device *device,
                 const struct order_case *scan, cl_uint *results, char *why,
                 size_t why_size)
{
    struct run run = { 0 };
    bool right;

    if (!run_init(&run, device, scan)) {
        run_finish(&run);
        return explain(scan, "no memory for its buffers", why, why_size);
    }
    if (scan->expected) {
        memcpy(run.expected, scan->expected, run.num * sizeof(*run.expected));
    } else if (scan->values) {
        expect(scan, run.expected);
    }
    clfold_status status = enqueue(context, device, scan, &run);
    if (status) {
        char what[512];
        snprintf(what, sizeof(what), "%s; %s", clfold_status_name(status),
                 clfold_last_error());
        right = explain(scan, what, why, why_size);
    } else {
        right = !(scan->expected || scan->values) ||
                compare(scan, run.expected, run.out, run.out_num, why, why_size);
    }
    if (results) {
        memcpy(results, run.out + scan->out_offset * scan->monoid->num_components,
               run.num * sizeof(*results));
    }
    run_finish(&run);
    return right;
}
