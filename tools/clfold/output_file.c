#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a signal has to remove; one command writes no more at once. */
enum { MOST_PENDING = 2 };
static char *volatile pending[MOST_PENDING];

static void remove_pending(int signal_number)
{
    for (int i = 0; i < MOST_PENDING; i++) {
        if (pending[i]) {
            unlink(pending[i]);
        }
    }
    /* The action is the default one by now, and this one is over when it takes effect. */
    raise(signal_number);
}

static void catch_signals(void)
{
    static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXFSZ };

    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        struct sigaction now;
        /* nohup and a shell's & ignore some, which stay so */
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL) {
            struct sigaction action = { .sa_flags = (int)SA_RESETHAND };
            action.sa_handler = remove_pending;
            sigemptyset(&action.sa_mask);
            sigaction(signals[i], &action, NULL);
        }
    }
}

static void set_pending(const char *old, char *path)
{
    for (int i = 0; i < MOST_PENDING; i++) {
        if (pending[i] == old) {
            pending[i] = path;
            return;
        }
    }
}

static bool refuse(const char *name, int error, struct message *message)
{
    return message_set(message, "%.4096s: %s", name, strerror(error));
}

/* Where stat() found no file: the name, or what it leads to if it is a link. */
static char *follow_links(const char *name)
{
    enum { MOST_LINKS = 40 };
    char *path = strdup(name);

    for (int i = 0; path; i++) {
        char target[PATH_MAX];
        const ssize_t length = readlink(path, target, sizeof(target));
        if (length < 0) { /* no link, or nothing */
            return path;
        }
        if (i == MOST_LINKS || (size_t)length == sizeof(target)) {
            free(path);
            errno = i == MOST_LINKS ? ELOOP : ENAMETOOLONG;
            return NULL;
        }
        const char *const slash = strrchr(path, '/');
        const size_t folder = target[0] != '/' && slash ? (size_t)(slash - path) + 1 : 0;
        char *const joined = malloc(folder + (size_t)length + 1);
        if (joined) {
            memcpy(joined, path, folder);
            memcpy(joined + folder, target, (size_t)length);
            joined[folder + (size_t)length] = '\0';
        }
        free(path);
        path = joined;
    }
    return NULL;
}

/* A rename would take the place of a link, and of a pipe or device. */
static bool find_place(struct output_file *file, struct message *message)
{
    struct stat status;

    if (stat(file->name, &status) == 0) {
        if (S_ISDIR(status.st_mode)) {
            refuse(file->name, EISDIR, message);
            return false;
        }
        if (!S_ISREG(status.st_mode)) {
            message_set(message, "%.4096s: is not a regular file", file->name);
            return false;
        }
        file->path = realpath(file->name, NULL);
        file->replaces = true;
        file->mode = status.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    } else if (errno == ENOENT) {
        file->path = follow_links(file->name);
    }
    if (!file->path) {
        refuse(file->name, errno, message);
        return false;
    }
    return true;
}

/* The name holds the number of the process, so a file of that name was left by an earlier
 * process of the same number, and nobody writes it. */
static bool open_temporary(struct output_file *file, struct message *message)
{
    const size_t size = strlen(file->path) + 32;
    int handle;

    file->temporary = malloc(size);
    if (!file->temporary) {
        return refuse(file->name, ENOMEM, message);
    }
    snprintf(file->temporary, size, "%s.%ld.part", file->path, (long)getpid());
    catch_signals();
    set_pending(NULL, file->temporary);
    unlink(file->temporary);
    /* At no time may it be opened by more users than the old one. */
    handle = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                  file->replaces ? file->mode : 0666);
    if (handle >= 0 && (!file->replaces || fchmod(handle, file->mode) == 0)) {
        file->stream = fdopen(handle, "w");
    }
    if (file->stream) {
        return true;
    }
    refuse(file->name, errno, message);
    if (handle >= 0) {
        close(handle);
    }
    return false;
}

bool output_file_begin(struct output_file *file, const char *name,
                       struct message *message)
{
    *file = (struct output_file){ .name = name };
    if (find_place(file, message) && open_temporary(file, message)) {
        return true;
    }
    output_file_finish(file);
    return false;
}

bool output_file_check(const char *name, struct message *message)
{
    struct output_file file;

    if (!output_file_begin(&file, name, message)) {
        return false;
    }
    output_file_finish(&file);
    return true;
}

bool output_file_complete(struct output_file *file, struct message *message)
{
    /* Some failures showed in a write before, others show only now. */
    const bool failed = ferror(file->stream) != 0;
    errno = 0;
    const bool closed = fclose(file->stream) == 0;
    file->stream = NULL;
    if (!closed || failed) {
        return message_set(message, "%.4096s: %s", file->name,
                           errno ? strerror(errno) : "writing failed");
    }
    return true;
}

bool output_file_commit(struct output_file *file, struct message *message)
{
    if (rename(file->temporary, file->path) != 0) {
        return refuse(file->name, errno, message);
    }
    set_pending(file->temporary, NULL);
    free(file->temporary);
    file->temporary = NULL;
    return true;
}

void output_file_finish(struct output_file *file)
{
    if (file->stream) {
        fclose(file->stream);
    }
    if (file->temporary) {
        unlink(file->temporary);
        set_pending(file->temporary, NULL);
    }
    free(file->temporary);
    free(file->path);
    *file = (struct output_file){ 0 };
}

bool output_file_write(const char *name, output_writer *write, const void *user,
                       struct message *message)
{
    struct output_file file = { 0 };
    bool done = output_file_begin(&file, name, message);

    if (done && !write(user, file.stream, message)) {
        done = message_prefix(message, name);
    }
    done = done && output_file_complete(&file, message) &&
           output_file_commit(&file, message);
    output_file_finish(&file);
    return done;
}
