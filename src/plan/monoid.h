/*
 * A monoid: the types folded, the operator, and the number of components. Built-in
 * operators have this form, and so have a caller's own, which user_fold.c makes.
 *
 * The operator's text is written once and compiled at several widths, so it is made of
 * operators, `?:` and OpenCL's type-generic built-ins; a relation may only feed `?:`, `&`
 * and `|`. With one component the text speaks of a and b, with several of a.name, b.name.
 *
 * A component is folded in two types, one mechanism for all that is narrow inside a tile.
 * Signed sums and products are folded as unsigned: in OpenCL C, as in C, a signed
 * overflow is undefined.
 *
 *   add      u8 into u64     stage uint, emptied before it could wrap
 *   add      f16 into f16    stage float
 *   max      u8 into u64     stage uchar: the greatest element is an element
 *   arg-max  f32             stage float, and uint for the index: a position in the tile,
 *                            to which emptying adds the tile's own index
 */
#ifndef CLFOLD_PLAN_MONOID_H
#define CLFOLD_PLAN_MONOID_H

#include "base/error.h"

#include <stdbool.h>

#define CLFOLD_MAX_COMPONENTS 4
#define CLFOLD_MAX_PARTS      (CLFOLD_MAX_COMPONENTS + 1)
#define CLFOLD_MAX_ARGS       8

/* What a component is of an element. */
enum load {
    LOAD_PLAIN,     /* a scalar of it */
    LOAD_CONVERTED, /* that, as `result` before it becomes `stage` */
    LOAD_TRUTH,     /* 1 unless the scalar is 0 */
    LOAD_BITS,      /* its bits, as another type of that size */
    LOAD_ONE,       /* 1, whatever it is */
    LOAD_ZERO,      /* 0 */
    LOAD_NEUTRAL,   /* the component's neutral value */
    LOAD_BINNED,    /* the scalar, as `result`, in bins */
    LOAD_HEAD,      /* whether a segment starts there: -1, else 0 */
    LOAD_POSITION   /* its place, counted from the tile's first element in the stage and
                        from in_offset in the item */
};

struct component {
    const char *name;   /* "v"; "a", "b" */
    clfold_type result; /* what comes out */
    clfold_type item;   /* the folded type: as many bits, but integers that wrap around */
    clfold_type stage;  /* the type inside a tile; may be narrower, or wider */
    enum load load;
    /* of a and b, a first: "min(a, b)", "b.x < a.x ? b.y : a.y"; NULL: the monoid has one
     * text for all components */
    const char *combine;
    const char *identity;
    uint32_t scalar;     /* which of the element's */
    const char *neutral; /* in the stage: keeps the bits of what follows; or NULL */
    const char *usual;   /* combine, where neither is rare */
    /* combine where all of a is before b, if that is less work; NULL: `combine` */
    const char *extend;
};

/* What a text about an element uses. */
struct uses {
    bool x, in;    /* the element, any other */
    bool prev;     /* of a result: the fold of all before the element */
    bool segment;  /* the segment's number, or the place in it */
    bool rank;     /* the latter */
    bool at;       /* where an element goes, of a select's store */
    bool n;        /* the number of all elements */
    bool lanes;    /* so it takes one element after the other, not 16 at once */
    uint32_t args; /* a bit each */
};

/*
 * In memory an element is num_scalars of `in` side by side, and a result num_components
 * cells. Where components differ in size, or are of a type that only OpenCL C knows, it
 * is the struct of them.
 *
 * A result may be smaller than its item. Where `rounded` is set it is one scalar, made of
 * all components. And where `lifted` is, its item has one part more, which says whether a
 * segment starts in it, and is cut there.
 *
 *   item      a | 0        b | 0       c | -1      d | 0
 *   combined  a | 0       ab | 0       c | -1     cd | -1
 */
