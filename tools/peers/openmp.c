/* OpenMP's reduction, which combines what its threads have in any order, and its scan
 * (`inscan`, OpenMP 5.0), on all cores. */
#include <omp.h>

#define PEER_NAME    "openmp"
#define REORDERS     true
#define PRAGMA(text) _Pragma(#text)
#define REDUCTION(by) PRAGMA(omp parallel for simd reduction(by : fold))
#define SCAN(by)      PRAGMA(omp parallel for simd reduction(inscan, by : fold))
#define SCANNED _Pragma("omp scan inclusive(fold)")
#define EACH    _Pragma("omp parallel for simd")
#define ROWS    _Pragma("omp parallel for")
#define ROW(by) PRAGMA(omp simd reduction(by : fold))
#define DECLARED(by, item, identity)                                                     \
    PRAGMA(omp declare reduction(by:item                                                 \
                                 : omp_out = by(omp_out, omp_in))                        \
               initializer(omp_priv = identity))
#define PARTS     omp_get_max_threads()
#define EACH_PART _Pragma("omp parallel for")
#include "loops.h"
