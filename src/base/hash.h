/* FNV-1a, 64 bits: for look-ups that compare the whole key afterwards. */
#ifndef CLFOLD_BASE_HASH_H
#define CLFOLD_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define CLFOLD_HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t clfold_hash(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;

    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

#endif
