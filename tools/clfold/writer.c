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
    return writer->layout ? writer->layout->out_size : clfold_type_size(writer->type);
}

static bool put_number(const struct writer *writer, clfold_type type, const void *at,
                       char end)
{
    char text[NUMBER_TEXT + 1];

    number_print(text, type, at);
    return fputs(text, writer->stream) != EOF && fputc(end, writer->stream) != EOF;
}

/* How many dimensions of the array end before an element, but for the first dimension,
 * which ends with the array: 3 of shape (2, 3, 4, 5) before element 60, 1 before 5. */
static int ended(const struct writer *writer, uint64_t element)
{
    const struct npy_shape *const shape = writer->shape;
    uint64_t size = 1;
    int num = 0;

    for (int d = shape ? shape->num - 1 : 0; d > 0; d--) {
        size *= shape->sizes[d];
        if (element == 0 || element % size != 0) {
            break;
        }
        num++;
    }
    return num;
}

/* The numbers of an element are separated by blanks. */
static bool put_text(struct writer *writer, const unsigned char *data, size_t count)
{
    const size_t size = writer_element(writer);
    const clfold_field *const fields = writer->layout ? writer->layout->fields : NULL;
    const uint32_t num = fields ? writer->layout->num_fields : 1;
    const bool has_rows = num == 1 && writer->shape && writer->shape->num > 1;
    bool done = true;

    for (size_t i = 0; done && i < count; i++, data += size) {
        const bool ends = !has_rows || ended(writer, writer->written + 1) > 0;
        for (int d = ended(writer, writer->written); d > has_rows; d--) {
            done = done && fputc('\n', writer->stream) != EOF;
        }
        for (uint32_t k = 0; done && k < num; k++) {
            done = put_number(writer, fields ? fields[k].type : writer->type,
                              data + (fields ? fields[k].offset : 0),
                              ends && k + 1 == num ? '\n' : ' ');
        }
        writer->written++;
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
    const size_t size =
        npy_write(header, writer->type, writer->layout, writer->is_complex,
                  writer->shape ? writer->shape : &line);
    return fwrite(header, size, 1, writer->stream) == 1;
}

bool writer_put(struct writer *writer, const void *data, size_t count)
{
    return writer->format == FORMAT_TEXT
               ? put_text(writer, data, count)
               : fwrite(data, writer_element(writer), count, writer->stream) == count;
}
