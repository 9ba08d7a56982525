/* Folds for tests of calls in parts, on one device or on those of several ranks, and
 * their data: one array of PART_COUNT elements at a time. */
#ifndef CLFOLD_TESTS_PART_SUBJECTS_H
#define CLFOLD_TESTS_PART_SUBJECTS_H

#include <clfold/clfold.h>

#include <stdbool.h>

#define PART_COUNT 5000
#define PART_BYTES 64 /* of an element or a result, at most */

/* Reduced too; rounds, so that bits depend on the cuts; scanned by flags; with init. */
enum {
    REDUCED = 1,
    ROUNDED = 2,
    BY_FLAGS = 4,
    WITH_INIT = 8,
    BY_KEYS = 16,
    BY_OFFSETS = 32,
    WITH_ARGS = 64, /* `factor`, a uint, and `weight`, a stream of U16 */
    WITH_INIT_AT = 128,
    HALF_KEYS = 256
};

struct part_subject {
    const char *name;
    clfold_fold fold;
    unsigned is;
};
extern const struct part_subject part_subjects[];
extern const size_t num_part_subjects;

/* Whether a subject has a reduction, or this scan. */
bool part_subject_has(const struct part_subject *subject, clfold_operation operation);

/* Makes the elements, and what belongs to them. */
void part_data_fill(const struct part_subject *subject);

/* A subject's fold of the whole, until it is moved to a part. */
struct part_call {
    clfold_fold fold;
    clfold_layout layout;
    clfold_segments segments;
    clfold_arg args[2];
    cl_mem in;
};

/* Its buffers have room for all elements, and hold those from `from` to `to`. */
void part_call_open(struct part_call *call, const struct part_subject *subject,
                    size_t from, size_t to);
void part_call_move(struct part_call *call, size_t first, size_t count);
void part_call_close(struct part_call *call);

/* The first byte that differs, but for those of floats that are near and may be; `size`:
 * none does. */
size_t part_difference(const struct part_subject *subject, const unsigned char *a,
                       const unsigned char *b, size_t size);

/* The next random number below the limit, the same in every process. */
uint32_t part_random(uint32_t limit);

#endif
