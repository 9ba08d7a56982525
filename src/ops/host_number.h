/* More of base/number.h, for the host's fold. */
#ifndef CLFOLD_OPS_HOST_NUMBER_H
#define CLFOLD_OPS_HOST_NUMBER_H

#include "base/number.h"

/* Of a float type: half an epsilon, and the binades that it reaches. */
struct host_range {
    double u, greatest;
    int most, least;
};

struct host_range clfold_number_range(clfold_type type);

/* As OpenCL's convert_T: low bits, or to nearest even. */
struct host_number clfold_number_convert(clfold_type to, clfold_type from,
                                         struct host_number x);

bool clfold_number_is_zero(clfold_type type, struct host_number x);
bool clfold_number_is_nan(clfold_type type, struct host_number x);

/* Below every normal number, so that a device may take it for 0: OpenCL leaves that open
 * for f16 and f32. Zeros are tiny. */
bool clfold_number_is_tiny(clfold_type type, struct host_number x);

void clfold_number_print(char *text, size_t size, clfold_type type, struct host_number x);

#endif
