#include "fixture.h"

#include "calls.h"
#include "clspy.h"
#include "oracle.h"

#include "ops/internal.h"

#include <pthread.h>

struct device device;
cl_mem input, output, items;
cl_long expected, prefixes[COUNT];

const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_I64, .in = CLFOLD_I32 };

#define WHOLE_SUM(how)                                                                   \
    {                                                                                    \
        .op = CLFOLD_ADD, .type = CLFOLD_F32, .in = CLFOLD_I32, .load = "(float)x",      \
        .result = "(long)item", .out = CLFOLD_I64, .flags = CLFOLD_PARTIAL,              \
        .accuracy = (how)                                                                \
    }
const clfold_fold compensated = WHOLE_SUM(CLFOLD_COMPENSATED);

/* All 0, so that there is one segment. */
static clfold_segments offsets = { .by = CLFOLD_BY_OFFSETS,
                                   .type = CLFOLD_U32,
                                   .num = 99 };
const clfold_fold by_offsets = {
    .op = CLFOLD_ADD, .type = CLFOLD_I64, .in = CLFOLD_I32, .segments = &offsets
};
const clfold_fold reproducible = WHOLE_SUM(CLFOLD_REPRODUCIBLE);

/* Any tile, so that a program that does not build can drop to the next; and no fences, so
 * that reductions take two launches. */
static const struct debug tiles = { .tile_elements = 1024,
                                    .max_groups = 50,
                                    .tier = MEMORY_LEGACY_64 };

const struct debug twenty_groups = { .tile_elements = 1024,
                                     .group_size = 8,
                                     .max_groups = 20,
                                     .anchor = 1,
                                     .tier = MEMORY_LEGACY_64 };

const clfold_segments *segments_for(const char *algorithm)
{
    static const clfold_segments row = { .by = CLFOLD_BY_LENGTH, .length = COUNT };

    return algorithm && strstr(algorithm, "_lanes") ? &row : NULL;
}

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

/* ---- Contexts and memory ----------------------------------------------------------- */

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

clfold_status make_call(clfold_context *context, cl_command_queue queue,
                        clfold_operation operation, const clfold_fold *fold, size_t count,
                        const cl_event *wait, cl_event *event)
{
    const clfold_fold own = fold_for(operation, fold);
    const struct call call = { .context = context,
                               .queue = queue,
                               .fold = &own,
                               .in = input,
                               .out = operation == CLFOLD_REDUCE ? output : items,
                               .count = count,
                               .num_wait = wait ? 1 : 0,
                               .wait = wait,
                               .event = event };

    for_calls(row, HAS_OUT)
    {
        if (row->operation == operation) {
            return row->make(&call);
        }
    }
    return CLFOLD_ERROR_UNSUPPORTED;
}

void assert_works(clfold_context *context, cl_command_queue queue)
{
    cl_long result = POISON;

    assert_ok(clfold_reduce_host(context, queue, &sum, input, 0, COUNT, &result,
                                 sizeof(result)));
    assert_int_equal(result, expected);
}

/* All items are POISON before a call; and their values after it. */
static cl_long poison[COUNT], found[COUNT];

void poison_output(void)
{
    assert_int_equal(clEnqueueWriteBuffer(device.queue, output, CL_TRUE, 0,
                                          sizeof(*poison), poison, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_int_equal(clEnqueueWriteBuffer(device.queue, items, CL_TRUE, 0, sizeof(poison),
                                          poison, 0, NULL, NULL),
                     CL_SUCCESS);
    /* A blocking write has only copied from the host when it returns. */
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
}

cl_long read_output(void)
{
    cl_long value = 0;

    assert_int_equal(clEnqueueReadBuffer(device.queue, output, CL_TRUE, 0, sizeof(value),
                                         &value, 0, NULL, NULL),
                     CL_SUCCESS);
    return value;
}

static void read_items(void)
{
    assert_int_equal(clEnqueueReadBuffer(device.queue, items, CL_TRUE, 0, sizeof(found),
                                         found, 0, NULL, NULL),
                     CL_SUCCESS);
}

bool items_are_poison(void)
{
    read_items();
    return memcmp(found, poison, sizeof(found)) == 0;
}

/* `sums`: an item is its element and the one before; else the element. */
static void assert_items(const char *after, bool sums)
{
    read_items();
    for (size_t i = 0; i < COUNT; ++i) {
        cl_long right = prefixes[i] - (sums || i == 0 ? 0 : prefixes[i - 1]);
        if (found[i] != right) {
            fail_msg("after %s failed, item %zu is %lld instead of %lld", after, i,
                     (long long)found[i], (long long)right);
        }
    }
}

void assert_scanned(const char *after)
{
    assert_items(after, true);
}

void assert_mapped(const char *after)
{
    assert_items(after, false);
}

int fixture_init(void **state)
{
    static cl_int values[COUNT];
    const struct pair pair = { CLFOLD_I32, CLFOLD_I64 };
    static cl_uint zeros[100];
    cl_int status;

    (void)state;
    device_init(&device);
    fill(values, CLFOLD_I32, COUNT, FILL_EXACT, 7);
    for (size_t i = 0; i < COUNT; ++i) {
        values[i] %= 800; /* all sums are whole floats */
    }
    oracle_fold(CLFOLD_ADD, pair, values, COUNT, NULL, &expected, NULL);
    oracle_scan(CLFOLD_ADD, pair, false, values, COUNT, NULL, prefixes, NULL, NULL);
    for (size_t i = 0; i < COUNT; ++i) {
        poison[i] = POISON;
    }
    input = clCreateBuffer(device.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                           sizeof(values), values, &status);
    if (status == CL_SUCCESS) {
        output = clCreateBuffer(device.context, CL_MEM_READ_WRITE, 2 * sizeof(cl_long),
                                NULL, &status);
    }
    if (status == CL_SUCCESS) {
        items = clCreateBuffer(device.context, CL_MEM_READ_WRITE, sizeof(prefixes), NULL,
                               &status);
    }
    if (status == CL_SUCCESS) {
        offsets.mem =
            clCreateBuffer(device.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                           sizeof(zeros), zeros, &status);
    }
    clspy_reset();
    return status == CL_SUCCESS ? 0 : -1;
}

int fixture_finish(void **state)
{
    (void)state;
    clReleaseMemObject(items);
    clReleaseMemObject(output);
    clReleaseMemObject(input);
    clReleaseMemObject(offsets.mem);
    device_finish(&device);
    return 0;
}
