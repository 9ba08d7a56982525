/*
 * What operators are given by scans: neighbours only, in order, each once. All monoids
 * here are in internal form, none commutes, and each is compared with a loop on the host:
 *
 *   interval   first and last index, and whether only neighbours were ever joined
 *   bicyclic   (a, b)(c, d) = (a + c - min(b, c), b + d - min(b, c)): matched brackets
 *   matrix     2 x 2 of u32, four components
 *
 * Affine maps: limited.c and lookback.c. Segments: scan_cuts.c.
 */
#include "lookback.h"
#include "one_context.h"
#include "oracle.h"
#include "order_check.h"
#include "test.h"

/* ---- Subjects ---------------------------------------------------------------------- */

struct subject {
    struct monoid monoid;
    struct value (*combine)(struct value a, struct value b);
    /* An element's scalars, and its value, which has more where a component is read off a
     * scalar that another has as well. `index` counts from 0. */
    struct value (*scalars)(uint64_t *random, size_t index);
    struct value (*load)(struct value scalars);
    struct value init; /* before index 0 */
};

static struct value same(struct value scalars)
{
    return scalars;
}

#define PART(name, combine, identity, scalar)                                            \
    {                                                                                    \
        name, CLFOLD_U32, CLFOLD_U32, CLFOLD_U32, LOAD_PLAIN, combine, identity, scalar  \
    }

/* Indices begin here, so that no lane of nothing is a neighbour of one. */
#define FIRST_INDEX 1000

static struct value interval_join(struct value a, struct value b)
{
    bool joined = a.parts[2] && b.parts[2] && b.parts[0] == a.parts[1] + 1;

    return (struct value){ { a.parts[0], b.parts[1], joined } };
}

/* NOLINTNEXTLINE(readability-non-const-parameter): others draw from it */
static struct value interval_scalars(uint64_t *random, size_t index)
{
    (void)random;
    return (struct value){ { FIRST_INDEX + (cl_uint)index, 1 } };
}

static struct value interval_load(struct value scalars)
{
    return (struct value){ { scalars.parts[0], scalars.parts[0], scalars.parts[1] } };
}

static struct value bicyclic_join(struct value a, struct value b)
{
    cl_uint met = a.parts[1] < b.parts[0] ? a.parts[1] : b.parts[0];

    return (
        struct value){ { a.parts[0] + b.parts[0] - met, a.parts[1] + b.parts[1] - met } };
}

/* An opening bracket, a closing one, or a few of both; long runs of each. */
static struct value bicyclic_scalars(uint64_t *random, size_t index)
{
    cl_uint bits = (cl_uint)(next_random(random) >> 40);
    bool opens = (bits & 7) != 0 ? index / 300 % 2 : bits & 8;

    if ((bits & 0x70) == 0) {
        return (struct value){ { bits >> 8 & 3, bits >> 10 & 3 } };
    }
    return (struct value){ { !opens, opens } };
}

static struct value matrix_join(struct value a, struct value b)
{
    const cl_uint *x = a.parts, *y = b.parts;

    return (struct value){ { x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3],
                             x[2] * y[0] + x[3] * y[2], x[2] * y[1] + x[3] * y[3] } };
}

/* Odd values on the diagonal and even ones elsewhere: no product loses information. */
static struct value matrix_scalars(uint64_t *random, size_t index)
{
    struct value x;

    (void)index;
    for (size_t k = 0; k < 4; ++k) {
        x.parts[k] = (cl_uint)(next_random(random) >> 20) << 1 | (k % 3 == 0);
    }
    return x;
}

static struct subject subjects[] = {
    { .monoid = { .name = "interval",
                  .num_scalars = 2,
                  .num_components = 3,
                  .components = { PART("first", "a.first", NULL, 0),
                                  PART("last", "b.last", NULL, 0),
                                  PART("joined",
                                       "b.first - a.last == 1 ? a.joined & b.joined : "
                                       "a.joined & ~a.joined",
                                       NULL, 1) } },
      .combine = interval_join,
      .scalars = interval_scalars,
      .load = interval_load,
      .init = { { FIRST_INDEX - 1, FIRST_INDEX - 1, 1 } } },
    { .monoid = { .name = "bicyclic",
                  .num_scalars = 2,
                  .num_components = 2,
                  .has_identity = true,
                  .components = { PART("a", "a.a + b.a - min(a.b, b.a)", "0", 0),
                                  PART("b", "a.b + b.b - min(a.b, b.a)", "0", 1) } },
      .combine = bicyclic_join,
      .scalars = bicyclic_scalars,
      .load = same,
      .init = { { 5, 3 } } },
    { .monoid = { .name = "matrix",
                  .num_scalars = 4,
                  .num_components = 4,
                  .has_identity = true,
                  .components = { PART("p", "a.p * b.p + a.q * b.r", "1", 0),
                                  PART("q", "a.p * b.q + a.q * b.s", "0", 1),
                                  PART("r", "a.r * b.p + a.s * b.r", "0", 2),
                                  PART("s", "a.r * b.q + a.s * b.s", "1", 3) } },
      .combine = matrix_join,
      .scalars = matrix_scalars,
      .load = same,
      .init = { { 3, 2, 4, 5 } } },
};
#define NUM_SUBJECTS (sizeof(subjects) / sizeof(subjects[0]))

