/* What a device is, and what decides which kernels it runs. */
#ifndef CLFOLD_COMMAND_DESCRIBE_H
#define CLFOLD_COMMAND_DESCRIBE_H

#include "device.h"
#include "record.h"

/* Fills a zeroed record. A query that the driver does not answer is unknown; nothing
 * fails. */
void describe_device(const struct device *device, size_t index, struct record *record);

#endif
