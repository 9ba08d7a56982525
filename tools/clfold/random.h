/* Pseudo-random numbers: splitmix64 (Steele, Lea and Flood, 2014), the same on every
 * machine. */
#ifndef CLFOLD_COMMAND_RANDOM_H
#define CLFOLD_COMMAND_RANDOM_H

#include <stdint.h>

#define CLFOLD_RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t next_random(uint64_t *state)
{
    uint64_t bits = *state += CLFOLD_RANDOM_STEP;

    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    return bits ^ bits >> 31;
}

#endif
