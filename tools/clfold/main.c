#include "commands.h"
#include "output_file.h"
#include "programs.h"
#include "views.h"

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

static bool run(const struct options *options, struct message *message)
{
    const uint32_t version = clfold_version();

    if (options->help) {
        options_help(stdout, options->action);
        return true;
    }
    switch (options->action) {
    case ACTION_NONE:
        printf("clfold %u.%u.%u\n", version / 10000, version / 100 % 100, version % 100);
        break;
    case ACTION_DEVICES:
        return command_devices(options, message);
    case ACTION_REDUCE:
        return command_reduce(options, message);
    case ACTION_SCAN:
    case ACTION_MAP:
    case ACTION_SELECT:
    case ACTION_UNIQUE:
    case ACTION_RLE:
    case ACTION_UNRLE:
        return command_scan(options, message);
    case ACTION_EXPLAIN:
        return command_explain(options, message);
    case ACTION_CHECK_FOLD:
        return command_check_fold(options, message);
    case ACTION_PREDICT:
        return command_predict(options, message);
    case ACTION_CACHE:
        return command_cache(options, message);
    case ACTION_HELP: /* options_read has made it the help of a command */
    case ACTIONS:
        break;
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
