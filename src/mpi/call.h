/*
 * The state of a call on many ranks, and its steps:
 *
 *   clfold_ranks_find    the communicator's duplicates, made by its first call
 *   clfold_agree         no rank has failed or differs; where this rank's part lies
 *   clfold_item_make     the part folded to an item: with segments, from the last one on
 *   clfold_items_join    the fold of the items before this rank's, or of all
 *   clfold_share         whether a rank has failed since
 *
 * A rank whose device fails keeps the failure in `status`, and has no item. It goes on to
 * meet the others in all that MPI does, until clfold_share tells them. What the steps
 * return is MPI's own failure, after which nobody can be met.
 */
#ifndef CLFOLD_MPI_CALL_H
#define CLFOLD_MPI_CALL_H

#include <clfold/experimental.h>
#include <clfold/mpi.h>

#include <stdbool.h>

/* Ranks that gather each other's items; of more, the first of each group meet again. */
#ifndef CLFOLD_MPI_GROUP
#define CLFOLD_MPI_GROUP 256
#endif
#define MAX_LEVELS  32
#define MAX_ARGS    8
#define SPARE_BYTES 4096 /* room for any result */
#define NUM_SLOTS   (CLFOLD_MPI_GROUP + MAX_LEVELS + 1)

/*
 *   level 2     0
 *   level 1     0        4        8     groups of two
 *   level 0     0  1  2  3  4  5  6  7  8
 *
 * Rank 0 of this picture is in three groups, 2 in two, and 3 in one.
 */
struct ranks {
    MPI_Comm all;
    MPI_Comm levels[MAX_LEVELS]; /* the groups that this rank is in, from the lowest */
    int num_levels;
    bool has_top; /* the last of them is the only one of its level */
    int rank, num;
    bool warned; /* that devices differ */
};

/* An item as it travels. */
struct item {
    unsigned char exists; /* else there were no elements */
    unsigned char cuts;   /* a segment starts in it, so nothing before it counts */
    unsigned char bytes[];
};

struct call {
    const char *name; /* "clfold_mpi_reduce" */
    clfold_operation operation;
    bool everywhere; /* a reduction's result, else at root */
    int root;
    clfold_context *context;
    struct ranks *ranks;
    cl_command_queue queue;
    cl_context device_context; /* the queue's */
    clfold_fold fold;          /* the caller's, of `part` */
    clfold_fold item_fold;     /* by which a part becomes an item */
    clfold_arg args[MAX_ARGS]; /* of item_fold */
    clfold_part part;
    clfold_layout layout;
    cl_mem in, out;
    size_t in_offset, out_offset, count;
    cl_uint num_wait;
    const cl_event *wait;
    cl_mem carry, spare;         /* what the part's fold writes */
    cl_mem before, key;          /* the carry and the last key before the part, or NULL */
    struct item *slots;          /* a group's, one for each level, and the rank's own */
    unsigned char *packed;       /* carries of a group */
    unsigned char key_before[8]; /* BY_KEYS: the last one before the part, */
    bool has_key;                /* if there is one */
    clfold_status status;        /* this rank's failure; its sentence is the thread's */
};

static inline bool is_scan(const struct call *call)
{
    return call->operation != CLFOLD_REDUCE;
}

static inline bool is_by(const struct call *call, uint32_t by)
{
    return call->fold.segments && call->fold.segments->by == by;
}

static inline size_t slot_size(const struct call *call)
{
    return sizeof(struct item) + call->layout.carry_size;
}

static inline struct item *slot(const struct call *call, int i)
{
    return (struct item *)((unsigned char *)call->slots + (size_t)i * slot_size(call));
}

/* Keeps the rank's first failure; an OpenCL call's is told by its name. */
void clfold_call_fail(struct call *call, clfold_status status, const char *sentence);
bool clfold_call_check(struct call *call, cl_int error, const char *function);

/* A buffer of the queue's context, with a copy of the data if there is any; or NULL. */
cl_mem clfold_call_buffer(struct call *call, size_t size, void *data);

int clfold_ranks_find(struct ranks **out, MPI_Comm comm);
int clfold_agree(struct call *call);
int clfold_share(struct call *call);

void clfold_item_prepare(struct call *call);
void clfold_item_make(struct call *call, struct item *item);

int clfold_items_join(struct call *call, struct item *mine);

#endif
