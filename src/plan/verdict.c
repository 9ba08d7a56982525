#include "plan/verdict.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

const char *clfold_fate_name(uint32_t fate)
{
    static const char *const names[CLFOLD_TIER_FATES] = {
        [FATE_UNTRIED] = "not tried",
        [FATE_TAKEN] = "taken",
        [FATE_NOT_OFFERED] = "not offered by the device",
        [FATE_NOT_BUILT] = "does not build",
        [FATE_TORN] = "words arrive torn",
        [FATE_LOST] = "words do not arrive",
        [FATE_NOT_RUN] = "does not run",
    };

    return names[fate];
}

/* Adds every tier that was dropped, and why. */
static size_t add_dropped(char *line, size_t length, const struct findings *findings,
                          const char *comma, const char *is)
{
    for (int t = MEMORY_NONE + 1; t < CLFOLD_MEMORY_TIERS; ++t) {
        if (findings->fates[t] > FATE_TAKEN) {
            length += (size_t)snprintf(line + length, CLFOLD_VERDICT_SIZE - length,
                                       "%s%s%s%s", length > 0 ? comma : "",
                                       clfold_memory((enum memory_tier)t)->name, is,
                                       clfold_fate_name(findings->fates[t]));
        }
    }
    return length;
}

size_t clfold_verdict_print(char line[CLFOLD_VERDICT_SIZE],
                            const struct findings *findings)
{
    const struct verdict *verdict = &findings->verdict;
    int length = snprintf(line, CLFOLD_VERDICT_SIZE,
                          "clfold verdict 1: tier %s, fair %s, fences %s",
                          clfold_memory(verdict->tier)->name,
                          verdict->fair ? "yes" : "no", verdict->fences ? "yes" : "no");

    return add_dropped(line, (size_t)length, findings, "; ", " dropped: ");
}

void clfold_verdict_reasons(char reasons[CLFOLD_VERDICT_SIZE],
                            const struct findings *findings)
{
    reasons[0] = '\0';
    add_dropped(reasons, 0, findings, ", ", ": ");
}

/* ---- Reading ----------------------------------------------------------------------- */

static bool take_yes_or_no(const char **at, bool *is)
{
    *is = clfold_text_take(at, "yes");
    return *is || clfold_text_take(at, "no");
}

static const char *tier_name(uint32_t tier)
{
    return clfold_memory((enum memory_tier)tier)->name;
}

bool clfold_verdict_read(struct findings *findings, const char *line, size_t length)
{
    struct findings parsed = { 0 };
    struct verdict *verdict = &parsed.verdict;
    char copy[CLFOLD_VERDICT_SIZE];
    const char *at = copy;
    uint32_t tier, fate;

    if (length >= sizeof(copy)) {
        return false;
    }
    memcpy(copy, line, length);
    copy[length] = '\0';
    if (strlen(copy) != length || !clfold_text_take(&at, "clfold verdict 1: tier ") ||
        !clfold_text_take_name(&at, tier_name, MEMORY_NONE, CLFOLD_MEMORY_TIERS - 1,
                               ", fair ", &tier) ||
        !take_yes_or_no(&at, &verdict->fair) || !clfold_text_take(&at, ", fences ") ||
        !take_yes_or_no(&at, &verdict->fences)) {
        return false;
    }
    /* Exactly the tiers before it were dropped, in their order; without one, all. */
    for (uint32_t t = MEMORY_NONE + 1; t < (tier ? tier : CLFOLD_MEMORY_TIERS); ++t) {
        if (!clfold_text_take(&at, "; ") || !clfold_text_take(&at, tier_name(t)) ||
            !clfold_text_take(&at, " dropped: ") ||
            !clfold_text_take_name(&at, clfold_fate_name, FATE_NOT_OFFERED,
                                   FATE_NOT_RUN - 1, "", &fate)) {
            return false;
        }
        parsed.fates[t] = (enum tier_fate)fate;
    }
    verdict->tier = (enum memory_tier)tier;
    if (tier != MEMORY_NONE) {
        parsed.fates[tier] = FATE_TAKEN;
    }
    if (*at != '\0' || (!tier && (verdict->fair || verdict->fences))) {
        return false;
    }
    *findings = parsed;
    return true;
}

/* ---- Known devices ----------------------------------------------------------------- */

/*
 * CPU devices that were probed hundreds of times, in part on a busy machine, without a
 * wrong word:
 *
 *   PoCL 3.1      pthread-skylake-avx512, Debian 12's, 2 cores, 2026-11-21
 *   PoCL 6.0      cpu-skylake-avx512, Debian 13's, 2 cores, 2026-11-28
 *   PoCL 7.1      the same, of its source with LLVM 19
 *   Intel 2026    Intel's CPU runtime 2026.22, AMD EPYC, 2 cores, 2026-11-21
 *
 * Both run a group on one thread from start to end, and the system schedules threads
 * fairly.
 */
static const struct {
    const char *platform;
    const char *driver; /* what the version begins with */
} known[] = {
    { "Portable Computing Language", "3.1" },
    { "Portable Computing Language", "6.0" },
    { "Portable Computing Language", "7.1" },
    { "Intel(R) OpenCL", "2026." },
};

bool clfold_verdict_known(struct findings *findings, const struct device_facts *device,
                          const char *driver)
{
    for (size_t i = 0; i < CLFOLD_LENGTH(known); ++i) {
        const char *rest = driver;
        /* "3.1" is not "3.10". */
        if (device->cpu && strcmp(device->platform, known[i].platform) == 0 &&
            clfold_text_take(&rest, known[i].driver) &&
            (rest[-1] == '.' || *rest < '0' || *rest > '9')) {
            *findings = (struct findings){
                .verdict = { MEMORY_SCOPED_64, true, true },
                .fates = { [MEMORY_SCOPED_64] = FATE_TAKEN },
            };
            return true;
        }
    }
    return false;
}
