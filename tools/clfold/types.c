#include "types.h"

#include <string.h>

static const struct {
    const char *name;
    size_t size;
    enum type_class class;
} types[] = {
    [CLFOLD_I8] = { "i8", 1, TYPE_SIGNED },   [CLFOLD_U8] = { "u8", 1, TYPE_UNSIGNED },
    [CLFOLD_I16] = { "i16", 2, TYPE_SIGNED }, [CLFOLD_U16] = { "u16", 2, TYPE_UNSIGNED },
    [CLFOLD_I32] = { "i32", 4, TYPE_SIGNED }, [CLFOLD_U32] = { "u32", 4, TYPE_UNSIGNED },
    [CLFOLD_I64] = { "i64", 8, TYPE_SIGNED }, [CLFOLD_U64] = { "u64", 8, TYPE_UNSIGNED },
    [CLFOLD_F16] = { "f16", 2, TYPE_FLOAT },  [CLFOLD_F32] = { "f32", 4, TYPE_FLOAT },
    [CLFOLD_F64] = { "f64", 8, TYPE_FLOAT },
};

#define NUM_TYPES (sizeof(types) / sizeof(types[0]))

static const struct {
    const char *name;
    bool wide;  /* integers are folded in 64 bits */
    bool empty; /* a reduction of no numbers has a result */
    struct op_result result;
} ops[] = {
    [CLFOLD_ADD] = { "add", true, true, { false, 1 } },
    [CLFOLD_MUL] = { "mul", true, true, { false, 1 } },
    [CLFOLD_MIN] = { "min", false, false, { false, 1 } },
    [CLFOLD_MAX] = { "max", false, false, { false, 1 } },
    [CLFOLD_BIT_AND] = { "bit-and", false, true, { false, 1 } },
    [CLFOLD_BIT_OR] = { "bit-or", false, true, { false, 1 } },
    [CLFOLD_BIT_XOR] = { "bit-xor", false, true, { false, 1 } },
    [CLFOLD_LOGICAL_AND] = { "logical-and", false, true, { false, 1 } },
    [CLFOLD_LOGICAL_OR] = { "logical-or", false, true, { false, 1 } },
    [CLFOLD_ARG_MIN] = { "arg-min", false, false, { true, 1 } },
    [CLFOLD_ARG_MAX] = { "arg-max", false, false, { true, 1 } },
    [CLFOLD_ARG_MIN_MAX] = { "arg-min-max", false, false, { true, 2 } },
    [CLFOLD_MIN_MAX] = { "min-max", false, false, { false, 2 } },
};

#define NUM_OPS (sizeof(ops) / sizeof(ops[0]))

static const char *const reduce_algorithms[] = { "reduce_tiles", "reduce0", "reduce1",
                                                 "reduce2",      "reduce3", "reduce4",
                                                 "reduce5",      "reduce6", NULL };
static const char *const scan_algorithms[] = { "scan_single_group", "scan_then_propagate",
                                               "reduce_then_scan",  "scan_lookback",
                                               "scan_chained",      NULL };

clfold_type type_parse(const char *name)
{
    for (clfold_type type = 1; type < NUM_TYPES; type++) {
        if (strcmp(types[type].name, name) == 0) {
            return type;
        }
    }
    return 0;
}

clfold_op op_parse(const char *name)
{
    for (clfold_op op = 1; op < NUM_OPS; op++) {
        if (strcmp(ops[op].name, name) == 0) {
            return op;
        }
    }
    return 0;
}

/* Equal, where `name` may have hyphens for underscores. */
static bool same_name(const char *algorithm, const char *name)
{
    while (*algorithm && (*algorithm == *name || (*algorithm == '_' && *name == '-'))) {
        algorithm++;
        name++;
    }
    return *algorithm == *name;
}

static const char *without_scan(const char *name)
{
    const bool has = strncmp(name, "scan_", 5) == 0 || strncmp(name, "scan-", 5) == 0;

    return name + (has ? 5 : 0);
}

bool algorithm_parse(const char *name, bool of_scan, const char **algorithm)
{
    const char *const *known = of_scan ? scan_algorithms : reduce_algorithms;

    *algorithm = NULL;
    for (; *known; known++) {
        if (of_scan ? same_name(without_scan(*known), without_scan(name))
                    : same_name(*known, name)) {
            *algorithm = *known;
            return true;
        }
    }
    return strcmp(name, "auto") == 0;
}

const char *scan_kind(clfold_operation operation)
{
    return operation == CLFOLD_EXCLUSIVE_SCAN ? "exclusive" : "inclusive";
}

const char *type_name(clfold_type type)
{
    return types[type].name;
}

const char *op_name(clfold_op op)
{
    return ops[op].name;
}

size_t type_size(clfold_type type)
{
    return types[type].size;
}

clfold_type type_find(char kind, unsigned long size)
{
    for (clfold_type type = 1; type < NUM_TYPES; type++) {
        if (types[type].name[0] == kind && types[type].size == size) {
            return type;
        }
    }
    return 0;
}

enum type_class type_class(clfold_type type)
{
    return types[type].class;
}

uint64_t type_wrap(clfold_type type, uint64_t bits)
{
    switch (type) {
    case CLFOLD_I8:
        return (uint64_t)(int8_t)bits;
    case CLFOLD_U8:
        return (uint8_t)bits;
    case CLFOLD_I16:
        return (uint64_t)(int16_t)bits;
    case CLFOLD_U16:
        return (uint16_t)bits;
    case CLFOLD_I32:
        return (uint64_t)(int32_t)bits;
    case CLFOLD_U32:
        return (uint32_t)bits;
    default:
        return bits;
    }
}

clfold_type type_accumulator(clfold_op op, clfold_type element)
{
    if (!ops[op].wide) {
        return element;
    }
    switch (type_class(element)) {
    case TYPE_SIGNED:
        return CLFOLD_I64;
    case TYPE_UNSIGNED:
        return CLFOLD_U64;
    case TYPE_FLOAT:
        break;
    }
    return element;
}

struct op_result op_result(clfold_op op)
{
    return ops[op].result;
}

bool op_takes_nothing(clfold_op op)
{
    return ops[op].empty;
}
