/*
 * serial: one work-item folds the elements from the left, one at a time, and nothing
 * else: what other algorithms are compared with. For reductions and scans alike.
 *
 *   total     init   init op a   init op a op b   ...
 *   element        a           b                c
 *
 * A launch takes `run` elements from `first` on, and hands the total on in `state`. Where
 * elements are carries of parts, the total is one, too. To check other algorithms, groups
 * fold pieces of `run` elements first, and what they give are the elements:
 *
 *   element   a  b  c    d  e  f    g  h
 *   state       abc        def       gh
 *
 * needs: contract.cl, count.cl, element.cl, partials.cl, write.cl
 */
#define CLFOLD_ELEMENT(i)                                                                \
    clfold_empty(clfold_load(in, in_offset + (i), 0 CLFOLD_PASS), i CLFOLD_PASS)

#if CLFOLD_OF_CARRIES
#define CLFOLD_NTH(i)                                                                    \
    clfold_carry_in((global const uchar *)in + (in_offset + (i)) * CLFOLD_CARRY_SIZE)
#elif !CLFOLD_OF_PIECES
#define CLFOLD_NTH(i) CLFOLD_ELEMENT(i)
#else
#define CLFOLD_NTH(i) state[i]
CLFOLD_KERNEL void clfold_serial_pieces(global const CLFOLD_IN *in, ulong in_offset,
                                        ulong count, ulong run,
                                        global clfold_item *state CLFOLD_WITH)
{
    const ulong begin = get_group_id(0) * run, stop = min(begin + run, count);

    if (begin >= count)
        return;
    clfold_item total = CLFOLD_ELEMENT(begin);
#ifdef __clang__
#pragma clang loop vectorize(disable)
#endif
    for (ulong i = begin + 1; i < stop; ++i)
        total = clfold_combine(total, CLFOLD_ELEMENT(i) CLFOLD_PASS);
    state[get_group_id(0)] = total;
}
#endif

CLFOLD_KERNEL void
clfold_serial(global const CLFOLD_IN *in, ulong in_offset, ulong most_count, ulong first,
              ulong run, global clfold_item *state, global CLFOLD_OUT *out,
              ulong out_offset, CLFOLD_TOTAL_PARAMS, CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    const ulong count = clfold_true_count(most_count CLFOLD_PASS);
    /* A launch before this one has finished. */
    if (first > 0 && first >= count)
        return;
    const ulong stop = min(first + run, count);
    clfold_item total = clfold_init(CLFOLD_INIT_ARGS);
    bool empty = first == 0 && !clfold_init_from;

    if (first > 0)
        total = state[0];
/* Intel's compiler of 2026 crashes where it tries to turn this loop into vectors. */
#ifdef __clang__
#pragma clang loop vectorize(disable)
#endif
    for (ulong i = first; i < stop; ++i) {
        const clfold_item x = CLFOLD_NTH(i);
#if CLFOLD_EACH
        global const CLFOLD_IN *s = in + (in_offset + i) * CLFOLD_SCALARS;
        const clfold_item before = clfold_or_identity(total, empty CLFOLD_PASS);
#if CLFOLD_EXCLUSIVE
        clfold_emit(before, before, s, i, out, out_offset + i CLFOLD_PASS);
#endif
#endif
        total = empty ? x : clfold_combine(total, x CLFOLD_PASS);
        empty = false;
#if CLFOLD_EACH && !CLFOLD_EXCLUSIVE
        clfold_emit(total, before, s, i, out, out_offset + i CLFOLD_PASS);
#endif
    }
    if (stop < count)
        state[0] = total;
    else
        clfold_finish(total, empty, has_total, total_out, total_index CLFOLD_PASS);
#if !CLFOLD_EACH && !CLFOLD_OF_CARRIES
    if (stop == count)
        clfold_finish_out(total, empty, 0, out, out_offset CLFOLD_PASS);
#endif
}
