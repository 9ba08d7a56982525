#include "folding.h"

#include "buffer.h"
#include "clock.h"
#include "types.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Opening ---- */

/* Elements are what is folded. */
static bool open_elements(struct folding *f, const struct options *options,
                          struct message *message)
{
    const clfold_fold basis = options_fold(options, 0);

    return user_fold_init(&f->user, &options->fold, &basis, message) &&
           (input_open_elements(&f->input, options->file, options->format,
                                &f->user.layout, f->user.scalar, message) ||
            user_fold_hint(&f->user, 0, message->text, message)) &&
           session_open(&f->session, options->device, options->profile, message);
}

/* Elements are numbers, or several side by side, which may be folded as another type. */
static bool open_numbers(struct folding *f, const struct options *options,
                         struct message *message)
{
    if (!input_open(&f->input, options->file, options->format, options->element,
                    message) ||
        !session_open(&f->session, options->device, options->profile, message)) {
        return false;
    }
    const clfold_type type =
        f->by_bits ? type_find('u', clfold_type_size(f->input.type)) : f->input.type;
    clfold_fold basis = options_fold(options, type);
    struct fold_texts texts = options->fold;
    if (!options->acc) {
        session_choose_type(&f->session, &basis);
    }
    if (f->input.is_complex && f->by_bits) {
        basis.type = basis.in = 0;
        texts.components = type == CLFOLD_U32 ? "uint re; uint im" : "ulong re; ulong im";
        texts.load = texts.load ? "{ in[segment].re, in[segment].im }" : NULL;
    } else if (f->input.is_complex &&
               !complex_fold_init(options, f->input.type, &texts, &basis, message)) {
        return message_prefix(message, f->input.name);
    }
    if (!user_fold_init(&f->user, &texts, &basis, message)) {
        return false;
    }
    for (uint32_t k = 0; f->by_bits && k < f->user.written.num_fields; k++) {
        f->user.written.fields[k].type = f->user.written_scalar = f->input.type;
    }
    return (f->user.layout.in_size == f->input.element ||
            input_group(&f->input, &f->user.layout, message));
}

/* Numbers that are elements together are the array's last dimension, but not an axis. */
static bool open_axis(struct folding *f, const struct options *options,
                      struct message *message)
{
    struct npy_shape shape = f->input.shape;

    f->has_axis = options->axis.is_given;
    shape.num -= f->input.element > f->input.unit;
    if (!f->has_axis) {
        return true;
    }
    if (!axis_init(&f->axis, &shape, options->axis.axis, message)) {
        return message_prefix(message, f->input.name);
    }
    f->shape = f->operation == CLFOLD_REDUCE ? f->axis.rest : shape;
    if (f->input.bytes > 0) {
        f->segments = axis_segments(&f->axis);
        f->fold.segments = &f->segments;
    }
    return true;
}

/* Where all numbers of a and b are equal. Of fields of one size & serves vectors too. */
static void compare_fields(struct folding *f)
{
    const clfold_layout *const layout = &f->user.layout;
    const char *const and = f->user.scalar ? " & " : " && ";
    int at = 0;

    f->fold.same = f->same;
    if (!f->fold.components) {
        strcpy(f->same, "a == b");
    }
    for (uint32_t k = 0; f->fold.components && k < layout->num_fields; k++) {
        const char *const name = layout->fields[k].name;
        at += snprintf(f->same + at, sizeof(f->same) - (size_t)at, "%s(a.%s == b.%s)",
                       k > 0 ? and : "", name, name);
    }
}

static void open_select(struct folding *f, const struct options *options)
{
    f->counts = true;
    f->joins = f->gives_lengths = options->action != ACTION_SELECT;
    if (f->joins && !f->fold.same) {
        compare_fields(f);
    }
    f->also_size = !options->outs[OUT_ALSO].path ? 0
                   : f->joins                    ? sizeof(cl_ulong)
                                                 : f->user.written.out_size;
}

