#include "writer.h"

#include "npy.h"
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

static bool put_text(const struct writer *writer, const unsigned char *data, size_t count)
{
    const size_t size = type_size(writer->type);
    char text[NUMBER_TEXT + 1];

    for (size_t i = 0; i < count; i++) {
        number_print(text, writer->type, data + i * size);
        strcat(text, "\n");
        if (fputs(text, writer->stream) == EOF) {
            return false;
        }
    }
    return true;
}

bool writer_begin(const struct writer *writer, uint64_t count)
{
    unsigned char header[NPY_WRITTEN];

    if (writer->format != FORMAT_NPY) {
        return true;
    }
    npy_write(header, writer->type, count);
    return fwrite(header, sizeof(header), 1, writer->stream) == 1;
}

bool writer_put(const struct writer *writer, const void *data, size_t count)
{
    return writer->format == FORMAT_TEXT
               ? put_text(writer, data, count)
               : fwrite(data, type_size(writer->type), count, writer->stream) == count;
}
