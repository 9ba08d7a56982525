#include "tune_run.h"

#include "clock.h"
#include "output_file.h"
#include "tune_file.h"

#include <stdio.h>
#include <string.h>

/* A search under way. Programs that a duel needs stay built: the default's context is the
 * first, the best's and its challenger's are the others. The search times only numbers
 * that it has got ready, and the best's. */
struct run {
    const struct tune_request *request;
    struct tune_space space;
    struct tune_data data;
    struct place {
        struct tuned_numbers numbers;
        struct tune_context own;
    } places[3];
    clfold_tuning_row row; /* the default's */
    size_t next;           /* call of the data */
    bool has_hash;
    uint64_t hash; /* of the default's results */
    double begin;
    /* A failure with the default's numbers or with any numbers fails the search, and so
     * does a candidate that could not be passed to the library. */
    bool failed;
    struct message *message;
};

/* What must be done fails the search otherwise. */
static bool must(struct run *run, bool done)
{
    run->failed = run->failed || !done;
    return done;
}

/* ---- Contexts ---------------------------------------------------------------------- */

static bool explain(const struct run *run, clfold_context *context, clfold_report *report)
{
    const struct tune_request *const request = run->request;

    return clfold_explain(context, request->operation, request->fold, request->count,
                          NULL, report) == CLFOLD_OK;
}

static bool read_row(struct run *run, clfold_context *context, clfold_tuning_row *row)
{
    const struct tune_request *const request = run->request;

    return tune_context_row(context, request->operation, request->fold, request->count,
                            row, run->message);
}

/* A file with the row, for as long as a context takes to load it. False: the library
 * ignores it, or run->failed. */
static bool load(struct run *run, const struct tuned_numbers *numbers,
                 struct tune_context *context)
{
    const char *const user_file = run->request->path;
    char calls[TUNE_CALLS], words[TUNED_TEXT], path[OUTPUT_FILE_PATH];
    struct output_file file;
    bool done = false;

    *context = (struct tune_context){ 0 };
    tune_row_calls(calls, &run->row);
    tuned_print(words, numbers);
    if (output_file_begin(&file, user_file, run->message)) {
        fprintf(file.stream, TUNE_FIRST "%s %s on %s\n", calls, words, run->row.device);
        output_file_path(&file, path);
        done = output_file_complete(&file, run->message) &&
               tune_context_open(context, run->request->session, path, run->message);
        output_file_finish(&file);
    }
    return must(run, done || context->warning[0] != '\0') && done;
}

static struct place *find(struct run *run, const struct tuned_numbers *numbers)
{
    struct place *place = run->places;

    while (place < &run->places[2] && !tuned_equal(&place->numbers, numbers)) {
        place++;
    }
    return place;
}

/* A context for the numbers; those of the default and of `than` stay. False as for load.
 */
static bool enter(struct run *run, const struct tuned_numbers *numbers,
                  const struct tuned_numbers *than)
{
    struct place *place = &run->places[1];

    place += than && tuned_equal(&place->numbers, than);
    tune_context_close(&place->own);
    place->numbers = *numbers;
    return load(run, numbers, &place->own);
}

/* Whether the calls of two contexts are the same, as far as a report shows. */
static bool is_same(const struct run *run, const struct place *a, const struct place *b)
{
    static const enum tuned silent[] = { TUNED_ANCHOR, TUNED_AHEAD_BYTES,
                                         TUNED_STREAM_BYTES };
    const struct tuned_numbers *const of_a =
        a->numbers.set ? &a->numbers : &run->space.policy;
    const struct tuned_numbers *const of_b =
        b->numbers.set ? &b->numbers : &run->space.policy;
    clfold_report one, other;
    bool same = explain(run, a->own.clfold, &one) && explain(run, b->own.clfold, &other);

    for (int i = 0; i < 3; i++) {
        /* lanes ask for nothing ahead */
        if (silent[i] == TUNED_AHEAD_BYTES && strstr(one.algorithm, "_lanes")) {
            continue;
        }
        same = same && of_a->values[silent[i]] == of_b->values[silent[i]];
    }
    return same && one.tile == other.tile && one.group_size == other.group_size &&
           one.num_groups == other.num_groups && one.items == other.items &&
           one.num_launches == other.num_launches;
}

/* ---- The search's world ------------------------------------------------------------ */

static double now(void *user)
{
    (void)user;
    return clock_now();
}

