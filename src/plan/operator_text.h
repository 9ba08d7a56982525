/*
 * The text of a fold's operator: each text of the monoid made a function of its own, once
 * for each width that a program needs. Arguments of the caller's are parameters of these
 * functions by the caller's names, and of all others as CLFOLD_WITH.
 */
#ifndef CLFOLD_PLAN_OPERATOR_TEXT_H
#define CLFOLD_PLAN_OPERATOR_TEXT_H

#include "base/text.h"
#include "plan/facet.h"
#include "plan/monoid.h"

/* "float"; of a type that only OpenCL C knows "clfold_opaque". */
const char *clfold_cl_name(clfold_type type);

/* What a fold may need besides the arguments of the caller: a bit for each group. */
enum own_group {
    OWN_PLACE = 1,    /* where the input begins, and how many elements there are */
    OWN_SEGMENT = 2,  /* how rows or columns lie */
    OWN_PART = 4,     /* of a larger call: where it is, and where its carry goes */
    OWN_HEADS = 8,    /* heads of segments; of scans CLFOLD_START_PARAMS follow */
    OWN_KEYS = 16,    /* the keys before and at the end of a part */
    OWN_OFFSETS = 32, /* where segments begin, and one that is near what is asked for */
    OWN_NUM = 64,     /* where it stands how many segments there are */
    OWN_SELECT = 128, /* where the output begins, and where the others go */
    OWN_RUNS = 256,   /* where the lengths of runs go, and where the last ends */
    OWN_COUNT = 512,  /* where it stands how many elements there are; with OWN_PLACE */
    OWN_PLACES = 1024 /* of what a scan keeps, once they are found */
};
uint32_t clfold_own_groups(const struct monoid *monoid, const struct use *use);

/* The parameters of these groups, after the caller's; ends with a type of NULL. */
struct own_param {
    uint32_t group;
    const char *type, *name; /* in OpenCL C */
    struct param param;
};
extern const struct own_param clfold_own_params[];

/* CLFOLD_WITH and its kin: parameters and arguments. */
void clfold_append_with(struct text *text, const struct monoid *monoid,
                        const struct use *use);

/* Appends what a program needs of a fold, at the width "" or "16". */
typedef void clfold_append(struct text *text, const struct monoid *monoid,
                           const char *width);

/* What to_f32 and pick are in the text that follows. */
clfold_append clfold_append_forms;
/* What comes before the contract: what pick() is if texts are compiled for 16 too, the
 * caller's source, and the opaque type. */
clfold_append clfold_append_source;
/* clfold_equal of two keys; clfold_identity; clfold_rounded of an item, or of 16. */
clfold_append clfold_append_equal, clfold_append_identity, clfold_append_rounded;
/* The operator, by its name: "clfold_combine", "clfold_combine_stage16", ... */
clfold_append clfold_append_combine;
/* A condition on b: "clfold_cuts", "clfold_is_rare", ... */
clfold_append clfold_append_condition;

#endif
