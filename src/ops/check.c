#include "ops/check.h"

#include "base/size.h"
#include "plan/scalar.h"

#include <string.h>

struct site clfold_site(const clfold_context *context, const clfold_fold *fold,
                        const char *function)
{
    /* One that is not initialised has no name either. */
    const bool has_name = fold && fold->reserved[0] == 0 && fold->name && fold->name[0];

    return (struct site){
        .log = context ? &context->log : NULL,
        .who = has_name ? fold->name : function,
    };
}

/* The numbers of enumerators: whoever makes something of a fold may use them. */
static clfold_status check_enumerators(const struct site *site, const clfold_fold *fold)
{
    const struct {
        uint32_t number, last;
        const char *field, *fault;
    } all[] = { { fold->op, CLFOLD_MATRIX_2X2, "op", "not a valid operator" },
                { fold->type, CLFOLD_F64, "type", "not a valid type" },
                { fold->in, CLFOLD_F64, "in", "not a valid type" },
                { fold->out, CLFOLD_F64, "out", "not a valid type" },
                { fold->accuracy, CLFOLD_REPRODUCIBLE, "accuracy", "unknown" } };

    for (size_t i = 0; i < CLFOLD_LENGTH(all); ++i) {
        if (all[i].number > all[i].last) {
            return REJECT(site, "%s %u is %s", all[i].field, all[i].number, all[i].fault);
        }
    }
    if (fold->segments && (fold->segments->by < CLFOLD_BY_FLAGS ||
                           fold->segments->by > CLFOLD_BY_COLUMNS)) {
        return REJECT(site, "segments: by %u is not CLFOLD_BY_FLAGS or its kin",
                      fold->segments->by);
    }
    if (fold->flags & ~CLFOLD_ALL_FLAGS) {
        return REJECT(site, "fold: flags 0x%x has unknown bits", fold->flags);
    }
    return CLFOLD_OK;
}

/* The values of the arguments; user_fold.c checks names and types when they are new.
 * Memory may be missing where there is no call yet. */
static clfold_status check_args(const struct site *site, const clfold_fold *fold,
                                uint64_t bits, bool is_call)
{
    if (!fold->args != (fold->num_args == 0)) {
        return REJECT(site, "args is %s, but num_args is %zu",
                      fold->args ? "given" : "NULL", fold->num_args);
    }
    if (fold->num_args > CLFOLD_MAX_ARGS) {
        return REJECT(site, "num_args is %zu, and %d is the most", fold->num_args,
                      CLFOLD_MAX_ARGS);
    }
    for (size_t i = 0; i < fold->num_args; ++i) {
        const clfold_arg *arg = &fold->args[i];
        const char *name = arg->name ? arg->name : "";
        bool has_mem = arg->mem || (!is_call && !arg->value && arg->size == 0);
        clfold_status status = CHECK_RESERVED(site, "args", arg);
        if (status) {
            return status;
        }
        if (arg->element > CLFOLD_F64) {
            return REJECT(site, "args[%zu] %s: element %u is not a valid type", i, name,
                          arg->element);
        }
        if (!arg->element && arg->type && arg->value && strchr(arg->type, '*')) {
            return REJECT(site,
                          "args[%zu] %s is a value of type %s: memory is passed by "
                          "CLFOLD_BUFFER",
                          i, name, arg->type);
        }
        const bool is_alone = has_mem && !arg->type && !arg->value && arg->size == 0;
        const char *fault =
            arg->element && !(bits & FACET_ELEMENTS)
                ? "is a stream, which only a load, a result, a store and a keep can use"
            : arg->element ? (is_alone ? NULL : "is a stream, but not a buffer alone")
            : !arg->type   ? "has no type"
            : has_mem && arg->value    ? "has both a value and mem"
            : !has_mem && !arg->value  ? "has neither a value nor mem"
            : has_mem && arg->size     ? "has mem, but a size as well"
            : arg->value && !arg->size ? "has a value, but size is 0"
            : arg->offset              ? "has an offset, which is for streams"
                                       : NULL;
        if (fault) {
            return REJECT(site, "args[%zu] %s %s", i, name, fault);
        }
    }
    return CLFOLD_OK;
}

