/*
 * Stands between the trials and Oclgrind, in the place of clspy.c: no buffer is released
 * where Oclgrind looks for what is uninitialized. For a buffer in the place of a smaller
 * one it keeps the smaller's notes, and takes what is beyond them for that.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "clspy.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

void clspy_before_launch(void (*hook)(void))
{
    (void)hook;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseMemObject(cl_mem mem)
{
    cl_int (*next)(cl_mem);
    void *symbol = dlsym(RTLD_NEXT, "clReleaseMemObject");

    memcpy(&next, &symbol, sizeof(next));
    return getenv("OCLGRIND_UNINITIALIZED") ? CL_SUCCESS : next(mem);
}
