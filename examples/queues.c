/*
 * Two queues: one uploads a piece of a file while the other sums the piece before it.
 * The sum goes from piece to piece by init_at. Events keep the order: sum k waits for
 * upload k, and upload k for sum k-2, which reads the same buffer.
 *
 *     copies    upload 0    upload 1    upload 2    ...    into buffers 0, 1, 0, ...
 *     folds                 sum 0       sum 1       ...    sum k = sum k-1 + piece k
 *
 *     cc -o queues queues.c $(pkg-config --cflags --libs clfold)
 *     ./queues FILE [BYTES]      prints what `sum -s` does; a piece has BYTES, or 1 MiB
 */
#include "example.h"

/* Two pieces are under way, each with its bytes on host and device and its commands. */
struct work {
    clfold_context *ctx;
    cl_command_queue copies, folds;
    cl_mem total;
    struct piece {
        unsigned char *data;
        cl_mem mem;
        cl_event uploaded, summed;
    } pieces[2];
};

/* Enqueues both commands of a piece. A queue may wait for an event of another queue only
 * once that queue has been flushed, so clFlush comes after each. */
static bool enqueue(const struct work *w, struct piece *piece, size_t size)
{
    const clfold_fold sum = {
        .op = CLFOLD_ADD, .in = CLFOLD_U8, .type = CLFOLD_U32, .init_at = { w->total, 0 }
    };
    cl_event before = piece->summed;
    example_release_event(piece->uploaded);
    piece->uploaded = piece->summed = NULL;
    const bool done =
        opencl_ok(clEnqueueWriteBuffer(w->copies, piece->mem, CL_FALSE, 0, size,
                                       piece->data, before ? 1 : 0,
                                       before ? &before : NULL, &piece->uploaded),
                  "clEnqueueWriteBuffer") &&
        opencl_ok(clFlush(w->copies), "clFlush") &&
        clfold_ok(clfold_reduce(w->ctx, w->folds, &sum, piece->mem, 0, w->total, 0, size,
                                1, &piece->uploaded, &piece->summed)) &&
        opencl_ok(clFlush(w->folds), "clFlush");
    example_release_event(before);
    return done;
}

/* Reads the file into the two pieces in turn. */
static bool sum_pieces(struct work *w, FILE *file, size_t piece_size, size_t *size)
{
    bool done = true;

    for (size_t k = 0, num = piece_size; done && num == piece_size; ++k) {
        struct piece *const piece = &w->pieces[k % 2];
        /* The bytes of piece k-2 must be on the device before others replace them. */
        done = !piece->uploaded ||
               opencl_ok(clWaitForEvents(1, &piece->uploaded), "clWaitForEvents");
        num = done ? fread(piece->data, 1, piece_size, file) : 0;
        *size += num;
        done = done && !ferror(file) && (num == 0 || enqueue(w, piece, num));
    }
    return done;
}

static bool print_checksum(const struct example *e, FILE *file, size_t piece_size)
{
    cl_uint sum = 0;
    size_t size = 0;
    cl_int status;
    struct work w = { .copies = clCreateCommandQueue(e->context, e->device, 0, &status),
                      .folds = e->queue,
                      .total = example_buffer(e, sizeof(sum), &sum) }; /* 0 so far */
    bool done = opencl_ok(status, "clCreateCommandQueue") && w.total &&
                clfold_ok(clfold_context_create(&w.ctx, e->context, e->device, NULL));

    for (int i = 0; done && i < 2; ++i) {
        done = (w.pieces[i].data = example_zeros(piece_size, 1)) &&
               (w.pieces[i].mem = example_buffer(e, piece_size, NULL));
    }
    done = done && sum_pieces(&w, file, piece_size, &size) &&
           example_fetch(e, w.total, sizeof(sum), &sum);
    if (done) {
        sum = (sum & 0xffff) + (sum >> 16);
        printf("%u %zu\n", (sum & 0xffff) + (sum >> 16), (size + 511) / 512);
    }
    if (w.copies) {
        clFinish(w.copies); /* after a failure an upload may still read `data` */
    }
    for (int i = 0; i < 2; ++i) {
        example_release_event(w.pieces[i].uploaded);
        example_release_event(w.pieces[i].summed);
        example_release(w.pieces[i].mem);
        free(w.pieces[i].data);
    }
    clfold_context_destroy(&w.ctx);
    example_release(w.total);
    example_release_queue(w.copies);
    return done;
}

int main(int argc, char **argv)
{
    const size_t piece_size = argc == 3 ? example_number(argv[2]) : 1 << 20;
    example_usage((argc == 2 || argc == 3) && piece_size > 0, "queues FILE [BYTES]");
    FILE *const file = fopen(argv[1], "rb");
    if (!file) {
        perror(argv[1]);
        return EXIT_FAILURE;
    }
    struct example e = example_open();
    const bool done = e.queue && print_checksum(&e, file, piece_size);
    if (ferror(file)) {
        fprintf(stderr, "%s cannot be read\n", argv[1]);
    }
    example_close(&e);
    fclose(file);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
