/* Conditions of selects on the items and elements of random folds. */
#include "random_fold.h"

#include "plan/scalar.h"

/* What a condition asks of an item's part, or of an element that is converted. */
static struct asked {
    const struct random_fold *fold;
    clfold_type type;
    size_t offset;
    bool of_x, of_element, is_equal; /* to `than`; else greater */
    struct number than;
} asked;

static bool is_as_asked(const unsigned char *number)
{
    const int order =
        compare_numbers(asked.type, read_number(asked.type, number), asked.than);

    return asked.is_equal ? order == 0 : order > 0;
}

static bool holds(const unsigned char *elements, size_t i, size_t n)
{
    const size_t size = asked.fold->in_size ? asked.fold->in_size : asked.fold->size;
    unsigned char item[MAX_ITEM];

    if (asked.of_element) {
        return is_as_asked(elements + i * size);
    }
    random_fold_subject(asked.fold)->load(item, elements, i, n);
    return is_as_asked(item + asked.offset);
}

/* Of a scan's items. */
static bool item_holds(const void *item, const void *prev, const unsigned char *elements,
                       size_t i)
{
    (void)prev;
    return asked.of_x ? holds(elements, i, 0)
                      : is_as_asked((const unsigned char *)item + asked.offset);
}

/* Neighbours are equal where the same holds of both. */
static bool starts_run(const unsigned char *elements, size_t i, size_t n)
{
    return i == 0 || holds(elements, i - 1, n) != holds(elements, i, n);
}

/* Of a value that elements have. */
const struct condition *random_fold_condition(const struct random_fold *fold,
                                              uint64_t seed)
{
    static struct condition condition;
    static struct text text;
    static const char *const parts[] = { ".p", ".q", ".r", ".s" };
    const bool is_bare = fold->num_parts == 1 && !fold->fold.type_name;
    const struct subject *subject = random_fold_subject(fold);
    const unsigned k = (unsigned)draw(&seed, fold->num_parts);
    const bool are_runs = draw(&seed, 2), of_x = !are_runs && draw(&seed, 2);
    const bool scans = !are_runs && draw(&seed, 2);
    const char *const names[] = { are_runs ? "a" : of_x ? "x" : "item", "b" };
    unsigned char element[MAX_ITEM], item[MAX_ITEM];

    asked = (struct asked){ .fold = fold,
                            .type = fold->parts[k].type,
                            .offset = fold->parts[k].offset,
                            .of_x = of_x,
                            .of_element = of_x && fold->fold.in,
                            .is_equal = draw(&seed, 4) == 0 };
    clfold_text_finish(&text);
    subject->fill(element, 1, next_random(&seed));
    subject->load(item, element, 0, 1);
    asked.than = read_number(asked.type, item + asked.offset);
    if (asked.of_element) {
        asked.type = fold->fold.in;
        asked.than = read_number(asked.type, element);
    }
    for (int side = 0; side < (are_runs ? 2 : 1); ++side) {
        clfold_text_print(&text, "%s(%s%s", side ? " == " : "", names[side],
                          is_bare ? "" : parts[k]);
        clfold_text_print(&text, asked.is_equal ? " == (%s)" : " > (%s)",
                          clfold_scalar(asked.type)->cl);
        random_number_print(&text, asked.type, asked.than);
        clfold_text_print(&text, ")");
    }
    condition = (struct condition){ text.bytes, are_runs ? starts_run : holds, are_runs,
                                    scans, scans ? item_holds : NULL };
    return &condition;
}
