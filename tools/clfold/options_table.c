#include "options_table.h"

#include "count.h"
#include "types.h"

#include <string.h>

#define TYPE_NOTE "TYPE is one of " TYPE_NAMES "."
#define OP_NOTE                                                                          \
    "sum is add and prod is mul; bit operators take integers, and logical ones give 0 "  \
    "or 1."
#define NAMED_OP_NOTE                                                                    \
    "\nThree operators fold several numbers with names:\n"                               \
    "  moments      of plain numbers: count, mean and m2, the sum of squared "           \
    "deviations from the mean. m2 / count is the variance, and m2 / (count - 1) that "   \
    "of a sample. They are folded in f64, but f16 and f32 in f32\n"                      \
    "  affine       maps x -> a x + b, one after the other. An element is a, b, two "    \
    "numbers of an array of shape (n, 2)\n"                                              \
    "  matrix-2x2   the product of matrices. An element is m00, m01, m10, m11, a "       \
    "matrix by rows in an array of shape (n, 4)\n"                                       \
    "In raw data and text such elements follow each other, and affine and matrix-2x2 "   \
    "keep their order."

#define OVERFLOW_NOTE                                                                    \
    "Sums and products of integers that are too large for the type they are folded in "  \
    "wrap around; --acc f64 avoids this, and rounds instead."

#define PIECES_NOTE                                                                      \
    "\nA file is folded by one call if its numbers fit into one buffer, and with its "   \
    "results into half of the device's memory. Larger ones, pipes and text are folded "  \
    "in pieces of 8 MiB of numbers, and nothing is rounded between them. While one is "  \
    "folded the next is read, so LIMIT, which may make pieces smaller, counts the "      \
    "numbers of both. Float bits may then differ from those of one call. "

#define SELECT_NOTE                                                                      \
    "Only the end of IN shows how many elements are kept. A file is selected from by "   \
    "one call if its numbers and what is written for them fit into buffers of the "      \
    "device and into half of its memory. Larger ones, pipes and text are taken in "      \
    "pieces, each of 8 MiB of numbers or as LIMIT says, and runs go on from one to "     \
    "the next; then a text that may use in is rejected, and of a pipe one that may use " \
    "n, and an .npy file goes neither to standard output nor into a FIFO. An array in "  \
    "Fortran order is held on the host as a whole.\n"

/* Those of tools/predict/devices. */
#define PREDICT_DEVICE_NAMES "8800gtx a100 fermi gfx1100 gfx90a gtx295 gtx460 h100 h200"

const struct value_row value_rows[VALUE_KINDS] = {
    [VALUE_TEXT] = { .name = "V" },
    [VALUE_DEVICE] = { "SEL", .words = "gpu cpu" },
    [VALUE_PATH] = { "FILE", .words = "*" },
    [VALUE_OUT] = { "FILE", .words = "*" },
    [VALUE_COUNT] = { "N", "N is written as " COUNT_FORMS "." },
    [VALUE_BYTES] = { "LIMIT", "LIMIT is a number of bytes, written as N is." },
    [VALUE_SECONDS] = { .name = "S" },
    [VALUE_TYPE] = { "TYPE", TYPE_NOTE, TYPE_NAMES },
    [VALUE_OP] = { "OP", "OP is one of " OP_NAMES "; " OP_NOTE, OP_NAMES },
    [VALUE_REDUCE_OP] = { "OP",
                          "OP is one of " REDUCE_OP_NAMES
                          "; mean is the sum in f64 over the count; " OP_NOTE
                              NAMED_OP_NOTE,
                          REDUCE_OP_NAMES },
    [VALUE_SCAN_OP] = { "OP", "OP is one of " SCAN_OP_NAMES "; " OP_NOTE NAMED_OP_NOTE,
                        SCAN_OP_NAMES },
    [VALUE_TRACE_OP] = { "OP", "OP is one of " TRACE_OP_NAMES "; " OP_NOTE,
                         TRACE_OP_NAMES },
    [VALUE_EXPLAIN_OP] = { "OP",
                           "OP is one of " EXPLAIN_OP_NAMES "; " OP_NOTE NAMED_OP_NOTE,
                           EXPLAIN_OP_NAMES },
    [VALUE_ALGORITHM] = { .name = "NAME" },
    [VALUE_ACCURACY] = { "NAME", .words = ACCURACY_NAMES },
    [VALUE_TYPES] = { "LIST", TYPE_NOTE, TYPE_NAMES },
    [VALUE_BENCH_OP] = { "OP", .words = "reduce scan all" },
    [VALUE_BENCH_FOLDS] = { "LIST", .words = BENCH_FOLD_NAMES },
    [VALUE_BENCH_TYPES] = { "LIST", TYPE_NOTE, TYPE_NAMES " all" },
    [VALUE_SEPARATOR] = { .name = "C" },
    [VALUE_COLUMN] = { .name = "COL" },
    [VALUE_MISSING] = { "HOW", .words = "skip nan error" },
    [VALUE_AXIS] = { .name = "K" },
    [VALUE_BY] = { "WAY", TYPE_NOTE },
    [VALUE_RAW] = { "TYPE", TYPE_NOTE, TYPE_NAMES },
    [VALUE_ARG] = { .name = "ARG" },
    [VALUE_ARG_FILE] = { "ARG", .words = "*" },
    [VALUE_STREAM] = { "ARG", .words = "*" },
    [VALUE_FOLD] = { "FILE", .words = "*" },
    [VALUE_SET] = { .name = "NAME=N" },
    [VALUE_BLOCK] = { .name = "X,Y,Z" },
    [VALUE_MODEL] = { "NAME", .words = "terms thesis" },
    [VALUE_CACHE] = { "KIB", .words = "off 16 32 48" },
};

enum {
    NONE = 1 << ACTION_NONE,
    DEVICES = 1 << ACTION_DEVICES,
    REDUCE = 1 << ACTION_REDUCE,
    SCAN = 1 << ACTION_SCAN,
    MAP = 1 << ACTION_MAP,
    SELECT = 1 << ACTION_SELECT,
    UNIQUE = 1 << ACTION_UNIQUE,
    RLE = 1 << ACTION_RLE,
    UNRLE = 1 << ACTION_UNRLE,
    EXPLAIN = 1 << ACTION_EXPLAIN,
    LADDER = 1 << ACTION_LADDER,
    TRACE = 1 << ACTION_TRACE,
    BENCH = 1 << ACTION_BENCH,
    TUNE = 1 << ACTION_TUNE,
    CHECK = 1 << ACTION_CHECK_FOLD,
    PREDICT = 1 << ACTION_PREDICT,
    CACHE = 1 << ACTION_CACHE,
    HELP = 1 << ACTION_HELP,
    ALL = (1 << ACTIONS) - 1,
    WITH_DEVICE = ALL & ~(NONE | DEVICES | PREDICT | CACHE | HELP),
    MAPS = MAP | SELECT | UNIQUE,
    SELECTS = SELECT | UNIQUE | RLE,
    READING = REDUCE | SCAN | MAPS | RLE | UNRLE,
    OPERATORS = REDUCE | SCAN | EXPLAIN | CHECK,
    LOADS = REDUCE | SCAN | MAPS | EXPLAIN,
    TEXTS = LOADS | CHECK
};

#define TO(member) offsetof(struct options, member)

