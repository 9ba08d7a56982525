#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, for 1.2 devices */
#include "device/probe.h"

#include "base/memory.h"
#include "base/system.h"
#include "plan/assemble.h"

/* Words of a round; the next word is in the same 32 bytes. */
#define SAID 3

#define ROUNDS 16

/* Looks at an answer in the first try; a device with one worker gives none. Waits for
 * words take LONGER times as many. A look takes 1 to some 100 ns and a CPU's worker takes
 * a while to wake up, so the time of a try sets the looks of the next one. */
#define LOOKS_HEARD 256
#define LONGER      8

/* Groups for each compute unit, and at most. */
#define PAIRS      8
#define TURNS      8
#define MOST_PAIRS 256
#define MOST_TURNS 2048

/* Repeats a try in which groups waited in vain or no two met, since the machine may be
 * busy; all tries together take about ENOUGH_NS. */
#define TRIES     8
#define ENOUGH_NS 3000000

#define LINE 64

/* A group's report: CLFOLD_REPORT_WORDS words, see cl/probe.cl. */
struct group_report {
    cl_uint ended, wrong, met, in_vain, plain;
};

enum { WORDS, TURN_BY_TURN, KERNELS };

static const char *const names[KERNELS] = { "clfold_probe_words", "clfold_probe_turns" };

/* A tier under probe. */
struct trial {
    struct probe *probe;
    const struct memory *memory;
    cl_uint units, rounds, looks, looks_heard;
    cl_program program;
    cl_kernel kernels[KERNELS];
    cl_command_queue queue;
    uint64_t spent; /* nanoseconds, from the enqueue to the end of the reads */
    uint64_t met;   /* waits that saw another group at work */
    bool in_vain;   /* groups waited, the last time */
};

/* One launch and its results. */
struct batch {
    int kernel;
    cl_uint groups;
    size_t size;                  /* of the words, in bytes */
    unsigned char *words;         /* zeroed, then as they were left */
    struct group_report *reports; /* one a group; the same */
    cl_mem words_mem, reports_mem;
};

/* Notes a call that failed, and returns its status. */
static cl_int note(struct probe *probe, cl_int status, const char *call)
{
    if (status != CL_SUCCESS) {
        probe->failed = call;
    }
    return status;
}

static void note_release(struct probe *probe, cl_int status, const char *call)
{
    if (status != CL_SUCCESS && !probe->released) {
        probe->released = call;
        probe->release_status = status;
    }
}

