#include "options_parts.h"

#include "count.h"
#include "types.h"

static const char help[] =
    "Usage: clfold bench [options]\n"
    "\n"
    "Times reductions and inclusive scans, and in turn with each, in the same rounds,\n"
    "kernels and native loops that only read the same bytes, or copy them: the "
    "roofline.\n"
    "Every result is checked against the host's; one that is wrong is told, and the "
    "exit\n"
    "status is 1.\n"
    "\n"
    "  --op OP         reduce, scan, or all (the default)\n"
    "  --folds LIST    which of add, min, max, arg-min (reduce only), segmented (scan "
    "of\n"
    "                  f32 only: a sum of (value, flag) pairs, anew at each flag)\n"
    "  --types LIST    types of elements, as f32,u8:u64: u8:u64 is u8 folded in u64, a\n"
    "                  TYPE of the same kind that is no narrower; all: each type that "
    "the\n"
    "                  device has. With it, each fold is measured with each of the "
    "types\n"
    "  --min N         the least number of elements; default: 2^20, or --max if less\n"
    "  --max N         the greatest; default: 2^26, or --min if more; between them, "
    "four\n"
    "                  times the count before\n"
    "  --seconds S     how long each case is measured at each count, but for 5 to 101\n"
    "                  rounds; default: 1\n"
    "  --device SEL    as for clfold reduce\n"
    "  --json          one object a line, see below\n"
    "  --svg FILE      a chart of GB/s over counts, drawn by the program gnuplot, with\n"
    "                  the rooflines as broken lines\n"
    "  -h, --help      this text\n"
    "\n"
    "TYPE is one of " TYPE_NAMES ".\n"
    "N is written as " COUNT_FORMS ".\n"
    "\n"
    "If no types are named: reduce add of f32 f64 i32 i64 u8:u64 i16:i64 f32:f64 and "
    "min\n"
    "max arg-min of f32; scan add of f32 f64 i32 i64 u8:u32, max and segmented of f32.\n"
    "\n"
    "JSON and, in other words, the table have\n"
    "  op fold type count\n"
    "  algorithm policy   what the library chose, and by which row of its policies;\n"
    "                     tuned: by a tuning file's\n"
    "  seconds            from enqueue to the end, the median of the rounds; spread is\n"
    "                     from the first quartile to the third, as a share of it; runs\n"
    "                     is how many rounds\n"
    "  event_seconds      the same by the clock of the device, on a queue that "
    "profiles;\n"
    "                     null where there is none\n"
    "  gbps               10^9 bytes a second of what must be moved: a reduction reads "
    "n,\n"
    "                     a scan reads n and writes n\n"
    "  opencl_gbps        the same bytes by the fastest kernel that reads or copies:\n"
    "                     plain, prefetched, or with stores that pass the caches, and "
    "on\n"
    "                     devices that are no CPU the driver's own copy\n"
    "  native_gbps        the same by native loops on all cores; null where the device "
    "is\n"
    "                     no CPU, or the command was built without OpenMP\n"
    "  roofline_gbps      the greater of both, or where less than 32 MiB are moved the\n"
    "                     kernel's, and roofline is its name; roofline_broken: the\n"
    "                     kernel's is below 0.9 of the native one, and standard error\n"
    "                     has a line on it\n"
    "  fraction           gbps / roofline_gbps\n"
    "  sets set_bytes     how many sets of buffers take turns, lest caches flatter: 512\n"
    "                     MiB or more in all, but 128 sets at most, and one from 1 GiB\n"
    "                     on; sets_few: there were fewer, for want of memory\n"
    "  ok                 whether the result was right\n"
    "  device driver\n";

enum { OP = OPTION_OTHERS, TYPES, FOLDS, MIN, MAX, SECONDS, DEVICE, SVG };

static const struct option known[] = {
    { "device", required_argument, NULL, DEVICE },
    { "folds", required_argument, NULL, FOLDS },
    { "help", no_argument, NULL, OPTION_HELP },
    { "json", no_argument, NULL, OPTION_JSON },
    { "max", required_argument, NULL, MAX },
    { "min", required_argument, NULL, MIN },
    { "op", required_argument, NULL, OP },
    { "seconds", required_argument, NULL, SECONDS },
    { "svg", required_argument, NULL, SVG },
    { "types", required_argument, NULL, TYPES },
    { 0 },
};

static bool read_option(int found, struct options *options, struct message *message)
{
    switch (found) {
    case OPTION_JSON:
        options->json = true;
        return true;
    case OP:
        return bench_read_operation(&options->bench, optarg, message);
    case TYPES:
        return bench_read_types(&options->bench, optarg, message);
    case FOLDS:
        return bench_read_folds(&options->bench, optarg, message);
    case MIN:
        return options_read_some("--min", &options->min, message);
    case MAX:
        return options_read_some("--max", &options->max, message);
    case SECONDS:
        return options_read_seconds(&options->seconds, 0, 3600, message);
    case DEVICE:
        return options_read_device(&options->device, message);
    case SVG:
        return options_read_path("--svg", &options->svg, message);
    }
    return true;
}

static bool check(struct options *options, struct message *message)
{
    static const size_t usual_min = (size_t)1 << 20, usual_max = (size_t)1 << 26;
    struct bench_case cases[BENCH_MOST_CASES];

    if (options->max == 0) {
        options->max = options->min > usual_max ? options->min : usual_max;
    }
    if (options->min == 0) {
        options->min = options->max < usual_min ? options->max : usual_min;
    }
    if (options->min > options->max) {
        return message_set(message, "--min %zu is more than --max %zu", options->min,
                           options->max);
    }
    return bench_choose_cases(&options->bench, true, true, cases) > 0 ||
           message_set(message, "--op, --folds and --types together leave no case: "
                                "arg-min is a reduction, and segmented a scan of f32");
}

bool options_read_bench(struct options *options, int argc, char **argv,
                        struct message *message)
{
    static const struct options_reader reader = { "bench", "clfold bench --help", help,
                                                  known, read_option };

    *options = (struct options){ .action = ACTION_BENCH, .seconds = 1 };
    if (!options_walk(&reader, options, argc, argv, message)) {
        return false;
    }
    return options->action == ACTION_PRINT ||
           (options_end(&reader, argc, argv, message) && check(options, message));
}
