#include "plan/debug.h"

bool clfold_debug_apply(const struct debug *debug, struct policy *policy, size_t element,
                        size_t in_size)
{
    if (debug->tile_elements) {
        policy->tile_bytes = debug->tile_elements * (uint64_t)element;
    }
    if (debug->group_size && !clfold_tile_is_lone(policy->tile)) {
        policy->group_size = debug->group_size;
    }
    if (debug->max_groups) {
        policy->groups = debug->max_groups;
        policy->lane_bytes = 0;
        policy->least_run = 1;
        policy->lasting = true;
    }
    if (debug->ahead) {
        policy->ahead_bytes = debug->ahead * (uint64_t)in_size;
    }
    if (debug->stream_bytes && policy->stream_bytes) {
        policy->stream_bytes = debug->stream_bytes;
    }
    policy->anchor = debug->anchor ? debug->anchor : policy->anchor;
    policy->window = debug->window ? debug->window : policy->window;
    policy->spins = debug->spins ? debug->spins - 1 : policy->spins;
    return !debug->tile || !policy->tile || policy->tile == debug->tile;
}
