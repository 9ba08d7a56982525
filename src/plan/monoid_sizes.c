/* Sizes and properties of a monoid, which follow from its members. */
#include "base/size.h"
#include "plan/monoid.h"
#include "plan/scalar.h"

static size_t size_of(const struct monoid *monoid, clfold_type type)
{
    return type ? clfold_scalar(type)->size : monoid->type_size;
}

/* What a scalar of so many bytes is aligned to, or a type that only OpenCL C knows: that
 * is a power of two which divides the size. */
static size_t alignment_of(size_t size)
{
    return size & (~size + 1);
}

/* Where member `last` of a struct begins; its end where that is their number. */
static size_t struct_offset(const struct monoid *monoid, bool items, uint32_t last)
{
    const uint32_t num = items ? clfold_monoid_num_parts(monoid) : monoid->num_components;
    size_t end = 0, widest = 1;

    for (uint32_t k = 0; k <= last; ++k) {
        const struct component *component = &monoid->components[k];
        if (k == num) {
            return clfold_size_round_up(end, widest);
        }
        size_t size = size_of(monoid, items ? component->item : component->result);
        size_t alignment = alignment_of(size);
        end = clfold_size_round_up(end, alignment) + (k < last ? size : 0);
        widest = alignment > widest ? alignment : widest;
    }
    return end;
}

uint32_t clfold_chunk_elements(size_t size)
{
    uint32_t chunk = 1;

    while (chunk * size % 16 != 0) {
        chunk *= 2;
    }
    return chunk * size > 64 ? 1 : chunk;
}

size_t clfold_monoid_in_size(const struct monoid *monoid)
{
    return monoid->in_struct ? struct_offset(monoid, false, monoid->num_components)
                             : clfold_scalar(monoid->in)->size * monoid->num_scalars;
}

bool clfold_monoid_reads_in(const struct monoid *monoid)
{
    const struct uses *loads = &monoid->loads, *writes = &monoid->writes,
                      *keeps = &monoid->keeps;

    return !monoid->load || loads->x || loads->in || writes->x || writes->in ||
           keeps->x || keeps->in;
}

size_t clfold_monoid_read_size(const struct monoid *monoid)
{
    size_t size = clfold_monoid_reads_in(monoid) ? clfold_monoid_in_size(monoid) : 0;

    for (uint32_t i = 0; i < monoid->num_args; ++i) {
        size +=
            monoid->arg_elements[i] ? clfold_scalar(monoid->arg_elements[i])->size : 0;
    }
    return size;
}

size_t clfold_monoid_written_size(const struct monoid *monoid)
{
    return monoid->out ? clfold_scalar(monoid->out)->size * monoid->num_out
                       : clfold_monoid_out_size(monoid);
}

size_t clfold_monoid_item_size(const struct monoid *monoid)
{
    return struct_offset(monoid, true, clfold_monoid_num_parts(monoid));
}

size_t clfold_monoid_scanned_size(const struct monoid *monoid)
{
    return monoid->keeps_runs             ? 2 * sizeof(cl_ulong)
           : clfold_monoid_counts(monoid) ? sizeof(cl_ulong)
                                          : clfold_monoid_item_size(monoid);
}

size_t clfold_monoid_carry_size(const struct monoid *monoid)
{
    struct monoid plain = *monoid;

    plain.lifted = false;
    return clfold_monoid_item_size(&plain);
}

size_t clfold_monoid_tail(const struct monoid *monoid, bool of_item)
{
    uint32_t num = of_item ? clfold_monoid_num_parts(monoid) : monoid->num_components;
    const struct component *last = &monoid->components[num - 1];

    return struct_offset(monoid, of_item, num) - struct_offset(monoid, of_item, num - 1) -
           size_of(monoid, of_item ? last->item : last->result);
}

size_t clfold_monoid_out_offset(const struct monoid *monoid, uint32_t k)
{
    return monoid->out_struct ? struct_offset(monoid, false, k)
                              : clfold_scalar(monoid->cell)->size * k;
}

size_t clfold_monoid_result_size(const struct monoid *monoid, uint32_t k)
{
    return size_of(monoid, clfold_monoid_result_type(monoid, k));
}

bool clfold_monoid_has_item16(const struct monoid *monoid)
{
    bool same = !monoid->is_scalar && !monoid->out_struct && !monoid->type_name &&
                !monoid->writes.lanes && !(monoid->keeps_scan && monoid->keeps.lanes);

    for (uint32_t k = 0; same && k < monoid->num_components; ++k) {
        same = clfold_scalar(monoid->components[k].item)->size ==
               clfold_scalar(monoid->cell)->size;
    }
    return same;
}

bool clfold_monoid_uses(const struct monoid *monoid, clfold_type type)
{
    bool uses = monoid->value == type || monoid->cell == type || monoid->loaded == type ||
                (monoid->out == type && type != CLFOLD_F16);

    for (uint32_t i = 0; i < monoid->num_args; ++i) {
        /* Halves are read as F32. */
        uses |= type != CLFOLD_F16 && monoid->arg_elements[i] == type;
    }
    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        uses |= monoid->components[k].item == type || monoid->components[k].stage == type;
    }
    return uses;
}
