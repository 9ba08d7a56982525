/* The layer that the fault tests lean on, tried by itself: here clfold is the shared
 * library. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "clspy.h"
#include "device.h"
#include "test.h"

#include <pthread.h>
#include <time.h>

static struct device device;

static int reset(void **state)
{
    (void)state;
    clspy_reset();
    return 0;
}

static cl_mem make_buffer(cl_int *status)
{
    return clCreateBuffer(device.context, CL_MEM_READ_WRITE, 64, NULL, status);
}

static void test_counts(void **state)
{
    cl_uint num = 0;

    (void)state;
    assert_int_equal(clspy_calls(NULL), 0);
    clGetPlatformIDs(0, NULL, &num);
    clGetPlatformIDs(0, NULL, &num);
    clFinish(device.queue);
    assert_int_equal(clspy_calls("clGetPlatformIDs"), 2);
    assert_int_equal(clspy_calls("clFinish"), 1);
    assert_int_equal(clspy_calls("clFlush"), 0);
    /* What loader and driver call in turn is not the program's. */
    assert_int_equal(clspy_calls(NULL), 3);
    assert_int_equal(clspy_calls("clF*"), 1);
    assert_int_equal(clspy_calls("clGet*"), 2);
    assert_int_equal(clspy_calls("clCreate*"), 0);
    clspy_reset();
    assert_int_equal(clspy_calls(NULL), 0);
}

static void *query_often(void *user)
{
    (void)user;
    for (int i = 0; i < 50000; ++i) {
        cl_uint references;
        clGetContextInfo(device.context, CL_CONTEXT_REFERENCE_COUNT, sizeof(references),
                         &references, NULL);
    }
    return NULL;
}

static void test_counts_of_threads(void **state)
{
    pthread_t threads[4];

    (void)state;
    for (size_t i = 0; i < 4; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, query_often, NULL), 0);
    }
    for (size_t i = 0; i < 4; ++i) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(clspy_calls("clGetContextInfo"), 200000);
}

struct note {
    pthread_t thread;
    _Atomic bool done, inside;
};

static void CL_CALLBACK note_and_call(cl_mem mem, void *user)
{
    struct note *note = user;
    cl_uint num;

    (void)mem;
    note->thread = pthread_self();
    note->inside = clspy_inside();
    clGetPlatformIDs(0, NULL, &num);
    note->done = true;
}

/* A call inside another call's is not the program's, in whichever way it came about. Here
 * the driver calls back, on this thread or on one of its own, where it does count. */
static void test_nested_calls(void **state)
{
    const struct timespec moment = { .tv_nsec = 1000000 };
    struct note note = { .done = false };
    cl_int status;
    cl_mem mem = make_buffer(&status);

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    assert_int_equal(clSetMemObjectDestructorCallback(mem, note_and_call, &note),
                     CL_SUCCESS);
    clReleaseMemObject(mem);
    for (int i = 0; i < 10000 && !note.done; ++i) {
        nanosleep(&moment, NULL);
    }
    assert_true(note.done);
    const bool here = pthread_equal(note.thread, pthread_self());
    assert_int_equal(clspy_calls("clGetPlatformIDs"), here ? 0 : 1);
    assert_int_equal(note.inside, here);
    assert_false(clspy_inside());
    /* This thread's own calls count again. */
    clFinish(device.queue);
    assert_int_equal(clspy_calls("clFinish"), 1);
}

