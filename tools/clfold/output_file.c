#include "output_file.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a signal has to remove; one command writes no more at once. */
enum { MOST_PENDING = 2 };
static struct replacement *volatile pending[MOST_PENDING];

static void remove_pending(int signal_number)
{
    for (int i = 0; i < MOST_PENDING; i++) {
        if (pending[i]) {
            unlinkat(pending[i]->folder, pending[i]->beside, 0);
        }
    }
    /* A driver may call this from a handler of its own. */
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void output_file_catch_signals(void)
{
    /* Not SIGQUIT: PoCL's compiler takes it and does not pass it on. */
    static const int signals[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM };

    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        struct sigaction now;
        /* nohup and a shell's & ignore some, which stay so */
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL) {
            struct sigaction action = { .sa_flags = 0 };
            action.sa_handler = remove_pending;
            sigemptyset(&action.sa_mask);
            sigaction(signals[i], &action, NULL);
        }
    }
}

static void set_pending(const struct replacement *old, struct replacement *place)
{
    for (int i = 0; i < MOST_PENDING; i++) {
        if (pending[i] == old) {
            pending[i] = place;
            return;
        }
    }
}

static bool refuse(const char *name, int error, struct message *message)
{
    char why[CLFOLD_FILE_WHY];

    clfold_file_why(error, why);
    return message_set(message, "%.4096s: %s", name, why);
}

bool output_file_begin(struct output_file *file, const char *name,
                       struct message *message)
{
    *file = (struct output_file){ .name = name };
    set_pending(NULL, &file->place);
    int error = clfold_replace_begin(&file->place, name);
    if (error == 0) {
        file->stream = fdopen(file->place.file, "w");
        if (file->stream) {
            file->place.file = -1; /* the stream closes it */
            return true;
        }
        error = errno;
    }
    output_file_finish(file);
    return refuse(name, error, message);
}

bool output_file_is_direct(const char *name)
{
    struct stat info;

    return stat(name, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode));
}

bool output_file_open(struct output_file *file, const char *name, struct message *message)
{
    if (!output_file_is_direct(name)) {
        return output_file_begin(file, name, message);
    }
    *file = (struct output_file){ .place = { .folder = -1, .file = -1, .held = -1 } };
    file->stream = fopen(name, "we");
    if (!file->stream) {
        return refuse(name, errno, message);
    }
    file->name = name;
    return true;
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

bool output_file_check_open(const char *name, struct message *message)
{
    if (!output_file_is_direct(name)) {
        return output_file_check(name, message);
    }
    return access(name, W_OK) == 0 || refuse(name, errno, message);
}

void output_file_path(const struct output_file *file, char path[OUTPUT_FILE_PATH])
{
    const struct replacement *const place = &file->place;
    const bool has_folder = place->last != place->path;

    if (place->held >= 0) {
        clfold_replace_held(place, path);
        return;
    }
    snprintf(path, OUTPUT_FILE_PATH, "%s%s%s", has_folder ? place->path : "",
             has_folder ? "/" : "", place->beside);
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
    const bool is_direct = file->place.folder < 0;
    const int error = is_direct ? 0 : clfold_replace_commit(&file->place);

    return error == 0 || refuse(file->name, error, message);
}

void output_file_finish(struct output_file *file)
{
    if (!file->name) {
        return;
    }
    if (file->stream) {
        fclose(file->stream);
    }
    clfold_replace_finish(&file->place);
    set_pending(&file->place, NULL);
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
