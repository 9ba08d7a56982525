/* Trials: what a call gave is compared with what the loop on the host gives. */
#include <clfold/experimental.h>
#include "lookback.h"
#include "subjects_of_text.h"
#include "test.h"
#include "trial_run.h"

#include <math.h>
#include <stdio.h>

/* "`trial`: `what`" */
static enum trial_end explain(const struct trial *trial, const char *what, char *why,
                              size_t why_size)
{
    char text[800];

    trial_print(trial, text, sizeof(text));
    snprintf(why, why_size, "%s: %s", text, what);
    return TRIAL_WRONG;
}

/* ---- Comparing --------------------------------------------------------------------- */

static bool is_right(const struct run *run, const void *wanted, const void *found,
                     size_t size, double magnitude)
{
    const struct trial *trial = run->trial;
    const struct subject *s = trial->subject;

    if (trial->accuracy) {
        return memcmp(wanted, found, size) == 0;
    }
    if (run_rounds(trial)) {
        double error = fabs(as_double(trial->pair.type, found) -
                            as_double(trial->pair.type, wanted));
        return error <= rounding_bound(trial->pair.type, run_depth(run), magnitude);
    }
    if (!s) {
        return same_result(trial->op, trial->pair.type, wanted, found);
    }
    return s->same && size == s->size ? s->same(wanted, found)
                                      : memcmp(wanted, found, size) == 0;
}

static void print_value(const struct trial *trial, const unsigned char *value,
                        size_t size, char *text, size_t room)
{
    if (!trial->subject) {
        print_result(trial->op, trial->pair.type, value, text, room);
    } else if (trial->subject->print) {
        trial->subject->print(value, text, room);
    } else {
        text[0] = '\0';
        for (size_t i = 0; i < size && 2 * i + 2 < room; ++i) {
            snprintf(text + 2 * i, room - 2 * i, "%02x", value[i]);
        }
    }
}

/* `i` is the result's number, or past them, of the total. */
static bool compare_value(const struct run *run, const unsigned char *wanted,
                          const unsigned char *found, size_t i, char *why,
                          size_t why_size)
{
    const size_t size = i < run->num ? run->result : run->item;
    const double magnitude = i < run->num ? run->magnitudes[i] : run->last_magnitude;
    char is[160], should[160], name[48] = "the total", what[480];

    if (run->sums ? prefix_agrees(&run->sums[i], &run->data, run_depth(run),
                                  as_double(run->trial->pair.type, found))
                  : is_right(run, wanted, found, size, magnitude)) {
        return true;
    }
    if (i < run->num) {
        snprintf(name, sizeof(name), "result %zu", i);
    }
    print_value(run->trial, found, size, is, sizeof(is));
    if (run->sums) {
        snprintf(should, sizeof(should), "%.17g within %g, %.9g by plain ones",
                 exact_value(&run->sums[i].exact),
                 prefix_bound(&run->sums[i], run->data.pair.type, run_depth(run)),
                 run->sums[i].plain);
    } else {
        print_value(run->trial, wanted, size, should, sizeof(should));
    }
    snprintf(what, sizeof(what), "%s is %s instead of %s%s", name, is, should,
             strcmp(is, should) == 0 ? ", in bytes that this does not show" : "");
    explain(run->trial, what, why, why_size);
    return false;
}

const unsigned char *run_total(const struct run *run)
{
    const struct store *out = run_out(run);

    return run->trial->total == TOTAL_APART
               ? store_at(&run->total, run->total.after, 0)
               : store_at(out, out->after, run->trial->count + run->trial->spare);
}

static bool is_list_right(const struct run *run)
{
    const cl_ulong num = run->num_found;

    return (!run->keys.mem ||
            memcmp(store_at(&run->keys, run->keys.after, 0), run->want_keys,
                   run->num * run->keys.element) == 0) &&
           (!run->lengths.mem ||
            memcmp(store_at(&run->lengths, run->lengths.after, 0), run->want_lengths,
                   run->num * sizeof(cl_ulong)) == 0) &&
           (!run->told.mem ||
            memcmp(store_at(&run->told, run->told.after, 0), &num, sizeof(num)) == 0);
}

