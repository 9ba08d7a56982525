#include "nest.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const op_class_names[OP_CLASSES] = { "simple", "reciprocal", "special",
                                                 "convert" };

static const struct type {
    const char *name;
    int bytes;
} types[] = {
    { "i8", 1 },  { "u8", 1 },  { "i16", 2 }, { "u16", 2 }, { "f16", 2 }, { "i32", 4 },
    { "u32", 4 }, { "f32", 4 }, { "i64", 8 }, { "u64", 8 }, { "f64", 8 },
};

static const char *const given[SLOTS_GIVEN] = { "tx", "ty", "tz",     "gx",
                                                "gy", "gz", "groups", "size" };

static const char *const keywords[] = {
    "param",   "kernel",       "launch",     "array",     "load",   "store", "op",
    "barrier", "let",          "if",         "else",      "for",    "step",  "wide",
    "global",  "local",        "again",      "while",     "hops",   "log2",  "ceil",
    "min",     "max",          "registers",  "lines",     "offset", "t",     "g",
    "unroll",  "instructions", "iterations", "reduction",
};

struct reader {
    struct nest *nest;
    const char *at, *end;
    int line, column; /* of `at` */
    int kernel;       /* that is read, or NEST_NONE */
    int depth;
    struct nest_error *error;
};

bool nest_refuse(struct nest_error *error, int line, int column, const char *format, ...)
{
    va_list values;

    error->line = line;
    error->column = column;
    va_start(values, format);
    vsnprintf(error->text, sizeof(error->text), format, values);
    va_end(values);
    return false;
}

/* ---- Words ------------------------------------------------------------------------- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void advance(struct reader *reader)
{
    if (*reader->at++ == '\n') {
        reader->line++;
        reader->column = 0;
    }
    reader->column++;
}

/* Past spaces and comments, which begin with #. */
static void skip(struct reader *reader)
{
    bool is_comment = false;

    while (reader->at < reader->end) {
        const char c = *reader->at;
        is_comment = c == '#' || (is_comment && c != '\n');
        if (!is_comment && c != ' ' && c != '\n' && c != '\t' && c != '\r') {
            return;
        }
        advance(reader);
    }
}

static bool refuse_here(struct reader *reader, const char *expected)
{
    char got[NEST_NAME] = "the end of the text";

    skip(reader);
    const size_t left = (size_t)(reader->end - reader->at);

    if (left > 0) {
        size_t length = 1;
        while (length < left && length < NEST_NAME - 1 && is_letter(reader->at[0]) &&
               (is_letter(reader->at[length]) || is_digit(reader->at[length]))) {
            length++;
        }
        snprintf(got, sizeof(got), "%.*s", (int)length, reader->at);
        for (char *c = got; *c; c++) {
            *c = *c < ' ' || *c > '~' ? '?' : *c;
        }
    }
    return nest_refuse(reader->error, reader->line, reader->column, "%s, not %s",
                       expected, got);
}

/* Takes `word` if it comes next, whole. */
static bool take(struct reader *reader, const char *word)
{
    const size_t length = strlen(word);

    skip(reader);
    if ((size_t)(reader->end - reader->at) < length ||
        memcmp(reader->at, word, length) != 0) {
        return false;
    }
    const char *const after = reader->at + length;
    if (is_letter(*word) && after < reader->end &&
        (is_letter(*after) || is_digit(*after))) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        advance(reader);
    }
    return true;
}

static bool need(struct reader *reader, const char *word)
{
    char expected[NEST_NAME];

    snprintf(expected, sizeof(expected), "%s is expected", word);
    return take(reader, word) || refuse_here(reader, expected);
}

