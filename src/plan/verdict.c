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

static const char *yes_or_no(bool is)
{
    return is ? "yes" : "no";
}

static bool was_dropped(enum tier_fate fate)
{
    return fate != FATE_UNTRIED && fate != FATE_TAKEN;
}

/* Adds every tier that was dropped, and why. */
static size_t add_dropped(char *line, size_t length, const struct findings *findings,
                          const char *comma, const char *is)
{
    for (int t = MEMORY_NONE + 1; t < CLFOLD_MEMORY_TIERS; ++t) {
        if (was_dropped(findings->fates[t])) {
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
                          clfold_memory(verdict->tier)->name, yes_or_no(verdict->fair),
                          yes_or_no(verdict->fences));

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

/* A tier's name and the text `after` it. */
static bool take_tier(const char **at, const char *after, uint32_t *tier)
{
    return clfold_text_take_name(at, tier_name, MEMORY_NONE, CLFOLD_MEMORY_TIERS - 1,
                                 after, tier);
}

static bool take_dropped(const char **at, enum tier_fate fates[CLFOLD_MEMORY_TIERS])
{
    uint32_t tier, fate;

    if (!clfold_text_take(at, "; ") || !take_tier(at, " dropped: ", &tier) ||
        !clfold_text_take_name(at, clfold_fate_name, FATE_NOT_OFFERED, FATE_NOT_RUN - 1,
                               "", &fate)) {
        return false;
    }
    fates[tier] = (enum tier_fate)fate;
    return true;
}

/* Whether exactly the tiers before the one that was taken were dropped. */
static bool is_consistent(const struct findings *findings)
{
    enum memory_tier taken = findings->verdict.tier;

    for (int t = MEMORY_NONE + 1; t < CLFOLD_MEMORY_TIERS; ++t) {
        bool before = taken == MEMORY_NONE || t < (int)taken;
        if (was_dropped(findings->fates[t]) != before) {
            return false;
        }
    }
    return findings->fates[MEMORY_NONE] == FATE_UNTRIED &&
           (taken != MEMORY_NONE ||
            (!findings->verdict.fair && !findings->verdict.fences));
}

bool clfold_verdict_read(struct findings *findings, const char *line, size_t length)
{
    struct findings parsed = { 0 };
    char copy[CLFOLD_VERDICT_SIZE], written[CLFOLD_VERDICT_SIZE];
    const char *at = copy;
    uint32_t tier;

    if (length >= sizeof(copy)) {
        return false;
    }
    memcpy(copy, line, length);
    copy[length] = '\0';
    if (strlen(copy) != length || !clfold_text_take(&at, "clfold verdict 1: tier ") ||
        !take_tier(&at, ", fair ", &tier) || !take_yes_or_no(&at, &parsed.verdict.fair) ||
        !clfold_text_take(&at, ", fences ") ||
        !take_yes_or_no(&at, &parsed.verdict.fences)) {
        return false;
    }
    parsed.verdict.tier = (enum memory_tier)tier;
    while (*at != '\0') {
        if (!take_dropped(&at, parsed.fates)) {
            return false;
        }
    }
    if (parsed.verdict.tier != MEMORY_NONE) {
        parsed.fates[parsed.verdict.tier] = FATE_TAKEN;
    }
    /* clfold writes no tier twice, nor in another order. */
    clfold_verdict_print(written, &parsed);
    if (!is_consistent(&parsed) || strcmp(written, copy) != 0) {
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

static bool begins(const char *string, const char *with)
{
    size_t length = strlen(with);
    char next;

    if (strncmp(string, with, length) != 0) {
        return false;
    }
    /* "3.1" is not "3.10". */
    next = string[length];
    return with[length - 1] == '.' || next < '0' || next > '9';
}

bool clfold_verdict_known(struct findings *findings, const struct device_facts *device,
                          const char *driver)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); ++i) {
        if (device->cpu && strcmp(device->platform, known[i].platform) == 0 &&
            begins(driver, known[i].driver)) {
            *findings = (struct findings){
                .verdict = { MEMORY_SCOPED_64, true, true },
                .fates = { [MEMORY_SCOPED_64] = FATE_TAKEN },
            };
            return true;
        }
    }
    return false;
}