static enum trial_end compare(const struct run *run, char *why, size_t why_size)
{
    const struct trial *trial = run->trial;
    const struct store *out = run_out(run);
    const unsigned char *results = store_at(out, out->after, 0);
    const bool is_behind = trial->total == TOTAL_BEHIND;
    const size_t spare = is_behind ? trial->spare : 0;
    const bool is_bound = trial_finds(trial) || trial_selects(trial);
    const size_t num = trial->unknown && is_bound ? run->room : run->end;
    const size_t others = !trial->rest     ? 0
                          : trial->unknown ? run->room
                                           : trial->count - run->num;

    if (!trial->unknown) {
        for (size_t i = run->begin; i < run->end; ++i) {
            if (!compare_value(run, run->expected + i * run->result,
                               results + i * run->result, i, why, why_size)) {
                return TRIAL_WRONG;
            }
        }
        if (run->has_total && run->want_total && !trial->expected &&
            !compare_value(run, run->want_total, run_total(run), run->num, why,
                           why_size)) {
            return TRIAL_WRONG;
        }
    }
    if (!store_kept(out, run->begin, num - run->begin + spare + is_behind) ||
        memcmp(store_at(out, out->before, num), store_at(out, out->after, num),
               spare * run->result) != 0) {
        return explain(trial, "wrote beside its results", why, why_size);
    }
    if (!store_kept(&run->init, 0, 0) || !store_kept(&run->total, 0, run->has_total)) {
        return explain(trial, "wrote beside its total, or to init", why, why_size);
    }
    if ((!trial->in_place && !store_kept(&run->in, 0, 0)) ||
        !store_kept(&run->heads, 0, 0) || !store_kept(&run->number, 0, 0) ||
        !store_kept(&run->counted, 0, 0)) {
        return explain(trial, "wrote to its input", why, why_size);
    }
    if (!store_kept(&run->keys, 0, num) || !store_kept(&run->lengths, 0, num) ||
        !store_kept(&run->told, 0, 1) ||
        !store_kept(&run->carries, 0, trial->parts + 1) ||
        !store_kept(&run->last_keys, 0, 2) || !store_kept(&run->rest, 0, others)) {
        return explain(trial, "wrote beside its lists of segments, its rest or carries",
                       why, why_size);
    }
    if (!trial->unknown && !is_list_right(run)) {
        return explain(trial, "gives other keys, lengths or another number of segments",
                       why, why_size);
    }
    for (size_t i = 0; !trial->unknown && i < others; ++i) {
        if (!is_right(run, run->want_rest + i * run->result,
                      store_at(&run->rest, run->rest.after, i), run->result, 0)) {
            return explain(trial, "writes another rest", why, why_size);
        }
    }
    if (!store_kept(&run->bad, 0, 2) || (trial->tells && !trial->unknown &&
                                         memcmp(store_at(&run->bad, run->bad.after, 0),
                                                run->wrong, sizeof(run->wrong)))) {
        return explain(trial, "told another wrong offset", why, why_size);
    }
    return TRIAL_RIGHT;
}

/* Compilers whose vectors differ, as rusticl's do for keys of two sizes. */
static bool is_refused(const struct trial *trial, clfold_status status)
{
    const bool is_long =
        trial_selects(trial) && trial->condition->scans && trial->subject->size > 64;

    return ((trial->may_refuse || is_long) && status == CLFOLD_ERROR_UNSUPPORTED) ||
           (trial->may_refuse && status == CLFOLD_ERROR_BUILD &&
            trial->plan.tile == TILE_VECTOR && strstr(clfold_last_error(), " gives ")) ||
           (trial_selects(trial) &&
            is_due_refusal(&device, trial->algorithm, &trial->plan, false, status));
}

