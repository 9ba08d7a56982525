#include "random_fold.h"

#include "plan/scalar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const names[MOST_PARTS] = { "p", "q", "r", "s" };

/* ---- Numbers ----------------------------------------------------------------------- */

static clfold_type unsigned_of(clfold_type type)
{
    return clfold_integer(size_of(type), false);
}

/* Of the type that the number has in memory. */
static struct number wrapped(clfold_type type, struct number x)
{
    return convert_number((struct pair){ type, type }, x);
}

static struct number whole(clfold_type type, int64_t x)
{
    return wrapped(type, (struct number){ (uint64_t)x, (long double)x });
}

void random_number_print(struct text *text, clfold_type type, struct number x)
{
    if (is_float(type) && isinf((double)x.real)) {
        clfold_text_print(text, "%sINFINITY", x.real < 0 ? "-" : "");
    } else if (is_float(type)) {
        clfold_text_print(text, "%d", (int)x.real);
    } else if (is_signed(type) && (int64_t)x.integer < 0) {
        clfold_text_print(text, "(-%llu%s - 1)", ~(unsigned long long)x.integer,
                          size_of(type) == 8 ? "l" : "");
    } else {
        clfold_text_print(text, "%llu%s", (unsigned long long)x.integer,
                          size_of(type) < 4    ? ""
                          : type == CLFOLD_U64 ? "ul"
                          : type == CLFOLD_I64 ? "l"
                          : type == CLFOLD_U32 ? "u"
                                               : "");
    }
}

/* ---- Terms as values --------------------------------------------------------------- */

struct value {
    struct number parts[MOST_PARTS];
};

static struct number after(struct number x, struct number y)
{
    struct number r = { 0 };

    for (unsigned s = 0; s < 8; s += 2) {
        r.integer |= (y.integer >> (x.integer >> s & 3) * 2 & 3) << s;
    }
    return r;
}

static struct number evaluate(const struct random_fold *fold, const struct term *t,
                              const struct value *a, const struct value *b)
{
    struct number x, y, z;

    if (t->kind == TERM_A || t->kind == TERM_B) {
        return (t->kind == TERM_A ? a : b)->parts[t->part];
    }
    if (t->kind == TERM_ARG) {
        return fold->arg_number;
    }
    x = evaluate(fold, t->x, a, b);
    y = evaluate(fold, t->y, a, b);
    z = t->z ? evaluate(fold, t->z, a, b) : x;
    switch (t->kind) {
    case TERM_ADD:
        x = (struct number){ x.integer + y.integer, x.real + y.real };
        break;
    case TERM_MUL:
        x = (struct number){ x.integer * y.integer, x.real * y.real };
        break;
    case TERM_AND:
        x.integer &= y.integer;
        break;
    case TERM_OR:
        x.integer |= y.integer;
        break;
    case TERM_XOR:
        x.integer ^= y.integer;
        break;
    case TERM_MIN:
        return compare_numbers(t->type, y, x) < 0 ? y : x;
    case TERM_MAX:
        return compare_numbers(t->type, y, x) > 0 ? y : x;
    case TERM_IF_TRUE:
        return is_true(t->x->type, x) ? y : z;
    case TERM_IF_GREATER:
        return compare_numbers(t->x->type, x, evaluate(fold, t->w, a, b)) > 0 ? y : z;
    default: /* TERM_AFTER */
        return after(x, y);
    }
    return wrapped(t->type, x);
}

/* ---- Terms as texts ---------------------------------------------------------------- */

static void print_term(struct text *text, const struct random_fold *fold,
                       const struct term *t);

static void print_leaf(struct text *text, const struct random_fold *fold,
                       const struct term *t)
{
    bool is_bare = fold->num_parts == 1 && !fold->fold.type_name;

    if (t->kind == TERM_ARG) {
        clfold_text_print(text, fold->arg_is_buffer ? "table[1]" : "m");
    } else {
        clfold_text_print(text, "%s%s%s", t->kind == TERM_A ? "a" : "b",
                          is_bare ? "" : ".", is_bare ? "" : names[t->part]);
    }
}

