/* clfold itself, as a user calls it: addition built in, with a load of text or none, and
 * the other operators by text. */
#include "peer_opencl.h"

#include <clfold/clfold.h>

#include <stdio.h>

static struct peer_opencl opencl;
static clfold_context *context;
static clfold_fold fold;
static clfold_segments segments[PEER_OPS] = {
    [PEER_SEGMENTS] = { .by = CLFOLD_BY_FLAGS, .type = CLFOLD_U8 },
    [PEER_ROWS] = { .by = CLFOLD_BY_LENGTH, .length = PEER_ROW },
    [PEER_OFFSETS] = { .by = CLFOLD_BY_OFFSETS, .type = CLFOLD_U32 },
    [PEER_KEYS] = { .by = CLFOLD_BY_KEYS, .type = CLFOLD_U32 },
};
static char keep[32];

static const struct {
    clfold_type type;
    const char *components, *above; /* above: PEER_ABOVE_OF, in vectors, too */
} types[PEER_TYPES] = {
    [PEER_F32] = { CLFOLD_F32, "float x; float y", "x > 40 ? 1.0f : 0.0f" },
    [PEER_I32] = { CLFOLD_I32, "int x; int y", "x > 40 ? 1 : 0" },
    [PEER_F64] = { CLFOLD_F64, "double x; double y", "x > 40 ? 1.0 : 0.0" },
    [PEER_I64] = { CLFOLD_I64, "long x; long y", "x > 40 ? 1L : 0L" },
};

static clfold_fold fold_of(const struct peer_job *job)
{
    clfold_fold pairs = { .components = types[job->type].components,
                          .identity = "{ 1, 0 }" };
    clfold_fold sum = clfold_builtin(CLFOLD_ADD, types[job->type].type);

    switch (job->combine) {
    case PEER_DUAL:
        pairs.combine = "{ " PEER_TEXT(PEER_DUAL_OF) " }";
        pairs.flags = CLFOLD_COMMUTATIVE;
        return pairs;
    case PEER_AFFINE:
        pairs.combine = "{ " PEER_TEXT(PEER_AFFINE_OF) " }";
        return pairs;
    case PEER_SQUARES:
        sum.load = PEER_TEXT(PEER_SQUARES_OF);
        return sum;
    case PEER_DOT:
        sum.load = PEER_TEXT(PEER_DOT_OF);
        return sum;
    case PEER_ABOVE:
        sum.load = types[job->type].above;
        return sum;
    default:
        return sum;
    }
}

static void open_clfold(const struct peer_job *job, const void *data)
{
    fold = fold_of(job);
    if (job->op == PEER_SELECT || job->op == PEER_PARTITION) {
        snprintf(keep, sizeof(keep), "x > %d", job->above);
        fold.keep = keep;
    } else if (job->op == PEER_UNIQUE || job->op == PEER_RLE) {
        fold.same = "a == b";
    }
    if (job->op == PEER_MAP || fold.keep || fold.same) {
        fold.op = 0;
        fold.combine = fold.identity = NULL;
        fold.flags = 0;
    }
    segments[PEER_OFFSETS].num = job->segments;
    if (segments[job->op].by) {
        fold.segments = &segments[job->op];
    }
    peer_opencl_open(&opencl, job, data);
    if (clfold_context_create(&context, opencl.context, opencl.device, NULL)) {
        peer_fail("%s", clfold_last_error());
    }
}

static clfold_status (*const calls[PEER_OPS])(clfold_context *, cl_command_queue,
                                              const clfold_fold *, cl_mem, size_t, cl_mem,
                                              size_t, size_t, cl_uint, const cl_event *,
                                              cl_event *) = {
    [PEER_REDUCE] = clfold_reduce,
    [PEER_SCAN] = clfold_inclusive_scan,
    [PEER_SEGMENTS] = clfold_inclusive_scan,
    [PEER_MAP] = clfold_map,
    [PEER_ROWS] = clfold_reduce,
    [PEER_OFFSETS] = clfold_reduce,
    [PEER_SELECT] = clfold_select,
    [PEER_PARTITION] = clfold_select,
    [PEER_UNIQUE] = clfold_select,
    [PEER_RLE] = clfold_select,
    [PEER_KEYS] = clfold_reduce,
};

/* What is written besides. */
static void set_places(const struct peer_job *job, cl_mem out)
{
    const size_t at = job->also_at;

    fold.num_out = (clfold_place){ out, job->num_at / 8 };
    if (job->op == PEER_PARTITION) {
        fold.rest_out = (clfold_place){ out, at / job->item };
    } else if (job->op == PEER_RLE) {
        fold.lengths_out = (clfold_place){ out, at / 8 };
    } else if (job->op == PEER_KEYS) {
        fold.keys_out = (clfold_place){ out, at / 4 };
    }
}

static void call(size_t set)
{
    const struct peer_set *const s = &opencl.sets[set];
    const size_t count = opencl.job->count;
    const clfold_arg y = CLFOLD_STREAM(types[opencl.job->type].type, y, s->in, count);

    if (opencl.job->combine == PEER_DOT) {
        fold.args = &y;
        fold.num_args = 1;
    }
    if (opencl.job->op == PEER_SEGMENTS) {
        segments[PEER_SEGMENTS].mem = s->in;
        segments[PEER_SEGMENTS].offset = opencl.job->flags_at;
    }
    if (opencl.job->op == PEER_OFFSETS || opencl.job->op == PEER_KEYS) {
        segments[opencl.job->op].mem = s->in;
        segments[opencl.job->op].offset = opencl.job->flags_at / sizeof(cl_uint);
    }
    if (opencl.job->op > PEER_OFFSETS) {
        set_places(opencl.job, s->out);
    }
    if (calls[opencl.job->op](context, opencl.queue, &fold, s->in, 0, s->out, 0, count, 0,
                              NULL, NULL)) {
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