bool folding_open(struct folding *f, const struct options *options,
                  struct message *message)
{
    *f = (struct folding){
        .operation = options->operation,
        .op = options->fold.combine ? "the operator" : options_op(options),
        .mean = options->mean,
        .by_bits = options->action == ACTION_RLE || options->action == ACTION_UNRLE,
        .timed = options->json || options->profile,
        .input.file = -1
    };
    if (!(options_folds_numbers(options) ? open_numbers : open_elements)(f, options,
                                                                         message)) {
        return false;
    }
    f->fold = f->user.fold;
    if (f->operation == CLFOLD_SELECT) {
        open_select(f, options);
    }
    f->is_named = f->fold.combine || op_result(f->fold.op).is_named || f->user.converts;
    f->input.text.form = options->text_form;
    /* Numbers as they lie; others are taken in C order. */
    if (f->operation == CLFOLD_REDUCE && op_takes_any_order(f->fold.op) &&
        !f->fold.load && !options->axis.is_given && !options->offsets && !options->keys &&
        !options->flags) {
        f->input.order.num_dimensions = 0;
    }
    return open_axis(f, options, message) && heads_open(f, options, message) &&
           options_init(options, &f->fold, &f->init, message) &&
           user_fold_load(&f->user, &f->session, &f->input, message);
}

/* ---- How much at once ---- */

/* Of a reduction, a result each, or a bound of them. */
static uint64_t num_segments(const struct folding *f)
{
    return f->has_axis ? axis_results(&f->axis) : f->segments.num;
}

uint64_t folding_results(const struct folding *f, uint64_t count)
{
    return f->operation != CLFOLD_REDUCE ? (f->repeats           ? f->repeated
                                            : f->user.out_length ? f->user.out_length
                                                                 : count)
           : f->counts                   ? f->kept
                                         : num_segments(f);
}

/* Two such pieces and the results of one stay in the last cache of many CPUs. */
static const size_t PIECE_BYTES = (size_t)8 << 20;

/* Of a stream that must be one piece, whatever its header claims. */
static const size_t STREAM_BYTES = (size_t)64 << 20;

static size_t result_bytes(const struct folding *f)
{
    return f->operation == CLFOLD_REDUCE || f->repeats ? 0 : f->user.written.out_size;
}

/* Results that do not come piece by piece: those of a reduction of segments, of values
 * that are repeated, and what a store writes to, if its length is given. */
static uint64_t whole_bytes(const struct folding *f)
{
    const uint64_t num = f->repeats                      ? f->repeated
                         : f->operation != CLFOLD_REDUCE ? f->user.out_length
                         : f->fold.segments              ? num_segments(f)
                                                         : 0;
    const size_t size = f->user.written.out_size;

    return num > UINT64_MAX / 2 / size ? UINT64_MAX / 2 : num * size;
}

/* 0: unknown. */
static uint64_t whole_count(const struct folding *f)
{
    return f->input.bytes == INPUT_UNKNOWN ? 0 : input_most(&f->input);
}

/* What a text may use of all elements; only the end of a pipe tells their number. */
static const char *text_whole(const struct folding *f)
{
    return f->user.whole || whole_count(f) > 0 ? f->user.whole : f->user.counted;
}

static bool needs_whole(const struct folding *f)
{
    return text_whole(f) || f->has_axis || f->heads;
}

/* Always false. */
static bool refuse_pieces(const struct folding *f, struct message *message)
{
    return message_set(
        message,
        "%s%s, and %.4096s is folded in pieces: it does not fit into a buffer, is a "
        "large pipe, or --memory is small",
        f->has_axis ? "--axis takes an array as a whole"
        : f->heads  ? f->heads
                    : text_whole(f),
        f->has_axis ? ""
        : f->heads  ? " takes a whole input"
                    : " of a whole input",
        f->input.name);
}