/* An operand as `type`; arguments have it already. */
static void print_as(struct text *text, const struct random_fold *fold,
                     const struct term *t, clfold_type type)
{
    bool converts = t->type != type && t->kind != TERM_ARG;

    if (converts) {
        clfold_text_print(text, "to_%s(", name_of(type));
    }
    print_term(text, fold, t);
    clfold_text_print(text, converts ? ")" : "");
}

/* Sums and products wrap, which signed types do not, nor what is promoted to int. */
static void print_infix(struct text *text, const struct random_fold *fold,
                        const struct term *t, const char *sign, bool wraps)
{
    clfold_type type = is_float(t->type) || !wraps ? t->type : unsigned_of(t->type);
    bool converts = !is_float(t->type) && (type != t->type || size_of(t->type) < 4);

    if (wraps && type == CLFOLD_U16 && t->kind == TERM_MUL) {
        type = CLFOLD_U32;
    }
    clfold_text_print(text, converts ? "to_%s(" : "(", name_of(t->type));
    print_as(text, fold, t->x, type);
    clfold_text_print(text, " %s ", sign);
    print_as(text, fold, t->y, type);
    clfold_text_print(text, ")");
}

static void print_pick(struct text *text, const struct random_fold *fold,
                       const struct term *t)
{
    bool converts = size_of(t->type) < 4 && !is_float(t->type);

    if (converts) {
        clfold_text_print(text, "to_%s(", name_of(t->type));
    }
    clfold_text_print(text, t->w ? "pick(" : "pick(truth(");
    print_term(text, fold, t->x);
    clfold_text_print(text, t->w ? " > " : ")");
    if (t->w) {
        print_term(text, fold, t->w);
    }
    clfold_text_print(text, ", ");
    print_term(text, fold, t->y);
    clfold_text_print(text, ", ");
    print_term(text, fold, t->z);
    clfold_text_print(text, converts ? "))" : ")");
}

/* Vectors take no literals that are wider than what they hold. */
static void print_after(struct text *text, const struct random_fold *fold,
                        const struct term *t)
{
    const char *cl = clfold_scalar(t->type)->cl;

    clfold_text_print(text, "to_%s(", name_of(t->type));
    for (unsigned s = 0; s < 8; s += 2) {
        clfold_text_print(text, "%s(", s > 0 ? " | " : "");
        print_leaf(text, fold, t->y);
        clfold_text_print(text, " >> (");
        print_leaf(text, fold, t->x);
        clfold_text_print(text, " >> (%s)%u & (%s)3) * (%s)2 & (%s)3) << (%s)%u", cl, s,
                          cl, cl, cl, cl, s);
    }
    clfold_text_print(text, ")");
}

static void print_term(struct text *text, const struct random_fold *fold,
                       const struct term *t)
{
    static const char *const signs[] = { [TERM_ADD] = "+",
                                         [TERM_MUL] = "*",
                                         [TERM_AND] = "&",
                                         [TERM_OR] = "|",
                                         [TERM_XOR] = "^" };

    switch (t->kind) {
    case TERM_A:
    case TERM_B:
    case TERM_ARG:
        print_leaf(text, fold, t);
        break;
    case TERM_MIN:
    case TERM_MAX:
        clfold_text_print(text, t->kind == TERM_MIN ? "min(" : "max(");
        print_term(text, fold, t->x);
        clfold_text_print(text, ", ");
        print_term(text, fold, t->y);
        clfold_text_print(text, ")");
        break;
    case TERM_IF_TRUE:
    case TERM_IF_GREATER:
        print_pick(text, fold, t);
        break;
    case TERM_AFTER:
        print_after(text, fold, t);
        break;
    default:
        print_infix(text, fold, t, signs[t->kind],
                    t->kind == TERM_ADD || t->kind == TERM_MUL);
    }
}

/* ---- Pieces ------------------------------------------------------------------------ */

static const struct term *term(struct random_fold *fold, struct term t)
{
    struct term *made = &fold->terms[fold->num_terms++];

    *made = t;
    return made;
}

