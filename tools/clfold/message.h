/* What went wrong, in one sentence without a full stop. It is printed once, by main. */
#ifndef CLFOLD_COMMAND_MESSAGE_H
#define CLFOLD_COMMAND_MESSAGE_H

#include <stdbool.h>

#ifdef __GNUC__
#define MESSAGE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define MESSAGE_PRINTF(text, first)
#endif

/* Room for a path of PATH_MAX bytes and the error. */
struct message {
    char text[8192];
};

/* Always false, so that a function that failed can return it. Control characters, as file
 * names may hold them, become '?' and line ends become spaces: a sentence is one line. */
bool message_set(struct message *message, const char *format, ...) MESSAGE_PRINTF(2, 3);

/* Puts "name: " before the sentence. Always false. */
bool message_prefix(struct message *message, const char *name);

#endif
