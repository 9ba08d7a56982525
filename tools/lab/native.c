/* Loops on all cores by OpenMP, without OpenCL, that only read memory or copy it: what
 * kernels that do the same are compared with on a CPU. It runs on every machine of the
 * architecture; vectors are of 64 bytes where the processor has them, which two cores
 * need to read as fast as a kernel that is compiled for them does. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* PIECE: lines that a thread takes at a time, 64 KiB; AHEAD: how far it prefetches. */
enum { WORDS = 8, PIECE = 1024, AHEAD = 64 };
typedef uint64_t line __attribute__((vector_size(64)));
typedef void put_function(line *to, const line *from);

#define INLINE static inline __attribute__((always_inline))

INLINE void put(line *to, const line *from)
{
    *to = *from;
}

/* Inlined where its first arguments are constants. It reads if there is no store. */
INLINE uint64_t visit(bool ahead, put_function *store, const line *in, line *out,
                      size_t num, size_t times)
{
    line sum = { 0 };

    for (size_t i = 0; i < num; i++) {
        if (ahead) {
            __builtin_prefetch(in + i + AHEAD, 0, 3);
        }
        if (!store) {
            sum ^= in[i];
        }
        for (size_t j = 0; store && j < times; j++) {
            store(out + i * times + j, in + i);
        }
    }
    for (int j = 1; j < WORDS; j++) {
        sum[0] ^= sum[j];
    }
    return sum[0];
}

static const char *const ways[] = { "read plain",    "read prefetched",
                                    "copy plain",    "copy prefetched",
                                    "copy streamed", "copy streamed_prefetched" };

INLINE uint64_t pass(size_t way, put_function *stream, const line *in, line *out,
                     size_t num, size_t times)
{
    return way == 0   ? visit(false, NULL, in, out, num, times)
           : way == 1 ? visit(true, NULL, in, out, num, times)
           : way == 2 ? visit(false, put, in, out, num, times)
           : way == 3 ? visit(true, put, in, out, num, times)
           : way == 4 ? visit(false, stream, in, out, num, times)
                      : visit(true, stream, in, out, num, times);
}

#ifdef __x86_64__
#include <immintrin.h>

enum { NUM_WAYS = 6 };
#define WIDE    __attribute__((target("avx512f")))
#define IS_WIDE __builtin_cpu_supports("avx512f")

INLINE void stream(line *to, const line *from)
{
    for (int i = 0; i < 4; i++) {
        _mm_stream_si128((__m128i *)to + i, _mm_load_si128((const __m128i *)from + i));
    }
}

WIDE static inline void stream_wide(line *to, const line *from)
{
    _mm512_stream_si512((void *)to, _mm512_load_si512(from));
}
#else
enum { NUM_WAYS = 4 };
#define WIDE
#define IS_WIDE     false
#define stream      put
#define stream_wide put
#endif

WIDE static uint64_t pass_wide(size_t way, const line *in, line *out, size_t num,
                               size_t times)
{
    return pass(way, stream_wide, in, out, num, times);
}

static uint64_t pass_narrow(size_t way, const line *in, line *out, size_t num,
                            size_t times)
{
    return pass(way, stream, in, out, num, times);
}

/* ---- The program ---- */

static struct call {
    size_t way, times;
} calls[LAB_CALLS];
static const struct lab_set *sets;
static size_t in, out, lines, room;
static volatile uint64_t seen; /* so that no compiler drops a loop */

static void open_native(const char *device)
{
    (void)device;
    lab_runs_on("host", -1, "", "", true);
}

static const char *has(size_t index)
{
    return index < NUM_WAYS ? ways[index] : NULL;
}

static size_t lines_of(const struct lab_array *array)
{
    return array ? (array->size + sizeof(line) - 1) / sizeof(line) : 0;
}

static void make_data(const struct lab_data *data)
{
    const struct lab_array *const result = lab_out(data, "out");

    lines = lines_of(lab_in(data, "in"));
    if (lines == 0) {
        lab_fail("data: there is no in");
    }
    sets = lab_host_sets(data);
    in = (size_t)(lab_in(data, "in") - data->in);
    room = lines_of(result);
    out = result ? (size_t)(result - data->out) : 0;
}

/* read WAY, or copy WAY [TIMES] */
static bool open_call(unsigned id, const char *tuning, int num_words, char **words)
{
    struct call *const call = &calls[id];
    char name[64];

    (void)tuning;
    snprintf(name, sizeof(name), "%s %s", words[0], num_words > 1 ? words[1] : "");
    call->times = num_words == 3 ? strtoul(words[2], NULL, 10) : 1;
    call->way = 0;
    while (call->way < NUM_WAYS && strcmp(ways[call->way], name) != 0) {
        call->way++;
    }
    const bool copies = *name == 'c';
    return (call->way < NUM_WAYS && num_words <= 2 + copies && call->times > 0 &&
            (!copies || room / call->times >= lines)) ||
           lab_refuse("there is no %s of that data", name);
}

static void make_call(unsigned id, size_t set)
{
    const struct call call = calls[id];
    const line *const from = sets[set].in[in];
    line *const to = sets[set].out[out];
    const bool wide = IS_WIDE;
    uint64_t sum = 0;

#pragma omp parallel for schedule(dynamic, 4) reduction(^ : sum)
    for (size_t first = 0; first < lines; first += PIECE) {
        const size_t num = lines - first < PIECE ? lines - first : PIECE;
        sum ^= (wide ? pass_wide : pass_narrow)(call.way, from + first,
                                                to + first * call.times, num, call.times);
    }
    seen ^= sum;
}

int main(int argc, char **argv)
{
    static const struct lab_program program = {
        .name = "native",
        .open = open_native,
        .has = has,
        .data = make_data,
        .call = open_call,
        .make = make_call,
        .spoil = lab_host_spoil,
        .read = lab_host_read,
    };

    return lab_main(argc, argv, &program);
}
