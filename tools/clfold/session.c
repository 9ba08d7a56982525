/* clCreateCommandQueue, since devices of OpenCL 1.2 have no other */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include "session.h"

#include "clock.h"
#include "programs.h"
#include "types.h"
#include "user_fold.h"
#include "verdicts.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Prints warnings only: an error also fails the call, and main prints it then. After the
 * opening nothing is printed: clfold explain gives the same reasons. */
static void warn(void *user, int level, const char *text)
{
    const struct session *const session = user;

    if (session->opening && level > CLFOLD_LOG_ERROR) {
        message_warn("%s", text);
    }
}

bool session_refuse(clfold_status status, struct message *message)
{
    const char *const sentence = library_sentence();
    char once[sizeof(message->text)] = "";

    if (strlen(sentence) < sizeof(once)) {
        sentence_once(once, sentence);
    }
    return message_set(message, "%s", *once ? once : clfold_status_name(status));
}

bool session_refuse_fold(const struct session *session, const struct user_fold *user,
                         clfold_status status, struct message *message)
{
    cl_device_fp_config fp64 = 0;

    if (status == CLFOLD_ERROR_ARGUMENT && user->converts) {
        return user_fold_refuse(&user->fold, message);
    }
    session_refuse(status, message);
    if (status == CLFOLD_ERROR_BUILD) {
        (void)clGetDeviceInfo(session->device->id, CL_DEVICE_DOUBLE_FP_CONFIG,
                              sizeof(fp64), &fp64, NULL);
        user_fold_hint(user, fp64 ? CLFOLD_F64 : CLFOLD_F32, library_sentence(), message);
    }
    return false;
}

bool session_wait(const struct session *session, clfold_status status,
                  struct message *message)
{
    if (status != CLFOLD_OK) {
        return session_refuse(status, message);
    }
    const cl_int error = clFinish(session->queue);
    return error == CL_SUCCESS || device_refuse(message, "clFinish", error);
}

/* ---- Builds ---- */

/* Where the driver keeps the program that is being built, or clfold does; NULL: neither,
 * as docs/first-call.md says. */
static const char *find_kept(const struct session *session, char path[PLACE_SIZE])
{
    char *const platform = platform_text(session->device->platform, CL_PLATFORM_NAME);
    const char *const name = platform ? platform : "",
                      *const folder = getenv("POCL_CACHE_DIR"),
                      *const on = getenv("POCL_KERNEL_CACHE"), *kept;

    if (strcmp(name, "Portable Computing Language") == 0 && (!on || *on == '1')) {
        const bool found = place_find(path, "pocl");
        kept = folder ? folder : found ? path : NULL;
    } else {
        kept = strcmp(name, "rusticl") == 0 ? NULL : programs_folder(path);
    }
    free(platform);
    return kept;
}

static void *print_notice(void *user)
{
    struct session *const session = user;
    const long left = session->spent < 1 ? (long)((1 - session->spent) * 1e9) : 0;
    char path[PLACE_SIZE];

    nanosleep(&(struct timespec){ left / 1000000000, left % 1000000000 }, NULL);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    const char *const folder = find_kept(session, path);
    /* A bar may stand in the line, which is shorter. */
    fprintf(stderr, "\rclfold: building a program for %s, which is %s%s\n",
            session->device_name, folder ? "kept in " : "not kept", folder ? folder : "");
    session->noticed = true;
    return NULL;
}

void session_watch(struct session *session)
{
    session->watched = !session->noticed && isatty(STDERR_FILENO) &&
                       !message_is_silenced() &&
                       pthread_create(&session->watch, NULL, print_notice, session) == 0;
    session->began = clock_now();
}

void session_unwatch(struct session *session)
{
    if (session->watched) {
        pthread_cancel(session->watch);
        pthread_join(session->watch, NULL);
        session->spent += clock_now() - session->began;
        session->watched = false;
    }
}

static void take_launch(void *user, const clfold_launch *launch)
{
    struct session *const session = user;

    if (launch->index == 0) {
        profile_clear(&session->profile);
    }
    profile_add(&session->profile, launch);
}

bool session_open(struct session *session, const char *selector, bool profiled,
                  struct message *message)
{
    const cl_command_queue_properties keeps = profiled ? CL_QUEUE_PROFILING_ENABLE : 0;
    cl_int error;

    *session = (struct session){ 0 };
    if (!device_list_init(&session->list, message)) {
        return false;
    }
    session->device = device_select(&session->list, selector, message);
    if (!session->device) {
        return false;
    }
    session->device_name = session->device->name ? session->device->name : "the device";

    const cl_context_properties properties[] = {
        CL_CONTEXT_PLATFORM, (cl_context_properties)session->device->platform, 0
    };
    session->cl =
        clCreateContext(properties, 1, &session->device->id, NULL, NULL, &error);
    if (!session->cl) {
        return device_refuse(message, "clCreateContext", error);
    }
    if (!session_create_queue(session, keeps, &session->queue, message)) {
        return false;
    }
    char programs[PLACE_SIZE];
    const clfold_context_params params = { .log = warn,
                                           .cache_folder = programs_folder(programs),
                                           .on_launch = profiled ? take_launch : NULL,
                                           .user = session,
                                           .load_verdict = verdicts_load,
                                           .save_verdict = verdicts_save };
    session->opening = true;
    const clfold_status status = clfold_context_create(&session->context, session->cl,
                                                       session->device->id, &params);
    session->opening = false;
    return status == CLFOLD_OK || session_refuse(status, message);
}

bool session_create_queue(const struct session *session,
                          cl_command_queue_properties properties, cl_command_queue *out,
                          struct message *message)
{
    cl_int error;

    *out = clCreateCommandQueue(session->cl, session->device->id, properties, &error);
    return *out || device_refuse(message, "clCreateCommandQueue", error);
}

/* What else is wrong than the type's lack shows when it is folded in. */
static bool has_type(const struct session *session, clfold_type type)
{
    const clfold_fold fold = clfold_builtin(CLFOLD_ADD, type);
    clfold_report report;

    return clfold_explain(session->context, CLFOLD_REDUCE, &fold, 1, NULL, &report) !=
           CLFOLD_ERROR_UNSUPPORTED;
}

void session_choose_type(const struct session *session, clfold_fold *fold)
{
    if (fold->type == CLFOLD_F16 && !has_type(session, CLFOLD_F16)) {
        fold->in = fold->in ? fold->in : CLFOLD_F16;
        fold->type = CLFOLD_F32;
    }
}

void session_close(struct session *session)
{
    profile_clear(&session->profile);
    clfold_context_destroy(&session->context);
    if (session->queue) {
        clReleaseCommandQueue(session->queue);
    }
    if (session->cl) {
        clReleaseContext(session->cl);
    }
    device_list_finish(&session->list);
    *session = (struct session){ 0 };
}
