/*
 * Every OpenCL call and every allocation by which the command takes a device and reads a
 * buffer fails once. The sentence names the error, and nothing leaks.
 */
#include "sweep.h"
#include "test.h"

#include "buffer.h"

/* Queries of devices that are listed, and optional ones. */
static bool is_tolerated(const struct clspy_shot *shot)
{
    const char *const function = shot->function;

    return strncmp(function, "clRelease", 9) == 0 ||
           (strcmp(function, "clGetDeviceInfo") == 0 &&
            (shot->param == CL_DEVICE_TYPE || shot->param == CL_DEVICE_NAME ||
             shot->param == CL_DEVICE_DOUBLE_FP_CONFIG ||
             shot->param == CL_DEVICE_MAX_NUM_SUB_GROUPS));
}

static bool read_buffer(struct message *message)
{
    struct session session;
    cl_mem buffer = NULL;
    uint64_t limit, number = 7;
    const bool done =
        session_open(&session, getenv("CLFOLD_TEST_DEVICE"), true, message) &&
        buffer_limit(&session, &limit, message) &&
        buffer_create(&session, &buffer, CL_MEM_READ_WRITE, sizeof(number), message) &&
        session_wait(&session, CLFOLD_OK, message) &&
        buffer_read(session.queue, buffer, sizeof(number), &number, message);

    buffer_release(&buffer, 1);
    session_close(&session);
    return done;
}

/* It names the code; of the command's own allocations it says "memory". */
static struct clspy_shot shoot_once(enum way way, uint64_t number)
{
    struct message message = { 0 };

    fault_arm(way, number);
    const bool done = read_buffer(&message);
    struct clspy_shot shot = fault_disarm(way);
    const char *const code = clfold_status_name(shot.code), *const text = message.text;
    const bool says_why =
        strstr(text, code) || (way == OF_ALLOCATIONS && strstr(text, "memory"));
    if (done ? way == OF_CALLS && shot.fired && !is_tolerated(&shot)
             : !shot.fired || !says_why || strchr(text, '\n')) {
        fail_msg("%s (asked for 0x%x) failed with %s: \"%s\"",
                 shot.fired ? shot.function : "nothing", shot.param, code,
                 done ? "nobody said so" : text);
    }
    shot.function = done ? "" : shot.function;
    return shot;
}

static void test_calls(void **state)
{
    static const char *const calls[] = { "clGetPlatformIDs",    "clGetDeviceIDs",
                                         "clCreateContext",     "clCreateCommandQueue",
                                         "clCreateBuffer",      "clFinish",
                                         "clEnqueueReadBuffer", NULL };

    (void)state;
    sweep("calls", OF_CALLS, shoot_once, 20, 0, calls);
}

static void test_allocations(void **state)
{
    (void)state;
    sweep("allocations", OF_ALLOCATIONS, shoot_once, 5, 0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_calls),
                                        cmocka_unit_test(test_allocations) };

    unsetenv("CLFOLD_TUNING");
    return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