/* How many elements a piece may have that take `each` bytes of `room`. */
static uint64_t fit(const struct folding *f, uint64_t limit, uint64_t room, size_t each)
{
    const uint64_t most = limit < room / each ? limit : room / each;

    return most > f->joins ? most - f->joins : 0;
}

static bool choose_most(struct folding *f, uint64_t memory, struct message *message)
{
    const struct stream_bytes streams = user_fold_stream_bytes(&f->user);
    const size_t in = f->input.element, out = result_bytes(f),
                 also = f->also_size + f->keys_size;
    /* what an element of one piece takes, and where the next piece is read meanwhile */
    const size_t one = in + streams.sum + out + also, two = one + in + streams.sum;
    const uint64_t turned = input_held(&f->input) + streams.held,
                   results = whole_bytes(f), held = turned + results,
                   count = input_most(&f->input),
                   usual = (needs_whole(f) ? STREAM_BYTES : PIECE_BYTES) / in;
    const bool is_known = !f->input.is_stream && f->input.bytes != INPUT_UNKNOWN;
    const uint64_t left = !memory ? UINT64_MAX : memory > held ? memory - held : 0;
    uint64_t limit = 0, room = 0;

    if (!buffer_limit(&f->session, &limit, message) ||
        !buffer_memory(&f->session, &room, message)) {
        return false;
    }
    assert(in > 0);
    /* The driver and others need memory of the device as well. */
    room = left < room / 2 ? left : room / 2;
    size_t largest = in > out ? in : out;
    largest = largest > also ? largest : also;
    largest = largest > streams.most ? largest : streams.most;
    uint64_t most = fit(f, limit / largest, room, one);
    most = is_known || most < usual ? most : usual;
    const bool is_one = needs_whole(f) || count <= 1 || count <= most;
    if (!is_one) {
        most = fit(f, limit / largest, room, two);
        most = most < usual ? most : usual;
    }
    const uint64_t least = (is_one ? one : two) * (1 + f->joins);
    if (left < least) {
        return message_set(message,
                           "%.4096s: needs %" PRIu64 " bytes of memory at least%s, and "
                           "--memory allows %" PRIu64,
                           f->input.name, held + least,
                           turned ? ", as its Fortran order is turned as a whole" : "",
                           memory);
    }
    if (most == 0) {
        return message_set(message, "%.200s has not enough memory for one number",
                           f->session.device_name);
    }
    if (results > limit) {
        return message_set(message,
                           "%.200s has no buffer of %" PRIu64 " bytes, for %.4096s%s",
                           f->session.device_name, results,
                           f->has_axis          ? f->input.name
                           : f->user.out_length ? "--out-length"
                                                : f->heads,
                           f->has_axis ? " along --axis" : "");
    }
    if (needs_whole(f) && count > most && f->input.bytes != INPUT_UNKNOWN) {
        return refuse_pieces(f, message);
    }
    /* room for one number at least, in which the end of an empty input shows */
    f->most = (size_t)(most < count ? most : count ? count : 1);
    return true;
}

/* ---- One piece ---- */

/* Always false. */
static bool refuse(const struct folding *f, clfold_status status, struct message *message)
{
    return session_refuse_fold(&f->session, &f->user, status, message);
}

static bool explain(struct folding *f, size_t count, struct message *message)
{
    session_watch(&f->session);
    const clfold_status status = clfold_explain(f->session.context, f->operation,
                                                &f->fold, count, NULL, &f->report);
    session_unwatch(&f->session);
    return status == CLFOLD_OK || refuse(f, status, message) ||
           (f->mean && message_prefix(message, "--op mean"));
}

