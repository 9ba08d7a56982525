/*
 * The read limit: a loop that does as little as it can to each number, on all threads.
 * Compiled with -ffast-math, which lets the compiler keep sums in vectors; so nothing in
 * this file may depend on nan, infinity or the order of additions.
 *
 *   a block:  a a a ...|b b b ...|c c c ...|d d d ...
 *
 * A block is read at four places at once: four chains hide the latency of a float add.
 * Sums of blocks are added in long double, so that their number costs no accuracy.
 */
#include "native.h"

#include <float.h>
#include <string.h>

/* SHARE: blocks that a thread takes at a time. Equal shares would make all wait for the
 * one whose core does something else as well. */
enum { BLOCK = 4096, QUARTER = BLOCK / 4, SHARE = 16 };

#define GREATER(x, y) ((x) > (y) ? (x) : (y))

/* clang-format takes a _Pragma and the loop after it for one statement. */
/* clang-format off */

/* `part` is the type of a block's sum, and `whole` that of all. */
#define DEFINE_ADD(name, element, part, whole)                                           \
    static whole name(const element *x, size_t count)                                    \
    {                                                                                    \
        const size_t blocks = count / BLOCK;                                             \
        whole total = 0;                                                                 \
                                                                                         \
        _Pragma("omp parallel for schedule(dynamic, SHARE) reduction(+ : total)")        \
        for (size_t i = 0; i < blocks; i++) {                                            \
            const element *const b = x + i * BLOCK;                                      \
            part s0 = 0, s1 = 0, s2 = 0, s3 = 0;                                         \
            _Pragma("omp simd reduction(+ : s0, s1, s2, s3)")                            \
            for (size_t j = 0; j < QUARTER; j++) {                                       \
                s0 += (part)b[j];                                                        \
                s1 += (part)b[QUARTER + j];                                              \
                s2 += (part)b[2 * QUARTER + j];                                          \
                s3 += (part)b[3 * QUARTER + j];                                          \
            }                                                                            \
            total += (whole)((s0 + s1) + (s2 + s3));                                     \
        }                                                                                \
        for (size_t i = blocks * BLOCK; i < count; i++) {                                \
            total += (whole)x[i];                                                        \
        }                                                                                \
        return total;                                                                    \
    }

#define DEFINE_MAX(name, element, least)                                                 \
    static element name(const element *x, size_t count)                                  \
    {                                                                                    \
        const size_t blocks = count / BLOCK;                                             \
        element most = least;                                                            \
                                                                                         \
        _Pragma("omp parallel for schedule(dynamic, SHARE) reduction(max : most)")       \
        for (size_t i = 0; i < blocks; i++) {                                            \
            const element *const b = x + i * BLOCK;                                      \
            element m0 = least, m1 = least, m2 = least, m3 = least;                      \
            _Pragma("omp simd reduction(max : m0, m1, m2, m3)")                          \
            for (size_t j = 0; j < QUARTER; j++) {                                       \
                m0 = GREATER(m0, b[j]);                                                  \
                m1 = GREATER(m1, b[QUARTER + j]);                                        \
                m2 = GREATER(m2, b[2 * QUARTER + j]);                                    \
                m3 = GREATER(m3, b[3 * QUARTER + j]);                                    \
            }                                                                            \
            m0 = GREATER(m0, m1);                                                        \
            m2 = GREATER(m2, m3);                                                        \
            m0 = GREATER(m0, m2);                                                        \
            most = GREATER(most, m0);                                                    \
        }                                                                                \
        for (size_t i = blocks * BLOCK; i < count; i++) {                                \
            most = GREATER(most, x[i]);                                                  \
        }                                                                                \
        return most;                                                                     \
    }

/* clang-format on */

/* A block of u8 fits in 32 bits, and signed integers wrap as unsigned ones. */
DEFINE_ADD(add_u8, uint8_t, uint32_t, uint64_t)
DEFINE_ADD(add_i32_u32, int32_t, uint32_t, uint32_t)
DEFINE_ADD(add_i32, int32_t, uint64_t, uint64_t)
DEFINE_ADD(add_i64, int64_t, uint64_t, uint64_t)
DEFINE_ADD(add_u64, uint64_t, uint64_t, uint64_t)
DEFINE_ADD(add_f32, float, float, long double)
DEFINE_ADD(add_f32_f64, float, double, long double)
DEFINE_ADD(add_f64, double, double, long double)
DEFINE_MAX(max_u8, uint8_t, 0)
DEFINE_MAX(max_i32, int32_t, INT32_MIN)
DEFINE_MAX(max_i64, int64_t, INT64_MIN)
DEFINE_MAX(max_u64, uint64_t, 0)
DEFINE_MAX(max_f32, float, -FLT_MAX)
DEFINE_MAX(max_f64, double, -DBL_MAX)

static struct total fold_max(enum type type, const void *data, size_t count)
{
    struct total total = { 0 };

    switch (type) {
    case TYPE_U8:
        total.integer = max_u8(data, count);
        break;
    case TYPE_I32:
        total.integer = (uint64_t)(int64_t)max_i32(data, count);
        break;
    case TYPE_I64:
        total.integer = (uint64_t)max_i64(data, count);
        break;
    case TYPE_U64:
        total.integer = max_u64(data, count);
        break;
    case TYPE_F32:
        total.real = (double)max_f32(data, count);
        break;
    default:
        total.real = max_f64(data, count);
        break;
    }
    return total;
}

static struct total fold_add(const struct fold *fold, const void *data, size_t count)
{
    struct total total = { 0 };

    switch (fold->type) {
    case TYPE_U8:
        total.integer = add_u8(data, count);
        break;
    case TYPE_I32:
        total.integer =
            fold->acc == TYPE_I32 ? add_i32_u32(data, count) : add_i32(data, count);
        break;
    case TYPE_I64:
        total.integer = add_i64(data, count);
        break;
    case TYPE_U64:
        total.integer = add_u64(data, count);
        break;
    case TYPE_F32:
        total.real = fold->acc == TYPE_F32 ? (double)add_f32(data, count)
                                           : (double)add_f32_f64(data, count);
        break;
    default:
        total.real = (double)add_f64(data, count);
        break;
    }
    return total;
}

struct total loop_fold(const struct fold *fold, const void *data, size_t count)
{
    return fold->max ? fold_max(fold->type, data, count) : fold_add(fold, data, count);
}

void loop_touch(void *data, size_t bytes)
{
    enum { PAGE = 4096 };
    const size_t pages = bytes / PAGE;
    char *const at = data;

#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < pages; i++) {
        memset(at + i * PAGE, 0, PAGE);
    }
    memset(at + pages * PAGE, 0, bytes % PAGE);
}
