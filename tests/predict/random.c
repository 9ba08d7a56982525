/*
 * Random nests, counted by the library and by a simulator that knows no closed form: it
 * goes through all groups, sub-groups and turns, and marks what is touched.
 */
#include "../../tools/clfold/random.h"
#include "nests.h"

#include <sys/wait.h>
#include <unistd.h>

/* One loop of loads from global memory and stores to local memory, under conditions. */
struct trial {
    int width, banks;
    long long n, size, rows;       /* elements of a row, work-items of a group, rows */
    int bytes, wide, offset;       /* of the global array */
    int local_bytes, local_wide;   /* of the local one */
    long long stride, turn_stride; /* elements, by work-item and turn */
    long long lane_turn;           /* by both: lanes move apart */
    long long local_stride, local_turn;
    long long turns, step, more; /* of the loop: step * turns, and t / more besides */
    long long modulo, least;     /* who loads: t % modulo == 0 and i >= least * turn */
    long long base, local_base;
};

static uint64_t state_of_random = 1;

static int64_t draw(int64_t least, int64_t most)
{
    return least +
           (int64_t)(next_random(&state_of_random) % (uint64_t)(most - least + 1));
}

static void draw_trial(struct trial *trial)
{
    static const int sizes[] = { 1, 2, 4, 8 };

    *trial = (struct trial){ .width = 8 << draw(0, 3), .banks = 16 << draw(0, 1) };
    trial->size = draw(0, 2) ? trial->width * draw(1, 4) : draw(1, 200);
    trial->n = draw(0, 9) ? draw(1, 120) : draw(0, 99) ? draw(1, 400) : draw(1, 4096);
    trial->rows = draw(0, 9) ? 1 : draw(2, 9);
    trial->size = draw(0, 99) ? trial->size : draw(1, 1024);
    trial->bytes = sizes[draw(0, 3)];
    trial->wide = 1 << draw(0, trial->bytes == 8 ? 1 : 2);
    trial->offset = draw(0, 1) ? 0 : (int)draw(0, 127);
    trial->local_bytes = sizes[draw(0, 3)];
    trial->local_wide = 1 << draw(0, 1);
    trial->stride = draw(0, 1) ? trial->wide : draw(-64, 64);
    trial->turn_stride = draw(0, 1) ? draw(-40, 40) : trial->stride * trial->size;
    trial->lane_turn = draw(0, 3) ? 0 : draw(-3, 3);
    trial->local_stride = draw(-33, 64);
    trial->local_turn = draw(-16, 16);
    trial->turns = draw(0, 19) ? draw(0, 6) : draw(0, 200);
    trial->turns = trial->n * trial->rows > 400 && trial->turns > 3 ? 3 : trial->turns;
    trial->step = draw(1, 3);
    trial->more = draw(0, 2) ? 4096 : draw(1, 50);
    trial->modulo = draw(0, 2) ? 1 : draw(2, 9);
    trial->least = draw(0, 2) ? 0 : draw(-3, 9);
}

/* Where no index is below 0. */
static void place(struct trial *trial)
{
    const int64_t last = trial->n + trial->size,
                  turn = (trial->turns + 1024) * trial->step;
    const int64_t row = trial->rows * last;

    trial->base = llabs(trial->stride) * row + llabs(trial->turn_stride) * turn +
                  llabs(trial->lane_turn) * turn * 1024;
    trial->local_base =
        llabs(trial->local_stride) * 1024 + llabs(trial->local_turn) * turn;
}