const struct option_row option_rows[OPTION_MOST_ROWS] = {
    { "version", VALUE_NONE, TO(version), NONE, .letter = 'V',
      .help = "print the version" },
    { "probe", VALUE_NONE, TO(probe), DEVICES,
      .help =
          "find out which memory the look-back of a scan can use, and why it cannot use "
          "other kinds; without --probe, what is known is shown. The result is kept in "
          "clfold/verdicts in $XDG_CACHE_HOME or ~/.cache. The exit status is 1 if a "
          "probe fails" },
    { "op", VALUE_REDUCE_OP, TO(op), REDUCE, .initial = "add", .help = "the operator" },
    { "op", VALUE_OP, TO(op), LADDER | TUNE, .initial = "add", .help = "the operator" },
    { "op", VALUE_SCAN_OP, TO(op), SCAN, .initial = "add", .help = "the operator" },
    { "op", VALUE_TRACE_OP, TO(op), TRACE, .initial = "add", .help = "the operator" },
    { "op", VALUE_EXPLAIN_OP, TO(op), EXPLAIN,
      .help = "the operator of a reduction or a scan; default: add" },
    { "op", VALUE_BENCH_OP, TO(bench), BENCH, .initial = "all",
      .help = "reduce, scan, or all" },
    { "folds", VALUE_BENCH_FOLDS, TO(bench), BENCH,
      .help = "which of add, min, max, arg-min (reduce only), and of sums of f32 and f64 "
              "with an --accuracy: compensated, reproducible (reduce only)" },
    { "type", VALUE_TYPE, TO(element), EXPLAIN, .initial = "f32",
      .help = "the type of the elements, without --components and --type-name" },
    { "type", VALUE_TYPE, TO(element), TRACE, .initial = "f32",
      .help = "the type of the elements, and the one to fold in" },
    { "type", VALUE_TYPE, TO(element), LADDER, .initial = "i32",
      .help = "the type of the elements, and the one to fold in" },
    { "type", VALUE_TYPE, TO(element), CHECK, .initial = "f32",
      .help = "what is folded, without --components and --type-name" },
    { "type", VALUE_TYPE, TO(acc), MAPS,
      .help =
          "the type of what --load makes of an element, and of what is written unless "
          "--out names another; default: the type of the elements, but "
          "f32 for f16 on a device that has no f16" },
    { "types", VALUE_BENCH_TYPES, TO(bench), BENCH,
      .help = "types of elements, such as f32,u8:u64, where u8:u64 is u8 folded in u64; "
              "the second must be of the same kind, and not narrower. all is each type "
              "that the device has. Each fold is measured with each of the types" },
    { "types", VALUE_TYPES, TO(types), TUNE,
      .help = "types of elements, such as f32,u8:u64, where u8:u64 is u8 folded in u64; "
              "default: i32,i64, or with --accuracy f32,f64" },
    { "acc", VALUE_TYPE, TO(acc), REDUCE | SCAN | EXPLAIN,
      .help =
          "the type to fold in, and of results without --out; of a map, the type of what "
          "it writes; default: i64 or u64 for "
          "add and mul of integers, f64 for moments of integers, f32 for those of f16 "
          "and for all of f16 on a device that has no f16, otherwise the type of the "
          "elements" },
    { "accuracy", VALUE_ACCURACY, TO(accuracy), REDUCE | SCAN | EXPLAIN,
      .initial = "deterministic",
      .help = "how exact sums of floats are: deterministic, the same bits on every run; "
              "compensated, as if added with twice the digits and rounded once; "
              "reproducible, the same bits on all devices and in any order, for "
              "reductions" },
    { "accuracy", VALUE_ACCURACY, TO(accuracy), TUNE, .initial = "deterministic",
      .help = "of sums of floats: deterministic, compensated or reproducible" },
    { "length", VALUE_COUNT, TO(rows), TUNE | EXPLAIN, .least = 1,
      .help = "folds of rows of N elements each" },
    { "columns", VALUE_COUNT, TO(columns), TUNE | EXPLAIN, .least = 1,
      .excludes = "length",
      .help = "folds of N columns, whose elements take turns; the count is that of whole "
              "columns" },
    { "by", VALUE_BY, TO(by), EXPLAIN, .excludes = "length,columns",
      .help = "segments, and how they are given: flags:TYPE, keys:TYPE or "
              "offsets:TYPE:N, where N, by default 1, is how many segments there are" },
    { "map", VALUE_NONE, TO(maps), TUNE, .excludes = "op,accuracy,length,columns",
      .help =
          "conversions from the first of the types to the second, or copies, in place "
          "of folds" },
    { "inclusive", VALUE_NONE, TO(inclusive), SCAN | EXPLAIN,
      .help = "each result of a scan includes the element at its place (the default)" },
    { "exclusive", VALUE_NONE, TO(exclusive), SCAN | EXPLAIN, .excludes = "inclusive",
      .help = "each result is the fold of the elements before its place; the first is "
              "the init, or the operator's identity, such as 0 for add" },
    { "init", VALUE_TEXT, TO(init), REDUCE | SCAN,
      .help = "a number of the type to fold in, put before all others; not for operators "
              "that find a place or several numbers, nor for mean" },
    { "count", VALUE_COUNT, TO(count), EXPLAIN, .initial = "2^26",
      .help = "how many elements" },
    { "count", VALUE_COUNT, TO(count), TRACE, .initial = "2^24", .least = 1,
      .help = "how many elements" },
    { "count", VALUE_COUNT, TO(count), TUNE, .least = 1,
      .help = "the number of elements, in the middle of its class if it is a power of "
              "four; default: 2^26, or less if memory is small" },
    { "count", VALUE_COUNT, TO(count), CHECK, .initial = "1000", .least = 1,
      .help = "how many draws" },
    { "seed", VALUE_COUNT, TO(seed), CHECK, .initial = "1",
      .help = "another number draws other items" },
    { "predict", VALUE_TEXT, TO(predict.device), LADDER,
      .help = "predict the times on a device too, which is named as for clfold "
              "predict; counts of work-groups are then by its sub-groups and banks",
      .words = PREDICT_DEVICE_NAMES },
    { "min", VALUE_COUNT, TO(min), LADDER, .initial = "2^17", .least = 1,
      .help = "the least number of elements" },
    { "min", VALUE_COUNT, TO(min), BENCH, .least = 1,
      .help = "the smallest number of elements; default: 2^20, or --max if that is "
              "less" },
    { "max", VALUE_COUNT, TO(max), LADDER, .initial = "2^25", .least = 1,
      .help = "the largest number of elements; the powers of two between them are "
              "measured too" },
    { "max", VALUE_COUNT, TO(max), BENCH, .least = 1,
      .help = "the largest number of elements; each is four times the one before; "
              "default: 2^26, or --min if that is more" },
    { "seconds", VALUE_SECONDS, TO(seconds), BENCH, .initial = "1", .least = 0,
      .most = 3600,
      .help = "how long to measure each case at each count, in 5 to 101 rounds" },
    { "seconds", VALUE_SECONDS, TO(seconds), TUNE, .initial = "90", .least = 0.001,
      .most = 86400, .help = "how long to search, in all" },
    { "algorithm", VALUE_ALGORITHM, TO(algorithm), REDUCE, .initial = "auto",
      .words = REDUCE_ALGORITHM_NAMES,
      .help = "auto lets the library choose; reduce_tiles is the library's own kernel; "
              "reduce0 to reduce6 are the steps towards it, for teaching; serial is one "
              "work-item, to compare with" },
    { "algorithm", VALUE_ALGORITHM, TO(algorithm), SCAN, .initial = "auto",
      .words = SCAN_ALGORITHM_NAMES,
      .help = "auto takes the algorithm that the environment variable CLFOLD_SCAN "
              "names, or else lets the library choose; the others are "
              "scan_single_group, scan_then_propagate, reduce_then_scan, "
              "scan_lookback, scan_chained and serial, or single-group, lookback and so "
              "on for short; clfold explain scan describes them" },
    { "algorithm", VALUE_ALGORITHM, TO(algorithm), EXPLAIN, .initial = "auto",
      .words = REDUCE_ALGORITHM_NAMES " " SCAN_ALGORITHM_NAMES " map_tiles",
      .help = "instead of the one that the library chooses. For reduce, one "
              "of " REDUCE_ALGORITHM_NAMES "; for scan, one of " SCAN_ALGORITHM_NAMES
              "; for map, map_tiles; for select, one of " SELECT_ALGORITHM_NAMES },
    { "algorithm", VALUE_ALGORITHM, TO(algorithm), TRACE, .initial = "scan_lookback",
      .words = TRACE_ALGORITHM_NAMES,
      .help =
          "scan_lookback, or scan_chained, where each tile waits for the one before it" },
    { "kernel", VALUE_ALGORITHM, TO(algorithm), REDUCE | EXPLAIN,
      .words = REDUCE_ALGORITHM_NAMES, .help = "the same as --algorithm" },
    { "device", VALUE_DEVICE, TO(device), WITH_DEVICE,
      .help = "an index as clfold devices shows it, gpu, cpu, or a part of a name; "
              "default: the first GPU, else the first device" },
    { "device", VALUE_TEXT, TO(predict.device), PREDICT,
      .help =
          "the GPU, one of those below, or a file that describes one, whose name ends "
          "in .device; default: h100",
      .words = PREDICT_DEVICE_NAMES },
    { "set", VALUE_SET, TO(predict), PREDICT,
      .help = "the value of a parameter of the nest, where N is written as 1000, 2^26, "
              "1e6 or 64Mi; may be given several times" },
    { "block", VALUE_BLOCK, TO(predict), PREDICT,
      .help = "the work-items of a group in one to three dimensions: the parameters BX, "
              "BY and BZ of the nest" },
    { "cache", VALUE_CACHE, TO(predict), PREDICT, .initial = "off",
      .help =
          "KiB of L1 that the loads of a group have to themselves, from 16 to 48; off: "
          "none is modelled" },
    { "model", VALUE_MODEL, TO(predict), PREDICT, .initial = "terms",
      .help = "terms, or thesis: formulas of a thesis of 2016, and the time by Hong and "
              "Kim's model of 2009, if the device's file has its numbers" },
    { "explain", VALUE_NONE, TO(predict.explain), PREDICT, .excludes = "json",
      .help = "print every count, every term of the time, what binds, what is assumed, "
              "and the device's numbers with their sources" },
    { "calibrate", VALUE_NONE, TO(predict.calibrate), PREDICT,
      .excludes = "json,explain,set,block,cache,model",
      .help = "instead of predicting, measure the OpenCL device that --device names as "
              "elsewhere, and print its file, without a NEST" },
    { "combine", VALUE_TEXT, TO(fold.combine), OPERATORS, .excludes = "op,init",
      .help =
          "an operator of your own, which must be associative, in OpenCL C: what a op "
          "b is, such as 'a + b', or with components '{ a.x * b.x, a.y + b.y }'. The "
          "option --fold reads all of these from a file" },
    { "identity", VALUE_TEXT, TO(fold.identity), OPERATORS, .needs = "combine",
      .help = "its identity, such as '0' or '{ 1, 0 }'. An empty FILE "
              "needs one, and so does an exclusive scan" },
    { "components", VALUE_TEXT, TO(fold.components), REDUCE | SCAN | CHECK,
      .needs = "combine", .excludes = "acc,type-name",
      .help = "what an element is: 1 to 4 numbers, such as 'float a; float b'. Those of "
              "one type are an array of shape (n, k), others a structured dtype with "
              "these names" },
    { "components", VALUE_TEXT, TO(fold.components), MAPS, .excludes = "type,type-name",
      .help =
          "what --load makes of an element, or an element without it: 1 to 4 numbers, "
          "such as 'float a; float b'. Those of one type are an array of shape (n, "
          "k), others a structured dtype with these names" },
    { "components", VALUE_TEXT, TO(fold.components), EXPLAIN, .excludes = "acc,type-name",
      .help = "what an element is, without --in-scalars, and what is folded; of a map, "
              "what --load makes of an element: 1 to 4 numbers, such as 'float a; float "
              "b'. A reduction or a scan needs --combine" },
    { "type-name", VALUE_TEXT, TO(fold.type_name), EXPLAIN, .excludes = "acc",
      .help = "or a type that --source defines" },
    { "type-name", VALUE_TEXT, TO(fold.type_name), MAPS, .excludes = "type",
      .help = "or a type that --source defines; IN and OUT have dtype V<N>, or are raw" },
    { "type-name", VALUE_TEXT, TO(fold.type_name), REDUCE | SCAN | CHECK,
      .needs = "combine", .excludes = "acc",
      .help = "or a type that --source defines; FILE has dtype V<N>, or is raw" },
    { "type-size", VALUE_COUNT, TO(fold.type_size), TEXTS, .needs = "type-name",
      .least = 1, .help = "its size in bytes" },
    { "source", VALUE_PATH, TO(fold.source), TEXTS,
      .needs = "combine,load,result,store,type-name,where,keep,same",
      .help = "OpenCL C that comes before: types and functions" },
    { "cuts", VALUE_TEXT, TO(fold.cuts), OPERATORS, .needs = "combine",
      .help = "a condition on b under which a op b is b, whatever a is" },
    { "commutative", VALUE_NONE, TO(fold.commutative), OPERATORS, .needs = "combine",
      .help = "the operator may be reordered" },
    { "load", VALUE_TEXT, TO(fold.load), LOADS,
      .help =
          "what an element becomes before it is folded or written, in OpenCL C, such as "
          "'x * x'. x is the element: a number of the file's type, or with --components "
          "numbers with names, x.a; i is its index and n the count; segment is its row "
          "or column along --axis, and rank its place there; in[K] is any element; and "
          "--stream and --arg give names. Integers are computed in their own types: "
          "to_i64(x) * to_i64(x) has 64 bits" },
    { "result", VALUE_TEXT, TO(fold.result), LOADS,
      .help =
          "what is written for an item, in OpenCL C, such as 'sqrt(item)'. item is the "
          "fold, or in a map what --load gives: a number, or numbers with names, item.a; "
          "a scan also has prev, the fold before the element; scans and maps have what "
          "--load sees, and reductions n and segment" },
    { "where", VALUE_TEXT, TO(fold.keep), SELECT | EXPLAIN,
      .help = "the condition by which an element is kept, in OpenCL C, such as 'x > 3'. "
              "It has item and what --load sees. Of explain, it goes with select" },
    { "keep", VALUE_TEXT, TO(fold.keep), SELECT | EXPLAIN, .excludes = "where",
      .help = "the same as --where" },
    { "same", VALUE_TEXT, TO(fold.same), UNIQUE | EXPLAIN, .excludes = "where,keep",
      .help = "when two neighbouring items a and b are of one run, in OpenCL C, such as "
              "'fabs(a - b) < 0.5f'; default: where all their numbers are equal, so nan "
              "is a run by itself" },
    { "store", VALUE_TEXT, TO(fold.store), SCAN | MAP | EXPLAIN, .excludes = "result",
      .help =
          "statements in place of --result that write elements of out, zeros before, in "
          "any order, such as 'if (x > 3) out[item - 1] = x;'. They must stay within "
          "out, and write no element twice" },
    { "out-length", VALUE_COUNT, TO(fold.out_length), SCAN | MAP | EXPLAIN,
      .needs = "store", .least = 1,
      .help = "how many elements out has; default: as many as IN" },
    { "out", VALUE_TYPE, TO(fold.out), LOADS,
      .help = "the type of what is written: results are converted, and floats become "
              "integers by --result only; default: that of the items" },
    { "out-scalars", VALUE_COUNT, TO(fold.out_scalars), LOADS, .needs = "result,store",
      .least = 1,
      .help = "--result gives N numbers, 1 to 4, such as '{ item, x }', and an .npy file "
              "has the shape (n, N); default: 1 with --out" },
    { "stream", VALUE_STREAM, TO(fold.args), LOADS,
      .needs = "load,result,store,where,keep,same",
      .help = "another file, as NAME=FILE.npy, with as many numbers as the first has "
              "elements: in --load and --result NAME is the one at x's place; may be "
              "given again" },
    { "in-scalars", VALUE_COUNT, TO(fold.in_scalars), LOADS, .needs = "load", .least = 1,
      .help = "an element is N numbers, 1 to 4, of an array of shape (n, N), and --load "
              "sees them as x.x, x.y, x.z and x.w" },
    { "partial", VALUE_NONE, TO(fold.partial), TEXTS,
      .needs = "combine,load,result,store,where,keep,same",
      .help = "a text is not defined for every value, since it divides integers or reads "
              "a table; it then runs on one element at a time" },
    { "arg", VALUE_ARG, TO(fold.args), TEXTS,
      .needs = "combine,load,result,store,where,keep,same",
      .help = "a value for the texts, such as 'float alpha=0.1'; may be given again" },
    { "arg-file", VALUE_ARG_FILE, TO(fold.args), TEXTS,
      .needs = "combine,load,result,store,where,keep,same",
      .help = "a table for the texts, as NAME=FILE.npy; may be given again" },
    { "fold", VALUE_FOLD, TO(fold_file), TEXTS,
      .help =
          "a file with a line for each of the options between --device and --fold: "
          "the name without the first hyphens, a blank, and the value. Lines that "
          "begin with # are comments, and those that begin with a blank go on with the "
          "value" },
    { "axis", VALUE_AXIS, TO(axis), REDUCE | SCAN,
      .excludes = "raw,text,algorithm,kernel",
      .help =
          "fold along one axis of an .npy array of up to 8 dimensions, like numpy: 0 "
          "is the first, and -1 the last. A reduction prints or writes "
          "the array without that axis; a scan writes one of the same shape. "
          "Text has a line for each row, and an empty line between matrices. Rows of "
          "numbers that are elements together are not an axis. arg-min and its kin "
          "give places along the axis, but with --result or --out those in the array. "
          "It is one call, so the array is not folded in pieces" },
    { "flags", VALUE_PATH, TO(flags), SCAN, .excludes = "axis",
      .help =
          "scan each segment by itself: the .npy file has a flag for each element, an "
          "integer or a bool, and a flag that is not 0 starts a segment. It is one "
          "call, so IN is not scanned in pieces, nor is it with --keys or --offsets" },
    { "keys", VALUE_PATH, TO(keys), SCAN, .excludes = "axis,flags",
      .help = "the same, but the .npy file has a number for each element as its key, and "
              "a key that differs from the one before it starts a segment" },
    { "offsets", VALUE_PATH, TO(offsets), SCAN, .excludes = "axis,flags,keys",
      .help =
          "the same, but the .npy file has ascending offsets as in CSR, i32, i64, u32 "
          "or u64: where each segment starts, and last where they end" },
    { "flags", VALUE_PATH, TO(flags), REDUCE, .excludes = "axis,algorithm,kernel",
      .needs = "output",
      .help =
          "fold each segment by itself into an element of --output: the .npy file has a "
          "flag for each element, an integer or a bool, and a flag that is not 0 starts "
          "a segment. It is one call, so FILE is not folded in pieces" },
    { "keys", VALUE_PATH, TO(keys), REDUCE, .excludes = "axis,algorithm,kernel,flags",
      .needs = "output",
      .help = "the same, but the .npy file has a number for each element as its key, and "
              "a key that differs from the one before it starts a segment" },
    { "offsets", VALUE_PATH, TO(offsets), REDUCE,
      .excludes = "axis,algorithm,kernel,flags,keys", .needs = "output",
      .help =
          "fold each segment by itself into an element of --output: the .npy file has "
          "ascending offsets as in CSR, i32, i64, u32 or u64, where each segment starts, "
          "and last where they end. An empty segment gives --init, or the operator's "
          "identity, such as 0; its mean is nan. Elements before the first offset, and "
          "after the last, count for nothing. It is one call, so FILE is not folded in "
          "pieces" },
    { "offsets", VALUE_PATH, TO(offsets), MAP,
      .help =
          "segments of the elements, which the texts then see as segment and rank: the "
          ".npy file has ascending offsets as in CSR, i32, i64, u32 or u64, where each "
          "segment starts, and last where they end. It is one call, so IN is not mapped "
          "in pieces. --load 'in[segment]' repeats the elements of IN, one for each "
          "segment" },
    { "keys-out", VALUE_OUT, TO(keys_out), REDUCE, .needs = "keys",
      .help = "a file as --output for the key of each segment" },
    { "lengths-out", VALUE_OUT, TO(also), REDUCE, .needs = "flags,keys",
      .help = "a file as --output for the length of each segment, in u64" },
    { "rest", VALUE_OUT, TO(also), SELECT,
      .help = "a file as OUT for the other elements, in their order" },
    { "lengths", VALUE_OUT, TO(also), UNIQUE,
      .help = "a file as OUT for the length of each run, in u64" },
    { "lengths-type", VALUE_TYPE, TO(lengths_type), UNRLE, .initial = "u64",
      .help = "the type of LENGTHS in .bin or .txt; .npy tells its own" },
    { "output", VALUE_OUT, TO(out), REDUCE,
      .help = "write the result into a file, or for - to standard output, as clfold scan "
              "does" },
    { "raw", VALUE_RAW, TO(raw), READING,
      .help = "the file holds numbers of TYPE and nothing else, in this machine's byte "
              "order. With --components or --type-name TYPE may be the bytes of an "
              "element" },
    { "text", VALUE_TYPE, TO(text), READING, .excludes = "raw",
      .help = "the file holds decimal numbers of TYPE, separated by white space or "
              "commas, or as --separator says. They may be in double quotes; outside "
              "quotes, # begins a comment, which ends with the line. Floats may have an "
              "exponent, or be inf or nan, and are rounded to the nearest. Hexadecimal "
              "numbers are rejected" },
    { "separator", VALUE_SEPARATOR, TO(text_form.separator), READING, .needs = "text",
      .help = "C alone separates the fields of a line of the text, such as , or ; or \\t "
              "for a tab" },
    { "skip", VALUE_COUNT, TO(text_form.skip), READING, .needs = "text",
      .help = "the text begins after N lines" },
    { "column", VALUE_COLUMN, TO(text_form.column), READING, .needs = "text",
      .help =
          "take one field of each line of the text: COL is its number, from 1, or "
          "its name in the header, the first line after --skip; =NAME is a name, also "
          "where NAME is a number. Fields may be "
          "quoted as in RFC 4180. Lines without a field are left out" },
    { "missing", VALUE_MISSING, TO(text_form.missing), READING, .initial = "error",
      .needs = "text",
      .help =
          "what is done with a field of the text that is empty, NA or N/A: it is an "
          "error; or nan, in types of floats; or skip leaves it out, with its line if "
          "--column is given, and with all numbers of its element if that is several. "
          "OUT has no result for what is left out, and indices count the rest. With "
          "skip and nan, a comma at the start or the end of a line has an empty field "
          "beside it" },
    { "memory", VALUE_BYTES, TO(memory), READING, .least = 1,
      .help =
          "how many bytes of numbers are held at once, in buffers of the device and "
          "of the host, the piece that is read ahead included; memory that the "
          "program and the driver use for themselves, and up to 64 KiB of numbers of a "
          "text, are not counted; see below" },
    { "json", VALUE_NONE, TO(json), DEVICES,
      .help = "an array with one object for each device; what a device does not report "
              "is null" },
    { "json", VALUE_NONE, TO(json), REDUCE,
      .help = "one object: op, type, acc, out if results are converted, count, pieces, "
              "result, device, kernel, seconds; result is a number, a string if it is "
              "nan or inf, or an object "
              "of index and value, of min and max, or of numbers with names. In its "
              "place --axis and --offsets have shape, and --flags and --keys segments, "
              "which is how many there are. seconds is "
              "the time on the device, without file and transfers, of one call for each "
              "piece; no piece is read meanwhile" },
    { "json", VALUE_NONE, TO(json), SCAN,
      .help = "one object: op, kind, type, acc, out if results are converted, count, "
              "pieces, algorithm, device, seconds; OUT cannot be - then; seconds is the "
              "time on the device, without file and transfers, of one call for each "
              "piece; no piece is read meanwhile" },
    { "json", VALUE_NONE, TO(json), MAP | UNRLE,
      .help = "one object: type, out, count, pieces, algorithm, device, seconds; OUT "
              "cannot be - then; seconds is as of a scan" },
    { "json", VALUE_NONE, TO(json), SELECTS,
      .help = "one object: type, out, count, kept, which is how many are in OUT, pieces, "
              "algorithm, device, seconds; OUT cannot be - then; seconds is as of a "
              "scan" },
    { "text", VALUE_NONE, TO(prints_text), EXPLAIN, .excludes = "json",
      .help =
          "instead print the program of OpenCL C that the driver gets, after // stage 0; "
          "where a call has more stages, theirs follow; a line #line 1 \"FILE\" begins "
          "each part" },
    { "resolved", VALUE_NONE, TO(resolved), EXPLAIN, .needs = "text",
      .help = "print what cpp leaves of it, without what #if excludes; macros stay, and "
              "names of parts do not" },
    { "json", VALUE_NONE, TO(json), EXPLAIN, .help = "one object" },
    { "json", VALUE_NONE, TO(json), LADDER,
      .help =
          "one object a line: kernel, type, op, count, seconds, gbps, ok, device; with "
          "--predict also predicted_seconds, sectors, predicted_device" },
    { "json", VALUE_NONE, TO(json), TRACE,
      .help = "one object a line for each tile: tile, started, aggregate, prefix, depth, "
              "polls, fallbacks, folded; the last object is about the whole: algorithm, "
              "type, op, count, tiles, tile_size, group_size, groups, clock, duration, "
              "mean_depth, mean_polls, fallbacks, ok, device" },
    { "json", VALUE_NONE, TO(json), BENCH, .help = "one object a line, see below" },
    { "json", VALUE_NONE, TO(json), PREDICT,
      .help =
          "one object a line for each launch: kernel, groups, size, waves, times, "
          "groups_of_unit, limit, instructions, sectors, lines, bank_passes, binds, "
          "seconds, traffic, terms, assumptions, counts, items, accesses, and fold if "
          "it is one; counts are of sub-groups, items of work-items; terms are seconds, "
          "or null if the device's file lacks a number. The last object is about the "
          "whole: device, launches, transfers, assumptions, launch_seconds, "
          "transfer_seconds, seconds" },
    { "json", VALUE_NONE, TO(json), CACHE,
      .help =
          "of list, one object a line: file, kernels, platform, device, driver, used, "
          "bytes, fault; fields that a damaged file does not give are null" },
    { "csv", VALUE_PATH, TO(csv), LADDER, .help = "what --json prints, in columns" },
    { "svg", VALUE_PATH, TO(svg), LADDER,
      .help = "a chart of GB/s over counts, drawn by the program gnuplot, with the "
              "fastest kernel that only reads as a broken line, measured at --max, and "
              "what is predicted in short dashes" },
    { "svg", VALUE_PATH, TO(svg), TRACE,
      .help = "a timeline of the tiles, drawn by the program gnuplot" },
    { "svg", VALUE_PATH, TO(svg), BENCH,
      .help = "a chart of GB/s over counts, drawn by the program gnuplot, with the "
              "rooflines as dashed lines" },
    { "against", VALUE_PATH, TO(against), BENCH,
      .help = "a tuning file; its row is timed in turn with each case" },
    { "profile", VALUE_NONE, TO(profile), READING,
      .help = "a line for each kernel on standard error: its time on the device, and the "
              "bytes that it reads and writes by design, over all pieces" },
    { "file", VALUE_PATH, TO(file), TUNE,
      .help = "default: clfold/tuning in $XDG_DATA_HOME or ~/.local/share" },
    { "show", VALUE_NONE, TO(show), TUNE,
      .excludes = "seconds,op,types,count,accuracy,length,columns,map",
      .help = "print the rows of the file, and which of them serve the device" },
    { "reset", VALUE_NONE, TO(reset), TUNE,
      .excludes = "seconds,op,types,count,accuracy,length,columns,map,device,show",
      .help = "remove the file" },
    { "no-cache", VALUE_NONE, TO(no_cache), WITH_DEVICE & ~TUNE,
      .help = "neither load nor keep built programs; see clfold cache" },
    { "quiet", VALUE_NONE, TO(quiet), WITH_DEVICE,
      .help = "no warnings, no progress bar, and no line on a program that is built" },
    { "help", VALUE_NONE, TO(help), ALL, .letter = 'h', .help = "print these options" },
};

