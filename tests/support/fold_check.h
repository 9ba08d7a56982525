/*
 * Folds of a caller's against a loop on the host: in every operation, by every algorithm,
 * on every tile, with offsets, init, in place, and zones around what is written.
 */
#ifndef CLFOLD_TEST_FOLD_CHECK_H
#define CLFOLD_TEST_FOLD_CHECK_H

#include <clfold/clfold.h>

#include <stdbool.h>

/* Bytes of an element or a result, and elements, at most. */
#define FOLD_CHECK_SIZE  256
#define FOLD_CHECK_COUNT 5000

struct subject {
    clfold_fold fold;
    size_t size;          /* of a result, and of an element unless in_size says so */
    size_t in_size;       /* 0: as size */
    const void *identity; /* NULL: there is none */
    void (*combine)(void *out, const void *a, const void *b);
    /* What is folded for element i of n; NULL: the element. */
    void (*load)(void *out, const unsigned char *elements, size_t i, size_t n);
    /* What is written for it, of out_size bytes; NULL: the item. Where an element is used
     * there are no reductions. */
    void (*write)(void *out, const void *item, const void *prev,
                  const unsigned char *elements, size_t i, size_t n);
    size_t out_size;
    bool writes_of_element;
    size_t (*place)(size_t i, size_t n); /* where a store puts it; NULL: at i */
    bool is_map;                         /* no operator, and only CLFOLD_MAP */
    uint32_t least, most; /* each word of a random element, as `word` says */
    size_t word;
    bool is_real;      /* words are floats of these values */
    bool reads_others; /* than its own element, so that it cannot be in place */
    /* Of what is folded; NULL, or where out_size is given: byte for byte. */
    bool (*same)(const void *a, const void *b);
    bool differs; /* at 16 lanes, so it runs on scalars */
};

/* Fails the test with a sentence at the first difference. `first` is the subject's
 * number, by which algorithms and tiles take turns. */
void fold_check(const struct subject *subject, unsigned first);

/* The same in rows and columns. */
void fold_check_segments(const struct subject *subject, unsigned first);

/* Scans of rows and columns, by every tile. */
void fold_check_segment_scans(const struct subject *subject, unsigned first);

#endif
