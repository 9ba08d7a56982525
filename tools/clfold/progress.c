#include "progress.h"

#include "clock.h"
#include "message.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { BAR_WIDTH = 40 };

void progress_begin(struct progress *progress, const char *what, uint64_t total)
{
    *progress = (struct progress){
        .what = what,
        .total = total,
        .on = isatty(STDERR_FILENO) && !message_is_silenced(),
        .begin = clock_now(),
    };
}

/* measuring [########                                ]  20 %, or reading 512 MiB */
static void draw(struct progress *progress)
{
    const double part =
        progress->total ? (double)progress->done / (double)progress->total : 0;
    const int filled = (int)(part * BAR_WIDTH);
    char bar[BAR_WIDTH + 1];

    for (int i = 0; i < BAR_WIDTH; i++) {
        bar[i] = i < filled ? '#' : ' ';
    }
    bar[BAR_WIDTH] = '\0';
    if (progress->total > 0) {
        fprintf(stderr, "\r%s [%s] %3d %%", progress->what, bar, (int)(part * 100));
    } else {
        fprintf(stderr, "\r%s %" PRIu64 " MiB", progress->what, progress->done >> 20);
    }
    fflush(stderr);
    progress->visible = true;
}

void progress_step(struct progress *progress, uint64_t done)
{
    const uint64_t total = progress->total ? progress->total : UINT64_MAX;
    const uint64_t left = total - progress->done;

    progress->done += done < left ? done : left;
    if (!progress->on) {
        return;
    }
    const double time = clock_now();
    if (time - progress->begin >= 1 &&
        (!progress->visible || time - progress->drawn >= 0.1)) {
        progress->drawn = time;
        draw(progress);
    }
}

void progress_end(struct progress *progress)
{
    if (progress->visible) {
        /* Spaces, since not every terminal knows how to clear a line. */
        fprintf(stderr, "\r%*s\r", BAR_WIDTH + 30, "");
        fflush(stderr);
    }
    *progress = (struct progress){ 0 };
}
