#include "plan/tuning.h"

#include "base/memory.h"
#include "base/platform.h"
#include "base/text.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* 5: rows by operation and bytes of an element. */
#define VERSION    "5"
#define FIRST_LINE "clfold tuning " VERSION "\n"

/* The library's own rows, each with its evidence. */
const char clfold_tuning_own[] = FIRST_LINE;

#define SHORTEST     24    /* bytes of a row, at least */
#define MOST_ELEMENT 65536 /* bytes */
#define MOST_CLASS   32

/* ---- Numbers ----------------------------------------------------------------------- */

enum { OF_REDUCE = 1 << FAMILY_REDUCE, OF_SCAN = 1 << FAMILY_SCAN };
enum { OF_WRITE = OF_SCAN | 1 << FAMILY_MAP, OF_ALL = OF_REDUCE | OF_WRITE };

/* The limits on any device, and the place in a policy. Elements of a tile, like groups of
 * them, are counted in 32 bits. */
#define AT(field) #field, offsetof(struct policy, field)
static const struct {
    const char *name;
    size_t at;
    int families;
    uint64_t least, most;
} tuned[CLFOLD_TUNED] = {
    [TUNED_TILE_BYTES] = { AT(tile_bytes), OF_ALL, 256, 64 << 20 },
    [TUNED_GROUP_SIZE] = { AT(group_size), OF_ALL, 1, 1 << 16 },
    [TUNED_GROUPS] = { AT(groups), OF_ALL, 1, 1 << 20 },
    [TUNED_LANE_BYTES] = { AT(lane_bytes), OF_REDUCE, 0, 64 << 20 },
    [TUNED_ANCHOR] = { AT(anchor), OF_SCAN, 1, 1 << 16 },
    [TUNED_AHEAD_BYTES] = { AT(ahead_bytes), OF_ALL, 0, 1 << 20 },
    [TUNED_STREAM_BYTES] = { AT(stream_bytes), OF_WRITE, 0, UINT64_C(1) << 62 },
};

/* The most that the device takes; NULL: any device. */
static uint64_t most_of(int which, enum tile_kind tile, const struct device_facts *device)
{
    const uint64_t most = tuned[which].most;

    if (which == TUNED_GROUP_SIZE) {
        return clfold_tile_is_lone(tile)                 ? 1
               : device && device->max_group_size < most ? device->max_group_size
                                                         : most;
    }
    return (which == TUNED_AHEAD_BYTES || which == TUNED_STREAM_BYTES) && device &&
                   !clfold_platform_builtins(device->platform)
               ? 0
               : most;
}

void clfold_numbers_apply(const struct tuned_numbers *numbers, uint64_t least,
                          struct policy *candidates, uint32_t num)
{
    uint32_t from = 0;

    while (numbers && numbers->tile && from < num &&
           candidates[from].tile != numbers->tile) {
        ++from;
    }
    if (!numbers || from == num) {
        return;
    }
    struct policy policy = candidates[from];
    memmove(candidates + 1, candidates, from * sizeof(*candidates));
    for (int i = 0; i < CLFOLD_TUNED; ++i) {
        if (numbers->set >> i & 1) {
            memcpy((char *)&policy + tuned[i].at, &numbers->values[i], sizeof(uint64_t));
        }
    }
    policy.group_size = clfold_tile_is_lone(policy.tile) ? 1 : policy.group_size;
    policy.tile_bytes = policy.tile_bytes > least ? policy.tile_bytes : least;
    policy.row = numbers->is_own ? "measured" : "tuned";
    candidates[0] = policy;
}

/* ---- Rows -------------------------------------------------------------------------- */

const char *clfold_tuning_name(clfold_operation operation)
{
    const struct operation *row = clfold_operation_row(operation);

    return row ? row->tuned : NULL;
}

struct tuning_call clfold_tuning_call(const struct job *job)
{
    const bool is_exclusive = job->operation == CLFOLD_EXCLUSIVE_SCAN;
    uint32_t bits = 0;

    while (bits < 63 && job->count >> (bits + 1) > 0) {
        ++bits;
    }
    return (struct tuning_call){
        .operation = is_exclusive ? CLFOLD_INCLUSIVE_SCAN : job->operation,
        .element = (uint32_t)clfold_monoid_in_size(job->monoid),
        .count_class = (bits + 1) / 2,
    };
}

