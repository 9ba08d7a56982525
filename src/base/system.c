#include "base/system.h"

#include <time.h>

bool clfold_lock_init(struct lock *lock)
{
    if (pthread_mutex_init(&lock->mutex, NULL) != 0) {
        return false;
    }
    if (pthread_cond_init(&lock->changed, NULL) != 0) {
        pthread_mutex_destroy(&lock->mutex);
        return false;
    }
    lock->is_made = true;
    return true;
}

void clfold_lock_finish(struct lock *lock)
{
    if (lock->is_made) {
        pthread_cond_destroy(&lock->changed);
        pthread_mutex_destroy(&lock->mutex);
    }
}

uint64_t clfold_clock_ns(void)
{
    struct timespec now = { 0 };

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}
