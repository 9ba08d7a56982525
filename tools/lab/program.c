#include "program.h"

#include "../clfold/clock.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct lab_program *program;
struct lab_data lab_data; /* of no sets before the first */
static const struct lab_memory *memory;
static bool is_ready[LAB_CALLS], has_members;
static FILE *answers;

static void put_string(const char *text)
{
    putc('"', answers);
    for (; *text; text++) {
        const bool is_control = (unsigned char)*text < ' ';
        fprintf(answers,
                is_control              ? "\\u%04x"
                : strchr("\"\\", *text) ? "\\%c"
                                        : "%c",
                *text);
    }
    putc('"', answers);
}

static void put_key(const char *key)
{
    fprintf(answers, "%s\"%s\": ", has_members ? ", " : "{", key);
    has_members = true;
}

static void end_answer(void)
{
    fputs(has_members ? "}\n" : "{}\n", answers);
    fflush(answers);
    has_members = false;
}

void lab_put_text(const char *key, const char *text)
{
    put_key(key);
    put_string(text);
}

void lab_put_number(const char *key, double number)
{
    put_key(key);
    fprintf(answers, isfinite(number) ? "%.17g" : "null", number);
}

void lab_runs_on(const char *device, int index, const char *platform, const char *driver,
                 bool is_cpu)
{
    lab_put_text("device", device);
    lab_put_number("index", index);
    lab_put_text("platform", platform);
    lab_put_text("driver", driver);
    put_key("is_cpu");
    fputs(is_cpu ? "true" : "false", answers);
}

void lab_put_calls(const char *const *calls, size_t num)
{
    put_key("calls");
    for (size_t i = 0; i < num; i++) {
        fputs(i == 0 ? "[" : ", ", answers);
        put_string(calls[i]);
    }
    putc(']', answers);
}

bool lab_say(const char *key, const char *format, ...)
{
    char text[16384];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    lab_put_text(key, text);
    return false;
}

void lab_stop(void)
{
    end_answer();
    exit(1);
}

/* ---- Data ---- */

size_t lab_find(const struct lab_array *arrays, const char *name)
{
    size_t i = 0;

    while (i < LAB_ARRAYS && strcmp(arrays[i].name, name) != 0) {
        i++;
    }
    return i;
}

static size_t read_number(const char *text, size_t least, size_t most)
{
    char *end;
    const unsigned long long number = strtoull(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || number < least || number > most) {
        lab_fail("%s is not a number from %zu to %zu", text, least, most);
    }
    return (size_t)number;
}

/* The last bytes of a file, which are the array after any header. The caller's. */
static void *read_file(const char *path, size_t bytes)
{
    FILE *const file = fopen(path, "rb");
    void *const array = lab_allocate(bytes);

    if (!file || fseek(file, -(long)bytes, SEEK_END) != 0 ||
        fread(array, 1, bytes, file) < bytes) {
        lab_fail("%s: is not a file of %zu bytes", path, bytes);
    }
    fclose(file);
    return array;
}

static void take_array(char *field)
{
    struct lab_array array = { .bytes = NULL };
    int at = 0;

    (void)sscanf(field, "%23[^=]=%n", array.name, &at);
    char *const colon = strrchr(field + at, ':');
    size_t *const num = colon ? &lab_data.num_in : &lab_data.num_out;
    if (at == 0 || *num == LAB_ARRAYS) {
        lab_fail("data: %s is not of the form NAME=PATH:BYTES, or one too many", field);
    }
    array.size = read_number(colon ? colon + 1 : field + at, 0, (size_t)1 << 40);
    if (colon) {
        *colon = '\0';
        array.bytes = read_file(field + at, array.size);
    }
    (colon ? lab_data.in : lab_data.out)[(*num)++] = array;
}

/* Copies bytes into memory, or if there are none, so many of one. */
static void fill(void *to, const void *from, size_t bytes, int byte)
{
    void *const all = from ? NULL : memset(lab_allocate(bytes), byte, bytes);

    if (bytes > 0) {
        memory->write(to, from ? from : all, bytes);
    }
    free(all);
}

static void drop_sets(void)
{
    for (size_t i = 0; i < lab_data.num_sets; i++) {
        for (size_t k = 0; k < lab_data.num_in; k++) {
            memory->release(lab_data.sets[i].in[k]);
        }
        for (size_t k = 0; k < lab_data.num_out; k++) {
            memory->release(lab_data.sets[i].out[k]);
        }
    }
    free(lab_data.sets);
}

static void take_data(char **fields)
{
    memset(is_ready, 0, sizeof(is_ready));
    drop_sets();
    lab_data = (struct lab_data){ .count = read_number(fields[1], 0, SIZE_MAX / 4) };
    const size_t num = read_number(fields[2], 1, 1 << 16);
    for (fields += 3; *fields; fields++) {
        take_array(*fields);
    }
    lab_data.sets = lab_allocate(num * sizeof(*lab_data.sets));
    for (; lab_data.num_sets < num; lab_data.num_sets++) {
        struct lab_set *const set = &lab_data.sets[lab_data.num_sets];
        for (size_t k = 0; k < lab_data.num_in; k++) {
            set->in[k] = memory->create(lab_data.in[k].size);
            fill(set->in[k], lab_data.in[k].bytes, lab_data.in[k].size, 0);
        }
        for (size_t k = 0; k < lab_data.num_out; k++) {
            set->out[k] = memory->create(lab_data.out[k].size);
            fill(set->out[k], NULL, lab_data.out[k].size, 0);
        }
    }
    if (program->data) {
        program->data();
    }
    for (size_t k = 0; k < lab_data.num_in; k++) {
        free((void *)(uintptr_t)lab_data.in[k].bytes);
        lab_data.in[k].bytes = NULL;
    }
}

