#include "clock.h"
#include "commands.h"
#include "count.h"
#include "output_file.h"
#include "progress.h"
#include "tune_file.h"
#include "tune_run.h"
#include "types.h"

#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FOLDS = 2 * LIST_MOST_TYPES };

/* Bytes that calls take together: more than the largest caches. */
enum { BUFFER_BYTES = 512 << 20 };

struct tuning_job {
    clfold_operation operation;
    clfold_fold fold;
    clfold_segments segments; /* the fold's, if it has any */
    char text[16];            /* its result's */
    size_t count;
    bool is_decided; /* its row has `numbers`, or there is none, from now on */
    bool has_row;
    struct tuned_numbers numbers;
};

struct tuning_session {
    struct session session;
    const struct options *options;
    const char *path;
    bool had_file;
    struct tune_context older; /* has loaded the file that there was */
    struct tuning_job jobs[MOST_FOLDS];
    size_t num_jobs;
    int width; /* of the table's first column */
    /* the last better ones, of reductions and of what writes each element */
    struct tuned_numbers hints[2];
    struct text left_out; /* lines on the types that are */
    struct tune_buffers buffers;
    struct progress progress;
    double begin;   /* of the whole */
    double enough;  /* seconds that would be, to try some numbers for each fold */
    uint64_t shown; /* thousandths of the time that the bar shows */
};

static const char *const names[] = {
    [CLFOLD_REDUCE] = "reduce",
    [CLFOLD_INCLUSIVE_SCAN] = "scan",
    [CLFOLD_MAP] = "map",
};

/* A scan or a map. */
static bool writes_each(const struct tuning_job *job)
{
    return job->operation != CLFOLD_REDUCE;
}

/* ---- What is tuned ----------------------------------------------------------------- */

/* "scan add u8:u64", "map f32", "reduce add f32 compensated, 10 columns". */
enum { FOLD_TEXT = 96 };
static void print_fold(char out[FOLD_TEXT], const struct tuning_job *job)
{
    const clfold_fold *const fold = &job->fold;
    const clfold_segments *const segments = fold->segments;
    char types[32], cut[48] = "";

    snprintf(types, sizeof(types), fold->in || fold->out ? "%s:%s" : "%s",
             type_name(tune_in_type(fold)), type_name(tune_out_type(fold)));
    if (segments) {
        snprintf(cut, sizeof(cut),
                 segments->by == CLFOLD_BY_LENGTH ? ", rows of %zu" : ", %zu columns",
                 segments->by == CLFOLD_BY_LENGTH ? segments->length : segments->columns);
    }
    snprintf(out, FOLD_TEXT, "%s%s%s %s%s%s%s", names[job->operation],
             fold->op ? " " : "", fold->op ? op_name(fold->op) : "", types,
             fold->accuracy ? " " : "",
             fold->accuracy ? accuracy_name(fold->accuracy) : "", cut);
}

/* A conversion by a text, or a copy. */
static void set_map(struct tuning_job *job, clfold_type in, clfold_type out)
{
    job->fold = (clfold_fold){ .type = in };
    if (in != out) {
        snprintf(job->text, sizeof(job->text), "to_%s(x)", type_name(out));
        job->fold.out = out;
        job->fold.result = job->text;
    }
}

/* A built-in operator. */
static void set_fold(struct tuning_job *job, const struct options *options,
                     clfold_type in, clfold_type type)
{
    job->fold = clfold_builtin(options->op, type);
    job->fold.in = in == type ? 0 : in;
    job->fold.accuracy = options->accuracy;
}

/* With at least `count` elements. */
static void set_count(struct tuning_job *job, const struct options *options, size_t count)
{
    const bool cuts = options_segments(options, &job->segments, &count);

    job->count = count;
    job->fold.segments = cuts ? &job->segments : NULL;
}

/* The default count becomes less until the device has room for it. */
static bool choose_count(const struct tuning_session *t, struct tuning_job *job,
                         struct message *message)
{
    const size_t usual = (size_t)1 << 26, least = (size_t)1 << 12;
    size_t count = t->options->count ? t->options->count : usual;
    struct tune_data data;
    clfold_status status;

    do {
        set_count(job, t->options, count);
        status = tune_data_lay_out(&data, &t->session, job->operation, &job->fold,
                                   job->count, BUFFER_BYTES, message);
        count /= 4;
    } while (status == CLFOLD_ERROR_RANGE && !t->options->count && count >= least);
    return status == CLFOLD_OK;
}

