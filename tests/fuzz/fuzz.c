/* The table of targets, and those of the readers. Each counts what it accepts and
 * rejects, so that drive.py sees that its inputs reach the reader. */
#include "target.h"

#include "npy.h"
#include "plan/tuning.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t take(struct bytes *bytes)
{
    if (bytes->left == 0) {
        return 0;
    }
    --bytes->left;
    return *bytes->at++;
}

char *take_rest(struct bytes *bytes)
{
    char *rest = malloc(bytes->left ? bytes->left : 1);

    require(rest != NULL, "memory");
    memcpy(rest, bytes->at, bytes->left);
    return rest;
}

void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz: %s does not hold\n", what);
        abort();
    }
}

/* ---- The readers ------------------------------------------------------------------- */

/* As input.c reads a header: a prefix, a length, a text. */
static bool fuzz_npy(struct bytes bytes)
{
    struct npy npy = { .takes_structs = take(&bytes) % 2 };
    unsigned char prefix[NPY_PREFIX], field[NPY_MAX_LENGTH_BYTES];
    struct message message;
    size_t length_bytes, length;
    bool accepted = false;

    for (size_t i = 0; i < sizeof(prefix); ++i) {
        prefix[i] = take(&bytes);
    }
    if (!npy_read_prefix(prefix, &length_bytes, &message)) {
        return false;
    }
    require(length_bytes <= sizeof(field), "a length of 4 bytes at most");
    for (size_t i = 0; i < length_bytes; ++i) {
        field[i] = take(&bytes);
    }
    if (!npy_read_length(field, length_bytes, &length, &message)) {
        return false;
    }
    char *text = take_rest(&bytes);
    if (length <= bytes.left &&
        (accepted = npy_read_text(text, length, &npy, &message))) {
        require(npy.element > 0 && npy.bytes / npy.element == npy.count,
                "bytes = count * element");
        require(npy.num_fields <= NPY_FIELDS, "as many fields as there is room for");
    }
    free(text);
    return accepted;
}

/* In pieces of any length. */
static bool fuzz_text(struct bytes bytes)
{
    static const char separators[] = { 0, ',', ';', '\t' };
    static const char *const columns[] = { NULL, "2", "x", "a \"b\"", "=2", "=x" };
    struct text text;
    struct message message;
    unsigned char numbers[64];
    size_t got;

    text_init(&text, CLFOLD_I8 + take(&bytes) % CLFOLD_F64);
    text.form.separator = separators[take(&bytes) % 4];
    text.form.skip = take(&bytes) % 3;
    text.form.column = columns[take(&bytes) % 6];
    text.form.field = text.form.column && text.form.column[0] == '2' ? 2 : 0;
    text.form.missing = (enum missing)(take(&bytes) % (MISSING_NAN + 1));
    text.numbers = 1 + take(&bytes) % 4;
    size_t piece = 1 + take(&bytes);
    char *rest = take_rest(&bytes);
    bool accepted = true;
    for (size_t at = 0; accepted && at < bytes.left; at += piece) {
        size_t size = bytes.left - at < piece ? bytes.left - at : piece;
        accepted = text_feed(&text, rest + at, size, &message);
    }
    accepted = accepted && text_end(&text, &message);
    (void)(accepted && text_warning(&text, &message));
    while (accepted && (got = text_take(&text, numbers, sizeof(numbers))) > 0) {
        require(got <= sizeof(numbers), "no more numbers than there is room for");
    }
    text_finish(&text);
    free(rest);
    return accepted;
}

static bool fuzz_tuning(struct bytes bytes)
{
    static const struct device_facts cpu = { .cpu = true,
                                             .vendor = "any",
                                             .name = "any",
                                             .max_group_size = 4096,
                                             .local_memory = 1 << 18,
                                             .platform = "any" };
    char why[CLFOLD_TUNING_WHY];
    struct tuning tuning;
    char *text = take_rest(&bytes);
    bool accepted =
        clfold_tuning_read(&tuning, text, bytes.left, "KEY", &cpu, why) == CLFOLD_OK;

    for (size_t i = 0; accepted && i < tuning.num; ++i) {
        const struct tuning_row *row = &tuning.rows[i];
        require(clfold_tuning_find(&tuning, &row->call), "a row that is found");
        require(row->reach <= strlen("KEY"), "a key that begins like the device's");
    }
    accepted = accepted && tuning.num > 0;
    clfold_tuning_finish(&tuning);
    free(text);
    return accepted;
}

/* A fault of each kind that the sanitizers must see. */
static bool fuzz_planted(struct bytes bytes)
{
    char *text = take_rest(&bytes);
    volatile int most = INT32_MAX;
    size_t beyond = bytes.left;

    if (bytes.left > 0 && text[0] == 'A') {
        most = text[beyond];
    } else if (bytes.left > 0 && text[0] == 'U') {
        most = most + 1;
    }
    free(text);
    return most > 0;
}

/* ---- The table --------------------------------------------------------------------- */

static const struct target {
    const char *name;
    bool (*run)(struct bytes bytes);
    void (*open)(void);
} targets[] = {
    { "explain", fuzz_explain, fuzz_open_device },
    { "layout", fuzz_layout, NULL },
    { "npy", fuzz_npy, NULL },
    { "text", fuzz_text, NULL },
    { "tuning", fuzz_tuning, NULL },
    { "planted", fuzz_planted, NULL },
};

static const struct target *target;
static size_t num[2]; /* of inputs: rejected, accepted */

static void print_numbers(void)
{
    fprintf(stderr, "fuzz: %zu accepted, %zu rejected\n", num[1], num[0]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    for (int i = 1; i < *argc; ++i) {
        for (size_t k = 0; k < sizeof(targets) / sizeof(targets[0]); ++k) {
            if (strncmp((*argv)[i], "--target=", 9) == 0 &&
                strcmp((*argv)[i] + 9, targets[k].name) == 0) {
                target = &targets[k];
            }
        }
    }
    require(target != NULL, "--target=NAME");
    if (target->open) {
        target->open();
    }
    atexit(print_numbers);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ++num[target->run((struct bytes){ data, size })];
    return 0;
}