static bool is_keyword(const char *name)
{
    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
        if (strcmp(keywords[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Takes the name that comes next, unless it is a keyword or none. */
static bool take_name(struct reader *reader, char name[NEST_NAME])
{
    size_t length = 0;

    skip(reader);
    const size_t left = (size_t)(reader->end - reader->at);
    while (
        length < left && length < NEST_NAME &&
        (is_letter(reader->at[length]) || (length > 0 && is_digit(reader->at[length])))) {
        length++;
    }
    if (length == 0 || length == NEST_NAME) {
        return false;
    }
    memcpy(name, reader->at, length);
    name[length] = 0;
    if (is_keyword(name)) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        advance(reader);
    }
    return true;
}

/* ---- Expressions ------------------------------------------------------------------- */

static int read_expression(struct reader *reader);

static uint64_t counters_of(const struct nest *nest, int node)
{
    return node == NEST_NONE ? 0 : nest->nodes[node].counters;
}

static int depth_of(const struct nest *nest, int node)
{
    return node == NEST_NONE ? 0 : nest->nodes[node].depth;
}

/* Where a node is not linear in what it depends on, the counters are bent. */
static uint64_t depends(struct nest *nest, const struct nest_node *node)
{
    static const uint64_t group_bits = (1 << NEST_DIMS) - 1;
    const uint64_t left = counters_of(nest, node->left);
    const uint64_t right = counters_of(nest, node->right);

    switch (node->kind) {
    case NODE_MULTIPLY:
        if (left && right) {
            /* One of them is enough: for each of its values the other is linear. */
            nest->is_bent |= right & group_bits && !(left & group_bits) ? left : right;
        }
        return left | right;
    case NODE_SHIFT_LEFT:
        nest->is_bent |= right;
        return left | right;
    case NODE_DIVIDE:
    case NODE_MODULO:
    case NODE_SHIFT_RIGHT:
    case NODE_POWER:
    case NODE_LOG2:
    case NODE_CEIL:
        nest->is_bent |= left | right;
        return left | right;
    case NODE_LESS:
    case NODE_LESS_EQUAL:
    case NODE_EQUAL:
    case NODE_DIFFERS:
    case NODE_AND:
    case NODE_OR:
    case NODE_NOT:
        return 0; /* counting goes on anew where such a value changes */
    default:
        return left | right;
    }
}

static int add_node(struct reader *reader, enum node_kind kind, int left, int right,
                    int64_t value, int line, int column)
{
    struct nest *const nest = reader->nest;

    if (nest->num_nodes == NEST_MOST_NODES) {
        nest_refuse(reader->error, line, column, "there are more than %d terms",
                    NEST_MOST_NODES);
        return NEST_NONE;
    }
    struct nest_node *const node = &nest->nodes[nest->num_nodes];
    *node = (struct nest_node){ .kind = kind,
                                .left = left,
                                .right = right,
                                .value = value,
                                .line = line,
                                .column = column };
    const int below = depth_of(nest, left), beside = depth_of(nest, right);
    node->depth = 1 + (below > beside ? below : beside);
    if (node->depth > NEST_MOST_TERMS) {
        nest_refuse(reader->error, line, column, "an expression has more than %d terms",
                    NEST_MOST_TERMS);
        return NEST_NONE;
    }
    node->is_uniform = (left == NEST_NONE || nest->nodes[left].is_uniform) &&
                       (right == NEST_NONE || nest->nodes[right].is_uniform);
    node->counters = depends(nest, node);
    return nest->num_nodes++;
}

static int find_name(const struct reader *reader, const char *name)
{
    const struct nest *const nest = reader->nest;

    for (int i = nest->num_names - 1; i >= 0; i--) {
        if (nest->names[i].is_open && strcmp(nest->names[i].name, name) == 0) {
            return i;
        }
    }
    return NEST_NONE;
}

static int find_given(const char *name)
{
    for (int i = 0; i < SLOTS_GIVEN; i++) {
        if (strcmp(given[i], name) == 0) {
            return i;
        }
    }
    return NEST_NONE;
}

static int read_slot(struct reader *reader, int line, int column)
{
    struct nest *const nest = reader->nest;
    char name[NEST_NAME];
    int slot = NEST_NONE, found = NEST_NONE;

    if (take(reader, "t")) {
        slot = SLOT_T;
    } else if (take(reader, "g")) {
        slot = SLOT_G;
    } else if (take_name(reader, name)) {
        found = find_name(reader, name);
        slot = found == NEST_NONE ? find_given(name) : SLOTS_GIVEN + found;
        if (slot == NEST_NONE) {
            nest_refuse(reader->error, line, column, "there is no %s", name);
            return NEST_NONE;
        }
    } else {
        refuse_here(reader, "a number, a name or ( is expected");
        return NEST_NONE;
    }
    if (slot < SLOTS_GIVEN && reader->kernel == NEST_NONE) {
        nest_refuse(reader->error, line, column, "%s belongs to a kernel", given[slot]);
        return NEST_NONE;
    }
    const int node =
        add_node(reader, NODE_NAME, NEST_NONE, NEST_NONE, slot, line, column);
    if (node != NEST_NONE && found != NEST_NONE) {
        nest->nodes[node].is_uniform = nest->names[found].is_uniform;
        nest->nodes[node].counters = nest->names[found].counters;
    } else if (node != NEST_NONE) {
        nest->nodes[node].is_uniform = slot >= SLOT_G;
        nest->nodes[node].counters =
            slot >= SLOT_G && slot < SLOT_GROUPS ? UINT64_C(1) << (slot - SLOT_G) : 0;
    }
    return node;
}

static int read_number(struct reader *reader, int line, int column)
{
    int64_t number = 0;

    while (reader->at < reader->end && is_digit(*reader->at)) {
        number = 10 * number + (*reader->at - '0');
        if (number > NEST_MOST_VALUE) {
            nest_refuse(reader->error, line, column, "the number is above 2^53");
            return NEST_NONE;
        }
        advance(reader);
    }
    return add_node(reader, NODE_NUMBER, NEST_NONE, NEST_NONE, number, line, column);
}

/* log2(a), ceil(a / b) as ceil(a, b), min(a, b), max(a, b), after the name. */
static int read_call(struct reader *reader, enum node_kind kind, int line, int column)
{
    int left, right = NEST_NONE;

    if (!need(reader, "(") || (left = read_expression(reader)) == NEST_NONE ||
        (kind != NODE_LOG2 &&
         (!need(reader, ",") || (right = read_expression(reader)) == NEST_NONE)) ||
        !need(reader, ")")) {
        return NEST_NONE;
    }
    return add_node(reader, kind, left, right, 0, line, column);
}

static int read_factor(struct reader *reader);

static int read_primary(struct reader *reader)
{
    static const struct {
        const char *name;
        enum node_kind kind;
    } calls[] = { { "log2", NODE_LOG2 },
                  { "min", NODE_MIN },
                  { "max", NODE_MAX },
                  { "ceil", NODE_CEIL } };

    skip(reader);
    const int line = reader->line, column = reader->column;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        if (take(reader, calls[i].name)) {
            return read_call(reader, calls[i].kind, line, column);
        }
    }
    if (take(reader, "(")) {
        const int inner = read_expression(reader);
        return inner != NEST_NONE && need(reader, ")") ? inner : NEST_NONE;
    }
    return reader->at < reader->end && is_digit(*reader->at)
               ? read_number(reader, line, column)
               : read_slot(reader, line, column);
}

/* -a, !a, a^b */
static int read_factor(struct reader *reader)
{
    skip(reader);
    const int line = reader->line, column = reader->column;
    int node = NEST_NONE;

    if (++reader->depth > NEST_MOST_DEPTH) {
        nest_refuse(reader->error, line, column, "brackets and signs are %d deep",
                    NEST_MOST_DEPTH);
        return NEST_NONE;
    }
    if (take(reader, "-")) {
        const int zero =
            add_node(reader, NODE_NUMBER, NEST_NONE, NEST_NONE, 0, line, column);
        const int right = zero == NEST_NONE ? NEST_NONE : read_factor(reader);
        node = right == NEST_NONE
                   ? NEST_NONE
                   : add_node(reader, NODE_SUBTRACT, zero, right, 0, line, column);
    } else if (take(reader, "!")) {
        const int left = read_factor(reader);
        node = left == NEST_NONE
                   ? NEST_NONE
                   : add_node(reader, NODE_NOT, left, NEST_NONE, 0, line, column);
    } else {
        node = read_primary(reader);
        if (node != NEST_NONE && take(reader, "^")) {
            const int right = read_factor(reader);
            node = right == NEST_NONE
                       ? NEST_NONE
                       : add_node(reader, NODE_POWER, node, right, 0, line, column);
        }
    }
    reader->depth--;
    return node;
}

/* From the weakest. `swap`: the operands change places. */
static const struct binary {
    const char *sign;
    enum node_kind kind;
    bool swap;
    int level;
} binaries[] = {
    { "||", NODE_OR, false, 0 },         { "&&", NODE_AND, false, 1 },
    { "==", NODE_EQUAL, false, 2 },      { "!=", NODE_DIFFERS, false, 2 },
    { "<<", NODE_SHIFT_LEFT, false, 3 }, { ">>", NODE_SHIFT_RIGHT, false, 3 },
    { "<=", NODE_LESS_EQUAL, false, 2 }, { ">=", NODE_LESS_EQUAL, true, 2 },
    { "<", NODE_LESS, false, 2 },        { ">", NODE_LESS, true, 2 },
    { "+", NODE_ADD, false, 4 },         { "-", NODE_SUBTRACT, false, 4 },
    { "*", NODE_MULTIPLY, false, 5 },    { "/", NODE_DIVIDE, false, 5 },
    { "%", NODE_MODULO, false, 5 },
};
enum { BINARY_LEVELS = 6, BINARIES = sizeof(binaries) / sizeof(binaries[0]) };

/* The operator that comes next, if it is of this level. */
static const struct binary *take_binary(struct reader *reader, int level)
{
    skip(reader);
    for (int i = 0; i < BINARIES; i++) {
        const size_t length = strlen(binaries[i].sign);
        if ((size_t)(reader->end - reader->at) >= length &&
            memcmp(reader->at, binaries[i].sign, length) == 0) {
            return binaries[i].level == level && take(reader, binaries[i].sign)
                       ? &binaries[i]
                       : NULL;
        }
    }
    return NULL;
}

static int read_level(struct reader *reader, int level)
{
    int node =
        level == BINARY_LEVELS ? read_factor(reader) : read_level(reader, level + 1);

    while (node != NEST_NONE && level < BINARY_LEVELS) {
        const int line = reader->line, column = reader->column;
        const struct binary *const binary = take_binary(reader, level);
        if (!binary) {
            break;
        }
        const int right = read_level(reader, level + 1);
        node = right == NEST_NONE
                   ? NEST_NONE
                   : add_node(reader, binary->kind, binary->swap ? right : node,
                              binary->swap ? node : right, 0, line, column);
    }
    return node;
}

static int read_expression(struct reader *reader)
{
    if (++reader->depth > NEST_MOST_DEPTH) {
        nest_refuse(reader->error, reader->line, reader->column,
                    "brackets and signs are %d deep", NEST_MOST_DEPTH);
        return NEST_NONE;
    }
    const int node = read_level(reader, 0);
    reader->depth--;
    return node;
}

/* The same for all work-items and groups, as sizes are. */
static bool read_constant(struct reader *reader, int *node)
{
    skip(reader);
    const int line = reader->line, column = reader->column;

    *node = read_expression(reader);
    return *node != NEST_NONE &&
           ((reader->nest->nodes[*node].is_uniform &&
             !reader->nest->nodes[*node].counters) ||
            nest_refuse(reader->error, line, column,
                        "a size may not depend on work-items or groups"));
}

/* ---- Declarations ------------------------------------------------------------------ */

static struct nest_name *add_name(struct reader *reader)
{
    struct nest *const nest = reader->nest;
    char name[NEST_NAME];

    skip(reader);
    const int line = reader->line, column = reader->column;
    if (!take_name(reader, name)) {
        refuse_here(reader, "a name is expected");
        return NULL;
    }
    if (find_name(reader, name) != NEST_NONE || find_given(name) != NEST_NONE) {
        nest_refuse(reader->error, line, column, "there is a %s already", name);
        return NULL;
    }
    if (nest->num_names == NEST_MOST_NAMES) {
        nest_refuse(reader->error, line, column, "there are more than %d names",
                    NEST_MOST_NAMES);
        return NULL;
    }
    struct nest_name *const added = &nest->names[nest->num_names++];
    *added = (struct nest_name){ .value = NEST_NONE, .kernel = reader->kernel };
    memcpy(added->name, name, sizeof(name));
    return added;
}

/* param n = 2^25  B = 256 */
static bool read_params(struct reader *reader)
{
    do {
        struct nest_name *const name = add_name(reader);
        if (!name || !need(reader, "=") || !read_constant(reader, &name->value)) {
            return false;
        }
        name->kernel = NEST_NONE;
        name->is_param = name->is_uniform = name->is_open = true;
        skip(reader);
        char next[NEST_NAME];
        struct reader ahead = *reader;
        if (!take_name(&ahead, next)) {
            return true;
        }
    } while (true);
}

static bool read_sizes(struct reader *reader, int sizes[NEST_DIMS])
{
    for (int i = 0; i < NEST_DIMS; i++) {
        if (!read_constant(reader, &sizes[i])) {
            return false;
        }
        if (!take(reader, ",")) {
            return true;
        }
    }
    return nest_refuse(reader->error, reader->line, reader->column,
                       "there are three dimensions at most");
}

/* launch groups = E, E  size = E  again n = E while E  when E  hops E */
static bool read_launch(struct reader *reader, struct nest_kernel *kernel)
{
    if (kernel->groups[0] != NEST_NONE) {
        return nest_refuse(reader->error, reader->line, reader->column,
                           "a kernel has one launch");
    }
    if (!need(reader, "groups") || !need(reader, "=") ||
        !read_sizes(reader, kernel->groups) || !need(reader, "size") ||
        !need(reader, "=") || !read_sizes(reader, kernel->size)) {
        return false;
    }
    if (take(reader, "again")) {
        char name[NEST_NAME];
        int found = NEST_NONE;
        skip(reader);
        const int line = reader->line, column = reader->column;
        if (take_name(reader, name)) {
            found = find_name(reader, name);
        }
        if (found == NEST_NONE || !reader->nest->names[found].is_param) {
            return nest_refuse(reader->error, line, column, "again needs a parameter");
        }
        kernel->again_slot = SLOTS_GIVEN + found;
        if (!need(reader, "=") || !read_constant(reader, &kernel->again_value) ||
            !need(reader, "while") || !read_constant(reader, &kernel->again_while)) {
            return false;
        }
    }
    return (!take(reader, "when") || read_constant(reader, &kernel->when)) &&
           (!take(reader, "hops") || read_constant(reader, &kernel->hops));
}

static int find_array(const struct reader *reader, const char *name)
{
    const struct nest *const nest = reader->nest;

    for (int i = nest->num_arrays - 1; i >= 0; i--) {
        const struct nest_array *const array = &nest->arrays[i];
        if ((array->kernel == NEST_NONE || array->kernel == reader->kernel) &&
            strcmp(array->name, name) == 0) {
            return i;
        }
    }
    return NEST_NONE;
}

/* array a f32[n, m] global offset 4 */
static bool read_array(struct reader *reader)
{
    struct nest *const nest = reader->nest;
    struct nest_array *const array = &nest->arrays[nest->num_arrays];

    skip(reader);
    const int line = reader->line, column = reader->column;
    if (nest->num_arrays == NEST_MOST_ARRAYS) {
        return nest_refuse(reader->error, line, column, "there are more than %d arrays",
                           NEST_MOST_ARRAYS);
    }
    *array = (struct nest_array){ .kernel = reader->kernel,
                                  .lengths = { NEST_NONE, NEST_NONE, NEST_NONE },
                                  .line = line,
                                  .column = column };
    if (!take_name(reader, array->name)) {
        return refuse_here(reader, "an array's name is expected");
    }
    if (find_array(reader, array->name) != NEST_NONE) {
        return nest_refuse(reader->error, line, column, "there is an array %s already",
                           array->name);
    }
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]) && !array->bytes; i++) {
        if (take(reader, types[i].name)) {
            array->bytes = types[i].bytes;
            snprintf(array->type, sizeof(array->type), "%s", types[i].name);
        }
    }
    if (!array->bytes) {
        return refuse_here(reader, "a type such as f32 is expected");
    }
    if (!need(reader, "[") || !read_sizes(reader, array->lengths) || !need(reader, "]")) {
        return false;
    }
    array->is_local = take(reader, "local");
    if (!array->is_local && !take(reader, "global")) {
        return refuse_here(reader, "global or local is expected");
    }
    if (take(reader, "offset")) {
        skip(reader);
        const int node = reader->at < reader->end && is_digit(*reader->at)
                             ? read_number(reader, reader->line, reader->column)
                             : NEST_NONE;
        if (node == NEST_NONE || nest->nodes[node].value > 127) {
            return refuse_here(reader, "an offset is a number of bytes up to 127");
        }
        array->offset = (int)nest->nodes[node].value;
    }
    nest->num_arrays++;
    return true;
}

