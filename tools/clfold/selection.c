#define _GNU_SOURCE /* strcasestr */
#include "device.h"

#include <stdlib.h>
#include <string.h>

static bool is_selected(const struct device *device, const char *selector)
{
    return strcasecmp(selector, "gpu") == 0 ? device->type & CL_DEVICE_TYPE_GPU
           : strcasecmp(selector, "cpu") == 0
               ? device->type & CL_DEVICE_TYPE_CPU
               : device->name && *selector && strcasestr(device->name, selector);
}

/* A selector of digits is an index and nothing else: as a part of a name, "5" would find
 * some device on the machine that has one less. */
const struct device *device_select(const struct device_list *list, const char *selector,
                                   struct message *message)
{
    const size_t count = list->num_devices;
    const bool is_index =
        selector && *selector && strspn(selector, "0123456789") == strlen(selector);
    size_t i = 0;

    if (count == 0) {
        message_set(message, "there is no OpenCL device; " DEVICE_NONE);
        return NULL;
    }
    if (is_index) {
        const unsigned long long index = strtoull(selector, NULL, 10);
        i = index < count ? (size_t)index : count;
    } else {
        while (i < count &&
               !is_selected(&list->devices[i], selector ? selector : "gpu")) {
            i++;
        }
        i = selector ? i : i % count;
    }
    if (i < count) {
        return &list->devices[i];
    }
    message_set(message,
                "--device %.200s: no device %s; this machine has %zu device%s, and the "
                "first index is 0; see clfold devices",
                selector, is_index ? "has this index" : "matches", count,
                count == 1 ? "" : "s");
    return NULL;
}
