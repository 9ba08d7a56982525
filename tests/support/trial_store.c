/* What a trial lies in: buffers, each between bytes that must stay; and their sizes. */
#include "subjects_of_text.h"
#include "trial_run.h"

#include <stdlib.h>

#define ZONE 64 /* elements on either side */
#define LINE 64 /* bytes, of which host memory begins past a multiple */

/* ---- Sizes and words --------------------------------------------------------------- */

size_t trial_element_size(const struct trial *trial)
{
    const struct subject *s = trial->subject;

    return !s ? size_of(trial->pair.in) : s->in_size ? s->in_size : s->size;
}

static size_t item_size(const struct trial *trial)
{
    return trial->subject ? trial->subject->size
                          : result_size(trial->op, trial->pair.type);
}

size_t trial_result_size(const struct trial *trial)
{
    const struct subject *s = trial->subject;

    return s && s->out_size ? s->out_size : item_size(trial);
}

/* How many segments there are to be found, and the bound that the call gives. */
static void count_found(struct run *run)
{
    const struct trial *trial = run->trial;
    size_t bounds[NUM_BOUNDS];

    for (size_t i = 0; i < trial->count; ++i) {
        run->num_found += run->starts[i] != 0;
    }
    bounds[BOUND_NONE] = 0;
    bounds[BOUND_BELOW] = run->num_found / 3;
    bounds[BOUND_AT] = run->num_found;
    bounds[BOUND_ABOVE] = run->num_found + 1 + trial->seed % 50;
    run->bound = bounds[trial->bound];
    run->room = trial->count + trial->spare;
    run->room = run->bound > 0 ? least(run->bound, run->room) : run->room;
}

/* Of a select the most; run_expect() knows better. */
static size_t num_results(const struct run *run)
{
    const struct trial *trial = run->trial;
    const size_t block = trial->length * trial->width;

    return !trial_reduces(trial) ? trial->count
           : trial_finds(trial)  ? least(run->num_found, run->room)
           : trial->by           ? run->num_heads - 1
           : block == 0          ? 1
                                 : (trial->count + block - 1) / block * trial->width;
}

/* ---- Buffers ----------------------------------------------------------------------- */

/* Memory of the run, to its end; NULL: there is none. */
static void *lend(struct run *run, size_t bytes)
{
    void **block = &run->blocks[run->num_blocks++];

    *block = calloc(1, bytes + 1);
    run->lacks_memory |= !*block;
    return *block;
}

/* A store of the run for `num` elements; the flags of its buffer, or 0: it has none. */
static void add_store(struct run *run, struct store *store, size_t element, size_t front,
                      size_t num, cl_mem_flags flags)
{
    store->element = element;
    store->front = front;
    store->bytes = (front + num) * element;
    store->flags = flags;
    store->before = lend(run, store->bytes);
    store->after = lend(run, store->bytes);
    if (store->before) {
        memset(store->before, COLOUR, store->bytes);
    }
    run->stores[run->num_stores++] = store;
}

/* Over memory of the host, so many bytes past a multiple of LINE. */
static void put_on_host(struct store *store, size_t shift)
{
    store->is_on_host = true;
    store->shift = shift;
}

static bool store_upload(struct store *store)
{
    cl_mem_flags flags = store->flags;
    const bool host = store->is_on_host;
    void *from = store->before;
    cl_int status;

    if (flags == 0) {
        return true;
    }
    if (host) {
        size_t bytes = (store->bytes + 2 * LINE) / LINE * LINE;
        store->host = aligned_alloc(LINE, bytes);
        if (!store->host) {
            return false;
        }
        memset(store->host, COLOUR, bytes);
        from = memcpy(store->host + store->shift, store->before, store->bytes);
    }
    if (store->bytes == 0) { /* no buffer is so small */
        store->mem = clCreateBuffer(device.context, flags, 1, NULL, &status);
        return status == CL_SUCCESS;
    }
    flags |= host ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR;
    store->mem = clCreateBuffer(device.context, flags, store->bytes, from, &status);
    return status == CL_SUCCESS;
}

cl_int store_download(const struct store *store, cl_command_queue queue)
{
    return store->mem && store->bytes > 0
               ? clEnqueueReadBuffer(queue, store->mem, CL_TRUE, 0, store->bytes,
                                     store->after, 0, NULL, NULL)
               : CL_SUCCESS;
}

bool store_kept(const struct store *store, size_t from, size_t count)
{
    if (!store->mem) {
        return true;
    }
    size_t begin = (store->front + from) * store->element;
    size_t end = begin + count * store->element;
    bool kept = memcmp(store->before, store->after, begin) == 0 &&
                memcmp(store->before + end, store->after + end, store->bytes - end) == 0;

    for (size_t i = 0; store->host && i < LINE; ++i) {
        size_t beside = i < store->shift ? i : i + store->bytes;
        kept = kept && store->host[beside] == COLOUR;
    }
    return kept;
}

/* ---- The run ----------------------------------------------------------------------- */

/* How many segments there are, or more than the call says. Offsets that are not there
 * are of segments that would show: of all elements, or past the end. */
static void put_number(struct run *run)
{
    const struct trial *trial = run->trial;
    const bool is_more = trial->more == 0 && trial->seed % 3 == 0;
    const cl_ulong number = is_more              ? ~trial->seed
                            : run->num_heads > 0 ? run->num_heads - 1
                                                 : 0;

    memcpy(store_at(&run->number, run->number.before, 0), &number, sizeof(number));
    for (size_t k = 0; k < trial->more && trial->seed % 2; ++k) {
        memset(store_at(&run->heads, run->heads.before, run->num_heads + k), 0,
               run->heads.element);
    }
}