static bool call(struct folding *f, const clfold_fold *fold, cl_mem out, size_t count,
                 struct message *message)
{
    if (f->pieces == 0) {
        session_watch(&f->session);
    }
    const clfold_status status =
        (f->operation == CLFOLD_REDUCE   ? clfold_reduce
         : f->operation == CLFOLD_MAP    ? clfold_map
         : f->operation == CLFOLD_SELECT ? clfold_select
         : f->operation == CLFOLD_EXCLUSIVE_SCAN
             ? clfold_exclusive_scan
             : clfold_inclusive_scan)(f->session.context, f->session.queue, fold,
                                      f->piece.in, 0, out, 0, count, 0, NULL, NULL);
    session_unwatch(&f->session);
    return status == CLFOLD_OK ? session_wait(&f->session, status, message)
                               : refuse(f, status, message);
}

/* Timed calls are made twice, so a carry stays until the next piece. */
static clfold_fold piece_fold(struct folding *f)
{
    clfold_fold fold = f->fold;

    if (f->pieces == 0 && f->piece.ended) {
        return fold;
    }
    f->part =
        (clfold_part){ .first = f->count - f->piece.before, .whole = whole_count(f) };
    if (operation_folds(f->operation)) {
        f->part.carry_at = (clfold_place){ f->carries, f->pieces % 2 };
        f->part.carry_out = (clfold_place){ f->carries, (f->pieces + 1) % 2 };
    }
    fold.part = &f->part;
    return fold;
}

/* What a store, or a map by offsets, does not write is zero. */
static bool clear(const struct folding *f, size_t count, struct message *message)
{
    const cl_command_queue queue = f->session.queue;
    const size_t bytes = folding_results(f, count) * f->user.written.out_size;
    const cl_uchar zero = 0;
    cl_int error = CL_SUCCESS;

    if ((f->fold.store || (f->operation == CLFOLD_MAP && f->fold.segments)) &&
        bytes > 0) {
        error = clEnqueueFillBuffer(queue, f->out, &zero, sizeof(zero), 0, bytes, 0, NULL,
                                    NULL);
        error = error == CL_SUCCESS ? clFinish(queue) : error;
    }
    return error == CL_SUCCESS || device_refuse(message, "clEnqueueFillBuffer", error);
}

/* The library has compared the widths of the piece's texts as it built its program, which
 * may be another than that of the piece before. */
static void find_widths(struct folding *f, const clfold_fold *fold, size_t count)
{
    clfold_report report;

    if (!f->on_scalars &&
        clfold_explain(f->session.context, f->operation, fold, count, NULL, &report) ==
            CLFOLD_OK &&
        report.widths == CLFOLD_WIDTHS_DIFFER) {
        f->on_scalars = true;
        f->cause = user_fold_cause(&report);
    }
}

/* Another dimension is 0, so there are no results along the axis. Then nothing is called,
 * as some operators do not fold nothing. */
static bool has_none(const struct folding *f)
{
    return f->has_axis && axis_results(&f->axis) == 0;
}

/* How many results the piece has, without what was before it, and the lengths of their
 * segments. */
static bool read_kept(struct folding *f, struct message *message)
{
    const cl_command_queue queue = f->session.queue;
    cl_ulong num = 0;

    if (f->counts && !buffer_read(queue, f->num, sizeof(num), &num, message)) {
        return false;
    }
    f->kept = num - (num > 0 ? f->piece.before : 0);
    f->num_kept += f->kept;
    return !f->lengths || f->kept == 0 ||
           buffer_read(queue, f->also, (size_t)f->kept * sizeof(*f->lengths), f->lengths,
                       message);
}

static bool fold_piece(struct folding *f, size_t num_in, struct message *message)
{
    const size_t count = f->repeats ? f->repeated : f->piece.before + num_in;
    const cl_mem out = f->out ? f->out : f->result;
    const clfold_fold fold = piece_fold(f);

    if (has_none(f)) {
        return true;
    }
    if (!heads_check_offsets(f, count, message) || !clear(f, count, message) ||
        !call(f, &fold, out, count, message)) {
        return false;
    }
    find_widths(f, &fold, count);
    if (!read_kept(f, message)) {
        return false;
    }
    if (!f->timed) {
        return true;
    }
    if (!clear(f, count, message)) {
        return false;
    }
    /* The first call builds the program; it is the second one that shows the device. */
    const double start = clock_now();
    if (!call(f, &fold, out, count, message)) {
        return false;
    }
    f->seconds += clock_now() - start;
    return profile_sum(&f->session.profile, message);
}

