#include "npy.h"

#include "types.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The text is a Python literal; this reads the part of the grammar that numpy writes. */
struct cursor {
    const char *at, *end;
};

struct slice {
    const char *at;
    size_t length;
};

bool npy_read_prefix(const unsigned char prefix[NPY_PREFIX], size_t *length_bytes,
                     struct message *message)
{
    if (memcmp(prefix, "\x93NUMPY", 6) != 0) {
        return message_set(
            message, "is not an .npy file (--raw TYPE reads raw data, --text TYPE text)");
    }
    if (prefix[6] < 1 || prefix[6] > 3 || prefix[7] != 0) {
        return message_set(message,
                           "has .npy format version %d.%d, and only 1.0, 2.0 and 3.0 are "
                           "known",
                           prefix[6], prefix[7]);
    }
    *length_bytes = prefix[6] == 1 ? 2 : 4;
    return true;
}

bool npy_read_length(const unsigned char *field, size_t length_bytes, size_t *length,
                     struct message *message)
{
    uint64_t value = 0;

    for (size_t i = length_bytes; i-- > 0;) {
        value = value << 8 | field[i];
    }
    if (value > NPY_MAX_TEXT) {
        return message_set(message,
                           "has an .npy header of %llu bytes, above the limit of %d",
                           (unsigned long long)value, NPY_MAX_TEXT);
    }
    *length = (size_t)value;
    return true;
}

static void skip_space(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t')) {
        c->at++;
    }
}

/* Takes `token`, and the space before it, if it is next. */
static bool take(struct cursor *c, const char *token)
{
    const size_t length = strlen(token);

    skip_space(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, token, length) != 0) {
        return false;
    }
    c->at += length;
    return true;
}

/* A string in either kind of quotes. No key and no dtype needs an escape. */
static bool take_string(struct cursor *c, struct slice *out)
{
    skip_space(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"')) {
        return false;
    }
    const char quote = *c->at, *start = c->at + 1;
    for (const char *at = start; at < c->end && (unsigned char)*at >= ' ' && *at != '\\';
         at++) {
        if (*at == quote) {
            *out = (struct slice){ start, (size_t)(at - start) };
            c->at = at + 1;
            return true;
        }
    }
    return false;
}

static bool slice_is(struct slice slice, const char *text)
{
    return slice.length == strlen(text) && memcmp(slice.at, text, slice.length) == 0;
}

/* The most bytes of a longer text that a message shows. */
enum { SHOWN = 60 };

static int shown(size_t length)
{
    return length < SHOWN ? (int)length : SHOWN;
}

static bool malformed(const struct cursor *c, const char *what, struct message *message)
{
    const size_t left = (size_t)(c->end - c->at);

    if (left == 0) {
        return message_set(message,
                           "has a malformed .npy header: it ends where %s belongs", what);
    }
    return message_set(message, "has a malformed .npy header: %s belongs before \"%.*s\"",
                       what, shown(left < 20 ? left : 20), c->at);
}

static char host_order(void)
{
    const uint16_t one = 1;
    unsigned char first;

    memcpy(&first, &one, 1);
    return first ? '<' : '>';
}

/* '<f4': byte order, kind, bytes an element. No order, '=' and '|' mean the host's, as in
 * numpy. A bool is a byte. */
