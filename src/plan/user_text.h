/*
 * The caller's words of OpenCL C: texts, names and types. A text is only checked to be
 * whole, so that it can neither end where another begins nor bring in lines of its own.
 */
#ifndef CLFOLD_PLAN_USER_TEXT_H
#define CLFOLD_PLAN_USER_TEXT_H

#include "base/error.h"

#include <stdbool.h>

/* What a text has at most: bytes, open brackets, operators, and tokens: words, numbers
 * and operators. Compilers walk a text by recursion. On a stack of 8 MiB a sum overflows
 * it in Intel's CPU runtime 2026.2 between 4,000 and 8,000 terms, in PoCL 3.1 between
 * 16,000 and 20,000; so do words alone: 4,600 of __extension__, 9,300 of sizeof. */
#define CLFOLD_MAX_TEXT      ((size_t)64 << 10)
#define CLFOLD_MAX_DEPTH     64
#define CLFOLD_MAX_OPERATORS 1000
#define CLFOLD_MAX_TOKENS    2000

/* The length of the identifier at `at`; 0: there is none. */
size_t clfold_name_length(const char *at);

/* Whether a name is one of these. */
bool clfold_name_is_of(const char *name, size_t length, const char *const *names,
                       size_t num);

/* Whether it is a keyword, a type or a predefined macro of OpenCL C. */
bool clfold_name_is_cl(const char *name, size_t length);

#define CLFOLD_IS_CL "a keyword, a type or a macro of OpenCL C"

/* Whether it begins as clfold's own names do. */
bool clfold_name_is_clfolds(const char *name);

/* The scalar type that OpenCL C calls so; 0: none. */
clfold_type clfold_name_type(const char *name, size_t length);

/* Bytes of an argument of that type, as clSetKernelArg takes it; 0: only the compiler
 * knows them. */
size_t clfold_type_text_size(const char *type);

/* NULL is fine. The field is the caller's name of it. */
clfold_status clfold_user_text_check(const struct site *site, const char *field,
                                     const char *text, bool is_statement);

/* What an initialiser makes. */
struct initialised {
    uint32_t num;      /* scalars */
    bool is_opaque;    /* one value of a type whose members are not known */
    bool may_be_whole; /* an expression without braces may give all of them */
};

/* Whether it has an expression for each, unless a macro of the source may bring more. The
 * text has passed the check; NULL is fine. */
clfold_status clfold_user_text_count(const struct site *site, const char *field,
                                     const char *text, const char *source,
                                     struct initialised made);

/* Whether a text uses a name, itself or by a macro of the source. */
bool clfold_user_text_uses(const char *text, const char *source, const char *name);

/* Whether it has a number, to which C promotes narrow integers, and no to_u8() or pick(),
 * which want vectors of one type, nor a cast to a narrow type. */
bool clfold_user_text_promotes(const char *text);

#endif
