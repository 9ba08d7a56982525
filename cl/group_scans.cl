/*
 * group_scans: each group scans its items alone, for tests and benches of group_scan.cl.
 *
 *   in    a  b  c  d  |  e  f  g  h  |  i  j       groups of 4
 *   out   a ab abc ad |  e ef efg eh |  i ij
 *
 * Launched with as many groups as have an item.
 */
kernel __attribute__((reqd_work_group_size(CLFOLD_GROUP_SIZE, 1, 1))) void
clfold_group_scans(global const clfold_item *in, global clfold_item *out, ulong count)
{
    local clfold_item items[CLFOLD_SCAN_ITEMS];
    const uint l = (uint)get_local_id(0);
    const ulong begin = (ulong)get_group_id(0) * CLFOLD_GROUP_SIZE;
    const uint live = (uint)min((ulong)CLFOLD_GROUP_SIZE, count - begin);

    if (l < live)
        items[clfold_scan_place(l)] = in[begin + l];
    clfold_group_scan(live, items);
    if (l < live)
        out[begin + l] = items[clfold_scan_result(l)];
}
