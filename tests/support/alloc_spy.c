#include "alloc_spy.h"

#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>

static _Atomic int64_t live, left; /* left: calls until the one that fails; 0: unarmed */
static _Atomic uint64_t calls;
static _Atomic bool fired;

int64_t alloc_spy_live(void)
{
    return atomic_load(&live);
}

uint64_t alloc_spy_calls(void)
{
    return atomic_load(&calls);
}

void alloc_spy_arm(uint64_t number)
{
    atomic_store(&fired, false);
    atomic_store(&left, (int64_t)number);
}

bool alloc_spy_disarm(void)
{
    atomic_store(&left, 0);
    return atomic_exchange(&fired, false);
}

/* Below 0 it counts on, and never fires again. */
void *clfold_alloc(size_t size)
{
    atomic_fetch_add(&calls, 1);
    if (atomic_fetch_sub(&left, 1) == 1) {
        atomic_store(&fired, true);
        return NULL;
    }
    void *pointer = calloc(1, size);
    if (pointer) {
        atomic_fetch_add(&live, 1);
    }
    return pointer;
}

void clfold_free(void *pointer)
{
    if (pointer) {
        atomic_fetch_sub(&live, 1);
    }
    free(pointer);
}