static bool read_dtype(struct slice dtype, struct npy *out, struct message *message)
{
    const bool has_order = dtype.length > 0 && strchr("<>=|", *dtype.at);
    const char order = has_order && strchr("<>", *dtype.at) ? *dtype.at : host_order();
    const char *const digits = dtype.at + has_order + 1;
    const size_t length =
        dtype.length < has_order + 2u ? 0 : dtype.length - has_order - 1;
    const char kind = length > 0 ? digits[-1] : '\0';
    size_t size = 0;

    for (size_t i = 0; i < length; i++) {
        const bool is_digit = digits[i] >= '0' + (i == 0) && digits[i] <= '9' && i < 5;
        size = is_digit && (i == 0 || size) ? size * 10 + (size_t)(digits[i] - '0') : 0;
    }
    out->element = size;
    out->type = 0;
    if (kind == 'V' && out->takes_structs && size > 0) {
        return true;
    }
    out->is_bool = kind == 'b';
    out->is_complex = kind == 'c';
    out->type = out->is_bool      ? size == 1 ? CLFOLD_U8 : 0
                : out->is_complex ? size == 8    ? CLFOLD_F32
                                    : size == 16 ? CLFOLD_F64
                                                 : 0
                                  : type_find(kind, size);
    out->swapped = order != host_order() && clfold_type_size(out->type) > 1;
    return out->type ||
           message_set(message,
                       "holds dtype '%.*s', and only bools, integers, floats and complex "
                       "numbers of up to 16 bytes are read",
                       shown(dtype.length), dtype.at);
}

/* [('a', '<i4'), ('', '|V4'), ('b', '<f8')]: a name that is empty is padding. */
static bool read_fields(struct slice list, struct npy *out, struct message *message)
{
    struct cursor c = { list.at, list.at + list.length };
    struct slice name, dtype;
    size_t offset = 0;

    take(&c, "[");
    while (!take(&c, "]")) {
        struct npy field = { .takes_structs = true };
        if (!take(&c, "(") || !take_string(&c, &name) || !take(&c, ",") ||
            !take_string(&c, &dtype) || !take(&c, ")")) {
            return malformed(&c, "a field, its name and its dtype,", message);
        }
        take(&c, ",");
        if (!read_dtype(dtype, &field, message)) {
            return false;
        }
        if (field.swapped || field.is_complex ||
            (field.type && out->num_fields == NPY_FIELDS) || name.length >= NPY_NAME) {
            return message_set(message, "holds structured dtype %.*s, of which %s",
                               shown(list.length), list.at,
                               field.swapped ? "a field has another byte order"
                               : field.is_complex
                                   ? "a field is complex"
                                   : "a name is too long, or fields too many");
        }
        if (field.type) {
            struct npy_field *const to = &out->fields[out->num_fields++];
            *to = (struct npy_field){ .type = field.type, .offset = offset };
            memcpy(to->name, name.at, name.length);
        }
        offset += field.element;
    }
    out->type = 0;
    out->element = offset;
    return offset > 0 ||
           message_set(message, "holds structured dtype %.*s without fields",
                       shown(list.length), list.at);
}

/* Past a list of fields, to name it. Brackets inside strings do not count. */
static struct slice skip_nested(const struct cursor *c)
{
    struct cursor at = *c;
    struct slice string;
    int depth = 0;

    while (at.at < at.end) {
        if (take_string(&at, &string)) {
            continue;
        }
        if (at.at == at.end) {
            break;
        }
        depth += *at.at == '[' || *at.at == '(' || *at.at == '{';
        depth -= *at.at == ']' || *at.at == ')' || *at.at == '}';
        at.at++;
        if (depth == 0) {
            break;
        }
    }
    return (struct slice){ c->at, (size_t)(at.at - c->at) };
}

static bool read_descr(struct cursor *c, bool takes_structs, struct slice *dtype,
                       struct message *message)
{
    if (take_string(c, dtype)) {
        return true;
    }
    if (c->at < c->end && *c->at && strchr("[({", *c->at)) {
        const struct slice fields = skip_nested(c);
        if (takes_structs && *fields.at == '[') {
            c->at += fields.length;
            *dtype = fields;
            return true;
        }
        return message_set(
            message,
            "holds structured dtype %.*s, and only bools, integers, floats and complex "
            "numbers are read",
            shown(fields.length), fields.at);
    }
    return malformed(c, "a dtype", message);
}

/* What is known of a shape of any length, besides the numbers in struct npy. */
struct extent {
    bool empty;    /* a dimension is 0; the count is that of the others */
    bool overflow; /* the count is more than 64 bits hold */
    int wide;      /* how many are above 1 */
    struct slice text;
};

