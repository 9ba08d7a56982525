#include <clfold/experimental.h>
#include "commands.h"
#include "describe.h"
#include "selection.h"
#include "session.h"
#include "verdicts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct listing {
    bool probes, failed;
    struct message *message; /* why the first probe that failed did */
};

enum { WORDS_SIZE = 512 };

/* "tier legacy_64, fair yes, fences no; scoped_64 dropped: does not build" */
static void print_lookback(char words[WORDS_SIZE], const clfold_lookback *known)
{
    const char *const answers[] = { "no", "yes" };
    int length = known->why     ? snprintf(words, WORDS_SIZE, "none: %s", known->why)
                 : !known->tier ? snprintf(words, WORDS_SIZE, "not probed")
                                : snprintf(words, WORDS_SIZE,
                                           "tier %s, fair %s, fences %s", known->tier,
                                           answers[known->fair], answers[known->fences]);

    for (int i = 0; known->dropped[i]; i++) {
        length += snprintf(words + length, WORDS_SIZE - (size_t)length,
                           "; %s dropped: %s", known->dropped[i], known->reasons[i]);
    }
}

/* What is known, or what a probe finds, of a device's look-back. */
static bool find_lookback(const struct device *device, bool probes,
                          clfold_lookback *known, struct message *message)
{
    const clfold_context_params params = { .load_verdict = verdicts_load,
                                           .save_verdict = verdicts_save };
    const cl_context_properties properties[] = { CL_CONTEXT_PLATFORM,
                                                 (cl_context_properties)device->platform,
                                                 0 };
    clfold_context *context = NULL;
    cl_int error;
    cl_context cl = clCreateContext(properties, 1, &device->id, NULL, NULL, &error);

    if (error != CL_SUCCESS) {
        return device_refuse(message, "clCreateContext", error);
    }
    clfold_status status = clfold_context_create(&context, cl, device->id, &params);
    if (status == CLFOLD_OK) {
        status = clfold_explain_lookback(context, probes, known);
    }
    const bool done = status == CLFOLD_OK || session_refuse(status, message);
    clfold_context_destroy(&context);
    clReleaseContext(cl);
    return done;
}

/* By which memory a scan's groups look back. */
static void add_verdict(struct record *record, const struct device *device, size_t index,
                        struct listing *listing)
{
    char words[WORDS_SIZE], name[48];
    clfold_lookback known = { 0 };
    struct message message;
    const bool found = find_lookback(device, listing->probes, &known, &message);

    print_lookback(words, &known);
    /* A probe that fails is the command's own error. */
    record_add_text(record, "look_back_memory",
                    found || !listing->probes ? strdup(found ? words : message.text)
                                              : NULL);
    if (!found && listing->probes && !listing->failed) {
        listing->failed = true;
        snprintf(name, sizeof(name), "probe of device %zu", index);
        *listing->message = message;
        message_prefix(listing->message, name);
    }
}

static void describe(const struct device *device, size_t index, struct listing *listing,
                     struct record *record)
{
    describe_device(device, index, record);
    add_verdict(record, device, index, listing);
}

/*
 * platform Portable Computing Language (OpenCL 3.0 PoCL 3.1 ...)
 *   0  pthread-skylake-avx512
 *      vendor                    AuthenticAMD
 */
static void print_device(const struct device *device, size_t index,
                         struct listing *listing)
{
    /* index, name, platform and its version stand in the lines above */
    enum { SAID = 4 };
    struct record record = { 0 }, rest = { 0 };

    describe(device, index, listing, &record);
    printf("  %zu  %s\n", index, device->name ? device->name : "a device without a name");
    for (int i = SAID; i < record.count; i++) {
        rest.fields[rest.count++] = record.fields[i];
    }
    record_print(&rest);
    record_finish(&record);
}

static void print_platform(const struct device_list *list, cl_platform_id platform,
                           struct listing *listing)
{
    char *const name = platform_text(platform, CL_PLATFORM_NAME);
    char *const version = platform_text(platform, CL_PLATFORM_VERSION);
    bool empty = true;

    printf("platform %s (%s)\n", name ? name : "without a name",
           version ? version : "version unknown");
    for (size_t i = 0; i < list->num_devices; i++) {
        if (list->devices[i].platform == platform) {
            print_device(&list->devices[i], i, listing);
            empty = false;
        }
    }
    if (empty) {
        puts("  no device");
    }
    free(name);
    free(version);
}

static json_object *json_devices(const struct device_list *list, struct listing *listing)
{
    json_object *array = json_object_new_array();

    for (size_t i = 0; array && i < list->num_devices; i++) {
        struct record record = { 0 };
        describe(&list->devices[i], i, listing, &record);
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

static bool print_json(const struct device_list *list, struct listing *listing,
                       struct message *message)
{
    json_object *const array = json_devices(list, listing);
    const char *const text =
        array ? json_object_to_json_string_ext(array, JSON_C_TO_STRING_PRETTY |
                                                          JSON_C_TO_STRING_NOSLASHESCAPE)
              : NULL;

    if (text) {
        puts(text);
    }
    json_object_put(array);
    return text || message_set(message, "there is not enough memory to print JSON");
}

bool command_devices(const struct options *options, struct message *message)
{
    struct listing listing = { .probes = options->probe, .message = message };
    struct device_list list;
    bool done = true;

    if (!device_list_init(&list, message)) {
        return false;
    }
    if (options->json) {
        done = print_json(&list, &listing, message);
    } else if (list.num_platforms == 0) {
        /* An answer, not a failure: the list is empty. */
        puts("no OpenCL platform");
    } else {
        for (cl_uint i = 0; i < list.num_platforms; i++) {
            print_platform(&list, list.platforms[i], &listing);
        }
    }
    if (!options->json && list.num_devices == 0) {
        puts("There is no OpenCL device; " SELECTION_NO_DEVICE);
    }
    device_list_finish(&list);
    return done && !listing.failed;
}
