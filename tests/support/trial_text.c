/* Trials as words, "count=100 tile=vector ...", which can be pinned; and smaller ones. */
#include "trial_text.h"
#include "words.h"

#include "plan/memory.h"
#include "plan/monoid.h"
#include "plan/operation.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- The fields -------------------------------------------------------------------- */

static const char *name_of_operation(uint32_t k)
{
    return clfold_operation_row(k) ? clfold_operation_row(k)->name : NULL;
}

static const char *name_of_operator(uint32_t k)
{
    return k > 0 && k <= LAST_OP ? name_of_op(k) : NULL;
}

static const char *name_of_type(uint32_t k)
{
    return k > 0 && k <= LAST_TYPE ? name_of(k) : NULL;
}

static const char *name_of_tile(uint32_t k)
{
    return k > TILE_NONE && k <= TILE_ITEM ? clfold_tile_name((enum tile_kind)k) : NULL;
}

static const char *name_of_tier(uint32_t k)
{
    return k > MEMORY_NONE && k < CLFOLD_MEMORY_TIERS
               ? clfold_memory((enum memory_tier)k)->name
               : NULL;
}

NAMES(name_of_cut, "mixed", "nowhere", "everywhere", "at_tiles", "drawn", "often");
NAMES(name_of_bound, "none", "below", "at", "above");
NAMES(name_of_init, "none", "host", "device");
NAMES(name_of_total, "none", "apart", "behind");
NAMES(name_of_accuracy, "deterministic", "compensated", "reproducible");

/* What is not among them is given by a test alone. */
static const struct word fields[] = {
#define FIELD_AS(key, member, name) WORD_OF(trial, key, member, name)
#define FIELD(member)               FIELD_AS(#member, member, NULL)
    FIELD_AS("operation", operation, name_of_operation),
    FIELD_AS("op", op, name_of_operator),
    FIELD_AS("in", pair.in, name_of_type),
    FIELD_AS("type", pair.type, name_of_type),
    FIELD(reverse),
    FIELD_AS("tile", plan.tile, name_of_tile),
    FIELD_AS("tile_elements", plan.tile_elements, NULL),
    FIELD_AS("group_size", plan.group_size, NULL),
    FIELD_AS("max_groups", plan.max_groups, NULL),
    FIELD_AS("anchor", plan.anchor, NULL),
    FIELD_AS("ahead", plan.ahead, NULL),
    FIELD_AS("stream_bytes", plan.stream_bytes, NULL),
    FIELD_AS("tier", plan.tier, name_of_tier),
    FIELD(count),
    FIELD(in_offset),
    FIELD(out_offset),
    FIELD(width),
    FIELD(length),
    FIELD_AS("by", by, clfold_way_name),
    FIELD_AS("head_type", head_type, name_of_type),
    FIELD_AS("cut", cut, name_of_cut),
    FIELD(empty),
    FIELD(loose),
    FIELD(num_at),
    FIELD(more),
    FIELD(count_at),
    FIELD(spare),
    FIELD(bad),
    FIELD(tells),
    FIELD_AS("bound", bound, name_of_bound),
    FIELD(lists),
    FIELD(level),
    FIELD(rest),
    FIELD(first),
    FIELD(parts),
    FIELD(in_place),
    FIELD(zones),
    FIELD(tight),
    FIELD(disorder),
    FIELD(nan),
    FIELD(rounds),
    FIELD_AS("accuracy", accuracy, name_of_accuracy),
    FIELD(mirrored),
    FIELD(host),
    FIELD(in_shift),
    FIELD(out_shift),
    FIELD_AS("init", init, name_of_init),
    FIELD_AS("total", total, name_of_total),
    FIELD(unknown),
    FIELD(may_refuse),
    FIELD(seed),
};
#define NUM_FIELDS (sizeof(fields) / sizeof(fields[0]))

