#include "place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool place_find(char path[PLACE_SIZE], const char *variable, const char *under_home,
                const char *rest)
{
    const char *const folder = getenv(variable);
    const char *const home = getenv("HOME");
    int length = -1;

    /* a relative path is to be ignored, says the XDG specification */
    if (folder && folder[0] == '/') {
        length = snprintf(path, PLACE_SIZE, "%s/%s", folder, rest);
    } else if (home && home[0] == '/') {
        length = snprintf(path, PLACE_SIZE, "%s/%s/%s", home, under_home, rest);
    }
    return length >= 0 && length < PLACE_SIZE;
}

bool place_make_folders(char path[PLACE_SIZE])
{
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        const bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *at = '/';
        if (!made) {
            return false;
        }
    }
    return true;
}
