/* What a context knows of its device's memory tiers, and where it gets it from. */
#include <clfold/experimental.h>

#include "base/host.h"
#include "device/probe.h"
#include "ops/check.h"
#include "ops/internal.h"

#include <stdio.h>

/* Control characters become spaces. */
static void make_line(char key[CLFOLD_KEY_SIZE])
{
    for (char *c = key; *c != '\0'; ++c) {
        *c = (unsigned char)*c < ' ' || *c == 0x7f ? ' ' : *c;
    }
}

void clfold_device_key(const struct caps *caps, char key[CLFOLD_KEY_SIZE])
{
    snprintf(key, CLFOLD_KEY_SIZE, "clfold %d; %s; %s; %s", CLFOLD_VERSION,
             caps->platform, caps->name, caps->driver);
    make_line(key);
}

bool clfold_tuning_key(const struct caps *caps, char key[CLFOLD_KEY_SIZE])
{
    struct text cpu = { 0 };

    if (caps->facts.cpu) {
        clfold_host_print_model(&cpu, CLFOLD_HOST_CPUS);
    }
    if (cpu.length > 0) {
        snprintf(key, CLFOLD_KEY_SIZE, "%s; %s", cpu.bytes, caps->platform);
    } else {
        snprintf(key, CLFOLD_KEY_SIZE, "%s; %s; %s", caps->platform, caps->name,
                 caps->driver);
    }
    make_line(key);
    const bool done = !cpu.failed;
    clfold_text_finish(&cpu);
    return done;
}

/* Whether the device offers the tier named in a list or in the caller's line. */
static bool device_offers(const struct findings *findings, const struct caps *caps)
{
    const struct verdict *verdict = &findings->verdict;

    return verdict->tier == MEMORY_NONE ||
           (caps->offered[verdict->tier] &&
            verdict->fences == clfold_memory_fences(verdict->tier, caps->fences));
}

static bool is_known(struct findings *findings, const struct caps *caps)
{
    return clfold_verdict_known(findings, &caps->facts, caps->driver) &&
           device_offers(findings, caps);
}

bool clfold_knowledge_init(struct knowledge *knowledge, const struct caps *caps)
{
    *knowledge = (struct knowledge){ 0 };
    knowledge->listed = is_known(&knowledge->on_list, caps);
    return clfold_lock_init(&knowledge->lock);
}

/* A forced tier is a listed one. */
void clfold_context_override(clfold_context *context, const struct debug *debug)
{
    const struct debug *now = clfold_debug(debug);
    struct knowledge *knowledge = &context->knowledge;

    context->debug = debug;
    context->scratch.first_epoch = now->first_epoch;
    knowledge->listed = !now->probes && is_known(&knowledge->on_list, &context->caps);
    if (now->tier != MEMORY_NONE) {
        knowledge->listed = true;
        knowledge->on_list = (struct findings){
            .verdict = { now->tier, true,
                         clfold_memory_fences(now->tier, context->caps.fences) },
        };
    }
    if (now->probes || knowledge->is_forced) {
        knowledge->known = knowledge->loaded = false;
    }
    knowledge->is_forced = now->probes > 0;
}

/* Loads the caller's verdict. *rejected: it is not one for this device. */
static bool load(const clfold_context *context, struct findings *findings, bool *rejected)
{
    char key[CLFOLD_KEY_SIZE], line[CLFOLD_VERDICT_SIZE] = "";

    if (!context->load_verdict) {
        return false;
    }
    clfold_device_key(&context->caps, key);
    const size_t size = context->load_verdict(context->log.user, key, line, sizeof(line));
    const bool taken = size > 0 && size <= sizeof(line) &&
                       clfold_verdict_read(findings, line, size) &&
                       device_offers(findings, &context->caps);
    *rejected = size > 0 && !taken;
    return taken;
}

static void save(const clfold_context *context, const struct findings *findings)
{
    char key[CLFOLD_KEY_SIZE], line[CLFOLD_VERDICT_SIZE];

    if (context->save_verdict) {
        size_t length = clfold_verdict_print(line, findings);
        clfold_device_key(&context->caps, key);
        context->save_verdict(context->log.user, key, line, length);
    }
}

/* The worst of all tiers: from FATE_NOT_BUILT on, one that the device offers was dropped,
 * and if it is FATE_NOT_RUN, another run might find more. */
static enum tier_fate worst_fate(const struct findings *findings)
{
    enum tier_fate worst = FATE_UNTRIED;

    for (int t = MEMORY_NONE + 1; t < CLFOLD_MEMORY_TIERS; ++t) {
        worst = findings->fates[t] > worst ? findings->fates[t] : worst;
    }
    return worst;
}

/* Logs the result of a probe, once no thread waits for it. */
static void log_probe(const clfold_context *context, const struct probe *probe,
                      cl_int status, const struct findings *findings)
{
    char line[CLFOLD_VERDICT_SIZE];

    if (probe->released) {
        clfold_log_call(&context->log, probe->release_status, probe->released);
    }
    if (status != CL_SUCCESS || probe->failed_status != CL_SUCCESS) {
        clfold_log(&context->log, CLFOLD_LOG_WARNING,
                   "probing memory for look-back: %s failed (%s)", probe->failed,
                   clfold_status_name(status ? status : probe->failed_status));
    }
    if (status != CL_SUCCESS) {
        return;
    }
    clfold_verdict_print(line, findings);
    clfold_log(&context->log,
               worst_fate(findings) >= FATE_NOT_BUILT ? CLFOLD_LOG_WARNING
                                                      : CLFOLD_LOG_INFO,
               "probed memory for look-back, launches took %.1f ms: %s",
               (double)probe->launch_ns / 1e6, line);
}