/* ---- Steps ------------------------------------------------------------------------- */

static bool read_block(struct reader *reader, int *first);

static int add_step(struct reader *reader, struct nest_step step)
{
    struct nest *const nest = reader->nest;

    if (nest->num_steps == NEST_MOST_STEPS) {
        nest_refuse(reader->error, step.line, step.column,
                    "there are more than %d statements", NEST_MOST_STEPS);
        return NEST_NONE;
    }
    nest->steps[nest->num_steps] = step;
    return nest->num_steps++;
}

/* a[i, j]: the first index is the fastest. */
static bool read_index(struct reader *reader, struct nest_step *step)
{
    struct nest *const nest = reader->nest;
    char name[NEST_NAME];
    int indices[NEST_DIMS], num = 0;

    skip(reader);
    const int line = reader->line, column = reader->column;
    if (!take_name(reader, name)) {
        return refuse_here(reader, "an array's name is expected");
    }
    step->array = find_array(reader, name);
    if (step->array == NEST_NONE) {
        return nest_refuse(reader->error, line, column, "there is no array %s", name);
    }
    if (!need(reader, "[")) {
        return false;
    }
    const struct nest_array *const array = &nest->arrays[step->array];
    do {
        if (num == NEST_DIMS || array->lengths[num] == NEST_NONE) {
            return nest_refuse(reader->error, line, column, "%s has %d dimensions", name,
                               num);
        }
        indices[num] = read_expression(reader);
        if (indices[num++] == NEST_NONE) {
            return false;
        }
    } while (take(reader, ","));
    if (num < NEST_DIMS && array->lengths[num] != NEST_NONE) {
        return nest_refuse(reader->error, line, column, "%s needs more indices", name);
    }
    step->value = indices[num - 1];
    for (int i = num - 2; i >= 0 && step->value != NEST_NONE; i--) {
        step->value = add_node(reader, NODE_MULTIPLY, step->value, array->lengths[i], 0,
                               line, column);
        if (step->value != NEST_NONE) {
            step->value =
                add_node(reader, NODE_ADD, step->value, indices[i], 0, line, column);
        }
    }
    return step->value != NEST_NONE && need(reader, "]");
}

