/*
 * The probe: which memory tiers work on a device, as far as running cl/probe.cl shows.
 * Tiers are tried best first, and the first that works is taken:
 *
 *   does not build, or a call fails           the tier is dropped
 *   words that are neither old nor new       dropped
 *   words that are not there after a launch  dropped
 *   waits in vain, and again in vain         taken, but groups are not called fair
 *
 * It logs nothing, since other threads may be waiting for its caller.
 */
#ifndef CLFOLD_DEVICE_PROBE_H
#define CLFOLD_DEVICE_PROBE_H

#include "device/caps.h"
#include "plan/verdict.h"

struct probe {
    cl_context context;
    cl_device_id device;
    const struct caps *caps;
    int tries;                 /* 0: as many as there is time for */
    uint32_t looks;            /* at most, at what one waits for; 0: any number */
    const char *const *broken; /* for tests, see struct debug; NULL: none */

    /* Results, for the caller to log. */
    const char *failed;   /* the last call that failed; builds may */
    cl_int failed_status; /* not CL_SUCCESS: why a tier does not run */
    const char *released; /* a release that failed; NULL: none */
    cl_int release_status;
    uint64_t launch_ns; /* of all launches but the first of each kernel, which builds */
    uint64_t met;       /* waits that saw another group at work */
};

/* Tries the tiers that the device offers. Only a lack of host memory is an error; then
 * nothing is known. */
cl_int clfold_probe(struct probe *probe, struct findings *findings);

/* Tries one, whether or not the device offers it. */
cl_int clfold_probe_tier(struct probe *probe, enum memory_tier tier, enum tier_fate *fate,
                         bool *fair);

#endif
