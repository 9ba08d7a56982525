#include "folding.h"

#include "types.h"

/* Sums and products; no others have a meaning without an order. */
static const struct {
    clfold_op op;
    const char *combine, *identity;
} folds[] = {
    { CLFOLD_ADD, "{ a.re + b.re, a.im + b.im }", "{ 0, 0 }" },
    { CLFOLD_MUL, "{ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re }",
      "{ 1, 0 }" },
};
enum { NUM_FOLDS = sizeof(folds) / sizeof(folds[0]) };

static const char *complex_name(clfold_type scalar)
{
    return scalar == CLFOLD_F32 ? "complex64" : "complex128";
}

/* What is folded has no text of its own. */
static bool set_operator(const struct options *options, clfold_type scalar,
                         struct fold_texts *texts, struct message *message)
{
    const char *const name = complex_name(scalar);
    int k = 0;

    while (k < NUM_FOLDS && (options->mean || folds[k].op != options->op)) {
        k++;
    }
    if (k == NUM_FOLDS) {
        return message_set(message,
                           "holds %s: of complex numbers --op is add or mul, not %s",
                           name, options_op(options));
    }
    if (options->init || options->accuracy) {
        return message_set(message, "holds %s, which do not go with --%s", name,
                           options->init ? "init" : "accuracy");
    }
    texts->combine = folds[k].combine;
    texts->identity = folds[k].identity;
    texts->commutative = true;
    return true;
}

bool complex_fold_init(const struct options *options, clfold_type scalar,
                       struct fold_texts *texts, clfold_fold *basis,
                       struct message *message)
{
    const clfold_type type = options->acc ? options->acc : scalar;
    const char *const name = complex_name(scalar);

    *texts = options->fold;
    *basis = options_fold(options, scalar);
    if (texts->load || texts->in_scalars) {
        texts->in_scalars = texts->in_scalars ? texts->in_scalars : 2;
        return true;
    }
    if (texts->combine) {
        return message_set(message,
                           "holds %s, and --combine needs --components, such as '%s re; "
                           "%s im'",
                           name, user_fold_word(scalar), user_fold_word(scalar));
    }
    if (type != CLFOLD_F32 && type != CLFOLD_F64) {
        return message_set(message, "holds %s, which are folded in f32 or f64, not in %s",
                           name, clfold_type_name(type));
    }
    if (operation_folds(options->operation) &&
        !set_operator(options, scalar, texts, message)) {
        return false;
    }
    texts->components =
        type == CLFOLD_F32 ? "float re; float im" : "double re; double im";
    basis->op = basis->type = basis->in = 0;
    if (type != scalar) {
        basis->in = scalar;
        texts->in_scalars = 2;
        texts->load = type == CLFOLD_F32 ? "{ to_f32(x.x), to_f32(x.y) }"
                                         : "{ to_f64(x.x), to_f64(x.y) }";
    }
    return true;
}
