/* The checks that all calls share. Each error is one sentence that names the argument and
 * its value. */
#ifndef CLFOLD_OPS_CHECK_H
#define CLFOLD_OPS_CHECK_H

#include "ops/context.h"

/* "sum" if the fold is named, else the function. */
struct site clfold_site(const clfold_context *context, const clfold_fold *fold,
                        const char *function);

/* The one check of a fold before anything is made of it: all that needs neither a device
 * nor what the texts say. `operation` is 0 where no call is made yet: memory of args may
 * be missing then. *bits become its facets. */
clfold_status clfold_check_content(const struct site *site, clfold_operation operation,
                                   const clfold_fold *fold, uint64_t *bits);

/* Whether it is a built-in operator alone, on elements and results as they are. */
static inline bool clfold_fold_is_plain(const clfold_fold *fold, uint64_t bits)
{
    return clfold_facets_built_in(bits) && !fold->out_scalars &&
           (!fold->out || fold->out == fold->type);
}

/* The sizes of the fold's values, once its monoid is made. */
clfold_status clfold_check_values(const struct site *site, const clfold_fold *fold,
                                  const struct monoid *monoid);

/* Checks a fold without a call: context and fold are not NULL, every field is valid and
 * in this version, and the device has the types. Interns the fold, which the caller holds
 * until clfold_folds_give. A reduction of carries takes the fold of a select, too. */
clfold_status clfold_check_fold(const struct site *site, clfold_context *context,
                                clfold_operation operation, bool of_carries,
                                const clfold_fold *fold, uint64_t *bits,
                                struct interned **found);

/* Checks that the bytes of `count` elements do not overflow. */
clfold_status clfold_check_count(const struct site *site, const struct monoid *monoid,
                                 size_t count);

/* Checks that the queue belongs to the context's cl_context and device; returns whether
 * it keeps order. */
clfold_status clfold_check_queue(const struct site *site, const clfold_context *context,
                                 cl_command_queue queue, bool *in_order);

/* Checks that events belong to the context's cl_context: PoCL never stops waiting for
 * others. */
clfold_status clfold_check_wait(const struct site *site, const clfold_context *context,
                                cl_uint num_wait, const cl_event *wait);

/* A run of elements in a buffer, as the caller names it. */
struct span {
    const char *name, *offset_name; /* "in", "in_offset" */
    cl_mem mem;
    size_t offset, count; /* in elements */
    size_t size;          /* of an element, in bytes */
    const char *type;     /* "f32" */
    const char *op;       /* "arg-min", where elements are results of another form */
    const char *counted;  /* "segments", where the count is not the call's; or NULL */
    cl_mem_flags denied;  /* CL_MEM_WRITE_ONLY: kernels must read it */
    const char *advice;   /* the end of a sentence on its overlap; NULL: none */
    /* found by clfold_check_span: the parent of a sub-buffer, and the first byte there */
    cl_mem root;
    size_t begin;
};

/* Checks that the buffer belongs to the context and holds the run; an empty run needs no
 * buffer. */
clfold_status clfold_check_span(const struct site *site, const clfold_context *context,
                                struct span *span);

/* Whether two spans that passed their checks begin at the same byte. */
static inline bool clfold_span_same(const struct span *a, const struct span *b)
{
    return a->root && a->root == b->root && a->begin == b->begin;
}

/* Rejects an `out` that overlaps `in`, unless `allowed` permits it: PLACE if both begin
 * at the same byte, ELEMENTS if their elements also have one size. */
enum overlap { OVERLAP_NONE, OVERLAP_PLACE, OVERLAP_ELEMENTS };
clfold_status clfold_check_overlap(const struct site *site, const struct span *in,
                                   const struct span *out, enum overlap allowed);

/* The memory among a fold's arguments: buffers, and `count` elements of each stream. An
 * output must not overlap it, if there is one. */
clfold_status clfold_check_buffers(const struct site *site, const clfold_context *context,
                                   const clfold_arg *args, size_t num, size_t count,
                                   const struct span *out);

/* A place with what it holds. */
struct span clfold_span_place(const char *name, const char *offset_name,
                              const clfold_place *place, size_t count, size_t size,
                              const char *type, cl_mem_flags denied);

/* The elements that a call reads. */
struct span clfold_span_in(const struct monoid *monoid, cl_mem in, size_t in_offset,
                           size_t count);

/* A place for a result, named `name` and `offset_name`. */
struct span clfold_span_result(const struct monoid *monoid, const char *name,
                               const char *offset_name, const clfold_place *place,
                               size_t count, cl_mem_flags denied);

#define CARRIES "carries, of clfold_layout's carry_size each"

/* The elements that a call writes. */
struct span clfold_span_out(const struct monoid *monoid, cl_mem out, size_t out_offset,
                            size_t count);

#endif
