/*
 * A case is measured in rounds. In each, everything has one turn, on the next set of
 * buffers, so that noise of the machine meets all alike:
 *
 *     native plain, native prefetched | plain, prefetched, the case | by events
 *                                       the first moves on by one in each round
 *
 * The case by a tuning file's row has its turn beside the case's own, see pair.h.
 */
#include "bench.h"

#include "bench_native.h"
#include "clock.h"

#include <stdio.h>
#include <string.h>

/* Whose times are kept: kernels, by way, and the case, which change their order from
 * round to round; the case by events; native loops, by way. */
enum {
    CASE = BENCH_WAYS,
    NUM_TURNS,
    EVENTS = NUM_TURNS,
    NATIVE,
    NUM_TIMED = NATIVE + BENCH_WAYS
};

struct timing {
    struct bench *bench;
    struct bench_row *row;
    struct bench_buffers buffers;
    size_t next;                /* set */
    bool used[BENCH_MOST_SETS]; /* by the case */
    bool has_events;
    double seconds[NUM_TIMED][MOST_RUNS];
    struct pair pair; /* the case, and by the tuning file's row if it has one */
};

const char *bench_way_name(enum bench_way way)
{
    static const char *const names[BENCH_WAYS] = {
        [WAY_PLAIN] = "plain",
        [WAY_PREFETCHED] = "prefetched",
        [WAY_STREAMED] = "non-temporal",
        [WAY_STREAMED_PREFETCHED] = "non-temporal, prefetched",
        [WAY_QUARTERS] = "by quarter lines",
        [WAY_DRIVER] = "driver's copy",
    };

    return names[way];
}

/* ---- One turn ---- */

static clfold_status enqueue(const struct timing *t, clfold_context *context,
                             cl_command_queue queue, size_t set, cl_event *event)
{
    const struct bench_buffers *const buffers = &t->buffers;
    const struct bench_row *const row = t->row;
    const clfold_fold fold = bench_fold_of(&row->one);

    if (row->one.operation == CLFOLD_REDUCE) {
        const size_t offset = set * (buffers->result_bytes / bench_out_size(&row->one));
        return clfold_reduce(context, queue, &fold, buffers->in[set], 0, buffers->results,
                             offset, row->count, 0, NULL, event);
    }
    return clfold_inclusive_scan(context, queue, &fold, buffers->in[set], 0,
                                 buffers->out[set], 0, row->count, 0, NULL, event);
}

static size_t next_set(struct timing *t)
{
    const size_t set = t->next;

    t->next = (set + 1) % t->buffers.sets.num;
    return set;
}

static bool time_case(struct timing *t, clfold_context *context, double *seconds,
                      struct message *message)
{
    const size_t set = next_set(t);

    t->used[set] = true;
    const double begin = clock_now();
    const clfold_status status = enqueue(t, context, t->bench->session.queue, set, NULL);
    const bool done = session_wait(&t->bench->session, status, message);
    *seconds = clock_now() - begin;
    return done;
}

struct turn {
    struct timing *timing;
    struct message *message;
};

static bool time_either(void *user, bool is_b, double *seconds)
{
    const struct turn *const turn = user;
    const struct bench *const bench = turn->timing->bench;

    return time_case(turn->timing, is_b ? bench->against.clfold : bench->session.context,
                     seconds, turn->message);
}

static bool time_both(struct timing *t, size_t run, struct message *message)
{
    struct turn turn = { t, message };

    t->pair.num = run;
    if (!pair_round(&t->pair, time_either, &turn)) {
        return false;
    }
    t->seconds[CASE][run] = t->pair.a[run];
    return true;
}

static bool time_kernel(struct timing *t, enum bench_way way, double *seconds,
                        struct message *message)
{
    const struct bench_buffers *const buffers = &t->buffers;
    const cl_command_queue queue = t->bench->session.queue;
    const size_t set = next_set(t);
    const double begin = clock_now();
    cl_int error =
        bench_roofline_enqueue(&t->bench->roofline, way, queue, buffers->in[set],
                               buffers->out[set], buffers->sink, buffers->in_bytes);

    if (error == CL_SUCCESS) {
        error = clFinish(queue);
    }
    *seconds = clock_now() - begin;
    return error == CL_SUCCESS || device_refuse(message, "the roofline's kernel", error);
}

static bool time_of(cl_event event, cl_profiling_info what, cl_ulong *time)
{
    return clGetEventProfilingInfo(event, what, sizeof(*time), time, NULL) == CL_SUCCESS;
}

/* From the end of a marker before the call to the end of the call: its event is that of
 * its last kernel, of which there may be more than one. */
