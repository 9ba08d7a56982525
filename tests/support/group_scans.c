#include "group_scans.h"

#include "plan/assemble.h"
#include "plan/kernel_texts.h" /* here group_scans.cl: meson.build */

#include <string.h>

const char *group_scan_name(enum group_scan kind)
{
    static const char *const names[] = { "", "raking", "sub_group", "hillis_steele",
                                         "blelloch" };

    return names[kind];
}

void assemble_group_scan(struct text *text, const struct monoid *monoid,
                         enum group_scan kind, uint32_t group_size)
{
    /* A scan's program has what the kernel needs, up to the end of group_scan.cl. */
    static const char file[] = "#line 1 \"group_scan.cl\"\n", next[] = "#line 1 \"";
    const struct shape shape = { .algorithm = SCAN_SINGLE_GROUP,
                                 .tile = { TILE_GROUP, group_size, group_size },
                                 .group_scan = kind };
    struct text scan = { 0 };
    const char *end = NULL;

    clfold_assemble(&scan, monoid, &shape);
    if (!scan.failed && (end = strstr(scan.bytes, file))) {
        end = strstr(end + 1, next);
    }
    if (end) {
        clfold_text_append(text, scan.bytes, (size_t)(end - scan.bytes));
        clfold_text_print(text, "#line 1 \"%s\"\n%s", clfold_kernel_texts[0].name,
                          clfold_kernel_texts[0].text);
    } else {
        text->failed = true;
    }
    clfold_text_finish(&scan);
}
