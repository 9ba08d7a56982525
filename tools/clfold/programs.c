#include "programs.h"

#include "base/file.h"
#include "base/folder.h"

#include <stdio.h>
#include <stdlib.h>

static bool disabled;

bool place_find(char path[PLACE_SIZE], const char *rest)
{
    const char *const folder = getenv("XDG_CACHE_HOME"), *const home = getenv("HOME");
    int length = -1;

    /* a relative path is to be ignored, says the XDG Base Directory Specification */
    if (folder && folder[0] == '/') {
        length = snprintf(path, PLACE_SIZE, "%s/%s", folder, rest);
    } else if (home && home[0] == '/') {
        length = snprintf(path, PLACE_SIZE, "%s/.cache/%s", home, rest);
    }
    return length >= 0 && length < PLACE_SIZE;
}

void programs_disable(void)
{
    disabled = true;
}

/* The library warns of a folder that is not the user's alone. One that cannot be created,
 * as in a read-only home, is not worth a warning at every run. */
const char *programs_folder(char path[PLACE_SIZE])
{
    struct folder folder;

    if (disabled || !place_find(path, PROGRAMS)) {
        return NULL;
    }
    const int error = clfold_folder_open(&folder, path, 1);
    if (error == 0) {
        clfold_folder_close(&folder);
    }
    return error == 0 || error == CLFOLD_FILE_FOREIGN || error == CLFOLD_FILE_SHARED
               ? path
               : NULL;
}
