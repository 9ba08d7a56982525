/*
 * The known facts about a device's memory tiers, and their text form, one line:
 *
 *   clfold verdict 1: tier legacy_64, fair yes, fences no; scoped_64 dropped: does not
 *   build; ptx_64 dropped: not offered by the device
 *
 * A line is taken only if it is one that clfold would write.
 */
#ifndef CLFOLD_PLAN_VERDICT_H
#define CLFOLD_PLAN_VERDICT_H

#include "plan/memory.h"
#include "plan/policy.h"

/* The result of the probe for a tier. */
enum tier_fate {
    FATE_UNTRIED, /* a better one was taken */
    FATE_TAKEN,
    FATE_NOT_OFFERED,
    FATE_NOT_BUILT,
    FATE_TORN,
    FATE_LOST,
    FATE_NOT_RUN /* a call failed, perhaps only once: not kept */
};
#define CLFOLD_TIER_FATES (FATE_NOT_RUN + 1)

/* Of an enum tier_fate: "taken", "does not build"; static. */
const char *clfold_fate_name(uint32_t fate);

struct findings {
    struct verdict verdict;
    enum tier_fate fates[CLFOLD_MEMORY_TIERS]; /* of MEMORY_NONE: none */
};

/* Long enough for every verdict's line, and for its reasons. */
#define CLFOLD_VERDICT_SIZE 512

/* Writes the line, without a line end, and returns its length. */
size_t clfold_verdict_print(char line[CLFOLD_VERDICT_SIZE],
                            const struct findings *findings);

/* Takes a line of `length` bytes, which need not end in a NUL. False: it is not valid. */
bool clfold_verdict_read(struct findings *findings, const char *line, size_t length);

/* Writes why each tier was dropped: "scoped_64: does not build, ...". */
void clfold_verdict_reasons(char reasons[CLFOLD_VERDICT_SIZE],
                            const struct findings *findings);

/* Whether the device is known, so that it needs no probe, and its findings then.
 * `driver`: its version. */
bool clfold_verdict_known(struct findings *findings, const struct device_facts *device,
                          const char *driver);

#endif
