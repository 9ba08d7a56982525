#include "device/scratch.h"

#include "base/memory.h"
#include "base/size.h"

/* Sizes are powers of two from here on, so that calls of many counts share blocks. */
#define LEAST_SIZE ((size_t)4096)

/* What went wrong while the lock was held. It is told when the lock is given back, since
 * a log callback may call clfold. */
struct trouble {
    const char *call; /* NULL: nothing */
    cl_int status;
};

static void note(struct trouble *trouble, const char *call, cl_int status)
{
    if (status != CL_SUCCESS && !trouble->call) {
        *trouble = (struct trouble){ call, status };
    }
}

static size_t class_of(size_t size)
{
    size_t class = LEAST_SIZE;

    while (class < size && class <= SIZE_MAX / 2) {
        class *= 2;
    }
    return class < size ? size : class;
}

/* Unlinks and releases the block that *link points to. OpenCL keeps memory and queues
 * that running commands still need. */
static void drop(struct scratch *scratch, struct trouble *trouble, struct block **link)
{
    struct block *block = *link;

    *link = block->next;
    scratch->held -= block->size;
    if (block->last) {
        note(trouble, "clReleaseEvent", clReleaseEvent(block->last));
    }
    if (block->queue) {
        note(trouble, "clReleaseCommandQueue", clReleaseCommandQueue(block->queue));
    }
    note(trouble, "clReleaseMemObject", clReleaseMemObject(block->mem));
    clfold_free(block);
}

/* A failed event is over as well: nothing will run because of it. */
static bool is_complete(cl_event event)
{
    cl_int execution = CL_QUEUED;

    return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(execution),
                          &execution, NULL) == CL_SUCCESS &&
           execution <= CL_COMPLETE;
}

/* A block of the queue that is free now; or else *busy is one to wait for, and *depth how
 * many there are. */
static struct block *find(struct scratch *scratch, cl_command_queue queue, bool in_order,
                          size_t size, struct block **busy, uint32_t *depth)
{
    struct block *best = NULL;

    *busy = NULL;
    *depth = 0;
    for (struct block *b = scratch->blocks; b; b = b->next) {
        if (b->lent || b->size < size || (b->queue && b->queue != queue)) {
            continue;
        }
        if (best && best->size <= b->size) {
            continue;
        }
        if (in_order || !b->last || is_complete(b->last)) {
            best = b;
        } else {
            *busy = b; /* the last in the list is the oldest */
            ++*depth;
        }
    }
    return best;
}

/* Drops blocks that are not lent until `size` more fit under the limit: first those of
 * other queues, then of this one. */
static bool make_room(struct scratch *scratch, struct trouble *trouble,
                      cl_command_queue queue, size_t size)
{
    for (int own = 0; own <= 1; ++own) {
        struct block **link = &scratch->blocks;
        while (*link && scratch->held + size > scratch->limit) {
            if ((*link)->lent || ((*link)->queue == queue) != (own == 1)) {
                link = &(*link)->next;
            } else {
                drop(scratch, trouble, link);
            }
        }
    }
    return scratch->held + size <= scratch->limit;
}

static cl_int allocate(struct scratch *scratch, size_t size, struct block **out)
{
    cl_int status = CL_SUCCESS;
    struct block *block = clfold_alloc(sizeof(*block));

    if (!block) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    block->mem = clCreateBuffer(scratch->context, CL_MEM_READ_WRITE, size, NULL, &status);
    if (status != CL_SUCCESS) {
        clfold_free(block);
        return status;
    }
    block->size = size;
    block->next = scratch->blocks;
    scratch->blocks = block;
    scratch->held += size;
    *out = block;
    return CL_SUCCESS;
}

/* The block that a call gets, not yet marked; the lock is held. */
static cl_int choose(struct scratch *scratch, struct trouble *trouble,
                     cl_command_queue queue, bool in_order, size_t size,
                     struct block **out)
{
    struct block *busy;
    uint32_t depth;
    /* Under a limit, what is rounded up might be what another block needs. */
    size_t class = scratch->limit > 0 ? size : class_of(size);
    bool full = scratch->limit > 0 && scratch->held + class > scratch->limit;

