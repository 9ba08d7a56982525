#include "plan/user_text.h"

#include "base/text.h"
#include "plan/scalar.h"

#include <string.h>

#define LETTERS  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS   "0123456789"
#define BLANKS   " \t\r\n"

/* ---- Names ------------------------------------------------------------------------- */

size_t clfold_name_length(const char *at)
{
    return strspn(at, LETTERS) > 0 ? strspn(at, LETTERS DIGITS) : 0;
}

bool clfold_name_is_of(const char *name, size_t length, const char *const *names,
                       size_t num)
{
    for (size_t i = 0; i < num; ++i) {
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) {
            return true;
        }
    }
    return false;
}

#define IS_OF(name, length, names)                                                       \
    clfold_name_is_of(name, length, names, CLFOLD_LENGTH(names))

clfold_type clfold_name_type(const char *name, size_t length)
{
    for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; ++type) {
        const char *cl = clfold_scalar(type)->cl;
        if (strlen(cl) == length && memcmp(cl, name, length) == 0) {
            return type;
        }
    }
    return 0;
}

/* The elements of the scalar or the vector that is called so, and their type. */
static size_t vector_named(const char *name, size_t length, clfold_type *type)
{
    static const char *const widths[] = { "", "2", "3", "4", "8", "16" };
    static const size_t nums[] = { 1, 2, 3, 4, 8, 16 };
    size_t letters = strspn(name, LETTERS);

    letters = letters < length ? letters : length;
    *type = clfold_name_type(name, letters);
    for (size_t i = 0; *type && i < CLFOLD_LENGTH(nums); ++i) {
        if (strlen(widths[i]) == length - letters &&
            memcmp(widths[i], name + letters, length - letters) == 0) {
            return nums[i];
        }
    }
    return 0;
}

static const char *const keywords[] = {
    /* C99's */
    "auto", "break", "case", "const", "continue", "default", "do", "else", "enum",
    "extern", "for", "goto", "if", "inline", "register", "restrict", "return", "signed",
    "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void",
    "volatile", "while", "_Bool", "_Complex", "_Imaginary",
    /* OpenCL C's, and those that it reserves or compilers add */
    "kernel", "global", "local", "constant", "private", "generic", "pipe", "uniform",
    "read_only", "write_only", "read_write", "vec_step", "asm", "typeof", "complex",
    "imaginary", "quad", "image2d_msaa_t",
    /* its types */
    "bool", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t", "sampler_t", "event_t",
    "queue_t", "clk_event_t", "reserve_id_t", "ndrange_t", "image1d_t", "image1d_array_t",
    "image1d_buffer_t", "image2d_t", "image2d_array_t", "image2d_depth_t",
    "image2d_array_depth_t", "image2d_array_msaa_t", "image2d_msaa_depth_t",
    "image2d_array_msaa_depth_t", "image3d_t", "cl_mem_fence_flags", "memory_order",
    "memory_scope", "atomic_int", "atomic_uint", "atomic_long", "atomic_ulong",
    "atomic_float", "atomic_double", "atomic_half", "atomic_flag", "atomic_size_t",
    "atomic_ptrdiff_t", "atomic_intptr_t", "atomic_uintptr_t",
    /* its macros */
    "true", "false", "NULL", "NAN", "INFINITY", "HUGE_VAL", "HUGE_VALF", "MAXFLOAT",
    "CHAR_BIT", "CHAR_MAX", "CHAR_MIN", "SCHAR_MAX", "SCHAR_MIN", "UCHAR_MAX", "SHRT_MAX",
    "SHRT_MIN", "USHRT_MAX", "INT_MAX", "INT_MIN", "UINT_MAX", "LONG_MAX", "LONG_MIN",
    "ULONG_MAX"
};

/* M_PI, M_PI_F, M_PI_H and the like. */
static bool is_constant(const char *name, size_t length)
{
    static const char *const constants[] = {
        "M_E",    "M_LOG2E", "M_LOG10E", "M_LN2",      "M_LN10",  "M_PI",     "M_PI_2",
        "M_PI_4", "M_1_PI",  "M_2_PI",   "M_2_SQRTPI", "M_SQRT2", "M_SQRT1_2"
    };
    bool is_short = length > 2 && name[length - 2] == '_' &&
                    (name[length - 1] == 'F' || name[length - 1] == 'H');

    return IS_OF(name, is_short ? length - 2 : length, constants);
}

