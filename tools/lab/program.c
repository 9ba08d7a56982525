#include "program.h"

#include "../clfold/clock.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static const struct lab_program *program;
static struct lab_data all; /* of no sets before the first */
static bool is_ready[LAB_CALLS], has_members;
static FILE *answers;

/* A byte that is not UTF-8 becomes the character that says so. */
static void put_string(const char *text)
{
    putc('"', answers);
    for (size_t size; *text; text += size) {
        wchar_t c = 0xfffd;
        size = mbrtowc(&c, text, MB_LEN_MAX, &(mbstate_t){ 0 });
        if (size > MB_LEN_MAX || c < ' ') {
            fprintf(answers, "\\u%04x", (unsigned)c);
            size = 1;
        } else {
            fprintf(answers, "%s%.*s", strchr("\"\\", *text) ? "\\" : "", (int)size,
                    text);
        }
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

const struct lab_array *lab_find(const struct lab_array *arrays, size_t num,
                                 const char *name)
{
    size_t i = 0;

    while (i < num && strcmp(arrays[i].name, name) != 0) {
        i++;
    }
    return i < num ? &arrays[i] : NULL;
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
    size_t *const num = colon ? &all.num_in : &all.num_out;
    if (at == 0 || *num == LAB_ARRAYS) {
        lab_fail("data: %s is not of the form NAME=PATH:BYTES, or one too many", field);
    }
    array.size = read_number(colon ? colon + 1 : field + at, 0, (size_t)1 << 40);
    if (colon) {
        *colon = '\0';
        array.bytes = read_file(field + at, array.size);
    }
    (colon ? all.in : all.out)[(*num)++] = array;
}

static void take_data(char **fields)
{
    memset(is_ready, 0, sizeof(is_ready));
    all = (struct lab_data){ .count = read_number(fields[1], 0, SIZE_MAX / 4),
                             .sets = read_number(fields[2], 1, 1 << 16) };
    for (fields += 3; *fields; fields++) {
        take_array(*fields);
    }
    program->data(&all);
    for (size_t k = 0; k < all.num_in; k++) {
        free((void *)(uintptr_t)all.in[k].bytes);
        all.in[k].bytes = NULL;
    }
}

/* ---- Memory of host programs ---- */

static struct lab_set *host_sets;
static char *host_memory;

/* To whole pages, one at least. */
#define ROOM(bytes) (((bytes) | 4095) + 1)

void *lab_allocate(size_t bytes)
{
    void *const memory = aligned_alloc(4096, ROOM(bytes));

    if (!memory) {
        lab_fail("there is not enough memory for %zu bytes", bytes);
    }
    return memset(memory, 0, ROOM(bytes));
}

const struct lab_set *lab_host_sets(const struct lab_data *data)
{
    size_t bytes = 0;

    for (size_t k = 0; k < LAB_ARRAYS; k++) {
        bytes += ROOM(data->in[k].size) + ROOM(data->out[k].size);
    }
    free(host_memory);
    free(host_sets);
    char *at = host_memory = lab_allocate(data->sets * bytes);
    host_sets = lab_allocate(data->sets * sizeof(*host_sets));
    for (size_t i = 0; i < data->sets * LAB_ARRAYS; i++) {
        const size_t k = i % LAB_ARRAYS;
        struct lab_set *const set = &host_sets[i / LAB_ARRAYS];
        set->in[k] =
            k < data->num_in ? memcpy(at, data->in[k].bytes, data->in[k].size) : at;
        set->out[k] = at += ROOM(data->in[k].size);
        at += ROOM(data->out[k].size);
    }
    return host_sets;
}

void lab_host_spoil(size_t set, unsigned char byte)
{
    for (size_t k = 0; k < all.num_out; k++) {
        memset(host_sets[set].out[k], byte, all.out[k].size);
    }
}

void lab_host_read(size_t set, size_t out, void *to)
{
    memcpy(to, host_sets[set].out[out], all.out[out].size);
}

/* ---- Calls ---- */

static void take_round(unsigned id, size_t calls, bool has_events)
{
    static size_t last;

    program->make(id, ++last % all.sets);
    const double begin = clock_now();
    for (size_t i = 0; i < calls; i++) {
        program->make(id, ++last % all.sets);
    }
    lab_put_number("seconds", (clock_now() - begin) / (double)calls);
    if (has_events) {
        const double seconds = program->time ? program->time(id, ++last % all.sets) : -1;
        lab_put_number("event_seconds", seconds < 0 ? (double)NAN : seconds);
    }
}

static void take_check(unsigned id, const char *path)
{
    FILE *const file = fopen(path, "wb");

    program->spoil(0, 0xa5);
    program->make(id, 0);
    for (size_t k = 0; file && k < all.num_out; k++) {
        void *const bytes = lab_allocate(all.out[k].size);
        program->read(0, k, bytes);
        fwrite(bytes, 1, all.out[k].size, file);
        free(bytes);
    }
    if (!file || ferror(file) | fclose(file)) {
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
    } else if (strcmp(name, "call") == 0 && num > 3 && !line && all.sets > 0) {
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
    const char *name;
    char *line = NULL;
    size_t room = 0;

    setlocale(LC_CTYPE, "C.UTF-8");
    /* What a driver prints, or a kernel, is not an answer. */
    answers = fdopen(dup(STDOUT_FILENO), "w");
    dup2(STDERR_FILENO, STDOUT_FILENO);
    program = which;
    if (!(argc == 1 || (argc == 3 && strcmp(argv[1], "--device") == 0))) {
        lab_fail("usage: %s [--device DEVICE]", argv[0]);
    }
    lab_put_text("program", program->name);
    program->open(argc == 3 ? argv[2] : NULL);
    for (size_t i = 0; program->has && (name = program->has(i)); i++) {
        fputs(i == 0 ? ", \"calls\": [" : ", ", answers);
        put_string(name);
    }
    fputs(program->has ? "]" : "", answers);
    end_answer();
    while (getline(&line, &room, stdin) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        take(line);
        end_answer();
    }
    if (program->close) {
        program->close();
    }
    free(host_memory);
    free(host_sets);
    free(line);
    fclose(answers);
    return 0;
}
