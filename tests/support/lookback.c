#include "lookback.h"
#include "test.h"

#include "plan/memory.h"

#include <stdlib.h>
#include <string.h>

bool may_look_back(const char *algorithm)
{
    return !algorithm || strcmp(algorithm, "scan_lookback") == 0 ||
           strcmp(algorithm, "scan_chained") == 0;
}

/* PTX is for NVIDIA's compiler alone; others may die of it. */
static bool may_compile(const struct device *device, enum memory_tier tier)
{
    return tier != MEMORY_PTX_64 || strstr(device->name, "NVIDIA");
}

/* A few tiles, of the kind that Oclgrind can look for uninitialised values in. */
static bool compiles(const struct device *device, enum memory_tier tier)
{
    enum { NUM = 64 };
    cl_uint values[2 * NUM] = { 0 };
    const struct debug plan = {
        .tile = TILE_GROUP, .tile_elements = 32, .group_size = 8, .spins = 1, .tier = tier
    };
    const clfold_fold fold = { .op = CLFOLD_ADD,
                               .type = CLFOLD_U32,
                               .algorithm = "scan_lookback" };
    clfold_context *context = NULL;
    cl_int status;
    cl_mem mem = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                sizeof(values), values, &status);

    if (status != CL_SUCCESS) {
        return false;
    }
    status = device_context(&context, device, NULL);
    if (status == CLFOLD_OK) {
        clfold_context_override(context, &plan);
        status = clfold_inclusive_scan(context, device->queue, &fold, mem, 0, mem, NUM,
                                       NUM, 0, NULL, NULL);
    }
    if (status == CLFOLD_OK) {
        status = clFinish(device->queue);
    }
    clfold_context_destroy(&context);
    clReleaseMemObject(mem);
    return status == CL_SUCCESS;
}

bool has_tier(const struct device *device, enum memory_tier tier)
{
    static struct {
        cl_device_id device;
        bool has;
    } known[CLFOLD_MEMORY_TIERS];

    if (known[tier].device != device->id) {
        known[tier].has = may_compile(device, tier) && compiles(device, tier);
        known[tier].device = device->id;
    }
    return known[tier].has;
}

enum memory_tier best_tier(const struct device *device)
{
    enum memory_tier tier = MEMORY_SCOPED_64;

    while (tier < CLFOLD_MEMORY_TIERS && !has_tier(device, tier)) {
        ++tier;
    }
    return tier < CLFOLD_MEMORY_TIERS ? tier : MEMORY_NONE;
}

/* Before OpenCL 3.0 there was no query; 2.x has fences of device scope. */
bool has_fences(const struct device *device, enum memory_tier tier)
{
    const cl_device_atomic_capabilities wanted =
        CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_DEVICE;
    cl_device_atomic_capabilities has = 0;
    cl_int status = clGetDeviceInfo(device->id, CL_DEVICE_ATOMIC_FENCE_CAPABILITIES,
                                    sizeof(has), &has, NULL);

    return clfold_memory_fences(tier, status != CL_SUCCESS || (has & wanted) == wanted);
}

struct debug with_tier(const struct device *device, struct debug plan)
{
    if (plan.tier == MEMORY_NONE) {
        plan.tier = best_tier(device);
    }
    return plan;
}

void __wrap_clfold_context_override(clfold_context *context, const struct debug *plan)
{
    static bool noted;

    if (plan && plan->group_size + (plan->tile == TILE_GROUP) > 0 &&
        !device_has_groups()) {
        struct debug *own = malloc(sizeof(*own)); /* the context's, to the end */
        *own = *plan;
        own->group_size = 0;
        own->tile = plan->tile == TILE_GROUP ? TILE_NONE : plan->tile;
        plan = own;
        print_message("%s", noted ? "" : "here the policy's tile stands for groups\n");
        noted = true;
    }
    __real_clfold_context_override(context, plan);
}

bool groups_meet(const struct device *device)
{
    const char *affinity = getenv("POCL_AFFINITY");

    return !device->is_pocl || (affinity && strcmp(affinity, "1") == 0);
}

bool is_due_refusal(const struct device *device, const char *algorithm,
                    const struct debug *plan, bool in_place, clfold_status status)
{
    const char *why = clfold_last_error();

    if (status != CLFOLD_ERROR_UNSUPPORTED || !algorithm || !may_look_back(algorithm)) {
        return false;
    }
    return device->ends_loops
               ? strstr(why, "stops work-items that run long loops") != NULL
               : in_place && !has_fences(device, plan->tier) &&
                     strstr(why, "needs device-scope acquire and release");
}
