#include "options.h"

#include "count.h"
#include "options_parts.h"
#include "types.h"

#include <string.h>

static const char general_help[] =
    "Usage: clfold devices [--json]\n"
    "       clfold reduce [options] FILE\n"
    "       clfold explain reduce [options]\n"
    "       clfold ladder [options]\n"
    "       clfold --help | --version\n"
    "\n"
    "Folds the numbers of a file on an OpenCL device.\n"
    "\n"
    "  devices    list the devices and what they can do\n"
    "  reduce     the sum, maximum or other fold of an .npy file, raw data or text\n"
    "  explain    what a reduction would do, without doing it\n"
    "  ladder     the seven classic kernels of a reduction against each other\n"
    "\n"
    "clfold COMMAND --help says more about one command.\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n";

static const char devices_help[] =
    "Usage: clfold devices [--json]\n"
    "\n"
    "Lists every OpenCL platform and device, each device with the index that\n"
    "clfold reduce --device takes.\n"
    "\n"
    "  --json    an array with one object for each device; what a device does not\n"
    "            tell is null\n"
    "  --help    this text\n";

static const char reduce_help[] =
    "Usage: clfold reduce [options] FILE\n"
    "\n"
    "Folds all numbers in FILE into one, with an operator, and prints it. FILE is an\n"
    ".npy file of any shape in C order and of either byte order, raw data with --raw,\n"
    "text with --text, or - for standard input.\n"
    "\n"
    "  --op OP         add (the default) mul min max; bit-and bit-or bit-xor, of\n"
    "                  integers; logical-and logical-or, which give 0 or 1;\n"
    "                  arg-min arg-max print \"index value\", the first of equals;\n"
    "                  min-max arg-min-max print two lines, the least first\n"
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
    "  --help          this text\n"
    "\n"
    "TYPE is one of " TYPE_NAMES ".\n"
    "min and max of floats are nan where one is nan; arg-min and arg-max find the "
    "first.\n"
    "The result has as many digits as it takes to read back exactly.\n";

enum { VERSION = OPTION_OTHERS, OP, ACC, DEVICE, RAW, TEXT, KERNEL, ALGORITHM };

static const struct option general_options[] = {
    { "help", no_argument, NULL, OPTION_HELP },
    { "version", no_argument, NULL, VERSION },
    { 0 },
};
static const struct option devices_options[] = {
    { "help", no_argument, NULL, OPTION_HELP },
    { "json", no_argument, NULL, OPTION_JSON },
    { 0 },
};
static const struct option reduce_options[] = {
    { "acc", required_argument, NULL, ACC },
    { "algorithm", required_argument, NULL, ALGORITHM },
    { "device", required_argument, NULL, DEVICE },
    { "help", no_argument, NULL, OPTION_HELP },
    { "json", no_argument, NULL, OPTION_JSON },
    { "kernel", required_argument, NULL, KERNEL },
    { "op", required_argument, NULL, OP },
    { "raw", required_argument, NULL, RAW },
    { "text", required_argument, NULL, TEXT },
    { 0 },
};

bool options_read_type(const char *option, clfold_type *type, struct message *message)
{
    *type = type_parse(optarg);
    return *type ||
           message_set(message, "%s %.200s: the types are " TYPE_NAMES, option, optarg);
}

bool options_read_algorithm(const char *option, const char **algorithm,
                            struct message *message)
{
    return algorithm_parse(optarg, algorithm) ||
           message_set(message, "%s %.200s: the kernels are " ALGORITHM_NAMES, option,
                       optarg);
}

static bool read_format(struct options *options, enum file_format format,
                        const char *option, struct message *message)
{
    if (options->format != FORMAT_NPY && options->format != format) {
        return message_set(message, "--raw and --text exclude each other: FILE has one "
                                    "format");
    }
    options->format = format;
    return options_read_type(option, &options->element, message);
}

bool options_read_op(clfold_op *op, struct message *message)
{
    *op = op_parse(optarg);
    return *op ||
           message_set(message, "--op %.200s: the operators are " OP_NAMES, optarg);
}

bool options_read_device(const char **device, struct message *message)
{
    *device = optarg;
    return *optarg ||
           message_set(message, "--device needs an index, gpu, cpu or a part of "
                                "a name, and got nothing");
}

