/*
 * Scans inside a work-group: each group scans its GROUP numbers, one for each work-item.
 *
 *                      steps               additions, G = 256    barriers
 *   hillis_steele      L                              1,793       2 L + 1
 *   blelloch           2 L - 1                          502       2 L
 *   library            2 k + G / k - 3                  730       3
 *
 * Steps are additions one after the other, L is log2 of the size G of a group, and k is
 * 11 for 256: a few work-items of the library's scan each add up k neighbours.
 */

/*
 * Every work-item adds what lies o before it. The least steps, but not work-efficient.
 *
 *   items   a    b    c    d    e
 *   o = 1   a    ab   bc   cd   de
 *   o = 2   a    ab   abc  abcd bcde
 *   o = 4   a    ab   abc  abcd abcde
 *
 * W. D. Hillis, G. L. Steele: Data Parallel Algorithms. CACM 29 (12), 1986.
 */
kernel void hillis_steele(global const uint *in, global uint *out, uint n)
{
    local uint items[GROUP];
    const uint i = get_global_id(0), l = get_local_id(0);

    items[l] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint o = 1; o < GROUP; o *= 2) {
        const uint before = l >= o ? items[l - o] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        items[l] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n)
        out[i] = items[l];
}

/*
 * Two sweeps over a tree in place: up, a parent adds its two children, and stands where
 * the right one stood; down, each complete sum is added to what ends s later.
 *
 *   items       0   1   2   3   4   5   6   7
 *   up, s=1     0  01   2  23   4  45   6  67
 *   up, s=2     0  01   2  03   4  45   6  47     at = 2 s l + 2 s - 1
 *   up, s=4     0  01   2  03   4  45   6  07
 *   down, s=2   0  01   2  03   4  05   6  07     at = 2 s l + 3 s - 1
 *   down, s=1   0  01  02  03  04  05  06  07
 *
 * G. E. Blelloch: Prefix Sums and Their Applications. CMU-CS-90-190, 1990. Inclusive by
 * R. P. Brent, H. T. Kung: A Regular Layout for Parallel Adders. 1982.
 */
#define PLACE(i) ((i) + (i) / 32) /* fewer bank conflicts in steps of powers of two */

kernel void blelloch(global const uint *in, global uint *out, uint n)
{
    local uint items[PLACE(GROUP)];
    const uint i = get_global_id(0), l = get_local_id(0);
    uint s;

    items[PLACE(l)] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (s = 1; s < GROUP; s *= 2) {
        const uint at = 2 * s * l + 2 * s - 1;
        if (at < GROUP)
            items[PLACE(at)] += items[PLACE(at - s)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (s /= 4; s > 0; s /= 2) {
        const uint at = 2 * s * l + 3 * s - 1;
        if (at < GROUP)
            items[PLACE(at)] += items[PLACE(at - s)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n)
        out[i] = items[PLACE(l)];
}

/* By a function of clfold_group_text. */
kernel void library(global const uint *in, global uint *out, uint n)
{
    local sum_room room;
    const uint i = get_global_id(0);
    const uint sum = sum_group_inclusive_scan(i < n ? in[i] : 0, GROUP, &room);

    if (i < n)
        out[i] = sum;
}
