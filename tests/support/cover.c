#include "cover.h"

#include "random_fold.h"
#include "trial_text.h"

#include "plan/operation.h"
#include "plan/user_text.h"

#include <stdlib.h>
#include <string.h>

#define MOST_LEVELS 32

/* Whether a text uses a name. */
static bool uses(const clfold_fold *fold, const char *text, const char *name)
{
    return text && clfold_user_text_uses(text, fold->source, name);
}

static bool has_arg(const clfold_fold *fold, bool is_stream, bool is_buffer)
{
    bool has = false;

    for (size_t i = 0; i < fold->num_args; ++i) {
        const clfold_arg *arg = &fold->args[i];
        has |= !arg->type == is_stream && (arg->mem != NULL) == is_buffer;
    }
    return has;
}

/* What makes a program, as small numbers: of trial t, its subject's fold f, and its
 * subject s. */
#define FACTORS(X)                                                                       \
    X(t->operation)                                                                      \
    X(t->plan.tile)                                                                      \
    X(t->width > 1 ? CLFOLD_BY_COLUMNS : t->width ? CLFOLD_BY_LENGTH : t->by)            \
    X(algorithm_of(t))                                                                   \
    X(t->head_type)                                                                      \
    X(t->count_at)                                                                       \
    X(t->reverse)                                                                        \
    X(t->init)                                                                           \
    X(t->parts)                                                                          \
    X(t->num_at + 2 * t->tells)                                                          \
    X(t->lists + 2 * t->rest + 4 * t->loose)                                             \
    X(condition_kind(t->condition))                                                      \
    X(t->accuracy)                                                                       \
    X(t->subject ? LAST_OP + 1 + (random_fold_of(t->subject) != NULL) : t->op)           \
    X(t->subject ? 0 : t->pair.in)                                                       \
    X(t->subject ? f->type : t->pair.type)                                               \
    X(f->op)                                                                             \
    X(f->type && f->combine)                                                             \
    X(f->components != NULL)                                                             \
    X(f->type_name != NULL)                                                              \
    X(s->identity != NULL)                                                               \
    X(f->cuts != NULL)                                                                   \
    X(f->flags)                                                                          \
    X(s->same != NULL)                                                                   \
    X((s->size > 2) + (s->size > 8) + (s->size > 32) + (s->size > 64))                   \
    X(s->is_real)                                                                        \
    X(has_arg(f, false, false))                                                          \
    X(has_arg(f, false, true))                                                           \
    X(has_arg(f, true, true))                                                            \
    X(!f->load ? 0 : uses(f, f->load, "i") ? 1 : s->reads_others ? 2 : 3)                \
    X(f->in)                                                                             \
    X(f->in_scalars)                                                                     \
    X(f->out)                                                                            \
    X(f->out_scalars)                                                                    \
    X(f->store != NULL)                                                                  \
    X(result_kind(f))
#define LEVEL_OF(expression) (uint8_t)((expression) % MOST_LEVELS),
#define ONE(expression)      +1
#define NUM_FACTORS          (0 FACTORS(ONE))

static unsigned condition_kind(const struct condition *condition)
{
    return !condition              ? 0
           : condition->are_runs   ? 1
           : !condition->scans     ? 2
           : condition->keeps_item ? 3
                                   : 4;
}

static unsigned result_kind(const clfold_fold *f)
{
    static const char *const names[] = { "i", "n", "prev", "x", "y", "in" };
    unsigned k = 0;

    while (k < sizeof(names) / sizeof(names[0]) && !uses(f, f->result, names[k])) {
        ++k;
    }
    return f->result ? 1 + k : 0;
}

static unsigned algorithm_of(const struct trial *t)
{
    enum algorithm algorithm;

    return t->algorithm && algorithm_named(t->algorithm, &algorithm) ? algorithm + 1 : 0;
}

static void list_levels(uint8_t levels[NUM_FACTORS], const struct trial *t)
{
    static const struct subject none;
    const struct subject *s = t->subject ? t->subject : &none;
    const clfold_fold *f = &s->fold;
    const uint8_t all[NUM_FACTORS] = { FACTORS(LEVEL_OF) };

    memcpy(levels, all, sizeof(all));
}

/* Pairs of levels of two factors that have occurred. The first meet all others; what else
 * is the plan's meets itself, and of folds the operator its types. */
#define NUM_FIRST   3
#define NUM_OF_PLAN 13
#define NUM_TYPES   3
typedef bool pairs[NUM_FACTORS][NUM_FACTORS][MOST_LEVELS][MOST_LEVELS];

static size_t count_new(pairs *met, const uint8_t levels[NUM_FACTORS], bool marks)
{
    size_t num = 0;

    for (size_t a = 0; a < NUM_OF_PLAN + NUM_TYPES; ++a) {
        const size_t last = a < NUM_FIRST     ? NUM_FACTORS
                            : a < NUM_OF_PLAN ? NUM_OF_PLAN
                                              : NUM_OF_PLAN + NUM_TYPES;
        for (size_t b = a + 1; b < last; ++b) {
            bool *is_met = &(*met)[a][b][levels[a]][levels[b]];
            num += !*is_met;
            *is_met |= marks;
        }
    }
    return num;
}

size_t cover_programs(uint64_t seed, size_t sample, uint64_t *seeds, size_t most)
{
    struct sampled {
        uint64_t seed;
        size_t gain; /* new pairs, at most */
        uint8_t levels[NUM_FACTORS];
    } *all = malloc(sample * sizeof(*all)), *best;
    pairs *met = calloc(1, sizeof(*met));
    size_t num = 0;

    for (size_t i = 0; all && i < sample; ++i) {
        struct trial program;
        uint64_t own = all[i].seed = next_random(&seed);
        draw_program(&program, &own);
        list_levels(all[i].levels, &program);
        all[i].gain = SIZE_MAX;
    }
    /* Greedy: gains only get less. */
    do {
        size_t gain = 0;
        best = NULL;
        for (size_t i = 0; all && met && i < sample; ++i) {
            if (all[i].gain > gain) {
                all[i].gain = count_new(met, all[i].levels, false);
            }
            if (all[i].gain > gain) {
                gain = all[i].gain;
                best = &all[i];
            }
        }
        if (best && num < most) {
            count_new(met, best->levels, true);
            seeds[num++] = best->seed;
        }
    } while (best && num < most);
    free(all);
    free(met);
    return num < most ? num : 0;
}
