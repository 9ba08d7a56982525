/* The names, sizes and default accumulators of element types; the names of operators and
 * of the library's algorithms. */
#ifndef CLFOLD_COMMAND_TYPES_H
#define CLFOLD_COMMAND_TYPES_H

#include <clfold/clfold.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All names, for messages; the help breaks the long lists into lines. */
#define TYPE_NAMES "i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64"
#define OP_NAMES                                                                         \
    "add mul min max min-max arg-min arg-max arg-min-max bit-and bit-or bit-xor "        \
    "logical-and logical-or"
/* mean is the command's own: no operator of the library. */
#define REDUCE_OP_NAMES EXPLAIN_OP_NAMES " mean"
/* Those that give one number, and the named ones. */
#define SCAN_OP_NAMES                                                                    \
    "add mul min max bit-and bit-or bit-xor logical-and logical-or " NAMED_OP_NAMES
/* Their elements or results are several numbers with names. */
#define NAMED_OP_NAMES   "moments affine matrix-2x2"
#define EXPLAIN_OP_NAMES OP_NAMES " " NAMED_OP_NAMES
#define REDUCE_ALGORITHM_NAMES                                                           \
    "auto reduce_tiles reduce0 reduce1 reduce2 reduce3 reduce4 reduce5 reduce6 serial"
#define SCAN_STRATEGY_NAMES                                                              \
    "scan_single_group scan_then_propagate reduce_then_scan "                            \
    "scan_lookback scan_chained serial"
#define SCAN_ALGORITHM_NAMES "auto " SCAN_STRATEGY_NAMES
#define MAP_ALGORITHM_NAMES  "auto map_tiles"
#define SELECT_ALGORITHM_NAMES                                                           \
    "auto scan_single_group scan_lookback scan_chained reduce_then_scan"

#define ACCURACY_NAMES "deterministic compensated reproducible"

/* 0 if the name is not valid. */
clfold_type type_parse(const char *name);
/* sum and prod are add and mul. */
clfold_op op_parse(const char *name);

/* False if the name is not valid. *algorithm is the library's own name, and NULL for
 * auto; reduce-tiles is reduce_tiles, and single-group is scan_single_group. */
bool algorithm_parse(const char *name, clfold_operation operation,
                     const char **algorithm);

/* clfold_fold.accuracy; false if the name is not valid. */
bool accuracy_parse(const char *name, uint32_t *accuracy);
const char *accuracy_name(uint32_t accuracy);

/* Whether it has an operator. */
bool operation_folds(clfold_operation operation);

/* "inclusive" or "exclusive"; NULL: it is not a scan. */
const char *scan_kind(clfold_operation operation);

/* The library's last error without the C function that it names first. */
const char *library_sentence(void);

/* Copies such a sentence without what a compiler's log in it says again, since a text is
 * compiled at several widths: an error's line that stands before, with what follows up to
 * the next error. `to` has the room of the sentence. */
void sentence_once(char *to, const char *sentence);

/* The type of `kind`, one of 'i' 'u' 'f', and `size` bytes; 0 where there is none. */
clfold_type type_find(char kind, unsigned long size);

enum type_class { TYPE_SIGNED, TYPE_UNSIGNED, TYPE_FLOAT };
enum type_class type_class(clfold_type type);
bool type_is_float(clfold_type type);

/* Sums and products of integers go into 64 bits, moments into f64, and those of f16 into
 * f32; everything else stays in the element's type. */
clfold_type type_accumulator(clfold_op op, clfold_type element);

/* What a fold by `op` leaves: values of the type that is folded, or clfold_indexed, or
 * what clfold_fold_layout says. */
struct op_result {
    bool position;
    bool is_named; /* numbers with names, in the layout of the fold */
    unsigned num;  /* 1, or 2 for the least and the greatest */
};
struct op_result op_result(clfold_op op);

/* Whether a reduction of no numbers has a result, as with numpy: an empty sum is 0, and
 * an empty minimum fails. */
bool op_takes_nothing(clfold_op op);

/* Whether a reduction may take its numbers in any order: the operator commutes, and finds
 * no places. */
bool op_takes_any_order(clfold_op op);

#endif
