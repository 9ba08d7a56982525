/*
 * Scans inside a work-group: one item for each work-item, in order, and nothing that
 * relies on work-items in lock step. CLFOLD_GROUP_SCAN says which:
 *
 *                            steps          combines, n = 256    barriers    replays
 *   1 raking                 2 k + G / k - 3           730       3              0
 *   2 sub-groups             5 + G / W - 1           1,928       3              0
 *
 * G: the group's size; k: items that a raker takes, 11 here; W: work-items a sub-group,
 * 32 here. Steps are combines one after the other. Replays are bank conflicts of 32
 * work-items that run together, with 32 banks of 4 bytes and items of 4 bytes.
 *
 *   CLFOLD_SCAN_ITEMS           items of local memory that the scan needs
 *   clfold_scan_place(l)        where work-item l puts its item
 *   clfold_group_scan(live, items)
 *                               scans the items of work-items 0 to live - 1, for
 *                               1 <= live <= CLFOLD_GROUP_SIZE. All work-items must call
 *                               it, once their own item is in its place
 *   clfold_scan_result(l)       where the fold of items 0 to l is then, for all to read
 *
 * A caller that scans again needs a barrier between its reads and its next writes. The
 * operator keeps its order, needs no identity, and meets no work-item that is not live.
 * No item is private across a barrier, nor passed to or from a function that has one, and
 * barriers stand in loops whose trip counts the compiler knows.
 *
 * needs: contract.cl
 */
#if CLFOLD_GROUP_SIZE > 65536
#error "group_scan: CLFOLD_GROUP_SIZE must be at most 65536"
#endif

/* How many of the powers of two 1, 2, 4, ... are not above n. */
#define CLFOLD_POWERS(n)                                                                 \
    (((n) >= 1) + ((n) >= 2) + ((n) >= 4) + ((n) >= 8) + ((n) >= 16) + ((n) >= 32) +     \
     ((n) >= 64) + ((n) >= 128) + ((n) >= 256) + ((n) >= 512) + ((n) >= 1024) +          \
     ((n) >= 2048) + ((n) >= 4096) + ((n) >= 8192) + ((n) >= 16384) + ((n) >= 32768))

/* An attribute where a kernel may call it twice: src/base/platform.h says which. */
#ifndef CLFOLD_INLINE
#define CLFOLD_INLINE
#endif

#if CLFOLD_GROUP_SCAN == 1
/*
 * A few work-items, the rakers, each scan a run of k neighbours on their own, and keep
 * the run's total aside. Then each folds the totals before its run, and combines its
 * items with that.
 *
 *   items    a  b  c  |  d  e  f  |  g  h           k = 3, three rakers
 *   rake     a ab abc |  d de def |  g gh           totals  abc def gh
 *   add      a ab abc | .abc op.  | .abc op def op. by raker 1, by raker 2
 *
 * n + n combines for the items, and some r r / 2 for the totals of r rakers, which all
 * fold them, side by side. The steps k - 1, r - 2 and k are fewest for k near
 * sqrt(G / 2). An odd k has 32 rakers at 32 banks in every step: no conflicts.
 *
 * D. Merrill, A. Grimshaw: Parallel Scan for Stream Architectures. University of
 * Virginia CS2009-14, 2009; their rakers are one warp, which scans the totals unguarded.
 */
#define CLFOLD_SCAN_RUN                                                                  \
    (CLFOLD_GROUP_SIZE <= 18     ? 3                                                     \
     : CLFOLD_GROUP_SIZE <= 64   ? 5                                                     \
     : CLFOLD_GROUP_SIZE <= 128  ? 7                                                     \
     : CLFOLD_GROUP_SIZE <= 256  ? 11                                                    \
     : CLFOLD_GROUP_SIZE <= 512  ? 15                                                    \
     : CLFOLD_GROUP_SIZE <= 1024 ? 21                                                    \
     : CLFOLD_GROUP_SIZE <= 2048 ? 31                                                    \
                                 : 45)
#define CLFOLD_SCAN_RAKERS    ((CLFOLD_GROUP_SIZE - 1) / CLFOLD_SCAN_RUN + 1)
#define CLFOLD_SCAN_ITEMS     (CLFOLD_GROUP_SIZE + CLFOLD_SCAN_RAKERS)
#define clfold_scan_place(l)  (l)
#define clfold_scan_result(l) (l)

