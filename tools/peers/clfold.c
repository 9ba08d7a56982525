/* clfold itself, as a user calls it. */
#include "peer_opencl.h"

#include <clfold/clfold.h>

static struct peer_opencl opencl;
static clfold_context *context;

static const clfold_fold sums[PEER_TYPES] = {
    [PEER_F32] = { .op = CLFOLD_ADD, .type = CLFOLD_F32 },
    [PEER_I32] = { .op = CLFOLD_ADD, .type = CLFOLD_I32 },
    [PEER_F64] = { .op = CLFOLD_ADD, .type = CLFOLD_F64 },
    [PEER_I64] = { .op = CLFOLD_ADD, .type = CLFOLD_I64 },
};

static void open_clfold(const struct peer_job *job, const void *data)
{
    peer_opencl_open(&opencl, job, data);
    if (clfold_context_create(&context, opencl.context, opencl.device, NULL)) {
        peer_fail("%s", clfold_last_error());
    }
}

static void call(size_t set)
{
    const struct peer_set *const s = &opencl.sets[set];
    const clfold_fold *const sum = &sums[opencl.job->type];
    const size_t count = opencl.job->count;
    const clfold_status status =
        opencl.job->scan ? clfold_inclusive_scan(context, opencl.queue, sum, s->in, 0,
                                                 s->out, 0, count, 0, NULL, NULL)
                         : clfold_reduce(context, opencl.queue, sum, s->in, 0, s->out, 0,
                                         count, 0, NULL, NULL);

    if (status != CLFOLD_OK) {
        peer_fail("%s", clfold_last_error());
    }
    peer_opencl_finish(&opencl);
}

static void read_out(size_t set, void *to)
{
    peer_opencl_read(&opencl, set, to);
}

static void close_clfold(void)
{
    clfold_context_destroy(&context);
    peer_opencl_close(&opencl);
}

int main(int argc, char **argv)
{
    const struct peer peer = { "clfold", open_clfold, call, read_out, close_clfold };

    return peer_main(argc, argv, &peer);
}
