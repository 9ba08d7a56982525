/*
 * The scans inside a work-group, each alone, over group sizes and live counts. The scan
 * by sub-groups runs as the device has them, in each size that may be asked for, with and
 * without shuffles, and on every device with sub-groups that the program's text makes of
 * barriers, in sizes that no device here has.
 */
#include "group_scan_check.h"
#include "test.h"

#include "device/caps.h"

static struct device device;
static struct caps caps;

static bool has_extension(const char *name)
{
    char names[8192] = "";

    assert_int_equal(
        clGetDeviceInfo(device.id, CL_DEVICE_EXTENSIONS, sizeof(names), names, NULL),
        CL_SUCCESS);
    return strstr(names, name) != NULL;
}

static void check(const struct scan_case *scan)
{
    char why[4096] = "";

    if (!scan_check(&device, caps.options, scan, why, sizeof(why))) {
        fail_msg("%s of %s in groups of %u: %s\n%s", group_scan_name(scan->kind),
                 scan_subject_name(scan->subject), scan->group_size, why,
                 scan->front ? scan->front : "");
    }
}

/* The device's largest group whose items local memory holds twice. */
static uint32_t largest_group(unsigned subject)
{
    size_t group = caps.facts.max_group_size;

    while (2 * group * scan_item_size(subject) > caps.facts.local_memory) {
        group /= 2;
    }
    return (uint32_t)group;
}

/* ---- The kinds --------------------------------------------------------------------- */

/* Small groups, powers of two and neighbours, other sizes; 0: the largest. */
static const uint32_t sizes[] = { 1,  2,  3,   7,   16,  31,  32, 33,
                                  50, 64, 100, 128, 250, 256, 0 };
#define NUM_SIZES (sizeof(sizes) / sizeof(sizes[0]))

/* In groups of that size, the intervals, which show any wrong pair, and in every second
 * turn another subject. */
static void check_size(enum group_scan kind, uint32_t size, const char *front,
                       unsigned turn)
{
    const unsigned subjects[] = { SCAN_INTERVAL, turn / 2 % SCAN_INTERVAL };

    for (size_t k = 0; k < 1 + turn % 2 && device_takes(&device, turn); ++k) {
        const uint32_t most = largest_group(subjects[k]);
        const struct scan_case scan = {
            .kind = kind,
            .group_size = size > 0 && size < most ? size : most,
            .subject = subjects[k],
            .front = front,
            .zones = true,
        };
        check(&scan);
    }
}

static void check_sizes(enum group_scan kind)
{
    for (unsigned i = 0; i < NUM_SIZES; ++i) {
        check_size(kind, sizes[i], NULL, i + kind);
    }
}

static void test_hillis_steele(void **state)
{
    (void)state;
    check_sizes(GROUP_SCAN_HILLIS_STEELE);
}

static void test_blelloch(void **state)
{
    (void)state;
    check_sizes(GROUP_SCAN_BLELLOCH);
}

static void test_raking(void **state)
{
    (void)state;
    check_sizes(GROUP_SCAN_RAKING);
}

static void test_sub_group(void **state)
{
    (void)state;
    if (!caps.facts.sub_groups) {
        print_message("the device has no sub-groups\n");
        skip();
    }
    check_sizes(GROUP_SCAN_SUB_GROUP);
}

/* ---- Sub-groups -------------------------------------------------------------------- */

/* What caps says of sub-groups, the compiler says as well. */
static void test_caps(void **state)
{
    const struct scan_case scan = { .kind = GROUP_SCAN_SUB_GROUP, .group_size = 16 };
    char why[4096] = "";
    bool built;

    (void)state;
    built = scan_check(&device, caps.options, &scan, why, sizeof(why));
    if (built != caps.facts.sub_groups || !(built || strstr(why, "has no sub-groups"))) {
        fail_msg("caps says %d, and the program: %s", caps.facts.sub_groups, why);
    }
}

/* Sizes that the device can be asked for, with either kind of shuffle and without.
 */