static bool read_dimension(struct cursor *c, struct npy *out, struct extent *extent,
                           struct message *message)
{
    const char *const begin = c->at;
    uint64_t value = 0;

    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        const unsigned digit = (unsigned)(*c->at - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            return message_set(message, "has an .npy shape with a dimension above 2^64");
        }
        value = value * 10 + digit;
    }
    if (c->at == begin) {
        return take(c, "-")
                   ? message_set(message, "has a negative dimension in its .npy shape")
                   : malformed(c, "a dimension", message);
    }
    /* Python 2 wrote its long integers with it. */
    c->at += c->at < c->end && *c->at == 'L';
    out->last = value;
    if (out->all.num++ < NPY_DIMENSIONS) {
        out->all.sizes[out->all.num - 1] = value;
    }
    if (value > 1 && extent->wide++ < ORDER_DIMENSIONS) {
        out->shape[extent->wide - 1] = value;
    }
    extent->empty |= value == 0;
    extent->overflow |= value > 0 && out->count > UINT64_MAX / value;
    out->count *= value > 0 ? value : 1;
    return true;
}

/* () or (3,) or (3, 4) or (3, 4,); (3) is not a tuple. */
static bool read_shape(struct cursor *c, struct npy *out, struct extent *extent,
                       struct message *message)
{
    skip_space(c);
    const char *const start = c->at;
    bool comma = true;

    out->count = out->last = 1;
    if (!take(c, "(")) {
        return malformed(c, "a shape", message);
    }
    for (int i = 0; !take(c, ")"); i++) {
        if (!comma) {
            return malformed(c, "a comma", message);
        }
        if (!read_dimension(c, out, extent, message)) {
            return false;
        }
        comma = take(c, ",");
        if (i == 0 && !comma) {
            return malformed(c, "a comma", message);
        }
    }
    extent->text = (struct slice){ start, (size_t)(c->at - start) };
    return true;
}

bool npy_read_text(const char *text, size_t length, struct npy *out,
                   struct message *message)
{
    static const char *const keys[] = { "descr", "fortran_order", "shape" };
    struct cursor c = { text, text + length };
    struct slice key, dtype = { 0 };
    struct extent extent = { 0 };
    bool have[3] = { false }, fortran = false, comma = true;

    if (!take(&c, "{")) {
        return malformed(&c, "{", message);
    }
    while (!take(&c, "}")) {
        int k = 0;
        const char *const lacks = !comma                   ? "a comma"
                                  : !take_string(&c, &key) ? "a key"
                                  : !take(&c, ":")         ? "a colon"
                                                           : NULL;
        if (lacks) {
            return malformed(&c, lacks, message);
        }
        while (k < 3 && !slice_is(key, keys[k])) {
            k++;
        }
        if (k == 3 || have[k]) {
            return message_set(message, "has an .npy header with %s key '%.*s'",
                               k < 3 ? "a second" : "an unknown", shown(key.length),
                               key.at);
        }
        have[k] = true;
        if (k == 1) {
            fortran = take(&c, "True");
        }
        if (k == 0   ? !read_descr(&c, out->takes_structs, &dtype, message)
            : k == 2 ? !read_shape(&c, out, &extent, message)
                     : !fortran && !take(&c, "False") &&
                           !malformed(&c, "True or False", message)) {
            return false;
        }
        comma = take(&c, ",");
    }
    skip_space(&c);
    if (c.at < c.end) {
        return malformed(&c, "the end", message);
    }
    for (int k = 0; k < 3; k++) {
        if (!have[k]) {
            return message_set(message, "has an .npy header without key '%s'", keys[k]);
        }
    }
    const bool is_list = dtype.length > 0 && *dtype.at == '[';
    if (!(is_list ? read_fields : read_dtype)(dtype, out, message)) {
        return false;
    }
    out->last = out->is_complex ? 2 : out->last;
    if (extent.overflow || out->count > (uint64_t)INT64_MAX / out->element) {
        return message_set(message, "has .npy shape %.*s, more than 2^63 bytes",
                           shown(extent.text.length), extent.text.at);
    }
    out->count = extent.empty ? 0 : out->count;
    out->bytes = out->count * out->element;
    /* More than ORDER_DIMENSIONS would have overflowed. */
    out->num_dimensions = fortran && !extent.empty && extent.wide > 1 ? extent.wide : 0;
    return true;
}

