/* Numbers into a file, in any format. */
#ifndef CLFOLD_COMMAND_WRITER_H
#define CLFOLD_COMMAND_WRITER_H

#include "format.h"
#include "npy.h"

#include <clfold/clfold.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct writer {
    FILE *stream;
    enum file_format format;
    clfold_type type;            /* of the numbers; of elements that are several, or 0 */
    const clfold_layout *layout; /* of those elements; NULL: they are numbers */
    const struct npy_shape *shape; /* of an .npy file; NULL: one dimension */
};

/* Bytes of an element. */
size_t writer_element(const struct writer *writer);

/* The format by a name's end: .npy, .bin or .txt. False: none of them. */
bool writer_format(const char *name, enum file_format *format);

/* Writes what precedes `count` numbers. */
bool writer_begin(const struct writer *writer, uint64_t count);

/* The next numbers; text has one a line. `data` need not be aligned. Writing returns
 * false when the stream has failed, with errno. */
bool writer_put(const struct writer *writer, const void *data, size_t count);

#endif
