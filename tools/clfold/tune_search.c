#include "tune_search.h"

#include "clock.h"

#include <string.h>

/* ---- Values ------------------------------------------------------------------------ */

/* Powers of `step` from `least` to `most`, which the device may narrow. */
static const struct range {
    uint64_t least, most, step;
} ranges[TUNED_NUM] = {
    [TUNED_TILE] = { 0, 0, 0 }, /* another tile comes with numbers of its own */
    [TUNED_TILE_BYTES] = { 1 << 10, 4 << 20, 2 },
    [TUNED_GROUP_SIZE] = { 32, 1024, 2 },
    [TUNED_GROUPS] = { 16, 16384, 2 },
    [TUNED_LANE_BYTES] = { 16, 256 << 10, 4 },
    [TUNED_ANCHOR] = { 1, 256, 4 },
    [TUNED_AHEAD_BYTES] = { 1 << 10, 64 << 10, 4 }, /* and 0 */
    [TUNED_STREAM_BYTES] = { 0, 0, 0 },
};

static void insert(uint64_t values[TUNE_VALUES], uint32_t *num, uint64_t value)
{
    uint32_t i = *num;

    for (uint32_t k = 0; k < *num; ++k) {
        if (values[k] == value) {
            return;
        }
    }
    if (*num == TUNE_VALUES) {
        return;
    }
    for (; i > 0 && values[i - 1] > value; --i) {
        values[i] = values[i - 1];
    }
    values[i] = value;
    ++*num;
}

/* Past the caches from the class's first count on, or never: a limit above every output,
 * since 0 would change how the kernel stores as well. Limits between the two are left to
 * the policy. */
#define NEVER_STREAM (UINT64_C(1) << 62)

static void insert_stream(const struct tune_space *space, uint64_t now,
                          uint64_t values[TUNE_VALUES], uint32_t *num)
{
    bool never = now == 0 || now > space->most_bytes;
    bool always = now != 0 && now <= space->least_bytes;

    if (!never) {
        insert(values, num, NEVER_STREAM);
    }
    if (!always) {
        insert(values, num, space->least_bytes > 0 ? space->least_bytes : 1);
    }
}

uint32_t tune_values(const struct tune_space *space, const struct tuned_numbers *at,
                     enum tuned which, uint64_t values[TUNE_VALUES])
{
    const struct range *range = &ranges[which];
    /* a group's tile only has work-items, and a vector's only a way to load and store */
    bool is_fixed = which == TUNED_GROUP_SIZE
                        ? at->values[TUNED_TILE] != TILE_GROUP
                        : (which == TUNED_AHEAD_BYTES || which == TUNED_STREAM_BYTES) &&
                              at->values[TUNED_TILE] != TILE_VECTOR;
    uint32_t num = 0;

    if (!tuned_have(at, which)) {
        return 0;
    }
    insert(values, &num, at->values[which]);
    if (is_fixed) {
        return num;
    }
    if (which == TUNED_AHEAD_BYTES) {
        insert(values, &num, 0);
    }
    if (which == TUNED_STREAM_BYTES) {
        insert_stream(space, at->values[which], values, &num);
    }
    uint64_t most = range->most;
    if (which == TUNED_AHEAD_BYTES && most > at->values[TUNED_TILE_BYTES]) {
        most = at->values[TUNED_TILE_BYTES]; /* more is the same */
    }
    for (uint64_t v = range->least; v > 0 && v <= most; v *= range->step) {
        insert(values, &num, v);
    }
    return num;
}

/* ---- Duels ------------------------------------------------------------------------- */

/* Rounds of a duel on the way: more than the fewest while noise leaves open who wins. */
#define QUICK_ROUNDS 5
#define MORE_ROUNDS  21
/* Rounds of the final duel, which are an odd number. */
#define LEAST_ROUNDS 11
#define MOST_ROUNDS  41
/* During the search: a candidate is taken if it is BETTER times as fast; it is dropped
 * after two rounds if it is surely no faster than HOPELESS; a number is put back to the
 * default if that is NO_WORSE. */
#define BETTER   1.01
#define HOPELESS 0.77
#define NO_WORSE 0.995
/* In the end, and more than noise may account for. */
#define BETTER_IN_END 1.02
/* The part of the time that is for finding them; the rest is for putting them back. */
#define DESCENT 0.8

/* Sets of numbers that are not tried twice. */
#define MOST_TRIED 256

struct search {
    const struct tune_world *world;
    const struct tune_space *space;
    struct tune_result *result;
    double end;   /* of the clock */
    double build; /* seconds of the slowest recent build */
    double call;  /* of the default's */
    struct tuned_numbers best;
    struct tuned_numbers tried[MOST_TRIED];
    uint32_t num_tried;
};

struct duel {
    const struct tune_world *world;
    const struct tuned_numbers *a, *b;
    struct pair pair;
};

