/*
 * A reduction, a scan, a map or a select of an input in pieces, each as large as memory
 * allows. The calls are parts of a larger one, and reductions and scans go on from each
 * other's carries:
 *
 *     input    piece 0          piece 1             piece 2
 *     call     init -> carry    carry -> carry      carry ->
 *
 * A run goes on into the next piece: the last element of the piece before is put first,
 * and what is written for that is left out.
 *
 *     input    5 5 6 7 7    8 8 9        pieces of five
 *     call     5 5 6 7 7    7 8 8 9
 *     kept     5   6 7      - 8   9
 *
 * What one buffer holds is one piece, and one call, of a whole.
 */
#ifndef CLFOLD_COMMAND_FOLDING_H
#define CLFOLD_COMMAND_FOLDING_H

#include "feed.h"
#include "input.h"
#include "options.h"
#include "progress.h"
#include "session.h"
#include "writer.h"

struct folding {
    struct input input;
    struct session session;
    clfold_operation operation;
    const char *op; /* its name */
    bool mean;      /* of a reduction: the sum is to be divided by the count */
    clfold_fold fold;
    struct user_fold user; /* whose layouts are those of any fold */
    bool is_named; /* of texts, moments and the like: results are as user.written says */
    clfold_indexed init; /* its value */
    bool has_axis;       /* then there is one piece, of segments along the axis */
    struct axis axis;
    const char *heads; /* "--flags": there is one piece, of these segments; or NULL */
    const char *heads_file;
    clfold_type heads_type; /* of its numbers */
    bool are_lengths;       /* the file's; the numbers are their sums */
    uint64_t num_heads;
    bool by_bits;    /* numbers are moved, and compared, as integers of their size */
    char same[1024]; /* where the user gives none */
    bool joins;      /* runs go on from piece to piece */
    bool counts;     /* only the call tells how many results there are: */
    uint64_t kept;   /* of the last piece, and of all */
    uint64_t num_kept;
    bool gives_lengths;          /* `also` takes these, else the rest */
    size_t also_size, keys_size; /* of what is written besides, or 0 */
    bool repeats;                /* a map's input has an element for each segment, and */
    size_t repeated;             /* so many results */
    uint64_t *lengths;           /* of the segments, for means of them; else NULL */
    clfold_segments segments;
    struct npy_shape shape; /* of the results */
    uint64_t num_put;       /* of means and places: how many are written */
    bool timed; /* each piece is folded twice, the second time for `seconds` */

    uint64_t count, pieces; /* numbers and pieces so far */
    clfold_report report;   /* of the first piece */
    double seconds;         /* the sum over the pieces */
    bool on_scalars;        /* a piece's texts run on one element at a time */
    struct scalar_cause cause;

    size_t most;        /* numbers of a piece */
    struct piece piece; /* in hand, */
    struct feed feed;   /* and where it comes from */
    cl_mem out, also, keys_out;
    cl_mem num;     /* of results, if `counts` */
    cl_mem result;  /* of a reduction, so far */
    cl_mem carries; /* two, in turn */
    clfold_part part;
    struct progress progress;
    uint64_t share; /* of the bar, for what is done with a scan's piece */
};

/* A zeroed one is not open. If opening fails, folding_close is due as well. */
bool folding_open(struct folding *f, const struct options *options,
                  struct message *message);

/* After one piece of `count` numbers, which f->count does not yet include. */
typedef bool folding_visitor(void *user, struct folding *f, size_t count,
                             struct message *message);

/* Folds piece by piece. A reduction's result up to the end of each is in f->result.
 * Results of a scan or a map and those of segments are in f->out; of an axis of length 0
 * they are all the same, and where a reduction's is. */
bool folding_run(struct folding *f, uint64_t memory, folding_visitor *visit, void *user,
                 struct message *message);

/* How many results there are for a piece or all of `count` numbers, but of a select: of a
 * scan or a map, or of segments, of which the call may tell it. */
uint64_t folding_results(const struct folding *f, uint64_t count);

/* For results, on standard output. */
struct writer folding_writer(const struct folding *f, enum file_format format);

/* Writes the next results of segments, or of a scan; false as with writer_put. */
bool folding_put(struct folding *f, struct writer *writer, const char *data,
                 size_t count);

/* The name of `type`, or what is folded instead of a scalar. */
const char *folding_type(const struct folding *f, clfold_type type);

/* The same of what is written. */
const char *folding_out(const struct folding *f);

void folding_close(struct folding *f);

/* ---- complex_fold.c: the library knows complex numbers only as two components ---- */

/* What the texts and the basis of the fold must be to fold complex numbers whose parts
 * have the type `scalar`: components re and im, or with --load x.x and x.y. The sentence
 * of a failure has the file as its subject. */
bool complex_fold_init(const struct options *options, clfold_type scalar,
                       struct fold_texts *texts, clfold_fold *basis,
                       struct message *message);

/* ---- heads.c: segments, which a file has as flags, keys, offsets or lengths ---- */

/* Reads the file that an option names, if one does, for an input that is open. */
bool heads_open(struct folding *f, const struct options *options,
                struct message *message);

/* Whether the file fits `count` elements; `more`: others may follow. */
bool heads_check(const struct folding *f, uint64_t count, bool more,
                 struct message *message);

/* Before a call of `count` elements, as no result shows that offsets are wrong. */
bool heads_check_offsets(struct folding *f, size_t count, struct message *message);

#endif
