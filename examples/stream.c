/*
 * Data that a program makes as it goes, folded piece by piece: neither host nor device
 * ever holds more than two. Each call is a part of a larger one and goes on from the
 * carry of the part before, so the last result is that of one call. Here it is where a
 * random walk ends and how high it gets, which depends on the order of its steps.
 *
 *     host      make 0    make 1      make 2      ...
 *     copies              upload 0    upload 1    ...    into buffers 0, 1, 0, ...
 *     folds                           fold 0      ...    from one carry to the next
 *
 *     cc -o stream stream.c $(pkg-config --cflags --libs clfold)
 *     ./stream STEPS [PIECE]     a piece has PIECE steps, or 2^20
 */
#include "example.h"

struct stream {
    clfold_context *ctx;
    cl_command_queue copies, folds;
    cl_mem result, carries; /* the walk's end and top; two, in turn */
    struct piece {
        cl_int *steps;
        cl_mem mem;
        cl_event folded;
    } pieces[2];
};

/* The program's own data: steps of 1 or -1, by Marsaglia's xorshift generator. */
static void make(cl_int *steps, size_t num)
{
    static uint32_t state = 1;

    for (size_t i = 0; i < num; ++i) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        steps[i] = state >> 31 ? 1 : -1;
    }
}

/* Enqueues both commands of piece k. What another queue waits for must be flushed. */
static bool enqueue(struct stream *s, size_t k, size_t first, size_t num)
{
    struct piece *const piece = &s->pieces[k % 2];
    /* The part whose `first` is 0 reads no carry. `whole` is for texts that use n. */
    const clfold_part part = { .first = first,
                               .carry_at = { s->carries, k % 2 },
                               .carry_out = { s->carries, (k + 1) % 2 } };
    const clfold_fold walk = { .components = "int end; int top",
                               .in = CLFOLD_I32,
                               .load = "{ x, max(x, 0) }",
                               .combine = "{ a.end + b.end, max(a.top, a.end + b.top) }",
                               .identity = "{ 0, 0 }",
                               .part = &part };
    cl_event uploaded = NULL;
    const bool done =
        opencl_ok(clEnqueueWriteBuffer(s->copies, piece->mem, CL_FALSE, 0,
                                       num * sizeof(cl_int), piece->steps, 0, NULL,
                                       &uploaded),
                  "clEnqueueWriteBuffer") &&
        opencl_ok(clFlush(s->copies), "clFlush") &&
        clfold_ok(clfold_reduce(s->ctx, s->folds, &walk, piece->mem, 0, s->result, 0, num,
                                1, &uploaded, &piece->folded)) &&
        opencl_ok(clFlush(s->folds), "clFlush");
    example_release_event(uploaded);
    return done;
}

static bool fold(struct stream *s, size_t num_steps, size_t most)
{
    bool done = true;

    for (size_t k = 0, first = 0, num; done && first < num_steps; ++k, first += num) {
        struct piece *const piece = &s->pieces[k % 2];
        num = num_steps - first < most ? num_steps - first : most;
        /* Piece k-2 must have been folded before others replace its steps. */
        done = !piece->folded ||
               opencl_ok(clWaitForEvents(1, &piece->folded), "clWaitForEvents");
        example_release_event(piece->folded);
        piece->folded = NULL;
        make(piece->steps, done ? num : 0);
        done = done && enqueue(s, k, first, num);
    }
    clFinish(s->copies); /* after a failure an upload may still read `steps` */
    return done;
}

int main(int argc, char **argv)
{
    const size_t num = argc > 1 ? example_number(argv[1]) : 0,
                 most = argc > 2 ? example_number(argv[2]) : 1 << 20;
    example_usage(num > 0 && most > 0 && argc < 4, "stream STEPS [PIECE]");
    struct example e = example_open();
    struct stream s = { .folds = e.queue };
    cl_int walk[2];
    bool done = e.queue &&
                (s.copies = clCreateCommandQueue(e.context, e.device, 0, NULL)) &&
                (s.result = example_buffer(&e, sizeof(walk), NULL)) &&
                (s.carries = example_buffer(&e, 2 * sizeof(walk), NULL)) &&
                clfold_ok(clfold_context_create(&s.ctx, e.context, e.device, NULL));

    for (int i = 0; done && i < 2; ++i) {
        done = (s.pieces[i].steps = example_zeros(most, sizeof(cl_int))) &&
               (s.pieces[i].mem = example_buffer(&e, most * sizeof(cl_int), NULL));
    }
    done = done && fold(&s, num, most) &&
           example_fetch(&e, s.result, sizeof(walk), walk) &&
           printf("the walk ends at %d and gets to %d\n", walk[0], walk[1]) > 0;
    for (int i = 0; i < 2; ++i) {
        example_release_event(s.pieces[i].folded);
        example_release(s.pieces[i].mem);
        free(s.pieces[i].steps);
    }
    clfold_context_destroy(&s.ctx);
    example_release(s.result);
    example_release(s.carries);
    example_release_queue(s.copies);
    example_close(&e);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
