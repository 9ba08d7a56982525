/*
 * The running sums of the integers in an .npy file, by many ranks: each reads its part of
 * the file, scans it on its own device, and writes its part of the result.
 *
 *     file         3 1 4 1 | 5 9 2 | 6 5 3      parts of three ranks
 *     inclusive    3 4 8 9 |14 23 25|31 36 39   with the element itself
 *     exclusive    0 3 4 8 | 9 14 23|25 31 36   without
 *
 * Sums wrap around as numpy's do.
 *
 *     mpicc -o mpi_scan mpi_scan.c $(pkg-config --cflags --libs clfold-mpi)
 *     mpirun -n 3 ./mpi_scan IN.npy OUT.npy inclusive      of dtype int64, in C order
 */
#include "mpi_example.h"

/* In place. */
static clfold_status scan(clfold_context *ctx, cl_command_queue queue, cl_mem x,
                          size_t count, bool is_inclusive)
{
    clfold_status status;

    if (is_inclusive) {
        /* [clfold_mpi_inclusive_scan] */
        const clfold_fold sums = { .op = CLFOLD_ADD, .type = CLFOLD_I64 };

        status = clfold_mpi_inclusive_scan(ctx, MPI_COMM_WORLD, queue, &sums, x, 0, x, 0,
                                           count, 0, NULL, NULL);
        /* [clfold_mpi_inclusive_scan] */
    } else {
        /* [clfold_mpi_exclusive_scan] */
        const clfold_fold starts = { .op = CLFOLD_ADD, .type = CLFOLD_I64 };

        status = clfold_mpi_exclusive_scan(ctx, MPI_COMM_WORLD, queue, &starts, x, 0, x,
                                           0, count, 0, NULL, NULL);
        /* [clfold_mpi_exclusive_scan] */
    }
    return status;
}

static bool run(const struct example *e, const struct npy *npy, void *data,
                bool is_inclusive)
{
    const size_t count = (size_t)npy->count, bytes = count * sizeof(cl_long);
    cl_mem x = example_buffer(e, bytes, data);
    clfold_context *ctx = NULL; /* made once a program, not once a call */
    const bool done = mpi_all(x && clfold_ok(clfold_context_create(&ctx, e->context,
                                                                   e->device, NULL))) &&
                      clfold_ok(scan(ctx, e->queue, x, count, is_inclusive)) &&
                      example_fetch(e, x, bytes, data);

    clfold_context_destroy(&ctx);
    example_release(x);
    return done;
}

int main(int argc, char **argv)
{
    struct npy npy;
    bool done = false;

    MPI_Init(&argc, &argv);
    const bool is_inclusive = argc == 4 && strcmp(argv[3], "inclusive") == 0;
    if (!is_inclusive && (argc != 4 || strcmp(argv[3], "exclusive") != 0)) {
        mpi_complain("usage", "mpi_scan IN.npy OUT.npy inclusive|exclusive");
    } else {
        struct example e = mpi_open();
        void *data = npy_read(&npy, argv[1], "'<i8'", MPI_INT64_T);
        if (mpi_all(data && e.queue)) {
            mpi_print_parts(&e, &npy);
            done = mpi_all(run(&e, &npy, data, is_inclusive)) &&
                   npy_write(&npy, argv[2], data);
        }
        free(data);
        example_close(&e);
    }
    MPI_Finalize();
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
