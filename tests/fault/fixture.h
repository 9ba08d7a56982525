/* What the fault tests share: the device, an input of several tiles, contexts whose log
 * is kept, and the check that a context still works. */
#ifndef CLFOLD_TESTS_FIXTURE_H
#define CLFOLD_TESTS_FIXTURE_H

#include "device.h"
#include "test.h"

#define COUNT  20000
#define POISON ((cl_long)-987654321)

extern struct device device;
extern const clfold_fold sum; /* i32 into i64 */
/* The same by floats, which hold all sums of the input; and of one segment. */
extern const clfold_fold compensated, reproducible, by_offsets;
extern cl_mem input, output;             /* COUNT ints, and two longs */
extern const struct debug twenty_groups; /* of any tile: 160 bytes of scratch */
extern cl_mem items;                     /* COUNT longs, for scans */
extern cl_long expected;                 /* the sum of the ints */
extern cl_long prefixes[COUNT];          /* their inclusive scan */

/* The group's. The spies are reset after it. */
int fixture_init(void **state);
int fixture_finish(void **state);

/* The input as one row, for algorithms of segments; NULL for all others. */
const clfold_segments *segments_for(const char *algorithm);

/* With the log of this file, and tiles so small that the input takes two launches. */
clfold_status context_open(clfold_context **out, const clfold_context_params *params);

/* The operation of `count` elements of the input, into `output` or `items`; waits for
 * `wait` unless it is NULL. */
clfold_status make_call(clfold_context *context, cl_command_queue queue,
                        clfold_operation operation, const clfold_fold *fold, size_t count,
                        const cl_event *wait, cl_event *event);

/* The sum of the input on that queue is right. */
void assert_works(clfold_context *context, cl_command_queue queue);

/* Of its first long, and of all items. */
void poison_output(void);
cl_long read_output(void);
bool items_are_poison(void);

/* Fails where an item is not as it should be. `after`: what failed before. */
void assert_scanned(const char *after);
/* The same where an item is the element of the input, widened. */
void assert_mapped(const char *after);

/* ---- The log ---- */

void log_clear(void);
/* Whether a message of this level holds both. */
bool log_has(int level, const char *one, const char *other);
size_t log_count(int level);

#endif
