/* A hash of words, for look-ups that compare the whole key afterwards. */
#ifndef CLFOLD_BASE_HASH_H
#define CLFOLD_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define CLFOLD_HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t clfold_hash(uint64_t hash, const uint32_t *words, size_t num)
{
    for (size_t i = 0; i < num; ++i) {
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        /* Only the low bits choose a place in a table. */
        hash ^= hash >> 32;
    }
    return hash;
}

#endif
