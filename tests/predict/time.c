/* Occupancy, times and the formulas of the thesis. */
#include "nests.h"

#include <math.h>

/* The published example of the model, to 0.01 cycle. */
static void hong_and_kim_give_their_cycles(void **state)
{
    const struct hong_kim_device device = { 1, 80, 420, 4, 10, 4, 16 };
    /* compute, uncoalesced, coalesced, barriers; transactions of either kind's access;
     * bytes; groups, those of a unit, sub-groups of one */
    const struct hong_kim_program program = { 27, 6, 0, 6, 32, 1, 128, 80, 5, 4 };
    const struct hong_kim got = hong_kim(&device, &program);

    (void)state;
    assert_true(got.memory_latency == 730);
    assert_true(fabs(got.mwp - 2.28125) < 1e-9);
    assert_true(got.compute_cycles == 132);
    assert_true(got.memory_cycles == 4380);
    assert_true(got.cwp == 20);
    assert_true(got.rounds == 1);
    assert_true(fabs(got.cycles_without_barriers - 38428.19) < 0.01);
    assert_true(fabs(got.barrier_cycles - 12300.00) < 0.01);
    assert_true(fabs(got.cycles - 50728.19) < 0.01);
}

static void hong_and_kim_have_three_cases(void **state)
{
    const struct hong_kim_device device = { 1, 1e6, 420, 4, 10, 4, 16 };
    struct hong_kim_program program = { 1, 0, 1, 0, 1, 1, 128, 16, 1, 2 };
    struct hong_kim got = hong_kim(&device, &program);

    (void)state;
    /* a) too few sub-groups for either limit: 420 + 8 + 8 * (2 - 1) */
    assert_true(got.mwp == 2 && got.cwp == 2 && got.cycles == 436);
    /* c) memory serves more sub-groups than compute leaves time for */
    program.compute = 99;
    program.sub_groups_of_group = 8;
    got = hong_kim(&device, &program);
    assert_true(got.mwp == 8 && got.cwp < 8 && got.cycles == 420 + 400 * 8);
}

/* By hand, from the tables of NVIDIA's calculator: of the 8800 GTX, 8 sub-groups * 10 *
 * 32 registers are 2560, a multiple of 256: three in 8192. Newer ones are as
 * tools/gpu_code has them, which tests/codegen compares with clang; a unit of gfx1100 is
 * half of what its rule is about. */
static void units_hold_groups(void **state)
{
    static const struct {
        const char *device;
        int64_t items, registers, local, groups;
    } rows[] = {
        { "8800gtx", 256, 10, 1024, 3 }, { "8800gtx", 256, 11, 1024, 2 },
        { "8800gtx", 64, 4, 1024, 8 },   { "gtx295", 256, 16, 2048, 4 },
        { "gtx295", 256, 17, 2048, 3 },  { "fermi", 256, 20, 1024, 6 },
        { "fermi", 256, 21, 1024, 5 },   { "h100", 448, 40, 1024, 3 },
        { "h100", 256, 32, 40960, 5 },   { "h100", 32, 32, 0, 32 },
        { "a100", 256, 256, 1024, 0 },   { "a100", 33, 72, 0, 14 },
        { "a100", 1000, 33, 0, 1 },      { "a100", 64, 24, 5000, 27 },
        { "a100", 288, 224, 0, 0 },      { "8800gtx", 96, 24, 0, 2 },
        { "gfx90a", 256, 65, 0, 7 },     { "gfx90a", 256, 64, 20768, 3 },
        { "gfx90a", 100, 129, 0, 6 },    { "gfx90a", 1024, 72, 4096, 1 },
        { "gfx1100", 32, 172, 0, 16 },   { "gfx1100", 32, 97, 0, 24 },
    };
    struct device device;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        read_device(&device, rows[i].device);
        const struct fit fit =
            fit_groups(&device, rows[i].items, rows[i].registers, rows[i].local);
        assert_int_equal(fit.groups, rows[i].groups);
    }
    read_device(&device, "fermi");
    assert_string_equal(fit_groups(&device, 1024, 20, 1024).limit, "sub-groups");
}

static double seconds_of(const char *name, const struct device *device,
                         const struct nest_setting *settings, int num)
{
    struct nest *const nest = read_named(name);
    struct nest_counts counts =
        count_with(nest, (int)device_number(device, DEVICE_WIDTH),
                   (int)device_number(device, DEVICE_BANKS), settings, num);
    const struct nest_time time = time_nest(nest, &counts, device);

    assert_true(time.misfit == NEST_NONE && time.launches > 0);
    nest_counts_finish(&counts);
    free(nest);
    return time.seconds;
}

