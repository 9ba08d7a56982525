/* A scalar of any type, as the host's fold holds it. */
#ifndef CLFOLD_OPS_HOST_NUMBER_H
#define CLFOLD_OPS_HOST_NUMBER_H

#include <clfold/clfold.h>

#include <stdbool.h>

struct host_number {
    uint64_t integer; /* sign-extended */
    double real;      /* of a float type */
};

/* Of a float type: half an epsilon, and the binades that it reaches. */
struct host_range {
    double u, greatest;
    int most, least;
};

struct host_range clfold_number_range(clfold_type type);

struct host_number clfold_number_read(clfold_type type, const void *at);

/* As OpenCL's convert_T: low bits, or to nearest even. */
struct host_number clfold_number_convert(clfold_type to, clfold_type from,
                                         struct host_number x);

/* `integer` as a variable of the type holds it; 0 for floats. */
uint64_t clfold_number_wrap(clfold_type type, uint64_t integer);

bool clfold_number_is_zero(clfold_type type, struct host_number x);
bool clfold_number_is_nan(clfold_type type, struct host_number x);

/* Below every normal number, so that a device may take it for 0: OpenCL leaves that open
 * for f16 and f32. Zeros are tiny. */
bool clfold_number_is_tiny(clfold_type type, struct host_number x);

bool clfold_number_is_less(clfold_type type, struct host_number a, struct host_number b);

/* Equal, or both a NaN. */
bool clfold_number_is_same(clfold_type type, struct host_number a, struct host_number b);

void clfold_number_print(char *text, size_t size, clfold_type type, struct host_number x);

#endif