static bool time_events(struct timing *t, double *seconds, struct message *message)
{
    const cl_command_queue queue = t->bench->profiling;
    const size_t set = next_set(t);
    cl_event before = NULL, after = NULL;
    cl_ulong begin = 0, end = 0;

    cl_int error = clEnqueueMarkerWithWaitList(queue, 0, NULL, &before);
    if (error != CL_SUCCESS) {
        return device_refuse(message, "clEnqueueMarkerWithWaitList", error);
    }
    t->used[set] = true;
    const clfold_status status =
        enqueue(t, t->bench->session.context, queue, set, &after);
    if (status != CLFOLD_OK) {
        clReleaseEvent(before);
        return session_refuse(status, message);
    }
    error = clFinish(queue);
    t->has_events = t->has_events && time_of(before, CL_PROFILING_COMMAND_END, &begin) &&
                    time_of(after, CL_PROFILING_COMMAND_END, &end) && begin < end;
    *seconds = (double)(end - begin) * 1e-9;
    clReleaseEvent(before);
    clReleaseEvent(after);
    return error == CL_SUCCESS || device_refuse(message, "clFinish", error);
}

/* ---- Native loops ---- */

static bool map(const struct timing *t, cl_mem mem, cl_map_flags flags, size_t bytes,
                void **out, struct message *message)
{
    cl_int error;

    *out = clEnqueueMapBuffer(t->bench->session.queue, mem, CL_TRUE, flags, 0, bytes, 0,
                              NULL, NULL, &error);
    return *out || device_refuse(message, "clEnqueueMapBuffer", error);
}

static bool unmap(const struct timing *t, cl_mem mem, void *mapped,
                  struct message *message)
{
    const cl_command_queue queue = t->bench->session.queue;
    cl_int error =
        mapped ? clEnqueueUnmapMemObject(queue, mem, mapped, 0, NULL, NULL) : CL_SUCCESS;

    if (error == CL_SUCCESS) {
        error = clFinish(queue);
    }
    return error == CL_SUCCESS ||
           device_refuse(message, "clEnqueueUnmapMemObject", error);
}

/* On the very memory that the device reads, which no CPU's driver copies to map it. */
static bool time_native(struct timing *t, enum bench_way way, double *seconds,
                        struct message *message)
{
    const struct bench_buffers *const buffers = &t->buffers;
    const size_t set = next_set(t), times = t->bench->roofline.times;
    const cl_map_flags to_write = CL_MAP_WRITE_INVALIDATE_REGION;
    void *in = NULL, *out = NULL;
    bool done = map(t, buffers->in[set], CL_MAP_READ, buffers->in_bytes, &in, message) &&
                (!times ||
                 map(t, buffers->out[set], to_write, buffers->out_bytes, &out, message));

    if (done) {
        const double begin = clock_now();
        if (times) {
            bench_native_copy(way, in, out, buffers->in_bytes, times);
        } else {
            bench_native_read(way, in, buffers->in_bytes);
        }
        *seconds = clock_now() - begin;
    }
    done = (!out || unmap(t, buffers->out[set], out, message)) && done;
    return (!in || unmap(t, buffers->in[set], in, message)) && done;
}

static bool has_native(const struct timing *t, enum bench_way way)
{
    const bool stores = way == WAY_STREAMED || way == WAY_STREAMED_PREFETCHED;

    return t->bench->roofline.is_cpu && bench_native_has(way) &&
           (t->bench->roofline.times || !stores);
}

static bool time_all_native(struct timing *t, size_t run, struct message *message)
{
    bool done = true;

    if (!has_native(t, WAY_PLAIN)) {
        return true;
    }
    bench_native_begin();
    for (int way = 0; done && way < BENCH_WAYS; way++) {
        done =
            !has_native(t, (enum bench_way)way) ||
            time_native(t, (enum bench_way)way, &t->seconds[NATIVE + way][run], message);
    }
    bench_native_end();
    return done;
}

/* ---- Rounds ---- */

static bool take_turn(struct timing *t, size_t turn, size_t run, struct message *message)
{
    if (turn == CASE) {
        return t->row->is_limit      ? true
               : t->row->has_against ? time_both(t, run, message)
                                     : time_case(t, t->bench->session.context,
                                                 &t->seconds[CASE][run], message);
    }
    return !bench_roofline_has(&t->bench->roofline, (enum bench_way)turn) ||
           time_kernel(t, (enum bench_way)turn, &t->seconds[turn][run], message);
}

static bool run_round(struct timing *t, size_t run, struct message *message)
{
    if (!time_all_native(t, run, message)) {
        return false;
    }
    for (size_t i = 0; i < NUM_TURNS; i++) {
        if (!take_turn(t, (run + i) % NUM_TURNS, run, message)) {
            return false;
        }
    }
    return t->row->is_limit || !t->bench->profiling || !t->has_events ||
           time_events(t, &t->seconds[EVENTS][run], message);
}

