/* Few programs in which any two properties meet that meet in any of many drawn ones. */
#ifndef CLFOLD_TESTS_COVER_H
#define CLFOLD_TESTS_COVER_H

#include <stddef.h>
#include <stdint.h>

/* Seeds of draw_program() for a cover of `sample` programs. Returns how many, or 0 if
 * `most` are too few. */
size_t cover_programs(uint64_t seed, size_t sample, uint64_t *seeds, size_t most);

#endif