static const char kinds[] = {
    [TYPE_SIGNED] = 'i', [TYPE_UNSIGNED] = 'u', [TYPE_FLOAT] = 'f'
};

/* Puts prefix and length round a text at out + NPY_PREFIX + 2, and fills it with spaces.
 * Data begin at a multiple of 64 bytes, as the format wants it: version 1.0. */
static void frame(unsigned char *out, const char *text, size_t written)
{
    const size_t length = written - NPY_PREFIX - 2;

    memset(out, ' ', written);
    memcpy(out, "\x93NUMPY\x01\x00", NPY_PREFIX);
    out[NPY_PREFIX] = (unsigned char)(length % 256);
    out[NPY_PREFIX + 1] = (unsigned char)(length / 256);
    memcpy(out + NPY_PREFIX + 2, text, strlen(text));
    out[written - 1] = '\n';
}

static int print_dtype(char *text, size_t room, clfold_type type)
{
    const size_t size = clfold_type_size(type);

    return snprintf(text, room, "'%c%c%zu'", size > 1 ? host_order() : '|',
                    kinds[type_class(type)], size);
}

/* C's padding has fields without names. */
static void print_struct(char *text, size_t room, const clfold_layout *layout)
{
    size_t at = 0, end = 0;

    at += (size_t)snprintf(text, room, "[");
    for (uint32_t k = 0; k <= layout->num_fields; k++) {
        const bool is_end = k == layout->num_fields;
        const clfold_field *const field = &layout->fields[k];
        const size_t begin = is_end ? layout->out_size : field->offset;
        if (begin > end) {
            at += (size_t)snprintf(text + at, room - at, "('', '|V%zu'), ", begin - end);
        }
        if (!is_end) {
            at += (size_t)snprintf(text + at, room - at, "('%s', ", field->name);
            at += (size_t)print_dtype(text + at, room - at, field->type);
            at += (size_t)snprintf(text + at, room - at, "), ");
            end = field->offset + field->size;
        }
    }
    snprintf(text + at - 2, room - at + 2, "]");
}

/* (3, 4), with `more` at its end if that is not 0. One alone has a comma after it. */
static void print_shape(char *text, size_t room, const struct npy_shape *shape,
                        uint32_t more)
{
    const int num = shape->num + (more > 0);
    size_t at = (size_t)snprintf(text, room, "(");

    for (int i = 0; i < num; i++) {
        at += (size_t)snprintf(text + at, room - at, "%s%" PRIu64, i > 0 ? ", " : "",
                               i < shape->num ? shape->sizes[i] : more);
    }
    snprintf(text + at, room - at, num == 1 ? ",)" : ")");
}

size_t npy_write(unsigned char out[NPY_MOST_WRITTEN], clfold_type type,
                 const clfold_layout *layout, bool is_complex,
                 const struct npy_shape *shape)
{
    char dtype[NPY_MOST_WRITTEN - 312], sizes[240], text[NPY_MOST_WRITTEN - 12];
    const size_t size = !layout && shape->num <= 1 ? NPY_WRITTEN : NPY_MOST_WRITTEN;

    if (is_complex) {
        snprintf(dtype, sizeof(dtype), "'%cc%zu'", host_order(),
                 2 * clfold_type_size(type));
    } else if (type || !layout) {
        print_dtype(dtype, sizeof(dtype), type);
    } else if (!layout->fields[0].type) {
        snprintf(dtype, sizeof(dtype), "'|V%zu'", layout->out_size);
    } else {
        print_struct(dtype, sizeof(dtype), layout);
    }
    print_shape(sizes, sizeof(sizes), shape,
                type && layout && !is_complex ? layout->num_fields : 0);
    snprintf(text, sizeof(text), "{'descr': %s, 'fortran_order': False, 'shape': %s, }",
             dtype, sizes);
    frame(out, text, size);
    return size;
}
