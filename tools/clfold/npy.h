/*
 * The header of an .npy file, numpy's format for one array:
 *
 *     \x93 N U M P Y | major | minor | length, little-endian | text of that length | data
 *     6 bytes          1       1       2 bytes (1.0) or 4 (2.0, 3.0)
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }      spaces, line end
 *
 * All functions that read return false with a sentence that has the file as its subject.
 * Nothing here allocates, and no number of the header is believed beyond what it says.
 */
#ifndef CLFOLD_COMMAND_NPY_H
#define CLFOLD_COMMAND_NPY_H

#include "message.h"
#include "order.h"

#include <clfold/clfold.h>

#include <stdint.h>

enum {
    NPY_PREFIX = 8,           /* magic and version */
    NPY_MAX_LENGTH_BYTES = 4, /* of the field after it */
    /* numpy itself writes more only for structured types, and by default reads 10,000 */
    NPY_MAX_TEXT = 64 * 1024,
    NPY_WRITTEN = 128 /* the whole header of one dimension */
};

/* Of a structured dtype. */
enum { NPY_FIELDS = 8, NPY_NAME = 64 };
struct npy_field {
    char name[NPY_NAME];
    clfold_type type;
    size_t offset;
};

struct npy {
    bool takes_structs;  /* set by the caller: structured and void dtypes are read, too */
    clfold_type type;    /* 0: of those */
    size_t element;      /* bytes */
    uint32_t num_fields; /* 0: void */
    struct npy_field fields[NPY_FIELDS];
    uint64_t last;         /* the last dimension; 1 where there is none */
    bool swapped;          /* the bytes of an element are not in the host's order */
    bool is_bool;          /* of type u8: a byte that is not 0 is true */
    uint64_t count, bytes; /* bytes = count * size of type, fits in int64_t */
    /* of Fortran order that is not C order as well: the dimensions above 1; else none */
    int num_dimensions;
    uint64_t shape[ORDER_DIMENSIONS];
};

/* How many bytes the length field has. */
bool npy_read_prefix(const unsigned char prefix[NPY_PREFIX], size_t *length_bytes,
                     struct message *message);

/* How long the text is, at most NPY_MAX_TEXT. */
bool npy_read_length(const unsigned char *field, size_t length_bytes, size_t *length,
                     struct message *message);

/* The text need not be terminated. */
bool npy_read_text(const char *text, size_t length, struct npy *out,
                   struct message *message);

/* The same of elements as a layout has them: an array of shape (count, k) of `scalar`, or
 * if that is 0 a structured dtype, or a void one. Returns the size. */
enum { NPY_WRITTEN_FIELDS = 576 };
size_t npy_write_fields(unsigned char out[NPY_WRITTEN_FIELDS],
                        const clfold_layout *layout, clfold_type scalar, uint64_t count);

/* The header of `count` numbers in one dimension, in the host's byte order. */
void npy_write(unsigned char out[NPY_WRITTEN], clfold_type type, uint64_t count);

#endif