/* One object of each kind that clfold makes, let go of one by one. */
static void test_leaks_are_named(void **state)
{
    static const char *source = "kernel void nothing(void) { }";
    struct clspy_live before = clspy_live();
    cl_int status;

    (void)state;
    assert_string_equal(clspy_leaks(&before), "");
    cl_mem mem = make_buffer(&status);
    assert_int_equal(status, CL_SUCCESS);
    assert_string_equal(clspy_leaks(&before), "mem +1 of clCreateBuffer");
    cl_program program =
        clCreateProgramWithSource(device.context, 1, &source, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    assert_int_equal(clBuildProgram(program, 1, &device.id, "-w", NULL, NULL),
                     CL_SUCCESS);
    assert_string_equal(clspy_build_options(), "-w");
    cl_kernel kernel = clCreateKernel(program, "nothing", &status);
    assert_int_equal(status, CL_SUCCESS);
    cl_event event = NULL, marker = NULL;
    size_t one = 1;
    assert_int_equal(clEnqueueNDRangeKernel(device.queue, kernel, 1, NULL, &one, NULL, 0,
                                            NULL, &event),
                     CL_SUCCESS);
    assert_int_equal(clEnqueueMarkerWithWaitList(device.queue, 1, &event, &marker),
                     CL_SUCCESS);
    /* No event asked for, none made. */
    assert_int_equal(clEnqueueBarrierWithWaitList(device.queue, 1, &marker, NULL),
                     CL_SUCCESS);
    clFinish(device.queue);
    assert_string_equal(clspy_leaks(&before), "mem +1 of clCreateBuffer, "
                                              "program +1 of clCreateProgramWithSource, "
                                              "kernel +1 of clCreateKernel, "
                                              "event +2 of clEnqueueNDRangeKernel");

    struct clspy_live made = clspy_live();
    clRetainKernel(kernel);
    clRetainCommandQueue(device.queue);
    clRetainContext(device.context);
    clRetainDevice(device.id);
    assert_string_equal(clspy_leaks(&made),
                        "device +1 of clRetainDevice, context +1 of clRetainContext, "
                        "queue +1 of clRetainCommandQueue, kernel +1 of clRetainKernel");
    clReleaseDevice(device.id);
    clReleaseContext(device.context);
    clReleaseCommandQueue(device.queue);
    clReleaseKernel(kernel);
    assert_string_equal(clspy_leaks(&made), "");
    /* The retained reference has gone, the first one is left. */
    assert_non_null(strstr(clspy_leaks(&before), "kernel +1 of clCreateKernel"));
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseEvent(marker);
    clReleaseMemObject(mem);
    assert_string_equal(clspy_leaks(&before), "event +1 of clEnqueueNDRangeKernel");
    clReleaseEvent(event);
    assert_string_equal(clspy_leaks(&before), "");
}

/* A reference more given up than was held shows as well. */
static void test_release_too_many(void **state)
{
    cl_int status;
    cl_mem mem = make_buffer(&status);

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    struct clspy_live before = clspy_live();
    clReleaseMemObject(mem);
    assert_string_equal(clspy_leaks(&before), "mem -1");
}

static void test_fails_by_number(void **state)
{
    struct clspy_live before = clspy_live();
    cl_mem mems[3];
    cl_int status[3];

    (void)state;
    clspy_arm("clCreateBuffer", 2, 0);
    clFinish(device.queue);
    for (size_t i = 0; i < 3; ++i) {
        mems[i] = make_buffer(&status[i]);
    }
    struct clspy_shot shot = clspy_disarm();
    assert_true(shot.fired);
    assert_string_equal(shot.function, "clCreateBuffer");
    assert_int_equal(shot.code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    assert_int_equal(status[0], CL_SUCCESS);
    assert_int_equal(status[1], CL_MEM_OBJECT_ALLOCATION_FAILURE);
    assert_null(mems[1]);
    assert_int_equal(status[2], CL_SUCCESS); /* once */
    assert_string_equal(clspy_leaks(&before), "mem +2 of clCreateBuffer");
    clReleaseMemObject(mems[0]);
    clReleaseMemObject(mems[2]);

    /* The third call overall, with a code of the test's own. */
    clspy_arm(NULL, 3, -4242);
    assert_int_equal(clFlush(device.queue), CL_SUCCESS);
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    assert_int_equal(clFinish(device.queue), -4242);
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    shot = clspy_disarm();
    assert_true(shot.fired);
    assert_string_equal(shot.function, "clFinish");
    assert_int_equal(shot.code, -4242);

    /* One that never comes, and is forgotten. */
    clspy_arm("clFinish", 2, 0);
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    assert_false(clspy_disarm().fired);
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
}

static void test_tells_what_was_asked(void **state)
{
    char name[256];

    (void)state;
    clspy_arm("clGetDeviceInfo", 1, 0);
    assert_int_equal(clGetDeviceInfo(device.id, CL_DEVICE_NAME, sizeof(name), name, NULL),
                     CL_OUT_OF_RESOURCES);
    assert_int_equal(clspy_disarm().param, CL_DEVICE_NAME);
}

static void test_two_faults(void **state)
{
    (void)state;
    clspy_arm("clFinish", 1, CL_OUT_OF_HOST_MEMORY);
    clspy_arm("clFlush", 1, 0);
    assert_int_equal(clFinish(device.queue), CL_OUT_OF_HOST_MEMORY);
    assert_int_equal(clFlush(device.queue), CL_OUT_OF_RESOURCES);
    assert_string_equal(clspy_disarm().function, "clFinish");
}

/* A release that fails still lets go, so that a fault makes no leak of its own. */
static void test_failed_release(void **state)
{
    cl_int status;
    cl_mem mem = make_buffer(&status);
    cl_uint before = 0, after = 0;

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    clRetainMemObject(mem);
    struct clspy_live live = clspy_live();
    clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT, sizeof(before), &before, NULL);
    clspy_arm("clReleaseMemObject", 1, 0);
    assert_int_equal(clReleaseMemObject(mem), CL_OUT_OF_RESOURCES);
    assert_true(clspy_disarm().fired);
    clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT, sizeof(after), &after, NULL);
    assert_int_equal(after + 1, before);
    assert_string_equal(clspy_leaks(&live), "mem -1");
    clReleaseMemObject(mem);
}

