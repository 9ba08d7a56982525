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

struct line {
    uint64_t words[WORDS];
};

#define INLINE static inline __attribute__((always_inline))

typedef void put_function(struct line *to, const struct line *from);

INLINE void put(struct line *to, const struct line *from)
{
    *to = *from;
}

/* Each loop is inlined where its arguments are constants. */
INLINE uint64_t read_lines(bool ahead, const struct line *in, size_t num)
{
    uint64_t sums[WORDS] = { 0 }, sum = 0;

    for (size_t i = 0; i < num; i++) {
        if (ahead) {
            __builtin_prefetch(in + i + AHEAD, 0, 3);
        }
        for (int j = 0; j < WORDS; j++) {
            sums[j] ^= in[i].words[j];
        }
    }
    for (int j = 0; j < WORDS; j++) {
        sum ^= sums[j];
    }
    return sum;
}

INLINE void copy_lines(bool ahead, put_function *store, const struct line *in,
                       struct line *out, size_t num, size_t times)
{
    for (size_t i = 0; i < num; i++) {
        if (ahead) {
            __builtin_prefetch(in + i + AHEAD, 0, 3);
        }
        for (size_t j = 0; j < times; j++) {
            store(out + i * times + j, in + i);
        }
    }
}

static const char *const ways[] = { "read plain",    "read prefetched",
                                    "copy plain",    "copy prefetched",
                                    "copy streamed", "copy streamed_prefetched" };

INLINE uint64_t pass(size_t way, put_function *stream, const struct line *in,
                     struct line *out, size_t num, size_t times)
{
    switch (way) {
    case 0:
        return read_lines(false, in, num);
    case 1:
        return read_lines(true, in, num);
    case 2:
        copy_lines(false, put, in, out, num, times);
        break;
    case 3:
        copy_lines(true, put, in, out, num, times);
        break;
    case 4:
        copy_lines(false, stream, in, out, num, times);
        break;
    default:
        copy_lines(true, stream, in, out, num, times);
        break;
    }
    return 0;
}

#ifdef __x86_64__
#include <immintrin.h>

enum { NUM_WAYS = 6 };
#define WIDE    __attribute__((target("avx512f")))
#define IS_WIDE __builtin_cpu_supports("avx512f")

INLINE void stream(struct line *to, const struct line *from)
{
    for (int i = 0; i < WORDS; i += 2) {
        _mm_stream_si128((__m128i *)(void *)&to->words[i],
                         _mm_load_si128((const __m128i *)(const void *)&from->words[i]));
    }
}

WIDE static inline void stream_wide(struct line *to, const struct line *from)
{
    _mm512_stream_si512((void *)to, _mm512_load_si512((const void *)from));
}
#else
enum { NUM_WAYS = 4 };
#define WIDE
#define IS_WIDE     false
#define stream      put
#define stream_wide put
#endif

WIDE static uint64_t pass_wide(size_t way, const struct line *in, struct line *out,
                               size_t num, size_t times)
{
    return pass(way, stream_wide, in, out, num, times);
}

static uint64_t pass_narrow(size_t way, const struct line *in, struct line *out,
                            size_t num, size_t times)
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

static void make_data(const struct lab_data *data)
{
    const struct lab_array *const array = lab_in(data, "in"), *const result =
                                                                  lab_out(data, "out");

    if (!array) {
        lab_fail("data: there is no in");
    }
    sets = lab_host_sets(data);
    in = (size_t)(array - data->in);
    out = result ? (size_t)(result - data->out) : 0;
    lines = (array->size + sizeof(struct line) - 1) / sizeof(struct line);
    room = result ? (result->size + sizeof(struct line) - 1) / sizeof(struct line) : 0;
}

/* read WAY, or copy WAY [TIMES] */
static bool open_call(unsigned id, const char *tuning, int num_words, char **words)
{
    struct call *const call = &calls[id];
    char name[64];

    (void)tuning;
    snprintf(name, sizeof(name), "%s %s", words[0], num_words > 1 ? words[1] : "");
    call->times = num_words == 3 ? strtoul(words[2], NULL, 10) : 1;
    for (call->way = 0; call->way < NUM_WAYS; call->way++) {
        if (strcmp(ways[call->way], name) == 0) {
            break;
        }
    }
    const bool copies = *name == 'c';
    return (call->way < NUM_WAYS && num_words <= 2 + copies && call->times > 0 &&
            (!copies || room / call->times >= lines)) ||
           lab_refuse("there is no %s of that data", name);
}

static void make_call(unsigned id, size_t set)
{
    const struct call call = calls[id];
    const struct line *const from = sets[set].in[in];
    struct line *const to = sets[set].out[out];
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

static void close_native(void)
{
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
        .close = close_native,
    };

    return lab_main(argc, argv, &program);
}
