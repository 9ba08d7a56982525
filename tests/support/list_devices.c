/*
 * Lists the OpenCL devices that this process sees, for tests/run_devices.py. One line
 * each, with tabs between: number, "platform: device", version, driver's version. Prints
 * nothing where there are none.
 */
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <stdio.h>

enum { MAX = 64, TEXT = 512 };

/* The drivers' texts hold what they like; the reader splits at tabs and newlines. */
static const char *clean(char text[TEXT], cl_int status)
{
    if (status != CL_SUCCESS) {
        return "unknown";
    }
    text[TEXT - 1] = '\0';
    for (char *c = text; *c; ++c) {
        if ((unsigned char)*c < ' ') {
            *c = ' ';
        }
    }
    return text;
}

static const char *device_text(cl_device_id device, cl_device_info info, char text[TEXT])
{
    return clean(text, clGetDeviceInfo(device, info, TEXT, text, NULL));
}

int main(void)
{
    cl_platform_id platforms[MAX];
    cl_uint num_platforms = 0, number = 0;
    cl_int status = clGetPlatformIDs(MAX, platforms, &num_platforms);

    if (status == CL_PLATFORM_NOT_FOUND_KHR) {
        return 0;
    }
    if (status != CL_SUCCESS) {
        fprintf(stderr, "clGetPlatformIDs: status %d\n", status);
        return 1;
    }
    for (cl_uint p = 0; p < num_platforms && p < MAX; ++p) {
        cl_device_id devices[MAX];
        cl_uint num_devices = 0;
        char text[TEXT], name[TEXT], version[TEXT], driver[TEXT];
        const char *platform = clean(
            text, clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, TEXT, text, NULL));
        status =
            clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX, devices, &num_devices);
        if (status != CL_SUCCESS && status != CL_DEVICE_NOT_FOUND) {
            fprintf(stderr, "%s: clGetDeviceIDs: status %d\n", platform, status);
            return 1;
        }
        for (cl_uint d = 0; d < num_devices && d < MAX; ++d) {
            printf("%u\t%s: %s\t%s\t%s\n", number++, platform,
                   device_text(devices[d], CL_DEVICE_NAME, name),
                   device_text(devices[d], CL_DEVICE_VERSION, version),
                   device_text(devices[d], CL_DRIVER_VERSION, driver));
        }
    }
    return 0;
}