static bool read_access(struct reader *reader, struct nest_step *step)
{
    static const int wides[] = { 1, 2, 4, 8, 16 };

    if (!read_index(reader, step)) {
        return false;
    }
    if (reader->nest->num_accesses == NEST_MOST_ACCESSES) {
        return nest_refuse(reader->error, step->line, step->column,
                           "there are more than %d accesses", NEST_MOST_ACCESSES);
    }
    step->access = reader->nest->num_accesses++;
    step->wide = 1;
    if (!take(reader, "wide")) {
        return true;
    }
    skip(reader);
    const int number = reader->at < reader->end && is_digit(*reader->at)
                           ? read_number(reader, reader->line, reader->column)
                           : NEST_NONE;
    for (size_t i = 0; i < sizeof(wides) / sizeof(wides[0]) && number != NEST_NONE; i++) {
        if (reader->nest->nodes[number].value == wides[i] &&
            reader->nest->arrays[step->array].bytes * wides[i] <= 16) {
            step->wide = wides[i];
            return true;
        }
    }
    return refuse_here(reader, "wide is 1, 2, 4, 8 or 16 elements of 16 bytes at most");
}

/* op reciprocal 3 */
static bool read_op(struct reader *reader, struct nest_step *step)
{
    for (int i = 0; i < OP_CLASSES; i++) {
        if (take(reader, op_class_names[i])) {
            step->op = (enum op_class)i;
            break;
        }
    }
    skip(reader);
    const int line = reader->line, column = reader->column;
    step->value =
        reader->at < reader->end && is_digit(*reader->at)
            ? read_number(reader, line, column)
            : add_node(reader, NODE_NUMBER, NEST_NONE, NEST_NONE, 1, line, column);
    return step->value != NEST_NONE;
}