static bool take_turn(void *user, bool is_b, double *seconds)
{
    const struct duel *duel = user;

    *seconds = duel->world->time(duel->world->user, is_b ? duel->b : duel->a);
    return *seconds > 0;
}

static bool fight(struct duel *duel, size_t rounds)
{
    bool done = true;

    while (done && duel->pair.num < rounds) {
        done = pair_round(&duel->pair, take_turn, duel);
    }
    return done;
}

/* ---- The search -------------------------------------------------------------------- */

/* The least time of the final duel. */
static double reserve_seconds(const struct search *search)
{
    return 2 * LEAST_ROUNDS * search->call;
}

/* The time to try a set of numbers; a build may take longer than others did. */
static double trial_seconds(const struct search *search)
{
    return 1.5 * search->build + 2 * QUICK_ROUNDS * search->call;
}

static bool has_time(const struct search *search, double seconds)
{
    return search->world->now(search->world->user) + seconds + reserve_seconds(search) <=
           search->end;
}

static bool was_tried(const struct search *search, const struct tuned_numbers *numbers)
{
    bool found = false;

    for (uint32_t i = 0; i < search->num_tried; ++i) {
        found = found || tuned_equal(&search->tried[i], numbers);
    }
    return found;
}

/* A build may take longer than the last one did. */
static bool get_ready(struct search *search, const struct tuned_numbers *numbers)
{
    double begin = search->world->now(search->world->user), took;
    bool ready = search->world->prepare(search->world->user, numbers, &search->best);

    took = search->world->now(search->world->user) - begin;
    search->build = took > search->build ? took : 0.75 * search->build + 0.25 * took;
    return ready;
}

/* Whether b is `times` times as fast by the median, once the bounds decide it or there
 * have been enough rounds. */
static bool wins(const struct search *search, struct duel *duel, double times)
{
    struct pair_ratio ratio;

    if (!fight(duel, 2) || pair_ratio(&duel->pair).high < HOPELESS ||
        !fight(duel, QUICK_ROUNDS)) {
        return false;
    }
    ratio = pair_ratio(&duel->pair);
    while (ratio.low < times && ratio.high > times && duel->pair.num < MORE_ROUNDS &&
           has_time(search, 3 * search->call)) {
        if (!fight(duel, duel->pair.num + 1)) {
            return false;
        }
        ratio = pair_ratio(&duel->pair);
    }
    return ratio.median > times;
}

/* Takes these numbers as the best if they are `times` times as fast. *time becomes false
 * if there is no time left to try them. */
static bool challenge(struct search *search, const struct tuned_numbers *numbers,
                      double times, bool *time)
{
    struct duel duel = { search->world, &search->best, numbers, { .num = 0 } };

    if (!has_time(search, trial_seconds(search))) {
        *time = false;
        return false;
    }
    if (!get_ready(search, numbers)) {
        return false;
    }
    ++search->result->tried;
    if (!wins(search, &duel, times)) {
        return false;
    }
    if (!search->world->check(search->world->user, numbers)) {
        ++search->result->wrong;
        return false;
    }
    search->best = *numbers;
    return true;
}

/* Whether these numbers, which are tried once, are the best now. */
static bool try(struct search *search, const struct tuned_numbers *numbers, bool *time)
{
    bool better;

    if (was_tried(search, numbers)) {
        return false;
    }
    if (search->num_tried == MOST_TRIED) {
        *time = false;
        return false;
    }
    better = challenge(search, numbers, BETTER, time);
    if (*time) {
        search->tried[search->num_tried++] = *numbers;
    }
    return better;
}

/* Moves one number up or down by `stride` values, as long as that is better. */
static bool walk(struct search *search, enum tuned which, bool up, uint32_t stride,
                 bool *time)
{
    bool moved = false, better = true;

    while (better && *time) {
        uint64_t values[TUNE_VALUES];
        const struct tuned_numbers *at =
            search->best.set ? &search->best : &search->space->policy;
        uint32_t num = tune_values(search->space, at, which, values), i = 0;
        struct tuned_numbers next = *at;
        while (i < num && values[i] != at->values[which]) {
            ++i;
        }
        if (num < 2 || (up ? i + 1 >= num : i == 0)) {
            break;
        }
        const uint32_t room = up ? num - 1 - i : i, step = stride < room ? stride : room;
        tuned_put(&next, which, values[up ? i + step : i - step]);
        better = try(search, &next, time);
        moved = moved || better;
    }
    return moved;
}

/* Each number in turn, until none can be moved: first by large steps, whose gain stands
 * out from noise. */
