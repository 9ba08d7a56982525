/* The context's inside. */
#ifndef CLFOLD_OPS_CONTEXT_H
#define CLFOLD_OPS_CONTEXT_H

#include "device/cache.h"
#include "device/caps.h"
#include "device/scratch.h"
#include "plan/reduce_plan.h"
#include "plan/verdict.h"

#include <stdatomic.h>

/* What is known of the device's memory tiers.
 *
 *   UNKNOWN --first caller--> BUSY --> KNOWN     for good
 *     ^                        |
 *     +--- could not be told --+                 the next caller tries again
 *
 * Whoever finds BUSY waits. */
struct knowledge {
    struct lock lock;
    bool busy;   /* a thread is finding out */
    bool loaded; /* load_verdict was asked */
    bool known;  /* the findings are */
    struct findings findings;
    bool listed; /* the device needs no probe, see verdict.h */
    struct findings on_list;
};

/* The environment variable that names an algorithm for scans that name none. */
#define CLFOLD_SCAN_VARIABLE "CLFOLD_SCAN"

struct clfold_context {
    struct log log;
    cl_context context;
    cl_device_id device;
    struct caps caps;
    struct cache cache;
    struct scratch scratch;
    struct knowledge knowledge;
    size_t (*load_verdict)(void *user, const char *key, void *verdict, size_t size);
    void (*save_verdict)(void *user, const char *key, const void *verdict, size_t size);
    const char *scan; /* the algorithm of scans that name none; NULL: by policy; static */
    struct plan_override override; /* tests and benches only */
    uint32_t verify_every;
    _Atomic uint64_t calls;
    _Atomic uint64_t verifiable; /* of those, one in verify_every is checked */
};

/* Looks whether the device, whose capabilities are there, needs a probe. False where the
 * system has no room for a lock. */
bool clfold_knowledge_init(struct knowledge *knowledge, const struct caps *caps);

/*
 * What look-back may rely on here. Probes the device if `may_probe` and nothing is known
 * of it yet. *known false, without a failure: nothing is known, and findings are what the
 * device offers best. An error of OpenCL's means the same; it is logged as a warning, and
 * *failed is the call.
 */
cl_int clfold_context_findings(clfold_context *context, bool may_probe,
                               struct findings *findings, bool *known,
                               const char **failed);

#endif
