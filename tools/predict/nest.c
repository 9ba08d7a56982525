#include "nest_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const op_class_names[OP_CLASSES] = { "simple", "reciprocal", "special",
                                                 "convert" };

const char *const nest_fact_words[NEST_FACTS] = {
    "when",       "hops",      "waves", "times",   "registers", "instructions",
    "iterations", "reduction", "lines", "scalars", "" /* fold has a rule of its own */
};

static const struct {
    const char *name;
    int bytes;
} types[] = {
    { "i8", 1 },  { "u8", 1 },  { "i16", 2 }, { "u16", 2 }, { "f16", 2 }, { "i32", 4 },
    { "u32", 4 }, { "f32", 4 }, { "i64", 8 }, { "u64", 8 }, { "f64", 8 },
};

static const struct {
    const char *name;
    int slot;
} given[] = {
    { "tx", SLOT_T },          { "ty", SLOT_T + 1 }, { "tz", SLOT_T + 2 },
    { "gx", SLOT_G },          { "gy", SLOT_G + 1 }, { "gz", SLOT_G + 2 },
    { "t", SLOT_T },           { "g", SLOT_G },      { "size", SLOT_SIZE },
    { "groups", SLOT_GROUPS },
};

enum { TYPES = sizeof(types) / sizeof(*types), GIVEN = sizeof(given) / sizeof(*given) };

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

/* false, and NEST_NONE where an index is returned. */
#define REFUSE(...)                                                                      \
    nest_refuse(reader->error, reader->here.line, reader->here.column, __VA_ARGS__)
#define REFUSE_NODE(...) (REFUSE(__VA_ARGS__) ? 0 : NEST_NONE)

/* ---- Names ------------------------------------------------------------------------- */

int nest_find_fact(const char *word)
{
    for (int i = 0; i < NEST_FACTS; i++) {
        if (strcmp(nest_fact_words[i], word) == 0) {
            return i;
        }
    }
    return NEST_NONE;
}

int nest_find_class(struct reader *reader, const char *word)
{
    for (int i = 0; i < OP_CLASSES; i++) {
        if (strcmp(op_class_names[i], word) == 0) {
            return i;
        }
    }
    return REFUSE_NODE("operations are simple, reciprocal, special or convert, not %s",
                       word);
}

static int find_name(const struct nest *nest, const char *name)
{
    for (int i = nest->num_names - 1; i >= 0; i--) {
        if (nest->names[i].is_open && strcmp(nest->names[i].name, name) == 0) {
            return i;
        }
    }
    return NEST_NONE;
}