bool clfold_name_is_cl(const char *name, size_t length)
{
    /* Of macros, which have no small letters, and of any names. */
    static const char *const capitals[] = { "FLT_", "DBL_",    "HALF_", "FP_",
                                            "CLK_", "ATOMIC_", "CL_",   NULL };
    static const char *const any[] = { "__", "cl_khr_", NULL };
    bool is_macro = strspn(name, CAPITALS DIGITS) >= length;
    clfold_type type;

    return (is_macro && clfold_text_begins(name, capitals)) ||
           clfold_text_begins(name, any) || IS_OF(name, length, keywords) ||
           is_constant(name, length) || vector_named(name, length, &type) > 0 ||
           (length > 4 && strncmp(name, "bool", 4) == 0 &&
            strspn(name + 4, DIGITS) >= length - 4);
}

bool clfold_name_is_clfolds(const char *name)
{
    return strncmp(name, "clfold_", 7) == 0 || strncmp(name, "CLFOLD_", 7) == 0;
}

size_t clfold_type_text_size(const char *type)
{
    static const char *const ignored[] = { "const",      "volatile",     "restrict",
                                           "private",    "__private",    "read_only",
                                           "write_only", "read_write",   "__read_only",
                                           "unsigned",   "__write_only", "__read_write",
                                           "signed" };
    bool has_sign = false;
    size_t size = 0;

    for (const char *at = type + strspn(type, BLANKS); *at != '\0';
         at += strspn(at, BLANKS)) {
        size_t length = clfold_name_length(at);
        clfold_type scalar;
        size_t num = vector_named(at, length, &scalar);
        if (num > 0 && size == 0) {
            size = clfold_scalar(scalar)->size * (num == 3 ? 4 : num);
        } else if (size == 0 && strncmp(at, "image", 5) == 0 &&
                   IS_OF(at, length, keywords)) {
            size = sizeof(cl_mem);
        } else if (length == 9 && size == 0 && memcmp(at, "sampler_t", 9) == 0) {
            size = sizeof(cl_sampler);
        } else if (!IS_OF(at, length, ignored)) {
            return 0;
        }
        has_sign |= length > 5 && memcmp(at + length - 6, "signed", 6) == 0;
        at += length;
    }
    return size > 0 ? size : has_sign ? sizeof(cl_int) : 0;
}

/* ---- Comments and literals --------------------------------------------------------- */

static bool is_comment(const char *at)
{
    return *at == '/' && (at[1] == '/' || at[1] == '*');
}

static bool is_skipped(const char *at)
{
    return *at == '"' || *at == '\'' || is_comment(at);
}

/* Moves past a comment or a literal; *fault: it has no end, or joins lines. */
static const char *skip_literal(const char *at, const char **fault)
{
    char quote = at[0];
    const char *end;

    if (quote == '/') {
        bool to_line = at[1] == '/';
        end = to_line ? at + strcspn(at, "\r\n") : strstr(at + 2, "*/");
        *fault = !end                                   ? "a comment without end"
                 : memchr(at, '\\', (size_t)(end - at)) ? "a backslash in a comment"
                                                        : NULL;
        return *fault ? at : end + (to_line ? 0 : 2);
    }
    for (++at; *at != '\0' && *at != '\n' && *at != '\r' && *at != quote; ++at) {
        at += *at == '\\' && at[1] != '\0';
    }
    *fault = *at == quote ? NULL : "a literal without end";
    return *at == quote ? at + 1 : at;
}

/* Past CLFOLD_HERE, if the text begins with it: a line of a number and a name. */
static const char *past_here(const char *text)
{
    const char *at = text, *fault = NULL;

    if (strncmp(at, "#line ", 6) != 0) {
        return text;
    }
    at += 6 + strspn(at + 6, DIGITS);
    if (strncmp(at, " \"", 2) != 0) {
        return text;
    }
    at = skip_literal(at + 1, &fault);
    return !fault && *at == '\n' ? at + 1 : text;
}

/* ---- Whole texts ------------------------------------------------------------------- */

static const char opens[] = "([{", closes[] = ")]}";

/* The characters at `at` that stand for others everywhere, also in literals. */
static bool is_trigraph(const char *at)
{
    return at[0] == '?' && at[1] == '?' && at[2] != '\0' && strchr("=/'()!<>-", at[2]);
}

/* Those that stand for a bracket or a #. */
static bool is_digraph(const char *at)
{
    static const char *const all[] = { "%:", "<:", ":>", "<%", "%>", NULL };

    return clfold_text_begins(at, all);
}

/* What may not stand in a text, whatever is round it. */
static const char *find_character(const char *at, bool is_statement)
{
    return *at == ';' && !is_statement ? "a semicolon"
           : *at == '#'                ? "a #"
           : *at == '\\'               ? "a backslash"
           : is_digraph(at)            ? "a digraph, which stands for a bracket or a #,"
                                       : NULL;
}

