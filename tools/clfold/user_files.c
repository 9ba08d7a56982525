/* What an operator of the user's reads: a buffer for each --arg-file. */
#include "buffer.h"
#include "input.h"
#include "user_fold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fill_step(void *user, void *data, size_t size, struct message *message)
{
    size_t got;

    return input_read(user, data, size, &got, message);
}

static bool load_file(struct user_fold *user, size_t k, const struct session *session,
                      struct message *message)
{
    clfold_arg *const arg = &user->args[k];
    struct input input;
    char type[40];

    if (!input_open(&input, user->files[k], FORMAT_NPY, 0, message)) {
        return message_prefix(message, "--arg-file");
    }
    snprintf(type, sizeof(type), "global const %s *", user_fold_word(input.type));
    char *const words = malloc(strlen(type) + strlen(arg->name) + 2);
    bool done = words && input.bytes != INPUT_UNKNOWN &&
                buffer_create(session, &arg->mem, CL_MEM_READ_ONLY, input.bytes, message);
    if (words) {
        /* The name moves behind the type; the path is done with. */
        arg->name = strcpy(stpcpy(words, type) + 1, arg->name);
        arg->type = words;
        free(user->words[k]);
        user->words[k] = words;
        user->files[k] = NULL;
    }
    done = done && (input.bytes == 0 ||
                    buffer_visit(session, arg->mem, CL_MAP_WRITE, (size_t)input.bytes,
                                 fill_step, &input, message));
    input_close(&input);
    return done || message_prefix(message, "--arg-file");
}

bool user_fold_load(struct user_fold *user, const struct session *session,
                    struct message *message)
{
    for (size_t k = 0; k < user->fold.num_args; k++) {
        if (user->files[k] && !load_file(user, k, session, message)) {
            return false;
        }
    }
    return true;
}