/* ---- All of them ---- */

static bool create_buffers(struct folding *f, struct message *message)
{
    return feed_open(f, message) &&
           (!f->counts || buffer_create(&f->session, &f->num, CL_MEM_READ_WRITE,
                                        sizeof(cl_ulong), message)) &&
           buffer_create(&f->session, &f->result, CL_MEM_READ_WRITE,
                         f->user.written.out_size, message) &&
           buffer_create(&f->session, &f->carries, CL_MEM_READ_WRITE,
                         2 * f->user.layout.carry_size, message);
}

/* A place for what is written besides of `most` elements, if it has a size. */
static bool begin_place(struct folding *f, clfold_place *place, cl_mem *mem, size_t size,
                        uint64_t most, struct message *message)
{
    const bool done = size == 0 || buffer_create(&f->session, mem, CL_MEM_READ_WRITE,
                                                 most * size, message);

    place->mem = *mem;
    return done;
}

static bool begin_places(struct folding *f, uint64_t most, struct message *message)
{
    clfold_place *const also =
        f->gives_lengths ? &f->fold.lengths_out : &f->fold.rest_out;

    f->fold.num_out.mem = f->num;
    return begin_place(f, also, &f->also, f->also_size, most, message) &&
           begin_place(f, &f->fold.keys_out, &f->keys_out, f->keys_size, most, message);
}

/* What is known of the results once the first piece is there. */
static bool begin(struct folding *f, size_t count, struct message *message)
{
    const bool needs_one =
        f->operation == CLFOLD_REDUCE && !f->fold.init && !has_none(f) && !f->heads &&
        (f->fold.op ? f->mean || !op_takes_nothing(f->fold.op) : !f->fold.identity);

    if (count == 0 && needs_one) {
        return message_set(message, "%.4096s: is empty, and %s needs at least one number",
                           f->input.name, f->op);
    }
    const uint64_t most = f->piece.ended ? count : f->most + f->joins,
                   each = most * result_bytes(f), whole = whole_bytes(f),
                   results = whole > each ? whole : each;
    /* the report of one element stays where there are no results */
    return (has_none(f) || explain(f, count, message)) &&
           (results == 0 ||
            buffer_create(&f->session, &f->out, CL_MEM_READ_WRITE, results, message)) &&
           (!f->counts || begin_places(f, most, message));
}

/* Whether the input has no more than its first piece, which may be seen after it only. */
static bool ends(struct folding *f, size_t count, struct message *message)
{
    unsigned char next[256];
    size_t got;

    assert(f->input.element <= sizeof(next));
    if (!input_read(&f->input, next, f->input.element, &got, message)) {
        return false;
    }
    f->piece.ended = got == 0;
    return got == 0 ? heads_check(f, count, false, message) : refuse_pieces(f, message);
}

static bool run(struct folding *f, folding_visitor *visit, void *user,
                struct message *message)
{
    const bool is_scan = f->operation != CLFOLD_REDUCE;

    /* What a scan reads is written as well. */
    progress_begin(&f->progress,
                   f->operation == CLFOLD_MAP      ? "mapping"
                   : f->operation == CLFOLD_SELECT ? "selecting"
                   : is_scan                       ? "scanning"
                                                   : "reading",
                   f->input.size * (is_scan ? 2 : 1));
    do {
        if (!feed_next(f, message)) {
            return false;
        }
        const size_t count = f->piece.count;
        if (!heads_check(f, f->count + count, !f->piece.ended, message)) {
            return false;
        }
        if (count == 0 && f->pieces > 0) {
            break; /* the input ended where the last piece did */
        }
        if (needs_whole(f) && !ends(f, count, message)) {
            return false;
        }
        f->share = f->progress.total > 0 ? f->piece.bytes : 0;
        if (f->pieces == 0 && (!begin(f, count, message) ||
                               !(f->piece.ended || f->timed || feed_start(f, message)))) {
            return false;
        }
        if (!fold_piece(f, count, message)) {
            return false;
        }
        feed_free(f);
        f->pieces++;
        if (!visit(user, f, count, message)) {
            return false;
        }
        f->count += count;
    } while (!f->piece.ended);
    return true;
}