/* ---- The tests --------------------------------------------------------------------- */

#define MOST 40000

static struct value scalars[MOST], values[MOST];

static void make_elements(const struct subject *subject, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; ++i) {
        scalars[i] = subject->scalars(&seed, i);
        values[i] = subject->load(scalars[i]);
    }
}

/* PoCL 3.1's compiler, in LLVM 15's InstCombine, dies of look-back over a group's tiles
 * with some of these operators. No policy has those tiles on a CPU: there the tile before
 * it, a vector's, is scanned. */
static bool kills_compiler(const struct debug *plan, const char *algorithm)
{
    return device.is_pocl && plan->tile == TILE_GROUP && may_look_back(algorithm);
}

static void check(const struct order_case *scan)
{
    char why[1024];

    if (!order_check(ctx, &device, scan, NULL, why, sizeof(why))) {
        fail_msg("%s", why);
    }
}

/*
 * Each subject meets each tile, strategy and kind of scan: scan_chained is the kernel of
 * scan_lookback, so one subject has it instead. Each tile by each strategy: scan_bits.c.
 * Matrices are left to a group's tiles, since those by tile_vector take rusticl a minute
 * to build; a vector's of four components: cover.c.
 */
static void test_subject(void **state)
{
    size_t s = (size_t)(uintptr_t)*state;
    const struct subject *subject = &subjects[s];

    make_elements(subject, MOST, s);
    for (size_t turn = 0; turn < ORDER_TILES; ++turn) {
        size_t a = (s + turn) % (ORDER_ALGORITHMS - 1);
        const char *algorithm = order_algorithms[a == 4 ? a + s % 2 : a];
        size_t t = subject->monoid.num_components < 4 ? turn : turn | 1;
        t -= kills_compiler(&order_tiles[t], algorithm);
        if (!policy_has_tile(order_tiles[t].tile)) {
            continue;
        }
        bool exclusive = (s / 2 + turn) % 2;
        size_t tile = order_tile_size(t);
        const size_t counts[] = {
            0,        1,
            2,        tile - 1,
            tile,     tile + 1,
            2 * tile, 5 * tile + 3,
            2003,     !order_tiles[t].tile_elements ? MOST : 70 * tile
        };
        /* Nothing is scanned by a single group, a program more for the others. */
        for (size_t c = a > 0; c < sizeof(counts) / sizeof(counts[0]); ++c) {
            bool needs_init = exclusive && !subject->monoid.has_identity;
            struct order_case scan = {
                .monoid = &subject->monoid,
                .combine = subject->combine,
                .scalars = scalars,
                .values = values,
                .init = c % 2 || needs_init ? &subject->init : NULL,
                .plan = order_tiles[t],
                .algorithm = algorithm,
                .exclusive = exclusive,
                .disorder = c % 3 == 2,
                .count = counts[c],
                .in_offset = c * 5 % 18,
                .out_offset = c * 7 % 17,
            };
            check(&scan);
        }
    }
}

/* ---- The group --------------------------------------------------------------------- */

static int open_device(void **state)
{
    for (size_t s = 0; s < NUM_SUBJECTS; ++s) {
        struct monoid *monoid = &subjects[s].monoid;
        monoid->in = monoid->type = monoid->cell = CLFOLD_U32;
        monoid->stage_limit = UINT64_MAX;
    }
    return open_context(state);
}

/* An argument is a pattern of test names. */
int main(int argc, char **argv)
{
    static const char *const names[NUM_SUBJECTS] = { "interval", "bicyclic", "matrix" };
    struct CMUnitTest tests[NUM_SUBJECTS];

    for (size_t s = 0; s < NUM_SUBJECTS; ++s) {
        tests[s] = (struct CMUnitTest){ .name = names[s],
                                        .test_func = test_subject,
                                        .initial_state = (void *)(uintptr_t)s };
    }
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests_name("scan_order", tests, open_device, close_context);
}
