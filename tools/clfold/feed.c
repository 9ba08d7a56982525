#include "feed.h"

#include "buffer.h"
#include "folding.h"

#include <string.h>

static bool create(struct folding *f, struct piece *piece, struct message *message)
{
    const size_t most = f->most + f->joins;

    return session_create_queue(&f->session, 0, &piece->queue, message) &&
           buffer_create(&f->session, &piece->in, CL_MEM_READ_ONLY,
                         most * f->input.element, message) &&
           user_fold_create_streams(&f->user, &f->session, most, piece->streams, message);
}

void feed_step(struct folding *f, uint64_t done)
{
    clfold_lock_take(&f->feed.lock);
    progress_step(&f->progress, done);
    clfold_lock_give(&f->feed.lock);
}

/* ---- Reading ---- */

struct loading {
    struct folding *folding;
    size_t got;
};

static bool load_step(void *user, void *data, size_t size, struct message *message)
{
    struct loading *const loading = user;
    struct input *const input = &loading->folding->input;
    const uint64_t before = input->done;
    const bool read = input_read(input, data, size, &loading->got, message);

    feed_step(loading->folding, input->done - before);
    return read;
}

/* From the file straight into the buffer: no copy of the data stays on the host. */
static bool load(struct folding *f, struct piece *piece, struct message *message)
{
    const size_t element = f->input.element, begin = piece->before * element,
                 bytes = begin + f->most * element;
    struct loading loading = { f, 0 };
    size_t at = begin;

    for (size_t size; at < bytes && !f->input.ended; at += loading.got) {
        size = bytes - at < BUFFER_STEP ? bytes - at : BUFFER_STEP / element * element;
        if (!buffer_map(piece->queue, piece->in, CL_MAP_WRITE_INVALIDATE_REGION, at, size,
                        load_step, &loading, message)) {
            return false;
        }
    }
    piece->count = (at - begin) / element;
    return true;
}

/* Until what was read is on the device. */
static bool wait_for(const struct piece *piece, struct message *message)
{
    const cl_int error = clFinish(piece->queue);

    return error == CL_SUCCESS || device_refuse(message, "clFinish", error);
}

static bool copy_last(cl_command_queue queue, cl_mem from, size_t last, cl_mem to,
                      size_t element, struct message *message)
{
    const cl_int error =
        clEnqueueCopyBuffer(queue, from, to, last * element, 0, element, 0, NULL, NULL);

    return error == CL_SUCCESS || device_refuse(message, "clEnqueueCopyBuffer", error);
}

/* The last element of a piece, which is full if another one follows, becomes the first of
 * the next. */
static bool join(const struct folding *f, const struct piece *from, struct piece *to,
                 struct message *message)
{
    const size_t last = from->before + from->count - 1;
    bool done = wait_for(from, message) &&
                copy_last(to->queue, from->in, last, to->in, f->input.element, message);

    for (size_t k = 0; k < f->fold.num_args; k++) {
        done = done && (!f->user.streams[k] ||
                        copy_last(to->queue, from->streams[k], last, to->streams[k],
                                  f->user.streams[k]->element, message));
    }
    to->before = 1;
    return done;
}

/* Reads the piece after those that were read. */
static bool read_piece(struct folding *f, struct message *message)
{
    struct feed *const feed = &f->feed;
    struct piece *const piece = &feed->pieces[feed->num_read % 2],
                        *const last = &feed->pieces[(feed->num_read + 1) % 2];
    const uint64_t done = f->input.done;

    if ((!piece->in && !create(f, piece, message)) ||
        (f->joins && feed->num_read > 0 && !join(f, last, piece, message)) ||
        !load(f, piece, message)) {
        return false;
    }
    piece->bytes = f->input.done - done;
    piece->ended = f->input.ended;
    return user_fold_read_streams(&f->user, piece->queue, piece->streams, &f->input,
                                  piece->before, piece->count, message);
}

static void *read_ahead(void *user)
{
    struct folding *const f = user;
    struct feed *const feed = &f->feed;
    bool ended = false;

    clfold_lock_take(&feed->lock);
    while (!feed->stops && !feed->failed && !ended) {
        if (feed->num_read == feed->num_free + 2) {
            clfold_lock_wait(&feed->lock);
            continue;
        }
        clfold_lock_give(&feed->lock);
        const bool done = read_piece(f, &feed->message);
        clfold_lock_take(&feed->lock);
        ended = feed->pieces[feed->num_read % 2].ended;
        feed->num_read += done;
        feed->failed = !done;
        clfold_lock_wake(&feed->lock);
    }
    clfold_lock_give(&feed->lock);
    return NULL;
}

/* ---- Pieces in turn ---- */

static void set_piece(struct folding *f, const struct piece *piece)
{
    f->piece = *piece;
    user_fold_set_streams(&f->user, piece->streams);
}

bool feed_open(struct folding *f, struct message *message)
{
    struct piece *const first = &f->feed.pieces[0];

    f->feed.is_open = clfold_lock_init(&f->feed.lock);
    if (!f->feed.is_open) {
        return message_set(message, "the system gives no lock");
    }
    const bool done = create(f, first, message);
    set_piece(f, first);
    return done;
}

bool feed_next(struct folding *f, struct message *message)
{
    struct feed *const feed = &f->feed;
    bool done = true;

    if (!feed->runs) {
        done = read_piece(f, message);
        feed->num_read += done;
    } else {
        clfold_lock_take(&feed->lock);
        while (feed->num_read == feed->num_free && !feed->failed) {
            clfold_lock_wait(&feed->lock);
        }
        if (feed->num_read == feed->num_free) {
            *message = feed->message;
            done = false;
        }
        clfold_lock_give(&feed->lock);
    }
    set_piece(f, &feed->pieces[feed->num_free % 2]);
    return done && wait_for(&f->piece, message);
}

bool feed_start(struct folding *f, struct message *message)
{
    struct feed *const feed = &f->feed;

    f->input.stops = &feed->stops;
    for (size_t k = 0; k < f->fold.num_args; k++) {
        if (f->user.streams[k]) {
            f->user.streams[k]->stops = &feed->stops;
        }
    }
    const int error = pthread_create(&feed->thread, NULL, read_ahead, f);
    feed->runs = error == 0;
    return feed->runs ||
           message_set(message, "the system gives no thread: %s", strerror(error));
}

void feed_free(struct folding *f)
{
    clfold_lock_take(&f->feed.lock);
    f->feed.num_free++;
    clfold_lock_wake(&f->feed.lock);
    clfold_lock_give(&f->feed.lock);
}

void feed_close(struct folding *f)
{
    struct feed *const feed = &f->feed;

    if (!feed->is_open) {
        return;
    }
    if (feed->runs) {
        clfold_lock_take(&feed->lock);
        feed->stops = true;
        clfold_lock_wake(&feed->lock);
        clfold_lock_give(&feed->lock);
        pthread_join(feed->thread, NULL);
    }
    for (int i = 0; i < 2; i++) {
        buffer_release(&feed->pieces[i].in, 1);
        buffer_release(feed->pieces[i].streams, FOLD_MOST_ARGS);
        if (feed->pieces[i].queue) {
            clReleaseCommandQueue(feed->pieces[i].queue);
        }
    }
    clfold_lock_finish(&feed->lock);
    *feed = (struct feed){ 0 };
}
