#include "commands.h"
#include "options_table.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether it may be part of a file's name. */
static bool is_name(const char *word)
{
    return *word &&
           strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(word) &&
           *word != '-' && strlen(word) < 64;
}

/* The installed folder, or in a build folder the one beside the command's. */
static bool find_program(const char *command, const char *name, char path[PATH_MAX + 128])
{
    const int length = (int)(strrchr(command, '/') - command);

    sprintf(path, "%.*s/" VIEW_FOLDER, length, command);
    if (access(path, F_OK) != 0) {
        sprintf(path, "%.*s/../lab", length, command);
    }
    sprintf(path + strlen(path), "/clfold-%s", name);
    return access(path, F_OK) == 0;
}

/* Of a script whose "#!" names a program that is not there. */
static bool refuse_script(const char *path, const char *name, struct message *message)
{
    char line[256] = "";
    FILE *const file = fopen(path, "r");

    if (file) {
        (void)!fgets(line, sizeof(line), file);
        fclose(file);
    }
    char *const word = line + 2 + strspn(line + 2, " \t");
    word[strcspn(word, " \t\n")] = '\0';
    const char *const last = strrchr(word, '/');
    return strncmp(line, "#!", 2) != 0 || !last
               ? message_set(message, "%s: %s", path, strerror(ENOENT))
               : message_set(message, "clfold %s needs %s, Debian's package %s", name,
                             last + 1, last + 1);
}

bool view_run(char **argv, struct message *message)
{
    const bool is_help = argv[0] && argv[1] && strcmp(argv[1], "help") == 0;
    const char *const name = argv[0] && argv[1] ? argv[1 + is_help] : NULL;
    char command[PATH_MAX], path[PATH_MAX + 128], help[] = "--help";
    char *const help_words[] = { path, help, NULL };

    if (!name || !is_name(name) || (is_help && argv[3])) {
        return true;
    }
    const bool is_view = view_find(name);
    const ssize_t length = readlink("/proc/self/exe", command, sizeof(command) - 1);
    if (command_find(name) < ACTIONS || length <= 0) {
        return true;
    }
    command[length] = '\0';
    if (!find_program(command, name, path)) {
        return !is_view ||
               message_set(message, "clfold %s is not installed: there is no %s", name,
                           path);
    }
    setenv("CLFOLD_COMMAND", command, 1);
    if (!is_help) {
        argv[1] = path;
    }
    execv(path, is_help ? help_words : argv + 1);
    return errno == ENOENT ? refuse_script(path, name, message)
                           : message_set(message, "%s: %s", path, strerror(errno));
}
