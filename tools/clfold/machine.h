/* The system's processors and memory, for the heads of tables and charts.
 */
#ifndef CLFOLD_COMMAND_MACHINE_H
#define CLFOLD_COMMAND_MACHINE_H

#include "base/text.h"

/* "AuthenticAMD family 25 model 17 stepping 1, AMD EPYC, 2 CPUs; L2 1024K, huge pages
 * madvise", without unknown parts, into a zeroed text, which stays empty if all are
 * unknown. `root`: "", or a folder that stands for the root of the file system. */
void machine_print(struct text *text, const char *root);

#endif