static clfold_status wanted_status(const struct run *run, bool any)
{
    const struct trial *trial = run->trial;

    return !any ? trial->operation == CLFOLD_EXCLUSIVE_SCAN ||
                          (trial_reduces(trial) && trial->by) || trial->count_at
                      ? CLFOLD_ERROR_ARGUMENT
                      : CLFOLD_ERROR_EMPTY
           : run->item > 64 && trial->count + trial->spare > 0 && trial->algorithm &&
                   trial_scans(trial) && may_look_back(trial->algorithm)
               ? CLFOLD_ERROR_UNSUPPORTED
               : CLFOLD_OK;
}

/* A select's that its fold allows: a store has one place, and a quotient is not defined
 * for the others; a part has no elements before it, and its texts here have no whole. */
static struct trial allowed(const struct trial *wanted)
{
    struct trial trial = *wanted;
    const struct subject *s = trial.subject;

    if (trial_selects(&trial)) {
        const struct condition *condition = trial.condition;
        const bool may_have_init = condition->scans && (!s->fill || s->fill_init);
        trial.rest &= !s->fold.store && !(s->fold.flags & CLFOLD_PARTIAL);
        trial.lists &= condition->are_runs;
        trial.init = may_have_init ? trial.init : INIT_NONE;
        if (s->load || s->write || s->fold.store || trial.init ||
            !(condition->are_runs || condition->keeps == keep_by_index.keeps)) {
            trial.first = 0;
        }
    }
    return trial;
}

/* By the trial's twin, if it has one and both have tiles of one size. */
static enum trial_end compare_bits(const struct run *run, char *why, size_t why_size)
{
    struct trial other;
    struct run twin;
    const char *failed = NULL;
    char text[800], what[900];
    enum trial_end end = TRIAL_RIGHT;
    size_t at = 0;

    if (!trial_twin(run->trial, &other)) {
        return TRIAL_RIGHT;
    }
    trial_print(&other, text, sizeof(text));
    if (!run_init(&twin, &other) || run_call(&twin, &failed)) {
        snprintf(what, sizeof(what), "failed otherwise: %s: %s", text,
                 failed ? failed : clfold_last_error());
        end = explain(run->trial, what, why, why_size);
    } else if (run->report.tile == twin.report.tile && !run_same_bits(run, &twin, &at)) {
        snprintf(what, sizeof(what), "result %zu has other bits than of %s", at, text);
        end = explain(run->trial, what, why, why_size);
    }
    run_finish(&twin);
    return end;
}

enum trial_end trial_run(const struct trial *asked, void *results, char *why,
                         size_t why_size)
{
    const struct trial made = allowed(asked), *trial = &made;
    struct run run;
    enum trial_end end;

    if (!run_init(&run, trial)) {
        run_finish(&run);
        return explain(trial, "no memory for its buffers", why, why_size);
    }
    const bool any = run_expect(&run);
    run.end = run.num;
    run.want_total = run.last;
    run.has_total = trial->total != TOTAL_NONE;
    const clfold_status wanted = wanted_status(&run, any);
    const char *failed = NULL;
    clfold_status status = run_call(&run, &failed);
    if (status != wanted && (failed || !is_refused(trial, status))) {
        char what[512];
        snprintf(what, sizeof(what), "%s: %s", clfold_status_name(status),
                 failed ? failed : clfold_last_error());
        end = explain(trial, what, why, why_size);
    } else if (status) {
        end = any ? TRIAL_REFUSED : TRIAL_RIGHT;
    } else {
        end = compare(&run, why, why_size);
    }
    if (end == TRIAL_RIGHT && any && !status && trial->rounds) {
        end = compare_bits(&run, why, why_size);
    }
    if (results && end == TRIAL_RIGHT && any) {
        const struct store *out = run_out(&run);
        memcpy(results, store_at(out, out->after, 0), run.num * run.result);
        if (trial->total) {
            memcpy((unsigned char *)results + run.num * run.result, run_total(&run),
                   run.item);
        }
    }
    run_finish(&run);
    return end;
}

bool trial_check(const struct trial *trial, void *results)
{
    char why[1024];
    const enum trial_end end = trial_run(trial, results, why, sizeof(why));

    if (end == TRIAL_WRONG) {
        fail_msg("%s", why);
    }
    return end == TRIAL_RIGHT;
}
