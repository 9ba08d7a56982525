/* What the fault tests share: the calls as trials, contexts whose log is kept, an input
 * of several tiles, and the check that a context still works. */
#ifndef CLFOLD_TESTS_FIXTURE_H
#define CLFOLD_TESTS_FIXTURE_H

#include "calls.h"
#include "trial.h"
#include "test.h"

#define COUNT  20000
#define POISON ((cl_long)-987654321)

extern const clfold_fold sum; /* i32 into i64 */
extern cl_mem input, output;  /* COUNT ints, and two longs */
extern cl_long expected;      /* the sum of the ints */

/* Any tile, so that a program that does not build can drop to the next, and so small that
 * the input takes two launches; without fences, so that reductions do. */
#define TILES                                                                            \
    {                                                                                    \
        .tile_elements = 1024, .max_groups = 50, .tier = MEMORY_LEGACY_64                \
    }

/* At most twenty groups of any tile: 160 bytes of scratch. */
extern const struct debug twenty_groups;

/* The group's. The spies are reset after it. */
int fixture_init(void **state);
int fixture_finish(void **state);

/* With the log of this file, and these tiles. */
clfold_status context_open(clfold_context **out, const clfold_context_params *params);

/* The sum of the input on that queue is right. */
void assert_works(clfold_context *context, cl_command_queue queue);

/* ---- Calls ---- */

/* One of each kind, of COUNT elements but for those that need few or none; each makes
 * programs of its own. */
struct named_trial {
    const char *name;
    struct trial trial;
};
extern const struct named_trial calls[];
extern const size_t num_calls;
extern const struct subject by_text; /* of ints, too */

/* `sum` of n elements, by those tiles. */
#define INTS(n)                                                                          \
    .op = CLFOLD_ADD, .pair = { CLFOLD_I32, CLFOLD_I64 }, .plan = TILES, .count = (n)

/* Takes each call of an operation on its way from a trial to the library; NULL: none. */
typedef clfold_status takes_call(clfold_operation operation, const struct call *call);
extern takes_call *on_call;

/* Makes the call, which nothing takes. */
clfold_status forward(clfold_operation operation, const struct call *call);

/* Without its event or wait list. */
clfold_status forward_alone(clfold_operation operation, const struct call *call);

/* ---- The log ---- */

void log_clear(void);
/* Whether a message of this level holds both. */
bool log_has(int level, const char *one, const char *other);
size_t log_count(int level);

#endif