static CLFOLD_INLINE void clfold_group_scan(uint live,
                                            local clfold_item *items CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);
    const uint first = l * CLFOLD_SCAN_RUN;
    const uint stop = min(first + CLFOLD_SCAN_RUN, live);
    local clfold_item *totals = items + CLFOLD_GROUP_SIZE;

    barrier(CLK_LOCAL_MEM_FENCE);
    if (first < live) {
        clfold_item total = clfold_taken(items[first]);
        for (uint i = first + 1; i < stop; ++i) {
            total = clfold_combine(total, items[i] CLFOLD_PASS);
            items[i] = total;
        }
        totals[l] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (first < live && l > 0) {
        clfold_item before = clfold_taken(totals[0]);
        for (uint r = 1; r < l; ++r)
            before = clfold_combine(before, totals[r] CLFOLD_PASS);
        for (uint i = first; i < stop; ++i)
            items[i] = clfold_combine(before, items[i] CLFOLD_PASS);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

#elif CLFOLD_GROUP_SCAN == 2
/*
 * Each sub-group scans its items in registers, in sections of at most 32: shuffles hand
 * an item over from o work-items before. Then everyone folds the totals of the sections
 * before its own, which all work-items of a section read at once, and puts that in front.
 *
 *   items     a  b  c  d  |  e  f  g  h  |  i  j      sub-groups of 4, the last of 2
 *   o = 1     a ab bc cd  |  e ef fg gh  |  i ij
 *   o = 2     a ab abc ad |  e ef eg eh  |  i ij      ad: a op b op c op d
 *   add       a ab abc ad | .ad op.      | .ad op eh op.
 *
 * A sub-group may have 1 to 4096 work-items, and any number, not just powers of two. The
 * last of a group may have fewer, as OpenCL says; all others have the maximum. OpenCL
 * does not say which work-items form a sub-group, so the items are dealt out anew, by
 * sub-group and place in it. Sections make the trip count known.
 *
 * 5 steps for each item and, in the s-th section after the first, s for the totals: so
 * this is for G / W up to some 16. sub_group_scan_inclusive_* would know add, min and max
 * alone. Shuffles take no #pragma: clang knows them by macro, and warns of one.
 *
 * A device without shuffles takes these steps in local memory, with barriers of the
 * sub-group alone. CLFOLD_NO_SHUFFLES says so to one that has them.
 */
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#elif !defined(__opencl_c_subgroups)
#error "group_scan: the device has no sub-groups"
#endif
#if defined(CLFOLD_NO_SHUFFLES) || CLFOLD_OPAQUE
#elif defined(cl_khr_subgroup_shuffle_relative)
#define CLFOLD_FROM_BEFORE(x, k, o) sub_group_shuffle_up(x, o)
#elif defined(cl_khr_subgroup_shuffle)
#define CLFOLD_FROM_BEFORE(x, k, o)                                                      \
    sub_group_shuffle(x, get_sub_group_local_id() - ((k) >= (o) ? (o) : 0))
#endif

#if CLFOLD_GROUP_SIZE < 32
#define CLFOLD_SECTION CLFOLD_GROUP_SIZE
#else
#define CLFOLD_SECTION 32
#endif

/* Two arrays of items; the scans of the sections are in the second, or where the steps
 * in local memory end. */
#ifdef CLFOLD_FROM_BEFORE
#define CLFOLD_SECTIONS CLFOLD_GROUP_SIZE
#else
#define CLFOLD_SECTIONS (CLFOLD_POWERS(CLFOLD_SECTION - 1) % 2 * CLFOLD_GROUP_SIZE)
#endif
#define CLFOLD_SCAN_ITEMS     (2 * CLFOLD_GROUP_SIZE)
#define clfold_scan_place(l)  (l)
#define clfold_scan_result(l) (CLFOLD_GROUP_SIZE - CLFOLD_SECTIONS + (l))

/* Scans item i with the k items before it, which are its section's. */
static void clfold_scan_section(uint i, uint k, uint live,
                                local clfold_item *items CLFOLD_WITH)
{
#ifdef CLFOLD_FROM_BEFORE
    clfold_item x = { 0 }, before;

    if (i < live)
        x = items[i];
#pragma unroll
    for (uint o = 1; o < CLFOLD_SECTION; o *= 2) {
        before.$name = CLFOLD_FROM_BEFORE(x.$name, k, o);
        if (k >= o && i < live)
            x = clfold_combine(before, x CLFOLD_PASS);
    }
    if (i < live)
        items[CLFOLD_SECTIONS + i] = x;
#else
    uint from = 0;

    for (uint o = 1; o < CLFOLD_SECTION; o *= 2) {
        const uint to = CLFOLD_GROUP_SIZE - from;
        if (i < live) {
            if (k >= o)
                items[to + i] =
                    clfold_combine(items[from + i - o], items[from + i] CLFOLD_PASS);
            else
                items[to + i] = items[from + i];
        }
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        from = to;
    }
#endif
}

static CLFOLD_INLINE void clfold_group_scan(uint live,
                                            local clfold_item *items CLFOLD_WITH)
{
    const uint most = get_max_sub_group_size();
    const uint i = get_sub_group_id() * most + get_sub_group_local_id();
    const uint k = get_sub_group_local_id() % 32;

    barrier(CLK_LOCAL_MEM_FENCE);
    clfold_scan_section(i, k, live, items CLFOLD_PASS);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < live) {
        const local clfold_item *sections = items + CLFOLD_SECTIONS;
        clfold_item x = clfold_taken(sections[i]);
        /* Sections end every 32 items, and where sub-groups do. */
        uint end = min(most, 32u), next = most;
        if (end <= i - k) {
            clfold_item before = clfold_taken(sections[end - 1]);
            while (end < i - k) {
                next += end == next ? most : 0;
                end = min(end + 32, next);
                before = clfold_combine(before, sections[end - 1] CLFOLD_PASS);
            }
            x = clfold_combine(before, x CLFOLD_PASS);
        }
        items[clfold_scan_result(i)] = x;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
#endif
