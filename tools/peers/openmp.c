/* OpenMP's reduction and its scan (`inscan`, OpenMP 5.0), on all cores. */
#define PEER_NAME "openmp"
#define REDUCTION _Pragma("omp parallel for simd reduction(+ : sum)")
#define SCAN      _Pragma("omp parallel for simd reduction(inscan, + : sum)")
#define SCANNED   _Pragma("omp scan inclusive(sum)")
#include "loops.h"
