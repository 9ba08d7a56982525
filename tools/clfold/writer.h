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
    bool is_complex; /* such elements are the parts of complex numbers, in .npy files */
    const struct npy_shape *shape; /* of the array; NULL: one dimension */
    uint64_t written;              /* elements so far, which text goes by */
};

/* Bytes of an element. */
size_t writer_element(const struct writer *writer);

/* The format by a name's end: .npy, .bin or .txt. False: none of them. */
bool writer_format(const char *name, enum file_format *format);

/* Writes what precedes `count` numbers. */
bool writer_begin(const struct writer *writer, uint64_t count);

/* The next numbers. Text has one a line, or a line for each row of an array of two
 * dimensions and more, where the numbers of an element are a last dimension; an empty
 * line stands between the arrays of two that one of three consists of, two between those
 * of three, and so on. `data` need not be aligned. Writing returns
 * false when the stream has failed, with errno. */
bool writer_put(struct writer *writer, const void *data, size_t count);

#endif
