#include "sweep.h"

#include "alloc_spy.h"
#include "file_spy.h"
#include "test.h"

#include <errno.h>

#define MAX_SHOTS 5000

void fault_arm(enum way way, uint64_t number)
{
    switch (way) {
    case OF_CALLS:
        clspy_arm(NULL, number, 0);
        break;
    case OF_ALLOCATIONS:
        alloc_spy_arm(number);
        break;
    default:
        file_spy_arm(number, ENOSPC);
    }
}

struct clspy_shot fault_disarm(enum way way)
{
    struct clspy_shot shot = { .function = "nothing" };

    if (way == OF_ALLOCATIONS && alloc_spy_disarm()) {
        shot = (struct clspy_shot){ true, "clfold_alloc", 0, CL_OUT_OF_HOST_MEMORY };
    } else if (way == OF_FILES) {
        const char *const failed = file_spy_disarm();
        shot.fired = failed != NULL;
        shot.function = failed ? failed : shot.function;
    } else if (way == OF_CALLS) {
        const struct clspy_shot call = clspy_disarm();
        shot = call.fired ? call : shot;
    }
    return shot;
}

static bool is_among(const char *function, const char *const *calls)
{
    while (*calls && strcmp(*calls, function) != 0) {
        ++calls;
    }
    return *calls != NULL;
}

uint64_t sweep(const char *name, enum way way, shoot *at, uint64_t least, uint64_t most,
               const char *const *calls)
{
    const char *seen[MAX_SHOTS + 1] = { NULL };
    uint64_t number = 1;

    for (; most == 0 || number <= most; ++number) {
        const struct clspy_live before = clspy_live();
        const int64_t blocks = alloc_spy_live();
        assert_true(number <= MAX_SHOTS);
        const struct clspy_shot shot = at(way, number);
        if (clspy_leaks(&before)[0] || alloc_spy_live() != blocks) {
            fail_msg("%s: after %s number %llu failed: %s; blocks %+lld", name,
                     shot.function, (unsigned long long)number, clspy_leaks(&before),
                     (long long)(alloc_spy_live() - blocks));
        }
        if (!shot.fired) {
            break;
        }
        seen[number - 1] = shot.function;
    }
    print_message("%s: %llu failed one by one\n", name, (unsigned long long)number - 1);
    assert_true(number - 1 >= least);
    for (; calls && *calls; ++calls) {
        if (!is_among(*calls, seen)) {
            fail_msg("%s: %s was not among the calls", name, *calls);
        }
    }
    return number - 1;
}
