/* Files and streams: what is read, what is refused, and how little is believed. */
#include "input.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER(shape)                                                                    \
    "{'descr': '<f4', 'fortran_order': False, 'shape': (" shape ",), }\n"

static char folder[] = "/tmp/clfold-test-XXXXXX";
static char path[sizeof(folder) + 8];

/* A file of version 1.0 with `header` and `data`; its size. */
static size_t make_npy(unsigned char *out, const char *header, size_t claimed,
                       const void *data, size_t bytes)
{
    const size_t length = strlen(header);

    memcpy(out, "\x93NUMPY\x01\0", 8);
    out[8] = (unsigned char)(claimed & 0xff);
    out[9] = (unsigned char)(claimed >> 8);
    memcpy(out + 10, header, length);
    memcpy(out + 10 + length, data, bytes);
    return 10 + length + bytes;
}

static void write_file(const void *bytes, size_t size)
{
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

static bool open_as(struct input *input, const char *name, clfold_type raw,
                    struct message *message)
{
    return input_open(input, name, raw ? FORMAT_RAW : FORMAT_NPY, raw, message);
}

static void check_refused(const char *name, clfold_type raw, const char *part)
{
    struct input input;
    struct message message;

    if (open_as(&input, name, raw, &message)) {
        fail_msg("%s was opened; it should say \"%s\"", name, part);
    }
    if (!strstr(message.text, part)) {
        fail_msg("\"%s\" does not say \"%s\"", message.text, part);
    }
    /* the sentence begins with what it is about */
    assert_memory_equal(message.text, strcmp(name, "-") ? name : "standard input",
                        strcmp(name, "-") ? strlen(name) : 14);
    assert_int_equal(input.file, -1);
}

/* All numbers, `step` bytes at a time, into memory that the caller frees. */
static bool read_all(struct input *input, size_t step, char **data, size_t *size,
                     struct message *message)
{
    size_t got = step;

    *data = NULL;
    *size = 0;
    while (!input->ended) {
        assert_int_equal(got, step); /* fewer only at the end */
        *data = realloc(*data, *size + step);
        assert_non_null(*data);
        if (!input_read(input, *data + *size, step, &got, message)) {
            return false;
        }
        *size += got;
    }
    /* what is read again is nothing, or fails again */
    char byte;
    assert_true(input_read(input, &byte, 0, &got, message));
    assert_int_equal(got, 0);
    return true;
}

static const float three[] = { 1, 2, 3 };

static void regular_files(void **state)
{
    unsigned char bytes[300];
    float back[5];
    size_t got;
    struct input input;
    struct message message;
    const size_t header = strlen(HEADER("3"));
    const size_t size = make_npy(bytes, HEADER("3"), header, three, sizeof(three));

    (void)state;
    write_file(bytes, size);
    assert_true(open_as(&input, path, 0, &message));
    assert_false(input.is_stream);
    assert_int_equal(input.type, CLFOLD_F32);
    assert_int_equal(input.bytes, sizeof(three));
    assert_int_equal(input_most(&input), 3);
    assert_int_equal(input_held(&input), 0);
    assert_true(input_read(&input, back, 4, &got, &message));
    assert_int_equal(got, 4);
    assert_false(input.ended);
    assert_true(input_read(&input, back + 1, 16, &got, &message));
    assert_int_equal(got, 8);
    assert_true(input.ended);
    assert_memory_equal(back, three, sizeof(three));
    input_close(&input);
    input_close(&input);

    /* the same as raw bytes; and from a place inside it, as standard input */
    assert_true(open_as(&input, path, CLFOLD_U8, &message));
    assert_int_equal(input.bytes, size);
    input_close(&input);
    const int file = open(path, O_RDONLY);
    assert_true(file > 2);
    assert_int_equal(lseek(file, (off_t)(10 + header), SEEK_SET), 10 + header);
    assert_int_equal(dup2(file, STDIN_FILENO), STDIN_FILENO);
    close(file);
    assert_true(open_as(&input, "-", CLFOLD_F32, &message));
    assert_false(input.is_stream);
    assert_int_equal(input.bytes, sizeof(three));
    assert_true(input_read(&input, back, sizeof(three), &got, &message));
    assert_true(input.ended);
    assert_memory_equal(back, three, sizeof(three));
    input_close(&input);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
}

static void refused_files(void **state)
{
    unsigned char bytes[300];
    const size_t header = strlen(HEADER("3"));
    size_t size = make_npy(bytes, HEADER("3"), header, three, sizeof(three));

    (void)state;
    /* every length but the right one */
    for (size_t length = 0; length < size; length++) {
        write_file(bytes, length);
        check_refused(path, 0,
                      length < 8             ? "is not an .npy file"
                      : length < 10 + header ? "ends inside its .npy header"
                                             : "of data, and its .npy header says 12");
    }
    write_file(bytes, size + 1);
    check_refused(path, 0, "holds 13 bytes of data, and its .npy header says 12");

    size = make_npy(bytes, HEADER("3"), 0xffff, three, sizeof(three));
    write_file(bytes, size);
    check_refused(path, 0, "ends inside its .npy header");
    size = make_npy(bytes, HEADER("1000000000000000000"),
                    strlen(HEADER("1000000000000000000")), three, sizeof(three));
    write_file(bytes, size);
    check_refused(path, 0,
                  "holds 12 bytes of data, and its .npy header says "
                  "4000000000000000000");

    write_file("\x93NUMPY\x02\0\xff\xff\xff\xff{}", 14);
    check_refused(path, 0,
                  "has an .npy header of 4294967295 bytes, above the limit of 65536");
    write_file("\x93NUMPY\x02\0\xff\xff", 10);
    check_refused(path, 0, "ends inside its .npy header");

    write_file(bytes, 13);
    check_refused(path, CLFOLD_F32,
                  "holds 13 bytes, which is not a multiple of the 4 of f32");
    check_refused(folder, CLFOLD_U8, strerror(EISDIR));
    check_refused(folder, 0, strerror(EISDIR));
    assert_int_equal(unlink(path), 0);
    check_refused(path, 0, strerror(ENOENT));
    check_refused("", 0, strerror(ENOENT));
}

static void changed_files(void **state)
{
    char back[8];
    size_t got;
    struct input input;
    struct message message;

    (void)state;
    write_file("12345678", 8);
    assert_true(open_as(&input, path, CLFOLD_U8, &message));
    assert_int_equal(truncate(path, 5), 0);
    assert_true(input_read(&input, back, 4, &got, &message));
    assert_false(input_read(&input, back, 4, &got, &message));
    assert_non_null(strstr(message.text, "shorter"));
    input_close(&input);

    assert_true(open_as(&input, path, CLFOLD_U8, &message));
    assert_true(input_read(&input, back, 4, &got, &message));
    assert_int_equal(truncate(path, 6), 0);
    assert_false(input_read(&input, back, 4, &got, &message));
    assert_non_null(strstr(message.text, "longer"));
    input_close(&input);
}

static void check_stream(clfold_type raw, size_t step, const char *part,
                         const void *expected, size_t size)
{
    struct input input;
    struct message message;
    char *data;
    size_t read;

    assert_true(open_as(&input, "-", raw, &message));
    assert_true(input.is_stream);
    assert_int_equal(input.bytes == INPUT_UNKNOWN, raw != 0);
    const bool done = read_all(&input, step, &data, &read, &message);
    if (part) {
        assert_false(done);
        if (!strstr(message.text, part)) {
            fail_msg("\"%s\" does not say \"%s\"", message.text, part);
        }
        assert_memory_equal(message.text, "standard input: ", 16);
    } else {
        if (!done) {
            fail_msg("%s", message.text);
        }
        assert_int_equal(read, size);
        assert_memory_equal(data, expected, size);
    }
    free(data);
    input_close(&input);
}

static void streams(void **state)
{
    unsigned char bytes[300];
    const size_t header = strlen(HEADER("3"));
    const size_t size = make_npy(bytes, HEADER("3"), header, three, sizeof(three));

    (void)state;
    for (size_t step = 4; step <= 16; step += 4) {
        pipe_in(bytes, size);
        check_stream(0, step, NULL, three, sizeof(three));
        pipe_in(bytes, size - 1);
        check_stream(0, step, "holds 11 bytes of data, and its .npy header says 12", NULL,
                     0);
        pipe_in(bytes, size + 1);
        check_stream(0, step, "holds more than 12 bytes", NULL, 0);
        pipe_in(three, sizeof(three));
        check_stream(CLFOLD_F32, step, NULL, three, sizeof(three));
        pipe_in(three, sizeof(three) - 1);
        check_stream(CLFOLD_F32, step,
                     "11 bytes, which is not a multiple of the 4 of f32", NULL, 0);
        pipe_in("", 0);
        check_stream(CLFOLD_F32, step, NULL, "", 0);
    }

    pipe_in("", 0);
    check_refused("-", 0, "is not an .npy file");
    pipe_in(bytes, 40);
    check_refused("-", 0, "ends inside its .npy header");

    close(STDIN_FILENO);
    check_refused("-", 0, strerror(EBADF));
    check_refused("-", CLFOLD_U8, strerror(EBADF));
    assert_int_equal(open("/dev/null", O_RDONLY), STDIN_FILENO);
}

static void set_element(unsigned char *bytes, uint64_t value, size_t size,
                        bool big_endian)
{
    for (size_t i = 0; i < size; i++) {
        bytes[big_endian ? size - 1 - i : i] = (unsigned char)(value >> 8 * i);
    }
}

/* Both orders, so that one of them is not the host's, from a file and from a stream, in
 * more than one piece. */
static void byte_orders(void **state)
{
    static const struct {
        const char *dtype;
        size_t size;
    } dtypes[] = {
        { "<i2", 2 }, { ">u2", 2 }, { "<f4", 4 }, { ">i4", 4 },
        { "<u8", 8 }, { ">f8", 8 }, { "|u1", 1 }, { ">i1", 1 },
    };
    enum { COUNT = 5000 };
    static unsigned char bytes[300 + 8 * COUNT];
    struct input input;
    struct message message;
    char *data;
    size_t read;

    (void)state;
    for (size_t d = 0; d < sizeof(dtypes) / sizeof(dtypes[0]); d++) {
        const size_t element = dtypes[d].size;
        char header[100];
        snprintf(header, sizeof(header),
                 "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }\n",
                 dtypes[d].dtype, COUNT);
        size_t at = make_npy(bytes, header, strlen(header), "", 0);
        for (size_t i = 0; i < COUNT; i++, at += element) {
            set_element(bytes + at, i * 0x9e3779b97f4a7c15u, element,
                        dtypes[d].dtype[0] == '>');
        }
        for (int is_stream = 0; is_stream < 2; is_stream++) {
            write_file(bytes, at);
            if (is_stream) {
                pipe_in(bytes, at);
            }
            assert_true(
                input_open(&input, is_stream ? "-" : path, FORMAT_NPY, 0, &message));
            assert_int_equal(input.is_stream, is_stream);
            assert_true(
                read_all(&input, is_stream ? 8000 : 1 << 20, &data, &read, &message));
            assert_int_equal(read, COUNT * element);
            for (size_t i = 0; i < COUNT; i++) {
                uint64_t value = i * 0x9e3779b97f4a7c15u;
                const uint8_t value8 = (uint8_t)value;
                const uint16_t value16 = (uint16_t)value;
                const uint32_t value32 = (uint32_t)value;
                assert_memory_equal(data + i * element,
                                    element == 1   ? (void *)&value8
                                    : element == 2 ? (void *)&value16
                                    : element == 4 ? (void *)&value32
                                                   : (void *)&value,
                                    element);
            }
            input_close(&input);
            free(data);
        }
    }
}

/* Each byte that is not 0 is 1, from a file and from a stream, in C and Fortran order. */
static void bools(void **state)
{
    static const unsigned char bytes[] = { 0, 1, 2, 0, 255, 0 };
    static const unsigned char numbers[2][6] = { { 0, 1, 1, 0, 1, 0 },
                                                 { 0, 1, 1, 1, 0, 0 } };
    static const char *const headers[] = {
        "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 3), }\n",
        "{'descr': '|b1', 'fortran_order': True, 'shape': (2, 3), }\n",
    };
    unsigned char npy[300], back[6];
    size_t got;
    struct input input;
    struct message message;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const size_t size =
            make_npy(npy, headers[i], strlen(headers[i]), bytes, sizeof(bytes));
        write_file(npy, size);
        assert_true(open_as(&input, path, 0, &message));
        assert_int_equal(input.type, CLFOLD_U8);
        assert_int_equal(input_held(&input), i == 0 ? 0 : 6);
        assert_true(input_read(&input, back, sizeof(back), &got, &message));
        assert_true(input.ended);
        assert_memory_equal(back, numbers[i], sizeof(back));
        input_close(&input);
        pipe_in(npy, size);
        check_stream(0, 6, NULL, numbers[i], sizeof(back));
    }
}