static bool read_let(struct reader *reader, struct nest_step *step)
{
    struct nest_name *const name = add_name(reader);

    if (!name || !need(reader, "=")) {
        return false;
    }
    step->value = read_expression(reader);
    if (step->value == NEST_NONE) {
        return false;
    }
    step->slot = SLOTS_GIVEN + (int)(name - reader->nest->names);
    name->is_uniform = reader->nest->nodes[step->value].is_uniform;
    name->counters = reader->nest->nodes[step->value].counters;
    name->is_open = true;
    return true;
}

static bool read_if(struct reader *reader, struct nest_step *step)
{
    step->value = read_expression(reader);
    return step->value != NEST_NONE && read_block(reader, &step->body) &&
           (!take(reader, "else") || read_block(reader, &step->other));
}

/* for k = E .. E step E { } */
static bool read_for(struct reader *reader, struct nest_step *step)
{
    struct nest *const nest = reader->nest;
    struct nest_name *const name = add_name(reader);

    if (!name || !need(reader, "=") ||
        (step->from = read_expression(reader)) == NEST_NONE || !need(reader, "..") ||
        (step->to = read_expression(reader)) == NEST_NONE ||
        (take(reader, "step") && (step->by = read_expression(reader)) == NEST_NONE)) {
        return false;
    }
    if (nest->num_counters == NEST_MOST_LOOPS) {
        return nest_refuse(reader->error, step->line, step->column,
                           "there are more than %d loops", NEST_MOST_LOOPS - NEST_DIMS);
    }
    step->counter = nest->num_counters++;
    step->slot = SLOTS_GIVEN + (int)(name - nest->names);
    name->is_uniform = nest->nodes[step->from].is_uniform &&
                       (step->by == NEST_NONE || nest->nodes[step->by].is_uniform);
    name->counters = UINT64_C(1) << step->counter | nest->nodes[step->from].counters;
    if (counters_of(nest, step->by)) {
        /* from + turn * by is linear in one of them only. */
        nest->is_bent |= UINT64_C(1) << step->counter;
        name->counters |= nest->nodes[step->by].counters;
    }
    name->is_open = true;
    const bool done = read_block(reader, &step->body);
    name->is_open = false;
    return done;
}