static void test_answers(void **state)
{
    static const char first[] = "OpenCL 1.1 first", second[] = "OpenCL 1.2 second";
    char version[512] = "", real[512] = "";
    size_t size = 0;

    (void)state;
    clGetDeviceInfo(device.id, CL_DEVICE_VERSION, sizeof(real), real, NULL);
    clspy_answer("clGetDeviceInfo", CL_DEVICE_VERSION, first, sizeof(first));
    clspy_answer("clGetDeviceInfo", CL_DEVICE_VERSION, second, sizeof(second));
    assert_int_equal(clGetDeviceInfo(device.id, CL_DEVICE_VERSION, 0, NULL, &size),
                     CL_SUCCESS);
    assert_int_equal(size, sizeof(second));
    assert_int_equal(
        clGetDeviceInfo(device.id, CL_DEVICE_VERSION, sizeof(version), version, &size),
        CL_SUCCESS);
    assert_string_equal(version, second);
    /* Too small, so the driver rejects it. */
    assert_int_equal(clGetDeviceInfo(device.id, CL_DEVICE_VERSION, 3, version, NULL),
                     CL_INVALID_VALUE);
    /* Other questions are the driver's. */
    assert_int_equal(
        clGetDeviceInfo(device.id, CL_DEVICE_NAME, sizeof(version), version, NULL),
        CL_SUCCESS);
    assert_string_not_equal(version, second);
    clspy_reset();
    clGetDeviceInfo(device.id, CL_DEVICE_VERSION, sizeof(version), version, NULL);
    assert_string_equal(version, real);
}