/* (2, 3, 4) by file and by stream, and its size is held against the header's. */
static void fortran_order(void **state)
{
    static const char header[] =
        "{'descr': '>u2', 'fortran_order': True, 'shape': (2, 3, 1, 4), }\n";
    unsigned char bytes[300];
    uint16_t data[24];
    struct input input;
    struct message message;
    char *back;
    size_t read;

    (void)state;
    for (size_t i = 0, at = 0; i < 4; i++) {
        for (size_t j = 0; j < 3; j++) {
            for (size_t k = 0; k < 2; k++, at++) {
                set_element((unsigned char *)(data + at), k * 12 + j * 4 + i, 2, true);
            }
        }
    }
    const size_t size = make_npy(bytes, header, strlen(header), data, sizeof(data));
    for (int piped = 0; piped < 2; piped++) {
        write_file(bytes, size);
        if (piped) {
            pipe_in(bytes, size);
        }
        assert_true(open_as(&input, piped ? "-" : path, 0, &message));
        assert_int_equal(input.bytes, sizeof(data));
        assert_int_equal(input_held(&input), sizeof(data));
        assert_true(read_all(&input, piped ? 10 : 100, &back, &read, &message));
        assert_int_equal(read, sizeof(data));
        for (int i = 0; i < 24; i++) {
            assert_memory_equal(back + 2 * i, &(uint16_t){ (uint16_t)i }, 2);
        }
        free(back);
        input_close(&input);
    }
    /* as it lies, if the caller wants no order */
    write_file(bytes, size);
    assert_true(open_as(&input, path, 0, &message));
    input.order.num_dimensions = 0;
    assert_int_equal(input_held(&input), 0);
    assert_true(read_all(&input, 10, &back, &read, &message));
    assert_int_equal(((const uint16_t *)(const void *)back)[1], 12);
    free(back);
    input_close(&input);
    pipe_in(bytes, size - 2);
    check_stream(0, 100, "holds 46 bytes of data, and its .npy header says 48", NULL, 0);
    write_file(bytes, size - 2);
    check_refused(path, 0, "holds 46 bytes of data, and its .npy header says 48");
}

