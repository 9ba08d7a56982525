#include "options.h"

#include "count.h"
#include "options_parts.h"
#include "types.h"

#include <stdlib.h>
#include <string.h>

static const char general_help[] =
    "Usage: clfold devices [--probe] [--json]\n"
    "       clfold reduce [options] FILE\n"
    "       clfold scan [options] IN OUT\n"
    "       clfold explain reduce|scan [options]\n"
    "       clfold ladder [options]\n"
    "       clfold trace [options]\n"
    "       clfold bench [options]\n"
    "       clfold tune [options]\n"
    "       clfold --help | --version\n"
    "\n"
    "Folds the numbers of a file on an OpenCL device.\n"
    "\n"
    "  devices    list the devices and what they can do\n"
    "  reduce     the sum, maximum or other fold of an .npy file, raw data or text\n"
    "  scan       all running sums, maxima or other folds of one, as a file\n"
    "  explain    what a reduction or scan would do, without doing it\n"
    "  ladder     the seven classic kernels of a reduction against each other\n"
    "  trace      what each tile of a look-back scan did, and when\n"
    "  bench      reductions and scans against what the memory gives\n"
    "  tune       look for faster tiles and groups on a device, and keep them in a file\n"
    "\n"
    "clfold COMMAND --help, or -h, says more about one command.\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n";

static const char devices_help[] =
    "Usage: clfold devices [--probe] [--json]\n"
    "\n"
    "Lists every OpenCL platform and device, each device with the index that\n"
    "clfold reduce --device takes.\n"
    "\n"
    "  --probe     find out by which memory groups may look back in a scan, and say\n"
    "              why others will not do; else what is known of it is shown. It is\n"
    "              kept in clfold/verdicts of $XDG_CACHE_HOME or ~/.cache; the exit\n"
    "              status is 1 where a probe fails\n"
    "  --json      an array with one object for each device; what a device does not\n"
    "              tell is null\n"
    "  -h, --help  this text\n";

enum { VERSION = OPTION_OTHERS, PROBE };

static const struct option general_options[] = {
    { "help", no_argument, NULL, OPTION_HELP },
    { "version", no_argument, NULL, VERSION },
    { 0 },
};
static const struct option devices_options[] = {
    { "help", no_argument, NULL, OPTION_HELP },
    { "json", no_argument, NULL, OPTION_JSON },
    { "probe", no_argument, NULL, PROBE },
    { 0 },
};
bool options_read_type(const char *option, clfold_type *type, struct message *message)
{
    *type = type_parse(optarg);
    return *type ||
           message_set(message, "%s %.200s: the types are " TYPE_NAMES, option, optarg);
}

bool options_parse_algorithm(const char *option, const char *name, bool of_scan,
                             const char **algorithm, struct message *message)
{
    return algorithm_parse(name, of_scan, algorithm) ||
           message_set(message, "%s %.200s: the %s", option, name,
                       of_scan ? "algorithms are " SCAN_ALGORITHM_NAMES
                               : "kernels are " REDUCE_ALGORITHM_NAMES);
}

bool options_set_kind(clfold_operation kind, clfold_operation *operation,
                      struct message *message)
{
    if (*operation && *operation != kind) {
        return message_set(message, "--inclusive and --exclusive exclude each other");
    }
    *operation = kind;
    return true;
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

bool options_read_some(const char *option, size_t *count, struct message *message)
{
    return options_read_count(option, count, message) &&
           (*count > 0 || message_set(message, "%s 0: there is nothing to time", option));
}

bool options_read_seconds(double *seconds, double least, double most,
                          struct message *message)
{
    char *end;

    *seconds = strtod(optarg, &end);
    return (end != optarg && !*end && *seconds >= least && *seconds <= most) ||
           message_set(message, "--seconds %.200s: a number from %g to %g", optarg, least,
                       most);
}

bool options_read_path(const char *option, const char **path, struct message *message)
{
    *path = optarg;
    if (strcmp(optarg, "-") == 0) {
        return message_set(message, "%s - is no file: --json prints to standard output",
                           option);
    }
    return *optarg || message_set(message, "%s needs a file, and got nothing", option);
}

/* Always false: an option that is not `known`. `found` is '?' or ':', as getopt_long
 * returns them. */
static bool refuse(int found, char **argv, const struct option *known, const char *help,
                   struct message *message)
{
    for (; known->name; known++) {
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

bool options_walk(const struct options_reader *reader, struct options *options, int argc,
                  char **argv, struct message *message)
{
    int found;

    while ((found = getopt_long(argc, argv, OPTION_LETTERS, reader->known, NULL)) != -1) {
        if (found == OPTION_HELP) {
            *options = (struct options){ .action = ACTION_PRINT, .print = reader->help };
            return true;
        }
        if (found == '?' || found == ':') {
            return refuse(found, argv, reader->known, reader->hint, message);
        }
        if (!reader->read(found, options, message)) {
            return false;
        }
    }
    return true;
}

bool options_end(const struct options_reader *reader, int argc, char **argv,
                 struct message *message)
{
    return optind == argc || message_set(message, "%s takes no argument, and got %.200s",
                                         reader->name, argv[optind]);
}

static bool read_general(struct options *options, int argc, char **argv,
                         struct message *message)
{
    /* +: stops at the command, whose options are its own */
    const int found = getopt_long(argc, argv, "+" OPTION_LETTERS, general_options, NULL);

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
        return refuse(found, argv, general_options, "clfold --help", message);
    }
    return true;
}

static bool read_devices_option(int found, struct options *options,
                                struct message *message)
{
    (void)message;
    options->json = options->json || found == OPTION_JSON;
    options->probe = options->probe || found == PROBE;
    return true;
}

static bool read_devices(struct options *options, int argc, char **argv,
                         struct message *message)
{
    static const struct options_reader reader = {
        "devices",       "clfold devices --help", devices_help,
        devices_options, read_devices_option,
    };

    *options = (struct options){ .action = ACTION_DEVICES };
    return options_walk(&reader, options, argc, argv, message) &&
           (options->action == ACTION_PRINT || options_end(&reader, argc, argv, message));
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
        return options_read_reduce(options, argc, argv, message);
    }
    if (strcmp(command, "scan") == 0) {
        return options_read_scan(options, argc, argv, message);
    }
    if (strcmp(command, "explain") == 0) {
        return options_read_explain(options, argc, argv, message);
    }
    if (strcmp(command, "ladder") == 0) {
        return options_read_ladder(options, argc, argv, message);
    }
    if (strcmp(command, "trace") == 0) {
        return options_read_trace(options, argc, argv, message);
    }
    if (strcmp(command, "bench") == 0) {
        return options_read_bench(options, argc, argv, message);
    }
    if (strcmp(command, "tune") == 0) {
        return options_read_tune(options, argc, argv, message);
    }
    return message_set(message, "there is no command %.200s; see clfold --help", command);
}

clfold_fold options_fold(const struct options *options, clfold_type element)
{
    const clfold_type acc =
        options->acc ? options->acc : type_accumulator(options->op, element);

    return (clfold_fold){ .op = options->op,
                          .type = acc,
                          .in = acc == element ? 0 : element,
                          .algorithm = options->algorithm };
}
