/* What trials need beside themselves: folds and conditions by name, which calls there
 * are, and which of them the drivers cannot do. */
#ifndef CLFOLD_TESTS_TRIAL_TEXT_H
#define CLFOLD_TESTS_TRIAL_TEXT_H

#include "trial.h"

#include "plan/operation.h"

/* Names have "_" for blanks; that of a drawn fold or condition is "random:SEED". NULL:
 * there is none. A drawn one is there until the next is named, and its condition until
 * the next one of these. */
const struct subject *subject_named(const char *name);
const struct condition *condition_named(const struct subject *subject, const char *name);
void subject_name(const struct subject *subject, char *name, size_t size);
void condition_name(const struct condition *condition, char *name, size_t size);

/* An algorithm of callers by its name, of any operation. */
bool algorithm_named(const char *name, enum algorithm *algorithm);

/* All but the drawn ones, by number; NULL past the last. */
const struct subject *subject_numbered(size_t k);

/* A condition for the subject, by lot. */
const struct condition *condition_drawn(const struct subject *subject, uint64_t *seed);

/* Whether the library has such a call, and the loop on the host knows its results. */
bool trial_is_valid(const struct trial *trial);

/* Why this device cannot do a valid call, for a fault of its driver; NULL: it can. */
const char *left_out(const struct trial *trial);

/* A call by lot: first what makes its program, then the rest, many times. */
void draw_program(struct trial *trial, uint64_t *seed);
void draw_call(struct trial *trial, const struct trial *program, uint64_t *seed);

/* Whether the device is Oclgrind: slow, so that calls are of few elements, and without
 * notes of what memory of the host holds. */
bool is_simulated(void);

#endif
