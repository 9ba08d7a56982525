/* reduce and scan, which fold the numbers of a file. */
#include "number.h"
#include "options_parts.h"
#include "types.h"
#include "writer.h"

#include <string.h>

static const char reduce_help[] =
    "Usage: clfold reduce [options] FILE\n"
    "\n"
    "Folds all numbers in FILE into one, with an operator, and prints it. FILE is an\n"
    ".npy file of any shape and order, raw data with --raw, text with --text, or - for\n"
    "standard input. Bools of an .npy file are numbers of u8, 0 and 1.\n"
    "\n"
    "  --op OP         add (the default) mul min max; bit-and bit-or bit-xor, of\n"
    "                  integers; logical-and logical-or, which give 0 or 1;\n"
    "                  arg-min arg-max print \"index value\", the first of equals;\n"
    "                  min-max arg-min-max print two lines, the least first; an\n"
    "                  empty FILE has no least and no greatest, and fails with these\n"
    "  --acc TYPE      the type to fold in; default: for add and mul, i64 or u64 for\n"
    "                  integers; otherwise the type of the elements\n"
    "  --kernel NAME   auto (the default) lets the library choose; reduce_tiles is its\n"
    "                  own; reduce0 to reduce6 lead up to it, for teaching\n"
    "  --algorithm NAME\n"
    "                  the same as --kernel\n"
    "  --device SEL    an index as clfold devices shows it, gpu, cpu, or a part of a\n"
    "                  name; default: the first GPU, else the first device\n"
    "  --raw TYPE      FILE is nothing but numbers of TYPE, in this machine's byte "
    "order\n"
    "  --text TYPE     FILE is numbers of TYPE in decimal, separated by white space or\n"
    "                  by commas; floats may have an exponent or be inf or nan, and are\n"
    "                  rounded to the nearest; no hexadecimal numbers\n"
    "  --json          one object: op, type, acc, count, result, device, kernel, "
    "seconds;\n"
    "                  result is a number, or a string where it is nan or inf, or an\n"
    "                  object of index and value, or of min and max; seconds is one\n"
    "                  call on the device without file and transfer\n"
    "  --profile       a line for each kernel on standard error: its time on the "
    "device,\n"
    "                  and the bytes that it reads and writes by design\n"
    "  -h, --help      this text\n"
    "\n"
    "TYPE is one of " TYPE_NAMES ".\n"
    "min and max of floats are nan where one is nan; arg-min and arg-max find the "
    "first.\n"
    "The result has as many digits as it takes to read back exactly.\n";

static const char scan_help[] =
    "Usage: clfold scan [options] IN OUT\n"
    "\n"
    "Writes, for each number in IN, the fold of all numbers up to it: running sums,\n"
    "maxima and the like, as many as IN has numbers. IN is what clfold reduce takes:\n"
    "an .npy file, raw data with --raw, text with --text, or - for standard input.\n"
    "OUT is NAME.npy, NAME.bin (raw) or NAME.txt (one number a line), or - for\n"
    "standard output in the format of IN. Several dimensions become one, the last\n"
    "index first, as with numpy.cumsum. OUT is there whole or not at all. A file that\n"
    "it replaces keeps its owner, group and mode; one that you may not write, or whose\n"
    "owner could not be kept, is rejected.\n"
    "\n"
    "  --op OP         add (the default) mul min max; bit-and bit-or bit-xor, of\n"
    "                  integers; logical-and logical-or, which give 0 or 1\n"
    "  --inclusive     each fold ends with the number at its place (the default)\n"
    "  --exclusive     it ends before it; the first is V, or without --init what the\n"
    "                  operator gives of nothing, such as 0 for add\n"
    "  --init V        a number of the type to fold in, put before all others\n"
    "  --acc TYPE      the type to fold in, which is that of OUT; default: for add and\n"
    "                  mul, i64 or u64 for integers; otherwise the type of the elements\n"
    "  --algorithm NAME\n"
    "                  auto (the default) takes what the environment variable\n"
    "                  CLFOLD_SCAN names, or else lets the library choose;\n"
    "                  scan_single_group, scan_then_propagate, reduce_then_scan,\n"
    "                  scan_lookback and scan_chained are as clfold explain scan tells\n"
    "                  of them; single-group, lookback and so on are short for them\n"
    "  --device SEL    as for clfold reduce\n"
    "  --raw TYPE      IN is nothing but numbers of TYPE, in this machine's byte order\n"
    "  --text TYPE     IN is numbers of TYPE in decimal, as for clfold reduce\n"
    "  --json          one object: op, kind, type, acc, count, algorithm, device,\n"
    "                  seconds; OUT cannot be - then; seconds is one call on the device\n"
    "                  without file and transfer\n"
    "  --profile       a line for each kernel on standard error: its time on the "
    "device,\n"
    "                  and the bytes that it reads and writes by design\n"
    "  -h, --help      this text\n"
    "\n"
    "TYPE is one of " TYPE_NAMES ".\n"
    "Text has as many digits as it takes to read back exactly.\n";

