/* Compiled with OpenMP where the compiler has it. Runs on every machine of the
 * architecture; vectors are of 64 bytes where the processor has them, which two cores
 * need to read as fast as a kernel that is compiled for them does. */
#include "bench_native.h"

#ifdef _OPENMP

#include <omp.h>
#include <time.h>

/* PIECE: lines that a thread takes at a time, 64 KiB; AHEAD: how far it prefetches. */
enum { WORDS = 8, PIECE = 1024, AHEAD = 64 };

struct line {
    uint64_t words[WORDS];
};

#ifdef __GNUC__
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

INLINE void prefetch(const struct line *line)
{
#ifdef __GNUC__
    __builtin_prefetch(line, 0, 3);
#else
    (void)line;
#endif
}

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

INLINE void copy_lines(bool ahead, put_function *store, const struct line *in,
                       struct line *out, size_t num, size_t times)
{
    for (size_t i = 0; i < num; i++) {
        if (ahead) {
            prefetch(in + i + AHEAD);
        }
        for (size_t j = 0; j < times; j++) {
            store(out + i * times + j, in + i);
        }
    }
}

INLINE uint64_t read_by(enum bench_way way, const struct line *in, size_t num)
{
    return way == WAY_PREFETCHED ? read_lines(true, in, num) : read_lines(false, in, num);
}

INLINE void copy_by(enum bench_way way, put_function *stream, const struct line *in,
                    struct line *out, size_t num, size_t times)
{
    switch (way) {
    case WAY_PREFETCHED:
        copy_lines(true, put, in, out, num, times);
        break;
    case WAY_STREAMED:
        copy_lines(false, stream, in, out, num, times);
        break;
    case WAY_STREAMED_PREFETCHED:
        copy_lines(true, stream, in, out, num, times);
        break;
    default:
        copy_lines(false, put, in, out, num, times);
        break;
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

enum { CAN_STREAM = 1 };
#define WIDE __attribute__((target("avx512f")))

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

WIDE static uint64_t read_wide(enum bench_way way, const struct line *in, size_t num)
{
    return read_by(way, in, num);
}

WIDE static void copy_wide(enum bench_way way, const struct line *in, struct line *out,
                           size_t num, size_t times)
{
    copy_by(way, stream_wide, in, out, num, times);
}

static bool is_wide(void)
{
    return __builtin_cpu_supports("avx512f");
}

#else

enum { CAN_STREAM = 0 };
#define read_wide read_narrow
#define copy_wide copy_narrow
#define stream    put

static bool is_wide(void)
{
    return false;
}

#endif

static uint64_t read_narrow(enum bench_way way, const struct line *in, size_t num)
{
    return read_by(way, in, num);
}

static void copy_narrow(enum bench_way way, const struct line *in, struct line *out,
                        size_t num, size_t times)
{
    copy_by(way, stream, in, out, num, times);
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

static size_t piece_at(size_t first, size_t num)
{
    return num - first < PIECE ? num - first : PIECE;
}

uint64_t bench_native_read(enum bench_way way, const void *in, size_t bytes)
{
    const struct line *const lines = in;
    const size_t num = bytes / sizeof(struct line);
    const bool wide = is_wide();
    uint64_t sum = 0;

#pragma omp parallel for schedule(dynamic, 4) reduction(^ : sum)
    for (size_t first = 0; first < num; first += PIECE) {
        const size_t piece = piece_at(first, num);
        sum ^= (wide ? read_wide : read_narrow)(way, lines + first, piece);
    }
    return sum;
}

void bench_native_copy(enum bench_way way, const void *in, void *out, size_t bytes,
                       size_t times)
{
    const struct line *const from = in;
    struct line *const to = out;
    const size_t num = bytes / sizeof(struct line);
    const bool wide = is_wide();

#pragma omp parallel for schedule(dynamic, 4)
    for (size_t first = 0; first < num; first += PIECE) {
        (wide ? copy_wide : copy_narrow)(way, from + first, to + first * times,
                                         piece_at(first, num), times);
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