static const struct term *leaf(struct random_fold *fold, enum term_kind kind,
                               unsigned part)
{
    return term(fold, (struct term){ kind, fold->parts[part].type, part, NULL, NULL, NULL,
                                     NULL });
}

static const struct term *join(struct random_fold *fold, enum term_kind kind,
                               const struct term *x, const struct term *y)
{
    return term(fold, (struct term){ kind, x->type, 0, x, y, NULL, NULL });
}

/* What leaves every value; for TERM_ADD of floats any zero does. */
static struct number neutral(enum term_kind kind, clfold_type type)
{
    return kind == TERM_MIN   ? extreme(type, -1)
           : kind == TERM_MAX ? extreme(type, 1)
           : kind == TERM_MUL ? whole(type, 1)
           : kind == TERM_AND ? whole(type, -1)
                              : whole(type, 0);
}

static clfold_type draw_integer(uint64_t *random)
{
    return (clfold_type)(CLFOLD_I8 + below(random, 8));
}

/* f16 holds no sums. */
static clfold_type draw_type(uint64_t *random, bool has_f16, bool has_f64)
{
    clfold_type type = (clfold_type)(CLFOLD_I8 + below(random, 11));

    return (type == CLFOLD_F16 && !has_f16) || (type == CLFOLD_F64 && !has_f64)
               ? CLFOLD_F32
               : type;
}

static void set_part(struct part *part, clfold_type type, enum draw draw)
{
    part->type = type;
    part->draw = is_float(type) && draw != DRAW_KEY ? DRAW_SMALL : draw;
}

/* a op b with, now and then, an argument that all results have: a + b + m. */
static void add_argument(struct random_fold *fold, struct part *part, enum term_kind kind,
                         uint64_t *random)
{
    bool is_sum = kind == TERM_ADD;
    clfold_type type = part->type;

    if (fold->has_arg || is_float(type) || kind == TERM_MUL || below(random, 4) > 0) {
        return;
    }
    fold->has_arg = true;
    fold->arg_is_buffer = below(random, 2);
    fold->arg_type = is_sum ? unsigned_of(type) : type;
    fold->arg_number =
        wrapped(fold->arg_type, (struct number){ .integer = next_random(random) >> 3 });
    part->combine =
        join(fold, kind, part->combine,
             term(fold, (struct term){ TERM_ARG, type, 0, NULL, NULL, NULL, NULL }));
    if (is_sum || kind == TERM_XOR) {
        part->identity = wrapped(
            type, (struct number){ .integer = is_sum ? -fold->arg_number.integer
                                                     : fold->arg_number.integer });
    } else {
        fold->has_identity = false;
    }
}

static void draw_single(struct random_fold *fold, unsigned p, clfold_type type,
                        uint64_t *random)
{
    static const enum term_kind kinds[] = { TERM_MIN, TERM_MAX, TERM_ADD, TERM_MUL,
                                            TERM_AND, TERM_OR,  TERM_XOR };
    struct part *part = &fold->parts[p];
    enum term_kind kind =
        kinds[below(random, is_float(type) ? 2 + (type != CLFOLD_F16) : 7)];

    set_part(part, type, kind == TERM_MUL ? DRAW_ODD : DRAW_BITS);
    part->combine = join(fold, kind, leaf(fold, TERM_A, p), leaf(fold, TERM_B, p));
    part->identity = neutral(kind, type);
    add_argument(fold, part, kind, random);
}

static void draw_one_of_two(struct random_fold *fold, unsigned p, clfold_type type,
                            uint64_t *random)
{
    struct part *part = &fold->parts[p];
    const struct term *a, *b;

    set_part(part, type, DRAW_BITS);
    fold->commutes = false;
    if (below(random, 2)) {
        part->combine = leaf(fold, below(random, 2) ? TERM_A : TERM_B, p);
        fold->has_identity = false;
        return;
    }
    a = leaf(fold, TERM_A, p);
    b = leaf(fold, TERM_B, p);
    set_part(part, type, DRAW_KEY);
    part->combine = term(fold, (struct term){ TERM_IF_TRUE, type, 0, b, b, a, NULL });
}

