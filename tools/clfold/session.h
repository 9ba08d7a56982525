/* A device that the user named, ready for calls of the library. */
#ifndef CLFOLD_COMMAND_SESSION_H
#define CLFOLD_COMMAND_SESSION_H

#include "device.h"
#include "profile.h"

#include <clfold/clfold.h>

#include <pthread.h>

struct session {
    struct device_list list;
    const struct device *device;
    const char *device_name; /* never NULL */
    cl_context cl;
    cl_command_queue queue;
    clfold_context *context;
    bool opening;
    struct profile profile; /* of calls, where the session is profiled */
    pthread_t watch;
    bool watched, noticed; /* a call is; the line has been printed */
    double began, spent;   /* seconds in watched calls */
};

/* selector: as device_select. profiled: the queue keeps the times of kernels, and
 * `profile` those of the last call. Whether it succeeds or not, session_close is due.
 * If the library ignores a tuning file, a line on standard error says why. */
bool session_open(struct session *session, const char *selector, bool profiled,
                  struct message *message);

/* One more queue, of its own properties. */
bool session_create_queue(const struct session *session,
                          cl_command_queue_properties properties, cl_command_queue *out,
                          struct message *message);

/* Around calls of the library that may build. Once these have taken a second, a line on a
 * terminal says so, and where the program is kept. */
void session_watch(struct session *session);
void session_unwatch(struct session *session);

/* Makes the type to fold in f32 where that is f16, which the device does not have. */
void session_choose_type(const struct session *session, clfold_fold *fold);

/* A zeroed session too. */
void session_close(struct session *session);

/* Always false: that sentence, or the status's name. */
bool session_refuse(clfold_status status, struct message *message);

/* The same of a fold of the user's, with the option in place of a field, or with a hint
 * where a text does not build. */
struct user_fold;
bool session_refuse_fold(const struct session *session, const struct user_fold *user,
                         clfold_status status, struct message *message);

/* Waits for a call that has returned `status`. */
bool session_wait(const struct session *session, clfold_status status,
                  struct message *message);

#endif
