/*
 * Programs, found by an interned fold's number and a shape, which is compared whole. A
 * context is one device and builds with one set of options, so these need not be in the
 * key.
 *
 *   EMPTY --first caller--> BUILDING --> READY          for good
 *     ^                        |    \--> FAILED         for good, with the compiler's log
 *     +---- any other error ---+                        the next caller tries again
 *
 * Whoever finds BUILDING waits.
 */
#ifndef CLFOLD_DEVICE_CACHE_H
#define CLFOLD_DEVICE_CACHE_H

#include "device/archive.h"
#include "device/folds.h"
#include "plan/plan.h"

#include <stdatomic.h>

/* The scalars that a kernel object was given last, by index. */
#define CLFOLD_MAX_SCALARS 32
struct scalars {
    uint32_t given; /* a bit each: there is a value */
    uint64_t values[CLFOLD_MAX_SCALARS];
};

/* One cl_kernel of each name, for one caller at a time: an argument is never set on an
 * object that two threads share. */
struct kernels {
    const struct program *of;
    cl_kernel kernels[CLFOLD_MAX_KERNELS];
    const struct param *params[CLFOLD_MAX_KERNELS];
    struct scalars scalars[CLFOLD_MAX_KERNELS];
    struct kernels *next;
};

enum program_state { PROGRAM_EMPTY, PROGRAM_BUILDING, PROGRAM_READY, PROGRAM_FAILED };

struct program {
    enum program_state state;
    const struct interned *fold;
    struct shape shape;
    struct program *peer; /* another one of the same bucket */
    cl_program program;
    bool is_kept;         /* the archive has it */
    bool saving;          /* a thread is saving it: it may not be dropped */
    uint64_t round;       /* in which that was tried last */
    struct text log;      /* the compiler's, of a failed build */
    struct kernels *idle; /* a free list */
    struct program *next;
};

#define CLFOLD_BUCKETS 64

struct cache {
    struct lock lock;
    cl_context context;
    cl_device_id device;
    const char *options;
    const struct archive *archive;
    struct program *programs; /* newest first */
    struct program *buckets[CLFOLD_BUCKETS];
    _Atomic uint32_t num_users; /* programs of users' folds */
    _Atomic uint64_t hits, misses;
    uint64_t builds, failed_builds, build_ns;
    uint64_t loads, load_ns, saves;
    uint64_t rounds; /* of saving */
};

/* Retains nothing: context, device and archive are the owner's. False: the system has no
 * room for a lock. */
bool clfold_cache_init(struct cache *cache, cl_context context, cl_device_id device,
                       const char *options, const struct archive *archive);
/* Saves the rest. A zeroed cache is fine. */
void clfold_cache_finish(struct cache *cache, const struct log *log);

/*
 * Finds the program, loading or building it if need be; *found becomes false if it was
 * not there, so that a caller with several candidates counts one hit or miss. The
 * program is the cache's and lives as long. One that does not build is
 * CLFOLD_ERROR_BUILD from then on, and logged once, as a warning: only
 * clfold_program_error makes it a failure.
 */
clfold_status clfold_cache_find(struct cache *cache, const struct site *site,
                                const struct interned *fold, const struct shape *shape,
                                struct program **out, bool *found);
void clfold_cache_count(struct cache *cache, bool hit);

/* CLFOLD_ERROR_BUILD with the compiler's log. */
clfold_status clfold_program_error(const struct program *program,
                                   const struct site *site);

/* The program if it is READY or FAILED, and which; else NULL and PROGRAM_EMPTY.
 * Builds nothing, counts nothing. */
enum program_state clfold_cache_peek(struct cache *cache, const struct interned *fold,
                                     const struct shape *shape, struct program **out);

/* Takes kernels off the program's free list, or makes them; to be given back. */
clfold_status clfold_program_take(struct cache *cache, const struct site *site,
                                  struct program *program, struct kernels **out);
void clfold_program_give(struct cache *cache, struct program *program,
                         struct kernels *kernels);

/* Saves the programs of a fold, or with NULL all, that the archive lacks, unless its
 * driver saves last. What cannot be saved costs a line in the log. */
void clfold_cache_save(struct cache *cache, const struct log *log,
                       const struct interned *fold);

/* Drops the programs of a fold that no call holds. */
void clfold_cache_drop(struct cache *cache, const struct log *log,
                       const struct interned *fold);

/* Releases all idle kernels. */
void clfold_cache_trim(struct cache *cache, const struct log *log);

#endif
