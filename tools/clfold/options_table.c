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

const struct value_row value_rows[VALUE_KINDS] = {
    [VALUE_TEXT] = { .name = "V" },
    [VALUE_DEVICE] = { .name = "SEL" },
    [VALUE_PATH] = { .name = "FILE" },
    [VALUE_OUT] = { .name = "FILE" },
    [VALUE_COUNT] = { "N", "N is written as " COUNT_FORMS "." },
    [VALUE_BYTES] = { "LIMIT", "LIMIT is a number of bytes, written as N is." },
    [VALUE_TYPE] = { "TYPE", TYPE_NOTE, TYPE_NAMES },
    [VALUE_REDUCE_OP] = { "OP",
                          "OP is one of " REDUCE_OP_NAMES
                          "; mean is the sum in f64 over the count; " OP_NOTE
                              NAMED_OP_NOTE,
                          REDUCE_OP_NAMES },
    [VALUE_SCAN_OP] = { "OP", "OP is one of " SCAN_OP_NAMES "; " OP_NOTE NAMED_OP_NOTE,
                        SCAN_OP_NAMES },
    [VALUE_EXPLAIN_OP] = { "OP",
                           "OP is one of " EXPLAIN_OP_NAMES "; " OP_NOTE NAMED_OP_NOTE,
                           EXPLAIN_OP_NAMES },
    [VALUE_ALGORITHM] = { .name = "NAME" },
    [VALUE_ACCURACY] = { "NAME", .words = ACCURACY_NAMES },
    [VALUE_SEPARATOR] = { .name = "C" },
    [VALUE_COLUMN] = { .name = "COL" },
    [VALUE_MISSING] = { "HOW", .words = "skip nan error" },
    [VALUE_AXIS] = { .name = "K" },
    [VALUE_BY] = { "WAY", TYPE_NOTE },
    [VALUE_RAW] = { "TYPE", TYPE_NOTE },
    [VALUE_ARG] = { .name = "ARG" },
    [VALUE_ARG_FILE] = { .name = "ARG" },
    [VALUE_STREAM] = { .name = "ARG" },
    [VALUE_FOLD] = { .name = "FILE" },
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
    CHECK = 1 << ACTION_CHECK_FOLD,
    CACHE = 1 << ACTION_CACHE,
    HELP = 1 << ACTION_HELP,
    ALL = (1 << ACTIONS) - 1,
    WITH_DEVICE = ALL & ~(NONE | DEVICES | CACHE | HELP),
    MAPS = MAP | SELECT | UNIQUE,
    SELECTS = SELECT | UNIQUE | RLE,
    READING = REDUCE | SCAN | MAPS | RLE | UNRLE,
    OPERATORS = REDUCE | SCAN | EXPLAIN | CHECK,
    LOADS = REDUCE | SCAN | MAPS | EXPLAIN,
    TEXTS = LOADS | CHECK
};

#define TO(member) offsetof(struct options, member)

#include "options_rows.h"

const struct view_row view_rows[] = {
    { "bench", "[options]", "compare calls with the speed of memory" },
    { "compare", "[options]", "compare calls with other libraries and with plain loops" },
    { "ladder", "[options]", "compare the seven classic kernels of a reduction" },
    { "nest", "[options] FILE.f90", "the nest of a Fortran program, for predict" },
    { "predict", "[options] NEST",
      "how long a kernel takes on a GPU that you do not have" },
    { "small", "[options]", "what a call costs the host, beside an empty kernel" },
    { "trace", "[options]", "what each tile of a look-back scan did, and when" },
    { "tune", "[options]",
      "search for faster tiles and groups, and keep them in a file" },
    { 0 },
};

enum action command_find(const char *name)
{
    enum action action = ACTION_NONE + 1;

    while (action < ACTIONS && strcmp(command_rows[action].name, name) != 0) {
        action++;
    }
    return action;
}

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
    { "CLFOLD_TUNING", WITH_DEVICE,
      "a tuning file, as clfold tune makes it, whose rows replace the library's own "
      "numbers" },
    { "XDG_CACHE_HOME", DEVICES | CACHE | WITH_DEVICE,
      "the folder of clfold/programs, which keeps built programs, and of "
      "clfold/verdicts, which keeps what probes of devices found; if it is not set, "
      "~/.cache" },
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
