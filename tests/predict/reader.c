/* Texts of nests and devices: what is read, what is refused and where. tests/fuzz has
 * random ones. */
#include "nests.h"

#define HEAD "kernel k launch groups = 4 size = 64 array a f32[256] global\n"

/* Refused by the reader, or when it is counted: line 0 is no place in the text. */
static void wrong_texts_are_refused(void **state)
{
    static const struct {
        const char *text;
        int line, column;
        const char *words;
    } rows[] = {
        { "", 1, 1, "there is no kernel" },
        { "load a[0]", 1, 6, "there is no array a" },
        { "barrier", 1, 1, "this belongs to a kernel, and none has begun" },
        { "kernel", 1, 7, "a name is expected, not the end of the text" },
        { "kernel k", 1, 1, "kernel k has no launch" },
        { "kernel k launch groups 4", 1, 24, "'=' is expected, not 4" },
        { "kernel k launch groups = 1 size = t", 1, 35, "a size may not depend" },
        { "kernel k launch groups = 1, 1, 1, 1 size = 1", 1, 10, "3 dimensions at most" },
        { HEAD "kernel b launch groups = 1 size = 1 kernel k", 2, 37,
          "there is a kernel k already" },
        { HEAD "launch groups = 1 size = 1", 2, 1, "a kernel has one launch" },
        { "param n = g", 1, 11, "g belongs to a kernel" },
        { "param n = 1 n = 2", 1, 13, "there is a n already" },
        { "param n = 99999999999999999999", 1, 11, "the number is above 2^53" },
        { HEAD "array a f32[1] local", 2, 7, "there is an array a already" },
        { HEAD "array b f31[1] local", 2, 7, "a type such as f32 is expected, not f31" },
        { HEAD "array b f32[1] far", 2, 16, "global or local is expected, not far" },
        { HEAD "array b f32[1] global offset 128", 2, 7,
          "the offset of b is not up to 127" },
        { HEAD "load b[t]", 2, 6, "there is no array b" },
        { HEAD "load a[i]", 2, 8, "there is no i" },
        { HEAD "load a[t, 1]", 2, 6, "a has 1 dimensions" },
        { HEAD "load a[t", 2, 9, "the end of the text is not expected here" },
        { HEAD "load a[t] wide 3", 2, 6, "wide is 1, 2, 4, 8 or 16" },
        { HEAD "load a[t] wide 8", 2, 1, "more than 16 bytes at once" },
        { HEAD "if t < 3 load a[t]", 2, 10, "load is not expected here" },
        { HEAD "let t = 3", 2, 5, "there is a t already" },
        { HEAD "if t < 4 { let x = 3 } load a[x]", 2, 31, "there is no x" },
        { HEAD "load a[t] \x01", 2, 11, "? is not expected here" },
        { HEAD "load a[2*t + 1 + 128*g]", 2, 1, "a has 256 elements, and 257 is not" },
        { HEAD "load a[t - 1]", 2, 1, "a has 256 elements, and -1 is not one of them" },
        { HEAD "array m f32[4, 64] global load m[t - 1, 3] if t < 5", 2, 27,
          "dimension 1 of m has 4 elements, and -1 is not one of them" },
        { HEAD "array m f32[6, 4] global load m[4, g] wide 4", 2, 26,
          "dimension 1 of m has 6 elements, and 7 is not one of them" },
        { HEAD "load a[t / (t - t)]", 2, 10, "a division by 0" },
        { HEAD "load a[t + log2(t)]", 2, 12, "a logarithm of less than 1" },
        { HEAD "load a[t * 2^53]", 2, 10, "this is above 2^53" },
        { HEAD "if t < 3 { barrier }", 2, 12, "do not reach this barrier" },
        { HEAD "if t < 32 { barrier }", 1, 1, "different barriers" },
        { HEAD "waves 0", 2, 7, "waves of 0 is not from 1" },
        { HEAD "transfer in a times 0 - 1", 2, 23, "times of -1 is not from 0" },
        { HEAD "times 2^40", 2, 8, "times of 1099511627776 is not from 0 to 2147483648" },
        { HEAD "op 9999999999", 2, 1, "op stands for 2^30 operations at most" },
        { HEAD "for j = 0 .. 2^40 { for k = 0 .. 2^40 { op } }", 1, 1, "above 2^62" },
        { HEAD "for k = 0 .. 3 step 0 { }", 2, 1, "the step of this loop is 0" },
        { HEAD "for k = 0 .. 2^40 { load a[k % 256] }", 2, 21, "too many steps here" },
        { HEAD "registers 3 registers 4", 2, 13, "registers is given twice" },
        { HEAD "op fast", 2, 4, "operations are simple, reciprocal, special or convert" },
        { HEAD "transfer up a", 2, 10, "a transfer goes in or out, not up" },
        { HEAD "transfer in b", 2, 10, "there is no global array b" },
        { HEAD "transfer in a waves 3", 2, 15, "a transfer has no waves" },
        { HEAD "array b T[1] global", 2, 7, "a type such as f32 is expected, not T" },
        { HEAD "array b f32[1, 1, 1, 1, 1, 1, 1, 1] local", 2, 34,
          "7 dimensions at most" },
        { "param T = 16 " HEAD "array b T[4096] global offset 8 load b[99*t] wide 16", 2,
          33, "more than 16 bytes at once" },
        { "param T = 17 " HEAD "array b T[1] local", 2, 7, "17 is not from 1 to 16" },
        { "kernel k launch groups = 0 size = 1", 1, 26, "a size of 0" },
        { "kernel k launch groups = 1 size = 2000", 1, 35, "2000 is not from 1 to 1024" },
        { "kernel k launch groups = 1 size = 1 again n = 1 while 1", 1, 43,
          "needs a parameter" },
        { "param n = 1 kernel k launch groups = 1 size = 1 again n = 1 while n > 0", 1,
          13, "it is launched too often" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct nest_lanes lanes = { 32, 32, 0 };
        struct nest_error error = { 0 };
        struct nest_counts counts = { 0 };
        struct nest *const nest = nest_read(rows[i].text, strlen(rows[i].text), &error);
        if (nest && nest_count(&counts, nest, &lanes, NULL, 0, &error)) {
            fail_msg("\"%s\" is taken", rows[i].text);
        }
        if (!strstr(error.text, rows[i].words) || error.line != rows[i].line ||
            error.column != rows[i].column) {
            fail_msg("\"%s\" is refused at %d:%d with \"%s\", not at %d:%d with \"%s\"",
                     rows[i].text, error.line, error.column, error.text, rows[i].line,
                     rows[i].column, rows[i].words);
        }
        nest_counts_finish(&counts);
        free(nest);
    }
}

static void limits_are_refused(void **state)
{
    static const struct {
        const char *head, *part;
        int times;
        const char *words;
    } rows[] = {
        { HEAD "load a[", "(", 20000, "too deep" },
        { HEAD "load a[1 ", "-1", 300, "more than 256 terms" },
        { HEAD, "if t < 3 { ", 100, "32 deep" },
        { HEAD, "load a[t] ", 600, "more than 512 accesses" },
        { HEAD, "barrier ", 3000, "more than 2048 statements" },
        { HEAD,
          "load "
          "a[1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1] ",
          120, "there are more than 8192 terms" },
        { "", "kernel @@ launch groups = 1 size = 1 ", 70, "more than 64 kernels" },
        { HEAD, "let aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa = 3", 1,
          "a name is expected" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *const text = calloc(1, 65536);
        struct nest_error error = { 0 };
        assert_non_null(text);
        strcpy(text, rows[i].head);
        for (int k = 0; k < rows[i].times; k++) {
            strcat(text, rows[i].part);
            char *const name = strstr(text, "@@"); /* one of its own */
            if (name) {
                name[0] = (char)('a' + k / 26);
                name[1] = (char)('a' + k % 26);
            }
        }
        struct nest *const nest = nest_read(text, strlen(text), &error);
        if (nest || !strstr(error.text, rows[i].words)) {
            fail_msg("%d times %s: \"%s\"", rows[i].times, rows[i].part, error.text);
        }
        free(nest);
        free(text);
    }
}

static void blocks_have_two_sides(void **state)
{
    struct nest *const nest = read_text(
        "param n = 64 m = 28 kernel k launch groups = n/32, m/14, 3 size = 32, 14\n"
        "array a f64[n, m, 3] global let i = 32*gx + tx let j = 14*gy + ty\n"
        "if i > 0 { load a[i, j, gz] wide 1 } else { store a[i, j, gz] op special 2 }\n"
        "op convert if !(i == 3) && (j > 1 || gz >= 1)");
    struct nest_counts counts = count_with(nest, 32, 32, NULL, 0);
    const struct nest_launch *const launch = &counts.launches[0];

    (void)state;
    assert_int_equal(launch->num_groups, 12);
    assert_int_equal(launch->num_items, 448);
    assert_int_equal(launch->accesses[0][ACCESS_ITEMS], 63 * 28 * 3);
    assert_int_equal(launch->accesses[0][ACCESS_SECTORS], 8 * 2 * 28 * 3);
    assert_int_equal(launch->accesses[1][ACCESS_ITEMS], 28 * 3);
    assert_int_equal(launch->accesses[1][ACCESS_SECTORS], 28 * 3);
    assert_int_equal(launch->all[COUNT_OPS + OP_SPECIAL], 2 * 28 * 3);
    assert_int_equal(launch->all[COUNT_OP_ITEMS + OP_CONVERT], 63 * (26 + 2 * 28));
    nest_counts_finish(&counts);
    free(nest);
}

static void facts_and_transfers_are_counted(void **state)
{
    struct nest *const nest = read_text(
        "param n = 10 T = 8 k = 3\narray a T[n, 2, 2, 2, 2, 2, 2] global offset 4\n"
        "transfer in a times 2*n transfer out a\n"
        "kernel sum launch groups = 2 size = n again k = k - 1 while k > 1 hops 7\n"
        "waves k  times n*n  fold add f64 n*2  scalars 5\n"
        "load a[t, 1, 0, 1, 0, 1, 0] let i = t for j = 0 .. i { op 3 } op if i > 3\n"
        "kernel other launch groups = 1 size = 1 when n > 10\n"
        "kernel odd launch groups = 1 size = n again n = n - 1 while n > 1 when n % 2");
    struct nest_counts counts = count_with(nest, 32, 32, NULL, 0);
    const struct nest_launch *const last = &counts.launches[2];

    (void)state;
    assert_int_equal(counts.num, 3 + 5);
    assert_int_equal(counts.launches[4].num_items, 7);
    assert_int_equal(counts.launches[0].facts[FACT_WAVES], 3);
    assert_int_equal(last->facts[FACT_WAVES], 1);
    assert_int_equal(last->facts[FACT_TIMES], 100);
    assert_int_equal(last->facts[FACT_HOPS], 7);
    assert_int_equal(last->facts[FACT_FOLD], 20);
    assert_int_equal(last->facts[FACT_REGISTERS], NEST_NONE);
    assert_string_equal(nest->kernels[0].fold_op, "add");
    assert_int_equal(last->bytes[0], 8);
    assert_int_equal(last->accesses[0][ACCESS_BYTES], 160);
    assert_int_equal(last->all[COUNT_OP_ITEMS], 2 * (3 * 55 + 6));
    assert_int_equal(counts.transfers[0].bytes, 10 * 64 * 8);
    assert_int_equal(counts.transfers[0].times, 20);
    assert_int_equal(counts.transfers[1].times, 1);
    assert_true(nest->transfers[1].is_out && !nest->transfers[0].is_out);
    nest_counts_finish(&counts);
    free(nest);
}

static void devices_are_read(void **state)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        { "", "a device needs a width from 1 to 64" },
        { "width 32 nominal\nwidth 32 nominal", "width is given twice" },
        { "colour 3 nominal", "devices have no colour" },
        { "width x nominal", "x is not a number" },
        { "width -1 nominal", "-1 is not a number" },
        { "width 32 guessed", "measured, queried or nominal" },
        { "width 128 nominal", "a device needs a width from 1 to 64" },
    };

    (void)state;
    for (const struct predict_text *text = predict_texts; text->name; text++) {
        struct device device;
        if (text->is_device) {
            read_device(&device, text->name);
            assert_true(*device.name);
        } else {
            free(read_named(text->name));
        }
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct device device;
        struct nest_error error = { 0 };
        assert_false(device_read(&device, rows[i].text, strlen(rows[i].text), &error));
        if (!strstr(error.text, rows[i].words)) {
            fail_msg("\"%s\": %s", rows[i].text, error.text);
        }
    }
}

TEST_MAIN("predict reader", NULL, NULL, cmocka_unit_test(wrong_texts_are_refused),
          cmocka_unit_test(limits_are_refused), cmocka_unit_test(blocks_have_two_sides),
          cmocka_unit_test(facts_and_transfers_are_counted),
          cmocka_unit_test(devices_are_read))
