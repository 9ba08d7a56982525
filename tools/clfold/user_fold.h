/* An operator of the user's own, from options or from a file of them. */
#ifndef CLFOLD_COMMAND_USER_FOLD_H
#define CLFOLD_COMMAND_USER_FOLD_H

#include "message.h"

#include <clfold/clfold.h>

#include <stdbool.h>
#include <stddef.h>

enum { FOLD_MOST_ARGS = 8 };

/* As the user gives it; each member is an option, or a line of a fold file. */
struct fold_texts {
    const char *combine; /* NULL: there is none, and the rest is not read */
    const char *identity, *cuts, *components;
    const char *source; /* a file */
    const char *type_name;
    size_t type_size;
    bool commutative, partial;
    struct fold_args {
        size_t num;
        bool is_file[FOLD_MOST_ARGS];
        const char *texts[FOLD_MOST_ARGS]; /* "float alpha=0.1", "weights=w.npy" */
    } args;
};

struct user_fold {
    clfold_fold fold;
    clfold_layout layout;
    clfold_type scalar; /* of all fields, side by side; 0: a struct, or opaque */
    char *source;
    clfold_arg args[FOLD_MOST_ARGS];
    cl_ulong values[FOLD_MOST_ARGS];
    char *words[FOLD_MOST_ARGS]; /* the texts of args, cut into types and names */
    const char *files[FOLD_MOST_ARGS];
};

/* Reads the source and the values of args, and checks what needs no device. `element` is
 * what is folded where the texts name neither components nor a type; 0: not known yet.
 * On failure, too, user_fold_finish is due. */
bool user_fold_init(struct user_fold *user, const struct fold_texts *texts,
                    clfold_type element, struct message *message);

/* Of a built-in operator, the layout alone. */
bool user_fold_describe(struct user_fold *user, const clfold_fold *built_in,
                        struct message *message);

/* Reads the files of args into buffers. */
struct session;
bool user_fold_load(struct user_fold *user, const struct session *session,
                    struct message *message);

/* How OpenCL C calls a type: "float". */
const char *user_fold_word(clfold_type type);

/* A zeroed one too. */
void user_fold_finish(struct user_fold *user);

#endif
