/* What readers make of texts: of a number, a count, the header of an .npy file, and of
 * many numbers. The rows are in readers.txt. */
#include "count.h"
#include "list.h"
#include "npy.h"
#include "number.h"
#include "options.h"
#include "rows.h"
#include "text.h"
#include "types.h"
#include "writer.h"

#include <float.h>

static bool show_count(char shown[ROWS_LINE], const char *words, const char *input)
{
    uint64_t count = 99;

    (void)words;
    const bool done = count_parse(input, &count);
    snprintf(shown, ROWS_LINE, done ? "%llu" : "none", (unsigned long long)count);
    return done;
}

/* As every type of the section reads it. */
static bool show_number(char shown[ROWS_LINE], const char *words, const char *input)
{
    static const char *const refusals[] = {
        [NUMBER_NONE] = "none", [NUMBER_RANGE] = "range"
    };
    enum number_parsed parsed = NUMBER_NONE;
    int end;

    for (char name[8]; sscanf(words, "%7s%n", name, &end) == 1; words += end) {
        const clfold_type type = type_parse(name);
        unsigned char value[8 + 1];
        char text[NUMBER_TEXT];
        memset(value, 0xa5, sizeof(value));
        parsed = number_parse(value, type, input);
        if (parsed == NUMBER_READ) {
            number_print(text, type, value);
            assert_int_equal(value[clfold_type_size(type)], 0xa5);
        } else {
            strcpy(text, refusals[parsed]);
        }
        if (*shown && strcmp(shown, text) != 0) {
            fail_msg("%s of %s is %s, and %s for the type before", input, name, text,
                     shown);
        }
        strcpy(shown, text);
    }
    return parsed == NUMBER_READ;
}

/* ---- .npy ---- */

/* In memory of its exact size, so that an address sanitizer sees a read beyond it. A
 * dtype and a shape, '<f4' (3,), are put into a header. */
static bool show_npy(char shown[ROWS_LINE], const char *words, const char *input)
{
    struct npy npy = { 0 };
    struct message message;
    char header[1024];
    const int cut = *input == '\'' ? (int)strcspn(input, " ") : 0;
    const char *const order = strcmp(words, "fortran") == 0 ? "True" : "False";

    snprintf(header, sizeof(header),
             cut ? "{'descr': %.*s, 'fortran_order': %s, 'shape': %s}" : "%.*s%s%s", cut,
             input, cut ? order : "", input + cut + (cut > 0));
    const size_t length = strlen(header);
    char *const copy = malloc(length + !length), *at = shown;
    assert_non_null(copy);
    memcpy(copy, header, length);
    const bool done = npy_read_text(copy, length, &npy, &message);
    free(copy);
    if (!done) {
        strcpy(shown, message.text);
        return false;
    }
    /* a shorter one, but for its last blanks, is not read */
    struct npy shorter = { 0 };
    for (size_t end = (size_t)(strrchr(header, '}') - header); end > 0; end--) {
        assert_false(npy_read_text(header, end, &shorter, &message));
    }
    assert_int_equal(npy.element, clfold_type_size(npy.type) << npy.is_complex);
    assert_int_equal(npy.bytes, npy.count * npy.element);
    assert_true(!npy.is_complex || npy.last == 2);
    at += sprintf(at, "%s %llu%s%s%s", clfold_type_name(npy.type),
                  (unsigned long long)npy.count, npy.is_bool ? " bool" : "",
                  npy.is_complex ? " complex" : "", npy.swapped ? " swapped" : "");
    for (int d = 0; d < npy.num_dimensions; d++) {
        at += sprintf(at, "%s%llu", d ? "," : " by ", (unsigned long long)npy.shape[d]);
    }
    return true;
}

static bool show_dtype(char shown[ROWS_LINE], const char *words, const char *input)
{
    char text[128], quoted[64];

    (void)words;
    snprintf(text, sizeof(text), "'%s' (1,)", input);
    snprintf(quoted, sizeof(quoted), "dtype '%s'", input);
    const bool done = show_npy(shown, "", text);
    assert_true(done || strstr(shown, quoted));
    return done;
}

static bool show_shape(char shown[ROWS_LINE], const char *words, const char *input)
{
    char text[128];

    (void)words;
    snprintf(text, sizeof(text), "{'shape': %s}", input);
    return show_npy(shown, "", text);
}

/* The most dimensions that 63 bits hold, and more than there is room for; a length of two
 * bytes. */
static void dimensions(void **state)
{
    char text[1024] = "{'descr': '|u1', 'fortran_order': True, 'shape': (";
    struct npy npy = { 0 };
    struct message message;
    size_t length;

    (void)state;
    assert_true(npy_read_length((const unsigned char *)"\x76\x01", 2, &length, &message));
    assert_int_equal(length, 0x176);
    for (int d = 0; d < 62; d++) {
        strcat(text, "2, 1, ");
    }
    length = strlen(text);
    strcat(text, ")}");
    assert_true(npy_read_text(text, strlen(text), &npy, &message));
    assert_int_equal(npy.num_dimensions, 62);
    assert_int_equal(npy.count, (uint64_t)1 << 62);
    strcpy(text + length, "2, 2, 2, 2)}");
    assert_false(npy_read_text(text, strlen(text), &npy, &message));
    assert_non_null(strstr(message.text, "2^63"));
}

/* ---- Text ---- */

