#include "pairwise.h"

#include "oracle.h"

#include <stdlib.h>
#include <string.h>

size_t pairs_add(struct pairs *pairs, size_t num_factors, const struct row *row)
{
    size_t num = 0;

    for (size_t a = 0; a < num_factors; ++a) {
        for (size_t b = a + 1; b < num_factors; ++b) {
            bool *pair = &pairs->has[a][b][row->level[a]][row->level[b]];
            num += !*pair;
            *pair = true;
        }
    }
    return num;
}

static size_t missing(const struct pairs *pairs, const struct factors *factors,
                      const struct row *row)
{
    size_t num = 0;

    for (size_t a = 0; a < factors->num; ++a) {
        for (size_t b = a + 1; b < factors->num; ++b) {
            num += !pairs->has[a][b][row->level[a]][row->level[b]];
        }
    }
    return num;
}

size_t pairs_count(const struct pairs *pairs)
{
    const bool *flags = &pairs->has[0][0][0][0];
    size_t num = 0;

    for (size_t i = 0; i < sizeof(*pairs); ++i) {
        num += flags[i];
    }
    return num;
}

/* The next row in counting order; false after the last. */
static bool step(const struct factors *factors, struct row *row)
{
    for (size_t f = 0; f < factors->num; ++f) {
        if (++row->level[f] < factors->levels[f]) {
            return true;
        }
        row->level[f] = 0;
    }
    return false;
}

static struct row *allowed_rows(const struct factors *factors, size_t *num)
{
    size_t all = 1;
    struct row row = { { 0 } };

    for (size_t f = 0; f < factors->num; ++f) {
        all *= factors->levels[f];
    }
    struct row *rows = malloc(all * sizeof(*rows));
    *num = 0;
    if (rows) {
        do {
            if (factors->allowed(factors->user, &row)) {
                rows[(*num)++] = row;
            }
        } while (step(factors, &row));
    }
    return rows;
}

size_t pairwise(const struct factors *factors, struct row *rows, size_t most,
                struct pairs *wanted)
{
    size_t num_all, num = 0, num_wanted = 0, num_done = 0;
    struct row *all = allowed_rows(factors, &num_all);
    struct pairs *done = calloc(1, sizeof(*done));
    uint64_t state = 1;

    memset(wanted, 0, sizeof(*wanted));
    for (size_t i = 0; all && i < num_all; ++i) {
        num_wanted += pairs_add(wanted, factors->num, &all[i]);
    }
    while (all && done && num_done < num_wanted && num < most) {
        size_t best = 0, best_new = 0, num_best = 0;
        for (size_t i = 0; i < num_all; ++i) {
            size_t is_new = missing(done, factors, &all[i]);
            if (is_new > best_new) {
                best_new = is_new;
                num_best = 0;
            }
            if (is_new == best_new && next_random(&state) % ++num_best == 0) {
                best = i;
            }
        }
        num_done += pairs_add(done, factors->num, &all[best]);
        rows[num++] = all[best];
    }
    free(all);
    free(done);
    return num_done == num_wanted ? num : 0;
}
