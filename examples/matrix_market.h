/*
 * Reads a sparse matrix of real numbers from a file in Matrix Market form, as CSR:
 *
 *     %%MatrixMarket matrix coordinate real general
 *     3 3 5             rows, columns, entries
 *     1 1 1.0           row, column, value, in any order
 *     3 1 3.0           offsets    0     2 2       5    where rows begin, and the end
 *     3 2 4.0           columns    0   2   0  1  2
 *     1 3 2.0           values     1   2   3  4  5
 *     3 3 5.0
 *
 * One that is symmetric has entries of one triangle, which stand for both.
 */
#ifndef MATRIX_MARKET_H
#define MATRIX_MARKET_H

#include "example.h"

#include <string.h>

struct matrix {
    size_t num_rows, num_columns;
    cl_uint *offsets, *columns; /* num_rows + 1; one for each value */
    cl_float *values;
};

/* Of an empty matrix, too. */
static inline void matrix_free(struct matrix *m)
{
    free(m->offsets);
    free(m->columns);
    free(m->values);
}

/* Counts the entries of row i in offsets[i + 2], or puts them into their places, where
 * offsets[i + 1] is the row's next. Returns whether all are entries. */
static inline bool matrix_entries(const struct matrix *m, char *text, size_t lines,
                                  bool is_symmetric, bool puts)
{
    char *end = text;

    for (size_t line = 0; line < lines; ++line) {
        const size_t row = strtoul(end, &end, 10) - 1;
        const size_t column = strtoul(end, &text, 10) - 1;
        const cl_float value = strtof(text, &end);
        if (row >= m->num_rows || column >= m->num_columns || end == text) {
            return false;
        }
        const int turns = is_symmetric && row != column ? 2 : 1;
        for (int turn = 0; turn < turns; ++turn) {
            const cl_uint at = m->offsets[(turn ? column : row) + (puts ? 1 : 2)]++;
            if (puts) {
                m->columns[at] = (cl_uint)(turn ? row : column);
                m->values[at] = value;
            }
        }
    }
    return true;
}

static inline bool matrix_parse(struct matrix *m, char *text, size_t size)
{
    char symmetry[16] = "";
    size_t lines;

    sscanf(text, "%%%%MatrixMarket matrix coordinate real %15s", symmetry);
    const bool is_symmetric = strcmp(symmetry, "symmetric") == 0;
    if (!is_symmetric && strcmp(symmetry, "general") != 0) {
        return false;
    }
    while (*text == '%') { /* comments */
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    if (sscanf(text, "%zu %zu %zu", &m->num_rows, &m->num_columns, &lines) != 3 ||
        (is_symmetric && m->num_rows != m->num_columns) || lines > size ||
        m->num_rows > UINT32_MAX || m->num_columns > UINT32_MAX ||
        2 * lines > UINT32_MAX) {
        return false;
    }
    m->offsets = example_zeros(m->num_rows + 2, sizeof(*m->offsets));
    m->columns = example_zeros(2 * lines, sizeof(*m->columns));
    m->values = example_zeros(2 * lines, sizeof(*m->values));
    text += strcspn(text, "\n");
    if (!m->offsets || !m->columns || !m->values ||
        !matrix_entries(m, text, lines, is_symmetric, false)) {
        return false;
    }
    for (size_t row = 0; row < m->num_rows; ++row) {
        m->offsets[row + 2] += m->offsets[row + 1];
    }
    return matrix_entries(m, text, lines, is_symmetric, true);
}

/* False on failure, after a message, with an empty matrix. */
static inline bool matrix_read(struct matrix *m, const char *path)
{
    size_t size;
    unsigned char *const text = example_read(path, &size);

    *m = (struct matrix){ 0 };
    const bool done = text && matrix_parse(m, (char *)text, size);
    if (text && !done) {
        fprintf(stderr, "%s is not a sparse real matrix in Matrix Market form\n", path);
        matrix_free(m);
        *m = (struct matrix){ 0 };
    }
    free(text);
    return done;
}

#endif
