/*
 * The programs that calls get, without a device: some folds and devices that stand for
 * all, and the texts of a call's stages. gpu_texts writes them for tools/codegen, and
 * tests/support/every_text.c lists them for lint.
 */
#ifndef CLFOLD_TOOLS_PROGRAMS_H
#define CLFOLD_TOOLS_PROGRAMS_H

#include "plan/plan.h"
#include "plan/user_fold.h"

/* Of the vendors, the facts are what their drivers tell, and the tier what they are found
 * to have. */
struct listed_device {
    const char *name;
    struct device_facts facts;
    enum memory_tier tier; /* MEMORY_NONE: tests take any */
};
#define LISTED_DEVICES 7
#define TESTED_DEVICES 4 /* these are first */
extern const struct listed_device listed_devices[LISTED_DEVICES];

/* Of the first, tests make the most calls. */
#define TESTED_FOLDS 33
extern const clfold_fold listed_folds[];
extern const size_t num_listed_folds;

/* What is asked for. The name is what its programs call the fold. */
struct call {
    const char *name;
    clfold_fold fold; /* with its segments and places, of which only types count */
    clfold_operation operation;
    enum algorithm algorithm;
    const struct device_facts *device;
    enum memory_tier tier;
    clfold_type places; /* of offsets that are found */
    bool traced, finds_bad;
};

struct program {
    const struct call *call; /* its operation is 0 where it is a caller's kernel */
    const struct monoid *monoid;
    const struct candidate *candidate;
    const struct plan *plan;
    uint32_t stage; /* in the plan */
    const char *text;
};

struct visitor {
    void (*visit)(void *user, const struct program *program);
    void *user;
};

/* Each text of the call, by each tile that the device would take, or the first only.
 * False, and nothing is visited, where the library rejects the call. */
bool list_call(const struct call *call, bool each, const struct visitor *visitor);

/* A kernel that calls the functions which clfold_group_text() gives, in groups of `size`;
 * of the call only name, fold and device count. */
bool list_group(const struct call *call, uint32_t size, const struct visitor *visitor);

/* The text's bytes; ends the program where it is not whole. */
const char *whole_text(const char *name, const struct text *text);

#endif
