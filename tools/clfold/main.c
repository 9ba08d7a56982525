#include "commands.h"
#include "output_file.h"
#include "programs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE };

/* A standard stream that is closed gets a file that cannot serve it. Otherwise the next
 * file that is opened, here or in a driver, would become standard output. */
static void occupy_closed_streams(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++) {
        if (fcntl(file, F_GETFD) < 0 && errno == EBADF) {
            /* takes the lowest free number, which is `file` */
            (void)!open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

static int complain(int status, const struct message *message)
{
    fprintf(stderr, "clfold: %s\n", message->text);
    if (message->hint[0]) {
        fprintf(stderr, "clfold: hint: %s\n", message->hint);
    }
    return status;
}

static command_function *const commands[ACTIONS] = {
    [ACTION_DEVICES] = command_devices, [ACTION_REDUCE] = command_reduce,
    [ACTION_SCAN] = command_scan,       [ACTION_MAP] = command_scan,
    [ACTION_SELECT] = command_scan,     [ACTION_UNIQUE] = command_scan,
    [ACTION_RLE] = command_scan,        [ACTION_UNRLE] = command_scan,
    [ACTION_EXPLAIN] = command_explain, [ACTION_CHECK_FOLD] = command_check_fold,
    [ACTION_CACHE] = command_cache,
};

/* options_read has made of `help COMMAND` the help of that. */
static bool run(const struct options *options, struct message *message)
{
    const uint32_t version = clfold_version();

    if (options->help) {
        options_help(stdout, options->action);
    } else if (options->version) {
        printf("clfold %u.%u.%u\n", version / 10000, version / 100 % 100, version % 100);
    } else {
        return commands[options->action](options, message);
    }
    return true;
}

int main(int argc, char **argv)
{
    struct options options;
    struct message message;

    occupy_closed_streams();
    if (!view_run(argv, &message)) {
        return complain(EXIT_FAILED, &message);
    }
    output_file_catch_signals();
    if (!options_read(&options, argc, argv, &message)) {
        return complain(EXIT_USAGE, &message);
    }
    if (options.quiet) {
        message_silence();
    }
    if (options.no_cache) {
        programs_disable();
    }
    if (!run(&options, &message)) {
        return complain(EXIT_FAILED, &message);
    }
    /* Some failures show only now, others showed in a write before. */
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout) || fclose(stdout) != 0) {
        message_set(&message, "standard output: %s",
                    errno ? strerror(errno) : "writing failed");
        return complain(EXIT_FAILED, &message);
    }
    return EXIT_DONE;
}
