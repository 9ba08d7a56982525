/*
 * map_tiles: writes what a load and a result make of each element, alone.
 *
 *   in      x0 x1 x2 ... | ...     a group takes `run` neighbours, the first one
 *   item    load of each           `lead` less, so that runs of the output begin lines
 *   out     result of each
 *
 * In vectors of 16 where texts allow it; else a work-item takes one in CLFOLD_GROUP_SIZE,
 * four at a time, and writes none before it has made all four: so their loads are under
 * way together, though `out` may be `in`. What a statement loads is not. By offsets,
 * elements before the first and past the last are left out.
 *
 * needs: contract.cl, count.cl, element.cl, write.cl
 * needs if CLFOLD_TEXT_OFFSETS: text_segments.cl
 * needs if CLFOLD_TILE_VECTOR: tile_vector_write.cl, vectors.cl
 */
/* The segment of element i, from which those that follow are searched. */
#if CLFOLD_TEXT_OFFSETS && CLFOLD_TEXT_SEGMENTS
#define CLFOLD_FIND(near, i)                                                             \
    near = clfold_segment_from(near, i CLFOLD_PASS).segment;                             \
    const ulong clfold_near = near
#else
#define CLFOLD_FIND(near, i) (void)(near)
#endif

#if CLFOLD_WRITES && !CLFOLD_STORES
#define CLFOLD_MADE clfold_written
#else
#define CLFOLD_MADE clfold_item
#endif

static CLFOLD_MADE clfold_map_make(global const CLFOLD_IN *in, ulong begin,
                                   ulong i CLFOLD_WITH)
{
    const clfold_item y =
        clfold_empty(clfold_load(in, begin + i, 0 CLFOLD_PASS), i CLFOLD_PASS);

#if CLFOLD_WRITES && !CLFOLD_STORES
    return clfold_make(y, y, in + (begin + i) * CLFOLD_SCALARS, i CLFOLD_PASS);
#else
    return y;
#endif
}

static void clfold_map_put(CLFOLD_MADE y, global const CLFOLD_IN *in, ulong begin,
                           ulong i, global CLFOLD_OUT *out, ulong out_begin CLFOLD_WITH)
{
#if CLFOLD_WRITES && !CLFOLD_STORES
    clfold_put_written(y, out, out_begin + i);
#else
    clfold_emit(y, y, in + (begin + i) * CLFOLD_SCALARS, i, out,
                out_begin + i CLFOLD_PASS);
#endif
}

CLFOLD_KERNEL void
clfold_map_tiles(global const CLFOLD_IN *in, ulong in_offset, ulong most_count,
                 ulong lead, ulong run, uint ahead, global CLFOLD_OUT *out,
                 ulong out_offset, uint stream CLFOLD_WITH)
{
    const ulong count = clfold_true_count(most_count CLFOLD_PASS);
    const ulong group = get_group_id(0);
    ulong stop = min((group + 1) * run - lead, count);
    ulong i = group == 0 ? 0 : group * run - lead, near = 0;

#if CLFOLD_TEXT_OFFSETS
    if (i < stop) {
        const ulong num = clfold_true_num(clfold_num_segments CLFOLD_PASS);
        stop = min(stop, clfold_start_of(num CLFOLD_PASS));
        i = min(max(i, clfold_start_of(0 CLFOLD_PASS)), stop);
    }
#endif

#if CLFOLD_ITEM16
    const bool past =
        stream && (ulong)(out + (out_offset + i) * CLFOLD_OUT_SCALARS) % 64 == 0;
    for (; i + 16 <= stop; i += 16) {
        CLFOLD_FIND(near, i);
        if (ahead > 0)
            clfold_ask(in, in_offset + i + ahead, 16 CLFOLD_PASS);
        const clfold_stage16 x = clfold_load16(in, in_offset + i, 0 CLFOLD_PASS);
        clfold_item16 y;
        y.$name = convert_$item16(x.$name);
        clfold_emit16(y, y, in + (in_offset + i) * CLFOLD_SCALARS, i, out, out_offset + i,
                      past CLFOLD_PASS);
    }
#endif
    i += get_local_id(0);
    for (; i + 3 * CLFOLD_GROUP_SIZE < stop; i += 4 * CLFOLD_GROUP_SIZE) {
        /* No array: rusticl's compiler (Mesa 22.3) mixes up structs of bytes in one. */
        CLFOLD_FIND(near, i);
        const ulong j = i + CLFOLD_GROUP_SIZE, k = j + CLFOLD_GROUP_SIZE,
                    l = k + CLFOLD_GROUP_SIZE;
        const CLFOLD_MADE p = clfold_map_make(in, in_offset, i CLFOLD_PASS);
        const CLFOLD_MADE q = clfold_map_make(in, in_offset, j CLFOLD_PASS);
        const CLFOLD_MADE r = clfold_map_make(in, in_offset, k CLFOLD_PASS);
        const CLFOLD_MADE s = clfold_map_make(in, in_offset, l CLFOLD_PASS);
        clfold_map_put(p, in, in_offset, i, out, out_offset CLFOLD_PASS);
        clfold_map_put(q, in, in_offset, j, out, out_offset CLFOLD_PASS);
        clfold_map_put(r, in, in_offset, k, out, out_offset CLFOLD_PASS);
        clfold_map_put(s, in, in_offset, l, out, out_offset CLFOLD_PASS);
    }
    for (; i < stop; i += CLFOLD_GROUP_SIZE) {
        CLFOLD_FIND(near, i);
        clfold_map_put(clfold_map_make(in, in_offset, i CLFOLD_PASS), in, in_offset, i,
                       out, out_offset CLFOLD_PASS);
    }
}