static void test_sub_group_sizes(void **state)
{
    const uint32_t groups[] = { 7, 64, 100, 256 };
    const char *const forms[] = { "", "#undef cl_khr_subgroup_shuffle_relative\n",
                                  "#define CLFOLD_NO_SHUFFLES 1\n" };
    size_t size = 0;

    (void)state;
    if (!caps.facts.sub_groups || !has_extension("cl_intel_required_subgroup_size")) {
        print_message("the device cannot be asked for a size of sub-groups\n");
        skip();
    }
    /* CL_DEVICE_SUB_GROUP_SIZES_INTEL: PoCL 7.1 has 0 to 4095, of which some will do. */
    assert_int_equal(clGetDeviceInfo(device.id, 0x4108, 0, NULL, &size), CL_SUCCESS);
    size_t *asked = malloc(size);
    assert_int_equal(clGetDeviceInfo(device.id, 0x4108, size, asked, NULL), CL_SUCCESS);
    const size_t num = size / sizeof(*asked), few = num < 16 ? num : 16;
    for (size_t i = 0; i < few; ++i) {
        for (unsigned g = 0; g < sizeof(groups) / sizeof(groups[0]); ++g) {
            char front[256];
            const struct scan_case scan = {
                .kind = GROUP_SCAN_SUB_GROUP,
                .group_size = groups[g],
                .subject = g % 2 ? (unsigned)(i + g) % SCAN_INTERVAL : SCAN_INTERVAL,
                .front = front,
                .zones = true,
            };
            /* reqd_work_group_size is the only attribute of the kernel's text. */
            snprintf(front, sizeof(front),
                     "#define reqd_work_group_size(x, y, z) \\\n"
                     "    reqd_work_group_size(x, y, z), intel_reqd_sub_group_size(%zu)\n"
                     "%s",
                     asked[(i + 1) * num / few - 1], forms[(i + g) % 3]);
            check(&scan);
        }
    }
    free(asked);
}

/*
 * Sub-groups made by the text: W neighbours, that wait for the whole group where they
 * should wait for each other, which is as much. 65 and more are several sections.
 */
static void test_any_sub_group(void **state)
{
    static const struct {
        unsigned group, sub_group;
    } shapes[] = {
        { 1, 1 },      { 3, 7 },    { 7, 1 },    { 33, 3 },   { 50, 7 },
        { 50, 50 },    { 64, 32 },  { 100, 31 }, { 100, 33 }, { 100, 100 },
        { 128, 4096 }, { 130, 65 }, { 250, 96 }, { 256, 16 },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); ++i) {
        char front[512];
        scan_front(front, sizeof(front), shapes[i].sub_group);
        check_size(GROUP_SCAN_SUB_GROUP, shapes[i].group, front, i);
    }
}

/* All kinds in small groups, for runs of a driver in its other manners; a run of all does
 * without, which has them above. */
static void test_few(void **state)
{
    char front[512];

    (void)state;
    for (unsigned i = 0; i < 3; ++i) {
        const uint32_t group = (uint32_t[]){ 3, 16, 33 }[i];
        check_size(GROUP_SCAN_HILLIS_STEELE, group, NULL, i);
        check_size(GROUP_SCAN_BLELLOCH, group, NULL, i + 1);
        check_size(GROUP_SCAN_RAKING, group, NULL, i + 2);
        scan_front(front, sizeof(front), 7);
        check_size(GROUP_SCAN_SUB_GROUP, group, front, i + 3);
    }
}

static int open_device(void **state)
{
    const struct site site = { NULL, "group_scan" };

    (void)state;
    device_need_groups();
    device_init(&device);
    return clfold_caps_init(&caps, &site, device.id) != CLFOLD_OK;
}

static int close_device(void **state)
{
    (void)state;
    device_finish(&device);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hillis_steele), cmocka_unit_test(test_blelloch),
        cmocka_unit_test(test_raking),        cmocka_unit_test(test_sub_group),
        cmocka_unit_test(test_caps),          cmocka_unit_test(test_sub_group_sizes),
        cmocka_unit_test(test_any_sub_group), cmocka_unit_test(test_few),
    };

    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    } else {
        cmocka_set_skip_filter("test_few");
    }
    return cmocka_run_group_tests_name("group_scan", tests, open_device, close_device);
}
