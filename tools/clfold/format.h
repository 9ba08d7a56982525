/* How a file holds numbers. */
#ifndef CLFOLD_COMMAND_FORMAT_H
#define CLFOLD_COMMAND_FORMAT_H

enum file_format {
    FORMAT_NPY,
    FORMAT_RAW, /* nothing but the numbers, in this machine's byte order */
    FORMAT_TEXT
};

#endif
