#include "folding.h"

#include "buffer.h"
#include "number.h"
#include "types.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Flags and keys are as many as the elements, of which `count` have come, and so are the
 * segments of values that are repeated. */
bool heads_check(const struct folding *f, uint64_t count, bool more,
                 struct message *message)
{
    const uint64_t num = f->num_heads - f->repeats;
    const bool fits = more ? count <= num : count == num;

    return !f->heads || (f->segments.by == CLFOLD_BY_OFFSETS && !f->repeats) || fits ||
           message_set(message,
                       "%s %.2000s: has %" PRIu64 " %s%s, and %.2000s has %s%" PRIu64
                       " element%s",
                       f->heads, f->heads_file, num,
                       f->repeats && !f->are_lengths ? "segment" : "number",
                       MESSAGE_PLURAL(num), f->input.name, more ? "at least " : "", count,
                       MESSAGE_PLURAL(count));
}

#define UNKNOWN INT64_MAX /* elements */

struct offsets {
    struct folding *f;
    uint64_t num, before, count;
};

/* The next of them must be in order, and inside where the elements' number is known. */
static bool check_step(void *user, void *data, size_t size, struct message *message)
{
    struct offsets *const o = user;
    struct folding *const f = o->f;
    const size_t element = clfold_type_size(f->heads_type);
    char value[NUMBER_TEXT], fault[48];

    for (size_t at = 0; at < size; at += element) {
        const char *const number = (const char *)data + at;
        int32_t low;
        uint64_t offset;
        if (element == sizeof(low)) {
            memcpy(&low, number, sizeof(low));
            offset = f->heads_type == CLFOLD_I32 ? (uint64_t)low : (uint32_t)low;
        } else {
            memcpy(&offset, number, sizeof(offset));
        }
        if (offset < o->before || offset > o->count) {
            number_print(value, f->heads_type, number);
            snprintf(fault, sizeof(fault), "above the %" PRIu64 " elements", o->count);
            return f->are_lengths
                       ? message_set(message,
                                     "%s %.4096s: number %" PRIu64
                                     " is negative, or makes the sum too large",
                                     f->heads, f->heads_file, o->num - 1)
                       : message_set(message,
                                     "%s %.4096s: number %" PRIu64 " is %s, which is %s",
                                     f->heads, f->heads_file, o->num, value,
                                     *value == '-'         ? "negative"
                                     : offset < o->before  ? "below the one before it"
                                     : o->count == UNKNOWN ? "too large"
                                                           : fault);
        }
        if (f->lengths && o->num > 0) {
            f->lengths[o->num - 1] = offset - o->before;
        }
        o->before = offset;
        o->num++;
    }
    return true;
}

/* Where they are to divide sums. */
static bool make_lengths(struct folding *f, struct message *message)
{
    return !f->mean || (f->lengths = calloc(f->num_heads + 1, sizeof(*f->lengths))) ||
           message_set(message, "there is not enough memory for %s", f->heads);
}

/* Flags and keys tell no number of segments, but one is there for each at most. */
static bool take_heads(struct folding *f, const struct options *options,
                       struct message *message)
{
    f->counts = f->gives_lengths = true;
    f->segments.num = (size_t)f->num_heads;
    f->also_size = options->outs[OUT_ALSO].path || f->mean ? sizeof(cl_ulong) : 0;
    f->keys_size = options->outs[OUT_KEYS].path ? clfold_type_size(f->heads_type) : 0;
    return make_lengths(f, message);
}

static bool visit_offsets(const struct folding *f, struct offsets *offsets,
                          struct message *message)
{
    return buffer_visit(f->session.queue, f->segments.mem, CL_MAP_READ,
                        clfold_type_size(f->heads_type), 0, (size_t)f->num_heads,
                        check_step, offsets, message);
}

