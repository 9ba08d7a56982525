#include "rounded_subjects.h"

#include "test.h"

#define COUNT 5000

static void fill_sums(void *elements, size_t count, uint64_t seed)
{
    cl_float *x = elements;

    for (size_t i = 0; i < count; ++i) {
        x[i] = (cl_float)draw(&seed, 1000000) / 7 - 60000;
    }
}

static bool is_near(const void *a, const void *b)
{
    const cl_float *x = a, *y = b, d = *x - *y;

    return d * d <= 1e-6f * (1e6f + *x * *x);
}

struct moments {
    cl_ulong count;
    cl_float mean, m2;
};

static bool are_near(const void *a, const void *b)
{
    const struct moments *x = a, *y = b;

    return x->count == y->count && is_near(&x->mean, &y->mean) && is_near(&x->m2, &y->m2);
}

#define F32(...) .fold = { .type = CLFOLD_F32, __VA_ARGS__ }, .fill = fill_sums
#define SUM(...) F32(.op = CLFOLD_ADD, __VA_ARGS__), .size = sizeof(cl_float)

static const struct subject sum = { SUM(.name = "sum"), .same = is_near };
static const struct subject compensated = {
    SUM(.name = "compensated", .accuracy = CLFOLD_COMPENSATED), .same = is_near
};
static const struct subject reproducible = { SUM(.name = "reproducible",
                                                 .accuracy = CLFOLD_REPRODUCIBLE) };
static const struct subject moments = { F32(.name = "moments", .op = CLFOLD_MOMENTS),
                                        .size = sizeof(struct moments),
                                        .in_size = sizeof(cl_float), .same = are_near };

struct trial rounded_trial(size_t k, size_t parts, uint64_t seed)
{
    static const struct subject *const subjects[] = { &sum, &compensated, &moments,
                                                      &reproducible };
    static unsigned char results[COUNT * sizeof(struct moments)];
    const struct ranks *const ranks = trial_ranks;
    struct trial trial = {
        .subject = subjects[k / 4],
        .operation = k % 4 == 0 ? CLFOLD_REDUCE : scan_of(k % 4 == 2),
        .by = k % 4 == 3 ? CLFOLD_BY_FLAGS : 0,
        .head_type = k % 4 == 3 ? CLFOLD_U8 : 0,
        .count = COUNT,
        .unknown = true,
        .seed = seed,
    };

    trial_ranks = NULL;
    assert_true(trial_check(&trial, results));
    trial_ranks = ranks;
    trial.unknown = false;
    trial.expected = results;
    trial.parts = parts;
    return trial;
}
