/*
 * Functions for kernels of a caller's own: what a work-group folds, scans or selects, a
 * value for each work-item, by the scan of group_scan.cl. The host puts a prefix of the
 * caller's in the place of clfold_own, and before all other names.
 *
 *   value     a   b   c   d   |   .   .          num = 4 of a group of 6
 *   room      a   ab  abc abcd|                  items, of which work-item l reads one
 *   reduce    abcd for all
 *   inclusive a   ab  abc abcd| abcd abcd
 *   exclusive id  a   ab  abc | abcd abcd
 *
 * A room belongs to these functions from one call to the next: each begins with a barrier
 * after which the room may be written, so a kernel may call them one after the other.
 *
 * needs: contract.cl, element.cl, group_scan.cl, write.cl
 */
#if CLFOLD_LOAD || CLFOLD_WRITES
#define CLFOLD_OWN_FIRST clfold_origin
#else
#define CLFOLD_OWN_FIRST 0
#endif

typedef union {
    clfold_item items[CLFOLD_SCAN_ITEMS];
    uint counts[CLFOLD_SCAN_ITEMS];
} clfold_own_room;

typedef CLFOLD_IN clfold_own_in;
typedef CLFOLD_OUT clfold_own_out;

static clfold_item clfold_of_value(clfold_own_value value)
{
    clfold_named given;

    given.$name = convert_$result($value);
    clfold_item x = clfold_item_named(given);
    x.$name = x.$name$is_true;
    return x;
}

static clfold_own_value clfold_to_value(clfold_item x)
{
    clfold_own_value value;

    $value = convert_$result($made);
    return value;
}

static clfold_own_value clfold_own_combine(clfold_own_value a,
                                           clfold_own_value b CLFOLD_WITH)
{
    return clfold_to_value(
        clfold_combine(clfold_of_value(a), clfold_of_value(b) CLFOLD_PASS));
}

#if CLFOLD_HAS_IDENTITY
static clfold_own_value clfold_own_identity(CLFOLD_WITH_ONLY)
{
    return clfold_to_value(clfold_identity(CLFOLD_PASS_ONLY));
}
#endif

static clfold_own_value clfold_own_load(global const CLFOLD_IN *in, ulong i CLFOLD_WITH)
{
    return clfold_to_value(clfold_empty(
        clfold_load(in, CLFOLD_OWN_FIRST + i, 0 CLFOLD_PASS), i CLFOLD_PASS));
}

static void clfold_own_write(clfold_own_value item, clfold_own_value prev,
                             global const CLFOLD_IN *in, global CLFOLD_OUT *out,
                             ulong i CLFOLD_WITH)
{
    clfold_emit_items(clfold_of_value(item), clfold_of_value(prev),
                      in + (CLFOLD_OWN_FIRST + i) * CLFOLD_SCALARS, i, out,
                      i CLFOLD_PASS);
}

static CLFOLD_INLINE void clfold_scan_values(clfold_own_value x, uint num,
                                             local clfold_own_room *room CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);

    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < num)
        room->items[clfold_scan_place(l)] = clfold_of_value(x);
    clfold_group_scan(num, room->items CLFOLD_PASS);
}

static CLFOLD_INLINE clfold_own_value
clfold_own_group_reduce(clfold_own_value x, uint num,
                        local clfold_own_room *room CLFOLD_WITH)
{
    clfold_scan_values(x, num, room CLFOLD_PASS);
    return clfold_to_value(room->items[clfold_scan_result(num - 1)]);
}

static CLFOLD_INLINE clfold_own_value
clfold_own_group_inclusive_scan(clfold_own_value x, uint num,
                                local clfold_own_room *room CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);

    clfold_scan_values(x, num, room CLFOLD_PASS);
    return clfold_to_value(room->items[clfold_scan_result(min(l, num - 1))]);
}

#if CLFOLD_HAS_IDENTITY
static CLFOLD_INLINE clfold_own_value
clfold_own_group_exclusive_scan(clfold_own_value x, uint num,
                                local clfold_own_room *room CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);

    clfold_scan_values(x, num, room CLFOLD_PASS);
    if (l == 0)
        return clfold_own_identity(CLFOLD_PASS_ONLY);
    return clfold_to_value(
        room->items[clfold_scan_result(min(max(l, 1u), num) - 1)]);
}
#endif

/* The place of this work-item's value among those that are kept, whose number goes to
 * *kept. They are counted by runs, as group_scan.cl scans; room->counts has a 1 for each
 * that is kept, and after them the sums of the runs. */
static CLFOLD_INLINE uint
clfold_own_group_select(bool keep, uint num, local clfold_own_room *room,
                        private uint *kept CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0), run = l / CLFOLD_SCAN_RUN;
    const uint stop = min((l + 1) * CLFOLD_SCAN_RUN, num);
    local uint *const sums = room->counts + CLFOLD_GROUP_SIZE;
    uint place = 0, all = 0;

    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < num)
        room->counts[l] = keep ? 1 : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l * CLFOLD_SCAN_RUN < num) {
        uint sum = 0;
        for (uint i = l * CLFOLD_SCAN_RUN; i < stop; ++i)
            sum += room->counts[i];
        sums[l] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint r = 0; r * CLFOLD_SCAN_RUN < num; ++r) {
        place += r < run ? sums[r] : 0;
        all += sums[r];
    }
    for (uint i = run * CLFOLD_SCAN_RUN; i < min(l, num); ++i)
        place += room->counts[i];
    *kept = all;
    return place;
}

#if CLFOLD_TEXTS
#undef pick
#undef truth
#undef to_i8
#undef to_u8
#undef to_i16
#undef to_u16
#undef to_i32
#undef to_u32
#undef to_i64
#undef to_u64
#undef to_f16
#undef to_f32
#undef to_f64
#endif
