/* Compiled with OpenMP where the compiler has it. For every machine of the architecture:
 * vectors of 16 bytes are enough to wait for memory. */
#include "bench_native.h"

#ifdef _OPENMP

#include <omp.h>
#include <time.h>

#ifdef __SSE2__
#include <emmintrin.h>
enum { CAN_STREAM = 1 };
#else
enum { CAN_STREAM = 0 };
#endif

/* PIECE: lines that a thread takes at a time, 64 KiB; AHEAD: how far it prefetches. */
enum { WORDS = 8, PIECE = 1024, AHEAD = 64 };

struct line {
    uint64_t words[WORDS];
};

static inline void prefetch(const struct line *line)
{
#ifdef __GNUC__
    __builtin_prefetch(line, 0, 3);
#else
    (void)line;
#endif
}

static inline void stream(struct line *to, const struct line *from)
{
#ifdef __SSE2__
    for (int i = 0; i < WORDS; i += 2) {
        _mm_stream_si128((__m128i *)(void *)&to->words[i],
                         _mm_load_si128((const __m128i *)(const void *)&from->words[i]));
    }
#else
    *to = *from;
#endif
}

bool bench_native_has(enum bench_way way)
{
    return way <= WAY_PREFETCHED || (CAN_STREAM && way <= WAY_STREAMED_PREFETCHED);
}

void bench_native_begin(void)
{
    /* starts them */
#pragma omp parallel
    {
    }
}

void bench_native_end(void)
{
#ifdef HAVE_OMP_PAUSE
    omp_pause_resource_all(omp_pause_soft);
#else
    /* longer than a thread waits before it sleeps */
    nanosleep(&(const struct timespec){ .tv_nsec = 30 * 1000 * 1000 }, NULL);
#endif
}

static uint64_t read_piece(bool ahead, const struct line *in, size_t num)
{
    uint64_t sums[WORDS] = { 0 }, sum = 0;

    for (size_t i = 0; i < num; i++) {
        if (ahead) {
            prefetch(in + i + AHEAD);
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

/* Each way is a loop of its own: these are inlined with constants. */
static inline void copy_piece(bool ahead, bool streams, const struct line *in,
                              struct line *out, size_t num, size_t times)
{
    for (size_t i = 0; i < num; i++) {
        if (ahead) {
            prefetch(in + i + AHEAD);
        }
        for (size_t j = 0; j < times; j++) {
            if (streams) {
                stream(out + i * times + j, in + i);
            } else {
                out[i * times + j] = in[i];
            }
        }
    }
}

static void copy_by(enum bench_way way, const struct line *in, struct line *out,
                    size_t num, size_t times)
{
    switch (way) {
    case WAY_PREFETCHED:
        copy_piece(true, false, in, out, num, times);
        break;
    case WAY_STREAMED:
        copy_piece(false, true, in, out, num, times);
        break;
    case WAY_STREAMED_PREFETCHED:
        copy_piece(true, true, in, out, num, times);
        break;
    default:
        copy_piece(false, false, in, out, num, times);
        break;
    }
}

static size_t piece_at(size_t first, size_t num)
{
    return num - first < PIECE ? num - first : PIECE;
}

uint64_t bench_native_read(enum bench_way way, const void *in, size_t bytes)
{
    const struct line *const lines = in;
    const size_t num = bytes / sizeof(struct line);
    uint64_t sum = 0;

#pragma omp parallel for schedule(dynamic, 4) reduction(^ : sum)
    for (size_t first = 0; first < num; first += PIECE) {
        const size_t piece = piece_at(first, num);
        sum ^= way == WAY_PREFETCHED ? read_piece(true, lines + first, piece)
                                     : read_piece(false, lines + first, piece);
    }
    return sum;
}

void bench_native_copy(enum bench_way way, const void *in, void *out, size_t bytes,
                       size_t times)
{
    const struct line *const from = in;
    struct line *const to = out;
    const size_t num = bytes / sizeof(struct line);

#pragma omp parallel for schedule(dynamic, 4)
    for (size_t first = 0; first < num; first += PIECE) {
        copy_by(way, from + first, to + first * times, piece_at(first, num), times);
    }
}

#else

bool bench_native_has(enum bench_way way)
{
    (void)way;
    return false;
}

void bench_native_begin(void)
{
}

void bench_native_end(void)
{
}

uint64_t bench_native_read(enum bench_way way, const void *in, size_t bytes)
{
    (void)way;
    (void)in;
    (void)bytes;
    return 0;
}

void bench_native_copy(enum bench_way way, const void *in, void *out, size_t bytes,
                       size_t times)
{
    (void)way;
    (void)in;
    (void)out;
    (void)bytes;
    (void)times;
}

#endif
