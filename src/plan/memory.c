#include "plan/memory.h"

/* Before the descriptors: ticket and left twice, clock, none; a line of 64 bytes each. */
#define LINES 6
#define LINE  64

#define BASE64 "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
#define ALL64  BASE64 "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n"

static const struct memory tiers[CLFOLD_MEMORY_TIERS] = {
    [MEMORY_NONE] = { "none", 0, 0, 0, false, "" },
    [MEMORY_SCOPED_64] = { "scoped_64", 1, 64, 32, true, ALL64 },
    [MEMORY_PTX_64] = { "ptx_64", 2, 64, 32, true, "" },
    [MEMORY_LEGACY_64] = { "legacy_64", 3, 64, 32, false, BASE64 },
    [MEMORY_SCOPED_32] = { "scoped_32", 1, 32, 18, true, "" },
    [MEMORY_LEGACY_32] = { "legacy_32", 3, 32, 18, false, "" },
};

const struct memory *clfold_memory(enum memory_tier tier)
{
    return &tiers[tier];
}

bool clfold_memory_fences(enum memory_tier tier, bool device_fences)
{
    return tiers[tier].fences && (device_fences || tier == MEMORY_PTX_64);
}

size_t clfold_memory_bytes(const struct memory *memory, uint64_t num_tiles,
                           size_t item_size)
{
    size_t words = clfold_memory_words(memory, item_size);

    return LINES * LINE + (size_t)num_tiles * 2 * words * (memory->word_bits / 8);
}

uint64_t clfold_memory_capacity(const struct memory *memory, size_t bytes)
{
    return (bytes - LINES * LINE) / (memory->word_bits / 8);
}
