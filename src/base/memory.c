#include "base/memory.h"

#include <stdlib.h>

void *clfold_alloc(size_t size)
{
    return calloc(1, size);
}

void clfold_free(void *pointer)
{
    free(pointer);
}
