/* The places of a chart's labels. */
#include "chart.h"

#include "test.h"

#include <math.h>

enum { MOST = 60 };

/* `expected` are the places of lines 0, 1, ... */
static void check(size_t num, const double *wanted, double gap, const double *expected)
{
    struct chart_label labels[MOST];

    for (size_t i = 0; i < num; i++) {
        labels[i] = (struct chart_label){ .line = i, .wanted = wanted[i] };
    }
    chart_part_labels(labels, num, gap);
    for (size_t i = 0; i < num; i++) {
        const double place = expected[labels[i].line];
        if (!(fabs(labels[i].place - place) < 1e-12)) {
            fail_msg("line %zu of %zu at %g, not %g", labels[i].line, num,
                     labels[i].place, place);
        }
    }
}

static void places(void **state)
{
    (void)state;
    check(0, NULL, 0.1, NULL);
    check(1, (double[]){ 0.3 }, 0.1, (double[]){ 0.3 });
    /* far enough apart, in any order */
    check(3, (double[]){ 0.9, 0.1, 0.5 }, 0.1, (double[]){ 0.9, 0.1, 0.5 });
    /* both give way by as much; equal ones keep the order of their lines */
    check(2, (double[]){ 0.52, 0.48 }, 0.1, (double[]){ 0.55, 0.45 });
    check(2, (double[]){ 0.5, 0.5 }, 0.1, (double[]){ 0.45, 0.55 });
    /* two that part meet a third */
    check(3, (double[]){ 0.5, 0.5, 0.58 }, 0.1,
          (double[]){ 0.5 - 0.22 / 3, 0.5 + 0.08 / 3, 0.5 + 0.38 / 3 });
    /* and one that is far stays */
    check(3, (double[]){ 0.5, 0.5, 0.9 }, 0.1, (double[]){ 0.45, 0.55, 0.9 });
    /* neither below nor above the axes */
    check(2, (double[]){ 0, 0 }, 0.1, (double[]){ 0, 0.1 });
    check(3, (double[]){ 1, 0.99, 1.2 }, 0.1, (double[]){ 0.9, 0.8, 1 });
    /* more than there is room for */
    check(3, (double[]){ 0, 0, 1 }, 0.6, (double[]){ 0, 0.6, 1.2 });
}

static void many(void **state)
{
    struct chart_label labels[MOST];

    (void)state;
    srand(1);
    for (int round = 0; round < 200; round++) {
        const double gap = 1.0 / MOST / (1 + round % 3);
        for (size_t i = 0; i < MOST; i++) {
            labels[i] = (struct chart_label){ .line = i, .wanted = rand() % 100 / 99.0 };
        }
        chart_part_labels(labels, MOST, gap);
        for (size_t i = 0; i < MOST; i++) {
            assert_true(labels[i].place >= 0 && labels[i].place <= 1 + 1e-9);
            assert_true(i == 0 || labels[i].wanted >= labels[i - 1].wanted);
            assert_true(i == 0 || labels[i].place >= labels[i - 1].place + gap - 1e-9);
        }
    }
}

TEST_MAIN("chart", NULL, NULL, cmocka_unit_test(places), cmocka_unit_test(many))
