#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "clspy.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The functions, by number ------------------------------------------------------ */

#define STATUS(name, code, params, args)             CALL(name)
#define INFO(name, code, params, args)               CALL(name)
#define RETAIN(name, kind, type)                     CALL(name)
#define RELEASE(name, kind, type)                    CALL(name)
#define CREATE(type, name, kind, code, params, args) CALL(name)
#define ENQUEUE(name, code, params, args)            CALL(name)
#define READ(name, code, params, args)               CALL(name)
#define MAP(name, code, params, args)                CALL(name)
#define MAPPED(name, code, params, args)             CALL(name)
#define OWN(name)                                    CALL(name)

enum call {
#define CALL(name) CALL_##name,
#include "clspy_calls.h"
#undef CALL
    CALLS
};

static const char *const call_names[CALLS] = {
#define CALL(name) #name,
#include "clspy_calls.h"
#undef CALL
};

#undef STATUS
#undef INFO
#undef RETAIN
#undef RELEASE
#undef CREATE
#undef ENQUEUE
#undef READ
#undef MAP
#undef MAPPED
#undef OWN

static void die(const char *what, const char *name)
{
    fprintf(stderr, "clspy: %s: %s\n", name, what);
    abort();
}

static enum call find(const char *name)
{
    for (int call = 0; call < CALLS; ++call) {
        if (strcmp(call_names[call], name) == 0) {
            return (enum call)call;
        }
    }
    die("this is not in clspy_calls.h", name);
    return CALLS;
}

typedef void (*any_function)(void);

static any_function real_functions[CALLS];

/* A program that defines all of OpenCL needs no libOpenCL in its linker's eyes, which may
 * leave it out. */
static void load_all(void)
{
    void *loader = dlopen("libOpenCL.so.1", RTLD_NOW);

    for (int call = 0; call < CALLS; ++call) {
        void *address = dlsym(loader ? loader : RTLD_NEXT, call_names[call]);
        memcpy(&real_functions[call], &address, sizeof(address));
    }
}

static any_function real(enum call call)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load_all);
    if (!real_functions[call]) {
        die("this OpenCL loader lacks the function", call_names[call]);
    }
    return real_functions[call];
}

#define REAL(name) ((__typeof__(&name))real(CALL_##name))

/* ---- State ------------------------------------------------------------------------- */

#define MAX_FAULTS  8
#define MAX_ANSWERS 16
#define MAX_TEXT    256

struct fault {
    int call; /* CALLS: any */
    uint64_t left;
    cl_int code;
};

struct answer {
    enum call call;
    cl_uint param;
    size_t size;
    unsigned char bytes[MAX_TEXT];
};

