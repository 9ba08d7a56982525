/* Ways to read and to copy memory. */
#ifndef CLFOLD_COMMAND_BENCH_WAYS_H
#define CLFOLD_COMMAND_BENCH_WAYS_H

enum bench_way {
    WAY_PLAIN,
    WAY_PREFETCHED,
    WAY_STREAMED, /* stores pass the caches */
    WAY_STREAMED_PREFETCHED,
    WAY_QUARTERS, /* of lines, each by its own load */
    WAY_DRIVER,   /* clEnqueueCopyBuffer */
    BENCH_WAYS
};

#endif