    *out = find(scratch, queue, in_order, size, &busy, &depth);
    if (*out && (*out)->last) {
        /* Over, and nothing to wait for: a failed event would make the next call fail. */
        note(trouble, "clReleaseEvent", clReleaseEvent((*out)->last));
        (*out)->last = NULL;
    }
    if (!*out && busy && (depth >= CLFOLD_SCRATCH_DEPTH || full)) {
        *out = busy; /* waiting on the device costs less than memory without end */
    }
    if (*out) {
        return CL_SUCCESS;
    }
    if (full) {
        class = size;
        if (!make_room(scratch, trouble, queue, class)) {
            return CL_MEM_OBJECT_ALLOCATION_FAILURE;
        }
    }
    return allocate(scratch, class, out);
}

clfold_status clfold_scratch_init(struct scratch *scratch, const struct site *site,
                                  cl_context context, uint64_t limit)
{
    *scratch = (struct scratch){ .context = context, .limit = limit };
    return clfold_lock_init(&scratch->lock)
               ? CLFOLD_OK
               : clfold_fail(site, CL_OUT_OF_HOST_MEMORY, "no room for a lock");
}

clfold_status clfold_scratch_lend(struct scratch *scratch, const struct site *site,
                                  cl_command_queue queue, bool in_order, size_t size,
                                  struct block **out)
{
    struct trouble trouble = { 0 };
    struct block *block = NULL;

    clfold_lock_take(&scratch->lock);
    cl_int status = choose(scratch, &trouble, queue, in_order, size, &block);
    if (status == CL_SUCCESS && queue && !block->queue) {
        status = clRetainCommandQueue(queue);
        block->queue = status == CL_SUCCESS ? queue : NULL;
    }
    if (status == CL_SUCCESS) {
        block->lent = true;
        *out = block;
    }
    uint64_t held = scratch->held;
    clfold_lock_give(&scratch->lock);

    clfold_log_call(site->log, trouble.status, trouble.call);
    if (status != CL_SUCCESS) {
        clfold_fail(site, status,
                    "no scratch of %zu bytes: %llu bytes are held, scratch_limit is %llu",
                    size, (unsigned long long)held, (unsigned long long)scratch->limit);
    }
    return status;
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
    if (before) {
        clfold_log_call(site->log, clReleaseEvent(before), "clReleaseEvent");
    }
    return CLFOLD_OK;
}

void clfold_scratch_drop(struct scratch *scratch, const struct log *log,
                         struct block *block)
{
    struct trouble trouble = { 0 };

    clfold_lock_take(&scratch->lock);
    struct block **link = &scratch->blocks;
    while (*link != block) {
        link = &(*link)->next;
    }
    drop(scratch, &trouble, link);
    clfold_lock_give(&scratch->lock);
    clfold_log_call(log, trouble.status, trouble.call);
}

void clfold_scratch_trim(struct scratch *scratch, const struct log *log)
{
    struct trouble trouble = { 0 };

    clfold_lock_take(&scratch->lock);
    struct block **link = &scratch->blocks;
    while (*link) {
        if ((*link)->lent) {
            link = &(*link)->next;
        } else {
            drop(scratch, &trouble, link);
        }
    }
    clfold_lock_give(&scratch->lock);
    clfold_log_call(log, trouble.status, trouble.call);
}

void clfold_scratch_finish(struct scratch *scratch, const struct log *log)
{
    clfold_scratch_trim(scratch, log);
    clfold_lock_finish(&scratch->lock);
}

uint64_t clfold_scratch_held(struct scratch *scratch)
{
    clfold_lock_take(&scratch->lock);
    uint64_t held = scratch->held;
    clfold_lock_give(&scratch->lock);
    return held;
}