/* Pairs: rows of .npy in either order, raw numbers by file and by stream. */
static void groups(void **state)
{
    static const char rows[] =
        "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 2), }\n";
    static const char flat[] =
        "{'descr': '<i2', 'fortran_order': False, 'shape': (4,), }\n";
    static const int16_t numbers[] = { 1, 3, 2, 4 }, turned[] = { 1, 2, 3, 4 };
    const clfold_layout pair = { .in_size = 4, .out_size = 4, .num_fields = 2 };
    unsigned char bytes[300];
    struct input input;
    struct message message;
    char *back;
    size_t read;

    (void)state;
    size_t written = make_npy(bytes, rows, strlen(rows), numbers, sizeof(numbers));
    write_file(bytes, written);
    assert_true(open_as(&input, path, 0, &message));
    assert_true(input_group(&input, &pair, &message));
    assert_int_equal(input.element, 4);
    assert_int_equal(input_most(&input), 2);
    assert_true(read_all(&input, 4, &back, &read, &message));
    assert_memory_equal(back, turned, sizeof(turned));
    free(back);
    input_close(&input);

    written = make_npy(bytes, flat, strlen(flat), numbers, sizeof(numbers));
    write_file(bytes, written);
    assert_true(open_as(&input, path, 0, &message));
    assert_false(input_group(&input, &pair, &message));
    assert_memory_equal(message.text, path, strlen(path));
    assert_non_null(strstr(message.text, "an array of i16 whose last dimension is 2"));
    input_close(&input);

    for (size_t size = 4; size <= 8; size += 2) {
        const char *const part = size == 6 ? "is not a multiple of the 4 of an" : NULL;
        write_file(numbers, size);
        assert_true(open_as(&input, path, CLFOLD_I16, &message));
        assert_int_equal(input_group(&input, &pair, &message), !part);
        assert_true(!part || strstr(message.text, part));
        input_close(&input);

        pipe_in(numbers, size);
        assert_true(open_as(&input, "-", CLFOLD_I16, &message));
        assert_true(input_group(&input, &pair, &message));
        assert_int_equal(read_all(&input, 12, &back, &read, &message), !part);
        assert_true(!part || strstr(message.text, part));
        free(back);
        input_close(&input);
    }
}