enum {
    OP = OPTION_OTHERS,
    ACC,
    DEVICE,
    RAW,
    TEXT,
    KERNEL,
    ALGORITHM,
    INCLUSIVE,
    EXCLUSIVE,
    INIT,
    PROFILE
};

static const struct option reduce_options[] = {
    { "acc", required_argument, NULL, ACC },
    { "algorithm", required_argument, NULL, ALGORITHM },
    { "device", required_argument, NULL, DEVICE },
    { "help", no_argument, NULL, OPTION_HELP },
    { "json", no_argument, NULL, OPTION_JSON },
    { "kernel", required_argument, NULL, KERNEL },
    { "op", required_argument, NULL, OP },
    { "profile", no_argument, NULL, PROFILE },
    { "raw", required_argument, NULL, RAW },
    { "text", required_argument, NULL, TEXT },
    { 0 },
};
static const struct option scan_options[] = {
    { "acc", required_argument, NULL, ACC },
    { "algorithm", required_argument, NULL, ALGORITHM },
    { "device", required_argument, NULL, DEVICE },
    { "exclusive", no_argument, NULL, EXCLUSIVE },
    { "help", no_argument, NULL, OPTION_HELP },
    { "inclusive", no_argument, NULL, INCLUSIVE },
    { "init", required_argument, NULL, INIT },
    { "json", no_argument, NULL, OPTION_JSON },
    { "op", required_argument, NULL, OP },
    { "profile", no_argument, NULL, PROFILE },
    { "raw", required_argument, NULL, RAW },
    { "text", required_argument, NULL, TEXT },
    { 0 },
};

static bool read_format(struct options *options, enum file_format format,
                        const char *option, struct message *message)
{
    if (options->format != FORMAT_NPY && options->format != format) {
        return message_set(message,
                           "--raw and --text exclude each other: %s has one "
                           "format",
                           options->action == ACTION_SCAN ? "IN" : "FILE");
    }
    options->format = format;
    return options_read_type(option, &options->element, message);
}

/* The command's table decides which of these it has. */
static bool read_option(int found, struct options *options, struct message *message)
{
    switch (found) {
    case OPTION_JSON:
        options->json = true;
        break;
    case OP:
        return options_read_op(&options->op, message);
    case ACC:
        return options_read_type("--acc", &options->acc, message);
    case DEVICE:
        return options_read_device(&options->device, message);
    case RAW:
        return read_format(options, FORMAT_RAW, "--raw", message);
    case TEXT:
        return read_format(options, FORMAT_TEXT, "--text", message);
    case KERNEL:
    case ALGORITHM:
        return options_parse_algorithm(found == KERNEL ? "--kernel" : "--algorithm",
                                       optarg, options->action == ACTION_SCAN,
                                       &options->algorithm, message);
    case INCLUSIVE:
        return options_set_kind(CLFOLD_INCLUSIVE_SCAN, &options->operation, message);
    case EXCLUSIVE:
        return options_set_kind(CLFOLD_EXCLUSIVE_SCAN, &options->operation, message);
    case INIT:
        options->init = optarg;
        break;
    case PROFILE:
        options->profile = true;
        break;
    }
    return true;
}