/* Checks segments by flags, keys or offsets as far as no call is needed. */
static clfold_status check_heads(const struct site *site, const clfold_segments *segments)
{
    const struct scalar *type = clfold_scalar(segments->type);
    const char *name = clfold_way_name(segments->by);
    const bool are_offsets = segments->by == CLFOLD_BY_OFFSETS;

    if (segments->by > CLFOLD_BY_OFFSETS) {
        return CLFOLD_OK;
    }
    if (!type) {
        return REJECT(site, "segments: type %u of the %s is not a valid type",
                      segments->type, name);
    }
    if ((are_offsets && segments->type != CLFOLD_U32 && segments->type != CLFOLD_U64) ||
        (segments->by == CLFOLD_BY_FLAGS && type->is_float)) {
        return REJECT(site, "segments: type %s, but %s are %s",
                      clfold_scalar_name(segments->type), name,
                      are_offsets ? "u32 or u64" : "integers");
    }
    if (segments->num == SIZE_MAX) {
        return clfold_fail(site, CLFOLD_ERROR_RANGE, "segments: num %zu overflows",
                           segments->num);
    }
    return CLFOLD_OK;
}

clfold_status clfold_check_content(const struct site *site, clfold_operation operation,
                                   const clfold_fold *fold, uint64_t *bits)
{
    const clfold_segments *segments = fold->segments;
    clfold_status status;

    if ((status = check_enumerators(site, fold)) ||
        (status = CHECK_RESERVED(site, "fold", fold)) ||
        (fold->part && (status = CHECK_RESERVED(site, "part", fold->part))) ||
        (segments && (status = CHECK_RESERVED(site, "segments", segments)))) {
        return status;
    }
    *bits = clfold_facets_of(fold);
    *bits |= clfold_facets_call(fold, *bits, operation);
    if ((status = clfold_facets_check(site, *bits)) ||
        (segments && (status = check_heads(site, segments)))) {
        return status;
    }
    return check_args(site, fold, *bits, operation != 0);
}

clfold_status clfold_check_values(const struct site *site, const clfold_fold *fold,
                                  const struct monoid *monoid)
{
    if (fold->in_scalars && fold->in_scalars != monoid->num_scalars) {
        return REJECT(site, "in_scalars is %u, but %s takes %u without a load",
                      fold->in_scalars, monoid->name, monoid->num_scalars);
    }
    if (!fold->init && fold->init_size != 0) {
        return REJECT(site, "init is NULL, but init_size is %zu", fold->init_size);
    }
    if (fold->init && fold->init_size != clfold_monoid_out_size(monoid)) {
        return REJECT(site, "init_size is %zu bytes, but %s of %s needs %zu",
                      fold->init_size, monoid->name, clfold_monoid_form(monoid),
                      clfold_monoid_out_size(monoid));
    }
    for (size_t i = 0; i < monoid->num_args; ++i) {
        const clfold_arg *arg = &fold->args[i];
        if (arg->value && monoid->arg_sizes[i] && arg->size != monoid->arg_sizes[i]) {
            return REJECT(site, "args[%zu] %s has %zu bytes, but %s has %zu", i,
                          arg->name, arg->size, arg->type, monoid->arg_sizes[i]);
        }
    }
    return CLFOLD_OK;
}

/* The fold itself, interned. */
static clfold_status find_fold(const struct site *site, clfold_context *context,
                               const clfold_fold *fold, uint64_t bits,
                               struct interned **found)
{
    const clfold_segments *segments = fold->segments;
    clfold_status status = CLFOLD_OK;

