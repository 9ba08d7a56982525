#include "gnuplot.h"

#include "machine.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* In single quotes only the quote itself means anything to gnuplot, and it is doubled. */
void gnuplot_put_quoted(FILE *script, const char *text)
{
    putc('\'', script);
    for (; *text; text++) {
        if (*text == '\'') {
            putc('\'', script);
        }
        putc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, script);
    }
    putc('\'', script);
}

void gnuplot_put_page(FILE *script, const char *size, const char *title,
                      const char *device, const char *driver, const char *what)
{
    static const char line[] = " . \"\\n\" . ";
    char text[512], date[16] = "";
    struct text machine = { 0 };
    const time_t today = time(NULL);
    struct tm local;

    if (localtime_r(&today, &local)) {
        strftime(date, sizeof(date), "%Y-%m-%d", &local);
    }
    fprintf(script,
            "set encoding utf8\n"
            "set terminal svg size %s enhanced font 'sans-serif,15' "
            "background rgb 'white'\n%s ",
            size, title);
    snprintf(text, sizeof(text), "%.200s, driver %.200s", device, driver);
    gnuplot_put_quoted(script, text);
    machine_print(&machine, "");
    for (char *at = machine.bytes, *next; at; at = next) {
        if ((next = strstr(at, "; ")) != NULL) {
            *next = '\0';
            next += 2;
        }
        fputs(line, script);
        gnuplot_put_quoted(script, at);
    }
    clfold_text_finish(&machine);
    fputs(line, script);
    snprintf(text, sizeof(text), "%.400s, %s", what, date);
    gnuplot_put_quoted(script, text);
    fputs(" noenhanced\n", script);
}

/* The first line of what gnuplot said that is more than a picture of the script. */
static void find_complaint(FILE *said, char *line, int size)
{
    rewind(said);
    while (fgets(line, size, said)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "line ", 5) == 0 || strstr(line, "gnuplot")) {
            return;
        }
    }
    line[0] = '\0';
}

static bool run(FILE *script, int output, FILE *said, struct message *message)
{
    char *const words[] = { (char *)"gnuplot", (char *)"--default-settings", NULL };
    posix_spawn_file_actions_t actions;
    char line[256];
    pid_t child;
    int status = 0;

    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return message_set(message, "starting gnuplot: %s", strerror(error));
    }
    if ((error = posix_spawn_file_actions_adddup2(&actions, fileno(script), 0)) == 0 &&
        (error = posix_spawn_file_actions_adddup2(&actions, output, 1)) == 0 &&
        (error = posix_spawn_file_actions_adddup2(&actions, fileno(said), 2)) == 0) {
        error = posix_spawnp(&child, "gnuplot", &actions, NULL, words, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT) {
        return message_set(message, "--svg needs the program gnuplot, and there is none "
                                    "in PATH");
    }
    if (error != 0) {
        return message_set(message, "starting gnuplot: %s", strerror(error));
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return message_set(message, "waiting for gnuplot: %s", strerror(errno));
        }
    }
    if (WIFSIGNALED(status)) {
        return message_set(message, "gnuplot was ended by signal %d", WTERMSIG(status));
    }
    if (WEXITSTATUS(status) != 0) {
        find_complaint(said, line, sizeof(line));
        return message_set(message, "gnuplot failed with status %d: %s",
                           WEXITSTATUS(status), *line ? line : "it does not say why");
    }
    return true;
}

/* The script stands in a file without a name, so that neither waits for the other. */
static bool run_script(gnuplot_writer *write, const void *user, FILE *output,
                       struct message *message)
{
    FILE *const script = tmpfile(), *const said = tmpfile();
    bool done = false;

    if (!script || !said) {
        message_set(message, "a temporary file for gnuplot: %s", strerror(errno));
        goto done;
    }
    write(user, script);
    if (fflush(script) != 0 || ferror(script)) {
        message_set(message, "a temporary file for gnuplot: %s", strerror(errno));
        goto done;
    }
    rewind(script);
    done = run(script, fileno(output ? output : said), said, message);

done:
    if (script) {
        fclose(script);
    }
    if (said) {
        fclose(said);
    }
    return done;
}

static void write_check(const void *user, FILE *script)
{
    (void)user;
    fputs("set terminal svg\n", script);
}

bool gnuplot_check(struct message *message)
{
    return run_script(write_check, NULL, NULL, message);
}

bool gnuplot_draw(gnuplot_writer *write, const void *user, FILE *svg,
                  struct message *message)
{
    if (!run_script(write, user, svg, message)) {
        return false;
    }
    /* gnuplot tells of a full disk by nothing but a picture that ends early. */
    static const char end[] = "</svg>";
    char tail[64];
    if (fseek(svg, 0, SEEK_END) != 0) {
        return message_set(message, "reading gnuplot's chart: %s", strerror(errno));
    }
    const long size = ftell(svg);
    const long from = size > (long)sizeof(tail) - 1 ? size - (long)sizeof(tail) + 1 : 0;
    const ssize_t got = pread(fileno(svg), tail, sizeof(tail) - 1, from);
    tail[got > 0 ? got : 0] = '\0';
    return strstr(tail, end) || message_set(message, "gnuplot's chart is not complete");
}