/* The condition after a statement. Before a block it is a statement of its own. */
static bool read_guard(struct reader *reader, int *index)
{
    const struct reader before = *reader;
    const int num_nodes = reader->nest->num_nodes;
    struct nest_step step = reader->nest->steps[*index];

    if (!take(reader, "if")) {
        return true;
    }
    step.kind = STEP_IF;
    step.body = *index;
    step.value = read_expression(reader);
    if (step.value == NEST_NONE) {
        return false;
    }
    if (take(reader, "{")) {
        *reader = before;
        reader->nest->num_nodes = num_nodes;
        return true;
    }
    *index = add_step(reader, step);
    return *index != NEST_NONE;
}

static bool read_step(struct reader *reader, int *index)
{
    static const struct {
        const char *word;
        enum step_kind kind;
        bool (*read)(struct reader *reader, struct nest_step *step);
    } words[] = {
        { "load", STEP_LOAD, read_access }, { "store", STEP_STORE, read_access },
        { "op", STEP_OP, read_op },         { "barrier", STEP_BARRIER, NULL },
        { "let", STEP_LET, read_let },      { "if", STEP_IF, read_if },
        { "for", STEP_FOR, read_for },      { "unroll", STEP_FOR, read_for },
    };
    const size_t num_words = sizeof(words) / sizeof(words[0]);
    size_t i = 0;

    skip(reader);
    struct nest_step step = { .line = reader->line,
                              .column = reader->column,
                              .next = NEST_NONE,
                              .body = NEST_NONE,
                              .other = NEST_NONE,
                              .by = NEST_NONE };
    while (i < num_words && !take(reader, words[i].word)) {
        i++;
    }
    if (i == num_words) {
        return refuse_here(reader, "a statement is expected");
    }
    step.kind = words[i].kind;
    step.is_unrolled = strcmp(words[i].word, "unroll") == 0;
    if (words[i].read && !words[i].read(reader, &step)) {
        return false;
    }
    *index = add_step(reader, step);
    return *index != NEST_NONE && (step.kind > STEP_OP || read_guard(reader, index));
}