    if (segments && segments->by <= CLFOLD_BY_OFFSETS && segments->type != CLFOLD_F16) {
        status = clfold_caps_check_type(&context->caps, site, "segments: type",
                                        segments->type);
    }
    return status ? status
           : clfold_fold_is_plain(fold, bits)
               ? clfold_folds_built_in(&context->folds, site, &context->caps, fold->op,
                                       fold->type, fold->in ? fold->in : fold->type,
                                       fold->accuracy, found)
               : clfold_folds_user(&context->folds, site, &context->caps, fold, bits,
                                   found);
}

clfold_status clfold_check_fold(const struct site *site, clfold_context *context,
                                clfold_operation operation, bool of_carries,
                                const clfold_fold *fold, uint64_t *bits,
                                struct interned **found)
{
    clfold_status status;

    if (!context || !fold) {
        return REJECT(site, "%s is NULL", context ? "fold" : "context");
    }
    if (!clfold_operation_row(operation)) {
        return REJECT(site, "operation %u is not a valid operation", operation);
    }
    of_carries &= fold->keep && (fold->op || fold->combine);
    if ((status = clfold_check_content(site, of_carries ? CLFOLD_SELECT : operation, fold,
                                       bits))) {
        return status;
    }
    *bits &= of_carries ? ~FACET_BIT(TRAIT_SELECT) : ~UINT64_C(0);
    status = find_fold(site, context, fold, *bits, found);
    if (status == CLFOLD_OK &&
        (status = clfold_check_values(site, fold, &(*found)->monoid))) {
        clfold_folds_give(*found);
    }
    return status;
}

clfold_status clfold_check_count(const struct site *site, const struct monoid *monoid,
                                 size_t count)
{
    size_t in = clfold_monoid_in_size(monoid), out = clfold_monoid_out_size(monoid);
    size_t written = clfold_monoid_written_size(monoid), size = in > out ? in : out,
           bytes;

    size = size > written ? size : written;
    /* A call reads up to twice as much and some more, which must not overflow either. */
    if (!clfold_size_mul(count, size, &bytes) || bytes > UINT64_MAX / 3) {
        return clfold_fail(site, CLFOLD_ERROR_RANGE,
                           "count %zu of %zu bytes each overflows", count, size);
    }
    return CLFOLD_OK;
}

clfold_status clfold_check_queue(const struct site *site, const clfold_context *context,
                                 cl_command_queue queue, bool *in_order)
{
    cl_context of_context = NULL;
    cl_device_id of_device = NULL;
    cl_command_queue_properties properties = 0;
    cl_int status;

    if (!queue) {
        return REJECT(site, "queue is NULL");
    }
#define INFO(what, to) clGetCommandQueueInfo(queue, what, sizeof(to), &(to), NULL)
    if ((status = INFO(CL_QUEUE_CONTEXT, of_context)) ||
        (status = INFO(CL_QUEUE_DEVICE, of_device)) ||
        (status = INFO(CL_QUEUE_PROPERTIES, properties))) {
#undef INFO
        return clfold_fail_call(site, status, "queue: clGetCommandQueueInfo");
    }
    if (of_context != context->context) {
        return REJECT(site, "queue %p belongs to another cl_context", (void *)queue);
    }
    if (of_device != context->device) {
        return REJECT(site, "queue %p belongs to another device than %s", (void *)queue,
                      context->caps.name);
    }
    *in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    return CLFOLD_OK;
}

clfold_status clfold_check_wait(const struct site *site, const clfold_context *context,
                                cl_uint num_wait, const cl_event *wait)
{
    cl_context event_context = NULL;
    cl_int status;

    if (!wait != (num_wait == 0)) {
        return REJECT(site, "wait is %s, but num_wait is %u", wait ? "given" : "NULL",
                      num_wait);
    }
    for (cl_uint i = 0; i < num_wait; ++i) {
        if (!wait[i]) {
            return REJECT(site, "wait[%u] is NULL", i);
        }
        status = clGetEventInfo(wait[i], CL_EVENT_CONTEXT, sizeof(event_context),
                                &event_context, NULL);
        if (status) {
            return clfold_fail(site, status, "wait[%u]: clGetEventInfo failed", i);
        }
        if (event_context != context->context) {
            return REJECT(site, "wait[%u] %p belongs to another cl_context", i,
                          (void *)wait[i]);
        }
    }
    return CLFOLD_OK;
}

