#include "plan/scalar.h"

static const struct scalar scalars[] = {
    [CLFOLD_I8] = { "i8", "char", "CHAR_MIN", "CHAR_MAX", 1, false, true },
    [CLFOLD_U8] = { "u8", "uchar", "0", "UCHAR_MAX", 1, false, false },
    [CLFOLD_I16] = { "i16", "short", "SHRT_MIN", "SHRT_MAX", 2, false, true },
    [CLFOLD_U16] = { "u16", "ushort", "0", "USHRT_MAX", 2, false, false },
    [CLFOLD_I32] = { "i32", "int", "INT_MIN", "INT_MAX", 4, false, true },
    [CLFOLD_U32] = { "u32", "uint", "0", "UINT_MAX", 4, false, false },
    [CLFOLD_I64] = { "i64", "long", "LONG_MIN", "LONG_MAX", 8, false, true },
    [CLFOLD_U64] = { "u64", "ulong", "0", "ULONG_MAX", 8, false, false },
    [CLFOLD_F16] = { "f16", "half", "-INFINITY", "INFINITY", 2, true, true },
    [CLFOLD_F32] = { "f32", "float", "-INFINITY", "INFINITY", 4, true, true },
    [CLFOLD_F64] = { "f64", "double", "-INFINITY", "INFINITY", 8, true, true },
};

const struct scalar *clfold_scalar(clfold_type type)
{
    return type >= CLFOLD_I8 && type <= CLFOLD_F64 ? &scalars[type] : NULL;
}

const char *clfold_type_name(clfold_type type)
{
    const struct scalar *scalar = clfold_scalar(type);

    return scalar ? scalar->name : NULL;
}

size_t clfold_type_size(clfold_type type)
{
    const struct scalar *scalar = clfold_scalar(type);

    return scalar ? scalar->size : 0;
}

const char *clfold_scalar_name(clfold_type type)
{
    const char *name = clfold_type_name(type);

    return name ? name : "an unknown type";
}

clfold_type clfold_integer(size_t size, bool is_signed)
{
    clfold_type type = is_signed ? CLFOLD_I8 : CLFOLD_U8;

    /* They come in pairs of a size. */
    while (type < CLFOLD_I64 && scalars[type].size != size) {
        type += 2;
    }
    return type;
}

bool clfold_type_holds(clfold_type to, clfold_type from)
{
    const struct scalar *t = &scalars[to], *f = &scalars[from];

    if (t->is_float && !f->is_float) {
        /* 11, 24 and 53 bits of significand hold 8, 16 and 32 bits. */
        return t->size > f->size;
    }
    if (t->is_float != f->is_float) {
        return false;
    }
    if (t->is_signed == f->is_signed) {
        return t->size >= f->size;
    }
    return t->is_signed && t->size > f->size;
}
