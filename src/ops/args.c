#include "ops/args.h"

#include "plan/user_fold.h"

#include <string.h>

static void set(struct args *args, size_t size, const void *value)
{
    if (args->status == CL_SUCCESS) {
        args->status = clSetKernelArg(args->kernel, args->index++, size, value);
    }
}

/* The value's bytes, 8 at most, are those of a scalar of that size. */
static void set_scalar(struct args *args, size_t size, const void *value)
{
    struct scalars *scalars = args->scalars;
    cl_uint index = args->index;
    uint64_t bytes = 0;
    uint32_t bit;

    if (args->status != CL_SUCCESS || index >= CLFOLD_MAX_SCALARS) {
        set(args, size, value);
        return;
    }
    bit = UINT32_C(1) << index;
    memcpy(&bytes, value, size);
    if ((scalars->given & bit) && scalars->values[index] == bytes) {
        ++args->index;
        return;
    }
    set(args, size, value);
    if (args->status == CL_SUCCESS) {
        scalars->given |= bit;
        scalars->values[index] = bytes;
    } else {
        scalars->given &= ~bit;
    }
}

void clfold_args_mem(struct args *args, cl_mem mem)
{
    set(args, sizeof(mem), &mem);
}

void clfold_args_ulong(struct args *args, uint64_t value)
{
    cl_ulong argument = value;

    set_scalar(args, sizeof(argument), &argument);
}

void clfold_args_uint(struct args *args, uint32_t value)
{
    cl_uint argument = value;

    set_scalar(args, sizeof(argument), &argument);
}

/* A value that may be longer than a scalar. */
static void set_value(struct args *args, size_t size, const void *value)
{
    if (size <= sizeof(uint64_t)) {
        set_scalar(args, size, value);
    } else {
        set(args, size, value);
    }
}

void clfold_args_with(struct args *args, const struct monoid *monoid,
                      const clfold_arg *user, size_t num, uint64_t in_offset,
                      uint64_t count, const struct segments *segments)
{
    for (size_t i = 0; i < num && args->status == CL_SUCCESS; ++i) {
        args->rejected = &user[i];
        if (user[i].mem) {
            clfold_args_mem(args, user[i].mem);
            if (user[i].element) {
                clfold_args_ulong(args, user[i].offset);
            }
        } else {
            set_value(args, user[i].size, user[i].value);
        }
    }
    if (args->status == CL_SUCCESS) {
        args->rejected = NULL;
    }
    if (clfold_monoid_has_place(monoid)) {
        clfold_args_ulong(args, in_offset);
        clfold_args_ulong(args, count);
    }
    if (clfold_monoid_uses_segment(monoid)) {
        /* Without segments all elements are one. */
        clfold_args_ulong(args, segments->width > 0 ? segments->width : 1);
        clfold_args_ulong(args, segments->width > 0 ? segments->length : UINT64_MAX);
    }
}

void clfold_args_place(struct args *args, cl_mem mem, size_t offset, cl_mem any)
{
    clfold_args_mem(args, mem ? mem : any);
    clfold_args_ulong(args, offset);
}

void clfold_args_part(struct args *args, const struct monoid *monoid, uint64_t first,
                      const clfold_place *carry_out, cl_mem any)
{
    if (monoid->in_part && args->status == CL_SUCCESS) {
        clfold_args_ulong(args, first);
        clfold_args_place(args, carry_out->mem, carry_out->offset, any);
        clfold_args_uint(args, carry_out->mem != NULL);
    }
}

void clfold_args_heads(struct args *args, const struct monoid *monoid, cl_mem heads,
                       size_t offset, const clfold_part *part, uint64_t count,
                       const struct init *init, cl_mem any)
{
    if (monoid->heads && args->status == CL_SUCCESS) {
        clfold_args_place(args, heads, offset, any);
        if (monoid->in_part && monoid->heads == CLFOLD_BY_KEYS) {
            const clfold_place *at = &part->key_at, *to = &part->key_out;
            clfold_args_ulong(args, count);
            clfold_args_place(args, at->mem, at->offset, any);
            clfold_args_uint(args, part->first > 0 && at->mem);
            clfold_args_place(args, to->mem, to->offset, any);
            clfold_args_uint(args, to->mem != NULL);
        }
        clfold_args_init(args, monoid, init, any);
    }
}

void clfold_args_init(struct args *args, const struct monoid *monoid,
                      const struct init *init, cl_mem any)
{
    static const unsigned char none[CLFOLD_MAX_TYPE_SIZE];
    const unsigned char *cells = init->value ? init->value : none;

    clfold_args_uint(args, init->at.mem ? 2 + init->is_carry : init->value ? 1 : 0);
    clfold_args_place(args, init->at.mem, init->at.offset, any);
    for (uint32_t k = 0; k < clfold_monoid_num_results(monoid); ++k) {
        set_value(args, clfold_monoid_result_size(monoid, k),
                  cells + clfold_monoid_out_offset(monoid, k));
    }
}
