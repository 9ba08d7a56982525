/* Facts about OpenCL platforms, by name. */
#ifndef CLFOLD_BASE_PLATFORM_H
#define CLFOLD_BASE_PLATFORM_H

#include <stdbool.h>
#include <string.h>

/* Whether clang's attributes and builtins are known to work in the platform's compiler:
 * __builtin_prefetch, __builtin_nontemporal_store, the cycle counter. Other compilers
 * cannot be tested for them: the compilers of Mesa and Oclgrind claim to have
 * __builtin_prefetch, and end the process when they meet it. A platform without a name
 * (NULL) is not known. */
static inline bool clfold_platform_builtins(const char *platform)
{
    return platform && (strcmp(platform, "Portable Computing Language") == 0 ||
                        strcmp(platform, "Intel(R) OpenCL") == 0);
}

/* Whether the compiler makes vectors of work-items even where a group has only one, but
 * can be told not to: Intel's 2026.22, which takes minutes for some such kernels, or
 * crashes. Told so of groups, it crashes too. */
static inline bool clfold_platform_vectorizes(const char *platform)
{
    return platform && strcmp(platform, "Intel(R) OpenCL") == 0;
}

/* Whether the compiler copies a struct wrongly that ends in padding: Mesa 22.3. */
static inline bool clfold_platform_miscopies(const char *platform)
{
    return platform && strcmp(platform, "rusticl") == 0;
}

/* Whether the compiler dies of a function that has a barrier and is called twice, unless
 * it is inlined: PoCL 3.1. Oclgrind 21.10 cannot run what is. */
static inline bool clfold_platform_inlines(const char *platform)
{
    return platform && strcmp(platform, "Portable Computing Language") == 0;
}

#endif
