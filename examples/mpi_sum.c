/*
 * The sum of the floats in an .npy file, and their standard deviation, by many ranks,
 * each with its part of the file on its own device:
 *
 *     sum        of x                     every rank's device needs it for
 *     squares    of (x - sum / n)^2       which rank 0 alone needs
 *
 * So the first is an allreduce, the second a reduce. No rank sees elements of another, or
 * any sum on the host. The sums are reproducible: as many ranks as you like print the
 * same digits, of the sum on any devices.
 *
 *     mpicc -o mpi_sum mpi_sum.c $(pkg-config --cflags --libs clfold-mpi) -lm
 *     mpirun -n 2 ./mpi_sum FILE.npy      of dtype float32, in C order
 */
#include "mpi_example.h"

#include <math.h>

/* Of the `count` elements that are this rank's, and those of the others. */
static clfold_status sum(clfold_context *ctx, cl_command_queue queue, cl_mem x,
                         size_t count, cl_mem total, cl_mem squares)
{
    clfold_status status;

    /* [clfold_mpi_allreduce] */
    const clfold_fold sum = { .op = CLFOLD_ADD,
                              .type = CLFOLD_F32,
                              .accuracy = CLFOLD_REPRODUCIBLE };

    status = clfold_mpi_allreduce(ctx, MPI_COMM_WORLD, queue, &sum, x, 0, total, 0, count,
                                  0, NULL, NULL);
    /* [clfold_mpi_allreduce] */
    if (status != CLFOLD_OK) {
        return status;
    }
    /* [clfold_mpi_reduce] */
    /* n is the number of all elements, not of this rank's. */
    const clfold_arg args[] = { CLFOLD_BUFFER("global const float *", sum, total) };
    const clfold_fold deviations = { .op = CLFOLD_ADD,
                                     .type = CLFOLD_F32,
                                     .accuracy = CLFOLD_REPRODUCIBLE,
                                     .load = "(x - *sum / n) * (x - *sum / n)",
                                     .args = args,
                                     .num_args = 1 };

    status = clfold_mpi_reduce(ctx, MPI_COMM_WORLD, 0, queue, &deviations, x, 0, squares,
                               0, count, 0, NULL, NULL);
    /* [clfold_mpi_reduce] */
    return status;
}

static bool run(const struct example *e, const struct npy *npy, void *data)
{
    const size_t count = (size_t)npy->count;
    cl_mem x = example_buffer(e, count * sizeof(cl_float), data);
    cl_mem total = example_buffer(e, sizeof(cl_float), NULL);
    cl_mem squares = example_buffer(e, sizeof(cl_float), NULL);
    cl_float found[2] = { 0, 0 };
    clfold_context *ctx = NULL; /* made once a program, not once a call */
    bool done =
        mpi_all(x && total && squares &&
                clfold_ok(clfold_context_create(&ctx, e->context, e->device, NULL))) &&
        clfold_ok(sum(ctx, e->queue, x, count, total, squares));

    if (done && mpi_rank() == 0) {
        done = example_fetch(e, total, sizeof(cl_float), &found[0]) &&
               example_fetch(e, squares, sizeof(cl_float), &found[1]);
        const double all = npy->all > 0 ? (double)npy->all : 1;
        printf("%lld elements, sum %.9g, standard deviation %.9g\n", (long long)npy->all,
               (double)found[0], sqrt((double)found[1] / all));
    }
    clfold_context_destroy(&ctx);
    example_release(squares);
    example_release(total);
    example_release(x);
    return done;
}

int main(int argc, char **argv)
{
    struct npy npy;
    bool done = false;

    MPI_Init(&argc, &argv);
    if (argc != 2) {
        mpi_complain("usage", "mpi_sum FILE.npy");
    } else {
        struct example e = mpi_open();
        void *data = npy_read(&npy, argv[1], "'<f4'", MPI_FLOAT);
        if (mpi_all(data && e.queue)) {
            mpi_print_parts(&e, &npy);
            done = run(&e, &npy, data);
        }
        free(data);
        example_close(&e);
    }
    MPI_Finalize();
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
