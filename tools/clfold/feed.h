/*
 * The pieces of a folding's input, in order. While one is folded, and its results are
 * written, a thread reads the next one. Each buffer has a queue of its own, so that one
 * may still be on its way to the device while the other is filled or folded:
 *
 *     reading     0    1    2    3    ...    into buffers 0, 1, 0, 1, ...
 *     transfer         0    1    2    ...
 *     folding             0    1    2    ...
 *
 * An input of one piece has neither thread nor second buffer.
 */
#ifndef CLFOLD_COMMAND_FEED_H
#define CLFOLD_COMMAND_FEED_H

#include "user_fold.h"

#include "base/system.h"

#include <stdatomic.h>

struct piece {
    cl_command_queue queue; /* of what is read */
    cl_mem in, streams[FOLD_MOST_ARGS];
    size_t before;  /* elements of the piece before, which come first: 0 or 1 */
    size_t count;   /* elements besides */
    uint64_t bytes; /* that were read for them */
    bool ended;     /* the input ends here */
};

struct feed {
    struct piece pieces[2];
    struct lock lock;   /* of the members below, and of the bar */
    bool is_open, runs; /* there is a lock; there is a thread */
    pthread_t thread;
    atomic_bool stops;
    bool failed;
    uint64_t num_read, num_free; /* pieces so far; of those, how many may be replaced */
    struct message message;
};

struct folding;

/* Buffers of a piece of f->most elements. If this fails, feed_close is due as well. */
bool feed_open(struct folding *f, struct message *message);

/* The next piece is in f->piece until feed_free. */
bool feed_next(struct folding *f, struct message *message);

/* From now on pieces are read ahead. */
bool feed_start(struct folding *f, struct message *message);

/* Another piece may replace the one in hand. */
void feed_free(struct folding *f);

/* As progress_step of the folding's bar. */
void feed_step(struct folding *f, uint64_t done);

/* Ends the thread, even if it waits for data. A zeroed feed too. */
void feed_close(struct folding *f);

#endif
