#include "options_parts.h"

#include "count.h"
#include "types.h"

static const char help[] =
    "Usage: clfold tune [options]\n"
    "       clfold tune --show | --reset [--file FILE]\n"
    "\n"
    "Looks for tiles, groups and other numbers by which a device folds faster than by\n"
    "the library's own, on made-up data, and keeps them in a file, a row for each\n"
    "fold and class of counts. Programs load it that name it to the library, or whose\n"
    "environment has its path in CLFOLD_TUNING; it may change the bits of float\n"
    "results.\n"
    "\n"
    "A fold's row is kept only if it is faster by more than noise, with the same\n"
    "results, in a last comparison of many turns; an older row that is not goes. Rows\n"
    "of other devices and folds stay, and so does one that there was no time to try.\n"
    "A signal or a failure leaves the file as it was, and without rows none is made.\n"
    "\n"
    "  --device SEL    as for clfold reduce\n"
    "  --seconds S     how long to look, in all; default: 90\n"
    "  --file FILE     default: clfold/tuning in $XDG_DATA_HOME or ~/.local/share\n"
    "  --op OP         the operator; default: add\n"
    "  --types LIST    types of elements, as f32,u8:u64: u8:u64 is u8 folded in u64;\n"
    "                  default: f32,i32,f64,i64, as far as the device has them\n"
    "  --count N       the number of elements, in the middle of its class if it is a\n"
    "                  power of four; default: 2^26, or less where memory is small\n"
    "  --show          the rows of the file, and which of them serve the device\n"
    "  --reset         remove the file\n"
    "  -h, --help      this text\n"
    "\n"
    "OP is one of " SCAN_OP_NAMES ", for\n"
    "which reductions and inclusive and exclusive scans are tuned, or of min-max\n"
    "arg-min arg-max arg-min-max, for reductions only.\n"
    "TYPE is one of " TYPE_NAMES ".\n"
    "N is written as " COUNT_FORMS ".\n"
    "\n"
    "For each fold it prints the default's 10^9 bytes a second, those of the numbers\n"
    "that were found, their ratio, and the numbers that differ from the default's. A\n"
    "reduction reads its elements, a scan reads and writes them once. The last line\n"
    "says how many folds are faster, or how many seconds would do if those were too\n"
    "short for all.\n";

enum { DEVICE = OPTION_OTHERS, SECONDS, TUNING_FILE, OP, TYPES, COUNT, SHOW, RESET };

static const struct option known[] = {
    { "count", required_argument, NULL, COUNT },
    { "device", required_argument, NULL, DEVICE },
    { "file", required_argument, NULL, TUNING_FILE },
    { "help", no_argument, NULL, OPTION_HELP },
    { "op", required_argument, NULL, OP },
    { "reset", no_argument, NULL, RESET },
    { "seconds", required_argument, NULL, SECONDS },
    { "show", no_argument, NULL, SHOW },
    { "types", required_argument, NULL, TYPES },
    { 0 },
};

static bool read_option(int found, struct options *options, struct message *message)
{
    switch (found) {
    case DEVICE:
        return options_read_device(&options->device, message);
    case SECONDS:
        return options_read_seconds(&options->seconds, 0.001, 86400, message);
    case TUNING_FILE:
        return options_read_path("--file", &options->file, message);
    case OP:
        return options_read_op(&options->op, message);
    case TYPES:
        return list_read_types(&options->types, optarg, message);
    case COUNT:
        return options_read_some("--count", &options->count, message);
    case SHOW:
        options->show = true;
        return true;
    case RESET:
        options->reset = true;
        return true;
    }
    return true;
}

/* --show and --reset tune nothing, and --reset asks no device. */
static bool check(const struct options *options, struct message *message)
{
    const struct {
        bool used;
        const char *name;
    } of_search[] = {
        { options->seconds > 0, "--seconds" },
        { options->op != 0, "--op" },
        { options->types.num > 0, "--types" },
        { options->count > 0, "--count" },
        { options->reset && options->device, "--device" },
        { options->reset && options->show, "--show" },
    };
    const char *const name = options->reset ? "--reset" : "--show";

    for (size_t i = 0; i < sizeof(of_search) / sizeof(of_search[0]); i++) {
        if ((options->show || options->reset) && of_search[i].used) {
            return message_set(message, "%s does not go with %s", of_search[i].name,
                               name);
        }
    }
    return true;
}

bool options_read_tune(struct options *options, int argc, char **argv,
                       struct message *message)
{
    static const struct options_reader reader = { "tune", "clfold tune --help", help,
                                                  known, read_option };

    *options = (struct options){ .action = ACTION_TUNE };
    if (!options_walk(&reader, options, argc, argv, message)) {
        return false;
    }
    if (options->action == ACTION_PRINT) {
        return true;
    }
    if (!options_end(&reader, argc, argv, message) || !check(options, message)) {
        return false;
    }
    options->op = options->op ? options->op : CLFOLD_ADD;
    options->seconds = options->seconds > 0 ? options->seconds : 90;
    return true;
}