bool folding_run(struct folding *f, uint64_t memory, folding_visitor *visit, void *user,
                 struct message *message)
{
    /* This explain refuses a fold before a large file is read for nothing. */
    const bool done = choose_most(f, memory, message) && create_buffers(f, message) &&
                      explain(f, f->fold.segments ? f->most : 1, message) &&
                      run(f, visit, user, message);

    feed_close(f);
    progress_end(&f->progress);
    if (done && f->on_scalars) {
        message_warn("%s runs on scalars, not on vectors%s%s",
                     f->fold.name ? f->fold.name : "the conversion",
                     *f->cause.text ? ", since " : "", f->cause.text);
    }
    return done;
}

struct writer folding_writer(const struct folding *f, enum file_format format)
{
    const clfold_layout *const written = &f->user.written;
    const clfold_type type = f->user.written_scalar;
    const bool is_scalar = (f->fold.type || f->fold.out) && written->num_fields == 1;

    return (struct writer){
        .stream = stdout,
        .format = format,
        .type = type,
        .layout = is_scalar ? NULL : written,
        /* not what a built-in operator makes of their parts, as a least and a greatest */
        .is_complex = f->input.is_complex && !f->fold.op && written->num_fields == 2 &&
                      (type == CLFOLD_F32 || type == CLFOLD_F64),
        .shape = f->has_axis ? &f->shape : NULL,
    };
}

/* What the library gives of the next segment: sums for means, and places in the whole
 * array, which become those along an axis. */
static void make_result(const struct folding *f, void *result)
{
    const struct op_result form = op_result(f->fold.op);

    if (f->mean) {
        double sum;
        memcpy(&sum, result, sizeof(sum));
        sum /= (double)(f->lengths ? f->lengths[f->num_put] : f->axis.length);
        memcpy(result, &sum, sizeof(sum));
    }
    for (unsigned i = 0; f->has_axis && form.position && i < form.num; i++) {
        clfold_indexed *const value = (clfold_indexed *)result + i;
        value->index = axis_index(&f->axis, value->index);
    }
}

bool folding_put(struct folding *f, struct writer *writer, const char *data, size_t count)
{
    const size_t size = f->user.written.out_size;
    clfold_indexed result[2];

    if (!f->mean && (!op_result(f->fold.op).position || f->user.converts)) {
        return writer_put(writer, data, count);
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(result, data + i * size, size);
        make_result(f, result);
        f->num_put++;
        if (!writer_put(writer, result, 1)) {
            return false;
        }
    }
    return true;
}

const char *folding_type(const struct folding *f, clfold_type type)
{
    return f->by_bits           ? clfold_type_name(f->input.type)
           : f->fold.components ? f->fold.components
           : f->fold.type_name  ? f->fold.type_name
                                : clfold_type_name(type);
}

const char *folding_out(const struct folding *f)
{
    return f->fold.out ? clfold_type_name(f->fold.out) : folding_type(f, f->fold.type);
}

void folding_close(struct folding *f)
{
    const cl_mem buffers[] = { f->out,
                               f->also,
                               f->keys_out,
                               f->num,
                               f->result,
                               f->carries,
                               f->heads ? f->segments.mem : NULL };

    buffer_release(buffers, sizeof(buffers) / sizeof(buffers[0]));
    free(f->lengths);
    user_fold_finish(&f->user);
    session_close(&f->session);
    input_close(&f->input);
}
