/*
 * A kept program, as bytes:
 *
 *     head     what, format, byte order, lengths of key and program, checksum
 *     key      text: all that the program was made of and for, see device/archive.c
 *     program  the driver's
 *
 * An entry is found by its key's hash, which is its name, but its key is compared whole.
 * The checksum is over all other bytes, and any byte that is changed changes it.
 */
#ifndef CLFOLD_BASE_ENTRY_H
#define CLFOLD_BASE_ENTRY_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the longest entry. */
#define CLFOLD_ENTRY_LIMIT ((size_t)64 << 20)

struct entry {
    const char *key; /* not NUL-terminated */
    size_t key_length;
    const unsigned char *program;
    size_t program_length;
};

/* 16 hexadecimal digits of the key's hash, and a NUL. */
#define CLFOLD_ENTRY_NAME 17
void clfold_entry_name(char name[CLFOLD_ENTRY_NAME], const char *key, size_t length);

/* Room for an entry, its key in place; *program is where program_length bytes are to be
 * written before the entry is sealed. To be freed by clfold_free; NULL: no memory. */
char *clfold_entry_create(const char *key, size_t key_length, size_t program_length,
                          unsigned char **program, size_t *length);
void clfold_entry_seal(char *bytes, size_t length);

/* Takes an entry apart. Returns NULL, or what is wrong: "its checksum is wrong". */
const char *clfold_entry_read(struct entry *entry, const char *bytes, size_t length);

#endif
