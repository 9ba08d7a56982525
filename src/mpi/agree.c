/*
 * What ranks tell each other besides items: whether one has failed, whether their calls
 * are the same, and what lies before each: elements, and the last key.
 */
#include "call.h"

#include <stdio.h>
#include <string.h>

#define NOBODY UINT64_MAX

/* ---- Failures ---------------------------------------------------------------------- */

/* The lowest rank that failed tells the others why, and all fail alike. */
static int tell(struct call *call, uint64_t failed)
{
    struct {
        clfold_status status;
        char sentence[2000];
    } news = { call->status, "" };
    char text[2100], tail[64];

    if (failed == (uint64_t)call->ranks->rank) {
        const char *said = clfold_last_error();
        const size_t own = strlen(call->name);
        said += strncmp(said, call->name, own) == 0 && said[own] == ':' ? own + 2 : 0;
        snprintf(news.sentence, sizeof(news.sentence), "%s", said);
        snprintf(tail, sizeof(tail), " (%s)", clfold_status_name(call->status));
        char *end = strstr(news.sentence, tail);
        if (end) {
            *end = '\0';
        }
    }
    const int error =
        MPI_Bcast(&news, sizeof(news), MPI_BYTE, (int)failed, call->ranks->all);
    if (!error) {
        snprintf(text, sizeof(text), "rank %d: %s", (int)failed, news.sentence);
        call->status = clfold_set_error(call->context, news.status, call->name, text);
    }
    return error;
}

int clfold_share(struct call *call)
{
    uint64_t failed = call->status ? (uint64_t)call->ranks->rank : NOBODY;
    const int error =
        MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_UINT64_T, MPI_MIN, call->ranks->all);

    return error || failed == NOBODY ? error : tell(call, failed);
}

/* ---- Differences ------------------------------------------------------------------- */

/* FNV-1a. */
static uint64_t hash(uint64_t h, const void *data, size_t size)
{
    for (size_t i = 0; i < size; ++i) {
        h = (h ^ ((const unsigned char *)data)[i]) * 1099511628211u;
    }
    return h;
}

static uint64_t hash_args(const clfold_fold *fold)
{
    uint64_t h = 0;

    for (size_t k = 0; k < fold->num_args; ++k) {
        const clfold_arg *arg = &fold->args[k];
        h = hash(h, arg->name, arg->name ? strlen(arg->name) + 1 : 0);
        h = hash(h, arg->type, arg->type ? strlen(arg->type) + 1 : 0);
        h = hash(h, &arg->size, sizeof(arg->size));
        h = hash(h, &arg->element, sizeof(arg->element));
    }
    return h;
}

/* Without padding. */
static uint64_t hash_init(const struct call *call)
{
    uint64_t h = call->fold.init_size;

    for (uint32_t k = 0; call->fold.init && k < call->layout.num_fields; ++k) {
        const clfold_field *field = &call->layout.fields[k];
        h = hash(h, (const unsigned char *)call->fold.init + field->offset, field->size);
    }
    return h;
}

#define MAX_FIELDS    32
#define NUMBER(field) #field, &fold->field, sizeof(fold->field)
#define TEXT(field)   #field, fold->field, fold->field ? strlen(fold->field) + 1 : 0

