#include "options_parts.h"

#include "count.h"
#include "types.h"

#include <string.h>

static const char help[] =
    "Usage: clfold explain reduce [options]\n"
    "\n"
    "Prints what a reduction would do: the kernel, how it cuts the data, the memory it\n"
    "moves, and why. Nothing is built or run. A kernel without tiles has a tile of 0.\n"
    "\n"
    "  --type TYPE     the type of the elements; default: f32\n"
    "  --acc TYPE      the type to fold in; default: as clfold reduce chooses it\n"
    "  --op OP         the operator; default: add\n"
    "  --count N       how many elements; default: 2^26\n"
    "  --kernel NAME   the kernel, instead of the one that the library chooses;\n"
    "                  --algorithm is the same\n"
    "  --device SEL    as for clfold reduce\n"
    "  --json          one object\n"
    "  --help          this text\n"
    "\n"
    "TYPE is one of " TYPE_NAMES ".\n"
    "OP is one of add mul min max min-max arg-min arg-max arg-min-max bit-and bit-or\n"
    "bit-xor logical-and logical-or.\n"
    "NAME is one of auto reduce_tiles reduce0 ... reduce6.\n"
    "N is written as " COUNT_FORMS ".\n";

enum { TYPE = OPTION_OTHERS, ACC, OP, COUNT, KERNEL, ALGORITHM, DEVICE };

static const struct option known[] = {
    { "acc", required_argument, NULL, ACC },
    { "algorithm", required_argument, NULL, ALGORITHM },
    { "count", required_argument, NULL, COUNT },
    { "device", required_argument, NULL, DEVICE },
    { "help", no_argument, NULL, OPTION_HELP },
    { "json", no_argument, NULL, OPTION_JSON },
    { "kernel", required_argument, NULL, KERNEL },
    { "op", required_argument, NULL, OP },
    { "type", required_argument, NULL, TYPE },
    { 0 },
};

static bool read_option(int found, struct options *options, char **argv,
                        struct message *message)
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
        return options_read_algorithm("--kernel", &options->algorithm, message);
    case ALGORITHM:
        return options_read_algorithm("--algorithm", &options->algorithm, message);
    case DEVICE:
        return options_read_device(&options->device, message);
    default:
        return options_refuse(found, argv, known, "clfold explain --help", message);
    }
}

bool options_read_explain(struct options *options, int argc, char **argv,
                          struct message *message)
{
    int found;

    *options = (struct options){ .action = ACTION_EXPLAIN,
                                 .element = CLFOLD_F32,
                                 .op = CLFOLD_ADD,
                                 .count = (size_t)1 << 26 };
    while ((found = getopt_long(argc, argv, ":", known, NULL)) != -1) {
        if (found == OPTION_HELP) {
            *options = (struct options){ .action = ACTION_PRINT, .print = help };
            return true;
        }
        if (!read_option(found, options, argv, message)) {
            return false;
        }
    }
    if (argc - optind != 1 || strcmp(argv[optind], "reduce") != 0) {
        return message_set(message,
                           "explain takes one operation, which is reduce, and got "
                           "%.200s; see clfold explain --help",
                           optind == argc                        ? "none"
                           : strcmp(argv[optind], "reduce") == 0 ? argv[optind + 1]
                                                                 : argv[optind]);
    }
    return true;
}
