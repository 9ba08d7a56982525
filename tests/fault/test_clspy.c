/* The layer that the fault tests depend on: it sees what is planted. Where counts, armed
 * faults, the null device, answers or kept binaries are wrong, the tests that use them
 * fail. */
#define _GNU_SOURCE /* popen */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "clspy.h"
#include "device.h"
#include "test.h"

static struct device device;

static int reset(void **state)
{
    (void)state;
    clspy_reset();
    return 0;
}

static cl_mem make_buffer(void)
{
    cl_int status;

    return clCreateBuffer(device.context, CL_MEM_READ_WRITE, 64, NULL, &status);
}

#if !defined(LIBRARY)
#define LIBRARY "" /* it is a static one */
#endif

/* A function that clspy_calls.h lacks ends the program. */
static void test_knows_all_calls(void **state)
{
    char name[128];
    int num = 0;

    (void)state;
    if (!*LIBRARY) {
        skip();
    }
    FILE *const names = popen("nm -D --undefined-only '" LIBRARY "'", "r");
    assert_non_null(names);
    while (fscanf(names, "%127s", name) == 1) {
        name[strcspn(name, "@")] = '\0';
        if (strncmp(name, "cl", 2) == 0 && name[2] >= 'A' && name[2] <= 'Z') {
            assert_int_equal(clspy_calls(name), 0);
            ++num;
        }
    }
    assert_int_equal(pclose(names), 0);
    assert_true(num > 20);
}

/* Objects of kinds that clfold makes, let go of. */
static void test_leaks(void **state)
{
    static const char *source = "kernel void nothing(void) { }";
    struct clspy_live before = clspy_live();
    const size_t one = 1;
    cl_event event = NULL;
    cl_int status;

    (void)state;
    cl_mem mem = make_buffer();
    cl_program program =
        clCreateProgramWithSource(device.context, 1, &source, NULL, &status);
    assert_int_equal(clBuildProgram(program, 1, &device.id, "-w", NULL, NULL),
                     CL_SUCCESS);
    assert_string_equal(clspy_build_options(), "-w");
    cl_kernel kernel = clCreateKernel(program, "nothing", &status);
    clEnqueueNDRangeKernel(device.queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event);
    clFinish(device.queue);
    clRetainKernel(kernel);
    assert_int_equal(clspy_calls("clCreate*"), 3);
    assert_string_equal(clspy_leaks(&before), "mem +1, program +1, kernel +2, event +1");
    clReleaseKernel(kernel);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(mem);
    clReleaseEvent(event);
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

TEST_MAIN("clspy", open_device, close_device,
          cmocka_unit_test_setup(test_knows_all_calls, reset),
          cmocka_unit_test_setup(test_leaks, reset))
