/* The environment, and the host's CPU. Nothing else reads either. */
#ifndef CLFOLD_BASE_HOST_H
#define CLFOLD_BASE_HOST_H

#include "base/text.h"

/* A variable's value; NULL where it is not set, or empty. It stays until the environment
 * changes. */
const char *clfold_environment(const char *name);

/* Appends "NAME=VALUE" in lines, for all variables of the environment whose names begin
 * with one of the prefixes, of which NULL is the last, in the order of their names. */
void clfold_host_print_environment(struct text *text, const char *const *prefixes);

/* Whether a variable is set, and does not begin with 1: PoCL's way to switch off. */
bool clfold_host_is_off(const char *name);

/* Appends the model and the abilities of the first CPU that a file names, in lines;
 * nothing where there is no such file. */
#define CLFOLD_HOST_CPUS "/proc/cpuinfo"
void clfold_host_print_cpu(struct text *text, const char *name);

/* Appends its vendor, family and model: "CPU AuthenticAMD 25 97"; nothing where the file
 * names none of them. */
void clfold_host_print_model(struct text *text, const char *name);

#endif
