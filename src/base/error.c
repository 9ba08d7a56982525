#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Room for a sentence and most of a compiler's log. */
static _Thread_local char last_error[4096];

const char *clfold_last_error(void)
{
    return last_error;
}

clfold_status clfold_fail(const struct site *site, clfold_status status,
                          const char *format, ...)
{
    va_list args;
    char message[sizeof(last_error)]; /* an argument may be last_error */
    char tail[64];
    int tail_length = snprintf(tail, sizeof(tail), " (%s)", clfold_status_name(status));
    size_t room = sizeof(message) - (size_t)tail_length;
    int length = snprintf(message, room, "%s: ", site->who);
    size_t end = (size_t)length < room ? (size_t)length : room - 1;

    va_start(args, format);
    length = vsnprintf(message + end, room - end, format, args);
    va_end(args);
    end = (size_t)length < room - end ? end + (size_t)length : room - 1;
    memcpy(message + end, tail, (size_t)tail_length + 1);
    memcpy(last_error, message, end + (size_t)tail_length + 1);
    clfold_log(site->log, CLFOLD_LOG_ERROR, "%s", message);
    return status;
}

clfold_status clfold_fail_call(const struct site *site, cl_int status, const char *call)
{
    return status == CL_SUCCESS ? CLFOLD_OK
                                : clfold_fail(site, status, "%s failed", call);
}

clfold_status clfold_check_reserved(const struct site *site, const char *owner,
                                    const uintptr_t *reserved, size_t num)
{
    for (size_t i = 0; i < num; ++i) {
        if (reserved[i] != 0) {
            return REJECT(site, "%s: reserved[%zu] is not zero", owner, i);
        }
    }
    return CLFOLD_OK;
}

void clfold_log_call(const struct log *log, cl_int status, const char *call)
{
    if (status != CL_SUCCESS) {
        clfold_log(log, CLFOLD_LOG_ERROR, "%s failed (%s)", call,
                   clfold_status_name(status));
    }
}

void clfold_log(const struct log *log, int level, const char *format, ...)
{
    va_list args;
    char message[sizeof(last_error)], kept[sizeof(last_error)];

    if (!log || !log->write || log->level < level) {
        return;
    }
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    /* The callback's own calls may fail. */
    memcpy(kept, last_error, sizeof(kept));
    log->write(log->user, level, message);
    memcpy(last_error, kept, sizeof(kept));
}
