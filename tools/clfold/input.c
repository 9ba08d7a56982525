#include "input.h"

#include "npy.h"
#include "text.h"
#include "types.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef unsigned long long ull;

/* Reads until `size` bytes have come or the file ends. */
static bool read_up_to(const struct input *input, void *to, size_t size, size_t *got,
                       struct message *message)
{
    *got = 0;
    while (*got < size) {
        const ssize_t n = read(input->file, (char *)to + *got, size - *got);
        if (n == 0) {
            break;
        }
        if (n < 0 && errno != EINTR) {
            return message_set(message, "%s", strerror(errno));
        }
        *got += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool read_exactly(const struct input *input, void *to, size_t size,
                         const char *what, struct message *message)
{
    size_t got;

    if (!read_up_to(input, to, size, &got, message)) {
        return false;
    }
    return got == size || message_set(message, "ends inside its %s", what);
}

static bool at_end(const struct input *input, bool *end, struct message *message)
{
    char byte;
    size_t got;

    if (!read_up_to(input, &byte, 1, &got, message)) {
        return false;
    }
    *end = got == 0;
    return true;
}

static bool read_npy_header(struct input *input, uint64_t *header_bytes,
                            struct message *message)
{
    unsigned char prefix[NPY_PREFIX], field[NPY_MAX_LENGTH_BYTES];
    static char text[NPY_MAX_TEXT];
    size_t length_bytes, length, got;
    struct npy npy;

    if (!read_up_to(input, prefix, sizeof(prefix), &got, message)) {
        return false;
    }
    if (got < sizeof(prefix)) {
        prefix[0] = 0; /* whatever it is, it is no .npy file */
    }
    if (!npy_read_prefix(prefix, &length_bytes, message) ||
        !read_exactly(input, field, length_bytes, ".npy header", message) ||
        !npy_read_length(field, length_bytes, &length, message) ||
        !read_exactly(input, text, length, ".npy header", message) ||
        !npy_read_text(text, length, &npy, message)) {
        return false;
    }
    input->type = npy.type;
    input->swapped = npy.swapped;
    input->is_bool = npy.is_bool;
    input->bytes = npy.bytes;
    input->num_dimensions = npy.num_dimensions;
    memcpy(input->shape, npy.shape, sizeof(input->shape));
    *header_bytes = sizeof(prefix) + length_bytes + length;
    return true;
}

static bool refuse_size(const struct input *input, const char *comparison, uint64_t has,
                        struct message *message)
{
    return message_set(message,
                       "holds %s%llu bytes of data, and its .npy header says %llu",
                       comparison, (ull)has, (ull)input->bytes);
}

static bool refuse_rest(const struct input *input, uint64_t has, struct message *message)
{
    return message_set(message,
                       "holds %llu bytes, which is not a multiple of the %zu of %s",
                       (ull)has, type_size(input->type), type_name(input->type));
}

static bool open_and_check(struct input *input, const char *path, struct message *message)
{
    const bool standard = strcmp(path, "-") == 0;
    struct stat info;
    uint64_t header = 0, left = 0;

    input->file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (input->file < 0 || fstat(input->file, &info) != 0) {
        return message_set(message, "%s", strerror(errno));
    }
    if (S_ISDIR(info.st_mode)) {
        return message_set(message, "%s", strerror(EISDIR));
    }
    /* Files in /proc and the like are regular and say that they are empty. */
    input->is_stream =
        !S_ISREG(info.st_mode) || info.st_size == 0 || input->format == FORMAT_TEXT;
    if (!input->is_stream) {
        /* Standard input may be a file of which a part has been read. */
        const off_t at = lseek(input->file, 0, SEEK_CUR);
        if (at < 0) {
            return message_set(message, "%s", strerror(errno));
        }
        left = at < info.st_size ? (uint64_t)(info.st_size - at) : 0;
    }

    if (input->format == FORMAT_NPY) {
        if (!read_npy_header(input, &header, message)) {
            return false;
        }
        if (!input->is_stream && left - header != input->bytes) {
            return refuse_size(input, "", left - header, message);
        }
        input->is_stream |= input->num_dimensions > 0;
    } else {
        input->bytes = left;
        if (!input->is_stream && left % type_size(input->type) != 0) {
            return refuse_rest(input, left, message);
        }
    }
    return true;
}

bool input_open(struct input *input, const char *path, enum file_format format,
                clfold_type type, struct message *message)
{
    *input = (struct input){ .name = strcmp(path, "-") == 0 ? "standard input" : path,
                             .file = -1,
                             .format = format,
                             .type = type };
    if (!open_and_check(input, path, message)) {
        input_close(input);
        return message_prefix(message, input->name);
    }
    return true;
}

/* Whether the numbers are not the bytes as the file has them. */
static bool is_encoded(const struct input *input)
{
    return input->swapped || input->is_bool;
}

/* `size` is a multiple of the element's. */
static void decode(const struct input *input, unsigned char *bytes, size_t size)
{
    const size_t element = type_size(input->type);

    for (size_t at = 0; input->is_bool && at < size; at++) {
        bytes[at] = bytes[at] != 0;
    }
    for (size_t at = 0; input->swapped && at < size; at += element) {
        for (size_t i = 0, j = element - 1; i < j; i++, j--) {
            const unsigned char byte = bytes[at + i];
            bytes[at + i] = bytes[at + j];
            bytes[at + j] = byte;
        }
    }
}

/* Its size was right when it was opened, so someone else has made it shorter. */
static const char DATA[] = "data; it has become shorter";

/* Memory that is mapped for writing need not be readable, or only slowly, so the bytes
 * are decoded before they come there. */
static bool read_decoded(const struct input *input, unsigned char *to, size_t size,
                         struct message *message)
{
    unsigned char piece[16 * 1024];

    for (size_t at = 0, length; at < size; at += length) {
        length = size - at < sizeof(piece) ? size - at : sizeof(piece);
        if (!read_exactly(input, piece, length, DATA, message)) {
            return false;
        }
        decode(input, piece, length);
        memcpy(to + at, piece, length);
    }
    return true;
}

bool input_read(struct input *input, void *to, size_t size, struct message *message)
{
    const bool read = is_encoded(input) ? read_decoded(input, to, size, message)
                                        : read_exactly(input, to, size, DATA, message);

    return read || message_prefix(message, input->name);
}

bool input_check_end(struct input *input, struct message *message)
{
    bool end;

    if (!at_end(input, &end, message)) {
        return message_prefix(message, input->name);
    }
    return end || message_set(message, "%.4096s: has become longer while it was read",
                              input->name);
}

/* What a stream gets before any of it has come. */
static const size_t FIRST_BYTES = 1 << 20;

/* One more byte than is allowed may be read, to see that there is more. */
static bool read_growing(struct input *input, uint64_t most, char **data, size_t *size,
                         struct message *message)
{
    size_t capacity = 0, got;

    most -= most == UINT64_MAX;
    do {
        if (*size == capacity) {
            /* Data that have come in full are what justifies asking for as much again. */
            size_t more = capacity ? capacity : FIRST_BYTES;
            if (more > most + 1 - capacity) {
                more = (size_t)(most + 1 - capacity);
            }
            char *const bigger =
                capacity <= SIZE_MAX - more ? realloc(*data, capacity + more) : NULL;
            if (!bigger) {
                return message_set(
                    message, "there is not enough memory for more than %zu bytes", *size);
            }
            *data = bigger;
            capacity += more;
        }
        if (!read_up_to(input, *data + *size, capacity - *size, &got, message)) {
            return false;
        }
        *size += got;
    } while (got > 0 && *size <= most);
    return true;
}

static bool check_stream(const struct input *input, uint64_t limit, size_t size,
                         struct message *message)
{
    if (input->format == FORMAT_NPY && size > input->bytes) {
        return refuse_size(input, "more than ", input->bytes, message);
    }
    if (input->format == FORMAT_NPY && size < input->bytes) {
        return refuse_size(input, "", size, message);
    }
    if (size > limit) {
        return message_set(message,
                           "holds more than the %llu bytes that the device takes in "
                           "one buffer",
                           (ull)limit);
    }
    return size % type_size(input->type) == 0 || refuse_rest(input, size, message);
}

static bool turn(const struct input *input, char **data, size_t size,
                 struct message *message)
{
    char *const turned = malloc(size ? size : 1);

    if (!turned) {
        return message_set(
            message, "there is not enough memory for %zu bytes in another order", size);
    }
    order_to_c(turned, *data, type_size(input->type), input->shape,
               input->num_dimensions);
    free(*data);
    *data = turned;
    return true;
}

static bool read_bytes(struct input *input, uint64_t limit, char **data, size_t *size,
                       struct message *message)
{
    const uint64_t most = input->format == FORMAT_NPY ? input->bytes : limit;

    if (input->format == FORMAT_NPY && input->bytes > limit) {
        return message_set(message,
                           "its .npy header says %llu bytes, and the device takes at "
                           "most %llu in one buffer",
                           (ull)input->bytes, (ull)limit);
    }
    if (!read_growing(input, most, data, size, message) ||
        !check_stream(input, limit, *size, message)) {
        return false;
    }
    decode(input, (unsigned char *)*data, *size);
    return input->num_dimensions == 0 || turn(input, data, *size, message);
}

static void warn_of_text(const struct input *input, const struct text *text)
{
    struct message warning;

    if (text_warning(text, &warning)) {
        message_prefix(&warning, input->name);
        message_warn("%s", warning.text);
    }
}

static bool read_numbers(struct input *input, uint64_t limit, char **data, size_t *size,
                         struct message *message)
{
    /* A byte-order mark, which some programs put before UTF-8, is not of the text. */
    static const char mark[] = "\xef\xbb\xbf";
    const size_t length = strlen(mark);
    struct text text;
    char piece[16 * 1024];
    size_t got, skipped;
    bool is_first = true;

    text_init(&text, input->type, limit);
    text.form = input->text_form;
    do {
        if (!read_up_to(input, piece, sizeof(piece), &got, message)) {
            goto fail;
        }
        skipped =
            is_first && got >= length && memcmp(piece, mark, length) == 0 ? length : 0;
        is_first = false;
        if (!text_feed(&text, piece + skipped, got - skipped, message)) {
            goto fail;
        }
    } while (got == sizeof(piece));
    if (!text_end(&text, message)) {
        goto fail;
    }
    warn_of_text(input, &text);
    *data = (char *)text.data;
    *size = text.size;
    return true;

fail:
    text_finish(&text);
    return false;
}

bool input_read_stream(struct input *input, uint64_t limit, void **data,
                       struct message *message)
{
    char *bytes = NULL;
    size_t size = 0;
    const bool read = input->format == FORMAT_TEXT
                          ? read_numbers(input, limit, &bytes, &size, message)
                          : read_bytes(input, limit, &bytes, &size, message);

    *data = NULL;
    if (!read) {
        free(bytes);
        return message_prefix(message, input->name);
    }
    input->bytes = size;
    *data = bytes;
    return true;
}

void input_close(struct input *input)
{
    if (input->file > STDIN_FILENO) {
        close(input->file);
    }
    input->file = -1;
}
