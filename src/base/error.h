/*
 * Failures: a status, one sentence kept per thread, and the caller's log.
 *
 * A function that finds a failure writes
 *
 *     return clfold_fail(site, CLFOLD_ERROR_RANGE, "in_offset %zu ...", in_offset);
 *
 * and its callers hand the status on unchanged.
 */
#ifndef CLFOLD_BASE_ERROR_H
#define CLFOLD_BASE_ERROR_H

#include "base/size.h"

#include <clfold/clfold.h>

#if defined(__GNUC__)
#define CLFOLD_PRINTF(string, first) __attribute__((format(printf, string, first)))
#else
#define CLFOLD_PRINTF(string, first)
#endif

/* Where messages go: the context's parameters, as the caller gave them. */
struct log {
    void (*write)(void *user, int level, const char *message); /* NULL: nowhere */
    void *user;
    int level;
};

/* The subject of messages, which begin with "who: ". */
struct site {
    const struct log *log; /* NULL: there is no context yet */
    const char *who;       /* the fold's name, or the function's */
};

/* Keeps the sentence, with the status's name after it, as the thread's last error, logs
 * it as CLFOLD_LOG_ERROR, and returns `status`. */
clfold_status clfold_fail(const struct site *site, clfold_status status,
                          const char *format, ...) CLFOLD_PRINTF(3, 4);

/* The two most frequent failures. */
#define REJECT(site, ...)      clfold_fail(site, CLFOLD_ERROR_ARGUMENT, __VA_ARGS__)
#define UNSUPPORTED(site, ...) clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED, __VA_ARGS__)

/* An OpenCL call that failed: "clSetKernelArg failed". CL_SUCCESS is CLFOLD_OK. */
clfold_status clfold_fail_call(const struct site *site, cl_int status, const char *call);

/* The tail of the struct `owner`, which must be zero. */
clfold_status clfold_check_reserved(const struct site *site, const char *owner,
                                    const uintptr_t *reserved, size_t num);
#define CHECK_RESERVED(site, owner, of)                                                  \
    clfold_check_reserved(site, owner, (of)->reserved, CLFOLD_LENGTH((of)->reserved))

/* The same where no status can be returned: logged only. CL_SUCCESS says nothing. */
void clfold_log_call(const struct log *log, cl_int status, const char *call);

/* Releases an Event, a MemObject, ..., if there is one. */
#define CLFOLD_RELEASE(log, kind, object)                                                \
    clfold_log_call(log, (object) ? clRelease##kind(object) : CL_SUCCESS,                \
                    "clRelease" #kind)

/* Logs something that is not a failure of the call, or that the call cannot return. */
void clfold_log(const struct log *log, int level, const char *format, ...)
    CLFOLD_PRINTF(3, 4);

#endif
