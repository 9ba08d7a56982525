/* What a communicator keeps: duplicates, of groups of ranks too, as its attribute. */
#include "call.h"

#include <pthread.h>
#include <stdlib.h>

static int keyval = MPI_KEYVAL_INVALID;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Frees them; as MPI calls it when the communicator goes. */
static int forget(MPI_Comm comm, int key, void *value, void *extra)
{
    struct ranks *ranks = value;

    (void)comm, (void)key, (void)extra;
    for (int k = 0; k < ranks->num_levels; ++k) {
        if (ranks->levels[k] != ranks->all) {
            MPI_Comm_free(&ranks->levels[k]);
        }
    }
    MPI_Comm_free(&ranks->all);
    free(ranks);
    return MPI_SUCCESS;
}

static void make_keyval(void)
{
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL);
}

/* Of one level the groups, and of their first ranks the next level. */
static int make_levels(struct ranks *ranks)
{
    MPI_Comm level = ranks->all, upper;
    int rank = ranks->rank, num = ranks->num, error;

    while (num > CLFOLD_MPI_GROUP && level != MPI_COMM_NULL) {
        const int is_first = rank % CLFOLD_MPI_GROUP == 0;
        if ((error = MPI_Comm_split(level, rank / CLFOLD_MPI_GROUP, rank,
                                    &ranks->levels[ranks->num_levels]))) {
            return error;
        }
        ++ranks->num_levels;
        error = MPI_Comm_split(level, is_first ? 0 : MPI_UNDEFINED, rank, &upper);
        if (level != ranks->all) {
            MPI_Comm_free(&level);
        }
        if (error) {
            return error;
        }
        level = upper;
        rank /= CLFOLD_MPI_GROUP;
        num = (num - 1) / CLFOLD_MPI_GROUP + 1;
    }
    ranks->has_top = level != MPI_COMM_NULL;
    if (ranks->has_top) {
        ranks->levels[ranks->num_levels++] = level;
    }
    return MPI_SUCCESS;
}

int clfold_ranks_find(struct ranks **out, MPI_Comm comm)
{
    int error, found = 0;

    pthread_once(&once, make_keyval);
    if ((error = MPI_Comm_get_attr(comm, keyval, out, &found)) || found) {
        return error;
    }
    struct ranks *ranks = calloc(1, sizeof(*ranks));
    MPI_Comm all;
    int lacks = !ranks;
    if ((error = MPI_Comm_dup(comm, &all))) {
        free(ranks);
        return error;
    }
    error = MPI_Allreduce(MPI_IN_PLACE, &lacks, 1, MPI_INT, MPI_MAX, all);
    if (error || lacks || !ranks) { /* on one of them */
        MPI_Comm_free(&all);
        free(ranks);
        return error ? error : MPI_ERR_NO_MEM;
    }
    ranks->all = all;
    if ((error = MPI_Comm_rank(comm, &ranks->rank)) ||
        (error = MPI_Comm_size(comm, &ranks->num)) || (error = make_levels(ranks)) ||
        (error = MPI_Comm_set_attr(comm, keyval, ranks))) {
        forget(comm, keyval, ranks, NULL);
        return error;
    }
    *out = ranks;
    return MPI_SUCCESS;
}
