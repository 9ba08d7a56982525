/*
 * Names for texts that are compiled at two widths: what reads the same at both. The host
 * defines CLFOLD_TO and CLFOLD_PICK before each text:
 *
 *                     scalar                 vectors of 16
 *   relation          1 or 0                 -1 or 0
 *   c ? a : b         c != 0                 the sign of c; c as wide as a and b
 *   pick(c, a, b)     c != 0                 c is a relation; of any size
 *   truth(c)          a relation             a relation
 *   to_f32(x)         convert_float(x)       convert_float16(x), of a number x too
 */
#define pick(c, a, b) CLFOLD_PICK(c, a, b)
#define truth(c)      (!!(c))

#define to_i8(x)  CLFOLD_TO(char, x)
#define to_u8(x)  CLFOLD_TO(uchar, x)
#define to_i16(x) CLFOLD_TO(short, x)
#define to_u16(x) CLFOLD_TO(ushort, x)
#define to_i32(x) CLFOLD_TO(int, x)
#define to_u32(x) CLFOLD_TO(uint, x)
#define to_i64(x) CLFOLD_TO(long, x)
#define to_u64(x) CLFOLD_TO(ulong, x)
#define to_f16(x) CLFOLD_TO(half, x)
#define to_f32(x) CLFOLD_TO(float, x)
#define to_f64(x) CLFOLD_TO(double, x)
