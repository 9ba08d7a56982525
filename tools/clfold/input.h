/*
 * A file of numbers: .npy, raw, text, or any of them on standard input.
 *
 * A regular file tells its size, which is held against its header before anything is
 * allocated; its data are then read straight to where they are wanted. A stream (pipe,
 * terminal, device) tells nothing, so its data are read into memory that grows with what
 * really comes, up to a limit. The size of a text is not that of its numbers, and an
 * array in Fortran order is turned as a whole, so these are such streams as well.
 */
#ifndef CLFOLD_COMMAND_INPUT_H
#define CLFOLD_COMMAND_INPUT_H

#include "format.h"
#include "message.h"
#include "order.h"

#include <clfold/clfold.h>

#include <stddef.h>
#include <stdint.h>

struct input {
    const char *name; /* the path, for messages too */
    int file;
    enum file_format format;
    struct text_form text_form; /* may be set after input_open */
    clfold_type type;
    bool swapped;   /* .npy: reading brings the bytes into the host's order */
    bool is_bool;   /* .npy: reading makes each byte 0 or 1 */
    bool is_stream; /* bytes is known only for .npy, as the header says it */
    uint64_t bytes; /* of data */
    /* .npy: reading brings Fortran order into C order; 0 dimensions: it is in C order */
    int num_dimensions;
    uint64_t shape[ORDER_DIMENSIONS];
};

/* Opens `path` ("-": standard input) and reads its header. `type` is that of the numbers,
 * which .npy tells itself. On failure there is nothing to close. `path` must outlive the
 * input. */
bool input_open(struct input *input, const char *path, enum file_format format,
                clfold_type type, struct message *message);

/* A regular file: the next `size` bytes, whole elements. `to` is only written. */
bool input_read(struct input *input, void *to, size_t size, struct message *message);

/* A regular file: that all has been read. */
bool input_check_end(struct input *input, struct message *message);

/* A stream: all its data, of at most `limit` bytes. On success *data is the caller's to
 * free and input->bytes is its size. */
bool input_read_stream(struct input *input, uint64_t limit, void **data,
                       struct message *message);

void input_close(struct input *input);

#endif