bool options_read_reduce(struct options *options, int argc, char **argv,
                         struct message *message)
{
    static const struct options_reader reader = {
        "reduce", "clfold reduce --help", reduce_help, reduce_options, read_option,
    };

    *options = (struct options){ .action = ACTION_REDUCE,
                                 .operation = CLFOLD_REDUCE,
                                 .op = CLFOLD_ADD };
    if (!options_walk(&reader, options, argc, argv, message)) {
        return false;
    }
    if (options->action == ACTION_PRINT) {
        return true;
    }
    if (argc - optind != 1) {
        return message_set(message,
                           "reduce takes one FILE, and got %d; see clfold reduce "
                           "--help",
                           argc - optind);
    }
    options->file = argv[optind];
    return true;
}

/* numpy's accumulate has no form for a pair at each place, .npy only structured types,
 * and text and raw data none; an index alone would not be of the type that is folded. */
static bool check_op(clfold_op op, struct message *message)
{
    const struct op_result form = op_result(op);

    return (form.num == 1 && !form.position) ||
           message_set(message,
                       "--op %s: a scan writes one number for each element, and %s "
                       "gives %s; the operators are " SCAN_OP_NAMES,
                       op_name(op), op_name(op),
                       form.num > 1 ? "two" : "an index with it");
}

bool options_init(const struct options *options, clfold_type acc, void *value,
                  struct message *message)
{
    switch (number_parse(value, acc, options->init)) {
    case NUMBER_NONE:
        return message_set(message, "--init %.200s: is no number of type %s",
                           options->init, type_name(acc));
    case NUMBER_RANGE:
        return message_set(message, "--init %.200s: is out of the range of %s",
                           options->init, type_name(acc));
    case NUMBER_READ:
        break;
    }
    return true;
}

/* As far as it can be told before an .npy file has told its type: what no float is, no
 * number is. */
static bool check_init(const struct options *options, struct message *message)
{
    clfold_arg_value value;

    if (options->acc || options->element) {
        const clfold_fold fold = options_fold(options, options->element);
        return options_init(options, fold.type, &value.value, message);
    }
    return number_parse(&value.value, CLFOLD_F64, options->init) != NUMBER_NONE ||
           message_set(message, "--init %.200s: is no number", options->init);
}

static bool check_out(struct options *options, struct message *message)
{
    if (strcmp(options->out, "-") == 0) {
        options->out_format = options->format;
        return !options->json ||
               message_set(message, "--json and OUT - both go to standard output: name a "
                                    "file");
    }
    return writer_format(options->out, &options->out_format) ||
           message_set(message,
                       "OUT %.4096s: its name must end in .npy, in .bin for raw data or "
                       "in .txt, or be - for standard output",
                       options->out);
}

bool options_read_scan(struct options *options, int argc, char **argv,
                       struct message *message)
{
    static const struct options_reader reader = {
        "scan", "clfold scan --help", scan_help, scan_options, read_option,
    };

    *options = (struct options){ .action = ACTION_SCAN, .op = CLFOLD_ADD };
    if (!options_walk(&reader, options, argc, argv, message)) {
        return false;
    }
    if (options->action == ACTION_PRINT) {
        return true;
    }
    if (argc - optind != 2) {
        return message_set(message,
                           "scan takes IN and OUT, and got %d of them; see clfold scan "
                           "--help",
                           argc - optind);
    }
    options->file = argv[optind];
    options->out = argv[optind + 1];
    if (!options->operation) {
        options->operation = CLFOLD_INCLUSIVE_SCAN;
    }
    return check_op(options->op, message) &&
           (!options->init || check_init(options, message)) &&
           check_out(options, message);
}