static void check_text(const char *name, size_t step, const char *sentence,
                       const void *expected, size_t size)
{
    struct input input;
    struct message message;
    char *data;
    size_t read;

    assert_true(input_open(&input, name, FORMAT_TEXT, CLFOLD_I16, &message));
    assert_int_equal(input.bytes, INPUT_UNKNOWN);
    assert_true(input_most(&input) >= size / 2);
    const bool done = read_all(&input, step, &data, &read, &message);
    assert_int_equal(done, !sentence);
    if (sentence) {
        assert_string_equal(message.text, sentence);
    } else {
        assert_int_equal(read, size);
        if (size > 0) {
            assert_memory_equal(data, expected, size);
        }
    }
    free(data);
    input_close(&input);
}

/* Files and streams; longer than a piece, so that pieces end in the middle of words. */
static void texts(void **state)
{
    enum { COUNT = 40000 };
    static const int16_t right[] = { -1, 2, 3 };
    static const struct {
        const char *text, *sentence; /* "": it is read */
        size_t size;                 /* then of the numbers */
    } cases[] = {
        { "-1 2,3", "", 6 },
        { "", "", 0 },
        { "1\n2 x", "line 2, byte 3: \"x\" is not a valid number of type i16", 0 },
        { "1\n2,", "line 2, byte 2: a comma with no number after it", 0 },
        /* a byte-order mark is skipped at the start, whole, and once */
        { "\xef\xbb\xbf-1 2", "", 4 },
        { "\xef\xbb\xbf", "", 0 },
        { "\xef\xbb\xbfx", "line 1, byte 1: \"x\" is not a valid number of type i16", 0 },
        { "\xef\xbb", "line 1, byte 1: \"\xef\xbb\" is not a valid number of type i16",
          0 },
        { "1 \xef\xbb\xbf",
          "line 1, byte 3: \"\xef\xbb\xbf\" is not a valid number of type i16", 0 },
    };
    static int16_t numbers[COUNT];
    char *const text = malloc(8 * COUNT);
    size_t length = 0;

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < COUNT; i++) {
        numbers[i] = (int16_t)(uint16_t)(i * 40503);
        length += (size_t)sprintf(text + length, "%d%s", numbers[i],
                                  i % 10 == 9 ? "\r\n"
                                  : i % 3     ? ","
                                              : " ");
    }
    write_file(text, length);
    for (size_t step = sizeof(numbers) - 2; step <= sizeof(numbers) + 2; step += 2) {
        check_text(path, step, NULL, numbers, sizeof(numbers));
    }
    check_text(path, 14, NULL, numbers, sizeof(numbers));
    free(text);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char sentence[256];
        const size_t size = strlen(cases[i].text);
        write_file(cases[i].text, size);
        snprintf(sentence, sizeof(sentence), "%s: %s", path, cases[i].sentence);
        check_text(path, 6, *cases[i].sentence ? sentence : NULL, right, cases[i].size);
        pipe_in(cases[i].text, size);
        snprintf(sentence, sizeof(sentence), "standard input: %s", cases[i].sentence);
        check_text("-", 6, *cases[i].sentence ? sentence : NULL, right, cases[i].size);
    }
    check_text("/dev/null", 100, NULL, NULL, 0);
    check_text("/dev/zero", 100,
               "/dev/zero: line 1, byte 1: \"????????????????????????????????????????"
               "????????????????????...\" is longer than any number of type i16",
               NULL, 0);
    check_text("/proc/self/mem", 100, "/proc/self/mem: Input/output error", NULL, 0);

    struct input input;
    struct message message;
    assert_false(input_open(&input, folder, FORMAT_TEXT, CLFOLD_I16, &message));
    assert_non_null(strstr(message.text, strerror(EISDIR)));
}