static void write_text(const struct trial *trial, char *text, size_t size)
{
    static const char *const types[] = { 0, "i8", "f16", 0, "f32", 0, 0, 0, "f64" };

    snprintf(text, size,
             "param n = %lld B = %lld\n"
             "kernel k launch groups = ceil(n, B), %lld size = B\n"
             "array a %s[%lld] global offset %d array s %s[%lld] local\n"
             "let i = B*g + t + gy*n\n"
             "for k = 0 .. %lld + t/%lld step %lld {\n"
             "  if B*g + t < n && t %% %lld == 0 && i >= %lld*k {\n"
             "    load a[%lld + %lld*i + %lld*k + %lld*k*t] wide %d\n"
             "    store s[%lld + %lld*t + %lld*k] wide %d op }\n"
             "}\n",
             trial->n, trial->size, trial->rows, types[trial->bytes],
             2 * trial->base + 16, trial->offset, types[trial->local_bytes],
             2 * trial->local_base + 16, trial->turns * trial->step - 1, trial->more,
             trial->step, trial->modulo, trial->least, trial->base, trial->stride,
             trial->turn_stride, trial->lane_turn, trial->wide, trial->local_base,
             trial->local_stride, trial->local_turn, trial->local_wide);
}

struct expected {
    uint64_t load[ACCESS_CELLS], store[ACCESS_CELLS];
    uint64_t divergent, turns, entered;
};

/* Values that were met, each once. */
struct met {
    int64_t values[128];
    int num;
};

static void meet(struct met *met, int64_t value)
{
    for (int i = met->num - 1; i >= 0; i--) {
        if (met->values[i] == value) {
            return;
        }
    }
    met->values[met->num++] = value;
}

static void simulate_load(const struct trial *trial, const int64_t *at, int num,
                          struct expected *out)
{
    const int bytes = trial->bytes * trial->wide;
    struct met sectors = { .num = 0 }, lines = { .num = 0 };

    for (int i = 0; i < num; i++) {
        meet(&sectors, at[i] / 32);
        meet(&sectors, (at[i] + bytes - 1) / 32);
        meet(&lines, at[i] / 128);
        meet(&lines, (at[i] + bytes - 1) / 128);
    }
    const int by_lines = (lines.num + 3) / 4, by_sectors = (sectors.num + 15) / 16;
    out->load[ACCESS_REQUESTS]++;
    out->load[ACCESS_ITEMS] += (uint64_t)num;
    out->load[ACCESS_BYTES] += (uint64_t)(num * bytes);
    out->load[ACCESS_SECTORS] += (uint64_t)sectors.num;
    out->load[ACCESS_LINES] += (uint64_t)lines.num;
    out->load[ACCESS_PASSES] += (uint64_t)(by_lines > by_sectors ? by_lines : by_sectors);
}

/* at: by lane; -1: idle. Bytes are put into their words, and words into their banks. */
static void simulate_store(const struct trial *trial, const int64_t *at,
                           struct expected *out)
{
    const int bytes = trial->local_bytes * trial->local_wide;
    const int at_once = trial->banks / (bytes > 4 ? bytes / 4 : 1);

    for (int first = 0; first < trial->width; first += at_once) {
        struct met banks[32];
        int most = 0;
        for (int bank = 0; bank < trial->banks; bank++) {
            banks[bank].num = 0;
        }
        for (int i = first; i < first + at_once && i < trial->width; i++) {
            for (int byte = 0; at[i] >= 0 && byte < bytes; byte++) {
                const int64_t word = (at[i] + byte) / 4;
                struct met *const bank = &banks[word % trial->banks];
                meet(bank, word);
                most = bank->num > most ? bank->num : most;
            }
        }
        out->store[ACCESS_PASSES] += (uint64_t)most;
        out->store[ACCESS_EXTRA] += (uint64_t)(most > 0 ? most - 1 : 0);
    }
}

static void simulate_turn(const struct trial *trial, int64_t g, int64_t gy, int64_t first,
                          int64_t turn, struct expected *out)
{
    int64_t loads[64], stores[64];
    int num = 0, goes_on = 0;

    for (int lane = 0; lane < trial->width; lane++) {
        const int64_t t = first + lane, i = trial->size * g + t + gy * trial->n;
        const int64_t k = turn * trial->step;
        stores[lane] = -1;
        if (t >= trial->size || k > trial->turns * trial->step - 1 + t / trial->more) {
            continue;
        }
        goes_on++;
        if (trial->size * g + t >= trial->n || t % trial->modulo != 0 ||
            i < trial->least * k) {
            continue;
        }
        loads[num++] = trial->offset +
                       trial->bytes * (trial->base + trial->stride * i +
                                       trial->turn_stride * k + trial->lane_turn * k * t);
        stores[lane] = trial->local_bytes * (trial->local_base + trial->local_stride * t +
                                             trial->local_turn * k);
    }
    out->turns += goes_on > 0;
    out->divergent += num > 0 && num < goes_on;
    if (num > 0) {
        out->entered++;
        simulate_load(trial, loads, num, out);
        simulate_store(trial, stores, out);
    }
}

