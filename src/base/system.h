/* A lock, a signal and a clock of the operating system. */
#ifndef CLFOLD_BASE_SYSTEM_H
#define CLFOLD_BASE_SYSTEM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct lock {
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* something that a waiter looks at */
    bool is_made;
};

/* False where the system has no room for one. */
bool clfold_lock_init(struct lock *lock);
/* A zeroed lock is fine. */
void clfold_lock_finish(struct lock *lock);

static inline void clfold_lock_take(struct lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
}

static inline void clfold_lock_give(struct lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}

/* Gives the lock, sleeps until clfold_lock_wake, and takes it again. May wake spuriously.
 */
static inline void clfold_lock_wait(struct lock *lock)
{
    pthread_cond_wait(&lock->changed, &lock->mutex);
}

static inline void clfold_lock_wake(struct lock *lock)
{
    pthread_cond_broadcast(&lock->changed);
}

/* Nanoseconds of a clock that never goes back. */
uint64_t clfold_clock_ns(void);

#endif
