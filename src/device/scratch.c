#include "device/scratch.h"

#include "base/memory.h"

/* Sizes are powers of two from here on, so that calls of many counts share blocks. */
#define LEAST_SIZE ((size_t)4096)

/* The most blocks in use that a search queries before it makes another one. They go to
 * the end of the list, so that the next search queries others. */
#define MOST_QUERIES 16

static size_t class_of(size_t size)
{
    size_t class = LEAST_SIZE;

    while (class < size && class <= SIZE_MAX / 2) {
        class *= 2;
    }
    return class < size ? size : class;
}

/* ---- Releasing; without the lock: a log callback may call clfold ------------------- */

/* OpenCL keeps memory and queues that running commands still need. */
static void release_all(struct block *blocks, const struct log *log)
{
    while (blocks) {
        struct block *block = blocks;
        blocks = block->next;
        CLFOLD_RELEASE(log, Event, block->last);
        CLFOLD_RELEASE(log, CommandQueue, block->queue);
        CLFOLD_RELEASE(log, MemObject, block->mem);
        clfold_free(block);
    }
}

/* ---- The list; the lock is held ---------------------------------------------------- */

/* Moves the block that *link points to before *to. */
static void unlink_block(struct scratch *scratch, struct block **link, struct block **to)
{
    struct block *block = *link;

    *link = block->next;
    scratch->held -= block->size;
    block->next = *to;
    *to = block;
}

static cl_int execution_of(const struct block *block)
{
    cl_int execution = CL_COMPLETE;

    if (block->last &&
        clGetEventInfo(block->last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(execution),
                       &execution, NULL) != CL_SUCCESS) {
        execution = CL_QUEUED;
    }
    return execution;
}

/* Whether no command uses the block. A failed event is over as well: nothing will run
 * because of it. */
static bool is_over(const struct block *block)
{
    return execution_of(block) <= CL_COMPLETE;
}

/* The smallest block that serves a call on the queue, or NULL. Unlinks words that would,
 * but that a call which failed has used. */
static struct block *find(struct scratch *scratch, cl_command_queue queue, bool in_order,
                          enum scratch_kind kind, size_t size, struct block **unlinked)
{
    struct block *best = NULL, *busy = NULL;
    struct block **link = &scratch->blocks, **end = &busy;
    uint32_t num_busy = 0;

    while (*link && num_busy < MOST_QUERIES) {
        struct block *b = *link;
        if (b->lent || b->kind != kind || b->size < size ||
            (b->queue && b->queue != queue) || (best && best->size <= b->size)) {
            link = &b->next;
        } else if (b->kind != SCRATCH_PLAIN && execution_of(b) < 0) {
            unlink_block(scratch, link, unlinked);
        } else if ((in_order && b->queue) || is_over(b)) {
            best = b;
            link = &b->next;
        } else {
            *link = b->next;
            b->next = NULL;
            *end = b;
            end = &b->next;
            ++num_busy;
        }
    }
    if (busy) {
        while (*link) {
            link = &(*link)->next;
        }
        *link = busy;
    }
    return best;
}

/* Unlinks blocks that nobody uses until `size` more fit under the limit: first those of
 * other queues, then of this one. */
static bool make_room(struct scratch *scratch, cl_command_queue queue, size_t size,
                      struct block **unlinked)
{
    for (int own = 0; own <= 1; ++own) {
        struct block **link = &scratch->blocks;
        while (*link && scratch->held + size > scratch->limit) {
            if ((*link)->lent || ((*link)->queue == queue) != (own == 1) ||
                !is_over(*link)) {
                link = &(*link)->next;
            } else {
                unlink_block(scratch, link, unlinked);
            }
        }
    }
    return scratch->held + size <= scratch->limit;
}

/* ---- Lending ----------------------------------------------------------------------- */

/* The ticket's word, as cl/descriptor.cl has it, which is the first. */
static void set_epoch(void *words, enum scratch_kind kind, uint32_t epoch)
{
    if (kind == SCRATCH_WORDS_64) {
        *(uint64_t *)words = (uint64_t)epoch << 32;
    } else if (kind == SCRATCH_WORDS_32) {
        *(uint32_t *)words = epoch << 18;
    }
}

/* A new block, of `size` bytes that are counted as held already. Words are copied from
 * zeros here: a command that filled them might fail with what it waits for. */
static struct block *make(struct scratch *scratch, const struct site *site,
                          enum scratch_kind kind, size_t size, clfold_status *status)
{
    struct block *block = clfold_alloc(sizeof(*block));
    void *zeros = block && kind != SCRATCH_PLAIN ? clfold_alloc(size) : NULL;
    bool ready = block && (zeros || kind == SCRATCH_PLAIN);
    const char *why = ready ? "clCreateBuffer failed" : "no memory on the host for it";

