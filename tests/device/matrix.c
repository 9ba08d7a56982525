/*
 * The matrix of operations: what each takes and gives, with which segments. Of each cell
 * clfold_explain and clfold_check_call say the same, and docs/matrix.md shows it:
 *
 *   test_matrix PAGE     checks both, or writes the page if there is none
 */
#include <clfold/experimental.h>

#include "base/text.h"
#include "one_context.h"
#include "plan/facet.h"
#include "test.h"

#define COUNT 64

#define NUM_CALLS (sizeof(calls) / sizeof(calls[0]))
static const struct {
    const char *name;
    clfold_operation operation;
    clfold_fold fold;
} calls[] = {
    { "reduction", CLFOLD_REDUCE, { .op = CLFOLD_ADD, .type = CLFOLD_F32 } },
    { "scan", CLFOLD_INCLUSIVE_SCAN, { .op = CLFOLD_ADD, .type = CLFOLD_F32 } },
    { "map", CLFOLD_MAP, { .type = CLFOLD_F32 } },
    { "select by `keep`", CLFOLD_SELECT, { .type = CLFOLD_F32, .keep = "x > 0" } },
    { "select by `same`", CLFOLD_SELECT, { .type = CLFOLD_F32, .same = "a == b" } },
    { "select of a scan",
      CLFOLD_SELECT,
      { .op = CLFOLD_ADD, .type = CLFOLD_F32, .keep = "item > 0" } },
};

static const char *const ways[] = { "whole inputs", "flags", "keys",
                                    "offsets",      "rows",  "columns" };
#define NUM_WAYS (CLFOLD_BY_COLUMNS + 1)

/* What a row is about: a place, or one of these. */
enum {
    NOTHING = NUM_PLACES,
    COMPENSATED,
    REPRODUCIBLE,
    REVERSED,
    PARTS,
    IN_PLACE,
    NUM_ROWS
};
static const char *const others[] = { "nothing besides",
                                      "accuracy compensated",
                                      "accuracy reproducible",
                                      "`CLFOLD_REVERSE`",
                                      "part",
                                      "in place" };

static cl_mem in, out, places[NUM_PLACES];

/* A call, and what it is given. */
struct asked {
    clfold_operation operation;
    clfold_fold fold;
    clfold_segments segments;
    clfold_part part;
    bool in_place;
};

static void make(struct asked *asked, size_t call, uint32_t by, int row)
{
    const bool is_uniform = by > CLFOLD_BY_OFFSETS;

    *asked =
        (struct asked){ .operation = calls[call].operation, .fold = calls[call].fold };
    asked->segments = (clfold_segments){
        .by = by,
        .type = is_uniform ? 0 : CLFOLD_U32,
        .mem = is_uniform ? NULL : places[FACET_HEADS],
        .num = by == CLFOLD_BY_OFFSETS ? COUNT / 8 : 0,
        .length = is_uniform ? 8 : 0,
        .columns = by == CLFOLD_BY_COLUMNS ? 4 : 0,
    };
    asked->part.whole = COUNT;
    asked->fold.segments = by ? &asked->segments : NULL;
    asked->fold.accuracy = row == COMPENSATED    ? CLFOLD_COMPENSATED
                           : row == REPRODUCIBLE ? CLFOLD_REPRODUCIBLE
                                                 : 0;
    asked->fold.part = row == PARTS || (row >= FACET_CARRY_OUT && row < NUM_PLACES)
                           ? &asked->part
                           : NULL;
    asked->fold.flags = row == REVERSED ? CLFOLD_REVERSE : 0;
    asked->in_place = row == IN_PLACE;
    if (row < NUM_PLACES && (row != FACET_NUM_AT || by)) {
        ((clfold_place *)clfold_facet_place(&asked->fold, (enum facet)row))->mem =
            places[row];
    }
}

/* A call that is refused has its sentence as the last error. */
static bool takes(const struct asked *asked)
{
    const clfold_placement placement = { .in_place = asked->in_place };
    const clfold_status status =
        clfold_check_call(ctx, asked->operation, device.queue, &asked->fold, in, 0,
                          asked->in_place ? in : out, 0, COUNT, 0, NULL);
    clfold_report report;

    assert_int_equal(
        clfold_explain(ctx, asked->operation, &asked->fold, COUNT, &placement, &report),
        status);
    return status == CLFOLD_OK;
}