/* Whether a row for elements of that size is searched for already. */
static bool has_size(const struct tuning_session *t, clfold_type in)
{
    bool found = false;

    for (size_t i = 0; i < t->num_jobs; i++) {
        found |= type_size(tune_in_type(&t->jobs[i].fold)) == type_size(in);
    }
    return found;
}

/* Refuses what the library refuses, before anything is printed. A type of the default
 * list that the device lacks is left out, and told of. */
static bool add_type(struct tuning_session *t, clfold_type in, clfold_type type,
                     bool is_default, struct message *message)
{
    const struct options *const options = t->options;
    const struct op_result result = op_result(options->op);
    const bool scans =
        !result.position && result.num == 1 && options->accuracy != CLFOLD_REPRODUCIBLE;
    const clfold_operation first = options->maps ? CLFOLD_MAP : CLFOLD_REDUCE;
    const clfold_operation last = !options->maps && scans ? CLFOLD_INCLUSIVE_SCAN : first;

    for (clfold_operation o = first; o <= last; o++) {
        struct tuning_job *const job = &t->jobs[t->num_jobs];
        *job = (struct tuning_job){ .operation = o };
        if (options->maps) {
            set_map(job, in, type);
        } else {
            set_fold(job, options, in, type);
        }
        set_count(job, options, options->count ? options->count : 1);
        clfold_report report;
        const clfold_status status =
            clfold_explain(t->session.context, o, &job->fold, job->count, NULL, &report);
        if (status == CLFOLD_ERROR_UNSUPPORTED && is_default) {
            clfold_text_print(&t->left_out, "%s is left out: %s\n", type_name(type),
                              library_sentence());
            session_refuse(status, message);
            return true;
        }
        if (status != CLFOLD_OK) {
            return session_refuse(status, message);
        }
        if (!choose_count(t, job, message)) {
            return false;
        }
        t->num_jobs++;
    }
    return true;
}

static bool choose_jobs(struct tuning_session *t, struct message *message)
{
    static const struct type_list integers = {
        2, { { CLFOLD_I32, CLFOLD_I32 }, { CLFOLD_I64, CLFOLD_I64 } }
    };
    static const struct type_list floats = {
        2, { { CLFOLD_F32, CLFOLD_F32 }, { CLFOLD_F64, CLFOLD_F64 } }
    };
    const bool is_default = t->options->types.num == 0;
    const struct type_list *const types = !is_default            ? &t->options->types
                                          : t->options->accuracy ? &floats
                                                                 : &integers;

    for (size_t i = 0; i < types->num; i++) {
        if (!has_size(t, types->each[i].in) &&
            !add_type(t, types->each[i].in, types->each[i].type, is_default, message)) {
            return false;
        }
    }
    /* Else the message says why there is none. */
    return t->num_jobs > 0;
}

/* ---- One fold ---------------------------------------------------------------------- */

static void step(void *user)
{
    struct tuning_session *const t = user;
    const double done = (clock_now() - t->begin) / t->options->seconds;
    const uint64_t now = done < 1 ? (uint64_t)(1000 * done) : 1000;

    if (now > t->shown) {
        progress_step(&t->progress, now - t->shown);
        t->shown = now;
    }
}

static uint64_t bytes_of(const struct tuning_job *job)
{
    const size_t in = type_size(tune_in_type(&job->fold));
    const size_t out = type_size(tune_out_type(&job->fold));

    return job->count * (in + (writes_each(job) ? out : 0));
}

/* Of the numbers those that are not the policy's; a tile's kind brings all with it. */
static void print_numbers(char out[TUNED_TEXT], const struct tune_result *result)
{
    struct tuned_numbers changed = result->numbers;

    for (int i = 0; i < TUNED_NUM; i++) {
        if (changed.values[i] == result->policy.values[i]) {
            changed.set &= ~(UINT32_C(1) << i);
        }
    }
    tuned_print(out, &changed);
}

