/* clfold cache: the programs that the command keeps. */
#include "commands.h"
#include "programs.h"
#include "record.h"

#include "base/entry.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct cache {
    char path[PLACE_SIZE];
    struct folder folder;
    struct folder_file *files;
    size_t num;
};

static bool refuse(const char *path, int error, struct message *message)
{
    char why[CLFOLD_FILE_WHY];

    clfold_file_why(error, why);
    return message_set(message, "%.4000s: %s", path, why);
}

/* A folder that is not there has no programs. */
static bool open_cache(struct cache *cache, struct message *message)
{
    *cache = (struct cache){ .folder = { -1 } };
    if (!place_find(cache->path, PROGRAMS)) {
        return message_set(message, "neither $XDG_CACHE_HOME nor $HOME is set");
    }
    int error = clfold_folder_open(&cache->folder, cache->path, 0);
    if (error == ENOENT) {
        return true;
    }
    if (error == 0) {
        error = clfold_folder_list(&cache->folder, &cache->files, &cache->num);
    }
    return error == 0 || refuse(cache->path, error, message);
}

static void close_cache(struct cache *cache)
{
    clfold_folder_close(&cache->folder);
    clfold_free(cache->files);
}

/* NULL, or what is wrong with a file; *bytes is to be freed. */
static const char *read_entry(const struct cache *cache, const struct folder_file *file,
                              struct entry *entry, char **bytes,
                              char why[CLFOLD_FILE_WHY])
{
    char name[CLFOLD_FOLDER_NAME];
    size_t length;
    const int error = clfold_folder_look(&cache->folder, file->name, CLFOLD_ENTRY_LIMIT,
                                         bytes, &length);

    if (error != 0) {
        clfold_file_why(error, why);
        return why;
    }
    const char *const fault = clfold_entry_read(entry, *bytes, length);
    if (fault) {
        return fault;
    }
    clfold_entry_name(name, entry->key, entry->key_length);
    strcat(name, CLFOLD_FOLDER_END);
    return strcmp(name, file->name) == 0 ? NULL : "its name is another program's";
}

/* ---- list, verify ------------------------------------------------------------------ */

/* The value of a fact of the key, which begins with lines such as "device, 4: name". To
 * be freed; NULL: there is none. */
static char *fact_of(const struct entry *entry, const char *name)
{
    const char *at = entry->key, *const end = entry->key + entry->key_length;

    /* The bytes end in a NUL. */
    while (at < end) {
        const size_t length = strcspn(at, ",\n");
        if (at[length] != ',') {
            return NULL;
        }
        char *value;
        const size_t size = strtoul(at + length + 1, &value, 10);
        if (strncmp(value, ": ", 2) != 0 || size > (size_t)(end - value)) {
            return NULL;
        }
        if (length == strlen(name) && memcmp(at, name, length) == 0) {
            return strndup(value + 2, size);
        }
        at = value + 2 + size + 1;
    }
    return NULL;
}

/* The last file of cl/ in the program's text, which has its kernels. */
static char *kernels_of(const struct entry *entry)
{
    static const char mark[] = "#line 1 \"";
    const char *found = NULL, *at = entry->key;

    while ((at = strstr(at, mark))) {
        at += sizeof(mark) - 1;
        found = at;
    }
    return found ? strndup(found, strcspn(found, ".\"")) : NULL;
}

static char *time_of(const struct folder_file *file)
{
    const time_t used = (time_t)file->used;
    struct tm local;
    char text[32];

    return localtime_r(&used, &local) &&
                   strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local) > 0
               ? strdup(text)
               : NULL;
}

static void describe(const struct cache *cache, const struct folder_file *file,
                     struct record *record)
{
    char why[CLFOLD_FILE_WHY], *bytes = NULL;
    struct entry entry;
    const char *const fault = read_entry(cache, file, &entry, &bytes, why);

    record_add_text(record, "file", file->name);
    record_add_owned(record, "kernels", fault ? NULL : kernels_of(&entry));
    record_add_owned(record, "platform", fault ? NULL : fact_of(&entry, "platform"));
    record_add_owned(record, "device", fault ? NULL : fact_of(&entry, "device"));
    record_add_owned(record, "driver", fault ? NULL : fact_of(&entry, "driver"));
    record_add_owned(record, "used", time_of(file));
    record_add_number(record, "bytes", file->size);
    record_add_text(record, "fault", fault);
    clfold_free(bytes);
}

static const char *shown(json_object *object, const char *key)
{
    json_object *const value = json_object_object_get(object, key);

    return value ? json_object_get_string(value) : "-";
}

static void print_line(json_object *o)
{
    printf("%s  %10s  ", shown(o, "used"), shown(o, "bytes"));
    if (json_object_object_get(o, "fault")) {
        printf("%s: %s\n", shown(o, "file"), shown(o, "fault"));
    } else {
        printf("%-20s  %s: %s\n", shown(o, "kernels"), shown(o, "platform"),
               shown(o, "device"));
    }
}

/* Names the damaged ones alone if it verifies. */
static bool list(const struct cache *cache, const struct options *options,
                 struct message *message)
{
    const bool verifies = options->cache == CACHE_VERIFY;
    uint64_t sum = 0;
    size_t faults = 0;
    bool done = true;

    for (size_t i = 0; done && i < cache->num; i++) {
        struct record record = record_begin();
        describe(cache, &cache->files[i], &record);
        json_object *const object = record_take(&record);
        const bool has_fault = json_object_object_get(object, "fault");
        sum += cache->files[i].size;
        faults += has_fault;
        if (!object || options->json) {
            done = json_print(object, object, message);
            continue;
        }
        if (!verifies) {
            print_line(object);
        } else if (has_fault) {
            printf("%s: %s\n", shown(object, "file"), shown(object, "fault"));
        }
        json_object_put(object);
    }
    if (!done) {
        return false;
    }
    if (verifies) {
        printf("%s: %zu of %zu programs are whole\n", cache->path, cache->num - faults,
               cache->num);
    } else if (!options->json) {
        printf("%s: %zu program%s, %" PRIu64 " bytes\n", cache->path, cache->num,
               cache->num == 1 ? "" : "s", sum);
    }
    return !verifies || faults == 0 ||
           message_set(message,
                       "%zu damaged program%s; clfold builds it again, and clfold "
                       "cache clear removes them all",
                       faults, faults == 1 ? "" : "s");
}

static bool clear(const struct cache *cache, struct message *message)
{
    size_t removed = 0;
    const int error =
        cache->folder.file < 0 ? 0 : clfold_folder_shrink(&cache->folder, 0, &removed);

    printf("%s: %zu file%s removed\n", cache->path, removed, removed == 1 ? "" : "s");
    return error == 0 || refuse(cache->path, error, message);
}

bool command_cache(const struct options *options, struct message *message)
{
    struct cache cache;
    const bool done = open_cache(&cache, message) &&
                      (options->cache == CACHE_CLEAR ? clear(&cache, message)
                                                     : list(&cache, options, message));

    close_cache(&cache);
    return done;
}
