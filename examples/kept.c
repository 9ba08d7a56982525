/*
 * Programs that are kept on disk. A context that names a folder saves what it builds
 * there, and a later process loads it, which takes milliseconds where building takes up
 * to a second. The program sums a file's bytes, and says on stderr whether it built or
 * loaded: run it twice.
 *
 *     cc -o kept kept.c $(pkg-config --cflags --libs clfold)
 *     ./kept FILE FOLDER
 *
 * On PoCL, which keeps programs itself, clfold loads none unless POCL_KERNEL_CACHE is 0.
 */
#include "example.h"

/* Damage to the folder fails no call. What is wrong with it comes here. */
static void log_line(void *user, int level, const char *message)
{
    (void)user;
    (void)level;
    fprintf(stderr, "%s\n", message);
}

static bool sum_up(const struct example *e, const char *folder, unsigned char *data,
                   size_t count)
{
    const clfold_fold sum_of_bytes = { .op = CLFOLD_ADD,
                                       .in = CLFOLD_U8,
                                       .type = CLFOLD_U64 };
    const clfold_context_params params = { .cache_folder = folder, .log = log_line };
    clfold_context *ctx = NULL;
    clfold_stats stats;
    cl_ulong sum = 0;
    cl_mem mem = example_buffer(e, count, data);
    const bool done =
        mem && clfold_ok(clfold_context_create(&ctx, e->context, e->device, &params)) &&
        clfold_ok(clfold_reduce_host(ctx, e->queue, &sum_of_bytes, mem, 0, count, &sum,
                                     sizeof(sum))) &&
        clfold_ok(clfold_context_stats(ctx, &stats));

    if (done) {
        printf("the sum is %llu\n", (unsigned long long)sum);
        fprintf(stderr, "programs: %llu built, %llu loaded\n",
                (unsigned long long)stats.builds, (unsigned long long)stats.disk_hits);
    }
    clfold_context_destroy(&ctx); /* saves what was built */
    example_release(mem);
    return done;
}

int main(int argc, char **argv)
{
    example_usage(argc == 3, "kept FILE FOLDER");
    size_t size;
    unsigned char *const data = example_read(argv[1], &size);
    struct example e = example_open();
    const bool done = data && e.queue && sum_up(&e, argv[2], data, size);

    example_close(&e);
    free(data);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
