/*
 * A program on the host's memory that is compiled for one case: all of it but the call,
 * which it defines as case_make. UNSUPPORTED is defined before this if there is none.
 */
#ifndef CLFOLD_LAB_HOST_H
#define CLFOLD_LAB_HOST_H

#include "case.h"

#include <stdlib.h>

/* What a call knows of a set; and a loop of element i. */
#define CASE_ARRAYS                                                                      \
    size_t n, const case_element *in, const case_y *ys, const case_head *heads,          \
        case_item *out, case_other *also
#define CASE_THESE n, in, ys, heads, out, also
#define CASE_UNUSED                                                                      \
    (void)n, (void)in, (void)ys, (void)heads, (void)out, (void)also, (void)case_segments
#if CASE_STREAM
#define CASE_OF(i) in[i], ys[i], i, n
#else
#define CASE_OF(i) in[i], 0, i, n
#endif
#define LOAD(i) case_load(CASE_OF(i))
#define KEEP(i) case_keep(CASE_OF(i))

/* Segment k, of so many, is from BEGIN to before END, where their number is known. */
static size_t case_segments, *case_begins;
#if CASE_LENGTH
#define BEGIN(k) ((k) * (size_t)CASE_LENGTH)
#define END(k)   (n - BEGIN(k) < CASE_LENGTH ? n : BEGIN(k) + CASE_LENGTH)
#elif CASE_BY_OFFSETS
#define BEGIN(k) ((size_t)heads[k])
#define END(k)   ((size_t)heads[(k) + 1])
#else
#define BEGIN(k) case_begins[k]
#define END(k)   case_begins[(k) + 1]
#endif
/* Whether a segment or a run of neighbours begins at i > 0. */
#if CASE_RUNS
#define BEGINS(i) (in[i] != in[(i)-1])
#elif CASE_BY_KEYS
#define BEGINS(i) (heads[i] != heads[(i)-1])
#elif CASE_BY_FLAGS
#define BEGINS(i) (heads[i] != 0)
#else
#define BEGINS(i) true
#endif

/* Returns how many it has kept or written. */
static size_t case_make(CASE_ARRAYS);

static struct lab_data case_data;
static const struct lab_set *case_sets;

static void *case_array(const struct lab_array *array, const struct lab_array *first,
                        void *const *arrays)
{
    return array ? arrays[array - first] : NULL;
}

static void case_make_set(unsigned id, size_t set)
{
#define IN(name)  case_array(lab_in(data, name), data->in, case_sets[set].in)
#define OUT(name) case_array(lab_out(data, name), data->out, case_sets[set].out)
    const struct lab_data *const data = &case_data;
    uint64_t *const num = (uint64_t *)OUT("num");
    const size_t made = case_make(data->count, (const case_element *)IN("in"),
                                  (const case_y *)IN("y"), (const case_head *)IN("heads"),
                                  (case_item *)OUT("out"), (case_other *)OUT("also"));

    (void)id;
    if (num) {
        *num = made;
    }
}

static void case_take(const struct lab_data *data)
{
    const struct lab_array *const array = lab_in(data, "heads");
    const case_head *const heads = array ? (const case_head *)array->bytes : NULL;

    case_data = *data;
    case_sets = lab_host_sets(data);
#if CASE_LENGTH
    case_segments = (data->count + CASE_LENGTH - 1) / CASE_LENGTH;
#elif CASE_BY_OFFSETS
    case_segments = array->size / sizeof(*heads) - 1;
#elif CASE_BY_FLAGS || CASE_BY_KEYS
    free(case_begins);
    case_begins = (size_t *)lab_allocate((data->count + 1) * sizeof(*case_begins));
    case_segments = 0;
    for (size_t i = 0; i < data->count; i++) {
        if (i == 0 || BEGINS(i)) {
            case_begins[case_segments++] = i;
        }
    }
    case_begins[case_segments] = data->count;
#endif
    (void)heads, (void)case_begins;
}

static void case_open(const char *device)
{
    (void)device;
    lab_runs_on("host", -1, "", "", true);
}

static bool case_call(unsigned id, const char *tuning, int num_words, char **words)
{
    (void)id, (void)tuning, (void)num_words, (void)words;
#ifdef UNSUPPORTED
    return lab_refuse(UNSUPPORTED);
#else
    return true;
#endif
}

static int case_main(int argc, char **argv, const char *name)
{
    static struct lab_program program;

    program.name = name;
    program.open = case_open;
    program.data = case_take;
    program.call = case_call;
    program.make = case_make_set;
    program.spoil = lab_host_spoil;
    program.read = lab_host_read;
    return lab_main(argc, argv, &program);
}

#endif
