/*
 * Puts a prefix in front of a tile's results, 16 at a time: the part of tile_vector for
 * scan_then_propagate.
 *
 * needs: contract.cl, element.cl, tile_vector_scan.cl, tile_vector_write.cl, vectors.cl
 */
#define CLFOLD_FETCH16 (CLFOLD_ITEM16 && !CLFOLD_ROUNDED)
#if CLFOLD_FETCH16

/* 16 results at `index`. */
static void clfold_store16(clfold_item16 x, global CLFOLD_OUT *out, ulong index,
                           bool stream)
{
    CLFOLD_CELL16 c[CLFOLD_OUT_CELLS];

    c[$k] = CLFOLD_AS_CELL16(convert_$result16($wide_made));
    clfold_store_cells16(c, out, index, stream);
}

/* The results that clfold_store16 stored at `index`. */
static clfold_item16 clfold_fetch16(global const CLFOLD_CELL *out, ulong index)
{
    global const CLFOLD_CELL *from = out + index * CLFOLD_COMPONENTS;
    CLFOLD_CELL16 c[CLFOLD_COMPONENTS];
    clfold_item16 x;

    c[$k] = vload16($k, from);
    CLFOLD_PARTS(CLFOLD_COMPONENTS, CLFOLD_CELL16, c);
    x.$name = convert_$item16(as_$result16(c[$k]));
    return x;
}

#endif

static void clfold_tile_propagate(global CLFOLD_OUT *out, ulong out_begin, uint count,
                                  bool may_stream, clfold_room_pointer room CLFOLD_WITH)
{
    const clfold_item prefix = room->prefix;
    const clfold_item last = room->next;
    uint j = 0;

#if CLFOLD_FETCH16
    const bool stream =
        may_stream && (ulong)(out + out_begin * CLFOLD_OUT_CELLS) % 64 == 0;
    const clfold_item16 prefix16 = clfold_spread(prefix);
    for (; j + 16 <= count; j += 16) {
        clfold_item16 x = clfold_fetch16(out, out_begin + j);
        x = clfold_combine16(prefix16, x CLFOLD_PASS);
        if (CLFOLD_EXCLUSIVE && j == 0) {
            x.$name.s0 = prefix.$name;
        } else if (!CLFOLD_EXCLUSIVE && j + 16 == count) {
            x.$name.sf = last.$name;
        }
        clfold_store16(x, out, out_begin + j, stream);
    }
#endif
    for (; j < count; ++j) {
        if (CLFOLD_EXCLUSIVE && j == 0)
            clfold_store(prefix, out, out_begin);
        else if (!CLFOLD_EXCLUSIVE && j + 1 == count)
            clfold_store(last, out, out_begin + j);
        else
            clfold_store(
                clfold_combine(prefix, clfold_fetch(out, out_begin + j) CLFOLD_PASS), out,
                out_begin + j);
    }
}
