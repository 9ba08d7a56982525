/* One scan of a work-group alone, by clfold_group_scans, against a loop on the host: for
 * tests and for runs under Oclgrind. */
#ifndef CLFOLD_TESTS_GROUP_SCAN_CHECK_H
#define CLFOLD_TESTS_GROUP_SCAN_CHECK_H

#include "device.h"
#include "group_scans.h"

#include <stddef.h>
#include <stdint.h>

struct scan_case {
    enum group_scan kind;
    uint32_t group_size;
    unsigned subject;
    const char *front; /* of the program's text; NULL: nothing */
    bool zones;        /* around the buffers; else they are exactly as long as needed */
};

/* What is scanned: the first two have one component, the others several. The last three
 * do not commute. */
enum scan_subject {
    SCAN_ADD_I32,
    SCAN_ADD_F32,
    SCAN_MIXED,    /* f32 min, u64 add, u8 max, u16 or */
    SCAN_MATRIX,   /* 2 x 2 of u32 */
    SCAN_AFFINE,   /* of u32 */
    SCAN_INTERVAL, /* neighbours only may be joined: any other pair shows for good */
    NUM_SCAN_SUBJECTS
};

const char *scan_subject_name(unsigned subject);
size_t scan_item_size(unsigned subject);

/* Text for `front`: sub-groups of `size` work-items, on any device. They wait for the
 * whole group where they should wait for each other; those of one do not wait, so that a
 * barrier of the group that is missing shows. They have no shuffles. */
void scan_front(char *front, size_t front_size, unsigned size);

/*
 * Builds the program, and runs it with two full groups and a last one of 1, 2, G - 1 and
 * G items. Returns false with a sentence in `why` if a result is not the loop's, bit for
 * bit, or a zone was written to.
 */
bool scan_check(const struct device *device, const char *options,
                const struct scan_case *scan, char *why, size_t why_size);

#endif
