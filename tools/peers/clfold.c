/* clfold itself, as a user calls it: addition built in, the other operators by text. */
#include "peer_opencl.h"

#include <clfold/clfold.h>

static struct peer_opencl opencl;
static clfold_context *context;
static clfold_fold fold;

static const struct {
    clfold_type type;
    const char *components;
} types[PEER_TYPES] = {
    [PEER_F32] = { CLFOLD_F32, "float x; float y" },
    [PEER_I32] = { CLFOLD_I32, "int x; int y" },
    [PEER_F64] = { CLFOLD_F64, "double x; double y" },
    [PEER_I64] = { CLFOLD_I64, "long x; long y" },
};

static clfold_fold fold_of(const struct peer_job *job)
{
    clfold_fold pairs = { .components = types[job->type].components,
                          .identity = "{ 1, 0 }" };

    switch (job->combine) {
    case PEER_DUAL:
        pairs.combine = "{ " PEER_TEXT(PEER_DUAL_OF) " }";
        pairs.flags = CLFOLD_COMMUTATIVE;
        return pairs;
    case PEER_AFFINE:
        pairs.combine = "{ " PEER_TEXT(PEER_AFFINE_OF) " }";
        return pairs;
    default:
        return clfold_builtin(CLFOLD_ADD, types[job->type].type);
    }
}

static void open_clfold(const struct peer_job *job, const void *data)
{
    fold = fold_of(job);
    peer_opencl_open(&opencl, job, data);
    if (clfold_context_create(&context, opencl.context, opencl.device, NULL)) {
        peer_fail("%s", clfold_last_error());
    }
}

static void call(size_t set)
{
    const struct peer_set *const s = &opencl.sets[set];
    const size_t count = opencl.job->count;
    const clfold_status status =
        opencl.job->scan ? clfold_inclusive_scan(context, opencl.queue, &fold, s->in, 0,
                                                 s->out, 0, count, 0, NULL, NULL)
                         : clfold_reduce(context, opencl.queue, &fold, s->in, 0, s->out,
                                         0, count, 0, NULL, NULL);

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
    const struct peer peer = {
        "clfold", false, open_clfold, call, read_out, close_clfold
    };

    return peer_main(argc, argv, &peer);
}
