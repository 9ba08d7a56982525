/* For the tests of tools/predict: texts that the command carries, read and counted. */
#ifndef CLFOLD_TESTS_PREDICT_NESTS_H
#define CLFOLD_TESTS_PREDICT_NESTS_H

#include "nest_time.h"
#include "predict_texts.h"
#include "test.h"

static inline const struct predict_text *text_named(const char *name, bool is_device)
{
    const struct predict_text *text = predict_texts;

    while (text->name &&
           (strcmp(text->name, name) != 0 || text->is_device != is_device)) {
        text++;
    }
    if (!text->name) {
        fail_msg("there is no %s", name);
    }
    return text;
}

static inline struct nest *read_text(const char *text)
{
    struct nest_error error = { 0 };
    struct nest *const nest = nest_read(text, strlen(text), &error);

    if (!nest) {
        fail_msg("%d:%d: %s in\n%s", error.line, error.column, error.text, text);
    }
    return nest;
}

static inline struct nest *read_named(const char *name)
{
    return read_text(text_named(name, false)->text);
}

/* With elements of 8 bytes. */
static inline struct nest *read_as_doubles(const char *name)
{
    char text[4096];

    snprintf(text, sizeof(text), "%s", text_named(name, false)->text);
    char *const bytes = strstr(text, "T = 4");
    assert_non_null(bytes);
    bytes[4] = '8';
    return read_text(text);
}

static inline struct nest_counts count_with(const struct nest *nest, int width, int banks,
                                            const struct nest_setting *settings, int num)
{
    const struct nest_lanes lanes = { width, banks, 0 };
    struct nest_counts counts;
    struct nest_error error = { 0 };

    if (!nest_count(&counts, nest, &lanes, settings, num, &error)) {
        fail_msg("%d:%d: %s", error.line, error.column, error.text);
    }
    return counts;
}

static inline void read_device(struct device *device, const char *name)
{
    const struct predict_text *const text = text_named(name, true);
    struct nest_error error = { 0 };

    if (!device_read(device, text->text, text->size, &error)) {
        fail_msg("%s:%d: %s", name, error.line, error.text);
    }
}

#endif
