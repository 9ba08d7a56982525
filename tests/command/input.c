/* Files and streams: what is read, what is refused, and how little is believed. */
#include "input.h"
#include "number.h"
#include "rows.h"
#include "types.h"

#include <ctype.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/clfold-test-XXXXXX";
static char path[sizeof(folder) + 8];

/* As a new one: file systems may write an old one to the disk at once. */
static void write_file(const void *bytes, size_t size)
{
    unlink(path);
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Puts `bytes` into a pipe that becomes standard input; they must fit its buffer. */
static void pipe_in(const void *bytes, size_t size)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], bytes, size), (ssize_t)size);
    close(ends[1]);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
}

static bool begins_with_name(const struct message *message, bool is_stream)
{
    const char *const name = is_stream ? "standard input" : path;

    return strncmp(message->text, name, strlen(name)) == 0;
}

/* ---- One input by file and by stream ---- */

struct sample {
    enum file_format format;
    clfold_type type; /* of raw data and text */
    bool is_pairs;
    unsigned char bytes[1024];
    size_t header, size;
};

/* All of it, so many elements at a time; shows the numbers, or the sentence without the
 * name before it. */
static bool read_sample(const struct sample *s, bool is_stream, size_t elements,
                        char shown[ROWS_LINE])
{
    static const clfold_layout pair = { .in_size = 4, .out_size = 4, .num_fields = 2 };
    struct input input;
    struct message message;
    unsigned char data[2048];
    char number[NUMBER_TEXT];
    size_t size = 0, got = 0, step = 0;

    if (is_stream) {
        pipe_in(s->bytes, s->size);
    } else {
        write_file(s->bytes, s->size);
    }
    bool done = input_open(&input, is_stream ? "-" : path, s->format, s->type, &message);
    const bool is_open = done;
    assert_true(is_open || input.file == -1);
    if (done && (done = !s->is_pairs || input_group(&input, &pair, &message))) {
        /* an empty file is one of /proc, too */
        assert_int_equal(input.is_stream, is_stream || s->size == 0);
        got = step = elements * input.element;
    }
    const uint64_t bytes = input.bytes, most = done ? input_most(&input) : 0;
    const uint64_t held = done ? input_held(&input) : 0;
    while (done && !input.ended) {
        assert_true(got == step &&
                    size + step <= sizeof(data)); /* fewer only at the end */
        done = input_read(&input, data + size, step, &got, &message);
        size += done ? got : 0;
    }
    if (done) {
        const bool is_known =
            s->format == FORMAT_NPY || (s->format == FORMAT_RAW && s->size && !is_stream);
        assert_true(bytes == (is_known ? size : INPUT_UNKNOWN));
        assert_true(is_known ? most == size / input.element
                             : most >= size / input.element);
        assert_true(held == (strstr((const char *)s->bytes + 10, "True") ? size : 0));
        shown += sprintf(shown, "%s%s", clfold_type_name(input.type),
                         s->is_pairs ? " pairs" : "");
        for (size_t at = 0; at < size; at += clfold_type_size(input.type)) {
            number_print(number, input.type, data + at);
            shown += sprintf(shown, " %s", number);
        }
        /* what is read again is nothing */
        assert_true(input_read(&input, data, 0, &got, &message) && got == 0);
    } else {
        assert_true(begins_with_name(&message, is_stream));
        strcpy(shown, message.text + strlen(is_stream ? "standard input" : path));
    }
    if (is_open) {
        input_close(&input);
        input_close(&input);
    }
    return done;
}

/* By file and by stream, in portions of one element, of three, and as a whole. Where a
 * stream gives another sentence, that stands after the file's. */
static bool show_sample(char shown[ROWS_LINE], const struct sample *s)
{
    static const size_t portions[] = { 1, 3, 100 };
    char again[ROWS_LINE];
    const bool done = read_sample(s, false, 1, shown);

    for (int i = 1; i < 6; i++) {
        const bool is_same = read_sample(s, i % 2, portions[i / 2], again) == done;
        assert_true(is_same);
        if (!strstr(shown, again)) {
            assert_false(done);
            strcat(strcat(shown, "; by stream"), again);
        }
    }
    return done;
}

/* Adds the bytes of hexadecimal digits. */
static void add_bytes(struct sample *s, const char *digits)
{
    for (; digits[strspn(digits, " ")]; digits += 2) {
        digits += strspn(digits, " ");
        s->bytes[s->size++] =
            (unsigned char)strtoul((char[]){ digits[0], digits[1], '\0' }, NULL, 16);
    }
}

/* "DTYPE ORDER SHAPE | DIGITS", a file of version 1.0, or of the section's, or only
 * digits. Of what is read no shorter file is. */
