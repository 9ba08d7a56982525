#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, for 1.2 devices */
#include "ops/chain.h"

#include "plan/operator_text.h"

#include <string.h>

/* ---- Arguments --------------------------------------------------------------------- */

/*
 * A kernel object keeps its arguments from one launch to the next, and a scalar that it
 * has already is not set again: some drivers take as long for each as the launch's own
 * work (Intel's CPU runtime 2026.22, AMD EPYC, 2026-11-22: 38 ns each of 13, by host
 * clock). Memory objects always are, since a handle comes again for another object. They
 * are set one after the other; the first failure stays.
 */
struct args {
    cl_kernel kernel;
    struct scalars *scalars; /* of that kernel */
    cl_uint index;
    cl_int status;
    const char *name;         /* of what is set */
    const clfold_arg *caller; /* the fold's argument that it is, or NULL */
};

static void set(struct args *args, size_t size, const void *value)
{
    if (args->status == CL_SUCCESS) {
        args->status = clSetKernelArg(args->kernel, args->index++, size, value);
    }
}

/* A scalar, passed over if the kernel has it, or a value that may be longer than one. */
static inline void set_value(struct args *args, size_t size, const void *value)
{
    struct scalars *scalars = args->scalars;
    const cl_uint i = args->index;
    const uint32_t bit = i < CLFOLD_MAX_SCALARS ? UINT32_C(1) << i : 0;
    uint64_t bits = 0;

    if (size > sizeof(bits) || bit == 0) {
        set(args, size, value);
        return;
    }
    memcpy(&bits, value, size);
    if (scalars->given & bit && scalars->values[i] == bits) {
        ++args->index;
        return;
    }
    set(args, size, value);
    scalars->given =
        args->status == CL_SUCCESS ? scalars->given | bit : scalars->given & ~bit;
    scalars->values[i] = bits;
}

static void set_mem(struct args *args, cl_mem mem)
{
    set(args, sizeof(mem), &mem);
}

static inline void set_ulong(struct args *args, cl_ulong value)
{
    set_value(args, sizeof(value), &value);
}

static inline void set_uint(struct args *args, cl_uint value)
{
    set_value(args, sizeof(value), &value);
}

/* A buffer or a number of the launch. */
static void set_member(struct args *args, const struct param *param,
                       const struct launch *launch)
{
    const void *value = (const char *)launch + param->offset;

    args->name = param->name;
    if (param->kind == PARAM_BUFFER) {
        set_mem(args, *(const cl_mem *)value);
    } else if (param->kind == PARAM_ULONG) {
        set_ulong(args, *(const uint64_t *)value);
    } else {
        set_uint(args, (uint32_t) * (const uint64_t *)value);
    }
}

/* CLFOLD_INIT_PARAMS and CLFOLD_START_PARAMS; `any` stands where there is no buffer. */
static void set_init(struct args *args, const struct monoid *monoid,
                     const struct init *init, cl_mem any)
{
    static const unsigned char none[CLFOLD_MAX_TYPE_SIZE];
    const unsigned char *cells = init->value ? init->value : none;

    args->name = "init";
    set_uint(args, init->at.mem ? 2 + init->is_carry : init->value ? 1 : 0);
    set_mem(args, init->at.mem ? init->at.mem : any);
    set_ulong(args, init->at.offset);
    for (uint32_t k = 0; k < clfold_monoid_num_results(monoid); ++k) {
        set_value(args, clfold_monoid_result_size(monoid, k),
                  cells + clfold_monoid_out_offset(monoid, k));
    }
}

/* CLFOLD_WITH: the caller's arguments, and the fold's own. */
static void set_with(struct args *args, const struct launch *launch,
                     const struct request *request, const struct program *program)
{
    const struct monoid *monoid = &program->fold->monoid;
    const uint32_t groups = clfold_own_groups(monoid, &program->shape.use);
    const clfold_arg *user = request->args;

    args->name = "args";
    for (size_t i = 0; i < monoid->num_args && args->status == CL_SUCCESS; ++i) {
        args->caller = &user[i];
        if (user[i].mem) {
            set_mem(args, user[i].mem);
            if (user[i].element) {
                set_ulong(args, user[i].offset);
            }
        } else {
            set_value(args, user[i].size, user[i].value);
        }
    }
    if (args->status != CL_SUCCESS) {
        return;
    }
    args->caller = NULL;
    for (const struct own_param *own = clfold_own_params;
         groups && own->type && args->status == CL_SUCCESS; ++own) {
        if (groups & own->group) {
            set_member(args, &own->param, launch);
        }
    }
    if (monoid->lifted && args->status == CL_SUCCESS) {
        set_init(args, monoid, &request->init, launch->out);
    }
}

