/* Loops on all cores by OpenMP, without OpenCL, that only read memory or copy it: what
 * kernels that do the same are compared with on a CPU. It runs on every machine of the
 * architecture; vectors are of 64 bytes where the processor has them, which two cores
 * need to read as fast as a kernel that is compiled for them does. */
#include "program.h"

/* PIECE: lines that a thread takes at a time, 64 KiB; AHEAD: how far it prefetches. */
enum { WORDS = 8, PIECE = 1024, AHEAD = 64 };
enum way { READS, COPIES, STREAMS };
typedef uint64_t line __attribute__((vector_size(64)));

static const char *const names[] = { "read plain",    "read prefetched",
                                     "copy plain",    "copy prefetched",
                                     "copy streamed", "copy streamed_prefetched" };

#ifdef __x86_64__
#include <immintrin.h>

enum { NUM_CALLS = 6 };
#define CLONES __attribute__((target_clones("avx512f", "default")))

static inline void stream(line *to, const line *from)
{
    for (int i = 0; i < 4; i++) {
        _mm_stream_si128((__m128i *)to + i, _mm_load_si128((const __m128i *)from + i));
    }
}
#else
enum { NUM_CALLS = 4 };
#define CLONES

static inline void stream(line *to, const line *from)
{
    *to = *from;
}
#endif

/* Inlined where its first arguments are constants. */
static inline __attribute__((always_inline)) uint64_t
visit(enum way way, bool ahead, const line *in, line *out, size_t num, size_t times)
{
    line sum = { 0 };

    for (size_t i = 0; i < num; i++) {
        if (ahead) {
            __builtin_prefetch(in + i + AHEAD, 0, 3);
        }
        if (way == READS) {
            sum ^= in[i];
        }
        for (size_t j = 0; way == COPIES && j < times; j++) {
            out[i * times + j] = in[i];
        }
        for (size_t j = 0; way == STREAMS && j < times; j++) {
            stream(out + i * times + j, in + i);
        }
    }
    for (int j = 1; j < WORDS; j++) {
        sum[0] ^= sum[j];
    }
    return sum[0];
}

CLONES static uint64_t pass(size_t number, const line *in, line *out, size_t num,
                            size_t times)
{
    return number == 0   ? visit(READS, false, in, out, num, times)
           : number == 1 ? visit(READS, true, in, out, num, times)
           : number == 2 ? visit(COPIES, false, in, out, num, times)
           : number == 3 ? visit(COPIES, true, in, out, num, times)
           : number == 4 ? visit(STREAMS, false, in, out, num, times)
                         : visit(STREAMS, true, in, out, num, times);
}

/* ---- The program ---- */

static struct call {
    size_t number, times;
} calls[LAB_CALLS];
static volatile uint64_t seen; /* so that no compiler drops a loop */

static void open_native(const char *device)
{
    (void)device;
    lab_runs_on("host", -1, "", "", true);
    lab_put_calls(names, NUM_CALLS);
}

static bool open_call(unsigned id, const char *tuning, int num_words, char **words)
{
    struct call *const call = &calls[id];

    (void)tuning;
    call->number = lab_find_call(names, NUM_CALLS, num_words, words, &call->times);
    return call->number < NUM_CALLS;
}

static void make_call(unsigned id, size_t set)
{
    const struct call call = calls[id];
    const line *const from = lab_data.sets[set].in[lab_in("in")];
    line *const to = lab_data.sets[set].out[lab_out("out")];
    const size_t lines =
        (lab_data.in[lab_in("in")].size + sizeof(line) - 1) / sizeof(line);
    uint64_t sum = 0;

    if (!to && call.number > 1) {
        lab_fail("%s has no output out", names[call.number]);
    }
#pragma omp parallel for schedule(dynamic, 4) reduction(^ : sum)
    for (size_t first = 0; first < lines; first += PIECE) {
        const size_t num = lines - first < PIECE ? lines - first : PIECE;
        line *const part = to ? to + first * call.times : NULL;
        sum ^= pass(call.number, from + first, part, num, call.times);
    }
    seen ^= sum;
}

int main(int argc, char **argv)
{
    static const struct lab_program program = {
        .name = "native", .call = open_call, .make = make_call, .open = open_native
    };

    return lab_main(argc, argv, &program);
}