static void test_null_device(void **state)
{
    struct clspy_live before = clspy_live();
    cl_int value = 7, seen = 42, execution = CL_QUEUED, status;
    cl_mem mem = make_buffer(&status);
    cl_event written = NULL, read = NULL;

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    assert_int_equal(clEnqueueWriteBuffer(device.queue, mem, CL_TRUE, 0, sizeof(value),
                                          &value, 0, NULL, NULL),
                     CL_SUCCESS);
    clspy_null_device(true);
    value = 8;
    assert_int_equal(clEnqueueWriteBuffer(device.queue, mem, CL_TRUE, 0, sizeof(value),
                                          &value, 0, NULL, &written),
                     CL_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(device.queue, mem, CL_FALSE, 0, sizeof(seen),
                                         &seen, 1, &written, &read),
                     CL_SUCCESS);
    assert_int_equal(clWaitForEvents(1, &read), CL_SUCCESS);
    assert_int_equal(clGetEventInfo(written, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                    sizeof(execution), &execution, NULL),
                     CL_SUCCESS);
    assert_int_equal(execution, CL_COMPLETE);
    assert_int_equal(seen, 0);
    assert_string_equal(clspy_leaks(&before),
                        "mem +1 of clCreateBuffer, event +2 of clEnqueueWriteBuffer");
    clReleaseEvent(written);
    clReleaseEvent(read);

    /* Faults come first, and nothing of the above reached the device. */
    clspy_arm("clEnqueueReadBuffer", 1, 0);
    assert_int_equal(clEnqueueReadBuffer(device.queue, mem, CL_TRUE, 0, sizeof(seen),
                                         &seen, 0, NULL, NULL),
                     CL_OUT_OF_RESOURCES);
    assert_true(clspy_disarm().fired);
    clspy_null_device(false);
    assert_int_equal(clEnqueueReadBuffer(device.queue, mem, CL_TRUE, 0, sizeof(seen),
                                         &seen, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_int_equal(seen, 7);
    clReleaseMemObject(mem);
    assert_string_equal(clspy_leaks(&before), "");
}

static size_t size_of(cl_mem mem)
{
    size_t size = 0;

    clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof(size), &size, NULL);
    return size;
}

static void test_hollow_device(void **state)
{
    cl_int status;
    cl_mem mem = make_buffer(&status), other = make_buffer(&status);
    cl_mem_flags flags = 0;

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    clspy_hollow(true);
    assert_int_equal(size_of(mem), 64);
    clspy_arm("clGetMemObjectInfo", 1, 0);
    assert_int_equal(size_of(mem), 64);
    assert_int_equal(clspy_calls("clGetMemObjectInfo"), 1);
    /* What was not asked for is, and so fails. */
    assert_int_equal(clGetMemObjectInfo(mem, CL_MEM_FLAGS, sizeof(flags), &flags, NULL),
                     CL_OUT_OF_HOST_MEMORY);
    assert_true(clspy_disarm().fired);
    assert_int_equal(clGetMemObjectInfo(mem, CL_MEM_FLAGS, sizeof(flags), &flags, NULL),
                     CL_SUCCESS);
    assert_int_equal(flags, CL_MEM_READ_WRITE);
    assert_int_equal(size_of(other), 64);
    assert_int_equal(clspy_calls("clGetMemObjectInfo"), 4);
    assert_int_equal(
        clEnqueueNDRangeKernel(NULL, NULL, 1, NULL, NULL, NULL, 0, NULL, NULL),
        CL_SUCCESS);
    assert_int_equal(clSetKernelArg(NULL, 0, 0, NULL), CL_SUCCESS);
    clspy_hollow(false);
    assert_true(clSetKernelArg(NULL, 0, 0, NULL) != CL_SUCCESS);
    clReleaseMemObject(mem);
    clReleaseMemObject(other);
}

static void test_calls_by_pointer(void **state)
{
    cl_int(CL_API_CALL *volatile finish)(cl_command_queue) = clFinish;

    (void)state;
    clspy_arm("clFinish", 2, 0);
    assert_int_equal(finish(device.queue), CL_SUCCESS);
    assert_int_equal(finish(device.queue), CL_OUT_OF_RESOURCES);
    assert_true(clspy_disarm().fired);
    assert_int_equal(clspy_calls("clFinish"), 2);
}

/* A number that the text's kernel writes, from a program that is built anew. */
static cl_int number_of(const char *text)
{
    const size_t length = strlen(text), one = 1;
    cl_int status, number = 0;
    cl_mem mem = make_buffer(&status);
    cl_program program =
        clCreateProgramWithSource(device.context, 1, &text, &length, &status);
    assert_int_equal(status, CL_SUCCESS);
    assert_int_equal(clBuildProgram(program, 1, &device.id, NULL, NULL, NULL),
                     CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(program, "number", &status);
    assert_int_equal(status, CL_SUCCESS);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof(mem), &mem), CL_SUCCESS);
    assert_int_equal(
        clEnqueueNDRangeKernel(device.queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL),
        CL_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(device.queue, mem, CL_TRUE, 0, sizeof(number),
                                         &number, 0, NULL, NULL),
                     CL_SUCCESS);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(mem);
    return number;
}

