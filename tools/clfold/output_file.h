/*
 * A file that is there whole or not at all, as replace.h puts it in its place. A
 * signal that ends the command removes what is there of it.
 */
#ifndef CLFOLD_COMMAND_OUTPUT_FILE_H
#define CLFOLD_COMMAND_OUTPUT_FILE_H

#include "message.h"
#include "replace.h"

#include <stdio.h>

struct output_file {
    const char *name; /* as the user gave it; NULL: there is nothing to finish */
    FILE *stream;
    struct replacement place;
};

/* Removes on a signal what is not in its place. To be called before OpenCL is used: a
 * driver that catches signals as well passes them on only to what was there before it. */
void output_file_catch_signals(void);

/* "-" for standard output, a FIFO or a character device: not replaced but written into.
 */
bool output_file_is_direct(const char *name);

/* Whether two names lead to one file, be it there or not. */
bool output_file_is_same(const char *name, const char *other);

/* On failure there is nothing to finish. `name` must outlive the file. What is written
 * into is opened as it is: it can take only what comes in order, and what has gone there
 * stays. Waits for the reader of a FIFO. */
bool output_file_open(struct output_file *file, const char *name,
                      struct message *message);

/* Whether that would succeed now. It leaves nothing, and waits for nobody. */
bool output_file_check_open(const char *name, struct message *message);

/* All that was written has arrived, and the stream is closed. */
bool output_file_complete(struct output_file *file, struct message *message);

/* Puts a complete file in its place, or several, all or none, whatever signal comes. */
bool output_file_commit(struct output_file *file, struct message *message);
bool output_files_commit(struct output_file *const *files, int num,
                         struct message *message);

/* All of this in one: what `write` writes becomes the file, if it returns true. */
typedef bool output_writer(const void *user, FILE *stream, struct message *message);
bool output_file_write(const char *name, output_writer *write, const void *user,
                       struct message *message);

/* Removes a file that was not put in its place. A zeroed file too. */
void output_file_finish(struct output_file *file);

#endif