    *status = CL_OUT_OF_HOST_MEMORY;
    if (zeros) {
        set_epoch(zeros, kind, scratch->first_epoch);
    }
    if (ready) {
        block->size = size;
        block->kind = kind;
        block->lent = true;
        block->mem = clCreateBuffer(
            scratch->context, CL_MEM_READ_WRITE | (zeros ? CL_MEM_COPY_HOST_PTR : 0),
            size, zeros, status);
    }
    clfold_free(zeros);
    clfold_lock_take(&scratch->lock);
    if (*status == CL_SUCCESS) {
        block->next = scratch->blocks;
        scratch->blocks = block;
    } else {
        scratch->held -= size;
    }
    clfold_lock_give(&scratch->lock);
    if (*status == CL_SUCCESS) {
        return block;
    }
    clfold_free(block);
    *status = clfold_fail(site, *status, "scratch of %zu bytes: %s", size, why);
    return NULL;
}

clfold_status clfold_scratch_lend(struct scratch *scratch, const struct site *site,
                                  cl_command_queue queue, bool in_order,
                                  enum scratch_kind kind, size_t size, struct block **out)
{
    struct block *unlinked = NULL;
    cl_event over = NULL;
    /* Under a limit, what is rounded up might be what another block needs. */
    size_t class = scratch->limit > 0 ? size : class_of(size);
    bool room = true;
    clfold_status status = CLFOLD_OK;

    clfold_lock_take(&scratch->lock);
    struct block *block = find(scratch, queue, in_order, kind, size, &unlinked);
    if (block) {
        block->lent = true;
        block->turn = !block->turn;
        if (block->last && is_over(block)) {
            over = block->last;
            block->last = NULL;
        }
    } else {
        room = scratch->limit == 0 || make_room(scratch, queue, class, &unlinked);
        scratch->held += room ? class : 0;
    }
    uint64_t held = scratch->held;
    clfold_lock_give(&scratch->lock);

    release_all(unlinked, site->log);
    CLFOLD_RELEASE(site->log, Event, over);
    if (!room) {
        return clfold_fail(
            site, CL_MEM_OBJECT_ALLOCATION_FAILURE,
            "no scratch of %zu bytes: %llu bytes are held, scratch_limit is %llu", size,
            (unsigned long long)held, (unsigned long long)scratch->limit);
    }
    if (!block && !(block = make(scratch, site, kind, class, &status))) {
        return status;
    }
    /* A block that is not bound yet becomes the queue's. */
    if (queue && !block->queue) {
        if ((status = clRetainCommandQueue(queue)) != CL_SUCCESS) {
            clfold_scratch_drop(scratch, site->log, block);
            return clfold_fail_call(site, status, "clRetainCommandQueue");
        }
        block->queue = queue;
    }
    *out = block;
    return CLFOLD_OK;
}

clfold_status clfold_scratch_give(struct scratch *scratch, const struct site *site,
                                  struct block *block, cl_event last)
{
    cl_event before = NULL;
    cl_int status = last ? clRetainEvent(last) : CL_SUCCESS;

    if (status != CL_SUCCESS) {
        clfold_scratch_drop(scratch, site->log, block);
        return clfold_fail_call(site, status, "clRetainEvent");
    }
    clfold_lock_take(&scratch->lock);
    block->lent = false;
    if (last) {
        before = block->last;
        block->last = last;
    }
    clfold_lock_give(&scratch->lock);
    CLFOLD_RELEASE(site->log, Event, before);
    return CLFOLD_OK;
}

void clfold_scratch_drop(struct scratch *scratch, const struct log *log,
                         struct block *block)
{
    struct block *unlinked = NULL;

    clfold_lock_take(&scratch->lock);
    struct block **link = &scratch->blocks;
    while (*link != block) {
        link = &(*link)->next;
    }
    unlink_block(scratch, link, &unlinked);
    clfold_lock_give(&scratch->lock);
    release_all(unlinked, log);
}

void clfold_scratch_trim(struct scratch *scratch, const struct log *log)
{
    struct block *unlinked = NULL;

    clfold_lock_take(&scratch->lock);
    struct block **link = &scratch->blocks;
    while (*link) {
        if ((*link)->lent || (scratch->limit > 0 && !is_over(*link))) {
            link = &(*link)->next;
        } else {
            unlink_block(scratch, link, &unlinked);
        }
    }
    clfold_lock_give(&scratch->lock);
    release_all(unlinked, log);
}

void clfold_scratch_finish(struct scratch *scratch, const struct log *log)
{
    release_all(scratch->blocks, log);
    clfold_lock_finish(&scratch->lock);
}

uint64_t clfold_scratch_held(struct scratch *scratch)
{
    clfold_lock_take(&scratch->lock);
    uint64_t held = scratch->held;
    clfold_lock_give(&scratch->lock);
    return held;
}
