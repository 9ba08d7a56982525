#include "device.h"

#include <CL/cl_ext.h>
#include <clfold/clfold.h>

#include <stdlib.h>
#include <string.h>

bool device_refuse(struct message *message, const char *what, cl_int error)
{
    return message_set(message, "%s failed: %s", what, clfold_status_name(error));
}

static char *trim(char *text)
{
    const size_t start = strspn(text, " \t\n");
    size_t length = strlen(text + start);

    while (length > 0 && strchr(" \t\n", text[start + length - 1])) {
        length--;
    }
    memmove(text, text + start, length);
    text[length] = '\0';
    return text;
}

/* Of a device, or of a platform. */
static char *info_text(cl_device_id device, cl_platform_id platform, cl_uint what)
{
    char *text = NULL;
    size_t size = 0;

    for (int turn = 0; turn < 2; turn++) {
        const cl_int error = device
                                 ? clGetDeviceInfo(device, what, size, text, &size)
                                 : clGetPlatformInfo(platform, what, size, text, &size);
        /* Not every driver ends its text in the NUL that it should. */
        if (error != CL_SUCCESS || (turn == 0 && !(text = calloc(1, size + 1)))) {
            free(text);
            return NULL;
        }
    }
    return trim(text);
}

char *device_text(cl_device_id device, cl_device_info what)
{
    return info_text(device, NULL, what);
}

char *platform_text(cl_platform_id platform, cl_platform_info what)
{
    return info_text(NULL, platform, what);
}

/* Those of one platform, after the others. */
static cl_int add_platform(struct device_list *list, cl_platform_id platform)
{
    cl_uint count = 0;
    cl_int error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);

    if (error == CL_DEVICE_NOT_FOUND || (error == CL_SUCCESS && count == 0)) {
        return CL_SUCCESS;
    }
    cl_device_id *const ids = calloc(count + !count, sizeof(*ids));
    struct device *const devices =
        realloc(list->devices, (list->num_devices + count + 1) * sizeof(*devices));
    list->devices = devices ? devices : list->devices;
    error = error != CL_SUCCESS ? error
            : !ids || !devices
                ? CL_OUT_OF_HOST_MEMORY
                : clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids, NULL);
    for (cl_uint i = 0; error == CL_SUCCESS && i < count; i++) {
        struct device device = { .platform = platform, .id = ids[i] };
        /* A device that tells no type is still one that can be named. */
        clGetDeviceInfo(ids[i], CL_DEVICE_TYPE, sizeof(device.type), &device.type, NULL);
        device.name = device_text(ids[i], CL_DEVICE_NAME);
        list->devices[list->num_devices++] = device;
    }
    free(ids);
    return error;
}

bool device_list_init(struct device_list *list, struct message *message)
{
    *list = (struct device_list){ 0 };
    cl_int error = clGetPlatformIDs(0, NULL, &list->num_platforms);
    if (error == CL_PLATFORM_NOT_FOUND_KHR) {
        list->num_platforms = 0;
        return true;
    }
    if (error == CL_SUCCESS && list->num_platforms > 0) {
        list->platforms = calloc(list->num_platforms, sizeof(cl_platform_id));
        error = list->platforms
                    ? clGetPlatformIDs(list->num_platforms, list->platforms, NULL)
                    : CL_OUT_OF_HOST_MEMORY;
    }
    for (cl_uint i = 0; error == CL_SUCCESS && i < list->num_platforms; i++) {
        error = add_platform(list, list->platforms[i]);
    }
    if (error == CL_SUCCESS) {
        return true;
    }
    device_list_finish(list);
    return device_refuse(message, "listing the OpenCL devices", error);
}

void device_list_finish(struct device_list *list)
{
    for (size_t i = 0; i < list->num_devices; i++) {
        free(list->devices[i].name);
    }
    free(list->devices);
    free(list->platforms);
    *list = (struct device_list){ 0 };
}
