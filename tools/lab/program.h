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
    const void *bytes; /* of an input, while data are taken: not to be written */
    size_t size;       /* in bytes */
};

/* Copies of the inputs, and outputs: what a call may use. */
struct lab_set {
    void *in[LAB_ARRAYS + 1], *out[LAB_ARRAYS + 1];
};

/* What the driver has made. All sets together are larger than the caches. A place of
 * LAB_ARRAYS is that of no array: of 0 bytes, and NULL. */
struct lab_data {
    size_t count, num_sets, num_in, num_out;
    struct lab_array in[LAB_ARRAYS + 1], out[LAB_ARRAYS + 1];
    struct lab_set *sets;
};
extern struct lab_data lab_data;

/* The place of that input or output; LAB_ARRAYS: none. */
size_t lab_find(const struct lab_array *arrays, const char *name);
#define lab_in(name)  lab_find(lab_data.in, name)
#define lab_out(name) lab_find(lab_data.out, name)

/* Where sets are. No copy is of 0 bytes. */
struct lab_memory {
    void *(*create)(size_t bytes); /* also of 0, and of whole lines of 64 */
    void (*release)(void *memory);
    void (*write)(void *memory, const void *from, size_t bytes);
    void (*read)(void *to, const void *memory, size_t bytes);
};

/* The first three may not be NULL. A failure ends the program by lab_fail. */
struct lab_program {
    const char *name;
    /* Gets ready for that call; false: there is none, and lab_refuse has said why. */
    bool (*call)(unsigned id, const char *tuning, int num_words, char **words);
    /* Makes it on a set; returns when it is done. */
    void (*make)(unsigned id, size_t set);
    const struct lab_memory *memory; /* NULL: the host's */
    /* Chooses the device, NULL being the default, and tells it by lab_runs_on; NULL: the
     * host. */
    void (*open)(const char *device);
    /* The data are new: what was made of older ones is given back. */
    void (*data)(void);
    /* What is known of a call once it is made: members of the answer. */
    void (*describe)(unsigned id);
    /* Makes it: seconds by the device's clock, or -1. */
    double (*time)(unsigned id, size_t set);
    /* Of the results of a call that is not timed: where they are elsewhere, as a number
     * that the host has, they are put into the outputs. */
    void (*settle)(size_t set);
    /* Another request, "trace", with its words after the ID. */
    void (*request)(const char *name, unsigned id, const char *path);
    void (*close)(void);
};

int lab_main(int argc, char **argv, const struct lab_program *program);

/* Members of the object that is being answered. */
void lab_put_text(const char *key, const char *text);
void lab_put_number(const char *key, double number);
/* What else than operations it has, in its first line: "read plain". */
void lab_put_calls(const char *const *calls, size_t num);
/* Which of these the words of a call name, and how often it writes what it reads, for
 * which the outputs have room; or `num`. */
size_t lab_find_call(const char *const *calls, size_t num, int num_words, char **words,
                     size_t *times);

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

/* Memory with every page touched: zeros. */
void *lab_allocate(size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
