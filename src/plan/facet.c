#include "plan/facet.h"

#include "base/text.h"
#include "plan/monoid.h"

#include <string.h>

/* ---- The table --------------------------------------------------------------------- */

#define MEMBER(name) (uint16_t) offsetof(struct launch, name)
#define AT(of, name) (uint16_t) offsetof(clfold_##of, name)
#define PLACE(of, prefix, field, holds, many, is_written, ...)                           \
    {                                                                                    \
        prefix #field, #field ".offset", AT(of, field), holds, many, is_written,         \
            __VA_ARGS__                                                                  \
    }
#define OWN(...)              PLACE(fold, "", __VA_ARGS__)
#define PART(...)             PLACE(part, "part: ", __VA_ARGS__)
#define INTO(mem, index, has) MEMBER(mem), MEMBER(index), MEMBER(has)
#define READ_BY(mem, index)   MEMBER(mem), MEMBER(index), 0

/* Segments' memory and its offset lie as those of a place. */
_Static_assert(AT(segments, offset) - AT(segments, mem) ==
                   offsetof(clfold_place, offset) - offsetof(clfold_place, mem),
               "flags, keys and offsets are a place");

const struct place_row clfold_place_rows[NUM_PLACES] = {
    [FACET_INIT_AT] = OWN(init_at, HOLDS_RESULT, 1, false, 0, 0, 0),
    [FACET_TOTAL_OUT] =
        OWN(total_out, HOLDS_RESULT, 1, true, INTO(total_out, total_index, has_total)),
    [FACET_NUM_OUT] =
        OWN(num_out, HOLDS_NUMBER, 1, true, INTO(total_out, total_index, has_total)),
    [FACET_BAD_OUT] = OWN(bad_out, HOLDS_NUMBER, 2, true, READ_BY(bad, bad_out)),
    [FACET_COUNT_AT] =
        OWN(count_at, HOLDS_NUMBER, 1, false, READ_BY(count_at, count_index)),
    [FACET_REST_OUT] =
        OWN(rest_out, HOLDS_OUT, MANY_RESULTS, true, INTO(rest, rest_at, has_rest)),
    [FACET_LENGTHS_OUT] = OWN(lengths_out, HOLDS_NUMBER, MANY_RESULTS, true,
                              INTO(lengths, lengths_at, has_lengths)),
    [FACET_KEYS_OUT] =
        OWN(keys_out, HOLDS_KEY, MANY_RESULTS, true, INTO(keys, keys_at, has_keys)),
    [FACET_HEADS] = { "segments: mem", "offset", AT(segments, mem), HOLDS_KEY, MANY_HEADS,
                      false, READ_BY(heads, heads_at) },
    [FACET_NUM_AT] = PLACE(segments, "segments: ", num_at, HOLDS_NUMBER, 1, false,
                           READ_BY(num_at, num_index)),
    [FACET_CARRY_OUT] =
        PART(carry_out, HOLDS_CARRY, 1, true, INTO(carry_out, carry_index, has_carry)),
    [FACET_KEY_OUT] =
        PART(key_out, HOLDS_KEY, 1, true, INTO(key_out, key_out_index, has_key_out)),
    [FACET_CARRY_AT] = PART(carry_at, HOLDS_CARRY, 1, false, 0, 0, 0),
    [FACET_KEY_AT] =
        PART(key_at, HOLDS_KEY, 1, false, INTO(key_at, key_at_index, has_key_at)),
};

