#include "chart.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Dark and light in turn, for print in grey, where the points tell lines apart as well.
 * gnuplot numbers its points: 4 to 13 are squares, circles and triangles, each empty and
 * filled. */
static const struct {
    const char *colour;
    int point;
} styles[] = {
    { "#d55e00", 4 }, { "#56b4e9", 5 }, { "#0072b2", 6 },  { "#e69f00", 7 },
    { "#009e73", 8 }, { "#cc79a7", 9 }, { "#5b3a8c", 12 }, { "#000000", 13 },
};
enum { NUM_STYLES = sizeof(styles) / sizeof(styles[0]) };

/* In single quotes only the quote itself means anything to gnuplot, and it is doubled. A
 * device's name may hold anything. */
static void put_quoted(FILE *script, const char *text)
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

/* Powers of two, at most 16 of them. */
static void put_ticks(FILE *script, uint64_t least, uint64_t most)
{
    int first = 0, last = 63;

    while (first < 63 && UINT64_C(1) << first < least) {
        first++;
    }
    while (last > 0 && UINT64_C(1) << last > most) {
        last--;
    }
    fputs("set xtics (", script);
    if (first > last) {
        fprintf(script, "'%" PRIu64 "' %" PRIu64, least, least);
    }
    const int step = first > last ? 1 : 1 + (last - first) / 16;
    for (int power = first; power <= last; power += step) {
        fprintf(script, "%s'2^{%d}' %" PRIu64, power == first ? "" : ", ", power,
                UINT64_C(1) << power);
    }
    fputs(") enhanced\n", script);
}

static void put_times(const struct chart *chart, FILE *script)
{
    fputs("$times << END\n", script);
    for (size_t row = 0; row < chart->num_counts; row++) {
        fprintf(script, "%" PRIu64, chart->counts[row]);
        for (size_t line = 0; line < chart->num_lines; line++) {
            fprintf(script, " %.9g", chart->seconds[row * chart->num_lines + line] * 1e3);
        }
        putc('\n', script);
    }
    fputs("END\n", script);
}

void chart_script(const struct chart *chart, FILE *script)
{
    const uint64_t least = chart->counts[0];
    const uint64_t most = chart->counts[chart->num_counts - 1];

    fputs("set encoding utf8\n"
          "set terminal svg size 1000,640 enhanced font 'sans-serif,15' "
          "background rgb 'white'\n"
          "set title ",
          script);
    put_quoted(script, chart->title);
    fputs(" . \"\\n\" . ", script);
    put_quoted(script, chart->subtitle);
    fputs(" noenhanced\n"
          "set xlabel 'number of elements n'\n"
          "set ylabel 'time of one call [ms]'\n"
          "set logscale x 2\n"
          "set logscale y 10\n"
          "set format y '%g'\n"
          "set grid xtics ytics mytics linetype 1 linewidth 0.5 linecolor '#bbbbbb', "
          "linetype 1 linewidth 0.25 linecolor '#dddddd'\n"
          "set key outside right center reverse Left noenhanced\n",
          script);
    put_ticks(script, least, most);
    /* A margin, so that points do not lie on the frame, and one count has a range. */
    fprintf(script, "set xrange [%.9g:%.9g]\n", (double)least / 1.25,
            (double)most * 1.25);
    put_times(chart, script);
    fputs("plot ", script);
    for (size_t line = 0; line < chart->num_lines; line++) {
        fprintf(script,
                "%s$times using 1:%zu with linespoints linewidth 1.5 "
                "linecolor '%s' pointtype %d pointsize 0.7 title ",
                line ? ", " : "", line + 2, styles[line % NUM_STYLES].colour,
                styles[line % NUM_STYLES].point);
        put_quoted(script, chart->names[line]);
    }
    putc('\n', script);
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
static bool run_script(const struct chart *chart, FILE *output, struct message *message)
{
    FILE *const script = tmpfile(), *const said = tmpfile();
    bool done = false;

    if (!script || !said) {
        message_set(message, "a temporary file for gnuplot: %s", strerror(errno));
        goto done;
    }
    if (chart) {
        chart_script(chart, script);
    } else {
        fputs("set terminal svg\n", script);
    }
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

bool chart_check(struct message *message)
{
    return run_script(NULL, NULL, message);
}

bool chart_draw(const struct chart *chart, FILE *svg, struct message *message)
{
    if (!run_script(chart, svg, message)) {
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