const struct command_row command_rows[ACTIONS] = {
    [ACTION_NONE] = {
        .name = "",
        .usage = "--help | --version",
        .about = "Folds the numbers of a file on an OpenCL device.\n",
        .notes = "clfold help COMMAND, or clfold COMMAND --help, says more about one.\n",
        .examples =
            "The devices of this machine, and the sum of a file's numbers:\n"
            "  clfold devices\n"
            "  clfold reduce heights.npy\n",
    },
    [ACTION_DEVICES] = {
        "devices", "[--probe] [--json]", "list the devices and what they can do",
        "no argument", 0,
        "Lists every OpenCL platform and device, each device with the index that "
        "clfold reduce --device takes.\n",
        "",
        .examples =
            "Find out by which memory a scan on each device may look back:\n"
            "  clfold devices --probe\n",
    },
    [ACTION_REDUCE] = {
        "reduce", "[options] FILE",
        "the sum, maximum or other fold of an .npy file, raw data or text",
        "one FILE", 1,
        "Folds all numbers in FILE into one, with an operator, and prints it. FILE is "
        "an .npy file of any shape and order, raw data with --raw, text with --text, "
        "or - for standard input. Bools of an .npy file are numbers of u8, 0 and 1. "
        "Complex numbers are two numbers of f32 or f64, re and im, for --op add and mul "
        "and for maps; --load sees them as x.x and x.y, and --components can name them. "
        "Results of two such numbers are complex in an .npy file.\n",
        "arg-min and arg-max print \"index value\", the first of equals; min-max and "
        "arg-min-max print two lines, the least first; moments, affine and matrix-2x2 "
        "print their numbers on one line. An empty FILE fails with mean, min, max, "
        "min-max and the arg- operators; for min and max, --init gives a result. min and "
        "max of floats are nan where one is nan; arg-min and arg-max find the first. "
        OVERFLOW_NOTE
        " The result has as many digits as it takes to read back exactly.\n" PIECES_NOTE
        "An array in Fortran order is held on the host as a whole for arg-min, arg-max, "
        "arg-min-max, affine and matrix-2x2, and taken as it lies for others.\n",
        .examples =
            "The greatest number of a file:\n"
            "  clfold reduce --op max heights.npy\n"
            "The sum of raw f32 numbers, added in f64 on a CPU, as JSON:\n"
            "  clfold reduce --raw f32 --acc f64 --device cpu --json samples.f32\n"
            "The product of numbers in text from another program:\n"
            "  seq 10 | clfold reduce --text i32 --op mul -\n"
            "The product of numbers modulo 97, by an operator of your own:\n"
            "  clfold reduce --combine 'a * b % 97' --raw u64 numbers.u64\n"
            "The count, mean and sum of squared deviations of a file's numbers:\n"
            "  clfold reduce --op moments heights.npy\n"
            "The length of a vector, and the root mean square of a file's numbers:\n"
            "  clfold reduce --load 'x * x' --result 'sqrt(item)' vector.npy\n"
            "  clfold reduce --load 'x * x' --result 'sqrt(item / to_f32(n))' a.npy\n"
            "The sums of a matrix's columns, printed and as a file:\n"
            "  clfold reduce --axis 0 matrix.npy\n"
            "  clfold reduce --axis 0 --output sums.npy matrix.npy\n"
            "The sum of each segment, from where each begins and where the last ends:\n"
            "  clfold reduce --offsets begins.npy --output sums.npy values.npy\n"
            "The mean for each run of equal keys:\n"
            "  clfold reduce --op mean --keys k.npy --output b.npy a.npy\n"
            "The least number in one column of a table with a header, and its index:\n"
            "  clfold reduce --text f64 --column height --op arg-min table.csv\n",
    },
    [ACTION_SCAN] = {
        "scan", "[options] IN OUT",
        "all running sums, maxima or other folds of one, as a file",
        "IN and OUT", 2,
        "Writes, for each number in IN, the fold of all numbers up to it: running "
        "sums, maxima and the like, as many as IN has numbers. IN is what clfold "
        "reduce takes: an .npy file, raw data with --raw, text with --text, or - for "
        "standard input. OUT is NAME.npy, NAME.bin (raw) or NAME.txt (one result a "
        "line), or - or /dev/stdout for standard output in the format of IN. Several "
        "dimensions become one, the last index first, as with numpy.cumsum, unless "
        "--axis names one. OUT is there "
        "whole or not at all. A file that it replaces keeps its owner, group and mode; "
        "one that you may not write, or whose owner could not be kept, is rejected. If "
        "OUT is a FIFO or a character device, results are written into it directly, as "
        "they come, and stay there after a failure; its name may have any ending, and "
        "the format is that of IN. Such an OUT cannot be .npy if only the end of IN "
        "shows the count.\n",
        "Results of affine and matrix-2x2 are an array of shape (n, 2) or (n, 4) in an "
        ".npy file, and those of moments a structured dtype with the names count, mean "
        "and m2, as numpy makes it with align=True. " OVERFLOW_NOTE
        " Text has as many digits as it takes to read back exactly.\n" PIECES_NOTE
        "An array in Fortran order is held on the host as a whole.\n",
        .examples =
            "The running sums of a file, as numpy.cumsum gives them:\n"
            "  clfold scan heights.npy sums.npy\n"
            "Where each row begins, from the lengths of the rows:\n"
            "  clfold scan --exclusive --raw u32 --acc u64 lengths.bin begins.bin\n"
            "The mean of the numbers so far:\n"
            "  clfold scan --result 'item / to_f32(i + 1)' heights.npy means.npy\n"
            "The factorials up to 10:\n"
            "  seq 10 | clfold scan --text i32 --op mul - -\n",
    },
    [ACTION_MAP] = {
        "map", "[options] IN OUT",
        "what a text makes of each number, or a conversion, as a file",
        "IN and OUT", 2,
        "Writes, for each element of IN, what --load and --result make of it, without "
        "any operator. With neither the numbers are copied, or converted to --out. IN "
        "and OUT are those of clfold scan.\n",
        "Numbers are converted as in C, where floats become integers only by --result, "
        "such as 'to_u8(x)'. A file is mapped by one call if its numbers and what is "
        "written for them fit into buffers of the device and into half of its memory. "
        "Larger ones, pipes and text are mapped in pieces, each of 8 MiB of numbers or "
        "as LIMIT says; then a text that may use in is rejected, and of a pipe one that "
        "may use n. An array in Fortran order is held on the host as a whole.\n",
        .examples =
            "Twice each number plus one of another file:\n"
            "  clfold map --result '2 * x + y' --stream y=b.npy a.npy sums.npy\n"
            "Floats as bytes:\n"
            "  clfold map --result 'to_u8(255 * x)' --out u8 grey.npy bytes.npy\n"
            "The differences of neighbours:\n"
            "  clfold map --result 'x - (i > 0 ? in[i - 1] : 0)' a.npy steps.npy\n"
            "A value for each segment, repeated:\n"
            "  clfold map --offsets rows.npy --load 'in[segment]' a.npy repeated.npy\n",
    },
    [ACTION_SELECT] = {
        "select", "--where EXPR [options] IN OUT",
        "the elements for which a condition holds, as a file",
        "IN and OUT", 2,
        "Writes the elements of IN for which --where holds, in their order, or what "
        "--load and --result make of these, and with --rest the others into a second "
        "file. IN and OUT are those of clfold scan, and both outputs are there whole or "
        "not at all.\n",
        SELECT_NOTE,
        .examples =
            "The numbers above 3, and the others:\n"
            "  clfold select --where 'x > 3' --rest low.npy a.npy high.npy\n"
            "The indices of the numbers above 3:\n"
            "  clfold select --where 'x > 3' --load i --type u64 a.npy where.npy\n"
            "The numbers at whose place another file has a flag:\n"
            "  clfold select --where flag --stream flag=flags.npy a.npy flagged.npy\n",
    },
    [ACTION_UNIQUE] = {
        "unique", "[options] IN OUT",
        "the first of each run of equal neighbours, as a file",
        "IN and OUT", 2,
        "Writes the first element of each run of equal neighbours in IN, or what "
        "--result makes of it, and with --lengths how long the runs are. Items are "
        "compared: --load gives the key of an element. IN and OUT are those of clfold "
        "scan, and both outputs are there whole or not at all.\n",
        SELECT_NOTE,
        .examples =
            "The different numbers of a sorted file, and how often each is there:\n"
            "  clfold unique --lengths counts.npy sorted.npy different.npy\n"
            "The first number of each run of one hundred, 100 to 199 and so on:\n"
            "  clfold unique --load 'x / 100' --result x ids.npy firsts.npy\n",
    },
    [ACTION_RLE] = {
        "rle", "[options] IN VALUES LENGTHS",
        "runs of equal numbers, as their values and lengths",
        "IN, VALUES and LENGTHS", 3,
        "Writes the number of each run of equal neighbours in IN into VALUES, and its "
        "length into LENGTHS, in u64. Numbers are equal if their bits are, so clfold "
        "unrle gives them back bit for bit. IN and VALUES are IN and OUT of clfold scan, "
        "LENGTHS is written as OUT is, and both are there whole or not at all.\n",
        SELECT_NOTE,
        .examples =
            "A file as runs, and back:\n"
            "  clfold rle mask.npy values.npy lengths.npy\n"
            "  clfold unrle values.npy lengths.npy same.npy\n",
    },
    [ACTION_UNRLE] = {
        "unrle", "[options] VALUES LENGTHS OUT",
        "numbers, each repeated as often as a length says",
        "VALUES, LENGTHS and OUT", 3,
        "Writes each number of VALUES as often as the integer at its place in LENGTHS "
        "says, which is a NAME.npy, NAME.bin or NAME.txt of any type of integers. VALUES "
        "and OUT are IN and OUT of clfold scan.\n",
        "It is one call, so VALUES and OUT must fit into buffers of the device.\n",
        .examples =
            "The numbers 7 7 7 and 8:\n"
            "  printf '3 1' >lengths.txt\n"
            "  printf '7 8' | clfold unrle --text i32 - lengths.txt -\n",
    },
    [ACTION_EXPLAIN] = {
        "explain", "reduce|scan|map|select [options]",
        "what a reduction, scan, map or select would do, without doing it",
        "one operation, reduce, scan, map or select", 1,
        "Prints what a reduction, a scan, a map or a select, which unique and rle are "
        "too, would do: the algorithm, how it cuts the data, the memory it moves, and "
        "why. An algorithm without tiles has a tile of 0. Nothing is run on data, and "
        "nothing is built unless there are texts such as --load.\n",
        "If there are texts, their program is built, since only this shows whether they "
        "give the same for scalars and for vectors of 16; widths says it:\n"
        "  agree     the fold runs on vectors where its algorithm has them\n"
        "  differ    it runs on scalars; why says what differs\n"
        "  unknown   nothing was compared: the algorithm has no vectors on this device, "
        "or there is --partial or --type-name\n"
        "Of a file that --stream or --arg-file names the type is used, not the count.\n",
        .examples =
            "How 2^20 numbers of u8 are added, and why:\n"
            "  clfold explain reduce --type u8 --count 2^20\n"
            "What an exclusive scan by one algorithm would do:\n"
            "  clfold explain scan --exclusive --algorithm then-propagate\n"
            "Whether a load runs on vectors:\n"
            "  clfold explain reduce --load 'x > 3 ? 1 : 0' --acc u64\n"
            "The kernels of a scan, to read:\n"
            "  clfold explain scan --text --resolved\n",
    },
    [ACTION_LADDER] = {
        "ladder", "[options]",
        "compare the seven classic kernels of a reduction",
        "no argument", 0,
        "Times the seven kernels of the classic lecture on reductions, reduce0 to "
        "reduce6, and what the library would choose (auto), on pseudo-random data. "
        "Each result is compared with the host's; a wrong one is reported, and the exit "
        "status is 1. The time is the median of 5 to 50 calls, from enqueue to the "
        "end.\n",
        "\n"
        "The last table shows what one work-group does in its tree, as clfold predict "
        "counts it for sub-groups of 32, 32 banks of local memory, and elements of 4 "
        "bytes:\n"
        "  steps      of the tree\n"
        "  barriers   of the whole group\n"
        "  busy       steps of a sub-group in which some work-item works\n"
        "  mixed      of these, the ones in which another work-item is idle\n"
        "  replays    extra turns of the banks, because work-items meet in one\n"
        "  cycles     turns of the banks in all\n"
        "and of the whole call: loads, the elements that one work-item reads; the "
        "groups of the first pass; and the passes. With --predict, the ms that are "
        "predicted for the call, and the sectors of 32 bytes that it moves.\n",
        .examples =
            "The kernels over counts from 2^17 to 2^25, as a chart:\n"
            "  clfold ladder --svg ladder.svg\n",
    },
    [ACTION_TRACE] = {
        "trace", "[options]", "what each tile of a look-back scan did, and when",
        "no argument", 0,
        "Scans pseudo-random data by look-back, with a program that records what each "
        "tile did, and shows: some neighbouring tiles at the moment when they differ "
        "most, with the host's values; how deep tiles looked back; and how often they "
        "looked. The result is compared with the host's; if it is wrong, that is "
        "reported, and the exit status is 1.\n",
        "\n"
        "Of a tile,\n"
        "  flag        P: its inclusive prefix is published; A: only its aggregate, "
        "the fold of its own elements; X: neither. Value and flag are published as "
        "one, so there is no prefix before the flag is P\n"
        "  started     when it began; aggregate and prefix: when each was published\n"
        "  depth       tiles between it and the prefix that its look-back ended at: 0 "
        "if that was the tile before\n"
        "  polls       looks at other tiles, or at windows of them\n"
        "  fallbacks   tiles that it folded itself, since their owners had not "
        "published yet; folded: those of them among the 64 before it\n"
        "Times count from the first tile's start, in cycles where the device's "
        "compiler has a counter, else in steps: each record is one.\n",
        .examples =
            "The tiles of a scan of 2^24 numbers, as a timeline:\n"
            "  clfold trace --count 2^24 --svg trace.svg\n",
    },
    [ACTION_BENCH] = {
        "bench", "[options]", "compare reductions and scans with the speed of memory",
        "no argument", 0,
        "Times reductions and inclusive scans, and in turn with each, in the same "
        "rounds, kernels and native loops that only read the same bytes, or copy them: "
        "the roofline. Every result is compared with the host's; a wrong one is "
        "reported, and the exit status is 1.\n",
        "\n"
        "If no types are named: reduce add of f32 f64 i32 i64 u8:u64 i16:i64 f32:f64 "
        "and min max arg-min of f32; scan add of f32 f64 i32 i64 u8:u32 and "
        "max of f32.\n"
        "\n"
        "JSON and, in other words, the table have\n"
        "  op fold type count   the case\n"
        "  algorithm policy   what the library chose, and by which row of its policies; "
        "tuned: by a row of a tuning file; measured: by one of its own\n"
        "  seconds            from enqueue to the end, the median of the rounds; "
        "spread is the range from the first quartile to the third, over the median; "
        "runs is the number of rounds\n"
        "  event_seconds      the same by the clock of the device, on a queue that "
        "profiles; null if there is none\n"
        "  gbps               10^9 bytes a second of what must be moved: a reduction "
        "reads n, a scan reads n and writes n\n"
        "  opencl_gbps        the same bytes by the fastest kernel that reads or "
        "copies: plain, prefetched, on CPUs by quarters of lines, or with stores that "
        "pass the caches, and on other devices the driver's own copy\n"
        "  native_gbps        the same by native loops on all cores; null if the device "
        "is not a CPU, or the command was built without OpenMP\n"
        "  roofline_gbps      the greater of both, or where less than 32 MiB are moved "
        "the kernel's, and roofline is its name; roofline_broken: the kernel's is below "
        "0.9 of the native one, and there is a warning\n"
        "  fraction           gbps / roofline_gbps\n"
        "  sets set_bytes     how many sets of buffers take turns, so that caches do "
        "not help: 512 MiB or more in all, at most 128 sets, and one set from 1 GiB on; "
        "sets_few: there were fewer, since memory is short\n"
        "  ok                 whether the result was right\n"
        "  device driver machine   machine is what the system reports about its "
        "processors, caches and huge pages, or null\n"
        "\n"
        "With --against, the file's row for a case is timed in the same rounds, before "
        "and after the case in turn, and its result is checked. A case uses the "
        "library's own policies, or the file that CLFOLD_TUNING names. Each case then "
        "also has, or null if the file has no row for it:\n"
        "  against_seconds    by the file's row\n"
        "  against_ratio against_low against_high   how many times as fast the file's "
        "row is: the median of the rounds' ratios, and its 95 % confidence interval\n"
        "\n"
        "Where a case moves 32 MiB or more, the speed of the memory itself is measured "
        "at the start and at the end of the run, by the loops of the roofline. The last "
        "line of the table has it; in JSON it is an object of its own, after the cases:\n"
        "  memory_read_gbps memory_copy_gbps   of each, [start, end]\n"
        "  memory_moved       whether one of them changed by more than 15 %, with a "
        "warning: compare fractions then, not GB/s\n"
        "  device driver machine   as of a case\n",
        .examples =
            "Scans of two types, as a chart:\n"
            "  clfold bench --op scan --types f32,u8:u32 --svg bench.svg\n",
    },
    [ACTION_TUNE] = {
        "tune", "[options]\n       clfold tune --show | --reset [--file FILE]",
        "search for faster tiles and groups, and keep them in a file",
        "no argument", 0,
        "Searches for tiles, groups and other numbers with which a device is faster "
        "than with the library's own, on made-up data, and keeps them in a file, a row "
        "for each operation, size of elements and class of counts. A program loads the "
        "file if it passes the path to the library, or if CLFOLD_TUNING is set to the "
        "path; it may change the bits of float results.\n"
        "\n"
        "A row is kept only if it wins a final comparison by more than the measured "
        "noise, with the same results; an older row that does not win is removed. "
        "Other rows and those of other devices stay, and so does a row that there "
        "was no time to try. A signal or a failure leaves the file as it was. Without "
        "rows, no file is made.\n",
        "A row serves all operators, types of its size, accuracies and segments; the "
        "options say by which call it is searched, and of types of one size the first "
        "is. By min-max arg-min arg-max arg-min-max, and by reproducible sums, only "
        "reductions are tuned, else inclusive scans too.\n"
        "\n"
        "For each row it prints the default's 10^9 bytes a second, those of the "
        "numbers that were found, their ratio, and the numbers that differ from the "
        "default's. If the final comparison leaves open whether other numbers are "
        "faster, the default stays, and the 95 % confidence interval of their ratio is "
        "printed. A reduction reads its elements, a scan or a map reads and writes them "
        "once. The last line says how many folds are faster, or how many seconds are "
        "needed if there was too little time for some.\n",
        .examples =
            "Search for a minute, for about 2^20 elements, and show the rows:\n"
            "  clfold tune --count 2^20 --seconds 60\n"
            "  clfold tune --show\n"
            "By sums along the rows of matrices that have 256 columns:\n"
            "  clfold tune --length 256 --types f32\n",
    },
    [ACTION_CHECK_FOLD] = {
        "check-fold", "[options]",
        "look for items for which an operator of your own is wrong",
        "no argument", 0,
        "Draws random items, and numbers that often make trouble, and looks for some "
        "that break a law: (a op b) op c is a op (b op c); the identity changes "
        "nothing; with --commutative, a op b is b op a; with --cuts, a op b is b where "
        "the condition holds. Then it compares the operator on 16 elements at once "
        "with one at a time. It prints the items that it found, with simpler numbers "
        "if these break the law too, as initialisers of C, and the exit status is 1.\n",
        "Floats may differ in half of their digits: by 2^-12 for f32, 2^-26 for f64 and "
        "2^-5 for f16, relative to the larger, or to 1. Numbers are any of their types, "
        "so an operator that is right for some of them only, such as flags of 0 and 1, "
        "may be said to be wrong. Items of --type-name are random bytes. The load and "
        "the result of a fold file, with streams, in-scalars and out, are left out.\n",
        .examples =
            "The mean of two numbers is not associative:\n"
            "  clfold check-fold --combine '(a + b) / 2'\n",
    },
    [ACTION_PREDICT] = {
        "predict", "[options] NEST | --calibrate",
        "how long a kernel takes on a GPU that you do not have",
        "one NEST, or --calibrate without one", 0,
        "Counts what the kernels of a nest do on a GPU, exactly: memory requests, "
        "sectors, lines, passes of local memory's banks, branches, barriers; and "
        "predicts from the GPU's numbers how long they take. NEST is a file whose name "
        "ends in .nest, which clfold-nest makes of Fortran, or the name of a kernel of "
        "clfold's own, such as reduce3. No device is used. docs/predict.md has "
        "the language of nests, the terms of the time, and how far predictions "
        "were off.\n",
        "Devices are 8800gtx, gtx295, gtx460, fermi (a Tesla C2050), a100, h100, h200, "
        "gfx90a and gfx1100. Their numbers are measured, queried or nominal, as "
        "--explain says. Nests are reduce0 to reduce6, reduce_tiles, "
        "reduce_tiles_vector, scan_single_group, scan_then_propagate, "
        "reduce_then_scan, scan_lookback, scan_lookback_vector, scan_chained, "
        "scan_serial, group_raking, hillis_steele, blelloch and select.\n",
        .examples =
            "A rung of the ladder on an A100, with all that the time consists of:\n"
            "  clfold predict reduce3 --device a100 --set n=2^24 --explain\n"
            "A kernel of your own:\n"
            "  clfold predict stencil.nest --device h200 --block 32,8\n"
            "The device of this machine, measured; and one whose output is in a file:\n"
            "  clfold predict --calibrate --device cpu\n"
            "  clfold predict reduce3 --device cpu.device\n",
        .num_optional = 1,
    },
    [ACTION_CACHE] = {
        "cache", "list|verify|clear [--json]",
        "list, check or remove the programs that clfold keeps",
        "one of list, verify and clear", 1,
        "The first call of a kind builds a program, which takes most of its time. The "
        "other commands keep what they build in the folder clfold/programs of "
        "$XDG_CACHE_HOME, or of ~/.cache, up to 256 MiB, and load it the next time. "
        "list prints each program's last use, bytes, kernels and device, and verify "
        "which of them are damaged. clear removes them all.\n",
        "A program is loaded only for the same text, device, driver, CPU, version of "
        "clfold, and variables of the driver. One that is damaged is built again. clfold "
        "tune keeps none. PoCL has a cache of its own, so its programs are kept here "
        "only where POCL_KERNEL_CACHE is 0, and those of rusticl never, since it loads a "
        "program no faster than it builds one.\n",
        .examples =
            "List the programs, and when each was used last:\n"
            "  clfold cache list\n",
    },
    [ACTION_HELP] = {
        .name = "help", .usage = "[COMMAND]",
        .summary = "what a command does, and its options",
        .operands = "one COMMAND at most", .num_optional = 1,
        .about = "Prints what clfold COMMAND --help prints; without COMMAND, what "
                 "clfold --help prints.\n",
        .notes = "",
        .examples =
            "The options of clfold reduce:\n"
            "  clfold help reduce\n",
    },
};