/* How many elements there are, or more than the call says. */
static void put_count(struct run *run)
{
    const struct trial *trial = run->trial;
    const bool is_more = trial->spare == 0 && trial->seed % 3 == 0;
    const cl_ulong count = is_more ? ~trial->seed : trial->count;

    memcpy(store_at(&run->counted, run->counted.before, 0), &count, sizeof(count));
}

size_t trial_spare(const struct trial *trial)
{
    uint64_t seed = trial->seed + 11;
    const size_t bits = (size_t)(next_random(&seed) >> 20);
    const size_t spare = bits % 4 ? (bits >> 8) % 3000 >> bits / 4 % 12 : 0;
    const size_t most = trial->count < MOST_ELEMENTS ? MOST_ELEMENTS - trial->count : 0;

    return !trial->count_at ? 0 : spare < most ? spare : most;
}

bool run_init(struct run *run, const struct trial *trial)
{
    const size_t more = trial->zones ? ZONE : 0;
    const size_t behind = trial->tight ? trial->total == TOTAL_BEHIND : 1 + ZONE;
    const cl_mem_flags read = CL_MEM_READ_ONLY, write = CL_MEM_READ_WRITE;
    bool made = true;

    *run = (struct run){ .trial = trial,
                         .in_size = trial_element_size(trial),
                         .item = item_size(trial),
                         .result = trial_result_size(trial) };
    if (trial->by) {
        run->starts = lend(run, trial->count);
        add_store(run, &run->heads, size_of(trial->head_type), 5,
                  run_most_heads(trial) + trial->more + trial->spare + 3, read);
        if (run->lacks_memory) {
            return false;
        }
        run_cut(run);
    }
    if (trial_finds(trial)) {
        count_found(run);
    } else if (trial_selects(trial)) {
        run->room = trial->count + trial->spare;
    }
    run->num = num_results(run);
    const size_t num = run->num + 1, count = trial->count + 1, room = run->room;
    const size_t num_out =
        (trial_finds(trial) ? room : run->num) + trial->more + trial->spare + behind;
    const bool by_keys = trial->by == CLFOLD_BY_KEYS;
    run->expected = lend(run, num * run->result);
    run->want_lengths = lend(run, num * sizeof(cl_ulong));
    run->want_keys = lend(run, num * sizeof(cl_ulong));
    run->want_rest = lend(run, num * run->result);
    run->row = lend(run, trial->count * run->in_size);
    run->items = lend(run, count * run->item);
    run->magnitudes = lend(run, (count + num) * sizeof(*run->magnitudes));
    run->own_magnitudes = lend(run, count * sizeof(*run->own_magnitudes));
    if (trial->accuracy == CLFOLD_COMPENSATED) {
        run->sums = lend(run, num * sizeof(*run->sums));
    }
    add_store(run, &run->in, run->in_size, trial->in_offset + more,
              trial->count + trial->spare +
                  (trial->in_place || !trial->tight ? behind : 0),
              trial->in_place ? write : read);
    add_store(run, &run->out, run->result, trial->out_offset + more, num_out,
              trial->in_place ? 0 : write);
    add_store(run, &run->init, run->item, 1, 1, trial->init == INIT_DEVICE ? write : 0);
    add_store(run, &run->total, run->item, 2, 1, trial->total == TOTAL_APART ? write : 0);
    add_store(run, &run->number, sizeof(cl_ulong), 1, 1, trial->num_at ? read : 0);
    add_store(run, &run->counted, sizeof(cl_ulong), 2, 1, trial->count_at ? read : 0);
    add_store(run, &run->bad, sizeof(cl_ulong), 3, 3, trial->tells ? write : 0);
    add_store(run, &run->keys, trial->by ? run->heads.element : 1, 3, room + 4,
              trial->lists && by_keys ? write : 0);
    add_store(run, &run->lengths, sizeof(cl_ulong), 2, room + 5,
              trial->lists ? write : 0);
    add_store(run, &run->told, sizeof(cl_ulong), 1, 2,
              trial->lists || trial_selects(trial) ? write : 0);
    add_store(run, &run->rest, run->result, 5, trial->rest ? room + 3 : 0,
              trial->rest ? write : 0);
    add_store(run, &run->carries, 2 * MAX_ITEM, 1, MOST_CUTS + 2,
              trial->parts ? write : 0);
    add_store(run, &run->last_keys, run->heads.element + !trial->by, 1, 3,
              trial->parts ? write : 0);
    if (run->lacks_memory) {
        return false;
    }
    run_fill(run);
    put_number(run);
    put_count(run);
    if (trial->host) {
        put_on_host(&run->in, trial->in_shift);
        put_on_host(&run->out, trial->out_shift);
    }
    for (size_t k = 0; k < run->num_stores; ++k) {
        made = made && store_upload(run->stores[k]);
    }
    return made;
}

void run_finish(struct run *run)
{
    for (size_t k = 0; k < run->num_stores; ++k) {
        if (run->stores[k]->mem) {
            clReleaseMemObject(run->stores[k]->mem);
        }
        free(run->stores[k]->host);
    }
    for (size_t k = 0; k < run->num_blocks; ++k) {
        free(run->blocks[k]);
    }
}

const struct store *run_out(const struct run *run)
{
    return run->trial->in_place ? &run->in : &run->out;
}
