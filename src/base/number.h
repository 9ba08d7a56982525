/* A scalar of any type, as the host holds it. */
#ifndef CLFOLD_BASE_NUMBER_H
#define CLFOLD_BASE_NUMBER_H

#include <clfold/clfold.h>

#include <stdbool.h>
#include <stdint.h>

struct host_number {
    uint64_t integer; /* sign-extended; 0 for floats */
    double real;      /* of a float type; 0 for integers */
};

struct host_number clfold_number_read(clfold_type type, const void *at);

/* `integer` as a variable of the type holds it; 0 for floats. */
uint64_t clfold_number_wrap(clfold_type type, uint64_t integer);

bool clfold_number_is_less(clfold_type type, struct host_number a, struct host_number b);

/* Equal, or both a NaN. */
bool clfold_number_is_same(clfold_type type, struct host_number a, struct host_number b);

/* In decimal, with all digits of a float. */
void clfold_number_print(char *text, size_t size, clfold_type type, struct host_number x);

/* A half is IEEE 754 binary16, as OpenCL's cl_half holds it. This is exact. */
double clfold_half_to_double(uint16_t half);

/* Rounded to nearest even, once; beyond the largest half it is an infinity. */
uint16_t clfold_double_to_half(double value);

#endif
