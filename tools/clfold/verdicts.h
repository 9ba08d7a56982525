/*
 * What probes found out about devices, kept between runs: a file for each key, as
 * programs are kept, in the folder clfold/verdicts of $XDG_CACHE_HOME, or of ~/.cache.
 * Without it, and where it cannot be written, a device is probed again.
 */
#ifndef CLFOLD_COMMAND_VERDICTS_H
#define CLFOLD_COMMAND_VERDICTS_H

#include <stddef.h>

/* As load_verdict and save_verdict of clfold_context_params; `user` is not used. */
size_t verdicts_load(void *user, const char *key, void *verdict, size_t size);
void verdicts_save(void *user, const char *key, const void *verdict, size_t size);

#endif
