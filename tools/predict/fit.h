/* How many groups a unit of a device holds at once: occupancy. */
#ifndef CLFOLD_PREDICT_FIT_H
#define CLFOLD_PREDICT_FIT_H

#include "device_file.h"

struct fit {
    int64_t groups;     /* on a unit; 0: not even one */
    int64_t sub_groups; /* in these */
    const char *limit;  /* "registers", ...: what binds */
};

/* Groups of `num_items` work-items with so many registers each and bytes of local memory.
 * registers 0: not known, and no limit. */
struct fit fit_groups(const struct device *device, int64_t num_items, int64_t registers,
                      int64_t local_bytes);

#endif