/* Whether an operator, a comma or a bracket begins at `at`; `last` is where the one
 * before it did. */
static bool is_operator(const char *at, const char *last)
{
    bool goes_on =
        last && last == at - 1 && strchr("=<>&|", *at) && strchr("+-*/%<>=!&|^", *last);

    return strchr("+-*/%<>=!&|^~?:,([{", *at) && !goes_on;
}

/* The length of the word or the number at `at`; 0: there is none. */
static size_t word_length(const char *at)
{
    return strspn(at, DIGITS) > 0 ? strspn(at, LETTERS DIGITS ".")
                                  : clfold_name_length(at);
}

/* Whether a word, a number, a literal or an operator begins at `at`. Dots, semicolons and
 * closing brackets stand beside these. */
static bool is_token(const char *at, const char *last)
{
    static const char others[] = BLANKS ".;)]}+-*/%<>=!&|^~?:,([{";

    return is_operator(at, last) || !strchr(others, *at);
}

#define STRING_(x) #x
#define STRING(x)  STRING_(x)

/* What is wrong with an expression, or statements, and where; NULL: nothing. */
static const char *find_fault(const char *text, bool is_statement, const char **where)
{
    char expected[CLFOLD_MAX_DEPTH];
    const char *opened[CLFOLD_MAX_DEPTH], *fault = NULL, *last = NULL;
    size_t depth = 0, operators = 0, tokens = 0;

    for (const char *at = text; *at != '\0'; ++at) {
        if (is_trigraph(at)) {
            *where = at;
            return "a trigraph, which stands for another character,";
        }
    }
    for (const char *at = text; *at != '\0' && !fault;) {
        const char *open = strchr(opens, *at);
        size_t length = word_length(at);
        *where = at;
        tokens += !is_comment(at) && is_token(at, last);
        if (tokens > CLFOLD_MAX_TOKENS) {
            return "more than " STRING(CLFOLD_MAX_TOKENS) " words, numbers and operators";
        }
        if (is_skipped(at) || length > 0) {
            at = length > 0 ? at + length : skip_literal(at, &fault);
            continue;
        }
        if (open && depth == CLFOLD_MAX_DEPTH) {
            return "more than " STRING(CLFOLD_MAX_DEPTH) " open brackets";
        }
        if (open) {
            opened[depth] = at;
            expected[depth++] = closes[open - opens];
        } else if (strchr(closes, *at) && (depth == 0 || expected[--depth] != *at)) {
            return "a bracket that closes none";
        }
        fault = find_character(at, is_statement);
        if (is_operator(at, last)) {
            last = at;
            ++operators;
        }
        if (operators > CLFOLD_MAX_OPERATORS) {
            return "more than " STRING(
                CLFOLD_MAX_OPERATORS) " operators, commas and brackets";
        }
        ++at;
    }
    if (!fault && depth > 0) {
        *where = opened[depth - 1];
        return "a bracket that is not closed";
    }
    return fault;
}

clfold_status clfold_user_text_check(const struct site *site, const char *field,
                                     const char *text, bool is_statement)
{
    const char *body, *where = NULL, *fault;

    if (!text) {
        return CLFOLD_OK;
    }
    if (strlen(text) > CLFOLD_MAX_TEXT) {
        return REJECT(site, "%s has %zu bytes; the limit is %zu", field, strlen(text),
                      CLFOLD_MAX_TEXT);
    }
    body = past_here(text);
    if (body[strspn(body, BLANKS)] == '\0') {
        return REJECT(site, "%s is empty", field);
    }
    fault = find_fault(body, is_statement, &where);
    return fault ? REJECT(site, "%s: %s at character %zu of \"%s\"", field, fault,
                          (size_t)(where - body) + 1, body)
                 : CLFOLD_OK;
}

/* ---- Macros of the source ---------------------------------------------------------- */

/* Whether the first characters of a text use the name at `name`. */
static bool mentions(const char *text, size_t size, const char *name)
{
    const size_t name_length = clfold_name_length(name);
    const char *at = text, *fault = NULL;

    while (at < text + size && *at != '\0') {
        size_t length = clfold_name_length(at);
        if (length == name_length && memcmp(at, name, length) == 0) {
            return true;
        }
        if (length > 0) {
            at += length;
        } else if (is_skipped(at)) {
            at = skip_literal(at, &fault);
            at += fault != NULL;
        } else {
            /* A number's letters, and a member, are no names. */
            bool is_part = *at == '.' || strspn(at, DIGITS) > 0;
            at += is_part ? 1 + strspn(at + 1, LETTERS DIGITS) : 1;
        }
    }
    return false;
}