static void draw_states(struct random_fold *fold, unsigned p, uint64_t *random)
{
    static const clfold_type types[] = { CLFOLD_U8, CLFOLD_U16, CLFOLD_U32 };
    struct part *part = &fold->parts[p];

    set_part(part, types[below(random, 3)], DRAW_STATES);
    part->combine = join(fold, TERM_AFTER, leaf(fold, TERM_A, p), leaf(fold, TERM_B, p));
    part->identity = whole(part->type, 0xe4);
    fold->commutes = false;
}

/* (times, plus), of which times distributes over plus. */
struct ring {
    enum term_kind times, plus;
};

static struct ring draw_ring(uint64_t *random, clfold_type type)
{
    static const struct ring rings[] = {
        { TERM_MIN, TERM_MAX }, { TERM_MAX, TERM_MIN }, { TERM_MUL, TERM_ADD },
        { TERM_AND, TERM_OR },  { TERM_OR, TERM_AND },  { TERM_AND, TERM_XOR },
    };

    return rings[below(random, is_float(type) ? 2 : 6)];
}

/* What times makes of all. */
static struct number zero_of(struct ring ring, clfold_type type)
{
    return neutral(ring.plus, type);
}

static void draw_affine(struct random_fold *fold, unsigned p, unsigned num,
                        clfold_type type, uint64_t *random)
{
    struct ring ring = draw_ring(random, type);
    /* Without overflow, so of types that hold many sums; floats have an identity. */
    bool adds = size_of(type) >= 4 && (is_float(type) || is_signed(type)) &&
                below(random, 3) == 0;

    if (adds) {
        ring = (struct ring){ TERM_ADD, TERM_MAX };
        fold->has_identity &= is_float(type);
    }
    for (unsigned k = p; k < p + num; ++k) {
        set_part(&fold->parts[k], type,
                 adds                               ? DRAW_SMALL
                 : k == p && ring.times == TERM_MUL ? DRAW_ODD
                                                    : DRAW_BITS);
    }
    fold->parts[p].combine =
        join(fold, ring.times, leaf(fold, TERM_A, p), leaf(fold, TERM_B, p));
    fold->parts[p].identity = neutral(ring.times, type);
    if (!adds) {
        fold->parts[p].is_rare = true;
        fold->parts[p].rare = zero_of(ring, type);
    }
    for (unsigned k = p + 1; k < p + num; ++k) {
        fold->parts[k].combine =
            join(fold, ring.plus,
                 join(fold, ring.times, leaf(fold, TERM_A, k), leaf(fold, TERM_B, p)),
                 leaf(fold, TERM_B, k));
        fold->parts[k].identity = zero_of(ring, type);
    }
    fold->commutes = false;
    if (!adds) {
        clfold_text_print(&fold->cuts, "b.%s == ", names[p]);
        if (size_of(type) < 4) {
            clfold_text_print(&fold->cuts, "(%s)", clfold_scalar(type)->cl);
        }
        random_number_print(&fold->cuts, type, zero_of(ring, type));
    }
}

static void draw_matrix(struct random_fold *fold, clfold_type type, uint64_t *random)
{
    struct ring ring = draw_ring(random, type);

    for (unsigned k = 0; k < 4; ++k) {
        set_part(&fold->parts[k], type, DRAW_BITS);
    }
    for (unsigned k = 0; k < 4; ++k) {
        unsigned row = k / 2 * 2, column = k % 2;
        fold->parts[k].combine = join(
            fold, ring.plus,
            join(fold, ring.times, leaf(fold, TERM_A, row), leaf(fold, TERM_B, column)),
            join(fold, ring.times, leaf(fold, TERM_A, row + 1),
                 leaf(fold, TERM_B, column + 2)));
        fold->parts[k].identity =
            row / 2 == column ? neutral(ring.times, type) : zero_of(ring, type);
    }
    fold->commutes = false;
}

