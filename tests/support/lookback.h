/* Look-back on the device under test: which memory tiers compile there, and which calls
 * it may reject. */
#ifndef CLFOLD_TESTS_LOOKBACK_H
#define CLFOLD_TESTS_LOOKBACK_H

#include "device.h"

#include "ops/internal.h"

/* The linker calls the first for the other one: see tests/driver_faults.py. */
void __wrap_clfold_context_override(clfold_context *context, const struct debug *plan);
void __real_clfold_context_override(clfold_context *context, const struct debug *plan);

/* Whether the algorithm of that name may look back; NULL: the policy's. */
bool may_look_back(const char *algorithm);

/* Whether the device compiles and runs a look-back by that tier. */
bool has_tier(const struct device *device, enum memory_tier tier);

/* The best of them; MEMORY_NONE: there is none. */
enum memory_tier best_tier(const struct device *device);

/* Whether it may be in place there by that tier. */
bool has_fences(const struct device *device, enum memory_tier tier);

/* The plan, by the best tier if it says none. */
struct debug with_tier(const struct device *device, struct debug plan);

/* Whether two groups of a launch are sure to run at the same time, now and then. Without
 * affinity PoCL's workers may share a core for longer than a launch takes. */
bool groups_meet(const struct device *device);

/* Whether a call of that algorithm that ended with `status` was rejected for a valid
 * reason: in place by a tier without fences, or on a device that ends loops. Such a call
 * by policy is scanned by LOOKBACK_INSTEAD. */
bool is_due_refusal(const struct device *device, const char *algorithm,
                    const struct debug *plan, bool in_place, clfold_status status);
#define LOOKBACK_INSTEAD "reduce_then_scan"

#endif
