#include "options_parts.h"

#include "count.h"
#include "ladder_data.h"
#include "types.h"

#include <string.h>

static const char help[] =
    "Usage: clfold trace [options]\n"
    "\n"
    "Scans pseudo-random data by look-back, with a program that records what each tile\n"
    "did, and shows: some neighbouring tiles at the moment when they differ most, with\n"
    "the host's values; how deep tiles looked back; and how often they looked. The\n"
    "result is checked against the host's; a wrong one is told, and the exit status\n"
    "is 1.\n"
    "\n"
    "  --count N       how many elements; default: 2^24\n"
    "  --type TYPE     the type of the elements, and the one to fold in; default: f32\n"
    "  --op OP         the operator; default: add\n"
    "  --algorithm NAME\n"
    "                  scan_lookback (the default), or scan_chained, where each tile\n"
    "                  waits for the one before it\n"
    "  --device SEL    as for clfold reduce\n"
    "  --json          one object a line for each tile: tile, started, aggregate,\n"
    "                  prefix, depth, polls, fallbacks; the last one is of the whole:\n"
    "                  algorithm, type, op, count, tiles, tile_size, group_size,\n"
    "                  groups, clock, duration, mean_depth, mean_polls, fallbacks, ok,\n"
    "                  device\n"
    "  --svg FILE      a timeline of the tiles, drawn by the program gnuplot\n"
    "  -h, --help      this text\n"
    "\n"
    "TYPE is one of " TYPE_NAMES ".\n"
    "OP is one of " SCAN_OP_NAMES ".\n"
    "N is written as " COUNT_FORMS ".\n"
    "\n"
    "Of a tile,\n"
    "  flag        P: its inclusive prefix is published; A: only its aggregate, the\n"
    "              fold of its own elements; X: neither. Value and flag are published\n"
    "              as one, so there is no prefix before the flag is P\n"
    "  started     when it was begun; aggregate and prefix: when each was published\n"
    "  depth       tiles between it and the prefix that its look-back ended at: 0 if\n"
    "              that was the tile before\n"
    "  polls       looks at other tiles, or at windows of them\n"
    "  fallbacks   tiles that it folded itself, since their owners had not published\n"
    "Times count from the first tile's start, in cycles where the device's compiler has\n"
    "a counter, else in steps: each record is one.\n";

enum { COUNT = OPTION_OTHERS, TYPE, OP, ALGORITHM, DEVICE, SVG };

static const struct option known[] = {
    { "algorithm", required_argument, NULL, ALGORITHM },
    { "count", required_argument, NULL, COUNT },
    { "device", required_argument, NULL, DEVICE },
    { "help", no_argument, NULL, OPTION_HELP },
    { "json", no_argument, NULL, OPTION_JSON },
    { "op", required_argument, NULL, OP },
    { "svg", required_argument, NULL, SVG },
    { "type", required_argument, NULL, TYPE },
    { 0 },
};

static bool read_algorithm(const char **algorithm, struct message *message)
{
    const bool found = algorithm_parse(optarg, true, algorithm);

    return (found && *algorithm &&
            (strcmp(*algorithm, "scan_lookback") == 0 ||
             strcmp(*algorithm, "scan_chained") == 0)) ||
           message_set(message,
                       "--algorithm %.200s: those that look back are scan_lookback and "
                       "scan_chained",
                       optarg);
}

static bool read_option(int found, struct options *options, struct message *message)
{
    switch (found) {
    case OPTION_JSON:
        options->json = true;
        return true;
    case COUNT:
        return options_read_count("--count", &options->count, message);
    case TYPE:
        return options_read_type("--type", &options->element, message);
    case OP:
        return options_read_op(&options->op, message);
    case ALGORITHM:
        return read_algorithm(&options->algorithm, message);
    case DEVICE:
        return options_read_device(&options->device, message);
    case SVG:
        return options_read_path("--svg", &options->svg, message);
    }
    return true;
}

static bool check(const struct options *options, struct message *message)
{
    const struct op_result result = op_result(options->op);

    if (result.num != 1 || result.position) {
        return message_set(message, "--op %s: a scan is by one of " SCAN_OP_NAMES,
                           op_name(options->op));
    }
    if (!ladder_data_takes(options->op, options->element)) {
        return message_set(message, "--op %s does not go with --type %s",
                           op_name(options->op), type_name(options->element));
    }
    return options->count > 0 ||
           message_set(message, "--count 0: there is nothing to trace");
}

bool options_read_trace(struct options *options, int argc, char **argv,
                        struct message *message)
{
    static const struct options_reader reader = { "trace", "clfold trace --help", help,
                                                  known, read_option };

    *options = (struct options){ .action = ACTION_TRACE,
                                 .element = CLFOLD_F32,
                                 .op = CLFOLD_ADD,
                                 .algorithm = "scan_lookback",
                                 .count = (size_t)1 << 24 };
    if (!options_walk(&reader, options, argc, argv, message)) {
        return false;
    }
    return options->action == ACTION_PRINT ||
           (options_end(&reader, argc, argv, message) && check(options, message));
}
