#include "verdicts.h"

#include "programs.h"

#include "base/entry.h"
#include "base/folder.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LIMIT = 4096 };

static bool open_folder(struct folder *folder, bool makes)
{
    char path[PLACE_SIZE];

    if (!place_find(path, "clfold/verdicts")) {
        return false;
    }
    int error = clfold_folder_open(folder, path, makes);
    /* earlier versions had a file of that name */
    if (error == ENOTDIR && makes && remove(path) == 0) {
        error = clfold_folder_open(folder, path, makes);
    }
    return error == 0;
}

static void name_of(char name[CLFOLD_FOLDER_NAME], const char *key)
{
    clfold_entry_name(name, key, strlen(key));
    strcat(name, CLFOLD_FOLDER_END);
}

size_t verdicts_load(void *user, const char *key, void *verdict, size_t size)
{
    char name[CLFOLD_FOLDER_NAME], *bytes = NULL;
    struct folder folder;
    struct entry entry;
    size_t length, found = 0;

    (void)user;
    if (!open_folder(&folder, false)) {
        return 0;
    }
    name_of(name, key);
    if (clfold_folder_read(&folder, name, LIMIT, &bytes, &length) == 0 &&
        !clfold_entry_read(&entry, bytes, length) && entry.key_length == strlen(key) &&
        memcmp(entry.key, key, entry.key_length) == 0 && entry.program_length <= size) {
        found = entry.program_length;
        memcpy(verdict, entry.program, found);
    }
    clfold_free(bytes);
    clfold_folder_close(&folder);
    return found;
}

void verdicts_save(void *user, const char *key, const void *verdict, size_t size)
{
    char name[CLFOLD_FOLDER_NAME];
    unsigned char *program;
    size_t length;
    char *const bytes = clfold_entry_create(key, strlen(key), size, &program, &length);
    struct folder folder;

    (void)user;
    if (bytes && open_folder(&folder, true)) {
        memcpy(program, verdict, size);
        clfold_entry_seal(bytes, length);
        name_of(name, key);
        (void)clfold_folder_write(&folder, name, bytes, length);
        clfold_folder_close(&folder);
    }
    clfold_free(bytes);
}
