/* planted KIND: commits the fault that the sanitizer of this name must report. Without
 * the sanitizer it ends with 0. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int shared;

static void *race(void *unused)
{
    (void)unused;
    for (int i = 0; i < 100000; ++i) {
        ++shared;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const char *kind = argc == 2 ? argv[1] : "";

    if (strcmp(kind, "address") == 0) {
        volatile char *bytes = malloc((size_t)argc);
        if (bytes) {
            bytes[argc] = 1;
            free((void *)bytes);
        }
    } else if (strcmp(kind, "undefined") == 0) {
        volatile int most = INT_MAX;
        most += argc;
    } else if (strcmp(kind, "thread") == 0) {
        pthread_t threads[2];
        for (int i = 0; i < 2; ++i) {
            if (pthread_create(&threads[i], NULL, race, NULL) != 0) {
                return 0;
            }
        }
        for (int i = 0; i < 2; ++i) {
            pthread_join(threads[i], NULL);
        }
    } else {
        fprintf(stderr, "usage: planted address|undefined|thread\n");
    }
    return 0;
}
