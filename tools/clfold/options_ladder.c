#include "options_parts.h"

#include "count.h"
#include "ladder_data.h"
#include "types.h"

#include <string.h>

static const char help[] =
    "Usage: clfold ladder [options]\n"
    "\n"
    "Times the seven kernels of the classic lecture on reductions, reduce0 to reduce6,\n"
    "and what the library would choose (auto), on pseudo-random data. Each result is\n"
    "checked against the host's; one that is wrong is told, and the exit status is 1.\n"
    "The time is the median of 5 to 50 calls, from enqueue to the end.\n"
    "\n"
    "  --type TYPE     the type of the elements, and the one to fold in; default: i32\n"
    "  --op OP         the operator; default: add\n"
    "  --min N         the least number of elements; default: 2^17\n"
    "  --max N         the greatest; default: 2^25; between them, the powers of two\n"
    "  --device SEL    as for clfold reduce\n"
    "  --json          one object a line: kernel, type, op, count, seconds, gbps, ok,\n"
    "                  device\n"
    "  --csv FILE      the same in columns\n"
    "  --svg FILE      a chart of the times, drawn by the program gnuplot\n"
    "  -h, --help      this text\n"
    "\n"
    "TYPE is one of " TYPE_NAMES ".\n"
    "OP is one of add mul min max min-max arg-min arg-max arg-min-max bit-and bit-or\n"
    "bit-xor logical-and logical-or.\n"
    "N is written as " COUNT_FORMS ".\n"
    "\n"
    "The last table tells what one work-group does in its tree, as counted for\n"
    "sub-groups of 32, 32 banks of local memory, and elements of 4 bytes:\n"
    "  steps      of the tree\n"
    "  barriers   of the whole group\n"
    "  busy       steps of a sub-group in which some work-item works\n"
    "  mixed      of these, the ones in which another work-item idles\n"
    "  replays    turns that the banks need because work-items meet in one\n"
    "  cycles     turns of the banks in all\n"
    "and of the whole call loads, the elements that one work-item reads, the groups of\n"
    "the first pass, and the passes.\n";

enum { TYPE = OPTION_OTHERS, OP, MIN, MAX, DEVICE, CSV, SVG };

static const struct option known[] = {
    { "csv", required_argument, NULL, CSV },
    { "device", required_argument, NULL, DEVICE },
    { "help", no_argument, NULL, OPTION_HELP },
    { "json", no_argument, NULL, OPTION_JSON },
    { "max", required_argument, NULL, MAX },
    { "min", required_argument, NULL, MIN },
    { "op", required_argument, NULL, OP },
    { "svg", required_argument, NULL, SVG },
    { "type", required_argument, NULL, TYPE },
    { 0 },
};

static bool read_option(int found, struct options *options, struct message *message)
{
    switch (found) {
    case OPTION_JSON:
        options->json = true;
        return true;
    case TYPE:
        return options_read_type("--type", &options->element, message);
    case OP:
        return options_read_op(&options->op, message);
    case MIN:
        return options_read_some("--min", &options->min, message);
    case MAX:
        return options_read_some("--max", &options->max, message);
    case DEVICE:
        return options_read_device(&options->device, message);
    case CSV:
        return options_read_path("--csv", &options->csv, message);
    case SVG:
        return options_read_path("--svg", &options->svg, message);
    }
    return true;
}

static bool check(const struct options *options, struct message *message)
{
    if (!ladder_data_takes(options->op, options->element)) {
        return message_set(message, "--op %s does not go with --type %s",
                           op_name(options->op), type_name(options->element));
    }
    if (options->min > options->max) {
        return message_set(message, "--min %zu is more than --max %zu", options->min,
                           options->max);
    }
    if (options->csv && options->svg && strcmp(options->csv, options->svg) == 0) {
        return message_set(message, "--csv and --svg name one file, %.4096s",
                           options->csv);
    }
    return true;
}

bool options_read_ladder(struct options *options, int argc, char **argv,
                         struct message *message)
{
    static const struct options_reader reader = { "ladder", "clfold ladder --help", help,
                                                  known, read_option };

    *options = (struct options){ .action = ACTION_LADDER,
                                 .element = CLFOLD_I32,
                                 .op = CLFOLD_ADD,
                                 .min = (size_t)1 << 17,
                                 .max = (size_t)1 << 25 };
    if (!options_walk(&reader, options, argc, argv, message)) {
        return false;
    }
    return options->action == ACTION_PRINT ||
           (options_end(&reader, argc, argv, message) && check(options, message));
}
