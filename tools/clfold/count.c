#include "count.h"

#include <string.h>

static bool multiply(uint64_t *count, uint64_t factor)
{
    if (factor != 0 && *count > UINT64_MAX / factor) {
        return false;
    }
    *count *= factor;
    return true;
}

/* At least one digit, and no sign or space, which strtoull would take. */
static bool read_digits(const char **text, uint64_t *count)
{
    const char *const begin = *text;

    for (*count = 0; **text >= '0' && **text <= '9'; ++*text) {
        const uint64_t digit = (uint64_t)(**text - '0');
        if (!multiply(count, 10) || *count > UINT64_MAX - digit) {
            return false;
        }
        *count += digit;
    }
    return *text > begin;
}

/* `product` times base to the power of `exponent`. */
static bool multiply_power(uint64_t *product, uint64_t base, uint64_t exponent)
{
    /* Only these stay small however often they are multiplied. */
    if (*product == 0 || base == 1 || (base == 0 && exponent > 0)) {
        *product = base == 0 ? 0 : *product;
        return true;
    }
    for (; exponent > 0; exponent--) {
        if (!multiply(product, base)) {
            return false;
        }
    }
    return true;
}

bool count_parse(const char *text, uint64_t *count)
{
    static const char *const suffixes[] = { "Ki", "Mi", "Gi", "Ti" };
    uint64_t first, second;

    if (!read_digits(&text, &first)) {
        return false;
    }
    if (*text == '^' || *text == 'e') {
        const bool power = *text++ == '^';
        if (!read_digits(&text, &second) || *text) {
            return false;
        }
        *count = power ? 1 : first;
        return multiply_power(count, power ? first : 10, second);
    }
    *count = first;
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        if (strcmp(text, suffixes[i]) == 0) {
            return multiply(count, UINT64_C(1) << 10 * (i + 1));
        }
    }
    return !*text;
}