static void draw_greatest(struct random_fold *fold, unsigned p, clfold_type key,
                          clfold_type type, uint64_t *random)
{
    const struct term *a, *b, *x, *y;
    bool is_last = below(random, 2);

    set_part(&fold->parts[p], type, DRAW_BITS);
    set_part(&fold->parts[p + 1], key, DRAW_KEY);
    a = leaf(fold, TERM_A, p + 1);
    b = leaf(fold, TERM_B, p + 1);
    x = leaf(fold, TERM_A, p);
    y = leaf(fold, TERM_B, p);
    fold->parts[p].combine =
        is_last ? term(fold, (struct term){ TERM_IF_GREATER, type, 0, a, x, y, b })
                : term(fold, (struct term){ TERM_IF_GREATER, type, 0, b, y, x, a });
    fold->parts[p + 1].combine = join(fold, TERM_MAX, a, b);
    fold->commutes = fold->has_identity = false;
}

/* Puts a flag after the parts from p on. */
static void add_flag(struct random_fold *fold, unsigned p, unsigned num,
                     clfold_type flags)
{
    struct part *flag = &fold->parts[p + num];
    const struct term *a, *b;

    set_part(flag, flags, DRAW_FLAG);
    a = leaf(fold, TERM_A, p + num);
    b = leaf(fold, TERM_B, p + num);
    for (unsigned k = p; k < p + num; ++k) {
        struct part *part = &fold->parts[k];
        part->combine =
            term(fold, (struct term){ TERM_IF_TRUE, part->type, 0, b,
                                      leaf(fold, TERM_B, k), part->combine, NULL });
        part->is_rare = false;
    }
    flag->combine = join(fold, TERM_OR, a, b);
    fold->commutes = false;
    clfold_text_finish(&fold->cuts);
    clfold_text_print(&fold->cuts, "truth(b.%s)", names[p + num]);
}

static void reverse(struct random_fold *fold, unsigned from)
{
    for (unsigned i = from; i < fold->num_terms; ++i) {
        struct term *t = &fold->terms[i];
        if (t->kind == TERM_A || t->kind == TERM_B) {
            t->kind = t->kind == TERM_A ? TERM_B : TERM_A;
        }
    }
    clfold_text_finish(&fold->cuts);
}

/* A piece of at most `room` parts from part p on; returns how many it has. */
static unsigned draw_piece(struct random_fold *fold, unsigned p, unsigned room,
                           clfold_type type, clfold_type other, uint64_t *random)
{
    unsigned from = fold->num_terms, num = 1, kind = (unsigned)below(random, 8);

    if (kind < 2 && room > 1) {
        num = 2 + (unsigned)below(random, room - 1);
        draw_affine(fold, p, num, type, random);
    } else if (kind < 4 && room > 1) {
        num = 1 + (unsigned)(room > 2 && below(random, 3) == 0);
        if (num == 2) {
            draw_affine(fold, p, 2, type, random);
        } else {
            draw_single(fold, p, type, random);
        }
        add_flag(fold, p, num++, unsigned_of(is_float(other) ? CLFOLD_U32 : other));
    } else if (kind == 4 && room > 1) {
        num = 2;
        draw_greatest(fold, p, other, type, random);
    } else if (kind == 5 && room == 4) {
        num = 4;
        draw_matrix(fold, type, random);
    } else if (kind == 6) {
        draw_one_of_two(fold, p, type, random);
    } else if (kind == 7) {
        draw_states(fold, p, random);
    } else {
        draw_single(fold, p, type, random);
    }
    if (below(random, 4) == 0) {
        reverse(fold, from);
    }
    return num;
}

/* ---- The fold ---------------------------------------------------------------------- */