/* ---- Words ------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size,
                                                         const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

void trial_print(const struct trial *trial, char *text, size_t size)
{
    char name[256];

    text[0] = '\0';
    for (size_t f = 0; f < NUM_FIELDS; ++f) {
        const uint64_t value = word_get(trial, &fields[f]);
        const char *word = fields[f].name ? fields[f].name((uint32_t)value) : NULL;
        if (word && (value > 0 || f == 0)) {
            append(text, size, "%s%s=%s", f ? " " : "", fields[f].key, word);
        } else if (value > 0) {
            append(text, size, " %s=%llu", fields[f].key, (unsigned long long)value);
        }
    }
    if (trial->algorithm) {
        append(text, size, " algorithm=%s", trial->algorithm);
    }
    if (trial->subject) {
        subject_name(trial->subject, name, sizeof(name));
        append(text, size, " fold=%s", name);
    }
    if (trial->condition) {
        condition_name(trial->condition, name, sizeof(name));
        append(text, size, " keep=%s", name);
    }
}

bool algorithm_named(const char *name, enum algorithm *algorithm)
{
    bool is_one = false;

    for (enum family family = FAMILY_REDUCE; !is_one && family <= FAMILY_MAP; ++family) {
        is_one = clfold_algorithm_named(name, family, algorithm);
    }
    return is_one;
}

static const char *read_word(struct trial *trial, const char *key, const char *value)
{
    const struct word *const field = word_find(fields, NUM_FIELDS, key);
    enum algorithm algorithm;

    if (field) {
        return word_read(trial, field, value);
    }
    if (strcmp(key, "fold") == 0) {
        trial->subject = subject_named(value);
        return trial->subject ? NULL : "no such fold";
    }
    if (strcmp(key, "keep") == 0) {
        trial->condition = condition_named(trial->subject, value);
        return trial->condition ? NULL : "no such condition of the fold";
    }
    if (strcmp(key, "algorithm") == 0) {
        if (algorithm_named(value, &algorithm)) {
            trial->algorithm = clfold_algorithm_name(algorithm);
            return NULL;
        }
        return "no such algorithm";
    }
    return "no such key";
}

const char *trial_read(struct trial *trial, const char *words)
{
    static char why[320];
    char copy[1024];

    *trial = (struct trial){ 0 };
    snprintf(copy, sizeof(copy), "%s", words);
    for (char *word = strtok(copy, " \t\n"); word; word = strtok(NULL, " \t\n")) {
        char *value = strchr(word, '=');
        if (value) {
            *value++ = '\0';
        }
        const char *wrong = read_word(trial, word, value ? value : "");
        if (wrong) {
            snprintf(why, sizeof(why), "%s=%s: %s", word, value ? value : "", wrong);
            return why;
        }
    }
    return NULL;
}

/* ---- Smaller ones ------------------------------------------------------------------ */

static bool is_wrong(const struct trial *trial)
{
    char why[1024];

    return trial_is_valid(trial) &&
           trial_run(trial, NULL, why, sizeof(why)) == TRIAL_WRONG;
}

/* Fields one after the other at 0, or at half, or at one less, until none gets less. */
void trial_shrink(struct trial *trial, unsigned seconds)
{
    const time_t end = time(NULL) + (time_t)seconds;

    for (bool is_less = true; is_less;) {
        is_less = false;
        for (size_t f = 0; f < NUM_FIELDS; ++f) {
            const uint64_t value = word_get(trial, &fields[f]);
            const uint64_t less[] = { 0, value / 2, value - 1 };
            const size_t num = value == 0 ? 0 : fields[f].name || value == 1 ? 1 : 3;
            for (size_t k = 0; k < num && time(NULL) < end; ++k) {
                struct trial smaller = *trial;
                word_set(&smaller, &fields[f], less[k]);
                if (is_wrong(&smaller)) {
                    *trial = smaller;
                    is_less = true;
                    break;
                }
            }
        }
    }
}
