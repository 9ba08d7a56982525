/* An operator of the user's own, what a load makes of elements, and what is written for
 * an item: from options or from a file of them. */
#ifndef CLFOLD_COMMAND_USER_FOLD_H
#define CLFOLD_COMMAND_USER_FOLD_H

#include "format.h"
#include "message.h"

#include <clfold/clfold.h>

#include <stdbool.h>
#include <stddef.h>

enum { FOLD_MOST_ARGS = 8 };

/* As the user gives it; each member is an option, or a line of a fold file. */
struct fold_texts {
    const char *combine; /* NULL: a built-in operator */
    const char *load, *result, *store;
    const char *keep, *same; /* of a select */
    size_t out_length;       /* of what a store writes to; 0: as many as `in` has */
    size_t in_scalars, out_scalars; /* 0: as what is folded */
    clfold_type out;                /* 0: likewise */
    const char *identity, *cuts, *components;
    const char *source; /* a file */
    const char *type_name;
    size_t type_size;
    bool commutative, partial;
    struct fold_args {
        size_t num;
        enum fold_arg_kind {
            ARG_VALUE, /* "float alpha=0.1" */
            ARG_FILE,  /* "weights=w.npy" */
            ARG_STREAM /* the same */
        } kinds[FOLD_MOST_ARGS];
        const char *texts[FOLD_MOST_ARGS];
    } args;
};

struct user_fold {
    clfold_fold fold;
    clfold_layout layout, written; /* of what is folded, and of what is written for it */
    /* of all fields of each, side by side; 0: a struct, or opaque */
    clfold_type scalar, written_scalar;
    bool converts;     /* what is written is not the item itself */
    size_t out_length; /* of `out`, if that is not the input's; else 0 */
    char *source;
    clfold_arg args[FOLD_MOST_ARGS];
    cl_ulong values[FOLD_MOST_ARGS];
    char *words[FOLD_MOST_ARGS]; /* the texts of args, cut into types and names */
    const char *files[FOLD_MOST_ARGS];
    struct input *streams[FOLD_MOST_ARGS]; /* of args with an element, once open */
    /* "--load may use in, that": of a whole input; or NULL */
    const char *whole;
    const char *counted; /* the same of n, which is known at the end of a pipe */
    bool repeats;        /* by offsets a map's input has an element for each segment */
};

/* Reads the source and the values of args, and checks what needs no device. `basis` is
 * the fold but for its texts: operator, types and algorithm. On failure, too,
 * user_fold_finish is due. */
bool user_fold_init(struct user_fold *user, const struct fold_texts *texts,
                    const clfold_fold *basis, struct message *message);

/* What the library rejected, with the option in place of the fold's field. Always
 * false. */
bool user_fold_refuse(const clfold_fold *fold, struct message *message);

/* Adds to what failed a hint, if there is one: how integers become what a function of
 * floats takes, or plain numbers the elements of a load, or
 * which fields a value has. `sentence` may have a compiler's
 * log, with its line ends. `real` is the widest float of the device. Always false. */
bool user_fold_hint(const struct user_fold *user, clfold_type real, const char *sentence,
                    struct message *message);

/* Why a call whose program is built runs on scalars: "load gives 1 as a scalar and 255 in
 * a vector"; "" if the report does not say it. */
struct scalar_cause {
    char text[sizeof(((clfold_report *)0)->reason)];
};
struct scalar_cause user_fold_cause(const clfold_report *report);

/* The texts of the operator alone, for elements that are what is folded and written. */
struct fold_texts fold_texts_of_operator(const struct fold_texts *texts);

/* Reads the files of args into buffers, and opens streams, which must have as many
 * numbers as `input` has elements, unless it is NULL. */
struct input;
struct session;
bool user_fold_load(struct user_fold *user, const struct session *session,
                    const struct input *input, struct message *message);

/* Reads all numbers of a file, of `type` unless it is .npy, into a buffer, which is the
 * caller's, also where this fails. */
bool user_file_load(const char *path, enum file_format format,
                    const struct session *session, cl_mem *mem, clfold_type *type,
                    uint64_t *num, struct message *message);

/* What one element takes of all streams, and of the largest; and what is held of them. */
struct stream_bytes {
    size_t sum, most;
    uint64_t held;
};
struct stream_bytes user_fold_stream_bytes(const struct user_fold *user);

/* Buffers for `most` elements of each stream, numbered as the args; the caller's, also
 * where this fails. */
bool user_fold_create_streams(struct user_fold *user, const struct session *session,
                              size_t most, cl_mem *streams, struct message *message);

/* Makes calls read these. */
void user_fold_set_streams(struct user_fold *user, const cl_mem *streams);

/* Reads the next `count` elements of each, which belong to those that `input` has just
 * given, and go after `before` others. */
bool user_fold_read_streams(const struct user_fold *user, cl_command_queue queue,
                            const cl_mem *streams, const struct input *input,
                            size_t before, size_t count, struct message *message);

/* How OpenCL C calls a type: "float". */
const char *user_fold_word(clfold_type type);

/* A zeroed one too. */
void user_fold_finish(struct user_fold *user);

#endif
