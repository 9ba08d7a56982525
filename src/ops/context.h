/* The context's members. */
#ifndef CLFOLD_OPS_CONTEXT_H
#define CLFOLD_OPS_CONTEXT_H

#include "device/cache.h"
#include "device/scratch.h"
#include "plan/tuning.h"
#include "plan/verdict.h"

/* The known facts about the device's memory tiers.
 *
 *   UNKNOWN --first caller--> BUSY --> KNOWN     for good
 *     ^                        |
 *     +--- not found out -------+ the next caller tries again
 *
 * Whoever finds BUSY waits. */
struct knowledge {
    struct lock lock;
    bool busy;      /* a thread is finding out */
    bool loaded;    /* load_verdict was asked */
    bool known;     /* the findings are */
    bool is_forced; /* by a test's probes */
    struct findings findings;
    bool listed; /* the device needs no probe, see verdict.h */
    struct findings on_list;
    bool is_settled; /* what reductions rely on */
    struct verdict settled;
};

/* The environment variables that name the default scan algorithm and the default tuning
 * file. */
#define CLFOLD_SCAN_VARIABLE   "CLFOLD_SCAN"
#define CLFOLD_TUNING_VARIABLE "CLFOLD_TUNING"

struct clfold_context {
    struct log log;
    cl_context context;
    cl_device_id device;
    struct caps caps;
    struct folds folds;
    struct interned *shared; /* a sum, whose programs are of no fold */
    struct archive archive;
    struct cache cache;
    struct scratch scratch;
    struct knowledge knowledge;
    size_t (*load_verdict)(void *user, const char *key, void *verdict, size_t size);
    void (*save_verdict)(void *user, const char *key, const void *verdict, size_t size);
    const struct algorithm_row *scan; /* of scans that name none; NULL: by policy */
    void (*on_launch)(void *user, const clfold_launch *launch);
    struct tuning file, own;   /* rows for this device; do not change */
    const struct debug *debug; /* of tests and benches, which own it; or NULL */
    uint32_t verify_every;
    uint32_t max_programs;   /* of users' folds, and how many of these */
    _Atomic bool has_no_num; /* segments by offsets with `num` 0: logged once */
    _Atomic uint64_t calls;
    _Atomic uint64_t verifiable; /* of those, one in verify_every is checked */
};

/* Finds out from the capabilities whether the device needs a probe. False if the system
 * has no room for a lock. */
bool clfold_knowledge_init(struct knowledge *knowledge, const struct caps *caps);

/*
 * Fetches the device's memory guarantees. Probes the device if `may_probe` is set and
 * nothing is known yet. If *known becomes false, findings are the best that the device
 * offers. So they are if OpenCL fails; then that is logged as a warning, and *failed is
 * the call.
 */
cl_int clfold_context_findings(clfold_context *context, bool may_probe,
                               struct findings *findings, bool *known,
                               const char **failed);

/* What reductions rely on: what is known, if `settles` for good, so that no probe makes
 * what was prepared another program; none starts a probe. MEMORY_NONE: nothing. */
struct verdict clfold_context_settled(clfold_context *context, bool settles);

/* Drops users' folds that no call holds, with their programs, until `most` are left of
 * both. */
void clfold_context_shrink(clfold_context *context, uint32_t most);

/* "clfold 100; PLATFORM; DEVICE; DRIVER", in one line. */
#define CLFOLD_KEY_SIZE 512
void clfold_device_key(const struct caps *caps, char key[CLFOLD_KEY_SIZE]);

/* As rows of tuning have it: "CPU VENDOR FAMILY MODEL; PLATFORM", or "PLATFORM; DEVICE;
 * DRIVER" of other devices and CPUs without a name. False: there is no memory. */
bool clfold_tuning_key(const struct caps *caps, char key[CLFOLD_KEY_SIZE]);

/* Loads the library's own rows, and the file that the caller or, if `name` is NULL, the
 * environment names. A file that is rejected is logged with the reason; only a lack of
 * host memory fails the call. */
clfold_status clfold_tuning_load(clfold_context *context, const struct site *site,
                                 const char *name);

/* The numbers of the row for this job: the file's, or else the library's own; NULL: there
 * is none. */
const struct tuned_numbers *clfold_context_row(const clfold_context *context,
                                               const struct job *job);

#endif
