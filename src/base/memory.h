/* Host memory. All of clfold's own allocations go through these two, which stand alone in
 * their file: a test that defines them itself takes their place in the static library. */
#ifndef CLFOLD_BASE_MEMORY_H
#define CLFOLD_BASE_MEMORY_H

#include <stddef.h>

/* Zeroed memory, or NULL. */
void *clfold_alloc(size_t size);

/* NULL is fine. */
void clfold_free(void *pointer);

#endif