/* Releases a Kernel, a MemObject, ..., if there is one. */
#define RELEASE(probe, kind, object)                                                     \
    note_release(probe, (object) ? clRelease##kind(object) : CL_SUCCESS,                 \
                 "clRelease" #kind)

/* ---- A launch ---------------------------------------------------------------------- */

static cl_int make_buffer(struct probe *probe, cl_mem *mem, void *bytes, size_t size)
{
    cl_int status;

    *mem = clCreateBuffer(probe->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size,
                          bytes, &status);
    return note(probe, status, "clCreateBuffer");
}

static cl_uint groups_of(const struct trial *trial, int kernel)
{
    cl_uint most = kernel == WORDS ? 2 * MOST_PAIRS : MOST_TURNS;
    cl_uint each = kernel == WORDS ? 2 * PAIRS : TURNS;

    return trial->units < most / each ? trial->units * each : most;
}

static cl_int make_launch(const struct trial *trial, struct batch *launch, int kernel,
                          cl_uint groups)
{
    struct probe *probe = trial->probe;
    size_t word = trial->memory->word_bits / 8;
    cl_int status;

    *launch = (struct batch){
        .kernel = kernel,
        .groups = groups,
        .size = LINE + groups * (kernel == WORDS ? LINE : word),
    };
    launch->words = clfold_alloc(launch->size);
    launch->reports = clfold_alloc(groups * sizeof(struct group_report));
    if (!launch->words || !launch->reports) {
        return note(probe, CL_OUT_OF_HOST_MEMORY, "allocating memory");
    }
    status = make_buffer(probe, &launch->words_mem, launch->words, launch->size);
    return status ? status
                  : make_buffer(probe, &launch->reports_mem, launch->reports,
                                groups * sizeof(struct group_report));
}

static cl_int set_args(const struct trial *trial, const struct batch *launch)
{
    const struct launch values = {
        .words = launch->words_mem,
        .reports = launch->reports_mem,
        .rounds = trial->rounds,
        .looks = trial->looks,
        .looks_heard = trial->looks_heard,
    };
    const struct param *param = clfold_kernel_params(names[launch->kernel]);
    cl_int status = CL_SUCCESS;

    for (cl_uint i = 0; status == CL_SUCCESS && param[i].kind; ++i) {
        const void *value = (const char *)&values + param[i].offset;
        const bool is_buffer = param[i].kind == PARAM_BUFFER;
        const cl_uint number = is_buffer ? 0 : (cl_uint) * (const uint64_t *)value;
        status = clSetKernelArg(trial->kernels[launch->kernel], i,
                                is_buffer ? sizeof(cl_mem) : sizeof(number),
                                is_buffer ? value : &number);
    }
    return note(trial->probe, status, "clSetKernelArg");
}

/* The queue is in order, so a read sees all that the kernel stored. */
static cl_int run_launch(struct trial *trial, const struct batch *launch)
{
    const size_t global = launch->groups, local = 1;
    struct probe *probe = trial->probe;
    uint64_t start = clfold_clock_ns();
    cl_int status = set_args(trial, launch);

    if (status) {
        return status;
    }
    status = clEnqueueNDRangeKernel(trial->queue, trial->kernels[launch->kernel], 1, NULL,
                                    &global, &local, 0, NULL, NULL);
    if (status) {
        return note(probe, status, "clEnqueueNDRangeKernel");
    }
    status = clEnqueueReadBuffer(trial->queue, launch->reports_mem, CL_TRUE, 0,
                                 launch->groups * sizeof(struct group_report),
                                 launch->reports, 0, NULL, NULL);
    if (status == CL_SUCCESS) {
        status = clEnqueueReadBuffer(trial->queue, launch->words_mem, CL_TRUE, 0,
                                     launch->size, launch->words, 0, NULL, NULL);
    } else {
        clFinish(trial->queue); /* it may still write the memory */
    }
    trial->spent += clfold_clock_ns() - start;
    return note(probe, status, "clEnqueueReadBuffer");
}

/* ---- What came of it --------------------------------------------------------------- */

/* The same as clfold_numbered of cl/probe.cl. */
static uint64_t numbered(const struct memory *memory, uint32_t number)
{
    uint32_t half = memory->word_bits / 2;
    uint64_t mask = (UINT64_C(1) << half) - 1;
    uint64_t upper = number & mask;

    return upper << half | ((upper * 0x9e3779b1u) & mask);
}

static uint64_t word_at(const struct memory *memory, const struct batch *launch,
                        size_t offset)
{
    const void *word = launch->words + offset;

    return memory->word_bits == 64 ? *(const uint64_t *)word : *(const uint32_t *)word;
}

/* Whether all words and the ticket counter have their final values. */
static bool are_there(const struct trial *trial, const struct batch *launch)
{
    const struct memory *memory = trial->memory;
    size_t word = memory->word_bits / 8;
    bool there = word_at(memory, launch, 0) == launch->groups;

    for (cl_uint g = 0; g < launch->groups; ++g) {
        bool pairs = launch->kernel == WORDS;
        cl_uint said = pairs && g % 2 == 0 ? SAID : 1;
        size_t at = LINE + g * (pairs ? LINE : word);
        uint64_t right = numbered(memory, pairs ? trial->rounds : g + 1);
        for (cl_uint i = 0; i < said; ++i) {
            there = there && word_at(memory, launch, at + i * word) == right;
        }
        there = there && launch->reports[g].ended == 1;
    }
    return there;
}

/* Runs a kernel. *fate stays as it is unless the tier is to be dropped. */
static cl_int try_kernel(struct trial *trial, int kernel, cl_uint groups,
                         enum tier_fate *fate)
{
    struct probe *probe = trial->probe;
    struct batch launch;
    cl_int status = make_launch(trial, &launch, kernel, groups);

    if (status == CL_SUCCESS) {
        status = run_launch(trial, &launch);
    }
    if (status == CL_SUCCESS && !are_there(trial, &launch)) {
        *fate = FATE_LOST;
    }
    for (cl_uint g = 0; status == CL_SUCCESS && g < groups; ++g) {
        trial->in_vain |= launch.reports[g].in_vain > 0;
        trial->met += launch.reports[g].met;
        *fate = launch.reports[g].wrong > 0 ? FATE_TORN : *fate;
    }
    RELEASE(probe, MemObject, launch.words_mem);
    RELEASE(probe, MemObject, launch.reports_mem);
    clfold_free(launch.words);
    clfold_free(launch.reports);
    return status;
}

/* Launches two groups of each kernel: some drivers compile only then. */
static cl_int rehearse(struct trial *trial, enum tier_fate *fate)
{
    cl_int status = CL_SUCCESS;

    trial->rounds = 1;
    trial->looks = trial->looks_heard = 1;
    for (int k = 0; k < KERNELS && status == CL_SUCCESS; ++k) {
        status = try_kernel(trial, k, 2, fate);
    }
    trial->rounds = ROUNDS;
    trial->spent = 0;
    return status;
}

/* Runs each kernel once, with `heard` looks for an answer. */
static cl_int try_once(struct trial *trial, uint64_t heard, enum tier_fate *fate)
{
    const uint64_t most = trial->probe->looks ? trial->probe->looks : UINT32_MAX;
    cl_int status = CL_SUCCESS;

    trial->looks_heard = (cl_uint)(heard < most ? heard : most);
    trial->looks = (cl_uint)(LONGER * heard < most ? LONGER * heard : most);
    trial->in_vain = false;
    for (int k = 0; k < KERNELS && status == CL_SUCCESS && *fate == FATE_TAKEN; ++k) {
        status = try_kernel(trial, k, groups_of(trial, k), fate);
    }
    return status;
}

/* Tries until two groups have met and none waited in vain, or there is no more time. */
static cl_int try_often(struct trial *trial, enum tier_fate *fate)
{
    int tries = trial->probe->tries ? trial->probe->tries : TRIES;
    uint64_t heard = LOOKS_HEARD;
    cl_int status = CL_SUCCESS;

    for (int i = 0; i < tries; ++i) {
        uint64_t before = trial->spent, took, left;
        status = try_once(trial, heard, fate);
        if (status != CL_SUCCESS || *fate != FATE_TAKEN ||
            (!trial->in_vain && trial->met > 0)) {
            break;
        }
        took = trial->spent - before;
        left = trial->spent < ENOUGH_NS ? ENOUGH_NS - trial->spent : 0;
        if (left <= took) {
            break;
        }
        heard *= left / (took + 1);
    }
    return status;
}

/* ---- A tier ------------------------------------------------------------------------ */

static cl_int build(struct trial *trial, enum memory_tier tier)
{
    struct probe *probe = trial->probe;
    struct text text = { 0 };
    cl_int status = CL_OUT_OF_HOST_MEMORY;

    clfold_assemble_probe(&text, tier, clfold_memory_fences(tier, probe->caps->fences),
                          SAID, probe->broken ? probe->broken[tier] : NULL);
    if (text.failed) {
        clfold_text_finish(&text);
        return note(probe, status, "assembling the probe's text");
    }
    trial->program = clCreateProgramWithSource(
        probe->context, 1, (const char **)&text.bytes, &text.length, &status);
    clfold_text_finish(&text);
    if (note(probe, status, "clCreateProgramWithSource") ||
        (status = note(probe,
                       clBuildProgram(trial->program, 1, &probe->device,
                                      probe->caps->options, NULL, NULL),
                       "clBuildProgram"))) {
        return status;
    }
    for (int k = 0; status == CL_SUCCESS && k < KERNELS; ++k) {
        trial->kernels[k] = clCreateKernel(trial->program, names[k], &status);
    }
    return note(probe, status, "clCreateKernel");
}

static cl_int start(struct trial *trial, enum memory_tier tier)
{
    struct probe *probe = trial->probe;
    cl_int status = note(probe,
                         clGetDeviceInfo(probe->device, CL_DEVICE_MAX_COMPUTE_UNITS,
                                         sizeof(trial->units), &trial->units, NULL),
                         "clGetDeviceInfo");

    /* Before the queue: a program that does not build needs none. */
    if (status || (status = build(trial, tier))) {
        return status;
    }
    trial->queue = clCreateCommandQueue(probe->context, probe->device, 0, &status);
    return note(probe, status, "clCreateCommandQueue");
}

cl_int clfold_probe_tier(struct probe *probe, enum memory_tier tier, enum tier_fate *fate,
                         bool *fair)
{
    struct trial trial = { .probe = probe, .memory = clfold_memory(tier) };
    cl_int status = start(&trial, tier);

    *fate = FATE_TAKEN;
    if (status == CL_SUCCESS) {
        status = rehearse(&trial, fate);
    }
    if (status == CL_SUCCESS && *fate == FATE_TAKEN) {
        status = try_often(&trial, fate);
    }
    for (int k = 0; k < KERNELS; ++k) {
        RELEASE(probe, Kernel, trial.kernels[k]);
    }
    RELEASE(probe, Program, trial.program);
    RELEASE(probe, CommandQueue, trial.queue);
    if (status == CL_BUILD_PROGRAM_FAILURE) {
        *fate = FATE_NOT_BUILT;
        status = CL_SUCCESS;
    } else if (status != CL_SUCCESS && status != CL_OUT_OF_HOST_MEMORY) {
        *fate = FATE_NOT_RUN;
        probe->failed_status = status;
        status = CL_SUCCESS;
    }
    *fair = !trial.in_vain && *fate == FATE_TAKEN;
    probe->launch_ns += trial.spent;
    probe->met += trial.met;
    return status;
}

cl_int clfold_probe(struct probe *probe, struct findings *findings)
{
    struct verdict *verdict = &findings->verdict;

    *findings = (struct findings){ 0 };
    for (int t = MEMORY_NONE + 1; t < CLFOLD_MEMORY_TIERS && !verdict->tier; ++t) {
        enum memory_tier tier = (enum memory_tier)t;
        bool fair;
        cl_int status;
        if (!probe->caps->offered[t]) {
            findings->fates[t] = FATE_NOT_OFFERED;
        } else if ((status =
                        clfold_probe_tier(probe, tier, &findings->fates[t], &fair))) {
            return status;
        } else if (findings->fates[t] == FATE_TAKEN) {
            *verdict =
                (struct verdict){ tier, fair,
                                  clfold_memory_fences(tier, probe->caps->fences) };
        }
    }
    return CL_SUCCESS;
}
