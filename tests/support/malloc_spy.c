#include "malloc_spy.h"

#include "clspy.h"

#include <errno.h>
#include <stdlib.h>

/* glibc's own, under names that are not replaced. */
void *glibc_malloc(size_t size) __asm__("__libc_malloc");
void *glibc_calloc(size_t num, size_t size) __asm__("__libc_calloc");
void *glibc_realloc(void *pointer, size_t size) __asm__("__libc_realloc");
void *glibc_memalign(size_t alignment, size_t size) __asm__("__libc_memalign");

static _Thread_local uint64_t calls;

static void count(void)
{
    calls += !clspy_inside();
}

uint64_t malloc_spy_calls(void)
{
    return calls;
}

void *malloc(size_t size)
{
    count();
    return glibc_malloc(size);
}

void *calloc(size_t num, size_t size)
{
    count();
    return glibc_calloc(num, size);
}

void *realloc(void *pointer, size_t size)
{
    count();
    return glibc_realloc(pointer, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    count();
    return glibc_memalign(alignment, size);
}

int posix_memalign(void **pointer, size_t alignment, size_t size)
{
    count();
    *pointer = glibc_memalign(alignment, size);
    return *pointer ? 0 : ENOMEM;
}