clfold_status clfold_check_span(const struct site *site, const clfold_context *context,
                                struct span *span)
{
    cl_context of_context = NULL;
    cl_mem_object_type kind = 0;
    cl_mem_flags flags = 0;
    cl_mem parent = NULL;
    size_t size = 0, origin = 0, end;
    const char *counted = span->counted ? span->counted : "count";
    cl_int status;

    if (!span->mem && span->count == 0) {
        /* OpenCL has no buffer of 0 bytes, so NULL is fine for 0 elements. */
        span->root = NULL;
        span->begin = 0;
        return CLFOLD_OK;
    }
    if (!span->mem) {
        return REJECT(site, "%s is NULL", span->name);
    }
#define INFO(what, to) clGetMemObjectInfo(span->mem, what, sizeof(to), &(to), NULL)
    if ((status = INFO(CL_MEM_TYPE, kind)) ||
        (status = INFO(CL_MEM_CONTEXT, of_context)) ||
        (status = INFO(CL_MEM_FLAGS, flags)) || (status = INFO(CL_MEM_SIZE, size)) ||
        (status = INFO(CL_MEM_ASSOCIATED_MEMOBJECT, parent)) ||
        /* Only a sub-buffer has one. */
        (parent && (status = INFO(CL_MEM_OFFSET, origin)))) {
#undef INFO
        return clfold_fail(site, status, "%s: clGetMemObjectInfo failed", span->name);
    }
    if (kind != CL_MEM_OBJECT_BUFFER) {
        return REJECT(site, "%s %p is not a buffer", span->name, (void *)span->mem);
    }
    if (of_context != context->context) {
        return REJECT(site, "%s %p belongs to another cl_context", span->name,
                      (void *)span->mem);
    }
    if (flags & span->denied) {
        return REJECT(site, "%s %p is %s for kernels", span->name, (void *)span->mem,
                      span->denied == CL_MEM_WRITE_ONLY ? "write-only" : "read-only");
    }
    if (!clfold_size_add(span->offset, span->count, &end)) {
        return clfold_fail(site, CLFOLD_ERROR_RANGE, "%s: %s %zu + %s %zu overflows",
                           span->name, span->offset_name, span->offset, counted,
                           span->count);
    }
    if (end > size / span->size) {
        return clfold_fail(site, CLFOLD_ERROR_RANGE,
                           "%s holds %zu %s%s%s%s, but %s %zu + %s %zu is past its end",
                           span->name, size / span->size,
                           span->op ? "results of " : "elements of ",
                           span->op ? span->op : "", span->op ? ", " : "", span->type,
                           span->offset_name, span->offset, counted, span->count);
    }
    span->root = parent ? parent : span->mem;
    span->begin = origin + span->offset * span->size;
    return CLFOLD_OK;
}

clfold_status clfold_check_overlap(const struct site *site, const struct span *in,
                                   const struct span *out, enum overlap allowed)
{
    size_t in_end = in->begin + in->count * in->size;
    size_t out_end = out->begin + out->count * out->size;
    bool same = in->begin == out->begin;

    if (in->root != out->root || in->count == 0 || out->count == 0 ||
        in->begin >= out_end || out->begin >= in_end) {
        return CLFOLD_OK;
    }
    if (same && (allowed == OVERLAP_PLACE ||
                 (allowed == OVERLAP_ELEMENTS && in->size == out->size))) {
        return CLFOLD_OK;
    }
    if (same && allowed == OVERLAP_ELEMENTS) {
        return clfold_fail(
            site, CLFOLD_ERROR_OVERLAP,
            "%s starts where %s does, but its elements have %zu bytes, not %zu",
            out->name, in->name, out->size, in->size);
    }
    return clfold_fail(site, CLFOLD_ERROR_OVERLAP,
                       "%s, bytes %zu to %zu, overlaps %s, bytes %zu to %zu%s", out->name,
                       out->begin, out_end - 1, in->name, in->begin, in_end - 1,
                       in->advice ? in->advice : "");
}

