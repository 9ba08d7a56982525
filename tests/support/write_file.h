/* A file of these bytes. */
#ifndef CLFOLD_TESTS_WRITE_FILE_H
#define CLFOLD_TESTS_WRITE_FILE_H

#include "test.h"

static inline void write_file(const char *name, const char *bytes, size_t length)
{
    FILE *file = fopen(name, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

#endif