/* ---- Memory of host programs ---- */

/* To whole pages, one at least. */
#define ROOM(bytes) (((bytes) | 4095) + 1)

static void *create(size_t bytes)
{
    void *const array = aligned_alloc(4096, ROOM(bytes));

    if (!array) {
        lab_fail("there is not enough memory for %zu bytes", bytes);
    }
    return array;
}

void *lab_allocate(size_t bytes)
{
    return memset(create(bytes), 0, ROOM(bytes));
}

static void copy(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

static const struct lab_memory host = { create, free, copy, copy };

/* ---- Calls ---- */

size_t lab_find_call(const char *const *calls, size_t num, int num_words, char **words,
                     size_t *times)
{
    const size_t lines = (lab_data.in[lab_in("in")].size + 63) / 64,
                 room = (lab_data.out[lab_out("out")].size + 63) / 64;
    const bool copies = strcmp(words[0], "copy") == 0;
    char name[64];
    size_t i = 0;

    snprintf(name, sizeof(name), num_words > 1 ? "%s %s" : "%s", words[0], words[1]);
    *times = copies && num_words == 3 ? strtoul(words[2], NULL, 10) : 1;
    while (i < num && strcmp(calls[i], name) != 0) {
        i++;
    }
    const bool has_room = *times > 0 && lines > 0 && (!copies || room / *times >= lines);
    if (i == num || num_words > 2 + copies || !has_room) {
        lab_refuse("there is no %s of that data", name);
        return num;
    }
    return i;
}

static void take_round(unsigned id, size_t calls, bool has_events)
{
    static size_t last;

    program->make(id, ++last % lab_data.num_sets);
    const double begin = clock_now();
    for (size_t i = 0; i < calls; i++) {
        program->make(id, ++last % lab_data.num_sets);
    }
    lab_put_number("seconds", (clock_now() - begin) / (double)calls);
    if (has_events) {
        const double seconds =
            program->time ? program->time(id, ++last % lab_data.num_sets) : -1;
        lab_put_number("event_seconds", seconds < 0 ? (double)NAN : seconds);
    }
}

static void take_check(unsigned id, const char *path)
{
    FILE *const file = fopen(path, "wb");
    const struct lab_array *const out = lab_data.out;
    void *const *const arrays = lab_data.sets[0].out;

    for (size_t k = 0; k < lab_data.num_out; k++) {
        fill(arrays[k], NULL, out[k].size, 0xa5);
    }
    program->make(id, 0);
    if (program->settle) {
        program->settle(0);
    }
    for (size_t k = 0; file && k < lab_data.num_out; k++) {
        void *const bytes = lab_allocate(out[k].size);
        if (out[k].size > 0) {
            memory->read(bytes, arrays[k], out[k].size);
        }
        fwrite(bytes, 1, out[k].size, file);
        free(bytes);
    }
    const bool is_bad = !file || ferror(file);
    if (is_bad || fclose(file) != 0) {
        lab_fail("%s: cannot be written", path);
    }
}

static void take(char *line)
{
    char *fields[LAB_FIELDS + 1] = { NULL };
    int num = 0;

    while (line && num < LAB_FIELDS) {
        fields[num++] = strsep(&line, "\t");
    }
    const char *const name = fields[0];
    const unsigned id = num < 3 || strcmp(name, "data") == 0
                            ? 0
                            : (unsigned)read_number(fields[1], 0, LAB_CALLS - 1);
    if (strcmp(name, "data") == 0 && num > 2 && !line) {
        take_data(fields);
    } else if (strcmp(name, "call") == 0 && num > 3 && !line && lab_data.num_sets > 0) {
        is_ready[id] = program->call(id, fields[2], num - 3, fields + 3);
        if (is_ready[id]) {
            program->make(id, 0);
        }
        if (is_ready[id] && program->describe) {
            program->describe(id);
        }
    } else if (!is_ready[id]) {
        lab_fail("%s with %d fields: is not a request, or there are no data or call",
                 name, num);
    } else if (strcmp(name, "round") == 0 && (num == 3 || num == 4)) {
        take_round(id, read_number(fields[2], 1, 1 << 30), num == 4);
    } else if (strcmp(name, "check") == 0 && num == 3) {
        take_check(id, fields[2]);
    } else if (strcmp(name, "trace") == 0 && num == 3 && program->request) {
        program->request(name, id, fields[2]);
    } else {
        lab_fail("%s with %d fields is not a request of %s", name, num, program->name);
    }
}

int lab_main(int argc, char **argv, const struct lab_program *which)
{
    char *line = NULL;
    size_t room = 0;

    /* What a driver prints, or a kernel, is not an answer. */
    answers = fdopen(dup(STDOUT_FILENO), "w");
    dup2(STDERR_FILENO, STDOUT_FILENO);
    program = which;
    memory = program->memory ? program->memory : &host;
    if (!(argc == 1 || (argc == 3 && strcmp(argv[1], "--device") == 0))) {
        lab_fail("usage: %s [--device DEVICE]", argv[0]);
    }
    lab_put_text("program", program->name);
    if (program->open) {
        program->open(argc == 3 ? argv[2] : NULL);
    } else {
        lab_runs_on("host", -1, "", "", true);
    }
    end_answer();
    while (getline(&line, &room, stdin) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        take(line);
        end_answer();
    }
    drop_sets();
    if (program->close) {
        program->close();
    }
    free(line);
    fclose(answers);
    return 0;
}
