/*
 * group_scans: each group scans its items alone, for a test and a bench that compare
 * four scans of a work-group: the library's, and the textbook's two.
 *
 *   in    a  b  c  d  |  e  f  g  h  |  i  j       groups of 4
 *   out   a ab abc ad |  e ef efg eh |  i ij
 *
 *   CLFOLD_GROUP_SCAN        steps          combines, n = 256    barriers    replays
 *   1, 2                     those of cl/group_scan.cl, which precedes this file
 *   3 Hillis and Steele      L                       1,793       1 + L          0
 *   4 Blelloch's sweeps      2 L - 1                   502       2 L            8
 *
 * L = log2 of the group's size; the rest is as in cl/group_scan.cl. Launched with as many
 * groups as have an item.
 */
#if CLFOLD_GROUP_SCAN == 3
/*
 * Every item takes what lies o before it, in turn from one array into the other: a step
 * with one array needs a second barrier, between its reads and its writes.
 *
 *   items   a    b    c    d    e       work-item l, o = 2, after o = 1:
 *   o = 1   a    ab   bc   cd   de
 *   o = 2   a    ab   abc  abcd bcde    to[l] = from[l - 2] op from[l], or from[l]
 *   o = 4   a    ab   abc  abcd abcde
 *
 * The least steps, and n L - n + 1 combines: not work-efficient, for groups that are few
 * or whose work-items would idle. Neighbours read neighbours: no bank conflicts.
 *
 * W. D. Hillis, G. L. Steele: Data Parallel Algorithms. CACM 29 (12), 1986.
 */
#define CLFOLD_SCAN_ITEMS    (2 * CLFOLD_GROUP_SIZE)
#define clfold_scan_place(l) (l)
#define clfold_scan_result(l)                                                            \
    (CLFOLD_POWERS(CLFOLD_GROUP_SIZE - 1) % 2 * CLFOLD_GROUP_SIZE + (l))

static void clfold_group_scan(uint live, local clfold_item *items CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);
    uint from = 0;

    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint o = 1; o < CLFOLD_GROUP_SIZE; o *= 2) {
        const uint to = CLFOLD_GROUP_SIZE - from;
        if (l < live) {
            if (l >= o)
                items[to + l] =
                    clfold_combine(items[from + l - o], items[from + l] CLFOLD_PASS);
            else
                items[to + l] = items[from + l];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        from = to;
    }
}

#elif CLFOLD_GROUP_SCAN == 4
/*
 * Two sweeps over a tree in place. Up: each parent takes its two children together, and
 * stands where the right one stood. Down: each complete prefix goes to what ends s later,
 * which needs neither an identity nor an exclusive scan on the way.
 *
 *   items       0   1   2   3   4   5   6   7
 *   up, s=1     0  01   2  23   4  45   6  67
 *   up, s=2     0  01   2  03   4  45   6  47     i = 2 s l + 2 s - 1: x[i - s] op x[i]
 *   up, s=4     0  01   2  03   4  45   6  07
 *   down, s=2   0  01   2  03   4  05   6  07     i = 2 s l + 3 s - 1: the same
 *   down, s=1   0  01  02  03  04  05  06  07
 *
 * 2 n - 2 - L combines, and twice the steps. An index is live or it is not, so any count
 * works. With item i at i + i / 32 there are 2, 8, 22, 52 bank replays for n = 128 to
 * 1024, in the wrap-around of the downward sweep; with item i at i it is 84, 201, 438 and
 * 915.
 *
 * G. E. Blelloch: Prefix Sums and Their Applications. CMU-CS-90-190, 1990. The form
 * without an identity: R. P. Brent, H. T. Kung: A Regular Layout for Parallel Adders.
 * IEEE Transactions on Computers C-31 (3), 1982.
 */
#define clfold_scan_place(l)  ((l) + (l) / 32)
#define clfold_scan_result(l) clfold_scan_place(l)
#define CLFOLD_SCAN_ITEMS     (clfold_scan_place(CLFOLD_GROUP_SIZE - 1) + 1)

/* Where the downward sweep begins: the greatest power of two s with 3 s <= group size. */
#define CLFOLD_SCAN_DOWN      ((1u << CLFOLD_POWERS(CLFOLD_GROUP_SIZE / 3)) / 2)

static void clfold_scan_join(uint i, uint s, uint live,
                             local clfold_item *items CLFOLD_WITH)
{
    if (i < live)
        items[clfold_scan_place(i)] = clfold_combine(
            items[clfold_scan_place(i - s)], items[clfold_scan_place(i)] CLFOLD_PASS);
}

static void clfold_group_scan(uint live, local clfold_item *items CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);

    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 1; s <= CLFOLD_GROUP_SIZE / 2; s *= 2) {
        clfold_scan_join(2 * s * l + 2 * s - 1, s, live, items CLFOLD_PASS);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint s = CLFOLD_SCAN_DOWN; s > 0; s /= 2) {
        clfold_scan_join(2 * s * l + 3 * s - 1, s, live, items CLFOLD_PASS);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#endif

CLFOLD_KERNEL void
clfold_group_scans(global const clfold_item *in, global clfold_item *out,
                   ulong count CLFOLD_WITH)
{
    local clfold_item items[CLFOLD_SCAN_ITEMS];
    const uint l = (uint)get_local_id(0);
    const ulong begin = (ulong)get_group_id(0) * CLFOLD_GROUP_SIZE;
    const uint live = (uint)min((ulong)CLFOLD_GROUP_SIZE, count - begin);

    if (l < live)
        items[clfold_scan_place(l)] = in[begin + l];
    clfold_group_scan(live, items CLFOLD_PASS);
    if (l < live)
        out[begin + l] = items[clfold_scan_result(l)];
}