static bool call(struct run *run, const struct tuned_numbers *numbers, size_t number)
{
    static clfold_status (*const makes[])(
        clfold_context *, cl_command_queue, const clfold_fold *, cl_mem, size_t, cl_mem,
        size_t, size_t, cl_uint, const cl_event *, cl_event *) = {
        [CLFOLD_REDUCE] = clfold_reduce,
        [CLFOLD_INCLUSIVE_SCAN] = clfold_inclusive_scan,
        [CLFOLD_MAP] = clfold_map,
    };
    const struct tune_request *const request = run->request;
    const struct tune_data *const data = &run->data;
    const size_t in = number * data->in_stride, out = number * data->out_stride;
    const clfold_status status = makes[request->operation](
        find(run, numbers)->own.clfold, request->session->queue, request->fold, data->in,
        in, data->out, out, request->count, 0, NULL, NULL);
    const bool done = session_wait(request->session, status, run->message);

    return must(run, done || numbers->set != 0) && done;
}

/* The first call builds the program. */
static bool prepare(void *user, const struct tuned_numbers *numbers,
                    const struct tuned_numbers *than)
{
    struct run *const run = user;

    if (run->request->step) {
        run->request->step(run->request->user);
    }
    if (run->failed || (numbers->set && !enter(run, numbers, than))) {
        return false;
    }
    if (than && is_same(run, find(run, numbers), find(run, than))) {
        return false;
    }
    return call(run, numbers, 0);
}

static double time_call(void *user, const struct tuned_numbers *numbers)
{
    struct run *const run = user;
    const size_t number = run->next;
    const double begin = clock_now();

    run->next = (run->next + 1) % run->data.calls;
    return call(run, numbers, number) ? clock_now() - begin : -1;
}

static bool hash(struct run *run, const struct tuned_numbers *numbers, uint64_t *result)
{
    return must(run, tune_data_spoil(&run->data, run->message)) &&
           call(run, numbers, 0) &&
           must(run, tune_data_hash(&run->data, result, run->message));
}

/* Elements are such that floats agree in every bit as well. */
static bool check(void *user, const struct tuned_numbers *numbers)
{
    const struct tuned_numbers none = { 0 };
    struct run *const run = user;
    uint64_t result = 0;

    run->has_hash = run->has_hash || hash(run, &none, &run->hash);
    return run->has_hash && hash(run, numbers, &result) && result == run->hash;
}

/* ---- The search -------------------------------------------------------------------- */

/* The default's context, and its numbers. */
static bool open_default(struct run *run)
{
    /* whatever the environment says */
    if (!tune_context_open(&run->places[0].own, run->request->session, "",
                           run->message) ||
        !read_row(run, run->places[0].own.clfold, &run->row)) {
        return false;
    }
    tuned_of_row(&run->space.policy, &run->row);
    return true;
}

/* The numbers of the library's other tile. */
static bool find_other(struct run *run, struct tuned_numbers *numbers)
{
    struct tuned_numbers tile = { 0 };
    clfold_tuning_row row;
    const bool is_vector = run->space.policy.values[TUNED_TILE] == TILE_VECTOR;

    tuned_put(&tile, TUNED_TILE, is_vector ? TILE_GROUP : TILE_VECTOR);
    if (!enter(run, &tile, NULL) ||
        !must(run, read_row(run, run->places[1].own.clfold, &row))) {
        return false;
    }
    tuned_of_row(numbers, &row);
    return true;
}

/* What the user's file has for the fold. */
static bool find_previous(struct run *run, struct tuned_numbers *numbers)
{
    const struct tune_request *const request = run->request;
    clfold_tuning_row row;

    if (!tune_context_serves(request->older, request->operation, request->fold,
                             request->count) ||
        !must(run, read_row(run, request->older, &row))) {
        return false;
    }
    tuned_of_row(numbers, &row);
    return true;
}

static bool search(struct run *run, struct tune_result *result)
{
    const struct tune_world world = { run, now, prepare, time_call, check };
    const uint32_t c = run->row.count_class;
    struct tuned_numbers previous, other;
    const bool has_previous = find_previous(run, &previous);
    const bool has_other = find_other(run, &other);

    /* No machine has enough memory for an overflow. */
    run->space.least_bytes = c > 0 ? run->data.out_size << (2 * c - 1) : 0;
    run->space.most_bytes = run->data.out_size << (2 * c + 1);
    const double before = clock_now() - run->begin;
    tune_search(result, &world, &run->space, has_previous ? &previous : NULL,
                run->request->hint, has_other ? &other : NULL,
                (run->request->left - before) * run->request->share);
    result->enough += before;
    return result->outcome != TUNE_FAILED && !run->failed;
}

bool tune_run(const struct tune_request *request, struct tune_result *result,
              struct message *message)
{
    struct run run = { .request = request, .begin = clock_now(), .message = message };
    const bool done =
        session_wait(request->session, CLFOLD_OK, message) &&
        tune_data_lay_out(&run.data, request->session, request->operation, request->fold,
                          request->count, request->bytes, message) == CLFOLD_OK &&
        tune_data_open(&run.data, request->buffers, request->fold, message) &&
        open_default(&run) && search(&run, result);

    for (int i = 0; i < 3; i++) {
        tune_context_close(&run.places[i].own);
    }
    return done;
}
