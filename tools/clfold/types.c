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
    return strcmp(name, "add") == 0   ? CLFOLD_ADD
           : strcmp(name, "max") == 0 ? CLFOLD_MAX
                                      : 0;
}

const char *type_name(clfold_type type)
{
    return types[type].name;
}

const char *op_name(clfold_op op)
{
    return op == CLFOLD_ADD ? "add" : "max";
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

clfold_type type_accumulator(clfold_op op, clfold_type element)
{
    if (op != CLFOLD_ADD) {
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