const struct tuned_numbers *clfold_tuning_find(const struct tuning *tuning,
                                               const struct tuning_call *call)
{
    const struct tuning_row *found = NULL;

    for (size_t i = 0; i < tuning->num; ++i) {
        const struct tuning_row *row = &tuning->rows[i];
        if (memcmp(&row->call, call, sizeof(*call)) == 0 &&
            (!found || row->reach >= found->reach)) {
            found = row;
        }
    }
    return found ? &found->numbers : NULL;
}

void clfold_tuning_finish(struct tuning *tuning)
{
    clfold_free(tuning->rows);
    *tuning = (struct tuning){ 0 };
}

/* ---- Reading a row ----------------------------------------------------------------- */

struct reader {
    uint32_t line;
    char *why; /* "line 3: groups 0 is not from 1 to 1048576" */
    struct tuning_row row;
    char text[CLFOLD_TUNING_LINE]; /* of the line */
};

/* "line 3: unknown operation fold". */
static bool fail(struct reader *reader, const char *what, const char *word)
{
    snprintf(reader->why, CLFOLD_TUNING_WHY, "line %u: %s%.*s", reader->line, what,
             (int)strcspn(word, " "), word);
    return false;
}

/* A number without sign and leading zero, and the text `after` it. */
static bool take_number(const char **at, const char *after, uint64_t *number)
{
    const char *from = *at;

    *number = 0;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        uint64_t digit = (uint64_t)(**at - '0');
        if (*number > (UINT64_MAX - digit) / 10 || (*at > from && *from == '0')) {
            return false;
        }
        *number = 10 * *number + digit;
    }
    return *at > from && clfold_text_take(at, after);
}

static const char *tuned_name(uint32_t which)
{
    return tuned[which].name;
}

/* "tile_bytes=32768 ". */
static bool read_number(struct reader *reader, const char **at)
{
    struct tuned_numbers *numbers = &reader->row.numbers;
    const char *word = *at;
    uint32_t which, kind;
    uint64_t value;

    if (clfold_text_take(at, "tile=")) {
        if (numbers->tile || !clfold_text_take_name(at, clfold_tile_name, TILE_VECTOR,
                                                    TILE_ITEM, " ", &kind)) {
            return fail(reader, "invalid or repeated: ", word);
        }
        numbers->tile = (enum tile_kind)kind;
        return true;
    }
    if (!clfold_text_take_name(at, tuned_name, 0, CLFOLD_TUNED - 1, "=", &which)) {
        return fail(reader, "unknown number ", word);
    }
    if (!take_number(at, " ", &value) || numbers->set >> which & 1) {
        return fail(reader, "invalid or repeated: ", word);
    }
    numbers->set |= UINT32_C(1) << which;
    numbers->values[which] = value;
    return true;
}

/* Whether the device takes all numbers of a row, which may serve others. */
static bool is_taken(const struct tuned_numbers *numbers,
                     const struct device_facts *device)
{
    bool taken = true;

    for (int i = 0; i < CLFOLD_TUNED; ++i) {
        taken &= !(numbers->set >> i & 1) ||
                 numbers->values[i] <= most_of(i, numbers->tile, device);
    }
    return taken;
}

/* By the limits on any device. */
static bool check_numbers(struct reader *reader)
{
    const struct tuned_numbers *numbers = &reader->row.numbers;
    const clfold_operation operation = reader->row.call.operation;
    const enum family family = clfold_operation_row(operation)->family;

    for (int i = 0; i < CLFOLD_TUNED; ++i) {
        const uint64_t value = numbers->values[i], least = tuned[i].least;
        const uint64_t most = most_of(i, numbers->tile, NULL);
        char what[128] = "";
        if (!(numbers->set >> i & 1)) {
            continue;
        }
        if (!(tuned[i].families >> family & 1)) {
            snprintf(what, sizeof(what), "%s does not apply to a %.*s", tuned[i].name,
                     (int)strcspn(reader->text, " "), reader->text);
        } else if (value < least || value > most) {
            snprintf(what, sizeof(what), "%s %llu is not from %llu to %llu",
                     tuned[i].name, (unsigned long long)value, (unsigned long long)least,
                     (unsigned long long)most);
        }
        if (what[0] != '\0') {
            return fail(reader, what, "");
        }
    }
    return true;
}

