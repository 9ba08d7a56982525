/* How a file holds numbers. */
#ifndef CLFOLD_COMMAND_FORMAT_H
#define CLFOLD_COMMAND_FORMAT_H

#include <stddef.h>
#include <stdint.h>

enum file_format {
    FORMAT_NPY,
    FORMAT_RAW, /* nothing but the numbers, in this machine's byte order */
    FORMAT_TEXT
};

/* What is done with a field that is empty, NA or N/A. */
enum missing {
    MISSING_ERROR, /* it is not a number */
    MISSING_SKIP,  /* its element is left out */
    MISSING_NAN    /* it is nan */
};

/* How a text has its numbers; text.h says more. */
struct text_form {
    char separator;     /* of the fields of a line; 0: white space or a comma */
    size_t skip;        /* lines */
    const char *column; /* as the user names it; NULL: every field is a number */
    uint64_t field;     /* its number, from 1; 0: `column` is its name in the header, */
                        /* which may have an = before it that is not of the name */
    enum missing missing;
};

#endif
