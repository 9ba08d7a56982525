/* Command lines for the tests of options. */
#ifndef CLFOLD_TESTS_WORDS_H
#define CLFOLD_TESTS_WORDS_H

#include "options.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

enum { MOST = 16 };

/* getopt reorders what it is given, so each reading gets a copy. */
static bool read_words(const char *const words[MOST], struct options *options,
                       struct message *message)
{
    char *argv[MOST + 2] = { (char *)"clfold" };
    int argc = 1;

    for (; words[argc - 1]; argc++) {
        argv[argc] = (char *)words[argc - 1];
    }
    message->text[0] = '\0';
    return options_read(options, argc, argv, message);
}

struct refusal {
    const char *words[MOST], *part; /* of the sentence */
};

static void check_refusals(const struct refusal *cases, size_t num_cases)
{
    struct options options;
    struct message message;

    for (size_t i = 0; i < num_cases; i++) {
        if (read_words(cases[i].words, &options, &message)) {
            fail_msg("case %zu was read; it should say \"%s\"", i, cases[i].part);
        }
        if (!strstr(message.text, cases[i].part)) {
            fail_msg("\"%s\" does not say \"%s\"", message.text, cases[i].part);
        }
    }
}

#endif