struct monoid {
    const char *name;  /* "add" */
    const char *form;  /* what is folded, where `type` is 0: "float a; int b" */
    clfold_op op;      /* 0: not built in */
    uint32_t accuracy; /* CLFOLD_DETERMINISTIC, ... */
    clfold_type in;    /* the buffer's scalars, num_scalars of them an element */
    clfold_type value; /* what they are read as: `in`, but F32 for halves that are folded
                             in a wider type, since any device can read them so */
    clfold_type type;  /* what is folded, as the caller says it */
    clfold_type cell;  /* what each component takes in a result; U64 beside an index */
    uint32_t num_scalars; /* 1 to 4 */
    uint32_t num_components;
    bool in_struct, out_struct; /* an element, a result, is a struct */
    bool is_scalar;             /* texts are not compiled for 16 elements at once */
    bool commutative;
    bool has_identity;
    uint64_t stage_limit; /* elements that a stage takes before it must be emptied */
    const char *cuts;     /* a condition on b: a op b is b for every a; NULL: none */
    const char *rare;     /* a condition on b: a fold that includes one is one too; then
                             all components have a `usual` combine; NULL: none */
    /* an expression of `item`: a result is this one scalar, of `type`; NULL: it is the
     * components. An item is more than its result, so results are never combined */
    const char *rounded;
    /* of a caller's fold and of those that are written like one: initialisers for all
     * components, or for the scalar that is the only one */
    const char *combine, *identity;
    const char *source; /* before all else; NULL: none */
    /* files of cl/: NAME.cl defines the only component's type and functions, and
     * NAME_numbers.cl folds many numbers to one; NULL: the type is OpenCL C's or the
     * source's */
    const char *item_file;
    const char *type_name; /* of a component without clfold_type; NULL: all have one */
    size_t type_size;
    uint32_t num_args;
    const char *arg_types[CLFOLD_MAX_ARGS], *arg_names[CLFOLD_MAX_ARGS];
    clfold_type arg_elements[CLFOLD_MAX_ARGS]; /* of streams; others have 0 and a type */
    size_t arg_sizes[CLFOLD_MAX_ARGS]; /* of a value; 0: only the compiler knows it */
    /* An expression that makes of an element what is folded, an initialiser; NULL: the
     * element is. It gives the components or, of a built-in operator, num_loaded scalars
     * that take the place of the element's. */
    const char *load;
    clfold_type loaded;
    uint32_t num_loaded;
    bool x_is_item; /* an element has the components, else num_scalars of `in` */
    struct uses loads;
    /* An expression that makes of an item what is written: num_out scalars of `out`, or
     * where that is 0 an item; or a statement that writes it. NULL: the item is written.
     * What init and the total are stays the item. */
    const char *result;
    bool stores; /* it is a statement */
    clfold_type out;
    uint32_t num_out;
    struct uses writes;
    /* Of a select: a condition on an item and its element, or one by which two neighbours
     * are of one run, whose first is kept; NULL: none. What is scanned then is how many
     * are kept, by the kernels of scans, and items are not combined. But where the fold
     * has an operator, the condition is on items of a scan. */
    const char *keep;
    bool keeps_runs, keeps_scan;
    bool writes_places; /* of a scan's items only the condition is made */
    struct uses keeps;
    /* An expression of a and b by which keys of segments are equal; NULL: == */
    const char *equal;
    bool lifted;
    /* The components, and after them the head. */
    struct component components[CLFOLD_MAX_PARTS];
};

/* A component whose result, item and stage are of one type; texts may be NULL. */
struct component clfold_plain(const char *name, clfold_type type, const char *combine,
                              const char *identity);

/* The monoid of a built-in operator. Fails if the operator is unknown or not in this
 * version. */
clfold_status clfold_monoid_init(struct monoid *monoid, const struct site *site,
                                 clfold_op op, clfold_type type, clfold_type in);

/* Makes the monoid of a built-in sum that of a more accurate one. Fails if that is not in
 * this version. */
clfold_status clfold_monoid_set_accuracy(struct monoid *monoid, const struct site *site,
                                         uint32_t accuracy);

/* Lifts a monoid, so that its scans start anew at each segment: G. Blelloch, "Prefix Sums
 * and Their Applications", 1990, section 1.5. */
void clfold_monoid_lift(struct monoid *monoid);

/* "flags"; NULL: unknown. */
const char *clfold_way_name(uint32_t by);

/* Whether a select scans how many are kept, not items. */
static inline bool clfold_monoid_counts(const struct monoid *monoid)
{
    return monoid->keep && !monoid->keeps_scan;
}

/* Bytes of an element in the input buffer, of what is written for a result in the output
 * buffer, and of an item in scratch, as OpenCL C lays out a struct of its components. */