/* Rows about nothing but segments, and by offsets alone. */
static bool has_cell(int row, uint32_t by)
{
    return row != FACET_HEADS && (row != FACET_NUM_AT || by == CLFOLD_BY_OFFSETS);
}

/* ---- The page ---------------------------------------------------------------------- */

/* "yes", "flags, keys", or what a refusal says of it, as a note. */
static void print_cell(struct text *text, size_t call, int row, struct text *notes)
{
    unsigned possible = 0, taken = 0;
    struct asked asked;
    char names[64] = "";

    for (uint32_t by = 0; by < NUM_WAYS; ++by) {
        char line[160];
        make(&asked, call, by, NOTHING);
        if (!has_cell(row, by) || !takes(&asked)) {
            continue;
        }
        ++possible;
        make(&asked, call, by, row);
        if (takes(&asked)) {
            ++taken;
            strcat(strcat(names, names[0] ? ", " : ""), ways[by]);
            continue;
        }
        const char *sentence = clfold_last_error() + strlen("clfold_explain: ");
        snprintf(line, sizeof(line), "- %.*s\n",
                 (int)(strrchr(sentence, '(') - sentence - 1), sentence);
        if (!notes->bytes || !strstr(notes->bytes, line)) {
            clfold_text_print(notes, "%s", line);
        }
    }
    clfold_text_print(text, " %s |",
                      possible == 0       ? "-"
                      : taken == 0        ? "no"
                      : taken == possible ? "yes"
                                          : names);
}

static void print_page(struct text *text)
{
    struct text notes = { 0 };

    clfold_text_print(
        text,
        "# What each operation takes and gives\n\n"
        "In cells: yes, with all segments that the operation takes; no; with which; or "
        "-, where the question\ndoes not arise. Whole inputs are without segments. "
        "Each row is asked about alone: what does not go\ntogether with another row "
        "stands in the header. The library's own table of facets says so, and a\ntest "
        "asks `clfold_check_call` about each cell.\n\n|");
    for (size_t call = 0; call < NUM_CALLS; ++call) {
        clfold_text_print(text, " | %s", calls[call].name);
    }
    clfold_text_print(text, " |\n|---|---|---|---|---|---|---|\n| segments |");
    for (size_t call = 0; call < NUM_CALLS; ++call) {
        struct asked asked;
        const char *before = " ";
        for (uint32_t by = 1; by < NUM_WAYS; ++by) {
            make(&asked, call, by, NOTHING);
            if (takes(&asked)) {
                clfold_text_print(text, "%s%s", before, ways[by]);
                before = ", ";
            }
        }
        clfold_text_print(text, "%s |", before[0] == ' ' ? " no" : "");
    }
    clfold_text_print(text, "\n");
    for (int row = 0; row < NUM_ROWS; ++row) {
        const char *name =
            row < NOTHING ? clfold_place_rows[row].name : others[row - NOTHING];
        if (row == FACET_HEADS || row == NOTHING) {
            continue;
        }
        clfold_text_print(text, row < NOTHING ? "| `%s` |" : "| %s |", name);
        for (size_t call = 0; call < NUM_CALLS; ++call) {
            print_cell(text, call, row, &notes);
        }
        clfold_text_print(text, "\n");
    }
    clfold_text_print(text, "\nWhy not, in the words of the library:\n\n%s", notes.bytes);
    clfold_text_finish(&notes);
}

static const char *path;

static void test_page(void **state)
{
    struct text text = { 0 };
    FILE *file = fopen(path, "r");
    char page[16384] = "";

    print_page(&text);
    if (file) {
        page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
        assert_string_equal(page, text.bytes);
    } else {
        assert_non_null(file = fopen(path, "w"));
        fputs(text.bytes, file);
    }
    fclose(file);
    clfold_text_finish(&text);
}

static int open_all(void **state)
{
    int failed = open_context(state);

    in = coloured_buffer(COUNT * sizeof(cl_float));
    out = coloured_buffer(COUNT * sizeof(cl_float));
    for (int f = 0; f < NUM_PLACES; ++f) {
        places[f] = coloured_buffer(COUNT * sizeof(cl_ulong));
    }
    return failed;
}

static int close_all(void **state)
{
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    for (int f = 0; f < NUM_PLACES; ++f) {
        clReleaseMemObject(places[f]);
    }
    return close_context(state);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_page) };

    path = argc > 1 ? argv[1] : "matrix.md";
    return cmocka_run_group_tests_name("matrix", tests, open_all, close_all);
}
