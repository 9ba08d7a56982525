/*
 * A program that the lab measures, in C or C++: what it shares with others. It gives a
 * struct lab_program to lab_main, which speaks the protocol on standard input and output:
 * docs/lab.md has it.
 *
 *     driver     data ...    call 0 ...    round 0 5     check 0 FILE
 *     program          {}          {}    {"seconds": }             {}
 */
#ifndef CLFOLD_LAB_PROGRAM_H
#define CLFOLD_LAB_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LAB_ARRAYS = 8, LAB_CALLS = 64, LAB_FIELDS = 256 }; /* of a request */

/* An array of the data, or room for results. */
struct lab_array {
    char name[24];     /* "in", "heads", a stream's name; "out", "also", "num" */
    const void *bytes; /* of an input, while the sets are made: not to be written */
    size_t size;       /* in bytes */
};

/* What the driver has made. All sets together are larger than the caches. */
struct lab_data {
    size_t count; /* elements */
    size_t sets;  /* of copies of the inputs and of outputs, which calls take in turn */
    size_t num_in, num_out;
    struct lab_array in[LAB_ARRAYS], out[LAB_ARRAYS];
};

/* That input or output, or NULL. */
const struct lab_array *lab_find(const struct lab_array *arrays, size_t num,
                                 const char *name);
#define lab_in(data, name)  lab_find((data)->in, (data)->num_in, name)
#define lab_out(data, name) lab_find((data)->out, (data)->num_out, name)

/* Members may be NULL where it says so. A failure ends the program by lab_fail. */
struct lab_program {
    const char *name;
    /* Chooses the device, NULL being the default, and tells it by lab_runs_on. */
    void (*open)(const char *device);
    /* What it has, as "read plain", one after the other; NULL: calls are as the driver's
     * words say. */
    const char *(*has)(size_t index);
    /* Makes the sets. What was made before is given back first. */
    void (*data)(const struct lab_data *data);
    /* Gets ready for that call; false: it has no such call, and lab_refuse has said why. */
    bool (*call)(unsigned id, const char *tuning, int num_words, char **words);
    /* Members of the answer about a call that is ready, by lab_put_*; or NULL. */
    void (*describe)(unsigned id);
    /* Makes it on a set; returns when it is done. */
    void (*make)(unsigned id, size_t set);
    /* The same, and seconds by the device's clock, or -1; or NULL. */
    double (*time)(unsigned id, size_t set);
    /* Fills all outputs of the set with that byte; and copies one, by its number. */
    void (*spoil)(size_t set, unsigned char byte);
    void (*read)(size_t set, size_t out, void *to);
    /* Another request, "trace", with its words after the ID; or NULL. */
    void (*request)(const char *name, unsigned id, const char *path);
    void (*close)(void); /* or NULL */
};

int lab_main(int argc, char **argv, const struct lab_program *program);

/* Members of the object that is being answered. */
void lab_put_text(const char *key, const char *text);
void lab_put_number(const char *key, double number);

/* Where it runs, in the first line: the device, its number among OpenCL's or -1, its
 * platform and driver or "". Other members may follow, such as "version". */
void lab_runs_on(const char *device, int index, const char *platform, const char *driver,
                 bool is_cpu);

/* One sentence under that key. Always false. */
bool lab_say(const char *key, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Ends the program, once it has said why. */
void lab_stop(void) __attribute__((noreturn));
#define lab_refuse(...) lab_say("unsupported", __VA_ARGS__)
#define lab_end(...)    (lab_say(__VA_ARGS__), lab_stop()) /* "failed", "no_device" */
#define lab_fail(...)   lab_end("failed", __VA_ARGS__)

/* Host programs: memory with every page touched, and the sets of the data in it. */
void *lab_allocate(size_t bytes);
struct lab_set {
    void *in[LAB_ARRAYS], *out[LAB_ARRAYS]; /* as lab_data has them */
};
/* All sets; the last ones are given back. */
const struct lab_set *lab_host_sets(const struct lab_data *data);
void lab_host_spoil(size_t set, unsigned char byte);
void lab_host_read(size_t set, size_t out, void *to);

#ifdef __cplusplus
}
#endif

#endif