/* Pointers of a fold; texts first. */
#define FIRST_POINTER FACET_COMPONENTS
#define POINTER(facet, field)                                                            \
    [FACET_##facet - FIRST_POINTER] = { #field, AT(fold, field) }
static const struct {
    const char *name;
    uint16_t at;
} pointers[] = {
    POINTER(COMPONENTS, components),
    POINTER(TYPE_NAME, type_name),
    POINTER(SOURCE, source),
    POINTER(COMBINE, combine),
    POINTER(IDENTITY, identity),
    POINTER(CUTS, cuts),
    POINTER(LOAD, load),
    POINTER(RESULT, result),
    POINTER(STORE, store),
    POINTER(EQUAL, equal),
    POINTER(KEEP, keep),
    POINTER(SAME, same),
    POINTER(ARGS, args),
    POINTER(SEGMENTS, segments),
    POINTER(INIT, init),
    POINTER(PART, part),
};
#define NUM_POINTERS CLFOLD_LENGTH(pointers)

static const char *name_of(int facet)
{
    static const char *const names[] = {
        [FACET_REVERSE] = "flags: CLFOLD_REVERSE",
        [FACET_TYPE_SIZE] = "type_size",
        [FACET_NUM_ARGS] = "num_args",
        [FACET_OP] = "op",
        [FACET_ACCURACY] = "accuracy",
        [FACET_COMMUTATIVE] = "flags: CLFOLD_COMMUTATIVE",
        [FACET_PARTIAL] = "flags: CLFOLD_PARTIAL",
        [FACET_SEG_TYPE] = "segments: type",
        [FACET_SEG_NUM] = "segments: num",
        [FACET_SEG_LENGTH] = "segments: length",
        [FACET_SEG_COLUMNS] = "segments: columns",
        [TRAIT_IN_PLACE] = "in_place",
        [TRAIT_REPRODUCIBLE] = "accuracy reproducible",
    };

    return facet < NUM_PLACES      ? clfold_place_rows[facet].name
           : facet < FACET_REVERSE ? pointers[facet - FIRST_POINTER].name
                                   : names[facet];
}

/* ---- What does not go together ----------------------------------------------------- */

#define B(name)  FACET_BIT(FACET_##name)
#define IS(name) FACET_BIT(TRAIT_##name)

#define SCANS     IS(SCAN)
#define BUFFERED  (IS(BY_FLAGS) | IS(BY_KEYS) | IS(BY_OFFSETS))
#define UNIFORM   (IS(BY_ROWS) | IS(BY_COLUMNS))
#define WAYS      (IS(WHOLE) | BUFFERED | UNIFORM)
#define FOUND     (IS(BY_FLAGS) | IS(BY_KEYS))
#define OPERATORS (B(OP) | B(COMBINE))
#define FOLDING                                                                          \
    (OPERATORS | B(IDENTITY) | B(CUTS) | B(INIT) | B(INIT_AT) | B(ACCURACY) |            \
     B(COMMUTATIVE))

/* What stands for the * of a reason. */
enum says { SAYS_NOTHING, SAYS_OPERATION, SAYS_WAY, SAYS_ALONE /* no "is given, but" */ };

/* Rejects a call that has a bit of `given`, one of `call` and one of `also`, but none of
 * `unless`. A mask of 0 is not asked for. */
static const struct rule {
    uint64_t given, call, also, unless;
    int status; /* 0: CLFOLD_ERROR_ARGUMENT */
    enum says says;
    const char *why;
} rules[] = {
    /* equal is of keys, same of items */
    { B(EQUAL), 0, WAYS & ~IS(BY_KEYS), 0, 0, SAYS_NOTHING,
      "there are no segments by keys" },
    /* what a select is */
    { IS(SELECT), 0, 0, B(KEEP) | B(SAME), 0, SAYS_ALONE,
      "keep and same are NULL: one of them selects" },
    { B(KEEP), IS(SELECT), B(SAME), 0, 0, SAYS_ALONE,
      "keep and same are both given: one of them selects" },
    { B(SEGMENTS), IS(SELECT), 0, 0, CLFOLD_ERROR_UNSUPPORTED, SAYS_NOTHING,
      "a select has none in this version" },
    { IS(IN_PLACE), IS(APART), 0, 0, CLFOLD_ERROR_OVERLAP, SAYS_ALONE,
      "in_place is set, but * cannot be in place" },
    { IS(IN_PLACE), IS(REDUCE), BUFFERED | UNIFORM, 0, CLFOLD_ERROR_OVERLAP, SAYS_ALONE,
      "in_place is set, but results of segments cannot be in place" },
    /* what is written besides */
    { B(KEEP) | B(SAME) | B(REST_OUT), IS(REDUCE) | SCANS | IS(MAP), 0, 0, 0,
      SAYS_OPERATION, "the operation is *, which keeps all" },
    { B(LENGTHS_OUT) | B(NUM_OUT), IS(REDUCE), WAYS & ~FOUND, 0, 0, SAYS_OPERATION,
      "the operation is *, which keeps all" },
    { B(LENGTHS_OUT) | B(NUM_OUT), SCANS | IS(MAP), 0, 0, 0, SAYS_OPERATION,
      "the operation is *, which keeps all" },
    { B(LENGTHS_OUT), IS(SELECT), 0, B(SAME), 0, SAYS_NOTHING,
      "only runs by same have lengths" },
    { B(REST_OUT), 0, B(STORE), 0, 0, SAYS_NOTHING, "a store writes what is kept alone" },
    { B(KEYS_OUT), SCANS | IS(MAP) | IS(SELECT), 0, 0, 0, SAYS_NOTHING,
      "this is not a reduction by keys" },
    { B(KEYS_OUT), IS(REDUCE), WAYS & ~IS(BY_KEYS), 0, 0, SAYS_NOTHING,
      "this is not a reduction by keys" },
    { B(TOTAL_OUT), IS(REDUCE) | IS(MAP) | IS(SELECT), 0, 0, 0, SAYS_NOTHING,
      "is only for scans" },
    { B(BAD_OUT), 0, WAYS & ~IS(BY_OFFSETS), 0, 0, SAYS_NOTHING,
      "there are no segments by offsets" },
    /* segments */
    { B(SEGMENTS), IS(MAP), FOUND, 0, CLFOLD_ERROR_UNSUPPORTED, SAYS_WAY,
      "those by * are for scans and reductions in this version, not for maps" },
    { B(HEADS) | B(SEG_TYPE) | B(SEG_NUM), 0, UNIFORM, 0, 0, SAYS_WAY,
      "segments by * have none" },
    { B(SEG_NUM), SCANS, FOUND, 0, 0, SAYS_WAY, "segments by * have none" },
    { B(NUM_AT), 0, FOUND | UNIFORM, 0, 0, SAYS_WAY, "segments by * have none" },
    { B(SEG_LENGTH), 0, BUFFERED, 0, 0, SAYS_WAY, "segments by * have none" },
    { B(SEG_COLUMNS), 0, BUFFERED | IS(BY_ROWS), 0, 0, SAYS_WAY,
      "segments by * have none" },
    /* counts and parts */
    { B(COUNT_AT), 0, B(PART), 0, CLFOLD_ERROR_UNSUPPORTED, SAYS_NOTHING,
      "the host must know the count of a part in this version" },
    { B(COUNT_AT), 0, UNIFORM, 0, CLFOLD_ERROR_UNSUPPORTED, SAYS_NOTHING,
      "the host must know how many rows or columns there are in this version" },
    { B(COUNT_AT), IS(TRACE), 0, 0, CLFOLD_ERROR_UNSUPPORTED, SAYS_NOTHING,
      "the host must know how many tiles a trace has" },
    { B(PART), IS(REDUCE), BUFFERED | UNIFORM, 0, CLFOLD_ERROR_UNSUPPORTED, SAYS_NOTHING,
      "a reduction of segments has none in this version" },
    { B(PART), IS(MAP), IS(BY_OFFSETS), 0, CLFOLD_ERROR_UNSUPPORTED, SAYS_WAY,
      "a map by * has none in this version" },
    { B(STORE), 0, B(PART), 0, 0, SAYS_NOTHING,
      "a part does not have the other elements" },
    { B(KEY_AT) | B(KEY_OUT), 0, WAYS & ~IS(BY_KEYS), 0, 0, SAYS_NOTHING,
      "there are no segments by keys" },
    { B(CARRY_AT) | B(CARRY_OUT), 0, UNIFORM, 0, 0, SAYS_NOTHING,
      "rows and columns are not cut" },
    { B(CARRY_AT) | B(CARRY_OUT), IS(MAP), 0, 0, 0, SAYS_NOTHING,
      "a map carries nothing" },
    { B(CARRY_AT) | B(CARRY_OUT), IS(SELECT), 0, OPERATORS, 0, SAYS_NOTHING,
      "a select without an operator carries nothing" },
    /* the operator */
    { IS(REPRODUCIBLE), SCANS | IS(MAP) | IS(SELECT), 0, 0, CLFOLD_ERROR_UNSUPPORTED,
      SAYS_OPERATION, "is for reductions, and the operation is *" },
    { IS(REDUCE) | SCANS, 0, 0, OPERATORS, 0, SAYS_ALONE,
      "op is 0 and combine is NULL: the fold has no operator" },
    { FOLDING, IS(BARE), B(SAME), 0, 0, SAYS_NOTHING,
      "a select by same has no operator" },
    { FOLDING, IS(BARE), IS(SELECT), 0, 0, SAYS_NOTHING,
      "a select without op or combine has no operator" },
    { FOLDING, IS(BARE), 0, 0, 0, SAYS_OPERATION, "* has no operator" },
    { B(COMPONENTS) | B(TYPE_NAME) | B(TYPE_SIZE) | B(COMBINE) | B(IDENTITY) | B(CUTS) |
          B(COMMUTATIVE),
      0, B(OP), 0, 0, SAYS_NOTHING, "is for folds without op" },
    { B(SOURCE) | B(ARGS) | B(NUM_ARGS) | B(PARTIAL), 0, B(OP), FACET_ELEMENTS | B(EQUAL),
      0, SAYS_NOTHING,
      "is for folds without op, or with a load, a result, a store or a keep" },
    { B(INIT_AT), 0, B(INIT), 0, 0, SAYS_ALONE, "init and init_at are both given" },
    /* from the right */
    { B(REVERSE), IS(REDUCE) | IS(MAP) | IS(SELECT), 0, 0, 0, SAYS_NOTHING,
      "is only for scans" },
    { B(REVERSE), 0, B(PART), 0, CLFOLD_ERROR_UNSUPPORTED, SAYS_NOTHING,
      "a part has none in this version" },
    { B(REVERSE), 0, IS(PLACES), 0, CLFOLD_ERROR_UNSUPPORTED, SAYS_NOTHING,
      "operators that give places have none in this version" },
    /* what is of a whole call, and not of a group */
    { (FACET_BIT(NUM_OWN_PLACES) - 1) | B(REVERSE) | B(ACCURACY) | B(SEGMENTS) | B(PART) |
          B(INIT),
      IS(GROUP), 0, 0, CLFOLD_ERROR_UNSUPPORTED, SAYS_NOTHING,
      "functions of a work-group have none" },
};

static bool applies(const struct rule *rule, uint64_t bits)
{
    return bits & rule->given && (!rule->call || bits & rule->call) &&
           (!rule->also || bits & rule->also) && !(bits & rule->unless);
}

static const char *operation_name(uint64_t bits)
{
    clfold_operation operation = clfold_last_operation();

    /* One that has the traits of another comes after it. */
    while (operation > 0 && clfold_operation_row(operation)->traits & ~bits) {
        --operation;
    }
    return operation > 0 ? clfold_operation_row(operation)->noun
                         : "a fold without op or combine";
}

static clfold_status refuse(const struct site *site, const struct rule *rule,
                            uint64_t bits)
{
    const clfold_status status =
        rule->status ? (clfold_status)rule->status : CLFOLD_ERROR_ARGUMENT;
    const char *star = strchr(rule->why, '*'), *word = "";
    const int length = star ? (int)(star - rule->why) : (int)strlen(rule->why);
    int facet = 0, way = TRAIT_BY_FLAGS;

    while (!clfold_has(bits & rule->given, facet)) {
        ++facet;
    }
    while (rule->says == SAYS_WAY && !clfold_has(bits, way)) {
        ++way;
    }
    if (star) {
        word = rule->says == SAYS_WAY ? clfold_way_name((uint32_t)(way - TRAIT_WHOLE))
                                      : operation_name(bits);
    }
    return clfold_fail(site, status, "%s%s%.*s%s%s",
                       rule->says == SAYS_ALONE ? "" : name_of(facet),
                       rule->says == SAYS_ALONE            ? ""
                       : strncmp(rule->why, "is ", 3) == 0 ? " "
                       : facet == FACET_SEGMENTS           ? " are given, but "
                                                           : " is given, but ",
                       length, rule->why, word, star ? star + 1 : "");
}

clfold_status clfold_facets_check(const struct site *site, uint64_t bits)
{
    const uint64_t plain = B(OP) | B(INIT) | IS(REDUCE) | SCANS | IS(WHOLE) | IS(PLACES);
    const size_t num = CLFOLD_LENGTH(rules);

    /* Most calls are given nothing that a rule is about. */
    for (size_t i = bits & ~plain || !(bits & B(OP)) ? 0 : num; i < num; ++i) {
        if (applies(&rules[i], bits)) {
            return refuse(site, &rules[i], bits);
        }
    }
    return CLFOLD_OK;
}

/* ---- What a call is given ---------------------------------------------------------- */

static const void *owner_of(const clfold_fold *fold, int facet)
{
    return facet < NUM_OWN_PLACES    ? (const void *)fold
           : facet < FACET_CARRY_OUT ? (const void *)fold->segments
                                     : (const void *)fold->part;
}

const clfold_place *clfold_facet_place(const clfold_fold *fold, enum facet facet)
{
    const char *owner = owner_of(fold, (int)facet);

    return (const clfold_place *)(const void *)(owner + clfold_place_rows[facet].at);
}

const char *clfold_facet_text(const clfold_fold *fold, enum facet facet)
{
    const char *text;

    memcpy(&text, (const char *)fold + pointers[facet - FIRST_POINTER].at, sizeof(text));
    return text;
}

void clfold_facet_set_text(clfold_fold *fold, enum facet facet, const char *text)
{
    memcpy((char *)fold + pointers[facet - FIRST_POINTER].at, &text, sizeof(text));
}

static uint64_t places_of(const clfold_fold *fold, enum facet from, enum facet to)
{
    uint64_t bits = 0;

    for (enum facet f = from; f < to; ++f) {
        const clfold_place *place = clfold_facet_place(fold, f);
        bits |= (uint64_t)(place->mem || place->offset) << f;
    }
    return bits;
}

uint64_t clfold_facets_of(const clfold_fold *fold)
{
    const clfold_segments *segments = fold->segments;
    uint64_t bits = places_of(fold, 0, NUM_OWN_PLACES);

    for (size_t i = 0; i < NUM_POINTERS; ++i) {
        const void *value;
        memcpy(&value, (const char *)fold + pointers[i].at, sizeof(value));
        bits |= (uint64_t)(value != NULL) << (FIRST_POINTER + i);
    }
    bits |= (uint64_t)(fold->type_size != 0) << FACET_TYPE_SIZE |
            (uint64_t)(fold->num_args != 0) << FACET_NUM_ARGS |
            (uint64_t)(fold->op != 0) << FACET_OP |
            (uint64_t)(fold->accuracy != 0) << FACET_ACCURACY |
            (uint64_t)(fold->accuracy == CLFOLD_REPRODUCIBLE) << TRAIT_REPRODUCIBLE |
            (uint64_t)(fold->flags & CLFOLD_COMMUTATIVE) << FACET_COMMUTATIVE |
            (uint64_t)(fold->flags / CLFOLD_PARTIAL & 1) << FACET_PARTIAL |
            (uint64_t)(fold->flags / CLFOLD_REVERSE & 1) << FACET_REVERSE;
    if (segments) {
        bits |= places_of(fold, FACET_HEADS, FACET_CARRY_OUT) |
                (uint64_t)(segments->by <= CLFOLD_BY_OFFSETS) << FACET_HEADS |
                (uint64_t)(segments->type != 0) << FACET_SEG_TYPE |
                (uint64_t)(segments->num != 0) << FACET_SEG_NUM |
                (uint64_t)(segments->length != 0) << FACET_SEG_LENGTH |
                (uint64_t)(segments->columns != 0) << FACET_SEG_COLUMNS;
    }
    return fold->part ? bits | places_of(fold, FACET_CARRY_OUT, NUM_PLACES) : bits;
}

uint64_t clfold_facets_call(const clfold_fold *fold, uint64_t given,
                            clfold_operation operation)
{
    const struct operation *row = clfold_operation_row(operation);
    const bool is_bare = row && !row->selects ? row->family == FAMILY_MAP
                                              : !(given & OPERATORS) || given & B(SAME);

    return (row ? row->traits : 0) | (uint64_t)is_bare << TRAIT_BARE |
           (uint64_t)(row && row->apart) << TRAIT_APART |
           (uint64_t)(fold->op >= CLFOLD_ARG_MIN && fold->op <= CLFOLD_ARG_MIN_MAX)
               << TRAIT_PLACES |
           IS(WHOLE) << (fold->segments ? fold->segments->by : 0);
}

/* What the text of a program depends on. */
static const struct {
    enum facet facet;
    const char *macro;
} macros[] = {
    { FACET_COUNT_AT, "CLFOLD_COUNT_AT" }, { FACET_NUM_AT, "CLFOLD_NUM_AT" },
    { FACET_PART, "CLFOLD_IN_PART" },      { FACET_HEADS, "CLFOLD_TEXT_OFFSETS" },
    { FACET_REVERSE, "CLFOLD_REVERSE" },
};

void clfold_use_append(struct text *text, const struct use *use)
{
    for (size_t i = 0; i < CLFOLD_LENGTH(macros); ++i) {
        clfold_text_print(text, "#define %s %d\n", macros[i].macro,
                          clfold_use_has(use, macros[i].facet));
    }
}

bool clfold_facets_lift(uint64_t bits)
{
    return bits & BUFFERED && bits & SCANS;
}

uint32_t clfold_facets_form(uint64_t bits)
{
    const bool mirrors_rows = bits & B(REVERSE) && bits & UNIFORM;

    return clfold_facets_lift(bits) | (uint32_t)clfold_has(bits, TRAIT_SELECT) << 1 |
           (uint32_t)mirrors_rows << 2;
}

bool clfold_facets_built_in(uint64_t bits)
{
    return bits & B(OP) && !(bits & (FACET_ELEMENTS | B(EQUAL) | B(REVERSE))) &&
           !clfold_facets_lift(bits);
}

struct use clfold_use_of(const clfold_fold *fold, const struct monoid *monoid,
                         uint64_t bits)
{
    const clfold_segments *segments = fold->segments;
    struct use use = { .facets = (uint32_t)(bits & (B(COUNT_AT) | B(NUM_AT) | B(PART) |
                                                    B(REVERSE))) };

    if (clfold_facets_lift(bits)) {
        use.way = segments->by;
        use.heads = bits & IS(BY_OFFSETS) ? CLFOLD_U32 : segments->type;
    } else if (monoid->keeps_scan) {
        use.heads = CLFOLD_I8;
    } else if (bits & FOUND) {
        use.facets |= (uint32_t)B(NUM_AT); /* it is found, too */
    } else if (bits & IS(BY_OFFSETS)) {
        use.offsets = segments->type;
        use.facets |= bits & IS(MAP) || monoid->loads.segment ? (uint32_t)B(HEADS) : 0;
    }
    return use;
}

void clfold_launch_bind(struct launch *launch, uint64_t bits, const clfold_place *places)
{
    char *const members = (char *)launch;

    for (int f = 0; f < NUM_PLACES; ++f) {
        const struct place_row *row = &clfold_place_rows[f];
        if (!row->mem) {
            continue;
        }
        cl_mem *mem = (cl_mem *)(void *)(members + row->mem);
        if (!clfold_has(bits, f)) {
            *mem = *mem ? *mem : launch->out; /* one may be of two places */
            continue;
        }
        *mem = places[f].mem ? places[f].mem : launch->out;
        *(uint64_t *)(void *)(members + row->index) = places[f].offset;
        if (row->has) {
            *(uint64_t *)(void *)(members + row->has) = 1;
        }
    }
    launch->offsets = launch->heads;
    launch->offsets_at = launch->heads_at;
}

void clfold_facets_clear(clfold_fold *fold)
{
    for (int f = 0; f < NUM_OWN_PLACES; ++f) {
        memset((char *)fold + clfold_place_rows[f].at, 0, sizeof(clfold_place));
    }
}
