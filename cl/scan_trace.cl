/*
 * Traces scan_lookback.cl; in no other program. Per tile:
 *
 *   started, aggregate, prefix   when it was begun, and when each was published
 *   ticket, depth                its own; tiles between it and where its look-back ended
 *   polls, fallbacks             looks at windows and anchors; tiles folded for others
 *   folded                       which these are: bit i is tile - 1 - i
 *
 * Times are of a cycle counter where the compiler has one, else of a logical clock, a
 * word that every note counts up.
 *
 * needs: memory.cl, descriptor.cl
 */
typedef struct {
    ulong started, aggregate, prefix;
    uint ticket, depth, polls, fallbacks;
    ulong folded;
} clfold_tile_trace;

#define CLFOLD_TRACE_PARAMS , global clfold_tile_trace *trace
#define CLFOLD_TRACE_ARGS   , trace

static ulong clfold_clock(clfold_word_pointer words)
{
#if CLFOLD_CYCLES
    return __builtin_readcyclecounter();
#else
    return clfold_add(words + CLFOLD_CLOCK, 1);
#endif
}
