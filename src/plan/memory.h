/*
 * Memory tiers: the means by which work-groups pass words to each other within a launch,
 * see cl/memory.cl. Only a table: the capabilities say which tiers a device offers, and
 * the probe which of them work.
 */
#ifndef CLFOLD_PLAN_MEMORY_H
#define CLFOLD_PLAN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Best first. */
enum memory_tier {
    MEMORY_NONE,
    MEMORY_SCOPED_64, /* OpenCL 2 and 3 atomics of device scope */
    MEMORY_PTX_64,    /* NVIDIA */
    MEMORY_LEGACY_64, /* OpenCL 1.2 with 64-bit atomics */
    MEMORY_SCOPED_32,
    MEMORY_LEGACY_32
};
#define CLFOLD_MEMORY_TIERS (MEMORY_LEGACY_32 + 1)

struct memory {
    const char *name;   /* "scoped_64" */
    uint32_t means;     /* CLFOLD_MEMORY of cl/memory.cl */
    uint32_t word_bits; /* 64 or 32 */
    uint32_t ticket_bits;
    bool fences;            /* the means have them */
    const char *extensions; /* pragmas that the means need; "" for none */
};

/* The use of a call's scratch: plain memory, words of look-back, or partials after a
 * counter that is zero between launches. */
enum scratch_kind { SCRATCH_PLAIN, SCRATCH_WORDS_64, SCRATCH_WORDS_32, SCRATCH_COUNTER };

/* What look-back may rely on. */
struct verdict {
    enum memory_tier tier; /* MEMORY_NONE: there is no look-back */
    bool fair;   /* groups that wait for each other make progress, as far as seen */
    bool fences; /* acquire and release of device scope: in place as well */
};

/* MEMORY_NONE has only a name. */
const struct memory *clfold_memory(enum memory_tier tier);

/* Whether look-back on a tier can be in place: `device_fences` are OpenCL's own. */
bool clfold_memory_fences(enum memory_tier tier, bool device_fences);

/* Words that an item takes. */
static inline size_t clfold_memory_words(const struct memory *memory, size_t item_size)
{
    size_t half = memory->word_bits / 16;

    return (item_size + half - 1) / half;
}

/* Bytes that `num_tiles` descriptors of items of that size take, lines and all. */
size_t clfold_memory_bytes(const struct memory *memory, uint64_t num_tiles,
                           size_t item_size);

/* Words that descriptors may use in a block of `bytes`. */
uint64_t clfold_memory_capacity(const struct memory *memory, size_t bytes);

#endif
