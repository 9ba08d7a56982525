/* A folding's segments, which a file has as flags, keys, offsets or lengths. */
#ifndef CLFOLD_COMMAND_HEADS_H
#define CLFOLD_COMMAND_HEADS_H

#include "folding.h"

/* Reads the file that an option names, if one does, for an input that is open. */
bool heads_open(struct folding *f, const struct options *options,
                struct message *message);

/* Whether the file fits `count` elements; `more`: others may follow. */
bool heads_check(const struct folding *f, uint64_t count, bool more,
                 struct message *message);

/* Before a call of `count` elements, as no result shows that offsets are wrong. */
bool heads_check_offsets(struct folding *f, size_t count, struct message *message);

#endif
