/* Folds of random operators that are associative by construction, and their loop on the
 * host. */
#ifndef CLFOLD_TESTS_RANDOM_FOLD_H
#define CLFOLD_TESTS_RANDOM_FOLD_H

#include "trial.h"

#include "base/text.h"

/*
 * A fold is a row of pieces, each of a few parts, which are its components:
 *
 *   one part    add, mul, min, max, bits; the first, the last, the last that is not 0;
 *               functions from states to states, one after the other
 *   affine      p and q, r, ...: p of a times p of b; q of a times p of b plus q of b;
 *               with (times, plus) mul and add, and and or, min and max, add and max, ...
 *   segmented   a piece, and a flag that starts it anew
 *   greatest    a key, and the value of the greatest key, the first or last of equals
 *   matrix      2 x 2 over (times, plus)
 *
 * Any may be reversed, so that a op b is what b op a was. Floats are small whole numbers,
 * so all results are exact.
 */
#define MOST_PARTS 4
#define MOST_TERMS 128

/* A term over a and b, of which both the text and the value on the host are made. */
struct term {
    enum term_kind {
        TERM_A, /* the part of a */
        TERM_B,
        TERM_ARG,
        TERM_ADD,
        TERM_MUL,
        TERM_AND,
        TERM_OR,
        TERM_XOR,
        TERM_MIN,
        TERM_MAX,
        TERM_IF_TRUE,    /* y where x is not 0, else z */
        TERM_IF_GREATER, /* y where x > w, else z */
        TERM_AFTER       /* what y makes of the states that x gives */
    } kind;
    clfold_type type;
    unsigned part;
    const struct term *x, *y, *z, *w;
};

/* How a part of an element is drawn. */
enum draw { DRAW_BITS, DRAW_ODD, DRAW_SMALL, DRAW_FLAG, DRAW_KEY, DRAW_STATES };

struct part {
    clfold_type type;
    size_t offset;
    enum draw draw;
    const struct term *combine;
    struct number identity;
    struct number rare; /* a value that some elements have, if is_rare */
    bool is_rare;
};

struct random_fold {
    clfold_fold fold; /* whose texts are the ones below */
    struct part parts[MOST_PARTS];
    unsigned num_parts;
    size_t size, in_size; /* of a result and of an element */
    bool has_identity, commutes;
    clfold_arg arg; /* a value; or a buffer whose element 1 it is, if `arg_is_buffer` */
    struct number arg_number;
    clfold_type arg_type;
    unsigned char arg_value[8];
    char buffer_type[32];
    bool has_arg, arg_is_buffer;
    struct term terms[MOST_TERMS];
    unsigned num_terms;
    struct text components, source, combine, identity, cuts;
};

/* Draws one of types that the device has. The struct must stay where it is. */
void random_fold_init(struct random_fold *fold, uint64_t seed, bool has_f16,
                      bool has_f64);
void random_fold_finish(struct random_fold *fold);

/* The fold as C, but for its argument. */
void random_fold_print(const struct random_fold *fold, struct text *text);

/* The number as a literal. */
void random_number_print(struct text *text, clfold_type type, struct number x);

/* A condition on its items or elements, until the next one is asked for. */
const struct condition *random_fold_condition(const struct random_fold *fold,
                                              uint64_t seed);

/* How many parts have that size; and whether there is padding between some, or, of a type
 * of the source, behind the last. */
unsigned random_fold_parts(const struct random_fold *fold, size_t size);
bool random_fold_has_gap(const struct random_fold *fold);

/* The one that subject_named() drew for this subject; NULL: it drew none. */
const struct random_fold *random_fold_of(const struct subject *subject);

/* The fold for trials, until the next one is asked for. */
const struct subject *random_fold_subject(const struct random_fold *fold);

#endif
