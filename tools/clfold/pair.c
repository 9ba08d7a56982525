#include "pair.h"

#include "clock.h"

bool pair_round(struct pair *pair, pair_time *time, void *user)
{
    const size_t i = pair->num;
    const bool b_first = i % 2 != 0;
    double first, second;

    if (!time(user, b_first, &first) || !time(user, !b_first, &second)) {
        return false;
    }
    pair->a[i] = b_first ? second : first;
    pair->b[i] = b_first ? first : second;
    pair->num++;
    return true;
}

/* Each ratio is below the median or above it, as a coin falls: of n, n / 2 are below, and
 * in 19 of 20 cases no more than the square root of n away from that. */
struct pair_ratio pair_ratio(const struct pair *pair)
{
    const size_t num = pair->num;
    double ratios[PAIR_MOST] = { 0 };
    size_t out = 0; /* beyond either bound */

    for (size_t i = 0; i < num; i++) {
        ratios[i] = pair->a[i] / pair->b[i];
    }
    for (size_t within = num; within >= 2 && (within - 2) * (within - 2) >= 4 * num;) {
        within -= 2;
        out++;
    }
    const double median = clock_median(ratios, num);
    return (struct pair_ratio){ median, ratios[out], ratios[num - 1 - out] };
}
