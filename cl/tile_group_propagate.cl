/*
 * Puts a prefix in front of a tile's results, in rows of 16 bytes a work-item where the
 * address allows it: the part of tile_group for scan_then_propagate.
 *
 * needs: contract.cl, element.cl, tile_group_scan.cl
 */
/* prefix op y, which is result i of the tile. */
static clfold_item clfold_behind_prefix(clfold_item y, uint i, uint count,
                                        clfold_item prefix, clfold_item next CLFOLD_WITH)
{
    clfold_item x = clfold_taken(prefix);

    if (!CLFOLD_EXCLUSIVE && i + 1 == count)
        x = clfold_taken(next);
    else if (!CLFOLD_EXCLUSIVE || i > 0)
        x = clfold_combine(x, y CLFOLD_PASS);
    return x;
}

#if CLFOLD_OUT_RESULTS

/* Chunk c of the tile, in `to`. */
static void clfold_propagate_chunk(global CLFOLD_OUT_CHUNK_VECTOR *to, uint c, uint count,
                                   clfold_item prefix, clfold_item next CLFOLD_WITH)
{
    clfold_out_chunk chunk;

    chunk.vector = to[c];
#pragma unroll
    for (uint k = 0; k < CLFOLD_OUT_RESULTS; ++k) {
        clfold_result r;
        for (uint n = 0; n < CLFOLD_OUT_CELLS; ++n)
            r.cells[n] = chunk.cells[k * CLFOLD_OUT_CELLS + n];
        const clfold_item x =
            clfold_behind_prefix(clfold_item_of(r), c * CLFOLD_OUT_RESULTS + k, count,
                                 prefix, next CLFOLD_PASS);
        r = clfold_cells_of(clfold_named_of(x));
        for (uint n = 0; n < CLFOLD_OUT_CELLS; ++n)
            chunk.cells[k * CLFOLD_OUT_CELLS + n] = r.cells[n];
    }
    to[c] = clfold_pack(chunk.cells);
}

#endif

static void clfold_tile_propagate(global CLFOLD_OUT *out, ulong out_begin, uint count,
                                  bool stream, clfold_room_pointer room CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);
    uint done = 0;

    barrier(CLK_LOCAL_MEM_FENCE);
    /* Once, for all elements: PoCL 3.1 finds zeros in later reads beside chunks. */
    const clfold_item prefix = clfold_taken(room->prefix);
    const clfold_item next = clfold_taken(room->next);
#if CLFOLD_OUT_RESULTS
    global CLFOLD_CELL *to = out + out_begin * CLFOLD_OUT_CELLS;

    if ((ulong)to % 16 == 0) {
        done = count / CLFOLD_OUT_RESULTS * CLFOLD_OUT_RESULTS;
        for (uint c = l; c < count / CLFOLD_OUT_RESULTS; c += CLFOLD_GROUP_SIZE)
            clfold_propagate_chunk((global CLFOLD_OUT_CHUNK_VECTOR *)to, c, count,
                                   prefix, next CLFOLD_PASS);
    }
#endif
    for (uint i = done + l; i < count; i += CLFOLD_GROUP_SIZE)
        clfold_store(clfold_behind_prefix(clfold_fetch(out, out_begin + i), i, count,
                                          prefix, next CLFOLD_PASS),
                     out, out_begin + i);
    barrier(CLK_LOCAL_MEM_FENCE);
}
