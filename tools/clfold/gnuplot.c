#include "gnuplot.h"

#include "chart_style.h"
#include "machine.h"

#include <clfold/clfold.h>

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* In single quotes only the quote itself means anything to gnuplot, and it is doubled. */
static void put_characters(FILE *script, const char *text, const char *escaped)
{
    for (; *text; text++) {
        if (*text == '\'' || strchr(escaped, *text)) {
            putc(*text == '\'' ? '\'' : '\\', script);
        }
        putc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, script);
    }
}

void gnuplot_put_quoted(FILE *script, const char *text)
{
    putc('\'', script);
    put_characters(script, text, "");
    fputs("' noenhanced", script);
}

void gnuplot_put_bold(FILE *script, const char *text)
{
    fputs("'{/:Bold ", script);
    put_characters(script, text, "\\^_{}@&~");
    fputs("}' enhanced", script);
}

/* Where a line of the page's title is: so many pixels below its top. */
static void put_title_place(FILE *script, int at, int height, int size)
{
    fprintf(script, " at screen 0.012, screen %.9g left font 'sans-serif,%d'\n",
            1 - (double)at / height, size);
}

static void put_title(FILE *script, const char *text, int at, int height)
{
    fputs("set label ", script);
    gnuplot_put_quoted(script, text);
    put_title_place(script, at, height, 13);
}

enum { TITLE_LINE = 19 };

int gnuplot_put_page(FILE *script, int width, int below, const char *device,
                     const char *driver, const char *what)
{
    char text[512], date[16] = "";
    struct text machine = { 0 };
    const time_t today = time(NULL);
    struct tm local;
    int height = below + 3 * TITLE_LINE, at = TITLE_LINE;

    machine_print(&machine, "");
    for (const char *part = machine.bytes; part; part = strstr(part + 1, "; ")) {
        height += TITLE_LINE;
    }
    if (localtime_r(&today, &local)) {
        strftime(date, sizeof(date), "%Y-%m-%d", &local);
    }
    fprintf(script,
            "%sset terminal svg size %d,%d enhanced font 'sans-serif,14' "
            "background rgb 'white'\n",
            chart_style, width, height);
    snprintf(text, sizeof(text), "clfold %d.%d.%d %.400s, %s", CLFOLD_VERSION / 10000,
             CLFOLD_VERSION / 100 % 100, CLFOLD_VERSION % 100, what, date);
    fputs("set label ", script);
    gnuplot_put_bold(script, text);
    put_title_place(script, at, height, 15);
    snprintf(text, sizeof(text), "%.200s, driver %.200s", device, driver);
    put_title(script, text, at += TITLE_LINE, height);
    for (char *part = machine.bytes, *next; part; part = next) {
        if ((next = strstr(part, "; ")) != NULL) {
            *next = '\0';
            next += 2;
        }
        put_title(script, part, at += TITLE_LINE, height);
    }
    clfold_text_finish(&machine);
    fputs("set multiplot\n", script);
    return height;
}

void gnuplot_put_place(FILE *script, double left, double right, double bottom, double top)
{
    fprintf(script,
            "set lmargin at screen %.9g\nset rmargin at screen %.9g\n"
            "set bmargin at screen %.9g\nset tmargin at screen %.9g\n",
            left, right, bottom, top);
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
    /* If the disk is full, gnuplot ends early and says nothing. */
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