static size_t rounded(size_t offset, size_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

/* As C has it. */
static void set_layout(struct random_fold *fold)
{
    size_t alignment = 1;

    fold->size = 0;
    for (unsigned k = 0; k < fold->num_parts; ++k) {
        size_t size = size_of(fold->parts[k].type);
        fold->parts[k].offset = rounded(fold->size, size);
        fold->size = fold->parts[k].offset + size;
        alignment = size > alignment ? size : alignment;
    }
    fold->size = fold->in_size = rounded(fold->size, alignment);
}

/* Components, a type of the source, or one scalar, which elements may have in another
 * type. */
static void set_form(struct random_fold *fold, uint64_t *random)
{
    clfold_fold *call = &fold->fold;
    const struct part *part = &fold->parts[0];

    set_layout(fold);
    if (below(random, 5) == 0) {
        clfold_text_print(&fold->source, "typedef struct { ");
        for (unsigned k = 0; k < fold->num_parts; ++k) {
            clfold_text_print(&fold->source, "%s %s; ",
                              clfold_scalar(fold->parts[k].type)->cl, names[k]);
        }
        clfold_text_print(&fold->source, "} own;");
        call->source = fold->source.bytes;
        call->type_name = "own";
        call->type_size = fold->size;
    } else if (fold->num_parts == 1 && below(random, 3) > 0) {
        call->type = part->type;
        /* Sums of floats stay exact. */
        if (below(random, 2)) {
            call->in = is_float(part->type)
                           ? (part->type == CLFOLD_F16 ? CLFOLD_F16 : CLFOLD_I8)
                           : draw_integer(random);
            fold->in_size = size_of(call->in);
        }
    } else {
        for (unsigned k = 0; k < fold->num_parts; ++k) {
            clfold_text_print(&fold->components, "%s%s %s", k > 0 ? "; " : "",
                              clfold_scalar(fold->parts[k].type)->cl, names[k]);
        }
        call->components = fold->components.bytes;
    }
}

static void set_texts(struct random_fold *fold, uint64_t *random)
{
    bool is_bare = fold->num_parts == 1 && !fold->fold.type_name;

    fold->has_identity &= below(random, 4) > 0;
    clfold_text_print(&fold->combine, is_bare ? "" : "{ ");
    clfold_text_print(&fold->identity, is_bare ? "" : "{ ");
    for (unsigned k = 0; k < fold->num_parts; ++k) {
        const struct part *part = &fold->parts[k];
        clfold_text_print(&fold->combine, k > 0 ? ", " : "");
        clfold_text_print(&fold->identity, k > 0 ? ", " : "");
        print_term(&fold->combine, fold, part->combine);
        random_number_print(&fold->identity, part->type, part->identity);
    }
    clfold_text_print(&fold->combine, is_bare ? "" : " }");
    clfold_text_print(&fold->identity, is_bare ? "" : " }");
    fold->fold.combine = fold->combine.bytes;
    fold->fold.identity = fold->has_identity ? fold->identity.bytes : NULL;
    fold->fold.cuts = fold->cuts.bytes && below(random, 4) > 0 ? fold->cuts.bytes : NULL;
    if (fold->commutes && below(random, 4) > 0) {
        fold->fold.flags |= CLFOLD_COMMUTATIVE;
    }
    if (below(random, 8) == 0) {
        fold->fold.flags |= CLFOLD_PARTIAL;
    }
}

static void set_arg(struct random_fold *fold)
{
    const char *type = clfold_scalar(fold->arg_type)->cl;

    write_number(fold->arg_type, fold->arg_number, fold->arg_value);
    snprintf(fold->buffer_type, sizeof(fold->buffer_type), "global const %s *", type);
    fold->arg = fold->arg_is_buffer
                    ? (clfold_arg){ .type = fold->buffer_type, .name = "table" }
                    : (clfold_arg){ .type = type,
                                    .name = "m",
                                    .size = size_of(fold->arg_type),
                                    .value = fold->arg_value };
    fold->fold.args = &fold->arg;
    fold->fold.num_args = 1;
}

void random_fold_init(struct random_fold *fold, uint64_t seed, bool has_f16, bool has_f64)
{
    uint64_t random = seed;
    unsigned num = 1 + (unsigned)below(&random, MOST_PARTS), pieces = 0;

    memset(fold, 0, sizeof(*fold));
    fold->has_identity = fold->commutes = true;
    fold->num_parts = num;
    for (unsigned p = 0; p < num; ++pieces) {
        clfold_type type = draw_type(&random, has_f16, has_f64);
        p += draw_piece(fold, p, num - p, type, draw_type(&random, has_f16, has_f64),
                        &random);
    }
    /* Cuts of a piece are no others' cuts. */
    if (pieces > 1) {
        clfold_text_finish(&fold->cuts);
    }
    set_form(fold, &random);
    set_texts(fold, &random);
    if (fold->has_arg) {
        set_arg(fold);
    }
    fold->fold.name = "random";
}

void random_fold_finish(struct random_fold *fold)
{
    clfold_text_finish(&fold->components);
    clfold_text_finish(&fold->source);
    clfold_text_finish(&fold->combine);
    clfold_text_finish(&fold->identity);
    clfold_text_finish(&fold->cuts);
}

void random_fold_print(const struct random_fold *fold, struct text *text)
{
    const clfold_fold *call = &fold->fold;
    const char *const texts[][2] = {
        { "components", call->components }, { "source", call->source },
        { "type_name", call->type_name },   { "combine", call->combine },
        { "identity", call->identity },     { "cuts", call->cuts },
    };

    if (fold->has_arg) {
        clfold_text_print(text, "const cl_%s %s = ", clfold_scalar(fold->arg_type)->cl,
                          fold->arg_is_buffer ? "element_1_of_table" : "m");
        random_number_print(text, fold->arg_type, fold->arg_number);
        clfold_text_print(text, ";\n");
    }
    clfold_text_print(text, "const clfold_fold fold = {\n");
    clfold_text_print(text, "    .type = %u, /* %s */\n", call->type,
                      call->type ? name_of(call->type) : "none");
    clfold_text_print(text, "    .in = %u, /* %s */\n", call->in,
                      call->in ? name_of(call->in) : "none");
    for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); ++k) {
        if (texts[k][1]) {
            clfold_text_print(text, "    .%s = \"%s\",\n", texts[k][0], texts[k][1]);
        }
    }
    clfold_text_print(text, "    .type_size = %zu,\n    .flags = %u,\n};\n",
                      call->type_size, call->flags);
}

