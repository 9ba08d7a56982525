/* How a traced look-back is held up, see held_up.cl: what comes before its records. */
#ifndef CLFOLD_TESTS_HELD_UP_H
#define CLFOLD_TESTS_HELD_UP_H

#include <clfold/experimental.h>

struct held_up {
    cl_uint block_every, seed;
    cl_uint num_tiles;   /* of these there are records */
    cl_uint num_folded;  /* 0 before the scan */
    cl_uint folded_room; /* of the log, which comes last, in ulongs */
    cl_uint unused[7];
};
_Static_assert(sizeof(struct held_up) == sizeof(clfold_tile_trace), "a record");

#endif
