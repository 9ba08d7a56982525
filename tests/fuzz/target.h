/* Targets of libFuzzer, one program for all: `--target=NAME` says which one runs. */
#ifndef CLFOLD_TESTS_TARGET_H
#define CLFOLD_TESTS_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rest of an input. */
struct bytes {
    const uint8_t *at;
    size_t left;
};

/* The next byte, or 0. */
uint8_t take(struct bytes *bytes);

/* The rest in memory of its exact size, so that a sanitizer sees a read beyond it. The
 * caller frees it. */
char *take_rest(struct bytes *bytes);

/* Ends the run, which libFuzzer reports. */
void require(bool holds, const char *what);

/* Whether the input was accepted. */
bool fuzz_explain(struct bytes bytes);
bool fuzz_layout(struct bytes bytes);
void fuzz_open_device(void);

#endif
