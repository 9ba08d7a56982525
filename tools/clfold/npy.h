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
    NPY_WRITTEN = 128,     /* the whole header of numbers in one dimension, */
    NPY_MOST_WRITTEN = 768 /* and of any others */
};

/* The dimensions of an array as its header has them. */
enum { NPY_DIMENSIONS = 8 };
struct npy_shape {
    int num; /* which may be more than NPY_DIMENSIONS: then only these are kept */
    uint64_t sizes[NPY_DIMENSIONS];
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
    struct npy_shape all;  /* whatever their order */
    uint64_t last;         /* the last dimension; 1 where there is none */
    bool swapped;          /* the bytes of an element are not in the host's order */
    bool is_complex;       /* an element is two of the type, and `last` 2 */
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

/* The text need not be terminated. *out is zero before, but for takes_structs. */
bool npy_read_text(const char *text, size_t length, struct npy *out,
                   struct message *message);

/* The header of an array in C order and the host's byte order: of numbers of a type, or
 * of elements as a layout has them, if there is one. These are k numbers of the type, in
 * a last dimension more, or if the type is 0 a structured dtype, or a void one; as
 * complex numbers, two are one number. Returns the size, which does not depend on the
 * dimensions' sizes. */
size_t npy_write(unsigned char out[NPY_MOST_WRITTEN], clfold_type type,
                 const clfold_layout *layout, bool is_complex,
                 const struct npy_shape *shape);

#endif