/* Adds a step after *last, or as the *first. */
static bool read_next(struct reader *reader, int *first, int *last)
{
    int index;

    if (!read_step(reader, &index)) {
        return false;
    }
    *(*last == NEST_NONE ? first : &reader->nest->steps[*last].next) = index;
    *last = index;
    return true;
}

/* { steps }, whose lets end with it. */
static bool read_block(struct reader *reader, int *first)
{
    const int names = reader->nest->num_names;
    int last = NEST_NONE;

    *first = NEST_NONE;
    if (!need(reader, "{")) {
        return false;
    }
    if (++reader->depth > NEST_MOST_DEPTH) {
        return nest_refuse(reader->error, reader->line, reader->column,
                           "blocks are %d deep", NEST_MOST_DEPTH);
    }
    while (!take(reader, "}")) {
        if (!read_next(reader, first, &last)) {
            return false;
        }
    }
    reader->depth--;
    for (int i = names; i < reader->nest->num_names; i++) {
        reader->nest->names[i].is_open = false;
    }
    return true;
}

static bool end_kernel(struct reader *reader)
{
    struct nest *const nest = reader->nest;

    if (reader->kernel == NEST_NONE) {
        return true;
    }
    const struct nest_kernel *const kernel = &nest->kernels[reader->kernel];
    for (int i = 0; i < nest->num_names; i++) {
        nest->names[i].is_open = nest->names[i].is_param;
    }
    return kernel->groups[0] != NEST_NONE ||
           nest_refuse(reader->error, kernel->line, kernel->column,
                       "kernel %s has no launch", kernel->name);
}