static int find_given(const char *name)
{
    for (int i = 0; i < GIVEN; i++) {
        if (strcmp(given[i].name, name) == 0) {
            return given[i].slot;
        }
    }
    return NEST_NONE;
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

static struct nest_name *add_name(struct reader *reader, const char *name)
{
    struct nest *const nest = reader->nest;

    if (find_name(nest, name) != NEST_NONE || find_given(name) != NEST_NONE) {
        REFUSE("there is a %s already", name);
        return NULL;
    }
    if (nest->num_names == NEST_MOST_NAMES) {
        REFUSE("there are more than %d names", NEST_MOST_NAMES);
        return NULL;
    }
    struct nest_name *const added = &nest->names[nest->num_names++];
    *added = (struct nest_name){ .value = NEST_NONE, .is_open = true };
    memcpy(added->name, name, strlen(name) + 1);
    return added;
}

/* ---- Expressions ------------------------------------------------------------------- */

static uint64_t counters_of(const struct nest *nest, int node)
{
    return node == NEST_NONE ? 0 : nest->nodes[node].counters;
}

static bool is_uniform(const struct nest *nest, int node)
{
    return node == NEST_NONE || nest->nodes[node].is_uniform;
}

static void bend(struct reader *reader, uint64_t counters)
{
    if (reader->kernel != NEST_NONE) {
        reader->nest->is_bent[reader->kernel] |= counters;
    }
}

/* Where a node is not linear in what it depends on, the counters are bent. */
static uint64_t depends(struct reader *reader, const struct nest_node *node)
{
    static const uint64_t group_bits = (1 << NEST_DIMS) - 1;
    const uint64_t left = counters_of(reader->nest, node->left);
    const uint64_t right = counters_of(reader->nest, node->right);

    if (node->kind >= NODE_LESS && node->kind <= NODE_NOT) {
        return 0; /* counting goes on anew where such a value changes */
    }
    if (node->kind == NODE_SHIFT_LEFT) {
        bend(reader, right);
    } else if (node->kind >= NODE_POWER && node->kind <= NODE_CEIL) {
        bend(reader, left | right);
    } else if (node->kind == NODE_MULTIPLY && left && right) {
        /* One of them is enough: for each of its values the other is linear. */
        bend(reader, right & group_bits && !(left & group_bits) ? left : right);
    }
    return left | right;
}

int nest_add_node(struct reader *reader, enum node_kind kind, int left, int right,
                  int64_t value)
{
    struct nest *const nest = reader->nest;
    const int below = left == NEST_NONE ? 0 : nest->nodes[left].depth;
    const int beside = right == NEST_NONE ? 0 : nest->nodes[right].depth;
    struct nest_node node = { .kind = kind,
                              .left = left,
                              .right = right,
                              .value = value,
                              .depth = 1 + (below > beside ? below : beside),
                              .line = reader->here.line,
                              .column = reader->here.column,
                              .is_uniform =
                                  is_uniform(nest, left) && is_uniform(nest, right) };

    if (nest->num_nodes == NEST_MOST_NODES) {
        return REFUSE_NODE("there are more than %d terms", NEST_MOST_NODES);
    }
    if (node.depth > NEST_MOST_TERMS) {
        return REFUSE_NODE("an expression has more than %d terms", NEST_MOST_TERMS);
    }
    if (value > NEST_MOST_VALUE) {
        return REFUSE_NODE("the number is above 2^53");
    }
    node.counters = depends(reader, &node);
    nest->nodes[nest->num_nodes] = node;
    return nest->num_nodes++;
}

int nest_add_name_node(struct reader *reader, const char *name)
{
    struct nest *const nest = reader->nest;
    const int found = find_name(nest, name);
    const int slot = found == NEST_NONE ? find_given(name) : SLOTS_GIVEN + found;

    if (slot == NEST_NONE) {
        return REFUSE_NODE("there is no %s", name);
    }
    if (slot < SLOTS_GIVEN && reader->kernel == NEST_NONE) {
        return REFUSE_NODE("%s belongs to a kernel", name);
    }
    const int index = nest_add_node(reader, NODE_NAME, NEST_NONE, NEST_NONE, slot);
    if (index != NEST_NONE) {
        struct nest_node *const node = &nest->nodes[index];
        node->is_uniform =
            found == NEST_NONE ? slot >= SLOT_G : nest->names[found].is_uniform;
        node->counters = found != NEST_NONE ? nest->names[found].counters
                         : slot >= SLOT_G && slot < SLOT_GROUPS
                             ? UINT64_C(1) << (slot - SLOT_G)
                             : 0;
    }
    return index;
}

bool nest_is_constant(struct reader *reader, int node)
{
    return (is_uniform(reader->nest, node) && !counters_of(reader->nest, node)) ||
           REFUSE("a size may not depend on work-items or groups");
}

bool nest_extend(struct reader *reader, struct node_list *list, int node)
{
    if (list->num == NEST_RANK) {
        return REFUSE("there are %d dimensions at most", NEST_RANK);
    }
    list->nodes[list->num++] = node;
    return true;
}

/* ---- Declarations ------------------------------------------------------------------ */

bool nest_add_param(struct reader *reader, const char *name, int value)
{
    struct nest_name *const added = add_name(reader, name);

    if (added) {
        added->value = value;
        added->is_param = added->is_uniform = true;
    }
    return added;
}

/* The sizes of a list, and no more of them than there may be. */
static bool set_sizes(struct reader *reader, int *sizes, int most,
                      const struct node_list *list)
{
    if (list->num > most) {
        return REFUSE("there are %d dimensions at most", most);
    }
    for (int i = 0; i < most; i++) {
        sizes[i] = i < list->num ? list->nodes[i] : NEST_NONE;
    }
    return true;
}

/* A parameter that stands for a type has the bytes of an element as its value. */
static int add_type(struct reader *reader, const char *type)
{
    const int found = find_name(reader->nest, type);

    for (int i = 0; i < TYPES; i++) {
        if (strcmp(types[i].name, type) == 0) {
            return nest_add_node(reader, NODE_NUMBER, NEST_NONE, NEST_NONE,
                                 types[i].bytes);
        }
    }
    if (found == NEST_NONE || !reader->nest->names[found].is_param) {
        return REFUSE_NODE("a type such as f32 is expected, not %s", type);
    }
    return nest_add_name_node(reader, type);
}

bool nest_add_array(struct reader *reader, const char *name, const char *type,
                    const struct node_list *lengths, bool is_local, int64_t offset)
{
    struct nest *const nest = reader->nest;
    struct nest_array *const array = &nest->arrays[nest->num_arrays];

    if (nest->num_arrays == NEST_MOST_ARRAYS) {
        return REFUSE("there are more than %d arrays", NEST_MOST_ARRAYS);
    }
    if (find_array(reader, name) != NEST_NONE) {
        return REFUSE("there is an array %s already", name);
    }
    if (offset > 127) {
        return REFUSE("the offset of %s is not up to 127 bytes", name);
    }
    *array = (struct nest_array){ .kernel = reader->kernel,
                                  .is_local = is_local,
                                  .bytes = add_type(reader, type),
                                  .offset = (int)offset };
    memcpy(array->name, name, strlen(name) + 1);
    nest->num_arrays++;
    return array->bytes != NEST_NONE &&
           set_sizes(reader, array->lengths, NEST_RANK, lengths);
}

bool nest_add_transfer(struct reader *reader, const char *way, const char *array,
                       int times)
{
    struct nest *const nest = reader->nest;
    const bool is_out = strcmp(way, "out") == 0;
    const int found = find_array(reader, array);

    if (!is_out && strcmp(way, "in") != 0) {
        return REFUSE("a transfer goes in or out, not %s", way);
    }
    if (found == NEST_NONE || nest->arrays[found].is_local) {
        return REFUSE("there is no global array %s", array);
    }
    if (nest->num_transfers == NEST_MOST_TRANSFERS) {
        return REFUSE("there are more than %d transfers", NEST_MOST_TRANSFERS);
    }
    nest->transfers[nest->num_transfers++] =
        (struct nest_transfer){ found, is_out, times };
    return true;
}

/* ---- Kernels ----------------------------------------------------------------------- */

bool nest_end_kernel(struct reader *reader)
{
    struct nest *const nest = reader->nest;

    if (reader->kernel == NEST_NONE) {
        return REFUSE("there is no kernel");
    }
    const struct nest_kernel *const kernel = &nest->kernels[reader->kernel];
    for (int i = 0; i < nest->num_names; i++) {
        nest->names[i].is_open = nest->names[i].is_param;
    }
    return kernel->groups[0] != NEST_NONE ||
           nest_refuse(reader->error, kernel->line, kernel->column,
                       "kernel %s has no launch", kernel->name);
}

bool nest_begin_kernel(struct reader *reader, const char *name)
{
    struct nest *const nest = reader->nest;
    struct nest_kernel *const kernel = &nest->kernels[nest->num_kernels];

    if (reader->kernel != NEST_NONE && !nest_end_kernel(reader)) {
        return false;
    }
    if (nest->num_kernels == NEST_MOST_KERNELS) {
        return REFUSE("there are more than %d kernels", NEST_MOST_KERNELS);
    }
    for (int i = 0; i < nest->num_kernels; i++) {
        if (strcmp(nest->kernels[i].name, name) == 0) {
            return REFUSE("there is a kernel %s already", name);
        }
    }
    memset(kernel, 0xff, sizeof(*kernel)); /* NEST_NONE in all */
    memcpy(kernel->name, name, strlen(name) + 1);
    kernel->line = reader->here.line;
    kernel->column = reader->here.column;
    reader->kernel = nest->num_kernels++;
    reader->last = NEST_NONE;
    reader->num_loops = NEST_DIMS;
    return true;
}

/* The kernel that is read. */
static struct nest_kernel *kernel_of(struct reader *reader)
{
    if (reader->kernel == NEST_NONE) {
        REFUSE("this belongs to a kernel, and none has begun");
        return NULL;
    }
    return &reader->nest->kernels[reader->kernel];
}

bool nest_set_launch(struct reader *reader, const struct node_list *groups,
                     const struct node_list *size)
{
    struct nest_kernel *const kernel = kernel_of(reader);

    if (kernel && kernel->groups[0] != NEST_NONE) {
        return REFUSE("a kernel has one launch");
    }
    return kernel && set_sizes(reader, kernel->groups, NEST_DIMS, groups) &&
           set_sizes(reader, kernel->size, NEST_DIMS, size);
}

bool nest_set_again(struct reader *reader, const char *name, int value, int condition)
{
    struct nest_kernel *const kernel = kernel_of(reader);
    const int found = find_name(reader->nest, name);

    if (found == NEST_NONE || !reader->nest->names[found].is_param) {
        return REFUSE("again needs a parameter, not %s", name);
    }
    kernel->again_slot = SLOTS_GIVEN + found;
    kernel->again_value = value;
    kernel->again_while = condition;
    return true;
}

bool nest_set_fact(struct reader *reader, int fact, int value)
{
    struct nest_kernel *const kernel = kernel_of(reader);

    if (kernel && kernel->facts[fact] != NEST_NONE) {
        return REFUSE("%s is given twice", nest_fact_words[fact]);
    }
    if (kernel) {
        kernel->facts[fact] = value;
    }
    return kernel;
}

bool nest_is_times(struct reader *reader, int fact)
{
    return fact == FACT_TIMES || REFUSE("a transfer has no %s", nest_fact_words[fact]);
}

bool nest_set_fold(struct reader *reader, const char *op, const char *type, int count)
{
    if (!nest_set_fact(reader, FACT_FOLD, count)) {
        return false;
    }
    struct nest_kernel *const kernel = &reader->nest->kernels[reader->kernel];
    memcpy(kernel->fold_op, op, strlen(op) + 1);
    memcpy(kernel->fold_type, type, strlen(type) + 1);
    return true;
}

/* ---- Steps ------------------------------------------------------------------------- */

int nest_add_step(struct reader *reader, struct nest_step step)
{
    struct nest *const nest = reader->nest;

    if (nest->num_steps == NEST_MOST_STEPS) {
        return REFUSE_NODE("there are more than %d statements", NEST_MOST_STEPS);
    }
    if (step.times > 1 << 30) {
        return REFUSE_NODE("op stands for 2^30 operations at most");
    }
    step.next = NEST_NONE;
    nest->steps[nest->num_steps] = step;
    nest_set_kind(reader, reader->here, nest->num_steps, step.kind);
    return nest->num_steps++;
}

void nest_set_kind(struct reader *reader, struct nest_place at, int step,
                   enum step_kind kind)
{
    reader->nest->steps[step].kind = kind;
    reader->nest->steps[step].line = at.line;
    reader->nest->steps[step].column = at.column;
}

int nest_add_access(struct reader *reader, const char *array,
                    const struct node_list *indices, int64_t wide)
{
    const int found = find_array(reader, array);
    int rank = 0;

    if (found == NEST_NONE) {
        return REFUSE_NODE("there is no array %s", array);
    }
    const struct nest_array *const it = &reader->nest->arrays[found];
    while (rank < NEST_RANK && it->lengths[rank] != NEST_NONE) {
        rank++;
    }
    if (rank != indices->num) {
        return REFUSE_NODE("%s has %d dimensions, not %d", array, rank, indices->num);
    }
    if (wide < 1 || wide > 16 || (wide & (wide - 1)) != 0) {
        return REFUSE_NODE("wide is 1, 2, 4, 8 or 16");
    }
    if (reader->nest->num_accesses == NEST_MOST_ACCESSES) {
        return REFUSE_NODE("there are more than %d accesses", NEST_MOST_ACCESSES);
    }
    struct nest_step step = { .array = found,
                              .access = reader->nest->num_accesses++,
                              .wide = (int)wide };
    set_sizes(reader, step.indices, NEST_RANK, indices);
    return nest_add_step(reader, step);
}

bool nest_add_let(struct reader *reader, const char *name, int step)
{
    struct nest *const nest = reader->nest;
    struct nest_name *const added = add_name(reader, name);

    if (added) {
        nest->steps[step].slot = SLOTS_GIVEN + nest->num_names - 1;
        added->is_uniform = is_uniform(nest, nest->steps[step].value);
        added->counters = counters_of(nest, nest->steps[step].value);
    }
    return added;
}

bool nest_begin_for(struct reader *reader, const char *name, int step)
{
    struct nest *const nest = reader->nest;
    struct nest_step *const loop = &nest->steps[step];
    struct nest_name *const added = add_name(reader, name);

    if (!added) {
        return false;
    }
    if (reader->num_loops == NEST_MOST_LOOPS) {
        return REFUSE("there are more than %d loops", NEST_MOST_LOOPS - NEST_DIMS);
    }
    loop->counter = reader->num_loops++;
    loop->slot = SLOTS_GIVEN + nest->num_names - 1;
    added->is_uniform = is_uniform(nest, loop->from) && is_uniform(nest, loop->by);
    added->counters = UINT64_C(1) << loop->counter | counters_of(nest, loop->from) |
                      counters_of(nest, loop->by);
    if (counters_of(nest, loop->by)) {
        /* from + turn * by is linear in one of them only. */
        bend(reader, UINT64_C(1) << loop->counter);
    }
    return true;
}

bool nest_begin_block(struct reader *reader)
{
    return ++reader->depth <= NEST_MOST_DEPTH ||
           REFUSE("blocks are %d deep", NEST_MOST_DEPTH);
}

void nest_end_block(struct reader *reader, int num_names)
{
    reader->depth--;
    for (int i = num_names; i < reader->nest->num_names; i++) {
        reader->nest->names[i].is_open = false;
    }
}

struct step_list nest_join(struct reader *reader, struct step_list list, int step)
{
    struct nest_step *const steps = reader->nest->steps;

    if (list.last != NEST_NONE) {
        steps[list.last].next = step;
    } else {
        list.first = step;
    }
    for (list.last = step; steps[list.last].next != NEST_NONE;) {
        list.last = steps[list.last].next;
    }
    return list;
}

bool nest_append(struct reader *reader, int step)
{
    struct nest_kernel *const kernel = kernel_of(reader);

    if (kernel) {
        const struct step_list before = { kernel->first, reader->last };
        const struct step_list after = nest_join(reader, before, step);
        kernel->first = after.first;
        reader->last = after.last;
    }
    return kernel;
}

struct nest *nest_read(const char *text, size_t size, struct nest_error *error)
{
    struct reader reader = { .nest = calloc(1, sizeof(*reader.nest)),
                             .error = error,
                             .at = { 1, 1 },
                             .kernel = NEST_NONE };

    nest_refuse(error, 1, 1, "there is no memory for the nest");
    if (reader.nest && nest_parse_text(&reader, text, size) != 0) {
        for (char *c = error->text; *c; c++) {
            *c = *c < ' ' || *c > '~' ? '?' : *c;
        }
        free(reader.nest);
        return NULL;
    }
    return reader.nest;
}
