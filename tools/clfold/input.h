/*
 * A file of numbers, read from its start to its end, as many at a time as there is room
 * for: .npy, raw, text, or any of them on standard input.
 *
 * A regular file tells its size, which is held against its header when it is opened. A
 * stream (pipe, terminal, device) tells nothing: what it holds shows when it ends. An
 * array in Fortran order is held in memory, which grows with what really comes, until it
 * is there as a whole and can be read in C order.
 */
#ifndef CLFOLD_COMMAND_INPUT_H
#define CLFOLD_COMMAND_INPUT_H

#include "format.h"
#include "message.h"
#include "npy.h"
#include "order.h"
#include "text.h"

#include <clfold/clfold.h>

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct input {
    const char *name; /* the path, for messages too */
    int file;
    enum file_format format;
    clfold_type type;            /* 0: elements are structs, or opaque */
    size_t element;              /* bytes of an element, which may be several numbers */
    size_t unit;                 /* bytes of what has a place in an array */
    uint64_t last;               /* .npy: the array's last dimension */
    struct npy_shape shape;      /* .npy: all of them */
    const clfold_layout *layout; /* of elements; NULL: they are numbers */
    bool swapped;             /* .npy: reading brings the bytes into the host's order */
    bool is_complex;          /* .npy: two numbers of the type are one */
    bool is_bool;             /* .npy: reading makes each byte 0 or 1 */
    bool is_stream;           /* the system tells no size */
    const atomic_bool *stops; /* ends a wait for data of a stream; or NULL */
    bool ended;               /* there are no more numbers */
    uint64_t bytes;           /* of all numbers, or INPUT_UNKNOWN */
    uint64_t loaded;
    uint64_t size, done; /* for a bar: how much of how much was read; size 0: unknown */
    /* .npy: reading brings Fortran order into C order, unless the caller makes the
     * dimensions 0: then numbers come as they lie */
    struct order order;
    unsigned char *held;
    struct text text; /* its form may be set after input_open */
};

#define INPUT_UNKNOWN UINT64_MAX

/* Opens `path` ("-": standard input) and reads its header. `type` is that of the numbers,
 * which .npy tells itself: then it may be 0. On failure there is nothing to close. `path`
 * must outlive the input. */
bool input_open(struct input *input, const char *path, enum file_format format,
                clfold_type type, struct message *message);

/* The same of elements of a layout, whose fields have the type `scalar`, or 0. */
bool input_open_elements(struct input *input, const char *path, enum file_format format,
                         const clfold_layout *layout, clfold_type scalar,
                         struct message *message);

/* Makes elements of the numbers of an open input, several each, as the layout says, which
 * must outlive the input. Rows of an .npy array are elements. */
bool input_group(struct input *input, const clfold_layout *layout,
                 struct message *message);

/* The input has no more elements than these, and as many unless it is text; UINT64_MAX:
 * that is unknown. */
uint64_t input_most(const struct input *input);

/* Bytes of memory for an array that is held as a whole; mostly 0. */
uint64_t input_held(const struct input *input);

/* The next numbers, of `size` bytes or of fewer if these are the last; `size` is a
 * multiple of the type's. `to` is only written. At the end checks that the input held
 * what it should. */
bool input_read(struct input *input, void *to, size_t size, size_t *got,
                struct message *message);

void input_close(struct input *input);

#endif