static bool begin_kernel(struct reader *reader, int line, int column)
{
    struct nest *const nest = reader->nest;
    const int none = NEST_NONE;

    if (!end_kernel(reader)) {
        return false;
    }
    if (nest->num_kernels == NEST_MOST_KERNELS) {
        return nest_refuse(reader->error, line, column, "there are more than %d kernels",
                           NEST_MOST_KERNELS);
    }
    struct nest_kernel *const kernel = &nest->kernels[nest->num_kernels];
    *kernel = (struct nest_kernel){ .line = line,
                                    .column = column,
                                    .groups = { none, none, none },
                                    .size = { none, none, none },
                                    .again_slot = none,
                                    .when = none,
                                    .hops = none,
                                    .registers = none,
                                    .instructions = none,
                                    .iterations = none,
                                    .reduction = none,
                                    .lines = none,
                                    .first = none };
    if (!take_name(reader, kernel->name)) {
        return refuse_here(reader, "a kernel's name is expected");
    }
    reader->kernel = nest->num_kernels++;
    return true;
}

static bool read_part(struct reader *reader, int *last)
{
    struct nest_kernel *const kernel =
        reader->kernel == NEST_NONE ? NULL : &reader->nest->kernels[reader->kernel];

    skip(reader);
    const int line = reader->line, column = reader->column;
    if (take(reader, "param")) {
        return read_params(reader);
    }
    if (take(reader, "array")) {
        return read_array(reader);
    }
    if (take(reader, "kernel")) {
        *last = NEST_NONE;
        return begin_kernel(reader, line, column);
    }
    if (!kernel) {
        return refuse_here(reader, "param, array or kernel is expected");
    }
    if (take(reader, "launch")) {
        return read_launch(reader, kernel);
    }
    const struct {
        const char *word;
        int *node;
    } facts[] = { { "registers", &kernel->registers },
                  { "instructions", &kernel->instructions },
                  { "iterations", &kernel->iterations },
                  { "reduction", &kernel->reduction },
                  { "lines", &kernel->lines } };
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        if (take(reader, facts[i].word)) {
            return read_constant(reader, facts[i].node);
        }
    }
    return read_next(reader, &kernel->first, last);
}

struct nest *nest_read(const char *text, size_t size, struct nest_error *error)
{
    struct nest *const nest = calloc(1, sizeof(*nest));
    struct reader reader = { nest, text, text + size, 1, 1, NEST_NONE, 0, error };
    int last = NEST_NONE;
    bool done = true;

    if (!nest) {
        nest_refuse(error, 1, 1, "there is no memory for the nest");
        return NULL;
    }
    nest->num_counters = NEST_DIMS;
    while (done && (skip(&reader), reader.at < reader.end)) {
        done = read_part(&reader, &last);
    }
    done = done && end_kernel(&reader) &&
           (nest->num_kernels > 0 ||
            nest_refuse(error, reader.line, reader.column, "there is no kernel"));
    if (!done) {
        free(nest);
        return NULL;
    }
    return nest;
}
