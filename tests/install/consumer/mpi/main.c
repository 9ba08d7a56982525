/* The same on ranks of MPI: no device is needed to learn that there is no context. */
#include <clfold/mpi.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    const clfold_fold fold = clfold_builtin(CLFOLD_ADD, CLFOLD_F32);
    clfold_status status;

    MPI_Init(&argc, &argv);
    status = clfold_mpi_allreduce(NULL, MPI_COMM_WORLD, NULL, &fold, NULL, 0, NULL, 0, 1,
                                  0, NULL, NULL);
    if (status != CLFOLD_ERROR_ARGUMENT || !strstr(clfold_last_error(), "context")) {
        fprintf(stderr, "clfold_mpi_allreduce without a context: %s, %s\n",
                clfold_status_name(status), clfold_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    printf("%u\n", (unsigned)clfold_version());
    MPI_Finalize();
    return 0;
}
