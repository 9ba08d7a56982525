/* A segmented sum: the scan that benches measure, and the library has no call for yet. */
#ifndef CLFOLD_BENCH_SEGMENTED_H
#define CLFOLD_BENCH_SEGMENTED_H

#include "plan/monoid.h"

/* A flag is a float too, so that an element is two scalars of one type. */
static const struct monoid segmented = {
    .name = "(value, flag)",
    .in = CLFOLD_F32,
    .type = CLFOLD_F32,
    .cell = CLFOLD_F32,
    .num_scalars = 2,
    .num_components = 2,
    .has_identity = true,
    .stage_limit = UINT64_MAX,
    .cuts = "b.f != 0",
    .components = { { .name = "v",
                      .result = CLFOLD_F32,
                      .item = CLFOLD_F32,
                      .stage = CLFOLD_F32,
                      .load = LOAD_PLAIN,
                      .combine = "b.f != 0 ? b.v : a.v + b.v",
                      .identity = "0",
                      .scalar = 0,
                      .neutral = "-0.0f" },
                    { .name = "f",
                      .result = CLFOLD_F32,
                      .item = CLFOLD_F32,
                      .stage = CLFOLD_F32,
                      .load = LOAD_PLAIN,
                      .combine = "b.f != 0 ? b.f : a.f",
                      .identity = "0",
                      .scalar = 1,
                      .neutral = "0" } },
};

#endif