/* ---- Data -------------------------------------------------------------------------- */

static struct number draw_number(const struct part *part, uint64_t *random)
{
    uint64_t bits = next_random(random), small = bits >> 8 & 15;

    if (part->is_rare && bits % 128 == 0) {
        return part->rare;
    }
    switch (part->draw) {
    case DRAW_SMALL:
        return whole(part->type, (int64_t)small - 8);
    case DRAW_FLAG:
        return whole(part->type, bits >> 8 & 31 ? 0 : 1);
    case DRAW_KEY:
        return whole(part->type, small < 8 ? 0 : (int64_t)small);
    case DRAW_STATES: /* of an element that has a sign, those without it */
        return whole(part->type,
                     (int64_t)(bits >> 8 & (is_signed(part->type) ? 127 : 255)));
    case DRAW_ODD:
        return wrapped(part->type, (struct number){ .integer = bits >> 7 | 1 });
    default:
        bits = next_random(random);
        return wrapped(part->type, (struct number){ .integer = small < 4    ? bits % 3
                                                               : small == 4 ? -bits % 3
                                                                            : bits });
    }
}

static void write_value(const struct random_fold *fold, const struct value *value,
                        unsigned char *at)
{
    for (unsigned k = 0; k < fold->num_parts; ++k) {
        write_number(fold->parts[k].type, value->parts[k], at + fold->parts[k].offset);
    }
}

static struct value read_value(const struct random_fold *fold, const unsigned char *at)
{
    struct value value = { { { 0 } } };

    for (unsigned k = 0; k < fold->num_parts; ++k) {
        value.parts[k] = read_number(fold->parts[k].type, at + fold->parts[k].offset);
    }
    return value;
}

static struct value read_element(const struct random_fold *fold, const unsigned char *at)
{
    struct value value = { { { 0 } } };
    const struct pair pair = { fold->fold.in, fold->fold.type };