/* All that the launch's kernel takes. */
static clfold_status set_arguments(const struct request *request, struct kernels *kernels,
                                   const struct launch *launch)
{
    const struct monoid *monoid = &kernels->of->fold->monoid;
    struct args args = { .kernel = kernels->kernels[launch->kernel],
                         .scalars = &kernels->scalars[launch->kernel] };

    for (const struct param *p = kernels->params[launch->kernel]; p->kind; ++p) {
        if (p->is_traced && !launch->trace) {
            continue;
        }
        if (p->kind == PARAM_INIT) {
            set_init(&args, monoid, monoid->lifted ? &request->carry : &request->init,
                     launch->out);
        } else if (p->kind == PARAM_WITH) {
            set_with(&args, launch, request, kernels->of);
        } else {
            set_member(&args, p, launch);
        }
        if (args.status == CL_SUCCESS) {
            continue;
        }
        return args.caller && args.caller->value
                   ? clfold_fail(request->site, args.status,
                                 "args: %s of type %s, %zu bytes: clSetKernelArg failed",
                                 args.caller->name, args.caller->type, args.caller->size)
                   : clfold_fail(request->site, args.status, "%s: clSetKernelArg failed",
                                 args.name);
    }
    return CLFOLD_OK;
}

/* ---- Commands ---------------------------------------------------------------------- */

clfold_status clfold_chain_launch(struct chain *chain, struct kernels *kernels,
                                  const struct launch *launch, bool wants_event)
{
    const struct request *request = chain->request;
    const bool in_order = request->in_order;
    const size_t group_size = kernels->of->shape.tile.group_size;
    const size_t global = (size_t)launch->num_groups * group_size;
    cl_uint num_wait = request->num_wait;
    const cl_event *wait = request->wait;
    cl_event event = NULL;
    cl_int status = set_arguments(request, kernels, launch);

    if (status) {
        return status;
    }
    if (chain->started) {
        num_wait = chain->last && !in_order ? 1 : 0;
        wait = num_wait ? &chain->last : NULL;
    }
    /* A barrier holds back later commands too, so it comes last before the launch. */
    if (!chain->started && request->behind_all && !in_order &&
        (status = clEnqueueBarrierWithWaitList(request->queue, 0, NULL, NULL))) {
        return clfold_fail_call(request->site, status, "clEnqueueBarrierWithWaitList");
    }
    chain->started = true;
    wants_event |= chain->wants_events || !in_order;
    status = clEnqueueNDRangeKernel(request->queue, kernels->kernels[launch->kernel], 1,
                                    NULL, &global, &group_size, num_wait, wait,
                                    wants_event ? &event : NULL);
    if (status != CL_SUCCESS) {
        return clfold_fail_call(request->site, status, "clEnqueueNDRangeKernel");
    }
    clfold_chain_finish(chain);
    chain->last = event;
    return CLFOLD_OK;
}

clfold_status clfold_own_queue(struct request *request)
{
    const clfold_context *context = request->context;
    cl_int status;

    request->queue = clCreateCommandQueue(context->context, context->device, 0, &status);
    request->in_order = true;
    request->behind_all = false;
    request->num_wait = 0;
    request->wait = NULL;
    return clfold_fail_call(request->site, status, "clCreateCommandQueue");
}

/* Waits for the read's own event as well: where threads share a queue and another one
 * flushes it, rusticl (Mesa 22.3) returns from a blocking read too early. */
clfold_status clfold_read(const struct request *request, cl_mem mem, size_t offset,
                          size_t size, void *host, const cl_event *wait)
{
    const struct site *site = request->site;
    cl_event done = NULL;
    cl_int status = clEnqueueReadBuffer(request->queue, mem, CL_TRUE, offset, size, host,
                                        wait != NULL, wait, &done);

    if (status != CL_SUCCESS) {
        return clfold_fail_call(site, status, "clEnqueueReadBuffer");
    }
    status = clWaitForEvents(1, &done);
    CLFOLD_RELEASE(site->log, Event, done);
    return clfold_fail_call(site, status, "clWaitForEvents");
}
