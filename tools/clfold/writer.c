#include "writer.h"

#include "number.h"
#include "types.h"

#include <string.h>

bool writer_format(const char *name, enum file_format *format)
{
    static const char *const ends[] = {
        [FORMAT_NPY] = ".npy", [FORMAT_RAW] = ".bin", [FORMAT_TEXT] = ".txt"
    };
    const size_t length = strlen(name);

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        const size_t end = strlen(ends[i]);
        if (length >= end && strcmp(name + length - end, ends[i]) == 0) {
            *format = (enum file_format)i;
            return true;
        }
    }
    return false;
}

size_t writer_element(const struct writer *writer)
{
    return writer->layout ? writer->layout->out_size : type_size(writer->type);
}

static bool put_number(const struct writer *writer, clfold_type type, const void *at,
                       char end)
{
    char text[NUMBER_TEXT + 1];

    number_print(text, type, at);
    return fputs(text, writer->stream) != EOF && fputc(end, writer->stream) != EOF;
}

/* A line for each element, its fields separated by blanks. */
static bool put_text(const struct writer *writer, const unsigned char *data, size_t count)
{
    const size_t size = writer_element(writer);
    const uint32_t num = writer->layout ? writer->layout->num_fields : 1;
    bool done = true;

    for (size_t i = 0; done && i < count * num; i++) {
        const uint32_t k = (uint32_t)(i % num);
        const clfold_field *const field =
            writer->layout ? &writer->layout->fields[k] : NULL;
        done = put_number(writer, field ? field->type : writer->type,
                          data + i / num * size + (field ? field->offset : 0),
                          k + 1 == num ? '\n' : ' ');
    }
    return done;
}

bool writer_begin(const struct writer *writer, uint64_t count)
{
    const struct npy_shape line = { 1, { count } };
    unsigned char header[NPY_MOST_WRITTEN];

    if (writer->format != FORMAT_NPY) {
        return true;
    }
    const size_t size = npy_write(header, writer->type, writer->layout,
                                  writer->shape ? writer->shape : &line);
    return fwrite(header, size, 1, writer->stream) == 1;
}

bool writer_put(const struct writer *writer, const void *data, size_t count)
{
    return writer->format == FORMAT_TEXT
               ? put_text(writer, data, count)
               : fwrite(data, writer_element(writer), count, writer->stream) == count;
}
