/*
 * group_scans: what drive.py runs under Oclgrind of the scans inside a work-group. Every
 * kind over group sizes; the one by sub-groups with sub-groups that the text makes, since
 * Oclgrind has none. The buffers are exactly as long as needed.
 */
#include "group_scan_check.h"

#include "device/caps.h"

#include <stdio.h>
#include <string.h>

/* One, few, one more than a row of banks and a section hold, several of these. */
static const uint32_t groups[] = { 1, 3, 8, 33, 50, 80 };

/* One; no power of two; more than the smaller groups have, and two sections. */
static const unsigned sub_groups[] = { 1, 7, 40 };

struct tally {
    unsigned num, wrong;
};

static void check(const struct device *device, const struct caps *caps,
                  const struct scan_case *scan, struct tally *tally)
{
    char why[4096] = "";

    ++tally->num;
    if (!scan_check(device, caps->options, scan, why, sizeof(why))) {
        ++tally->wrong;
        fprintf(stderr, "calls: %s of %s in groups of %u: %s\n",
                group_scan_name(scan->kind), scan_subject_name(scan->subject),
                scan->group_size, why);
    }
}

static void check_kind(const struct device *device, const struct caps *caps,
                       enum group_scan kind, const char *front, struct tally *tally)
{
    for (unsigned g = 0; g < sizeof(groups) / sizeof(groups[0]); ++g) {
        struct scan_case scan = {
            .kind = kind,
            .group_size = groups[g],
            .subject = SCAN_INTERVAL,
            .front = front,
        };
        check(device, caps, &scan, tally);
        scan.subject = (g + kind) % SCAN_INTERVAL;
        check(device, caps, &scan, tally);
    }
}

int main(void)
{
    const struct site site = { NULL, "group_scans" };
    struct device device;
    struct caps caps;
    struct tally tally = { 0 };

    device_init(&device);
    if (!strstr(device.name, "Oclgrind")) {
        fprintf(stderr, "calls: the device is \"%s\"; run this under Oclgrind\n",
                device.name);
        return 1;
    }
    if (clfold_caps_init(&caps, &site, device.id)) {
        fprintf(stderr, "calls: %s\n", clfold_last_error());
        return 1;
    }
    check_kind(&device, &caps, GROUP_SCAN_HILLIS_STEELE, NULL, &tally);
    check_kind(&device, &caps, GROUP_SCAN_BLELLOCH, NULL, &tally);
    check_kind(&device, &caps, GROUP_SCAN_RAKING, NULL, &tally);
    for (size_t w = 0; w < sizeof(sub_groups) / sizeof(sub_groups[0]); ++w) {
        char front[512];
        scan_front(front, sizeof(front), sub_groups[w]);
        check_kind(&device, &caps, GROUP_SCAN_SUB_GROUP, front, &tally);
    }
    /* scan_check launches no other kernel. */
    if (tally.num > tally.wrong) {
        printf("calls: ran clfold_group_scans\n");
    }
    printf("calls: %u scans, %u wrong\n", tally.num, tally.wrong);
    device_finish(&device);
    return tally.wrong > 0;
}
