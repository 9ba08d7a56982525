#include "ops/args.h"

#include "ops/request.h"
#include "plan/operator_text.h"

#include <string.h>

/* Set one after the other; the first failure stays. */
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

/* Passes over a scalar that the kernel has. `bits`: its value. */
static inline bool has_scalar(struct args *args, uint64_t bits)
{
    const struct scalars *scalars = args->scalars;
    const cl_uint i = args->index;
    const bool has =
        i < CLFOLD_MAX_SCALARS && scalars->given >> i & 1 && scalars->values[i] == bits;

    args->index += has;
    return has;
}

static void set_scalar(struct args *args, size_t size, const void *value, uint64_t bits)
{
    struct scalars *scalars = args->scalars;
    const cl_uint i = args->index;

    set(args, size, value);
    if (i < CLFOLD_MAX_SCALARS) {
        scalars->given &= ~(UINT32_C(1) << i);
        scalars->given |= (uint32_t)(args->status == CL_SUCCESS) << i;
        scalars->values[i] = bits;
    }
}

static void set_mem(struct args *args, cl_mem mem)
{
    set(args, sizeof(mem), &mem);
}

/* A value that may be longer than a scalar. */
static inline void set_value(struct args *args, size_t size, const void *value)
{
    uint64_t bits = 0;

    if (size > sizeof(bits)) {
        set(args, size, value);
        return;
    }
    memcpy(&bits, value, size);
    if (!has_scalar(args, bits)) {
        set_scalar(args, size, value, bits);
    }
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
                     const struct request *request)
{
    const struct monoid *monoid = request->job.monoid;
    const uint32_t groups = clfold_own_groups(monoid, &request->job.use);
    const clfold_arg *user = request->args;

    args->name = "args";
    for (size_t i = 0; i < request->num_args && args->status == CL_SUCCESS; ++i) {
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

clfold_status clfold_set_arguments(const struct site *site, struct kernels *kernels,
                                   const struct launch *launch,
                                   const struct request *request)
{
    const struct monoid *monoid = request->job.monoid;
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
            set_with(&args, launch, request);
        } else {
            set_member(&args, p, launch);
        }
        if (args.status == CL_SUCCESS) {
            continue;
        }
        return args.caller && args.caller->value
                   ? clfold_fail(site, args.status,
                                 "args: %s of type %s, %zu bytes: clSetKernelArg failed",
                                 args.caller->name, args.caller->type, args.caller->size)
                   : clfold_fail(site, args.status, "%s: clSetKernelArg failed",
                                 args.name);
    }
    return CLFOLD_OK;
}
