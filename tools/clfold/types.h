/* The names, sizes and default accumulators of element types; the operators' names. */
#ifndef CLFOLD_COMMAND_TYPES_H
#define CLFOLD_COMMAND_TYPES_H

#include <clfold/clfold.h>

#include <stdbool.h>
#include <stddef.h>

/* All names, for help and messages. */
#define TYPE_NAMES "i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64"
#define OP_NAMES   "add max"

/* 0 for a name that is none. */
clfold_type type_parse(const char *name);
clfold_op op_parse(const char *name);

const char *type_name(clfold_type type);
const char *op_name(clfold_op op);

/* In bytes. */
size_t type_size(clfold_type type);

/* The type of `kind`, one of 'i' 'u' 'f', and `size` bytes; 0 where there is none. */
clfold_type type_find(char kind, unsigned long size);

enum type_class { TYPE_SIGNED, TYPE_UNSIGNED, TYPE_FLOAT };
enum type_class type_class(clfold_type type);

/* Sums of integers go into 64 bits; everything else stays in the element's type. */
clfold_type type_accumulator(clfold_op op, clfold_type element);

#endif