/* What a text was built into. */
struct kept {
    struct kept *next;
    cl_device_id device;
    char *text;
    unsigned char *binary;
    size_t size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t counts[CALLS];
static struct clspy_live live;
static struct fault faults[MAX_FAULTS];
static size_t num_faults;
static struct clspy_shot shot;
static struct answer answers[MAX_ANSWERS];
static size_t num_answers;
static bool null_device;
static char build_options[MAX_TEXT];
static bool keeps_binaries;
static struct kept *kept_programs;

/* Set while the thread is in a call: what the driver calls in turn is its own affair. */
static _Thread_local bool inside;

static const char *const kind_names[CLSPY_KINDS] = {
    [CLSPY_DEVICE] = "device", [CLSPY_CONTEXT] = "context", [CLSPY_QUEUE] = "queue",
    [CLSPY_MEM] = "mem",       [CLSPY_PROGRAM] = "program", [CLSPY_KERNEL] = "kernel",
    [CLSPY_EVENT] = "event",
};

/* See clspy.h, Posing. */
__attribute__((constructor)) static void pose(void)
{
    const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
    const char *vendor = getenv("CLSPY_GPU");

    if (vendor) {
        clspy_answer("clGetDeviceInfo", CL_DEVICE_TYPE, &gpu, sizeof(gpu));
        clspy_answer("clGetDeviceInfo", CL_DEVICE_VENDOR, vendor, strlen(vendor) + 1);
    }
}

void clspy_reset(void)
{
    pthread_mutex_lock(&lock);
    memset(counts, 0, sizeof(counts));
    num_faults = 0;
    shot = (struct clspy_shot){ 0 };
    num_answers = 0;
    null_device = false;
    build_options[0] = '\0';
    pthread_mutex_unlock(&lock);
    pose();
}

uint64_t clspy_calls(const char *function)
{
    const bool many = !function || strchr(function, '*');
    const size_t same = function ? strcspn(function, "*") : 0;
    int only = many ? CALLS : (int)find(function);
    uint64_t sum = 0;

    pthread_mutex_lock(&lock);
    for (int call = 0; call < CALLS; ++call) {
        bool asked = many ? strncmp(call_names[call], function ? function : "", same) == 0
                          : call == only;
        sum += asked ? counts[call] : 0;
    }
    pthread_mutex_unlock(&lock);
    return sum;
}

bool clspy_inside(void)
{
    return inside;
}

struct clspy_live clspy_live(void)
{
    pthread_mutex_lock(&lock);
    struct clspy_live now = live;
    pthread_mutex_unlock(&lock);
    return now;
}

const char *clspy_leaks(const struct clspy_live *before)
{
    static _Thread_local char text[2 * MAX_TEXT];
    size_t end = 0;

    text[0] = '\0';
    pthread_mutex_lock(&lock);
    for (int kind = 0; kind < CLSPY_KINDS; ++kind) {
        long long more = live.count[kind] - before->count[kind];
        if (more != 0 && end < sizeof(text)) {
            end += (size_t)snprintf(text + end, sizeof(text) - end, "%s%s %+lld",
                                    end ? ", " : "", kind_names[kind], more);
        }
    }
    pthread_mutex_unlock(&lock);
    return text;
}

void clspy_arm(const char *function, uint64_t number, cl_int code)
{
    int call = function ? (int)find(function) : CALLS;

    pthread_mutex_lock(&lock);
    if (num_faults == MAX_FAULTS || number == 0) {
        die("too many faults, or number 0", "clspy_arm");
    }
    faults[num_faults++] = (struct fault){ call, number, code };
    pthread_mutex_unlock(&lock);
}

struct clspy_shot clspy_disarm(void)
{
    pthread_mutex_lock(&lock);
    struct clspy_shot first = shot;
    shot = (struct clspy_shot){ 0 };
    num_faults = 0;
    pthread_mutex_unlock(&lock);
    return first;
}

void clspy_answer(const char *function, cl_uint param, const void *bytes, size_t size)
{
    struct answer answer = { .call = find(function), .param = param, .size = size };

    if (size > sizeof(answer.bytes)) {
        die("an answer of this size has no room", function);
    }
    memcpy(answer.bytes, bytes, size);
    pthread_mutex_lock(&lock);
    if (num_answers == MAX_ANSWERS) {
        die("too many answers", "clspy_answer");
    }
    answers[num_answers++] = answer;
    pthread_mutex_unlock(&lock);
}

void clspy_null_device(bool on)
{
    pthread_mutex_lock(&lock);
    null_device = on;
    pthread_mutex_unlock(&lock);
}

void clspy_keep_binaries(void)
{
    keeps_binaries = true;
}

const char *clspy_build_options(void)
{
    static _Thread_local char text[MAX_TEXT];

    pthread_mutex_lock(&lock);
    memcpy(text, build_options, sizeof(text));
    pthread_mutex_unlock(&lock);
    return text;
}

/* ---- What all calls do ------------------------------------------------------------- */

struct visit {
    bool nested; /* not the program's own: forward and nothing else */
    bool fails, nothing_runs;
    cl_int code;
};

static void (*before_launch)(void);

void clspy_before_launch(void (*hook)(void))
{
    before_launch = hook;
}

static struct visit enter(enum call call, cl_uint param, cl_int usual)
{
    if (call == CALL_clEnqueueNDRangeKernel && before_launch && !inside) {
        before_launch();
    }
    struct visit visit = { .nested = inside };