/* Each text keeps its own binary, and a failure is one still. */
static void test_kept_binaries(void **state)
{
    const char *one = "kernel void number(global int *n) { *n = 1; }";
    const char *other = "kernel void number(global int *n) { *n = 2; }";
    const size_t length = strlen(one);
    struct clspy_live before = clspy_live();
    cl_int status;

    (void)state;
    clspy_keep_binaries();
    for (int turn = 0; turn < 3; ++turn) {
        assert_int_equal(number_of(one), 1);
        assert_int_equal(number_of(other), 2);
    }
    assert_int_equal(clspy_calls("clCreateProgramWithSource"), 6);
    assert_int_equal(clspy_calls("clCreateProgramWithBinary"), 0);
    clspy_arm("clCreateProgramWithSource", 1, 0);
    assert_null(clCreateProgramWithSource(device.context, 1, &one, &length, &status));
    assert_int_equal(status, CL_OUT_OF_HOST_MEMORY);
    assert_true(clspy_disarm().fired);
    assert_string_equal(clspy_leaks(&before), "");
}

static void test_calls_of_the_library(void **state)
{
    struct clspy_live before = clspy_live();
    clfold_context *ctx = NULL;

    (void)state;
    assert_ok(clfold_context_create(&ctx, device.context, device.id, NULL));
    assert_int_equal(clspy_calls("clRetainContext"), 1);
    assert_true(clspy_calls("clGetDeviceInfo") > 5);
    assert_string_equal(clspy_leaks(&before),
                        "device +1 of clRetainDevice, context +1 of clRetainContext");
    clfold_context_destroy(&ctx);
    assert_string_equal(clspy_leaks(&before), "");
    clspy_arm("clRetainContext", 1, 0);
    assert_refused(clfold_context_create(&ctx, device.context, device.id, NULL),
                   CL_OUT_OF_RESOURCES, "clRetainContext");
    assert_true(clspy_disarm().fired);
    assert_string_equal(clspy_leaks(&before), "");
}

static int open_device(void **state)
{
    (void)state;
    device_init(&device);
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    device_finish(&device);
    return 0;
}

TEST_MAIN("clspy", open_device, close_device, cmocka_unit_test_setup(test_counts, reset),
          cmocka_unit_test_setup(test_counts_of_threads, reset),
          cmocka_unit_test_setup(test_nested_calls, reset),
          cmocka_unit_test_setup(test_leaks_are_named, reset),
          cmocka_unit_test_setup(test_release_too_many, reset),
          cmocka_unit_test_setup(test_fails_by_number, reset),
          cmocka_unit_test_setup(test_tells_what_was_asked, reset),
          cmocka_unit_test_setup(test_two_faults, reset),
          cmocka_unit_test_setup(test_failed_release, reset),
          cmocka_unit_test_setup(test_answers, reset),
          cmocka_unit_test_setup(test_null_device, reset),
          cmocka_unit_test_setup(test_hollow_device, reset),
          cmocka_unit_test_setup(test_calls_by_pointer, reset),
          cmocka_unit_test_setup(test_calls_of_the_library, reset),
          cmocka_unit_test_setup(test_kept_binaries, reset))
