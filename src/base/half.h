/* IEEE 754 binary16, as OpenCL's cl_half holds it. */
#ifndef CLFOLD_BASE_HALF_H
#define CLFOLD_BASE_HALF_H

#include <stdint.h>

/* Exact. */
double clfold_half_to_double(uint16_t half);

/* Rounded to nearest even, once; beyond the largest half it is an infinity. */
uint16_t clfold_double_to_half(double value);

#endif
