/*
 * A first call that does not wait for a compiler. The first sum of a context compiles its
 * kernels, which takes long; clfold_prepare does that ahead, here on another thread while
 * this one uploads the data. The program sums a file's bytes both ways, and says on
 * stderr how long each first call took.
 *
 * Each way has a context of its own. A driver that keeps compiled programs on disk makes
 * the second way's preparation short, and from the program's second run on both.
 *
 *     cc -o prepare prepare.c $(pkg-config --cflags --libs clfold) -pthread
 *     ./prepare FILE
 */
#include "example.h"

#include <pthread.h>
#include <time.h>

static const clfold_fold sum_of_bytes = { .op = CLFOLD_ADD,
                                          .in = CLFOLD_U8,
                                          .type = CLFOLD_U64 };

struct preparation {
    clfold_context *ctx;
    size_t count;
    bool done;
};

/* clfold_last_error() belongs to a thread, so the thread that failed prints it. */
static void *prepare(void *data)
{
    struct preparation *const p = data;

    p->done =
        clfold_ok(clfold_prepare(p->ctx, CLFOLD_REDUCE, &sum_of_bytes, p->count, NULL));
    return NULL;
}

static double seconds(void)
{
    struct timespec now;

    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The first call of `ctx`, timed. */
static bool first_call(const struct example *e, clfold_context *ctx, cl_mem mem,
                       size_t count, const char *way)
{
    clfold_stats before = { 0 }, after = { 0 };
    cl_ulong sum = 0;
    const double start = seconds();
    bool done = clfold_ok(clfold_context_stats(ctx, &before)) &&
                clfold_ok(clfold_reduce_host(ctx, e->queue, &sum_of_bytes, mem, 0, count,
                                             &sum, sizeof(sum)));
    const double took = seconds() - start;

    done = done && clfold_ok(clfold_context_stats(ctx, &after));
    if (done) {
        printf("%s: sum %llu, and the call compiled %s\n", way, (unsigned long long)sum,
               after.builds > before.builds ? "its kernels" : "nothing");
        fprintf(stderr, "%s: the first call took %.3f ms\n", way, took * 1e3);
    }
    return done;
}

static bool run(const struct example *e, unsigned char *data, size_t count, bool ahead)
{
    struct preparation p = { .count = count };
    pthread_t thread;
    const bool made =
        clfold_ok(clfold_context_create(&p.ctx, e->context, e->device, NULL));
    const bool started = made && ahead && pthread_create(&thread, NULL, prepare, &p) == 0;
    cl_mem mem = example_buffer(e, count, data); /* while the other thread compiles */

    if (started) {
        pthread_join(thread, NULL);
    }
    /* Without that thread the first call compiles, as if nothing were prepared. */
    const bool done =
        made && mem && (!started || p.done) &&
        first_call(e, p.ctx, mem, count, ahead ? "prepared" : "not prepared");
    clfold_context_destroy(&p.ctx);
    example_release(mem);
    return done;
}

int main(int argc, char **argv)
{
    example_usage(argc == 2, "prepare FILE");
    size_t size;
    unsigned char *const data = example_read(argv[1], &size);
    struct example e = example_open();
    const bool done =
        data && e.queue && run(&e, data, size, false) && run(&e, data, size, true);

    example_close(&e);
    free(data);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