/* The order of the rungs, each no slower than the one before by more than 5 %. */
static void rungs_are_in_their_order(void **state)
{
    static const struct {
        const char *device;
        int64_t group;
    } cases[] = { { "8800gtx", 128 }, { "gtx460", 128 }, { "gtx295", 256 },
                  { "fermi", 256 },   { "a100", 256 },   { "h100", 256 } };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) * 4; i++) {
        const int64_t group = cases[i / 4].group, n = INT64_C(1) << (22 + i % 4);
        struct device device;
        double before = 1e9;
        read_device(&device, cases[i / 4].device);
        const int64_t held = fit_groups(&device, group, 0, 0).groups;
        for (int rung = '0'; rung <= '6'; rung++) {
            const char name[] = { 'r', 'e', 'd', 'u', 'c', 'e', (char)rung, 0 };
            const struct nest_setting settings[] = {
                { "n", n },
                { "B", group },
                { "G", held * (int64_t)device_number(&device, DEVICE_UNITS) }
            };
            const double seconds =
                seconds_of(name, &device, settings, rung == '6' ? 3 : 2);
            if (seconds > before * 1.05) {
                fail_msg("%s is slower than the rung before on %s", name,
                         cases[i / 4].device);
            }
            before = seconds;
        }
    }
}

/* Times of 64 MiB of doubles as published. Those of Fermi and GTX 295 are from counts of
 * instructions that the profiler gave, so these are told. */