/* Whether a line of the source's directives, or one in which it goes on, is `such`. */
static bool has_directive(const char *source, const char *what,
                          bool (*such)(const char *line, size_t length, const char *what))
{
    const char *line = source;
    bool has = false, goes_on = false;

    while (line && !has) {
        const char *end = strchr(line, '\n');
        size_t length = end ? (size_t)(end - line) : strlen(line);
        if (goes_on || line[strspn(line, BLANKS)] == '#') {
            has = such(line, length, what);
            goes_on = length > 0 && line[length - 1] == '\\';
        }
        line = end ? end + 1 : NULL;
    }
    return has;
}

/* Whether it defines a macro that the text uses, or may do so in another file. */
static bool defines_for(const char *line, size_t length, const char *text)
{
    const char *at = line + strspn(line, BLANKS "#");
    size_t letters = clfold_name_length(at);

    (void)length;
    if (letters == 6 && memcmp(at, "define", 6) == 0) {
        at += 6 + strspn(at + 6, " \t");
        return mentions(text, strlen(text), at);
    }
    return letters == 7 && memcmp(at, "include", 7) == 0;
}

bool clfold_user_text_uses(const char *text, const char *source, const char *name)
{
    const char *body = past_here(text);

    return mentions(body, strlen(body), name) || has_directive(source, name, mentions);
}

bool clfold_user_text_promotes(const char *text)
{
    const char *at = past_here(text);

    while (*at != '\0' && !strchr(DIGITS "'", *at)) {
        at += clfold_name_length(at) > 0 ? clfold_name_length(at) : 1;
    }
    return *at != '\0' && !strstr(text, "to_") && !strstr(text, "pick") &&
           !strstr(text, "char)") && !strstr(text, "short)");
}

/* ---- Initialisers ------------------------------------------------------------------ */

/* The expressions that commas part, up to the bracket that closes them or to the end. A
 * comma before the bracket parts nothing, nor do those between ? and :. *has_list: one of
 * them begins with a brace. */
static size_t count_expressions(const char *at, bool *has_list)
{
    size_t num = 0, depth = 0, choices = 0;
    const char *fault = NULL;
    bool is_blank = true;

    *has_list = false;
    while (*at != '\0' && (depth > 0 || !strchr(closes, *at))) {
        if (is_skipped(at)) {
            is_blank &= is_comment(at);
            at = skip_literal(at, &fault);
            continue;
        }
        *has_list |= is_blank && *at == '{';
        choices += depth == 0 && *at == '?';
        choices -= depth == 0 && *at == ':' && choices > 0;
        bool is_comma = *at == ',' && depth == 0 && choices == 0;
        depth += strchr(opens, *at) != NULL;
        depth -= strchr(closes, *at) != NULL;
        num += is_comma;
        is_blank = is_comma || (is_blank && strchr(BLANKS, *at));
        ++at;
    }
    return num + (!is_blank || *at == '\0');
}

/* Where the text's list begins that is in braces. */
static const char *find_list(const char *at)
{
    const char *fault = NULL;

    while (*at != '{') {
        at = is_skipped(at) ? skip_literal(at, &fault) : at + 1;
    }
    return at;
}

clfold_status clfold_user_text_count(const struct site *site, const char *field,
                                     const char *text, const char *source,
                                     struct initialised made)
{
    const char *body = text ? past_here(text) : NULL;
    bool has_list = false, has_lists = false;
    size_t found = 1;

    if (!text) {
        return CLFOLD_OK;
    }
    if ((found = count_expressions(body, &has_list)) == 1 &&
        (made.is_opaque || (!has_list && (made.num == 1 || made.may_be_whole)))) {
        return CLFOLD_OK;
    }
    if (found == 1 && has_list) {
        found = count_expressions(find_list(body) + 1, &has_lists);
    } else {
        has_list = false;
    }
    if (has_lists) {
        return REJECT(site, "%s: a list in braces inside a list of scalars: \"%s\"",
                      field, body);
    }
    if ((has_list && found == made.num) ||
        (found < made.num && source && has_directive(source, body, defines_for))) {
        return CLFOLD_OK;
    }
    return REJECT(site, "%s: %zu expression%s where %u %s expected%s: \"%s\"", field,
                  found, found == 1 ? "" : "s", made.num, made.num == 1 ? "is" : "are",
                  made.num == 1 || has_list ? ""
                  : found == made.num       ? ", but the braces are missing"
                                            : ", in braces",
                  body);
}