/* More than a pipe holds; files of /proc say that they are empty. */
static void long_streams(void **state)
{
    enum { SIZE = 5 * 512 * 1024 };
    char *const bytes = malloc(SIZE), *data;
    size_t read;
    struct input input;
    struct message message;

    (void)state;
    assert_non_null(bytes);
    for (size_t i = 0; i < SIZE; i++) {
        bytes[i] = (char)(i * 31 >> 3);
    }
    write_file(bytes, SIZE);
    char command[sizeof(path) + 8];
    snprintf(command, sizeof(command), "cat %s", path);
    FILE *const cat = popen(command, "r");
    assert_non_null(cat);
    assert_int_equal(dup2(fileno(cat), STDIN_FILENO), STDIN_FILENO);
    check_stream(CLFOLD_U8, SIZE / 4, NULL, bytes, SIZE);
    pclose(cat);
    free(bytes);

    assert_true(open_as(&input, "/proc/self/status", CLFOLD_U8, &message));
    assert_true(input.is_stream);
    assert_true(read_all(&input, 1 << 20, &data, &read, &message));
    assert_true(read > 100);
    assert_memory_equal(data, "Name:", 5);
    free(data);
    input_close(&input);
}

/* An array in Fortran order whose header claims 2^61 bytes costs no more memory than what
 * comes, and one of 2.5 MiB grows twice. */
