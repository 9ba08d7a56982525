#include "one_context.h"

struct device device;
clfold_context *ctx;

int open_context(void **state)
{
    (void)state;
    device_init(&device);
    return clfold_context_create(&ctx, device.context, device.id, NULL);
}

int close_context(void **state)
{
    (void)state;
    clfold_context_destroy(&ctx);
    device_finish(&device);
    return 0;
}