/* All of a buffer, or the elements of a stream. */
static clfold_status span_of(struct span *span, const struct site *site,
                             const clfold_arg *arg, size_t count)
{
    size_t size = 0;
    cl_int status;

    *span = (struct span){
        .name = arg->name,
        .offset_name = "offset",
        .mem = arg->mem,
        .size = 1,
        .type = "bytes",
        .advice = ", which is all of the buffer: a sub-buffer is a part of it",
    };
    if (arg->element) {
        span->advice = NULL;
        span->offset = arg->offset;
        span->count = count;
        span->size = clfold_scalar(arg->element)->size;
        span->type = clfold_scalar_name(arg->element);
        span->denied = CL_MEM_WRITE_ONLY;
        return CLFOLD_OK;
    }
    status = clGetMemObjectInfo(arg->mem, CL_MEM_SIZE, sizeof(size), &size, NULL);
    span->count = size;
    return status == CL_SUCCESS
               ? CLFOLD_OK
               : clfold_fail(site, status, "args: %s: clGetMemObjectInfo failed",
                             arg->name);
}

clfold_status clfold_check_buffers(const struct site *site, const clfold_context *context,
                                   const clfold_arg *args, size_t num, size_t count,
                                   const struct span *out)
{
    clfold_status status = CLFOLD_OK;

    for (size_t i = 0; status == CLFOLD_OK && i < num; ++i) {
        struct span span;
        if (args[i].mem &&
            (status = span_of(&span, site, &args[i], count)) == CLFOLD_OK &&
            (status = clfold_check_span(site, context, &span)) == CLFOLD_OK && out) {
            status = clfold_check_overlap(site, &span, out, OVERLAP_NONE);
        }
    }
    return status;
}

struct span clfold_span_place(const char *name, const char *offset_name,
                              const clfold_place *place, size_t count, size_t size,
                              const char *type, cl_mem_flags denied)
{
    return (struct span){
        .name = name,
        .offset_name = offset_name,
        .mem = place->mem,
        .offset = place->offset,
        .count = count,
        .size = size,
        .type = type,
        .denied = denied,
    };
}

struct span clfold_span_in(const struct monoid *monoid, cl_mem in, size_t in_offset,
                           size_t count)
{
    return clfold_span_place("in", "in_offset", &(clfold_place){ in, in_offset }, count,
                             clfold_monoid_in_size(monoid),
                             monoid->in ? clfold_scalar_name(monoid->in) : monoid->form,
                             CL_MEM_WRITE_ONLY);
}

struct span clfold_span_result(const struct monoid *monoid, const char *name,
                               const char *offset_name, const clfold_place *place,
                               size_t count, cl_mem_flags denied)
{
    struct span span =
        clfold_span_place(name, offset_name, place, count, clfold_monoid_out_size(monoid),
                          clfold_monoid_form(monoid), denied);

    span.op = clfold_monoid_num_results(monoid) > 1 ? monoid->name : NULL;
    return span;
}

struct span clfold_span_out(const struct monoid *monoid, cl_mem out, size_t out_offset,
                            size_t count)
{
    struct span span =
        clfold_span_result(monoid, "out", "out_offset",
                           &(clfold_place){ out, out_offset }, count, CL_MEM_READ_ONLY);

    if (clfold_monoid_converts(monoid)) {
        span.size = clfold_monoid_written_size(monoid);
        span.type = monoid->out ? clfold_scalar_name(monoid->out) : span.type;
        span.op = monoid->num_out > 1 ? "a result" : NULL;
    }
    return span;
}