const struct view_row view_rows[] = {
    { "bench", "[options]", "compare calls with the speed of memory" },
    { "compare", "[options]", "compare calls with other libraries and with plain loops" },
    { "ladder", "[options]", "compare the seven classic kernels of a reduction" },
    { "small", "[options]", "what a call costs the host, beside an empty kernel" },
    { "trace", "[options]", "what each tile of a look-back scan did, and when" },
    { "tune", "[options]",
      "search for faster tiles and groups, and keep them in a file" },
    { 0 },
};

bool view_find(const char *name)
{
    const struct view_row *row = view_rows;

    while (row->name && strcmp(row->name, name) != 0) {
        row++;
    }
    return row->name;
}

const struct variable_row variable_rows[] = {
    { "CLFOLD_SCAN", WITH_DEVICE,
      "the algorithm of scans that name none, one of " SCAN_STRATEGY_NAMES
      "; other names fail" },
    { "CLFOLD_TUNING", WITH_DEVICE & ~TUNE,
      "a tuning file, as clfold tune makes it, whose rows replace the library's own "
      "numbers" },
    { "XDG_CACHE_HOME", DEVICES | CACHE | WITH_DEVICE,
      "the folder of clfold/programs, which keeps built programs, and of "
      "clfold/verdicts, "
      "which keeps what probes of devices found; if it is not set, ~/.cache" },
    { "XDG_DATA_HOME", TUNE,
      "the folder of clfold/tuning, the tuning file where --file names no other; if it "
      "is not set, ~/.local/share" },
    { 0 },
};

size_t option_notes(enum action action, const char *notes[VALUE_KINDS])
{
    bool is_used[VALUE_KINDS] = { 0 };
    size_t num = 0;

    for (const struct option_row *row = option_rows; row->name; row++) {
        is_used[row->kind] |= row->commands >> action & 1;
    }
    for (int kind = 0; kind < VALUE_KINDS; kind++) {
        const char *const note = is_used[kind] ? value_rows[kind].note : NULL;
        bool is_new = note;
        for (size_t i = 0; i < num && is_new; i++) {
            is_new = strcmp(notes[i], note) != 0;
        }
        if (is_new) {
            notes[num++] = note;
        }
    }
    return num;
}

const char *text_line_read(const char *text, struct text_line *line)
{
    const char *const end = text + strcspn(text, "\n");
    const char *const first = text + strspn(text, " ");
    const char *const gap = strstr(first, "  ");
    const bool has_term = first > text && gap && gap < end;

    *line = (struct text_line){
        .term = has_term ? first : NULL,
        .term_length = has_term ? (int)(gap - first) : 0,
        .words = has_term ? gap + strspn(gap, " ") : first,
        .end = end,
    };
    return *end ? end + 1 : end;
}
