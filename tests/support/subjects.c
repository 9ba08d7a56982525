/* What trials share: tiles, and affine maps. */
#include "subjects_of_text.h"

const struct debug trial_tiles[NUM_TRIAL_TILES] = {
    { 0 },
    { .tile = TILE_VECTOR,
      .tile_elements = 48,
      .max_groups = 5,
      .stream_bytes = 1,
      .anchor = 4 },
    { .tile = TILE_ITEM, .tile_elements = 50, .max_groups = 5, .anchor = 4 },
    { .tile = TILE_GROUP,
      .tile_elements = 100,
      .group_size = 6,
      .max_groups = 4,
      .anchor = 3 },
};

const char *const scan_algorithms[SCAN_ALGORITHMS] = {
    "scan_single_group", "serial",        "scan_then_propagate",
    "reduce_then_scan",  "scan_lookback", "scan_chained"
};

/* ---- Affine maps ------------------------------------------------------------------- */

/* Odd factors, or products soon are 0; with `with_zeros` some are. */
static void draw_affine(cl_uint *maps, size_t count, uint64_t seed, bool with_zeros)
{
    for (size_t i = 0; i < count; ++i) {
        const uint64_t bits = next_random(&seed);
        maps[2 * i] = with_zeros && (bits >> 20) % 23 == 0 ? 0 : (cl_uint)bits | 1;
        maps[2 * i + 1] = (cl_uint)(bits >> 32);
    }
}

static void fill_affine(void *elements, size_t count, uint64_t seed)
{
    draw_affine(elements, count, seed, false);
}

static void fill_constant(void *elements, size_t count, uint64_t seed)
{
    draw_affine(elements, count, seed, true);
}

static void fill_map(void *init, uint64_t seed)
{
    draw_affine(init, 1, seed, false);
}

const struct subject affine = {
    .fold = { .name = "affine", .op = CLFOLD_AFFINE, .type = CLFOLD_U32 },
    .size = sizeof(one_0),
    .identity = one_0,
    .combine = join_maps,
    .fill = fill_affine,
    .fill_init = fill_map,
};

const struct subject affine_with_cuts = {
    .fold = { .name = "affine by text",
              .components = "uint a; uint b",
              .combine = "{ a.a * b.a, a.b * b.a + b.b }",
              .identity = "{ 1, 0 }",
              .cuts = "b.a == 0" },
    .size = sizeof(one_0),
    .identity = one_0,
    .combine = join_maps,
    .fill = fill_constant,
    .fill_init = fill_map,
};
