/*
 * clfold check-fold: looks for items that break a law of an operator.
 *
 *     associative    (a op b) op c    a op (b op c)
 *     identity       e op a    a      a op e    a
 *     commutative    a op b    b op a            if it is said to be
 *     cuts           a op b    b                 where the condition holds for b
 *
 * Each op is a fold of two items by algorithm "serial". Items that break a law are made
 * simpler as long as they do.
 */
#include "buffer.h"
#include "commands.h"
#include "number.h"
#include "random.h"
#include "session.h"
#include "types.h"
#include "user_fold.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIZE = 256, NUM_ITEMS = 3 };

struct item {
    unsigned char bytes[MOST_SIZE];
};

struct checker {
    struct session session;
    struct user_fold user;
    cl_mem in;
    clfold_fold fold, chooser; /* the chooser's op gives b where cuts holds, else a */
    char *choice;              /* its text */
    uint64_t random;
};

/* ---- Items ---- */

/* Numbers that are likely to break something, and small ones. */
static struct host_number draw_number(struct checker *c)
{
    static const double specials[] = { 0, 1, -1, 2, 0.5, 3 };
    const uint64_t random = next_random(&c->random) >> 8;
    const double small = (double)(random / 8 % 19) - 9;
    struct host_number number = { .integer = (uint64_t)(int64_t)small,
                                  .real = small / 2 };

    switch (random % 8) {
    case 0:
    case 1:
        number.real = specials[random / 8 % 6];
        number.integer = (uint64_t)(int64_t)number.real;
        break;
    case 2:
        number.integer = random / 8 % 2 ? UINT64_MAX : INT64_MAX; /* greatest, and -1 */
        break;
    case 3:
        number.integer = next_random(&c->random);
        break;
    default:
        break;
    }
    return number;
}

static void draw(struct checker *c, struct item *item)
{
    const clfold_layout *const layout = &c->user.layout;

    memset(item, 0, sizeof(*item));
    for (uint32_t k = 0; k < layout->num_fields; k++) {
        const clfold_field *const field = &layout->fields[k];
        unsigned char *const at = item->bytes + field->offset;
        if (field->type) {
            number_write(field->type, draw_number(c), at);
        } else {
            for (size_t i = 0; i < field->size; i++) {
                at[i] = (unsigned char)(next_random(&c->random) >> 32);
            }
        }
    }
}

static void print_item(const struct checker *c, const char *name, const struct item *item)
{
    const clfold_layout *const layout = &c->user.layout;
    const bool is_scalar =
        layout->num_fields == 1 && layout->fields[0].type && !c->fold.components;
    char text[NUMBER_TEXT];

    printf("  %s = %s", name, is_scalar ? "" : "{ ");
    for (uint32_t k = 0; k < layout->num_fields; k++) {
        const clfold_field *const field = &layout->fields[k];
        const unsigned char *const at = item->bytes + field->offset;
        if (field->type) {
            number_print(text, field->type, at);
            printf("%s%s", k > 0 ? ", " : "", text);
        }
        for (size_t i = 0; !field->type && i < field->size; i++) {
            printf("%s0x%02x", i > 0 ? ", " : "", at[i]);
        }
    }
    printf("%s\n", is_scalar ? "" : " }");
}

/* Half of a float's digits, of the larger of two or of 1. */
static double tolerance_of(clfold_type type)
{
    return type == CLFOLD_F16 ? 0x1p-5 : type == CLFOLD_F32 ? 0x1p-12 : 0x1p-26;
}

static bool is_same(const struct checker *c, const struct item *a, const struct item *b)
{
    const clfold_layout *const layout = &c->user.layout;
    bool same = true;

    for (uint32_t k = 0; same && k < layout->num_fields; k++) {
        const clfold_field *const field = &layout->fields[k];
        const unsigned char *const x = a->bytes + field->offset, *const y = b->bytes +
                                                                            field->offset;
        if (!field->type || !type_is_float(field->type)) {
            same = memcmp(x, y, field->size) == 0;
            continue;
        }
        const double p = clfold_number_read(field->type, x).real;
        const double q = clfold_number_read(field->type, y).real;
        same = p == q || (isnan(p) && isnan(q)) ||
               fabs(p - q) <= tolerance_of(field->type) * fmax(fmax(fabs(p), fabs(q)), 1);
    }
    return same;
}

/* ---- Laws ---- */

/* The fold of some items; false: the call failed. */
static bool join(struct checker *c, const clfold_fold *fold,
                 const struct item *const *items, size_t num, struct item *result,
                 struct message *message)
{
    const size_t size = c->user.layout.in_size;
    unsigned char bytes[2 * MOST_SIZE];

