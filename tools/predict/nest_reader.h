/* What nest.y builds with; nest.c has it. What is refused is refused at `here`, and false
 * or NEST_NONE is returned. */
#ifndef CLFOLD_PREDICT_NEST_READER_H
#define CLFOLD_PREDICT_NEST_READER_H

#include "nest.h"

/* Where a word of a text begins. */
struct nest_place {
    int line, column;
};

struct reader {
    struct nest *nest;
    struct nest_error *error;
    struct nest_place at;   /* of the next word */
    struct nest_place here; /* of what is built */
    const char *word;       /* the last that was read */
    int word_length;
    int kernel;    /* that is read, or NEST_NONE */
    int last;      /* step of it */
    int depth;     /* of blocks */
    int num_loops; /* of the kernel, and NEST_DIMS */
};

struct node_list {
    int nodes[NEST_RANK], num;
};
struct step_list {
    int first, last;
};

/* Of nest.l, by the grammar. Returns 0 if the text was read. */
int nest_parse_text(struct reader *reader, const char *text, size_t size);

int nest_find_fact(const char *word);
int nest_find_class(struct reader *reader, const char *word);
int nest_add_node(struct reader *reader, enum node_kind kind, int left, int right,
                  int64_t value);
int nest_add_name_node(struct reader *reader, const char *name);
bool nest_is_constant(struct reader *reader, int node);
bool nest_extend(struct reader *reader, struct node_list *list, int node);

bool nest_add_param(struct reader *reader, const char *name, int value);
bool nest_add_array(struct reader *reader, const char *name, const char *type,
                    const struct node_list *lengths, bool is_local, int64_t offset);
bool nest_add_transfer(struct reader *reader, const char *way, const char *array,
                       int times);
bool nest_begin_kernel(struct reader *reader, const char *name);
bool nest_end_kernel(struct reader *reader);
bool nest_set_launch(struct reader *reader, const struct node_list *groups,
                     const struct node_list *size);
bool nest_set_again(struct reader *reader, const char *name, int value, int condition);
bool nest_set_fact(struct reader *reader, int fact, int value);
bool nest_is_times(struct reader *reader, int fact);
bool nest_set_fold(struct reader *reader, const char *op, const char *type, int count);

int nest_add_step(struct reader *reader, struct nest_step step);
void nest_set_kind(struct reader *reader, struct nest_place at, int step,
                   enum step_kind kind);
int nest_add_access(struct reader *reader, const char *array,
                    const struct node_list *indices, int64_t wide);
bool nest_add_let(struct reader *reader, const char *name, int step);
bool nest_begin_for(struct reader *reader, const char *name, int step);
bool nest_begin_block(struct reader *reader);
void nest_end_block(struct reader *reader, int num_names);
/* Adds a step, which may have one after it, to the list; of the kernel. */
struct step_list nest_join(struct reader *reader, struct step_list list, int step);
bool nest_append(struct reader *reader, int step);

#endif
