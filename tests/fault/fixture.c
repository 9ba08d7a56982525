#include "fixture.h"

#include "clspy.h"
#include "subjects_of_text.h"

#include <pthread.h>

cl_mem input, output;
cl_long expected;

const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_I64, .in = CLFOLD_I32 };

static const struct debug tiles = TILES;
const struct debug twenty_groups = { .tile_elements = 1024,
                                     .group_size = 8,
                                     .max_groups = 20,
                                     .anchor = 1,
                                     .tier = MEMORY_LEGACY_64 };

/* ---- The log ----------------------------------------------------------------------- */

#define MAX_MESSAGES 64

struct message {
    int level;
    char text[512]; /* longer ones are cut */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct message messages[MAX_MESSAGES];
static size_t num_messages;

static void keep(void *user, int level, const char *text)
{
    (void)user;
    pthread_mutex_lock(&lock);
    if (num_messages == MAX_MESSAGES) {
        fprintf(stderr, "the log is full: %s\n", text);
        abort();
    }
    struct message *message = &messages[num_messages++];
    message->level = level;
    snprintf(message->text, sizeof(message->text), "%s", text);
    pthread_mutex_unlock(&lock);
}

void log_clear(void)
{
    pthread_mutex_lock(&lock);
    num_messages = 0;
    pthread_mutex_unlock(&lock);
}

bool log_has(int level, const char *one, const char *other)
{
    bool found = false;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < num_messages; ++i) {
        found |= messages[i].level == level && strstr(messages[i].text, one) &&
                 strstr(messages[i].text, other);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

size_t log_count(int level)
{
    size_t count = 0;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < num_messages; ++i) {
        count += messages[i].level == level;
    }
    pthread_mutex_unlock(&lock);
    return count;
}

/* ---- Contexts ---------------------------------------------------------------------- */

clfold_status context_open(clfold_context **out, const clfold_context_params *params)
{
    clfold_context_params with_log = params ? *params : (clfold_context_params){ 0 };

    with_log.log = keep;
    clfold_status status =
        clfold_context_create(out, device.context, device.id, &with_log);
    if (status == CLFOLD_OK) {
        clfold_context_override(*out, &tiles);
    }
    return status;
}

void assert_works(clfold_context *context, cl_command_queue queue)
{
    cl_long result = POISON;

    assert_ok(clfold_reduce_host(context, queue, &sum, input, 0, COUNT, &result,
                                 sizeof(result)));
    assert_int_equal(result, expected);
}

int fixture_init(void **state)
{
    static cl_int values[COUNT];
    const struct pair pair = { CLFOLD_I32, CLFOLD_I64 };

    (void)state;
    device_init(&device);
    fill(values, CLFOLD_I32, COUNT, FILL_EXACT, 7);
    oracle_fold(CLFOLD_ADD, pair, values, COUNT, NULL, &expected, NULL);
    input = copied_buffer(values, sizeof(values));
    output = coloured_buffer(2 * sizeof(cl_long));
    clspy_reset();
    return 0;
}

int fixture_finish(void **state)
{
    (void)state;
    clReleaseMemObject(output);
    clReleaseMemObject(input);
    device_finish(&device);
    return 0;
}

/* ---- Calls ------------------------------------------------------------------------- */

takes_call *on_call;

/* The linker calls __wrap_clfold_x for clfold_x, in the tests' support as well. */
#define PARAMS                                                                           \
    clfold_context *context, cl_command_queue queue, const clfold_fold *fold, cl_mem in, \
        size_t in_offset, cl_mem out, size_t out_offset, size_t count, cl_uint num_wait, \
        const cl_event *wait, cl_event *event
#define WRAP(name, operation)                                                            \
    clfold_status __real_clfold_##name(PARAMS);                                          \
    clfold_status __wrap_clfold_##name(PARAMS);                                          \
    clfold_status __wrap_clfold_##name(PARAMS)                                           \
    {                                                                                    \
        const struct call call = { context, queue,      fold,  in,       in_offset,      \
                                   out,     out_offset, count, num_wait, wait,           \
                                   event,   NULL,       0 };                             \
        return on_call ? on_call(operation, &call) : forward(operation, &call);          \
    }                                                                                    \
    struct call

WRAP(reduce, CLFOLD_REDUCE);
WRAP(inclusive_scan, CLFOLD_INCLUSIVE_SCAN);
WRAP(exclusive_scan, CLFOLD_EXCLUSIVE_SCAN);
WRAP(map, CLFOLD_MAP);
WRAP(select, CLFOLD_SELECT);

clfold_status forward(clfold_operation operation, const struct call *call)
{
    clfold_status (*const reals[])(PARAMS) = {
        [CLFOLD_REDUCE] = __real_clfold_reduce,
        [CLFOLD_INCLUSIVE_SCAN] = __real_clfold_inclusive_scan,
        [CLFOLD_EXCLUSIVE_SCAN] = __real_clfold_exclusive_scan,
        [CLFOLD_MAP] = __real_clfold_map,
        [CLFOLD_SELECT] = __real_clfold_select,
    };

    return reals[operation](call->context, call->queue, call->fold, call->in,
                            call->in_offset, call->out, call->out_offset, call->count,
                            call->num_wait, call->wait, call->event);
}

clfold_status forward_alone(clfold_operation operation, const struct call *call)
{
    struct call alone = *call;

    alone.num_wait = 0;
    alone.wait = NULL;
    alone.event = NULL;
    return forward(operation, &alone);
}

/* What the folds of texts are on the host. */
COMBINE(add_i64, cl_long, x[0] + y[0]);
LOAD(load_wide, cl_long, (cl_int)u32_of(e, i));
WRITE(write_step, cl_long, *(const cl_long *)item - *(const cl_long *)prev);
WRITE(write_twice, cl_long, 2 * *(const cl_long *)item);

static const cl_long seven = 7;
static const clfold_arg args[] = { CLFOLD_VALUE("long", m, seven) };

#define I32_INTO_I64 .type = CLFOLD_I64, .in = CLFOLD_I32, .flags = CLFOLD_PARTIAL
#define ON_I64                                                                           \
    .size = 8, .in_size = 4, .identity = zeros, .combine = add_i64, .load = load_wide,   \
    .most = 1000
/* In vectors it is compared, by a program of its own. */
const struct subject by_text = { FOLD(.name = "text", .type = CLFOLD_I64,
                                      .in = CLFOLD_I32, .combine = "a + b + 0 * m",
                                      .identity = "0", .args = args, .num_args = 1),
                                 ON_I64 };
static const struct subject step = {
    FOLD(.name = "step", .op = CLFOLD_ADD, .result = "item - prev + 0 * x", I32_INTO_I64),
    ON_I64, .write = write_step, .writes_of_element = true
};
static const struct subject twice = { FOLD(.name = "twice", .result = "2 * item",
                                           I32_INTO_I64),
                                      ON_I64, .write = write_twice, .is_map = true };

#define REDUCE      .operation = CLFOLD_REDUCE
#define SCAN        .operation = CLFOLD_INCLUSIVE_SCAN
#define SCAN_BEFORE .operation = CLFOLD_EXCLUSIVE_SCAN
#define TEXT(which) .subject = &(which), .plan = TILES, .count = COUNT
#define FLOATS(how)                                                                      \
    .op = CLFOLD_ADD, .pair = { CLFOLD_F32, CLFOLD_F32 }, .plan = TILES, .count = COUNT, \
    .rounds = true, .accuracy = CLFOLD_##how
#define ROW                .width = 1, .length = COUNT
#define HEADS(way, scalar) .by = CLFOLD_BY_##way, .head_type = (scalar)

const struct named_trial calls[] = {
    { "reduce, nothing", { REDUCE, INTS(0) } },
    { "reduce, one launch", { REDUCE, INTS(16) } },
    { "reduce", { REDUCE, INTS(COUNT) } },
    { "reduce6", { REDUCE, INTS(COUNT), .algorithm = "reduce6" } },
    { "reduce_lanes", { REDUCE, INTS(COUNT), .algorithm = "reduce_lanes", ROW } },
    { "reduce columns", { REDUCE, INTS(COUNT), .width = 4, .length = 100 } },
    { "reduce by a text", { REDUCE, TEXT(by_text) } },
    { "compensated sum", { REDUCE, FLOATS(COMPENSATED) } },
    { "reproducible sum", { REDUCE, FLOATS(REPRODUCIBLE) } },
    { "reproducible reduce_lanes",
      { REDUCE, FLOATS(REPRODUCIBLE), .algorithm = "reduce_lanes", ROW } },
    { "reduce by offsets", { REDUCE, INTS(COUNT), HEADS(OFFSETS, CLFOLD_U64) } },
    { "reduce by keys", { REDUCE, INTS(COUNT), HEADS(KEYS, CLFOLD_U8), .lists = true } },
    { "scan, nothing", { SCAN, INTS(0) } },
    { "scan, few", { SCAN, INTS(16) } },
    { "exclusive scan, few", { SCAN_BEFORE, INTS(16) } },
    { "scan_single_group",
      { SCAN, INTS(COUNT), .algorithm = "scan_single_group", .init = INIT_DEVICE } },
    { "reduce_then_scan",
      { SCAN, INTS(COUNT), .algorithm = "reduce_then_scan", .total = TOTAL_APART } },
    { "scan_then_propagate",
      { SCAN_BEFORE, INTS(COUNT), .algorithm = "scan_then_propagate" } },
    { "scan_lookback", { SCAN, INTS(COUNT), .algorithm = "scan_lookback" } },
    { "exclusive scan_lookback",
      { SCAN_BEFORE, INTS(COUNT), .algorithm = "scan_lookback" } },
    { "scan from the right, count in memory",
      { SCAN, INTS(COUNT), .reverse = true, .count_at = true, .spare = 7 } },
    { "scan_lanes", { SCAN_BEFORE, INTS(COUNT), .algorithm = "scan_lanes", ROW } },
    { "scan by a text", { SCAN, TEXT(by_text) } },
    { "scan with a result", { SCAN, TEXT(step), .algorithm = "reduce_then_scan" } },
    { "scan_lookback with a result", { SCAN, TEXT(step), .algorithm = "scan_lookback" } },
    { "scan_lanes with a result", { SCAN, TEXT(step), .algorithm = "scan_lanes", ROW } },
    { "compensated scan",
      { SCAN, FLOATS(COMPENSATED), .algorithm = "reduce_then_scan" } },
    { "compensated scan_lookback",
      { SCAN, FLOATS(COMPENSATED), .algorithm = "scan_lookback" } },
    { "scan by flags", { SCAN, INTS(COUNT), HEADS(FLAGS, CLFOLD_U8) } },
    { "scan by offsets",
      { SCAN_BEFORE, INTS(COUNT), .algorithm = "reduce_then_scan",
        HEADS(OFFSETS, CLFOLD_U32) } },
    { "map", { .operation = CLFOLD_MAP, TEXT(twice) } },
    { "map, nothing", { .operation = CLFOLD_MAP, .subject = &twice, .plan = TILES } },
    { "reduce by keys of a count",
      { REDUCE, INTS(COUNT), HEADS(KEYS, CLFOLD_U8), .count_at = true, .spare = 7 } },
};
const size_t num_calls = sizeof(calls) / sizeof(calls[0]);