static void descend(struct search *search, bool *time)
{
    static const enum tuned order[] = {
        TUNED_TILE_BYTES, TUNED_AHEAD_BYTES, TUNED_STREAM_BYTES, TUNED_GROUPS,
        TUNED_GROUP_SIZE, TUNED_LANE_BYTES,  TUNED_ANCHOR,
    };

    for (uint32_t stride = 2; stride > 0; --stride) {
        bool moved = true;
        while (moved && *time) {
            moved = false;
            for (size_t i = 0; i < sizeof(order) / sizeof(order[0]) && *time; ++i) {
                /* If up was better, down need not be tried. Moves of other numbers say
                 * nothing about this one's way down. */
                bool here = walk(search, order[i], true, stride, time) ||
                            walk(search, order[i], false, stride, time);
                moved = moved || here;
            }
        }
    }
}

/* Puts back numbers that were moved without a gain, by noise or before others were: float
 * bits change with some of them. */
static void simplify(struct search *search, bool *time)
{
    for (int i = 0; i < TUNED_NUM && search->best.set && *time; ++i) {
        struct tuned_numbers numbers = search->best;
        enum tuned which = (enum tuned)i;
        if (which == TUNED_TILE || !tuned_have(&search->space->policy, which) ||
            search->best.values[i] == search->space->policy.values[i] ||
            search->best.values[TUNED_TILE] != search->space->policy.values[TUNED_TILE]) {
            continue;
        }
        tuned_put(&numbers, which, search->space->policy.values[i]);
        challenge(search, &numbers, NO_WORSE, time);
    }
    /* Where all are back, there is nothing to tell of but noise. */
    bool moved = false;
    for (int i = 0; i < TUNED_NUM; ++i) {
        moved = moved || (tuned_have(&search->best, (enum tuned)i) &&
                          search->best.values[i] != search->space->policy.values[i]);
    }
    search->best.set = moved ? search->best.set : 0;
}

/* Takes as many rounds as there is time for, whichever is ahead: stopping at a good
 * moment would favour noise. */
static void decide(struct search *search)
{
    const struct tuned_numbers none = { 0 };
    struct tune_result *result = search->result;
    double left = search->end - search->world->now(search->world->user);
    uint32_t rounds = LEAST_ROUNDS;
    struct duel duel = { search->world, &none, &search->best, { .num = 0 } };

    while (rounds + 2 <= MOST_ROUNDS && 2 * (rounds + 2) * search->call < left) {
        rounds += 2;
    }
    if (!fight(&duel, rounds)) {
        return;
    }
    result->ratio = pair_ratio(&duel.pair);
    result->default_seconds = clock_median(duel.pair.a, rounds);
    if (result->ratio.median >= BETTER_IN_END && result->ratio.low > 1) {
        result->outcome = TUNE_BETTER;
        result->numbers = search->best;
        result->tuned_seconds = clock_median(duel.pair.b, rounds);
    } else if (result->ratio.high >= BETTER_IN_END) {
        result->outcome = TUNE_NOISE;
    }
}

/* Estimates the time of a build and of a call from the default's. */
static bool time_default(struct search *search)
{
    const struct tuned_numbers none = { 0 };
    double begin = search->world->now(search->world->user), seconds[3];

    if (!search->world->prepare(search->world->user, &none, NULL)) {
        return false;
    }
    search->build = search->world->now(search->world->user) - begin;
    for (int i = 0; i < 3; ++i) {
        seconds[i] = search->world->time(search->world->user, &none);
        if (seconds[i] <= 0) {
            return false;
        }
    }
    search->call = clock_median(seconds, 3);
    search->result->default_seconds = search->call;
    return true;
}

void tune_search(struct tune_result *result, const struct tune_world *world,
                 const struct tune_space *space, const struct tuned_numbers *previous,
                 const struct tuned_numbers *hint, const struct tuned_numbers *other,
                 double seconds)
{
    struct search search = { .world = world, .space = space, .result = result };
    double begin = world->now(world->user);
    bool time = true, still = true;

    *result = (struct tune_result){ .outcome = TUNE_FAILED, .policy = space->policy };
    search.end = begin + seconds;
    if (!time_default(&search)) {
        return;
    }
    result->enough = (world->now(world->user) - begin +
                      TUNE_SOME * trial_seconds(&search) + reserve_seconds(&search)) /
                     DESCENT;
    search.tried[search.num_tried++] = space->policy;
    if (previous) {
        try(&search, previous, &time);
        result->previous_tried = time;
    }
    if (hint && time) {
        try(&search, hint, &time);
    }
    search.end = begin + DESCENT * seconds;
    descend(&search, &time);
    if (other && time && try(&search, other, &time)) {
        descend(&search, &time);
    }
    search.end = begin + seconds;
    simplify(&search, &still);
    result->outcome = result->tried > 0 || time ? TUNE_DEFAULT : TUNE_UNDECIDED;
    if (search.best.set) {
        decide(&search);
    }
}

/* An older row may be all that there was time for, and not even make a call. */
bool tune_decided(const struct tune_result *result)
{
    return result->outcome != TUNE_UNDECIDED || result->previous_tried;
}