/* What must be the same on all ranks, as a hash each. Returns how many. */
static uint32_t hash_fields(const struct call *call, uint64_t hashes[MAX_FIELDS],
                            const char *names[MAX_FIELDS])
{
    static const clfold_segments whole;
    const clfold_fold *fold = &call->fold;
    const clfold_segments *segments = fold->segments ? fold->segments : &whole;
    const uint32_t version = clfold_version();
    const uint64_t args = hash_args(fold), init = hash_init(call);
    const uint32_t heads[2] = { segments->by, segments->type };
    const bool has_init_at = fold->init_at.mem != NULL;
    const struct {
        const char *name;
        const void *data;
        size_t size;
    } list[] = {
        { "clfold", &version, sizeof(version) },
        { "call", call->name, strlen(call->name) },
        { "root", &call->root, sizeof(call->root) },
        { NUMBER(op) },
        { NUMBER(type) },
        { NUMBER(in) },
        { NUMBER(out) },
        { NUMBER(in_scalars) },
        { NUMBER(out_scalars) },
        { NUMBER(accuracy) },
        { NUMBER(flags) },
        { NUMBER(type_size) },
        { TEXT(components) },
        { TEXT(type_name) },
        { TEXT(source) },
        { TEXT(combine) },
        { TEXT(identity) },
        { TEXT(cuts) },
        { TEXT(load) },
        { TEXT(result) },
        { TEXT(equal) },
        { "args", &args, sizeof(args) },
        { "segments", heads, sizeof(heads) },
        { "init", &init, sizeof(init) },
        { "init_at", &has_init_at, sizeof(has_init_at) },
        { "layout", &call->layout.carry_size, sizeof(call->layout.carry_size) },
    };
    const uint32_t num = sizeof(list) / sizeof(list[0]);

    for (uint32_t k = 0; k < num; ++k) {
        names[k] = list[k].name;
        hashes[k] = hash(list[k].size, list[k].data, list[k].size);
    }
    return num;
}

/* The lowest rank that differs from rank 0 says in what. */
static int tell_difference(struct call *call, const uint64_t hashes[MAX_FIELDS],
                           const char *const names[MAX_FIELDS], uint32_t num)
{
    uint64_t others[MAX_FIELDS];
    char sentence[200];
    uint32_t k = 0;
    int error;

    memcpy(others, hashes, sizeof(others));
    if ((error = MPI_Bcast(others, MAX_FIELDS, MPI_UINT64_T, 0, call->ranks->all))) {
        return error;
    }
    while (k < num && others[k] == hashes[k]) {
        ++k;
    }
    if (k < num) {
        snprintf(sentence, sizeof(sentence), "%s is not the same as on rank 0", names[k]);
        clfold_call_fail(call, CLFOLD_ERROR_ARGUMENT, sentence);
    }
    return clfold_share(call);
}

/* ---- Devices ----------------------------------------------------------------------- */

static uint64_t hash_device(const struct call *call)
{
    static const cl_device_info names[] = { CL_DEVICE_NAME, CL_DEVICE_VERSION,
                                            CL_DRIVER_VERSION };
    cl_device_id device = NULL;
    char text[1024];
    size_t size;
    uint64_t h = 0;

    clGetCommandQueueInfo(call->queue, CL_QUEUE_DEVICE, sizeof(device), &device, NULL);
    for (size_t k = 0; device && k < sizeof(names) / sizeof(names[0]); ++k) {
        if (clGetDeviceInfo(device, names[k], sizeof(text), text, &size) == CL_SUCCESS) {
            h = hash(h, text, size);
        }
    }
    return h;
}

/* Whether a fold has the same bits on every device: of integers, or one that rounds
 * nothing. What a load of floats gives may differ. */
static bool is_exact(const struct call *call)
{
    const clfold_fold *fold = &call->fold;
    bool is = !fold->load || (fold->in > 0 && fold->in < CLFOLD_F16);

    for (uint32_t k = 0; k < call->layout.num_fields; ++k) {
        const clfold_type type = call->layout.fields[k].type;
        is = is && type > 0 && type < CLFOLD_F16;
    }
    return is ||
           (!fold->load && (fold->accuracy == CLFOLD_REPRODUCIBLE ||
                            (fold->op >= CLFOLD_MIN && fold->op <= CLFOLD_MIN_MAX)));
}

static void warn_of_devices(struct call *call)
{
    char line[200];

    if (call->ranks->rank == 0 && !call->ranks->warned && !is_exact(call)) {
        snprintf(line, sizeof(line),
                 "%s: ranks have different devices, so the bits of results depend on "
                 "which rank has which",
                 call->name);
        clfold_log_line(call->context, CLFOLD_LOG_WARNING, line);
        call->ranks->warned = true;
    }
}