/* The best tier that the device offers. */
static void set_best_offered(const struct caps *caps, struct findings *findings)
{
    int t = MEMORY_NONE + 1;

    while (!caps->offered[t]) {
        ++t;
    }
    *findings = (struct findings){
        .verdict = { (enum memory_tier)t, false,
                     clfold_memory_fences((enum memory_tier)t, caps->fences) },
    };
}

/* This call has set knowledge->busy. `anew`: does not load the caller's verdict. */
static cl_int find_out(clfold_context *context, bool may_probe, bool anew,
                       struct findings *findings, bool *known, const char **failed)
{
    struct knowledge *knowledge = &context->knowledge;
    const struct debug *debug = clfold_debug(context->debug);
    struct probe probe = { .context = context->context,
                           .device = context->device,
                           .caps = &context->caps,
                           .tries = debug->probes,
                           .broken = debug->broken };
    bool rejected = false, asks = !anew && !knowledge->loaded;
    cl_int status = CL_SUCCESS;

    *known = asks && load(context, findings, &rejected);
    const bool probes = !*known && may_probe;
    if (probes) {
        status = clfold_probe(&probe, findings);
        *known = status == CL_SUCCESS;
    }
    clfold_lock_take(&knowledge->lock);
    knowledge->busy = false;
    knowledge->loaded |= asks;
    if (*known) {
        knowledge->findings = *findings;
        knowledge->known = true;
    }
    clfold_lock_wake(&knowledge->lock);
    clfold_lock_give(&knowledge->lock);
    if (rejected) {
        clfold_log(
            &context->log, CLFOLD_LOG_WARNING,
            "ignored what load_verdict returned: it is not a verdict for this device");
    }
    if (probes) {
        *failed = probe.failed;
        log_probe(context, &probe, status, findings);
    }
    if (probes && *known && worst_fate(findings) != FATE_NOT_RUN) {
        save(context, findings);
    }
    return status;
}

/* What clfold_context_findings gives. `anew`: probes even if the tiers are known. */
static cl_int get_findings(clfold_context *context, bool may_probe, bool anew,
                           struct findings *findings, bool *known, const char **failed)
{
    struct knowledge *knowledge = &context->knowledge;
    cl_int status = CL_SUCCESS;

    *known = true;
    /* No scan looks back there, whatever a probe would find. */
    if (context->caps.facts.most_elements) {
        *findings = (struct findings){ 0 };
        return CL_SUCCESS;
    }
    if (knowledge->listed && !anew) {
        *findings = knowledge->on_list;
        return CL_SUCCESS;
    }
    clfold_lock_take(&knowledge->lock);
    while (knowledge->busy) {
        clfold_lock_wait(&knowledge->lock);
    }
    *known = knowledge->known && !anew;
    *findings = knowledge->findings;
    const bool finds_out = !*known && (may_probe || !knowledge->loaded);
    knowledge->busy = finds_out;
    clfold_lock_give(&knowledge->lock);
    if (finds_out) {
        status = find_out(context, may_probe, anew, findings, known, failed);
    }
    if (!*known) {
        set_best_offered(&context->caps, findings);
    }
    return status;
}

cl_int clfold_context_findings(clfold_context *context, bool may_probe,
                               struct findings *findings, bool *known,
                               const char **failed)
{
    return get_findings(context, may_probe, false, findings, known, failed);
}

struct verdict clfold_context_settled(clfold_context *context, bool settles)
{
    struct knowledge *knowledge = &context->knowledge;
    struct findings findings = { 0 };
    const char *failed;
    bool known = false;

    if (knowledge->listed) {
        return knowledge->on_list.verdict;
    }
    clfold_lock_take(&knowledge->lock);
    const bool is_settled = knowledge->is_settled;
    clfold_lock_give(&knowledge->lock);
    if (!is_settled) {
        clfold_context_findings(context, false, &findings, &known, &failed);
    }
    clfold_lock_take(&knowledge->lock);
    if (!knowledge->is_settled) {
        knowledge->settled = known ? findings.verdict : (struct verdict){ MEMORY_NONE };
        knowledge->is_settled = settles;
    }
    const struct verdict settled = knowledge->settled;
    clfold_lock_give(&knowledge->lock);
    return settled;
}

_Static_assert(CLFOLD_VERDICT_SIZE <= 512, "as the header promises");

/* ---- For people -------------------------------------------------------------------- */

clfold_status clfold_explain_lookback(clfold_context *context, cl_bool probe,
                                      clfold_lookback *out)
{
    struct site site = clfold_site(context, NULL, "clfold_explain_lookback");
    struct findings findings;
    const char *failed = NULL;
    uint32_t num = 0;
    bool known;
    cl_int status;

    if (!context || !out) {
        return REJECT(&site, "%s is NULL", context ? "out" : "context");
    }
    if (context->caps.facts.most_elements) {
        *out = (clfold_lookback){ .tier = clfold_memory(MEMORY_NONE)->name,
                                  .why = clfold_obstacle_text(OBSTACLE_LOOPS) };
        return CLFOLD_OK;
    }
    status = get_findings(context, probe, probe, &findings, &known, &failed);
    if (status) {
        return clfold_fail_call(&site, status, failed);
    }
    *out = (clfold_lookback){ 0 };
    if (known) {
        out->tier = clfold_memory(findings.verdict.tier)->name;
        out->fair = findings.verdict.fair;
        out->fences = findings.verdict.fences;
    }
    for (int t = MEMORY_NONE + 1; known && t < CLFOLD_MEMORY_TIERS; ++t) {
        if (findings.fates[t] > FATE_TAKEN) {
            out->dropped[num] = clfold_memory((enum memory_tier)t)->name;
            out->reasons[num++] = clfold_fate_name(findings.fates[t]);
        }
    }
    return CLFOLD_OK;
}