/* "OPTIONS | TEXT", where options are those of clfold reduce, and --text i16 is given
 * before them; the section says how many numbers an element has. The text comes in pieces
 * of every size, each in memory of its exact size, and the numbers of each are taken
 * away. Shows the numbers, and the place that a warning names. */
static bool show_text(char shown[ROWS_LINE], const char *words, const char *input)
{
    const char *const bar = strstr(input, " | "), *const bytes = bar ? bar + 3 : input;
    const size_t length = strlen(bytes);
    char line[256], *argv[ROWS_WORDS];
    struct options options;
    struct message message;
    bool done = true;

    snprintf(line, sizeof(line), "clfold reduce x --text i16 %.*s",
             bar ? (int)(bar - input) : 0, input);
    if (!options_read(&options, rows_cut(line, argv), argv, &message)) {
        fail_msg("%s: %s", input, message.text);
    }
    for (size_t piece = 1; piece <= length + 1; piece++) {
        char got[ROWS_LINE] = "", *at = got;
        struct text text;
        text_init(&text, options.element);
        text.form = options.text_form;
        text.numbers = strtoul(words, NULL, 10);
        done = true;
        for (size_t i = 0; i <= length && done; i += piece) {
            const size_t size = length - i < piece ? length - i : piece;
            char *const copy = malloc(size + !size);
            assert_non_null(copy);
            memcpy(copy, bytes + i, size);
            done = text_feed(&text, copy, size, &message) &&
                   (i + piece <= length || text_end(&text, &message));
            free(copy);
            for (unsigned char value[8];
                 text_take(&text, value, clfold_type_size(text.type));) {
                char number[NUMBER_TEXT];
                number_print(number, text.type, value);
                at += sprintf(at, "%s%s", at > got ? " " : "", number);
            }
        }
        if (done && text_warning(&text, &message)) {
            assert_non_null(strstr(message.text, "may separate thousands"));
            sprintf(at, " (%.*s)", (int)strcspn(message.text, ":"), message.text);
        }
        text_finish(&text);
        if (!done) {
            strcpy(got, message.text);
        }
        if (piece > 1 && strcmp(shown, got) != 0) {
            fail_msg("\"%s\" in pieces of %zu: \"%s\", and \"%s\" in smaller ones", bytes,
                     piece, got, shown);
        }
        strcpy(shown, got);
    }
    return done;
}

static void check_text(const char *said, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void check_text(const char *said, const char *format, ...)
{
    static const struct rows_kind text = { "text", show_text, false, false };
    static char input[3 * TEXT_WORD];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(input, sizeof(input), format, arguments);
    va_end(arguments);
    assert_true(rows_check(&text, "", input, said));
}

/* Long names, and many, are cut where they cannot break a character. */
static void long_names(void **state)
{
    static const char name[] = "0123456789012345678901234567890123456789";
    char header[4096] = "", names[1024] = "";

    (void)state;
    for (int i = 0; i < 300; i++) {
        sprintf(header + strlen(header), ",n%d", i);
        sprintf(names + strlen(names), i < 79 ? ", n%d" : "", i);
    }
    strcat(names, " and 221 more");
    static char said[2048];
    snprintf(said, sizeof(said), "the name n; its names are %s, %.38s...%s", name, name,
             names);
    check_text(said, "--column n | %s,%.38s\xe2\x82\xac+%s\n", name, name, header);
}

/* Only what is kept of a text has a length that matters. */
static void long_words(void **state)
{
    static const char zeros[] =
        "0000000000000000000000000000000000000000000000000000000000...";
    char said[256];

    (void)state;
    check_text("= 7", "--column 2 | %0*d,7", TEXT_WORD + 1, 0);
    check_text("= 2", "--column b | %0*d,b\n1,2", TEXT_WORD, 0);
    snprintf(said, sizeof(said), "line 1, byte 1: \"00%s\" is too long for a name",
             zeros);
    check_text(said, "--column b | %0*d,b\n1,2", TEXT_WORD + 1, 0);
    check_text("= 1", "--text f64 | 1.%0*d", TEXT_WORD - 2, 1);
    snprintf(said, sizeof(said),
             "line 1, byte 1: \"1.%s\" is longer than any number of type f64", zeros);
    check_text(said, "--text f64 | 1.%0*d", TEXT_WORD - 1, 1);
    /* the longest that any double is */
    check_text("= -1.7976931348623157e+308", "--text f64 | -%.1074f", DBL_MAX);
}

/* ---- Names of files ---- */

static bool show_file(char shown[ROWS_LINE], const char *words, const char *input)
{
    static const char *const names[] = {
        [FORMAT_NPY] = "npy", [FORMAT_RAW] = "raw", [FORMAT_TEXT] = "text"
    };
    enum file_format format = FORMAT_NPY;

    (void)words;
    const bool done = writer_format(input, &format);
    strcpy(shown, done ? names[format] : "none");
    return done;
}

static void rows(void **state)
{
    static const struct rows_kind kinds[] = {
        { "count", show_count, true, false }, { "number", show_number, true, false },
        { "npy", show_npy, false, false },    { "dtype", show_dtype, true, false },
        { "shape", show_shape, true, false }, { "text", show_text, false, true },
        { "texts", show_text, true, true },   { "file", show_file, true, false },
    };

    (void)state;
    rows_check_file(ROWS, kinds, sizeof(kinds) / sizeof(kinds[0]));
}

TEST_MAIN("readers", NULL, NULL, cmocka_unit_test(rows), cmocka_unit_test(dimensions),
          cmocka_unit_test(long_names), cmocka_unit_test(long_words))