    for (size_t i = 0; i < num; i++) {
        memcpy(bytes + i * size, items[i]->bytes, size);
    }
    const cl_int error = num > 0
                             ? clEnqueueWriteBuffer(c->session.queue, c->in, CL_TRUE, 0,
                                                    num * size, bytes, 0, NULL, NULL)
                             : CL_SUCCESS;
    if (error != CL_SUCCESS) {
        return device_refuse(message, "clEnqueueWriteBuffer", error);
    }
    memset(result, 0, sizeof(*result));
    const clfold_status status =
        clfold_reduce_host(c->session.context, c->session.queue, fold, c->in, 0, num,
                           result->bytes, c->user.layout.out_size);
    return status == CLFOLD_OK ||
           session_refuse_fold(&c->session, &c->user, status, message);
}

struct law {
    const char *fault;
    const char *sides[2]; /* a, b, c, the identity, op and parentheses */
    size_t num;           /* items */
    enum { FOR_ALL, FOR_IDENTITY, FOR_COMMUTATIVE, FOR_CUTS } whose;
};

static const struct law laws[] = {
    { "the operator is not associative",
      { "(a op b) op c", "a op (b op c)" },
      3,
      FOR_ALL },
    { "identity op a is not a", { "identity op a", "a" }, 1, FOR_IDENTITY },
    { "a op identity is not a", { "a op identity", "a" }, 1, FOR_IDENTITY },
    { "the operator is not commutative", { "a op b", "b op a" }, 2, FOR_COMMUTATIVE },
    { "cuts holds for b, but a op b is not b", { "a op b", "b" }, 2, FOR_CUTS },
};
enum { NUM_LAWS = sizeof(laws) / sizeof(laws[0]) };

static bool has_law(const struct checker *c, const struct law *law)
{
    const bool has[] = { [FOR_ALL] = true,
                         [FOR_IDENTITY] = c->fold.identity,
                         [FOR_COMMUTATIVE] = c->fold.flags & CLFOLD_COMMUTATIVE,
                         [FOR_CUTS] = c->fold.cuts };

    return has[law->whose];
}

/* What a side, of which *at moves to the end, makes of the items. */
static bool evaluate(struct checker *c, const char **at,
                     const struct item items[NUM_ITEMS], struct item *result,
                     struct message *message)
{
    struct item left, right;
    const struct item *const both[] = { &left, &right };
    bool done = true;

    for (int i = 0; done; i++) {
        struct item *const to = i ? &right : &left;
        if (**at == '(') {
            ++*at;
            done = evaluate(c, at, items, to, message);
            ++*at;
        } else if (**at == 'i') {
            *at += strlen("identity");
            done = join(c, &c->fold, NULL, 0, to, message);
        } else {
            *to = items[*(*at)++ - 'a'];
        }
        if (i == 1 || strncmp(*at, " op ", 4) != 0) {
            *result = left;
            return done && (i == 0 || join(c, &c->fold, both, 2, result, message));
        }
        *at += 4;
    }
    return false;
}

/* Makes both sides of a law; the same if it says nothing of these items. */
static bool make_sides(struct checker *c, const struct law *law,
                       const struct item items[NUM_ITEMS], struct item sides[2],
                       struct message *message)
{
    const struct item *const both[] = { &items[0], &items[1] };
    const char *left = law->sides[0], *right = law->sides[1];
    struct item choice;

    if (law->whose == FOR_CUTS) {
        if (!join(c, &c->chooser, both, 2, &choice, message)) {
            return false;
        }
        if (!is_same(c, &choice, &items[1]) || is_same(c, &items[0], &items[1])) {
            sides[0] = sides[1] = items[1];
            return true;
        }
    }
    return evaluate(c, &left, items, &sides[0], message) &&
           evaluate(c, &right, items, &sides[1], message);
}

/* ---- Counterexamples ---- */

/* Tries to put simpler numbers in place of each; returns false if a call failed. */
static bool simplify(struct checker *c, const struct law *law,
                     struct item items[NUM_ITEMS], struct item sides[2],
                     struct message *message)
{
    static const double simple[] = { 0, 1, -1, 2, 3 };
    const clfold_layout *const layout = &c->user.layout;

    for (size_t i = 0; i < law->num * layout->num_fields; i++) {
        const clfold_field *const field = &layout->fields[i % layout->num_fields];
        struct item *const item = &items[i / layout->num_fields];
        for (size_t k = 0; field->type && k < sizeof(simple) / sizeof(simple[0]); k++) {
            const struct item before = *item;
            const struct host_number number = { .integer = (uint64_t)(int64_t)simple[k],
                                                .real = simple[k] };
            struct item tried[2];
            number_write(field->type, number, item->bytes + field->offset);
            if (!make_sides(c, law, items, tried, message)) {
                return false;
            }
            if (!is_same(c, &tried[0], &tried[1])) {
                memcpy(sides, tried, sizeof(tried));
                break;
            }
            *item = before;
        }
    }
    return true;
}

