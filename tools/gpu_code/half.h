/*
 * Conversions of half, which libclc for NVIDIA lacks. Added before texts that use half
 * for tools/codegen; not for running.
 */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

half __attribute__((overloadable)) convert_half(half x)
{
    return x;
}

half __attribute__((overloadable)) convert_half(float x)
{
    return (half)x;
}

float __attribute__((overloadable)) convert_float(half x)
{
    return (float)x;
}

/* Once one is declared here, clang looks for no others. */
float __attribute__((overloadable)) convert_float(float x)
{
    return x;
}
#line 1 "program.cl"
