#include "commands.h"
#include "describe.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * platform Portable Computing Language (OpenCL 3.0 PoCL 3.1 ...)
 *   0  pthread-skylake-avx512
 *      vendor                    AuthenticAMD
 */
static void print_device(const struct device *device, size_t index)
{
    /* index, name, platform and its version stand in the lines above */
    enum { SAID = 4 };
    struct record record = { 0 }, rest = { 0 };

    describe_device(device, index, &record);
    printf("  %zu  %s\n", index, device->name ? device->name : "a device without a name");
    for (int i = SAID; i < record.count; i++) {
        rest.fields[rest.count++] = record.fields[i];
    }
    record_print(&rest);
    record_finish(&record);
}

static void print_platform(const struct device_list *list, cl_platform_id platform)
{
    char *const name = platform_text(platform, CL_PLATFORM_NAME);
    char *const version = platform_text(platform, CL_PLATFORM_VERSION);
    bool empty = true;

    printf("platform %s (%s)\n", name ? name : "without a name",
           version ? version : "version unknown");
    for (size_t i = 0; i < list->num_devices; i++) {
        if (list->devices[i].platform == platform) {
            print_device(&list->devices[i], i);
            empty = false;
        }
    }
    if (empty) {
        puts("  no device");
    }
    free(name);
    free(version);
}

static json_object *json_devices(const struct device_list *list)
{
    json_object *array = json_object_new_array();

    for (size_t i = 0; array && i < list->num_devices; i++) {
        struct record record = { 0 };
        describe_device(&list->devices[i], i, &record);
        json_object *object = record_json(&record);
        record_finish(&record);
        if (!object || json_object_array_add(array, object) != 0) {
            json_object_put(object);
            json_object_put(array);
            array = NULL;
        }
    }
    return array;
}

static bool print_json(const struct device_list *list, struct message *message)
{
    json_object *const array = json_devices(list);
    const char *const text =
        array ? json_object_to_json_string_ext(array, JSON_C_TO_STRING_PRETTY |
                                                          JSON_C_TO_STRING_NOSLASHESCAPE)
              : NULL;

    if (text) {
        puts(text);
    }
    json_object_put(array);
    return text || message_set(message, "there is no memory to print JSON");
}

bool command_devices(const struct options *options, struct message *message)
{
    struct device_list list;
    bool done = true;

    if (!device_list_init(&list, message)) {
        return false;
    }
    if (options->json) {
        done = print_json(&list, message);
    } else if (list.num_platforms == 0) {
        /* An answer, not a failure: the list is empty. */
        puts("no OpenCL platform");
    } else {
        for (cl_uint i = 0; i < list.num_platforms; i++) {
            print_platform(&list, list.platforms[i]);
        }
    }
    device_list_finish(&list);
    return done;
}
