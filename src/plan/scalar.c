#include "plan/scalar.h"

static const struct scalar scalars[] = {
    [CLFOLD_I8] = { "i8", "char", "CHAR_MIN", 1, false },
    [CLFOLD_U8] = { "u8", "uchar", "0", 1, false },
    [CLFOLD_I16] = { "i16", "short", "SHRT_MIN", 2, false },
    [CLFOLD_U16] = { "u16", "ushort", "0", 2, false },
    [CLFOLD_I32] = { "i32", "int", "INT_MIN", 4, false },
    [CLFOLD_U32] = { "u32", "uint", "0", 4, false },
    [CLFOLD_I64] = { "i64", "long", "LONG_MIN", 8, false },
    [CLFOLD_U64] = { "u64", "ulong", "0", 8, false },
    [CLFOLD_F16] = { "f16", "half", "-INFINITY", 2, true },
    [CLFOLD_F32] = { "f32", "float", "-INFINITY", 4, true },
    [CLFOLD_F64] = { "f64", "double", "-INFINITY", 8, true },
};

const struct scalar *clfold_scalar(clfold_type type)
{
    return type >= CLFOLD_I8 && type <= CLFOLD_F64 ? &scalars[type] : NULL;
}

const char *clfold_type_name(clfold_type type)
{
    const struct scalar *scalar = clfold_scalar(type);

    return scalar ? scalar->name : "an unknown type";
}