static void simulate(const struct trial *trial, struct expected *out)
{
    const int64_t groups = (trial->n + trial->size - 1) / trial->size;

    *out = (struct expected){ 0 };
    for (int64_t gy = 0; gy < trial->rows; gy++) {
        for (int64_t g = 0; g < groups; g++) {
            for (int64_t first = 0; first < trial->size; first += trial->width) {
                for (int64_t turn = 0; turn < trial->turns + 1024; turn++) {
                    simulate_turn(trial, g, gy, first, turn, out);
                    if (turn * trial->step >
                        trial->turns * trial->step + trial->size / trial->more) {
                        break;
                    }
                }
            }
        }
    }
}

static void compare(const char *text, const char *what, uint64_t got, uint64_t expected)
{
    if (got != expected) {
        fail_msg("%s: %llu, and simulated %llu, in\n%s", what, (unsigned long long)got,
                 (unsigned long long)expected, text);
    }
}

static void run_trial(const struct trial *trial)
{
    char text[2048];
    struct expected expected;

    write_text(trial, text, sizeof(text));
    struct nest *const nest = read_text(text);
    struct nest_counts counts = count_with(nest, trial->width, trial->banks, NULL, 0);
    const struct nest_launch *const launch = &counts.launches[0];
    simulate(trial, &expected);
    for (int cell = 0; cell < ACCESS_CELLS; cell++) {
        compare(text, "load", launch->accesses[0][cell], expected.load[cell]);
    }
    compare(text, "passes", launch->accesses[1][ACCESS_PASSES],
            expected.store[ACCESS_PASSES]);
    compare(text, "extra", launch->accesses[1][ACCESS_EXTRA],
            expected.store[ACCESS_EXTRA]);
    compare(text, "divergent", launch->all[COUNT_DIVERGENT], expected.divergent);
    compare(text, "turns", launch->all[COUNT_TURNS], expected.turns);
    compare(text, "entered", launch->all[COUNT_ENTERED], expected.entered);
    nest_counts_finish(&counts);
    free(nest);
}

static void run_trials(uint64_t seed, int trials)
{
    state_of_random = seed;
    for (int i = 0; i < trials; i++) {
        struct trial trial;
        draw_trial(&trial);
        place(&trial);
        run_trial(&trial);
    }
}

/* By as many processes as there are processors, each from a seed of its own. */
static void counts_are_those_of_a_simulator(void **state)
{
    const char *const level = getenv("CLFOLD_TEST_LEVEL");
    const char *const given = getenv("CLFOLD_TEST_SEED");
    const uint64_t seed = given ? strtoull(given, NULL, 10) * 2 + 1 : 88172645463325252;
    const int trials = !level || !*level            ? 5000
                       : strcmp(level, "full") == 0 ? 1000000
                                                    : 200000;
    const int workers = (int)sysconf(_SC_NPROCESSORS_ONLN);
    pid_t ids[64] = { 0 };

    (void)state;
    assert_in_range(workers, 1, 64);
    for (int i = 0; i < workers; i++) {
        ids[i] = fork();
        if (ids[i] == 0) {
            run_trials(seed + (uint64_t)i * 1000003, trials / workers);
            _exit(0);
        }
        assert_true(ids[i] > 0);
    }
    for (int i = 0; i < workers; i++) {
        int status = 1;
        assert_int_equal(waitpid(ids[i], &status, 0), ids[i]);
        assert_int_equal(status, 0);
    }
    printf("%d nests by %d processes\n", trials, workers);
}

TEST_MAIN("predict random", NULL, NULL, cmocka_unit_test(counts_are_those_of_a_simulator))