static void published_times_are_near(void **state)
{
    static const struct {
        const char *device, *rung;
        int instructions; /* of a group */
        int replays;      /* 0: the profiler has counted them */
        double seconds;
    } rows[] = {
        { "fermi", "reduce0", 1908, 1, 4.329e-3 },
        { "fermi", "reduce1", 1076, 1, 3.051e-3 },
        { "gtx295", "reduce0", 3412, 0, 11.08e-3 },
        { "gtx295", "reduce1", 1261, 0, 4.97e-3 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct nest_setting settings[] = { { "n", 1 << 23 }, { "B", 256 } };
        struct device device;
        read_device(&device, rows[i].device);
        struct nest *const nest = read_as_doubles(rows[i].rung);
        struct nest_counts counts =
            count_with(nest, 32, (int)device_number(&device, DEVICE_BANKS), settings, 2);
        device.numbers[DEVICE_REPLAYS].value = rows[i].replays;
        counts.launches[0].facts[FACT_INSTRUCTIONS] = rows[i].instructions;
        const struct launch_time time =
            time_launch(nest, &counts.launches[0], &device, 0);
        printf("%s %s: %.3f ms, published %.3f, by %s\n", rows[i].device, rows[i].rung,
               time.seconds * 1e3, rows[i].seconds * 1e3, time_term_names[time.binds]);
        assert_int_equal(time.binds, TERM_ISSUE);
        assert_true(fabs(time.seconds / rows[i].seconds - 1) < 0.25);
        nest_counts_finish(&counts);
        free(nest);
    }
}

/* By hand: 2048 regions, 5120 operations, 4096 bytes each way, on two units. */
static void nests_take_times_by_hand(void **state)
{
    static const char numbers[] =
        "width 16 nominal\nbanks 32 nominal\nunits 2 nominal\nclock 1 nominal\n"
        "bandwidth 10 nominal\nstore_bandwidth 20 nominal\ncall 100 nominal\n"
        "launch 10 nominal\n";
    static const char slow[] = "region 1 nominal\noperation 2 nominal";
    static const struct {
        const char *device, *transfers, *facts;
        int64_t size;
        double launches, crossings; /* microseconds; below 0: not known */
    } rows[] = {
        { slow, "", "", 256, 100 + 6.144, 0 },
        { slow, "", "times 3", 256, 100 + 2 * 10 + 3 * 6.144, 0 },
        { slow, "", "times 0", 256, 0, 0 },
        { slow, "", "waves 2", 256, 100 + 10 + 6.144, 0 },
        { slow, "", "waves 4", 256, 100 + 3 * 10 + 2 * 6.144, 0 }, /* a unit idles */
        { slow, "", "waves 2 times 3", 256, 100 + 5 * 10 + 3 * 6.144, 0 },
        { slow, "transfer in a", "", 256, 100 + 6.144, -1 },
        { "region 0 nominal\noperation 0 nominal\nlink 2 nominal\nlink_latency 5 nominal",
          "transfer in a times 2 transfer out b", "", 256, 100 + 0.6144, 3 * 7.048 },
        /* groups of one work-item */
        { "region 0 nominal\noperation 2 nominal\nlone_operation 100 nominal", "", "", 1,
          100 + 1, 0 },
        /* a GPU, with a load and a barrier in each wave */
        { "latency 1000 nominal\nbarrier 1000 nominal", "", "waves 4", 256, 130 + 4 * 2,
          0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[512];
        struct device device;
        struct nest_error error = { 0 };
        snprintf(
            text, sizeof(text),
            "array a f32[1024] global array b f32[1024] global %s "
            "param B = 256 kernel k launch groups = 4 size = B %s array c f32[256] local "
            "load a[256*g + t] store c[t] barrier op 2 store b[256*g + t]",
            rows[i].transfers, rows[i].facts);
        struct nest *const nest = read_text(text);
        const struct nest_setting size = { "B", rows[i].size };
        struct nest_counts counts = count_with(nest, 16, 32, &size, 1);
        snprintf(text, sizeof(text), "%s%s", numbers, rows[i].device);
        assert_true(device_read(&device, text, strlen(text), &error));
        const struct nest_time time = time_nest(nest, &counts, &device);
        const double crossings = time.has_unknown ? -1e-6 : time.transfers;
        if (fabs(time.launches * 1e6 - rows[i].launches) > 1e-6 ||
            fabs(crossings * 1e6 - rows[i].crossings) > 1e-6 ||
            time.seconds != time.launches + time.transfers) {
            fail_msg("row %zu: %.4f us, %.4f", i, time.launches * 1e6, crossings * 1e6);
        }
        nest_counts_finish(&counts);
        free(nest);
    }
}

static void formulas_of_the_thesis_stand(void **state)
{
    struct nest *const nest =
        read_text("param n = 1000000 "
                  "kernel k launch groups = ceil(n, 448) size = 448 iterations n "
                  "reduction 8 lines 25 array a f64[n] global array c i8[4*n] global "
                  "array b f32[1] global "
                  "if 448*g + t < n { load a[448*g + t] load c[4*(448*g + t)] load b[0] "
                  "op 3 op reciprocal }");
    struct nest_counts counts = count_with(nest, 32, 16, NULL, 0);
    struct device device;

    (void)state;
    read_device(&device, "8800gtx");
    const struct thesis thesis = thesis_count(nest, &counts.launches[0], &device, false);
    assert_true(fabs(thesis.iterations - 1e6 / (2233 * 448)) < 1e-12);   /* (1) */
    assert_true(thesis.segment[0] == 128 && thesis.segment[1] == 32);    /* (2) */
    assert_true(thesis.stride[0] == 8 && thesis.stride[1] == 4);         /* (3) */
    assert_true(thesis.transactions[0] == 2 && !thesis.is_coalesced[0]); /* (4) */
    assert_true(thesis.transactions[1] == 4 && !thesis.is_coalesced[1]);
    assert_true(thesis.is_coalesced[2] && thesis.transactions[2] == 4); /* (5) */
    /* one dimension, an instruction pointer, two of 25 lines */
    assert_true(thesis.registers_of_item == 4 && thesis.registers == 128 * 14); /* (6) */
    assert_true(thesis.reduction_items == 1116.5);                              /* (7) */
    assert_true(thesis.local == 32 + 448 * 8);                                  /* (8) */
    assert_true(fabs(thesis.extra - log2(448 * thesis.iterations)) < 1e-12);
    assert_true(fabs(thesis.program.barriers - thesis.extra) < 1e-12); /* (9) */
    assert_true(fabs(thesis.arithmetic - (3e6 / (2233 * 448) + thesis.extra)) < 1e-9);
    nest_counts_finish(&counts);
    free(nest);
}

TEST_MAIN("predict time", NULL, NULL, cmocka_unit_test(hong_and_kim_give_their_cycles),
          cmocka_unit_test(hong_and_kim_have_three_cases),
          cmocka_unit_test(units_hold_groups), cmocka_unit_test(rungs_are_in_their_order),
          cmocka_unit_test(published_times_are_near),
          cmocka_unit_test(nests_take_times_by_hand),
          cmocka_unit_test(formulas_of_the_thesis_stand))
