/*
 * Lines of a program that is made of many texts. #line directives name them, and most
 * compilers say "combine:1:5: error"; one that ignores the directives says where that is
 * in the whole, "input.cl:354:5: error".
 */
#ifndef CLFOLD_BASE_LINES_H
#define CLFOLD_BASE_LINES_H

#include "base/text.h"

/* Appends a compiler's log. A place at a line's start, "FILE:LINE:", whose FILE no
 * directive of the program names, becomes the place that the directives name. */
void clfold_lines_append(struct text *text, const char *program, const char *log);

/* From the line of the first error on, or the whole of a log that has none. */
const char *clfold_lines_error(const char *log);

#endif
