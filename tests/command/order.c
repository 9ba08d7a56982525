/* Fortran order into C order, against indices that are computed one by one. */
#include "order.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* Where the element at place `c` of C order lies in Fortran order. */
static size_t fortran_place(size_t c, const uint64_t *shape, int num_dimensions)
{
    size_t index[8] = { 0 }, place = 0;

    for (int d = num_dimensions - 1; d >= 0; d--) {
        index[d] = c % (size_t)shape[d];
        c /= (size_t)shape[d];
    }
    for (int d = num_dimensions - 1; d >= 0; d--) {
        place = place * (size_t)shape[d] + index[d];
    }
    return place;
}

static void check(size_t size, const uint64_t *shape, int num_dimensions)
{
    size_t count = 1;

    for (int d = 0; d < num_dimensions; d++) {
        count *= (size_t)shape[d];
    }
    unsigned char *const in = malloc(count * size), *const out = malloc(count * size);
    assert_non_null(in);
    assert_non_null(out);
    for (size_t i = 0; i < count * size; i++) {
        in[i] = (unsigned char)(i * 131 >> 3);
    }
    /* at once, one by one, and in parts that end inside rows */
    const size_t parts[] = { count, 1, 7 };
    for (size_t p = 0; p < 3; p++) {
        struct order order;
        memset(out, 0, count * size);
        order_init(&order, shape, num_dimensions);
        for (size_t at = 0, part; at < count; at += part) {
            part = count - at < parts[p] ? count - at : parts[p];
            order_next(&order, out + at * size, in, size, part);
        }
        for (size_t i = 0; i < count; i++) {
            assert_memory_equal(out + i * size,
                                in + fortran_place(i, shape, num_dimensions) * size,
                                size);
        }
    }
    free(in);
    free(out);
}

static void shapes(void **state)
{
    static const uint64_t all[][5] = {
        { 2, 3 },       { 3, 2 },          { 100, 7 },     { 7, 100 },        { 2, 3, 4 },
        { 5, 2, 3, 2 }, { 2, 2, 2, 2, 3 }, { 1, 3, 1, 2 }, { 3, 1, 1, 1, 2 }, { 1000 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        int num_dimensions = 0;
        while (num_dimensions < 5 && all[i][num_dimensions]) {
            num_dimensions++;
        }
        /* numbers', and a struct's */
        for (size_t size = 1; size <= 8; size *= 2) {
            check(size, all[i], num_dimensions);
            check(3 * size, all[i], num_dimensions);
        }
    }
}

static void drawn(void **state)
{
    static const uint64_t shape[] = { 2, 3 };
    char out[6];

    (void)state;
    struct order order;
    order_init(&order, shape, 2);
    order_next(&order, out, "adbecf", 1, 6);
    assert_memory_equal(out, "abcdef", 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),
        cmocka_unit_test(drawn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
