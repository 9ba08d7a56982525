/*
 * A file of numbers: .npy, raw, or either on standard input.
 *
 * A regular file tells its size, which is held against its header before anything is
 * allocated; its data are then read straight to where they are wanted. A stream (pipe,
 * terminal, device) tells nothing, so its data are read into memory that grows with what
 * really comes, up to a limit.
 */
#ifndef CLFOLD_COMMAND_INPUT_H
#define CLFOLD_COMMAND_INPUT_H

#include "message.h"

#include <clfold/clfold.h>

#include <stddef.h>
#include <stdint.h>

struct input {
    const char *name; /* the path, for messages too */
    int file;
    clfold_type type;
    bool npy;       /* bytes is known, for a stream as the header says it */
    bool is_stream; /* otherwise bytes is known and is the file's */
    uint64_t bytes; /* of data */
};

/* Opens `path` ("-": standard input) and reads its header. raw 0: .npy. On failure there
 * is nothing to close. `path` must outlive the input. */
bool input_open(struct input *input, const char *path, clfold_type raw,
                struct message *message);

/* A regular file: the next `size` bytes. */
bool input_read(struct input *input, void *to, size_t size, struct message *message);

/* A regular file: that all has been read. */
bool input_check_end(struct input *input, struct message *message);

/* A stream: all its data, of at most `limit` bytes. On success *data is the caller's to
 * free and input->bytes is its size. */
bool input_read_stream(struct input *input, uint64_t limit, void **data,
                       struct message *message);

void input_close(struct input *input);

#endif
