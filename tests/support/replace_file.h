/* A file that is replaced at once, by base/replace.h. */
#ifndef CLFOLD_TESTS_REPLACE_FILE_H
#define CLFOLD_TESTS_REPLACE_FILE_H

#include "base/file.h"
#include "base/replace.h"

static inline int replace_file(const char *name, const char *bytes, size_t length)
{
    struct replacement r;
    int error = clfold_replace_begin(&r, name);

    if (error == 0 && (error = clfold_file_write(r.file, bytes, length)) == 0) {
        error = clfold_replace_commit(&r);
    }
    clfold_replace_finish(&r);
    return error;
}

#endif