bool options_read_count(const char *option, size_t *count, struct message *message)
{
    uint64_t number;

    if (!count_parse(optarg, &number) || number > SIZE_MAX) {
        return message_set(
            message, "%s %.200s: a count is a number below 2^%zu such as " COUNT_FORMS,
            option, optarg, 8 * sizeof(size_t));
    }
    *count = (size_t)number;
    return true;
}

bool options_refuse(int found, char **argv, const struct option *known, const char *help,
                    struct message *message)
{
    for (; optopt >= OPTION_HELP && known->name; known++) {
        if (known->val == optopt) {
            return message_set(message, "--%s %s; see %s", known->name,
                               found == ':' ? "needs a value" : "takes no value", help);
        }
    }
    if (optopt) {
        return message_set(message, "there is no option -%c; see %s", optopt, help);
    }
    return message_set(message, "there is no option %.200s, or it is not unique; see %s",
                       argv[optind - 1], help);
}

static bool read_general(struct options *options, int argc, char **argv,
                         struct message *message)
{
    /* +: stops at the command, whose options are its own */
    const int found = getopt_long(argc, argv, "+:", general_options, NULL);

    switch (found) {
    case -1:
        break;
    case OPTION_HELP:
        *options = (struct options){ .action = ACTION_PRINT, .print = general_help };
        break;
    case VERSION:
        *options = (struct options){ .action = ACTION_VERSION };
        break;
    default:
        return options_refuse(found, argv, general_options, "clfold --help", message);
    }
    return true;
}

static bool read_devices(struct options *options, int argc, char **argv,
                         struct message *message)
{
    int found;

    *options = (struct options){ .action = ACTION_DEVICES };
    while ((found = getopt_long(argc, argv, ":", devices_options, NULL)) != -1) {
        switch (found) {
        case OPTION_HELP:
            *options = (struct options){ .action = ACTION_PRINT, .print = devices_help };
            return true;
        case OPTION_JSON:
            options->json = true;
            break;
        default:
            return options_refuse(found, argv, devices_options, "clfold devices --help",
                                  message);
        }
    }
    if (optind < argc) {
        return message_set(message, "devices takes no argument, and got %.200s",
                           argv[optind]);
    }
    return true;
}

static bool read_reduce(struct options *options, int argc, char **argv,
                        struct message *message)
{
    int found;

    *options = (struct options){ .action = ACTION_REDUCE, .op = CLFOLD_ADD };
    while ((found = getopt_long(argc, argv, ":", reduce_options, NULL)) != -1) {
        switch (found) {
        case OPTION_HELP:
            *options = (struct options){ .action = ACTION_PRINT, .print = reduce_help };
            return true;
        case OPTION_JSON:
            options->json = true;
            break;
        case OP:
            if (!options_read_op(&options->op, message)) {
                return false;
            }
            break;
        case ACC:
            if (!options_read_type("--acc", &options->acc, message)) {
                return false;
            }
            break;
        case KERNEL:
        case ALGORITHM:
            if (!options_read_algorithm(found == KERNEL ? "--kernel" : "--algorithm",
                                        &options->algorithm, message)) {
                return false;
            }
            break;
        case RAW:
            if (!read_format(options, FORMAT_RAW, "--raw", message)) {
                return false;
            }
            break;
        case TEXT:
            if (!read_format(options, FORMAT_TEXT, "--text", message)) {
                return false;
            }
            break;
        case DEVICE:
            if (!options_read_device(&options->device, message)) {
                return false;
            }
            break;
        default:
            return options_refuse(found, argv, reduce_options, "clfold reduce --help",
                                  message);
        }
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

bool options_read(struct options *options, int argc, char **argv, struct message *message)
{
    *options = (struct options){ 0 };
    opterr = 0;
    optind = 0; /* glibc and musl: begin anew */
    if (!read_general(options, argc, argv, message)) {
        return false;
    }
    if (options->action == ACTION_VERSION || options->print) {
        return true;
    }
    if (optind >= argc) {
        return message_set(message, "no command was given; see clfold --help");
    }

    const char *command = argv[optind];
    argc -= optind;
    argv += optind;
    optind = 0;
    if (strcmp(command, "devices") == 0) {
        return read_devices(options, argc, argv, message);
    }
    if (strcmp(command, "reduce") == 0) {
        return read_reduce(options, argc, argv, message);
    }
    if (strcmp(command, "explain") == 0) {
        return options_read_explain(options, argc, argv, message);
    }
    if (strcmp(command, "ladder") == 0) {
        return options_read_ladder(options, argc, argv, message);
    }
    return message_set(message, "there is no command %.200s; see clfold --help", command);
}