/* Returns how many there were; 0 on failure. */
static size_t run_rounds(struct timing *t, struct message *message)
{
    size_t run = 0;

    /* builds programs; the memory has been touched already, see bench_buffers_open */
    if (!run_round(t, 0, message)) {
        return 0;
    }
    const double begin = clock_now();
    while (run < FEWEST_RUNS ||
           (run < MOST_RUNS && clock_now() - begin < t->bench->seconds)) {
        if (!run_round(t, run++, message)) {
            return 0;
        }
    }
    return run;
}

/* ---- What comes of it ---- */

/* Of ways `first` to first + BENCH_WAYS - 1; 0 where there is none. */
static double best_gbps(struct timing *t, bool native, size_t runs, enum bench_way *best)
{
    const double bytes = (double)bench_bytes(&t->row->one, t->row->count);
    double most = 0;

    for (int i = 0; i < BENCH_WAYS; i++) {
        const enum bench_way way = (enum bench_way)i;
        if (!(native ? has_native(t, way)
                     : bench_roofline_has(&t->bench->roofline, way))) {
            continue;
        }
        double *const seconds = t->seconds[(native ? NATIVE : 0) + i];
        const double gbps = bytes / bench_figure_of(seconds, runs).median * 1e-9;
        if (gbps > most) {
            most = gbps;
            *best = way;
        }
    }
    return most;
}

static const char *native_name(enum bench_way way)
{
    static const char *const names[BENCH_WAYS] = {
        [WAY_PLAIN] = "native plain",
        [WAY_PREFETCHED] = "native prefetched",
        [WAY_STREAMED] = "native non-temporal",
        [WAY_STREAMED_PREFETCHED] = "native non-temporal, prefetched",
    };

    return names[way];
}

static void conclude(struct timing *t, size_t runs)
{
    struct bench_row *const row = t->row;
    const uint64_t bytes = bench_bytes(&row->one, row->count);
    enum bench_way way = WAY_PLAIN, native = WAY_PLAIN;

    row->figure = bench_figure_of(t->seconds[CASE], runs);
    row->opencl_gbps = best_gbps(t, false, runs, &way);
    row->native_gbps = best_gbps(t, true, runs, &native);
    row->broken = bench_roofline_is_broken(row->opencl_gbps, row->native_gbps, bytes);
    const bool is_native =
        bench_roofline_is_native(row->opencl_gbps, row->native_gbps, bytes);
    row->roofline_gbps = is_native ? row->native_gbps : row->opencl_gbps;
    row->roofline = is_native ? native_name(native) : bench_way_name(way);
    if (row->has_against) {
        row->against = pair_ratio(&t->pair);
        row->against_seconds = bench_figure_of(t->pair.b, runs).median;
    }
    row->event_seconds = t->bench->profiling && t->has_events
                             ? bench_figure_of(t->seconds[EVENTS], runs).median
                             : 0;
}

/* A device's look-back is known only after a call. */
static bool tell_algorithm(const struct timing *t, struct message *message)
{
    struct bench_row *const row = t->row;
    const clfold_fold fold = bench_fold_of(&row->one);
    clfold_report report = { 0 };
    const clfold_status status = clfold_explain(
        t->bench->session.context, row->one.operation, &fold, row->count, NULL, &report);
    if (status != CLFOLD_OK) {
        return session_refuse(status, message);
    }
    row->algorithm = report.algorithm;
    row->policy = report.policy;
    return true;
}

/* One more call is made for the check: what a scan writes, the copies have written over.
 * A reduction's results of all rounds are still there. */
static bool check_by(struct timing *t, clfold_context *context, struct message *message)
{
    const bool scans = t->row->one.operation != CLFOLD_REDUCE;
    double seconds;

    t->next = 0;
    return (!scans || bench_buffers_spoil(&t->buffers, t->bench, 1, message)) &&
           time_case(t, context, &seconds, message) &&
           bench_check(t->bench, &t->buffers, t->used, t->row, message);
}

static bool check(struct timing *t, struct message *message)
{
    return check_by(t, t->bench->session.context, message) &&
           (!t->row->has_against || !t->row->ok ||
            check_by(t, t->bench->against.clfold, message));
}

bool bench_measure(struct bench *bench, struct bench_row *row, struct message *message)
{
    struct timing t = { .bench = bench, .row = row, .has_events = true };
    const clfold_fold fold = bench_fold_of(&row->one);
    bool done = bench_buffers_open(&t.buffers, bench, &row->one, row->count, message);

    row->has_against =
        !row->is_limit &&
        tune_context_serves(bench->against.clfold, row->one.operation, &fold, row->count);

    if (done) {
        const size_t runs = run_rounds(&t, message);
        row->sets = t.buffers.sets;
        row->set_bytes = t.buffers.in_bytes + t.buffers.out_bytes;
        done = runs > 0 &&
               (row->is_limit || (tell_algorithm(&t, message) && check(&t, message)));
        if (done) {
            conclude(&t, runs);
        }
    }
    bench_buffers_close(&t.buffers);
    return done;
}