static bool print_row(const struct tuning_session *t, const struct tuning_job *job,
                      const struct tune_result *result, struct message *message)
{
    const double bytes = (double)bytes_of(job) * 1e-9;
    const bool better = result->outcome == TUNE_BETTER;
    const double before = result->default_seconds;
    const double after = better ? result->tuned_seconds : before;
    char fold[FOLD_TEXT], text[COUNT_TEXT], numbers[TUNED_TEXT];

    print_fold(fold, job);
    count_print(text, job->count);
    if (better) {
        print_numbers(numbers, result);
    } else if (result->outcome == TUNE_NOISE) {
        snprintf(numbers, sizeof(numbers),
                 "the default: others are %.2f to %.2f times as fast, by noise",
                 result->ratio.low, result->ratio.high);
    } else {
        snprintf(numbers, sizeof(numbers), "%s",
                 result->outcome == TUNE_UNDECIDED ? "no time to try others"
                                                   : "the default");
    }
    printf("%-*s %8s %#9.4g %#9.4g %6.2f  %s\n", t->width, fold, text, bytes / before,
           bytes / after, better ? result->ratio.median : 1, numbers);
    return fflush(stdout) == 0 ||
           message_set(message, "standard output: %s", strerror(errno));
}

static bool tune_one(struct tuning_session *t, struct tuning_job *job, double left,
                     double share, struct message *message)
{
    struct tuned_numbers *const hint = &t->hints[writes_each(job)];
    const struct tune_request request = {
        .session = &t->session,
        .path = t->path,
        .older = t->older.clfold,
        .hint = hint->set ? hint : NULL,
        .operation = job->operation,
        .fold = &job->fold,
        .count = job->count,
        .bytes = BUFFER_BYTES,
        .buffers = &t->buffers,
        .left = left,
        .share = share,
        .step = step,
        .user = t,
    };
    struct tune_result result;

    if (!tune_run(&request, &result, message)) {
        return false;
    }
    job->is_decided = tune_decided(&result);
    job->has_row = result.outcome == TUNE_BETTER;
    job->numbers = result.numbers;
    if (job->has_row) {
        *hint = result.numbers;
    }
    t->enough += result.enough;
    progress_hide(&t->progress);
    return print_row(t, job, &result, message);
}

/* Of the time: the first reduction and the first scan or map search from the default on,
 * and what they find is a hint to the others. */
static double weight(const struct tuning_session *t, size_t place)
{
    bool is_first = true;

    for (size_t i = 0; i < place; i++) {
        is_first = is_first && writes_each(&t->jobs[i]) != writes_each(&t->jobs[place]);
    }
    return is_first ? 3 : 1;
}

/* What a fold does not use is the next ones'. */
static bool tune_all(struct tuning_session *t, struct message *message)
{
    bool done = true;

    t->width = 32;
    for (size_t i = 0; i < t->num_jobs; i++) {
        char fold[FOLD_TEXT];
        print_fold(fold, &t->jobs[i]);
        t->width = (int)strlen(fold) > t->width ? (int)strlen(fold) : t->width;
    }
    printf("%s%-*s %8s %9s %9s %6s  %s\n", t->left_out.bytes ? t->left_out.bytes : "",
           t->width, "fold", "count", "default", "tuned", "ratio", "numbers");
    fflush(stdout);
    t->begin = clock_now();
    progress_begin(&t->progress, "tuning", 1000);
    for (size_t i = 0; done && i < t->num_jobs; i++) {
        const double left = t->options->seconds - (clock_now() - t->begin);
        double weights = 0;
        for (size_t j = i; j < t->num_jobs; j++) {
            weights += weight(t, j);
        }
        done = tune_one(t, &t->jobs[i], left, weight(t, i) / weights, message);
    }
    progress_end(&t->progress);
    return done;
}

/* ---- The file ---------------------------------------------------------------------- */

/* All lines of `from` but the rows of these calls for this device. */
static void append_others(struct text *to, const char *from, const char *calls,
                          const char *key)
{
    struct tune_row row;
    const char *at = from;

    while (tune_row_next(&at, &row)) {
        if (strcmp(row.calls, calls) != 0 || strcmp(row.key, key) != 0) {
            clfold_text_append(to, from, (size_t)(at - from));
        }
        from = at;
    }
}

/* With the rows of all folds. Another process may have changed the file meanwhile, so it
 * is read again. */
static bool make_text(const struct tuning_session *t, struct text *text, bool *has_file,
                      struct message *message)
{
    struct tune_context context;
    bool done = true;
    char *old;