/* Always false. */
static bool report(struct checker *c, const struct law *law, struct item items[NUM_ITEMS],
                   struct item sides[2], struct message *message)
{
    static const char *const names[] = { "a", "b", "c" };

    if (!simplify(c, law, items, sides, message)) {
        return false;
    }
    for (size_t i = 0; i < law->num && i < NUM_ITEMS; i++) {
        print_item(c, names[i], &items[i]);
    }
    print_item(c, law->sides[0], &sides[0]);
    print_item(c, law->sides[1], &sides[1]);
    return message_set(message, "%s", law->fault);
}

static bool check_laws(struct checker *c, size_t count, struct message *message)
{
    struct item items[NUM_ITEMS] = { 0 }, sides[2] = { 0 };

    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < NUM_ITEMS; k++) {
            draw(c, &items[k]);
        }
        for (int l = 0; l < NUM_LAWS; l++) {
            if (!has_law(c, &laws[l])) {
                continue;
            }
            if (!make_sides(c, &laws[l], items, sides, message)) {
                return false;
            }
            if (!is_same(c, &sides[0], &sides[1])) {
                return report(c, &laws[l], items, sides, message);
            }
        }
    }
    return true;
}

/* The library compares them when it first folds, and says what it found. */
static bool check_widths(struct checker *c, struct message *message)
{
    clfold_fold fold = c->user.fold;
    clfold_report found;
    struct item result;
    clfold_status status =
        clfold_reduce_host(c->session.context, c->session.queue, &fold, c->in, 0, 2,
                           result.bytes, c->user.layout.out_size);

    if (status == CLFOLD_OK) {
        status =
            clfold_explain(c->session.context, CLFOLD_REDUCE, &fold, 2, NULL, &found);
    }
    if (status != CLFOLD_OK) {
        return session_refuse_fold(&c->session, &c->user, status, message);
    }
    if (found.widths != CLFOLD_WIDTHS_DIFFER) {
        return true;
    }
    const struct scalar_cause cause = user_fold_cause(&found);
    return message_set(message, "the operator runs on scalars, not on vectors%s%s",
                       *cause.text ? ", since " : "", cause.text);
}

/* ---- The command ---- */

/* "{ (cuts) ? b.x : a.x, ... }" */
static bool make_chooser(struct checker *c, struct message *message)
{
    const clfold_layout *const layout = &c->user.layout;
    const char *const cuts = c->fold.cuts;
    size_t size;

    c->chooser = c->fold;
    if (!cuts) {
        return true;
    }
    FILE *const stream = open_memstream(&c->choice, &size);
    if (!stream) {
        return message_set(message, "there is not enough memory for a text");
    }
    if (c->fold.components) {
        for (uint32_t k = 0; k < layout->num_fields; k++) {
            const char *const name = layout->fields[k].name;
            fprintf(stream, "%s(%s) ? b.%s : a.%s", k > 0 ? ", " : "{ ", cuts, name,
                    name);
        }
        fputs(" }", stream);
    } else {
        fprintf(stream, "(%s) ? b : a", cuts);
    }
    if (fclose(stream) != 0) {
        return message_set(message, "there is not enough memory for a text");
    }
    c->chooser.combine = c->choice;
    c->chooser.cuts = NULL;
    c->chooser.flags = CLFOLD_PARTIAL;
    return true;
}

static bool run(struct checker *c, const struct options *options, struct message *message)
{
    struct options plain = *options;

    plain.fold = fold_texts_of_operator(&options->fold);
    const clfold_fold basis =
        options_fold(&plain, options_folds_numbers(&plain) ? options->element : 0);
    if (!user_fold_init(&c->user, &plain.fold, &basis, message) ||
        !session_open(&c->session, options->device, false, message) ||
        !user_fold_load(&c->user, &c->session, NULL, message) ||
        !buffer_create(&c->session, &c->in, CL_MEM_READ_ONLY, 2 * MOST_SIZE, message)) {
        return false;
    }
    c->fold = c->user.fold;
    c->fold.algorithm = "serial";
    c->random = options->seed;
    if (!make_chooser(c, message) || !check_laws(c, options->count, message) ||
        !check_widths(c, message)) {
        return false;
    }
    printf("%zu draws broke no law\n", options->count);
    return true;
}

bool command_check_fold(const struct options *options, struct message *message)
{
    struct checker c = { 0 };
    const bool done = run(&c, options, message);

    if (c.in) {
        clReleaseMemObject(c.in);
    }
    user_fold_finish(&c.user);
    session_close(&c.session);
    free(c.choice);
    return done;
}