    if (!pair.in) {
        return read_value(fold, at);
    }
    value.parts[0] = convert_number(pair, read_number(pair.in, at));
    return value;
}

/* Of which the calls below are, that know no fold. */
static const struct random_fold *current;

static void draw_value(void *value, uint64_t seed)
{
    struct value drawn = { { { 0 } } };

    for (unsigned k = 0; k < current->num_parts; ++k) {
        drawn.parts[k] = draw_number(&current->parts[k], &seed);
    }
    memset(value, 0x5b, current->size);
    write_value(current, &drawn, value);
}

static void draw_elements(void *elements, size_t count, uint64_t seed)
{
    struct part part = current->parts[0];

    part.type = current->fold.in;
    for (size_t i = 0; i < count; ++i) {
        unsigned char *at = (unsigned char *)elements + i * current->in_size;
        if (current->fold.in) {
            write_number(part.type, draw_number(&part, &seed), at);
        } else {
            draw_value(at, next_random(&seed));
        }
    }
}

/* ---- The subject ------------------------------------------------------------------- */

static void load(void *out, const unsigned char *elements, size_t i, size_t n)
{
    const struct value x = read_element(current, elements + i * current->in_size);

    (void)n;
    memset(out, 0, current->size);
    write_value(current, &x, out);
}

static void combine(void *out, const void *a, const void *b)
{
    const struct value x = read_value(current, a), y = read_value(current, b);
    struct value next = { { { 0 } } };

    for (unsigned k = 0; k < current->num_parts; ++k) {
        next.parts[k] = evaluate(current, current->parts[k].combine, &x, &y);
    }
    memset(out, 0, current->size);
    write_value(current, &next, out);
}

/* Zeros of both signs are equal. */
static bool same(const void *a, const void *b)
{
    const struct value x = read_value(current, a), y = read_value(current, b);
    bool same = true;

    for (unsigned k = 0; k < current->num_parts; ++k) {
        same =
            same && compare_numbers(current->parts[k].type, x.parts[k], y.parts[k]) == 0;
    }
    return same;
}

/* "{ 1 -3 }" */
static void print(const void *value, char *text, size_t size)
{
    size_t at = (size_t)snprintf(text, size, "{");

    for (unsigned k = 0; k < current->num_parts && at < size; ++k) {
        const struct part *part = &current->parts[k];
        at += (size_t)snprintf(
            text + at, size - at, " %.17g",
            as_double(part->type, (const unsigned char *)value + part->offset));
    }
    if (at < size) {
        snprintf(text + at, size - at, " }");
    }
}

const struct subject *random_fold_subject(const struct random_fold *fold)
{
    static struct subject subject;
    static unsigned char identity[MAX_ITEM];
    struct value neutral = { { { 0 } } };

    current = fold;
    for (unsigned k = 0; k < fold->num_parts; ++k) {
        neutral.parts[k] = fold->parts[k].identity;
    }
    write_value(fold, &neutral, identity);
    subject = (struct subject){ .fold = fold->fold,
                                .size = fold->size,
                                .in_size = fold->in_size,
                                .identity = fold->has_identity ? identity : NULL,
                                .combine = combine,
                                .load = load,
                                .fill = draw_elements,
                                .fill_init = draw_value,
                                .same = same,
                                .print = print };
    return &subject;
}

unsigned random_fold_parts(const struct random_fold *fold, size_t size)
{
    unsigned num = 0;

    for (unsigned k = 0; k < fold->num_parts; ++k) {
        num += size_of(fold->parts[k].type) == size;
    }
    return num;
}

bool random_fold_has_gap(const struct random_fold *fold)
{
    bool any = false;

    for (unsigned k = 0; k < fold->num_parts; ++k) {
        const bool is_last = k + 1 == fold->num_parts;
        const size_t next = is_last ? fold->size : fold->parts[k + 1].offset;
        any |= next > fold->parts[k].offset + size_of(fold->parts[k].type) &&
               (fold->fold.type_name || !is_last);
    }
    return any;
}
