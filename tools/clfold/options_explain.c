#include "options_parts.h"

#include "count.h"
#include "types.h"

#include <string.h>

static const char help[] =
    "Usage: clfold explain reduce|scan [options]\n"
    "\n"
    "Prints what a reduction or a scan would do: the algorithm, how it cuts the data,\n"
    "the memory it moves, and why. Nothing is built or run. An algorithm without tiles\n"
    "has a tile of 0.\n"
    "\n"
    "  --type TYPE     the type of the elements; default: f32\n"
    "  --acc TYPE      the type to fold in; default: as clfold reduce chooses it\n"
    "  --op OP         the operator; default: add\n"
    "  --count N       how many elements; default: 2^26\n"
    "  --algorithm NAME\n"
    "                  instead of the one that the library chooses; --kernel is the "
    "same\n"
    "  --inclusive     of scan: each fold ends with its own element (the default)\n"
    "  --exclusive     of scan: each ends before it\n"
    "  --device SEL    as for clfold reduce\n"
    "  --json          one object\n"
    "  -h, --help      this text\n"
    "\n"
    "TYPE is one of " TYPE_NAMES ".\n"
    "OP is one of add mul min max min-max arg-min arg-max arg-min-max bit-and bit-or\n"
    "bit-xor logical-and logical-or.\n"
    "NAME is, for reduce, one of auto reduce_tiles reduce0 ... reduce6, and for scan\n"
    "one of auto scan_single_group scan_then_propagate reduce_then_scan scan_lookback\n"
    "scan_chained.\n"
    "N is written as " COUNT_FORMS ".\n";

enum {
    TYPE = OPTION_OTHERS,
    ACC,
    OP,
    COUNT,
    KERNEL,
    ALGORITHM,
    DEVICE,
    INCLUSIVE,
    EXCLUSIVE
};

static const struct option known[] = {
    { "acc", required_argument, NULL, ACC },
    { "algorithm", required_argument, NULL, ALGORITHM },
    { "count", required_argument, NULL, COUNT },
    { "device", required_argument, NULL, DEVICE },
    { "exclusive", no_argument, NULL, EXCLUSIVE },
    { "help", no_argument, NULL, OPTION_HELP },
    { "inclusive", no_argument, NULL, INCLUSIVE },
    { "json", no_argument, NULL, OPTION_JSON },
    { "kernel", required_argument, NULL, KERNEL },
    { "op", required_argument, NULL, OP },
    { "type", required_argument, NULL, TYPE },
    { 0 },
};

/* The names that are right depend on the operation, which may come later. */
static bool keep_algorithm(struct options *options, const char *option)
{
    options->algorithm = optarg;
    options->algorithm_option = option;
    return true;
}

static bool read_option(int found, struct options *options, struct message *message)
{
    switch (found) {
    case OPTION_JSON:
        options->json = true;
        return true;
    case TYPE:
        return options_read_type("--type", &options->element, message);
    case ACC:
        return options_read_type("--acc", &options->acc, message);
    case OP:
        return options_read_op(&options->op, message);
    case COUNT:
        return options_read_count("--count", &options->count, message);
    case KERNEL:
        return keep_algorithm(options, "--kernel");
    case ALGORITHM:
        return keep_algorithm(options, "--algorithm");
    case INCLUSIVE:
        return options_set_kind(CLFOLD_INCLUSIVE_SCAN, &options->operation, message);
    case EXCLUSIVE:
        return options_set_kind(CLFOLD_EXCLUSIVE_SCAN, &options->operation, message);
    case DEVICE:
        return options_read_device(&options->device, message);
    }
    return true;
}

/* options->operation is the kind of a scan, or 0 where none was named. */
static bool read_operation(struct options *options, int argc, char **argv,
                           struct message *message)
{
    const char *const name = optind < argc ? argv[optind] : "none";
    const bool of_scan = strcmp(name, "scan") == 0;

    if (argc - optind != 1 || !(of_scan || strcmp(name, "reduce") == 0)) {
        return message_set(message,
                           "explain takes one operation, reduce or scan, and got %.200s; "
                           "see clfold explain --help",
                           argc - optind > 1 ? argv[optind + 1] : name);
    }
    if (of_scan) {
        options->operation =
            options->operation ? options->operation : CLFOLD_INCLUSIVE_SCAN;
        return true;
    }
    if (options->operation) {
        return message_set(message, "--inclusive and --exclusive go with explain scan, "
                                    "not with explain reduce");
    }
    options->operation = CLFOLD_REDUCE;
    return true;
}

bool options_read_explain(struct options *options, int argc, char **argv,
                          struct message *message)
{
    static const struct options_reader reader = { "explain", "clfold explain --help",
                                                  help, known, read_option };

    *options = (struct options){ .action = ACTION_EXPLAIN,
                                 .element = CLFOLD_F32,
                                 .op = CLFOLD_ADD,
                                 .count = (size_t)1 << 26 };
    if (!options_walk(&reader, options, argc, argv, message)) {
        return false;
    }
    if (options->action == ACTION_PRINT) {
        return true;
    }
    return read_operation(options, argc, argv, message) &&
           (!options->algorithm ||
            options_parse_algorithm(options->algorithm_option, options->algorithm,
                                    options->operation != CLFOLD_REDUCE,
                                    &options->algorithm, message));
}