    if (!tune_file_read(t->path, false, &t->session, &old, &context, message)) {
        return false;
    }
    tune_context_close(&context);
    *has_file = t->had_file || old;
    clfold_text_print(text, "%s", old ? old : TUNE_FIRST);
    clfold_free(old);
    for (size_t i = 0; i < t->num_jobs && done && !text->failed; i++) {
        const struct tuning_job *const job = &t->jobs[i];
        char calls[TUNE_CALLS], numbers[TUNED_TEXT];
        clfold_tuning_row row;
        struct text next = { 0 };
        done = tune_context_row(t->session.context, job->operation, &job->fold,
                                job->count, &row, message);
        if (done && job->is_decided && !text->failed) {
            tune_row_calls(calls, &row);
            append_others(&next, text->bytes, calls, row.device);
            tuned_print(numbers, &job->numbers);
            if (job->has_row) {
                clfold_text_print(&next, "%s %s on %s\n", calls, numbers, row.device);
            }
            clfold_text_finish(text);
            *text = next;
        }
    }
    return done &&
           (!text->failed || message_set(message, "there is not enough memory for rows"));
}

static bool write_text(const char *path, const struct text *text, struct message *message)
{
    struct output_file file;
    bool done = false;

    if (text->length > TUNE_FILE) {
        return message_set(message, "%.4000s: there is no room for more rows", path);
    }
    if (output_file_begin(&file, path, message)) {
        fwrite(text->bytes, 1, text->length, file.stream);
        done = output_file_complete(&file, message) && output_file_commit(&file, message);
        output_file_finish(&file);
    }
    return done;
}

static void print_end(const struct tuning_session *t, const char *path, bool has_rows,
                      bool has_file)
{
    const double most = 86400; /* that --seconds takes */
    const double enough = t->enough < most ? t->enough + 1 : most;
    size_t better = 0, decided = 0;

    for (size_t i = 0; i < t->num_jobs; i++) {
        better += t->jobs[i].has_row;
        decided += t->jobs[i].is_decided;
    }
    if (decided == 0) {
        printf("%s: --seconds %g is too short to try other numbers for any fold: give "
               "--seconds %u\n",
               path, t->options->seconds, (unsigned)enough);
        return;
    }
    printf("%s: %zu of %zu fold%s %s faster tuned%s", path, better, t->num_jobs,
           t->num_jobs == 1 ? "" : "s", better == 1 ? "is" : "are",
           has_rows   ? "; programs load it if CLFOLD_TUNING is this path"
           : has_file ? ""
                      : ", and no file was made");
    if (decided < t->num_jobs) {
        printf("; there was no time for %zu: give --seconds %u", t->num_jobs - decided,
               (unsigned)enough);
    }
    putchar('\n');
}

/* A new file without rows would be of no use. */
static bool keep(const struct tuning_session *t, const char *path,
                 struct message *message)
{
    struct text text = { 0 };
    bool has_file, done = make_text(t, &text, &has_file, message);

    if (done) {
        const bool has_rows = text.length > strlen(TUNE_FIRST);
        done = (!has_rows && !has_file) || write_text(path, &text, message);
        if (done) {
            print_end(t, path, has_rows, has_file);
        }
    }
    clfold_text_finish(&text);
    return done;
}

/* What cannot be read or written is not measured. */
static bool begin(struct tuning_session *t, char path[PLACE_SIZE],
                  struct message *message)
{
    char *text;

    t->path = path;
    if (!t->options->file && !place_make_folders(path)) {
        return message_set(message, "%.4000s: %s", path, strerror(errno));
    }
    if (!tune_file_read(path, false, &t->session, &text, &t->older, message)) {
        return false;
    }
    t->had_file = text != NULL;
    clfold_free(text);
    return output_file_check(path, message);
}

static bool tune(struct tuning_session *t, char path[PLACE_SIZE], struct message *message)
{
    return begin(t, path, message) && choose_jobs(t, message) && tune_all(t, message) &&
           keep(t, path, message);
}

bool command_tune(const struct options *options, struct message *message)
{
    char path[PLACE_SIZE];
    bool done = false;

    if (!tune_file_find(options, path, message)) {
        return false;
    }
    if (options->reset) {
        return tune_file_reset(path, message);
    }
    struct tuning_session *const t = calloc(1, sizeof(*t));
    if (!t) {
        return message_set(message, "there is not enough memory to tune");
    }
    t->options = options;
    if (session_open(&t->session, options->device, false, message)) {
        done = options->show ? tune_file_show(path, &t->session, message)
                             : tune(t, path, message);
    }
    tune_buffers_close(&t->buffers);
    tune_context_close(&t->older);
    clfold_text_finish(&t->left_out);
    session_close(&t->session);
    free(t);
    return done;
}
