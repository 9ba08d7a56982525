/*
 * A nest: kernels as a text tells them, with their launches, arrays, accesses,
 * operations, loops and barriers, and without the values they compute.
 *
 *   param n = 2^25  B = 256
 *   kernel reduce2
 *   launch groups = ceil(n, B)  size = B
 *   array in f32[n] global  array s f32[B] local  array out f32[groups] global
 *   load in[B*g + t] if B*g + t < n
 *   store s[t]
 *   barrier
 *   for k = 1 .. log2(B) {
 *       if t < B >> k { load s[t]  load s[t + (B >> k)]  op  store s[t] }
 *       barrier
 *   }
 *   if t == 0 { load s[0]  store out[g] }
 *
 * docs/predict.md has the whole language. Reading allocates one struct, and refuses what
 * it does not know with line and column.
 */
#ifndef CLFOLD_PREDICT_NEST_H
#define CLFOLD_PREDICT_NEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NEST_NAME = 32,
    NEST_MOST_NODES = 8192, /* of all expressions */
    NEST_MOST_STEPS = 2048,
    NEST_MOST_NAMES = 512, /* parameters, lets and counters of a file */
    NEST_MOST_ARRAYS = 256,
    NEST_MOST_KERNELS = 64,
    NEST_MOST_TRANSFERS = 64,
    NEST_MOST_ACCESSES = 512, /* of a file */
    NEST_MOST_DEPTH = 32,     /* of blocks */
    NEST_MOST_TERMS = 256,    /* that one waits for */
    NEST_MOST_LOOPS = 64,     /* of a kernel: bits of a set, with a group's indices */
    NEST_DIMS = 3,            /* of groups */
    NEST_RANK = 7,            /* of arrays */
    NEST_NONE = -1
};

/* Sizes and indices lie between minus and plus this. */
#define NEST_MOST_VALUE (INT64_C(1) << 53)

/* What is wrong with a text, and where: lines and columns count from 1. */
struct nest_error {
    int line, column;
    char text[200];
};

enum node_kind {
    NODE_NUMBER,
    NODE_NAME, /* `value` is its slot */
    NODE_ADD,
    NODE_SUBTRACT,
    NODE_MULTIPLY,
    NODE_SHIFT_LEFT,
    NODE_MIN,
    NODE_MAX,
    /* not linear in what they are of */
    NODE_POWER,
    NODE_DIVIDE, /* rounds down */
    NODE_MODULO, /* with the sign of the divisor */
    NODE_SHIFT_RIGHT,
    NODE_LOG2, /* of `left` alone; rounds up */
    NODE_CEIL, /* left / right, rounded up */
    /* conditions */
    NODE_LESS,
    NODE_LESS_EQUAL,
    NODE_EQUAL,
    NODE_DIFFERS,
    NODE_AND,
    NODE_OR,
    NODE_NOT /* of `left` alone */
};

struct nest_node {
    enum node_kind kind;
    int left, right; /* NEST_NONE: has none */
    int64_t value;
    int depth; /* of what is below it */
    int line, column;
    bool is_uniform;   /* the same for all work-items of a group */
    uint64_t counters; /* that it depends on, a bit each: groups' indices, then loops */
};

enum step_kind {
    STEP_LOAD,
    STEP_STORE,
    STEP_OP,
    STEP_BARRIER,
    STEP_LET,
    STEP_IF,
    STEP_FOR
};

enum op_class { OP_SIMPLE, OP_RECIPROCAL, OP_SPECIAL, OP_CONVERT, OP_CLASSES };
extern const char *const op_class_names[OP_CLASSES];

struct nest_step {
    enum step_kind kind;
    int line, column;
    int next;               /* in the block, or NEST_NONE */
    int body, other;        /* the first of the block, and of the one after else */
    int array;              /* of an access */
    int access;             /* its number in the file */
    int wide;               /* neighbouring elements that a work-item moves at once */
    int value;              /* a condition, or that of a let */
    int indices[NEST_RANK]; /* of an access; NEST_NONE after the last */
    int64_t times;          /* operations */
    int slot;               /* of a let or a counter */
    int from, to, by;       /* of a loop: the last value is included */
    int counter;            /* the bit of a loop */
    bool is_unrolled;       /* no instructions are spent on its turns */
    enum op_class op;
};

struct nest_array {
    char name[NEST_NAME];
    int kernel; /* NEST_NONE: of all */
    bool is_local;
    int bytes;              /* of an element: an expression */
    int lengths[NEST_RANK]; /* expressions; NEST_NONE after the last */
    int offset;             /* bytes from an address that 128 divides */
};

/* What a text says of a kernel besides what it does. */
enum nest_fact {
    FACT_WHEN,         /* not launched where this is 0 */
    FACT_HOPS,         /* groups that wait for each other */
    FACT_WAVES,        /* in which groups run, one after the other */
    FACT_TIMES,        /* of launches that do the same */
    FACT_REGISTERS,    /* of a work-item */
    FACT_INSTRUCTIONS, /* of sub-groups in a group, from a compiler */
    FACT_ITERATIONS,   /* in all; not told: one a work-item */
    FACT_REDUCTION,    /* bytes that a work-item hands to a reduction */
    FACT_LINES,        /* of the loop's source */
    FACT_SCALARS,      /* registers of an iteration's scalars, by the thesis */
    FACT_FOLD,         /* elements of which it is the fold */
    NEST_FACTS
};
extern const char *const nest_fact_words[NEST_FACTS];

struct nest_kernel {
    char name[NEST_NAME];
    int line, column;
    int groups[NEST_DIMS], size[NEST_DIMS];   /* expressions */
    int again_slot, again_value, again_while; /* launched anew with another parameter */
    int facts[NEST_FACTS];                    /* expressions, or NEST_NONE */
    char fold_op[NEST_NAME], fold_type[NEST_NAME]; /* of FACT_FOLD: add, f32 */
    int first;                                     /* step */
};

/* An array that crosses the link, at a region's edge. */
struct nest_transfer {
    int array;
    bool is_out; /* from the device */
    int times;   /* an expression, or NEST_NONE: once */
};

/* The slots that every kernel has, before those of names. */
enum {
    SLOT_T, /* tx, ty, tz */
    SLOT_G = SLOT_T + NEST_DIMS,
    SLOT_GROUPS = SLOT_G + NEST_DIMS, /* of the first dimension */
    SLOT_SIZE,
    SLOTS_GIVEN
};

struct nest_name {
    char name[NEST_NAME];
    bool is_param, is_uniform;
    int value;    /* of a parameter: an expression */
    bool is_open; /* while its block is read */
    uint64_t counters;
};

struct nest {
    struct nest_node nodes[NEST_MOST_NODES];
    struct nest_step steps[NEST_MOST_STEPS];
    struct nest_name names[NEST_MOST_NAMES]; /* name i has slot SLOTS_GIVEN + i */
    struct nest_array arrays[NEST_MOST_ARRAYS];
    struct nest_kernel kernels[NEST_MOST_KERNELS];
    struct nest_transfer transfers[NEST_MOST_TRANSFERS];
    int num_nodes, num_steps, num_names, num_arrays, num_kernels, num_accesses,
        num_transfers;
    /* Something depends on these other than linearly, so that each value is counted: of
     * each kernel. */
    uint64_t is_bent[NEST_MOST_KERNELS];
};

/* Reads a text of `size` bytes. NULL: it was refused, or there was no memory. To be
 * freed. */
struct nest *nest_read(const char *text, size_t size, struct nest_error *error);

/* Always false. */
bool nest_refuse(struct nest_error *error, int line, int column, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 4, 5)))
#endif
    ;

#endif