size_t clfold_monoid_in_size(const struct monoid *monoid);
size_t clfold_monoid_written_size(const struct monoid *monoid);
size_t clfold_monoid_item_size(const struct monoid *monoid);
/* Of what scans combine: an item, or where they select a count. */
size_t clfold_monoid_scanned_size(const struct monoid *monoid);
/* Of an item without a head. */
size_t clfold_monoid_carry_size(const struct monoid *monoid);

/* Of an item: the components, and the head if there is one. */
static inline uint32_t clfold_monoid_num_parts(const struct monoid *monoid)
{
    return monoid->num_components + monoid->lifted;
}

/* Whether a fold in order may stop somewhere. */
static inline bool clfold_monoid_cuts(const struct monoid *monoid)
{
    return monoid->cuts || monoid->lifted;
}

/* CLFOLD_KEEPS_STAGES of contract.cl. */
static inline bool clfold_monoid_keeps_stages(const struct monoid *monoid)
{
    return monoid->load || monoid->lifted;
}

/* Whether any text of the caller's is in the program. */
static inline bool clfold_monoid_has_text(const struct monoid *monoid)
{
    return monoid->combine || monoid->load || monoid->result || monoid->equal ||
           monoid->keep;
}

/* Whether what is written is made of an item, by a text or into another type. */
static inline bool clfold_monoid_converts(const struct monoid *monoid)
{
    return monoid->result || monoid->out;
}

/* Whether it is a built-in operator on elements as they are, written as they come. */
static inline bool clfold_monoid_is_plain(const struct monoid *monoid)
{
    return monoid->op != 0 && !monoid->load && !monoid->lifted &&
           !clfold_monoid_converts(monoid);
}

/* Whether programs know where the input begins, and how many elements there are. */
static inline bool clfold_monoid_has_place(const struct monoid *monoid)
{
    return clfold_monoid_keeps_stages(monoid) || clfold_monoid_converts(monoid) ||
           monoid->keep;
}

/* Whether a text uses an element's segment. */
static inline bool clfold_monoid_uses_segment(const struct monoid *monoid)
{
    return monoid->loads.segment || monoid->writes.segment || monoid->keeps.segment;
}

/* Whether the elements of `in` are read; else it may be NULL. */
bool clfold_monoid_reads_in(const struct monoid *monoid);

/* Bytes that a fold reads for each element, streams included. */
size_t clfold_monoid_read_size(const struct monoid *monoid);
/* Bytes of padding at an item's end, or a result's. */
size_t clfold_monoid_tail(const struct monoid *monoid, bool of_item);

/* Elements of that size which a GPU's work-item loads or stores at once: the fewest that
 * are whole loads of 16 bytes, the widest there are; one, if these exceed 64 bytes. */
uint32_t clfold_chunk_elements(size_t size);

/* The same of the monoid's elements. */
static inline uint32_t clfold_monoid_chunk(const struct monoid *monoid)
{
    return clfold_monoid_keeps_stages(monoid)
               ? 1
               : clfold_chunk_elements(clfold_monoid_in_size(monoid));
}

/* What is folded, for messages: "f32", "float a; int b". */
const char *clfold_monoid_form(const struct monoid *monoid);

/* Scalars of a result, or structs. */
static inline uint32_t clfold_monoid_num_results(const struct monoid *monoid)
{
    return monoid->rounded ? 1 : monoid->num_components;
}

/* Where scalar k of a result begins, in bytes, and its type, size and name. */
size_t clfold_monoid_out_offset(const struct monoid *monoid, uint32_t k);
size_t clfold_monoid_result_size(const struct monoid *monoid, uint32_t k);

/* Bytes of a result, as init and the total are too. */
static inline size_t clfold_monoid_out_size(const struct monoid *monoid)
{
    return clfold_monoid_out_offset(monoid, clfold_monoid_num_results(monoid));
}

static inline clfold_type clfold_monoid_result_type(const struct monoid *monoid,
                                                    uint32_t k)
{
    return monoid->rounded ? monoid->type : monoid->components[k].result;
}

static inline const char *clfold_monoid_result_name(const struct monoid *monoid,
                                                    uint32_t k)
{
    return monoid->rounded ? "v" : monoid->components[k].name;
}

/* Whether `type` is any of the types that the monoid computes with. */
bool clfold_monoid_uses(const struct monoid *monoid, clfold_type type);

/* Whether items are combined and stored 16 at a time. Vectors of items want one size,
 * since one condition chooses in all components, and the cells to be as wide. */
bool clfold_monoid_has_item16(const struct monoid *monoid);

#endif
