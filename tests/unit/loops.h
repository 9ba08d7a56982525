/* The loops that a work-item goes through, as the kernels' texts have them. */
#ifndef CLFOLD_TESTS_LOOPS_H
#define CLFOLD_TESTS_LOOPS_H

#include "plan/policy.h"

#include <stdint.h>

/* Devices that end work-items early, as rusticl on llvmpipe does. */
static const struct device_facts few_rounds[] = {
    { .cpu = true,
      .vendor = "",
      .name = "",
      .max_group_size = 1024,
      .local_memory = 32 << 10,
      .most_rounds = 1 << 14 },
    { .vendor = "",
      .name = "",
      .max_group_size = 1024,
      .local_memory = 48 << 10,
      .sub_groups = true,
      .most_rounds = 1 << 14 },
};

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
