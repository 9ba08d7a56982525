/* What an operator or a load of the user's reads: a buffer for each --arg-file, and each
 * --stream piece by piece. */
#include "buffer.h"
#include "input.h"
#include "user_fold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct filling {
    struct input *input;
    uint64_t got; /* bytes */
};

static bool fill_step(void *user, void *data, size_t size, struct message *message)
{
    struct filling *const filling = user;
    size_t got = 0;
    const bool done = input_read(filling->input, data, size, &got, message);

    filling->got += got;
    return done;
}

/* Always false. */
static bool refuse_complex(const char *path, struct message *message)
{
    return message_set(
        message, "%.4000s: holds complex numbers, which only the folded file can", path);
}

bool user_file_load(const char *path, enum file_format format,
                    const struct session *session, cl_mem *mem, clfold_type *type,
                    uint64_t *num, struct message *message)
{
    struct input input;
    struct filling filling = { &input, 0 };

    if (!input_open(&input, path, format, *type, message)) {
        return false;
    }
    uint64_t most = input_most(&input);
    unsigned char first[16];
    size_t got;
    if (most == UINT64_MAX) { /* an empty file tells no size, either */
        most = input_read(&input, first, input.element, &got, message) && got == 0 ? 0
                                                                                   : most;
    }
    bool done =
        input.is_complex ? refuse_complex(path, message)
        : most == UINT64_MAX
            ? message_set(message, "%.4000s: is not a file whose size is known", path)
            : buffer_create(session, mem, CL_MEM_READ_ONLY, most * input.element,
                            message);

    *type = input.type;
    done = done &&
           (most == 0 || buffer_visit(session->queue, *mem, CL_MAP_WRITE, input.element,
                                      0, (size_t)most, fill_step, &filling, message));
    *num = filling.got / input.element;
    input_close(&input);
    return done;
}

static bool load_file(struct user_fold *user, size_t k, const struct session *session,
                      struct message *message)
{
    clfold_arg *const arg = &user->args[k];
    clfold_type element = 0;
    uint64_t num;
    char type[40];

    if (!user_file_load(user->files[k], FORMAT_NPY, session, &arg->mem, &element, &num,
                        message)) {
        return message_prefix(message, "--arg-file");
    }
    snprintf(type, sizeof(type), "global const %s *", user_fold_word(element));
    char *const words = malloc(strlen(type) + strlen(arg->name) + 2);
    if (words) {
        /* The name moves after the type; the path is no longer needed. */
        arg->name = strcpy(stpcpy(words, type) + 1, arg->name);
        arg->type = words;
        free(user->words[k]);
        user->words[k] = words;
        user->files[k] = NULL;
    }
    return words || message_set(message, "there is not enough memory for --arg-file");
}

/* ---- Streams ---- */

typedef unsigned long long ull;

/* `more`: the input may go on. Always false. */
static bool refuse_count(const struct user_fold *user, size_t k,
                         const struct input *input, uint64_t elements, bool more,
                         struct message *message)
{
    return message_set(message,
                       "--stream %s=%.4000s: has %llu number%s, and %.4000s has %s%llu "
                       "element%s",
                       user->args[k].name, user->files[k],
                       (ull)input_most(user->streams[k]),
                       MESSAGE_PLURAL(input_most(user->streams[k])), input->name,
                       more ? "at least " : "", (ull)elements, MESSAGE_PLURAL(elements));
}

static bool open_stream(struct user_fold *user, size_t k, const struct input *input,
                        struct message *message)
{
    struct input *const stream = malloc(sizeof(*stream));

    if (!stream) {
        return message_set(message, "there is not enough memory for a stream");
    }
    if (!input_open(stream, user->files[k], FORMAT_NPY, 0, message)) {
        free(stream);
        return message_prefix(message, "--stream");
    }
    if (stream->is_complex) {
        input_close(stream);
        free(stream);
        refuse_complex(user->files[k], message);
        return message_prefix(message, "--stream");
    }
    user->streams[k] = stream;
    user->args[k].element = stream->type;
    return !input || input->bytes == INPUT_UNKNOWN ||
           input_most(stream) == input_most(input) ||
           refuse_count(user, k, input, input_most(input), false, message);
}

bool user_fold_load(struct user_fold *user, const struct session *session,
                    const struct input *input, struct message *message)
{
    for (size_t k = 0; k < user->fold.num_args; k++) {
        if (user->files[k] &&
            !(user->args[k].element ? open_stream(user, k, input, message)
                                    : load_file(user, k, session, message))) {
            return false;
        }
    }
    return true;
}

struct stream_bytes user_fold_stream_bytes(const struct user_fold *user)
{
    struct stream_bytes bytes = { 0 };

    for (size_t k = 0; k < user->fold.num_args; k++) {
        if (user->streams[k]) {
            const size_t element = user->streams[k]->element;
            bytes.sum += element;
            bytes.most = element > bytes.most ? element : bytes.most;
            bytes.held += input_held(user->streams[k]);
        }
    }
    return bytes;
}

bool user_fold_create_streams(struct user_fold *user, const struct session *session,
                              size_t most, cl_mem *streams, struct message *message)
{
    for (size_t k = 0; k < user->fold.num_args; k++) {
        if (user->streams[k] &&
            !buffer_create(session, &streams[k], CL_MEM_READ_ONLY,
                           (uint64_t)most * user->streams[k]->element, message)) {
            return false;
        }
    }
    return true;
}

void user_fold_set_streams(struct user_fold *user, const cl_mem *streams)
{
    for (size_t k = 0; k < user->fold.num_args; k++) {
        if (user->streams[k]) {
            user->args[k].mem = streams[k];
        }
    }
}

bool user_fold_read_streams(const struct user_fold *user, cl_command_queue queue,
                            const cl_mem *streams, const struct input *input,
                            size_t before, size_t count, struct message *message)
{
    for (size_t k = 0; k < user->fold.num_args; k++) {
        struct input *const stream = user->streams[k];
        const uint64_t done = stream ? stream->done / stream->element : 0;
        struct filling filling = { stream, 0 };
        if (!stream) {
            continue;
        }
        if (done + count > input_most(stream) ||
            (input->ended && done + count < input_most(stream))) {
            return refuse_count(user, k, input, done + count, !input->ended, message);
        }
        if (!buffer_visit(queue, streams[k], CL_MAP_WRITE_INVALIDATE_REGION,
                          stream->element, before, count, fill_step, &filling, message)) {
            return message_prefix(message, "--stream");
        }
    }
    return true;
}
