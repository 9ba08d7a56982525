/* What went wrong, in one sentence without a full stop. It is printed once, by main. And
 * warnings, printed as they come. */
#ifndef CLFOLD_COMMAND_MESSAGE_H
#define CLFOLD_COMMAND_MESSAGE_H

#include <stdbool.h>

#ifdef __GNUC__
#define MESSAGE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define MESSAGE_PRINTF(text, first)
#endif

/* After a noun. */
#define MESSAGE_PLURAL(num) ((num) == 1 ? "" : "s")

/* Room for a path of PATH_MAX bytes and the error. */
struct message {
    char text[8192];
    char hint[256]; /* what the user may do, or "" */
};

/* Always false, so that a function that failed can return it. Control characters, as file
 * names may hold them, become '?' and line ends become spaces: a sentence is one line. */
bool message_set(struct message *message, const char *format, ...) MESSAGE_PRINTF(2, 3);

/* Adds a hint to a sentence, which main prints on a line of its own. Always false. */
bool message_hint(struct message *message, const char *format, ...) MESSAGE_PRINTF(2, 3);

/* Puts "name: " before the sentence. Always false. */
bool message_prefix(struct message *message, const char *name);

/* Prints a warning on standard error at once, unless warnings are silenced. */
void message_warn(const char *format, ...) MESSAGE_PRINTF(1, 2);

/* For the whole process: warnings, and progress too. */
void message_silence(void);
bool message_is_silenced(void);

#endif