/* ---- Where the part lies ----------------------------------------------------------- */

/* What is known of a part, or of neighbouring ones. */
struct before {
    uint64_t count;
    uint64_t has_key;
    unsigned char key[8]; /* the last one */
};

/* *b becomes both, of which *a is the earlier; as MPI calls it, of one pair. */
/* NOLINTNEXTLINE(readability-non-const-parameter) */
static void join_before(void *a, void *b, int *num, MPI_Datatype *type)
{
    const struct before *from = a;
    struct before *to = b;

    (void)num;
    (void)type;
    to->count += from->count;
    if (!to->has_key) {
        to->has_key = from->has_key;
        memcpy(to->key, from->key, sizeof(to->key));
    }
}

static void read_last_key(struct call *call, struct before *mine)
{
    const clfold_segments *segments = call->fold.segments;
    const size_t size = clfold_type_size(segments->type);

    mine->has_key = 1;
    clfold_call_check(call,
                      clEnqueueReadBuffer(call->queue, segments->mem, CL_TRUE,
                                          (segments->offset + call->count - 1) * size,
                                          size, mine->key, 0, NULL, NULL),
                      "clEnqueueReadBuffer");
}

static int find_before(struct call *call)
{
    struct before mine = { .count = call->count }, before = { 0 };
    MPI_Datatype type;
    MPI_Op op;
    int error;

    if (!call->status && is_by(call, CLFOLD_BY_KEYS) && call->count > 0) {
        read_last_key(call, &mine);
    }
    if ((error = MPI_Type_contiguous(sizeof(mine), MPI_BYTE, &type)) ||
        (error = MPI_Type_commit(&type)) ||
        (error = MPI_Op_create(join_before, 0, &op))) {
        return error;
    }
    error = MPI_Exscan(&mine, &before, 1, type, op, call->ranks->all);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    if (call->ranks->rank > 0) {
        call->part.first = before.count;
        call->has_key = before.has_key != 0;
        memcpy(call->key_before, before.key, sizeof(before.key));
    }
    return error;
}

/* ---- All of it --------------------------------------------------------------------- */

/* The least of each word over all ranks. Of what is the same everywhere, that of the
 * complement is its complement; and the last part ends at the whole. */
enum { FAILED, CALL, NOT_CALL, DEVICE, NOT_DEVICE, NOT_END, NUM_WORDS };

int clfold_agree(struct call *call)
{
    uint64_t hashes[MAX_FIELDS] = { 0 }, words[NUM_WORDS];
    const char *names[MAX_FIELDS];
    int error = find_before(call);

    if (error) {
        return error;
    }
    const uint32_t num = call->status ? 0 : hash_fields(call, hashes, names);
    words[FAILED] = call->status ? (uint64_t)call->ranks->rank : NOBODY;
    words[CALL] = hash(0, hashes, num * sizeof(hashes[0]));
    words[DEVICE] = call->status ? 0 : hash_device(call);
    words[NOT_CALL] = ~words[CALL];
    words[NOT_DEVICE] = ~words[DEVICE];
    words[NOT_END] = ~(call->part.first + call->count);
    if ((error = MPI_Allreduce(MPI_IN_PLACE, words, NUM_WORDS, MPI_UINT64_T, MPI_MIN,
                               call->ranks->all))) {
        return error;
    }
    call->part.whole = ~words[NOT_END];
    if (words[FAILED] != NOBODY) {
        return tell(call, words[FAILED]);
    }
    if (words[CALL] != ~words[NOT_CALL]) {
        return tell_difference(call, hashes, names, num);
    }
    if (words[DEVICE] != ~words[NOT_DEVICE]) {
        warn_of_devices(call);
    }
    return MPI_SUCCESS;
}
