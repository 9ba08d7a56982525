/* The loops that a work-item goes through, as the kernels' texts have them. */
#ifndef CLFOLD_TESTS_LOOPS_H
#define CLFOLD_TESTS_LOOPS_H

#include <stdint.h>

/* `all` counts loops' ends too, and those loops that a compiler should have unrolled. */
struct loops {
    uint64_t rounds, all;
};

static inline void loop(struct loops *loops, uint64_t rounds)
{
    loops->rounds += rounds;
    loops->all += rounds + 1;
}

/* A loop of a known few rounds. */
static inline void short_loop(struct loops *loops, uint64_t rounds, uint64_t times)
{
    loops->all += (rounds + 1) * times;
}

static inline void add_loops(struct loops *loops, struct loops more, uint64_t times)
{
    loops->rounds += more.rounds * times;
    loops->all += more.all * times;
}

#endif