static void growing_streams(void **state)
{
    static const char claim[] =
        "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 250000000000000000), }\n";
    static const char header[] =
        "{'descr': '|u1', 'fortran_order': True, 'shape': (1024, 2560), }\n";
    enum { SIZE = 1024 * 2560 };
    unsigned char *const bytes = malloc(300 + SIZE);
    struct rusage before, after;
    struct input input;
    struct message message;
    char *data;
    size_t read;

    (void)state;
    assert_non_null(bytes);
    getrusage(RUSAGE_SELF, &before);
    pipe_in(bytes, make_npy(bytes, claim, strlen(claim), three, sizeof(three)));
    check_stream(0, 1000, "holds 12 bytes of data, and its .npy header says", NULL, 0);
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 32 * 1024); /* KiB */

    const size_t size = make_npy(bytes, header, strlen(header), "", 0);
    for (size_t i = 0; i < SIZE; i++) {
        bytes[size + i] = (unsigned char)(i * 31 >> 3);
    }
    write_file(bytes, size + SIZE);
    assert_true(open_as(&input, path, 0, &message));
    assert_true(read_all(&input, 12345, &data, &read, &message));
    assert_int_equal(read, SIZE);
    for (size_t i = 0; i < SIZE; i++) {
        const size_t place = i % 2560 * 1024 + i / 2560;
        if ((unsigned char)data[i] != bytes[size + place]) {
            fail_msg("element %zu is not that at %zu", i, place);
        }
    }
    free(data);
    free(bytes);
    input_close(&input);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_files), cmocka_unit_test(refused_files),
        cmocka_unit_test(changed_files), cmocka_unit_test(streams),
        cmocka_unit_test(long_streams),  cmocka_unit_test(growing_streams),
        cmocka_unit_test(byte_orders),   cmocka_unit_test(texts),
        cmocka_unit_test(fortran_order), cmocka_unit_test(bools),
        cmocka_unit_test(groups),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