/* Whether the line is a row. *serves: for a device of that key. */
static bool read_row(struct reader *reader, const char *key, bool *serves)
{
    struct tuning_call *call = &reader->row.call;
    const char *at = reader->text, *word = at;
    uint64_t element, from, to;

    reader->row = (struct tuning_row){ 0 };
    if (!clfold_text_take_name(&at, clfold_tuning_name, CLFOLD_REDUCE,
                               clfold_last_operation(), " ", &call->operation)) {
        return fail(reader, "unknown operation ", word);
    }
    word = at;
    if (!take_number(&at, " ", &element) || element == 0 || element > MOST_ELEMENT) {
        return fail(reader, "invalid bytes of an element: ", word);
    }
    word = at;
    if (!clfold_text_take(&at, "2^") || !take_number(&at, "..2^", &from) ||
        !take_number(&at, " ", &to) || to % 2 == 0 || to / 2 > MOST_CLASS ||
        from != (to > 1 ? to - 2 : 0)) {
        return fail(reader, "invalid range of counts: ", word);
    }
    call->element = (uint32_t)element;
    call->count_class = (uint32_t)(to / 2);
    while (!clfold_text_take(&at, "on ")) {
        if (!read_number(reader, &at)) {
            return false;
        }
    }
    if (*at == '\0' || !(reader->row.numbers.set || reader->row.numbers.tile)) {
        return fail(reader, *at == '\0' ? "no device" : "no number", "");
    }
    /* The whole key, or its first words. */
    reader->row.reach = strlen(at);
    *serves =
        strncmp(key, at, reader->row.reach) == 0 && strchr(" ;", key[reader->row.reach]);
    return true;
}

/* ---- Reading a text ---------------------------------------------------------------- */

/* Names of devices may be in any encoding, but have no control characters. */
static const char controls[] = "\1\2\3\4\5\6\7\b\t\n\v\f\r\16\17\20\21\22\23\24\25\26\27"
                               "\30\31\32\33\34\35\36\37\177";

/* Copies the line at *at without its end, and moves on to the next. */
static bool read_line(struct reader *reader, const char **at, const char *end)
{
    const char *from = *at, *to = memchr(from, '\n', (size_t)(end - from));
    const size_t length = to ? (size_t)(to - from) : 0;

    ++reader->line;
    if (!to || length >= CLFOLD_TUNING_LINE) {
        return fail(reader, to ? "it is too long" : "it has no newline at its end", "");
    }
    memcpy(reader->text, from, length);
    reader->text[length] = '\0';
    *at = to + 1;
    return strcspn(reader->text, controls) == length ||
           fail(reader, "it is not plain text", "");
}

static bool read_rows(struct tuning *tuning, const char *text, size_t length,
                      const char *key, const struct device_facts *device, char *why)
{
    const size_t first = strlen(FIRST_LINE), magic = first - 2;
    const char *at = text, *end = text + length;
    struct reader reader = { .line = 1, .why = why };

    if (length < first || memcmp(text, FIRST_LINE, first) != 0) {
        snprintf(why, CLFOLD_TUNING_WHY, "%s",
                 length > magic && memcmp(text, FIRST_LINE, magic) == 0
                     ? "its version is not " VERSION
                       "; remove it and run clfold tune again"
                     : "it does not begin with \"clfold tuning " VERSION "\"");
        return false;
    }
    at += first;
    while (at < end) {
        bool serves;
        if (!read_line(&reader, &at, end) || !read_row(&reader, key, &serves) ||
            !check_numbers(&reader)) {
            return false;
        }
        if (serves && is_taken(&reader.row.numbers, device)) {
            reader.row.numbers.is_own = text == clfold_tuning_own;
            tuning->rows[tuning->num++] = reader.row;
        }
    }
    return true;
}

clfold_status clfold_tuning_read(struct tuning *tuning, const char *text, size_t length,
                                 const char *key, const struct device_facts *device,
                                 char why[CLFOLD_TUNING_WHY])
{
    const size_t most = length / SHORTEST + 1;

    *tuning = (struct tuning){ .rows = clfold_alloc(most * sizeof(*tuning->rows)) };
    if (!tuning->rows) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    const bool done = read_rows(tuning, text, length, key, device, why);
    if (!done || tuning->num == 0) {
        clfold_tuning_finish(tuning);
    }
    return done ? CLFOLD_OK : CLFOLD_ERROR_DATA;
}
