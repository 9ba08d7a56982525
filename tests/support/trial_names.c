/* Folds and conditions by name, drawn ones among them. */
#include "random_fold.h"
#include "subjects_of_text.h"
#include "trial_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DRAWN "random:"

static struct {
    struct random_fold fold;
    const struct subject *subject; /* NULL: there is none */
    cl_mem table;                  /* whose element 1 is the argument's value */
    uint64_t seed;
    const struct condition *condition; /* on it */
    uint64_t condition_seed;
} drawn;

/* The argument's value is its buffer's element 1. */
static cl_mem new_table(const struct random_fold *fold)
{
    unsigned char values[16] = { 0 };

    memcpy(values + size_of(fold->has_arg ? fold->arg_type : CLFOLD_U64), fold->arg_value,
           8);
    return copied_buffer(values, sizeof(values));
}

static const struct subject *draw_subject(uint64_t seed)
{
    if (drawn.subject && drawn.seed == seed) {
        return drawn.subject;
    }
    if (drawn.subject) {
        clReleaseMemObject(drawn.table);
        random_fold_finish(&drawn.fold);
    }
    random_fold_init(&drawn.fold, seed, device.has_f16, device.has_f64);
    drawn.table = new_table(&drawn.fold);
    if (drawn.fold.arg_is_buffer) {
        drawn.fold.arg.mem = drawn.table;
    }
    drawn.seed = seed;
    drawn.condition = NULL;
    return drawn.subject = random_fold_subject(&drawn.fold);
}

const struct random_fold *random_fold_of(const struct subject *subject)
{
    return subject && subject == drawn.subject ? &drawn.fold : NULL;
}

const struct subject *subject_numbered(size_t k)
{
    const struct subject *const tables[] = { operator_subjects, order_subjects,
                                             load_subjects, result_subjects };

    if (k < 2) {
        return k ? &affine_with_cuts : &affine;
    }
    k -= 2;
    for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); ++t) {
        const struct subject *s = tables[t];
        for (; s->size > 0 && k > 0; ++s) {
            --k;
        }
        if (s->size > 0) {
            return s;
        }
    }
    if (k < NUM_SELECT_SUBJECTS) {
        return select_subjects[k].subject;
    }
    k -= NUM_SELECT_SUBJECTS;
    return k < LAST_TYPE ? plain_subject(CLFOLD_I8 + (clfold_type)k) : NULL;
}

/* ---- Names ------------------------------------------------------------------------- */

static void without_blanks(char *name, size_t size, const char *text)
{
    snprintf(name, size, "%s", text);
    for (char *at = name; *at; ++at) {
        *at = *at == ' ' ? '_' : *at;
    }
}

void subject_name(const struct subject *subject, char *name, size_t size)
{
    if (random_fold_of(subject)) {
        snprintf(name, size, DRAWN "%llu", (unsigned long long)drawn.seed);
    } else {
        without_blanks(name, size, subject->fold.name);
    }
}

const struct subject *subject_named(const char *name)
{
    const struct subject *s;
    char own[64];

    if (strncmp(name, DRAWN, strlen(DRAWN)) == 0) {
        return draw_subject(strtoull(name + strlen(DRAWN), NULL, 0));
    }
    for (size_t k = 0; (s = subject_numbered(k)); ++k) {
        without_blanks(own, sizeof(own), s->fold.name);
        if (strcmp(own, name) == 0) {
            return s;
        }
    }
    return NULL;
}

void condition_name(const struct condition *condition, char *name, size_t size)
{
    if (condition == &keep_by_index || condition == &scan_by_index) {
        snprintf(name, size, condition->scans ? "scan_by_index" : "by_index");
    } else if (condition == drawn.condition) {
        snprintf(name, size, DRAWN "%llu", (unsigned long long)drawn.condition_seed);
    } else {
        without_blanks(name, size, condition->text);
    }
}

const struct condition *condition_named(const struct subject *subject, const char *name)
{
    char own[128];

    if (strncmp(name, DRAWN, strlen(DRAWN)) == 0) {
        drawn.condition_seed = strtoull(name + strlen(DRAWN), NULL, 0);
        return drawn.condition =
                   random_fold_of(subject)
                       ? random_fold_condition(&drawn.fold, drawn.condition_seed)
                       : NULL;
    }
    for (size_t k = 0; k < NUM_SELECT_SUBJECTS; ++k) {
        without_blanks(own, sizeof(own), select_subjects[k].condition.text);
        if (select_subjects[k].subject == subject && strcmp(own, name) == 0) {
            return &select_subjects[k].condition;
        }
    }
    return strcmp(name, "by_index") == 0        ? &keep_by_index
           : strcmp(name, "scan_by_index") == 0 ? &scan_by_index
                                                : NULL;
}

/* One of its own, or by index. */
const struct condition *condition_drawn(const struct subject *subject, uint64_t *seed)
{
    const struct condition *own[NUM_SELECT_SUBJECTS];
    const uint64_t bits = next_random(seed) >> 20;
    char name[48];
    size_t num = 0;

    if (random_fold_of(subject)) {
        snprintf(name, sizeof(name), DRAWN "%llu", (unsigned long long)bits);
        return condition_named(subject, name);
    }
    for (size_t k = 0; k < NUM_SELECT_SUBJECTS; ++k) {
        if (select_subjects[k].subject == subject) {
            own[num++] = &select_subjects[k].condition;
        }
    }
    return num > 0 && bits % 4             ? own[bits / 4 % num]
           : subject->combine && bits & 64 ? &scan_by_index
                                           : &keep_by_index;
}
