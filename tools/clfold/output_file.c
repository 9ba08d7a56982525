#include "output_file.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a signal has to remove; one command writes no more at once. */
static struct replacement *volatile pending[REPLACEMENT_MOST];

/* While names change, a signal waits, on whatever thread of a driver it comes. */
static atomic_flag changes = ATOMIC_FLAG_INIT;
static atomic_int waiting;

static void remove_pending(int signal_number)
{
    atomic_store(&waiting, signal_number);
    if (atomic_flag_test_and_set(&changes)) {
        return;
    }
    for (int i = 0; i < REPLACEMENT_MOST; i++) {
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
            sigfillset(&action.sa_mask);
            sigaction(signals[i], &action, NULL);
        }
    }
}

static void set_pending(const struct replacement *old, struct replacement *place)
{
    for (int i = 0; i < REPLACEMENT_MOST; i++) {
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

static bool output_file_begin(struct output_file *file, const char *name,
                              struct message *message)
{
    *file = (struct output_file){ .name = name };
    set_pending(NULL, &file->place);
    int error = replace_begin(&file->place, name);
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

    return strcmp(name, "-") == 0 ||
           (stat(name, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode)));
}

/* What a name leads to: a folder and a name in it, or what is written into. */
static bool find_place(const char *name, struct replacement *place, struct stat *info)
{
    const bool is_direct = output_file_is_direct(name);

    *place = (struct replacement){ .folder = -1, .file = -1, .held = -1 };
    place->last = place->path;
    return (is_direct || replace_find(place, name) == 0) &&
           (strcmp(name, "-") == 0 ? fstat(STDOUT_FILENO, info)
            : is_direct            ? stat(name, info)
                                   : fstat(place->folder, info)) == 0;
}

bool output_file_is_same(const char *name, const char *other)
{
    struct replacement a, b;
    struct stat of_a, of_b;
    const bool found = find_place(name, &a, &of_a) && find_place(other, &b, &of_b);
    const bool same = found && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino &&
                      strcmp(a.last, b.last) == 0;
    replace_finish(&a);
    replace_finish(&b);
    return same;
}

bool output_file_open(struct output_file *file, const char *name, struct message *message)
{
    if (!output_file_is_direct(name)) {
        return output_file_begin(file, name, message);
    }
    const bool is_standard = strcmp(name, "-") == 0;
    *file = (struct output_file){ .place = { .folder = -1, .file = -1, .held = -1 } };
    file->stream = is_standard ? stdout : fopen(name, "we");
    if (!file->stream) {
        return refuse(name, errno, message);
    }
    file->name = is_standard ? "standard output" : name;
    return true;
}

bool output_file_check_open(const char *name, struct message *message)
{
    struct output_file file;

    if (!output_file_is_direct(name)) {
        const bool done = output_file_begin(&file, name, message);
        output_file_finish(&file);
        return done;
    }
    return strcmp(name, "-") == 0 || access(name, W_OK) == 0 ||
           refuse(name, errno, message);
}

bool output_file_complete(struct output_file *file, struct message *message)
{
    if (file->stream == stdout) {
        return true; /* main closes it */
    }
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

bool output_files_commit(struct output_file *const *files, int num,
                         struct message *message)
{
    struct replacement *places[REPLACEMENT_MOST];
    const char *names[REPLACEMENT_MOST];
    sigset_t every, before;
    int num_places = 0;

    for (int i = 0; i < num; i++) {
        if (files[i]->name && files[i]->place.folder >= 0) {
            places[num_places] = &files[i]->place;
            names[num_places++] = files[i]->name;
        }
    }
    int done = num_places;
    sigfillset(&every);
    pthread_sigmask(SIG_BLOCK, &every, &before);
    while (atomic_flag_test_and_set(&changes)) { /* the process ends */
    }
    const int error = replace_commit_all(places, &done);
    for (int i = 0; i < num_places; i++) {
        replace_finish(places[i]);
    }
    atomic_flag_clear(&changes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (atomic_load(&waiting)) {
        remove_pending(atomic_load(&waiting));
    }
    return error == 0 || refuse(names[done], error, message);
}

bool output_file_commit(struct output_file *file, struct message *message)
{
    return output_files_commit(&file, 1, message);
}

void output_file_finish(struct output_file *file)
{
    if (!file->name) {
        return;
    }
    if (file->stream && file->stream != stdout) {
        fclose(file->stream);
    }
    replace_finish(&file->place);
    set_pending(&file->place, NULL);
    *file = (struct output_file){ 0 };
}

bool output_file_write(const char *name, output_writer *write, const void *user,
                       struct message *message)
{
    struct output_file file = { 0 };
    bool done = output_file_open(&file, name, message);

    if (done && !write(user, file.stream, message)) {
        done = message_prefix(message, file.name);
    }
    done = done && output_file_complete(&file, message) &&
           output_file_commit(&file, message);
    output_file_finish(&file);
    return done;
}