    if (visit.nested) {
        return visit;
    }
    inside = true;
    pthread_mutex_lock(&lock);
    ++counts[call];
    visit.nothing_runs = null_device;
    for (size_t i = 0; i < num_faults; ++i) {
        struct fault *fault = &faults[i];
        if ((fault->call != CALLS && fault->call != (int)call) || fault->left == 0) {
            continue;
        }
        if (--fault->left == 0 && !visit.fails) {
            visit.fails = true;
            visit.code = fault->code ? fault->code : usual;
            if (!shot.fired) {
                shot = (struct clspy_shot){ true, call_names[call], param, visit.code };
            }
        }
    }
    pthread_mutex_unlock(&lock);
    return visit;
}

static void leave(const struct visit *visit)
{
    inside = visit->nested;
}

/* `more`: references of the program's own, made or retained, or -1. */
static void hold(const struct visit *visit, enum clspy_kind kind, const void *object,
                 int more)
{
    if (!visit->nested && object) {
        pthread_mutex_lock(&lock);
        live.count[kind] += more;
        pthread_mutex_unlock(&lock);
    }
}

/* As an Info function answers, if the test has given an answer. */
static bool answer(const struct visit *visit, enum call call, cl_uint param, size_t size,
                   void *value, size_t *size_ret, cl_int *status)
{
    bool found = false;

    if (visit->nested) {
        return false;
    }
    pthread_mutex_lock(&lock);
    for (size_t i = num_answers; i-- > 0 && !found;) {
        const struct answer *a = &answers[i];
        if (a->call != call || a->param != param) {
            continue;
        }
        found = true;
        *status = value && size < a->size ? CL_INVALID_VALUE : CL_SUCCESS;
        if (value && *status == CL_SUCCESS) {
            memcpy(value, a->bytes, a->size);
        }
        if (size_ret) {
            *size_ret = a->size;
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* A command of the null device. */
static cl_int do_nothing(cl_command_queue queue, cl_event *event)
{
    cl_context context = NULL;
    cl_int status = REAL(clGetCommandQueueInfo)(queue, CL_QUEUE_CONTEXT, sizeof(context),
                                                &context, NULL);

    if (status == CL_SUCCESS && event) {
        *event = REAL(clCreateUserEvent)(context, &status);
        if (status == CL_SUCCESS) {
            status = REAL(clSetUserEventStatus)(*event, CL_COMPLETE);
        }
    }
    return status;
}

/* ---- The functions ----------------------------------------------------------------- */

#define STATUS(name, usual, params, args)                                                \
    cl_int CL_API_CALL name params                                                       \
    {                                                                                    \
        struct visit visit = enter(CALL_##name, 0, usual);                               \
        cl_int status = visit.fails ? visit.code : REAL(name) args;                      \
        leave(&visit);                                                                   \
        return status;                                                                   \
    }

#define INFO(name, usual, params, args)                                                  \
    cl_int CL_API_CALL name params                                                       \
    {                                                                                    \
        struct visit visit = enter(CALL_##name, param_name, usual);                      \
        cl_int status = visit.code;                                                      \
        if (!visit.fails && !answer(&visit, CALL_##name, param_name, param_value_size,   \
                                    param_value, param_value_size_ret, &status)) {       \
            status = REAL(name) args;                                                    \
        }                                                                                \
        leave(&visit);                                                                   \
        return status;                                                                   \
    }

#define RETAIN(name, kind, type)                                                         \
    cl_int CL_API_CALL name(type object)                                                 \
    {                                                                                    \
        struct visit visit = enter(CALL_##name, 0, CL_OUT_OF_RESOURCES);                 \
        cl_int status = visit.fails ? visit.code : REAL(name)(object);                   \
        hold(&visit, CLSPY_##kind, status == CL_SUCCESS ? object : NULL, 1);             \
        leave(&visit);                                                                   \
        return status;                                                                   \
    }

#define RELEASE(name, kind, type)                                                        \
    cl_int CL_API_CALL name(type object)                                                 \
    {                                                                                    \
        struct visit visit = enter(CALL_##name, 0, CL_OUT_OF_RESOURCES);                 \
        cl_int status = REAL(name)(object);                                              \
        hold(&visit, CLSPY_##kind, status == CL_SUCCESS ? object : NULL, -1);            \
        leave(&visit);                                                                   \
        return visit.fails ? visit.code : status;                                        \
    }

#define CREATE(type, name, kind, usual, params, args)                                    \
    type CL_API_CALL name params                                                         \
    {                                                                                    \
        struct visit visit = enter(CALL_##name, 0, usual);                               \
        type object = visit.fails ? NULL : REAL(name) args;                              \
        if (visit.fails && errcode_ret) {                                                \
            *errcode_ret = visit.code;                                                   \
        }                                                                                \
        hold(&visit, CLSPY_##kind, object, 1);                                           \
        leave(&visit);                                                                   \
        return object;                                                                   \
    }

/* When nothing runs, `instead` does. */
#define COMMAND(name, usual, params, args, instead)                                      \
    cl_int CL_API_CALL name params                                                       \
    {                                                                                    \
        struct visit visit = enter(CALL_##name, 0, usual);                               \
        cl_int status = visit.fails          ? visit.code                                \
                        : visit.nothing_runs ? (instead)                                 \
                                             : REAL(name) args;                          \
        hold(&visit, CLSPY_EVENT, status == CL_SUCCESS && event ? *event : NULL, 1);     \
        leave(&visit);                                                                   \
        return status;                                                                   \
    }

#define ENQUEUE(name, usual, params, args)                                               \
    COMMAND(name, usual, params, args, do_nothing(queue, event))
#define READ(name, usual, params, args)                                                  \
    COMMAND(name, usual, params, args, (memset(ptr, 0, size), do_nothing(queue, event)))
#define MAPPED(name, usual, params, args)                                                \
    COMMAND(name, usual, params, args, REAL(name) args)

#define MAP(name, usual, params, args)                                                   \
    void *CL_API_CALL name params                                                        \
    {                                                                                    \
        struct visit visit = enter(CALL_##name, 0, usual);                               \
        void *pointer = visit.fails ? NULL : REAL(name) args;                            \
        if (visit.fails && errcode_ret) {                                                \
            *errcode_ret = visit.code;                                                   \
        }                                                                                \
        hold(&visit, CLSPY_EVENT, pointer &&event ? *event : NULL, 1);                   \
        leave(&visit);                                                                   \
        return pointer;                                                                  \
    }

#define OWN(name)

#include "clspy_calls.h"

static const struct kept *find_kept(cl_device_id device, const char *text, size_t length)
{
    pthread_mutex_lock(&lock);
    const struct kept *kept = kept_programs;
    while (kept && (kept->device != device || strlen(kept->text) != length ||
                    memcmp(kept->text, text, length) != 0)) {
        kept = kept->next;
    }
    pthread_mutex_unlock(&lock);
    return kept;
}

/* Keeps the program's text and binary until the process ends, if the driver returns both.
 * No driver returns the text of a program made from a binary. */
static void keep(cl_program program, cl_device_id device)
{
    struct kept *kept = calloc(1, sizeof(*kept));
    size_t length = 0;

    if (!kept) {
        die("no memory to keep its binary", "clBuildProgram");
    }
    kept->device = device;
    const __typeof__(&clGetProgramInfo) get = REAL(clGetProgramInfo);
    get(program, CL_PROGRAM_SOURCE, 0, NULL, &length);
    get(program, CL_PROGRAM_BINARY_SIZES, sizeof(size_t), &kept->size, NULL);
    kept->text = calloc(length + 1, 1);
    kept->binary = calloc(kept->size + 1, 1);
    if (length > 1 && kept->size > 0 && kept->text && kept->binary &&
        get(program, CL_PROGRAM_SOURCE, length, kept->text, NULL) == CL_SUCCESS &&
        get(program, CL_PROGRAM_BINARIES, sizeof(kept->binary), &kept->binary, NULL) ==
            CL_SUCCESS &&
        !find_kept(device, kept->text, strlen(kept->text))) {
        pthread_mutex_lock(&lock);
        kept->next = kept_programs;
        kept_programs = kept;
        pthread_mutex_unlock(&lock);
        return;
    }
    free(kept->text);
    free(kept->binary);
    free(kept);
}

cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count,
                                                 const char **strings,
                                                 const size_t *lengths,
                                                 cl_int *errcode_ret)
{
    struct visit visit = enter(CALL_clCreateProgramWithSource, 0, CL_OUT_OF_HOST_MEMORY);
    cl_program program = NULL;

    if (visit.fails && errcode_ret) {
        *errcode_ret = visit.code;
    }
    if (!visit.fails && keeps_binaries && count == 1 && lengths) {
        cl_device_id device = NULL;
        REAL(clGetContextInfo)
        (context, CL_CONTEXT_DEVICES, sizeof(device), &device, NULL);
        const struct kept *kept = find_kept(device, strings[0], lengths[0]);
        if (kept) {
            program = REAL(clCreateProgramWithBinary)(
                context, 1, &kept->device, &kept->size,
                (const unsigned char **)&kept->binary, NULL, errcode_ret);
        }
    }
    if (!visit.fails && !program) {
        program = REAL(clCreateProgramWithSource)(context, count, strings, lengths,
                                                  errcode_ret);
    }
    hold(&visit, CLSPY_PROGRAM, program, 1);
    leave(&visit);
    return program;
}

cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint num_devices,
                                  const cl_device_id *devices, const char *options,
                                  void(CL_CALLBACK *notify)(cl_program, void *),
                                  void *user)
{
    struct visit visit = enter(CALL_clBuildProgram, 0, CL_BUILD_PROGRAM_FAILURE);

    if (!visit.nested) {
        pthread_mutex_lock(&lock);
        snprintf(build_options, sizeof(build_options), "%s", options ? options : "");
        pthread_mutex_unlock(&lock);
    }
    cl_int status = visit.fails ? visit.code
                                : REAL(clBuildProgram)(program, num_devices, devices,
                                                       options, notify, user);
    if (keeps_binaries && status == CL_SUCCESS && !visit.nested && num_devices == 1) {
        keep(program, devices[0]);
    }
    leave(&visit);
    return status;
}
