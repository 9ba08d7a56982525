#include "input.h"

#include "types.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef unsigned long long ull;

/* Until a stream has data, or nobody wants them: then false. */
static bool wait_for_data(const struct input *input)
{
    enum { MILLISECONDS = 50 };
    struct pollfd file = { .fd = input->file, .events = POLLIN };

    while (!*input->stops && poll(&file, 1, MILLISECONDS) == 0) {
    }
    return !*input->stops;
}

/* Reads until `size` bytes have come or the file ends. */
static bool read_up_to(const struct input *input, void *to, size_t size, size_t *got,
                       struct message *message)
{
    *got = 0;
    while (*got < size) {
        if (input->is_stream && input->stops && !wait_for_data(input)) {
            return message_set(message, "is not read to its end");
        }
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

/* Whether a structured dtype is the layout's. */
static bool has_fields(const struct npy *npy, const clfold_layout *layout)
{
    bool same = npy->num_fields == layout->num_fields && npy->element == layout->in_size;

    for (uint32_t k = 0; same && k < npy->num_fields; k++) {
        same = npy->fields[k].type == layout->fields[k].type &&
               npy->fields[k].offset == layout->fields[k].offset &&
               strcmp(npy->fields[k].name, layout->fields[k].name) == 0;
    }
    return same;
}

/* The array's elements are the layout's: rows of numbers, structs, or voids. */
static bool take_layout(const struct input *input, const struct npy *npy,
                        struct message *message)
{
    const clfold_layout *const layout = input->layout;
    const bool is_opaque = !layout->fields[0].type;
    const char *const type = input->type ? clfold_type_name(input->type) : "";

    if (npy->type ? npy->type == input->type &&
                        (layout->num_fields == 1 || npy->last == layout->num_fields)
        : npy->num_fields ? has_fields(npy, layout)
                          : is_opaque && npy->element == layout->in_size) {
        return true;
    }
    if (is_opaque) {
        return message_set(message, "has a dtype that is not V%zu, a void of %zu bytes",
                           layout->in_size, layout->in_size);
    }
    return input->type
               ? message_set(
                     message,
                     "holds no elements of the operator: these are an array of %s "
                     "whose last dimension is %u, or a structured dtype with the "
                     "names and types of the components",
                     type, layout->num_fields)
               : message_set(message,
                             "holds no elements of the operator: these have a structured "
                             "dtype with the names and types of the components, and C's "
                             "layout (align=True)");
}

static bool read_npy_header(struct input *input, uint64_t *header_bytes,
                            struct message *message)
{
    unsigned char prefix[NPY_PREFIX], field[NPY_MAX_LENGTH_BYTES];
    static char text[NPY_MAX_TEXT];
    size_t length_bytes, length, got;
    struct npy npy = { .takes_structs = input->layout != NULL };

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
    if (input->layout && !take_layout(input, &npy, message)) {
        return false;
    }
    if (!input->layout) {
        input->type = npy.type;
        input->element = npy.element;
    }
    input->unit = npy.element;
    input->last = npy.last;
    input->shape = npy.all;
    input->swapped = npy.swapped;
    input->is_complex = npy.is_complex;
    input->is_bool = npy.is_bool;
    input->bytes = npy.bytes;
    order_init(&input->order, npy.shape, npy.num_dimensions);
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
    return message_set(
        message, "holds %llu bytes, which is not a multiple of the %zu of %s", (ull)has,
        input->element, input->layout ? "an element" : clfold_type_name(input->type));
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
    input->is_stream = !S_ISREG(info.st_mode) || info.st_size == 0;
    if (!input->is_stream) {
        /* Standard input may be a file of which a part has been read. */
        const off_t at = lseek(input->file, 0, SEEK_CUR);
        if (at < 0) {
            return message_set(message, "%s", strerror(errno));
        }
        left = at < info.st_size ? (uint64_t)(info.st_size - at) : 0;
    }

    input->bytes = INPUT_UNKNOWN;
    input->size = left;
    if (input->format == FORMAT_NPY) {
        if (!read_npy_header(input, &header, message)) {
            return false;
        }
        input->size = input->bytes;
        return input->is_stream || left - header == input->bytes ||
               refuse_size(input, "", left - header, message);
    }
    if (input->format == FORMAT_RAW && !input->is_stream) {
        input->bytes = left;
        return left % input->element == 0 || refuse_rest(input, left, message);
    }
    text_init(&input->text, input->type);
    return true;
}

static bool open_input(struct input *input, const char *path, struct message *message)
{
    input->name = strcmp(path, "-") == 0 ? "standard input" : path;
    input->file = -1;
    if (!open_and_check(input, path, message)) {
        input_close(input);
        return message_prefix(message, input->name);
    }
    return true;
}

bool input_open(struct input *input, const char *path, enum file_format format,
                clfold_type type, struct message *message)
{
    const size_t size = type ? clfold_type_size(type) : 0;

    *input =
        (struct input){ .format = format, .type = type, .element = size, .unit = size };
    return open_input(input, path, message);
}

bool input_open_elements(struct input *input, const char *path, enum file_format format,
                         const clfold_layout *layout, clfold_type scalar,
                         struct message *message)
{
    *input = (struct input){ .format = format,
                             .type = scalar,
                             .element = layout->in_size,
                             .unit = layout->in_size,
                             .layout = layout };
    return open_input(input, path, message);
}

static bool group(struct input *input, const clfold_layout *layout,
                  struct message *message)
{
    const size_t num = layout->in_size / clfold_type_size(input->type);

    if (input->format == FORMAT_NPY && input->last != num) {
        return message_set(message,
                           "holds no elements of the operator: these are an array of %s "
                           "whose last dimension is %zu",
                           clfold_type_name(input->type), num);
    }
    input->layout = layout;
    input->element = layout->in_size;
    return input->bytes == INPUT_UNKNOWN || input->bytes % input->element == 0 ||
           refuse_rest(input, input->bytes, message);
}

bool input_group(struct input *input, const clfold_layout *layout,
                 struct message *message)
{
    return group(input, layout, message) || message_prefix(message, input->name);
}

uint64_t input_most(const struct input *input)
{
    if (input->bytes != INPUT_UNKNOWN) {
        return input->bytes / input->element;
    }
    /* two characters a number, but for the last; or one, if it is missing */
    const unsigned each = input->text.form.missing == MISSING_NAN ? 1 : 2;
    return input->size > 0 ? input->size / each + 1 : UINT64_MAX;
}

uint64_t input_held(const struct input *input)
{
    return input->order.num_dimensions > 0 ? input->bytes : 0;
}

/* ---- Bytes ---- */

/* Whole elements are decoded. */
static void decode(const struct input *input, unsigned char *bytes, size_t size)
{
    const size_t element = clfold_type_size(input->type);

    for (size_t at = 0; input->is_bool && at < size; at++) {
        bytes[at] = bytes[at] != 0;
    }
    for (size_t at = 0; input->swapped && at + element <= size; at += element) {
        for (size_t i = 0, j = element - 1; i < j; i++, j--) {
            const unsigned char byte = bytes[at + i];
            bytes[at + i] = bytes[at + j];
            bytes[at + j] = byte;
        }
    }
}

/* Memory that is mapped for writing need not be readable, or only slowly, so the bytes
 * are decoded before they come there. */
static bool read_decoded(const struct input *input, void *to, size_t size, size_t *got,
                         struct message *message)
{
    unsigned char piece[16 * 1024];
    size_t length = 0, came = 0;

    for (*got = 0; *got < size && came == length; *got += came) {
        length = size - *got < sizeof(piece) ? size - *got : sizeof(piece);
        if (!read_up_to(input, piece, length, &came, message)) {
            return false;
        }
        decode(input, piece, came);
        memcpy((char *)to + *got, piece, came);
    }
    return true;
}

/* All that was to come has come: that nothing follows. */
static bool check_end(const struct input *input, struct message *message)
{
    char byte;
    size_t got;

    if (!read_up_to(input, &byte, 1, &got, message)) {
        return false;
    }
    return got == 0 ||
           (input->is_stream
                ? refuse_size(input, "more than ", input->bytes, message)
                : message_set(message, "has become longer while it was read"));
}

static bool read_data(struct input *input, void *to, size_t size, size_t *got,
                      struct message *message)
{
    const uint64_t left = input->bytes - input->loaded;
    const bool is_known = input->bytes != INPUT_UNKNOWN;
    const bool is_encoded = input->swapped || input->is_bool;

    size = size < left ? size : (size_t)left;
    if (!(is_encoded ? read_decoded : read_up_to)(input, to, size, got, message)) {
        return false;
    }
    input->loaded += *got;
    input->ended = *got < size || input->loaded == input->bytes;
    if (!input->ended) {
        return true;
    }
    if (!is_known) {
        return input->loaded % input->element == 0 ||
               refuse_rest(input, input->loaded, message);
    }
    if (*got == size) {
        return check_end(input, message);
    }
    return input->is_stream
               ? refuse_size(input, "", input->loaded, message)
               : message_set(message, "ends inside its data; it has become shorter");
}

/* ---- Fortran order ---- */

/* What is held before any of it has come. */
static const size_t FIRST_BYTES = 1 << 20;

static bool hold(struct input *input, struct message *message)
{
    size_t capacity = 0, size = 0, got;

    for (; size < input->bytes; size += got) {
        if (size == capacity) {
            /* Data that have come in full are what justifies asking for as much again. */
            const size_t more = capacity ? capacity : FIRST_BYTES;
            const uint64_t left = input->bytes - capacity;
            capacity += more < left ? more : (size_t)left;
            unsigned char *const bigger = realloc(input->held, capacity);
            if (!bigger) {
                return message_set(
                    message, "there is not enough memory for more than %zu bytes", size);
            }
            input->held = bigger;
        }
        if (!read_data(input, input->held + size, capacity - size, &got, message)) {
            return false;
        }
    }
    return true;
}

static bool read_turned(struct input *input, void *to, size_t size, size_t *got,
                        struct message *message)
{
    const uint64_t left = input->bytes - input->done;
    const size_t element = input->unit;

    if (!input->held && !hold(input, message)) {
        return false;
    }
    *got = size < left ? size : (size_t)left;
    order_next(&input->order, to, input->held, element, *got / element);
    input->ended = *got == left;
    return true;
}

/* ---- Text ---- */

static void warn_of_text(const struct input *input)
{
    struct message warning;

    if (text_warning(&input->text, &warning)) {
        message_prefix(&warning, input->name);
        message_warn("%s", warning.text);
    }
}

static bool read_text(struct input *input, void *to, size_t size, size_t *got,
                      struct message *message)
{
    /* A byte-order mark, which some programs put before UTF-8, is not of the text. */
    static const char mark[] = "\xef\xbb\xbf";
    const size_t length = strlen(mark);
    char piece[16 * 1024];
    size_t came;

    input->text.numbers = input->text.form.missing == MISSING_SKIP
                              ? input->element / clfold_type_size(input->type)
                              : 1;
    for (*got = 0;;) {
        *got += text_take(&input->text, (char *)to + *got, size - *got);
        if (*got == size) {
            return true;
        }
        if (input->text.ended) {
            input->ended = true;
            if (*got % input->element != 0) {
                return message_set(message,
                                   "ends inside an element: it has numbers that are not "
                                   "a multiple of the %zu of one",
                                   input->element / clfold_type_size(input->type));
            }
            warn_of_text(input);
            return true;
        }
        if (!read_up_to(input, piece, sizeof(piece), &came, message)) {
            return false;
        }
        const bool is_marked =
            input->loaded == 0 && came >= length && memcmp(piece, mark, length) == 0;
        const size_t skipped = is_marked ? length : 0;
        input->loaded += came;
        if (!text_feed(&input->text, piece + skipped, came - skipped, message) ||
            (came < sizeof(piece) && !text_end(&input->text, message))) {
            return false;
        }
    }
}

bool input_read(struct input *input, void *to, size_t size, size_t *got,
                struct message *message)
{
    const bool is_text = input->format == FORMAT_TEXT;

    *got = 0;
    if (input->ended) {
        return true;
    }
    const bool read =
        (is_text                           ? read_text
         : input->order.num_dimensions > 0 ? read_turned
                                           : read_data)(input, to, size, got, message);

    if (!read) {
        return message_prefix(message, input->name);
    }
    input->done = is_text ? input->loaded : input->done + *got;
    return true;
}

void input_close(struct input *input)
{
    if (input->file > STDIN_FILENO) {
        close(input->file);
    }
    input->file = -1;
    free(input->held);
    input->held = NULL;
    text_finish(&input->text);
}