/* Negative offsets are beyond the data once they are read as unsigned. */
static bool take_offsets(struct folding *f, struct message *message)
{
    const clfold_type type = f->heads_type;

    f->segments.type = type == CLFOLD_I32   ? CLFOLD_U32
                       : type == CLFOLD_I64 ? CLFOLD_U64
                                            : type;
    if (f->num_heads == 0) {
        return message_set(message,
                           "%s %.4096s: is empty, but its last number is "
                           "where the segments end",
                           f->heads, f->heads_file);
    }
    f->segments.num = (size_t)f->num_heads - 1;
    f->repeats = f->operation == CLFOLD_MAP && f->user.repeats;
    if (f->repeats) {
        struct offsets offsets = { .f = f, .count = UNKNOWN };
        if (!visit_offsets(f, &offsets, message)) {
            return false;
        }
        f->repeated = (size_t)offsets.before;
    }
    if (f->operation == CLFOLD_REDUCE) {
        f->shape = (struct npy_shape){ .num = 1, .sizes = { f->segments.num } };
    }
    return make_lengths(f, message);
}

/* Puts the sums of the lengths before each, and of all, in their place. */
static bool sum_lengths(struct folding *f, struct message *message)
{
    const cl_mem lengths = f->segments.mem;
    const clfold_type type = f->heads_type;
    const size_t num = (size_t)f->num_heads;
    clfold_fold sum = { .op = CLFOLD_ADD, .in = type };

    sum.type = f->heads_type = type_accumulator(sum.op, type);
    f->num_heads++;
    f->segments.mem = NULL;
    bool done = buffer_create(&f->session, &f->segments.mem, CL_MEM_READ_WRITE,
                              f->num_heads * sizeof(cl_ulong), message);
    if (done) {
        sum.total_out = (clfold_place){ f->segments.mem, num };
        done = session_wait(&f->session,
                            clfold_exclusive_scan(f->session.context, f->session.queue,
                                                  &sum, lengths, 0, f->segments.mem, 0,
                                                  num, 0, NULL, NULL),
                            message);
    }
    clReleaseMemObject(lengths);
    return done;
}

/* Segments by a file, which belongs to the input's elements. */
bool heads_open(struct folding *f, const struct options *options, struct message *message)
{
    const struct {
        const char *option, *path;
        uint32_t by;
    } all[] = { { "--flags", options->flags, CLFOLD_BY_FLAGS },
                { "--keys", options->keys, CLFOLD_BY_KEYS },
                { "--offsets", options->offsets, CLFOLD_BY_OFFSETS },
                { "LENGTHS", options->lengths, CLFOLD_BY_OFFSETS },
                { NULL } },
      *it = all;
    clfold_type *const type = &f->heads_type;

    while (it->option && !it->path) {
        it++;
    }
    if (!it->option) {
        return true;
    }
    const bool are_flags = it->by == CLFOLD_BY_FLAGS,
               are_offsets = it->by == CLFOLD_BY_OFFSETS;
    f->heads = it->option;
    f->heads_file = it->path;
    f->segments.by = it->by;
    f->are_lengths = options->lengths != NULL;
    *type = options->lengths_type;
    f->fold.segments = &f->segments;
    if (!user_file_load(f->heads_file,
                        f->are_lengths ? options->lengths_format : FORMAT_NPY,
                        &f->session, &f->segments.mem, type, &f->num_heads, message)) {
        return message_prefix(message, f->heads);
    }
    f->segments.type = *type;
    if (((are_flags || are_offsets) && type_is_float(*type)) ||
        (are_offsets && !f->are_lengths && clfold_type_size(*type) < 4)) {
        return message_set(message, "%s %.4096s: holds numbers of %s, and %s", f->heads,
                           f->heads_file, clfold_type_name(*type),
                           are_flags        ? "flags are integers or bools"
                           : f->are_lengths ? "lengths are integers"
                                            : "offsets are i32, i64, u32 or u64");
    }
    if (f->are_lengths && !sum_lengths(f, message)) {
        return message_prefix(message, f->heads);
    }
    return (are_offsets                     ? take_offsets(f, message)
            : f->operation == CLFOLD_REDUCE ? take_heads(f, options, message)
                                            : true) &&
           (f->input.bytes == INPUT_UNKNOWN ||
            heads_check(f, input_most(&f->input), false, message));
}

/* Before a call of `count` elements, as no result shows that offsets are wrong. */
bool heads_check_offsets(struct folding *f, size_t count, struct message *message)
{
    struct offsets offsets = { .f = f, .count = count };

    return f->segments.by != CLFOLD_BY_OFFSETS || visit_offsets(f, &offsets, message);
}
