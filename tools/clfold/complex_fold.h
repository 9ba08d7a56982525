/* Folds of complex numbers, which the library knows only as two components. */
#ifndef CLFOLD_COMMAND_COMPLEX_FOLD_H
#define CLFOLD_COMMAND_COMPLEX_FOLD_H

#include "options.h"

/* What the texts and the basis of the fold must be to fold complex numbers whose parts
 * have the type `scalar`: components re and im, or with --load x.x and x.y. The sentence
 * of a failure has the file as its subject. */
bool complex_fold_init(const struct options *options, clfold_type scalar,
                       struct fold_texts *texts, clfold_fold *basis,
                       struct message *message);

#endif