static bool show_npy(char shown[ROWS_LINE], const char *words, const char *input)
{
    struct sample s = { .format = FORMAT_NPY, .is_pairs = *words == 'p' };
    char dtype[8], order[8], shape[64], rest[ROWS_LINE], sentence[80];
    int end = 0;

    sscanf(input, "%7s %7s %63[0-9,] | %n", dtype, order, shape, &end);
    if (end > 0) {
        const int version = isdigit((unsigned char)*words) ? *words - '0' : 1;
        const size_t begin = version == 1 ? 10 : 12;
        memcpy(s.bytes, "\x93NUMPY", 6);
        s.bytes[6] = (unsigned char)version;
        s.bytes[8] = (unsigned char)sprintf(
            (char *)s.bytes + begin,
            "{'descr': '%s', 'fortran_order': %s, 'shape': (%s,), }\n", dtype,
            *order == 'F' ? "True" : "False", shape);
        s.size = s.header = begin + s.bytes[8];
    }
    add_bytes(&s, input + end);
    const bool done = show_sample(shown, &s);
    const size_t size = s.size - s.header;
    for (size_t i = 2 * s.size; done && i-- > 0;) { /* by stream and by file */
        s.size = i / 2;
        snprintf(sentence, sizeof(sentence),
                 "holds %zu bytes of data, and its .npy header says %zu",
                 s.size - s.header, size);
        assert_false(read_sample(&s, i % 2, 1, rest));
        assert_non_null(strstr(rest, s.size < 8          ? "is not an .npy file"
                                     : s.size < s.header ? "ends inside its .npy header"
                                                         : sentence));
    }
    return done;
}

static bool show_raw(char shown[ROWS_LINE], const char *words, const char *input)
{
    struct sample s = { .format = FORMAT_RAW, .is_pairs = strstr(words, "pairs") };
    char type[8];

    sscanf(words, "%7s", type);
    s.type = type_parse(type);
    add_bytes(&s, input);
    return show_sample(shown, &s);
}

static bool show_text(char shown[ROWS_LINE], const char *words, const char *input)
{
    struct sample s = { .format = FORMAT_TEXT, .type = type_parse(words) };

    s.size = strlen(input);
    memcpy(s.bytes, input, s.size);
    return show_sample(shown, &s);
}

static void rows(void **state)
{
    static const struct rows_kind kinds[] = { { "npy", show_npy, false, false },
                                              { "raw", show_raw, false, false },
                                              { "text", show_text, false, true } };

    (void)state;
    rows_check_file(ROWS, kinds, sizeof(kinds) / sizeof(kinds[0]));
}

/* ---- Of the system ---- */

/* From a place inside a file, as standard input, which stays open. */
static void offset(void **state)
{
    struct input input;
    struct message message;
    char back[4];
    size_t got;

    (void)state;
    write_file("12345678", 8);
    const int file = open(path, O_RDONLY);
    assert_true(file > 2);
    assert_int_equal(lseek(file, 4, SEEK_SET), 4);
    assert_int_equal(dup2(file, STDIN_FILENO), STDIN_FILENO);
    close(file);
    assert_true(input_open(&input, "-", FORMAT_RAW, CLFOLD_F32, &message));
    assert_false(input.is_stream);
    assert_int_equal(input.bytes, 4);
    assert_true(input_read(&input, back, 4, &got, &message));
    assert_true(input.ended);
    assert_memory_equal(back, "5678", 4);
    input_close(&input);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
}

static void changed_files(void **state)
{
    static const struct {
        off_t before, after; /* the size at the first read and at the second */
        const char *words;
    } cases[] = { { 5, 5, "shorter" }, { 8, 10, "longer" } };
    struct input input;
    struct message message;
    char back[4];
    size_t got;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        write_file("12345678", 8);
        assert_true(input_open(&input, path, FORMAT_RAW, CLFOLD_U8, &message));
        assert_int_equal(truncate(path, cases[i].before), 0);
        assert_true(input_read(&input, back, 4, &got, &message));
        assert_int_equal(truncate(path, cases[i].after), 0);
        assert_false(input_read(&input, back, 4, &got, &message));
        assert_non_null(strstr(message.text, cases[i].words));
        input_close(&input);
    }
}

/* An array in Fortran order whose header claims 2^61 bytes costs no more memory than what
 * comes. */
static void claims(void **state)
{
    struct rusage before, after;
    char shown[ROWS_LINE];

    (void)state;
    getrusage(RUSAGE_SELF, &before);
    assert_false(show_npy(shown, "", "<f4 F 2,250000000000000000 | 0000803f 00000040"));
    assert_non_null(strstr(shown, "holds 8 bytes of data, and its .npy header says 2"));
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 32 * 1024); /* KiB */
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof(path), "%s/file", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

TEST_MAIN("input", make_folder, remove_folder, cmocka_unit_test(rows),
          cmocka_unit_test(offset), cmocka_unit_test(changed_files),
          cmocka_unit_test(claims))
