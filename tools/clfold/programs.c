#include "programs.h"

#include "base/file.h"
#include "base/folder.h"

static bool disabled;

bool programs_find(char path[PLACE_SIZE])
{
    return place_find(path, "XDG_CACHE_HOME", ".cache", "clfold/programs");
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

    if (disabled || !programs_find(path)) {
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
