/* A dot product in one pass: the load multiplies. This version has no `load` yet, and
 * says so: the program is as it will stay, and shows how to fall back. */
#include "example.h"

#define COUNT 1000

static clfold_status dot(clfold_context *ctx, cl_command_queue queue, cl_mem x, cl_mem y,
                         size_t count, cl_mem result)
{
    const clfold_arg args[] = { CLFOLD_ARG("global const float *y", y) };
    clfold_fold product = clfold_builtin(CLFOLD_ADD, CLFOLD_F32);

    product.name = "dot";
    product.load = "in[i] * y[i]";
    product.args = args;
    product.num_args = 1;
    return clfold_reduce(ctx, queue, &product, x, 0, result, 0, count, 0, NULL, NULL);
}

int main(void)
{
    struct example e = example_open();
    cl_float values[COUNT], result = 0;
    clfold_context *ctx = NULL;

    for (size_t i = 0; i < COUNT; ++i) {
        values[i] = (cl_float)(i % 10);
    }
    cl_mem x = example_buffer(&e, sizeof(values), values);
    cl_mem y = example_buffer(&e, sizeof(values), values);
    cl_mem sum = example_buffer(&e, sizeof(result), NULL);
    clfold_status status = clfold_context_create(&ctx, e.context, e.device, NULL);
    if (status == CLFOLD_OK) {
        status = dot(ctx, e.queue, x, y, COUNT, sum);
    }
    if (status == CLFOLD_OK) {
        clEnqueueReadBuffer(e.queue, sum, CL_TRUE, 0, sizeof(result), &result, 0, NULL,
                            NULL);
        printf("%.9g\n", (double)result);
    } else {
        printf("%s\n", clfold_last_error());
    }
    clfold_context_destroy(&ctx);
    clReleaseMemObject(x);
    clReleaseMemObject(y);
    clReleaseMemObject(sum);
    example_close(&e);
    return status == CLFOLD_OK || status == CLFOLD_ERROR_UNSUPPORTED ? EXIT_SUCCESS
                                                                     : EXIT_FAILURE;
}
